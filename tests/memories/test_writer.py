"""Remembering: the same strengthens, a wording folds, a value supersedes, a source updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import memkit
from memkit import Draft, Procedure
from memkit.errors import InvalidInput, NotFound
from tests.asking import by_words


def test_the_same_statement_again_strengthens(kit: memkit.Memkit) -> None:
    """Saying it twice makes one memory that counts twice, and brings the rest of it along."""
    one = kit.memories.remember("the roof leaks in the north", confidence=0.4, tags=["roof"])
    two = kit.memories.remember(
        "the roof leaks in the north", confidence=0.7, tags=["rain"], pinned=True, private=True
    )
    assert (one.outcome, two.outcome, one.id) == ("stored", "strengthened", two.id)
    assert (two.memory.strength, two.memory.confidence) == (2, 0.7)
    assert two.memory.tags == ("rain", "roof")
    assert two.memory.pinned
    assert two.memory.private
    assert (
        kit.memories.remember("the roof leaks in the north", confidence=0.1).memory.confidence
        == 0.7
    )


def test_another_wording_is_folded_and_found(kit: memkit.Memkit) -> None:
    """A wording that tells nothing new keeps its words beside the first ones."""
    one = kit.memories.remember("Store backups on the tape")
    two = kit.memories.remember("store the backups on tape!")
    assert (two.outcome, two.id) == ("folded", one.id)
    assert two.memory.text == "Store backups on the tape"
    assert kit.memories.details(one).paraphrases == ("store the backups on tape!",)
    assert kit.memories.remember("store the backups on tape!").outcome == "folded"
    assert len(kit.memories.details(one).paraphrases) == 1


def test_what_was_forgotten_comes_back_when_it_is_said_again(kit: memkit.Memkit) -> None:
    """A new statement outweighs an old forgetting; what was superseded is history."""
    gone = kit.memories.remember("doors open inwards")
    kit.memories.forget(gone)
    back = kit.memories.remember("doors open inwards")
    assert back.id == gone.id
    assert back.memory.is_current
    newer = kit.memories.remember("doors open outwards", supersedes=back)
    assert newer.replaced == (back.id,)
    again = kit.memories.remember("doors open inwards")
    assert again.id != back.id
    assert kit.memories.get(back.id).superseded_by == newer.id
    (doubt,) = kit.memories.contradictions()
    assert {doubt.memory_a, doubt.memory_b} == {newer.id, again.id}


def test_repeating_a_superseded_statement_contradicts_its_successor(
    kit: memkit.Memkit,
) -> None:
    """What stands in its place now is in doubt, unless the new statement replaces that as well."""
    old = kit.memories.remember("the oven takes 20 minutes")
    newer = kit.memories.remember("the oven takes 30 minutes", supersedes=old)
    newest = kit.memories.remember("the oven takes 40 minutes", supersedes=newer)
    again = kit.memories.remember("the oven takes 20 minutes")
    (doubt,) = kit.memories.contradictions()
    assert {doubt.memory_a, doubt.memory_b} == {newest.id, again.id}
    kit.memories.forget(newest)
    kit.memories.remember("the oven takes 30 minutes", supersedes=again)
    assert not kit.memories.contradictions()
    kit.memories.remember(key="rack", value="top")
    kit.memories.remember(key="rack", value="middle")
    kit.memories.remember(key="rack", value="top")
    assert not kit.memories.contradictions()


def test_what_held_for_a_time_is_another_statement_later(
    kit: memkit.Memkit, clock: Callable[..., float]
) -> None:
    """Said again after it ended it holds again; the same span given twice is the same."""
    freeze = {"valid_from": "2026-02-01", "valid_to": "2026-02-10"}
    first = kit.memories.remember("deploys are frozen", **freeze)
    assert kit.memories.remember("deploys are frozen", **freeze).id == first.id
    second = kit.memories.remember("deploys are frozen")
    assert (second.outcome, second.memory.valid_to) == ("stored", None)
    assert kit.memories.remember("deploys are frozen").id == second.id


def test_walls_keep_equal_statements_apart(kit: memkit.Memkit) -> None:
    """Projects, sessions and tasks each have their own."""
    places: list[dict[str, object]] = [
        {}, {"project": "other"},
        {"scope": "session", "session": "a"}, {"scope": "session", "session": "b"},
        {"scope": "task", "task": "a"}, {"scope": "task", "task": "b"},
    ]  # fmt: skip
    ids = [kit.memories.remember("tea at five", **place).id for place in places]
    assert len(set(ids)) == len(places)
    assert [kit.memories.remember("tea at five", **place).id for place in places] == ids
    assert kit.memories.remember("tea at five", session="c").id == ids[0]


# -- keyed facts


def test_a_new_value_supersedes_the_old_one(
    kit: memkit.Memkit, clock: Callable[..., float]
) -> None:
    """One key has one current value; the old one stays as history and can be asked for."""
    tabs = kit.memories.remember(key="indent", value="tabs")
    clock.advance(days=1)
    spaces = kit.memories.remember(key="indent", value="spaces")
    assert tabs.memory.text == "indent: tabs"
    assert spaces.replaced == (tabs.id,)
    assert kit.memories.get(tabs.id).superseded_by == spaces.id
    assert [m.value for m in kit.memories.find(key="indent")] == ["spaces"]
    assert [m.value for m in kit.memories.find(as_of="2026-03-01T12:00:00Z")] == ["tabs"]
    assert kit.memories.remember(key="indent", value="spaces").outcome == "strengthened"
    clock.advance(days=1)
    again = kit.memories.remember(key="indent", value="tabs")
    assert again.replaced == (spaces.id,)
    assert again.id != tabs.id


def test_the_same_words_with_another_value_are_news(kit: memkit.Memkit) -> None:
    """A text of one's own does not hide that the value has changed."""
    one = kit.memories.remember("as the guide says", key="width", value="80")
    two = kit.memories.remember("as the guide says", key="width", value="100")
    assert two.replaced == (one.id,)
    assert two.memory.value == "100"


