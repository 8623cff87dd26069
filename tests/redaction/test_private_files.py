"""Private files: as git ignores them, by their well-known names, and behind links."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkit.redaction import PrivateFiles
from memkit.redaction.private_files import PrivateFile, PrivateReason

TREE = (
    "a/b.txt",
    "a/c.log",
    "a/sub/d.txt",
    "a/sub/e.log",
    "f.log",
    "build/out.o",
    "x y/#z",
    "k.txt",
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An empty git repository with some files, untouched by the user's own git settings."""
    root = tmp_path / "repo"
    root.mkdir()
    _git(root, "init", "--quiet")
    for name in TREE:
        _write(root / name)
    return root


def _git(root: Path, *arguments: str, text: str = "") -> str:
    empty = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(root)}
    done = subprocess.run(
        ["git", *arguments],
        cwd=root,
        input=text,
        env={**os.environ, **empty, "XDG_CONFIG_HOME": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def _write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _ignored_by_git(root: Path) -> set[str]:
    shown = _git(root, "check-ignore", "--no-index", "-z", "--stdin", text="\0".join(TREE))
    return set(filter(None, shown.split("\0")))


def _ignored(root: Path) -> set[str]:
    private = PrivateFiles(root)
    return {name for name in TREE if (private.reason(name) or "").startswith("ignored")}


RULES = (
    "*.log", "!c.log", "!*.log", "a/", "/a", "a/*", "!a/b.txt", "!a/sub/", "sub",
    "sub/", "**/sub/*.txt", "a/**/e.log", "build", "/build/", "*.txt", "!/k.txt", "k.txt ",
    "# comment", "", "\\#z", "x y/", "[ab]/*.txt", "?/sub", "*", "!*/", "a/**", "/*",
    "!/a", "/a/*", "!/a/sub", "!d.txt",
    "**",
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    top=st.lists(st.sampled_from(RULES), max_size=5),
    nested=st.lists(st.sampled_from(RULES), max_size=3),
    exclude=st.lists(st.sampled_from(RULES), max_size=2),
)
def test_ignored_files_are_those_of_git(
    repository: Path, top: list[str], nested: list[str], exclude: list[str]
) -> None:
    """Nested files, negation, folders and the exclude file decide as in `git check-ignore`."""
    _write(repository / ".gitignore", "\n".join(top))
    _write(repository / "a/.gitignore", "\n".join(nested))
    _write(repository / ".git/info/exclude", "\n".join(exclude))
    assert _ignored(repository) == _ignored_by_git(repository)


def test_rules_above_the_root_count(repository: Path) -> None:
    """A root inside a repository obeys the rules of the whole repository."""
    _write(repository / ".gitignore", "e.log\n")
    private = PrivateFiles(repository / "a")
    assert private.reason("sub/e.log") == "ignored by .gitignore"
    assert private.reason("c.log") is None


def test_a_worktree_uses_the_exclude_file_of_its_repository(
    repository: Path, tmp_path: Path
) -> None:
    """In a worktree .git is a file that leads to the shared exclude file."""
    identity = ("-c", "user.name=n", "-c", "user.email=e@host")
    _git(repository, *identity, "commit", "--quiet", "--allow-empty", "-m", "x")
    _git(repository, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    _write(repository / ".git/info/exclude", "*.log\n")
    private = PrivateFiles(tmp_path / "tree")
    assert private.reason("x.log") == "ignored by .git/info/exclude"
    assert private.reason("x.txt") is None
    _write(tmp_path / "odd/.git", "gitdir: /nowhere/at/all")
    assert PrivateFiles(tmp_path / "odd").reason("x.log") is None
    (tmp_path / "odd/.git").write_bytes(b"\xff\xfe")
    assert PrivateFiles(tmp_path / "odd").reason("x.log") is None


def test_a_changed_rules_file_is_read_again(tmp_path: Path) -> None:
    """Rules are kept in mind only as long as their file stays the same."""
    private = PrivateFiles(tmp_path)
    assert not private.is_private("notes/x.md")
    _write(tmp_path / "notes/.secretsignore", "x.md\n")
    assert private.reason("notes/x.md") == "ignored by notes/.secretsignore"
    _write(tmp_path / "notes/.secretsignore", "# nothing any more\n")
    assert not private.is_private("notes/x.md")


def test_secretsignore_and_gitignore_do_not_undo_each_other(tmp_path: Path) -> None:
    """A negation in one file does not make public what the other one hides."""
    _write(tmp_path / ".gitignore", "*.log\n!y.txt\n")
    _write(tmp_path / ".secretsignore", "y.txt\n!x.log\n")
    private = PrivateFiles(tmp_path)
    assert private.reason("x.log") == "ignored by .gitignore"
    assert private.reason("y.txt") == "ignored by .secretsignore"


_KNOWN = """
    .env .env.local .env.production prod.env .ENV .envrc id_rsa deploy/id_ed25519 server.pem
    TLS.KEY .netrc .npmrc .pypirc credentials.json .aws/credentials home/.ssh/config
    .kube/config app.p12 release.keystore secrets.yaml .git-credentials terraform.tfstate
    prod.tfvars service-account-prod.json .docker/config.json .git/config sub/.git/config
    .bash_history config/master.key
"""


@pytest.mark.parametrize("name", _KNOWN.split())
def test_files_known_to_hold_secrets_are_private(tmp_path: Path, name: str) -> None:
    """By name alone, in any folder and any case, whether the file exists or not."""
    assert PrivateFiles(tmp_path).is_private(name)
    assert PrivateFiles(tmp_path).is_private(tmp_path / name)


_ORDINARY = """
    .env.example .env.sample .env.template prod.env.example id_rsa.pub environment.py
    src/keys.py secrets.py tokens.md monkey.py README.md .gitignore .github/workflows/ci.yml
    src/auth/login.ts .
"""


@pytest.mark.parametrize("name", _ORDINARY.split())
def test_ordinary_files_are_not_private(tmp_path: Path, name: str) -> None:
    """Samples of environment files, public keys, code about secrets, and everything else."""
    assert PrivateFiles(tmp_path).reason(name) is None


def test_files_outside_the_root_are_private(tmp_path: Path) -> None:
    """Whatever is not below the root is none of its business."""
    root = tmp_path / "root"
    root.mkdir()
    private = PrivateFiles(str(root))
    assert private.reason("../other.txt") == "outside the root folder"
    assert private.reason("/etc/hosts") == "outside the root folder"
    assert private.reason(tmp_path / "rooted.txt") == "outside the root folder"


def test_links_are_followed(tmp_path: Path) -> None:
    """A link is as private as what it leads to; a link out of the root or to itself is private."""
    root = tmp_path / "root"
    _write(root / "plain.txt")
    _write(root / ".env")
    _write(tmp_path / "outside.txt")
    (root / "good").symlink_to("plain.txt")
    (root / "bad").symlink_to(".env")
    (root / "out").symlink_to(tmp_path / "outside.txt")
    (root / "loop").symlink_to("loop")
    (tmp_path / "alias").symlink_to(root)
    private = PrivateFiles(root)
    assert private.reason("good") is None
    assert private.reason("bad") == (
        "a symbolic link to a private file: a file known to hold secrets (.env)"
    )
    assert private.reason("out") == "a symbolic link that leads outside the root folder"
    assert private.reason("loop") in (None, "a symbolic link that leads nowhere")
    assert PrivateFiles(tmp_path / "alias").reason("plain.txt") is None
    assert private.reason(tmp_path / "alias" / "plain.txt") is None
    assert private.is_private(tmp_path / "alias" / ".env")


def test_a_folder_is_judged_as_a_folder(tmp_path: Path) -> None:
    """A rule for folders hides only folders; a slash at the end makes one."""
    _write(tmp_path / ".gitignore", "cache/\n")
    (tmp_path / "cache").mkdir()
    private = PrivateFiles(tmp_path)
    assert private.is_private("cache")
    assert private.is_private("sub/cache/")
    assert private.reason("sub/cache") is None
    assert private.is_private("sub/cache/x.txt")


def test_a_link_into_a_folder_that_may_not_be_entered_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be looked at is judged by its name; no error of the file system comes out."""

    def is_dir(self: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(self))

    (tmp_path / "id_rsa").symlink_to("shut/id_rsa")
    monkeypatch.setattr(Path, "is_dir", is_dir)
    assert PrivateFiles(tmp_path).reason("id_rsa") is not None


def test_private_file_says_why_by_an_enumeration(tmp_path: Path) -> None:
    """Code goes by the reason and its detail; the text is for people."""
    (tmp_path / ".secretsignore").write_text("*.log\n")
    (tmp_path / "x.log").write_text("")
    private = PrivateFiles(tmp_path)
    ignored, known = private.find("x.log"), private.find(".env")
    assert ignored == PrivateFile(PrivateReason.IGNORED, ".secretsignore")
    assert known is not None
    assert known.reason is PrivateReason.KNOWN_NAME
    assert str(known) == private.reason(".env")
    assert private.find("app.py") is None
