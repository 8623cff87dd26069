"""LangGraph store: documents by namespace and key in a memkit file, searched by recall.

Namespaces are walls: what lies in one is found by a search of it or of one above, and by no recall
of the project. Secrets are replaced by markers before anything is written. There is no expiry. A
query with a filter looks through the best 200 answers, a filter alone through all documents.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise ImportError(
        f"memkit.adapters.langgraph_store needs langgraph-checkpoint ({error}); "
        "install memkit[langgraph]"
    ) from error

if TYPE_CHECKING:
    from ..context.documents import Document
    from ..kit import Memkit

_WHOLE = ("$",)  # path of a whole value
_FILTERED = 200  # answers to a query of which a filter leaves some


class MemkitStore(BaseStore):
    """Store of LangGraph: pass it as `store` when a graph is compiled."""

    def __init__(self, kit: Memkit, *, fields: Sequence[str] = _WHOLE) -> None:
        """`kit` is the open store. `fields` are the paths of a value (`a.b[*].c`) whose texts are
        searched unless `put` says which; "$" is all of it."""
        self._documents = kit.context.documents
        self._fields = tuple(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of operations: reads see the state before them all, then the last
        write to each key is done, all in one transaction. Raises InvalidNamespaceError before
        anything is done, NotImplementedError for a time to live."""
        operations = list(ops)
        for op in operations:
            validate_op_namespace(op)
        writes = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
        if not writes:
            return [self._read(op) for op in operations]

        def work() -> list[Result]:
            results = [self._read(op) for op in operations]
            for op in writes.values():
                self._write(op)
            return results

        return self._documents.together(work)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of operations, done in a thread; see `batch`."""
        return await asyncio.to_thread(self.batch, list(ops))

    # -- inside

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            document = self._documents.get(op.namespace, op.key)
            return None if document is None else Item(**_fields_of(document))
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"Unknown operation type: {type(op)}")

    def _write(self, op: PutOp) -> None:
        if op.ttl is not None:
            raise NotImplementedError("MemkitStore keeps what is put until it is deleted: no ttl")
        if op.value is None:
            self._documents.delete(op.namespace, op.key)
            return
        paths = self._fields if op.index is None else op.index
        text = None if paths is False else "\n".join(_texts_at(op.value, paths))
        self._documents.put(op.namespace, op.key, op.value, text=text, walled=True)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        if op.query:
            best = _FILTERED if op.filter else max(op.offset + op.limit, 1)
            documents = self._documents.search(op.namespace_prefix, op.query, limit=best)
        else:
            listed = self._documents.list(op.namespace_prefix)
            documents = tuple(sorted(listed, key=lambda each: each.updated_at, reverse=True))
        items = [
            SearchItem(**_fields_of(document), score=document.score)
            for document in documents
            if _agrees(document.value, op.filter or {})
        ]
        return items[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        namespaces = {
            namespace[: op.max_depth]
            for namespace in self._documents.namespaces()
            if all(_matches(condition, namespace) for condition in conditions)
        }
        return sorted(namespaces)[op.offset : op.offset + op.limit]


def _fields_of(document: Document) -> dict[str, Any]:
    return {
        "value": document.value,
        "key": document.key,
        "namespace": document.namespace,
        "created_at": datetime.fromisoformat(document.created_at),
        "updated_at": datetime.fromisoformat(document.updated_at),
    }


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Whether a namespace begins or ends with a path, in which "*" is any label."""
    path = tuple(condition.path)
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    pairs = zip(labels, path, strict=False)
    return len(namespace) >= len(path) and all(own in (label, "*") for label, own in pairs)


# --- Texts that are searched.


def _texts_at(value: Mapping[str, Any], paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if path == "$":
            yield from _texts(value)
        else:
            yield from get_text_at_path(value, tokenize_path(path))


def _texts(value: object, name: str = "") -> Iterator[str]:
    """Yield the texts in a value, and what is no text after its name."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _texts(part, str(key))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part, name)
    elif value is not None:
        yield f"{name}: {value}"


# --- Filters, as LangGraph's own stores read them.


def _agrees(value: object, filters: Mapping[str, Any]) -> bool:
    return all(_is_as_said(_at(value, path), said) for path, said in filters.items())


def _at(value: object, path: str) -> object:
    """Return what a value has under a name, or under a path of names joined by points."""
    if not isinstance(value, Mapping) or path in value:
        return value.get(path) if isinstance(value, Mapping) else None
    name, _, rest = path.partition(".")
    return _at(value.get(name), rest) if rest else None


def _is_as_said(value: object, said: object) -> bool:
    if not isinstance(said, Mapping):
        return _is_equal(value, said)
    if any(str(key).startswith("$") for key in said):
        return all(_compares(value, name, other) for name, other in said.items())
    return isinstance(value, Mapping) and _agrees(value, said)


def _is_equal(value: object, other: object) -> bool:
    """Whether two values are equal; tuples are lists, and True is not 1."""
    if isinstance(value, list) and isinstance(other, list | tuple):
        pairs = zip(value, other, strict=False)
        return len(value) == len(other) and all(_is_as_said(own, said) for own, said in pairs)
    return isinstance(value, bool) == isinstance(other, bool) and value == other


_ORDERS = {
    "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le,
}  # fmt: skip


def _compares(value: Any, name: str, other: Any) -> bool:
    """Whether an operator holds between two values; texts and numbers alone have an order."""
    if name in ("$eq", "$ne"):
        return _is_equal(value, other) == (name == "$eq")
    if name not in _ORDERS:
        raise ValueError(f"Unsupported operator: {name}; there are $eq, $ne, {', '.join(_ORDERS)}")
    kinds = (str, int | float)
    has_order = any(isinstance(value, kind) and isinstance(other, kind) for kind in kinds)
    return has_order and bool(_ORDERS[name](value, other))
