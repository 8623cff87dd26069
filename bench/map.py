"""The map of a repository at an older commit, held against what happened to the repository since.

Data: repositories of git, bare or not, one folder each below `history`. A map without a question
is drawn of the tree as it was some hundred commits ago. What a maintainer works on is the truth:
the ten code files that most of the later commits changed, and the ten that are referred to from
most other files. A floor names as many files as the map does: by size, by how many files import
them, and by their names.
"""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

import apsw
import attrs

import memkit
from memkit.codegraph.query.term_index import is_auxiliary

from .archives import unpack
from .results import Options, Row

BUDGETS = (1_000, 3_000, 8_000, 30_000)
# Commits that are the truth, at most this share of all; one that changes more files is a sweep.
_COMMITS, _SHARE, _MAX_FILES = 300, 3, 20
_TOP = 10
_SIZES = """
select path, lines as files
from code_files f
where status = 'parsed' and exists (
    select 1 from code_symbols s where s.file = f.id and s.kind not in ('variable', 'section'))"""
_REFERRED = """
select f.path, count(distinct coalesce(s.file, e.source)) as files
from code_edges e
join code_relations r on r.id = e.relation
left join code_symbols t on t.id = e.target
left join code_symbols s on s.id = e.source
join code_files f on f.id = coalesce(t.file, e.target)
where coalesce(s.file, e.source) <> f.id
group by f.path"""
_IMPORTED = _REFERRED.replace("where", "where r.kind = 'imports' and")


@attrs.frozen
class Tree:
    """A repository's code files at the older commit, and what tells how central each of them is.

    Attributes:
        maps: files of the map at each budget, best first.
        changed: later commits by file. referred, imported: other files that name it.
        lines: of each code file.
    """

    maps: Mapping[int, Sequence[str]]
    changed: Mapping[str, int]
    referred: Mapping[str, int]
    imported: Mapping[str, int]
    lines: Mapping[str, int]

    def floors(self) -> Mapping[str, list[str]]:
        """Return the files in the orders that the map is held against."""
        return {
            "size": _ordered(self.lines, self.lines),
            "imported": _ordered(self.lines, self.imported),
            "alphabet": sorted(self.lines),
        }


def run(options: Options) -> Iterator[Row]:
    """Measure all repositories together: how many of the central files each budget names."""
    folder = options.folder("map", "history")
    trees = [tree for place in sorted(folder.iterdir()) for tree in _trees(place)] if folder else []
    options.say(f"map: {len(trees)} repositories")
    for budget in BUDGETS if trees else ():
        for truth in ("changed", "referred"):
            shares = [_shares(tree, budget, truth) for tree in trees]
            for floor in ("size", "imported", "alphabet"):
                yield Row(
                    f"map/{truth}/{budget}/{floor}",
                    "recall",
                    _mean(share["map"] for share in shares),
                    _mean(share[floor] for share in shares),
                )


def _shares(tree: Tree, budget: int, truth: str) -> dict[str, float]:
    """Return which part of the central files the map and the floors name."""
    worth: Mapping[str, int] = getattr(tree, truth)
    central = [path for path in _ordered(tree.lines, worth)[:_TOP] if worth.get(path)]
    named = tree.maps[budget]
    orders = {"map": named} | {floor: order for floor, order in tree.floors().items()}
    return {
        name: len({*order[: len(named)]} & {*central}) / max(1, len(central))
        for name, order in orders.items()
    }


def _trees(repository: Path) -> Iterator[Tree]:
    """Yield a repository's tree as it was before the commits that are the truth."""
    count = int(_git(repository, "rev-list", "--count", "HEAD"))
    back = min(_COMMITS, count // _SHARE)
    if not back:
        return
    commit = _git(repository, "rev-list", "--skip", str(back), "-n", "1", "HEAD").decode().strip()
    changed = Counter(
        path for files in _changes(repository, commit) if len(files) <= _MAX_FILES for path in files
    )
    with tempfile.TemporaryDirectory() as named:
        place = Path(named)
        with tarfile.open(fileobj=BytesIO(_git(repository, "archive", commit))) as archive:
            unpack(archive, place)
        yield _tree(place / ".memkit.db", changed)


def _tree(store: Path, changed: Mapping[str, int]) -> Tree:
    """Index the folder of a store; only files that define something that runs count."""
    with memkit.open(store, global_store=False) as kit:
        kit.codegraph.index()
        maps = {budget: kit.codegraph.map(budget=budget).files for budget in BUDGETS}
    database = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)
    lines, referred, imported = (
        {str(path): int(str(n)) for path, n in database.execute(sql)}
        for sql in (_SIZES, _REFERRED, _IMPORTED)
    )
    database.close()
    lines = {path: n for path, n in lines.items() if not is_auxiliary(path)}
    return Tree(maps, changed, referred, imported, lines)


def _changes(repository: Path, since: str) -> Iterator[list[str]]:
    text = _git(
        repository, "log", "--no-merges", "--no-renames", "--format=%x00", "--name-only",
        f"{since}..HEAD",
    )  # fmt: skip
    for part in text.decode("utf-8", "replace").split("\0"):
        yield [line for line in part.splitlines() if line]


def _git(repository: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


def _ordered(files: Iterable[str], worth: Mapping[str, int]) -> list[str]:
    """Return files by worth, most first."""
    return sorted(files, key=lambda path: (-worth.get(path, 0), path))


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
