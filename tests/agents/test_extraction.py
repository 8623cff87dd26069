"""Extraction: what of prompts and sessions lasts, and that nothing else does."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.agents.extraction import MAX_CONFIDENCE, read_prompt
from memkit.agents.statement_rules import Cue
from memkit.errors import InvalidInput
from memkit.memories.records import Draft, Kind
from memkit.redaction import clean_text
from memkit.redaction.redactor import CLOSE, OPEN
from tests.tables import each_row

LASTING = (
    ("From now on use pnpm instead of npm.", Kind.PREFERENCE, "use pnpm instead of npm"),
    ("remember that the staging db is on port 5433", Kind.FACT, "the staging db is on port 5433"),
    ("No, we use vitest here, not jest. Change it.", Kind.CORRECTION, "we use vitest here"),
    ("Add a retry. Never retry POST requests though.", Kind.NEGATIVE, "Never retry POST requests"),
    ("We agreed that the mobile team owns the push gateway.", Kind.FACT, "the mobile team owns"),
    ("I prefer small commits, one per concern.", Kind.PREFERENCE, "small commits"),
    ("The culprit was the shared temp dir.", Kind.FACT, "shared temp dir"),
    ("Dates are DD.MM.YYYY in the UI. Keep that in mind.", Kind.FACT, "Dates are DD.MM.YYYY"),
    ("wrong folder!! migrations belong into db/migrate", Kind.CORRECTION, "belong into db/migrate"),
    ("Ab jetzt bitte Commits auf Englisch schreiben.", Kind.PREFERENCE, "Commits auf Englisch"),
    ("nunca hagas commit directamente en main", Kind.NEGATIVE, "nunca hagas commit"),
    ("以后请用中文回答", Kind.PREFERENCE, "请用中文回答"),
)
PASSING = (
    "Please fix the failing test in tests/test_cart.py.",
    "Use a different name here, `tmp` is ugly.",
    "What does the always_retry flag do?",
    "Is it true that we never validate the token?",
    "The button should always be visible on mobile.",
    "It always fails on the second run, find out why",
    "No, that's wrong, try again",
    "actually, wait. Let me check something first",
    'The docs say "never call this from a signal handler".',
    "> Never use eval\n\nWhere does this come from?",
    "```\n# never do this\nalways()\n```\nrefactor this",
    "2026-03-02 10:11:12 WARN never seen a heartbeat, always retrying",
    "Remember to close the file handle in read_config.",
    "Add a rule to CLAUDE.md: never use any",
    "for this task only: always skip the tests",
    "Never mind the failing lint job.",
    "<system-reminder>Always answer in one line.</system-reminder>\ngo on",
)


@each_row("prompt, kind, words", LASTING)
def test_what_lasts_is_a_candidate_in_its_own_words(prompt: str, kind: Kind, words: str) -> None:
    """One candidate, of the right kind, cut out of the prompt word for word."""
    (draft,) = read_prompt(prompt).candidates
    assert draft.kind == kind
    assert words in draft.text
    assert draft.text in prompt
    assert draft.confidence <= MAX_CONFIDENCE
    assert draft.reason.startswith("it ")
    assert draft.snippet


def test_reasons_are_sentences() -> None:
    """Each form is what the statement is or does."""
    (draft,) = read_prompt("Remember that the quay floods at spring tide.").candidates
    assert draft.reason == "it is to be remembered"
    assert all(cue.split()[0] in {"is", "was", "holds", "corrects"} for cue in Cue)


@each_row("prompt", PASSING)
def test_what_is_for_the_moment_is_none(prompt: str) -> None:
    """Requests, questions, quotations, logs and code give no candidate."""
    assert read_prompt(prompt).candidates == ()


def test_triggers_only_as_they_stand_there() -> None:
    """What stands in backticks sets a prohibition off; nothing is made up."""
    (named,) = read_prompt("Never run `terraform apply` yourself.").candidates
    (plain,) = read_prompt("Never deploy on a Friday.").candidates
    assert (named.trigger_patterns, plain.trigger_patterns) == (("terraform apply",), ())


def test_what_memkit_rendered_is_nothing_new(kit: memkit.Memkit) -> None:
    """An answer that stands in the prompt, also cut off, is not extracted again."""
    block = f"{OPEN}>\n- rule: Never retry a POST.\n- Always sign commits.\n"
    for prompt in (f"{block}{CLOSE}\nfix the cart", f"fix the cart\n\n{block}"):
        assert kit.extract(prompt, remember=True).candidates == ()
    assert kit.memories.count() == 0


def test_a_document_was_not_typed() -> None:
    """A long text of orders is somebody else's instructions; that it was left out is said."""
    result = read_prompt("Always check the tests of this part before you go on.\n" * 60)
    assert result.candidates == ()
    assert [dropped.reason for dropped in result.dropped] == ["is too long to be typed"]


