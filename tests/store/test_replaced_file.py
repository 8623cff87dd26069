"""git puts another file in the place of an open one: the next call works on what lies there now."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit import errors
from memkit.memories.records import Draft
from memkit.store import lifecycle
from tests.asking import by_words
from tests.store import shell

Open = Callable[..., memkit.Memkit]


@pytest.fixture
def two(tmp_path: Path, make_kit: Open) -> tuple[memkit.Memkit, Path]:
    """An open store with one memory, and beside it a closed one with another."""
    other = make_kit("branch.db")
    other.memories.remember("from the other branch")
    other.close()
    kit = make_kit()
    kit.memories.remember("from this branch")
    return kit, tmp_path / "branch.db"


def texts(kit: memkit.Memkit) -> set[str]:
    """Texts of all memories."""
    return {memory.text for memory in kit.memories.find()}


def test_reads_after_a_checkout_see_the_new_file(two: tuple[memkit.Memkit, Path]) -> None:
    """Listing, recall and statistics answer from the file that lies there."""
    kit, other = two
    assert by_words(kit, "branch")
    other.replace(kit.path)
    assert texts(kit) == {"from the other branch"}
    assert by_words(kit, "branch") == ["from the other branch"]
    assert kit.stats().memories.total == 1


def test_a_write_after_a_checkout_lands_in_the_new_file(
    two: tuple[memkit.Memkit, Path], make_kit: Open
) -> None:
    """A statement remembered after the checkout is in the file that git will commit."""
    kit, other = two
    other.replace(kit.path)
    kit.memories.remember("written after the checkout")
    kit.close()
    assert texts(make_kit()) == {"from the other branch", "written after the checkout"}


def test_a_file_replaced_during_a_write_gets_the_write(
    two: tuple[memkit.Memkit, Path], make_kit: Open
) -> None:
    """The write runs again on the new file: once acknowledged it is there, and there once."""
    kit, other = two
    runs = []

    def work() -> None:
        kit.memories.remember("in the middle of it")
        if not runs:
            other.replace(kit.path)
        runs.append(1)

    kit._store.write(work)
    assert len(runs) == 2
    kit.close()
    kit = make_kit()
    assert texts(kit) == {"from the other branch", "in the middle of it"}
    assert by_words(kit, "middle") == ["in the middle of it"]


def test_a_file_replaced_before_every_commit_is_given_up_in_words(
    tmp_path: Path, two: tuple[memkit.Memkit, Path]
) -> None:
    """Endless replacing ends in StoreMoved, with the file as the other program left it."""
    kit, other = two

    def work() -> None:
        shutil.copy(other, tmp_path / "again.db")
        (tmp_path / "again.db").replace(kit.path)
        kit._store.audit("nothing")

    with pytest.raises(errors.StoreMoved, match="keeps replacing"):
        kit._store.write(work)
    assert texts(kit) == {"from the other branch"}


def test_a_removed_file_is_not_made_anew_behind_gits_back(
    two: tuple[memkit.Memkit, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file gone, reading and writing say so; when it is back, all works again."""
    monkeypatch.setattr("memkit.store.lifecycle.REOPEN_SECONDS", 0.05)
    kit, other = two
    kit.path.unlink()
    for call in (kit.memories.find, lambda: kit.memories.remember("lost?"), kit.check):
        with pytest.raises(errors.StoreMoved, match="removed"):
            call()
    assert not kit.path.exists()
    other.replace(kit.path)
    assert texts(kit) == {"from the other branch"}
    kit.memories.remember("kept")
    assert len(texts(kit)) == 2


