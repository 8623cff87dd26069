"""What memories are about in the code: found by name or in the text, and checked when read."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import memkit
from memkit.anchors import AnchorState

AUTH = '''
def check_token(token):
    """Whether a token is good."""
    return token == "x"


class Session:
    def close(self):
        return None
'''
APP = """
from auth import check_token


def login(token):
    return check_token(token)
"""

Tree = Callable[..., None]


@pytest.fixture
def tree(kit: memkit.Memkit, tmp_path: Path) -> Tree:
    """Write files beside the store (None removes one) and index them: `tree(auth_py=...)`."""

    def write(*, index: bool = True, **texts: str | None) -> None:
        for name, text in texts.items():
            place = tmp_path / name.replace("__", "/").replace("_py", ".py")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            if text is not None:
                place.write_text(text, encoding="utf-8")
        if index:
            kit.codegraph.index()

    write(auth_py=AUTH, app_py=APP)
    return write


def _about(
    kit: memkit.Memkit, memory: memkit.Memory | memkit.RememberResult
) -> list[tuple[str, ...]]:
    return [(one.path, one.symbol, one.state) for one in kit.memories.get(memory.id).about]


def _stale_in_shell(kit: memkit.Memkit) -> list[tuple[int, str, str]]:
    with closing(sqlite3.connect(kit.path)) as plain:
        return plain.execute("select id, symbol, what from stale order by id desc").fetchall()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("auth.py", ("auth.py", "")),
        ("auth.py::check_token", ("auth.py", "check_token")),
        ("auth.py::Session.close", ("auth.py", "Session.close")),
        ("auth.check_token", ("auth.py", "check_token")),
        ("auth.Session.close", ("auth.py", "Session.close")),
        ("Session.close", ("auth.py", "Session.close")),
        ("Session::close", ("auth.py", "Session.close")),
        ("check_token", ("auth.py", "check_token")),
        ("check_token()", ("auth.py", "check_token")),
        ("auth.py::Session.close()", ("auth.py", "Session.close")),
    ],
)
def test_names_mean_places(
    kit: memkit.Memkit, tree: Tree, name: str, place: tuple[str, str]
) -> None:
    """A path, a qualified name of any spelling and a plain name become path and symbol."""
    made = kit.memories.remember("mind this", about=name)
    assert _about(kit, made) == [(*place, AnchorState.VALID)]
    assert made.memory.about[0].hash


def test_a_module_is_a_file(kit: memkit.Memkit, tree: Tree) -> None:
    """The dotted name of a module means its file."""
    tree(pkg__inner__thing_py="x = 1\n")
    made = kit.memories.remember("mind this", about="pkg.inner.thing")
    assert _about(kit, made) == [("pkg/inner/thing.py", "", AnchorState.VALID)]


def test_a_name_of_several_places_is_refused(kit: memkit.Memkit, tree: Tree) -> None:
    """A name that means two symbols is an error that lists them, and nothing is stored."""
    tree(other_py="def check_token():\n    return 1\n")
    with pytest.raises(memkit.InvalidInput, match=r"2 places: auth\.py::check_token, other\.py"):
        kit.memories.remember("mind this", about="check_token")
    assert not kit.memories.find()


def test_an_unknown_name_stays_as_it_is(kit: memkit.Memkit, tree: Tree) -> None:
    """What the code does not know is noted all the same; what never was there is not gone."""
    made = kit.memories.remember("mind this", about=["lost/thing.py", "ops.py::rotate"])
    assert _about(kit, made) == [
        ("lost/thing.py", "", AnchorState.UNKNOWN),
        ("ops.py", "rotate", AnchorState.UNKNOWN),
    ]
    assert [one.change for one in made.memory.about] == [
        "lost/thing.py is not there",
        "rotate is not in ops.py",
    ]


def test_a_symbol_of_a_file_that_is_not_parsed_is_not_gone(
    kit: memkit.Memkit, tree: Tree, tmp_path: Path
) -> None:
    """Of what a file defines that is left out nothing is claimed, and the reason is told."""
    (tmp_path / "made.py").write_text("# @generated\ndef build(): ...\n")
    kit.codegraph.index()
    made = kit.memories.remember("mind this", about=["made.py::build"])
    assert _about(kit, made) == [("made.py", "build", AnchorState.UNKNOWN)]
    assert "generated" in made.memory.about[0].change


def test_a_file_that_came_back_is_not_gone(kit: memkit.Memkit, tree: Tree) -> None:
    """What is restored is found again, though the graph had already followed its removal."""
    made = kit.memories.remember("mind this", about=["check_token", "auth.py"])
    tree(auth_py=None)
    gone = [("auth.py", "check_token", AnchorState.GONE), ("auth.py", "", AnchorState.GONE)]
    assert sorted(_about(kit, made)) == sorted(gone)
    tree(auth_py=AUTH, index=False)
    assert {state for _, _, state in _about(kit, made)} == {AnchorState.VALID}
    tree(auth_py=None)
    tree(auth_py=AUTH + "# more\n", index=False)
    assert ("auth.py", "", AnchorState.STALE) in _about(kit, made)


def test_a_symbol_of_several_definitions_changes_with_any_of_them(
    kit: memkit.Memkit, tree: Tree
) -> None:
    """An edit of a setter, an overload or the other branch is an edit of the symbol."""
    text = """
