"""Reads a pod: its requests for cards, shares and slices, its node selection, its tolerations; and names of cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.catalog.mig import geometries
from gpuplatform.standard import labels, resources
from gpuplatform.standard.quantities import mebibytes, millis, quantity
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.taints import TaintEffect, Toleration
from policies.cel import literal
from policies.subject import UNKNOWN, Plain, Unknown, at, items, known_items, mapping, text
from policies.workloads import PodTemplate

_NVIDIA_CARDS: Final = (resources.GPU, resources.MIG_PREFIX.removesuffix("-"))
"""The prefixes of card resource names, including names that no node offers."""
CARD_NAME: Final = "(" + " || ".join(f"k.startsWith({literal(prefix)})" for prefix in _NVIDIA_CARDS) + ")"
"""The same in CEL, of a resource ``k``."""
_PROFILES = {labels.profile_value(profile.name) for table in geometries().values() for profile in table.profiles}
CARD_RESOURCES: Final = (resources.GPU, *sorted(map(resources.mig_resource, _PROFILES)))
"""Every name that nodes can offer: a whole card or a share of one, and a slice of each profile that some card has."""
NAMES_ALLOWED: Final = (
    f"{resources.GPU} for a whole card or a share, {resources.MIG_PREFIX}<profile> for a slice of a profile"
    " that some card has, such as 1g.10gb"
)


def names_cards(resource: str) -> bool:
    """Whether a resource name is meant for cards, even if no node offers that name."""
    return resource.startswith(_NVIDIA_CARDS)


_MODEL_SERVERS = (
    "model",
    "sklearn",
    "xgboost",
    "tensorflow",
    "pytorch",
    "triton",
    "onnx",
    "huggingface",
    "pmml",
    "lightgbm",
    "paddle",
)
"""KServe: instead of a list of containers a predictor may have one under the name of its framework."""
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_NATIVE_DEVICES = ("cpu", "memory", "ephemeral-storage")


@dataclass(frozen=True, slots=True)
class Container:
    """A container's requests and limits."""

    path: str
    """Of its ``resources`` in the object."""
    requests: Mapping[str, Plain] | Unknown
    limits: Mapping[str, Plain] | Unknown
    is_concurrent: bool
    """Whether it runs together with the others: a container or a sidecar, not an init container that ends."""

    @property
    def cards(self) -> tuple[str, ...]:
        """The card resources in its requests or limits, including those that no node offers."""
        names = [key for part in (self.requests, self.limits) if not isinstance(part, Unknown) for key in part]
        return tuple(dict.fromkeys(key for key in names if names_cards(key)))

    def asks(self, resource: str) -> Plain:
        """The request; without a request the limit, as in Kubernetes."""
        request = at(self.requests, resource)
        return at(self.limits, resource) if request is None else request


@dataclass(frozen=True, slots=True)
class Selector:
    """One demand on node labels and where it is written."""

    path: str
    match: Requirement
    required: bool


def containers(pod: PodTemplate) -> Iterator[Container]:
    """Every container of a pod, including init containers."""
    for path, body in container_bodies(pod):
        is_concurrent = ".initContainers[" not in path or at(body, "restartPolicy") == "Always"
        yield _container(path, body, is_concurrent)


def container_bodies(pod: PodTemplate) -> Iterator[tuple[str, Plain]]:
    """The same as they are written, each with its path in the object."""
    for name in ("containers", "initContainers"):
        for number, body in enumerate(known_items(pod.spec.get(name))):
            yield f"{pod.spec_path}.{name}[{number}]", body
    for name in _MODEL_SERVERS:
        if isinstance(pod.spec.get(name), Mapping):
            yield f"{pod.spec_path}.{name}", pod.spec[name]


def asks_for_cards(pod: PodTemplate) -> bool:
    """Whether it counts cards, or claims devices and selects GPU nodes."""
    has_amount = any(
        text(container.asks(key)) not in (None, "0") for container in containers(pod) for key in container.cards
    )
    return has_amount or (
        bool(claims(pod)) and any(selector.match.key.startswith(labels.PREFIX) for selector in selectors(pod))
    )


