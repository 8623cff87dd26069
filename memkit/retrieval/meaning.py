"""The evidence of vectors: late interaction and cosine, of a memory and of the turns around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .features import Columns
from .late import Likeness
from .view import View

if TYPE_CHECKING:
    from .late import Floats


def of_cosines(view: View) -> Columns:
    """How near in direction a memory's best chunk is to the question."""
    cosines = [m.cosine for m in view.members]
    best = max(cosines, default=0.0)
    return {
        "cosine": cosines,
        "cosine_below": [cosine - best for cosine in cosines],
        "after_cosine": [m.cosine if m else 0.0 for m in view.after],
    }


def of_likeness(view: View, found: Likeness, order: Sequence[int]) -> Columns:
    """How like the question a memory's pieces are; `order` lists the ids along `found`'s arrays."""
    import numpy as np

    place: dict[int | None, int] = {number: at for at, number in enumerate(order)}
    nothing = len(place)
    weights = found.weights
    close = np.zeros((len(weights), nothing + 1), np.float32)  # the last column: no memory
    close[:, :nothing] = found.close()
    here = [place[number] for number in view.pool.candidates]
    before = [place.get(m.before, nothing) for m in view.members]
    before2 = [place.get(m.before, nothing) if m else nothing for m in view.before]
    own = close[:, here]
    weighed = weights @ own
    earlier = np.maximum(close[:, before], close[:, before2])
    soft = found.soft()[here]
    columns = {
        "soft": soft,
        "soft_below": soft - soft.max(initial=0.0),
        "close": weighed,
        "passage": found.passage[here],
        "about": found.about[here],
        "before_close": weights @ close[:, before],
        "gain_before": weights @ np.maximum(own, earlier) - weighed,
        "session_close": _by_session(view, close, weights, place),
    }
    return {name: column.tolist() for name, column in columns.items()}


def _by_session(
    view: View, close: Floats, weights: Floats, place: Mapping[int | None, int]
) -> Floats:
    """Return how close the pool's memories of each candidate's session are, taken together."""
    import numpy as np

    of: dict[str, list[int]] = {}
    for number, member in view.pool.members.items():
        if (session := member.facts.session) is not None and number in place:
            of.setdefault(session, []).append(place[number])
    best = {session: float(weights @ close[:, at].max(axis=1)) for session, at in of.items()}
    return np.array([best.get(s, 0.0) if s else 0.0 for s in view.sessions], np.float32)
