"""What the names of a program mean: one resolver for every language.

    program = Program(Tree(files, facts_of, named, texts))
    program.resolve(path) -> Resolved      edges of one file, and the keys of what it read elsewhere
    keys_of(facts, own) -> {key: digest}   what others can read of a file; a file must be resolved
                                           anew if a key that it read is changed, gone or new
    program.flow() -> {path: edges}        calls again, values followed through the whole program

Resolving a file is a pure function of the facts: it does not depend on what was resolved before.
"""

from __future__ import annotations

from .keys import keys_of
from .program import Program
from .records import Edge, Listed, Place, Resolved, Tree

__all__ = ["Edge", "Listed", "Place", "Program", "Resolved", "Tree", "keys_of"]
