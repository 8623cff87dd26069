"""Rows of a damaged file: what can be read is saved, what cannot is counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import memkit
from memkit.errors import StoreDamaged, StoreError
from memkit.store.integrity import Recovery

Rows = list[dict[str, object]]
PAGE = 4096
MANY = 300


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound store whose memories fill a tree of many pages."""
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    with memkit.open(path, global_store=False) as kit:
        kit.memories.remember_many(
            memkit.Draft(f"Service {n} listens on port {2000 + n}.", tags=(f"t{n % 3}",))
            for n in range(MANY)
        )
    return path


@pytest.fixture
def hurt(whole: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a copy in which some pages of a tree, chosen by number, are zeros."""

    def hurt(tree: str, *, kind: str = "leaf", which: slice = slice(None)) -> Path:
        content = bytearray(whole.read_bytes())
        for page in _pages(whole, tree, kind)[which]:
            content[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
        (tmp_path / "hurt.db").write_bytes(content)
        return tmp_path / "hurt.db"

    return hurt


@pytest.mark.parametrize(
    "which",
    [slice(0, 1), slice(-1, None), slice(5, 6), slice(2, 9, 3), slice(None, None, 2)],
    ids=["first", "last", "inner", "several", "every other"],
)
def test_only_rows_of_broken_pages_are_lost(
    hurt: Callable[..., Path], whole: Path, which: slice
) -> None:
    """Rows beyond the damage are saved as they were, and those on it are counted."""
    wreck = Recovery(hurt("memories", which=which))
    before = _rows(whole)
    found = wreck.records("tables.memories_rows")
    wreck.close()
    assert 0 < len(found) < MANY
    assert all(row in before for row in found)
    assert [row["id"] for row in found] == sorted(row["id"] for row in found)
    assert wreck.lost == {"memories": MANY - len(found)}


def test_a_table_whose_root_is_broken_is_counted_by_its_indexes(hurt: Callable[..., Path]) -> None:
    """Where nothing of a table can be read, its indexes still say how much it was."""
    wreck = Recovery(hurt("memories", kind="internal"))
    assert wreck.records("tables.memories_rows") == []
    assert wreck.lost == {"memories": MANY}
    wreck.close()


def test_a_broken_index_loses_nothing(hurt: Callable[..., Path], whole: Path) -> None:
    """An index holds nothing that its table does not."""
    wreck = Recovery(hurt("memories_by_hash"))
    assert wreck.records("tables.memories_rows") == _rows(whole)
    assert wreck.lost == {}
    wreck.close()


def test_a_loss_that_nothing_counts_is_a_loss(hurt: Callable[..., Path]) -> None:
    """Without an index it is not known how many rows there were, but that there were some is."""
    wreck = Recovery(hurt("settings"))
    assert wreck.records("tables.settings_rows") == []
    assert wreck.lost == {"settings": 0}
    wreck.close()


@pytest.mark.parametrize("share", [0.7, 0.8, 0.9, 1.0])
def test_truncated_file_is_recovered_as_far_as_it_goes(
    whole: Path, tmp_path: Path, share: float
) -> None:
    """A file whose last pages are missing is read as far as it goes, and what is lost is told."""
    content = whole.read_bytes()
    pages = min(int(len(content) / PAGE * share), len(content) // PAGE - 1)
    (tmp_path / "short.db").write_bytes(content[: pages * PAGE])
    wreck = Recovery(tmp_path / "short.db")
    before = _rows(whole)
    found = wreck.records("tables.memories_rows")
    wreck.close()
    assert all(row in before for row in found)
    assert len(found) == MANY if share == 1.0 else 0 < len(found) <= MANY
    assert len(found) == MANY or wreck.lost["memories"] in (0, MANY - len(found))


def test_a_file_without_its_tables_is_not_sent_to_export_again(
    hurt: Callable[..., Path], whole: Path
) -> None:
    """Where not even the list of tables is left, no advice leads back to what failed."""
    with pytest.raises(StoreDamaged, match="list of its tables") as caught:
        Recovery(hurt("sqlite_schema"))
    assert "export" not in str(caught.value)
    assert "git" in str(caught.value)


def test_a_file_of_another_schema_is_not_half_read(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of a schema whose tables this memkit does not know are not passed over."""
    monkeypatch.setattr("memkit.store.integrity.schema.identify", lambda connection, path: 1)
    with pytest.raises(StoreError, match="schema 1"):
        Recovery(whole)


def _rows(path: Path) -> Rows:
    with memkit.open(path, readonly=True, global_store=False) as kit:
        return kit._store.records("tables.memories_rows")


def _pages(path: Path, tree: str, kind: str) -> list[int]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        found = connection.execute(
            "select pageno from dbstat where name = ? and pagetype = ? order by path", (tree, kind)
        )
        return [page for (page,) in found if page > 1 or tree == "sqlite_schema"]
    finally:
        connection.close()
