"""Replicas of a server spread over hosts and zones, so that the loss of one host or zone does not stop them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.faults import Fault
from gpuplatform.standard import keys
from policies.cel import NotInCluster
from policies.pod import PREFERRED, REQUIRED, asks_for_cards
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Kind, Plain, Subject, Unknown, at, items, mapping, number, text
from policies.workloads import PodTemplate, pod_templates

DEPLOYMENT = Kind("apps", "Deployment")

_DOMAINS = {keys.HOSTNAME: "on one host", keys.ZONE: "in one zone"}
_ANTI_AFFINITY = (
    (REQUIRED, ()),
    (PREFERRED, ("podAffinityTerm",)),
)


def _replicas_in_one_domain(subject: Subject) -> Iterable[Fault]:
    replicas = number(at(subject.body, "spec", "replicas"))
    if isinstance(replicas, Unknown) or replicas is None or replicas <= 1:
        return  # one alone, or an autoscaler's number
    for pod in pod_templates(subject):
        if not asks_for_cards(pod):
            continue
        topology_keys = [*_topology_keys(pod)]
        for domain, place in _DOMAINS.items():
            if UNKNOWN not in topology_keys and domain not in topology_keys:
                yield Fault(
                    f"{pod.spec_path}.topologySpreadConstraints",
                    f"{text(at(subject.body, 'spec', 'replicas'))} replicas that may all run {place}",
                    f"a constraint, or an anti-affinity, with topologyKey: {domain} that selects the pods' own labels",
                    f"add a constraint with topologyKey: {domain} and maxSkew: 1; whenUnsatisfiable: ScheduleAnyway "
                    "makes it a preference",
                )


def _topology_keys(pod: PodTemplate) -> Iterator[Plain]:
    """The topology key of every term that keeps these pods from each other; UNKNOWN if a term is."""
    lists = [(pod.spec.get("topologySpreadConstraints"), ())]
    anti_affinity = at(pod.spec.get("affinity"), "podAntiAffinity")
    lists += [(at(anti_affinity, strength), path) for strength, path in _ANTI_AFFINITY]
    for value, path in lists:
        terms = items(value)
        for item in (UNKNOWN,) if isinstance(terms, Unknown) else terms:
            term = at(item, *path)
            if _selects(term, at(pod.metadata, "labels")):
                yield at(term, "topologyKey")


def _selects(term: Plain, labels: Plain) -> bool:
    """Whether a term counts pods of such labels; one without a selector counts none."""
    selector = at(term, "labelSelector")
    match_labels = mapping(at(selector, "matchLabels"))
    if selector is None or labels is None or isinstance(match_labels, Unknown):
        return isinstance(match_labels, Unknown)
    return all(UNKNOWN in (label := at(labels, key), value) or label == value for key, value in match_labels.items())


SERVING_REPLICAS_SPREAD = Rule(
    name="serving-replicas-spread",
    description="A Deployment of several pods with cards spreads them over hosts and zones.",
    severity=Severity.MEDIUM,
    remediation=f"Add topologySpreadConstraints on {keys.HOSTNAME} and {keys.ZONE}.",
    kinds=(DEPLOYMENT,),
    judge=_replicas_in_one_domain,
    admission=NotInCluster("replicas on one node harm only their own team, and a pod does not show the other replicas"),
)

RULES = (SERVING_REPLICAS_SPREAD,)
