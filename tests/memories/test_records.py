"""Records: what names a memory, what goes in as one or several, what comes back."""

from __future__ import annotations

import attrs
import pytest

import memkit
from memkit import Draft, Kind, Procedure, Scope
from memkit.errors import InvalidInput
from memkit.memories.records import memory_id


def test_a_memory_can_be_named_by_anything_that_has_its_id(kit: memkit.Memkit) -> None:
    """A number, its decimal text, a memory, a result of remember and a hit name the same one."""
    made = kit.memories.remember("the hatch is bolted")
    (hit,) = kit.recall("hatch", min_score=0)
    for reference in (made.id, str(made.id), made, made.memory, hit):
        assert memory_id(reference) == made.id
        assert kit.memories.get(reference) == made.memory


@pytest.mark.parametrize(
    "wrong", [True, 1.0, "1.0", "", "one", "9" * 19, None, b"1", [1], object()]
)
def test_what_names_no_memory_is_refused(wrong: object) -> None:
    """Truth values, lists, and texts that are no decimal number are not taken for ids."""
    with pytest.raises(InvalidInput, match="names no memory"):
        memory_id(wrong)


def test_one_text_where_several_may_stand_is_one() -> None:
    """A single tag, path, step or id is not taken apart into letters."""
    draft = Draft("x", tags="build", file_paths="a.py", trigger_patterns="E42", supersedes=7)
    assert (draft.tags, draft.file_paths, draft.trigger_patterns) == (
        ("build",),
        ("a.py",),
        ("E42",),
    )
    assert (draft.supersedes, draft.derived_from) == ((7,), ())
    assert Procedure("only step").steps == ("only step",)


def test_records_are_frozen_and_words_are_text(kit: memkit.Memkit) -> None:
    """What comes back cannot be changed by accident; kinds compare with their words."""
    memory = kit.memories.remember("the hatch is bolted").memory
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        memory.text = "open"  # type: ignore[misc]
    assert memory.kind is Kind.FACT
    assert memory.scope is Scope.PROJECT
    assert (memory.kind, f"{memory.scope}") == ("fact", "project")
    assert memory.is_current
    kit.memories.forget(memory)
    assert not kit.memories.get(memory).is_current
