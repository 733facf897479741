"""A question asked of a cluster of its own, which is gone again when it has answered."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
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
from sandbox.market import ec2_of
from sandbox.simulate.logs import logs_kept
from sandbox.simulate.question import Event, Question, Shock
from sandbox.simulate.scene import Scene, scene, undecided_jobs
from sandbox.simulate.use import planned_by_name
from sandbox.space import must_have_space

_SETTLE_SECONDS = 180.0
_DRIFTED_SECONDS = 60
_QUIET_SECONDS = 25.0
"""Karpenter looks for something to disrupt every ten seconds: after two rounds without a change there is none."""
_POLL_SECONDS = 0.5
_FRAME = re.compile(r'^Error from server( \([^)]*\))?: (error when (creating|applying patch)[^"]*"[^"]*": )?')
_MISSING = re.compile(r'^error: .*resource mapping not found for name: "(?P<name>[^"]*)".*')


class NotAcceptedError(SandboxError):
    """The API server does not accept some of the workloads: one message an object."""

    def __init__(self, refusals: Sequence[str]) -> None:
        super().__init__("\n".join(refusals))
        self.refusals = tuple(refusals)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What an event did."""

    event: Event
    lost: tuple[Node, ...]
    came: tuple[Node, ...]
    held: tuple[str, ...]
    """Why Karpenter left nodes alone, in its words."""
    scene: Scene


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the workloads."""

    scene: Scene
    moving: tuple[str, ...]
    """What had not settled at the limit."""
    left_out: tuple[str, ...]
    """Objects whose kind nobody serves here: they were not applied."""
    after: Aftermath | None


def simulate(settings: Settings, asked: Question, commands: ClusterCommands, say: Callable[[str], None]) -> Outcome:
    """Apply the workloads to the stack on a new cluster, wait until nothing moves, and look.

    Raises NotAcceptedError where the API server refuses a workload, SandboxError where something does not run.
    """
    rendered = render(settings)
    with _platform(settings, rendered, asked.workloads, commands, say) as on:
        if asked.at is not None:
            on.karpenter.set_clock(asked.at)
        for each in asked.lacking:
            on.karpenter.withdraw(each.instance_type, each.zone, each.market)
        served = _served(on)
        known = [each for each in asked.workloads if (str(each.get("apiVersion")), kind_of(each)) in served]
        say(f"{len(known)} objects are applied")
        _apply(on, known)
        moving = _settled(on, known, queued=bool(rendered.kueue_values))
        first = scene(on, known)
        after = None if asked.event is None else _after(on, settings, asked.event, known, first, say)
        left = [each for each in asked.workloads if each not in known]
        return Outcome(first, moving, tuple(f"{kind_of(each)} {name_of(each)}" for each in left), after)


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
        logs_kept(Path(folder), unless=NotAcceptedError),
        cluster(
            Path(folder),
            commands,
            ec2_of(settings),
            rendered.karpenter_values,
            next(iter(rendered.kueue_values.values()), None),
            kinds_of=(*rendered.documents, *workloads),
        ) as on,
    ):
        say(f"{settings.environment} is applied to them")
        on.apply_stack(rendered)
        # Static nodes are there before anything else.
        on.settle(_SETTLE_SECONDS)
        yield on


def _settled(on: Cluster, workloads: Sequence[Document], *, queued: bool) -> tuple[str, ...]:
    """Wait until nothing moves; queues decide first, and what they let go moves on."""
    moving = on.settle(_SETTLE_SECONDS)
    begun = time.monotonic()
    while queued and (undecided := undecided_jobs(on, workloads)):
        if time.monotonic() - begun > _SETTLE_SECONDS:
            return (*moving, *(f"{each} has not been looked at by its queue" for each in undecided))
        time.sleep(_POLL_SECONDS)
        moving = on.settle(_SETTLE_SECONDS)
    return moving


def _served(on: Cluster) -> set[tuple[str, str]]:
    """Every apiVersion and kind that the API server knows."""
    listed = on.plane.kubectl("api-resources", "--no-headers")
    if not listed.ok:
        raise SandboxError(listed.err.strip())
    return {(words[-3], words[-1]) for line in listed.out.splitlines() if (words := line.split())}


def _apply(on: Cluster, workloads: Sequence[Document]) -> None:
    try:
        on.apply(workloads)
    except SandboxError as error:
        said = [line for line in str(error).splitlines() if line and not line.startswith("Warning:")]
        raise NotAcceptedError([_MISSING.sub(r"\g<name>", _FRAME.sub("", line)) for line in said]) from error


def _after(
    on: Cluster,
    settings: Settings,
    event: Event,
    workloads: Sequence[Document],
    before: Scene,
    say: Callable[[str], None],
) -> Aftermath:
    nodepools = {name for name, each in planned_by_name(settings).items() if each.pool.name == event.pool}
    hit = [each for each in before.nodes if each.nodepool in nodepools]
    say(f"{event.shock} of the pool {event.pool}: {len(hit)} nodes")
    match event.shock:
        case Shock.INTERRUPTION:
            for nodepool in sorted({each.nodepool for each in hit if each.market is Market.SPOT}):
                on.karpenter.interrupt(nodepool)
        case Shock.DRIFT:
            _drift(on, event.pool, nodepools, hit=bool(hit))
    on.settle(_SETTLE_SECONDS)
    now = scene(on, workloads)
    were, are = {each.name for each in before.nodes}, {each.name for each in now.nodes}
    return Aftermath(
        event,
        tuple(each for each in before.nodes if each.name not in are),
        tuple(each for each in now.nodes if each.name not in were),
        _held(on, nodepools) if event.shock is Shock.DRIFT else (),
        now,
    )


def _drift(on: Cluster, pool: str, nodepools: set[str], *, hit: bool) -> None:
    on.karpenter.drift(names.node_class(pool))
    if not hit:
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
    """Claims that have drifted and are there yet."""
    return {
        name_of(each)
        for each in items(on.plane.kubectl, "nodeclaims", f"--selector={selected}")
        if any(
            one["type"] == "Drifted" and one["status"] == "True"
            for one in cast(Sequence[Mapping[str, str]], cast(Mapping[str, object], each["status"])["conditions"])
        )
    }


def _held(on: Cluster, nodepools: set[str]) -> tuple[str, ...]:
    """Karpenter's reasons for leaving the pool's nodes alone, each once."""
    found: dict[str, None] = {}
    for each in items(on.plane.kubectl, "events", "--all-namespaces", "--field-selector=reason=DisruptionBlocked"):
        about = cast(Mapping[str, str], each["involvedObject"])
        name, message = about.get("name", ""), str(each.get("message"))
        ours = name in nodepools or any(name.startswith(f"{pool}-") for pool in nodepools)
        if ours and "deleting" not in message and "nominated" not in message:
            found[f"{about.get('kind')} {name}: {message}"] = None
    return tuple(found)
