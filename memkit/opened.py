"""`memkit.open`: from a path and what a caller wishes to a `Memkit`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from . import arguments
from .encoder import load_encoder
from .errors import Disabled, InvalidInput
from .kit import Memkit
from .store.connection import Store
from .store.openfile import BUSY_TIMEOUT
from .store.places import default_global_path, is_switched_off

if TYPE_CHECKING:
    from pathlib import Path

    from .encoder import Encoder, Encodes


def open(
    path: str | os.PathLike[str] = ".memkit.db",
    *,
    readonly: bool = False,
    encoder: Encoder | Encodes | str | os.PathLike[str] | None = None,
    clock: Callable[[], float] = time.time,
    project: str = "",
    global_store: str | os.PathLike[str] | Literal[False] | None = None,
    busy_timeout: float = BUSY_TIMEOUT,
) -> Memkit:
    """Open a memkit file, made if it is not there, and return it; use it with `with`.

    `encoder` is a folder with a static model or an object with `encode`; None is the packaged one.
    `clock` returns seconds since 1970. `project` is the wall behind which this caller stands ("" is
    the repository the file lies in). `global_store` is the file of global memories; None is the
    usual place in the user's data folder, False keeps them in this file. `busy_timeout` is the
    longest wait for another process, in seconds.

    Raises NotAMemkitFile, SchemaTooNew, ForeignObject, StoreDamaged, StoreBusy, StoreReadOnly (what
    is to be made or brought up to date cannot be written), ModelMissing, InvalidInput, Disabled.
    """
    if is_switched_off():
        raise Disabled("memkit is switched off by MEMKIT_DISABLED; unset it to switch it on")
    chosen = None if encoder is None else load_encoder(encoder)
    wall, file = arguments.text(project, name="project"), _file(path, name="path")
    beside = default_global_path() if global_store is None else global_store
    place = None if beside is False else _file(beside, name="global_store")
    store = Store(file, readonly=readonly, clock=clock, busy_timeout=busy_timeout)
    return Memkit(store, encoder=chosen, project=wall, global_path=place)


def _file(path: object, *, name: str) -> Path:
    """Return the path of a file; what SQLite would not take for one would be made under that
    name."""
    found = arguments.path(path, name=name)
    if str(found) == ":memory:" or str(found).startswith("file:"):
        raise InvalidInput(
            f"{name}: {str(found)!r} is no file, and a memkit store is one; give a path, for a "
            "trial one in a temporary folder"
        )
    return found
