"""What comes back for a question, what does not, and why: through the whole kit."""

from __future__ import annotations

import gc
import hashlib
import json
import math
import sqlite3
from collections.abc import Callable
from contextlib import closing

import apsw
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import memkit
from memkit.encoder import quantize
from memkit.memories.records import Procedure
from memkit.retrieval import candidates, ranker
from memkit.retrieval.candidates import FOLLOWED, MAX_OCCURRENCES, Occurrences
from memkit.retrieval.features import PASSAGE_LOSS
from memkit.retrieval.late_interaction import Matrices, Matrix
from memkit.retrieval.records import Facts, RetrievalConfig
from memkit.retrieval.selection import SCORE_FLOOR
from tests.asking import recall_with
from tests.conftest import Clock
from tests.strategies import texts

BY_WORDS = RetrievalConfig(vectors=False, late_interaction=False)
BY_MEANING = RetrievalConfig(lexical=False)
Make = Callable[..., memkit.Memkit]


def found(recall: memkit.RecallResult) -> list[str]:
    """Return the texts of the hits, in order."""
    return [hit.memory.text for hit in recall]


def test_ten_come_back_unless_more_are_asked_for(kit: memkit.Memkit) -> None:
    """Seed 002, Retrieval Parameters: max_results."""
    kit.memories.remember_many(
        f"lantern {number} hangs in hall {number * 7}" for number in range(15)
    )
    assert len(kit.recall("lantern", min_score=0)) == 10
    assert len(kit.recall("lantern", min_score=0, limit=14)) == 14


class TestFinding:
    """Whatever the script and the punctuation, a memory is found by what it holds."""

    def test_abbreviated_key_or_tag_is_named(self, kit: memkit.Memkit) -> None:
        """A question for the database port names the key "db port" and what is tagged "db"."""
        kit.memories.remember(key="db port", value="5433")
        kit.memories.remember("Backups run hourly.", tags=["db"])
        recall = recall_with(kit, BY_WORDS, "what is the database port", min_score=0)
        assert {hit.memory.text: "name" in hit.parts for hit in recall} == {
            "db port: 5433": True,
            "Backups run hourly.": True,
        }

    @pytest.mark.parametrize(
        ("question", "text"),
        [
            ("which environment variables", "Put the secret into the env vars of the runner."),
            ("prod db", "The production database is backed up hourly."),
            ("authentication in the repository", "Every repo shares one auth service."),
        ],
    )
    def test_abbreviations_find_the_long_form_and_back(
        self, kit: memkit.Memkit, question: str, text: str
    ) -> None:
        """Developers shorten words: either form finds the other by words alone."""
        kit.memories.remember(text)
        assert found(recall_with(kit, BY_WORDS, question)) == [text]

    @pytest.mark.parametrize(
        "question",
        ["what comes after staging?", "may I do it on friday?", "deploy to production",
         "must the branch be green?", "what is due in release-week?"],
    )  # fmt: skip
    def test_parts_of_a_procedure_are_searched(
        self, packaged: memkit.Memkit, question: str
    ) -> None:
        """Trigger, prerequisites, steps, warnings and season find a memory as its text does."""
        packaged.memories.remember(
            "How we ship",
            season="release-week",
            procedure=Procedure(
                ["run the staging smoke tests", "promote the image"],
                trigger="deploy to production",
                prerequisites="the main branch is green",
                warnings="never on a friday",
            ),
        )
        packaged.memories.remember("The office plants are watered by Ann.")
        assert found(packaged.recall(question)) == ["How we ship"]

    CJK = (
        "部署脚本必须先运行数据库迁移再重启服务",
        "修复gen-report后缓存命中率恢复正常",
        "テスト環境では署名検証を無効にする",
        "배포 전에 캐시를 비워야 한다",
    )

    @pytest.mark.parametrize(
        ("question", "place"),
        [("迁移", 0), ("缓存", 1), ("gen-report", 1), ("署名検証", 2), ("캐시", 3), ("迁", 0)],
    )
    def test_scripts_without_spaces(
        self, packaged: memkit.Memkit, question: str, place: int
    ) -> None:
        """A part of a run of Chinese, Japanese or Korean finds the whole."""
        packaged.memories.remember_many(self.CJK)
        assert found(packaged.recall(question))[0] == self.CJK[place]

    @pytest.mark.parametrize(
        ("question", "place"),
        [
            ("retry-after", 0), ("http-client", 0), ("v2.1", 0), ("GB/s", 1), ("/dev/shm", 1),
            ("worker's", 2), ("std::move", 2),
        ],
    )  # fmt: skip
    def test_punctuation_is_literal(
        self, packaged: memkit.Memkit, question: str, place: int
    ) -> None:
        """Hyphens, colons, slashes and apostrophes find the text that holds them."""
        stored = (
            "retry-after header is honoured by http-client v2.1",
            "throughput measured at 14 GB/s on /dev/shm",
            "it's the worker's job to call std::move",
        )
        packaged.memories.remember_many(stored)
        assert found(packaged.recall(question)) == [stored[place]]

    def test_identifiers_are_found_by_their_parts(self, packaged: memkit.Memkit) -> None:
        """One spelling of an identifier finds another."""
        packaged.memories.remember("getUserName caches the answer for an hour")
        assert packaged.recall("why is get_user_name slow?")
        assert packaged.recall("user name caching")

    def test_another_word_for_it(self, packaged: memkit.Memkit) -> None:
        """Meaning finds what shares no word with the question."""
        packaged.memories.remember("the automobile was bought in spring")
        packaged.memories.remember("unit tests live beside the code")
        (best, *_) = packaged.recall("who purchased the car?", min_score=0)
        assert best.memory.text.startswith("the automobile")

    def test_the_end_of_a_long_text(self, packaged: memkit.Memkit) -> None:
        """What stands last in a long memory is found by meaning alone."""
        prose = "Nobody had strong views about the colour of the curtains in the hall. "
        packaged.memories.remember(prose * 100 + "rotate the signing certificate each March")
        packaged.memories.remember_many(f"{prose * 3} item {n}" for n in range(50))
        hits = recall_with(packaged, BY_MEANING, "when do we renew the signing cert", min_score=0)
        assert any("certificate" in text for text in found(hits)[:3])

    def test_a_misspelt_tag(self, packaged: memkit.Memkit) -> None:
        """A tag one letter away is meant where its first two letters are right."""
        packaged.memories.remember("raw driver, explicit collection types", tags=["mongo"])
        packaged.memories.remember("logs go to the journal")
        assert packaged.recall("mongod")[0].memory.tags == ("mongo",)
        assert not packaged.recall("mango")

    def test_answers_beside_the_question(self, packaged: memkit.Memkit) -> None:
        """A turn that answers a matching question comes, though it repeats none of its words."""
        turns = ["Ann: what made the deploy fail last night?", "Bob: the disk was full"]
        packaged.memories.remember_many([*turns, "Ann: see you tomorrow then"], chain=True)
        assert (
            "Bob: the disk was full"
            in found(packaged.recall("Why did the deploy fail?", min_score=0))[:2]
        )

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(texts)
    def test_whatever_is_asked_the_chances_lie_between_0_and_1(
        self, kit: memkit.Memkit, text: str
    ) -> None:
        """Any text is a question, and one that names the memory finds it."""
        kit.memories.remember("a note about caching")
        hits = [*kit.recall(text, min_score=0), *kit.recall(f"caching {text}", min_score=0)]
        assert hits
        assert all(0 <= hit.score <= 1 for hit in hits)