def claims(pod: PodTemplate) -> tuple[str, ...]:
    """Templates of the resource claims that it names."""
    templates = [at(claim, "resourceClaimTemplateName") for claim in known_items(pod.spec.get("resourceClaims"))]
    return tuple(name for name in templates if isinstance(name, str))


def selectors(pod: PodTemplate) -> list[Selector]:
    """Every known demand on node labels: the node selector's, required and preferred affinity's."""
    read = [
        Selector(f"{pod.spec_path}.nodeSelector[{key}]", Requirement(key, "In", (value,)), required=True)
        for key, value in _node_selector(pod).items()
        if isinstance(value, str)
    ]
    affinity = f"{pod.spec_path}.affinity.nodeAffinity"
    for part, required in ((REQUIRED, True), (PREFERRED, False)):
        for where, term in _terms(pod, part):
            read += _expressions(f"{affinity}.{part}{where}.matchExpressions", term, required=required)
    return read


def alternatives(pod: PodTemplate) -> tuple[tuple[Requirement, ...], ...] | Unknown:
    """The node selector joined to each required affinity term; UNKNOWN if a part is not known yet."""
    node_selector = _node_selector(pod)
    required = at(pod.spec, "affinity", "nodeAffinity", REQUIRED)
    if UNKNOWN in (pod.spec.get("nodeSelector"), required, *node_selector.values()):
        return UNKNOWN
    from_selector = tuple(Requirement(key, "In", (str(value),)) for key, value in node_selector.items())
    if required is None:
        return (from_selector,)
    terms: list[tuple[Requirement, ...]] = []
    for _, term in _terms(pod, REQUIRED):
        lines = items(at(term, "matchExpressions"))
        if isinstance(lines, Unknown) or any(_match(line) is UNKNOWN for line in lines):
            return UNKNOWN
        matches = [match for line in lines if isinstance(match := _match(line), Requirement)]
        if lines or at(term, "matchFields") is not None:  # an empty term matches no node
            terms.append((*from_selector, *matches))
    return tuple(terms)


def tolerations(pod: PodTemplate) -> tuple[Toleration, ...] | Unknown:
    """The tolerations, an empty key where every key is tolerated; UNKNOWN if a part is not known yet."""
    lines = items(pod.spec.get("tolerations"))
    if isinstance(lines, Unknown):
        return UNKNOWN
    pod_tolerations: list[Toleration] = []
    for toleration in lines:
        key, operator, value, effect = (text(at(toleration, part)) for part in ("key", "operator", "value", "effect"))
        if UNKNOWN in (key, operator, value, effect):
            return UNKNOWN
        if operator not in (None, "", "Equal", "Exists") or (effect and effect not in list(TaintEffect)):
            continue  # the API server refuses it, so it answers nothing
        if not key and operator != "Exists":
            continue
        exact = None if operator == "Exists" else str(value or "")
        pod_tolerations.append(Toleration(str(key or ""), exact, TaintEffect(str(effect)) if effect else None))
    return tuple(pod_tolerations)