def test_a_file_removed_during_a_write_is_an_error_not_a_success(
    two: tuple[memkit.Memkit, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written into a removed file is not acknowledged."""
    monkeypatch.setattr("memkit.store.lifecycle.REOPEN_SECONDS", 0.05)
    kit, _ = two

    def work() -> None:
        kit._store.audit("nothing")
        kit.path.unlink()

    with pytest.raises(errors.StoreMoved):
        kit._store.write(work)
    kit.close()


def test_a_file_that_is_half_written_is_waited_for(two: tuple[memkit.Memkit, Path]) -> None:
    """git empties, then fills: an empty or cut file is neither filled by us nor called damaged."""
    kit, other = two
    whole = other.read_bytes()
    path = kit.path
    path.unlink()
    path.touch()

    def checkout() -> None:
        path.write_bytes(whole[:5000])
        path.write_bytes(whole)

    timer = threading.Timer(0.05, checkout)
    timer.start()
    assert texts(kit) == {"from the other branch"}
    timer.join()
    assert path.read_bytes() == whole


def test_a_text_file_put_in_its_place_is_refused_and_the_store_stays_usable(
    two: tuple[memkit.Memkit, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed reopening closes nothing for good."""
    monkeypatch.setattr("memkit.store.lifecycle.REOPEN_SECONDS", 0.05)
    kit, other = two
    path = kit.path
    path.rename(path.with_suffix(".old"))
    path.write_text("merge conflict?\n" * 300)
    with pytest.raises(errors.NotAMemkitFile):
        kit.memories.find()
    assert path.read_text().startswith("merge conflict?")
    path.unlink()
    other.replace(path)
    assert texts(kit) == {"from the other branch"}


def test_a_file_replaced_while_it_is_being_opened_is_noticed(
    two: tuple[memkit.Memkit, Path], make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening a file and looking at which one it was lies no gap."""
    kit, other = two
    path = kit.path
    kit.close()
    connect = lifecycle.connect

    def slow(*args: object, **kwargs: object) -> object:
        connection = connect(*args, **kwargs)
        if other.exists():
            other.replace(path)
        return connection

    monkeypatch.setattr(lifecycle, "connect", slow)
    assert texts(make_kit()) == {"from the other branch"}


def test_ids_given_before_a_checkout_are_not_given_again(two: tuple[memkit.Memkit, Path]) -> None:
    """A merge of both files finds no two rows of one id."""
    kit, other = two
    before = {memory.id for memory in kit.memories.find()}
    other.replace(kit.path)
    after = {kit.memories.remember(f"later {n}").id for n in range(5)}
    assert not before & after


def test_a_read_only_store_follows_a_checkout(
    tmp_path: Path, two: tuple[memkit.Memkit, Path], make_kit: Open
) -> None:
    """A reader sees the new file too, be it its own connection or a copy in memory."""
    kit, other = two
    path = kit.path
    kit.close()
    reader = make_kit(readonly=True)
    assert texts(reader) == {"from this branch"}
    other.replace(path)
    assert texts(reader) == {"from the other branch"}
    reader.close()


def test_a_replaced_file_with_edits_is_reconciled(
    two: tuple[memkit.Memkit, Path], make_kit: Open
) -> None:
    """What was last seen of the former file says nothing about the new one."""
    kit, other = two
    shell.run(other, "update memories set text = 'rebased by hand'")
    other.replace(kit.path)
    assert by_words(kit, "rebased") == ["rebased by hand"]


def test_bulk_writes_survive_checkouts_in_between(
    tmp_path: Path, two: tuple[memkit.Memkit, Path]
) -> None:
    """Every batch lands whole in the file of its time, and nothing is raised."""
    kit, other = two

    def replace(done: int, total: int) -> None:
        shutil.copy(other, tmp_path / "next.db")
        (tmp_path / "next.db").replace(kit.path)

    drafts = [Draft(f"brick {n} is laid", source=f"wall#{n}") for n in range(1001)]
    kit.memories.remember_many(drafts, progress=replace)
    assert texts(kit) == {"from the other branch"}
    again = kit.memories.remember_many(drafts)
    assert len(again) == 1001
    assert len(kit.memories.find(limit=2000)) == 1002
