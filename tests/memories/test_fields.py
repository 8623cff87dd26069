"""What may be given by keyword: field by field, as Draft and Memory have them."""

from __future__ import annotations

import attrs

from memkit.memories.records import Draft, DraftFields, Memory, MemoryFilters


def names(record: type) -> set[str]:
    """Return the names of a record's fields."""
    return {field.name for field in attrs.fields(record)}


def test_a_field_of_a_draft_can_be_given_by_keyword() -> None:
    """`remember` takes the fields of `Draft` beside the text."""
    assert DraftFields.__annotations__.keys() | {"text"} == names(Draft)


def test_every_field_of_a_memory_is_a_filter() -> None:
    """`find` takes all of them."""
    assert MemoryFilters.__annotations__.keys() == names(Memory)
