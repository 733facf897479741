"""The block: the YAML to paste into a pod so that it lands on one pool and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.plan.node_pools import claim_template, selection_of, taints_of, unit_resource
from gpuplatform.render.document import Document
from gpuplatform.render.dra import REQUEST
from gpuplatform.settings.pools import Pool
from gpuplatform.standard import resources
from gpuplatform.standard.taints import tolerations


@dataclass(frozen=True, slots=True)
class Block:
    """The fields of a pod's template that place it on one pool."""

    node_selector: dict[str, str]
    tolerations: tuple[dict[str, str], ...]
    resources: dict[str, str]
    """Both requests and limits: cards cannot be over-committed. Empty where the pool's cards are claimed."""
    claim_template: str | None
    """The ResourceClaimTemplate that a pod names where the pool's cards are claimed."""

    def as_pod_fragment(self) -> Document:
        """The block as part of a pod's ``spec``; the reader chooses the container's name."""
        fragment: Document = {
            "runtimeClassName": resources.RUNTIME_CLASS,
            "nodeSelector": self.node_selector,
            "tolerations": [dict(toleration) for toleration in self.tolerations],
        }
        demand: Document = {"requests": dict(self.resources), "limits": dict(self.resources)}
        if self.claim_template is not None:
            fragment["resourceClaims"] = [{"name": REQUEST, "resourceClaimTemplateName": self.claim_template}]
            demand = {"claims": [{"name": REQUEST}]}
        return {**fragment, "containers": [{"name": "main", "resources": demand}]}

    def as_affinity(self) -> Document:
        """The selection as required node affinity, for templates that leave ``nodeSelector`` to others."""
        expressions = [{"key": key, "operator": "In", "values": [value]} for key, value in self.node_selector.items()]
        required = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def block(pool: Pool) -> Block:
    """The block of a pool, for one card, share or slice."""
    return Block(
        node_selector=selection_of(pool).as_labels(),
        tolerations=tuple(toleration.as_document() for toleration in tolerations(taints_of(pool))),
        resources={} if pool.dra else {unit_resource(pool): "1"},
        claim_template=claim_template(pool),
    )
