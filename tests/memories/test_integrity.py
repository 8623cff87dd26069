"""check() finds what is wrong, says what it mended, and mends nothing it cannot make again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from tests.asking import by_words
from tests.store import shell

Open = Callable[..., memkit.Memkit]


@pytest.fixture
def kit(make_kit: Open) -> memkit.Memkit:
    """A store with a few memories, tags, edges and a contradiction."""
    kit = make_kit()
    one = kit.memories.remember("hens lay in spring", tags=["farm"])
    two = kit.memories.remember("hens lay all year", tags=["farm", "eggs"], kind="correction")
    kit.memories.contradict(one, two)
    return kit


def damage(kit: memkit.Memkit, *statements: str) -> None:
    """Change the file as another program would, and take the edit up."""
    shell.run(kit.path, *statements)
    kit._index.ensure()


def names(kit: memkit.Memkit, *, repair: bool = False) -> dict[str, bool]:
    """Problems found, and whether each was mended."""
    return {problem.name: problem.mended for problem in kit.check(repair=repair).problems}


def test_a_sound_store_has_no_problem(kit: memkit.Memkit) -> None:
    """Nothing is found and repairing changes no byte of what is known."""
    assert kit.check().problems == ()
    before = kit.memories.find()
    assert kit.check(repair=True).problems == ()
    assert kit.memories.find() == before


@pytest.mark.parametrize("part", ["search", "vectors"])
def test_what_a_newer_memkit_makes_anew_is_no_problem(
    make_kit: Open, kit: memkit.Memkit, part: str
) -> None:
    """A derived part of another definition is remade at opening and filled before it is judged."""
    path = kit.path
    kit.close()
    shell.run(path, f"update derived_parts set definition = 'older' where name = '{part}'")
    assert make_kit(path).check().problems == ()


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "insert into edges select id, 5, 'relates_to', 1, '' from memories limit 1",
            "orphan_edges",
        ),
        ("insert into edges select 5, id, 'next', 1, '' from memories limit 1", "orphan_edges"),
        ("insert into edges select id, -5, 'has_tag', 1, '' from memories limit 1", "orphan_edges"),
        ("update memories set superseded_by = 5, active = 0", "superseded_by"),
        ("update memories set superseded_by = id, active = 0", "superseded_by"),
    ],
)
def test_references_to_nothing_are_found_and_removed(
    kit: memkit.Memkit, statement: str, problem: str
) -> None:
    """What leads nowhere is reported first and gone after repair."""
    damage(kit, statement)
    assert names(kit) == {problem: False}
    assert names(kit, repair=True) == {problem: True}
    assert names(kit) == {}


HANGING = {
    "paraphrases": "insert into paraphrases values (5, 'h', 'text', '')",
    "memory_aliases": "insert into memory_aliases values (7, 5, '')",
    "memory_revisions": "insert into memory_revisions values (5, 'h', '')",
    "source_readings": "insert into source_readings values (5, 'a.md', 'h', '', '', '')",
    "provenance": "insert into provenance values (5, '', 'stated', null, null, null)",
    "artifacts": "insert into artifacts values (5, 'pr', '12')",
    "anchors": "insert into anchors values (5, 'a.py', '', null, '')",
    "contradictions": "insert into contradictions (memory_a, memory_b, detected_at) "
    "values (5, 6, '')",
    "usage": "insert into usage (memory_id) values (5)",
    "surfaced": "insert into surfaced values ('s', 5, '')",
}


@pytest.mark.parametrize("table", HANGING)
def test_rows_left_behind_by_a_deleted_memory_are_named_by_key_and_removed(
    kit: memkit.Memkit, table: str
) -> None:
    """What hangs on a memory that is gone goes with repair; what hangs on another stays."""
    before = kit._store.all(f"tables.{table}_rows")
    damage(kit, HANGING[table])
    (found,) = kit.check().problems
    assert (found.name, found.mended) == ("foreign_key", False)
    assert f"1 rows of {table} hang" in found.detail
    assert "None" not in found.detail
    key = {"contradictions": "memory_a 5", "memory_aliases": "former_id 7"}
    assert key.get(table, "memory_id 5") in found.detail
    assert names(kit, repair=True) == {"foreign_key": True}
    assert kit.check().problems == ()
    assert kit._store.all(f"tables.{table}_rows") == before


def test_a_memory_deleted_in_the_shell_leaves_nothing_that_repair_cannot_mend(
    kit: memkit.Memkit,
) -> None:
    """After a delete by hand one repair is enough."""
    damage(kit, "delete from memories where kind = 'fact'")
    assert {"foreign_key", "orphan_edges"} <= names(kit).keys()
    assert all(names(kit, repair=True).values())
    assert kit.check().problems == ()
    assert len(kit.memories.find()) == 1


def test_a_secret_typed_into_the_file_is_counted_and_not_printed(kit: memkit.Memkit) -> None:
    """Texts, values beside telling keys and local rows count; a scrub is what settles it."""
    secret = "Kx7" + "#mQ2vT9"
    damage(
        kit,
        f"update memories set text = 'the password is {secret}' where kind = 'fact'",
        f"update memories set key = 'db_password', value = '{secret}' where kind = 'correction'",
        f"insert into gaps values ('h', 'is the password: {secret}?', 1, '', '', null, null)",
    )
    (found,) = kit.check(repair=True).problems
    assert (found.name, found.mended) == ("secrets", False)
    assert found.detail.startswith("3 stored rows")
    assert found.detail.endswith("next: memkit scrub")
    assert secret not in found.detail
    assert kit.scrub().rows == 3
    assert kit.check().problems == ()


def test_a_purged_memory_that_stands_here_again_is_reported(kit: memkit.Memkit) -> None:
    """A row under a tombstone came back by a merge; it is for a person to decide."""
    damage(kit, "insert into tombstones select min(id), '' from memories")
    assert names(kit) == {"resurrected": False}
    damage(kit, "delete from tombstones")


def test_forms_that_memkit_does_not_write_are_found_without_a_question(
    kit: memkit.Memkit,
) -> None:
    """Tags by another name, times of another form and wrong hashes are found and mended."""
    shell.run(
        kit.path,
        "update tags set id = 7 where name = 'eggs'",
        "update edges set dst = 7 where dst not in (select id from tags) and kind = 'has_tag'",
        "update memories set created_at = '2026-02-01', valid_to = 'some day'",
        "update memories set content_hash = 'x' where kind = 'fact'",
    )
    assert names(kit).keys() >= {"tags", "times", "content_hash"}
    assert all(names(kit, repair=True).values())
    assert names(kit) == {}
    (memory,) = kit.memories.find(tags="eggs")
    assert (memory.created_at, memory.valid_to) == ("2026-02-01T00:00:00.000Z", None)


@pytest.mark.parametrize("wrong", ["2026-02-30T10:00:00.000Z", "0000-01-01T00:00:00.000Z"])
def test_impossible_date_of_use_is_dropped(kit: memkit.Memkit, wrong: str) -> None:
    """A use at a time of the right form that is no time is let go of, unasked or by check."""
    used = kit.memories.remember("the tide is out at noon").id
    kit.consolidation.used(used)
    shell.run(kit.path, f"update usage set accessed_at = '{wrong}'")
    assert [problem.name for problem in kit.check().problems] == ["times"]
    assert used in [hit.id for hit in kit.recall("tide")]
    assert kit.memories.get(used).accessed_at is None
    assert not kit.check().problems


def test_a_key_spelt_by_another_program_is_found_and_mended(kit: memkit.Memkit) -> None:
    """Key and qualifier typed in capitals get the form in which they are looked up."""
    kit.memories.remember(key="default port", value="80")
    shell.run(kit.path, "update memories set key = 'Default Port', qualifier = '' where key > ''")
    assert names(kit) == {"keys": False, "stale": False}
    assert all(names(kit, repair=True).values())
    assert names(kit) == {}
    (fact,) = kit.memories.find(key="default port")
    assert (fact.key, fact.qualifier) == ("default port", None)


def test_a_described_tag_keeps_its_description(kit: memkit.Memkit) -> None:
    """Giving a tag its right id loses nothing that was written about it."""
    damage(kit, "insert into tags values (9, ' Barn ', 'where hay is kept', '2026-01-01')")
    rows = shell.run(kit.path, "select name, description from tags where name = 'barn'")
    assert rows == [("barn", "where hay is kept")]


def test_pages_that_are_broken_stop_the_check(kit: memkit.Memkit) -> None:
    """With a damaged file nothing further is asked, and nothing is mended."""
    path = kit.path
    ((page,),) = shell.run(
        path, "select rootpage from sqlite_schema where name = 'memories_by_hash'"
    )
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 + 200 : page * 4096] = bytes(4096 - 200)
    kit.close()
    path.write_bytes(content)
    with memkit.open(path, global_store=False, encoder=kit._index.encoder()) as broken:
        found = names(broken, repair=True)
    assert found == {"integrity": False}


def test_a_read_only_store_is_checked_without_being_changed(
    kit: memkit.Memkit, make_kit: Open
) -> None:
    """All problems are found by a reader too."""
    path = kit.path
    kit.close()
    assert make_kit(readonly=True).check().problems == ()
    shell.run(path, "insert into search_index (search_index, rowid, body, split)"
              " select 'delete', id, body, split from search_documents limit 1")  # fmt: skip
    before = path.read_bytes()
    reader = make_kit(readonly=True)
    assert "full_text" in names(reader)
    reader.close()
    assert path.read_bytes() == before
    with make_kit() as writer:
        assert all(names(writer, repair=True).values())


def test_a_rebuild_by_another_process_is_not_called_corruption(
    kit: memkit.Memkit, make_kit: Open
) -> None:
    """What this connection remembers of the older index does not make a sound one look broken."""
    other = make_kit()
    for turn in range(3):
        assert kit.check().is_sound
        other.memories.remember(f"geese winter in the fens, year {turn}")
        other._index.rebuild_full_text()
        other.memories.purge(other.memories.remember(f"swans stay {turn}"))
    assert kit.check().problems == ()


def test_an_index_whose_pages_are_gone_is_made_anew(kit: memkit.Memkit, make_kit: Open) -> None:
    """Damage that SQLite's own check calls corrupt does not keep repair from rebuilding."""
    path = kit.path
    kit.close()
    shell.run(path, "delete from search_index_data where id > 10")
    kit = make_kit()
    assert "full_text" in names(kit)
    assert all(names(kit, repair=True).values())
    assert names(kit) == {}
    assert by_words(kit, "hens")


