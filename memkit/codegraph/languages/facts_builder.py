"""FactsBuilder: definitions, sites, digests, signatures."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING

from ..dialect import Dialect
from ..facts import Definition, Facts, Param, Scope, Statement, Term

if TYPE_CHECKING:
    from tree_sitter import Node


# --- What a text is known by: the same wherever it stands, and whatever it is called.

# Bytes that words are made of; all letters beyond ASCII count.
_IN_WORDS = b"_0123456789" + bytes(range(65, 91)) + bytes(range(97, 123)) + bytes(range(128, 256))


def digest(text: bytes, name: str) -> str:
    """Return 16 hex digits of a definition's text; where its name stands does not count."""
    return sha256(_without(text, name.encode()) if name else text).hexdigest()[:16]


def _without(text: bytes, name: bytes) -> bytes:
    """Return a text with a mark in the place of each word that is a name."""
    parts, begun = [], 0
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        begins = at == 0 or text[at - 1] not in _IN_WORDS
        if begins and (end == len(text) or text[end] not in _IN_WORDS):
            parts.append(text[begun:at])
            begun = end
        at = text.find(name, end)
    return b"\0".join([*parts, text[begun:]])


# --- How a definition is written, on one line that says its name.

# Letters of a line that is kept of a definition.
LONGEST = 200
# Kinds that are called; others say their names, or are no more than them.
_CALLED = ("function", "method", "class")
# A name that somebody wrote: no operator, nothing that has none.
_NAME = re.compile(r"[\w$#]\S*\Z")


def signature(
    source: bytes, start: int, header: int | None, end: int, *, name: str, kind: str
) -> str:
    """Return the text before the body of a definition: from `start` to `header`, or the end of the
    first line. A function that is a value, as in `name = (x) =>`, has its name in front."""
    if header is None:
        stop = source.find(b"\n", start, end)
        header = end if stop < 0 else stop
    # No character takes more than four bytes.
    read = source[start : min(header, start + 8 * LONGEST)].decode("utf-8", "replace")
    text = " ".join(read.split()).strip(" :{;")[:LONGEST]
    at, parameters = text.find(name), text.find("(")
    if 0 <= at < parameters or kind not in _CALLED or not _NAME.match(name):
        return text
    if at >= 0 and (parameters < 0 or name in _outside(text)):
        return text
    return f"{name} = {text}"[:LONGEST]


def before(body: Node) -> int:
    """Return where the text before a body ends: a comment between the two is part of neither."""
    first = body
    while (above := first.prev_sibling) is not None and above.type == "comment":
        first = above
    return int(first.start_byte)


def _outside(text: str) -> str:
    """Return a text without what stands in its parentheses."""
    depth, letters = 0, []
    for letter in text:
        depth += letter == "("
        letters.append(letter * (depth == 0))
        depth -= letter == ")" and depth > 0
    return "".join(letters)


# --- What every extractor needs: scopes, definitions, statements and places, collected into
# `Facts`.
#
# An extractor walks the tree once and tells the builder what it meets. Trees may be thousands of
# levels deep: where a walker that calls itself is `DEEPEST` levels down it hands the node to
# `later` and takes `None` for its value; what was put off is walked afterwards from the top, so
# that no call is lost and nothing overflows.

# Levels of nested nodes that a walker follows by calling itself.
DEEPEST = 80

# Makes a named tuple without going through its constructor: they are made by the ten thousand.
_tuple = tuple.__new__

_FIELDS = {name: place for place, name in enumerate(Definition._fields)}


