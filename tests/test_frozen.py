"""Frozen records: the same results as `attrs.frozen` gives, without its code for each class."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.frozen import frozen


@attrs.frozen
class Reference:
    """As attrs makes it."""

    a: Any
    b: tuple[Any, ...] = ()
    c: Any = attrs.field(default=0, eq=False)
    d: Any = attrs.field(default=0, repr=False)


@frozen
class Record:
    """The same, as memkit makes it."""

    a: Any
    b: tuple[Any, ...] = ()
    c: Any = attrs.field(default=0, eq=False)
    d: Any = attrs.field(default=0, repr=False)


@frozen
class Single:
    """A record of one field."""

    a: Any


@frozen
class Nothing:
    """A record of no field."""


@frozen(eq=False)
class Itself:
    """A record that equals itself alone."""

    a: int


@frozen
class Own:
    """A record that says itself how it looks and what it equals."""

    a: int

    def __repr__(self) -> str:
        return "mine"

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


values = st.none() | st.integers(0, 2) | st.floats() | st.text(max_size=2)
rows = st.tuples(values, st.tuples(values), values, values)


@given(rows, rows)
def test_records_compare_as_those_of_attrs(first: tuple[Any, ...], second: tuple[Any, ...]) -> None:
    """Equality, inequality and hash follow the compared fields, whatever they hold."""
    ours, theirs = (Record(*first), Record(*second)), (Reference(*first), Reference(*second))
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert (ours[0] != ours[1]) == (theirs[0] != theirs[1])
    assert (ours[0] == Record(*first)) == (theirs[0] == Reference(*first))
    other: object = second
    assert ours[0] != other
    assert hash(ours[0]) == hash(Record(*first))


@given(rows)
def test_records_look_as_those_of_attrs(row: tuple[Any, ...]) -> None:
    """The fields that are shown are shown in their order, under the class's own name."""
    assert repr(Record(*row)) == repr(Reference(*row)).replace("Reference", "Record")


def test_a_record_that_holds_itself_is_shown() -> None:
    """What is met again within itself is three dots."""
    held: list[Any] = []
    record = Single(held)
    held.append(record)
    assert repr(record) == "Single(a=[...])"


def test_records_of_few_fields_compare() -> None:
    """One field, or none, is compared as several are."""
    assert Single(1) == Single(1) != Single(2)
    assert (Nothing(), hash(Nothing())) == (Nothing(), hash(Nothing()))
    assert len({Single((1,)), Single((1,)), Single((2,))}) == 2


def test_what_a_class_says_itself_stays() -> None:
    """A method of the class's own is not replaced, and identity where it is asked for."""
    assert repr(Own(1)) == "mine"
    assert Own(1) == Own(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Own(1))
    assert Itself(1) != Itself(1)


def test_records_stay_records_of_attrs() -> None:
    """They are frozen, have slots, evolve, are copied and pickled."""
    record = Record(1, (2,))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        record.a = 2  # type: ignore[misc]
    assert not hasattr(record, "__dict__")
    assert attrs.evolve(record, a=2) == Record(2, (2,))
    assert copy.deepcopy(record) == pickle.loads(pickle.dumps(record)) == record
    assert attrs.asdict(record) == {"a": 1, "b": (2,), "c": 0, "d": 0}
