"""Weight tables of the ranker, in log-odds. Made by `python -m bench.train --write`.

Read a line as: one unit of the column (most run from 0 to 1) multiplies the odds that a memory is
what was asked for by e^weight. `FULL` is used with the packaged model, `COSINE` with a model of the
user's own that shows no pieces, `LEXICAL` without vectors, `CONTEXTUAL` where vectors are of whole
texts and pieces are there too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Weights(NamedTuple):
    """One table.

    Attributes:
        columns: weight of each column of evidence; "a*b" is the product of two.
        base: log-odds of a memory that nothing speaks for or against.
        belief: what the question and the list add to the log-odds: `best` (the greatest score),
            `lead` (of the best before the second), `above_tenth` (of the best before the one after
            ten), and columns that are the same for all memories.
        background: the usual score of a memory that has nothing to do with a question: what a
            short list is thought to go on with.
    """

    columns: Mapping[str, float]
    base: float
    belief: Mapping[str, float]
    background: float


# The kind of evidence under which a column is reported in `Hit.parts`.
PARTS = {
    "bm25_place": "words", "words": "words", "coverage": "words", "phrases": "words",
    "alone*bm25_share": "words",
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
    base=-3.424,
    background=4.329,
    belief={
        "word_count": 0.404, "unknown": -0.560, "factoid": -0.410, "lead": 0.245,
        "above_tenth": 0.386, "best": -0.959,
    },
    columns={
        "bm25_place": 1.348, "words": 0.682, "phrases": 0.972, "alone*bm25_share": 1.169,
        "named": 2.735,
        "cosine": 1.410, "alone*cosine": 6.826, "soft": 4.521, "about": 6.278,
        "after_cosine": 2.052, "gain_before": 3.480, "after_question*before_close": 1.382,
        "session_best": 2.026, "session_close": 1.796,
        "speaker": 0.501, "subject": 0.861, "speaker*after_question": 0.671, "own_user": 1.132,
        "length": 0.221, "long": -0.840, "summary_length": 1.340, "is_question": -0.672,
        "first_person": 0.385,
        "when_time": 0.983, "number_number": 1.313, "who_name": 0.668, "tense": 0.674,
        "request_standing": 2.199, "request_preference": 1.942,
        "in_range": 3.436, "range_in_text": 1.600,
    },
)  # fmt: skip

COSINE = Weights(
    base=-3.447,
    background=3.537,
    belief={
        "word_count": 0.391, "unknown": -0.656, "factoid": -0.462, "lead": 0.220,
        "above_tenth": 0.407, "best": -0.949,
    },
    columns={
        "bm25_place": 1.945, "words": 1.910, "coverage": 0.763, "phrases": 1.114,
        "alone*bm25_share": 1.530,
        "named": 2.918,
        "cosine": 4.845, "alone*cosine": 7.579,
        "after_cosine": 1.172, "near_gain": 1.013, "before_bm25": 0.986, "after_bm25": 0.210,
        "session_best": 2.083, "session_coverage": 2.458,
        "speaker": 0.557, "subject": 0.813, "speaker*after_question": 0.964, "own_user": 1.072,
        "length": 0.060, "long": -0.779, "summary_length": 1.410, "is_question": -0.705,
        "first_person": 0.362,
        "when_time": 0.923, "number_number": 1.449, "who_name": 0.789, "tense": 0.700,
        "request_standing": 2.201, "request_preference": 1.944,
        "in_range": 3.550, "range_in_text": 1.645,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-3.731,
    background=3.555,
    belief={
        "word_count": 0.555, "explained": 0.879, "unknown": -0.716, "factoid": -0.531,
        "lead": 0.270, "above_tenth": 0.383, "best": -0.982,
    },
    columns={
        "bm25_place": 4.078, "words": 1.497, "coverage": 1.390, "phrases": 1.574,
        "alone*bm25_share": 3.494,
        "named": 4.018,
        "near_gain": 0.455, "before_bm25": 1.236, "after_bm25": 0.752,
        "session_best": 2.886, "session_coverage": 2.830,
        "speaker": 0.596, "subject": 0.910, "speaker*after_question": 1.141, "own_user": 1.318,
        "length": 0.276, "long": -0.708, "summary_length": 1.605, "is_question": -0.638,
        "first_person": 0.659,
        "when_time": 1.067, "number_number": 1.623, "who_name": 0.584, "tense": 0.802,
        "request_standing": 2.583, "request_preference": 2.054,
        "in_range": 4.095, "range_in_text": 1.488,
    },
)  # fmt: skip

CONTEXTUAL = Weights(
    base=-3.345,
    background=3.780,
    belief={
        "word_count": 0.456, "unknown": -0.507, "factoid": -0.471, "lead": 0.275,
        "above_tenth": 0.312, "best": -0.952,
    },
    columns={
        "bm25_place": 1.644, "words": 0.000, "phrases": 0.725, "alone*bm25_share": 0.513,
        "named": 2.386,
        "cosine": 3.171, "alone*cosine": 10.096, "soft": 4.580, "about": 3.520,
        "after_cosine": 2.362, "gain_before": 4.111, "after_question*before_close": 0.990,
        "session_best": 2.827, "session_close": 1.658,
        "speaker": 0.250, "subject": 1.028, "speaker*after_question": 1.086, "own_user": -0.110,
        "length": 0.291, "long": -0.183, "summary_length": 1.218, "is_question": -0.870,
        "first_person": 0.208,
        "when_time": 0.400, "number_number": 1.909, "who_name": 0.660, "tense": 0.615,
        "request_standing": 0.000, "request_preference": 0.000,
        "in_range": 4.162, "range_in_text": 1.405,
    },
)  # fmt: skip
