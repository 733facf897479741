"""Pods against the stack dev: what each rule that needs a stack refuses, with the change to make, and accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.analysis.placement.view import StackView
from gpuplatform.render.block import block as block_of
from gpuplatform.settings.source import Plain
from gpuplatform.standard import keys
from policies.judge import apply
from policies.rule import ViewRule
from policies.rules import VIEW_RULES
from policies.rules.pods.escape import POD_OFF_GPU_NODES
from policies.rules.pods.pools import POD_POOL_ALLOWED
from policies.rules.pods.queue import POD_QUEUE_ALLOWED
from policies.rules.pods.requests import POD_MEMORY_BOUNDED
from policies.rules.pods.stack import (
    POD_ONE_SHARE,
    POD_PRIORITY_ALLOWED,
    POD_REACHES_ONE_POOL,
    POD_REACHES_WHOLE_POOL,
    POD_RESOURCE_OFFERED,
    POD_WITHIN_QUOTA,
)
from policies.subject import UNKNOWN
from tests.builders import a_card, a_namespace, a_pool, a_tenant, some_settings, stack_settings
from tests.policies.documents import GONE, Document, but, requirement
from tests.policies.harness import subject
from tests.policies.pod_documents import a_deployment, a_headless_service, a_job, block, resources

DEV = stack_view(stack_settings("dev"))
_POD = ("spec", "template", "spec")
_SELECTOR = (*_POD, "nodeSelector")
_RESOURCES = (*_POD, "containers", 0, "resources")
_SPOT = ("karpenter.sh/capacity-type", "spot")


def in_pool(purpose: str, amount: object = "1", namespace: str = "ml-serving", **selector: str) -> Document:
    pod = but(a_deployment(), *_RESOURCES, resources(amount))
    for key, value in block(purpose, **selector).items():
        pod = but(pod, *_POD, key, value)
    return but(pod, "metadata", "namespace", namespace)


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
MORE_CPU = {"matchExpressions": [{"key": keys.INSTANCE_CPU, "operator": "Gt", "values": ["9999"]}]}
PREPARES: dict[str, object] = {
    "name": "prepare",
    "image": "registry.example/prepare:1",
    "resources": resources("1", "nvidia.com/mig-1g.10gb"),
}
CLAIM: dict[str, object] = {"name": "card", "resourceClaimTemplateName": "whole-card"}


def two_ways() -> Document:
    """A notebook on its own pool, or on a named node for training: the stack tells of no node's name."""
    expressions = {"matchExpressions": [requirement("gpu.pool", "In", "dev")]}
    named = {"matchExpressions": [requirement("gpu.pool", "In", "train"), {"key": keys.HOSTNAME, "operator": "Exists"}]}
    pod = but(in_pool("dev", "1", "ml-notebook"), *_SELECTOR, GONE)
    pod = but(pod, *_POD, "affinity", {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [expressions, named]}}})
    tolerated = ("nvidia.com/gpu", "dedicated", "gpu.pool")
    return but(pod, *_POD, "tolerations", [{"key": key, "operator": "Exists"} for key in tolerated])


EVERYTHING: list[dict[str, object]] = [{"operator": "Exists"}]
NEURON_TOLERATED: list[dict[str, object]] = [{"key": "aws.amazon.com/neuron", "operator": "Exists"}]


def on_neuron(resource: str) -> Document:
    """A server that asks for one of what Neuron nodes offer."""
    asks = {"requests": {resource: "1"}, "limits": {resource: "1"}}
    main = {"name": "main", "image": "registry.example/web:1", "resources": asks}
    return but(a_deployment(), *_POD, {"containers": [main], "tolerations": NEURON_TOLERATED})


def idle() -> Document:
    """A server without cards, which asks nothing of GPU nodes."""
    return but(a_deployment(), *_POD, {"containers": [{"name": "main", "image": "registry.example/web:1"}]})


def said(rule: ViewRule, document: Document, view: StackView = DEV) -> list[str]:
    judged = subject(document)
    assert rule.applies_to(judged)
    return [str(finding.fault) for finding in apply(rule, [judged], view)]


