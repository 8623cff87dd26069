"""Token counter, exact or estimated, and cutting: by the packaged ranks, scaled by family."""

from __future__ import annotations

import gzip
import math
import re
import threading
import zlib
from binascii import a2b_base64
from collections import Counter
from enum import StrEnum
from functools import cache
from itertools import accumulate, chain, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from unicodedata import category

import attrs

from ..errors import InvalidInput, ModelMissing
from ..frozen import frozen
from ..text.graphemes import boundary
from ..text.patterns import lazy_pattern

if TYPE_CHECKING:
    from tiktoken import Encoding

# --- Whether a text is code, prose or JSON, as far as token factors need it; cheap, by sampling.

SAMPLE = 4_000
"""Characters looked at, from the start, the middle and the end together."""

# Shares of characters. Of 411 samples of six programming languages 406 come out as code; of 80 of
# English chat none, of 900 in other languages 8, of 160 of Markdown 36 (as they hold code);
# most logs do, which errs towards the higher factor.
_CODE_SYMBOLS = 0.042
_JSON_SYMBOLS = 0.04

_SYMBOL = lazy_pattern(r"[(){}\[\];=<>_]")
_JSON_SYMBOL = lazy_pattern(r"[\",:]")
_JSON_START = lazy_pattern(r"""\s*(?:\{\s*["}]|\[\s*(?:[\[{"\]]|-?\d+(?:\.\d+)?\s*[,\]]))""")
_INDENTED = lazy_pattern(r"^(?: {2,}|\t+)\S", re.MULTILINE)


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


# --- The packaged o200k_base encoding: no network, no cache folder, no environment variable.
#
# tiktoken's own `get_encoding` downloads its ranks at the first use; here the `Encoding` is built
# from the file in the package (checked by gzip's own checksum). Loading takes 0.25 to 0.4 s,
# once.

RANKS = Path(__file__).parent.parent / "assets" / "tokens" / "o200k_base.tiktoken.gz"

# The pattern and the special tokens of tiktoken's o200k_base (tiktoken_ext/openai_public.py, MIT).
_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
_SPECIAL_TOKENS = {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}

LONGEST_RUN = 512
"""Most characters of one kind (letters, symbols, white space) given to the encoder in one piece.

Merging is quadratic in such a run up to tiktoken 0.12 (40,000 emoji: 8 s; cut: 0.1 s), and a
million spaces end in a panic of its pattern matcher even in 0.14. A cut can add tokens: 3 at most
in 18,000 random cuts, 0 to 1 on average by kind of run. So all text is counted exactly except runs
of more than 512 characters without a break, which are over-counted by 3 % at most (most by none:
512 is a multiple of the longest tokens of repeated characters).
"""
_WHITE_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_KINDS = (
    rf"[^\x00-@\[-`{{-\x7f{_WHITE_SPACE}]",
    rf"(?:[^\w{_WHITE_SPACE}]|_)",
    rf"[{_WHITE_SPACE}]",
)
_WINDOW = lazy_pattern("|".join(f"{kind}{{{LONGEST_RUN // 2}}}" for kind in _KINDS))
_RUN = lazy_pattern("|".join(f"(?<!{kind}){kind}{{{LONGEST_RUN + 1},}}" for kind in _KINDS))

_lock = threading.Lock()
_loaded: list[Encoding] = []


def encode(text: str) -> list[int]:
    """The o200k_base ids of the text; special tokens are plain text, lone surrogates are "?"."""
    encoding = _encoding()
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    places = cuts(text)
    if not places:
        return encoding.encode_ordinary(text)
    edges = pairwise((0, *places, len(text)))
    return [i for start, end in edges for i in encoding.encode_ordinary(text[start:end])]


def is_loaded() -> bool:
    """Whether the ranks are loaded, so that an exact count costs less than an estimate."""
    return bool(_loaded)


def decode(ids: list[int]) -> str:
    """The text of these ids, without the last character if its bytes are incomplete."""
    return _encoding().decode_bytes(ids).decode("utf-8", "ignore")


def cuts(text: str) -> list[int]:
    """Where to divide the text: every LONGEST_RUN characters within longer runs of one kind."""
    half = LONGEST_RUN // 2  # a longer run covers at least one window that starts at a multiple
    if not any(_WINDOW.match(text, at) for at in range(0, len(text) - half, half)):
        return []
    runs = (match.span() for match in _RUN.finditer(text))
    return [at for start, end in runs for at in range(start + LONGEST_RUN, end, LONGEST_RUN)]


def _encoding() -> Encoding:
    if not _loaded:
        with _lock:
            if not _loaded:  # pragma: no branch - another thread came first
                _loaded.append(_load(RANKS))
    return _loaded[0]


def _load(path: Path) -> Encoding:
    from tiktoken import Encoding

    try:
        fields = gzip.decompress(path.read_bytes()).split()
    except (OSError, EOFError) as error:
        raise ModelMissing(f"{path} is missing or damaged ({error}); reinstall memkit") from error
    tokens = map(a2b_base64, fields[::2])
    return Encoding(
        "o200k_base",
        pat_str=_PATTERN,
        mergeable_ranks=dict(zip(tokens, map(int, fields[1::2]), strict=True)),
        special_tokens=_SPECIAL_TOKENS,
    )