class FactsBuilder:
    """Collects what one file says.

    Attributes:
        source, path: as given.
        statements: one list a scope; append to it directly where speed counts, or call `add`.
    """

    def __init__(self, source: bytes, path: str, dialect: Dialect) -> None:
        self.source = source
        self.path = path
        self.statements: list[list[Statement]] = []
        self._language = dialect.name
        self._scopes: list[Scope] = []
        self._definitions: list[list[object]] = []
        self._sites: list[int] = []
        self._names: dict[bytes, str] = {}
        self._bound: set[tuple[int, str]] = set()
        self._later: list[tuple[int, Node]] = []
        self._starts = line_starts(source)
        self._ascii = source.isascii()
        lines = source.split(b"\n")
        # A line without spaces at its end is the same object without them.
        self._clean = list(map(bytes.rstrip, lines)) == lines
        self.open("module", -1)

    def text(self, node: Node) -> str:
        """Return the text of a node."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def name(self, node: Node) -> str:
        """Return the text of a node that is a name; equal names are one object."""
        text = self.source[node.start_byte : node.end_byte]
        cached = self._names.get(text)
        if cached is None:
            cached = self._names[text] = sys.intern(text.decode("utf-8", "replace"))
        return cached

    def open(self, kind: str, parent: int, definition: int = -1) -> int:
        """Open a scope (module, class, function, block) and return its number."""
        self._scopes.append(_tuple(Scope, (kind, parent, definition)))
        self.statements.append([])
        return len(self._scopes) - 1

    def add(self, scope: int, statement: Statement) -> None:
        """Append a statement to those of a scope."""
        self.statements[scope].append(statement)

    def site(self, node: Node) -> int:
        """Note where a node stands and return the number of that place."""
        return self.site_at(node.start_byte)

    def site_at(self, byte: int) -> int:
        """Note a place and return its number; lines are looked up for all of them at the end."""
        self._sites.append(byte)
        return len(self._sites) - 1

    def place(self, byte: int) -> tuple[int, int]:
        """Return line and column of a byte, both from 1, the column in characters."""
        row = bisect_right(self._starts, byte)
        start = self._starts[row - 1]
        if self._ascii:
            return row, byte - start + 1
        return row, len(self.source[start:byte].decode("utf-8", "replace")) + 1

    def define(
        self,
        kind: str,
        name: str,
        node: Node,
        *,
        scope: int,
        body: str = "",
        named: Node | None = None,
        header: int | None = None,
        qualname: str | None = None,
        flags: Sequence[str] = (),
        params: Sequence[Param] = (),
        returns: Term = None,
        bases: Sequence[Term] = (),
        decorators: Sequence[Term] = (),
        owner: Term = None,
        doc: str = "",
    ) -> int:
        """Add a definition and return its number; nothing is bound: add ("define", n) where it is.

        Args:
            kind, name, flags, params, returns, bases, decorators, owner: as in `Definition`;
                what must be read inside the new definition is filled in afterwards, by `fill`.
            node: the whole of it, with decorators or modifiers.
            scope: number of the scope in which the name is bound.
            body: kind of the scope to open for its body ("function", "class"); "" opens none.
            named: node whose place is said to be that of the definition; `node` if not given.
            header: byte at which the body begins: the signature is the text before it, from
                `named` or `node` on. None: the first line. What is bound to a name elsewhere
                (`name = (x) =>`) gets that in front.
            qualname: dotted name inside the file; by default `name` behind that of the definition
                around it.
            doc: text of a docstring or comment; its first line is kept.
        """
        number = len(self._definitions)
        start, end = node.start_byte, node.end_byte
        first = start if named is None else named.start_byte
        line, column = self.place(first)
        self._definitions.append([
            kind,
            name,
            qualname if qualname is not None else self.qualified(scope, name),
            scope,
            self.open(body, scope, number) if body else -1,
            tuple(params),
            returns,
            tuple(bases),
            tuple(decorators),
            owner,
            tuple(flags),
            start,
            end,
            line,
            column,
            bisect_right(self._starts, max(start, end - 1)),
            signature(self.source, first, header, end, name=name, kind=kind),
            first_line(doc) if doc else "",
            self._digest(start, end, "" if kind == "variable" else name),
        ])  # fmt: skip
        return number

    def first(self, scope: int, name: str) -> bool:
        """Return whether a name is asked for in a scope for the first time."""
        if (scope, name) in self._bound:
            return False
        self._bound.add((scope, name))
        return True

    def fill(self, number: int, **fields: object) -> None:
        """Set fields of a definition that were not known when it was added."""
        definition = self._definitions[number]
        for name, value in fields.items():
            definition[_FIELDS[name]] = value

    def type_of(self, number: int, types: Mapping[str, Term], returns: Term) -> None:
        """Say types of parameters by name, and of what is given back, where nothing says them."""
        definition = self._definitions[number]
        params, place = definition[_FIELDS["params"]], _FIELDS["returns"]
        assert isinstance(params, tuple)
        definition[_FIELDS["params"]] = tuple(
            param
            if param.type is not None or param.sort
            else param._replace(type=types.get(param.name))
            for param in params
        )
        definition[place] = returns if definition[place] is None else definition[place]

    def body(self, number: int) -> int:
        """Return the number of the scope of a definition's body, -1 if it has none."""
        scope = self._definitions[number][_FIELDS["body"]]
        assert isinstance(scope, int)
        return scope

    def parameters(self, number: int) -> tuple[str, ...]:
        """Return the names of a definition's parameters, in order."""
        params = self._definitions[number][_FIELDS["params"]]
        assert isinstance(params, tuple)
        return tuple(param[0] for param in params)

    def bases(self, number: int) -> tuple[Term, ...]:
        """Return the bases of a class."""
        base_terms = self._definitions[number][_FIELDS["bases"]]
        assert isinstance(base_terms, tuple)
        return base_terms

    def untyped(self, number: int) -> tuple[bool, ...]:
        """Return for each of a definition's parameters whether it has no type."""
        params = self._definitions[number][_FIELDS["params"]]
        assert isinstance(params, tuple)
        return tuple(param[1] is None for param in params)

    def qualified(self, scope: int, name: str) -> str:
        """Return the dotted name of something in a scope, behind that of what is around it."""
        around = self.around(scope)
        return f"{self._definitions[around][_FIELDS['qualname']]}.{name}" if around >= 0 else name

    def around(self, scope: int) -> int:
        """Return the number of the nearest definition whose body holds a scope, -1 for the file."""
        while scope >= 0:
            _, parent, definition = self._scopes[scope]
            if definition >= 0:
                return definition
            scope = parent
        return -1

    def scope(self, number: int) -> Scope:
        """Return a scope."""
        return self._scopes[number]

    def later(self, scope: int, node: Node) -> None:
        """Put off a node that lies too deep; `put_off` gives it back."""
        self._later.append((scope, node))

    def put_off(self) -> Iterator[tuple[int, Node]]:
        """Yield scope and node of what was put off, also of what is put off meanwhile.

        Each is to be walked as a statement, or its value be said by ("do", term), from level 0.
        """
        while self._later:
            yield self._later.pop()

    def finish(self, *, errors: int = 0, namespace: str = "", doc: str = "") -> Facts:
        """Return everything that was added. `errors`: syntax errors met; `doc`: of the file."""
        return Facts(
            path=self.path,
            language=self._language,
            namespace=namespace,
            definitions=tuple([_tuple(Definition, fields) for fields in self._definitions]),
            scopes=tuple(self._scopes),
            sites=tuple([bisect_right(self._starts, byte) for byte in self._sites]),
            statements=tuple(tuple(statements) for statements in self.statements),
            errors=errors,
            doc=first_line(doc),
            lines=len(self._starts) - self.source.endswith(b"\n") if self.source else 0,
        )

    def _digest(self, start: int, end: int, name: str) -> str:
        """Return the digest of a text, the same wherever it stands and whatever it is called."""
        source = self.source
        text = source[start:end]
        if not self._clean:
            text = b"\n".join(line.rstrip() for line in text.split(b"\n"))
        row = self._starts[bisect_right(self._starts, start) - 1]
        indent = source[row:start]
        if indent and indent.isspace():
            text = text.replace(b"\n" + indent, b"\n")
        return digest(text, name)


def line_starts(source: bytes) -> list[int]:
    """Return the byte at which each line begins."""
    starts = list(accumulate(map(len, BytesIO(source)), initial=0))
    if len(starts) > 1 and not source.endswith(b"\n"):
        starts.pop()
    return starts


def first_line(text: str) -> str:
    """Return the first line of a text that says something, at most 200 characters."""
    for line in text.splitlines():
        if line := line.strip():
            return line[:LONGEST]
    return ""


def count_errors(root: Node) -> int:
    """Return how many nodes the grammar could not make sense of; sound parts are not walked."""
    if not root.has_error:
        return 0
    errors, left = 0, [root]
    while left:
        node = left.pop()
        if node.is_error or node.is_missing:
            errors += 1
        left.extend(child for child in node.children if child.has_error)
    return errors
