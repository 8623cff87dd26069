"""Questions about code, answered by public methods, beside what a language server's index answers.

    python -m bench.codequestions --tree FOLDER [--engine NAME] [--language NAME] [--symbols 40]
                                  [--wrong N]

Questions are made from what the engine says that the files define, so that what the graph does not
know is asked for too; of each kind so many, in the order of a hash, and only those that have an
answer:

    definition    find_symbol(name): places of the functions, methods and classes of a name
    references    references(name): lines that refer to a symbol
    callers       callers(name), callees(name): functions that call one, that one calls
    callees
    subtypes      subtypes(name, depth=1), supertypes(name, depth=1): classes
    supertypes
    members       members(name): names of what a class has
    unused        unused(path, kind="function"): functions of a file to which nothing refers
    dependencies  dependencies(path), dependents(path): files that a file includes or imports, and
    dependents    that do so with it, where the engine knows links between documents

The figure of a question is the F1 of its answer as a set, that of a kind the mean over its
questions, and that of a tree, its weighted accuracy, the mean over its kinds, each of which weighs
alike. Not judged is what the engine does not see: files that its list of compiled ones
(compile_commands.json, if the tree has one) leaves out unless another includes them, edges from a
line at which it cannot tell what the name means (values without a known type, branches of the
preprocessor that are not compiled: the graph reads all), and whether a function is unused that the
text of a macro names. The floor is what grep finds: the lines that have the word outside of
comments and strings, the functions that stand around them, the words in a body that are functions,
the classes and files on whose lines the word stands, a file's functions whose word is nowhere else;
of members it finds the words of a body that something is called.

Engines are those of `bench.rename`, looked for on the path; one that is not there is skipped by
name, and so is a kind that an engine cannot answer. The packages that a tree needs should be
installed in it, and what a compiler is told should lie in it.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import attrs

import memkit
from memkit.codegraph.records import CodeNode, NodeKind, RelationKind
from memkit.errors import InvalidInput, NotFound

from .command_line import folder, positive
from .language_server import LanguageServer, Line, Place
from .rename import (
    ENGINES,
    Engine,
    Site,
    Tree,
    copied,
    finish,
    is_known,
    of_each_tree,
    opened,
    sites_of,
)
from .results import Row

# Kinds of the protocol's symbols.
_CLASSES = frozenset({5, 10, 11, 23})
_CONSTRUCTOR = 9
_NAMESPACE = 3
_METHODS = frozenset({6, _CONSTRUCTOR})
_CALLABLE = frozenset({12, *_METHODS})
_NAMED = frozenset({_NAMESPACE, 7, 8, 13, 14, 22, *_CLASSES, *_CALLABLE})
_NEEDS = {
    "callers": "callHierarchyProvider",
    "callees": "callHierarchyProvider",
    "subtypes": "typeHierarchyProvider",
    "supertypes": "typeHierarchyProvider",
    "dependencies": "documentLinkProvider",
    "dependents": "documentLinkProvider",
}
_WORD = re.compile(r"[^\W\d]\w*")
# What stands behind the name of a function that is called: on its line, or on the next one.
_CALLED = re.compile(r"\s*(<[^<>]*>|!|\?\.)?\s*(\(|`|$)")

# What makes an object of another of its class: whether it runs is for the compiler to say, and each
# edition of C++ says otherwise.
_COPYING = re.compile(r"\b(\w+)\s*\(\s*(const\s+)?\1\b(<.*>)?(\s+const)?\s*&{1,2}\s*\w*\s*\)")
# Names of functions that run without being named.
_RUN = re.compile(r"main$|_?test", re.IGNORECASE)

# What an answer holds: places, names, paths.
Answer = frozenset[Any]


@attrs.frozen
class Item:
    """What a file defines, as the engine says: name, kind, place of the name, last line, names of
    its own members, and of those that may be its own."""

    name: str
    kind: int
    path: str
    line: int
    column: int
    end_line: int
    members: frozenset[str]
    doubtful: frozenset[str]

    @property
    def site(self) -> Site:
        """Where the name stands."""
        return self.path, self.line


@attrs.frozen
class Comparison:
    """One question: its kind, its subject, and what graph, engine and grep answer."""

    kind: str
    subject: str
    graph: Answer
    engine: Answer
    floor: Answer


def f1(answer: Answer, truth: Answer) -> float:
    """Return the harmonic mean of precision and recall of an answer."""
    return 2 * len(answer & truth) / max(1, len(answer) + len(truth))


class Index:
    """What a language server knows of the files of a tree that it sees."""

    def __init__(self, tree: Tree, server: LanguageServer) -> None:
        self.tree = tree
        self.server = server
        self.paths = frozenset(tree.lines)
        self.paths = self._seen()
        listed = [item for path in sorted(self.paths) for item in self._items(path)]
        written = [item for item in listed if self._is_written(item) and self._is_whole(item)]
        self.items = sorted(written, key=lambda item: _hash(item.path + item.name))
        self.by_name: dict[str, list[Item]] = defaultdict(list)
        for item in written:
            self.by_name[item.name].append(item)
        self.by_site = {item.site: item for item in (*reversed(listed), *reversed(written))}
        self.joined = functools.cache(self._joined)
        self.links = functools.cache(self._links)
        self.references = functools.cache(self._references)

    def of_kind(self, kinds: Collection[int]) -> list[Item]:
        """Return the items of some kinds."""
        return [item for item in self.items if item.kind in kinds]

    def around(self, site: Site, kinds: Collection[int]) -> Item | None:
        """Return the innermost item of some kinds that stands around a line."""
        path, line = site
        fitting = [
            item
            for item in self._by_path.get(path, ())
            if item.kind in kinds and item.line <= line <= item.end_line
        ]
        return max(fitting, key=lambda item: item.line, default=None)

    def callees(self, item: Item) -> set[Site]:
        """Return the functions that an item calls."""
        return self._calls("outgoingCalls", item)

    def callers(self, item: Item) -> set[Site]:
        """Return the functions that call an item, not those that call only what it overrides."""
        own, others = self._meant(item)
        around = {self.around(site, _CALLABLE) for site in others - own}
        around -= {self.around(site, _CALLABLE) for site in own}
        return self._calls("incomingCalls", item) - {one.site for one in around if one is not None}

    def _calls(self, way: str, item: Item) -> set[Site]:
        sites = set()
        for (file, line, column), ends in self.server.related(way, *self._place(item)).items():
            site = self._site(file, line)
            # A module begins at the first column of its first line.
            if site is None or line + column == 1:
                continue
            callee = item if way == "incomingCalls" else self.by_site.get(site)
            if self._is_copying(callee):
                continue
            if any(self._is_call(end, callee) for end in ends):
                sites.add(site)
        return sites

    def is_of(self, site: Site, kinds: Collection[int]) -> bool:
        """Return whether something of some kinds is defined at a place."""
        return (item := self.by_site.get(site)) is not None and item.kind in kinds

    def is_copying(self, site: Site) -> bool:
        """Return whether at a place stands what makes an object of another of its class."""
        return self._is_copying(self.by_site.get(site))

    def _is_copying(self, item: Item | None) -> bool:
        if item is None or item.kind != _CONSTRUCTOR:
            return False
        return _COPYING.search(self.tree.code[item.path][item.line - 1]) is not None

    def _is_call(self, end: Place, callee: Item | None) -> bool:
        """Return whether what is named before a place is called there, or written otherwise (where
        an object is made, by an operator, in a macro): some engines list every use."""
        site = self._site(*end[:2])
        if site is None or callee is None or callee.kind == _CONSTRUCTOR:
            return True
        text = self.tree.lines[site[0]][site[1] - 1].encode("utf-16-le")
        before, behind = text[: 2 * end[2]], text[2 * end[2] :].decode("utf-16-le")
        is_name = before.decode("utf-16-le").endswith(callee.name)
        return not is_name or _CALLED.match(behind) is not None

    def _references(self, item: Item) -> frozenset[Site]:
        """Return the lines that refer to an item, not those that mean what it overrides."""
        return self._meant(item)[0]

    def _meant(self, item: Item) -> tuple[frozenset[Site], frozenset[Site]]:
        """Return the lines that an engine lists for an item: which mean it, and all."""
        place = self._place(item)
        lines = self.server.references(*place, own=False)
        own = {(self.tree.root / item.path, item.line), *self.server.definitions(*place)}
        sites = {line: site for line in lines if (site := self._site(*line))}
        meant = set()
        for site in sites.values():
            columns = self.tree.columns(site, item.name)
            # Where an object is made, the name is that of its class.
            if not columns or item.kind == _CONSTRUCTOR or self._leads(site, item, own):
                meant.add(site)
        return frozenset(meant), frozenset(sites.values())

    def means(self, site: Site, item: Item) -> bool:
        """Return whether an engine goes from a line to an item: some do so where they do not list
        it (in templates)."""
        place = self._place(item)
        own = {place[:2], *self.server.definitions(*place)}
        return site[0] in self.paths and self._leads(site, item, own)

    def _leads(self, site: Site, item: Item, own: Collection[Line]) -> bool:
        """Return whether a name on a line means what stands in some places, by itself or by what
        brings it in (`using a::b`)."""
        file, name = self.tree.root / site[0], item.name
        for column in self.tree.columns(site, name):
            targets = self.server.definitions(file, site[1], column)
            if not targets.isdisjoint(own):
                return True
            for target in targets:
                at = self._site(*target)
                passed = self.by_site.get(at) if at else None
                # From a function it would be its class, or what it overrides.
                if at is None or passed is None or passed.kind in _CALLABLE:
                    continue
                for begin in self.tree.columns(at, name):
                    if not self.server.definitions(*target, begin).isdisjoint(own):
                        return True
        return False

    def related(self, way: str, item: Item) -> set[Site]:
        """Return the places of what a hierarchy has next to an item."""
        places = self.server.related(way, *self._place(item))
        sites = {self._site(file, line) for file, line, _ in places}
        return {site for site in sites if site is not None}

    def _joined(self, site: Site) -> Site:
        """Return one place for all at which the same is declared and defined."""
        item = self.by_site.get(site)
        if item is None:
            return site
        places = {site} | {
            other
            for file, line in self.server.definitions(*self._place(item))
            if (other := self._site(file, line)) and other in self.by_site
            and self.by_site[other].name == item.name
        }  # fmt: skip
        return min(places)

    def _links(self, path: str) -> frozenset[str]:
        linked = self.server.links(self.tree.root / path)
        sites = (self._site(file, 1) for file in linked)
        return frozenset(site[0] for site in sites if site) - {path}

    def _seen(self) -> frozenset[str]:
        """Return the files that the engine sees: where the tree lists those that are compiled one
        by one, these and what they include."""
        commands = self.tree.root / "compile_commands.json"
        if not commands.is_file():
            return self.paths
        entries = json.loads(commands.read_text(encoding="utf-8"))
        files = {(Path(entry["directory"]) / entry["file"]).resolve() for entry in entries}
        border = {path for path in self.paths if self.tree.root / path in files}
        known: set[str] = set()
        while border:
            known |= border
            border = set().union(*map(self._links, border)) - known
        return frozenset(known)

    def _site(self, file: Path, line: int) -> Site | None:
        if not file.is_relative_to(self.tree.root):
            return None
        path = file.relative_to(self.tree.root).as_posix()
        return (path, line) if path in self.paths else None

    def _place(self, item: Item) -> Place:
        return self.tree.root / item.path, item.line, item.column

    @functools.cached_property
    def _by_path(self) -> Mapping[str, list[Item]]:
        by_path: dict[str, list[Item]] = defaultdict(list)
        for item in self.items:
            by_path[item.path].append(item)
        return by_path

    def is_written(self, site: Site) -> bool:
        """Return whether something is called by its name at a place: some are made by macros."""
        return (item := self.by_site.get(site)) is not None and self._is_written(item)

    def _is_whole(self, item: Item) -> bool:
        """Return whether an item is no class that is only announced, and nothing that is brought in
        by its name: clangd lists `using a::B` as a namespace B."""
        if item.kind not in _CLASSES | {_NAMESPACE} or item.members:
            return True
        defined = self.server.definitions(*self._place(item))
        return not defined or self._place(item)[:2] in defined

    def _is_written(self, item: Item) -> bool:
        line = self.tree.lines[item.path][item.line - 1]
        return line.encode("utf-16-le")[2 * item.column :].decode("utf-16-le").startswith(item.name)

    def _items(self, path: str) -> Iterator[Item]:
        symbols = [(symbol, 0) for symbol in self.server.symbols(self.tree.root / path)]
        while symbols:
            symbol, around = symbols.pop()
            children = _children(symbol)
            symbols += [(child, symbol["kind"]) for child in children]
            # Not what a macro is called where it is used, what has no name, nor what a function
            # has for itself.
            is_local = around in _CALLABLE and symbol["kind"] not in _CALLABLE | _CLASSES
            if symbol["kind"] not in _NAMED or not _bare(symbol["name"]) or is_local:
                continue
            begin, end = symbol["selectionRange"]["start"], symbol["range"]["end"]
            # A class that is only announced is no member; what a part without a name has may be.
            written = [
                child
                for child in children
                if child["kind"] in _NAMED
                and not (child["kind"] in _CLASSES and _is_only_name(child))
            ]
            inner = [
                part for child in written if not _bare(child["name"]) for part in _children(child)
            ]
            members, doubtful = (
                frozenset(_bare(child["name"]) for child in group) - {""}
                for group in (written, inner)
            )
            yield Item(
                _bare(symbol["name"]), symbol["kind"], path, begin["line"] + 1,
                begin["character"], end["line"] + 1, members, doubtful - members,
            )  # fmt: skip


class Questions:
    """The questions of one tree, each kind a method that yields its comparisons."""

    def __init__(self, kit: memkit.Memkit, index: Index) -> None:
        self.graph = kit.codegraph
        self.index = index
        self.tree = index.tree
        self.word_lines = functools.cache(self._word_lines)
        self._contents = functools.cache(lambda path: self._answer("file_contents", path))

    def asked(self, kind: str) -> Iterator[Comparison]:
        """Yield the comparisons of a kind of which the engine knows an answer."""
        for comparison in _MAKERS[kind](self, kind):
            if comparison.engine:
                yield comparison

    def definition(self, kind: str) -> Iterator[Comparison]:
        """Where is what has this name?"""
        names = dict.fromkeys(item.name for item in self.index.of_kind(_CALLABLE | _CLASSES))
        for name in names:
            items = self.index.by_name[name]
            # A constructor has the name of its class: whoever asks for that wants the class.
            kinds = {item.kind for item in items} & _CLASSES or _CALLABLE
            truth = frozenset(item.site for item in items if item.kind in kinds)
            nodes = [node for node in self._answer("find_symbol", name) if node.name == name]
            others = {item.site for item in items} - truth
            answer = frozenset(self._sites(nodes, _DEFINED)) - others
            yield Comparison(kind, name, answer, truth, frozenset(self.word_lines(name)))

    def references(self, kind: str) -> Iterator[Comparison]:
        """Which lines refer to this?"""
        for item in self.index.items:
            nodes = self._nodes(item)
            word = self.word_lines(item.name)
            own = {other.site for other in self._same(nodes, item)}
            truth = set().union(*map(self.index.references, self._same(nodes, item))) - own
            answer = {
                (node.via.path, node.via.line)
                for node in self._each("references", nodes)
                if node.via is not None and node.via.kind != RelationKind.OVERRIDES
            } - own
            answer = {site for site in answer if site in truth or self._is_judged(site, item.name)}
            truth |= {
                site
                for site in answer - truth
                if any(self.index.means(site, other) for other in self._same(nodes, item))
            }
            # What is written by no name (an operator, what a macro makes) is not asked for.
            yield Comparison(
                kind, _named(item), frozenset(answer & word), frozenset(truth & word),
                frozenset(word - own),
            )  # fmt: skip

    def calls(self, kind: str) -> Iterator[Comparison]:
        """Which functions call this one, which does it call?"""
        related = self.index.callers if kind == "callers" else self.index.callees
        for item in self.index.of_kind(_CALLABLE):
            nodes = self._nodes(item)
            same = self._same(nodes, item)
            truth = set().union(*map(related, same))
            nodes = self._each(kind, nodes)
            # What makes objects is the class to some engines, and its initialiser to others.
            if made := {site for site in truth if self.index.is_of(site, _CLASSES)}:
                truth -= made
                nodes = [
                    node for node in nodes if not _MAKING.intersection((node.kind, *node.flags))
                ]
            found = [
                (node, site)
                for node in nodes
                for site in self._sites([node], _CALLING)
                if not self.index.is_copying(site)
            ]
            joined = {self.index.joined(site) for site in truth}
            answer = {
                self.index.joined(site)
                for node, site in found
                if self.index.joined(site) in joined
                or (self.index.is_written(site) and self._is_call_judged(kind, item, node))
            }
            floor = self._callers(item) if kind == "callers" else self._callees(same)
            floor = {self.index.joined(site) for site in floor}
            yield Comparison(kind, _named(item), *map(frozenset, (answer, joined, floor)))

    def hierarchy(self, kind: str) -> Iterator[Comparison]:
        """Which classes inherit from this one, from which does it?"""
        for item in self.index.of_kind(_CLASSES):
            sites = map(self.index.joined, self.index.related(kind, item))
            truth = {site for site in sites if self.index.is_written(site)}
            nodes = self._each(kind, self._nodes(item), depth=1)
            found = set(map(self.index.joined, self._sites(nodes, {NodeKind.CLASS})))
            answer = {site for site in found if self.index.is_written(site)}
            if kind == "subtypes":
                # By a name that was brought in, clangd has the way up alone.
                truth |= {site for site in answer - truth if self._is_below(site, item)}
                lines = self.word_lines(item.name) - {item.site}
                floor = {site for site in lines if self.index.is_of(site, _CLASSES)}
            else:
                text = self.tree.code[item.path][item.line - 1]
                floor = set(self._words([text], _CLASSES)) - {item.site}
            yield Comparison(kind, _named(item), *map(frozenset, (answer, truth, floor)))

    def _is_below(self, site: Site, item: Item) -> bool:
        """Return whether the engine says of a class that it inherits from another."""
        below = self.index.by_site.get(site)
        above = self.index.related("supertypes", below) if below is not None else ()
        return self.index.joined(item.site) in map(self.index.joined, above)

    def members(self, kind: str) -> Iterator[Comparison]:
        """What does this class have?"""
        for item in self.index.of_kind(_CLASSES):
            nodes = self._each("members", self._nodes(item))
            answer = frozenset(_bare(node.name) for node in nodes) - item.doubtful
            text = self.tree.code[item.path][item.line : item.end_line]
            words = {word for line in text for word in _WORD.findall(line)}
            floor = frozenset(words & self.index.by_name.keys())
            yield Comparison(kind, _named(item), answer, item.members, floor)

    def unused(self, kind: str) -> Iterator[Comparison]:
        """To which functions of this file does nothing refer?"""
        for path in sorted(self.index.paths, key=_hash):
            items = [item for item in self.index.of_kind({12}) if item.path == path]
            items = [item for item in items if not _RUN.match(item.name) and self._is_seen(item)]
            items = [
                item
                for item in items
                if not self._stands_for_another(item) and not self._is_in_macro(item)
            ]
            truth = {item.name for item in items if not self.index.references(item)}
            nodes = self._answer("unused", path, kind=NodeKind.FUNCTION, limit=10_000)
            names = {item.name for item in items}
            answer = {node.name for node in nodes if node.path == path} & names
            floor = {
                item.name
                for item in items
                if self.word_lines(item.name) <= {i.site for i in self.index.by_name[item.name]}
            }
            yield Comparison(kind, path, *map(frozenset, (answer, truth, floor)))

    def files(self, kind: str) -> Iterator[Comparison]:
        """Which files does this one include or import, which do so with it?"""
        for path in sorted(self.index.paths, key=_hash):
            nodes = self._answer(kind, path)
            answer = frozenset(
                node.path
                for node in nodes
                if node.path in self.index.paths
                and node.via is not None and node.via.kind == RelationKind.IMPORTS
            )  # fmt: skip
            if kind == "dependencies":
                truth = self.index.links(path)
                lines = "\n".join(self.tree.lines[path])
                floor = {p for p in self.index.paths if Path(p).name in lines}
            else:
                truth = frozenset(p for p in self.index.paths if path in self.index.links(p))
                name = Path(path).name
                floor = {p for p in self.index.paths if name in "\n".join(self.tree.lines[p])}
            yield Comparison(kind, path, answer, truth, frozenset(floor - {path}))

    # -- the graph's answers

    def _answer(self, method: str, name: str, **options: Any) -> Sequence[CodeNode]:
        """Return what a public method answers; nothing where it knows no such name."""
        try:
            return getattr(self.graph, method)(name, **options)  # type: ignore[no-any-return]
        except (NotFound, InvalidInput):
            return ()

    def _each(self, method: str, nodes: Iterable[CodeNode], **options: Any) -> list[CodeNode]:
        names = dict.fromkeys(node.qualified for node in nodes)
        return [node for name in names for node in self._answer(method, name, **options)]

    def _nodes(self, item: Item) -> list[CodeNode]:
        """Return the graph's nodes of the name and place of an item."""
        return [
            node
            for node in self._contents(item.path)
            if _bare(node.name) == item.name and self._site(node) == item.site
        ]

    def _same(self, nodes: Sequence[CodeNode], item: Item) -> list[Item]:
        """Return the items that the names of some nodes mean, the one that was asked for first."""
        names = {node.qualified for node in nodes}
        sites = {
            self._site(node) for node in self._contents(item.path) if node.qualified in names
        } - {item.site}
        others = [other for site in sites if (other := self.index.by_site.get(site))]
        return [item, *(other for other in others if other.name == item.name)]

    def _sites(self, nodes: Iterable[CodeNode], kinds: Collection[str]) -> Iterator[Site]:
        """Yield where nodes of some kinds are, in files that the engine sees."""
        for node in nodes:
            if node.kind in kinds and node.path in self.index.paths:
                yield self._site(node)

    def _site(self, node: CodeNode) -> Site:
        """Return where the name of a node is written."""
        if node.kind in (NodeKind.FILE, NodeKind.IMPORT):
            return node.path, node.line
        place = self.tree.place(node)
        return place[:2] if place else (node.path, node.line)

    # -- what is judged

    def _is_call_judged(self, kind: str, item: Item, node: CodeNode) -> bool:
        # The entries of several programs are one to some engines.
        if node.via is None or node.name == "main":
            return False
        name = item.name if kind == "callers" else node.name
        return self._is_judged((node.via.path, node.via.line), name)

    def _is_judged(self, site: Site, name: str) -> bool:
        """Return whether the engine knows what a name on a line means."""
        if site[0] not in self.index.paths:
            return False
        columns = self.tree.columns(site, name)
        return bool(columns) and is_known(site, name, self.tree, self.index.server)

    def _is_seen(self, item: Item) -> bool:
        """Return whether an item is declared nowhere but where it is defined, and no file that the
        engine does not see has its word."""
        file, line, column = self.tree.root / item.path, item.line, item.column
        others = self.index.server.definitions(file, line, column) - {(file, line)}
        paths = {path for path, _ in sites_of(item.name, self.tree.code)}
        return not others and paths <= self.index.paths

    def _stands_for_another(self, item: Item) -> bool:
        """Return whether an item's name means something outside of the tree elsewhere: what is made
        for systems that lack a function is unused by those that have it."""
        server, root = self.index.server, self.tree.root
        return any(
            not file.is_relative_to(root)
            for site in self.word_lines(item.name) - {item.site}
            for column in self.tree.columns(site, item.name)
            for file, _ in server.definitions(root / site[0], site[1], column)
        )

    def _is_in_macro(self, item: Item) -> bool:
        """Return whether the text of a macro names an item: the graph says that the macro refers to
        it, an engine that nothing does until the macro is used."""
        return any(self.tree.is_directive(site) for site in self.word_lines(item.name))

    # -- the floor

    def _word_lines(self, name: str) -> frozenset[Site]:
        return frozenset(s for s in sites_of(name, self.tree.code) if s[0] in self.index.paths)

    def _callers(self, item: Item) -> set[Site]:
        lines = self.word_lines(item.name) - {item.site}
        around = (self.index.around(site, _CALLABLE) for site in lines)
        return {other.site for other in around if other is not None}

    def _callees(self, items: Iterable[Item]) -> set[Site]:
        texts = [
            line for item in items for line in self.tree.code[item.path][item.line : item.end_line]
        ]
        return set(self._words(texts, _CALLABLE))

    def _words(self, lines: Iterable[str], kinds: Collection[int]) -> Iterator[Site]:
        """Yield the items of some kinds whose word stands in a text."""
        for word in {word for line in lines for word in _WORD.findall(line)}:
            for item in self.index.by_name.get(word, ()):
                if item.kind in kinds:
                    yield item.site


