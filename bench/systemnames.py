"""How the Go and Rust suites name functions, and what their lists say without wrappers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from memkit.codegraph.facts import Facts

Pair = tuple[str, str]

_RECEIVER = re.compile(r"\(\*?([\w.]+)\)\.")
_INSTANCE = re.compile(r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]")
_WRAPPED = re.compile(r"\$(?:bound|thunk)$")
_IMPL = re.compile(r"\{impl (?:[^{}]*? for )?([^{}]+)\}")


def go(facts: Facts, number: int) -> str | None:
    """Function, Type.method; the n-th closure in one is Function$n, those of variables init$n."""
    if number < 0:
        return "init"
    found = facts.definitions[number]
    if found.name != "<lambda>":
        return found.qualname
    around = definition_around(facts, found.scope)
    place = sum(
        1
        for other in facts.definitions[: number + 1]
        if other.name == "<lambda>" and definition_around(facts, other.scope) == around
    )
    return f"{go(facts, around)}${place}"


def go_edges(edges: Iterable[Pair]) -> set[Pair]:
    """Return edges without what the compiler makes: wrappers of methods, instances of generics."""
    named = set()
    for source, target in edges:
        pair = (_go_name(source), _go_name(target))
        if pair[0] != pair[1] or source == target:
            named.add(pair)
    behind: dict[str, set[str]] = {}
    for source, target in named:
        behind.setdefault(source, set()).add(target)
    found = set()
    for source, target in named:
        if not _WRAPPED.search(source) and not target.startswith("reflect."):
            targets = behind.get(target, set()) if _WRAPPED.search(target) else {target}
            found |= {(source, one) for one in targets}
    return found


def _go_name(name: str) -> str:
    bare = _RECEIVER.sub(r"\1.", name)
    return _INSTANCE.sub("", bare)


def rust(facts: Facts, number: int) -> str | None:
    """crate::modules::Type::method, whichever `impl` of the type it stands in."""
    folder, _, inside = facts.path.rpartition("src/")
    crate = folder.rstrip("/").rpartition("/")[2]
    modules = inside.removesuffix(".rs").removesuffix("/mod").split("/")
    parts = [crate, *(one for one in modules if one not in ("lib", "main") or len(modules) > 1)]
    if number >= 0:
        parts += facts.definitions[number].qualname.split(".")
    return "::".join(parts)


def rust_edges(edges: Iterable[Pair]) -> set[Pair]:
    """Return edges to what is in the tree; `{impl Trait for Type}` is Type."""
    named = {(_IMPL.sub(r"\1", source), _IMPL.sub(r"\1", target)) for source, target in edges}
    return {pair for pair in named if not pair[1].startswith("std::")}


GO_SUITES = ("go-cha", "go-rta", "go-vta")
# What a suite's list is turned into before it is compared.
REWRITTEN: dict[str, Callable[[Iterable[Pair]], set[Pair]]] = {
    **dict.fromkeys(GO_SUITES, go_edges),
    "rust-cgb": rust_edges,
}
# Suites that list what runs: the methods that a method may turn out to be, and in Java what a
# lambda calls for whoever runs it. CATS lists not all of them: of it there is recall alone, which
# calls of too many methods do not lessen.
DISPATCHED = frozenset({*GO_SUITES, "cats"})


def definition_around(facts: Facts, scope: int) -> int:
    """Return the number of the function or class that a scope lies in, -1 if it is in none."""
    while scope >= 0:
        _, parent, definition = facts.scopes[scope]
        if definition >= 0:
            return definition
        scope = parent
    return -1
