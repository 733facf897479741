"""The Kubernetes stand-in: objects by kind, namespace and name, and what an API server or a controller refuses."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.standard import keys
from sandbox.cloud.references import at_path
from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.strict import RELEASE
from sandbox.cloud.types import CLUSTER_SCOPED, CONTROLLER_CHARTS, CRD_CHARTS
from sandbox.cloud.world import Entry, Properties, World

_NAMESPACE = "kubernetes:core/v1:Namespace"
_NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
_CLASS_NAME = "spec.template.spec.nodeClassRef.name"
_ACTIONS = "spec.validationActions"
_BUILT_IN_NAMESPACES = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})
_CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
_BINDING = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding"
_REPLACES: dict[str, tuple[str, ...]] = {
    _CONFIG_MAP: ("data", "binaryData"),
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding": ("roleRef",),
    "kubernetes:storage.k8s.io/v1:StorageClass": ("parameters", "provisioner"),
}
"""Of the kinds here, what the provider replaces (pulumi-kubernetes 4.32.0, provider/pkg/provider/diff.go, forceNew)."""
_FIXED: dict[str, tuple[str, ...]] = {
    "kubernetes:storage.k8s.io/v1:StorageClass": ("reclaimPolicy", "volumeBindingMode"),
    "kubernetes:scheduling.k8s.io/v1:PriorityClass": ("value", "preemptionPolicy"),
}
"""What the provider does not replace and the API server does not change (kubernetes v1.35.4,
pkg/apis/scheduling/validation/validation.go, pkg/apis/storage/validation/validation.go)."""


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """What the program set on the provider, of what decides here."""

    mutable_config_maps: bool = False
    """``enableConfigMapMutable``: without it a ConfigMap is deleted and made anew when its data change."""


def replaces(options: ProviderOptions, token: str, old: Properties, new: Properties, changed: set[str]) -> set[str]:
    """The changed inputs that make a new resource; another name or namespace is another object."""
    moves = {"metadata"} if "metadata" in changed and moved(old, new) else set[str]()
    if token == RELEASE:
        return changed & {"name", "namespace"} | moves
    fields = _REPLACES.get(token, ())
    if token == _CONFIG_MAP and options.mutable_config_maps and new.get("immutable") is not True:
        fields = ()
    return changed & {"apiVersion", "kind", *fields} | moves


def moved(old: Properties, new: Properties) -> bool:
    """Whether the object's name or namespace changed, so that it is another object."""
    return _place(old) != _place(new)


def create(world: World, urn: str, token: str, inputs: Properties) -> Entry:
    """Make an object or a release, or refuse as the API server would."""
    id_ = identifier(token, inputs)
    group, kind = _group(token), token.rsplit(":", 1)[-1]
    if (chart := CRD_CHARTS.get(group)) and not _installed(world, chart):
        raise RefusedError(f'no matches for kind "{kind}" in group "{group}": the chart {chart} is not installed')
    namespace, _ = _place(inputs)
    if kind not in CLUSTER_SCOPED and namespace not in _BUILT_IN_NAMESPACES and not _has_namespace(world, namespace):
        raise RefusedError(f'namespaces "{namespace}" not found')
    if world.find(token, id_) is not None:
        raise RefusedError(f'{kind.lower()} "{id_}" already exists')
    _becomes_ready(world, inputs)
    entry = Entry(urn, token, id_, inputs, outputs(token, inputs))
    world.create(entry, set(), set())
    return entry


def update(world: World, old: Entry, inputs: Properties) -> Entry:
    """Change an object in place, or refuse as the API server would."""
    for field in _FIXED.get(old.type, ()):
        if old.inputs.get(field) != inputs.get(field):
            kind = old.type.rsplit(":", 1)[-1]
            raise RefusedError(f'{kind} "{old.id}" is invalid: {field}: Forbidden: may not be changed in an update')
    _becomes_ready(world, inputs)
    entry = Entry(old.urn, old.type, old.id, inputs, outputs(old.type, inputs))
    world.update(entry, set(), set())
    return entry


