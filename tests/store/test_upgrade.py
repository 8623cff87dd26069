"""Older files become current in one step or not at all; derived parts are made anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

import memkit
from memkit import errors
from memkit.store import schema
from tests.asking import by_words
from tests.store import shell

Open = Callable[..., memkit.Memkit]
NEXT = "create table moods ( -- shared: how it felt\n    id integer primary key\n) strict;"


@pytest.fixture
def old(make_kit: Open) -> Path:
    """A file of the schema that is current before a test adds steps to it."""
    kit = make_kit()
    kit.memories.remember("made by an older memkit", tags=["old"])
    path = kit.path
    kit.close()
    return path


@pytest.fixture(autouse=True)
def _is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file be compared with the schema that a test wants, and not with a digest."""
    monkeypatch.setattr(schema, "_known", lambda: schema._UNKNOWN)


def later(monkeypatch: pytest.MonkeyPatch, *steps: str) -> int:
    """Pretend that this memkit is a later one with further steps; return its version."""
    now = schema.reference()
    memory = schema.connect_memory()
    with suppress(apsw.Error):
        for step in (*now.steps, *steps):
            schema.run_script(memory, step)
    permanent = schema._objects(memory)
    memory.close()
    wanted = now._replace(
        version=now.version + len(steps), steps=(*now.steps, *steps), permanent=permanent
    )
    monkeypatch.setattr(schema, "reference", lambda: wanted)
    return wanted.version


def test_an_older_file_is_brought_up_to_date_with_its_rows(
    old: Path, make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening for writing applies the missing steps; every row is kept and found."""
    version = later(monkeypatch, NEXT, "create index moods_by_id on moods (id)")
    kit = make_kit()
    assert by_words(kit, "older") == ["made by an older memkit"]
    assert shell.pragma(old, "pragma user_version") == version
    assert shell.run(old, "select count(*) from moods") == [(0,)]


def test_an_older_file_opened_read_only_stays_as_it_is(
    old: Path, make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader works on an upgraded copy in memory, and the file keeps every byte."""
    before = old.read_bytes()
    later(monkeypatch, NEXT)
    kit = make_kit(readonly=True)
    assert by_words(kit, "older") == ["made by an older memkit"]
    assert kit.memories.find(tags="old")
    assert kit.check().is_sound
    kit.close()
    assert old.read_bytes() == before


@pytest.mark.parametrize("bad", ["create table moods (x", "insert into nowhere values (1)"])
def test_a_step_that_fails_changes_nothing(
    old: Path, make_kit: Open, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    """If the second of two steps fails the first is undone, and the older memkit still works."""
    before = shell.pragma(old, "pragma user_version")
    with monkeypatch.context() as patched:
        later(patched, NEXT, bad)
        with pytest.raises(errors.StoreError):
            make_kit()
    assert shell.pragma(old, "pragma user_version") == before
    assert shell.run(old, "select name from sqlite_schema where name = 'moods'") == []
    assert by_words(make_kit(), "older")


def test_a_file_of_the_first_schema_becomes_current(tmp_path: Path, make_kit: Open) -> None:
    """A file with nothing but the first step opens, is upgraded and remembers."""
    path = tmp_path / "first.db"
    connection = apsw.Connection(str(path))
    schema.run_script(connection, schema.reference().steps[0])
    connection.pragma("application_id", 0x6D6B6974)
    connection.pragma("user_version", 1)
    connection.close()
    kit = make_kit(path)
    kit.memories.remember("remembered by a file of old")
    assert by_words(kit, "remembered")
    kit.close()
    shell.run(path, "drop index audit_by_memory")
    with pytest.raises(errors.StoreDamaged, match="audit_by_memory"):
        make_kit(path)


def test_two_that_upgrade_at_once_do_it_once(
    old: Path, make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes second finds the work done."""
    version = later(monkeypatch, NEXT)
    one = make_kit()
    other = make_kit()
    one.memories.remember("from one")
    assert by_words(other, "from one")
    assert shell.pragma(old, "pragma user_version") == version


def test_a_derived_part_of_another_definition_is_made_anew(
    old: Path, make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new tokenizer means a new index, filled from the memories before the next answer."""
    now = schema.reference()
    changed = tuple(
        part._replace(
            definition="other",
            objects={n: s.replace("porter ", "") for n, s in part.objects.items()},
            sql=part.sql.replace("porter ", ""),
        )
        if part.name == "search"
        else part
        for part in now.parts
    )
    assert changed != now.parts
    wanted = now._replace(parts=changed)
    with monkeypatch.context() as patched:
        patched.setattr(schema, "reference", lambda: wanted)
        kit = make_kit()
        assert by_words(kit, "older")
        assert not by_words(kit, "olderly")
        assert kit.check().is_sound
        kit.close()
        assert shell.run(old, "select definition from derived_parts where name = 'search'") == [
            ("other",)
        ]
    assert by_words(make_kit(), "older")


def test_lost_vectors_come_back_without_being_asked_for(old: Path, make_kit: Open) -> None:
    """A file whose derived tables were dropped answers as before, by words and by vectors."""
    shell.run(old, "drop table embeddings", "drop table embedding_bits", "drop table memory_tokens")
    kit = make_kit()
    assert by_words(kit, "older")
    assert kit.stats().vectors.waiting == 0
    assert kit.check().is_sound


def test_every_released_schema_opens(tmp_path: Path, make_kit: Open) -> None:
    """Each file kept from a released schema opens, answers and is sound."""
    for fixture in sorted((Path(__file__).parent.parent / "fixtures").glob("v*.memkit.db")):
        path = tmp_path / fixture.name
        shutil.copy(fixture, path)
        kit = make_kit(path)
        assert by_words(kit, "retry a POST")
        assert all(p.name == "vectors" or p.mended for p in kit.check().problems)
        kit.reembed()
        kit.close()


def test_views_for_people_work_in_a_plain_shell(old: Path) -> None:
    """Every view answers without any extension."""
    views = shell.run(old, "select name from sqlite_schema where type = 'view'")
    assert {name for (name,) in views} >= {"overview", "lessons", "open_contradictions"}
    for (name,) in views:
        shell.run(old, f"select * from {name}")
