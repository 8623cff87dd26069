"""What the environment says of memkit's files: where they lie, one beside a repository and one for
what holds everywhere, and whether they may be opened."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .. import arguments

FILE_NAME = ".memkit.db"


def is_switched_off() -> bool:
    """Whether MEMKIT_DISABLED says that no file is to be opened."""
    return os.environ.get("MEMKIT_DISABLED", "").lower() not in ("", "0", "false", "no")


def default_global_path() -> Path:
    """Return the file of global memories: $MEMKIT_GLOBAL, or the user's data folder."""
    if named := os.environ.get("MEMKIT_GLOBAL"):
        return arguments.path(named, name="MEMKIT_GLOBAL")
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "memkit" / "global.memkit.db"


def nearest(folder: Path) -> Path:
    """Return the store that is meant in a folder: $MEMKIT_DB, or the nearest one upward.

    The search ends at the root of the repository, where a new store belongs; outside of any
    repository it belongs into the folder itself.
    """
    if named := os.environ.get("MEMKIT_DB"):
        return arguments.path(named, name="MEMKIT_DB")
    start = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links
    for place in (start, *start.parents):
        if (place / FILE_NAME).exists() or (place / ".git").exists():
            return place / FILE_NAME
    return start / FILE_NAME
