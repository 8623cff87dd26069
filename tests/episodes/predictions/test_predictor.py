"""What comes next: by changes, links, names and the trail of a session; and learning from it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import hypothesis.strategies as st
import pytest
from hypothesis import given

import memkit
from memkit.episodes.episodes import Episodes
from memkit.episodes.predictions import Signal, Surroundings, co_change, navigation, online_ranker
from memkit.episodes.predictions.navigation import Access, Mention, Trail
from memkit.episodes.records import PredictedKind, SignalKind
from tests.store import shell

from ..repository import Repository

DAY = 86400.0


def no_links(path: str) -> Mapping[str, float]:
    """Return no links."""
    return {}


def noted(kit: memkit.Memkit) -> list[bool]:
    """Return for each file that was foretold in a session whether it was used."""
    query = "select used_at is not null from predictions where kind = 'file'"
    return [bool(used) for (used,) in shell.run(kit.path, query)]


def weights(kit: memkit.Memkit, signal: str = "%") -> dict[str, float]:
    """Return what each reason counts by now."""
    query = "select source, weight from prediction_weights where signal like :signal"
    return dict(shell.run(kit.path, f"{query} order by signal, source", signal=signal))


# -- which files go with a file


def test_files_changed_together_are_predicted() -> None:
    """A file that was changed with another goes with it, before what only lies beside it."""
    history = co_change.ChangeHistory()
    for day in range(3):
        history.add(["src/a.py", "web/b.ts"], day * DAY)
    names = co_change.Names(["src/a.py", "src/z.py", "web/b.ts"])
    found = co_change.companions("src/a.py", history, names, no_links)
    assert next(iter(online_ranker.chances(found, online_ranker.COMPANIONS))) == "web/b.ts"
    assert found["web/b.ts"]["together"] > 0
    assert "together" not in found["src/z.py"]
    assert "src/a.py" not in found


def test_old_pairs_fade() -> None:
    """A pair of half a year ago counts half of one of today."""
    history = co_change.ChangeHistory()
    history.add(["a", "old"], 0)
    history.add(["a", "new"], co_change.HALF_LIFE_DAYS * DAY)
    pairs = history.pairs("a")
    assert pairs["old"] == pytest.approx(pairs["new"] / 2)


def test_huge_changes_tell_nothing() -> None:
    """A change of very many files makes no pairs; of several, each pair counts less."""
    history = co_change.ChangeHistory()
    history.add([f"f{n}" for n in range(co_change.MAX_TOGETHER + 1)], 0)
    assert history.count == 0
    history.add(["a", "b"], 0)
    history.add(["a", "c", "d", "e", "f"], 0)
    assert history.pairs("a")["c"] == pytest.approx(history.pairs("a")["b"] / 2)


def test_older_changes_of_one_file() -> None:
    """Changes from before the window count for their file alone, and less."""
    history = co_change.ChangeHistory()
    history.add(["a", "b"], co_change.HALF_LIFE_DAYS * DAY)
    history.add_older("a", ["a", "c"], 0)
    assert history.pairs("a")["c"] == pytest.approx(0.5)
    assert "c" not in history.changes


def test_links_and_what_lies_beyond_them() -> None:
    """A file that the code links goes with it, and one that is linked with that one less."""
    graph = {"a.py": {"b.py": 5.0}, "b.py": {"c.py": 5.0, "a.py": 5.0}}
    found = co_change.companions(
        "a.py", co_change.ChangeHistory(), co_change.Names([]), lambda p: graph.get(p, {})
    )
    assert found["b.py"]["linked"] == 1
    assert "linked" not in found["c.py"]
    assert found["c.py"]["linked beyond"] > 0
    assert list(online_ranker.chances(found, online_ranker.COMPANIONS)) == ["b.py", "c.py"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/user_store.py", "tests/test_user_store.py"),
        ("web/NavUser.tsx", "web/NavUser.test.tsx"),
        ("lib/parser.go", "lib/parser_test.go"),
        ("src/parser.rs", "src/parser_spec.rs"),
    ],
)
def test_tests_go_with_their_source(one: str, other: str) -> None:
    """A file and its test are known by their names."""
    assert co_change.alike(one, other)["test"] == 1
    assert co_change.alike(other, one)["test"] == 1


def test_likeness_of_names() -> None:
    """Folder, words and ending are compared; a file is no test of another of the same name."""
    near = co_change.alike("a/b/x_cache.py", "a/b/y_cache.py")
    far = co_change.alike("a/b/x_cache.py", "c/readme.md")
    assert near["near"] > far["near"]
    assert near["alike"] > far["alike"] == 0
    assert (near["same kind"], far["same kind"]) == (1, 0)
    assert "test" not in co_change.alike("a/index.ts", "b/index.ts")


# -- where a session goes next


def walked(*paths: str, mentions_: Mapping[str, Mention] | None = None, calls: int = 0) -> Trail:
    """Return the trail over files that were read."""
    return Trail(tuple(Access(path) for path in paths), mentions_ or {}, calls)


def best(found: Mapping[str, co_change.Reasons]) -> list[str]:
    """Return the files in order."""
    return list(online_ranker.chances(found, online_ranker.NEXT))


def test_nothing_opened_nothing_foretold() -> None:
    """At the start of a session nothing is known."""
    assert navigation.next_files(Trail((), {}), no_links) == {}


def test_named_paths_come_next() -> None:
    """What the last output named is opened next rather than what an earlier one did."""
    named = {"x/new.py": Mention(5, 0), "x/old.py": Mention(1, 0)}
    found = navigation.next_files(walked("x/a.py", "x/b.py", mentions_=named, calls=5), no_links)
    order = best(found)
    assert order.index("x/new.py") < order.index("x/old.py")


def test_exploring_looks_for_new_files() -> None:
    """Whoever opened only new files opens a new one next; whoever goes to and fro goes on so."""
    named = {"x/new.py": Mention(3, 0)}
    exploring = walked("x/a.py", "x/b.py", "x/c.py", "x/d.py", mentions_=named, calls=3)
    between = walked(*["x/a.py", "x/b.py"] * 4, mentions_=named, calls=9)
    assert exploring.novelty() > 0.8
    assert between.novelty() < 0.2
    assert best(navigation.next_files(between, no_links))[-1] == "x/new.py"
    order = best(navigation.next_files(exploring, no_links))
    assert order.index("x/new.py") < order.index("x/b.py") < order.index("x/a.py")


def test_links_of_what_was_opened() -> None:
    """Files that the current one is linked with come first, those of earlier ones after them."""
    graph = {"x/b.py": {"x/linked.py": 3.0}, "x/a.py": {"x/earlier.py": 3.0}}
    found = navigation.next_files(walked("x/a.py", "x/b.py"), lambda path: graph.get(path, {}))
    assert found["x/linked.py"]["linked now"] == 1
    assert "linked now" not in found["x/earlier.py"]
    order = best(found)
    assert order.index("x/linked.py") < order.index("x/earlier.py")


# -- weights


def test_a_step_makes_what_was_used_likelier() -> None:
    """After a step the file that was used has a better chance; without a right one all stays."""
    found = {"a": {"near": 1.0}, "b": {"new": 1.0}}
    before = online_ranker.chances(found, online_ranker.NEXT)["b"]
    after = online_ranker.learnt(found, ["b"], online_ranker.NEXT, online_ranker.NEXT)
    assert online_ranker.chances(found, after)["b"] > before
    assert online_ranker.learnt(found, ["c"], online_ranker.NEXT, online_ranker.NEXT) == dict(
        online_ranker.NEXT
    )


def test_weights_stay_within_bounds() -> None:
    """However often one thing comes true, no weight goes astray."""
    found = {"a": {"near": 1.0}, "b": {"new": 1.0}}
    weights: Mapping[str, float] = online_ranker.NEXT
    for _ in range(500):
        weights = online_ranker.learnt(found, ["b"], weights, online_ranker.NEXT, step=5)
    assert abs(weights["new"] - online_ranker.NEXT["new"]) <= 4


REASONS = st.dictionaries(st.sampled_from(sorted(online_ranker.NEXT)), st.floats(0, 1))


@given(st.dictionaries(st.text(max_size=3), REASONS, max_size=6))
def test_chances_are_shares(found: dict[str, dict[str, float]]) -> None:
    """Chances add up to one and come best first."""
    chances = list(online_ranker.chances(found, online_ranker.NEXT).values())
    assert chances == sorted(chances, reverse=True)
    assert not found or sum(chances) == pytest.approx(1)


# -- asked of a store


@pytest.fixture
def mined(kit: memkit.Memkit, tmp_path: Path) -> memkit.Memkit:
    """A store over a repository in which core.py and its test were changed together four times."""
    repository = Repository(tmp_path)
    (tmp_path / ".gitignore").write_text(".memkit.db*\n", encoding="utf-8")
    repository.commit("start", {"README.md": "r", "src/other.py": "o", "src/gone.py": "g"})
    for number in range(4):
        text = str(number)
        repository.commit(f"core {number}", {"src/core.py": text, "tests/test_core.py": text})
    repository.git("rm", "-q", "src/gone.py")
    repository.commit("drop gone", {"docs/use.md": "u"}, author="Bob")
    kit.episodes.mine()
    return kit


def test_a_file_foretells_its_companions(mined: memkit.Memkit) -> None:
    """A file that was opened foretells those that go with it, with reasons and a chance."""
    found = mined.episodes.predict("src/core.py", limit=3)
    assert found.files[0] == "tests/test_core.py"
    assert "src/core.py" not in found.files
    assert "src/gone.py" not in found.files
    first = found.of("file")[0]
    assert "together" in first.reasons
    assert 0 < first.confidence <= 1
    assert len(found.files) == 3
    assert found.of(PredictedKind.PATTERN)[0].text.startswith("changed together")
    assert noted(mined) == [], "nobody could tell if it was used"


def test_unknown_files_foretell_by_their_name(mined: memkit.Memkit) -> None:
    """A new file foretells what is like it."""
    assert "src/core.py" in mined.episodes.predict("src/core_cache.py").files


def test_nothing_known_nothing_foretold(kit: memkit.Memkit) -> None:
    """In an empty store every signal foretells nothing."""
    for kind in SignalKind:
        assert kit.episodes.predict(Signal(kind, "anything" if kind != "time" else "")).files == ()


def test_surroundings_are_asked(kit: memkit.Memkit) -> None:
    """Links of the code, symbols and memories come from whoever knows them."""
    around = Surroundings(
        links=lambda path: {"b.py": 2.0} if path == "a.py" else {},
        symbols=lambda paths: [("b.py", "Thing.run"), ("a.py", "main")],
        memories=lambda question, paths: [(7, f"about {question} {paths[0]}", 0.8)],
    )
    episodes = Episodes(kit._store, surroundings=around)
    found = episodes.predict("a.py")
    assert found.files == ("b.py",)
    symbols = {p.name: p.confidence for p in found.of("symbol")}
    assert symbols == {"b.py::Thing.run": 1.0, "a.py::main": 1.0}
    (memory,) = found.of("memory")
    assert (memory.name, memory.text, memory.confidence) == ("7", "about a.py a.py", 0.8)
    episodes._close()


def test_what_comes_true_is_counted_and_teaches(mined: memkit.Memkit) -> None:
    """In a session predictions are noted; a file that was foretold and opened counts as used, and
    the weights move."""
    episodes = mined.episodes
    session = mined.session("s")
    session.file("src/core.py", "read")
    first = episodes.predict(Signal(SignalKind.FILE, "src/core.py", session="s"))
    assert "tests/test_core.py" in first.files
    before = weights(mined)
    session.file("tests/test_core.py", "read")
    episodes.predict(Signal(SignalKind.FILE, "tests/test_core.py", session="s", task="t"))
    assert sum(noted(mined)) == 1
    learnt = weights(mined)
    assert learnt != before
    counts = shell.run(mined.path, "select sum(used_count) from prediction_weights")
    assert counts == [(1,)]
    episodes.predict(Signal(SignalKind.FILE, "tests/test_core.py", session="s"))
    assert weights(mined) == learnt, "one file teaches once"
    session.close()


def test_predictions_of_concurrent_sessions_are_scored_apart(mined: memkit.Memkit) -> None:
    """Of two sessions at work at once each is told what it opened itself."""
    one, other = mined.session("one"), mined.session("other")
    one.file("src/core.py", "read")
    mined.episodes.predict(Signal(SignalKind.FILE, "src/core.py", session="one"))
    one.file("tests/test_core.py", "read")
    other.file("src/core.py", "read")
    mined.episodes.predict(Signal(SignalKind.FILE, "src/core.py", session="other"))
    mined.episodes.predict(Signal(SignalKind.FILE, "tests/test_core.py", session="one"))
    assert sum(noted(mined)) == 1
    one.close()
    other.close()


def test_mining_practises(mined: memkit.Memkit, tmp_path: Path) -> None:
    """What counts in a repository is learnt from its commits, each once."""
    predictor = mined.episodes._predictor
    learnt = weights(mined, "commit")
    assert learnt["together"] != online_ranker.COMPANIONS["together"]
    assert predictor.practise() == 0
    assert set(learnt) == set(online_ranker.COMPANIONS)


def test_the_same_is_noted_once(mined: memkit.Memkit) -> None:
    """What was foretold and has not come true is not noted again; secrets never are."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    with mined.session("s"):
        for _ in range(3):
            mined.episodes.predict(Signal(SignalKind.FILE, "src/core.py", session="s"), limit=2)
    assert len(noted(mined)) == 2
    message = f"src/a.py:1: ValueError: token {secret} refused"
    mined.episodes.predict(Signal(SignalKind.ERROR, message, session="s"))
    mined.close()
    assert secret.encode() not in mined.path.read_bytes()


