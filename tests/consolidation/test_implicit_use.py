"""What a session was shown and then used is cited; what it did not use is ignored."""

from __future__ import annotations

import pytest

import memkit
from memkit.consolidation.implicit_use import SessionMoment, ShownMemory, TextTerms, is_use, uses
from tests.conftest import Clock

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
