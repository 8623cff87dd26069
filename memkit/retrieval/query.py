"""Recall query: the terms, names, expected answer and times of a question; its filters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby, islice, pairwise
from typing import NamedTuple, TypeVar

import attrs

from .. import validation
from ..errors import InvalidInput
from ..frozen import frozen
from ..memories.identity import tag_name
from ..memories.records import Kind, Scope
from ..memories.search_document import (
    PICTURE,
    SIGNED,
    folded,
    in_letters,
    is_plain_word,
    split_words,
)
from ..store import timestamps
from ..store.time_ranges import TimeRange, present_words, time_ranges
from ..store.timestamps import MONTHS, WEEKDAYS, When
from ..text.analyzer import is_unsegmented, nfc, segments
from ..text.patterns import lazy_pattern
from ..text.word_lists import (
    SOFT,
    SOFT_WEIGHT,
    STOP,
    english_lead,
    is_negation,
    other_forms,
)
from .records import Facts, Filters, RecallFilters, Source

_WHEN = lazy_pattern(
    r"\b(when|what (date|day|month|year|time)|how long|which (year|month|day)|since when)\b"
)
_NUMBER = lazy_pattern(r"\bhow (many|much|often|old|long|big|large|fast|far)\b")
# Asks for one value, name, time or place: of one that is told of something else, nothing is told.
_FACTOID = lazy_pattern(
    r"\W*((after|at|by|for|from|in|of|on|since|to|under|until|with) )?"
    r"(how (many|much|long|often|old|big|large|fast|far|high)|which|what|what's|when|who|whom"
    r"|whose|where)\b"
)
_WHO = lazy_pattern(r"\b(who|whom|whose|where|which (city|country|place|person)|name of)\b")
_OWN = lazy_pattern(r"\b(i|my|me|we|our|us|mine)\b")
_PAST = lazy_pattern(r"\b(did|was|were|has|had)\b")
_FUTURE = lazy_pattern(r"\b(will|going to|plan|next|might|would)\b")
_SUMMARY = lazy_pattern(r"\b(summar(y|ies|i[sz]e\w*)|overview|recap\w*)\b")
_REQUEST = lazy_pattern(
    r"\b((can|could|would|will) you|help me|recommend|suggest|any (tips|ideas|advice)"
    r"|how (should|can|do|would|could|might) (i|we|you)|what should|should i"
    r"|what (would|are|is) (the |a |some |your )?(best|good|common|typical|approach\w*)"
    r"|(i'm|i am) (trying|planning|working|looking|thinking)|i (want|need) to)\b"
)
_RECALL = lazy_pattern(
    r"\b(did|have|has|had|was|were|mentioned|discussed|talked|said|told|brought up|covered"
    r"|happened|we've|i've|you've|throughout|previous(ly)?|earlier|before|remember|recall)\b"
)


class ExpectedAnswer(NamedTuple):
    """What kind of answer is asked for.

    Attributes:
        when, number, who: a time, a number, a name.
        factoid: one value, name, time or place.
        own: the asker's own. past, future: what was or will be.
        summary: much in short. request: help with something now, not what was said before.
    """

    when: bool = False
    number: bool = False
    who: bool = False
    factoid: bool = False
    own: bool = False
    past: bool = False
    future: bool = False
    summary: bool = False
    request: bool = False


def kind_of_answer(lower: str) -> ExpectedAnswer:
    """Return what kind of answer a question in lower case asks for."""
    return ExpectedAnswer(
        when=bool(_WHEN.search(lower)),
        number=bool(_NUMBER.search(lower)),
        who=bool(_WHO.search(lower)),
        factoid=bool(_FACTOID.match(lower)),
        own=bool(_OWN.search(lower)),
        past=bool(_PAST.search(lower)),
        future=bool(_FUTURE.search(lower)),
        summary=bool(_SUMMARY.search(lower)),
        request=bool(_REQUEST.search(lower)) and not _RECALL.search(lower),
    )


# Words that are looked up, as many as fit a set of bits. A pasted log of 100 kB has thousands.
MAX_TERMS = 63
# Parts of a prompt that are looked for by themselves.
MAX_CLAUSES = 8
MAX_PHRASES = 24
MAX_NAMES = 400
# Read of a very long question: its two ends, where people say what they want.
MAX_CHARS = 8_000
_LONGEST_NAME = 4
# Where a sentence ends before the next begins, and where a line does. After at most four letters
# and before a small one a full stop shortens a word ("an int. note", "max. size").
_PART_ENDS = lazy_pattern(
    r"(?<=[!?;])\s+|\s*\n\s*|(?<=[。！？；])|(?<=\.)\s+(?![a-zß-ÿ])"
    r"|(?<=\.)(?<!\b[^\W\d_]\.)(?<!\b[^\W\d_]{2}\.)(?<!\b[^\W\d_]{3}\.)(?<!\b[^\W\d_]{4}\.)\s+"
)
# Function words of more letters that stand in capitals are stressed, no names (IT, US, WHO, DoS).
LONGEST_NAME_IN_CAPITALS = 3
_STRESSED = frozenset("and or all any why how yes did has few get own too but".split())
# Parts of an identifier or path that are looked for side by side: of a run of a thousand characters
# that is one character a thousand times, each place would be compared with each.
MAX_PARTS = 12

_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_ASKED_WORD = lazy_pattern(rf"{SIGNED}|{PICTURE}|{_WORD.pattern}")
# Both begin where a word does: to begin anywhere takes the square of the time of a long one.
_COMPOUND = lazy_pattern(
    r"(?<![^\s\"'`()\[\]{}<>,;!?|])"
    r"[^\s\"'`()\[\]{}<>,;!?|]*[^\W_][._/:@#+\-\\]+[^\s\"'`()\[\]{}<>,;!?|]*"
)
_HYPHENATED = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)+[.:]?|[^\W\d_]+[.:]+")
_PATH = lazy_pattern(
    r"(?<![\w.\-/\\])[\w.\-/\\]*[\w\-]\.[A-Za-z]\w{0,5}\b|(?<![\w.\-])[\w.\-]+(?:/[\w.\-]+)+"
)


class Term(NamedTuple):
    """A word of the question.

    Attributes:
        word: lower case. match: the FTS5 expression that finds it.
        weight: what its rarity is multiplied with; frame words tell less.
        typed: what was typed for it, if that was corrected.
        exact: the name in capitals that it is, where letters of another case are another word.
        is_absent: whether it is an identifier that occurs nowhere, so that no part of it tells.
    """

    word: str
    match: str
    weight: float = 1.0
    typed: str | None = None
    exact: str | None = None
    is_absent: bool = False

    @property
    def is_for_vectors(self) -> bool:
        """Whether vectors, which know small letters only, can tell what it means."""
        return not self.is_absent and (self.exact is None or self.word not in STOP)


class Clause(NamedTuple):
    """A part of a query that asks for something by itself: a sentence, a line, a code block.

    Attributes:
        text: as written. terms: its words, as a set of bits over the query's terms.
    """

    text: str
    terms: int


@frozen
class RecallQuery:
    """A question as it is looked up.

    Attributes:
        text: NFC. now: when it is asked, in epoch seconds.
        terms: its words, in order. phrases: FTS5 expressions of neighbouring words,
            identifiers and paths. names: lower-case runs of words that may be tags or keys,
            and other forms of shortened words.
        paths: what looks like a file.
        clauses: the whole, then, of a text of several sentences or lines, its parts.
        time_ranges: what times it names. Their words are no words of the question: dates weigh
            little (the memory may spell them), "last week" nothing.
    """

    text: str
    now: float | None = None
    terms: tuple[Term, ...] = ()
    phrases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    answer_kind: ExpectedAnswer = attrs.field(factory=ExpectedAnswer)
    time_ranges: tuple[TimeRange, ...] = ()

    @property
    def names_only_a_time(self) -> bool:
        """Whether nothing but a time is asked about: "what happened last week?"."""
        return bool(self.time_ranges) and all(term.weight < 1 for term in self.terms)

    @property
    def is_single_question(self) -> bool:
        """Whether one thing is put as a question, by its mark or by how it begins, and not only
        what was at some time."""
        kind = self.answer_kind
        marked = "?" in self.text or "？" in self.text
        is_question = marked or kind.factoid or kind.when or kind.number or kind.who
        return is_question and len(self.clauses) <= 1 and not self.names_only_a_time

    def without(self, words: Collection[str]) -> RecallQuery:
        """Return the same without some of its words."""
        places = [at for at, term in enumerate(self.terms) if term.word not in words]
        if len(places) == len(self.terms):
            return self
        clauses = (
            clause._replace(terms=sum((clause.terms >> at & 1) << n for n, at in enumerate(places)))
            for clause in self.clauses
        )
        # The whole stays the first; a part of which nothing is left asks for nothing.
        return attrs.evolve(
            self,
            terms=tuple(self.terms[at] for at in places),
            clauses=tuple(clause for n, clause in enumerate(clauses) if not n or clause.terms),
        )


# Signs of another language from which on a text is taken to be in it: one function word alone may
# be a name ("slim ci manifest"), and of a log with an "os" and a "y" they are a small share.
_FOREIGN_SIGNS, _FOREIGN_SHARE = 2, 1 / 8


def is_foreign(text: str) -> bool:
    """Whether a text is in another language than English: by its function words and letters that
    English lacks, or by a script without spaces in which most of it is written."""
    letters = "" if text.isascii() else "".join(filter(str.isalpha, text))
    if 2 * sum(map(is_unsegmented, letters)) > len(letters):
        return True
    words = _WORD.findall(text)
    signs = (not letters.isascii()) - english_lead(map(_plain, words))
    return signs >= max(_FOREIGN_SIGNS, _FOREIGN_SHARE * len(words))


# Words of times that a memory may spell too.
_DATED = frozenset((*MONTHS, *WEEKDAYS))


def parse_query(text: str, *, now: float | None = None, whatever: bool = False) -> RecallQuery:
    """Return what a question asks for; of small words alone it has no terms, unless `whatever` is
    nearest is wanted: then these are looked up as they are typed.

    `now` is in epoch seconds; without it no times are read.
    """
    read = nfc(_ends(text))
    written = _ASKED_WORD.findall(read)
    words = [_plain(word) for word in written]
    exact = names_in_capitals(written)
    lower = " ".join(word for word in words if word not in exact)
    # Small words alone ask for nothing ("how are you?"), but for one that is looked up by itself.
    telling = dict.fromkeys(
        word for word in words if word not in STOP or word in exact or len(words) == 1
    )
    ranges = () if now is None else time_ranges(read, now=now)
    timely = {word for time_range in ranges for word in time_range.words}
    dates = {word for word in timely if word in _DATED or word[0].isdigit()}
    telling = {word: None for word in telling if word not in timely or word in dates}
    if len(telling) > 1:
        present = present_words(read)
        telling = {word: None for word in telling if word not in present} or telling
    if whatever and not telling:
        telling = dict.fromkeys(words)
    terms = tuple(
        term._replace(exact=exact.get(term.word))
        for term in islice(_terms(list(telling), _identifiers(read), dates), MAX_TERMS)
    )
    return RecallQuery(
        text=read,
        now=now,
        terms=terms,
        clauses=tuple(_clauses(read, terms)),
        phrases=tuple(islice(dict.fromkeys(_phrases(read, words)), MAX_PHRASES)),
        names=(*exact, *islice(dict.fromkeys(_names(words)), MAX_NAMES)),
        paths=tuple(dict.fromkeys(_PATH.findall(read)))[:MAX_PHRASES],
        answer_kind=kind_of_answer(lower),
        time_ranges=ranges,
    )


def names_in_capitals(written: Sequence[str]) -> Mapping[str, str]:
    """Return the words in capitals that full-text search takes for function words (IT, US, DoS),
    lower case → as they are written; none if all that is asked is written so."""
    long = [word for word in written if len(word) > 1 and word.isalpha()]
    if 2 * sum(map(str.isupper, long)) > len(long) > 1:
        return {}
    names = (word for word in long if word.isascii() and (word.isupper() or _is_mixed(word)))
    return {word.lower(): word for word in names if is_like_function_word(word.lower())}


def is_like_function_word(word: str) -> bool:
    """Whether a word in lower case is a short function word, or one with an s to the stemmer; not
    one that people stress (do NOT, this OR that)."""
    if len(word) > LONGEST_NAME_IN_CAPITALS or word in _STRESSED or is_negation(word):
        return False
    return word in STOP or word.removesuffix("s") in STOP


def _is_mixed(word: str) -> bool:
    """Whether a word has a small letter first or within, and a capital after it."""
    return word != word.capitalize() and not word.islower()


def quoted(words: str) -> str:
    """Return the FTS5 expression for these words next to each other, whatever they contain."""
    return '"' + words.replace('"', '""').replace("\0", " ") + '"'


def side_by_side(parts: Sequence[str]) -> str:
    """Return the FTS5 expression for the first MAX_PARTS of some parts next to each other, each
    repeat of a part once."""
    return quoted(" ".join(part for part, _ in islice(groupby(parts), MAX_PARTS)))


def any_of(matches: Sequence[str]) -> str:
    """Return the FTS5 expression for any of several expressions."""
    return " OR ".join(matches)


def _clauses(text: str, terms: Sequence[Term]) -> Iterator[Clause]:
    """Yield the whole, then its parts, those with the most words if there are many."""
    place = {term.word: 1 << at for at, term in enumerate(terms)}
    yield Clause(text, (1 << len(terms)) - 1)
    parts: dict[int, Clause] = {}
    for part in _PART_ENDS.split(text):
        words = dict.fromkeys(map(_plain, _ASKED_WORD.findall(part)))
        said = _terms([word for word in words if word not in STOP], _identifiers(part), ())
        bits = sum(place.get(term.word, 0) for term in said)
        if bits:
            parts.setdefault(bits, Clause(part.strip(), bits))
    if len(parts) > 1:
        fullest = sorted(parts, key=lambda bits: -bits.bit_count())[:MAX_CLAUSES]
        yield from (clause for bits, clause in parts.items() if bits in fullest)


def _ends(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    half = MAX_CHARS // 2
    return f"{text[:half]} {text[-half:]}"


def _plain(word: str) -> str:
    lower = word.lower().replace("’", "'")
    return lower.removesuffix("'s")


def _terms(
    words: Sequence[str], identifiers: Iterable[str], dates: Collection[str]
) -> Iterator[Term]:
    """Yield plain words as they are, runs of unsegmented script by their character pairs, and
    identifiers as phrases of their parts: whichever way they are spelt, they tell the most."""
    seen: set[str] = set()
    for parts in identifiers:
        if parts not in seen:
            seen.add(parts)
            yield Term(parts, side_by_side(parts.split(" ")))
    ordered = sorted(words, key=lambda word: word in SOFT) if len(words) > MAX_TERMS else words
    for word in ordered:
        soft = word in SOFT or word in dates or not word[0].isalnum()
        weight = SOFT_WEIGHT if soft else 1.0
        form = folded(word)
        for part in _parts(form):
            if part not in seen:
                seen.add(part)
                # As it is written too: so it stands in the text, and so vectors know it.
                other = part == form != word
                spelt = [quoted(word)] if other else []
                match = any_of([*spelt, _match(part), *map(quoted, other_forms(part))])
                yield Term(word if other else part, match, weight)


def _match(part: str) -> str:
    # A single character finds the pairs that it begins.
    alone = len(part) == 1 and is_unsegmented(part)
    return quoted(in_letters(part)) + ("*" if alone else "")


def _identifiers(text: str) -> Iterator[str]:
    """Yield the parts, in lower case, of what is spelt as a name in code: getUserName,
    get_user_name, std::move, src/app.py, v2.1; not of words that are only hyphenated."""
    for name in _COMPOUND.findall(text):
        inner = [part for word in _WORD.findall(name) for part in (*split_words(word),) or (word,)]
        if len(max(inner, key=len, default="")) > 1 < len(inner) and not _HYPHENATED.fullmatch(
            name
        ):
            yield " ".join(inner).lower()
    for word in _WORD.findall(text):
        if word.isascii() and not is_plain_word(word) and (parts := list(split_words(word))):
            yield " ".join(parts).lower()


def _parts(word: str) -> Iterator[str]:
    bare = word.rstrip("+#")
    if 1 < len(bare) < len(word):  # a letter alone tells nothing
        yield bare
    yield from segments(word)


def _phrases(text: str, words: Sequence[str]) -> Iterator[str]:
    """Yield identifiers and paths as phrases, then neighbouring telling words, but for those that
    stand inside one of these."""
    compounds = [" ".join(_WORD.findall(name)) for name in _COMPOUND.findall(text)]
    yield from (side_by_side(name.split(" ")) for name in compounds if " " in name)
    names = "".join(f" {name.lower()} " for name in compounds)
    for word in _WORD.findall(text):
        if not is_plain_word(word) and (parts := list(split_words(word))):
            yield side_by_side(parts)
    telling = [None if word in STOP or not word[0].isalnum() else word for word in words]
    for first, second in pairwise(telling):
        if first and second and f" {first} {second} " not in names:
            yield quoted(f"{first} {second}")


def _names(words: Sequence[str]) -> Iterator[str]:
    for size in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if not all(word in STOP for word in run):
                yield " ".join(run)
                yield from other_forms(run[0]) if size == 1 else ()


E = TypeVar("E", bound=StrEnum)
# By themselves: Python looks a member up in its enum each time, for ten times what comparing takes.
_SESSION, _TASK, _GLOBAL = Scope.SESSION, Scope.TASK, Scope.GLOBAL
# What a caller may give.
NAMES = (*RecallFilters.__annotations__, "session")


def filters_of(
    at: str,
    now: float,
    /,
    *,
    session: Collection[str] | str | None,
    scope: Collection[str] | str | None = None,
    project: Collection[str] | str | None = None,
    kind: Collection[str] | str | None = None,
    tags: Collection[str] | str | None = None,
    task: Collection[str] | str | None = None,
    since: When | None = None,
    until: When | None = None,
    as_of: When | None = None,
    history: bool = False,
    season: Collection[str] | str | None = None,
    **unknown: object,
) -> Filters:
    """Return the filters of a question asked from behind the wall `at`, at `now` (epoch seconds).

    Raises InvalidInput for a scope, kind, tag or time that means nothing: it is never no filter;
    and for one that is not known.
    """
    for name in unknown:
        raise InvalidInput(f"{name}: is no filter; give one of {', '.join(NAMES)}")
    first = None if since is None else timestamps.parse_when(since, now=now)
    last = None if until is None else timestamps.parse_until(until, now=now)
    if first is not None and last is not None and last < first:
        raise InvalidInput(f"until: {last} lies before since {first}; swap them")
    return Filters(
        projects=(at,) if project is None else tuple(map(nfc, _several(project, name="project"))),
        scopes=_any_of(Scope, scope, name="scope"),
        kinds=_any_of(Kind, kind, name="kind"),
        tags=tuple(tag_name(name) for name in _several(tags, name="tags")),
        sessions=_named(session, name="session"),
        tasks=_named(task, name="task"),
        since=first,
        until=last,
        as_of=None if as_of is None else timestamps.parse_when(as_of, now=now, name="as_of"),
        history=validation.boolean(history, name="history"),
        seasons=_named(season, name="season"),
    )


def sources_of(
    choice: Collection[Source | str] | str | None, filters: Filters
) -> frozenset[Source]:
    """Return where to look, all there is for None; raises InvalidInput for a source that is none,
    and for a filter that only memories have where these are left out."""
    if choice is None:
        return frozenset(Source)
    sources = frozenset(_any_of(Source, choice, name="sources"))
    if Source.MEMORIES not in sources:
        for name, values in (
            ("kind", filters.kinds),
            ("tags", filters.tags),
            ("scope", filters.scopes),
        ):
            if values:
                raise InvalidInput(f"{name}: only memories have it; leave it out, or add memories")
    return sources


def _any_of(enum: type[E], values: Collection[str] | str | None, *, name: str) -> tuple[E, ...]:
    return tuple(validation.member(enum, value, name=name) for value in _several(values, name=name))


def _several(values: Collection[str] | str | None, *, name: str) -> tuple[str, ...]:
    """Return the texts that are asked for; raises InvalidInput for an empty list: it would mean
    nothing to one reader and everything to another."""
    texts = () if values is None else validation.texts(values, name=name)
    if values is not None and not texts:
        raise InvalidInput(f"{name}: the list is empty; name one, or leave it out")
    return texts


def _named(values: Collection[str] | str | None, *, name: str) -> tuple[str, ...]:
    return tuple(validation.named(value, name=name) for value in _several(values, name=name))


def excluded_at(facts: Facts, filters: Filters, *, now: str) -> str | None:
    """Return the stage that keeps a memory from being shown, or None if it may be shown.

    `now` is stored text; tags are checked where they are known, by the caller's candidate list.
    """
    return (
        _walls(facts, filters)
        or _choices(facts, filters)
        or (None if filters.history else _state(facts, filters, now))
    )


def _walls(facts: Facts, filters: Filters) -> str | None:
    """Projects, sessions and tasks are hard walls; what is global is visible everywhere."""
    projects = filters.projects
    if projects and facts.project not in projects and facts.scope != _GLOBAL:
        return "project"
    if facts.scope == _SESSION and facts.session not in filters.sessions:
        return "session"
    if facts.scope == _TASK and facts.task not in filters.tasks:
        return "task"
    return None


def _choices(facts: Facts, filters: Filters) -> str | None:
    if filters.scopes and facts.scope not in filters.scopes:
        return "scope"
    if filters.kinds and facts.kind not in filters.kinds:
        return "kind"
    if filters.since is not None and facts.created_at < filters.since:
        return "time"
    if filters.until is not None and facts.created_at > filters.until:
        return "time"
    return None


def _state(facts: Facts, filters: Filters, now: str) -> str | None:
    as_of = filters.as_of
    if as_of is None:
        if facts.superseded_by is not None:
            return "superseded"
        if not facts.active:
            return "forgotten"
    elif facts.created_at > as_of or (not facts.active and facts.superseded_by is None):
        return "history"
    moment = as_of or now
    if facts.valid_to is not None and facts.valid_to <= (filters.held_from or moment):
        return "expired"
    if facts.valid_from is not None and facts.valid_from > moment:
        return "expired"
    return None