def test_a_branch_foretells_its_files(kit: memkit.Memkit) -> None:
    """A branch foretells files worked on in it, then those of tasks its words describe."""
    with kit.session("s", branch="feature/login") as session, session.task("one") as task:
        task.file("src/login.py", "edit")
        task.finish("done")
    with kit.session("s2", branch="main") as session, session.task("repair token expiry") as task:
        task.file("src/token.py", "edit")
        task.finish("tokens expire")
    assert kit.episodes.predict(Signal(SignalKind.BRANCH, "feature/login")).files[0] == (
        "src/login.py"
    )
    assert "src/token.py" in kit.episodes.predict(Signal(SignalKind.BRANCH, "token-expiry")).files


def test_an_error_foretells_the_files_it_names(kit: memkit.Memkit) -> None:
    """Without a known fix, the files that a traceback names come, the innermost first."""
    error = 'File "src/a.py", line 1\nFile "src/b.py", line 2\nValueError: x'
    assert kit.episodes.predict(Signal(SignalKind.ERROR, error)).files == ("src/b.py", "src/a.py")


def test_the_time_of_day_foretells_habits(kit: memkit.Memkit, clock: Any) -> None:
    """Files opened on several days at this hour come; those of one day or another hour do not."""
    session = kit.session("s")
    for _ in range(3):
        session.file("daily.md", "read")
        clock.advance(hours=5)
        session.file("noon.md", "read")
        clock.advance(hours=19)
    session.file("once.md", "read")
    found = kit.episodes.predict(Signal(SignalKind.TIME))
    assert found.files == ("daily.md",)
    at_noon = kit.episodes.predict(Signal(SignalKind.TIME, "2026-03-04T15:20:00Z"))
    assert at_noon.files == ("noon.md",)
    session.close()


