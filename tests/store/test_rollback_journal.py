"""A journal left by a killed process: played back into its own file, never into another one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import memkit
from memkit.store.connection import connect
from memkit.store.rollback_journal import discard_foreign_journal, sweep_dead_journal
from tests.store import shell

pytestmark = pytest.mark.disk
Open = Callable[..., memkit.Memkit]


class Dying(apsw.VFS):
    """A file layer that keeps, before each write to the database, what a kill would leave."""

    def __init__(self, keep: Path) -> None:
        super().__init__("dying", "")
        self.keep = keep
        self.stages = 0

    def xOpen(self, name: object, flags: list[int]) -> apsw.VFSFile:
        """Open a file, the database with our eye on its writes."""
        is_database = flags[0] & apsw.SQLITE_OPEN_MAIN_DB
        return _Watched(self, name, flags) if is_database else apsw.VFSFile("", name, flags)

    def keep_stage(self, path: Path) -> None:
        """Copy the file and its journal as they are now."""
        stage = self.keep / str(self.stages)
        stage.mkdir(parents=True)
        for name in (path.name, f"{path.name}-journal"):
            shutil.copy(path.with_name(name), stage / name)
        self.stages += 1


class _Watched(apsw.VFSFile):
    def __init__(self, layer: Dying, name: object, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._layer = layer
        self._path = Path(name if isinstance(name, str) else name.filename())

    def xWrite(self, data: bytes, offset: int) -> None:
        self._layer.keep_stage(self._path)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._layer.keep_stage(self._path)
        super().xSync(flags)


@pytest.fixture
def base(tmp_path: Path, make_kit: Open) -> Path:
    """A file that two branches have in common."""
    path = tmp_path / "base" / ".memkit.db"
    path.parent.mkdir()
    with make_kit(path) as kit:
        kit.memories.remember_many(f"the base holds {n}" for n in range(40))
    return path


@pytest.fixture
def stages(tmp_path: Path, base: Path) -> list[Path]:
    """What a kill leaves at each moment of one commit that changes every row of the base."""
    path = tmp_path / "writer" / ".memkit.db"
    path.parent.mkdir()
    shutil.copy(base, path)
    layer = Dying(tmp_path / "stages")
    connection = apsw.Connection(str(path), vfs="dying")
    connection.execute("update memories set text = 'never committed ' || text")
    connection.close()
    layer.unregister()
    return [layer.keep / str(n) / ".memkit.db" for n in range(layer.stages)]


def texts(make_kit: Open, path: Path) -> set[str]:
    """First three words of all memories of a sound file, beside which nothing may lie."""
    with make_kit(path) as kit:
        assert kit.check().is_sound
        found = {" ".join(memory.text.split()[:3]) for memory in kit.memories.find(limit=999)}
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    return found


def test_a_journal_is_played_back_into_its_own_file(stages: list[Path], make_kit: Open) -> None:
    """Killed before, between and after the writes of a commit, the file is as it was before."""
    assert len(stages) > 3
    assert stages[0].read_bytes() != stages[-1].read_bytes()
    for path in stages:
        assert not discard_foreign_journal(path)
        assert texts(make_kit, path) == {"the base holds"}


@pytest.mark.parametrize("commits", [1, 2, 5])
def test_a_journal_is_not_played_back_into_a_file_checked_out(
    tmp_path: Path, stages: list[Path], base: Path, make_kit: Open, commits: int
) -> None:
    """Whatever version git puts there, it keeps its rows; the journal goes."""
    branch = tmp_path / "branch" / ".memkit.db"
    branch.parent.mkdir()
    shutil.copy(base, branch)
    with make_kit(branch) as kit:
        for number in range(commits):
            kit.memories.remember_many(f"the branch holds {number} {n}" for n in range(20))
    for path in stages:
        path.unlink()
        shutil.copy(branch, path)
        os.utime(path.with_name(".memkit.db-journal"), (1, 1))
        assert texts(make_kit, path) == {"the base holds", "the branch holds"}


def test_the_version_the_writer_began_with_is_left_as_it_is(
    stages: list[Path], base: Path, make_kit: Open
) -> None:
    """Checking out what was there before the commit gives that, with or without the journal."""
    for path in stages:
        path.unlink()
        shutil.copy(base, path)
        assert texts(make_kit, path) == {"the base holds"}


def test_an_older_version_of_the_same_count_is_told_apart(
    tmp_path: Path, stages: list[Path], base: Path, make_kit: Open
) -> None:
    """Two branches may have made the same number of commits; their pages differ all the same."""
    other = tmp_path / "other" / ".memkit.db"
    other.parent.mkdir()
    shutil.copy(base, other)
    with make_kit(other) as kit:
        kit.memories.remember_many(f"the base holds {n} on the other" for n in range(9))
    content = bytearray(other.read_bytes())
    content[24:28] = base.read_bytes()[24:28]
    content[92:96] = base.read_bytes()[24:28]
    other.write_bytes(content)
    for path in stages:
        shutil.copy(other, path)
        assert discard_foreign_journal(path)
        with make_kit(path) as kit:
            assert len(kit.memories.find()) == 49
            kit._index.ensure()
            assert kit.check().is_sound


def test_rubbish_beside_the_file_is_no_reason_to_fail(tmp_path: Path, make_kit: Open) -> None:
    """A journal that is none is neither played back nor an error."""
    path = tmp_path / "odd" / ".memkit.db"
    path.parent.mkdir()
    with make_kit(path) as kit:
        kit.memories.remember("kept beside rubbish")
    beside = path.with_name(".memkit.db-journal")
    header = bytes.fromhex("d9d505f920a163d7")
    for rubbish in (b"not a journal at all" * 100, header, header + bytes(600), b""):
        beside.write_bytes(rubbish)
        assert not discard_foreign_journal(path)
        assert texts(make_kit, path) == {"kept beside rubbish"}


def test_the_journal_of_a_live_writer_is_left_alone(base: Path, make_kit: Open) -> None:
    """Opening beside a transaction under way takes nothing from it."""
    with make_kit(base, busy_timeout=0) as kit:
        with shell.holding(base) as writer:
            writer.execute("update memories set text = 'under way ' || text")
            beside = base.with_name(".memkit.db-journal")
            assert beside.exists()
            assert make_kit(base, busy_timeout=0).memories.find()
            assert not discard_foreign_journal(base)
            reader = connect(base, readonly=False, busy_timeout=0)
            sweep_dead_journal(reader, base)
            reader.close()
            assert beside.exists()
        assert {m.text[:8] for m in kit.memories.find()} == {"the base"}


def test_journal_is_not_foreign_while_the_write_lock_is_held(
    tmp_path: Path, stages: list[Path], base: Path, make_kit: Open
) -> None:
    """While anybody holds the write lock no journal is foreign, whatever it looks like."""
    branch = tmp_path / "branch" / ".memkit.db"
    branch.parent.mkdir()
    shutil.copy(base, branch)
    with make_kit(branch) as kit:
        kit.memories.remember("the branch holds one")
        kit.memories.remember("the branch holds another")
    beside = branch.with_name(".memkit.db-journal")
    with shell.holding(branch):
        shutil.copy(stages[-1].with_name(".memkit.db-journal"), beside)
        assert not discard_foreign_journal(branch)
        assert beside.exists()
    assert discard_foreign_journal(branch)
