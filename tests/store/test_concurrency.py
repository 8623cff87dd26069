"""Several processes and threads share one file: nobody loses a write, nobody waits for a reader."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import memkit
from memkit import errors
from memkit.store import connection
from tests.store import shell

pytestmark = pytest.mark.disk
Open = Callable[..., memkit.Memkit]
ROOT = Path(__file__).parent.parent.parent

_WRITER = """
import sys
import memkit
from memkit.encoder import HashedEncoder
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
clock = lambda: 1772359200.0
with memkit.open(path, encoder=HashedEncoder(64), global_store=False, clock=clock) as kit:
    for number in range(count):
        kit.memories.remember(f"{name} notes gauge {number}", tags=[name, "shared"])
        kit.memories.remember("everybody says the same")
        kit.recall(f"gauge {number}")
"""


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path, make_kit: Open) -> None:
    """Three processes make the file, and write, say the same and read; every write is there once.

    All clocks stand at the same second, so ids would clash if they could."""
    path, count = tmp_path / ".memkit.db", 8
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), f"writer{n}", str(count)],
            cwd=ROOT, stderr=subprocess.PIPE, text=True,
        )
        for n in range(3)
    ]  # fmt: skip
    for process in processes:
        assert process.communicate(timeout=60)[1] == ""
        assert process.returncode == 0
    kit = make_kit()
    assert len(kit.memories.find(limit=1000)) == 3 * count + 1
    (same,) = (m for m in kit.memories.find(limit=1000) if m.text.startswith("everybody"))
    assert same.strength == 3 * count
    assert kit.memories.tags()["shared"] == 3 * count


def test_threads_of_one_kit_write_and_read_at_once(kit: memkit.Memkit) -> None:
    """One kit may be used from many threads; no statement is lost, none is stored twice."""

    def work(number: int) -> int:
        made = kit.memories.remember(f"thread {number} oils hinge {number * 3}", tags=["hinges"])
        kit.recall(f"hinge {number * 3}")
        kit.memories.pin(made)
        kit.memories.tag(made, f"t{number % 4}")
        return made.id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(work, range(24)))
    assert len(set(ids)) == 24
    assert all(memory.pinned and len(memory.tags) == 2 for memory in kit.memories.find())


def test_two_kits_that_change_different_fields_both_succeed(make_kit: Open) -> None:
    """A change is made to what is there, not to what was read before the other's change."""
    one, other = make_kit(), make_kit()
    memory = one.memories.remember("the boiler is serviced in June")
    other.memories.update(memory, "the boiler is serviced in July")
    one.memories.update(memory, importance=0.9)
    other.memories.remember("the boiler is serviced in July")
    one.memories.update(memory, season="summer")
    found = one.memories.get(memory.id)
    assert (found.text, found.importance) == ("the boiler is serviced in July", 0.9)
    assert (found.season, found.strength) == ("summer", 2)


def test_a_held_write_lock_does_not_stop_readers(make_kit: Open) -> None:
    """While another process holds the lock, opening, listing, recall and statistics just work."""
    kit = make_kit()
    kit.memories.remember("the gate is locked at ten", tags=["gate"])
    with shell.holding(kit.path):
        for readonly in (False, True):
            reader = make_kit(readonly=readonly, busy_timeout=0)
            assert reader.recall("gate", min_score=0)
            assert reader.memories.find(tags="gate")
            assert reader.memories.find(as_of="2026-03-02")
            assert reader.stats().memories.total == 1
            assert reader.explain("gate", reader.memories.find()[0])
            reader.close()


def test_a_writer_that_cannot_write_says_busy(make_kit: Open) -> None:
    """A write that cannot be made within its time-out is a StoreBusy, and nothing is stored."""
    kit = make_kit(busy_timeout=0.05)
    kit.memories.remember("the bell rings at noon")
    with shell.holding(kit.path):
        with pytest.raises(errors.StoreBusy, match=r"time-out of 0\.\d+ s") as caught:
            kit.memories.remember("never acknowledged")
        assert caught.value.code == "store_busy"
        assert "locked" not in str(caught.value)
    assert [memory.text for memory in kit.memories.find()] == ["the bell rings at noon"]
    assert kit.memories.remember("acknowledged").outcome == "stored"


