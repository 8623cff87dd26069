"""The background agent: at once for the caller, one turn behind, and never in the way."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.agents.memory_agent import MAX_WAITING
from memkit.context.signals import ContextSignals

RULE = "Never retry an upload: retried uploads were doubled."
PORT = "The quay's radio listens on port 4711."
ASKED, OTHER = "may I retry an upload?", "which port does the quay's radio use?"
LONG = 60.0


@pytest.fixture
def kit(packaged: memkit.Memkit) -> memkit.Memkit:
    """A store with two things of two fields."""
    packaged.memories.remember(RULE, kind="negative")
    packaged.memories.remember(PORT)
    return packaged


@pytest.fixture
def agent(kit: memkit.Memkit) -> Iterator[memkit.MemoryAgent]:
    """Its agent, closed at the end."""
    agent = kit.agent(session="turns")
    yield agent
    agent.close()


@pytest.fixture
def held(agent: memkit.MemoryAgent) -> Iterator[threading.Event]:
    """An event until which the agent stays in its first turn."""
    begun, free = threading.Event(), threading.Event()

    def hold(kit: memkit.Memkit, turn: memkit.Turn) -> None:
        begun.set()
        free.wait(LONG)

    agent.maintenance.append(hold)  # type: ignore[arg-type]
    agent.update(ASKED)
    assert begun.wait(LONG)
    agent.maintenance.remove(hold)  # type: ignore[arg-type]
    yield free
    free.set()


def test_a_turn_is_answered_at_the_next(agent: memkit.MemoryAgent) -> None:
    """What bears on a turn is there once when it is dealt with; nothing where nothing does."""
    assert agent.take_pending() is None
    agent.update(ASKED)
    assert agent.wait(LONG)
    context = agent.take_pending()
    assert context is not None
    assert RULE in context.text
    assert agent.take_pending() is None
    agent.update(ContextSignals(task=OTHER))
    assert agent.wait(LONG)
    assert PORT in (agent.take_pending() or context).text
    assert list(agent.notes) == []


def test_update_is_a_small_part_of_the_work(agent: memkit.MemoryAgent, kit: memkit.Memkit) -> None:
    """The caller waits for a fiftieth of what the same takes in the foreground, at most."""
    start = time.perf_counter()
    kit.context.assemble(ASKED)
    whole = time.perf_counter() - start
    spent = []
    for _ in range(100):
        start = time.perf_counter()
        agent.update(ASKED)
        spent.append(time.perf_counter() - start)
    assert statistics.median(spent) < whole / 50


def test_turns_come_in_order_and_the_newest_win(
    agent: memkit.MemoryAgent, held: threading.Event
) -> None:
    """Of more than can wait the oldest are dropped and counted; the rest keep their order."""
    seen: list[str] = []
    agent.maintenance.append(lambda kit, turn: seen.append(turn.text))
    for number in range(MAX_WAITING + 5):
        agent.update(f"turn {number}")
    held.set()
    assert agent.wait(LONG)
    assert agent.dropped == 5
    assert seen[-MAX_WAITING:] == [f"turn {n}" for n in range(5, MAX_WAITING + 5)]


def test_nothing_is_shown_twice_until_the_topic_changes(agent: memkit.MemoryAgent) -> None:
    """The same topic brings nothing new; after another one it may come again."""
    answers = []
    for text in (ASKED, "really, may I retry an upload?", OTHER, ASKED):
        agent.update(text)
        assert agent.wait(LONG)
        context = agent.take_pending()
        answers.append(context is not None and RULE in context.text)
    assert answers[:2] == [True, False]
    assert any(answers[2:])


def test_what_was_never_taken_comes_again(agent: memkit.MemoryAgent) -> None:
    """A context that the next one replaces was shown to nobody: what bears on both turns comes
    with the second."""
    agent.update(ASKED)
    agent.update("say again whether I may retry an upload")
    assert agent.wait(LONG)
    assert RULE in getattr(agent.take_pending(), "text", "")
    agent.update(f"{ASKED} {ASKED}")
    assert agent.wait(LONG)
    assert RULE not in getattr(agent.take_pending(), "text", "")


def test_what_is_taken_while_the_next_turn_is_assembled_comes_once(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was shown, whatever of it would have come again."""
    agent = kit.agent(session="turns")
    agent.update(ASKED)
    assert agent.wait(LONG)
    assemble, taken = kit.context.assemble, list[memkit.AssembledContext | None]()

    def slow(*given: Any, **named: Any) -> memkit.AssembledContext:
        context = assemble(*given, **named)
        taken.append(agent.take_pending())
        return context

    monkeypatch.setattr(kit.context, "assemble", slow)
    for _ in range(2):
        agent.update("say again whether I may retry an upload")
        assert agent.wait(LONG)
    texts = [getattr(context, "text", "") for context in (*taken, agent.take_pending())]
    assert [RULE in text for text in texts] == [True, False, False]


