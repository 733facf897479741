"""Ten teams of different weights on one pool of whole cards, and their thousand jobs."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from gpuplatform.settings.tenants import Scheduling
from sandbox.control_plane.controllers import RUNS_FOR
from tests.builders import a_card, a_market, a_namespace, a_pool, a_tenant, some_settings
from tests.placement.queue_stack import GPU, NODE_CARDS, job_of, spec_of
from tests.soak.queues.shares import Claim

NODES = 10
CARDS = NODES * NODE_CARDS
JOBS_OF_A_TEAM = 100
RUN_SECONDS = 20
GUARANTEED = 2
CLAIMS = {f"team-{number}": Claim(weight=1 + number // 2, guaranteed=GUARANTEED) for number in range(10)}
"""Weights 1 to 5, two teams of each."""


def settings(scheduling: Scheduling) -> Settings:
    """The settings with and without queues; without queues each team's quota is all cards."""
    pool = a_pool(
        name="train",
        purpose="train",
        cards=[a_card("A100-40GB", ["p4d.24xlarge"], [a_market(ceiling_cards=CARDS)])],
    )
    return some_settings(
        pools=[pool],
        queues={"overcommit_ratio": float(len(CLAIMS))},
        tenants=[_team(name, claim, scheduling) for name, claim in CLAIMS.items()],
    )


def jobs(stack: Settings) -> Iterator[Document]:
    """The jobs of all teams, one card each, the teams in turn."""
    spec = spec_of(stack.pools[0])
    for number in range(JOBS_OF_A_TEAM):
        for team in CLAIMS:
            yield job_of(spec, team, f"job-{number}", annotations={RUNS_FOR: f"{RUN_SECONDS}s"})


def _team(name: str, claim: Claim, scheduling: Scheduling) -> dict[str, Plain]:
    queued = scheduling is Scheduling.QUEUED
    space = a_namespace(
        name=name,
        scheduling=scheduling.value,
        quota={GPU: claim.guaranteed if queued else CARDS},
        priorities=["training-normal"],
        service_account="trainer",
    )
    queue: dict[str, Plain] = {"weight": claim.weight, "borrow": {GPU: CARDS - claim.guaranteed}} if queued else {}
    return a_tenant(name=name, team=name, queue=queue, namespaces=[space])
