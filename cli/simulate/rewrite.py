"""A workload's manifest with its pods on another pool."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

from gpuplatform.render.block import block
from gpuplatform.render.document import Document
from gpuplatform.settings.pools import Pool
from gpuplatform.standard import resources
from policies.subject import of_document
from policies.workloads import pod_templates

_STEP = re.compile(r"\[(\d+)\]|[^.\[]+")


def onto_pool(document: Document, pool: Pool) -> Document:
    """The workload with another pool's block; it asks for as many units of that pool as it asked for cards."""
    document_on_pool = copy.deepcopy(document)
    pool_block = block(pool)
    (resource,) = pool_block.resources
    for spec in _specs(document_on_pool):
        spec["nodeSelector"] = dict(pool_block.node_selector)
        spec["tolerations"] = [dict(toleration) for toleration in pool_block.tolerations]
        spec.pop("affinity", None)
        for container in spec["containers"]:
            for part in ("requests", "limits"):
                amounts = container.get("resources", {}).get(part, {})
                cards = [amount for amount in amounts if resources.is_card_resource(amount)]
                for card in cards:
                    amounts[resource] = amounts.pop(card)
    return document_on_pool


def split(document: Document, replicas: int, pool: Pool) -> tuple[Document, Document]:
    """A Deployment split in two: so many of its ``replicas`` run on another pool."""
    remainder, part = copy.deepcopy(document), onto_pool(document, pool)
    remainder_fields: Any = remainder
    remainder_fields["spec"]["replicas"] -= replicas
    part_fields: Any = part
    name = f"{part_fields['metadata']['name']}-on-{pool.name}"
    part_fields["metadata"]["name"] = name
    part_fields["spec"]["replicas"] = replicas
    for labels in (
        part_fields["spec"]["selector"]["matchLabels"],
        part_fields["spec"]["template"]["metadata"]["labels"],
    ):
        labels["split"] = pool.name
    return remainder, part


def _specs(document: Document) -> Iterator[Any]:
    """The pods' specs in place."""
    for pod_template in pod_templates(of_document(document)):
        document_part: Any = document
        for step in _STEP.finditer(pod_template.spec_path):
            document_part = document_part[int(step[1]) if step[1] else step[0]]
        yield document_part
