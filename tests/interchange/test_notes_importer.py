"""Notes importer: what stays of notes read again, what changes, moves or goes, what is not read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.interchange import note_files
from memkit.interchange.note_files import MAX_BYTES, gather
from memkit.interchange.notes_parser import Role
from memkit.redaction.redactor import CLOSE, OPEN
from tests.conftest import Clock

MakeKit = Callable[..., memkit.Memkit]
# Put together here, so that no scanner takes this file for a leak.
SECRET = "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"


DOES = "It lifts containers from ships and puts them down again, one at a time."
MORE = "Pull the lever on the left side, and wait until the bell has rung three times."
INSTALL = "Take it from the harbour office, with the papers that the master has signed."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small repository around the store."""
    for path, text in {
        "README.md": f"# Tool\n{DOES}\n\n## Install\n{INSTALL}\n",
        "AGENTS.md": "# Rules\n- Never retry a POST, uploads were doubled.\n- Prefer pathlib.\n",
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
    first = kit.import_notes()
    assert first.added == first.read == 9
    assert first.files == 7
    clock.advance(days=1)
    before = kit.path.read_bytes()
    again = kit.import_notes(root)
    assert (again.added, again.updated, again.forgotten) == (0, 0, 0)
    assert again.unchanged == first.read
    assert kit.path.read_bytes() == before


def test_changes_of_documents_are_followed(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """A changed section keeps its memory, a vanished one is forgotten, a new one is added."""
    kit.import_notes()
    before = {memory.source: memory.id for memory in kit.memories.find()}
    clock.advance(days=1)
    (root / "README.md").write_text(f"# Tool\n{DOES} It sings.\n\n## Use\n{MORE}\n")
    (root / "docs" / "guide.rst").unlink()
    done = kit.import_notes()
    assert (done.added, done.updated, done.forgotten) == (1, 1, 2)
    (changed,) = kit.memories.find(source="README.md#tool")
    assert (changed.id, changed.text) == (before["README.md#tool"], f"Tool: {DOES} It sings.")
    gone = {m.source: m.inactive_reason for m in kit.memories.find(history=True) if not m.active}
    assert gone == {
        "README.md#install": "gone: #install is not in README.md any more",
        "docs/guide.rst#guide": "gone: docs/guide.rst does not exist any more",
    }
    (root / "docs" / "guide.rst").write_text("Guide\n=====\n\nRead it.\n")
    clock.advance(days=1)
    assert kit.import_notes().updated == 1
    assert "docs/guide.rst#guide" in sources(kit)


def test_a_document_that_became_private_is_forgotten(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """What is ignored from now on does not stay remembered."""
    kit.import_notes()
    (root / ".gitignore").write_text("guide.rst\n")
    clock.advance(1)
    assert kit.import_notes().forgotten == 1
    assert "docs/guide.rst#guide" not in sources(kit)


def test_what_a_person_did_stays(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """As long as the document says the same, its memories stay edited, forgotten, superseded."""
    kit.import_notes()
    found = {memory.source: memory for memory in kit.memories.find()}
    edited, dropped, replaced = (
        found[name] for name in ("README.md#tool", "README.md#install", "docs/guide.rst#guide")
    )
    clock.advance(1)
    kit.memories.update(edited, "Tool does everything.")
    kit.memories.forget(dropped)
    kit.memories.remember("Do not read the guide", supersedes=[replaced])
    clock.advance(1)
    done = kit.import_notes()
    assert (done.added, done.updated, done.forgotten) == (0, 0, 0)
    assert kit.memories.get(edited).text == "Tool does everything."
    assert not kit.memories.get(dropped).active
    assert not kit.memories.get(replaced).is_current
    clock.advance(1)
    (root / "docs" / "guide.rst").write_text("Guide\n=====\n\nRead the new one.\n")
    assert kit.import_notes().updated == 1
    assert kit.memories.get(replaced).is_current


def test_memories_of_other_origin_are_left_alone(root: Path, kit: memkit.Memkit) -> None:
    """A statement of a person is not forgotten for naming a document as its source."""
    mine = kit.memories.remember("mine", source="README.md#nowhere")
    other = kit.memories.remember("seen", source="ticket#1", provenance="extracted")
    kit.import_notes()
    assert kit.memories.get(mine).active
    assert kit.memories.get(other).active


def test_the_head_of_a_changelog_is_enough(root: Path, kit: memkit.Memkit) -> None:
    """Only the newest versions are remembered, those of a few words together."""
    kit.import_notes()
    (memory,) = [m for m in kit.memories.find() if (m.source or "").startswith("CHANGELOG")]
    assert memory.text == (
        "Changes › 9.0\n\nfix 9\n\n8.0: fix 8\n\n7.0: fix 7\n\n6.0: fix 6\n\n5.0: fix 5"
    )


def test_secrets_in_documents_become_markers(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """The secret is nowhere in the file, the report counts it, and the next reading is settled."""
    (root / "README.md").write_text(f"# Tool\nexport TOKEN={SECRET}\n")
    assert sum(kit.import_notes().redacted.values()) == 1
    clock.advance(1)
    assert kit.import_notes().updated == 0
    assert SECRET.encode() not in kit.path.read_bytes()


def test_projects_have_their_own_notes(root: Path, make_kit: object, clock: Clock) -> None:
    """Two projects in one file do not forget each other's documents."""
    one = make_kit("shared.db", project="one")  # type: ignore[operator]
    one.import_notes(root)
    one.close()
    (root / "docs" / "guide.rst").unlink()
    clock.advance(1)
    two = make_kit("shared.db", project="two")  # type: ignore[operator]
    assert two.import_notes(root).forgotten == 0


def test_notes_of_another_root_stand_apart(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """Notes of another folder stand beside those of the store's own, whichever is read again, and
    their own changes are followed; those below it are the same ones."""
    first = kit.import_notes().added
    other = root.parent / "beside"
    other.mkdir()
    (other / "README.md").write_text(f"# Harbour\n{DOES}\n\n## Pier\n{MORE}\n")
    clock.advance(1)
    done = kit.import_notes(other)
    assert (done.added, done.updated, done.forgotten) == (2, 0, 0)
    assert (kit.import_notes().unchanged, kit.import_notes().forgotten) == (first, 0)
    (other / "README.md").write_text(f"# Harbour\n{DOES}\n")
    clock.advance(1)
    assert kit.import_notes(other).forgotten == 1
    (found,) = kit.memories.find(source="../beside/README.md#harbour")
    assert found.file_paths == ()
    assert kit.import_notes(root / "docs").added == 0


def test_a_file_elsewhere_is_not_the_one_of_the_same_name(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """What another folder holds under a name, or does not give, says nothing of this one's file."""
    kit.import_notes()
    held = sources(kit)
    for name in ("beside", "behind"):
        other = root.parent / name
        (other / "docs").mkdir(parents=True)
        (other / ".git").mkdir()
        (other / "README.md").write_text(f"# Harbour\n{name}: {DOES}\n")
        (other / "docs" / "guide.rst").write_bytes(b"\0")
        clock.advance(1)
        done = kit.import_(other / "README.md")
        assert (done.added, done.updated, done.forgotten) == (1, 0, 0)
        for way in (kit.import_, kit.import_notes):
            done = way(other)
            assert (f"../{name}/docs/guide.rst", "is no text") in done.left_out
            assert (done.unchanged, done.forgotten) == (1, 0)
    named = {f"../{name}/README.md#harbour" for name in ("beside", "behind")}
    assert sources(kit) == held | named


def test_a_file_is_the_same_note_by_itself_and_with_its_repository(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """Its role is that of its place, whether it, its folder or all of the repository is read."""
    (root / "src").mkdir()
    (root / "src" / "CLAUDE.md").write_text("# Cranes\n- Never lift a crane by `docs/guide.rst`.\n")
    first = kit.import_notes()
    held = [(memory.source, memory.tags, memory.kind) for memory in kit.memories.find()]
    for name in ("README.md", "AGENTS.md", "docs", "docs/adr/0001-sqlite.md", "src", ""):
        clock.advance(1)
        done = kit.import_(root / name)
        assert done.unchanged == done.read, name
    clock.advance(1)
    assert kit.import_notes().unchanged == first.read
    assert [(memory.source, memory.tags, memory.kind) for memory in kit.memories.find()] == held


def test_what_was_imported_is_read_again_with_its_repository(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """A document in no known place stays, follows its file, and goes with it; a licence too."""
    for path in ("quay/README.md", "quay/log.txt", "LICENSE.md"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(f"# Quay\n{path}: {DOES}\n")
    assert "quay/README.md" in dict(kit.import_notes().left_out)
    held = sources(kit)
    for path in ("quay/README.md", "quay/log.txt", "LICENSE.md"):
        clock.advance(1)
        assert kit.import_(root / path).added == 1
    clock.advance(1)
    done = kit.import_notes()
    assert (done.unchanged, done.left_out[:1]) == (done.read, kit.import_notes().left_out[:1])
    assert "quay/README.md" not in dict(done.left_out)
    assert sources(kit) - held == {"quay/README.md#quay", "quay/log.txt#top", "LICENSE.md#quay"}
    (root / "quay" / "README.md").write_text(f"# Quay\nquay/README.md: {MORE}\n")
    (root / "LICENSE.md").unlink()
    clock.advance(1)
    done = kit.import_notes()
    assert (done.added, done.updated, done.forgotten) == (0, 1, 1)
    assert MORE in kit.memories.find(source="quay/README.md#quay")[0].text


def test_sources_of_a_store_make_no_file_a_note(root: Path, kit: memkit.Memkit) -> None:
    """What only names a file was not imported, and what leads out of the root or is private is not
    read, whatever the store says."""
    (root / "src").mkdir()
    (root / "src" / "log.txt").write_text(f"# Log\n{MORE}\n")
    (root.parent / "out.txt").write_text(f"# Out\n{INSTALL}\n")
    kit.memories.remember("The log is long.", source="src/log.txt#top")
    kit.import_notes()
    assert not any(MORE in memory.text for memory in kit.memories.find())
    hostile = ("src/../../out.txt", str(root.parent / "out.txt"), ".env", "docs/secrets.txt")
    read = {file.path for file in gather(root, known=hostile).files}
    assert read == {file.path for file in gather(root).files}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_what_is_no_ordinary_file_is_left_out(root: Path, kit: memkit.Memkit) -> None:
    """A named pipe is not waited for, whoever gathers."""
    os.mkfifo(root / "docs" / "pipe.md")
    left_out = ("docs/pipe.md", "is no ordinary file")
    assert left_out in kit.import_notes().left_out
    assert left_out in kit.import_(root / "docs").left_out


def test_agent_memories_and_root_documents_are_read(tmp_path: Path) -> None:
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


def test_search_for_notes_visits_a_bounded_number_of_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes beyond the known places are looked for in so many folders only."""
    for path in ("README.md", "a/AGENTS.md", "b/AGENTS.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("# T\ntext\n")
    monkeypatch.setattr(note_files, "_MAX_FOLDERS", 2)
    assert {file.path for file in gather(tmp_path).files} == {"README.md", "a/AGENTS.md"}


def test_agent_notes_in_subfolders_are_read(tmp_path: Path) -> None:
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
    kit.import_notes(tmp_path)
    assert set(kit.memories.tags()) == {"notes:readme"}
    assert all(role.startswith("notes:") for role in Role)


def test_recalled_block_in_a_file_is_skipped(kit: memkit.Memkit, tmp_path: Path) -> None:
    """What memkit answered is passed over in a file; what stands beside it is taken in."""
    block = f"{OPEN}>\n0.57  12  fact\n      Quokkas sleep\n{CLOSE}"
    (tmp_path / "log.md").write_text(f"# Log\n\n{block}\n\nThe worker restarts nightly.\n")
    (tmp_path / "only.md").write_text(f"{block}\n")
    kit.import_(tmp_path / "log.md")
    kit.import_(tmp_path / "only.md")
    (memory,) = kit.memories.find()
    assert "worker" in memory.text
    assert "Quokkas" not in memory.text


def _memory(kit: memkit.Memkit, source: str) -> memkit.Memory:
    (memory,) = kit.memories.find(source=source, history=True)
    return memory


def test_moved_text_stays_the_same_memory(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """In another file or under another heading it keeps id, pin and belief; its place follows."""
    kit.import_notes()
    install, guide = (_memory(kit, s) for s in ("README.md#install", "docs/guide.rst#guide"))
    kit.memories.pin(install)
    kit.consolidation.used(install, helpful=False)
    believed = kit.memories.get(install).confidence
    clock.advance(days=1)
    (root / "docs" / "dev").mkdir()
    (root / "docs" / "guide.rst").rename(root / "docs" / "dev" / "guide.rst")
    (root / "README.md").write_text(f"# Tool\n{DOES}\n\n## Setup\n{INSTALL}\n")
    done = kit.import_notes()
    assert (done.added, done.forgotten, done.updated) == (0, 0, 2)
    setup, moved = _memory(kit, "README.md#setup"), _memory(kit, "docs/dev/guide.rst#guide")
    assert (setup.id, moved.id) == (install.id, guide.id)
    assert setup.text == f"Tool › Setup: {INSTALL}"
    assert setup.pinned
    assert setup.confidence == believed < 1
    assert moved.file_paths == ("docs/dev/guide.rst",)
    clock.advance(days=1)
    assert kit.import_notes().unchanged == done.read


def test_what_a_person_did_moves_along(root: Path, kit: memkit.Memkit, clock: Clock) -> None:
    """Forgotten, it stays so under its new source, and what was edited stays as it was written."""
    kit.import_notes()
    dropped, edited = (_memory(kit, s) for s in ("README.md#tool", "README.md#install"))
    clock.advance(1)
    kit.memories.forget(dropped)
    kit.memories.update(edited, "Tools are lent out on Mondays.")
    clock.advance(1)
    (root / "README.md").rename(root / "docs" / "tool.md")
    done = kit.import_notes()
    assert (done.added, done.forgotten) == (0, 0)
    assert _memory(kit, "docs/tool.md#tool").id == dropped.id
    assert not kit.memories.get(dropped).active
    assert _memory(kit, "docs/tool.md#install").text == "Tools are lent out on Mondays."


def test_sections_that_change_places_keep_their_memories(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """Two sections of one name that are swapped, and one more before them: identity is the text."""
    one, two, three = f"One. {DOES}", f"Two. {MORE}", f"Three. {INSTALL}"
    notes = root / "docs" / "steps.md"
    notes.write_text(f"# Step\n{one}\n\n# Step\n{two}\n")
    kit.import_notes()
    before = {m.text: m.id for m in kit.memories.find(file_paths={"$contains": "docs/steps.md"})}
    clock.advance(1)
    notes.write_text(f"# Step\n{three}\n\n# Step\n{two}\n\n# Step\n{one}\n")
    done = kit.import_notes()
    assert (done.added, done.forgotten) == (1, 0)
    after = {m.text: m.id for m in kit.memories.find(file_paths={"$contains": "docs/steps.md"})}
    assert {text: number for text, number in after.items() if text in before} == before
    assert _memory(kit, "docs/steps.md#step-3").id == before[f"Step: {one}"]


def test_text_that_comes_back_elsewhere_is_brought_back(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """What had vanished for a while is the same memory where it stands again."""
    kit.import_notes()
    guide = _memory(kit, "docs/guide.rst#guide")
    text = (root / "docs" / "guide.rst").read_text()
    (root / "docs" / "guide.rst").unlink()
    clock.advance(1)
    assert kit.import_notes().forgotten == 1
    (root / "docs" / "manual.rst").write_text(text)
    clock.advance(1)
    assert kit.import_notes().added == 0
    assert _memory(kit, "docs/manual.rst#guide").id == guide.id
    assert kit.memories.get(guide).is_current


def test_two_sources_that_say_the_same_are_one_memory(
    root: Path, kit: memkit.Memkit, clock: Clock
) -> None:
    """It names both files, and stays when one of them goes."""
    (root / "docs" / "tool.md").write_text(f"# Tool\n{DOES}\n")
    kit.import_notes()
    (memory,) = [m for m in kit.memories.find() if DOES in m.text]
    assert memory.file_paths == ("README.md", "docs/tool.md")
    (root / "README.md").unlink()
    clock.advance(1)
    kit.import_notes()
    (rest,) = [m for m in kit.memories.find() if DOES in m.text]
    assert (rest.id, rest.source, rest.file_paths) == (
        memory.id, "docs/tool.md#tool", ("docs/tool.md",),
    )  # fmt: skip


def test_linked_files_and_folders_are_read_once(tmp_path: Path) -> None:
    """By symbolic and hard links, under the name of the file itself."""
    (tmp_path / "AGENTS.md").write_text(f"# Tool\n{DOES}\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    (tmp_path / "GEMINI.md").hardlink_to(tmp_path / "AGENTS.md")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(f"# A\n{MORE}\n")
    (tmp_path / "shared" / "notes").mkdir(parents=True)
    (tmp_path / "shared" / "notes" / "b.md").write_text(f"# B\n{INSTALL}\n")
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "rules").symlink_to("../docs")
    (tmp_path / "docs" / "more").symlink_to("../shared/notes")
    (tmp_path / "docs" / "round").symlink_to("..")
    found = gather(tmp_path)
    assert [file.path for file in found.files] == ["AGENTS.md", "docs/a.md", "shared/notes/b.md"]
    assert found.left_out == ()


@pytest.mark.parametrize(
    "text",
    [
        "@AGENTS.md\n",
        "# Claude\n\nSee [AGENTS.md](AGENTS.md).\n",
        "Read AGENTS.md first.",
        "../AGENTS.md",
    ],
)
def test_file_that_only_points_to_another_is_no_statement(tmp_path: Path, text: str) -> None:
    """It is named as left out; one that says something too is read."""
    (tmp_path / "CLAUDE.md").write_text(text)
    (left_out,) = gather(tmp_path).left_out
    assert left_out == (
        "CLAUDE.md",
        f"only points to {text.strip() if '/' in text else 'AGENTS.md'}",
    )
    (tmp_path / "CLAUDE.md").write_text(f"{text}\n\n{MORE}\n")
    assert len(gather(tmp_path).files) == 1


def test_every_document_is_read_or_named_as_left_out(tmp_path: Path) -> None:
    """Whatever looks like a document has a reason, also in hidden folders."""
    for path in (
        "docs/rule.mdc", ".github/CONTRIBUTING.md", ".github/pull_request_template.md",
        ".github/ISSUE_TEMPLATE/bug.md", ".claude/skills/moor/SKILL.md", ".claude/agents/a.md",
        ".claude/commands/b.md", ".agents/skills/c/SKILL.md", ".beads/issues.jsonl", "docs/a.adoc",
        ".beads/README.md", ".venv/x/README.md",
    ):  # fmt: skip
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("# T\ntext\n")
    found = gather(tmp_path)
    assert {file.path: file.role for file in found.files} == {
        ".github/CONTRIBUTING.md": Role.CONTRIBUTING,
        "docs/rule.mdc": Role.DOCS,
    }
    loaded = "loaded by the agent itself when it is called for; 'memkit import' takes it"
    assert dict(found.left_out) == {
        ".agents/skills/c/SKILL.md": loaded,
        ".beads/README.md": "not in a known place; 'memkit import' takes it",
        ".beads/issues.jsonl": "issues, no notes; 'memkit import' takes them",
        ".claude/agents/a.md": loaded,
        ".claude/commands/b.md": loaded,
        ".claude/skills/moor/SKILL.md": loaded,
        ".github/ISSUE_TEMPLATE/bug.md": "a template",
        ".github/pull_request_template.md": "a template",
        "docs/a.adoc": ".adoc is a format that is not read",
    }


def test_prohibition_goes_off_at_the_command_it_names(tmp_path: Path, make_kit: MakeKit) -> None:
    """A rule among others is raised by the command, whatever else is asked."""
    (tmp_path / "AGENTS.md").write_text(
        "# Git\n- Commit in small steps, each with a reason.\n"
        "- Never run `git push --force`: the quay's history is shared with the harbour.\n"
    )
    kit = make_kit()
    kit.import_notes(tmp_path)
    (hit,) = kit.recall("git push --force origin main", kind="negative")
    assert "trigger" in hit.parts
    assert hit.memory.trigger_patterns == ("git push --force",)


def test_rule_is_anchored_to_the_file_it_is_about(tmp_path: Path, make_kit: MakeKit) -> None:
    """By its first sentence, or by the globs of its front matter, if the files are there."""
    for path, text in {
        "dock/rope.py": "x = 1\n",
        "AGENTS.md": f"# Ropes\nCoils are made in `dock/rope.py`. {DOES}\n",
        ".cursor/rules/a.mdc": f"---\nglobs: dock/*.py, none/*.py\n---\n# Dock\n{MORE}\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    kit = make_kit(tmp_path / "memory.db")
    kit.import_notes(tmp_path)
    for source in ("AGENTS.md#ropes", ".cursor/rules/a.mdc#dock"):
        (anchor,) = _memory(kit, source).about
        assert anchor.path == "dock/rope.py"


class TestIssues:
    """Issues of beads."""

    LINES = (
        '{"id":"q-1","title":"Mend bollard","description":"It is loose.","status":"open",'
        '"issue_type":"bug","labels":["quay"]}\n'
        '{"id":"q-2","title":"Paint crane","status":"closed","issue_type":"task",'
        '"close_reason":"Too wet."}\n'
    )

    def test_each_issue_is_a_fact(self, kit: memkit.Memkit, tmp_path: Path, clock: Clock) -> None:
        """Title, standing and description; one that was deleted is forgotten."""
        path = tmp_path / "issues.jsonl"
        path.write_text(self.LINES)
        assert kit.import_(path).added == 2
        texts = {memory.source: memory.text for memory in kit.memories.find(kind="fact")}
        assert texts == {
            "beads:q-1": "Mend bollard (q-1, open, bug)\n\nIt is loose.",
            "beads:q-2": "Paint crane (q-2, closed, task)\n\nClosed: Too wet.",
        }
        assert set(kit.memories.tags()) == {"notes:issue", "quay"}
        clock.advance(1)
        path.write_text(self.LINES.replace("closed", "tombstone"))
        done = kit.import_(path)
        assert (done.unchanged, done.forgotten) == (1, 1)

    @pytest.mark.parametrize("line", ["{", "[1]", '{"id":"q-3"}'])
    def test_bad_line_is_named(self, kit: memkit.Memkit, tmp_path: Path, line: str) -> None:
        """What is no issue is refused with its line number, and nothing is taken in."""
        (tmp_path / "i.jsonl").write_text(f"{self.LINES}{line}\n")
        with pytest.raises(memkit.InvalidInput, match=r"i\.jsonl line 3"):
            kit.import_(tmp_path / "i.jsonl")


@pytest.mark.parametrize(("name", "data"), [("a.json", b'{"a":1}'), ("a.bin", b"\x89\0\0")])
def test_unknown_format_is_refused_with_those_known(
    kit: memkit.Memkit, tmp_path: Path, name: str, data: bytes
) -> None:
    """Whoever gives what nobody can read is told what could be."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(memkit.InvalidInput, match="known formats are memkit, mcp, beads, markdown"):
        kit.import_(tmp_path / name)


def test_an_address_of_the_net_is_told_as_one(kit: memkit.Memkit) -> None:
    """Nothing is fetched, and it stands in the message as it was given."""
    with pytest.raises(memkit.InvalidInput, match=r"'https://quay\.example/a\.md' lies on the net"):
        kit.import_("https://quay.example/a.md")


def test_unreadable_data_file_is_refused_by_name(
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


def test_interrupted_reading_leaves_no_memory_without_its_reading(
    root: Path, kit: memkit.Memkit
) -> None:
    """What is read is noted in the transaction of its memory: a second reading goes on there."""

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kit.import_notes(root, progress=stop)
    memories = {memory.id for memory in kit.memories.find()}
    readings = kit._store.records("tables.source_readings_rows")
    assert {row["memory_id"] for row in readings} == memories != set()
    assert {row["source"] for row in readings} == {m.source for m in kit.memories.find()}
    assert kit.import_notes(root).added == 0
