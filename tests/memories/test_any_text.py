"""Any text comes back as it went in, whatever letters it is made of."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit import redaction
from memkit.encoder import HashedEncoder
from memkit.errors import InvalidInput
from memkit.memories.identity import is_blank
from tests.asking import by_words
from tests.store import shell
from tests.strategies import texts

NFD = lambda text: unicodedata.normalize("NFD", text)  # noqa: E731


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[memkit.Memkit]:
    """One kit for many examples; checked at the end."""
    path = tmp_path_factory.mktemp("texts") / "t.db"
    with memkit.open(path, encoder=HashedEncoder(16), global_store=False) as kit:
        yield kit
        assert kit.check().is_sound


@given(texts)
def test_a_text_comes_back_letter_by_letter(shared: memkit.Memkit, text: str) -> None:
    """What is stored is the text cleaned and freed of secrets, in no other normal form."""
    wanted = redaction.redact(redaction.clean_text(text)).text
    if is_blank(wanted):
        with pytest.raises(InvalidInput, match="blank"):
            shared.memories.remember(text)
        return
    found = shared.memories.remember(text)
    stored = [shared.memories.get(found.id).text, *shared.memories.details(found).paraphrases]
    assert wanted in stored
    again = shared.memories.remember(text)
    assert again.id == found.id
    assert again.outcome in ("strengthened", "folded")


@given(texts, texts, st.lists(texts, max_size=3))
def test_every_field_takes_any_text(
    shared: memkit.Memkit, one: str, other: str, several: list[str]
) -> None:
    """Keys, values, sessions, tags and patterns hold any text or refuse it by name."""
    try:
        found = shared.memories.remember(
            f"field {one} {other} {several}", key=one, value=other, qualifier=one,
                session=other, author=one,
            summary=other, snippet=one, reason=other, trigger_patterns=several, tags=several,
            artifacts=[("commit", one)], season=one,
        ).memory  # fmt: skip
    except InvalidInput as error:
        assert "\n" not in str(error)
        return
    assert found == shared.memories.get(found.id)
    assert found in shared.memories.find(session=found.session, limit=10_000, history=True)
    assert len(found.trigger_patterns) == len(several)


@given(texts)
def test_any_text_can_be_asked_and_looked_for(shared: memkit.Memkit, text: str) -> None:
    """No question, filter or tag makes anything else than an answer or InvalidInput."""
    for call in (
        lambda: shared.recall(text),
        lambda: shared.memories.find(session=text),
        lambda: shared.memories.find(tags=[text]),
        lambda: shared.memories.find({"text": {"$contains": text}}),
    ):
        try:
            call()
        except InvalidInput as error:
            assert str(error)


def test_nul_neither_cuts_a_text_nor_breaks_the_index(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Words on both sides of ten thousand NULs are found, and SQL sees the whole text."""
    text = "flywheel " + "\0" * 10_000 + " gearbox"
    memory = kit.memories.remember(text).memory
    assert by_words(kit, "flywheel")
    assert by_words(kit, "gearbox")
    ((length,),) = shell.run(kit.path, "select length(text) from memories")
    assert length == len(memory.text)
    assert "\0" not in memory.text


def test_lone_surrogates_become_the_replacement_character(kit: memkit.Memkit) -> None:
    """Half a pair from a cut JSON string can be stored and its neighbours found."""
    memory = kit.memories.remember("turbine \ud83d hall").memory
    assert memory.text == "turbine \ufffd hall"
    assert by_words(kit, "turbine")


