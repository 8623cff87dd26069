"""The evidence that a file is where something is dealt with, as columns over all files.

Pure functions of a corpus and a question. Words weigh by their rarity among the files; what a file
is called and what it defines tells more than what it mentions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..text.analyzer import stem
from . import wording
from .corpus import Corpus
from .wanted import Wanted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..encoder.protocol import Vector
    from .corpus import Numbers

    Column = npt.NDArray[np.float32]
    Columns = dict[str, Column]

# Occurrences that a word counts for, by how it occurs: once, some, often, as a part of a name.
_TIMES = (1.0, 2.5, 7.0, 3.0)
# BM25's saturation and share of length (Robertson and Zaragoza 2009).
_K1, _B = 1.2, 0.75
# Files whose neighbours gain.
FOLLOWED = 20


def rarity(count: int, *, size: int) -> float:
    """Return BM25's inverse document frequency of what `count` of `size` files hold; above 0."""
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def lexical(corpus: Corpus, wanted: Wanted) -> Columns:
    """Return the columns of words: in names of files, folders and definitions, and in the text."""
    import numpy as np

    found = {name: np.zeros(len(corpus), dtype=np.float32) for name in _LEXICAL}
    called = held = 0.0
    for word, weight in wanted.words.items():
        told, telling = _add(found, corpus, word, weight)
        called, held = called + telling, held + told
        if word in wanted.place:
            where = np.union1d(*_in_path(corpus, word)).astype(np.int64)
            found["place"][where] += rarity(len(where), size=len(corpus))
    found["named"] /= np.float32(called or 1.0)
    found["held"] /= np.float32(held or 1.0)
    found["share"] /= corpus.parts
    found["lines"] = corpus.lines
    return found


def _add(found: Columns, corpus: Corpus, word: str, weight: float) -> tuple[float, float]:
    """Add what one word tells to the columns; return how telling it is in texts and in names."""
    import numpy as np

    size = len(corpus)
    name, folder = _in_path(corpus, word)
    where, how = corpus.occurring(word)
    named = np.unique(np.concatenate((name, folder, where[how == wording.DEFINED])))
    telling = rarity(len(named), size=size) * weight
    told = rarity(len(where), size=size) * weight
    found["name"][name] += rarity(len(name), size=size) * weight
    found["share"][name] += 1.0
    found["folder"][folder] += rarity(len(folder), size=size) * weight
    found["named"][named] += telling
    found["held"][where] += told
    times = np.array(_TIMES, dtype=np.float32)[how]
    relative = corpus.lengths[where] / max(float(corpus.lengths.mean()), 1.0)
    found["bm25"][where] += told * times * (1 + _K1) / (times + _K1 * (1 - _B + _B * relative))
    return told, telling


def spelt(
    corpus: Corpus, forms: Mapping[str, tuple[str, ...]], defined: Mapping[str, frozenset[int]]
) -> Column:
    """Return a column: rarity of the names that a file defines, of those that may be meant.

    `defined` gives the files (ids) that define a name as spelt.
    """
    import numpy as np

    place = corpus.place
    column: Column = np.zeros(len(corpus), dtype=np.float32)
    for spellings in forms.values():
        files = {place[n] for form in spellings for n in defined.get(form, ()) if n in place}
        if files:
            column[list(files)] += np.float32(rarity(len(files), size=len(corpus)))
    return column


def meaning(corpus: Corpus, vector: Vector | None) -> Columns:
    """Return how near the paths and the names that files define are to the question's vector."""
    import numpy as np

    if vector is None or corpus.directions is None:
        nothing = np.zeros(len(corpus), dtype=np.float32)
        return {"path_meaning": nothing, "names_meaning": nothing}
    path, names = corpus.directions
    # Not `@`: its threads cost more than they save on so little.
    return {
        "path_meaning": np.einsum("ij,j->i", path, vector),
        "names_meaning": np.einsum("ij,j->i", names, vector),
    }


def source(corpus: Corpus, wanted: Wanted) -> Column:
    """Return 1 for what is no test, example or document, unless these are asked for."""
    import numpy as np

    if wanted.words.keys() & _ASIDE:
        return np.zeros(len(corpus), dtype=np.float32)
    return np.float32(1.0) - corpus.aside


def weighed(columns: Columns, weights: Mapping[str, float]) -> Column:
    """Return the weighted sum of columns."""
    import numpy as np

    total: Column = np.zeros_like(columns["named"])
    for name, weight in weights.items():
        total += np.float32(weight) * columns[name]
    return total


def strongest(columns: Columns) -> Column:
    """Return how strongly each file matches by itself, as a share of the best."""
    import numpy as np

    own = weighed(columns, _OWN)
    return own / np.float32(max(float(own.max()), 1e-9))


def neighbours(
    corpus: Corpus, own: Column, beside: Iterable[tuple[int, int, int]], first: Sequence[int]
) -> Columns:
    """Return what the best of the files that a file uses, that use it, or lie beside it have.

    `first` are the files (places in the corpus) whose standing is passed on; `beside` are pairs
    of ids with 1 where the first uses the second.
    """
    import numpy as np

    used = np.zeros(len(corpus), dtype=np.float32)
    user = np.zeros(len(corpus), dtype=np.float32)
    for file, other, forward in beside:
        at = corpus.place.get(other)
        if at is not None and file in corpus.place:
            column = used if forward else user
            column[at] = max(column[at], own[corpus.place[file]])
    best = np.zeros(int(corpus.folder.max(initial=0)) + 1, dtype=np.float32)
    for at in first:
        folder = corpus.folder[at]
        best[folder] = max(best[folder], own[at])
    return {"used": used, "user": user, "sibling": best[corpus.folder]}


def frequencies(corpus: Corpus, wanted: Wanted) -> dict[str, float]:
    """Return in how many files each of the question's stems occurs, over its weight."""
    return {word: len(corpus.occurring(word)[0]) / weight for word, weight in wanted.words.items()}


def matched(
    corpus: Corpus, wanted: Wanted, at: int, frequency: Mapping[str, float]
) -> tuple[list[str], list[str]]:
    """Return the question's stems in the path and in the text of one file, the rarest first."""
    in_path = [word for word in wanted.words if any(at in one for one in _in_path(corpus, word))]
    start = int(corpus.starts[at])
    numbers = set(corpus.stems[start : start + int(corpus.lengths[at])].tolist())
    held = [word for word in wanted.words if wording.number(word) in numbers]
    rest = (word for word in held if word not in in_path)
    return in_path, sorted(rest, key=frequency.__getitem__)


# What counts for a file that its neighbours gain from.
_OWN = {"named": 1.0, "held": 0.5, "spelt": 0.1, "name": 0.1}
_LEXICAL = ("name", "folder", "named", "held", "bm25", "share", "place")
# Stems by which tests, examples and documents are asked for.
_ASIDE = frozenset(map(stem, "test tests spec fixture example sample bench doc docs".split()))


def _in_path(corpus: Corpus, word: str) -> tuple[Numbers, Numbers]:
    """Return the files that have a stem in their own name, and in the names of their folders."""
    import numpy as np

    nothing = np.zeros(0, dtype=np.int32)
    return corpus.called.get(word, nothing), corpus.inside.get(word, nothing)