_DEFINED = frozenset({NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CLASS})
_CALLING = frozenset({*_DEFINED, NodeKind.VARIABLE})
_MAKING = frozenset({NodeKind.CLASS, "constructor"})
_MAKERS: dict[str, Callable[[Questions, str], Iterator[Comparison]]] = {
    "definition": Questions.definition,
    "references": Questions.references,
    "callers": Questions.calls,
    "callees": Questions.calls,
    "subtypes": Questions.hierarchy,
    "supertypes": Questions.hierarchy,
    "members": Questions.members,
    "unused": Questions.unused,
    "dependencies": Questions.files,
    "dependents": Questions.files,
}


def rows_of(name: str, comparisons: Sequence[Comparison]) -> list[Row]:
    """Return the mean F1 of each kind, and of all kinds, with the floor's."""
    kinds: dict[str, list[Comparison]] = defaultdict(list)
    for one in comparisons:
        kinds[one.kind].append(one)
    rows = [
        Row(
            f"{name}/{kind}", "f1",
            mean(f1(one.graph, one.engine) for one in same),
            mean(f1(one.floor, one.engine) for one in same),
        )
        for kind, same in kinds.items()
    ]  # fmt: skip
    floors = [row.floor for row in rows if row.floor is not None]
    return [*rows, Row(name, "f1", mean(row.value for row in rows), mean(floors))]


