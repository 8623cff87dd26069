"""What the resolver is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..facts import Facts, Named

# Path, language, namespace of a parsed file.
Listed = tuple[str, str, str]
# Path and number of a definition; number -1 is the file itself.
Place = tuple[str, int]


class Edge(NamedTuple):
    """One relation from a definition of the file that is resolved.

    Attributes:
        source: number of the definition in that file, -1 for the file's top level.
        kind: calls, imports, uses, inherits, references, overrides.
        path, target: file and number of the definition that is meant, -1 for the file itself.
        how: tier that found it: scope, local, only, candidate, flow.
        state: resolved or ambiguous (one of several candidates).
        line: where it first stands; 0 if only the word for it is known.
        word: as which it is written, where its place is not known: what is only read has none.
    """

    source: int
    kind: str
    path: str
    target: int
    how: str
    state: str
    line: int
    word: str = ""


class Resolved(NamedTuple):
    """What one file's names mean.

    Attributes:
        edges: without repetition (line apart), in the order of the source.
        reads: keys of everything outside of the file that was looked at, found or not.
        counts: number of references by (kind, state, how); state resolved, ambiguous, unresolved
            or outside (known to lie outside of the tree); how: as in Edge, or why it failed.
    """

    edges: tuple[Edge, ...]
    reads: frozenset[str]
    counts: Mapping[tuple[str, str, str], int]


class Tree(NamedTuple):
    """What a program is made from; everything that is dear comes by a call.

    Attributes:
        files: every parsed file, sorted by path.
        facts_of: facts of a file, None if it has none; called once a file at most.
        named: every definition of a name, of any kind, sorted by path and number.
        texts: texts of the settings in `link.CONFIG_FILES`, by path.
    """

    files: Sequence[Listed]
    facts_of: Callable[[str], Facts | None]
    named: Callable[[str], Sequence[Named]]
    texts: Mapping[str, str]

    @classmethod
    def of(cls, facts: Mapping[str, Facts], texts: Mapping[str, str]) -> Tree:
        """Return the tree of files whose facts are all at hand, by path."""
        named: dict[str, list[Named]] = {}
        for path in sorted(facts):
            for number, found in enumerate(facts[path].definitions):
                named.setdefault(found.name, []).append(Named(path, number, found.kind))
        listed = [(path, facts[path].language, facts[path].namespace) for path in sorted(facts)]
        return cls(listed, facts.get, lambda name: named.get(name, ()), texts)
