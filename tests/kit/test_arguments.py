"""Arguments of another type, or out of bounds, are InvalidInput that names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import memkit
from memkit.errors import InvalidInput

Wrong = Callable[[memkit.Memkit], Any]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda kit: kit.recall(None), "question: found None, expected a text"),
        (lambda kit: kit.recall(5), "question: found 5"),
        (lambda kit: kit.why(None, 1), "question: found None"),
        (lambda kit: kit.recall("x", foo=1), "foo: is no filter; give one of scope"),
        (lambda kit: kit.recall("x", near=["a.py"]), r"near: found \['a.py'\], expected a text"),
        (lambda kit: kit.recall("x", limit="a"), "limit: found 'a', expected a whole number"),
        (lambda kit: kit.recall("x", limit=1.5), "limit: found 1.5"),
        (lambda kit: kit.recall("x", limit=True), "limit: found True"),
        (lambda kit: kit.recall("x", limit=0), "limit: found 0, .* 1 or more"),
        (lambda kit: kit.recall("x", min_score="a"), "min_score: found 'a'"),
        (lambda kit: kit.recall("x", min_score=3), "min_score: found 3, .* from 0 to 1"),
        (lambda kit: kit.recall("x", min_score=float("nan")), "min_score: found nan"),
        (lambda kit: kit.recall("x", depth=-1), "depth: found -1, .* 0 to 20"),
        (lambda kit: kit.recall("x", depth=1000), "depth: found 1000"),
        (lambda kit: kit.recall("x", recipe="fast"), "recipe: found 'fast'"),
        (lambda kit: kit.recall("x", tags=5), "tags: found 5, expected a text or several"),
        (lambda kit: kit.recall("x", tags=[5]), "tags: found 5, expected a text"),
        (lambda kit: kit.recall("x", tags=b"bytes"), "tags: found b'bytes'"),
        (lambda kit: kit.recall("x", project=5), "project: found 5"),
        (lambda kit: kit.recall("x", session=5), "session: found 5"),
        (lambda kit: kit.recall("x", task=["t"]), r"task: found \['t'\]"),
        (lambda kit: kit.gaps(limit="a"), "limit: found 'a'"),
        (lambda kit: kit.memories.remember("x", supersedes="abc"), "supersedes: found 'abc'"),
        (lambda kit: kit.memories.remember_many("abc"), "statements: found one text"),
        (lambda kit: kit.memories.remember(None), "text: found None, expected a text"),
        (lambda kit: kit.memories.remember_many([None]), "text: found None"),
        (lambda kit: kit.memories.remember("x", about=5), "found 5, expected a text or several"),
        (lambda kit: kit.memories.find(limit="a"), "limit: found 'a'"),
        (lambda kit: kit.memories.find(order_by=5), "order_by: found 5"),
        (lambda kit: kit.memories.find(tags=5), "tags: found 5"),
        (lambda kit: kit.query(5), "query: found 5"),
        (lambda kit: kit.export(5), "target: found 5"),
        (lambda kit: kit.import_(None), "source: found None"),
        (lambda kit: memkit.open(None), "path: found None"),
        (lambda kit: kit.recall("x", project=["y" * 200]), r"y{50,}…, expected"),
    ],
)
def test_a_wrong_argument_was_a_raw_error_of_python(
    kit: memkit.Memkit, wrong: Wrong, told: str
) -> None:
    """It names the argument, what was found, and what is expected."""
    with pytest.raises(InvalidInput, match=told):
        wrong(kit)
