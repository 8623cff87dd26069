"""Scripts that are written without spaces: their words are looked for by pairs of characters."""

from __future__ import annotations

import re

# Han, Hiragana, Katakana, Bopomofo, Hangul (compounds are searched by parts), Thai, Lao, Burmese,
# Khmer.
UNSEGMENTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{UNSEGMENTED}]+")


def is_unsegmented(text: str) -> bool:
    """Whether the whole of a text is a run of such a script."""
    return _RUN.fullmatch(text) is not None


def pairs(run: str) -> list[str]:
    """Return the neighbouring pairs of a run of unsegmented script; a single character is
    itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def segments(word: str) -> list[str]:
    """Return the pairs of the runs of such scripts in a word, and what stands between them; a word
    without any is itself."""
    if word.isascii():
        return [word]
    found: list[str] = []
    position = 0
    for run in _RUN.finditer(word):
        found += [word[position : run.start()], *pairs(run[0])]
        position = run.end()
    return [part for part in (*found, word[position:]) if part]
