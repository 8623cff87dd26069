"""Feedback of sessions: which memories were used, how procedures fared.

Precision goes before completeness: exact, rare names count, and only where nothing else can have
told them: what a prompt or an output of the session said before proves nothing.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

import attrs

from .. import validation
from ..episodes import results
from ..episodes.error_signatures import call_form, command_of, program_of, same_call
from ..episodes.recording.tool_calls import chained
from ..episodes.recording.tool_vocabulary import operation_of
from ..episodes.records import FileOperation
from ..episodes.workflows import SHORTEST
from ..errors import InvalidInput
from ..memories.confidence import IGNORED, TOUCHED, weigh
from ..memories.ingest import safe_text
from ..memories.outcomes import OutcomeOrigin, StepOutcome
from ..memories.records import Memory, Procedure
from ..retrieval.actions import CODE_NAME, FLAG, TOKEN, action_of, command, stems

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.results import ToolExecution
    from ..memories.memories import Memories
    from ..memories.records import MemoryRef
    from ..store.store import Store


# --- Use: what a session did with the memories that it was shown.

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


# --- Outcomes of procedures: told by whoever followed them, or seen from recorded commands.
#
# How they are read and said is `memories/outcomes.py`.

# Outcomes of one procedure that stay, the newest; procedures that a session is held against.
MAX_OUTCOMES, MAX_PROCEDURES = 200, 500
# Steps of a procedure, in their order, that a session's commands must be before it was followed: a
# command alone may be run for any reason.
MIN_STEPS = 2
_QUOTED = re.compile(r"`([^`\n]+)`")


def note_outcome(
    kit: OpenKit,
    reference: MemoryRef,
    outcome: StepOutcome | str,
    *,
    step: int | None = None,
    note: str | None = None,
    session: str | None = None,
) -> Memory:
    """Note what came of a procedure or of one step, by its number; return the procedure."""
    what = validation.member(StepOutcome, outcome, name="outcome")
    memory = kit.memories.get(reference)
    if memory.procedure is None:
        raise InvalidInput(f"outcome: memory {memory.id} is no procedure; name one that has steps")
    number = None if step is None else validation.integer(step, name="step", minimum=1)
    if number is not None and number > (count := len(memory.procedure.steps)):
        raise InvalidInput(f"step: found {number}, and memory {memory.id} has {count}")
    said = None if note is None else safe_text(validation.text(note, name="note"), name="note").text
    name = None if session is None else safe_text(validation.named(session, name="session"))
    row = {"step": number, "outcome": what, "note": said, "session": name and name.text}

    def write(home: Memories, ids: list[int]) -> list[int]:
        _add(home._store, ids[0], [row], OutcomeOrigin.STATED)
        return ids

    kit.memories._at_home(memory.id, write)
    return kit.memories.get(memory.id)


def observe_outcomes(kit: OpenKit, session: str) -> list[int]:
    """Note how the procedures fared whose steps a recorded session ran, once for each; return
    their ids."""
    kit.episodes.flush()
    store = kit._store
    where = {"project": kit.project, "session": session, "limit": MAX_PROCEDURES}
    procedures = store.all("consolidation_outcomes.procedures", **where)
    calls = results.session_calls(store, session) if procedures else []
    if not calls:
        return []
    known = {memory.id: memory for memory in kit.memories.get_many([row[0] for row in procedures])}
    rows: dict[int, list[Mapping[str, object]]] = {}
    for number, memory in known.items():
        if memory.procedure is not None and (seen := dict(followed(memory.procedure, calls))):
            rows[number] = list(_rows(memory.procedure, seen, session))
    if rows:
        store.write(lambda: _add_all(store, rows))
    return list(rows)


def followed(
    procedure: Procedure, calls: Sequence[ToolExecution]
) -> Iterator[tuple[int, ToolExecution]]:
    """Yield the steps that calls ran, by number, each with the last call that did; none if they
    are too few, or came in another order.

    A step is run as it is written or with another version or number. By its program and subcommand
    alone it is where the whole procedure was run, of which two commands tell too little.
    """
    steps = dict(_commands_of(procedure))
    ran = [(call, command) for call in calls for command in _run_by(call)]
    same, form, program = (_places(ran, attrgetter(name)) for name in ("same", "form", "program"))
    near = {n: same.get(c.same) or form.get(c.form) or [] for n, c in steps.items()}
    near = {number: places for number, places in near.items() if places}
    programs = Counter(command.program for command in steps.values())
    told_by_program = {
        number: program[command.program]
        for number, command in steps.items()
        if programs[command.program] == 1 and command.program in program
    }
    every = {**told_by_program, **near}
    commands = {number for number, command in steps.items() if command.program} | near.keys()
    is_whole = len(every) >= SHORTEST and every.keys() == commands
    for run in (every if is_whole or len(near) >= MIN_STEPS else {}, near):
        firsts = [places[0] for _, places in sorted(run.items())]
        if len(firsts) >= MIN_STEPS and firsts == sorted(set(firsts)):
            yield from ((number, ran[places[-1]][0]) for number, places in sorted(run.items()))
            return


def command_in(step: str) -> str | None:
    """Return the command that a step may be: the only one in back quotes, or the step itself, which
    proves to be one by being run; None if it names several."""
    quoted = _QUOTED.findall(step)
    line = quoted[0] if quoted else step.strip()
    return None if len(quoted) > 1 or "\n" in line else line


class _Command(NamedTuple):
    """A command line by what it shares with others that do the same.

    Attributes:
        same: its words. form: these but versions and numbers. program: with its subcommand; None
            where that tells nothing.
    """

    same: str
    form: str
    program: str | None

    @classmethod
    def of(cls, line: str, *, has_program: bool = True) -> _Command:
        """Read a command line."""
        call = {"command": line}
        program = program_of(line) if has_program else None
        return cls(same_call("Bash", call), call_form("Bash", call), program)


def _commands_of(procedure: Procedure) -> Iterator[tuple[int, _Command]]:
    """Yield the steps that may be commands, by number; the program of one that is not in back
    quotes tells something only if it can hardly be a sentence."""
    for number, step in enumerate(procedure.steps, 1):
        line = command_in(step)
        if line is not None:
            is_command = line != step.strip() or action_of(line) is not None
            yield number, _Command.of(line, has_program=is_command)


def _run_by(call: ToolExecution) -> Iterator[_Command]:
    """Yield the command line of a call, and each command of a chain that came off: which of them
    failed is not told."""
    line = command_of(call.parameters)
    if line is None:
        return
    is_script = "\n" in line.strip()
    parts = [] if is_script else [words for words in chained(line) if words[0] != "cd"]
    yield _Command.of(line, has_program=len(parts) == 1)
    if len(parts) > 1 and call.success:
        yield from (_Command.of(shlex.join(words)) for words in parts)


def _places(
    ran: Iterable[tuple[ToolExecution, _Command]], key: Callable[[_Command], str | None]
) -> dict[str | None, list[int]]:
    """Return the places of commands by what they share; what tells nothing is left out."""
    places: dict[str | None, list[int]] = {}
    for place, (_, line) in enumerate(ran):
        if (shared := key(line)) is not None:
            places.setdefault(shared, []).append(place)
    return places


def _rows(
    procedure: Procedure, seen: Mapping[int, ToolExecution], session: str
) -> Iterator[Mapping[str, object]]:
    """Yield the outcomes of a session: of each step that was run, and of the whole if its last
    command was."""
    steps = enumerate(procedure.steps, 1)
    commands = [number for number, text in steps if number in seen or _QUOTED.search(text)]
    outcomes = {step: _outcome(call) for step, call in seen.items()}
    is_whole = commands[-1] in seen or StepOutcome.FAILED in outcomes.values()
    for step, call in seen.items():
        note = None if call.success else call.error
        yield {"step": step, "outcome": outcomes[step], "note": note, "session": session}
    if is_whole:
        ends_well = all(outcome is StepOutcome.SUCCEEDED for outcome in outcomes.values())
        whole = StepOutcome.SUCCEEDED if ends_well else StepOutcome.FAILED
        yield {"step": None, "outcome": whole, "note": None, "session": session}


def _outcome(call: ToolExecution) -> StepOutcome:
    return StepOutcome.SUCCEEDED if call.success else StepOutcome.FAILED


def _add_all(store: Store, rows: Mapping[int, Sequence[Mapping[str, object]]]) -> None:
    for number, some in rows.items():
        _add(store, number, some, OutcomeOrigin.OBSERVED)


def _add(
    store: Store, number: int, rows: Sequence[Mapping[str, object]], origin: OutcomeOrigin
) -> None:
    """Append outcomes of a procedure; inside `write`."""
    ids = store.ids("consolidation_outcomes.last_outcome_id")
    at = store.now()
    for row in rows:
        more = {"id": ids.new(), "memory_id": number, "origin": origin, "at": at}
        store.run("consolidation_outcomes.add_outcome", **row, **more)
    store.run("consolidation_outcomes.drop_old_outcomes", memory_id=number, max_rows=MAX_OUTCOMES)
    store.audit("outcome", number, count=len(rows), origin=str(origin))
