"""What recall is held against in the same run: plain full-text search, and brute force by numpy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from .scoring import any_word

if TYPE_CHECKING:
    from memkit.encoder import Encoder

# Hits that every contestant returns.
LIMIT = 10


class FullText:
    """FTS5 on the store's own file: any of the question's words, ranked by BM25, with the texts."""

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)

    def ask(self, question: str) -> list[Any]:
        """Return (id, text) of the best matches."""
        return list(
            self._db.execute(
                "select m.id, m.text from (select rowid as id, bm25(search_index) as score "
                "from search_index where search_index match ? order by score limit ?) f "
                "join memories m on m.id = f.id order by f.score",
                (any_word(question), LIMIT),
            )
        )

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


class BruteForce:
    """Every vector of the store as one matrix of float32, multiplied with the question's vector."""

    def __init__(self, path: Path, encoder: Encoder) -> None:
        import numpy as np

        self._encoder = encoder
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        rows = list(connection.execute("select memory_id, vector from embeddings"))
        connection.close()
        self._ids = [number for number, _ in rows]
        stored = np.frombuffer(b"".join(blob for _, blob in rows), dtype=np.int8)
        matrix = stored.reshape(len(rows), encoder.dimensions).astype(np.float32)
        self._matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def ask(self, question: str) -> list[int]:
        """Return the ids of the nearest memories."""
        import numpy as np

        vector = self._encoder.embed([question])[0].vector
        if vector is None:
            return []
        scores = self._matrix @ vector
        most = min(LIMIT, len(scores)) - 1
        best = np.argpartition(-scores, most)[: most + 1]
        return [self._ids[place] for place in best[np.argsort(-scores[best])]]
