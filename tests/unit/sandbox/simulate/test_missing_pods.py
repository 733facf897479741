"""Missing pods: each workload is reported once, and only while its pods are missing."""

from __future__ import annotations

import pytest

from gpuplatform.render.document import Document, kubernetes_object
from sandbox.simulate.missing_pods import MissingPods, queue_waits, refusals, removals
from sandbox.simulate.owners import Owners, Workload, desired_pods, workload_of
from sandbox.simulate.snapshot import Snapshot

API = Workload("Deployment", "ml", "api")
QUOTA = "exceeded quota: cards, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1"


def made(kind: str, name: str, by: Document | None = None, **body: object) -> Document:
    document = {**kubernetes_object("v1", kind, name, "ml"), **body}
    if by is not None:
        owner = workload_of(by)
        above = {"kind": owner.kind, "name": owner.name, "controller": True}
        document["metadata"] = {"name": name, "namespace": "ml", "ownerReferences": [above]}
    return document


DEPLOYMENT = made("Deployment", "api", spec={"replicas": 3})
REPLICAS = made("ReplicaSet", "api-5d", DEPLOYMENT, spec={"replicas": 3})
OWNERS: Owners = {workload_of(document): document for document in (DEPLOYMENT, REPLICAS)}


def event(about: Document, message: str, at: str = "2026-11-21T10:00:00Z", reason: str = "FailedCreate") -> Document:
    owner = workload_of(about)
    involved = {"kind": owner.kind, "namespace": owner.namespace, "name": owner.name}
    return {"reason": reason, "message": message, "lastTimestamp": at, "involvedObject": involved}


def pods(count: int, of: Document = REPLICAS) -> list[Document]:
    return [made("Pod", f"p-{number}", of) for number in range(count)]


def test_ten_tries_of_one_controller_are_said_once_and_without_the_pod_s_random_name() -> None:
    tries = [event(REPLICAS, f'Error creating: pods "api-5d-{letter}" is forbidden: {QUOTA}') for letter in "abcdefghi"]
    last = f'(combined from similar events): Error creating: pods "api-5d-j" is forbidden: {QUOTA}'
    assert refusals([*tries, event(REPLICAS, last)], OWNERS, pods(1), [API]) == (MissingPods(API, (QUOTA,)),)


@pytest.mark.parametrize(
    "message",
    [
        'Error creating: pods "api-5d-x" is forbidden: why',
        'Error creating: Pod "api-5d-x" is invalid: why',
        'create Pod api-0 in StatefulSet api failed error: pods "api-0" is forbidden: why',
        'create Pod api-0 in StatefulSet api failed error: Pod "api-0" is invalid: why',
        "create Claim data-api-0 for Pod api-0 in StatefulSet api failed error: "
        'persistentvolumeclaims "data-api-0" is forbidden: why',
        '(combined from similar events): Error creating: Pod "api-5d-x" is invalid: why',
        "Error creating: why",
        "why",
    ],
)
def test_no_form_of_the_message_names_a_pod(message: str) -> None:
    (missing,) = refusals([event(REPLICAS, message)], OWNERS, [], [API])
    assert missing.messages == ("why",)


def test_the_latest_words_are_the_ones_that_count() -> None:
    early, late = event(REPLICAS, "early", "2026-11-21T10:00:00Z"), event(REPLICAS, "late", "2026-11-21T10:00:09Z")
    for order in ([early, late], [late, early]):
        assert refusals(order, OWNERS, [], [API]) == (MissingPods(API, ("late",)),)


def test_once_every_pod_is_there_an_earlier_refusal_is_none() -> None:
    tried = [event(REPLICAS, QUOTA)]
    assert refusals(tried, OWNERS, pods(2), [API])
    assert refusals(tried, OWNERS, pods(3), [API]) == ()
    leaving = made("Pod", "p-9", REPLICAS)
    assert isinstance(leaving["metadata"], dict)
    leaving["metadata"]["deletionTimestamp"] = "2026-11-21T10:00:00Z"
    assert refusals(tried, OWNERS, [*pods(2), leaving], [API]), "one that is being removed is not there"


def test_a_controller_that_is_gone_and_one_that_nobody_asked_about_hold_nothing_back() -> None:
    assert refusals([event(made("ReplicaSet", "api-old"), QUOTA)], OWNERS, [], [API]) == ()
    assert refusals([event(REPLICAS, QUOTA)], OWNERS, [], []) == ()
    assert refusals([event(REPLICAS, QUOTA, reason="ScalingReplicaSet")], OWNERS, [], [API]) == ()


@pytest.mark.parametrize(
    ("kind", "body", "count"),
    [
        ("ReplicaSet", {"spec": {"replicas": 0}}, 0),
        ("StatefulSet", {"spec": {}}, 1),
        ("Job", {"spec": {"parallelism": 8, "completions": 3}}, 3),
        ("Job", {"spec": {"parallelism": 8}}, 8),
        ("Job", {"spec": {"parallelism": 8, "suspend": True}}, 0),
        ("DaemonSet", {"status": {"desiredNumberScheduled": 4}}, 4),
    ],
)
def test_a_controller_says_how_many_pods_it_wants(kind: str, body: dict[str, object], count: int) -> None:
    assert desired_pods(made(kind, "x", None, **body)) == count


def test_a_pod_whose_node_is_not_there_is_missed_when_kubernetes_has_removed_it() -> None:
    sneaky = made("Pod", "sneaky", spec={"nodeName": "nowhere"})
    lost, there = made("Pod", "lost", spec={}), made("Pod", "there", spec={})
    missing = removals([sneaky, lost, there, DEPLOYMENT], [there])
    assert [(not_made.workload.name, not_made.was_removed) for not_made in missing] == [
        ("sneaky", True),
        ("lost", True),
    ]
    assert "the node nowhere, which does not exist" in missing[0].messages[0]
    assert not Snapshot((), missing, (), frozenset()).all_run


def test_a_queue_s_words_are_those_of_the_workload_that_it_holds() -> None:
    job = made("Job", "train")
    waiting = {"conditions": [{"type": "QuotaReserved", "status": "False", "message": "couldn't assign flavors"}]}
    held = made("Workload", "job-train", job, status=waiting)
    assert queue_waits([held], [workload_of(job)]) == (MissingPods(workload_of(job), ("couldn't assign flavors",)),)
    assert queue_waits([held], []) == ()