@pytest.mark.parametrize(
    ("one", "other", "replaced"),
    [
        ({}, {"qualifier": "go"}, False),
        ({"qualifier": "go"}, {"qualifier": "go"}, True),
        ({"project": "a"}, {"project": "b"}, False),
        ({"session": "a"}, {"session": "b"}, True),
        ({"session": "a"}, {}, True),
        ({"scope": "session", "session": "a"}, {"scope": "session", "session": "b"}, False),
        ({"scope": "session", "session": "a"}, {"scope": "session", "session": "a"}, True),
        ({"scope": "task", "task": "a"}, {"scope": "task", "task": "b"}, False),
        ({"scope": "task", "task": "a"}, {"scope": "task", "task": "a", "session": "s"}, True),
        ({"scope": "session", "session": "a"}, {}, False),
    ],
    ids=str,
)
def test_a_value_supersedes_only_within_its_walls(
    kit: memkit.Memkit, one: dict[str, str], other: dict[str, str], replaced: bool
) -> None:
    """Qualifier, project, and a session or task of its own keep facts apart, nothing else."""
    first = kit.memories.remember(key="colour", value="red", **one)
    second = kit.memories.remember(key="colour", value="blue", **other)
    assert second.replaced == ((first.id,) if replaced else ())


# -- sources


def test_the_same_source_is_updated_in_place(kit: memkit.Memkit) -> None:
    """A document read again updates its statements and keeps what people added."""
    one = kit.memories.remember("Listen on 8080.", source="README#port", tags=["net"])
    kit.memories.pin(one)
    kit.memories.remember_many([Draft("Listen on 8080.", source="README#port")] * 2)
    two = kit.memories.remember("Listen on 9090.", source="README#port")
    assert (two.outcome, two.id) == ("updated", one.id)
    assert two.memory.text == "Listen on 9090."
    assert two.memory.created_at == one.memory.created_at
    assert two.memory.pinned
    assert two.memory.tags == ("net",)
    assert by_words(kit, "9090")
    assert kit.memories.remember("Listen on 1.", source="README#port", project="p").id != one.id