class TestEnough:
    """Relevant, or nothing."""

    @pytest.mark.parametrize(
        "question",
        ["QQQQ-zzxx-does-not-exist", "chocolate cake recipe", "who won the match?", "", "  ", "🫥"],
    )
    def test_unrelated_questions_get_nothing(self, packaged: memkit.Memkit, question: str) -> None:
        """Where nothing answers, the answer is empty and says how far off the best was."""
        packaged.memories.remember_many(
            f"The {name} build step runs with {n} workers and caches its output."
            for n, name in enumerate("make cmake ninja bazel gradle maven cargo npm".split(), 2)
        )
        recall = packaged.recall(question)
        assert not recall
        assert recall.best_left_out is None or recall.best_left_out < SCORE_FLOOR

    def test_a_question_gets_its_answer_and_not_its_likes(self, packaged: memkit.Memkit) -> None:
        """Of statements in one mould only the one that was asked for comes."""
        packaged.memories.remember_many(
            f"The {name} build step runs with {n} workers and caches its output."
            for n, name in enumerate("make cmake ninja bazel gradle maven cargo npm".split(), 2)
        )
        (hit,) = packaged.recall("how many workers does the bazel step use?")
        assert "bazel" in hit.memory.text

    def test_min_score_is_the_callers_rule(self, packaged: memkit.Memkit) -> None:
        """0 returns the best there are; 1 returns nothing."""
        packaged.memories.remember_many(["alpha note", "beta note"])
        assert len(packaged.recall("alpha", min_score=0)) == 2
        assert not packaged.recall("alpha", min_score=1)

    def test_what_says_the_same_comes_once(self, kit: memkit.Memkit) -> None:
        """Copies from several sessions fill no list."""
        for session in "abc":
            kit.memories.remember("tests run with pytest in parallel", session=session)
        assert len(kit.recall("pytest", min_score=0)) == 1

    def test_limit(self, kit: memkit.Memkit) -> None:
        """No more than asked for, the best of them."""
        kit.memories.remember_many(f"note {n} about cache number {n}" for n in range(30))
        assert len(kit.recall("cache", limit=7, min_score=0)) == 7


