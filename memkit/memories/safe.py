"""One text as it may be stored: bounded, without what memkit itself answered, clean, without
secrets. Whatever the field and the way in, a text goes through here."""

from __future__ import annotations

from .. import arguments, safety
from ..errors import InvalidInput
from ..safety.rendered import strip_rendered
from .identity import tag_name

# Letters in one text; more is a document and belongs in several (memkit init splits by heading).
MAX_TEXT = 1_000_000


def safe_text(text: str, *, name: str = "text") -> safety.Redacted:
    """Return a text as it may be stored, and the secrets found; raises InvalidInput for one that is
    too long, or no text."""
    check_length(arguments.text(text, name=name), name=name)
    return safety.redact(safety.clean_text(strip_rendered(text)))


def check_length(text: str, *, name: str = "text") -> None:
    """Raise InvalidInput for a text that is too long."""
    if len(text) > MAX_TEXT:
        raise InvalidInput(
            f"{name}: has {len(text):,} letters, at most {MAX_TEXT:,} go into one memory; "
            "remember it in parts"
        )


def stored_tags(names: tuple[str, ...]) -> list[str]:
    """Return tags as they may be stored."""
    return [tag_name(safe_text(name, name="tags").text) for name in names]
