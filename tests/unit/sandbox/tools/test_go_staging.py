from __future__ import annotations

from sandbox.tools.go import replacements, staged_modules

GO_MOD = """module example.org/whole

go 1.25.0

require example.org/part v0.0.0

replace (
\texample.org/part => ./staging/src/example.org/part
\texample.org/other => ./staging/src/example.org/other
\texample.org/fork => example.org/fork v1.2.3
)

replace example.org/single => ./staging/src/example.org/single
"""


def test_only_modules_kept_in_the_staging_folder_are_taken_as_they_are_published() -> None:
    assert staged_modules(GO_MOD) == ("example.org/part", "example.org/other", "example.org/single")


def test_a_module_without_staging_has_none() -> None:
    assert staged_modules("module example.org/whole\n") == ()


def test_each_is_replaced_by_its_published_version() -> None:
    assert replacements(("example.org/part",), "v0.35.4") == ["-replace=example.org/part=example.org/part@v0.35.4"]
