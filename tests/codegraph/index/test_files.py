"""Which files are read, which are left out and why, and how a change of one is noticed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import attrs
import pytest

from memkit.codegraph.index.files import (
    MAX_BYTES,
    UNSURE,
    Content,
    Folder,
    Folders,
    ListedFolder,
    Lister,
    Listing,
    Privacy,
    SkipReason,
    read,
    stat_file,
)
from memkit.codegraph.index.workspace import FileRow, compare_tree
from memkit.redaction.private_files import PrivateFiles, PrivateReason

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="no git here")


def listed(root: Path, prefix: str = "", folders: Folders | None = None) -> Listing:
    """List a tree as the index does."""
    lister = Lister(root, prefix, folders)
    lister.start()
    return lister.finish()


def git(folder: Path, *arguments: str) -> str:
    """Run git, whatever the user's own settings are."""
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def fill(root: Path, *paths: str) -> None:
    """Make files with a line of code each."""
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x = 1\n")


# -- listing


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with ignore rules at three places, nested repositories and links."""
    root = tmp_path / "repo"
    fill(
        root, "app.py", "dist/out.py", "web/.output", "web/keep.py", "web/drop.py",
        "sandbox/inner/x.py", "node_modules/a/index.js", "docs/guide.md",
    )  # fmt: skip
    (root / ".gitignore").write_text("dist/\n*drop.py\nkeep.py\n")
    (root / "web" / ".gitignore").write_text(".output\n!keep.py\n")
    git(root, "init", "-q")
    (root / ".git" / "info" / "exclude").write_text("sandbox/\n")
    fill(root / "nested", "own.py")
    git(root / "nested", "init", "-q")
    (root / "a").mkdir()
    (root / "a" / "b").symlink_to(root / "a")
    (root / "usr").symlink_to("/usr")
    return root


@needs_git
def test_gitignore_not_honoured(repository: Path) -> None:
    """Case gitignore-not-honoured: the list is git's own, less what is vendored or a repository."""
    theirs = git(repository, "ls-files", "-co", "--exclude-standard").split()
    found = listed(repository)
    assert found.note is None
    assert set(theirs) - set(found.paths) == {"nested/", "node_modules/a/index.js"}
    assert not set(found.paths) - set(theirs)
    assert found.skipped == {"nested/": "another repository", "node_modules/": "vendored"}
    assert {"app.py", "web/keep.py"} <= set(found.paths)


@needs_git
def test_vendored_folder_that_is_tracked_is_listed(tmp_path: Path) -> None:
    """Who tracks vendor/ keeps it as code; what a tool installs is left out all the same."""
    fill(tmp_path, "a.py", "vendor/b.py", "node_modules/c.js")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    fill(tmp_path, "vendor/new.py", "third_party/d.py")
    found = listed(tmp_path)
    assert found.paths == ("a.py", "vendor/b.py")
    assert found.skipped == dict.fromkeys(("node_modules/", "vendor/", "third_party/"), "vendored")


@needs_git
def test_walk_agrees_with_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git cannot be asked, the rules are read directly, and the list is the same."""
    with_git = listed(repository)
    monkeypatch.setenv("PATH", "")
    without = listed(repository)
    assert "git" in (without.note or "")
    assert without.paths == with_git.paths
    assert without.skipped == with_git.skipped


@needs_git
def test_hostile_configuration_runs_nothing(repository: Path) -> None:
    """A repository's own configuration cannot make the listing run a program."""
    ran = repository.parent / "ran"
    script = repository.parent / "monitor"
    script.write_text(f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(script))
    listed(repository)
    assert not ran.exists()


@needs_git
def test_submodule_is_left_out(tmp_path: Path) -> None:
    """A submodule is another repository: it is named, not entered."""
    fill(tmp_path / "sub", "s.py")
    git(tmp_path / "sub", "init", "-q")
    git(tmp_path / "sub", "add", ".")
    git(tmp_path / "sub", "commit", "-qm", "x")
    root = tmp_path / "main"
    fill(root, "m.py")
    git(root, "init", "-q")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "sub"))
    found = listed(root)
    assert "sub/s.py" not in found.paths
    assert stat_file(str(root / "sub")).skip_reason == SkipReason("another repository")


