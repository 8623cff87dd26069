"""How much of what is needed comes back, and whether an unrelated question gets nothing.

Rankings are taken with `recall(limit=20, min_score=0)`, since the floor of the score would cut
them; precision, recall and `abstain` are taken with the defaults of `recall`. `abstain` is the
share of questions for which an empty answer came exactly when nothing was to be found.

Coding sessions (devmembench) are remembered message by message, chained by `next` edges, and a
message counts for its session: that is how an agent's memory fills while it works, and how chats
are remembered in the other sets. `devmembench/whole` remembers each session as one memory.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

import attrs

import memkit
from memkit.retrieval.records import RetrievalConfig

from . import corpora, precision
from .corpora import Corpus, Item, Question
from .projects import epoch
from .results import Options, Row
from .scoring import DEPTH, PlainSearch, Ranking

RANKING = ("R@5", "R@10", "R@20", "hit@20", "MRR")
# Evidence of category 5 of locomo is a turn that only looks like the answer.
_ADVERSARIAL = "5"
# Memories asked for where several count for one name.
_GROUPED_LIMIT = 60


@attrs.frozen
class Part:
    """One row group: the set's name and how it is read. `limit` is what recall is asked for."""

    name: str
    read: Callable[[Path], Iterator[Corpus]]
    limit: int = DEPTH
    chain: bool = False

    @property
    def folder(self) -> str:
        """The folder of the set."""
        return self.name.split("/")[0]


PARTS = (
    Part("locomo", corpora.locomo, chain=True),
    Part("locomo_plus", corpora.locomo_plus),
    Part("beam", corpora.beam, chain=True),
    Part(
        "devmembench",
        partial(corpora.devmembench, whole=False),
        limit=_GROUPED_LIMIT,
        chain=True,
    ),
    Part("devmembench/whole", partial(corpora.devmembench, whole=True)),
    Part("devbench", corpora.devbench),
    Part("longmemeval_mini", corpora.longmemeval_mini),
)
ABLATIONS = {
    "": RetrievalConfig(),
    "lexical_only": RetrievalConfig(
        vectors=False, anchors=False, neighbours=False, cascade=False, late_interaction=False
    ),
    "vectors_only": RetrievalConfig(
        lexical=False, anchors=False, neighbours=False, cascade=False, late_interaction=False
    ),
    "no_anchors": RetrievalConfig(anchors=False),
    "no_neighbours": RetrievalConfig(neighbours=False),
    "no_cascade": RetrievalConfig(cascade=False),
    "no_late_interaction": RetrievalConfig(late_interaction=False),
    "no_learned_ranking": RetrievalConfig(learned=False),
}


class Tally:
    """What is counted for one set under one config."""

    def __init__(self) -> None:
        self.all = Ranking()
        self.answerable = Ranking()
        self.empty: list[tuple[bool, bool]] = []

    def rank(self, question: Question, ranked: Sequence[str]) -> None:
        """Count a ranking; `answerable` leaves adversarial questions out."""
        self.all.add(ranked, question.evidence)
        if question.category != _ADVERSARIAL:
            self.answerable.add(ranked, question.evidence)

    def answer(self, question: Question, *, empty: bool) -> None:
        """Count whether an answer was empty, and whether it should have been."""
        self.empty.append((empty, not question.evidence))

    def abstained(self, *, due: bool | None = None) -> float:
        """Return the share of right decisions among questions that were (not) to be refused."""
        right = [empty is wanted for empty, wanted in self.empty if due in (None, wanted)]
        return sum(right) / len(right) if right else 0.0


def run(options: Options) -> list[Row]:
    """Measure every set whose folder is there."""
    rows: list[Row] = []
    for part in PARTS:
        if options.folder(part.name, part.folder) is not None:
            rows += measure(part, options)
    return rows + precision.run(options)


