"""Statements of past events and of reasons: what happened stays true whatever became of the code.

A description ("tokens are compared in auth.py") holds as long as what it describes. A report ("we
tried trio in ctx.py and dropped it") and a choice with its reason do not hang on the code at all.
"""

from __future__ import annotations

import re

# The auxiliaries of the past, and words that give a reason, in the languages that notes are in.
_PAST_AUXILIARY = (
    r"\b(?:was|were|had|did|wasn't|weren't|hadn't|didn't|war|waren|wurden?|fue|fueron)\b"
)
_REASON = r"\b(?:because|weil|porque|parce que)\b|因为|ため"
_IRREGULAR = (
    "broke|brought|built|chose|cut|fell|found|gave|got|kept|lost|made|ran|saw|took|went|threw"
)
# Of what somebody did: after who did it, or where a sentence begins with it ("Tried trio, ...").
_DEED = rf"(?:\w+(?<!e)ed|{_IRREGULAR})"
_DOER = r"(?:\b[Ii]|\b(?:[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t)|(?<=[a-z,;:] )[A-Z][a-z]+)"
# Not "Shared state is guarded by ...": that describes something which was shared.
_DESCRIBES = r"(?!(?:\s+\S+){0,4}\s+(?:is|are|by)\b)"
_EVENT = re.compile(
    rf"{_PAST_AUXILIARY}|{_REASON}|{_DOER} (?:\w+ly )?{_DEED}\b"
    rf"|(?:^|[.!?:;]\s+)[A-Za-z]*{_DEED}(?=[\s,]){_DESCRIBES}"
    r"|\b(?:haben|habe|hat)\b[^!?]*\bge\w+[tn]\b",
    re.MULTILINE,
)


def tells_event(text: str) -> bool:
    """Whether a text tells of something that happened, or of why something was chosen."""
    return bool(_EVENT.search(text.replace("’", "'")))
