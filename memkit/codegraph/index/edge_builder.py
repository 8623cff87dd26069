"""Edges of the resolver as rows: ids of nodes, lines, hashes of dependency keys."""

from __future__ import annotations

import json
import pickle
import re
import zlib
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..analysis import SymbolDraft
from ..facts import Definition, Facts, Named, around
from ..facts_codec import pack, unpack
from ..languages import dialect
from ..languages.facts_builder import line_starts
from ..records import FileStatus, RelationState
from .workspace import FileRow, indexed_text

if TYPE_CHECKING:
    from ...store.store import Store


# --- Lines of edges that have only a word: the text tells where the word stands.
#
# To note a place for every name that is read would cost more than all else that is noted; few of
# them lead anywhere.

# Bytes that go on with a name: those of other alphabets are above ASCII.
_LETTERS = frozenset(
    bytes((n,)) for n in range(256) if n >= 128 or chr(n).isalnum() or chr(n) == "_"
)
_QUOTES = (b'"""', b"'''")
_QUOTE_MARKS = (b'"', b"'", b"`")
_NAME_AND_SPACES = re.compile(rb"[\w$\x80-\xff]+[ \t]*")
# What may stand between a member and what it is of, and bytes before it that are looked at.
_JOINTS = b".:>-?! \t\r\n"
_BEFORE = 100
# What stands before a member, with spaces in between or without.
_MEMBER_SIGNS = (b".", b"->", b"::")
_NEAR_MEMBER_SIGNS = (b":", b"@", b"?")
_COMMENT = re.compile(rb"^[ \t]*/\*.*?\*/", re.DOTALL | re.MULTILINE)


def edge_lines(edges: Sequence[Any], facts: Facts, data: bytes) -> list[tuple[int, ...]]:
    """Return the lines of each edge of a file, in order: of one that is known by words where these
    stand in the definition that it comes from; none of a type that is not written there."""
    text = _Text(facts, data)
    imports = frozenset(edge.line for edge in edges if edge.kind == "imports")
    called = {
        (edge.source, edge.path, edge.target): frozenset((edge.line, *edge.lines))
        for edge in edges
        if edge.kind == "calls" and not edge.words
    }
    lines = []
    for edge in edges:
        known = set(edge.lines or (edge.line,)) - {0}
        for word in edge.words:
            known.update(text.lines(edge.source, word, imports, is_type=edge.kind == "uses"))
        if not known and edge.kind != "uses":
            known = {facts.definitions[edge.source].line if edge.source >= 0 else 1}
        is_own = edge.path == facts.path and edge.target >= 0
        is_itself = is_own and edge.source == edge.target
        if edge.words and edge.kind != "calls" and (len(known) > 1 or is_itself):
            # A name is not read where it is called, nor where it is defined.
            other = called.get((edge.source, edge.path, edge.target), frozenset())
            if is_own:
                other |= text.definition_lines(edge.target)
            known = known - other or (set() if is_itself else {min(known)})
        lines.append(tuple(sorted(known)))
    return lines


