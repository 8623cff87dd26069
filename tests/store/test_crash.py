"""Killed or interrupted anywhere, a store has all that was acknowledged and nothing by half."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.memories.records import Draft
from memkit.store.tables import tables
from tests.store import dying

Open = Callable[..., memkit.Memkit]
pytestmark = pytest.mark.disk
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


# -- killed


@pytest.fixture(scope="module")
def undertaker() -> Iterator[dying.Undertaker]:
    """One process that forks the children that die."""
    process = dying.Undertaker()
    yield process
    process.close()


def whole(make_kit: Open, path: Path, done: int) -> None:
    """All chores that were acknowledged are there; check() is sound; doing them again completes."""
    with make_kit(path) as kit:
        assert kit.check().is_sound
        _expect(kit, done)
        for number in range(done + 1):
            dying.chore(kit, number)
        assert kit.check().is_sound
        _expect(kit, done + 1)
    assert sorted(p.name for p in path.parent.glob(f"{path.name}?*")) == []


def _expect(kit: memkit.Memkit, done: int) -> None:
    sources = {memory.source for memory in kit.memories.find(limit=10_000)}
    for number in range(done):
        if number % 4 == 0:
            assert f"log#{number}" in sources
        elif number % 4 == 2:
            assert {f"log#{number}.{part}" for part in range(5)} <= sources
    values = {m.value: m.is_current for m in kit.memories.find(history=True, limit=10_000)}
    for number in range(1, done, 4):
        assert f"turned {number} times" in values


@needs_fork
def test_killed_between_any_two_statements(
    tmp_path: Path, make_kit: Open, undertaker: dying.Undertaker
) -> None:
    """A process that kills itself at its n-th statement leaves a file that opens whole."""
    for at in itertools.count(3, 9):
        path = tmp_path / str(at) / ".memkit.db"
        path.parent.mkdir()
        done = undertaker.done(undertaker.begin(path, at=at, count=4))
        whole(make_kit, path, done)
        if done == 4:
            break
    assert at > 60, "the children died of something else"


@needs_fork
def test_killed_at_any_moment(tmp_path: Path, make_kit: Open, undertaker: dying.Undertaker) -> None:
    """kill -9 from outside, in the middle of whatever it was doing, on one file again and again."""
    path = tmp_path / "k" / ".memkit.db"
    path.parent.mkdir()
    done = 0
    for kill_after in (1, 2, 3, 5, 8, 4):
        done = max(done, undertaker.done(undertaker.begin(path), kill_after=kill_after))
        with make_kit(path) as kit:
            assert kit.check().is_sound
            _expect(kit, done)
    whole(make_kit, path, done)


# -- interrupted


class Stopped(Exception):
    """Raised in the place of a statement."""


def stop() -> None:
    """Fail as nothing else does."""
    raise Stopped


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, but for the notes on when the file was last reconciled."""
    names = [*tables(), "search_documents", "memory_tokens", "embeddings", "embedding_bits"]
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: connection.execute(f"select * from {name} order by 1, 2").fetchall()
            for name in names
            if name != "change_counters"
        }


def _plain(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[str]]:
    """The same without ids, for new ones begin anywhere in their second."""
    return {
        name: sorted(re.sub(r"\b\d{16}\b", "id", str(row)) for row in rows)
        for name, rows in found.items()
    }


def first(kit: memkit.Memkit, words: str) -> memkit.Memory:
    """The memory that begins with these words."""
    return next(m for m in kit.memories.find(history=True) if m.text.startswith(words))


VERBS: dict[str, Callable[[memkit.Memkit], object]] = {
    "remember": lambda kit: kit.memories.remember(
        "tea is served at four", tags=["tea", "house"], about=["a.py::b"], reason="seen",
        supersedes=first(kit, "coffee"), artifacts=[("commit", "abc")],
    ),
    "strengthen": lambda kit: kit.memories.remember("coffee is ground by hand"),
    "fold": lambda kit: kit.memories.remember("The coffee is ground by hand!"),
    "source": lambda kit: kit.memories.remember("milk comes on Tuesdays", source="list#milk"),
    "keyed": lambda kit: kit.memories.remember(key="sugar", value="none"),
    "many": lambda kit: kit.memories.remember_many(
        [Draft(f"cup {n} is chipped", tags=["cup"]) for n in range(4)], chain=True
    ),
    "update": lambda kit: kit.memories.update(
        first(kit, "coffee"), "coffee is bought ground", tags=["shop"], about=["c.py"]
    ),
    "forget": lambda kit: kit.memories.forget(kit.memories.find()),
    "restore": lambda kit: kit.memories.restore(first(kit, "old")),
    "purge": lambda kit: kit.memories.purge(kit.memories.find()),
    "pin": lambda kit: kit.memories.pin(first(kit, "coffee")),
    "used": lambda kit: kit.consolidation.used(first(kit, "coffee")),
    "tag": lambda kit: kit.memories.tag(first(kit, "coffee"), "hot", "black"),
    "untag": lambda kit: kit.memories.untag(first(kit, "coffee"), "drink"),
    "supersede": lambda kit: kit.memories.supersede(first(kit, "coffee"), first(kit, "milk")),
    "resolve": lambda kit: kit.memories.resolve(
        first(kit, "coffee"), first(kit, "milk"), "b_wins", note="spilt"
    ),
    "contradict": lambda kit: kit.memories.contradict(first(kit, "sugar"), first(kit, "milk")),
    "link": lambda kit: kit.memories.link(first(kit, "coffee"), first(kit, "milk")),
}  # fmt: skip


