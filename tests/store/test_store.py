"""Queries by name and transactions that are whole."""

from __future__ import annotations

import pytest

from memkit.errors import NotFound, StoreError
from memkit.store.integrity import CheckReport, Problem
from memkit.store.store import Store, set_local_setting


def put(store: Store, name: str, value: str = "1") -> int:
    """Write one local setting."""
    return store.run("store.set_local_setting", name=name, value=value, at=store.now())


def names(store: Store) -> list[str]:
    """Names of the local settings."""
    return [row["name"] for row in store.records("tables.local_settings_rows")]


def test_a_query_is_called_by_name_with_exactly_its_parameters(store: Store) -> None:
    """A parameter too few, too many or misspelt is an error that lists both sides."""
    for params in ({}, {"nme": "x"}, {"name": "x", "more": 1}):
        with pytest.raises(StoreError, match="expected \\(name\\)"):
            store.value("store.local_setting", **params)
    with pytest.raises(NotFound):
        store.value("store.no_such_query")
    assert store.value("store.local_setting", name="x") is None
    assert store.first("store.local_setting", name="x") is None
    assert store.records("store.derived_parts")[0].keys() == {"name", "definition"}


def test_a_lone_surrogate_is_looked_for_as_it_is_stored(store: Store) -> None:
    """A question finds by a text what was stored of it, and never fails by its letters."""
    store.write(lambda: set_local_setting(store, "n\ufffd", 7))
    for read in (store.all, store.records):
        assert len(read("store.local_setting", name="n\ud800")) == 1


def test_a_change_outside_write_is_refused(store: Store) -> None:
    """No statement changes anything outside a transaction."""
    with pytest.raises(StoreError, match=r"outside write\(\)"):
        put(store, "a")
    with pytest.raises(StoreError, match=r"outside write\(\)"):
        store.run_many("store.set_local_setting", [])
    with pytest.raises(StoreError, match=r"outside write\(\)"):
        store.mark_reconciled()


def test_a_write_that_raises_stores_nothing(store: Store) -> None:
    """Whatever is raised inside, by us or by the caller, undoes all of it."""

    def work() -> None:
        put(store, "a")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(work)
    assert names(store) == []
    with pytest.raises(StoreError, match="CHECK"):
        store.write(lambda: put(store, "a", "not JSON"))
    assert store.write(lambda: put(store, "a")) == 1
    assert names(store) == ["a"]


def test_an_inner_write_is_undone_alone(store: Store) -> None:
    """A write inside a write can fail and be caught; the outer one goes on."""

    def inner() -> None:
        put(store, "inner")
        raise LookupError

    def outer() -> str:
        put(store, "before")
        with pytest.raises(LookupError):
            store.write(inner)
        store.write(lambda: put(store, "inner too"))
        return "done"

    assert store.write(outer) == "done"
    assert names(store) == ["before", "inner too"]


def test_an_inner_write_goes_with_the_outer_one(store: Store) -> None:
    """What an inner write stored is gone if the outer one fails."""

    def outer() -> None:
        store.write(lambda: put(store, "inner"))
        raise LookupError

    with pytest.raises(LookupError):
        store.write(outer)
    assert names(store) == []


def test_run_many_counts_the_rows_it_changed(store: Store) -> None:
    """One statement for many mappings returns how many rows it wrote."""
    rows = [{"name": str(n), "value": "1", "at": store.now()} for n in range(5)]
    assert store.write(lambda: store.run_many("store.set_local_setting", rows)) == 5


def test_a_statement_that_failed_does_not_end_the_store(store: Store) -> None:
    """An error of SQLite inside a read leaves no transaction open."""
    with pytest.raises(LookupError), store.snapshot():
        raise LookupError
    with pytest.raises(StoreError):
        store.maintenance("select no_such_function()")
    assert store.write(lambda: put(store, "a")) == 1


def test_maintenance_keeps_the_mark_of_a_reconciled_file(store: Store) -> None:
    """VACUUM by memkit is not taken for an edit from outside, and does not hide one."""
    assert not store.edited_outside()
    store.maintenance("vacuum")
    assert not store.edited_outside()


def test_reopen_gives_the_same_file(store: Store) -> None:
    """A store opened again by hand has its rows; closed it has none to give."""
    store.write(lambda: put(store, "a"))
    store._file.reopen()
    assert names(store) == ["a"]
    store.close()
    assert store.is_closed
    with pytest.raises(StoreError, match="closed"):
        names(store)


def test_a_report_is_sound_when_everything_is_mended() -> None:
    """A problem counts as long as it is not mended."""
    assert CheckReport().is_sound
    assert CheckReport((Problem("a", "b", mended=True),)).is_sound
    assert not CheckReport((Problem("a", "b", mended=True), Problem("c", "d"))).is_sound
