"""Documents: JSON values by namespace and key, each with a memory by which it is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import attrs

from .. import validation
from ..errors import InvalidInput
from ..memories.identity import known_by
from ..memories.ingest import safe_text
from ..memories.search_document import MAX_TEXT
from ..redaction import redact_json
from ..redaction.redactor import clean_text, strip_rendered
from ..text.analyzer import well_formed

if TYPE_CHECKING:
    from .ports import OpenKit


def stored_json(value: object, *, name: str) -> str:
    """Return a value as JSON text, secrets replaced, all else as it is: the order of keys too, and
    NUL and lone surrogates as escapes. Raises InvalidInput for what JSON cannot hold."""
    try:
        text = json.dumps(redact_json(value), ensure_ascii=False, allow_nan=False)
        return text if well_formed(text) == text else json.dumps(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{name}: {error}; give what JSON can hold: texts, numbers, lists, objects"
        ) from None


T = TypeVar("T")

_SEPARATOR = "."
# Candidates for each answer to a search where memories that are no documents take part.
_CANDIDATES = 10


@attrs.frozen
class Document:
    """One document as it stands. Times are UTC text.

    Attributes:
        namespace: labels of the place it lies in. key: its name there. value: what JSON holds,
            secrets replaced. memory: id of the memory by which recall finds it. score: of a search,
            the probability that it answers; None if it was not searched for.
    """

    namespace: tuple[str, ...]
    key: str
    value: object
    memory: int
    created_at: str
    updated_at: str
    score: float | None = None


class Documents:
    """Documents that frameworks keep by name in this project; `kit.context.documents`.

    A document hangs on a memory: it is exported, merged and purged with it. Forgetting the memory
    hides it from recall alone.
    """

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the open store."""
        self._kit = kit
        self._store = kit._store
        self._project = safe_text(kit.project, name="project").text

    def put(
        self,
        namespace: Sequence[str],
        key: str,
        value: object,
        *,
        text: str | None = None,
        walled: bool = False,
    ) -> Document:
        """Store a value under a name, in place of what is there; return it as it stands.

        `text` is what recall finds it by; without one it is found by its name alone. A `walled` one
        is found by `search` and by a recall of the project that its namespace makes, not by every
        recall. Raises InvalidInput for what JSON cannot hold.
        """
        path, name = _path(namespace), _name(key)
        stored = stored_json(value, name="value")
        said = name if text is None else _said(validation.text(text, name="text"), name)
        wall = _wall(self._project, path) if walled else self._project

        def work() -> Document:
            memory = self._kit.memories.remember(said, source=_source(path, name), project=wall)
            if text is None:
                self._kit.memories.forget(memory.id, reason="found by its name alone")
            self._write(memory.id, path, name, stored)
            row = self._store.first("context_documents.document_of_memory", memory_id=memory.id)
            return _document(row or ())

        return self._store.write(work)

    def together(self, work: Callable[[], T]) -> T:
        """Return `work()`, run with all that it reads and writes here in one transaction; if it
        raises, nothing of it is stored. It may run twice."""
        return self._store.write(validation.function(work, name="work"))

    def get(self, namespace: Sequence[str], key: str) -> Document | None:
        """Return the document of a name, or None."""
        return self._get(_path(namespace), _name(key))

    def list(self, namespace: Sequence[str] = ()) -> tuple[Document, ...]:
        """Return the documents of a namespace and of those below it, in the order of their
        names."""
        return self._below(_path(namespace, is_prefix=True))

    def namespaces(self) -> tuple[tuple[str, ...], ...]:
        """Return the namespaces that hold a document, sorted."""
        rows = self._store.all("context_documents.document_namespaces", project=self._project)
        return tuple(sorted(_labels(namespace) for (namespace,) in rows))

    def search(
        self, namespace: Sequence[str], question: str, *, limit: int = 10
    ) -> tuple[Document, ...]:
        """Return up to `limit` documents of a namespace and below that answer a question, best
        first, with their scores, however low: recall's own floor is not asked for."""
        path = _path(namespace, is_prefix=True)
        count = validation.integer(limit, name="limit")
        name = "context_documents.walls_below"
        walls = [wall for (wall,) in self._store.all(name, project=self._project, namespace=path)]
        if not walls:
            return ()
        result = self._kit.recall(
            question,
            project=walls,
            scope="project",
            sources="memories",
            min_score=0,
            limit=count * _CANDIDATES if self._project in walls else count,
        )
        by_memory = {document.memory: document for document in self._below(path)}
        answers = [
            attrs.evolve(by_memory[hit.memory.id], score=hit.score)
            for hit in result
            if hit.memory.id in by_memory
        ]
        return tuple(answers[:count])

    def move(
        self,
        namespace: Sequence[str],
        names: Mapping[str, str],
        *,
        text: Callable[[str, object], str] | None = None,
    ) -> int:
        """Give documents other names (old to new) and return how many there were; what stood there
        is replaced. They keep their memories, which say `text(new name, value)` from now on, or
        what they said. One transaction."""
        path = _path(namespace)
        pairs = [
            (_name(old), _name(new)) for old, new in validation.mapping(names, name="names").items()
        ]

        def work() -> int:
            documents = [(self._get(path, old), new) for old, new in pairs if old != new]
            moved = [(document, new) for document, new in documents if document is not None]
            for document, new in moved:
                self._move(document, path, new, text and text(new, document.value))
            return len(moved)

        return self._store.write(work)

    def delete(self, namespace: Sequence[str], keys: Collection[str] | str) -> int:
        """Delete documents for good, their memories too; return how many there were. Tombstones
        stay, so that a merge does not bring them back."""
        path = _path(namespace)
        names = [_name(key) for key in validation.texts(keys, name="keys")]
        documents = [document for name in names if (document := self._get(path, name))]
        if documents:
            self._kit.memories.purge([document.memory for document in documents])
        return len(documents)

    # -- inside

    def _move(self, document: Document, path: str, new: str, text: str | None) -> None:
        if there := self._get(path, new):
            self._kit.memories.purge(there.memory)
        said = None if text is None else _said(text, new)
        self._kit.memories.update(document.memory, said, source=_source(path, new))
        self._write(document.memory, path, new, stored_json(document.value, name="value"))

    def _write(self, memory: int, path: str, name: str, stored: str) -> None:
        self._store.run(
            "context_documents.put_document",
            memory_id=memory,
            project=self._project,
            namespace=path,
            key=name,
            value=stored,
            at=self._store.now(),
        )

    def _get(self, path: str, name: str) -> Document | None:
        row = self._store.first(
            "context_documents.document", project=self._project, namespace=path, key=name
        )
        return None if row is None else _document(row)

    def _below(self, path: str) -> tuple[Document, ...]:
        name = "context_documents.documents_below"
        rows = self._store.all(name, project=self._project, namespace=path)
        # Of two that were merged under one name the later stands, as `get` has it.
        documents = {(row[1], row[2]): _document(row) for row in rows}
        return tuple(documents.values())


