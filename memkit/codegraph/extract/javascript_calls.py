"""Calls of JavaScript and TypeScript, among them those that mean something to the structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .javascript_modules import required
from .temporaries import is_simple

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

# Calls after which the first argument has the members of the others.
_MIXING = {"Object.assign", "Object.setPrototypeOf", "util.inherits", "inherits"}
_CREATING = {"Object.create", "Object.freeze", "Object.seal"}
# Methods of arrays and promises that call what they are given with one element.
AWAITING = {"then", "catch", "finally"}
GIVING = {"then", "catch", "map"}
FOLDING = {"reduce", "reduceRight"}
# Which of the first arguments are elements, if not the first one alone.
_PLACES = {**dict.fromkeys(FOLDING, (False, True)), "sort": (True, True)}
RUNS = (
    AWAITING
    | FOLDING
    | set(
        """
    map forEach filter find findIndex findLast findLastIndex some every flatMap sort
    """.split()
    )
)
_INDIRECT = {"call", "apply", "bind"}
_NO_RECEIVER = {"this", "null", "undefined"}


def call(walk: Walk, node: Node, scope: int) -> Term:
    """A call; `require` is an import, `f.call(this, x)` a call of f."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type in ("import", "identifier"):
        imported = required(walk, node, scope)
        if imported is not None:
            return imported
    if function.type == "member_expression" and arguments is not None:
        special = _special(walk, function, arguments, scope)
        if special is not None:
            return special
    callee = walk.term(function, scope)
    given = _arguments(walk, arguments, scope, callee)
    site = _site(walk, function)
    if given and callee is not None and callee[0] == "attr" and callee[2] in RUNS:
        return _run_by(walk, callee, given, scope, site)
    _expected(walk, callee, given, scope)
    return _held_in(callee, given, ("call", callee, given, (), site))


def _expected(walk: Walk, callee: Term, given: tuple[Term, ...], scope: int) -> None:
    """Say what functions in place are called with: what the callee says to expect."""
    for place, value in enumerate(given):
        is_choice = value is not None and value[0] == "either"
        for one in value[1] if is_choice and value is not None else (value,):
            if callee is not None and one is not None and one[0] == "def":
                asked = tuple(
                    ("given", callee, place, number) if is_untyped else None
                    for number, is_untyped in enumerate(walk.builder.untyped(one[1]))
                )
                walk.feed(one[1], asked, scope)


def _held_in(callee: Term, given: tuple[Term, ...], whole: Term) -> Term:
    """Return a call with what it gives if it lists what a container holds.

    `Object.values(x)` gives values, `Object.entries(x)` and `x.entries()` pairs.
    """
    if callee is None or callee[0] != "attr" or callee[2] not in ("entries", "values"):
        return whole
    held: Term = None
    if callee[1] == ("name", "Object"):
        held = given[0] if len(given) == 1 else None
    elif callee[2] == "entries" and not given:
        held = callee[1]
    if held is None or not is_simple(held):
        return whole
    one: Term = ("item", held, None)
    if callee[2] == "entries":
        one = ("tuple", (None, one))
    return ("either", (whole, ("list", (one,))))


def _run_by(walk: Walk, callee: Term, given: tuple[Term, ...], scope: int, site: int) -> Term:
    """Return a call of `map` or its like, with what the functions give that it calls."""
    assert callee is not None
    receiver, name = callee[1], callee[2]
    if not is_simple(receiver):
        receiver = ("name", walk.temporary())
        walk.bind(scope, receiver[1], callee[1])
    run: Term = ("attr", receiver, name)
    results: list[Term] = []
    for one in given[:2]:
        if one is None or (one[0] != "def" and not (one[0] in ("name", "attr") and is_simple(one))):
            continue
        element: Term = ("await" if name in AWAITING else "iter", receiver)
        if name == "forEach":  # of a mapping its values
            element = ("either", (element, ("item", receiver, None)))
        places = tuple(element if is_one else None for is_one in _PLACES.get(name, (True,)))
        ran: Term = ("ran", run, ("call", one, places, (), site))
        if one[0] == "def":
            walk.feed(one[1], places, scope)
        if name in GIVING:
            results.append(ran if name in AWAITING else ("list", (ran,)))
        else:
            walk.add(scope, ("do", ran))
    whole: Term = ("call", run, given, (), site)
    return ("either", (whole, *results)) if results else whole


def new(walk: Walk, node: Node, scope: int) -> Term:
    """`new T(…)`."""
    made = node.child_by_field_name("constructor")
    if made is None:
        return None
    kind = walk.term(made, scope)
    arguments = _arguments(walk, node.child_by_field_name("arguments"), scope, kind)
    _expected(walk, kind, arguments, scope)
    value: Term = ("new", kind, arguments, (), _site(walk, made))
    given = node.child_by_field_name("type_arguments")
    if given is None or kind is None:
        return value
    types = tuple(walk.type(child) for child in given.named_children)
    key: Term = types[0] if len(types) == 1 else ("tuple", types)
    return ("cast", ("item", kind, key), value)


def _site(walk: Walk, function: Node) -> int:
    if function.type == "member_expression":
        function = function.child_by_field_name("property") or function
    return walk.builder.site(function)


def _arguments(walk: Walk, node: Node | None, scope: int, callee: Term = None) -> tuple[Term, ...]:
    if node is None:
        return ()
    if node.type != "arguments":  # the text of a tagged template
        walk.evaluate((node,), scope)
        return ()
    listed = [child for child in node.named_children if child.type != "comment"]
    found = []
    for place, child in enumerate(listed):
        if child.type == "object" and callee is not None and is_simple(callee):
            walk.asked = ("same", ("taken", callee, place))
        found.append(walk.term(child, scope))
    return tuple(found)


def _special(walk: Walk, function: Node, arguments: Node, scope: int) -> Term:
    """Return the term of a call that is more than one, None for a plain call."""
    name = walk.text_of(function, "property")
    if name in _INDIRECT:
        return _indirect(walk, function, name, arguments, scope)
    if name not in ("assign", "setPrototypeOf", "inherits", "create", "freeze", "seal"):
        return None
    written = walk.text(function)
    terms = () if written not in _MIXING | _CREATING else _arguments(walk, arguments, scope)
    if not terms:
        return None
    target = walk.held(terms[0], scope) if written in _MIXING else terms[0]
    for base in terms[1:]:
        if written in _MIXING:
            walk.add(scope, ("mixin", target, walk.held(base, scope)))
        else:
            walk.add(scope, ("do", base))
    return target


def _indirect(walk: Walk, function: Node, name: str, arguments: Node, scope: int) -> Term:
    """`f.call(this, x)`, `f.apply(this, xs)`, `f.bind(this)`: f, called or given on."""
    target = function.child_by_field_name("object")
    given = [child for child in arguments.named_children if child.type != "comment"]
    if target is None or not given or given[0].type not in _NO_RECEIVER:
        return None
    callee = walk.term(target, scope)
    terms = walk.terms(given[1:], scope)
    if name == "bind":
        for term in terms:
            walk.add(scope, ("do", term))
        return callee
    if name == "apply":
        terms = tuple(("star", term) for term in terms)
    return ("call", callee, terms, (), _site(walk, function))
