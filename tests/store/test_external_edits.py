"""Rows changed by another program, such as the sqlite3 shell, count from the next answer on."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from tests.asking import by_words
from tests.store import shell

Open = Callable[..., memkit.Memkit]
_INSERT = """insert into memories (id, text, kind, tokens, created_at, updated_at, content_hash)
    values (:id, :text, 'fact', 0, '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '')"""


@pytest.fixture(params=["running", "reopened", "read-only", "read-only, running"])
def edited(request: pytest.FixtureRequest, make_kit: Open) -> Callable[..., memkit.Memkit]:
    """Change the file of a kit from outside by SQL; return a kit that has to notice."""
    how: str = request.param
    kit = make_kit()
    kit.memories.remember("falcons nest on the tower", tags=["birds"])
    kit.memories.remember("herons wade at dawn", tags=["birds"])
    assert by_words(kit, "falcons")

    def edit(*statements: str, **params: object) -> memkit.Memkit:
        noticing = kit
        if how != "running":
            kit.close()
        if how == "read-only, running":
            noticing = make_kit(readonly=True)
            assert by_words(noticing, "falcons")
        shell.run(kit.path, *statements, **params)
        if how in ("reopened", "read-only"):
            noticing = make_kit(readonly=how == "read-only")
        return noticing

    return edit


def test_a_changed_text_is_found_by_its_new_words_only(
    edited: Callable[..., memkit.Memkit],
) -> None:
    """The first question after an edit sees the new words and not the old ones."""
    kit = edited("update memories set text = 'magpies hoard tin' where text like 'falcons%'")
    assert by_words(kit, "magpies") == ["magpies hoard tin"]
    assert by_words(kit, "falcons") == []


def test_an_inserted_row_is_found(edited: Callable[..., memkit.Memkit]) -> None:
    """A row put in by hand needs no index of its own to be recalled."""
    kit = edited(_INSERT, id=5, text="ospreys dive for perch")
    assert by_words(kit, "ospreys") == ["ospreys dive for perch"]
    assert kit.check().is_sound


def test_a_deleted_row_is_not_found_any_more(edited: Callable[..., memkit.Memkit]) -> None:
    """A row taken out by hand leaves no ghost in the index and no orphaned vector."""
    kit = edited(
        "delete from edges where src in (select id from memories where text like 'herons%')",
        "delete from memories where text like 'herons%'",
    )
    assert by_words(kit, "herons") == []
    assert kit.check().is_sound


def test_everything_replaced_at_once_is_noticed(edited: Callable[..., memkit.Memkit]) -> None:
    """Every id with another text, some gone and some new: the index follows."""
    kit = edited(
        "update memories set id = id + 1 where text like 'herons%'",
        "update memories set text = 'terns cross oceans ' || id",
        "delete from edges",
        "delete from tags",
    )
    assert len(by_words(kit, "terns")) == 2
    assert by_words(kit, "birds") == []
    assert kit.check().is_sound


def test_a_tag_given_by_hand_is_found(edited: Callable[..., memkit.Memkit]) -> None:
    """The words of a new tag and of another wording belong to the memory's text."""
    kit = edited(
        "insert into paraphrases select id, 'aabb', 'peregrines breed up there', created_at"
        " from memories where text like 'falcons%'",
    )
    assert by_words(kit, "peregrines") == ["falcons nest on the tower"]


def test_a_tag_made_by_hand_is_one_with_ours(edited: Callable[..., memkit.Memkit]) -> None:
    """A tag row with any id and spelling is found by its name, and can be given again."""
    kit = edited(
        "insert into tags (id, name, created_at) values (77, 'Raptors', '2026-01-01')",
        "insert into edges select id, 77, 'has_tag', 0.8, '2026-01-01' from memories"
        " where text like 'falcons%'",
    )
    assert by_words(kit, "raptors") == ["falcons nest on the tower"]
    (memory,) = kit.memories.find(tags="raptors")
    if not kit._store.readonly:
        assert kit.memories.tag(memory, "Raptors").tags == ("birds", "raptors")
    assert kit.check().is_sound


def test_a_tag_without_letters_is_harmless(kit: memkit.Memkit) -> None:
    """A blank tag made by hand keeps its name; nobody can ask for it and nothing breaks."""
    kit.memories.remember("otters sleep afloat", tags=["river"])
    shell.run(
        kit.path,
        "insert into tags (id, name, created_at) values (5, '  ', '2026-01-01')",
        "insert into edges select id, 5, 'has_tag', 0.8, '2026-01-01' from memories",
    )
    assert by_words(kit, "otters") == ["otters sleep afloat"]
    assert kit.memories.find()[0].tags == ("  ", "river")
    assert kit.check().is_sound


def test_a_renamed_tag_goes_by_its_new_name(edited: Callable[..., memkit.Memkit]) -> None:
    """Renaming a tag in the shell renames it for every memory that carries it."""
    kit = edited("update tags set name = 'fowl'")
    assert len(by_words(kit, "fowl")) == 2
    assert len(kit.memories.find(tags="fowl")) == 2
    assert not kit.memories.find(tags="birds")


def test_a_changed_scope_does_not_leave_a_wrong_hash(edited: Callable[..., memkit.Memkit]) -> None:
    """What makes two statements the same is put right even where the text did not change."""
    kit = edited("update memories set kind = 'preference', project = 'other'")
    by_words(kit, "falcons")
    assert kit.check().is_sound


def test_times_written_by_hand_are_read(edited: Callable[..., memkit.Memkit]) -> None:
    """A time in another form or of no form at all breaks neither recall nor listing; `check` names
    what is no time."""
    kit = edited(
        "update memories set created_at = '2026-02-01 10:00:00', updated_at = 'not a date',"
        " valid_from = '2026-02-01T19:00:00+09:00', valid_to = null",
    )
    assert by_words(kit, "falcons") == ["falcons nest on the tower"]
    assert len(kit.memories.find(order_by="created_at")) == 2
    assert {m.created_at for m in kit.memories.find()} == {"2026-02-01T10:00:00.000Z"}
    assert {m.valid_from for m in kit.memories.find()} == {"2026-02-01T10:00:00.000Z"}
    assert {m.faults for m in kit.memories.find()} == {("updated_at",)}
    assert [problem.name for problem in kit.check().problems] == ["cell", "cell"]
    if not kit._store.readonly:
        kit.check(repair=True)
        assert kit.check().is_sound
    kit.close()


def test_a_superseded_by_to_nothing_is_reported_and_mended(kit: memkit.Memkit) -> None:
    """A row superseded by one that is not there comes back with repair."""
    lost = kit.memories.remember("the attic is insulated").memory
    shell.run(kit.path, "update memories set superseded_by = 12345, active = 0")
    assert [p.name for p in kit.check().problems] == ["superseded_by"]
    assert all(problem.mended for problem in kit.check(repair=True).problems)
    assert kit.memories.get(lost.id).is_current


def test_edges_to_nothing_are_reported_and_mended(kit: memkit.Memkit) -> None:
    """An edge whose end was deleted in the shell is found and removed."""
    one, other = (kit.memories.remember(text) for text in ("copper pipes", "lead pipes"))
    kit.memories.link(one, other)
    shell.run(kit.path, f"delete from memories where id = {other.id}")
    kit._index.ensure()
    assert [p.name for p in kit.check().problems] == ["orphan_edges"]
    kit.check(repair=True)
    assert kit.memories.edges(one) == []


def test_an_edit_of_nothing_costs_one_look(make_kit: Open) -> None:
    """A change that concerns no memory is reconciled once, not with every question."""
    kit = make_kit()
    kit.memories.remember("slate roofs last")
    shell.run(kit.path, "insert into settings values ('a.b', '1', '2026-01-01')")
    assert kit._store.edited_outside()
    kit._index.ensure()
    assert not kit._store.edited_outside()


def test_an_edit_is_not_forgotten_by_a_write_before_the_next_question(make_kit: Open) -> None:
    """Remembering after an edit does not mark the edited rows as taken up."""
    kit = make_kit()
    kit.memories.remember("oak floors creak")
    shell.run(kit.path, "update memories set text = 'cork floors are warm'")
    kit.memories.remember("paint dries slowly")
    kit.close()
    assert by_words(make_kit(), "cork") == ["cork floors are warm"]


def test_vacuum_by_another_program_changes_no_answer(make_kit: Open) -> None:
    """Ids stay what they are when the file is rewritten, so hits show the right rows."""
    kit = make_kit()
    words = [f"marker{n:03d}" for n in range(60)]
    made = [
        kit.memories.remember(f"{word} is painted on crate {n}") for n, word in enumerate(words)
    ]
    kit.memories.purge([memory.id for memory in made[::3]])
    shell.pragma(kit.path, "vacuum")
    for word in words[1::3] + words[2::3]:
        assert by_words(kit, word)[0].startswith(word)
    assert not any(text.startswith(word) for word in words[::3] for text in by_words(kit, word))


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="no sqlite3 shell on this machine")
def test_a_dump_loaded_by_the_shell_is_the_same_store(tmp_path: Path, make_kit: Open) -> None:
    """`sqlite3 old .dump | sqlite3 new` gives a file that opens, answers and is sound."""
    kit = make_kit("old.db")
    kit.memories.remember("the weir is opened in May", tags=["river"])
    kit.close()
    dump = subprocess.run(
        ["sqlite3", str(tmp_path / "old.db"), ".dump"], capture_output=True, check=True
    ).stdout
    subprocess.run(["sqlite3", str(tmp_path / "new.db")], input=dump, check=True)
    new = make_kit("new.db")
    assert by_words(new, "weir") == ["the weir is opened in May"]
    assert new.memories.find(tags="river")
    new.memories.remember("the mill was rebuilt")
    new.close()
    assert shell.pragma(tmp_path / "new.db", "pragma application_id")
    assert shell.pragma(tmp_path / "new.db", "pragma user_version") == shell.pragma(
        tmp_path / "old.db", "pragma user_version"
    )


