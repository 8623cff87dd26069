"""Text analyzer: normal forms, decoding, identifier parts, CJK bigrams, stems."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from .patterns import lazy_pattern

# --- Normal forms of Unicode, so that what looks alike is alike; most texts are ASCII anyway.


_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Return a text with a sign for each half of a character that has lost the other one: no file
    holds those, and what is asked for with one was stored with the sign."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def nfc(text: str) -> str:
    """Return a text with its accents joined to their letters, the form in which texts are compared:
    one file system, keyboard or editor keeps them so, another apart."""
    return text if text.isascii() else unicodedata.normalize("NFC", well_formed(text))


def flat(text: str) -> str:
    """Return a text without difference of case, Unicode form and white space."""
    return " ".join(nfc(text).casefold().split())


def nfkc(text: str) -> str:
    """Return a text with letters of one meaning made one as well (ﬁ and fi, ｶ and カ)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def spellings(text: str) -> list[str]:
    """Return a path or name as it is given, then with its accents joined to their letters and
    apart, then with letters of one meaning made one, as Python reads them: file systems and
    sources keep, and people type, any of these."""
    forms = (text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC")))
    return [text] if text.isascii() else list(dict.fromkeys(forms))


# --- Decoding of bytes: UTF-8, an older encoding, or damaged.


def decode(data: bytes) -> str:
    """Return the text of a file or stream: UTF-8, or UTF-16 where a byte order mark says so, or
    what the bytes look like; nothing is refused."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return beyond_utf8(data.removeprefix(codecs.BOM_UTF8))


def beyond_utf8(data: bytes) -> str:
    """Return the text of bytes that UTF-8 cannot read as a whole: what it can read of them if that
    is most, else by latin-1, which has a character for any byte."""
    text = data.decode("utf-8", "replace")
    signs = len(text) - len(text.encode("ascii", "ignore"))
    if signs > 2 * text.count("\ufffd"):  # by one wrong byte a text is not of another encoding
        return text
    return data.decode("latin-1")


# --- Identifier parts: humps, letters before digits, and whatever parts words.

_HUMP = lazy_pattern(
    r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|[\W_]+"
)


def parts(name: str) -> list[str]:
    """Return the parts of an identifier or path as they are written: HTTPServer2 is HTTP, Server,
    2."""
    return [part for part in _HUMP.split(name) if part]


# --- Scripts without spaces: their words are looked for by pairs of characters.

# Han, Hiragana, Katakana, Bopomofo, Hangul (compounds are searched by parts), Thai, Lao, Burmese,
# Khmer.
UNSEGMENTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = lazy_pattern(f"[{UNSEGMENTED}]+")


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
    before: list[str] = []
    position = 0
    for run in _RUN.finditer(word):
        before += [word[position : run.start()], *pairs(run[0])]
        position = run.end()
    return [part for part in (*before, word[position:]) if part]


# --- Stemmer: words without their endings, so that "users" and "user" meet.
#
# The stemmer cuts one ending, the longest of a list: on commit subjects it does as well as
# Porter's (`python -m bench commits`), and takes one line. A stem is a beginning of its word.

_ENDINGS = tuple(
    "izations ization ations ation ators ator ating ated ates ate izers izer izing ized izes ize "
    "ements ement ments ment ions ion ings ing ers er ors or ables able ness ies ied ed es s e "
    "y".split()
)
# By their last letter: a word is compared with those only that it may have.
_ENDINGS_BY_LETTER = {
    letter: tuple(ending for ending in _ENDINGS if ending[-1] == letter)
    for letter in {ending[-1] for ending in _ENDINGS}
}
_SHORT_ENDING, _MIN_STEM, _MIN_STEM_BEFORE_LONG = 3, 3, 4


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return a lower-case word without its ending; short words and numbers as they are."""
    if len(word) <= _MIN_STEM or not word.isalpha():
        return word
    for ending in _ENDINGS_BY_LETTER.get(word[-1], ()):
        min_stem = _MIN_STEM if len(ending) <= _SHORT_ENDING else _MIN_STEM_BEFORE_LONG
        if word.endswith(ending) and len(word) - len(ending) >= min_stem:
            word = word if ending == "s" and word[-2] in "su" else word[: -len(ending)]
            break
    doubled = len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return word[:-1] if doubled else word


# --- Description terms: stems of a short text for comparison, identifiers in parts.

_PIECE = lazy_pattern(r"[^\W_]+")
# Fewer than word_lists.py has: these are compared with names of files too, where "other", "all"
# or "more" tell. With the long list one file in thirty less is foretold, with weights of other
# sessions (`python -m bench predict`: .67, not .70).
_STOP = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its me my not of"
    " on or our please so some that the their them then there these this to was we what when where"
    " which will with would you your let us should could".split()
)


def words_of(text: str) -> list[str]:
    """Return the stems of a text's words in order, without stop words, each as often as it is."""
    return [stem(word) for word in _telling(text)]


def by_stem(text: str) -> dict[str, str]:
    """Return the words of a text by their stems, to be shown: no stem is a word that anyone
    wrote."""
    return {stem(word): word for word in reversed(_telling(text))}


def _telling(text: str) -> list[str]:
    pieces = _PIECE.findall(nfkc(text))
    words = (word for piece in pieces for word in _lower_words(piece))
    return [word for word in words if word not in _STOP]


def _lower_words(piece: str) -> Iterable[str]:
    """Return the words of a run of letters and digits in lower case."""
    if piece.isascii():
        lower = piece.lower()
        is_plain = piece.isalpha() and piece[1:] == lower[1:]
        return (lower,) if is_plain else map(str.lower, parts(piece))
    if is_unsegmented(piece):
        return pairs(piece)
    return (part.casefold() for segment in segments(piece) for part in parts(segment))


def containing(text: str) -> str:
    """Return the pattern of SQL's `like … escape '\\'` for texts in which another one stands."""
    escaped = text.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


# C0 but tab and newline, DEL and C1 (escape sequences), direction marks (text that shows otherwise
# than it is), separators that end a line for some programs.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Return a text with everything that would act on a terminal shown as an escape."""

    def escape(match: re.Match[str]) -> str:
        code = ord(match[0])
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return UNSAFE.sub(escape, text)