def test_gaps_are_noted_and_verified_memories_are_weighed(kit: memkit.Memkit) -> None:
    """What nothing bears on is a gap; what is judged is believed more or less, and stays away."""
    rule = kit.memories.find(kind="negative")[0]
    agent = kit.agent(verify=lambda text, item: RULE in item.text and "never" in text)
    agent.update("the elephants of Namibia walk far")
    agent.update(ASKED)
    assert agent.wait(LONG)
    assert agent.take_pending() is None
    assert kit.memories.get(rule.id).confidence < rule.confidence
    agent.update(f"never say never: {ASKED}")
    assert agent.wait(LONG)
    assert RULE in getattr(agent.take_pending(), "text", "")
    assert kit.memories.get(rule.id).access_count == 1
    assert [gap.question for gap in kit.gaps()] == ["the elephants of Namibia walk far"]


def test_a_fault_is_a_note(
    agent: memkit.MemoryAgent, kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In recall and in one task of maintenance: the caller, and the other tasks, go on."""
    seen: list[str] = []

    def broken(*_: object, **__: object) -> None:
        raise ValueError("quay closed")

    agent.maintenance[:] = [broken, lambda kit, turn: seen.append(turn.text)]
    agent.update(ASKED)
    assert agent.wait(LONG)
    assert seen == [ASKED]
    assert agent.take_pending()
    monkeypatch.setattr(kit.context, "assemble", broken)
    agent.update(OTHER)
    assert agent.wait(LONG)
    assert agent.take_pending() is None
    assert [note.partition(" ")[2] for note in agent.notes] == [
        "broken: ValueError: quay closed",
        "a turn was not dealt with: ValueError: quay closed",
    ]


def test_there_is_one_for_a_file(
    kit: memkit.Memkit, make_kit: Callable[..., memkit.Memkit]
) -> None:
    """Whoever opens it in this process; other options are refused, a closed one is replaced."""
    agent = kit.agent(session="turns")
    other = make_kit(kit.path)
    assert kit.agent() is agent is other.agent(session="turns")
    assert make_kit("other.db").agent() is not agent
    with pytest.raises(memkit.InvalidInput, match="other options"):
        kit.agent(session="else")
    other.close()
    assert not agent.is_closed
    agent.close()
    agent.close()
    with pytest.raises(memkit.InvalidInput, match="closed"):
        agent.update(ASKED)
    assert kit.agent() is not agent


def test_closing_the_kit_ends_it(
    kit: memkit.Memkit, agent: memkit.MemoryAgent, held: threading.Event
) -> None:
    """After the turn in hand; what waited is counted, and its thread is gone."""
    agent.update(OTHER)
    threading.Timer(0.05, held.set).start()
    kit.close()
    assert agent.is_closed
    assert agent.dropped == 1
    assert not [t for t in threading.enumerate() if t.name == "memkit-agent"]
    assert list(agent.notes) == []


def test_eight_threads_at_once(agent: memkit.MemoryAgent, kit: memkit.Memkit) -> None:
    """Each turn is dealt with or counted, while the store is written and read by others."""
    seen: list[str] = []
    agent.maintenance.append(lambda kit, turn: seen.append(turn.text))

    def work(number: int) -> None:
        for turn in range(10):
            agent.update(f"thread {number} turn {turn}")
            if turn % 5 == 0:
                kit.memories.remember(f"berth {number} of pier {turn} is dredged")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert agent.wait(LONG)
    assert len(seen) + agent.dropped == 80
    assert list(agent.notes) == []
    assert kit.memories.count() == 18


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_begins_its_own(agent: memkit.MemoryAgent) -> None:
    """Also in the midst of turns; the parent goes on."""
    for _ in range(5):
        agent.update(ASKED)
    child = os.fork()
    if child == 0:
        agent.update(OTHER)
        is_right = agent.wait(LONG) and PORT in getattr(agent.take_pending(), "text", "")
        os._exit(0 if is_right else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert agent.wait(LONG)
    assert agent.take_pending()


def test_the_end_of_the_program_ends_it(tmp_path: Path) -> None:
    """A program that forgets to close ends by itself, and quietly."""
    program = (
        "import memkit\n"
        f"kit = memkit.open({str(tmp_path / 'x.db')!r}, global_store=False)\n"
        "kit.memories.remember('The quay is closed on Sundays.')\n"
        "agent = kit.agent()\n"
        "for _ in range(20): agent.update('when is the quay closed?')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
