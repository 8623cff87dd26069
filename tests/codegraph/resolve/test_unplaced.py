"""Imports that could only mean the tree's own code, where no file is."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import Sources

# Files, the first of which imports and calls → the state of what it calls.
STATES = {
    "Go, of the module": (
        {"a.go": 'package m\nimport "own.org/m/gen"\nfunc f() { gen.Run() }',
         "go.mod": "module own.org/m"},
        "unresolved",
    ),
    "Go, of another module": (
        {"a.go": 'package m\nimport "else.org/m/gen"\nfunc f() { gen.Run() }',
         "go.mod": "module own.org/m"},
        "outside",
    ),
    "Ruby, beside the file": ({"a.rb": "require_relative 'gone'"}, "unresolved"),
    "Ruby, a library": ({"a.rb": "require 'json'"}, "outside"),
    "Rust, its own module": (
        {"src/lib.rs": "mod gone;\nfn f() { gone::run() }", "Cargo.toml": '[package]\nname="a"'},
        "unresolved",
    ),
    "JavaScript, a library": ({"a.js": 'import { f } from "lib"\nf()'}, "outside"),
}  # fmt: skip


@each_row("case", STATES)
def test_states(case: str) -> None:
    """What could not be placed is not resolved; what lies outside is none of the tree's."""
    files, expected = STATES[case]
    program = Sources(files)
    states = {state for _, state, _ in program.resolved(next(iter(files))).counts}
    assert states == {expected}
