"""Analysis of code as the index sees it: files to facts to edges, in worker processes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import attrs

from ..redaction import redact, redact_path, scan, suspects
from .dialect import Dialect
from .facts import Definition, Facts, around
from .facts_codec import digest_number

# --- Analysis: the seam between the index and extractors, links and resolver.
#
# All of it is loaded when a tree is first indexed; a test hands in its own.

# What decides what a file's facts and edges are; a change in any of it makes the graph anew.
_PARTS = ("languages", "resolve")
_FILES = (
    "analysis.py", "dialect.py", "facts.py", "facts_codec.py", "index/edge_builder.py",
    "index/files.py",
)  # fmt: skip


# Path, language and namespace of a parsed file.
Listed = tuple[str, str, str]


class Program(Protocol):
    """Links the files of one tree."""

    def resolve(self, path: str) -> Any:
        """Return what a file refers to; see `ResolvedFile` in resolve/engine.py."""

    def flow(self) -> Any:
        """Return the edges of calls of each file, values followed through the whole program."""

    def close(self) -> None:
        """Let go of everything that was worked out."""


@attrs.frozen
class Analysis:
    """What the index must know of languages.

    Attributes:
        dialect_of: path and beginning of a file to its language, or None.
        extract: bytes, path and language of a file to its facts.
        keys_of: facts and namespace of a file to the keys under which others read them, each with
            a digest.
        namespaces: makes of (files, texts) a function from a path to its namespace.
        program: makes a Program of (files, facts_of, named, texts).
        is_setting: path of a file to whether its text decides what imports mean.
        named_settings: texts of such files by path to the paths of more, which those name.
        definition: differs when any of this works otherwise.
        languages: names that `dialect_of` gives; empty if they are not known.
    """

    dialect_of: Callable[[str, bytes], Dialect | None]
    extract: Callable[[bytes, str, str], Facts]
    keys_of: Callable[[Facts, str], Mapping[str, str]]
    namespaces: Callable[[Sequence[Listed], Mapping[str, str]], Callable[[str], str]]
    program: Callable[..., Program]
    is_setting: Callable[[str], bool] = lambda path: False
    named_settings: Callable[[Mapping[str, str]], Collection[str]] = lambda texts: ()
    definition: str = ""
    languages: frozenset[str] = frozenset()


def default_analysis() -> Analysis:
    """Return memkit's own extractors, links and resolver."""
    from .languages import (
        ModuleResolvers,
        dialect_of,
        extract,
        is_setting,
        languages,
        named_settings,
    )
    from .resolve import Program, SourceTree, keys_of

    def namespaces(files: Sequence[Listed], texts: Mapping[str, str]) -> Callable[[str], str]:
        modules = ModuleResolvers(files, texts)
        return lambda path: modules.of(path).namespace(path)

    return Analysis(
        dialect_of=dialect_of,
        extract=extract,
        keys_of=keys_of,
        namespaces=namespaces,
        program=lambda *parts: Program(SourceTree(*parts)),
        is_setting=is_setting,
        named_settings=named_settings,
        definition=definition(),
        languages=languages(),
    )


@lru_cache(maxsize=1)
def definition() -> str:
    """Return a hash of everything that facts and edges depend on: memkit's modules, grammars."""
    from importlib.metadata import version

    here = Path(__file__).parent
    modules = [here / name for name in _FILES]
    modules += [path for part in _PARTS for path in sorted((here / part).rglob("*.py"))]
    digest = hashlib.blake2b(digest_size=8)
    for path in modules:
        digest.update(path.read_bytes())
    for package in ("tree-sitter", "tree-sitter-language-pack"):
        digest.update(version(package).encode())
    return digest.hexdigest()


# --- Parsing of files, in worker processes where that pays.

Extract = Callable[[bytes, str, str], Facts]
Job = tuple[bytes, str, str]

# Files below which starting a process costs more than it saves.
MIN_PARALLEL = 500
# Files that lie waiting for the processes at most, so that a large tree is not read into memory.
_AHEAD = 512
_CHUNK = 16


class SymbolDraft(NamedTuple):
    """A symbol before it has a node; no record of attrs, for they are made by the ten thousand.

    Attributes:
        identity: name after those of its parents, and the number among its namesakes.
        parent: position of the symbol around it, -1 for the file.
        owner: name of the type that it belongs to where that stands elsewhere, else None.
    """

    identity: tuple[str, int]
    parent: int
    kind: str
    flags: str
    name: str
    line: int
    end_line: int
    digest: int
    owner: str | None = None


