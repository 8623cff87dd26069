"""What an option cannot mean is refused, not taken for something else."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import memkit
from memkit.cli.commands import COMMANDS, GROUPS
from memkit.store.sqlite_errors import translated
from tests.cli.conftest import Run
from tests.tables import each_row

Remember = Callable[..., str]


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
