"""What a text shows: who speaks, how it is put, what it tells."""

from __future__ import annotations

from memkit.memories import search_document as marks
from memkit.memories.search_document import traits
from tests.tables import each_row


@each_row(
    "text, mark",
    [
        ("User: is the cache warm?", marks.USER),
        ("Assistant: it is.", marks.ASSISTANT),
        ("Is it warm? ", marks.IS_QUESTION),
        ("Is it warm? I doubt it.", marks.HAS_QUESTION),
        ("Please always rebase.", marks.STANDING),
        ("We moved the queue.", marks.FIRST_PERSON),
        ("It holds forty rows, or 2 pages.", marks.NUMBER),
        ("The disk was full last night.", marks.TIME),
        ("ask for Marta, she knows", marks.NAME),
        ("The queue was drained.", marks.PAST),
        ("It closes the file and opened another", marks.PAST),
        ("They are going to drain it", marks.FUTURE),
        ("It will drain", marks.FUTURE),
        ("Well, I usually rebase", marks.PREFERENCE),
    ],
)
def test_each_mark_is_seen_in_a_text_that_shows_it(text: str, mark: int) -> None:
    """The mark is there for its example and not for a text that shows nothing."""
    assert traits(text).marks & mark
    assert not traits("the queue drains slowly").marks & mark


def test_the_speaker_stands_before_the_first_colon() -> None:
    """A name of up to three words is a speaker, a sentence is none."""
    assert traits("Ana Maria: done").speaker == "ana maria"
    assert traits("this is what we found out: nothing").speaker == ""


def test_only_the_ends_of_a_long_text_are_read() -> None:
    """A question in the middle of a long text is not looked for, one at its end is."""
    filler = "the queue drains " * 60
    assert not traits(f"{filler} warm? {filler}").marks & marks.HAS_QUESTION
    assert traits(f"{filler} warm?").marks & marks.IS_QUESTION
