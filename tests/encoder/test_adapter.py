"""An object of the user's own as an encoder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.encoder import Encoder, HashedEncoder, load_encoder
from memkit.encoder.adapter import PIECE_CHARS, AdaptedEncoder, pieces
from memkit.errors import EncoderError, InvalidInput, ModelChanged


class Letters:
    """Counts letters: a model whose vectors depend on the text alone."""

    def __init__(self, *, turn: int = 0) -> None:
        self.turn = turn
        self.seen: list[str] = []

    def encode(self, texts: list[str]) -> list[list[float]]:
        """One row of 26 counts per text; texts without letters give a zero row."""
        self.seen.extend(texts)
        rows = [[float(t.lower().count(chr(97 + n))) for n in range(26)] for t in texts]
        return [row[self.turn :] + row[: self.turn] for row in rows]


class Broken:
    """Answers with an array of the wrong shape, or with NaN."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def encode(self, texts: list[str]) -> object:
        """The fixed answer, called for the number of texts."""
        return self.answer(len(texts)) if callable(self.answer) else self.answer


def test_an_object_answers_by_the_one_path() -> None:
    """embed gives unit vectors in order, with no token ids, and nothing for texts without any."""
    encoder = load_encoder(Letters())
    assert isinstance(encoder, Encoder)
    first, blank, zero, last = encoder.embed(["abc", "  ", "123", "xyz"])
    assert encoder.dimensions == 26
    assert np.allclose(first.vector[:3], 1 / np.sqrt(3))
    assert np.allclose(last.vector[-3:], 1 / np.sqrt(3))
    assert blank.vectors == zero.vectors == ()
    assert first.token_ids == ()


def test_a_model_without_tokens_has_nothing_for_late_interaction() -> None:
    """tokenize is empty, token_vectors has no rows, pool is None: callers need no second path."""
    encoder = load_encoder(Letters())
    assert encoder.tokenize(["abc", "d"]) == [[], []]
    assert encoder.token_vectors([]).shape == (0, 26)
    assert encoder.pool([], weights={1: 2.0}) is None


def test_ids_given_to_a_model_without_tokens_are_refused() -> None:
    """Stored ids come from another model, so they raise ModelChanged."""
    encoder = load_encoder(Letters())
    with pytest.raises(ModelChanged):
        encoder.pool([3])
    with pytest.raises(ModelChanged):
        encoder.token_vectors([3])


def test_long_text_is_encoded_to_its_end() -> None:
    """A text longer than one piece is encoded in pieces, and the last word is among them."""
    model = Letters()
    encoder = load_encoder(model)
    embedded = encoder.embed(["filler words " * 300 + "zzz"])[0]
    assert len(embedded.vectors) == len(pieces("filler words " * 300 + "zzz")) > 5
    assert model.seen[-1].endswith("zzz")
    assert abs(float(np.linalg.norm(embedded.vector)) - 1) < 1e-5


@given(st.text(st.characters() | st.sampled_from(" \n\ud800\x00"), max_size=2_000))
def test_pieces_lose_nothing_but_white_space(text: str) -> None:
    """Pieces hold every character but white space and lone surrogates, each within the limit."""
    parts = pieces(text)
    legal = text.encode("utf-8", "ignore").decode("utf-8")
    assert "".join("".join(parts).split()) == "".join(legal.split())
    assert all(0 < len(part) <= PIECE_CHARS for part in parts)


@pytest.mark.parametrize("text", ["a" * 1_000, "a" * 399 + " " + "b" * 401, "ab " * 1_000])
def test_pieces_end_at_white_space_where_they_can(text: str) -> None:
    """Words shorter than a piece are never cut."""
    words = set(text.split())
    cut = [w for part in pieces(text) for w in part.split() if w not in words]
    assert all(len(word) < 1_000 for word in cut)
    assert not cut or max(map(len, words)) > PIECE_CHARS


def test_another_model_of_the_same_class_has_another_name() -> None:
    """Objects of one class and dimension but other vectors differ in name; equal ones agree."""
    assert load_encoder(Letters()).name == load_encoder(Letters()).name
    assert load_encoder(Letters()).name != load_encoder(Letters(turn=5)).name


