"""Commands about what is not settled, and what every command is in the library."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from memkit.cli.commands import COMMANDS
from memkit.codegraph.codegraph import CodeGraph
from memkit.episodes.episodes import Episodes
from memkit.memories.memories import Memories
from tests.cli.conftest import Run

Remember = Callable[..., str]

# Each command, and the methods that it calls: the same by both doors. Where the words differ, both
# are long in use: `list` and `show` in shells, `find` and `get` in libraries.
METHODS = {
    "callees": "codegraph.callees",
    "callers": "codegraph.callers, codegraph.impact",
    "check": "check",
    "confirm": "memories.confirm",
    "contradictions": "memories.contradictions",
    "dependencies": "codegraph.dependencies, codegraph.dependents",
    "doctor": "",
    "export": "export",
    "forget": "memories.forget",
    "gaps": "gaps",
    "history": "episodes.file_history, episodes.failed_attempts, episodes.co_edits",
    "import": "import_",
    "index": "codegraph.index",
    "init": "import_notes, episodes.mine",
    "link": "memories.link, memories.unlink, memories.supersede, memories.contradict",
    "list": "memories.find",
    "executions": "episodes.tool_executions",
    "map": "codegraph.map",
    "mine": "episodes.mine",
    "patterns": "episodes.patterns, episodes.learnings, episodes.learn, episodes.set_active",
    "pin": "memories.pin, memories.unpin",
    "predict": "episodes.predict",
    "purge": "memories.purge",
    "recall": "recall",
    "record": "episodes.record_many",
    "references": "codegraph.references",
    "reject": "memories.reject",
    "relevant": "codegraph.find_relevant_to_query",
    "remember": "memories.remember",
    "resolve": "memories.resolve",
    "restore": "memories.restore",
    "scrub": "scrub",
    "show": "memories.get, memories.details",
    "sql": "query, queries",
    "stale": "memories.stale",
    "stats": "stats",
    "summary": "episodes.session_summary",
    "symbol": "codegraph.find_symbol, codegraph.file_contents, codegraph.supertypes",
    "tag": "memories.tag, memories.untag",
    "tasks": "episodes.task, episodes.tasks, episodes.find_similar_tasks",
    "tools": "episodes.tool_stats",
    "errors": "episodes.find_errors",
    "attempts": "episodes.failed_attempts",
    "owners": "episodes.owners",
    "hot": "episodes.hot_files",
    "trim": "trim",
    "unused": "codegraph.unused",
    "update": "memories.update",
    "uses": "codegraph.uses",
    "explain": "explain",
}
OWNERS: dict[str, type] = {
    "": memkit.Memkit,
    "codegraph": CodeGraph,
    "episodes": Episodes,
    "memories": Memories,
}


def test_every_command_is_a_method_too() -> None:
    """What a command does can be had from the library, by the methods named here."""
    assert METHODS.keys() == COMMANDS.keys()
    named = {name for methods in METHODS.values() for name in methods.split(", ") if name}
    for name in named:
        owner, _, method = name.rpartition(".")
        assert callable(getattr(OWNERS[owner], method, None)), name


@pytest.mark.parametrize(
    ("keep", "current"), [("A", (True, False)), ("b", (False, True)), ("both", (True, True))]
)
def test_resolve_settles_a_listed_contradiction(
    run: Run, remembered: Remember, keep: str, current: tuple[bool, bool]
) -> None:
    """It is listed with both statements, and one of them, or both, holds from then on."""
    one, other = remembered("Tabs are used."), remembered("Spaces are used.")
    assert "no contradiction is open" in run("contradictions").err
    assert "no contradiction is known" in run("contradictions", "--history").err
    run("link", one, other, "--kind", "contradicts", "--note", "from two branches")
    shown = run("contradictions").out
    assert f"{one} against {other}: open (from two branches)" in shown
    assert "Tabs are used." in shown
    done = run("resolve", one, other, "--keep", keep, "--json")
    assert (done.code, str(done.json["a"]), str(done.json["b"])) == (0, one, other)
    assert run("contradictions", "--json").json == []
    (settled,) = run("contradictions", "--history", "--json").json
    assert settled["resolved_at"]
    states = [run("show", number, "--json").json[0] for number in (one, other)]
    assert tuple(m["superseded_by"] is None for m in states) == current
    assert run("resolve", one, other).code == 2, "says not which is kept"
    unknown = run("resolve", one, "77", "--keep", "A")
    assert unknown.code == 1
    assert "'memkit contradictions' lists those that are open" in unknown.err


def test_gaps_lists_questions_without_an_answer(run: Run, remembered: Remember) -> None:
    """Questions of sessions that found nothing, with how often they were asked."""
    remembered("The kiln is fired on Fridays.")
    assert "no session asked in vain" in run("gaps").err
    for _ in range(2):
        run("recall", "where do quokkas nest?", "--session", "s")
    assert "where do quokkas nest?" in run("gaps").out
    assert run("gaps", "--json").json[0]["asked_count"] == 2
