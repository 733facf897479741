from __future__ import annotations

from pathlib import Path

import pytest

from gpuplatform.render.document import a
from sandbox.control_plane.crds import defining
from sandbox.errors import SandboxError

DEFINITION = """---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: {plural}.{group}
spec:
  group: {group}
  names:
    kind: {kind}
    plural: {plural}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for kind in ("Rule", "Monitor"):
        text = DEFINITION.format(kind=kind, plural=f"{kind.lower()}s", group="watch.example.org")
        (tmp_path / f"{kind}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_only_what_defines_a_kind_of_the_documents_is_chosen(folder: Path) -> None:
    documents = [a("watch.example.org/v1", "Rule", "x", "y"), a("apps/v1", "Deployment", "x", "y")]
    assert defining(folder, documents) == (folder / "Rule.yaml",)


def test_the_same_kind_of_another_group_is_another_kind(folder: Path) -> None:
    assert defining(folder, [a("example.org/v1", "Rule", "x", "y")]) == ()


def test_a_file_that_does_not_say_what_it_defines_is_named(folder: Path) -> None:
    (folder / "Rule.yaml").write_text("kind: List\n", encoding="utf-8")
    with pytest.raises(SandboxError, match=r"Rule\.yaml does not say"):
        defining(folder, [])


def test_a_folder_without_definitions_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="holds no definitions"):
        defining(tmp_path, [])
