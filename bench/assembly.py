"""What a context assembled for a prompt holds of what is wanted, within 500 to 16,000 tokens.

Sets: prompts of projects (`realuse`, `training`), questions to conversations (`locomo`, `beam`,
`devmembench`), subjects of commits to repositories whose code is indexed (`commits`: the files that
were changed). Evidence counts if its text, or an item of its id, stands in the context.
`evidence_1500` is the share of the evidence within 1,500 tokens, `idle_tokens` the mean tokens of
the text where nothing is wanted (8,000 allowed), `over_budget` how many texts are longer than
allowed for any family of models, `top20` the share that the first twenty of recall hold. Sets
`SET/BUDGET` say `evidence` and `per_1000`, evidence of a question by thousand tokens of its text.

The floor is plain FTS5, stop words left out, its best texts one after the other until the budget is
full; `SET/recall` is the same with `recall` (`min_score=0`) instead of the context, beside the same
floor. `10k` is a store of ten thousand memories (or --limit) with the code graph of the running
interpreter's library, twice (or of --tree), `10k/cpu` the same in time of the processor, which
others on the machine disturb less; the floor is FTS5 on the same file, `ratio` p95 by its p95, and
`code_p50_ms` the part of it that looks for the question in the code.
"""

from __future__ import annotations

import shutil
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

import memkit
from memkit import tokens
from memkit.context.assembled import AssembledContext

from . import commits, index, recall, stores, texts
from .floors import FullText
from .projects import Clock, Project, evaluation_projects, remember, training_projects
from .realuse import plain_text
from .results import Options, Row
from .scoring import DEPTH, PlainSearch, at_share, milliseconds

BUDGETS = (500, 1_500, 4_000, 8_000, 16_000)
MARK, USUAL = 1_500, 8_000
_COUNTERS = [tokens.TokenCounter(family) for family in tokens.FAMILIES]
# Texts that are looked at to fill the largest budget.
_LISTED = 200
_CONVERSATIONS = ("locomo", "beam", "devmembench")
_ASKED, _WARM_UP = 200, 5
_MEMORIES = 10_000


@attrs.frozen
class Question:
    """A prompt and the names of its evidence; none if nothing is wanted. `now` is when it is asked,
    if the clock is to be moved."""

    text: str
    evidence: frozenset[str]
    now: str | None = None


@attrs.frozen
class Named:
    """A text that may stand in a context, and the name that evidence has for it."""

    name: str
    text: str


@attrs.frozen(eq=False)
class Setting:
    """An open store, what lies in it, and what is asked of it.

    Attributes:
        statements: by the reference that an item of a context has. plain: what the floor searches.
        recalls: whether recall is a floor too. move: moves the clock.
    """

    kit: memkit.Memkit
    statements: Mapping[str, Named]
    plain: Sequence[Named]
    questions: Sequence[Question]
    recalls: bool = True
    move: Callable[[str], None] = lambda now: None


class Tally:
    """What is counted of one set: evidence and tokens by way of asking and budget."""

    def __init__(self) -> None:
        self.due = 0
        self.asked = 0
        self.held: Counter[tuple[str, int]] = Counter()
        self.tokens: Counter[tuple[str, int]] = Counter()
        self.idle: list[int] = []
        self.over_budget = 0
        self.times: list[float] = []

    def add(self, way: str, budget: int, held: int, size: int) -> None:
        """Count the evidence that a text holds, and its tokens."""
        self.held[way, budget] += held
        self.tokens[way, budget] += size

    def share(self, way: str, budget: int) -> float:
        """Return the share of all evidence that one way of asking held."""
        return self.held[way, budget] / self.due if self.due else 0.0

    def per_1000(self, way: str, budget: int) -> float:
        """Return the evidence held by a thousand tokens."""
        return 1000 * self.held[way, budget] / max(self.tokens[way, budget], 1)


def run(options: Options) -> Iterator[Row]:
    """Yield the rows of every set whose folder is there, and the time in a large store."""
    for name, settings in _sets(options):
        tally = Tally()
        left = options.limit
        for setting in settings:
            measure(setting, setting.questions[:left], tally)
            left = None if left is None else left - len(setting.questions[:left])
            if left == 0:
                break
        yield from _rows(name, tally)
    yield from _large(options)


def _sets(options: Options) -> Iterator[tuple[str, Iterable[Setting]]]:
    if options.folder("realuse", "realuse", holds="*/memories.jsonl") is not None:
        yield "realuse", _projects(evaluation_projects(options.data))
    yield "training", _projects(training_projects())
    for part in recall.PARTS:
        if part.name in _CONVERSATIONS and options.folder(part.name, part.folder) is not None:
            yield part.name, _conversations(part, options)
    folder = options.folder("commits", "commits", holds="*.meta.json")
    if folder is not None:
        yield "commits", _repositories(folder)


