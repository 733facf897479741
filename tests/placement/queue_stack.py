"""A stack of three teams on one pool of whole cards and one block of nodes that stand already, for what queues do."""

from __future__ import annotations

from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from tests.builders import a_card, a_market, a_namespace, a_pool, a_static_pool, a_tenant, some_settings

GPU = "nvidia.com/gpu"
NODE_CARDS = 8
ELASTIC_NODES = 4
BLOCK_NODES = 4
BLOCK = "standing"


def a_team(name: str, cards: int, borrow: int, weight: int = 1, pool: str = "train") -> dict[str, Plain]:
    """A team whose one namespace is queued, with a quota on the elastic pool."""
    space = a_namespace(
        name=name,
        scheduling="queued",
        quota={GPU: cards},
        priorities=["training-normal", "experiment-low"],
        pools=[pool],
        service_account="trainer",
    )
    return a_tenant(name=name, team=name, queue={"weight": weight, "borrow": {GPU: borrow}}, namespaces=[space])


def queue_settings() -> Settings:
    """Alpha and beta may borrow what gamma leaves idle; delta has the block; serving and trials share one node."""
    train = a_pool(
        name="train",
        purpose="train",
        cards=[a_card("A100-40GB", ["p4d.24xlarge"], [a_market(ceiling_cards=ELASTIC_NODES * NODE_CARDS)])],
    )
    block = a_static_pool(
        name=BLOCK,
        role="worker",
        nodes=BLOCK_NODES,
        zones=["us-east-1a"],
        cards=[a_card("L40S-48GB", ["g6e.2xlarge"], [a_market(ceiling_cards=None)])],
    )
    serve = a_pool(cards=[a_card(types=["g6.12xlarge"], markets=[a_market(ceiling_cards=4)])])
    served: list[Plain] = [
        a_namespace(quota={GPU: 4}),
        a_namespace(name="trials", quota={GPU: 4}, priorities=["experiment-low"], pools=["serve"]),
    ]
    return some_settings(
        pools=[train, block, serve],
        queues={"overcommit_ratio": 2.0},
        tenants=[
            a_team("alpha", 8, 16, weight=3),
            a_team("beta", 8, 16),
            a_team("gamma", 16, 0),
            a_team("delta", BLOCK_NODES, 0, pool=BLOCK),
            a_tenant(namespaces=served),
        ],
    )
