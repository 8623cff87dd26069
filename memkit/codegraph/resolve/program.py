"""A program: every file of a tree, resolved one at a time and in any order."""

from __future__ import annotations

from .edges import Edges
from .flow import flow
from .memo import keys_below
from .records import Edge, Resolved, Tree
from .terms import Terms


class Program:
    """Resolves the files of a tree.

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
        root = self._terms.begin(path)
        found = Edges(self._terms, path).found()
        return Resolved(found.edges, keys_below(root), found.counts)

    def flow(self) -> dict[str, tuple[Edge, ...]]:
        """Return the calls of every file once more, with values followed through all of them."""
        return flow(self._tree)
