"""The order in which classes are asked for a member: C3 where a language has it, else depth first.

A pure function of the direct bases. Circles, which no interpreter would accept but any file may
hold, are cut where they close.
"""

from __future__ import annotations

from collections import Counter, deque
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
        if len(lines) == 2:  # one base: its own order, which begins with it
            return lines[0] or lines[1]
        return merged(lines) if self._linearised else [one for line in lines for one in line]


def merged(lines: Sequence[Sequence[Token]]) -> list[Token]:
    """Return the C3 merge of lines; where there is none, what is first stays first."""
    found: list[Token] = []
    left = [deque(line) for line in lines if line]
    behind = Counter(one for line in left for one in list(line)[1:])
    while left:
        head = next((line[0] for line in left if not behind[line[0]]), left[0][0])
        found.append(head)
        for line in left:
            if line[0] == head:
                line.popleft()
                if line:
                    behind[line[0]] -= 1
            elif behind[head] and head in line:  # lines that contradict each other
                behind[head] -= 1
                line.remove(head)
        left = [line for line in left if line]
    return found
