"""The edges of the command line: errors, exit codes, consoles, pipes, hostile text.

What an option cannot mean is refused, not taken for something else.
"""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.cli import output as streams
from memkit.cli.commands import COMMANDS, GROUPS
from memkit.cli.main import main
from memkit.store.lifecycle import default_global_path, nearest
from memkit.store.sqlite_errors import translated
from tests.cli.conftest import Run
from tests.strategies import texts
from tests.tables import each_row

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


@each_row(
    "arguments, told",
    [
        (("recall", "x", "--min-score", "3"), "'3' is out of bounds; give 0 to 1"),
        (("recall", "x", "--min-score", "nan"), "'nan' is out of bounds"),
        (("recall", "x", "--min-score", "high"), "'high' is no number; give 0 to 1"),
        (("recall", "x", "--depth", "-1"), "-1 is too few; give 0 to 20"),
        (("recall", "x", "--depth", "1000"), "1000 is too far; give 0 to 20"),
        (("recall", "x", "--limit", "0"), "0 is too few; give 1 or more"),
        (("explain", "x", "1", "--limit", "many"), "'many' is no whole number; give 1 or more"),
        (("list", "--limit", "0"), "give 1 or more"),
        (("executions", "--limit", "0"), "give 1 or more"),
        (("patterns", "--limit", "0"), "give 1 or more"),
        (("predict", "a.py", "--limit", "-5"), "give 1 or more"),
        (("relevant", "x", "--limit", "0"), "give 1 or more"),
        (("relevant", " "), "QUESTION is blank"),
        (("map", "--budget", "0"), "give 1 or more"),
        (("dependencies", "a.py", "--depth", "21"), "give 1 to 20"),
        (("recall", "x", "--scope", "session"), "--scope session needs --session"),
        (("explain", "x", "1", "--scope", "session"), "--scope session needs --session"),
        (("remember", "--key", "port"), "--value is missing"),
        (("remember", "--value", "80"), "--key is missing"),
        (("remember", "It is 80.", "--key", "port"), "--value is missing; a keyed fact has both"),
        (("remember",), "give TEXT, or --key and --value"),
        (("init", "nowhere"), "'nowhere' is no folder"),
        (("mine", "nowhere"), "'nowhere' is no folder"),
        (("index", "nowhere"), "'nowhere' is no folder"),
        (("predict",), "--signal time"),
        (("index", "--flow", "--no-flow"), "give one of them"),
        (("patterns", "--learnings", "--kind", "co-edit"), "leave --kind"),
        (("patterns", "--learnings", "--show", "1"), "leave --kind"),
        (("patterns", "--on", "1", "--reason", "x"), "give --off with it"),
        (("remember", "x", "--importance", "very"), "'very' is no number; give 0 to 1"),
        (("link", "1", "2", "--weight", "7"), "'7' is out of bounds; give 0 to 1"),
        (("recall", "x", "--tag"), "requires an argument; see 'memkit recall --help'"),
    ],
)
def test_option_out_of_bounds_is_refused_with_the_bounds(
    run: Run, remembered: Remember, arguments: tuple[str, ...], told: str
) -> None:
    """It is a wrong use of the command, with the bounds in the message."""
    remembered("x")
    found = run(*arguments)
    assert found.code == 2
    assert told in found.err


def test_misspelt_root_is_refused_before_a_store_is_made(run: Run, folder: Path) -> None:
    """A misspelt ROOT is refused before a file is made."""
    assert run("init", "nowhere").code == 2
    assert not (folder / ".memkit.db").exists()


def test_the_bounds_themselves_are_within(run: Run, remembered: Remember) -> None:
    """The least and the greatest are allowed."""
    remembered("Uploads are logged.")
    for options in (("--min-score", "0", "--depth", "0"), ("--min-score", "1", "--depth", "20")):
        assert run("recall", "are uploads logged?", *options).code == 0


