"""The packaged model: what is shipped, what it answers, and that long or odd text loses nothing."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import encoder as encoders
from memkit.encoder import CHUNK_TOKENS, load_encoder
from memkit.encoder.static import PACKAGED, PACKAGED_SHA256, StaticEncoder, Table, read_table
from memkit.errors import ModelChanged, ModelMissing

any_text = st.text(st.characters() | st.sampled_from("\ud800\udfff\x00\u200b🫥é漢"), max_size=80)

SENTENCES = [
    "The staging cluster lives in Frankfurt and is rebuilt every night.",
    "def read_config(path: Path) -> dict[str, str]: return parseINIFile(path)",
    "HTTPServerError in getUserName: retry after 30 s",
    "naïve café, Größenprüfung, 日本語 and some 한국어",
    "x",
    "[PAD] and [UNK] are plain words here",
    "SELECT name, count(*) FROM users GROUP BY 1; -- ok?",
]


@pytest.mark.parametrize("file", sorted(PACKAGED_SHA256))
def test_the_packaged_model_is_the_one_that_was_measured(file: str) -> None:
    """The shipped model files have the recorded checksums, so the name stays true."""
    assert hashlib.sha256((PACKAGED / file).read_bytes()).hexdigest() == PACKAGED_SHA256[file]


def test_the_packaged_settings_are_unchanged() -> None:
    """The model's own settings file, which model2vec reads, is shipped as it came."""
    found = hashlib.sha256((PACKAGED / "config.json").read_bytes()).hexdigest()
    assert found == "483839abf4bc7fdf8e52b729a71f4688a9e5e122d28f2dc85c37899c19dfa27e"


def test_the_notice_is_shipped_beside_the_model() -> None:
    """The provenance and licence of the model lie in its folder."""
    assert "Apache License 2.0" in (PACKAGED / "NOTICE.txt").read_text()


def test_name_and_dimensions_are_known_without_loading() -> None:
    """Asking an encoder who it is does not read the model."""
    encoder = StaticEncoder(name="n", dimensions=7, load=lambda: pytest.fail("was loaded"))
    assert (encoder.name, encoder.dimensions) == ("n", 7)
    assert load_encoder().name == "memkit-static-256@30e330e82e32/mean1"
    assert load_encoder().dimensions == 256


def test_one_packaged_encoder_serves_the_whole_process() -> None:
    """Two calls share one table in memory."""
    assert load_encoder() is load_encoder()


def test_threads_load_the_model_once() -> None:
    """Eight threads that meet an unloaded model cause one load and get equal ids."""
    loads: list[int] = []
    gate = threading.Barrier(8)

    def load() -> Table:
        loads.append(1)
        return read_table(PACKAGED)

    encoder = StaticEncoder(name="n", dimensions=256, load=load)
    seen: list[list[list[int]]] = []

    def work() -> None:
        gate.wait()
        seen.append(encoder.tokenize(["two words"]))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
    assert all(ids == seen[0] for ids in seen)


def test_vectors_equal_those_of_model2vec() -> None:
    """Token ids are model2vec's own, and pooled vectors agree to 1e-6."""
    model2vec = pytest.importorskip("model2vec")
    reference = model2vec.StaticModel.from_pretrained(PACKAGED)
    encoder = load_encoder()
    assert encoder.tokenize(SENTENCES) == reference.tokenize(SENTENCES)
    theirs = reference.encode(SENTENCES, max_length=None)
    for embedded, other in zip(encoder.embed(SENTENCES), theirs, strict=True):
        assert embedded.vector is not None
        assert np.abs(embedded.vector - other).max() < 1e-6


@pytest.mark.parametrize(
    "text", ["", "   ", "\n\t", "🫥", "🫥🫥", "\u200b", "\ud800", "\x00", "ꙮ" * 5]
)
def test_text_that_says_nothing_has_no_vector(text: str) -> None:
    """Empty, blank, emoji-only and unknown text has no ids and no vector, never a zero vector."""
    embedded = load_encoder().embed([text])[0]
    assert embedded.vectors == ()
    assert embedded.vector is None
    assert embedded.token_ids == ()
    assert load_encoder().pool([]) is None


@given(any_text)
def test_any_text_gives_unit_vectors_or_none(text: str) -> None:
    """Whatever the text, every vector is finite and of length 1, and ids are in the vocabulary."""
    encoder = load_encoder()
    embedded = encoder.embed([text])[0]
    assert bool(embedded.vectors) == bool(embedded.token_ids)
    for vector in embedded.vectors:
        assert vector.dtype == np.float32
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5
    assert all(0 <= i < 33_211 for i in embedded.token_ids)


@given(st.lists(any_text, max_size=6))
def test_a_batch_equals_its_texts_one_by_one(texts: list[str]) -> None:
    """A text's ids and vectors do not depend on its neighbours, bit for bit."""
    encoder = load_encoder()
    for together, text in zip(encoder.embed(texts), texts, strict=True):
        alone = encoder.embed([text])[0]
        assert together.token_ids == alone.token_ids
        assert [v.tobytes() for v in together.vectors] == [v.tobytes() for v in alone.vectors]


