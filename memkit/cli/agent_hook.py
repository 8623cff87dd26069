"""Hook of an agent: `memkit hook`, one entry for every event of every agent.

Whatever happens, the agent goes on: the exit code is 0, standard output has the agent's own form or
nothing, and nobody waits longer than the limit. What is slow runs in a thread of its own, which is
left when the time is over. Neither click nor what is not needed for an event is loaded.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..store.lifecycle import is_switched_off
from .hook import MAX_BYTES, WAIT, read_bounded, read_options, record_into, store_of

if TYPE_CHECKING:
    from ..agents.hooks import HookCall

# Milliseconds after which an agent goes on whatever is not done by then, and at the end of a
# session: all its hooks together are given 1.5 seconds.
LIMIT, END_LIMIT = 2_000.0, 1_200.0
# Longest wait and limit that mean anything, in seconds.
_LONGEST = 600.0
_OPTIONS = ("--agent", "--event", "--db", "--wait", "--limit", "--budget")


class HookOptions(NamedTuple):
    """Options of one run.

    Attributes:
        agent, event: whose hook it is and which, where its JSON does not say. db: the store.
        wait: seconds for input and for other processes. limit: milliseconds for everything.
        budget: tokens of a context; None is the usual number of each event.
    """

    agent: str | None = None
    event: str | None = None
    db: str | None = None
    wait: float = WAIT
    limit: float | None = None
    budget: int | None = None


def hook_without_click(arguments: Sequence[str]) -> int | None:
    """Run `memkit hook` with these arguments and return 0; None if they ask for help, which needs
    click. Nothing is raised; MEMKIT_DEBUG shows on standard error what went wrong."""
    if {"-h", "--help"} & set(arguments):
        return None
    run_hook(_options(arguments))
    return 0


def run_hook(options: HookOptions) -> None:
    """Do what a hook is for with what stands on standard input; nothing is raised."""
    began = time.monotonic()
    try:
        if not is_switched_off():
            _run(options, began)
    except Exception:  # noqa: BLE001 - an agent must not fail because its memory does
        _show_fault()


def _run(options: HookOptions, began: float) -> None:
    # Threads of numpy's BLAS cost more to start than the few products of one question.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    call = _call(options)
    if call is None:
        return
    path = Path(options.db) if options.db else store_of(call.payload)
    if not path.is_file():
        return
    limit = options.limit
    if limit is None:
        from ..episodes.recording.hooks import HookKind

        limit = END_LIMIT if call.event.kind is HookKind.SESSION_END else LIMIT
    run = _Run(call, path, options, began + limit / 1000)
    thread = threading.Thread(target=run.work, daemon=True)
    thread.start()
    thread.join(max(run.deadline - time.monotonic(), 0.0))
    run.leave()


class _Run:
    """One run against a store, in a thread that may be left behind."""

    def __init__(self, call: HookCall, path: Path, options: HookOptions, deadline: float) -> None:
        self.deadline = deadline
        self._call, self._path, self._options = call, path, options
        self._lock = threading.Lock()  # of what is printed, or left
        self._is_left = False

    def work(self) -> None:
        """Record what an agent tells, then answer it: what the limit cuts off is the answer."""
        try:
            if self._call.needs_kit:
                self._with_kit()
            else:
                self._with_store()
        except Exception:  # noqa: BLE001 - an agent must not fail because its memory does
            _show_fault()

    def leave(self) -> None:
        """Print nothing from now on."""
        with self._lock:
            self._is_left = True

    def _with_store(self) -> None:
        from ..agents.hooks import note_fired
        from ..store.store import Store

        store = Store(self._path, busy_timeout=self._wait)
        try:
            self._record(store)
            note_fired(store, self._call)
        finally:
            store.close()

    def _with_kit(self) -> None:
        from .. import kit as kits
        from ..agents.hooks import answered, followed_up, note_fired

        with kits.open(self._path, busy_timeout=self._wait) as kit:
            try:
                self._record(kit._store)
            except Exception:  # noqa: BLE001 - what is known is told all the same
                _show_fault()
            try:
                self._print(answered(kit, self._call, budget=self._options.budget))
            except Exception:  # noqa: BLE001 - what has ended is learnt from all the same
                _show_fault()
            followed_up(kit, self._call)
            note_fired(kit._store, self._call)

    @property
    def _wait(self) -> float:
        """Seconds that another process may be waited for now."""
        return max(min(self._options.wait, self.deadline - time.monotonic()), 0.0)

    def _record(self, store: Any) -> None:
        if self._call.is_recorded:
            results = record_into(store, [dict(self._call.payload)], wait=self._wait)
            for result in results:
                if result.status in ("pending", "dropped"):
                    _show(str(result.reason))

    def _print(self, line: str) -> None:
        with self._lock:
            if line and not self._is_left:
                print_line(line)


def print_line(line: str) -> None:
    """Print a line as UTF-8, whatever the terminal's encoding, at once."""
    with suppress(OSError, AttributeError, ValueError):  # the reader has gone
        sys.stdout.buffer.write(f"{line}\n".encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


def _show(message: str) -> None:
    if os.environ.get("MEMKIT_DEBUG"):
        with suppress(OSError, AttributeError, ValueError):
            print(f"memkit: hook: {message}", file=sys.stderr)


def _show_fault() -> None:
    if os.environ.get("MEMKIT_DEBUG"):
        import traceback

        with suppress(OSError, AttributeError, ValueError):
            traceback.print_exc()


# --- What the run is of.


def _call(options: HookOptions) -> HookCall | None:
    """Return the run that standard input tells of, None if it tells of none."""
    stream = sys.stdin
    if stream is None or stream.closed or stream.isatty():
        return None
    data = read_bounded(stream.buffer, MAX_BYTES, patience=options.wait, is_single=True).data
    if len(data) > MAX_BYTES:
        _show(f"standard input has more than {MAX_BYTES // 1_000_000} MB")
        return None
    try:
        document = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        _show(f"standard input is no JSON: {error}")
        return None
    from ..agents.hooks import hook_call

    return hook_call(document, agent=_agent(options.agent), name=options.event)


def _agent(name: str | None) -> Any:
    from ..episodes.recording.hooks import Agent

    if name is None:
        return None
    try:
        return Agent(name.lower())
    except ValueError:
        _show(f"--agent is {name!r}; give one of {', '.join(Agent)}; its fields tell instead")
        return None


def _options(arguments: Sequence[str]) -> HookOptions:
    """Return the options; what means nothing is left out, and shown only on request."""
    values = read_options(arguments, _OPTIONS, _show)
    budget = _number(values, "--budget", os.environ.get("MEMKIT_HOOK_BUDGET"))
    wait, limit = _number(values, "--wait"), _number(values, "--limit")
    return HookOptions(
        values.get("--agent"),
        values.get("--event"),
        values.get("--db"),
        WAIT if wait is None else min(wait, _LONGEST),
        None if limit is None else min(limit, _LONGEST * 1000),
        None if budget is None else int(budget),
    )


def _number(values: dict[str, str], name: str, otherwise: str | None = None) -> float | None:
    text = values.get(name, otherwise)
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if 0 <= number < float("inf"):
        return number
    _show(f"{name} is {text!r}; give a number, 0 or more")
    return None
