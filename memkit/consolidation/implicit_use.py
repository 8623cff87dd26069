"""Implicit use: which memories a session was shown turned up in what it did next.

Precision goes before completeness: exact, rare names count, and only where nothing else can have
told them: what a prompt or an output of the session said before proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import attrs

from ..episodes import results
from ..episodes.error_signatures import command_of
from ..episodes.recording.tool_vocabulary import operation_of
from ..episodes.records import FileOperation
from ..memories.confidence import IGNORED, TOUCHED, weigh
from ..retrieval.actions import CODE_NAME, FLAG, TOKEN, command, stems

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.results import ToolExecution
    from ..store.store import Store

# A name that stands in more memories does not tell which of them was used.
MAX_RARITY = 2
# What proves a use: so many rare names, or one and so many rare words. Of 60 actions of realuse and
# those of six invented projects (`bench feedback`, rows implicit).
MIN_NAMES, MIN_WORDS = 2, 3
_MIN_LETTERS = 4
# Memories and calls of a session that are looked at, letters of a text: a session of a week.
MAX_MEMORIES, MAX_CALLS, MAX_CHARS = 200, 500, 20_000
_CHANGES = frozenset({FileOperation.EDIT, FileOperation.WRITE})
# Letters of what was done that the audit keeps; what it says of a procedure.
_NOTED = 200
_FOLLOWED = "its steps were run"


@attrs.frozen
class UseReport:
    """Report of a session's use of what it was shown: ids of memories that turned up in what it
    did, and of those that did not."""

    cited: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()


@attrs.frozen
class TextTerms:
    """What tells a text from others: identifiers, paths and options as they are written (lower
    case), and stems of all words."""

    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str) -> TextTerms:
        """Read a text."""
        text = text[:MAX_CHARS]
        tokens = (token.strip(".:*") for token in TOKEN.findall(text))
        names = {token.lower() for token in tokens if CODE_NAME.search(token)}
        names |= {flag.lower() for flag in FLAG.findall(text)}
        long = (name for name in names if len(name) >= _MIN_LETTERS and not _is_number(name))
        return cls(frozenset(long), stems(text))

    def __and__(self, other: TextTerms) -> TextTerms:
        return TextTerms(self.names & other.names, self.words & other.words)

    def __or__(self, other: TextTerms) -> TextTerms:
        return TextTerms(self.names | other.names, self.words | other.words)

    def __sub__(self, other: TextTerms) -> TextTerms:
        return TextTerms(self.names - other.names, self.words - other.words)


@attrs.frozen
class SessionMoment:
    """Moment of a session: what was said or done, and what is known from then on.

    Attributes:
        at: UTC text. text: what was done, "" for what was only said or read. after: what is known
            afterwards.
    """

    at: str
    text: str
    after: str


@attrs.frozen
class ShownMemory:
    """Memory that a session was shown: its id, when (UTC text), what it says."""

    id: int
    at: str
    text: str


def is_use(shared: TextTerms, rarity: Callable[[str], int]) -> bool:
    """Whether what a memory and an action share proves that the one was used in the other;
    `rarity` counts the memories that hold a name or word."""
    names = [name for name in shared.names if rarity(name) <= MAX_RARITY]
    own = [name for name in names if not any(name != other and name in other for other in names)]
    if not own or len(own) >= MIN_NAMES:
        return bool(own)
    return sum(rarity(word) <= MAX_RARITY for word in shared.words) >= MIN_WORDS


def uses(
    served: Sequence[ShownMemory], moments: Iterable[SessionMoment], rarity: Callable[[str], int]
) -> Iterator[tuple[int, str]]:
    """Yield the id of each memory that was used, and what was done with it."""
    telling = {memory.id: TextTerms.of(memory.text) for memory in served}
    known = TextTerms()
    for moment in moments:
        if moment.text and telling:
            fresh = TextTerms.of(moment.text) - known
            for memory in served:
                is_before = memory.id in telling and memory.at < moment.at
                if is_before and is_use(telling[memory.id] & fresh, rarity):
                    del telling[memory.id]
                    yield memory.id, moment.text
        known |= TextTerms.of(f"{moment.text}\n{moment.after}")


def notice_use(kit: OpenKit, session: str, *, followed: Collection[int] = ()) -> UseReport:
    """Count what a session did and did not use of what it was shown; once for each memory and
    session. What nothing was done after is not judged. The procedures `followed` were used,
    whatever words their commands have."""
    kit.episodes.flush()
    kit._served.flush()
    store = kit._store
    moments = list(_moments(store, session))
    last = max((moment.at for moment in moments if moment.text), default="")
    rows = store.records("consolidation_use.served", session=session, limit=MAX_MEMORIES)
    served = [ShownMemory(**row) for row in rows if row["at"] < last]
    if not served:
        return UseReport()

    @cache
    def rarity(name: str) -> int:
        match = f'"{name}"'.replace('""', '"')
        return int(store.value("consolidation_use.rarity", match=match, limit=MAX_RARITY + 1))

    used = {memory.id: _FOLLOWED for memory in served if memory.id in followed}
    unused = [memory for memory in served if memory.id not in used]
    used |= uses(unused, moments, rarity)
    rest = [memory.id for memory in served if memory.id not in used]

    def note() -> None:
        for number, text in used.items():
            weigh(store, [number], TOUCHED, action=text[:_NOTED], session=session)
        weigh(store, rest, IGNORED, session=session)

    store.write(note)
    return UseReport(tuple(used), tuple(rest))


def _moments(store: Store, session: str) -> Iterator[SessionMoment]:
    """Yield what was said and done in a session, in order."""
    calls = results.session_calls(store, session)[-MAX_CALLS:]
    prompts = store.all("consolidation_use.prompts", session=session, limit=MAX_CALLS)
    moments = [SessionMoment(at, "", text) for at, text in prompts]
    moments += [SessionMoment(call.timestamp, _done_by(call), _learnt_by(call)) for call in calls]
    yield from sorted(moments, key=lambda moment: moment.at)


def _done_by(call: ToolExecution) -> str:
    """Return what a call did: its command, or what it wrote; "" if it only looks."""
    line = command_of(call.parameters)
    if line is not None:
        return "" if command(line).reads else line
    return _texts(call.parameters) if operation_of(call.tool) in _CHANGES else ""


def _learnt_by(call: ToolExecution) -> str:
    return "\n".join(part for part in (_texts(call.parameters), call.output, call.error) if part)


def _texts(parameters: Mapping[str, object]) -> str:
    return "\n".join(value for value in parameters.values() if isinstance(value, str))


def _is_number(name: str) -> bool:
    return name.replace(".", "").replace("-", "").isdigit()