@pytest.mark.parametrize("blank", ["", "  ", "\u200b"])
def test_blank_source_replaces_nothing(kit: memkit.Memkit, blank: str) -> None:
    """What a variable that was not set names is no document: no statement takes another's place."""
    one = kit.memories.remember("Uploads are queued.", source=blank, session=blank, task=blank)
    two = kit.memories.remember("Lunch is at noon.", source=blank)
    assert one.id != two.id
    assert kit.memories.get(one).text == "Uploads are queued."
    assert (one.memory.source, one.memory.session, one.memory.task) == (None, None, None)
    assert kit.memories.update(two, source=blank).source is None


def test_an_unchanged_source_brings_nothing_back(kit: memkit.Memkit) -> None:
    """What was forgotten or superseded stays so until the document says something else."""
    gone = kit.memories.remember("Use make.", source="doc#build")
    old = kit.memories.remember(key="shell", value="bash", source="doc#shell")
    kit.memories.forget(gone)
    new = kit.memories.remember(key="shell", value="zsh")
    for _ in range(2):
        kit.memories.remember("Use make.", source="doc#build")
        kit.memories.remember(key="shell", value="bash", source="doc#shell")
    assert not kit.memories.get(gone.id).active
    assert kit.memories.get(old.id).superseded_by == new.id
    assert kit.memories.get(new.id).is_current
    changed = kit.memories.remember(key="shell", value="fish", source="doc#shell")
    assert (changed.id, changed.replaced) == (old.id, (new.id,))
    assert kit.memories.get(old.id).is_current
    assert kit.memories.remember("Use just.", source="doc#build").memory.is_current


# -- what hangs on a statement


def test_everything_given_with_a_statement_is_kept(kit: memkit.Memkit) -> None:
    """Every field of a draft comes back, from the row or from what hangs on it."""
    cause = kit.memories.remember("the cause")
    made = kit.memories.remember(
        "rotate the logs weekly", kind="negative", form="workflow", scope="task", task="t9",
        session="s9", project="p9", source="runbook#logs", tags=("Ops", "ops", "logs"),
        about=("ops/logs.py", "ops/logs.py::rotate"), file_paths=["./ops/logs.py"],
        messages=(3, 8), at="2026-02-03", valid_from="2026-02-01", valid_to="2026-12-01",
        season="winter", summary="rotate logs", compressed="logs", index_entry="log",
        provenance="observed", confidence=0.8, importance=0.7, author="kim", pinned=True,
        private=True, trigger_patterns=["logrotate"], snippet="we were full",
        reason="disk was full",
        procedure=Procedure(["stop", "rotate"], name="rotation", warnings="slow"),
        derived_from=cause, artifacts=[("commit", "abc"), ("pr", "7")],
    )  # fmt: skip
    memory = made.memory
    assert (memory.kind, memory.form, memory.scope) == ("negative", "workflow", "task")
    assert (memory.task, memory.session, memory.project) == ("t9", "s9", "p9")
    assert memory.tags == ("logs", "ops")
    assert memory.file_paths == ("ops/logs.py",)
    assert memory.messages == (3, 8)
    assert memory.created_at == "2026-02-03T00:00:00.000Z"
    assert memory.updated_at == "2026-03-01T10:00:00.000Z"
    assert (memory.valid_from, memory.season) == ("2026-02-01T00:00:00.000Z", "winter")
    assert (memory.summary, memory.compressed, memory.index_entry) == ("rotate logs", "logs", "log")
    assert (memory.provenance, memory.confidence, memory.trust) == ("observed", 0.8, 0.9)
    assert (memory.importance, memory.author) == (0.7, "kim")
    assert memory.pinned
    assert memory.private
    assert memory.trigger_patterns == ("logrotate",)
    assert memory.procedure == Procedure(["stop", "rotate"], name="rotation", warnings=["slow"])
    assert memory.tokens > 0
    (link,) = kit.memories.details(made).provenance
    assert (link.source, link.snippet, link.reason) == ("observed", "we were full", "disk was full")
    assert {(e.src, e.dst, e.kind) for e in kit.memories.edges(cause)} == {
        (made.id, cause.id, "derived_from")
    }
    assert [(a.path, a.symbol, a.hash) for a in made.memory.about] == [
        ("ops/logs.py", "", None),
        ("ops/logs.py", "rotate", None),
    ]
    assert kit._store.all("memories.artifacts_of", id=made.id) == [("commit", "abc"), ("pr", "7")]


