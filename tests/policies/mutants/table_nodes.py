"""Fields of node pools, node classes, overlays and node groups."""

from __future__ import annotations

from collections.abc import Callable

from gpuplatform.catalog.instance_types import InstanceType
from policies.nodepool import NodePool, nodepool
from policies.reads import Path
from policies.subject import CONFIG_MAP, NODE, NODE_CLASS, NODE_GROUP, NODE_OVERLAY, NODE_POOL, Plain, Subject, Unknown
from tests.policies.documents import GONE, Gone
from tests.policies.mutants.breaking import Way, at_path
from tests.policies.mutants.table import Judge, Row, Where, right, row

REMOVED, VALUE, TYPE = Way.REMOVED, Way.VALUE, Way.TYPE
_SPEC, _LABELS = "spec.template.spec", "spec.template.metadata.labels"
_ABOUT_TYPES = ("kubernetes.io/arch", "kubernetes.io/os")
_TYPE_KEY = "node.kubernetes.io/instance-type"


def _is_arm64(instance_type: InstanceType) -> bool:
    return instance_type.architecture == "arm64"


def _pool(holds: Callable[[NodePool], bool]) -> Where:
    return lambda subject, _: holds(nodepool(subject))


GPU = _pool(lambda pool: pool.is_gpu)
STATIC = _pool(lambda pool: pool.is_static)
OTHER = _pool(lambda pool: not pool.is_gpu)
SHARED = _pool(lambda pool: pool.is_partitioned or pool.label("nvidia.com/device-plugin.config") is not None)
GRAVITON = _pool(
    lambda pool: not isinstance(pool.types, Unknown) and any(_is_arm64(instance_type) for instance_type in pool.types)
)
WORKER = _pool(lambda pool: pool.is_gpu and not pool.is_chief and not pool.is_static)
CHIEF = _pool(lambda pool: pool.is_chief)
CUT = _pool(lambda pool: pool.is_partitioned)
PROTECTED = _pool(lambda pool: pool.is_protected)
PROTECTED_ELASTIC = _pool(lambda pool: pool.is_protected and not pool.is_static)


def _beside(part: str, value: str | Gone) -> Where:
    """The condition that another part of the field's entry has that value."""
    return lambda subject, path: at_path(subject.body, (*_entry(path), part)) == value


CLOSING = _beside("nodes", "0")
ALWAYS_ACTIVE = _beside("schedule", GONE)


def _entry(path: Path) -> Path:
    last = max(number for number, step in enumerate(path) if isinstance(step, int))
    if path[last - 1] == "values":
        last = max(number for number, step in enumerate(path[:last]) if isinstance(step, int))
    return path[: last + 1]


def _last_one(subject: Subject, path: Path) -> bool:
    listed = at_path(subject.body, path[:-1])
    return isinstance(listed, list) and len(listed) == 1


def _last_choice_of_spot(subject: Subject, path: Path) -> bool:
    """Whether a NodePool on spot would have too few types with one type less."""
    lines, key = at_path(subject.body, path[:-3]), at_path(subject.body, (*_entry(path), "key"))
    listed = at_path(subject.body, path[:-1])
    spot = isinstance(lines, list) and any("spot" in str(line) for line in lines)
    return spot and key == _TYPE_KEY and isinstance(listed, list) and len(listed) == 2


def _both(*conditions: Where) -> Where:
    return lambda subject, path: all(condition(subject, path) for condition in conditions)


def _standard_taint(subject: Subject, path: Path) -> bool:
    key = at_path(subject.body, (*_entry(path), "key"))
    return nodepool(subject).is_gpu and key in ("nvidia.com/gpu", "dedicated", "gpu.pool", "gpu.role")


def _twice(value: Plain | Gone) -> Plain:
    listed = list(value) if isinstance(value, list) else []
    return [*listed, *listed[:1]]


def _other(value: str, otherwise: str) -> Callable[[Plain | Gone], Plain]:
    return lambda present: otherwise if present == value else value


