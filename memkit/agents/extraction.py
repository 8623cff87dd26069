"""Extraction: prompts and sessions into drafts that may be worth remembering.

What a person typed is read statement by statement (memkit/agents/statement_rules.py); what was
pasted, quoted, fenced, put there by a program or rendered by memkit itself is not. A draft says in
the person's own words what it says. It is believed little until somebody confirms it.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..episodes import failures, results
from ..episodes.error_signatures import command_of, program_of
from ..episodes.recording.event import EventKind
from ..errors import InvalidInput
from ..frozen import frozen
from ..memories import reviews
from ..memories.records import Draft, Kind, Procedure, Provenance, Scope
from ..redaction import clean_text, redact
from ..redaction.redactor import strip_rendered
from ..text.extractive import cut
from ..text.patterns import lazy_pattern
from . import statement_rules
from .statement_rules import Cue, Lasting, Passing

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.results import Fix, ToolExecution


Extractor = Callable[[str], Iterable[Draft | str]]
"""Replacement of the rules: a prompt to drafts or statements."""

MAX_CONFIDENCE = 0.6
"""Belief that what nobody has confirmed can have."""

# Letters of a prompt beyond which it was not typed: a document, or a program's own instructions.
_TYPED = 2_000
# Letters of a prompt that are looked at, and of what is told of it as the source.
_MAX_PROMPT, _SNIPPET = 100_000, 240
# Statements of an extractor that are looked at: each is held against the memories.
_MAX_EXTRACTED = 100

_FENCED = lazy_pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.S | re.M)
_TAGGED = lazy_pattern(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.S)
_PASTED = lazy_pattern(
    r"""\s*(?:>
    | \d{4}-\d\d-\d\d[\sT]\d\d:\d\d | \[?\d\d:\d\d:\d\d                       # a log
    | (?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|CRITICAL|TRACE|FAILED|PASSED)\b[\s:\]]
    | Traceback\b | File\s".*",\sline\s\d+ | at\s\S+[(:] | (?:[\w.]+)?(?:Error|Exception|Warning):
    | [\w./\\-]+\.\w+:\d+ | (?:\+\+\+|---|@@|diff\s--git)\s | [$❯]\s   # checkers, diffs, shells
    | (?:def|class|function|import|from|const|let|var|return|public|private|func|fn)\s.*[({:;=]\s*$
    )|.*[{};]\s*$|(?:\ {4}|\t)\s*[^\s*+•-]""",
    re.X,
)


@frozen
class Dropped:
    """Statement that is no candidate, and why not."""

    text: str
    reason: str


@frozen
class ExtractionResult:
    """Result of `extract`.

    Attributes:
        candidates: drafts that may be worth remembering, in the order in which they were said.
        dropped: statements that look like it and are none.
        notes: what went otherwise than asked.
        remembered: ids of the memories that the candidates are now, if they were to be remembered.
    """

    candidates: tuple[Draft, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    remembered: tuple[int, ...] = ()


def extract(
    kit: OpenKit,
    text: str | None = None,
    *,
    session: str | None = None,
    extractor: Extractor | None = None,
    remember: bool = False,
) -> ExtractionResult:
    """Return what of a prompt, a transcript or a recorded session may be worth remembering.

    See `Memkit.extract`."""
    if text is None and session is None:
        raise InvalidInput("extract: nothing to read; give a text or the name of a session")
    name = validation.optional(validation.named, session, name="session")
    validation.callback(extractor, name="extractor")
    result = _read(kit, text, name, extractor)
    result = _without_known(kit, result, everywhere=validation.boolean(remember, name="remember"))
    return _offered(kit, result, name) if remember else result


def learn_outright(kit: OpenKit, prompt: str, *, session: str) -> ExtractionResult:
    """Let wait at once what a prompt says outright is to last; the rest of it is read at the end of
    its session, when this is known already."""
    result = read_prompt(prompt, session=session, cues=statement_rules.OUTRIGHT)
    return _offered(kit, _without_known(kit, result, everywhere=True), session)


def _offered(kit: OpenKit, result: ExtractionResult, session: str | None) -> ExtractionResult:
    """Return a result with its candidates as memories that wait, as far as a session may leave
    them."""
    if not result.candidates:
        return result
    from .review import PER_SESSION, Review

    ids, rest = Review(kit)._offer(result.candidates, session=session)
    why = f"is one more than the {PER_SESSION} of a session"
    return attrs.evolve(
        result,
        candidates=tuple(draft for draft in result.candidates if draft not in rest),
        dropped=(*result.dropped, *(Dropped(draft.text, why) for draft in rest)),
        remembered=tuple(ids),
    )


def read_prompt(
    text: str,
    *,
    session: str | None = None,
    extractor: Extractor | None = None,
    cues: Collection[Cue] = frozenset(Cue),
) -> ExtractionResult:
    """Return what of one prompt may be worth remembering, as far as its own words tell, said in one
    of the forms `cues`. Needs no store and no encoder."""
    prose = prose_of(validation.text(text, name="text"))
    if extractor is not None:
        try:
            return _extracted(extractor(redact(prose).text), session, prose)
        except Exception as error:  # noqa: BLE001 - whatever a caller's function raises
            note = f"extractor: {type(error).__name__}: {error}; the rules were used instead"
            return attrs.evolve(read_prompt(text, session=session), notes=(redact(note).text,))
    if len(prose) > _TYPED:
        return ExtractionResult(dropped=(Dropped(cut(prose, 80), "is too long to be typed"),))
    readings = statement_rules.read_statements(prose)
    if any(isinstance(reading, Lasting) for reading in readings):
        # Secrets go before anything is read for good; most prompts have nothing to be read.
        prose = redact(prose).text
        readings = statement_rules.read_statements(prose)
    drafts = [
        Draft(
            reading.text,
            kind=reading.kind,
            provenance=Provenance.EXTRACTED,
            confidence=statement_rules.CONFIDENCE[reading.cue],
            trigger_patterns=reading.triggers,
            session=session,
            snippet=cut(prose.strip(), _SNIPPET),
            reason=f"it {reading.cue}",
        )
        for reading in readings
        if isinstance(reading, Lasting) and reading.cue in cues
    ]
    passing = (reading for reading in readings if isinstance(reading, Passing))
    dropped = tuple(Dropped(redact(each.text).text, each.reason) for each in passing)
    return ExtractionResult(tuple(drafts), dropped)


def prose_of(text: str) -> str:
    """Return what of a prompt was typed, as far as that can be told: without what memkit rendered,
    fenced code, tagged blocks, quotations, logs, diffs and code."""
    text = strip_rendered(clean_text(text[:_MAX_PROMPT]))
    text = _TAGGED.sub("\n", _FENCED.sub("\n", text))
    return "\n".join(line for line in text.splitlines() if not _PASTED.match(line))


# -- inside


def _read(
    kit: OpenKit, text: str | None, session: str | None, extractor: Extractor | None
) -> ExtractionResult:

    if text is None:
        prompts = prompts_of(kit, session or "")
    else:
        prompts = prompts_of_transcript(validation.text(text, name="text"))
    parts = [read_prompt(prompt, session=session, extractor=extractor) for prompt in prompts]
    drafts = [draft for part in parts for draft in part.candidates]
    if text is None:
        drafts += drafts_of_calls(kit, session or "")
    return ExtractionResult(
        tuple(_distinct(drafts)),
        tuple(dict.fromkeys(dropped for part in parts for dropped in part.dropped)),
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _extracted(
    statements: Iterable[Draft | str], session: str | None, prose: str
) -> ExtractionResult:
    """Return what an extractor gave as candidates: no more believed than those of the rules. One
    text is one statement, a blank one none."""
    several = [statements] if isinstance(statements, str) else statements
    drafts = []
    for statement in islice(several, _MAX_EXTRACTED):
        draft = statement if isinstance(statement, Draft) else Draft(statement)
        if isinstance(draft.text, str) and not draft.text.strip() and draft.key is None:
            continue
        kind = Kind.NEGATIVE if draft.trigger_patterns else draft.kind
        drafts.append(
            attrs.evolve(
                draft,
                text=redact(clean_text(validation.text(draft.text, name="text"))).text,
                kind=validation.member(Kind, kind, name="kind"),
                # Nothing is promoted by itself.
                scope=Scope.PROJECT if draft.scope == Scope.GLOBAL else draft.scope,
                provenance=Provenance.EXTRACTED,
                confidence=min(draft.confidence, MAX_CONFIDENCE),
                session=draft.session or session,
                snippet=draft.snippet or cut(redact(prose).text.strip(), _SNIPPET),
                reason=draft.reason or "an extractor gave it",
            )
        )
    return ExtractionResult(tuple(drafts))


def _distinct(drafts: Iterable[Draft]) -> Iterator[Draft]:
    seen: set[str] = set()
    for draft in drafts:
        form = " ".join(draft.text.casefold().split()).rstrip(".!")
        if form not in seen:
            seen.add(form)
            yield draft


def _without_known(kit: OpenKit, result: ExtractionResult, *, everywhere: bool) -> ExtractionResult:
    """Return the result without what memories say already; with `everywhere` in other words too,
    for which they are recalled."""
    candidates, dropped = [], list(result.dropped)
    for draft in result.candidates:
        try:
            hashes = kit.memories._hashes(draft)
        except InvalidInput as error:  # a draft of a caller's extractor
            dropped.append(Dropped(redact(cut(draft.text, 80)).text, str(error)))
            continue
        memory_id = reviews.known(kit._store, hashes) or (
            _recalled(kit, draft) if everywhere else None
        )
        if memory_id is None:
            candidates.append(draft)
        else:
            dropped.append(Dropped(draft.text, f"is known already: memory {memory_id}"))
    return attrs.evolve(result, candidates=tuple(candidates), dropped=tuple(dropped))


def _recalled(kit: OpenKit, draft: Draft) -> int | None:
    """Return a memory with nearly the same words, the same names and as many negations."""
    form = _Wording.of(draft.text)
    for hit in kit._recall(draft.text, limit=3, noted=False, sources="memories"):
        if _Wording.of(hit.memory.text).says_the_same(form):
            return int(hit.memory.id)
    return None


@frozen
class _Wording:
    """Words of a statement as they are compared: its terms, exact names, and negations."""

    terms: frozenset[str]
    exact: frozenset[str]
    negations: int

    @classmethod
    def of(cls, text: str) -> _Wording:
        from ..text.analyzer import words_of
        from ..text.extractive import exact_tokens
        from ..text.word_lists import is_negation

        negations = sum(map(is_negation, re.findall(r"[\w'’]+", text.casefold())))
        return cls(frozenset(words_of(text)), frozenset(exact_tokens(text)), negations)

    def says_the_same(self, other: _Wording) -> bool:
        if self.exact != other.exact or self.negations != other.negations:
            return False
        union = self.terms | other.terms
        # Three of four words: one small word more or less, as a cue that was cut off.
        return bool(union) and len(self.terms & other.terms) >= 0.75 * len(union)


# --- Sessions and transcripts: their prompts, and what their calls taught.

# Belief in what calls show: they show that it worked once.
CONFIDENCE = 0.4
# Drafts that the calls of one session give.
_MAX_DRAFTS = 2
# What a check says that ran and found something.
_VERDICT = re.compile(r"\b\d+ (?:failed|failures?|errors?|problems?)\b|\bAssertionError\b", re.I)
# Other commands that are told of one that worked.
_MAX_TRIED = 3
# Letters of a command that can be told in one line, and of the error beside it.
_MAX_COMMAND, _MAX_ERROR = 200, 160
# Failures of one fault from which it is worth telling; with more files changed the cause is not
# told by their names.
_RECURRING, _MAX_FILES = 2, 3


def prompts_of(kit: OpenKit, session: str) -> list[str]:
    """Return the prompts of a recorded session in order; none of a session that an agent began,
    since those are the agent's words."""
    kit.episodes.flush()
    if any(each.name == session and each.parent for each in kit.episodes.sessions(limit=1_000)):
        return []
    tasks = kit.episodes.tasks(session=session, limit=1_000)
    return [task.description for task in sorted(tasks, key=lambda task: (task.started_at, task.id))]


def prompts_of_transcript(text: str) -> list[str]:
    """Return the prompts of a transcript in a known format; any other text is one prompt."""
    if not text.lstrip().startswith(("{", "[")):
        return [text]
    from ..episodes.transcripts import formats

    try:
        transcript = formats.read(
            Path("standard input"), io.BytesIO(text.encode("utf-8", "replace"))
        )
        return [event.text or "" for event in transcript.events if event.kind is EventKind.PROMPT]
    except InvalidInput:
        return [text]


def drafts_of_calls(kit: OpenKit, session: str) -> list[Draft]:
    """Return what the calls of a session taught: commands that at last worked, and causes of
    failures that came again; the latest few."""
    calls = results.session_calls(kit._store, session)
    files = results.session_files(kit._store, session)
    fixes = failures.fixes(calls, files, {call.task for call in calls})
    drafts = [*_working_commands(fixes), *_causes(fixes, calls)]
    return [attrs.evolve(draft, session=session) for draft in drafts[-_MAX_DRAFTS:]]


def _working_commands(fixes: Sequence[Fix]) -> Iterator[Draft]:
    """Yield commands that passed where the same program, called otherwise, had failed with nothing
    changed in between."""
    by_passed: dict[str, list[Fix]] = {}
    for fix in fixes:
        passed, failed = _command(fix.passed), _command(fix.failed)
        is_call = not fix.edits and failures.is_check(fix.failed) and not _is_verdict(fix)
        if is_call and passed and failed and _is_other_way(failed, passed):
            by_passed.setdefault(passed, []).append(fix)
    for passed, same in by_passed.items():
        tried = list(dict.fromkeys(_command(fix.failed) or "" for fix in same))[:_MAX_TRIED]
        error = cut(" ".join((same[-1].failed.error or same[-1].signature).split()), _MAX_ERROR)
        text = f"`{passed}` works; before it failed: {', '.join(f'`{each}`' for each in tried)}"
        yield Draft(
            f"{text} ({error})",
            kind=Kind.PROCEDURE,
            procedure=Procedure((passed,), name=program_of(passed) or "", warnings=tuple(tried)),
            provenance=Provenance.EXTRACTED,
            confidence=CONFIDENCE,
            snippet=error,
            reason=f"it passed where {len(same)} other calls had not",
        )


def _is_verdict(fix: Fix) -> bool:
    """Whether it failed as a check does that ran: what was wrong is not how it was called."""
    return _VERDICT.search(f"{fix.failed.error or ''} {fix.failed.output or ''}") is not None


def _is_other_way(failed: str, passed: str) -> bool:
    """Whether a command calls its program otherwise, and not only on other files."""
    new = set(passed.split()) - set(failed.split())
    paths = {word for word in new if not word.startswith("-") and ("/" in word or "." in word)}
    return bool(new - paths)


def _causes(fixes: Sequence[Fix], calls: Sequence[ToolExecution]) -> Iterator[Draft]:
    """Yield faults that came more than once, with the few files whose change made them go."""
    counts = Counter(call.error_signature for call in calls if not call.success)
    last = {fix.signature: fix for fix in fixes if fix.edits}
    for signature, fix in last.items():
        paths = tuple(dict.fromkeys(edit.path for edit in fix.edits))
        if counts[signature] < _RECURRING or len(paths) > _MAX_FILES:
            continue
        error = cut(" ".join((fix.failed.error or signature).split()), _MAX_ERROR)
        command = _command(fix.passed)
        text = f"{error} – fixed by changing {', '.join(paths)}"
        yield Draft(
            f"{text}; then `{command}` passed" if command else text,
            kind=Kind.FACT,
            about=paths,
            provenance=Provenance.EXTRACTED,
            confidence=CONFIDENCE,
            snippet=error,
            reason=f"it failed {counts[signature]} times and passed after the change",
        )


def _command(call: ToolExecution) -> str | None:
    """Return the command of a call if it is one line of a fair length."""
    command = (command_of(call.parameters) or "").strip()
    return command if command and "\n" not in command and len(command) <= _MAX_COMMAND else None
