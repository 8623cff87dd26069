"""Global memories: one file of the user, part of the answers of every project."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.encoder import HashedEncoder
from tests.conftest import Clock


@pytest.fixture
def projects(tmp_path, make_kit):
    """Two repositories of one person, with one global store."""
    shared = tmp_path / "home" / "global.memkit.db"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    return (
        make_kit("a/.memkit.db", global_store=shared),
        make_kit("b/.memkit.db", global_store=shared),
        shared,
    )


def test_a_global_memory_is_recalled_in_another_project(projects):
    """What is said to hold everywhere is found from a repository that never heard of it."""
    one, other, shared = projects
    kept = one.memories.remember("Answers should be kept brief.", scope="global")
    assert shared.exists()
    assert [hit.id for hit in other.recall("how brief should answers be?")] == [kept.id]
    found = other.recall("how brief should answers be?", scope="global")
    assert [hit.id for hit in found] == [kept.id]
    assert other.memories.get(kept.id).text == kept.memory.text


def test_a_project_memory_stays_behind_its_wall(projects):
    """What one repository knows is never part of another one's answers."""
    one, other, _ = projects
    one.memories.remember("The blue chart deploys the shop.")
    assert list(other.recall("which chart deploys the shop?", min_score=0)) == []


def test_a_global_memory_leaves_no_row_in_the_project(projects):
    """The project's file, which is committed, does not hold what is the person's own."""
    one, _, _ = projects
    one.memories.remember("Prefers tea over coffee.", scope="global", kind="preference")
    assert not one.memories.find(scope="project")
    assert one.stats().memories.total == 0


def test_recall_does_not_make_a_global_store(projects):
    """Asking writes nothing: without a global memory there is no global file."""
    one, _, shared = projects
    one.recall("anything at all")
    assert not shared.exists()


def test_recall_opens_the_global_store_for_reading_only(projects):
    """A question never takes a lock in the file that all projects share."""
    one, other, shared = projects
    one.memories.remember("Speaks French and German.", scope="global")
    one.close()
    before = shared.read_bytes()
    other.recall("which languages does she speak?")
    other.close()
    assert shared.read_bytes() == before


def test_a_damaged_global_store_does_not_silence_the_project(projects):
    """What the project knows still answers, and a note says what was left out."""
    one, _, shared = projects
    one.memories.remember("The kiln is fired on Fridays.")
    shared.parent.mkdir()
    shared.write_text("this is no database " * 200)
    found = one.recall("when is the kiln fired?", min_score=0)
    assert [hit.memory.text for hit in found] == ["The kiln is fired on Fridays."]
    assert any("global memories were left out" in note for note in found.notes)


def test_busy_timeout_holds_for_the_global_store(tmp_path, make_kit):
    """The time-out that was given holds for both files."""
    kit = make_kit("p.db", global_store=tmp_path / "g.db", busy_timeout=0.11)
    kit.memories.remember("I prefer tabs.", scope="global")
    holder = apsw.Connection(str(tmp_path / "g.db"))
    holder.execute("begin exclusive")
    with pytest.raises(memkit.StoreBusy, match=r"time-out of 0\.11 s"):
        kit.memories.remember("I prefer spaces.", scope="global")
    holder.close()


def test_first_global_write_does_not_close_the_store_under_a_reader(projects):
    """Who reads it may go on while the first statement is written to it."""
    one, other, _ = projects
    kept = one.memories.remember("Answers should be kept brief.", scope="global")
    reader = other._global.reader()
    other.memories.remember("Tabs are kept.", scope="global")
    assert [hit.id for hit in reader.recall("how brief should answers be?")] == [kept.id]
    other.close()
    assert reader._store.is_closed


def test_failing_close_closes_both_files(projects):
    """Whatever fails when a kit is closed, both files are."""
    one, _, _ = projects
    one.memories.remember("Answers should be kept brief.", scope="global")
    one.recall("answers?")
    beside = one._global.reader()

    def fails():
        raise OSError("disk on fire")

    one.episodes._close = beside.episodes._close = fails
    with pytest.raises(OSError, match="on fire"):
        one.close()
    assert one._store.is_closed
    assert beside._store.is_closed


