"""Messages speak of files and options as they are typed, and of what was asked."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memkit.cli import commands, main
from memkit.cli.query_commands import sql
from tests.cli.conftest import Run

Remember = Callable[..., str]

PYTHON = re.compile(r"\b\w+=(…|True|False)|\w\(\)|busy_timeout|readonly=")


@pytest.mark.parametrize(
    "arguments",
    [
        ("remember", "x", "--scope", "session"),
        ("remember", "--value", "x"),
        ("explain", "old question", "{gone}"),
        ("link", "{here}", "{here}", "--kind", "relates_to"),
        ("update", "{here}", "--valid-from", "never"),
        ("show", "5"),
    ],
)
def test_messages_name_no_call_keyword_or_value_of_python(
    run: Run, remembered: Remember, arguments: tuple[str, ...]
) -> None:
    """No call, no keyword and no value of Python stands in what a person reads."""
    ids = {"here": remembered("here"), "gone": remembered("old question")}
    run("forget", ids["gone"])
    told = run(*(text.format(**ids) for text in arguments))
    assert told.out + told.err
    assert not PYTHON.search(told.out + told.err)


def test_missing_global_store_names_the_command_that_makes_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that is advised makes the file that was missing."""
    monkeypatch.setenv("MEMKIT_GLOBAL", str(tmp_path / "g.db"))
    assert "create it with 'memkit --global init'" in run("--global", "recall", "x").err
    assert "create it with 'memkit --global init'" in run("--global", "list").err
    assert "create it with 'memkit --db o.db init'" in run("--db", "o.db", "list").err
    assert "create it with 'memkit init'" in run("list").err
    assert run("--global", "init").code == 0
    assert run("--global", "recall", "x").code == 0


