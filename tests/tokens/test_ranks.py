"""The packaged encoding: offline, exact, and linear for any text."""

from __future__ import annotations

import gzip
import hashlib
import random
import socket
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import ModelMissing
from memkit.tokens import counter
from memkit.tokens.counter import LONGEST_RUN, RANKS, decode, encode
from tests.tables import each_row

any_text = st.text(st.characters() | st.sampled_from(" \nab<|>é漢😀\x00"), max_size=200)


def test_the_packaged_ranks_are_those_tiktoken_expects() -> None:
    """The uncompressed ranks have the hash that tiktoken itself checks for o200k_base."""
    found = hashlib.sha256(gzip.decompress(RANKS.read_bytes())).hexdigest()
    assert found == "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def test_the_licence_is_shipped_beside_the_ranks() -> None:
    """tiktoken's licence and the provenance note lie in the folder of the ranks."""
    assert "MIT License" in (RANKS.parent / "LICENSE.tiktoken").read_text()
    assert "o200k_base" in (RANKS.parent / "NOTICE.md").read_text()


def test_the_pattern_is_tiktokens_own() -> None:
    """Pattern and special tokens equal those of the installed tiktoken."""
    import inspect

    public = pytest.importorskip("tiktoken_ext.openai_public")
    source = inspect.getsource(public.o200k_base)
    for part in counter._PATTERN.split(r"|\p{N}{1,3}|")[1].split("|"):
        assert part in source
    assert "199999" in source
    assert "200018" in source


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("hello world", [24912, 2375]),
        ("", []),
        ("<|endoftext|>", [27, 91, 419, 1440, 919, 91, 29]),
    ],
)
def test_known_texts_have_known_ids(text: str, ids: list[int]) -> None:
    """Ids are those of o200k_base; a special token is plain text."""
    assert encode(text) == ids


def test_no_network_and_no_folder_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading opens no connection, with no cache folder named and an unusable home."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    assert len(counter._load(RANKS).encode_ordinary("hello 世界")) == 2


def test_threads_load_the_encoding_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight threads that meet unloaded ranks cause one load."""
    loads: list[Path] = []
    encoding = counter._encoding()
    gate = threading.Barrier(8)

    def load(path: Path) -> object:
        loads.append(path)
        return encoding

    def work() -> None:
        gate.wait()
        encode("text")

    monkeypatch.setattr(counter, "_loaded", [])
    monkeypatch.setattr(counter, "_load", load)
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [RANKS]


@pytest.mark.parametrize("content", [None, b"not gzip", gzip.compress(b"x" * 99, mtime=0)[:20]])
def test_damaged_ranks_are_named(tmp_path: Path, content: bytes | None) -> None:
    """A missing, foreign or cut rank file raises ModelMissing with its path."""
    path = tmp_path / "o200k_base.tiktoken.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelMissing, match="o200k_base"):
        counter._load(path)


@given(any_text)
def test_text_comes_back(text: str) -> None:
    """Decoding the ids gives the text, lone surrogates as question marks."""
    assert decode(encode(text)) == text.encode("utf-8", "replace").decode("utf-8")


@given(any_text)
def test_ordinary_text_is_counted_exactly(text: str) -> None:
    """Text without long runs has exactly tiktoken's ids."""
    legal = text.encode("utf-8", "replace").decode("utf-8")
    assert encode(text) == counter._encoding().encode_ordinary(legal)


@pytest.mark.no_cover
@each_row(
    "unit",
    [
        *("a", "A", "aA", "aé", "7", "^", "_!", "\x1c!", "the quick "),
        *(" ", "\n", " \n", "\t", "\xa0 ", "\x00", "\ud800", "\u200b"),
        *("😀", "固", "한국어", "e\u0301"),
    ],
)
def test_a_megabyte_without_a_break_is_counted(unit: str) -> None:
    """A million characters of one kind are encoded and come back (uncut, spaces alone panic)."""
    text = unit * (1_000_000 // len(unit))
    assert decode(encode(text)) == text.encode("utf-8", "replace").decode("utf-8")


@pytest.mark.parametrize(
    "alphabet",
    [
        "abcdefghij",
        "ABC",
        "а́бвг",
        "漢字仮名交",
        "가나다라",
        "😀🔥",
        "!?-=_",
        " \t",
        "\n ",
        "e\u0301",
    ],
)
def test_cutting_long_runs_adds_at_most_three_tokens_a_cut(alphabet: str) -> None:
    """A run of eight pieces is over-counted by less than three tokens a cut, and by 3 % in all."""
    text = "".join(random.Random(1).choices(alphabet, k=LONGEST_RUN * 8))
    cut, whole = len(encode(text)), len(counter._encoding().encode_ordinary(text))
    assert whole - 7 <= cut <= whole + 21
    assert cut <= whole * 1.03


@given(st.lists(st.tuples(st.sampled_from("a A!固 "), st.integers(1, 1_400)), max_size=6))
def test_no_run_longer_than_the_limit_is_left(runs: list[tuple[str, int]]) -> None:
    """Cuts lie inside runs of one kind, and leave none of more than LONGEST_RUN characters."""
    text = "".join(char * length for char, length in runs)
    places = counter.cuts(text)
    assert places == sorted(set(places))
    for start, end in zip([0, *places], [*places, len(text)], strict=True):
        kinds = [char for char in " !" if char * (LONGEST_RUN + 1) in text[start:end]]
        assert kinds == []