def ask(pod: PodTemplate) -> PodAsk | None:
    """The pod's demands on a node; None if a part is not known or a resource quantity is invalid."""
    node_demands, pod_tolerations = alternatives(pod), tolerations(pod)
    amounts = [_amounts(container) for container in containers(pod)]
    concurrency = [container.is_concurrent for container in containers(pod)]
    parts = [pod.spec.get(name) for name in ("containers", "initContainers", "resourceClaims")]
    if isinstance(node_demands, Unknown) or isinstance(pod_tolerations, Unknown) or UNKNOWN in parts:
        return None
    known_amounts = [amount for amount in amounts if amount is not None]
    if len(known_amounts) != len(amounts):
        return None
    total = _total(
        [
            container_amounts
            for container_amounts, is_concurrent in zip(known_amounts, concurrency, strict=True)
            if is_concurrent
        ]
    )
    for container_amounts, is_concurrent in zip(known_amounts, concurrency, strict=True):
        if not is_concurrent:  # it ends before the others start, so the larger of the two counts
            total = {
                key: max(total.get(key, Fraction(0)), container_amounts.get(key, Fraction(0)))
                for key in {*total, *container_amounts}
            }
    devices = {key: int(amount) for key, amount in sorted(total.items()) if key not in _NATIVE_DEVICES and amount}
    return PodAsk(
        alternatives=node_demands,
        tolerations=pod_tolerations,
        cpu_millis=millis(total.get(resources.CPU, Fraction(0))),
        memory_mib=mebibytes(total.get(resources.MEMORY, Fraction(0))),
        devices=tuple(devices.items()),
        largest_container=tuple(
            (key, int(max(container_amounts.get(key, Fraction(0)) for container_amounts in known_amounts)))
            for key in devices
        ),
        claims=claims(pod),
    )


def _container(path: str, body: Plain, is_concurrent: bool) -> Container:
    body_resources = at(body, "resources")
    return Container(
        f"{path}.resources",
        mapping(at(body_resources, "requests")),
        mapping(at(body_resources, "limits")),
        is_concurrent,
    )


def _amounts(container: Container) -> dict[str, Fraction] | None:
    """The amount of each resource for one container; None if it is not known or not a quantity."""
    if isinstance(container.requests, Unknown) or isinstance(container.limits, Unknown):
        return None
    amounts: dict[str, Fraction] = {}
    for key in {**container.limits, **container.requests}:
        amount_text = text(container.asks(key))
        if amount_text is None:  # null, which Kubernetes reads as nothing asked for
            continue
        amount = quantity(amount_text) if isinstance(amount_text, str) else None
        if amount is None or amount < 0:
            return None
        amounts[key] = amount
    return amounts


def _total(amounts: Sequence[Mapping[str, Fraction]]) -> dict[str, Fraction]:
    keys = dict.fromkeys(key for amount in amounts for key in amount)
    return {key: sum((amount.get(key, Fraction(0)) for amount in amounts), Fraction(0)) for key in keys}


def _node_selector(pod: PodTemplate) -> dict[str, str | Unknown]:
    selector = mapping(pod.spec.get("nodeSelector"))
    texts = {} if isinstance(selector, Unknown) else {key: text(value) for key, value in selector.items()}
    return {key: "" if value is None else value for key, value in texts.items()}


def _terms(pod: PodTemplate, part: str) -> Iterator[tuple[str, Plain]]:
    """The terms of one half of node affinity, each with the rest of its path."""
    affinity = at(pod.spec, "affinity", "nodeAffinity", part)
    terms = known_items(at(affinity, "nodeSelectorTerms") if part == REQUIRED else affinity)
    for number, term in enumerate(terms):
        if part == REQUIRED:
            yield f".nodeSelectorTerms[{number}]", term
        else:
            yield f"[{number}].preference", at(term, "preference")


def _expressions(path: str, term: Plain, *, required: bool) -> list[Selector]:
    lines_read = [(number, _match(line)) for number, line in enumerate(known_items(at(term, "matchExpressions")))]
    return [
        Selector(f"{path}[{number}]", match, required) for number, match in lines_read if isinstance(match, Requirement)
    ]


def _match(line: Plain) -> Requirement | Unknown:
    key, operator, values = text(at(line, "key")), text(at(line, "operator")), items(at(line, "values"))
    if isinstance(key, Unknown) or isinstance(operator, Unknown) or isinstance(values, Unknown):
        return UNKNOWN
    texts = [text(value) for value in values]
    if UNKNOWN in texts:
        return UNKNOWN
    return Requirement(key or "", operator or "", tuple(str(part) for part in texts if part is not None))
