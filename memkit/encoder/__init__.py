"""Embeddings: the encoders, and the choice of one by name, folder or object."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ..errors import InvalidInput, ModelMissing
from .adapter import AdaptedEncoder, Encodes
from .hashing import HashedEncoder
from .protocol import CHUNK_TOKENS, Embedded, Encoder, chunks, is_contextual, quantize, sign_bits
from .static import folder_encoder, packaged_encoder

# --- Choice of an encoder: by nothing, a name, a folder, or an object.

VARIABLE = "MEMKIT_ENCODER"
USUAL = "static"


def _minilm_with_pieces() -> Encoder:
    from .contextual import CompositeEncoder, minilm_encoder

    return CompositeEncoder(sentences=minilm_encoder(), pieces=packaged_encoder())


NAMED: dict[str, Callable[[], Encoder]] = {
    USUAL: packaged_encoder,
    "minilm": _minilm_with_pieces,
    "hashing": HashedEncoder,
}


def load_encoder(
    source: str | os.PathLike[str] | Encoder | Encodes | None = None,
) -> Encoder:
    """The encoder for `source`; never downloads anything.

    A name of NAMED gives that encoder (one per process), a path the model2vec model in that folder,
    an Encoder itself, any other object with `encode(list[str])` that object adapted; None gives
    what $MEMKIT_ENCODER says, a name or a path, or the packaged model.
    Raises ModelMissing if there is no such name or no model at the path, or if what it needs is not
    installed; InvalidInput for anything else.
    """
    if source is None:
        source = os.environ.get(VARIABLE) or USUAL
    if isinstance(source, str):
        return _named(source) if source in NAMED else _in_folder(source)
    if isinstance(source, os.PathLike):
        return folder_encoder(Path(source).expanduser())
    if isinstance(source, Encoder):
        return source
    if isinstance(source, Encodes):
        return AdaptedEncoder(source)
    raise InvalidInput(
        f"{type(source).__name__} is not an encoder: give {_names()}, a folder, or an object with "
        "encode(list of str) that gives one row of numbers per text"
    )


@cache
def _named(name: str) -> Encoder:
    return NAMED[name]()


def _in_folder(written: str) -> Encoder:
    folder = Path(written).expanduser()
    if not {"/", os.sep} & {*written} and not folder.exists():
        raise ModelMissing(
            f"no encoder is called {written!r}: known are {_names()}; or give the path of a "
            "folder with a static model (nothing is downloaded)"
        )
    return folder_encoder(folder)


def _names() -> str:
    return ", ".join(repr(name) for name in NAMED)


# --- Public names: packaged static model, sentence encoder, a model of the user's own, hashing.
#
# Every encoder answers to the same protocol, so callers have one path: `embed(texts)` gives per
# text its chunk vectors and its token ids; a model without readable tokens simply gives no ids.
# Importing this package is cheap: numpy, tokenizers and model2vec are imported on first use.

__all__ = [
    "CHUNK_TOKENS",
    "Embedded",
    "Encoder",
    "Encodes",
    "HashedEncoder",
    "chunks",
    "is_contextual",
    "load_encoder",
    "quantize",
    "sign_bits",
]