@pytest.fixture
def base(tmp_path: Path, make_kit: Open) -> Path:
    """A small store with one of everything, closed."""
    kit = make_kit("base.db")
    memories = kit.memories
    coffee = memories.remember("coffee is ground by hand", tags=["drink"])
    milk = memories.remember("milk comes on Mondays", source="list#milk")
    memories.remember(key="sugar", value="brown")
    memories.supersede(memories.remember("old kettle leaks"), coffee)
    memories.contradict(coffee, milk)
    kit.close()
    return tmp_path / "base.db"


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_stopped_between_any_two_statements_leaves_nothing(
    tmp_path: Path, base: Path, verb: str, clock: Callable[[], float]
) -> None:
    """Each verb is done wholly or not at all, wherever a statement of it fails."""
    before = content(base)
    shutil.copy(base, tmp_path / "after.db")
    with dying.open_counting(tmp_path / "after.db", dying.Counting(stop), clock) as kit:
        VERBS[verb](kit)
    after = content(tmp_path / "after.db")
    stages = []
    for at in itertools.count(1):
        path = tmp_path / "work.db"
        shutil.copy(base, path)
        kit = dying.open_counting(path, dying.Counting(stop, at), clock)
        try:
            VERBS[verb](kit)
        except Stopped:
            kit.close()
            stages.append(_plain(content(path)))
        else:
            kit.close()
            break
    # What fails after the commit only reads what is handed back.
    wholly = [stage == _plain(after) for stage in stages]
    assert all(stage == _plain(before) for stage, is_whole in zip(stages, wholly, strict=True)
               if not is_whole)  # fmt: skip
    assert wholly.count(False) > 3


def test_a_stopped_verb_can_be_done_again_with_the_same_kit(
    tmp_path: Path, clock: Callable[[], float]
) -> None:
    """After a failure the open kit works on: no transaction stays open, no lock held."""
    queries = dying.Counting(stop)
    kit = dying.open_counting(tmp_path / "x.db", queries, clock)
    queries.at = 4
    with pytest.raises(Stopped):
        kit.memories.remember("lamps are lit at dusk", tags=["light"])
    assert not kit.memories.find()
    assert kit.memories.remember("lamps are lit at dusk", tags=["light"]).outcome == "stored"
    with memkit.open(tmp_path / "x.db", global_store=False, busy_timeout=0) as other:
        assert len(other.memories.find()) == 1
    assert kit.check().is_sound
    kit.close()


def test_taking_up_edits_can_be_interrupted_and_goes_on(
    base: Path, make_kit: Open, clock: Callable[[], float]
) -> None:
    """Reconciling stopped anywhere is finished by the next opening, and never thought finished."""
    with closing(sqlite3.connect(base)) as connection, connection:
        connection.execute("update memories set text = text || ' (edited)'")
    for at in itertools.count(1, 3):
        queries = dying.Counting(stop, at)
        kit = dying.open_counting(base, queries, clock)
        try:
            kit._index.ensure()
        except Stopped:
            kit.close()
        else:
            break
    assert at > 10
    queries.at = None
    assert not kit._store.edited_outside()
    assert kit.check().is_sound
    kit.close()


def test_progress_that_raises_keeps_what_was_done(make_kit: Open) -> None:
    """An interruption from the progress callback loses only the transaction under way."""
    kit = make_kit()

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    drafts = [Draft(f"tile {n} is blue", source=f"tiles#{n}") for n in range(1200)]
    with pytest.raises(KeyboardInterrupt):
        kit.memories.remember_many(drafts, progress=interrupt)
    assert len(kit.memories.find(limit=5000)) == 1000
    again = kit.memories.remember_many(drafts)
    assert [r.outcome for r in again] == ["strengthened"] * 1000 + ["stored"] * 200
    assert len(kit.memories.find(limit=5000)) == 1200
