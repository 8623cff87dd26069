"""The encoder for whatever the user named: nothing, a folder, or an object."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ..errors import InvalidInput
from .adapted import AdaptedEncoder, Encodes
from .folder import folder_encoder
from .protocol import Encoder
from .static import StaticEncoder, packaged_encoder


def load_encoder(
    source: str | os.PathLike[str] | Encoder | Encodes | None = None,
) -> Encoder:
    """The encoder for `source`; never downloads anything.

    None gives the packaged model (one per process), a path the model2vec model in that folder,
    an Encoder itself, any other object with `encode(list[str])` that object adapted.
    Raises ModelMissing if there is no model at the path, InvalidInput for anything else.
    """
    if source is None:
        return _packaged()
    if isinstance(source, str | os.PathLike):
        return folder_encoder(Path(source).expanduser())
    if isinstance(source, Encoder):
        return source
    if isinstance(source, Encodes):
        return AdaptedEncoder(source)
    raise InvalidInput(
        f"{type(source).__name__} is not an encoder: give a folder, or an object with "
        "encode(list of str) that gives one row of numbers per text"
    )


@cache
def _packaged() -> StaticEncoder:
    return packaged_encoder()
