"""Assembly of a context: candidates sifted, fitted into the budget by tier, and rendered."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..errors import InvalidInput
from ..retrieval.selection import SaidWords
from ..text.analyzer import nfc
from ..tokens import FAMILIES
from .assembled import AssembledContext, Candidate, LeftOut
from .fitting import Bounds, fit
from .rendering import render_context
from .signals import ContextSignals, activity_of, infer_activity, signals_of
from .sources import Moment, gather
from .tiers import Activity, Tier

if TYPE_CHECKING:
    from .ports import OpenKit

# Tokens of an assembled context (seed 004).
DEFAULT_BUDGET = 8_000
# Characters that a text must have for its being visible to say anything.
_MIN_VISIBLE = 12
_SPACE = re.compile(r"\s+")


@attrs.frozen
class Question:
    """What a context is assembled for, and within which bounds."""

    moment: Moment
    bounds: Bounds
    visible: tuple[str, ...] = ()


def assemble(
    kit: OpenKit,
    prompt: str = "",
    *,
    budget: int = DEFAULT_BUDGET,
    signals: ContextSignals | Mapping[str, object] | None = None,
    activity: Activity | str | None = None,
    session: str | None = None,
    visible: Iterable[object] = (),
    model: str | None = None,
    max_chars: int | None = None,
) -> AssembledContext:
    """Return the context for a prompt or a moment; see `Context.assemble`."""
    question = _question(prompt, signals, activity, session, budget, model, visible, max_chars)
    gathered = gather(kit, question.moment)
    served = _served(kit, session)
    kept, left_out = _sift(gathered.candidates, served, question.visible)
    if not question.moment.is_start and all(candidate.beside for candidate in kept):
        alone = "nothing else is relevant"
        left_out += [_left_out(candidate, alone) for candidate in kept]
        kept = []
    fitted = fit(kept, question.bounds, question.moment)
    inside = {item.reference for item in fitted.items}
    no_room = (_left_out(c, "no room") for c in kept if c.reference not in inside)
    context = AssembledContext(
        render_context(fitted.items),
        fitted.items,
        (*gathered.left_out, *left_out, *no_room),
        question.moment.activity,
        question.bounds.budget,
        model,
        fitted.full_tokens,
        gathered.notes,
    )
    if session is not None:
        _note(kit, session, inside, kept)
    return context


def _question(
    prompt: str,
    signals: ContextSignals | Mapping[str, object] | None,
    activity: Activity | str | None,
    session: str | None,
    budget: int,
    model: str | None,
    visible: Iterable[object],
    max_chars: int | None,
) -> Question:
    prompt = validation.text(prompt, name="prompt")
    known = signals_of(signals)
    if model is not None and model not in FAMILIES:
        raise InvalidInput(
            f"model: {validation.shown(model)} is no family; give one of {', '.join(FAMILIES)}"
        )
    if session is not None:
        session = validation.named(session, name="session")
    doing = infer_activity(prompt, known) if activity is None else activity_of(activity)
    moment = Moment(prompt, known, doing, session)
    if max_chars is not None:
        max_chars = validation.integer(max_chars, name="max_chars")
    texts = tuple(_text_of(item) for item in validation.iterable(visible, name="visible"))
    budget = validation.integer(budget, name="budget", minimum=0)
    return Question(moment, Bounds(budget, model, max_chars), texts)


def _text_of(item: object) -> str:
    """Return the text of what is visible: a text, a window's item, or a message."""
    if isinstance(item, Mapping):
        item = item.get("text") or item.get("content") or ""
    for name in ("text", "content"):
        if not isinstance(item, str):
            item = getattr(item, name, item)
    return _flat(validation.text(item, name="visible"))


# --- Sifting: nothing twice, nothing that is known already.


def _served(kit: OpenKit, session: str | None) -> frozenset[str]:
    """Return the references of what a session was shown."""
    if session is None:
        return frozenset()
    memories = (f"memory:{number}" for number in kit._served.shown_to((session,)))
    return frozenset(memories) | kit._served.items_shown_to(session)


def _sift(
    candidates: Sequence[Candidate], served: Collection[str], visible: Sequence[str]
) -> tuple[list[Candidate], list[LeftOut]]:
    """Return candidates, the nearest tier first, of which no two say the same, without what the
    session was served and what is visible; and what was left out."""
    kept: list[Candidate] = []
    left_out: list[LeftOut] = []
    said: dict[str, Candidate] = {}
    words: list[tuple[str, SaidWords]] = []
    order = {tier: place for place, tier in enumerate(Tier)}
    nearest = sorted(candidates, key=lambda item: (order[item.tier], item.beside))
    for candidate in _once(nearest):
        own = SaidWords.of(candidate.text)
        reason = _known_already(candidate, said, served, visible)
        if reason is None:
            twin = next((name for name, other in words if own.same_as(other)), None)
            reason = None if twin is None else f"duplicate of {twin}"
        if reason is not None:
            left_out.append(_left_out(candidate, reason))
            continue
        kept.append(candidate)
        words.append((candidate.reference, own))
        said |= dict.fromkeys(candidate.references, candidate)
    return kept, left_out


def _once(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yield each reference the first time that it comes."""
    seen: set[str] = set()
    for candidate in candidates:
        if candidate.reference not in seen:
            seen.add(candidate.reference)
            yield candidate


def _known_already(
    candidate: Candidate,
    said: Mapping[str, Candidate],
    served: Collection[str],
    visible: Sequence[str],
) -> str | None:
    """Return why a candidate would say nothing new, or None if it does."""
    if all(reference in served for reference in candidate.covers or {candidate.reference}):
        return "served to this session before"
    if candidate.reference in said:
        return f"duplicate of {said[candidate.reference].reference}"
    flat = _flat(candidate.text)
    if len(flat) >= _MIN_VISIBLE and any(flat in text for text in visible):
        return "visible already"
    return None


def _left_out(candidate: Candidate, reason: str) -> LeftOut:
    return LeftOut(candidate.reference, reason, candidate.text)


def _flat(text: str) -> str:
    return _SPACE.sub(" ", nfc(text)).strip().casefold()


def _note(kit: OpenKit, session: str, shown: Collection[str], kept: Sequence[Candidate]) -> None:
    """Keep in mind what a session is shown now."""
    references = sorted(
        reference
        for candidate in kept
        if candidate.reference in shown
        for reference in candidate.references
    )
    ids = {int(name[7:]) for name in references if name.startswith("memory:")}
    others = {number for number in ids if kit.memories._is_global(number)}
    kit._served.answered((session,), ids - others, other_ids=others)
    kit._served.showed_items(
        session, [name for name in references if not name.startswith("memory:")]
    )
