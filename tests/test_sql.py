"""Every piece of SQL: it compiles, is declared as what it is, is used, and uses its indexes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path

import apsw
import apsw.ext
import pytest

from memkit.anchors import AnchorState
from memkit.codegraph import records as code
from memkit.consolidation import plan, runs
from memkit.context import backend, spans
from memkit.episodes import records as episodic
from memkit.memories import outcomes, records
from memkit.store import schema
from memkit.store.connection import connect_memory, load_vector_functions
from memkit.store.named_queries import Query, load_queries, sql_root
from memkit.store.tables import table_queries, tables
from tests.tables import each_row

PACKAGE = Path(__file__).parent.parent / "memkit"
QUERIES = load_queries()
READING_VERBS = {"all", "one", "value", "records"}
WRITING_VERBS = {"run", "probe"}

# Columns whose `check (x in (…))` must list a Python enumeration.
ENUMS: dict[str, type[StrEnum]] = {
    "memories.kind": records.Kind,
    "memories.form": records.Form,
    "memories.scope": records.Scope,
    "memories.provenance": records.Provenance,
    "provenance.source": records.Provenance,
    "artifacts.kind": records.ArtifactKind,
    "edges.kind": records.EdgeKind,
    "contradictions.resolution": records.Resolution,
    "contradictions.origin": records.Origin,
    "procedure_outcomes.outcome": outcomes.StepOutcome,
    "procedure_outcomes.origin": outcomes.OutcomeOrigin,
    "contradictions.proposed": records.Resolution,
    "pair_verdicts.verdict": records.PairVerdict,
    "pair_verdicts.decided_by": records.Decider,
    "memories.inactive_code": records.InactiveCode,
    "task_history.intent": episodic.Intent,
    "task_history.status": episodic.TaskStatus,
    "tool_executions.output_type": episodic.OutputType,
    "file_interactions.operation": episodic.FileOperation,
    "context_items.kind": backend.ItemKind,
    "memory_items.kind": backend.ItemKind,
    "memory_reviews.state": records.ReviewState,
    "consolidation_runs.state": runs.RunState,
    "consolidation_changes.action": plan.ChangeAction,
    "removed_spans.kind": spans.SpanKind,
    "context_snapshots.reason": episodic.SnapshotReason,
    "learned_patterns.pattern_type": episodic.PatternType,
    "session_learnings.learning_type": episodic.LearningType,
    "predictions.signal": episodic.SignalKind,
    "predictions.kind": episodic.PredictedKind,
    "commits.kind": episodic.CommitKind,
    "commit_files.operation": episodic.CommitOperation,
    "code_files.status": code.FileStatus,
    "code_symbols.kind": code.NodeKind,
    "code_relations.kind": code.RelationKind,
    "code_relations.state": code.RelationState,
}
# Told of what is read, never stored.
UNSTORED = {
    records.Outcome, code.SymbolForm, episodic.RecordStatus, AnchorState,
}  # fmt: skip

# What is run for every question, every write and every call of a tool stands in these; the plans of
# the queries that they name stand in tests/golden/plans.txt.
HOT_MODULES = (
    "codegraph/query/anchor_check.py",
    "codegraph/query/nodes.py",
    "codegraph/query/graph_queries.py",
    "codegraph/query/symbol_lookup.py",
    "context/sources.py",
    "episodes/predictions/observations.py",
    "episodes/recording/writer.py",
    "memories/search_index.py",
    "memories/writer.py",
    "memories/ingest.py",
    "retrieval/",
)

# First words of SQL that Python may hold all the same, by place: what holds a transaction together,
# and the dropping of a derived part by the name its own SQL gave it.
SQL_IN_PYTHON = {
    "store/": ("begin", "rollback", "savepoint", "release", "vacuum"),
    "store/schema.py": ("drop",),
}
_STATEMENT = re.compile(
    r"\s*(select\s|with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\b|insert\s+(or\s+\w+\s+)?into\s"
    r"|replace\s+into\s|update\s+\w+\s+set\b|delete\s+from\s|alter\s+table\s|pragma\s|attach\s"
    r"|create\s+(temp\s+|unique\s+|virtual\s+)*(table|index|view|trigger)\s+\w|drop\s|vacuum\s"
    r"|begin\s+(immediate|deferred|exclusive)\b|rollback\s|savepoint\s|release\s)",
    re.I,
)

# Columns of a table that refer to another, and the first columns of its key and its indexes.
_HANGS_ON = """select "from" from pragma_foreign_key_list(?)"""
_LEADING = """
    select i.name from pragma_index_list(?1) l, pragma_index_info(l.name) i where i.seqno = 0
    union
    select name from pragma_table_info(?1) where pk = 1
