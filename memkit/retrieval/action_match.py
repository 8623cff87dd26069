"""Matching of actions to memories: which of them speak of what is about to be done.

A pattern that a memory declares goes off as a text, as a glob of paths or as the shape of a
command; without one, the names and words that action and memory share tell. A small table of
weights, learned offline, makes a chance of the evidence.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..text.analyzer import flat, is_unsegmented, nfc
from ..text.patterns import lazy_pattern
from ..text.word_lists import SOFT, STOP
from .actions import CODE_NAME, FLAG, TOKEN, Action, is_of_command, runs_of, stems

# Kinds of memories that say what to do and what not: names of `Kind`, which hooks do not load.
GUARDING = ("negative", "correction", "preference", "procedure")
# Kinds of which some may: see `may_guard`.
MAY_GUARD = (*GUARDING, "fact")
# Weights of the evidence in log-odds, as `python -m bench guard --ablations` learns them.
BASE = -5.15
WEIGHTS: Mapping[str, float] = {
    "trigger": 6.52,
    "elsewhere": -1.94,
    "names": 1.41,
    "words": 1.7,
    "first_words": 2.35,
    "covered": 2.68,
    "silent_patterns": -3.05,
    "correction": -1.45,
    "preference": -0.98,
    "procedure": -2.92,
}
# Log-odds from which a memory is about an action.
EVIDENT = 0.3
# Statements among which words are counted at least: among three, none is rare.
_FEW = 20

_SENTENCE = lazy_pattern(r"[.!?](?:\s|$)|\n")
# Folders in a sentence: "under src/sim/", not the file that is to be used instead.
_FOLDER = lazy_pattern(
    r"(?:\b(?:in|inside|under|into|unter|en)|\bor|,) `?((?:[\w.@-]+/)+[\w@-]*)(?![\w.*])", re.I
)
# What allows an exception, in the languages that notes are in.
_EXCEPTION = lazy_pattern(
    r"\b(?:only|except|unless|fine|allowed|may|nur|außer|ausnahme|salvo|excepto|solo)\b"
)
_PATH = lazy_pattern(r"(?<![\w/])[\w.@~-]*(?:/[\w.@*-]+)+/?")
# How a prohibition of everybody begins, and what it forbids up to the end of the clause: "build
# scripts must not call git" forbids it to others.
_FORBIDS = lazy_pattern(
    r"(?:^|[.!?;:,–—(]\s+|\n[-*\s]*)(?:please )?"
    r"(?:(?:we |you )?(?:must )?(?:never|not|do not|don['’]t)|avoid|no|hands off|nie|niemals|nicht|"
    r"keine?[nrsm]?|nunca|jamais) ((?:[^.,;:!?()\n]|\.(?=\w)){2,80})"
)
_CLAUSE_ENDS = lazy_pattern(
    r" (?:but|only|unless|except|instead|until|when|while|if|because|since|without|and|for|in|on|"
    r"wenn|sondern|ohne|bis|sin|sino) "
)
# What is done with any program or package.
_USES = frozenset("run call execute touch edit verwenden benutzen nutzen usar".split())
# Words of a clause that name what is forbidden.
_FORBIDDEN_WORDS = 6
# Share of the words of its first sentence by which a prohibition is met.
_COVERED = 0.6
# Short options behind one dash; with more letters it is a long one (-chdir, -name).
_SHORT = lazy_pattern(r"-[A-Za-z]{1,3}")
# Letters of a name that is a target.
_MIN_TARGET = 4
# How code uses a name: it is imported, called, or something of it is.
_CODE_USE = (
    r"^\s*(?:import|from|use|using|#include|export)\b[^\n]*(?<![\w-]){0}(?![\w-])"
    r"|\brequire\(\W*{0}\b|(?<![\w.]){0}\s*[(.](?=\S)"
)
# Subcommands of package managers that take a package in.
_INSTALLS = frozenset("install add i get require".split())


class Statement(NamedTuple):
    """What a memory says that an action may be held against.

    Attributes:
        body: text, key, tags and other wordings. kind: its kind. patterns: those it declares.
        tokens: what it names, as it is written (lower case). stems: of its words.
        first: stems of its first sentence, which says what it is about; paths are no words.
        forbidden: telling words of what each clause of a prohibition without patterns forbids: the
            command that they name is the pattern.
        places: files that such a prohibition is about: to write there is the pattern.
    """

    body: str
    kind: str
    patterns: tuple[str, ...]
    tokens: frozenset[str]
    stems: frozenset[str]
    first: frozenset[str]
    forbidden: tuple[frozenset[str], ...]
    places: frozenset[str]

    @classmethod
    def of(
        cls, body: str, kind: str, patterns: Iterable[str] = (), about: Iterable[str] = ()
    ) -> Statement:
        """Read a memory: its text and what else is looked for, and the paths that it is about. A
        fact is read as the prohibition that it is."""
        body, patterns = nfc(body), tuple(patterns)
        kind = "negative" if kind == "fact" else kind
        sentence = _first_sentence(body)
        low = body.lower()
        is_bare = kind == "negative" and not patterns
        tokens = {token.strip(".:*") for token in TOKEN.findall(low)} | set(FLAG.findall(low))
        named = (*about, *_PATH.findall(sentence))
        return cls(
            body,
            kind,
            patterns,
            frozenset(tokens),
            stems(_PATH.sub(" ", body)),
            stems(_PATH.sub(" ", sentence)),
            tuple(_forbidden(low)) if is_bare else (),
            frozenset(map(str.lower, named if is_bare else ())),
        )


def may_guard(kind: str, body: str) -> bool:
    """Whether a memory may speak against an action: by its kind, or a fact by how it begins."""
    sentence = _first_sentence(body).lower() if kind == "fact" else ""
    return kind in GUARDING or (bool(sentence) and _FORBIDS.search(sentence) is not None)


class Match(NamedTuple):
    """How far a memory speaks of an action.

    Attributes:
        log_odds: of its being about the action; EVIDENT is just enough.
        trigger: the pattern that went off, or None. shared: names and words of both.
    """

    log_odds: float
    trigger: str | None
    shared: tuple[str, ...]

    @property
    def is_evident(self) -> bool:
        """Whether the memory is to be said."""
        return self.log_odds >= EVIDENT


def matches(
    action: Action, statements: Mapping[int, Statement], count: int = 0
) -> dict[int, Match]:
    """Return how far each memory speaks of an action; none does of one that only looks.

    `count` is how many statements there are, if these are only those that share a word with it.
    """
    if action.reads:
        return {}
    evidence = Evidence(action, statements.values(), max(count, len(statements), _FEW))
    return {memory_id: evidence.match(own) for memory_id, own in statements.items()}


class Evidence:
    """What an action shares with memories, weighed by how few others share it."""

    def __init__(self, action: Action, statements: Iterable[Statement], count: int) -> None:
        self._action = action
        self._flat, self._bare = flat(action.text), flat(action.bare)
        self._runs = runs_of(action.bare) if action.runs else ()
        self._programs = {run[0].lower() for run in action.runs}
        self._letters = _letters(word for run in action.runs for word in run)
        self._count = count
        known = list(statements)
        self._stems = Counter(stem for own in known for stem in own.stems & action.words)
        self._tokens = Counter(token for own in known for token in own.tokens & action.names)

    def match(self, own: Statement) -> Match:
        """Return how far one of the memories speaks of the action."""
        features, trigger, shared = self.features(own)
        log_odds = BASE + sum(WEIGHTS[name] * value for name, value in features.items())
        return Match(log_odds, trigger, shared)

    def features(self, own: Statement) -> tuple[dict[str, float], str | None, tuple[str, ...]]:
        """Return the evidence by name, the pattern that went off, and what is shared."""
        trigger = next((p for p in own.patterns if self._goes_off(p)), None)
        is_elsewhere = trigger is not None and self._is_elsewhere(trigger, own)
        if trigger is None and (trigger := self._implied(own)) is not None:
            is_elsewhere = self._is_excepted(trigger, own.body)
        # What a memory forbids is in its patterns: without them, their words prove nothing.
        declared = stems(" ".join(own.patterns))
        names = {
            name
            for name in self._action.names & own.tokens
            if not (inside := stems(name)) or not inside <= declared
        }
        words = (self._action.words & own.stems) - declared - stems(" ".join(names))
        first = words & own.first
        shared = (*sorted(names), *sorted(words))
        if trigger is not None:
            return {"trigger": 1.0, "elsewhere": float(is_elsewhere)}, trigger, shared
        features = {
            "names": self._rarity(names, self._tokens),
            "words": self._rarity(words - first, self._stems),
            "first_words": self._rarity(first, self._stems),
            "silent_patterns": float(bool(own.patterns)),
            "covered": float(own.kind == "negative" and self._covers(own)),
        }
        if own.kind in WEIGHTS:
            features[own.kind] = 1.0
        return features, None, shared

    def _rarity(self, terms: Iterable[str], seen: Mapping[str, int]) -> float:
        """Return the sum of how rare terms are, each from 0 (in every memory) to 1."""
        whole = math.log(self._count + 1)
        return sum(max(1 - math.log(seen[term] + 0.5) / whole, 0.0) for term in terms)

    def _covers(self, own: Statement) -> bool:
        """Whether the action has most of what a prohibition forbids, or of its first sentence, and
        is not by a program that it names beside: that is what to use instead."""
        forbidden = frozenset().union(*own.forbidden)
        is_other = forbidden and not self._programs.isdisjoint(own.tokens - forbidden)
        if is_other or any(map(self._has_half, forbidden)):
            return False
        for named in (own.first, *map(_stems_of, own.forbidden)):
            met = self._action.words & named
            if len(met) > 1 and len(met) >= _COVERED * len(named):
                return True
        return False

    def _has_half(self, word: str) -> bool:
        """Whether the action has a part of a compound ("force-push") and not the other, nor an
        option that begins so."""
        if "-" not in word.strip("-"):
            return False
        met = [
            not stems(part).isdisjoint(self._action.words) or part[:1] in self._letters
            for part in word.split("-")
        ]
        return any(met) and not all(met)

    def _implied(self, own: Statement) -> str | None:
        """Return what stands for a pattern in a prohibition that declares none, if it goes off."""
        return self._place(own) or self._command(own) or self._use(own)

    def _command(self, own: Statement) -> str | None:
        """Return the command that a prohibition names: nothing but its program and words of it
        ("do not use npm", "never docker compose"), what is installed, or an option by its name."""
        if not own.forbidden or not self._action.runs:
            return None
        instead = own.tokens.difference(*own.forbidden)
        for run in self._action.runs:
            if run[0].lower() in instead:
                continue
            words = {word.lower(): word for word in run}
            for named in own.forbidden:
                is_its = run[0].lower() in named or not _INSTALLS.isdisjoint(run[1:3])
                if is_its and named <= words.keys():
                    return " ".join(word for low, word in words.items() if low in named)
        options = sorted(self._action.flags & own.tokens)
        return next((option for option in options if option.startswith("--")), None)

    def _use(self, own: Statement) -> str | None:
        """Return the name in code that a prohibition is about, if what is written calls or imports
        it."""
        if self._action.runs or not self._action.added:
            return None
        for named in own.forbidden:
            name = next(iter(named)).strip("`").removesuffix(".js") if len(named) == 1 else ""
            if len(name) >= _MIN_TARGET and re.search(
                _CODE_USE.format(re.escape(name)), self._action.added, re.I | re.M
            ):
                return name
        return None

    def _place(self, own: Statement) -> str | None:
        """Return the file that is written, if the prohibition is about it or its folder."""
        for path in self._action.written:
            low = path.lower()
            for place in own.places:
                is_folder = (
                    "." not in place.rpartition("/")[2] and f"/{place.strip('/')}/" in f"/{low}"
                )
                if low == place or low.endswith(f"/{place}") or is_folder:
                    return path
        return None

    def _goes_off(self, pattern: str) -> bool:
        """Whether a pattern goes off: as a text, as a glob of paths, or as a command's shape."""
        if _is_other_option(pattern, self._action):
            return False
        own = flat(pattern)
        text = self._bare if is_of_command(pattern) else self._flat
        # With signs in it, a pattern is no word: it may begin inside one.
        if occurs(pattern, text) or (not own.isalnum() and own and own in text):
            return True
        if "*" in pattern or "?" in pattern:
            return any(fnmatchcase(path.lower(), own) for path in self._action.paths)
        return any(_has_shape(pattern.split(), run) for run in self._runs)

    def _is_elsewhere(self, pattern: str, own: Statement) -> bool:
        """Whether the first sentence of a memory names targets or folders, and the action is about
        none of them: "no rebuild of fct_events", "nothing random under src/sim/"."""
        sentence = _first_sentence(own.body)
        return (
            self._misses_targets(pattern, sentence)
            or self._misses_folders(pattern, sentence)
            or self._is_excepted(pattern, own.body)
        )

    def _misses_targets(self, pattern: str, sentence: str) -> bool:
        low = flat(pattern).strip("-/.: ('\"")
        names = set(_targets(sentence))
        others = {name for name in names if name not in low and low not in name}
        is_operation = pattern.startswith("-") or " " in pattern.strip()
        if len(others) < len(names) and not is_operation:
            return False  # the pattern is itself what the sentence names
        parts = {part for name in others for part in stems(name)}
        return bool(others) and not any(part in self._flat for part in parts)

    def _is_excepted(self, pattern: str, body: str) -> bool:
        """Whether a memory allows what it warns of for a name that is in the action: "only the
        slo-* jobs may", "--force-with-lease is fine"."""
        low = flat(pattern)
        for sentence in _SENTENCE.split(body.lower()):
            if _EXCEPTION.search(sentence):
                names = {token.strip(".:,*/") for token in TOKEN.findall(sentence)}
                names = {n for n in names if CODE_NAME.search(n)} | set(FLAG.findall(sentence))
                names = {n for n in names if len(n) >= _MIN_TARGET and n not in low}
                if any(n in self._flat and low not in n for n in names):
                    return True
        return False

    def _misses_folders(self, pattern: str, sentence: str) -> bool:
        low = flat(pattern)
        folders = [name.lower().strip("/") for name in _FOLDER.findall(sentence)]
        folders = [name for name in folders if name not in low]
        paths = [f"/{path.lower()}/" for path in self._action.paths if "/" in path]
        if not folders or not paths:
            return False
        return not any(f"/{folder}/" in path for folder in folders for path in paths)


