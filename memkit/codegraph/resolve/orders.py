"""The order in which classes are asked for a member: C3 where a language has it, else depth first.

A pure function of the direct bases. Circles, which no interpreter would accept but any file may
hold, are cut where they close.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .memo import Token
from .records import Place

# Steps of one search: a lattice of diamonds has more ways than there is time.
_MOST_STEPS = 5000


class Orders:
    """Orders the bases of one class."""

    def __init__(self, bases: Callable[[Place], Sequence[Token]], *, linearised: bool) -> None:
        """Take what gives a class's direct bases, and whether C3 holds."""
        self._bases = bases
        self._linearised = linearised
        self._made: dict[Place, list[Token]] = {}
        self._around: list[Place] = []
        self._steps = 0

    def order(self, place: Place) -> list[Token]:
        """Return a class and everything that it inherits from, in the order of their members."""
        return self._order(place)[0]

    def _order(self, place: Place) -> tuple[list[Token], bool]:
        """Return the order, and whether it holds wherever it is asked for (nothing was cut)."""
        self._steps += 1
        if place in self._made:
            return self._made[place], True
        if place in self._around or self._steps > _MOST_STEPS:
            return [], False
        self._around.append(place)
        direct = [base for base in self._bases(place) if base[0] in ("class", "function")]
        lines, whole = [], True
        for base in direct:
            line, sound = self._order((base[1], base[2]))
            lines.append(line)
            whole = whole and sound
        self._around.pop()
        found = [("class", *place), *self._joined([*lines, direct])]
        found = list(dict.fromkeys(found))
        if whole:
            self._made[place] = found
        return found, whole

    def _joined(self, lines: list[list[Token]]) -> list[Token]:
        return merged(lines) if self._linearised else [one for line in lines for one in line]


def merged(lines: Sequence[Sequence[Token]]) -> list[Token]:
    """Return the C3 merge of lines; where there is none, what is first stays first."""
    found: list[Token] = []
    left = [line for line in lines if line]
    while left:
        for line in left:
            head = line[0]
            if not any(head in other[1:] for other in left):
                break
        else:
            head = left[0][0]
        found.append(head)
        left = [rest for line in left if (rest := [one for one in line if one != head])]
    return found