def test_lazy_parts_are_made_once_for_all_threads(kit):
    """What is made when it is first asked for is made once, whichever thread asks."""
    waiting = threading.Barrier(8)
    found = []

    def ask():
        waiting.wait()
        found.append((kit.episodes, kit.codegraph))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(episodes) for episodes, _ in found}) == 1
    assert len({id(codegraph) for _, codegraph in found}) == 1


def test_global_and_other_statements_are_not_mixed_in_one_call(projects):
    """They lie in different files: one call could store half of itself."""
    one, _, _ = projects
    both = [memkit.Draft("Here only."), memkit.Draft("Everywhere.", scope="global")]
    with pytest.raises(memkit.InvalidInput, match="remember them apart"):
        one.memories.remember_many(both)
    assert not one.memories.find()


def test_global_memory_is_shown_once_to_a_session(projects, make_kit):
    """What a session was shown of the global store stays away too, in the next process as well,
    until the topic changes."""
    one, _, shared = projects
    own = one.memories.remember("The brief of the shop is kept in docs.")
    kept = one.memories.remember("Answers should be kept brief.", scope="global")
    asked = {"session": "s", "min_score": 0}
    assert {hit.id for hit in one.recall("kept brief?", **asked)} == {own.id, kept.id}
    assert not one.recall("kept brief?", **asked)
    assert one.explain("kept brief?", kept.id, **asked).stage == "shown"
    one.close()
    again = make_kit("a/.memkit.db", global_store=shared)
    found = again.recall("kept brief?", **asked)
    assert not found
    assert found.shown_before == 2
    assert "2 memories that match were shown" in found.notes[-1]
    again.clear_surfaced("s")
    assert {hit.id for hit in again.recall("kept brief?", **asked)} == {own.id, kept.id}


def test_question_answered_by_the_global_store_is_no_gap(projects):
    """A gap is what neither store answers; asked again, what was answered is none either."""
    one, _, _ = projects
    one.memories.remember("Answers should be kept brief.", scope="global")
    for _ in range(2):
        one.recall("how brief should answers be?", session="s", min_score=0)
    one.recall("where do quokkas nest?", session="s", min_score=0.9)
    assert [gap.question for gap in one.gaps()] == ["where do quokkas nest?"]


def test_many_global_statements_report_progress_and_are_chained(projects):
    """They are written as the project's own are: told of, and linked across transactions."""
    one, _, _ = projects
    told = []
    drafts = [memkit.Draft(f"jar {n} holds plums", scope="global") for n in range(1001)]
    done = one.memories.remember_many(
        drafts, chain=True, progress=lambda done, of: told.append((done, of))
    )
    assert told == [(1000, 1001), (1001, 1001)]
    assert (done[999].id, done[1000].id, "next") in {
        (edge.src, edge.dst, edge.kind) for edge in one.memories.edges(done[1000])
    }


def test_mixed_list_of_stores_is_refused_before_any_write(projects):
    """Whether statements lie in one file is asked of all of them, before any is written."""
    one, _, shared = projects
    drafts = [memkit.Draft(f"jar {n} holds plums", scope="global") for n in range(1000)]
    with pytest.raises(memkit.InvalidInput, match="remember them apart"):
        one.memories.remember_many([*drafts, "The kiln is fired on Fridays."])
    assert not shared.exists()


@pytest.fixture
def kept(projects):
    """A global memory of another project, and the project that is asked about it."""
    one, other, _ = projects
    made = other.memories.remember("I prefer tabs.", scope="global", kind="preference")
    return one, made.memory