def test_a_file_set_to_wal_in_the_shell_is_set_back(make_kit: Open) -> None:
    """A journal beside the file would be lost by git: the first writing open takes it back."""
    kit = make_kit()
    kit.memories.remember("the lighthouse is automatic")
    path = kit.path
    kit.close()
    assert shell.pragma(path, "pragma journal_mode = wal") == "wal"
    shell.run(path, "update memories set text = 'the foghorn is manual'")
    assert by_words(make_kit(readonly=True), "foghorn")
    kit = make_kit()
    assert by_words(kit, "foghorn")
    kit.memories.remember("the keeper left in 1987")
    assert not kit._store.edited_outside()
    assert shell.pragma(path, "pragma journal_mode") == "delete"


@pytest.mark.parametrize("value", ["5", "null", '"kiln"', '{"a": 1}', "[5]"])
def test_invalid_trigger_patterns_are_named_by_check_only(make_kit: Open, value: str) -> None:
    """Other memories still answer, and `check` names the row."""
    kit = make_kit()
    kit.memories.remember("falcons nest on the tower")
    odd = kit.memories.remember("Never ring the bell", kind="negative", trigger_patterns=["bell"])
    shell.run(
        kit.path,
        "update memories set trigger_patterns = :value where id = :id",
        value=value,
        id=odd.id,
    )
    assert by_words(kit, "falcons") == ["falcons nest on the tower"]
    (problem,) = kit.check().problems
    assert (problem.name, problem.mended) == ("shape", False)
    assert f"memory {odd.id}: trigger_patterns" in problem.detail
    shell.run(kit.path, "update memories set trigger_patterns = '[]'")


