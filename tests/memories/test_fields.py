"""What may be given by keyword: field by field, as Draft and Memory have them."""

from __future__ import annotations

from typing import get_type_hints

import attrs

from memkit.memories.filters import TIMES
from memkit.memories.records import Draft, DraftFields, Memory, MemoryFilters, OfTime
from memkit.store.named_queries import load_queries


def names(record: type) -> set[str]:
    """Return the names of a record's fields."""
    return {field.name for field in attrs.fields(record)}


def test_a_field_of_a_draft_can_be_given_by_keyword() -> None:
    """`remember` takes the fields of `Draft` beside the text."""
    assert DraftFields.__annotations__.keys() | {"text"} == names(Draft)


def test_every_field_of_a_memory_is_a_filter() -> None:
    """`find` takes all of them but what is counted from other rows."""
    assert MemoryFilters.__annotations__.keys() == names(Memory) - {"outcomes"}


def test_every_time_of_a_memory_is_treated_as_one() -> None:
    """`find` reads "last week" for it, and one that another program wrote in another form is
    found."""
    filters = get_type_hints(MemoryFilters)
    assert {name for name, kind in filters.items() if kind == OfTime} == TIMES
    odd = load_queries()["memories.odd_times"].sql
    assert [name for name in TIMES if f"{name}) is not {name}" not in odd] == []
