"""What each team held of the cards while all of them waited for more, and whether that follows the weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

TOLERANCE = 0.1
"""A team's mean may differ from what is due by this part of it: a job is a whole card, and ends when it ends."""
FILLINGS = 2
"""A team that waits gets a card before the others have been given all cards so many times."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a team may expect."""

    weight: int
    guaranteed: int
    """Cards."""


@dataclass(frozen=True, slots=True)
class Held:
    """One job of one card; times in seconds from whichever moment."""

    team: str
    submitted: float
    admitted: float
    ended: float


@dataclass(frozen=True, slots=True)
class Window:
    """From when every job was there and every card was taken, until the first team had nothing left that waits."""

    since: float
    until: float


def due(claims: Mapping[str, Claim], cards: int) -> dict[str, float]:
    """Cards of each team while all of them want more: its own, and its part by weight of what is nobody's."""
    idle = cards - sum(each.guaranteed for each in claims.values())
    weights = sum(each.weight for each in claims.values())
    return {team: each.guaranteed + idle * each.weight / weights for team, each in claims.items()}


def window(jobs: Sequence[Held], cards: int) -> Window | None:
    """None where the cards were never contended for by all."""
    moments = sorted({each.admitted for each in jobs})
    full = next((each for each in moments if _at(jobs, each) >= cards), None)
    if full is None:
        return None
    last = {each.team: each.admitted for each in sorted(jobs, key=lambda job: job.admitted)}
    found = Window(max(full, *(each.submitted for each in jobs)), min(last.values()))
    return found if found.since < found.until else None


def mean_cards(jobs: Iterable[Held], during: Window) -> dict[str, float]:
    """Of each team: its card-seconds in the window, by the window's length."""
    sums: dict[str, float] = {}
    for each in jobs:
        inside = max(0.0, min(each.ended, during.until) - max(each.admitted, during.since))
        sums[each.team] = sums.get(each.team, 0.0) + inside
    return {team: seconds / (during.until - during.since) for team, seconds in sums.items()}


def waits(jobs: Iterable[Held]) -> dict[str, float]:
    """Of each team: the longest that a job waited, in seconds."""
    longest: dict[str, float] = {}
    for each in jobs:
        longest[each.team] = max(longest.get(each.team, 0.0), each.admitted - each.submitted)
    return longest


def seconds(jobs: Sequence[Held]) -> float:
    """From the first submission to the last end."""
    return max(each.ended for each in jobs) - min(each.submitted for each in jobs)


def longest_passing_over(jobs: Sequence[Held]) -> dict[str, int]:
    """Of each team: the most jobs of others that were admitted in a row while it waited."""
    most = dict.fromkeys(sorted({each.team for each in jobs}), 0)
    passed = dict(most)
    left = {team: sum(each.team == team for each in jobs) for team in most}
    for job in sorted(jobs, key=lambda each: each.admitted):
        for team in most:
            passed[team] = 0 if team == job.team or not left[team] else passed[team] + 1
            most[team] = max(most[team], passed[team])
        left[job.team] -= 1
    return most


def faults(jobs: Sequence[Held], claims: Mapping[str, Claim], cards: int) -> list[str]:
    """What does not hold of: in order of share, none starved."""
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
        for one, other in combinations(expected, 2)
        if expected[one] != expected[other]
        for light, heavy in [sorted((one, other), key=lambda team: expected[team])]
        if had.get(light, 0.0) >= had.get(heavy, 0.0)
    ]
    starved = [
        f"{team} waited while others were given {most} cards in a row, more than {FILLINGS} times all {cards}"
        for team, most in longest_passing_over(jobs).items()
        if most > FILLINGS * cards
    ]
    return [*wrong, *swapped, *starved]


def _at(jobs: Iterable[Held], moment: float) -> int:
    return sum(each.admitted <= moment < each.ended for each in jobs)
