"""Schema steps, derived parts, drift detection.

A file's schema is compared, object by object, with what the SQL files make. Anything that memkit
did not make is refused by name. Derived parts and views whose text differs are dropped and made
anew; a permanent table that differs is never touched. An object that a derived part no longer makes
is named in its SQL (`-- formerly: …`), so that files of an older memkit can be opened.

To change a permanent table, add the next step to sql/schema; those that are there never change.
Foreign keys are in force while a step runs: a table that others refer to is never dropped, or their
rows go with it. A check that is to allow more is that of a new column, into which the old one is
copied before it is dropped and the new one takes its name; views and indexes that read the old
column are dropped first, and the indexes of sql/schema made again (views come back by themselves).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import apsw

from ..errors import ForeignObject, NotAMemkitFile, SchemaTooNew, StoreDamaged
from .connection import APPLICATION_ID, connect_memory
from .named_queries import load_queries, sql_root

_FORMERLY = re.compile(r"^-- formerly: (.+)$", re.MULTILINE)

Objects = dict[str, str]  # name → CREATE statement as SQLite stores it


class DerivedPart(NamedTuple):
    """One derived part, or the set of views.

    Attributes:
        sql: what makes it. definition: the hash of that. objects, tables: what it makes.
        former: names of what it made in an older memkit.
    """

    name: str
    sql: str
    definition: str
    objects: Objects
    tables: tuple[str, ...]
    former: tuple[str, ...]


class Reference(NamedTuple):
    """The schema as this memkit makes it."""

    version: int
    steps: tuple[str, ...]
    permanent: Objects
    parts: tuple[DerivedPart, ...]


@lru_cache(maxsize=1)
def reference() -> Reference:
    """Return the schema that the SQL files make (built once per process, in memory)."""
    root = sql_root()
    steps = tuple(_read(path) for path in sorted((root / "schema").glob("[0-9]*.sql")))
    with in_memory(steps) as memory:
        permanent = _objects(memory)
        scripts = {path.stem: _read(path) for path in sorted((root / "derived").glob("*.sql"))}
        scripts["views"] = "\n".join(_read(path) for path in sorted((root / "views").glob("*.sql")))
        parts = tuple(_parts(memory, scripts, permanent))
    return Reference(len(steps), steps, permanent, parts)


@lru_cache
def permanent_objects(version: int) -> Objects:
    """Return the permanent objects of schema `version`."""
    if version == reference().version:
        return reference().permanent
    with in_memory(reference().steps[:version]) as memory:
        return _objects(memory)


@contextmanager
def in_memory(steps: Iterable[str]) -> Iterator[apsw.Connection]:
    """Give a connection to a database in memory that these steps have made."""
    memory = connect_memory()
    try:
        for step in steps:
            run_script(memory, step)
        yield memory
    finally:
        memory.close()


def run_script(connection: apsw.Connection, script: str) -> None:
    """Run all statements of `script`, to the end."""
    for _ in connection.execute(script):
        pass


def add_temporary(connection: apsw.Connection) -> None:
    """Make what a connection has of its own, in its temp schema: nothing of it is in the file."""
    for path in sorted((sql_root() / "temporary").glob("*.sql")):
        run_script(connection, _read(path))


def identify(connection: apsw.Connection, path: object) -> int | None:
    """Return the schema version of the file, or None if it is empty.

    Raises NotAMemkitFile, SchemaTooNew, ForeignObject or StoreDamaged; the file is only read.
    """
    objects = {name: (kind, sql) for name, kind, sql in _rows(connection)}
    application = connection.pragma("application_id")
    if not objects and application == 0:
        return None
    schema = reference()
    version = connection.pragma("user_version")
    if application == 0 and schema.permanent.keys() <= objects.keys():
        version = schema.version  # reloaded from a dump, which keeps tables but not the two numbers
    elif application != APPLICATION_ID:
        raise NotAMemkitFile(
            f"{path}: is a database of another program (application_id {application:#x}, "
            f"expected {APPLICATION_ID:#x}); choose another path (nothing was changed)"
        )
    if version > schema.version:
        raise SchemaTooNew(
            f"{path}: written with schema {version}, this memkit knows up to {schema.version}; "
            "upgrade memkit (nothing was changed)"
        )
    _compare(objects, permanent_objects(version), path)
    return int(version)


def _compare(objects: dict[str, tuple[str, str]], permanent: Objects, path: object) -> None:
    made = {name for part in reference().parts for name in (*part.objects, *part.former)}
    for name, (kind, sql) in objects.items():
        if name in permanent:
            if sql != permanent[name]:
                raise ForeignObject(
                    f"{path}: {kind} {name} is not as memkit makes it; restore the file from git "
                    "or export its rows with sqlite3 into a new store"
                )
        elif name not in made:
            raise ForeignObject(
                f"{path}: {kind} {name} was not made by memkit; remove it with "
                f"sqlite3: drop {kind} {name};"
            )
    missing = sorted(permanent.keys() - objects.keys())
    if missing:
        raise StoreDamaged(
            f"{path}: table or index {missing[0]} is missing; restore the file from git"
        )


def upgrade(connection: apsw.Connection, version: int | None) -> None:
    """Apply the permanent steps after `version` inside the caller's transaction."""
    schema = reference()
    for step in schema.steps[version or 0 :]:
        run_script(connection, step)
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", schema.version)