def test_statistics_count_what_is_there(kit: memkit.Memkit) -> None:
    """Numbers by state and kind, tags, vectors and the counter in use."""
    kit.memories.forget(kit.memories.remember("hens fly"))
    stats = kit.stats()
    assert stats.memories.total == 3
    assert stats.memories.active == 2
    assert stats.kinds == {"correction": 1, "fact": 1}
    assert (stats.tags, stats.open_contradictions) == (2, 1)
    assert stats.path == ".memkit.db"
    assert stats.bytes == kit.path.stat().st_size
    assert stats.vectors.stored == {"hashed-words-64@blake2b/1": 3}
    assert stats.vectors.waiting == 0
    assert stats.token_counter


def test_repair_shrinks_a_mostly_empty_file(kit: memkit.Memkit) -> None:
    """A repair makes a file that is mostly empty small again; one that is full stays as it is."""
    made = kit.memories.remember_many(f"vat {n} holds {n * 7919} litres" for n in range(1500))
    assert kit.check(repair=True).problems == ()
    full = kit.path.stat().st_size
    kit._store.write(lambda: kit.memories.purge([one.id for one in made[50:]]))
    assert kit.path.stat().st_size == full
    (found,) = kit.check(repair=True).problems
    assert (found.name, found.mended) == ("space", True)
    assert kit.path.stat().st_size < 0.6 * full
    assert kit.check(repair=True).problems == ()
    assert kit.recall("how much does vat 7 hold?", min_score=0)


@pytest.mark.parametrize(
    "statement",
    [
        "update embeddings set vector = x'0102' where memory_id = (select min(id) from memories)",
        "update embedding_bits set bits = x'01' where memory_id = (select min(id) from memories)",
    ],
)
def test_vector_of_the_wrong_length_is_made_anew(
    make_kit: Open, kit: memkit.Memkit, statement: str
) -> None:
    """What has not its encoder's length is made anew, wherever the file is opened."""
    path = kit.path
    kit.close()
    shell.run(path, statement)
    for readonly in (True, False):
        again = make_kit(path, readonly=readonly)
        for _ in range(3):  # by SQL, then with the vectors in memory
            assert len(again.recall("when do hens lay", min_score=0)) == 2
        assert names(again) == {}
        again.close()
