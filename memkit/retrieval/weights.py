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
    base=-2.603,
    background=3.962,
    belief={
        "word_count": 0.495, "explained": 0.093, "unknown": -0.627, "factoid": -0.313,
        "alone": -0.779, "lead": 0.140, "above_tenth": 0.530, "best": -1.015,
    },
    columns={
        "bm25_place": 1.442, "words": 0.638, "phrases": 0.991, "alone*bm25_share": 1.096,
        "named": 2.668,
        "cosine": 1.193, "alone*cosine": 5.694, "soft": 4.386, "about": 6.122,
        "after_cosine": 1.980, "gain_before": 3.378, "after_question*before_close": 1.341,
        "session_best": 1.918, "session_close": 1.716,
        "speaker": 0.482, "subject": 0.832, "speaker*after_question": 0.645, "own_user": 1.091,
        "length": 0.207, "long": -0.788, "summary_length": 1.287, "is_question": -0.646,
        "first_person": 0.390,
        "when_time": 0.936, "number_number": 1.252, "who_name": 0.631, "tense": 0.662,
        "request_standing": 2.088, "request_preference": 1.853,
        "in_range": 3.306, "range_in_text": 1.515,
    },
)  # fmt: skip

COSINE = Weights(
    base=-2.659,
    background=3.155,
    belief={
        "word_count": 0.510, "explained": 0.221, "unknown": -0.691, "factoid": -0.324,
        "alone": -0.818, "lead": 0.131, "above_tenth": 0.553, "best": -1.024,
    },
    columns={
        "bm25_place": 1.995, "words": 1.785, "coverage": 0.869, "phrases": 1.128,
        "alone*bm25_share": 1.418,
        "named": 2.876,
        "cosine": 4.476, "alone*cosine": 6.366,
        "after_cosine": 1.142, "near_gain": 1.066, "before_bm25": 0.934, "after_bm25": 0.178,
        "session_best": 1.978, "session_coverage": 2.322,
        "speaker": 0.535, "subject": 0.786, "speaker*after_question": 0.935, "own_user": 1.030,
        "length": 0.046, "long": -0.729, "summary_length": 1.355, "is_question": -0.675,
        "first_person": 0.366,
        "when_time": 0.865, "number_number": 1.379, "who_name": 0.752, "tense": 0.682,
        "request_standing": 2.082, "request_preference": 1.859,
        "in_range": 3.411, "range_in_text": 1.565,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-2.454,
    background=3.314,
    belief={
        "word_count": 0.472, "explained": 0.901, "unknown": -0.540, "factoid": -0.359,
        "alone": -0.923, "lead": 0.233, "above_tenth": 0.511, "best": -1.080,
    },
    columns={
        "bm25_place": 3.979, "words": 1.328, "coverage": 1.438, "phrases": 1.563,
        "alone*bm25_share": 3.193,
        "named": 3.931,
        "near_gain": 0.483, "before_bm25": 1.181, "after_bm25": 0.702,
        "session_best": 2.743, "session_coverage": 2.685,
        "speaker": 0.573, "subject": 0.876, "speaker*after_question": 1.098, "own_user": 1.255,
        "length": 0.253, "long": -0.681, "summary_length": 1.545, "is_question": -0.612,
        "first_person": 0.635,
        "when_time": 1.006, "number_number": 1.562, "who_name": 0.559, "tense": 0.777,
        "request_standing": 2.432, "request_preference": 1.949,
        "in_range": 3.933, "range_in_text": 1.435,
    },
)  # fmt: skip

CONTEXTUAL = Weights(
    base=-1.848,
    background=3.541,
    belief={
        "word_count": 0.594, "explained": 0.123, "unknown": -0.610, "factoid": -0.422,
        "alone": -1.473, "lead": 0.284, "above_tenth": 0.352, "best": -1.003,
    },
    columns={
        "bm25_place": 2.051, "words": 0.000, "phrases": 0.800, "alone*bm25_share": 0.397,
        "named": 2.443,
        "cosine": 3.239, "alone*cosine": 9.836, "soft": 4.224, "about": 2.561,
        "after_cosine": 2.307, "gain_before": 3.958, "after_question*before_close": 0.986,
        "session_best": 2.738, "session_close": 1.675,
        "speaker": 0.267, "subject": 1.003, "speaker*after_question": 1.068, "own_user": -0.123,
        "length": 0.264, "long": -0.158, "summary_length": 1.199, "is_question": -0.832,
        "first_person": 0.220,
        "when_time": 0.384, "number_number": 1.856, "who_name": 0.647, "tense": 0.614,
        "request_standing": 0.000, "request_preference": 0.000,
        "in_range": 4.079, "range_in_text": 1.353,
    },
)  # fmt: skip
