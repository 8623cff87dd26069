"""A full disk, a read-only file, a read-only folder: a clear error, and nothing half written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import memkit
from memkit import errors
from memkit.memories.records import Draft
from tests.asking import by_words
from tests.store import shell

Open = Callable[..., memkit.Memkit]


def limit_pages(kit: memkit.Memkit, spare: int) -> None:
    """Let the file grow by no more than `spare` pages, as a full disk would."""
    pages = shell.pragma(kit.path, "pragma page_count")
    kit._store.maintenance(f"pragma max_page_count = {pages + spare}")


def test_a_full_disk_is_named_and_stores_nothing_by_half(make_kit: Open) -> None:
    """The batch that does not fit leaves nothing; what was there stays readable and sound."""
    kit = make_kit()
    kit.memories.remember("stored before the disk was full")
    limit_pages(kit, 4)
    with pytest.raises(errors.StoreFull, match="free some space"):
        kit.memories.remember_many(Draft(f"long {n} " + "words " * 500) for n in range(50))
    assert len(kit.memories.find()) == 1
    assert by_words(kit, "stored before")
    assert kit.check().is_sound
    limit_pages(kit, 10_000)
    assert kit.memories.remember("room again").outcome == "stored"


@pytest.mark.no_cover
def test_a_full_disk_between_batches_keeps_the_acknowledged_ones(make_kit: Open) -> None:
    """Batches that were reported done are there; the call can be made again."""
    kit = make_kit()
    limit_pages(kit, 700)
    done: list[int] = []
    drafts = [Draft(f"crate {n} holds {n * n} nails", source=f"crate#{n}") for n in range(6000)]
    with pytest.raises(errors.StoreFull):
        kit.memories.remember_many(drafts, progress=lambda now, of: done.append(now))
    assert done
    assert len(kit.memories.find(limit=10_000)) == done[-1]
    assert kit.check().is_sound


def test_a_full_disk_while_taking_up_edits_is_an_error_and_is_tried_again(make_kit: Open) -> None:
    """An index that cannot be brought up to date is not thought to be."""
    kit = make_kit()
    kit.memories.remember("short")
    shell.run(
        kit.path,
        "update memories set text = 'long ' || hex(randomblob(60000))",
    )
    limit_pages(kit, 2)
    with pytest.raises(errors.StoreFull):
        by_words(kit, "long")
    limit_pages(kit, 10_000)
    assert by_words(kit, "long")


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder that everybody may enter, for a test that runs as a user without rights."""
    with tempfile.TemporaryDirectory(prefix="memkit-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def powerless(work: Callable[[], None]) -> None:
    """Run something as a user who is not root; root may write everywhere."""
    if not hasattr(os, "fork"):
        pytest.skip("permissions are another matter on this system")
    if os.getuid():
        work()
        return
    child = os.fork()
    if not child:
        code = 1
        try:
            os.setgid(65534)
            os.setuid(65534)
            work()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_not_be_written_is_read(as_nobody: Path, make_kit: Open, what: str) -> None:
    """In a read-only file or folder reading works, and writing says what is in the way."""
    path = as_nobody / ".memkit.db"
    kit = make_kit(path)
    kit.memories.remember("carved in stone", tags=["stone"])
    kit.close()
    path.chmod(0o444 if what == "file" else 0o666)
    if what == "folder":
        as_nobody.chmod(0o555)

    def work() -> None:
        for readonly in (True, False):
            kit = make_kit(path, readonly=readonly)
            assert by_words(kit, "stone") == ["carved in stone"]
            assert kit.memories.find(tags="stone")
            kit.stats()
            with pytest.raises(errors.StoreReadOnly):
                kit.memories.remember("chiselled off")
            kit.close()

    powerless(work)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_new_file_in_a_folder_that_may_not_be_written(as_nobody: Path, make_kit: Open) -> None:
    """Nothing can be made there, and the error says so."""
    as_nobody.chmod(0o555)

    def work() -> None:
        with pytest.raises(errors.StoreReadOnly, match="cannot be written"):
            make_kit(as_nobody / "new.db")

    powerless(work)


def test_a_read_only_store_refuses_every_verb(make_kit: Open) -> None:
    """No verb writes through a store that was opened to be read, not even one that finds
    nothing."""
    kit = make_kit()
    one, other = (kit.memories.remember(text) for text in ("left shoe", "right shoe"))
    path = kit.path
    kit.close()
    before = path.read_bytes()
    kit = make_kit(readonly=True)
    memories = kit.memories
    for call in (
        lambda: memories.remember("third shoe"),
        lambda: memories.update(one, "no shoe"),
        lambda: memories.forget(one),
        lambda: memories.restore(one),
        lambda: memories.purge(one),
        lambda: memories.pin(one),
        lambda: memories.tag(one, "pair"),
        lambda: memories.link(one, other),
        lambda: memories.supersede(one, other),
        lambda: memories.contradict(one, other),
        kit.scrub,
    ):
        with pytest.raises(
            errors.StoreReadOnly,
            match="it was opened read-only; open it without readonly=True",
        ):
            call()
    kit.close()
    assert path.read_bytes() == before
