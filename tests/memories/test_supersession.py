"""Which statement takes the place of which, and from when; what hangs on a duplicate."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from memkit.errors import InvalidInput
from memkit.memories.records import Procedure, RememberResult
from memkit.store import timestamps
from tests.conftest import Clock

THEN = "2030-01-01T00:00:00.000Z"
BEFORE, AFTER = "2029-12-31T23:59:59.999Z", "2030-01-01"


def told(kit: memkit.Memkit, **how: str) -> list[str]:
    """Return what is recalled of the retries."""
    found = [hit.memory.text for hit in kit.recall("retries", min_score=0, **how)]
    when = how.get("as_of", "now")
    assert sorted(found) == sorted(m.text for m in kit.memories.find(as_of=when))
    return found


def at(clock: Clock, moment: str) -> None:
    """Let the clock stand at a moment."""
    clock.now = timestamps.to_epoch(f"{moment}T00:00:00.000Z")


def planned(kit: memkit.Memkit, by: str) -> tuple[RememberResult, RememberResult]:
    """Return a statement that holds and one that replaces it in 2030."""
    if by == "key":
        old = kit.memories.remember(key="retries", value="3")
        return old, kit.memories.remember(key="retries", value="5", valid_from=THEN)
    old = kit.memories.remember("retries: 3")
    return old, kit.memories.remember("retries: 5", supersedes=old, valid_from=THEN)


both_ways = pytest.mark.parametrize("by", ["key", "supersedes"])


class TestAReplacementToCome:
    """What holds from a later moment on replaces what there is then."""

    @both_ways
    def test_a_future_replacement_destroyed_todays_truth(
        self, kit: memkit.Memkit, clock: Clock, by: str
    ) -> None:
        """The old statement is active and recalled until then, the new one from then on."""
        old, new = planned(kit, by)
        assert new.replaced == (old.id,)
        clock.advance(days=1)
        assert kit.memories.get(old).is_current
        assert told(kit) == told(kit, as_of="now") == told(kit, as_of=BEFORE) == ["retries: 3"]
        assert told(kit, as_of=AFTER) == ["retries: 5"]
        at(clock, "2030-01-01")
        assert told(kit) == ["retries: 5"]
        assert told(kit, as_of=BEFORE) == ["retries: 3"]

    @both_ways
    def test_forgotten_plan_does_not_end_the_old_value(
        self, kit: memkit.Memkit, clock: Clock, by: str
    ) -> None:
        """Forgotten, the old one stays true; restored, it replaces it again."""
        old, new = planned(kit, by)
        kit.memories.forget(new)
        assert kit.memories.get(old).valid_to is None
        kit.memories.restore(new)
        assert told(kit, as_of=AFTER) == ["retries: 5"]
        kit.memories.forget(new)
        at(clock, "2031-01-01")
        assert told(kit) == ["retries: 3"]
        kit.memories.restore(new)
        assert told(kit) == ["retries: 5"]

    @both_ways
    def test_changed_forgotten_plan_does_not_end_the_old_value(
        self, kit: memkit.Memkit, by: str
    ) -> None:
        """What is forgotten replaces nothing, whatever is changed of it, until it is restored."""
        old, new = planned(kit, by)
        kit.memories.forget(new)
        kit.memories.update(new, valid_from="2032-01-01")
        assert kit.memories.get(old).valid_to is None
        kit.memories.restore(new)
        assert kit.memories.get(old).valid_to == "2032-01-01T00:00:00.000Z"

    @both_ways
    def test_a_purged_plan_leaves_no_end(self, kit: memkit.Memkit, by: str) -> None:
        """What was to be replaced by what is gone holds for good."""
        old, new = planned(kit, by)
        kit.memories.purge(new)
        assert kit.memories.get(old).valid_to is None
        assert told(kit, as_of=AFTER) == ["retries: 3"]

    @both_ways
    def test_a_plan_that_is_put_off_or_brought_forward_moves_the_end(
        self, kit: memkit.Memkit, clock: Clock, by: str
    ) -> None:
        """The old one ends when the new one begins, whenever that is said to be."""
        old, new = planned(kit, by)
        for year in ("2032", "2028"):
            kit.memories.update(new, valid_from=f"{year}-01-01")
            assert kit.memories.get(old).valid_to == f"{year}-01-01T00:00:00.000Z"
        clock.advance(days=1)
        kit.memories.update(new, valid_from=None)
        assert told(kit) == ["retries: 5"]
        assert kit.memories.get(old).superseded_by == new.id
        kit.memories.update(new, valid_from=THEN)
        assert told(kit) == ["retries: 3"]
        assert told(kit, as_of=AFTER) == ["retries: 5"]

    @both_ways
    def test_the_old_one_can_be_changed_meanwhile(
        self, kit: memkit.Memkit, clock: Clock, by: str
    ) -> None:
        """A new text or an end of its own leave the plan as it is."""
        old, _ = planned(kit, by)
        kit.memories.update(old, "retries: three", kind="correction")
        assert kit.memories.get(old).valid_to == THEN
        kit.memories.update(old, valid_to="2029-06-01")
        assert kit.memories.get(old).valid_to == "2029-06-01T00:00:00.000Z"
        kit.memories.update(old, valid_to=None)
        assert kit.memories.get(old).valid_to == THEN
        kit.memories.forget(old)
        kit.memories.restore(old)
        assert told(kit) == ["retries: three"]
        assert told(kit, as_of=AFTER) == ["retries: 5"]

    @both_ways
    def test_the_old_one_comes_back_after_the_change(
        self, kit: memkit.Memkit, clock: Clock, by: str
    ) -> None:
        """Restored when its time is over, it holds again; of a keyed fact it is the only value."""
        old, new = planned(kit, by)
        at(clock, "2031-01-01")
        kit.memories.restore(old)
        assert "retries: 3" in told(kit)
        assert kit.memories.get(new).is_current == (by == "supersedes")

    def test_interim_value_leaves_the_plan(self, kit: memkit.Memkit, clock: Clock) -> None:
        """Another value for today replaces today's alone; the plan stands."""
        old, _ = planned(kit, "key")
        clock.advance(days=1)
        other = kit.memories.remember(key="retries", value="4")
        assert other.replaced == (old.id,)
        assert told(kit) == ["retries: 4"]
        assert told(kit, as_of=AFTER) == ["retries: 5"]

    def test_a_plan_before_the_plan(self, kit: memkit.Memkit) -> None:
        """Plans follow one another in the order of their moments, however they were said."""
        old, new = planned(kit, "key")
        between = kit.memories.remember(key="retries", value="4", valid_from="2028-01-01")
        assert between.replaced == (old.id,)
        assert [told(kit, as_of=year) for year in ("2027-01-01", "2029-01-01", "2031-01-01")] == [
            ["retries: 3"], ["retries: 4"], ["retries: 5"],
        ]  # fmt: skip
        kit.memories.forget(between)
        assert told(kit, as_of="2029-01-01") == ["retries: 3"]
        assert kit.memories.get(new).is_current

    def test_what_takes_the_place_of_a_plan_takes_over_its_task(
        self, kit: memkit.Memkit, clock: Clock
    ) -> None:
        """A plan that is replaced before it holds hands on what it was to replace."""
        old, plan = planned(kit, "supersedes")
        clock.advance(days=1)
        now = kit.memories.remember("retries: 7", supersedes=plan)
        assert told(kit) == told(kit, as_of=AFTER) == ["retries: 7"]
        assert kit.memories.get(old).superseded_by == now.id

    def test_the_planned_value_said_today_holds_today(
        self, kit: memkit.Memkit, clock: Clock
    ) -> None:
        """Saying without a moment what was to come brings it forward; today's value is over."""
        old, new = planned(kit, "key")
        clock.advance(days=1)
        again = kit.memories.remember(key="retries", value="5")
        assert again.id == new.id
        assert told(kit) == ["retries: 5"]
        assert kit.memories.get(old).superseded_by == new.id

    def test_todays_value_comes_again_after_the_plan(self, kit: memkit.Memkit) -> None:
        """The same statement from a moment on at which it has ended is another one."""
        planned(kit, "key")
        kit.memories.remember(key="retries", value="3", valid_from="2035-01-01")
        assert told(kit) == told(kit, as_of="2036-01-01") == ["retries: 3"]
        assert told(kit, as_of="2033-01-01") == ["retries: 5"]

    def test_an_end_of_its_own_outlives_the_plan(self, kit: memkit.Memkit) -> None:
        """The earlier end counts; the one that was given is back when the plan is gone."""
        old = kit.memories.remember(key="retries", value="3", valid_to="2035-01-01")
        new = kit.memories.remember(key="retries", value="5", valid_from=THEN)
        assert kit.memories.get(old).valid_to == THEN
        kit.memories.forget(new)
        assert kit.memories.get(old).valid_to == "2035-01-01T00:00:00.000Z"

    def test_linking_follows_the_same_rule(self, kit: memkit.Memkit) -> None:
        """A link says the same as remembering with it."""
        old = kit.memories.remember("retries: 3")
        new = kit.memories.remember("retries: 5", valid_from=THEN)
        kit.memories.link(new, old, "supersedes")
        assert told(kit) == ["retries: 3"]
        assert told(kit, as_of=AFTER) == ["retries: 5"]
        kit.memories.unlink(new, old, "supersedes")
        assert kit.memories.get(old).valid_to is None

    @both_ways
    def test_it_survives_export_and_import(
        self, make_kit: Callable[..., memkit.Memkit], tmp_path: object, by: str
    ) -> None:
        """A copy knows the plan, and what is to be done when it is given up."""
        kit, copy = make_kit(), make_kit("copy.db")
        old, new = planned(kit, by)
        copy.import_(kit.path)
        assert told(copy) == ["retries: 3"]
        assert told(copy, as_of=AFTER) == ["retries: 5"]
        copy.memories.forget(new)
        assert copy.memories.get(old).valid_to is None

    def test_a_statement_that_is_over_replaces_nothing(self, kit: memkit.Memkit) -> None:
        """What held in the past only is kept, and today's value stays; it cannot replace it."""
        now = kit.memories.remember(key="port", value="9000")
        past = kit.memories.remember(key="port", value="80", valid_to="2015-01-01")
        assert past.replaced == ()
        assert kit.memories.get(now).is_current
        with pytest.raises(InvalidInput, match="is over"):
            kit.memories.remember("port: 81", valid_to="2015-01-01", supersedes=now)

    def test_history_taken_in_ends_when_the_next_value_came(self, kit: memkit.Memkit) -> None:
        """Values said of the past hold one after the other, in whichever order they are told."""
        for year, value in ((2022, "2"), (2020, "1"), (2024, "3")):
            kit.memories.remember(key="retries", value=value, at=f"{year}-01-01")
        for year, value in ((2021, "1"), (2023, "2"), (2025, "3")):
            assert told(kit, as_of=f"{year}-01-01") == [f"retries: {value}"]


