"""Labels are read, held against the code graph, and against bare names."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.labelled import main, name_of, read_labels

SHOP = """\
package shop
class Cart {
  fun add(item: Item) { item.price() }
  fun clear() {}
}
class Item {
  fun price(): Int = 1
  fun clear() {}
}
fun run(cart: Cart, other: Other) {
  cart.add(Item()); cart.clear()
  other.clear(); println()
}
"""
LABELS = """\
# path, line, name, targets
shop.kt\t3\tprice\tshop.kt:7
shop.kt\t11\tItem\tshop.kt:6
shop.kt\t11\tclear\tshop.kt:4|shop.kt:99
shop.kt\t11\tadd\tshop.kt:8
shop.kt\t12\tclear\tshop.kt:8
shop.kt\t12\tprintln\toutside
"""


def test_figures_of_the_graph_and_the_floor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One edge of four is wrong, two of five sites in the tree are missed."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "shop.kt").write_text(SHOP, encoding="utf-8")
    labels = tmp_path / "labels.tsv"
    labels.write_text(LABELS, encoding="utf-8")
    assert main(["--tree", str(tree), "--labels", str(labels), "--wrong", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("6 sites, 1 files")
    assert "precision 0.750  recall 0.600  (4 edges, 5 sites in the tree)" in lines[1]
    assert "precision 0.667  recall 0.400  (3 edges, 5 sites in the tree)" in lines[2]
    assert lines[3:] == [
        "wrong shop.kt:11 add -> shop.kt:3",
        "missed shop.kt:11 add -> shop.kt:8",
        "missed shop.kt:12 clear -> shop.kt:8",
    ]


def test_labels_name_targets_or_the_outside() -> None:
    """Several targets are as good as each other; `outside` is none."""
    labels = read_labels(LABELS)
    assert labels[2].targets == {"shop.kt:4", "shop.kt:99"}
    assert labels[5].targets == frozenset()


def test_names_of_callees() -> None:
    """Generic types, classes with their package, other scopes, this and super."""
    assert name_of(("item", ("name", "List"), None)) == "List"
    assert name_of(("name", "<a.b.C>")) == "C"
    assert name_of(("in", 3, ("attr", ("name", "x"), "go"))) == "go"
    assert [name_of(("self",)), name_of(("super",)), name_of(None)] == ["this", "super", ""]
