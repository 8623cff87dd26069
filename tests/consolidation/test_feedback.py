"""What is said to have helped is believed more; what did not, less.

What a session was shown and then used is cited; what it did not use is ignored.

How procedures fare, as it is told and as recorded commands show it, and what is said of it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memkit
from memkit import Procedure, StepOutcome
from memkit.consolidation.feedback import (
    MAX_OUTCOMES,
    SessionMoment,
    ShownMemory,
    TextTerms,
    command_in,
    is_use,
    uses,
)
from memkit.errors import InvalidInput, NotFound
from memkit.memories.confidence import IGNORED, MAX_DAY, MAX_TOTAL, weigh
from memkit.memories.outcomes import rates, warnings
from tests.conftest import Clock
from tests.store import shell


def counts(kit: memkit.Memkit, number: int) -> tuple[int, ...]:
    """What is counted of a memory: uses, times cited, times ignored."""
    columns = "access_count, citation_count, ignore_count"
    (found,) = shell.run(kit.path, f"select {columns} from usage where memory_id = {number}")
    return found


def test_confirmed_use_is_counted_and_dated(kit: memkit.Memkit, clock: Clock) -> None:
    """A confirmed use is counted, strengthens, and is dated."""
    made = kit.memories.remember("bricks are red", confidence=0.7)
    clock.advance(hours=1)
    (memory,) = kit.consolidation.used(made)
    assert (memory.strength, memory.confidence, memory.access_count) == (2, 0.75, 1)
    assert memory.accessed_at == memory.updated_at == kit._store.now()
    kit.consolidation.used([made, made.id])
    assert counts(kit, made.id) == (2, 0, 0)
    assert kit.memories.get(made).confidence == 0.8


def test_what_was_of_no_use_is_believed_less(kit: memkit.Memkit) -> None:
    """Returned and not used is little; acted on and misled is more, and a use."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    (memory,) = kit.consolidation.rejected(made)
    assert (memory.confidence, memory.strength, memory.accessed_at) == (0.48, 1, None)
    (memory,) = kit.consolidation.used(made, helpful=False)
    assert (memory.confidence, memory.access_count) == (0.4, 1)
    assert counts(kit, made.id) == (1, 0, 1)
    assert [change.verb for change in kit.memories.details(made).audit[:2]] == ["used", "rejected"]


def test_citation_and_neglect_are_counted(kit: memkit.Memkit) -> None:
    """Cited is a use that helped, with its action in the audit; ignored moves no belief."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    (memory,) = kit.consolidation.cited(made, "edit of wall.py, token=ghp_" + "a1B2" * 9)
    assert (memory.confidence, memory.strength) == (0.55, 2)
    assert counts(kit, made.id) == (1, 1, 0)
    entry = kit.memories.details(made).audit[0]
    assert "edit of wall.py" in entry.detail
    assert "a1B2a1B2" not in entry.detail
    (memory,) = kit.consolidation.ignored(made)
    assert (memory.confidence, memory.strength) == (0.55, 2)
    assert counts(kit, made.id) == (1, 1, 1)


@pytest.mark.parametrize("helpful", [True, False])
def test_feedback_moves_belief_within_a_bound(
    kit: memkit.Memkit, clock: Clock, helpful: bool
) -> None:
    """However often it is told, a day moves belief by MAX_DAY, and all days by MAX_TOTAL."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    sign = 1 if helpful else -1
    for _ in range(5):
        kit.consolidation.used(made, helpful=helpful)
    assert kit.memories.get(made).confidence == pytest.approx(0.5 + sign * MAX_DAY)
    for _ in range(8):
        clock.advance(days=1)
        for _ in range(3):
            kit.consolidation.used(made, helpful=helpful)
    assert kit.memories.get(made).confidence == pytest.approx(0.5 + sign * MAX_TOTAL)


