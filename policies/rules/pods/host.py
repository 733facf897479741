"""A team's pod uses no files, processes, network or privileges of its node.

Pod Security refuses each of these where a namespace enforces ``baseline`` or ``restricted``, as every team's does
(k8s.io/pod-security-admission v0.35.4, policy/check_hostPathVolumes.go, check_hostNamespaces.go, check_privileged.go,
check_capabilities_baseline.go). It refuses only the pod, when the controller creates it: a Deployment or a Job is
accepted with a warning, and starts no pod. These rules report it earlier, and also if a namespace has lost its level.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import Cel, every, literal
from policies.pod import container_bodies
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Plain, Subject, at, known_items, quoted, text
from policies.workloads import WORKLOAD_KINDS, PodTemplate, is_platforms, pod_templates

_HOST_NAMESPACES = {
    "hostNetwork": "the pod's own: on the node's network no NetworkPolicy applies, and pods can take the node's role",
    "hostPID": "the pod's own processes: otherwise it sees the processes of every pod on the node",
    "hostIPC": "the pod's own shared memory: otherwise it sees the shared memory of every pod on the node",
}
_CAPABILITIES = ("SYS_ADMIN", "CAP_SYS_ADMIN", "ALL")
"""Capabilities that make a container privileged to NVIDIA's runtime, which then obeys the container's variables even
if the node's configuration forbids it (NVIDIA/nvidia-container-toolkit v1.19.1,
internal/config/image/privileged.go: CAP_SYS_ADMIN)."""


def _host_access(subject: Subject) -> Iterable[Fault]:
    if is_platforms(subject):
        return []
    return [fault for pod in pod_templates(subject) for fault in (*_host_namespaces(pod), *_host_paths(pod))]


def _host_namespaces(pod: PodTemplate) -> list[Fault]:
    return [
        Fault(f"{pod.spec_path}.{field}", quoted(value), allowed, f"remove {field}")
        for field, allowed in _HOST_NAMESPACES.items()
        if (value := pod.spec.get(field)) not in (None, False, UNKNOWN)
    ]


def _host_paths(pod: PodTemplate) -> list[Fault]:
    return [
        Fault(
            f"{pod.spec_path}.volumes[{number}].hostPath",
            quoted(text(at(path, "path"))),
            "no path of the node: /dev gives access to every card, and other paths to the node itself",
            "use emptyDir (medium: Memory for /dev/shm) or a claim; ask for cards in resources.limits",
        )
        for number, volume in enumerate(known_items(pod.spec.get("volumes")))
        if (path := at(volume, "hostPath")) not in (None, UNKNOWN)
    ]


def _privileged_containers(subject: Subject) -> Iterable[Fault]:
    if is_platforms(subject):
        return []
    return [
        fault
        for pod in pod_templates(subject)
        for path, container in container_bodies(pod)
        for fault in _privileges(f"{path}.securityContext", at(container, "securityContext"))
    ]


def _privileges(path: str, context: Plain) -> list[Fault]:
    privileged = at(context, "privileged")
    faults: list[Fault] = []
    if privileged not in (None, False, UNKNOWN):
        allowed = "false: a privileged container has every device of the node"
        faults.append(Fault(f"{path}.privileged", quoted(privileged), allowed, "remove privileged"))
    faults += [
        Fault(
            f"{path}.capabilities.add[{number}]",
            quoted(capability),
            "no capability that lets NVIDIA's runtime give the container the cards named in its variable",
            "remove it",
        )
        for number, capability in enumerate(known_items(at(context, "capabilities", "add")))
        if isinstance(capability, str) and capability.upper() in _CAPABILITIES
    ]
    return faults


POD_OFF_HOST = Rule(
    name="pod-off-host",
    description="A team's pod uses no path, network, processes or shared memory of its node.",
    severity=Severity.CRITICAL,
    remediation="Remove hostPath, hostNetwork, hostPID and hostIPC; use emptyDir or a claim for files.",
    kinds=WORKLOAD_KINDS,
    judge=_host_access,
    admission=Cel(
        every(
            *(f"!variables.spec.?{field}.orValue(false)" for field in _HOST_NAMESPACES),
            "!variables.spec.?volumes.orValue([]).exists(v, has(v.hostPath))",
        )
    ),
)

POD_UNPRIVILEGED = Rule(
    name="pod-unprivileged",
    description="No container of a team is privileged or has a capability with the same effect.",
    severity=Severity.CRITICAL,
    remediation="Remove privileged: true and the capabilities SYS_ADMIN and ALL.",
    kinds=WORKLOAD_KINDS,
    judge=_privileged_containers,
    admission=Cel(
        "variables.containers.all(c, !c.?securityContext.?privileged.orValue(false)"
        " && !c.?securityContext.?capabilities.?add.orValue([])"
        f".exists(p, p.upperAscii() in {literal(_CAPABILITIES)}))"
    ),
)

RULES = (POD_OFF_HOST, POD_UNPRIVILEGED)
