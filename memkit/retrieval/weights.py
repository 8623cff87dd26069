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
        belief: what the question and the list add to the log-odds: `best` (the greatest score),
            `lead` (of the best before the second), `above_tenth` (of the best before the one after
            ten), and columns that are the same for all memories.
        background: the usual score of the one after ten: what a shorter list is thought to go on
            with.
    """

    columns: Mapping[str, float]
    base: float
    belief: Mapping[str, float]
    background: float


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
    "own_user": "speaker",
    "length": "form", "long": "form", "summary_length": "form", "is_question": "form",
    "first_person": "form",
    "when_time": "answer", "number_number": "answer", "who_name": "answer", "tense": "answer",
    "request_standing": "answer", "request_preference": "answer",
    "in_range": "time", "range_in_text": "time",
}  # fmt: skip

# -- made by bench/train from here on

FULL = Weights(
    base=-3.542,
    background=5.626,
    belief={
        "word_count": 0.243, "explained": 0.197, "unknown": -0.513, "factoid": -0.479, "alone": 0.000,
        "lead": 0.188, "above_tenth": 0.316, "best": -0.872,
    },
    columns={
        "bm25_place": 4.177, "words": 0.000, "phrases": 1.487, "alone*bm25_share": 0.000,
        "named": 2.582,
        "cosine": 2.445, "alone*cosine": 2.445, "soft": 5.056, "about": 11.860,
        "after_cosine": 0.000, "gain_before": 0.000, "after_question*before_close": 0.000,
        "session_best": 0.000, "session_close": 0.000,
        "speaker": 0.000, "subject": 0.000, "speaker*after_question": 0.000, "own_user": 0.000,
        "length": 0.228, "long": -0.096, "summary_length": 0.000, "is_question": 0.000,
        "first_person": 0.000,
        "when_time": 0.347, "number_number": 2.258, "who_name": 0.370, "tense": 0.000,
        "request_standing": 0.000, "request_preference": 0.000,
        "in_range": 2.892, "range_in_text": 2.234,
    },
)  # fmt: skip

COSINE = Weights(
    base=-3.409,
    background=4.249,
    belief={
        "word_count": 0.243, "explained": 0.142, "unknown": -0.734, "factoid": -0.556, "alone": 0.000,
        "lead": 0.217, "above_tenth": 0.254, "best": -0.829,
    },
    columns={
        "bm25_place": 6.193, "words": 0.253, "coverage": 2.376, "phrases": 1.841,
        "alone*bm25_share": 0.000,
        "named": 2.932,
        "cosine": 5.460, "alone*cosine": 5.460,
        "after_cosine": 0.000, "near_gain": 0.000, "before_bm25": 0.000, "after_bm25": 0.000,
        "session_best": 0.000, "session_coverage": 0.000,
        "speaker": 0.000, "subject": 0.000, "speaker*after_question": 0.000, "own_user": 0.000,
        "length": 0.094, "long": -0.322, "summary_length": 0.000, "is_question": 0.000,
        "first_person": 0.000,
        "when_time": 0.265, "number_number": 2.406, "who_name": 0.494, "tense": 0.000,
        "request_standing": 0.000, "request_preference": 0.000,
        "in_range": 3.006, "range_in_text": 2.291,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-4.188,
    background=1.496,
    belief={
        "word_count": 0.634, "explained": 0.474, "unknown": -0.852, "factoid": -0.570, "alone": 0.000,
        "lead": 0.165, "above_tenth": 0.246, "best": -0.777,
    },
    columns={
        "bm25_place": 8.724, "words": 0.000, "coverage": 1.993, "phrases": 2.612,
        "alone*bm25_share": 0.088, "alone*coverage": 1.993,
        "named": 4.056,
        "near_gain": 0.000, "before_bm25": 0.000, "after_bm25": 0.000,
        "session_best": 0.000, "session_coverage": 0.000,
        "speaker": 0.000, "subject": 0.000, "speaker*after_question": 0.000, "own_user": 0.000,
        "length": 0.288, "long": -0.067, "summary_length": 0.000, "is_question": 0.000,
        "first_person": 0.000,
        "when_time": 0.414, "number_number": 2.319, "who_name": 0.446, "tense": 0.000,
        "request_standing": 0.000, "request_preference": 0.000,
        "in_range": 3.496, "range_in_text": 2.379,
    },
)  # fmt: skip

CONTEXTUAL = Weights(
    base=-3.925,
    background=5.258,
    belief={
        "word_count": 0.584, "explained": 0.555, "unknown": -0.635, "factoid": -0.075,
        "lead": 0.038, "above_tenth": 0.400, "best": -0.903,
    },
    columns={
        "bm25_place": 2.005, "words": 0.000, "phrases": 0.786, "alone*bm25_share": 0.359,
        "named": 2.267,
        "cosine": 3.067, "alone*cosine": 9.260, "soft": 3.980, "about": 2.350,
        "after_cosine": 2.314, "gain_before": 3.742, "after_question*before_close": 0.941,
        "session_best": 2.499, "session_close": 1.623,
        "speaker": 0.266, "subject": 0.953, "speaker*after_question": 1.070,
        "length": 0.313, "long": -0.326, "is_question": -0.818,
        "when_time": 0.434, "number_number": 1.712, "who_name": 0.622,
        "in_range": 3.248, "range_in_text": 1.515,
    },
)  # fmt: skip
