"""Settings files on the disk: read as text, replaced at once, with the former file put by.

A file keeps its mode, and a link to it stays a link. Before memkit first writes into a file, what
was in it is put into the user's data folder, not beside the file, where it might be committed; from
there `uninstall` knows what was there before, and so what is to be as it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import attrs

from ..errors import InvalidInput
from ..store.lifecycle import default_global_path


def read(path: Path) -> str | None:
    """Return the text of a settings file, None if there is none; raises InvalidInput."""
    data = _bytes(path)
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{path}: line {line}: found bytes that are no UTF-8; save the file as UTF-8"
        ) from None


def write(path: Path, before: str | None, after: str | None) -> None:
    """Replace a settings file, or remove it (None), if it still is as it was read.

    Raises InvalidInput for a file that may not be written or was changed meanwhile.
    """
    target = Path(os.path.realpath(path))
    if _bytes(target) != (None if before is None else before.encode("utf-8")):
        raise InvalidInput(f"{path}: was changed meanwhile; do it again")
    try:
        mode = os.stat(target).st_mode if before is not None else None
        if after is None:
            target.unlink(missing_ok=True)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, after.encode("utf-8"), mode)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(f"{path}: cannot be written: {reason}; see to its folder") from None


def refuse_read_only(path: Path) -> None:
    """Raise InvalidInput for a file that its owner may not write: it would be replaced all the
    same, where its folder can be written."""
    with suppress(OSError):
        if not os.stat(path).st_mode & stat.S_IWUSR:
            raise InvalidInput(f"{path}: is read-only; chmod u+w it, then do it again")


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(f"{path}: cannot be read: {reason}; see what it is") from None


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            owner = os.stat(target)
            temporary.chmod(stat.S_IMODE(mode))
            with suppress(OSError, AttributeError):  # another's file, or Windows
                os.chown(temporary, owner.st_uid, owner.st_gid)
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


# --- Former files.


@attrs.frozen
class FormerFile:
    """State of a settings file before memkit first wrote into it.

    Attributes:
        text: what was in it, None if there was no such file. folders: those that were made for it,
            outermost first.
    """

    text: str | None
    folders: tuple[str, ...] = ()


def backup_folder(path: Path) -> Path:
    """Return where the former state of a settings file is put: beside the global memories."""
    name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()
    return default_global_path().parent / "settings" / name[:16]


def former(path: Path) -> FormerFile | None:
    """Return what was put by of a settings file; None if nothing was, or it cannot be read."""
    folder = backup_folder(path)
    try:
        record = json.loads((folder / "record.json").read_text("utf-8"))
        names = record["folders"]
        text = (folder / "former").read_bytes().decode("utf-8") if record["existed"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return FormerFile(text, tuple(names) if is_list else ())


def put_by(path: Path, text: str | None) -> None:
    """Put the state of a settings file by, for its owner's eyes only: it may hold keys.

    Raises InvalidInput: without it nothing is changed."""
    folder = backup_folder(path)
    record = {"path": str(path), "existed": text is not None, "folders": _missing_folders(path)}
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_private(folder / "former", (text or "").encode("utf-8"))
        _write_private(folder / "record.json", json.dumps(record, indent=2).encode("utf-8"))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(f"{folder}: cannot be written: {reason}; see to it") from None


def clear(path: Path) -> None:
    """Remove what was put by of a settings file."""
    folder = backup_folder(path)
    for name in ("former", "record.json"):
        (folder / name).unlink(missing_ok=True)
    remove_empty((str(folder), str(folder.parent)))


def remove_empty(folders: Sequence[str]) -> None:
    """Remove those folders that are empty, the inner ones first."""
    for folder in folders:
        with suppress(OSError):
            Path(folder).rmdir()


def _write_private(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)


def _missing_folders(path: Path) -> list[str]:
    target = Path(os.path.realpath(path))
    return [str(folder) for folder in reversed(target.parents) if not folder.exists()]
