"""A question with everything that decides its answer, checked."""

from __future__ import annotations

import attrs

from .. import arguments
from ..errors import InvalidInput
from .decide import Decision
from .records import CascadeLimits, Filters, Recipe


@attrs.frozen
class Request:
    """What is asked, of what, how, and from which chance on something is an answer."""

    text: str
    filters: Filters
    limits: CascadeLimits
    recipe: Recipe
    rule: Decision
    near: str | None = None


def request(
    text: str,
    filters: Filters,
    *,
    limits: CascadeLimits,
    recipe: Recipe,
    min_score: float | None,
    near: str | None = None,
) -> Request:
    """Return a request; raises InvalidInput for what is no question, no place, no recipe, or out
    of bounds."""
    if not isinstance(recipe, Recipe):
        raise InvalidInput(f"recipe: found {arguments.shown(recipe)}, expected a Recipe")
    depth = arguments.integer(limits.depth, name="depth", least=0, most=arguments.MAX_DEPTH)
    least = arguments.optional(arguments.fraction, min_score, name="min_score")
    return Request(
        arguments.text(text, name="question"),
        filters,
        attrs.evolve(limits, depth=depth),
        recipe,
        Decision.of(least),
        arguments.optional(arguments.text, near, name="near"),
    )
