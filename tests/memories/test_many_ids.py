"""More ids in one call than SQLite takes parameters: no limit is met, and work grows with what is
asked."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import memkit
from memkit.errors import NotFound
from memkit.retrieval import candidates
from tests.store import shell

Open = Callable[..., memkit.Memkit]
COUNT = 34_000
# As another program would write them: no index of ours, one statement.
_ROWS = f"""
with recursive n(i) as (select 1 union all select i + 1 from n where i < {COUNT})
insert into memories (id, text, kind, tokens, created_at, updated_at, content_hash)
select i, 'crate ' || i, 'fact', 3, '2026-02-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', 'h' || i
from n
"""


@pytest.fixture
def crowded(make_kit: Open) -> memkit.Memkit:
    """A store with as many memories that were never indexed; the test closes it."""
    kit = make_kit()
    shell.run(kit.path, _ROWS)
    return kit


@pytest.mark.no_cover
def test_any_number_of_ids_is_one_call(crowded: memkit.Memkit) -> None:
    """get_many keeps the order and leaves out what is not there; the verbs take all of them."""
    ids = list(range(COUNT + 100, 0, -1))
    found = crowded.memories.get_many(ids)
    assert [memory.id for memory in found[:3]] == [COUNT, COUNT - 1, COUNT - 2]
    assert len(found) == COUNT
    with pytest.raises(NotFound, match=str(COUNT + 1)):
        crowded.memories.forget(ids)
    assert len(crowded.memories.forget(found[:900])) == 900
    assert crowded.memories.find(limit=1)[0].id == COUNT - 900
    assert len(crowded.memories.purge(ids[100:600])) == 500
    assert shell.run(crowded.path, "select count(*) from memories") == [(COUNT - 500,)]
    crowded.close()


def test_a_question_within_many_ids_is_asked(make_kit: Open) -> None:
    """Words and vectors are searched inside a list of forty thousand ids."""
    kit = make_kit()
    wanted = kit.memories.remember("the lid of crate nine is loose")
    within = json.dumps([*range(40_000), wanted.id])
    found = candidates.lexical(kit._store, '"lid"', limit=5, within=within)
    assert list(found) == [wanted.id]
    vector = kit._index.encoder().embed(["loose lid"])[0].vector
    near = candidates.nearest(
        kit._store, vector, model_id=kit._index.model_id(), rows=1, limit=5, within=within
    )
    assert [number for number, _ in near] == [wanted.id]


def test_small_sessions_cost_no_more_than_their_rows(make_kit: Open) -> None:
    """Five hundred sessions of two memories make a file in proportion to them."""
    kit = make_kit()
    kit.memories.remember_many(
        memkit.Draft(f"session {n // 2} saw gull {n}", scope="session", session=str(n // 2))
        for n in range(1000)
    )
    assert kit.path.stat().st_size < 3_000_000


def test_blank_statement_among_many_is_named(kit: memkit.Memkit) -> None:
    """A fault of one among several says which it is; of a single one it need not."""
    with pytest.raises(memkit.InvalidInput, match=r"^statement 2 of 3: text: is blank"):
        kit.memories.remember_many(["the well is deep", " ", "the rope is short"])
    with pytest.raises(memkit.InvalidInput, match=r"^statement 3 of 3: "):
        kit.memories.remember_many(["a", "b", 3])  # type: ignore[list-item]
    with pytest.raises(memkit.InvalidInput, match=r"^text: is blank"):
        kit.memories.remember(" ")
    assert not kit.memories.find().memories


def test_dictionary_as_text_is_told_what_takes_fields(kit: memkit.Memkit) -> None:
    """Who has the fields of a statement is told what takes them."""
    with pytest.raises(
        memkit.InvalidInput, match=r"statement 2 of 2: text: .* Draft\(\*\*fields\)"
    ):
        kit.memories.remember_many(["a", {"text": "b"}])  # type: ignore[list-item]
    kit.memories.remember_many([memkit.Draft(**{"text": "b"})])
    assert [memory.text for memory in kit.memories.find()] == ["b"]