class TestExplained:
    """Each hit says why, and each absence at which step."""

    def test_parts_add_up(self, packaged: memkit.Memkit) -> None:
        """The parts sum up to the log-odds of the score, and the order is that of the scores."""
        packaged.memories.remember_many(["cache the schema", "the cache is cold", "build it"])
        hits = packaged.recall("schema cache", min_score=0)
        for hit in hits:
            assert sum(hit.parts.values()) == pytest.approx(math.log(hit.score / (1 - hit.score)))
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)

    def test_reasons_in_words(self, packaged: memkit.Memkit) -> None:
        """The words that matched and the tag that was named are told."""
        packaged.memories.remember("retry twice at most", tags=["uploads"])
        (hit,) = packaged.recall("how often may uploads retry?")
        assert "named by tag, key or file" in hit.reasons
        assert any(reason.startswith("words: ") and "retry" in reason for reason in hit.reasons)

    def test_every_stage_is_told(self, packaged: memkit.Memkit, clock: Clock) -> None:
        """`why` names the step that dropped a memory."""
        remember = packaged.memories.remember
        hit = remember("the deploy needs helm", tags=["deploy"])
        elsewhere = remember("the deploy of another needs helm", project="other")
        weak = remember("lunch is at noon")
        old = remember("the deploy used ansible once")
        remember("the deploy uses nomad now", supersedes=old.id)
        gone = remember("the deploy failed on friday")
        packaged.memories.forget(gone.id)
        expired = remember("deploy freeze", valid_to=clock() + 60)
        clock.advance(hours=1)

        def stage(number: int, **given: object) -> str:
            return packaged.explain("what does the deploy need", number, **given).stage

        assert stage(hit.id) == "hit"
        with pytest.raises(memkit.NotFound, match="no memory 12345"):
            stage(12345)
        assert stage(elsewhere.id) == "project"
        assert stage(weak.id) == "floor"
        assert stage(old.id) == "superseded"
        assert stage(gone.id) == "forgotten"
        assert stage(expired.id) == "expired"
        assert stage(hit.id, kind="negative") == "kind"
        assert stage(hit.id, scope="global") == "scope"
        assert stage(hit.id, since=clock()) == "time"
        assert stage(weak.id, tags=["deploy"]) == "tag"

    def test_limit_and_duplicates_are_told(self, kit: memkit.Memkit) -> None:
        """A memory beyond the limit says its place, a second wording names the first."""
        long = (
            "the cache of the build server is warmed at night by a small job that reads what the "
        )
        for rest in ("last run wrote to disk", "last run put to disk"):
            kit.memories.remember(f"{long} twelve slowest tests of the {rest} and checks them")
        kit.memories.remember("cold cache")
        ids = {m.id for m in kit.memories.find()}
        shown = {hit.id for hit in kit.recall("cache warmed", min_score=0)}
        (twin,) = ids - shown
        why = kit.explain("cache warmed", twin, min_score=0)
        assert why.stage == "duplicate"
        last = kit.recall("cache warmed", min_score=0)[-1]
        assert kit.explain("cache warmed", last.id, min_score=0, limit=1).stage == "limit"

    def test_the_place_of_a_duplicate_goes_to_the_next(self, kit: memkit.Memkit) -> None:
        """With two that say the same among the first, as many as wanted come all the same."""
        long = "the kettle of the build server is warmed at night by a small job that reads what"
        for rest in ("wrote to", "put to"):
            kit.memories.remember(f"{long} the twelve slowest tests of the run {rest} disk there")
        last = kit.memories.remember("once a kettle stood here")
        recall = kit.recall("kettle of the build server warmed at night", min_score=0, limit=2)
        assert len(recall) == 2
        assert recall[1].id == last.id

    def test_why_says_what_no_candidate_generator_brought(self, packaged: memkit.Memkit) -> None:
        """A memory behind many better ones says what would speak for it alone."""
        packaged.memories.remember_many(f"the cache of service {n} is cold" for n in range(150))
        far = packaged.memories.remember("lunch is at noon")
        why = packaged.explain("which cache is cold?", far.id)
        assert why.stage == "unmatched"
        assert "alone it would score" in why.text

    def test_explaining_changes_nothing(self, packaged: memkit.Memkit) -> None:
        """Asking why gives the score that recall gave."""
        packaged.memories.remember_many(["cache the schema", "the cache is cold"])
        (first, *_) = packaged.recall("schema cache")
        why = packaged.explain("schema cache", first.id)
        assert why.hit is not None
        assert why.hit.parts == pytest.approx(dict(first.parts), abs=1e-4)
        assert packaged.recall("schema cache")[0].score == pytest.approx(first.score, abs=1e-4)


