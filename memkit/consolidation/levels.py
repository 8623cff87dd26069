"""Levels of detail made of a memory's own words: summary, compressed, index entry.

A summary is statements of the text, whole: of a short text the first, of a longer one the most
telling. What is compressed is its most telling statement in telegraphic words, a keyed fact as
`key (qualifier): value`, a procedure as `name: a→b→c`; an index entry is the name of the subject.
No word is made up. A short text that denies something denies it in its summary and its compressed
form too, or has none: a level that said the contrary would be worse than the full text. Each level
is shorter than the one before it, or absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

import attrs

from .. import tokens
from ..context.memory_levels import LevelName, full_text
from ..memories.ingest import load, made_of
from ..memories.records import Memory
from ..store import timestamps
from ..text.analyzer import words_of
from ..text.extractive import choose, exact_tokens, split_statements
from ..text.patterns import lazy_pattern
from ..text.word_lists import FOREIGN, STOP, english_lead, is_negation
from .plan import ChangeAction

if TYPE_CHECKING:
    from .plan import RunEnvironment

# Ages in days at which a memory is summarised and compressed (seed 004, ConsolidationEngine).
SUMMARISE_AFTER, COMPRESS_AFTER = 7, 30
# Tokens of a text below which no level is made: a line of it costs ten tokens for its origin.
MIN_TOKENS = 24
# Tokens that a level may have, and its share of the full text's at most: what saves less is not
# worth a second wording. Seed 004 has 15, 5 and 1 for an episode of one line.
_LIMITS = {LevelName.SUMMARY: 60, LevelName.COMPRESSED: 24, LevelName.INDEX: 8}
_SHARES = {LevelName.SUMMARY: 0.75, LevelName.COMPRESSED: 0.5, LevelName.INDEX: 0.25}
# Statements of a text that is short: each of its negations counts. A long one tells a story.
_SHORT = 5
# Tokens of a text below which its beginning keeps more of what is asked for than statements chosen
# from it: so short a text begins with what it is about (bench compression).
_LEADS = 60
# What multiplies the worth of a statement that names the key or a tag.
_NAMED = 1.3
_ARROW = "→"
_DAY = 86_400.0


@attrs.frozen
class Levels:
    """Shorter wordings of a memory; None where none is shorter than the one before."""

    summary: str | None = None
    compressed: str | None = None
    index: str | None = None


def make_levels(memory: Memory) -> Levels:
    """Return the levels of a memory; all absent of a text that is too short to gain."""
    shortest = full_text(memory)
    size = tokens.count(shortest)
    if size < MIN_TOKENS:
        return Levels()
    wordings: dict[LevelName, str] = {}
    for level, make in _MAKERS.items():
        room = min(_LIMITS[level], int(size * _SHARES[level]), tokens.count(shortest) - 1)
        text = make(memory, room)
        if text and len(text) < len(shortest) and tokens.count(text) <= room:
            shortest = wordings[level] = text
    return Levels(*map(wordings.get, _MAKERS))


# --- Summary: statements of the text.


def _summary(memory: Memory, room: int) -> str | None:
    if memory.procedure is not None:
        return _procedure_line(memory, memory.procedure.steps, memory.procedure.warnings)
    statements = split_statements(memory.text)
    required = _required(statements)
    left = room - sum(tokens.count(f"{statements[place]} ") for place in required)
    if len(statements) < 2 or left < 0:
        return None
    rest = [place for place in range(len(statements)) if place not in required]
    texts = [statements[place] for place in rest]
    picks = (
        _leading(texts, left)
        if room < int(_LEADS * _SHARES[LevelName.SUMMARY])
        else choose(texts, max_tokens=left, count=tokens.count, weights=_weights(memory, texts))
    )
    places = [rest[pick] for pick in picks]
    # Joints take tokens too: what does not fit with them goes, the least telling first.
    fewer = ([*required, *places[:number]] for number in range(len(places), -1, -1))
    wordings = (_joined(statements[place] for place in sorted(some)) for some in fewer if some)
    return next((wording for wording in wordings if tokens.count(wording) <= room), None)


def _leading(statements: Sequence[str], room: int) -> Sequence[int]:
    """Return the places of the first statements that fit in so many tokens."""
    ends = accumulate(tokens.count(f"{statement} ") for statement in statements)
    return range(sum(1 for _ in takewhile(lambda end: end <= room, ends)))


def _required(statements: Sequence[str]) -> list[int]:
    """Return the places of the statements of a short text that no level leaves out: the first,
    without which the others dangle, and what denies or excepts something. Of a long text each
    statement counts by what it tells."""
    if len(statements) > _SHORT:
        return []
    rest = range(1, len(statements))
    return [0, *(place for place in rest if excepts(statements[place]))][: len(statements)]


def _weights(memory: Memory, statements: Sequence[str]) -> list[float]:
    names = {term for name in (*memory.tags, memory.key or "") for term in words_of(name)}
    return [1.0 if names.isdisjoint(words_of(text)) else _NAMED for text in statements]


def _joined(statements: Iterable[str]) -> str:
    text = ""
    for statement in statements:
        joint = "" if not text else " " if text[-1] in ".!?…:。！？;" else "; "
        text += joint + " ".join(statement.split())
    return text


# --- Compressed: a hint.


def _compressed(memory: Memory, room: int) -> str | None:
    if memory.procedure is not None:
        warnings = filter(turns, memory.procedure.warnings)
        return _procedure_line(memory, map(leading_words, memory.procedure.steps), warnings)
    if memory.key and memory.value:
        return made_of(memory.key, memory.qualifier, memory.value)
    statements = split_statements(memory.text)
    places = _required(statements)
    if not places:
        weights = _weights(memory, statements)
        places = choose(statements, max_tokens=room, count=tokens.count, weights=weights)[:1]
    if not places:
        return None
    lead, *rest = (statements[place] for place in places)
    whole = _joined(map(telegraphic, (lead, *rest)))
    if tokens.count(whole) <= room:
        return whole
    return _joined(map(telegraphic, (clauses(lead)[0], *rest)))


# Words of a text that is the title of a procedure rather than a statement.
_TITLE = 16


def _procedure_line(memory: Memory, steps: Iterable[str], warnings: Iterable[str]) -> str | None:
    """Return a procedure as `name: a→b→c`; None of one whose text denies something beside."""
    procedure = memory.procedure
    if procedure is None or not procedure.steps:
        return None
    name = procedure.name or procedure.trigger
    is_title = len(words(memory.text)) <= _TITLE and len(split_statements(memory.text)) == 1
    if is_title and not any(step in memory.text for step in procedure.steps):
        name = memory.text
    elif turns(memory.text) and not all(step in memory.text for step in procedure.steps):
        return None
    if name == " → ".join(procedure.steps):
        name = ""
    lead = f"{name.rstrip(':. ')}: " if name else ""
    way = lead + _ARROW.join(" ".join(step.split()).rstrip(".;") for step in steps)
    return "; ".join([way, *warnings])


# --- Index entry: the name of the subject.

_NAMING = 2  # words of an entry, beside a negation
_EXACT_WORTH, _TAG_WORTH, _AGAIN_WORTH, _LATER = 1.0, 1.0, 0.5, 0.05
_LOOKED_AT = 200  # words


def _entry(memory: Memory, room: int) -> str | None:
    name = memory.key or (memory.procedure.name if memory.procedure else "")
    if name and _ARROW not in name:
        return name
    telling = _telling_words(memory)
    entries = (
        _subject(memory.text, telling[:number]) for number in range(_NAMING, 0, -1) if telling
    )
    return next((entry for entry in entries if tokens.count(entry) <= room), None)


def _subject(text: str, telling: Sequence[str]) -> str:
    in_order = sorted(telling, key=text.index)
    return " ".join([*_prohibition(text), *in_order])


def _telling_words(memory: Memory) -> list[str]:
    """Return the words that name what a memory is about, the most telling first."""
    own = [bare for word in memory.text.split() if (bare := _bare(word)) and _tells(bare)]
    own = own[:_LOOKED_AT]
    tags = {term for tag in memory.tags for term in words_of(tag)}
    exact = set(exact_tokens(memory.text))
    terms = [frozenset(words_of(word)) for word in own]
    worth = [
        _EXACT_WORTH * (word in exact)
        + _TAG_WORTH * (not tags.isdisjoint(own_terms))
        + _AGAIN_WORTH * min(terms.count(own_terms) - 1, 2)
        - _LATER * place
        for place, (word, own_terms) in enumerate(zip(own, terms, strict=True))
    ]
    first_by_term = {own_terms: place for place, own_terms in reversed([*enumerate(terms)])}
    best = sorted(first_by_term.values(), key=lambda place: -worth[place])
    return [own[place] for place in best]


_HAS_LETTER = lazy_pattern(r"[^\W\d_]")


def _tells(word: str) -> bool:
    small = word.lower()
    is_common = small in STOP or small in FOREIGN
    return len(word) > 1 and not is_common and not turns(word) and bool(_HAS_LETTER.search(word))


def _bare(word: str) -> str:
    return word.strip("\"'`*_,;:!?()[]{}<>«»“”‘’。、").removesuffix("'s").rstrip(".")


# Words into a statement at which a prohibition begins with its negation ("Please do not …").
_OPENING = 3


def _prohibition(text: str) -> list[str]:
    """Return the negation that a text begins with, since "force-push" alone would read as advice;
    none of one that only answers ("No, …")."""
    opening = text.split()[:_OPENING]
    return [word for word in opening if turns(word) and _bare(word) == word][:1]


_MAKERS: Mapping[LevelName, Callable[[Memory, int], str | None]] = {
    LevelName.SUMMARY: _summary,
    LevelName.COMPRESSED: _compressed,
    LevelName.INDEX: _entry,
}


# --- Plan and apply: which memories get which levels, by age.


@attrs.frozen
class LevelChange:
    """Levels that a memory is to get.

    Attributes:
        action: summarise or compress. score: share of the full text's tokens that it saves at its
            shortest new level but the index. reason: for people. text: the memory's text, of which
            the levels were made; they are not written to another one.
    """

    action: ChangeAction
    memory_id: int
    reason: str
    score: float
    text: str
    levels: Levels
    other_id: int | None = None


def plan_levels(environment: RunEnvironment) -> Iterator[LevelChange]:
    """Yield the levels that memories should have by their age and do not have, oldest first; what
    somebody gave stays."""
    store = environment.store
    now = store.clock()
    before = timestamps.from_epoch(now - SUMMARISE_AFTER * _DAY)
    ids = [number for (number,) in store.all("consolidation_levels.aged", before=before)]
    compress_before = timestamps.from_epoch(now - COMPRESS_AFTER * _DAY)
    for start in range(0, len(ids), _BATCH):
        for memory in load(store, ids[start : start + _BATCH]):
            change = _change(memory, compress_before)
            if change is not None:
                yield change


_BATCH = 500


def _change(memory: Memory, compress_before: str) -> LevelChange | None:
    is_old = memory.created_at <= compress_before
    made = make_levels(memory)
    if not is_old:
        made = attrs.evolve(made, compressed=None)
    before = (memory.summary, memory.compressed, memory.index_entry)
    pairs = [*zip(before, attrs.astuple(made), strict=True)]
    after = Levels(*(new if old is None else old for old, new in pairs))
    added = [name for name, (old, new) in zip(_MAKERS, pairs, strict=True) if new and old is None]
    if not added:
        return None
    shortest = after.compressed or after.summary or after.index or ""
    saved = 1 - tokens.count(shortest) / max(tokens.count(full_text(memory)), 1)
    days = COMPRESS_AFTER if is_old else SUMMARISE_AFTER
    return LevelChange(
        ChangeAction.COMPRESS if LevelName.COMPRESSED in added else ChangeAction.SUMMARISE,
        memory.id,
        f"older than {days} days: {', '.join(added)}",
        round(saved, 3),
        memory.text,
        after,
    )


def apply_levels(environment: RunEnvironment, change: LevelChange) -> None:
    """Write the levels of a change, unless the text is another one by now; inside `write`."""
    levels = change.levels
    environment.store.run(
        "consolidation_levels.set_levels",
        id=change.memory_id,
        text=change.text,
        summary=levels.summary,
        compressed=levels.compressed,
        index_entry=levels.index,
        summary_tokens=_count(levels.summary),
        compressed_tokens=_count(levels.compressed),
        index_tokens=_count(levels.index),
    )


def _count(text: str | None) -> int | None:
    return None if text is None else tokens.count(text)


# --- Telegraphic wording: a statement without the words and asides that it can do without.
#
# Only words are left out, none is made up, and nothing that turns or limits what is said: a
# statement that holds a negation, an exception or a condition keeps every clause. Words are left
# out of English alone; a statement of another language stays whole. Short forms of words ("config")
# were tried and left out: of seventy three save a token.

# Words of English without which a statement says the same, as headlines leave them out. Those of
# the past ("was") are not among them: they say that something holds no more.
_SPARE = frozenset("a an the is are am be been being very quite really please".split())
# Words that turn a statement round, beside the negations that `word_lists` knows.
_TURNING = frozenset(
    "without neither none nobody nothing nowhere hardly avoid refuse forbid forbidden dont doesnt "
    "wont cant isnt arent didnt ohne keine keinen keinem keiner nie niemals kaum sans jamais aucun "
    "aucune sin nunca ningún ninguna sem senza mai nessuno geen niet nooit zonder без никогда нет "
    "нельзя".split()
)
# Words that limit a statement: what follows or precedes them does not hold alone.
_LIMITING = frozenset(
    "only unless except instead but however although though until till while if when before after "
    "once than rather other else otherwise or nur außer sondern aber wenn solo salvo excepto pero "
    "seulement sauf mais si".split()
)
# In scripts without spaces between words there are no words to look up: signs of a negation.
_TURNING_SIGNS = lazy_pattern(
    "[不没沒無无非禁别別勿未莫]|ない|ません|なく|ずに|않|없|안 |못|ไม่|อย่า|ห้าม"
)
# Words that a step is told by at most.
_LEADING = 4
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_ASIDE = lazy_pattern(r"\s*(?<!\w)\([^()]*\)")
# Where a clause begins that only says why, or a second statement.
_CLAUSE = lazy_pattern(r";\s+|\s+[-–—]\s+|,?\s+(?=because\b)|,\s+(?=(?:since|so|which|as)\b)")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, in order."""
    return [match[0].lower().replace("’", "'") for match in _WORD.finditer(text)]


