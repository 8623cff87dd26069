"""Fake tokens of every format, put together at run time: no scanner finds one in these files."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def of_format(body: str, seed: int) -> str:
    """A random text that the regular expression matches: the shortest repetitions, even choices."""
    return _walk(parser.parse(body), random.Random(seed))


def _walk(parsed: object, rng: random.Random) -> str:
    return "".join(_piece(op, argument, rng) for op, argument in parsed)  # type: ignore[attr-defined]


def _piece(op: object, argument: object, rng: random.Random) -> str:
    makers: dict[object, Callable[[], str]] = {
        codes.LITERAL: lambda: chr(argument),  # type: ignore[arg-type]
        codes.IN: lambda: _one_of(argument, rng),
        codes.MAX_REPEAT: lambda: _repeat(argument, rng),
        codes.MIN_REPEAT: lambda: _repeat(argument, rng),
        codes.SUBPATTERN: lambda: _walk(argument[-1], rng),  # type: ignore[index]
        codes.BRANCH: lambda: _walk(rng.choice(argument[1]), rng),  # type: ignore[index]
        codes.AT: lambda: "",
        codes.ASSERT: lambda: "",
        codes.ASSERT_NOT: lambda: "",
        codes.NOT_LITERAL: lambda: "k",
    }
    return makers[op]()


def _repeat(argument: object, rng: random.Random) -> str:
    low, high, inner = argument  # type: ignore[misc]
    times = low if low or high > 3 else rng.randint(low, int(high))
    return "".join(_walk(inner, rng) for _ in range(times))


def _one_of(choices: object, rng: random.Random) -> str:
    kinds = list(choices)  # type: ignore[call-overload]
    if kinds[0][0] is codes.NEGATE:
        return rng.choice(_WORD)
    pool = ""
    for op, argument in kinds:
        if op is codes.LITERAL:
            pool += chr(argument)
        elif op is codes.RANGE:
            pool += "".join(map(chr, range(argument[0], argument[1] + 1)))
        elif argument in (codes.CATEGORY_WORD, codes.CATEGORY_DIGIT):
            pool += _WORD if argument is codes.CATEGORY_WORD else "0123456789"
        else:
            pool += " "
    # Letters and digits much more often than signs, as in tokens that are base64.
    return rng.choice(pool + 12 * re.sub(r"[^A-Za-z0-9]", "", pool))


def letters(count: int, seed: int = 1, alphabet: str = _WORD) -> str:
    """Random letters and digits, always with one digit in front of the last character."""
    rng = random.Random(seed)
    text = "".join(rng.choices(alphabet, k=count))
    return text[:-2] + rng.choice("23456789") + text[-1]
