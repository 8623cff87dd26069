"""The seam between the index and what understands languages: extractors, links, resolver.

All of it is loaded when a tree is first indexed; a test hands in its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import attrs

from .dialect import Dialect
from .facts import Facts

# What decides what a file's facts and edges are; a change in any of it makes the graph anew.
_PARTS = ("extract", "link", "resolve")
_FILES = (
    "dialect.py", "facts.py", "grammars.py", "packing.py", "parsing.py",
    "reads.py", "scanning.py",
)  # fmt: skip


# Path, language and namespace of a parsed file.
Listed = tuple[str, str, str]


class Program(Protocol):
    """Links the files of one tree."""

    def resolve(self, path: str) -> Any:
        """Return what a file refers to; see resolve/records.py."""

    def flow(self) -> Any:
        """Return the edges of calls of each file, values followed through the whole program."""


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
        config_files: names of files whose text decides what imports mean.
        definition: differs when any of this works otherwise.
        languages: names that `dialect_of` gives; empty if they are not known.
        name_key: the key under which a name is looked for in the whole tree.
        member_key: the same in a namespace of several files.
    """

    dialect_of: Callable[[str, bytes], Dialect | None]
    extract: Callable[[bytes, str, str], Facts]
    keys_of: Callable[[Facts, str], Mapping[str, str]]
    namespaces: Callable[[Sequence[Listed], Mapping[str, str]], Callable[[str], str]]
    program: Callable[..., Program]
    config_files: frozenset[str] = frozenset()
    definition: str = ""
    languages: frozenset[str] = frozenset()
    name_key: Callable[[str], str] = "u:{}".format
    member_key: Callable[[str, str], str] = "n:{}:{}".format


def default_analysis() -> Analysis:
    """Return memkit's own extractors, links and resolver."""
    from .extract import dialect_of, extract, languages
    from .link import CONFIG_FILES, Links
    from .resolve import Program, Tree, keys_of

    def namespaces(files: Sequence[Listed], texts: Mapping[str, str]) -> Callable[[str], str]:
        links = Links(files, texts)
        return lambda path: links.of(path).own(path)

    return Analysis(
        dialect_of=dialect_of,
        extract=extract,
        keys_of=keys_of,
        namespaces=namespaces,
        program=lambda *parts: Program(Tree(*parts)),
        config_files=frozenset(CONFIG_FILES),
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
    found = hashlib.blake2b(digest_size=8)
    for path in modules:
        found.update(path.read_bytes())
    for package in ("tree-sitter", "tree-sitter-language-pack"):
        found.update(version(package).encode())
    return found.hexdigest()