def test_unknown_tag_or_project_is_named(run: Run, remembered: Remember) -> None:
    """That nothing has a tag or stands in a project is another answer than that nothing fits."""
    remembered("Uploads are logged.", "--tag", "logs")
    assert "no memory has the tag 'nowhere'" in run("recall", "logged", "--tag", "nowhere").err
    assert "project 'other'" in run("recall", "logged", "--project", "other").err
    assert run("recall", "are uploads logged?", "--tag", "logs").err == ""


def test_filters_of_numbers_compared_words(run: Run, remembered: Remember) -> None:
    """A number is a number; the operators of the API work here too."""
    remembered("Dull.", "--importance", "0.2")
    remembered("Grave.", "--importance", "0.9")
    assert "Grave" in run("list", "--filter", 'importance={"$gte": 0.5}').out
    assert "Dull" not in run("list", "--filter", 'importance={"$gte": 0.5}').out
    assert "Dull" in run("list", "--filter", "importance=0.2").out
    for wrong, told in (
        ("importance=abc", "'abc' is no number"),
        ("importance=true", "'true' is no number"),
        ("importance={gte", "is no JSON"),
        ('importance={"gte": 0.5}', "give one of $eq"),
    ):
        found = run("list", "--filter", wrong)
        assert found.code == 1
        assert told in found.err


def test_dash_reads_any_text_from_standard_input(run: Run, remembered: Remember) -> None:
    """'-' is standard input for every text, not only for those that are stored."""
    number = remembered("Uploads are logged.")
    asked = b"are uploads logged?\n"
    assert number in run("recall", "-", stdin=asked).out
    assert "comes back" in run("explain", "-", number, stdin=asked).out
    run("index")
    assert run("relevant", "-", stdin=b"\n").code == 2
    assert run("map", "-", stdin=asked).code == 0


def test_an_id_that_is_not_there_is_an_error_everywhere(run: Run, remembered: Remember) -> None:
    """why says so as show does, with the same code."""
    remembered("Uploads are logged.")
    for arguments in (("show", "5"), ("explain", "logged", "5"), ("pin", "5"), ("forget", "5")):
        found = run(*arguments)
        assert found.code == 1
        assert "no memory 5" in found.err


def test_the_help_named_a_default_that_is_not_accepted(run: Run) -> None:
    """Choices and defaults are written as they are typed."""
    help_ = run("predict", "--help").out
    assert "default: file" in help_
    assert "FILE]" not in help_


def test_command_summaries_are_whole_sentences(run: Run) -> None:
    """Each summary is a whole sentence."""
    listed = run("--help").out.partition("\nAsk:")[2]
    assert "..." not in listed
    assert listed.rstrip().endswith(".")


def test_queries_can_be_listed_without_a_store(run: Run, folder: Path) -> None:
    """They are memkit's own; only to run one takes a file."""
    assert "memories.tag_counts" in run("sql").out
    assert "there is no such file" in run("sql", "memories.tag_counts").err
    assert not (folder / ".memkit.db").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_full_disk_behind_standard_output_is_explained(run: Run, folder: Path) -> None:
    """Standard output is named, and that the command itself was carried out."""
    command = [sys.executable, "-m", "memkit", "remember", "Uploads are logged."]
    environment = {**os.environ, "PYTHONPATH": str(Path(memkit.__file__).parent.parent)}
    with Path("/dev/full").open("wb", buffering=0) as full:
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"memkit: standard output: No space left on device" in done.stderr
    assert "Uploads are logged." in run("list").out


def test_swapped_time_bounds_are_named(run: Run, remembered: Remember) -> None:
    """A span that ends before it begins is told as such, as a blank question is."""
    remembered("Uploads are logged.")
    swapped = run("recall", "uploads", "--since", "2030-01-01", "--until", "2020-01-01")
    assert swapped.code == 1
    assert "until: 2020-01-01T23:59:59.999Z lies before since 2030-01-01" in swapped.err
    blank = run("recall", " ")
    assert (blank.code, blank.err) == (
        0,
        "memkit: the question is blank; say what is to be known\n",
    )


