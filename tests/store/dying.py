"""A process that dies on demand, started once: it forks a child for every death.

Each line read is JSON: {"path", "at", "count"}. The child does the chores on that file, says every
one that is done, and kills itself at the statement number `at`, counted from its first chore; with
null it lives until somebody else kills it. What is said: the child's pid, a number per chore done,
"over".
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import memkit
from memkit.encoder import HashedEncoder
from memkit.memories.records import Draft
from memkit.store.named_queries import Query, load_queries
from memkit.store.store import Store
from memkit.store.tables import table_queries


class Counting(Mapping[str, Query]):
    """The queries, with something that happens when the one number `at` is asked for."""

    def __init__(self, happens: Callable[[], None], at: int | None = None) -> None:
        self._queries = {**load_queries(), **table_queries()}
        self._happens = happens
        self.at = at
        self.asked = 0

    def __getitem__(self, name: str) -> Query:
        self.asked += 1
        if self.asked == self.at:
            self._happens()
        return self._queries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._queries)

    def __len__(self) -> int:
        return len(self._queries)


def open_counting(path: Path, queries: Counting, clock: Callable[[], float]) -> memkit.Memkit:
    """Open a kit whose statements are counted; what opening itself ran does not count."""
    kit = memkit.Memkit(Store(path, clock=clock, queries=queries), encoder=HashedEncoder(64))
    queries.asked = 0
    return kit


def chore(kit: memkit.Memkit, number: int) -> None:
    """Do the chore of this number; the same number done again changes nothing it should not."""
    memories = kit.memories
    text = f"chore {number} concerns valve {number * 7}"
    what = number % 4
    if what == 0:
        memories.remember(text, tags=[f"valve{number % 3}"], source=f"log#{number}")
    elif what == 1:
        memories.remember(key=f"valve{number % 5}", value=f"turned {number} times")
    elif what == 2:
        drafts = [Draft(f"{text} part {p}", source=f"log#{number}.{p}") for p in range(5)]
        memories.remember_many(drafts, chain=True)
    else:
        (before,) = memories.find(source=f"log#{number - 3}", limit=1) or [None]
        if before is not None:
            memories.update(before, f"{text}, put right", tags=["corrected"])


class Undertaker:
    """The process that forks the children, as the tests see it."""

    def __init__(self) -> None:
        root = Path(__file__).parent.parent.parent
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.store.dying"],
            cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def begin(self, path: Path, *, at: int | None = None, count: int = 1_000_000) -> int:
        """Let a child do chores on a file; return its pid."""
        order = json.dumps({"path": str(path), "at": at, "count": count})
        assert self._process.stdin is not None
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()
        return int(self._line())

    def done(self, pid: int, *, kill_after: int | None = None) -> int:
        """Return how many chores the child said it had done, once it is dead."""
        count = 0
        while (line := self._line()) != "over":
            count = int(line)
            if count == kill_after:
                os.kill(pid, signal.SIGKILL)
        return count

    def close(self) -> None:
        """End the process."""
        self._process.communicate("", timeout=10)

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def _serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if not pid:
            _child(Path(order["path"]), order["at"], order["count"])
        print(pid, flush=True)  # noqa: T201
        os.waitpid(pid, 0)
        print("over", flush=True)  # noqa: T201


def _child(path: Path, at: int | None, count: int) -> None:
    queries = Counting(lambda: os.kill(os.getpid(), signal.SIGKILL), at)
    kit = open_counting(path, queries, clock=lambda: 1_772_359_200.0)
    for number in range(count):
        chore(kit, number)
        os.write(1, b"%d\n" % (number + 1))
    kit.close()
    os._exit(0)


if __name__ == "__main__":
    _serve()