class TestWalls:
    """Every filter holds on every path."""

    @pytest.mark.parametrize(
        "how",
        [
            {}, {"depth": 3}, {"config": BY_WORDS}, {"config": BY_MEANING}, {"min_score": 0},
            {"min_score": 0, "depth": 3},
        ],
    )  # fmt: skip
    def test_projects(self, packaged: memkit.Memkit, how: dict[str, object]) -> None:
        """Neither words, meaning, edges nor tags lead into another project."""
        remember = packaged.memories.remember
        own = remember("deploy with helm chart blue", tags=["deploy"], project="A")
        other = remember("deploy with helm chart green", tags=["deploy"], project="B")
        packaged.memories.link(own.id, other.id)
        packaged._config = how.pop("config", None)
        assert found(packaged.recall("deploy helm", project="A", **how)) == [own.memory.text]

    @pytest.mark.parametrize("how", [{}, {"config": BY_WORDS}, {"depth": 3}])
    def test_tags(self, packaged: memkit.Memkit, how: dict[str, object]) -> None:
        """With tags asked for, an edge leads to nothing that lacks them."""
        one = packaged.memories.remember("warm the cache", tags=["ops"])
        other = packaged.memories.remember("warm the cache slowly", tags=["dev"])
        packaged.memories.link(one.id, other.id, weight=1.0)
        packaged._config = how.pop("config", None)
        assert found(packaged.recall("cache", tags=["ops"], min_score=0, **how)) == [
            "warm the cache"
        ]

    def test_a_selective_filter_still_finds(self, kit: memkit.Memkit) -> None:
        """One memory of a kind is found behind two hundred better matches of another."""
        kit.memories.remember_many(f"cache note {n} cache cache" for n in range(200))
        kit.memories.remember("never clear the cache by hand", kind="negative")
        assert found(kit.recall("cache", kind="negative", min_score=0)) == [
            "never clear the cache by hand"
        ]


class TestCurrent:
    """What holds now answers; what warns goes off."""

    def test_a_replaced_memory_passes_its_place_on(self, packaged: memkit.Memkit) -> None:
        """A question in the words of the old statement finds the new one."""
        old = packaged.memories.remember("the staging database runs on Postgres 14")
        new = packaged.memories.remember(
            "the staging cluster moved to Cockroach", supersedes=old.id
        )
        (hit,) = packaged.recall("which Postgres version does the staging database run?")
        assert hit.id == new.id
        assert f"replaces memory {old.id}" in hit.reasons
        assert old.id in [h.id for h in packaged.recall("Postgres staging", history=True)]

    def test_related_memories_follow(self, packaged: memkit.Memkit) -> None:
        """A strong edge brings what belongs to an answer, with the path to it."""
        one = packaged.memories.remember("the auth service depends on the session store")
        other = packaged.memories.remember("Valkey is single-node and unreplicated")
        packaged.memories.link(one.id, other.id, weight=1.0)
        hits = packaged.recall("what does the auth service depend on?")
        assert [hit.id for hit in hits] == [one.id, other.id]
        assert [step.to_node for step in hits[1].path] == [other.id]
        assert not packaged.recall("what does the auth service depend on?", depth=0)[1:]

    def test_warnings_go_off(self, packaged: memkit.Memkit) -> None:
        """A negative memory comes whenever its pattern occurs, whatever else is asked."""
        warning = packaged.memories.remember(
            "Never retry a POST: uploads were doubled.",
            kind="negative",
            trigger_patterns=["retry", "http/retry.py"],
        )
        (hit,) = packaged.recall("polish the wording in http/retry.py")
        assert hit.id == warning.id
        assert any(reason.startswith("trigger") for reason in hit.reasons)
        packaged.memories.forget(warning.id)
        assert not packaged.recall("polish the wording in http/retry.py")

    def test_of_two_answers_the_believed_one_leads(
        self, packaged: memkit.Memkit, clock: Clock
    ) -> None:
        """Age decides between equal answers, and never keeps an old one back."""
        old = packaged.memories.remember("the port of the proxy is 8080", session="a")
        clock.advance(days=200)
        new = packaged.memories.remember("the port of the proxy is 8081", session="b")
        hits = packaged.recall("what is the port of the proxy?")
        assert [hit.id for hit in hits] == [new.id, old.id]