def test_nothing_is_cut_from_a_long_text() -> None:
    """A text far beyond the tokenizer's own limit keeps all its ids, in chunks of 128 at most."""
    words = [f"word{number}" for number in range(5_000)]
    encoder = load_encoder()
    whole = encoder.embed([" ".join(words)])[0]
    assert len(whole.token_ids) == sum(len(ids) for ids in encoder.tokenize(words))
    assert len(whole.vectors) == -(-len(whole.token_ids) // CHUNK_TOKENS)


def test_the_last_sentence_of_a_long_text_is_found() -> None:
    """A closing sentence after 1,500 other words changes a vector and ranks before other notes."""
    encoder = load_encoder()
    prose = " ".join(
        f"On day {n} we walked past the harbour, bought bread and talked about the weather."
        for n in range(100)
    )
    tail = "Rotate the signing certificate each March."
    query = encoder.embed(["when do we renew the signing cert"])[0].vector
    distractors = [
        f"The {n}th meeting about the garden was moved to the library" for n in range(50)
    ]

    def best(text: str) -> float:
        return max(float(vector @ query) for vector in encoder.embed([text])[0].vectors)

    with_tail = best(f"{prose} {tail}")
    assert with_tail > best(prose)
    assert sum(best(other) > with_tail for other in distractors) < 3


def test_token_lengths_that_are_kept_are_those_of_the_rows() -> None:
    """Asked again, in another order and with others, each token has the length of its row."""
    encoder = load_encoder()
    for ids in ([70, 9, 512], [512, 3, 70], [3, 9]):
        rows = encoder.token_rows(ids)
        assert np.allclose(encoder.token_lengths(ids), np.linalg.norm(rows, axis=1))


def test_token_vectors_are_unit_rows() -> None:
    """Late interaction gets one unit row per id, and no rows for no ids."""
    encoder = load_encoder()
    ids = encoder.tokenize(["rotate the signing certificate"])[0]
    rows = encoder.token_vectors(ids)
    assert rows.shape == (len(ids), 256)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert encoder.token_vectors([]).shape == (0, 256)


def test_weights_move_the_pooled_vector() -> None:
    """A weight of 0 removes a token, a missing weight counts 1, all 0 leaves nothing."""
    encoder = load_encoder()
    common, rare = encoder.tokenize(["the", "certificate"])
    both = [*common, *rare]
    weighted = encoder.pool(both, weights={common[0]: 0.0})
    assert weighted is not None
    assert np.allclose(weighted, encoder.pool(rare), atol=1e-6)
    assert np.allclose(encoder.pool(both, weights={}), encoder.pool(both), atol=1e-6)
    assert encoder.pool(both, weights=dict.fromkeys(both, 0.0)) is None
    assert encoder.pool(both, weights={both[0]: float("nan")}) is None


@pytest.mark.parametrize("ids", [[40_000], [-1], [2**40]])
def test_ids_of_another_model_are_refused(ids: list[int]) -> None:
    """Ids outside the vocabulary raise ModelChanged instead of reading another row."""
    with pytest.raises(ModelChanged, match="rebuild"):
        load_encoder().pool(ids)


def test_a_missing_packaged_file_is_named(tmp_path: Path) -> None:
    """A broken installation says which file is missing."""
    with pytest.raises(ModelMissing, match=r"model\.safetensors"):
        read_table(tmp_path)


def test_a_forked_process_embeds_without_a_warning() -> None:
    """After embedding, a fork embeds again, equally, and nothing is printed on stderr."""
    program = """
import os, sys
from memkit.encoder import load_encoder
encoder = load_encoder()
texts = [f"text number {n}" for n in range(200)]
before = [e.vector.tobytes() for e in encoder.embed(texts)]
child = os.fork()
after = [e.vector.tobytes() for e in encoder.embed(texts)]
if child == 0:
    os._exit(0 if after == before else 7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(encoders.__file__).parents[2],
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_loads_nothing_heavy() -> None:
    """The encoder and token packages import without numpy, tokenizers, model2vec and tiktoken."""
    program = (
        "import sys, memkit.encoder, memkit.tokens; memkit.encoder.load_encoder().name;"
        "print(sorted({'numpy', 'tokenizers', 'model2vec', 'tiktoken', 'safetensors'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(encoders.__file__).parents[2],
    )
    assert done.stdout.strip() == "[]"


TABLE = read_table(PACKAGED)
WHOLE = StaticEncoder(
    name="whole", dimensions=256, load=lambda: Table(TABLE.token_ids, TABLE.rows, TABLE.unknown)
)


@given(st.lists(any_text | st.sampled_from(SENTENCES), max_size=4).map(" \n".join))
def test_words_looked_up_have_the_tokens_of_the_whole_text(text: str) -> None:
    """Looking words up one by one gives the ids that the tokenizer gives for the text at once."""
    assert load_encoder().tokenize([text, text]) == WHOLE.tokenize([text]) * 2
