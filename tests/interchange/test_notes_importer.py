"""Reading a repository again and again: what stays, what changes, what goes, what is never read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.interchange import note_files
from memkit.interchange.note_files import MAX_BYTES, gather
from memkit.interchange.notes_parser import Role
from memkit.safety.rendered import CLOSE, OPEN
from tests.conftest import Clock

MakeKit = Callable[..., memkit.Memkit]
# Put together here, so that no scanner takes this file for a leak.
SECRET = "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small repository around the store."""
    for path, text in {
        "README.md": "# Tool\nDoes things.\n\n## Install\n```sh\npip install tool\n```\n",
        "AGENTS.md": "# Rules\n- Never retry a POST.\n- Prefer pathlib.\n",
        ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\n- Use tabs.\n",
        "docs/adr/0001-sqlite.md": "# Use SQLite\n## Decision\nOne file.\n",
        "docs/guide.rst": "Guide\n=====\n\nRead it.\n",
        "docs/picture.png": "no text",
        "CHANGELOG.md": "# Changes\n" + "".join(f"## {n}.0\nfix {n}\n" for n in range(9, 0, -1)),
        "CONTRIBUTING.md": "# How to release\n1. tag\n2. push\n",
        "README.py": "print()",
        ".gitignore": "/docs/build/\n",
        "docs/build/out.md": "# made",
        "docs/secrets.txt": "hush",
        ".env": "X=1",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / ".git").mkdir()
    return tmp_path


def sources(kit: memkit.Memkit) -> set[str]:
    return {memory.source or "" for memory in kit.memories.find()}


def test_roles_are_told_by_place(root: Path) -> None:
    """Each document is read once, in the role of its place; private ones are named and not read."""
    found = gather(root)
    assert {file.path: file.role for file in found.files} == {
        "AGENTS.md": Role.AGENT_NOTES,
        ".cursor/rules/a.mdc": Role.AGENT_NOTES,
        "CHANGELOG.md": Role.CHANGELOG,
        "CONTRIBUTING.md": Role.CONTRIBUTING,
        "README.md": Role.README,
        "docs/adr/0001-sqlite.md": Role.ADR,
        "docs/guide.rst": Role.DOCS,
    }
    assert [path for path, _ in found.left_out] == ["docs/build/", "docs/secrets.txt"]
    assert all(reason.startswith("private") for _, reason in found.left_out)


def test_what_cannot_be_read_is_left_out_with_the_reason(root: Path, tmp_path: Path) -> None:
    """Files too large, binary files and links out of the root."""
    (root / "docs" / "large.md").write_text("x" * (MAX_BYTES + 1))
    (root / "docs" / "binary.md").write_bytes(b"\x89\0\0")
    (root / "docs" / "utf16.md").write_text("# Ü\nx", encoding="utf-16")
    (root / "docs" / "away.md").symlink_to(Path(__file__))
    left_out = dict(gather(root).left_out)
    assert "larger than 512 KiB" in left_out["docs/large.md"]
    assert "no text" in left_out["docs/binary.md"]
    assert "link" in left_out["docs/away.md"]
    assert "docs/utf16.md" in {file.path for file in gather(root).files}