class Box:
    @property
    def size(self):
        return self._size

    @size.setter
    def size(self, new):
        self._size = new
"""
    tree(box_py=text)
    made = kit.memories.remember("mind this", about="Box.size")
    tree(box_py="import os\n" + text)
    assert _about(kit, made) == [("box.py", "Box.size", AnchorState.VALID)]
    assert _stale_in_shell(kit) == []
    tree(box_py=text.replace("= new", "= new + 1"))
    assert _about(kit, made) == [("box.py", "Box.size", AnchorState.STALE)]
    assert _stale_in_shell(kit) == [(made.id, "Box.size", "changed")]


def test_a_file_outside_of_the_graph_is_compared(
    kit: memkit.Memkit, tree: Tree, tmp_path: Path
) -> None:
    """A file that the graph does not list any more is compared by its bytes all the same."""
    made = kit.memories.remember("mind this", about="app.py")
    (tmp_path / ".gitignore").write_text("app.py\n")
    kit.codegraph.index()
    assert _about(kit, made) == [("app.py", "", AnchorState.VALID)]
    (tmp_path / "app.py").write_text("x = 1\n")
    assert _about(kit, made) == [("app.py", "", AnchorState.STALE)]


def test_without_a_code_graph_nothing_is_said(kit: memkit.Memkit) -> None:
    """Without a code graph an anchor is what was written, and its state is unknown."""
    made = kit.memories.remember("see src/app.py", about="src/app.py::App.run")
    assert _about(kit, made) == [("src/app.py", "App.run", AnchorState.UNKNOWN)]


def test_anchor_noted_without_a_graph_is_resolved_later(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A qualified name or path that was noted without a code graph is looked up once there is."""
    made = kit.memories.remember("compares with ==", about=["auth.Session.close", "auth.py"])
    (tmp_path / "auth.py").write_text(AUTH, encoding="utf-8")
    kit.codegraph.index()
    assert _about(kit, made) == [
        ("auth.py", "", AnchorState.VALID),
        ("auth.py", "Session.close", AnchorState.VALID),
    ]


def test_late_anchor_becomes_stale_after_an_edit(kit: memkit.Memkit, tmp_path: Path) -> None:
    """What a memory was about before the code was read is noted when it is: by path, as a symbol or
    by a qualified name, it is told when it changes from then on."""
    names = ["auth.py", "auth.py::check_token", "auth.Session.close"]
    made = [kit.memories.remember(f"mind {name} well", about=name) for name in names]
    absent = kit.memories.remember("to be written", about="late.py::late")
    (tmp_path / "auth.py").write_text(AUTH, encoding="utf-8")
    kit.codegraph.index()
    assert [one.id for one in kit.memories.stale()] == [absent.id]
    edited = AUTH.replace("==", "!=").replace("return None", "return 1")
    (tmp_path / "auth.py").write_text(edited, encoding="utf-8")
    states = [AnchorState.STALE] * 3
    assert [state for one in made for _, _, state in _about(kit, one)] == states
    assert _about(kit, made[2]) == [("auth.py", "Session.close", AnchorState.STALE)]
    (tmp_path / "late.py").write_text("def late():\n    return 1\n")
    kit.codegraph.find_symbol("late")
    (tmp_path / "late.py").write_text("def late():\n    return 2\n")
    assert _about(kit, absent) == [("late.py", "late", AnchorState.STALE)]