class TestSessions:
    """A session is not told the same twice; reading alone changes no file."""

    def test_shown_once(self, kit: memkit.Memkit) -> None:
        """What a session was shown stays away until the topic changes."""
        memory = kit.memories.remember("the cache is warmed at night")
        assert kit.recall("cache", session="s", min_score=0)
        assert not kit.recall("cache", session="s", min_score=0)
        assert kit.explain("cache", memory.id, session="s").stage == "shown"
        assert kit.recall("cache", session="other", min_score=0)
        kit.clear_surfaced("s")
        assert kit.recall("cache", session="s", min_score=0)

    def test_shown_memories_still_set_the_score_bar(self, packaged: memkit.Memkit) -> None:
        """The next best is measured by the best, though that was shown already; and nothing is
        said to match that was only looked at."""
        best = packaged.memories.remember("Deploys of the shop go through the blue chart.")
        packaged.memories.remember("The cache of the shop is warmed at night by cron.")
        asked = "how is the shop deployed?"
        assert [hit.id for hit in packaged.recall(asked, session="s")] == [best.id]
        again = packaged.recall(asked, session="s")
        assert list(again) == []
        assert again.shown_before == 1
        other = packaged.recall("what is the wifi password of the office?", session="s")
        assert (list(other), other.shown_before, other.notes) == ([], 0, ())
        (gap,) = packaged.gaps()
        assert gap.question == "what is the wifi password of the office?"

    def test_remembered_across_processes(self, make_kit: Make) -> None:
        """What was shown is written down at the end, and a new topic clears it."""
        with make_kit("shared.db") as kit:
            kit.memories.remember("the cache is warmed at night")
            assert kit.recall("cache", session="s", min_score=0)
        with make_kit("shared.db") as kit:
            assert not kit.recall("cache", session="s", min_score=0)
            kit.clear_surfaced("s")
        with make_kit("shared.db") as kit:
            assert kit.recall("cache", session="s", min_score=0)

    def test_gaps_are_noted_without_secrets(self, make_kit: Make) -> None:
        """A session's question that found nothing is kept, its secrets replaced."""
        token = "ghp_" + hashlib.sha256(b"x").hexdigest()[:36]
        for _ in range(2):
            with make_kit("gaps.db") as kit:
                assert not kit.recall(f"why is {token} refused?", session="s")
        with make_kit("gaps.db") as kit:
            (gap,) = kit.gaps()
            assert gap.asked_count == 2
            assert token not in gap.question

    def test_reading_leaves_the_file_alone(self, make_kit: Make) -> None:
        """Without a session recall changes not one byte, and a busy file holds nobody up."""
        with make_kit("still.db") as kit:
            kit.memories.remember("the cache is warmed at night")
            path = kit.path
        before = path.read_bytes()
        with make_kit("still.db") as kit:
            for _ in range(5):
                kit.recall("cache", min_score=0)
                kit.recall("nothing of the kind")
        assert path.read_bytes() == before
        holder = apsw.Connection(str(path))
        holder.execute("begin immediate")
        with make_kit("still.db") as kit:
            assert kit.recall("cache", session="s", min_score=0)
        holder.close()
        assert path.read_bytes() == before


class TestWithoutVectors:
    """Words alone answer too, and say what is missing."""

    def test_another_model(self, make_kit: Make) -> None:
        """A store embedded by another model answers by words, with a note."""
        from memkit.encoder import HashedEncoder

        with make_kit("swap.db") as kit:
            kit.memories.remember_many(f"note {n} about cache" for n in range(5))
        with make_kit("swap.db", encoder=HashedEncoder(32)) as kit:
            recall = kit.recall("cache", min_score=0)
            assert len(recall) == 5
            assert any("reembed" in note for note in recall.notes)
            kit.reembed()
            assert not kit.recall("cache", min_score=0).notes

    def test_a_model_that_shows_no_pieces(self, make_kit: Make) -> None:
        """A model of the user's own ranks by its vectors, without late interaction."""

        class Own:
            name = "own"

            def encode(self, texts: list[str]) -> list[list[float]]:
                return [[1.0, float("car" in t or "automobile" in t), 0.5] for t in texts]

        kit = make_kit("own.db", encoder=memkit.encoder.load_encoder(Own()))
        kit.memories.remember_many(["the automobile is red", "the weather is mild"])
        (best, *_) = kit.recall("which car?", min_score=0)
        assert best.memory.text == "the automobile is red"
        assert best.parts["meaning"] > 0


def test_vectors_in_memory_follow_the_memories_and_nothing_else(kit: memkit.Memkit) -> None:
    """What is written beside the memories leaves the vectors in memory; a memory drops them."""
    matrices = Matrices(kit._store)

    def kept() -> Matrix | None:
        found = kit._index.model_id_and_changes()
        assert found is not None
        return matrices.get(*found, rows=1)

    kit.memories.remember("The parser skips blank lines.")
    assert kept() is None
    first = kept()
    assert first is not None
    kit._store.write(lambda: kit._store.audit("nothing"))
    assert kept() is first
    kit.memories.remember("The lexer counts columns from one.")
    assert kept() is None
    again = kept()
    assert again is not None
    assert len(again.ids) == len(first.ids) + 1


def test_pieces_in_memory_are_those_of_the_text_as_it_is_now(kit: memkit.Memkit) -> None:
    """After many questions a text that was changed is compared by its new words."""
    memory = kit.memories.remember("The parser skips blank lines.").memory
    question, close = "columns of the lexer", RetrievalConfig(lexical=False)

    def meaning() -> float:
        return recall_with(kit, close, question, min_score=0)[0].parts["meaning"]

    before = [meaning() for _ in range(3)]
    kit.memories.update(memory.id, text="The lexer counts columns from one.")
    after = [meaning() for _ in range(3)]
    assert max(before) < min(after)
    assert before == pytest.approx([before[0]] * 3, abs=1e-5)
    assert after == pytest.approx([after[0]] * 3, abs=1e-5)


