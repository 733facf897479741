"""The stack's queues on the real Kueue, with the real Karpenter and the real scheduler.

One control plane serves every scenario; each scenario deletes its own objects.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import pytest
import yaml

from gpuplatform.render.document import Document, as_yaml, kubernetes_object
from gpuplatform.render.queues.objects import VERSION
from gpuplatform.render.queues.values import CHART
from gpuplatform.render.stack import render
from sandbox.cluster import Cluster, ClusterCommands, cluster
from sandbox.errors import RefusedError
from sandbox.offerings import ec2_of
from tests.figures import Figures
from tests.kubectl import kubectl
from tests.placement.queue_stack import (
    BLOCK,
    BLOCK_NODES,
    ELASTIC_NODES,
    GPU,
    NODE_CARDS,
    job_of,
    queue_settings,
    spec_of,
)

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

SETTINGS = queue_settings()
POOLS = {pool.name: pool for pool in SETTINGS.pools}
LIMIT_SECONDS = 360.0
START_SECONDS = 25
BACKOFF_SECONDS = 5
TEAMS = ("alpha", "beta", "gamma", "delta")
WORKLOADS = (VERSION, "Workload")


@pytest.fixture(scope="module")
def queues(cluster_commands: ClusterCommands, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The stack with its own Kueue; only the time limit for a job's start is shorter than settings allow."""
    rendered = render(SETTINGS)
    values: Any = rendered.kueue_values[CHART]
    configuration = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
    waits = configuration["waitForPodsReady"]
    waits |= {"timeout": f"{START_SECONDS}s", "recoveryTimeout": f"{START_SECONDS}s"}
    waits["requeuingStrategy"] |= {"backoffBaseSeconds": BACKOFF_SECONDS}
    values |= {"managerConfig": {"controllerManagerConfigYaml": as_yaml(configuration)}}
    folder = tmp_path_factory.mktemp("queues")
    ec2, kinds = ec2_of(SETTINGS), rendered.documents
    with cluster(folder, cluster_commands, ec2, rendered.karpenter_values, values, kinds_of=kinds) as running:
        running.apply_stack(rendered)
        assert running.settle(LIMIT_SECONDS) == ()
        yield running


@pytest.fixture
def on(queues: Cluster) -> Iterator[Cluster]:
    """The same cluster; after a test its objects are deleted, and its nodes stay."""
    yield queues
    queues.karpenter.restore()
    for namespace in (*TEAMS, "ml-serving", "trials"):
        gone = kubectl(queues.plane)(
            "delete", "jobs,deployments,pods", "--all", "-n", namespace, "--grace-period=0", "--force"
        )
        assert gone.ok, gone.err
    until(lambda: not queues.pods() and not queues.items(*WORKLOADS))


def until(what: Callable[[], bool], limit_seconds: float = LIMIT_SECONDS) -> float:
    """Wait until a condition is true; returns the seconds. A failure takes the whole limit."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < limit_seconds
        time.sleep(0.2)
    return time.monotonic() - begun


def a_job(team: str, name: str, cards: int, pods: int = 1, pool: str = "train", **more: Any) -> Document:
    """A job of so many pods with so many cards each."""
    spec = spec_of(POOLS[pool], cards, more.get("priority", "training-normal"))
    return job_of(spec, team, name, pods, more.get("annotations"))


def running_cards(on: Cluster, team: str) -> int:
    """The number of cards of the team's running pods."""
    pods = on.items("v1", "Pod", team, fields={"status.phase": "Running"})
    return sum(int(cast(Any, pod)["spec"]["containers"][0]["resources"]["requests"][GPU]) for pod in pods)


def condition(on: Cluster, team: str, job: str, kind: str) -> Mapping[str, str] | None:
    """A condition of the job's workload."""
    for workload in cast(list[Any], on.items(*WORKLOADS, team)):
        if any(owner["name"] == job for owner in workload["metadata"].get("ownerReferences", [])):
            return next(
                (entry for entry in workload.get("status", {}).get("conditions", []) if entry["type"] == kind), None
            )
    return None


def is_so(on: Cluster, team: str, job: str, kind: str) -> bool:
    job_condition = condition(on, team, job, kind)
    return job_condition is not None and job_condition["status"] == "True"


