"""Whose pools are whose, as a stack publishes it: its guarantees and the API server are held to the same (Q1, B5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gpuplatform.faults import Fault
from policies.admission import parameters
from policies.kinds import CONFIG_MAP, STACK
from policies.rule import Severity, StackRule
from policies.subject import UNKNOWN, Plain, Subject, Unknown, at, items, text

_DOCUMENT = "platform"
_NONE = "none"
_UNREADABLE = Fault(
    f"{_DOCUMENT}.tenants",
    "teams of which a part is missing",
    "a list of teams, each with its namespaces, each of these with a name and the names of its pools",
    "publish whose pools are whose: a team is held to what it cannot read otherwise",
)


def _kept(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    for stack in subjects:
        published = at(stack.body, _DOCUMENT) if stack.is_a(STACK) else None
        if published is None or published is UNKNOWN:
            continue  # another program's stack, or one of which nothing is known yet
        pools = _pools_of_namespaces(published)
        if pools is None:
            yield stack, _UNREADABLE
        elif not isinstance(pools, Unknown):
            yield from ((stack, fault) for fault in _guarantees(published, pools))
            yield from ((each, fault) for each in subjects if _is_read(each) for fault in _read(each, pools))


def _pools_of_namespaces(published: Plain) -> Mapping[str, frozenset[str]] | Unknown | None:
    """The pools of every namespace by its name; None where a part is absent or something else."""
    namespaces = _namespaces(published)
    if namespaces is None or isinstance(namespaces, Unknown):
        return namespaces
    pools: dict[str, frozenset[str]] = {}
    for each in namespaces:
        name, own = at(each, "name"), _texts(at(each, "pools"))
        if isinstance(name, Unknown) or isinstance(own, Unknown):
            return UNKNOWN
        if not isinstance(name, str) or own is None:
            return None
        pools[name] = frozenset(own)
    return pools


def _namespaces(published: Plain) -> Sequence[Plain] | Unknown | None:
    """Those of all teams."""
    tenants = _listed(at(published, "tenants"))
    if tenants is None or isinstance(tenants, Unknown):
        return tenants
    namespaces: list[Plain] = []
    for each in tenants:
        own = _listed(at(each, "namespaces"))
        if own is None or isinstance(own, Unknown):
            return own
        namespaces += own
    return namespaces


def _guarantees(published: Plain, pools: Mapping[str, frozenset[str]]) -> Iterable[Fault]:
    for number, line in enumerate(_known(at(published, "capacity"))):
        for place, claim in enumerate(_known(at(line, "guaranteed"))):
            namespace, named = text(at(claim, "namespace")), [text(each) for each in _known(at(claim, "pools"))]
            own = pools.get(str(namespace), frozenset())
            outside = [each for each in named if isinstance(each, str) and each not in own]
            if outside and namespace is not UNKNOWN:
                yield Fault(
                    f"{_DOCUMENT}.capacity[{number}].guaranteed[{place}].pools",
                    f"a guarantee of {namespace} on {', '.join(outside)}",
                    f"pools that it may use: {_said(own)}",
                    "guarantee it on those, or add the pool to the namespace's `pools` in the stack's settings",
                )


def _is_read(subject: Subject) -> bool:
    """Whether it is what the admission policies read of the stack."""
    return subject.is_a(CONFIG_MAP) and (subject.namespace, subject.name) == (parameters.NAMESPACE, parameters.NAME)


def _read(subject: Subject, pools: Mapping[str, frozenset[str]]) -> Iterable[Fault]:
    written = at(subject.body, "data", parameters.POOLS)
    if written is UNKNOWN:
        return
    lines = written.split("\n") if isinstance(written, str) else []
    read = {name: frozenset(filter(None, own.split(","))) for name, _, own in (line.partition("=") for line in lines)}
    for name in dict.fromkeys((*pools, *filter(None, read))):
        if read.get(name) != pools.get(name):
            yield Fault(
                f"data.{parameters.POOLS}",
                f"{name}: {_said(read[name])}" if name in read else f"nothing of {name}",
                f"what the stack publishes of {name}: {_said(pools.get(name, frozenset()))}",
                "write both from one settings file: pods are held to the one, and people read the other",
            )


def _listed(value: Plain) -> Sequence[Plain] | Unknown | None:
    """A list; None where the value is absent or something else."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return items(value) if value is UNKNOWN or is_list else None


def _texts(value: Plain) -> Sequence[str] | Unknown | None:
    """A list of texts; None where the value is absent or something else."""
    listed = _listed(value)
    if listed is None or isinstance(listed, Unknown):
        return listed
    if UNKNOWN in listed:
        return UNKNOWN
    texts = [each for each in listed if isinstance(each, str)]
    return texts if len(texts) == len(listed) else None


def _known(value: Plain) -> Sequence[Plain]:
    """The items of a list that is known; none of anything else."""
    listed = items(value)
    return () if isinstance(listed, Unknown) else listed


def _said(pools: frozenset[str]) -> str:
    return ", ".join(sorted(pools)) or _NONE


TENANT_POOLS_PUBLISHED = StackRule(
    name="tenant-pools-published",
    description="Quotas are served by pools that their namespaces may use, and the API server reads the same pools.",
    severity=Severity.HIGH,
    remediation="Say a namespace's `pools` in the settings alone: guarantees, outputs and admission come of them.",
    kinds=(STACK, CONFIG_MAP),
    judge=_kept,
)

STACK_RULES = (TENANT_POOLS_PUBLISHED,)