def test_walk_without_repository(tmp_path: Path) -> None:
    """Outside of git there is a sane list: no vendored folder, no link, no repository inside."""
    fill(tmp_path, "a.py", "venv/lib/x.py", "__pycache__/a.py", "lib/b.py", "other/.git/config")
    (tmp_path / "lib" / "again").symlink_to(tmp_path)
    found = listed(tmp_path)
    assert found.paths == ("a.py", "lib/again", "lib/b.py")
    assert found.skipped == {
        "venv/": "vendored", "__pycache__/": "vendored", "other/": "another repository",
    }  # fmt: skip
    assert stat_file(str(tmp_path / "lib" / "again")).skip_reason == SkipReason("symbolic link")


def test_part_of_a_tree(tmp_path: Path) -> None:
    """A part is listed by paths that count from the whole."""
    fill(tmp_path, "a.py", "src/b.py", "src/in/c.py")
    assert listed(tmp_path, "src/").paths == ("src/b.py", "src/in/c.py")


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_name_that_is_no_text(tmp_path: Path) -> None:
    """A name of bytes that are no UTF-8 is left out with a reason, and harms nothing."""
    fill(tmp_path, "a.py")
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff.py")).write_text("x = 1\n")
    except OSError:
        pytest.skip("the file system refuses such names")
    found = listed(tmp_path)
    assert found.paths == ("a.py",)
    assert found.skipped == {"b?.py": "its name is no text"}


# -- reading


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("größe = 1\n".encode(), "größe = 1\n"),
        (b"\xef\xbb\xbfx = 1\r\n", "\ufeffx = 1\r\n"),
        ("größe = 1\n".encode("latin-1"), "größe = 1\n"),
        ("größe = 1\r\n".encode("utf-16"), "größe = 1\r\n"),
        (
            "# -*- coding: cp1251 -*-\nцена = 1\n".encode("cp1251"),
            "# -*- coding: cp1251 -*-\nцена = 1\n",
        ),
        (
            "#!x\n# vim: set fileencoding=koi8-r :\nцена\n".encode("koi8-r"),
            "#!x\n# vim: set fileencoding=koi8-r :\nцена\n",
        ),
        ("# coding: nothing\ngröße\n".encode("latin-1"), "# coding: nothing\ngröße\n"),
        ("größe = maß\n# ".encode() + b"\xe9\n", "größe = maß\n# \ufffd\n"),
    ],
    ids=["utf-8", "bom-crlf", "latin-1", "utf-16", "named", "second-line", "unknown", "one-byte"],
)
def test_encodings(tmp_path: Path, data: bytes, text: str) -> None:
    """Whatever encoding a file is in, its text is read; line ends and marks stay as they are."""
    (tmp_path / "x.py").write_bytes(data)
    found = read(str(tmp_path / "x.py"))
    assert isinstance(found, Content)
    assert found.data.decode() == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\n\0", "binary"),
        (b"# @generated by a tool\nx = 1\n", "generated"),
        (b"/**\n * @generated by a tool\n */\n", "generated"),
        (b"x=1;" * 2000, "minified"),
        (b"var a = " + b"1" * 5001 + b"\n" + b"x\n" * 2000, "minified"),
        (b"x" * (MAX_BYTES + 1), f"larger than {MAX_BYTES} bytes"),
    ],
    ids=["binary", "generated", "generated-block", "mean-line", "long-line", "large"],
)
def test_left_out_by_content(tmp_path: Path, data: bytes, reason: str) -> None:
    """What nobody wrote by hand is left out with a reason."""
    (tmp_path / "x.js").write_bytes(data)
    assert read(str(tmp_path / "x.js")) == SkipReason(reason)


def test_a_file_that_speaks_of_generated_ones_is_read(tmp_path: Path) -> None:
    """Code that looks for the mark of a generator does not bear it."""
    (tmp_path / "x.py").write_bytes(b'if "@generated" in text:\n    skip("# @generated")\n')
    assert isinstance(read(str(tmp_path / "x.py")), Content)


def test_large_hand_written_file_is_read(tmp_path: Path) -> None:
    """A hundred thousand short lines are code; one line of a megabyte is not."""
    (tmp_path / "long.py").write_bytes(b"x = 1\n" * 100_000)
    (tmp_path / "text.py").write_bytes(b"x = 1\n" * 2000 + b"TEXT = '" + b"a" * 6000 + b"'\n")
    assert isinstance(read(str(tmp_path / "text.py")), Content)
    (tmp_path / "wide.js").write_bytes(b"f(1);" * 199_999)
    assert isinstance(read(str(tmp_path / "long.py")), Content)
    assert read(str(tmp_path / "wide.js")) == SkipReason("minified")


