"""A team's pod keeps to itself: nothing of the node's files, processes, network or privileges.

Pod Security refuses each of these where a namespace enforces ``baseline`` or ``restricted``, as every team's does
(k8s.io/pod-security-admission v0.35.4, policy/check_hostPathVolumes.go, check_hostNamespaces.go, check_privileged.go,
check_capabilities_baseline.go). It refuses the pod alone, once its controller makes it: a Deployment or a Job is
accepted with a warning, and then starts nothing. Here it is told before, and in a namespace that lost its level.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import Cel, every, literal
from policies.namespaces import is_platforms
from policies.pod import container_bodies
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, items, quoted, text
from policies.workloads import WORKLOAD_KINDS, PodTemplate, pod_templates

_HOSTS = {
    "hostNetwork": "the pod's own network: on the node's, no NetworkPolicy holds it and the node's role is near",
    "hostPID": "the pod's own processes: those of every other pod on the node would be in sight",
    "hostIPC": "the pod's own shared memory: that of every other pod on the node would be in sight",
}
_CAPABILITIES = ("SYS_ADMIN", "CAP_SYS_ADMIN", "ALL")
"""What makes a container privileged to NVIDIA's runtime, which then obeys its variables whatever the node says
(NVIDIA/nvidia-container-toolkit v1.19.1, internal/config/image/privileged.go: CAP_SYS_ADMIN)."""


def _off_host(subject: Subject) -> Iterable[Fault]:
    if is_platforms(subject):
        return []
    return [fault for pod in pod_templates(subject) for fault in (*_namespaces(pod), *_paths(pod))]


def _namespaces(pod: PodTemplate) -> list[Fault]:
    return [
        Fault(f"{pod.spec_path}.{field}", quoted(value), allowed, f"remove {field}")
        for field, allowed in _HOSTS.items()
        if (value := pod.spec.get(field)) not in (None, False, UNKNOWN)
    ]


def _paths(pod: PodTemplate) -> list[Fault]:
    volumes = items(pod.spec.get("volumes"))
    return [
        Fault(
            f"{pod.spec_path}.volumes[{number}].hostPath",
            quoted(text(at(path, "path"))),
            "no path of the node: by /dev every card is within reach, and by others the node itself",
            "use emptyDir (medium: Memory for /dev/shm) or a claim; ask for cards in resources.limits",
        )
        for number, volume in enumerate(() if isinstance(volumes, Unknown) else volumes)
        if (path := at(volume, "hostPath")) not in (None, UNKNOWN)
    ]


def _unprivileged(subject: Subject) -> Iterable[Fault]:
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
    added = items(at(context, "capabilities", "add"))
    faults += [
        Fault(
            f"{path}.capabilities.add[{number}]",
            quoted(capability),
            "one that does not open the node: with this one NVIDIA's runtime gives cards by a variable",
            "remove it",
        )
        for number, capability in enumerate(() if isinstance(added, Unknown) else added)
        if isinstance(capability, str) and capability.upper() in _CAPABILITIES
    ]
    return faults


POD_OFF_HOST = Rule(
    name="pod-off-host",
    description="A team's pod uses no path, network, processes or shared memory of its node.",
    severity=Severity.CRITICAL,
    remediation="Remove hostPath, hostNetwork, hostPID and hostIPC; use emptyDir or a claim for files.",
    kinds=WORKLOAD_KINDS,
    judge=_off_host,
    admission=Cel(
        every(
            *(f"!variables.spec.?{field}.orValue(false)" for field in _HOSTS),
            "!variables.spec.?volumes.orValue([]).exists(v, has(v.hostPath))",
        )
    ),
)

POD_UNPRIVILEGED = Rule(
    name="pod-unprivileged",
    description="No container of a team is privileged or has the capability that stands for it.",
    severity=Severity.CRITICAL,
    remediation="Remove privileged: true and the capabilities SYS_ADMIN and ALL.",
    kinds=WORKLOAD_KINDS,
    judge=_unprivileged,
    admission=Cel(
        "variables.containers.all(c, !c.?securityContext.?privileged.orValue(false)"
        " && !c.?securityContext.?capabilities.?add.orValue([])"
        f".exists(p, p.upperAscii() in {literal(_CAPABILITIES)}))"
    ),
)

RULES = (POD_OFF_HOST, POD_UNPRIVILEGED)
