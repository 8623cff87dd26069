"""Facts as short text, so that a test can list everything that a piece of source says.

    name = value        name: type      do value        return value     yield value
    def name            import local = module.name      export name = local

Values: `f(a, k=b)`, `new T(a)`, `a.b`, `a[k]`, `'text'`, `5`, `int` (a constant of which no more is
known), `[a]`, `(a, b)`, `{k: v}`, `fn(g)` (a function in place), `a | b` (one of both), `each a`,
`await a`, `*a`, `a as T`, `a T` (some value of type T), `type T` (the type itself), `a + b` (texts
that are joined), `f(a) by g` (a call that g makes, if it is one outside); `?` for what is
not known.
"""

from __future__ import annotations

import re
from typing import Any

from memkit.codegraph.facts import Definition, Facts

from .programs import facts_of

_PLACE = re.compile(r"^<(?:part )?\d+>$")


def said(text: str, path: str, within: str = "") -> list[str]:
    """Return what a source says, statement by statement; `within` a definition alone."""
    facts = facts_of(text, path)
    return [
        line
        for scope, statements in enumerate(facts.statements)
        if _lies(facts, scope, within)
        for one in statements
        if (line := _statement(facts, one))
    ]


def shown(definition: Definition, facts: Facts) -> str:
    """Return a definition with its parameters, what it gives and its bases: `f(a: T) -> R`."""
    params = ", ".join(_param(facts, one) for one in definition.params)
    taken = f"({params})" if definition.params else ""
    gives = f" -> {value(definition.returns, facts)}" if definition.returns else ""
    bases = "".join(f" < {value(base, facts)}" for base in definition.bases)
    flags = f" [{' '.join(definition.flags)}]" if definition.flags else ""
    return f"{definition.kind} {definition.qualname}{taken}{gives}{bases}{flags}"


def defined(text: str, path: str) -> list[str]:
    """Return the definitions of a source."""
    facts = facts_of(text, path)
    return [shown(one, facts) for one in facts.definitions]


def value(term: Any, facts: Facts) -> str:
    """Return a term as text."""
    if term is None:
        return "?"
    return str(_VALUES[term[0]](term, facts))


def _lies(facts: Facts, scope: int, within: str) -> bool:
    while within and scope >= 0:
        number = facts.scopes[scope].definition
        if number >= 0 and facts.definitions[number].qualname == within:
            return True
        scope = facts.scopes[scope].parent
    return not within


def _param(facts: Facts, param: Any) -> str:
    mark = param.sort if param.sort[:1] == "*" else ""
    kind = f": {value(param.type, facts)}" if param.type else ""
    default = f" = {value(param.default, facts)}" if param.default else ""
    return f"{mark}{param.name or '_'}{kind}{default}"


def _statement(facts: Facts, one: Any) -> str:
    tag = one[0]
    if tag in ("bind", "declare", "narrow", "mixin"):
        sign = {"bind": " =", "declare": ":", "narrow": " is", "mixin": " <"}[tag]
        return f"{value(one[1], facts)}{sign} {value(one[2], facts)}"
    if tag == "define":
        return f"def {facts.definitions[one[1]].qualname}"
    if tag == "import":
        _, local, module, name, level, _ = one
        whole = f"{'.' * level}{module}" + (f":{name}" if name is not None else "")
        return f"import {local} = {whole}" if local else f"import {whole}"
    if tag == "export":
        return f"export {one[1]} = {one[3] + ':' if one[3] else ''}{one[2]}"
    if tag in ("global", "nonlocal"):
        return f"{tag} {' '.join(one[1])}"
    return f"{tag} {value(one[1], facts)}"


def _called(term: Any, facts: Facts) -> str:
    given = [value(one, facts) for one in term[2]]
    given += [f"{name}={value(one, facts)}" for name, one in term[3]]
    word = "new " if term[0] == "new" else ""
    return f"{word}{value(term[1], facts)}({', '.join(given)})"


def _member(term: Any, facts: Facts) -> str:
    held = value(term[1], facts)
    return f"({held}).{term[2]}" if term[1] and term[1][0] == "typed" else f"{held}.{term[2]}"


def _listed(left: str, right: str) -> Any:
    return lambda term, facts: f"{left}{', '.join(value(one, facts) for one in term[1])}{right}"


def _const(term: Any, facts: Facts) -> str:
    return term[1] if term[2] is None else repr(term[2])


def _dict(term: Any, facts: Facts) -> str:
    pairs = [
        f"*{value(one, facts)}" if key is None else f"{value(key, facts)}: {value(one, facts)}"
        for key, one in term[1]
    ]
    return f"{{{', '.join(pairs)}}}"


_VALUES: dict[str, Any] = {
    # What is evaluated once and taken apart has the name of its place.
    "name": lambda term, facts: _PLACE.sub("<part>", term[1]),
    "attr": _member,
    "call": _called,
    "new": _called,
    "item": lambda term, facts: f"{value(term[1], facts)}[{value(term[2], facts)}]",
    "const": _const,
    "list": _listed("[", "]"),
    "tuple": _listed("(", ")"),
    "set": _listed("{", "}"),
    "dict": _dict,
    "def": lambda term, facts: f"fn({facts.definitions[term[1]].name})",
    "ran": lambda term, facts: f"{value(term[2], facts)} by {value(term[1], facts)}",
    "either": lambda term, facts: f"({' | '.join(value(one, facts) for one in term[1])})",
    "iter": lambda term, facts: f"each {value(term[1], facts)}",
    "enter": lambda term, facts: f"enter {value(term[1], facts)}",
    "await": lambda term, facts: f"await {value(term[1], facts)}",
    "star": lambda term, facts: f"*{value(term[1], facts)}",
    "seen": lambda term, facts: value(term[1], facts),
    "self": lambda term, facts: "self",
    "super": lambda term, facts: "super",
    "typeof": lambda term, facts: f"type {value(term[1], facts)}",
    "join": lambda term, facts: " + ".join(value(one, facts) for one in term[1]),
    "parameter": lambda term, facts: f"<class {term[1]}: {value(term[2], facts)}>",
    "generic": lambda term, facts: f"<own {term[1]}: {value(term[2], facts)}>",
    "argument": lambda term, facts: f"class given in {term[1]} ({value(term[2], facts)})",
    "cast": lambda term, facts: f"{value(term[2], facts)} as {value(term[1], facts)}",
    "typed": lambda term, facts: f"a {value(term[1], facts)}",
    "in": lambda term, facts: value(term[2], facts),
    "means": lambda term, facts: value(term[1], facts),
    "variable": lambda term, facts: f"<{term[1]}: {value(term[2], facts)}>",
    "same": lambda term, facts: f"as {value(term[1], facts)}",
    "taken": lambda term, facts: f"{value(term[1], facts)} #{term[2]}",
    "label": lambda term, facts: f"label {value(term[1], facts)}.{term[2]}",
}
