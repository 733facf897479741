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
    changed = copy.deepcopy(document)
    pasted = block(pool)
    (resource,) = pasted.resources
    for spec in _specs(changed):
        spec["nodeSelector"] = dict(pasted.node_selector)
        spec["tolerations"] = [dict(toleration) for toleration in pasted.tolerations]
        spec.pop("affinity", None)
        for container in spec["containers"]:
            for part in ("requests", "limits"):
                amounts = container.get("resources", {}).get(part, {})
                cards = [amount for amount in amounts if resources.is_card_resource(amount)]
                for card in cards:
                    amounts[resource] = amounts.pop(card)
    return changed


def split(document: Document, moved: int, pool: Pool) -> tuple[Document, Document]:
    """A Deployment split in two: ``moved`` of its replicas run on another pool."""
    kept, other = copy.deepcopy(document), onto_pool(document, pool)
    first: Any = kept
    first["spec"]["replicas"] -= moved
    second: Any = other
    name = f"{second['metadata']['name']}-on-{pool.name}"
    second["metadata"]["name"] = name
    second["spec"]["replicas"] = moved
    for labels in (second["spec"]["selector"]["matchLabels"], second["spec"]["template"]["metadata"]["labels"]):
        labels["split"] = pool.name
    return kept, other


def _specs(document: Document) -> Iterator[Any]:
    """The pods' specs in place."""
    for pod_template in pod_templates(of_document(document)):
        document_part: Any = document
        for step in _STEP.finditer(pod_template.spec_path):
            document_part = document_part[int(step[1]) if step[1] else step[0]]
        yield document_part
