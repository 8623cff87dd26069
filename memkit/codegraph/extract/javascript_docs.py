"""Types that comments say in JavaScript: `@param {T} x`, `@returns {T}`, `@type {T}`, `@typedef`.

A name counts if the file binds it, be it by `@typedef {import("./x").T} T` or `@import`: what a
comment names besides may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE, Term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

_PARAM = re.compile(r"@param\s+\{([^{}]{1,200})\}\s+\[?([\w$]+)(?![\w.$\[])")
_RETURNS = re.compile(r"@returns?\s+\{([^{}]{1,200})\}")
_TYPE = re.compile(r"@type\s+\{([^{}]{1,200})\}")
_TYPEDEF = re.compile(
    rb"""@typedef\s+\{\s*import\(\s*["']([^"'\n]+)["']\s*\)\.([\w$]+)\s*\}\s+([\w$]+)"""
)
_IMPORTED = re.compile(rb"""@import\s+\{([^{}\n]+)\}\s+from\s+["']([^"'\n]+)["']""")
_IMPORT = re.compile(r"""import\(\s*["']([^"']+)["']\s*\)(?:\.([\w$]+))?""")
_GENERIC = re.compile(r"([\w$.]+?)\.?<(.*)>", re.DOTALL)
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+)*")
# What is as good as its argument, and containers that every file sees.
_TRANSPARENT = frozenset({"Promise", "Readonly", "Partial", "Required", "NonNullable"})
_SEEN = frozenset({"Array", "Map", "Set", "WeakMap", "Iterable", "Iterator", "Record"})


def documented(walk: Walk, number: int, scope: int, doc: str) -> None:
    """Take note of a function whose comment says types; they are read when all names are known."""
    if walk.is_documented and ("@param" in doc or "@return" in doc):
        walk.said.append((number, scope, "", doc))


def documented_field(walk: Walk, name: str, inside: int, doc: str) -> None:
    """Take note of a field whose comment says its type."""
    if walk.is_documented and "@type" in doc:
        walk.said.append((-1, inside, name, doc))


def read_documents(walk: Walk, root: Node) -> None:
    """Read the types that comments say, after everything else."""
    if not walk.is_documented:
        return
    source = walk.builder.source
    if b"@typedef" in source or b"@import" in source:
        for local, module, name in _named(source):
            if not walk.declares(MODULE_SCOPE, local):
                _bring(walk, local, module, name, root)
    for number, scope, name, doc in walk.said:
        if number < 0:
            kind = _first(walk, _TYPE, scope, doc, root)
            if kind is not None:
                walk.add(scope, ("declare", ("name", name), kind))
            continue
        types = {name: _read(walk, text, scope, root) for text, name in _PARAM.findall(doc) if name}
        walk.builder.type_of(number, types, _first(walk, _RETURNS, scope, doc, root))


def _first(walk: Walk, pattern: re.Pattern[str], scope: int, doc: str, root: Node) -> Term:
    found = pattern.search(doc)
    return None if found is None else _read(walk, found[1], scope, root)


def _named(source: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield name here, module and name there of what comments import."""
    for module, name, local in _TYPEDEF.findall(source):
        yield local.decode(), module.decode("utf-8", "replace"), name.decode()
    for names, module in _IMPORTED.findall(source):
        for one in names.decode("utf-8", "replace").split(","):
            words = one.split()
            if words:
                yield words[-1], module.decode("utf-8", "replace"), words[0]


def _bring(walk: Walk, local: str, module: str, name: str | None, root: Node) -> None:
    walk.declare(MODULE_SCOPE, local)
    walk.add(MODULE_SCOPE, ("import", local, module, name, 0, walk.builder.site(root)))


def _read(walk: Walk, text: str, scope: int, root: Node) -> Term:
    """Return the term of a type in a comment, of what is known in it."""
    sides = (_side(walk, side, scope, root) for side in _parts(text, "|"))
    known = tuple(side for side in sides if side is not None)
    return known[0] if len(known) == 1 else ("either", known) if known else None


def _side(walk: Walk, text: str, scope: int, root: Node) -> Term:
    text = text.strip(" ?!=\t\n*")
    if text.endswith("[]"):
        return ("item", ("name", "Array"), _side(walk, text[:-2], scope, root))
    if found := _IMPORT.fullmatch(text):
        name = walk.temporary()
        _bring(walk, name, found[1], found[2], root)
        return ("name", name)
    if found := _GENERIC.fullmatch(text):
        arguments = tuple(_read(walk, one, scope, root) for one in _parts(found[2], ","))
        if found[1] in _TRANSPARENT:
            return arguments[0]
        base = ("name", found[1]) if found[1] in _SEEN else _name(walk, found[1], scope)
        key: Term = arguments[0] if len(arguments) == 1 else ("tuple", arguments)
        return None if base is None else ("item", base, key)
    return _name(walk, text, scope) if _DOTTED.fullmatch(text) else None


def _name(walk: Walk, text: str, scope: int) -> Term:
    first, *others = text.split(".")
    if walk.declaring(scope, first) < 0:
        return None
    found: Term = ("name", first)
    for name in others:
        found = ("attr", found, name)
    return found


def _parts(text: str, mark: str) -> list[str]:
    """Split a type at a mark, but for what stands in brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<([") - (letter in ">)]")
        if letter == mark and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
