"""Names as their language compares them: Python takes `ﬁle` and `file` for one (PEP 3131).

Done once, on all that a file says: no extractor needs to think of it, and only a file that holds a
letter in another form than its language's is gone through. What a text says stays as written.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from ..dialect import UnicodeForm
from ..facts import Definition, Facts


def alike(facts: Facts, source: bytes, form: UnicodeForm) -> Facts:
    """Return facts whose names are in a form; `source` is the file's text."""
    if source.isascii() or not _may_differ(source.decode("utf-8", "replace"), form):
        return facts
    return facts._replace(
        namespace=unicodedata.normalize(form, facts.namespace),
        definitions=tuple(_definition(found, form) for found in facts.definitions),
        statements=_said(facts.statements, form),
    )


def _may_differ(text: str, form: UnicodeForm) -> bool:
    """Whether a text may hold names in another form; most that hold other signs hold none."""
    if unicodedata.is_normalized(form, text):
        return False
    letters = (sign for sign in set(text) if not sign.isascii() and f"_{sign}".isidentifier())
    return any(
        unicodedata.combining(sign) or _joins(sign) or not unicodedata.is_normalized(form, sign)
        for sign in letters
    )


def _joins(sign: str) -> bool:
    """Whether a letter becomes one with that before it: the second and third of a Hangul
    syllable."""
    return "\u1160" <= sign <= "\u11ff"


def _definition(found: Definition, form: UnicodeForm) -> Definition:
    return found._replace(
        name=unicodedata.normalize(form, found.name),
        qualname=unicodedata.normalize(form, found.qualname),
        params=_said(found.params, form),
        returns=_said(found.returns, form),
        bases=_said(found.bases, form),
        decorators=_said(found.decorators, form),
        owner=_said(found.owner, form),
    )


def _said(value: Any, form: UnicodeForm) -> Any:
    """Return terms or statements with their names in a form; what needs no change is the same
    object, since equal terms are one."""
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize(form, value)
    if not isinstance(value, tuple) or value[:1] == ("const",):
        return value
    parts = [_said(part, form) for part in value]
    if all(new is old for new, old in zip(parts, value, strict=True)):
        return value
    return tuple.__new__(type(value), parts)
