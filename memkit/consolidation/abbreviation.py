"""Telegraphic wording: a statement without the words and asides that it can do without.

Only words are left out, none is made up, and nothing that turns or limits what is said: a statement
that holds a negation, an exception or a condition keeps every clause. Words are left out of English
alone; a statement of another language stays whole. Short forms of words ("config") were tried and
left out: of seventy three save a token.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..text.patterns import lazy_pattern
from ..text.word_lists import STOP, english_lead, is_negation

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
