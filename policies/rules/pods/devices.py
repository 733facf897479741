"""Cards taken by an environment variable, which NVIDIA's runtime reads, instead of by a request.

The node image has the NVIDIA runtime as containerd's default (awslabs/amazon-eks-ami 81fec2e8,
nodeadm/internal/containerd/runtime_config_nvidia.go), so every container of a GPU node is read, whatever it asks for.
What the runtime makes of the two variables is in NVIDIA/nvidia-container-toolkit v1.19.1, the image's, and is the same
in v1.20.0, the GPU Operator's:

- ``NVIDIA_VISIBLE_DEVICES`` gives the cards that it lists, and ``all`` gives every card of the node, without a request.
  Empty, ``void`` and ``none`` give no card (internal/config/image/devices.go). ``void`` among others would do so too;
  here a list is refused whole.
- ``NVIDIA_DRIVER_CAPABILITIES`` gives no card. With ``all`` in the list the runtime adds display and graphics
  (internal/config/image/capabilities.go), which a legacy runtime answers with device files of the host
  (internal/modifier/graphics.go). Every other list names what it means, and ``compute,utility`` is the default.

An image can set the variables too, as CUDA images do. No manifest shows that; the nodes' own configuration closes it
(``gpuplatform/render/bring_up/runtime.py``).
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import Cel, every, literal
from policies.pod import container_bodies
from policies.rule import Rule, Severity
from policies.subject import (
    CONFIG_MAP,
    SECRET,
    UNKNOWN,
    Plain,
    Subject,
    Unknown,
    at,
    known_items,
    mapping,
    quoted,
    text,
)
from policies.workloads import WORKLOAD_KINDS, is_platforms, pod_templates

DEVICES = "NVIDIA_VISIBLE_DEVICES"
CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES"
_NAMES = (DEVICES, CAPABILITIES)
_NO_CARD = ("", "void", "none")
_EVERYTHING = "all"
_ALLOWED = {
    DEVICES: "no card by this variable (empty, void or none): it takes cards that no quota counts and no pod requests",
    CAPABILITIES: f"what the container needs, such as compute,utility: {_EVERYTHING} adds display and graphics",
}
_CHANGE = {
    DEVICES: "remove it, and ask for cards in resources.limits",
    CAPABILITIES: "name what is needed, or remove it: the default is compute,utility",
}
_ENVIRONMENT_FIELDS = ("data", "stringData")
"""What ``envFrom`` reads of a ConfigMap is ``data``, and of a Secret the two together (k8s.io/kubernetes v1.35.4,
pkg/kubelet/kubelet_pods.go; ``stringData`` becomes ``data`` when it is written)."""


def _pod_environments(subject: Subject) -> Iterable[Fault]:
    if is_platforms(subject):
        return []
    return [
        fault
        for pod in pod_templates(subject)
        for path, container in container_bodies(pod)
        for fault in (*_variable_faults(path, container), *_prefix_faults(path, container))
    ]


def _variable_faults(path: str, container: Plain) -> list[Fault]:
    """Some variables may be unknown; the known ones are judged."""
    faults: list[Fault] = []
    for number, variable in enumerate(known_items(at(container, "env"))):
        name, value, source = (at(variable, part) for part in ("name", "value", "valueFrom"))
        where = f"{path}.env[{number}]"
        if not isinstance(name, str) or name not in _ALLOWED or UNKNOWN in (value, source):
            continue
        if source is not None:
            allowed = "a value in the pod itself, which can be read before the pod starts"
            faults.append(Fault(f"{where}.valueFrom", f"{name} from another object", allowed, _CHANGE[name]))
        elif not _is_harmless(name, str(text(value) or "")):
            faults.append(Fault(f"{where}.value", f"{name}={quoted(value)}", _ALLOWED[name], _CHANGE[name]))
    return faults


def _is_harmless(name: str, value: str) -> bool:
    if name == DEVICES:
        return value in _NO_CARD
    return _EVERYTHING not in [part.strip() for part in value.split(",")]


def _prefix_faults(path: str, container: Plain) -> list[Fault]:
    """A prefix and a key can make the name together, and the key is in an object that the pod does not show."""
    return [
        Fault(
            f"{path}.envFrom[{number}].prefix",
            quoted(prefix),
            f"a prefix that begins none of {', '.join(_NAMES)}: with a key it could form the name",
            "choose another prefix, or leave it out",
        )
        for number, source in enumerate(known_items(at(container, "envFrom")))
        if isinstance(prefix := at(source, "prefix"), str)
        and prefix
        and any(name.startswith(prefix) for name in _NAMES)
    ]


def _environment_keys(subject: Subject) -> Iterable[Fault]:
    if is_platforms(subject):
        return []
    return [
        Fault(
            f"{part}[{name}]",
            f"the key {name}",
            "no such key: a pod that reads the whole object by envFrom would have the variable, unseen in its spec",
            f"remove it, and write {name} in the pod's env where it is needed",
        )
        for part in (_ENVIRONMENT_FIELDS if subject.is_a(SECRET) else _ENVIRONMENT_FIELDS[:1])
        if not isinstance(data := mapping(subject.body.get(part)), Unknown)
        for name in _NAMES
        if name in data
    ]


_VALUE_IN_CLUSTER = 'e.?value.orValue("")'
_PODS_IN_CLUSTER = (
    "variables.containers.all(c, "
    + every(
        f"c.?env.orValue([]).all(e, !(e.name in {literal(_NAMES)}) || !has(e.valueFrom)"
        f" && (e.name == {literal(DEVICES)} ? {_VALUE_IN_CLUSTER} in {literal(_NO_CARD)}"
        f' : !{_VALUE_IN_CLUSTER}.split(",").exists(v, v.trim() == {literal(_EVERYTHING)})))',
        f'c.?envFrom.orValue([]).all(f, f.?prefix.orValue("") == ""'
        f" || !{literal(_NAMES)}.exists(n, n.startsWith(f.prefix)))",
    )
    + ")"
)

POD_CARDS_BY_REQUEST = Rule(
    name="pod-cards-by-request",
    description=f"A pod has the cards that it asks for, and none by {DEVICES}; it names its driver capabilities.",
    severity=Severity.CRITICAL,
    remediation="Remove the variable and ask for cards in resources.limits; instead of all name the capabilities.",
    kinds=WORKLOAD_KINDS,
    judge=_pod_environments,
    admission=Cel(_PODS_IN_CLUSTER),
)

ENVIRONMENT_WITHOUT_CARDS = Rule(
    name="environment-without-cards",
    description=f"No ConfigMap or Secret of a team holds {DEVICES} or {CAPABILITIES}, which envFrom would hide.",
    severity=Severity.CRITICAL,
    remediation="Remove the key; write the variable in the pod's env, where it is judged.",
    kinds=(CONFIG_MAP, SECRET),
    judge=_environment_keys,
    admission=Cel(f"!{literal(_NAMES)}.exists(n, n in object.?data.orValue({{}}))"),
)

RULES = (POD_CARDS_BY_REQUEST, ENVIRONMENT_WITHOUT_CARDS)
