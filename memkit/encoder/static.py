"""Static encoders: the packaged model, and a model2vec folder."""

from __future__ import annotations

import hashlib
import json
import mmap
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ModelChanged, ModelMissing
from ..frozen import frozen
from .protocol import POOLING, TokenEncoder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from tokenizers import Tokenizer

    from .protocol import Vector

# --- Static model: a table with one row per token, averaged.
#
# The packaged model is read directly. Measured on a 2-core machine, after numpy: vocabulary 8 ms,
# table mapped .1 ms, against 28 + 6 ms with tokenizers and safetensors, and 80 ms for `import
# model2vec` + 240 ms for `StaticModel.from_pretrained` (which imports huggingface_hub). The
# vectors are the same; a test holds that to 1e-6.
#
# Texts are tokenised one by one: that runs at 15,000 short texts a second on one core, and never
# starts the thread pool of tokenizers, which warns in (and can hang) a process forked later. The
# packaged model reads every word by itself, so words that came before are looked up: twice to
# seven times as fast on many texts, with the same ids.

PACKAGED = Path(__file__).parent.parent / "assets" / "model"
PACKAGED_SHA256 = {
    "model.safetensors": "30e330e82e32820b4529e0463d591e8658a509078f38278a19adf63b82bb5458",
    "tokenizer.json": "e2de461ecb299586b6b7fe57f36f213683bccc4a91bd286addff49fead6657b1",
}
PACKAGED_NAME = f"memkit-static-256@{PACKAGED_SHA256['model.safetensors'][:12]}/{POOLING}"
PACKAGED_DIMENSIONS = 256
# Words whose ids are kept (some 4 MB when full), and their greatest length.
_MOST_WORDS = 20_000
_LONGEST_WORD = 32
# Bytes of the header of a file of tensors, of which the packaged one has 80.
_MAX_HEADER = 10_000


@frozen(eq=False)
class Table:
    """A loaded static model.

    Attributes:
        token_ids: of a text, unknown ones among them, none cut off.
        rows: (rows, dimensions), int8 or float.
        unknown: id of the unknown token, dropped everywhere; None if the vocabulary has none.
        weights: factor per token id, or None.
        mapping: row number per token id, or None where they are the same.
        words_apart: whether a word has the same tokens whatever stands around it.
    """

    token_ids: Callable[[str], list[int]]
    rows: npt.NDArray[np.generic]
    unknown: int | None
    weights: npt.NDArray[np.generic] | None = None
    mapping: npt.NDArray[np.integer[Any]] | None = None
    words_apart: bool = False


class StaticEncoder(TokenEncoder):
    """A static model, loaded when the first text arrives (once, whatever the thread)."""

    def __init__(self, *, name: str, dimensions: int, load: Callable[[], Table]) -> None:
        self.name = name  # both are known without loading the model
        self.dimensions = dimensions
        self._load = load
        self._loaded: Table | None = None
        self._words: dict[str, list[int]] = {}
        self._lengths: Vector | None = None
        self._lock = threading.Lock()

    @property
    def _table(self) -> Table:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:  # pragma: no branch - another thread came first
                    self._loaded = self._load()
        return self._loaded

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Known token ids of each text; lone surrogates are passed over."""
        split = self._by_word if self._table.words_apart else self._whole
        return [split(utf8(text)) for text in texts]

    def _whole(self, text: str) -> list[int]:
        table = self._table
        ids = table.token_ids(text)
        return [i for i in ids if i != table.unknown] if table.unknown in ids else ids

    def _by_word(self, text: str) -> list[int]:
        all_ids: list[int] = []
        known = self._words
        for word in text.replace("\n", " ").split(" "):
            ids = known.get(word)
            if ids is None:
                ids = self._whole(word)
                if len(word) <= _LONGEST_WORD and len(known) < _MOST_WORDS:
                    known[word] = ids
            all_ids += ids
        return all_ids

    def token_lengths(self, ids: Sequence[int]) -> Vector:
        """The length of each row of `token_rows`, never quite 0; kept, for the next question."""
        import numpy as np

        table = self._table
        if self._lengths is None:
            known = table.rows if table.mapping is None else table.mapping
            self._lengths = np.full(len(known), np.nan, np.float32)
        lengths: Vector = self._lengths[ids]
        unknown = np.isnan(lengths)
        if unknown.any():
            fresh: list[int] = np.asarray(ids)[unknown].tolist()
            lengths[unknown] = self._lengths[fresh] = super().token_lengths(fresh)
        return lengths

    def _rows(self, ids: Sequence[int]) -> Vector:
        import numpy as np

        return self.token_rows(ids).astype(np.float32, copy=False)

    def token_rows(self, ids: Sequence[int]) -> npt.NDArray[Any]:
        """Rows as they lie in the table, of its own type: bytes, in the packaged model. Who
        multiplies many turns a few at a time into float32: all at once takes half as long again."""
        import numpy as np

        table = self._table
        try:
            index = np.asarray(ids, dtype=np.uint32)
            # `take` needs a third less time than brackets.
            places: Any = index if table.mapping is None else table.mapping[index]
            picked: npt.NDArray[Any] = table.rows.take(places, axis=0)
            if table.weights is not None:
                weights = table.weights[index].astype(np.float32)[:, None]
                picked = picked.astype(np.float32, copy=False) * weights
        except (IndexError, OverflowError) as error:
            raise ModelChanged(
                f"token ids {min(ids)}..{max(ids)} are not of the model {self.name}; "
                "rebuild the vectors (memkit check --repair)"
            ) from error
        return picked


def utf8(text: str) -> str:
    """The text without lone surrogates, which no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode("utf-8")


