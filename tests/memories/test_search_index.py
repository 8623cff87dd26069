"""Vectors and full text follow the memories, those of another model never mixed in."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import memkit
from memkit import Draft
from memkit.encoder import HashedEncoder, quantize
from memkit.errors import EncoderError, StoreDamaged
from memkit.memories.search_index import Index, VectorSigns
from memkit.retrieval import candidates
from tests.asking import by_words
from tests.store import shell

if TYPE_CHECKING:
    from tests.conftest import MakeKit


Open = Callable[..., memkit.Memkit]


class Turned(HashedEncoder):
    """Another space of the same dimensions: every vector points elsewhere."""

    def __init__(self, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.name = "turned@1"

    def _rows(self, ids):
        return -super()._rows(ids)[:, ::-1]


def by_vector(kit: memkit.Memkit, question: str) -> list[int]:
    """Ids of the memories nearest to a question, by vectors alone."""
    encoder, model_id = kit._index.encoder(), kit._index.model_id()
    vector = encoder.embed([question])[0].vector
    if vector is None or model_id is None:
        return []
    found = candidates.nearest(kit._store, vector, model_id=model_id, rows=0, limit=100)
    assert all(-1.01 < similarity < 1.01 for _, similarity in found)
    return [number for number, _ in found]


def spaces(kit: memkit.Memkit) -> dict[str, int]:
    """How many memories each encoder has cut."""
    return dict(kit._index.vector_state().stored)


@pytest.fixture
def thirty(make_kit: Open) -> memkit.Memkit:
    """Thirty memories with vectors of one encoder."""
    kit = make_kit()
    kit.memories.remember_many(f"sensor {n} reports {n * n} volts" for n in range(30))
    return kit


# -- what has vectors


@pytest.mark.parametrize("text", ["🫥", "🫥🫥 🎉", "!!!", "—", "\u200b→", "🇩🇪"])
def test_text_without_words_has_no_vector_at_all(kit: memkit.Memkit, text: str) -> None:
    """No zero vector is stored, which would be nearest to everything."""
    plain = kit.memories.remember("an ordinary note on caching")
    odd = kit.memories.remember(text)
    assert by_vector(kit, "caching") == [plain.id]
    assert shell.run(kit.path, "select count(*) from embeddings") == [(1,)]
    assert kit._index.vector_state().waiting == 0
    for question in ("", "   ", text, text * 2):
        for hit in kit.recall(question, min_score=0):
            assert 0 <= hit.score <= 1
    assert kit.memories.get(odd.id).strength == 1


def test_vectors_are_small_whole_and_one_per_part(kit: memkit.Memkit) -> None:
    """A short text has one vector, a long one several; each a byte per dimension, none zero."""
    short = kit.memories.remember("one part").id
    long = kit.memories.remember(" ".join(f"word{n}" for n in range(1500))).id
    rows = shell.run(kit.path, "select memory_id, chunk, vector from embeddings order by 1, 2")
    counts = {number: sum(row[0] == number for row in rows) for number in (short, long)}
    assert counts[short] == 1
    assert counts[long] > 5
    assert all(len(vector) == 64 and any(vector) for _, _, vector in rows)
    ((ids,),) = shell.run(kit.path, f"select ids from memory_tokens where memory_id = {long}")
    assert len(struct.unpack(f"<{len(ids) // 4}I", ids)) == 1500


def test_the_tail_of_a_long_text_is_found_by_meaning(make_kit: Open) -> None:
    """A last sentence after 1,500 other words is among the nearest, and makes another vector."""
    kit = make_kit(encoder=HashedEncoder(1024))
    kit.memories.remember_many(f"filler {n} about topic {n * 13}" for n in range(50))
    prose = " ".join(f"lorem{n % 97}" for n in range(1500))
    long = kit.memories.remember(prose + " renew the signing certificate every March")
    other = kit.memories.remember(prose)
    assert long.id in by_vector(kit, "renew signing certificate March")[:3]
    rows = shell.run(kit.path, "select memory_id, vector from embeddings where chunk > 0")
    assert len({vector for number, vector in rows if number in (long.id, other.id)}) > 3


def test_a_changed_text_leaves_no_old_vector(kit: memkit.Memkit) -> None:
    """Fewer parts than before leave no surplus; the withdrawn words are not near any more."""
    made = kit.memories.remember("the gateway is kong " * 200)
    stays = kit.memories.remember("kong is a large ape")
    kit.memories.update(made, "the gateway is traefik")
    kit.memories.update(made, "the gateway is traefik now")
    rows = shell.run(kit.path, "select memory_id, count(*) from embeddings group by 1")
    assert sorted(rows) == sorted([(made.id, 1), (stays.id, 1)])
    assert by_vector(kit, "traefik")[0] == made.id
    assert by_vector(kit, "kong")[0] == stays.id


def test_nothing_derived_outlives_a_purge(thirty: memkit.Memkit) -> None:
    """Purged in one go, memories leave no document, vector, sign or piece behind."""
    thirty.memories.purge(thirty.memories.find()[::2])
    for table in ("search_documents", "memory_tokens", "embeddings", "embedding_bits"):
        assert shell.run(thirty.path, f"select count(*) from {table}") == [(15,)]
    thirty.memories.purge(thirty.memories.find())
    assert shell.run(thirty.path, "select count(*) from embeddings") == [(0,)]
    assert not by_words(thirty, "sensor")


def test_a_key_used_again_does_not_inherit_the_old_vector(kit: memkit.Memkit) -> None:
    """A new memory under an old key is near to its own words only."""
    old = kit.memories.remember("staging lives in Frankfurt", key="place", source="k#1")
    kit.memories.purge(old)
    new = kit.memories.remember("the theme is solarized", key="place", source="k#1")
    apart = kit.memories.remember("Frankfurt has a staging area")
    assert new.id != old.id
    assert by_vector(kit, "staging Frankfurt")[0] == apart.id


@pytest.mark.parametrize("verb", ["update", "purge"])
def test_parts_of_a_name_leave_the_index_with_it(kit: memkit.Memkit, verb: str) -> None:
    """What a name in code is split into leaves the full text with it, by the very same words."""
    made = kit.memories.remember("call kilnHeatProbe first")
    assert by_words(kit, "probe") == ["call kilnHeatProbe first"]
    if verb == "update":
        kit.memories.update(made, "call nothing first")
    else:
        kit.memories.purge(made)
    assert not by_words(kit, "probe")
    assert kit.check().is_sound


@pytest.mark.no_cover
def test_many_rewrites_do_not_grow_the_file(kit: memkit.Memkit) -> None:
    """Rewritten ten times over, the file is at most twice a fresh one of the same rows."""
    made = kit.memories.remember_many(f"gauge {n} zero" for n in range(100))
    kit._store.maintenance("vacuum")
    fresh = kit.path.stat().st_size
    for turn in range(10):
        kit._store.write(
            lambda t=turn: [
                kit.memories.update(m, f"gauge {n} turn {t}") for n, m in enumerate(made)
            ]
        )
    kit.check(repair=True)
    assert kit.path.stat().st_size <= 2 * fresh + 200_000


# -- another model


@pytest.mark.parametrize("other", [Turned(64), HashedEncoder(32)], ids=["same size", "other size"])
def test_vectors_of_another_model_are_replaced_and_never_mixed(
    thirty: memkit.Memkit, make_kit: Open, other: HashedEncoder
) -> None:
    """Until all are made anew, questions of the new model meet only its own vectors."""
    thirty.close()
    kit = make_kit(encoder=other)
    assert by_vector(kit, "sensor 7 reports 49 volts") == []
    assert by_words(kit, "sensor 7")
    assert kit._index.vector_state().waiting == 30
    assert kit.stats().vectors.encoder == other.name
    new = kit.memories.remember("sensor 99 reports 1 volt")
    assert by_vector(kit, "sensor 7 reports 49 volts") == [new.id]
    assert spaces(kit) == {"hashed-words-64@blake2b/1": 30, other.name: 1}
    heard: list[tuple[int, int]] = []
    assert kit.reembed(progress=lambda done, total: heard.append((done, total))) == 30
    assert heard[-1] == (30, 30)
    assert spaces(kit) == {other.name: 31}
    seven = next(m for m in kit.memories.find() if m.text.startswith("sensor 7 "))
    assert by_vector(kit, seven.text)[0] == seven.id
    assert kit.reembed() == 0


def test_vectors_without_a_stamp_are_made_anew(thirty: memkit.Memkit, make_kit: Open) -> None:
    """Rows that do not say whose they are count as somebody else's, here and when re-embedding."""
    path = thirty.path
    thirty.close()
    for table in ("memory_tokens", "embeddings", "embedding_bits"):
        shell.run(
            path,
            f"update {table} set model_id = null where memory_id in"
            " (select id from memories order by id limit 5)",
        )
    kit = make_kit()
    assert kit._index.vector_state().waiting == 5
    assert len(by_vector(kit, "sensor volts reports")) == 25
    assert kit.reembed() == 5
    assert len(by_vector(kit, "sensor volts reports")) == 30


