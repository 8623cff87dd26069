"""Assembly of a context: candidates sifted, fitted into the budget by tier, and rendered."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..episodes.paths import RepositoryPaths
from ..errors import InvalidInput
from ..retrieval.said_words import SaidWords
from ..text.analyzer import nfc
from ..tokens import FAMILIES
from .assembled import AssembledContext, Candidate, LeftOut
from .fitting import Bounds, fit
from .rendering import render_context
from .signals import ContextSignals, activity_of, infer_activity, signals_of
from .sources import Moment, gather
from .tiers import DEFAULT_BUDGET, Activity, Tier

if TYPE_CHECKING:
    from .ports import OpenKit

# Characters that a text must have for its being visible to say anything.
_MIN_VISIBLE = 12
_SPACE = re.compile(r"\s+")


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
    exact: bool = True,
    unsaid: Collection[str] = (),
) -> AssembledContext:
    """Return the context for a prompt or a moment; see `Context.assemble`. It says nothing of what
    is `unsaid`: references of memories and tasks that the prompt itself has brought."""
    bounds = _bounds(budget, model, max_chars, exact=exact)
    moment = _moment(kit.path.parent, prompt, signals, activity, session)
    moment = attrs.evolve(moment, budget=bounds.budget, unsaid=frozenset(unsaid))
    texts = tuple(map(_text_of, validation.iterable(visible, name="visible")))
    gathered = gather(kit, moment)
    known = [c for c in gathered.candidates if c.references.isdisjoint(unsaid)]
    served = _served(kit, session)
    crowded: list[Candidate] = []
    while True:
        candidates = [c for c in known if c not in crowded]
        remaining, left_out = _sift(candidates, served, texts)
        if not moment.is_start and all(candidate.extra for candidate in remaining):
            alone = "nothing else is relevant"
            left_out += [_left_out(candidate, alone) for candidate in remaining]
            remaining = []
        fitted = fit(remaining, bounds, moment)
        inside = {item.reference for item in fitted.items}
        silenced = _silencing(candidates, remaining, inside)
        if not silenced:
            break
        crowded += silenced
    no_room = [_left_out(c, "no room") for c in (*remaining, *crowded) if c.reference not in inside]
    context = AssembledContext(
        render_context(fitted.items),
        fitted.items,
        tuple(out for out in (*gathered.left_out, *left_out, *no_room) if out.what not in inside),
        moment.activity,
        bounds.budget,
        model,
        fitted.full_tokens,
        gathered.notes,
    )
    if session is not None:
        _note(kit, session, inside, remaining)
    return context


def _bounds(budget: int, model: str | None, max_chars: int | None, *, exact: bool) -> Bounds:
    if model is not None and model not in FAMILIES:
        raise InvalidInput(
            f"model: {validation.shown(model)} is no family; give one of {', '.join(FAMILIES)}"
        )
    if max_chars is not None:
        max_chars = validation.integer(max_chars, name="max_chars", minimum=0)
    exact = validation.boolean(exact, name="exact")
    return Bounds(validation.integer(budget, name="budget", minimum=0), model, max_chars, exact)


def _moment(
    root: Path,
    prompt: str,
    signals: ContextSignals | Mapping[str, object] | None,
    activity: Activity | str | None,
    session: str | None,
) -> Moment:
    """Return what a context is assembled for; paths are told from `root`."""
    prompt, known = validation.text(prompt, name="prompt"), signals_of(signals)
    if session is not None:
        session = validation.named(session, name="session")
    doing = infer_activity(prompt, known) if activity is None else activity_of(activity)
    if known.current_file is not None:
        stored = RepositoryPaths(root).stored(known.current_file)
        known = attrs.evolve(known, current_file=stored or None)
    return Moment(prompt, known, doing, session)


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
    remaining: list[Candidate] = []
    left_out: list[LeftOut] = []
    said: dict[str, Candidate] = {}
    words: list[tuple[str, SaidWords]] = []
    order = {tier: place for place, tier in enumerate(Tier)}
    nearest = sorted(candidates, key=lambda item: (order[item.tier], item.extra))
    for candidate in _once(nearest):
        own = SaidWords.of(candidate.text)
        reason = _known_already(candidate, said, served, visible)
        if reason is None:
            twin = next((name for name, other in words if own.same_as(other)), None)
            reason = None if twin is None else f"duplicate of {twin}"
        if reason is not None:
            left_out.append(_left_out(candidate, reason))
            continue
        remaining.append(candidate)
        words.append((candidate.reference, own))
        said |= dict.fromkeys(candidate.references, candidate)
    return remaining, left_out


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


def _silencing(
    candidates: Iterable[Candidate], remaining: Sequence[Candidate], inside: Collection[str]
) -> list[Candidate]:
    """Return the candidates without room in whose favour others were left out that nothing inside
    says: without them these may come by themselves."""
    said = {name for c in remaining if c.reference in inside for name in c.references}
    unsaid = {c.reference for c in candidates} - said
    return [c for c in remaining if c.reference not in inside and c.covers & unsaid]


def _left_out(candidate: Candidate, reason: str) -> LeftOut:
    return LeftOut(candidate.reference, reason, candidate.text)


def _flat(text: str) -> str:
    return _SPACE.sub(" ", nfc(text)).strip().casefold()


def _note(
    kit: OpenKit, session: str, shown: Collection[str], remaining: Sequence[Candidate]
) -> None:
    """Keep in mind what a session is shown now."""
    references = sorted(
        reference
        for candidate in remaining
        if candidate.reference in shown
        for reference in candidate.references
    )
    ids = {int(name[7:]) for name in references if name.startswith("memory:")}
    others = {number for number in ids if kit.memories._is_global(number)}
    kit._served.answered((session,), ids - others, other_ids=others)
    kit._served.showed_items(
        session, [name for name in references if not name.startswith("memory:")]
    )
