"""Multi-pattern search."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memkit.redaction import detection
from memkit.redaction.literal_search import LiteralSearch, LowerText

LITERALS = sorted(detection._search()._literals)
# Texts full of literals, whole ones and pieces, so that they overlap and touch both ends.
PIECES = st.one_of(
    st.sampled_from(LITERALS),
    st.sampled_from(LITERALS).map(lambda literal: literal[1:]),
    st.sampled_from(LITERALS).map(lambda literal: literal[:-1]),
    st.text("aeks :-/p", max_size=3),
)
TEXTS = st.lists(PIECES, max_size=20).map(lambda pieces: "".join(pieces).encode("latin-1"))


def _every_place(text: bytes, literal: str) -> list[int]:
    form = re.compile(b"(?=%b)" % re.escape(literal.encode("latin-1")))
    return [match.start() for match in form.finditer(text)]


@given(TEXTS)
def test_one_pass_finds_every_place_of_every_literal(text: bytes) -> None:
    """Overlapping places too, in order, and as many as a search for each literal finds."""
    lower = LiteralSearch(LITERALS, worthwhile=0).over(text)
    assert lower._searched
    for literal in LITERALS:
        assert list(lower.places(literal)) == _every_place(text, literal)
        assert list(LowerText(text).places(literal)) == _every_place(text, literal)


@given(TEXTS, st.sets(st.sampled_from(LITERALS)))
def test_places_of_some_literals(text: bytes, some: set[str]) -> None:
    """Those that are there, whether or not the text was searched for all."""
    places = {literal: found for literal in some if (found := _every_place(text, literal))}
    for lower in (LowerText(text), LiteralSearch(LITERALS, worthwhile=0).over(text)):
        assert {key: list(value) for key, value in lower.places_of(some).items()} == places
        assert lower.spots(some) == sorted(set().union(*places.values()))


def test_a_literal_that_was_not_searched_is_looked_for() -> None:
    """What is no literal of the search is found all the same."""
    lower = LiteralSearch(["key"], worthwhile=0).over(b"a key, keyhole")
    assert list(lower.places("hole")) == [10]
    assert lower.places_of({"key", "hole"}) == {"key": [2, 7], "hole": [10]}


def test_the_expression_is_made_when_enough_was_read() -> None:
    """Short texts of a short process are searched literal by literal: nothing is compiled."""
    search = LiteralSearch(["key"], worthwhile=100)
    assert not search.over(b"key " * 20)._searched
    assert search.over(b"key " * 20)._searched


def test_every_literal_has_a_rare_anchor() -> None:
    """None of several characters is left to its first one, which may stand everywhere."""
    from memkit.redaction.literal_search import _ANCHORS

    bare = [literal for literal in LITERALS if not set(literal) & set(_ANCHORS)]
    assert [literal for literal in bare if len(literal) > 1] == []
