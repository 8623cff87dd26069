"""Merging of duplicates: which statements say the same, and which one stands for the others.

Being alike is not enough: "My favourite colour is purple" and "… cyan" have vectors that are .96
alike. Two statements are one only if their telling words are the same: small words apart
(memories/identity.py), with a plain plural or third person counted as its word, and in the same
order, except that a statement may begin with what the other ends with ("Tests run with pytest",
"We run pytest for tests"). So another number, unit, name, negation, path, direction or qualifier
parts them, in any language. What holds elsewhere, for others or at another time is another
statement, whatever its words. Other wordings are one only where somebody who can read decided so: a
verdict `duplicate` on both texts (seed 004 merges at a cosine of .92, whatever the words).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import TYPE_CHECKING, Any

import attrs

from ..memories import supersession
from ..memories.identity import pair_hash, telling_words
from ..memories.records import PairVerdict, Scope
from ..memories.supersession import Supersession
from .plan import Statement, read_statements

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .plan import RunEnvironment

    Vectors = Mapping[int, npt.NDArray[np.float32]]

# Words that the plural of is told by: "as", "us" and "is" are no plurals.
_SHORTEST_PLURAL = 4
# Words of the shortest sentence of which one may go to the other end without changing what is said.
_SENTENCE = 5
# Statements of the same words beyond which they are a series of events, and no duplicates.
_SERIES = 200

SAME_WORDS = "says the same in other small words"
OTHER_FORMS = "says the same in other forms of its words"
OTHER_ORDER = "says the same in another order"
DECIDED = "was judged to say the same"
_CERTAINTY = {SAME_WORDS: 0, OTHER_FORMS: 1, OTHER_ORDER: 2, DECIDED: 3}


# What was decided, and the hash of the texts that it was decided about; None: of any.
_Verdict = tuple[str, str | None]


@attrs.frozen
class Merging:
    """A memory that is to be merged into another one; see plan.py."""

    memory_id: int
    other_id: int
    score: float | None
    reason: str


@attrs.frozen
class Wording:
    """The telling words of a text, in order, and in their plain forms."""

    words: tuple[str, ...]
    forms: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Wording:
        """Return the wording of a text."""
        words = telling_words(text)
        return cls(words, tuple(_plain_form(word, text) for word in words))

    @property
    def bag(self) -> tuple[str, ...]:
        """Its forms in any order: texts without the same never say the same."""
        return tuple(sorted(self.forms))


def same_statement(a: Wording, b: Wording) -> str | None:
    """Return on what ground two texts say the same, or None."""
    if a.words == b.words:
        return SAME_WORDS
    if a.forms == b.forms:
        return OTHER_FORMS
    is_sentence = len(a.forms) >= _SENTENCE
    is_turned = _is_turned(a.forms, b.forms) or _is_turned(b.forms, a.forms)
    return OTHER_ORDER if is_sentence and is_turned else None


def plan_merges(environment: RunEnvironment) -> list[Merging]:
    """Return which memories are duplicates of which; each survivor stays."""
    statements = [s for s in read_statements(environment) if _may_merge(s)]
    verdicts = _verdicts(environment)
    contradictions = _contradictions(environment, statements, verdicts)
    # What holds although it was merged once was brought back, and is not merged into another one.
    merged = environment.store.all("consolidation.changes_before", action="merge")
    returned = {duplicate for duplicate, _ in merged}
    pairs = [
        (a, b, ground)
        for a, b, ground in _pairs(statements, verdicts)
        if b.id not in contradictions[a.id]
        and (ground == DECIDED or not {a.id, b.id} & returned)
        and _may_be_one(verdicts.get((a.id, b.id)), a, b)
    ]
    vectors = _vectors(environment, [s for a, b, _ in pairs for s in (a, b)])
    return list(_into_survivors(pairs, contradictions, vectors))


def apply_merge(environment: RunEnvironment, merging: Merging) -> None:
    """Merge one memory into another; inside `write`."""
    store = environment.store
    supersession.merge(store, Supersession(store), merging.memory_id, merging.other_id)


def survivor_rank(statement: Statement) -> tuple[Any, ...]:
    """Return what decides which of several duplicates stands for the others, the least first: one
    that is pinned, then one that is protected, of a source that is trusted more, confirmed more
    often, more important; of equals the oldest, whose id is in use for longest."""
    return (
        not statement.pinned,
        not statement.is_protected,
        -statement.trust,
        -statement.strength,
        -statement.importance,
        statement.id,
    )


# -- internals


def _may_merge(statement: Statement) -> bool:
    """Whether a statement may be one with another: it holds, and it was not read at a place, whose
    it then is."""
    return (
        statement.is_current
        and not statement.is_document
        and not statement.waits
        and not statement.is_held
        and statement.valid_to is None
    )


def _circumstances(statement: Statement) -> tuple[Any, ...]:
    """Return what two statements must have in common, whatever they say."""
    return (
        statement.project, statement.scope, statement.kind, statement.form, statement.key,
        statement.value, statement.qualifier, statement.private, statement.author,
        statement.session_id if statement.scope is Scope.SESSION else None,
        statement.task_id if statement.scope is Scope.TASK else None,
        statement.valid_from, statement.season, statement.trigger_patterns, statement.procedure,
    )  # fmt: skip


def _is_elsewhere(a: Statement, b: Statement) -> bool:
    """Whether two statements are about different files."""
    return bool(a.paths and b.paths) and a.paths != b.paths


def _pairs(
    statements: Sequence[Statement], verdicts: Mapping[tuple[int, int], _Verdict]
) -> Iterator[tuple[Statement, Statement, str]]:
    """Yield pairs, the older first, that say the same, and why."""
    groups: dict[tuple[Any, ...], list[tuple[Statement, Wording]]] = defaultdict(list)
    for statement in statements:
        wording = Wording.of(statement.text)
        groups[(_circumstances(statement), wording.bag)].append((statement, wording))
    for group in groups.values():
        for (a, said), (b, other) in combinations(group if len(group) <= _SERIES else (), 2):
            ground = same_statement(said, other)
            if ground is not None and not _is_elsewhere(a, b):
                yield a, b, ground
    by_id = {statement.id: statement for statement in statements}
    for (first, second), verdict in verdicts.items():
        older, newer = by_id.get(first), by_id.get(second)
        if verdict[0] != PairVerdict.DUPLICATE or older is None or newer is None:
            continue
        if _circumstances(older) == _circumstances(newer) and _is_about(verdict, older, newer):
            yield older, newer, DECIDED


def _into_survivors(
    pairs: Iterable[tuple[Statement, Statement, str]],
    contradictions: Mapping[int, Set[int]],
    vectors: Vectors,
) -> Iterator[Merging]:
    """Yield each duplicate with the memory that stands for it: a survivor is never merged itself,
    so that no chain is longer than one, and stands for no two that contradict each other."""
    grounds: dict[int, dict[int, str]] = defaultdict(dict)
    statements: dict[int, Statement] = {}
    for a, b, ground in pairs:
        statements |= {a.id: a, b.id: b}
        for left, right in ((a.id, b.id), (b.id, a.id)):
            known = grounds[left].get(right, ground)
            grounds[left][right] = min(known, ground, key=_CERTAINTY.__getitem__)
    survivors: dict[int, set[int]] = {}  # in their order, each with those that it stands for
    for statement in sorted(statements.values(), key=survivor_rank):
        doubts, same = contradictions[statement.id], grounds[statement.id]
        others = (n for n, group in survivors.items() if n in same and not group & doubts)
        survivor = None if statement.is_protected else next(others, None)
        if survivor is None:
            survivors[statement.id] = {statement.id}
            continue
        survivors[survivor].add(statement.id)
        reason = f"{grounds[statement.id][survivor]} as memory {survivor}"
        score = _cosine(vectors, statement.id, survivor)
        yield Merging(statement.id, survivor, score, reason)


def _may_be_one(verdict: _Verdict | None, a: Statement, b: Statement) -> bool:
    """Whether nobody decided that two statements, as they stand, are not one."""
    return verdict is None or verdict[0] == PairVerdict.DUPLICATE or not _is_about(verdict, a, b)


def _is_about(verdict: _Verdict, a: Statement, b: Statement) -> bool:
    return verdict[1] in (None, pair_hash(a.text, b.text))


def _plain_form(word: str, text: str) -> str:
    """Return the plain form of a word: without the "s" of a plural or third person, unless its
    capitals in the text say that it is a name."""
    is_plural = (
        len(word) >= _SHORTEST_PLURAL
        and word.isalpha()
        and word.isascii()
        and word.endswith("s")
        and word[-2] not in "aisu"
    )
    is_common = word in text or text[: len(word)].lower() == word
    return word[:-1] if is_plural and is_common else word


def _is_turned(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether the first word of one is the last of the other, and all else is in the same order."""
    return a[0] == b[-1] and tuple(a[1:]) == tuple(b[:-1])