def test_confidence_that_was_set_anew_is_moved_from_there(kit: memkit.Memkit) -> None:
    """What a person sets counts as it is; only what is told afterwards moves it."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    kit.consolidation.used(made)
    early = kit.memories.details(made).audit[0].id
    kit.memories.update(made, confidence=0.9)
    assert kit.consolidation.used(made)[0].confidence == 0.95
    assert kit.consolidation.undo(early).memory.confidence == 0.95


TOLD = {
    "helped": lambda living, memory: living.used(memory),
    "misled": lambda living, memory: living.used(memory, helpful=False),
    "cited": lambda living, memory: living.cited(memory, "an edit"),
    "ignored": lambda living, memory: living.ignored(memory),
    "rejected": lambda living, memory: living.rejected(memory),
}


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    start=st.sampled_from([0.02, 0.37, 0.5, 0.7123456, 0.97]),
    told=st.lists(
        st.tuples(st.sampled_from(sorted(TOLD)), st.booleans(), st.booleans()),
        min_size=1,
        max_size=7,
    ),
)
def test_what_is_undone_was_never_told(start: float, told: list[tuple[str, bool, bool]]) -> None:
    """Whatever was told before and after, a memory stands as though an undone event had not
    been; `told` are the verb, whether it is undone at the end, and whether a day passes first."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        path = Path(folder)
        with memkit.open(path / "f.db", clock=clock, encoder="hashing", global_store=False) as kit:
            both, only = (
                kit.memories.remember(text, confidence=start).id
                for text in ("bricks are blue", "tiles need glue")
            )
            events = []
            for verb, undone, later in told:
                clock.advance(60, days=float(later))
                TOLD[verb](kit.consolidation, both)
                if undone:
                    events.append(kit.memories.details(both).audit[0].id)
                else:
                    TOLD[verb](kit.consolidation, only)
            for event in events:
                kit.consolidation.undo(event)
            assert _standing(kit, both) == _standing(kit, only)


def _standing(kit: memkit.Memkit, number: int) -> tuple[object, ...]:
    memory = kit.memories.get(number)
    rows = shell.run(
        kit.path,
        "select access_count, citation_count, ignore_count from usage "
        f"where memory_id = {number} and access_count + citation_count + ignore_count > 0",
    )
    return (memory.confidence, memory.strength, memory.accessed_at, rows)


def test_undone_use_lets_a_memory_wait_again(kit: memkit.Memkit) -> None:
    """What only a use had confirmed waits once both uses are undone; twice is an error."""
    result = kit.extract("Always run make lint before pushing, please.", session="s", remember=True)
    assert result
    (waiting,) = kit.review.pending()
    events = []
    for _ in range(2):
        kit.consolidation.used(waiting)
        events.append(kit.memories.details(waiting).audit[0].id)
    assert not kit.consolidation.undo(events[0]).memory.is_unconfirmed
    assert kit.consolidation.undo(events[1]).memory.is_unconfirmed
    with pytest.raises(InvalidInput, match="was undone at"):
        kit.consolidation.undo(events[1])
    with pytest.raises(NotFound, match="no run and no feedback has the number 7"):
        kit.consolidation.undo(7)


def test_what_helped_stands_a_little_higher(packaged: memkit.Memkit, clock: Clock) -> None:
    """A use that helped is told as a part of the score: it decides between answers alike, and does
    not make of what is popular the answer to another question."""
    used = packaged.memories.remember("the proxy of team blue is nginx", confidence=0.7)
    packaged.memories.remember("the proxy of team red is haproxy", confidence=0.7)
    (before,) = [hit for hit in packaged.recall("which proxy do we have?") if hit.id == used.id]
    for _ in range(50):
        packaged.consolidation.used(used)
    (after,) = [hit for hit in packaged.recall("which proxy do we have?") if hit.id == used.id]
    assert after.parts["recency"] > 0
    assert before.score < after.score < before.score + 0.03
    assert packaged.recall("which proxy has team red?")[0].id != used.id


def test_rejected_memory_is_not_ranked_higher(packaged: memkit.Memkit) -> None:
    """A use that misled is no recent use in recall: rejecting a memory never lifts it."""
    made = packaged.memories.remember("the port of the proxy is 8080")
    asked = "which proxy do we have?"
    (before,) = packaged.recall(asked)
    (memory,) = packaged.consolidation.used(made, helpful=False)
    (after,) = packaged.recall(asked)
    assert memory.accessed_at is None
    assert after.score < before.score


