"""The pools of each namespace: guarantees and admission policies use those that the stack publishes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gpuplatform.faults import Fault
from policies.admission import parameters
from policies.rule import Severity, StackRule
from policies.subject import (
    CONFIG_MAP,
    PUBLISHED,
    STACK,
    UNKNOWN,
    Plain,
    Subject,
    Unknown,
    at,
    known_items,
    list_or_none,
    text,
)

_NONE = "none"
_UNREADABLE = Fault(
    f"{PUBLISHED}.tenants",
    "an incomplete list of teams",
    "a list of teams, each with its namespaces, each of these with a name and the names of its pools",
    "publish the pools of each namespace, so that a team can read which pools it may use",
)


def _pool_faults(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    for stack in subjects:
        published = at(stack.body, PUBLISHED) if stack.is_a(STACK) else None
        if published is None or published is UNKNOWN:
            continue  # another program's stack, or one of which nothing is known yet
        pools = _pools_of_namespaces(published)
        if pools is None:
            yield stack, _UNREADABLE
        elif not isinstance(pools, Unknown):
            yield from ((stack, fault) for fault in _guarantee_faults(published, pools))
            yield from (
                (subject, fault)
                for subject in subjects
                if _is_admission_config(subject)
                for fault in _admission_faults(subject, pools)
            )


def _pools_of_namespaces(published: Plain) -> Mapping[str, frozenset[str]] | Unknown | None:
    """The pools of every namespace by its name; None if a part is absent or of another type."""
    namespaces = _namespaces(published)
    if namespaces is None or isinstance(namespaces, Unknown):
        return namespaces
    pools: dict[str, frozenset[str]] = {}
    for namespace in namespaces:
        name, pool_names = at(namespace, "name"), _texts(at(namespace, "pools"))
        if isinstance(name, Unknown) or isinstance(pool_names, Unknown):
            return UNKNOWN
        if not isinstance(name, str) or pool_names is None:
            return None
        pools[name] = frozenset(pool_names)
    return pools


def _namespaces(published: Plain) -> Sequence[Plain] | Unknown | None:
    """Those of all teams."""
    tenants = list_or_none(at(published, "tenants"))
    if tenants is None or isinstance(tenants, Unknown):
        return tenants
    namespaces: list[Plain] = []
    for tenant in tenants:
        tenant_namespaces = list_or_none(at(tenant, "namespaces"))
        if tenant_namespaces is None or isinstance(tenant_namespaces, Unknown):
            return tenant_namespaces
        namespaces += tenant_namespaces
    return namespaces


def _guarantee_faults(published: Plain, pools: Mapping[str, frozenset[str]]) -> Iterable[Fault]:
    for number, line in enumerate(known_items(at(published, "capacity"))):
        for index, claim in enumerate(known_items(at(line, "guaranteed"))):
            namespace, pool_names = (
                text(at(claim, "namespace")),
                [text(item) for item in known_items(at(claim, "pools"))],
            )
            allowed = pools.get(str(namespace), frozenset())
            outside = [name for name in pool_names if isinstance(name, str) and name not in allowed]
            if outside and namespace is not UNKNOWN:
                yield Fault(
                    f"{PUBLISHED}.capacity[{number}].guaranteed[{index}].pools",
                    f"a guarantee of {namespace} on {', '.join(outside)}",
                    f"pools that it may use: {_listing(allowed)}",
                    "guarantee it on those, or add the pool to the namespace's `pools` in the stack's settings",
                )


def _is_admission_config(subject: Subject) -> bool:
    """Whether it is the ConfigMap that the admission policies read."""
    return subject.is_a(CONFIG_MAP) and (subject.namespace, subject.name) == (parameters.NAMESPACE, parameters.NAME)


def _admission_faults(subject: Subject, pools: Mapping[str, frozenset[str]]) -> Iterable[Fault]:
    value = at(subject.body, "data", parameters.POOLS)
    if value is UNKNOWN:
        return
    lines = value.split("\n") if isinstance(value, str) else []
    admission_pools = {
        name: frozenset(filter(None, names.split(","))) for name, _, names in (line.partition("=") for line in lines)
    }
    for name in dict.fromkeys((*pools, *filter(None, admission_pools))):
        if admission_pools.get(name) != pools.get(name):
            yield Fault(
                f"data.{parameters.POOLS}",
                f"{name}: {_listing(admission_pools[name])}" if name in admission_pools else f"no pools for {name}",
                f"the pools that the stack publishes for {name}: {_listing(pools.get(name, frozenset()))}",
                "write both from one settings file: the API server reads the first, and people read the second",
            )


def _texts(value: Plain) -> Sequence[str] | Unknown | None:
    """A list of texts; None if the value is absent or of another type."""
    values = list_or_none(value)
    if values is None or isinstance(values, Unknown):
        return values
    if UNKNOWN in values:
        return UNKNOWN
    texts = [item for item in values if isinstance(item, str)]
    return texts if len(texts) == len(values) else None


def _listing(pools: frozenset[str]) -> str:
    return ", ".join(sorted(pools)) or _NONE


TENANT_POOLS_PUBLISHED = StackRule(
    name="tenant-pools-published",
    description="Quotas are served by pools that their namespaces may use, and the API server reads the same pools.",
    severity=Severity.HIGH,
    remediation="Set a namespace's `pools` in the settings only: guarantees, outputs and admission follow from them.",
    kinds=(STACK, CONFIG_MAP),
    judge=_pool_faults,
)

STACK_RULES = (TENANT_POOLS_PUBLISHED,)
