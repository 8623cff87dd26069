"""The LangGraph store: what its interface promises, and what is memkit's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import memkit
from memkit.errors import InvalidInput
from tests.tables import each_row

pytest.importorskip(
    "langgraph.store.base", reason="langgraph-checkpoint is not installed (memkit[langgraph])"
)

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from memkit.adapters.langgraph_store import MemkitStore

from ..conftest import Clock

VALUES: dict[str, dict[str, Any]] = {
    "pen": {"price": 1.5, "colour": "red", "tags": ["ink"], "new": True, "size": {"cm": 14}},
    "book": {"price": 12, "colour": "blue", "tags": [], "new": False},
    "chair": {"price": 80, "colour": "red", "tags": ["wood", "oak"], "new": False},
    "gift": {"price": None, "colour": None, "note": "free-of-charge"},
}


@pytest.fixture
def store(kit: memkit.Memkit) -> MemkitStore:
    """A store with some items of a shop."""
    store = MemkitStore(kit)
    for key, value in VALUES.items():
        store.put(("shop", "items"), key, value)
    return store


def test_what_is_put_comes_back_until_it_is_deleted(store: MemkitStore, clock: Clock) -> None:
    """Values come back as they were put; another put keeps the time of birth."""
    namespace, born = ("shop", "items"), store.get(("shop", "items"), "pen")
    assert born is not None
    assert (born.value, born.key, born.namespace) == (VALUES["pen"], "pen", namespace)
    clock.advance(60)
    store.put(namespace, "pen", {"price": 2, "z": 1, "a": {"deep": [1, None, "é\0"]}})
    later = store.get(namespace, "pen")
    assert later is not None
    assert list(later.value.items())[1:] == [("z", 1), ("a", {"deep": [1, None, "é\0"]})]
    assert later.created_at == born.created_at
    assert (later.updated_at - born.updated_at).total_seconds() == 60
    store.delete(namespace, "pen")
    store.delete(namespace, "never there")
    assert store.get(namespace, "pen") is None
    assert store.get(("shop",), "book") is None


@each_row(
    "filters, expected",
    [
        ({}, "pen book chair gift"),
        ({"colour": "red"}, "pen chair"),
        ({"colour": None}, "gift"),
        ({"colour": "red", "new": False}, "chair"),
        ({"price": {"$gt": 1.5}}, "book chair"),
        ({"price": {"$gte": 1.5, "$lt": 80}}, "pen book"),
        ({"price": {"$lte": 12}}, "pen book"),
        ({"price": {"$lt": float("inf")}}, "pen book chair"),
        ({"price": {"$lt": float("nan")}}, ""),
        ({"price": {"$eq": 12}}, "book"),
        ({"colour": {"$ne": "red"}}, "book gift"),
        ({"colour": {"$gt": "blue"}}, "pen chair"),
        ({"colour": {"$gt": 3}}, ""),
        ({"new": 1}, ""),
        ({"tags": ("wood", "oak")}, "chair"),
        ({"size": {"cm": 14}}, "pen"),
        ({"size.cm": {"$gte": 14}}, "pen"),
        ({"size.cm.mm": 1}, ""),
        ({"note": "free-of-charge"}, "gift"),
        ({"') or 1=1 --": "x"}, ""),
    ],
)
def test_filters(store: MemkitStore, filters: dict[str, Any], expected: str) -> None:
    """A filter compares with a value, or by operators; what has no order agrees with none."""
    items = store.search(("shop",), filter=filters, limit=100)
    assert sorted(item.key for item in items) == sorted(expected.split())


def test_an_unknown_operator_is_refused(store: MemkitStore) -> None:
    """By name, with those there are."""
    with pytest.raises(ValueError, match=r"\$in; there are \$eq"):
        store.search(("shop",), filter={"price": {"$in": [1]}})


def test_a_search_is_ranked_by_recall(kit: memkit.Memkit) -> None:
    """A query ranks what lies below the prefix; filters and pages are taken of that."""
    store = MemkitStore(kit)
    rows = {
        "tea": {"text": "Ann drinks green tea in the morning.", "sure": True},
        "bike": {"text": "Ann rides a bicycle to work.", "sure": True},
        "dog": {"text": "Her dog is called Rex.", "sure": False},
    }
    for key, value in rows.items():
        store.put(("users", "ann"), key, value)
    store.put(("users", "bob"), "tea", {"text": "Bob drinks black tea."})
    hits = store.search(("users", "ann"), query="what tea does Ann drink in the morning?")
    assert hits[0].key == "tea"
    assert {hit.namespace for hit in hits} == {("users", "ann")}
    scores = [hit.score or 0 for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0
    pages = [store.search(("users",), query="tea", limit=1, offset=n)[0] for n in range(2)]
    assert {page.namespace for page in pages} == {("users", "ann"), ("users", "bob")}
    found = store.search(("users",), query="Ann tea", filter={"sure": False})
    assert [hit.key for hit in found] in ([], ["dog"])
    assert not store.search(("nobody",), query="tea")


def test_what_is_searched_can_be_said(kit: memkit.Memkit) -> None:
    """By paths of the store or of a put; False: not at all, and it is still there."""
    store = MemkitStore(kit, fields=["title", "parts[*].text"])
    value = {"title": "walrus", "parts": [{"text": "ocelot"}, {"text": "tapir"}], "body": "quokka"}
    store.put(("n",), "usual", value)
    store.put(("n",), "own", {"body": "quokka", "title": "lemur"}, index=["body"])
    store.put(("n",), "hidden", value, index=False)

    def best(question: str) -> str:
        hits = [hit for hit in store.search(("n",), query=question) if (hit.score or 0) > 0.5]
        return " ".join(hit.key for hit in hits)

    assert [best(word) for word in ("walrus", "tapir", "quokka", "lemur")] == [
        "usual", "usual", "own", "",
    ]  # fmt: skip
    assert len(store.search(("n",))) == 3
    store.put(("n",), "hidden", {"title": "okapi"})
    assert best("okapi") == "hidden"


def test_namespaces_are_walls(kit: memkit.Memkit, make_kit: Callable[..., memkit.Memkit]) -> None:
    """What lies in one is no memory of the project, nor of a project of that name, and labels are
    never read as others."""
    store = MemkitStore(kit)
    store.put(("shop",), "k", {"text": "The vault code is heron."})
    store.put(("shop", "a*"), "k", {"text": "heron"})
    store.put(("shop2",), "k", {"text": "heron"})
    assert not kit.recall("what is the vault code?", min_score=0)
    assert not make_kit(kit.path, project="shop").recall("what is the vault code?", min_score=0)
    assert not MemkitStore(make_kit(kit.path, project="shop")).search(())
    found = store.search(("shop",), query="heron", limit=10)
    assert {hit.namespace for hit in found} == {("shop",), ("shop", "a*")}
    assert not store.search(("shop", "a"))


def test_namespaces_are_listed(store: MemkitStore) -> None:
    """As LangGraph's own store in memory lists them: prefixes, suffixes, stars, depth, pages."""
    other = InMemoryStore()
    namespaces = [("a",), ("a", "b"), ("a", "x", "c"), ("b", "x", "c"), ("b", "b%"), ("ab", "c")]
    for namespace in namespaces:
        store.put(namespace, "k", {"v": 1})
        other.put(namespace, "k", {"v": 1})
    store.delete(("shop", "items"), "pen")
    for key in VALUES:
        store.delete(("shop", "items"), key)
    for how in (
        {},
        {"prefix": ("a",)},
        {"suffix": ("c",)},
        {"prefix": ("*", "x")},
        {"suffix": ("*", "c"), "prefix": ("b",)},
        {"max_depth": 1},
        {"max_depth": 2, "limit": 2, "offset": 1},
        {"prefix": ("b", "b%")},
    ):
        assert store.list_namespaces(**how) == other.list_namespaces(**how), how