def test_verbs_find_the_file_that_a_memory_lies_in(kept):
    """Every verb that takes an id finds the file that the memory lies in."""
    kit, made = kept
    memories = kit.memories
    assert memories.update(made, "I prefer tabs to spaces.").text == "I prefer tabs to spaces."
    assert memories.pin(made).pinned
    assert memories.tag(made, "style", "tabs").tags == ("style", "tabs")
    assert memories.untag(made, "tabs").tags == ("style",)
    assert [gone.id for gone in memories.forget(made, dry_run=True)] == [made.id]
    assert [gone.active for gone in memories.forget(made, reason="wrong")] == [False]
    assert not kit.recall("tabs or spaces?", min_score=0)
    assert [back.is_current for back in memories.restore(made)] == [True]
    details = memories.details(made)
    assert [entry.verb for entry in details.audit] == ["restore", "forget", "update"]
    assert details.provenance
    assert details.artifacts == details.paraphrases == ()
    assert memories.purge([made.id]) == [made.id]
    with pytest.raises(memkit.NotFound, match=str(made.id)):
        memories.get(made)
    assert kit.stats().memories.total == 0


def test_global_memories_are_linked_with_their_like(kept):
    """Two global memories hang together in the global file."""
    kit, made = kept
    other = kit.memories.remember("I prefer spaces.", scope="global")
    kit.memories.contradict(made, other)
    kit.memories.resolve(made, other, "b_wins")
    assert kit.memories.get(made).superseded_by == other.id
    assert kit.memories.unlink(other, made, "supersedes")
    kit.memories.supersede(made, other)
    assert {edge.kind for edge in kit.memories.edges(made)} == {"contradicts", "supersedes"}


def test_a_list_of_ids_of_two_files_is_done_in_both(kept):
    """What is named goes, wherever it lies; one that is nowhere keeps all of them."""
    kit, made = kept
    own = kit.memories.remember("The house style is spaces.")
    for verb in (kit.memories.forget, kit.memories.restore, kit.memories.purge):
        with pytest.raises(memkit.NotFound, match="77"):
            verb([own, made, 77])
    assert {gone.id for gone in kit.memories.forget([made, own])} == {made.id, own.id}
    assert all(memory.is_current for memory in kit.memories.restore([made, own]))
    assert [m.id for m in kit.memories.get_many([made, own])] == [made.id, own.id]


def test_missing_id_among_several_is_named(kept):
    """The error names the one that nobody knows, whatever its number."""
    kit, made = kept
    nowhere = made.id + 77
    with pytest.raises(memkit.NotFound, match=f"no memory {nowhere} "):
        kit.memories.forget([made, nowhere])


def test_why_explains_a_global_memory(kept):
    """Why it comes back, or not, is said of the file that it lies in."""
    kit, made = kept
    assert kit.explain("tabs or spaces?", made, min_score=0).present
    assert kit.explain("tabs or spaces?", made, scope="project").stage == "scope"
    kit.memories.forget(made)
    assert kit.explain("tabs or spaces?", made).stage == "forgotten"
    with pytest.raises(memkit.NotFound, match="no memory 77"):
        kit.explain("tabs or spaces?", 77)


def test_find_lists_global_memories(kept, clock):
    """They are among all memories, newest first, unless a nearer scope is asked for."""
    kit, made = kept
    clock.advance(days=1)
    own = kit.memories.remember("The house style is spaces.")
    assert [memory.id for memory in kit.memories.find()] == [own.id, made.id]
    assert [memory.id for memory in kit.memories.find(order_by="-created_at")] == [made.id, own.id]
    assert [memory.id for memory in kit.memories.find(scope="global")] == [made.id]
    assert [memory.id for memory in kit.memories.find(scope="project")] == [own.id]
    assert [memory.id for memory in kit.memories.find(as_of="now")] == [own.id, made.id]
    assert kit.memories.find().notes == kit.memories.find(as_of="now").notes == ()


def test_find_lists_the_project_when_the_global_store_is_damaged(projects):
    """What the project knows is listed, and what was left out can be told."""
    one, _, shared = projects
    own = one.memories.remember("The kiln is fired on Fridays.")
    shared.parent.mkdir()
    shared.write_text("this is no database " * 200)
    for found in (one.memories.find(), one.memories.find(as_of="now")):
        assert [memory.id for memory in found] == [own.id]
        assert "global memories were left out" in found.notes[0]


