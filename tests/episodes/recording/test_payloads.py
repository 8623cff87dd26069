"""What is kept of an output: little, but what tells; and how a failure is told and recognised."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.episodes import error_signatures
from memkit.episodes.recording import normalizer, payloads
from memkit.episodes.recording.writer import SESSION_OUTPUTS
from memkit.episodes.records import FileOperation, Intent, OutputType
from memkit.redaction.redactor import CLOSE, OPEN, disarmed, strip_rendered
from memkit.text.analyzer import words_of
from tests.tables import each_row

MOST = payloads.FAILED_HEAD + payloads.FAILED_TAIL + payloads.FAILED_ERRORS


def test_a_picture_is_known_and_not_kept() -> None:
    """Base64 is told by its look, with or without a data URL; size, hash and type remain."""
    encoded = base64.b64encode(b"".join(sha256(bytes([n])).digest() for n in range(250))).decode()
    for text in ("data:image/png;base64," + "iVBORw0KGgo" * 280_000, encoded):
        found = payloads.preview(text, failed=False)
        assert found is not None
        assert (found.text, found.output_type) == (None, OutputType.BASE64)
        assert found.original_bytes == len(text)


@pytest.mark.parametrize(
    "text", ["x" * 5000, "-" * 3000, "acgt" * 900, "Step1Done" * 200, "0123456789abcdef" * 300]
)
def test_repeated_letters_are_no_base64(text: str) -> None:
    """A rule, a sequence or a word said again and again is text, however long its line."""
    found = payloads.preview(text, failed=False)
    assert found is not None
    assert found.output_type is OutputType.TEXT
    assert found.text is not None


def test_bytes_that_are_no_text_are_not_kept() -> None:
    """Bytes that are text are text."""
    binary = payloads.preview(bytes(range(256)) * 4000, failed=False)
    assert binary is not None
    assert (binary.text, binary.output_type) == (None, OutputType.BINARY)
    assert binary.original_bytes == 1_024_000
    text = payloads.preview("größer".encode(), failed=False)
    assert text is not None
    assert (text.text, text.original_bytes) == ("größer", 8)


def test_the_error_at_the_end_of_a_large_log_is_kept() -> None:
    """The last line of 10 MB of output is there, and the cut says how much is missing."""
    log = "compiling module number 4711 without any trouble\n" * 200_000 + "FATAL: port 5544 in use"
    found = payloads.preview(log, failed=False)
    assert found is not None
    assert found.original_bytes == len(log)
    assert str(found.text).endswith("FATAL: port 5544 in use")
    assert "characters" in str(found.text)
    assert len(str(found.text)) < MOST


@pytest.mark.parametrize("failed", [True, False])
def test_an_error_in_the_middle_is_kept(failed: bool) -> None:
    """The only telling line of a build log stays, between marked cuts."""
    lines = ["gcc -O2 -c module.c -o module.o"] * 1200
    lines[1150] = "main.c:(.text+0x1f): undefined reference to `foo_init'"
    found = payloads.preview("\n".join(lines), failed=failed)
    assert found is not None
    assert "undefined reference to `foo_init'" in str(found.text)
    assert "[… 3" in str(found.text)
    assert str(found.text).startswith("gcc")


def test_structured_results_are_json() -> None:
    """Anything that JSON can hold is shortened as its text; what it cannot hold is no error."""
    found = payloads.preview({"rows": [1, 2]}, failed=False)
    assert found is not None
    assert (found.text, found.output_type) == ('{"rows": [1, 2]}', OutputType.JSON)
    assert payloads.preview(object(), failed=False) is not None
    assert payloads.preview("", failed=False) is None


@given(st.text(), st.booleans())
def test_nothing_kept_is_larger_than_its_bound(text: str, failed: bool) -> None:
    """Any text, repeated until it is long, is cut to the bound, a few marks apart."""
    found = payloads.preview(text * 3000, failed=failed)
    if found is not None and found.text is not None:
        assert len(found.text) <= MOST + payloads.LINE + 200


@given(st.text(max_size=200))
def test_a_short_text_is_kept_whole(text: str) -> None:
    """What is short enough is not touched, but for what cannot be stored."""
    found = payloads.preview(text, failed=True)
    if found is not None and found.text is not None and not found.redacted:
        assert found.text == memkit.redaction.clean_text(text)


@pytest.mark.no_cover
def test_many_large_outputs_leave_a_small_file(kit: memkit.Memkit) -> None:
    """A hundred outputs of 200 kB leave less than 2 MB, the first ones and errors in full."""
    line = "everything is in the best of order, thank you for asking, number {}\n"
    with kit.session("s") as session:
        for number in range(100):
            session.tool("Bash", output=line.format(number) * 3000, success=number % 2 == 0)
        kept = kit._store.value("episodes.output_chars", session_id="s")
        assert kept < SESSION_OUTPUTS + MOST
    assert kit.path.stat().st_size < 2_000_000


def test_a_session_that_said_enough_keeps_ends_of_failures(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the session's bound a failure keeps its last words and a success nothing."""
    monkeypatch.setattr("memkit.episodes.recording.writer.SESSION_OUTPUTS", 100)
    with kit.session("s") as session:
        session.tool("Bash", output="x y " * 100, success=True)
        session.tool("Bash", output="a b " * 100, success=True)
        session.tool("Bash", output="c d " * 100 + "Error: late", success=False)
    last, second, first = kit.episodes.tool_executions()
    assert first.output
    assert second.output is None
    assert str(last.output).endswith("Error: late")
    assert len(str(last.output)) < 250