@pytest.mark.parametrize("name", [" ", "::", "a" * 5_000])
def test_anchor_that_is_no_name_is_unknown_and_its_memory_readable(
    kit: memkit.Memkit, tree: Tree, name: str
) -> None:
    """What another program wrote as a place, and is none, is unknown; memory and index stand."""
    made = kit.memories.remember("is compared on purpose")
    with closing(sqlite3.connect(kit.path)) as plain, plain:
        row = (made.id, name, "2026-01-01T00:00:00.000Z")
        plain.execute("insert into anchors (memory_id, path, noted_at) values (?, ?, ?)", row)
    assert _about(kit, made) == [(name, "", AnchorState.UNKNOWN)]
    tree(auth_py=AUTH.replace("==", "!="))
    assert kit.recall("is it compared on purpose?")[0].memory.id == made.id


def test_the_text_names_places(kit: memkit.Memkit, tree: Tree) -> None:
    """Paths and qualified names of the code in a text are anchors; other words are not."""
    made = kit.memories.remember(
        "auth.Session.close in auth.py is slow, app.py is not; see e.g. x.y"
    )
    assert _about(kit, made) == [
        ("app.py", "", AnchorState.VALID),
        ("auth.py", "Session.close", AnchorState.VALID),
    ]
    assert not kit.memories.remember("the session is closed by check_token").memory.about


def test_an_edit_beside_it_changes_nothing(kit: memkit.Memkit, tree: Tree) -> None:
    """Lines above a symbol and another line end do not make a memory stale."""
    made = kit.memories.remember("compares with ==", about="check_token")
    tree(auth_py="# a comment\n\n" + AUTH.replace("\n", "\r\n"))
    assert _about(kit, made) == [("auth.py", "check_token", AnchorState.VALID)]


def test_an_edit_of_it_makes_it_stale(kit: memkit.Memkit, tree: Tree) -> None:
    """After an edit of the symbol's own text the memory says what has changed."""
    made = kit.memories.remember("compares with ==", about="check_token")
    tree(auth_py=AUTH.replace('== "x"', '== "y"'))
    (about,) = kit.memories.get(made).about
    assert (about.state, about.change) == ("stale", "check_token in auth.py has changed since")


def test_an_edit_is_seen_without_indexing(kit: memkit.Memkit, tree: Tree) -> None:
    """The file that a memory is about is looked at when the memory is read."""
    made = kit.memories.remember("compares with ==", about="check_token")
    tree(auth_py=AUTH.replace('== "x"', '== "longer"'), index=False)
    assert _about(kit, made) == [("auth.py", "check_token", AnchorState.STALE)]


def test_a_move_is_followed(kit: memkit.Memkit, tree: Tree) -> None:
    """A symbol in another file, or in another class, is found by its text."""
    made = kit.memories.remember("compares with ==", about="check_token")
    other = kit.memories.remember("does nothing", about="Session.close")
    tree(
        auth_py=None,
        lib__security_py=AUTH.replace("class Session", "class Connection"),
        index=False,
    )
    (about,) = kit.memories.get(made).about
    assert (about.state, about.now) == ("moved", "lib/security.py::check_token")
    assert about.change == "auth.py::check_token is now lib/security.py::check_token"
    (about,) = kit.memories.get(other).about
    assert (about.state, about.now) == ("moved", "lib/security.py::Connection.close")


RENAMED = """
class Box:
    def size(self):
        return self.size() if self._size else 0

    def weight(self):
        return 0


def walk(box):
    return [walk(one) for one in box]


ONE = lambda: 1
"""


