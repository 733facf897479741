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
    """The same workload with a pool's block in the place of its own: as many of the pool's units as it asked cards."""
    changed = copy.deepcopy(document)
    wanted = block(pool)
    (resource,) = wanted.resources
    for spec in _specs(changed):
        spec["nodeSelector"] = dict(wanted.node_selector)
        spec["tolerations"] = [dict(each) for each in wanted.tolerations]
        spec.pop("affinity", None)
        for container in spec["containers"]:
            for part in ("requests", "limits"):
                amounts = container.get("resources", {}).get(part, {})
                cards = [each for each in amounts if resources.is_card_resource(each)]
                for each in cards:
                    amounts[resource] = amounts.pop(each)
    return changed


def split(document: Document, moved: int, pool: Pool) -> tuple[Document, Document]:
    """A Deployment in two: so many of its replicas on another pool."""
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
    for each in pod_templates(of_document(document)):
        found: Any = document
        for step in _STEP.finditer(each.spec_path):
            found = found[int(step[1]) if step[1] else step[0]]
        yield found
