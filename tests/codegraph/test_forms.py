"""What a language calls its symbols: more than a kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.errors import InvalidInput

RUST = """\
mod inner { pub struct In; }
struct Tool { size: u8 }
trait Weigh { fn weigh(&self); }
enum Act { Set }
type Id = u64;
macro_rules! twice { ($x:expr) => { $x * 2 } }
fn run() {}
"""


def test_forms_of_rust(make_kit: Callable[..., memkit.Memkit], tmp_path: Path) -> None:
    """Modules, structs, traits and enums are called so, and are found as such and as classes."""
    (tmp_path / "a.rs").write_text(RUST)
    kit = make_kit()
    kit.codegraph.index(tmp_path)
    forms = {node.qualname: node.form for node in kit.codegraph.outline("a.rs")}
    assert forms == {
        "inner": "module", "inner.In": "struct", "Tool": "struct", "Weigh": "trait",
        "Weigh.weigh": "method", "Act": "enum", "Id": "type", "twice": "macro", "run": "function",
    }  # fmt: skip
    for kind in ("class", "struct"):
        assert [node.name for node in kit.codegraph.find_symbol("Tool", kind=kind)] == ["Tool"]
    assert kit.codegraph.find_symbol("Tool", kind="trait").is_near
    with pytest.raises(InvalidInput, match="kind"):
        kit.codegraph.find_symbol("Tool", kind="gadget")