def packaged_encoder() -> StaticEncoder:
    """The model inside the package: English and code, 33,211 tokens, 256 dimensions."""
    return StaticEncoder(
        name=PACKAGED_NAME, dimensions=PACKAGED_DIMENSIONS, load=lambda: read_table(PACKAGED)
    )


def read_table(folder: Path) -> Table:
    """The packaged layout (`embeddings` in model.safetensors, tokenizer.json) read directly.

    Raises ModelMissing if a file is not there or cannot be read.
    """

    tensors, vocabulary = folder / "model.safetensors", folder / "tokenizer.json"
    for path in (tensors, vocabulary):
        if not path.is_file():
            raise ModelMissing(f"{path} is missing from the installation; reinstall memkit")
    try:
        rows = _mapped(tensors)
        pieces = WordPieces(vocabulary)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelMissing(
            f"the model in {folder} is damaged ({error}); reinstall memkit"
        ) from error
    if rows.ndim != 2 or rows.shape[1] != PACKAGED_DIMENSIONS:
        raise ModelMissing(
            f"{tensors} is damaged: {rows.shape} are no rows of it; reinstall memkit"
        )
    return Table(pieces.ids, rows, pieces.unknown, words_apart=True)


def _mapped(path: Path) -> npt.NDArray[np.generic]:
    """The embeddings of a safetensors file (its header's length, the header, the data) as they lie
    there: a question reads the rows of its own tokens, not eight megabytes."""
    import numpy as np

    with path.open("rb") as opened:
        size = int.from_bytes(opened.read(8), "little")
        fields = json.loads(opened.read(min(size, _MAX_HEADER)))["embeddings"]
        if fields["dtype"] != "I8":
            raise ValueError(f"found embeddings of {fields['dtype']}, expected I8")
        begin, end = fields["data_offsets"]
        data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(data, np.int8, end - begin, 8 + size + begin).reshape(fields["shape"])


def check_packaged(folder: Path = PACKAGED) -> None:
    """Raise ModelMissing if a file of the packaged model is missing, or is not the one that was
    packaged, which loading does not look at: hashing takes longer."""
    for name, packaged in PACKAGED_SHA256.items():
        path = folder / name
        if not path.is_file():
            raise ModelMissing(f"{path} is missing from the installation")
        if file_hash(path).hex() != packaged:
            raise ModelMissing(f"{path} is damaged: it is not the file that was packaged")


