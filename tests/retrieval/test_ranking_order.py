"""What comes first: the statement that answers, before what is filed under one of its words and
before what a manual says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

import memkit
from memkit.retrieval.features import GIVES_WAY, passage_losses
from memkit.retrieval.ranker import RankedMemory

Make = Callable[..., memkit.Memkit]

BESIDE = (
    "The canteen closes at two.",
    "Invoices are numbered without gaps.",
    "Each team keeps its own runbook.",
    "Screens in the hall show the queue of trains.",
)


@pytest.fixture
def stocked(make_kit: Make) -> memkit.Memkit:
    """A store with the packaged model, with statements that are about something else."""
    packaged = make_kit("stocked.memkit.db", encoder=None)
    for text in BESIDE:
        packaged.memories.remember(text, tags=["misc"])
    return packaged


@pytest.mark.parametrize(
    ("question", "answer", "filed", "tag"),
    [
        (
            "how do I start the emulator offline?",
            "Start the emulator offline with `just emu --no-net`.",
            "Nine boards are soldered by hand.",
            "emulator",
        ),
        (
            "which compiler builds the firmware on CI?",
            "The firmware is built on CI with the compiler clang 18.",
            "Jobs wait for a free board.",
            "ci",
        ),
        (
            "who signs off changes to the payment schema?",
            "Changes to the schema of a payment are signed off by Ayesha.",
            "Column names are singular.",
            "schema",
        ),
    ],
)
def test_statement_with_all_words_ranks_before_a_tag_match(
    stocked: memkit.Memkit, question: str, answer: str, filed: str, tag: str
) -> None:
    """What holds all that is asked comes before what is only filed under one word of it, which
    comes next."""
    told = stocked.memories.remember(answer)
    other = stocked.memories.remember(filed, tags=[tag])
    assert stocked.recall(question)[0].id == told.id
    hits = stocked.recall(question, min_score=0)
    assert [hit.id for hit in hits][:2] == [told.id, other.id]
    assert hits[1].parts["name"] > 0


def test_statement_with_all_words_ranks_before_a_key_match(stocked: memkit.Memkit) -> None:
    """A key of one everyday word is no better than a tag."""
    told = stocked.memories.remember("Staging keeps its sessions in the cache of node seven.")
    keyed = stocked.memories.remember(key="cache", value="valkey 8")
    question = "which node has the cache of staging sessions?"
    assert stocked.recall(question)[0].id == told.id
    hits = stocked.recall(question, min_score=0)
    assert [hit.id for hit in hits][:2] == [told.id, keyed.id]


def test_a_tag_alone_still_answers(stocked: memkit.Memkit) -> None:
    """Where nothing holds more of the question, what is filed under its word comes first."""
    filed = stocked.memories.remember("Retention is nine weeks.", tags=["archive"])
    stocked.memories.remember("Retention of mail is a matter of law.")
    assert stocked.recall("tell me about the archive")[0].id == filed.id


def test_path_match_keeps_its_rank_whatever_the_text_holds(stocked: memkit.Memkit) -> None:
    """A path names what a memory is about, whichever words stand in its text: what repeats more of
    the question does not keep it back."""
    about = stocked.memories.remember("Slow on purpose.", about="net/resend.py")
    stocked.memories.remember("Resend the net report by py scripts: what is slow is the mail.")
    hits = {hit.id: hit for hit in stocked.recall("what is slow in net/resend.py?")}
    assert hits[about.id].parts["path"] > 0
    assert hits[about.id].parts["name"] > 0


@pytest.mark.parametrize(
    ("key", "of"), [("zig version", "ci"), ("zig version (ci)", None), ("zig-ci-image", None)]
)
def test_two_words_of_a_three_word_key_name_it(
    stocked: memkit.Memkit, key: str, of: str | None
) -> None:
    """Two words of three name a keyed fact, before what is only filed under one of them; what the
    key is of is such a word too, and brackets are none."""
    keyed = stocked.memories.remember(key=key, value="0.13", qualifier=of)
    stocked.memories.remember("Jobs wait for a free board of the rack.", tags=["ci"])
    best, *_ = stocked.recall("which Zig on the CI?")
    assert best.id == keyed.id
    assert best.parts["name"] > 0


def test_one_word_of_two_is_no_name(stocked: memkit.Memkit) -> None:
    """A word that a key shares with the question does not name it."""
    stocked.memories.remember(key="zig version", value="0.13")
    (hit,) = stocked.recall("who likes zig?")
    assert hit.parts["name"] == 0


@pytest.mark.parametrize(
    ("question", "answer", "beside"),
    [
        (
            "what naming have we established?",
            "Names of tables are plural nouns.",
            "The depot was established in Lund.",
        ),
        (
            "which decisions on retries?",
            "We retry three times, then park it.",
            "Decisions on hiring are made in May.",
        ),
    ],
)
def test_question_words_weigh_little(
    stocked: memkit.Memkit, question: str, answer: str, beside: str
) -> None:
    """That something was established or decided tells little of what it was."""
    told = stocked.memories.remember(answer)
    stocked.memories.remember(beside)
    assert stocked.recall(question)[0].id == told.id


def test_tool_is_found_by_what_it_does(stocked: memkit.Memkit) -> None:
    """A tool that is asked for is found by what it does, and by a tag for that."""
    told = stocked.memories.remember("Buildifier, on every save.", tags=["format"])
    read = stocked.memories.remember("We lint shell scripts with shellcheck.")
    assert [hit.id for hit in stocked.recall("which formatter do you have?")] == [told.id]
    assert [hit.id for hit in stocked.recall("a linter for shell scripts?")] == [read.id]


class TestGivingWay:
    """Passages of documents beside what was told."""

    QUESTION = "which port does the gateway listen on?"
    TOLD = "Gateway: listen on 7003 by default."
    PASSAGE = (
        "Listening on a port\n\nThe gateway listens on the port that is given; which port to "
        "listen on is read from its options. A port below 1024 needs rights to listen on it."
    )

    def test_answer_ranks_before_a_manual(self, stocked: memkit.Memkit) -> None:
        """That a manual speaks of the question at more length does not put it before an answer."""
        read = stocked.memories.remember(self.PASSAGE, provenance="extracted")
        alone = stocked.recall(self.QUESTION)
        told = stocked.memories.remember(self.TOLD)
        hits = stocked.recall(self.QUESTION)
        assert [hit.id for hit in alone] == [read.id]
        assert [hit.id for hit in hits] == [told.id, read.id]
        assert [hit.id for hit in stocked.recall(self.QUESTION, min_score=0)][:2] == [
            told.id,
            read.id,
        ]

    def test_a_manual_alone_loses_nothing(self, stocked: memkit.Memkit) -> None:
        """Where nothing that was told is an answer, a passage is as likely as it was."""
        stocked.memories.remember(self.PASSAGE, provenance="extracted")
        before = stocked.recall(self.QUESTION)[0]
        stocked.memories.remember("Lamps are switched off at night.")
        assert stocked.recall(self.QUESTION)[0].parts["passage"] == before.parts["passage"]

    def test_passages_keep_their_order_and_stay_good_enough(self) -> None:
        """The better of two passages stays the better, and none falls below what is needed."""
        read = _ranked(enumerate([4.0, 3.0, 1.0, 0.2, 0.0, -0.1, -3.0]))
        told = RankedMemory(9, {"base": 0.5})
        lost = passage_losses([told, *read], range(7), min_log_odds=0.0)
        after = [one.log_odds - lost.get(one.id, 0.0) for one in read]
        assert after == sorted(after, reverse=True)
        assert [odds >= 0 for odds in after] == [one.log_odds >= 0 for one in read]
        assert max(lost.values()) == GIVES_WAY

    def test_weak_statement_does_not_precede_passages(self) -> None:
        """Only what is good enough itself goes before passages."""
        read = _ranked([(0, 2.0), (1, 1.0)])
        assert (
            passage_losses([RankedMemory(9, {"base": -0.5}), *read], {0, 1}, min_log_odds=0.0) == {}
        )
        assert passage_losses([RankedMemory(9, {"base": 2.0})], (), min_log_odds=0.0) == {}


def _ranked(odds: Iterable[tuple[int, float]]) -> list[RankedMemory]:
    return [RankedMemory(number, {"base": amount}) for number, amount in odds]


def test_what_is_said_to_have_changed_comes_second(stocked: memkit.Memkit) -> None:
    """Until somebody settles it both come, and the newer statement, which says so, goes first; of
    the time before nobody knew of a change."""
    old = stocked.memories.remember("The docs site is served on port 3000.", at="2026-01-05")
    new = stocked.memories.remember("The docs site is served on port 4000 now, no longer on 3000.")
    assert new.updates == (old.id,)
    question = "which port is the docs site served on?"
    first, second = stocked.recall(question, limit=2, min_score=0)
    assert (first.id, second.id) == (new.id, old.id)
    assert old.id in first.contradicts
    assert stocked.recall(question, as_of="2026-01-20")[0].id == old.id
    stocked.memories.resolve(old, new, "both_valid")
    settled = stocked.recall(question, limit=2, min_score=0)
    assert all("update" not in dict(hit.parts) for hit in settled)


def test_later_of_two_that_are_not_settled_comes_first(stocked: memkit.Memkit) -> None:
    """Though neither says that it changed the other; as of before the later the earlier holds."""
    old = stocked.memories.remember("The docs site is served on port 3000.", at="2026-01-05")
    new = stocked.memories.remember("The docs site is served on port 4055.")
    assert new.contradicts == (old.id,)
    question = "which port is the docs site served on?"
    assert [hit.id for hit in stocked.recall(question, limit=2, min_score=0)] == [new.id, old.id]
    assert stocked.recall(question, as_of="2026-01-20")[0].id == old.id
