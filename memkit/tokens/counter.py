"""Counting tokens: exact for o200k_base, by factors for the other model families.

Anthropic and Google publish no tokenizer that runs here. For them the o200k_base count is
multiplied by a factor per family and kind of text, and rounded up: an estimate, and marked so.
"""

from __future__ import annotations

import math
from types import MappingProxyType

import attrs

from ..errors import InvalidInput
from .content import Content, content_of
from .estimator import estimate
from .ranks import encode

# Tokens per o200k_base token. Claude: medians measured with an independent reconstruction of its
# tokenizers on Python, Markdown and JSON ("claude": 4.7 and later; "claude-legacy": up to 4.6),
# spread about +-15 %. Gemini: not measured, a margin (its tokenizer splits numbers by digit).
_FACTORS = MappingProxyType(
    {
        "openai": {Content.CODE: 1.0, Content.PROSE: 1.0, Content.JSON: 1.0},
        "claude": {Content.CODE: 1.75, Content.PROSE: 1.65, Content.JSON: 1.45},
        "claude-legacy": {Content.CODE: 1.30, Content.PROSE: 1.15, Content.JSON: 1.23},
        "gemini": {Content.CODE: 1.20, Content.PROSE: 1.10, Content.JSON: 1.35},
    }
)
FAMILIES = tuple(_FACTORS)
"""The model families that counts can be asked for."""


def _known(_: Counter, __: attrs.Attribute[str], value: str) -> None:
    if value not in _FACTORS:
        raise InvalidInput(f"no model family {value!r}; choose one of {', '.join(FAMILIES)}")


@attrs.frozen
class Counter:
    """One way to count, to be handed to everything that counts, so that all counts agree.

    Attributes:
        family: model family, one of FAMILIES.
        quick: estimate instead of tokenising (no tiktoken; for hooks).
    """

    family: str = attrs.field(default="openai", validator=_known)
    quick: bool = attrs.field(default=False, kw_only=True)

    @property
    def name(self) -> str:
        """What counts, for reports: "o200k_base", "o200k_base x claude", "estimate x claude"."""
        base = "estimate" if self.quick else "o200k_base"
        return base if self.family == "openai" else f"{base} x {self.family}"

    @property
    def exact(self) -> bool:
        """Whether counts are those of the model, not estimates."""
        return self.family == "openai" and not self.quick

    def count(self, text: str) -> int:
        """Tokens of the text; special tokens such as "<|endoftext|>" count as plain text."""
        tokens = estimate(text) if self.quick else len(encode(text))
        return self.scale(tokens, text)

    def scale(self, tokens: int, text: str) -> int:
        """A count of o200k_base tokens of this text as tokens of the family, rounded up."""
        if self.family == "openai":
            return tokens
        factor = _FACTORS[self.family][content_of(text)]
        return math.ceil(round(tokens * factor, 6))


def count(text: str, *, family: str = "openai") -> int:
    """Tokens of the text for a model family: exact for "openai", else estimated.

    Raises InvalidInput for an unknown family.
    """
    return Counter(family).count(text)