"""
_INDEXES = "select name from sqlite_schema where type = 'index' and sql is not null"
# Indexes that deleting a row goes by, which no plan shows.
_OF_REFERENCES = """
    select l.name
    from sqlite_schema t, pragma_foreign_key_list(t.name) f, pragma_index_list(t.name) l,
        pragma_index_info(l.name) i
    where i.seqno = 0 and i.name = f."from"
"""


@pytest.fixture(scope="module")
def fresh() -> Iterator[apsw.Connection]:
    """A database in memory with the whole schema and the vector functions."""
    memory = connect_memory()
    assert load_vector_functions(memory) is None
    wanted = schema.reference()
    for script in [*wanted.steps, *(part.sql for part in wanted.parts)]:
        schema.run_script(memory, script)
    schema.add_temporary(memory)
    yield memory
    memory.close()


@each_row("name", [*QUERIES, *table_queries()])
def test_query_compiles_and_is_what_it_is_called(fresh: apsw.Connection, name: str) -> None:
    """Every query compiles against a fresh schema, and is read-only exactly if it says so."""
    query = {**QUERIES, **table_queries()}[name]
    details = apsw.ext.query_info(fresh, query.sql, dict.fromkeys(query.params))
    assert details.query_remaining is None, "more than one statement"
    assert details.is_readonly == query.is_read_only
    assert query.doc, "no comment"


def test_plans_of_hot_queries(fresh: apsw.Connection, golden: Callable[[str, str], None]) -> None:
    """The queries of every question and every write go by the indexes they are meant to use."""
    files = {file for file, _, _ in _names()}
    assert all(any(file.startswith(module) for file in files) for module in HOT_MODULES)
    used = {name for file, _, name in _names() if file.startswith(HOT_MODULES)}
    hot = [query for query in QUERIES.values() if query.name in used]
    golden("plans.txt", "\n".join(plan for query in hot if (plan := _plan(fresh, query))))


@each_row("path", sorted((sql_root() / "queries").glob("*.sql")))
def test_query_files_that_say_so_only_read(path: Path) -> None:
    """What the head of a file of queries says of all of them holds for each."""
    head = path.read_text(encoding="utf-8").partition("\n-- name:")[0]
    if "only reads" in head:
        writing = [q for q in QUERIES.values() if q.name.startswith(f"{path.stem}.")]
        assert all(query.is_read_only for query in writing)


def test_references_are_indexed_from_both_ends(fresh: apsw.Connection) -> None:
    """A purge read all that was ever shown: whatever hangs on a row is found from that row."""
    slow = [
        f"{table}.{column}"
        for table, _ in _table_texts(fresh)
        for (column,) in list(fresh.execute(_HANGS_ON, (table,)))
        if column not in {first for (first,) in fresh.execute(_LEADING, (table,))}
    ]
    assert not slow


def test_every_index_is_used(fresh: apsw.Connection) -> None:
    """An index that no query goes by costs every write and the committed file."""
    fresh.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    plans = [_plan(fresh, query) for query in {**QUERIES, **table_queries()}.values()]
    used = {name for plan in plans for name in re.findall(r"\bINDEX (\w+)", plan)}
    made = {name for (name,) in fresh.execute(_INDEXES)}
    references = {name for (name,) in fresh.execute(_OF_REFERENCES)}
    assert not made - used - references


def test_full_text_search_within_a_list_runs_once(fresh: apsw.Connection) -> None:
    """A search within some memories goes through what matches once: FTS5 takes a list of rows as
    so many searches, and a question within a common tag took five times as long."""
    plans = [_plan(fresh, query) for query in QUERIES.values() if " match " in query.sql]
    assert plans
    assert not [plan for plan in plans if re.search(r"VIRTUAL TABLE INDEX \d+:[=<>]+M", plan)]


def test_file_history_uses_indexes(fresh: apsw.Connection) -> None:
    """Commits of both of a file's names are found by indexes, however long the log is."""
    assert not re.findall(r"SCAN (?!t$).+", _plan(fresh, QUERIES["episodes.commits_of"]), re.M)


def test_current_value_of_a_key_is_found_by_index(fresh: apsw.Connection) -> None:
    """The current value is found by an index that tells it from what it has replaced."""
    assert "superseded_by=?" in _plan(fresh, QUERIES["memories.find_current_fact"])


