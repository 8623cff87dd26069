"""Calls in the JDK's own sources beside those that its compiler made of them.

Needs a JDK that has its sources (lib/src.zip). A call is told by its file, the method that it
stands in and the method that is called. Right is what is called, and what overrides it: an object
that is known is of its own class. What the compiler adds by itself is not missed, but for the
methods by which one of a generic is called with its bounds.
"""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from memkit.codegraph.facts import Definition, Facts
from memkit.codegraph.languages import extract
from memkit.codegraph.resolve import Place, Program, SourceTree

from .bytecode import MAKING, Bytecode, Call, classes_of, disassembled, without_arguments
from .call_oracle import CallComparison, Missing

# A file and the name of a method in it.
Where = tuple[str, str]

_PACKAGES = (
    "java/util", "java/util/concurrent", "java/util/function", "java/util/jar", "java/util/logging",
    "java/util/regex", "java/util/stream", "java/util/zip", "java/net",
)  # fmt: skip
# What is called without being written: loops, resources, boxes, enums, what is not null.
_IMPLIED = frozenset(
    """
    iterator hasNext next close addSuppressed valueOf intValue longValue doubleValue booleanValue
    ordinal values clone requireNonNull hashCode equals toString
    """.split()
)
_NUMBERS = frozenset("int long float double boolean byte short char".split())


def measured(home: Path | None, module: str, packages: Sequence[str]) -> CallComparison:
    """Disassemble, resolve, compare. Raises Missing where there is nothing to compare."""
    jdk = home or _installed()
    if jdk is None:
        raise Missing("there is no JDK with lib/src.zip below /usr/lib/jvm; name one by --jdk")
    packages = packages or _PACKAGES
    files = _sources(jdk, module, packages)
    if not files:
        raise Missing(f"no sources of {module}, {', '.join(packages)} in {jdk}/lib/src.zip")
    compiled = Bytecode()
    compiled.read(disassembled(jdk, module, classes_of(jdk, module, packages)))
    return Sources(files).compared(compiled)


def _installed() -> Path | None:
    found = sorted(Path("/usr/lib/jvm").glob("*/lib/src.zip"))
    return found[-1].parent.parent if found else None


def _sources(jdk: Path, module: str, packages: Sequence[str]) -> dict[str, bytes]:
    """Return the sources of some packages, by path."""
    if not (jdk / "lib" / "src.zip").is_file():
        return {}
    with zipfile.ZipFile(jdk / "lib" / "src.zip") as archive:
        return {
            name: archive.read(name)
            for name in archive.namelist()
            if name.endswith(".java")
            and name.startswith(f"{module}/")
            and name.removeprefix(f"{module}/").rpartition("/")[0] in packages
        }