def test_a_memory_does_not_move_between_files_by_its_scope(kept):
    """A scope that lies in the other file is refused, with what to do instead."""
    kit, made = kept
    own = kit.memories.remember("The house style is spaces.")
    for memory, scope in ((made, "project"), (own, "global")):
        with pytest.raises(memkit.InvalidInput, match="remember it anew"):
            kit.memories.update(memory, scope=scope)
    assert kit.memories.update(made, "I prefer tabs!", scope="global").scope == "global"


def test_without_a_global_store_everything_lies_in_the_one_file(tmp_path, make_kit):
    """global_store=False keeps global memories beside the others, visible to every project."""
    kit = make_kit("alone.db", project="a")
    kit.memories.remember("Holds for every project in this file.", scope="global")
    kit.memories.remember("Holds for project a alone.")
    kit.close()
    seen = make_kit("alone.db", project="b").recall("what holds for every project?", min_score=0)
    assert [hit.memory.text for hit in seen] == ["Holds for every project in this file."]


def test_the_place_of_the_global_store_follows_the_platform(monkeypatch, tmp_path):
    """$MEMKIT_GLOBAL first, then the usual folder for a user's data."""
    from memkit.store.lifecycle import default_global_path

    monkeypatch.setenv("MEMKIT_GLOBAL", str(tmp_path / "mine.db"))
    assert default_global_path() == tmp_path / "mine.db"
    monkeypatch.delenv("MEMKIT_GLOBAL")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert default_global_path() == tmp_path / "data" / "memkit" / "global.memkit.db"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert default_global_path() == tmp_path / "local" / "memkit" / "global.memkit.db"
    monkeypatch.setattr("sys.platform", "darwin")
    assert "Application Support" in default_global_path().parts


def test_switched_off_by_the_environment(monkeypatch, tmp_path):
    """With MEMKIT_DISABLED nothing is opened, and no file is made."""
    monkeypatch.setenv("MEMKIT_DISABLED", "1")
    with pytest.raises(memkit.Disabled, match="unset it"):
        memkit.open(tmp_path / "off.db")
    assert not (tmp_path / "off.db").exists()


def test_why_looked_at_one_store_only(kept):
    """What is said alike in the project, or behind better hits of it, does not come back."""
    kit, made = kept
    assert kit.explain("tabs or spaces?", made, limit=1, min_score=0).stage == "hit"
    kit.memories.remember("Tabs or spaces? Tabs, not spaces.")
    better, behind = kit.recall("tabs or spaces?", limit=2, min_score=0)
    told = kit.explain("tabs or spaces?", behind.memory, limit=1, min_score=0)
    assert (told.present, told.stage) == (False, "limit")
    assert "number 2 of both stores" in told.text
    assert kit.explain("tabs or spaces?", better.memory, limit=1, min_score=0).present


def test_why_names_the_equal_text_in_the_other_store(kept):
    """Of equal texts one comes back, and the other one names it."""
    kit, made = kept
    own = kit.memories.remember("I prefer tabs.")
    hits = [hit.id for hit in kit.recall("tabs?", min_score=0)]
    (left,) = {own.id, made.id} - set(hits)
    told = kit.explain("tabs?", left, min_score=0)
    assert (told.present, told.stage) == (False, "duplicate")
    assert str(hits[0]) in told.text


def test_tags_and_contradictions_include_the_global_store(kept, clock):
    """Both are told of all that recall answers from, newest or most used first."""
    kit, made = kept
    kit.memories.tag(made, "style")
    clock.advance(days=1)
    own = kit.memories.remember("The house style is spaces.", tags=["style", "house"])
    other = kit.memories.remember("The house style is two spaces.", tags="house")
    rival = kit.memories.remember("I prefer spaces.", scope="global")
    assert kit.memories.tags() == {"house": 2, "style": 2}
    kit.memories.contradict(own, other)
    clock.advance(days=1)
    kit.memories.contradict(made, rival)
    first, second = kit.memories.contradictions()
    assert {first.memory_a, first.memory_b} == {made.id, rival.id}
    assert {second.memory_a, second.memory_b} == {own.id, other.id}
    kit.memories.resolve(made, rival, "a_wins")
    assert len(kit.memories.contradictions()) == 1
    assert len(kit.memories.contradictions(history=True)) == 2


