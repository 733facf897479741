"""Demands divided over places with limited room: met in full if possible, else with the bottlenecks that prevent it.

A maximum flow by shortest augmenting paths (Edmonds and Karp, 1972): units of one demand are moved to another place as
long as this makes room for another demand. By the max-flow min-cut theorem no other division meets more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Parts = dict[str, int]
"""The units that a demand has in each place."""


@dataclass(frozen=True, slots=True)
class Demand:
    """An amount that any of some places may supply."""

    amount: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """Demands whose sum is more than the room of the only places that may supply them."""

    wishes: tuple[int, ...]
    """Positions of the demands."""
    places: tuple[str, ...]


def divided(
    demands: Sequence[Demand], room: Mapping[str, int], first: Sequence[Mapping[str, int]] | None = None
) -> tuple[Parts, ...]:
    """The parts of each demand: no place exceeds its room, and as much as possible is supplied.

    ``first`` is a division within the room to begin with; it is changed only where a demand would otherwise be short.
    """
    parts = [Parts(part) for part in first] if first else [Parts() for _ in demands]
    free = {place: units - sum(part.get(place, 0) for part in parts) for place, units in room.items()}
    for position, demand in enumerate(demands):
        while missing := demand.amount - sum(parts[position].values()):
            path = _path(position, demands, parts, free)
            if path is None:
                break
            _move(path, missing, parts, free)
    return tuple(parts)


def bottlenecks(demands: Sequence[Demand], parts: Sequence[Parts], room: Mapping[str, int]) -> tuple[Bottleneck, ...]:
    """Why a division leaves demands short: for each such demand its bottleneck, every bottleneck once."""
    free = {place: units - sum(part.get(place, 0) for part in parts) for place, units in room.items()}
    reasons: dict[Bottleneck, None] = {}
    for position, demand in enumerate(demands):
        if sum(parts[position].values()) < demand.amount:
            by, through = _reached(position, demands, parts, free)
            short = tuple(sorted({position, *through}))
            reasons[Bottleneck(short, tuple(place for place in room if place in by))] = None
    return tuple(reasons)


def _path(
    start: int, demands: Sequence[Demand], parts: Sequence[Parts], free: Mapping[str, int]
) -> list[tuple[int, str]] | None:
    """Demands and places in turn, from the short demand to a place with room: each moves to the place after it."""
    by, through = _reached(start, demands, parts, free)
    end = next((place for place in by if free[place] > 0), None)
    if end is None:
        return None
    path: list[tuple[int, str]] = []
    while True:
        path.append((by[end], end))
        if by[end] == start:
            return path[::-1]
        end = through[by[end]]


def _reached(
    start: int, demands: Sequence[Demand], parts: Sequence[Parts], free: Mapping[str, int]
) -> tuple[dict[str, int], dict[int, str]]:
    """Places that a demand can reach, each with the demand before it, and demands on the way with the place before."""
    by: dict[str, int] = {}
    through: dict[int, str] = {}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for place in demands[at].places:
            if place in by:
                continue
            by[place] = at
            if free[place] > 0:
                return by, through
            for other, flow in enumerate(parts):
                if other != start and other not in through and flow.get(place, 0) > 0:
                    through[other] = place
                    waiting.append(other)
    return by, through


def _move(path: list[tuple[int, str]], most: int, parts: Sequence[Parts], free: dict[str, int]) -> None:
    """Move as many units along the path as every step allows."""
    steps = list(pairwise(path))
    amount = min([most, free[path[-1][1]], *(parts[mover][place] for (_, place), (mover, _) in steps)])
    for (_, place), (mover, _) in steps:
        parts[mover][place] -= amount
    for taker, place in path:
        parts[taker][place] = parts[taker].get(place, 0) + amount
    free[path[-1][1]] -= amount
