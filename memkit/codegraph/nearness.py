"""What to say of a name that is not known, or that several things have: names near it, the reason.

A name that several symbols have means all of them, and says so: none is guessed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .. import validation
from ..errors import NotFound
from ..text.analyzer import nfc, nfkc, spellings
from . import reading
from .kinds import FileStatus, NodeKind
from .naming import AT_LINE, below_root, checked, code, exact, files, last_part
from .records import Node

if TYPE_CHECKING:
    from ..store.store import Store

# Near names that an answer or an error mentions.
NEAR = 5
# Names that are compared letter by letter at most.
_COMPARED = 4000
_CUTOFF = 0.6


def meant(store: Store, name: str) -> list[Node]:
    """Return what a name means; raises NotFound with near names."""
    if found := exact(store, name):
        return code(found)
    others = ", ".join(node.qualified for node in near(store, name))
    hint = f"near names: {others}" if others else "no name is near"
    if reason := _beyond(store, name) or _left_out(store, name.partition("::")[0]):
        hint = reason
    raise NotFound(f"symbol {validation.shown(name)}: not in the code graph; {hint}")


def no_file(store: Store, path: str) -> NotFound:
    """Return the error that a path is not in the graph, with files of nearly that name."""
    name = path.replace("\\", "/").rpartition("/")[2]
    forms = spellings(name)
    rows = [r for f in forms for r in store.all("codegraph.paths_ending", ending=f, limit=NEAR)]
    hint = ", ".join(row[1] for row in rows) or "none; 'memkit sql codegraph.files' lists all"
    return NotFound(f"file {validation.shown(path)}: not in the code graph; near: {hint}")


def near(store: Store, name: str, *, limit: int = NEAR) -> list[Node]:
    """Return symbols whose name has the word in it, or is spelt nearly so, best first."""
    word = nfc(last_part(checked(name)))
    names = [
        found
        for form in spellings(word)
        for (found,) in store.all("codegraph.names_like", word=form, limit=limit)
    ]
    if len(names) < limit:
        names += [found for found in _spelt_nearly(store, word, limit) if found not in names]
    # One of each name: the others are found by it.
    ids = [n for found in names for (n,) in store.all("codegraph.exactly", name=found)[:1]]
    return reading.nodes(store, ids[:limit])


def _spelt_nearly(store: Store, word: str, limit: int) -> list[str]:
    import difflib  # here: only a name that is not known needs it

    forms = spellings(word)
    letters = sorted({letter.lower() for form in forms for letter in form[:2]})
    rows = store.all(
        "codegraph.names_near",
        shortest=max(1, len(word) * 2 // 3),
        longest=len(forms[-1]) * 3 // 2 + 1,
        letters=json.dumps(letters),
        limit=_COMPARED,
    )
    alike = {nfkc(found).lower(): found for (found,) in rows}
    close = difflib.get_close_matches(nfkc(word).lower(), alike, limit, _CUTOFF)
    return [alike[found] for found in close]


def _beyond(store: Store, name: str) -> str:
    """Return how many lines a file has of which one was asked for that is not there."""
    at = AT_LINE.fullmatch(name.strip())
    found = files(store, at[1]) if at else []
    row = reading.file_row(store, found[0].path) if len(found) == 1 else None
    return f"{row.path} has {row.lines} lines" if row else ""


def _left_out(store: Store, path: str) -> str:
    """Return why a file is not parsed, "" if it is or is not known."""
    row = reading.file_row(store, below_root(store, path)) if "." in path else None
    if row is None or row.status == FileStatus.PARSED:
        return ""
    return f"{row.path} is not parsed: {row.reason or 'of no known language'}"


def ambiguity(name: str, found: list[Node]) -> tuple[str, ...]:
    """Return the note that a name means several things; none if it means one.

    Overloads, and definitions of which one holds at a time, have one name and are one thing.
    """
    names = list(dict.fromkeys(node.qualified for node in found))
    if len(names) < 2:
        return ()
    listed = ", ".join(names[:NEAR])
    more = f" and {len(names) - NEAR} more" if len(names) > NEAR else ""
    kinds = "files" if all(node.kind == NodeKind.FILE for node in found) else "symbols"
    return (f"{name!r} means {len(names)} {kinds}: {listed}{more}; all are taken",)
