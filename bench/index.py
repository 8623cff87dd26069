"""The code graph of a tree: what the first index and that of one edit cost, and what answers take.

Sets: `small` (memkit's own package), `large` (--tree, or the running interpreter's library).
`parse_ratio` is the processor time of a full index over that of tree-sitter alone on the same
files, both in new processes; `edit_ms` the median of: change one file, ask who calls something in
it (a look at the tree, parsing, linking and the answer), its floor a full index; `mb` the greatest
size of the process; `bytes_per_line` the size of the graph's tables and indexes; `p95_ms` callers
and callees of symbols picked evenly, of `/impact` three steps; `/ctags` and `/full` are seconds of
processor time. With --sequences random edits are compared with a full index after each.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import memkit
from memkit.codegraph.codegraph import CodeGraph

from . import texts
from .command_line import parts
from .results import Options, Row
from .scoring import at_share, middle, milliseconds

# With --large a tree that is smaller is filled up with copies of itself.
_FILES = 5000
_EDITS = 25
_ASKED = 400
# Seconds that a question after an edit may wait: all that it needs is to be measured.
_PATIENCE = 600.0
_LEFT_OUT = ("site-packages", "__pycache__", ".git", "*.pyc")


def run(options: Options) -> Iterator[Row]:
    """Measure both trees, then compare sequences of edits if any are asked for."""
    library = Path(sysconfig.get_paths()["stdlib"])
    trees = {"small": texts.ROOT / "memkit", "large": options.tree or library}
    for name, tree in trees.items():
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "tree"
            least = _FILES if name == "large" and options.large else 0
            files = copied(tree, copy, least=least)
            options.say(f"{name}: {tree.name}, {files} files")
            yield from _measured(name, copy, options)
    if options.sequences:
        yield from _sequences(options)


def _measured(name: str, tree: Path, options: Options) -> Iterator[Row]:
    database = tree.parent / "bench.memkit.db"
    full = _apart("index", str(tree), str(database))
    bare = _apart("parse", str(tree), str(database))
    options.say(
        f"{name}: {full['parsed']:.0f} files parsed, {full['lines']:,.0f} lines, "
        f"{full['symbols']:,.0f} symbols, {full['edges']:,.0f} edges; "
        f"{full['wall']:.1f} s by the clock"
    )
    yield Row(name, "parse_ratio", full["cpu"] / bare["cpu"], 1.0)
    yield Row(f"{name}/full", "s", full["cpu"], bare["cpu"])
    yield Row(name, "mb", full["mb"], bare["mb"])
    yield Row(name, "bytes_per_line", full["bytes"] / full["lines"])
    if shutil.which("ctags"):
        yield Row(f"{name}/ctags", "s", _ctags(tree))
    with memkit.open(database, global_store=False) as kit:
        yield from _questions(name, kit, options)
        edits = list(_edits(kit, tree, min(_EDITS, options.limit or _EDITS)))
    yield Row(name, "edit_ms", middle(edits), full["wall"] * 1000)
    yield Row(f"{name}/edit", "p95_ms", at_share(edits, 0.95))


def _questions(name: str, kit: memkit.Memkit, options: Options) -> Iterator[Row]:
    graph = kit.codegraph
    names = _some_symbols(kit, options.limit or _ASKED)
    with graph.snapshot():
        near = [milliseconds(graph.callers, one) for one in names]
        near += [milliseconds(graph.callees, one) for one in names]
        far = [milliseconds(graph.impact, one) for one in names]
    for set_, spent in ((name, near), (f"{name}/impact", far)):
        yield Row(set_, "p50_ms", middle(spent))
        yield Row(set_, "p95_ms", at_share(spent, 0.95))


def _some_symbols(kit: memkit.Memkit, count: int) -> list[str]:
    """Return functions and methods picked evenly over the tree, by their full names."""
    graph = kit.codegraph
    found = [row["path"] for row in kit.query("codegraph.files") if row["status"] == "parsed"]
    step = max(1, len(found) // count)
    names = []
    with graph.snapshot():
        for path in found[::step]:
            inside = [n for n in graph.outline(str(path)) if n.kind in ("function", "method")]
            if inside:
                names.append(inside[len(inside) // 2].qualified)
    return names[:count]


def _edits(kit: memkit.Memkit, tree: Path, count: int) -> Iterator[float]:
    """Yield milliseconds from a change of one file to the answer that knows of it."""
    graph = CodeGraph(kit._store, patience=_PATIENCE)
    files = [row["path"] for row in kit.query("codegraph.files") if row["language"] == "python"]
    step = max(1, len(files) // count)
    for number, path in enumerate(files[::step][:count]):
        name = f"edited_by_the_bench_{number}"
        with (tree.parent / str(path)).open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef {name}():\n    return {name}_2()\n\n\ndef {name}_2():\n    pass\n")
        before = time.perf_counter()
        found = graph.callers(f"{name}_2")
        spent = (time.perf_counter() - before) * 1000
        if [node.name for node in found] != [name]:
            raise RuntimeError(f"{path}: the edit is not in the answer: {found}")
        yield spent


def _ctags(tree: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["ctags", "-R", "-f", os.devnull, str(tree)]
    # It complains of single files by its exit code, having read all others.
    subprocess.run(command, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _sequences(options: Options) -> Iterator[Row]:
    """Compare the graph after random edits with that of a full index, as the tests do."""
    from hypothesis import HealthCheck, given, settings

    from tests.codegraph.index import test_incremental as tests

    count = options.sequences or 0
    wanted = settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
    )
    for name, test, edits in (
        ("toy", tests.test_equals_a_full_index, tests.edits()),
        ("python", tests.test_python_equals_a_full_index, tests.python_edits()),
    ):
        inner: Callable[..., None] = test.hypothesis.inner_test  # type: ignore[attr-defined]
        wanted(given(edits=edits)(inner))()  # raises with the shortest sequence that differs
        yield Row(f"sequences/{name}", "differences", 0.0, float(count))


def copied(tree: Path, copy: Path, *, least: int) -> int:
    """Copy a tree, and again under other names until there are enough files; return how many."""
    ignore = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(tree, copy, ignore=ignore, ignore_dangling_symlinks=True)
    count = sum(len(files) for _, _, files in os.walk(copy))
    size = count
    for number in range(1, -(-least // max(size, 1))):
        shutil.copytree(tree, copy / f"copy{number}", ignore=ignore, ignore_dangling_symlinks=True)
        count += size
    return count


# -- in processes of their own


def _apart(how: str, *arguments: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.index", how, *arguments],
        cwd=texts.ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _indexed(tree: Path, database: Path) -> dict[str, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    with memkit.open(database, global_store=False) as kit:
        report = kit.codegraph.index(tree)
        spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        files = kit.query("codegraph.files")
        size = _size(database)
    return {
        **spent,
        "mb": _greatest_mb(),
        "parsed": report.parsed,
        "symbols": report.symbols,
        "edges": report.edges,
        "lines": sum(int(str(row["lines"])) for row in files) or 1,
        "bytes": size,
    }


def _size(database: Path) -> int:
    """Return the bytes of the pages of the graph's tables and indexes."""
    import apsw

    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "select sum(d.pgsize) from dbstat d join sqlite_schema s on s.name = d.name "
        "where s.tbl_name like 'code\\_%' escape '\\' and s.tbl_name <> 'code_terms'"
    )
    found = int(next(rows)[0])
    connection.close()
    return found