def file_hash(path: Path) -> bytes:
    """The SHA-256 of a file."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()


# --- Model2vec folder: a static model of the user's own.
#
# The folder is checked before model2vec sees it: for a path that does not exist model2vec would
# ask the Hugging Face hub, so a mistyped path would become a network request.

# Tensor name, folder of tensors and tokenizer, settings: the layouts that model2vec 0.10 reads, in
# its order.
LAYOUTS = (
    ("embeddings", "", "config.json"),
    ("embedding.weight", "", "config_sentence_transformers.json"),
    ("embedding.weight", "0_StaticEmbedding/", "config_sentence_transformers.json"),
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
    tensor, tensors, vocabulary = _layout(folder)
    try:
        with safe_open(tensors, framework="numpy") as opened:
            dimensions = int(opened.get_slice(tensor).get_shape()[1])
    except (SafetensorError, OSError, IndexError) as error:
        raise ModelMissing(f"{tensors} is not a static model with {tensor}: {error}") from error
    name = f"{folder.resolve().name}@{_digest(tensors, vocabulary)}/{POOLING}"
    return StaticEncoder(name=name, dimensions=dimensions, load=lambda: _read(folder))


def _layout(folder: Path) -> tuple[str, Path, Path]:
    """The name of the tensor, and the files of tensors and tokenizer."""
    for tensor, prefix, settings in LAYOUTS:
        tensors = folder / f"{prefix}model.safetensors"
        vocabulary = folder / f"{prefix}tokenizer.json"
        if all(path.is_file() for path in (tensors, vocabulary, folder / settings)):
            return tensor, tensors, vocabulary
    names = sorted(path.name for path in folder.iterdir())[:6]
    raise ModelMissing(
        f"{folder} is not a model2vec folder: found {names}, expected model.safetensors, "
        "tokenizer.json and config.json"
    )


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(map(file_hash, files))).hexdigest()[:12]


def _read(folder: Path) -> Table:
    import numpy as np
    from model2vec import StaticModel

    try:
        model = StaticModel.from_pretrained(folder)
    except Exception as error:  # tokenizers raises a bare Exception for a bad file
        raise ModelMissing(f"the model in {folder} cannot be read: {error}") from error
    model.tokenizer.no_truncation()
    model.tokenizer.no_padding()

    def token_ids(text: str) -> list[int]:
        ids: list[int] = model.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    # What is no number in a row would be none in every text that has its word.
    rows: npt.NDArray[np.generic] = np.nan_to_num(model.embedding, posinf=0.0, neginf=0.0)
    return Table(token_ids, rows, model.unk_token_id, model.weights, model.token_mapping)


# --- Word pieces: tokens of the packaged model, in Python where a text is plain ASCII.
#
# What `tokenizers` gives, token by token (a test holds that). To load it and let it read its file
# takes three times as long as to read the vocabulary from there: most of what the tokens of a
# hook's one question cost. It is loaded for the first text of other characters.

UNKNOWN = "[UNK]"
# Characters that need no clearing up, and tokens that are known before any text is divided.
_PLAIN = re.compile(r"(?:(?!\[PAD\]|\[UNK\])[ -~])*")
# Where a word begins within a name: `getUserName`, `HTTPServer`.
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9]+|[^a-z0-9 ]")


class WordPieces:
    """Vocabulary of a tokenizer file (WordPiece behind BERT's normalizer, humps apart)."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, ValueError or KeyError for what is no such file."""
        self._path = path
        model = json.loads(path.read_text(encoding="utf-8"))["model"]
        self._ids: dict[str, int] = model["vocab"]
        self._prefix: str = model["continuing_subword_prefix"]
        self._max_chars: int = model["max_input_chars_per_word"]
        self.unknown = self._ids[UNKNOWN]
        """Id of what the vocabulary does not have."""

    def ids(self, text: str) -> list[int]:
        """The token ids of a text, unknown ones among them."""
        if _PLAIN.fullmatch(text) is None:
            whole: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
            return whole
        words = _WORD.findall(_HUMPS.sub(" ", text).lower())
        return [number for word in words for number in self._pieces(word)]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._path))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _pieces(self, word: str) -> list[int]:
        """The longest pieces from the left; a word that is not all known is unknown."""
        if (number := self._ids.get(word)) is not None and len(word) <= self._max_chars:
            return [number]
        known = list(self._longest(word)) if len(word) <= self._max_chars else [None]
        return [self.unknown] if None in known else [n for n in known if n is not None]

    def _longest(self, word: str) -> Iterator[int | None]:
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                if (number := self._ids.get(prefix + word[start:end])) is not None:
                    yield number
                    break
            else:
                yield None
                return
            start, prefix = end, self._prefix
