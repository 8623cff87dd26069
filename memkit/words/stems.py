"""Words without their endings, so that "users" and "user" meet.

The stemmer cuts one ending, the longest of a list: on commit subjects it does as well as Porter's
(`python -m bench commits`), and takes one line. A stem is a beginning of its word.
"""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = tuple(
    "izations ization ations ation ators ator ating ated ates ate izers izer izing ized izes ize "
    "ements ement ments ment ions ion ings ing ers er ors or ables able ness ies ied ed es s e "
    "y".split()
)
_SHORT_ENDING, _LEAST, _LEAST_BEFORE_LONG = 3, 3, 4


def beginnings(word: str) -> list[str]:
    """Return what is left of a lower-case word without each of the endings that it may have."""
    return [
        word[: -len(ending)]
        for ending in _ENDINGS
        if word.endswith(ending) and len(word) - len(ending) > _LEAST
    ]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return a lower-case word without its ending; short words and numbers as they are."""
    if len(word) <= _LEAST or not word.isalpha():
        return word
    for ending in _ENDINGS:
        least = _LEAST if len(ending) <= _SHORT_ENDING else _LEAST_BEFORE_LONG
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word if ending == "s" and word[-2] in "su" else word[: -len(ending)]
            break
    doubled = len(word) > _LEAST and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return word[:-1] if doubled else word