def is_current(connection: apsw.Connection) -> bool:
    """Whether an identified file needs nothing: its version, its mark and its derived parts."""
    return (
        connection.pragma("user_version") == reference().version
        and connection.pragma("application_id") == APPLICATION_ID
        and not stale_parts(connection)
    )


def stale_parts(connection: apsw.Connection) -> list[DerivedPart]:
    """Return the derived parts whose definition or objects in the file are not the wanted ones."""
    objects = {name: sql for name, _, sql in _rows(connection)}
    try:
        recorded = dict(connection.execute(load_queries()["store.derived_parts"].sql))
    except UnicodeDecodeError:
        recorded = {}  # another program wrote there: made anew, all of it fits again
    return [
        part
        for part in reference().parts
        if recorded.get(part.name) != part.definition
        or any(objects.get(name) != sql for name, sql in part.objects.items())
        or not objects.keys().isdisjoint(part.former)
    ]


def remake(connection: apsw.Connection, part: DerivedPart, *, at: str) -> None:
    """Drop and make the objects of one derived part; its rows are filled by whoever owns them."""
    # First what has its own statement; then tables that a virtual table should have taken with it.
    for names in (part.tables, (*part.objects, *part.former)):
        kinds = {name: kind for name, kind, _ in _rows(connection)}
        for name in names:
            if name in kinds:
                # Names come from our own SQL files, never from the file being opened.
                # A virtual table takes its shadow tables with it.
                run_script(connection, f'drop {kinds[name]} if exists "{name}"')
    run_script(connection, part.sql)
    connection.execute(
        load_queries()["store.set_derived_part"].sql,
        {"name": part.name, "definition": part.definition, "at": at},
    )


def _parts(
    memory: apsw.Connection, scripts: Mapping[str, str], permanent: Objects
) -> Iterator[DerivedPart]:
    """Yield the part that each script makes, run one after the other."""
    before = permanent
    for name, sql in scripts.items():
        run_script(memory, sql)
        after = _objects(memory)
        yield _part(name, sql, {n: s for n, s in after.items() if n not in before})
        before = after


def _part(name: str, sql: str, made: Objects) -> DerivedPart:
    shadows = {n for n in made if any(n.startswith(f"{o}_") and _is_virtual(made[o]) for o in made)}
    tables = tuple(n for n, s in made.items() if n not in shadows and not _is_index(s))
    former = tuple(
        name for line in _FORMERLY.findall(sql) for name in line.replace(",", " ").split()
    )
    return DerivedPart(name, sql, hashlib.sha256(sql.encode()).hexdigest(), made, tables, former)


def _rows(connection: apsw.Connection) -> list[tuple[str, str, str]]:
    return list(connection.execute(load_queries()["store.objects"].sql))


def _objects(connection: apsw.Connection) -> Objects:
    return {name: sql for name, _, sql in _rows(connection)}


def _is_virtual(sql: str) -> bool:
    return sql.upper().startswith("CREATE VIRTUAL TABLE")


def _is_index(sql: str) -> bool:
    return sql.upper().startswith(("CREATE INDEX", "CREATE UNIQUE INDEX")) or not sql


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# --- Known schema: the digest of a file that is just as the SQL files make it.
#
# To build the schema in memory and to compare it object by object takes longer than most of what a
# hook does. So the digest of its outcome lies beside the SQL files, with one of the files
# themselves: where either differs, and with an SQLite that writes its shadow tables otherwise, the
# long way is gone. tests/test_schema.py holds both right.

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
