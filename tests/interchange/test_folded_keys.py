"""Keys that come from outside are the same as ours, however they are spelt."""

from __future__ import annotations

from collections import Counter

from memkit.interchange.archive import clean_row
from memkit.memories import ingest
from memkit.store.tables import tables


def test_a_key_taken_in_is_stored_as_it_is_looked_up() -> None:
    """Capitals and spaces of another program's key make no second fact and no other hash."""
    draft = ingest.Draft(text="it is 80", key="default port", value="80")
    ours = ingest.prepare(draft, project="", now=0.0, locate=lambda about, text: ()).row
    table = tables()["memories"]
    row = {**dict.fromkeys(table.columns), **table.defaults, **ours, "id": 1 << 40}
    theirs = clean_row(table, {**row, "key": "Default  Port", "qualifier": " "}, Counter())
    assert (theirs["key"], theirs["qualifier"]) == ("default port", None)
    assert theirs["content_hash"] == ours["content_hash"]
