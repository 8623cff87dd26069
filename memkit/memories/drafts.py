"""From a draft to a row: the one door through which every text reaches the file.

Whatever the verb (remember, update, import), a draft is cleaned, freed of secrets, checked,
counted and normalised here, so a limit or a filter cannot be missing on one path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from .. import arguments, safety, tokens
from ..anchors import Noted
from ..errors import InvalidInput
from ..safety.rendered import is_rendered, strip_rendered
from ..store import times
from ..words.forms import nfc
from .admissible import check_said, check_sorts, kind_with_triggers
from .anchored import Locate, as_written
from .identity import (
    content_hash,
    content_hashes,
    fact_form,
    known_by,
    relative_path,
    tag_name,
)
from .kinds import TRUST, ArtifactKind, Form, Kind, Provenance, Scope
from .phrasing import compared, folded, with_text
from .records import Draft, MemoryRef, Procedure, memory_id
from .safe import safe_text

T = TypeVar("T")
U = TypeVar("U")

_FREE_TEXT = (
    "text", "key", "value", "qualifier", "season", "summary", "compressed", "index_entry", "author",
    "snippet", "reason", "session", "task", "source", "project",
)  # fmt: skip
# What memories are looked up by: compared in one normal form.
_NAMES = frozenset({"key", "qualifier", "session", "task", "source", "project"})
_TEXT_LISTS = ("tags", "about", "file_paths", "trigger_patterns")


@attrs.frozen
class Prepared:
    """A checked draft: the row to be written, and what hangs on it."""

    row: Mapping[str, Any]
    tags: tuple[str, ...]
    anchors: tuple[Noted, ...]
    artifacts: tuple[tuple[ArtifactKind, str], ...]
    supersedes: tuple[int, ...]
    derived_from: tuple[int, ...]
    snippet: str | None
    reason: str | None
    redacted: tuple[str, ...]
    notes: tuple[str, ...]
    hashes: tuple[str, ...]


def draft(verb: str, allowed: Iterable[str], /, **fields: Any) -> Draft:
    """Return a draft of these fields; raises InvalidInput for one that the verb does not take."""
    names = list(allowed)
    unknown = sorted(name for name in fields if name not in names)
    if unknown:
        raise InvalidInput(f"{verb}: no field {unknown[0]!r}; there are {', '.join(names)}")
    return Draft(**fields)


def each(
    make: Callable[[T], U], items: Sequence[T], *, begin: int = 0, of: int | None = None
) -> list[U]:
    """Return what is made of each statement, the first of them number `begin` (from 0) of `of`; a
    fault of one among several says which it is."""
    made: list[U] = []
    for number, item in enumerate(items, begin + 1):
        try:
            made.append(make(item))
        except InvalidInput as error:
            count = len(items) if of is None else of
            if count == 1:
                raise
            raise InvalidInput(f"statement {number} of {count}: {error}") from error
    return made


def as_draft(item: Draft | str) -> Draft:
    """Return a draft as it is, and a text as a draft of it."""
    if isinstance(item, Mapping):
        found = arguments.shown(item)
        raise InvalidInput(f"text: found {found}, expected a text or a Draft; give Draft(**fields)")
    return item if isinstance(item, Draft) else Draft(arguments.text(item, name="text"))


def prepare(
    draft: Draft,
    *,
    project: str,
    now: float,
    locate: Locate = as_written,
) -> Prepared:
    """Return the row that a draft becomes; raises InvalidInput for what cannot be stored.

    `locate` gives the anchors of what it is about, and of what its text names.
    """
    check_sorts(draft)
    if is_rendered(draft.text):
        raise InvalidInput(
            "text: is memkit's own answer and nothing else, so nothing was stored; say what is new"
        )
    safe, redacted = _safe(draft)
    safe = folded(with_text(safe))
    check_said(safe)
    row = _row(safe, project=project, now=now)
    hashes = hashes_of(row)
    row["content_hash"] = hashes[row["kind"]]
    return Prepared(
        row=row,
        tags=tuple(dict.fromkeys(tag_name(tag) for tag in safe.tags)),
        anchors=locate(safe.about, safe.text),
        artifacts=tuple(
            (arguments.member(ArtifactKind, kind, name="artifacts"), name)
            for kind, name in safe.artifacts
        ),
        supersedes=_ids(safe.supersedes),
        derived_from=_ids(safe.derived_from),
        snippet=safe.snippet,
        reason=safe.reason,
        redacted=redacted,
        notes=tuple(_notes(draft, row["kind"])),
        hashes=tuple(hashes.values()),
    )


def has_answer(text: str) -> bool:
    """Whether a text holds an answer of memkit's own between its marks, which is not stored."""
    return strip_rendered(text) != text


