"""The GPU Operator's values: nothing twice, nothing shared by default, operands on every GPU node (G2, G4, G5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels
from gpuplatform.standard.taints import DEDICATED_KEY
from policies.cel import CHART
from policies.kinds import NODE_POOL, RELEASE
from policies.nodepool import HOLDING, SeenTaint, nodepool
from policies.rule import Rule, Severity, StackRule
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, items, quoted, text

_CHART = re.compile(r"(^|/)gpu-operator([-:]v?\d[^/]*)?$")
"""The chart by name, as an OCI address or as an archive."""
_TOLERATIONS = (("daemonsets", "tolerations"), ("node-feature-discovery", "worker", "tolerations"))
"""The operands' list, which replaces the chart's, and the subchart's own: miss it and no operand is ever placed."""
_STRATEGY = "DEVICE_LIST_STRATEGY"
_BY_CDI = {"cdi-annotations", "cdi-cri"}
"""The plugin's ways to name cards that no container can write itself (NVIDIA/k8s-device-plugin v0.20.0,
api/config/v1/consts.go)."""
_COMMON_KEYS = (keys.GPU_TAINT, DEDICATED_KEY, labels.PURPOSE.key)


def _values(subject: Subject) -> Plain:
    """The operator's values; UNKNOWN where the release is another chart's, of which nothing is asked."""
    chart = text(at(subject.body, "chart"))
    values = at(subject.body, "values")
    return values if isinstance(chart, str) and _CHART.search(chart) else UNKNOWN


def _nothing_installed(subject: Subject) -> Iterable[Fault]:
    values = _values(subject)
    return [
        Fault(
            f"values.{part}.enabled",
            quoted(given),
            f"false: the nodes' image holds the {part}, and a second one breaks the first",
            f"set {part}.enabled: false",
        )
        for part in ("driver", "toolkit")
        if (given := at(values, part, "enabled")) is not UNKNOWN and given is not False
    ]


def _mixed(subject: Subject) -> Iterable[Fault]:
    strategy = at(_values(subject), "mig", "strategy")
    if strategy in ("mixed", UNKNOWN):
        return []
    allowed = "mixed: slices then have names of their own, and a node offers them only once it is cut"
    return [Fault("values.mig.strategy", quoted(strategy), allowed, "set mig.strategy: mixed")]


def _no_default(subject: Subject) -> Iterable[Fault]:
    default = at(_values(subject), "devicePlugin", "config", "default")
    if default in (None, "", UNKNOWN):
        return []
    allowed = f"no default: with one every GPU node shares its cards; the label {keys.DEVICE_PLUGIN_CONFIG} chooses"
    return [Fault("values.devicePlugin.config.default", quoted(default), allowed, "remove the default")]


