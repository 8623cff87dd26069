"""Levels of detail: what they say, what they keep, and when memories get them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial

import hypothesis.strategies as st
import pytest
from hypothesis import given

import memkit
from memkit import tokens
from memkit.consolidation.levels import Levels, apply_levels, make_levels, plan_levels, turns, words
from memkit.context.memory_levels import LevelName, full_text
from memkit.text.extractive import split_statements
from tests.conftest import Clock

LONG = (
    "Uploads go through the queue and are never written straight to the bucket. "
    "The worker picks them up within ten seconds, resizes the pictures and stores three sizes. "
    "Marek built it in March after the bucket had thrown errors for a week."
)
_PIECES = st.sampled_from(
    "the a is never not no don't without only unless 8080 v2.3 auth/login.py Redis RabbitMQ queue "
    "deploy staging retry POST because since (see #12) ; , – nicht nunca 決して アップロード не "
    "bucket worker migration config `is` and or The".split()
)
_SENTENCES = st.lists(_PIECES, min_size=3, max_size=18).map(lambda parts: " ".join(parts))
_TEXTS = st.lists(_SENTENCES, min_size=1, max_size=9).map(lambda parts: ". ".join(parts) + ".")


@pytest.fixture(scope="module")
def memory_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., memkit.Memory]:
    """Make a memory of the fields of a draft, of which only what levels are made of matters."""
    import attrs

    path = tmp_path_factory.mktemp("levels") / ".memkit.db"
    with memkit.open(path, encoder="hashing", global_store=False) as kit:
        plain = kit.memories.remember("anything").memory
    return lambda text, **fields: attrs.evolve(plain, text=text, **fields)


def _negations(text: str) -> list[str]:
    return [word for word in words(text) if turns(word)]


def _wordings(levels: Levels) -> list[str]:
    return [text for text in (levels.summary, levels.compressed, levels.index) if text]


@given(_TEXTS, st.lists(st.sampled_from(["http", "build-server"]), max_size=2))
def test_no_level_makes_a_word_up(
    memory_of: Callable[..., memkit.Memory], text: str, tags: list[str]
) -> None:
    """Every word of a level stands in the text or is a tag."""
    memory = memory_of(text, tags=tuple(tags))
    own = {*words(text), *words(" ".join(tags))}
    for wording in _wordings(make_levels(memory)):
        assert set(words(wording)) <= own


@given(_TEXTS)
def test_each_level_is_shorter_than_the_one_before(
    memory_of: Callable[..., memkit.Memory], text: str
) -> None:
    """In letters and tokens; a text that is short already has none."""
    memory = memory_of(text)
    sizes = [text, *_wordings(make_levels(memory))]
    assert all(len(a) > len(b) for a, b in itertools.pairwise(sizes))
    counts = list(map(tokens.count, sizes))
    assert counts == sorted(set(counts), reverse=True)


@given(_TEXTS)
def test_what_a_text_denies_its_levels_deny(
    memory_of: Callable[..., memkit.Memory], text: str
) -> None:
    """A short text keeps every negation in summary and hint; of a long one, a statement that is
    taken keeps its own."""
    levels = make_levels(memory_of(text))
    statements = split_statements(text)
    for wording in filter(None, (levels.summary, levels.compressed)):
        if len(statements) <= 5:
            assert _negations(wording) == _negations(text)
        else:
            sides = [_negations(statement) for statement in statements]
            told = _negations(wording)
            assert all(any(word in side for side in sides) for word in told)


@given(st.sampled_from(["en", "de", "es", "ru", "ja", "none"]), st.integers(1, 4))
def test_a_prohibition_stays_one_in_other_languages(
    memory_of: Callable[..., memkit.Memory], language: str, more: int
) -> None:
    """Wherever the denial stands, a level that is there denies too."""
    rules = {
        "en": "Never push to the release branch, whatever the pipeline says",
        "de": "Auf den Release-Branch wird niemals direkt gepusht, auch wenn die Pipeline grün ist",
        "es": "Nunca se hace push a la rama de release aunque el pipeline esté en verde",
        "ru": "Никогда не отправляйте изменения прямо в ветку release, даже если сборка зелёная",
        "ja": "リリースブランチに直接プッシュしないでください",
        "none": "release-branch: push without review = no",
    }
    filler = [f"Pipeline {n} runs on runner-{n} in hall {n}." for n in range(more)]
    text = " ".join([*filler, rules[language] + ("。" if language == "ja" else ".")])
    levels = make_levels(memory_of(text, kind="negative"))
    for wording in filter(None, (levels.summary, levels.compressed)):
        assert turns(wording), wording


def test_summary_is_whole_statements_and_hint_is_telegraphic(
    memory_of: Callable[..., memkit.Memory],
) -> None:
    """The first statement, and what fits of the others; a hint leaves articles out."""
    levels = make_levels(memory_of(LONG))
    assert levels.summary is not None
    assert levels.summary.startswith(LONG.partition(". ")[0] + ".")
    assert levels.compressed == ("Uploads go through queue and never written straight to bucket")
    assert levels.index is not None
    assert len(levels.index.split()) <= 3


def test_summary_of_a_short_text_is_its_beginning(memory_of: Callable[..., memkit.Memory]) -> None:
    """Whatever tells more stands after it: so short a text begins with what it is about."""
    text = (
        "Exports are made at night. They lie in a bucket. "
        "Bucket heron-17 of eu-west-3 has ports 7401, 7402 and 7403 behind gate K9 with key ZX81."
    )
    assert tokens.count(text) < 60
    assert make_levels(memory_of(text)).summary == (
        "Exports are made at night. They lie in a bucket."
    )


def test_summary_of_a_long_text_fills_its_room(memory_of: Callable[..., memkit.Memory]) -> None:
    """As many statements as fit in 60 tokens, joints included, not a fixed number of them."""
    text = " ".join(f"Gate {n} of hall K{n} opens with badge {n * 37}." for n in range(40))
    summary = make_levels(memory_of(text)).summary
    assert summary is not None
    assert len(split_statements(summary)) >= 3
    assert 45 <= tokens.count(summary) <= 60


def test_statement_that_is_limited_is_not_cut(memory_of: Callable[..., memkit.Memory]) -> None:
    """What holds under a condition keeps it; a reason and an aside may go."""
    limited = "Deploy on Friday (Marek) only if the smoke tests of the whole night are green."
    reason = (
        "Backups run at four (by heron), because the traffic of the shop in all "
        "of its three countries is lowest by then, and the office is empty by then as well."
    )
    tail = " Olly wrote it down in the handbook last week after the meeting with the whole team."
    hint = make_levels(memory_of(limited + tail)).compressed
    assert hint is not None
    assert "only if" in hint
    assert "(Marek)" in hint
    assert make_levels(memory_of(reason + tail)).compressed == "Backups run at four"


def test_keyed_fact_and_procedure_have_their_forms(
    memory_of: Callable[..., memkit.Memory],
) -> None:
    """`key (qualifier): value`, `name: a→b→c`; what heeds a danger keeps it."""
    fact = memory_of(LONG, key="error handling", value="Result", qualifier="typescript")
    assert make_levels(fact).compressed == "error handling (typescript): Result"
    assert make_levels(fact).index == "error handling"
    steps = (
        "Run pnpm db:generate in packages/db and look at the file that it writes",
        "Stop the workers of the two queues by hand, those of the mail as well",
        "Never migrate on Friday",
    )
    way = memory_of(
        "Schema change", procedure=memkit.Procedure(steps, name="schema change"), kind="procedure"
    )
    levels = make_levels(way)
    assert levels.compressed is not None
    head, *rest = levels.compressed.split("→")
    assert head.startswith("Schema change: Run pnpm db:generate")
    assert rest[-1] == "Never migrate on Friday"
    assert (levels.index, full_text(way).startswith("Schema change\nsteps: Run")) == (
        "schema change", True,
    )  # fmt: skip


def _levels(kit: memkit.Memkit) -> list[tuple[str, int]]:
    """What is put shorter: how, and which memory."""
    run = kit.consolidate(steps="compress")
    return [(str(change.action), change.memory_id) for change in run.changes]


def test_memories_get_levels_by_age_once(kit: memkit.Memkit, clock: Clock) -> None:
    """After a week a summary, after a month a hint; then nothing is planned any more."""
    memory = kit.memories.remember(LONG)
    kit.memories.remember("Short one.")
    assert not _levels(kit)
    clock.advance(days=8)
    assert _levels(kit) == [("summarise", memory.id)]
    young = kit.memories.get(memory)
    assert young.summary
    assert young.index_entry
    assert young.compressed is None
    assert young.text == LONG
    assert not _levels(kit)
    clock.advance(days=30)
    assert _levels(kit) == [("compress", memory.id)]
    assert kit.memories.get(memory).compressed
    assert not _levels(kit)


def test_level_of_a_former_text_does_not_survive(kit: memkit.Memkit, clock: Clock) -> None:
    """Neither an update of text or value, nor a change between plan and apply, nor one by another
    program."""
    environment = kit.consolidation._environment
    memory = kit.memories.remember(LONG, key="way of uploads", value="queue")
    clock.advance(days=40)
    [change] = plan_levels(environment)
    kit.memories.update(memory, text=f"{LONG} Olly has it now.")
    kit._store.write(partial(apply_levels, environment, change))
    assert kit.memories.get(memory).compressed is None
    assert _levels(kit) == [("compress", memory.id)]
    assert kit.memories.get(memory).compressed == "way of uploads: queue"
    kit.memories.update(memory, value="stream")
    changed = kit.memories.get(memory)
    assert (changed.summary, changed.compressed, changed.index_entry) == (None, None, None)
    kit.memories.update(memory, tags=["x"], summary="ours")
    assert kit.memories.get(memory).summary == "ours"


def test_a_level_that_somebody_gave_stays(kit: memkit.Memkit, clock: Clock) -> None:
    """The others are made beside it."""
    memory = kit.memories.remember(LONG, index_entry="uploads, as I call them")
    clock.advance(days=40)
    assert _levels(kit) == [("compress", memory.id)]
    stored = kit.memories.get(memory)
    made = make_levels(stored)
    assert stored.index_entry == "uploads, as I call them"
    assert (stored.summary, stored.compressed) == (made.summary, made.compressed)


def test_expand_goes_down_a_level(kit: memkit.Memkit, clock: Clock) -> None:
    """From the index entry to the full text; a memory without levels is told at once."""
    memory = kit.memories.remember(LONG)
    whole = kit.context.expand(memory.id)
    assert isinstance(whole, memkit.MemoryLevel)
    assert (whole.level, whole.text, whole.fuller) == ("full", LONG, ())
    clock.advance(days=40)
    _levels(kit)
    seen: str = LevelName.INDEX
    levels = []
    for _ in range(3):
        step = kit.context.expand(str(memory.id), seen=seen)
        assert isinstance(step, memkit.MemoryLevel)
        levels.append((seen := step.level, step.text))
    stored = kit.memories.get(memory)
    assert levels == [
        ("compressed", stored.compressed), ("summary", stored.summary), ("full", LONG),
    ]  # fmt: skip
    with pytest.raises(memkit.NotFound):
        kit.context.expand(12)
    with pytest.raises(memkit.InvalidInput, match="seen"):
        kit.context.expand(memory.id, seen="half")
