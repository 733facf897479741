"""A pod template as the rules read it: what its containers ask for, what it selects, what it tolerates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gpuplatform.proofs.capture.pod import Match, PodAsk
from gpuplatform.proofs.capture.quantity import mebibytes, millis, quantity
from gpuplatform.standard import labels, resources
from gpuplatform.standard.taints import Effect, Toleration
from policies.card_names import names_cards
from policies.subject import UNKNOWN, Plain, Unknown, at, items, mapping, text
from policies.workloads import PodTemplate

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
    runs_beside: bool
    """Whether it runs while the others do: a container or a sidecar, not one that prepares and ends."""

    @property
    def cards(self) -> tuple[str, ...]:
        """The card resources that it names in requests or limits, also those that nobody offers."""
        named = [key for part in (self.requests, self.limits) if not isinstance(part, Unknown) for key in part]
        return tuple(dict.fromkeys(key for key in named if names_cards(key)))

    def asks(self, resource: str) -> Plain:
        """The request, or the limit where there is none, as Kubernetes fills it in."""
        requested = at(self.requests, resource)
        return at(self.limits, resource) if requested is None else requested


@dataclass(frozen=True, slots=True)
class Selector:
    """One demand on node labels and where it is written."""

    path: str
    match: Match
    required: bool


def containers(pod: PodTemplate) -> Iterator[Container]:
    """Every container of a pod, those that prepare included."""
    for path, written in container_bodies(pod):
        beside = ".initContainers[" not in path or at(written, "restartPolicy") == "Always"
        yield _container(path, written, beside)


def container_bodies(pod: PodTemplate) -> Iterator[tuple[str, Plain]]:
    """The same as they are written, each with its path in the object."""
    for name in ("containers", "initContainers"):
        listed = items(pod.spec.get(name))
        for number, body in enumerate(() if isinstance(listed, Unknown) else listed):
            yield f"{pod.spec_path}.{name}[{number}]", body
    for name in _MODEL_SERVERS:
        if isinstance(pod.spec.get(name), Mapping):
            yield f"{pod.spec_path}.{name}", pod.spec[name]


def asks_for_cards(pod: PodTemplate) -> bool:
    """Whether it counts cards, or claims devices and selects GPU nodes."""
    counted = any(text(each.asks(key)) not in (None, "0") for each in containers(pod) for key in each.cards)
    return counted or (bool(claims(pod)) and any(each.match.key.startswith(labels.PREFIX) for each in selectors(pod)))


def claims(pod: PodTemplate) -> tuple[str, ...]:
    """Templates of the resource claims that it names."""
    listed = items(pod.spec.get("resourceClaims"))
    named = [at(each, "resourceClaimTemplateName") for each in (() if isinstance(listed, Unknown) else listed)]
    return tuple(each for each in named if isinstance(each, str))


def selectors(pod: PodTemplate) -> list[Selector]:
    """Every known demand on node labels: the node selector's, required and preferred affinity's."""
    found = [
        Selector(f"{pod.spec_path}.nodeSelector[{key}]", Match(key, "In", (value,)), required=True)
        for key, value in _selected(pod).items()
        if isinstance(value, str)
    ]
    affinity = f"{pod.spec_path}.affinity.nodeAffinity"
    for part, required in ((REQUIRED, True), (PREFERRED, False)):
        for where, term in _terms(pod, part):
            found += _expressions(f"{affinity}.{part}{where}.matchExpressions", term, required=required)
    return found


def alternatives(pod: PodTemplate) -> tuple[tuple[Match, ...], ...] | Unknown:
    """The node selector joined to each required affinity term; UNKNOWN where a part is not known yet."""
    selected = _selected(pod)
    required = at(pod.spec, "affinity", "nodeAffinity", REQUIRED)
    if UNKNOWN in (pod.spec.get("nodeSelector"), required, *selected.values()):
        return UNKNOWN
    own = tuple(Match(key, "In", (str(value),)) for key, value in selected.items())
    if required is None:
        return (own,)
    read: list[tuple[Match, ...]] = []
    for _, term in _terms(pod, REQUIRED):
        lines = items(at(term, "matchExpressions"))
        if isinstance(lines, Unknown) or any(_match(line) is UNKNOWN for line in lines):
            return UNKNOWN
        matches = [each for line in lines if isinstance(each := _match(line), Match)]
        if lines or at(term, "matchFields") is not None:  # an empty term matches no node
            read.append((*own, *matches))
    return tuple(read)


def tolerations(pod: PodTemplate) -> tuple[Toleration, ...] | Unknown:
    """The tolerations, an empty key where every key is tolerated; UNKNOWN where a part is not known yet."""
    listed = items(pod.spec.get("tolerations"))
    if isinstance(listed, Unknown):
        return UNKNOWN
    read: list[Toleration] = []
    for each in listed:
        key, operator, value, effect = (text(at(each, part)) for part in ("key", "operator", "value", "effect"))
        if UNKNOWN in (key, operator, value, effect):
            return UNKNOWN
        if operator not in (None, "", "Equal", "Exists") or (effect and effect not in list(Effect)):
            continue  # the API server refuses it, so it answers nothing
        if not key and operator != "Exists":
            continue
        exact = None if operator == "Exists" else str(value or "")
        read.append(Toleration(str(key or ""), exact, Effect(str(effect)) if effect else None))
    return tuple(read)


def ask(pod: PodTemplate) -> PodAsk | None:
    """What the pod asks of a node; None where some part of it is not known, or is no quantity."""
    wanted, borne = alternatives(pod), tolerations(pod)
    amounts = [_amounts(each) for each in containers(pod)]
    beside = [each.runs_beside for each in containers(pod)]
    parts = [pod.spec.get(name) for name in ("containers", "initContainers", "resourceClaims")]
    if isinstance(wanted, Unknown) or isinstance(borne, Unknown) or UNKNOWN in parts:
        return None
    known = [each for each in amounts if each is not None]
    if len(known) != len(amounts):
        return None
    total = _total([each for each, runs in zip(known, beside, strict=True) if runs])
    for each, runs in zip(known, beside, strict=True):
        if not runs:  # it ends before the others start, so the larger of the two counts
            total = {key: max(total.get(key, Fraction(0)), each.get(key, Fraction(0))) for key in {*total, *each}}
    devices = {key: int(amount) for key, amount in sorted(total.items()) if key not in _NATIVE_DEVICES and amount}
    return PodAsk(
        alternatives=wanted,
        tolerations=borne,
        cpu_millis=millis(total.get(resources.CPU, Fraction(0))),
        memory_mib=mebibytes(total.get(resources.MEMORY, Fraction(0))),
        devices=tuple(devices.items()),
        largest_container=tuple((key, int(max(each.get(key, Fraction(0)) for each in known))) for key in devices),
        claims=claims(pod),
    )


def _container(path: str, written: Plain, beside: bool) -> Container:
    given = at(written, "resources")
    return Container(f"{path}.resources", mapping(at(given, "requests")), mapping(at(given, "limits")), beside)


def _amounts(container: Container) -> dict[str, Fraction] | None:
    """What one container takes of each resource; None where it is not known or no quantity."""
    if isinstance(container.requests, Unknown) or isinstance(container.limits, Unknown):
        return None
    read: dict[str, Fraction] = {}
    for key in {**container.limits, **container.requests}:
        written = text(container.asks(key))
        if written is None:  # null, which Kubernetes reads as nothing asked for
            continue
        amount = quantity(written) if isinstance(written, str) else None
        if amount is None or amount < 0:
            return None
        read[key] = amount
    return read


def _total(amounts: Sequence[Mapping[str, Fraction]]) -> dict[str, Fraction]:
    every = dict.fromkeys(key for each in amounts for key in each)
    return {key: sum((each.get(key, Fraction(0)) for each in amounts), Fraction(0)) for key in every}


def _selected(pod: PodTemplate) -> dict[str, str | Unknown]:
    written = mapping(pod.spec.get("nodeSelector"))
    read = {} if isinstance(written, Unknown) else {key: text(value) for key, value in written.items()}
    return {key: "" if value is None else value for key, value in read.items()}


def _terms(pod: PodTemplate, part: str) -> Iterator[tuple[str, Plain]]:
    """The terms of one half of node affinity, each with the rest of its path."""
    affinity = at(pod.spec, "affinity", "nodeAffinity", part)
    listed = items(at(affinity, "nodeSelectorTerms") if part == REQUIRED else affinity)
    for number, each in enumerate(() if isinstance(listed, Unknown) else listed):
        if part == REQUIRED:
            yield f".nodeSelectorTerms[{number}]", each
        else:
            yield f"[{number}].preference", at(each, "preference")


def _expressions(path: str, term: Plain, *, required: bool) -> list[Selector]:
    lines = items(at(term, "matchExpressions"))
    found = [(number, _match(line)) for number, line in enumerate(() if isinstance(lines, Unknown) else lines)]
    return [Selector(f"{path}[{number}]", each, required) for number, each in found if isinstance(each, Match)]


def _match(line: Plain) -> Match | Unknown:
    key, operator, values = text(at(line, "key")), text(at(line, "operator")), items(at(line, "values"))
    if isinstance(key, Unknown) or isinstance(operator, Unknown) or isinstance(values, Unknown):
        return UNKNOWN
    texts = [text(each) for each in values]
    if UNKNOWN in texts:
        return UNKNOWN
    return Match(key or "", operator or "", tuple(str(each) for each in texts if each is not None))
