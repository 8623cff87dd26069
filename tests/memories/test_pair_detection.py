"""How two statements stand to each other, and what `remember` says of it at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.encoder.static import packaged_encoder
from memkit.memories import pair_detection
from memkit.memories.compared_statement import StatementReader, said_in
from memkit.memories.pair_columns import align
from memkit.memories.pair_detection import CLASSES, CONFLICTING, PairJudgement, judge
from memkit.memories.records import PairVerdict, Resolution
from memkit.memories.writer import MOST_COMPARED
from tests.tables import each_row

if TYPE_CHECKING:
    from tests.conftest import MakeKit


MAP = "The harbour map is drawn with Leaflet."
NEW_MAP = "We switched the harbour map from Leaflet to MapLibre last month."


@pytest.fixture
def kit(make_kit: MakeKit) -> memkit.Memkit:
    return make_kit(global_store=False)


def test_a_contradiction_is_noted_and_both_stay(kit: memkit.Memkit) -> None:
    """Nothing is deactivated by a heuristic."""
    first = kit.memories.remember("The kiln is fired on Mondays.")
    second = kit.memories.remember("We always fire the kiln on Thursdays.")
    assert second.contradicts == (first.id,)
    assert second.updates == second.repeats == ()
    (pair,) = kit.memories.contradictions()
    assert (pair.memory_a, pair.memory_b, pair.origin) == (first.id, second.id, "detected")
    assert pair.proposed is None
    assert pair.note
    assert all(memory.is_current for memory in kit.memories.find())


def test_an_update_proposes_that_it_wins(kit: memkit.Memkit) -> None:
    """The newer one says that something changed; whether it takes its place is for `resolve`."""
    first, second = kit.memories.remember(MAP), kit.memories.remember(NEW_MAP)
    assert second.updates == second.contradicts == (first.id,)
    (pair,) = kit.memories.contradictions()
    assert pair.proposed == Resolution.B_WINS
    assert kit.memories.get(first).is_current
    kit.memories.resolve(first, second, Resolution.B_WINS)
    assert kit.memories.get(first).superseded_by == second.id
    assert kit.memories.contradictions() == []


def test_a_duplicate_is_linked_not_folded(kit: memkit.Memkit) -> None:
    """Both keep their words; the edge weighs how likely it is."""
    first = kit.memories.remember("Every change in harbour/tides is reviewed by Greta.")
    second = kit.memories.remember("Greta reviews all changes in harbour/tides.")
    assert second.id != first.id
    assert second.repeats == (first.id,)
    assert second.contradicts == ()
    (edge,) = [e for e in kit.memories.edges(second) if e.kind == "relates_to"]
    assert (edge.src, edge.dst) == (second.id, first.id)
    assert 0.4 <= edge.weight <= 1


def test_only_the_fact_in_question_is_doubted(make_kit: Callable[..., memkit.Memkit]) -> None:
    """What merely names the same person or thing stays out of it, and everything stays active."""
    kit = make_kit("packaged.memkit.db", encoder=None)
    said = [
        "Greta maintains the tide service",
        "Greta administers the harbour wiki",
        "the tide service depends on buoy-db",
        "the tide service must pass the autumn audit",
    ]
    ids = [kit.memories.remember(text).id for text in said]
    assert kit.memories.contradictions() == []
    last = kit.memories.remember("Nils, not Greta, maintains the tide service")
    assert last.contradicts == (ids[0],)
    assert all(kit.memories.get(number).is_current for number in ids)


def test_distinct_values_are_never_folded_nor_called_the_same(kit: memkit.Memkit) -> None:
    """Two services, versions, units, paths, and a negation stay ten statements; what is denied is
    doubted; the same in other words is linked."""
    said = [
        "Service north listens on port 7001", "Service south listens on port 7002",
        "Use Go 1.22 in the lab", "Use Go 1.23 in the lab",
        "Do commit vendored code", "Do not commit vendored code",
        "the retry delay is 20 s", "the retry delay is 20 ms",
        "lib/north/io.py opens files lazily", "lib/south/io.py opens files lazily",
    ]  # fmt: skip
    results = [kit.memories.remember(text) for text in said]
    assert len({result.id for result in results}) == len(said)
    assert [n for n, result in enumerate(results) if result.repeats] == []
    assert results[5].contradicts == (results[4].id,)
    first = kit.memories.remember("Checks run with nox -s 4 lint")
    assert kit.memories.remember("We run nox -s 4 lint for checks").repeats == (first.id,)


def test_a_correction_of_the_text_settles_the_doubt(kit: memkit.Memkit) -> None:
    """What was doubted of former words is judged by the new ones."""
    first, second = kit.memories.remember(MAP), kit.memories.remember(NEW_MAP)
    kit.memories.update(second, text="Nils prefers short commit messages.")
    assert kit.memories.contradictions() == []
    assert kit.memories.get(first).is_current


def test_what_was_settled_as_both_valid_is_not_raised_again(kit: memkit.Memkit) -> None:
    """Neither by remembering it again nor by a scan."""
    first, second = kit.memories.remember(MAP), kit.memories.remember(NEW_MAP)
    kit.memories.resolve(first, second, Resolution.BOTH_VALID, note="two maps")
    assert kit.memories.remember(NEW_MAP).contradicts == ()
    assert kit.consolidation.scan_contradictions().detected == ()
    assert kit.memories.contradictions() == []


def test_keyed_facts_are_left_to_supersession(kit: memkit.Memkit) -> None:
    """Values of two keys are of two things, however alike their sentences."""
    kit.memories.remember("The limit is 20 files.", key="upload limit", value="20")
    other = kit.memories.remember("The limit is 30 files now.", key="export limit", value="30")
    assert other.contradicts == other.updates == other.repeats == ()


def test_many_at_once_are_not_compared_one_by_one(kit: memkit.Memkit) -> None:
    """An import of thousands stays as fast as it was; the scan does the rest."""
    said = [f"Buoy {n} is painted in colour {n * 7}." for n in range(MOST_COMPARED)]
    kit.memories.remember_many([*said, MAP, NEW_MAP])
    assert kit.memories.contradictions() == []
    report = kit.consolidation.scan_contradictions()
    assert "update" in {pair.verdict for pair in report.detected}
    texts = {kit.memories.get(pair.memory_b).text for pair in kit.memories.contradictions()}
    assert NEW_MAP in texts


def test_it_works_by_words_alone(make_kit: MakeKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the model the nearest are those that share telling words."""
    monkeypatch.setenv("MEMKIT_ENCODER", "hashing")
    kit = make_kit(global_store=False)
    first = kit.memories.remember(MAP)
    assert kit.memories.remember(NEW_MAP).updates == (first.id,)


