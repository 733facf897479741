"""Scenarios for the dev stack's own pools on the real Karpenter and the real scheduler."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpuplatform.accept import check_file
from gpuplatform.render.block import block
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.settings.pools import Pool
from gpuplatform.standard.markets import Market
from sandbox.cluster import Cluster, Node
from sandbox.errors import RefusedError
from tests.figures import Figures
from tests.kubectl import kubectl
from tests.placement.conftest import Platforms

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

ROOT = Path(__file__).parents[2]
NAMESPACE = "scenario"
KST = datetime.timezone(datetime.timedelta(hours=9))
LIMIT_SECONDS = 360.0
ATTEMPTS = 3
"""Karpenter 1.14.1 sometimes counts a drifted node of a static pool and its replacement as one node too many, and
deletes the replacement (kubernetes-sigs/karpenter issue 3250, open). With room for one more node it stops there."""


def pool(name: str) -> Pool:
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    return next(candidate for candidate in settings.pools if candidate.name == name)


def pods_of(of: str, replicas: int, name: str = "", annotations: dict[str, str] | None = None) -> list[Document]:
    """So many pods with the pool's block, small beside the card."""
    spec: Any = block(pool(of)).as_pod_fragment()
    spec["containers"][0] |= {"image": "none"}
    spec["containers"][0]["resources"]["requests"] |= {"cpu": "100m", "memory": "128Mi"}
    labels = {"app": name or of}
    template = {"metadata": {"labels": labels, "annotations": annotations or {}}, "spec": spec}
    deployment = kubernetes_object(
        "apps/v1",
        "Deployment",
        name or of,
        NAMESPACE,
        spec={"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    )
    return [kubernetes_object("v1", "Namespace", NAMESPACE), deployment]


def run(on: Cluster, of: str, replicas: int, name: str = "", annotations: dict[str, str] | None = None) -> None:
    on.apply(pods_of(of, replicas, name, annotations))
    assert on.settle(LIMIT_SECONDS) == ()


def nodes(on: Cluster, prefix: str) -> list[Node]:
    return [node for node in on.nodes() if node.nodepool.startswith(prefix)]


def running(on: Cluster) -> int:
    return sum(pod.phase == "Running" for pod in on.pods(NAMESPACE))


def until(what: Callable[[], bool]) -> None:
    """Wait until a condition is true. Karpenter's own loops take seconds; a failure takes the whole limit."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < LIMIT_SECONDS
        time.sleep(0.2)


def budget_blocks(on: Cluster) -> bool:
    events = on.items("v1", "Event", fields={"reason": "DisruptionBlocked"})
    return any("blocking budget" in str(event.get("message")) for event in events)


def test_inference_falls_back_from_card_to_card_on_spot_and_then_to_on_demand(platform: Cluster) -> None:
    def bought() -> tuple[str, Market]:
        run(platform, "infer", len(nodes(platform, "infer")) + 1)
        (newest,) = {node.name: node for node in nodes(platform, "infer")}.keys() - seen
        seen.add(newest)
        node = next(candidate for candidate in platform.nodes() if candidate.name == newest)
        return node.instance_type.partition(".")[0], node.market

    seen: set[str] = set()
    assert bought() == ("g6", Market.SPOT)
    for lost, instead in (("g6", "g5"), ("g5", "g4dn")):
        for size in ("xlarge", "2xlarge"):
            platform.karpenter.withdraw(instance_type=f"{lost}.{size}", market="spot")
        assert bought() == (instead, Market.SPOT)
    platform.karpenter.withdraw(market="spot")
    assert bought() == ("g6", Market.ON_DEMAND)
    platform.karpenter.restore()
    assert bought() == ("g6", Market.SPOT)
    assert running(platform) == 5


def test_workers_go_from_no_node_to_fifty_six_slices_on_one_and_the_next_on_a_second(platform: Cluster) -> None:
    chief = nodes(platform, "chief")
    run(platform, "worker", 56)
    (first,) = nodes(platform, "worker")
    assert first.offers["nvidia.com/mig-1g.10gb"] == "56"
    run(platform, "worker", 57)
    assert Counter(pod.node for pod in platform.pods(NAMESPACE))[first.name] == 56
    assert len(nodes(platform, "worker")) == 2
    assert nodes(platform, "chief") == chief, "a storm of workers leaves the chief alone"


def test_an_unselective_gpu_pod_starts_nothing(platform: Cluster) -> None:
    before = platform.nodes()
    wants = {"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    platform.apply(
        [
            kubernetes_object("v1", "Namespace", NAMESPACE),
            kubernetes_object("v1", "Pod", "any", NAMESPACE, spec={"containers": [wants]}),
        ]
    )
    assert platform.settle(LIMIT_SECONDS) == ()
    assert [pod.phase for pod in platform.pods(NAMESPACE)] == ["Pending"]
    assert platform.nodes() == before


def test_an_interruption_storm_is_rescheduled(platform: Cluster) -> None:
    run(platform, "infer", 4)
    lost = {node.name for node in nodes(platform, "infer-l4-24gb-spot")}
    assert len(lost) == 4
    platform.karpenter.interrupt("infer-l4-24gb-spot")
    assert platform.settle(LIMIT_SECONDS) == ()
    assert running(platform) == 4
    assert not lost & {node.name for node in platform.nodes()}


def test_the_chief_is_replaced_for_a_newer_image_only_inside_its_window(
    platforms: Platforms, tmp_path: Path, figures: Figures
) -> None:
    for attempt in range(ATTEMPTS):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        with platforms(folder) as platform:
            if is_replaced_in_the_window(platform, folder / "karpenter.log"):
                return
        figures(f"attempt {attempt + 1}: Karpenter deleted the replacement of a drifted static node")
    pytest.fail(f"in none of {ATTEMPTS} attempts did Karpenter keep the replacement of a drifted static node")


def is_replaced_in_the_window(platform: Cluster, log: Path) -> bool:
    """Drift the chief on a Tuesday, then wait for Sunday's window: whether it was replaced.

    False where Karpenter's own log says that it deleted the replacement; the chief is still there then.
    """
    run(platform, "chief", 2, annotations={"karpenter.sh/do-not-disrupt": "false"})
    (chief,) = nodes(platform, "chief")
    platform.karpenter.set_clock(datetime.datetime(2027, 1, 5, 10, 30, tzinfo=KST))  # a Tuesday
    platform.karpenter.drift("chief")
    drifted = kubectl(platform.plane)("wait", "--for=condition=Drifted", f"nodeclaim/{chief.name}", "--timeout=60s")
    assert drifted.ok, drifted.err
    until(lambda: budget_blocks(platform))
    assert nodes(platform, "chief") == [chief]
    platform.karpenter.set_clock(datetime.datetime(2027, 1, 10, 3, 0, tzinfo=KST))  # Sunday

    def is_there() -> bool:
        return chief.name in {node.name for node in platform.nodes()}

    def is_lost() -> bool:
        return "replacement was deleted" in log.read_text()

    until(lambda: is_lost() or not is_there())
    if is_lost():
        assert is_there()
        return False
    assert platform.settle(LIMIT_SECONDS) == ()
    assert len(nodes(platform, "chief")) == 1
    assert running(platform) == 2
    return True


def test_workers_that_are_done_give_their_node_back_and_the_chief_stays(platform: Cluster) -> None:
    (chief,) = nodes(platform, "chief")
    run(platform, "worker", 8)
    (worker,) = nodes(platform, "worker")
    platform.delete(pods_of("worker", 8))
    platform.karpenter.set_clock(datetime.datetime.now(KST) + datetime.timedelta(minutes=45))
    until(lambda: worker.name not in {node.name for node in platform.nodes()})
    assert platform.nodes() == (chief,)


def test_a_label_that_no_instance_type_has_is_refused_when_the_pool_is_applied(platform: Cluster) -> None:
    pools = platform.items("karpenter.sh/v1", "NodePool")
    spec: Any = pools[0]["spec"]
    unknown = {"key": "karpenter.k8s.aws/instance-hypervisor", "operator": "In", "values": ["nitro"]}
    spec["template"]["spec"]["requirements"].append(unknown)
    broken = kubernetes_object("karpenter.sh/v1", "NodePool", "another", spec=spec)
    with pytest.raises(RefusedError, match=r"no instance type with the label karpenter\.k8s\.aws/instance-hypervisor"):
        platform.apply([broken])
