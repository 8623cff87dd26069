"""precisionmembench: exactly the beliefs that a question calls for, and none beside them.

A case sees the beliefs of its user and scope that are current, as its harness hands them over;
pinned ones and open questions are shown by other means there and take no part. A belief is
remembered with its canonical name as key and its aliases as tags; a relation is linked to the
beliefs it joins. Recall runs with its defaults.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

import memkit

from . import corpora
from .corpora import Record
from .results import Options, Row
from .scoring import Overlap, PlainSearch

_EVERYWHERE = "user:universal"
_USER = "test-user"


@attrs.frozen
class Case:
    """One question: which beliefs it sees, which must come back, which must not."""

    question: str
    live: tuple[Record, ...]
    wanted: frozenset[str] | None
    unwanted: frozenset[str]


class Tally:
    """Answers to cases that want something, that want nothing, and that forbid something."""

    def __init__(self) -> None:
        self.overlap = Overlap()
        self.kept_empty: list[bool] = []
        self.kept_out: list[bool] = []

    def add(self, case: Case, got: Sequence[str]) -> None:
        """Count one answer."""
        if case.wanted:
            self.overlap.add(got, case.wanted)
        elif case.wanted is not None:
            self.kept_empty.append(not got)
        if case.unwanted:
            self.kept_out.append(case.unwanted.isdisjoint(got))


def run(options: Options) -> list[Row]:
    """Measure the cases, and the turns of the session that drifts from topic to topic."""
    beliefs, cases, sessions = corpora.precisionmembench(options.data)
    if not cases:
        options.say(f"skipped precisionmembench: there is no {options.data / 'precisionmembench'}")
        return []
    asked = [_case(case, beliefs) for case in cases[: options.limit]]
    turns = [turn for session in sessions for turn in _turns(session, beliefs)]
    rows = _measure("precisionmembench", asked, options)
    return rows + _measure("precisionmembench/session", turns[: options.limit], options)


def visible(beliefs: Iterable[Record], *, user: str, scope: Sequence[str]) -> tuple[Record, ...]:
    """Return the beliefs that may come back for a question asked in a scope."""
    places = {*scope, _EVERYWHERE}
    return tuple(
        belief
        for belief in beliefs
        if belief["user_id"] == user
        and belief["epistemic_status"] != "superseded"
        and not belief["pinned"]
        and belief["type"] != "open_question"
        and places.intersection(belief["scope"])
    )


def remember(kit: memkit.Memkit, beliefs: Sequence[Record]) -> dict[int, str]:
    """Remember beliefs; return the name of each memory by id."""
    drafts = [
        memkit.Draft(
            belief["content"],
            kind=memkit.Kind("preference" if belief["type"] == "preference" else "fact"),
            key=belief["canonical_name"],
            tags=tuple(belief["aliases"]),
            at=belief["created_at"],
            confidence=belief["confidence"],
            source=belief["_id"],
        )
        for belief in beliefs
    ]
    stored = kit.memories.remember_many(drafts)
    by_name = {belief["_id"]: done.id for belief, done in zip(beliefs, stored, strict=True)}
    for belief in beliefs:
        for other in belief.get("participants", ()):
            if other in by_name:
                kit.memories.link(by_name[belief["_id"]], by_name[other], weight=1.0)
    return {number: name for name, number in by_name.items()}


def _measure(name: str, cases: Sequence[Case], options: Options) -> list[Row]:
    tally, floor = Tally(), Tally()
    for case in cases:
        with (
            tempfile.TemporaryDirectory() as folder,
            memkit.open(Path(folder) / "bench.memkit.db", global_store=False) as kit,
        ):
            names = remember(kit, case.live)
            tally.add(case, [names[hit.id] for hit in kit.recall(case.question)])
        plain = PlainSearch((belief["_id"], _plain(belief)) for belief in case.live)
        floor.add(case, plain.ask(case.question, stop=True))
    options.say(f"{name}: {len(cases)} cases")
    return list(_rows(name, tally, floor))


def _rows(name: str, tally: Tally, floor: Tally) -> Iterator[Row]:
    for metric in ("precision", "recall", "f1"):
        yield Row(name, metric, getattr(tally.overlap, metric), getattr(floor.overlap, metric))
    if tally.kept_empty:
        yield Row(name, "abstain", _share(tally.kept_empty), _share(floor.kept_empty))
    if tally.kept_out:
        yield Row(f"{name}/excluded", "precision", _share(tally.kept_out), _share(floor.kept_out))


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else 0.0


def _plain(belief: Record) -> str:
    name = belief["canonical_name"].replace("_", " ")
    return " ".join([name, *belief["aliases"], belief["content"]])


def _case(case: Record, beliefs: Iterable[Record]) -> Case:
    expected = case["expect"]
    wanted = expected.get("relevantBeliefs", {}).get("shouldOnlyInclude")
    return Case(
        question=case["query"],
        live=visible(beliefs, user=case.get("userId", _USER), scope=case["scope"]),
        wanted=None if wanted is None else frozenset(wanted),
        unwanted=frozenset(_forbidden(expected)),
    )


def _forbidden(expected: Record) -> Iterator[str]:
    yield from expected.get("relevantBeliefs", {}).get("mustExclude", ())
    yield from expected.get("noiseCheck", {}).get("mustNotSurface", ())


def _turns(session: Record, beliefs: Sequence[Record]) -> Iterator[Case]:
    """Yield a session's turns as cases; beliefs made or renamed on the way take part from then."""
    known = list(beliefs)
    for turn in session["turns"]:
        if change := turn.get("updateBeliefAtTurn"):
            known = [_renamed(belief, change) for belief in known]
        yield _case({**turn, "query": turn["userMessage"]}, known)
        if made := turn.get("createBeliefAtTurn"):
            known.append(made)


def _renamed(belief: Record, change: Record) -> Record:
    if belief["_id"] != change["beliefId"]:
        return belief
    return {**belief, "aliases": [*belief["aliases"], *change["addAliases"]]}