def test_an_interrupted_reembed_goes_on_where_it_was(make_kit: Open) -> None:
    """What was made before the interruption is not made again."""
    kit = make_kit()
    kit.memories.remember_many(Draft(f"probe {n} measures salt") for n in range(1100))
    kit.close()
    kit = make_kit(encoder=Turned(64))

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kit.reembed(progress=interrupt)
    kit.close()
    kit = make_kit(encoder=Turned(64))
    waiting = kit._index.vector_state().waiting
    assert 0 < waiting < 1100
    assert kit.reembed() == waiting
    assert spaces(kit) == {"turned@1": 1100}


def test_signs_and_exact_distances_agree(make_kit: Open) -> None:
    """The first cut by sign bits loses none of the nearest."""
    kit = make_kit()
    kit.memories.remember_many(f"sample {n % 50} of batch {n}" for n in range(300))
    encoder, model_id = kit._index.encoder(), kit._index.model_id()
    vector = encoder.embed(["sample 7 of batch 207"])[0].vector
    same = {"model_id": model_id, "limit": 5}
    exact = candidates.nearest(kit._store, vector, rows=0, **same)
    cut = candidates.nearest(kit._store, vector, rows=10**6, **same)
    assert exact[0][0] == cut[0][0]
    ids = [number for number, _ in exact]
    within = candidates.nearest(kit._store, vector, rows=0, within=str(ids), **same)
    assert within == exact
    assert candidates.similarities(kit._store, vector, model_id=model_id, ids=ids) == dict(exact)
    assert np.frombuffer(quantize(vector), np.int8).any()


