"""Paths that the output of a call names, and where the files lie that a text imports."""

from __future__ import annotations

import posixpath

import pytest

from memkit.episodes.recording.named_paths import (
    MAX_PATHS,
    Known,
    NamedPath,
    folder_of_call,
    imported_in,
    named_by_call,
    named_in,
    placed,
)


def imported(text: str, path: str, known: Known) -> list[str]:
    """Return where the files lie that a text imports."""
    return placed(map(NamedPath, imported_in(text, path)), known)


def test_paths_in_an_output() -> None:
    """Paths are found as they are written, once each, in order; what only has a dot is none."""
    text = "src/a.py:12: self.value = x\n./b.ts, see (lib/c.rs) or example.com\nsrc/a.py v1.2"
    assert named_in(text) == ["src/a.py", "b.ts", "lib/c.rs"]
    many = " ".join(f"f{n}.py" for n in range(500))
    assert len(named_in(many)) == MAX_PATHS


def test_where_named_paths_lie() -> None:
    """A name is the one known path that ends so, else lies in the folder that was listed."""
    known = {"a.py": ["x/a.py"], "c.py": ["x/c.py", "y/c.py"]}
    named = [NamedPath((f"z/{name}",), name) for name in ("a.py", "b.py", "c.py")]
    assert placed(named, known) == ["x/a.py", "z/b.py", "z/c.py"]
    assert placed([NamedPath(("y/c.py",), "c.py")], known) == ["y/c.py"]


@pytest.mark.parametrize(
    ("command", "folder"),
    [("ls src/core", "src/core"), ("cd app && ls", "app"), ("rg needle src", "")],
)
def test_folder_of_a_listing(command: str, folder: str) -> None:
    """Names in a listing count from the folder that is listed, hits of a search from where it
    runs."""
    assert folder_of_call("Bash", {"command": command}) in (folder, folder or ".")


@pytest.mark.parametrize(
    ("command", "output", "named"),
    [
        ("ls src", "index.ts\nb.ts", ["src/index.ts", "src/b.ts"]),
        ("ls -R src", "src:\nindex.ts\n\nsrc/sub:\nindex.ts", ["src/index.ts", "src/sub/index.ts"]),
        ("ls -R src", "src:\r\na.ts\r\n\r\nsrc/sub:\r\nb.ts", ["src/a.ts", "src/sub/b.ts"]),
        ("cat lib/page.html", '<script src="app.js">', ["lib/app.js"]),
        ("rg x", "index.ts:1: x", ["lib/deep/index.ts"]),
        ("true", "", []),
    ],
)
def test_listed_name_lies_in_the_listed_folder(command: str, output: str, named: list[str]) -> None:
    """What a listing names lies in the folder that is listed, whatever else is called so; what a
    file names without a folder lies beside it."""
    known = {"index.ts": ["lib/deep/index.ts"]}
    found = named_by_call("Bash", {"command": command}, output, place=posixpath.normpath)
    assert placed(found, known) == named


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("src/a.ts", "import { x } from './b';\nimport y from '../c.js';", ["src/b.ts", "c.js"]),
        ("src/a.ts", 'const z = require("./d/e")', ["src/d/e.ts"]),
        ("p/q/a.py", "from .b import c\nfrom ..d.e import f\nimport os", ["p/q/b.py", "p/d/e.py"]),
        ("src/a.ts", "import './a'", []),
        ("notes.md", "from .b import c", []),
        (
            "src/a.tsx",
            "import './Card';\nimport { u } from './use'",
            ["src/Card.tsx", "src/use.ts"],
        ),
        ("app/src/lib/a.ts", 'import { e } from "@/env"', ["app/src/env.ts"]),
        (
            "p/a.py",
            "     1\tfrom . import b, c\n     2\timport p.q.d\n",
            ["p/b.py", "p/c.py", "p/q/d.py"],
        ),
        ("p/a.py", "import os\nfrom json import loads", []),
    ],
)
def test_imports_of_a_file_that_was_read(path: str, text: str, found: list[str]) -> None:
    """What a file's text imports by a relative name is known where it lies."""
    assert imported(text, path, {}) == found


def test_an_import_means_what_is_there() -> None:
    """Of the forms that a name may mean, the one that is known; where a folder is, its index."""
    text = "import { x } from './b';\nimport { y } from './c';\nimport { z } from './d'"
    known = {"b.tsx": ["src/b.tsx"], "index.ts": ["src/c/index.ts"], "e.ts": ["src/d/e.ts"]}
    assert imported(text, "src/a.ts", known) == ["src/b.tsx", "src/c/index.ts", "src/d/index.ts"]
