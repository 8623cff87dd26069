"""What each column of evidence weighs, in log-odds. Made by `python -m bench.train --write`.

Read a line as: one unit of the column (most run from 0 to 1) multiplies the odds that a memory is
what was asked for by e^weight. `FULL` is used with the packaged model, `COSINE` with a model of the
user's own that shows no pieces, `LEXICAL` without vectors, `CONTEXTUAL` where vectors are of whole
texts and pieces are there too.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Weights:
    """One table.

    Attributes:
        columns: weight of each column of evidence; "a*b" is the product of two.
        base: log-odds of a memory that nothing speaks for or against.
        belief: what the question and the list add to the log-odds: `lead` (of the best before the
            second), `above_tenth` (of the best before the tenth), `behind` (from the best to the
            memory), and columns that are the same for all memories.
    """

    columns: Mapping[str, float]
    base: float
    belief: Mapping[str, float]


# The kind of evidence under which a column is reported in `Hit.parts`.
PARTS = {
    "bm25_place": "words", "words": "words", "coverage": "words", "phrases": "words",
    "alone*bm25_share": "words", "alone*coverage": "words",
    "named": "name",
    "cosine": "meaning", "alone*cosine": "meaning", "soft": "meaning", "about": "meaning",
    "before_bm25": "neighbours", "after_bm25": "neighbours", "near_gain": "neighbours",
    "after_cosine": "neighbours", "gain_before": "neighbours",
    "after_question*before_close": "neighbours",
    "session_best": "session", "session_coverage": "session", "session_close": "session",
    "speaker": "speaker", "subject": "speaker", "speaker*after_question": "speaker",
    "length": "form", "long": "form", "is_question": "form",
    "when_time": "answer", "number_number": "answer", "who_name": "answer",
    "in_range": "time", "range_in_text": "time",
}  # fmt: skip

# -- made by bench/train from here on

FULL = Weights(
    base=0.0,
    belief={"word_count": 0.0, "explained": 0.0, "unknown": 0.0, "factoid": 0.0, "lead": 0.0, "above_tenth": 0.0, "behind": 0.0},
    columns={"bm25_place": 0.0, "words": 0.0, "phrases": 0.0, "alone*bm25_share": 0.0, "named": 0.0, "cosine": 0.0, "alone*cosine": 0.0, "soft": 0.0, "about": 0.0, "after_cosine": 0.0, "gain_before": 0.0, "after_question*before_close": 0.0, "session_best": 0.0, "session_close": 0.0, "speaker": 0.0, "subject": 0.0, "speaker*after_question": 0.0, "length": 0.0, "long": 0.0, "is_question": 0.0, "when_time": 0.0, "number_number": 0.0, "who_name": 0.0, "in_range": 0.0, "range_in_text": 0.0},
)  # fmt: skip

COSINE = Weights(
    base=0.0,
    belief={"word_count": 0.0, "explained": 0.0, "unknown": 0.0, "factoid": 0.0, "lead": 0.0, "above_tenth": 0.0, "behind": 0.0},
    columns={"bm25_place": 0.0, "words": 0.0, "coverage": 0.0, "phrases": 0.0, "alone*bm25_share": 0.0, "named": 0.0, "cosine": 0.0, "alone*cosine": 0.0, "after_cosine": 0.0, "near_gain": 0.0, "before_bm25": 0.0, "after_bm25": 0.0, "session_best": 0.0, "session_coverage": 0.0, "speaker": 0.0, "subject": 0.0, "speaker*after_question": 0.0, "length": 0.0, "long": 0.0, "is_question": 0.0, "when_time": 0.0, "number_number": 0.0, "who_name": 0.0, "in_range": 0.0, "range_in_text": 0.0},
)  # fmt: skip

LEXICAL = Weights(
    base=0.0,
    belief={"word_count": 0.0, "explained": 0.0, "unknown": 0.0, "factoid": 0.0, "lead": 0.0, "above_tenth": 0.0, "behind": 0.0},
    columns={"bm25_place": 0.0, "words": 0.0, "coverage": 0.0, "phrases": 0.0, "alone*bm25_share": 0.0, "alone*coverage": 0.0, "named": 0.0, "near_gain": 0.0, "before_bm25": 0.0, "after_bm25": 0.0, "session_best": 0.0, "session_coverage": 0.0, "speaker": 0.0, "subject": 0.0, "speaker*after_question": 0.0, "length": 0.0, "long": 0.0, "is_question": 0.0, "when_time": 0.0, "number_number": 0.0, "who_name": 0.0, "in_range": 0.0, "range_in_text": 0.0},
)  # fmt: skip

CONTEXTUAL = Weights(
    base=0.0,
    belief={"word_count": 0.0, "explained": 0.0, "unknown": 0.0, "factoid": 0.0, "lead": 0.0, "above_tenth": 0.0, "behind": 0.0},
    columns={"bm25_place": 0.0, "words": 0.0, "phrases": 0.0, "alone*bm25_share": 0.0, "named": 0.0, "cosine": 0.0, "alone*cosine": 0.0, "soft": 0.0, "about": 0.0, "after_cosine": 0.0, "gain_before": 0.0, "after_question*before_close": 0.0, "session_best": 0.0, "session_close": 0.0, "speaker": 0.0, "subject": 0.0, "speaker*after_question": 0.0, "length": 0.0, "long": 0.0, "is_question": 0.0, "when_time": 0.0, "number_number": 0.0, "who_name": 0.0, "in_range": 0.0, "range_in_text": 0.0},
)  # fmt: skip
