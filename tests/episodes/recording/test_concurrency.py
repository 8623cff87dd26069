"""Many record at once: processes, threads, a killed one, a forked one; nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import memkit
from memkit.episodes.records import RecordStatus, TaskStatus
from tests.store import shell

pytestmark = pytest.mark.disk
Open = Callable[..., memkit.Memkit]
ROOT = Path(__file__).resolve().parent.parent.parent

WORKER = """
import sys, memkit
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with memkit.open(path, global_store=False) as kit:
    with kit.session(name) as session, session.task("work of " + name) as task:
        print("begun", flush=True)
        for n in range(count):
            done = task.tool("Bash", {"command": f"{name} {n}"}, files=[f"{n % 7}.py"])
            if count > 10_000 and done.status == "stored":
                print(n, flush=True)
    lost = kit.episodes.stats().dropped
kit.close()
print(lost)
"""


def start(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    """Start a process that records so many events."""
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(path), name, str(count)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_record_into_one_file(make_kit: Open) -> None:
    """Three processes and a writer of memories beside them: every event is there, once."""
    kit = make_kit()
    workers = [start(kit.path, f"w{n}", 60) for n in range(3)]
    for number in range(20):
        kit.memories.remember(f"beside them, statement {number}")
    for worker in workers:
        out, _ = worker.communicate(timeout=60)
        assert worker.returncode == 0
        assert out.splitlines()[-1] == "{}"
    calls = kit.episodes.tool_executions(limit=1000)
    assert len({call.parameters["command"] for call in calls}) == len(calls) == 180
    assert Counter(task.tools["Bash"] for task in kit.episodes.tasks()) == {60: 3}
    assert len({task.id for task in kit.episodes.tasks()}) == 3
    assert kit.check().is_sound


def test_a_killed_process_leaves_whole_events_and_an_active_task(make_kit: Open) -> None:
    """What it was told to be stored is there, its task is active, and the next session finds it."""
    kit = make_kit()
    worker = start(kit.path, "killed", 1_000_000)
    assert worker.stdout is not None
    told = [worker.stdout.readline() for _ in range(15)]
    os.kill(worker.pid, signal.SIGKILL)
    rest, _ = worker.communicate()
    whole = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    acknowledged = {int(line) for line in (told + whole)[1:]}
    stored = {
        int(c.parameters["command"].split()[1]) for c in kit.episodes.tool_executions(limit=100_000)
    }
    assert acknowledged <= stored
    with kit.session() as session:
        (left,) = session.unfinished
        assert (left.status, left.session) == (TaskStatus.ACTIVE, "killed")
    assert kit.check().is_sound


def test_threads_share_a_session(kit: memkit.Memkit) -> None:
    """Each thread's tasks nest by themselves, and all events are written once."""
    session = kit.session()
    failures: list[str] = []

    def work(name: str) -> None:
        with session.task(name) as outer, session.task(f"part of {name}") as inner:
            for _ in range(25):
                done = inner.tool("Bash")
                if done.status is RecordStatus.DROPPED:
                    failures.append(str(done.reason))
            outer.file(f"{name}.py", "edit")

    threads = [threading.Thread(target=work, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kit.episodes.flush(patience=5)
    assert not failures
    assert len(kit.episodes.tool_executions(limit=1000)) == 100
    tasks = {task.name: task for task in kit.episodes.tasks()}
    for task in tasks.values():
        if task.description.startswith("part of"):
            assert task.description == f"part of {tasks[str(task.parent)].description}"
            assert task.tools == {"Bash": 25}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_does_not_write_what_its_parent_has_waiting(kit: memkit.Memkit) -> None:
    """Events that wait are the parent's; the child records its own."""
    session = kit.session("s")
    other = apsw.Connection(str(kit.path))
    other.execute("begin immediate")
    assert session.tool("Parent").status is RecordStatus.PENDING
    other.execute("rollback")
    other.close()
    child = os.fork()
    if child == 0:
        done = session.tool("Child")
        os._exit(0 if done.status is RecordStatus.STORED else 1)
    assert os.waitpid(child, 0)[1] == 0
    kit.episodes.flush(patience=1)
    assert sorted(call.tool for call in kit.episodes.tool_executions()) == ["Child", "Parent"]


def test_a_long_write_holds_nobody_up(kit: memkit.Memkit) -> None:
    """While the file is held, recording returns at once, a hundred times, and nothing is lost."""
    session = kit.session("s")
    other = apsw.Connection(str(kit.path))
    other.execute("begin immediate")
    statuses = {session.tool("Bash").status for _ in range(100)}
    assert statuses == {RecordStatus.PENDING}
    tried = shell.run(kit.path, "select count(*) from tool_executions")
    assert tried == [(0,)]
    other.execute("rollback")
    other.close()
    assert kit.episodes.flush(patience=1) == 0
    assert len(kit.episodes.tool_executions(limit=1000)) == 100


def test_reading_writes_nothing(kit: memkit.Memkit) -> None:
    """Questions leave the file as it is, byte for byte."""
    with kit.session() as session, session.task("t") as task:
        task.tool("Bash", success=False, error="KeyError: 'x'", files=["a.py"])
    kit.memories.find()
    before = kit.path.read_bytes()
    ask = kit.episodes
    (
        ask.file_history("a.py"),
        ask.file_history("a.py").events,
        ask.find_errors(),
        ask.session_summary(),
    )
    ask.find_similar_tasks("t"), ask.tool_stats(), ask.unfinished_tasks(), ask.stats(), kit.check()
    assert kit.path.read_bytes() == before
