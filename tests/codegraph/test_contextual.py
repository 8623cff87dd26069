"""Functions in place that are given to declared functions: what they are called with is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit.codegraph.analysis import default_analysis

from .programs import calls
from .trees import Tree

DECLARED = """\
export class Event { save() {} }
export class Other { save() {} }
export type Handler = (n: number, e: Event) => void
export function on(name: string, cb: (e: Event) => void) {}
export function maybe(cb?: Handler | null) {}
export function loose(cb: any) {}
export class Bus { each(cb: Handler): void {} }
"""
IMPORTS = "import { on, maybe, loose, Bus, Other } from './t'\n"


@pytest.mark.parametrize(
    ("used", "saved"),
    [
        ("on('x', (e) => e.save())", "Event"),
        ("on('x', e => { e.save() })", "Event"),
        ("on('x', async function (e) { e.save() })", "Event"),
        ("maybe((n, e) => e.save())", "Event"),
        ("new Bus().each((n, e) => e.save())", "Event"),
        ("on('x', (e: Other) => e.save())", "Other"),
        ("on('x', (a, e) => e.save())", ""),
        ("on((e) => e.save())", ""),
        ("loose((e) => e.save())", ""),
        ("unknown((e) => e.save())", ""),
    ],
)
def test_callbacks_of_declared_functions_had_no_types(used: str, saved: str) -> None:
    """A parameter without a type has that which the callee declares for it."""
    made = calls({"t.ts": DECLARED, "u.ts": f"{IMPORTS}{used}\n"})
    found = {target for _, target in made if target.endswith(".save")}
    assert found == ({f"t.ts:{saved}.save"} if saved else set())


def test_another_declared_type_is_followed(tmp_path: Path) -> None:
    """A call in a function in place is linked anew when the callee declares something else."""
    texts = [DECLARED, DECLARED.replace("cb: (e: Event)", "cb: (e: Other)")]
    graphs = []
    for name, steps in (("edited", texts), ("whole", texts[1:])):
        (tmp_path / name).mkdir()
        tree = Tree(tmp_path / name, default_analysis)
        tree.put("u.ts", f"{IMPORTS}on('x', (e) => e.save())\n")
        for text in steps:
            tree.put("t.ts", text)
            tree.index()
        graphs.append(tree.graph()["edges"])
    assert graphs[0] == graphs[1]
