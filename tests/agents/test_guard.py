"""The guard warns of what is about to be done, says why, and is silent about all else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memkit
from memkit.agents.guard import call_of
from memkit.cli.main import main
from tests.conftest import Clock

OTHERS = [f"harbour crane {n} lifts {n * 3} tons of steel at quay {n % 7}" for n in range(25)]


def forbid(kit: memkit.Memkit, text: str, *patterns: str, **more: object) -> int:
    """Remember a prohibition and return its id."""
    return kit.memories.remember(text, kind="negative", trigger_patterns=patterns, **more).id


def told(kit: memkit.Memkit, tool: str, input: object, **more: str) -> list[str]:
    """Return the texts of the warnings of a call."""
    return [warning.text for warning in kit.guard(tool, input, **more).warnings]  # type: ignore[arg-type]


@pytest.fixture
def quay(kit: memkit.Memkit) -> memkit.Memkit:
    """A store full of what is of no concern."""
    kit.memories.remember_many(OTHERS)
    return kit


# -- patterns


@pytest.mark.parametrize(
    ("pattern", "tool", "input", "goes_off"),
    [
        ("git push --force", "Bash", "git push --force origin main", True),
        ("git push --force", "Bash", "git push origin main --force", True),
        ("git push --force", "Bash", "cd app && GIT_TRACE=1 git push -q --force", True),
        ("git push --force", "Bash", "git push --force-with-lease origin main", False),
        ("git push --force", "Bash", "git push origin main", False),
        ("git tag v", "Bash", "git tag -a v1.2", True),
        ("kubectl edit", "Bash", "EDITOR='sed -i x' kubectl -n quay edit crane", True),
        ("kubectl edit", "Bash", "kubectl get crane -o yaml | less", False),
        ("arena_alloc(", "Edit", {"file_path": "a.c", "new_string": "b = arena_alloc(4);"}, True),
        ("arena_alloc", "Bash", "grep -rn arena_alloc src/", False),
        ("migrations/*.sql", "Edit", {"file_path": "migrations/7.sql", "new_string": "x"}, True),
        ("migrations/*.sql", "Edit", {"file_path": "docs/7.sql", "new_string": "x"}, False),
        ("rm *", "Bash", "find . -name '*.meta' | wc -l", False),
    ],
)
def test_a_pattern_goes_off_by_what_it_means(
    quay: memkit.Memkit, pattern: str, tool: str, input: object, goes_off: bool
) -> None:
    """As a text, as a glob of paths, as the shape of a command; nothing by what only looks."""
    forbid(quay, "This was a disaster the last time.", pattern)
    result = quay.guard(tool, input)  # type: ignore[arg-type]
    assert bool(result) is goes_off
    if goes_off:
        assert result.decision == "warn"
        assert result.warnings[0].trigger == pattern
        assert result.warnings[0].reason == f"trigger: {pattern}"


@pytest.mark.parametrize(
    ("command", "goes_off"),
    [
        ("git commit -m 'do not git push --force'", False),
        ('git commit -m "first; git push --force is for nobody" && git push', False),
        ("git commit -m 'don'\\''t git push --force'", False),
        ("gh pr create --title 'Stop git push --force' --body \"no git push --force\"", False),
        ("printf 'no git push --force' >> notes.md", False),
        ("# no git push --force\ngit fetch --prune && git merge", False),
        ("git commit -m \"$(cat <<'EOF'\nStop git push --force\nEOF\n)\"", False),
        ("git commit -m 'x' && git push --force", True),
        ('git commit -m "it\'s bad" && git push --force && echo "it\'s"', True),
        ('git commit -m "$(git push --force)"', True),
        ("bash -c 'cd docs && git push origin --force'", True),
        ("ssh host 'git push --force'", True),
        ('docker exec box sh -c "git push --force"', True),
        ("printf 'git push --force' | sh", True),
        ("bash <<< 'git push --force'", True),
        ("cat <<EOF > deploy.sh\ngit push --force\nEOF", True),
        ('eval "git push --force"', True),
        ("alias gp='git push --force'", True),
        ('git push "--force"', True),
    ],
)
def test_what_a_command_only_says_is_no_command(
    kit: memkit.Memkit, command: str, goes_off: bool
) -> None:
    """A quoted argument of a program that does not run it is none, nor is a comment."""
    text = "Nobody rewrites the branch that deploys."
    forbid(kit, text, "git push --force", tags=["guard:deny"])
    assert bool(kit.guard("Bash", {"command": command})) is goes_off


def test_a_pattern_of_words_holds_in_what_is_said(kit: memkit.Memkit) -> None:
    """One that is no command may be about a message, or about what a database is given."""
    forbid(kit, "Commits name no robots.", "Signed-by: robot")
    forbid(kit, "Nobody drops a table by hand.", "drop table")
    assert told(kit, "Bash", {"command": "git commit -m 'Fix it. Signed-by: robot 7'"})
    assert told(kit, "Bash", {"command": "psql prod --command 'DROP TABLE carts'"})


def test_a_line_that_stays_is_not_written(quay: memkit.Memkit) -> None:
    """What an edit leaves as it was is not about to be done; what it adds is."""
    text = "No crane_unlock() in handlers."
    forbid(quay, text, "crane_unlock(")
    stays = {
        "file_path": "a.c",
        "old_string": "crane_unlock();\nx",
        "new_string": "crane_unlock();\ny",
    }
    assert told(quay, "Edit", stays) == []
    assert told(quay, "Edit", {**stays, "old_string": "x"}) == [text]
    edits = {"path": "a.c", "edits": [{"old_string": "x", "new_string": "crane_unlock();"}]}
    assert told(quay, "MultiEdit", edits) == [text]
    patch = "*** Begin Patch\n*** Update File: a.c\n-x\n+crane_unlock();\n*** End Patch"
    assert told(quay, "apply_patch", {"patch": patch}) == [text]


def test_another_target_folder_or_exception_is_fine(quay: memkit.Memkit) -> None:
    """Where the memory itself says for what it holds, it is silent about all else."""
    forbid(quay, "No --rebuild-all on quay_events, it takes nine hours", "--rebuild-all")
    forbid(quay, "Nothing random under src/sim/", "rand(")
    forbid(quay, "No scrape_step under 30s. Only the burst-probe job may.", "scrape_step")
    assert told(quay, "Bash", "loader run --rebuild-all --select quay_events")
    assert not told(quay, "Bash", "loader run --rebuild-all --select dim_berth")
    assert told(quay, "Write", {"file_path": "src/sim/storm.c", "content": "x = rand();"})
    assert not told(quay, "Write", {"file_path": "src/fx/spark.c", "content": "x = rand();"})
    assert told(quay, "Write", {"file_path": "m.yaml", "content": "job: kubelet\nscrape_step: 5"})
    assert not told(
        quay, "Write", {"file_path": "m.yaml", "content": "job: burst-probe\nscrape_step: 5"}
    )


# -- without patterns


def test_words_and_places_of_a_prohibition_are_enough(quay: memkit.Memkit) -> None:
    """The operation and its target, the file that it names or is about; not half of it."""
    rule = forbid(quay, "Never push to main directly")
    place = forbid(quay, "Hands off src/wire/frames_gen.c, it is generated")
    about = forbid(quay, "Nobody virtualizes this view again.", about="app/thread.tsx")
    result = quay.guard("Bash", "git push --force origin main")
    assert [warning.memory_id for warning in result.warnings] == [rule]
    assert result.warnings[0].reason == "both name: main, push"
    assert not quay.guard("Bash", "git push origin feature/quay")
    edit = {"new_string": "overscan: 6"}
    for path, memory_id in (("src/wire/frames_gen.c", place), ("app/thread.tsx", about)):
        (warning,) = quay.guard("Edit", {"file_path": path, **edit}).warnings
        assert (warning.memory_id, warning.trigger) == (memory_id, path)
    assert not quay.guard("Edit", {"file_path": "src/wire/frames.c", **edit})


@pytest.mark.parametrize(
    ("text", "command", "trigger"),
    [
        ("Do not use npm here, we use pnpm.", "npm install left-pad", "npm"),
        ("Do not use npm here, we use pnpm.", "pnpm install left-pad", None),
        ("Avoid docker compose, take podman.", "docker compose up -d", "docker compose"),
        ("Avoid docker compose, take podman.", "docker build .", None),
        ("Never use `pip install`; use uv.", "pip install x", "pip install"),
        ("Never use `pip install`; use uv.", "uv pip install x", None),
        ("Never skip the hooks (--no-verify).", "git commit --no-verify -m x", "--no-verify"),
        ("Never skip the hooks (--no-verify).", "git commit -m x", None),
    ],
)
def test_the_command_that_a_prohibition_names_is_its_pattern(
    quay: memkit.Memkit, text: str, command: str, trigger: str | None
) -> None:
    """Without patterns of its own: a program, alone or with its words, or a long option; what is
    named beside is what to use instead."""
    forbid(quay, text)
    assert [w.trigger for w in quay.guard("Bash", command).warnings] == ([trigger] * bool(trigger))


CODE = {"file_path": "quay/crane.py", "old_string": "a"}


@pytest.mark.parametrize(
    ("text", "tool", "input", "warns"),
    [
        ("Never run mypy directly, use scripts/check.", "Bash", "mypy quay", True),
        ("Niemals npm verwenden, immer pnpm.", "Bash", "npm install", True),
        ("Don't use axios, take fetch.", "Bash", "npm install axios", True),
        ("Don't use axios, take fetch.", "Bash", "npm install", False),
        ("Don't use axios, take fetch.", "Edit", CODE | {"new_string": "import axios"}, True),
        ("Don't use axios, take fetch.", "Edit", CODE | {"new_string": "# as axios did"}, False),
        ("No print() in the library.", "Edit", CODE | {"new_string": "print(load)"}, True),
        ("No print() in the library.", "Edit", CODE | {"new_string": "log.info(load)"}, False),
        ("Never call time.sleep here.", "Edit", CODE | {"new_string": "time.sleep(3)"}, True),
        ("Never call time.sleep here.", "Bash", "git commit -m 'Never call time.sleep'", False),
        ("Never touch docs/img by hand.", "Edit", CODE | {"file_path": "docs/img/a.svg"}, True),
        ("Never touch docs/img by hand.", "Edit", CODE | {"file_path": "docs/a.md"}, False),
        ("Never edit quay/tide.py by hand.", "Bash", "sed -i s/a/b/ quay/tide.py", True),
        ("Never edit quay/tide.py by hand.", "Bash", "echo x > quay/tide.py", True),
        ("Never edit quay/tide.py by hand.", "Bash", "git mv quay/tide.py quay/sea.py", True),
        ("Never edit quay/tide.py by hand.", "Bash", "pytest quay/tide.py", False),
        ("Never force-push to main.", "Bash", "git push -f origin main", True),
        ("Never force-push to main.", "Bash", "git push origin main", False),
    ],
)
def test_what_a_prohibition_names_is_met_where_it_is_done(
    quay: memkit.Memkit, text: str, tool: str, input: object, warns: bool
) -> None:
    """A program, a package, a name in code, a folder, a file that a command changes; both halves
    of a compound."""
    forbid(quay, text)
    assert told(quay, tool, input) == [text] * warns


def test_a_prohibition_told_without_a_kind_warns(quay: memkit.Memkit) -> None:
    """It is stored as a fact, as whatever is said; how it begins tells what it is."""
    quay.memories.remember("Never use npm here, we use pnpm.")
    quay.memories.remember("The wheels of the quay are built by pip.")
    assert told(quay, "Bash", "npm install x") == ["Never use npm here, we use pnpm."]
    assert not told(quay, "Bash", "pip install x")


def test_what_others_must_not_do_is_no_prohibition_of_a_command(quay: memkit.Memkit) -> None:
    """Its subject says for whom it holds."""
    forbid(quay, "Build scripts must not call git, tarballs have none.")
    assert not told(quay, "Bash", "git checkout -b wheels")


def test_removing_is_what_rm_does(quay: memkit.Memkit) -> None:
    """A prohibition says in words what a program of two letters does."""
    forbid(quay, "Never delete the data folder.")
    assert told(quay, "Bash", "rm -rf data/") == ["Never delete the data folder."]
    assert not told(quay, "Bash", "rm -rf build/")


def test_only_what_holds_here_and_now_warns(kit: memkit.Memkit, clock: Clock) -> None:
    """Not what is forgotten, superseded, past, of another project or of another session."""
    call = ("Bash", "npm publish")
    gone = forbid(kit, "No publishing by hand.", "npm publish")
    assert kit.guard(*call)
    kit.memories.forget(gone, reason="allowed now")
    assert not kit.guard(*call)
    forbid(kit, "Not before the audit.", "npm publish", valid_to="2026-03-02T00:00:00Z")
    forbid(kit, "Not in this run.", "npm publish", scope="session", session="other")
    forbid(kit, "Not over there.", "npm publish", project="elsewhere")
    assert told(kit, *call) == ["Not before the audit."]
    assert told(kit, *call, session="other") == ["Not before the audit.", "Not in this run."]
    clock.advance(days=3)
    assert not kit.guard(*call)


def test_global_prohibitions_warn_unless_they_are_replaced(kit: memkit.Memkit) -> None:
    """What holds everywhere holds here, until the project says otherwise."""
    everywhere = forbid(kit, "Nobody runs npm publish.", "npm publish", scope="global")
    assert told(kit, "Bash", "npm publish") == ["Nobody runs npm publish."]
    kit.memories.remember("In this project npm publish is the release.", supersedes=everywhere)
    assert told(kit, "Bash", "npm publish") == []


# -- decisions and sessions


def test_tags_say_how_a_memory_is_answered(quay: memkit.Memkit) -> None:
    """Strongest first; to deny, a pattern must have gone off: words that agree only ask."""
    forbid(quay, "Never push to main directly", tags=["guard:deny"])
    forbid(quay, "Pushing wakes the pager.", "git push")
    asked = forbid(quay, "Force needs a second pair of eyes.", "--force", tags=["guard:ask"])
    result = quay.guard("Bash", "git push origin main")
    assert [str(w.decision) for w in result.warnings] == ["ask", "warn"]
    quay.memories.untag(asked, "guard:ask")
    quay.memories.tag(asked, "guard:deny")
    result = quay.guard("Bash", "git push --force origin main")
    assert result.decision == "deny"
    assert [str(w.decision) for w in result.warnings] == ["deny", "ask", "warn"]


def test_a_session_is_warned_once_and_asked_each_time(
    kit: memkit.Memkit, make_kit: Callable[..., memkit.Memkit]
) -> None:
    """Also by another process; what was shown as context is warned of all the same."""
    forbid(kit, "No publishing by hand.", "npm publish")
    forbid(kit, "Deploys are asked for.", "make deploy", tags=["guard:ask"])
    assert kit.recall("publishing by hand", session="a")
    call = ("Bash", "npm publish && make deploy")
    assert len(kit.guard(*call, session="a").warnings) == 2
    again = kit.guard(*call, session="a")
    assert ([w.text for w in again.warnings], again.shown_before) == (["Deploys are asked for."], 1)
    assert len(make_kit(kit.path).guard(*call, session="a").warnings) == 1
    assert len(kit.guard(*call, session="b").warnings) == 2
    assert len(kit.guard(*call).warnings) == 2


# -- what failed before


def test_a_command_that_failed_warns_until_something_changes(kit: memkit.Memkit) -> None:
    """With the error; not after a change or a success, and not for another command."""
    with kit.session("s") as session, session.task("build") as task:
        task.tool("Bash", {"command": "make quay"}, success=False, error="quay.c:4: error: no")
        (warning,) = kit.guard("Bash", {"command": "make quay"}).warnings
        assert "quay.c:4: error: no" in warning.text
        assert (warning.memory_id, warning.reason) == (None, "failed before")
        assert not kit.guard("Bash", "make berth")
        task.file("quay.c", "edit")
        assert not kit.guard("Bash", "make quay")
        task.tool("Bash", {"command": "make quay"}, success=True)
        assert not kit.guard("Bash", "make quay")


@pytest.mark.parametrize(
    ("ran", "warns"),
    [("pip install quay", False), ("chmod +x quay.sh", False), ("ls", True), ("make berth", True)],
)
def test_a_command_that_failed_warns_not_after_an_installation(
    kit: memkit.Memkit, ran: str, *, warns: bool
) -> None:
    """What it runs in has changed; a look and another build change nothing of it."""
    with kit.session("s") as session, session.task("build") as task:
        task.tool("Bash", {"command": "make quay"}, success=False, error="error: no quay")
        task.tool("Bash", {"command": ran}, success=True)
        assert bool(kit.guard("Bash", {"command": "make quay"})) is warns


def test_a_failed_command_is_told_with_the_one_that_worked(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """Another call of the same program that did it, in a task that was completed."""
    with kit.session("s") as session, session.task("test") as task:
        task.tool("Bash", {"command": "pytest -n 4"}, success=False, error="error: no xdist here")
        clock.advance(5)
        task.tool("Bash", {"command": "pytest -p no:xdist"}, success=True)
        task.file("a.py", "edit")
        task.finish("done")
    clock.advance(hours=30)
    (text,) = told(kit, "Bash", "pytest -n 4")
    assert text.endswith("this worked afterwards: pytest -p no:xdist")


def test_the_same_edit_that_broke_the_check_warns(kit: memkit.Memkit, clock: Clock) -> None:
    """The edit itself, not another one of the same file."""
    edit = {"file_path": "quay.py", "old_string": "a = 1", "new_string": "a = 2"}
    after = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_response": "done"}
    kit.episodes.record({**after, "tool_name": "Edit", "tool_input": edit})
    clock.advance(5)
    failed = {**after, "hook_event_name": "PostToolUseFailure", "error": "AssertionError: 2"}
    kit.episodes.record({**failed, "tool_name": "Bash", "tool_input": {"command": "pytest"}})
    (text,) = told(kit, "Edit", edit)
    assert "AssertionError: 2" in text
    assert not kit.guard("Edit", {**edit, "new_string": "a = 3"})


# -- any input


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from("command file_path path new_string content edits patch code".split())


@given(st.sampled_from(["Bash", "Edit", "apply_patch", "mcp__x__y"]), st.dictionaries(KEYS, VALUES))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_input_breaks_it(kit: memkit.Memkit, tool: str, input: dict[str, object]) -> None:
    """Whatever an agent passes is read as far as it goes."""
    forbid(kit, "No publishing by hand.", "npm publish")
    assert kit.guard(tool, input).decision in ("allow", "warn")


def test_what_means_nothing_is_an_error(kit: memkit.Memkit) -> None:
    """A tool without a name, and an input that is neither text nor mapping."""
    for tool, input in ((" ", "ls"), ("Bash", 5), ("Bash", None)):
        with pytest.raises(memkit.InvalidInput):
            kit.guard(tool, input)  # type: ignore[arg-type]


def test_harmless_tools_have_no_action() -> None:
    """Reading and searching do nothing that could be forbidden."""
    for tool, input in (("Read", "a.py"), ("Grep", {"pattern": "x", "path": "src"}), ("X", {})):
        assert call_of(tool, input).action is None


# -- the command


def test_command_prints_the_decision_and_the_warnings(
    kit: memkit.Memkit, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """For people and as JSON; what is remembered stands between marks."""
    forbid(kit, "No publishing\nby hand.", "npm publish")
    base = ["--db", str(kit.path), "guard"]
    assert main([*base, "Bash", "npm publish"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "warn"
    assert lines[1::2] == ["<memkit-context>", "</memkit-context>"]
    assert lines[2].startswith("No publishing by hand. (warn; trigger: npm publish")
    assert main([*base, "--json", "Bash", json.dumps({"command": "npm publish"})]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"][0]["trigger"] == "npm publish"
    assert main([*base, "Bash", "ls"]) == 0
    assert capsys.readouterr().out == ""