class Sources:
    """Files of Java as facts, and their methods by class and name."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.facts = {path: extract(data, path, "java") for path, data in files.items()}
        self._methods: dict[tuple[str, str], list[Place]] = defaultdict(list)
        self._class: dict[Place, str] = {}
        for path, facts in self.facts.items():
            for number, one in enumerate(facts.definitions):
                owner = one.qualname.rpartition(".")[0]
                if one.kind == "method" and "<" not in owner:
                    kind = f"{facts.namespace}.{owner.replace('.', '$')}"
                    self._methods[kind, _name(one)].append((path, number))
                    self._class[path, number] = kind

    def compared(self, compiled: Bytecode) -> CallComparison:
        """Return the calls that are found beside those of the compiler."""
        gold = self._compiled(compiled)
        found = self._resolved()
        calls = [(where, place) for where, places in found.items() for place in places]
        bad = [
            (where, place)
            for where, place in calls
            if not any(self._may_run(place, one, compiled) for one in gold.get(where, ()))
        ]
        asked = [
            (where, place)
            for where, places in gold.items()
            for place in places
            if _name(self._definition(place)) not in _IMPLIED
        ]
        missed = [one for one in asked if one[1] not in found.get(one[0], ())]
        return CallComparison(
            files=len(self.facts),
            found=len(calls),
            asked=len(asked),
            wrong=list(map(self._said, bad)),
            missed=list(map(self._said, missed)),
        )

    def _said(self, call: tuple[Where, Place]) -> str:
        (path, method), place = call
        return f"{path} {method} → {self._definition(place).qualname}"

    def _compiled(self, compiled: Bytecode) -> dict[Where, set[Place]]:
        """Return what the compiler made calls of, as definitions."""
        paths = {
            f"{facts.namespace}/{path.rpartition('/')[2]}": path
            for path, facts in self.facts.items()
        }
        found: dict[Where, set[Place]] = defaultdict(set)
        for call in compiled.calls:
            if _is_implied(call, compiled):
                continue
            package = call.source.rpartition(".")[0]
            path = paths.get(f"{package}/{compiled.files[call.source]}")
            place = self._called(call, compiled) if path is not None else None
            if path is not None and place is not None:
                found[path, call.method].add(place)
        return found

    def _called(self, call: Call, compiled: Bytecode) -> Place | None:
        """Return the method that is called: of the class that is named, or of one above it."""
        kinds = [call.target]
        if call.name != MAKING:
            kinds += compiled.all_above(call.target)
        for kind in kinds:
            ranked = [
                (rank, place)
                for place in self._methods.get((kind, call.name), ())
                if (rank := _rank(call, self._definition(place))) is not None
            ]
            if ranked:
                return max(ranked)[1]
        return None

    def _resolved(self) -> dict[Where, set[Place]]:
        """Return the calls that are resolved, of lambdas as those of the method around them."""
        program = Program(SourceTree.of(self.facts, {}))
        found: dict[Where, set[Place]] = defaultdict(set)
        for path, facts in self.facts.items():
            for edge in program.resolve(path).edges:
                is_call = edge.kind == "calls" and edge.state == "resolved"
                if is_call and (edge.path, edge.target) in self._class:
                    method = _method_around(facts, edge.source)
                    if method:
                        found[path, method].add((edge.path, edge.target))
        return found

    def _may_run(self, place: Place, called: Place, compiled: Bytecode) -> bool:
        """Return whether a method is the one that is called, or overrides it."""
        if place == called:
            return True
        one, other = self._definition(place), self._definition(called)
        if _name(one) != _name(other) or len(one.params) != len(other.params):
            return False
        pairs = zip(written(one), written(other), strict=False)
        alike = all(a == b or min(len(a), len(b)) <= 2 for a, b in pairs)
        is_below = self._class[called] in compiled.all_above(self._class[place])
        return _name(one) != MAKING and alike and is_below

    def _definition(self, place: Place) -> Definition:
        return self.facts[place[0]].definitions[place[1]]


def written(definition: Definition) -> list[str]:
    """Return the types of parameters as they are written, without packages and arguments."""
    listed = without_arguments(definition.signature.partition("(")[2].rpartition(")")[0])
    found = []
    for one in listed.replace("...", "[] ").split(","):
        words = [word for word in one.split() if word[0] != "@" and word != "final"]
        if words:
            found.append(words[0].rpartition(".")[2])
    return found


def _rank(call: Call, definition: Definition) -> int | None:
    """Return how well a definition fits the types of a call, None if it is another one.

    The compiler gives initialisers of inner classes and of enums more parameters in front.
    """
    own, types = written(definition), call.types
    if call.name == MAKING and len(types) > len(own):
        types = types[len(types) - len(own) :]
    if len(own) != len(types):
        return None
    rank = 0
    for compiled, source in zip(types, own, strict=True):
        if compiled == source:
            rank += 2
        elif _NUMBERS & {compiled, source} or compiled.endswith("[]") != source.endswith("[]"):
            return None
        elif len(source.strip("[]")) > 2 and not source.strip("[]").isupper():
            return None  # no parameter of a generic
    return rank


def _is_implied(call: Call, compiled: Bytecode) -> bool:
    """Return whether a call is that of the class above which nobody writes."""
    is_making = call.name == call.method == MAKING and not call.types
    return is_making and call.target in compiled.all_above(call.source)


def _name(definition: Definition) -> str:
    return MAKING if "constructor" in definition.flags else definition.name


def _method_around(facts: Facts, number: int) -> str:
    """Return the name of the method that a definition is or lies in; of a class it is made."""
    while number >= 0:
        definition = facts.definitions[number]
        if definition.kind == "class":
            return MAKING
        if definition.kind == "method":
            return _name(definition)
        scope = definition.scope
        while scope >= 0 and facts.scopes[scope].definition < 0:
            scope = facts.scopes[scope].parent
        number = facts.scopes[scope].definition if scope >= 0 else -1
    return ""
