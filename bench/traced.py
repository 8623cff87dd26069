"""Calls of a real Python package beside those that were traced while its own tests ran.

    python -m bench.traced PACKAGE_FOLDER TESTS_FOLDER [--python INTERPRETER] [-- pytest options]

Recall: share of the traced calls that are found. Precision: share right of the edges found whose
line ran a call. A call that is resolved to a method counts for those that override it. Generators
and coroutines are left out: a call of one runs nothing yet. Who calls a decorated function calls
it, not what its decorator put around it. What a Protocol declares is left out: what has its
methods need not say so.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from memkit.codegraph.facts import Facts
from memkit.codegraph.languages import extract
from memkit.codegraph.resolve import Edge, Place, Program, SourceTree

from .command_line import existing, folder

Call = tuple[Place, Place]
# A function as a tracer knows it, three values each: file, name, line.
Rows = Sequence[Sequence[object]]

# What runs without a call expression or inside of a function of C, which is not traced.
_IMPLIED = (
    "__enter__", "__exit__", "__iter__", "__next__", "__aenter__", "__aexit__",
    "__len__", "__repr__", "__hash__", "__abs__", "__del__", "__getattr__",
)  # fmt: skip


class Traced(NamedTuple):
    """What ran.

    Attributes:
        edges: caller and callee.
        through: who called a caller, that, and its callee: what may stand around the callee.
        lines: file and line of what made calls.
    """

    edges: Rows
    through: Rows
    lines: set[tuple[str, int]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Trace, resolve, compare, print."""
    parser = argparse.ArgumentParser("python -m bench.traced", description=__doc__)
    parser.add_argument("package", type=folder, help="folder of the package's sources")
    parser.add_argument("tests", type=existing)
    parser.add_argument("--python", default=sys.executable, help="interpreter that can run them")
    parser.add_argument("--flow", action="store_true", help="values followed as well")
    parser.add_argument("--wrong", type=int, default=0, help="print so many wrong and missed calls")
    given, options = parser.parse_known_args(arguments)
    package = given.package.resolve()
    traced = trace(package, given.tests.resolve(), given.python, options)
    code = Package(package)
    print(compare(code, traced, flow=given.flow, wrong=given.wrong))
    return 0


def trace(package: Path, tests: Path, python: str, options: Sequence[str]) -> Traced:
    """Return the calls that the tests made."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "calls.json"
        # By itself: beside it lie modules named as those of the standard library.
        shutil.copy(Path(__file__).with_name("tracer.py"), folder)
        paths = [folder, str(package.parent), os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "MEMKIT_TRACED_ROOT": f"{package}{os.sep}",
            "MEMKIT_TRACED_OUT": str(out),
        }
        command = [python, "-m", "pytest", "-q", "-p", "tracer", "-p", "no:cacheprovider"]
        command += [*options, str(tests)]
        subprocess.run(command, env=environment, cwd=tests.parent, check=False)
        found = json.loads(out.read_text(encoding="utf-8"))
    return Traced(found["edges"], found["through"], {(path, line) for path, line in found["lines"]})


class Package:
    """A package's files as facts, and its definitions by the place where their code begins."""

    def __init__(self, folder: Path) -> None:
        self.root = folder.parent
        self.facts: dict[str, Facts] = {}
        self._begins: dict[tuple[str, str, int], Place] = {}
        for file in sorted(folder.rglob("*.py")):
            path, data = file.relative_to(self.root).as_posix(), file.read_bytes()
            facts = self.facts[path] = extract(data, path, "python")
            for number, definition in enumerate(facts.definitions):
                line = data.count(b"\n", 0, definition.start) + 1
                self._begins[str(file), definition.name, line] = (path, number)
        self.program = Program(SourceTree.of(self.facts, {}))

    def known(self, traced: Traced) -> tuple[set[Call], set[Call]]:
        """Return traced calls between definitions, and those that decorators put between; top
        levels of files and classes are left out."""
        pairs = (self._places(row) for row in traced.edges)
        found = {(pair[0], pair[1]) for pair in pairs if len(pair) == 2}
        between: set[Call] = set()
        for row in traced.through:
            places = self._places(row)
            if len(places) == 3 and self._stands_around(places[1], places[2]):
                between |= {(places[0], places[1]), (places[1], places[2])}
                found.add((places[0], places[2]))
        return {one for one in found - between if self.is_plain(one[1])}, between

    def _places(self, row: Sequence[object]) -> tuple[Place, ...]:
        """Return the definitions of a row; what is none is left out."""
        rows = [(str(a), str(b), int(str(c))) for a, b, c in zip(*[iter(row)] * 3, strict=True)]
        places = [self._begins.get(one) or self._around(*one) for one in rows]
        return tuple(place for place in places if place is not None)

    def _stands_around(self, outer: Place, inner: Place) -> bool:
        """Return whether a function is of a decorator of another."""
        terms = self.facts[inner[0]].definitions[inner[1]].decorators
        named = [one[1] if one is not None and one[0] == "call" else one for one in terms]
        around = self.facts[outer[0]].definitions[outer[1]].qualname.split(".")[:-1]
        return any(one is not None and one[-1] in around for one in named)

    def _around(self, file: str, qualname: str, line: int) -> Place | None:
        """Return the function of a dotted name that a generator expression on a line stands in."""
        path = Path(file).relative_to(self.root).as_posix()
        facts = self.facts.get(path)
        found = [
            number
            for number, one in enumerate(facts.definitions if facts else ())
            if one.qualname == qualname and one.line <= line <= one.end_line
        ]
        return (path, found[-1]) if found else None

    def is_plain(self, place: Place) -> bool:
        """Return whether calling a function runs it at once."""
        facts = self.facts[place[0]]
        definition = facts.definitions[place[1]]
        gives = any(
            statement[0] == "yield"
            for scope, statements in enumerate(facts.statements)
            if facts.scopes[scope].definition == place[1]
            for statement in statements
        )
        if definition.name in _IMPLIED or self._is_declared(place[0], definition.scope):
            return False
        return not gives and "async" not in definition.flags and "property" not in definition.flags

    def _is_declared(self, path: str, scope: int) -> bool:
        """Return whether what stands in a scope is only declared there: by a Protocol."""
        facts = self.facts[path]
        kind, _, number = facts.scopes[scope]
        bases = facts.definitions[number].bases if kind == "class" else ()
        named = [one[1] if one is not None and one[0] == "item" else one for one in bases]
        return any(one is not None and one[-1] == "Protocol" for one in named)


