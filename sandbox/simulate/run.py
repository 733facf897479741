"""A simulation: apply workloads to a stack on a new cluster, disturb it where asked, and report the result."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gpuplatform.render.document import Document, kind_of, name_of
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, names
from gpuplatform.standard.markets import Market
from sandbox.cluster import Cluster, ClusterCommands, Node, cluster
from sandbox.control_plane.api import is_so
from sandbox.errors import RefusedError, SandboxError
from sandbox.offerings import ec2_of
from sandbox.places import must_have_space
from sandbox.simulate.scenario import Disturbance, Scenario, Shock
from sandbox.simulate.snapshot import Snapshot, take_snapshot, undecided_jobs
from sandbox.simulate.utilization import node_pools_by_name
from sandbox.tools.cache import cache_folder


@contextmanager
def keep_logs(folder: Path, *, unless: type[SandboxError]) -> Generator[None]:
    """Keep a copy of the logs in ``folder`` when a SandboxError leaves the block, and name the copy in the message.

    The copy stays until the next such error. An error of the type ``unless`` is not about a process and passes
    unchanged; so does every error where the copy fails, for example on a full disk.
    """
    try:
        yield
    except unless:
        raise
    except SandboxError as error:
        copies = cache_folder() / "simulate-logs"
        with suppress(OSError):
            shutil.rmtree(copies, ignore_errors=True)
            for log in folder.rglob("*.log"):
                copy = copies / log.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, copy)
            raise SandboxError(str(error).replace(str(folder), str(copies))) from error
        raise


_SETTLE_SECONDS = 180.0
_DRIFTED_SECONDS = 60
_QUIET_SECONDS = 25.0
"""Karpenter looks for nodes to disrupt every ten seconds: after two rounds without a change there are none left."""
_POLL_SECONDS = 0.5


class NotAcceptedError(SandboxError):
    """The API server refuses some of the workloads: one message for each object."""

    def __init__(self, refusals: Sequence[str]) -> None:
        super().__init__("\n".join(refusals))
        self.refusals = tuple(refusals)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """The effect of a disturbance."""

    event: Disturbance
    lost_nodes: tuple[Node, ...]
    new_nodes: tuple[Node, ...]
    disruption_blocks: tuple[str, ...]
    """Karpenter's messages about nodes that it did not disrupt."""
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The result of a simulation."""

    snapshot: Snapshot
    unsettled_objects: tuple[str, ...]
    """The objects that had not settled at the time limit."""
    skipped_objects: tuple[str, ...]
    """Objects that were not applied: the API server here does not serve their kind."""
    aftermath: Aftermath | None


def simulate(
    settings: Settings, scenario: Scenario, commands: ClusterCommands, say: Callable[[str], None]
) -> SimulationResult:
    """Apply the workloads to the stack on a new cluster, wait until it has settled, and take a snapshot.

    Raises NotAcceptedError where the API server refuses a workload, SandboxError where a process does not run.
    """
    rendered = render(settings)
    with _platform(settings, rendered, scenario.workloads, commands, say) as on:
        if scenario.at is not None:
            on.karpenter.set_clock(scenario.at)
        for shortage in scenario.shortages:
            on.karpenter.withdraw(shortage.instance_type, shortage.zone, shortage.market)
        api = on.plane.api
        documents = [
            workload
            for workload in scenario.workloads
            if api.serves(str(workload.get("apiVersion")), kind_of(workload))
        ]
        say(f"{len(documents)} objects are applied")
        _apply(on, documents)
        unsettled = _settled(on, documents, queued=bool(rendered.kueue_values))
        snapshot = take_snapshot(on, documents)
        aftermath = None if scenario.event is None else _after(on, settings, scenario.event, documents, snapshot, say)
        skipped = [workload for workload in scenario.workloads if workload not in documents]
        return SimulationResult(
            snapshot, unsettled, tuple(f"{kind_of(document)} {name_of(document)}" for document in skipped), aftermath
        )


@contextmanager
def _platform(
    settings: Settings,
    rendered: Rendered,
    workloads: Sequence[Document],
    commands: ClusterCommands,
    say: Callable[[str], None],
) -> Generator[Cluster]:
    must_have_space(Path(tempfile.gettempdir()))
    say("a control plane, a scheduler and Karpenter start")
    with (
        tempfile.TemporaryDirectory(prefix="gpu-platform-simulate-") as folder,
        keep_logs(Path(folder), unless=NotAcceptedError),
        cluster(
            Path(folder),
            commands,
            ec2_of(settings),
            rendered.karpenter_values,
            next(iter(rendered.kueue_values.values()), None),
            kinds_of=(*rendered.documents, *workloads),
        ) as on,
    ):
        say(f"the stack {settings.environment} is applied")
        on.apply_stack(rendered)
        # Static nodes join before the workloads are applied.
        on.settle(_SETTLE_SECONDS)
        yield on


def _settled(on: Cluster, workloads: Sequence[Document], *, queued: bool) -> tuple[str, ...]:
    """Wait until the cluster has settled: queues decide first, then the workloads that they admit are placed."""
    moving = on.settle(_SETTLE_SECONDS)
    start_time = time.monotonic()
    while queued and (undecided := undecided_jobs(on, workloads)):
        if time.monotonic() - start_time > _SETTLE_SECONDS:
            return (*moving, *(f"the queue of {workload} has not decided yet" for workload in undecided))
        time.sleep(_POLL_SECONDS)
        moving = on.settle(_SETTLE_SECONDS)
    return moving


def _apply(on: Cluster, workloads: Sequence[Document]) -> None:
    try:
        on.apply(workloads)
    except RefusedError as error:
        raise NotAcceptedError(error.messages) from error


def _after(
    on: Cluster,
    settings: Settings,
    event: Disturbance,
    workloads: Sequence[Document],
    before: Snapshot,
    say: Callable[[str], None],
) -> Aftermath:
    nodepools = {name for name, node_pool in node_pools_by_name(settings).items() if node_pool.pool.name == event.pool}
    affected = [node for node in before.nodes if node.nodepool in nodepools]
    say(f"{event.shock} of the pool {event.pool}: {len(affected)} nodes")
    match event.shock:
        case Shock.INTERRUPTION:
            for nodepool in sorted({node.nodepool for node in affected if node.market is Market.SPOT}):
                on.karpenter.interrupt(nodepool)
        case Shock.DRIFT:
            _drift(on, event.pool, nodepools, wait=bool(affected))
    on.settle(_SETTLE_SECONDS)
    now = take_snapshot(on, workloads)
    were, are = {node.name for node in before.nodes}, {node.name for node in now.nodes}
    return Aftermath(
        event,
        tuple(node for node in before.nodes if node.name not in are),
        tuple(node for node in now.nodes if node.name not in were),
        _held(on, nodepools) if event.shock is Shock.DRIFT else (),
        now,
    )


def _drift(on: Cluster, pool: str, nodepools: set[str], *, wait: bool) -> None:
    on.karpenter.drift(names.node_class(pool))
    if not wait:
        return
    claims, drifted = {name_of(claim) for claim in _claims(on, nodepools)}, set[str]()

    def all_seen() -> bool:
        drifted.update(_drifted(on, nodepools))
        return claims <= drifted

    if not on.plane.api.wait(all_seen, _DRIFTED_SECONDS):
        late = ", ".join(sorted(claims - drifted))
        raise SandboxError(f"Karpenter does not see the newer image after {_DRIFTED_SECONDS} s: {late}")
    drifted_claims, since = _drifted(on, nodepools), time.monotonic()
    while drifted_claims and time.monotonic() - since < _QUIET_SECONDS:
        time.sleep(_POLL_SECONDS)
        now = _drifted(on, nodepools)
        if now != drifted_claims:
            drifted_claims, since = now, time.monotonic()


def _claims(on: Cluster, nodepools: set[str]) -> Sequence[Document]:
    return on.items("karpenter.sh/v1", "NodeClaim", labels={keys.NODEPOOL: nodepools})


def _drifted(on: Cluster, nodepools: set[str]) -> set[str]:
    """Claims that have drifted and still exist."""
    return {name_of(claim) for claim in _claims(on, nodepools) if is_so(claim, "Drifted")}


def _held(on: Cluster, nodepools: set[str]) -> tuple[str, ...]:
    """Karpenter's reasons for not disrupting the pool's nodes, each once."""
    messages: dict[str, None] = {}
    for event in on.items("v1", "Event", fields={"reason": "DisruptionBlocked"}):
        about = cast(Mapping[str, str], event["involvedObject"])
        name, message = about.get("name", ""), str(event.get("message"))
        ours = name in nodepools or any(name.startswith(f"{pool}-") for pool in nodepools)
        if ours and "deleting" not in message and "nominated" not in message:
            messages[f"{about.get('kind')} {name}: {message}"] = None
    return tuple(messages)