# --- How many tokens a text has, without tiktoken: for hooks, where loading that costs too much.
#
# The text is divided into pieces exactly as o200k_base divides it, and in every piece pairs are
# merged as o200k_base merges them, but by the first COMMON merges alone. Merging takes the merge
# of lowest rank first, so the full encoding does these same merges and then perhaps more, each of
# which makes the count smaller: the estimate is an upper bound by construction, for any ASCII
# text. Where other scripts make up more than 1 / SPARSE of a text, the merges that begin beyond
# ASCII count too, all of them: merges of two scripts hardly meet, so the bound holds there as
# well (the tests try every Unicode block), and the estimate is nearly exact.
#
# Reading the first merges from the packaged ranks takes 7 to 14 ms, those of other scripts 55 to
# 75 (tiktoken: 250 to 400); both are read when first needed. Then 3 to 5 million bytes a second
# of English or source code, .5 to 3 where hardly a piece comes twice (random letters, Chinese).

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
_PIECE = lazy_pattern(
    "|".join((
        rf" ?[a-z]++(?![{_LETTER}´'])",  # a common case of the next one, three times as fast
        rf"[^\r\n{_LETTER}0-9]?[A-ZÀª´]*[a-zßª´]+{_CONTRACTION}",
        rf"[^\r\n{_LETTER}0-9]?[A-ZÀª´]+[a-zßª´]*{_CONTRACTION}",
        r"[0-9]{1,3}",
        rf" ?[^{_WHITE}{_LETTER}0-9]+[\r\n/]*",
        rf"[{_WHITE}]*[\r\n]+",
        rf"[{_WHITE}]+(?![^{_WHITE}])",
        rf"[{_WHITE}]+",
    ))
)  # fmt: skip
_CLASS = {"Lu": "À", "Lt": "À", "Ll": "ß", "L": "ª", "M": "´", "N": "0", "Z": "\t"}
_SPECIAL = {"\x85": "\t", "ſ": "s"}  # white space by property; "ſ" is an "s" to (?i:'s)

# Accented Latin letters and typographic punctuation: the first merges have what matters of them.
_OTHER = lazy_pattern(r"[^\x00-\u024f\u2000-\u206f]")

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
        return _PIECE.findall(text)
    classes = {ord(char): _class(char) for char in set(text)}
    lengths = map(len, _PIECE.findall(text.translate(classes)))  # no character is left out
    return [text[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def _class(char: str) -> str:
    """The character that stands for this one in the pattern."""
    if char.isascii():
        return char
    kind = category(char)
    return _SPECIAL.get(char) or _CLASS.get(kind) or _CLASS.get(kind[0], "¡")


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


# --- Counting tokens: exact for o200k_base, by factors for the other model families.
#
# Anthropic and Google publish no tokenizer that runs here. For them the o200k_base count is
# multiplied by a factor per family and kind of text, and rounded up: an estimate, and marked so.

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


def _known(_: TokenCounter, __: attrs.Attribute[str], value: str) -> None:
    if value not in _FACTORS:
        raise InvalidInput(f"no model family {value!r}; choose one of {', '.join(FAMILIES)}")


@attrs.frozen
class TokenCounter:
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
    return TokenCounter(family).count(text)


# --- Cutting a text to a number of tokens, between graphemes.

# Characters per token looked at first; the widest ordinary text (English) has 5.
_AHEAD = 8


@frozen
class Truncated:
    """The beginning of a text.

    Attributes:
        text: the part kept, code point for code point as given.
        tokens: tokens of that part, at most the limit.
        cut_chars: characters left out at the end, 0 if the text is whole.
    """

    text: str
    tokens: int
    cut_chars: int


def truncate(text: str, max_tokens: int, *, counter: TokenCounter | None = None) -> Truncated:
    """The longest beginning (to within a token or two) that has at most `max_tokens` tokens.

    It ends between graphemes: no emoji, flag or accented letter is split, and no U+FFFD appears.
    A limit too small for the first grapheme gives "". Raises InvalidInput for a negative limit.
    """
    if max_tokens < 0:
        raise InvalidInput(f"a text cannot be cut to {max_tokens} tokens; give 0 or more")
    counter = counter or TokenCounter()
    end = _whole_or_enough(text, max_tokens, counter)
    tokens = counter.count(text[:end])
    while tokens > max_tokens:
        end = boundary(text, _shorter(text[:end], tokens, max_tokens, counter))
        tokens = counter.count(text[:end])
    return Truncated(text[:end], tokens, len(text) - end)


def _whole_or_enough(text: str, max_tokens: int, counter: TokenCounter) -> int:
    """Length of a beginning that is over the limit, or of the whole text.

    Spares tokenising megabytes of which a few kilobytes are kept.
    """
    reach = max_tokens * _AHEAD + 1
    while reach < len(text):
        end = boundary(text, reach)
        if counter.count(text[:end]) > max_tokens:
            return end
        reach *= 2
    return len(text)


def _shorter(head: str, tokens: int, max_tokens: int, counter: TokenCounter) -> int:
    """A length below that of `head` at which about `max_tokens` tokens stand."""
    if counter.quick:
        return min(len(head) * max_tokens // tokens, len(head) - 1)
    ids = encode(head)
    keep = len(ids) * max_tokens // tokens
    return min(len(decode(ids[:keep])), len(head) - 1)
