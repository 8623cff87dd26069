"""package.json: which file each form of `exports` and `imports` means."""

from __future__ import annotations

import json

import pytest

from tests.tables import each_row

from ..programs import calls

# What `exports` says, the name that is imported → the file that is meant.
EXPORTS = {
    "a path": ("./src/a.ts", "lib", "src/a.ts"),
    "the package alone": ({".": "./src/a.ts"}, "lib", "src/a.ts"),
    "sources before a build": ({"import": "./b.js", "types": "./src/a.ts"}, "lib", "src/a.ts"),
    "conditions in conditions": (
        {".": {"import": {"types": "./src/a.ts", "default": "./b.js"}}}, "lib", "src/a.ts",
    ),
    "an order of our own": ({"default": "./b.js", "node": "./src/a.ts"}, "lib", "src/a.ts"),
    "a condition of their own": ({"edge": "./src/a.ts"}, "lib", "src/a.ts"),
    "a name below": ({"./one": "./src/a.ts", ".": "./b.js"}, "lib/one", "src/a.ts"),
    "a pattern": ({"./*": "./src/*.ts"}, "lib/a", "src/a.ts"),
    "a pattern with an ending": ({"./*.js": "./src/*.ts"}, "lib/a.js", "src/a.ts"),
    "the longest pattern": ({"./*": "./*.js", "./in/*": "./src/*.ts"}, "lib/in/a", "src/a.ts"),
    "a name before a pattern": ({"./*": "./*.js", "./b": "./src/a.ts"}, "lib/b", "src/a.ts"),
    "the first that is there": ([{"import": "./gone.js"}, "./src/a.ts"], "lib", "src/a.ts"),
    "what a build makes of it": ({".": "./dist/esm/a.js"}, "lib", "src/a.ts"),
    "its declarations": ({"types": "./dist/a.d.ts"}, "lib", "src/a.ts"),
    "nothing of that name": ({"./one": "./src/a.ts"}, "lib/b", "b.js"),
}  # fmt: skip


@each_row("form", EXPORTS)
def test_exports(form: str) -> None:
    """A package's own list of names decides, conditions and patterns in their order."""
    exports, module, meant = EXPORTS[form]
    files = {
        "x/package.json": json.dumps({"name": "lib", "exports": exports}),
        "x/src/a.ts": "export function f() {}",
        "x/b.js": "export function f() {}",
        "app.ts": f'import {{ f }} from "{module}"\nf()',
    }
    assert calls(files) == {("app.ts:", f"x/{meant}:f")}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("main", "./src/a.ts"), ("main", "src/a"), ("module", "./src/a.ts"), ("types", "src/a.ts"),
        ("source", "src/a.ts"), ("main", "./lib/a.js"),
    ],
)  # fmt: skip
def test_fields_before_exports(field: str, value: str) -> None:
    """Without `exports` older fields say what a package is."""
    files = {
        "x/package.json": json.dumps({"name": "@y/lib", field: value}),
        "x/src/a.ts": "export function f() {}",
        "app.ts": 'import { f } from "@y/lib"\nf()',
    }
    assert calls(files) == {("app.ts:", "x/src/a.ts:f")}


def test_names_of_its_own() -> None:
    """`#name` is what the nearest package.json says, for its own files alone."""
    files = {
        "x/package.json": json.dumps(
            {"imports": {"#one": {"node": "./src/a.ts"}, "#all/*": "./src/*.ts"}}
        ),
        "x/src/a.ts": "export function f() {}",
        "x/in/use.ts": 'import { f } from "#one"\nimport * as all from "#all/a"\nf(); all.f()',
        "use.ts": 'import { f } from "#one"\nf()',
    }
    assert calls(files) == {("x/in/use.ts:", "x/src/a.ts:f")}
