"""Where the time of a recall goes: each query of the store, and each function of the pipeline.

Queries are timed by standing between the pipeline and the store. Functions are timed by the
interpreter's own profiler, which makes small functions look dearer than they are: read it for
the order, and the warm figures of `latency` for the sum.
"""

from __future__ import annotations

import cProfile
import pstats
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import memkit

_METHODS = ("all", "first", "value", "records")
_MOST = 25


def of_recall(path: Path, questions: Sequence[str]) -> str:
    """Return two tables: milliseconds a recall by query, and by function of the package."""
    with memkit.open(path, global_store=False) as kit:
        for question in questions[:5]:
            kit.recall(question)
        spent, whole = _queries(kit, questions)
        profiler = cProfile.Profile()
        profiler.enable()
        for question in questions:
            kit.recall(question)
        profiler.disable()
    count = len(questions)
    lines = [f"{whole / count * 1000:8.2f} ms  whole recall, on average of {count}"]
    for name, (calls, seconds) in sorted(spent.items(), key=lambda item: -item[1][1]):
        lines.append(f"{seconds / count * 1000:8.2f} ms  {calls / count:5.1f} x  {name}")
    rest = whole - sum(seconds for _, seconds in spent.values())
    lines.append(f"{rest / count * 1000:8.2f} ms           outside of queries")
    lines += ["", "   total      own   calls  function (under the profiler)"]
    return "\n".join([*lines, *_functions(profiler, count)])


def _queries(
    kit: memkit.Memkit, questions: Sequence[str]
) -> tuple[dict[str, tuple[int, float]], float]:
    """Return calls and seconds by query name, and the seconds of it all."""
    spent: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    store = kit._store

    def timed(inner: Callable[..., Any]) -> Callable[..., Any]:
        def ask(name: str, /, **params: object) -> Any:
            before = time.perf_counter()
            found = inner(name, **params)
            calls, seconds = spent[name]
            spent[name] = (calls + 1, seconds + time.perf_counter() - before)
            return found

        return ask

    # `value` asks by way of `one`; it is counted once, where the row is fetched.
    originals = {name: getattr(store, name) for name in _METHODS if name != "value"}
    for name, inner in originals.items():
        setattr(store, name, timed(inner))
    before = time.perf_counter()
    for question in questions:
        kit.recall(question)
    whole = time.perf_counter() - before
    for name in originals:
        delattr(store, name)
    return dict(spent), whole


def _functions(profiler: cProfile.Profile, count: int) -> list[str]:
    stats: dict[Any, Any] = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    ours = [
        (total, own, calls, f"{Path(file).parent.name}/{Path(file).name}:{line} {name}")
        for (file, line, name), (_, calls, own, total, _) in stats.items()
        if "memkit" in file
    ]
    return [
        f"{total / count * 1000:8.2f} {own / count * 1000:8.2f} {calls / count:7.1f}  {name}"
        for total, own, calls, name in sorted(ours, reverse=True)[:_MOST]
    ]
