"""A model folder of the user's own."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest

from memkit.encoder import load_encoder
from memkit.encoder.static import PACKAGED
from memkit.errors import ModelMissing

WORDS = ["[UNK]", "alpha", "beta", "gamma", "delta"]


@pytest.fixture
def make_model(tmp_path: Path):
    """Writes a tiny word-level model2vec folder and gives its path."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    def make(name: str = "tiny", *, seed: int = 1, **extra: np.ndarray) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        vocabulary = {word: number for number, word in enumerate(WORDS)}
        tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.save(str(folder / "tokenizer.json"))
        rows = np.random.default_rng(seed).normal(size=(5, 16)).astype(np.float32)
        tensors = {"embeddings": extra.pop("embeddings", rows), **extra}
        save_file(tensors, folder / "model.safetensors")
        settings = {"normalize": True, "max_length": 2}
        (folder / "config.json").write_text(json.dumps(settings))
        return folder

    return make


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to open a connection fails the test."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["no/such/folder", "minishlab/potion-base-8M", "~/nothing-here"])
def test_a_mistyped_path_never_reaches_the_network(name: str) -> None:
    """A path that does not exist raises ModelMissing and names the path; no hub is asked."""
    with pytest.raises(ModelMissing, match=name.rsplit("/", 1)[-1]):
        load_encoder(name)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    """A folder that is no model says what it found and what was expected."""
    (tmp_path / "readme.txt").write_text("nothing")
    with pytest.raises(ModelMissing, match=r"readme\.txt.*expected model\.safetensors"):
        load_encoder(tmp_path)


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_damaged_file_is_a_missing_model(make_model, file: str) -> None:
    """A file that cannot be read raises ModelMissing at the latest with the first text."""
    folder = make_model()
    (folder / file).write_bytes(b"\x00garbage")
    with pytest.raises(ModelMissing):
        load_encoder(folder).embed(["alpha"])


@pytest.mark.usefixtures("no_network")
def test_a_folder_gives_model2vecs_vectors(make_model) -> None:
    """A user's folder answers as model2vec does, beyond the model's own length limit."""
    model2vec = pytest.importorskip("model2vec")
    folder = make_model()
    encoder = load_encoder(str(folder))
    text = "alpha beta unknown gamma delta"
    theirs = model2vec.StaticModel.from_pretrained(folder).encode([text], max_length=None)[0]
    assert encoder.dimensions == 16
    assert encoder.tokenize([text]) == [[1, 2, 3, 4]]
    assert np.abs(encoder.embed([text])[0].vector - theirs).max() < 1e-6
    assert encoder.embed(["unknown words only"])[0].vectors == ()


def test_weights_and_mapping_of_a_quantised_vocabulary_are_used(make_model) -> None:
    """A model with shared rows and token weights gives model2vec's vectors."""
    model2vec = pytest.importorskip("model2vec")
    rows = np.random.default_rng(3).normal(size=(2, 16)).astype(np.float32)
    weights = np.asarray([1, 2, 0.5, 1, 3], dtype=np.float32)
    mapping = np.asarray([0, 1, 0, 1, 0], dtype=np.int64)
    folder = make_model(embeddings=rows, weights=weights, mapping=mapping)
    theirs = model2vec.StaticModel.from_pretrained(folder).encode(["alpha beta delta"])[0]
    reference = model2vec.StaticModel.from_pretrained(folder)
    theirs = reference.encode(["alpha beta delta"], max_length=None)[0]
    assert np.abs(load_encoder(folder).embed(["alpha beta delta"])[0].vector - theirs).max() < 1e-6


def test_another_model_of_the_same_dimension_has_another_name(make_model) -> None:
    """Folders of one name and dimension but other rows differ in name; equal files do not."""
    first, second = make_model("a"), make_model("b", seed=2)
    hashes = [load_encoder(folder).name.split("@")[1] for folder in (first, second)]
    assert hashes[0] != hashes[1]
    copy = first.parent / "copy"
    shutil.copytree(first, copy)
    assert load_encoder(copy).name == load_encoder(first).name.replace("a@", "copy@")


def test_another_tokenizer_over_the_same_rows_has_another_name(make_model) -> None:
    """The vocabulary belongs to the identity: the same rows under other words are another space."""
    folder = make_model()
    before = load_encoder(folder).name
    vocabulary = folder / "tokenizer.json"
    vocabulary.write_text(vocabulary.read_text().replace("alpha", "omega"))
    assert load_encoder(folder).name != before


def test_the_packaged_folder_can_be_named() -> None:
    """Naming the packaged folder gives the packaged vectors."""
    ours, named = load_encoder(), load_encoder(PACKAGED)
    text = "the same table, read twice"
    assert np.array_equal(ours.embed([text])[0].vector, named.embed([text])[0].vector)
