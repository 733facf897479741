from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpuplatform.render.document import kubernetes_object
from sandbox.control_plane.crds import defining, install_crds
from sandbox.control_plane.kubectl import Kubectl
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
    documents = [
        kubernetes_object("watch.example.org/v1", "Rule", "x", "y"),
        kubernetes_object("apps/v1", "Deployment", "x", "y"),
    ]
    assert defining(folder, documents) == (folder / "Rule.yaml",)


def test_the_same_kind_of_another_group_is_another_kind(folder: Path) -> None:
    assert defining(folder, [kubernetes_object("example.org/v1", "Rule", "x", "y")]) == ()


def test_a_file_that_does_not_say_what_it_defines_is_named(folder: Path) -> None:
    (folder / "Rule.yaml").write_text("kind: List\n", encoding="utf-8")
    with pytest.raises(SandboxError, match=r"Rule\.yaml does not say"):
        defining(folder, [])


def test_a_folder_without_definitions_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="holds no definitions"):
        defining(tmp_path, [])


@pytest.fixture
def says(tmp_path: Path) -> Callable[[str], Kubectl]:
    """A kubectl that applies any document and whose first `wait` fails with a message."""

    def made(words: str) -> Kubectl:
        command, once = tmp_path / "kubectl", tmp_path / "once"
        command.write_text(
            f"""#!/bin/sh
case "$*" in *apply*) cat > {tmp_path}/applied; echo customresourcedefinition/rules.watch.example.org; exit 0;; esac
[ -e {once} ] && exit 0
touch {once}; echo '{words}' >&2; exit 1
""",
            encoding="utf-8",
        )
        command.chmod(0o755)
        return Kubectl(command, tmp_path / "kubeconfig")

    return made


def test_a_definition_that_has_no_status_yet_is_waited_for(folder: Path, says: Callable[[str], Kubectl]) -> None:
    kubectl = says("error: .status.conditions accessor error: <nil> is of the type <nil>, expected []interface{}")
    assert install_crds(kubectl, folder) == ("rules.watch.example.org",)


def test_a_definition_that_is_refused_is_not(folder: Path, says: Callable[[str], Kubectl]) -> None:
    with pytest.raises(SandboxError, match="timed out"):
        install_crds(says("error: timed out waiting for the condition"), folder)