def dry_run(world: World, old: Entry, inputs: Properties) -> None:
    """Refuse a change in place that cannot be previewed, although it could be made.

    The provider makes an object by POST as one field manager and previews a change of it by server-side apply as
    another; the fields are handed over by the first real update alone (pulumi-kubernetes 4.32.0,
    provider/pkg/await/await.go, Creation and fixCSAFieldManagers). Until then the server keeps what the first manager
    put into a list that is a set.
    """
    if old.type != _BINDING or world.last_operation(old.urn) != "create":
        return
    actions = {str(action) for each in (old.inputs, inputs) for action in at_path(each, _ACTIONS)}
    if actions >= {"Deny", "Warn"}:
        raise RefusedError(
            f'ValidatingAdmissionPolicyBinding "{old.id}" is invalid: {_ACTIONS}: must not contain both Deny and Warn'
        )


def delete(world: World, entry: Entry) -> None:
    """Remove an object, or refuse where it would hang: nobody is left to take its finalizer off."""
    if entry.type == RELEASE:
        release_is_needed(world, str(entry.inputs.get("chart")).rsplit("/", 1)[-1])
    elif (chart := CONTROLLER_CHARTS.get(_group(entry.type))) and not _installed(world, chart):
        kind = entry.type.rsplit(":", 1)[-1]
        raise RefusedError(f'{kind} "{entry.id}" has a finalizer, and the chart {chart} that takes it off is gone')
    if entry.type == _NODE_CLASS:
        pools = world.of_kind("kubernetes:karpenter.sh/v1:NodePool")
        users = [each.id for each in pools if entry.id in at_path(each.inputs, _CLASS_NAME)]
        if users:
            raise RefusedError(f"EC2NodeClass {entry.id} is still used by the NodePools {', '.join(users[:5])}")
    if entry.type == _NAMESPACE:  # takes everything in it along
        for each in world.of_kind("kubernetes:"):
            if each.id.startswith(f"{entry.id}/"):
                world.delete(each)
    world.delete(entry)


def reach(world: World, server: str) -> None:
    """Refuse where no cluster answers at the address that the provider was given."""
    if not any(server in at_path(each.outputs, "endpoint") for each in world.of_kind("aws:eks/cluster:Cluster")):
        raise RefusedError(f"configured Kubernetes cluster is unreachable: no cluster answers at {server}")


def _becomes_ready(world: World, inputs: Properties) -> None:
    """Refuse an object that is waited for and can never be ready: its node class is not there."""
    annotations = at_path(inputs, "metadata.annotations")
    awaited = any(keys.PULUMI_WAIT_FOR in each for each in annotations if isinstance(each, dict))
    for name in at_path(inputs, _CLASS_NAME) if awaited else ():
        if world.find(_NODE_CLASS, str(name)) is None:
            raise RefusedError(f'timed out waiting for the condition "Ready": EC2NodeClass "{name}" not found')


def release_is_needed(world: World, chart: str) -> None:
    """Refuse to take a release away while objects are left that only it looks after: they would hang for ever."""
    groups = {group for group, needed in (*CRD_CHARTS.items(), *CONTROLLER_CHARTS.items()) if needed == chart}
    left = [each.id for group in groups for each in world.of_kind(f"kubernetes:{group}/")]
    if left:
        raise RefusedError(f"the release of {chart} still has objects to look after: {', '.join(sorted(left)[:5])}")


def _installed(world: World, chart: str) -> bool:
    return any(str(each.inputs.get("chart")).rsplit("/", 1)[-1] == chart for each in world.of_kind(RELEASE))


def _has_namespace(world: World, name: str) -> bool:
    return world.find(_NAMESPACE, name) is not None


def _group(token: str) -> str:
    return token.split(":")[1].split("/", maxsplit=1)[0]


def _place(inputs: Properties) -> tuple[str, str]:
    metadata = inputs.get("metadata")
    if not isinstance(metadata, dict):
        return str(inputs.get("namespace", "default")), str(inputs.get("name"))
    return str(metadata.get("namespace", "default")), str(metadata["name"])


def identifier(token: str, inputs: Properties) -> str:
    """``namespace/name``, or the name where the kind is of the cluster."""
    namespace, name = _place(inputs)
    return name if token.rsplit(":", 1)[-1] in CLUSTER_SCOPED else f"{namespace}/{name}"


def outputs(token: str, inputs: Properties) -> Properties:
    """What the provider tells the program of an object or a release."""
    if token == RELEASE:
        status: Properties = {
            "name": identifier(token, inputs),
            "namespace": inputs.get("namespace"),
            "status": "deployed",
            "revision": 1,
        }
        return {**inputs, "status": status}
    return dict(inputs)
