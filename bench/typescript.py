"""Calls in the sources of packages from npm beside those that the compiler of TypeScript knows.

Needs node, and a folder in which TypeScript (below 7, which has no interface for programs) and the
packages are installed. A call is told by the function that it stands in and the one that is called.
Right is what is called, its overloads, and what overrides it. Not judged is what stands in a line
where the compiler cannot tell what runs (values of type any, functions in variables), and functions
that are given to something outside, which may run them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from memkit.codegraph.facts import Facts
from memkit.codegraph.languages import is_setting
from memkit.codegraph.resolve import Place

from .call_oracle import CallComparison, Missing
from .codegraph import Code, is_found
from .systemnames import definition_around

# Packages that publish their sources, and the folder of them.
_OWN = """
zod/src rxjs/src immer/src @reduxjs/toolkit/src ajv/lib @tanstack/query-core/src express/lib koa/lib
commander/lib fastify/lib underscore/modules axios/lib winston/lib mobx/src @trpc/server/src ws/lib
undici/lib mongoose/lib
""".split()
_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_TESTS = frozenset({"test", "tests", "__tests__", "benchmarks", "node_modules"})
_RUNNING = frozenset({"function", "method"})
_AROUND = _RUNNING | {"class"}
# What a loop or a spread calls without its being written.
_IMPLIED = frozenset({"[Symbol.iterator]", "[Symbol.asyncIterator]", "next"})
_MEMORY = "--max-old-space-size=4096"

# Two functions: the one in which a call stands, and the one that is called.
Call = tuple[Place, Place]
# A file, the first byte of a function in it and the byte behind its last one.
Spot = Sequence[Any]


def installed(npm: Path) -> list[str]:
    """Return the packages with sources that are installed in a folder."""
    return [name for name in _OWN if (npm / "node_modules" / name).is_dir()]


def measured(npm: Path, name: str) -> CallComparison:
    """Compile, resolve, compare the folder of a package. Raises Missing if that cannot be done."""
    compiler, own = npm / "node_modules" / "typescript", npm / "node_modules" / name
    node = shutil.which("node")
    if node is None or not compiler.is_dir():
        raise Missing(f"packages of npm; they need node, and typescript in {compiler.parent}")
    files = {path.relative_to(own).as_posix(): path for path in _sources(own)}
    if not files:
        raise Missing(f"no sources in {own}")
    with tempfile.TemporaryDirectory() as folder:
        # Outside of node_modules, where the compiler takes nothing for a source.
        root = Path(folder)
        (root / "node_modules").symlink_to((npm / "node_modules").resolve())
        shutil.copytree(own, root / "own", ignore=shutil.ignore_patterns(*_TESTS))
        settings = _settings(npm / "node_modules", name)
        for path, text in settings.items():
            (root / "own" / path).write_text(text, encoding="utf-8")
        done = subprocess.run(
            [node, _MEMORY, Path(__file__).with_suffix(".cjs"), compiler.resolve(), root / "own"],
            input="\n".join(files).encode(),
            capture_output=True,
            check=False,
        )
    if done.returncode:
        raise Missing(f"{name}: {done.stderr.decode(errors='replace').strip().splitlines()[-1]}")
    texts = {path: place.read_text("utf-8", "replace") for path, place in files.items()}
    return Package({**texts, **settings}).compared(json.loads(done.stdout))


def _sources(own: Path) -> list[Path]:
    return [
        path
        for path in sorted(own.rglob("*"))
        if path.name.endswith(_ENDINGS) and _TESTS.isdisjoint(path.relative_to(own).parts)
    ]


def _settings(modules: Path, name: str) -> dict[str, str]:
    """Return the settings of a package, as if they lay beside its sources."""
    parts = name.split("/")
    package = modules.joinpath(*parts[: 1 + name.startswith("@")])
    found = {path.name: path for path in package.iterdir() if is_setting(path.name)}
    return {name: path.read_text("utf-8") for name, path in found.items()}


@attrs.define
class Known:
    """What the compiler says of calls, by the function in which they stand.

    Attributes:
        asked: what is called, each with its overloads.
        also: what may run besides.
        open: lines with calls of which it cannot tell what runs.
        above: for a method those that it overrides.
    """

    asked: dict[Place, set[frozenset[Place]]] = attrs.field(factory=lambda: defaultdict(set))
    also: dict[Place, set[Place]] = attrs.field(factory=lambda: defaultdict(set))
    open: dict[Place, set[int]] = attrs.field(factory=lambda: defaultdict(set))
    above: dict[Place, set[Place]] = attrs.field(factory=lambda: defaultdict(set))

    def may_run(self, call: Call) -> bool:
        """Return whether what is called is right: called there, or below what is called."""
        caller, left = call[0], [call[1]]
        right = frozenset().union(*self.asked.get(caller, ()))
        seen: set[Place] = set()
        while left:
            place = left.pop()
            if place in right:
                return True
            if place not in seen:
                seen.add(place)
                left += self.above.get(place, ())
        return False


class Package:
    """Files of a package, and their functions by place."""

    def __init__(self, files: dict[str, str]) -> None:
        self._code = Code(files)
        self._bytes = {path: text.encode() for path, text in files.items()}
        self._spans = {
            path: [
                (one.start, one.end, number)
                for number, one in enumerate(facts.definitions)
                if one.kind in _AROUND
            ]
            for path, facts in self._code.facts.items()
        }

    def compared(self, told: Any) -> CallComparison:
        """Return the calls that are found beside what the compiler tells (see `typescript.cjs`)."""
        known = self._known(told)
        found = {
            (self._caller(path, edge.source), (edge.path, edge.target)): edge.line
            for path, edge in self._code.looked_up()
            if is_found(edge)
        }
        named = ((self._caller(*source), target) for source, target in self._code.by_name())
        right, wrong, missed = self._judged(known, found)
        floor = self._judged(known, dict.fromkeys(named, 0))
        asked = sum(map(len, known.asked.values()))
        return CallComparison(
            files=len(self._code.facts),
            found=len(right) + len(wrong),
            asked=asked,
            wrong=list(map(self._said, wrong)),
            missed=list(map(self._said, missed)),
            floor=(
                len(floor[0]) / max(1, len(floor[0]) + len(floor[1])),
                1 - len(floor[2]) / max(1, asked),
            ),
        )

    def _judged(
        self, known: Known, found: dict[Call, int]
    ) -> tuple[list[Call], list[Call], list[Call]]:
        """Return the calls that are right, wrong and missed."""
        right = [call for call in found if known.may_run(call)]
        others = found.keys() - set(right)
        wrong = [
            call
            for call in found
            if call in others
            and call[1] not in known.also.get(call[0], ())
            and found[call] not in known.open.get(call[0], ())
            and self._name(call[1]) not in _IMPLIED
        ]
        missed = [
            (caller, min(overloads))
            for caller, all_asked in known.asked.items()
            for overloads in all_asked
            if not any((caller, one) in found for one in overloads)
        ]
        return right, wrong, missed

    def _known(self, told: Any) -> Known:
        known = Known()
        for path, at, line, is_known, targets, handed in told["calls"]:
            if path not in self._spans:
                continue
            caller = (path, self._around(path, at, at + 1, _AROUND))
            known.asked[caller].update(filter(None, map(self._places, targets)))
            known.also[caller].update(self._places(handed))
            if not is_known:
                known.open[caller].add(line)
        for below, above in told["above"]:
            for place in self._places([below]):
                known.above[place].update(self._places([above]))
        return known

    def _places(self, spots: Iterable[Spot]) -> frozenset[Place]:
        return frozenset(place for spot in spots for place in self._place(spot))

    def _place(self, spot: Spot) -> Iterator[Place]:
        path, first, last = spot
        number = self._around(path, first, last, _RUNNING) if path in self._spans else -1
        if number >= 0:
            yield path, number

    def _around(self, path: str, first: int, last: int, kinds: frozenset[str]) -> int:
        """Return the smallest definition of some kinds around some bytes, -1 if there is none; of
        several in one statement the last one that begins before them."""
        listed = self._code.facts[path].definitions
        found = [
            (end - start, number)
            for start, end, number in self._spans[path]
            if start <= first and last <= end and listed[number].kind in kinds
        ]
        if not found:
            return -1
        alike = [number for size, number in found if size == min(found)[0]]
        if len(alike) == 1:
            return alike[0]
        above = self._bytes[path][: first + 1].decode("utf-8", "replace")
        place = (above.count("\n") + 1, len(above) - above.rfind("\n") - 1)
        begun = [n for n in alike if (listed[n].line, listed[n].column) <= place]
        return begun[-1] if begun else alike[0]

    def _caller(self, path: str, number: int) -> Place:
        """Return the function or class that a definition is or lies in."""
        facts: Facts = self._code.facts[path]
        while number >= 0 and facts.definitions[number].kind not in _AROUND:
            number = definition_around(facts, facts.definitions[number].scope)
        return path, number

    def _name(self, place: Place) -> str:
        return self._code.facts[place[0]].definitions[place[1]].name

    def _said(self, call: Call) -> str:
        (path, source), (other, target) = call
        caller = self._code.facts[path].definitions[source].qualname if source >= 0 else ""
        called = self._code.facts[other].definitions[target]
        return f"{path} {caller} → {other}:{called.line} {called.qualname}"
