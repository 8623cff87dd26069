"""Secrets that got in before the rules knew them are removed from every byte of the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import memkit
from memkit.memories import scrub
from tests.asking import by_words
from tests.store import shell

TOKEN = "ghp_" + "Zq9Yw8Xe7Rt6Uy5Io4Pa3Sd2Fg1Hj0Kl9Mn8"
PLANT = {
    "text": f"update memories set text = 'clone with {TOKEN}'",
    "json": f"""update memories set trigger_patterns = '["{TOKEN}"]'""",
    "procedure": f"""update memories set procedure = '{{"steps": ["{TOKEN}"]}}'""",
    "wording": f"insert into paraphrases select id, 'h', 'use {TOKEN}', created_at from memories",
    "reading": f"insert into source_readings select id, '{TOKEN}.md', '', '', '', '' from memories",
    "revision": f"insert into memory_revisions select id, '{TOKEN}', '' from memories",
    "tag": f"update tags set name = '{TOKEN.lower()}'",
    "gap": f"insert into gaps values ('h', 'is {TOKEN} valid?', 1, '', '', null, null)",
    "audit": f"""insert into audit values (5, '', 'x', null, '{{"t": "{TOKEN}"}}')""",
    "setting": f"""insert into settings values ('a', '"{TOKEN}"', '')""",
}


def test_a_scrub_removes_planted_secrets_everywhere(kit: memkit.Memkit) -> None:
    """Texts, JSON, wordings, tags, gaps and audit: no byte of the token stays, even in free
    pages."""
    kit.memories.remember("clone with the deploy key", tags=["git"])
    kit.memories.remember_many(f"unrelated {n}" for n in range(50))
    path = kit.path
    for statement in PLANT.values():
        shell.run(path, statement)
    kit._index.ensure()
    found = kit.scrub()
    assert found.rows >= len(PLANT)
    assert found.kinds
    assert not kit._store.edited_outside()
    assert kit.check().is_sound
    assert by_words(kit, "clone")
    kit.close()
    content = path.read_bytes().lower()
    assert TOKEN.lower().encode() not in content
    assert TOKEN[4:].lower().encode() not in content


def test_a_second_scrub_finds_nothing(kit: memkit.Memkit) -> None:
    """Markers are not secrets, and a clean file is not rewritten."""
    kit.memories.remember(f"the token was {TOKEN}")
    assert kit.scrub().rows == 0
    shell.run(kit.path, PLANT["text"])
    assert kit.scrub().rows == 1
    before = kit.path.read_bytes()
    assert kit.scrub().rows == 0
    assert kit.path.read_bytes() == before


def test_a_scrubbed_statement_is_not_taken_for_one_with_another_secret(kit: memkit.Memkit) -> None:
    """What is masked may have been another value, so the same masked text is a statement apart."""
    made = kit.memories.remember("clone with the deploy key")
    shell.run(kit.path, PLANT["text"])
    kit.scrub()
    assert kit.memories.get(made).text == kit.memories.remember(f"clone with {TOKEN}").memory.text
    assert kit.memories.count() == 2


def test_scrub_does_not_lock_the_file_while_reading(
    kit: memkit.Memkit, make_kit: Callable[..., memkit.Memkit], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others write while texts are looked through; what they wrote is looked at when it counts."""
    kit.memories.remember("clone with the deploy key")
    shell.run(kit.path, PLANT["text"])
    other = make_kit(busy_timeout=0.0)
    read, said = scrub._clean_row, []

    def meanwhile(*given: Any) -> dict[str, Any]:
        if not said:
            said.append(other.memories.remember("the deploy key was renewed").id)
        return read(*given)

    monkeypatch.setattr(scrub, "_clean_row", meanwhile)
    assert kit.scrub().rows == 1
    assert kit.memories.get(said[0]).text == "the deploy key was renewed"
    assert TOKEN not in kit.memories.find()[1].text


def test_what_comes_again_in_many_rows_is_judged_by_where_it_stands(kit: memkit.Memkit) -> None:
    """A text that is harmless in one column is looked at anew as JSON, and as a value of a key."""
    kit.episodes.record_many(
        {
            "event": "tool",
            "session": "s",
            "tool": "curl",
            "parameters": {"n": n % 3},
            "output": "ok",
        }
        for n in range(30)
    )
    kit.episodes.flush()
    assert kit.check().is_sound
    secret = '{"password": "hunter2-Xy91kq"}'
    shell.run(kit.path, "update tool_executions set parameters = :secret", secret=secret)
    (problem,) = kit.check().problems
    assert (problem.name, problem.detail.split()[0]) == ("secrets", "30")
    assert kit.scrub().rows == 30
