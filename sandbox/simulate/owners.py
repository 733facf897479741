"""The owners of pods: from a pod up to the object that a person wrote."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from gpuplatform.render.document import Document, kind_of, name_of, namespace_of

CONTROLLERS = "deployments,replicasets,replicationcontrollers,statefulsets,daemonsets,jobs"
"""The kinds, as kubectl names them, of controllers between a pod and the object that a person wrote."""


@dataclass(frozen=True, slots=True, order=True)
class Workload:
    """The object that a person wrote."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


Owners: TypeAlias = Mapping[Workload, Document]
"""The controllers of a cluster, by kind, namespace and name."""


def workload_of(document: Document) -> Workload:
    """An object's kind, namespace and name."""
    return Workload(kind_of(document), str(namespace_of(document) or "default"), name_of(document))


def root(document: Document, owners: Owners) -> Workload:
    """The object that a person wrote and that a pod comes from."""
    owner = controller(document)
    return root_of(owner, owners) if owner else workload_of(document)


def root_of(workload: Workload, owners: Owners) -> Workload:
    """The topmost owner, such as a ReplicaSet's Deployment or a Job's CronJob; the workload itself if it has none."""
    document = owners.get(workload)
    owner = controller(document) if document else None
    return root_of(owner, owners) if owner else workload


def controller(document: Document) -> Workload | None:
    """The controller that made an object; None where it has none."""
    references = cast(Sequence[Mapping[str, object]], metadata(document).get("ownerReferences") or ())
    owner = next((reference for reference in references if reference.get("controller")), None)
    return Workload(str(owner["kind"]), str(namespace_of(document)), str(owner["name"])) if owner else None


def desired_pods(document: Document) -> int:
    """How many pods a controller asks for at one time."""
    spec, status = (cast(Mapping[str, int], document.get(key) or {}) for key in ("spec", "status"))
    match kind_of(document):
        case "DaemonSet":
            return status.get("desiredNumberScheduled", 0)
        case "Job":
            parallelism = spec.get("parallelism", 1)
            return 0 if spec.get("suspend") else min(parallelism, spec.get("completions", parallelism))
        case _:
            return spec.get("replicas", 1)


def metadata(document: Document) -> Mapping[str, object]:
    """An object's metadata."""
    return cast(Mapping[str, object], document["metadata"])


def text(document: Document, *path: str) -> str:
    """The text at a path; empty where the path does not exist."""
    return str(
        functools.reduce(
            lambda value, key: cast(Mapping[str, object], value).get(key, ""), path, cast(object, document)
        )
    )
