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
    "subject": "speaker", "own_user": "speaker", "advice_assistant": "speaker",
    "long": "form", "user_length": "form", "user_length_sq": "form", "is_question": "form",
    "user_question": "form", "acknowledges": "form", "first_person": "form", "standing": "form",
    "summary_length": "form",
    "when_time": "answer", "number_number": "answer", "who_name": "answer",
    "titled_title": "answer", "tense": "answer",
    "request_standing": "answer", "request_preference": "answer",
    "month": "time", "day": "time",
}  # fmt: skip

# -- made by bench/train from here on

FULL = Weights(
    base=-4.830,
    asked=-0.333,
    own={"coverage": 0.727, "soft": 0.967},
    columns={
        "bm25_place": 0.395, "words": 0.498, "coverage": 0.000, "phrases": 0.177,
        "alone*bm25_share": 0.227,
        "named": 3.219, "named*words": 4.449,
        "cosine": 0.416, "cosine_below": 0.388, "soft": 0.681, "soft_below": 0.499,
        "alone*cosine": 1.276, "about*length": 0.723, "alone*about*length": 0.421,
        "passage*length": 0.523, "close*length": -0.327, "cosine*length": -0.277,
        "user*about": 2.277,
        "after_cosine": 0.482, "gain_before": 1.163, "after_question*before_close": 0.454,
        "session_best": 0.604, "session_close": 0.564,
        "speaker": 0.113, "other_speaker": -0.118, "subject": 0.600, "speaker_answers": 0.189, "own_user": 0.234,
        "advice_assistant": 0.337,
        "long": -0.134, "user_length": -0.225, "user_length_sq": 0.055, "is_question": -0.205,
        "user_question": 0.152, "acknowledges": -0.104, "first_person": 0.191, "standing": 0.290,
        "when_time": 0.438, "number_number": 0.302, "titled_title": 1.000, "tense": 0.400, "request_standing": 2.000, "request_preference": 1.500, "summary_length": 1.000, "who_name": 0.304,
        "month": 1.185, "day": 0.951,
    },
)  # fmt: skip

COSINE = Weights(
    base=-4.908,
    asked=-0.033,
    own={"coverage": 1.948, "cosine": 0.594},
    columns={
        "bm25_place": 0.380, "words": 0.598, "coverage": 0.000, "phrases": 0.165,
        "alone*bm25_share": 0.226, "alone*coverage": 0.219,
        "named": 2.982, "named*words": 3.651,
        "cosine": 0.507, "cosine_below": 0.473, "alone*cosine": 0.765, "cosine*length": 0.186,
        "after_cosine": 0.320, "before_bm25": 0.224, "after_bm25": 0.020, "near_gain": 0.235,
        "session_best": 0.439, "session_coverage": 0.586,
        "speaker": 0.066, "other_speaker": -0.069, "subject": 0.600, "speaker_answers": 0.189, "own_user": 0.271,
        "advice_assistant": 0.208,
        "long": -0.215, "user_length": -0.177, "user_length_sq": 0.053, "is_question": -0.181,
        "user_question": 0.125, "acknowledges": -0.069, "first_person": 0.190, "standing": 0.208,
        "when_time": 0.313, "number_number": 0.254, "titled_title": 1.000, "tense": 0.400, "request_standing": 2.000, "request_preference": 1.500, "summary_length": 1.000, "who_name": 0.254,
        "month": 0.865, "day": 0.700,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-5.077,
    asked=0.260,
    own={"coverage": 2.412},
    columns={
        "bm25_place": 0.288, "words": 0.490, "coverage": 0.232, "phrases": 0.147,
        "alone*bm25_share": 0.369, "alone*coverage": 0.020,
        "named": 3.121, "named*words": 3.152,
        "before_bm25": 0.176, "after_bm25": 0.084, "near_gain": 0.204,
        "session_best": 0.413, "session_coverage": 0.439,
        "speaker": 0.046, "other_speaker": -0.049, "subject": 0.600, "speaker_answers": 0.163, "own_user": 0.181,
        "advice_assistant": 0.197,
        "long": -0.086, "user_length": -0.049, "user_length_sq": 0.018, "is_question": -0.131,
        "user_question": 0.081, "acknowledges": -0.048, "first_person": 0.170, "standing": 0.134,
        "when_time": 0.239, "number_number": 0.228, "titled_title": 1.000, "tense": 0.400, "request_standing": 2.000, "request_preference": 1.500, "summary_length": 1.000, "who_name": 0.172,
        "month": 0.662, "day": 0.559,
    },
)  # fmt: skip
