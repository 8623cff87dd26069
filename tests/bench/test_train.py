"""Making tables of weights: one by itself, and where its encoder is not installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench import train, trainsets
from bench.recall import open_store
from memkit.retrieval import weights

SOURCE = Path(weights.__file__)


@pytest.mark.parametrize("name", trainsets.CONFIGS)
def test_one_table_is_written_and_the_others_stay(name: str) -> None:
    """In their order, with what stands before them, each of them once."""
    source = SOURCE.read_text(encoding="utf-8")
    table = weights.Weights(
        columns={"words": 1.5}, base=-2.0, belief={"lead": 0.25}, background=1.0
    )
    written = train.with_tables(source, {name: train.rendered(name, table)})
    made: dict[str, weights.Weights] = {}
    exec(written.replace("from __future__", "# "), made)
    assert made[name].base == -2.0
    assert made[name].columns == {"words": 1.5}
    for other in set(trainsets.CONFIGS) - {name}:
        assert made[other].columns == getattr(weights, other).columns
        assert written.count(f"\n{other} = ") == 1
    assert written.count(f"\n{name} = ") == 1
    assert train.with_tables(written, {}) == written


def test_a_table_of_an_encoder_that_is_missing_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the next step; the others are made."""
    monkeypatch.setattr(train, "missing", lambda: "onnxruntime")
    assert list(train.fitted_here(trainsets.CONFIGS)) == ["FULL", "COSINE", "LEXICAL"]
    assert "skipped CONTEXTUAL: onnxruntime is not installed (pip" in capsys.readouterr().out
    monkeypatch.setattr(train, "missing", lambda: "")
    assert list(train.fitted_here(["CONTEXTUAL"])) == ["CONTEXTUAL"]


def test_every_store_is_opened_with_the_encoder_of_the_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And what was chosen before is chosen again."""
    monkeypatch.setenv("MEMKIT_ENCODER", "hashing")
    with trainsets.opened_with("static"), open_store(tmp_path) as kit:
        kit.memories.remember("Rates are the ministry's.")
        assert kit.stats().vectors.encoder.startswith("memkit-static")
    assert os.environ["MEMKIT_ENCODER"] == "hashing"
    monkeypatch.delenv("MEMKIT_ENCODER")
    with trainsets.opened_with("hashing"):
        assert os.environ["MEMKIT_ENCODER"] == "hashing"
    assert "MEMKIT_ENCODER" not in os.environ
