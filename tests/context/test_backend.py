"""One contract of three backends: in memory, of a task, over memories."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import attrs
import hypothesis
import hypothesis.strategies as st
import pytest

import memkit
from memkit import ContextItem, InMemoryBackend, ItemKind
from memkit.context.backend import Backend, MemoriesBackend, TaskBackend
from memkit.encoder import HashedEncoder
from tests.conftest import Clock

TIMES = [f"2026-01-0{day}T00:00:00.000Z" for day in range(1, 5)]


def item(text: str, **fields: object) -> ContextItem:
    """Return an item with what a test does not care about filled in."""
    usual = {"id": text, "kind": "decision", "source": "s", "timestamp": TIMES[0]}
    return ContextItem(text=text, **{**usual, **fields})  # type: ignore[arg-type]


BACKENDS: dict[str, Callable[[memkit.Memkit], Backend]] = {
    "memory": lambda kit: InMemoryBackend(),
    "task": lambda kit: TaskBackend(kit._store, project="", task="t"),
    "project": lambda kit: MemoriesBackend(kit.memories, project=""),
    "global": lambda kit: MemoriesBackend(kit.memories, project=None),
}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, kit: memkit.Memkit) -> Backend:
    """Each of the backends, empty."""
    return BACKENDS[request.param](kit)


def texts(items: list[ContextItem]) -> list[str]:
    """Return what the items say."""
    return [entry.text for entry in items]


def test_item_comes_back_by_its_id_until_it_is_deleted(backend: Backend) -> None:
    """What `add` returns is what `get`, `list_all` and `query` return; `count` goes with it."""
    added = backend.add(item("The bucket is cold.", tags=("Red Tag",), payload={"n": [1]}))
    assert (added.text, added.tags, added.payload) == (
        "The bucket is cold.",
        ("red-tag",),
        {"n": [1]},
    )
    assert backend.get(added.id) == added
    assert backend.list_all() == backend.query({}) == [added]
    assert backend.count() == 1
    assert backend.delete(added.id) is True
    assert backend.delete(added.id) is False
    assert (backend.get(added.id), backend.count(), backend.list_all()) == (None, 0, [])


def test_clear_removes_every_item(backend: Backend) -> None:
    """Nothing is left, and what comes after is there."""
    for text in ("The bucket is cold.", "The kiln is hot."):
        backend.add(item(text))
    backend.clear()
    backend.clear()
    assert (backend.list_all(), backend.count()) == ([], 0)
    backend.add(item("The glaze is red."))
    assert texts(backend.list_all()) == ["The glaze is red."]


FILTERS: dict[str, tuple[dict[str, object], str]] = {
    "nothing": ({}, "abc"),
    "equal": ({"kind": "pattern"}, "b"),
    "any tag of a list": ({"tags": ["x", "Z"]}, "ac"),
    "a tag": ({"tags": "y"}, "ab"),
    "$eq": ({"importance": {"$eq": 0.9}}, "c"),
    "$ne": ({"importance": {"$ne": 0.9}}, "ab"),
    "$gt": ({"importance": {"$gt": 0.2}}, "bc"),
    "$gte": ({"importance": {"$gte": 0.9}}, "c"),
    "$lt": ({"importance": {"$lt": 0.9}}, "ab"),
    "$lte and $gt": ({"importance": {"$lte": 0.6, "$gt": 0.2}}, "b"),
    "$in": ({"kind": {"$in": ["decision", "pattern"]}}, "ab"),
    "time in another form": ({"timestamp": {"$gt": "2026-01-01"}}, "bc"),
    "two fields": ({"kind": "decision", "tags": {"$in": ["y"]}}, "a"),
    "none": ({"tags": "nowhere"}, ""),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_mean_the_same_everywhere(backend: Backend, name: str) -> None:
    """Operators, lists and plain values choose the same items of every backend."""
    said = {
        "a": "The bucket is cold.",
        "b": "Kilns run at night.",
        "c": "Glazes are mixed by hand.",
    }
    backend.add(item(said["a"], tags=("x", "y"), importance=0.2, timestamp=TIMES[0]))
    backend.add(item(said["b"], tags=("y",), importance=0.6, timestamp=TIMES[1], kind="pattern"))
    backend.add(item(said["c"], tags=("z",), importance=0.9, timestamp=TIMES[2], kind="failure"))
    filters, names = FILTERS[name]
    assert texts(backend.query(filters)) == [said[letter] for letter in reversed(names)]
    assert texts(backend.query(filters, order_by="-timestamp")) == [said[n] for n in names]
    assert texts(backend.query(filters, limit=1, order_by="importance")) == [
        said[letter] for letter in names[-1:]
    ]


@pytest.mark.parametrize(
    ("filters", "order_by", "words"),
    [
        ({"colour": "red"}, "timestamp", "colour"),
        ({"importance": {"$near": 1}}, "timestamp", "near"),
        ({"importance": {"$gt": "high"}}, "timestamp", "expected a number"),
        ({"tags": {"$gt": "a"}}, "timestamp", "no order"),
        ({"kind": "gossip"}, "timestamp", "decision"),
        ({"timestamp": {"$gt": "soon"}}, "timestamp", "soon"),
        ({}, "-colour", "colour"),
        ({}, "payload", "payload"),
    ],
)
def test_question_that_means_nothing_is_refused(
    backend: Backend, filters: dict[str, object], order_by: str, words: str
) -> None:
    """An unknown field, operator or value is an error that names it, also of an empty backend."""
    with pytest.raises(memkit.InvalidInput, match=words):
        backend.query(filters, order_by=order_by)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "gossip"}, "decision"),
        ({"importance": 2}, "importance"),
        ({"timestamp": "soon"}, "timestamp"),
        ({"tags": [7]}, "tags"),
        ({"payload": {"a": object()}}, "payload"),
        ({"payload": {"a": float("nan")}}, "payload"),
        ({"payload": [1]}, "payload"),
    ],
)
def test_item_that_means_nothing_is_refused(fields: dict[str, object], words: str) -> None:
    """Before any backend sees it, by the name of the field."""
    with pytest.raises(memkit.InvalidInput, match=words):
        item("x", **fields)


def test_missing_value_agrees_with_no_comparison(kit: memkit.Memkit) -> None:
    """An importance that nobody gave is neither great nor small, and comes last."""
    for backend in (InMemoryBackend(), TaskBackend(kit._store, project="", task="t")):
        backend.add(item("unknown"))
        backend.add(item("low", importance=0.1))
        assert texts(backend.query({"importance": {"$gte": 0}})) == ["low"]
        assert texts(backend.query({"importance": {"$lt": 1}})) == ["low"]
        assert texts(backend.query({"importance": None})) == ["unknown"]
        assert texts(backend.query({}, order_by="importance")) == ["low", "unknown"]


@pytest.mark.parametrize("name", ["task", "project", "global"])
def test_secret_is_never_written(kit: memkit.Memkit, name: str) -> None:
    """Neither in the text nor in the payload, the tags or anywhere in the file."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    backend = BACKENDS[name](kit)
    added = backend.add(item(f"Use {secret} there.", payload={"deep": [{"token": secret}]}))
    assert secret not in repr([added, *backend.list_all()])
    assert secret.encode() not in kit.path.read_bytes()
    assert kit.scrub().rows == 0