BROKEN: tuple[tuple[ViewRule, str, Document, tuple[str, ...]], ...] = (
    (
        POD_RESOURCE_OFFERED,
        "a slice that no pool is cut into",
        but(a_deployment(), *_RESOURCES, resources("1", "nvidia.com/mig-2g.20gb")),
        ("nvidia.com/mig-1g.10gb", "gpuplatform block"),
    ),
    (
        POD_REACHES_ONE_POOL,
        "a card that the purpose does not have",
        but(a_deployment(), *_SELECTOR, "gpu.model", "H200"),
        ("selects gpu.model=H200, and its nodes have gpu.model=", "no pool of dev"),
    ),
    (
        POD_REACHES_ONE_POOL,
        "more cards than a node has",
        in_pool("train", "16"),
        ("asks for 16 nvidia.com/gpu, and p4d.24xlarge has 8",),
    ),
    (
        POD_REACHES_ONE_POOL,
        "more memory than a node has",
        but(but(a_deployment(), *_RESOURCES, "requests", "memory", "4Ti"), *_RESOURCES, "limits", "memory", "4Ti"),
        ("of memory",),
    ),
    (
        POD_REACHES_ONE_POOL,
        "a slice asked of whole cards",
        but(in_pool("train"), *_RESOURCES, resources("1", "nvidia.com/mig-1g.10gb")),
        ("lands on no pool",),
    ),
    (
        POD_REACHES_WHOLE_POOL,
        "spot alone of two markets",
        but(a_deployment(), *_SELECTOR, *_SPOT),
        ("reaches only a part of the pool 'infer', not infer-", "karpenter.sh/capacity-type=on-demand"),
    ),
    (
        POD_REACHES_ONE_POOL,
        "more processors than any type of the pool has",
        but(a_deployment(), *_POD, "affinity", {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [MORE_CPU]}}}),
        ("selects karpenter.k8s.aws/instance-cpu Gt 9999",),
    ),
    (
        POD_REACHES_ONE_POOL,
        "a slice for what prepares, beside a whole card",
        but(a_deployment(), *_POD, "initContainers", [PREPARES]),
        ("asks for nvidia.com/mig-1g.10gb",),
    ),
    (
        POD_OFF_GPU_NODES,
        "everything tolerated",
        but(idle(), *_POD, "tolerations", [{"operator": "Exists"}]),
        ("spec.template.spec.tolerations: given a toleration of the taint nvidia.com/gpu", "a pod without cards"),
    ),
    (
        POD_OFF_GPU_NODES,
        "the cards' runtime",
        but(idle(), *_POD, "runtimeClassName", "nvidia"),
        ("spec.template.spec.runtimeClassName: given 'nvidia'",),
    ),
    (
        POD_OFF_GPU_NODES,
        "a claim that names no purpose",
        but(but(idle(), *_POD, "tolerations", [{"operator": "Exists"}]), *_POD, "resourceClaims", [CLAIM]),
        ("paste the block",),
    ),
    (
        POD_MEMORY_BOUNDED,
        "more than the namespace gives where no limit is named",
        but(but(a_deployment(), *_RESOURCES, "requests", "memory", "4Gi"), *_RESOURCES, "limits", "memory", GONE),
        ("resources.limits[memory]: given no limit beside a request of 4Gi", "ml-serving gives 1024Mi", "memory: 4Gi"),
    ),
    (
        POD_QUEUE_ALLOWED,
        "another team's priority",
        but(a_deployment(), "metadata", "labels", {keys.QUEUE_PRIORITY: "training-normal"}),
        ("a priority of ml-serving: inference-critical",),
    ),
    (POD_ONE_SHARE, "two shares of a card", in_pool("dev", "2"), ("asks for 2 shares", "ask for 1 nvidia.com/gpu")),
    (POD_ONE_SHARE, "more shares than a node has", in_pool("dev", "64"), ("asks for 64 shares",)),
    (
        POD_PRIORITY_ALLOWED,
        "a class of another team's",
        but(a_job(), *_POD, "priorityClassName", "inference-critical"),
        ("'inference-critical'", "set priorityClassName: training-normal"),
    ),
    (
        POD_PRIORITY_ALLOWED,
        "no class",
        but(a_job(), *_POD, "priorityClassName", GONE),
        ("given nothing", "ml-training may use"),
    ),
    (
        POD_PRIORITY_ALLOWED,
        "a class outside every team's namespace",
        but(a_deployment(), "metadata", "namespace", "default"),
        ("only in the namespaces that may use it: ml-serving",),
    ),
    (
        POD_PRIORITY_ALLOWED,
        "the cluster's own class",
        but(a_deployment(), *_POD, "priorityClassName", "system-cluster-critical"),
        ("set priorityClassName: inference-critical",),
    ),
    (
        POD_POOL_ALLOWED,
        "a notebook on eight cards for training",
        in_pool("train", "8", "ml-notebook"),
        (
            "spec.template.spec: given a pod that may land on train; allowed: the pools of ml-notebook: dev;",
            "CPU pools are open to all",
            "gpuplatform block",
            "the namespace's `pools`",
        ),
    ),
    (POD_POOL_ALLOWED, "serving on a training pool", in_pool("train", "8"), ("land on train", "ml-serving: infer;")),
    (
        POD_POOL_ALLOWED,
        "a card wherever there is one",
        but(but(a_deployment(), *_SELECTOR, GONE), *_POD, "tolerations", EVERYTHING),
        ("may land on dev, train;",),
    ),
    (POD_POOL_ALLOWED, "a Neuron device without a quota of them", on_neuron("aws.amazon.com/neuron"), ("inferentia",)),
    (POD_POOL_ALLOWED, "Neuron cores", on_neuron("aws.amazon.com/neuroncore"), ("may land on inferentia;",)),
    (
        POD_POOL_ALLOWED,
        "a second way, by a label that only nodes tell",
        two_ways(),
        ("may land on train;",),
    ),
    (
        POD_POOL_ALLOWED,
        "Neuron cores beside a device of which nothing is known",
        but(on_neuron("aws.amazon.com/neuroncore"), *_RESOURCES, "limits", "vpc.amazonaws.com/pod-eni", "1"),
        ("may land on inferentia;",),
    ),
    (
        POD_POOL_ALLOWED,
        "nothing of a Neuron node but its processors",
        but(idle(), *_POD, "tolerations", NEURON_TOLERATED),
        ("may land on inferentia;",),
    ),
    (
        POD_WITHIN_QUOTA,
        "cards of which the namespace has none",
        but(
            in_pool("train", namespace="ml-notebook", **{"gpu.mig": "enabled", "gpu.mig.profile": "1g.10gb"}),
            *_RESOURCES,
            resources("1", "nvidia.com/mig-1g.10gb"),
        ),
        ("1 nvidia.com/mig-1g.10gb in one pod", "at most 0, the quota of ml-notebook"),
    ),
)


