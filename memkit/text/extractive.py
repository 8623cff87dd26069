"""Extractive summarizer: the statements of a text that say most, whole and in their order.

It never writes a word of its own and knows no language: a statement counts for the terms and the
exact tokens (names, paths, numbers) that it adds to those already chosen, so what is said twice is
taken once. Its cost grows with the length of the text.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from textwrap import dedent
from typing import NamedTuple

from .analyzer import UNSEGMENTED, nfkc, words_of
from .graphemes import boundary
from .patterns import lazy_pattern

CUT_MARK = " …"
"""Stands at the end of a statement that was too long to be kept whole."""

LONGEST = 600
"""Letters of a statement that are kept; longer ones (dumps, minified code) are cut there."""

FOCUS_SHARE = 0.6
"""Share of the budget that statements about the focus may take before all others."""

# What a new exact token is worth beside a term (about 1), and how many of them a statement is
# credited with: a row of a table of numbers is no better than a sentence with four.
_EXACT_WORTH, _NUMBER_WORTH, _MOST_EXACT = 1.6, 0.8, 4
# What multiplies the worth of a statement: an error, an open question, the first and the last.
_ERROR_FACTOR, _QUESTION_FACTOR, _EDGE_FACTOR, _EDGE_REACH = 1.6, 1.3, 0.5, 3.0
# Characters that every statement costs beside its own, so that scraps do not win by shortness.
_OVERHEAD = 40
_LONGEST_TOKEN = 200  # letters; longer ones are no names but data
_FRUITLESS = 40  # candidates in a row that do not fit before the search ends

# --- Statements: sentences of prose, lines of everything else.

# A sentence ends before white space and no small letter ("e.g. this"), in scripts without spaces
# anywhere, but not behind a single letter or number ("1. Install", "J. Smith").
_SENTENCE_END = lazy_pattern(
    rf"(?<=[.!?…؟।])(?<!\b\w\.)[\"')\]*_`»”’]*\s+(?=[^\sa-zß-ÿ])|(?<=[。！？｡])(?=[{UNSEGMENTED}\w「『])"
)
_ITEM = lazy_pattern(r"\s*(?:[-+•>#|]|\*(?![*\w])|\d{1,3}[.)]\s)")
_WRAPPED = 50  # letters of a line of prose that may go on in the next
_WIDEST = 160  # letters of a line at most at which an editor wraps
_GOES_ON = lazy_pattern(r"[a-zß-öø-ÿа-яё]")
_LINE_END = lazy_pattern(r"[.!?…:;{}()\[\]。！？]\s*$")
# What stands on one line: a word, a span of code, a link.
_UNBROKEN = lazy_pattern(r"`[^`]*`\S*|!?\[[^\]]*\](?:\([^)]*\))?\S*|\S+")
# Words of a paragraph of prose that are plain, at least, and their share.
_PLAIN_WORD = lazy_pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MIN_PLAIN, _PLAIN_SHARE = 5, 0.6
_AROUND_WORD = ".,:;!?()[]\"'`*_“”„‘’«»"
# Lines that only mark what stands below them (a fence, a note's box, a comment of HTML).
_MARK = lazy_pattern(
    r"\s*(?:(?:```|~~~).*|(?:!!!|\?\?\?\+?)\s+\w+|:{3,}\s*\w*|(?:>\s*)?\[!\w+\]|<!--.*-->)\s*"
)


_HAS_WORD = lazy_pattern(r"\w")
_LEADS = (":", "：")


class _Statement(NamedTuple):
    text: str
    gap: str  # what stood between it and the statement before


def split_statements(text: str) -> list[str]:
    """Return the statements of a text in order: sentences of prose (a wrapped line is joined to the
    one it goes on in), lines of lists, logs and code. Those without a word are left out."""
    return [statement.text for statement in _statements(text)]


def _statements(text: str) -> Iterator[_Statement]:
    for line in _lines(text):
        yield from [_Statement(line, "\n")] if "\n" in line else _sentences(line)


def _sentences(line: str) -> Iterator[_Statement]:
    start, gap = 0, "\n"
    for end in _SENTENCE_END.finditer(line):
        closing = end[0].rstrip()
        part = line[start : end.start()] + closing
        if _HAS_WORD.search(part):
            yield _Statement(part.strip(), gap)
        start, gap = end.end(), end[0][len(closing) :]
    rest = line[start:].strip()
    if _HAS_WORD.search(rest):
        yield _Statement(rest, gap)


_FENCE = lazy_pattern(r"(?ms)^[ \t]*(```+|~~~+)[^\n]*\n.*?\n[ \t]*\1[`~]*[ \t]*$")


def _lines(text: str) -> Iterator[str]:
    """Yield lines that say something: prose that was wrapped as one line, and a fenced block that
    is not too long as one, with the sentence before it, since its lines say nothing alone."""
    start = 0
    for block in _FENCE.finditer(text):
        if len(block[0]) <= LONGEST:
            *lines, before = [*_plain_lines(text[start : block.start()])] or [""]
            yield from lines
            yield from _led_block(before, dedent(block[0]))
            start = block.end()
    yield from _plain_lines(text[start:])


def _led_block(before: str, block: str) -> Iterator[str]:
    """Yield what stands before a block, but its last sentence, and the block with that."""
    *_, lead = ["", *(sentence.text for sentence in _sentences(before))]
    if not lead or len(lead) + len(block) >= LONGEST:
        yield from (text for text in (before, block) if text)
        return
    if earlier := before.removesuffix(lead).rstrip():
        yield earlier
    yield f"{lead}\n{block}"


def _plain_lines(text: str) -> Iterator[str]:
    for paragraph in _paragraphs(text):
        width = max(map(len, paragraph)) if _is_prose(paragraph) else None
        current: list[str] = []
        for number, line in enumerate(paragraph):
            if number and _continues(paragraph[number - 1], line, width):
                current.append(line)
                continue
            if current:
                yield " ".join(current)
            current = [line]
        yield " ".join(current)


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield lines that follow each other without an empty one or a mark between them."""
    current: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip() and not _MARK.fullmatch(line):
            current.append(line.strip())
        elif current:
            yield current
            current = []


