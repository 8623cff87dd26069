"""Git's log becomes episodes: what is read, what is not kept, and what happens when it changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.episodes import git_history
from memkit.episodes.git_history import Change, GitLog, GitRefused, kind_of, reverted
from memkit.episodes.records import CommitKind, CommitOperation
from tests.store import shell
from tests.tables import each_row

from .repository import Repository

MakeKit = Callable[..., memkit.Memkit]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with three commits beside the store: a.py, then b.py with it, then a rename."""
    made = Repository(tmp_path)
    (tmp_path / ".gitignore").write_text(".memkit.db*\n", encoding="utf-8")
    made.commit("feat: a", {"src/a.py": "one\n" * 20})
    made.commit("fix(core): a and b\n\nLong story, hunter2.", {"src/a.py": "2\n" * 20, "b.py": "b"})
    made.git("mv", "src/a.py", "src/c.py")
    made.commit("move a", author="Bob")
    return made


# -- reading


def test_commits_become_episodes(kit: memkit.Memkit, repository: Repository) -> None:
    """Each commit is there with its files, and the files are found by their history."""
    done = kit.episodes.mine()
    assert (done.commits, done.total, done.fixes, done.reverts) == (3, 3, 1, 0)
    assert done.head == repository.git("rev-parse", "HEAD")
    assert not done.notes
    events = kit.episodes.file_history("b.py").events
    assert [event.text for event in events] == ["fix(core): a and b"]
    assert events[0].name is not None
    assert events[0].name.startswith("commit:")


def test_stats_and_overview_count_commits_and_code(
    kit: memkit.Memkit, repository: Repository
) -> None:
    """The numbers of a store and its overview count commits, and the overview the code."""
    done = kit.episodes.mine()
    assert kit.episodes.stats().commits == done.total > 0
    kit.codegraph.index()
    rows = dict(shell.run(kit.path, "select what, how_many from overview"))
    assert rows["commits"] == done.total
    assert rows["files of the code"] > 0
    assert {"symbols of the code", "edges of the code", "patterns", "sessions"} <= rows.keys()


def test_renames_are_followed(kit: memkit.Memkit, repository: Repository) -> None:
    """What went with a file under its former name goes with it under the new one."""
    kit.episodes.mine()
    assert kit._store.all("episodes_predictions.renames", project="", limit=10) == [
        ("src/a.py", "src/c.py")
    ]
    found = kit.episodes.predict("src/c.py")
    assert "b.py" in found.files
    assert "src/a.py" not in found.files, "it is there no more"
    texts = [event.text for event in kit.episodes.file_history("src/c.py").events]
    assert texts == ["move a", "fix(core): a and b", "feat: a"]


def test_message_bodies_contents_and_addresses_are_not_stored(
    kit: memkit.Memkit, repository: Repository
) -> None:
    """Neither bodies of messages nor contents nor mail addresses are in the file."""
    kit.episodes.mine()
    kit.close()
    data = kit.path.read_bytes()
    assert b"hunter2" not in data
    assert b"example.com" not in data
    assert b"2\n2\n" not in data
    assert b"Ada" in data


