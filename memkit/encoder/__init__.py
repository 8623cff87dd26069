"""Text to vectors, offline: the packaged static model, a sentence encoder, a model of the user's
own, or hashed words.

Every encoder answers to the same protocol, so callers have one path: `embed(texts)` gives per text
its chunk vectors and its token ids; a model without readable tokens simply gives no ids.
Importing this package is cheap: numpy, tokenizers and model2vec are imported on first use.

Modules:

- what an encoder is:
    protocol, pooling, pack
- encoders, and the choice of one:
    static, contextual, composite, folder, adapted, hashed, loading
"""

from __future__ import annotations

from .adapted import Encodes
from .hashed import HashedEncoder
from .loading import load_encoder
from .pack import quantize, sign_bits
from .protocol import CHUNK_TOKENS, Embedded, Encoder, chunks, is_contextual

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
