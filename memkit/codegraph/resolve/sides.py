"""Members of one name of which a class has one and its objects another (`static`)."""

from __future__ import annotations

from ..link import SCRIPTS
from .memo import Tokens
from .views import Views


def of_one_side(views: Views, found: Tokens, *, is_class: bool) -> Tokens:
    """Return of several functions those of the class, or those of its objects; all of them where
    a language has overloads, which may be of either."""
    if len(found) < 2 or any(one[0] != "function" for one in found):
        return found
    if views[found[0][1]].facts.language not in SCRIPTS:
        return found
    kept = tuple(
        one for one in found if ("static" in views[one[1]].definitions[one[2]].flags) == is_class
    )
    return kept or found
