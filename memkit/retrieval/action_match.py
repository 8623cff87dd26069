"""Actions as queries: what a command line or an edit does, and which memories speak of that.

An agent asks before it acts, with the command or with the path and the new text. Such a query is no
question: most of its words are arguments, and what matters is the program with its subcommand,
the flags, the paths and the names in the code.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import dropwhile

import attrs

from ..memories.records import Kind
from ..text.analyzer import nfc, stem
from ..text.patterns import lazy_pattern
from ..text.word_lists import STOP
from .ranker import RankedMemory
from .selection import raised

# Kinds of memories that say what to do and what not.
GUARDING = (Kind.NEGATIVE, Kind.CORRECTION, Kind.PREFERENCE, Kind.PROCEDURE)
# Read of a long edit.
MAX_CHARS = 20_000
# Worth of the parts of an action that a memory names, each times its rarity from 0 to 1.
PAIR, FLAG, PATH, FILE, NAME, WORD, SEGMENT = 1.0, 1.2, 2.5, 2.0, 1.5, 1.0, 0.5
# What having met all words of a memory adds.
COVERED = 1.5
# Evidence from which a memory is about an action.
EVIDENT = 2.4
# How much more of it a memory needs that is no prohibition, or that declares its patterns.
OTHER_KINDS, DECLARED = 2.2, 2.0

# Programs whose name alone tells that a line is a command; any other needs a flag or an operator.
_PROGRAMS = frozenset(
    "alembic ansible aws az brew bun bundle cargo cmake composer conda curl dbt deno docker gcloud "
    "gem gh git go gradle helm kubectl make mvn mypy ninja node npm npx pip pip3 pipx pnpm poetry "
    "psql pytest python python3 rsync ruff rustup scp sed ssh sudo systemctl terraform tofu tox "
    "twine uv uvx yarn".split()
)
# Programs that run the command after them.
_WRAPPERS = frozenset("sudo env nohup time exec xargs npx uvx nice".split())
# Programs and subcommands that look and change nothing.
_READERS = frozenset(
    "awk cat cd cut diff du echo false file find grep head help jq less ls man more pwd rg sort "
    "stat tail tree true type uniq wc which".split()
)
_READING = frozenset(
    "blame describe diff fetch get history info list log logs ls plan ps show status top version "
    "view".split()
)
_READING_FLAGS = frozenset({"--help", "--version", "--list", "-l", "--dry-run", "--check"})

_OPERATOR = lazy_pattern(r"(?<!\S)(?:&&|\|\|?|;|&|>>?|2>&1)(?!\S)|;(?=\s|$)|\n")
_ASSIGNED = lazy_pattern(r"[A-Z_][A-Z\d_]*=\S*")
_SIGNS = lazy_pattern(r"\s(?:&&|;|&|>>?|2>&1)(?:\s|$)|(?<!\S)\.{1,2}/|\$\w")
_FLAG = lazy_pattern(r"(?<![\w-])--?[A-Za-z][\w-]*")
_PROGRAM = lazy_pattern(r"[a-z~./_][\w./+-]*|[A-Z]\w*_\w+")
_PATH = lazy_pattern(r"[\w.@~()\[\]-]*(?:/[\w.@()\[\]*-]+)+/?|[\w-]+\.[A-Za-z]\w{0,5}")
_TOKEN = lazy_pattern(r"[\w$][\w$.:/@*-]*[\w*$]|\w")
_CODE_NAME = lazy_pattern(r"[a-z][A-Z]|[_\d/:@.-]|[A-Z]{2}")
# What allows an exception, in the languages that notes are in.
_EXCEPTION = lazy_pattern(
    r"\b(?:only|except|unless|fine|allowed|may|nur|außer|ausnahme|salvo|excepto|solo)\b"
)
_SENTENCE = lazy_pattern(r"[.!?](?:\s|$)|\n")
_WORDS = lazy_pattern(r"[^\W_]+")


@attrs.frozen
class Action:
    """What is about to be done.

    Attributes:
        text: as it is given. paths: what is written, or named as an argument. flags: options.
        pairs: program and subcommand. names: identifiers. words: plain arguments, stemmed.
        reads: whether all of it only looks.
        is_certain: whether it can be nothing else; "docker ports" may be a question.
    """

    text: str
    paths: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    pairs: tuple[tuple[str, str], ...] = ()
    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    reads: bool = False
    is_certain: bool = True


def action_of(text: str) -> Action | None:
    """Return the action that a query describes, or None for a question."""
    read = nfc(text.strip()[:MAX_CHARS])
    first, _, rest = read.partition("\n")
    if rest.strip() and _PATH.fullmatch(first.strip()):
        return _edit(text, first.strip(), rest)
    certain = _command_certainty(first)
    return None if certain is None else _command(text, read, is_certain=certain)


def _command_certainty(line: str) -> bool | None:
    """Return whether a line can be nothing but a command; None for one that is none."""
    words_given = line.split()
    words = list(dropwhile(lambda word: _ASSIGNED.match(word) or word in _WRAPPERS, words_given))
    if not words or not _PROGRAM.fullmatch(words[0]) or line.rstrip().endswith("?"):
        return None
    is_set = len(words) < len(words_given)
    signs = is_set or bool(_FLAG.search(line) or _SIGNS.search(line))
    if words[0] in _PROGRAMS:
        plain = [word for word in words[1:] if word.isalpha() and word.islower()]
        is_short = not plain or (plain[0] not in STOP and len(plain) < _MAX_PLAIN)
        return True if signs else (False if is_short else None)
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", line).split()
    has_small = any(word in STOP and word not in _READERS for word in outside[1:])
    is_reader = words[0] in _READERS and not has_small and "/" in line
    return True if (signs or is_reader) and not has_small else None


# Plain words that a command of a known program has without any flag or operator.
_MAX_PLAIN = 4


def _edit(text: str, path: str, code: str) -> Action:
    names = {token for token in _TOKEN.findall(code) if _CODE_NAME.search(token)}
    names |= {part for name in names for part in _TOKEN.findall(re.sub(r"[.:/]", " ", name))}
    return Action(
        text,
        paths=(path,),
        flags=frozenset(_FLAG.findall(code)),
        names=frozenset(name.lower() for name in names if len(name) > 2 and not name.isdigit()),
        words=frozenset(map(stem, (w.lower() for w in _WORDS.findall(code) if len(w) > 2))),
    )


def _command(text: str, line: str, *, is_certain: bool) -> Action:
    parts = [_argv(part) for part in _OPERATOR.split(line)]
    runs = [argv for argv in parts if argv]
    flat = [word for argv in runs for word in argv]
    plain = [word for word in flat if not word.startswith("-")]
    tokens = {token for word in flat for token in _TOKEN.findall(word)}
    return Action(
        text,
        paths=tuple(dict.fromkeys(path for word in plain for path in _PATH.findall(word))),
        flags=frozenset(flag for word in flat for flag in _FLAG.findall(word)),
        pairs=tuple(pair for argv in runs for pair in _pairs(argv)),
        names=frozenset(t.lower() for t in tokens if _CODE_NAME.search(t) and len(t) > 2),
        words=frozenset(stem(w.lower()) for word in plain[1:] for w in _WORDS.findall(word)),
        reads=bool(runs) and all(map(_reads, runs)),
        is_certain=is_certain,
    )


def _argv(part: str) -> list[str]:
    """Return the words of one command, without what is set for it and what only runs it."""
    try:
        words = shlex.split(part)
    except ValueError:
        words = part.split()
    while words and words[0] in _WRAPPERS:
        words = words[1:]
    return words


def _pairs(argv: Sequence[str]) -> list[tuple[str, str]]:
    """Return the program with each of the two plain words after it."""
    words = [word for word in argv if not word.startswith("-") and not _ASSIGNED.fullmatch(word)]
    program = words[0].rpartition("/")[2].lower() if words else ""
    return [(program, word.lower()) for word in words[1:3] if word.isascii()]


def _reads(argv: Sequence[str]) -> bool:
    words = [word for word in argv if not _ASSIGNED.fullmatch(word)]
    if not words:
        return True
    program = words[0].rpartition("/")[2]
    if program in _READERS:
        return True
    plain = [word for word in words[1:] if not word.startswith("-")]
    return not _READING_FLAGS.isdisjoint(words) or not _READING.isdisjoint(plain[:3])


@attrs.frozen
class StatementWords:
    """What a memory names: tokens as they are written (lower case), stems of its words."""

    text: str
    tokens: frozenset[str]
    stems: frozenset[str]

    @classmethod
    def of(cls, body: str) -> StatementWords:
        """Read the text of a memory."""
        low = nfc(body).lower()
        tokens = {token.strip(".:*") for token in _TOKEN.findall(low)} | set(_FLAG.findall(low))
        words = [word for word in _WORDS.findall(low) if word not in STOP]
        return cls(low, frozenset(tokens), frozenset(map(stem, words)))


def evidence(
    action: Action, bodies: Mapping[int, str], about: Mapping[int, Sequence[str]]
) -> dict[int, float]:
    """Return how much of an action each memory names, weighed by how few others name it.

    `bodies` are the texts by id, `about` the paths that memories are about.
    """
    said = {memory_id: StatementWords.of(body) for memory_id, body in bodies.items()}
    count = max(len(said), 20)
    stems = Counter(word for statement in said.values() for word in statement.stems)
    tokens = Counter(word for statement in said.values() for word in statement.tokens)

    def rarity(seen: int) -> float:
        return max(math.log((count + 1) / (seen + 0.5)) / math.log(count + 1), 0.0)

    def weighed(worth: float, shared: Iterable[str], seen: Mapping[str, int]) -> float:
        return sum(worth * rarity(seen[word]) for word in shared)

    scores: dict[int, float] = {}
    for memory_id, statement in said.items():
        flags = {flag for flag in action.flags if len(flag) > 2} & statement.tokens
        names = action.names & statement.tokens
        shown = {stem(word) for name in names for word in _WORDS.findall(name)}
        words = (action.words & statement.stems) - shown if action.pairs else frozenset()
        total = weighed(FLAG, flags, tokens) + weighed(NAME, names, tokens)
        total += weighed(WORD, words, stems) + _pair(action, statement)
        total += _path(action, statement, about.get(memory_id, ()))
        if len(words) > 1:  # a short prohibition is met by two words, a long one by more
            total += COVERED * len(words) / len(statement.stems)
        scores[memory_id] = total
    return scores


def needed(kind: str, *, is_declared: bool) -> float:
    """Return the evidence that a memory of a kind needs: more if it is no prohibition, and if it
    declares by patterns what it is about, none of which went off."""
    plain = kind in (Kind.NEGATIVE, Kind.CORRECTION)
    return EVIDENT * (1.0 if plain else OTHER_KINDS) * (DECLARED if is_declared else 1.0)


def warned(candidate: RankedMemory, share: float) -> RankedMemory:
    """Return a memory raised by the part `action`; evidence of share 1 is just enough."""
    return raised(candidate.with_part("action", 0.0), "action", to=min(share, 1.8) / 2)


def triggers_that_hold(
    action: Action, patterns: Mapping[int, str], bodies: Mapping[int, str]
) -> dict[int, str]:
    """Return the patterns that go off by an action: none where it only looks, none by the beginning
    of a longer option, and none where the memory speaks of another target."""
    if action.reads and action.is_certain:
        return {}
    return {
        memory_id: pattern
        for memory_id, pattern in patterns.items()
        if not _is_other_option(pattern, action)
        and _meets(pattern, action, bodies.get(memory_id, ""))
        and not _is_excepted(pattern, action, bodies.get(memory_id, ""))
    }


def _is_other_option(pattern: str, action: Action) -> bool:
    """Whether a pattern ends with an option that the action has only as part of a longer one."""
    last = pattern.split()[-1].lower() if pattern.split() else ""
    if not (action.pairs and _FLAG.fullmatch(last)):
        return False
    flags = {flag.lower() for flag in action.flags}
    return last not in flags and any(flag.startswith(last) for flag in flags)


def _meets(pattern: str, action: Action, body: str) -> bool:
    """Whether a warning about certain targets is about one of the action's.

    A pattern that is an operation ("rollout restart", "--full-refresh") goes off for any target;
    where the first sentence of the memory names some in code, one of them must be there.
    """
    first = _SENTENCE.split(body, maxsplit=1)[0].lower()
    low, act = pattern.lower().strip(" ('\""), action.text.lower()
    names = {token.strip(".:,*/") for token in _TOKEN.findall(first) if _CODE_NAME.search(token)}
    names = {name for name in names if len(name) > 3 and not name[0].isdigit()}
    if any(low.strip("-/.: ") in name or name in low for name in names):
        names = {n for n in names if n not in low and low.strip("-/.: ") not in n}
        if not (low.startswith("-") or " " in low):
            return True
    shown = {part for name in names for part in _WORDS.findall(name.replace("_", " "))}
    return not names or any(part in act for part in shown if len(part) > 2)


def _is_excepted(pattern: str, action: Action, body: str) -> bool:
    """Whether a memory allows what it warns of for a name that is in the action: "only the slo-*
    jobs may", "--force-with-lease is fine"."""
    act, low = action.text.lower(), pattern.lower()
    for sentence in _SENTENCE.split(body.lower()):
        if _EXCEPTION.search(sentence):
            names = {token.strip(".:,*/") for token in _TOKEN.findall(sentence)}
            names = {n for n in names if _CODE_NAME.search(n)} | set(_FLAG.findall(sentence))
            if any(len(n) > 3 and n in act and n not in low and low not in n for n in names):
                return True
    return False


def _pair(action: Action, statement: StatementWords) -> float:
    return PAIR * any(f"{first} {second}" in statement.text for first, second in action.pairs)


def _path(action: Action, statement: StatementWords, about: Sequence[str]) -> float:
    """Return what the paths of an action are worth: being about one, naming one or its file."""
    worth = 0.0
    for path in action.paths:
        low, name = path.lower(), path.lower().rpartition("/")[2]
        if path in about or low in statement.text:
            worth = max(worth, PATH)
        elif "." in name and name in statement.tokens:
            worth = max(worth, FILE)
        elif any(
            token.count("/") and low.startswith(token.rstrip("/*")) for token in statement.tokens
        ):
            worth = max(worth, NAME)
    return worth
