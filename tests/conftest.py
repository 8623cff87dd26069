"""What every test stands on: a clock that stands still, a store in a temporary folder, no network.

`kit` is checked when its test ends, so every test is a consistency test too. Statements are noted
as they run; when the whole suite has run, a named query that no test has run fails the session.
"""

from __future__ import annotations

import gc
import itertools
import os
import pkgutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import apsw
import hypothesis
import pytest

import memkit
from memkit.encoder import HashedEncoder
from memkit.store.named_queries import load_queries
from memkit.store.store import Store

GOLDEN = Path(__file__).parent / "golden"
START = datetime(2026, 3, 1, 10, tzinfo=UTC).timestamp()

# No deadline: the machine may be busy. The same examples every time: a red run is red again.
# More of them, and others: python -m tests --hypothesis-profile=explore
hypothesis.settings.register_profile(
    "memkit", deadline=None, derandomize=True, database=None, max_examples=30
)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("memkit")


class Clock:
    """A clock that only moves when told to; call it for the seconds since 1970."""

    def __init__(self, start: float = START) -> None:
        self.now = start

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float = 0, *, hours: float = 0, days: float = 0) -> None:
        """Move on by the sum of what is given."""
        self.now += timedelta(seconds=seconds, hours=hours, days=days).total_seconds()


# -- fixtures


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """pytest's own folder, which may lie in memory; for tests marked `disk` one on the disk."""
    if request.node.get_closest_marker("disk") is None:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="memkit-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


@pytest.fixture
def clock() -> Clock:
    """A clock standing at 2026-03-01T10:00:00Z."""
    return Clock()


@pytest.fixture
def make_kit(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., memkit.Memkit]]:
    """Open further kits: `make_kit(name, **options)`, with the options of `memkit.open`.

    Each one still open at the end is checked and closed, and must leave nothing beside its file.
    A test that damages its file closes the kit itself.
    """
    made: list[memkit.Memkit] = []

    def make(name: str | Path = ".memkit.db", **options: Any) -> memkit.Memkit:
        usual: dict[str, Any] = {
            "clock": clock,
            "encoder": HashedEncoder(64),
            "global_store": False,
        }
        path = tmp_path / name
        if clock.now == START and path.parent == tmp_path and not options.get("readonly"):
            with suppress(FileExistsError), path.open("xb") as file:
                file.write(_empty_store())
        made.append(memkit.open(path, **{**usual, **options}))
        return made[-1]

    yield make
    still_open = [kit for kit in reversed(made) if not kit._store.is_closed]
    problems = []
    for kit in still_open:
        problems += [f"{problem.name}: {problem.detail}" for problem in _unmended(kit)]
        kit.close()
    assert not problems, "\n".join(problems)
    for kit in still_open:
        assert not beside(kit.path), f"left beside {kit.path.name}"


@pytest.fixture
def kit(make_kit: Callable[..., memkit.Memkit]) -> memkit.Memkit:
    """An empty store at tmp_path/.memkit.db with the fake clock and a hashed encoder."""
    return make_kit()


@pytest.fixture
def packaged(make_kit: Callable[..., memkit.Memkit]) -> memkit.Memkit:
    """An empty store with the packaged model: the one that scores are calibrated for."""
    return make_kit("packaged.memkit.db", encoder=None)


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """A bare Store on tmp_path/.memkit.db, without anything that knows what a memory is."""
    opened = Store(tmp_path / ".memkit.db", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the time zone of the machine, and sets it back."""
    if not hasattr(time, "tzset"):
        pytest.skip("no time zone can be set here")

    def set_to(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    set_to("UTC")
    yield set_to
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file of tests/golden: `golden(name, text)`; see --update-golden."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        assert text == expected, f"tests/golden/{name} differs; if meant, renew: --update-golden"

    return compare


@pytest.fixture(autouse=True)
def own_surroundings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep the user's settings and global memories out of every test."""
    for name in [name for name in os.environ if name.startswith("MEMKIT_")]:
        monkeypatch.delenv(name)
    place = tmp_path_factory.getbasetemp() / "global" / str(next(_NUMBERS)) / "global.memkit.db"
    monkeypatch.setenv("MEMKIT_GLOBAL", str(place))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # for commands that a test starts


@cache
def _empty_store() -> bytes:
    """Return the file that opening makes at START: copying it costs half of making it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.memkit.db"
        memkit.open(path, clock=Clock(), encoder=HashedEncoder(64), global_store=False).close()
        return path.read_bytes()


def beside(path: Path) -> list[str]:
    """Return the names of files that belong to the database `path`: journals, locks, copies."""
    return sorted(p.name for p in path.parent.glob(f"{path.name}?*"))


def _unmended(kit: memkit.Memkit) -> list[memkit.Problem]:
    return [problem for problem in kit.check().problems if not problem.mended]


_NUMBERS = itertools.count()


# -- the session: options, no network, every query run


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --update-golden."""
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden anew; read the diff"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Shut the network and begin to note which statements run."""
    sys.addaudithook(_refuse_network)
    recorder = _Recorder()
    config.pluginmanager.register(recorder, "memkit-queries")
    apsw.connection_hooks.append(recorder.watch)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Load every module while coverage counts, which a test without it would be first to do; and
    keep the collector of garbage from going through all collected tests again and again."""
    if session.config.pluginmanager.has_plugin("_cov"):
        for module in pkgutil.walk_packages(memkit.__path__, "memkit."):
            if module.name != "memkit.__main__":  # which is a run of the command
                import_module(module.name)
    gc.collect()
    gc.freeze()


def _refuse_network(event: str, args: tuple[object, ...]) -> None:
    # Unix sockets have a path for an address; they lead nowhere outside.
    if event == "socket.getaddrinfo" or (
        event in ("socket.connect", "socket.sendto") and isinstance(args[1], tuple)
    ):
        raise PermissionError(f"a test asked for the network: {event} {args[-1]!r}")


class _Recorder:
    """Notes every statement of every connection in this process, and sums up over workers."""

    def __init__(self) -> None:
        self.statements: set[str] = set()
        self.narrowed = False
        self.missing: list[str] = []

    def watch(self, connection: apsw.Connection) -> None:
        connection.exec_trace = self._note

    def _note(self, cursor: apsw.Cursor, statement: str, bindings: object) -> bool:
        self.statements.add(statement)
        return True

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.narrowed = self.narrowed or bool(items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object) -> None:
        output = getattr(node, "workeroutput", {})
        self.statements.update(output.get("statements", ()))
        self.narrowed = self.narrowed or output.get("narrowed", True)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        config = session.config
        if hasattr(config, "workeroutput"):
            config.workeroutput["statements"] = sorted(self.statements & _known())
            config.workeroutput["narrowed"] = self.narrowed
        elif exitstatus == 0 and not self.narrowed and _is_whole(config):
            queries = load_queries().values()
            self.missing = sorted(q.name for q in queries if q.sql not in self.statements)
            if self.missing:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.missing:
            terminalreporter.section("queries that no test runs", red=True)
            terminalreporter.line(", ".join(self.missing))


def _known() -> set[str]:
    return {query.sql for query in load_queries().values()}


def _is_whole(config: pytest.Config) -> bool:
    """Whether the command line names nothing less than all tests."""
    named = [Path(str(config.invocation_params.dir), arg).resolve() for arg in config.args]
    partly = config.getoption("collectonly") or config.getoption("lf", default=False)
    return named == [Path(__file__).parent] and not partly
