"""The edges of the command line: errors, exit codes, consoles, pipes, hostile text."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.cli import output as streams
from memkit.cli.main import main
from memkit.store.lifecycle import default_global_path, nearest
from tests.cli.conftest import Run
from tests.strategies import texts

Remember = Callable[..., str]

HOSTILE = "状态 ✅ naïve 🧠 \u202e \x1b[31mred\x9b0m \x07"


class TestErrors:
    """One line or one document, a code that stays, an exit code that fits."""

    @pytest.mark.parametrize(
        ("arguments", "code", "name"),
        [
            (["recall", "x"], 1, "not_a_memkit_file"),
            (["list"], 1, "not_a_memkit_file"),
            (["stats", "--db", "nowhere/x.db"], 1, "not_a_memkit_file"),
            (["remember", " "], 1, "invalid_input"),
            (["remember", "x", "--importance", "2"], 2, "usage"),
            (["remember", "x", "--importance", "much"], 2, "usage"),
            (["remember", "x", "--kind", "rumour"], 2, "usage"),
            (["remember", "x", "y"], 2, "usage"),
            (["recall"], 2, "usage"),
            (["nonsense"], 2, "usage"),
            (["--nonsense"], 2, "usage"),
            (["show", "abc"], 2, "usage"),
            (["import", "missing"], 1, "not_found"),
        ],
    )
    def test_failures(self, run: Run, arguments: list[str], code: int, name: str) -> None:
        """The same failure as a line on stderr and as a document on stdout."""
        told = run(*arguments)
        assert (told.code, told.out) == (code, "")
        assert told.err.startswith("memkit: ")
        assert told.err.count("\n") == 1
        for placed in (["--json", *arguments], [*arguments, "--json"]):
            document = run(*placed)
            assert document.code == code
            assert document.json["error"]["code"] == name
            assert document.json["error"]["message"]
            assert document.err == ""

    def test_filters_that_mean_nothing(self, run: Run, remembered: Remember) -> None:
        """An unknown time is an error and never no filter."""
        remembered("x")
        assert run("recall", "x", "--since", "blursday", "--json").json["error"]["code"] == (
            "invalid_input"
        )
        assert run("recall", "x", "--since", "last week").code == 0
        assert run("show", "17").err == "memkit: no memory 17 in .memkit.db; see 'memkit list'\n"

    def test_a_file_that_is_something_else(self, run: Run, folder: Path) -> None:
        """A text file is refused and left as it is; an empty file becomes a store."""
        (folder / "x.db").write_text("my diary, which is no database at all, and not short")
        assert run("remember", "x", "--db", "x.db", "--json").json["error"]["code"] == (
            "not_a_memkit_file"
        )
        assert (folder / "x.db").read_text().startswith("my diary")
        (folder / "empty.db").touch()
        assert run("remember", "x", "--db", "empty.db").code == 0

    def test_a_fault_of_memkit_itself(
        self, run: Run, remembered: Remember, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An unexpected error is one line too, with a way to see more."""
        remembered("x")

        def broken(self: object) -> None:
            raise RuntimeError("oh")

        monkeypatch.setattr(memkit.Memkit, "stats", broken)
        assert run("stats").err.startswith("memkit: RuntimeError: oh (a fault in memkit;")
        assert run("stats", "--json").json["error"]["code"] == "internal"
        monkeypatch.setenv("MEMKIT_DEBUG", "1")
        with pytest.raises(RuntimeError, match="oh"):
            main(["stats"])

    def test_an_interrupt_is_quiet(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        """Exit code 130, and no traceback; with --json the one document that was promised."""
        run("init")

        def interrupted(self: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(memkit.Memkit, "stats", interrupted)
        ended = run("stats")
        assert (ended.code, ended.out, ended.err.strip()) == (130, "", "")
        asked = run("stats", "--json")
        assert (asked.code, asked.json["error"]["code"]) == (130, "interrupted")
        assert not asked.err.strip()


class TestStreams:
    """Any console, closed streams, pipes that end."""

    @pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp950", "utf-8"])
    def test_any_console_encoding(
        self, run: Run, remembered: Remember, monkeypatch: pytest.MonkeyPatch, encoding: str
    ) -> None:
        """Stored text prints under any encoding, and JSON stays the same JSON."""
        number = remembered(HOSTILE)
        for arguments in (["list"], ["show", number], ["recall", "naïve", "--min-score", "0"]):
            assert "na" in _printed(monkeypatch, arguments, encoding)
            printed = _printed(monkeypatch, [*arguments, "--json"], encoding)
            assert _timeless(printed) == _timeless(run(*arguments, "--json").out)

    def test_an_export_is_utf8_on_any_console(
        self, run: Run, remembered: Remember, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file format does not depend on the console."""
        remembered(HOSTILE)
        printed = _printed(monkeypatch, ["export"], "cp1252", read_as="utf-8")
        assert json.loads(printed.split("\n")[1])["row"]["text"] == HOSTILE

    def test_closed_streams(
        self, run: Run, remembered: Remember, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without stdin a text cannot be read; without stdout nothing is printed."""
        remembered("x")
        for missing in (None, _closed()):
            with monkeypatch.context() as without:
                without.setattr(sys, "stdin", missing)
                assert main(["remember", "-"]) == 2
            with monkeypatch.context() as without:
                without.setattr(sys, "stdout", missing)
                without.setattr(sys, "stderr", missing)
                assert main(["export"]) == 2
                assert main(["nonsense"]) == 2
        with monkeypatch.context() as without:
            without.setattr(sys, "stdout", None)
            assert main(["list"]) == 0

    def test_a_reader_that_leaves_early(self, run: Run, remembered: Remember) -> None:
        """A broken pipe ends the command quietly with 141."""
        for number in range(20):
            remembered(f"{number} " + "long text " * 500)
        for arguments in (["export"], ["list", "--json"], ["sql"]):
            read, write = os.pipe()
            os.close(read)
            with os.fdopen(write, "w") as stdout:
                ended = _process(arguments, stdout=stdout)
            assert (ended.returncode, ended.stderr) == (141, "")

    @pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
    def test_a_signal(self, run: Run, folder: Path) -> None:
        """Interrupted while it waits for standard input: 130, quiet."""
        process = subprocess.Popen(
            [sys.executable, "-m", "memkit", "remember", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=_environment(),
        )
        while not (folder / ".memkit.db").exists():  # it is past its imports then
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT)
        assert "Traceback" not in err
        assert out == ""


class TestText:
    """What is printed cannot act."""

    def test_nothing_in_a_text_drives_the_terminal(self, run: Run, remembered: Remember) -> None:
        """Escapes, C1 controls, bells and direction marks are shown, not sent."""
        number = remembered(HOSTILE + "\rover", "--author", "\x1b]0;x\x07")
        for arguments in (["list"], ["show", number], ["recall", "naïve", "--min-score", "0"]):
            out = run(*arguments).out
            assert "\\x1b" in out
            assert not set(out) & set("\x1b\x9b\x07\u202e\r")
        assert not set(run("list", "--json").out) & set("\x1b\x9b\x07\u202e")
        assert run("list", "--json").json["memories"][0]["text"] == HOSTILE + "\rover"
        assert "\x1b" not in run("list", "--tag", "\x1b[0m").err

    @given(texts)
    def test_any_text_is_visible(self, text: str) -> None:
        """No control character is left but tab and newline; one line is one line."""
        shown = streams.visible(text)
        assert not any(ord(c) < 32 and c not in "\t\n" for c in shown)
        assert len(streams.one_line(text).splitlines()) <= 1
        assert json.loads(streams.json_text({"x": text}))["x"] == text

    @given(texts, st.integers(1, 40))
    def test_a_cut_line_fits(self, text: str, columns: int) -> None:
        """A line is cut between characters, to no more columns than there are."""
        line = streams.one_line(text)
        cut = streams.fit(line, columns)
        assert streams.columns_of(cut) <= columns
        assert cut == line or line.startswith(cut.removesuffix("…"))

    def test_a_terminal_gets_columns_and_colour(
        self, run: Run, remembered: Remember, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Tables and colours only where somebody looks, and no colour if it is not wanted."""
        remembered("固" * 300, "--kind", "negative")
        monkeypatch.setenv("COLUMNS", "60")

        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        for wanted in (True, False):
            if not wanted:
                monkeypatch.setenv("NO_COLOR", "1")
            shown = Terminal()
            with monkeypatch.context() as terminal:
                terminal.setattr(sys, "stdout", shown)
                assert main(["list"]) == 0
                assert main(["sql", "memories.counts_by_kind"]) == 0
            first = shown.getvalue().split("\n")[0]
            assert ("\x1b[" in first) is wanted
            assert first.endswith("…")
            if not wanted:
                assert streams.columns_of(first) <= 60


class TestPlaces:
    """Which file is meant."""

    def test_the_nearest_file_up_to_the_root_of_the_repository(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Upward to the repository root and no further; a new one belongs there."""
        (folder.parent / ".memkit.db").touch()
        deep = folder / "a" / "b"
        deep.mkdir(parents=True)
        assert nearest(deep) == folder / ".memkit.db"
        (folder / "a" / ".memkit.db").touch()
        assert nearest(deep) == folder / "a" / ".memkit.db"
        monkeypatch.setenv("MEMKIT_DB", "elsewhere.db")
        assert nearest(deep) == Path("elsewhere.db")

    def test_outside_of_a_repository(self, tmp_path: Path) -> None:
        """The folder itself, unless one lies above."""
        (tmp_path / "x").mkdir()
        assert nearest(tmp_path / "x") == tmp_path / "x" / ".memkit.db"
        (tmp_path / ".memkit.db").touch()
        assert nearest(tmp_path / "x") == tmp_path / ".memkit.db"

    @pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
    def test_the_global_file(self, monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
        """In the user's data folder, wherever the system has it."""
        monkeypatch.delenv("MEMKIT_GLOBAL")
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.setattr(sys, "platform", platform)
        assert default_global_path().parts[-2:] == ("memkit", "global.memkit.db")

    def test_version_and_module(self, run: Run) -> None:
        """`python -m memkit --version` is the version of the package."""
        assert memkit.__version__ in run("--version").out
        assert memkit.__version__ in _process(["--version"]).stdout

    def test_click_comes_only_with_a_command(self) -> None:
        """Importing the entry does not import click."""
        code = "import memkit.cli.main, sys; sys.exit('click' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], env=_environment()).returncode == 0


def _timeless(document: str) -> object:
    """Return a document without its fractions: belief fades from one moment to the next."""
    return json.loads(document, parse_float=lambda _: None)


def _printed(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], encoding: str, *, read_as: str = ""
) -> str:
    """Return what a command that succeeds prints on a console of an encoding."""
    data = io.BytesIO()
    console = io.TextIOWrapper(data, encoding=encoding)
    with monkeypatch.context() as there:
        there.setattr(sys, "stdout", console)
        assert main(arguments) == 0
    console.flush()
    return data.getvalue().decode(read_as or encoding)


def _closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


def _environment() -> dict[str, str]:
    source = Path(memkit.__file__).parent.parent
    return {**os.environ, "PYTHONPATH": str(source)}


def _process(arguments: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    streams_of = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "memkit", *arguments],
        text=True,
        timeout=60,
        env=_environment(),
        **streams_of,
    )
