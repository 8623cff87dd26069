"""Selection of memories for a prompt: worth its tokens or left out, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.context.selection import EPISODES, ITEM_TOKENS, select_memories, worth_their_tokens
from memkit.retrieval.records import Hit, RecallResult

chances = st.floats(0.001, 0.99)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> memkit.Memory:
    """One memory, of which others are made."""
    path = tmp_path_factory.mktemp("one") / "one.memkit.db"
    with memkit.open(path, global_store=False) as kit:
        return kit.memories.get(kit.memories.remember("The kiln is fired with birch."))


def _hits(memory: memkit.Memory, *parts: tuple[float, int]) -> list[Hit]:
    """Return hits of these chances and tokens, best first."""
    ordered = sorted(parts, reverse=True)
    return [
        Hit(attrs.evolve(memory, id=place, tokens=size), chance, {})
        for place, (chance, size) in enumerate(ordered, 1)
    ]


def _ids(hits: Sequence[Hit]) -> list[int]:
    return [hit.id for hit in hits]


def test_nothing_comes_in_where_the_best_is_in_doubt(memory: memkit.Memory) -> None:
    """A best of a tenth brings nothing, and each is named with its chance and its price."""
    selection = worth_their_tokens(_hits(memory, (0.1, 30), (0.08, 30)))
    assert selection.hits == ()
    assert [one.what for one in selection.left_out] == ["memory:1", "memory:2"]
    assert selection.left_out[0].reason == "its chance, 0.10, is not worth its 48 tokens"


def test_a_sure_best_brings_the_less_likely(memory: memkit.Memory) -> None:
    """What does not come beside a best of .4 comes beside one of .9."""
    in_doubt = worth_their_tokens(_hits(memory, (0.4, 30), (0.03, 20)))
    sure = worth_their_tokens(_hits(memory, (0.9, 30), (0.03, 20)))
    assert [hit.memory.tokens for hit in in_doubt.hits] == [30]
    assert [hit.memory.tokens for hit in sure.hits] == [30, 20]


def test_a_long_text_comes_with_the_tokens_it_is_worth(memory: memkit.Memory) -> None:
    """A best of a half is worth 800 tokens; one beside it of a fifth 320, and one of a twentieth,
    too few for a part of a text, comes only if it is short."""
    hits = _hits(memory, (0.5, 2_000), (0.2, 2_000), (0.05, 2_000), (0.049, 30))
    selection = worth_their_tokens(hits)
    assert _ids(selection.hits) == [1, 2, 4]
    assert selection.max_tokens == {1: 800 - ITEM_TOKENS, 2: 320 - ITEM_TOKENS}


@given(parts=st.lists(st.tuples(chances, st.integers(1, 3_000)), max_size=12), surer=chances)
def test_selection_keeps_the_order_and_loses_nothing_to_a_surer_best(
    memory: memkit.Memory, parts: list[tuple[float, int]], surer: float
) -> None:
    """Every hit is in or left out, in recall's order; if the best were surer, all that is in
    would be in."""
    hits = _hits(memory, *parts)
    selection = worth_their_tokens(hits)
    taken = _ids(selection.hits)
    assert taken == sorted(taken)
    assert sorted([*taken, *(int(one.what[7:]) for one in selection.left_out)]) == _ids(hits)
    if hits and surer > hits[0].score:
        more = worth_their_tokens([attrs.evolve(hits[0], score=surer), *hits[1:]])
        assert set(_ids(more.hits)) >= set(taken)


def test_an_action_brings_only_what_warns_of_it(memory: memkit.Memory) -> None:
    """What recall lowered because it says nothing against an action stays away, however likely."""
    warning, other = _hits(memory, (0.9, 30), (0.5, 30))
    selection = worth_their_tokens([warning, attrs.evolve(other, parts={"action": -1.0})])
    assert _ids(selection.hits) == [1]
    assert selection.left_out[0].reason == "says nothing against this action"


def test_memories_and_episodes_of_a_prompt(make_kit: Callable[..., memkit.Memkit]) -> None:
    """A prompt brings what bears on it first; another brings nothing; what a session was shown is
    left out by number."""
    kit = make_kit("selection")
    right = kit.memories.remember("The kiln in the yard is fired with birch wood.")
    kit.memories.remember_many(f"Pier {n} is let to boat number {n}." for n in range(60))
    prompt = "Please order birch wood for the kiln in the yard."
    bearing = select_memories(kit._recall, prompt, limit=40)
    assert _ids(bearing.hits)[:1] == [right.id]
    assert select_memories(kit._recall, "Zymurgy quotas?", limit=40).hits == ()
    kit.recall(prompt, session="s")
    again = select_memories(kit._recall, prompt, limit=40, session="s")
    assert right.id not in _ids(again.hits)
    assert again.left_out[0].reason == "served to this session before"


def test_episodes_come_by_their_own_floor() -> None:
    """Memories are asked for by chance alone, episodes without a chance of the caller's."""
    asked: list[dict[str, object]] = []

    def recall(prompt: str, **how: object) -> RecallResult:
        asked.append(how)
        return RecallResult(notes=("a note",))

    assert select_memories(recall, "x", limit=7, near="a.py").notes == ("a note",)
    memories, episodes = asked
    assert (memories["sources"], memories["near"]) == ("memories", "a.py")
    assert episodes["sources"] == EPISODES
    assert "min_score" not in episodes