def _notes(draft: Draft, kind: str) -> Iterator[str]:
    """Yield what is stored otherwise than it was said."""
    texts = [(name, getattr(draft, name)) for name in _FREE_TEXT]
    texts += [(name, item) for name in _TEXT_LISTS for item in getattr(draft, name)]
    if draft.procedure is not None:
        texts += [("procedure", text) for text in _procedure_texts(draft.procedure)]
    for name in dict.fromkeys(name for name, text in texts if text and has_answer(text)):
        yield f"{name}: what stands between the marks of memkit's own answers was left out"
    if kind == Kind.NEGATIVE != draft.kind:
        yield "kept as negative: only a negative memory comes back at a trigger"


def _procedure_texts(procedure: Procedure) -> Iterator[str]:
    yield from (procedure.name, procedure.trigger)
    yield from (*procedure.steps, *procedure.prerequisites, *procedure.warnings)


def hash_of(row: Mapping[str, Any]) -> str:
    """Return the content hash of a memory row: what makes it the same as another."""
    return content_hash(text=compared(row), place=_place(row, row["kind"]))


def hashes_of(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the content hash that the same statement has as one of each kind."""
    found = content_hashes(text=compared(row), places=[_place(row, kind) for kind in Kind])
    return dict(zip(Kind, found, strict=True))


def _place(row: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    nearness = (row["session_id"] or "", row["task_id"] or "")
    near = nearness if row["scope"] in (Scope.SESSION, Scope.TASK) else ("", "")
    fact = (
        (_name(row["key"]), _name(row["qualifier"]), row["value"] or "") if row["key"] else ("", "")
    )
    return (row["project"], row["scope"], kind, *fact, *near)


def _name(name: str | None) -> str:
    return fact_form(name or "")


def beside(key: str, value: str, kinds: list[str]) -> str:
    """Return a value without what its key alone gives away as a secret; add what was found."""
    pair = safety.redact_json({key: value})
    safe = next(iter(pair.values())) if isinstance(pair, dict) else value
    if safe != value:
        kinds.append("secret")
    return str(safe)


def _safe(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft without secrets, and the kinds that were replaced."""
    kinds: list[str] = []

    def clean(text: str, name: str = "text") -> str:
        found = safe_text(text, name=name)
        kinds.extend(finding.kind for finding in found.findings)
        return found.text

    found: dict[str, Any] = {}
    for name in _FREE_TEXT:
        if (value := getattr(draft, name)) is not None:
            safe = clean(value, name)
            found[name] = known_by(safe, name) if name in _NAMES else safe
    for name in _TEXT_LISTS:
        found[name] = tuple(clean(item, name) for item in getattr(draft, name))
    if found.get("key") and found.get("value"):
        found["value"] = beside(found["key"], found["value"], kinds)
    found["artifacts"] = tuple((kind, clean(name)) for kind, name in draft.artifacts)
    if draft.procedure:
        found["procedure"] = _safe_procedure(draft.procedure, clean)
    return _with(draft, found), tuple(dict.fromkeys(kinds))


def _with(draft: Draft, found: Mapping[str, Any]) -> Draft:
    """Return the draft with these fields; itself, where they are equal, as in most drafts."""
    changes = {name: value for name, value in found.items() if value != getattr(draft, name)}
    return attrs.evolve(draft, **changes) if changes else draft


def _safe_procedure(procedure: Procedure, clean: Any) -> Procedure:
    return Procedure(
        steps=tuple(map(clean, procedure.steps)),
        name=clean(procedure.name),
        trigger=clean(procedure.trigger),
        prerequisites=tuple(map(clean, procedure.prerequisites)),
        warnings=tuple(map(clean, procedure.warnings)),
    )


def _row(draft: Draft, *, project: str, now: float) -> dict[str, Any]:
    provenance = arguments.member(Provenance, draft.provenance, name="provenance")
    first, last = draft.messages or (None, None)
    row: dict[str, Any] = {
        "text": draft.text,
        "kind": _kind(draft),
        "form": arguments.member(Form, draft.form, name="form"),
        "key": draft.key,
        "value": draft.value,
        "qualifier": draft.qualifier,
        "scope": arguments.member(Scope, draft.scope, name="scope"),
        "project": nfc(project) if draft.project is None else draft.project,
        "session_id": draft.session,
        "task_id": draft.task,
        "source": draft.source,
        "message_first": first,
        "message_last": last,
        "file_paths": json_list(relative_path(path) for path in draft.file_paths),
        "season": draft.season,
        "strength": 1,
        "confidence": float(draft.confidence),
        "trust": float(TRUST[provenance] if draft.trust is None else draft.trust),
        "importance": float(draft.importance),
        "provenance": provenance,
        "author": draft.author,
        "pinned": int(draft.pinned),
        "private": int(draft.private),
        "trigger_patterns": json_list(draft.trigger_patterns),
        "procedure": None if draft.procedure is None else json_text(attrs.asdict(draft.procedure)),
    }
    return row | _levels(draft) | _times(draft, now)


def _kind(draft: Draft) -> Kind:
    """Return the kind that is said, or what the rest of the draft says where it is as in every
    draft."""
    kind = arguments.member(Kind, draft.kind, name="kind")
    if draft.trigger_patterns:
        return kind_with_triggers(kind)
    return Kind.PROCEDURE if kind is Kind.FACT and draft.procedure else kind


def _times(draft: Draft, now: float) -> dict[str, str | None]:
    """Return when it was said and changed, and when it holds, in the stored form."""
    first, last = _when(draft.valid_from, "valid_from", now), _when(draft.valid_to, "valid_to", now)
    if first and last and first > last:
        raise InvalidInput(f"valid_to: {last} lies before valid_from {first}; swap them")
    return {
        "created_at": _when(draft.at, "at", now) or times.from_epoch(now),
        "updated_at": times.from_epoch(now),
        "valid_from": first,
        "valid_to": last,
    }


def _levels(draft: Draft) -> dict[str, Any]:
    """Return the shorter forms and the token count of each, counted once, at the write."""
    return {
        "summary": draft.summary,
        "compressed": draft.compressed,
        "index_entry": draft.index_entry,
        "tokens": tokens.count(draft.text),
        "summary_tokens": _count(draft.summary),
        "compressed_tokens": _count(draft.compressed),
        "index_tokens": _count(draft.index_entry),
    }


def _count(text: str | None) -> int | None:
    return None if text is None else tokens.count(text)


def _when(value: times.When | None, name: str, now: float) -> str | None:
    return None if value is None else times.parse_when(value, now=now, name=name)


def _ids(references: tuple[MemoryRef, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(memory_id(reference) for reference in references))


def json_text(value: object) -> str:
    """Return JSON with its letters as they are, keys in a fixed order."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=list)


def json_list(values: Any) -> str:
    """Return a JSON list of texts."""
    listed = list(values)
    return json.dumps(listed, ensure_ascii=False) if listed else "[]"
