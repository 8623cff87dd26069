"""References of symbols beside the sites that a language server changes when it renames them.

    python -m bench.rename --tree FOLDER [--engine NAME] [--symbols 50] [--wrong N]

From each tree and engine so many symbols are taken, kind by kind in turn, in the order of a hash of
their names: functions, methods, classes, variables and fields that graph and engine define in the
same place and that stand somewhere else as well. A site is a line on which the name is
written outside of comments and strings; the lines of the definitions themselves do not count, but
those of methods that override do where an engine renames them with it (`references(…,
overrides=True)`). Precision is the share of the graph's sites that the engine changes too, recall
the share of the engine's sites in the tree that the graph has. Not judged is a site of the graph at
which the engine cannot tell what the name means (values without a known type). The floor is every
line of the language's files that has the word, as grep finds it.

Engines are looked for on the path; one that is not there is skipped by name. The packages that a
tree needs should be installed in it: a server that cannot follow an import renames less.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import itertools
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import attrs

import memkit
from memkit.codegraph.languages import dialect_of, grammars
from memkit.codegraph.records import CodeNode, RelationKind

from .command_line import folder, leave, positive
from .language_server import LanguageServer, Refused
from .results import Row, table

T = TypeVar("T")

# A path inside of the tree, and a line from 1.
Site = tuple[str, int]
_KINDS = ("function", "method", "class", "variable")
_LARGEST = 1_000_000
# Nodes of the grammars that are strings, and those in them that are code.
_STRING = re.compile(r".*string(_literal)?|char_literal|regex")
_COMPUTED = re.compile(r"interpolation|substitution")
# Languages whose files with markup in them (.tsx, .jsx) the protocol names apart.
_WITH_MARKUP = frozenset({"typescript", "javascript"})


@attrs.frozen
class Engine:
    """A language server.

    Attributes:
        command: what is run, its program first.
        languages: names of those it knows, with what the protocol calls them.
        options: what it is given when it is initialized.
        renames_overrides: whether it renames what a method overrides, and what overrides it.
        settings: files that it reads, put into a copy of the tree in place of the tree's own.
    """

    command: tuple[str, ...]
    languages: Mapping[str, str]
    options: Mapping[str, object] = attrs.field(factory=dict)
    renames_overrides: bool = True
    settings: Mapping[str, str] = attrs.field(factory=dict)


ENGINES = {
    # By the settings of many projects it looks at a part of them only.
    "pyright": Engine(("pyright-langserver", "--stdio"), {"python": "python"},
                      renames_overrides=False,
                      settings={"pyrightconfig.json": '{"include": ["."]}'}),
    "typescript": Engine(
        ("typescript-language-server", "--stdio"),
        {"typescript": "typescript", "javascript": "javascript"},
        # Names behind an import or in a shorthand are sites too, not kept by `new as old`.
        {"preferences": {"providePrefixAndSuffixTextForRename": False}},
    ),
    "gopls": Engine(("gopls", "serve"), {"go": "go"}),
    "clangd": Engine(("clangd", "--background-index", "--limit-results=0",
                      "--limit-references=0", "--rename-file-limit=0"),
                     {"c": "c", "cpp": "cpp"}),
    "rust-analyzer": Engine(("rust-analyzer",), {"rust": "rust"}),
    "jdtls": Engine(("jdtls",), {"java": "java"}),
}  # fmt: skip


@attrs.frozen
class Symbol:
    """A name that is defined in the tree, with every place where it is.

    Attributes:
        name: as it is written.
        qualified: path::qualname.
        kind: function, method, class or variable.
        places: path, line, and column in UTF-16 units, of the name in its definitions.
    """

    name: str
    qualified: str
    kind: str
    places: tuple[tuple[str, int, int], ...]


@attrs.frozen
class Comparison:
    """The sites of one symbol: the graph's, how many more could not be judged, the engine's, and
    the lines that have the word."""

    symbol: Symbol
    graph: frozenset[Site]
    unjudged: int
    engine: frozenset[Site]
    word: frozenset[Site]


class Tree:
    """The files of a tree that are of some languages.

    Attributes:
        languages: language of each file.
        lines, code: its lines; the same without comments and strings.
    """

    def __init__(self, root: Path, languages: Iterable[str]) -> None:
        known = set(languages)
        self.root = root
        self.languages: dict[str, str] = {}
        self.lines: dict[str, list[str]] = {}
        self.code: dict[str, list[str]] = {}
        for file in sorted(root.rglob("*")):
            path = file.relative_to(root).as_posix()
            if not _is_source(file, path):
                continue
            data = file.read_bytes()
            dialect = dialect_of(path, data[:4096])
            if dialect is not None and dialect.name in known:
                self.languages[path] = dialect.name
                self.lines[path] = data.decode(errors="replace").split("\n")
                self.code[path] = _code(data, path, dialect.name).split("\n")

    def place(self, node: CodeNode) -> tuple[str, int, int] | None:
        """Return where the name of a node is written: behind the place at which it begins, on its
        first line, or on a later one; a name in a string is none."""
        word = _word(node.name)
        code, lines = self.code[node.path], self.lines[node.path]
        begin = node.details.column - 1 if node.details else 0
        for number in range(node.line, node.end_line + 1):
            text = code[number - 1]
            start = begin if number == node.line else 0
            if match := word.search(text, start) or word.search(text):
                return node.path, number, _units(text, match)
            if word.search(lines[number - 1]):
                return None
        return None

    def shown(self, site: Site) -> str:
        """Return a site with the text of its line."""
        path, line = site
        return f"{path}:{line} {self.lines[path][line - 1].strip()[:100]}"

    def is_directive(self, site: Site) -> bool:
        """Return whether a line belongs to a directive of the preprocessor."""
        lines, at = self.lines[site[0]], site[1] - 1
        while at and lines[at - 1].rstrip().endswith("\\"):
            at -= 1
        return lines[at].lstrip().startswith("#")

    def columns(self, site: Site, name: str) -> list[int]:
        """Return where a name stands on a line, in UTF-16 units."""
        path, line = site
        lines = self.code.get(path, ())
        text = lines[line - 1] if line <= len(lines) else ""
        return [_units(text, match) for match in _word(name).finditer(text)]


def sites_of(name: str, texts: Mapping[str, Sequence[str]]) -> frozenset[Site]:
    """Return every line that has a word."""
    word = _word(name)
    return frozenset(
        (path, number)
        for path, lines in texts.items()
        for number, text in enumerate(lines, 1)
        if name in text and word.search(text)
    )


def symbols_of(kit: memkit.Memkit, tree: Tree) -> list[Symbol]:
    """Return the symbols of a tree whose name stands on two lines or more: one of each kind in
    turn, in the order of a hash of their names."""
    nodes: dict[str, list[CodeNode]] = defaultdict(list)
    for path in tree.lines:
        for node in kit.codegraph.file_contents(path):
            if node.kind in _KINDS:
                nodes[node.qualified].append(node)
    by_kind: dict[str, list[Symbol]] = {kind: [] for kind in _KINDS}
    for qualified, same in nodes.items():
        places = tuple(place for node in same if (place := tree.place(node)))
        if places:
            symbol = Symbol(same[0].name, qualified, same[0].kind, places)
            by_kind[symbol.kind].append(symbol)
    for symbols in by_kind.values():
        symbols.sort(key=lambda symbol: hashlib.sha256(symbol.qualified.encode()).digest())
    turns = itertools.zip_longest(*by_kind.values())
    return [symbol for turn in turns for symbol in turn if symbol is not None]


def compared(
    kit: memkit.Memkit, tree: Tree, engine: Engine, server: LanguageServer, limit: int
) -> Iterator[Comparison]:
    """Yield the sites of as many symbols, of which the engine knows some besides the definition."""
    count = 0
    for symbol in symbols_of(kit, tree):
        own = {(path, line) for path, line, _ in symbol.places}
        word = sites_of(symbol.name, tree.code) - own
        if count == limit or not word:
            continue
        path, line, column = symbol.places[0]
        if not _is_defined(symbol, tree, server):
            continue
        try:
            lines = server.renamed(tree.root / path, line, column)
        except Refused:
            continue
        sites = {
            (file.relative_to(tree.root).as_posix(), number)
            for file, number in lines
            if file.is_relative_to(tree.root)
        }
        # Files of other languages and of packages that were installed are not judged either.
        if not (sites := sites & word):
            continue
        count += 1
        graph = _references(kit, symbol.qualified, overrides=engine.renames_overrides) & word
        unknown = {site for site in graph - sites if not is_known(site, symbol.name, tree, server)}
        lines_with_word = sites_of(symbol.name, tree.lines) - own
        yield Comparison(
            symbol, frozenset(graph - unknown), len(unknown), frozenset(sites), lines_with_word
        )


def _references(kit: memkit.Memkit, qualified: str, *, overrides: bool) -> set[Site]:
    """Return where the graph says that a symbol is referred to."""
    edges = [node.via for node in kit.codegraph.references(qualified, overrides=overrides)]
    return {
        (edge.path, edge.line)
        for edge in edges
        if edge is not None and (overrides or edge.kind != RelationKind.OVERRIDES)
    }


def _is_defined(symbol: Symbol, tree: Tree, server: LanguageServer) -> bool:
    """Return whether the engine, too, takes the place of a symbol for its definition.

    A property of an object whose type says what it has is no definition to it. From a definition
    some go to a declaration, and from that back.
    """
    own = {(tree.root / path, line) for path, line, _ in symbol.places}
    path, line, column = symbol.places[0]
    defined = server.definitions(tree.root / path, line, column)
    if own & defined or not defined:
        return True
    places = [(file, at) for file, at in defined if file.is_relative_to(tree.root)]
    back = set()
    for file, at in places:
        for start in tree.columns((file.relative_to(tree.root).as_posix(), at), symbol.name):
            back |= server.definitions(file, at, start)
    return bool(own & back)


def is_known(site: Site, name: str, tree: Tree, server: LanguageServer) -> bool:
    """Return whether the engine knows what a name means that stands on a line."""
    path, line = site
    return any(
        server.definitions(tree.root / path, line, column) for column in tree.columns(site, name)
    )


def rows_of(name: str, comparisons: Sequence[Comparison]) -> list[Row]:
    """Return precision and recall over all sites of all symbols, with the floor's."""
    found = sum(len(one.graph) for one in comparisons)
    right = sum(len(one.graph & one.engine) for one in comparisons)
    sites = sum(len(one.engine) for one in comparisons)
    words = sum(len(one.word) for one in comparisons)
    return [
        Row(name, "precision", right / max(1, found), sites / max(1, words)),
        Row(name, "recall", right / max(1, sites), 1.0),
    ]


