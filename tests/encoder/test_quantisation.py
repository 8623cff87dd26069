"""Vectors as SQLite stores them, held against sqlite-vec itself."""

from __future__ import annotations

import itertools
import math
from importlib.util import find_spec

import apsw
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memkit.encoder import load_encoder, quantize, sign_bits
from memkit.errors import InvalidInput

components = st.floats(-1, 1, width=32, allow_subnormal=False)
vectors = arrays(np.float32, 64, elements=components)


@pytest.fixture(scope="module")
def vec0() -> apsw.Connection:
    """An in-memory connection with sqlite-vec loaded by path, without importing its package."""
    connection = apsw.Connection(":memory:")
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1)
    connection.load_extension(find_spec("sqlite_vec").submodule_search_locations[0] + "/vec0")
    return connection


def stored_cosine(vec0: apsw.Connection, first: np.ndarray, second: np.ndarray) -> float:
    """sqlite-vec's cosine of the two vectors as stored."""
    sql = "select 1 - vec_distance_cosine(vec_int8(?), vec_int8(?))"
    return vec0.execute(sql, (quantize(first), quantize(second))).get


def test_int8_keeps_the_cosine_of_texts(vec0: apsw.Connection) -> None:
    """For text, sqlite-vec's cosine of the stored int8 is within 1e-2 of that of the floats."""
    texts = [
        "rotate the signing certificate each March",
        "when do we renew the signing cert",
        "kittens sleep all day",
        "def read_config(path): return parse(path)",
        "x",
    ]
    vectors = [embedded.vector for embedded in load_encoder().embed(texts)]
    for first, second in itertools.product(vectors, vectors):
        exact = float(first @ second)
        assert stored_cosine(vec0, first, second) == pytest.approx(exact, abs=1e-2)


@given(vectors, vectors)
def test_int8_turns_no_vector_further_than_rounding_can(
    vec0: apsw.Connection, first: np.ndarray, second: np.ndarray
) -> None:
    """For any vectors the cosine moves by no more than rounding to 1/127 of the largest allows."""
    lengths = [float(np.linalg.norm(vector)) for vector in (first, second)]
    assume(min(lengths) > 0.01)
    exact = float(first @ second) / (lengths[0] * lengths[1])
    turned = sum(
        math.asin(min(1.0, 8 * float(np.abs(vector).max()) / 254 / length))
        for vector, length in zip((first, second), lengths, strict=True)
    )
    assert abs(stored_cosine(vec0, first, second) - exact) <= turned + 1e-4


@given(vectors)
def test_bits_are_those_of_sqlite_vec(vec0: apsw.Connection, vector: np.ndarray) -> None:
    """sign_bits gives byte for byte what vec_quantize_binary gives, and vec_bit takes it."""
    assume(np.abs(vector).max() > 0)
    theirs = vec0.execute("select vec_quantize_binary(?)", (vector.tobytes(),)).get
    assert sign_bits(vector) == theirs
    sql = "select vec_distance_hamming(vec_bit(?), vec_bit(?))"
    inverse = bytes(255 - byte for byte in theirs)
    assert vec0.execute(sql, (sign_bits(vector), inverse)).get == 64


def test_lengths_are_those_the_schema_expects() -> None:
    """256 dimensions take 256 bytes as int8 and 32 bytes as bits."""
    vector = np.linspace(-1, 1, 256, dtype=np.float32)
    assert (len(quantize(vector)), len(sign_bits(vector))) == (256, 32)
    assert np.frombuffer(quantize(vector), dtype=np.int8).max() == 127


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf])
def test_a_vector_without_direction_is_refused(value: float) -> None:
    """Zero, NaN and infinite vectors are never turned into bytes."""
    vector = np.full(8, value, dtype=np.float32)
    with pytest.raises(InvalidInput):
        quantize(vector)
    with pytest.raises(InvalidInput):
        sign_bits(vector)
