"""The GPU Operator: its chart values, its ClusterPolicy, and the ServiceMonitor of its exporter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels
from gpuplatform.standard.taints import DEDICATED_KEY
from policies.cel import CHART, PLATFORMS_OWN
from policies.nodepool import BLOCKING_EFFECTS, WrittenTaint, nodepool
from policies.rule import Rule, Severity, StackRule
from policies.subject import (
    NODE_POOL,
    RELEASE,
    UNKNOWN,
    Kind,
    Plain,
    Subject,
    Unknown,
    at,
    items,
    items_at,
    known_items,
    mapping_at,
    quoted,
    text,
)

CLUSTER_POLICY = Kind("nvidia.com", "ClusterPolicy")
SERVICE_MONITOR = Kind("monitoring.coreos.com", "ServiceMonitor")

_CLUSTER_POLICY_NAME = "cluster-policy"
"""The chart's (NVIDIA/gpu-operator v26.7.0 deployments/gpu-operator/templates/clusterpolicy.yaml)."""
_EXPORTER = "nvidia-dcgm-exporter"
_EXPORTER_PORT = "gpu-metrics"
"""App label and port of the exporter's Service (NVIDIA/gpu-operator v26.7.0 assets/state-dcgm-exporter)."""

_CHART = re.compile(r"(^|/)gpu-operator([-:]v?\d[^/]*)?$")
"""The chart by name, as an OCI address or as an archive."""
_TOLERATIONS = (("daemonsets", "tolerations"), ("node-feature-discovery", "worker", "tolerations"))
"""The operands' tolerations, which replace the chart's, and the subchart's: without the latter no operand is placed."""
_STRATEGY = "DEVICE_LIST_STRATEGY"
_BY_CDI = {"cdi-annotations", "cdi-cri"}
"""The plugin's ways to name cards that no container can write itself (NVIDIA/k8s-device-plugin v0.20.0,
api/config/v1/consts.go)."""
_COMMON_KEYS = (keys.GPU_TAINT, DEDICATED_KEY, labels.PURPOSE.key)


def _values(subject: Subject) -> Plain:
    """The operator's values; UNKNOWN if the release is of another chart, which these rules do not judge."""
    chart = text(at(subject.body, "chart"))
    values = at(subject.body, "values")
    return values if isinstance(chart, str) and _CHART.search(chart) else UNKNOWN


def _second_installations(subject: Subject) -> Iterable[Fault]:
    values = _values(subject)
    return [
        Fault(
            f"values.{part}.enabled",
            quoted(enabled),
            f"false: the nodes' image holds the {part}, and a second one breaks the first",
            f"set {part}.enabled: false",
        )
        for part in ("driver", "toolkit")
        if (enabled := at(values, part, "enabled")) is not UNKNOWN and enabled is not False
    ]


def _mig_strategy(subject: Subject) -> Iterable[Fault]:
    strategy = at(_values(subject), "mig", "strategy")
    if strategy in ("mixed", UNKNOWN):
        return []
    allowed = "mixed: each profile then has its own resource, which a node offers only after its cards are cut"
    return [Fault("values.mig.strategy", quoted(strategy), allowed, "set mig.strategy: mixed")]


def _default_sharing(subject: Subject) -> Iterable[Fault]:
    default = at(_values(subject), "devicePlugin", "config", "default")
    if default in (None, "", UNKNOWN):
        return []
    allowed = f"no default: with one every GPU node shares its cards; the label {keys.DEVICE_PLUGIN_CONFIG} chooses"
    return [Fault("values.devicePlugin.config.default", quoted(default), allowed, "remove the default")]