# -- what a project says of global memories


def test_project_replaces_a_global_rule_for_itself(projects):
    """The narrower rule is served and the global one is not, here; elsewhere it holds."""
    one, other, _ = projects
    rule = one.memories.remember("Always build with -O2.", scope="global")
    made = one.memories.remember("Build with -O2 only on arm64 boards.", supersedes=rule)
    assert made.replaced == (rule.id,)
    question = "how do we build, with -O2?"
    assert [hit.id for hit in one.recall(question, min_score=0)] == [made.id]
    assert rule.id in [hit.id for hit in one.recall(question, min_score=0, history=True)]
    assert [hit.id for hit in other.recall(question, min_score=0)] == [rule.id]
    assert [memory.id for memory in one.memories.find()] == [made.id]
    assert one.memories.count() == 1
    assert other.memories.count() == 1
    seen = one.memories.get(rule)
    assert (seen.superseded_by, seen.active) == (made.id, False)
    assert other.memories.get(rule).is_current
    assert [edge.kind for edge in one.memories.edges(rule)] == ["supersedes"]
    one.memories.forget(made)
    assert [hit.id for hit in one.recall(question, min_score=0)] == [rule.id]
    assert one.check().is_sound


def test_successor_of_a_narrower_rule_keeps_the_global_one_away(projects):
    """What took the place of the project's rule stands for it."""
    one, _, _ = projects
    rule = one.memories.remember("Always build with -O2.", scope="global")
    first = one.memories.remember("Build with -O1 on boards.")
    one.memories.supersede(rule, first)
    second = one.memories.remember("Build with -Os on boards.", supersedes=first)
    assert [hit.id for hit in one.recall("how do we build?", min_score=0)] == [second.id]
    assert one.memories.unlink(first, rule, "supersedes")
    assert not one.memories.unlink(first, rule, "supersedes")
    assert rule.id in [hit.id for hit in one.recall("how do we build?", min_score=0)]


def test_project_value_of_a_key_goes_before_the_global_one(projects):
    """A key that both give is answered by the nearer scope, spelt this way or that."""
    one, other, _ = projects
    far = one.memories.remember(key="build flag", value="-O2", scope="global")
    near = one.memories.remember(key="build_flag", value="-O3")
    assert [hit.id for hit in one.recall("which build flag?", min_score=0)] == [near.id]
    assert [hit.id for hit in other.recall("which build flag?", min_score=0)] == [far.id]


def test_contradiction_with_a_global_memory_is_settled_here(projects):
    """It is listed until it is resolved; the loser is replaced, or forgotten, in this file."""
    one, other, _ = projects
    far = one.memories.remember("Tests run in a container.", scope="global")
    near = one.memories.remember("Tests run on the host.")
    one.memories.contradict(near, far, note="which?")
    (pair,) = one.memories.contradictions()
    assert {pair.memory_a, pair.memory_b} == {near.id, far.id}
    assert not other.memories.contradictions()
    one.memories.resolve(near, far, "a_wins")
    assert not one.memories.contradictions()
    (settled,) = one.memories.contradictions(history=True)
    assert settled.resolution == ("a_wins" if near.id < far.id else "b_wins")
    assert one.memories.get(far).superseded_by == near.id
    with pytest.raises(memkit.NotFound, match="no contradiction"):
        other.memories.resolve(other.memories.remember("Tests run at night."), far, "a_wins")
    third = one.memories.remember("Tests run at noon.")
    one.memories.contradict(third, far)
    one.memories.resolve(far, third, "a_wins")
    assert one.memories.get(third).inactive_code == "superseded"
    assert one.check().is_sound


