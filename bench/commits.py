"""From a commit's subject to the files it changed, by `kit.codegraph.find_relevant_to_query`.

Each repository is a snapshot older than all of its commits; later drift is part of the task. The
corpus are its code files outside of tests and docs: the whole tree is indexed, and ranks count
among the corpus. The floor is plain full-text search (FTS5, BM25) over path and defined names,
identifiers split, in the same run.
"""

from __future__ import annotations

import json
import re
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs

import memkit

from .results import Options, Row
from .scoring import DEPTH, PlainSearch, Ranking

METRICS = ("R@10", "MRR")
# Enough files of a ranking that tests and docs may take the first places of it.
_LIMIT = 200
# How often the path counts beside the names, as in the published floor.
_PATH_WEIGHT = 3
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")
_DEFINED = re.compile(
    r"^\s*(?:export\s+|default\s+|pub(?:\([^)]*\))?\s+|async\s+|static\s+|public\s+|private\s+)*"
    r"(?:def|class|func|fn|function|const|type|interface|struct|enum|trait|impl|let|var)\s+"
    r"(?:\([^)]*\)\s*)?([A-Za-z_]\w*)",
    re.MULTILINE,
)


@attrs.frozen
class Commit:
    """A subject and the files that were changed."""

    subject: str
    files: frozenset[str]


@attrs.frozen
class Repository:
    """A snapshot: every file's text by path, the files to be ranked, the commits to be found."""

    name: str
    files: Mapping[str, bytes]
    corpus: frozenset[str]
    commits: Sequence[Commit]


def run(options: Options) -> list[Row]:
    """Measure every repository, and all of them together."""
    folder = options.folder("commits", "commits", holds="*.meta.json")
    if folder is None:
        return []
    whole, whole_floor = Ranking(), Ranking()
    rows: list[Row] = []
    for repository in repositories(folder):
        found, floor = Ranking(), Ranking()
        plain = PlainSearch(plain_texts(repository))
        commits = repository.commits[: options.limit]
        with indexed(repository) as kit, kit.codegraph.snapshot():
            for commit in commits:
                ranked = [path for path in ask(kit, commit.subject) if path in repository.corpus]
                for ranking in (found, whole):
                    ranking.add(ranked[:DEPTH], commit.files)
                for ranking in (floor, whole_floor):
                    ranking.add(plain.ask(_split(commit.subject)), commit.files)
        options.say(f"{repository.name}: {len(commits)} commits, {len(repository.corpus)} files")
        rows += _rows(f"commits/{repository.name}", found, floor)
    return [*_rows("commits", whole, whole_floor), *rows]


def repositories(folder: Path) -> Iterator[Repository]:
    """Yield the repositories of a folder, by name."""
    for described in sorted(folder.glob("*.meta.json")):
        name = described.name.removesuffix(".meta.json")
        lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        commits = [json.loads(line) for line in lines]
        yield Repository(
            name=name,
            files=_tree(folder / "trees" / f"{name}.tar.gz"),
            corpus=frozenset(json.loads(described.read_text(encoding="utf-8"))["corpus"]),
            commits=[Commit(one["subject"], frozenset(one["files"])) for one in commits],
        )


@contextmanager
def indexed(repository: Repository) -> Iterator[memkit.Memkit]:
    """Write a snapshot into a temporary folder and give a store with its code graph."""
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        for path, data in repository.files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        with memkit.open(folder / ".memkit.db", global_store=False) as kit:
            kit.codegraph.index()
            yield kit


def ask(kit: memkit.Memkit, subject: str) -> list[str]:
    """Return the paths that are relevant for a subject, best first."""
    return [one.path for one in kit.codegraph.find_relevant_to_query(subject, limit=_LIMIT)]


def _tree(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        members = [member for member in opened if member.isfile()]
        texts = ((member.name, opened.extractfile(member)) for member in members)
        return {name: text.read() for name, text in texts if text is not None}


def plain_texts(repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield each ranked file's path with what the floor searches of it."""
    for path in sorted(repository.corpus):
        text = repository.files[path].decode("utf-8", "replace")
        names = " ".join(_split(name) for name in _DEFINED.findall(text))
        yield path, f"{_split(path)} " * _PATH_WEIGHT + names


def _split(text: str) -> str:
    return _HUMP.sub(" ", text)


def _rows(name: str, found: Ranking, floor: Ranking) -> Iterator[Row]:
    for metric in METRICS:
        yield Row(name, metric, found.value(metric), floor.value(metric))
