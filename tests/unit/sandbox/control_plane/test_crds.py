from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gpuplatform.render.document import kubernetes_object
from sandbox.control_plane.api import Api
from sandbox.control_plane.crds import defining, install_crds, remove_crds
from sandbox.errors import SandboxError
from tests.unit.sandbox.control_plane.api_server import ApiServer, api_server

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
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
  versions:
  - name: v1
    served: true
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
def server() -> Iterator[ApiServer]:
    with api_server() as running:
        yield running


@pytest.fixture
def api(server: ApiServer) -> Iterator[Api]:
    with closing(Api(server.kubeconfig())) as made:
        yield made


def test_a_definition_is_waited_for_until_it_is_served(folder: Path, server: ApiServer, api: Api) -> None:
    server.established_after = 2
    assert install_crds(api, folder) == ("monitors.watch.example.org", "rules.watch.example.org")
    assert server.established_after < 0


def test_a_definition_that_is_never_served_is_named(
    folder: Path, server: ApiServer, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.control_plane.crds._LIMIT_SECONDS", 0.1)
    server.established_after = 1000
    with pytest.raises(SandboxError, match=r"not served after 0\.1 s: monitors\.watch\.example\.org, rules"):
        install_crds(api, folder)


def test_a_refused_definition_is_told_with_its_folder(folder: Path, server: ApiServer, api: Api) -> None:
    api.serves("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    server.refuse(422, "spec.versions: Required value")
    with pytest.raises(SandboxError, match=rf"refuses the CRDs in {folder}:\nspec.versions: Required value"):
        install_crds(api, folder)


def test_a_plain_equals_sign_is_text(folder: Path, server: ApiServer, api: Api) -> None:
    file = folder / "Rule.yaml"
    file.write_text(f"{file.read_text(encoding='utf-8')}  enum: [=, =~]\n", encoding="utf-8")
    install_crds(api, folder)
    assert server.objects[f"{CRDS}/rules.watch.example.org"]["spec"]["enum"] == ["=", "=~"]


def test_definitions_are_removed(folder: Path, server: ApiServer, api: Api) -> None:
    install_crds(api, folder)
    remove_crds(api, folder)
    assert server.objects == {}