# -- failures


TRACEBACK = """Traceback (most recent call last):
  File "/home/x/proj/app.py", line 31, in <module>
    main()
  File "/home/x/proj/app.py", line 12, in main
    raise KeyError(user)
KeyError: 'user_4711'
"""


@each_row(
    "output, failed",
    [
        (TRACEBACK, True),
        ("some line\nTypeError: unsupported operand", True),
        ("bash: line 1: frobnicate: command not found", True),
        ("sed: a/b.ts: No such file or directory", True),
        ("ERROR:\nThe `view_range` parameter is not allowed", True),
        ("<tool_use_error>String to replace not found", True),
        ("==== 2 failed, 7 passed in 0.3s ====", True),
        ("FAILED tests/test_a.py::test_b - AssertionError", True),
        ("npm ERR! missing script: lint", True),
        ("==== 9 passed in 0.3s ====", False),
        ("3 files changed, no errors", False),
        ("def test_error_handling(): pass", False),
        ("", False),
    ],
)
def test_a_failure_is_told_from_the_output(output: str, failed: bool) -> None:
    """Agents seldom say that a command failed."""
    assert error_signatures.looks_failed(output, is_command=True) is failed


def test_only_commands_fail_by_what_they_print() -> None:
    """A file that holds a traceback was read with success."""
    assert not error_signatures.looks_failed("x\n" + TRACEBACK, is_command=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TRACEBACK, TRACEBACK.replace("/home/x/proj", "/srv/y").replace("31", "77")),
        (
            "connect to 0x7ffdeadbeef failed: timeout after 30s",
            "connect to 0x7ff000000001 failed: timeout after 30s",
        ),
        ("Error: /tmp/a1/b.js not found", "Error: /var/b.js not found"),
        ("TimeoutError: no answer from http://a:80/x", "TimeoutError: no answer from http://b"),
        ("AssertionError: 401 != 200", "AssertionError: 500 != 200"),
    ],
)
def test_the_same_fault_has_the_same_signature(one: str, other: str) -> None:
    """Numbers, addresses, folders, hosts and line numbers do not count."""
    assert error_signatures.signature(one) == error_signatures.signature(other) != ""


def test_other_faults_have_other_signatures() -> None:
    """Type and message count."""
    texts = ["KeyError: 'a'", "KeyError: 'b'", "ValueError: 'a'", "Error: a.js", "Error: b.js"]
    assert len({error_signatures.signature(text) for text in texts}) == len(texts)


@given(st.text(max_size=500))
def test_a_signature_is_its_own_signature(text: str) -> None:
    """Whatever is asked for by a signature is found by it."""
    found = error_signatures.signature(text)
    assert len(found) <= error_signatures.MAX_CHARS
    assert "\n" not in found