def _by_request(subject: Subject) -> Iterable[Fault]:
    """By CDI the runtime is told a container's cards by the kubelet, and sets its variable to ``void``.

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
        allowed = "true, the chart's default: without it a container's cards are whatever its variable names"
        faults.append(Fault("values.cdi.enabled", quoted(enabled), allowed, "set cdi.enabled: true"))
    variables = items(at(values, "devicePlugin", "env"))
    for number, variable in enumerate(() if isinstance(variables, Unknown) else variables):
        strategy = text(at(variable, "value"))
        if at(variable, "name") != _STRATEGY or strategy is UNKNOWN:
            continue
        if not {part.strip() for part in str(strategy).split(",")} <= _BY_CDI:
            path, allowed = f"values.devicePlugin.env[{number}].value", f"none but {', '.join(sorted(_BY_CDI))}"
            faults.append(Fault(path, quoted(strategy), allowed, f"remove {_STRATEGY}: the operator sets both"))
    return faults


def _tolerates(subject: Subject) -> Iterable[Fault]:
    values = _values(subject)
    faults: list[Fault] = []
    for path in _TOLERATIONS:
        listed = items(at(values, *path))
        if isinstance(listed, Unknown) or UNKNOWN in listed:
            continue
        answered = [text(at(each, "key")) for each in listed]
        if UNKNOWN in answered or None in answered:
            continue
        faults += [
            _untolerated(path, key, f"no toleration for the taint {key}") for key in _COMMON_KEYS if key not in answered
        ]
    return faults


def _reaches_pools(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    pools = [nodepool(each) for each in subjects if each.is_a(NODE_POOL)]
    given = [taint for pool in pools if pool.is_gpu and not isinstance(pool.taints, Unknown) for taint in pool.taints]
    taints = [taint for taint in dict.fromkeys(given) if taint.is_known and taint.effect in HOLDING]
    for subject in subjects:
        values = _values(subject) if subject.is_a(RELEASE) else UNKNOWN
        for path in _TOLERATIONS:
            listed = items(at(values, *path))
            if isinstance(listed, Unknown) or UNKNOWN in listed:
                continue
            for taint in taints:
                if not any(_answers(each, taint) for each in listed):
                    yield subject, _untolerated(path, str(taint.key), f"no toleration that answers {taint}")


def _answers(toleration: Plain, taint: SeenTaint) -> bool:
    """Whether a toleration answers a taint, as the scheduler reads them; what is unknown may."""
    key, operator, value, effect = (text(at(toleration, part)) for part in ("key", "operator", "value", "effect"))
    if UNKNOWN in (key, operator, value, effect):
        return True
    same_key = key == taint.key or (key is None and operator == "Exists")
    same_value = operator == "Exists" or (value or "") == (taint.value or "")
    return same_key and same_value and effect in (None, "", taint.effect)


def _untolerated(path: tuple[str, ...], key: str, given: str) -> Fault:
    where = ".".join(("values", *path))
    allowed = "a toleration for every taint of a GPU node: an operand that cannot land leaves the cards unusable"
    return Fault(f"{where}[{key}]", given, allowed, f"add {{key: {key}, operator: Exists}} to {where}")


OPERATOR_INSTALLS_NOTHING = Rule(
    name="operator-installs-nothing",
    description="The GPU Operator installs neither driver nor toolkit on images that hold both.",
    severity=Severity.CRITICAL,
    remediation="Set driver.enabled and toolkit.enabled to false.",
    kinds=(RELEASE,),
    judge=_nothing_installed,
    admission=CHART,
)

OPERATOR_MIG_MIXED = Rule(
    name="operator-mig-mixed",
    description="The GPU Operator names slices by their profile.",
    severity=Severity.HIGH,
    remediation="Set mig.strategy to mixed.",
    kinds=(RELEASE,),
    judge=_mixed,
    admission=CHART,
)

OPERATOR_SHARES_NOTHING_BY_DEFAULT = Rule(
    name="operator-shares-nothing-by-default",
    description="No card is shared unless its pool asks for it.",
    severity=Severity.CRITICAL,
    remediation=f"Leave devicePlugin.config.default empty; the pool's label {keys.DEVICE_PLUGIN_CONFIG} chooses.",
    kinds=(RELEASE,),
    judge=_no_default,
    admission=CHART,
)

OPERATOR_CARDS_BY_REQUEST = Rule(
    name="operator-cards-by-request",
    description="The device plugin hands cards out by CDI, so that no container names its own.",
    severity=Severity.CRITICAL,
    remediation=f"Set cdi.enabled to true and remove {_STRATEGY} from devicePlugin.env.",
    kinds=(RELEASE,),
    judge=_by_request,
    admission=CHART,
)

OPERATOR_TOLERATES_STANDARD = Rule(
    name="operator-tolerates-standard",
    description="The operands and node feature discovery tolerate the standard's taints.",
    severity=Severity.CRITICAL,
    remediation="Add the tolerations to daemonsets.tolerations and to node-feature-discovery.worker.tolerations.",
    kinds=(RELEASE,),
    judge=_tolerates,
    admission=CHART,
)

OPERATOR_REACHES_POOLS = StackRule(
    name="operator-reaches-pools",
    description="The operands and node feature discovery tolerate every taint of the stack's GPU NodePools.",
    severity=Severity.CRITICAL,
    remediation="Add a toleration for each taint that a GPU NodePool declares, to both lists.",
    kinds=(RELEASE, NODE_POOL),
    judge=_reaches_pools,
)

RULES = (
    OPERATOR_INSTALLS_NOTHING,
    OPERATOR_MIG_MIXED,
    OPERATOR_SHARES_NOTHING_BY_DEFAULT,
    OPERATOR_CARDS_BY_REQUEST,
    OPERATOR_TOLERATES_STANDARD,
)
STACK_RULES = (OPERATOR_REACHES_POOLS,)
