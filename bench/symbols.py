"""Symbols found, against Universal Ctags: the share of its tags that have a symbol in the graph.

A tag counts as found if a symbol of its name begins on its line or the one beside it. What ctags
calls a tag and the graph no symbol is left out, kind by kind, in `LEFT_OUT`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import attrs

from memkit.codegraph.facts import Definition
from memkit.codegraph.languages import dialect_of, extract

from .archives import unpack
from .results import Options, Row

# Name of a language in ctags, and kinds that are no symbols: imports, packages, what has no name.
CTAGS = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "go": "Go",
    "rust": "Rust", "java": "Java", "c": "C", "cpp": "C++", "csharp": "C#", "ruby": "Ruby",
}  # fmt: skip
LEFT_OUT = {
    "python": {"module", "namespace", "unknown", "parameter", "local"},
    "javascript": {"alias", "unknown", "parameter"},
    "typescript": {"alias", "unknown", "parameter"},
    # Package clauses and the names of imports.
    "go": {"package", "packageName", "unknown", "receiver", "parameter"},
    # An `impl` is no symbol: its functions belong to the type.
    "rust": {"implementation"},
    "java": {"package"},
    "c": {"header", "label", "parameter", "local", "unknown"},
    "cpp": {"header", "label", "parameter", "local", "unknown", "using", "module", "partition"},
    # A namespace is said of the file, and `using X = …` is an import.
    "csharp": {"using", "namespace", "typedef"},
    "ruby": {"library"},
}
# Kinds that ctags gives to what lives in a function as well: no symbols there.
LOCALS = {"typescript": {"constant", "variable"}, "javascript": {"constant", "variable"}}
# It also takes keywords for names and keys of object literals for constants, and makes names up
# for functions without one; what `require` gives is an import.
_DECLARED = re.compile(r"\b(?:const|let|var)\b")
_KEYWORDS = {"const", "export", "extends", "if", "void", "string", "number", "function", "return"}
# Sources that come with the evaluation sets.
_ARCHIVES = ("restic", "just", "hono", "serena")
_LARGEST = 1_000_000
_SPACES = re.compile(r"\s+")


@attrs.frozen
class Share:
    """Tags found and there, and the first of those that are missing: (path, line, kind, name)."""

    found: int
    tags: int
    missing: tuple[tuple[str, int, str, str], ...]


def run(options: Options) -> Iterable[Row]:
    """Measure the sources at hand, or the tree that is named."""
    if shutil.which("ctags") is None:
        options.say("skipped symbols: ctags is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        roots = list(_roots(options, Path(folder)))
        for language in CTAGS:
            shares = [compare(root, language) for root in roots]
            tags = sum(share.tags for share in shares)
            if not tags:
                options.say(f"skipped symbols-{language}: no source of it (give one by --tree)")
                continue
            found = sum(share.found for share in shares)
            yield Row(f"symbols-{language}", "recall", found / tags)


def _roots(options: Options, folder: Path) -> Iterator[Path]:
    tree = getattr(options, "tree", None)
    if tree is not None:
        yield Path(tree)
        return
    for name in _ARCHIVES:
        archive = options.data / "commits" / "trees" / f"{name}.tar.gz"
        if archive.is_file():
            with tarfile.open(archive) as opened:
                unpack(opened, folder / name)
            yield folder / name
    # Headers of the running interpreter.
    yield Path(sysconfig.get_paths()["include"])


def compare(root: Path, language: str) -> Share:
    """Return which of the tags of a language below a folder have a symbol."""
    sources = list(_sources(root, language))
    wanted = _tags(root, [path for path, _ in sources], language)
    found, missing = 0, []
    for path, data in sources:
        lines = defaultdict(set)
        definitions = extract(data, path, language).definitions
        for definition in definitions:
            lines[_bare(definition.name)].add(definition.line)
        misread = _misread(data, definitions, language)
        for line, kind, name in wanted.get(path, ()):
            if misread(line, kind, name):
                continue
            if lines[_bare(name)].intersection((line - 1, line, line + 1)):
                found += 1
            else:
                missing.append((path, line, kind, name))
    return Share(found, found + len(missing), tuple(missing))


def _misread(
    data: bytes, definitions: Iterable[Definition], language: str
) -> Callable[[int, str, str], bool]:
    """Return what tells whether a tag is one of a local name, or of no name at all."""
    kinds = LOCALS.get(language)
    if kinds is None:
        return lambda line, kind, name: False
    texts = data.decode("utf-8", "replace").split("\n")
    inner = {
        line
        for definition in definitions
        if definition.kind in ("function", "method")
        for line in range(definition.line + 1, definition.end_line + 1)
    }

    def misread(line: int, kind: str, name: str) -> bool:
        text = texts[line - 1]
        other = line in inner or not _DECLARED.search(text) or "require(" in text
        unnamed = name in _KEYWORDS or name.startswith("AnonymousFunction")
        return unnamed or (kind in kinds and other)

    return misread


def _sources(root: Path, language: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.is_symlink() or path.stat().st_size > _LARGEST:
            continue
        name = path.relative_to(root).as_posix()
        if dialect_of(name) is not None or path.suffix == ".h":
            data = path.read_bytes()
            dialect = dialect_of(name, data[:4096])
            if dialect is not None and dialect.name == language:
                yield name, data


def _tags(root: Path, paths: list[str], language: str) -> dict[str, list[tuple[int, str, str]]]:
    """Return (line, kind, name) of every tag of each file."""
    if not paths:
        return {}
    done = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+neK", "--sort=no",
         f"--language-force={CTAGS[language]}", "-L", "-", "-f", "-"],
        cwd=root, input="\n".join(paths), capture_output=True, text=True, check=True,
    )  # fmt: skip
    found: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        name, kind = tag.get("name", ""), tag.get("kind", "")
        if kind not in LEFT_OUT[language] and name and "__anon" not in name:
            found[tag["path"]].append((tag["line"], kind, name))
    return found


def _bare(name: str) -> str:
    """Return a name as both write it: without scopes, quotes and spaces."""
    bare = _SPACES.sub("", name).strip("\"'`")
    return re.split(r"::|(?<=\w)\.(?=\w)", bare)[-1].removeprefix("self.")