def test_the_same_call_is_known_in_other_clothes() -> None:
    """Folders, redirections and paging around a command do not count; the file of a tool does."""
    same = error_signatures.same_call
    plain = same("Bash", {"command": "pytest -q tests"})
    assert same("Bash", {"command": "cd /x && pytest  -q tests 2>&1 | tail -5"}) == plain
    assert same("shell", {"command": ["bash", "-lc", "pytest -q tests"]}) == plain
    assert same("Bash", {"command": "pytest -q"}) != plain
    view: dict[str, Any] = {"command": "view", "path": "a.py", "view_range": [1, 2]}
    assert same("e", view) == same("e", {"command": "view", "path": "a.py"})
    assert same("e", view) != same("e", {"command": "view", "path": "b.py"})
    assert same("g", {"q": 1, "timeout": 3}) == same("g", {"q": 1}) != same("g", {"q": 2})


# -- intent, words, marks


@pytest.mark.parametrize(
    ("text", "operations", "wanted"),
    [
        ("Fix the flaky login test", {}, Intent.PROJECT_FIXING),
        ("login crashes with a KeyError", {FileOperation.EDIT: 1}, Intent.PROJECT_FIXING),
        ("Add a retry to the client", {}, Intent.CODE_WRITING),
        ("Explain how the parser works", {}, Intent.CODE_READING),
        ("Explain how the parser works", {FileOperation.EDIT: 2}, Intent.CODE_WRITING),
        ("Where is the configuration read?", {}, Intent.PROJECT_EXPLORATION),
        ("quokka", {FileOperation.READ: 1}, Intent.CODE_READING),
        ("quokka", {FileOperation.SEARCH: 5}, Intent.PROJECT_EXPLORATION),
        ("quokka", {}, None),
    ],
)
def test_intent_is_told_from_words_and_deeds(
    text: str, operations: dict[str, int], wanted: Intent | None
) -> None:
    """Words decide; whoever changes files does not only look; deeds decide where words do not."""
    assert normalizer.infer(text, operations) is wanted


def test_words_are_compared_by_their_stems() -> None:
    """Identifiers fall into parts, endings go, scripts without spaces are taken in pairs."""
    assert words_of("parseHTTPHeaders in http_client.py") == [
        "pars", "http", "head", "http", "client", "py",
    ]  # fmt: skip
    assert words_of("서버를 재시작") == ["서버", "버를", "재시", "시작"]
    assert words_of("3月までにAPIを") == ["3", "月ま", "まで", "でに", "api", "を"]
    assert words_of("failing tests") == words_of("failed test")
    assert words_of("東京の夜") == ["東京", "京の", "の夜"]


@given(st.text(), st.text())
def test_stripping_leaves_no_mark(before: str, after: str) -> None:
    """Whatever stands around a block, no mark is left, and stripping again changes nothing."""
    block = f"{OPEN} v=1>\nlore\n{CLOSE}"
    found = strip_rendered(f"{before}\n{block}\n{after}")
    assert CLOSE not in found
    assert strip_rendered(found) == found
    assert strip_rendered(block) == ""


def test_stored_text_never_poses_as_a_mark() -> None:
    """Inside a block marks are disarmed, and everything else stays as it is."""
    text = f"a {OPEN}> b {CLOSE} c"
    assert OPEN not in disarmed(text)
    assert CLOSE not in disarmed(text)
    assert json.dumps(disarmed("plain")) == '"plain"'


@pytest.mark.parametrize("mark", ["</MEMKIT-CONTEXT>", "< /memkit-context >", "<Memkit-Context>"])
def test_marker_in_any_spelling_is_removed_from_a_block(mark: str) -> None:
    """What a model may take for a mark is none inside a block."""
    assert disarmed(f"x < y {mark} z") == f"x < y {mark.replace('<', '‹')} z"


# -- parameters and results


def test_parameters_are_bounded(kit: memkit.Memkit) -> None:
    """Long texts, many keys, deep nesting and odd values leave a small JSON object."""
    deep: Any = "bottom"
    for _ in range(50):
        deep = {"in": deep}
    with kit.session("s") as session:
        session.tool("T", {"query": "x" * 5000, "limit": 3, "deep": deep, "odd": object()})
        session.tool("T", {f"key{n}": "word " * 40 for n in range(60)})
        session.tool("T", {"old_string": "a " * 400, "new_string": "short", "edits": [{"x": 1.5}]})
        session.tool("T", "no mapping")  # type: ignore[arg-type]
        session.tool("T", {"data": {"rows": list(range(100))}}, result={"rows": ["r" * 400] * 20})
    last, bare, edit, many, long = kit.episodes.tool_executions()
    assert str(long.parameters["query"]).endswith("[… 4,700 characters]")
    assert (long.parameters["limit"], "bottom" in str(long.parameters)) == (3, False)
    assert len(json.dumps(many.parameters)) < 1500
    assert str(edit.parameters["old_string"]).endswith("[… 700 characters]")
    assert (edit.parameters["new_string"], edit.parameters["edits"]) == ("short", [{"x": 1.5}])
    assert bare.parameters == {"value": "no mapping"}
    assert len(last.parameters["data"]["rows"]) == 20
    assert last.result.keys() == {"characters"}