def test_words_that_most_memories_hold_are_not_looked_by(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scan of many statements of one form would go through all of them for each; by a word that
    few hold, and where there is none by those of all, the others are found as before."""
    monkeypatch.setattr(pair_detection, "_COMMON", 5)
    said = [f"Buoy {name} is painted." for name in ("amber", "beryl", "coral", "denim", "ecru")]
    ids = [result.id for result in kit.memories.remember_many([*said, MAP])]
    searches = []
    ask = kit._store.all

    def record(name: str, /, **params: object) -> object:
        if name == "memories_search.nearest_by_words":
            searches.append(params["match"])
        return ask(name, **params)

    monkeypatch.setattr(kit._store, "all", record)
    kit.consolidation.scan_contradictions(everything=True)
    assert '"amber"' in searches
    assert not any("buoy" in match for match in searches)
    searches.clear()
    other = kit.memories.remember("The buoy is painted.")
    assert any("buoy" in match for match in searches)
    assert other.id not in ids


READERS = {"vectors": StatementReader(packaged_encoder()), "words": StatementReader()}

EXAMPLES = [
    # One thing, two values.
    ("The kiln is fired on Mondays.", "We always fire the kiln on Thursdays.", "contradiction"),
    ("The ferry timetable is kept in git.", "The ferry timetable is not kept in git.",
     "contradiction"),
    ("Nightly exports are kept for 14 days.", "Nightly exports are kept for 30 days.",
     "contradiction"),
    # The newer one says that something changed.
    ("The harbour map is drawn with Leaflet.",
     "We switched the harbour map from Leaflet to MapLibre last month.", "update"),
    ("Nils signs the tide reports.", "Nils no longer signs the tide reports, Greta took over.",
     "update"),
    # One thing in other words.
    ("Every change in harbour/tides is reviewed by Greta.",
     "Greta reviews all changes in harbour/tides.", "duplicate"),
    ("The tide table is rebuilt every night.", "Every night the tide table is rebuilt.",
     "duplicate"),
    # Other things.
    ("The pier camera writes to bucket north.", "Nils prefers short commit messages.", "distinct"),
    ("The staging gateway listens on 7001.", "The production gateway listens on 7002.", "distinct"),
    ("Buoy reports are sent as XML.", "Tide reports are sent as CSV.", "distinct"),
    ("Nils maintains the billing service", "Nils administers the CI organisation", "distinct"),
]  # fmt: skip


def _judge(older: str, newer: str, reader: StatementReader) -> PairJudgement:
    first, second = reader.read(older), reader.read(newer)
    assert first is not None
    assert second is not None
    return judge(first, second, has_vectors=reader.has_vectors)


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@each_row("older, newer, verdict", EXAMPLES)
def test_statements_are_told_apart(
    older: str, newer: str, verdict: str, reader: StatementReader
) -> None:
    """Contradictions, updates, duplicates and what is about two things."""
    judgement = _judge(older, newer, reader)
    assert judgement.verdict == verdict, judgement
    assert 0 < judgement.probability <= 1
    assert judgement.reason


def test_another_unit_is_no_duplicate() -> None:
    """30 s and 30 ms, 8 GB and 8 MB: the same number is not the same."""
    for reader in READERS.values():
        for old, new in (("30 s", "30 ms"), ("30 MB", "30 GB"), ("30 s", "45 s")):
            judgement = _judge(f"The upload limit is {old}", f"The upload limit is {new}", reader)
            assert judgement.verdict is not PairVerdict.DUPLICATE


ONE_SIDE = [
    ("Hands off docs/css, it is generated.", "Never touch docs/img by hand."),
    ("No print() in library code, use the logger", "Never use print in httpx, use the logger."),
    ("Never run mypy directly, use scripts/check.",
     "From now on always run scripts/check before you commit."),
    ("Wir verwenden ruff statt flake8 und black.", "Do not use black, use ruff."),
    ("Do not use yarn here, use pnpm.", "yarn is forbidden, we use pnpm."),
    ("The staging database password rotates every Monday.",
     "Do not drop tables on the staging database."),
    ("Never push to master.",
     "`git push origin HEAD:fix-303` works, `git push origin master` does not"),
]  # fmt: skip


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@each_row("older, newer", ONE_SIDE)
def test_rules_of_one_side_are_not_at_odds(older: str, newer: str, reader: StatementReader) -> None:
    """Two prohibitions, or one and a rule of the same direction, hold both, in either order."""
    for first, second in ((older, newer), (newer, older)):
        assert _judge(first, second, reader).verdict not in CONFLICTING


@each_row(
    "older, newer",
    [
        ("yarn is forbidden, we use pnpm.", "We use yarn."),
        ("Always run mypy directly.", "Never run mypy directly, use scripts/check."),
        ("Never deploy on Fridays.", "We deploy on Fridays now."),
        ("Never keep logs for more than 30 days.", "Never keep logs for more than 90 days."),
        ("Use npm, not yarn.", "Use yarn, not npm."),
    ],
)
def test_what_is_forbidden_and_done_is_at_odds(older: str, newer: str) -> None:
    """A prohibition against what it forbids, and two bounds of one prohibition."""
    assert _judge(older, newer, READERS["vectors"]).verdict in CONFLICTING


def test_what_has_moved_to_another_value_is_an_update() -> None:
    """The verb says that it changed, and the reason names days and hours."""
    older, newer = "Sprint review is on Thursdays at 14", "Sprint review moved to Wednesdays at 10"
    judgement = _judge(older, newer, READERS["vectors"])
    assert judgement.verdict is PairVerdict.UPDATE
    assert "thursdays, 14, and wednesdays, 10" in judgement.reason


PREFIXED = [
    ("Exports are written synchronously to the bucket.",
     "Exports are written asynchronously to the bucket."),
    ("Backups are stored encrypted on the volume.",
     "On the volume backups are stored unencrypted."),
    ("Release notes are written for each release.",
     "Release notes are written for each prerelease."),
    ("Authentication goes through the gateway.", "Reauthentication goes through the gateway."),
    ("The worker is a blocking one with a queue of its own.",
     "The worker is a non-blocking one with a queue of its own."),
    ("Jobs are retried when the lock is available.",
     "Jobs get retried whenever the lock is unavailable."),
]  # fmt: skip


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@each_row("plain, prefixed", PREFIXED)
def test_a_word_with_letters_put_before_it_is_another_word(
    plain: str, prefixed: str, reader: StatementReader
) -> None:
    """However alike the two are spelt and near in meaning, neither repeats the other."""
    for older, newer in ((plain, prefixed), (prefixed, plain)):
        judgement = _judge(older, newer, reader)
        assert judgement.verdict is not PairVerdict.DUPLICATE, judgement


SWAPPED = [
    ("Sort the charts by date, not by name.", "Sort the charts by name, not by date."),
    ("We use sextants and not compasses on the ferry.",
     "We use compasses and not sextants on the ferry."),
    ("Moor with ropes rather than with chains.", "Moor with chains rather than with ropes."),
    ("Der Steg wird geteert, nicht lackiert.", "Der Steg wird lackiert, nicht geteert."),
]  # fmt: skip


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@each_row("older, newer", SWAPPED)
def test_what_affirms_what_the_other_rejects_is_at_odds_with_it(
    older: str, newer: str, reader: StatementReader
) -> None:
    """The words are the same; which of the two is to be chosen is not."""
    for pair in ((older, newer), (newer, older)):
        assert _judge(*pair, reader).verdict is PairVerdict.CONTRADICTION
    assert _judge(older, older, reader).verdict not in CONFLICTING


def test_the_opposite_choice_for_another_thing_is_not_at_odds() -> None:
    """Of two things each may have its own."""
    for reader in READERS.values():
        judgement = _judge(
            "Use ropes, not chains, for the dinghy in the harbour.",
            "Use chains, not ropes, for the trawler in the harbour.",
            reader,
        )
        assert judgement.verdict is PairVerdict.DISTINCT


NO_REPEATS = [
    # Another name in its place.
    ("The harbour tug is called Walrus and has two engines.",
     "The harbour tug is called Narwhal and has two engines."),
    ("Our crane is operated from a booth named Kestrel.",
     "Our crane is operated from a booth named Osprey."),
    # A number that is said of something else.
    ("The toll for boats is 9 euros, for barges 40 euros.", "The toll for boats is 40 euros."),
    ("Moorings get 2 ropes, trawlers 6.", "Moorings get 6 ropes."),
    # A number by chance.
    ("Harbour dues are raised by 40 percent.", "Tide tables have 40 columns."),
    ("Buoys blink every 12 seconds.", "The pilot speaks 12 languages."),
]  # fmt: skip


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@each_row("older, newer", NO_REPEATS)
def test_another_name_or_the_number_of_another_thing_is_no_repeat(
    older: str, newer: str, reader: StatementReader
) -> None:
    """However much else is the same: silence rather than a wrong word."""
    for pair in ((older, newer), (newer, older)):
        assert _judge(*pair, reader).verdict is not PairVerdict.DUPLICATE


def test_another_form_of_a_word_says_the_same() -> None:
    """What differs in the ends of its words alone repeats."""
    repeated = (
        ("The nightly build publishes the images.", "The nightly builds publish the images."),
        ("A band is playing on the stage.", "A band plays on the stage."),
    )
    for older, newer in repeated:
        assert _judge(older, newer, READERS["vectors"]).verdict is PairVerdict.DUPLICATE


def test_numbers_in_words_are_numbers() -> None:
    """Six is 6, 03:00 is 3, 1,000 is 1000."""
    for reader in READERS.values():
        one = reader.read("Six shards, 03:00, 1,000 rows")
        other = reader.read("6 shards, 3:00, 1000 rows")
        assert one is not None
        assert other is not None
        assert one.of_sort("n") == other.of_sort("n") == {"6", "3", "1000"}


def test_what_says_nothing_is_no_statement() -> None:
    """Signs, blanks, and code blocks alone."""
    for reader in READERS.values():
        assert [reader.read(text) for text in ("", "…!?", "the of a", "```x = 1```")] == [None] * 4


def test_the_reason_names_what_differs() -> None:
    """A person reads why."""
    numbers = _judge(
        "Nightly exports are kept for 14 days.",
        "All nightly exports are always kept for 30 days.",
        READERS["vectors"],
    )
    assert "number" in numbers.reason
    changed = _judge(EXAMPLES[3][0], EXAMPLES[3][1], READERS["vectors"])
    assert "changed" in changed.reason


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_judged(older: str, newer: str) -> None:
    """Probabilities of the four add up to one, whatever the texts."""
    first, second = READERS["words"].read(older), READERS["words"].read(newer)
    if first is None or second is None:
        return
    judgement = judge(first, second, has_vectors=False)
    assert len(judgement.chances) == len(CLASSES)
    assert sum(judgement.chances) == pytest.approx(1)
    assert judgement.verdict in CLASSES


SAMPLE = (
    "The build server listens on port 8080.",
    "the build server listens on port 9090 since May",
    "Never deploy on Fridays.",
    "Deploys go out on Friday afternoons, not before.",
    "`make check` doesn't run mypy any more.",
    "We moved from Redis to RabbitMQ; Marek is on call.",
    "上传的文件不再放在桶里。",
    "12,000 rows take 3.0 s, not ten.",
    "```python\nonly code\n```",
    "…",
    "Never",
)


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_texts_read_together_are_read_as_each_alone(reader: StatementReader) -> None:
    """The words, what is denied, the vectors to the last bit, and so every judgement."""
    encoder = packaged_encoder() if reader.has_vectors else None
    together = StatementReader(encoder).read_all(SAMPLE)
    alone = [StatementReader(encoder).read(text) for text in SAMPLE]
    assert sum(statement is None for statement in together) == 3
    for one, other in zip(together, alone, strict=True):
        if one is None or other is None:
            assert one is other
            continue
        assert (one.words, one.negations, one.text) == (other.words, other.negations, other.text)
        assert (one.vectors == other.vectors).all()
    told = [statement for statement in together if statement]
    again = [statement for statement in alone if statement]
    for (a, b), (c, d) in zip(combinations(told, 2), combinations(again, 2), strict=True):
        judged = (judge(*pair, has_vectors=reader.has_vectors) for pair in ((a, b), (c, d)))
        assert next(judged) == next(judged)


def test_what_a_statement_shares_with_a_text_is_the_weight_of_its_words_in_it() -> None:
    """Each stem once, out of what the shorter of both tells; a text need not be read for that."""
    reader = StatementReader()
    statement = reader.read("The port of the server is the port 8080.")
    assert statement is not None
    shared = {word.stem: word.weight for word in statement.telling if word.stem in "port server"}
    assert set(shared) == {"port", "serv"}
    whole = statement.telling_weight * min(1.0, len("Port server") / len(statement.text))
    assert said_in(statement, "Port server") == min(1.0, sum(shared.values()) / whole)
    assert said_in(statement, "a zebra") == 0


def test_who_does_what_to_whom_tells_two_of_the_same_words_apart() -> None:
    """Matched one to one, the same words in another order are less likely one than in the same,
    and in the passive as likely as not less."""
    reader = StatementReader(packaged_encoder())

    def chance(older: str, newer: str) -> float:
        statements = reader.read(older), reader.read(newer)
        assert statements[0] is not None
        assert statements[1] is not None
        return judge(statements[0], statements[1]).chances[-1]

    said = "The turtle is following the fish"
    turned = chance(said, "The fish is following the turtle")
    assert turned < chance(said, "A turtle is following a fish")
    assert turned < chance(said, "The fish is followed by the turtle")


def test_words_are_matched_one_to_one_in_their_order() -> None:
    """Of two equal words the one that stands at a like place; what is left over has none."""
    reader = StatementReader(None)
    older = reader.read("gulls watch boats, boats watch gulls")
    newer = reader.read("gulls watch boats quietly")
    assert older is not None
    assert newer is not None
    pairs = [(match.old, match.new) for match in align(older, newer).matches]
    assert pairs == [(0, 0), (1, 1), (3, 2)]
