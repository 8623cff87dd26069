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
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import apsw

from . import texts
from .archives import unpack
from .command_line import folder
from .index import copied

Values = tuple[object, ...]

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
        select a.name, b.name, r.kind, r.tier, r.state, e.line
        from code_edges e join code_relations r on r.id = e.relation
        left join node a on a.id = e.source left join node b on b.id = e.target""",
}
# As revisions before the graph's rows were plain have them.
_PACKED = (
    ("r.tier", "r.how"),
    ("e.line", "e.below + coalesce((select line from code_symbols where id = e.source), 1)"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, and return the exit code."""
    parser = argparse.ArgumentParser("python -m bench.against", description=__doc__)
    parser.add_argument("revision", help="commit, branch or tag to compare with")
    parser.add_argument("--tree", type=folder, action="append", help="may be repeated")
    parser.add_argument("--flow", action="store_true", help="follow values too")
    parser.add_argument("--rounds", type=int, default=1, help="how often each is indexed")
    options = parser.parse_args(arguments)
    library = Path(sysconfig.get_path("stdlib"))
    trees = options.tree or [texts.ROOT / "memkit", texts.ROOT / "tests", library]
    is_equal = True
    with tempfile.TemporaryDirectory() as place:
        packages = (_package_of(options.revision, Path(place)), texts.ROOT)
        for number, tree in enumerate(trees):
            copy = Path(place) / str(number)
            copied(tree, copy, least=0)
            (before, old), (now, new) = _indexed_in_turns(copy, packages, options)
            for name in _ROWS:
                is_equal = is_equal and old[name] == new[name]
                print(f"{tree.name:16} {name}: {_comparison(old[name], new[name])}")
            print(f"{tree.name:16} processor time x {median(now) / median(before):.3f}")
    return 0 if is_equal else 1


def _package_of(revision: str, place: Path) -> Path:
    """Return a folder with the package and the SQL of a revision."""
    packed = place / "before.tar"
    command = ["git", "archive", "--output", str(packed), revision, "memkit", "sql"]
    subprocess.run(command, cwd=texts.ROOT, check=True)
    with tarfile.open(packed) as archive:
        unpack(archive, place / "before")
    return place / "before"


def _indexed_in_turns(
    tree: Path, packages: Sequence[Path], options: argparse.Namespace
) -> list[tuple[list[float], dict[str, list[Values]]]]:
    """Return of each package the seconds of its runs, and the rows of its last file."""
    seconds: list[list[float]] = [[] for _ in packages]
    rows: list[dict[str, list[Values]]] = [{} for _ in packages]
    for _ in range(options.rounds):
        for place, package in enumerate(packages):
            for left in tree.glob(".memkit.db*"):
                left.unlink()
            file = tree / ".memkit.db"
            seconds[place].append(_indexed(file, package, flow=options.flow))
            rows[place] = _rows(file)
    return list(zip(seconds, rows, strict=True))


def _indexed(file: Path, package: Path, *, flow: bool) -> float:
    """Index the tree of a file with a package; return the seconds of processor time."""
    ran = subprocess.run(
        [sys.executable, "-c", _INDEX, str(file), "flow" if flow else ""],
        cwd=package, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return float(ran.stdout)


def _rows(file: Path) -> dict[str, list[Values]]:
    """Return what a file's graph holds, in the order of its values."""
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        queries = dict(_ROWS)
        if not list(
            connection.execute("select 1 from pragma_table_xinfo('code_edges') where name = 'line'")
        ):
            for plain, packed in _PACKED:
                queries["edges"] = queries["edges"].replace(plain, packed)
        return {name: sorted(connection.execute(sql), key=repr) for name, sql in queries.items()}
    finally:
        connection.close()


def _comparison(old: list[Values], new: list[Values]) -> str:
    if old == new:
        return f"{len(new):,} rows"
    gone, come = (sorted(set(a) - set(b), key=repr)[:1] for a, b in ((old, new), (new, old)))
    return f"{len(old):,} rows before, {len(new):,} now; first gone {gone}, first new {come}"


if __name__ == "__main__":
    raise SystemExit(main())
