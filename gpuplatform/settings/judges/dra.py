"""Pools whose cards are claimed: what dynamic resource allocation can do today, and what it cannot."""

from __future__ import annotations

from gpuplatform.faults import Fault, warning
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.plan import mig_profile, shares_per_card, unit_resource
from gpuplatform.settings.pools import MigBringUp, Pool
from gpuplatform.standard.versions import KUBERNETES_SUPPORTED

_TOO_OLD = ("1.33",)
"""Minors of those supported that lack resource.k8s.io/v1: it is there since 1.34 (Kubernetes release notes)."""


def judge(draft: Draft) -> list[Fault]:
    """What is wrong with each pool that is for claims."""
    pools = [pool for pool in draft.pools if pool.dra]
    faults = [fault for pool in pools for fault in _pool(pool, draft)]
    if pools and draft.cluster is not None and draft.cluster.version in _TOO_OLD:
        newer = ", ".join(each for each in KUBERNETES_SUPPORTED if each not in _TOO_OLD)
        allowed = f"one of {newer} for pools with dra: before 1.34 the API of claims is not there"
        change = "raise the version, or remove dra from the pools"
        faults.append(Fault("cluster.version", repr(draft.cluster.version), allowed, change))
    return faults


def _pool(pool: Pool, draft: Draft) -> list[Fault]:
    path = f"pools[{pool.name}].dra"
    faults: list[Fault] = []
    if pool.nodes is None:
        allowed = (
            "a static pool: Karpenter's AWS provider knows no devices of a node that is not there yet, so no claim"
            " starts one (aws/karpenter-provider-aws issue 9519)"
        )
        faults.append(Fault(path, "true on an elastic pool", allowed, "add nodes: N, or remove dra"))
    if shares_per_card(pool) is not None:
        allowed = "whole cards, or mig: shares are the device plugin's, which stays off the nodes of this pool"
        faults.append(Fault(path, "true with shared cards", allowed, "remove dra, or the sharing"))
    if mig_profile(pool) is not None and pool.mig_bring_up is not MigBringUp.BEFORE_KUBELET:
        allowed = "slices that are there before the kubelet: the operator's MIG manager stays off this pool's nodes"
        change = "add mig_bring_up: before-kubelet, or remove dra"
        faults.append(Fault(path, f"true with mig_bring_up {pool.mig_bring_up.value}", allowed, change))
    resource = unit_resource(pool)
    others = [each.name for each in draft.pools if not each.dra and unit_resource(each) == resource]
    if others:
        faults.append(
            warning(
                path,
                f"claims for what {', '.join(others)} offers as {resource}",
                "one way to ask for a resource: a namespace's quota of it holds for claims and for counted cards each,"
                " so a namespace may use it twice over",
                f"halve the quotas of {resource}, or let all its pools be for claims",
            )
        )
    return faults