def test_statement_said_again_is_the_same_item(kit: memkit.Memkit) -> None:
    """A memory is strengthened, not doubled; what is new about it is added to the payload."""
    backend = MemoriesBackend(kit.memories, project="")
    first = backend.add(item("The bucket is cold.", payload={"a": 1}))
    again = backend.add(item("The bucket is cold.", payload={"b": 2}, tags=("new",)))
    assert again.id == first.id
    assert backend.list_all() == [attrs.evolve(again, payload={"a": 1, "b": 2}, tags=("new",))]
    assert kit.memories.get(first.id).strength == 2


def test_deleted_item_is_forgotten_and_can_be_restored(kit: memkit.Memkit) -> None:
    """`delete` and `clear` destroy nothing."""
    backend = MemoriesBackend(kit.memories, project="")
    first, second = (backend.add(item(text)) for text in ("The bucket is cold.", "Kilns are hot."))
    backend.delete(first.id)
    backend.clear()
    assert [memory.active for memory in kit.memories.find(history=True)] == [False, False]
    kit.memories.restore([first.id, second.id])
    assert backend.list_all() == [first, second]


def test_superseded_item_is_none_any_more(kit: memkit.Memkit) -> None:
    """What took its place is there, as whatever it was said to be."""
    backend = MemoriesBackend(kit.memories, project="")
    old = backend.add(item("The port is 22."))
    new = backend.add(item("The server listens on port 49222 now."))
    kit.memories.supersede(old.id, new.id)
    assert backend.list_all() == [new]


# -- the two that hold the same words, step by step


