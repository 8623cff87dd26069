"""FactsBuilder: collected definitions, scopes, statements, sites; digests and signatures."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypedDict

from ..dialect import Dialect
from ..facts import MODULE_SCOPE, Definition, Facts, Param, Scope, Statement, Term

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Digest of a definition's text, the same wherever it stands and whatever it is called.

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


# --- Signature of a definition: one line that says its name.

# Letters of a signature or a documentation line.
MAX_LINE = 200
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
    read = source[start : min(header, start + 8 * MAX_LINE)].decode("utf-8", "replace")
    text = " ".join(read.split()).strip(" :{;")[:MAX_LINE]
    at, parameters = text.find(name), text.find("(")
    if 0 <= at < parameters or kind not in _CALLED or not _NAME.match(name):
        return text
    if at >= 0 and (parameters < 0 or name in _outside(text)):
        return text
    return f"{name} = {text}"[:MAX_LINE]


def header_end(body: Node) -> int:
    """Return where the text before a body ends: a comment between the two is part of neither."""
    first = body
    while (previous := first.prev_sibling) is not None and previous.type == "comment":
        first = previous
    return int(first.start_byte)


def _outside(text: str) -> str:
    """Return a text without what stands in its parentheses."""
    depth, letters = 0, []
    for letter in text:
        depth += letter == "("
        letters.append(letter * (depth == 0))
        depth -= letter == ")" and depth > 0
    return "".join(letters)


# --- The builder.

# Makes a named tuple without going through its constructor: they are made by the ten thousand.
_tuple = tuple.__new__

_FIELDS = {name: position for position, name in enumerate(Definition._fields)}


class DefinitionOptions(TypedDict, total=False):
    """What may be said of a new definition besides its kind, name, node and scope.

    Attributes:
        flags, params, returns, bases, decorators, owner: as in `Definition`; what must be read
            inside of the new definition is filled in afterwards, by `fill`.
        body: kind of the scope to open for its body ("function", "class"); "" opens none.
        named: node whose position is that of the definition; by default the whole node.
        header: byte at which the body begins: the signature is the text before it, from `named` or
            the node on. None: the first line. What is bound to a name elsewhere (`name = (x) =>`)
            gets that in front.
        qualname: dotted name inside the file; by default `name` behind that of the enclosing
            definition.
        doc: text of a docstring or comment; its first line is kept.
    """

    flags: Sequence[str]
    params: Sequence[Param]
    returns: Term
    bases: Sequence[Term]
    decorators: Sequence[Term]
    owner: Term
    body: str
    named: Node | None
    header: int | None
    qualname: str | None
    doc: str


class FactsBuilder:
    """Collects the facts of one file.

    Attributes:
        scopes: the scopes opened so far, by number.
        statements: one list a scope; append to it directly.
    """

    def __init__(self, source: bytes, path: str, dialect: Dialect) -> None:
        self.source = source
        self.path = path
        self.scopes: list[Scope] = []
        self.statements: list[list[Statement]] = []
        self._language = dialect.name
        self._definitions: list[list[Any]] = []
        self._sites: list[int] = []
        self._names: dict[bytes, str] = {}
        self._bound: set[tuple[int, str]] = set()
        self._starts = line_starts(source)
        self._ascii = source.isascii()
        lines = source.split(b"\n")
        # A line without spaces at its end is the same object without them.
        self._clean = list(map(bytes.rstrip, lines)) == lines
        self.open_scope("module", -1)

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

    def open_scope(self, kind: str, parent: int, definition: int = -1) -> int:
        """Open a scope (module, class, function, block) and return its number."""
        self.scopes.append(_tuple(Scope, (kind, parent, definition)))
        self.statements.append([])
        return len(self.scopes) - 1

    def site(self, node: Node) -> int:
        """Note where a node stands and return the number of that site."""
        return self.site_at(node.start_byte)

    def site_at(self, byte: int) -> int:
        """Note a byte and return the number of that site; all lines are looked up at the end."""
        self._sites.append(byte)
        return len(self._sites) - 1

    def position(self, byte: int) -> tuple[int, int]:
        """Return line and column of a byte, both from 1, the column in characters."""
        row = bisect_right(self._starts, byte)
        start = self._starts[row - 1]
        if self._ascii:
            return row, byte - start + 1
        return row, len(self.source[start:byte].decode("utf-8", "replace")) + 1

    def define(
        self, kind: str, name: str, node: Node, *, scope: int, body: str = "",
        named: Node | None = None, header: int | None = None, qualname: str | None = None,
        flags: Sequence[str] = (), params: Sequence[Param] = (), returns: Term = None,
        bases: Sequence[Term] = (), decorators: Sequence[Term] = (), owner: Term = None,
        doc: str = "",
    ) -> int:  # fmt: skip
        """Add a definition of a scope, as `DefinitionOptions` say, and return its index.

        Nothing is bound: add ("define", index) where it is.
        """
        index = len(self._definitions)
        start, end = node.start_byte, node.end_byte
        first = start if named is None else named.start_byte
        line, column = self.position(first)
        qualname = self.qualified(scope, name) if qualname is None else qualname
        body_scope = self.open_scope(body, scope, index) if body else -1
        end_line = bisect_right(self._starts, max(start, end - 1))
        written = signature(self.source, first, header, end, name=name, kind=kind)
        digest = self._digest(start, end, "" if kind == "variable" else name)
        self._definitions.append([
            kind, name, qualname, scope, body_scope, tuple(params), returns, tuple(bases),
            tuple(decorators), owner, tuple(flags), start, end, line, column, end_line, written,
            first_line(doc) if doc else "", digest,
        ])  # fmt: skip
        return index

    def is_first(self, scope: int, name: str) -> bool:
        """Return whether a name is asked for in a scope for the first time."""
        if (scope, name) in self._bound:
            return False
        self._bound.add((scope, name))
        return True

    def fill(self, index: int, **fields: object) -> None:
        """Set fields of a definition that were not known when it was added."""
        definition = self._definitions[index]
        for name, value in fields.items():
            definition[_FIELDS[name]] = value

    def fill_types(self, index: int, types: Mapping[str, Term], returns: Term) -> None:
        """Set types of parameters by name, and of the result, where there are none yet."""
        definition = self._definitions[index]
        definition[_FIELDS["params"]] = tuple(
            param if param.type is not None or param.sort
            else param._replace(type=types.get(param.name))
            for param in definition[_FIELDS["params"]]
        )  # fmt: skip
        if definition[_FIELDS["returns"]] is None:
            definition[_FIELDS["returns"]] = returns

    def body(self, index: int) -> int:
        """Return the number of the scope of a definition's body, -1 if it has none."""
        scope: int = self._definitions[index][_FIELDS["body"]]
        return scope

    def params(self, index: int) -> tuple[Param, ...]:
        """Return a definition's parameters, in order."""
        params: tuple[Param, ...] = self._definitions[index][_FIELDS["params"]]
        return params

    def parameters(self, index: int) -> tuple[str, ...]:
        """Return the names of a definition's parameters, in order."""
        return tuple([param[0] for param in self.params(index)])

    def bases(self, index: int) -> tuple[Term, ...]:
        """Return the bases of a class."""
        terms: tuple[Term, ...] = self._definitions[index][_FIELDS["bases"]]
        return terms

    def qualified(self, scope: int, name: str) -> str:
        """Return the dotted name of something in a scope, behind that of the enclosing one."""
        outer = self.enclosing(scope)
        return f"{self._definitions[outer][_FIELDS['qualname']]}.{name}" if outer >= 0 else name

    def enclosing(self, scope: int) -> int:
        """Return the index of the nearest definition whose body holds a scope, -1 for the file."""
        while scope >= 0:
            _, parent, definition = self.scopes[scope]
            if definition >= 0:
                return definition
            scope = parent
        return -1

    def scopes_at(self, places: Iterable[int]) -> Iterator[int]:
        """Yield for each of some bytes, in order, the scope of the innermost body of a definition
        whose text holds it."""
        start, end, body = _FIELDS["start"], _FIELDS["end"], _FIELDS["body"]
        later = sorted(
            (definition[start], -definition[end], definition[body])
            for definition in self._definitions
            if definition[body] >= 0
        )[::-1]
        around = [(0, -len(self.source) - 1, MODULE_SCOPE)]
        for place in places:
            while later and later[-1][0] <= place:
                around.append(later.pop())
            while -around[-1][1] <= place:
                around.pop()
            yield around[-1][2]

    def finish(self, *, errors: int = 0, namespace: str = "", doc: str = "") -> Facts:
        """Return everything that was added. `errors`: syntax errors met; `doc`: of the file."""
        return Facts(
            path=self.path,
            language=self._language,
            namespace=namespace,
            definitions=tuple([_tuple(Definition, fields) for fields in self._definitions]),
            scopes=tuple(self.scopes),
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
            return line[:MAX_LINE]
    return ""


def count_errors(root: Node) -> int:
    """Return how many nodes the grammar could not make sense of; sound parts are not walked."""
    if not root.has_error:
        return 0
    errors, pending = 0, [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            errors += 1
        pending.extend(child for child in node.children if child.has_error)
    return errors