def _verdicts(environment: RunEnvironment) -> dict[tuple[int, int], _Verdict]:
    """Return what was decided about pairs: the verdict and of which texts. A pair that was merged
    once and of which both hold again was parted by somebody."""
    parted = {
        (min(pair), max(pair)): (PairVerdict.DISTINCT.value, None)
        for pair in environment.store.all("consolidation.changes_before", action="merge")
    }
    decided = environment.store.all("consolidation.verdicts")
    return {**parted, **{(a, b): (verdict, texts) for a, b, verdict, texts in decided}}


def _contradictions(
    environment: RunEnvironment,
    statements: Iterable[Statement],
    verdicts: Mapping[tuple[int, int], _Verdict],
) -> Mapping[int, Set[int]]:
    """Return which memories contradict which, as far as that is not settled, nor decided to be one
    statement."""
    by_id = {statement.id: statement for statement in statements}
    contradictions: dict[int, set[int]] = defaultdict(set)
    for a, b in environment.store.all("consolidation.open_contradictions"):
        verdict, older, newer = verdicts.get((a, b)), by_id.get(a), by_id.get(b)
        is_same = verdict is not None and verdict[0] == PairVerdict.DUPLICATE
        if is_same and older and newer and verdict and _is_about(verdict, older, newer):
            continue
        contradictions[a].add(b)
        contradictions[b].add(a)
    return contradictions


def _vectors(environment: RunEnvironment, statements: Iterable[Statement]) -> Vectors:
    """Return the unit vectors of memories that have one of the encoder in use."""
    import numpy as np

    from ..memories.search_index import listed

    model = environment.index.model_id()
    if model is None:
        return {}
    ids = listed({statement.id for statement in statements})
    rows = environment.store.all("consolidation.vectors", ids=ids, model_id=model)
    chunks: dict[int, list[bytes]] = defaultdict(list)
    for number, vector in rows:
        chunks[number].append(vector)
    single = {number: blobs[0] for number, blobs in chunks.items() if len(blobs) == 1}
    vectors = {
        n: np.frombuffer(blob, dtype=np.int8).astype(np.float32) for n, blob in single.items()
    }
    return {n: vector / max(float(np.linalg.norm(vector)), 1e-9) for n, vector in vectors.items()}


def _cosine(vectors: Vectors, a: int, b: int) -> float | None:
    if a not in vectors or b not in vectors:
        return None
    return round(float(vectors[a] @ vectors[b]), 4)