class TestRestoring:
    """What is restored comes back."""

    @pytest.mark.parametrize(
        "change", [{"kind": "correction"}, {"importance": 0.9}, {"text": "the gate opens at six"}]
    )
    def test_restored_memory_is_found_whatever_was_changed_meanwhile(
        self, kit: memkit.Memkit, clock: Clock, change: dict[str, object]
    ) -> None:
        """Whatever was done to it meanwhile, a restored memory is found again."""
        old = kit.memories.remember("the gate opens at five")
        clock.advance(days=1)
        kit.memories.remember("the gate opens at noon", supersedes=old)
        clock.advance(days=1)
        kit.memories.update(old, **change)
        clock.advance(days=1)
        (back,) = kit.memories.restore(old)
        assert back.valid_to is None
        assert old.id in {hit.id for hit in kit.recall("when does the gate open?", min_score=0)}

    def test_it_comes_back_after_its_replacement_was_purged(
        self, kit: memkit.Memkit, clock: Clock
    ) -> None:
        """A purged replacement leaves no end behind."""
        old = kit.memories.remember("the gate opens at five")
        clock.advance(days=1)
        kit.memories.purge(kit.memories.remember("the gate opens at noon", supersedes=old))
        clock.advance(days=1)
        assert not kit.memories.get(old).active
        (back,) = kit.memories.restore(old)
        assert (back.is_current, back.valid_to) == (True, None)

    def test_restoring_what_is_current_changes_nothing(
        self, kit: memkit.Memkit, clock: Clock
    ) -> None:
        """Nothing was to be done, and nothing is."""
        made = kit.memories.remember("the gate opens at five", valid_to="2026-03-02").memory
        clock.advance(days=9)
        assert kit.memories.restore(made) == [made]