def say(figures: Figures, scenario: str, *lines: str) -> None:
    """Report the scenario's figures, also where pytest hides the output of passing tests."""
    figures(f"{scenario}: " + "\n  ".join(lines))


def test_two_teams_share_idle_cards_by_weight_and_give_them_back(on: Cluster, figures: Figures) -> None:
    lent = 16
    for team in ("alpha", "beta"):
        on.apply([a_job(team, f"idle-{number}", 2) for number in range(12)])
    shared = until(lambda: running_cards(on, "alpha") + running_cards(on, "beta") == ELASTIC_NODES * NODE_CARDS)
    by_weight = {team: running_cards(on, team) for team in ("alpha", "beta")}
    assert by_weight == {"alpha": 8 + lent * 3 // 4, "beta": 8 + lent // 4}

    on.apply([a_job("gamma", f"own-{number}", 2) for number in range(lent // 2)])
    back = until(lambda: running_cards(on, "gamma") == lent)
    until(lambda: running_cards(on, "alpha") == running_cards(on, "beta") == 8)
    say(
        figures,
        "idle cards by weight 3 to 1",
        f"{lent} idle of gamma's: alpha {by_weight['alpha']} cards, beta {by_weight['beta']} after {shared:.0f} s",
        f"gamma has its {lent} back after {back:.0f} s: alpha 8, beta 8",
    )


def test_a_job_of_the_team_that_was_borrowed_from_preempts_the_borrower_of_lower_priority(
    on: Cluster, figures: Figures
) -> None:
    on.apply([a_job("alpha", "trial", NODE_CARDS, priority="experiment-low"), a_job("beta", "own", NODE_CARDS)])
    on.apply([a_job("alpha", "first", NODE_CARDS), a_job("alpha", "second", NODE_CARDS)])
    until(lambda: running_cards(on, "alpha") + running_cards(on, "beta") == ELASTIC_NODES * NODE_CARDS)

    on.apply([a_job("gamma", "urgent", NODE_CARDS, priority="inference-critical")])
    took = until(lambda: running_cards(on, "gamma") == NODE_CARDS)
    assert not is_so(on, "alpha", "trial", "Admitted")
    evicted = condition(on, "alpha", "trial", "Preempted")
    assert evicted is not None
    assert evicted["reason"] == "InCohortReclamation"
    messages = [
        str(event["message"])
        for event in on.items("v1", "Event", "alpha")
        if event["reason"] == "Preempted" and "preemptor path: /gpu-platform/gamma" in str(event["message"])
        if "job-trial" in str(event["involvedObject"])
    ]
    assert messages
    say(figures, "a borrower is preempted", f"after {took:.0f} s, alpha keeps 16 of 24 cards", messages[0])


def test_a_job_larger_than_the_quota_waits_with_the_reason(on: Cluster, figures: Figures) -> None:
    on.apply([a_job("alpha", "huge", NODE_CARDS, pods=ELASTIC_NODES), a_job("alpha", "small", 1)])
    until(lambda: running_cards(on, "alpha") == 1)
    until(lambda: condition(on, "alpha", "huge", "QuotaReserved") is not None)
    waits = condition(on, "alpha", "huge", "QuotaReserved")
    assert waits is not None
    assert (waits["status"], waits["reason"]) == ("False", "Pending")
    assert GPU in waits["message"]
    assert "32" in waits["message"]
    say(figures, "32 cards asked of 8 + 16", waits["message"])


def test_a_job_that_names_no_pool_starts_nothing_and_says_why(on: Cluster, figures: Figures) -> None:
    anywhere: Any = spec_of(POOLS["train"], 1)
    del anywhere["nodeSelector"], anywhere["tolerations"]
    on.apply([job_of(anywhere, "alpha", "anywhere"), job_of(anywhere, "delta", "neither"), a_job("alpha", "named", 1)])
    until(lambda: running_cards(on, "alpha") == 1)
    for team, job in (("alpha", "anywhere"), ("delta", "neither")):
        until(lambda team=team, job=job: condition(on, team, job, "QuotaReserved") is not None)
    waits = condition(on, "alpha", "anywhere", "QuotaReserved")
    assert waits is not None
    assert (waits["status"], waits["reason"]) == ("False", "Pending")
    assert "untolerated taint" in waits["message"]
    assert "in flavor train-a100-40gb-on-demand" in waits["message"]
    assert not is_so(on, "delta", "neither", "QuotaReserved")
    assert [pod.name.rsplit("-", 2)[0] for pod in on.pods("alpha")] == ["named"]
    assert not on.pods("delta")
    say(figures, "a job that names no pool", waits["message"])


def test_neuron_devices_pass_a_queue_that_does_not_count_them(on: Cluster) -> None:
    devices: Any = spec_of(POOLS["train"], 1)
    for resource in devices["containers"][0]["resources"].values():
        del resource[GPU]
        resource["aws.amazon.com/neuron"] = "1"
    on.apply([job_of(devices, "alpha", "inference")])
    until(lambda: is_so(on, "alpha", "inference", "Admitted"))
    until(lambda: bool(on.pods("alpha")))
    assert [pod.node for pod in on.pods("alpha")] == [None], "let go by its queue; no node here has such a device"


def test_four_nodes_that_stand_are_given_whole_or_not_at_all(on: Cluster, figures: Figures) -> None:
    together = {"kueue.x-k8s.io/podset-required-topology": "topology.kubernetes.io/zone"}
    holds = a_job("delta", "holds", 1, pool=BLOCK, annotations=together)
    on.apply([holds])
    until(lambda: running_cards(on, "delta") == 1)
    on.apply([a_job("delta", "pretrain", 1, pods=BLOCK_NODES, pool=BLOCK, annotations=together)])
    until(lambda: condition(on, "delta", "pretrain", "QuotaReserved") is not None)
    waits = condition(on, "delta", "pretrain", "QuotaReserved")
    assert waits is not None
    assert waits["status"] == "False"
    assert len(on.pods("delta")) == 1, "three nodes are idle, and no pod takes only some of them"

    on.delete([holds])
    took = until(lambda: running_cards(on, "delta") == BLOCK_NODES)
    nodes = {pod.node for pod in on.pods("delta")}
    zones = {node.zone for node in on.nodes() if node.name in nodes}
    assert (len(nodes), len(zones)) == (BLOCK_NODES, 1)
    say(
        figures,
        f"{BLOCK_NODES} standing nodes",
        f"one node taken: 0 pods start, {waits['message']}",
        f"after it is freed: {BLOCK_NODES} pods on {len(nodes)} nodes of one zone after {took:.0f} s",
    )


def test_four_nodes_that_are_still_to_be_bought_are_had_whole_or_given_back(on: Cluster, figures: Figures) -> None:
    def bought() -> list[str]:
        return [node.name for node in on.nodes() if node.nodepool.startswith("train")]

    cards = 6  # more than half a node: each pod has its own
    on.apply([a_job("alpha", "warms", cards, pods=3)])
    until(lambda: running_cards(on, "alpha") == 3 * cards)
    kubectl(on.plane)("delete", "jobs", "--all", "-n", "alpha")
    while len(bought()) > 3:
        sold = kubectl(on.plane)("delete", "nodeclaims", bought()[0])
        assert sold.ok, sold.err
    on.karpenter.withdraw()
    on.apply([a_job("alpha", "pretrain", cards, pods=4)])
    until(lambda: running_cards(on, "alpha") == 3 * cards)
    until(lambda: is_so(on, "alpha", "pretrain", "Evicted") and running_cards(on, "alpha") == 0)
    evicted = condition(on, "alpha", "pretrain", "Evicted")
    assert evicted is not None
    assert evicted["reason"] == "PodsReadyTimeout"
    reasons = {event["reason"] for event in on.items("v1", "Event", "alpha")}
    assert "EvictedDueToPodsReadyTimeout" in reasons

    kubectl(on.plane)("delete", "nodeclaims", *bought())
    on.karpenter.restore()
    took = until(lambda: running_cards(on, "alpha") == 4 * cards)
    say(
        figures,
        "four nodes to be bought",
        f"three nodes there, a fourth not available: {evicted['message']}; 0 pods left",
        f"starting without nodes: {len(bought())} nodes, 4 pods after {took:.0f} s",
    )


def test_an_experiment_is_evicted_for_inference_on_a_full_node(on: Cluster, figures: Figures) -> None:
    on.apply(
        [
            kubernetes_object(
                "v1", "Pod", f"trial-{number}", "trials", spec=spec_of(POOLS["serve"], 1, "experiment-low")
            )
            for number in range(4)
        ]
    )
    until(lambda: running_cards(on, "trials") == 4)
    before = {node.name for node in on.nodes()}
    on.apply(
        [kubernetes_object("v1", "Pod", "server", "ml-serving", spec=spec_of(POOLS["serve"], 2, "inference-critical"))]
    )
    took = until(lambda: running_cards(on, "ml-serving") == 2)
    until(lambda: running_cards(on, "trials") == 2)
    assert {node.name for node in on.nodes()} == before
    messages = [str(event["message"]) for event in on.items("v1", "Event", "trials") if event["reason"] == "Preempted"]
    assert len(messages) == 2
    say(figures, "a full node", f"2 of 4 trials leave for a server of 2 cards after {took:.0f} s", messages[0])


def test_what_exceeds_the_quota_is_denied_with_the_namespace_and_the_number(on: Cluster, figures: Figures) -> None:
    many = kubernetes_object("v1", "Pod", "many", "trials", spec=spec_of(POOLS["serve"], 5, "experiment-low"))
    with pytest.raises(RefusedError) as denied:
        on.apply([many])
    message = str(denied.value)
    assert "exceeded quota: trials-cards, requested: requests.nvidia.com/gpu=5" in message
    assert "limited: requests.nvidia.com/gpu=4" in message
    say(figures, "5 cards asked of 4", message)


@pytest.mark.parametrize(("namespace", "pool", "queued"), [("alpha", "train", True), ("ml-serving", "serve", False)])
def test_a_deployment_and_a_bare_pod_wait_in_the_queue_only_where_the_namespace_is_queued(
    on: Cluster, namespace: str, pool: str, queued: bool
) -> None:
    priority = "training-normal" if queued else "inference-critical"
    labels = {"app": "server"}
    spec = spec_of(POOLS[pool], 1, priority) | {"restartPolicy": "Always"}
    template = {"metadata": {"labels": labels}, "spec": spec}
    server = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    on.apply([kubernetes_object("apps/v1", "Deployment", "server", namespace, spec=server)])
    on.apply([kubernetes_object("v1", "Pod", "bare", namespace, spec=spec_of(POOLS[pool], 1, priority))])
    until(lambda: running_cards(on, namespace) == 2)
    admitted = on.items(*WORKLOADS, namespace)
    assert len(admitted) == (2 if queued else 0)
    managed = Counter("kueue.x-k8s.io/managed" in pod.labels for pod in on.pods(namespace))
    assert managed == {queued: 2}


def test_a_queue_is_emptied_before_it_goes_by_the_guides_commands(on: Cluster, figures: Figures) -> None:
    on.apply([a_job("alpha", "runs", NODE_CARDS), a_job("alpha", "waits", NODE_CARDS, pods=ELASTIC_NODES)])
    on.apply([kubernetes_object("v1", "Pod", "bare", "alpha", spec=spec_of(POOLS["train"], NODE_CARDS))])
    until(lambda: running_cards(on, "alpha") == 2 * NODE_CARDS)

    def stop(policy: str) -> None:
        patched = kubectl(on.plane)(
            "patch", "clusterqueue", "alpha", "--type", "merge", "-p", json.dumps({"spec": {"stopPolicy": policy}})
        )
        assert patched.ok, patched.err

    stop("HoldAndDrain")
    try:
        drained = until(lambda: running_cards(on, "alpha") == 0)
        gone = kubectl(on.plane)("-n", "alpha", "delete", "jobs,deployments,statefulsets,pods", "--all")
        assert gone.ok, gone.err
        empty = until(lambda: not on.items(*WORKLOADS, "alpha") and not on.pods("alpha"))
    finally:
        stop("None")
    say(figures, "a queue is emptied", f"nothing runs after {drained:.0f} s, nothing is left {empty:.0f} s later")
