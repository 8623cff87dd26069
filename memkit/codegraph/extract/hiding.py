"""Languages in which a name means something new behind its declaration: `x := x.next()`."""

from __future__ import annotations

from collections.abc import Iterable

from ..dialect import Dialect
from ..facts import MODULE_SCOPE, Term
from .walking import Statements, Terms, Walker


class HidingWalker(Walker):
    """Knows where names were read, for what is declared under one of them afterwards.

    Attributes:
        read: names of values and types by the scope in which each was read last, if it was not
            declared there.
        goes_on: scopes that hold what comes later in a block, by the scope of what came before.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect, terms, runs)
        self.read: dict[str, int] = {}
        self.goes_on: dict[int, int] = {}

    def reads(self, name: str) -> str:
        """Note that a name is read where it may be that of something further out."""
        if (self.at, name) not in self.declared:
            self.read[name] = self.at
        return name

    def declares(self, names: Iterable[str], *values: Term) -> list[Term]:
        """Begin the scope of names, and return values as they are said from there.

        Where a name was read before in its block it meant something further out.
        """
        block = outer = self.at
        parts = [block]
        while block in self.goes_on:
            block = self.goes_on[block]
            parts.append(block)
        read = [name for name in names if self.read.get(name, -1) >= block]
        hides = any(all((part, name) not in self.declared for part in parts) for name in read)
        if not hides or block == MODULE_SCOPE:
            return list(values)
        self.at = self.open("block", outer)
        self.goes_on[self.at] = outer
        return [value and ("in", outer, value) for value in values]