def test_link_to_a_global_memory_is_an_edge_of_both(projects):
    """It is told from either end, and a global one never replaces one of the project."""
    one, _, _ = projects
    far = one.memories.remember("Answers are kept brief.", scope="global")
    near = one.memories.remember("Reviews are kept brief.", derived_from=far)
    one.memories.link(far, near, "relates_to", weight=0.3)
    for end in (far, near):
        kinds = [(edge.src, edge.dst, edge.kind) for edge in one.memories.edges(end)]
        assert kinds == [(near.id, far.id, "derived_from"), (far.id, near.id, "relates_to")]
    with pytest.raises(memkit.InvalidInput, match="the nearer one holds"):
        one.memories.supersede(near, far)


def test_past_moment_is_seen_as_the_project_stood_then(projects, clock):
    """What was replaced since was there at that moment, in `find` and in `recall`."""
    one, _, _ = projects
    rule = one.memories.remember("Always build with -O2.", scope="global")
    clock.advance(days=2)
    made = one.memories.remember("Build with -O2 only on arm64 boards.", supersedes=rule)
    clock.advance(days=2)
    for as_of, expected in (("3 days ago", rule.id), ("1 day ago", made.id)):
        assert [memory.id for memory in one.memories.find(as_of=as_of)] == [expected]
        hits = one.recall("how do we build, with -O2?", as_of=as_of, min_score=0)
        assert [hit.id for hit in hits] == [expected]


@pytest.mark.parametrize("is_first", [True, False])
def test_relation_to_a_global_memory_follows_the_number_of_its_own(projects, is_first):
    """Whoever imports whom: the rule that a merge gave another number still replaces."""
    one, other, _ = projects
    rule = one.memories.remember("Always build with -O2.", scope="global")
    narrow = "Build with -O2 only on arm64 boards."
    if is_first:
        one.memories.remember(narrow, supersedes=rule)
        other.memories.remember(narrow)
    else:
        other.memories.remember(narrow)
        one.memories.remember(narrow, supersedes=rule)
    for first, second in ((other, one), (one, other)):
        first.import_(second.path)
    for kit in (one, other):
        (standing,) = kit.memories.find()
        assert kit.memories.get(rule).superseded_by == standing.id
        assert kit.check().is_sound


SAID = (
    "build with -O2",
    "build with -O3 on boards",
    "boards build at night",
    "tests run on boards",
)


@given(
    own=st.lists(st.sampled_from(SAID), max_size=3, unique=True),
    far=st.lists(st.sampled_from(SAID), min_size=1, max_size=4, unique=True),
    replaced=st.sets(st.integers(0, 3)),
    keys=st.sets(st.integers(0, 3)),
    limit=st.integers(1, 4),
    history=st.booleans(),
)
def test_explain_tells_what_recall_does(own, far, replaced, keys, limit, history):
    """A memory is explained as a hit exactly if recall returns it, in whichever file it lies."""
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder) / "global.memkit.db"
        how = {"clock": Clock(), "encoder": HashedEncoder(64), "global_store": shared}
        with memkit.open(Path(folder) / "p.memkit.db", **how) as kit:
            put = kit.memories.remember
            rules = [put(text, scope="global") for text in far]
            for number in keys:
                put(key=f"build flag {number}", value="-O2", scope="global")
                put(key=f"build_flag {number}", value="-O3")
            for text in own:
                put(f"here we {text}")
            for number in replaced & set(range(len(rules))):
                put(f"for arm64 {far[number]}", supersedes=rules[number])
            asked = {"limit": limit, "min_score": 0, "history": history}
            hits = {hit.id for hit in kit.recall("which flag do boards build with?", **asked)}
            for memory in kit.memories.find(history=True):
                why = kit.explain("which flag do boards build with?", memory, **asked)
                assert why.present == (memory.id in hits), why.text
                assert why.present == (why.stage == "hit"), why.text