class TestContradictions:
    """A pair of which one has gone is not open."""

    def test_supersedes_link_settles_a_contradiction(self, kit: memkit.Memkit) -> None:
        """A link `supersedes` settles it for the one that stays; restoring opens it again."""
        a, b = (kit.memories.remember(text) for text in ("the gate is shut", "the gate is open"))
        kit.memories.contradict(a, b)
        kit.memories.link(b, a, "supersedes")
        assert kit.memories.contradictions() == []
        (settled,) = kit.memories.contradictions(history=True)
        assert settled.resolution == "b_wins"
        assert kit.stats().open_contradictions == 0
        kit.memories.restore(a)
        assert len(kit.memories.contradictions()) == 1

    @pytest.mark.parametrize("way", ["supersede", "remember", "forget", "unlink"])
    def test_it_is_closed_whichever_way_one_goes(self, kit: memkit.Memkit, way: str) -> None:
        """Superseded by another verb, forgotten, or taken back: it is not open any more."""
        a, b = (kit.memories.remember(text) for text in ("the gate is shut", "the gate is open"))
        kit.memories.link(a, b, "contradicts")
        assert len(kit.memories.contradictions()) == 1
        do: dict[str, Callable[[], object]] = {
            "supersede": lambda: kit.memories.supersede(a, b),
            "remember": lambda: kit.memories.remember("the gate is open", supersedes=a),
            "forget": lambda: kit.memories.forget(a),
            "unlink": lambda: kit.memories.unlink(b, a, "contradicts"),
        }
        do[way]()
        assert kit.memories.contradictions() == []