def _device_list_strategy(subject: Subject) -> Iterable[Fault]:
    """With CDI the kubelet tells the runtime a container's cards, and the runtime sets its variable to ``void``.

    ``cdi.enabled`` makes the plugin's strategy ``cdi-annotations,cdi-cri`` (NVIDIA/gpu-operator v26.7.0,
    controllers/object_controls.go: transformDevicePluginCtrForCDI), and ``devicePlugin.env`` has the last word after
    it. With ``envvar`` nodes would have to obey the variable of any container, and with ``volume-mounts`` a mount.
    Slices, time-slicing and MPS are handed out the same way (NVIDIA/k8s-device-plugin v0.20.0,
    internal/plugin/server.go: getAllocateResponse; pkg/nvcdi/wrapper.go of its toolkit v1.20.0 writes ``void``).
    """
    values = _values(subject)
    faults: list[Fault] = []
    enabled = at(values, "cdi", "enabled")
    if enabled not in (None, True, UNKNOWN):
        allowed = "true, the chart's default: without it a container has the cards that its variable names"
        faults.append(Fault("values.cdi.enabled", quoted(enabled), allowed, "set cdi.enabled: true"))
    for number, variable in enumerate(known_items(at(values, "devicePlugin", "env"))):
        strategy = text(at(variable, "value"))
        if at(variable, "name") != _STRATEGY or strategy is UNKNOWN:
            continue
        if not {part.strip() for part in str(strategy).split(",")} <= _BY_CDI:
            path, allowed = f"values.devicePlugin.env[{number}].value", f"only {', '.join(sorted(_BY_CDI))}"
            faults.append(Fault(path, quoted(strategy), allowed, f"remove {_STRATEGY}: the operator sets both"))
    return faults


def _missing_standard_tolerations(subject: Subject) -> Iterable[Fault]:
    values = _values(subject)
    faults: list[Fault] = []
    for path in _TOLERATIONS:
        tolerations = items(at(values, *path))
        if isinstance(tolerations, Unknown) or UNKNOWN in tolerations:
            continue
        tolerated_keys = [text(at(toleration, "key")) for toleration in tolerations]
        if UNKNOWN in tolerated_keys or None in tolerated_keys:
            continue
        faults += [
            _toleration_fault(path, key, f"no toleration of the taint {key}")
            for key in _COMMON_KEYS
            if key not in tolerated_keys
        ]
    return faults