def test_the_name_survives_rounding_noise() -> None:
    """Noise of another machine's arithmetic does not look like another model."""

    class Hashes:
        """Gaussian rows by text hash, with noise added."""

        model_name = "mine"

        def __init__(self, noise: float) -> None:
            self.noise = noise

        def encode(self, texts: list[str]) -> np.ndarray:
            """Rows fixed by the text, plus noise."""
            seeds = [int(hashlib.sha256(t.encode()).hexdigest()[:8], 16) for t in texts]
            rows = [np.random.default_rng(seed).normal(size=64) for seed in seeds]
            return np.stack(rows) + self.noise

    assert AdaptedEncoder(Hashes(0.0)).name == AdaptedEncoder(Hashes(1e-7)).name
    assert AdaptedEncoder(Hashes(0.0)).name.startswith("mine@")


@pytest.mark.parametrize("answer", [[1.0, 2.0], np.zeros((1, 4)), np.zeros((4, 2, 2))])
def test_a_wrong_shape_is_named(answer: object) -> None:
    """An answer that is not one row per text raises EncoderError with both shapes."""
    with pytest.raises(EncoderError, match="shape"):
        load_encoder(Broken(answer))


def test_a_dimension_that_changes_is_refused() -> None:
    """A model whose rows change length between calls raises EncoderError."""
    widths = iter([4, 5])
    encoder = load_encoder(Broken(lambda count: np.ones((count, next(widths)))))
    with pytest.raises(EncoderError, match="expected"):
        encoder.embed(["text"])


def test_nan_rows_are_no_vectors() -> None:
    """NaN or infinite rows of a user's model never become vectors."""
    answers = iter([np.ones, lambda shape: np.full(shape, np.nan), lambda s: np.full(s, np.inf)])
    encoder = load_encoder(Broken(lambda count: next(answers)((count, 4))))
    assert encoder.embed(["a"])[0].vectors == ()
    assert encoder.embed(["a"])[0].vectors == ()


def test_an_encoder_is_taken_as_it_is() -> None:
    """An object that already follows the protocol is not wrapped."""
    hashed = HashedEncoder()
    assert load_encoder(hashed) is hashed


@pytest.mark.parametrize("thing", [3, b"path", object(), ["text"]])
def test_anything_else_is_refused(thing: object) -> None:
    """Something without encode raises InvalidInput and says what is accepted."""
    with pytest.raises(InvalidInput, match="encode"):
        load_encoder(thing)


def test_an_object_with_encode_opened_no_store(make_kit: Callable[..., memkit.Memkit]) -> None:
    """`memkit.open` takes an object with `encode` as its help says, and the same one again."""
    kit = make_kit(encoder=Letters())
    kit.memories.remember("alpha beta")
    assert kit.recall("alphabet", min_score=0)
    assert kit.stats().vectors.stored
    with pytest.raises(InvalidInput, match="encode"):
        memkit.open(kit.path, encoder=5)  # type: ignore[arg-type]


def test_a_model_that_fails_costs_the_vectors_alone(make_kit: Callable[..., memkit.Memkit]) -> None:
    """What a user's model raises is told in a note; what is said then is stored and found by its
    words, and gets its vectors later."""

    class Failing(Letters):
        """Answers until its service is gone."""

        is_gone = False

        def encode(self, texts: list[str]) -> object:
            if self.is_gone:
                raise RuntimeError("the service is gone")
            return super().encode(texts)

    model = Failing()
    kit = make_kit("failing.db", encoder=load_encoder(model))
    kit.memories.remember("The cache is Redis.")
    model.is_gone = True
    (note,) = kit.memories.remember("The queue is Kafka.").notes
    assert "encode failed (RuntimeError: the service is gone)" in note
    found = kit.recall("which cache?")
    assert [hit.memory.text for hit in found] == ["The cache is Redis."]
    assert "the service is gone" in found.notes[0]
    model.is_gone = False
    assert len(kit.memories.find()) == 2
    assert kit.reembed() == 1
