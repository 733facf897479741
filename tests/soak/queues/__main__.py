"""``python -m tests.soak.queues``: a thousand jobs of ten teams at once, with queues and without them.

The API server, controllers, scheduler, Kueue and Karpenter are real; kwok ends each job after its time. Exit code 1
where the teams' shares do not follow their weights, a team is passed over for long, or a job does not end.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from gpuplatform.render.queues.values import CHART
from gpuplatform.render.stack import render
from gpuplatform.settings.tenants import Scheduling
from sandbox.cluster import Cluster, ClusterCommands, cluster, cluster_commands_at_hand
from sandbox.errors import SandboxError
from sandbox.offerings import ec2_of
from tests.bench.table import show
from tests.soak.queues.reading import evictions, queued_jobs, unqueued_jobs
from tests.soak.queues.shares import Held, due, faults, longest_passing_over, mean_cards, seconds, waits, window
from tests.soak.queues.teams import CARDS, CLAIMS, JOBS_OF_A_TEAM, NODES, RUN_SECONDS, jobs, settings

COUNT = JOBS_OF_A_TEAM * len(CLAIMS)
STILL_SECONDS = 180.0
"""The campaign fails where no job ends for so long."""
ASK_SECONDS = 10.0


def campaign(commands: ClusterCommands, scheduling: Scheduling) -> tuple[list[Held], int]:
    """Submit all jobs at once on a new cluster without nodes and wait for the last end; also returns the evictions.

    Raises SandboxError when a job is refused or does not end.
    """
    stack = settings(scheduling)
    rendered = render(stack)
    with (
        tempfile.TemporaryDirectory(prefix="gpu-platform-soak-") as made,
        cluster(
            Path(made),
            commands,
            ec2_of(stack),
            rendered.karpenter_values,
            rendered.kueue_values.get(CHART),
            kinds_of=rendered.documents,
        ) as on,
    ):
        on.apply_stack(rendered)
        on.settle()
        print(f"\n{COUNT} jobs of {len(CLAIMS)} teams, {scheduling.value}", flush=True)
        begun = time.monotonic()
        on.apply(jobs(stack))
        print(f"  {time.monotonic() - begun:4.0f} s: all submitted", flush=True)
        see_through(on, begun)
        if scheduling is Scheduling.QUEUED:
            return queued_jobs(on), evictions(on)
        return unqueued_jobs(on), 0


def see_through(on: Cluster, begun: float) -> None:
    """Wait until every job has ended, and print the progress. Raises SandboxError when no job ends for too long."""
    ended, moved = 0, time.monotonic()
    while ended < COUNT:
        if time.monotonic() - moved > STILL_SECONDS:
            raise SandboxError(
                f"{COUNT - ended} of {COUNT} jobs have not ended, and none has for {STILL_SECONDS:.0f} s"
            )
        time.sleep(ASK_SECONDS)
        now = len(on.items("batch/v1", "Job", fields={"status.successful": "1"}))
        if now > ended:
            ended, moved = now, time.monotonic()
        print(f"  {time.monotonic() - begun:4.0f} s: {ended} ended", flush=True)


def tell(queued: Sequence[Held], unqueued: Sequence[Held], evicted: int) -> None:
    """Print both campaigns, by team and in total."""
    expected, begun = due(CLAIMS, CARDS), min(held.submitted for held in queued)
    shares = [mean_cards(held, during) if (during := window(held, CARDS)) else {} for held in (queued, unqueued)]
    passed, longest = longest_passing_over(queued), [waits(queued), waits(unqueued)]
    rows = [
        [
            team,
            str(claim.weight),
            f"{expected[team]:.0f}",
            *(f"{share.get(team, 0.0):.1f}" for share in shares),
            *(f"{pick(job.admitted for job in queued if job.team == team) - begun:.0f}" for pick in (min, max)),
            *(f"{longest_wait[team]:.0f}" for longest_wait in longest),
            str(passed[team]),
        ]
        for team, claim in CLAIMS.items()
    ]
    show(
        f"{COUNT} jobs of a card and {RUN_SECONDS} s each on {NODES} nodes of {CARDS} cards together",
        [
            *("", "weight", "cards due", "held", "without", "first s", "last s", "longest wait s", "without"),
            "passed over",
        ],
        rows,
        [
            "cards: the mean while every team waits; first and last: admitted; without: the same jobs without queues",
            "passed over: the most jobs of others that were admitted in a row while the team waited",
            f"{seconds(queued):.0f} s from the first submission to the last end with queues, {evicted} jobs evicted on"
            f" the way; {seconds(unqueued):.0f} s without queues; at best {COUNT * RUN_SECONDS / CARDS:.0f} s",
        ],
    )


def main() -> int:
    """Exit code 1 with a line for each expectation that is not met."""
    commands = cluster_commands_at_hand()
    if commands is None:
        print("the sandbox's tools are not built. Change: make tools")
        return 1
    try:
        queued, evicted = campaign(commands, Scheduling.QUEUED)
        unqueued, _ = campaign(commands, Scheduling.SERVING)
    except SandboxError as error:
        print(error)
        return 1
    tell(queued, unqueued, evicted)
    violations = faults(queued, CLAIMS, CARDS)
    for violation in violations:
        print(f"not met: {violation}")
    if not violations:
        print("\nEvery team held its share by weight, none was passed over for long, every job ended")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