@pytest.mark.parametrize(
    ("about", "old", "new", "now"),
    [
        ("Box.size", "size", "extent", "box.py::Box.extent"),
        ("walk", "walk", "go", "box.py::go"),
        ("Box", "Box", "Crate", "box.py::Crate"),
    ],
)
def test_renamed_symbol_with_the_same_text_has_moved(
    kit: memkit.Memkit, tree: Tree, about: str, old: str, new: str, now: str
) -> None:
    """What reads as it did but for its name, in the same file and class, was renamed."""
    tree(box_py=RENAMED)
    made = kit.memories.remember("mind this", about=about)
    tree(box_py=re.sub(rf"\b{old}\b", new, RENAMED))
    (found,) = kit.memories.get(made).about
    assert (found.state, found.now) == ("moved", now)
    assert found.change == f"box.py::{about} is now {now}"
    assert _stale_in_shell(kit) == [(made.id, about, "renamed")]
    tree(box_py=re.sub(rf"\b{old}\b", new, RENAMED).replace("[", "(").replace(" 0", " 1"))
    assert [one.state for one in kit.memories.get(made).about] == ["gone"]
    assert _stale_in_shell(kit) == [(made.id, about, "not there")]


def test_methods_of_a_renamed_class_have_moved(kit: memkit.Memkit, tree: Tree) -> None:
    """A method that reads as it did, under its own name in the same file, has moved with it."""
    made = kit.memories.remember("mind this", about="Session.close")
    tree(auth_py=AUTH.replace("Session", "Visit"))
    (found,) = kit.memories.get(made).about
    assert (found.state, found.now) == ("moved", "auth.py::Visit.close")
    assert _stale_in_shell(kit) == [(made.id, "Session.close", "moved")]


def test_a_copy_under_another_name_is_not_taken_for_it(kit: memkit.Memkit, tree: Tree) -> None:
    """One line is no text to be known by, and of two that read alike neither is it."""
    tree(box_py=RENAMED)
    made = kit.memories.remember("mind this", about=["ONE", "walk"])
    again = RENAMED.replace("ONE", "TWO")
    tree(box_py=again.replace("walk", "go") + again[again.index("def walk") :].replace("walk", "w"))
    assert {one.state for one in kit.memories.get(made).about} == {"gone"}


def test_moved_and_changed_is_stale(kit: memkit.Memkit, tree: Tree) -> None:
    """The only symbol of that name elsewhere, with another text, has moved and changed."""
    made = kit.memories.remember("compares with ==", about="check_token")
    tree(auth_py=None, security_py=AUTH.replace('== "x"', '== "y"'))
    (about,) = kit.memories.get(made).about
    assert (about.state, about.now) == ("stale", "security.py::check_token")
    assert about.change.endswith("security.py::check_token has its name")


def test_a_deletion_is_told(kit: memkit.Memkit, tree: Tree) -> None:
    """A symbol that is nowhere any more is gone, and so is a file."""
    made = kit.memories.remember("compares with ==", about=["check_token", "app.py"])
    tree(auth_py="x = 1\n", app_py=None)
    changes = [(one.state, one.change) for one in kit.memories.get(made).about]
    assert changes == [
        ("gone", "app.py is not there any more"),
        ("gone", "check_token is not in auth.py any more"),
    ]


def test_a_renamed_file_is_found_by_its_text(kit: memkit.Memkit, tree: Tree) -> None:
    """A file under another name is found by its bytes; one of its name elsewhere by that."""
    made = kit.memories.remember("the entry", about="app.py")
    tree(app_py=None, start_py=APP)
    assert kit.memories.get(made).about[0].now == "start.py"
    tree(start_py=None, src__app_py=APP)
    assert kit.memories.get(made).about[0].now == "src/app.py"