ITEMS = st.builds(
    item,
    st.sampled_from(["a b", "c d", "ä", "🦀", "x"]),
    id=st.sampled_from(["1", "2", "3", "item-4", "é"]),
    kind=st.sampled_from(ItemKind),
    source=st.sampled_from(["s", "t"]),
    timestamp=st.sampled_from(TIMES),
    tags=st.lists(st.sampled_from(["x", "y", "Z z"]), max_size=3),
    importance=st.none() | st.sampled_from([0, 0.25, 1]),
    tokens=st.just(1),
    payload=st.dictionaries(st.sampled_from(["k", "l"]), st.integers(0, 3) | st.none()),
)
QUERIES = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(ItemKind)
        | st.fixed_dictionaries({"$in": st.lists(st.sampled_from(ItemKind))}),
        "tags": st.sampled_from(["x", "y"]) | st.lists(st.sampled_from(["x", "z-z"])),
        "importance": st.dictionaries(
            st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]),
            st.sampled_from([0, 0.25, 1]),
            min_size=1,
        ),
        "timestamp": st.fixed_dictionaries({"$gte": st.sampled_from(TIMES)}),
        "id": st.sampled_from(["1", "é"]),
    },
)
STEPS = st.lists(
    st.tuples(st.just("add"), ITEMS)
    | st.tuples(st.just("delete"), st.sampled_from(["1", "2", "é"]))
    | st.tuples(st.just("clear"), st.none()),
    max_size=8,
)


@pytest.fixture(scope="module")
def shared_kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[memkit.Memkit]:
    """One store for all examples; each has a task of its own."""
    path = tmp_path_factory.mktemp("backend") / ".memkit.db"
    with memkit.open(
        path, clock=Clock(), encoder=HashedEncoder(64), global_store=False
    ) as open_kit:
        yield open_kit


@hypothesis.given(
    steps=STEPS,
    filters=QUERIES,
    order=st.sampled_from(["timestamp", "-timestamp", "importance", "-importance", "id", "tags"]),
    limit=st.integers(1, 4),
)
def test_task_backend_does_what_the_one_in_memory_does(
    shared_kit: memkit.Memkit,
    steps: list[tuple[str, object]],
    filters: dict[str, object],
    order: str,
    limit: int,
) -> None:
    """After any steps every question has the same answer."""
    sqlite, plain = TaskBackend(shared_kit._store, project="", task="t"), InMemoryBackend()
    sqlite.clear()
    for verb, operand in steps:
        results = [
            getattr(backend, verb)(*(() if operand is None else (operand,)))
            for backend in (sqlite, plain)
        ]
        assert _same(results[0]) == _same(results[1])
    assert _same(sqlite.query(filters, limit, order)) == _same(plain.query(filters, limit, order))
    assert _same(sqlite.list_all()) == _same(plain.list_all())
    assert (sqlite.count(), _same(sqlite.get("1"))) == (plain.count(), _same(plain.get("1")))


def _same(value: object) -> object:
    """Return items without their counts, which only what is written has."""
    if isinstance(value, list):
        return [_same(entry) for entry in value]
    return attrs.evolve(value, tokens=0) if isinstance(value, ContextItem) else value


CELLS = [
    ("context_items", "tags", "'{}'"),
    ("context_items", "tags", "'[1, null]'"),
    ("context_items", "payload", "'[1, null]'"),
    ("context_items", "payload", "'7'"),
    ("context_items", "tokens", "-5"),
    ("context_items", "timestamp", "'soon'"),
    ("context_items", "text", "cast(x'6f6bff' as text)"),
    ("context_items", "source", "cast(x'ff' as text)"),
    ("memory_items", "payload", "'[1, null]'"),
    ("memory_items", "updated_at", "'soon'"),
]


@pytest.mark.parametrize(("table", "column", "value"), CELLS)
def test_cell_that_memkit_cannot_have_written_is_named_and_mended(
    make_kit: Callable[..., memkit.Memkit], tmp_path: Path, table: str, column: str, value: str
) -> None:
    """Questions answer before and after; `check` names the table, and its repair ends it."""
    kit = make_kit()
    kit.context.task("t").add_reasoning("The bucket is cold.", "plan")
    kit.context.project().add_convention("Names are short.", "naming")
    kit.close()
    with closing(sqlite3.connect(kit.path)) as shell, shell:
        shell.execute(f"update {table} set {column} = {value}")
    kit = make_kit(kit.path.name)
    for repair in (False, True):
        package = kit.context.package(task="t")
        assert len(package.items) == 2
        problems = [problem.detail for problem in kit.check(repair=repair).problems]
        assert any(table in detail for detail in problems)
    assert kit.check().is_sound
    assert len(kit.context.package(task="t").items) == 2
