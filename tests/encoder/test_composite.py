"""Vectors of one model with the pieces of another: what comes from which, and under what name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest

import memkit
from memkit.encoder import Embedded, Encoder, HashedEncoder, is_contextual, load_encoder
from memkit.encoder.adapter import OpaqueEncoder
from memkit.encoder.composite import CompositeEncoder
from memkit.encoder.protocol import unit
from memkit.encoder.static import packaged_encoder
from memkit.retrieval import ranker, weights
from memkit.retrieval.records import RetrievalConfig

Open = Callable[..., memkit.Memkit]


class Letters(OpaqueEncoder):
    """A made-up sentence encoder: how often each pair of neighbouring letters occurs; it notes the
    texts of each call."""

    def __init__(self, name: str = "letters@1/mean1") -> None:
        self._name = name
        self.calls: list[list[str]] = []

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Shorter than the rows of the packaged model."""
        return 32

    def embed(
        self, texts: Sequence[str], *, weights: Mapping[int, float] | None = None
    ) -> list[Embedded]:
        """One vector for each text."""
        self.calls.append(list(texts))
        return [self._of(text) for text in texts]

    def _of(self, text: str) -> Embedded:
        counts = np.zeros(self.dimensions, np.float32)
        for one, two in pairwise(text):
            counts[(31 * ord(one) + ord(two)) % self.dimensions] += 1
        vector = unit(counts)
        return Embedded(() if vector is None else (vector,))


@pytest.fixture
def letters() -> Letters:
    """The made-up sentence encoder."""
    return Letters()


@pytest.fixture
def composite(letters: Letters) -> CompositeEncoder:
    """It, with the pieces of the packaged model."""
    return CompositeEncoder(sentences=letters, pieces=packaged_encoder())


TEXT = "Rotate the signing key before release 4.2"


def test_each_model_gives_its_own(composite: CompositeEncoder, letters: Letters) -> None:
    """Vectors are those of the sentence encoder, ids those of the packaged model."""
    packaged = packaged_encoder()
    first, empty = composite.embed([TEXT, ""])
    assert first.vector is not None
    assert np.array_equal(first.vector, letters.embed([TEXT])[0].vectors[0])
    assert first.token_ids == packaged.embed([TEXT])[0].token_ids
    assert list(first.token_ids) == composite.tokenize([TEXT])[0]
    assert (empty.vectors, empty.token_ids) == ((), ())
    assert composite.dimensions == 32


def test_rows_are_those_of_the_packaged_model(composite: CompositeEncoder) -> None:
    """Late interaction reads the same table, its weights too."""
    packaged = packaged_encoder()
    (ids,) = packaged.tokenize([TEXT])
    assert np.array_equal(composite.token_rows(ids), packaged.token_rows(ids))
    assert np.array_equal(composite.token_lengths(ids), packaged.token_lengths(ids))
    assert np.array_equal(composite.token_vectors(ids), packaged.token_vectors(ids))
    assert composite.pool(ids) is None


def test_its_name_is_neither_of_the_two(composite: CompositeEncoder) -> None:
    """Another model on either side is another space."""
    pieces = packaged_encoder()
    others = [
        CompositeEncoder(sentences=Letters("letters@2/mean1"), pieces=pieces),
        CompositeEncoder(sentences=Letters(), pieces=HashedEncoder(16)),
    ]
    names = {"letters@1/mean1", pieces.name, composite.name, *(other.name for other in others)}
    assert len(names) == 5


def test_it_says_that_context_counts(composite: CompositeEncoder, letters: Letters) -> None:
    """As every sentence encoder does, and no static model."""
    assert isinstance(composite, Encoder)
    assert is_contextual(composite)
    assert is_contextual(letters)
    assert not is_contextual(packaged_encoder())
    assert composite.characters_at_once == letters.characters_at_once


# -- ranking


STATEMENTS = ["The signing key is rotated by hand.", "Releases are cut on Friday."]
PROMPT = "I am about to cut a release on Friday.\nWho rotates the signing key?"


def table_of(kit: memkit.Memkit, text: str, config: RetrievalConfig) -> weights.Weights:
    """Return the table by which a question is ranked."""
    kit._config = config
    request = kit._request(text, {"session": None}, depth=0, min_score=None, near=None)
    with kit._store.snapshot():
        answering = kit._retriever._answering(request, 1)
        return ranker.evidence(answering._gathered(answering._question()))[1]


@pytest.mark.parametrize(
    ("config", "table"),
    [
        (RetrievalConfig(), "CONTEXTUAL"),
        (RetrievalConfig(late_interaction=False), "COSINE"),
        (RetrievalConfig(vectors=False), "FULL"),
        (RetrievalConfig(vectors=False, late_interaction=False), "LEXICAL"),
    ],
)
def test_vectors_of_texts_with_pieces_are_weighed_by_a_table_of_their_own(
    make_kit: Open, composite: CompositeEncoder, config: RetrievalConfig, table: str
) -> None:
    """Only where both are there; what is left of it has the table of that."""
    kit = make_kit(encoder=composite)
    kit.memories.remember_many(STATEMENTS)
    assert table_of(kit, "who rotates the key?", config) is getattr(weights, table)


def test_other_encoders_have_the_tables_that_they_had(make_kit: Open, letters: Letters) -> None:
    """The packaged model's vectors are of words, and a sentence encoder alone shows no pieces."""
    for name, encoder, table in (("a", "static", "FULL"), ("b", letters, "COSINE")):
        kit = make_kit(f"{name}.db", encoder=encoder)
        kit.memories.remember_many(STATEMENTS)
        assert table_of(kit, "who rotates the key?", RetrievalConfig()) is getattr(weights, table)


def test_the_clauses_of_a_prompt_are_embedded_together(
    make_kit: Open, composite: CompositeEncoder, letters: Letters
) -> None:
    """As they are written, the whole first, in one call."""
    kit = make_kit(encoder=composite)
    kit.memories.remember_many(STATEMENTS)
    letters.calls.clear()
    kit.recall(PROMPT, sources="memories")
    (texts,) = letters.calls
    assert texts[0] == PROMPT
    assert [text.strip(" .?") for text in texts[1:]] == [
        line.strip(" .?") for line in PROMPT.splitlines()
    ]


def test_spaces_are_never_mixed(make_kit: Open, composite: CompositeEncoder) -> None:
    """Vectors and pieces of one encoder alone are read, though two have the same token ids."""
    kit = make_kit(encoder="static")
    kit.memories.remember_many(STATEMENTS)
    kit.close()
    for encoder in (composite, "static", composite.sentences):
        kit = make_kit(encoder=encoder)
        assert kit.stats().vectors.waiting == len(STATEMENTS)
        before = kit.recall("who rotates the key?", min_score=0)
        assert any("reembed" in note for note in before.notes)
        assert table_of(kit, "who rotates the key?", RetrievalConfig()) is weights.LEXICAL
        assert kit.reembed() == len(STATEMENTS)
        assert list(kit._index.vector_state().stored) == [load_encoder(encoder).name]
        assert not kit.recall("who rotates the key?", min_score=0).notes
        kit.close()
