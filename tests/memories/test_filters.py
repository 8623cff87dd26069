"""Listing by what memories are: every filter is applied or refused, never passed over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit import Draft
from memkit.errors import InvalidInput
from tests.tables import each_row


@pytest.fixture
def garden(kit: memkit.Memkit, clock: Callable[[], float]) -> memkit.Memkit:
    """Five memories that differ in everything that can be asked for."""
    put = kit.memories.remember
    put("apple trees want sun", tags=["fruit", "tree"], importance=0.9, at="2026-01-10")
    put("never mow in wet grass", kind="negative", tags=["lawn"], importance=0.2, at="2026-02-01")
    put("pears ripen late", tags=["fruit"], project="orchard", file_paths=["a.md", "b.md"])
    put("this week the hose leaks", scope="session", session="s1", pinned=True)
    put(key="gate", value="green", qualifier="south", task="t1", source="notes#gate")
    return kit


def texts(kit: memkit.Memkit, *args: Any, **kwargs: Any) -> list[str]:
    """First words of what is found."""
    return [memory.text.split()[0] for memory in kit.memories.find(*args, **kwargs)]


# The orchard's memory stands behind a wall of its own.
EVERYWHERE = {"project": {"$ne": None}}


@each_row(
    "filters, expected",
    [
        ({}, ["gate", "this", "never", "apple"]),
        ({"project": {"$ne": None}}, ["gate", "this", "pears", "never", "apple"]),
        ({"kind": "negative"}, ["never"]),
        ({"kind": ["negative", "fact"], "tags": ["lawn", "tree"]}, ["never", "apple"]),
        ({**EVERYWHERE, "tags": "Fruit"}, ["pears", "apple"]),
        ({"tags": {"$contains": "tree"}}, ["apple"]),
        ({**EVERYWHERE, "tags": {"$in": ["tree", "fruit"]}}, ["pears", "apple"]),
        ({**EVERYWHERE, "tags": {"$all": ["tree", "fruit"]}}, ["apple"]),
        ({"tags": {"$nin": ["tree", "fruit"]}}, ["gate", "this", "never"]),
        ({"tags": {"$ne": "lawn"}}, ["gate", "this", "apple"]),
        ({"tags": {"$eq": "lawn"}}, ["never"]),
        ({"scope": "session"}, ["this"]),
        ({"session": "s1"}, ["this"]),
        ({"task": "t1"}, ["gate"]),
        ({"key": "gate", "value": "green"}, ["gate"]),
        ({"source": "notes#gate"}, ["gate"]),
        ({"source": None, "key": None, "tags": "lawn"}, ["never"]),
        ({"project": "orchard"}, ["pears"]),
        ({"project": ""}, ["gate", "this", "never", "apple"]),
        ({"pinned": True}, ["this"]),
        ({"importance": {"$gte": 0.9}}, ["apple"]),
        ({**EVERYWHERE, "importance": {"$gt": 0.2, "$lt": 0.9}}, ["gate", "this", "pears"]),
        ({"importance": {"$lte": 0.2}}, ["never"]),
        ({"importance": {"$ne": 0.5}}, ["never", "apple"]),
        ({"kind": {"$in": ["negative", "correction"]}}, ["never"]),
        ({"kind": {"$nin": ["fact"]}}, ["never"]),
        ({**EVERYWHERE, "text": {"$contains": "ripen"}}, ["pears"]),
        ({**EVERYWHERE, "file_paths": "b.md"}, ["pears"]),
        ({**EVERYWHERE, "file_paths": ["x.md", "a.md"]}, ["pears"]),
        ({"created_at": {"$lt": "2026-02-01"}}, ["apple"]),
        ({"created_at": {"$lte": "2026-02-01T09:00:00+09:00"}}, ["never", "apple"]),
        ({**EVERYWHERE, "created_at": {"$gte": "yesterday"}}, ["gate", "this", "pears"]),
        ({"created_at": {"$eq": datetime(2026, 1, 10, tzinfo=UTC)}}, ["apple"]),
        ({"created_at": ["2026-01-10", "2026-02-01"]}, ["never", "apple"]),
        ({"valid_to": None, "tags": "lawn"}, ["never"]),
        ({"season": {"$gt": "a"}}, []),
        ({"active": {"$eq": True}, "tags": "lawn"}, ["never"]),
    ],
)
def test_filters_are_applied(
    garden: memkit.Memkit, filters: dict[str, Any], expected: list[str]
) -> None:
    """Each operator compares as it is called, newest first."""
    assert texts(garden, filters) == expected


@pytest.mark.parametrize(
    "filters",
    [
        {"colour": "red"},
        {"kind": "unknown"},
        {"kind": {"$in": ["fact", "fcat"]}},
        {"kind": {"$eq": "unknown"}},
        {"scope": "projekt"},
        {"scope": ""},
        {"importance": {"$near": 1}},
        {"importance": {}},
        {"importance": {"$gt": "high"}},
        {"created_at": "blursday"},
        {"created_at": {"$gte": "last sprint"}},
        {"tags": ""},
        {"tags": ["fruit", " "]},
    ],
    ids=str,
)
def test_a_filter_that_means_nothing_is_refused(
    garden: memkit.Memkit, filters: dict[str, Any]
) -> None:
    """An unknown field, operator, kind, scope, time or tag is an error, not "no filter"."""
    with pytest.raises(InvalidInput):
        garden.memories.find(filters)


def test_the_order_is_the_one_asked_for(garden: memkit.Memkit) -> None:
    """A field sorts greatest first, a minus the other way, with nothing at the end."""
    assert texts(garden, EVERYWHERE, order_by="importance")[0] == "apple"
    assert texts(garden, EVERYWHERE, order_by="-importance")[0] == "never"
    assert texts(garden, EVERYWHERE, order_by="-id") == ["apple", "never", "pears", "this", "gate"]
    assert texts(garden, EVERYWHERE, order_by="created_at")[-1] == "apple"
    assert texts(garden, EVERYWHERE, order_by="key")[0] == "gate"
    assert (
        len(texts(garden, EVERYWHERE, order_by="tags"))
        == len(texts(garden, EVERYWHERE, order_by="procedure"))
        == 5
    )
    with pytest.raises(InvalidInput, match="order_by"):
        garden.memories.find(order_by="colour")


def test_a_limit_cuts_and_nothing_is_no_limit(garden: memkit.Memkit) -> None:
    """The first ones of the order are returned; a limit below one is an error."""
    assert texts(garden, limit=2) == ["gate", "this"]
    for limit in (0, -1):
        with pytest.raises(InvalidInput, match="limit"):
            garden.memories.find(limit=limit)
        with pytest.raises(InvalidInput, match="limit"):
            garden.memories.find(as_of="now", limit=limit)


def test_more_than_one_page_is_walked(kit: memkit.Memkit) -> None:
    """Filters that Python applies see every row, beyond the first page."""
    kit.memories.remember("the needle", importance=0.99)
    kit.memories.remember_many(Draft(f"straw {n}") for n in range(1100))
    assert texts(kit, {"importance": {"$gt": 0.9}}) == ["the"]
    assert len(texts(kit, limit=2000)) == 1101


def test_forgotten_and_superseded_ones_come_only_when_asked_for(kit: memkit.Memkit) -> None:
    """History is not mixed with what holds."""
    old, new, gone = (kit.memories.remember(t) for t in ("old rule", "new rule", "gone rule"))
    kit.memories.supersede(old, new)
    kit.memories.forget(gone)
    assert texts(kit) == ["new"]
    assert texts(kit, history=True) == ["gone", "new", "old"]
    assert texts(kit, active=False) == ["gone", "old"]
    assert texts(kit, {"superseded_by": new.id}, history=True) == ["old"]


def test_about_filter_means_a_file_or_symbol(kit: memkit.Memkit) -> None:
    """`about` means a file with what lies in it, or one symbol, however it is asked for."""
    file = kit.memories.remember("the mixer is slow", about="src/mixer.py").id
    symbol = kit.memories.remember("blend needs two inputs", about="src/mixer.py::blend").id
    kit.memories.remember("the oven is hot", about="src/oven.py")

    def ids(wanted: object) -> set[int]:
        return {memory.id for memory in kit.memories.find({"about": wanted})}

    assert ids("src/mixer.py") == {file, symbol}
    assert ids("src/mixer.py::blend") == {symbol}
    assert ids(["src/mixer.py::blend", "src/none.py"]) == {symbol}
    assert ids({"$in": ["src/mixer.py"]}) == {file, symbol}
    with pytest.raises(InvalidInput, match="expected a path or path::symbol"):
        ids(5)


@pytest.mark.parametrize(
    ("filters", "what"),
    [
        ({"tags": {"$gt": "a"}}, "tags, which has no order"),
        ({"messages": {"$lte": 3}}, "messages, which has no order"),
        ({"procedure": {"$lt": None}}, "procedure"),
        ({"valid_to": {"$gt": None}}, "compares with nothing"),
        ({"importance": {"$contains": 0.5}}, "is of texts and lists"),
        ({"pinned": {"$contains": True}}, "is of texts and lists"),
    ],
    ids=str,
)
def test_meaningless_comparison_is_refused_in_an_empty_store(
    kit: memkit.Memkit, filters: dict[str, Any], what: str
) -> None:
    """It is refused in an empty store too, with what can be asked instead."""
    with pytest.raises(InvalidInput, match=what):
        kit.memories.find(filters)


def test_what_is_about_a_file_is_found_by_any_whole_path_to_it(
    kit: memkit.Memkit, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Through a link to the repository, by its URI, and by recall near it; a place elsewhere is one
    that nothing is about."""
    link = tmp_path_factory.mktemp("links") / "link"
    link.symlink_to(tmp_path)
    kit.memories.remember("Rates are typed in by nobody.", about="src/tax.py")
    whole = [str(top / "src/tax.py") for top in (tmp_path, link)]
    for path in (*whole, (tmp_path / "src/tax.py").as_uri()):
        assert kit.memories.count(about=path) == 1
        parts = [dict(hit.parts) for hit in kit.recall("who types in rates?", near=path)]
        assert parts
        assert "near" in parts[0]
    parts = [dict(hit.parts) for hit in kit.recall("who types in rates?", near="/etc/hosts")]
    assert parts
    assert "near" not in parts[0]
