"""Assembly of a context: candidates sifted, fitted into the budget by tier, and rendered.

The best candidate comes first; then each tier takes what it was allotted, and what found no room is
tried again, shorter, with all that is left, the nearest tier first. A limit in tokens of o200k is
lowered until the rendered text keeps to the budget by the reader's own count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .. import tokens, validation
from ..episodes.paths import RepositoryPaths
from ..errors import InvalidInput
from ..frozen import frozen
from ..retrieval.said_words import SaidWords
from ..text.analyzer import nfc, words_of
from ..text.extractive import summarize
from ..tokens import FAMILIES, TokenCounter
from .assembled import (
    BEGIN,
    DEFAULT_BUDGET,
    END,
    Activity,
    AssembledContext,
    AssembledItem,
    Candidate,
    LeftOut,
    Level,
    Tier,
    allotments,
    heading,
    render_context,
    render_item,
)
from .signals import ContextSignals, activity_of, infer_activity, signals_of
from .sources import Moment, gather

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


# Share of the budget that one of several items may take, and the best of them: a long text is
# shortened rather than let it push out the others.
MAX_SHARE, BEST_SHARE = 0.25, 0.5
# Tokens below which a shortened text is a scrap.
MIN_SHORTENED = 12
# Times that the limit is lowered before items are dropped from the end.
_ROUNDS = 3


# --- Fitting: which candidates go into the budget, and at which level.


@frozen
class Bounds:
    """How much a text may take: tokens of a model's family (None: of whichever counts most), and
    characters; tokens are estimated, which is never below the truth, unless they are `exact`."""

    budget: int
    model: str | None = None
    max_chars: int | None = None
    exact: bool = True


class Measure:
    """Tokens of texts, of the reader's model: of one family, or of whichever counts most."""

    def __init__(self, bounds: Bounds, *, quick: bool) -> None:
        """`quick` counts by the estimate, which is never below the truth."""
        self._counters = [
            TokenCounter(family) for family in ([bounds.model] if bounds.model else FAMILIES)
        ]
        self._bounds = bounds
        self._count = tokens.estimate if quick else tokens.count
        self._known: dict[str, int] = {}
        self._items: dict[tuple[str, str, bool], AssembledItem] = {}

    def count(self, text: str) -> int:
        """Return the tokens of a text, of o200k."""
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]

    def item(self, candidate: Candidate, level: Level, *, brief: bool = False) -> AssembledItem:
        """Return a candidate at one of its own levels, rendered once."""
        name = (candidate.reference, level.name, brief)
        if name not in self._items:
            self._items[name] = _item(candidate, level, brief=brief)
        return self._items[name]

    def size(self, text: str) -> int:
        """Return the tokens that a text has for the reader."""
        count = self.count(text)
        return max(counter.scale(count, text) for counter in self._counters)

    @property
    def limit(self) -> int:
        """How many tokens of prose, of o200k, make up the budget."""
        return self._bounds.budget * 1000 // max(c.scale(1000, "") for c in self._counters)

    def allows(self, text: str) -> bool:
        """Whether a rendered text keeps to the bounds."""
        max_chars = self._bounds.max_chars
        if max_chars is not None and len(text) > max_chars:
            return False
        return self.size(text) <= self._bounds.budget


@frozen
class Fitted:
    """What goes in, in order.

    Attributes:
        full_tokens: tokens (o200k) of all candidates in full; None if all of them are in, in full.
    """

    items: tuple[AssembledItem, ...] = ()
    full_tokens: int | None = None


def fit(candidates: Sequence[Candidate], bounds: Bounds, moment: Moment) -> Fitted:
    """Return the candidates that go into a budget, each at the fullest level that fits.

    Counting exactly means loading the ranks (.3 s). The estimate is never below the truth, so
    where everything fits by it, everything fits, and nothing is counted exactly.
    """
    if not candidates:
        return Fitted()
    everything = tuple(_item(candidate, candidate.levels[0]) for candidate in candidates)
    first = Measure(bounds, quick=not (bounds.exact and tokens.is_loaded()))
    if first.allows(render_context(everything)):
        return Fitted(everything)
    measure = Measure(bounds, quick=False) if bounds.exact else first
    limit = measure.limit
    items: tuple[AssembledItem, ...] = ()
    for _ in range(_ROUNDS):
        items = Filling(candidates, limit, moment, measure).items
        text = render_context(items)
        if not items or measure.allows(text):
            break
        over = max(measure.size(text) / max(bounds.budget, 1), _char_excess(text, bounds))
        limit = min(int(limit / over), limit - 1)
    while items and not measure.allows(render_context(items)):
        items = items[:-1]
    return Fitted(items, sum(measure.count(item.text) for item in everything))