def test_a_procedure_speaks_for_itself(kit: memkit.Memkit) -> None:
    """Steps without a text become one, with the name or trigger in front."""
    put = kit.memories.remember
    assert put(procedure=Procedure(["a", "b"], name="ship")).memory.text == "ship: a → b"
    assert put(procedure=Procedure(["c"], trigger="on red")).memory.text == "on red: c"
    assert put(procedure=Procedure("d")).memory.text == "d"


def test_statement_with_steps_is_a_procedure(kit: memkit.Memkit) -> None:
    """Steps make a procedure of what is not said to be of another kind."""
    steps = Procedure(["a", "b"])
    put = kit.memories.remember
    assert put("how to ship", procedure=steps).memory.kind == "procedure"
    assert put("never ship so", procedure=steps, kind="negative").memory.kind == "negative"
    plain = put("shipping is slow")
    assert kit.memories.update(plain, procedure=steps).kind == "procedure"


def test_a_chain_joins_neighbours_across_batches(kit: memkit.Memkit) -> None:
    """Turns of a conversation follow each other by `next`, and repeated ones do not loop."""
    done = kit.memories.remember_many((f"turn {n}" for n in range(1003)), chain=True)
    edges = {(e.src, e.dst) for e in kit.memories.edges(done[1000]) if e.kind == "next"}
    assert edges == {(done[999].id, done[1000].id), (done[1000].id, done[1001].id)}
    same = kit.memories.remember_many(["echo", "echo"], chain=True)
    assert kit.memories.edges(same[0]) == []
    assert kit.memories.remember_many([]) == []


def test_progress_counts_what_is_done(kit: memkit.Memkit) -> None:
    """The callback hears a growing number after each batch, and of how many."""
    heard: list[tuple[int, int]] = []
    rows = (f"row {n}" for n in range(2100))
    kit.memories.remember_many(rows, progress=lambda done, of: heard.append((done, of)))
    assert heard == [(1000, 2100), (2000, 2100), (2100, 2100)]


