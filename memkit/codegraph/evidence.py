"""The evidence that a file is where something is dealt with, as columns over all files.

Pure functions of a corpus and a question. Words weigh by their rarity among the files; what a file
is called and what it defines tells more than what it mentions.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from . import wording
from .lexicon import Corpus
from .wanted import Wanted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..encoder.protocol import Vector

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

    size = len(corpus)
    found = {name: np.zeros(size, dtype=np.float32) for name in _LEXICAL}
    called = 0.0
    held = 0.0
    relative = corpus.lengths / max(float(corpus.lengths.mean()), 1.0)
    for word, weight in wanted.words.items():
        name, folder = _having(corpus.names, word), _having(corpus.folders, word)
        where, how = _occurring(corpus, word)
        defined = np.zeros(size, dtype=bool)
        defined[where[how == wording.DEFINED]] = True
        named = name | folder | defined
        times = np.zeros(size, dtype=np.float32)
        times[where] = np.array(_TIMES, dtype=np.float32)[how]
        telling = rarity(int(named.sum()), size=size) * weight
        told = rarity(len(where), size=size) * weight
        found["name"] += rarity(int(name.sum()), size=size) * weight * name
        found["folder"] += rarity(int(folder.sum()), size=size) * weight * folder
        found["named"] += telling * named
        found["held"] += told * (times > 0)
        found["bm25"] += (
            told * times * (1 + _K1) / (times + _K1 * (1 - _B + _B * relative) + (times == 0))
        )
        called, held = called + telling, held + told
        if word in wanted.place:
            found["place"] += rarity(int((name | folder).sum()), size=size) * (name | folder)
    found["named"] /= np.float32(called or 1.0)
    found["held"] /= np.float32(held or 1.0)
    asked = wanted.words.keys()
    found["share"] = np.array(
        [len(names & asked) / max(len(names), 1) for names in corpus.names], dtype=np.float32
    )
    found["lines"] = np.log(np.maximum(np.array(corpus.lines, dtype=np.float32), 1.0))
    return found


def spelt(
    corpus: Corpus, forms: Mapping[str, tuple[str, ...]], defined: Mapping[str, frozenset[int]]
) -> Column:
    """Return a column: rarity of the names that a file defines, of those that may be meant.

    `defined` gives the files (ids) that define a name as spelt.
    """
    import numpy as np

    place = {number: at for at, number in enumerate(corpus.ids)}
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
    return {"path_meaning": path @ vector, "names_meaning": names @ vector}


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

    place = {number: at for at, number in enumerate(corpus.ids)}
    used = np.zeros(len(corpus), dtype=np.float32)
    user = np.zeros(len(corpus), dtype=np.float32)
    for source, other, forward in beside:
        at = place.get(other)
        if at is not None and source in place:
            column = used if forward else user
            column[at] = max(column[at], own[place[source]])
    folders = [posixpath.dirname(path) for path in corpus.paths]
    best: dict[str, float] = {}
    for at in first:
        best[folders[at]] = max(best.get(folders[at], 0.0), float(own[at]))
    siblings = np.array([best.get(folder, 0.0) for folder in folders], dtype=np.float32)
    return {"used": used, "user": user, "sibling": siblings}


def matched(corpus: Corpus, wanted: Wanted, at: int) -> tuple[list[str], list[str]]:
    """Return the question's stems in the path and in the text of one file, the rarest first."""
    own = corpus.names[at] | corpus.folders[at]
    start = int(corpus.lengths[:at].sum())
    numbers = set(corpus.stems[start : start + int(corpus.lengths[at])].tolist())
    held = [word for word in wanted.words if wording.number(word) in numbers]
    rare = {word: len(_occurring(corpus, word)[0]) / wanted.words[word] for word in held}
    in_path = [word for word in wanted.words if word in own]
    return in_path, sorted((word for word in held if word not in own), key=rare.__getitem__)


# What counts for a file that its neighbours gain from.
_OWN = {"named": 1.0, "held": 0.5, "spelt": 0.1, "name": 0.1}
_LEXICAL = ("name", "folder", "named", "held", "bm25", "place")


def _having(sets: Sequence[frozenset[str]], word: str) -> npt.NDArray[np.bool_]:
    import numpy as np

    return np.fromiter((word in one for one in sets), dtype=bool, count=len(sets))


def _occurring(corpus: Corpus, word: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the files that hold a word, and how it occurs in each."""
    import numpy as np

    at = np.flatnonzero(corpus.stems == wording.number(word))
    return corpus.owner[at], corpus.how[at]
