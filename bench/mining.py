"""How long git's log takes to become episodes, beyond what `git log` itself takes."""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from memkit.episodes.git_history import GitLog, Miner
from memkit.store.store import Store

from .results import Options, Row

COMMITS = 10_000
_FILES = 3_000
_SIZES = (1, 1, 2, 2, 3, 4, 6, 12)
_SUBJECTS = ("fix: crash in", "feat: add", "Refactor", "docs: explain", "Fix race in")


def run(options: Options) -> Iterator[Row]:
    """Yield seconds of mining, and seconds of reading the same log alone as the floor."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "repository"
        try:
            make(root, COMMITS)
        except OSError as error:
            options.say(f"skipped mining: git does not run ({error})")
            return
        log = GitLog(root)
        head = log.head()
        assert head is not None
        start = time.perf_counter()
        count = sum(1 for _ in log.commits(head, limit=2 * COMMITS))
        alone = time.perf_counter() - start
        store = Store(Path(place) / "bench.memkit.db")
        start = time.perf_counter()
        Miner(store).mine(root)
        whole = time.perf_counter() - start
        start = time.perf_counter()
        Miner(store).mine(root)
        again = time.perf_counter() - start
        store.close()
        size = store.path.stat().st_size / 1e6
    options.say(f"mining {count:,} commits: {whole:.1f} s, of which git log {alone:.1f} s; again "
                f"{again * 1000:.0f} ms; {size:.1f} MB")  # fmt: skip
    yield Row("mining", "s", whole - alone, alone)


def make(root: Path, commits: int, *, seed: int = 1) -> None:
    """Make a repository of so many commits, the same each time."""
    chosen = random.Random(seed)
    git = ["git", "-C", str(root)]
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    process = subprocess.Popen([*git, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    assert process.stdin is not None
    for number in range(commits):
        first = chosen.randrange(_FILES)
        files = {(first + chosen.randrange(40)) % _FILES for _ in range(chosen.choice(_SIZES))}
        message = f"{chosen.choice(_SUBJECTS)} part {number}\n\nFixes #{number}\n".encode()
        author = f"Dev {number % 25} <dev{number % 25}@example.com> {1_500_000_000 + 3600 * number}"
        lines = [
            f"commit refs/heads/main\ncommitter {author} +0000\ndata {len(message)}\n".encode()
        ]
        lines.append(message)
        for file in sorted(files):
            text = f"line {number}\n{'x' * 200}\n".encode()
            name = f"src/package{file % 60}/module{file}.py"
            lines.append(f"M 100644 inline {name}\ndata {len(text)}\n".encode() + text)
        process.stdin.write(b"".join(lines))
    process.stdin.close()
    if process.wait():
        raise OSError("git fast-import failed")
    subprocess.run([*git, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)
