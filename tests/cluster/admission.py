"""The admission policies on a real API server: set to work on deny, and asked about many objects at once."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from gpuplatform.proofs.capture.stack import stack_view
from gpuplatform.render.document import Document, as_yaml
from gpuplatform.render.dra import template_name
from gpuplatform.render.stack import render
from gpuplatform.settings.admission import AdmissionMode
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.resources import RUNTIME_CLASS
from policies.admission.documents import admission_documents
from sandbox.control_plane.commands import Commands
from sandbox.control_plane.control_plane import ControlPlane, control_plane
from sandbox.control_plane.crds import install_crds
from tests.policies.documents import a_pool, but
from tests.policies.pod_documents import a_config_map, a_deployment

_ACTIVE_SECONDS = 180


def admission(settings: Settings, mode: AdmissionMode = AdmissionMode.DENY) -> tuple[Document, ...]:
    return admission_documents(stack_view(settings, template_name), mode)


def stream(documents: Sequence[Document]) -> str:
    return "\n---\n".join(as_yaml(each) for each in documents)


@contextmanager
def guarding(settings: Settings, folder: Path, commands: Commands, crds: Path) -> Generator[ControlPlane]:
    """A cluster with the stack's teams and every admission policy on deny."""
    rendered = render(settings)
    with control_plane(folder, commands) as cluster:
        install_crds(cluster.kubectl, crds)
        spaces = [each.namespace for each in rendered.tenants]
        for documents in (spaces, _what_pods_need(spaces), rendered.cluster_documents, admission(settings)):
            applied = cluster.kubectl.apply(stream(documents))
            assert applied.ok, applied.err
        await_active(cluster, spaces[0])
        yield cluster


def _what_pods_need(spaces: Sequence[Document]) -> list[Document]:
    """What controllers and the GPU Operator would make, and no pod starts without."""
    names = [cast("dict[str, str]", each["metadata"])["name"] for each in spaces]
    runtime: Document = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": RUNTIME_CLASS}}
    return [
        {**runtime, "handler": RUNTIME_CLASS},
        *(
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": name}}
            for name in (*names, "default", "kube-system")
        ),
    ]


def await_active(cluster: ControlPlane, space: Document) -> None:
    """A policy works once the API server has seen it: until a broken object of each sort is refused."""
    namespace = cast("dict[str, str]", space["metadata"])["name"]
    server = but(a_deployment(), "spec", "template", "spec", "tolerations", [])
    canaries = [
        whole(but(server, "metadata", "namespace", namespace)),
        but(a_pool(), "spec", "template", "spec", "taints", []),
        but(but(a_config_map(), "metadata", "namespace", namespace), "data", "NVIDIA_VISIBLE_DEVICES", "all"),
        but(space, "metadata", "labels", "pod-security.kubernetes.io/enforce", "privileged"),
    ]
    begun = time.monotonic()
    while any(cluster.kubectl.apply(as_yaml(each), "--dry-run=server").ok for each in canaries):
        assert time.monotonic() - begun < _ACTIVE_SECONDS, "the admission policies are not active"


def whole(document: Document) -> Document:
    """The document with what the API server asks of its kind beside what rules read."""
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
        for each in cast("list[dict[str, object]]", pod["containers"]):
            each.setdefault("image", "registry.example/it:1")
    return completed


def verdicts(cluster: ControlPlane, documents: Sequence[Document]) -> dict[int, str]:
    """What the API server says of each document that it refuses, by its number; one kubectl for all."""
    numbered = stream([_numbered(each, n) for n, each in enumerate(documents)])
    said = cluster.kubectl.apply(numbered, "--dry-run=server").err
    found_in: dict[int, str] = {}
    for part in re.split(r"(?m)^(?=Error from server|The |error: )", said):
        if found := re.search(r"case-(\d+)\b", part):
            found_in[int(found[1])] = found_in.get(int(found[1]), "") + part
    return found_in


def _numbered(document: Document, number: int) -> Document:
    named = whole(document)
    cast("dict[str, object]", named["metadata"])["name"] = f"case-{number}"
    return named
