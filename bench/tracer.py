"""A pytest plugin that writes down which functions of a package call which others.

Loaded by `bench.traced` into the interpreter that runs the package's own tests; standard library
only. Calls through the machinery of C (sorted's key, map) are left out, as are those that no call
expression makes (properties, operators, loops).
"""

from __future__ import annotations

import dis
import json
import os
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

_CALLS = {dis.opmap[name] for name in ("CALL", "CALL_FUNCTION_EX") if name in dis.opmap}
_INNER = {"<listcomp>", "<dictcomp>", "<setcomp>"}
_ROOT = os.environ.get("MEMKIT_TRACED_ROOT", "")

edges: set[tuple[Any, ...]] = set()
through: set[tuple[Any, ...]] = set()
lines: set[tuple[str, int]] = set()
_in_c: dict[int, int] = {}


def pytest_configure(config: object) -> None:
    """Begin before the package is imported by its tests."""
    threading.setprofile(_seen)
    sys.setprofile(_seen)


def pytest_unconfigure(config: object) -> None:
    """Write what was seen."""
    sys.setprofile(None)
    found = {"edges": sorted(edges), "through": sorted(through), "lines": sorted(lines)}
    Path(os.environ["MEMKIT_TRACED_OUT"]).write_text(json.dumps(found), encoding="utf-8")


def _seen(frame: FrameType, event: str, _: object) -> None:
    if event == "call":
        caller = frame.f_back
        if caller is not None and caller.f_code.co_filename.startswith(_ROOT):
            _called(caller, frame)
    elif event == "c_call":
        if frame.f_code.co_filename.startswith(_ROOT):
            lines.add((frame.f_code.co_filename, frame.f_lineno))
            _in_c[id(frame)] = _in_c.get(id(frame), 0) + 1
    elif id(frame) in _in_c:
        if event in ("c_return", "c_exception"):
            _in_c[id(frame)] -= 1
        if event == "return" or not _in_c[id(frame)]:
            del _in_c[id(frame)]


def _called(caller: FrameType, frame: FrameType) -> None:
    code = caller.f_code
    if _in_c.get(id(caller)) or not _is_at_call(caller):
        return
    lines.add((code.co_filename, caller.f_lineno))
    if not frame.f_code.co_filename.startswith(_ROOT) or frame.f_code.co_name.startswith("<gen"):
        return
    outer = _outer(caller)
    if outer is not None:
        edges.add((*_named(outer), *_named(frame)))
        before = _outer(outer.f_back) if "." in outer.f_code.co_qualname else None
        if before is not None and before.f_code.co_filename.startswith(_ROOT):
            through.add((*_named(before), *_named(outer), *_named(frame)))


def _outer(frame: FrameType | None) -> FrameType | None:
    """Return a frame, or that of the function around a comprehension."""
    while frame is not None and frame.f_code.co_name in _INNER:
        frame = frame.f_back
    return frame


def _is_at_call(frame: FrameType) -> bool:
    """Return whether a call expression is what a frame is at; caches stand behind its code."""
    code, place = frame.f_code.co_code, frame.f_lasti
    while place > 0 and code[place] == 0:
        place -= 2
    return code[place] in _CALLS


def _named(frame: FrameType) -> tuple[str, str, int]:
    code = frame.f_code
    name = code.co_name
    if name == "<genexpr>":
        # What is around it is not on the stack: its dotted name tells.
        name = code.co_qualname.removesuffix(".<genexpr>").replace(".<locals>", "")
    return (code.co_filename, name, code.co_firstlineno)
