"""The cards that each team held while all teams waited for more, and whether the shares follow the weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

TOLERANCE = 0.1
"""The allowed relative difference between a team's mean and its due share: a job takes a whole card for its time."""
FILLINGS = 2
"""A waiting team must get a card before the others have been given all cards so many times."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The share that a team may expect."""

    weight: int
    guaranteed: int
    """The number of guaranteed cards."""


@dataclass(frozen=True, slots=True)
class Held:
    """One job of one card; times are seconds since a common, arbitrary moment."""

    team: str
    submitted: float
    admitted: float
    ended: float


@dataclass(frozen=True, slots=True)
class Window:
    """From when all jobs were submitted and all cards taken, until the first team had no waiting job left."""

    since: float
    until: float


def due(claims: Mapping[str, Claim], cards: int) -> dict[str, float]:
    """Cards of each team while all of them want more: its guarantee, and by weight its part of the other cards."""
    idle = cards - sum(claim.guaranteed for claim in claims.values())
    weights = sum(claim.weight for claim in claims.values())
    return {team: claim.guaranteed + idle * claim.weight / weights for team, claim in claims.items()}


def window(jobs: Sequence[Held], cards: int) -> Window | None:
    """The window in which all teams contended for the cards; None where there was none."""
    moments = sorted({job.admitted for job in jobs})
    full = next((moment for moment in moments if _at(jobs, moment) >= cards), None)
    if full is None:
        return None
    last = {held.team: held.admitted for held in sorted(jobs, key=lambda job: job.admitted)}
    contended = Window(max(full, *(job.submitted for job in jobs)), min(last.values()))
    return contended if contended.since < contended.until else None


def mean_cards(jobs: Iterable[Held], during: Window) -> dict[str, float]:
    """The mean number of cards of each team: its card-seconds in the window divided by the window's length."""
    sums: dict[str, float] = {}
    for job in jobs:
        inside = max(0.0, min(job.ended, during.until) - max(job.admitted, during.since))
        sums[job.team] = sums.get(job.team, 0.0) + inside
    return {team: card_seconds / (during.until - during.since) for team, card_seconds in sums.items()}


def waits(jobs: Iterable[Held]) -> dict[str, float]:
    """The longest wait of each team's jobs, in seconds."""
    longest: dict[str, float] = {}
    for job in jobs:
        longest[job.team] = max(longest.get(job.team, 0.0), job.admitted - job.submitted)
    return longest


def seconds(jobs: Sequence[Held]) -> float:
    """The seconds from the first submission to the last end."""
    return max(job.ended for job in jobs) - min(job.submitted for job in jobs)


def longest_passing_over(jobs: Sequence[Held]) -> dict[str, int]:
    """For each team, the most jobs of other teams that were admitted in a row while it waited."""
    most = dict.fromkeys(sorted({held.team for held in jobs}), 0)
    passed = dict(most)
    left = {team: sum(job.team == team for job in jobs) for team in most}
    for job in sorted(jobs, key=lambda held: held.admitted):
        for team in most:
            passed[team] = 0 if team == job.team or not left[team] else passed[team] + 1
            most[team] = max(most[team], passed[team])
        left[job.team] -= 1
    return most


def faults(jobs: Sequence[Held], claims: Mapping[str, Claim], cards: int) -> list[str]:
    """Every violation of fair sharing: a share that is not due, swapped shares, a starved team."""
    during = window(jobs, cards)
    if during is None:
        return [f"the {cards} cards were never taken while every team waited: there is no share to judge"]
    had, expected = mean_cards(jobs, during), due(claims, cards)
    taken = sum(had.values())
    wrong = [
        f"{team} held {had.get(team, 0.0):.1f} of {taken:.1f} cards, and {of_these:.1f} were due"
        for team, cards_due in expected.items()
        for of_these in [cards_due * taken / cards]
        if abs(had.get(team, 0.0) - of_these) > TOLERANCE * of_these
    ]
    swapped = [
        f"{light} held {had.get(light, 0.0):.1f} cards, no less than {heavy} with {had.get(heavy, 0.0):.1f}"
        for first, second in combinations(expected, 2)
        if expected[first] != expected[second]
        for light, heavy in [sorted((first, second), key=lambda team: expected[team])]
        if had.get(light, 0.0) >= had.get(heavy, 0.0)
    ]
    starved = [
        f"{team} waited while others were given {most} cards in a row, more than {FILLINGS} times all {cards}"
        for team, most in longest_passing_over(jobs).items()
        if most > FILLINGS * cards
    ]
    return [*wrong, *swapped, *starved]


def _at(jobs: Iterable[Held], moment: float) -> int:
    return sum(job.admitted <= moment < job.ended for job in jobs)