# -- inside


def _first_sentence(body: str) -> str:
    return _SENTENCE.split(body, maxsplit=1)[0]


def _forbidden(body: str) -> Iterator[frozenset[str]]:
    """Yield of each prohibition in a text, in lower case, the words that tell what is forbidden."""
    for clause in _FORBIDS.findall(body):
        words = _CLAUSE_ENDS.split(f"{clause} ")[0].replace("`", "").split()[:_FORBIDDEN_WORDS]
        telling = frozenset(words) - STOP - SOFT - _USES
        if named := frozenset(word for word in telling if not word.endswith("ly")):
            yield named


def _stems_of(words: Iterable[str]) -> frozenset[str]:
    return stems(" ".join(words))


def _targets(sentence: str) -> Iterator[str]:
    """Yield the names in the code that a sentence names, no folders and no abbreviations."""
    for token in TOKEN.findall(sentence):
        name = token.rpartition("://")[2].strip(".:,*")
        is_name = CODE_NAME.search(name) and "/" not in name and not name[:1].isdigit()
        if is_name and len(name) >= _MIN_TARGET and not name.replace("-", "").isupper():
            yield name.lower()


def _is_other_option(pattern: str, action: Action) -> bool:
    """Whether a pattern ends with an option that the action has only as part of a longer one."""
    last = pattern.split()[-1].lower() if pattern.split() else ""
    if not (action.runs and FLAG.fullmatch(last)) or _has_letters(last, action.flags):
        return False
    flags = {flag.lower() for flag in action.flags}
    return last not in flags and any(flag.startswith(last) for flag in flags)


