"""How long text is divided and put together again."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memkit.encoder import CHUNK_TOKENS, Embedded, chunks


@given(st.lists(st.integers(0, 2**32 - 1), max_size=700), st.integers(1, 200))
def test_chunks_hold_every_id_once_in_order(ids: list[int], size: int) -> None:
    """Chunks put together are the ids; they are as few as possible and nearly equally long."""
    parts = chunks(ids, size=size)
    assert [i for part in parts for i in part] == ids
    assert len(parts) == -(-len(ids) // size)
    if parts:
        lengths = [len(part) for part in parts]
        assert 0 < min(lengths) <= max(lengths) <= size
        assert max(lengths) - min(lengths) <= 1


def test_the_default_chunk_is_the_constant() -> None:
    """Without a size, chunks hold at most CHUNK_TOKENS ids."""
    assert [len(part) for part in chunks(range(CHUNK_TOKENS + 2))] == [65, 65]
    assert chunks([]) == []


def test_one_vector_for_the_whole_text() -> None:
    """The vector of a text is its only chunk, or the unit mean of several, or None."""
    one, other = np.eye(4, dtype=np.float32)[:2]
    assert Embedded((one,)).vector is one
    assert np.allclose(Embedded((one, other)).vector, [0.5**0.5, 0.5**0.5, 0, 0])
    assert Embedded((one, -one)).vector is None
    assert Embedded().vector is None