def test_a_collaborator_foretells_their_files(mined: memkit.Memkit) -> None:
    """A person foretells the files that they changed."""
    assert mined.episodes.predict(Signal(SignalKind.COLLABORATOR, "bob")).files == ("docs/use.md",)
    assert mined.episodes.predict(Signal(SignalKind.COLLABORATOR, "%")).files == ()


def test_read_only_store_predicts_and_keeps_nothing(make_kit: Any, mined: memkit.Memkit) -> None:
    """A store that may not be written predicts all the same."""
    reader = make_kit(mined.path.name, readonly=True)
    signal = Signal(SignalKind.FILE, "src/core.py", session="s")
    assert reader.episodes.predict(signal).files
    assert noted(reader) == []


def test_refusals(kit: memkit.Memkit) -> None:
    """A signal without a subject, and a limit of nothing, are refused."""
    with pytest.raises(memkit.InvalidInput, match="subject is empty"):
        Signal(SignalKind.FILE, " ")
    with pytest.raises(memkit.InvalidInput, match="limit: found 0"):
        kit.episodes.predict("a.py", limit=0)
    with pytest.raises(memkit.InvalidInput, match="'weather' is unknown; give one of file, branch"):
        Signal("weather", "rain")  # type: ignore[arg-type]


def test_a_partial_read_is_a_feature() -> None:
    """A file that was read in part is told from one that was read whole."""
    for access, part in ((Access("a", is_part=True), 1), (Access("a"), 0)):
        reasons = navigation.next_files(Trail((Access("b"), access), {}), no_links)["a"]
        assert reasons["read in part"] == part


