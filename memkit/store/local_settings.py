"""What this machine noted for itself in a file: small values by name, of the sort that is asked
for. They come with the file from anywhere, so another sort counts as nothing noted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .connection import Store

T = TypeVar("T", int, str, dict[str, Any])


def local_setting(store: Store, name: str, otherwise: T) -> T:
    """Return what was noted under a name; `otherwise` if that is nothing, or of another sort."""
    text = store.value("store.local_setting", name=name)
    try:
        value: Any = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return otherwise
    return value if type(value) is type(otherwise) else otherwise


def set_local_setting(store: Store, name: str, value: object) -> None:
    """Note a value under a name, in place of what was there. Only inside `write`."""
    store.run("store.set_local_setting", name=name, value=json.dumps(value), at=store.now())