def test_global_store_out_of_reach_is_a_note(tmp_path, make_kit, monkeypatch):
    """Nobody may look into another user's home: everything of the project works all the same."""
    home = tmp_path / "theirs"
    kit = make_kit("p.db", global_store=home / "g.db")
    made = kit.memories.remember("The kiln is fired on Fridays.")
    exists = type(home).exists

    def refused(path):
        if path.is_relative_to(home):
            raise PermissionError(13, "Permission denied")
        return exists(path)

    monkeypatch.setattr(type(home), "exists", refused)
    hits = kit.recall("when is the kiln fired?", min_score=0)
    assert [hit.id for hit in hits] == [made.id]
    assert any("global memories were left out" in note for note in hits.notes)
    assert any("global memories were left out" in note for note in kit.memories.find().notes)
    assert kit.memories.get_many([made, 5]) == [kit.memories.get(made)]
    with pytest.raises(memkit.NotFound):
        kit.memories.get(5)
    assert kit.memories.tags() == {}
    kit.memories.forget(made)


MAP = "The harbour map is drawn with Leaflet."
NEW_MAP = "We switched the harbour map from Leaflet to MapLibre last month."


@pytest.mark.parametrize("is_global_first", [True, False])
def test_what_is_said_here_is_held_against_what_is_global(projects, is_global_first):
    """Both ways `remember` says at once which it updates, contradicts or repeats."""
    one, other, _ = projects
    scopes = ("global", "project") if is_global_first else ("project", "global")
    said = [
        (MAP, NEW_MAP, "updates"),
        ("The kiln is fired on Mondays.", "We always fire the kiln on Thursdays.", "contradicts"),
        (
            "Every change in harbour/tides is reviewed by Greta.",
            "Greta reviews all changes in harbour/tides.",
            "repeats",
        ),
    ]
    for first, second, name in said:
        old = one.memories.remember(first, scope=scopes[0])
        new = one.memories.remember(second, scope=scopes[1])
        assert getattr(new, name) == (old.id,), name
        assert new.contradicts == (() if name == "repeats" else (old.id,))
        assert one.memories.get(old).is_current
    pairs = one.memories.contradictions()
    assert [pair.origin for pair in pairs] == ["detected", "detected"]
    assert [pair.proposed for pair in pairs].count(None) == 1
    assert not other.memories.contradictions(), "nothing of it holds for another project"
    assert one.check().is_sound


def test_what_is_noted_of_a_global_memory_holds_none_of_its_words(projects):
    """The project's file is committed; what is global is the person's own."""
    one, _, _ = projects
    one.memories.remember("The upload limit is 17 MB.", scope="global")
    assert one.memories.remember("The upload limit is 24 MB.").contradicts
    one.close()
    assert b"17" not in b"".join(
        value.encode()
        for (value,) in apsw.Connection(str(one.path)).execute(
            "select json_extract(value, '$.note') from settings where name glob 'global.*'"
        )
    )


def test_what_was_decided_about_a_global_memory_is_not_raised_again(projects):
    """Said again or settled both hold; a correction of the text takes the doubt back."""
    one, _, _ = projects
    far = one.memories.remember(MAP, scope="global")
    near = one.memories.remember(NEW_MAP)
    one.memories.resolve(near, far, "both_valid")
    (settled,) = one.memories.contradictions(history=True)
    assert (settled.resolution, settled.decided_by) == ("both_valid", "caller")
    one.memories.update(near, text=NEW_MAP + " It is faster.")
    assert not one.memories.contradictions()
    kiln = one.memories.remember("The kiln is fired on Mondays.", scope="global")
    fired = one.memories.remember("We always fire the kiln on Thursdays.")
    assert fired.contradicts == (kiln.id,)
    one.memories.update(fired, text="Nils prefers short commit messages.")
    assert not one.memories.contradictions()
    one.memories.update(kiln, text="Olga prefers very long commit messages.")
    one.memories.resolve(kiln, fired, "merged")
    assert not one.memories.contradictions()


def test_of_many_at_once_none_is_held_against_what_is_global(projects):
    """An import stays as fast as it was, and keyed facts are the nearer scope's."""
    one, _, _ = projects
    one.memories.remember(MAP, scope="global")
    one.memories.remember(key="retry limit", value="3", scope="global")
    assert one.memories.remember(key="retry limit", value="5").contradicts == ()
    many = one.memories.remember_many([NEW_MAP, *(f"Buoy {n} is red." for n in range(20))])
    assert many[0].updates == ()