def measure(setting: Setting, questions: Iterable[Question], tally: Tally) -> None:
    """Count what contexts of every budget hold, and what the floors do."""
    texts_of: dict[str, list[str]] = {}
    for named in setting.statements.values():
        texts_of.setdefault(named.name, []).append(flat(named.text))
    full_text = _FullText(setting.plain)
    for question in questions:
        if question.now is not None:
            setting.move(question.now)
        evidence = {name: texts_of.get(name, []) for name in question.evidence}
        _contexts(question.text, setting, evidence, tally)
        if evidence:
            _floors(question, setting, full_text, tally)


def _contexts(
    text: str, setting: Setting, evidence: Mapping[str, Sequence[str]], tally: Tally
) -> None:
    tally.due += len(evidence)
    for budget in BUDGETS:
        took, context = _timed(setting.kit, text, budget)
        size = worst(context.text)
        tally.over_budget += size > budget
        if evidence:
            held = held_by(context, setting.statements, evidence)
            tally.add("", budget, len(held), size)
        elif budget == USUAL:
            tally.idle.append(tokens.count(context.text))
        if budget == MARK:
            tally.times.append(took)


def held_by(
    context: AssembledContext,
    statements: Mapping[str, Named],
    evidence: Mapping[str, Sequence[str]],
) -> set[str]:
    """Return the names among the evidence (with its texts) that stand in a context."""
    items = {item.reference for item in context.items}
    held = {statements[name].name for name in items & statements.keys()} & evidence.keys()
    inside = flat(context.text)
    return held | {name for name, said in evidence.items() if any(map(inside.__contains__, said))}


def worst(text: str) -> int:
    """Return the tokens of a text by the family that counts most."""
    count = tokens.count(text)
    return max(counter.scale(count, text) for counter in _COUNTERS)


def flat(text: str) -> str:
    """Return a text with one space before each word."""
    return "".join(f" {word}" for word in text.split())


# -- floors


class _FullText:
    """FTS5 over the statements, and what each of them costs."""

    def __init__(self, statements: Sequence[Named]) -> None:
        self._search = PlainSearch((str(n), named.text) for n, named in enumerate(statements))
        self._statements = statements
        self._costs: dict[str, int] = {}

    def ask(self, question: str) -> list[Named]:
        """Return the best statements."""
        places = self._search.ask(question, limit=_LISTED, stop=True)
        return [self._statements[int(place)] for place in places]

    def cost(self, text: str) -> int:
        """Return the tokens of a line."""
        if text not in self._costs:
            self._costs[text] = worst(f"{text}\n")
        return self._costs[text]


def _floors(question: Question, setting: Setting, full_text: _FullText, tally: Tally) -> None:
    ways = {"fts5": full_text.ask(question.text)}
    if setting.recalls:
        hits = setting.kit.recall(question.text, limit=_LISTED, min_score=0, sources="memories")
        named = (setting.statements.get(f"memory:{hit.id}") for hit in hits)
        ways["recall"] = [one for one in named if one is not None]
        first = {one.name for one in ways["recall"][:DEPTH]}
        tally.add("top20", DEPTH, len(first & question.evidence), 0)
    for way, listed in ways.items():
        for budget in BUDGETS:
            names, size = _concatenated(listed, budget, full_text.cost)
            tally.add(way, budget, len(names & question.evidence), size)


def _concatenated(
    listed: Iterable[Named], budget: int, cost: Callable[[str], int]
) -> tuple[set[str], int]:
    """Return the names of the texts that fit one after the other, and their tokens."""
    names: set[str] = set()
    size = 0
    for named in listed:
        if size + cost(named.text) <= budget:
            size += cost(named.text)
            names.add(named.name)
    return names, size


# -- settings


def _projects(projects: Iterable[Project]) -> Iterator[Setting]:
    for project in projects:
        clock = Clock()
        with (
            tempfile.TemporaryDirectory() as folder,
            memkit.open(Path(folder) / ".memkit.db", clock=clock, global_store=False) as kit,
        ):
            names = remember(kit, clock, project.memories)
            yield Setting(
                kit,
                _statements(kit, names),
                [Named(row["id"], plain_text(row)) for row in project.memories],
                [_question(row) for row in project.prompts],
                move=clock.move,
            )


def _question(row: dict[str, Any]) -> Question:
    return Question(row["text"], frozenset(row["wanted"]), row["now"])


def _conversations(part: recall.Part, options: Options) -> Iterator[Setting]:
    for corpus in part.read(options.data):
        with (
            tempfile.TemporaryDirectory() as folder,
            recall.open_store(Path(folder), corpus.items) as kit,
        ):
            names = recall.remember(kit, corpus.items, chain=part.chain)
            yield Setting(
                kit,
                _statements(kit, names),
                [Named(item.gold, item.text) for item in corpus.items],
                [Question(asked.text, asked.evidence) for asked in corpus.questions],
            )


