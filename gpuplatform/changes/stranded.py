"""Whose work loses its place: pools whose published block reaches nothing any more, and manifests that land nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.faults import Fault, Severity
from gpuplatform.outputs import PlatformOutputs, PoolOutput
from gpuplatform.proofs.capture.landing import Landing, landing
from gpuplatform.proofs.capture.pod import Match, PodAsk
from gpuplatform.proofs.capture.view import StackView
from gpuplatform.standard.taints import Effect, Toleration

_ALLOW = "--allow-breaking"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One pod of a manifest and what it asks for."""

    file: str
    name: str
    """Kind, namespace and name: ``Job ml-training/finetune``."""
    ask: PodAsk

    def __str__(self) -> str:
        return f"{self.file}: {self.name}"


@dataclass(frozen=True, slots=True)
class LostPool:
    """A pool of the earlier settings that its users do not find any more."""

    name: str
    reaches: tuple[str, ...]
    """The pools that its block reaches now: none, or others, since no pool is published under its name."""
    away: tuple[str, ...]
    """What keeps its block from the NodePool that comes nearest."""
    manifests: tuple[Manifest, ...]
    """Those that landed on it."""

    def fault(self, severity: Severity) -> Fault:
        """The pool as a finding."""
        now = f"reaches {', '.join(self.reaches)}, and not by its name" if self.reaches else "reaches nothing"
        why = f" ({'; '.join(self.away)})" if self.away else ""
        users = f"; it strands {', '.join(map(str, self.manifests))}" if self.manifests else ""
        return Fault(
            f"pools[{self.name}]",
            f"a change after which its published block {now}{why}{users}",
            "every pool that was published goes on, under its name, until nobody uses its block",
            f"keep the pool beside the new one and move its users, or give {_ALLOW}",
            severity,
        )


@dataclass(frozen=True, slots=True)
class Stranded:
    """A manifest that landed on a pool and lands nowhere now, while the pool's own block still does."""

    manifest: Manifest
    landed_on: tuple[str, ...]
    away: tuple[str, ...]

    def fault(self, severity: Severity) -> Fault:
        """The manifest as a finding."""
        return Fault(
            str(self.manifest),
            f"a pod that landed on {', '.join(self.landed_on)} and lands nowhere now: {'; '.join(self.away)}",
            "a change that leaves every pod its place",
            f"keep what it selects, change the manifest first, or give {_ALLOW}",
            severity,
        )


def lost_pools(
    was: PlatformOutputs, now: PlatformOutputs, view: StackView, landed: Sequence[tuple[Manifest, tuple[str, ...]]]
) -> tuple[LostPool, ...]:
    """The earlier pools that are not published under their name any more, or whose block reaches nothing.

    ``view`` is the stack as it becomes; ``landed`` says of each manifest on which pools it landed before.
    """
    lost: list[LostPool] = []
    for pool in was.pools:
        found = landing(ask_of(pool), view)
        if found.reached and now.pool(pool.name) is not None:
            continue
        users = tuple(manifest for manifest, pools in landed if pool.name in pools)
        lost.append(LostPool(pool.name, found.pools, () if found.reached else nearest(found), users))
    return tuple(lost)


def stranded(
    view: StackView, landed: Iterable[tuple[Manifest, tuple[str, ...]]], lost: Iterable[LostPool]
) -> tuple[Stranded, ...]:
    """Manifests that landed before and do not now; those that a lost pool names are not told again."""
    told = {id(manifest) for pool in lost for manifest in pool.manifests}
    return tuple(
        Stranded(manifest, pools, nearest(found))
        for manifest, pools in landed
        if pools and id(manifest) not in told and not (found := landing(manifest.ask, view)).reached
    )


def ask_of(pool: PoolOutput) -> PodAsk:
    """What a pod asks that says the pool's published block and no more: one card, slice, share or claim."""
    counted = () if pool.claim_template else ((pool.resource, 1),)
    return PodAsk(
        alternatives=(tuple(Match(key, "In", (value,)) for key, value in pool.selection.items()),),
        tolerations=tuple(
            Toleration(
                each.key,
                None if each.operator == "Exists" else each.value or "",
                Effect(each.effect) if each.effect else None,
            )
            for each in pool.tolerations
        ),
        devices=counted,
        largest_container=counted,
        claims=(pool.claim_template,) if pool.claim_template else (),
    )


def nearest(found: Landing) -> tuple[str, ...]:
    """What keeps a pod from the NodePool that comes nearest, which is named first; empty where there is none."""
    if not found.kept_from:
        return ()
    node_pool, kept = min(found.kept_from, key=lambda one: len(one[1]))
    return (f"nearest is {node_pool.name}", *(obstacle.says for obstacle in kept))
