"""Whether a text is code, prose or JSON, as far as token factors need it; cheap, by sampling."""

from __future__ import annotations

import re
from enum import StrEnum

SAMPLE = 4_000
"""Characters looked at, from the start, the middle and the end together."""

# Shares of characters. Of 411 samples of six programming languages 406 come out as code; of 80 of
# English chat none, of 900 in other languages 8, of 160 of Markdown 36 (as they hold code);
# most logs do, which errs towards the higher factor.
_CODE_SYMBOLS = 0.042
_JSON_SYMBOLS = 0.04

_SYMBOL = re.compile(r"[(){}\[\];=<>_]")
_JSON_SYMBOL = re.compile(r"[\",:]")
_JSON_START = re.compile(r"""\s*(?:\{\s*["}]|\[\s*(?:[\[{"\]]|-?\d+(?:\.\d+)?\s*[,\]]))""")
_INDENTED = re.compile(r"^(?: {2,}|\t+)\S", re.MULTILINE)


class Content(StrEnum):
    """Kinds of text whose token factors differ."""

    CODE = "code"
    PROSE = "prose"
    JSON = "json"


def content_of(text: str) -> Content:
    """The kind of the text; prose if there is nothing to tell by."""
    sample = _sample(text).strip()
    if not sample:
        return Content.PROSE
    if _JSON_START.match(sample) and len(_JSON_SYMBOL.findall(sample)) > _JSON_SYMBOLS * len(
        sample
    ):
        return Content.JSON
    lines = sample.count("\n") + 1
    indented = len(_INDENTED.findall(sample)) / lines
    symbols = len(_SYMBOL.findall(sample)) / len(sample)
    return Content.CODE if symbols * (1 + indented) > _CODE_SYMBOLS else Content.PROSE


def _sample(text: str) -> str:
    if len(text) <= SAMPLE:
        return text
    part = SAMPLE // 3
    middle = (len(text) - part) // 2
    return text[:part] + text[middle : middle + part] + text[-part:]