def test_search_results_are_predicted_in_order() -> None:
    """What a search has just found comes before what a read file named, its first hits first."""
    named = {"x/hit.py": Mention(3, 0), "x/second.py": Mention(3, 1)}
    walk = walked("x/a.py", mentions_=named, calls=3)
    searched = navigation.next_files(attrs.evolve(walk, searched=True), no_links)
    assert best(searched)[:2] == list(named)
    read = navigation.next_files(walk, no_links)
    assert "found" not in read["x/hit.py"]
    assert online_ranker.scores(searched, online_ranker.NEXT)["x/hit.py"] > max(
        online_ranker.scores(read, online_ranker.NEXT).values()
    )


def test_files_behind_the_current_one_in_a_list_come_next() -> None:
    """In a list of files, those behind the current one are next, the nearest first."""
    named = {f"x/{name}.py": Mention(1, place) for place, name in enumerate("abcd")}
    found = navigation.next_files(walked("x/b.py", mentions_=named, calls=4), no_links)
    assert found["x/a.py"]["next of a list"] == 0
    assert found["x/c.py"]["next of a list"] > found["x/d.py"]["next of a list"] > 0


def test_what_was_asked_for_names_files() -> None:
    """Files whose names hold rare words of the task come first, in any form of the words."""
    named = {f"x/{name}.py": Mention(1, 0) for name in ("upload_retry", "login", "tax")}
    walk = walked("x/a.py", mentions_=named, calls=4)
    found = navigation.next_files(attrs.evolve(walk, request="uploads are retried twice"), no_links)
    assert found["x/upload_retry.py"]["asked for"] > 0.4
    assert found["x/login.py"]["asked for"] == 0
    assert best(found)[0] == "x/upload_retry.py"