def _missing_pool_tolerations(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    pools = [nodepool(subject) for subject in subjects if subject.is_a(NODE_POOL)]
    pool_taints = [
        taint for pool in pools if pool.is_gpu and not isinstance(pool.taints, Unknown) for taint in pool.taints
    ]
    taints = [taint for taint in dict.fromkeys(pool_taints) if taint.is_known and taint.effect in BLOCKING_EFFECTS]
    for subject in subjects:
        values = _values(subject) if subject.is_a(RELEASE) else UNKNOWN
        for path in _TOLERATIONS:
            tolerations = items(at(values, *path))
            if isinstance(tolerations, Unknown) or UNKNOWN in tolerations:
                continue
            for taint in taints:
                if not any(_matches(toleration, taint) for toleration in tolerations):
                    yield subject, _toleration_fault(path, str(taint.key), f"no toleration of the taint {taint}")


def _matches(toleration: Plain, taint: WrittenTaint) -> bool:
    """Whether a toleration answers a taint, as the scheduler decides it; an unknown toleration may."""
    key, operator, value, effect = (text(at(toleration, part)) for part in ("key", "operator", "value", "effect"))
    if UNKNOWN in (key, operator, value, effect):
        return True
    same_key = key == taint.key or (key is None and operator == "Exists")
    same_value = operator == "Exists" or (value or "") == (taint.value or "")
    return same_key and same_value and effect in (None, "", taint.effect)


def _toleration_fault(path: tuple[str, ...], key: str, given: str) -> Fault:
    where = ".".join(("values", *path))
    allowed = "a toleration for every taint of a GPU node: an operand that cannot land leaves the cards unusable"
    return Fault(f"{where}[{key}]", given, allowed, f"add {{key: {key}, operator: Exists}} to {where}")


def _second_cluster_policy(subject: Subject) -> Iterable[Fault]:
    name = subject.known_name
    if name is None or name == _CLUSTER_POLICY_NAME:
        return []
    allowed = f"{_CLUSTER_POLICY_NAME}, the one that the chart makes: the operator obeys one and ignores every other"
    return [Fault("metadata.name", quoted(name), allowed, f"change {_CLUSTER_POLICY_NAME}, or the chart's values")]


def _scrape_ports(subject: Subject) -> Iterable[Fault]:
    selector = mapping_at(subject, "spec", "selector", "matchLabels")
    endpoints = items_at(subject, "spec", "endpoints")
    if isinstance(selector, Unknown) or isinstance(endpoints, Unknown) or selector.get("app") != _EXPORTER:
        return []
    return [
        Fault(
            f"spec.endpoints[{number}].port",
            quoted(port),
            f"{_EXPORTER_PORT}, the port of the Service {_EXPORTER}: by another name nothing is scraped",
            f"set port: {_EXPORTER_PORT}",
        )
        for number, endpoint in enumerate(endpoints)
        if (port := at(endpoint, "port")) not in (None, _EXPORTER_PORT, UNKNOWN)
    ]


OPERATOR_INSTALLS_NOTHING = Rule(
    name="operator-installs-nothing",
    description="The GPU Operator installs neither driver nor toolkit on images that hold both.",
    severity=Severity.CRITICAL,
    remediation="Set driver.enabled and toolkit.enabled to false.",
    kinds=(RELEASE,),
    judge=_second_installations,
    admission=CHART,
)

OPERATOR_MIG_MIXED = Rule(
    name="operator-mig-mixed",
    description="The GPU Operator names slices by their profile.",
    severity=Severity.HIGH,
    remediation="Set mig.strategy to mixed.",
    kinds=(RELEASE,),
    judge=_mig_strategy,
    admission=CHART,
)

OPERATOR_SHARES_NOTHING_BY_DEFAULT = Rule(
    name="operator-shares-nothing-by-default",
    description="No card is shared unless its pool asks for it.",
    severity=Severity.CRITICAL,
    remediation=f"Leave devicePlugin.config.default empty; the pool's label {keys.DEVICE_PLUGIN_CONFIG} chooses.",
    kinds=(RELEASE,),
    judge=_default_sharing,
    admission=CHART,
)

OPERATOR_CARDS_BY_REQUEST = Rule(
    name="operator-cards-by-request",
    description="The device plugin hands cards out by CDI, so that no container names its own.",
    severity=Severity.CRITICAL,
    remediation=f"Set cdi.enabled to true and remove {_STRATEGY} from devicePlugin.env.",
    kinds=(RELEASE,),
    judge=_device_list_strategy,
    admission=CHART,
)

OPERATOR_TOLERATES_STANDARD = Rule(
    name="operator-tolerates-standard",
    description="The operands and node feature discovery tolerate the standard's taints.",
    severity=Severity.CRITICAL,
    remediation="Add the tolerations to daemonsets.tolerations and to node-feature-discovery.worker.tolerations.",
    kinds=(RELEASE,),
    judge=_missing_standard_tolerations,
    admission=CHART,
)

OPERATOR_REACHES_POOLS = StackRule(
    name="operator-reaches-pools",
    description="The operands and node feature discovery tolerate every taint of the stack's GPU NodePools.",
    severity=Severity.CRITICAL,
    remediation="Add a toleration for each taint that a GPU NodePool declares, to both lists.",
    kinds=(RELEASE, NODE_POOL),
    judge=_missing_pool_tolerations,
)

CLUSTER_POLICY_NAMED = Rule(
    name="cluster-policy-named",
    description="The GPU Operator's ClusterPolicy is the chart's own.",
    severity=Severity.MEDIUM,
    remediation=f"Name it {_CLUSTER_POLICY_NAME}, or give the same through the chart's values.",
    kinds=(CLUSTER_POLICY,),
    judge=_second_cluster_policy,
    admission=PLATFORMS_OWN,
)

EXPORTER_SCRAPED = Rule(
    name="exporter-scraped",
    description="A ServiceMonitor of the card metrics names the port that their Service has.",
    severity=Severity.MEDIUM,
    remediation=f"Set the endpoint's port to {_EXPORTER_PORT}.",
    kinds=(SERVICE_MONITOR,),
    judge=_scrape_ports,
    admission=PLATFORMS_OWN,
)

RULES = (
    OPERATOR_INSTALLS_NOTHING,
    OPERATOR_MIG_MIXED,
    OPERATOR_SHARES_NOTHING_BY_DEFAULT,
    OPERATOR_CARDS_BY_REQUEST,
    OPERATOR_TOLERATES_STANDARD,
    CLUSTER_POLICY_NAMED,
    EXPORTER_SCRAPED,
)
STACK_RULES = (OPERATOR_REACHES_POOLS,)
