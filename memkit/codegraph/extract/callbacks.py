"""Functions given to methods of collections, which call them with one element each."""

from __future__ import annotations

from collections.abc import Callable

from ..facts import Term
from .temporaries import is_simple
from .walking import Walker

# Methods that give what the function gives, many times.
_GIVING = {"map", "mapToObj", "Select"}


def run_by(
    w: Walker,
    callee: Term,
    given: tuple[Term, ...],
    site: int,
    element: Callable[[Term], Term] = lambda receiver: ("iter", receiver),
) -> Term:
    """Return a call of a method that calls functions in place with an element of its receiver.

    The receiver is bound to a name first if it would otherwise be evaluated twice. `element`: what
    the functions are called with.
    """
    assert callee is not None
    receiver, name = callee[1], callee[2]
    numbers = [one[1] for one in given if one is not None and one[0] == "def"]
    if not numbers or receiver is None:
        return ("call", callee, given, (), site)
    if not is_simple(receiver):
        part = f"<part {len(w.statements[w.at])}>"
        w.bind(("name", part), receiver)
        receiver = ("name", part)
    one = element(receiver)
    results: list[Term] = []
    for number in numbers:
        ran: Term = ("call", ("def", number), (one,), (), site)
        for param in w.parameters(number)[:1]:
            w.add(w.body(number), ("bind", ("name", param), ("in", w.at, one)))
        if name in _GIVING:
            results.append(("list", (ran,)))
        else:
            w.say("do", ran)
    whole: Term = ("call", ("attr", receiver, name), given, (), site)
    return ("either", (whole, *results)) if results else whole
