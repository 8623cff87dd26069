"""What each column of evidence weighs, in log-odds. Made by `python -m bench.train --write`.

Read a line as: one unit of the column (most run from 0 to 1) multiplies the odds that a memory is
what was asked for by e^weight. `FULL` is used with the packaged model, `COSINE` with a model of the
user's own that shows no pieces, `LEXICAL` without vectors.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Weights:
    """One table.

    Attributes:
        base: log-odds of a candidate that nothing speaks for.
        asked: times ln(1 + words of the question).
        columns: weight of each column; "a*b" is the product of two. They decide the order.
        own: what further columns add to the chance, without changing the order.
    """

    base: float
    asked: float
    columns: Mapping[str, float]
    own: Mapping[str, float]


# The kind of evidence under which a column is reported in `Hit.parts`.
PARTS = {
    "bm25_place": "words", "words": "words", "coverage": "words", "phrases": "words",
    "alone*bm25_share": "words", "alone*coverage": "words",
    "named": "name", "named*words": "name",
    "cosine": "meaning", "cosine_below": "meaning", "soft": "meaning", "soft_below": "meaning",
    "alone*cosine": "meaning", "about*length": "meaning", "alone*about*length": "meaning",
    "passage*length": "meaning", "close*length": "meaning", "cosine*length": "meaning",
    "user*about": "meaning",
    "before_bm25": "neighbours", "after_bm25": "neighbours", "near_gain": "neighbours",
    "after_cosine": "neighbours", "gain_before": "neighbours",
    "after_question*before_close": "neighbours",
    "session_best": "session", "session_coverage": "session", "session_close": "session",
    "speaker": "speaker", "speaker*after_question": "speaker",
    "subject": "speaker", "own_user": "speaker", "advice_assistant": "speaker",
    "long": "form", "user*length": "form", "user*length*length": "form", "is_question": "form",
    "user*has_question": "form", "acknowledges": "form", "first_person": "form", "standing": "form",
    "summary_length": "form",
    "when_time": "answer", "number_number": "answer", "who_name": "answer",
    "titled_title": "answer", "tense": "answer",
    "request_standing": "answer", "request_preference": "answer",
    "month": "time", "day": "time",
}  # fmt: skip

# -- made by bench/train from here on

FULL = Weights(
    base=-4.773,
    asked=-0.353,
    own={"coverage": 0.857, "soft": 0.848},
    columns={
        "bm25_place": 0.476, "words": 0.492, "phrases": 0.154, "alone*bm25_share": 0.195,
        "named": 3.450, "named*words": 3.551,
        "cosine": 0.512, "cosine_below": 0.469, "soft": 0.638, "soft_below": 0.450,
        "alone*cosine": 1.150, "about*length": 0.668, "alone*about*length": 0.370,
        "passage*length": 0.506, "close*length": -0.307, "cosine*length": -0.285,
        "user*about": 2.261,
        "after_cosine": 0.424, "gain_before": 1.065, "after_question*before_close": 0.417,
        "session_best": 0.581, "session_close": 0.531,
        "speaker": 0.214, "subject": 0.230, "speaker*after_question": 0.172, "own_user": 0.226,
        "advice_assistant": 0.193,
        "long": -0.117, "user*length": -0.185, "user*length*length": 0.032, "is_question": -0.195,
        "user*has_question": 0.170, "acknowledges": -0.095, "first_person": 0.150,
        "standing": 0.055, "summary_length": 0.366,
        "when_time": 0.375, "number_number": 0.260, "titled_title": 0.401, "tense": 0.161,
        "request_standing": 0.763, "request_preference": 0.549, "who_name": 0.301,
        "month": 1.129, "day": 0.865,
    },
)  # fmt: skip

COSINE = Weights(
    base=-4.827,
    asked=-0.062,
    own={"coverage": 1.966, "cosine": 0.528},
    columns={
        "bm25_place": 0.421, "words": 0.584, "phrases": 0.150, "alone*bm25_share": 0.218,
        "alone*coverage": 0.174,
        "named": 3.135, "named*words": 2.909,
        "cosine": 0.567, "cosine_below": 0.520, "alone*cosine": 0.696, "cosine*length": 0.154,
        "after_cosine": 0.284, "before_bm25": 0.213, "after_bm25": 0.028, "near_gain": 0.195,
        "session_best": 0.421, "session_coverage": 0.544,
        "speaker": 0.129, "subject": 0.161, "speaker*after_question": 0.175, "own_user": 0.263,
        "advice_assistant": 0.096,
        "long": -0.197, "user*length": -0.151, "user*length*length": 0.038, "is_question": -0.168,
        "user*has_question": 0.136, "acknowledges": -0.062, "first_person": 0.157,
        "standing": 0.059, "summary_length": 0.273,
        "when_time": 0.263, "number_number": 0.226, "titled_title": 0.320, "tense": 0.144,
        "request_standing": 0.480, "request_preference": 0.384, "who_name": 0.252,
        "month": 0.825, "day": 0.646,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-5.016,
    asked=0.225,
    own={"coverage": 2.386},
    columns={
        "bm25_place": 0.364, "words": 0.500, "coverage": 0.229, "phrases": 0.142,
        "alone*bm25_share": 0.332, "alone*coverage": 0.000,
        "named": 3.203, "named*words": 2.538,
        "before_bm25": 0.172, "after_bm25": 0.087, "near_gain": 0.156,
        "session_best": 0.403, "session_coverage": 0.411,
        "speaker": 0.090, "subject": 0.126, "speaker*after_question": 0.159, "own_user": 0.190,
        "advice_assistant": 0.114,
        "long": -0.084, "user*length": -0.066, "user*length*length": 0.017, "is_question": -0.124,
        "user*has_question": 0.091, "acknowledges": -0.047, "first_person": 0.144,
        "standing": 0.032, "summary_length": 0.205,
        "when_time": 0.198, "number_number": 0.211, "titled_title": 0.237, "tense": 0.120,
        "request_standing": 0.375, "request_preference": 0.291, "who_name": 0.164,
        "month": 0.644, "day": 0.531,
    },
)  # fmt: skip