def test_who_waited_long_looked_less_and_less_often(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits looks at moments of no fixed distance, and no less often than at first: who
    came first is not overtaken by all who come later."""
    kit = make_kit(busy_timeout=0.2)
    pauses: list[float] = []
    monkeypatch.setattr(connection.time, "sleep", pauses.append)
    with shell.holding(kit.path), pytest.raises(errors.StoreBusy):
        kit.memories.remember("never acknowledged")
    assert len(set(pauses)) > 1
    assert max(pauses) < 0.01


def test_a_writer_waits_for_a_short_lock(make_kit: Open) -> None:
    """A lock that goes away within the time-out is not noticed by the caller."""
    kit = make_kit(busy_timeout=10)
    kit.memories.remember("the pump runs dry")
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with shell.holding(kit.path, "begin exclusive"):
            held.set()
            release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    threading.Timer(0.1, release.set).start()
    assert kit.memories.remember("the well is full").outcome == "stored"
    assert kit.memories.find(limit=1)[0].text == "the well is full"
    holder.join()


def test_a_reader_in_a_transaction_does_not_stop_a_recall(make_kit: Open) -> None:
    """A shell left open inside a read transaction delays a commit, never another reader."""
    kit = make_kit(busy_timeout=0.05)
    kit.memories.remember("the ferry leaves at six")
    with shell.holding(kit.path, "begin") as reader:
        reader.execute("select count(*) from memories").fetchall()
        assert kit.recall("ferry", min_score=0)
        with pytest.raises(errors.StoreBusy):
            kit.memories.remember("delayed")
    assert kit.memories.remember("delayed no more").outcome == "stored"


def test_check_beside_a_reader_leaves_no_transaction(make_kit: Open) -> None:
    """While somebody reads, a check just works, and afterwards everybody can write."""
    kit = make_kit(busy_timeout=0.05)
    kit.memories.remember("the ferry leaves at six")
    with shell.holding(kit.path, "begin") as reader:
        reader.execute("select count(*) from memories").fetchall()
        assert kit.check().is_sound
        with kit._store.snapshot():
            assert kit.check().is_sound
    assert kit.memories.remember("the ferry is late").outcome == "stored"
    assert make_kit().memories.remember("the ferry is full").outcome == "stored"


def test_an_answer_waited_for_what_it_can_do_without(make_kit: Open, tmp_path: Path) -> None:
    """While another process writes, questions are answered from what is there, with a note."""
    (tmp_path / "a.py").write_text("def ring(): return bell()\ndef bell(): pass\n")
    kit = make_kit(busy_timeout=60)
    kit.codegraph.index(tmp_path)
    kit.memories.remember("the bell rings at noon", about="a.py::bell")
    (tmp_path / "a.py").write_text("def ring(): return bell()\ndef bell(): return 1\n")
    with shell.holding(kit.path) as holder:
        holder.execute("update memories set importance = 0.9")
        holder.execute("commit")
        holder.execute("begin immediate")
        found = kit.recall("when does the bell ring?", min_score=0)
        assert len(found) == 1
        assert any("another process is writing" in note for note in found.notes)
        callers = kit.codegraph.callers("bell")
        assert [node.name for node in callers] == ["ring"]
        assert any("another process is writing" in note for note in callers.notes)
        assert kit.codegraph.map("bell").text
        assert kit.codegraph.find_relevant_to_query("bell")
    assert not kit.recall("when does the bell ring?", min_score=0).notes


def test_opening_and_asking_does_not_touch_the_file(make_kit: Open) -> None:
    """A file under version control is not dirty after it was only read."""
    kit = make_kit()
    kit.memories.remember("the map is in the drawer", tags=["map"])
    path = kit.path
    kit.close()
    before = path.read_bytes()
    for readonly in (False, True):
        with make_kit(readonly=readonly) as reader:
            reader.memories.find(tags="map")
            reader.memories.find(as_of="now")
            assert reader.check().is_sound
            reader.stats()
    assert path.read_bytes() == before


def test_a_snapshot_shows_one_state_while_others_write(make_kit: Open) -> None:
    """Queries inside a snapshot agree with each other; afterwards the new row is seen."""
    one, other = make_kit(busy_timeout=0.05), make_kit(busy_timeout=0.05)
    one.memories.remember("first")
    with one._store.snapshot():
        before = one.memories.find()
        with pytest.raises(errors.StoreBusy):
            other.memories.remember("second")
        with one._store.snapshot():
            assert one.memories.find() == before
    other.memories.remember("second")
    assert len(one.memories.find()) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_uses_its_own_connection(make_kit: Open) -> None:
    """Child and parent both write after a fork, even one in the middle of a transaction."""
    kit = make_kit()
    kit.memories.remember("before the fork")

    def forked() -> int:
        kit._store.audit("parent")
        child = os.fork()
        if not child:
            ok = False
            try:
                ok = len(kit.memories.find()) == 1
                kit.close()
            finally:
                os._exit(0 if ok else 1)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert kit._store.write(forked) == 0
    child = os.fork()
    if not child:
        try:
            kit.memories.remember("by the child")
            kit.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    kit.memories.remember("by the parent")
    assert {m.text for m in kit.memories.find()} == {
        "before the fork", "by the child", "by the parent",
    }  # fmt: skip


def test_opening_and_closing_leaves_no_thread_and_no_open_file(make_kit: Open) -> None:
    """Fifty kits opened, used and closed leave threads and descriptors as they were."""
    make_kit().memories.remember("the first one loads what is loaded once")
    gc.collect()  # what earlier tests left is not closed while this one counts
    folder = Path("/proc/self/fd")
    counted = len(list(folder.iterdir())) if folder.exists() else 0
    threads = threading.active_count()
    for number in range(50):
        with make_kit(readonly=bool(number % 2)) as kit:
            assert kit.recall("first", min_score=0)
    assert threading.active_count() == threads
    if folder.exists():
        assert len(list(folder.iterdir())) == counted


def test_a_closed_kit_says_so(make_kit: Open) -> None:
    """Every call after closing is one clear error; closing again is not."""
    kit = make_kit()
    kit.close()
    kit.close()
    for call in (kit.memories.find, lambda: kit.recall("x"), lambda: kit.memories.remember("x")):
        with pytest.raises(errors.StoreError, match="is closed"):
            call()
