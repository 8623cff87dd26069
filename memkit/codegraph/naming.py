"""What a person means by the name of a symbol or file: exact, qualified, or near.

A name that several symbols have means all of them, and says so: none is guessed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..errors import InvalidInput, NotFound
from . import reading
from .kinds import NodeKind
from .records import Node, dotted, file_node

if TYPE_CHECKING:
    from ..store.connection import Store

# Near names that an answer or an error mentions.
NEAR = 5
# Names that are compared letter by letter at most.
_COMPARED = 4000
_CUTOFF = 0.6
# Longer texts are no names.
_LONGEST = 1000


def exact(store: Store, name: str) -> list[Node]:
    """Return what a name means: `name`, `Class.method`, `pkg.mod.name`, `path::Class.method`, or a
    path; nothing if it is not known. Raises InvalidInput for what is no name."""
    asked = _checked(name)
    path, sign, inner = asked.partition("::")
    if sign:
        return _inside(store, path, inner)
    if found := files(store, asked):
        return found
    if "/" in asked and ":" in asked:  # path:Class.method
        return exact(store, asked.replace(":", "::", 1))
    return _ending(store, asked)


def files(store: Store, path: str) -> list[Node]:
    """Return the file of a path, or the files whose path ends with it."""
    wanted = path.removeprefix("./").replace("\\", "/")
    if row := store.one("codegraph.file", path=wanted):
        return [file_node(row[0], row[1], row[2], row[9])]
    if "/" not in wanted and "." not in wanted:
        return []
    rows = store.all("codegraph.paths_ending", ending=f"/{wanted}", limit=NEAR)
    return [file_node(*row) for row in rows]


def meant(store: Store, name: str) -> list[Node]:
    """Return what a name means; raises NotFound with near names."""
    if found := exact(store, name):
        return found
    others = ", ".join(node.qualified for node in near(store, name))
    hint = f"near names: {others}" if others else "no name is near; bring it up to date by 'index'"
    raise NotFound(f"symbol {name!r}: not in the code graph; {hint}")


def no_file(store: Store, path: str) -> NotFound:
    """Return the error that a path is not in the graph, with files of nearly that name."""
    name = path.replace("\\", "/").rpartition("/")[2]
    rows = store.all("codegraph.paths_ending", ending=name, limit=NEAR)
    hint = ", ".join(row[1] for row in rows) or "none; bring the graph up to date by 'index'"
    return NotFound(f"file {path!r}: not in the code graph; near: {hint}")


def near(store: Store, name: str, *, limit: int = NEAR) -> list[Node]:
    """Return symbols whose name has the word in it, or is spelt nearly so, best first."""
    word = _last(_checked(name))
    names = [found for (found,) in store.all("codegraph.names_like", word=word, limit=limit)]
    if len(names) < limit:
        names += [found for found in _spelt_nearly(store, word, limit) if found not in names]
    ids = [n for found in names for (n,) in store.all("codegraph.exactly", name=found)[:limit]]
    return reading.nodes(store, ids[:limit])


def _spelt_nearly(store: Store, word: str, limit: int) -> list[str]:
    import difflib  # here: only a name that is not known needs it

    letters = sorted({word[:1].lower(), word[1:2].lower()} - {""})
    rows = store.all(
        "codegraph.names_near",
        shortest=max(1, len(word) * 2 // 3),
        longest=len(word) * 3 // 2 + 1,
        letters=json.dumps(letters),
        limit=_COMPARED,
    )
    folded = {found.lower(): found for (found,) in rows}
    close = difflib.get_close_matches(word.lower(), folded, limit, _CUTOFF)
    return [folded[found] for found in close]


def _inside(store: Store, path: str, name: str) -> list[Node]:
    """Return the symbols of a dotted name in the files that a path means."""
    ids = [
        number
        for file in files(store, path)
        for (number,) in store.all("codegraph.exactly_in", file=file.id, name=_last(name))
    ]
    return [node for node in reading.nodes(store, ids) if _ends(node.qualname, name)]


def _ending(store: Store, name: str) -> list[Node]:
    """Return the symbols whose full name ends with a dotted name."""
    around, dot, last = name.rpartition(".")
    if not dot or not last:
        ids = store.all("codegraph.exactly", name=_last(name))
    else:
        ids = store.all("codegraph.exactly_under", name=last, around=_last(around))
    found = reading.nodes(store, [number for (number,) in ids])
    return [node for node in found if _fits(node, name)] if dot else found


def _fits(node: Node, name: str) -> bool:
    full = dotted(node.path, node.qualname)
    return node.qualname == name or _ends(full, name)


def _ends(name: str, wanted: str) -> bool:
    return name == wanted or name.endswith(f".{wanted}")


def _last(name: str) -> str:
    return name.rpartition(".")[2] or name


def _checked(name: str) -> str:
    asked = name.strip()
    if not asked or len(asked) > _LONGEST:
        raise InvalidInput(f"symbol {asked[:40]!r}: is no name; give one as it stands in the code")
    return asked


def ambiguity(name: str, found: list[Node]) -> tuple[str, ...]:
    """Return the note that a name means several things; none if it means one."""
    if len(found) < 2:
        return ()
    listed = ", ".join(node.qualified for node in found[:NEAR])
    more = f" and {len(found) - NEAR} more" if len(found) > NEAR else ""
    kinds = "files" if all(node.kind == NodeKind.FILE for node in found) else "symbols"
    return (f"{name!r} means {len(found)} {kinds}: {listed}{more}; all are taken",)
