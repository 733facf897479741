"""A stack for the tests of queues: teams on one pool of whole cards and on a block of static nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuplatform.render.block import block
from gpuplatform.render.document import Document, kubernetes_object
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from gpuplatform.standard import keys
from tests.builders import a_card, a_market, a_namespace, a_pool, a_static_pool, a_tenant, some_settings

GPU = "nvidia.com/gpu"
NODE_CARDS = 8
ELASTIC_NODES = 4
BLOCK_NODES = 4
BLOCK = "standing"
PRIORITY = keys.QUEUE_PRIORITY


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
    """Alpha and beta may borrow gamma's idle cards; delta has the block; serving and trials share one node."""
    train = a_pool(
        name="train",
        purpose="train",
        cards=[a_card("A100-40GB", ["p4d.24xlarge"], [a_market(ceiling_cards=ELASTIC_NODES * NODE_CARDS)])],
    )
    standing = a_static_pool(
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
        pools=[train, standing, serve],
        queues={"overcommit_ratio": 2.0},
        tenants=[
            a_team("alpha", 8, 16, weight=3),
            a_team("beta", 8, 16),
            a_team("gamma", 16, 0),
            a_team("delta", BLOCK_NODES, 0, pool=BLOCK),
            a_tenant(namespaces=served),
        ],
    )


def spec_of(pool: Pool, cards: int = 1, priority: str = "training-normal") -> Document:
    """A pod's spec with the pool's block, small beside the cards."""
    spec: Any = block(pool).as_pod_fragment()
    spec["priorityClassName"] = priority
    spec["restartPolicy"] = "Never"
    spec["containers"][0] |= {"image": "none"}
    for resource in spec["containers"][0]["resources"].values():
        resource |= {GPU: str(cards)}
    spec["containers"][0]["resources"]["requests"] |= {"cpu": "100m", "memory": "128Mi"}
    return spec


def job_of(
    spec: Document, namespace: str, name: str, pods: int = 1, annotations: Mapping[str, str] | None = None
) -> Document:
    """A job of so many such pods; it names no queue, as most users' jobs do not."""
    template = {"metadata": {"annotations": annotations or {}}, "spec": spec}
    whole = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "template": template}
    job = kubernetes_object("batch/v1", "Job", name, namespace, spec=whole)
    job["metadata"] = {"name": name, "namespace": namespace, "labels": {PRIORITY: spec["priorityClassName"]}}
    return job
