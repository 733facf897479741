"""Distributed Jobs: pods have fixed indexes, and the master's address resolves to the rank-0 pod."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gpuplatform.faults import Fault
from policies.cel import NotInCluster
from policies.rule import Rule, Severity, StackRule
from policies.subject import UNKNOWN, Kind, Plain, Subject, Unknown, at, items, known_items, quoted, text
from policies.workloads import PodTemplate, pod_templates

JOB = Kind("batch", "Job")
CRON_JOB = Kind("batch", "CronJob")
SERVICE = Kind("", "Service")

_LAUNCHER = re.compile(r"\btorchrun\b|\btorch\.distributed\.(run|launch)\b")
_INDEX = "JOB_COMPLETION_INDEX"
"""Set in every container of an Indexed Job, and of no other (kubernetes.io/docs/concepts/workloads/controllers/job)."""
_NODES = re.compile(r"--nnodes[= ](?P<nodes>\S+)")
_MASTER = re.compile(r"--(master[-_]addr|rdzv[-_]endpoint)[= ][\"']?(?P<host>[A-Za-z0-9.-]+)")
_MASTER_ADDR = "MASTER_ADDR"
_HEADLESS = "None"


@dataclass(frozen=True, slots=True)
class _Launch:
    """A pod of a Job that starts torchrun on several nodes."""

    pod: PodTemplate
    job_path: str
    """Of the Job's spec in the object."""
    text: str
    """Commands, arguments and environment of its containers."""

    @property
    def masters(self) -> tuple[str, ...]:
        """The hosts that the pods use as master address; empty if a variable names it."""
        return tuple(dict.fromkeys(match["host"].rstrip(".") for match in _MASTER.finditer(self.text)))


def _launches(subject: Subject) -> Iterator[_Launch]:
    for pod in pod_templates(subject):
        command_text = _commands(pod)
        if command_text is None or not _LAUNCHER.search(command_text):
            continue
        job_path = pod.spec_path.removesuffix(".template.spec")
        parallelism = text(at(subject.body, *job_path.split("."), "parallelism"))
        nodes = _NODES.search(command_text)
        has_several_pods = (nodes is not None and nodes["nodes"] != "1") or parallelism not in (None, "1")
        if has_several_pods or _INDEX in command_text:
            yield _Launch(pod, job_path, command_text)


def _commands(pod: PodTemplate) -> str | None:
    """Commands, arguments and master address of the pod's containers, in one text; None if a part is not known yet."""
    parts: list[Plain] = []
    pod_containers = items(pod.spec.get("containers"))
    for container in () if isinstance(pod_containers, Unknown) else pod_containers:
        for name in ("command", "args"):
            arguments = items(at(container, name))
            parts += [UNKNOWN] if isinstance(arguments, Unknown) else arguments
        for variable in known_items(at(container, "env")):
            if at(variable, "name") == _MASTER_ADDR:
                parts += ["--master-addr", at(variable, "value")]
    texts = [text(part) for part in parts]
    return (
        None
        if UNKNOWN in texts or isinstance(pod_containers, Unknown)
        else " ".join(str(part) for part in texts if part)
    )


def _unindexed_jobs(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            f"{launch.job_path}.completionMode",
            quoted(mode),
            f"Indexed: torchrun on several pods needs a fixed index for each, and only this mode sets {_INDEX}",
            "set completionMode: Indexed, with completions equal to the number of pods",
        )
        for launch in _launches(subject)
        if (mode := at(subject.body, *launch.job_path.split("."), "completionMode")) not in ("Indexed", UNKNOWN)
    ]


def _unresolved_masters(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    services = [subject for subject in subjects if subject.is_a(SERVICE)]
    headless_services = {(service.namespace, service.name) for service in services if _is_headless(service)}
    if any(service.known_name is None or _has_unknown_namespace(service) for service in services):
        return
    for subject in subjects:
        for launch in () if _has_unknown_namespace(subject) else _launches(subject):
            for host in launch.masters:
                for fault in _host_faults(subject, launch, host, headless_services):
                    yield subject, fault


def _has_unknown_namespace(subject: Subject) -> bool:
    """Whether its namespace is not known yet."""
    return at(subject.body, "metadata", "namespace") is UNKNOWN


def _is_headless(subject: Subject) -> bool:
    return subject.is_a(SERVICE) and at(subject.body, "spec", "clusterIP") in (_HEADLESS, UNKNOWN)


def _host_faults(
    subject: Subject, launch: _Launch, host: str, headless_services: set[tuple[str | None, str]]
) -> list[Fault]:
    """Checks a host such as ``train-0.train``: a pod's name and the headless Service that resolves it."""
    pod, _, rest = host.partition(".")
    service = rest.partition(".")[0]
    if not pod.endswith("-0") or not service or service.isdecimal():
        return []  # another kind of name, of which nothing is known
    path, faults = f"{launch.pod.spec_path}.subdomain", list[Fault]()
    subdomain = launch.pod.spec.get("subdomain")
    if subdomain not in (service, UNKNOWN):
        allowed = f"{service}, so that the rank-0 pod has the name {host}, which the other pods use"
        faults.append(Fault(path, quoted(subdomain), allowed, f"set subdomain: {service} in the pod's spec"))
    if (subject.namespace, service) not in headless_services:
        allowed = f"a Service {service} in the Job's namespace with clusterIP: None, which selects the Job's pods"
        faults.append(
            Fault(path, f"no headless Service {service} beside the Job", allowed, f"add the headless Service {service}")
        )
    return faults


TORCHRUN_JOB_INDEXED = Rule(
    name="torchrun-job-indexed",
    description="A Job that runs torchrun on several pods is Indexed.",
    severity=Severity.MEDIUM,
    remediation="Set completionMode: Indexed.",
    kinds=(JOB, CRON_JOB),
    judge=_unindexed_jobs,
    admission=NotInCluster("the rule reads the Job's command, and a Job whose pods never meet harms no other team"),
)

TORCHRUN_FIRST_POD_FOUND = StackRule(
    name="torchrun-first-pod-found",
    description="The Job's master address resolves to its rank-0 pod through a headless Service.",
    severity=Severity.MEDIUM,
    remediation="Set the pod's subdomain and add a headless Service of that name; lint both in one run.",
    kinds=(JOB, CRON_JOB, SERVICE),
    judge=_unresolved_masters,
)

RULES = (TORCHRUN_JOB_INDEXED,)
STACK_RULES = (TORCHRUN_FIRST_POD_FOUND,)
