"""Ingest: drafts to validated, redacted, normalised rows, and rows to records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from attrs.converters import optional

from .. import redaction, validation
from ..anchors import CodeAnchor
from ..errors import InvalidInput
from ..frozen import frozen
from ..redaction import quoted
from ..redaction.redactor import is_rendered, strip_rendered
from ..store import timestamps
from ..store.ids import id_time
from ..store.tables import BrokenText
from ..text.analyzer import nfc
from ..text.patterns import lazy_pattern
from ..validation import shown
from . import outcomes
from .code_anchors import Locate
from .identity import (
    content_hash,
    content_hashes,
    fact_form,
    fact_name,
    is_blank,
    known_by,
    relative_path,
    tag_name,
    value_form,
)
from .records import (
    TRUST,
    Anchor,
    ArtifactKind,
    Draft,
    Form,
    InactiveCode,
    Kind,
    Memory,
    MemoryRef,
    Procedure,
    Provenance,
    ReviewState,
    Scope,
    memory_id,
)
from .search_document import MAX_TEXT

if TYPE_CHECKING:
    from ..store.store import Store


# --- Safe text: bounded, without memkit's own answers, clean, without secrets. Whatever the field
# and the way in, a text goes through here. More than MAX_TEXT letters are a document, and belong in
# several (memkit init splits by heading).


def safe_text(text: str, *, name: str = "text") -> redaction.Redacted:
    """Return a text as it may be stored, and the secrets found; raises InvalidInput for one that is
    too long, or no text."""
    check_length(validation.text(text, name=name), name=name)
    return redaction.redact(redaction.clean_text(strip_rendered(text)))


def check_length(text: str, *, name: str = "text") -> None:
    """Raise InvalidInput for a text that is too long."""
    if len(text) > MAX_TEXT:
        raise InvalidInput(
            f"{name}: has {len(text):,} letters, at most {MAX_TEXT:,} go into one memory; "
            "remember it in parts"
        )


def stored_tags(names: tuple[str, ...]) -> list[str]:
    """Return tags as they may be stored."""
    return [tag_name(safe_text(name, name="tags").text) for name in names]


# --- Validation of drafts: every field of its sort and within its bounds, whatever the way in.


def check_sorts(draft: Draft) -> None:
    """Raise InvalidInput for a field of another sort than it is; texts are looked at where they
    are cleaned."""
    validation.text(draft.text, name="text")
    for name in ("pinned", "private"):
        validation.boolean(getattr(draft, name), name=name)
    validation.fraction(draft.confidence, name="confidence")
    validation.fraction(draft.importance, name="importance")
    validation.optional(validation.fraction, draft.trust, name="trust")
    _check_lists(draft)
    if draft.messages is not None and not _is_range(draft.messages):
        raise InvalidInput(
            f"messages: found {validation.shown(draft.messages)}, expected (first, last), "
            "counted from 0"
        )
    if draft.procedure is not None:
        check_procedure(draft.procedure)


def check_said(draft: Draft) -> None:
    """Raise InvalidInput for what says nothing, or stands nowhere."""
    if draft.key and is_blank(draft.text if draft.value is None else draft.value):
        raise InvalidInput(f"value: is missing for key {quoted(draft.key)}; a keyed fact has both")
    if is_blank(draft.text):
        raise InvalidInput("text: is blank; give the statement to remember, or key and value")
    check_length(draft.text)  # one made of key and value
    for scope, needed in ((Scope.SESSION, "session"), (Scope.TASK, "task")):
        if draft.scope == scope and not getattr(draft, needed):
            raise InvalidInput(f"scope {scope}: no {needed} is named; give the {needed}")
    if draft.value is not None and not draft.key:
        raise InvalidInput(f"value: {quoted(draft.value)} has no key; give the key too")


def kind_with_triggers(kind: str) -> Kind:
    """Return the kind of a statement that has trigger patterns: only a negative one comes back at
    them, so a fact (the kind of what says none) is negative; raises InvalidInput for others."""
    if kind in (Kind.FACT, Kind.NEGATIVE):
        return Kind.NEGATIVE
    raise InvalidInput(
        f"trigger_patterns: a memory of kind {kind} never comes back at them; give kind negative, "
        "or leave them out"
    )


def check_procedure(procedure: object) -> None:
    """Raise InvalidInput for what is no procedure, or one with parts of another sort."""
    if not isinstance(procedure, Procedure):
        raise InvalidInput(
            f"procedure: found {validation.shown(procedure)}, expected memkit.Procedure(steps)"
        )
    for name in ("name", "trigger"):
        validation.text(getattr(procedure, name), name=f"procedure {name}")
    for name in ("steps", "prerequisites", "warnings"):
        validation.texts(getattr(procedure, name), name=f"procedure {name}")


def _check_lists(draft: Draft) -> None:
    for name in ("tags", "about", "file_paths", "trigger_patterns"):
        if (values := getattr(draft, name)) != ():  # as most are in most drafts
            validation.texts(values, name=name)
    for name in ("supersedes", "derived_from"):
        if not isinstance(references := getattr(draft, name), tuple):
            raise InvalidInput(
                f"{name}: found {validation.shown(references)}, expected memories or their numbers"
            )
    for pair in validation.iterable(draft.artifacts, name="artifacts"):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidInput(
                f"artifacts: found {validation.shown(pair)}, expected (kind, reference)"
            )


def _is_range(messages: object) -> bool:
    if not isinstance(messages, tuple | list) or len(messages) != 2:
        return False
    first, last = messages
    are_whole = all(isinstance(n, int) and not isinstance(n, bool) for n in messages)
    return are_whole and 0 <= first <= last < 1 << 63


def refuse_to_move(scope: str, *, is_global: bool) -> None:
    """Raise InvalidInput for a scope that lies in another file than the memory does."""
    if (scope == Scope.GLOBAL) != is_global:
        there = "in the global store" if is_global else "in the project's file"
        raise InvalidInput(
            f"scope: the memory lies {there}, one of scope {scope} elsewhere; remember it anew "
            "with that scope and forget this one"
        )


# --- Text made of key and value, and the folded form of a key.
#
# A text that is made of key and value keeps the words as they were given; what is compared does
# not.


def with_text(draft: Draft) -> Draft:
    """Return the draft with a text: a keyed fact or a procedure without one says what it holds."""
    if draft.text:
        return draft
    if draft.key and draft.value:
        return attrs.evolve(draft, text=made_of(draft.key, draft.qualifier, draft.value))
    if draft.procedure and draft.procedure.steps:
        name = draft.procedure.name or draft.procedure.trigger
        lead = f"{name}: " if name else ""
        return attrs.evolve(draft, text=lead + " → ".join(draft.procedure.steps))
    return draft


def compared(row: Mapping[str, Any]) -> str:
    """Return the text of a memory row; one made of key and value with both names as facts are
    compared, so that a key in capitals, or with its words parted otherwise, is no other
    statement."""
    text: str = row["text"][:MAX_TEXT]  # a longer one only another program can have written
    if not row["key"] or not row["value"]:
        return text
    made = made_of(fact_form(row["key"]), fact_form(row["qualifier"] or ""), row["value"])
    return made if fact_form(made) == fact_form(text) else text


def made_of(key: str, qualifier: str | None, value: str) -> str:
    """Return the text of a keyed fact that was given none."""
    return f"{key} ({qualifier}): {value}" if qualifier else f"{key}: {value}"


def says_only_its_fields(draft: Draft) -> bool:
    """Whether the text of a draft was made of its key and value, or of its procedure."""
    made = with_text(attrs.evolve(draft, text="")).text
    return bool(draft.text) and fact_name(made) == fact_name(draft.text)


def spelt(key: str | None, text: str) -> str | None:
    """Return a key as the text that was made of it spells it."""
    head = text[: len(key or "")]
    return head if key and fact_name(head) == key else key


def folded(draft: Draft) -> Draft:
    """Return the draft with its key and qualifier in the form in which facts are compared.

    After the text is made of them, which keeps their spelling.
    """
    key, qualifier = _looked_up(draft.key), _looked_up(draft.qualifier)
    if (key, qualifier) == (draft.key, draft.qualifier):
        return draft
    return attrs.evolve(draft, key=key, qualifier=qualifier)


def _looked_up(name: str | None) -> str | None:
    return None if name is None else fact_name(name) or None


# --- Preparation of drafts: the one way by which every text reaches the file.
#
# Whatever the verb (remember, update, import), a draft is cleaned, freed of secrets, checked,
# counted and normalised here, so a limit or a filter cannot be missing on one path.

T = TypeVar("T")
U = TypeVar("U")

# Fields that hold any text: cleaned of secrets, of whatever a draft has.
_FREE_TEXT = tuple(
    name for name, kind in Draft.__annotations__.items() if kind in ("str", "str | None")
)
# What memories are looked up by: compared in one normal form.
_NAMES = frozenset({"key", "qualifier", "session", "task", "source", "project"})
_TEXT_LISTS = ("tags", "about", "file_paths", "trigger_patterns")


@frozen
class Prepared:
    """Prepared draft: the row to be written, and what hangs on it."""

    row: Mapping[str, Any]
    tags: tuple[str, ...]
    anchors: tuple[CodeAnchor, ...]
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
        received = validation.shown(item)
        raise InvalidInput(
            f"text: found {received}, expected a text or a Draft; give Draft(**fields)"
        )
    return item if isinstance(item, Draft) else Draft(validation.text(item, name="text"))


def prepare(draft: Draft, *, project: str, now: float, locate: Locate) -> Prepared:
    """Return the row that a draft becomes; raises InvalidInput for what cannot be stored.

    `locate` gives the anchors of what it is about, and of what its text names.
    """
    safe, redacted = _checked(draft)
    row = _row(safe, project=project, now=now) | _levels(safe)
    hashes = hashes_of(row)
    row["content_hash"] = hashes[row["kind"]]
    return Prepared(
        row=row,
        tags=tuple(dict.fromkeys(tag_name(tag) for tag in safe.tags)),
        anchors=locate(safe.about, safe.text),
        artifacts=tuple(
            (validation.member(ArtifactKind, kind, name="artifacts"), name)
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


def statement_hashes(draft: Draft, *, project: str, now: float) -> tuple[str, ...]:
    """Return the content hashes that `prepare` gives a draft, at a fraction of its cost: nothing is
    counted or located."""
    safe, _ = _checked(draft)
    return tuple(hashes_of(_row(safe, project=project, now=now)).values())


def _checked(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """Return a draft as it can be stored, and the kinds of secrets that were replaced."""
    check_sorts(draft)
    if is_rendered(draft.text):
        raise InvalidInput(
            "text: is memkit's own answer and nothing else, so nothing was stored; say what is new"
        )
    safe, redacted = _safe(draft)
    safe = folded(with_text(safe))
    check_said(safe)
    return safe, redacted


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
    hashes = content_hashes(text=compared(row), places=[_place(row, kind) for kind in Kind])
    return dict(zip(Kind, hashes, strict=True))


def _place(row: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    nearness = (row["session_id"] or "", row["task_id"] or "")
    near = nearness if row["scope"] in (Scope.SESSION, Scope.TASK) else ("", "")
    value = value_form(row["value"] or "")
    fact = (_name(row["key"]), _name(row["qualifier"]), value) if row["key"] else ("", "")
    return (row["project"], row["scope"], kind, *fact, *near)


def _name(name: str | None) -> str:
    return fact_form(name or "")


def value_without_secret(key: str, value: str, kinds: list[str]) -> str:
    """Return a value without what its key alone gives away as a secret; add what was found."""
    pair = redaction.redact_json({key: value})
    safe = next(iter(pair.values())) if isinstance(pair, dict) else value
    if safe != value:
        kinds.append("secret")
    return str(safe)


def _safe(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft without secrets, and the kinds that were replaced."""
    kinds: list[str] = []

    def clean(text: str, name: str = "text") -> str:
        redacted = safe_text(text, name=name)
        kinds.extend(finding.kind for finding in redacted.findings)
        return redacted.text

    fields: dict[str, Any] = {}
    for name in _FREE_TEXT:
        if (value := getattr(draft, name)) is not None:
            safe = clean(value, name)
            fields[name] = known_by(safe, name) if name in _NAMES else safe
    for name in _TEXT_LISTS:
        fields[name] = tuple(clean(item, name) for item in getattr(draft, name))
    if fields.get("key") and fields.get("value"):
        fields["value"] = value_without_secret(fields["key"], fields["value"], kinds)
    fields["artifacts"] = tuple((kind, clean(name)) for kind, name in draft.artifacts)
    if draft.procedure:
        fields["procedure"] = _safe_procedure(draft.procedure, clean)
    return _with(draft, fields), tuple(dict.fromkeys(kinds))


