"""The Kubernetes stand-in: objects by kind, namespace and name, and the refusals of an API server or a controller."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.standard import keys
from sandbox.cloud.input_validation import RELEASE, RefusedError
from sandbox.cloud.references import at_path
from sandbox.cloud.store import Entry, Properties, Store
from sandbox.cloud.types import CLUSTER_SCOPED, CONTROLLER_CHARTS, CRD_CHARTS

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
"""Fields whose change makes the provider replace an object (pulumi-kubernetes 4.32.0,
provider/pkg/provider/diff.go, forceNew)."""
_FIXED: dict[str, tuple[str, ...]] = {
    "kubernetes:storage.k8s.io/v1:StorageClass": ("reclaimPolicy", "volumeBindingMode"),
    "kubernetes:scheduling.k8s.io/v1:PriorityClass": ("value", "preemptionPolicy"),
}
"""Fields whose change the provider does not replace for and the API server refuses (kubernetes v1.35.4,
pkg/apis/scheduling/validation/validation.go, pkg/apis/storage/validation/validation.go)."""


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """The provider's options that matter here."""

    mutable_config_maps: bool = False
    """``enableConfigMapMutable``: without it a ConfigMap is replaced when its data changes."""


def replaces(
    options: ProviderOptions, token: str, old: Properties, new: Properties, changed_inputs: set[str]
) -> set[str]:
    """The changed inputs that make a new resource; another name or namespace is another object."""
    moves = {"metadata"} if "metadata" in changed_inputs and has_moved(old, new) else set[str]()
    if token == RELEASE:
        return changed_inputs & {"name", "namespace"} | moves
    fields = _REPLACES.get(token, ())
    if token == _CONFIG_MAP and options.mutable_config_maps and new.get("immutable") is not True:
        fields = ()
    return changed_inputs & {"apiVersion", "kind", *fields} | moves


def has_moved(old: Properties, new: Properties) -> bool:
    """Whether the object's name or namespace changed, so that it is another object."""
    return _place(old) != _place(new)


def create(world: Store, urn: str, token: str, inputs: Properties) -> Entry:
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


def update(world: Store, old: Entry, inputs: Properties) -> Entry:
    """Change an object in place, or refuse as the API server would."""
    for field in _FIXED.get(old.type, ()):
        if old.inputs.get(field) != inputs.get(field):
            kind = old.type.rsplit(":", 1)[-1]
            raise RefusedError(f'{kind} "{old.id}" is invalid: {field}: Forbidden: may not be changed in an update')
    _becomes_ready(world, inputs)
    entry = Entry(old.urn, old.type, old.id, inputs, outputs(old.type, inputs))
    world.update(entry, set(), set())
    return entry


def dry_run(world: Store, old: Entry, inputs: Properties) -> None:
    """Refuse a change in place that the provider cannot preview, although it could make it.

    The provider makes an object by POST as one field manager and previews a change by server-side apply as another.
    Only the first real update moves the fields to the second manager (pulumi-kubernetes 4.32.0,
    provider/pkg/await/await.go, Creation and fixCSAFieldManagers). Until then the server keeps the items that the first
    manager put into a list that is a set.
    """
    if old.type != _BINDING or world.last_operation(old.urn) != "create":
        return
    actions = {
        str(action) for inputs_of_version in (old.inputs, inputs) for action in at_path(inputs_of_version, _ACTIONS)
    }
    if actions >= {"Deny", "Warn"}:
        raise RefusedError(
            f'ValidatingAdmissionPolicyBinding "{old.id}" is invalid: {_ACTIONS}: must not contain both Deny and Warn'
        )


def delete(world: Store, entry: Entry) -> None:
    """Remove an object, or refuse where the deletion would hang: the controller that removes its finalizer is gone."""
    if entry.type == RELEASE:
        release_is_needed(world, str(entry.inputs.get("chart")).rsplit("/", 1)[-1])
    elif (chart := CONTROLLER_CHARTS.get(_group(entry.type))) and not _installed(world, chart):
        kind = entry.type.rsplit(":", 1)[-1]
        raise RefusedError(
            f'{kind} "{entry.id}" has a finalizer, and the controller that removes it is gone: the chart {chart} is'
            " not installed"
        )
    if entry.type == _NODE_CLASS:
        pools = world.of_kind("kubernetes:karpenter.sh/v1:NodePool")
        users = [pool.id for pool in pools if entry.id in at_path(pool.inputs, _CLASS_NAME)]
        if users:
            raise RefusedError(f"EC2NodeClass {entry.id} is still used by the NodePools {', '.join(users[:5])}")
    if entry.type == _NAMESPACE:  # its objects go with it
        for content in world.of_kind("kubernetes:"):
            if content.id.startswith(f"{entry.id}/"):
                world.delete(content)
    world.delete(entry)


def reach(world: Store, server: str) -> None:
    """Refuse where no cluster has the address in the provider's kubeconfig."""
    if not any(server in at_path(entry.outputs, "endpoint") for entry in world.of_kind("aws:eks/cluster:Cluster")):
        raise RefusedError(f"configured Kubernetes cluster is unreachable: no cluster answers at {server}")


def _becomes_ready(world: Store, inputs: Properties) -> None:
    """Refuse an awaited object that can never be ready, because its node class does not exist."""
    annotations = at_path(inputs, "metadata.annotations")
    is_awaited = any(keys.PULUMI_WAIT_FOR in annotation for annotation in annotations if isinstance(annotation, dict))
    for name in at_path(inputs, _CLASS_NAME) if is_awaited else ():
        if world.find(_NODE_CLASS, str(name)) is None:
            raise RefusedError(f'timed out waiting for the condition "Ready": EC2NodeClass "{name}" not found')


def release_is_needed(world: Store, chart: str) -> None:
    """Refuse to remove a release while objects exist that only its controller can delete: they would hang forever."""
    chart_by_group = (*CRD_CHARTS.items(), *CONTROLLER_CHARTS.items())
    groups = {group for group, group_chart in chart_by_group if group_chart == chart}
    names = sorted(entry.id for group in groups for entry in world.of_kind(f"kubernetes:{group}/"))
    if names:
        raise RefusedError(
            f"the release of {chart} is still needed: only its controller can delete {', '.join(names[:5])}"
        )


def _installed(world: Store, chart: str) -> bool:
    return any(str(entry.inputs.get("chart")).rsplit("/", 1)[-1] == chart for entry in world.of_kind(RELEASE))


def _has_namespace(world: Store, name: str) -> bool:
    return world.find(_NAMESPACE, name) is not None


def _group(token: str) -> str:
    return token.split(":")[1].split("/", maxsplit=1)[0]


def _place(inputs: Properties) -> tuple[str, str]:
    metadata = inputs.get("metadata")
    if not isinstance(metadata, dict):
        return str(inputs.get("namespace", "default")), str(inputs.get("name"))
    return str(metadata.get("namespace", "default")), str(metadata["name"])


def identifier(token: str, inputs: Properties) -> str:
    """``namespace/name``, or the name alone where the kind is cluster-scoped."""
    namespace, name = _place(inputs)
    return name if token.rsplit(":", 1)[-1] in CLUSTER_SCOPED else f"{namespace}/{name}"


def outputs(token: str, inputs: Properties) -> Properties:
    """The provider's outputs of an object or a release."""
    if token == RELEASE:
        status: Properties = {
            "name": identifier(token, inputs),
            "namespace": inputs.get("namespace"),
            "status": "deployed",
            "revision": 1,
        }
        return {**inputs, "status": status}
    return dict(inputs)
