"""Exports and imports of texts, as tests write them."""

from __future__ import annotations

import io
from typing import Any

import memkit


def exported(kit: memkit.Memkit, *, local: bool = False) -> str:
    """Return the text of an export."""
    stream = io.StringIO()
    kit.export(stream, local=local)
    return stream.getvalue()


def brought(kit: memkit.Memkit, text: str, **options: Any) -> Any:
    """Import a text; return what came of it."""
    return kit.import_(io.StringIO(text), **options)