def test_vanished_and_unreadable(tmp_path: Path) -> None:
    """A file that is gone or must not be read is a failure with a reason, not an error."""
    gone = str(tmp_path / "gone.py")
    assert stat_file(gone).skip_reason == SkipReason("vanished", failed=True)
    assert read(gone) == SkipReason("vanished", failed=True)
    (tmp_path / "shut.py").write_text("x = 1\n")
    (tmp_path / "shut.py").chmod(0)
    if os.access(tmp_path / "shut.py", os.R_OK):
        pytest.skip("nothing is unreadable for this user")
    found = read(str(tmp_path / "shut.py"))
    assert isinstance(found, SkipReason)
    assert found.reason.startswith("unreadable")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_pipe_does_not_stall(tmp_path: Path) -> None:
    """A named pipe is no ordinary file; to open it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.py")
    assert stat_file(str(tmp_path / "pipe.py")).skip_reason == SkipReason("no ordinary file")


# -- privacy


def test_private_files_are_not_read(tmp_path: Path) -> None:
    """Files that hold secrets by their name or by `.secretsignore` are private, others are not."""
    fill(tmp_path, "app.py", "credentials.py", "keys/one.py")
    by_name = Privacy(tmp_path, ("app.py", "credentials.py"))
    assert by_name.reason("app.py") is None
    assert (by_name.reason("credentials.json") or "").startswith("private: ")
    (tmp_path / ".secretsignore").write_text("keys/\n")
    ruled = Privacy(tmp_path, (".secretsignore", "keys/one.py"))
    assert (ruled.reason("keys/one.py") or "").startswith("private: ")
    assert ruled.reason("app.py") is None


def surely(folder: Path) -> int:
    """Return the stamp of a folder, once it is sure."""
    found = UNSURE
    while found == UNSURE:
        found = stat_file(str(folder)).stamp
    return found


def test_only_folders_that_changed_are_read_again(tmp_path: Path) -> None:
    """What stood in a folder is remembered until the folder has another time."""
    fill(tmp_path, "a.py", "inner/b.py", "other/c.py")
    for folder in (tmp_path, tmp_path / "inner", tmp_path / "other"):
        surely(folder)
    known = Folders()
    first = listed(tmp_path, folders=known)
    known.seen["inner"] = attrs.evolve(known.seen["inner"], files=("inner/remembered.py",))
    assert listed(tmp_path, folders=known) == first
    fill(tmp_path, "other/new.py")
    remembered = ("a.py", "inner/remembered.py", "other/c.py", "other/new.py")
    assert listed(tmp_path, folders=known).paths == remembered
    fill(tmp_path, "inner/new.py")
    assert listed(tmp_path, folders=known) == listed(tmp_path)


def test_rules_are_read_although_no_folder_changed(tmp_path: Path) -> None:
    """Rules are texts: what they say may change in a folder that does not."""
    fill(tmp_path, "a.py", "b.py")
    (tmp_path / ".gitignore").write_text("a.py\n")
    surely(tmp_path)
    known = Folders()
    assert listed(tmp_path, folders=known).paths == (".gitignore", "b.py")
    (tmp_path / ".gitignore").write_text("b.py\n")
    assert listed(tmp_path, folders=known).paths == (".gitignore", "a.py")


def test_rules_are_applied_once_as_long_as_they_and_the_folder_stand(tmp_path: Path) -> None:
    """What rules leave of a folder is remembered, however often another folder changes."""
    fill(tmp_path, "a.py", "b.log", "inner/c.py", "inner/d.log", "inner/e.tmp", "other/f.py")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "inner" / ".gitignore").write_text("*.tmp\n")
    for path in (".gitignore", "inner/.gitignore", "", "inner", "other"):
        surely(tmp_path / path)
    known = Folders()
    first = listed(tmp_path, folders=known)
    assert first.paths == (".gitignore", "a.py", "inner/.gitignore", "inner/c.py", "other/f.py")
    assert known.listing is not None
    known.seen["inner"] = attrs.evolve(known.seen["inner"], files=("inner/remembered.py",))
    assert listed(tmp_path, folders=known) is known.listing
    fill(tmp_path, "other/new.py")
    again = (".gitignore", "a.py", "inner/remembered.py", "other/f.py", "other/new.py")
    assert listed(tmp_path, folders=known).paths == again
    (tmp_path / ".gitignore").write_text("*.tmp\n")  # of the root: holds in all folders
    ruled = listed(tmp_path, folders=known).paths
    assert ruled == listed(tmp_path).paths
    assert "inner/d.log" in ruled


def test_walk_ignores_what_the_rules_of_each_file_ignore(tmp_path: Path) -> None:
    """Files, folders, nested rules and exceptions from them: as `PrivateFiles.find` sees each."""
    fill(
        tmp_path, "keep.log", "drop.log", "build/out.py", "src/build/deep.py", "src/app.py",
        "src/gen/made.py", "src/gen/hand.py", "src/logs/x.py", "src/.env", "notes/secret/plan.py",
    )  # fmt: skip
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\n/build\nlogs/\nsrc/gen/*\n.env\n")
    (tmp_path / "src" / ".gitignore").write_text("!gen/hand.py\n")
    (tmp_path / ".secretsignore").write_text("secret/\n")
    private = PrivateFiles(tmp_path)
    every = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    expected = {
        path.as_posix()
        for path in every
        if (file := private.find(path)) is None or file.reason is not PrivateReason.IGNORED
    }
    assert set(listed(tmp_path).paths) == expected
    assert "src/gen/hand.py" in expected
    assert "src/.env" in expected
    assert "keep.log" in expected


def test_folder_that_just_changed_is_read_again(tmp_path: Path) -> None:
    """A folder without a sure time is never taken from memory."""
    fill(tmp_path, "a.py")
    made_up = Folder(UNSURE, files=("made_up.py",))
    known = Folders(os.fspath(tmp_path), {"": ListedFolder(made_up, (), made_up.files, ())})
    assert listed(tmp_path, folders=known).paths == ("a.py",)


# -- noticing changes


def row_of(root: Path, path: str) -> FileRow:
    """Return a file as the graph would know it, looked at long after it was written."""
    os.utime(root / path, ns=(10**18, 10**18 + 1))
    looked = stat_file(str(root / path))
    return FileRow(1, path, "python", status="parsed", size=looked.size, stamp=looked.stamp)


def test_survey_notices(tmp_path: Path) -> None:
    """New, changed and vanished files are noticed by one look; the store itself is not code."""
    fill(tmp_path, "same.py", "changed.py", "gone.py", "new.py", ".memkit.db")
    known = {path: row_of(tmp_path, path) for path in ("same.py", "changed.py", "gone.py")}
    (tmp_path / "changed.py").write_text("x = 2\n")
    (tmp_path / "gone.py").unlink()
    found = compare_tree(tmp_path, known, without=frozenset({".memkit.db"}))
    racy = {path for path, row in known.items() if row.stamp == UNSURE}
    assert set(found.suspects) - racy == {"changed.py", "new.py"} - racy
    assert "changed.py" in found.suspects
    assert [row.path for row in found.gone] == ["gone.py"]


def test_change_of_the_same_size_and_time_is_noticed(tmp_path: Path) -> None:
    """An edit that keeps size and time of content shows by the time of the inode."""
    fill(tmp_path, "a.py")
    known = row_of(tmp_path, "a.py")
    (tmp_path / "a.py").write_text("x = 2\n")
    os.utime(tmp_path / "a.py", ns=(10**18, 10**18 + 1))
    assert compare_tree(tmp_path, {"a.py": known}, without=frozenset()).suspects == ("a.py",)


@needs_git
def test_deleted_but_tracked_is_gone(tmp_path: Path) -> None:
    """Git lists a tracked file that was deleted; it is gone all the same."""
    fill(tmp_path, "a.py", "b.py")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    known = {path: row_of(tmp_path, path) for path in ("a.py", "b.py")}
    (tmp_path / "b.py").unlink()
    assert "b.py" in git(tmp_path, "ls-files")
    found = compare_tree(tmp_path, known, without=frozenset())
    assert [row.path for row in found.gone] == ["b.py"]
    assert "b.py" not in found.suspects