def _document(row: Sequence[Any]) -> Document:
    memory, namespace, key, value, created_at, updated_at = row
    return Document(_labels(namespace), key, json.loads(value), memory, created_at, updated_at)


def _path(namespace: Sequence[str], *, is_prefix: bool = False) -> str:
    """Return a namespace as it is stored; the empty one is a prefix of all."""
    labels = validation.texts(namespace, name="namespace")
    for label in labels:
        if not label or _SEPARATOR in label:
            raise InvalidInput(
                f"namespace: found the label {validation.shown(label)}, expected one that is not "
                f"empty and holds no {_SEPARATOR!r}; part it into several labels"
            )
    if not labels and not is_prefix:
        raise InvalidInput("namespace: has no label; give at least one, such as ('users',)")
    return safe_text(_SEPARATOR.join(labels), name="namespace").text


def _labels(namespace: str) -> tuple[str, ...]:
    return tuple(namespace.split(_SEPARATOR))


def _name(key: str) -> str:
    return safe_text(validation.named(key, name="key"), name="key").text


def _said(text: str, name: str) -> str:
    """Return what the memory of a document says; its name if that would be nothing."""
    return strip_rendered(clean_text(text)).strip()[:MAX_TEXT] or name


def _source(path: str, name: str) -> str:
    """Return the source of a document's memory: another one for each name, though sources are
    compared in a normal form."""
    source = f"document:{path}/{name}"
    return source if known_by(source, "source") == source and "%" not in name else quote(source)


def _wall(project: str, path: str) -> str:
    """Return the project in which memories of a walled namespace lie."""
    return f"document:{project}/{path}"