def differences(comparisons: Iterable[Comparison], tree: Tree) -> Iterator[str]:
    """Yield a line for each part of an answer that is wrong or missed, with its text."""
    for one in comparisons:
        for word, parts in (("wrong", one.graph - one.engine), ("missed", one.engine - one.graph)):
            for part in sorted(parts):
                text = part if isinstance(part, str) else tree.shown(part)
                yield f"{word} {one.kind} {one.subject} @ {text}"


def measured(root: Path, engine: Engine, limit: int) -> tuple[Tree, list[Comparison], list[str]]:
    """Return the tree, what was compared, and the kinds that the engine cannot answer; raises
    Refused where the server does not run."""
    with copied(root, engine) as own_root:
        tree = Tree(own_root, engine.languages)
        if not tree.lines:
            return tree, [], []
        with opened(tree, engine) as (kit, server):
            questions = Questions(kit, Index(tree, server))
            skipped = [kind for kind, need in _NEEDS.items() if not server.abilities.get(need)]
            comparisons = [
                comparison
                for kind in _MAKERS
                if kind not in skipped
                for comparison in itertools.islice(questions.asked(kind), limit)
            ]
            return tree, comparisons, skipped


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask graph and engines about each tree, compare, print."""
    parser = argparse.ArgumentParser("python -m bench.codequestions", description=__doc__)
    parser.add_argument("--tree", type=folder, required=True, action="append", help="source tree")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only these engines")
    parser.add_argument("--language", action="append", help="only files of these languages")
    parser.add_argument("--symbols", type=positive, default=40, help="questions of each kind")
    parser.add_argument("--wrong", type=int, default=0, help="print so many differences")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    limited = {n: _limited(ENGINES[n], options.language) for n in options.engine or ENGINES}
    engines = {name: engine for name, engine in limited.items() if engine.languages}
    measure = functools.partial(measured, limit=options.symbols)
    for name, root, (tree, comparisons, skipped) in of_each_tree(engines, options.tree, measure):
        if not comparisons:
            continue
        without = f"; skipped: {', '.join(skipped)}" if skipped else ""
        sys.stdout.write(f"{name}: {root.name}: {len(comparisons)} questions{without}\n")
        lines = itertools.islice(differences(comparisons, tree), options.wrong)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        rows += rows_of(f"codequestions/{root.name}", comparisons)
    return finish(rows)


def _limited(engine: Engine, languages: Sequence[str] | None) -> Engine:
    known = engine.languages.items()
    return attrs.evolve(
        engine, languages={k: v for k, v in known if languages is None or k in languages}
    )


def _children(symbol: Mapping[str, Any]) -> list[dict[str, Any]]:
    return symbol.get("children") or []


def _is_only_name(symbol: Mapping[str, Any]) -> bool:
    """Return whether nothing that belongs to a symbol stands behind its name."""
    return bool(symbol["range"]["end"] == symbol["selectionRange"]["end"])


def _named(item: Item) -> str:
    return f"{item.path}::{item.name}"


def _bare(name: str) -> str:
    """Return a name without the scopes before it, the parameters behind it, and blanks."""
    name = re.sub(r"\(.*|<[^<>]*>$", "", name) if not name.startswith("operator") else name
    return re.sub(r"\s+", "", name).rpartition("::")[2]


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


if __name__ == "__main__":
    raise SystemExit(main())