def test_changes_are_paired_within_a_time_span(fresh: apsw.Connection) -> None:
    """What was changed together is looked for in the same span of time."""
    plan = _plan(fresh, QUERIES["episodes.edited_together"])
    assert re.search(r"SEARCH b USING AUTOMATIC .*INDEX \(.*span=\?", plan)


def test_every_query_is_used() -> None:
    """Every query is named somewhere in the package."""
    unused = sorted(QUERIES.keys() - {name for _, _, name in _names()})
    assert not unused, ", ".join(unused)


def test_names_in_python_exist() -> None:
    """Whatever in the package looks like the name of a query is one."""
    known = {**QUERIES, **table_queries()}
    assert not [f"{file}:{line} {name}" for file, line, name in _names() if name not in known]


def test_queries_are_named_in_their_own_package_only() -> None:
    """Whoever wants to know what another room has stored asks a function of that room; a file of
    queries is called `<room>.sql` or `<room>_<topic>.sql`. The store lies below them all, and what
    lies in no room is above them."""
    rooms = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith("_")}
    assert {name.partition(".")[0].partition("_")[0] for name in QUERIES} <= rooms
    wrong = [
        f"{file}:{line} {name}"
        for file, line, name in _names()
        if (PACKAGE / (room := file.partition("/")[0])).is_dir()
        and name.partition(".")[0].partition("_")[0] not in (room, "store", "tables")
    ]
    assert not wrong, "\n".join(wrong)


def test_calls_give_the_parameters() -> None:
    """A query named in a call gets exactly the parameters it declares, from a verb that fits it."""
    wrong = []
    for file, call in _calls():
        assert isinstance(call.func, ast.Attribute)
        assert isinstance(call.args[0], ast.Constant)
        query = QUERIES[call.args[0].value]
        given = {keyword.arg for keyword in call.keywords}
        owner = ast.unparse(call.func.value)
        if file.startswith("episodes/") and owner in ("self", "self._reader"):
            given.add("project")  # an EpisodeReader adds it
        fits = None in given or given == set(query.params)
        if not fits or query.is_read_only != (call.func.attr in READING_VERBS):
            wrong.append(
                f"{file}:{call.lineno} {call.func.attr} {query.name} {sorted(given, key=str)}"
            )
    assert not wrong, "\n".join(wrong)


def test_no_sql_in_python() -> None:
    """SQL stands in sql/; tables.py alone makes some, from the schema files."""
    wrong = []
    for file, node in _strings():
        found = _STATEMENT.match(node.value)
        if not found or file == "store/tables.py":
            continue
        allowed = [
            word for at, words in SQL_IN_PYTHON.items() if file.startswith(at) for word in words
        ]
        if found[1].split()[0].lower() not in allowed:
            wrong.append(f"{file}:{node.lineno} {node.value[:60]!r}")
    assert not wrong, "\n".join(wrong)


def test_check_lists_equal_the_enumerations(fresh: apsw.Connection) -> None:
    """Each `check (x in ('…'))` lists exactly the values of the Python enumeration: a new value
    takes a step in sql/schema that makes the check anew."""
    listed = {}
    for table, sql in _table_texts(fresh):
        for column, values in re.findall(r"check \((\w+) in \(('[^)]*)\)\)", sql):
            listed[f"{table}.{column}"] = re.findall(r"'([^']*)'", values)
    values = {name: [value.value for value in enum] for name, enum in ENUMS.items()}
    for kind in (code.NodeKind.FILE, code.NodeKind.IMPORT):  # nodes that are no symbols
        values["code_symbols.kind"].remove(kind)
    assert listed.keys() == values.keys()
    wrong = [
        f"{name}: {listed[name]}, not {values[name]}"
        for name in listed
        if listed[name] != values[name]
    ]
    assert not wrong, "\n".join(
        [*wrong, "add a step to sql/schema; memkit/store/schema.py says how"]
    )


def test_every_enumeration_is_checked() -> None:
    """An enumeration that is stored is checked by the schema too."""
    stored = {
        value
        for words in (records, outcomes, episodic, backend, spans, code, plan, runs)
        for value in vars(words).values()
        if isinstance(value, type)
        and issubclass(value, StrEnum)
        and value.__module__ == words.__name__
    }
    assert stored - UNSTORED == set(ENUMS.values())


