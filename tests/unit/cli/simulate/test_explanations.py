"""Why pods do not run, and advice for each message of the scheduler and Karpenter."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from cli.simulate.explanations import Explanation, explanations
from cli.simulate.writing import explanation_lines
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.analysis.placement.view import StackView
from policies.subject import Subject, of_document
from sandbox.simulate.missing_pods import MissingPods
from sandbox.simulate.owners import Workload
from sandbox.simulate.snapshot import PodState, Snapshot
from tests.builders import ROOT, stack_settings

CHAT = Workload("Deployment", "ml-serving", "chat")
NO_ROOM = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate"
LIMITS = "Failed to schedule pod, all available instance types exceed limits for nodepool (NodePool={})"


@pytest.fixture(scope="module")
def view() -> StackView:
    return stack_view(stack_settings("dev"))


@pytest.fixture(scope="module")
def chat() -> Subject:
    path = ROOT / "examples" / "workloads" / "inference-whole-card.yaml"
    subjects = [of_document(document) for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))]
    return next(subject for subject in subjects if subject.kind == "Deployment")


def waits(scheduler: str = "", karpenter: str = "", node: str | None = None) -> Snapshot:
    return Snapshot((PodState(CHAT, "chat-1", node, {}, scheduler, karpenter),), (), (), frozenset())


def of(snapshot: Snapshot, chat: Subject, view: StackView) -> Explanation:
    (explanation,) = explanations(snapshot, [chat], view, "--stack dev")
    return explanation


def test_a_ceiling_that_is_reached_is_to_be_raised(chat: Subject, view: StackView) -> None:
    explanation = of(waits(NO_ROOM, LIMITS.format("infer-l4-24gb-spot")), chat, view)
    assert "infer-l4-24gb-spot: its ceiling is reached" in explanation.why
    assert any("finds no room" in reason for reason in explanation.why), "of the ladder's other steps it said nothing"
    assert "raise a ceiling" in explanation.change


def test_what_ec2_lacks_is_said_of_the_pool_alone_that_lacks_it(chat: Subject, view: StackView) -> None:
    explanation = of(replace(waits(NO_ROOM), exhausted_node_pools=frozenset(["infer-l4-24gb-spot"])), chat, view)
    assert any(reason.startswith("infer-l4-24gb-spot: EC2 has no capacity of g6.xlarge") for reason in explanation.why)


@pytest.mark.parametrize(
    ("scheduler", "karpenter", "change"),
    [
        ('0/1 nodes are available: persistentvolumeclaim "weights" not found.', "", "apply the claim"),
        ("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", "", "apply the claim"),
        (
            "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.",
            "unsatisfiable topology constraint for pod anti-affinity, key=topology.kubernetes.io/zone",
            "make the anti-affinity preferred",
        ),
        ("0/2 nodes are available: 2 node(s) didn't match pod affinity rules.", "", "make the affinity preferred"),
        (
            "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.",
            "unsatisfiable topology constraint for topology spread, key=kubernetes.io/hostname",
            "make the spread preferred",
        ),
    ],
)
def test_claims_affinities_and_spreads_are_answered_with_their_own_advice(
    scheduler: str, karpenter: str, change: str, chat: Subject, view: StackView
) -> None:
    explanation = of(waits(scheduler, karpenter), chat, view)
    assert explanation.change.startswith(change)
    assert len(explanation.why) == 1
    assert scheduler in explanation.messages
    assert "ceiling" not in f"{explanation.why} {explanation.change}"


def test_beside_a_full_pool_the_rule_that_keeps_the_others_closed_is_what_to_change(
    chat: Subject, view: StackView
) -> None:
    words = f"{LIMITS.format('infer-l4-24gb-spot')}; unsatisfiable topology constraint for pod affinity, key=zone"
    explanation = of(waits(NO_ROOM, words), chat, view)
    assert explanation.why[1:] == ("infer-l4-24gb-spot: its ceiling is reached",)
    assert explanation.change.startswith("make the affinity preferred")


@pytest.mark.parametrize(
    ("scheduler", "karpenter"),
    [
        ("0/1 nodes are available: 1 node(s) had something new.", ""),
        ("", "Failed to schedule pod, no instance type satisfied resources"),
        # Nodes that are there break the spread; a new one would not, and what it lacks is something else.
        ("0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints.", "something new"),
        ("1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use", ""),
    ],
)
def test_what_is_not_understood_is_repeated_without_advice(
    scheduler: str, karpenter: str, chat: Subject, view: StackView
) -> None:
    explanation = of(waits(scheduler, karpenter), chat, view)
    assert explanation.messages == tuple(filter(None, (scheduler, karpenter)))
    assert (explanation.why, explanation.change) == ((), "")
    assert explanation_lines(explanation)[1:] == [f"  original message: {message}" for message in explanation.messages]


def test_a_pod_on_a_node_that_is_not_there_waits_and_is_told_so(chat: Subject, view: StackView) -> None:
    snapshot = waits(node="a-node")
    assert not snapshot.all_run
    explanation = of(snapshot, chat, view)
    assert explanation.pods == 1
    assert explanation.why == ("the pods name the node a-node, which does not exist",)
    assert explanation.change.startswith("remove nodeName")


def test_what_is_held_back_is_one_explanation_a_workload(chat: Subject, view: StackView) -> None:
    says = ("exceeded quota: cards, requested: requests.nvidia.com/gpu=1", "another")
    explanation = of(Snapshot((), (MissingPods(CHAT, says),), (), frozenset()), chat, view)
    assert (explanation.pods, explanation.why) == (0, says)
    assert "raise the namespace's quota" in explanation.change
    gone = of(Snapshot((), (MissingPods(CHAT, ("it was removed",), was_removed=True),), (), frozenset()), chat, view)
    assert gone.change.startswith("remove nodeName, and use a Deployment")
