"""How one process waits for another that writes: fairly.

SQLite's own time-out waits the longer between its tries the longer it has waited, so that whoever
comes last looks most often: of twelve hooks that run at once some never get a turn. Here everybody
looks equally often, at moments that differ from process to process.
"""

from __future__ import annotations

import time

import apsw

# Seconds between two looks, at least and at most: a commit takes one to ten milliseconds.
_LEAST, _MOST = 0.001, 0.009


def wait_for_others(connection: apsw.Connection, seconds: float) -> None:
    """Let a connection wait so long for a busy file before it gives up."""
    began = 0.0

    def look_again(tries: int) -> bool:
        nonlocal began
        now = time.monotonic()
        if not tries:
            began = now
        if now - began >= seconds:
            return False
        time.sleep(_pause())
        return True

    connection.set_busy_handler(look_again if seconds else None)


# -- inside


def _pause() -> float:
    """Return a pause of no fixed length; the clock's last digits are chance enough."""
    return _LEAST + (_MOST - _LEAST) * (time.perf_counter_ns() // 100 % 1000) / 1000
