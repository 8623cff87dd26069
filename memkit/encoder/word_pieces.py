"""Word pieces: tokens of the packaged model, in Python where a text is plain ASCII.

What `tokenizers` gives, token by token (a test holds that). To load it and let it read its file
takes three times as long as to read the vocabulary from there: most of what the tokens of a hook's
one question cost. It is loaded for the first text of other characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNKNOWN = "[UNK]"
# Characters that need no clearing up, and tokens that are known before any text is divided.
_PLAIN = re.compile(r"(?:(?!\[PAD\]|\[UNK\])[ -~])*")
# Where a word begins within a name: `getUserName`, `HTTPServer`.
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9]+|[^a-z0-9 ]")


class WordPieces:
    """Vocabulary of a tokenizer file (WordPiece behind BERT's normalizer, humps apart)."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, ValueError or KeyError for what is no such file."""
        self._path = path
        model = json.loads(path.read_text(encoding="utf-8"))["model"]
        self._ids: dict[str, int] = model["vocab"]
        self._prefix: str = model["continuing_subword_prefix"]
        self._max_chars: int = model["max_input_chars_per_word"]
        self.unknown = self._ids[UNKNOWN]
        """Id of what the vocabulary does not have."""

    def ids(self, text: str) -> list[int]:
        """The token ids of a text, unknown ones among them."""
        if _PLAIN.fullmatch(text) is None:
            whole: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
            return whole
        words = _WORD.findall(_HUMPS.sub(" ", text).lower())
        return [number for word in words for number in self._pieces(word)]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._path))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _pieces(self, word: str) -> list[int]:
        """The longest pieces from the left; a word that is not all known is unknown."""
        if (number := self._ids.get(word)) is not None and len(word) <= self._max_chars:
            return [number]
        known = list(self._longest(word)) if len(word) <= self._max_chars else [None]
        return [self.unknown] if None in known else [n for n in known if n is not None]

    def _longest(self, word: str) -> Iterator[int | None]:
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                if (number := self._ids.get(prefix + word[start:end])) is not None:
                    yield number
                    break
            else:
                yield None
                return
            start, prefix = end, self._prefix
