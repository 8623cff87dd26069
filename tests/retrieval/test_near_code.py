"""Recall walks memories and code together, and may be asked at a place in the code."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

import memkit
from memkit.retrieval.records import CodeEdge, RetrievalConfig
from tests.asking import recall_with

Form = Literal["NFC", "NFD"]

AUTH = """
def check_token(token):
    return token == "x"


class Session:
    def close(self):
        return None
"""
APP = """
from auth import check_token


def login(token):
    return check_token(token)
"""


@pytest.fixture
def code(kit: memkit.Memkit, tmp_path: Path) -> Path:
    """A tree of two files, indexed: app.login calls auth.check_token."""
    (tmp_path / "auth.py").write_text(AUTH, encoding="utf-8")
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    kit.codegraph.index()
    return tmp_path


def test_what_is_about_a_place_comes_first(kit: memkit.Memkit, code: Path) -> None:
    """Of two memories that match alike, the one about the place is first and says why."""
    other = kit.memories.remember("tokens are compared in the gateway")
    made = kit.memories.remember("tokens are compared in the handler", about="check_token")
    plain = kit.recall("where are tokens compared?")
    found = kit.recall("where are tokens compared?", near="check_token")
    assert {hit.id for hit in plain} == {made.id, other.id}
    assert [hit.id for hit in found] == [made.id, other.id]
    assert found[0].score > plain[0].score
    assert "check_token ← about ← memory" in found[0].reasons
    assert found[0].parts["near"] > 0
    assert "near" not in found[1].parts


def test_code_is_walked_to_what_is_about_its_neighbours(kit: memkit.Memkit, code: Path) -> None:
    """From a function one comes over a call to what is about the function it calls, and back."""
    made = kit.memories.remember("compared with == on purpose", about="check_token")
    (hit,) = kit.recall("", near="login")
    assert hit.id == made.id
    assert hit.reasons == ("login → calls → check_token ← about ← memory",)
    assert [step.kind for step in hit.path] == [CodeEdge.CALLS, "about"]
    other = kit.memories.remember("redirects to the start page", about="app.py::login")
    reasons = {hit.id: hit.reasons for hit in kit.recall("", near="check_token")}
    assert reasons[other.id] == ("check_token ← calls ← login ← about ← memory",)


def test_nearer_is_better(kit: memkit.Memkit, code: Path) -> None:
    """What is about the place itself stands before what is about its caller or its file."""
    caller = kit.memories.remember("the redirect is slow", about="app.py::login")
    itself = kit.memories.remember("compared with == on purpose", about="check_token")
    found = kit.recall("", near="auth.py::check_token")
    assert [hit.id for hit in found] == [itself.id, caller.id]
    assert found[0].score > found[1].score


def test_a_file_brings_what_is_about_its_symbols(kit: memkit.Memkit, code: Path) -> None:
    """Asked at a file, what is about it and about what it defines comes; another file's does not
    where nothing leads to it."""
    inner = kit.memories.remember("close does nothing", about="auth.Session")
    whole = kit.memories.remember("the file has no tests", about="auth.py")
    found = kit.recall("", near="auth.py")
    assert [hit.id for hit in found] == [whole.id, inner.id]


def test_a_recall_goes_over_code_without_being_told(kit: memkit.Memkit, code: Path) -> None:
    """A memory about the same symbol as the best match comes along, over the code."""
    first = kit.memories.remember("zebra stripes confuse the parser", about="check_token")
    second = kit.memories.remember("kept for old clients", about="check_token")
    hits = {hit.id: hit for hit in kit.recall("zebra stripes parser", min_score=0.0)}
    assert hits[second.id].path[0].from_node == first.id
    assert "→ about → check_token ← about ← memory" in hits[second.id].reasons[0]


def test_a_symbol_that_the_question_names_is_a_place(kit: memkit.Memkit, code: Path) -> None:
    """What is about a symbol comes when the question spells its name, and nothing around it."""
    made = kit.memories.remember("kept for old clients", about="auth.py::check_token")
    kit.memories.remember("redirects to the start page", about="app.py::login")
    for question in ("is check_token needed?", "why does auth.check_token fail"):
        hit, *others = kit.recall(question)
        assert hit.id == made.id
        assert "check_token ← about ← memory" in hit.reasons
        assert not any({"path", "near"} & set(other.parts) for other in others)
    assert not recall_with(kit, RetrievalConfig(anchors=False), "is check_token needed?")
    assert not kit.recall("is a token checked?")


def test_recall_near_a_file_brings_memories_of_its_symbols(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """Asked at a file, a recall brings what is about a method in it, however many it has, and
    however deep that lies."""
    body = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(120))
    inner = "class A:\n    class B:\n        def parse(self):\n            return 1\n"
    (tmp_path / "large.py").write_text(body + inner, encoding="utf-8")
    kit.codegraph.index()
    last = kit.memories.remember("kept for old clients", about="large.py::f119")
    deep = kit.memories.remember("stays lenient", about="large.py::A.B.parse")
    found = kit.recall("", near="large.py", depth=1)
    assert {hit.id for hit in found} == {last.id, deep.id}
    assert found[0].reasons == ("about the place that is named",)
    assert not found.notes


def test_weak_hits_near_a_place_are_not_called_unknown(kit: memkit.Memkit, code: Path) -> None:
    """That nothing near a place is among the best does not mean that nothing is remembered."""
    kit.memories.remember("compared with == on purpose", about="check_token")
    found = kit.recall("zebra stripes", near="check_token", min_score=0.99)
    assert not found
    assert found.notes == (
        "nothing that is remembered about 'check_token', or near it, is among the best",
    )


def test_an_unknown_place_is_noted(kit: memkit.Memkit, code: Path) -> None:
    """Asked at a place of which nothing is remembered, a recall says so."""
    kit.memories.remember("compared with == on purpose", about="check_token")
    found = kit.recall("compared on purpose", near="lost.py")
    assert len(found) == 1
    assert found.notes == ("nothing is remembered about 'lost.py', or near it",)


def test_code_is_never_a_hit(kit: memkit.Memkit, code: Path) -> None:
    """Files and symbols are steps of a path only."""
    kit.memories.remember("compared with == on purpose", about="check_token")
    found = kit.recall("compared", near="check_token", min_score=0.0, limit=50)
    assert {hit.memory.text for hit in found} == {"compared with == on purpose"}


def test_filters_hold_near_a_place(kit: memkit.Memkit, code: Path) -> None:
    """What is forgotten or of another kind does not come because it is near."""
    gone = kit.memories.remember("compared with == on purpose", about="check_token")
    kit.memories.forget([gone])
    kit.memories.remember("never log tokens", about="check_token", kind="negative")
    assert not kit.recall("", near="check_token", kind="fact")
    assert len(kit.recall("", near="check_token")) == 1


def test_without_a_code_graph_names_are_compared(kit: memkit.Memkit) -> None:
    """Without a code graph `near` brings what was said to be about that path or symbol."""
    made = kit.memories.remember("compared with ==", about="auth.py::check_token")
    kit.memories.remember("something else", about="app.py")
    for near in ("auth.py", "auth.py::check_token"):
        (hit,) = kit.recall("", near=near)
        assert (hit.id, hit.reasons) == (made.id, ("about the place that is named",))
    assert not kit.recall("", near="auth.py::other")


def test_why_knows_the_place(kit: memkit.Memkit, code: Path) -> None:
    """`why` with the same place explains the hit by it."""
    made = kit.memories.remember("compared with == on purpose", about="check_token")
    assert not kit.explain("zebra", made).present
    why = kit.explain("zebra", made, near="login")
    assert why.present
    assert why.text.startswith("login → calls → check_token ← about ← memory")


def test_stale_ranks_lower_and_says_so(kit: memkit.Memkit, code: Path) -> None:
    """Of two memories that match alike, the one whose code has changed is second, with the
    change named; moving its code costs nothing."""
    kept = kit.memories.remember("tokens are compared in the handler")
    made = kit.memories.remember("tokens are compared in the gateway", about="check_token")
    assert [hit.id for hit in kit.recall("tokens compared")] == [made.id, kept.id]
    (code / "auth.py").unlink()
    (code / "moved.py").write_text(AUTH, encoding="utf-8")
    moved = kit.recall("tokens compared")
    assert [hit.id for hit in moved] == [made.id, kept.id]
    assert moved[0].reasons[-1] == "moved: auth.py::check_token is now moved.py::check_token"
    (code / "moved.py").write_text(AUTH.replace("x", "zz"), encoding="utf-8")
    stale = kit.recall("tokens compared")
    assert [hit.id for hit in stale] == [kept.id, made.id]
    assert stale[1].reasons[-1].endswith("moved.py::check_token has its name")
    assert stale[1].parts["stale"] < 0


def test_what_is_gone_still_comes_flagged(kit: memkit.Memkit, code: Path) -> None:
    """A memory that was good enough stays so when its code is gone: that is what one must know."""
    made = kit.memories.remember("tokens are compared in constant time", about="check_token")
    (code / "auth.py").write_text("x = 1\n", encoding="utf-8")
    (hit,) = kit.recall("are tokens compared in constant time?")
    assert hit.id == made.id
    assert [anchor.state for anchor in hit.memory.about] == ["gone"]
    assert hit.reasons[-1] == "gone: check_token is not in auth.py any more"


@pytest.mark.parametrize("name", ["check_token", "auth.py::Session.close", "auth.py"])
def test_newest_memories_of_a_place_are_followed(kit: memkit.Memkit, code: Path, name: str) -> None:
    """Of what is about one place the newest are followed, whatever else its file is known for."""
    others = {"check_token", "auth.py::Session.close", "auth.py"} - {name}
    made = [kit.memories.remember(f"tokens are compared {n}", about=name).id for n in range(6)]
    for other in sorted(others):
        for n in range(6):
            kit.memories.remember(f"{other} is walked {n}", about=other)
    (node,) = kit.codegraph.find_symbol(name)
    rows = kit._store.all("retrieval.steps", nodes=f"[{node.id}]", kinds="[]", fanout=3, goes_on=0)
    assert sorted(row[1] for row in rows) == sorted(made)[-3:]


def _asked(kit: memkit.Memkit, question: str) -> list[str]:
    """Return the names of the queries that a recall asks."""
    asked: list[str] = []
    store_all = kit._store.all

    def noted(name: str, /, **params: object) -> list[tuple[object, ...]]:
        asked.append(name)
        return store_all(name, **params)

    kit._store.all = noted  # type: ignore[method-assign]
    try:
        kit.recall(question)
    finally:
        kit._store.all = store_all  # type: ignore[method-assign]
    return asked


def test_without_code_nothing_is_asked_of_it(kit: memkit.Memkit) -> None:
    """Without a code graph a recall walks by the one recursive query, and asks nothing more than
    once whether there is code."""
    kit.memories.remember("tokens are compared", about="auth.py")
    first = _asked(kit, "tokens compared")
    assert "retrieval.cascade" in first
    assert "retrieval.steps" not in first
    assert not [
        name for name in _asked(kit, "tokens compared") if name.startswith("codegraph_anchors.")
    ]
    assert "retrieval.has_about" not in _asked(kit, "tokens compared")


def test_a_walk_over_code_costs_a_query_a_step(
    kit: memkit.Memkit, code: Path, make_kit: Callable[..., memkit.Memkit]
) -> None:
    """However many memories match, the walk over code asks once a step, the check of anchors a
    few times for all of them."""
    names = ("check_token", "login", "auth.py::Session.close", "app.py")
    for number in range(40):
        kit.memories.remember(f"tokens are compared {number}", about=names[number % 4])
    _asked(kit, "tokens compared")
    asked = _asked(kit, "tokens compared")
    assert asked.count("retrieval.steps") == 2
    assert len([name for name in asked if name.startswith("codegraph_anchors.")]) <= 6


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("typed", ["NFC", "NFD"])
def test_near_finds_a_file_in_either_unicode_form(
    kit: memkit.Memkit, tmp_path: Path, on_disk: Form, typed: Form
) -> None:
    """However a file system keeps a name and a keyboard types it, it is the same file."""
    name = unicodedata.normalize(on_disk, "größen.py")
    (tmp_path / name).write_text("def maß():\n    return 1\n", encoding="utf-8")
    early = kit.memories.remember("inches were given up", about="größen.py").id
    kit.codegraph.index()
    late = kit.memories.remember("sizes are in millimetres", about="größen.py").id
    asked = unicodedata.normalize(typed, "größen.py")
    assert {memory.id for memory in kit.memories.find(about=asked)} == {early, late}
    assert {hit.id for hit in kit.recall(f"what of {asked}?")} == {early, late}
    assert {hit.id for hit in kit.recall("", near=asked)} == {early, late}
