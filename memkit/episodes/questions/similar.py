"""Tasks and commits like one that is described: by words and by meaning.

Tasks are few and short, so nothing is stored for this: words are counted and vectors made when the
question comes, and kept while the file stays as it is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from ... import arguments
from ...errors import InvalidInput
from ...safety import redact
from .. import rows
from ..answers import SimilarTask
from ..words import by_stem, words_of
from .history import History

if TYPE_CHECKING:
    from ...encoder import Encoder
    from ...encoder.protocol import Vector

# Candidates whose meaning is compared: the best by words, and the newest tasks whatever their
# words. Encoding one takes about 0.05 ms.
_BY_WORDS, _NEWEST = 60, 300
# Shares of words and meaning in the score, and what one of them must reach, or there is no answer:
# on the subjects of four repositories' commits unrelated ones have a cosine of .30 (99 of 100).
_WORDS, _MEANING = 0.55, 0.45
_LEAST_WORDS, _LEAST_MEANING = 0.3, 0.5
_VECTORS_KEPT = 2_000
# Characters of a text that are compared.
_READ = 2_000


@attrs.frozen(eq=False)
class _Text:
    id: int
    name: str
    text: str
    words: Counter[str]
    is_commit: bool
    at: str


@attrs.frozen(eq=False)
class _Scored:
    text: _Text
    words: float
    shared: tuple[str, ...]
    meaning: float = 0.0

    @property
    def score(self) -> float:
        """Between 0 and 1."""
        return _WORDS * self.words + _MEANING * self.meaning


class Similar:
    """Finds similar tasks; `encoder` gives the encoder in use, or None."""

    def __init__(self, history: History, encoder: Callable[[], Encoder | None]) -> None:
        self._history = history
        self._encoder = encoder
        self._state: tuple[int, int] | None = None
        self._texts: list[_Text] = []
        self._weights: dict[str, float] = {}
        self._vectors: dict[str, Vector | None] = {}

    def similar_tasks(
        self, text: str, *, limit: int = 5, commits: bool = True
    ) -> list[SimilarTask]:
        """Return tasks (and commits) whose description or outcome is like a text, best first;
        nothing if none is. Raises InvalidInput for an empty text."""
        asked = redact(arguments.text(text, name="text")).text[:_READ]
        arguments.integer(limit, name="limit")
        arguments.boolean(commits, name="commits")
        wanted = Counter(words_of(asked))
        if not asked.strip():
            raise InvalidInput("text: is empty; describe the task")
        self._read()
        texts = [one for one in self._texts if commits or not one.is_commit]
        scored = [self._by_words(wanted, one) for one in texts]
        best = sorted(scored, key=lambda one: -one.words)[:_BY_WORDS]
        newest = [one for one in scored if not one.text.is_commit][:_NEWEST]
        chosen = {id(one.text): one for one in (*best, *newest)}
        found = [one for one in self._by_meaning(asked, list(chosen.values())) if _is_like(one)]
        found.sort(key=lambda one: (-one.score, -one.text.id))
        return self._told(found[:limit], by_stem(asked))

    # -- inside

    def _read(self) -> None:
        store = self._history.reading()
        state = store.state()
        if state == self._state:
            return
        project = self._history.project
        self._texts = [
            _text(number, name, (description, outcome or error), at, is_commit=False)
            for number, name, description, outcome, error, at in store.all(
                "episodes.task_texts", project=project
            )
        ]
        self._texts += [
            _text(number, f"commit:{name}", (subject,), at, is_commit=True)
            for number, name, subject, at in store.all("episodes.commit_texts", project=project)
        ]
        count = len(self._texts)
        holding = Counter(word for one in self._texts for word in one.words)
        self._weights = {w: math.log(1 + count / n) for w, n in holding.items()}
        self._state = state

    def _by_words(self, wanted: Counter[str], one: _Text) -> _Scored:
        """Score the share of the asked words' weight that a text has, and a little of the
        reverse."""
        unknown = math.log(1 + max(len(self._texts), 1))
        weight = {word: self._weights.get(word, unknown) for word in wanted}
        shared = [word for word in wanted if word in one.words]
        if not shared:
            return _Scored(one, 0.0, ())
        told = sum(weight[word] for word in shared)
        asked = sum(weight.values())
        own = sum(self._weights[word] for word in one.words)
        strongest = sorted(shared, key=lambda word: -weight[word])
        return _Scored(one, (told / asked) * (0.75 + 0.25 * told / own), tuple(strongest[:4]))

    def _by_meaning(self, asked: str, chosen: Sequence[_Scored]) -> list[_Scored]:
        encoder = self._encoder() if chosen else None
        if encoder is None:  # words alone carry the score
            return [attrs.evolve(one, meaning=one.words) for one in chosen]
        if len(self._vectors) > _VECTORS_KEPT:
            self._vectors.clear()
        texts = [asked, *(one.text.text for one in chosen)]
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for text, embedded in zip(missing, encoder.embed(missing), strict=True):
            self._vectors[text] = embedded.vector
        question = self._vectors[asked]
        return [attrs.evolve(one, meaning=self._cosine(question, one)) for one in chosen]

    def _cosine(self, question: Vector | None, one: _Scored) -> float:
        vector = self._vectors[one.text.text]
        if question is None or vector is None:
            return 0.0
        return min(max(float(question @ vector), 0.0), 1.0)

    def _told(self, found: Sequence[_Scored], words: Mapping[str, str]) -> list[SimilarTask]:
        store = self._history.reading()
        ids = [one.text.id for one in found if not one.text.is_commit]
        tasks = {task.id: task for task in rows.tasks(store, ids)}
        told = []
        for one in found:
            if one.text.is_commit:
                files = store.all("episodes.files_of_commit", commit_id=one.text.id)
                told.append(_commit(one, files, words))
            elif (task := tasks.get(one.text.id)) is not None:
                came = task.outcome or task.error
                told.append(
                    SimilarTask(
                        task.name, task.description, came, task.status, task.files,
                        task.started_at, one.score, _reasons(one, words),
                    )
                )  # fmt: skip
        return told


def _text(
    number: int, name: str, parts: Sequence[str | None], at: str, *, is_commit: bool
) -> _Text:
    text = " – ".join(part for part in parts if part)[:_READ]
    return _Text(number, name, text, Counter(words_of(text)), is_commit, at)


def _is_like(one: _Scored) -> bool:
    return one.words >= _LEAST_WORDS or one.meaning >= _LEAST_MEANING


def _commit(one: _Scored, files: Sequence[Any], words: Mapping[str, str]) -> SimilarTask:
    paths = tuple(path for (path,) in files)
    text = one.text
    why = _reasons(one, words)
    return SimilarTask(text.name, text.text, None, None, paths, text.at, one.score, why)


def _reasons(one: _Scored, words: Mapping[str, str]) -> tuple[str, ...]:
    reasons = []
    if one.shared:
        reasons.append("words: " + " ".join(words[stem] for stem in one.shared))
    if one.meaning >= _LEAST_MEANING:
        reasons.append(f"meaning {one.meaning:.2f}")
    return tuple(reasons)
