"""Which memories a question may see, times it names, and answers from a damaged store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import apsw
import pytest

import memkit
from memkit.encoder import HashedEncoder
from memkit.errors import InvalidInput
from memkit.retrieval.candidates import VECTORS
from memkit.retrieval.records import RetrievalConfig
from tests.conftest import Clock

Make = Callable[..., memkit.Memkit]
BY_WORDS = RetrievalConfig(vectors=False, late_interaction=False)


def ids(recall: memkit.RecallResult) -> set[int]:
    """Return which memories came."""
    return {hit.id for hit in recall}


class TestStages:
    """What a filter leaves out is not found, and `why` names the filter."""

    def check(self, kit: memkit.Memkit, number: int, stage: str, **given: object) -> None:
        """Assert that a memory is kept away at one stage."""
        assert number not in ids(kit.recall("kettle", min_score=0, **given))
        assert kit.explain("kettle", number, min_score=0, **given).stage == stage

    def test_project(self, kit: memkit.Memkit) -> None:
        """Another project's memory is hidden, a global one is not."""
        other = kit.memories.remember("kettle of the attic", project="attic")
        wide = kit.memories.remember("kettle of everybody", project="attic", scope="global")
        self.check(kit, other.id, "project", project="cellar")
        assert ids(kit.recall("kettle", min_score=0, project="cellar")) == {wide.id}

    def test_session(self, kit: memkit.Memkit) -> None:
        """What belongs to a session is for that session alone."""
        own = kit.memories.remember("kettle is boiling", scope="session", session="s1")
        self.check(kit, own.id, "session")
        self.check(kit, own.id, "session", session="s2")
        assert ids(kit.recall("kettle", min_score=0, session="s1")) == {own.id}

    def test_task(self, kit: memkit.Memkit) -> None:
        """What belongs to a task is for that task alone."""
        own = kit.memories.remember("kettle needs descaling", scope="task", task="t1")
        self.check(kit, own.id, "task")
        self.check(kit, own.id, "task", task="t2")
        assert ids(kit.recall("kettle", min_score=0, task="t1")) == {own.id}

    @pytest.mark.parametrize("blank", ["", "  "])
    def test_blank_session_or_task_is_refused(self, kit: memkit.Memkit, blank: str) -> None:
        """What names nothing is refused: it is neither no filter nor a session that all share."""
        kit.memories.remember("kettle is boiling")
        with pytest.raises(InvalidInput, match=r"session: .* names nothing; name one"):
            kit.recall("kettle", session=blank)
        with pytest.raises(InvalidInput, match=r"task: .* names nothing"):
            kit.recall("kettle", task=blank)
        with pytest.raises(InvalidInput, match=r"session: .* names nothing"):
            kit.clear_surfaced(blank)

    def test_memories_without_a_task_are_found_within_a_task(self, kit: memkit.Memkit) -> None:
        """With the name of a task its own memories join in; what is for all stays, also where so
        little is left that the question is asked again."""
        wide = kit.memories.remember("kettle is blue")
        own = kit.memories.remember("kettle needs descaling", scope="task", task="t1")
        other = kit.memories.remember("kettle is boiling", scope="session", session="s1")
        for tags in (None, ("kitchen",)):
            for one in (wide, own, other):
                kit.memories.tag(one.id, *(tags or ()))
            assert ids(kit.recall("kettle", min_score=0, task="t1", tags=tags)) == {wide.id, own.id}
            assert ids(kit.recall("kettle", min_score=0, task="t9", tags=tags)) == {wide.id}

    @pytest.mark.parametrize("given", [{"scope": "global"}, {"kind": "negative"}])
    def test_scope_and_kind(self, kit: memkit.Memkit, given: dict[str, str]) -> None:
        """Only the scope or the kind that is asked for comes."""
        plain = kit.memories.remember("kettle is blue")
        wanted = kit.memories.remember("never leave the kettle alone", **given)
        self.check(kit, plain.id, *given, **given)
        assert ids(kit.recall("kettle", min_score=0, **given)) == {wanted.id}

    def test_several_of_a_filter_mean_any_of_them(self, kit: memkit.Memkit) -> None:
        """Kinds, scopes and tags are taken one or several at a time, here as in `find`; with
        several tags all had to be there, and several kinds were refused."""
        plain = kit.memories.remember("kettle is blue", tags=["kitchen"])
        wish = kit.memories.remember("kettle should whistle", kind="preference", tags=["sound"])
        wide = kit.memories.remember("kettle is everybody's", kind="negative", scope="global")
        for given, wanted in (
            ({"kind": ["fact", "preference"]}, {plain.id, wish.id}),
            ({"scope": ["project", "global"]}, {plain.id, wish.id, wide.id}),
            ({"tags": ["kitchen", "sound"]}, {plain.id, wish.id}),
            ({"tags": ["sound", "nowhere"], "kind": ["preference"]}, {wish.id}),
        ):
            assert ids(kit.recall("kettle", min_score=0, **given)) == wanted
            assert {memory.id for memory in kit.memories.find(given)} == wanted
        self.check(kit, wide.id, "kind", kind=["fact", "preference"])
        self.check(kit, wide.id, "tag", tags=["kitchen", "sound"])

    @pytest.mark.parametrize("among_many", [False, True])
    def test_two_projects_named_are_both_seen_and_nothing_else(
        self, kit: memkit.Memkit, among_many: bool
    ) -> None:
        """A list of projects is each of them with what is global; the third's stays behind its
        wall, also where so little is left that the question is asked again."""
        of = {
            name: kit.memories.remember(f"kettle of the {name}", project=name)
            for name in ("attic", "cellar", "garden")
        }
        wide = kit.memories.remember("kettle of everybody", scope="global")
        for at in range(30 if among_many else 0):
            kit.memories.remember(f"kettle {at} of the garden shed", project="garden")
        both = {of["attic"].id, of["cellar"].id, wide.id}
        assert ids(kit.recall("kettle", min_score=0, project=["attic", "cellar"])) == both
        assert ids(kit.recall("kettle", min_score=0, project=["attic"])) == both - {of["cellar"].id}
        self.check(kit, of["garden"].id, "project", project=["attic", "cellar"])

    @pytest.mark.parametrize("wall", ["session", "task"])
    def test_two_sessions_or_tasks_named_are_both_seen_and_nothing_else(
        self, kit: memkit.Memkit, wall: str
    ) -> None:
        """A list of sessions or of tasks shows the own memories of each, and no other's."""
        of = {
            name: kit.memories.remember(f"kettle of {name}", scope=wall, **{wall: name})
            for name in ("one", "two", "three")
        }
        wide = kit.memories.remember("kettle of everybody")
        wanted = {of["one"].id, of["two"].id, wide.id}
        assert ids(kit.recall("kettle", min_score=0, **{wall: ["one", "two"]})) == wanted
        assert ids(kit.recall("kettle", min_score=0, **{wall: ["nine"]})) == {wide.id}
        self.check(kit, of["three"].id, wall, **{wall: ["one", "two"]})

    def test_a_warning_goes_off_behind_each_of_the_walls_named(self, kit: memkit.Memkit) -> None:
        """A negative memory with a pattern comes in both projects that are named, in no other."""
        of = {
            name: kit.memories.remember(
                f"the {name} boiler is never drained hot",
                kind="negative",
                project=name,
                trigger_patterns=["open the drain"],
            )
            for name in ("attic", "cellar", "garden")
        }
        found = ids(kit.recall("open the drain", project=["attic", "cellar"]))
        assert found == {of["attic"].id, of["cellar"].id}

    def test_what_one_of_two_sessions_was_shown_comes_for_the_other(
        self, kit: memkit.Memkit
    ) -> None:
        """Only what all sessions that ask have seen stays away; what comes is noted for each."""
        told = kit.memories.remember("kettle is blue")
        assert ids(kit.recall("kettle", min_score=0, session="s1")) == {told.id}
        assert ids(kit.recall("kettle", min_score=0, session=["s1", "s2"])) == {told.id}
        assert not kit.recall("kettle", min_score=0, session=["s1", "s2"])
        assert not kit.recall("kettle", min_score=0, session="s2")

    def test_a_list_that_names_no_wall_is_refused(self, kit: memkit.Memkit) -> None:
        """An empty list and a blank member are errors of the name they stand under."""
        for wall in ("project", "session", "task"):
            with pytest.raises(InvalidInput, match=f"{wall}: the list is empty"):
                kit.recall("kettle", **{wall: []})
        with pytest.raises(InvalidInput, match=r"session: .* names nothing"):
            kit.recall("kettle", session=["s1", " "])
        with pytest.raises(InvalidInput, match="project: found 7, expected a text"):
            kit.recall("kettle", project=["attic", 7])

    def test_since_and_until(self, kit: memkit.Memkit, clock: Clock) -> None:
        """Bounds of time leave out what was remembered before or after."""
        early = kit.memories.remember("kettle bought in winter")
        clock.advance(days=10)
        middle = clock()
        clock.advance(days=10)
        late = kit.memories.remember("kettle repaired in spring")
        self.check(kit, early.id, "time", since=middle)
        self.check(kit, late.id, "time", until=middle)
        assert ids(kit.recall("kettle", min_score=0, since=middle)) == {late.id}
        assert ids(kit.recall("kettle", min_score=0, until=middle)) == {early.id}

    def test_as_of(self, kit: memkit.Memkit, clock: Clock) -> None:
        """A moment in the past shows what held then, not what came later."""
        old = kit.memories.remember("kettle holds one litre")
        clock.advance(days=1)
        moment = clock()
        clock.advance(days=1)
        new = kit.memories.remember("kettle holds two litres now", supersedes=old.id)
        self.check(kit, new.id, "history", as_of=moment)
        assert ids(kit.recall("kettle", min_score=0, as_of=moment)) == {old.id}
        assert ids(kit.recall("kettle", min_score=0)) == {new.id}

    def test_history(self, kit: memkit.Memkit, clock: Clock) -> None:
        """With the history, replaced and expired memories come too."""
        old = kit.memories.remember("kettle stands left", valid_to=clock() + 60)
        replaced = kit.memories.remember("kettle whistles in C")
        new = kit.memories.remember("kettle whistles loudly in D", supersedes=replaced.id)
        clock.advance(hours=1)
        self.check(kit, old.id, "expired")
        self.check(kit, replaced.id, "superseded")
        found = ids(kit.recall("kettle", min_score=0, history=True))
        assert found == {old.id, replaced.id, new.id}

    @pytest.mark.parametrize("when", ["of later", "over", "to come"])
    def test_filtered_better_matches_do_not_crowd_out_others(
        self, kit: memkit.Memkit, clock: Clock, when: str
    ) -> None:
        """Hundreds of better matches that are of later than the moment asked about, do not hold any
        more or not yet, left no place for the only one that may be shown."""
        told = "of all that whistles in the house the kettle is what Ada minds least"
        wanted = kit.memories.remember(told)
        given = {"as_of": clock()} if when == "of later" else {}
        ends = {"of later": {}, "over": {"valid_to": clock() + 60}}
        validity = ends.get(when, {"valid_from": clock() + 7 * 86_400})
        clock.advance(days=1)
        kit.memories.remember_many(
            memkit.Draft(f"kettle whistles, number {at}", **validity) for at in range(VECTORS * 4)
        )
        clock.advance(days=1)
        assert ids(kit.recall("kettle whistles", min_score=0, **given)) == {wanted.id}

    def test_other_filters_apply_within_a_tag(self, kit: memkit.Memkit) -> None:
        """Within a tag the other filters leave room as well."""
        told = "of all that whistles in the house the kettle is what Ada minds least"
        wanted = kit.memories.remember(told, kind="preference", tags=["house"])
        kit.memories.remember_many(
            memkit.Draft(f"kettle whistles, number {at}", tags=["house"])
            for at in range(VECTORS * 4)
        )
        found = kit.recall("kettle whistles", min_score=0, tags=["house"], kind="preference")
        assert ids(found) == {wanted.id}

    def test_old_versions_of_a_fact_do_not_crowd_out_others(self, kit: memkit.Memkit) -> None:
        """What was replaced passes on where it stands, and leaves room for other memories."""
        told = "of all that whistles in the house the kettle is what Ada minds least"
        wanted = kit.memories.remember(told)
        for at in range(VECTORS * 3):
            told = f"kettle whistles {at} times"
            last = kit.memories.remember(told, key="kettle", value=str(at)).memory
        found = ids(kit.recall("kettle whistles", min_score=0))
        assert found == {last.id, wanted.id}

    def test_not_yet(self, kit: memkit.Memkit, clock: Clock) -> None:
        """What holds from tomorrow on is not shown today."""
        coming = kit.memories.remember("kettle will be replaced", valid_from=clock() + 86_400)
        self.check(kit, coming.id, "expired")
        clock.advance(days=2)
        assert ids(kit.recall("kettle", min_score=0)) == {coming.id}