class _Text:
    """The text of a file and what is defined where in it."""

    def __init__(self, facts: Facts, data: bytes) -> None:
        self._facts = facts
        self._data = data
        self._lines = line_starts(data)
        language = dialect(facts.language)
        self._silent = _silent(language.line_comment, language.quoted_character)
        # A type is no key, but in Go what a mapping is made of is read: `{Key: value}`.
        self._letters = _LETTERS | {bytes((sign,)) for sign in language.name_signs.encode()}
        is_member, names_fields = language.subscript_is_member, language.literals_name_fields
        self._has_keys = (is_member, is_member or names_fields)
        self._known: dict[tuple[int, str, bool], tuple[int, ...]] = {}
        self._comments: list[tuple[int, int]] | None = [] if b"/*" not in data else None
        # Decorators stand before the line of a definition, and belong to what is around it.
        self._bodies = sorted(
            (self._begin(definition), definition.end, definition_index)
            for definition_index, definition in enumerate(facts.definitions)
            if definition.body >= 0
        )
        # The body around each of them, by its place among them.
        self._outer: list[int] = []
        for place, (begin, _, _) in enumerate(self._bodies):
            self._outer.append(self._around(place - 1, begin))

    def lines(
        self, source: int, word: str, imports: Collection[int], *, is_type: bool
    ) -> tuple[int, ...]:
        """Return the lines where a word stands in a definition (-1: the file) and in none of those
        inside of it, else the first one of all; none where it is not written at all."""
        known = self._known.get((source, word, is_type))
        if known is None:
            known = self._find(source, word, imports, is_type=is_type)
            self._known[source, word, is_type] = known
        return known

    def definition_lines(self, number: int) -> frozenset[int]:
        """Return the line of a definition; of a macro those of all its forms."""
        definition = self._facts.definitions[number]
        if "macro" not in definition.flags:
            return frozenset({definition.line})
        return frozenset(self._lines_of_name[definition.name])

    @cached_property
    def _lines_of_name(self) -> Mapping[str, set[int]]:
        lines: defaultdict[str, set[int]] = defaultdict(set)
        for definition in self._facts.definitions:
            lines[definition.name].add(definition.line)
        return lines

    def _find(
        self, source: int, word: str, imports: Collection[int], *, is_type: bool
    ) -> tuple[int, ...]:
        if word[:1] == "<":  # no name of the text's own: what is taken in without one
            word, imports = word.strip("<>"), ()
        base, dot, name = word.rpartition(".")
        begin, end = 0, len(self._data)
        if source >= 0:
            definition = self._facts.definitions[source]
            begin, end = self._begin(definition), definition.end
        doc = self._doc(source)
        places = [
            (byte, bisect_right(self._lines, byte))
            for byte in self._places(name.encode(), begin, end)
        ]
        places = [
            (byte, line)
            for byte, line in places
            if byte not in doc and (source >= 0 or line not in imports)
        ]
        if len(places) < 2:
            return (places[0][1],) if places else ()
        # The surest first: behind the same name, as a member or none, anywhere.
        sites: tuple[list[int], list[int], list[int], list[int]] = ([], [], [], [])
        for byte, line in places:
            is_own = self._enclosing(byte) == source
            if not is_own or not self._is_code(byte, line):
                sites[2 if is_own else 3].append(line)
            else:
                has_keys = self._has_keys[is_type]
                place = self._unlike(byte, base.encode(), is_member=bool(dot), has_keys=has_keys)
                sites[place].append(line)
        if lines := sites[0] or sites[1]:
            return tuple(dict.fromkeys(lines))
        return ((sites[2] or sites[3])[0],)

    def _unlike(self, byte: int, base: bytes, *, is_member: bool, has_keys: bool) -> int:
        """Return 0 where a word stands as it was read, else 1: as a member or not, and behind which
        name."""
        before = self._data[max(byte - _BEFORE, 0) : byte]
        if not is_member:
            if has_keys and self._is_key(byte, before):
                return 1
            before = before.rstrip(b" ")
            return int(before.endswith((b".", b"::")) and before[-2:] != b"..")
        if not base:  # of the object itself, or of what has no name
            return int(not _is_member(before))
        before = before.rstrip(_JOINTS)
        is_behind = (
            before.endswith(base) and before[-len(base) - 1 : -len(base)] not in self._letters
        )
        return int(not is_behind)

    def _is_key(self, byte: int, before: bytes) -> bool:
        """Return whether a word is the key of a value in a literal: `{ word: value }`."""
        if before.rstrip()[-1:] not in (b"{", b","):
            return False
        match = _NAME_AND_SPACES.match(self._data, byte)
        after = self._data[match.end() : match.end() + 2] if match is not None else b""
        return after[:1] == b":" and after != b"::"

    def _is_code(self, byte: int, line: int) -> bool:
        """Return whether a place is code, as far as its line tells: neither in a comment nor
        between quotes, unless in braces there."""
        begin = self._lines[line - 1]
        end = self._lines[line] if line < len(self._lines) else len(self._data)
        for match in self._silent.finditer(self._data, begin, end):
            if match.start() > byte:
                break
            if byte < match.end():
                inside = self._data[match.start() : byte]
                return inside[:1] in _QUOTE_MARKS and inside.rfind(b"{") > inside.rfind(b"}")
        # `* text` goes on with a comment, `*place = value` does not.
        is_text = self._data[begin:byte].lstrip()[:2] in (b"* ", b"*/")
        return not is_text and not self._in_comment(byte)

    def _in_comment(self, byte: int) -> bool:
        """Return whether a byte is in a comment of several lines that begins a line."""
        if self._comments is None:
            self._comments = [match.span() for match in _COMMENT.finditer(self._data)]
        place = bisect_right(self._comments, (byte, len(self._data))) - 1
        return place >= 0 and byte < self._comments[place][1]

    def _places(self, word: bytes, begin: int, end: int) -> Iterator[int]:
        """Yield where a word stands as a whole one; a pattern for each would take longer to make
        than to find."""
        data, letters = self._data, self._letters
        at = data.find(word, begin, end)
        while at >= 0:
            after = data[at + len(word) : at + len(word) + 1]
            if data[max(at - 1, 0) : at] not in letters and after not in letters:
                yield at
            at = data.find(word, at + 1, end)

    def _begin(self, definition: Definition) -> int:
        """Return where a definition begins: behind its decorators, and behind what stands on its
        first line before it."""
        return max(self._lines[definition.line - 1], definition.start)

    def _doc(self, number: int) -> range:
        """Return the bytes of a definition's docstring, which names things and reads none."""
        doc = self._facts.definitions[number].doc if number >= 0 else self._facts.doc
        begin, end = 0, len(self._data)
        if number >= 0:
            definition = self._facts.definitions[number]
            begin, end = self._begin(definition), definition.end
        start = self._data.find(doc.encode(), begin, end) if doc else -1
        if start < 0:
            return range(0)
        quotes = self._data[start - 3 : start]
        stop = self._data.find(quotes if quotes in _QUOTES else b"\n", start, end)
        return range(start, stop if stop >= 0 else end)

    def _enclosing(self, byte: int) -> int:
        """Return the innermost definition with a body around a place, -1 for the file."""
        place = bisect_right(self._bodies, (byte, len(self._data), len(self._bodies))) - 1
        place = self._around(place, byte)
        return self._bodies[place][2] if place >= 0 else -1

    def _around(self, place: int, byte: int) -> int:
        """Return which of a body and those around it is the first that goes on behind a byte."""
        while place >= 0 and self._bodies[place][1] <= byte:
            place = self._outer[place]
        return place


