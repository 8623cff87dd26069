"""Code patterns: shapes that functions of a code base repeat, as templates.

A shape is what the syntax tree says of a function whatever the language: its decorators, its
parameters, and the calls of its body in order. Functions that are alike as wholes are laid over
each other (anti-unification): what they share is the template, what differs a placeholder. A shape
counts if it stands in several files and most of each function is in it: a call that many functions
make is no pattern.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from ..codegraph.facts import Definition, Facts, Param, around

# Files in which a shape stands at least, and calls that it has besides decorators.
MIN_FILES, MIN_CALLS = 3, 3
# How alike two functions are (twice what they share, by what they have), and how much of each
# member on average a template holds.
_ALIKE, _COVERED = 0.6, 0.6
# Members that are laid over each other, calls of a function that are looked at, functions that
# share a pair of neighbouring steps and are compared: what bounds the time.
_LAID_OVER, _LONGEST, _CROWD = 40, 40, 400
# Functions of a tree that is small: in it, what all have is not yet what any function has.
_SMALL_TREE = 50
# Letters that names share at least: functions that are called nothing alike do nothing alike.
_SHORTEST_NAME = 3
# Steps of a hint.
_HINT_STEPS = 6


@attrs.frozen
class Shape:
    """What a function is like.

    Attributes:
        steps: decorators ("@route") and calls, in order, without repeats side by side.
    """

    path: str
    qualname: str
    name: str
    line: int
    decorators: tuple[str, ...]
    params: tuple[str, ...]
    calls: tuple[str, ...]
    is_test: bool = False

    @property
    def steps(self) -> tuple[str, ...]:
        """Decorators and calls."""
        return (*(f"@{name}" for name in self.decorators), *self.calls)


@attrs.frozen
class CodePattern:
    """A shape that functions repeat.

    Attributes:
        name: what the functions' names share, the rest a placeholder. decorators, params, calls:
            the template; "…" stands for what differs. examples: the functions, most typical first.
        telling: steps that tell it from others, in order. files: in how many files.
        score: how much the shape tells, for ordering.
    """

    name: str
    decorators: tuple[str, ...]
    params: tuple[str, ...]
    calls: tuple[str, ...]
    examples: tuple[Shape, ...]
    telling: tuple[str, ...]
    files: int
    score: float

    @property
    def hint(self) -> str:
        """The pattern in a line."""
        return f"{self.name}: {'→'.join(self.telling)}"

    @property
    def source(self) -> str:
        """The name of where it comes from: the same shape has the same in every run."""
        said = "\0".join((self.name, *self.decorators, "", *self.calls))
        return f"code-pattern:{hashlib.sha256(said.encode()).hexdigest()[:16]}"

    @property
    def text(self) -> str:
        """The template and where it stands, for people."""
        head = [f"@{name}" for name in self.decorators]
        signature = f"{self.name}({', '.join(self.params)})"
        body = [f"    {call}(…)" for call in self.calls]
        places = ", ".join(f"{shape.path}::{shape.qualname}" for shape in self.examples[:3])
        first = f"Pattern of {len(self.examples)} functions in {self.files} files, as in {places}:"
        return "\n".join([first, *head, signature, *body])


# --- Shapes of the functions of a file.


def shapes(facts: Facts) -> Iterator[Shape]:
    """Yield the shapes of the functions and methods of a file that do something."""
    calls = _calls_by_definition(facts)
    for number, definition in enumerate(facts.definitions):
        if definition.kind not in ("function", "method") or definition.name[:1] in ("<", ""):
            continue
        if "constructor" in definition.flags:  # they are alike in every class
            continue
        own_calls = tuple(_without_repeats(calls.get(number, ())))[:_LONGEST]
        if len(own_calls) < MIN_CALLS:
            continue
        yield Shape(
            facts.path,
            definition.qualname,
            definition.name,
            definition.line,
            tuple(name for term in definition.decorators if (name := _spelled(term))),
            tuple(_params(definition)),
            own_calls,
            "test" in definition.flags,
        )


def _params(definition: Definition) -> Iterator[str]:
    for param in definition.params:
        name, kind, _, sort = Param(*param)
        stars = sort if sort in ("*", "**") else ""
        type_name = _spelled(kind)
        if name not in ("self", "cls", "this"):
            yield f"{stars}{name}: {type_name}" if type_name else f"{stars}{name}"


def _calls_by_definition(facts: Facts) -> Mapping[int, list[str]]:
    """Return the names of what each definition calls, in the order of the lines."""
    rows_by_owner: defaultdict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for number, statements in enumerate(facts.statements):
        owner = _named_owner(facts, around(facts.scopes, number))
        for statement in statements:
            for site, name in _calls_in(statement):
                line = (
                    facts.sites[site]
                    if isinstance(site, int) and 0 <= site < len(facts.sites)
                    else 0
                )
                rows_by_owner[owner].append((line, len(rows_by_owner[owner]), name))
    return {owner: [name for _, _, name in sorted(rows)] for owner, rows in rows_by_owner.items()}


def _named_owner(facts: Facts, number: int) -> int:
    """Return the function with a name that a definition belongs to: what a closure does, the
    function around it does."""
    while number >= 0 and facts.definitions[number].name[:1] == "<":
        number = around(facts.scopes, facts.definitions[number].scope)
    return number


def _calls_in(term: Any) -> Iterator[tuple[Any, str]]:
    """Yield site and name of each call in a term, those of arguments before what takes them."""
    if not isinstance(term, tuple | list) or not term:
        return
    for part in term[1:] if isinstance(term[0], str) else term:
        yield from _calls_in(part)
    if term[0] in ("call", "new") and len(term) == 5:
        name = _spelled(term[1])
        if name:
            yield term[4], name


def _spelled(term: Any) -> str:
    """Return the name of what is called: a plain one, or `receiver.member` of a plain receiver."""
    if not isinstance(term, tuple | list) or not term:
        return ""
    tag = term[0]
    if tag == "name":
        return str(term[1])
    if tag == "attr":
        return str(term[2])
    if tag in ("call", "new", "item"):
        return _spelled(term[1])
    return ""


def _without_repeats(names: Iterable[str]) -> Iterator[str]:
    before = None
    for name in names:
        if name != before:
            yield name
        before = name


# --- Likeness, groups, templates.


@attrs.define
class SearchBudget:
    """How far the search has come: when it must end, by the monotonic clock, and what was read."""

    end: float
    files: int = 0
    is_over: bool = False

    def goes_on(self) -> bool:
        """Whether there is time left; once there is none there is none again."""
        self.is_over = self.is_over or time.monotonic() > self.end
        return not self.is_over


def find_code_patterns(files: Iterable[Facts], budget: SearchBudget) -> list[CodePattern]:
    """Return the shapes that functions of several files share, the most telling first."""
    every: list[Shape] = []
    for facts in files:
        if not budget.goes_on():
            break
        budget.files += 1
        every += shapes(facts)
    rarity = _rarity(every)
    templates = (_template(group, rarity) for group in _groups(every, rarity, budget))
    patterns = [pattern for pattern in templates if pattern is not None]
    return _distinct(sorted(patterns, key=lambda pattern: (-pattern.score, pattern.source)))


def _rarity(every: Sequence[Shape]) -> Mapping[str, float]:
    """Return how much a step tells: less, the more functions have it."""
    counts = Counter(step for shape in every for step in set(shape.steps))
    whole = 1 + max(len(every), _SMALL_TREE)
    return {step: math.log(whole / count) for step, count in counts.items()}


def _groups(
    every: Sequence[Shape], rarity: Mapping[str, float], budget: SearchBudget
) -> Iterator[list[Shape]]:
    """Yield groups of functions that are like the first of them."""
    by_pair: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, shape in enumerate(every):
        for pair in set(zip(shape.steps, shape.steps[1:], strict=False)):
            by_pair[pair].append(number)
    grouped: set[int] = set()
    for number, shape in enumerate(every):
        if number in grouped or not budget.goes_on():
            continue
        pairs = zip(shape.steps, shape.steps[1:], strict=False)
        near = Counter(n for pair in pairs for n in by_pair[pair][:_CROWD])
        group = [
            other
            for other, shared in near.items()
            if other not in grouped
            and (other == number or likeness(shape.steps, every[other].steps, rarity) >= _ALIKE)
        ]
        if len({every[member].path for member in group}) >= MIN_FILES:
            grouped.update(group)
            yield [every[member] for member in group]


def likeness(first: Sequence[str], second: Sequence[str], rarity: Mapping[str, float]) -> float:
    """Return what two sequences share in order, by what they have: 0 to 1, rare steps counting
    more."""
    total = sum(rarity[step] for step in (*first, *second))
    return 2 * sum(rarity[step] for step in common(first, second)) / total if total else 0.0


def common(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """Return the longest sequence that both hold in order."""
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            lengths[i][j] = (
                lengths[i + 1][j + 1] + 1
                if first[i] == second[j]
                else max(lengths[i + 1][j], lengths[i][j + 1])
            )
    steps: list[str] = []
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            steps.append(first[i])
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return tuple(steps)


def _template(group: Sequence[Shape], rarity: Mapping[str, float]) -> CodePattern | None:
    """Return what a group has in common, None if that is too little of its members."""
    steps: tuple[str, ...] = group[0].steps
    for shape in group[1:_LAID_OVER]:
        steps = common(steps, shape.steps)
    calls = tuple(step for step in steps if step[0] != "@")
    if len(calls) < MIN_CALLS or len(set(calls)) < MIN_CALLS:
        return None
    share = {id(shape): likeness(steps, shape.steps, rarity) for shape in group}
    covered = sum(share.values()) / len(group)
    files = len({shape.path for shape in group})
    name = _shared_name(group)
    is_named = len(name) > _SHORTEST_NAME or len(steps) > len(calls)
    if covered < _COVERED or files < MIN_FILES or not is_named:
        return None
    worth = sum(rarity[step] for step in set(steps))
    typical = sorted(group, key=lambda shape: (-share[id(shape)], shape.path, shape.line))
    return CodePattern(
        name,
        tuple(step[1:] for step in steps if step[0] == "@"),
        _shared_params(group),
        calls,
        tuple(typical),
        tuple(_telling(steps, rarity)),
        files,
        round(covered * worth * math.log2(1 + files), 3),
    )


def _telling(steps: Sequence[str], rarity: Mapping[str, float]) -> list[str]:
    """Return the rarest of some steps, in order."""
    distinct = list(dict.fromkeys(steps))
    rarest = set(sorted(distinct, key=lambda step: -rarity[step])[:_HINT_STEPS])
    return [step for step in distinct if step in rarest]


def _shared_name(group: Sequence[Shape]) -> str:
    """Return the beginning and the end that names share, "…" for what differs; tests that share
    neither, as their names are sentences, are called after what they are."""
    names = [shape.name for shape in group]
    if len(set(names)) == 1:
        return names[0]
    head = _beginning(names)
    tail = _beginning([name[len(head) :][::-1] for name in names])[::-1]
    if len(head + tail) < _SHORTEST_NAME and all(shape.is_test for shape in group):
        return "test …"
    return f"{head}…{tail}"


def _beginning(names: Sequence[str]) -> str:
    """Return the letters that all names begin with."""
    first, last = min(names), max(names)  # what these share, those between them share
    pairs = enumerate(zip(first, last, strict=False))
    end = next((place for place, (a, b) in pairs if a != b), min(len(first), len(last)))
    return first[:end]


def _shared_params(group: Sequence[Shape]) -> tuple[str, ...]:
    params = group[0].params
    for shape in group[1:_LAID_OVER]:
        params = common(params, shape.params)
    is_all = all(shape.params == params for shape in group)
    return params if is_all else (*params, "…")


def _distinct(patterns: Iterable[CodePattern]) -> list[CodePattern]:
    """Return patterns, best first, of which none is of functions that are called as those of a
    better one, or holds only its calls."""
    taken: list[CodePattern] = []
    for pattern in patterns:
        calls = set(pattern.calls)
        if not any(
            (pattern.name == better.name and "…" not in pattern.name)
            or calls <= set(better.calls)
            or calls >= set(better.calls)
            for better in taken
        ):
            taken.append(pattern)
    return taken