def test_tilde_is_the_home_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no shell has read it, ~ is the home folder: in the environment, options and Python."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("MEMKIT_DB", "~/mine.db")
    assert run("remember", "Uploads are logged.").code == 0
    assert (tmp_path / "mine.db").is_file()
    assert run("list", "--db", "~/mine.db").code == 0
    with memkit.open("~/mine.db", global_store=False) as kit:
        assert len(kit.memories.find()) == 1
    memkit.open(tmp_path / "~odd.db", global_store=False).close()
    monkeypatch.chdir(tmp_path)
    with memkit.open("~odd.db", readonly=True, global_store=False) as kit:
        assert len(kit.memories.find()) == 0


def test_unreadable_file_is_called_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the file does not allow is what is told."""
    place = tmp_path / "a.db"
    memkit.open(place, global_store=False).close()
    fault = apsw.CantOpenError("unable to open database file")
    assert "cannot be written" in str(translated(fault, place))
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "the file may not be read" in str(translated(fault, place))


def test_the_help_lists_commands_in_groups(run: Run) -> None:
    """What is asked most stands first, and each command in one group alone."""
    names = [name for group in GROUPS.values() for name in group]
    assert sorted(names) == sorted(COMMANDS)
    said = run("--help").out
    assert [said.index(f"\n{heading}:") for heading in GROUPS] == sorted(
        said.index(f"\n{heading}:") for heading in GROUPS
    )
    assert said.index("  recall ") < said.index("  remember ") < said.index("  trim ")


def test_help_is_a_command_too(run: Run) -> None:
    """`memkit help` and `memkit help COMMAND` say what --help says; an unknown one is refused."""
    assert run("help").out == run("--help").out
    assert run("help", "recall").out == run("recall", "--help").out
    refused = run("help", "recal")
    assert (refused.code, "recal" in refused.err) == (2, True)


def test_spellings_of_a_tag_are_one(run: Run, remembered: Remember) -> None:
    """Dash, underscore and blank part the words of a tag alike, as those of a key."""
    remembered("Mails go through the bridge.", "--tag", "mail-bridge")
    remembered("Bounces are kept for a week.", "--tag", "Mail_Bridge")
    number = remembered("The bridge restarts at night.", "--tag", "mail bridge")
    for spelling in ("mail-bridge", "mail_bridge", "#mail  bridge"):
        assert run("list", "--tag", spelling, "--json").json["total"] == 3
    assert run("tag", number, "--remove", "mail_bridge").code == 0
    assert run("list", "--tag", "mail bridge", "--json").json["total"] == 2


def test_reasons_of_a_hit_are_told_when_asked_for(run: Run, remembered: Remember) -> None:
    """A hit costs little: its reasons, as text and as JSON, come with --why or --fields alone."""
    remembered("Uploads go through the queue.")
    question = "how do uploads go?"
    assert "words:" not in run("recall", question).out
    assert "words:" in run("recall", question, "--why").out
    short = run("recall", question, "--json").json["hits"][0]
    assert "reasons" not in short
    for options in (("--why",), ("--fields", "reasons"), ("--fields", "all")):
        assert run("recall", question, "--json", *options).json["hits"][0]["reasons"]


def test_a_full_disk_is_called_so(
    run: Run, remembered: Remember, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export for which there is no room is no matter of permissions."""
    remembered("Uploads go through the queue.")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("memkit.interchange.archive._write", full)
    failed = run("export", "out.jsonl", "--json")
    assert failed.code == 1
    assert failed.json["error"]["code"] == "store_full"
    assert "free some space" in failed.json["error"]["message"]


def test_a_write_to_what_is_read_only_says_why(folder: Path) -> None:
    """The message names the cause: asked for, the file, or its folder."""
    with memkit.open(folder / ".memkit.db") as kit:
        kit.memories.remember("Uploads go through the queue.")
    with (
        memkit.open(folder / ".memkit.db", readonly=True) as kit,
        pytest.raises(memkit.StoreReadOnly, match=r"opened read-only; open it without"),
    ):
        kit.memories.remember("Another one.")
