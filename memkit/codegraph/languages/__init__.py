"""Registry of languages: one folder each, with dialect, extractor and module resolver.

To add a language, write a folder with an extractor and add one line to `REGISTRY`. The extractor is
a module with `DIALECT: Dialect` (what the resolver must know of the language), `extract(tree,
source, path) -> Facts`, and `grammar(path) -> str` if the grammar is not named as the language; one
for several languages has `dialect(language)` instead, and `extract` is told the language last.
`extract` makes a `walker.SyntaxWalker`, a subclass where there is state, with two tables by node
type: EXPRESSIONS of `f(walker, node) -> Term` and STATEMENTS of `f(walker, node) -> None`; then
`walker.run_tree(root)` and `walker.finish(root, namespace=…, doc=…)`. The functions of the tables
`evaluate` and `run` what is inside of a node, and `define`, `bind`, `declare`, `emit` and `hoist`
what it means; what languages write alike stands in `walker.py`. Where imports name files, a class
`Resolver(ModuleResolver)` in `modules.py` of the folder looks them up.

Modules are loaded when a file of their language is first met; nothing is executed. Languages that
only have a grammar are left to `generic.py`, which knows definitions and plain calls within a file;
a line of its `GRAMMARS` is enough for those, and a language that gets a folder leaves it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import translate
from functools import cache
from importlib import import_module
from typing import Any

import attrs

from ..dialect import Dialect
from ..facts import Facts
from .grammars import parse
from .modules import ListedFile, ModuleResolver
from .unicode_names import NormalizingResolver, normalized, with_normalized_names


@attrs.frozen
class Language:
    """One line of the registry.

    Attributes:
        extractor: module of the extractor, below this package.
        files: endings of its files and whole file names; held equal to the dialect by a test.
        modules: module of the module resolver; languages with the same one are a family, whose
            files import each other. Empty: every file stands alone.
        packages: language whose packages its files belong to, if not its own (Kotlin: Java).
    """

    extractor: str
    files: str
    modules: str = ""
    packages: str = ""

    @property
    def family(self) -> str:
        """Name of the folder in which module names are looked up."""
        return self.modules.partition(".")[0] or _ALONE


_ALONE = "alone"
_CPP_FILES = ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .inl .ipp .tpp"
REGISTRY = {
    "c": Language("c", ".c .h", "c.modules"),
    "cpp": Language("c.cpp", _CPP_FILES, "c.modules"),
    "csharp": Language("csharp.declarations", ".cs", "java.modules"),
    "go": Language("go.declarations", ".go", "go.modules"),
    "java": Language("java.declarations", ".java", "java.modules"),
    "javascript": Language("javascript.javascript", ".js .jsx .mjs .cjs", "javascript.modules"),
    "kotlin": Language("kotlin", ".kt .kts", "java.modules", "java"),
    "php": Language("php", ".php .phtml", "php.modules"),
    "python": Language("python.statements", ".py .pyi .pyw .ipynb", "python.modules"),
    "ruby": Language(
        "ruby.declarations", ".rb .rake .gemspec .ru Rakefile Gemfile", "ruby.modules"
    ),
    "rust": Language("rust.declarations", ".rs", "rust.modules"),
    "svelte": Language("javascript.components", ".svelte", "javascript.modules"),
    "typescript": Language("javascript.typescript", ".ts .tsx .mts .cts", "javascript.modules"),
    "vue": Language("javascript.components", ".vue", "javascript.modules"),
}
LANGUAGES = tuple(REGISTRY)
# Ending or whole file name to language.
ENDINGS = {name: language for language, line in REGISTRY.items() for name in line.files.split()}

_SHEBANG = re.compile(rb"#!\s*\S*?(?:env\s+(?:-\S+\s+)*)?(python|node|ruby|php)[\d.]*\b")
_SHEBANGS = {b"python": "python", b"node": "javascript", b"ruby": "ruby", b"php": "php"}
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
    named = getattr(module, "dialect", None)  # of a module for several languages
    language_dialect: Dialect = named(language) if named else module.DIALECT
    return language_dialect


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
    parsed_text = getattr(module, "parsed_text", None)
    text = parsed_text(data) if parsed_text else data
    tree = parse(text, grammar(path) if grammar else language)
    more = (language,) if hasattr(module, "dialect") else ()
    facts: Facts = module.extract(tree, data, path, *more)
    form = dialect(language).spelling
    return with_normalized_names(facts, data, form) if form else facts


def notebook_code(data: bytes) -> bytes:
    """Return the code of a notebook, each line where the file has it.

    Raises InvalidInput for what is none, or one in a language without notebooks here.
    """
    from .python.notebooks import code

    return code(data)


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
    if shebang := _SHEBANG.match(head):
        return _SHEBANGS[shebang[1]]
    language: str | None = _module("").language_of(path)
    return language


@cache
def _module(language: str) -> Any:
    line = REGISTRY.get(language)
    return import_module(f".{line.extractor if line else 'generic'}", __package__)


# Settings whose texts are handed to the module resolvers, by the family that reads them: whole file
# names, in which a star stands for any letters.
_SETTINGS = {
    "go": ("go.mod",),
    "javascript": ("package.json", "jsconfig.json", "tsconfig*.json", "*.tsconfig.json"),
    "python": ("pyproject.toml",),
    "rust": ("Cargo.toml",),
}
_SETTING_NAMES = {
    family: re.compile("|".join(map(translate, names))) for family, names in _SETTINGS.items()
}


def is_setting(path: str) -> bool:
    """Whether the text of a file is handed to the module resolvers, by its name."""
    name = path.rpartition("/")[2]
    return any(names.fullmatch(name) for names in _SETTING_NAMES.values())


def settings_among(files: Mapping[str, str]) -> dict[str, str]:
    """Return those of some files by path that are settings, or named by settings."""
    texts = {path: text for path, text in files.items() if is_setting(path)}
    while more := (named_settings(texts) & files.keys()) - texts.keys():
        texts |= {path: files[path] for path in more}
    return texts


def named_settings(texts: Mapping[str, str]) -> frozenset[str]:
    """Return the paths of more settings, which those whose texts are known name."""
    families = {
        family
        for family, names in _SETTING_NAMES.items()
        if any(names.fullmatch(path.rpartition("/")[2]) for path in texts)
    }
    named = [_resolver_class(family).named_settings(texts) for family in families]
    return frozenset().union(*named)


class ModuleResolvers:
    """Module resolvers of a tree, each made when a file of its family is first asked for."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str] | None = None) -> None:
        """Take (path, language, namespace) of every parsed file, and settings' texts by path."""
        self._files = files
        self._texts = texts or {}
        self._languages = {path: language for path, language, _ in files}
        self._resolvers: dict[str, NormalizingResolver] = {}

    def of(self, path: str) -> NormalizingResolver:
        """Return the module resolver for a file's imports."""
        return self.of_family(family_of(self._languages.get(path, "")))

    def of_family(self, family: str) -> NormalizingResolver:
        """Return the module resolver of a family."""
        if family not in self._resolvers:
            listed = [file for file in self._files if family_of(file[1]) == family]
            self._resolvers[family] = NormalizingResolver(
                _resolver_class(family), listed, self._texts, family
            )
        return self._resolvers[family]


def family_of(language: str) -> str:
    """Return the family of a language: the folder in which its imports are looked up."""
    return REGISTRY[language].family if language in REGISTRY else _ALONE


def _resolver_class(family: str) -> type[ModuleResolver]:
    if family == _ALONE:
        return ModuleResolver
    resolver: type[ModuleResolver] = import_module(f".{family}.modules", __package__).Resolver
    return resolver


def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
    """Return the dependency keys that change when a file appears or disappears."""
    family = family_of(language)
    return _resolver_class(family).provided_keys(normalized(path, family), language, namespace)
