"""What stands behind a binding that is a definition."""

from __future__ import annotations

from .memo import Tokens
from .views import Binding, View


def defined(view: View, number: int) -> Tokens:
    """Return what a definition is."""
    kind = view.definition(number).kind
    if kind == "variable":
        return ()
    return (("class" if kind == "class" else "function", view.path, number),)


def effective(view: View, bindings: list[Binding]) -> list[Binding]:
    """Return bindings without the declarations of overloads whose body stands beside them."""
    if len(bindings) == 1:
        return bindings
    kept = [
        one
        for one in bindings
        if one[0] != "define" or "overload" not in view.definition(one[1]).flags
    ]
    return kept or bindings