def test_missing_memory_names_the_file_that_was_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that was asked is named, not the global one that was looked into as well."""
    monkeypatch.setenv("MEMKIT_GLOBAL", str(tmp_path / "g.db"))
    run("--global", "remember", "x", "--scope", "global")
    run("remember", "y")
    assert "no memory 5 in .memkit.db" in run("show", "5").err


def test_forgetting_again_says_when_and_why_it_was_forgotten(
    run: Run, remembered: Remember
) -> None:
    """What was forgotten before is named, with the reason of then."""
    one, two = remembered("one"), remembered("two")
    run("forget", one, "--reason", "wrong")
    again = run("forget", one, two)
    assert again.code == 0
    assert again.out.count(f"forgotten: {two}")
    assert f"{one} was not active any more: forgotten: wrong" in again.err


def test_a_query_needed_parameters_that_stand_for_any(run: Run, remembered: Remember) -> None:
    """What is not given is null where the query allows it; the list and the help say where."""
    remembered("one")
    listed = {row["name"]: row for row in run("sql", "--json").json}
    name, row = next((name, row) for name, row in listed.items() if "[" in row["parameters"])
    needed = [part for part in row["parameters"].split(", ") if not part.startswith("[")]
    assert run("sql", name, *(f"{part}=1" for part in needed)).code == 0
    assert "takes" in run("sql", name, "nonsense=1").err
    assert "[param]" in (sql.__doc__ or "")


@pytest.mark.parametrize("is_mounted_so", [False, True], ids=["permissions", "mount"])
def test_read_only_place_names_the_full_path_and_a_copy(
    run: Run,
    remembered: Remember,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_mounted_so: bool,
) -> None:
    """The next step names both paths in full, and a copy where no permission helps."""
    remembered("one")
    monkeypatch.setattr("memkit.cli.store_commands.os.access", lambda path, mode: False)
    monkeypatch.setattr(
        "memkit.cli.store_commands.is_mounted_read_only", lambda folder: is_mounted_so
    )
    found = {one["name"]: one for one in run("doctor", "--json").json}
    step = found["permissions"]["next_step"]
    if is_mounted_so:
        assert step.endswith(f"copy {folder / '.memkit.db'} elsewhere and give --db")
    else:
        assert step == f"chmod u+w {folder} {folder / '.memkit.db'}"


def test_wrong_value_is_said_in_one_sentence(run: Run) -> None:
    """What is wrong and where to read more are one sentence."""
    assert run("show", "abc").err.endswith("as 'memkit list' shows it; see 'memkit show --help'\n")


def test_error_of_an_option_masks_a_secret(run: Run) -> None:
    """What click says of a wrong option does not repeat a secret in it."""
    key = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
    done = run("recall", "x", f"--{key}")
    assert done.code == 2
    assert key not in done.out + done.err


@pytest.mark.parametrize("form", ["{}", "#{}", " {} ", "{},", "{}.", "[{}]", "(#{})", "memory {}:"])
def test_id_is_read_with_the_signs_around_it(
    run: Run, remembered: Callable[..., str], form: str
) -> None:
    """An id is read as it stands in answers and in what people write of them."""
    number = remembered("The kiln is fired on Fridays")
    assert run("show", form.format(number), "--json").json[0]["id"] == int(number)


@pytest.mark.parametrize("form", ["１２３", "12_3", "1e5", "6b0ae2903d7e0", "+12", "1.5", "9" * 30])
def test_invalid_id_says_where_ids_are_shown(run: Run, form: str) -> None:
    """Digits of other scripts, signs and letters are no id."""
    run("init")
    refused = run("show", form)
    assert refused.code == 2
    assert "is no id; give a number as 'memkit list' shows it" in refused.err


def test_shortened_or_purged_id_is_explained(run: Run, remembered: Callable[..., str]) -> None:
    """The error names the memory that begins so, or when the memory was purged."""
    number = remembered("The kiln is fired on Fridays")
    for typed in (number[:-3], number + "1"):
        assert f"did you mean {number}?" in run("show", typed).err
    assert "see 'memkit list'" in run("show", "77").err
    assert run("purge", number, "--yes").code == 0
    assert f"no memory {number} in .memkit.db; it was purged at 2" in run("show", number).err


def test_several_words_without_quotes_are_explained(run: Run) -> None:
    """Who forgets the quotes is told of them."""
    for words in (("remember", "two", "words"), ("recall", "what", "did", "we", "decide")):
        done = run(*words)
        assert done.code == 2
        assert "; put several words in quotes; see 'memkit " in done.err


@pytest.mark.parametrize(
    "text", ["- a point of a list", "-f overwrites the file", "--dry-run: never", "-3 degrees"]
)
def test_text_that_begins_with_a_dash_is_explained(run: Run, text: str) -> None:
    """What cannot be an option is a text; how it is given works."""
    for command in ("remember", "recall"):
        refused = run(command, text)
        assert refused.code == 2
        assert "; put -- before a text that begins with a dash; see 'memkit " in refused.err
    assert run("remember", "--", text).code == 0
    assert text in run("recall", "--", text).out
    assert "put --" not in run("remember", "--nonsense").err


def test_mistyped_command_is_told_what_is_near(run: Run) -> None:
    """As git does; what is like nothing is only refused."""
    told = run("remeber", "x").err
    assert (
        told == "memkit: No such command 'remeber'; did you mean remember?; see 'memkit --help'\n"
    )
    assert "did you mean callers or callees?" in run("caller", "x").err
    assert run("qqq").err == "memkit: No such command 'qqq'; see 'memkit --help'\n"


def test_side_that_is_kept_may_be_named_by_its_id(run: Run, remembered: Callable[..., str]) -> None:
    """By A, B or its number; another number is refused with those there are."""
    for side in (0, 1):
        pair = [remembered(f"The ferry of {side} leaves at {hour}") for hour in (7, 9)]
        refused = run("resolve", *pair, "--keep", "17")
        assert refused.err.startswith("memkit: --keep: found '17', expected A, B, both, merged, ")
        assert pair[side] in refused.err
        assert run("resolve", *pair, "--keep", pair[side]).code == 0
        assert f"superseded_by: {pair[side]}" in run("show", pair[1 - side]).out


def test_next_step_of_what_went_stale_and_of_what_was_joined(
    run: Run, folder: Path, remembered: Callable[..., str]
) -> None:
    """The command that mends an anchor is named, and it does; what was joined is to be compared."""
    (folder / "weir.py").write_text("def weir():\n    return 1\n")
    run("index")
    number = remembered("The weir is opened by hand", "--about", "weir.py")
    (folder / "weir.py").rename(folder / "sluice.py")
    assert "memkit update ID --about PLACE says where" in run("stale").err
    assert run("update", number, "--about", "sluice.py").code == 0
    assert "--about" not in run("stale").err
    run("remember", "The weir is never opened by hand", "--db", "other.db")
    assert "next: memkit contradictions --scan" in run("import", "other.db").err
    assert "next:" not in run("import", "other.db").err


def test_store_of_the_main_worktree_is_named_in_another(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that git ignores lies in one worktree alone; the path that is named opens it."""
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder))
    store, other = folder / ".memkit.db", tmp_path / "side"
    for words in (("init", "-q"), ("commit", "-qm", "x", "--allow-empty")):
        subprocess.run([*git, *words], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(other)], check=True)
    monkeypatch.chdir(other)
    assert run("recall", "x").err.endswith("create it with 'memkit init'\n")
    assert run("remember", "The lock is shut at night", "--db", str(store)).code == 0
    told = run("recall", "lock").err
    assert f", or use that of the main worktree: MEMKIT_DB={store}" in told
    monkeypatch.setenv("MEMKIT_DB", told.rpartition("MEMKIT_DB=")[2].strip())
    assert "The lock is shut at night" in run("recall", "lock shut").out


