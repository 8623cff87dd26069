"""Global memories: one file of the user, part of the answers of every project."""

from __future__ import annotations

import pytest

import memkit


@pytest.fixture
def projects(tmp_path, make_kit):
    """Two repositories of one person, with one global store."""
    shared = tmp_path / "home" / "global.memkit.db"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    return (
        make_kit("a/.memkit.db", global_store=shared),
        make_kit("b/.memkit.db", global_store=shared),
        shared,
    )


def test_a_global_memory_is_recalled_in_another_project(projects):
    """What is said to hold everywhere is found from a repository that never heard of it."""
    one, other, shared = projects
    kept = one.memories.remember("Answers should be kept brief.", scope="global")
    assert shared.exists()
    assert [hit.id for hit in other.recall("how brief should answers be?")] == [kept.id]
    found = other.recall("how brief should answers be?", scope="global")
    assert [hit.id for hit in found] == [kept.id]
    assert other.memories.get(kept.id).text == kept.memory.text


def test_a_project_memory_stays_behind_its_wall(projects):
    """What one repository knows is never part of another one's answers."""
    one, other, _ = projects
    one.memories.remember("The blue chart deploys the shop.")
    assert list(other.recall("which chart deploys the shop?", min_score=0)) == []


def test_a_global_memory_leaves_no_row_in_the_project(projects):
    """The project's file, which is committed, does not hold what is the person's own."""
    one, _, _ = projects
    one.memories.remember("Prefers tea over coffee.", scope="global", kind="preference")
    assert one.memories.find() == []
    assert one.stats()["memories"]["total"] == 0


def test_recall_does_not_make_a_global_store(projects):
    """Asking writes nothing: without a global memory there is no global file."""
    one, _, shared = projects
    one.recall("anything at all")
    assert not shared.exists()


def test_recall_opens_the_global_store_for_reading_only(projects):
    """A question never takes a lock in the file that all projects share."""
    one, other, shared = projects
    one.memories.remember("Speaks French and German.", scope="global")
    one.close()
    before = shared.read_bytes()
    other.recall("which languages does she speak?")
    other.close()
    assert shared.read_bytes() == before


def test_a_damaged_global_store_does_not_silence_the_project(projects):
    """What the project knows still answers, and a note says what was left out."""
    one, _, shared = projects
    one.memories.remember("The kiln is fired on Fridays.")
    shared.parent.mkdir()
    shared.write_text("this is no database " * 200)
    found = one.recall("when is the kiln fired?", min_score=0)
    assert [hit.memory.text for hit in found] == ["The kiln is fired on Fridays."]
    assert any("global memories were left out" in note for note in found.notes)


def test_global_and_other_statements_are_not_mixed_in_one_call(projects):
    """They lie in different files: one call could store half of itself."""
    one, _, _ = projects
    both = [memkit.Draft("Here only."), memkit.Draft("Everywhere.", scope="global")]
    with pytest.raises(memkit.InvalidInput, match="remember them apart"):
        one.memories.remember_many(both)
    assert one.memories.find() == []


def test_without_a_global_store_everything_lies_in_the_one_file(tmp_path, make_kit):
    """global_store=False keeps global memories beside the others, visible to every project."""
    kit = make_kit("alone.db", project="a")
    kit.memories.remember("Holds for every project in this file.", scope="global")
    kit.memories.remember("Holds for project a alone.")
    kit.close()
    seen = make_kit("alone.db", project="b").recall("what holds for every project?", min_score=0)
    assert [hit.memory.text for hit in seen] == ["Holds for every project in this file."]


def test_the_place_of_the_global_store_follows_the_platform(monkeypatch, tmp_path):
    """$MEMKIT_GLOBAL first, then the usual folder for a user's data."""
    from memkit.store.places import default_global_path

    monkeypatch.setenv("MEMKIT_GLOBAL", str(tmp_path / "mine.db"))
    assert default_global_path() == tmp_path / "mine.db"
    monkeypatch.delenv("MEMKIT_GLOBAL")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert default_global_path() == tmp_path / "data" / "memkit" / "global.memkit.db"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert default_global_path() == tmp_path / "local" / "memkit" / "global.memkit.db"
    monkeypatch.setattr("sys.platform", "darwin")
    assert "Application Support" in default_global_path().parts


def test_switched_off_by_the_environment(monkeypatch, tmp_path):
    """With MEMKIT_DISABLED nothing is opened, and no file is made."""
    monkeypatch.setenv("MEMKIT_DISABLED", "1")
    with pytest.raises(memkit.Disabled, match="unset it"):
        memkit.open(tmp_path / "off.db")
    assert not (tmp_path / "off.db").exists()