def differences(comparisons: Iterable[Comparison], tree: Tree) -> Iterator[str]:
    """Yield a line for each site that is wrong or missed, with its text."""
    for one in comparisons:
        for kind, sites in (("wrong", one.graph - one.engine), ("missed", one.engine - one.graph)):
            for site in sorted(sites):
                yield f"{kind} {one.symbol.kind} {one.symbol.qualified} @ {tree.shown(site)}"


@contextlib.contextmanager
def copied(root: Path, engine: Engine) -> Iterator[Path]:
    """Lend the tree, or a copy with the settings that the engine is to read."""
    with tempfile.TemporaryDirectory() as scratch:
        if engine.settings:
            copy = Path(scratch).resolve() / root.name
            shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            for name, text in engine.settings.items():
                (copy / name).write_text(text, encoding="utf-8")
            root = copy
        yield root


@contextlib.contextmanager
def opened(tree: Tree, engine: Engine) -> Iterator[tuple[memkit.Memkit, LanguageServer]]:
    """Lend a kit with the graph of a tree, taken as it is, and an engine that has read it."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        memkit.open(Path(scratch) / "rename.memkit.db") as kit,
        LanguageServer(engine.command, tree.root, options=engine.options) as server,
    ):
        for path, language in tree.languages.items():
            ending = "react" if path.endswith("sx") and language in _WITH_MARKUP else ""
            server.open(tree.root / path, engine.languages[language] + ending)
        kit.codegraph.index(tree.root)
        server.settle()
        with kit.codegraph.snapshot():
            yield kit, server


def measured(root: Path, engine: Engine, limit: int) -> tuple[Tree, list[Comparison]]:
    """Return the tree and what was compared; raises Refused where the server does not run."""
    with copied(root, engine) as own_root:
        tree = Tree(own_root, engine.languages)
        if not tree.lines:
            return tree, []
        with opened(tree, engine) as (kit, server):
            return tree, list(compared(kit, tree, engine, server, limit))


def of_each_tree(
    engines: Mapping[str, Engine], trees: Iterable[Path], measure: Callable[[Path, Engine], T]
) -> Iterator[tuple[str, Path, T]]:
    """Yield the engine's name, the tree, and what is measured of it with the engine; one that is
    not on the path, or does not run on a tree, is skipped by name."""
    for name, engine in engines.items():
        if shutil.which(engine.command[0]) is None:
            sys.stdout.write(f"skipped {name}: {engine.command[0]} is not on the path\n")
            continue
        for root in trees:
            try:
                yield name, root, measure(root.resolve(), engine)
            except Refused as why:
                sys.stdout.write(f"skipped {name} on {root.name}: {why}\n")


def finish(rows: Sequence[Row]) -> int:
    """Print the table of what was measured, or leave where nothing was."""
    if not rows:
        leave("nothing was measured")
    sys.stdout.write(table(rows) + "\n")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask each engine that is there about each tree, compare, print."""
    parser = argparse.ArgumentParser("python -m bench.rename", description=__doc__)
    parser.add_argument("--tree", type=folder, required=True, action="append", help="source tree")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only these engines")
    parser.add_argument("--symbols", type=positive, default=50, help="of each tree and engine")
    parser.add_argument("--wrong", type=int, default=0, help="print so many differences")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    engines = {name: ENGINES[name] for name in options.engine or ENGINES}
    measure = functools.partial(measured, limit=options.symbols)
    for name, root, (tree, comparisons) in of_each_tree(engines, options.tree, measure):
        if not comparisons:
            continue
        sites = sum(len(one.engine) for one in comparisons)
        unjudged = sum(one.unjudged for one in comparisons)
        counts = f"{len(comparisons)} symbols, {sites} sites, {unjudged} more not judged"
        sys.stdout.write(f"{name}: {root.name}: {counts}\n")
        lines = itertools.islice(differences(comparisons, tree), options.wrong)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        rows += rows_of(f"rename/{root.name}", comparisons)
    return finish(rows)


