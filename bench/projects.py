"""Projects as a developer's memory of them accumulates: what is remembered, asked, done, compared.

A project is a folder with `memories.jsonl`, `questions.jsonl`, `prompts.jsonl`, `actions.jsonl` and
`pairs.jsonl`. Those of the evaluation data lie in its folder `realuse`; six more, written for
training, lie packed beside this module (`projects.tar.gz`).
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

import memkit

TRAINING = Path(__file__).with_name("projects.tar.gz")
FILES = ("memories", "questions", "prompts", "actions", "pairs")


@attrs.frozen
class Project:
    """One project: its name, and the rows of its five files as dictionaries."""

    name: str
    memories: tuple[dict[str, Any], ...]
    questions: tuple[dict[str, Any], ...] = ()
    prompts: tuple[dict[str, Any], ...] = ()
    actions: tuple[dict[str, Any], ...] = ()
    pairs: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, name: str, texts: dict[str, str]) -> Project:
        """Return the project of these files' texts, by the files' names without their ending."""
        rows = {
            file: tuple(json.loads(line) for line in texts.get(file, "").splitlines() if line)
            for file in FILES
        }
        return cls(name=name, **rows)


def evaluation_projects(data: Path) -> Iterator[Project]:
    """Yield the projects of a folder of evaluation data, by name."""
    for path in sorted((data / "realuse").glob("*/memories.jsonl")):
        files = {file: path.with_name(f"{file}.jsonl") for file in FILES}
        texts = {file: p.read_text("utf-8") for file, p in files.items() if p.is_file()}
        yield Project.of(path.parent.name, texts)


def training_projects() -> Iterator[Project]:
    """Yield the six projects that were written for training."""
    texts: dict[str, dict[str, str]] = {}
    with tarfile.open(TRAINING) as archive:
        for member in archive:
            folder, _, file = member.name.partition("/")
            if (source := archive.extractfile(member)) is not None:
                texts.setdefault(folder, {})[file.removesuffix(".jsonl")] = source.read().decode()
    for name in sorted(texts):
        yield Project.of(name, texts[name])


class Clock:
    """A clock that stands at a moment of a project's past until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def move(self, at: str) -> None:
        """Stand at a time given as UTC text."""
        self.now = epoch(at)


def epoch(at: str) -> float:
    """Return a time given as ISO 8601 text as seconds since 1970."""
    return datetime.fromisoformat(at.replace("Z", "+00:00")).astimezone(UTC).timestamp()


def draft(row: dict[str, Any], ids: dict[str, int]) -> memkit.Draft:
    """Return a row of `memories.jsonl` as what `remember` is given; `ids` are those of earlier
    ones."""
    supersedes = row.get("supersedes")
    return memkit.Draft(
        row["text"],
        kind=row["kind"],
        tags=tuple(row["tags"]),
        key=row["key"],
        value=row["value"],
        trigger_patterns=tuple(row["triggers"]),
        procedure=memkit.Procedure(tuple(row["steps"])) if row["steps"] else None,
        about=() if row["about"] is None else (row["about"],),
        supersedes=() if supersedes is None else (ids[supersedes],),
        source=row["id"],
    )


def remember(kit: memkit.Memkit, clock: Clock, rows: Iterable[dict[str, Any]]) -> dict[int, str]:
    """Remember a project's statements, each at its time; return the row's id by memory id.

    Statements of scope global lie in the same file as all others, as ones of the project.
    """
    ids: dict[str, int] = {}
    names: dict[int, str] = {}
    for row in sorted(rows, key=lambda row: row["at"]):
        clock.move(row["at"])
        stored = kit.memories.remember_many([draft(row, ids)])[0]
        ids[row["id"]] = stored.id
        names.setdefault(stored.id, row["id"])
    return names
