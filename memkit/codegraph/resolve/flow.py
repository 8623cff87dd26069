"""Calls found by following values: arguments, decorators, what is put into containers.

Every call of the program hands its arguments to the parameters of what it calls; with more values
there, more calls are found, until a round brings nothing new. What flows is never taken back, so
the end does not depend on the order in which files are walked.
"""

from __future__ import annotations

from .edges import Edges
from .flow_edges import FlowEdges
from .flow_terms import FlowTerms
from .records import Edge, Tree
from .terms import Terms

# Rounds until nothing changes; chains of higher-order calls are short.
_MOST_ROUNDS = 24


def flow(tree: Tree) -> dict[str, tuple[Edge, ...]]:
    """Return the calls of every file, those found by following values with how "flow"."""
    terms, plain = FlowTerms(tree), Terms(tree)
    paths = [path for path, _, _ in tree.files]
    for _ in range(_MOST_ROUNDS):
        terms.forget()
        for path in paths:
            terms.begin()
            FlowEdges(terms, path).found()
        if not terms.changed:
            break
    terms.forget()
    return {path: _calls(terms, plain, path) for path in paths}


def _calls(terms: FlowTerms, plain: Terms, path: str) -> tuple[Edge, ...]:
    plain.begin(path)
    before = {
        (edge.source, edge.path, edge.target): edge.how
        for edge in Edges(plain, path).found().edges
        if edge.kind == "calls"
    }
    terms.begin()
    return tuple(
        edge._replace(how=before.get((edge.source, edge.path, edge.target), "flow"))
        for edge in FlowEdges(terms, path).found().edges
        if edge.kind == "calls" and edge.state == "resolved"
    )
