"""Requests and limits of containers: cards under names that nodes offer, quantities, and a limit of memory."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault
from gpuplatform.standard import resources
from gpuplatform.standard.quantities import mebibytes, quantity
from policies.cel import Cel, NotInCluster, literal
from policies.pod import CARD_NAME, CARD_RESOURCES, NAMES_ALLOWED, Container, asks_for_cards, containers
from policies.rule import Rule, Severity, ViewRule
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, quoted, text
from policies.workloads import WORKLOAD_KINDS, pod_templates

_QUANTITY: Final = "a Kubernetes quantity such as 500m, 2 or 16Gi: Kubernetes refuses a pod with anything else"
_OTHER_SUFFIX: Final = re.compile(r"^\s*(?P<number>\d+(\.\d+)?)\s*(?P<letter>[kmgtpeKMGTPE])[iI]?[bB]?\s*$")
"""How people write bytes elsewhere: 16GB, 16 GiB, 16gi."""


def _card_amounts(subject: Subject) -> Iterable[Fault]:
    return [
        fault
        for pod in pod_templates(subject)
        for container in containers(pod)
        for resource in container.cards
        for fault in _amount_faults(container, resource)
    ]


def _amount_faults(container: Container, resource: str) -> list[Fault]:
    if isinstance(container.requests, Unknown) or isinstance(container.limits, Unknown):
        return []
    request, limit = container.requests.get(resource), container.limits.get(resource)
    if UNKNOWN in (request, limit):
        return []
    if limit is None:
        path, allowed = f"{container.path}.limits[{resource}]", "a limit equal to the request: the API requires it"
        return [Fault(path, "no limit beside the request", allowed, f"add {resource}: {text(request)} to limits")]
    faults = [
        Fault(
            f"{container.path}.{part}[{resource}]",
            quoted(amount),
            "a whole number: a request does not divide a card",
            "write a whole number; for a part of a card use a pool that shares or cuts its cards",
        )
        for part, amount in (("requests", request), ("limits", limit))
        if amount is not None and not _is_whole(amount)
    ]
    if not faults and request is not None and _number(request) != _number(limit):
        path, allowed = f"{container.path}.requests[{resource}]", f"{text(limit)}, as the limit"
        faults = [Fault(path, f"{quoted(request)} beside a limit of {quoted(limit)}", allowed, "make the two equal")]
    return faults


def _is_whole(amount: Plain) -> bool:
    number = _number(amount)
    return number is not None and number >= 0 and number.denominator == 1


def _number(amount: Plain) -> Fraction | None:
    quantity_text = text(amount)
    return quantity(quantity_text) if isinstance(quantity_text, str) else None


def _quantities(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(f"{container.path}.{part}[{resource}]", quoted(amount), _QUANTITY, _correction(text(amount)))
        for pod in pod_templates(subject)
        for container in containers(pod)
        for part, amounts in (("requests", container.requests), ("limits", container.limits))
        if not isinstance(amounts, Unknown)
        for resource, amount in amounts.items()
        if resource not in container.cards and amount is not None and amount is not UNKNOWN and not _is_amount(amount)
    ]


def _is_amount(amount: Plain) -> bool:
    number = _number(amount)
    return number is not None and number >= 0


def _correction(amount: str | Unknown | None) -> str:
    """What to write instead: the nearest quantities where only the suffix is wrong."""
    match = _OTHER_SUFFIX.match(amount) if isinstance(amount, str) else None
    if match is None:
        return "write a number of zero or more, with a Kubernetes suffix if needed"
    number, letter = match["number"], match["letter"].upper()
    return f"write {number}{'k' if letter == 'K' else letter} or {number}{letter}i"


def _resource_names(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            f"{container.path}.{_field(container, resource)}[{resource}]",
            quoted(resource),
            NAMES_ALLOWED,
            f"ask for {resources.GPU}, or for the slice as `gpuplatform block` prints it",
        )
        for pod in pod_templates(subject)
        for container in containers(pod)
        for resource in container.cards
        if resource not in CARD_RESOURCES
    ]


def _field(container: Container, resource: str) -> str:
    return "limits" if at(container.limits, resource) is not None else "requests"


def _runtime_class(subject: Subject) -> Iterable[Fault]:
    return [
        Fault(
            f"{pod.spec_path}.runtimeClassName",
            quoted(runtime_class),
            f"{resources.RUNTIME_CLASS}: it gives a container the cards of its request",
            f"set runtimeClassName: {resources.RUNTIME_CLASS}",
        )
        for pod in pod_templates(subject)
        if asks_for_cards(pod)
        and (runtime_class := pod.spec.get("runtimeClassName")) is not UNKNOWN
        and runtime_class != resources.RUNTIME_CLASS
    ]


def _unlimited_memory(subject: Subject, view: StackView) -> Iterable[Fault]:
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    if namespace is None:
        return
    for container in (item for pod in pod_templates(subject) for item in containers(pod)):
        request = text(at(container.requests, resources.MEMORY))
        amount = quantity(request) if isinstance(request, str) else None
        if amount is None or at(container.limits, resources.MEMORY) is not None:
            continue
        if mebibytes(amount) > namespace.default_memory_mib:
            yield Fault(
                f"{container.path}.limits[{resources.MEMORY}]",
                f"no limit beside a request of {request}",
                f"a limit: {namespace.name} gives {namespace.default_memory_mib}Mi to a container without one, and"
                " Kubernetes refuses a limit below the request",
                f"add {resources.MEMORY}: {request} to limits",
            )


POD_CARD_REQUESTS = Rule(
    name="pod-card-requests",
    description="A container asks for whole cards or slices, with requests equal to limits.",
    severity=Severity.HIGH,
    remediation="Write the same whole number under requests and limits.",
    kinds=WORKLOAD_KINDS,
    judge=_card_amounts,
    admission=NotInCluster("Kubernetes itself refuses parts of an extended resource, and limits other than requests"),
)

POD_QUANTITIES = Rule(
    name="pod-quantities",
    description="A container's other requests and limits are quantities that Kubernetes can read.",
    severity=Severity.HIGH,
    remediation="Write a quantity: 16G or 16Gi instead of 16GB.",
    kinds=WORKLOAD_KINDS,
    judge=_quantities,
    admission=NotInCluster("the API server refuses such an object itself"),
)

POD_CARD_RESOURCE = Rule(
    name="pod-card-resource",
    description="A container asks for cards by a name that nodes can offer.",
    severity=Severity.HIGH,
    remediation=f"Ask for {resources.GPU}, or for {resources.MIG_PREFIX}<profile> of a profile that a card has.",
    kinds=WORKLOAD_KINDS,
    judge=_resource_names,
    admission=Cel(f"variables.limits.all(l, l.all(k, !{CARD_NAME} || k in {literal(CARD_RESOURCES)}))"),
)

POD_RUNTIME_CLASS = Rule(
    name="pod-runtime-class",
    description="A pod that asks for cards runs under NVIDIA's container runtime.",
    severity=Severity.MEDIUM,
    remediation=f"Set runtimeClassName: {resources.RUNTIME_CLASS}.",
    kinds=WORKLOAD_KINDS,
    judge=_runtime_class,
    admission=Cel(
        f'!variables.asks || variables.spec.?runtimeClassName.orValue("") == {literal(resources.RUNTIME_CLASS)}'
    ),
)

POD_MEMORY_BOUNDED = ViewRule(
    name="pod-memory-bounded",
    description="A container that asks for more memory than its namespace's default limit names a limit of its own.",
    severity=Severity.MEDIUM,
    remediation="Add a memory limit of at least the request.",
    kinds=WORKLOAD_KINDS,
    judge=_unlimited_memory,
    admission=NotInCluster("Kubernetes refuses the pod itself, with both numbers"),
)

RULES = (POD_CARD_REQUESTS, POD_QUANTITIES, POD_CARD_RESOURCE, POD_RUNTIME_CLASS)
VIEW_RULES = (POD_MEMORY_BOUNDED,)