def test_tests_are_not_read_while_code_is() -> None:
    """A test is told from code, unless one is in a test already."""
    named = {"x/test_b.py": Mention(1, 0)}
    assert navigation.next_files(walked("x/a.py", mentions_=named), no_links)["x/test_b.py"][
        "a test"
    ]
    from_test = navigation.next_files(walked("x/test_a.py", mentions_=named), no_links)
    assert "a test" not in from_test["x/test_b.py"]


def test_import_of_a_folder_is_not_predicted() -> None:
    """An import of what turned out to be a folder is no file that may be opened."""
    named = {"x/lib.ts": Mention(1, 0), "x/lib/a.ts": Mention(2, 0), "x/b.ts": Mention(2, 1)}
    found = navigation.next_files(walked("x/c.ts", mentions_=named, calls=2), no_links)
    assert set(found) == {"x/c.ts", "x/lib/a.ts", "x/b.ts"}


def test_files_beside_are_thought_of(mined: memkit.Memkit) -> None:
    """In a session too, a file of the same folder that nothing named may be next."""
    session = mined.session("s")
    session.file("src/other.py", "read")
    found = mined.episodes.predict(Signal(SignalKind.FILE, "src/other.py", session="s"))
    assert "src/core.py" in found.files
    assert "src/gone.py" not in found.files
    session.close()


