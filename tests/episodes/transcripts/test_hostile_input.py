"""Nothing that may stand in a transcript makes an import fail, or the store unsound."""

from __future__ import annotations

import copy
import json
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.episodes.recording import tolerant_json
from memkit.errors import InvalidInput
from memkit.store.store import Store
from tests import strategies
from tests.conftest import Clock
from tests.episodes import sessions
from tests.episodes.sessions import CWD, Claude, written

# What may stand where anything else is expected.
_WRONG = st.sampled_from(
    [None, True, False, 0, -1, 1e308, float("nan"), 2**70, [], {}, [[]], {"type": 3}]
) | st.sampled_from(["", " ", "\0", "\ud800", "../..", "/", "x" * 5000, "9999-99-99", "1e999"])
_anything = _WRONG | strategies.texts | st.lists(_WRONG, max_size=3)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of every value inside a JSON value."""
    found = [path] if path else []
    children = value.items() if isinstance(value, dict) else ()
    children = enumerate(value) if isinstance(value, list) else children
    for key, child in children:
        found += _places(child, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A transcript of any format in which some values are replaced, removed or doubled."""
    name, make = draw(st.sampled_from(sorted((v[0], k) for k, v in sessions.ALL.items())))
    told = sessions.ALL[make][1]()
    is_lines = isinstance(told, str)
    document = [json.loads(line) for line in told.splitlines()] if is_lines else told
    for _ in range(draw(st.integers(1, 6))):
        places = _places(document)
        if not places:
            break
        *above, last = draw(st.sampled_from(places))
        holder = document
        for key in above:
            holder = holder[key]
        if isinstance(holder, list) and draw(st.booleans()):
            holder.insert(0, copy.deepcopy(holder[last]))
        elif isinstance(holder, dict) and draw(st.booleans()):
            del holder[last]
        else:
            holder[last] = copy.deepcopy(draw(_anything))
    whole = "\n".join(map(json.dumps, document)) if is_lines else json.dumps(document)
    data = whole.encode("utf-8", "surrogatepass")
    cut = draw(st.integers(0, 40)) if draw(st.booleans()) else 0
    return name, data[: len(data) - cut]


@given(transcript=mutated())
def test_any_value_may_stand_anywhere(
    transcript: tuple[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It is taken in as far as it goes, or refused as no transcript; again, it changes nothing."""
    name, data = transcript
    folder = tmp_path_factory.mktemp("hostile")
    path = written(folder, name, data)
    kit = memkit.Memkit(Store(folder / ".memkit.db", clock=Clock()))
    try:
        with suppress(InvalidInput):
            kit.import_(path, format="transcript")
            once = kit.path.read_bytes()
            assert kit.import_(path, format="transcript").added == 0
            assert kit.path.read_bytes() == once
        assert not [problem for problem in kit.check().problems if not problem.mended]
    finally:
        kit.close()
    with sqlite3.connect(folder / ".memkit.db") as plain:
        for table in ("sessions", "task_history", "tool_executions", "file_interactions"):
            for row in plain.execute(f"select * from {table}"):
                assert "\0" not in str(row)
    plain.close()


@given(st.lists(st.binary(max_size=60) | st.sampled_from([b"{}", b"[", b"\xff\xfe", b"\0"])))
def test_any_bytes_are_lines(parts: list[bytes]) -> None:
    """Bytes that are no UTF-8, no JSON and no object become lines with a reason."""
    import io

    for line in tolerant_json.lines(io.BytesIO(b"\n".join(parts))):
        assert (line.row is None) == (line.reason is not None)


def test_deep_nesting_is_a_damaged_line(kit: memkit.Memkit, tmp_path: Path) -> None:
    """It neither exhausts the stack nor ends the import."""
    deep = '{"type": "user", "uuid": "d", "message": ' + "[" * 100_000 + "\n"
    done = kit.import_(written(tmp_path, "c.jsonl", sessions.claude().text + deep))
    assert done.added == 6


def test_names_that_pose_as_others_are_only_names(kit: memkit.Memkit, tmp_path: Path) -> None:
    """SQL, paths upwards, control characters and giants in ids and paths stay what they are."""
    talk = Claude("'; drop table sessions; --")
    talk.prompt("go", uuid="../../" + "u" * 5000)
    talk.call("\0\ud800", "Write", {"file_path": f"{CWD}/../../etc/passwd", "content": "x"})
    talk.result("\0\ud800", "ok")
    talk.call("k" * 5000, "T" * 5000, {"file_path": "a" * 5000, "n": 10**400})
    talk.result("k" * 5000, "ok")
    talk.call("long", "Read", {"file_path": "b" * 300})  # longer than a file system takes
    talk.result("long", "ok")
    talk.call("nan", "Edit", {"n": float("nan"), "deep": [float("inf")]})
    talk.result("nan", "ok")
    talk.call("word", "Bash", {"command": f"curl {'c' * 400}.png"})
    talk.result("word", "ok")
    done = kit.import_(written(tmp_path, "c.jsonl", talk.text))
    assert done.added == 6
    with sqlite3.connect(kit.path) as plain:
        paths = [
            row[0] for row in plain.execute("select file_path from file_interactions order by id")
        ]
        (names,) = plain.execute("select session_id from sessions").fetchall()
    plain.close()
    assert [path.rpartition("/")[2] for path in paths] == ["passwd", "b" * 300]
    assert paths[0].startswith("outside:")
    assert names == ("'; drop table sessions; --",)
    assert kit.import_(tmp_path / "c.jsonl").added == 0


def test_what_memkit_rendered_does_not_come_back(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A prompt that holds recalled text is stored without it."""
    talk = Claude()
    talk.prompt('<memkit-context id="1">\nrecalled-before\n</memkit-context>\nFix it')
    kit.import_(written(tmp_path, "c.jsonl", talk.text))
    (task,) = kit.episodes.tasks()
    assert task.description == "Fix it"


def test_numbers_that_json_has_no_word_for_are_recorded(kit: memkit.Memkit) -> None:
    """Of a live call too: an infinite number is kept as a word."""
    with kit.session("s") as session:
        done = session.tool("plot", {"x": float("nan"), "y": [float("inf"), 1.5]})
    assert done.id is not None
    (call,) = kit.episodes.tool_executions()
    assert call.parameters == {"x": "nan", "y": ["inf", 1.5]}