def test_vectors_in_memory_are_compared_as_sql_compares_them(kit: memkit.Memkit) -> None:
    """The nearest memories and given ones have the same cosines either way, chunks included."""
    long = " ".join(f"word{at} of a long tale" for at in range(90))
    kit.memories.remember_many([*(f"shelf {at} carries jar {at * 7}" for at in range(60)), long])
    found = kit._index.model_id_and_changes()
    assert found is not None
    matrices = Matrices(kit._store)
    matrices.get(*found, rows=1)
    matrix = matrices.get(*found, rows=1)
    encoder = kit._index.encoder()
    assert matrix is not None
    assert encoder is not None
    assert len(matrix.ids) > len(set(matrix.ids.tolist()))
    (question,) = encoder.embed(["which shelf carries the long tale?"])[0].vectors
    whole = np.frombuffer(quantize(question), np.int8).astype(np.float32)
    unit = whole / np.float32(np.linalg.norm(whole))
    exact = dict(candidates.nearest(kit._store, question, model_id=found[0], rows=1, limit=100))
    assert matrix.nearest(unit, limit=100) == pytest.approx(exact, abs=1e-5)
    best = sorted(exact.values(), reverse=True)[:5]
    assert list(matrix.nearest(unit, limit=5).values()) == pytest.approx(best, abs=1e-5)
    some = list(exact)[::3]
    wanted = {number: exact[number] for number in some}
    assert matrix.similarities(unit, [*some, 1]) == pytest.approx(wanted, abs=1e-5)
    inside = sorted(wanted.values(), reverse=True)[:5]
    near = matrix.nearest(unit, limit=5, within=some)
    assert list(near.values()) == pytest.approx(inside, abs=1e-5)


def test_full_text_index_stays_in_few_parts(kit: memkit.Memkit) -> None:
    """Memories that come one by one leave a handful of parts, not one part each to search."""
    for at in range(40):
        kit.memories.remember(f"shelf {at} carries jar {at * 7}")
    with closing(sqlite3.connect(kit.path)) as plain:
        (parts,) = plain.execute("select count(distinct segid) from search_index_idx").fetchone()
    assert parts <= 5


def test_nothing_of_a_recall_waits_for_the_search_for_cycles(kit: memkit.Memkit) -> None:
    """What led to the hits used to hold itself in memory until Python's collector came by."""
    kit.memories.remember_many(f"shelf {at} carries jar {at * 7}" for at in range(20))
    gc.collect()
    gc.disable()
    try:
        assert kit.recall("which shelf carries jar 21?")
        assert not any(isinstance(one, Facts) for one in gc.get_objects())
    finally:
        gc.enable()


def test_enough_comes_back_where_most_may_not_be_shown(kit: memkit.Memkit) -> None:
    """Memories of another project that match better do not use up the places of one's own."""
    for project in ("walled", "own"):
        drafts = [
            memkit.Draft(f"{project} jar {at} stands on a shelf", project=project)
            for at in range(40)
        ]
        kit.memories.remember_many(drafts)
    hits = kit.recall("walled jar on a shelf", project="own", min_score=0, limit=60)
    assert len(hits) > FOLLOWED
    assert {hit.memory.project for hit in hits} == {"own"}


@pytest.fixture
def weighing_speakers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who speaks weighs something, whatever the table says."""
    columns = {**ranker.FULL.columns, "speaker": 1.0, "subject": 1.0}
    monkeypatch.setattr(ranker, "FULL", ranker.FULL._replace(columns=columns))


@pytest.mark.usefixtures("weighing_speakers")
def test_who_is_named_is_told_from_who_only_speaks(packaged: memkit.Memkit) -> None:
    """Of the same words the turn of the speaker that the question names comes first."""
    drafts = [
        memkit.Draft(f"{name}: {said}", session="talk")
        for said in ("I planted tulips behind the shed.", "It rained all week.")
        for name in ("Ada", "Bob")
    ]
    packaged.memories.remember_many(drafts, chain=True)
    for name, other in (("Ada", "Bob"), ("Bob", "Ada")):
        recall = packaged.recall(f"What did {name} plant behind the shed?", min_score=0)
        texts_ = found(recall)
        assert texts_[0].startswith(name)
        by_name = {hit.memory.text.partition(":")[0]: hit.parts["speaker"] for hit in recall}
        assert by_name[name] > by_name[other]


@pytest.mark.usefixtures("weighing_speakers")
def test_the_first_of_two_people_named_is_asked_about(packaged: memkit.Memkit) -> None:
    """Of two who say the same, the one whom the question is about comes before the other."""
    drafts = [
        memkit.Draft(f"{name}: {said}", session="talk")
        for said in ("I chose the blue vase in the end.", "It rained all week.")
        for name in ("Ada", "Bob")
    ]
    packaged.memories.remember_many(drafts, chain=True)
    for name, other in (("Ada", "Bob"), ("Bob", "Ada")):
        recall = packaged.recall(f"Which vase did {name} choose with {other}?", min_score=0)
        best = {hit.memory.text.partition(":")[0]: hit.parts for hit in reversed(list(recall))}
        assert best[name]["speaker"] > best[other]["speaker"]


def test_a_key_is_named_in_any_order(kit: memkit.Memkit) -> None:
    """A question for the default's port names the key "default port"."""
    known = kit.memories.remember("it listens on 8080", key="default port", value="8080")
    kit.memories.remember("ships call at the harbour")
    best = kit.recall("which port is the default?", min_score=0)[0]
    assert best.id == known.id
    assert best.parts["name"] > 0


