"""Reading queries out of SQL files: what loads is consistent, what is not says where."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.errors import InvalidInput, NotFound, StoreError
from memkit.store import named_queries
from memkit.store.named_queries import find_query, parse_queries, read_queries

names = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)


@given(
    st.lists(
        st.tuples(names, st.lists(names, max_size=4, unique=True), st.text("a b;:", max_size=20)),
        max_size=5,
        unique_by=lambda query: query[0],
    ),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_file_gives_back_what_was_written(
    wanted: list[tuple[str, list[str], str]], newline: str
) -> None:
    """Names, parameters and comments come back, whatever stands in literals and comments."""
    lines = ["-- a file", ""]
    for name, params, comment in wanted:
        sql = "select " + ", ".join(f":{param}" for param in params or ["':no' /* :no */"])
        lines += [f"-- name: {name}({', '.join(params)})", f"-- about {comment}", sql + ";", ""]
    found = list(parse_queries(newline.join(lines), "area.sql"))
    assert [(query.name, list(query.params)) for query in found] == [
        (f"area.{name}", params) for name, params, _ in wanted
    ]
    assert [q.doc for q in found] == [f"about {comment}".strip() for _, _, comment in wanted]
    assert all(query.is_read_only and not query.sql.endswith(";") for query in found)


@given(st.text(max_size=200) | st.text("-: name()\nselect:x'\"/*;", max_size=200))
def test_any_text_is_queries_or_an_error(text: str) -> None:
    """A file of any content loads or ends in StoreError."""
    with suppress(StoreError):
        assert all(query.name and query.sql.strip() for query in parse_queries(text, "odd.sql"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("select 1;", r"odd\.sql:1: SQL before the first"),
        ("\n-- name: broken(\nselect 1;", r"odd\.sql:2: header"),
        ("-- name: empty()\n-- says nothing\n", r"odd\.sql:1: query empty has no SQL"),
        ("-- name: less(a, b)\nselect :a", r"odd\.sql:1: query less .*differs in b"),
        ("-- name: more(a)\nselect :a, :b", r"odd\.sql:1: query more .*differs in b"),
    ],
)
def test_a_file_that_is_wrong_says_where(text: str, message: str) -> None:
    """Each mistake is named with file and line."""
    with pytest.raises(StoreError, match=message):
        list(parse_queries(text, "odd.sql"))


def test_two_queries_of_one_name_are_refused(tmp_path: Path) -> None:
    """The second of two queries of one name does not quietly win."""
    path = tmp_path / "a.sql"
    path.write_text("-- name: x()\nselect 1;\n-- name: x()\nselect 2;\n")
    with pytest.raises(StoreError, match=r"a\.x stands twice"):
        read_queries(path)


def test_a_misspelt_query_names_its_neighbours() -> None:
    """An unknown name lists what there is in that file, or the files there are."""
    known = named_queries.load_queries()
    with pytest.raises(NotFound, match=r"store\.integrity"):
        find_query(known, "store.integritty")
    with pytest.raises(NotFound, match=r"memories\.…"):
        find_query(known, "nothing.here")


def test_a_query_asked_by_hand_says_what_it_takes() -> None:
    """Parameters too many, too few or misspelt are listed with those that are wanted."""
    known = named_queries.load_queries()
    assert named_queries.checked_query(known, "memories.tag_description", {"id": 1}).name.endswith(
        "description"
    )
    with pytest.raises(InvalidInput, match=r"takes id=…; id is missing, nme is unknown"):
        named_queries.checked_query(known, "memories.tag_description", {"nme": 1})
    with pytest.raises(InvalidInput, match="no parameters"):
        named_queries.checked_query(known, "memories.counts", {"id": 1})


def test_a_changing_query_does_not_pass_for_a_reading_one() -> None:
    """Insert, update and delete are not read-only."""
    known = named_queries.load_queries()
    assert not known["memories.delete"].is_read_only
    assert not known["memories.insert"].is_read_only
    assert known["retrieval.cascade"].is_read_only


def test_a_package_without_its_sql_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Copying `memkit/` without `sql/` ends in one clear line."""
    monkeypatch.setattr(named_queries, "__file__", "/nowhere/memkit/store/sqlfiles.py")
    with pytest.raises(StoreError, match="no sql/ beside memkit"):
        named_queries.sql_root()


def test_a_list_that_is_no_json_is_named(kit: memkit.Memkit) -> None:
    """The parameter, what was found, and what is expected."""
    said = "query memories.by_ids: ids: found 'x', expected a JSON list"
    with pytest.raises(InvalidInput, match=said):
        kit.query("memories.by_ids", ids="x")
    assert kit.query("memories.by_ids", ids="[1]") == []