# -- open contradictions of the two files in recall

KETTLE = "which port does the kettle server use?"


@pytest.fixture(params=["the project's is found", "the global one is found"])
def rivals(request, tmp_path, make_kit):
    """A likely hit, and a memory of the other file that contradicts it and that no word leads to;
    others beside them."""
    kit = make_kit("p.db", encoder=None, global_store=tmp_path / "g.db")
    scopes = ["project", "global"]
    if request.param == "the global one is found":
        scopes.reverse()
    hit = kit.memories.remember("The kettle server uses port 80.", scope=scopes[0]).id
    for colour in ("green", "blue", "yellow"):
        kit.memories.remember(f"The kettle server has a {colour} lamp.")
    text = "Everything there listens on eighty-one."
    opponent = kit.memories.remember(text, scope=scopes[1], kind="correction").id
    kit.memories.contradict(hit, opponent)
    return kit, hit, opponent


def test_opponent_in_the_other_file_comes_directly_after_a_likely_hit(rivals):
    """As likely as the hit, and each says what it contradicts; `explain` agrees."""
    kit, *pair = rivals
    hit, opponent = kit.recall(KETTLE)[:2]
    assert [hit.id, opponent.id] == pair
    assert hit.score == opponent.score >= 0.5
    assert opponent.parts["opponent"] > 0
    assert (hit.contradicts, opponent.contradicts) == ((opponent.id,), (hit.id,))
    assert f"contradicts memory {hit.id}, which is not settled" in opponent.reasons
    assert kit.explain(KETTLE, opponent.id).present


def test_opponent_in_the_other_file_keeps_to_the_limit(rivals):
    """A limit of one is one hit, and it names the other."""
    kit, hit, opponent = rivals
    (only,) = kit.recall(KETTLE, limit=1)
    assert (only.id, only.contradicts) == (hit, (opponent,))
    assert [found.id for found in kit.recall(KETTLE, limit=2)] == [hit, opponent]
    assert not kit.explain(KETTLE, opponent, limit=1).present


def test_opponent_of_an_unlikely_hit_in_the_other_file_is_only_named(rivals):
    """One side of what is likelier wrong is enough."""
    kit, hit, opponent = rivals
    hits = {found.id: found for found in kit.recall("who mended the attic?", min_score=0)}
    assert hits[opponent].score < 0.5
    assert hits[opponent].contradicts == (hit,)
    assert all("opponent" not in found.parts for found in hits.values())


def test_opponent_in_the_other_file_passes_the_filters(rivals, clock):
    """What was not asked for does not come, nor what a session was shown; as of a moment, what was
    known and noted then."""
    kit, hit, opponent = rivals
    clock.advance(days=2)
    assert [found.id for found in kit.recall(KETTLE, as_of="1 day ago")[:2]] == [hit, opponent]
    assert opponent not in [found.id for found in kit.recall(KETTLE, kind="fact")]
    assert [found.id for found in kit.recall(KETTLE, session="monday")][:2] == [hit, opponent]
    assert not {hit, opponent} & {found.id for found in kit.recall(KETTLE, session="monday")}


@pytest.mark.parametrize("end", ["settled", "forgotten"])
def test_opponent_in_the_other_file_comes_no_more_once_it_is_over(rivals, end):
    """Each stands for itself again."""
    kit, hit, opponent = rivals
    if end == "settled":
        kit.memories.resolve(hit, opponent, "both_valid")
    else:
        kit.memories.forget(opponent, reason="it was the toaster")
    first, *rest = kit.recall(KETTLE)
    assert (first.id, first.contradicts) == (hit, ())
    assert opponent not in [found.id for found in rest]


def test_global_memory_that_is_replaced_here_is_no_opponent(rivals):
    """What the project says instead stands alone."""
    kit, *pair = rivals
    (own,) = (number for number in pair if kit.memories.get(number).scope == "project")
    (far,) = (number for number in pair if number != own)
    kit.memories.supersede(far, own)
    for found in kit.recall(KETTLE, min_score=0):
        assert found.id != far
        assert not found.contradicts
