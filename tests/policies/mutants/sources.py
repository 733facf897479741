"""What is broken: everything that the three stacks register, the example workloads, and the kinds that neither has."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.accept import check_file
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.analysis.placement.view import StackView
from gpuplatform.settings.settings import Settings
from policies.lint.judging import objects_of, read
from policies.nodepool import LABELS_PATH
from policies.rule import Rule, StackRule
from policies.rules import CHANGE_RULES, RULES, STACK_RULES, VIEW_RULES
from policies.subject import Kind, Subject, mapping_at, of_document, of_resource
from sandbox.cloud.eks import EksProvider
from tests.builders import ROOT
from tests.policies.cloud_documents import a_load_balancer
from tests.policies.documents import GOOD, Document, a_training_pool
from tests.policies.harness import subject
from tests.recorder import Registered, record
from tests.unit.components.builders import BUILDERS

STACKS = ("dev", "staging", "prod")
EXAMPLES, WRITTEN = "examples", "written"
SOURCES = (*STACKS, EXAMPLES, WRITTEN)
_CLUSTER = "eks:index:Cluster"
_NODE: Document = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "ip-10-0-0-1", "labels": mapping_at(of_document(a_training_pool()), *LABELS_PATH.split("."))},
}
"""A node as a NodePool makes it: no stack registers one."""


@dataclass(frozen=True, slots=True)
class Source:
    """Subjects that are judged together and break no rule."""

    name: str
    subjects: tuple[Subject, ...]
    view: StackView | None
    """The stack that pods are checked against; None if there is none."""


@functools.cache
def source(name: str) -> Source:
    """One of ``SOURCES``."""
    if name == EXAMPLES:
        files = sorted((ROOT / "examples" / "workloads").glob("*.yaml"))
        subjects = [example for path in files for example in objects_of(read(path, path.name))[0]]
        return Source(name, tuple(subjects), stack_view(_settings("dev")))
    if name == WRITTEN:
        seen = {_kind(document) for other in (*STACKS, EXAMPLES) for document in source(other).subjects}
        others = [document for document in map(subject, GOOD) if _kind(document) not in seen]
        return Source(name, (*others, *map(subject, (_NODE, a_load_balancer()))), None)
    return Source(name, tuple(_judged(_registered(_settings(name)))), None)


def _settings(stack: str) -> Settings:
    settings = check_file(ROOT / f"Pulumi.{stack}.yaml").settings
    assert settings is not None, f"the stack {stack} is accepted"
    return settings


def _registered(settings: Settings) -> list[Registered]:
    """Every resource of every component; those inside the cluster component come from its stand-in."""

    def program() -> None:
        for component, build in BUILDERS.items():
            build(component.__name__.lower(), settings, None)

    made = record(program)
    (cluster,) = made.of(_CLUSTER)
    inside = record(lambda: EksProvider("0.0.0").construct(cluster.name, cluster.type, cluster.inputs))
    return [resource for resource in (*made.resources, *inside.resources) if resource.type != _CLUSTER]


def _judged(resources: Iterable[Registered]) -> Iterable[Subject]:
    """The resources that some rule is about."""
    for resource in resources:
        judged = of_resource(resource.type, resource.name, resource.inputs)
        if _kind(judged) in _KINDS:
            yield judged


def _kind(of: Subject) -> Kind:
    return Kind(of.api_version.rpartition("/")[0], of.kind)


_EVERY: tuple[Rule | StackRule, ...] = (*RULES, *STACK_RULES)
_KINDS = {kind for rule in (*_EVERY, *VIEW_RULES, *CHANGE_RULES) for kind in rule.kinds}