@attrs.frozen
class Parsed:
    """What is stored of a file.

    Attributes:
        failure: why there is nothing, or None.
        facts: the facts themselves.
    """

    failure: str | None = None
    namespace: str = ""
    lines: int = 0
    errors: int = 0
    symbols: tuple[SymbolDraft, ...] = ()
    facts: Facts | None = None


def parse(job: Job, extract: Extract) -> Parsed:
    """Return what is stored of a file; a fault in it or its extractor is that file's alone."""
    data, path, language = job
    try:
        facts = _without_secrets(extract(data, path, language))
        return Parsed(
            namespace=redact_path(facts.namespace),
            lines=facts.lines,
            errors=facts.errors,
            symbols=tuple(drafts(facts)),
            facts=facts,
        )
    except Exception as error:  # noqa: BLE001 - one file must not cost all others
        return Parsed(failure=redact(f"not parsed: {type(error).__name__}: {error}").text[:200])


def _without_secrets(facts: Facts) -> Facts:
    """Return facts whose definitions hold no secret in their names, as a heading may."""
    suspected = [
        definition.qualname for definition in facts.definitions if suspects(definition.qualname)
    ]
    # All in one scan: most of what a scan of so short a text takes is the same for all of them.
    if not suspected or not scan("\n".join(suspected)):
        return facts
    safe = (
        definition._replace(
            name=redact(definition.name).text, qualname=redact(definition.qualname).text
        )
        for definition in facts.definitions
    )
    return facts._replace(definitions=tuple(safe))


def parse_all(
    jobs: Iterable[Job], extract: Extract, *, processes: int
) -> Iterator[tuple[Job, Parsed]]:
    """Yield each job with its result, in order; `processes` above 1 work side by side."""
    if processes < 2:
        for job in jobs:
            yield job, parse(job, extract)
        return
    # Imported here: they cost more than all of a small update.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    waiting = iter(jobs)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, spawn, initializer=_leave_with_parent) as pool:
        while batch := list(islice(waiting, _AHEAD)):
            done = pool.map(parse, batch, [extract] * len(batch), chunksize=_CHUNK)
            yield from zip(batch, done, strict=True)


def _leave_with_parent() -> None:
    """End this process when the one that began it has gone, however that ended: a killed parent
    tells nobody, and its workers would wait for ever."""
    import multiprocessing
    import threading

    def wait() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def drafts(facts: Facts) -> Iterator[SymbolDraft]:
    """Yield a draft for each definition, in order."""
    seen: dict[str, int] = {}
    names: list[str] = []
    parents = _parents(facts)
    for number, definition in enumerate(facts.definitions):
        owner = _owner(facts, parents[number], definition)
        name = _within(names, parents, number, spelled(definition.name, owner))
        names.append(name)
        before = seen.get(name, 0)
        seen[name] = before + 1
        yield SymbolDraft(
            identity=(name, before),
            parent=parents[number],
            kind=definition.kind,
            flags=" ".join(sorted(definition.flags)),
            name=definition.name,
            line=definition.line,
            end_line=definition.end_line,
            digest=digest_number(definition.digest) if definition.digest else 0,
            owner=owner,
        )


def spelled(name: str, owner: str | None) -> str:
    """Return a name after that of its owner, as the column `code_symbols.spelled`."""
    return f"{owner}.{name}" if owner else name


def _within(names: list[str], parents: list[int], number: int, name: str) -> str:
    """Return a name after that of what is around it, as the tree of stored symbols spells it."""
    parent = parents[number]
    return f"{names[parent]}.{name}" if parent >= 0 else name


def _owner(facts: Facts, parent: int, definition: Definition) -> str | None:
    """Return the dotted name of the type that a definition belongs to where that stands elsewhere:
    what its own name has before it beyond that of what is around it."""
    holder = definition.qualname.rpartition(".")[0]
    if parent >= 0:
        around_it = facts.definitions[parent].qualname
        is_inside = definition.owner is not None and holder.startswith(f"{around_it}.")
        holder = holder[len(around_it) + 1 :] if is_inside else ""
    return holder or None


def _parents(facts: Facts) -> list[int]:
    """Return for each definition the one around it, -1 for the file.

    A method that is written elsewhere belongs to its type, if that stands before it in the scope of
    the method or one around that.
    """
    numbered = reversed(list(enumerate(facts.definitions)))
    types = {(d.scope, d.name): n for n, d in numbered if d.owner is None}
    parents = []
    for number, definition in enumerate(facts.definitions):
        parent = around(facts.scopes, definition.scope)
        owner, scope = definition.owner, definition.scope
        while owner and owner[0] == "name" and scope >= 0:
            if types.get((scope, owner[1]), number) < number:
                parent = types[scope, owner[1]]
                break
            scope = facts.scopes[scope].parent
        parents.append(parent if parent < number else -1)
    return parents
