"""How each suite of call graphs names a function, from what the code graph knows of it."""

from __future__ import annotations

from collections.abc import Callable

from memkit.codegraph.facts import Facts

# A function's name in a suite, or none where the suite does not name such a thing.
Namer = Callable[[Facts, int], str | None]


def pycg(facts: Facts, number: int) -> str | None:
    """module.Class.function; a lambda is <lambda1>, <lambda2> … in what is around it."""
    return _dotted(facts, number, "<lambda{}>", {"<lambda>"})


def swarm(facts: Facts, number: int) -> str | None:
    """The same for JavaScript; functions without a name are <lambda1> or <arrow1>."""
    return _dotted(facts, number, "<lambda{}>", {"<lambda>"})


def jcg(facts: Facts, number: int) -> str | None:
    """file.function; a function without a name by its line."""
    stem = facts.path.rpartition("/")[2].partition(".")[0]
    if number < 0:
        return stem
    found = facts.definitions[number]
    name = f"<anonymous:{found.line}>" if found.name == "<lambda>" else found.name
    return f"{stem}.{name}"


def plain(facts: Facts, number: int) -> str | None:
    """The dotted name in the file."""
    return facts.definitions[number].qualname if number >= 0 else ""


NAMERS: dict[str, Namer] = {
    "pycg": pycg,
    "pycg-extended": pycg,
    "headergen": pycg,
    "swarm-js": swarm,
    "jcg-python": jcg,
    "jcg-js": jcg,
}


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
        number = _around(facts, found.scope)
    return ".".join([module, *reversed(parts)])


def _place_among_unnamed(facts: Facts, number: int, unnamed: set[str]) -> int:
    around = _around(facts, facts.definitions[number].scope)
    return sum(
        1
        for other in facts.definitions[: number + 1]
        if other.name in unnamed and _around(facts, other.scope) == around
    )


def _around(facts: Facts, scope: int) -> int:
    while scope >= 0:
        _, parent, definition = facts.scopes[scope]
        if definition >= 0:
            return definition
        scope = parent
    return -1
