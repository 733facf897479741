from __future__ import annotations

from dataclasses import replace

from sandbox.tools.go import as_text, at_least
from sandbox.tools.pulumi import MINIMUM
from sandbox.tools.table import PULUMI


def test_the_cli_that_is_built_is_one_that_is_accepted() -> None:
    assert at_least(PULUMI.version, MINIMUM)


def test_every_place_that_names_the_built_version_names_the_same() -> None:
    assert f"v{as_text(MINIMUM)}" == PULUMI.version
    assert all(companion.endswith(f"@{PULUMI.version}") for companion in PULUMI.companions)
    assert any(flag.endswith(f"version.Version={PULUMI.version}") for flag in PULUMI.build_flags)


def test_another_version_lives_in_another_folder() -> None:
    assert replace(PULUMI, version="v3.260.0").folder != PULUMI.folder
