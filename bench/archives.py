"""Archives: packed trees and notes of the evaluation data, unpacked."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any


def unpack(archive: tarfile.TarFile, folder: Path | str) -> None:
    """Unpack an archive into a folder; nothing lands outside of it where Python can see to that
    (3.11.4 and later)."""
    safely: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    archive.extractall(folder, **safely)