@pytest.mark.parametrize("key", ["manual preview port", "manual_preview_port"])
def test_all_words_of_a_key_name_it_in_any_order(kit: memkit.Memkit, key: str) -> None:
    """Every word of a key names it, wherever the words stand; one that is missing does not."""
    known = kit.memories.remember("it listens on 8123", key=key, value="8123")
    asked = "on what port is the preview of the manual?"
    assert kit.recall(asked, min_score=0)[0].parts["name"] > 0
    assert kit.recall("on what port is the preview?", min_score=0)[0].parts["name"] == 0
    assert known.memory.key == key


def test_key_before_the_colon_is_no_speaker(packaged: memkit.Memkit) -> None:
    """What stands before the colon of a keyed fact is no person who speaks."""
    packaged.memories.remember(key="port", value="2000")
    packaged.memories.remember(key="port", value="3000")
    packaged.memories.remember("The port is open to the office network.")
    best = packaged.recall("what is the port?")[0]
    assert best.memory.value == "3000"
    assert best.parts["speaker"] == 0


def test_an_empty_store_has_no_nearest(kit: memkit.Memkit) -> None:
    """Vectors in memory of a store whose memories are gone find nothing."""
    done = kit.memories.remember("the kettle is blue")
    kit.memories.purge(done.id)
    for _ in range(3):
        assert not kit.recall("kettle", min_score=0)


def test_asking_again_gives_the_same_answer(kit: memkit.Memkit) -> None:
    """The first question is compared by SQL, later ones in memory: nobody can tell."""
    kit.memories.remember_many(f"shelf {at} carries jar {at * 7}" for at in range(80))
    first, second, third = (
        {hit.id: hit.score for hit in kit.recall("which shelf?", min_score=0, limit=80)}
        for _ in range(3)
    )
    assert len(first) > 60
    assert second == pytest.approx(first, abs=1e-4)
    assert third == second


def test_rare_word_finds_a_memory_of_any_length(packaged: memkit.Memkit) -> None:
    """A rare word finds its memory, whatever the length: 200 kB here."""
    for number in range(12):
        packaged.memories.remember(f"Worker {number} reads the queue of the night")
    long = packaged.memories.remember("The story of the day goes on. " * 7_000 + "Xylophones rust.")
    for question in ("xylophones", "when do xylophones rust?"):
        assert [hit.id for hit in packaged.recall(question)] == [long.id]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Strasse", "Straße und Größe im Modul"),
        ("Größe", "Grösse im Modul"),
        ("ABC", "ＡＢＣ全角テスト"),
        ("カナ", "ｶﾅ半角"),
        ("office", "oﬃce ligature"),
        ("C++", "Parse C++ headers with libclang"),
        ("C#", "Compile C# sources with Roslyn"),
        ("🚀", "emoji 🚀 is the release channel"),
    ],
)
def test_other_letter_forms_and_signs_are_found(
    packaged: memkit.Memkit, question: str, text: str
) -> None:
    """Forms of letters are one word; names with signs and pictures are words of their own."""
    packaged.memories.remember("C code is built with tcc")
    packaged.memories.remember("Plain text note")
    packaged.memories.remember(text)
    assert packaged.recall(question)[0].memory.text == text


def test_words_unknown_to_the_model_are_found_by_text(packaged: memkit.Memkit) -> None:
    """Words of a script that the model does not know are found as without a model."""
    text = "ฐานข้อมูลต้องสำรองทุกคืน"
    packaged.memories.remember(text)
    for number in range(12):
        packaged.memories.remember(f"Worker {number} reads the queue of the night")
    assert [hit.memory.text for hit in packaged.recall("สำรอง")] == [text]