def test_a_file_that_is_named_outright_is_compared(kit: memkit.Memkit, tree: Tree) -> None:
    """Of a file in `about` the bytes count; a text that mentions one asks only that it is there."""
    named = kit.memories.remember("the entry", about="app.py")
    mentioned = kit.memories.remember("begin to read in app.py")
    tree(app_py=APP + "\n\nx = 1\n")
    assert _about(kit, named) == [("app.py", "", AnchorState.STALE)]
    assert _about(kit, mentioned) == [("app.py", "", AnchorState.VALID)]


def test_saying_it_again_renews_it(kit: memkit.Memkit, tree: Tree) -> None:
    """The same statement about the changed symbol is about it as it is now."""
    made = kit.memories.remember("compares with ==", about="check_token")
    tree(auth_py=AUTH.replace('== "x"', '== "y"'))
    again = kit.memories.remember("compares with ==", about="check_token")
    assert again.id == made.id
    assert _about(kit, made) == [("auth.py", "check_token", AnchorState.VALID)]


def test_an_update_of_the_text_adds_what_it_names(kit: memkit.Memkit, tree: Tree) -> None:
    """What a new text names is added to what the memory is about."""
    made = kit.memories.remember("compares with ==", about="check_token")
    changed = kit.memories.update(made, "compares with ==, see app.login")
    assert [(one.path, one.symbol) for one in changed.about] == [
        ("app.py", "login"),
        ("auth.py", "check_token"),
    ]


def test_stale_lists_what_changed(kit: memkit.Memkit, tree: Tree) -> None:
    """`stale` and the view name the memories whose code has changed; others are left out."""
    kit.memories.remember("logs in, see app.py", about="login")
    never = kit.memories.remember("is no longer", about="app.py::ancient")
    made = kit.memories.remember("compares with ==", about="check_token")
    closes = kit.memories.remember("does nothing", about="auth.py::Session.close")
    tree(auth_py=AUTH.replace('== "x"', '== "y"').replace("class Session", "class Gone"))
    assert {memory.id for memory in kit.memories.stale()} == {made.id, closes.id, never.id}
    assert [memory.id for memory in kit.memories.stale(limit=1)] == [closes.id]
    assert _stale_in_shell(kit) == [
        (closes.id, "Session.close", "moved"),
        (made.id, "check_token", "changed"),
        (never.id, "ancient", "unknown"),
    ]


def test_symbol_in_an_unindexed_changed_file_is_unknown(
    kit: memkit.Memkit, tree: Tree, tmp_path: Path
) -> None:
    """Where more files have changed than a question may index, a symbol in one of them is not known
    to be as it was, and a file is told by its bytes; once indexed all is known again."""
    many = {f"many{number}_py": f"x = {number}\n" for number in range(101)}
    tree(old_py="y = 1\n", **many)
    symbol = kit.memories.remember("compared with == on purpose", about="check_token")
    whole = kit.memories.remember("has no tests", about="app.py")
    kept = kit.memories.remember("is generated", about="many1.py")
    lost = kit.memories.remember("to be split", about="old.py")
    edited = {name: f"{text}z = 2\n" for name, text in many.items() if name != "many1_py"}
    tree(
        index=False,
        auth_py=AUTH.replace("==", "!="),
        app_py=f"{APP}# edited\n",
        old_py=None,
        new_py="y = 1\n",
        **edited,
    )
    behind = "auth.py has changed since it was indexed; run 'memkit index'"
    for _ in range(2):
        changes = {one.id: one.about[0].change for one in kit.memories.stale()}
        assert changes == {
            symbol.id: behind,
            whole.id: "app.py has changed since",
            lost.id: "old.py is not there any more; where it went 'memkit index' tells",
        }
    assert _about(kit, symbol) == [("auth.py", "check_token", AnchorState.UNKNOWN)]
    assert _about(kit, kept) == [("many1.py", "", AnchorState.VALID)]
    (hit,) = kit.recall("compared with ==")
    assert f"unknown: {behind}" in hit.reasons
    kit.codegraph.index()
    assert _about(kit, symbol) == [("auth.py", "check_token", AnchorState.STALE)]
    assert kit.memories.get(lost.id).about[0].now == "new.py"


