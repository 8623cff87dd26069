"""Which language a file is in, and what it says: one module a language, loaded when first met.

To add a language write `extract/<language>.py` with

    DIALECT: Dialect                                 what the resolver must know of it
    extract(tree, source, path) -> Facts             made with `builder.FactsBuilder`
    grammar(path) -> str                             only if it is not named as the language

and its file endings to `ENDINGS` below. An ending of two languages is decided by `_sniffed`.
Languages that only have a grammar are left to `extract/generic.py`:

    language_of(path) -> str | None                  the grammar's name is the language's
    languages() -> names                             all that it gives
    dialect(language) -> Dialect
    extract(tree, source, path, language) -> Facts
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from ..dialect import Dialect
from ..facts import Facts
from ..grammars import parse
from .spelling import alike

# Ending or whole file name to language; held equal to the dialects by a test.
ENDINGS = {
    ".py": "python", ".pyi": "python", ".pyw": "python",
    ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".ts": "typescript", ".tsx": "typescript", ".mts": "typescript", ".cts": "typescript",
    ".vue": "vue", ".svelte": "svelte",
    ".java": "java",
    ".cs": "csharp",
    ".go": "go",
    ".rs": "rust",
    ".c": "c", ".h": "c",
    ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".c++": "cpp", ".hh": "cpp", ".hpp": "cpp",
    ".hxx": "cpp", ".h++": "cpp", ".inl": "cpp", ".ipp": "cpp", ".tpp": "cpp",
    ".rb": "ruby", ".rake": "ruby", ".gemspec": "ruby", ".ru": "ruby",
    "Rakefile": "ruby", "Gemfile": "ruby",
}  # fmt: skip
LANGUAGES = tuple(sorted(set(ENDINGS.values())))

_SHEBANG = re.compile(rb"#!\s*\S*?(?:env\s+(?:-\S+\s+)*)?(python|node|ruby)[\d.]*\b")
_SHEBANGS = {b"python": "python", b"node": "javascript", b"ruby": "ruby"}
_CPP = re.compile(
    rb"^\s*(?:namespace\b|class\s+\w|template\s*<|using\s+\w|public:|private:|protected:)"
    rb"|\w::\w|#\s*include\s*<(?:string|vector|map|memory|iostream|utility|functional|cstd\w+)>",
    re.MULTILINE,
)


def dialect_of(path: str, head: bytes = b"") -> Dialect | None:
    """Return the dialect of a file, None for a language that is not known.

    `head` is how its text begins (some kilobytes): it decides where the name leaves it open.
    """
    language = _named(path) or _sniffed(path, head)
    return dialect(language) if language else None


def dialect(language: str) -> Dialect:
    """Return the dialect of a language. Raises ModuleNotFoundError for one that is not there."""
    module = _module(language)
    found: Dialect = module.DIALECT if language in LANGUAGES else module.dialect(language)
    return found


@cache
def languages() -> frozenset[str]:
    """Return the names of all languages: those with an extractor, and those with a grammar."""
    return frozenset({*LANGUAGES, *_module("").languages()})


def extract(data: bytes, path: str, language: str) -> Facts:
    """Return what a file says; `data` is its text in UTF-8.

    Raises NotFound for a missing grammar and grammars.ParseTimeout for a file that takes too long.
    """
    module = _module(language)
    grammar = getattr(module, "grammar", None)
    tree = parse(data, grammar(path) if grammar else language)
    if language in LANGUAGES:
        facts: Facts = module.extract(tree, data, path)
    else:
        facts = module.extract(tree, data, path, language)
    form = dialect(language).spelling
    return alike(facts, data, form) if form else facts


def _named(path: str) -> str | None:
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    if dot and stem and ending != "h":
        return ENDINGS.get(f".{ending}") or ENDINGS.get(f".{ending.lower()}")
    return ENDINGS.get(name)


def _sniffed(path: str, head: bytes) -> str | None:
    """Return the language of a header, of a script, or one that only has a grammar."""
    if path.endswith((".h", ".H")):
        return "cpp" if _CPP.search(head) else "c"
    if found := _SHEBANG.match(head):
        return _SHEBANGS[found[1]]
    language: str | None = _module("").language_of(path)
    return language


@cache
def _module(language: str) -> Any:
    name = language if language in LANGUAGES else "generic"
    return import_module(f".{name}", __package__)