@pytest.mark.parametrize("dimensions", [8, 24, 64, 100])
def test_a_model_of_any_size_is_asked_again_and_again(make_kit: Open, dimensions: int) -> None:
    """Vectors kept in memory from the second question on give what the first one gave."""
    kit = make_kit(encoder=HashedEncoder(dimensions))
    kit.memories.remember_many(f"buoy {n} drifts {n * n} miles" for n in range(40))
    asked = [[h.id for h in kit.recall("buoy 7 drifts 49 miles", min_score=0)] for _ in range(3)]
    assert asked[0][0] == asked[1][0] == asked[2][0]
    assert asked[1] == asked[2]


# -- without vectors


def test_a_missing_model_leaves_full_text_and_a_note(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Remembering and recall by words work; statistics say why there are no vectors."""

    def none() -> None:
        raise EncoderError("no model here")

    monkeypatch.setattr("memkit.memories.search_index.load_encoder", none)
    kit = make_kit(encoder=None)
    made = kit.memories.remember("windmills turn slowly")
    kit.memories.update(made, "windmills turn fast")
    assert by_words(kit, "windmills")
    assert "no model here" in kit.stats().vectors.note
    assert kit._index.model_id() is None
    assert kit.check(repair=True).is_sound
    with pytest.raises(EncoderError, match="no model here"):
        kit.reembed()
    kit.close()
    kit = make_kit()
    assert kit._index.vector_state().waiting == 1
    assert kit.reembed() == 1


def test_an_extension_that_does_not_load_leaves_full_text_and_a_note(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without sqlite-vec, or with a broken one, everything but vectors works."""
    for library, note in ((None, "not installed"), (str(tmp_path / "vec0"), "cannot be loaded")):
        monkeypatch.setattr("memkit.store.connection.vector_library", lambda found=library: found)
        kit = make_kit()
        kit.memories.remember(f"sundials need sun {note}")
        assert by_words(kit, "sundials")
        assert note in kit.stats().vectors.note
        kit.close()


# -- full text


def test_a_damaged_index_is_found_and_rebuilt(kit: memkit.Memkit) -> None:
    """SQLite's own check calls it sound; ours does not, and repair makes it anew."""
    kit.memories.remember_many(f"lantern {n} burns oil" for n in range(20))
    shell.run(
        kit.path,
        "delete from search_index_docsize where id in (select max(id) from memories)",
    )
    shell.run(
        kit.path,
        "insert into search_index (search_index, rowid, body, split)"
        " select 'delete', id, body, split from search_documents limit 3",
    )
    kit._index.ensure()
    assert kit._store.all("store.integrity") == [("ok",)]
    report = kit.check()
    assert "full_text" in {problem.name for problem in report.problems}
    assert not report.is_sound
    assert kit.check(repair=True).is_sound
    assert kit.check().problems == ()
    assert len(by_words(kit, "lantern")) == 20


def test_documents_that_lag_behind_are_counted_and_mended(
    thirty: memkit.Memkit,
) -> None:
    """A document, piece or vector missing or too many is a problem until repaired."""
    path = thirty.path
    counter = shell.run(path, "select change_counter from change_counters")[0][0]
    shell.run(path,
              "update search_documents set fingerprint = 'x' "
              "where id = (select max(id) from memories)",
              "delete from embeddings where memory_id = (select min(id) from memories)",
              "delete from memory_tokens "
              "where memory_id in (select id from memories limit 2 offset 3)",
              "insert into memory_tokens values (17, null, x'')",
              "insert into embedding_bits values (18, 0, null, x'00')",
              f"update change_counters set change_counter = {counter + 1}")  # fmt: skip
    assert not thirty._store.edited_outside()
    names = {problem.name for problem in thirty.check().problems}
    assert names >= {"stale", "vectors"}
    assert thirty._index.behind() == 1
    assert thirty.check(repair=True).is_sound
    assert thirty.check().problems == ()
    assert len(by_vector(thirty, "sensor reports volts")) == 30


def test_an_index_that_cannot_be_asked_is_not_called_sound(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the full-text index raises as damage is reported."""

    def damaged(name: str) -> None:
        raise StoreDamaged("broken")

    monkeypatch.setattr(kit._store, "probe", damaged)
    assert Index(kit._store, HashedEncoder(16)).full_text_damage() == "broken"
    monkeypatch.undo()


def test_reconciling_tells_how_far_it_is(thirty: memkit.Memkit) -> None:
    """The callback hears how many of how many were brought up to date."""
    shell.run(thirty.path, "update memories set text = text || ' again'")
    heard: list[tuple[int, int]] = []
    assert thirty._index.reconcile(lambda done, total: heard.append((done, total))) == 30
    assert heard == [(30, 30)]
    assert thirty._index.reconcile() == 0


class _Watched(Index):
    """Tells how many pages it looks at."""

    looks = 0

    def _page(self, after: int) -> tuple[int | None, int]:
        self.looks += 1
        return super()._page(after)


def test_external_edit_is_followed_without_a_long_lock(thirty: memkit.Memkit) -> None:
    """Where nobody else wrote one look at each page is enough, and the mark it leaves is true."""
    shell.run(thirty.path, "update memories set text = text || ' again'")
    index = _Watched(thirty._store, HashedEncoder(32))
    assert index.reconcile() == 30
    assert index.looks == 2  # all memories, and that there are no more
    assert not thirty._store.edited_outside()
    assert thirty.check().problems == ()


def test_what_is_written_while_pages_are_read_is_read_too(thirty: memkit.Memkit) -> None:
    """An edit of a page that was read already is not passed over."""
    path = thirty.path
    shell.run(path, "update memories set text = text || ' again'")
    late = "update memories set text = 'a volcano' where id = (select min(id) from memories)"
    index = _Watched(thirty._store, HashedEncoder(32))
    assert index.reconcile(lambda *_: shell.run(path, late) and None) == 31
    assert index.looks == 4
    assert len(by_words(thirty, "volcano")) == 1
    assert thirty.check().problems == ()


def test_speaker_is_dropped_when_a_statement_becomes_a_fact(make_kit: Open) -> None:
    """What is read off a text is read again when it is spoken no more, though no word changed."""
    kit = make_kit()
    stored = kit.memories.remember("port: 3000")
    speaker = "select speaker from search_documents where id = :id"
    assert shell.run(kit.path, speaker, id=stored.id) == [("port",)]
    shell.run(kit.path, "update memories set key = 'port', value = '3000'")
    kit._index.ensure()
    assert shell.run(kit.path, speaker, id=stored.id) == [("",)]


SAID = [f"Lamp {n} of the harbour is lit by keeper {n % 7}." for n in range(40)]


def test_what_says_the_same_is_nearest_and_what_is_added_is_found(make_kit: MakeKit) -> None:
    """Signs are read once, and then those of new memories; a memory is not near to itself."""
    kit = make_kit(global_store=False)
    ids = [result.id for result in kit.memories.remember_many(SAID)]
    signs = VectorSigns(kit._store, kit._index)
    near = signs.nearest(ids[0], 5)
    assert len(near) == 5
    assert ids[0] not in near
    assert list(near.values()) == sorted(near.values(), reverse=True)
    twin = kit.memories.remember(SAID[0] + " Lamp lit.")
    assert twin.id not in ids
    assert next(iter(signs.nearest(ids[0], 5))) == twin.id
    assert signs.nearest(twin.id, 100).keys() == {*ids}


def test_a_memory_without_a_vector_has_none_near(make_kit: MakeKit) -> None:
    """An unknown number is no error: nothing is near to it."""
    kit = make_kit(global_store=False)
    assert VectorSigns(kit._store, kit._index).nearest(1, 5) == {}
