"""Keys and digests of what other files can read.

    n:<namespace>:<name>        what binds a name of the module; name "*": what is imported whole
    a:<path>:<class>.<member>   what binds a member; member "<init>": its initialisers
    l:<path>:<member>           what binds a member of something that must be evaluated
    b:<path>:<class>            its bases
    c:<path>:<name>             whether something of that name is changed after it was made
    d:<path>:<function>         everything in an outermost function that its values depend on;
                                also in the blocks of a class, and ("") of the module
    u:<name>                    the definitions of a name
    m:…                         what a module resolver looks up

Positions, numbers of sites, scopes and definitions are left out: moving code changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import Any

from ..facts import Definition, Facts
from ..languages import dialect, provided_keys
from .file_scopes import FileBindings

_Parts = dict[str, list[Any]]


def keys_of(facts: Facts, own: str) -> dict[str, str]:
    """Return digest by key; `own` is the key of the file's namespace."""
    file = FileBindings(facts, dialect(facts.language))
    parts: _Parts = defaultdict(list)
    _of_module(file, own, parts)
    for number, definition in enumerate(facts.definitions):
        parts[f"u:{definition.name}"].append((definition.qualname, _head(file, definition)))
        if definition.kind == "class":
            _of_class(file, number, parts)
    for number, members in file.attrs.items():
        for name, bindings in members.items():
            key = f"a:{file.path}:{facts.definitions[number].qualname}.{name}"
            parts[key] += [_shape(file, binding) for binding in bindings]
    for _, base, name, value in file.loose:
        parts[f"l:{file.path}:{name}"] += [_shape(file, base), _shape(file, value)]
    for name in sorted(file.changed):
        parts[f"c:{file.path}:{name}"].append(name)
    _of_functions(file, parts)
    for key in provided_keys(facts.path, facts.language, facts.namespace):
        parts[key].append(facts.path)
    return {key: _digest(shapes) for key, shapes in parts.items()}


def _of_module(file: FileBindings, own: str, parts: _Parts) -> None:
    for name, bindings in file.names[0].items():
        parts[f"n:{own}:{name}"] += [_shape(file, binding) for binding in bindings]
    for name, exported in file.exports.items():
        parts[f"n:{own}:{name}"] += ["export", *exported]
    whole = [file.stars.get(0), file.export_stars, bool(file.exports)]
    if any(whole):
        parts[f"n:{own}:*"] += whole


def _of_class(file: FileBindings, number: int, parts: _Parts) -> None:
    definition = file.definitions[number]
    place = f"{file.path}:{definition.qualname}"
    bases = [_shape(file, base) for base in definition.bases]
    mixins = [_shape(file, mixin[1:]) for mixin in file.mixins]
    made_of = _shape(file, definition.returns)
    parts[f"b:{place}"] += [bases, mixins, definition.flags, made_of]
    if definition.body < 0:
        return
    for name, bindings in file.names[definition.body].items():
        parts[f"a:{place}.{name}"] += [_shape(file, binding) for binding in bindings]
    for maker in file.constructors(number):
        parts[f"a:{place}.<init>"].append(_shape(file, ("define", maker)))


def _of_functions(file: FileBindings, parts: _Parts) -> None:
    for definition in file.facts.definitions:
        if definition.kind in ("function", "method"):
            scope = definition.body if definition.body >= 0 else definition.scope
            key = file.unit(scope)
            params = [
                [param[0], *_shapes(file, param[1:3]), param[3]] for param in definition.params
            ]
            returns = _shape(file, definition.returns)
            parts[key].append((definition.qualname, params, returns, definition.flags))
    for scope, statements in enumerate(file.facts.statements):
        kind = file.facts.scopes[scope][0]
        if kind in ("function", "block"):
            inputs = [statement for statement in statements if statement[0] != "do"]
            if inputs:
                parts[file.unit(scope)] += [_shape(file, statement) for statement in inputs]


def _head(file: FileBindings, definition: Definition) -> Any:
    """Return what is asked of a definition by those that find it by its name."""
    params = [(param[3], param[2] is None) for param in definition.params]
    owner = _shape(file, definition.owner)
    return (definition.kind, params, definition.flags, owner, _shapes(file, definition.decorators))


def _shapes(file: FileBindings, engine: Any) -> list[Any]:
    return [_shape(file, term) for term in engine]


def _shape(file: FileBindings, term: Any) -> Any:
    """Return a term, a statement or a binding as lists without numbers that only count."""
    if not isinstance(term, tuple | list):
        return term
    tag = term[0] if term else None
    if tag in ("def", "define") and isinstance(term[1], int):
        definition = file.definitions[term[1]]
        return [tag, definition.qualname, _head(file, definition)]
    if tag == "param" and len(term) == 3 and isinstance(term[1], int):
        return [tag, term[2]]
    if isinstance(tag, str) and tag in _NUMBERED:
        place, size = _NUMBERED[tag]
        if len(term) >= size:
            term = [*term[:place], *term[place + 1 :]]
    return [_shape(file, part) for part in term]


# Tags of terms, statements and bindings with a number that only counts: its place, their size.
_NUMBERED = {
    "call": (4, 5),
    "new": (4, 5),
    "iter": (2, 3),
    "enter": (2, 3),
    "import": (5, 6),
    "export": (4, 5),
    "in": (1, 3),
    "value": (1, 3),
    "type": (1, 3),
    "narrow": (1, 3),
}


def _digest(shapes: list[Any]) -> str:
    return blake2b(repr(shapes).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
