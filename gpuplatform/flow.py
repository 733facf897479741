"""Wishes divided over places with room: whole wherever that is possible, and what stands in the way where it is not.

A maximum flow by shortest augmenting paths (Edmonds and Karp, 1972): what one wish holds in a place is moved elsewhere
as long as that makes room for another. The theorem behind it says that what is still short then cannot be had at all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Parts = dict[str, int]
"""What a wish holds in each place."""


@dataclass(frozen=True, slots=True)
class Wish:
    """An amount that may come from any of some places."""

    amount: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tight:
    """Wishes that are together more than the only places which they may be served from have room for."""

    wishes: tuple[int, ...]
    """By their position."""
    places: tuple[str, ...]


def divided(
    wishes: Sequence[Wish], room: Mapping[str, int], first: Sequence[Mapping[str, int]] | None = None
) -> tuple[Parts, ...]:
    """The parts of each wish: no place is filled beyond its room, and as much is served as can be.

    ``first`` is a division within the room to begin with; it is changed only where another wish would go short.
    """
    parts = [Parts(each) for each in first] if first else [Parts() for _ in wishes]
    free = {place: units - sum(each.get(place, 0) for each in parts) for place, units in room.items()}
    for position, wish in enumerate(wishes):
        while missing := wish.amount - sum(parts[position].values()):
            path = _path(position, wishes, parts, free)
            if path is None:
                break
            _move(path, missing, parts, free)
    return tuple(parts)


def tight(wishes: Sequence[Wish], parts: Sequence[Parts], room: Mapping[str, int]) -> tuple[Tight, ...]:
    """Why a division leaves wishes short: for each of those the wishes and places that bar it, every set once."""
    free = {place: units - sum(each.get(place, 0) for each in parts) for place, units in room.items()}
    found: dict[Tight, None] = {}
    for position, wish in enumerate(wishes):
        if sum(parts[position].values()) < wish.amount:
            by, through = _reached(position, wishes, parts, free)
            found[Tight(tuple(sorted({position, *through})), tuple(place for place in room if place in by))] = None
    return tuple(found)


def _path(
    start: int, wishes: Sequence[Wish], parts: Sequence[Parts], free: Mapping[str, int]
) -> list[tuple[int, str]] | None:
    """Wish and place in turn, from the one that is short to a place with room: each wish leaves the place before."""
    by, through = _reached(start, wishes, parts, free)
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
    start: int, wishes: Sequence[Wish], parts: Sequence[Parts], free: Mapping[str, int]
) -> tuple[dict[str, int], dict[int, str]]:
    """Nearest first: the places that a wish may come to and from which wish, the wishes on the way and from where."""
    by: dict[str, int] = {}
    through: dict[int, str] = {}
    waiting = deque([start])
    while waiting:
        at = waiting.popleft()
        for place in wishes[at].places:
            if place in by:
                continue
            by[place] = at
            if free[place] > 0:
                return by, through
            for other, held in enumerate(parts):
                if other != start and other not in through and held.get(place, 0) > 0:
                    through[other] = place
                    waiting.append(other)
    return by, through


def _move(path: list[tuple[int, str]], most: int, parts: Sequence[Parts], free: dict[str, int]) -> None:
    """As much as every step of the path lets through."""
    steps = list(pairwise(path))
    amount = min([most, free[path[-1][1]], *(parts[mover][place] for (_, place), (mover, _) in steps)])
    for (_, place), (mover, _) in steps:
        parts[mover][place] -= amount
    for taker, place in path:
        parts[taker][place] = parts[taker].get(place, 0) + amount
    free[path[-1][1]] -= amount