def _parsed(tree: Path, database: Path) -> dict[str, float]:
    """Parse the files of a graph and do nothing else."""
    from memkit.codegraph.languages import dialect_of
    from memkit.codegraph.languages.grammars import parse

    with memkit.open(database, global_store=False, readonly=True) as kit:
        rows = [row for row in kit.query("codegraph.files") if row["status"] == "parsed"]
    files = [((tree.parent / str(row["path"])).read_bytes(), _grammar(row)) for row in rows]
    for language in {language for _, language in files}:
        dialect_of(f"x.{language}", b"")
        parse(b"", language)  # loaded before the clock starts
    cpu = time.process_time()
    for data, language in files:
        parse(data, language)
    return {"cpu": time.process_time() - cpu, "mb": _greatest_mb()}


def _grammar(row: dict[str, Any]) -> str:
    return "tsx" if row["path"].endswith(".tsx") else str(row["language"])


def _greatest_mb() -> float:
    from .cold_question import greatest_size

    return greatest_size() / 1e6


def main(arguments: Sequence[str]) -> None:
    """Do one part in this process and print its figures."""
    how, tree, database = parts(arguments, 3, "index")[:3]
    work = {"index": _indexed, "parse": _parsed}[how]
    print(json.dumps(work(Path(tree), Path(database))))


if __name__ == "__main__":
    main(sys.argv[1:])