def test_secrets_in_subjects_are_masked(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A token in a subject is replaced by a marker."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    Repository(tmp_path).commit(f"use {secret} for the upload", {"a.py": "a"})
    kit.episodes.mine()
    events = kit.episodes.file_history("a.py").events
    assert "[secret:" in events[0].text
    kit.close()
    assert secret.encode() not in kit.path.read_bytes()


def test_secrets_in_file_names_are_masked(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Of a file as it is and of one that was renamed; other names stay as they are."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    repository = Repository(tmp_path)
    repository.commit("one", {f"keys/{secret}.txt": "a" * 50, "a.py": "a"})
    repository.git("mv", f"keys/{secret}.txt", "plain.txt")
    repository.commit("two", {})
    kit.episodes.mine()
    assert kit.episodes.file_history("a.py").commits == 1
    assert len(kit.episodes.file_history("plain.txt").events) == 2
    kit.close()
    assert secret.encode() not in kit.path.read_bytes()


def test_only_what_is_new_is_read(
    kit: memkit.Memkit, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mining again reads nothing; after a commit it reads that commit alone."""
    kit.episodes.mine()
    assert kit.episodes.mine().commits == 0
    repository.commit("more", {"d.py": "d"})
    asked = []
    read = GitLog.commits

    def noted(self: GitLog, head: str, **options: object) -> object:
        asked.append(options["after"])
        return read(self, head, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(GitLog, "commits", noted)
    done = kit.episodes.mine()
    assert (done.commits, done.total) == (1, 4)
    assert asked == [repository.git("rev-parse", "HEAD~1")]


def test_rewritten_history_is_not_doubled(kit: memkit.Memkit, repository: Repository) -> None:
    """After an amend the commit that vanished is dropped and the new one is read."""
    kit.episodes.mine()
    repository.git("commit", "-q", "--amend", "-m", "move a, better")
    done = kit.episodes.mine()
    assert (done.commits, done.dropped, done.total) == (1, 1, 3)
    texts = [event.text for event in kit.episodes.file_history("src/c.py").events]
    assert texts[0] == "move a, better"
    assert "move a" not in texts


def test_unrelated_history_takes_the_place(kit: memkit.Memkit, repository: Repository) -> None:
    """Where nothing is common any more, everything is read anew and the old is dropped."""
    kit.episodes.mine()
    repository.git("checkout", "-q", "--orphan", "other")
    repository.commit("from scratch", {"new.py": "n"})
    done = kit.episodes.mine()
    assert (done.commits, done.dropped, done.total) == (1, 3, 1)


def test_limit_reads_the_newest(kit: memkit.Memkit, repository: Repository) -> None:
    """A limit reads the newest commits, and says so."""
    done = kit.episodes.mine(limit=2)
    assert done.commits == 2
    assert "newest 2" in done.notes[0]
    with pytest.raises(memkit.InvalidInput, match="limit"):
        kit.episodes.mine(limit=0)


def test_progress_is_told(
    kit: memkit.Memkit, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`progress` hears how many commits were read, batch by batch."""
    monkeypatch.setattr(git_history, "_BATCH", 2)
    steps: list[tuple[int, int]] = []
    kit.episodes.mine(limit=10, progress=lambda done, most: steps.append((done, most)))
    assert steps == [(2, 10), (3, 10)]


# -- odd repositories


def test_no_repository(kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a repository nothing is read, and a note says why."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    done = kit.episodes.mine()
    assert done.head is None
    assert "not a git repository" in done.notes[0]


def test_no_git(kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git nothing is read, and a note says why."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert kit.episodes.mine().notes == ("git's history was not read: git is not installed",)


def test_git_that_does_not_start(kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that cannot be run is a note too."""

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert "does not start: Permission denied" in kit.episodes.mine().notes[0]


def test_no_commit_yet(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A repository without a commit is no error."""
    Repository(tmp_path)
    assert kit.episodes.mine().notes == ("git has no commit yet",)


def test_merges_have_no_files(kit: memkit.Memkit, repository: Repository) -> None:
    """A merge is there as such; its files belong to the commits that it joins."""
    repository.git("checkout", "-q", "-b", "side", "HEAD~1")
    repository.commit("on the side", {"side.py": "s"})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "side", "-m", "Merge side")
    done = kit.episodes.mine()
    assert done.total == 5
    assert [event.text for event in kit.episodes.file_history("side.py").events] == ["on the side"]


def test_shallow_clone(make_kit: MakeKit, repository: Repository, tmp_path: Path) -> None:
    """In a shallow clone the files of its edge are no change; fetching the rest reads the rest."""
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "2", f"file://{repository.root}", str(clone))
    kit = make_kit(clone / ".memkit.db")
    done = kit.episodes.mine()
    assert done.total == 2
    assert "shallow" in done.notes[0]
    assert kit.episodes.file_history("b.py").events == ()
    repository.git("-C", str(clone), "fetch", "-q", "--unshallow")
    done = kit.episodes.mine()
    assert done.total == 3
    assert not done.notes


def test_submodules_are_left_out(
    kit: memkit.Memkit, repository: Repository, tmp_path: Path
) -> None:
    """A submodule is no file; the rest of its commit is there."""
    inner = Repository(tmp_path / "elsewhere" / "inner")
    inner.commit("inner", {"i.py": "i"})
    shutil.rmtree(tmp_path / "vendor", ignore_errors=True)
    repository.git("submodule", "-q", "add", str(inner.root), "vendor")
    repository.commit("add vendor")
    kit.episodes.mine()
    assert [event.text for event in kit.episodes.file_history(".gitmodules").events] == [
        "add vendor"
    ]
    assert kit.episodes.file_history("vendor").events == ()


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_names_that_are_not_utf8(kit: memkit.Memkit, repository: Repository) -> None:
    """Bytes that are no UTF-8 are spelt out; names with odd characters come as they are."""
    odd = os.fsencode(repository.root) + b"/caf\xe9.txt"
    try:
        Path(os.fsdecode(odd)).write_text("c", encoding="utf-8")
    except OSError:
        pytest.skip("this file system refuses the name")
    repository.commit("odd", {'quo"te\ttab ümlaut.py': "q"})
    kit.episodes.mine()
    assert [event.path for event in kit.episodes.file_history("caf%E9.txt").events] == [
        "caf%E9.txt"
    ]
    assert len(kit.episodes.file_history('quo"te\ttab ümlaut.py').events) == 1


def test_huge_commits_keep_only_renames(kit: memkit.Memkit, repository: Repository) -> None:
    """A commit of more files than tell anything keeps its renames alone."""
    repository.git("mv", "b.py", "moved.py")
    repository.commit(
        "reformat", {f"many/{n}.py": str(n) for n in range(git_history.MAX_FILES + 1)}
    )
    kit.episodes.mine()
    assert kit.episodes.file_history("many/1.py").events == ()
    texts = [event.text for event in kit.episodes.file_history("moved.py").events]
    assert texts == ["reformat", "fix(core): a and b"]


def test_history_of_a_former_name_ends_with_the_rename(
    kit: memkit.Memkit, repository: Repository
) -> None:
    """The history of a name ends with the commit that gave the file another one."""
    kit.episodes.mine()
    events = [(e.text, e.what, e.path) for e in kit.episodes.file_history("src/a.py").events]
    assert events == [
        ("move a", "rename", "src/c.py"),
        ("fix(core): a and b", "edit", "src/a.py"),
        ("feat: a", "write", "src/a.py"),
    ]


def test_folder_inside_a_repository(make_kit: MakeKit, repository: Repository) -> None:
    """A store in a folder of the repository sees the files below it, named from there."""
    repository.commit("inside", {"part/x.py": "x"})
    kit = make_kit(repository.root / "part" / ".memkit.db")
    kit.episodes.mine()
    assert [event.text for event in kit.episodes.file_history("x.py").events] == ["inside"]


def test_same_second_and_beginning(kit: memkit.Memkit) -> None:
    """Commits of one second whose hashes begin alike get neighbouring ids, none is lost."""
    rows = [_row(f"abcde{n}" + "0" * 34) for n in range(3)]
    miner = git_history.Miner(kit._store)
    kit._store.write(lambda: miner._write(rows[:2]))
    kit._store.write(lambda: miner._write(rows))
    ids = [number for _, number in kit._store.all("episodes_mining.hashes", project="")]
    assert len(ids) == 3
    assert max(ids) - min(ids) == 2


def _row(name: str) -> git_history._Row:
    return git_history._Row(name, 1_700_000_000, "Ada", "x", CommitKind.CHANGE, None, ())


# -- a repository that is not to be trusted


def test_configuration_runs_nothing(kit: memkit.Memkit, repository: Repository) -> None:
    """Programs named by the repository's configuration are not run."""
    bait = repository.root / "bait.sh"
    proof = repository.root / "proof"
    bait.write_text(f"#!/bin/sh\ntouch '{proof}'\ncat \"$@\"\n", encoding="utf-8")
    bait.chmod(0o755)
    for name in (
        "core.fsmonitor core.pager core.sshCommand diff.external diff.x.textconv diff.x.command "
        "gpg.program pager.log core.alternateRefsCommand alias.log"
    ).split():
        value = f"!{bait}" if name.startswith("alias") else str(bait)
        repository.git("config", name, value)
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "diff.orderFile", "nowhere")
    (repository.root / ".gitattributes").write_text("*.py diff=x\n", encoding="utf-8")
    done = kit.episodes.mine()
    assert done.total == 3
    assert not proof.exists()


def test_variables_of_a_hook_lead_nowhere(
    kit: memkit.Memkit, repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """GIT_DIR and the like, set in a hook, do not lead to another repository."""
    other = Repository(tmp_path / "other")
    other.commit("elsewhere", {"e.py": "e"})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    assert kit.episodes.mine().head == GitLog(repository.root).head()
    assert kit.episodes.file_history("e.py").events == ()


def test_endless_field_is_refused(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A field longer than any that means something stops the reading."""
    monkeypatch.setattr("memkit.episodes.git_history._LONGEST_FIELD", 10)
    monkeypatch.setattr("memkit.episodes.git_history._CHUNK", 16)
    log = GitLog(repository.root)
    head = log.head()
    assert head is not None
    with pytest.raises(GitRefused, match="field of more than"):
        list(log.commits(head, limit=10))


def test_changes_as_git_tells_them(repository: Repository) -> None:
    """New, changed, deleted and moved files come as such, newest commit first."""
    repository.git("rm", "-q", "b.py")
    repository.commit("drop b")
    log = GitLog(repository.root)
    head = log.head()
    assert head is not None
    found = [commit.changes for commit in log.commits(head, limit=10, renames=True)]
    assert found[0] == (Change("b.py", CommitOperation.DELETE),)
    assert found[1] == (Change("src/c.py", CommitOperation.RENAME, "src/a.py"),)
    assert found[2] == (
        Change("b.py", CommitOperation.WRITE),
        Change("src/a.py", CommitOperation.EDIT),
    )


# -- messages


@each_row(
    "message, kind",
    [
        ("fix: crash", CommitKind.FIX),
        ("fix(ui)!: crash", CommitKind.FIX),
        ("Fix crash at start", CommitKind.FIX),
        ("Handle empty input\n\nFixes #12", CommitKind.FIX),
        ("Handle empty input\n\nResolves: owner/name#12", CommitKind.FIX),
        ('net: wait\n\nFixes: 54a4f0239f2e ("net: do not wait")', CommitKind.FIX),
        ("hotfix for login", CommitKind.FIX),
        ("docs: fix a typo", CommitKind.CHANGE),
        ("Add test fixtures", CommitKind.CHANGE),
        ("Use a prefix", CommitKind.CHANGE),
        ("Closes #3", CommitKind.CHANGE),
        ('Revert "feat: x"\n\nThis reverts commit 0123456789abcdef.', CommitKind.REVERT),
        ("revert: feat x\n\nRefs: 0123abc", CommitKind.REVERT),
        ("", CommitKind.CHANGE),
    ],
)
def test_kind_of_a_commit(message: str, kind: CommitKind) -> None:
    """What a message says of its commit."""
    assert kind_of(message) == kind


def test_merge_by_its_parents() -> None:
    """A commit of two parents is a merge whatever it says."""
    assert kind_of("fix: x", parents=2) == CommitKind.MERGE


def test_reverted_commit_is_a_failed_attempt(kit: memkit.Memkit, repository: Repository) -> None:
    """A reverted commit is a failed attempt on its files."""
    assert reverted("This reverts commit 0123456789ABCDEF.") == "0123456789abcdef"
    assert reverted('Revert "x"') is None
    bad = repository.commit("feat: faster b", {"b.py": "fast"})
    repository.git("revert", "--no-edit", bad)
    assert kit.episodes.mine().reverts == 1
    attempts = kit.episodes.failed_attempts("b.py")
    assert [attempt.task for attempt in attempts] == [f"commit:{bad}"]


# -- owners


def test_owners(kit: memkit.Memkit, repository: Repository, clock: Callable[[], float]) -> None:
    """Who changed a file or a folder, newer changes counting more."""
    for number in range(3):
        repository.commit(f"work {number}", {"src/d.py": str(number)}, author="Bob", days=30)
    repository.commit("once", {"src/d.py": "last"}, author="Ada", days=30)
    kit.episodes.mine()
    owners = {one.name: one.share for one in kit.episodes.owners("src/d.py")}
    assert list(owners) == ["Bob", "Ada"]
    assert owners["Ada"] > 0.25
    assert sum(owners.values()) == pytest.approx(1)
    assert {one.name for one in kit.episodes.owners("src/")} == {"Ada", "Bob"}
    assert kit.episodes.owners("nothing.py") == []


def test_partial_clone_goes_without_renames(
    kit: memkit.Memkit, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where contents would have to be fetched to find renames, the log is read without them."""
    read = GitLog.commits

    def partial(self: GitLog, head: str, *, renames: bool = True, **rest: Any) -> Any:
        if renames:
            raise GitRefused("could not fetch 1f2e from promisor remote")
        return read(self, head, renames=False, **rest)

    monkeypatch.setattr(GitLog, "commits", partial)
    done = kit.episodes.mine()
    assert done.total == 3
    assert "no renames are known" in done.notes[0]
    assert kit._store.all("episodes_predictions.renames", project="", limit=10) == []


@pytest.mark.skipif(os.name == "nt", reason="there is no sleep")
def test_reading_has_an_end(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that does not come to an end is stopped."""
    log = GitLog(repository.root)
    monkeypatch.setattr("memkit.episodes.git_history.MAX_SECONDS", 0.05)
    log._command = ["sleep"]
    with pytest.raises(GitRefused, match=r"git 60 took over 0\.05 s"):
        log._ask("60")
