"""The text of a draft that was given none, and the form in which its key is looked up.

A text that is made of key and value keeps the words as they were given; what is compared does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from .identity import fact_form, fact_name
from .records import Draft


def with_text(draft: Draft) -> Draft:
    """Return the draft with a text: a keyed fact or a procedure without one says what it holds."""
    if draft.text:
        return draft
    if draft.key and draft.value:
        return attrs.evolve(draft, text=made_of(draft.key, draft.qualifier, draft.value))
    if draft.procedure and draft.procedure.steps:
        name = draft.procedure.name or draft.procedure.trigger
        lead = f"{name}: " if name else ""
        return attrs.evolve(draft, text=lead + " → ".join(draft.procedure.steps))
    return draft


def compared(row: Mapping[str, Any]) -> str:
    """Return the text of a memory row; one made of key and value with both names as facts are
    compared, so that a key in capitals, or with its words parted otherwise, is no other
    statement."""
    text: str = row["text"]
    if not row["key"] or not row["value"]:
        return text
    made = made_of(fact_form(row["key"]), fact_form(row["qualifier"] or ""), row["value"])
    return made if fact_form(made) == fact_form(text) else text


def made_of(key: str, qualifier: str | None, value: str) -> str:
    """Return the text of a keyed fact that was given none."""
    return f"{key} ({qualifier}): {value}" if qualifier else f"{key}: {value}"


def says_only_its_fields(draft: Draft) -> bool:
    """Whether the text of a draft was made of its key and value, or of its procedure."""
    made = with_text(attrs.evolve(draft, text="")).text
    return bool(draft.text) and fact_name(made) == fact_name(draft.text)


def spelt(key: str | None, text: str) -> str | None:
    """Return a key as the text that was made of it spells it."""
    head = text[: len(key or "")]
    return head if key and fact_name(head) == key else key


def folded(draft: Draft) -> Draft:
    """Return the draft with its key and qualifier in the form in which facts are compared.

    After the text is made of them, which keeps their spelling.
    """
    key, qualifier = _looked_up(draft.key), _looked_up(draft.qualifier)
    if (key, qualifier) == (draft.key, draft.qualifier):
        return draft
    return attrs.evolve(draft, key=key, qualifier=qualifier)


def _looked_up(name: str | None) -> str | None:
    return None if name is None else fact_name(name) or None