@pytest.mark.parametrize("prompt", ["continue where we stopped", "What did we do today?"])
def test_no_document_answers_who_asks_for_work_alone(kit: memkit.Memkit, prompt: str) -> None:
    """Words such as "stop" stand in any guide; what somebody told may be of it."""
    guide = "Guests who do harm are asked to stop; those who continue leave the harassment desk."
    kit.memories.remember(guide, provenance="extracted")
    kit.memories.remember("Work at the quay rests until the flood is over.")
    kit.session("s1").task("paint the north crane")
    text = kit.context.assemble(prompt).text
    assert "north crane" in text
    assert "harassment" not in text
    assert "until the flood" in kit.context.assemble("where did we stop at the quay?").text


def test_an_error_is_answered_though_the_start_told_of_it(kit: memkit.Memkit) -> None:
    """Whoever runs into it asks for what fixed it; once."""
    error = "ImportError: Using http2=True, but the 'h2' package is not installed."
    session = kit.session("s1")
    call = {"command": "pytest tests/test_http2.py"}
    session.tool("Bash", call, success=False, error=error)
    session.tool("Bash", {"command": "pip install h2"}, success=True)
    session.tool("Bash", call, success=True)
    assert "(once) – fixed by pip install h2" in kit.context.assemble(session="s2").text
    answer = "fixed: pip install h2; then pytest tests/test_http2.py passed"
    assert answer in kit.context.assemble(f"E   {error}", session="s2").text
    assert answer not in kit.context.assemble(f"E   {error}", session="s2").text


def test_an_error_without_a_telling_line_is_shown_as_it_came(kit: memkit.Memkit) -> None:
    """By the first line of the output, its numbers and all."""
    line = "curl: (22) The requested URL returned error: 500"
    kit.session("s1").tool("Bash", {"command": "curl x"}, success=False, output=f"\n{line}\n")
    assert f"{line} (once) – not fixed yet" in kit.context.assemble(session="s2").text


def test_a_start_tells_of_tasks_for_which_something_was_done(kit: memkit.Memkit) -> None:
    """Of thanks and greetings, which a hook records as tasks, nothing is told."""
    session = kit.session("s1")
    session.task("thanks a lot!").finish()
    task = session.task("grease the south crane")
    task.file("crane.py", "edit")
    task.finish()
    session.task("count the gulls").finish("eleven")
    text = kit.context.assemble().text
    assert "thanks" not in text
    assert "south crane" in text
    assert "eleven" in text