def _with(draft: Draft, fields: Mapping[str, Any]) -> Draft:
    """Return the draft with these fields; itself, where they are equal, as in most drafts."""
    changes = {name: value for name, value in fields.items() if value != getattr(draft, name)}
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
    provenance = validation.member(Provenance, draft.provenance, name="provenance")
    first, last = draft.messages or (None, None)
    row: dict[str, Any] = {
        "text": draft.text,
        "kind": _kind(draft),
        "form": validation.member(Form, draft.form, name="form"),
        "key": draft.key,
        "value": draft.value,
        "qualifier": draft.qualifier,
        "scope": validation.member(Scope, draft.scope, name="scope"),
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
    return row | _times(draft, now)


def _kind(draft: Draft) -> Kind:
    """Return the kind that is said, or what the rest of the draft says where it is as in every
    draft."""
    kind = validation.member(Kind, draft.kind, name="kind")
    if draft.trigger_patterns:
        return kind_with_triggers(kind)
    return Kind.PROCEDURE if kind is Kind.FACT and draft.procedure else kind


def _times(draft: Draft, now: float) -> dict[str, str | None]:
    """Return when it was said and changed, and when it holds, in the stored form."""
    first, last = _when(draft.valid_from, "valid_from", now), _when(draft.valid_to, "valid_to", now)
    if first and last and first > last:
        raise InvalidInput(f"valid_to: {last} lies before valid_from {first}; swap them")
    return {
        "created_at": _when(draft.at, "at", now) or timestamps.from_epoch(now),
        "updated_at": timestamps.from_epoch(now),
        "valid_from": first,
        "valid_to": last,
    }


def _levels(draft: Draft) -> dict[str, Any]:
    """Return the shorter forms and the token count of each, counted once, at the write."""
    return {
        "summary": draft.summary,
        "compressed": draft.compressed,
        "index_entry": draft.index_entry,
        "tokens": _count(draft.text),
        "summary_tokens": _count(draft.summary),
        "compressed_tokens": _count(draft.compressed),
        "index_tokens": _count(draft.index_entry),
    }


def _count(text: str | None) -> int | None:
    from .. import tokens  # only what is written is counted

    return None if text is None else tokens.count(text)


def _when(value: timestamps.When | None, name: str, now: float) -> str | None:
    return None if value is None else timestamps.parse_when(value, now=now, name=name)


def _ids(references: tuple[MemoryRef, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(memory_id(reference) for reference in references))


def json_text(value: object) -> str:
    """Return JSON with its letters as they are, keys in a fixed order."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=list)


def json_list(values: Any) -> str:
    """Return a JSON list of texts."""
    listed = list(values)
    return json.dumps(listed, ensure_ascii=False) if listed else "[]"


# --- Records made of rows of the memories table.

_SAME = (
    "id", "text", "key", "value", "qualifier", "project", "source", "summary", "compressed",
    "index_entry", "tokens", "season", "strength", "confidence", "trust", "importance", "author",
    "inactive_reason", "superseded_by", "accessed_at", "access_count",
)  # fmt: skip


_TIME = lazy_pattern(r"[12]\d{3}-\d\d-\d\d[T ]")
# Seconds since 1970 at the end of the year 9999.
_LATEST = 253_402_300_799.0


def load(store: Store, ids: Iterable[int]) -> list[Memory]:
    """Return the memories of these ids in the order given; ids without a row are left out."""
    return [from_row(row) for row in store.records("memories.by_ids", ids=json.dumps(list(ids)))]


def fault_notes(memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return what to say of memories whose rows cannot be read in full."""
    return tuple(
        f"memory {memory.id}: {', '.join(memory.faults)} cannot be read; 'memkit check' says how "
        "to mend it"
        for memory in memories
        if memory.faults
    )


def from_row(row: Mapping[str, Any]) -> Memory:
    """Return one row as a record; what another program wrote into it and nobody can read is not
    set, and is among its faults."""
    faults = [name for name, value in row.items() if isinstance(value, BrokenText)]

    def read(name: str, parse: Callable[[Any], object], otherwise: object) -> object:
        try:
            return parse(row[name])
        except (ValueError, TypeError, RecursionError):
            faults.append(name)
            return otherwise

    first, last = row["message_first"], row["message_last"]
    born = id_time(row["id"], now=_LATEST)
    parsed: dict[str, Any] = {
        "kind": read("kind", Kind, Kind.FACT),
        "form": read("form", Form, Form.FACT),
        "scope": read("scope", Scope, Scope.PROJECT),
        "provenance": read("provenance", Provenance, Provenance.STATED),
        "inactive_code": read("inactive_code", optional(InactiveCode), None),
        "review": read("review", optional(ReviewState), None),
        "created_at": read("created_at", _time, born),
        "updated_at": read("updated_at", _time, born),
        "valid_from": read("valid_from", _time, None),
        "valid_to": read("valid_to", _time, None),
        "file_paths": read("file_paths", texts_of, ()),
        "trigger_patterns": read("trigger_patterns", texts_of, ()),
        "procedure": read("procedure", _procedure, None),
        "tags": read("tags", texts_of, ()),
        "outcomes": read("outcomes", outcomes.records_of, ()),
    }
    return Memory(
        **{name: row[name] for name in _SAME},
        **parsed,
        session=row["session_id"],
        task=row["task_id"],
        messages=None if first is None or last is None else (first, last),
        active=bool(row["active"]),
        pinned=bool(row["pinned"]),
        private=bool(row["private"]),
        about=_anchors(row["about"]),
        faults=tuple(faults),
    )


def check_shape(row: Mapping[str, Any]) -> None:
    """Raise InvalidInput if JSON in a row of the memories table is not what a memory holds."""
    for name in ("file_paths", "trigger_patterns"):
        try:
            texts_of(row[name])
        except ValueError as error:
            raise InvalidInput(f"{name}: {error}") from None
    if row["procedure"] is not None:
        try:
            _procedure(row["procedure"])
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"procedure: {error}") from None


def texts_of(stored: str) -> tuple[str, ...]:
    """Return the texts of a JSON list; raises ValueError for anything else."""
    texts = [] if stored == "[]" else json.loads(stored)
    if isinstance(texts, list) and all(isinstance(item, str) for item in texts):
        return tuple(texts)
    raise ValueError(f"found {shown(stored)}, expected a JSON list of texts")


def _anchors(stored: str) -> tuple[Anchor, ...]:
    return () if stored == "[]" else tuple(Anchor(*anchor) for anchor in json.loads(stored))


def _time(stored: str | None) -> str | None:
    """Return a stored time as it is; raises ValueError for what is none."""
    if stored is not None and not _TIME.match(stored):
        datetime.fromisoformat(stored)
    return stored


_PROCEDURE = tuple(field.name for field in attrs.fields(Procedure))


def _procedure(stored: str | None) -> Procedure | None:
    if stored is None:
        return None
    fields = json.loads(stored)
    if (
        not isinstance(fields, dict)
        or "steps" not in fields
        or not fields.keys() <= set(_PROCEDURE)
    ):
        raise ValueError(
            f"found {shown(stored)}, expected a JSON object with {', '.join(_PROCEDURE)}"
        )
    procedure = Procedure(**fields)
    check_procedure(procedure)
    return procedure
