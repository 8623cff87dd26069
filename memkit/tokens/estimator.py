"""How many tokens a text has, without tiktoken: for hooks, where loading that costs too much.

The text is divided into pieces exactly as o200k_base divides it, and in every piece pairs are
merged as o200k_base merges them, but by the first COMMON merges alone. Merging takes the merge of
lowest rank first, so the full encoding does these same merges and then perhaps more, each of which
makes the count smaller: the estimate is an upper bound by construction, for any ASCII text.
Where other scripts make up more than 1 / SPARSE of a text, the merges that begin beyond ASCII count
too, all of them: merges of two scripts hardly meet, so the bound holds there as well (the tests
try every Unicode block), and the estimate is nearly exact.

Reading the first merges from the packaged ranks takes 7 to 14 ms, those of other scripts 55 to 75
(tiktoken: 250 to 400); both are read when first needed. Then 3 to 5 million bytes a second of
English or source code, .5 to 3 where hardly a piece comes twice (random letters, Chinese).
"""

from __future__ import annotations

import re
import zlib
from binascii import a2b_base64
from collections import Counter
from functools import cache
from itertools import accumulate, chain, pairwise
from unicodedata import category

from ..errors import ModelMissing
from .ranks import RANKS, cuts

COMMON = 16_000
"""Merges used for all text. Estimate / count of (English, Python, base64, URLs, Polish, Turkish) is
with 8,000 of them 1.27, 1.31, 1.28, 1.56, 1.80, 2.03; with 16,000 1.15, 1.20, 1.24, 1.35, 1.59,
1.78; with 30,000 1.08, 1.12, 1.19, 1.24, 1.45, 1.56, in 1.7 times the time to load."""

SPARSE = 32
"""Up to one character in so many may be of another script before their merges are read: an emoji
in an English note is worth 2 tokens too many rather than 60 ms."""

LONGEST = 64
"""Characters of a piece merged together; longer pieces (rows of symbols, text without spaces) are
cut, as merging is quadratic. Tokens of repeated symbols have up to 64 characters."""

CUT = 2
"""Tokens added for each such cut: of 5,400 cuts within rows of random tokens of nine kinds, 66 made
the parts fewer, by 1 or 2 (four by 3); the others left their number or made it greater."""

_Ranks = dict[str, int]  # of bytes, each written as the character of its number
_NEVER = 1 << 30  # rank of a pair that does not merge

# o200k_base's pattern for text whose other characters stand for their class: "À" for capitals, "ß"
# for small letters, "ª" for letters without case, "´" for marks (letters or symbols, by what they
# follow), "¡" for symbols and the rest, 0 for digits, tab for white space.
_LETTER = "A-Za-zÀßª"
_WHITE = r"\t-\r "
_CONTRACTION = r"(?:'(?i:s|t|re|ve|m|ll|d))?"
_PIECE = "|".join(
    (
        rf" ?[a-z]++(?![{_LETTER}´'])",  # a common case of the next one, three times as fast
        rf"[^\r\n{_LETTER}0-9]?[A-ZÀª´]*[a-zßª´]+{_CONTRACTION}",
        rf"[^\r\n{_LETTER}0-9]?[A-ZÀª´]+[a-zßª´]*{_CONTRACTION}",
        r"[0-9]{1,3}",
        rf" ?[^{_WHITE}{_LETTER}0-9]+[\r\n/]*",
        rf"[{_WHITE}]*[\r\n]+",
        rf"[{_WHITE}]+(?![^{_WHITE}])",
        rf"[{_WHITE}]+",
    )
)
_CLASS = {"Lu": "À", "Lt": "À", "Ll": "ß", "L": "ª", "M": "´", "N": "0", "Z": "\t"}
_SPECIAL = {"\x85": "\t", "ſ": "s"}  # white space by property; "ſ" is an "s" to (?i:'s)

# Accented Latin letters and typographic punctuation: the first merges have what matters of them.
_OTHER = re.compile(r"[^\x00-\u024f\u2000-\u206f]")

# In base64: tokens whose first byte, or the one behind a space, is not ASCII.
_BEYOND_ASCII = re.compile(rb"^(?:[g-z0-9+/]|I[I-P])\S+", re.MULTILINE)


def estimate(text: str) -> int:
    """At least as many tokens as o200k_base has for the text, seldom half as many more; 0 for none.

    Raises ModelMissing if the packaged ranks are missing or damaged.
    """
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    ranks = _ranks(scripts=len(_OTHER.findall(text)) * SPARSE > len(text))
    edges = pairwise((0, *cuts(text), len(text)))
    pieces = Counter(chain.from_iterable(_pieces(text[start:end]) for start, end in edges))
    return sum(times * _cost(piece, ranks) for piece, times in pieces.items())


def _pieces(text: str) -> list[str]:
    """The parts of the text that o200k_base encodes one by one."""
    if text.isascii():
        return _pattern().findall(text)
    classes = {ord(char): _class(char) for char in set(text)}
    lengths = map(len, _pattern().findall(text.translate(classes)))  # no character is left out
    return [text[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def _class(char: str) -> str:
    """The character that stands for this one in the pattern."""
    if char.isascii():
        return char
    kind = category(char)
    return _SPECIAL.get(char) or _CLASS.get(kind) or _CLASS.get(kind[0], "¡")


@cache
def _pattern() -> re.Pattern[str]:
    # Compiled on first use, which importing memkit need not pay for.
    return re.compile(_PIECE)


def _cost(piece: str, ranks: _Ranks) -> int:
    """Tokens of one piece."""
    if len(piece) > LONGEST:
        chunks = [piece[at : at + LONGEST] for at in range(0, len(piece), LONGEST)]
        return sum(_cost(chunk, ranks) for chunk in chunks) + CUT * (len(chunks) - 1)
    octets = piece if piece.isascii() else piece.encode().decode("latin-1")
    if octets in ranks or octets.isdecimal():  # every number of up to three digits is a token
        return 1
    return _merge(octets, ranks)


def _merge(octets: str, ranks: _Ranks) -> int:
    """How many parts are left of the piece when no two neighbours merge any more."""
    parts = list(octets)
    rank = ranks.get
    pairs = [rank(left + right, _NEVER) for left, right in pairwise(parts)]
    while pairs and (lowest := min(pairs)) < _NEVER:
        at = pairs.index(lowest)
        del pairs[at]
        parts[at] += parts.pop(at + 1)
        if at:
            pairs[at - 1] = rank(parts[at - 1] + parts[at], _NEVER)
        if at < len(pairs):
            pairs[at] = rank(parts[at] + parts[at + 1], _NEVER)
    return len(parts)


@cache
def _ranks(*, scripts: bool) -> _Ranks:
    """The first merges by rank, with those beyond ASCII if asked for."""
    try:
        packed = RANKS.read_bytes()
        lines = zlib.decompressobj(wbits=31).decompress(packed, 0 if scripts else COMMON * 20)
        end = lines.index(b" %d\n" % (COMMON - 1))
        tokens = lines[:end].split()[::2]
        tokens += _BEYOND_ASCII.findall(lines, end) if scripts else []
        return {str(a2b_base64(token), "latin-1"): rank for rank, token in enumerate(tokens)}
    except (OSError, ValueError, zlib.error) as error:
        raise ModelMissing(f"{RANKS} is missing or damaged ({error}); reinstall memkit") from error