LABEL_ROWS = (
    row(NODE_POOL, f"{_LABELS}[gpu.*]", "gpu-labels-complete", REMOVED, TYPE),
    row(NODE_POOL, f"{_LABELS}[gpu.mig.profile]", "mig-agrees", VALUE, values=("7g.80gb", "1g.5gb.me"), where=CUT),
    row(NODE_POOL, f"{_LABELS}[gpu.model]", "gpu-labels-true", VALUE, values=("B200",)),
    row(NODE_POOL, f"{_LABELS}[gpu.mem]", "gpu-labels-true", VALUE, values=("180gb",)),
    row(NODE_POOL, f"{_LABELS}[gpu.pool]", "gpu-taints-present", VALUE, values=(_other("dev", "infer"),)),
    row(NODE_POOL, f"{_LABELS}[gpu.role]", "chief-static", VALUE, values=("chief",), where=WORKER),
    row(NODE_POOL, f"{_LABELS}[gpu.role]", "gpu-labels-fixed", VALUE, values=("worker",), where=CHIEF),
    row(NODE_POOL, f"{_LABELS}[gpu.*]", "gpu-labels-complete", VALUE),
    row(NODE_POOL, f"{_LABELS}[gpu.tier]", "gpu-labels-complete", VALUE, values=("gold",), where=GPU),
    row(NODE_POOL, f"{_LABELS}[nvidia.com/gpu.product]", "no-hand-set-gpu-labels", VALUE),
    row(NODE_POOL, f"{_LABELS}[nvidia.com/mig.config]", "mig-agrees", REMOVED, where=CUT),
    right(NODE_POOL, f"{_LABELS}[nvidia.com/mig.config]", "cards are whole where nothing is asked for", REMOVED),
    row(NODE_POOL, f"{_LABELS}[nvidia.com/mig.config]", "mig-agrees", VALUE, TYPE),
    row(NODE_POOL, f"{_LABELS}[nvidia.com/device-plugin.config]", "overlay-matches-pool", REMOVED),
    row(NODE_POOL, f"{_LABELS}[nvidia.com/device-plugin.config]", "sharing-config-exists", VALUE, TYPE),
    right(NODE_POOL, f"{_LABELS}[gpu-platform/efa]", "nodes without EFA's plugin offer no interfaces", REMOVED, VALUE),
    row(NODE_POOL, f"{_LABELS}[gpu-platform/efa]", Judge.API_SERVER, TYPE),
    row(NODE_POOL, _LABELS, "gpu-labels-complete", REMOVED, TYPE),
    row(NODE_POOL, "spec.template.metadata", "gpu-labels-complete", REMOVED, TYPE, VALUE, where=GPU),
    row(NODE_POOL, "spec.template.metadata", Judge.API_SERVER, VALUE),
)

NODE_POOL_ROWS = (
    row(NODE_POOL, "metadata.name", "overlay-matches-pool", VALUE, where=SHARED),
    right(NODE_POOL, "metadata.name", "a pool may be called anything that no overlay names", VALUE),
    row(NODE_POOL, "metadata.name", Judge.SCHEMA, REMOVED),
    row(NODE_POOL, "metadata.name", Judge.API_SERVER, TYPE),
    row(NODE_POOL, "spec.limits*", "nodepool-ceiling", REMOVED),
    row(NODE_POOL, "spec.limits", "nodepool-ceiling", TYPE),
    row(NODE_POOL, "spec.limits[nvidia.com/*]", "nodepool-ceiling", VALUE, TYPE, values=("0", "many"), where=GPU),
    row(NODE_POOL, "spec.limits.nodes", "nodepool-ceiling", VALUE, TYPE, values=("0", "1", "many"), where=STATIC),
    row(NODE_POOL, "spec.limits*", Judge.API_SERVER, VALUE, TYPE, where=OTHER),
    row(NODE_POOL, "spec.replicas", "chief-static", REMOVED, where=CHIEF),
    row(NODE_POOL, "spec.replicas", "nodepool-ceiling", VALUE, values=(999,), where=STATIC),
    row(NODE_POOL, "spec.replicas", "nodepool-ceiling", VALUE, values=(3,)),
    row(NODE_POOL, "spec.replicas", Judge.API_SERVER, TYPE),
    row(NODE_POOL, "spec.weight", "nodepool-weight", VALUE, values=(0, 101, 5), where=STATIC),
    row(NODE_POOL, "spec.weight", "nodepool-weight", VALUE, TYPE, values=(0, 101)),
    right(NODE_POOL, "spec.weight", "a pool without a weight is the last that is tried", REMOVED),
    row(NODE_POOL, "spec.disruption", "nodepool-disruption", REMOVED, TYPE),
    row(NODE_POOL, "spec.disruption.consolidateAfter", "nodepool-disruption"),
    row(
        NODE_POOL,
        "spec.disruption.consolidationPolicy",
        "protected-consolidation",
        REMOVED,
        TYPE,
        VALUE,
        values=("WhenEmptyOrUnderutilized", "wrong"),
        where=PROTECTED_ELASTIC,
    ),
    right(NODE_POOL, "spec.disruption.consolidationPolicy", "Karpenter's own choice will do elsewhere", REMOVED),
    row(NODE_POOL, "spec.disruption.consolidationPolicy", Judge.API_SERVER, VALUE, TYPE),
    row(NODE_POOL, "spec.disruption.budgets[].nodes", "nodepool-disruption", REMOVED, TYPE, VALUE, values=(1, "wrong")),
    row(NODE_POOL, "spec.disruption.budgets[].nodes", "drift-possible", VALUE, values=("0",), where=ALWAYS_ACTIVE),
    row(NODE_POOL, "spec.disruption.budgets[].schedule", "drift-possible", VALUE, values=("* * * * *",), where=CLOSING),
    row(NODE_POOL, "spec.disruption.budgets[].schedule", "nodepool-disruption"),
    row(NODE_POOL, "spec.disruption.budgets[].duration", "nodepool-disruption"),
    row(NODE_POOL, "spec.disruption.budgets[].reasons[]", "nodepool-disruption", VALUE, TYPE),
    right(NODE_POOL, "spec.disruption.budgets[].reasons*", "a budget without reasons is for all of them", REMOVED),
    row(NODE_POOL, "spec.disruption.budgets[].reasons", "nodepool-disruption", VALUE, values=(["wrong"],)),
    row(NODE_POOL, "spec.disruption.budgets[].reasons", Judge.API_SERVER, TYPE),
    row(
        NODE_POOL,
        f"{_SPEC}.expireAfter",
        "protected-expiry",
        REMOVED,
        TYPE,
        VALUE,
        values=("720h", "wrong"),
        where=PROTECTED,
    ),
    right(NODE_POOL, f"{_SPEC}.expireAfter", "Karpenter's 720h will do where nothing is protected", REMOVED),
    row(NODE_POOL, f"{_SPEC}.expireAfter", Judge.API_SERVER, VALUE, TYPE),
)