def _char_excess(text: str, bounds: Bounds) -> float:
    return 0.0 if bounds.max_chars is None else len(text) / bounds.max_chars


def _item(candidate: Candidate, level: Level, *, brief: bool = False) -> AssembledItem:
    return AssembledItem(
        candidate.tier,
        candidate.source,
        candidate.reference,
        render_item(candidate, level.text, brief=brief),
        level.name,
        candidate.score,
        candidate.reasons,
    )


class Filling:
    """One way to fill a limit of tokens; `items` are in the order of the candidates."""

    def __init__(
        self, candidates: Sequence[Candidate], limit: int, moment: Moment, measure: Measure
    ) -> None:
        self._measure, self._focus = measure, words_of(moment.question)
        self._placed: dict[str, AssembledItem] = {}
        tiers = {tier: [c for c in candidates if c.tier is tier] for tier in Tier}
        is_headed = sum(bool(members) for members in tiers.values()) > 1
        self._headings = {tier: measure.count(heading(tier)) if is_headed else 0 for tier in Tier}
        room = max(limit - measure.count(BEGIN) - measure.count(END), 0)
        min_cap = 4 * MIN_SHORTENED
        self._cap = room if len(candidates) == 1 else max(int(room * MAX_SHARE), min_cap)
        # Whatever the shares, the best that there is comes first.
        cap, self._cap = self._cap, max(self._cap, int(room * BEST_SHARE))
        room = self._fill([c for c in candidates if not c.extra][:1], room)
        self._cap = cap
        rest = {
            tier: [c for c in members if c.reference not in self._placed]
            for tier, members in tiers.items()
        }
        wants = {tier: self._demand(members) for tier, members in rest.items()}
        allotted = allotments(wants, room, moment.activity)
        unused = room - sum(allotted.values())
        left = unused + sum(self._fill(rest[tier], allotted[tier]) for tier in Tier)
        waiting = [c for c in candidates if c.reference not in self._placed]
        self._fill(sorted(waiting, key=lambda c: c.extra), left, is_last=True)
        placed = self._placed
        self.items = tuple(placed[c.reference] for c in candidates if c.reference in placed)

    def _demand(self, members: Sequence[Candidate]) -> int:
        costs = [self._measure.count(self._measure.item(c, c.levels[0]).text) for c in members]
        head = self._headings[members[0].tier] if members else 0
        return sum(min(cost, self._cap) for cost in costs) + head

    def _fill(self, members: Sequence[Candidate], room: int, *, is_last: bool = False) -> int:
        """Place what fits into `room` tokens; return what is left of it."""
        for candidate in members:
            is_first = all(item.tier is not candidate.tier for item in self._placed.values())
            head = self._headings[candidate.tier] if is_first else 0
            item = self._fitting(candidate, room - head, is_last=is_last)
            if item is not None:
                self._placed[candidate.reference] = item
                room -= head + self._measure.count(item.text)
        return room

    def _fitting(self, candidate: Candidate, room: int, *, is_last: bool) -> AssembledItem | None:
        """Return a candidate at the fullest level that fits, None if none does. What is left at the
        `is_last` also takes it without its origin, cut down, or as its entry in an index.

        Where something is asked, the part of a text that bears on it goes before what was shortened
        without knowing that: the hints of long texts lack half of the words of the answers.
        """
        space = min(room, self._cap)
        full, *hints = candidate.levels
        entries = [hint for hint in hints if hint.name == "index"]
        hints = [hint for hint in hints if hint.name != "index"]
        is_part_first = candidate.shortens and bool(self._focus)
        at_once = [full] if is_part_first else [full, *hints]
        item = self._at_levels(candidate, at_once, space)
        if item is not None:
            return item
        if not is_last:
            return self._shortened(candidate, space) if space == self._cap else None
        brief = self._measure.item(candidate, full, brief=True)
        if self._measure.count(brief.text) <= space:
            return brief
        shortened = self._shortened(candidate, space)
        return shortened or self._at_levels(candidate, [*hints, *entries], space)

    def _at_levels(
        self, candidate: Candidate, levels: Sequence[Level], space: int
    ) -> AssembledItem | None:
        """Return a candidate at the first of some levels that fits."""
        items = (self._measure.item(candidate, level) for level in levels)
        return next((item for item in items if self._measure.count(item.text) <= space), None)

    def _shortened(self, candidate: Candidate, room: int) -> AssembledItem | None:
        """Return a candidate with the statements of its text that say most, if some fit."""
        head = self._measure.count(_item(candidate, Level("shortened", "")).text)
        left = room - head
        if not candidate.shortens or left < MIN_SHORTENED:
            return None
        text = summarize(
            candidate.text, max_tokens=left, count=self._measure.count, focus=self._focus
        )
        item = _item(candidate, Level("shortened", text))
        return item if text and self._measure.count(item.text) <= room else None
