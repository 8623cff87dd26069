"""The evaluation sets as records: what is to be remembered, what is asked, what must come back.

The data lie outside the repository (their licences allow evaluation only); every reader returns
nothing where its folder is missing.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

import attrs

Record = dict[str, Any]


@attrs.frozen
class Item:
    """One text to be remembered.

    Attributes:
        id: its name among the items of its set. group: what evidence names, if not the item.
        plain: the text that the floor indexes. session, at, tags, kind, key: as in `Draft`.
    """

    id: str
    text: str
    group: str = ""
    plain: str = ""
    session: str | None = None
    at: str | None = None
    tags: tuple[str, ...] = ()
    kind: str = "fact"
    key: str | None = None

    @property
    def gold(self) -> str:
        """The name that a question's evidence uses."""
        return self.group or self.id


def _frozen(ids: Iterable[str]) -> frozenset[str]:
    return frozenset(ids)


@attrs.frozen
class Question:
    """One question; `evidence` is empty where nothing in the store answers it, `answer` where the
    set has none. `earlier` and `later` are those of the evidence of which the later ones contradict
    or update the others."""

    text: str
    evidence: frozenset[str] = attrs.field(converter=_frozen)
    category: str = ""
    answer: str = ""
    earlier: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


@attrs.frozen
class Corpus:
    """One store's worth of items, with the questions asked of it."""

    items: tuple[Item, ...]
    questions: tuple[Question, ...]


def locomo(data: Path) -> Iterator[Corpus]:
    """Yield conversations; a turn is an item, with who said it and what a shared picture shows."""
    for row in _rows(data / "locomo" / "locomo.jsonl"):
        items = tuple(
            Item(
                turn["id"],
                f"{turn['speaker']}: {turn['text']} {turn.get('image_caption', '')}".strip(),
                session=str(turn["session"]),
                at=spoken_time(turn["when"]),
            )
            for turn in row["turns"]
        )
        asked = (
            Question(q["question"], q["evidence"], str(q["category"]), str(q.get("answer", "")))
            for q in row["questions"]
        )
        yield Corpus(items, tuple(q for q in asked if q.evidence))


def locomo_plus(data: Path) -> Iterator[Corpus]:
    """Yield one corpus: every cue is an item, every trigger a question for its cue."""
    rows = list(_rows(data / "locomo_plus" / "cues.jsonl"))
    items = tuple(Item(row["id"], row["cue"]) for row in rows)
    if rows:
        yield Corpus(items, tuple(Question(row["trigger"], [row["id"]]) for row in rows))


def beam(data: Path) -> Iterator[Corpus]:
    """Yield chats; a message is an item, its batch the session."""
    for row in _rows(data / "beam" / "beam.jsonl.gz"):
        items = tuple(
            Item(
                str(message["id"]),
                f"{message['role']}: {message['text']}",
                plain=message["text"],
                session=str(message["batch"]),
                at=anchor_time(message.get("time_anchor")),
            )
            for message in row["messages"]
            if message["text"].strip()
        )
        questions = (
            Question(
                q["question"],
                map(str, q["evidence"]),
                q["ability"],
                earlier=_in_role(q, "first_statement", "original_info"),
                later=_in_role(q, "second_statement", "updated_info"),
            )
            for q in row["questions"]
        )
        kept = (q for q in questions if q.evidence or q.category == "abstention")
        yield Corpus(items, tuple(kept))


def _in_role(question: Record, *names: str) -> tuple[str, ...]:
    roles = question.get("evidence_roles") or {}
    return tuple(str(message) for name in names for message in roles.get(name, ()))


def devmembench(data: Path, *, whole: bool) -> Iterator[Corpus]:
    """Yield one corpus of coding sessions; an item is a message, or with `whole` a session."""
    folder = data / "devmembench"
    items: list[Item] = []
    for row in _rows(folder / "sessions.jsonl"):
        texts = [f"{message['role']}: {message['text']}" for message in row["messages"]]
        plain = "\n".join(message["text"] for message in row["messages"])
        for place, text in enumerate(["\n".join(texts)] if whole else texts):
            items.append(
                Item(
                    f"{row['id']}/{place}",
                    text,
                    group=row["id"],
                    plain=plain if place == 0 else "",
                    session=row["id"],
                    at=row["date"],
                    tags=(row["project"],),
                )
            )
    questions = tuple(
        Question(q["question"], q["evidence_sessions"], q["type"], q.get("answer", ""))
        for q in _rows(folder / "questions.jsonl")
    )
    if items:
        yield Corpus(tuple(items), questions)


def devbench(data: Path) -> Iterator[Corpus]:
    """Yield one corpus of project memories; their first two tags name the benchmark only."""
    folder = data / "devbench"
    items = tuple(
        Item(
            row["id"],
            row["text"],
            plain=f"{row['text']} {' '.join(row['tags'][2:])}",
            at=row["created"],
            tags=tuple(row["tags"][2:]),
        )
        for row in _rows(folder / "memories.jsonl")
    )
    asked = (Question(q["question"], q["expected_ids"]) for q in _rows(folder / "questions.jsonl"))
    if items:
        yield Corpus(items, tuple(question for question in asked if question.evidence))


def longmemeval_mini(data: Path) -> Iterator[Corpus]:
    """Yield a corpus a question: some fifty sessions, cut short by the source, an item each."""
    for row in _rows(data / "longmemeval_mini" / "questions.jsonl"):
        items = tuple(
            Item(session["id"], session["text"], session=session["id"], at=day(session["when"]))
            for session in row["sessions"]
            if session["text"].strip()
        )
        yield Corpus(items, (Question(row["question"], row["evidence_sessions"]),))


def precisionmembench(data: Path) -> tuple[list[Record], list[Record], list[Record]]:
    """Return beliefs, cases and sessions as they lie in the files."""
    folder = data / "precisionmembench"
    beliefs, cases, sessions = (
        list(_rows(folder / f"{name}.jsonl")) for name in ("beliefs", "cases", "sessions")
    )
    return beliefs, cases, sessions


def spoken_time(text: str) -> str:
    """Return ISO time of "4:04 pm on 20 January, 2023"."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").isoformat()


def anchor_time(text: str | None) -> str | None:
    """Return ISO date of "March-15-2024", or None for what is no such date."""
    try:
        return datetime.strptime(text or "", "%B-%d-%Y").date().isoformat()
    except ValueError:
        return None


def day(text: str) -> str:
    """Return ISO date of "2023/05/20 (Sat) 10:44"."""
    return text[:10].replace("/", "-")


def _rows(path: Path) -> Iterator[Record]:
    if not path.is_file():
        return
    with _opened(path) as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8")
    return path.open(encoding="utf-8")
