"""Known schema: the digest of a file that is just as the SQL files make it.

To build the schema in memory and to compare it object by object takes longer than most of what a
hook does. So the digest of its outcome lies beside the SQL files, with one of the files themselves:
where either differs, and with an SQLite that writes its shadow tables otherwise, the long way is
gone. tests/test_schema.py holds both right.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import apsw

from .connection import APPLICATION_ID
from .named_queries import load_queries, sql_root

FILE_NAME = "known_schema.txt"
_FOLDERS = ("derived", "schema", "views")


def known_version(connection: apsw.Connection) -> int | None:
    """Return the schema version of a file that is just as this memkit makes it; None if anything in
    it may differ."""
    version, objects, parts = _known()
    is_known = (
        connection.pragma("application_id") == APPLICATION_ID
        and connection.pragma("user_version") == version
        and _digest(connection, "store.objects") == objects
        # Asked only where the table is known to be memkit's own.
        and _digest(connection, "store.derived_parts") == parts
    )
    return version if is_known else None


def noted(connection: apsw.Connection, version: int) -> str:
    """Return what FILE_NAME has to hold, `connection` being to a file that was just made."""
    digests = [_digest(connection, name) for name in ("store.objects", "store.derived_parts")]
    return "".join(f"{field}\n" for field in (_digest_of_sources(), version, *digests))


@lru_cache(maxsize=1)
def _known() -> tuple[int, str, str]:
    """Return the version and the digests that are noted; of other SQL files they mean nothing."""
    try:
        sources, version, objects, parts = (sql_root() / FILE_NAME).read_text("utf-8").split()
    except (OSError, ValueError):
        return _UNKNOWN
    return (int(version), objects, parts) if sources == _digest_of_sources() else _UNKNOWN


_UNKNOWN = (-1, "", "")


def _digest(connection: apsw.Connection, query: str) -> str:
    """Return the digest of a query's rows, "" where another program wrote what is no text."""
    try:
        rows = sorted(connection.execute(load_queries()[query].sql))
    except UnicodeDecodeError:
        return ""
    return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()


def _digest_of_sources() -> str:
    """Return the digest of the SQL files that make the schema."""
    digest = hashlib.sha256()
    for folder in _FOLDERS:
        for path in sorted((sql_root() / folder).glob("*.sql")):
            text = path.read_bytes()
            digest.update(f"{folder}/{path.name} {len(text)}\n".encode())
            digest.update(text)
    return digest.hexdigest()