def turns(text: str) -> bool:
    """Whether a text denies something."""
    if any(is_negation(word) or word in _TURNING for word in words(text)):
        return True
    return _TURNING_SIGNS.search(text) is not None


def excepts(statement: str) -> bool:
    """Whether a statement denies something, or begins as an exception to the one before."""
    return turns(statement) or not _LIMITING.isdisjoint(words(statement)[:1])


def is_limited(text: str) -> bool:
    """Whether a part of a statement says something else than the whole: it denies, or holds under a
    condition or with an exception."""
    return turns(text) or not _LIMITING.isdisjoint(words(text))


def is_english(text: str) -> bool:
    """Whether the function words of a text are those of English rather than of others."""
    return english_lead(words(text)) > 0


def telegraphic(statement: str) -> str:
    """Return a statement without words that it can do without."""
    if not is_english(statement):
        return statement
    first, *rest = statement.split(" ")
    parts = [*([] if first == "The" and rest else [first]), *_telling(rest)]
    return " ".join(parts).rstrip(".")


def _telling(parts: Iterable[str]) -> Iterator[str]:
    # Of a quoted or marked word the marks are a part: it is kept.
    is_code = False
    for part in parts:
        if is_code or part not in _SPARE:
            yield part
        is_code ^= part.count("`") % 2 == 1


def clauses(statement: str) -> list[str]:
    """Return the clauses of a statement that may stand alone, without asides; the statement as the
    only one if a part of it would say something else."""
    if is_limited(statement) or not is_english(statement) or "`" in statement:
        return [statement]
    bare = _ASIDE.sub("", statement)
    parts = [part.strip() for part in _CLAUSE.split(bare)]
    return [part for part in parts if _WORD.search(part)] or [statement]


def leading_words(statement: str) -> str:
    """Return the words that a step begins with, up to the first that only joins; the whole step if
    a part of it would say something else."""
    if is_limited(statement) or not is_english(statement):
        return telegraphic(statement)
    parts = telegraphic(statement).split()
    joints = (place for place, part in enumerate(parts) if place and part in STOP)
    return " ".join(parts[: min(next(joints, _LEADING), _LEADING)]).rstrip(",;:")
