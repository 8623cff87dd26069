"""Arguments of another type, or out of bounds, are InvalidInput that names them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.errors import InvalidInput
from tests.tables import each_row

Wrong = Callable[[memkit.Memkit], Any]


def one(kit: memkit.Memkit) -> memkit.Memory:
    return kit.memories.remember("The kiln is fired on Fridays.").memory


@each_row(
    "wrong, told",
    [
        (lambda kit: kit.recall(None), "question: found None, expected a text"),
        (lambda kit: kit.recall(5), "question: found 5"),
        (lambda kit: kit.explain(None, 1), "question: found None"),
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
        (lambda kit: kit.recall("x", tags=5), "tags: found 5, expected a text or a list of texts"),
        (lambda kit: kit.recall("x", tags=[5]), "tags: found 5, expected a text"),
        (lambda kit: kit.recall("x", tags=b"bytes"), "tags: found b'bytes'"),
        (lambda kit: kit.recall("x", tags=[]), "tags: the list is empty; name one, or leave"),
        (lambda kit: kit.recall("x", kind=()), "kind: the list is empty"),
        (lambda kit: kit.recall("x", kind=["fact", "fad"]), "kind: 'fad' is unknown; give one of"),
        (lambda kit: kit.recall("x", project=5), "project: found 5"),
        (lambda kit: kit.recall("x", session=5), "session: found 5"),
        (lambda kit: kit.recall("x", task=[7]), r"task: found 7, expected a text"),
        (lambda kit: kit.gaps(limit="a"), "limit: found 'a'"),
        (lambda kit: kit.memories.remember("x", supersedes="abc"), "id: 'abc' names no memory"),
        (lambda kit: kit.memories.remember_many("abc"), "statements: found one text"),
        (lambda kit: kit.memories.remember(None), "text: found None, expected a text"),
        (lambda kit: kit.memories.remember_many([None]), "text: found None"),
        (lambda kit: kit.memories.remember("x", about=5), "about: found 5, expected a text or a l"),
        (lambda kit: kit.memories.remember("x", tags={"a": 1}), "tags: found {'a': 1}, expected"),
        (lambda kit: kit.memories.remember("x", derived_from=1.5), "derived_from: found 1.5"),
        (lambda kit: kit.memories.remember("x", pinned="no"), "pinned: found 'no', .* True or Fal"),
        (lambda kit: kit.memories.remember("x", private=1), "private: found 1"),
        (lambda kit: kit.memories.remember("x", confidence=None), "confidence: found None"),
        (lambda kit: kit.memories.remember("x", trust=True), "trust: found True"),
        (lambda kit: kit.memories.remember("x", messages=3), r"messages: found 3, .*\(first, last"),
        (lambda kit: kit.memories.remember("x", messages=(2, 1)), r"messages: found \(2, 1\)"),
        (lambda kit: kit.memories.remember("x", artifacts=["ab"]), "artifacts: found 'ab'"),
        (lambda kit: kit.memories.remember("x", artifacts=5), "artifacts: found 5"),
        (lambda kit: kit.memories.remember("x", scope=["task"]), r"scope: \['task'\] is unknown"),
        (lambda kit: kit.memories.remember("x", procedure=["a"]), r"procedure: found \['a'\]"),
        (
            lambda kit: kit.memories.remember("x", procedure=memkit.Procedure(5)),
            "procedure steps: found 5, expected a text or a list of texts",
        ),
        (lambda kit: kit.memories.remember_many(5), "statements: found 5, expected a list"),
        (lambda kit: kit.memories.remember_many(["x"], chain="no"), "chain: found 'no'"),
        (lambda kit: kit.memories.remember_many(["x"], progress=5), "progress: found 5, .* functi"),
        (lambda kit: kit.memories.forget([1], dry_run="no"), "dry_run: found 'no'"),
        (lambda kit: kit.memories.purge([1], dry_run=0), "dry_run: found 0"),
        (lambda kit: kit.memories.forget([1], reason=5), "reason: found 5, expected a text"),
        (lambda kit: kit.memories.untag(one(kit), 5), "tags: found 5, expected a text"),
        (lambda kit: kit.memories.link(1, 2, weight="heavy"), "weight: found 'heavy'"),
        (lambda kit: kit.memories.unlink(1 << 70, 1, "next"), "id: 1180591620717411303424 names"),
        (lambda kit: kit.memories.details(one(kit), limit="all"), "limit: found 'all'"),
        (lambda kit: kit.memories.stale(limit=1 << 70), "limit: found 1180591620717411303424"),
        (lambda kit: kit.memories.get_many(5), "references: found 5, expected a list"),
        (lambda kit: kit.memories.contradictions(history="no"), "history: found 'no'"),
        (lambda kit: kit.memories.find("red"), "filters: found 'red', expected a mapping"),
        (lambda kit: kit.memories.find({5: 5}), "filters: found {5: 5}"),
        (lambda kit: kit.memories.find(pinned="x"), "pinned: found 'x', expected True or False"),
        (lambda kit: kit.memories.find(strength=True), "strength: found True, expected a number"),
        (lambda kit: kit.memories.find(session=[5]), "session: found 5, expected a text"),
        (lambda kit: kit.memories.find(provenance="heard"), "provenance: 'heard' is unknown"),
        (lambda kit: kit.memories.find(source={"$in": "ab"}), "source .in: found 'ab', .* a list"),
        (lambda kit: kit.memories.find(source={"$ne": ["a"]}), "source .ne: .* expected one value"),
        (lambda kit: kit.memories.find(history="no"), "history: found 'no'"),
        (lambda kit: kit.memories.find(limit="a"), "limit: found 'a'"),
        (lambda kit: kit.memories.find(order_by=5), "order_by: found 5"),
        (lambda kit: kit.memories.find(tags=5), "tags: found 5"),
        (lambda kit: kit.query(5), "query: found 5"),
        (lambda kit: kit.query("memories.tag_names", x=[5]), "x is unknown"),
        (lambda kit: kit.query("memories.known", ids=[5]), r"ids: found \[5\], .* a JSON list"),
        (lambda kit: kit.query("memories.known", ids=1 << 63), "ids: found 92233720368547758"),
        (lambda kit: kit.export(5), "target: found 5"),
        (lambda kit: kit.export("a\0b"), r"target: found 'a\\x00b', expected the path"),
        (lambda kit: kit.export("x", local="no"), "local: found 'no'"),
        (lambda kit: kit.import_(None), "source: found None"),
        (lambda kit: kit.import_("\ud800"), r"source: found '\\ud800'"),
        (lambda kit: kit.import_("x", revive="no"), "revive: found 'no'"),
        (lambda kit: kit.import_("x", progress=5), "progress: found 5"),
        (lambda kit: kit.import_notes(5), "root: found 5, expected the path of a file or folder"),
        (lambda kit: kit.import_notes(""), "root: found ''"),
        (lambda kit: kit.import_notes(progress=5), "progress: found 5"),
        (lambda kit: kit.reembed(progress=5), "progress: found 5"),
        (lambda kit: kit.check(repair="no"), "repair: found 'no'"),
        (lambda kit: kit.clear_surfaced(5), "session: found 5"),
        (lambda kit: kit.recall("x", history="no"), "history: found 'no'"),
        (lambda kit: kit.recall("x", min_score=True), "min_score: found True"),
        (lambda kit: memkit.open(None), "path: found None"),
        (lambda kit: memkit.open("x", project=5), "project: found 5"),
        (lambda kit: memkit.open("x", global_store=5), "global_store: found 5"),
        (lambda kit: memkit.open("x", readonly="no"), "readonly: found 'no'"),
        (lambda kit: memkit.open("x", clock=5), "clock: found 5, expected a function"),
        (lambda kit: memkit.open("x", busy_timeout=-1), "busy_timeout: found -1, .* seconds"),
        (lambda kit: kit.recall("x", near=["y" * 200]), r"y{50,}…, expected"),
    ],
)
def test_wrong_argument_is_invalid_input_that_names_it(
    kit: memkit.Memkit, wrong: Wrong, told: str
) -> None:
    """It names the argument, what was found, and what is expected."""
    with pytest.raises(InvalidInput, match=told):
        wrong(kit)


def test_missing_folder_is_named(kit: memkit.Memkit) -> None:
    """Taking in says which folder is missing."""
    with pytest.raises(memkit.NotFound, match="nowhere: there is no such folder"):
        kit.import_notes("nowhere")


def test_value_of_many_lines_is_shown_on_one(kit: memkit.Memkit) -> None:
    """Whatever its own description looks like."""

    class Table:
        def __repr__(self) -> str:
            return "[1\n 2]"

    with pytest.raises(InvalidInput, match=r"^question: found \[1  2\], expected a text$"):
        kit.recall(Table())  # type: ignore[arg-type]


def test_filter_operators_fold_tags(kit: memkit.Memkit) -> None:
    """A tag is compared in its stored form, whichever operator compares it."""
    kept = kit.memories.remember("The kiln is fired on Fridays.", tags="Pottery")
    for wanted in ({"$contains": "POTTERY"}, "#Pottery", ["pottery", "glass"]):
        assert [memory.id for memory in kit.memories.find(tags=wanted)] == [kept.id]


@pytest.mark.parametrize("name", [":memory:", "file:x.db?mode=memory"])
def test_in_memory_database_name_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What SQLite would not take for a file is refused, and nothing is made."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="is no file, and a memkit store is one"):
        memkit.open(name)
    with pytest.raises(InvalidInput, match=r"^global_store: "):
        memkit.open("x.db", global_store=name)
    assert list(tmp_path.iterdir()) == []