def measure(part: Part, options: Options) -> list[Row]:
    """Return the rows of one set: a fresh store for each corpus, every config on the same store."""
    configs = ABLATIONS if options.ablations else {"": RetrievalConfig()}
    tallies = {name: Tally() for name in configs}
    floor = Tally()
    for corpus in limited(part.read(options.data), options.limit):
        with (
            tempfile.TemporaryDirectory() as folder,
            open_store(Path(folder), corpus.items) as kit,
        ):
            names = remember(kit, corpus.items, chain=part.chain)
            for name, config in configs.items():
                kit._config = config
                asker = _asker(kit, names, limit=part.limit)
                _question(corpus, tallies[name], asker)
        plain = PlainSearch(_plain_texts(corpus.items))
        _question(corpus, floor, Asker(ranked=plain.ask, answered=plain.ask))
    if not floor.all:
        some = "no question" if options.limit is None else f"none of {options.limit} questions"
        options.say(f"skipped {part.name}: {some} in {options.data / part.folder} has evidence")
        return []
    options.say(f"{part.name}: {len(floor.all)} questions with evidence")
    return [row for name, tally in tallies.items() for row in _rows(part.name, name, tally, floor)]


def limited(found: Iterable[Corpus], limit: int | None) -> Iterator[Corpus]:
    """Yield corpora until `limit` questions are reached; the last one is cut to fit."""
    left = limit
    for corpus in found:
        if left is None:
            yield corpus
            continue
        if left <= 0:
            return
        kept = corpus.questions[:left]
        left -= len(kept)
        yield attrs.evolve(corpus, questions=kept)


def open_store(folder: Path, items: Iterable[Item] = ()) -> memkit.Memkit:
    """Return an empty store in a folder, apart from the user's global memories.

    Its clock stands a day after the last of the items was said: whoever asks in a conversation asks
    at its end, and "in May" is the May before that.
    """
    said = [epoch(item.at) for item in items if item.at]
    asked = max(said) + 86_400 if said else time.time()
    return memkit.open(folder / "bench.memkit.db", clock=lambda: asked, global_store=False)


def remember(kit: memkit.Memkit, items: Iterable[Item], *, chain: bool) -> dict[int, str]:
    """Remember items, chained inside a session; return the name of each memory by id."""
    names: dict[int, str] = {}
    for _, session in groupby(items, key=lambda item: item.session):
        mine = list(session)
        drafts = [
            memkit.Draft(
                item.text,
                kind=memkit.Kind(item.kind),
                key=item.key,
                tags=item.tags,
                session=item.session,
                at=item.at,
                source=item.id,
            )
            for item in mine
        ]
        stored = kit.memories.remember_many(drafts, chain=chain)
        names |= {done.id: item.gold for done, item in zip(stored, mine, strict=True)}
    return names


@attrs.frozen
class Asker:
    """The two ways of asking one store: for the best there are, and for what is good enough."""

    ranked: Callable[[str], Iterable[str]]
    answered: Callable[[str], Sequence[str]]


def _asker(kit: memkit.Memkit, names: dict[int, str], *, limit: int) -> Asker:
    return Asker(
        ranked=lambda text: [names[hit.id] for hit in kit.recall(text, limit=limit, min_score=0.0)],
        answered=lambda text: [names[hit.id] for hit in kit.recall(text)],
    )


def _question(corpus: Corpus, tally: Tally, asker: Asker) -> None:
    """Ask a corpus its questions; where some have no answer, also whether nothing comes back."""
    refusing = any(not question.evidence for question in corpus.questions)
    for question in corpus.questions:
        if question.evidence:
            tally.rank(question, list(asker.ranked(question.text)))
        if refusing:
            tally.answer(question, empty=not asker.answered(question.text))


def _plain_texts(items: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Yield what the floor indexes: of a group, its whole text once."""
    for item in items:
        if item.plain or not item.group:
            yield item.gold, item.plain or item.text


def _rows(part: str, ablation: str, tally: Tally, floor: Tally) -> Iterator[Row]:
    name = f"{part}/{ablation}" if ablation else part
    for metric in RANKING:
        yield Row(name, metric, tally.all.value(metric), floor.all.value(metric))
    if part == "locomo":
        metric = "R@10"
        value, plain = tally.answerable.value(metric), floor.answerable.value(metric)
        yield Row(name, "R@10_cat1-4", value, plain)
    if tally.empty:
        yield Row(name, "abstain", tally.abstained(), floor.abstained())
        for label, due in (("unanswerable", True), ("answerable", False)):
            value, plain = tally.abstained(due=due), floor.abstained(due=due)
            yield Row(f"{name}/{label}", "abstain", value, plain)