def _statements(kit: memkit.Memkit, names: Mapping[int, str]) -> dict[str, Named]:
    return {
        f"memory:{memory.id}": Named(names[memory.id], memory.text)
        for memory in kit.memories.get_many(names)
    }


def _repositories(folder: Path) -> Iterator[Setting]:
    for repository in commits.repositories(folder):
        with commits.indexed(repository) as kit:
            yield Setting(
                kit,
                {f"file:{path}": Named(path, path) for path in repository.corpus},
                [Named(path, text) for path, text in commits.plain_texts(repository)],
                [Question(commit.subject, commit.files) for commit in repository.commits],
                recalls=False,
            )


# -- rows


def _rows(name: str, tally: Tally) -> Iterator[Row]:
    if not tally.due:
        return
    has_recall = bool(tally.held["top20", DEPTH])
    ways = {name: "", f"{name}/recall": "recall"} if has_recall else {name: ""}
    for part, way in ways.items():
        yield Row(part, "evidence_1500", tally.share(way, MARK), tally.share("fts5", MARK))
    if has_recall:
        yield Row(name, "top20", tally.share("top20", DEPTH))
    if tally.idle:
        yield Row(name, "idle_tokens", sum(tally.idle) / len(tally.idle))
    yield Row(name, "over_budget", tally.over_budget)
    yield Row(name, "p95_ms", at_share(tally.times, 0.95))
    for part, way in ways.items():
        for budget in BUDGETS:
            row, floor = (way, budget), ("fts5", budget)
            yield Row(f"{part}/{budget}", "evidence", tally.share(*row), tally.share(*floor))
            yield Row(f"{part}/{budget}", "per_1000", tally.per_1000(*row), tally.per_1000(*floor))


def _large(options: Options) -> Iterator[Row]:
    """Yield how long a context takes in a large store, whose code is indexed too."""
    count = min(_MEMORIES, options.limit or _MEMORIES)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        _copied(options.tree, tree)
        filled = stores.fill(tree / ".memkit.db", count, source=texts.read_source())
        with memkit.open(filled.path, global_store=False) as kit:
            kit.codegraph.index()
            edges = kit.stats().code.edges
            asked = texts.questions(filled.texts, min(count, _ASKED) + _WARM_UP, seed=5)
            plain = FullText(filled.path)
            asks = {
                "context": lambda question: kit.context.assemble(question, budget=MARK),
                "code": lambda question: kit.codegraph.find_relevant_to_query(question, limit=3),
                "fts5": plain.ask,
            }
            timed = [{name: _both(ask, one) for name, ask in asks.items()} for one in asked]
            plain.close()
        options.say(f"{count:,} memories, {edges:,} edges of code")
        for clock, name in enumerate(("10k", "10k/cpu")):
            times = {way: [one[way].took[clock] for one in timed[_WARM_UP:]] for way in asks}
            for share in (0.5, 0.95):
                row = at_share(times["context"], share), at_share(times["fts5"], share)
                yield Row(name, f"p{share * 100:.0f}_ms", *row)
            yield Row(name, "ratio", row[0] / max(row[1], 1e-9))
            yield Row(name, "code_p50_ms", at_share(times["code"], 0.5))
        yield Row(
            "10k", "over_budget", sum(worst(one["context"].answer.text) > MARK for one in timed)
        )


def _copied(tree: Path | None, copy: Path) -> None:
    """Copy a tree; without one, the interpreter's library twice, which has 100,000 edges."""
    if tree is not None:
        index.copied(tree, copy, least=0)
        return
    left_out = shutil.ignore_patterns("site-packages", "__pycache__", "test", "tests")
    for name in ("first", "second"):
        library = sysconfig.get_path("stdlib")
        shutil.copytree(library, copy / name, ignore=left_out, ignore_dangling_symlinks=True)


@attrs.frozen
class _Asked:
    """An answer, and the milliseconds that it took by the clock and of the processor."""

    answer: Any
    took: tuple[float, float]


def _both(ask: Callable[[str], Any], question: str) -> _Asked:
    before, before_cpu = time.perf_counter(), time.process_time()
    answer = ask(question)
    clock, processor = time.perf_counter() - before, time.process_time() - before_cpu
    return _Asked(answer, (clock * 1000, processor * 1000))


def _timed(kit: memkit.Memkit, text: str, budget: int) -> tuple[float, AssembledContext]:
    """Return the milliseconds that a context took, and the context."""
    made: list[AssembledContext] = []
    took = milliseconds(lambda asked: made.append(kit.context.assemble(asked, budget=budget)), text)
    return took, made[0]
