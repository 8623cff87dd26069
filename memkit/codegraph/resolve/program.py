"""A program: every file of a tree, resolved one at a time and in any order."""

from __future__ import annotations

from .edges import Edges
from .flow import flow
from .memo import keys_below
from .records import Edge, Resolved, Tree
from .terms import Terms

# Values that are kept from file to file, with some 500 bytes each. With more of them all is begun
# anew, views of files included: what a file means does not depend on what was resolved before.
_MOST_KEPT = 80_000


class Program:
    """Resolves the files of a tree, with bounded memory.

    Attributes:
        links: which files a module name means.
    """

    def __init__(self, tree: Tree) -> None:
        """Take the tree; nothing is loaded before it is asked for."""
        self._tree = tree
        self._terms = Terms(tree)
        self.links = self._terms.links

    def resolve(self, path: str) -> Resolved:
        """Return the edges of a file. Raises KeyError for a file without facts."""
        if self._terms.size() > _MOST_KEPT:
            self._terms = Terms(self._tree)
            self._terms.links = self.links
        root = self._terms.begin(path)
        found = Edges(self._terms, path).found()
        # What a file reads of itself tells nothing: when it changes it is resolved anew anyway.
        own = tuple(f"{sort}:{path}:" for sort in "nalbcd")
        reads = frozenset([key for key in keys_below(root) if not key.startswith(own)])
        return Resolved(found.edges, reads, found.counts)

    def flow(self) -> dict[str, tuple[Edge, ...]]:
        """Return the calls of every file once more, with values followed through all of them."""
        return flow(self._tree)