class TestSaidAgain:
    """What is new about a statement that is there is kept."""

    def test_same_text_with_a_kind_takes_that_kind(self, kit: memkit.Memkit) -> None:
        """A kind that is named is the kind from then on; none named changes none."""
        first = kit.memories.remember("run the tests with -x")
        again = kit.memories.remember("run the tests with -x", kind="preference")
        assert (again.id, again.outcome) == (first.id, "strengthened")
        assert kit.memories.get(first).kind == "preference"
        assert kit.memories.remember("Run tests with -x").memory.kind == "preference"

    def test_folded_statement_keeps_fields_that_came_with_it(self, kit: memkit.Memkit) -> None:
        """Importance, end, author, files and patterns are those that were given."""
        kit.memories.remember("run the tests with -x", trigger_patterns=["pytest"])
        again = kit.memories.remember(
            "Run tests with -x", importance=0.9, valid_to="2030-01-01", author="Ada",
            file_paths=["a.py"], trigger_patterns=["unittest", "pytest"],
        ).memory  # fmt: skip
        assert (again.importance, again.author, again.file_paths) == (0.9, "Ada", ("a.py",))
        assert again.valid_to == THEN
        assert again.trigger_patterns == ("pytest", "unittest")
        assert kit.memories.remember("run the tests with -x").memory.importance == 0.9


def test_keys_are_compared_without_their_separators(
    make_kit: Callable[..., memkit.Memkit],
) -> None:
    """node version, node-version, Node_Version: one key, found by each, shown as it was given."""
    kit = make_kit()
    for key, value in (("node version", "18"), ("node-version", "20"), ("Node_Version", "22")):
        last = kit.memories.remember(key=key, value=value, qualifier="in CI")
    assert list(kit.memories.find()) == [last.memory]
    assert (last.memory.key, last.memory.text) == ("node_version", "Node_Version (in CI): 22")
    again = kit.memories.remember(key="node  version", value="22", qualifier="in-ci")
    assert (again.id, again.outcome) == (last.id, "folded")
    for key in ("node version", "NODE-VERSION", "node_version"):
        assert [memory.id for memory in kit.memories.find(key=key)] == [last.id]
        assert len(kit.memories.find(key=key, qualifier="in_ci", history=True)) == 3
        assert not kit.memories.find({"key": {"$ne": key}})
        assert [hit.memory.id for hit in kit.recall(f"which {key} do we use?")] == [last.id]