@pytest.mark.parametrize(
    "fields",
    [
        {"colour": "red"}, {"kind": "rumour"}, {"form": "poem"}, {"scope": "galaxy"},
        {"provenance": "dreamt"}, {"scope": "session"}, {"scope": "task"}, {"value": "x"},
        {"confidence": 1.1}, {"confidence": -0.1}, {"confidence": float("nan")},
        {"trust": "much"}, {"importance": 2}, {"at": "blursday"}, {"valid_to": "never"},
        {"valid_from": "2026-02-02", "valid_to": "2026-02-01"}, {"messages": (5, 2)},
        {"messages": (-1, 2)}, {"about": [" "]}, {"about": ["/etc/passwd"]}, {"about": ["../x::y"]},
        {"file_paths": ["C:\\x"]}, {"tags": [" "]}, {"tags": [5]}, {"text": 5}, {"supersedes": "x"},
        {"derived_from": [1.5]}, {"artifacts": [("tweet", "1")]}, {"author": 5},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_stored_is_refused_before_anything_is(
    kit: memkit.Memkit, fields: dict[str, object]
) -> None:
    """A field of a wrong name or value is an InvalidInput in one line, and nothing is stored."""
    with pytest.raises(InvalidInput) as caught:
        kit.memories.remember(**{"text": "fine", **fields})
    assert "\n" not in str(caught.value)
    assert not kit.memories.find(history=True)


def test_a_reference_to_nothing_is_refused_before_anything_is_stored(kit: memkit.Memkit) -> None:
    """A statement cannot replace or follow from a memory that is not there."""
    for name in ("supersedes", "derived_from"):
        with pytest.raises(NotFound, match="12345"):
            kit.memories.remember("orphan", **{name: 12345})
    assert not kit.memories.find()


def test_one_bad_statement_of_many_stores_none_of_its_batch(kit: memkit.Memkit) -> None:
    """A batch is whole or not there."""
    with pytest.raises(InvalidInput):
        kit.memories.remember_many(["good", "also good", " "])
    assert not kit.memories.find()


def test_secrets_are_masked_in_every_field(kit: memkit.Memkit) -> None:
    """No field carries a token into the file, its index or its audit."""
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"[:36]
    made = kit.memories.remember(
        f"push with {token}", author=token, snippet=token, reason=token, summary=token,
        trigger_patterns=[token], procedure=Procedure([token], warnings=[token]), key="k",
        value=token, season=token, artifacts=[("commit", token)], session=token,
    )  # fmt: skip
    assert made.redacted
    kit.memories.update(made, f"pull with {token}")
    kit.memories.forget(made, reason=token)
    path = kit.path
    kit.close()
    assert token.encode() not in path.read_bytes()


def test_a_key_spelt_another_way_is_the_same_fact(kit: memkit.Memkit) -> None:
    """Case, white space and Unicode form of key and qualifier do not make a second current fact."""
    first = kit.memories.remember(key="default port", qualifier="caf\u00e9", value="80")
    kit.memories.remember(key="Default  Port", qualifier="CAFE\u0301", value="81")
    (fact,) = kit.memories.find(key="DEFAULT port", qualifier="Caf\u00e9", superseded_by=None)
    assert (fact.key, fact.qualifier, fact.value) == ("default port", "caf\u00e9", "81")
    assert fact.text.startswith("Default  Port")
    assert not kit.memories.get(first.id).is_current
    assert (
        kit.memories.remember(key="DEFAULT PORT", qualifier="CAF\u00c9", value="81").id == fact.id
    )


def test_a_changed_value_keeps_the_spelling_of_its_key_in_the_text(kit: memkit.Memkit) -> None:
    """A text that was made of key and value is made again in the words that were given."""
    made = kit.memories.remember(key="Default Port", value="80")
    assert made.memory.text == "Default Port: 80"
    assert kit.memories.update(made.id, value="81").text == "Default Port: 81"


def test_a_key_without_letters_is_no_key(kit: memkit.Memkit) -> None:
    """White space alone cannot be asked for."""
    with pytest.raises(InvalidInput, match="has no key"):
        kit.memories.remember("the port", key="  ", value="80")


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_key_without_a_value_is_told_so(kit: memkit.Memkit, value: str | None) -> None:
    """What is missing is named, and not the text that would be made of it."""
    with pytest.raises(InvalidInput, match=r"^value: is missing for key 'berth'; a keyed fact has"):
        kit.memories.remember(key="berth", value=value)
    with pytest.raises(InvalidInput, match=r"^text: is blank"):
        kit.memories.remember(" ")


def test_remember_returns_what_another_process_purges(
    make_kit: Callable[..., memkit.Memkit], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was stored is told even if another process purges it the moment after."""
    kit, other = make_kit(), make_kit()
    write = kit._store.write

    def overtaken(work: Callable[[], Any]) -> Any:
        result = write(work)
        other.memories.purge(other.memories.find())
        return result

    monkeypatch.setattr(kit._store, "write", overtaken)
    done = kit.memories.remember("the tide is out")
    assert (done.outcome, done.memory.text) == ("stored", "the tide is out")
    assert not kit.memories.find()


def test_masked_statements_are_never_taken_for_the_same(kit: memkit.Memkit) -> None:
    """Nothing of a secret is kept by which two could be compared, so a repeated statement with one
    is stored again: the price of never merging two facts that differ in what is masked alone."""
    said = "Admin password for staging: {}"
    values = ("A1b2c3!x", "A1b2c3!x", "Z9y8w7!q")
    results = [kit.memories.remember(said.format(value)) for value in values]
    assert [result.outcome for result in results] == ["stored"] * 3
    assert len({memory.text for memory in kit.memories.find()}) == 1
    assert len(kit.recall("what is the admin password for staging?", min_score=0)) == 1
