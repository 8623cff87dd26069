"""Verdicts about pairs of memories: how two stand to each other, and who decided it.

A verdict is about both texts: of other texts nothing is decided. A caller overrules everybody, and
is overruled by nobody but the undoing of a run, which is a caller's wish too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .identity import pair_hash
from .records import Decider, PairVerdict, Resolution

if TYPE_CHECKING:
    from ..store.store import Store

# How two memories stand to each other, the older one first, if a contradiction is settled so.
VERDICT_OF = {
    Resolution.A_WINS: PairVerdict.CONTRADICTION,
    Resolution.B_WINS: PairVerdict.UPDATE,
    Resolution.BOTH_VALID: PairVerdict.DISTINCT,
    Resolution.MERGED: PairVerdict.DUPLICATE,
}


def decide(
    store: Store,
    first: int,
    second: int,
    verdict: PairVerdict,
    *,
    by: Decider,
    note: str | None = None,
    texts_hash: str | None = None,
) -> None:
    """Note how two memories stand to each other; inside `write`.

    `texts_hash`: of the texts that were decided about, if they may have changed since."""
    a, b = sorted((first, second))
    if texts_hash is None:
        texts = store.first("memories.two_texts", id=a, other=b)
        if texts is None:
            return  # one of them is gone
        texts_hash = pair_hash(texts[0], texts[2])
    store.run(
        "memories.put_verdict",
        memory_a=a,
        memory_b=b,
        verdict=verdict,
        decided_by=by,
        texts_hash=texts_hash,
        note=note,
        at=store.now(),
    )
