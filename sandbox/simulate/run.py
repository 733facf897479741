"""A simulation: apply workloads to a stack on a new cluster, disturb it where asked, and report the result."""

from __future__ import annotations

import re
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
from sandbox.cluster import Cluster, ClusterCommands, Node, cluster, items
from sandbox.errors import SandboxError
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
_FRAME = re.compile(r'^Error from server( \([^)]*\))?: (error when (creating|applying patch)[^"]*"[^"]*": )?')
_MISSING = re.compile(r'^error: .*resource mapping not found for name: "(?P<name>[^"]*)".*')


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
        kinds = _served(on)
        documents = [
            workload for workload in scenario.workloads if (str(workload.get("apiVersion")), kind_of(workload)) in kinds
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


def _served(on: Cluster) -> set[tuple[str, str]]:
    """Every apiVersion and kind that the API server serves."""
    listed = on.plane.kubectl("api-resources", "--no-headers")
    if not listed.ok:
        raise SandboxError(listed.err.strip())
    return {(words[-3], words[-1]) for line in listed.out.splitlines() if (words := line.split())}


def _apply(on: Cluster, workloads: Sequence[Document]) -> None:
    try:
        on.apply(workloads)
    except SandboxError as error:
        lines = [line for line in str(error).splitlines() if line and not line.startswith("Warning:")]
        raise NotAcceptedError([_MISSING.sub(r"\g<name>", _FRAME.sub("", line)) for line in lines]) from error


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
    selected = f"{keys.NODEPOOL} in ({','.join(sorted(nodepools))})"
    waited = on.plane.kubectl(
        "wait", "nodeclaims", "--for=condition=Drifted", f"--selector={selected}", f"--timeout={_DRIFTED_SECONDS}s"
    )
    if not waited.ok:
        raise SandboxError(f"Karpenter does not see the newer image: {waited.err.strip()}")
    left, since = _drifted(on, selected), time.monotonic()
    while left and time.monotonic() - since < _QUIET_SECONDS:
        time.sleep(_POLL_SECONDS)
        now = _drifted(on, selected)
        if now != left:
            left, since = now, time.monotonic()


def _drifted(on: Cluster, selected: str) -> set[str]:
    """Claims that have drifted and still exist."""
    return {
        name_of(claim)
        for claim in items(on.plane.kubectl, "nodeclaims", f"--selector={selected}")
        if any(
            condition["type"] == "Drifted" and condition["status"] == "True"
            for condition in cast(
                Sequence[Mapping[str, str]], cast(Mapping[str, object], claim["status"])["conditions"]
            )
        )
    }


def _held(on: Cluster, nodepools: set[str]) -> tuple[str, ...]:
    """Karpenter's reasons for not disrupting the pool's nodes, each once."""
    messages: dict[str, None] = {}
    for event in items(on.plane.kubectl, "events", "--all-namespaces", "--field-selector=reason=DisruptionBlocked"):
        about = cast(Mapping[str, str], event["involvedObject"])
        name, message = about.get("name", ""), str(event.get("message"))
        ours = name in nodepools or any(name.startswith(f"{pool}-") for pool in nodepools)
        if ours and "deleting" not in message and "nominated" not in message:
            messages[f"{about.get('kind')} {name}: {message}"] = None
    return tuple(messages)