def test_help_called_values_by_inner_names(run: Run) -> None:
    """What an option takes is called by a word."""
    assert "--language LANGUAGE " in run("index", "--help").out
    assert "--wait SECONDS " in run("record", "--help").out
    assert "--limit COUNT " in run("list", "--help").out


def test_standard_input_that_is_not_utf8_is_refused_by_byte(run: Run) -> None:
    """What is to be kept is refused, naming the byte; UTF-16 with its mark is read."""
    said = "memkit: standard input: byte 4 (0xe9) is not UTF-8; give text in UTF-8"
    done = run("remember", "-", stdin="caf\u00e9 au lait".encode("latin-1"))
    assert (done.code, done.out, done.err[: len(said)]) == (2, "", said)
    number = run("remember", "-", "--json", stdin="caf\u00e9".encode("utf-16")).json["memory"]["id"]
    assert run("update", str(number), "-", stdin=b"\xff").code == 2
    assert "caf\u00e9" in run("show", str(number)).out


def test_first_statement_says_that_it_makes_a_store(run: Run, folder: Path) -> None:
    """The first statement in a folder without a store says that it makes one, and where; init was
    asked for one, and what is there is not made."""
    said = f"{folder / '.memkit.db'} was not there: it is made"
    assert said in run("remember", "one").err
    assert "was not there" not in run("remember", "two").err
    (folder / ".memkit.db").unlink()
    assert "was not there" not in run("init").err


def test_the_verdict_of_why_ran_into_its_reason(run: Run, remembered: Remember) -> None:
    """The verdict and its reason are two things."""
    number = remembered("Bake bread at dawn.")
    assert f"{number} does not come back (floor): memory" in run("explain", "zebra", number).out


def test_a_wrong_argument_is_named(run: Run) -> None:
    """By its name, not by all the values that it may have; these follow."""
    assert run("install", "emacs").err.startswith("memkit: Invalid value for 'AGENTS': 'emacs'")
    assert "'ACTION': 'burn'" in run("session", "burn", "x").err


def test_a_number_beyond_any_is_named_as_it_was_given(run: Run) -> None:
    """A limit that no file has rows for is no fault inside."""
    told = run("list", "--limit", "99999999999999999999")
    assert told.code == 2
    assert "99999999999999999999 is too far" in told.err


def test_a_method_that_is_an_option_is_told_as_one(run: Run) -> None:
    """Who knows the library finds the command; and what is told runs."""
    assert "that is 'memkit symbol NAME --members'" in run("members", "Crane").err
    for usage in main._METHODS.values():
        command, *options = usage.split()
        assert command in commands.COMMANDS
        flags = {option for option in options if option.startswith("--")}
        assert all(flag in run(command, "--help").out for flag in flags)