def test_a_dash_before_a_key_tells(make_kit: Callable[..., memkit.Memkit]) -> None:
    """-v is a flag and v is not; what parts no words is no space."""
    kit = make_kit()
    for key in ("v", "-v", "__v__"):
        kit.memories.remember(key=key, value="1")
        kit.memories.remember(key=key, value="2")
    assert len(kit.memories.find()) == 3


def test_merged_key_in_two_spellings_has_one_current_value(
    make_kit: Callable[..., memkit.Memkit],
) -> None:
    """Joined, the later value stands, as it would have in one store."""
    one, other = make_kit("one.db"), make_kit("other.db")
    one.memories.remember(key="node version", value="18", at="2026-01-01")
    other.memories.remember(key="node-version", value="20", at="2026-01-05")
    other.close()
    one.import_(other.path)
    assert [memory.value for memory in one.memories.find()] == ["20"]


@pytest.mark.parametrize("again", [" 8080", "8080\n", "\t8080\r\n", "\u00a08080 "])
def test_white_space_around_a_value_is_none_of_it(kit: memkit.Memkit, again: str) -> None:
    """As the output of a command has it: the same value said again, on every way in."""
    first = kit.memories.remember(key="port", value="8080")
    found = kit.memories.remember(key="port", value=again)
    assert (found.id, found.outcome) == (first.id, "strengthened")
    assert kit.memories.find(key="port", history=True)[0].value == "8080"
    other = kit.memories.remember(key="port", value=f" 80 80{again}")
    assert kit.memories.get(first).superseded_by == other.id


STEPS = Procedure(("vault seal", "vault open"), name="open the vault")


def links(kit: memkit.Memkit) -> list[tuple[int, int, int]]:
    """Return the links that were discovered."""
    return sorted((a, b, times) for a, b, times, *_ in kit._store.all("consolidation_links.links"))


def link(kit: memkit.Memkit, a: int, b: int, times: int) -> None:
    """Let two memories have proved useful together."""
    pair = {"memory_a": min(a, b), "memory_b": max(a, b), "times": times, "weight": 0.4}
    kit._store.write(
        lambda: kit._store.run("consolidation_links.put_link", **pair, last_at=kit._store.now())
    )


def test_outcomes_reach_the_survivor_and_come_back(kit: memkit.Memkit) -> None:
    """A procedure that is merged brings how it fared, counted once; undo gives it back."""
    a, b = (
        kit.memories.remember(text, procedure=STEPS, provenance="inferred")
        for text in ("Vault doors open with a badge.", "Vault door opens with a badge.")
    )
    kit.consolidation.note_outcome(a, "succeeded")
    kit.consolidation.note_outcome(b, "failed", step=2, note="no badge")
    before = [kit.memories.get(memory).outcomes for memory in (a, b)]
    (change,) = kit.consolidate(steps="merge").changes
    survivor, duplicate = kit.memories.get_many([change.other_id or 0, change.memory_id])
    assert {(r.step, r.succeeded, r.failed) for r in survivor.outcomes} >= {(None, 1, 0), (2, 0, 1)}
    assert not [r for r in duplicate.outcomes if r.succeeded or r.failed]
    kit.consolidation.undo("last")
    assert [kit.memories.get(memory).outcomes for memory in (a, b)] == before


def test_links_reach_the_survivor_and_come_back(kit: memkit.Memkit) -> None:
    """Those of both to a third one are added; the one between the two stays as it was."""
    a = kit.memories.remember("Vault doors open with a badge.").id
    b = kit.memories.remember("Vault door opens with a badge.").id
    third, fourth = (
        kit.memories.remember(text).id for text in ("Badges are green.", "Ask Ada first.")
    )
    for one, other, times in ((a, b, 5), (a, third, 1), (b, third, 2), (b, fourth, 3)):
        link(kit, one, other, times)
    before = links(kit)
    (change,) = kit.consolidate(steps="merge").changes
    assert (change.memory_id, change.other_id) == (b, a)
    assert {(a, third, 3), (a, fourth, 3)} <= {*links(kit)}
    assert {*before} - {*links(kit)} == {(a, third, 1)}
    kit.consolidation.undo("last")
    assert links(kit) == before