@pytest.mark.parametrize(
    ("rule", "what", "document", "words"), BROKEN, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_pod_that_the_stack_cannot_take_is_refused_with_the_way_to_mend_it(
    rule: ViewRule, what: str, document: Document, words: tuple[str, ...]
) -> None:
    messages = said(rule, document)
    assert messages, "the rule did not bite"
    for word in words:
        assert any(word in message for message in messages), f"nobody said {word!r}: {messages}"


@pytest.mark.parametrize("rule", VIEW_RULES, ids=lambda rule: rule.name)
def test_every_rule_that_needs_a_stack_is_shown_to_bite(rule: ViewRule) -> None:
    assert any(case[0] is rule for case in BROKEN)


GOOD = (a_deployment(), but(a_job(), *_POD, "priorityClassName", "training-normal"), in_pool("dev", namespace="x"))


@pytest.mark.parametrize("rule", VIEW_RULES, ids=lambda rule: rule.name)
def test_a_pod_that_pastes_its_block_is_let_pass(rule: ViewRule) -> None:
    for document in GOOD[:2]:
        assert said(rule, document) == []
    if rule is not POD_PRIORITY_ALLOWED:
        assert said(rule, GOOD[2]) == []
    assert not rule.applies_to(subject(a_headless_service()))


def test_one_mistake_is_said_once() -> None:
    for rule, _, document, _ in BROKEN:
        also = {view_rule.name for view_rule in VIEW_RULES if said(view_rule, document)} - {rule.name}
        # Where a pod does not fit, its namespace's pools, quota or class may be another mistake of its own.
        assert also <= {POD_POOL_ALLOWED.name, POD_PRIORITY_ALLOWED.name, POD_WITHIN_QUOTA.name}, (rule.name, also)


def test_what_a_simpler_rule_says_already_is_not_said_again() -> None:
    for broken in (
        but(a_deployment(), *_SELECTOR, GONE),
        but(a_deployment(), *_POD, "tolerations", GONE),
        but(a_deployment(), *_RESOURCES, resources("1", "nvidia.com/mig-2g.20gb")),
    ):
        assert said(POD_REACHES_ONE_POOL, broken) == []


def test_a_pod_that_lands_on_two_pools_is_told_what_parts_them() -> None:
    pools: list[Plain] = [a_pool(), a_pool(name="other", cards=_cards("A10G-24GB", "g5.xlarge"))]
    view = stack_view(some_settings(pools=pools))
    (message,) = said(POD_REACHES_ONE_POOL, in_pool("infer"), view)
    assert "several pools of test: serve, other" in message
    assert "gpu.model" in message
    assert said(POD_REACHES_ONE_POOL, in_pool("infer", **{"gpu.model": "L4"}), view) == []


def test_a_pod_too_large_for_some_cards_of_its_pool_reaches_all_that_it_could() -> None:
    cards = _cards("L4-24GB", "g6.xlarge") + _cards("A10G-24GB", "g5.12xlarge")
    view = stack_view(some_settings(pools=[a_pool(cards=cards)]))
    assert said(POD_REACHES_WHOLE_POOL, in_pool("infer", "4"), view) == []
    assert said(POD_REACHES_ONE_POOL, in_pool("infer", "4"), view) == []


def _cards(card: str, instance_type: str) -> list[Plain]:
    return [a_card(card, [instance_type])]


@pytest.mark.parametrize("rule", VIEW_RULES, ids=lambda rule: rule.name)
def test_nothing_is_said_of_a_pod_that_is_not_known_yet(rule: ViewRule) -> None:
    for path in (("tolerations",), ("nodeSelector",), ("containers",), ("priorityClassName",)):
        assert said(rule, but(a_deployment(), *_POD, *path, UNKNOWN)) == []


def test_a_pod_without_cards_and_without_demands_is_let_pass() -> None:
    assert said(POD_OFF_GPU_NODES, idle()) == []
    agent = but(idle(), *_POD, "tolerations", [{"operator": "Exists"}])
    assert said(POD_OFF_GPU_NODES, but(agent, "metadata", "namespace", "kube-system")) == []
    spot = [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]
    assert said(POD_OFF_GPU_NODES, but(idle(), *_POD, "tolerations", spot)) == []


def test_a_request_within_the_default_limit_is_let_pass() -> None:
    small = but(a_deployment(), *_RESOURCES, "requests", "memory", "1Gi")
    assert said(POD_MEMORY_BOUNDED, but(small, *_RESOURCES, "limits", "memory", GONE)) == []


def view_of(namespace: dict[str, Plain], **others: Plain) -> StackView:
    return stack_view(some_settings(tenants=[a_tenant(namespaces=[namespace])], **others))


TWO_PURPOSES: dict[str, Plain] = {"pools": [a_pool(), a_pool(name="learn", purpose="train")]}
NEURON: dict[str, Plain] = {"name": "neuron", "instance_types": ["inf2.xlarge"], "ceiling_devices": 4}


def test_a_namespace_may_use_the_pools_of_its_priorities_purposes_and_those_that_it_names_instead() -> None:
    named = a_namespace(pools=["learn", "serve"])
    for namespace, on_train in ((a_namespace(), False), (named, True)):
        view = view_of(namespace, **TWO_PURPOSES)
        assert said(POD_POOL_ALLOWED, in_pool("infer"), view) == []
        assert (said(POD_POOL_ALLOWED, in_pool("train"), view) == []) is on_train


@pytest.mark.parametrize(
    ("quota", "pools", "may"),
    [
        ({"aws.amazon.com/neuron": 1}, [], True),
        ({"aws.amazon.com/neuron": 0}, [], False),
        ({}, [], False),
        ({}, ["neuron"], True),
        ({"aws.amazon.com/neuron": 1}, ["neuron"], True),
    ],
    ids=str,
)
def test_a_namespace_may_use_neuron_pools_of_which_it_has_a_quota_or_which_it_names(
    quota: dict[str, Plain], pools: list[Plain], may: bool
) -> None:
    view = view_of({**a_namespace(), "pools": pools, "quota": quota}, neuron_pools=[NEURON])
    for pod in (on_neuron("aws.amazon.com/neuron"), but(idle(), *_POD, "tolerations", NEURON_TOLERATED)):
        assert (said(POD_POOL_ALLOWED, pod, view) == []) is may


def test_serving_keeps_off_training_nodes_with_efa_whatever_its_priority() -> None:
    settings = stack_settings("prod")
    (pool,) = (pool for pool in settings.pools if pool.name == "train-efa")
    pod = but(a_deployment(), *_RESOURCES, resources("8"))
    pasted = block_of(pool).as_pod_fragment()
    for part in ("nodeSelector", "tolerations"):
        pod = but(pod, *_POD, part, pasted[part])
    prod = stack_view(settings)
    (message,) = said(POD_POOL_ALLOWED, pod, prod)
    assert "may land on train-efa; allowed: the pools of ml-serving: infer, infer-thirds" in message
    assert said(POD_POOL_ALLOWED, but(pod, "metadata", "namespace", "ml-training"), prod) == []


def test_cpu_pools_are_open_to_every_namespace() -> None:
    for namespace in ("ml-serving", "ml-training", "ml-notebook"):
        pod = but(idle(), "metadata", "namespace", namespace)
        assert DEV.namespace(namespace) is not None
        assert said(POD_POOL_ALLOWED, pod) == []
        arm64 = [{"key": keys.ARCHITECTURE, "operator": "Equal", "value": "arm64"}]
        assert said(POD_POOL_ALLOWED, but(pod, *_POD, "tolerations", arm64)) == []
        assert said(POD_POOL_ALLOWED, but(pod, *_SELECTOR, {keys.NODEPOOL: "cpu"})) == []


def test_what_belongs_to_no_team_is_held_to_no_pools() -> None:
    for namespace in ("kube-system", GONE):
        assert said(POD_POOL_ALLOWED, but(in_pool("train", "8"), "metadata", "namespace", namespace)) == []


def test_a_pod_too_large_for_the_nodes_of_today_is_held_to_its_pools_all_the_same() -> None:
    pod = but(in_pool("train", "8"), *_RESOURCES, resources("8") | {"requests": {"nvidia.com/gpu": "8", "cpu": "999"}})
    assert "may land on train" in said(POD_POOL_ALLOWED, pod)[0]


def test_a_queued_job_names_a_pool_of_its_namespace_like_any_other() -> None:
    prod = stack_view(stack_settings("prod"))
    queued = but(a_job(), "metadata", "labels", {keys.QUEUE_NAME: "default"})
    assert said(POD_POOL_ALLOWED, queued, prod) == []
    unselective = but(queued, *_SELECTOR, GONE)
    assert said(POD_POOL_ALLOWED, unselective, prod) == [], "its tolerations hold it to its own purpose"
    anywhere = but(but(unselective, *_POD, "tolerations", EVERYTHING), *_RESOURCES, resources())
    assert (
        "may land on infer, infer-thirds, infer-halves, infer-large, dev, dev-halves;"
        in said(POD_POOL_ALLOWED, anywhere, prod)[0]
    )


def test_work_of_a_queued_namespace_waits_in_that_namespaces_queue() -> None:
    view = stack_view(stack_settings("prod"))
    job = but(a_job(), "metadata", "labels", {keys.QUEUE_NAME: "fast", keys.QUEUE_PRIORITY: "training-normal"})
    (message,) = said(POD_QUEUE_ALLOWED, job, view)
    assert (
        "metadata.labels[kueue.x-k8s.io/queue-name]: given 'fast'; allowed: the queue of ml-training: default"
        in message
    )
    assert said(POD_QUEUE_ALLOWED, but(job, "metadata", "labels", keys.QUEUE_NAME, "default"), view) == []
    assert said(POD_QUEUE_ALLOWED, but(job, "metadata", "labels", keys.QUEUE_NAME, UNKNOWN), view) == []


def test_labels_that_nobody_can_tell_keep_a_pod_from_nothing() -> None:
    for key, value in (("topology.k8s.aws/zone-id", "use1-az1"), ("beta.kubernetes.io/arch", "amd64")):
        assert said(POD_REACHES_ONE_POOL, but(a_deployment(), *_SELECTOR, key, value)) == []
    region = but(a_deployment(), *_SELECTOR, keys.REGION, "us-east-1")
    assert said(POD_REACHES_ONE_POOL, region) == []
    assert said(POD_REACHES_ONE_POOL, but(region, *_SELECTOR, keys.REGION, "eu-west-1")) != []


def test_without_a_namespace_nothing_is_said_of_what_it_allows() -> None:
    nowhere = but(a_job(), "metadata", "namespace", GONE)
    assert said(POD_PRIORITY_ALLOWED, nowhere) == said(POD_WITHIN_QUOTA, nowhere) == []


def test_a_stack_without_pools_says_so() -> None:
    empty = StackView("bare", (), ())
    assert "no cards" in said(POD_RESOURCE_OFFERED, a_deployment(), empty)[0]
    assert replace(empty, environment="other").card_resources == frozenset()