def test_a_global_memory_is_weighed_in_its_own_file(
    make_kit: Callable[..., memkit.Memkit], tmp_path: Path
) -> None:
    """Feedback finds the file that a memory lies in."""
    kit = make_kit("p.db", global_store=tmp_path / "g.db")
    made = kit.memories.remember("I prefer tabs.", scope="global", confidence=0.5)
    assert kit.consolidation.used(made)[0].confidence == 0.55
    event = kit.memories.details(made).audit[0].id
    assert kit.consolidation.rejected(made)[0].confidence == 0.53
    assert kit.consolidation.undo(event).memory.confidence == 0.48


def test_feedback_on_nothing_is_refused(kit: memkit.Memkit) -> None:
    """An id that is not there, an empty list, a yes in words."""
    made = kit.memories.remember("bricks are red")
    with pytest.raises(NotFound):
        kit.consolidation.used([made.id, made.id + 1])
    assert kit.memories.get(made).strength == 1
    with pytest.raises(InvalidInput):
        kit.consolidation.rejected([])
    with pytest.raises(InvalidInput, match="helpful: found 'no'"):
        kit.consolidation.used(made, helpful="no")
    with pytest.raises(InvalidInput, match="action"):
        kit.consolidation.cited(made, " ")


def test_being_shown_is_not_counted_as_a_use(packaged: memkit.Memkit) -> None:
    """Being shown, however often and to however many sessions, is no use: nothing is counted, and
    the same question has the same answer as before."""
    vague = packaged.memories.remember("the bakery uses several ovens and trays")
    exact = packaged.memories.remember("the bakery's oven for rye stands in the cellar")
    alike = packaged.memories.remember("the bakery uses many tins and ovens")
    asked = "which ovens does the bakery use?"
    before = {hit.id: hit.score for hit in packaged.recall(asked, min_score=0)}
    for number in range(30):
        packaged.recall(asked, session=f"day {number}")
        packaged.recall(asked)
    after = {hit.id: hit.score for hit in packaged.recall(asked, min_score=0)}
    assert list(after) == list(before)
    assert after == pytest.approx(before, abs=1e-6)
    for made in (vague, exact, alike):
        memory = packaged.memories.get(made)
        assert (memory.access_count, memory.strength, memory.accessed_at) == (0, 1, None)
    assert packaged.recall("where does the oven for rye stand?")[0].id == exact.id


def test_counts_of_citing_and_ignoring_are_shown(kit: memkit.Memkit) -> None:
    """In what else is known of the memory, and in the overview of the file."""
    made = kit.memories.remember("The kiln is fired on Fridays.")
    kit.consolidation.cited(made, "an edit")
    for _ in range(2):
        kit.consolidation.ignored(made)
    details = kit.memories.details(made)
    assert (details.cited, details.ignored) == (1, 2)


def test_last_is_the_newest_that_somebody_ran_or_told(kit: memkit.Memkit, clock: Clock) -> None:
    """Feedback, then a run before it, then nothing; what a session's end noticed is not meant."""
    for text in ("Vault doors open with a badge.", "Vault door opens with a badge."):
        kit.memories.remember(text)
    run = kit.consolidate().run
    clock.advance(60)
    (memory,) = kit.memories.find()
    kit.consolidation.used(memory)
    clock.advance(60)
    kit._store.write(lambda: weigh(kit._store, [memory.id], IGNORED, session="monday"))
    undone = kit.consolidation.undo("last")
    assert undone.run is None
    assert undone.memory == kit.memories.get(memory)
    assert undone.memory.confidence == memory.confidence
    assert kit.consolidation.undo("last").run == run
    with pytest.raises(NotFound, match="nothing stands"):
        kit.consolidation.undo("last")


RULE = "Hardware tests: `pytest tests/hil -p no:xdist --board heron-a` on the bench."
OTHER = "The nightly build uploads coverage to s3://metrics-eu/coverage."


def rare(_: str) -> int:
    """One memory holds it."""
    return 1


def test_rare_names_prove_a_use_and_common_ones_do_not() -> None:
    """Two names that nothing else holds, or one with three words; a part of a name is no second."""
    shared = TextTerms.of(RULE) & TextTerms.of(
        "pytest tests/hil -p no:xdist --board heron-a -k open"
    )
    assert is_use(shared, rare)
    assert not is_use(shared, lambda _: 3)
    assert not is_use(TextTerms.of("run --board"), rare)
    assert not is_use(TextTerms.of("see board and --board"), rare)
    assert not is_use(TextTerms.of("the board of the bench wants tests"), rare)
    assert is_use(TextTerms.of("--board of hardware on the bench"), rare)