_SELECTS = _beside("key", _TYPE_KEY)
_OF_TYPES = _both(
    GPU, lambda subject, path: at_path(subject.body, (*_entry(path), "key")) in (_TYPE_KEY, *_ABOUT_TYPES)
)
REQUIREMENT_ROWS = (
    row(NODE_POOL, f"{_SPEC}.requirements", "gpu-labels-true", REMOVED, TYPE),
    row(
        NODE_POOL,
        f"{_SPEC}.requirements",
        "nodepool-one-architecture",
        VALUE,
        values=([{"key": _TYPE_KEY, "operator": "In", "values": ["m7i.large", "m7g.large"]}],),
        where=OTHER,
    ),
    row(NODE_POOL, f"{_SPEC}.requirements[].key", "gpu-labels-true", where=_SELECTS),
    row(NODE_POOL, f"{_SPEC}.requirements[].key", Judge.API_SERVER, REMOVED, TYPE),
    row(
        NODE_POOL,
        f"{_SPEC}.requirements[].key",
        "no-hand-set-gpu-labels",
        VALUE,
        values=("nvidia.com/gpu.present",),
        where=GPU,
    ),
    right(NODE_POOL, f"{_SPEC}.requirements[].key", "a pool may be narrowed by any label", VALUE),
    row(NODE_POOL, f"{_SPEC}.requirements[].operator", "gpu-labels-true", where=_OF_TYPES),
    row(NODE_POOL, f"{_SPEC}.requirements[].operator", Judge.API_SERVER),
    row(NODE_POOL, f"{_SPEC}.requirements[].values[]", "gpu-labels-true", VALUE, where=_OF_TYPES),
    row(NODE_POOL, f"{_SPEC}.requirements[].values[]", "gpu-labels-true", TYPE, where=_OF_TYPES),
    row(NODE_POOL, f"{_SPEC}.requirements[].values[]", "gpu-labels-true", REMOVED, where=_both(_OF_TYPES, _last_one)),
    row(NODE_POOL, f"{_SPEC}.requirements[].values[]", "spot-diverse", REMOVED, where=_last_choice_of_spot),
    right(NODE_POOL, f"{_SPEC}.requirements[].values[]", "a pool may be narrower", REMOVED),
    right(NODE_POOL, f"{_SPEC}.requirements[].values[]", "a pool may be narrowed by any value", VALUE),
    row(NODE_POOL, f"{_SPEC}.requirements[].values[]", Judge.API_SERVER, TYPE),
)

