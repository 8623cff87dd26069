"""A session of an agent, its settings as the agent reads them, and what the session leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import memkit
from tests.agent_dialects import Dialect
from tests.store import shell

RULE, FACT = "Never force-push to main.", "Staging is deployed by pushing a tag."
BAN = "Releases are made by the pipeline alone."
SUMMARY = "We moved the deploy script; the tag comes last. password = hunter2hunter2"


def fill(root: Path) -> None:
    """Make a store in a folder: a rule, a statement, and what forbids a command."""
    with memkit.open(root / ".memkit.db", global_store=False) as kit:
        kit.memories.remember(RULE, kind="negative")
        kit.memories.remember(FACT)
        kit.memories.remember(BAN, kind="negative", trigger_patterns=["npm publish"])


# --- A session of thirty events or more, and a call that is warned of and made all the same.

SHELL = {"command": "pytest -q"}


def script(root: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each moment of a session, what is told of it, and what the answer must hold; "" is
    silence."""
    edit = {"file_path": str(root / "deploy.py"), "old_string": "a", "new_string": "b"}
    yield "start", {"source": "startup"}, RULE
    yield "prompt", {"prompt": "How is staging deployed?"}, FACT
    for number in range(5):
        call = {"tool": "Bash", "input": SHELL, "call": f"c{number}"}
        yield "before", call, ""
        yield "after", {**call, "output": "4 passed"}, ""
    yield "stop", {}, ""
    yield "prompt", {"prompt": "Compute the tides of Rottnest with quokkas"}, ""
    call = {"tool": "Edit", "input": edit, "call": "e1"}
    yield "before", call, ""
    yield "after", {**call, "output": "edited"}, ""
    call = {"tool": "Bash", "input": {"command": "npm publish"}, "call": "g1"}
    yield "before", call, BAN
    yield "after", {**call, "output": "+ 1.2.3"}, ""
    call = {"tool": "Bash", "input": {"command": "npm test"}, "call": "f1"}
    yield "before", call, ""
    yield "failed", {**call, "error": "Exit code 1\nAssertionError: 401"}, ""
    yield "sub", {"agent_id": "a-1", "agent_type": "Explore"}, ""
    inside = {"tool": "Bash", "input": SHELL, "call": "i1", "agent_id": "a-1"}
    yield "before", inside, ""
    yield "after", {**inside, "output": "ok"}, ""
    yield "subend", {"agent_id": "a-1", "agent_type": "Explore"}, ""
    yield "compact", {"trigger": "auto"}, ""
    yield "compacted", {"trigger": "auto", "compact_summary": SUMMARY}, ""
    yield "start", {"source": "compact"}, RULE
    yield "prompt", {"prompt": "And how is staging deployed now?"}, FACT
    for number in range(2):
        call = {"tool": "Bash", "input": SHELL, "call": f"d{number}"}
        yield "before", call, ""
        yield "after", {**call, "output": "4 passed"}, ""
    yield "stop", {}, ""
    yield "end", {"reason": "other"}, ""


def recorded(kit: memkit.Memkit, dialect: Dialect) -> None:
    """Check what a session has left in the file."""
    tasks = [task.description for task in kit.episodes.tasks()][::-1]
    assert tasks == [
        "How is staging deployed?",
        "Compute the tides of Rottnest with quokkas",
        "And how is staging deployed now?",
    ]
    calls = kit.episodes.tool_executions(limit=100)
    names = [call.tool for call in calls]
    fails = "failed" in dialect.names
    assert (names.count("Bash"), names.count("Edit")) == (9 + fails, 1)
    assert [call.error or call.output for call in calls if call.success is False] == (
        ["AssertionError: 401"] if fails else []
    )
    assert kit.episodes.file_history("deploy.py").changes == 1
    sessions = {session.name: session for session in kit.episodes.sessions()}
    assert sessions["s-1"].ended_at is not None
    assert sessions["s-1"].agent == dialect.agent
    if "sub" in dialect.names:
        assert (sessions["a-1"].parent, sessions["a-1"].agent) == ("s-1", "Explore")
        assert sessions["a-1"].ended_at is not None
    if "compact" in dialect.names:
        snapshots = "select session_id, reason, total_tokens > 0 from context_snapshots"
        assert shell.run(kit.path, snapshots) == [("s-1", "compaction", 1)]
    if "compacted" in dialect.names:
        saved = kit.context.sessions.load("s-1")
        assert saved.long_term_summary.startswith("We moved the deploy script")
        assert "hunter2" not in saved.long_term_summary


def text_of(answer: dict[str, Any]) -> str:
    """Return the text that an answer puts before the model."""
    inner = answer.get("hookSpecificOutput", answer)
    names = ("additionalContext", "additional_context", "systemMessage")
    return next((str(inner[name]) for name in names if inner.get(name)), "")


# --- Settings as the agents read them, each in its own form.

_FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "vscode": ".github/hooks/memkit.json",
}


def commands_of(agent: str, root: Path) -> Mapping[str, str]:
    """Return the command line that an agent runs for each event, as a project's settings say."""
    settings = json.loads((root / _FILES[agent]).read_text("utf-8"))
    commands: dict[str, str] = {}
    for event, entries in settings["hooks"].items():
        (entry,) = entries
        if agent in ("claude", "codex", "gemini"):
            assert entry.keys() <= {"matcher", "hooks"}
            (entry,) = entry["hooks"]
        assert agent == "cursor" or entry["type"] == "command"
        assert entry["timeout"] > 0
        commands[event] = entry["command"]
    return commands
