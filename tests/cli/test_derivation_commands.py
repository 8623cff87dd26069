"""Memories made of the code and of work that was done, by the command line."""

from __future__ import annotations

from pathlib import Path

import memkit
from tests.cli.conftest import Run

_HANDLER = """
from web import route
@route("/{name}")
def add_{name}(request, session):
    data = parse_body(request)
    item = validate(data)
    session.store(item)
    return as_json(item)
"""


def test_idioms_are_listed_and_remembered(run: Run, folder: Path) -> None:
    """A shape that three files repeat; with --dry-run nothing is remembered."""
    assert run("remember", "The shop sells tea.").code == 0
    unread = run("idioms")
    assert unread.code == 1
    assert "memkit index" in unread.err
    for name in ("order", "item", "label"):
        (folder / f"{name}.py").write_text(_HANDLER.format(name=name), encoding="utf-8")
    assert run("index").code == 0
    planned = run("idioms", "--dry-run")
    assert planned.out.splitlines()[1].startswith("add_…\t3\t")
    assert run("list", "--json").out.count("add_…") == 0
    assert run("idioms", "--json").json[0]["calls"] == [
        "parse_body", "validate", "store", "as_json",
    ]  # fmt: skip
    with memkit.open(folder / ".memkit.db") as kit:
        [memory] = kit.memories.find(form="pattern")
    assert memory.index_entry == "add_…"


def test_ended_task_is_remembered_as_an_episode(run: Run, folder: Path) -> None:
    """With what came of it, once; a task that is not known fails."""
    with (
        memkit.open(folder / ".memkit.db") as kit,
        kit.session("s") as session,
        session.task("Stop retries of POST", name="t") as task,
    ):
        task.finish("POST is never retried.")
    done = run("episode", "t")
    assert done.code == 0
    assert done.out.startswith("stored ")
    assert "POST is never retried" in done.out
    assert run("episode", "t", "--json").json["memory"]["form"] == "episode"
    assert "POST is never retried" in run("episode", "s", "--session").out
    missing = run("episode", "other")
    assert missing.code == 1
    assert "other" in missing.err