class TestTimes:
    """A month or a day in the question means memories of that time."""

    @pytest.mark.parametrize(
        ("question", "place"),
        [
            ("which kettle was tested in May?", 2),
            ("which kettle was tested in June 2026?", 3),
            ("which kettle was tested on 30 April 2026?", 1),
            ("which kettle was tested on 2026-03-31?", 0),
        ],
    )
    def test_memories_of_that_time_come_first(
        self, make_kit: Make, clock: Clock, question: str, place: int
    ) -> None:
        """Of likenesses from four months the one of the time that is named leads."""
        kit = make_kit("times.db", encoder=None)
        made = []
        for colour in ("red", "blue", "green", "white"):
            clock.advance(days=30)
            made.append(kit.memories.remember(f"the {colour} kettle was tested").id)
        assert kit.recall(question, min_score=0)[0].id == made[place]

    @pytest.mark.parametrize("question", ["kettle on 31 February", "kettle in May 2019"])
    def test_impossible_day_gets_an_answer(self, kit: memkit.Memkit, question: str) -> None:
        """A day outside the calendar or outside the store still gets an answer."""
        known = kit.memories.remember("the kettle was tested")
        assert ids(kit.recall(question, min_score=0)) == {known.id}


class TestBroken:
    """A broken part of the store leaves its leg out, with a note; the others answer."""

    @pytest.mark.parametrize("config", [None, BY_WORDS])
    def test_full_text(self, make_kit: Make, config: RetrievalConfig | None) -> None:
        """Without the index of words recall says so and raises nothing."""
        kit = make_kit("words.db")
        kit.memories.remember("the kettle is blue")
        path = str(kit.path)
        with closing(apsw.Connection(path)) as other:
            names = [n for (n,) in other.execute(
                "select name from sqlite_schema where sql like '%fts5%'"
            )]  # fmt: skip
            for name in names:
                other.execute(f'delete from "{name}_data"')
        kit._config = config
        recall = kit.recall("kettle", min_score=0)
        kit.close()
        assert names
        assert any(note.startswith("no words: ") for note in recall.notes)
        assert bool(recall) == (config is None)

    @pytest.mark.parametrize(
        ("query", "note"),
        [
            ("retrieval.nearest", "no vectors: "),
            ("retrieval.distances", "no vectors: "),
            ("retrieval.tokens", "no late interaction: "),
        ],
    )
    def test_vectors(
        self, kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch, query: str, note: str
    ) -> None:
        """Where the rows of vectors or pieces are damaged, words answer and the note says so."""
        known = kit.memories.remember("the kettle is blue")
        kit.memories.remember_many(f"shelf {at} carries jar {at + 7}" for at in range(VECTORS + 9))
        reading = kit._store.all

        def damaged(name: str, /, **params: object) -> list[tuple[object, ...]]:
            if name == query:
                raise memkit.StoreDamaged("the pages of this table are damaged")
            return reading(name, **params)

        monkeypatch.setattr(kit._store, "all", damaged)
        recall = kit.recall("kettle shelf", min_score=0, limit=100)
        assert known.id in ids(recall)
        assert [one for one in recall.notes if one.startswith(note)]

    def test_token_ids_that_end_within_a_number(self, kit: memkit.Memkit) -> None:
        """Pieces that were cut by hand are noted and compared with nothing."""
        known = kit.memories.remember("the kettle is blue")
        with closing(apsw.Connection(str(kit.path))) as other:
            other.execute("update memory_tokens set ids = substr(ids, 1, length(ids) - 1)")
        recall = kit.recall("kettle", min_score=0)
        assert ids(recall) == {known.id}
        assert any("end within a number" in note for note in recall.notes)
        kit.memories.purge(known.id)


@pytest.mark.parametrize("breaking", ["tokenize", "pool"])
def test_an_encoder_that_fails_is_noted(
    make_kit: Make, monkeypatch: pytest.MonkeyPatch, breaking: str
) -> None:
    """Words answer where the encoder raises, and the note repeats what it said."""

    class Failing(HashedEncoder):
        """An encoder of which one method is about to break."""

    def fail(self: object, *given: object, **named: object) -> None:
        raise memkit.EncoderError("the model is out of order")

    kit = make_kit("failing.db", encoder=Failing(64))
    known = kit.memories.remember("the kettle is blue")
    monkeypatch.setattr(Failing, breaking, fail)
    recall = kit.recall("kettle", min_score=0)
    assert ids(recall) == {known.id}
    assert any("the model is out of order" in note for note in recall.notes)
