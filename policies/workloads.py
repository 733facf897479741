"""Where pods are inside the objects that make them, and which namespaces are the platform's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplatform.standard import names, versions
from policies.subject import Kind, Plain, Subject, known_items

_EACH_VALUE = "*"
_EACH_ITEM = "[]"


@dataclass(frozen=True, slots=True)
class PodPath:
    """Where a kind of object holds pods."""

    path: str
    """Keys joined by dots; ``*`` is every value of a mapping, ``[]`` every item of a list."""
    is_template: bool = True
    """Whether it is a pod template with ``metadata`` and ``spec``; otherwise the pod's fields are there themselves."""


@dataclass(frozen=True, slots=True)
class PodTemplate:
    """One pod as an object describes it."""

    spec_path: str
    """Of the pod's spec in the object: ``spec.template.spec``."""
    metadata_path: str
    spec: Mapping[str, Plain]
    metadata: Plain


def _replicas(field: str) -> tuple[PodPath, ...]:
    return (PodPath(f"spec.{field}.*.template"),)


def _ray(cluster: str) -> tuple[PodPath, ...]:
    return (PodPath(f"{cluster}.headGroupSpec.template"), PodPath(f"{cluster}.workerGroupSpecs.[].template"))


_TEMPLATE = (PodPath("spec.template"),)

WORKLOADS: dict[Kind, tuple[PodPath, ...]] = {
    Kind("", "Pod"): (PodPath(""),),
    Kind("apps", "Deployment"): _TEMPLATE,
    Kind("apps", "StatefulSet"): _TEMPLATE,
    Kind("apps", "DaemonSet"): _TEMPLATE,
    Kind("apps", "ReplicaSet"): _TEMPLATE,
    Kind("batch", "Job"): _TEMPLATE,
    Kind("batch", "CronJob"): (PodPath("spec.jobTemplate.spec.template"),),
    Kind("jobset.x-k8s.io", "JobSet"): (PodPath("spec.replicatedJobs.[].template.spec.template"),),
    Kind("kubeflow.org", "TFJob"): _replicas("tfReplicaSpecs"),
    Kind("kubeflow.org", "PyTorchJob"): _replicas("pytorchReplicaSpecs"),
    Kind("kubeflow.org", "MPIJob"): _replicas("mpiReplicaSpecs"),
    Kind("ray.io", "RayCluster"): _ray("spec"),
    Kind("ray.io", "RayJob"): (*_ray("spec.rayClusterSpec"), PodPath("spec.submitterPodTemplate")),
    Kind("ray.io", "RayService"): _ray("spec.rayClusterConfig"),
    Kind("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): (
        PodPath("spec.leaderWorkerTemplate.leaderTemplate"),
        PodPath("spec.leaderWorkerTemplate.workerTemplate"),
    ),
    Kind("serving.kserve.io", "InferenceService"): (
        PodPath("spec.predictor", is_template=False),
        PodPath("spec.predictor.workerSpec", is_template=False),
        PodPath("spec.transformer", is_template=False),
        PodPath("spec.explainer", is_template=False),
    ),
}
"""Every kind whose pods are judged. The paths are those of the kinds' own definitions: apps/v1 and batch/v1, JobSet
v1alpha2, Kubeflow training operator v1, MPI operator v2beta1, KubeRay v1, LeaderWorkerSet v1, KServe v1beta1."""

WORKLOAD_KINDS: tuple[Kind, ...] = tuple(WORKLOADS)


def pod_templates(subject: Subject) -> Iterator[PodTemplate]:
    """Every pod that an object describes, as far as it is known; none for a kind that makes no pods."""
    for place in WORKLOADS.get(subject.group_kind, ()):
        for path, body in _mappings_at(subject.body, "", place.path.split(".") if place.path else []):
            if not place.is_template:
                yield PodTemplate(path, path, body, body)
                continue
            spec = body.get("spec")
            if isinstance(spec, Mapping):
                prefix = f"{path}." if path else ""
                yield PodTemplate(f"{prefix}spec", f"{prefix}metadata", spec, body.get("metadata"))


def _mappings_at(value: Plain, at: str, path: list[str]) -> Iterator[tuple[str, Mapping[str, Plain]]]:
    """The mappings at a path of the table, each with its own path."""
    if not path:
        if isinstance(value, Mapping):
            yield at, value
        return
    step, rest = path[0], path[1:]
    if step == _EACH_ITEM:
        for number, item in enumerate(known_items(value)):
            yield from _mappings_at(item, f"{at}[{number}]", rest)
    elif isinstance(value, Mapping):
        for key in value if step == _EACH_VALUE else [step]:
            yield from _mappings_at(value.get(key), f"{at}.{key}" if at else key, rest)


_PLATFORMS = frozenset({names.SYSTEM_NAMESPACE, *(chart.namespace for chart in versions.CHARTS.values())})


def is_platforms(subject: Subject) -> bool:
    """Whether an object is in a namespace of the platform. An object without a namespace counts as a team's."""
    return subject.namespace in _PLATFORMS
