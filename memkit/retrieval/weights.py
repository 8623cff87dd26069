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
        best: times the largest value of a column among the first of the list: how well anything
            answers at all.
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
    base=-5.009,
    asked=-0.281,
    best={"coverage": 0.624, "soft": 1.479},
    columns={
        "bm25_place": 0.309, "words": 0.417, "coverage": 0.000, "phrases": 0.192,
        "alone*bm25_share": 0.226,
        "named": 3.159, "named*words": 4.469,
        "cosine": 0.317, "cosine_below": 0.293, "soft": 0.641, "soft_below": 0.461,
        "alone*cosine": 1.294, "about*length": 0.752, "alone*about*length": 0.380,
        "passage*length": 0.476, "close*length": -0.286, "cosine*length": -0.287,
        "user*about": 2.094,
        "after_cosine": 0.499, "gain_before": 1.133, "after_question*before_close": 0.444,
        "session_best": 0.592, "session_close": 0.518,
        "speaker": 0.107, "other_speaker": -0.115, "speaker_answers": 0.172, "own_user": 0.264,
        "advice_assistant": 0.323,
        "long": -0.117, "user_length": -0.227, "user_length_sq": 0.057, "is_question": -0.185,
        "user_question": 0.142, "acknowledges": -0.094, "first_person": 0.169, "standing": 0.287,
        "when_time": 0.391, "number_number": 0.269, "who_name": 0.255,
        "month": 1.142, "day": 0.881,
    },
)  # fmt: skip

LEXICAL = Weights(
    base=-5.008,
    asked=0.251,
    best={"coverage": 2.620},
    columns={
        "bm25_place": 0.183, "words": 0.425, "coverage": 0.207, "phrases": 0.138,
        "alone*bm25_share": 0.346, "alone*coverage": 0.040,
        "named": 3.069, "named*words": 3.190,
        "before_bm25": 0.163, "after_bm25": 0.085, "near_gain": 0.230,
        "session_best": 0.366, "session_coverage": 0.412,
        "speaker": 0.040, "other_speaker": -0.044, "speaker_answers": 0.154, "own_user": 0.147,
        "advice_assistant": 0.157,
        "long": -0.084, "user_length": -0.057, "user_length_sq": 0.022, "is_question": -0.110,
        "user_question": 0.075, "acknowledges": -0.050, "first_person": 0.150, "standing": 0.134,
        "when_time": 0.195, "number_number": 0.192, "who_name": 0.160,
        "month": 0.605, "day": 0.527,
    },
)  # fmt: skip

COSINE = Weights(
    base=-5.008,
    asked=0.251,
    best={"coverage": 2.620, "cosine": 0.1},
    columns={
        "cosine": 0.1, "cosine_below": 0.1, "after_cosine": 0.1, "alone*cosine": 0.1,
        "cosine*length": 0.1,
        "bm25_place": 0.183, "words": 0.425, "coverage": 0.207, "phrases": 0.138,
        "alone*bm25_share": 0.346, "alone*coverage": 0.040,
        "named": 3.069, "named*words": 3.190,
        "before_bm25": 0.163, "after_bm25": 0.085, "near_gain": 0.230,
        "session_best": 0.366, "session_coverage": 0.412,
        "speaker": 0.040, "other_speaker": -0.044, "speaker_answers": 0.154, "own_user": 0.147,
        "advice_assistant": 0.157,
        "long": -0.084, "user_length": -0.057, "user_length_sq": 0.022, "is_question": -0.110,
        "user_question": 0.075, "acknowledges": -0.050, "first_person": 0.150, "standing": 0.134,
        "when_time": 0.195, "number_number": 0.192, "who_name": 0.160,
        "month": 0.605, "day": 0.527,
    },
)  # fmt: skip