class TestPassages:
    """What was read out of documents stands beside what was told, and takes nothing from it."""

    QUESTION = "how quickly must a request be answered?"
    TOLD = "Latency budget: 40 ms at the gateway."
    PASSAGES = (
        "Answering requests quickly: the server answers each request within a second.",
        "Requests that must be answered at once go to the quick queue.",
        "A quick answer to a request is kept for the next one who asks.",
    )

    def _take_in(self, kit: memkit.Memkit) -> None:
        for text in self.PASSAGES:
            kit.memories.remember(text, provenance="extracted")

    def test_passages_do_not_lower_the_score_of_a_statement(self, packaged: memkit.Memkit) -> None:
        """However near passages are to a question, what a statement means to it stays the same."""
        told = packaged.memories.remember(self.TOLD)
        (alone,) = packaged.recall(self.QUESTION, min_score=0)
        self._take_in(packaged)
        hits = {hit.id: hit for hit in packaged.recall(self.QUESTION, min_score=0)}
        beside = hits.pop(told.id)
        assert all(hit.parts["meaning"] > alone.parts["meaning"] for hit in hits.values())
        assert beside.parts["meaning"] == pytest.approx(alone.parts["meaning"], rel=0.1)
        assert beside.parts["words"] == alone.parts["words"]

    def test_a_passage_needs_more_evidence_where_nothing_is_asked(
        self, packaged: memkit.Memkit
    ) -> None:
        """Of what is only said a manual has something to say more often than who told something;
        a question is answered by a passage as by a statement of the same words."""
        task = "requests must be answered quickly"
        self._take_in(packaged)
        asked = packaged.recall(self.QUESTION, min_score=0)
        read = {hit.memory.text: hit for hit in packaged.recall(task, min_score=0)}
        packaged.memories.purge([hit.id for hit in read.values()])
        for text in self.PASSAGES:
            packaged.memories.remember(text)
        told = {hit.memory.text: hit for hit in packaged.recall(task, min_score=0)}
        assert all(hit.parts["passage"] == 0 for hit in asked)
        for text in self.PASSAGES:
            assert read[text].parts["passage"] == -PASSAGE_LOSS
            assert told[text].parts["passage"] == 0
            assert read[text].score < told[text].score


def test_answer_names_the_other_side_of_an_open_contradiction(kit: memkit.Memkit) -> None:
    """Whoever is answered with one side of an open contradiction hears of the other, until it is
    settled."""
    one = kit.memories.remember("the importer keeps blank lines").id
    other = kit.memories.remember("blank lines are dropped by the importer").id
    kit.memories.contradict(one, other)

    def doubts() -> dict[int, list[str]]:
        hits = kit.recall("does the importer keep blank lines?", min_score=0)
        return {hit.id: [r for r in hit.reasons if "contradicts" in r] for hit in hits}

    assert doubts() == {
        one: [f"contradicts memory {other}, which is not settled"],
        other: [f"contradicts memory {one}, which is not settled"],
    }
    kit.memories.resolve(one, other, "both_valid")
    assert not any(doubts().values())


def test_frequent_words_are_counted_and_not_looked_up(kit: memkit.Memkit) -> None:
    """Where a word occurs that is as frequent as may be is not asked; that it occurs is known."""
    for name in ("red", "green", "blue"):
        kit.memories.remember(f"the {name} door")
    matches = json.dumps(['"door"', '"green"', '"window"'])
    rows = kit._store.all("retrieval.occurrences", matches=matches, max_count=3)
    found = [Occurrences.of(ids) for (ids,) in rows]
    assert [one.count for one in found] == [MAX_OCCURRENCES, 1, 0]
    green = kit.memories.find({"text": {"$contains": "green"}})[0]
    assert [list(one.ids) for one in found] == [[], [str(green.id)], []]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("std::slide", "std::slide_only_once"),
        ("get_gear", "get_gear_by_id"),
        ("src/gear.py", "src/gear.py.bak"),
        ("maxTeeth", "maxTeethPerRow"),
        ("--turn", "--turn-slowly"),
        ("wait-after", "wait-after-turn"),
        ("gear.get", "gear.get_many"),
        ("v2.1", "v2.1.3"),
    ],
)
def test_exact_identifier_ranks_before_a_longer_one(
    kit: memkit.Memkit, name: str, other: str
) -> None:
    """Every word of `get_gear` is in `get_gear_by_id`; still it is another name. What has only
    that comes too, behind what has the name itself, in whatever order they were said."""
    said = "{} is called whenever the mill starts"
    first = kit.memories.remember(said.format(other)).id
    own = kit.memories.remember(said.format(name)).id
    last = kit.memories.remember(f"{said.format(other)}, and when it stops").id
    found = kit.recall(f"what about {name}?", min_score=0)
    assert found[0].id == own
    assert {hit.id for hit in found} == {first, own, last}
    assert found[1].parts["longer"] < 0
    assert "longer" not in found[0].parts


def test_a_date_to_the_day_is_no_longer_name(kit: memkit.Memkit) -> None:
    """Who asks for a month or an amount is told of its days and cents."""
    kit.memories.remember("the mill was stopped on 2025-03-14 for 12.50")
    for question in ("mill 2025-03", "mill 12.5"):
        assert "longer" not in kit.recall(question, min_score=0)[0].parts
