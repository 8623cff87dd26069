"""What kind of answer a question asks for, and the day or month that it names."""

from __future__ import annotations

import re

import attrs

from .words import MONTHS

_WHEN = re.compile(
    r"\b(when|what (date|day|month|year|time)|how long|which (year|month|day)|since when)\b"
)
_NUMBER = re.compile(r"\bhow (many|much|often|old|long|big|large|fast|far)\b")
_WHO = re.compile(r"\b(who|whom|whose|where|which (city|country|place|person)|name of)\b")
_OWN = re.compile(r"\b(i|my|me|we|our|us|mine)\b")
_ADVICE = re.compile(
    r"\byou (suggest|recommend|tell|told|say|said|advise|give|gave|explain|mention|provide|propose)"
    r"|\byour (suggestion|recommendation|advice|answer|explanation)"
)
_TITLED = re.compile(
    r"\b((book|movie|film|song|game|series|show|title|album|band|quote)s?|called|name of)\b"
)
_PAST = re.compile(r"\b(did|was|were|has|had)\b")
_FUTURE = re.compile(r"\b(will|going to|plan|next|might|would)\b")
_CURRENT = re.compile(
    r"\b(current(ly)?|latest|newest|most recent(ly)?|nowadays|these days"
    r"|(up[- ])?to[- ]date|at (the moment|present)|as of the last)\b"
)
_SUMMARY = re.compile(r"\b(summar(y|ies|i[sz]e\w*)|overview|recap\w*)\b")
_REQUEST = re.compile(
    r"\b((can|could|would|will) you|help me|recommend|suggest|any (tips|ideas|advice)"
    r"|how (should|can|do|would|could|might) (i|we|you)|what should|should i"
    r"|what (would|are|is) (the |a |some |your )?(best|good|common|typical|approach\w*)"
    r"|(i'm|i am) (trying|planning|working|looking|thinking)|i (want|need) to)\b"
)
_RECALL = re.compile(
    r"\b(did|have|has|had|was|were|mentioned|discussed|talked|said|told|brought up|covered"
    r"|happened|we've|i've|you've|throughout|previous(ly)?|earlier|before|remember|recall)\b"
)
_MONTH = re.compile(r"\b(" + "|".join(MONTHS) + r")\b")
_DAY_BEFORE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)?,? (?:" + "|".join(MONTHS) + r")\b")
_DAY_AFTER = re.compile(r"\b(?:" + "|".join(MONTHS) + r")\.? (\d{1,2})(?:st|nd|rd|th)?\b(?!\d)")
_ISO_DAY = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")


@attrs.frozen
class Asked:
    """What kind of answer is asked for.

    Attributes:
        when, number, who, titled: a time, a number, a name, a title (of a book, of a film).
        own: the asker's own. advice: what was advised. past, future: what was or will be.
        current: what holds now, of which the newest statement tells.
        summary: much in short. request: help with something now, not what was said before.
    """

    when: bool = False
    number: bool = False
    who: bool = False
    own: bool = False
    advice: bool = False
    titled: bool = False
    past: bool = False
    future: bool = False
    current: bool = False
    summary: bool = False
    request: bool = False


@attrs.frozen
class Day:
    """A month, and the day and year where they are named."""

    month: int
    day: int | None = None
    year: int | None = None


def kind_of_answer(lower: str) -> Asked:
    """Return what kind of answer a question in lower case asks for."""
    return Asked(
        when=bool(_WHEN.search(lower)),
        number=bool(_NUMBER.search(lower)),
        who=bool(_WHO.search(lower)),
        own=bool(_OWN.search(lower)),
        advice=bool(_ADVICE.search(lower)),
        titled=bool(_TITLED.search(lower)),
        past=bool(_PAST.search(lower)),
        future=bool(_FUTURE.search(lower)),
        current=bool(_CURRENT.search(lower)),
        summary=bool(_SUMMARY.search(lower)),
        request=bool(_REQUEST.search(lower)) and not _RECALL.search(lower),
    )


def day_named(lower: str) -> Day | None:
    """Return the month (with day and year) that is named; "may" only beside a number or "in"."""
    if iso := _ISO_DAY.search(lower):
        year, month, day = iso.groups()
        in_year = 1 <= int(month) <= 12
        return Day(int(month), int(day) if day else None, int(year)) if in_year else None
    found = _MONTH.search(lower)
    if not found:
        return None
    before, after = _DAY_BEFORE.search(lower), _DAY_AFTER.search(lower)
    named = before or after
    if found[0] == "may" and not (named or re.search(r"\b(in|of|on|since|until) may\b", lower)):
        return None
    year = _YEAR.search(lower)
    return Day(
        MONTHS.index(found[0]) + 1, int(named[1]) if named else None, int(year[1]) if year else None
    )
