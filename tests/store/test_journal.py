"""A journal left by a killed process: played back into its own file, never into another one."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memkit.store.journal import discard_foreign_journal

_WRITER = """
import sys
import memkit
from memkit.encoder import HashedEncoder
with memkit.open(sys.argv[1], encoder=HashedEncoder(64), global_store=False) as kit:
    for number in range(100_000):
        kit.memories.remember(f"written {number} before the kill")
        print(number, flush=True)
"""


def _texts(kit):
    return sorted(memory.text for memory in kit.memories.find(limit=100_000))


@pytest.fixture
def killed(tmp_path, make_kit):
    """A store with one memory more written than its base, whose writer died in a commit."""
    path = tmp_path / "killed" / ".memkit.db"
    path.parent.mkdir()
    with make_kit(path) as kit:
        kit.memories.remember("the base of both branches")
    base = tmp_path / "base"
    shutil.copy(path, base)
    journal = path.with_name(".memkit.db-journal")
    for _ in range(40):
        process = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True
        )
        acknowledged = int(process.stdout.readline())
        for _ in range(5):
            acknowledged = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        acknowledged = int((process.stdout.read().split() or [acknowledged])[-1])
        process.wait()
        process.stdout.close()
        if journal.exists() and journal.stat().st_size:
            return path, base, acknowledged
        shutil.copy(base, path)
    pytest.skip("no kill fell into a commit on this machine")


def test_a_journal_is_played_back_into_the_file_it_was_written_for(killed, make_kit):
    """After a kill in a commit everything acknowledged is there and the file is sound."""
    path, _, acknowledged = killed
    with make_kit(path) as kit:
        assert {f"written {n} before the kill" for n in range(acknowledged + 1)} <= set(_texts(kit))
        assert kit.check().is_sound


def test_a_journal_of_the_former_file_does_not_destroy_the_one_checked_out(killed, make_kit):
    """Another version put in the place of the file stays as it was committed."""
    path, base, _ = killed
    path.unlink()
    shutil.copy(base, path)
    with make_kit(path) as kit:
        assert _texts(kit) == ["the base of both branches"]
        assert kit.check().is_sound
    assert [entry.name for entry in path.parent.iterdir()] == [".memkit.db"]


def test_a_journal_that_is_no_journal_is_left_to_sqlite(tmp_path: Path, make_kit):
    """Rubbish beside the file is neither played back nor taken for a reason to fail."""
    path = tmp_path / "odd" / ".memkit.db"
    path.parent.mkdir()
    with make_kit(path) as kit:
        kit.memories.remember("beside rubbish")
    beside = path.with_name(".memkit.db-journal")
    beside.write_bytes(b"not a journal at all" * 100)
    assert not discard_foreign_journal(path)
    with make_kit(path) as kit:
        assert _texts(kit) == ["beside rubbish"]
    beside.unlink(missing_ok=True)
