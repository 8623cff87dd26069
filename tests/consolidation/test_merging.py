"""Only what says the same is merged, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from memkit.consolidation.merging import Wording, same_statement
from memkit.memories.identity import pair_hash
from memkit.store.tables import tables
from tests.store import shell
from tests.tables import each_row

Open = Callable[..., memkit.Memkit]

# Two statements that are alike and not one: value, name, unit, negation, path, direction, order.
DISTINCT = (
    ("Worker crow listens on port 9101.", "Worker heron listens on port 9102."),
    ("Build the images with Go 1.21.", "Build the images with Go 1.22."),
    ("Do vendor the wheels.", "Do not vendor the wheels."),
    ("The lease lasts 45 s.", "The lease lasts 45 ms."),
    ("lib/a/pool.py keeps two sockets open.", "lib/b/pool.py keeps two sockets open."),
    ("My favourite teapot is green.", "My favourite teapot is brown."),
    ("Copy the dump from staging to production.", "Copy the dump from production to staging."),
    ("The lexer calls the parser.", "The parser calls the lexer."),
    ("Ann is the manager of Bob.", "Bob is the manager of Ann."),
    ("Use tabs, never spaces.", "Use spaces, never tabs."),
    ("Run the linter before the tests.", "Run the tests before the linter."),
    ("Set MAX_RETRIES to 3.", "Set MAX_RETRY to 3."),
    ("Deploys need a review.", "Deploys need a second review."),
    ("Only admins may purge.", "Admins may purge."),
    ("Kunden zahlen mit Karte.", "Kunden zahlen ohne Karte."),
    ("生产环境使用端口 8080。", "生产环境使用端口 8081。"),
)
SAME = (
    ("Tests run with ninja -j 8", "We run ninja with -j 8 for tests"),
    ("The service tests run in docker.", "The service test runs in docker."),
    ("Uploads are scanned on arrival.", "uploads are scanned on the arrival"),
)


@each_row("a, b", DISTINCT)
def test_another_value_is_another_statement(a: str, b: str) -> None:
    """One telling word, number, sign or order that differs parts two statements."""
    assert same_statement(Wording.of(a), Wording.of(b)) is None
    assert same_statement(Wording.of(b), Wording.of(a)) is None


@each_row("a, b", SAME)
def test_small_words_forms_and_a_subject_at_the_end_tell_nothing(a: str, b: str) -> None:
    """What is said in other small words, in the plural, or with its subject last is one."""
    assert same_statement(Wording.of(a), Wording.of(b)) is not None
    assert same_statement(Wording.of(b), Wording.of(a)) is not None


def test_a_name_is_not_a_plural() -> None:
    """By its capital "Adams" is somebody else than "Adam"."""
    assert same_statement(*map(Wording.of, ("Ask Adam first.", "Ask Adams first."))) is None


@each_row(
    "first, second",
    [
        ({"key": "runner", "value": "ninja"}, {"key": "bundler", "value": "ninja"}),
        ({"kind": "preference", "provenance": "inferred"}, {}),
        ({"scope": "session", "session": "a"}, {"scope": "session", "session": "b"}),
        ({"project": "shop"}, {"project": "desk"}),
        ({"author": "ann"}, {"author": "bob"}),
        ({"private": True}, {}),
        ({"season": "release"}, {"season": "freeze"}),
        ({"valid_from": "2027-01-01"}, {}),
        ({"about": "src/a.py"}, {"about": "src/b.py"}),
        ({"kind": "negative"}, {"kind": "negative"}),
        ({"pinned": True}, {"pinned": True}),
        ({"source": "a.md#1"}, {"source": "b.md#1"}),
        ({"scope": "global"}, {}),
    ],
)
def test_what_holds_elsewhere_stays(
    first: dict[str, object], second: dict[str, object], make_kit: Open
) -> None:
    """The same words of another key, kind, session, project, person, time or file are two."""
    kit = make_kit(f"{sorted(first.items())!r:.40}{len(second)}".replace("/", "_") + ".db")
    for text, fields in zip(SAME[0], (first, second), strict=True):
        kit.memories.remember(text, **fields)  # type: ignore[arg-type]
    assert kit.consolidate(steps="merge").counts["deduped"] == 0


def test_the_survivor_gets_all_that_hangs_on_the_other(kit: memkit.Memkit) -> None:
    """Wording, tags, edges, anchors, artifacts, provenance, strength and use."""
    other = kit.memories.remember("The queue is durable.")
    first = kit.memories.remember(SAME[0][0], tags=["ci"])
    kit.memories.remember(SAME[0][0])
    second = kit.memories.remember(
        SAME[0][1], tags=["speed"], about="ci/run.sh", artifacts=[("pr", "12")], snippet="in CI"
    )
    kit.memories.link(second, other, "relates_to", weight=0.9)
    kit.consolidation.used(second)
    report = kit.consolidate()
    assert [(c.memory_id, c.other_id) for c in report.changes] == [(second.id, first.id)]
    survivor, details = kit.memories.get(first), kit.memories.details(first)
    assert survivor.tags == ("ci", "speed")
    assert survivor.strength == 4
    assert survivor.access_count == 1
    assert [anchor.path for anchor in survivor.about] == ["ci/run.sh"]
    assert details.paraphrases == (SAME[0][1],)
    assert [artifact.reference for artifact in details.artifacts] == ["12"]
    assert "in CI" in {link.snippet for link in details.provenance}
    assert other.id in {edge.dst for edge in kit.memories.edges(first)}
    gone = kit.memories.get(second)
    assert (gone.active, gone.superseded_by, gone.text) == (False, first.id, SAME[0][1])
    assert kit.recall("how does ninja run?", min_score=0)[0].id == first.id


def test_a_wording_said_again_strengthens_the_survivor(kit: memkit.Memkit) -> None:
    """Neither a new memory nor a doubt: it is known which memory stands for it."""
    first = kit.memories.remember(SAME[0][0])
    kit.memories.remember(SAME[0][1])
    kit.consolidate()
    again = kit.memories.remember(f"{SAME[0][1]}.")
    assert (again.id, again.outcome, again.contradicts) == (first.id, "folded", ())
    assert again.memory.strength == 3
    assert kit.consolidate().run is None


def test_no_chain_is_longer_than_one(kit: memkit.Memkit) -> None:
    """What a memory had replaced is replaced by the one into which it is merged later."""
    old = kit.memories.remember("Tests run with make.")
    second = kit.memories.remember(SAME[0][1], supersedes=old)
    kit.memories.pin(first := kit.memories.remember(SAME[0][0]))
    kit.consolidate()
    assert kit.memories.get(second).superseded_by == first.id
    assert kit.memories.get(old).superseded_by == first.id


def test_a_verdict_decides_about_these_texts(kit: memkit.Memkit) -> None:
    """`duplicate` merges other words, `distinct` keeps the same words apart; of other texts
    neither says anything."""
    pair = ("Chat goes over websockets.", "Messages of the chat use a websocket.")
    ids = [kit.memories.remember(text).id for text in pair]

    def decide(verdict: str, texts_of: str) -> None:
        row = {"memory_a": ids[0], "memory_b": ids[1], "verdict": verdict, "note": None}
        row |= {"decided_by": "judge", "texts_hash": texts_of, "decided_at": kit._store.now()}
        kit._store.write(lambda: kit._store.run("tables.pair_verdicts_put", **row))

    decide("duplicate", pair_hash("other", "texts"))
    assert kit.consolidate(dry_run=True).counts["deduped"] == 0
    decide("duplicate", pair_hash(*pair))
    assert kit.consolidate(dry_run=True).counts["deduped"] == 1
    decide("distinct", pair_hash(*pair))
    assert kit.consolidate(dry_run=True).counts["deduped"] == 0


def test_two_that_contradict_each_other_stay_two(kit: memkit.Memkit) -> None:
    """While it is open which of two holds they are not one, nor by way of a third."""
    first, second = (kit.memories.remember(text) for text in SAME[1])
    kit.memories.contradict(first, second)
    assert kit.consolidate(steps="merge").run is None
    kit.memories.remember("The service tests runs in docker.", pinned=True)
    assert kit.consolidate(steps="merge").counts["deduped"] == 1


def test_an_open_contradiction_goes_over_to_the_survivor(kit: memkit.Memkit) -> None:
    """With its note; undo takes it back."""
    third = kit.memories.remember("Tests run with make.").id
    first, second = (kit.memories.remember(text).id for text in SAME[0])
    kit.memories.contradict(second, third, note="one runner")
    before = kit.memories.contradictions()
    report = kit.consolidate(steps="merge")
    assert [(c.memory_id, c.other_id) for c in report.changes] == [(second, first)]
    (moved,) = kit.memories.contradictions()
    assert (moved.memory_a, moved.memory_b, moved.note) == (third, first, "one runner")
    kit.consolidation.undo("last")
    assert kit.memories.contradictions() == before


@pytest.mark.parametrize(("is_pinned", "proposed"), [(False, "a_wins"), (True, "b_wins")])
def test_a_proposal_stays_that_of_its_side(
    is_pinned: bool, proposed: str, kit: memkit.Memkit
) -> None:
    """Whichever of two that say the same survives: who wins is told by the order of ids."""
    first = kit.memories.remember(SAME[0][0], pinned=not is_pinned).id
    third = kit.memories.remember("The cache is cold at night.").id
    second = kit.memories.remember(SAME[0][1], pinned=is_pinned).id
    duplicate, own = (first, "a_wins") if is_pinned else (second, "b_wins")
    kit.memories.contradict(duplicate, third)
    shell.run(kit.path, f"update contradictions set proposed = '{own}'")
    kit.consolidate(steps="merge")
    (moved,) = kit.memories.contradictions()
    assert moved.proposed == proposed


def test_verdicts_are_shared() -> None:
    """What somebody decided reaches those who merge the store."""
    assert tables()["pair_verdicts"].kind == "shared"
