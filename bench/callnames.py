"""How each suite of call graphs names a function, from what the code graph knows of it."""

from __future__ import annotations

import re
from collections.abc import Callable

from memkit.codegraph.facts import Definition, Facts

from .systemnames import GO_SUITES, definition_around, go, rust

# A function's name in a suite, or none where the suite does not name such a thing.
Namer = Callable[[Facts, int], str | None]


def pycg(facts: Facts, number: int) -> str | None:
    """module.Class.function; a lambda is <lambda1>, <lambda2> … in what is around it."""
    return _dotted(facts, number, "<lambda{}>", {"<lambda>"})


def jcg(facts: Facts, number: int) -> str | None:
    """file.function; with its line if the name stands twice or there is none."""
    if number < 0 or facts.definitions[number].kind == "class":
        return "<global>"
    found = facts.definitions[number]
    stem = facts.path.rpartition("/")[2].partition(".")[0]
    # The suite counts without the line that names the file.
    line = found.line - 1
    if found.name == "<lambda>":
        return f"{stem}.<anonymous:{line}>"
    is_twice = sum(other.name == found.name for other in facts.definitions) > 1
    return f"{stem}.{found.name}:{line}" if is_twice else f"{stem}.{found.name}"


def swarm(facts: Facts, number: int) -> str | None:
    """module.Class.function; arrows of the module are <arrow1> …, whatever they are bound to."""
    parts: list[str] = []
    while number >= 0:
        found = facts.definitions[number]
        if found.kind not in ("function", "method"):
            return None if not parts else ".".join(["main", *reversed(parts)])
        around = definition_around(facts, found.scope)
        parts.append(_script_name(facts, number, around))
        number = around
        while number >= 0 and facts.definitions[number].kind == "class":
            parts.append(facts.definitions[number].name)
            number = definition_around(facts, facts.definitions[number].scope)
    module = facts.path.rpartition(".")[0].replace("/", ".")
    return ".".join([module, *reversed(parts)]).replace(".[Symbol.", "[Symbol.")


def jcg_js(facts: Facts, number: int) -> str | None:
    """file.function; a method with its line, a function without a name by its line alone."""
    if number < 0:
        return "<global>"
    found = facts.definitions[number]
    if found.kind == "class":
        return None
    stem = facts.path.rpartition("/")[2].partition(".")[0]
    # The suite counts without the line that names the file.
    line = found.line - (facts.doc == facts.path)
    if found.name == "<anonymous>":
        return f"{stem}.<anonymous:{line}>"
    return f"{stem}.{found.name}:{line}" if found.kind == "method" else f"{stem}.{found.name}"


def cats(facts: Facts, number: int) -> str | None:
    """package.Class:method(types); types without their packages."""
    if number < 0:
        return None
    found = facts.definitions[number]
    while found.kind == "function":  # a lambda runs as a part of the method around it
        number = definition_around(facts, found.scope)
        if number < 0:
            return None
        found = facts.definitions[number]
    holder = definition_around(facts, found.scope)
    if found.kind != "method" or holder < 0:
        return None
    space = f"{facts.namespace}." if facts.namespace else ""
    owner = facts.definitions[holder].qualname.replace(".", "$")
    name = "<init>" if "constructor" in found.flags else found.name
    return f"{space}{owner}:{name}({','.join(_java_types(found))})"


def plain(facts: Facts, number: int) -> str | None:
    """The dotted name in the file."""
    return facts.definitions[number].qualname if number >= 0 else ""


NAMERS: dict[str, Namer] = {
    **dict.fromkeys(GO_SUITES, go),
    "rust-cgb": rust,
    "pycg": pycg,
    "pycg-extended": pycg,
    "headergen": pycg,
    "swarm-js": swarm,
    "jcg-python": jcg,
    "jcg-js": jcg_js,
    "cats": cats,
}


def clean(suite: str, pair: tuple[str, str]) -> tuple[str, str] | None:
    """Return a pair in the one spelling that suites use more than one of; None for what is outside.

    JCG gives callers with a line or without; CATS writes types with their packages.
    """
    source, target = pair
    if suite == "jcg-js":
        if target.startswith("Native.") or source.startswith("Native.") or source == "o":
            return None
        return re.sub(r"(?<!<anonymous):\d+$", "", source), target
    if suite == "cats":
        return re.sub(r"\b[a-z]\w*\.(?=[\w.]*[,\[)])", "", source), re.sub(
            r"\b[a-z]\w*\.(?=[\w.]*[,\[)])", "", target
        )
    outside = "<**" in target or target.startswith("<global>") or source.startswith("<builtin>")
    return None if outside else pair


def _dotted(facts: Facts, number: int, pattern: str, unnamed: set[str]) -> str:
    module = facts.path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    if number < 0:
        return module
    parts: list[str] = []
    while number >= 0:
        found = facts.definitions[number]
        name = found.name
        if name in unnamed:
            name = pattern.format(_place_among_unnamed(facts, number, unnamed))
        parts.append(name)
        number = definition_around(facts, found.scope)
    return ".".join([module, *reversed(parts)])


def _script_name(facts: Facts, number: int, around: int) -> str:
    """Return a function of JavaScript as people write it down: one without a name takes that of
    the variable whose value it stands in."""
    found = facts.definitions[number]
    if found.owner is not None:
        return found.qualname
    is_arrow = found.signature.endswith("=>") and found.kind == "function"
    if is_arrow and (around < 0 or found.name == "<anonymous>"):
        place = sum(
            1
            for other in facts.definitions[: number + 1]
            if other.signature.endswith("=>") and definition_around(facts, other.scope) == around
        )
        return f"<arrow{place}>"
    if found.name == "<anonymous>":
        for other in facts.definitions:
            if other.kind == "variable" and other.start <= found.start < found.end <= other.end:
                return other.name
    return found.name


def _java_types(definition: Definition) -> list[str]:
    listed = definition.signature.partition("(")[2].rpartition(")")[0]
    while "<" in listed and (bare := re.sub(r"<[^<>]*>", "", listed)) != listed:
        listed = bare
    found = []
    for one in filter(None, (part.strip() for part in listed.split(","))):
        words = [word for word in one.replace("...", "[] ").split() if word[0] != "@"]
        kind = next((word for word in words if word != "final"), "")
        found.append(kind.rpartition(".")[2])
    return found


def _place_among_unnamed(facts: Facts, number: int, unnamed: set[str]) -> int:
    around = definition_around(facts, facts.definitions[number].scope)
    return sum(
        1
        for other in facts.definitions[: number + 1]
        if other.name in unnamed and definition_around(facts, other.scope) == around
    )
