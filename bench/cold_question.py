"""One question in a process of its own: `python -m bench.cold_question HOW FILE QUESTION…`.

Prints JSON: milliseconds from before the imports to the first answer, and the process's greatest
size in megabytes after all questions were asked. HOW is recall, lexical (recall without vectors)
or fts5 (the floor).
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .command_line import parts

# ru_maxrss counts kilobytes on Linux, bytes on macOS.
_UNIT = 1 if sys.platform == "darwin" else 1024


def main(how: str, file: str, *questions: str) -> None:
    """Ask the questions; print what the first one took and how large the process grew."""
    before = time.perf_counter()
    ask = _floor(Path(file)) if how == "fts5" else _recall(Path(file), lexical=how == "lexical")
    ask(questions[0])
    first = time.perf_counter() - before
    for question in questions[1:]:
        ask(question)
    print(json.dumps({"ms": first * 1000, "mb": greatest_size() / 1e6}))


def greatest_size() -> int:
    """Return the greatest size of this process, in bytes.

    Linux hands ru_maxrss down from the process that started this one, so its own mark is read.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        mark = next((x for x in status.read_text().splitlines() if x.startswith("VmHWM")), "")
        if mark:
            return int(mark.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


def _recall(path: Path, *, lexical: bool) -> Callable[[str], object]:
    import memkit
    from memkit.retrieval.records import RetrievalConfig

    kit = memkit.open(path, global_store=False, readonly=True)
    if lexical:
        kit._config = RetrievalConfig(vectors=False, late_interaction=False)
    return kit.recall


def _floor(path: Path) -> Callable[[str], object]:
    from .floors import FullText

    return FullText(path).ask


if __name__ == "__main__":
    main(*parts(sys.argv[1:], 3, "latency"))
