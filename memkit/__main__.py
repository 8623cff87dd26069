"""`python -m memkit`."""

from __future__ import annotations

from .cli.entry import run

run()
