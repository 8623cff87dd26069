"""Every error of SQLite reaches the caller as one of memkit's, with the next step."""

from __future__ import annotations

import apsw
import pytest

from memkit import errors
from memkit.store.sqlite_errors import mapped
from tests.tables import each_row


@each_row(
    "raised, expected",
    [
        (apsw.BusyError, errors.StoreBusy),
        (apsw.LockedError, errors.StoreBusy),
        (apsw.CorruptError, errors.StoreDamaged),
        (apsw.NotADBError, errors.NotAMemkitFile),
        (apsw.ReadOnlyError, errors.StoreReadOnly),
        (apsw.CantOpenError, errors.StoreReadOnly),
        (apsw.PermissionsError, errors.StoreReadOnly),
        (apsw.FullError, errors.StoreFull),
        (apsw.InterruptError, errors.StoreError),
        (apsw.TooBigError, errors.StoreError),
        (apsw.IOError, errors.StoreError),
        (apsw.SQLError, errors.StoreError),
        (apsw.ConstraintError, errors.StoreError),
    ],
)
def test_each_error_names_the_file_in_one_line(
    raised: type[apsw.Error], expected: type[errors.StoreError]
) -> None:
    """The message is one line that begins with the file, and the cause is kept."""
    with pytest.raises(expected) as caught, mapped("notes.db"):
        raise raised("what SQLite said")
    assert type(caught.value) is expected
    assert str(caught.value).startswith("notes.db: ")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value.__cause__, raised)


def test_a_replaced_file_is_told_from_a_read_only_one() -> None:
    """SQLITE_READONLY_DBMOVED is StoreMoved, not StoreReadOnly."""
    moved = apsw.ReadOnlyError("moved")
    moved.extendedresult = apsw.SQLITE_READONLY_DBMOVED
    with pytest.raises(errors.StoreMoved), mapped("notes.db"):
        raise moved


def test_a_damaged_index_is_told_from_a_damaged_file() -> None:
    """The message says which of the two it is, for only one can be rebuilt."""
    broken = apsw.CorruptError("malformed")
    broken.extendedresult = apsw.SQLITE_CORRUPT_VTAB
    with pytest.raises(errors.StoreDamaged, match="full-text index"), mapped("notes.db"):
        raise broken


def test_text_that_is_not_text_is_damage() -> None:
    """Bytes that are not UTF-8, put in from outside, do not end in a UnicodeDecodeError."""
    with pytest.raises(errors.StoreDamaged, match="UTF-8"), mapped("notes.db"):
        b"\xc3\x28".decode()


def test_other_errors_pass_unchanged() -> None:
    """What is not SQLite's is not dressed up."""
    with pytest.raises(errors.NotFound), mapped("notes.db"):
        raise errors.NotFound("x")
    with pytest.raises(KeyError), mapped("notes.db"):
        raise KeyError("x")


def test_a_file_without_its_tables_is_damaged() -> None:
    """Another program emptied it while it was open; the next step is said."""
    said = "notes.db: .* restore it from git"
    with pytest.raises(errors.StoreDamaged, match=said), mapped("notes.db"):
        raise apsw.SQLError("no such table: memories")
