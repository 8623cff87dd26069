"""What is looked up for words that are not in the store as they are typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.retrieval import entity_match, spelling
from memkit.retrieval.query import MAX_PARTS, MAX_PHRASES, MAX_TERMS, parse_query
from memkit.retrieval.spelling import Vocabulary, edit_distance
from tests.strategies import texts

_FEW = st.lists(st.text("abcd", min_size=1, max_size=7), min_size=1, max_size=6)


def reference(one: str, other: str) -> int:
    """Return the distance by trying every last edit (no letter is edited twice)."""
    if not one or not other:
        return len(one) + len(other)
    ways = [
        reference(one[:-1], other) + 1,
        reference(one, other[:-1]) + 1,
        reference(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    ]
    if one[-2:] == other[-2:][::-1] and len(one) > 1 < len(other):
        ways.append(reference(one[:-2], other[:-2]) + 1)
    return min(ways)


def first(kit: memkit.Memkit, question: str) -> str | None:
    """Return the text that comes first, whatever its score."""
    hits = kit.recall(question, min_score=0)
    return hits[0].memory.text if hits else None


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_distance_is_that_of_the_definition(one: str, other: str) -> None:
    """Added, dropped, changed and swapped letters count one each."""
    assert edit_distance(one, other) == reference(one, other)


@given(st.text("abcd", min_size=1, max_size=8), _FEW, st.integers(0, 4))
def test_all_stems_at_once_are_as_far_as_one_by_one(
    word: str, stems: Sequence[str], ending: int
) -> None:
    """The distance by bits is that to the word without the ending that brings it nearest."""
    lengths = Vocabulary.of(stems, [1] * len(stems)).lengths
    ordered = sorted(stems, key=len)
    apart = spelling.distances(word, spelling.letter_codes(ordered), lengths, ending=ending)
    shortest = max(len(word) - ending, 1)
    assert apart.tolist() == [
        min(edit_distance(word[:size], stem) for size in range(shortest, len(word) + 1))
        for stem in ordered
    ]


@pytest.mark.parametrize(
    ("typed", "held"),
    [
        ("grafna", "grafana dashboards live in the ops folder"),
        ("localhsot", "the mock listens on localhost only"),
        ("dokcer-compose", "docker-compose starts the three services"),
        ("qurantine", "flaky tests go to quarantine for a week"),
        ("tiemout", "the timeout of the gateway is a minute"),
        ("bufer", "the buffers are flushed at midnight"),
    ],
)
def test_a_misspelt_word_finds_the_word_of_the_store(
    kit: memkit.Memkit, typed: str, held: str
) -> None:
    """One wrong, missing, doubled or swapped letter is read as the store's own word."""
    kit.memories.remember_many([held, "lunch is at noon", "the parser is recursive descent"])
    assert first(kit, typed) == held


def test_a_reason_names_the_word_and_what_was_typed(kit: memkit.Memkit) -> None:
    """Who reads a hit sees that a word was corrected."""
    kit.memories.remember_many(["grafana runs on port 3300", "lunch is at noon"])
    (hit, *_) = kit.recall("grafna", min_score=0)
    assert any("grafana (for grafna)" in reason for reason in hit.reasons)


def test_a_word_that_is_stored_is_never_corrected(kit: memkit.Memkit) -> None:
    """However rare it is beside a frequent neighbour."""
    kit.memories.remember_many(["cache warms at six", *(f"catch number {n}" for n in range(9))])
    assert first(kit, "cache") == "cache warms at six"


@pytest.mark.parametrize(
    ("typed", "held"),
    [
        ("web hook", "the webhook answers within two seconds"),
        ("pre-commit", "precommit runs the linter"),
        ("filename", "a file name has no blanks"),
        ("keepalive", "keep alive is switched off"),
    ],
)
def test_compounds_are_found_in_either_spelling(kit: memkit.Memkit, typed: str, held: str) -> None:
    """A blank too many or too few is no other word."""
    kit.memories.remember_many([held, "lunch is at noon", "the web answers slowly"])
    assert first(kit, typed) == held


@pytest.mark.parametrize(
    "name", ["OPS-9999", "ops-9999", "CVE-2021-44228", "4499-B", "ERR_QX_4472", "E0107", "9be02d1"]
)
def test_an_identifier_that_is_not_stored_finds_nothing(kit: memkit.Memkit, name: str) -> None:
    """Its parts are no evidence, and the answer says why it is empty."""
    kit.memories.remember_many(
        ["OPS-2291: the queue stalls", "ERR_QX_4471: no license", "batch 4499-A is spoilt"]
    )
    answer = kit.recall(name, min_score=0)
    assert not answer
    assert f"{name} occurs nowhere" in answer.notes


def test_the_rest_of_a_question_with_an_unknown_identifier_counts(kit: memkit.Memkit) -> None:
    """What else is asked is answered, and not by the identifier's neighbours."""
    kit.memories.remember_many(["OPS-2291: the queue stalls", "the release freeze is in August"])
    assert first(kit, "OPS-9999 during the release freeze") == "the release freeze is in August"