def test_reading_again_changes_nothing(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """The second reading finds everything unchanged and leaves the file as it was."""
    first = kit.take_in()
    assert first.added == first.read > 8
    assert first.files == 7
    clock.advance(days=1)
    before = kit.store.path.read_bytes()
    again = kit.take_in(root)
    assert (again.added, again.updated, again.forgotten) == (0, 0, 0)
    assert again.unchanged == first.read
    assert kit.store.path.read_bytes() == before


def test_changes_of_documents_are_followed(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """A changed section keeps its memory, a vanished one is forgotten, a new one is added."""
    kit.take_in()
    before = {memory.source: memory.id for memory in kit.memories.find()}
    clock.advance(days=1)
    (root / "README.md").write_text("# Tool\nDoes more.\n\n## Use\nRun it.\n")
    (root / "docs" / "guide.rst").unlink()
    done = kit.take_in()
    assert (done.added, done.updated, done.forgotten) == (1, 1, 2)
    (changed,) = kit.memories.find(source="README.md#tool")
    assert (changed.id, changed.text) == (before["README.md#tool"], "Tool: Does more.")
    gone = {m.source: m.inactive_reason for m in kit.memories.find(history=True) if not m.active}
    assert gone == {
        "README.md#install": "gone: #install is not in README.md any more",
        "docs/guide.rst#guide": "gone: docs/guide.rst does not exist any more",
    }
    (root / "docs" / "guide.rst").write_text("Guide\n=====\n\nRead it.\n")
    clock.advance(days=1)
    assert kit.take_in().updated == 1
    assert "docs/guide.rst#guide" in sources(kit)


def test_a_document_that_became_private_is_forgotten(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """What is ignored from now on does not stay remembered."""
    kit.take_in()
    (root / ".gitignore").write_text("guide.rst\n")
    clock.advance(1)
    assert kit.take_in().forgotten == 1
    assert "docs/guide.rst#guide" not in sources(kit)


def test_what_a_person_did_stays(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """As long as the document says the same, its memories stay edited, forgotten, superseded."""
    kit.take_in()
    found = {memory.source: memory for memory in kit.memories.find()}
    edited, dropped, replaced = (
        found[name] for name in ("README.md#tool", "README.md#install", "docs/guide.rst#guide")
    )
    clock.advance(1)
    kit.memories.update(edited, "Tool does everything.")
    kit.memories.forget(dropped)
    kit.memories.remember("Do not read the guide", supersedes=[replaced])
    clock.advance(1)
    done = kit.take_in()
    assert (done.added, done.updated, done.forgotten) == (0, 0, 0)
    assert kit.memories.get(edited).text == "Tool does everything."
    assert not kit.memories.get(dropped).active
    assert not kit.memories.get(replaced).is_current
    clock.advance(1)
    (root / "docs" / "guide.rst").write_text("Guide\n=====\n\nRead the new one.\n")
    assert kit.take_in().updated == 1
    assert kit.memories.get(replaced).is_current


def test_memories_of_other_origin_are_left_alone(root: Path, kit: memkit.Memkit) -> None:
    """A statement of a person is not forgotten for naming a document as its source."""
    mine = kit.memories.remember("mine", source="README.md#nowhere")
    other = kit.memories.remember("seen", source="ticket#1", provenance="extracted")
    kit.take_in()
    assert kit.memories.get(mine).active
    assert kit.memories.get(other).active


def test_the_head_of_a_changelog_is_enough(root: Path, kit: memkit.Memkit) -> None:
    """Only the newest versions are remembered."""
    kit.take_in()
    found = sorted(name for name in sources(kit) if name.startswith("CHANGELOG"))
    assert found == [f"CHANGELOG.md#{n}-0" for n in range(5, 10)]


def test_secrets_in_documents_become_markers(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """The secret is nowhere in the file, the report counts it, and the next reading is settled."""
    (root / "README.md").write_text(f"# Tool\nexport TOKEN={SECRET}\n")
    assert sum(kit.take_in().redacted.values()) == 1
    clock.advance(1)
    assert kit.take_in().updated == 0
    assert SECRET.encode() not in kit.store.path.read_bytes()


def test_projects_have_their_own_notes(root: Path, make_kit: object, clock: Clock) -> None:
    """Two projects in one file do not forget each other's documents."""
    one = make_kit("shared.db", project="one")  # type: ignore[operator]
    one.take_in(root)
    one.close()
    (root / "docs" / "guide.rst").unlink()
    clock.advance(1)
    two = make_kit("shared.db", project="two")  # type: ignore[operator]
    assert two.take_in(root).forgotten == 0


def test_another_root_made_forget_what_was_taken_in(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """Notes of another folder stand beside those of the store's own, whichever is read again, and
    their own changes are followed; those below it are the same ones."""
    first = kit.take_in().added
    other = root.parent / "beside"
    other.mkdir()
    (other / "README.md").write_text("# Harbour\nShips lie here.\n\n## Pier\nOf oak.\n")
    clock.advance(1)
    done = kit.take_in(other)
    assert (done.added, done.updated, done.forgotten) == (2, 0, 0)
    assert (kit.take_in().unchanged, kit.take_in().forgotten) == (first, 0)
    (other / "README.md").write_text("# Harbour\nShips lie here.\n")
    clock.advance(1)
    assert kit.take_in(other).forgotten == 1
    (found,) = kit.memories.find(source="../beside/README.md#harbour")
    assert found.file_paths == ()
    assert kit.take_in(root / "docs").added == 0


def test_notes_of_agents_and_at_the_root_were_passed_over(tmp_path: Path) -> None:
    """Folders of agents' memories and all documents at the root are read."""
    for path in (
        ".serena/memories/overview.md", "memory-bank/progress.md", "ARCHITECTURE.md", "LESSONS.md",
        "DECISIONS.rst", "llms-install.md", "LICENSE.md", "requirements.txt", "src/deep/NOTES.md",
        "node_modules/x/README.md",
    ):  # fmt: skip
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("# T\ntext\n")
    found = gather(tmp_path)
    assert {file.path: file.role for file in found.files} == {
        ".serena/memories/overview.md": Role.AGENT_MEMORY,
        "memory-bank/progress.md": Role.AGENT_MEMORY,
        "ARCHITECTURE.md": Role.NOTES,
        "LESSONS.md": Role.NOTES,
        "DECISIONS.rst": Role.NOTES,
        "llms-install.md": Role.NOTES,
    }
    assert dict(found.left_out) == {
        "LICENSE.md": "a licence, no note",
        "src/deep/NOTES.md": "not in a known place; 'memkit import' takes it",
    }


def test_a_whole_disk_was_walked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes beyond the known places are looked for in so many folders only."""
    for path in ("README.md", "a/AGENTS.md", "b/AGENTS.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("# T\ntext\n")
    monkeypatch.setattr(note_files, "_MOST_FOLDERS", 2)
    assert {file.path for file in gather(tmp_path).files} == {"README.md", "a/AGENTS.md"}


def test_notes_for_agents_in_a_folder_were_left_out(tmp_path: Path) -> None:
    """AGENTS.md and its like are read wherever they lie but in what others wrote and in other
    repositories, as are files of rules without an ending."""
    for path in ("pkg/a/AGENTS.md", "docs/CLAUDE.md", "vendor/x/AGENTS.md", "pkg/a/README.md",
                 ".rules", ".augment-guidelines", "module/AGENTS.md", "module/.git/x"):  # fmt: skip
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("# T\ntext\n")
    found = gather(tmp_path)
    assert {file.path: file.role for file in found.files} == dict.fromkeys(
        (".augment-guidelines", ".rules", "docs/CLAUDE.md", "pkg/a/AGENTS.md"), Role.AGENT_NOTES
    )
    assert [path for path, _ in found.left_out] == ["pkg/a/README.md"]


def test_a_question_named_all_docs_by_a_common_word(tmp_path: Path, make_kit: MakeKit) -> None:
    """No tag that reading gives is a word that a question may have in it."""
    (tmp_path / "README.md").write_text("# T\ntext\n")
    kit = make_kit()
    kit.take_in(tmp_path)
    assert set(kit.memories.tags()) == {"notes:readme"}
    assert all(role.startswith("notes:") for role in Role)


def test_a_recalled_block_in_a_file_was_taken_for_notes(kit: memkit.Memkit, tmp_path: Path) -> None:
    """What memkit answered is passed over in a file; what stands beside it is taken in."""
    block = f"{OPEN}>\n0.57  12  fact\n      Quokkas sleep\n{CLOSE}"
    (tmp_path / "log.md").write_text(f"# Log\n\n{block}\n\nThe worker restarts nightly.\n")
    (tmp_path / "only.md").write_text(f"{block}\n")
    kit.import_(tmp_path / "log.md")
    kit.import_(tmp_path / "only.md")
    (memory,) = kit.memories.find()
    assert "worker" in memory.text
    assert "Quokkas" not in memory.text


def test_a_data_file_that_cannot_be_read_was_an_error_of_pythons_own(
    kit: memkit.Memkit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may not be opened is refused by its name, transcript or not."""
    path = tmp_path / "export.jsonl"
    path.write_text("{}", encoding="utf-8")

    def refuse(self: Path, *args: object, **options: object) -> object:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(memkit.InvalidInput, match=r"export\.jsonl: cannot be read \(Permission"):
        kit.import_(path)