def test_what_the_session_knew_before_proves_nothing() -> None:
    """A prompt or an output that said it first takes the proof away; so does time."""
    served = [ShownMemory(1, "2026-01-01T10:00", RULE)]
    did = SessionMoment("2026-01-01T11:00", "pytest tests/hil -p no:xdist --board heron-a", "")
    assert [number for number, _ in uses(served, [did], rare)] == [1]
    told = SessionMoment("2026-01-01T09:00", "", "run tests/hil with no:xdist and --board heron-a")
    assert not list(uses(served, [told, did], rare))
    early = SessionMoment("2026-01-01T09:30", did.text, "")
    assert not list(uses(served, [early, did], rare))


def _session(kit: memkit.Memkit, clock: Clock, *commands: str) -> None:
    """Be shown what there is, then run these commands."""
    kit.recall("how do we test?", session="s", min_score=0)
    kit._served.flush()
    with kit.session("s") as session, session.task("test the hardware", name="t"):
        for line in commands:
            clock.advance(60)
            session.tool("Bash", {"command": line}, output="done", success=True)


def test_memory_that_a_command_follows_is_cited(kit: memkit.Memkit, clock: Clock) -> None:
    """What was used is cited with what was done, once; the rest is ignored; belief moves little."""
    rule = kit.memories.remember(RULE, confidence=0.5).id
    other = kit.memories.remember(OTHER, confidence=0.5).id
    _session(kit, clock, "ls", "pytest tests/hil -p no:xdist --board heron-a -k fast")
    report = kit.consolidation.notice_use("s")
    assert (report.cited, report.ignored) == ((rule,), (other,))
    assert [kit.memories.get(n).confidence for n in (rule, other)] == [0.52, 0.5]
    entry = kit.memories.details(rule).audit[0]
    assert entry.verb == "cited"
    assert "no:xdist" in entry.detail
    assert kit.consolidation.notice_use("s") == memkit.UseReport()
    assert kit.consolidation.undo(entry.id).memory.confidence == 0.5


@pytest.mark.parametrize("commands", [(), ("ls -la", "git status")])
def test_session_that_did_nothing_judges_nothing(
    kit: memkit.Memkit, clock: Clock, commands: tuple[str, ...]
) -> None:
    """Where nothing was changed or run, being unused says nothing."""
    kit.memories.remember(RULE)
    _session(kit, clock, *commands)
    assert kit.consolidation.notice_use("s") == memkit.UseReport()


def test_prohibition_is_not_used_by_being_broken(kit: memkit.Memkit, clock: Clock) -> None:
    """A command that a negative memory warns of is no use of it."""
    kit.memories.remember(f"Never: {RULE}", kind="negative")
    _session(kit, clock, "pytest tests/hil -p no:xdist --board heron-a")
    assert not kit.consolidation.notice_use("s").cited


STEPS = ("run `make build`", "ask for a review", "make deploy ENV=prod")


@pytest.fixture
def deploy(kit: memkit.Memkit) -> int:
    """A procedure of two commands and a thing to do between them."""
    return kit.memories.remember("How we deploy the shop.", procedure=Procedure(STEPS)).id


def run(kit: memkit.Memkit, clock: Clock, name: str, *commands: tuple[str, bool]) -> None:
    """Record a session that ran these commands."""
    with kit.session(name) as session, session.task("work", name=f"{name}-t"):
        for line, success in commands:
            clock.advance(5)
            error = None if success else "quota exceeded"
            session.tool("Bash", {"command": line}, success=success, error=error)


