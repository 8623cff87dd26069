"""The schema for ever: released steps never change, and every file ever written still opens."""

from __future__ import annotations

import hashlib
import io
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import apsw.shell
import pytest

import memkit
from memkit.store import schema
from memkit.store.connection import connect
from memkit.store.named_queries import sql_root

from .conftest import beside
from .make_fixture import FIXTURES, QUESTION, STATEMENT, fill

RELEASED = sorted(FIXTURES.glob("v*.memkit.db"))
MakeKit = Callable[..., memkit.Memkit]


def test_released_steps_are_pinned(golden: Callable[[str, str], None]) -> None:
    """A step that was released never changes: its hash stands in tests/golden/schema_steps.txt."""
    steps = sorted((sql_root() / "schema").glob("*.sql"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in steps]
    golden("schema_steps.txt", "".join(lines))


def _reading(kit: memkit.Memkit) -> apsw.Connection:
    """Return a connection of its own to the file of a kit, which is closed."""
    kit.close()
    return connect(kit.path, readonly=True, busy_timeout=1)


def test_the_digest_of_the_schema_is_noted(
    kit: memkit.Memkit, request: pytest.FixtureRequest
) -> None:
    """A file that was just made is known by its digest, which stands beside the SQL files; renewed
    as the golden files are."""
    with closing(_reading(kit)) as connection:
        text = schema.noted(connection, schema.reference().version)
    path = sql_root() / schema.FILE_NAME
    if request.config.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8", newline="\n")
        schema._known.cache_clear()
    assert path.read_text("utf-8") == text, f"sql/{path.name} differs; renew: --update-golden"


@pytest.mark.parametrize(
    "change",
    [
        "create table foreign_rows (x)",
        "create index foreign_index on settings (value)",
        "update derived_parts set definition = 'another' where name = 'search'",
        "delete from derived_parts where name = 'views'",
        "drop view overview",
        "pragma user_version = 1",
        "pragma application_id = 1",
        "alter table settings add column more text",
    ],
)
def test_a_changed_schema_is_not_known(kit: memkit.Memkit, change: str) -> None:
    """Whatever differs in a file's schema, or in what its derived parts were built from, is seen:
    such a file is looked at object by object."""
    with closing(_reading(kit)) as connection:
        assert schema.known_version(connection) == schema.reference().version
    with sqlite3.connect(kit.path) as plain:
        plain.execute(change)
    plain.close()
    with closing(_reading(kit)) as connection:
        assert schema.known_version(connection) is None


def test_a_digest_of_other_sql_files_means_nothing(
    kit: memkit.Memkit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an SQL file was changed and the digest not renewed, no file is known by it."""
    root = tmp_path / "sql"
    shutil.copytree(sql_root(), root)
    with (root / "views" / "overview.sql").open("a") as file:
        file.write("-- another comment")
    schema._known.cache_clear()
    monkeypatch.setattr(schema, "sql_root", lambda: root)
    try:
        with closing(_reading(kit)) as connection:
            assert schema.known_version(connection) is None
    finally:
        schema._known.cache_clear()


def test_steps_are_numbered_without_gaps() -> None:
    """Steps are numbered from 0001 on, and the last number is the schema's version."""
    numbers = [int(path.name[:4]) for path in sorted((sql_root() / "schema").glob("*.sql"))]
    assert numbers == list(range(1, schema.reference().version + 1))


def test_schema_as_the_shell_prints_it(
    kit: memkit.Memkit, golden: Callable[[str, str], None]
) -> None:
    """The whole schema, as `.schema` prints it, stands in tests/golden/schema.sql for review."""
    with sqlite3.connect(kit.path) as plain:
        rows = plain.execute("select sql from sqlite_schema where sql <> '' order by rowid")
        text = ";\n".join(sql for (sql,) in rows) + ";\n"
    plain.close()
    golden("schema.sql", text)


def test_no_object_of_a_derived_part_is_forgotten(golden: Callable[[str, str], None]) -> None:
    """Every object that a part ever made is made still or named as a former one: a file that holds
    it would be refused. The list only grows."""
    parts = schema.reference().parts
    names = {name for part in parts for name in (*part.objects, *part.former)}
    assert not names & schema.reference().permanent.keys()
    golden("derived_objects.txt", "".join(f"{name}\n" for name in sorted(names)))


def test_a_file_with_objects_of_an_older_memkit_opens(tmp_path: Path, make_kit: MakeKit) -> None:
    """What a derived part made once and makes no more is dropped when the file is opened for
    writing, and harms no reader."""
    kit = make_kit("old.memkit.db")
    fill(kit)
    kit.close()
    former = [name for part in schema.reference().parts for name in part.former]
    assert former
    with sqlite3.connect(tmp_path / "old.memkit.db") as plain:
        for name in former:
            plain.execute(f"create table {name} (x)")
    plain.close()
    reader = make_kit("old.memkit.db", readonly=True)
    assert reader.recall(QUESTION, min_score=0)
    reader.close()
    kit = make_kit("old.memkit.db")
    assert kit.check().is_sound
    with sqlite3.connect(kit.path) as plain:
        left = {name for (name,) in plain.execute("select name from sqlite_schema")}
    plain.close()
    assert left.isdisjoint(former)


def test_there_is_a_fixture_of_this_schema() -> None:
    """A file written with the schema as it is now is kept: python -m tests.make_fixture."""
    assert FIXTURES / f"v{schema.reference().version}.memkit.db" in RELEASED


# -- files of every released schema


@pytest.mark.parametrize("path", RELEASED, ids=lambda p: p.name)
def test_released_file_reads(path: Path, tmp_path: Path, make_kit: MakeKit) -> None:
    """A file of any released schema opens read-only, answers, is sound, and stays as it is."""
    shutil.copy(path, tmp_path)
    kit = make_kit(path.name, readonly=True)
    assert kit.check().is_sound
    assert STATEMENT in [hit.memory.text for hit in kit.recall(QUESTION, min_score=0)]
    kit.close()
    assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert not beside(tmp_path / path.name)


@pytest.mark.parametrize("path", RELEASED, ids=lambda p: p.name)
def test_released_file_writes(path: Path, tmp_path: Path, make_kit: MakeKit) -> None:
    """A file of any released schema is upgraded when opened, keeps its rows and takes new ones."""
    shutil.copy(path, tmp_path)
    kit = make_kit(path.name)
    before = kit.memories.find(history=True)
    new = kit.memories.remember("Quokkas nest in the attic.")
    assert {memory.id for memory in before} < {m.id for m in kit.memories.find(history=True)}
    assert [hit.id for hit in kit.recall("where do quokkas nest?", min_score=0)][:1] == [new.id]
    assert kit.check().is_sound
    kit.close()
    assert schema_of(tmp_path / path.name) == schema_of(make_kit("new.memkit.db").path)


# -- the file without memkit


def test_plain_sqlite_reads_everything(kit: memkit.Memkit) -> None:
    """Python's own sqlite3, without any extension, reads every table and every view."""
    fill(kit)
    kit.close()
    plain = sqlite3.connect(kit.path)
    try:
        found = plain.execute("select name from sqlite_schema where type in ('table', 'view')")
        rows = {name: plain.execute(f"select * from {name}").fetchall() for (name,) in found}
        assert plain.execute("pragma integrity_check").fetchall() == [("ok",)]
        matching = "select count(*) from search_index where search_index match 'uploads'"
        assert plain.execute(matching).fetchone()[0] > 0
    finally:
        plain.close()
    assert rows["overview"]
    assert rows["lessons"]
    assert rows["memories"]


@pytest.mark.parametrize(
    "reload",
    [
        pytest.param("apsw", id="apsw-shell"),
        pytest.param(
            "sqlite3",
            id="sqlite3-shell",
            marks=pytest.mark.skipif(not shutil.which("sqlite3"), reason="no sqlite3 shell here"),
        ),
    ],
)
def test_survives_dump_and_reload(
    reload: str, kit: memkit.Memkit, tmp_path: Path, make_kit: MakeKit
) -> None:
    """`.dump | sqlite3 new` gives a file with the same schema and rows, which memkit opens."""
    fill(kit)
    before = kit.memories.find(history=True)
    kit.close()
    copy = tmp_path / "copy.memkit.db"
    {"apsw": _reload_by_apsw, "sqlite3": _reload_by_shell}[reload](kit.path, copy)
    assert schema_of(copy) == schema_of(kit.path)
    again = make_kit(copy.name)
    assert again.memories.find(history=True) == before
    assert STATEMENT in [hit.memory.text for hit in again.recall(QUESTION, min_score=0)]


def test_application_id_shows_what_it_is(kit: memkit.Memkit) -> None:
    """The file's header says `mkit` and the schema's version, for file(1) and for the next open."""
    kit.close()
    header = kit.path.read_bytes()[:100]
    assert header[68:72] == b"mkit"
    assert int.from_bytes(header[60:64], "big") == schema.reference().version
    assert header[18:20] == b"\x01\x01", "journal is not the rollback journal"


def schema_of(path: Path) -> dict[str, str]:
    """Return the text of every object in the file by name."""
    plain = sqlite3.connect(path)
    try:
        return dict(plain.execute("select name, sql from sqlite_schema where sql is not null"))
    finally:
        plain.close()


def _reload_by_shell(source: Path, target: Path) -> None:
    dump = subprocess.run(["sqlite3", source, ".dump"], capture_output=True, check=True)
    subprocess.run(["sqlite3", target], input=dump.stdout, check=True)


def _reload_by_apsw(source: Path, target: Path) -> None:
    text = io.StringIO()
    connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    apsw.shell.Shell(stdout=text, db=connection).process_command(".dump")
    connection.close()
    connection = apsw.Connection(str(target))
    for _ in connection.execute(text.getvalue()):
        pass
    connection.close()