TAINT_ROWS = (
    row(NODE_POOL, f"{_SPEC}.taints", "gpu-taints-present", REMOVED, TYPE, where=GPU),
    row(NODE_POOL, f"{_SPEC}.taints", "taints-distinct", VALUE, values=(_twice,), where=GPU),
    row(NODE_POOL, f"{_SPEC}.taints", "graviton-tainted", REMOVED, TYPE, where=GRAVITON),
    row(NODE_POOL, f"{_SPEC}.taints", Judge.API_SERVER, VALUE, TYPE, where=OTHER),
    right(NODE_POOL, f"{_SPEC}.taints", "a pool without cards need not keep anybody off", REMOVED),
    row(NODE_POOL, f"{_SPEC}.taints[].key", "gpu-taints-present", where=_standard_taint),
    row(NODE_POOL, f"{_SPEC}.taints[].key", "operator-reaches-pools", where=GPU),
    row(NODE_POOL, f"{_SPEC}.taints[].key", "graviton-tainted", where=GRAVITON),
    right(NODE_POOL, f"{_SPEC}.taints[].key", "a pool without cards may keep off whom it likes", VALUE),
    row(NODE_POOL, f"{_SPEC}.taints[].key", Judge.API_SERVER, REMOVED, TYPE),
    row(NODE_POOL, f"{_SPEC}.taints[].effect", "gpu-taints-present", where=_standard_taint),
    row(NODE_POOL, f"{_SPEC}.taints[].effect", "graviton-tainted", where=GRAVITON),
    row(NODE_POOL, f"{_SPEC}.taints[].effect", Judge.API_SERVER),
    row(NODE_POOL, f"{_SPEC}.taints[].value", "gpu-taints-present", where=_standard_taint),
    row(NODE_POOL, f"{_SPEC}.taints[].value", "graviton-tainted", where=GRAVITON),
    row(NODE_POOL, f"{_SPEC}.taints[].value", Judge.API_SERVER, TYPE),
    right(NODE_POOL, f"{_SPEC}.taints[].value", "a taint of the pool's own may say anything", REMOVED, VALUE),
    row(
        NODE_POOL,
        f"{_SPEC}.startupTaints",
        "taints-distinct",
        VALUE,
        values=([{"key": "dedicated", "value": "x", "effect": "NoSchedule"}],),
        where=GPU,
    ),
    row(NODE_POOL, f"{_SPEC}.startupTaints", Judge.API_SERVER, VALUE, where=OTHER),
)

NODE_CLASS_ROWS = (
    row(NODE_CLASS, "spec.amiSelectorTerms[].alias", "image-pinned", VALUE, TYPE, values=("al2023@latest", "al2023")),
    row(NODE_CLASS, "spec.amiSelectorTerms[].alias", Judge.API_SERVER, REMOVED),
    row(NODE_CLASS, "spec.amiSelectorTerms[].ssmParameter", "image-pinned", VALUE, values=("/aws/x/recommended/id",)),
    row(NODE_CLASS, "spec.amiSelectorTerms[].name", "image-pinned", VALUE, values=("amazon-eks-*",)),
    row(NODE_CLASS, "spec.amiSelectorTerms[].*", Judge.API_SERVER, TYPE),
    row(NODE_CLASS, "spec.associatePublicIPAddress", "node-without-public-address", VALUE, TYPE, values=(True,)),
    row(NODE_CLASS, "spec.blockDeviceMappings", "node-volumes-encrypted", REMOVED, TYPE),
    row(NODE_CLASS, "spec.blockDeviceMappings[].ebs.encrypted", "node-volumes-encrypted", REMOVED, TYPE),
    row(NODE_CLASS, "spec.blockDeviceMappings[].ebs.encrypted", "node-volumes-encrypted", VALUE, values=(False,)),
    row(NODE_CLASS, "spec.metadataOptions", "node-metadata-hops", REMOVED, TYPE),
    row(NODE_CLASS, "spec.metadataOptions.httpPutResponseHopLimit", "node-metadata-hops", REMOVED, TYPE),
    row(NODE_CLASS, "spec.metadataOptions.httpPutResponseHopLimit", "node-metadata-hops", VALUE, values=(2, True)),
    row(NODE_CLASS, "spec.metadataOptions.httpTokens", "node-metadata-tokens", REMOVED, TYPE),
    row(NODE_CLASS, "spec.metadataOptions.httpTokens", "node-metadata-tokens", VALUE, values=("optional",)),
)

