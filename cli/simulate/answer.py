"""The result of ``gpuplatform simulate``, before it is written as text, JSON or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.simulate.advice import Trial
from cli.simulate.explanations import Explanation, explanations
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
    explanations: tuple[Explanation, ...]
    nodes: tuple[Node, ...]
    usd_per_hour: float
    idle_usd_per_hour: float
    use: Use


@dataclass(frozen=True, slots=True)
class After:
    """What an event did, and the picture after it."""

    shock: Shock
    pool: str
    lost_nodes: tuple[Node, ...]
    new_nodes: tuple[Node, ...]
    disruption_blocks: tuple[str, ...]
    picture: Picture


@dataclass(frozen=True, slots=True)
class Answer:
    """A simulation's result."""

    environment: str
    region: str
    spot_price_ratio: float
    picture: Picture
    after: After | None
    unsettled_objects: tuple[str, ...]
    skipped_objects: tuple[str, ...]
    advice: tuple[Trial, ...]

    @property
    def all_run(self) -> bool:
        """Whether every pod runs, after an event too."""
        final_picture = self.after.picture if self.after else self.picture
        return not self.picture.explanations and not final_picture.explanations and not self.unsettled_objects


def answer(
    outcome: SimulationResult,
    subjects: Sequence[Subject],
    settings: Settings,
    view: StackView,
    stack_option: str,
    advice: tuple[Trial, ...],
) -> Answer:
    """The outcome in the terms of a stack; ``stack_option`` names the stack on the command line: ``--stack dev``."""

    def picture(snapshot: Snapshot) -> Picture:
        return Picture(
            landings(snapshot, settings),
            explanations(snapshot, subjects, view, stack_option),
            snapshot.nodes,
            snapshot.usd_per_hour,
            idle_usd_per_hour(snapshot, settings),
            use(snapshot, settings),
        )

    def after(aftermath: Aftermath) -> After:
        return After(
            aftermath.event.shock,
            aftermath.event.pool,
            aftermath.lost_nodes,
            aftermath.new_nodes,
            aftermath.disruption_blocks,
            picture(aftermath.snapshot),
        )

    return Answer(
        settings.environment,
        settings.region,
        settings.cost.spot_price_ratio,
        picture(outcome.snapshot),
        None if outcome.aftermath is None else after(outcome.aftermath),
        outcome.unsettled_objects,
        outcome.skipped_objects,
        advice,
    )