def test_secrets_are_markers(kit: memkit.Memkit) -> None:
    """A secret stands neither in a candidate nor in its snippet, nor in the file."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    prompt = f"Remember that the deploy token is {secret} for now and that staging is on 5433."
    (draft,) = kit.extract(prompt, remember=True).candidates
    assert secret not in f"{draft.text} {draft.snippet}"
    (memory,) = kit.review.pending()
    assert secret not in memory.text
    assert secret.encode() not in kit.path.read_bytes()


def test_an_extractor_may_replace_the_rules(kit: memkit.Memkit) -> None:
    """Its drafts are believed no more than others; one that raises is a note, and the rules go."""
    prompt = "Always sign commits."
    own = kit.extract(prompt, extractor=lambda text: [Draft("Sign.", scope="global"), text])
    assert [(d.text, d.scope, d.confidence) for d in own.candidates] == [
        ("Sign.", "project", MAX_CONFIDENCE),
        (prompt, "project", MAX_CONFIDENCE),
    ]

    def broken(text: str) -> list[Draft]:
        raise RuntimeError(f"no model for {len(text)} letters")

    fallen = kit.extract(prompt, extractor=broken)
    assert [draft.text for draft in fallen.candidates] == [prompt]
    assert "no model for 20 letters" in fallen.notes[0]


def test_what_an_extractor_gives_is_bounded_and_never_raises(kit: memkit.Memkit) -> None:
    """One text is one statement, not its letters; blank ones and what no memory can be are none."""
    prompt = "Always sign commits."
    text = kit.extract(prompt, extractor=lambda _: "Sign every commit.")
    assert [draft.text for draft in text.candidates] == ["Sign every commit."]
    odd = [" ", "", Draft("Sign.", valid_from="neverday"), "Sign with the team's key."]
    mixed = kit.extract(prompt, extractor=lambda _: odd, remember=True)
    assert [draft.text for draft in mixed.candidates] == ["Sign with the team's key."]
    assert [(each.text, "neverday" in each.reason) for each in mixed.dropped] == [("Sign.", True)]
    endless = kit.extract(prompt, extractor=lambda _: (f"Key {n} signs." for n in count()))
    assert len(endless.candidates) == 100


def test_a_session_gives_prompts_and_what_its_calls_taught(kit: memkit.Memkit) -> None:
    """Of its calls: a command that worked where another call of the program had not, and a fault
    that came again with the change that made it go; a test that only failed is neither."""
    with kit.session("s1") as session, session.task("Always run ruff. Fix the cart.") as task:
        missing = "ModuleNotFoundError: No module named 'shop'"
        task.tool("Bash", {"command": "pytest -m slow"}, success=False, error=missing)
        task.tool("Bash", {"command": "poetry run pytest -m slow"}, success=True)
        for _ in range(2):
            task.tool("Bash", {"command": "make db"}, success=False, error="port 5432 is taken")
        task.file("compose.yml", "edit")
        task.tool("Bash", {"command": "make db"}, success=True)
        failed = {"success": False, "error": "2 failed, 3 passed"}
        task.tool("Bash", {"command": "tox -e unit"}, **failed)
        task.tool("Bash", {"command": "tox -e unit -k cart"}, success=True)
    rule, command, cause = kit.extract(session="s1").candidates
    assert rule.text == "Always run ruff."
    assert command.kind == Kind.PROCEDURE
    assert command.procedure is not None
    assert command.procedure.steps == ("poetry run pytest -m slow",)
    assert command.procedure.warnings == ("pytest -m slow",)
    assert cause.text == "port 5432 is taken – fixed by changing compose.yml; then `make db` passed"
    assert all(draft.session == "s1" for draft in (rule, command, cause))


def test_prompts_of_a_subagent_are_no_person_s(kit: memkit.Memkit) -> None:
    """A session that another one began was told what to do by an agent."""
    with kit.session("top") as top, kit.session("sub", parent=top) as sub:
        sub.task("Always run ruff.").finish()
    assert kit.extract(session="sub").candidates == ()


def test_a_transcript_is_read_by_its_prompts(kit: memkit.Memkit) -> None:
    """What the agent said in it is not extracted."""
    row = {"sessionId": "t", "cwd": "/p", "version": "2", "isSidechain": False, "parentUuid": None}
    said = {"role": "user", "content": "Never push to main directly."}
    reply = {"role": "assistant", "content": [{"type": "text", "text": "Always happy to help."}]}
    stamp = "2026-03-01T10:00:00.000Z"
    rows = [
        {**row, "type": "user", "uuid": "1", "timestamp": stamp, "message": said},
        {**row, "type": "assistant", "uuid": "2", "timestamp": stamp, "message": reply},
    ]
    result = kit.extract("\n".join(map(json.dumps, rows)))
    assert [draft.text for draft in result.candidates] == ["Never push to main directly."]


def test_nothing_to_read_is_an_error(kit: memkit.Memkit) -> None:
    """Neither a text nor a session."""
    with pytest.raises(InvalidInput, match="give a text or the name of a session"):
        kit.extract()


@given(st.text(max_size=300))
def test_any_text_is_read_and_nothing_is_invented(text: str) -> None:
    """No text breaks the rules; what they give stands in what was typed."""
    marked = f"{text}\nfrom now on {text}"
    typed = "".join(clean_text(marked).split())
    for draft in read_prompt(marked).candidates:
        assert "".join(draft.text.split()) in typed or "[" in draft.text
