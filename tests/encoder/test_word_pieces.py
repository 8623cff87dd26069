"""Word pieces: the tokens that `tokenizers` gives, whatever the text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from memkit.encoder.static import PACKAGED, WordPieces

FILE = PACKAGED / "tokenizer.json"
PIECES = WordPieces(FILE)
REFERENCE = Tokenizer.from_file(str(FILE))
REFERENCE.no_truncation()

ascii_text = st.text(st.characters(max_codepoint=0x7F), max_size=60)
any_text = st.text(max_size=40)
names = st.lists(st.sampled_from("get User HTTP Server id s3 X x9 Zq qqqqz".split()), max_size=6)


@given(ascii_text | any_text | names.map("".join) | names.map("_".join))
@example("")
@example("[UNK]s and [PAD] are tokens, [unk] is none")
@example("a" * 100 + " " + "a" * 101)
@example("HTTPServerError in getUserName2JSON: x\x00y\tz")
@example("caf\u00e9 \u6f22\u5b57")
def test_tokens_are_those_of_the_tokenizer(text: str) -> None:
    """Every text has the same token ids, in the same order, as the reference gives it."""
    assert PIECES.ids(text) == REFERENCE.encode(text, add_special_tokens=False).ids


def test_whole_documents_have_the_same_tokens() -> None:
    """Source code and prose of thousands of words are divided alike, line by line."""
    lines = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8").splitlines()
    lines += Path(__file__).read_text(encoding="utf-8").splitlines()
    expected = [REFERENCE.encode(line, add_special_tokens=False).ids for line in lines]
    assert [PIECES.ids(line) for line in lines] == expected


def test_the_rules_in_the_file_are_the_ones_that_are_followed() -> None:
    """A tokenizer file with other rules would need other code here."""
    document = json.loads(FILE.read_text(encoding="utf-8"))
    kinds = [step["type"] for step in document["normalizer"]["normalizers"]]
    assert (kinds, document["pre_tokenizer"], document["model"]["type"]) == (
        ["Replace", "Replace", "BertNormalizer"],
        {"type": "BertPreTokenizer"},
        "WordPiece",
    )
    assert [token["content"] for token in document["added_tokens"]] == ["[PAD]", "[UNK]"]


def test_a_file_without_a_vocabulary_is_refused(tmp_path: Path) -> None:
    """What is no tokenizer file is said at once, not at the first word."""
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(KeyError):
        WordPieces(tmp_path / "tokenizer.json")
