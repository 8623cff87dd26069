"""What javap prints of compiled classes: which methods call which, and what classes lie above."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

_ANGLED = re.compile(r"<[^<>]*>")
_HEAD = re.compile(r"\b(?:class|interface)\s+([\w.$]+)")
_ABOVE = re.compile(r"\b(?:extends|implements)\s+([\w.$, ]+?)\s*(?=\bimplements\b|\bpermits\b|\{)")
_MEMBER = re.compile(r"([\w.$]+)\([^)]*\)")
_CALL = re.compile(r'// (?:Interface)?Method (?:([\w/$]+|"\[.*?")\.)?("<init>"|[\w$]+):(\(.*?\))')
_LAMBDA = re.compile(r"lambda\$(.+)\$\d+$")
_PRIMITIVE = {
    "I": "int", "J": "long", "F": "float", "D": "double",
    "Z": "boolean", "B": "byte", "S": "short", "C": "char",
}  # fmt: skip
_TYPE = re.compile(r"(\[*)(?:L([^;]+);|(\w))")
# Classes that one call of javap is asked for.
_AT_ONCE = 300
MAKING = "<init>"


@attrs.frozen
class Call:
    """One call in a compiled class; `types`: of the parameters, without their packages."""

    source: str
    method: str
    target: str
    name: str
    types: tuple[str, ...]


@attrs.define
class Bytecode:
    """What classes call, the names of their source files, and the classes right above them."""

    calls: set[Call] = attrs.field(factory=set)
    files: dict[str, str] = attrs.field(factory=dict)
    above: dict[str, tuple[str, ...]] = attrs.field(factory=dict)

    def read(self, lines: Iterable[str]) -> None:
        """Take in what `javap -c -p` prints."""
        file = kind = method = ""
        for line in lines:
            if line.startswith("Compiled from"):
                file = line.split('"')[1]
            elif not line.startswith(" ") and line.rstrip().endswith("{"):
                head = without_arguments(line)
                found = _HEAD.search(head)
                kind = found[1] if found else ""
                self.files[kind] = file
                listed = ",".join(one[1] for one in _ABOVE.finditer(head))
                self.above[kind] = tuple(one.strip() for one in listed.split(",") if one.strip())
            elif line.startswith("  ") and line[2] != " ":
                method = _named(line, kind) or method
            elif "invoke" in line and (called := _CALL.search(line)):
                target = (called[1] or kind).replace("/", ".")
                name = called[2].strip('"')
                self.calls.add(Call(kind, method, target, name, types_of(called[3])))

    def all_above(self, kind: str) -> Iterator[str]:
        """Yield the classes above one, the nearest first."""
        left, seen = list(self.above.get(kind, ())), {kind}
        while left:
            one = left.pop(0)
            if one not in seen:
                seen.add(one)
                yield one
                left += self.above.get(one, ())


def disassembled(jdk: Path, module: str, classes: Sequence[str]) -> Iterator[str]:
    """Yield what javap prints of classes of a module."""
    for start in range(0, len(classes), _AT_ONCE):
        command = [str(jdk / "bin" / "javap"), "-c", "-p", "--module", module]
        command += classes[start : start + _AT_ONCE]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        yield from done.stdout.splitlines()


def classes_of(jdk: Path, module: str, packages: Sequence[str]) -> list[str]:
    """Return the classes of a module that lie in some packages (with slashes)."""
    command = [str(jdk / "bin" / "jimage"), "list", "--include", f"regex:/{module}/.*"]
    done = subprocess.run(
        [*command, str(jdk / "lib" / "modules")], capture_output=True, text=True, check=True
    )
    names = (line.strip().removesuffix(".class") for line in done.stdout.splitlines())
    inside = set(packages)
    return [one.replace("/", ".") for one in names if one.rpartition("/")[0] in inside]


def types_of(descriptor: str) -> tuple[str, ...]:
    """Return the types of the parameters in a descriptor, without their packages."""
    found = []
    for dimensions, name, letter in _TYPE.findall(descriptor.strip("()")):
        bare = name.rpartition("/")[2].rpartition("$")[2] if name else _PRIMITIVE[letter]
        found.append(bare + "[]" * len(dimensions))
    return tuple(found)


def without_arguments(text: str) -> str:
    """Return a text without what stands in angle brackets."""
    while (bare := _ANGLED.sub("", text)) != text:
        text = bare
    return text


def _named(line: str, kind: str) -> str:
    """Return the name of the method that a line begins; what a lambda runs is of its method."""
    if line.strip() == "static {};":
        return MAKING
    found = _MEMBER.search(without_arguments(line))
    if found is None:
        return ""
    inside = _LAMBDA.match(found[1])
    name = inside[1] if inside else found[1]
    return MAKING if name in (kind, "static", "new") else name
