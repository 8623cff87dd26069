"""What a hook costs: time of a cold process at each moment, and what prompts are given.

Sets: `record` (a call that was made), `guard` (one about to be made), `context` (a prompt, each of
a session of its own), `start` (the page of a session), `open` (a call, with a pipe that stays open)
and `none` (a prompt where there is no store): `p50_ms` and `p95_ms` from the start of the process
to its end, beside one that imports apsw and attrs alone; the kinds take turns. `ratio` is of the
processor's time, which a busy machine stretches less (medians; the same floor is 1). The store
holds a project of those written for training, and what was done.

`update`: `kit.agent().update` while the agent's thread works on the turns before (10,000 of them).

Sets named for agents: a session of thirty events replayed as that agent does it, the command that
its settings say after `memkit install` run by a shell for each event (OpenCode's plugin by node):
`events`, the `share` that was answered as it should be, and how many `errors` what was recorded
has. Skipped by --limit.

`realuse`: of the prompts of the evaluation data, how many are given anything (`share`; floor: the
share of those to which anything is due) and the mean of the tokens (o200k) given to a prompt.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import memkit
from memkit.agents.hooks import answered, hook_call
from memkit.tokens import count

from . import texts
from .hook_sessions import replayed
from .latency import bytecode_in
from .projects import Clock, evaluation_projects, remember, training_projects
from .results import Options, Row
from .scoring import at_share, middle

_RUNS = 25
_UPDATES = 10_000
_FLOOR = "floor"
_SETS = ("record", "guard", "context", "start", "open", "none")


def run(options: Options) -> Iterator[Row]:
    """Time hooks of each kind in turns, then ask for the prompts."""
    yield from _cold(min(_RUNS, options.limit or _RUNS), options)
    yield from _updates(min(_UPDATES, 100 * (options.limit or _UPDATES)), options)
    if options.limit is None:
        yield from replayed(options)
    if options.folder("realuse", "realuse", holds="*/prompts.jsonl") is not None:
        yield from _given(options)


# --- Cold processes.


def _cold(runs: int, options: Options) -> Iterator[Row]:
    project = next(iter(training_projects()))
    with tempfile.TemporaryDirectory() as folder:
        root, bare = Path(folder) / "repo", Path(folder) / "bare"
        for place in (root, bare):
            (place / ".git").mkdir(parents=True)
        with memkit.open(root / ".memkit.db", global_store=False) as kit:
            remember(kit, Clock(), project.memories)
        environment = {
            **os.environ,
            **bytecode_in(Path(folder) / "bytecode"),
            "MEMKIT_GLOBAL": str(Path(folder) / "global.db"),
            "PYTHONPATH": str(texts.ROOT),
        }
        times: dict[str, list[float]] = {name: [] for name in (_FLOOR, *_SETS)}
        worked: dict[str, list[float]] = {name: [] for name in times}
        prompts = [row["text"] for row in project.prompts]
        for turn in range(runs + 2):
            prompt = prompts[turn % len(prompts)]
            for name, spent in times.items():
                payload = _payload(name, turn, prompt, bare if name == "none" else root)
                before = _processor_time()
                taken = _one(name, json.dumps(payload).encode(), environment, root)
                if turn > 1:  # the first ones compile, and learn what the file has
                    spent.append(taken)
                    worked[name].append(_processor_time() - before)
    for name in _SETS:
        own, floor = times[name], times[_FLOOR]
        options.say(f"{name:<8} min {min(own):6.1f}  max {max(own):6.1f} ms of {len(own)} runs")
        for metric, share in (("p50_ms", 0.5), ("p95_ms", 0.95)):
            yield Row(name, metric, at_share(own, share), at_share(floor, share))
        yield Row(name, "ratio", middle(worked[name]) / middle(worked[_FLOOR]), 1.0)


def _processor_time() -> float:
    """Return the seconds that processes which have ended have worked."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _payload(name: str, turn: int, prompt: str, folder: Path) -> dict[str, Any]:
    told = {"session_id": f"s-{turn}", "cwd": str(folder)}
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": f"pytest -q tests/{turn}"},
        "tool_use_id": f"{name}-{turn}",
    }
    if name in ("record", "open"):
        answer = {"stdout": "3 passed\n" * 40, "stderr": ""}
        return {**told, **call, "hook_event_name": "PostToolUse", "tool_response": answer}
    if name == "guard":
        return {**told, **call, "hook_event_name": "PreToolUse"}
    if name == "start":
        return {**told, "hook_event_name": "SessionStart", "source": "startup"}
    return {**told, "hook_event_name": "UserPromptSubmit", "prompt": prompt}


def _one(name: str, data: bytes, environment: dict[str, str], folder: Path) -> float:
    """Return the milliseconds of one process from its start to its end."""
    command = ["-c", "import apsw, attrs"] if name == _FLOOR else ["-m", "memkit", "hook"]
    pipe = subprocess.PIPE
    before = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, *command],
        env=environment,
        cwd=folder,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.flush()
        if name != "open":
            process.stdin.close()
            process.stdin = None
        code = process.wait()
        spent = (time.perf_counter() - before) * 1000
        error = process.stderr.read() if process.stderr else b""
    if code or error:
        raise RuntimeError(f"{name}: exit code {code}: {error!r}")
    return spent


# --- The agent in the background.


def _updates(count: int, options: Options) -> Iterator[Row]:
    project = next(iter(training_projects()))
    prompts = [row["text"] for row in project.prompts]
    times = []
    with (
        tempfile.TemporaryDirectory() as folder,
        memkit.open(Path(folder) / "bench.memkit.db", global_store=False) as kit,
    ):
        remember(kit, Clock(), project.memories)
        turns: list[object] = []
        agent = kit.agent()
        agent.maintenance.append(lambda _, turn: turns.append(turn))
        for number in range(count):
            if not number % 20:
                time.sleep(0.001)  # the thread gets on with its turn
            before = time.perf_counter()
            agent.update(prompts[number % len(prompts)])
            times.append((time.perf_counter() - before) * 1000)
        options.say(f"update   max {max(times):.2f} ms of {count}; {len(turns)} turns were made")
        agent.close()
    for metric, share in (("p50_ms", 0.5), ("p99_ms", 0.99)):
        yield Row("update", metric, at_share(times, share))


# --- What prompts are given.


def _given(options: Options) -> Iterator[Row]:
    given: list[int] = []
    due: list[bool] = []
    for project in evaluation_projects(options.data):
        with tempfile.TemporaryDirectory() as folder:
            clock = Clock()
            path = Path(folder) / "bench.memkit.db"
            with memkit.open(path, clock=clock, global_store=False) as kit:
                remember(kit, clock, project.memories)
                for prompt in project.prompts[: options.limit]:
                    clock.move(prompt["now"])
                    given.append(count(_text(kit, prompt["text"])))
                    due.append(bool(prompt["wanted"]))
    if given:
        yield Row("realuse", "tokens", sum(given) / len(given))
        yield Row("realuse", "most_tokens", max(given))
        yield Row("realuse", "share", sum(map(bool, given)) / len(given), sum(due) / len(due))


def _text(kit: memkit.Memkit, prompt: str) -> str:
    call = hook_call({"hook_event_name": "UserPromptSubmit", "prompt": prompt})
    line = answered(kit, call) if call else ""
    return str(json.loads(line)["hookSpecificOutput"]["additionalContext"]) if line else ""
