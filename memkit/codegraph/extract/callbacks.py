"""Functions given to methods of collections, which call them with one element each."""

from __future__ import annotations

from ..facts import Term
from .walking import Walker


def run_by(w: Walker, receiver: Term, given: tuple[Term, ...], site: int) -> Term:
    """Say that functions in place are called with an element of the receiver.

    Returns what is to stand for the receiver: itself, or the name to which it was bound because it
    would otherwise be evaluated twice.
    """
    numbers = [one[1] for one in given if one is not None and one[0] == "def"]
    if not numbers or receiver is None:
        return receiver
    if not _is_simple(receiver):
        name = f"<part {len(w.statements[w.at])}>"
        w.bind(("name", name), receiver)
        receiver = ("name", name)
    element: Term = ("iter", receiver)
    for number in numbers:
        w.say("do", ("call", ("def", number), (element,), (), site))
        for name in w.parameters(number)[:1]:
            w.add(w.body(number), ("bind", ("name", name), ("in", w.at, element)))
    return receiver


def _is_simple(value: Term) -> bool:
    """Return whether a term may be said twice, because evaluating it does nothing."""
    while value is not None and value[0] == "attr":
        value = value[1]
    return value is None or value[0] in ("name", "self")
