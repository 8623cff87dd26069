"""What of prompts is taken for worth remembering: against a match of four words.

`prompts` are the held-out ones of `bench/prompts` (each written once, before any rule was tried on
it), `prompts/development` those that the rules were tuned on. `requests` are prompts of real use
(`realuse`, `traces`): nearly all are work to be done, so that of them only what comes by mistake is
counted: `per_1000` is candidates per thousand prompts. `notes` are notes with the memories that
people took from them (`extraction`), for which the rules are not made.

A candidate is right if it has a wanted statement in it and at most twice as much beside it, or
shares half of the words with one (F1); `precision` is over candidates, `recall` over wanted
statements. The floor takes every statement with one of the words always, never, remember, prefer.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from memkit.agents.extraction import read_prompt
from memkit.text.extractive import split_statements

from .results import Options, Row

PROMPTS = Path(__file__).parent / "prompts"
_KEYWORD = re.compile(r"\b(?:always|never|remember|prefer)", re.I)
_WORD = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u4e00-\u9fff]+")
# Share of words that a candidate and a statement have in common; how much longer it may be.
SAME, LONGER = 0.5, 3

Read = Callable[[str], Sequence[str]]


@attrs.frozen
class Labelled:
    """A prompt with the statements in it that are worth remembering."""

    text: str
    wanted: tuple[str, ...] = ()


@attrs.define
class Score:
    """Counts of candidates and wanted statements, and how many of each were right."""

    candidates: int = 0
    right: int = 0
    wanted: int = 0
    reached: int = 0

    def add(self, candidates: Sequence[str], wanted: Sequence[str]) -> None:
        """Count the candidates of one prompt."""
        self.candidates += len(candidates)
        self.right += sum(any(alike(each, want) for want in wanted) for each in candidates)
        self.wanted += len(wanted)
        self.reached += sum(any(alike(each, want) for each in candidates) for want in wanted)

    @property
    def precision(self) -> float:
        """Share of the candidates that are right."""
        return self.right / self.candidates if self.candidates else 0.0

    @property
    def recall(self) -> float:
        """Share of the wanted statements that came."""
        return self.reached / self.wanted if self.wanted else 0.0


def run(options: Options) -> list[Row]:
    """Measure the labelled prompts, then what else there is."""
    rows: list[Row] = []
    for part, name in (("prompts", "held_out"), ("prompts/development", "development")):
        rows += measure(part, list(labelled(PROMPTS / f"{name}.jsonl"))[: options.limit])
    if (folder := options.folder("notes", "extraction")) is not None:
        rows += measure("notes", list(notes(folder))[: options.limit])
    rows += list(_mistakes(options))
    return rows


def measure(part: str, prompts: Sequence[Labelled]) -> Iterator[Row]:
    """Yield precision and recall of prompts, and the slowest of all in milliseconds."""
    own, floor, times = Score(), Score(), []
    for prompt in prompts:
        begin = time.perf_counter()
        candidates = by_rules(prompt.text)
        times.append((time.perf_counter() - begin) * 1000)
        own.add(candidates, prompt.wanted)
        floor.add(by_keyword(prompt.text), prompt.wanted)
    yield Row(part, "precision", own.precision, floor.precision)
    yield Row(part, "recall", own.recall, floor.recall)
    if times:
        yield Row(part, "max_ms", max(times))


def by_rules(text: str) -> list[str]:
    """Return the candidates of a prompt."""
    return [draft.text for draft in read_prompt(text).candidates]


def by_keyword(text: str) -> list[str]:
    """Return the statements of a prompt that have one of four words."""
    return [statement for statement in split_statements(text) if _KEYWORD.search(statement)]


def alike(candidate: str, wanted: str) -> bool:
    """Whether a candidate says what is wanted."""
    words, others = Counter(_words(candidate)), Counter(_words(wanted))
    shared, total = sum((words & others).values()), sum(others.values())
    if not shared:
        return False
    if shared == total and sum(words.values()) <= LONGER * total:
        return True
    return 2 * shared / (sum(words.values()) + total) >= SAME


def labelled(path: Path) -> Iterator[Labelled]:
    """Yield the labelled prompts of a file."""
    for row in _rows(path):
        yield Labelled(row["text"], tuple(memory["text"] for memory in row["memories"]))


def notes(folder: Path) -> Iterator[Labelled]:
    """Yield notes with what people took from them; of those for entities nothing is wanted here."""
    for row in _rows(folder / "memory_extraction.jsonl"):
        yield Labelled(row["text"], tuple(memory["content"] for memory in row["memories"]))


def _mistakes(options: Options) -> Iterator[Row]:
    prompts: list[str] = []
    if (folder := options.folder("requests", "realuse", holds="*/prompts.jsonl")) is not None:
        prompts += [row["text"] for path in folder.glob("*/prompts.jsonl") for row in _rows(path)]
    if (folder := options.folder("requests", "traces", "events", holds="*.jsonl")) is not None:
        prompts += _first_prompts(folder)
    if prompts:
        own = sum(len(by_rules(text)) for text in prompts)
        floor = sum(len(by_keyword(text)) for text in prompts)
        yield Row("requests", "per_1000", 1000 * own / len(prompts), 1000 * floor / len(prompts))


def _first_prompts(folder: Path) -> Iterable[str]:
    """Return what users said in the traces, each text once; results that were put into a user's
    message are none."""
    texts = {
        str(row.get("text") or ""): None
        for path in sorted(folder.glob("*.jsonl"))
        for row in _rows(path)
        if row["kind"] == "user"
    }
    return [text for text in texts if text.strip()]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
