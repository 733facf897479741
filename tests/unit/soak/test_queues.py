"""The arithmetic of the queues' campaign in ``make soak``; the campaign itself needs a cluster."""

from __future__ import annotations

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.soak.queues.shares import (
    FILLINGS,
    Claim,
    Held,
    Window,
    due,
    faults,
    longest_passing_over,
    mean_cards,
    seconds,
    waits,
    window,
)

CLAIMS = {"light": Claim(1, 2), "middle": Claim(2, 2), "heavy": Claim(5, 2)}
CARDS = 22


def played(entitled: dict[str, Claim], jobs_per_team: int = 60, run_seconds: float = 10.0) -> list[Held]:
    """The runs of each team's jobs under exact sharing: a free card goes to the team furthest below its share."""
    expected = due(entitled, CARDS)
    left, holds = dict.fromkeys(entitled, jobs_per_team), dict.fromkeys(entitled, 0)
    running: list[tuple[float, str]] = []
    done: list[Held] = []
    now = 0.0
    while any(left.values()) or running:
        waiting = [team for team in entitled if left[team]]
        while waiting and sum(holds.values()) < CARDS:
            team = min(waiting, key=lambda name: (holds[name] + 1) / expected[name])
            left[team] -= 1
            holds[team] += 1
            ended = now + run_seconds + len(done) % 7 / 10
            heapq.heappush(running, (ended, team))
            done.append(Held(team, 0.0, now, ended))
            waiting = [team for team in entitled if left[team]]
        now, freed = heapq.heappop(running)
        holds[freed] -= 1
    return done


def test_what_is_due_is_the_guarantee_and_the_part_by_weight_of_what_is_idle() -> None:
    assert due(CLAIMS, CARDS) == {"light": 4.0, "middle": 6.0, "heavy": 12.0}


@given(
    st.dictionaries(st.text(min_size=1, max_size=3), st.builds(Claim, st.integers(1, 9), st.integers(0, 5)), min_size=1)
)
def test_what_is_due_sums_to_all_cards_and_nobody_gets_less_than_the_guarantee(claims: dict[str, Claim]) -> None:
    cards = 1 + sum(claim.guaranteed for claim in claims.values())
    cards_due = due(claims, cards)
    assert sum(cards_due.values()) == pytest.approx(cards)
    assert all(cards_due[team] >= claim.guaranteed for team, claim in claims.items())


def test_the_window_opens_when_all_is_submitted_and_taken_and_closes_when_one_team_has_nothing_left() -> None:
    jobs = [Held("a", 0, 0, 10), Held("a", 3, 10, 20), Held("b", 0, 1, 11), Held("b", 0, 11, 21), Held("b", 0, 20, 30)]
    assert window(jobs, 2) == Window(since=3, until=10)


def test_there_is_no_window_where_cards_stay_idle() -> None:
    assert window([Held("a", 0, 0, 10), Held("a", 0, 10, 20), Held("b", 0, 0, 10)], 3) is None
    assert "no share to judge" in faults([Held("a", 0, 0, 10)], {"a": Claim(1, 0)}, 2)[0]


def test_the_mean_counts_only_the_time_inside_of_the_window() -> None:
    jobs = [Held("a", 0, 0, 10), Held("a", 0, 8, 30), Held("b", 0, 19, 20), Held("c", 0, 20, 40)]
    assert mean_cards(jobs, Window(5, 15)) == {"a": 1.2, "b": 0.0, "c": 0.0}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 50), st.floats(0.1, 50)), min_size=1))
def test_the_means_of_all_teams_sum_to_what_was_taken(runs: list[tuple[str, float, float]]) -> None:
    jobs = [Held(team, 0, begun, begun + long) for team, begun, long in runs]
    whole = Window(0, 100)
    assert sum(mean_cards(jobs, whole).values()) == pytest.approx(sum(job.ended - job.admitted for job in jobs) / 100)


def test_waits_and_the_whole_time() -> None:
    jobs = [Held("a", 1, 2, 10), Held("a", 1, 7, 12), Held("b", 3, 3, 9)]
    assert waits(jobs) == {"a": 6, "b": 0}
    assert seconds(jobs) == 11


def test_a_team_is_passed_over_only_while_it_waits() -> None:
    order = ["a", "b", "b", "b", "a", "b", "b", "b", "b"]
    jobs = [Held(team, 0, float(at), 100) for at, team in enumerate(order)]
    assert longest_passing_over(jobs) == {"a": 3, "b": 1}


def test_shares_by_weight_are_found_right() -> None:
    assert faults(played(CLAIMS), CLAIMS, CARDS) == []


def test_equal_shares_are_told_where_weights_differ() -> None:
    problems = faults(played(dict.fromkeys(CLAIMS, Claim(1, 2))), CLAIMS, CARDS)
    assert any(problem.startswith("heavy held") and problem.endswith("and 12.0 were due") for problem in problems)
    assert any(problem.startswith("light held") for problem in problems)


def test_swapped_weights_are_told_with_both_teams() -> None:
    swapped = {"light": CLAIMS["heavy"], "middle": CLAIMS["middle"], "heavy": CLAIMS["light"]}
    problems = faults(played(swapped), CLAIMS, CARDS)
    assert any(problem.startswith("light held") and "no less than heavy with" in problem for problem in problems)


def test_a_team_that_comes_last_is_told_to_starve() -> None:
    others = [Held("a", 0, float(at), at + 4.0) for at in range(40)]
    late = [Held("b", 0, 40.0 + at, 44.0 + at) for at in range(2)]
    problems = faults([*others, *late], {"a": Claim(1, 0), "b": Claim(1, 0)}, 4)
    assert f"b waited while others were given 40 cards in a row, more than {FILLINGS} times all 4" in problems
