"""The result of ``gpuplatform simulate``, before it is written as text, JSON or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.simulate.advice import Tried
from cli.simulate.explained import Explained, explained
from gpuplatform.analysis.placement.view import StackView
from gpuplatform.settings.settings import Settings
from policies.subject import Subject
from sandbox.cluster import Node
from sandbox.simulate.run import Aftermath, SimulationResult
from sandbox.simulate.scenario import Shock
from sandbox.simulate.snapshot import Snapshot
from sandbox.simulate.utilization import NodeUse, Use, idle_usd_per_hour, landings, use


@dataclass(frozen=True, slots=True)
class Picture:
    """One snapshot with its cost and the reasons why pods wait."""

    landings: tuple[NodeUse, ...]
    unplaced: tuple[Explained, ...]
    nodes: tuple[Node, ...]
    usd_per_hour: float
    idle_usd_per_hour: float
    use: Use


@dataclass(frozen=True, slots=True)
class After:
    """What an event did, and the picture after it."""

    shock: Shock
    pool: str
    lost: tuple[Node, ...]
    came: tuple[Node, ...]
    held: tuple[str, ...]
    picture: Picture


@dataclass(frozen=True, slots=True)
class Answer:
    """A simulation's result."""

    environment: str
    region: str
    spot_price_ratio: float
    picture: Picture
    after: After | None
    moving: tuple[str, ...]
    left_out: tuple[str, ...]
    advice: tuple[Tried, ...]

    @property
    def all_run(self) -> bool:
        """Whether every pod runs, after an event too."""
        last = self.after.picture if self.after else self.picture
        return not self.picture.unplaced and not last.unplaced and not self.moving


def answer(
    outcome: SimulationResult,
    subjects: Sequence[Subject],
    settings: Settings,
    view: StackView,
    named: str,
    advice: tuple[Tried, ...],
) -> Answer:
    """The outcome in the terms of a stack; ``named`` is the stack as the command line names it."""

    def picture(of: Snapshot) -> Picture:
        return Picture(
            landings(of, settings),
            explained(of, subjects, view, named),
            of.nodes,
            of.usd_per_hour,
            idle_usd_per_hour(of, settings),
            use(of, settings),
        )

    def after(of: Aftermath) -> After:
        return After(of.event.shock, of.event.pool, of.lost, of.came, of.held, picture(of.scene))

    return Answer(
        settings.environment,
        settings.region,
        settings.cost.spot_price_ratio,
        picture(outcome.scene),
        None if outcome.after is None else after(outcome.after),
        outcome.moving,
        outcome.left_out,
        advice,
    )