def _is_member(before: bytes) -> bool:
    """Return whether what stands before a word is the sign of a member: no `T> x`, `T... x`."""
    if before.endswith(_NEAR_MEMBER_SIGNS):
        return True
    before = before.rstrip()
    return before.endswith(_MEMBER_SIGNS) and not before.endswith(b"..")


@cache
def _silent(comment: str, quoted_character: bool) -> re.Pattern[bytes]:  # noqa: FBT001
    """Return the pattern of texts and comments within a line."""
    single = rb"'(?:\\[^'\n]+|[^'\\\n])'" if quoted_character else rb"'(?:\\.|[^'\\\n])*'"
    quoted = rb'"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\\n])*`|' + single
    return re.compile(quoted + rb"|/\*.*?(?:\*/|$)|" + re.escape(comment.encode()) + rb".*")


# --- Dependency keys: names of other files that a file's edges were made from, stored as hashes.

KEY_BYTES = 3
# Keys whose hashes are at hand: files that lie side by side read much the same.
_KEYS_AT_HAND = 20_000
# Keys of what binds a name or a member, and of bases; see resolve/dependency_keys.py.
_OF_NAMES = frozenset("nab")
_INITIALISER = "<init>"
# Keys up to which looking for each of them is faster than cutting every set into its keys.
_FEW_KEYS = 50


@lru_cache(maxsize=_KEYS_AT_HAND)
def owner_and_hash(key: str) -> tuple[str, bytes]:
    """Return the file or namespace that a key is of, and the key's hash; two keys of one hash only
    cause work that changes nothing.

    A name in a file is one, whatever it is a name of there: who looks for a member does so in
    class after class, and reads what a class is, and of which bases. Initialisers have no name.
    """
    kind, _, rest = key.partition(":")
    owner, _, name = rest.rpartition(":")
    if kind in _OF_NAMES and not name.endswith(_INITIALISER):
        key = f"{owner}:{name.rpartition('.')[2]}"
    return owner, zlib.crc32(key.encode("utf-8", "replace")).to_bytes(4, "big")[:KEY_BYTES]


def dependents(sets: Sequence[tuple[int, bytes]], hashes: frozenset[bytes]) -> set[int]:
    """Return the files whose stored set has one of the keys of these hashes, of pairs of file and
    set; rarely one without need."""
    if len(hashes) > _FEW_KEYS:
        return {file for file, keys in sets if not hashes.isdisjoint(_cut(keys))}
    text = b"".join(keys for _, keys in sets)
    ends = list(accumulate(len(keys) for _, keys in sets))
    return {sets[bisect_right(ends, at)][0] for key in hashes for at in _places(text, key)}


def _places(text: bytes, key: bytes) -> Iterator[int]:
    """Yield where a key stands in many of them."""
    at = text.find(key)
    while at >= 0:
        if at % KEY_BYTES == 0:
            yield at
        at = text.find(key, at + 1)


def _cut(keys: bytes) -> list[bytes]:
    return [keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)]


# --- Edge builder: the resolver's edges, from names to nodes.