def test_restored_code_is_unchanged(kit: memkit.Memkit, tree: Tree) -> None:
    """A tree that lies as it was indexed again is so for what is about it, whatever was seen in
    between; nothing needs to be indexed for that."""
    many = {f"many{number}_py": f"x = {number}\n" for number in range(101)}
    tree(**many)
    made = kit.memories.remember("compared with == on purpose", about="check_token")
    edited = {name: f"{text}z = 2\n" for name, text in many.items()}
    tree(index=False, auth_py=AUTH.replace("==", "!="), **edited)
    assert [one.id for one in kit.memories.stale()] == [made.id]
    tree(index=False, auth_py=AUTH, **edited)
    assert _about(kit, made) == [("auth.py", "check_token", AnchorState.VALID)]
    assert kit.memories.stale() == []


def test_memory_said_after_an_edit_is_current(kit: memkit.Memkit, tree: Tree) -> None:
    """A memory is about the code as it lies when it is made or changed, indexed or not: named
    outright or in the text, edited, new in its file, or in a new file."""
    tree(index=False, auth_py=f"{AUTH.replace('==', '!=')}\n\ndef fresh():\n    return 1\n")
    told = kit.memories.remember("auth.py::Session.close and auth.py::check_token differ now")
    other = kit.memories.remember("is made anew for each call", about="auth.py::fresh")
    tree(index=False, late_py="def late():\n    return 1\n")
    late = kit.memories.remember("runs after all others", about="late.py::late")
    tree(index=False, app_py=APP.replace("token", "key"))
    made = kit.memories.remember("takes a key", about="login")
    tree(index=False, app_py=APP.replace("token", "sign"))
    kit.memories.update(made, "takes a sign", about="login")
    for one in (told, other, late, made):
        assert all(anchor.hash for anchor in kit.memories.get(one.id).about)
        assert {state for _, _, state in _about(kit, one)} == {AnchorState.VALID}
    kit.codegraph.index()
    assert kit.memories.stale() == []
    tree(index=False, late_py="def late():\n    return 2\n")
    assert [one.id for one in kit.memories.stale()] == [late.id]


def test_memory_about_unindexed_code_is_current_once_indexed(
    kit: memkit.Memkit, tree: Tree
) -> None:
    """Where more has changed than may be indexed at once, a file is noted as it lies and of a
    symbol nothing, so that the next index finds neither changed."""
    many = {f"many{number}_py": f"x = {number}\n" for number in range(101)}
    tree(index=False, auth_py=AUTH.replace("==", "!="), app_py=f"{APP}# edited\n", **many)
    symbol = kit.memories.remember("compared with != on purpose", about="check_token")
    whole = kit.memories.remember("has no tests", about="app.py")
    assert kit.memories.stale() == []
    kit.codegraph.index()
    assert kit.memories.stale() == []
    assert _about(kit, symbol) == [("auth.py", "check_token", AnchorState.VALID)]
    tree(index=False, app_py=APP)
    assert [one.id for one in kit.memories.stale()] == [whole.id]


def test_any_number_of_anchors_costs_the_same_queries(
    kit: memkit.Memkit, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a hundred memories about code asks no more queries than reading three."""
    # A file that was written just now is read again until the clock has moved on.
    monkeypatch.setattr("memkit.codegraph.index.files._TICK", 0)
    kit.codegraph.index()

    def queries(count: int) -> int:
        asked: list[str] = []
        store_all = kit._store.all
        kit._store.all = lambda name, /, **params: asked.append(name) or store_all(name, **params)  # type: ignore[method-assign,func-returns-value]
        kit.memories.get_many(ids[:count])
        kit._store.all = store_all  # type: ignore[method-assign]
        return len(asked)

    names = ("check_token", "login", "Session.close", "app.py")
    drafts = [memkit.Draft(f"statement {n}", about=names[n % 4]) for n in range(100)]
    ids = [done.id for done in kit.memories.remember_many(drafts)]
    queries(1)
    assert queries(100) == queries(4) <= 6
    ids = [kit.memories.remember(f"plain {n}").id for n in range(3)]
    assert queries(3) == 0