def test_negative_use_count_counts_as_zero(make_kit: Open) -> None:
    """A use count that a person wrote counts as none if it is negative."""
    kit = make_kit()
    kept = kit.memories.remember("falcons nest on the tower")
    shell.run(
        kit.path,
        f"insert or replace into usage (memory_id, access_count) values ({kept.id}, -5)",
    )
    assert by_words(kit, "falcons") == ["falcons nest on the tower"]


def _facts(kit: memkit.Memkit) -> list[tuple[str, str | None, str | None, str | None]]:
    return [(m.text, m.key, m.qualifier, m.value) for m in kit.memories.find()]


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ("value = '7'", ("Max Retries: 7", "max retries", None, "7")),
        ("value = 'a: b'", ("Max Retries: a: b", "max retries", None, "a: b")),
        ("key = 'retry limit'", ("retry limit: 3", "retry limit", None, "3")),
        ("key = 'MAX_RETRIES'", ("Max Retries: 3", "max_retries", None, "3")),
        ("qualifier = 'uploads'", ("Max Retries (uploads): 3", "max retries", "uploads", "3")),
        ("value = '7', kind = 'preference'", ("Max Retries: 7", "max retries", None, "7")),
    ],
)
def test_text_made_of_key_and_value_follows_an_edited_value(
    make_kit: Open, change: str, fact: tuple[str, ...]
) -> None:
    """A text that was made of key and value follows them in list, recall and by its words."""
    kit = make_kit()
    kit.memories.remember(key="Max Retries", value="3")
    shell.run(kit.path, f"update memories set {change}")
    assert _facts(kit) == [fact]
    assert by_words(kit, fact[0].replace(":", " ")) == [fact[0]]
    assert kit.check().is_sound


