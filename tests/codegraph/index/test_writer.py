"""Lists of nodes by key, as they are stored."""

from __future__ import annotations

import apsw
from hypothesis import given
from hypothesis import strategies as st

from memkit.codegraph.index.writer import middle, pack_steps, unpack_steps

# SQLite ends a text where a zero stands, and holds no half of a pair.
NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)))


@given(NAMES)
def test_piece_of_a_name_is_that_of_sql(name: str) -> None:
    """A name is looked for in SQL under the key that it was put under in Python."""
    sql = "select substr(:name, length(:name) / 2, 3)"
    found = apsw.Connection(":memory:").execute(sql, {"name": name}).fetchall()
    assert found == [(middle(name),)]


@given(st.sets(st.integers(0, 2**40)))
def test_steps_lead_to_the_nodes(nodes: set[int]) -> None:
    """A list comes back as it was, from Python and from SQL."""
    stored = pack_steps(sorted(nodes))
    assert unpack_steps(stored) == sorted(nodes)
    sql = "select sum(value) over (order by key) from json_each(?)"
    found = apsw.Connection(":memory:").execute(sql, (stored,)).fetchall()
    assert found == [(node,) for node in sorted(nodes)]