# Bytes of code whose facts (some ten times as large) are kept at hand. Those of other files that
# were parsed are put aside as bytes, no more than their code: a quarter of the time of parsing.
_CACHE_BYTES = 20_000_000
# What something may do to itself: a function that gives itself on, a type that holds its own.
_OF_ITSELF = frozenset({"calls", "references", "uses"})
# Kind, tier and state of an edge.
Relation = tuple[str, str, str]
# Source, target and relation of an edge, by their ids.
EdgeKey = tuple[int, int, int]
# Where an edge stands, the first line first.
Lines = tuple[int, ...]
Extract = Callable[[bytes, str, str], Facts]


class FileChanged(Exception):
    """A file is no longer what it was when the tree was looked at."""


@attrs.frozen
class FileEdges:
    """What a file refers to.

    Attributes:
        edges: the lines of each edge by source, target and relation.
        dependency_keys: keys of other files' names that this depends on, as stored.
        owners: the files and namespaces that those keys are of.
        resolved, ambiguous, unresolved: numbers of references.
    """

    edges: Mapping[EdgeKey, Lines]
    dependency_keys: bytes
    owners: frozenset[str] = frozenset()
    resolved: int = 0
    ambiguous: int = 0
    unresolved: int = 0


class EdgeBuilder:
    """The parsed files of a tree as they are after an update; what is stored is read when asked.

    Attributes:
        own: paths of files whose facts are wanted as a whole; of others only what may be read.
    """

    def __init__(
        self, store: Store, rows: Mapping[str, FileRow], base: Path, extract: Extract
    ) -> None:
        """Take every file by path; those that changed are put in later."""
        self._store = store
        self._rows = rows
        self._base = base
        self._extract = extract
        self._fresh: dict[str, Sequence[SymbolDraft]] = {}
        self._texts: dict[str, bytes] = {}
        self._pickled: dict[str, bytes] = {}
        self._packed: dict[str, bytes] = {}
        self._nodes: dict[str, Sequence[int]] = {}
        self._cached: OrderedDict[str, Facts] = OrderedDict()
        self._cache_room = _CACHE_BYTES
        self._names: dict[str, list[Named]] = {}
        self.own: frozenset[str] = frozenset()

    def put(
        self,
        facts: Facts,
        data: bytes,
        nodes: Sequence[int],
        symbols: Sequence[SymbolDraft] = (),
    ) -> None:
        """Take what a file says now, its text, the node of each of its definitions, and their
        drafts if they are to be compared with what there was."""
        path = facts.path
        self._texts[path] = data
        self._fresh[path] = symbols
        self._cache(path, facts)
        self._nodes[path] = [*nodes, self._rows[path].id]
        for number, definition in enumerate(facts.definitions):
            self._names.setdefault(definition.name, []).append(Named(path, number, definition.kind))

    def facts(self, path: str) -> Facts | None:
        """Return what a file says, or None if it is not parsed. Raises FileChanged."""
        if path in self._cached:
            self._cached.move_to_end(path)
            return self._cached[path]
        row = self._rows.get(path)
        if row is None or row.status != FileStatus.PARSED:
            return None
        facts = (None if path in self.own else self.essence(path)) or self.whole(path)
        self._cache(path, facts)
        return facts

    def essence(self, path: str) -> Facts | None:
        """Return what others read of a file, or None if nobody has read it yet."""
        if path not in self._fresh:
            return stored_facts(self._store, self._rows[path])
        names = [definition.name for definition in self.whole(path).definitions]
        return _unpacked(self._rows[path], self.packed(path), names)

    def packed(self, path: str) -> bytes:
        """Return the stored form of what others read of a file, made anew. Raises FileChanged."""
        if path not in self._packed:
            self._packed[path] = pack(self.whole(path), self.data(path))
        return self._packed[path]

    def whole(self, path: str) -> Facts:
        """Return all that a file says, if need be from the file itself. Raises FileChanged."""
        if path in self._fresh and (cached := self._cached.get(path) or self._from_pickle(path)):
            return cached
        return self._extract(self.data(path), path, self._rows[path].language)

    def data(self, path: str) -> bytes:
        """Return the text of a file. Raises FileChanged if it is not the one that was indexed."""
        if path in self._texts:
            return self._texts[path]
        if (text := indexed_text(self._base, self._rows[path])) is None:
            raise FileChanged(path)
        return text

    def named(self, name: str) -> list[Named]:
        """Return every definition of a name, sorted by path and number."""
        definitions = list(self._names.get(name, ()))
        if not self._is_anew:
            for path, position, kind in self._store.all("codegraph.definitions_named", name=name):
                row = self._rows.get(path)
                if row and row.status == FileStatus.PARSED and path not in self._fresh:
                    definitions.append(Named(path, position, kind))
        return sorted(definitions)

    def symbols(self, path: str) -> Sequence[SymbolDraft]:
        """Return the symbols of a file that has been put in."""
        return self._fresh.get(path, ())

    def file_edges(
        self,
        path: str,
        resolved: Any,
        more: Iterable[Any],
        relation_id: Callable[[Relation], int],
    ) -> FileEdges:
        """Return the resolver's answer for a file, and more edges of it, by nodes; `relation_id`
        gives the id of a relation."""
        facts = self.facts(path) or self.whole(path)
        nodes = self._nodes_of(path)
        sources = _named_sources(facts)
        edges: dict[EdgeKey, Lines] = {}
        resolved_edges: Sequence[Any] = (*resolved.edges, *more)
        if any(edge.words for edge in resolved_edges):
            lines = edge_lines(resolved_edges, facts, self.data(path))
        else:
            lines = [edge.lines or (edge.line,) for edge in resolved_edges]
        for edge, sites in zip(resolved_edges, lines, strict=True):
            from_node = nodes[sources[edge.source]]
            to_node = self._nodes_of(edge.path)[edge.target]
            if not sites or (from_node == to_node and edge.kind not in _OF_ITSELF):
                continue
            key = (from_node, to_node, relation_id((edge.kind, edge.tier, edge.state)))
            edges[key] = tuple(sorted({*edges[key], *sites})) if key in edges else sites
        counts = dict.fromkeys(("resolved", "ambiguous", "unresolved"), 0)
        for (_, state, _), count in resolved.counts.items():
            counts[state if state in counts else RelationState.RESOLVED] += count
        keys = list(map(owner_and_hash, resolved.reads))
        hashes = b"".join(sorted({key for _, key in keys}))
        if path in self._cached:  # the first that others make room for
            self._cached.move_to_end(path, last=False)
        return FileEdges(edges, hashes, frozenset(owner for owner, _ in keys), **counts)

    @cached_property
    def _is_anew(self) -> bool:
        """Whether every file has been put in, so that nothing that is stored counts; asked when all
        are."""
        parsed = (path for path, row in self._rows.items() if row.status == FileStatus.PARSED)
        return all(path in self._fresh for path in parsed)

    def _nodes_of(self, path: str) -> Sequence[int]:
        """Return the node of each definition of a file, and last (-1) of the file itself."""
        if path not in self._nodes:
            row = self._rows[path]
            rows = self._store.all("codegraph.positions", file=row.id)
            self._nodes[path] = [*(node for (node,) in rows), row.id]
        return self._nodes[path]

    def _from_pickle(self, path: str) -> Facts | None:
        """Return what was put aside of a file, or None."""
        if path not in self._pickled:
            return None
        facts: Facts = pickle.loads(self._pickled[path])
        return facts

    def _cache(self, path: str, facts: Facts) -> None:
        self._cached[path] = facts
        self._cache_room -= self._rows[path].size
        while self._cache_room < 0 and len(self._cached) > 1:
            freed, facts = self._cached.popitem(last=False)
            self._cache_room += self._rows[freed].size
            self._texts.pop(freed, None)
            if freed in self._fresh and freed not in self._pickled:
                self._pickled[freed] = pickle.dumps(facts, pickle.HIGHEST_PROTOCOL)


def _named_sources(facts: Facts) -> list[int]:
    """Return for each definition the one that its edges are of: itself, or what is around a
    function without a name; -1 for the file, which also stands last."""
    sources: list[int] = []
    for number, definition in enumerate(facts.definitions):
        is_unnamed = definition.kind == "function" and definition.name.startswith("<")
        outer = around(facts.scopes, definition.scope) if is_unnamed else number
        sources.append(sources[outer] if outer < number and outer >= 0 else outer)
    return [*sources, -1]


def stored_facts(store: Store, row: FileRow) -> Facts | None:
    """Return what others read of a file, or None if nothing is stored. Raises StoreDamaged."""
    rows = store.all("codegraph.facts", file=row.id)
    if not rows:
        return None
    return _unpacked(row, b"".join(piece for piece, _ in rows), json.loads(rows[0][1]))


def _unpacked(row: FileRow, blob: bytes, names: Sequence[str]) -> Facts:
    return unpack(
        blob,
        names,
        path=row.path,
        language=row.language,
        namespace=row.namespace,
        errors=row.errors,
        lines=row.lines,
    )