def test_every_column_is_commented(fresh: apsw.Connection) -> None:
    """`.schema` in the plain shell is the data dictionary: a comment on every column."""
    silent = []
    for table, sql in _table_texts(fresh):
        columns = [row[1] for row in fresh.pragma("table_info", table)]
        # A column that was added later stands behind a comma, with a comment in stars.
        starts = [m.start() for c in columns if (m := re.search(rf"(^\s+|, ){c} ", sql, re.M))]
        assert len(starts) == len(columns), table
        ends = [*starts[1:], len(sql)]
        for column, start, end in zip(columns, starts, ends, strict=True):
            if not re.search(r"(--|/\*)\s*\S", sql[start:end]):
                silent.append(f"{table}.{column}")
    assert not silent, ", ".join(silent)


def test_every_table_says_its_kind(fresh: apsw.Connection) -> None:
    """The first words in a table's parentheses are `-- shared:`, `-- local:` or `-- derived:`."""
    kinds = {}
    for table, sql in _table_texts(fresh):
        said = re.match(r"create table \w+ \(\s*-- (shared|local|derived): \S", sql, re.I)
        kinds[table] = said[1] if said else "nothing"
    permanent = {name: table.kind for name, table in tables().items()}
    expected = {table: permanent.get(table, "derived") for table in kinds}
    assert kinds == expected
    assert "derived" not in permanent.values()


def test_tables_are_strict_and_nothing_acts_by_itself(fresh: apsw.Connection) -> None:
    """Every table is STRICT, and the schema has no trigger."""
    assert not [
        table for table, sql in _table_texts(fresh) if "strict" not in sql.rsplit(")", 1)[1]
    ]
    assert not list(fresh.execute("select name from sqlite_schema where type = 'trigger'"))


def test_views_work_and_are_explained(fresh: apsw.Connection) -> None:
    """Each view stands in a file of its own name, under a comment, and can be read."""
    fresh.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 1)
    named = {
        name for (name,) in fresh.execute("select name from sqlite_schema where type = 'view'")
    }
    files = {path.stem: path for path in (sql_root() / "views").glob("*.sql")}
    assert files.keys() == named
    for name, path in files.items():
        assert path.read_text(encoding="utf-8").startswith("-- ")
        list(fresh.execute(f"select * from {name}"))


def _plan(connection: apsw.Connection, query: Query) -> str:
    """Return the query's name and its plan as a tree, one step a line; "" if there is no plan."""
    depth = {0: 0}
    steps = []
    unset = dict.fromkeys(query.params)
    for node, parent, _, detail in connection.execute(f"explain query plan {query.sql}", unset):
        depth[node] = depth[parent] + 1
        steps.append("  " * depth[node] + detail)
    return "\n".join([query.name, *steps, ""]) if steps else ""


def _table_texts(connection: apsw.Connection) -> list[tuple[str, str]]:
    """Return name and text of every ordinary table, without those that FTS5 keeps for itself."""
    shadows = {row[1] for row in connection.pragma("table_list") if row[2] in ("shadow", "virtual")}
    rows = connection.execute("select name, sql from sqlite_schema where type = 'table'")
    return [row for row in rows if row[0] not in shadows and not row[0].startswith("sqlite_")]


@cache
def _trees() -> list[tuple[Path, ast.Module]]:
    """Return every module of the package with its syntax tree."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


@cache
def _strings() -> list[tuple[str, ast.Constant]]:
    """Return file and node of every string in the package that is no docstring."""
    strings = []
    for path, tree in _trees():
        nodes = list(ast.walk(tree))
        prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        strings += [
            (path.relative_to(PACKAGE).as_posix(), node)
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in prose
        ]
    return strings


def _names() -> Iterator[tuple[str, int, str]]:
    """Yield file, line and text of every string that has the form of a query's name."""
    files = {name.partition(".")[0] for name in QUERIES} | {"tables"}
    form = re.compile(rf"({'|'.join(sorted(files))})\.[a-z_0-9]+")
    for file, node in _strings():
        if form.fullmatch(node.value) and file != "__init__.py":  # which names modules
            yield file, node.lineno, node.value


def _calls() -> Iterator[tuple[str, ast.Call]]:
    """Yield file and node of every call of a store's verb with the name of a query."""
    verbs = READING_VERBS | WRITING_VERBS
    for path, tree in _trees():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in verbs
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and node.args[0].value in QUERIES
            ):
                yield path.relative_to(PACKAGE).as_posix(), node


@pytest.mark.parametrize("name", ["counts", "counts_by_kind", "count_tags", "aliases_of"])
def test_numbers_of_a_file_read_no_text(name: str, fresh: apsw.Connection) -> None:
    """What is counted comes from an index that holds nothing else, however long memories are."""
    assert "USING COVERING INDEX" in _plan(fresh, QUERIES[f"memories.{name}"])
