"""Small git repositories with a fixed identity and fixed times, made for a test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

START = 1_767_225_600  # 2026-01-01


class Repository:
    """A repository in a folder; commits are a day apart unless told otherwise."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.second = START
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, author: str = "Ada") -> str:
        """Run git and return what it says."""
        given = {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": f"{author.lower()}@example.com",
            "GIT_COMMITTER_NAME": author,
            "GIT_COMMITTER_EMAIL": f"{author.lower()}@example.com",
            "GIT_AUTHOR_DATE": f"{self.second} +0000",
            "GIT_COMMITTER_DATE": f"{self.second} +0000",
        }
        done = subprocess.run(
            ["git", "-C", str(self.root), "-c", "protocol.file.allow=always", *arguments],
            env={**os.environ, **given},
            check=True,
            capture_output=True,
        )
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(
        self,
        message: str,
        files: Mapping[str, str] | None = None,
        *,
        author: str = "Ada",
        days: float = 1,
    ) -> str:
        """Write files, commit everything, and return the hash."""
        for name, text in (files or {}).items():
            place = self.root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        self.second += int(days * 86400)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, author=author)
        return self.git("rev-parse", "HEAD")
