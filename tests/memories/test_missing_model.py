"""A model that is missing, damaged or out of order: words find, and vectors are made up for."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import memkit
from memkit.encoder import HashedEncoder, static
from memkit.encoder.protocol import Embedded
from memkit.errors import EncoderError, ModelMissing
from tests.asking import by_words

Open = Callable[..., memkit.Memkit]


def packaged(folder: Path) -> static.StaticEncoder:
    """The packaged model, read from another folder."""
    return static.StaticEncoder(
        name=static.PACKAGED_NAME, dimensions=256, load=lambda: static.read_table(folder)
    )


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A copy of the packaged model."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name in static.PACKAGED_SHA256:
        shutil.copy(static.PACKAGED / name, folder)
    return folder


def missing(folder: Path) -> None:
    """Take the table away."""
    (folder / "model.safetensors").unlink()


def cut(folder: Path) -> None:
    """Cut the table off."""
    (folder / "model.safetensors").write_bytes(b"x" * 100)


def empty(folder: Path) -> None:
    """Empty the vocabulary."""
    (folder / "tokenizer.json").write_text("")


@pytest.mark.parametrize("damage", [missing, cut, empty])
def test_words_work_without_the_model_and_vectors_are_made_up_for(
    make_kit: Open, model: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """Remembering, asking, listing, export and import work with a note; the next process with the
    model embeds what was written."""
    damage(model)
    with pytest.raises(ModelMissing):
        static.check_packaged(model)
    kit = make_kit(encoder=packaged(model))
    made = kit.memories.remember("Windmills turn slowly.")
    assert any(note.startswith("no vectors: ") for note in made.notes)
    assert by_words(kit, "windmills") == ["Windmills turn slowly."]
    assert any("no vectors" in note for note in kit.recall("windmills", min_score=0).notes)
    assert len(kit.memories.find()) == 1
    assert kit.export(tmp_path / "out.jsonl") > 0
    assert kit.import_(tmp_path / "out.jsonl") is not None
    with kit.session("s") as session, session.task("oil the windmill") as task:
        task.finish("oiled")
    assert kit.episodes.find_similar_tasks("oil a windmill")
    kit.close()
    kit = make_kit(encoder=packaged(static.PACKAGED))
    assert by_words(kit, "windmills") == ["Windmills turn slowly."]
    assert kit.stats().vectors.waiting == 0
    assert kit.stats().vectors.stored == {static.PACKAGED_NAME: 1}


def test_encoder_that_fails_for_a_while_loses_no_statement(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an encoder could not embed is stored, found by its words, and embedded later."""

    class Failing(HashedEncoder):
        """An encoder that is about to break."""

    def fail(*_: object, **__: object) -> None:
        raise EncoderError("the service is gone")

    kit = make_kit(encoder=Failing(64))
    with monkeypatch.context() as broken:
        broken.setattr(Failing, "embed", fail)
        made = kit.memories.remember("Sundials need sun.")
        assert any("the service is gone" in note for note in made.notes)
        assert by_words(kit, "sundials") == ["Sundials need sun."]
        with pytest.raises(EncoderError, match="the service is gone"):
            kit.reembed()
    assert kit.memories.remember("Clocks need oil.").notes == ()
    kit.close()
    kit = make_kit(encoder=Failing(64))
    kit.recall("sundials")
    assert kit.stats().vectors.waiting == 0


def test_vector_without_a_number_is_kept_out(
    make_kit: Open, recwarn: pytest.WarningsRecorder
) -> None:
    """What a user's encoder gives for a text or a piece, and is no number, is neither stored nor
    compared: words find it."""

    class Odd(HashedEncoder):
        """An encoder that knows no number for every other text."""

        def embed(self, texts: Sequence[str], **_: object) -> list[Embedded]:
            nan = np.full(64, np.nan, np.float32)
            return [Embedded((nan,), made.token_ids) for made in super().embed(texts)]

        def token_vectors(self, ids: Sequence[int]) -> Any:
            rows = np.array(super().token_vectors(ids))
            rows[:1] = np.inf
            return rows

    kit = make_kit(encoder=Odd(64))
    made = [kit.memories.remember(f"Windmill {n} turns slowly.").id for n in range(3)]
    for _ in range(3):
        hits = kit.recall("windmill 1 turns", min_score=0)
        assert {hit.id for hit in hits} == set(made)
        assert all(np.isfinite(hit.score) for hit in hits)
    assert not [w for w in recwarn if "invalid value" in str(w.message)]
