"""The packaged o200k_base encoding: no network, no cache folder, no environment variable.

tiktoken's own `get_encoding` downloads its ranks at the first use; here the `Encoding` is built
from the file in the package (checked by gzip's own checksum). Loading takes 0.25 to 0.4 s, once.
"""

from __future__ import annotations

import binascii
import gzip
import re
import threading
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelMissing

if TYPE_CHECKING:
    from tiktoken import Encoding

RANKS = Path(__file__).parent.parent / "assets" / "tokens" / "o200k_base.tiktoken.gz"

# The pattern and the special tokens of tiktoken's o200k_base (tiktoken_ext/openai_public.py, MIT).
_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
_SPECIAL = {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}

LONGEST_RUN = 512
"""Most characters of one kind (letters, symbols, white space) given to the encoder in one piece.

Merging is quadratic in such a run up to tiktoken 0.12 (40,000 emoji: 8 s; cut: 0.1 s), and a
million spaces end in a panic of its pattern matcher even in 0.14. A cut can add tokens: 3 at most
in 18,000 random cuts, 0 to 1 on average by kind of run. So all text is counted exactly except runs
of more than 512 characters without a break, which are over-counted by 3 % at most (most by none:
512 is a multiple of the longest tokens of repeated characters).
"""
_WHITE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_KINDS = (rf"[^\x00-@\[-`{{-\x7f{_WHITE}]", rf"(?:[^\w{_WHITE}]|_)", rf"[{_WHITE}]")
_WINDOW = re.compile("|".join(f"{kind}{{{LONGEST_RUN // 2}}}" for kind in _KINDS))
_RUN = re.compile("|".join(f"(?<!{kind}){kind}{{{LONGEST_RUN + 1},}}" for kind in _KINDS))

_lock = threading.Lock()
_loaded: list[Encoding] = []


def encode(text: str) -> list[int]:
    """The o200k_base ids of the text; special tokens are plain text, lone surrogates are "?"."""
    encoding = _encoding()
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    places = cuts(text)
    if not places:
        return encoding.encode_ordinary(text)
    edges = pairwise((0, *places, len(text)))
    return [i for start, end in edges for i in encoding.encode_ordinary(text[start:end])]


def decode(ids: list[int]) -> str:
    """The text of these ids, without the last character if its bytes are incomplete."""
    return _encoding().decode_bytes(ids).decode("utf-8", "ignore")


def cuts(text: str) -> list[int]:
    """Where to divide the text: every LONGEST_RUN characters within longer runs of one kind."""
    half = LONGEST_RUN // 2  # a longer run covers at least one window that starts at a multiple
    if not any(_WINDOW.match(text, at) for at in range(0, len(text) - half, half)):
        return []
    runs = (match.span() for match in _RUN.finditer(text))
    return [at for start, end in runs for at in range(start + LONGEST_RUN, end, LONGEST_RUN)]


def _encoding() -> Encoding:
    if not _loaded:
        with _lock:
            if not _loaded:  # pragma: no branch - another thread came first
                _loaded.append(_load(RANKS))
    return _loaded[0]


def _load(path: Path) -> Encoding:
    from tiktoken import Encoding

    try:
        fields = gzip.decompress(path.read_bytes()).split()
    except (OSError, EOFError) as error:
        raise ModelMissing(f"{path} is missing or damaged ({error}); reinstall memkit") from error
    tokens = map(binascii.a2b_base64, fields[::2])
    return Encoding(
        "o200k_base",
        pat_str=_PATTERN,
        mergeable_ranks=dict(zip(tokens, map(int, fields[1::2]), strict=True)),
        special_tokens=_SPECIAL,
    )
