"""When a workload's rollout is complete, and the message about a pod that has no node."""

from __future__ import annotations

import pytest

from sandbox.cloud.rollout import stands, unscheduled
from sandbox.cloud.store import Properties


def a_workload(kind: str, generation: int = 2, **status: int) -> Properties:
    return {
        "kind": kind,
        "metadata": {"generation": generation},
        "spec": {"replicas": 2},
        "status": {"observedGeneration": 2, **status},
    }


ALL = {"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2}


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_workload_stands_once_every_pod_of_its_present_template_is_ready_and_no_other_is_left(kind: str) -> None:
    assert stands(a_workload(kind, **ALL))
    assert not stands(a_workload(kind, **{**ALL, "readyReplicas": 1}))
    assert not stands(a_workload(kind, **{**ALL, "updatedReplicas": 1}))
    assert not stands(a_workload(kind, **{**ALL, "replicas": 3}))
    assert not stands(a_workload(kind, generation=3, **ALL))


def test_a_daemon_set_stands_on_every_node_that_it_is_meant_for_and_without_such_nodes_at_once() -> None:
    three = {"desiredNumberScheduled": 3, "numberReady": 3, "updatedNumberScheduled": 3}
    assert stands(a_workload("DaemonSet", **three))
    assert not stands(a_workload("DaemonSet", **{**three, "numberReady": 2}))
    assert stands(a_workload("DaemonSet", desiredNumberScheduled=0, numberReady=0))


def test_a_job_stands_once_it_has_succeeded_and_what_is_not_there_does_not() -> None:
    assert stands(a_workload("Job", succeeded=1))
    assert not stands(a_workload("Job"))
    assert not stands({})


def test_the_schedulers_words_are_those_of_the_pod() -> None:
    condition: Properties = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}
    assert unscheduled({"status": {"conditions": [condition]}}) == "0/3 nodes are available"
    assert unscheduled({"status": {"conditions": [{**condition, "status": "True"}]}}) is None
    assert unscheduled({"status": {}}) is None