def compare(code: Package, traced: Traced, *, flow: bool, wrong: int) -> str:
    """Return precision and recall in one line."""
    gold, between = code.known(traced)
    resolved = {path: code.program.resolve(path).edges for path in code.facts}
    above: dict[Place, set[Place]] = defaultdict(set)
    for path, edges in resolved.items():
        for edge in edges:
            if edge.kind == "overrides":
                above[path, edge.source].add((edge.path, edge.target))
    calls = code.program.flow() if flow else resolved
    found = {
        (path, edge.source, edge.path, edge.target): edge
        for path, edges in calls.items()
        for edge in edges
        if edge.kind == "calls" and edge.state == "resolved" and edge.source >= 0
    }
    pairs = {((a, b), (c, d)) for a, b, c, d in found}
    declared = {(source, base) for source, target in gold for base in _up(target, above)}
    hits = {call for call in gold if any((call[0], b) in pairs for b in _up(call[1], above))}
    judged = {
        ((a, b), (c, d))
        for (a, b, c, d), edge in found.items()
        if _ran(code, a, edge, traced.lines) and code.is_plain((c, d)) and code.is_plain((a, b))
    } - between
    right = judged & declared
    for call in [*sorted(judged - right)[:wrong], *sorted(gold - hits)[:wrong]]:
        print("wrong " if call in judged else "missed", *(_said(code, end) for end in call))
    precision, recall = len(right) / max(1, len(judged)), len(hits) / max(1, len(gold))
    counts = f"{len(gold)} traced calls, {len(judged)} judged"
    return f"{counts}: precision {precision:.3f} recall {recall:.3f}"


def _up(place: Place, above: dict[Place, set[Place]]) -> set[Place]:
    found, left = {place}, [place]
    while left:
        for base in above[left.pop()] - found:
            found.add(base)
            left.append(base)
    return found


def _ran(code: Package, path: str, edge: Edge, lines: set[tuple[str, int]]) -> bool:
    return (str(code.root / path), edge.line) in lines


def _said(code: Package, place: Place) -> str:
    definition = code.facts[place[0]].definitions[place[1]]
    return f"{place[0]}:{definition.line}:{definition.qualname}"


if __name__ == "__main__":
    raise SystemExit(main())
