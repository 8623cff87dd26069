"""What a user asked for, without what an agent's program put around it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memkit
from memkit.episodes.recording.prompts import is_reply, request_of


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        ("<session_context>\nThis is the folder /home/ann/app\n</session_context>", None),
        ("<session_context>x</session_context>\n\nFix the login", "Fix the login"),
        ("Fix it<system-reminder>be brief</system-reminder>", "Fix it"),
        ("<environment_details>\n# Files\na.py\n</environment_details>", None),
        ("<user_info>OS: linux</user_info><user_query>\nFix it\n</user_query>", "Fix it"),
        ("<task>Fix it</task><environment_details>x</environment_details>", "Fix it"),
        ("<permissions instructions>x</permissions instructions>", None),
        ("# AGENTS.md instructions for /home/ann/app\nBe brief", None),
        ("This is the Gemini CLI. We are setting up the context for our chat.", None),
        ("/clear", None),
        ("[Request interrupted by user for tool use]", None),
        ("<user-prompt-submit-hook>ok</user-prompt-submit-hook>", None),
        ("Warmup", None),
        ("Warmup of the cache is slow, why?", "Warmup of the cache is slow, why?"),
        ("why does <details>x</details> not fold?", "why does <details>x</details> not fold?"),
        ("<my-card>a</my-card> is not shown", "<my-card>a</my-card> is not shown"),
        ("put <b>bold</b> here", "put <b>bold</b> here"),
    ],
)
def test_only_what_the_user_wrote_is_a_prompt(words: str, request_: str | None) -> None:
    """Tags are told by what they name; those of HTML are the user's."""
    assert request_of(words) == request_


def test_a_programs_own_text_is_no_task(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Neither of a transcript nor of a hook."""
    at = "2026-03-01T10:00:00Z"
    context = "<session_context>\nYou are in /home/ann/app\n</session_context>"
    messages = [
        {"id": "1", "type": "user", "timestamp": at, "content": context},
        {"id": "2", "type": "user", "timestamp": at, "content": "Fix the login"},
    ]
    document = {"sessionId": "g", "projectHash": "x", "startTime": at, "messages": messages}
    (tmp_path / "session-g.json").write_text(json.dumps(document))
    kit.import_(tmp_path / "session-g.json")
    kit.episodes.record(
        {"hook_event_name": "UserPromptSubmit", "session_id": "h", "prompt": context}
    )
    assert [task.description for task in kit.episodes.tasks()] == ["Fix the login"]


@pytest.mark.parametrize(
    "words",
    [
        *("ok", "Yes please!", "go on", "thanks, looks good", "Continue.", "ja, bitte", "why?"),
        *("2", "b", "option b", "Option 2, please", "ja, mach weiter", "jo passt", "ok mach das"),
        *("weiter", "try again", "sounds good, proceed", "lgtm"),
    ],
)
def test_a_reply_asks_for_nothing_of_its_own(words: str) -> None:
    """It tells no more than that the agent may go on."""
    assert is_reply(words)


@pytest.mark.parametrize(
    "words", ["fix it", "ok, now write the test", "run lint", "port 2", "fix #2", "…", "x" * 500]
)
def test_a_short_request_is_no_reply(words: str) -> None:
    """One word that says what is to be done is enough."""
    assert not is_reply(words)


def test_a_reply_lets_the_task_before_it_go_on(kit: memkit.Memkit) -> None:
    """The turn's end had completed it; what is done after the reply is counted to it."""
    hook = {"session_id": "s"}
    bash = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": "ok"}
    kit.episodes.record(hook | {"hook_event_name": "UserPromptSubmit", "prompt": "Fix the parser"})
    kit.episodes.record(hook | {"hook_event_name": "Stop"})
    kit.episodes.record(hook | {"hook_event_name": "UserPromptSubmit", "prompt": "yes, go on"})
    kit.episodes.record(hook | bash | {"tool_input": {"command": "make"}})
    (task,) = kit.episodes.tasks()
    (call,) = kit.episodes.tool_executions()
    assert (task.description, task.status, task.completed_at) == ("Fix the parser", "active", None)
    assert call.task == task.name


def test_a_reply_is_a_task_where_there_is_none_to_go_on_with(kit: memkit.Memkit) -> None:
    """A session that begins with it says at least that much."""
    kit.episodes.record(
        {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "continue"}
    )
    assert [task.description for task in kit.episodes.tasks()] == ["continue"]
