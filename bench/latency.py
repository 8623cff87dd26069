"""How fast recall and remember are, beside plain FTS5, numpy and bare inserts in the same run.

Sets: `10k` is recall in a warm process (floor: FTS5 on the same file; `ratio` is p95 against its
p95), `10k/tagged` recall among the memories of one tag, beside the same floor, `10k/numpy` the
figures of `10k` beside brute force over all vectors, `10k/fresh` imports, opening
and the first recall in a new process, `10k/fresh_lexical` without vectors, `10k/remember` single
writes and `10k/remember_many` bulk ones beside bare inserts (`ratio` is how many times longer),
`10k/file` the size of the file beside that of a bare table of the same rows, `10k/memory` the
greatest size of a process that recalls beside one that only searches full text.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import memkit
from memkit.encoder import load_encoder

from . import floors, profile, stores, texts
from .command_line import count_of
from .results import Options, Row
from .scoring import at_share, milliseconds

_QUESTIONS = 200
_WARM_UP = 5
_FRESH_RUNS = 7
_FRESH_QUESTIONS = 12


def run(options: Options) -> list[Row]:
    """Measure each size: fill a store, ask it, write to it."""
    source = texts.read_source()
    names = (*options.sizes, "1M") if options.large else options.sizes
    rows: list[Row] = []
    for name in dict.fromkeys(names):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bench.memkit.db"
            filled = stores.fill(path, count_of(name), source=source)
            options.say(
                f"{name}: filled at {filled.ops_s:,.0f} memories a second, "
                f"{filled.cpu_ops_s:,.0f} a second of processor time"
            )
            rows += _measure(name, filled, source, options)
    return rows


def _measure(
    name: str, filled: stores.Filled, source: texts.Source, options: Options
) -> Iterator[Row]:
    count = min(_QUESTIONS, options.limit or _QUESTIONS)
    asked = texts.questions(filled.texts, count + _WARM_UP, seed=5)
    size = filled.path.stat().st_size
    yield from _warm(name, filled.path, asked)
    yield from _fresh(name, filled.path, asked[:_FRESH_QUESTIONS], runs=min(_FRESH_RUNS, count))
    yield from _writes(name, filled, source)
    yield Row(f"{name}/file", "mb", size / 1e6, filled.bare_bytes / 1e6)
    if options.profile:
        options.say(
            f"\n{name}: where a recall's time goes\n{profile.of_recall(filled.path, asked)}"
        )


def _warm(name: str, path: Path, asked: Sequence[str]) -> Iterator[Row]:
    """Ask in a process that does nothing else: in one that has just written thousands of memories
    what recall needs lies scattered, and answers take a twentieth longer."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        times = other.submit(_times, path, asked).result()
    for metric, share in (("p50_ms", 0.5), ("p95_ms", 0.95)):
        own, floor = at_share(times["recall"], share), at_share(times["fts5"], share)
        yield Row(name, metric, own, floor)
        yield Row(f"{name}/tagged", metric, at_share(times["tagged"], share), floor)
        yield Row(f"{name}/numpy", metric, own, at_share(times["numpy"], share))
    slow = at_share(times["fts5"], 0.95)
    yield Row(name, "ratio", at_share(times["recall"], 0.95) / slow, 1.0)


def _times(path: Path, asked: Sequence[str]) -> dict[str, list[float]]:
    """Return the milliseconds of each question, asked of recall and FTS5 in turn, after a few that
    do not count."""
    plain = floors.FullText(path)
    brute = floors.BruteForce(path, load_encoder())
    times: dict[str, list[float]] = {"recall": [], "fts5": [], "tagged": [], "numpy": []}
    with memkit.open(path, global_store=False) as kit:
        tagged = partial(kit.recall, tags=[texts.COMMONEST_TAG])
        # numpy goes last, by itself: its BLAS threads go on turning after each product and would
        # take the processor from whoever is next.
        rounds: tuple[dict[str, Callable[[str], object]], ...] = (
            {"recall": kit.recall, "fts5": plain.ask},
            {"tagged": tagged},
            {"numpy": brute.ask},
        )
        for contestants in rounds:
            for place, question in enumerate(asked):
                for contestant, ask in contestants.items():
                    spent = milliseconds(ask, question)
                    if place >= _WARM_UP:
                        times[contestant].append(spent)
    plain.close()
    return times


def _fresh(name: str, path: Path, asked: Sequence[str], *, runs: int) -> Iterator[Row]:
    """Ask in new processes, the kinds in turn; the size is that after a dozen questions."""
    found: dict[str, list[dict[str, float]]] = {"recall": [], "lexical": [], "fts5": []}
    for turn in range(runs + 1):
        for how, results in found.items():
            done = _in_new_process(how, path, asked)
            if turn:
                results.append(done)
    times = {how: [one["ms"] for one in results] for how, results in found.items()}
    for how, label in (("recall", "fresh"), ("lexical", "fresh_lexical")):
        for metric, share in (("p50_ms", 0.5), ("p95_ms", 0.95)):
            floor = at_share(times["fts5"], share)
            yield Row(f"{name}/{label}", metric, at_share(times[how], share), floor)
    sizes = {how: max(one["mb"] for one in results) for how, results in found.items()}
    yield Row(f"{name}/memory", "mb", sizes["recall"], sizes["fts5"])


def _in_new_process(how: str, path: Path, asked: Sequence[str]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.cold_question", how, str(path), *asked],
        cwd=texts.ROOT,
        env={**os.environ, **bytecode_in(path.parent / "bytecode")},
        capture_output=True,
        check=True,
        text=True,
    )
    printed: dict[str, float] = json.loads(done.stdout)
    return printed


def bytecode_in(folder: Path) -> dict[str, str]:
    """Return the environment in which modules are compiled once, as in an installed package."""
    return {"PYTHONPYCACHEPREFIX": str(folder), "PYTHONDONTWRITEBYTECODE": ""}


def _writes(name: str, filled: stores.Filled, source: texts.Source) -> Iterator[Row]:
    one = stores.singles(filled, source=source)
    yield Row(f"{name}/remember", "ops_s", 1 / one.own, 1 / one.bare)
    yield Row(f"{name}/remember", "ratio", one.own / one.bare, 1.0)
    yield Row(f"{name}/remember_many", "ops_s", filled.ops_s, filled.bare_ops_s)
    yield Row(f"{name}/remember_many", "ratio", filled.bare_ops_s / filled.ops_s, 1.0)