def test_what_the_task_asks_for_is_foretold(kit: memkit.Memkit) -> None:
    """The description of the session's task, the last call and the lines that were read count."""
    with kit.session("s") as session, session.task("mend the upload queue"):
        session.file("src/a.py", "read", line_range={"start": 1, "end": 20})
        session.tool("Bash", {"command": "ls src"}, output="login.py\nqueue.py\ntax.py")
        found = kit.episodes.predict(Signal(SignalKind.FILE, "src/a.py", session="s"))
        reasons = {file.name: file.reasons for file in found.of("file")}
        assert "asked for" in reasons["src/queue.py"]
        assert "found" in reasons["src/login.py"]
        assert "read in part" in reasons["src/a.py"]


def test_imports_of_a_read_file_are_predicted(kit: memkit.Memkit) -> None:
    """After a file was read, what it imports may come next, without a code graph too."""
    session = kit.session("s")
    session.file("src/a.ts", "read")
    session.tool("Read", {"file_path": "src/a.ts"}, output="import { x } from './b';")
    found = kit.episodes.predict(Signal(SignalKind.FILE, "src/a.ts", session="s"))
    assert "src/b.ts" in found.files
    session.close()


def test_file_outside_the_root_is_not_predicted(kit: memkit.Memkit) -> None:
    """Of a file outside the root only a name is known: nothing goes with it, and it fixes nothing
    here."""
    with kit.session("s") as session, session.task("tune the pump") as task:
        task.tool("bash", {"command": "make"}, success=False, error="ValueError: dry")
        for path in ("/elsewhere/pump.conf", "pump.py", "valve.py"):
            task.file(path, "edit")
        task.tool("bash", {"command": "make"}, success=True)
        task.finish("it pumps")
    kit.episodes.learn()
    signals = ("pump.py", memkit.Signal("error", "ValueError: dry in '/x/well.cfg'"))
    foretold = [p for signal in signals for p in kit.episodes.predict(signal).predictions]
    assert "valve.py" in [p.name for p in foretold]
    assert not [p for p in foretold if "outside:" in f"{p.name} {p.text}"]


def test_the_trunk_foretold_what_is_called_like_it(kit: memkit.Memkit) -> None:
    """Its name says nothing of the work; one edit in a branch is no certainty."""
    kit.memories.remember("The main entry of the programme is in pump.py.")
    assert not kit.episodes.predict(memkit.Signal("branch", "main")).predictions
    with kit.session("s", branch="main") as session, session.task("t") as task:
        task.file("pump.py", "edit")
    (found,) = kit.episodes.predict(memkit.Signal("branch", "main")).predictions
    assert (found.name, found.confidence) == ("pump.py", 0.5)


def test_one_commit_of_everything_foretold_all_of_it(kit: memkit.Memkit) -> None:
    """What somebody changed is told by its share of what they changed."""
    names = ", ".join(f"({n}, 'f{n}.py', '')" for n in range(1, 11))
    changes = ", ".join(f"(1, {n}, 'write')" for n in range(1, 11))
    shell.run(
        kit.path,
        f"insert into commit_names values {names}, (99, 'Ada', '')",
        "insert into commits (id, hash, committed_at, subject, kind, author) values "
        "(1, 'aaa', '2026-02-01T10:00:00.000Z', 'import', 'change', 99)",
        f"insert into commit_files (commit_id, name_id, operation) values {changes}",
    )
    signal = memkit.Signal("collaborator", "Ada")
    found = [p for p in kit.episodes.predict(signal).predictions if p.kind == "file"]
    assert found
    assert all(p.confidence < 0.2 for p in found)