def test_parameters_named_the_folder_of_the_machine(kit: memkit.Memkit) -> None:
    """Whole paths below the root are stored relative to it, wherever in the parameters or the
    result they stand; what only looks like the root is left, and the same call is the same."""
    root = str(kit.path.parent)
    given = {
        "file_path": f"{root}/src/x.py",
        "cwd": root,
        "paths": [f"{root}/a.py", {"at": f"file://{root}/b.py:3"}],
        "command": f"cd {root}/ && gcc -I{root}/include '{root}/c d.c' {root}-2/e /mnt{root}/f",
        "query": f"in {root}.",
    }
    kit.session("s").tool("T", given, success=True, result={"filePath": f"{root}/src/x.py"})
    (call,) = kit.episodes.tool_executions()
    assert call.parameters == {
        "file_path": "src/x.py",
        "cwd": ".",
        "paths": ["a.py", {"at": "file://b.py:3"}],
        "command": f"cd ./ && gcc -Iinclude 'c d.c' {root}-2/e /mnt{root}/f",
        "query": "in ..",
    }
    assert call.result == {"filePath": "src/x.py"}
    task = kit.session("s")
    task.tool("Grep", {"pattern": "x", "path": f"{root}/src"}, success=True)
    assert kit.episodes.redundant_call("s", "Grep", {"pattern": "x", "path": "src"}) is not None
    assert (
        kit.episodes.redundant_call("s", "Grep", {"pattern": "x", "path": f"{root}/src"})
        is not None
    )


def test_what_a_command_printed_in_parts_is_one_text(kit: memkit.Memkit) -> None:
    """Standard output and standard error, as some hooks give them; bytes are looked at too."""
    with kit.session("s") as session:
        parts = {"stdout": "1 failed", "stderr": "KeyError: 'x'", "interrupted": False}
        session.tool("Bash", {"command": "pytest"}, output=parts)
        session.tool("Bash", {"command": "pytest"}, output=b"ValueError: y")
    second, first = kit.episodes.tool_executions()
    assert (first.output, first.success, first.error) == (
        "1 failed\nKeyError: 'x'",
        False,
        "KeyError: 'x'",
    )
    assert (second.success, second.error_signature) == (False, "ValueError: y")


def test_a_message_is_enough_for_a_failure(kit: memkit.Memkit) -> None:
    """An error or an exit code says that a call failed; what was said outright counts more."""
    with kit.session("s") as session:
        session.tool("T", error="it broke at 12:30")
        session.tool("T", exit_code=3)
        session.tool("T", exit_code=1, success=True)
    found = [(c.success, c.error_signature) for c in reversed(kit.episodes.tool_executions())]
    assert found == [(False, "it broke at <n>:<n>"), (False, None), (True, None)]


@pytest.mark.parametrize("before", [100, 60_000])
@pytest.mark.parametrize("after", [5_000, 300_000])
def test_a_fault_in_the_midst_of_a_failed_output_is_its_error(
    kit: memkit.Memkit, before: int, after: int
) -> None:
    """Wherever it stands, it is kept and found, and the rest of some megabytes is not."""
    told = "E   AssertionError: expected 5 got 6\n"
    output = "collected one more test of many\n" * before + told + "tear-down done\n" * after
    with kit.session() as session:
        session.tool("pytest", {"args": ["-x"]}, success=False, output=output)
    (call,) = kit.episodes.tool_executions()
    assert call.error == "AssertionError: expected 5 got 6"
    assert call.output is not None
    assert told.strip() in call.output
    assert len(call.output) < MOST
    assert kit.episodes.find_errors("AssertionError: expected 7 got 8")[0].count == 1
