"""Code patterns: shapes that functions repeat, told as templates, remembered and ended."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

import memkit
from memkit.consolidation.code_patterns import common, likeness

_HANDLER = """
from web import route
@route("/{name}")
def add_{name}(request, session):
    data = parse_body(request)
    check_{name}(data)
    item = validate(data)
    session.store(item)
    return as_json(item)
def get_{name}(self):
    return self.{name}
"""
_GO_HANDLER = """package shop
func Add{name}(w Writer, r Request) {{
    data := parseBody(r)
    item := validate(data)
    store(item)
    audit{name}(item)
    writeJSON(w, item)
}}
"""


def _write(folder: Path, template: str, ending: str, names: str) -> None:
    for name in names.split():
        (folder / f"{name}{ending}").write_text(template.format(name=name), encoding="utf-8")


@pytest.mark.parametrize(
    ("template", "ending", "name", "calls"),
    [
        (_HANDLER, ".py", "add_…", ("parse_body", "validate", "store", "as_json")),
        (_GO_HANDLER, ".go", "Add…", ("parseBody", "validate", "store", "writeJSON")),
    ],
)
def test_functions_of_one_shape_are_one_template(
    kit: memkit.Memkit, template: str, ending: str, name: str, calls: tuple[str, ...]
) -> None:
    """What they share stands in it, what differs does not; getters are none. Any language."""
    _write(kit.path.parent, template, ending, "Order Item Label")
    kit.codegraph.index()
    [pattern] = kit.consolidation.find_patterns()
    assert (pattern.name, pattern.calls, pattern.files) == (name, calls, 3)
    assert pattern.hint.startswith(f"{name}: ")
    [memory] = kit.memories.find(form="pattern")
    assert (memory.compressed, memory.index_entry) == (pattern.hint, name)
    assert len(memory.about) == 3


def test_pattern_is_remembered_once_and_ends_with_its_code(kit: memkit.Memkit) -> None:
    """A second run changes nothing; what is shown in two files is no pattern; what somebody forgot
    does not come back, what the code lost and shows again does."""
    folder = kit.path.parent
    _write(folder, _HANDLER, ".py", "Order Item")
    kit.codegraph.index()
    assert kit.consolidation.find_patterns() == []
    _write(folder, _HANDLER, ".py", "Label")
    kit.codegraph.index()
    assert len(kit.consolidation.find_patterns(dry_run=True)) == 1
    assert not kit.memories.find(form="pattern")
    kit.consolidation.find_patterns()
    [memory] = kit.memories.find(form="pattern")
    kit.consolidation.find_patterns()
    assert list(kit.memories.find(form="pattern")) == [memory]
    (folder / "Label.py").unlink()
    kit.codegraph.index()
    kit.consolidation.find_patterns()
    assert kit.memories.get(memory).inactive_code == "source_gone"
    _write(folder, _HANDLER, ".py", "Label")
    kit.codegraph.index()
    kit.consolidation.find_patterns()
    assert kit.memories.get(memory).active
    kit.memories.forget(memory, reason="we know")
    kit.consolidation.find_patterns()
    assert not kit.memories.get(memory).active


_STEPS = st.lists(st.sampled_from("abcdef"), max_size=8)


@given(_STEPS, _STEPS)
def test_what_two_sequences_share_is_in_both(first: list[str], second: list[str]) -> None:
    """In order; and whole if they are equal."""
    rarity = dict.fromkeys("abcdef", 1.0)
    shared = common(first, second)
    for sequence in (first, second):
        rest = iter(sequence)
        assert all(step in rest for step in shared)
    assert common(first, first) == tuple(first)
    assert 0 <= likeness(first, second, rarity) <= 1