def test_rates_are_counted_and_a_failing_step_is_a_warning(kit: memkit.Memkit, deploy: int) -> None:
    """Each outcome counts; a step that failed twice in a row is said, until it succeeds."""
    note = kit.consolidation.note_outcome
    note(deploy, "succeeded")
    note(deploy, "skipped", step=2)
    note(deploy, "failed", step=3)
    memory = note(deploy, StepOutcome.FAILED, step=3, note="quota exceeded", session="s")
    assert rates(memory.outcomes) == "worked 1 of 1, step 3 worked 0 of 2"
    assert list(warnings(memory.outcomes)) == ["step 3 failed the last 2 times: quota exceeded"]
    text = kit.context.assemble("how do we deploy the shop?").text
    assert "so far: worked 1 of 1" in text
    assert "step 3 failed the last 2 times: quota exceeded" in text
    memory = note(deploy, "succeeded", step=3)
    assert not list(warnings(memory.outcomes))
    assert [record.success_rate for record in memory.outcomes] == [1.0, None, pytest.approx(1 / 3)]


def test_wrong_outcomes_are_refused(kit: memkit.Memkit, deploy: int) -> None:
    """What is no procedure, a step it has not, an outcome there is not."""
    other = kit.memories.remember("bricks are red")
    with pytest.raises(InvalidInput, match="is no procedure"):
        kit.consolidation.note_outcome(other, "failed")
    with pytest.raises(InvalidInput, match=r"step: found 4, and memory .* has 3"):
        kit.consolidation.note_outcome(deploy, "failed", step=4)
    with pytest.raises(InvalidInput, match="outcome: 'odd' is unknown"):
        kit.consolidation.note_outcome(deploy, "odd")


def test_only_the_newest_outcomes_stay(kit: memkit.Memkit, deploy: int) -> None:
    """The rows of one procedure are bounded."""
    for _ in range(MAX_OUTCOMES + 3):
        memory = kit.consolidation.note_outcome(deploy, "succeeded")
    assert [record.succeeded for record in memory.outcomes] == [MAX_OUTCOMES]


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ("run `make build`", "make build"),
        ("make deploy ENV=prod", "make deploy ENV=prod"),
        ("ask for a review", "ask for a review"),
        ("either `make a` or `make b`", None),
    ],
)
def test_command_of_a_step_is_read(step: str, line: str | None) -> None:
    """What is in back quotes or can be nothing but a command."""
    assert command_in(step) == line


def test_commands_of_a_session_count_once(kit: memkit.Memkit, clock: Clock, deploy: int) -> None:
    """Two steps run in order are the procedure; the last call of each tells."""
    run(
        kit, clock, "a", ("make build", False), ("make build", True), ("make deploy ENV=prod", True)
    )
    (memory,) = kit.consolidation.observe_outcomes("a")
    assert [(r.step, r.succeeded, r.failed) for r in memory.outcomes] == [
        (None, 1, 0), (1, 1, 0), (3, 1, 0),
    ]  # fmt: skip
    assert not kit.consolidation.observe_outcomes("a")
    run(kit, clock, "b", ("make build", True), ("make deploy ENV=prod", False))
    (memory,) = kit.consolidation.observe_outcomes("b")
    assert rates(memory.outcomes) == "worked 1 of 2, step 3 worked 1 of 2"


@pytest.mark.parametrize(
    "commands",
    [
        (("make build", True), ("make test", True)),
        (("make deploy ENV=prod", True), ("make build", True)),
        (("make deploy ENV=dev", True), ("make build", True)),
    ],
    ids=["one step", "other order", "other argument"],
)
def test_other_commands_prove_nothing(
    kit: memkit.Memkit, clock: Clock, deploy: int, commands: tuple[tuple[str, bool], ...]
) -> None:
    """One step alone, another order, another argument: the procedure was not followed."""
    run(kit, clock, "a", *commands)
    assert not kit.consolidation.observe_outcomes("a")
    assert not kit.memories.get(deploy).outcomes


def test_guard_says_that_a_step_fails(kit: memkit.Memkit) -> None:
    """A procedure that speaks of the call comes with the step that failed again and again."""
    made = kit.memories.remember(
        "Deploy the shop with make deploy ENV=prod on the bastion.",
        kind="procedure",
        procedure=Procedure(STEPS),
        trigger_patterns=(),
    )
    for _ in range(2):
        kit.consolidation.note_outcome(made, "failed", step=3, note="quota exceeded")
    (warning,) = kit.guard("Bash", "make deploy ENV=prod on the bastion of the shop").warnings
    assert warning.text.endswith("step 3 failed the last 2 times: quota exceeded")
