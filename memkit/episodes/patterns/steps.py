"""Sequences of tools and of steps that come again. Pure functions of calls in their order."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..records import Execution
from ..signatures import command_of

# Longer sequences are told by shorter ones; shorter ones tell nothing.
SHORTEST, LONGEST = 3, 5
# Seen in so many tasks, a sequence is a way of working and no accident (seed 000: three co-edits).
LEAST_TASKS = 3
_SURROUNDINGS = re.compile(
    r"^\s*(?:cd\s+\S+\s*(?:&&|;)\s*|(?:[A-Z_]+=\S*\s+)+|sudo\s+|time\s+|(?:uv|poetry|pipenv|pdm)\s+run\s+"
    r"|python[\d.]*\s+-m\s+|npx\s+|(?:source|\.)\s+\S+\s*(?:&&|;)\s*)+"
)
# Tools whose second word says what is done: git commit, npm test.
_SUBCOMMANDS = frozenset(
    "git npm pnpm yarn cargo go make just docker kubectl gh uv pip poetry bun deno mvn gradle"
    " dotnet terraform helm nox tox rake bundle mix".split()
)
_WORD = re.compile(r"[\w.+-]+")
_READING = re.compile(
    r"(?i)^(?:read|open|view|cat|bat|head|tail|less|sed|nl|ls|find|rg|grep|ag|fd|glob|tree|pwd|wc|echo"
    r"|which|list\w*|search\w*|find\w*|read_\w+|todo\w*|update_plan|think|scroll\w*|goto)$"
)
_CHANGING = re.compile(
    r"(?i)^(?:edit|multiedit|write|create|insert|replace|apply_patch|write_file|str_replace\w*"
    r"|notebook_?edit|edit_file)$"
)


def step_of(call: Execution) -> str | None:
    """Return what a call is in a way of working: `edit`, or a command with what it does
    (`pytest`, `git commit`); None for what only looks."""
    command = command_of(call.parameters)
    if command is None:
        verb = str(call.parameters.get("command", "")) or call.tool
        if _READING.match(call.tool) or _READING.match(verb):
            return None
        is_change = _CHANGING.match(call.tool) or _CHANGING.match(verb)
        return "edit" if is_change else str(call.tool)
    words: list[str] = _WORD.findall(_SURROUNDINGS.sub("", command)[:200])
    if not words or _READING.match(words[0]):
        return None
    if words[0] in _SUBCOMMANDS and len(words) > 1 and not words[1].startswith("-"):
        return f"{words[0]} {words[1]}"
    return words[0]


def collapsed(names: Iterable[str | None]) -> tuple[str, ...]:
    """Return the names in order, without gaps and without repeats next to each other."""
    found: list[str] = []
    for name in names:
        if name is not None and (not found or found[-1] != name):
            found.append(name)
    return tuple(found)


def repeated(
    tasks: Mapping[str, Sequence[str]], *, most: int = 12
) -> dict[tuple[str, ...], set[str]]:
    """Return sequences that occur in several tasks, with the names of those tasks; a sequence
    inside a longer one of the same tasks is left out. The most frequent ones, at most so many."""
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, names in tasks.items():
        for length in range(SHORTEST, LONGEST + 1):
            for start in range(len(names) - length + 1):
                part = tuple(names[start : start + length])
                if len(set(part)) >= SHORTEST:  # to and fro between two is no way of working
                    found[part].add(name)
    often = {part: seen for part, seen in found.items() if len(seen) >= LEAST_TASKS}
    whole = {part: seen for part, seen in often.items() if not _is_inside(part, seen, often)}
    best = sorted(whole, key=lambda part: (-len(whole[part]), -len(part), part))[:most]
    return {part: whole[part] for part in best}


def _is_inside(
    part: tuple[str, ...], seen: set[str], others: Mapping[tuple[str, ...], set[str]]
) -> bool:
    """Whether a longer sequence holds this one, in as many tasks."""
    return any(
        len(other) > len(part) and len(others[other]) >= len(seen) and _holds(other, part)
        for other in others
    )


def _holds(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(
        whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1)
    )


def telling_words(texts: Iterable[str], *, most: int = 5) -> list[str]:
    """Return the words that occur in most of the texts, those in at least two."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({w.lower() for w in re.findall(r"[^\W\d_]{4,}", text)} - _COMMON)
    often = sorted((w for w in counts if counts[w] > 1), key=lambda word: (-counts[word], word))
    return often[:most]


_COMMON = frozenset(
    "about after again also been before change changed code does done file files find fixed from "
    "have into like look make need next only read should some that their them then there these "
    "they this update updated using want when where which while will with would your".split()
)
