"""What `remember` says at once of a new statement: what it contradicts, updates, repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import memkit
from memkit.memories import pair_detection
from memkit.memories.records import Resolution
from memkit.memories.writer import MOST_COMPARED

if TYPE_CHECKING:
    from tests.conftest import MakeKit

MAP = "The harbour map is drawn with Leaflet."
NEW_MAP = "We switched the harbour map from Leaflet to MapLibre last month."


@pytest.fixture
def kit(make_kit: MakeKit) -> memkit.Memkit:
    return make_kit(global_store=False)


def test_a_contradiction_is_noted_and_both_stay(kit: memkit.Memkit) -> None:
    """Nothing is deactivated by a heuristic."""
    first = kit.memories.remember("The kiln is fired on Mondays.")
    second = kit.memories.remember("We always fire the kiln on Thursdays.")
    assert second.contradicts == (first.id,)
    assert second.updates == second.repeats == ()
    (pair,) = kit.memories.contradictions()
    assert (pair.memory_a, pair.memory_b, pair.origin) == (first.id, second.id, "detected")
    assert pair.proposed is None
    assert pair.note
    assert all(memory.is_current for memory in kit.memories.find())


def test_an_update_proposes_that_it_wins(kit: memkit.Memkit) -> None:
    """The newer one says that something changed; whether it takes its place is for `resolve`."""
    first, second = kit.memories.remember(MAP), kit.memories.remember(NEW_MAP)
    assert second.updates == second.contradicts == (first.id,)
    (pair,) = kit.memories.contradictions()
    assert pair.proposed == Resolution.B_WINS
    assert kit.memories.get(first).is_current
    kit.memories.resolve(first, second, Resolution.B_WINS)
    assert kit.memories.get(first).superseded_by == second.id
    assert kit.memories.contradictions() == []


def test_a_duplicate_is_linked_not_folded(kit: memkit.Memkit) -> None:
    """Both keep their words; the edge weighs how likely it is."""
    first = kit.memories.remember("Every change in harbour/tides is reviewed by Greta.")
    second = kit.memories.remember("Greta reviews all changes in harbour/tides.")
    assert second.id != first.id
    assert second.repeats == (first.id,)
    assert second.contradicts == ()
    (edge,) = [e for e in kit.memories.edges(second) if e.kind == "relates_to"]
    assert (edge.src, edge.dst) == (second.id, first.id)
    assert 0.4 <= edge.weight <= 1


def test_only_the_fact_in_question_is_doubted(make_kit: Callable[..., memkit.Memkit]) -> None:
    """What merely names the same person or thing stays out of it, and everything stays active."""
    kit = make_kit("packaged.memkit.db", encoder=None)
    said = [
        "Greta maintains the tide service",
        "Greta administers the harbour wiki",
        "the tide service depends on buoy-db",
        "the tide service must pass the autumn audit",
    ]
    ids = [kit.memories.remember(text).id for text in said]
    assert kit.memories.contradictions() == []
    last = kit.memories.remember("Nils, not Greta, maintains the tide service")
    assert last.contradicts == (ids[0],)
    assert all(kit.memories.get(number).is_current for number in ids)


def test_distinct_values_are_never_folded_nor_called_the_same(kit: memkit.Memkit) -> None:
    """Two services, versions, units, paths, and a negation stay ten statements; what is denied is
    doubted; the same in other words is linked."""
    said = [
        "Service north listens on port 7001", "Service south listens on port 7002",
        "Use Go 1.22 in the lab", "Use Go 1.23 in the lab",
        "Do commit vendored code", "Do not commit vendored code",
        "the retry delay is 20 s", "the retry delay is 20 ms",
        "lib/north/io.py opens files lazily", "lib/south/io.py opens files lazily",
    ]  # fmt: skip
    results = [kit.memories.remember(text) for text in said]
    assert len({result.id for result in results}) == len(said)
    assert [n for n, result in enumerate(results) if result.repeats] == []
    assert results[5].contradicts == (results[4].id,)
    first = kit.memories.remember("Checks run with nox -s 4 lint")
    assert kit.memories.remember("We run nox -s 4 lint for checks").repeats == (first.id,)


def test_a_correction_of_the_text_settles_the_doubt(kit: memkit.Memkit) -> None:
    """What was doubted of former words is judged by the new ones."""
    first, second = kit.memories.remember(MAP), kit.memories.remember(NEW_MAP)
    kit.memories.update(second, text="Nils prefers short commit messages.")
    assert kit.memories.contradictions() == []
    assert kit.memories.get(first).is_current


def test_what_was_settled_as_both_valid_is_not_raised_again(kit: memkit.Memkit) -> None:
    """Neither by remembering it again nor by a scan."""
    first, second = kit.memories.remember(MAP), kit.memories.remember(NEW_MAP)
    kit.memories.resolve(first, second, Resolution.BOTH_VALID, note="two maps")
    assert kit.memories.remember(NEW_MAP).contradicts == ()
    assert kit.consolidation.scan_contradictions().detected == ()
    assert kit.memories.contradictions() == []


def test_keyed_facts_are_left_to_supersession(kit: memkit.Memkit) -> None:
    """Values of two keys are of two things, however alike their sentences."""
    kit.memories.remember("The limit is 20 files.", key="upload limit", value="20")
    other = kit.memories.remember("The limit is 30 files now.", key="export limit", value="30")
    assert other.contradicts == other.updates == other.repeats == ()


def test_many_at_once_are_not_compared_one_by_one(kit: memkit.Memkit) -> None:
    """An import of thousands stays as fast as it was; the scan does the rest."""
    said = [f"Buoy {n} is painted in colour {n * 7}." for n in range(MOST_COMPARED)]
    kit.memories.remember_many([*said, MAP, NEW_MAP])
    assert kit.memories.contradictions() == []
    report = kit.consolidation.scan_contradictions()
    assert "update" in {pair.verdict for pair in report.detected}
    texts = {kit.memories.get(pair.memory_b).text for pair in kit.memories.contradictions()}
    assert NEW_MAP in texts


def test_it_works_by_words_alone(make_kit: MakeKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the model the nearest are those that share telling words."""
    monkeypatch.setenv("MEMKIT_ENCODER", "hashing")
    kit = make_kit(global_store=False)
    first = kit.memories.remember(MAP)
    assert kit.memories.remember(NEW_MAP).updates == (first.id,)


def test_words_that_most_memories_hold_are_not_looked_by(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scan of many statements of one form would go through all of them for each; by a word that
    few hold, and where there is none by those of all, the others are found as before."""
    monkeypatch.setattr(pair_detection, "_COMMON", 5)
    said = [f"Buoy {name} is painted." for name in ("amber", "beryl", "coral", "denim", "ecru")]
    ids = [result.id for result in kit.memories.remember_many([*said, MAP])]
    searches = []
    ask = kit._store.all

    def record(name: str, /, **params: object) -> object:
        if name == "memories_search.nearest_by_words":
            searches.append(params["match"])
        return ask(name, **params)

    monkeypatch.setattr(kit._store, "all", record)
    kit.consolidation.scan_contradictions(everything=True)
    assert '"amber"' in searches
    assert not any("buoy" in match for match in searches)
    searches.clear()
    other = kit.memories.remember("The buoy is painted.")
    assert any("buoy" in match for match in searches)
    assert other.id not in ids
