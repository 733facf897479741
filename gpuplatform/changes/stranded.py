"""Pods that find no node any more: pools whose published block reaches no NodePool, and manifests that land nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.analysis.placement.landing import Landing, landing
from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.analysis.placement.view import StackView
from gpuplatform.faults import Fault, Severity
from gpuplatform.outputs import PlatformOutputs, PoolOutput
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.taints import TaintEffect, Toleration

_ALLOW = "--allow-breaking"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One pod of a manifest, and its requests."""

    file: str
    name: str
    """Kind, namespace and name: ``Job ml-training/finetune``."""
    ask: PodAsk

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


@dataclass(frozen=True, slots=True)
class LostPool:
    """A pool of the earlier settings that its users cannot reach any more."""

    name: str
    reaches: tuple[str, ...]
    """The pools that its block reaches now: none, or others, if no pool is published under its name any more."""
    away: tuple[str, ...]
    """Why its block does not reach the nearest NodePool."""
    manifests: tuple[Manifest, ...]
    """The manifests that landed on the pool."""

    def fault(self, severity: Severity) -> Fault:
        """The pool as a fault."""
        now = f"reaches {', '.join(self.reaches)}, and no pool has its name" if self.reaches else "reaches no NodePool"
        why = f" ({'; '.join(self.away)})" if self.away else ""
        users = f"; on it landed {', '.join(map(str, self.manifests))}" if self.manifests else ""
        return Fault(
            f"pools[{self.name}]",
            f"a change after which its published block {now}{why}{users}",
            "every published pool keeps its name until no workload uses its block",
            f"keep the pool beside the new one and move its users, or give {_ALLOW}",
            severity,
        )


@dataclass(frozen=True, slots=True)
class Stranded:
    """A manifest that landed on a pool and lands nowhere now, although the pool's own block still reaches one."""

    manifest: Manifest
    landed_on: tuple[str, ...]
    away: tuple[str, ...]

    def fault(self, severity: Severity) -> Fault:
        """The manifest as a fault."""
        return Fault(
            str(self.manifest),
            f"a pod that landed on {', '.join(self.landed_on)} and lands nowhere now: {'; '.join(self.away)}",
            "a change after which every pod still finds a node",
            f"keep the labels that it selects, change the manifest first, or give {_ALLOW}",
            severity,
        )


def lost_pools(
    was: PlatformOutputs, now: PlatformOutputs, view: StackView, landed: Sequence[tuple[Manifest, tuple[str, ...]]]
) -> tuple[LostPool, ...]:
    """The earlier pools that are no longer published under their name, or whose block reaches no NodePool.

    ``view`` is the new stack; ``landed`` has the manifests, each with the pools on which it landed before.
    """
    lost: list[LostPool] = []
    for pool in was.pools:
        outcome = landing(ask_of(pool), view)
        if outcome.reached and now.pool(pool.name) is not None:
            continue
        users = tuple(manifest for manifest, pools in landed if pool.name in pools)
        lost.append(LostPool(pool.name, outcome.pools, () if outcome.reached else nearest(outcome), users))
    return tuple(lost)


def stranded(
    view: StackView, landed: Iterable[tuple[Manifest, tuple[str, ...]]], lost: Iterable[LostPool]
) -> tuple[Stranded, ...]:
    """Manifests that landed before and do not now, except those that a lost pool already names."""
    reported = {id(manifest) for pool in lost for manifest in pool.manifests}
    return tuple(
        Stranded(manifest, pools, nearest(outcome))
        for manifest, pools in landed
        if pools and id(manifest) not in reported and not (outcome := landing(manifest.ask, view)).reached
    )


def ask_of(pool: PoolOutput) -> PodAsk:
    """The requests of a pod with the pool's published block only: one card, slice, share or claim."""
    devices = () if pool.claim_template else ((pool.resource, 1),)
    return PodAsk(
        alternatives=(tuple(Requirement(key, "In", (value,)) for key, value in pool.selection.items()),),
        tolerations=tuple(
            Toleration(
                toleration.key,
                None if toleration.operator == "Exists" else toleration.value or "",
                TaintEffect(toleration.effect) if toleration.effect else None,
            )
            for toleration in pool.tolerations
        ),
        devices=devices,
        largest_container=devices,
        claims=(pool.claim_template,) if pool.claim_template else (),
    )


def nearest(outcome: Landing) -> tuple[str, ...]:
    """The name of the nearest NodePool, then what keeps the pod from it; empty without such a NodePool."""
    if not outcome.kept_from:
        return ()
    node_pool, obstacles = min(outcome.kept_from, key=lambda candidate: len(candidate[1]))
    return (f"nearest is {node_pool.name}", *(obstacle.says for obstacle in obstacles))
