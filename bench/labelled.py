"""Calls at labelled sites: precision and recall of the code graph, for any language.

    python -m bench.labelled --tree FOLDER --labels FILE [--wrong N]

A line of FILE is a site and what is called there, parted by tabs: path, line, name, targets. The
targets are `path:line` (several, parted by "|", are as good as each other) or `outside`; lines that
begin with `#` are skipped. A site is a name that is called on a line; what is called twice there is
one site. Precision is the share of the graph's resolved edges at these sites that are right, recall
the share of the sites with a target in the tree at which it was found. Beside them stands the
floor: each name that only one definition in the tree has, taken for that.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from memkit.codegraph.facts import Facts, Term
from memkit.codegraph.languages import LANGUAGES, dialect_of, extract, is_setting
from memkit.codegraph.resolve import SourceTree
from memkit.codegraph.resolve.edge_collector import EdgeCollector
from memkit.codegraph.resolve.engine import InferenceEngine

from .command_line import existing, folder

# A line of a file, and the name that is called there.
Site = tuple[int, str]
_OUTSIDE = "outside"
_CALLED = frozenset({"function", "method", "class"})


@attrs.frozen
class Label:
    """One site and its targets in the tree; none if what is called lies outside."""

    path: str
    line: int
    name: str
    targets: frozenset[str]


@attrs.frozen
class Score:
    """Precision and recall at labelled sites, with the edges that are wrong and sites missed."""

    edges: int
    sites: int
    wrong: list[str]
    missed: list[str]

    def line(self, name: str) -> str:
        """Return the figures on one line."""
        precision = 1 - len(self.wrong) / max(1, self.edges)
        recall = 1 - len(self.missed) / max(1, self.sites)
        counts = f"({self.edges} edges, {self.sites} sites in the tree)"
        return f"{name:10} precision {precision:.3f}  recall {recall:.3f}  {counts}"


class SiteEdges(EdgeCollector):
    """The walk through a file that notes which edges each call made.

    Attributes:
        targets: (path, number) of what is called, by site.
    """

    def __init__(self, engine: InferenceEngine, path: str) -> None:
        super().__init__(engine, path)
        self.targets: dict[Site, set[tuple[str, int]]] = defaultdict(set)
        self._classes: set[tuple[str, int]] = set()
        self._reached: set[tuple[str, int]] = set()

    def add(
        self,
        kind: str,
        path: str,
        target: int,
        tier: str,
        state: str = "resolved",
        *,
        word: str = "",
    ) -> None:
        """Add an edge, and note it for the call at hand."""
        super().add(kind, path, target, tier, state, word=word)
        if kind == "calls" and state == "resolved":
            self._reached.add((path, target))
        elif kind == "uses" and self.engine.files[path].definitions[target].kind == "class":
            self._classes.add((path, target))

    def _call(self, scope: int, term: Any) -> None:
        self._reached, self._classes = set(), set()
        super()._call(scope, term)
        # A class without a constructor of its own is what is called by its name.
        if term[4] is not None and (reached := self._reached or self._classes):
            line = self.file.facts.sites[term[4]]
            self.targets[line, name_of(term[1])] |= reached

    def _place(self, scope: int, term: Any) -> tuple[Any, ...] | None:
        """Return None, so that every call is worked out: a second one would make no edge again."""
        return None


def name_of(callee: Term) -> str:
    """Return the name that is written where something is called."""
    while callee is not None and callee[0] in ("item", "in"):
        callee = callee[-1 if callee[0] == "in" else 1]
    if callee is None:
        return ""
    if callee[0] in ("self", "super"):
        return "this" if callee[0] == "self" else "super"
    return str(callee[-1]).strip("<>").rpartition(".")[2]


def read_labels(text: str) -> list[Label]:
    """Return the labels of a file."""
    labels = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            path, number, name, targets = line.split("\t")
            places = frozenset(targets.split("|")) - {_OUTSIDE}
            labels.append(Label(path, int(number), name, places))
    return labels


def read_tree(root: Path) -> tuple[dict[str, Facts], dict[str, str]]:
    """Return the facts of every file below a folder, and the texts of settings, by path."""
    facts, texts = {}, {}
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if not file.is_file() or path.startswith(".") or "/." in path:
            continue
        if is_setting(file.name):
            texts[path] = file.read_text(encoding="utf-8", errors="replace")
        data = file.read_bytes()
        dialect = dialect_of(path, data[:4096])
        if dialect is not None and dialect.name in LANGUAGES:
            facts[path] = extract(data, path, dialect.name)
    return facts, texts


def compared(labels: Sequence[Label], targets: Mapping[str, Mapping[Site, Sequence[str]]]) -> Score:
    """Return how the targets by path and site stand beside the labels."""
    edges, sites = 0, 0
    wrong: list[str] = []
    missed: list[str] = []
    for label in labels:
        named = targets.get(label.path, {}).get((label.line, label.name), ())
        site = f"{label.path}:{label.line} {label.name}"
        edges += len(named)
        wrong += [f"{site} -> {target}" for target in named if target not in label.targets]
        sites += bool(label.targets)
        if label.targets and label.targets.isdisjoint(named):
            missed.append(f"{site} -> {'|'.join(sorted(label.targets))}")
    return Score(edges, sites, wrong, missed)


def graph_targets(
    facts: Mapping[str, Facts], texts: Mapping[str, str], paths: Sequence[str]
) -> dict[str, dict[Site, Sequence[str]]]:
    """Return what the code graph has for the sites of some files."""
    engine = InferenceEngine(SourceTree.of(facts, texts))
    targets: dict[str, dict[Site, Sequence[str]]] = {}
    for path in paths:
        if path not in facts:
            continue
        engine.begin_file(path)
        walk = SiteEdges(engine, path)
        walk.collect()
        targets[path] = {
            site: sorted({f"{there}:{_line(facts, there, number)}" for there, number in places})
            for site, places in walk.targets.items()
        }
    return targets


def name_targets(
    facts: Mapping[str, Facts], labels: Sequence[Label]
) -> dict[str, dict[Site, Sequence[str]]]:
    """Return the floor: what is called by a name that only one definition in the tree has."""
    named: dict[str, set[str]] = defaultdict(set)
    for path, file in facts.items():
        for definition in file.definitions:
            if definition.kind in _CALLED:
                named[definition.name].add(f"{path}:{definition.line}")
    targets: dict[str, dict[Site, Sequence[str]]] = defaultdict(dict)
    for label in labels:
        if len(places := named.get(label.name, set())) == 1:
            targets[label.path][label.line, label.name] = sorted(places)
    return targets


def _line(facts: Mapping[str, Facts], path: str, number: int) -> int:
    return facts[path].definitions[number].line if number >= 0 else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Extract, resolve, compare, print."""
    parser = argparse.ArgumentParser("python -m bench.labelled", description=__doc__)
    parser.add_argument("--tree", type=folder, required=True, help="the code that is labelled")
    parser.add_argument("--labels", type=existing, required=True, help="file with the labels")
    parser.add_argument("--wrong", type=int, default=0, help="print so many wrong and missed calls")
    options = parser.parse_args(arguments)
    labels = read_labels(options.labels.read_text(encoding="utf-8"))
    begun = time.perf_counter()
    facts, texts = read_tree(options.tree)
    graph = compared(labels, graph_targets(facts, texts, sorted({label.path for label in labels})))
    floor = compared(labels, name_targets(facts, labels))
    seconds = time.perf_counter() - begun
    lines = [f"{len(labels)} sites, {len(facts)} files, {seconds:.1f} s"]
    lines += [graph.line("memkit"), floor.line("bare names")]
    lines += [f"wrong {call}" for call in graph.wrong[: options.wrong]]
    lines += [f"missed {call}" for call in graph.missed[: options.wrong]]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