OVERLAY_ROWS = (
    row(NODE_OVERLAY, "spec.capacity", "overlay-matches-pool", REMOVED, TYPE),
    row(NODE_OVERLAY, "spec.capacity[nvidia.com/mig-*]", "overlay-matches-pool", REMOVED, VALUE, values=("1",)),
    row(NODE_OVERLAY, "spec.capacity[nvidia.com/*]", "overlay-capacity", TYPE),
    row(NODE_OVERLAY, "spec.capacity[nvidia.com/*]", "overlay-capacity", VALUE, values=("many",)),
    row(
        NODE_OVERLAY,
        "spec.capacity[nvidia.com/gpu]",
        "overlay-capacity",
        REMOVED,
        where=lambda subject, path: at_path(subject.body, path) == "0",
    ),
    row(NODE_OVERLAY, "spec.capacity[nvidia.com/gpu]", "overlay-matches-pool", REMOVED),
    row(NODE_OVERLAY, "spec.requirements", "overlay-scoped", REMOVED, TYPE),
    row(NODE_OVERLAY, "spec.requirements[].key", "overlay-scoped"),
    row(NODE_OVERLAY, "spec.requirements[].operator", "overlay-scoped"),
    row(NODE_OVERLAY, "spec.requirements[].values", "overlay-scoped", REMOVED, TYPE),
    row(NODE_OVERLAY, "spec.requirements[].values[]", "overlay-scoped", REMOVED),
    row(NODE_OVERLAY, "spec.requirements[].values[]", "overlay-matches-pool", VALUE, TYPE),
)

NODE_GROUP_ROWS = (
    right(NODE_GROUP, "labels[node-role]", "a group without cards may carry any label"),
    row(NODE_GROUP, "labels[gpu.vendor]", "node-group-standard", VALUE, TYPE),
    row(NODE_GROUP, "labels[nvidia.com/gpu.count]", "no-hand-set-gpu-labels", VALUE),
    row(NODE_GROUP, "labels", Judge.SCHEMA, TYPE),
    right(NODE_GROUP, "labels", "a group without cards needs no labels", REMOVED),
    row(NODE_GROUP, "amiType", "node-group-standard", VALUE, values=("AL2023_x86_64_NVIDIA",)),
    row(NODE_GROUP, "amiType", Judge.SCHEMA, TYPE),
    right(NODE_GROUP, "amiType", "EKS's own image has no driver", REMOVED),
)


def _other_layout(value: Plain | Gone) -> Plain:
    return str(value).replace("mig-devices", "mig-device")


def _impossible(value: Plain | Gone) -> Plain:
    return (
        str(value)
        .replace("3g.40gb: 2", "3g.40gb: 4")
        .replace("1g.10gb: 7", "1g.10gb: 9")
        .replace("1g.5gb: 7", "1g.5gb: 9")
    )


NODE_ROWS = (row(NODE, "metadata.labels*", "node-labels-fixed"),)


def _is_layouts(subject: Subject, path: Path) -> bool:
    return "mig-configs" in str(at_path(subject.body, path))


CONFIG_MAP_ROWS = (
    row(CONFIG_MAP, "data[*]", "sharing-config-exists", REMOVED, TYPE, where=_is_layouts),
    row(CONFIG_MAP, "data[*]", "sharing-config-exists", VALUE, values=("wrong", _other_layout), where=_is_layouts),
    row(CONFIG_MAP, "data[*]", "mig-layout-legal", VALUE, values=(_impossible,), where=_is_layouts),
    row(CONFIG_MAP, "data[time-slicing-*]", "sharing-config-exists", REMOVED, TYPE),
    row(CONFIG_MAP, "data[mps-*]", "sharing-config-exists", REMOVED, TYPE),
    row(CONFIG_MAP, "data[time-slicing-*]", "sharing-config-exists", VALUE),
    row(CONFIG_MAP, "data[mps-*]", "sharing-config-exists", VALUE),
    row(
        CONFIG_MAP,
        "data[time-slicing-*]",
        "overlay-matches-pool",
        VALUE,
        values=(lambda value: str(value).replace("replicas: 4", "replicas: 5"),),
    ),
    right(CONFIG_MAP, "data*", "text that is no configuration of the operator's", REMOVED, VALUE),
    row(CONFIG_MAP, "data*", Judge.API_SERVER, TYPE),
)

ROWS: tuple[Row, ...] = (
    *LABEL_ROWS,
    *NODE_POOL_ROWS,
    *REQUIREMENT_ROWS,
    *TAINT_ROWS,
    *NODE_CLASS_ROWS,
    *OVERLAY_ROWS,
    *NODE_GROUP_ROWS,
    *NODE_ROWS,
    *CONFIG_MAP_ROWS,
)