def test_remembering_a_value_edited_by_hand_strengthens_it(make_kit: Open) -> None:
    """Remembering the value that was set by hand strengthens, even as the first thing after it."""
    kit = make_kit()
    kit.memories.remember(key="max retries", value="3")
    shell.run(kit.path, "update memories set value = '7'")
    assert kit.memories.remember(key="max retries", value="7").outcome == "strengthened"
    assert _facts(kit) == [("max retries: 7", "max retries", None, "7")]


def test_an_edited_fact_is_taken_up_before_it_is_updated(make_kit: Open) -> None:
    """An update of another field keeps the value that was set by hand, in the text too."""
    kit = make_kit()
    stored = kit.memories.remember(key="max retries", value="3")
    shell.run(kit.path, "update memories set value = '7'")
    assert kit.memories.update(stored, qualifier="uploads").text == "max retries (uploads): 7"


def test_a_repair_loses_no_edit_of_a_fact(make_kit: Open) -> None:
    """Repairing before anybody asked lets the text follow, instead of calling it right."""
    kit = make_kit()
    kit.memories.remember(key="max retries", value="3")
    shell.run(kit.path, "update memories set value = '7'")
    assert kit.check(repair=True).is_sound
    assert _facts(kit) == [("max retries: 7", "max retries", None, "7")]


@pytest.mark.parametrize(
    ("change", "unsaid"),
    [
        ("value = '7'", "value"),
        ("key = 'attempts'", "key"),
        ("value = '7', qualifier = 'uploads'", "qualifier and value"),
    ],
)
def test_check_names_a_fact_that_differs_from_its_text(
    make_kit: Open, change: str, unsaid: str
) -> None:
    """`check` names it, also after a repair, until the text is updated."""
    kit = make_kit()
    stored = kit.memories.remember("We try 3 times, the max retries.", key="retries", value="3")
    assert kit.check().is_sound
    shell.run(kit.path, f"update memories set {change}")
    assert kit.memories.find()[0].text == stored.memory.text
    for repair in (False, True):
        (problem,) = kit.check(repair=repair).problems
        assert (problem.name, problem.mended) == ("facts", False)
        assert f"memory {stored.id} was edited: its text does not say its {unsaid};" in (
            problem.detail
        )
    kit.memories.update(stored, "We try 7 times.")
    assert kit.check().is_sound


def test_a_text_edited_away_from_its_fact_is_named_until_they_agree(make_kit: Open) -> None:
    """A made text that another program rewrote: what says the value still is no problem."""
    kit = make_kit()
    kit.memories.remember(key="max retries", value="3")
    shell.run(kit.path, "update memories set text = 'We retry for ever'")
    kit._index.ensure()
    assert [problem.name for problem in kit.check().problems] == ["facts"]
    shell.run(kit.path, "update memories set text = 'We try 3 times'")
    kit._index.ensure()
    assert kit.check().is_sound


