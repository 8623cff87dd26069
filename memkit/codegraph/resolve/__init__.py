"""Name resolution and type inference: `Program` resolves the files of a tree.

    program = Program(SourceTree(files, facts_of, named, texts))
    program.resolve(path) -> ResolvedFile  edges of one file, and the keys of what it read elsewhere
    keys_of(facts, own) -> {key: digest}   what others can read of a file; a file must be resolved
                                           anew if a key that it read is changed, gone or new
    program.flow() -> {path: edges}        calls again, values followed through the whole program

Resolving a file is a pure function of the facts: it does not depend on what was resolved before.
"""

from __future__ import annotations

from .dataflow import flow
from .dependency_keys import keys_of
from .edge_collector import EdgeCollector
from .engine import Edge, InferenceEngine, Listed, ResolvedFile, SourceTree, keys_below
from .values import Place

# --- A program: the files of a tree, resolved one by one in any order.

# Values that are kept from file to file, with some 500 bytes each. With more of them all is begun
# anew, scopes of files included: what a file means does not depend on what was resolved before.
_MAX_KEPT = 80_000


class Program:
    """Resolves the files of a tree, with bounded memory.

    Attributes:
        links: which files a module name means.
    """

    def __init__(self, tree: SourceTree) -> None:
        """Take the tree; nothing is loaded before it is asked for."""
        self._tree = tree
        self._engine = InferenceEngine(tree)
        self.links = self._engine.modules

    def resolve(self, path: str) -> ResolvedFile:
        """Return the edges of a file. Raises KeyError for a file without facts."""
        if self._engine.size() > _MAX_KEPT:
            self._engine.close()
            self._engine = InferenceEngine(self._tree)
            self._engine.modules = self.links
        root = self._engine.begin_file(path)
        result = EdgeCollector(self._engine, path).collect()
        # What a file reads of itself tells nothing: when it changes it is resolved anew anyway.
        own = tuple(f"{sort}:{path}:" for sort in "nalbcd")
        reads = frozenset([key for key in keys_below(root) if not key.startswith(own)])
        return ResolvedFile(result.edges, reads, result.counts)

    def flow(self) -> dict[str, tuple[Edge, ...]]:
        """Return the calls of every file once more, with values followed through all of them."""
        return flow(self._tree)

    def close(self) -> None:
        """Let go of everything; see `InferenceEngine.close`."""
        self._engine.close()


__all__ = ["Edge", "Listed", "Place", "Program", "ResolvedFile", "SourceTree", "keys_of"]
