"""A real API server accepts the documents that this project renders, and refuses broken ones."""

from __future__ import annotations

import base64
import copy
import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
import yaml

from gpuplatform.accept import check_file
from gpuplatform.render.document import Document, as_yaml, kind_of, name_of
from gpuplatform.render.stack import Rendered, render
from sandbox.control_plane.control_plane import ControlPlane, control_plane
from sandbox.control_plane.controllers import Commands
from sandbox.control_plane.kubectl import Answer
from sandbox.errors import SandboxError

pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("cluster")]

ROOT = Path(__file__).parents[2]
STACKS = ("dev", "staging", "prod")
KARPENTER_KINDS = {
    "capacitybuffers.autoscaling.x-k8s.io",
    "ec2nodeclasses.karpenter.k8s.aws",
    "nodeclaims.karpenter.sh",
    "nodeoverlays.karpenter.sh",
    "nodepools.karpenter.sh",
}


def rendered(stack: str) -> Rendered:
    settings = check_file(ROOT / f"Pulumi.{stack}.yaml").settings
    assert settings is not None
    return render(settings)


def as_stream(documents: Sequence[Document]) -> str:
    """The documents as YAML, namespaces first. Not as one List: kubectl checks a List's items without the server."""
    ordered = sorted(documents, key=lambda document: kind_of(document) != "Namespace")
    return "\n---\n".join(as_yaml(document) for document in ordered)


def versions(answer: Answer) -> dict[str, str]:
    """Resource version by object, as an apply printed them."""
    printed = yaml.safe_load(answer.out)
    items = printed["items"] if printed["kind"] == "List" else [printed]
    of = [item["metadata"] | {"kind": item["kind"]} for item in items]
    return {
        f"{metadata['kind']}/{metadata.get('namespace', '')}/{metadata['name']}": metadata["resourceVersion"]
        for metadata in of
    }


@pytest.fixture
def applied(cluster: ControlPlane) -> Iterator[Callable[[Sequence[Document]], Answer]]:
    """Applies documents; those that can be deleted without controllers are deleted afterwards."""
    made: list[Document] = []

    def apply(documents: Sequence[Document]) -> Answer:
        made.extend(document for document in documents if kind_of(document) != "Namespace" and document not in made)
        return cluster.kubectl.apply(as_stream(documents), "-o", "json")

    yield apply
    if made:
        gone = cluster.kubectl("delete", "--ignore-not-found", "--wait=false", "-f", "-", stdin=as_stream(made))
        assert gone.ok, gone.err


def test_the_api_server_answers_and_is_of_the_version_that_the_platform_is_proven_on(cluster: ControlPlane) -> None:
    assert cluster.kubectl("get", "--raw", "/readyz").out == "ok"
    version = json.loads(cluster.kubectl("version", "-o", "json").out)["serverVersion"]
    assert (version["major"], version["minor"]) == ("1", "35")


def test_its_kubeconfig_is_for_its_owner_alone(cluster: ControlPlane) -> None:
    assert cluster.kubeconfig.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("headers", [{"Authorization": "Bearer guessed"}, {}], ids=["a guessed token", "no token"])
def test_nobody_is_known_to_it_without_its_token(cluster: ControlPlane, headers: dict[str, str]) -> None:
    # Not kubectl: without a token it asks for a name and a password instead of the server.
    config = yaml.safe_load(cluster.kubeconfig.read_text(encoding="utf-8"))["clusters"][0]["cluster"]
    authority = base64.b64decode(config["certificate-authority-data"]).decode()
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}),
        urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=authority)),
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        opener.open(urllib.request.Request(f"{config['server']}/api", headers=headers), timeout=30)
    refused.value.close()
    assert refused.value.code == HTTPStatus.UNAUTHORIZED


def test_it_listens_on_loopback_alone(cluster: ControlPlane) -> None:
    for part in cluster.parts:
        listening = [
            net_connection
            for net_connection in psutil.Process(part.process.pid).net_connections()
            if net_connection.status == "LISTEN"
        ]
        assert listening
        assert {pconn.laddr.ip for pconn in listening if pconn.family is socket.AF_INET} == {"127.0.0.1"}, part.name
        assert all(connection.family is socket.AF_INET for connection in listening), part.name


