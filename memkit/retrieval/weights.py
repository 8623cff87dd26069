"""What each column of evidence weighs, in log-odds. Made by `python -m bench.train --write`.

Read a line as: one unit of the column (most run from 0 to 1) multiplies the odds that a memory is
what was asked for by e^weight. `FULL` is used where there are vectors, `LEXICAL` where not.
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
        best: times the largest value of a column in the list: how well anything answers at all.
        columns: weight of each column; "a*b" is the product of two.
    """

    base: float
    asked: float
    best: Mapping[str, float]
    columns: Mapping[str, float]


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
    base=-5.004,
    asked=-0.271,
    best={},
    columns={
        "bm25_place": 0.317, "words": 0.404, "coverage": 0.621, "phrases": 0.192,
        "alone*bm25_share": 0.228,
        "named": 3.217, "named*words": 4.376,
        "cosine": 0.320, "cosine_below": 0.291, "soft": 2.151, "soft_below": 0.442,
        "alone*cosine": 1.115, "about*length": 0.595, "alone*about*length": 0.392,
        "passage*length": 0.436, "close*length": -0.255, "cosine*length": -0.214,
        "user*about": 2.088,
        "after_cosine": 0.489, "gain_before": 1.123, "after_question*before_close": 0.434,
        "session_best": 0.570, "session_close": 0.500,
        "speaker": 0.104, "other_speaker": -0.114, "speaker_answers": 0.170, "own_user": 0.257,
        "advice_assistant": 0.309,
        "long": -0.103, "user_length": -0.176, "user_length_sq": 0.037, "is_question": -0.181,
        "user_question": 0.137, "acknowledges": -0.091, "first_person": 0.171, "standing": 0.304,
        "when_time": 0.382, "number_number": 0.256, "who_name": 0.248,
        "month": 1.110, "day": 0.868,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-5.018,
    asked=0.237,
    best={},
    columns={
        "bm25_place": 0.213, "words": 0.438, "coverage": 2.791, "phrases": 0.148,
        "alone*bm25_share": 0.360, "alone*coverage": 0.048,
        "named": 3.299, "named*words": 3.123,
        "before_bm25": 0.174, "after_bm25": 0.092, "near_gain": 0.248,
        "session_best": 0.383, "session_coverage": 0.423,
        "speaker": 0.042, "other_speaker": -0.048, "speaker_answers": 0.163, "own_user": 0.158,
        "advice_assistant": 0.163,
        "long": -0.080, "user_length": -0.047, "user_length_sq": 0.017, "is_question": -0.116,
        "user_question": 0.079, "acknowledges": -0.054, "first_person": 0.159, "standing": 0.151,
        "when_time": 0.206, "number_number": 0.199, "who_name": 0.167,
        "month": 0.634, "day": 0.556,
    },
)  # fmt: skip
