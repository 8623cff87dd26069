"""What a question asks of code: words with their weight, names that it spells, where it points.

A question may be a commit's subject, an error, a sentence. What stands before its colon or in the
brackets before it ("fix(router): …", "net/http: …") names a place by wide convention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import attrs

from ..text.analyzer import stem
from ..text.word_lists import STOP, other_forms
from .wording import WORD, parts, stems, stems_of

# Read of a question; a pasted log says what it wants at its beginning.
MOST_CHARS = 4_000
MOST_WORDS = 40
MOST_NAMES = 200
# Words that say what is to be done rather than where, and what the parts of a name tell beside the
# name itself.
SOFT_WEIGHT = 0.3
PART_WEIGHT = 0.4
# The other form of a word that developers shorten ("auth", "authentication"): half of the word's
# own weight, since code mostly keeps to one of them.
OTHER_WEIGHT = 0.5
# Words that may be one name written apart ("read to string").
_LONGEST_GRAM = 4
_SHORTEST_GRAM = 5

_SOFT = frozenset(
    map(
        stem,
        "fix fixed add added remove removed update refactor use make allow support handle improve "
        "change rename move feat chore perf convert drop replace avoid prevent ensure correct "
        "simplify introduce implement enable disable set new more instead while during after "
        "before all some other missing wrong bug issue problem minor cleanup clean better".split(),
    )
)
_STOP_STEMS = frozenset(map(stem, STOP))
_PLACE = re.compile(r"\s*\w*\(([^)]{1,40})\)!?:|([^:\n]{1,40}):\s")
_QUOTED = re.compile(r"`([^`\n]{2,80})`|\"([^\"\n]{2,80})\"|'([^'\s]{2,80})'")
_CALLED = re.compile(r"([^\W\d]\w*)\(")
_MEMBER = re.compile(r"([^\W\d]\w*)(?:::|\.|->|#)([^\W\d]\w*)")


@attrs.frozen
class Wanted:
    """A question as it is looked up.

    Attributes:
        words: stem → weight, from 0 to 1; other forms of shortened words among them.
        said: stem → the word as it was written first.
        place: stems of what is named as the place.
        spelt: names written as in code, each with the forms it may have in the tree.
        grams: neighbouring words that may be one name, likewise.
        plain: the telling words as a text, for an encoder.
    """

    words: Mapping[str, float]
    said: Mapping[str, str]
    place: frozenset[str]
    spelt: Mapping[str, tuple[str, ...]]
    grams: Mapping[str, tuple[str, ...]]
    plain: str


def understand(question: str) -> Wanted:
    """Return what a question asks for; of small words alone it asks for these."""
    text = question[:MOST_CHARS]
    all_stems = list(dict.fromkeys(stems_of(text)))
    telling = [word for word in all_stems if word not in _STOP_STEMS] or all_stems
    spelt = {name: _forms(parts(name), name) for name in list(_spelt(text))[:MOST_NAMES]}
    inner = {part for name in spelt for part in stems(name) if len(stems(name)) > 1}
    words = {
        word: (SOFT_WEIGHT if word in _SOFT else 1.0) * (PART_WEIGHT if word in inner else 1.0)
        for word in telling[:MOST_WORDS]
    }
    raw = [part for word in WORD.findall(text) for part in parts(word)]
    others = {other: stem(part) for part in raw for other in other_forms(part)}
    meant = {
        stem(other): OTHER_WEIGHT * words[word] for other, word in others.items() if word in words
    }
    return Wanted(
        words=meant | words,
        said={stem(part): part for part in reversed([*raw, *others])},
        place=frozenset(_place(text)),
        spelt=spelt,
        grams=dict(list(_grams(raw))[:MOST_NAMES]),
        plain=" ".join(word for word in raw if word not in STOP),
    )


def _place(text: str) -> Iterable[str]:
    found = _PLACE.match(text)
    named = (found[1] or found[2]) if found else ""
    return (word for word in stems_of(named) if word not in _STOP_STEMS and word not in _SOFT)


def _spelt(text: str) -> Iterable[str]:
    """Yield, once each, what is written as a name in code: in humps, called, quoted, as member."""
    found = [word for word in WORD.findall(text) if len(parts(word)) > 1]
    found += _CALLED.findall(text)
    for quoted in _QUOTED.findall(text):
        found += [word for word in WORD.findall("".join(quoted)) if len(word) > 2]
    found += [name for both in _MEMBER.findall(text) for name in both]
    return dict.fromkeys(name for name in found if not name.isdigit())


def _grams(raw: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for size in range(_LONGEST_GRAM, 1, -1):
        for start in range(len(raw) - size + 1):
            run = raw[start : start + size]
            joined = "".join(run)
            if run[0] not in STOP and run[-1] not in STOP and len(joined) >= _SHORTEST_GRAM:
                yield joined, _forms(run)


def _forms(run: list[str], *written: str) -> tuple[str, ...]:
    """Return the ways in which a name of these parts is spelt in code."""
    pascal = "".join(part.capitalize() for part in run)
    snake = "_".join(run)
    camel = pascal[:1].lower() + pascal[1:]
    forms = (*written, snake, camel, pascal, snake.upper(), "".join(run), f"_{snake}", f"_{camel}")
    return tuple(dict.fromkeys(forms))