def test_the_definitions_of_karpenter_are_served(cluster: ControlPlane) -> None:
    listed = cluster.kubectl("get", "crd", "-o", "json")
    established = {
        item["metadata"]["name"]
        for item in json.loads(listed.out)["items"]
        if any(
            condition["type"] == "Established" and condition["status"] == "True"
            for condition in item["status"]["conditions"]
        )
    }
    assert established >= KARPENTER_KINDS
    assert cluster.kubectl("get", "nodepools,nodeclaims,nodeoverlays,ec2nodeclasses").ok


@pytest.mark.parametrize("stack", STACKS)
def test_every_document_of_a_stack_is_accepted_and_a_second_apply_changes_nothing(
    applied: Callable[[Sequence[Document]], Answer], stack: str
) -> None:
    documents = rendered(stack).documents
    first = applied(documents)
    assert first.ok, first.err
    assert "Warning" not in first.err
    second = applied(documents)
    assert second.ok, second.err
    assert len(versions(first)) == len(documents)
    assert versions(second) == versions(first)


def test_an_apply_that_does_change_something_is_seen(applied: Callable[[Sequence[Document]], Answer]) -> None:
    document = a_nodepool()
    first = applied([document])
    spec_of(document)["weight"] -= 1
    assert versions(applied([document])) != versions(first)


def a_nodepool() -> Document:
    """A pool of the dev stack that Karpenter grows by itself."""
    return copy.deepcopy(
        next(
            documents.node_pool
            for documents in rendered("dev").node_pools
            if name_of(documents.node_pool).startswith("infer-l4")
        )
    )


def spec_of(pool: Document) -> dict[str, Any]:
    return cast("dict[str, Any]", pool["spec"])


def without_consolidate_after(pool: Document) -> None:
    del spec_of(pool)["disruption"]["consolidateAfter"]


def static_with_a_weight(pool: Document) -> None:
    spec_of(pool).update(replicas=1, weight=10, limits={"nodes": "2"})


def labelled_in_a_restricted_domain(pool: Document) -> None:
    spec_of(pool)["template"]["metadata"]["labels"]["karpenter.sh/team"] = "vision"


def with_a_misspelt_field(pool: Document) -> None:
    spec_of(pool)["weigth"] = spec_of(pool).pop("weight")


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (without_consolidate_after, "consolidateAfter: Required value"),
        (static_with_a_weight, "'weight' is not supported on static NodePools"),
        (labelled_in_a_restricted_domain, 'label domain "karpenter.sh" is restricted'),
        (with_a_misspelt_field, ".spec.weigth: field not declared in schema"),
    ],
)
def test_a_broken_nodepool_is_refused(cluster: ControlPlane, broken: Callable[[Document], None], message: str) -> None:
    pool = a_nodepool()
    assert cluster.kubectl.apply(as_stream([pool]), "--dry-run=server").ok
    broken(pool)
    refused = cluster.kubectl.apply(as_stream([pool]), "--dry-run=server")
    assert not refused.ok
    assert message in refused.err


def test_a_second_start_in_the_same_folder_is_refused(cluster: ControlPlane, commands: Commands) -> None:
    folder = cluster.kubeconfig.parent
    with pytest.raises(SandboxError, match="already runs in"), control_plane(folder, commands):
        pytest.fail("two control planes in one folder")
    assert cluster.kubectl("get", "--raw", "/readyz").ok, "the first one keeps running"


def test_nothing_of_it_runs_or_listens_once_its_block_is_left(commands: Commands, tmp_path: Path) -> None:
    pids: list[int] = []

    def interrupted() -> None:
        with control_plane(tmp_path, commands) as running:
            pids.extend(part.process.pid for part in running.parts)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)


def test_a_part_that_dies_ends_the_wait_with_a_message_that_names_its_log(commands: Commands, tmp_path: Path) -> None:
    dying = tmp_path / "kube-apiserver"
    dying.write_text("#!/bin/sh\necho no such flag >&2\nexit 3\n", encoding="utf-8")
    dying.chmod(0o755)
    broken = Commands(commands.etcd, dying, commands.kubectl)
    with pytest.raises(SandboxError) as raised, control_plane(tmp_path / "state", broken):
        pytest.fail("it cannot have become ready")
    assert "kube-apiserver ended with code 3" in str(raised.value)
    assert str(tmp_path / "state" / "kube-apiserver.log") in str(raised.value)
    assert "no such flag" in str(raised.value)
