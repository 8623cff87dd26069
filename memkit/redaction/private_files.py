"""Private files: ignore rules, `.secretsignore`, known private names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..text.patterns import lazy_pattern
from .redactor import redact
from .rules import SHORTEST

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    # A file of rules, the folder that they count from, and the rules.
    _Rules = tuple[Path, Path, GitIgnoreSpec]


# --- Known private files: lower-case shell patterns of names.
#
# A pattern with "/" is matched against the end of the path, any other against the file's name.

ENV_SAMPLES = (".example", ".sample", ".template", ".dist", ".defaults")

# Environment files, also of direnv and R.
_ENV = """
    .env .env.* .env-* .env_* *.env .envrc .renviron
"""
# Private keys and stores of them.
_KEYS = """
    id_rsa* id_dsa* id_ecdsa* id_ed25519* *.pem *.key *.p12 *.pfx *.pkcs12 *.jks *.keystore
    *.bks *.kdbx *.kdb *.ppk *.ovpn *.keychain *.keychain-db *.agekey *.gpg-key *.p8 *.keytab
    .ssh/* .gnupg/*
"""
# Credentials of command-line tools.
_TOOLS = """
    .netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf
    .htpasswd .git-credentials .dockercfg .docker/config.json .dockerconfigjson .s3cfg .boto
    .terraformrc terraform.rc credentials.tfrc.json .vault-token kubeconfig *.kubeconfig
    .kube/config .aws/* .azure/* .config/gcloud/* .config/gh/hosts.yml .cargo/credentials
    .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml
    .composer/auth.json auth.json sftp-config.json .ftpconfig .esmtprc .msmtprc .fetchmailrc
    .mutt/*pass* .config/rclone/rclone.conf rclone.conf .remote-sync.json
"""
# Credentials of applications.
_APPS = """
    credentials credentials.* credential.* *-credentials.json client_secret*.json
    service-account*.json service_account*.json *serviceaccount*.json
    *-firebase-adminsdk-*.json secrets.* secret.* .secrets .secrets.* *.secrets *.secret
    master.key local.settings.json wp-config.php *.tfstate *.tfstate.backup *.tfvars
    *.tfvars.json vault-password* .vault_pass* passwords.* passwd.* htpasswd keys.json
"""
# What was typed.
_TYPED = """
    .bash_history .zsh_history .sh_history .psql_history .mysql_history .python_history
    .rediscli_history .node_repl_history .irb_history
"""
PRIVATE_NAMES: tuple[str, ...] = tuple(f"{_ENV}{_KEYS}{_TOOLS}{_APPS}{_TYPED}".split())

# Matched by a pattern above but public: the other half of a key pair, code and documents.
_PUBLIC = """
    *.pub secrets.py secrets.pyi secrets.ts secrets.js secrets.go secrets.rs secrets.md
    secrets.rst secret.py secret.ts secret.js secret.go secret.rs secret.md credentials.py
    credentials.ts credentials.js credentials.go credentials.rs credentials.md credential.py
    credential.ts credential.go credential.rs passwords.py passwords.ts passwords.go
    passwords.md *.java *.kt *.cs *.rb *.tsx *.c *.h *.cpp *.html *.css *.svg
"""
PUBLIC_NAMES: tuple[str, ...] = tuple(_PUBLIC.split())


# --- Paths with a secret in them: such a file is left out, and named by the rest of its path.

# A part of a path that is long enough for a token; one without a digit is none.
_SUSPECT = lazy_pattern(rf"[\w=~-]{{{SHORTEST},}}")
_DIGIT = lazy_pattern(r"\d")


def redact_path(path: str) -> str:
    """The path without secrets; the same object if it holds none."""
    return redact(path).text if suspects(path) else path


def suspects(text: str) -> list[str]:
    """Return the words of a text that may be a secret in a path."""
    return [part for part in _SUSPECT.findall(text) if _DIGIT.search(part)]


# --- Files not to be read: ignored by git, listed in `.secretsignore`, known to hold secrets.
#
# Git's own rules for `.gitignore` (nested files, negation, an ignored folder hides all below it),
# without running git. A file that git tracks although it is ignored counts as private. The user's
# global excludes file is not read.

_FOLDER_END = "ps_d"
_Stamp = tuple[int, int]


class PrivateReason(StrEnum):
    """Reason why a file is private, in words for people."""

    SECRET_IN_NAME = "its name holds a secret"
    KNOWN_NAME = "a file known to hold secrets"
    IN_GIT_FOLDER = "inside .git"
    IGNORED = "ignored by"
    OUTSIDE = "outside the root folder"
    LINK_TO_NOWHERE = "a symbolic link that leads nowhere"
    LINK_TO_OUTSIDE = "a symbolic link that leads outside the root folder"
    NO_FILE_NAME = "no file has such a name"


class PrivateFile(NamedTuple):
    """A file that is private, and why.

    Attributes:
        reason: why. detail: the pattern of its name, or the file of rules that ignores it.
        is_linked: whether that is so of the file to which a symbolic link leads.
    """

    reason: PrivateReason
    detail: str = ""
    is_linked: bool = False

    def __str__(self) -> str:
        known = self.reason is PrivateReason.KNOWN_NAME
        detail = f" ({self.detail})" if known else f" {self.detail}".rstrip()
        link = "a symbolic link to a private file: " if self.is_linked else ""
        return f"{link}{self.reason}{detail}"


class PrivateFiles:
    """Rules that tell which files below a root folder are private, and why."""

    def __init__(self, root: str | Path) -> None:
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would follow links
        self._real_root = self.root.resolve()
        self._specs: dict[Path, tuple[_Stamp, GitIgnoreSpec]] = {}

    def is_private(self, path: str | Path) -> bool:
        """Whether the content of the file (or folder) must stay out of the store."""
        return self.find(path) is not None

    def reason(self, path: str | Path) -> str | None:
        """Why the path is private, in a few words for people, or None."""
        private = self.find(path)
        return None if private is None else str(private)

    def find(self, path: str | Path) -> PrivateFile | None:
        """The path as a private file, or None if it is none.

        Relative paths count from the root; the file need not exist.
        """
        is_folder = str(path).endswith(("/", os.sep))
        full = Path(os.path.abspath(self.root / path))  # noqa: PTH100 - resolve() would follow links
        if not full.is_relative_to(self.root):
            full = self._inside(full)
        if not full.is_relative_to(self.root):
            return PrivateFile(PrivateReason.OUTSIDE)
        return self._find(full, is_folder=is_folder or _is_folder(full)) or self._find_target(full)

    def ignored(self, files: Iterable[str], folders: Iterable[str], *, below: str) -> set[str]:
        """Those paths right below a folder that a rule ignores; the folder itself is not ignored.

        A known private name is not among them: it is left out for a reason of its own. All are
        looked up with the rules read once, in a twentieth of the time that `find` takes for each.
        """
        chains = [list(self._rules(self.root / below, *source)) for source in self._sources()]
        return {
            path
            for paths, is_folder in ((files, False), (folders, True))
            for path in paths
            if any(_ignoring(rules, self.root / path, is_folder=is_folder) for rules in chains)
            and _known_name(Path(path)) is None
        }

    def _sources(self) -> list[tuple[str, Path, Path | None]]:
        """The names that files of rules have, the folder above which none counts, and a file whose
        rules count from that folder."""
        top, exclude = _repository(self.root)
        return [(".gitignore", top, exclude), (".secretsignore", self.root, None)]

    def _rules(self, folder: Path, name: str, base: Path, exclude: Path | None) -> Iterator[_Rules]:
        """The rules that hold in a folder, the nearest first."""
        folders = [f for f in (folder, *folder.parents) if f == base or base in f.parents]
        for file, own in (*((f / name, f) for f in folders), (exclude, base)):
            spec = None if file is None else self._spec(file)
            if file is not None and spec is not None:
                yield file, own, spec

    def _inside(self, full: Path) -> Path:
        """The same place named through the root as it was given."""
        real = full.resolve()
        return (
            self.root / real.relative_to(self._real_root)
            if real.is_relative_to(self._real_root)
            else full
        )

    def _find_target(self, full: Path) -> PrivateFile | None:
        try:
            real = full.resolve()
        except (OSError, RuntimeError):  # a loop of links
            return PrivateFile(PrivateReason.LINK_TO_NOWHERE)
        if real == self._real_root / full.relative_to(self.root):
            return None
        if not real.is_relative_to(self._real_root):
            return PrivateFile(PrivateReason.LINK_TO_OUTSIDE)
        target = self._find(
            self.root / real.relative_to(self._real_root), is_folder=_is_folder(real)
        )
        return target._replace(is_linked=True) if target else None

    def _find(self, full: Path, *, is_folder: bool) -> PrivateFile | None:
        relative = full.relative_to(self.root)
        if redact_path(relative.as_posix()) != relative.as_posix():
            return PrivateFile(PrivateReason.SECRET_IN_NAME)
        return _known_name(relative) or self._find_ignored(full, is_folder=is_folder)

    def _find_ignored(self, full: Path, *, is_folder: bool) -> PrivateFile | None:
        for name, base, exclude in self._sources():
            for part, part_is_folder in _steps(base, full, is_folder=is_folder):
                rules = self._rules(part.parent, name, base, exclude)
                file = _ignoring(rules, part, is_folder=part_is_folder)
                if file is not None:
                    name = ".git/info/exclude" if file == exclude else str(file.relative_to(base))
                    return PrivateFile(PrivateReason.IGNORED, Path(name).as_posix())
        return None

    def _spec(self, rules: Path) -> GitIgnoreSpec | None:
        """The rules of a file, read again when it changed; None if there is no such file."""
        try:
            status = rules.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._specs.get(rules)
            if known is None or known[0] != stamp:
                known = self._specs[rules] = (stamp, _parse(rules))
        except OSError:
            return None
        return known[1]


def _is_folder(path: Path) -> bool:
    """Whether something is a folder; what cannot be looked at is none."""
    with suppress(OSError):
        return path.is_dir()
    return False


def _parse(rules: Path) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(rules.read_text("utf-8-sig", "replace").splitlines())


def _ignoring(rules: Iterable[_Rules], part: Path, *, is_folder: bool) -> Path | None:
    """The file of rules that ignores a path; the first one with a matching line decides."""
    for file, folder, spec in rules:
        verdict = _verdict(spec, folder, part, is_folder=is_folder)
        if verdict is not None:
            return file if verdict else None
    return None


def _verdict(spec: GitIgnoreSpec, folder: Path, part: Path, *, is_folder: bool) -> bool | None:
    """What the last matching line of a folder's rules says of a path: whether it is ignored."""
    relative = part.relative_to(folder).as_posix()
    for pattern in reversed(list(spec.patterns)):
        rule = pattern.regex if pattern.include is not None else None
        if rule is not None and _names(rule, relative, is_folder=is_folder):
            return pattern.include
    return None


def _names(rule: re.Pattern[str], path: str, *, is_folder: bool) -> bool:
    """Whether a rule names this very path.

    The expressions of pathspec also match what is below a folder they name; they mark the end of
    the folder by the group `ps_d`. Git asks for each folder on the way by itself.
    """
    for match in rule.finditer(path):
        if match.groupdict().get(_FOLDER_END) is None:
            return True
    if not is_folder or _FOLDER_END not in rule.groupindex:
        return False
    return any(match.end(_FOLDER_END) == len(path) + 1 for match in rule.finditer(path + "/"))


def _steps(base: Path, full: Path, *, is_folder: bool) -> Iterator[tuple[Path, bool]]:
    """Every folder from the base to the path, then the path; with each, is it a folder?"""
    for parent in reversed(full.parents):
        if base in parent.parents:
            yield parent, True
    if full != base:
        yield full, is_folder


def _repository(root: Path) -> tuple[Path, Path | None]:
    """The top folder of the git repository around the root and its exclude file; the root itself
    outside of any."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_dir():
            return folder, git / "info" / "exclude"
        if git.is_file():  # a worktree or a submodule: "gitdir: PATH"
            return folder, _linked_exclude(git)
    return root, None


def git_folder(root: Path) -> Path:
    """Git's own folder of a working tree; of a worktree or submodule, the one that `.git` names."""
    git = root / ".git"
    if not git.is_file():
        return git
    return root / git.read_text("utf-8").removeprefix("gitdir:").strip()


def _linked_exclude(git: Path) -> Path | None:
    try:
        own = git_folder(git.parent)
        common = own / "commondir"
        shared = own / common.read_text("utf-8").strip() if common.is_file() else own
    except (OSError, ValueError):
        return None
    return shared / "info" / "exclude"


def _known_name(relative: Path) -> PrivateFile | None:
    """Whether the name alone says that the file is private; case does not count."""
    parts = [part.lower() for part in relative.parts]
    if not parts:
        return None
    if ".git" in parts:
        return PrivateFile(PrivateReason.IN_GIT_FOLDER)
    name, path = parts[-1], "/" + "/".join(parts)
    if ".env" in name and name.endswith(ENV_SAMPLES):
        return None
    if any(fnmatchcase(name, pattern) for pattern in PUBLIC_NAMES):
        return None
    for pattern in PRIVATE_NAMES:
        if fnmatchcase(path, f"*/{pattern}") if "/" in pattern else fnmatchcase(name, pattern):
            return PrivateFile(PrivateReason.KNOWN_NAME, pattern)
    return None
