"""Late interaction: the same as the sum it stands for, whatever is stored."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.encoder import HashedEncoder, load_encoder
from memkit.retrieval.late_interaction import (
    LIKENESS_FLOOR,
    MAX_ROWS_OF_TOKENS,
    MAX_TOKENS,
    PASSAGE,
    likeness,
    pieces,
)

ENCODER = HashedEncoder(16)
WORDS = "alpha beta gamma delta epsilon zeta eta theta".split()
document = st.lists(st.sampled_from(WORDS), max_size=150).map(" ".join)


def stored(*texts: str) -> list[bytes]:
    """Return texts as the token ids that the store keeps."""
    return [struct.pack(f"<{len(ids)}I", *ids) for ids in ENCODER.tokenize(list(texts))]


@given(st.lists(document, min_size=1, max_size=6), st.sets(st.sampled_from(WORDS), min_size=1))
def test_it_is_the_best_likeness_of_each_piece(documents: list[str], asked: set[str]) -> None:
    """Each piece takes its greatest cosine in the text; empty texts are like nothing."""
    question = pieces(ENCODER, dict.fromkeys(sorted(asked), 1.0))
    assert question is not None
    found = likeness(ENCODER, question, stored(*documents))
    for at, text in enumerate(documents):
        (ids,) = ENCODER.tokenize([text])
        if not ids:
            assert not found.best[:, at].any()
            continue
        cosines = ENCODER.token_vectors(question.ids) @ ENCODER.token_vectors(ids).T
        expected = np.maximum(cosines.max(axis=1), 0)
        assert found.best[:, at] == pytest.approx(expected, abs=1e-5)
        close = np.maximum((expected - LIKENESS_FLOOR) / (1 - LIKENESS_FLOOR), 0)
        assert found.close()[:, at] == pytest.approx(close, abs=1e-5)


@given(st.lists(document, min_size=2, max_size=5))
def test_a_text_is_judged_by_itself(documents: list[str]) -> None:
    """What else is compared changes nothing."""
    question = pieces(ENCODER, {"alpha": 2.0, "theta": 1.0})
    assert question is not None
    together = likeness(ENCODER, question, stored(*documents))
    alone = likeness(ENCODER, question, stored(documents[-1]))
    assert together.best[:, -1] == pytest.approx(alone.best[:, 0], abs=1e-6)
    assert together.about[-1] == pytest.approx(alone.about[0], abs=1e-6)


def test_weights_add_up() -> None:
    """The weights of the pieces share one whole, by how telling the words are."""
    question = pieces(ENCODER, {"alpha": 3.0, "beta": 1.0})
    assert question is not None
    assert question.weights.sum() == pytest.approx(1.0)
    assert question.weights[0].tolist() == pytest.approx([0.75, 0.25])


def test_each_clause_weighs_its_own_words() -> None:
    """The weights of a clause add up to one, and those of words that it lacks are nothing."""
    question = pieces(ENCODER, {"alpha": 3.0, "beta": 1.0, "gamma": 1.0}, [0b111, 0b011, 0b100])
    assert question is not None
    assert question.weights == pytest.approx(
        np.array([[0.6, 0.2, 0.2], [0.75, 0.25, 0.0], [0.0, 0.0, 1.0]])
    )


def test_words_unknown_to_the_model_keep_their_share() -> None:
    """Words of another script, of which it knows no piece, keep their share of the question."""
    packaged = load_encoder()
    question = pieces(packaged, {"run": 1.0, "数据": 1.0, "迁移": 2.0})
    assert question is not None
    assert packaged.tokenize(["数据", "迁移"]) == [[], []]
    assert 0.15 < question.weights.sum() < 0.35


def test_words_without_pieces_ask_nothing() -> None:
    """Where the model knows no piece, there is nothing to compare."""
    assert pieces(ENCODER, {}) is None
    assert pieces(ENCODER, {"alpha": 0.0}) is None


def test_a_near_word_is_almost_the_word() -> None:
    """With the packaged model "bought" is nearer to "purchased" than to anything unrelated."""
    encoder = load_encoder()
    question = pieces(encoder, {"purchased": 1.0})
    assert question is not None
    texts = ["we bought a bike", "the weather is mild", "purchased"]
    blobs = [struct.pack(f"<{len(ids)}I", *ids) for ids in encoder.tokenize(texts)]
    found = likeness(encoder, question, blobs)
    near, far, same = (found.weights @ found.best)[0]
    assert far < near < same == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("others", [0, MAX_ROWS_OF_TOKENS // PASSAGE])
def test_matching_passage_of_a_long_text_is_compared(others: int) -> None:
    """The passages that hold what is asked for are compared, wherever they stand and however many
    texts there are, and those of the heaviest pieces first."""
    question = pieces(ENCODER, {"alpha": 1.0, "omega": 3.0})
    assert question is not None
    long = "alpha beta " * MAX_TOKENS + "omega gamma"
    found = likeness(ENCODER, question, stored(long, *["beta"] * others))
    assert found.best[:, 0].max() == pytest.approx(1.0, abs=1e-5)
    assert found.best[question.weights[0].argmax(), 0] == pytest.approx(1.0, abs=1e-5)
