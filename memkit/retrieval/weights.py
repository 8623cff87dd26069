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
    "speaker": "speaker", "other_speaker": "speaker", "speaker_answers": "speaker",
    "own_user": "speaker", "advice_assistant": "speaker",
    "long": "form", "user_length": "form", "user_length_sq": "form", "is_question": "form",
    "user_question": "form", "acknowledges": "form", "first_person": "form", "standing": "form",
    "when_time": "answer", "number_number": "answer", "who_name": "answer",
    "month": "time", "day": "time",
}  # fmt: skip

# -- made by bench/train from here on

FULL = Weights(
    base=-4.765,
    asked=-0.358,
    own={"coverage": 0.734, "soft": 0.939},
    columns={
        "bm25_place": 0.402, "words": 0.495, "coverage": 0.000, "phrases": 0.170,
        "alone*bm25_share": 0.220,
        "named": 5.636, "named*words": 5.814,
        "cosine": 0.425, "cosine_below": 0.397, "soft": 0.681, "soft_below": 0.502,
        "alone*cosine": 1.284, "about*length": 0.738, "alone*about*length": 0.413,
        "passage*length": 0.516, "close*length": -0.318, "cosine*length": -0.275,
        "user*about": 2.312,
        "after_cosine": 0.473, "gain_before": 1.160, "after_question*before_close": 0.460,
        "session_best": 0.610, "session_close": 0.563,
        "speaker": 0.112, "other_speaker": -0.118, "speaker_answers": 0.187, "own_user": 0.240,
        "advice_assistant": 0.338,
        "long": -0.136, "user_length": -0.228, "user_length_sq": 0.057, "is_question": -0.205,
        "user_question": 0.154, "acknowledges": -0.106, "first_person": 0.175, "standing": 0.289,
        "when_time": 0.428, "number_number": 0.310, "who_name": 0.300,
        "month": 1.188, "day": 0.952,
    },
)  # fmt: skip

COSINE = Weights(
    base=-4.885,
    asked=-0.028,
    own={"coverage": 1.971, "cosine": 0.502},
    columns={
        "bm25_place": 0.386, "words": 0.598, "coverage": 0.000, "phrases": 0.161,
        "alone*bm25_share": 0.219, "alone*coverage": 0.227,
        "named": 5.274, "named*words": 4.528,
        "cosine": 0.515, "cosine_below": 0.481, "alone*cosine": 0.763, "cosine*length": 0.191,
        "after_cosine": 0.321, "before_bm25": 0.223, "after_bm25": 0.017, "near_gain": 0.240,
        "session_best": 0.442, "session_coverage": 0.592,
        "speaker": 0.066, "other_speaker": -0.069, "speaker_answers": 0.190, "own_user": 0.277,
        "advice_assistant": 0.207,
        "long": -0.215, "user_length": -0.183, "user_length_sq": 0.054, "is_question": -0.179,
        "user_question": 0.125, "acknowledges": -0.070, "first_person": 0.178, "standing": 0.206,
        "when_time": 0.305, "number_number": 0.257, "who_name": 0.252,
        "month": 0.868, "day": 0.702,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-5.086,
    asked=0.247,
    own={"coverage": 2.376},
    columns={
        "bm25_place": 0.304, "words": 0.514, "coverage": 0.242, "phrases": 0.152,
        "alone*bm25_share": 0.383, "alone*coverage": 0.025,
        "named": 6.120, "named*words": 3.584,
        "before_bm25": 0.184, "after_bm25": 0.087, "near_gain": 0.214,
        "session_best": 0.431, "session_coverage": 0.459,
        "speaker": 0.048, "other_speaker": -0.051, "speaker_answers": 0.173, "own_user": 0.189,
        "advice_assistant": 0.202,
        "long": -0.088, "user_length": -0.055, "user_length_sq": 0.020, "is_question": -0.137,
        "user_question": 0.085, "acknowledges": -0.051, "first_person": 0.167, "standing": 0.133,
        "when_time": 0.251, "number_number": 0.238, "who_name": 0.180,
        "month": 0.691, "day": 0.584,
    },
)  # fmt: skip
