"""The same code graph as at another commit, and its cost: for changes that must not change it.

    python -m bench.against REVISION [--tree FOLDER ...] [--flow] [--rounds N]

Copies the package of REVISION beside this one, indexes a copy of each tree with both in turns, each
time in a new process, and compares what the two files hold: every definition, every edge of every
kind with its line and how it was found, and the view `callers`. Prints per tree the rows, the first
one that differs, and the processor time of this tree over that of REVISION (median of the rounds).
Without --tree: this package, its tests, and the interpreter's library. Exit code 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import apsw

from .given import folder

ROOT = Path(__file__).resolve().parent.parent
_INDEX = """
import sys, time, memkit
with memkit.open(sys.argv[1], global_store=False) as kit:
    started = time.process_time()
    kit.codegraph.index(flow=sys.argv[2] == "flow")
    print(time.process_time() - started)
"""
# Ids are given in the order of writing: rows are compared by what they name.
_ROWS = {
    "definitions": "select path, line, end_line, kind, name, qualified, flags from symbols",
    "callers": "select * from callers",
    "edges": """
        with node (id, name) as (
            select id, path from code_files
            union all
            select s.id, f.path || ':' || s.line || ':' || s.name
            from code_symbols s join code_files f on f.id = s.file)
        select a.name, b.name, r.kind, r.how, r.state, e.below
        from code_edges e join code_relations r on r.id = e.relation
        left join node a on a.id = e.source left join node b on b.id = e.target""",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, and return the exit code."""
    parser = argparse.ArgumentParser("python -m bench.against", description=__doc__)
    parser.add_argument("revision", help="commit, branch or tag to compare with")
    parser.add_argument("--tree", type=folder, action="append", help="may be repeated")
    parser.add_argument("--flow", action="store_true", help="follow values too")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is indexed")
    options = parser.parse_args(arguments)
    trees = options.tree or [ROOT / "memkit", ROOT / "tests", Path(sysconfig.get_path("stdlib"))]
    is_equal = True
    with tempfile.TemporaryDirectory() as place:
        before = _package_of(options.revision, Path(place))
        for tree in trees:
            lines = list(_compared(tree, before, Path(place), options))
            print("\n".join(f"{tree.name:16} {line}" for line in lines))
            is_equal = is_equal and not any("differs" in line for line in lines)
    return 0 if is_equal else 1


def _package_of(revision: str, place: Path) -> Path:
    """Return a folder with the package and the SQL of a revision."""
    packed = place / "before.tar"
    command = ["git", "archive", "--output", str(packed), revision, "memkit", "sql"]
    subprocess.run(command, cwd=ROOT, check=True)
    shutil.unpack_archive(packed, place / "before", filter="data")
    return place / "before"


def _compared(tree: Path, before: Path, place: Path, options: argparse.Namespace) -> Iterator[str]:
    copied = place / "tree"
    shutil.rmtree(copied, ignore_errors=True)
    ignore = shutil.ignore_patterns("site-packages", ".git", "__pycache__", ".memkit.db*")
    shutil.copytree(tree, copied, ignore=ignore, symlinks=True)
    seconds: dict[Path, list[float]] = {before: [], ROOT: []}
    rows: dict[Path, dict[str, list[tuple[object, ...]]]] = {}
    for _ in range(options.rounds):
        for package in seconds:
            file = copied / ".memkit.db"
            seconds[package].append(_indexed(file, package, flow=options.flow))
            rows[package] = _rows(file)
            for left in copied.glob(".memkit.db*"):
                left.unlink()
    for name in _ROWS:
        old, new = rows[before][name], rows[ROOT][name]
        yield f"{name}: {len(new):,} rows" if old == new else _first_difference(name, old, new)
    yield f"processor time x {median(seconds[ROOT]) / median(seconds[before]):.3f}"


def _indexed(file: Path, package: Path, *, flow: bool) -> float:
    """Index the tree of a file with a package; return the seconds of processor time."""
    ran = subprocess.run(
        [sys.executable, "-c", _INDEX, str(file), "flow" if flow else ""],
        cwd=package, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(ran.stdout)


def _rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return what a file's graph holds, in the order of its values."""
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {name: sorted(connection.execute(sql), key=repr) for name, sql in _ROWS.items()}
    finally:
        connection.close()


def _first_difference(
    name: str, old: list[tuple[object, ...]], new: list[tuple[object, ...]]
) -> str:
    gone, come = sorted(set(old) - set(new), key=repr), sorted(set(new) - set(old), key=repr)
    return (
        f"{name}: differs: {len(old):,} rows before, {len(new):,} now; "
        f"first gone {gone[:1]}, first new {come[:1]}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
