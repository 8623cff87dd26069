"""A static model of the user's own, in a local folder, through model2vec.

The folder is checked before model2vec sees it: for a path that does not exist model2vec would ask
the Hugging Face hub, so a mistyped path would become a network request.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelMissing
from .protocol import POOLING
from .static import StaticEncoder, Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Tensor name, tensors, tokenizer, settings: the layouts model2vec 0.10 reads, in its order.
LAYOUTS = (
    ("embeddings", "model.safetensors", "tokenizer.json", "config.json"),
    (
        "embedding.weight",
        "model.safetensors",
        "tokenizer.json",
        "config_sentence_transformers.json",
    ),
    (
        "embedding.weight",
        "0_StaticEmbedding/model.safetensors",
        "0_StaticEmbedding/tokenizer.json",
        "config_sentence_transformers.json",
    ),
)


def folder_encoder(folder: Path) -> StaticEncoder:
    """The model in this folder, loaded when the first text arrives.

    Raises ModelMissing if the folder or one of its files is missing or unreadable.
    """
    from safetensors import SafetensorError, safe_open

    if not folder.is_dir():
        raise ModelMissing(
            f"no model folder at {folder}: give the path of a folder that holds model.safetensors, "
            "tokenizer.json and config.json (nothing is downloaded)"
        )
    tensor, *names = _layout(folder)
    tensors, vocabulary, _ = (folder / name for name in names)
    try:
        with safe_open(tensors, framework="numpy") as opened:
            dimensions = int(opened.get_slice(tensor).get_shape()[1])
    except (SafetensorError, OSError, IndexError) as error:
        raise ModelMissing(f"{tensors} is not a static model with {tensor}: {error}") from error
    name = f"{folder.resolve().name}@{_digest(tensors, vocabulary)}/{POOLING}"
    return StaticEncoder(name=name, dimensions=dimensions, load=lambda: _read(folder))


def _layout(folder: Path) -> tuple[str, ...]:
    for layout in LAYOUTS:
        if all((folder / name).is_file() for name in layout[1:]):
            return layout
    found = sorted(path.name for path in folder.iterdir())[:6]
    raise ModelMissing(
        f"{folder} is not a model2vec folder: found {found}, expected model.safetensors, "
        "tokenizer.json and config.json"
    )


def _digest(*files: Path) -> str:
    whole = hashlib.sha256()
    for path in files:
        with path.open("rb") as opened:
            whole.update(hashlib.file_digest(opened, "sha256").digest())
    return whole.hexdigest()[:12]


def _read(folder: Path) -> Table:
    from model2vec import StaticModel

    try:
        model = StaticModel.from_pretrained(folder)
    except Exception as error:  # tokenizers raises a bare Exception for a bad file
        raise ModelMissing(f"the model in {folder} cannot be read: {error}") from error
    model.tokenizer.no_truncation()
    model.tokenizer.no_padding()
    rows: npt.NDArray[np.generic] = model.embedding
    return Table(model.tokenizer, rows, model.unk_token_id, model.weights, model.token_mapping)