def test_a_batch_is_all_or_nothing(store: MemkitStore) -> None:
    """Reads see the state before the batch, the last write to a key stands, and a batch that
    cannot be done leaves nothing."""
    put = PutOp(("shop", "items"), "lamp", {"price": 5})
    results = store.batch(
        [
            PutOp(("shop", "items"), "lamp", {"price": 4}),
            GetOp(("shop", "items"), "lamp"),
            put,
            SearchOp(("shop",), filter={"price": 5}),
            ListNamespacesOp((MatchCondition("prefix", ("shop", "*")),)),
        ]
    )
    assert results == [None, None, None, [], [("shop", "items")]]
    lamp = store.get(("shop", "items"), "lamp")
    assert lamp is not None
    assert lamp.value == {"price": 5}
    for refused, error in (
        (PutOp(("shop.items",), "k", {}), InvalidNamespaceError),
        (PutOp(("shop",), "k", {"x": object()}), InvalidInput),
        (PutOp(("shop",), "k", {"x": 1}, ttl=5.0), NotImplementedError),
    ):
        with pytest.raises(error):
            store.batch([PutOp(("shop", "items"), "lamp", {"price": 6}), refused])
        lamp = store.get(("shop", "items"), "lamp")
        assert lamp is not None
        assert lamp.value == {"price": 5}
    assert store.supports_ttl is False


def test_many_at_once(kit: memkit.Memkit) -> None:
    """The asynchronous verbs run in threads on one file."""
    store = MemkitStore(kit)

    async def run() -> list[Any]:
        await asyncio.gather(*(store.aput(("n",), f"k{n}", {"n": n}) for n in range(8)))
        await store.adelete(("n",), "k3")
        return [
            await store.asearch(("n",), filter={"n": {"$gte": 2}}),
            await store.aget(("n",), "k3"),
            await store.alist_namespaces(),
        ]

    items, gone, namespaces = asyncio.run(run())
    assert sorted(item.value["n"] for item in items) == [2, 4, 5, 6, 7]
    assert (gone, namespaces) == (None, [("n",)])