def _has_shape(words: Sequence[str], run: Sequence[str]) -> bool:
    """Whether a simple command is of a pattern's shape: its program, its words in their order, its
    options anywhere; a last word may go on ("git tag v" of "git tag -a v1.2")."""
    if len(words) < 2 or run[0] != words[0]:
        return False
    rest = list(run[1:])
    for word in words[1:]:
        is_last = word is words[-1] and not word.startswith("-")
        position = next(
            (n for n, own in enumerate(rest) if own == word or (is_last and own.startswith(word))),
            None,
        )
        if position is None:
            if not _has_letters(word, rest):
                return False
            continue
        del rest[position if word.startswith("-") else slice(position + 1)]
    return True


def _has_letters(option: str, words: Iterable[str]) -> bool:
    """Whether all of an option's letters are short options among words, whether each has its dash
    (-r -f) or several share one (-rf, -fr)."""
    return _SHORT.fullmatch(option) is not None and _letters(words).issuperset(option[1:])


def _letters(words: Iterable[str]) -> set[str]:
    """Return the letters of the short options among words."""
    return {letter for word in words if _SHORT.fullmatch(word) for letter in word[1:]}


# --- Trigger patterns: texts that negative memories declare, looked for as they are written.

# Letters from which on a pattern may be the stem of a longer word.
SHORTEST_STEM = 6


