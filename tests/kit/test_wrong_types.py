"""Whatever is handed to a public method, of whatever sort: an answer or one of memkit's errors.

The calls are made from the signatures, so a new method or option is tried without being listed.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

import memkit
from memkit.errors import MemkitError

Call = tuple[str, Callable[[], None]]

# A message is one line that can be read.
_LONGEST_MESSAGE = 2100
# What a memory is made of, and most of what it is found by.
FIELDS = tuple(field.name for field in attrs.fields(memkit.Draft) if field.name != "text")
# What may stand where something else belongs.
WRONG: dict[str, Any] = {
    "a number": 5,
    "a negative number": -1,
    "a huge number": 10**30,
    "a fraction": 1.5,
    "no number": float("nan"),
    "nothing": None,
    "truth": True,
    "bytes": b"x",
    "a list": ["x"],
    "an empty list": [],
    "a list of numbers": [5],
    "a mapping": {"x": 5},
    "an object": object(),
    "an empty text": "",
    "a lone surrogate": "\ud800",
    "NUL": "a\0b",
    "a long text": "x" * 100_000,
}
# Arguments that mean something, by their names; `right` adds those that depend on the store.
RIGHT: dict[str, Any] = {
    "name": "run",
    "path": "a.py",
    "text": "run",
    "session": "s",
    "tool": "Read",
    "parameters": {"file_path": "a.py"},
    "event": {"event": "tool", "tool": "Read"},
    "events": [{"event": "tool", "tool": "Read"}],
    "signal": "a.py",
    "output": "a.py:1: run",
    "question": "run",
    "statements": ["one more"],
    "resolution": "both_valid",
    "kind": "relates_to",
    "when": "2026-01-01",
    "pattern_id": 1,
    "item": 1,
    "active": False,
    "input": {"command": "ls"},
    "task": "t",
    "handle": 123456789012,
    "messages": [{"role": "user", "content": "go on"}],
    "context": memkit.SessionContext("s"),
    "version": 1,
    "collection": "claude/a",
    "entries": [{"type": "user"}],
    "namespace": ("notes",),
    "key": "tea",
    "value": {"text": "green"},
    "decision": "Uploads wait.",
    "convention": "Names are short.",
    "failure": "doubled uploads",
    "lesson": "Never retry.",
    "preference": "Be brief.",
    "category": "style",
    "pattern": "retry with a key",
    "domain": "http",
    "scope": "s",
    "stage": "plan",
    "data": "{}",
    "names": {"tea": "coffee"},
    "work": lambda: None,
    "change": list,
    "keys": ["tea"],
    "summary": {"text": "s"},
    "update": {},
    "to": "global",
    "tool_input": {},
}
PARTS: dict[str, Callable[[memkit.Memkit], Any]] = {
    "kit": lambda kit: kit,
    "memories": lambda kit: kit.memories,
    "codegraph": lambda kit: kit.codegraph,
    "episodes": lambda kit: kit.episodes,
    "context": lambda kit: kit.context,
    "sessions": lambda kit: kit.context.sessions,
    "documents": lambda kit: kit.context.documents,
    "transcripts": lambda kit: kit.context.transcripts,
    "project": lambda kit: kit.context.project(),
    "global": lambda kit: kit.context.global_scope(),
    "task": lambda kit: kit.context.task("t"),
    "review": lambda kit: kit.review,
    "consolidation": lambda kit: kit.consolidation,
}
# They end the object that the others are tried on.
_ENDING = {"close"}
_NAMED, _MORE = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL


def right(kit: memkit.Memkit, folder: Path) -> dict[str, Any]:
    """Return arguments that mean something in a store with two memories and one file of code."""
    (folder / "a.py").write_text("def run(): ...\nclass A: ...\n", "utf-8")
    kit.codegraph.index()
    first, second = kit.memories.remember("it runs"), kit.memories.remember("it stands still")
    ones = dict.fromkeys(("reference", "one", "src", "old", "a"), first.id)
    others = dict.fromkeys(("other", "dst", "new", "b"), second.id)
    kit.export(folder / "out.jsonl")
    files = {"target": folder / "more.jsonl", "source": folder / "out.jsonl"}
    return RIGHT | ones | others | files | {"references": [first.id]}


def methods(part: Any) -> Iterator[Callable[..., Any]]:
    """Yield the public methods of an object."""
    for name in dir(part):
        if not name.startswith("_") and name not in _ENDING:
            found = getattr(part, name)
            if inspect.ismethod(found):
                yield found


def calls(method: Callable[..., Any], given: Mapping[str, Any], wrong: Any) -> Iterator[Call]:
    """Yield calls of a method in which one argument is of another sort, with the name of that."""
    parameters = inspect.signature(method).parameters.values()
    named = [one for one in parameters if one.kind not in (_NAMED, _MORE)]
    needed = {one.name: given[one.name] for one in named if one.default is one.empty}
    for one in named:
        yield one.name, partial(_call, method, needed | {one.name: wrong}, ())
    for one in parameters:
        if one.kind is _MORE:
            yield one.name, partial(_call, method, needed, (wrong,))
        if one.kind is _NAMED and one.name in ("fields", "filters", "equal"):
            for name in FIELDS:
                yield name, partial(_call, method, needed | {name: wrong}, ())


def _call(method: Callable[..., Any], given: Mapping[str, Any], more: tuple[Any, ...]) -> None:
    """Call a method, and enter what it gives."""
    named = dict(given)
    parameters = inspect.signature(method).parameters.values()
    places = [one.name for one in parameters if one.kind is one.POSITIONAL_ONLY or more]
    found = method(*(named.pop(name) for name in places if name in named), *more, **named)
    if hasattr(found, "__enter__"):
        with found:
            pass


@pytest.mark.parametrize("wrong", WRONG)
def test_arguments_of_any_type_give_an_answer_or_a_memkit_error(
    kit: memkit.Memkit, tmp_path: Path, wrong: str
) -> None:
    """A method answers, or says by an error of memkit what it was given and what it expects."""
    given = right(kit, tmp_path)
    raw = []
    for method in itertools.chain.from_iterable(methods(part(kit)) for part in PARTS.values()):
        for name, call in calls(method, given, WRONG[wrong]):
            try:
                call()
            except MemkitError as error:
                assert "\n" not in str(error)
                assert len(str(error)) < _LONGEST_MESSAGE
            except Exception as error:  # noqa: BLE001 - that there is none is what is tested
                raw.append(f"{method.__name__}({name}): {type(error).__name__}: {error}"[:200])
    assert not raw, "\n".join(raw)
