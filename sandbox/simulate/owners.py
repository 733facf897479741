"""Who made what: from a pod up to the object that a person wrote."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from gpuplatform.render.document import Document, kind_of, name_of, namespace_of

CONTROLLERS = "deployments,replicasets,replicationcontrollers,statefulsets,daemonsets,jobs"
"""The kinds, for kubectl, that make pods or stand between a pod and what a person wrote."""


@dataclass(frozen=True, slots=True, order=True)
class Workload:
    """The object that a person wrote."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


Owners: TypeAlias = Mapping[Workload, Document]
"""The controllers of a cluster, each under what it is."""


def itself(found: Document) -> Workload:
    """An object as what it is."""
    return Workload(kind_of(found), str(namespace_of(found) or "default"), name_of(found))


def root(found: Document, owners: Owners) -> Workload:
    """What a person wrote that a pod comes from."""
    above = controller(found)
    return root_of(above, owners) if above else itself(found)


def root_of(of: Workload, owners: Owners) -> Workload:
    """A ReplicaSet's Deployment, a Job's CronJob; anything else stands for itself."""
    found = owners.get(of)
    above = controller(found) if found else None
    return root_of(above, owners) if above else of


def controller(of: Document) -> Workload | None:
    """What made an object, None where nothing did."""
    references = cast(Sequence[Mapping[str, object]], metadata(of).get("ownerReferences") or ())
    above = next((each for each in references if each.get("controller")), None)
    return Workload(str(above["kind"]), str(namespace_of(of)), str(above["name"])) if above else None


def pods_wanted(of: Document) -> int:
    """How many pods a controller is to have at one time."""
    spec, status = (cast(Mapping[str, int], of.get(each) or {}) for each in ("spec", "status"))
    match kind_of(of):
        case "DaemonSet":
            return status.get("desiredNumberScheduled", 0)
        case "Job":
            parallel = spec.get("parallelism", 1)
            return 0 if spec.get("suspend") else min(parallel, spec.get("completions", parallel))
        case _:
            return spec.get("replicas", 1)


def metadata(found: Document) -> Mapping[str, object]:
    """An object's metadata."""
    return cast(Mapping[str, object], found["metadata"])


def text(found: Document, *path: str) -> str:
    """The text at a path, empty where there is nothing."""
    return str(functools.reduce(lambda at, key: cast(Mapping[str, object], at).get(key, ""), path, cast(object, found)))