def _continues(before: str, line: str, width: int | None) -> bool:
    """Whether a line of prose goes on in the next one: with a small letter, or because the next
    word had no room any more in a paragraph of lines of this width (None: it is no prose)."""
    if _ITEM.match(line) or before[0] in "#|":
        return False
    if len(before) >= _WRAPPED and _GOES_ON.match(line) and _LINE_END.search(before) is None:
        return True
    unit = _UNBROKEN.match(line)
    is_full = width is not None and unit is not None and len(before) + len(unit[0]) >= width
    return is_full and not before.endswith(_LEADS) and before.split()[0] != line.split()[0]


def _is_prose(paragraph: Sequence[str]) -> bool:
    """Whether the lines of a paragraph are of plain words above all, as an editor wraps them."""
    words = [word.strip(_AROUND_WORD) for line in paragraph for word in line.split()]
    plain = sum(_PLAIN_WORD.fullmatch(word) is not None for word in words)
    is_wrapped = len(paragraph) > 1 and _WRAPPED <= max(map(len, paragraph)) <= _WIDEST
    return is_wrapped and plain >= max(_MIN_PLAIN, _PLAIN_SHARE * len(words))


# --- Exact tokens: what a paraphrase would lose.

_TOKEN = lazy_pattern(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|[^\s,;()\[\]{}\"'<>|`=，。、；：（）「」]+")
_ASCII_RUN = lazy_pattern(r"[!-~]+")
_HUMP = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_NAME = lazy_pattern(r"[A-Za-z0-9][./_:@#~+-]+[A-Za-z0-9]|::|^[/~.]/?\w|\w/$|[A-Za-z]\d|\d[A-Za-z]")
_PLAIN_JOIN = lazy_pattern(r"[A-Za-z]+(?:-[A-Za-z]+)+")  # "well-known": a word of prose
_HAS_LETTER = lazy_pattern(r"[^\W\d_]")
_HAS_DIGIT = lazy_pattern(r"\d")


_AROUND = ".:!?*~-"  # around a token, no part of it


def exact_tokens(text: str) -> list[str]:
    """Return the distinct identifiers, paths, URLs, versions and numbers of a text in order."""
    tokens = (exact for token in _TOKEN.findall(text) for exact in _exact(token))
    return list(dict.fromkeys(tokens))


def _exact(token: str) -> list[str]:
    if len(token) > _LONGEST_TOKEN:
        return []
    runs = [token] if token.isascii() else _ASCII_RUN.findall(nfkc(token))
    bare = (run.strip(_AROUND).removesuffix("/") for run in runs)
    return [run for run in bare if run and _is_exact(run)]


def _is_exact(token: str) -> bool:
    if _HAS_DIGIT.search(token):
        return True
    if _HUMP.search(token):
        return True
    return _NAME.search(token) is not None and _PLAIN_JOIN.fullmatch(token) is None


# --- Kinds of statements that are told by their form.

_ERROR = lazy_pattern(r"(?i)(?:error|exception|panic|fatal|traceback|\bfail(?:ed|ure)?)\b")
_QUESTION = lazy_pattern(r"[?？؟]\W*$|^\W*¿")


_ERROR_PARTS = ("error", "exception", "panic", "fatal", "traceback", "fail")
_ASKING = ("?", "？", "؟", "¿")


def is_error(statement: str) -> bool:
    """Whether a statement is, or tells of, an error as programs report them."""
    # Most statements have none of these: to see that takes a fraction of the search.
    if statement.isascii() and not any(map(statement.lower().__contains__, _ERROR_PARTS)):
        return False
    return _ERROR.search(statement) is not None


def is_question(statement: str) -> bool:
    """Whether a statement asks something."""
    return any(map(statement.__contains__, _ASKING)) and _QUESTION.search(statement) is not None


# How people and models say that something was settled: forms of the verb in some languages.
_DECISION = lazy_pattern(
    r"(?i)\b(?:decid\w+|decision|agreed?|chose|chosen|settled on|switch(?:ed|ing)? (?:to|from)"
    r"|going with|go with|entschieden|beschlossen|statt|décid\w+|au lieu de|decidi\w+"
    r"|en lugar de|invece di)\b|决定|決定|決め|改用|решил\w*|вместо|결정"
)


def is_decision(statement: str) -> bool:
    """Whether a statement says that something was settled, by its words."""
    return _DECISION.search(statement) is not None


# --- Choice: greedy cover of terms and exact tokens within the budget.


def summarize(
    text: str, *, max_tokens: int, count: Callable[[str], int], focus: Collection[str] = ()
) -> str:
    """Return statements of a text, whole and in order, of at most `max_tokens` under `count`.

    A text that fits comes back as it is. `focus` names what is to be kept first. A statement that
    is too long is cut between words and marked; a budget too small for anything gives "".
    """
    if _fits(text, max_tokens, count):
        return text
    heading, body = _heading(text)
    if heading and (room := max_tokens - count(heading + "\n")) > 0:
        summary = _chosen(body, max_tokens=room, count=count, focus=focus)
        if summary and count(f"{heading}\n{summary}") <= max_tokens:
            return f"{heading}\n{summary}"
    return _chosen(text, max_tokens=max_tokens, count=count, focus=focus)


# Letters of a token of prose or code, generously: of a text that is longer only the beginning is
# counted, as long as that is too much already.
_TOKEN_LETTERS = 8


def _fits(text: str, max_tokens: int, count: Callable[[str], int]) -> bool:
    if len(text) > max_tokens * _LONGEST_TOKEN:
        return False
    end = max_tokens * _TOKEN_LETTERS
    if len(text) > end and count(text[: text.rfind("\n", 0, end) + 1]) > max_tokens:
        return False
    return count(text) <= max_tokens


def _chosen(
    text: str, *, max_tokens: int, count: Callable[[str], int], focus: Collection[str]
) -> str:
    statements = _distinct(text)
    texts = [statement.text for statement in statements]
    picks = choose(texts, max_tokens=max_tokens, count=count, focus=focus)
    picks = _without_loose_leads(texts, picks)
    while picks:
        summary = _joined(statements, picks)
        if count(summary) <= max_tokens:
            return summary
        picks = _without_loose_leads(texts, picks[:-1])
    return _shortened(texts, max_tokens, count)


def _without_loose_leads(texts: Sequence[str], picks: Sequence[int]) -> list[int]:
    """Return the choice without lines that lead to what is not chosen."""
    chosen = set(picks)
    return [
        index
        for index in picks
        if index + 1 == len(texts) or index + 1 in chosen or not texts[index].endswith(_LEADS)
    ]


_LONGEST_HEADING = 80
_LONGEST_PATH = 240  # of a path of headings


def _heading(text: str) -> tuple[str, str]:
    """Return the title that a text of several lines begins with, or "", and the rest: a short line
    that is no sentence and no item, before a long line, a block or a gap."""
    first, _, rest = text.partition("\n")
    following = rest.partition("\n")[0]
    longest = _LONGEST_PATH if " › " in first else _LONGEST_HEADING
    is_title = 0 < len(first) <= longest and _LINE_END.search(first) is None
    opens = not following.strip() or len(following) >= _WRAPPED or following.startswith("```")
    is_item = _ITEM.match(first) is not None and first[0] != "#"
    return (first, rest) if is_title and opens and not is_item and rest.strip() else ("", text)


def _distinct(text: str) -> list[_Statement]:
    """Return the statements of a text, cut where too long, each where it is said first."""
    statements = {cut(words, LONGEST): gap for words, gap in reversed([*_statements(text)])}
    return [_Statement(*item) for item in reversed(statements.items())]


def choose(
    statements: Sequence[str],
    *,
    max_tokens: int,
    count: Callable[[str], int],
    focus: Collection[str] = (),
    weights: Sequence[float] | None = None,
    floor: float = 0.0,
) -> list[int]:
    """Return the indexes of the statements that say most within `max_tokens`, each with a line
    break, best first. `weights` multiply what each is worth (default 1); what adds less than
    `floor` of what the best one says, for its length, is left out."""
    cover = _Cover(statements, weights, floor)
    picks: list[int] = []
    left = max_tokens
    about = cover.about(focus)
    if about:
        picks, left = cover.fill(about, [], int(max_tokens * FOCUS_SHARE), count)
        left += max_tokens - int(max_tokens * FOCUS_SHARE)
    taken = set(picks)
    rest = [index for index in range(len(statements)) if index not in taken]
    more, _ = cover.fill(rest, picks, left, count)
    return picks + more


def cut(statement: str, longest: int) -> str:
    """Return a statement of at most `longest` letters and a mark: cut between words where it has
    any, else between characters that people see as one."""
    if len(statement) <= longest:
        return statement
    end = boundary(statement, longest)
    space = statement.rfind(" ", longest * 2 // 3, end)
    return statement[: space if space > 0 else end].rstrip() + CUT_MARK


class _Token(NamedTuple):
    """What a token of a statement counts for."""

    terms: tuple[str, ...]
    exact: tuple[str, ...]


class _Cover:
    """Terms and exact tokens of statements, and which of them the chosen ones have."""

    def __init__(
        self, statements: Sequence[str], weights: Sequence[float] | None, floor: float
    ) -> None:
        memo = _Tokens()
        # In the order of the text, in which they are added up: no other gives the same sum always.
        self._terms: list[tuple[str, ...]] = []
        self._exact: list[tuple[str, ...]] = []
        for statement in statements:
            tokens = [memo[token] for token in _TOKEN.findall(statement)]
            self._terms.append(_once(token.terms for token in tokens))
            self._exact.append(_once(token.exact for token in tokens if token.exact))
        occurrences = Counter(chain.from_iterable(self._terms))
        size, log1p = len(statements), math.log1p
        self._rarity = {term: log1p(size / times) for term, times in occurrences.items()}
        # Terms of the text's subject come more than once, but not everywhere.
        scale = log1p(size) or 1.0
        self._worth = {
            term: log1p(times) * self._rarity[term] / scale for term, times in occurrences.items()
        }
        # One of a long series (line 1, line 2, …) tells less than one that is alone of its shape.
        # What comes often is used again: with the root of how often, summaries of 1,500 tokens hold
        # 37 more (standard error 15) of 808 names that sessions use later (bench compaction).
        often = Counter(chain.from_iterable(self._exact))
        shapes = {token: _shape(token) for exact in self._exact for token in exact}
        series = Counter(shapes.values())
        self._exact_worth = {
            token: _exact_worth(token) * math.sqrt(often[token] / series[shape])
            for token, shape in shapes.items()
        }
        self._factors = [
            _factor(text, index, size) * (weights[index] if weights else 1.0)
            for index, text in enumerate(statements)
        ]
        self._lengths = [_length(text) for text in statements]
        self._statements = statements
        self._covered: set[str] = set()
        self._floor = floor and floor * self._highest(weights)

    def _highest(self, weights: Sequence[float] | None) -> float:
        """Return what the best statement is worth for its length, whatever it weighs."""
        gains = (
            self._gain(index) / (weights[index] if weights else 1.0)
            for index in range(len(self._statements))
        )
        return max(gains, default=0.0)

    def about(self, focus: Collection[str]) -> list[int]:
        """Return the indexes of the statements that have an exact token of a focus; if none has,
        half, by rarity, of the terms of it that occur at all."""
        indexes: set[int] = set()
        for topic in focus:
            names = set(exact_tokens(topic))
            named = [index for index, own in enumerate(self._exact) if not names.isdisjoint(own)]
            if named:
                indexes.update(named)
                continue
            terms = [term for term in _once([words_of(topic)]) if term in self._rarity]
            half = sum(self._rarity[term] for term in terms) / 2
            indexes.update(
                index
                for index, own in enumerate(map(frozenset, self._terms if terms else ()))
                if sum(self._rarity[term] for term in terms if term in own) >= half
            )
        return sorted(indexes)

    def fill(
        self,
        indexes: Sequence[int],
        chosen: Sequence[int],
        budget: int,
        count: Callable[[str], int],
    ) -> tuple[list[int], int]:
        """Return the indexes taken of these, best first, and what is left of the budget."""
        candidates = [
            (-gain, index) for index in indexes if (gain := self._gain(index)) > self._floor
        ]
        heapq.heapify(candidates)
        picks: list[int] = []
        fruitless = 0
        while candidates and budget > 0 and fruitless < _FRUITLESS:
            _, index = heapq.heappop(candidates)
            gain = self._gain(index)
            if (
                candidates and gain < -candidates[0][0]
            ):  # others were chosen since: it may be worth less
                if gain > self._floor:
                    heapq.heappush(candidates, (-gain, index))
                continue
            if gain <= self._floor:
                break
            cost = count(self._statements[index] + "\n")
            if cost > budget:
                fruitless += 1
                continue
            fruitless = 0
            budget -= cost
            picks.append(index)
            self._covered.update(self._terms[index], self._exact[index])
        return picks, budget

    def _gain(self, index: int) -> float:
        terms, exact = self._terms[index], self._exact[index]
        if covered := self._covered:
            terms = tuple(term for term in terms if term not in covered)
            exact = tuple(token for token in exact if token not in covered)
        worth = sum(map(self._worth.__getitem__, terms))
        worth += sum(map(self._exact_worth.__getitem__, exact[:_MOST_EXACT]))
        return worth * self._factors[index] / self._lengths[index]


def _once(parts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return what stands in some parts in order, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(parts)))


class _Tokens(dict[str, _Token]):
    """Tokens and what they count for, each read once."""

    def __missing__(self, token: str) -> _Token:
        bare = token.strip(_AROUND)
        if (
            bare.isascii()
            and bare.isalpha()
            and bare[1:].islower()
            and len(token) <= _LONGEST_TOKEN
        ):
            known = _Token(tuple(words_of(bare)), ())  # a word of prose, as most are
        else:
            known = _Token(_token_terms(token), tuple(_exact(token)))
        self[token] = known
        return known


def _exact_worth(token: str) -> float:
    return _NUMBER_WORTH if token[0].isdigit() else _EXACT_WORTH


_SHAPE = str.maketrans("123456789", "000000000")


def _shape(token: str) -> str:
    """Return what tokens of a series have in common: worker_12 and worker_37."""
    return token.translate(_SHAPE)


def _token_terms(token: str) -> tuple[str, ...]:
    is_data = len(token) > _LONGEST_TOKEN and token.isascii()
    return () if is_data or _HAS_LETTER.search(token) is None else tuple(words_of(token))


def _length(statement: str) -> int:
    """Return what a statement costs: its bytes, and what every one costs beside them."""
    return (len(statement) if statement.isascii() else len(statement.encode())) + _OVERHEAD


def _factor(statement: str, index: int, statements: int) -> float:
    edge = min(index, statements - 1 - index)
    factor = 1 + _EDGE_FACTOR * math.exp(-edge / _EDGE_REACH)
    if is_error(statement):
        factor *= _ERROR_FACTOR
    return factor * _QUESTION_FACTOR if is_question(statement) else factor


def _joined(statements: Sequence[_Statement], picks: Sequence[int]) -> str:
    """Return the chosen statements in order: those that stood side by side on a line still do."""
    summary, before = "", -1
    for index in sorted(picks):
        gap = statements[index].gap if index == before + 1 else "\n"
        summary += (gap if summary else "") + statements[index].text
        before = index
    return summary


def _shortened(texts: Sequence[str], max_tokens: int, count: Callable[[str], int]) -> str:
    """Return the beginning of the first statement, of which not one fits whole."""
    length = max(max_tokens * 4, 1)
    while texts and length >= 1:
        shortened = cut(texts[0], length)
        if shortened != CUT_MARK and count(shortened) <= max_tokens:
            return shortened
        length //= 2
    return ""