@pytest.mark.parametrize("typed", ["OPS-2291", "ops-2291", "OPS_2291", "OPS2291", "ops 2291"])
def test_a_stored_identifier_is_found_however_it_is_written(kit: memkit.Memkit, typed: str) -> None:
    """Its parts side by side are the whole."""
    kit.memories.remember_many(["OPS-2219: disk full", "OPS-2291: the queue stalls"])
    assert first(kit, typed) == "OPS-2291: the queue stalls"


@pytest.mark.parametrize("text", ["3.2", "v3.2", "3.2.1", "2026-11-20", "10:30", "100ms", "k8s"])
def test_versions_dates_and_amounts_are_no_identifiers(text: str) -> None:
    """They are found by what they have in common with others."""
    assert not spelling.identifiers(f"what of {text} then")


@pytest.mark.parametrize("typed", ["formatMoney", "fmt_money", "money format"])
def test_names_without_digits_are_found_by_their_parts(kit: memkit.Memkit, typed: str) -> None:
    """A function is asked for by name, and told of in words."""
    kit.memories.remember_many(["fmt_money: the money format rounds half up", "lunch is at noon"])
    assert first(kit, typed) == "fmt_money: the money format rounds half up"


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("what are the DoS mitigations", "DoS: the proxy drops bursts"),
        ("how do we answer a DOS attempt", "DoS: the proxy drops bursts"),
        ("which laptops does IT hand out", "IT orders hardware in spring"),
        ("how fast is the CAN here", "CAN runs at half a megabit"),
    ],
)
def test_names_in_capitals_are_no_function_words(
    kit: memkit.Memkit, question: str, held: str
) -> None:
    """What the stemmer and the list of function words take for do, it, can."""
    kit.memories.remember_many([held, "do it at once and it can wait", "does it do it"])
    assert first(kit, question) == held


@pytest.mark.parametrize("question", ["WHO TOLD US ABOUT IT", "do NOT push", "this OR that ALL"])
def test_shouting_and_stress_make_no_names(question: str) -> None:
    """All in capitals, or one word that is stressed."""
    assert not any(term.exact for term in parse_query(question).terms)


@pytest.mark.parametrize("repeated", ["漢", "漢字", "ab_", "a.b.", "Ab", "x-"])
def test_repeats_are_looked_up_a_bounded_number_of_times(repeated: str) -> None:
    """The longest phrase has MAX_PARTS parts, however long the run is."""
    question = parse_query(repeated * 3_000)
    assert len(question.terms) <= MAX_TERMS
    assert len(question.phrases) <= MAX_PHRASES
    pieces = [phrase.strip('"').split(" ") for phrase in question.phrases]
    assert max(map(len, pieces), default=0) <= MAX_PARTS


def test_a_run_of_repeats_is_no_name() -> None:
    """It would be looked for at every place of a text that is such a run too."""
    assert entity_match.names(f"{'ab_' * 300} {'漢' * 50} get_user") == ["get_user"]


@given(texts)
def test_any_text_is_spelt_anew(text: str) -> None:
    """Nothing raises where every word is unknown, and what is looked up stays bounded."""

    def nowhere(matches: Sequence[str]) -> Mapping[str, int]:
        return dict.fromkeys(matches, 0)

    class Mute(spelling.Speller):
        def __init__(self) -> None:
            self.asked = 0

        def corrected(self, word: str) -> str | None:
            self.asked += 1
            return "cache" if Vocabulary.of(["cach", "token"], [3, 1]).near(word) else None

        def is_word(self, word: str) -> bool:
            return False

    mute = Mute()
    question = parse_query(text.encode("utf-8", "ignore").decode())
    found = spelling.respelt(question, nowhere, mute).question
    assert mute.asked <= spelling.MAX_CORRECTED
    assert len(found.terms) <= MAX_TERMS


def test_a_stem_that_is_a_word_is_corrected_to(packaged: memkit.Memkit) -> None:
    """The store has another form of the word, which its letters alone would not reach."""
    packaged.memories.remember("Parcels are returned within nine days.")
    hit = packaged.recall("when must a parcel be retrun", min_score=0)[0]
    assert any("retrun" in reason for reason in hit.reasons)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wie lange werden die Metriken in Thanos aufgehoben?", "Thanos"),
        ("¿Cuánto tiempo se guardan los datos en Thanos?", "Thanos"),
    ],
)
def test_a_question_in_another_language_finds_the_name_that_it_shares(
    packaged: memkit.Memkit, question: str, expected: str
) -> None:
    """What is only written in the same language does not come before it."""
    packaged.memories.remember_many(
        [
            "Thanos keeps raw blocks for sixty days.",
            "Der Klimaschrank im Labor schafft nur 70 Grad, die Heizung dort wird lange gewartet.",
            "Los precios se aplican después del descuento, nunca al revés.",
            "消費税の端数は注文合計で切り捨てます。",
            "The canteen closes at two.",
        ]
    )
    assert expected in (first(packaged, question) or "")
    assert expected in packaged.recall(question)[0].memory.text