def test_a_key_given_by_hand_to_a_plain_statement_is_no_problem(make_kit: Open) -> None:
    """A text that never was a fact's does not have to say the key it gets."""
    kit = make_kit()
    kit.memories.remember("We use PostgreSQL")
    shell.run(kit.path, "update memories set key = 'database', value = 'postgres 16'")
    kit._index.ensure()
    assert kit.check().is_sound


def test_inserted_row_needs_only_text_and_time(
    edited: Callable[..., memkit.Memkit],
) -> None:
    """A text and the time are enough: id, hash, tokens, words and vectors follow by themselves."""
    kit = edited(
        "insert into memories (text, tokens, created_at, updated_at, content_hash) "
        "values ('ospreys dive for fish', 0, datetime('now'), datetime('now'), '')"
    )
    found = kit.recall("what do ospreys dive for?")[0].memory
    assert found.text == "ospreys dive for fish"
    assert found.created_at.startswith("20")
    assert found.created_at.endswith("Z") or kit._store.readonly


def test_giant_row_holds_up_no_question_and_is_named(make_kit: Open) -> None:
    """A text of many million letters is searched by its beginning; `check` names it."""
    kit = make_kit()
    kit.memories.remember("falcons nest on the tower")
    shell.run(
        kit._store.path,
        "insert into memories (text, tokens, created_at, updated_at, content_hash) values"
        " ('ospreys dive ' || hex(zeroblob(6000000)), 0, datetime('now'), datetime('now'), '')",
    )
    began = time.monotonic()
    assert len(by_words(kit, "ospreys")) == 1
    assert by_words(kit, "falcons") == ["falcons nest on the tower"]
    assert time.monotonic() - began < 15
    (problem,) = kit.check().problems
    assert problem.name == "size"
    kit.close()


def test_many_edits_are_taken_up_over_several_questions(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question works on rows edited outside for a moment only, and says that some are left."""
    monkeypatch.setattr("memkit.memories.search_index.SECONDS", 0.0)
    monkeypatch.setattr("memkit.memories.search_index.BATCH", 10)
    kit = make_kit()
    kit.memories.remember_many(f"falcon {n} nests" for n in range(35))
    shell.run(kit._store.path, "update memories set text = replace(text, 'falcon', 'osprey')")
    notes = [kit.recall("osprey 34", min_score=0).notes for _ in range(6)]
    left = [any("the next questions go on" in note for note in said) for said in notes]
    assert left[0]
    assert not left[-1]
    assert by_words(kit, "osprey 34 nests")[0] == "osprey 34 nests"


def test_memories_superseded_by_themselves_are_named(make_kit: Open) -> None:
    """Nothing answers then; `check` says why, and its repair brings them back."""
    kit = make_kit()
    made = [kit.memories.remember(f"falcon {n} nests").id for n in range(3)]
    shell.run(kit._store.path, "update memories set superseded_by = id")
    assert not by_words(kit, "falcon")
    details = [p.detail for p in kit.check().problems if p.name == "superseded_by"]
    assert all(any(f"memory {number} " in detail for detail in details) for number in made)
    kit.check(repair=True)
    assert len(by_words(kit, "falcon")) == 3


@pytest.mark.parametrize("value", ["{}", "[]", '{"steps": ["a"], "colour": "red"}'])
def test_a_procedure_of_another_shape_is_named_with_its_keys(make_kit: Open, value: str) -> None:
    """What a procedure holds is said in the words of JSON."""
    kit = make_kit()
    odd = kit.memories.remember("falcons nest on the tower")
    shell.run(kit.path, "update memories set procedure = :v where id = :id", v=value, id=odd.id)
    details = [problem.detail for problem in kit.check().problems if problem.name == "shape"]
    assert len(details) == 1
    assert f"memory {odd.id}: procedure: found" in details[0]
    assert "expected a JSON object with steps, name, trigger" in details[0]
    shell.run(kit.path, "update memories set procedure = null")
