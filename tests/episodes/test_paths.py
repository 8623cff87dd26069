"""Paths in every form that agents and systems write, and texts with lone surrogates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memkit
from memkit.episodes.paths import RepositoryPaths
from memkit.text.paths import plain_path


@pytest.mark.parametrize(
    "path",
    [
        "apps/web/src/Card.tsx",
        "./apps//web/src/../src/Card.tsx",
        "apps\\web\\src\\Card.tsx",
        ".\\apps\\web\\src\\Card.tsx",
        "apps/web\\src\\Card.tsx",
        "apps\\web\\src\\..\\src/Card.tsx",
        "apps/web/src/Card.tsx/",
        "{root}/apps/web\\src/Card.tsx",
        "{root}/./apps/web/src/Card.tsx",
    ],
)
def test_one_file_has_one_path(kit: memkit.Memkit, tmp_path: Path, path: str) -> None:
    """However its separators and dots are written, in what is recorded and in what is asked."""
    written = path.format(root=tmp_path)
    with kit.session() as session:
        session.file(written, "edit")
        session.file("apps/web/src/Card.tsx", "edit")
    for form in (written, "apps/web/src/Card.tsx"):
        history = kit.episodes.file_history(form)
        assert (history.path, history.changes) == ("apps/web/src/Card.tsx", 2)


def test_files_outside_are_told_apart(kit: memkit.Memkit, tmp_path: Path) -> None:
    """By their folders, of which nothing can be read; in whatever form they are written."""
    paths = RepositoryPaths(tmp_path)
    forms = ["/srv/one/conf.py", "/srv/two/conf.py", "C:\\one\\conf.py", "../conf.py"]
    stored = [paths.stored(form) for form in forms]
    assert len(set(stored)) == len(forms)
    assert all(form.startswith("outside:") and form.endswith("/conf.py") for form in stored)
    assert not any("one" in form or tmp_path.name in form for form in stored)
    assert paths.stored(str(tmp_path.parent / "conf.py")) == stored[3]
    assert paths.stored("/srv/./one//conf.py") == stored[0]
    assert [paths.stored(form) for form in stored] == stored
    with kit.session() as session:
        session.file("/srv/one/conf.py", "edit")
        session.file("/srv/two/conf.py", "read")
    assert kit.episodes.file_history("/srv/one/conf.py").reads == 0
    assert kit.episodes.file_history("/srv/two/conf.py").reads == 1


def test_a_name_alone_means_the_file_inside(kit: memkit.Memkit) -> None:
    """Where one outside is called the same."""
    with kit.session() as session:
        session.file("/srv/conf.py")
        session.file("src/conf.py")
        session.file("/srv/only.py")
    assert kit.episodes.file_history("conf.py").path == "src/conf.py"
    assert kit.episodes.file_history("only.py").path.startswith("outside:")


@pytest.mark.parametrize("told", ["C:\\work\\app\\src\\a.py", "c:/work/app/src/a.py", "src\\a.py"])
def test_a_transcript_of_another_system_has_history(
    kit: memkit.Memkit, tmp_path: Path, told: str
) -> None:
    """Its files are those of this repository, under its own folder."""
    use = {"type": "tool_use", "id": "c", "name": "Edit", "input": {"file_path": told}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "ok", "is_error": False}
    base = {"sessionId": "w", "cwd": "C:\\work\\app", "timestamp": "2026-03-01T09:00:00Z"}
    rows = [
        {**base, "type": "user", "uuid": "u", "message": {"content": "go"}},
        {
            **base,
            "type": "assistant",
            "uuid": "a",
            "parentUuid": "u",
            "message": {"content": [use]},
        },
        {**base, "type": "user", "uuid": "r", "parentUuid": "a", "message": {"content": [result]}},
    ]
    path = tmp_path / "w.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    kit.import_(path)
    assert [event.what for event in kit.episodes.file_history("src/a.py").events] == ["edit"]


def test_texts_that_are_no_unicode_are_recorded_and_found(kit: memkit.Memkit) -> None:
    """Half a character, as a cut leaves it, is the same in what is stored and what is asked."""
    half = "b\ud83d"
    with kit.session(f"s{half}") as session, session.task(f"mend {half} parser") as task:
        done = task.tool(
            f"Bash{half}",
            {"command": f"make {half}", half: {half: [half]}},
            success=False,
            error=f"ValueError: {half} is bad",
        )
        assert done.status.value == "stored"
        task.file(f"src/{half}.py", "edit", changes=f"for {half}")
        task.tool("Bash", {"command": "make"}, success=False, error=f"ValueError: {half} is bad")
    episodes = kit.episodes
    assert len(episodes.tool_executions(f"Bash{half} make")) == 1
    assert len(episodes.tool_executions(session=f"s{half}")) == 2
    assert len(episodes.tool_executions(tool=f"Bash{half}")) == 1
    assert episodes.find_errors(f"ValueError: {half} is bad")[0].count == 2
    assert episodes.failed_attempts(error=f"ValueError: {half} is bad")
    assert episodes.failed_attempts(f"src/{half}.py")
    assert episodes.find_file_interactions(half)
    assert episodes.find_similar_tasks(f"mend {half} parser")
    assert episodes.file_history(f"src/{half}.py").changes == 1
    episodes.predict(f"src/{half}.py")
    episodes.co_edits(f"src/{half}.py")
    episodes.learnings(key=half)
    episodes.patterns(path=f"src/{half}.py")
    assert episodes.redundant_call(f"s{half}", f"Read{half}", {"file_path": half, half: 1}) is None
    assert kit.recall("parser", session=f"s{half}") is not None


def test_a_link_to_the_root_leads_to_its_files(tmp_path: Path) -> None:
    """In paths of what is recorded, whichever of the two names the store was opened by; a link
    inside keeps its own name, and what a link outside leads to stays outside."""
    root, link = tmp_path / "root", tmp_path / "link"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").touch()
    (root / "own.py").symlink_to(tmp_path / "elsewhere.py")
    link.symlink_to(root)
    for base in (root, link):
        paths = RepositoryPaths(base)
        for top in (root, link):
            assert paths.stored(str(top / "src/a.py")) == "src/a.py"
            assert paths.stored(str(top / "src/not_there_yet.py")) == "src/not_there_yet.py"
            assert paths.stored(str(top / "own.py")) == "own.py"
        assert paths.stored(str(tmp_path / "elsewhere.py")).startswith("outside:")


@pytest.mark.parametrize(
    ("uri", "plain"),
    [
        ("file:///srv/a%20b.py", "/srv/a b.py"),
        ("FILE://localhost/srv/a.py", "/srv/a.py"),
        ("file:/srv/a.py", "/srv/a.py"),
        ("file:///c%3A/work/a.py", "C:/work/a.py"),
        ("file:notes.md", "file:notes.md"),
        ("c:\\work\\..\\a.py", "C:/a.py"),
    ],
)
def test_a_file_that_an_editor_names_is_its_path(uri: str, plain: str) -> None:
    """A URI is the path in it; what only begins so is a name. The case of a drive tells nothing."""
    assert plain_path(uri) == plain


def test_a_file_by_its_uri_tells_nothing_of_the_machine(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Inside it is the file of the repository, outside only its name is kept."""
    with kit.session() as session:
        session.file((tmp_path / "src/a.py").as_uri(), "edit")
        session.file("file:///home/ann/b.py", "edit")
    assert kit.episodes.file_history("src/a.py").changes == 1
    assert kit.episodes.file_history("b.py").path.startswith("outside:")
    kit.close()
    assert b"home/ann" not in kit.path.read_bytes()
