"""What the levels of detail of a memory keep of what is asked of it, and the tokens that they cost.

Sets: memories of projects (`realuse`, `training`), turns and whole sessions of conversations
(`locomo`, `locomo/session`), whole coding sessions (`devmembench/whole`). Of every question the
words of its answer that occur in its evidence are due (where a set has no answers, those of the
question and of the evidence's keyed value). `SET/LEVEL` says which `share` of the evidence has the
level, and of that the mean `tokens` (floor: of the full text) and the share of the due words that
is `kept`. The floor of `kept` is the beginning of the text, cut at as many tokens.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import attrs

import memkit
from memkit import tokens
from memkit.consolidation.levels import make_levels
from memkit.context.memory_levels import LevelName, full_text
from memkit.text.analyzer import words_of

from . import corpora
from .projects import Project, evaluation_projects, training_projects
from .projects import draft as project_draft
from .results import Options, Row

SHORTER = (LevelName.SUMMARY, LevelName.COMPRESSED, LevelName.INDEX)


@attrs.frozen
class Evidence:
    """A statement to be shortened, and texts whose words are due where they occur in it."""

    draft: memkit.Draft
    asked: tuple[str, ...]


@attrs.define
class Tally:
    """What is counted of one level."""

    tokens: list[int] = attrs.field(factory=list)
    full_tokens: list[int] = attrs.field(factory=list)
    due: int = 0
    kept: int = 0
    cut_kept: int = 0


def run(options: Options) -> Iterator[Row]:
    """Yield the rows of every set whose folder is there."""
    for name, evidence in _sets(options):
        yield from measure(name, list(evidence)[: options.limit])


def _sets(options: Options) -> Iterator[tuple[str, Iterator[Evidence]]]:
    if options.folder("realuse", "realuse", holds="*/memories.jsonl") is not None:
        yield "realuse", _of_projects(evaluation_projects(options.data))
    yield "training", _of_projects(training_projects())
    if options.folder("locomo", "locomo") is not None:
        yield "locomo", _of_corpora(corpora.locomo(options.data))
        yield "locomo/session", _of_corpora(map(_by_session, corpora.locomo(options.data)))
    if options.folder("devmembench", "devmembench") is not None:
        yield "devmembench/whole", _of_corpora(corpora.devmembench(options.data, whole=True))


def measure(name: str, evidence: Sequence[Evidence]) -> Iterator[Row]:
    """Yield the rows of one set."""
    tallies = {level: Tally() for level in SHORTER}
    with (
        tempfile.TemporaryDirectory() as folder,
        memkit.open(Path(folder) / ".memkit.db", encoder="hashing", global_store=False) as kit,
    ):
        for number, shortened in enumerate(evidence):
            draft = attrs.evolve(shortened.draft, source=f"evidence:{number}")
            count(kit.memories.remember_many([draft])[0].memory, shortened.asked, tallies)
    for level, tally in tallies.items():
        has_level = len(tally.tokens)
        part = f"{name}/{level}"
        yield Row(part, "share", has_level / max(len(evidence), 1))
        if has_level:
            full = sum(tally.full_tokens) / has_level
            yield Row(part, "tokens", sum(tally.tokens) / has_level, full)
        if tally.due:
            yield Row(part, "kept", tally.kept / tally.due, tally.cut_kept / tally.due)


def count(memory: memkit.Memory, asked: Iterable[str], tallies: Mapping[LevelName, Tally]) -> None:
    """Count what the levels of one memory keep of what is asked of it."""
    full, made = full_text(memory), make_levels(memory)
    due = set(words_of(full)) & {word for text in asked for word in words_of(text)}
    for level, tally in tallies.items():
        text = getattr(made, level)
        if text is None:
            continue
        size = tokens.count(text)
        tally.tokens.append(size)
        tally.full_tokens.append(tokens.count(full))
        tally.due += len(due)
        tally.kept += len(due & set(words_of(text)))
        tally.cut_kept += len(due & set(words_of(tokens.truncate(full, size).text)))


# -- sets


def _of_projects(projects: Iterable[Project]) -> Iterator[Evidence]:
    for project in projects:
        asked: defaultdict[str, list[str]] = defaultdict(list)
        for question in project.questions:
            for name in question["wanted"]:
                asked[name].append(question["text"])
        for row in project.memories:
            if row["id"] in asked:
                draft = project_draft({**row, "supersedes": None}, {})
                yield Evidence(draft, (*asked[row["id"]], row["value"] or ""))


def _of_corpora(sets: Iterable[corpora.Corpus]) -> Iterator[Evidence]:
    for corpus in sets:
        asked: defaultdict[str, list[str]] = defaultdict(list)
        for question in corpus.questions:
            for name in question.evidence:
                asked[name].append(question.answer or question.text)
        for item in corpus.items:
            if item.gold in asked:
                yield Evidence(memkit.Draft(item.text, tags=item.tags), tuple(asked[item.gold]))


def _by_session(corpus: corpora.Corpus) -> corpora.Corpus:
    """Return a conversation whose items are its sessions."""
    session_of = {item.id: item.session or "" for item in corpus.items}
    items = [
        corpora.Item(session, "\n".join(item.text for item in members))
        for session, members in groupby(corpus.items, key=lambda item: item.session or "")
    ]
    questions = [
        attrs.evolve(
            question, evidence={session_of[name] for name in question.evidence & session_of.keys()}
        )
        for question in corpus.questions
    ]
    return corpora.Corpus(tuple(items), tuple(questions))