def triggered(question: str, patterns: Iterable[tuple[int, Sequence[str]]]) -> dict[int, str]:
    """Return the pattern that occurs in the question for each negative memory that goes off.

    A pattern is found as it is written, signs included, whatever the case and the white space; no
    text is a regular expression. It begins where a word begins, and a short one ends where a word
    ends; a longer one may be the stem of a word ("migrat" of "migrations"). Scripts that are
    written without spaces have no such places.
    """
    text = flat(question)
    matches: dict[int, str] = {}
    for memory_id, candidates in patterns:
        for pattern in candidates:
            if occurs(pattern, text):
                matches.setdefault(memory_id, pattern)
    return matches


def occurs(pattern: str, flat_text: str) -> bool:
    """Whether a pattern occurs in a text that is `flat` already."""
    own = flat(pattern)
    return bool(own) and re.search(_bounded(own), flat_text) is not None


def _bounded(pattern: str) -> str:
    """Return the expression for a pattern between its places."""
    start = r"(?<!\w)" if _parts_words(pattern[0]) else ""
    end = r"(?!\w)" if _parts_words(pattern[-1]) and len(pattern) < SHORTEST_STEM else ""
    return f"{start}{re.escape(pattern)}{end}"


def _parts_words(letter: str) -> bool:
    return letter.isalnum() and not is_unsegmented(letter)
