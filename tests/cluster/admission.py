"""The admission policies on a real API server: they are applied on deny, and many objects are checked at once."""

from __future__ import annotations

import copy
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.render.document import Document, as_yaml
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import AdmissionMode, Settings
from gpuplatform.standard.resources import RUNTIME_CLASS
from policies.admission.documents import admission_documents
from sandbox.control_plane.control_plane import ControlPlane, control_plane
from sandbox.control_plane.controllers import Commands
from sandbox.control_plane.crds import install_crds
from sandbox.errors import RefusedError
from tests.policies.documents import a_pool, but
from tests.policies.pod_documents import a_config_map, a_deployment

_ACTIVE_SECONDS = 180


def admission(settings: Settings, mode: AdmissionMode = AdmissionMode.DENY) -> tuple[Document, ...]:
    return admission_documents(stack_view(settings), mode)


def stream(documents: Sequence[Document]) -> str:
    return "\n---\n".join(as_yaml(document) for document in documents)


@contextmanager
def guarding(settings: Settings, folder: Path, commands: Commands, crds: Path) -> Generator[ControlPlane]:
    """A cluster with the stack's teams and every admission policy on deny."""
    rendered = render(settings)
    with control_plane(folder, commands) as cluster:
        install_crds(cluster.api, crds)
        spaces = [tenant.namespace for tenant in rendered.tenants]
        cluster.api.put(rendered.operator_namespace)
        for documents in (spaces, _what_pods_need(spaces), rendered.cluster_documents, admission(settings)):
            cluster.api.put_all(documents)
        await_active(cluster, spaces[0])
        yield cluster


def _what_pods_need(spaces: Sequence[Document]) -> list[Document]:
    """Objects that every pod needs, in place of the controllers and the GPU Operator that would make them."""
    names = [cast("dict[str, str]", space["metadata"])["name"] for space in spaces]
    runtime: Document = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": RUNTIME_CLASS}}
    return [
        {**runtime, "handler": RUNTIME_CLASS},
        *(
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}
            for name in (*names, "default", "kube-system")
        ),
    ]


def await_active(cluster: ControlPlane, space: Document) -> None:
    """Wait until the API server has loaded the policies and refuses a broken object of each sort."""
    namespace = cast("dict[str, str]", space["metadata"])["name"]
    server = but(a_deployment(), "spec", "template", "spec", "tolerations", [])
    canaries = [
        whole(but(server, "metadata", "namespace", namespace)),
        but(a_pool(), "spec", "template", "spec", "taints", []),
        but(but(a_config_map(), "metadata", "namespace", namespace), "data", "NVIDIA_VISIBLE_DEVICES", "all"),
        but(space, "metadata", "labels", "pod-security.kubernetes.io/enforce", "privileged"),
    ]
    begun = time.monotonic()
    while any(refusal(cluster, canary) is None for canary in canaries):
        assert time.monotonic() - begun < _ACTIVE_SECONDS, "the admission policies are not active"
        time.sleep(0.2)


def whole(document: Document) -> Document:
    """The document with the fields that the API server requires and the rules do not read."""
    completed = copy.deepcopy(document)
    spec = cast("dict[str, object]", completed.get("spec", {}))
    if completed["kind"] == "EC2NodeClass":
        terms = [{"tags": {"karpenter.sh/discovery": "dev"}}]
        spec.setdefault("subnetSelectorTerms", terms)
        spec.setdefault("securityGroupSelectorTerms", terms)
    if completed["kind"] == "Deployment":
        spec.setdefault("selector", {"matchLabels": {"app": "chat"}})
    if completed["kind"] in ("Pod", "Deployment", "Job"):
        pod = spec if completed["kind"] == "Pod" else cast("dict[str, dict[str, object]]", spec["template"])["spec"]
        if completed["kind"] == "Job":
            pod.setdefault("restartPolicy", "Never")
        for container in cast("list[dict[str, object]]", pod["containers"]):
            container.setdefault("image", "registry.example/it:1")
    return completed


def verdicts(cluster: ControlPlane, documents: Sequence[Document]) -> dict[int, str]:
    """The API server's message about each refused document, by the document's number."""
    messages = {n: refusal(cluster, _numbered(document, n)) for n, document in enumerate(documents)}
    return {n: message for n, message in messages.items() if message is not None}


def refusal(cluster: ControlPlane, document: Document) -> str | None:
    """The API server's message about a document that it would refuse; None where it would accept it."""
    try:
        cluster.api.put(document, dry_run=True)
    except RefusedError as error:
        return str(error)
    return None


def _numbered(document: Document, number: int) -> Document:
    named = whole(document)
    cast("dict[str, object]", named["metadata"])["name"] = f"case-{number}"
    return named