@pytest.mark.parametrize(("stored", "asked"), [(NFD, str), (str, NFD)], ids=["nfd", "nfc"])
def test_composed_and_decomposed_letters_are_the_same(
    kit: memkit.Memkit, stored: Callable[[str], str], asked: Callable[[str], str]
) -> None:
    """Text, tags, keys and sources are found in either form; the text is shown as it was typed."""
    text = stored("Blütenstaub verstopft den Filter, 방법 é")
    memory = kit.memories.remember(
        text, tags=[stored("Lüftung")], source=stored("größe.md#é"), about=[stored("büro/plän.py")]
    ).memory
    keyed = kit.memories.remember(key=stored("Höhe"), value="2 m")
    assert memory.text == text
    assert kit.recall(asked("Blütenstaub"), min_score=0)[0].memory.id == memory.id
    assert list(kit.memories.find(tags=asked("lüftung"))) == [memory]
    assert list(kit.memories.find(source=asked("größe.md#é"))) == [memory]
    assert kit.memories.remember(key=asked("Höhe"), value="3 m").replaced == (keyed.id,)
    assert kit.memories.remember(asked(text), source=asked("größe.md#é")).id == memory.id


def test_letters_that_only_look_alike_stay_apart(kit: memkit.Memkit) -> None:
    """A Cyrillic а in a name is another name."""
    latin = kit.memories.remember("run paypal_check first", tags=["pay"])
    cyrillic = kit.memories.remember("run p\u0430ypal_check first", tags=["p\u0430y"])
    assert latin.id != cyrillic.id
    assert len(kit.memories.tags()) == 2


@pytest.mark.parametrize(
    "text",
    [
        "قفل الباب عند المغادرة", "נעל את הדלת ביציאה", "ล็อคประตูก่อนออก", "出る前に鍵を閉める",
        "나가기 전에 문을 잠근다", "离开前锁门", "दरवाज़ा बंद करो", "Ключи под ковриком",
        "👩\u200d👩\u200d👧\u200d👦 live here",
        "a\u202egnirts desrever", "zero\u200bwidth", "e\u0301" * 40,
    ],
)  # fmt: skip
def test_scripts_and_marks_are_stored_and_found(kit: memkit.Memkit, text: str) -> None:
    """Right-to-left, unsegmented, combining and joined letters: found by their own text."""
    kit.memories.remember("an unrelated note about plumbing")
    memory = kit.memories.remember(text).memory
    assert memory.text == text
    assert kit.recall(text, min_score=0)[0].memory.text == text


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u200b", "\ufeff", "\u00a0\u2003", "\0\0"])
def test_a_text_that_shows_nothing_is_refused(kit: memkit.Memkit, text: str) -> None:
    """Blank, invisible and control-only texts are no statement."""
    with pytest.raises(InvalidInput, match="blank"):
        kit.memories.remember(text)


def test_a_text_without_end_is_refused_on_every_path(kit: memkit.Memkit) -> None:
    """The limit holds for remember, remember_many and update alike."""
    long = "x" * 1_000_001
    memory = kit.memories.remember("short")
    for call in (
        lambda: kit.memories.remember(long),
        lambda: kit.memories.remember_many(["fine", long]),
        lambda: kit.memories.update(memory, long),
    ):
        with pytest.raises(InvalidInput, match="in parts"):
            call()
    assert [m.text for m in kit.memories.find()] == ["short"]
    assert kit.memories.remember("y" + long[1:-1]).outcome == "stored"


@pytest.mark.parametrize(
    "name", ["text", "summary", "compressed", "snippet", "source", "author", "season"]
)
def test_every_text_of_a_memory_is_bounded(kit: memkit.Memkit, name: str) -> None:
    """No text of a memory is longer than a million letters, and the error names which one was."""
    with pytest.raises(InvalidInput, match=f"{name}: has 1,000,001 letters"):
        kit.memories.remember(**{"text": "short", name: "x" * 1_000_001})
    assert not kit.memories.find()


def test_trigger_patterns_are_bounded(kit: memkit.Memkit) -> None:
    """A list of texts is bounded as each text is."""
    with pytest.raises(InvalidInput, match="trigger_patterns: has 1,000,001 letters"):
        kit.memories.remember("short", trigger_patterns=["x" * 1_000_001])
