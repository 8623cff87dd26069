"""Episode query: what a question asks of the tasks, errors and failed attempts on record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..episodes.error_signatures import signature, telling_line
from ..redaction import clean_text, redact
from ..store.time_ranges import TimeRange, time_ranges
from ..text.analyzer import nfkc, stem, words_of
from ..text.patterns import lazy_pattern
from ..text.word_lists import SOFT, STOP, other_forms

# Characters of a question that are read, at its two ends; clauses, and words of each.
MAX_CHARS = 8_000
MAX_CLAUSES = 12
MAX_WORDS = 24
# Lines of a pasted log that are compared with recorded errors, the last ones.
MAX_LINES = 40
# A line that is no error by its form is one by being recorded, if it has so many plain words.
MIN_PLAIN_WORDS = 3

_CLAUSE = lazy_pattern(r"[.?!;](?=\s|$)|\n+")
_WORD = lazy_pattern(r"[^\W\d_]{3,}")

# -- phrases: closed, in English, German and Spanish

_WHO = r"(?:i|we|you)"
_BY_THE_WAY = r"(?: (?:been|currently|still|just|last|actually|now))*"
# Asks for unfinished work, whatever else the clause says.
_OPEN = lazy_pattern(
    rf"\bwhat(?:'s|’s| is| was| were| are| am| have| had)?(?: {_WHO})?{_BY_THE_WAY}"
    r" (?:working on|in the middle of|in progress|under way|left to (?:do|finish)|unfinished|"
    r"still open)\b"
    rf"|\bwhat (?:do|did) {_WHO} still (?:have|need) to\b"
    r"|\bworan (?:arbeite\w*|sitze\w*|sa(?:ß|ss)\w*|war\w*) (?:ich|wir)\b"
    r"|\bwas (?:ist|war|steht) (?:(?:jetzt|gerade) )?noch (?:offen|an|zu tun)\b"
    r"|\ben qué (?:estoy|estamos|estaba|estábamos) trabajando\b|\bqué queda por hacer\b"
)
# Asks for unfinished work if it says nothing else.
_OPEN_ALONE = lazy_pattern(
    r"\b(?:open|unfinished|pending|paused|running|active|current|remaining|incomplete) "
    r"(?:tasks?|work|todos?|to-dos?)\b"
    r"|\b(?:tasks?|work)(?: that)?(?: is| are| were| was)?(?: still)? "
    r"(?:open|unfinished|pending|running|active|paused|in progress)\b"
    r"|\bwhat(?:['’]s| is| was)(?: still)? (?:open|left|pending)\b"
    r"|\bunfinished\b|\b(?:offene|unfertige|laufende) aufgaben\b"
    r"|\btareas (?:abiertas|pendientes|en curso)\b"
)
_GO_ON = (
    r"(?:\b(?:please |let['’]?s )?(?:continue|carry on|go on|keep going|resume|pick up|proceed)"
    r"(?: (?:from|again|at))* )?"
)
# Asks for the work that was done last.
_LAST = lazy_pattern(
    rf"\bwhere (?:did|had|have|were|was) {_WHO} (?:stop|stopped|leave|left|pause|get|got|at)\b"
    r"(?: off)?"
    rf"|{_GO_ON}\bwhere {_WHO}(?: have|'ve| had|'d)? (?:left|stopped|paused)\b(?: off)?"
    rf"|\bwhere (?:are|were|am|was) {_WHO}\s*$|\bwo (?:sind|waren|bin|war) (?:wir|ich)\s*$"
    rf"|\bwhat (?:did|were) {_WHO} (?:do(?:ing)?|work(?:ing)? on) "
    r"(?:(?:in |during )?(?:the |our |my )?(?:last|previous)|yesterday|before|previously)\b"
    r"(?: (?:time|session|week))?"
    r"|\bwas (?:haben|hatten|hab\w*) (?:wir|ich) (?:zuletzt|(?:das )?letzte[sn]? mal"
    r"|in der letzten (?:sitzung|session)) (?:gemacht|getan)\b"
    r"|\b(?:(?:mach\w*|weiter\w*|bitte) )*wo (?:wir|ich)\b(?: gestern| zuletzt)? "
    r"(?:aufgehört|stehen ?geblieben|unterbrochen)\b(?: haben| hatten| sind| waren)?"
    r"|\bwo (?:haben|hatten|sind|waren|hab\w*|bin|war) (?:wir|ich) "
    r"(?:aufgehört|stehen ?geblieben|unterbrochen)\b"
    r"|\b(?:(?:continúa|sigue|continuemos|sigamos)(?: por)? )?d[oó]nde "
    r"(?:lo )?(?:dejamos|dejé|nos quedamos|paramos)\b"
)
# Asks for the work of a time, if it names one and says nothing else.
_DONE = lazy_pattern(
    rf"\bwhat(?: all| else)? (?:did|have|had|was|were) {_WHO}{_BY_THE_WAY}(?: all)?"
    r" (?:do(?:ing|ne)?|(?:get|got|gotten) done|(?:achiev|accomplish|complet|finish|chang|work)"
    r"(?:ed?|ing)?(?: on)?|up to)\b"
    r"|\bwhat (?:all )?(?:was|were|got|has been|is)"
    r" (?:done|achieved|accomplished|completed|finished)\b"
    r"|\bwhat (?:has )?happened\b"
    r"|\bwas (?:hab\w*|hatte\w*) (?:ich|wir)\b(?=.*\b(?:gemacht|getan|geschafft|erledigt)\b)"
    r"|\bwas (?:ist|wurde)\b(?=.*\b(?:passiert|geschehen|gemacht|getan|geschafft|erledigt)\b)"
    r"|\b(?:gemacht|getan|geschafft|erledigt|passiert|geschehen)\b"
    r"|\bqué (?:hice|hicimos|pasó|(?:he|hemos) hecho)\b"
)
# Asks for what failed.
_ATTEMPT = lazy_pattern(
    r"\b(?:did|have|has|had) (?:i|we|you|any(?:one|body)|some(?:one|body))"
    r"(?: (?:already|ever|previously|once))*(?: try| tried| attempt(?:ed)?)\b"
    r"|\b(?:already|previously) (?:tried|attempted)\b|\btried (?:already|before)\b"
    r"|\bwhat (?:did(?:n['’]t| not)|has(?:n['’]t| not)|does(?:n['’]t| not)) work(?:ed)?\b"
    r"|\bwhat (?:has |have |had )?failed\b|\bwhat went wrong\b|\bfailed attempts?\b|\bdead ends?\b"
    rf"|\bwhy did {_WHO} (?:revert|give up|drop|abandon|roll back|undo)\b"
    r"|\b(?:schon|bereits) (?:mal |einmal )?(?:versucht|probiert|ausprobiert)\b"
    r"|\bwas (?:hat )?nicht (?:geklappt|funktioniert)\b|\bgescheitert\b"
    r"|\b(?:ya|hemos|habíamos) (?:intent\w+|prob\w+)\b|\bqué (?:no funcionó|falló)\b"
)
# Speaks of work that was done: what it names is sooner a task than a fact.
_WORK = lazy_pattern(
    rf"\b(?:tasks?|work(?:ed|ing)? on|sessions?|status of|last time|outcome|came of|progress)\b"
    rf"|\b(?:did|have|had) {_WHO}\b|\bwhen did\b|\bhow far\b|\bwhat happened\b"
    r"|\b(?:haben|hatten) wir\b|\baufgaben?\b|\bhicimos\b|\bhemos\b|\btareas?\b"
)
_ERROR = lazy_pattern(r"(?i)error|exception|traceback|\bfail|\bcrash|\bfehler|\bfallo\b|\bfix")


class Word(NamedTuple):
    """A telling word: how it is spelt, and every stem by which a text may have it."""

    word: str
    stems: frozenset[str]


class Clause(NamedTuple):
    """One sentence or line of a question, and what kind of episode it asks for.

    Attributes:
        text: as it is spelt. words: its telling words, without the phrases that say what is asked.
        is_open: asks for unfinished work. is_last: for the work done last. is_attempt: for what
            failed. is_work, is_error: speaks of work, of an error.
        time: asks for the work that was done in it.
    """

    text: str
    words: tuple[Word, ...] = ()
    is_open: bool = False
    is_last: bool = False
    is_attempt: bool = False
    is_work: bool = False
    is_error: bool = False
    time: TimeRange | None = None

    @property
    def is_of_work_alone(self) -> bool:
        """Whether it asks for work that is open, was done last or in a time."""
        return self.is_open or self.is_last or self.time is not None


class EpisodeQuery(NamedTuple):
    """A question as it is put to the episodes.

    Attributes:
        text: the question without secrets. clauses: its sentences that ask for anything.
        signature: the error that the whole text is, if it is one; is_error: by its form.
        line_signatures: those of its lines that are errors by their form, the last first.
    """

    text: str
    clauses: tuple[Clause, ...] = ()
    signature: str = ""
    is_error: bool = False
    line_signatures: tuple[str, ...] = ()

    @property
    def is_of_work_alone(self) -> bool:
        """Whether nothing is asked for but work that is open, was done last or at a time."""
        return bool(self.clauses) and all(clause.is_of_work_alone for clause in self.clauses)

    @property
    def names_nothing(self) -> bool:
        """Whether it is so, and says nothing of what the work is about."""
        return self.is_of_work_alone and not any(clause.words for clause in self.clauses)


def parse(text: str, *, now: float | None = None) -> EpisodeQuery:
    """Return what a text asks of the episodes; any text is a question. `now` is in epoch seconds;
    without it no times are read."""
    # As it is recorded, so that a prompt is known as its own task.
    read = redact(clean_text(_ends(text))).text
    telling = telling_line(read)
    whole = signature(read)
    is_error = telling is not None
    if not is_error and len(_WORD.findall(whole)) < MIN_PLAIN_WORDS:
        whole = ""
    return EpisodeQuery(
        text=read,
        clauses=tuple(_clauses(telling or read, now)),
        signature=whole,
        is_error=is_error,
        line_signatures=tuple(dict.fromkeys(_line_signatures(read))) if is_error else (),
    )


def stems_of(word: str) -> frozenset[str]:
    """Return the stems by which a text may have a word: its own, and of its other forms."""
    return twice_stemmed(map(stem, (word, *other_forms(word))))


def twice_stemmed(stems: Iterable[str]) -> frozenset[str]:
    """Return stems with their own stems: "refactoring" loses one ending, and "refactor" another."""
    once = frozenset(stems)
    return once | frozenset(map(stem, once))


# -- inside


def _ends(text: str) -> str:
    half = MAX_CHARS // 2
    return text if len(text) <= MAX_CHARS else f"{text[:half]}\n{text[-half:]}"


def _line_signatures(text: str) -> Iterator[str]:
    for line in text.splitlines()[: -MAX_LINES - 1 : -1]:
        if telling_line(line) is not None:
            yield signature(line)


def _clauses(text: str, now: float | None) -> Iterator[Clause]:
    parts = (part.strip() for part in _CLAUSE.split(text))
    for part in [part for part in parts if part][:MAX_CLAUSES]:
        clause = _of_a_time(part, now) or _clause(part)
        if clause.words or clause.is_of_work_alone or clause.is_attempt:
            yield clause


def _of_a_time(text: str, now: float | None) -> Clause | None:
    """Return a clause that asks what was done in a time and says nothing else; else None."""
    lower = nfkc(text).casefold()
    asks = _DONE.search(lower) or _LAST.search(lower)
    ranges = time_ranges(text, now=now) if asks and now is not None else ()
    if len(ranges) != 1:
        return None
    timely = {word for part in ranges[0].words for word in part.split()}
    rest = _words(_DONE.sub(" ", _LAST.sub(" ", lower)))
    if any(word.word not in timely for word in rest):
        return None
    is_last = _LAST.search(lower) is not None
    return Clause(text, is_work=True, is_last=is_last, time=ranges[0])


def _clause(text: str) -> Clause:
    lower = nfkc(text).casefold()
    rest = lower
    asks: dict[str, Any] = {}
    for name, phrase in (("is_open", _OPEN), ("is_last", _LAST), ("is_attempt", _ATTEMPT)):
        asks[name] = bool(phrase.search(rest))
        rest = phrase.sub(" ", rest)
    words = _words(text if rest == lower else rest)
    if not asks["is_open"] and _OPEN_ALONE.search(lower):
        alone = _words(_OPEN_ALONE.sub(" ", rest))
        asks["is_open"], words = (True, ()) if not alone else (False, words)
    is_work, is_error = bool(_WORK.search(lower)), bool(_ERROR.search(text))
    return Clause(text, words, is_work=is_work, is_error=is_error, **asks)


_PIECE = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")


def _words(text: str) -> tuple[Word, ...]:
    words: dict[frozenset[str], Word] = {}
    for piece in _PIECE.findall(nfkc(text)):
        if _tells_nothing(piece.casefold()):
            continue
        for part in words_of(piece):
            stems = twice_stemmed({part}) | stems_of(piece.casefold())
            words.setdefault(stems, Word(piece, stems))
    return tuple(words.values())[:MAX_WORDS]


def _tells_nothing(word: str) -> bool:
    return word in STOP or word in SOFT or word in _OF_TASKS or word in _FRAME


# Words by which tasks and errors are spoken of as such.
_OF_TASKS = frozenset(
    "task tasks job ticket issue issues error errors exception traceback problem status outcome "
    "session sessions progress yesterday today again already before attempt attempts try tried "
    "trying fix fixed fixing solve solved work worked change changed changes".split()
)
# Function words of German and Spanish questions, of which the lists of stop words know none.
_FRAME = frozenset(
    "der die das den dem ein eine einen ist war waren wurde wurden haben hatten hat wir ich uns "
    "mit und oder bei von für auf schon mal wie wer wann warum welche welcher es el la los las un "
    "una de del en con por para que qué cómo cuándo dónde hemos hicimos fue era se lo nos".split()
)
