"""Extractive summarizer: the statements of a text that say most, whole and in their order.

It never writes a word of its own and knows no language: a statement counts for the terms and the
exact tokens (names, paths, numbers) that it adds to those already chosen, so what is said twice is
taken once. Its cost grows with the length of the text.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
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
_ITEM = lazy_pattern(r"\s*(?:[-*+•>#|]|\d{1,3}[.)]\s)")
_WRAPPED = 50  # letters of a line of prose that may go on in the next
_GOES_ON = lazy_pattern(r"[a-zß-öø-ÿа-яё]")
_LINE_END = lazy_pattern(r"[.!?…:;{}()\[\]。！？]\s*$")


_HAS_WORD = lazy_pattern(r"\w")


class _Statement(NamedTuple):
    text: str
    gap: str  # what stood between it and the statement before


def split_statements(text: str) -> list[str]:
    """Return the statements of a text in order: sentences of prose (a wrapped line is joined to the
    one it goes on in), lines of lists, logs and code. Those without a word are left out."""
    return [statement.text for statement in _statements(text)]


def _statements(text: str) -> Iterator[_Statement]:
    for line in _lines(text):
        if "\n" in line:
            yield _Statement(line, "\n")
            continue
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


_FENCE = lazy_pattern(r"(?ms)^ {0,3}(```+|~~~+)[^\n]*\n.*?\n {0,3}\1[`~]*[ \t]*$")


def _lines(text: str) -> Iterator[str]:
    """Yield lines that say something: prose that was wrapped as one line, and a fenced block that
    is not too long as one, since its lines say nothing alone."""
    start = 0
    for block in _FENCE.finditer(text):
        if len(block[0]) <= LONGEST:
            yield from _plain_lines(text[start : block.start()])
            yield block[0]
            start = block.end()
    yield from _plain_lines(text[start:])


def _plain_lines(text: str) -> Iterator[str]:
    current: list[str] = []
    for line in text.splitlines():
        if current and _continues(current[-1], line):
            current.append(line.strip())
            continue
        if current:
            yield " ".join(current)
        current = [line.strip()] if line.strip() else []
    if current:
        yield " ".join(current)


def _continues(before: str, line: str) -> bool:
    return (
        len(before) >= _WRAPPED
        and _GOES_ON.match(line.lstrip()) is not None
        and _LINE_END.search(before) is None
        and _ITEM.match(line) is None
    )


# --- Exact tokens: what a paraphrase would lose.

_TOKEN = lazy_pattern(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|[^\s,;()\[\]{}\"'<>|`=，。、；：（）「」]+")
_ASCII_RUN = lazy_pattern(r"[!-~]+")
_HUMP = lazy_pattern(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_NAME = lazy_pattern(r"[A-Za-z0-9][./_:@#~+-]+[A-Za-z0-9]|::|^[/~.]/?\w|\w/$|[A-Za-z]\d|\d[A-Za-z]")
_PLAIN_JOIN = lazy_pattern(r"[A-Za-z]+(?:-[A-Za-z]+)+")  # "well-known": a word of prose
_HAS_LETTER = lazy_pattern(r"[^\W\d_]")
_HAS_DIGIT = lazy_pattern(r"\d")


def exact_tokens(text: str) -> list[str]:
    """Return the distinct identifiers, paths, URLs, versions and numbers of a text in order."""
    tokens = (exact for token in _TOKEN.findall(text) for exact in _exact(token))
    return list(dict.fromkeys(tokens))


def _exact(token: str) -> list[str]:
    if len(token) > _LONGEST_TOKEN:
        return []
    runs = [token] if token.isascii() else _ASCII_RUN.findall(nfkc(token))
    bare = (run.strip(".:!?*~-").removesuffix("/") for run in runs)
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


def is_error(statement: str) -> bool:
    """Whether a statement is, or tells of, an error as programs report them."""
    return _ERROR.search(statement) is not None


def is_question(statement: str) -> bool:
    """Whether a statement asks something."""
    return _QUESTION.search(statement) is not None


# --- Choice: greedy cover of terms and exact tokens within the budget.


def summarize(
    text: str, *, max_tokens: int, count: Callable[[str], int], focus: Collection[str] = ()
) -> str:
    """Return statements of a text, whole and in order, of at most `max_tokens` under `count`.

    A text that fits comes back as it is. `focus` names what is to be kept first. A statement that
    is too long is cut between words and marked; a budget too small for anything gives "".
    """
    if len(text) <= max_tokens * _LONGEST_TOKEN and count(text) <= max_tokens:
        return text
    heading, body = _heading(text)
    if heading and (room := max_tokens - count(heading + "\n")) > 0:
        summary = _chosen(body, max_tokens=room, count=count, focus=focus)
        if summary and count(f"{heading}\n{summary}") <= max_tokens:
            return f"{heading}\n{summary}"
    return _chosen(text, max_tokens=max_tokens, count=count, focus=focus)


def _chosen(
    text: str, *, max_tokens: int, count: Callable[[str], int], focus: Collection[str]
) -> str:
    statements = _distinct(text)
    texts = [statement.text for statement in statements]
    picks = choose(texts, max_tokens=max_tokens, count=count, focus=focus)
    while picks:
        summary = _joined(statements, picks)
        if count(summary) <= max_tokens:
            return summary
        picks.pop()
    return _shortened(texts, max_tokens, count)


_LONGEST_HEADING = 80


def _heading(text: str) -> tuple[str, str]:
    """Return the title that a text of several lines begins with, or "", and the rest: a short line
    that is no sentence and no item, before a long line, a block or a gap."""
    first, _, rest = text.partition("\n")
    following = rest.partition("\n")[0]
    is_title = 0 < len(first) <= _LONGEST_HEADING and _LINE_END.search(first) is None
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
    """Return the places of the statements that say most within `max_tokens`, each with a line
    break, best first. `weights` multiply what each is worth (default 1); what adds less than
    `floor` of what the best one says, for its length, is left out."""
    cover = _Cover(statements, weights, floor)
    picks: list[int] = []
    left = max_tokens
    about = cover.about(focus)
    if about:
        picks, left = cover.fill(about, [], int(max_tokens * FOCUS_SHARE), count)
        left += max_tokens - int(max_tokens * FOCUS_SHARE)
    rest = [place for place in range(len(statements)) if place not in set(picks)]
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


class _Cover:
    """Terms and exact tokens of statements, and which of them the chosen ones have."""

    def __init__(
        self, statements: Sequence[str], weights: Sequence[float] | None, floor: float
    ) -> None:
        memo: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._terms: list[frozenset[str]] = []
        self._exact: list[tuple[str, ...]] = []
        for statement in statements:
            terms: set[str] = set()
            exact: dict[str, None] = {}
            for token in _TOKEN.findall(statement):
                if token not in memo:
                    memo[token] = _token_terms(token), tuple(_exact(token))
                terms.update(memo[token][0])
                exact.update(dict.fromkeys(memo[token][1]))
            self._terms.append(frozenset(terms))
            self._exact.append(tuple(exact))
        occurrences = Counter(term for terms in self._terms for term in terms)
        self._rarity = {
            term: math.log1p(len(statements) / times) for term, times in occurrences.items()
        }
        # Terms of the text's subject come more than once, but not everywhere.
        scale = math.log1p(len(statements)) or 1.0
        self._worth = {
            term: math.log1p(times) * self._rarity[term] / scale
            for term, times in occurrences.items()
        }
        # One of a long series (line 1, line 2, …) tells less than one that is alone of its shape.
        series = Counter(map(_shape, {token for exact in self._exact for token in exact}))
        self._exact_worth = {
            token: _exact_worth(token) / math.sqrt(series[_shape(token)])
            for exact in self._exact
            for token in exact
        }
        self._statements = statements
        self._factors = [
            _factor(text, place, len(statements)) * (weights[place] if weights else 1.0)
            for place, text in enumerate(statements)
        ]
        self._covered: set[str] = set()
        self._floor = floor and floor * self._highest(weights)

    def _highest(self, weights: Sequence[float] | None) -> float:
        """Return what the best statement is worth for its length, whatever it weighs."""
        gains = (
            self._gain(place) / (weights[place] if weights else 1.0)
            for place in range(len(self._statements))
        )
        return max(gains, default=0.0)

    def about(self, focus: Collection[str]) -> list[int]:
        """Return the places of the statements that have an exact token of a focus; if none has,
        half, by rarity, of the terms of it that occur at all."""
        places: set[int] = set()
        for topic in focus:
            names = set(exact_tokens(topic))
            named = [place for place, own in enumerate(self._exact) if not names.isdisjoint(own)]
            if named:
                places.update(named)
                continue
            topic_terms = {term for term in words_of(topic) if term in self._rarity}
            half = sum(self._rarity[term] for term in topic_terms) / 2
            places.update(
                place
                for place, terms in enumerate(self._terms)
                if topic_terms and sum(self._rarity[term] for term in topic_terms & terms) >= half
            )
        return sorted(places)

    def fill(
        self, places: Sequence[int], chosen: Sequence[int], budget: int, count: Callable[[str], int]
    ) -> tuple[list[int], int]:
        """Return the places taken of these, best first, and what is left of the budget."""
        candidates = [
            (-gain, place) for place in places if (gain := self._gain(place)) > self._floor
        ]
        heapq.heapify(candidates)
        picks: list[int] = []
        fruitless = 0
        while candidates and budget > 0 and fruitless < _FRUITLESS:
            _, place = heapq.heappop(candidates)
            gain = self._gain(place)
            if (
                candidates and gain < -candidates[0][0]
            ):  # others were chosen since: it may be worth less
                if gain > self._floor:
                    heapq.heappush(candidates, (-gain, place))
                continue
            if gain <= self._floor:
                break
            cost = count(self._statements[place] + "\n")
            if cost > budget:
                fruitless += 1
                continue
            fruitless = 0
            budget -= cost
            picks.append(place)
            self._covered |= self._terms[place]
            self._covered.update(self._exact[place])
        return picks, budget

    def _gain(self, place: int) -> float:
        worth = sum(self._worth[term] for term in self._terms[place] - self._covered)
        exact = [token for token in self._exact[place] if token not in self._covered]
        worth += sum(self._exact_worth[token] for token in exact[:_MOST_EXACT])
        return worth * self._factors[place] / (len(self._statements[place].encode()) + _OVERHEAD)


def _exact_worth(token: str) -> float:
    return _NUMBER_WORTH if token[0].isdigit() else _EXACT_WORTH


_SHAPE = str.maketrans("123456789", "000000000")


def _shape(token: str) -> str:
    """Return what tokens of a series have in common: worker_12 and worker_37."""
    return token.translate(_SHAPE)


def _token_terms(token: str) -> tuple[str, ...]:
    is_data = len(token) > _LONGEST_TOKEN and token.isascii()
    return () if is_data or _HAS_LETTER.search(token) is None else tuple(words_of(token))


def _factor(statement: str, place: int, statements: int) -> float:
    edge = min(place, statements - 1 - place)
    factor = 1 + _EDGE_FACTOR * math.exp(-edge / _EDGE_REACH)
    if is_error(statement):
        factor *= _ERROR_FACTOR
    return factor * _QUESTION_FACTOR if is_question(statement) else factor


def _joined(statements: Sequence[_Statement], picks: Sequence[int]) -> str:
    """Return the chosen statements in order: those that stood side by side on a line still do."""
    summary, before = "", -1
    for place in sorted(picks):
        gap = statements[place].gap if place == before + 1 else "\n"
        summary += (gap if summary else "") + statements[place].text
        before = place
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
