from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sandbox.cloud.store import Entry, Store


def entry(name: str, type_: str = "t", id_: str | None = None) -> Entry:
    return Entry(f"urn::{name}", type_, id_ or name, {"n": name}, {})


def test_what_one_process_makes_another_finds(tmp_path: Path) -> None:
    first, second = Store(tmp_path / "w.db"), Store(tmp_path / "w.db")
    first.create(entry("a"), {"t a"}, set())
    assert second.find("t", "a") == entry("a")
    assert second.has_name("t a")
    second.delete(entry("a"))
    assert first.everything() == ()
    assert not first.has_name("t a")


def test_the_journal_keeps_every_change_in_order(tmp_path: Path) -> None:
    world = Store(tmp_path / "w.db")
    world.create(entry("a"), set(), set())
    world.update(entry("a"), set(), set())
    world.delete(entry("a"))
    assert [(event.operation, event.urn) for event in world.journal()] == [
        ("create", "urn::a"),
        ("update", "urn::a"),
        ("delete", "urn::a"),
    ]
    assert world.creations("urn::a") == 1


def test_users_are_those_that_name_a_thing_and_not_the_thing_itself(tmp_path: Path) -> None:
    world = Store(tmp_path / "w.db")
    world.create(entry("vpc"), {"t vpc"}, {"t vpc"})
    world.create(entry("subnet"), {"t subnet"}, {"t vpc"})
    assert world.users(entry("vpc")) == (entry("subnet"),)
    assert world.users(entry("subnet")) == ()


def test_in_the_middle_of_a_replacement_both_are_there(tmp_path: Path) -> None:
    world = Store(tmp_path / "w.db")
    world.create(entry("a", id_="1"), set(), set())
    world.create(entry("a", id_="2"), set(), set())
    assert [made.id for made in world.of_urn("urn::a")] == ["1", "2"]


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    world = Store(tmp_path / "w.db")
    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(world.create, entry(str(number)), set[str](), set[str]()) for number in range(60)]
    assert all(future.exception() is None for future in made)
    assert len(world.everything()) == len(world.journal()) == 60
