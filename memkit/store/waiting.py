"""How one process waits for another that writes: fairly.

SQLite's own time-out waits the longer between its tries the longer it has waited, so that whoever
comes last looks most often: of twelve hooks that run at once some never get a turn. Here it is the
other way round, since a turn is the moment between two writes of one process that goes on: whoever
has waited longest looks most often, and at moments that differ from process to process.
"""

from __future__ import annotations

import time

import apsw

# Seconds between two looks, at least and at most: a commit takes one to ten milliseconds.
_LEAST, _MOST = 0.001, 0.009
# After so many seconds a pause is this part of what it was: of the writes of five processes with
# 50 each, on two busy cores, the slowest twentieth began at 0.3 to 0.6 s, and begins at 0.3 s.
_LONG, _LEFT = 0.2, 0.1


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
        time.sleep(_pause() * patience(now - began))
        return True

    connection.set_busy_handler(look_again if seconds else None)


def patience(waited: float) -> float:
    """Return which part of a pause is left to one who has waited so many seconds."""
    return max(_LEFT, 1 - waited / _LONG)


# -- inside


def _pause() -> float:
    """Return a pause of no fixed length; the clock's last digits are chance enough."""
    return _LEAST + (_MOST - _LEAST) * (time.perf_counter_ns() // 100 % 1000) / 1000
