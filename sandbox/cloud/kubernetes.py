"""The Kubernetes stand-in: objects by kind, namespace and name, and what an API server or a controller refuses."""

from __future__ import annotations

from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.types import CLUSTER_SCOPED, CONTROLLER_CHARTS, CRD_CHARTS, KUBERNETES_KINDS
from sandbox.cloud.world import Entry, Plain, Properties, World

_RELEASE = "kubernetes:helm.sh/v3:Release"
_BUILT_IN_NAMESPACES = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})
_RELEASE_INPUTS = ("chart", "version", "namespace")


def faults(token: str, inputs: Properties) -> list[tuple[str, str]]:
    """(input, reason) for everything that is missing."""
    if token not in KUBERNETES_KINDS:
        return [("", f"the stand-in does not know the type {token}; `gpuplatform engine types` lists what it knows")]
    if token == _RELEASE:
        return [(each, f"missing required input {each!r}") for each in _RELEASE_INPUTS if each not in inputs]
    missing = [(each, f"missing required input {each!r}") for each in ("apiVersion", "kind") if each not in inputs]
    metadata = inputs.get("metadata")
    if not isinstance(metadata, dict) or "name" not in metadata:
        missing.append(("metadata.name", "missing required input 'metadata.name'"))
    return missing


def replaced_by(token: str) -> frozenset[str]:
    """Inputs of which a change makes a new resource."""
    return frozenset({"chart"}) if token == _RELEASE else frozenset({"apiVersion", "kind"})


def moved(old: Properties, new: Properties) -> bool:
    """Whether the object's name or namespace changed, so that it is another object."""
    return _place(old) != _place(new)


def create(world: World, urn: str, token: str, inputs: Properties) -> Entry:
    """Make an object or a release, or refuse as the API server would."""
    id_ = _identifier(token, inputs)
    group, kind = _group(token), token.rsplit(":", 1)[-1]
    if (chart := CRD_CHARTS.get(group)) and not _installed(world, chart):
        raise RefusedError(f'no matches for kind "{kind}" in group "{group}": the chart {chart} is not installed')
    namespace, _ = _place(inputs)
    if kind not in CLUSTER_SCOPED and namespace not in _BUILT_IN_NAMESPACES and not _has_namespace(world, namespace):
        raise RefusedError(f'namespaces "{namespace}" not found')
    if world.find(token, id_) is not None:
        raise RefusedError(f'{kind.lower()} "{id_}" already exists')
    entry = Entry(urn, token, id_, inputs, _outputs(token, inputs, id_))
    world.create(entry, set(), set())
    return entry


def update(world: World, old: Entry, inputs: Properties) -> Entry:
    """Change an object in place."""
    entry = Entry(old.urn, old.type, old.id, inputs, _outputs(old.type, inputs, old.id))
    world.update(entry, set(), set())
    return entry


def delete(world: World, entry: Entry) -> None:
    """Remove an object, or refuse where it would hang: nobody is left to take its finalizer off."""
    if entry.type == _RELEASE:
        _release_is_needed(world, str(entry.inputs.get("chart")).rsplit("/", 1)[-1])
    elif (chart := CONTROLLER_CHARTS.get(_group(entry.type))) and not _installed(world, chart):
        raise RefusedError(
            f'{entry.type.rsplit(":", 1)[-1]} "{entry.id}" has a finalizer, and the chart {chart} that takes it off is gone'
        )
    if entry.type.endswith(":EC2NodeClass"):
        users = [
            each.id for each in world.of_kind("kubernetes:karpenter.sh/v1:NodePool") if _class_of(each) == entry.id
        ]
        if users:
            raise RefusedError(f"EC2NodeClass {entry.id} is still used by the NodePools {', '.join(users[:5])}")
    world.delete(entry.type, entry.id, entry.urn)


def _release_is_needed(world: World, chart: str) -> None:
    groups = {group for group, needed in (*CRD_CHARTS.items(), *CONTROLLER_CHARTS.items()) if needed == chart}
    left = [each.id for group in groups for each in world.of_kind(f"kubernetes:{group}/")]
    if left:
        raise RefusedError(f"the release of {chart} still has objects to look after: {', '.join(sorted(left)[:5])}")


def _class_of(nodepool: Entry) -> str:
    at: Plain = nodepool.inputs
    for key in ("spec", "template", "spec", "nodeClassRef", "name"):
        at = at.get(key) if isinstance(at, dict) else None
    return str(at)


def _installed(world: World, chart: str) -> bool:
    return any(str(each.inputs.get("chart")).rsplit("/", 1)[-1] == chart for each in world.of_kind(_RELEASE))


def _has_namespace(world: World, name: str) -> bool:
    return world.find("kubernetes:core/v1:Namespace", name) is not None


def _group(token: str) -> str:
    return token.split(":")[1].split("/", maxsplit=1)[0]


def _place(inputs: Properties) -> tuple[str, str]:
    metadata = inputs.get("metadata")
    if not isinstance(metadata, dict):
        return str(inputs.get("namespace", "default")), str(inputs.get("name"))
    return str(metadata.get("namespace", "default")), str(metadata["name"])


def _identifier(token: str, inputs: Properties) -> str:
    namespace, name = _place(inputs)
    return name if token.rsplit(":", 1)[-1] in CLUSTER_SCOPED else f"{namespace}/{name}"


def _outputs(token: str, inputs: Properties, id_: str) -> Properties:
    if token == _RELEASE:
        status: Properties = {"name": id_, "namespace": inputs.get("namespace"), "status": "deployed", "revision": 1}
        return {**inputs, "status": status}
    return dict(inputs)