def _code(data: bytes, path: str, language: str) -> str:
    """Return a text with blanks in place of comments and strings, save what is computed in them."""
    text = bytearray(data)
    nodes = [grammars.parse(data, "tsx" if path.endswith("sx") else language).root_node]
    while nodes:
        node = nodes.pop()
        if "comment" in node.type or _STRING.fullmatch(node.type):
            inner = [child for child in node.named_children if _COMPUTED.search(child.type)]
            ends = [node.start_byte, *(at for c in inner for at in (c.start_byte, c.end_byte))]
            for start, end in _pairs([*ends, node.end_byte]):
                text[start:end] = re.sub(rb"[^\n]", b" ", text[start:end])
            nodes += inner
        else:
            nodes += node.children
    return text.decode(errors="replace")


def _pairs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(numbers[::2], numbers[1::2], strict=True)


def _units(text: str, match: re.Match[str]) -> int:
    return len(text[: match.start()].encode("utf-16-le")) // 2


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")


def _is_source(file: Path, path: str) -> bool:
    parts = path.split("/")
    if any(part.startswith(".") or part == "node_modules" for part in parts):
        return False
    return file.is_file() and not file.is_symlink() and file.stat().st_size <= _LARGEST


if __name__ == "__main__":
    raise SystemExit(main())
