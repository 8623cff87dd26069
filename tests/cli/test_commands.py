"""Every command does what it says, for people and for machines."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import memkit
from memkit.cli.commands import COMMANDS, LOADED, load_command
from memkit.codegraph.codegraph import CodeGraph
from memkit.context.sessions import Sessions
from memkit.episodes.episodes import Episodes
from memkit.memories.memories import Memories
from memkit.store import schema
from tests.cli.conftest import Run
from tests.tables import each_row

Remember = Callable[..., str]


# Each command, and the methods that it calls: the same by both doors. Where the words differ, both
# are long in use: `list` and `show` in shells, `find` and `get` in libraries.
METHODS = {
    "hook": "",
    "consolidate": "consolidate",
    "prune": "consolidation.prune",
    "undo": "consolidation.undo",
    "audit": "consolidation.audit",
    "episode": "consolidation.remember_task, consolidation.remember_session",
    "idioms": "consolidation.find_patterns",
    "review": "review.accept, review.pending, review.reject",
    "window": "context.prune, context.window",
    "callees": "codegraph.callees",
    "callers": "codegraph.callers, codegraph.impact",
    "check": "check",
    "clusters": "consolidation.clusters, consolidation.refresh_clusters",
    "similar": "consolidation.similar",
    "context": "context.assemble",
    "contradictions": "memories.contradictions, consolidation.scan_contradictions",
    "dependencies": "codegraph.dependencies, codegraph.dependents",
    "doctor": "",
    "export": "export",
    "forget": "memories.forget",
    "gaps": "gaps, consolidation.close_gap, consolidation.close_answered_gaps",
    "history": "episodes.file_history, episodes.failed_attempts, episodes.co_edits",
    "import": "import_",
    "index": "codegraph.index",
    "init": "import_notes, episodes.mine",
    "install": "",
    "uninstall": "",
    "mcp": "recall, context.assemble, memories.remember, memories.forget",
    "link": "memories.link, memories.unlink, memories.supersede, memories.contradict",
    "list": "memories.find",
    "expand": "context.expand",
    "extract": "extract",
    "executions": "episodes.tool_executions",
    "map": "codegraph.map",
    "mine": "episodes.mine",
    "patterns": "episodes.patterns, episodes.learnings, episodes.learn, episodes.set_active",
    "pin": "memories.pin, memories.unpin",
    "predict": "episodes.predict",
    "promote": "context.promote",
    "purge": "memories.purge",
    "recall": "recall",
    "record": "episodes.record_many",
    "references": "codegraph.references",
    "outcome": "consolidation.note_outcome",
    "used": "consolidation.used, consolidation.cited, consolidation.ignored, "
    "consolidation.rejected",
    "relevant": "codegraph.find_relevant_to_query",
    "remember": "memories.remember",
    "resolve": "memories.resolve",
    "restore": "memories.restore",
    "scrub": "scrub",
    "session": "context.sessions.list, context.sessions.load, context.sessions.export, "
    "context.sessions.import_, context.sessions.compact, context.sessions.restore, "
    "context.sessions.delete",
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
    "guard": "guard",
}
OWNERS: dict[str, type] = {
    "": memkit.Memkit,
    "codegraph": CodeGraph,
    "consolidation": memkit.Consolidation,
    "context": memkit.Context,
    "context.sessions": Sessions,
    "episodes": Episodes,
    "memories": Memories,
    "review": memkit.Review,
}


def test_every_command_is_a_method_too() -> None:
    """What a command does can be had from the library, by the methods named here."""
    wrong = METHODS.keys() ^ COMMANDS.keys()
    assert not wrong, f"METHODS of this test, by which method each is done: {wrong}"
    named = {name for methods in METHODS.values() for name in methods.split(", ") if name}
    for name in named:
        owner, _, method = name.rpartition(".")
        assert callable(getattr(OWNERS[owner], method, None)), name


def test_every_command_is_in_the_table_of_modules() -> None:
    """`COMMANDS` names the module of each function that is a command."""
    for name in COMMANDS:
        load_command(name)
    modules = {name: command.run.__module__.rpartition(".")[2] for name, command in LOADED.items()}
    wrong = modules.items() ^ COMMANDS.items()
    assert not wrong, f"_MODULES in memkit/cli/commands.py: {wrong}"


class TestMemories:
    """Commands about single memories."""

    def test_remember_and_recall(self, run: Run) -> None:
        """What was remembered is found, with its id; the same again strengthens it."""
        first = run("remember", "Never retry a POST", "--kind", "negative", "--tag", "http")
        assert first.code == 0
        assert first.out.startswith("stored ")
        number = first.out.split()[1]
        assert run("remember", "Never retry a POST", "--kind", "negative").out.startswith(
            f"strengthened {number} in .memkit.db\n"
        )
        found = run("recall", "retry POST", "--min-score", "0")
        assert found.code == 0
        assert number in found.out
        assert "Never retry a POST" in found.out
        document = run("recall", "retry POST", "--min-score", "0", "--json").json
        assert document["hits"][0]["id"] == int(number)

    def test_nothing_found_is_success(self, run: Run) -> None:
        """An empty answer says so and exits with 0."""
        run("remember", "x")
        found = run("recall", "quite unrelated question")
        assert (found.code, found.out) == (0, "")
        assert "memkit: nothing good enough is remembered about this\n" in found.err
        assert run("recall", "quite unrelated", "--json").json["hits"] == []

    @pytest.mark.parametrize(
        "data",
        [
            "größe ✅\n".encode(),
            b"\xef\xbb\xbf" + "größe ✅".encode(),
            "größe ✅\r\n".encode("utf-16"),
        ],
    )
    def test_text_from_stdin(self, run: Run, data: bytes) -> None:
        """Standard input is UTF-8 whatever the console says, with or without byte order mark."""
        done = run("remember", "-", "--json", stdin=data)
        assert done.json["memory"]["text"] == "größe ✅"

    def test_carriage_returns_of_standard_input_are_dropped(self, run: Run) -> None:
        """How the lines of standard input end is the shell's, not the statement's."""
        done = run("remember", "-", "--json", stdin=b"one\r\ntwo\r\n")
        assert done.json["memory"]["text"] == "one\ntwo"

    def test_fields_reach_the_memory(self, run: Run, remembered: Remember) -> None:
        """Options become fields of the draft."""
        number = remembered(
            "x y", "--scope", "task", "--task", "t1", "--about", "src/a.py::A", "--trigger", "boom",
            "--importance", "0.9", "--pinned", "--source", "s#1", "--author", "ann",
        )  # fmt: skip
        (shown,) = run("show", number, "--json").json
        wanted = {
            "scope": "task", "task": "t1", "trigger_patterns": ["boom"], "importance": 0.9,
            "pinned": True, "source": "s#1", "author": "ann",
        }  # fmt: skip
        assert {name: shown[name] for name in wanted} == wanted
        (about,) = shown["about"]
        assert (about["path"], about["symbol"], about["hash"]) == ("src/a.py", "A", None)

    def test_a_keyed_fact_supersedes(self, run: Run, remembered: Remember) -> None:
        """A new value names what it replaced."""
        old = remembered("", "--key", "indent", "--value", "tabs")
        done = run("remember", "--key", "indent", "--value", "spaces")
        assert f"supersedes {old}" in done.out

    def test_list_shows_newest_first_and_filters(self, run: Run, remembered: Remember) -> None:
        """One line a memory, with tabs where nobody looks."""
        one, two = remembered("one", "--tag", "x"), remembered("two", "--kind", "negative")
        rows = [line.split("\t") for line in run("list").out.split("\n")[1:-2]]
        assert [(row[0], row[1], row[3]) for row in rows] == [
            (two, "negative", "two"),
            (one, "fact", "one"),
        ]
        assert len(rows[0][2]) == len("2026-01-31")
        assert "two" not in run("list", "--filter", "tag=x").out
        assert [
            m["text"] for m in run("list", "--kind", "negative", "--json").json["memories"]
        ] == ["two"]
        page = run("list", "--limit", "1", "--order-by", "-id", "--json").json
        assert (page["memories"][0]["text"], page["total"], page["next"]) == ("one", 2, 1)
        nothing = run("list", "--tag", "none")
        assert (nothing.code, nothing.out) == (0, "")
        assert "nothing is remembered" in nothing.err

    def test_show_accepts_ids_as_printed(self, run: Run, remembered: Remember) -> None:
        """Several ids, with or without a number sign."""
        one, two = remembered("one\nmore"), remembered("two")
        shown = run("show", one, f"#{two}")
        assert "  one\n  more\n" in shown.out
        assert two in shown.out

    def test_update_changes_what_is_named(self, run: Run, remembered: Remember) -> None:
        """Text, kind and tags; the rest stays."""
        number = remembered("one", "--importance", "0.9")
        done = run("update", number, "-", "--kind", "negative", "--tag", "a", stdin=b"two\n")
        assert done.code == 0
        (shown,) = run("show", number, "--json").json
        assert (shown["text"], shown["kind"], shown["tags"]) == ("two", "negative", ["a"])
        assert shown["importance"] == 0.9
        assert run("update", number).code == 2

    def test_forget_and_restore(self, run: Run, remembered: Remember) -> None:
        """A forgotten memory is shown only with its history, with the reason."""
        number = remembered("one")
        assert run("forget", number, "--reason", "wrong", "--dry-run").out.count("would be")
        assert run("list").out
        assert run("forget", number, "--reason", "wrong").out.count(f"forgotten: {number}")
        assert run("list").out == ""
        assert "[forgotten: wrong] one" in run("list", "--history").out
        assert run("restore", number).code == 0
        assert run("list").out

    def test_restore_by_reason_brings_back_all_that_was_forgotten_by_it(
        self, run: Run, remembered: Remember
    ) -> None:
        """Who forgot by a filter need not copy the numbers to undo it: the reason names them."""
        for name in ("one", "two", "three"):
            remembered(name, "--tag", "old")
        run("forget", remembered("four"), "--reason", "wrong")
        assert run("forget", "--filter", "tags=old", "--reason", "clean", "--yes").code == 0
        assert run("list").out == ""
        back = run("restore", "--reason", "clean", "--json")
        assert {memory["text"] for memory in back.json} == {"one", "two", "three"}
        assert (
            "nothing was forgotten for the reason 'clean'"
            in run("restore", "--reason", "clean").err
        )
        assert run("restore").code == 2
        assert run("restore", "1", "--reason", "wrong").code == 2

    def test_purge_needs_a_yes(self, run: Run, remembered: Remember) -> None:
        """Deleting for good is done only when it was agreed to."""
        number = remembered("one")
        assert run("purge", number, "--dry-run").out == f"would be purged {number}\n"
        refused = run("purge", number)
        assert refused.code == 2
        assert "--yes" in refused.err
        assert run("list").out
        assert run("purge", number, "--yes", "--json").json == {
            "ids": [int(number)],
            "dry_run": False,
        }
        assert run("list", "--history").out == ""

    def test_pin_tag_link(self, run: Run, remembered: Remember) -> None:
        """Pins, tags and edges come and go."""
        one, two = remembered("one"), remembered("two")
        assert run("pin", one, "--json").json[0]["pinned"] is True
        assert run("pin", one, "--remove", "--json").json[0]["pinned"] is False
        assert run("tag", one, "A", "b", "--json").json[0]["tags"] == ["a", "b"]
        assert run("tag", one, "a", "b", "--remove").out.count("tags: none")
        assert run("link", one, two, "--weight", "0.7").code == 0
        assert run("show", one, "--json").json[0]["edges"][0]["weight"] == 0.7
        assert run("link", one, two, "--remove", "--json").json == {"removed": True}
        assert run("link", one, two, "--remove", "--json").json == {"removed": False}

    def test_links_with_a_meaning(self, run: Run, remembered: Remember) -> None:
        """Supersedes retires the other; contradicts opens a contradiction."""
        one, two, three = remembered("one"), remembered("two"), remembered("three")
        run("link", two, one, "--kind", "supersedes")
        assert run("show", one, "--json").json[0]["superseded_by"] == int(two)
        run("link", two, three, "--kind", "contradicts", "--note", "which?")
        (row,) = run("sql", "memories.contradictions", "open_only=1", "--json").json
        assert row["note"] == "which?"

    def test_why(self, run: Run, remembered: Remember) -> None:
        """Says whether a memory comes back, and at which step it ended."""
        number = remembered("Never retry a POST")
        assert "comes back" in run("explain", "retry POST", number, "--min-score", "0").out
        document = run("explain", "something else", number, "--json").json
        assert document["present"] is False
        assert document["stage"]


class TestBulk:
    """Forgetting many: an empty filter never means everything."""

    @pytest.fixture
    def many(self, remembered: Remember) -> None:
        """Three projects with five memories each."""
        for number in range(15):
            remembered(f"number {number}", "--project", "ABC"[number % 3])

    @staticmethod
    def left(run: Run) -> dict[str, int]:
        """Return how many memories each project has."""
        return {
            name: run("list", "--filter", f"project={name}", "--json").json["total"]
            for name in "ABC"
        }

    @each_row(
        "arguments, code",
        [
            ([], 2),
            (["--filter", "project="], 1),
            (["--filter", ""], 1),
            (["--filter", "kind"], 1),
            (["--filter", "colour=red"], 1),
            (["--filter", "kind=rumour"], 1),
            (["--filter", "pinned=perhaps"], 1),
            (["%"], 2),
            (["--filter", "project=A"], 2),
            (["--filter", "project=A", "17"], 2),
        ],
    )
    def test_nothing_is_done_without_a_clear_word(
        self, run: Run, many: None, arguments: list[str], code: int
    ) -> None:
        """No id, an empty or unknown filter, no yes: refused, and all fifteen stay."""
        assert run("forget", *arguments, "--json").code == code
        assert run("forget", *arguments).code == code
        assert self.left(run) == {"A": 5, "B": 5, "C": 5}

    def test_exactly_what_the_filter_says(self, run: Run, many: None) -> None:
        """A dry run counts five; with a yes exactly these five go."""
        assert len(run("forget", "--filter", "project=A", "--dry-run", "--json").json) == 5
        assert len(run("forget", "--filter", "project=A", "--yes", "--json").json) == 5
        assert self.left(run) == {"A": 0, "B": 5, "C": 5}
        assert run("forget", "--filter", "project=A", "--yes").code == 0


class TestFile:
    """Commands about the file as a whole."""

    def test_init_reads_the_repository(self, run: Run, folder: Path) -> None:
        """Makes the file, takes the documents in, says what is next; again nothing changes."""
        (folder / "README.md").write_text("# Tool\nDoes things.\n")
        (folder / "docs").mkdir()
        (folder / "docs" / "secrets.txt").write_text("hush")
        done = run("init")
        assert done.code == 0
        assert "1 statement from 1 file: 1 added" in done.out
        assert "left out 1, private" in done.out
        assert done.out.rstrip().split("\n")[-1].startswith("next: memkit recall")
        again = run("init", "--json").json
        assert (again["added"], again["unchanged"]) == (0, 1)
        assert run("init", "--empty").out.endswith("ready\n")

    def test_init_reads_the_history(self, run: Run, folder: Path) -> None:
        """Commits are counted; without git nothing is said of them."""
        assert "git:" not in run("init").out
        (folder / "a.py").write_text("x = 1\n")
        git = ("git", "-c", "user.name=Ana", "-c", "user.email=ana@example.org")
        for command in (["init", "-q"], ["add", "a.py"], ["commit", "-q", "-m", "fix: count"]):
            subprocess.run([*git, *command], cwd=folder, check=True)
        assert "git: 1 new commit; 1 known, 1 fix, 0 reverts" in run("init").out
        assert run("init", "--json").json["history"]["total"] == 1

    def test_init_says_why_git_history_was_not_read(self, run: Run, folder: Path) -> None:
        """Where there is a repository and its log is not read, `init` says so and why."""
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        assert "git has no commit yet" in run("init").err
        (folder / ".git" / "HEAD").write_text("junk")
        assert "git's history was not read: fatal: " in run("init").err

    def test_init_at_the_root_of_the_disk_walked_all_of_it(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No store is made at the root of the file system unless it is named."""
        monkeypatch.chdir("/")
        for command in (["init"], ["index"], ["remember", "x"]):
            done = run(*command)
            assert done.code == 2
            assert "/: is no repository but all there is; go to one, or say --db PATH" in done.err
        assert not Path("/.memkit.db").exists()

    def test_export_and_import(self, run: Run, remembered: Remember, folder: Path) -> None:
        """By file and by pipe, into another store, twice."""
        remembered("one ✅")
        text = run("export").out
        assert run("export", "-").out == text
        assert run("export", "out.jsonl", "--json").json == {
            "path": "out.jsonl",
            "rows": text.count("\n") - 1,
            "lost": {},
        }
        assert run("export", "--json").code == 1
        for added in (1, 0):
            done = run("import", "out.jsonl", "--db", "other.db", "--json")
            assert done.json["added"] == added
            piped = run("import", "-", "--db", "piped.db", stdin=b"\xef\xbb\xbf" + text.encode())
            assert f"{added} added" in piped.out
        assert run("export", "--db", "piped.db").out == text

    def test_import_of_notes_by_name(self, run: Run, folder: Path) -> None:
        """A format can be forced; an unknown one is a usage error."""
        long = "The crane on the north quay lifts forty tons, and is greased on Fridays."
        (folder / "n.txt").write_text(f"# A\n{long}\n\n# B\nTwice. {long}\n")
        assert run("import", "n.txt", "--format", "markdown", "--json").json["added"] == 2
        assert run("import", "n.txt", "--format", "odd").code == 2

    def test_check_and_stats_and_scrub(self, run: Run, remembered: Remember) -> None:
        """A sound file is called sound; numbers are printed; nothing is found to scrub."""
        remembered("one")
        assert run("check").out == "sound\n"
        assert run("check", "--json").json == {"sound": True, "problems": []}
        assert "memories.active: 1" in run("stats").out
        assert run("stats", "--json").json["memories"]["active"] == 1
        assert run("scrub").out == "0 rows changed\n"
        assert run("trim").out == "nothing is old or too many\n"
        assert run("trim", "--days", "1").code == 0

    def test_a_failed_check_is_an_exit_code(
        self, run: Run, remembered: Remember, folder: Path
    ) -> None:
        """Damage done from outside is named with its next step, and mended on demand."""
        import sqlite3

        number = remembered("one")
        with sqlite3.connect(folder / ".memkit.db") as shell:
            shell.execute(
                "insert into edges values (?, 42, 'relates_to', 0.5, '2026-01-01')", (number,)
            )
        shell.close()
        found = run("check")
        assert found.code == 1
        assert "orphan_edges" in found.out
        assert found.out.endswith("next: memkit check --repair\n")
        assert run("check", "--json").json["sound"] is False
        assert run("check", "--repair").code == 0
        assert run("check").code == 0

    def test_a_damaged_file_is_not_sent_round_in_circles(
        self, run: Run, remembered: Remember, folder: Path
    ) -> None:
        """What repair cannot mend is restored or saved; no check advises another check."""
        import sqlite3

        remembered("one")
        path = folder / ".memkit.db"
        with sqlite3.connect(path) as shell:
            (page,) = shell.execute(
                "select rootpage from sqlite_schema where name = 'memories_by_hash'"
            ).fetchone()
        shell.close()
        content = bytearray(path.read_bytes())
        content[(page - 1) * 4096 + 200 : page * 4096] = bytes(4096 - 200)
        path.write_bytes(content)
        for options in ((), ("--repair",)):
            found = run("check", *options)
            assert found.code == 1
            assert "check --repair" not in found.out + found.err
            assert "restore" in found.out
            assert "memkit export" in found.out

    def test_export_of_a_damaged_file_saves_what_can_be_read(self, run: Run, folder: Path) -> None:
        """What every command advises for a damaged file works: rows, losses, a new store."""
        path = folder / ".memkit.db"
        with memkit.open(path, global_store=False) as kit:
            kit.memories.remember_many(f"Service {n} listens on {2000 + n}." for n in range(200))
        _break_pages(path, "memories", 2)
        assert "memkit export FILE" in run("list").err
        done = run("export", "saved.jsonl", "--json")
        assert done.code == 1
        lost = done.json["lost"]["memories"]
        assert 0 < lost < 200
        assert f"{lost} of memories" in run("export", "saved.jsonl").err
        made = run("--db", "new.db", "import", "saved.jsonl", "--json").json
        assert made["added"] == 200 - lost
        assert run("--db", "new.db", "check").code == 0

    def test_export_of_a_file_with_broken_derived_rows_loses_nothing(
        self, run: Run, folder: Path
    ) -> None:
        """Only what is derived is broken: every row is saved, and that is said."""
        path = folder / ".memkit.db"
        run("remember", "Uploads go through the queue.")
        _break_pages(path, "search_documents", 1)
        done = run("export", "saved.jsonl")
        assert (done.code, done.out) == (0, "saved.jsonl: 1 row\n")
        assert run("--db", "new.db", "import", "saved.jsonl", "--json").json["added"] == 1

    def test_a_secret_in_the_file_is_sent_to_scrub(
        self, run: Run, remembered: Remember, folder: Path
    ) -> None:
        """Repair does not remove secrets, so check does not advise it for them."""
        import sqlite3

        remembered("one")
        with sqlite3.connect(folder / ".memkit.db") as shell:
            shell.execute("update memories set text = 'the password is ' || ?", ("Kx7#mQ2vT9",))
        shell.close()
        assert run("check", "--repair").code == 1
        found = run("check")
        assert found.code == 1
        assert found.out.endswith("next: memkit scrub\n")
        assert run("scrub").code == 0
        assert run("check").code == 0

    def test_doctor(self, run: Run, remembered: Remember, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each line is fine or a problem with a next step; a problem is an exit code."""
        before = {finding["name"] for finding in run("doctor", "--json").json}
        assert {"sqlite", "sqlite-vec", "encoder", "extra", "languages"} <= before
        assert {"tokens", "file", "git"} <= before
        remembered("one")
        assert f"schema {len(schema.reference().steps)}, 1 memory, " in run("doctor").out
        monkeypatch.setenv("MEMKIT_DISABLED", "1")
        off = run("doctor")
        assert off.code == 1
        assert "next: unset MEMKIT_DISABLED" in off.out
        assert run("list", "--json").json["error"]["code"] == "disabled"

    def test_doctor_names_a_file_that_is_none(self, run: Run, folder: Path) -> None:
        """A file of something else is a problem, and stays as it is."""
        (folder / ".memkit.db").write_text("my diary, not a database, long enough to be read")
        assert "problem\tfile" in run("doctor").out
        assert (folder / ".memkit.db").read_text().startswith("my diary")
        assert "problem\tfolder" in run("doctor", "--db", "nowhere/x.db").out

    def test_sql_lists_and_runs(self, run: Run, remembered: Remember) -> None:
        """Without a name all read-only queries; with one its rows, parameters by name."""
        number = remembered("one", "--tag", "x")
        listed = {row["name"]: row for row in run("sql", "--json").json}
        assert listed["memories.by_ids"]["parameters"] == "ids"
        assert "tables.memories_rows" in listed
        assert "memories.delete" not in listed
        assert run("sql", "memories.tag_counts").out == "name\tdescription\thow_many\nx\t\t1\n"
        (row,) = run("sql", "memories.by_ids", f"ids=[{number}]", "--json").json
        assert row["text"] == "one"
        assert run("sql", "memories_search.get_embedding_model", "name=none").out == ""

    def test_query_takes_an_empty_text_as_project(self, run: Run, remembered: Remember) -> None:
        """It is called by an empty text, which is a value too."""
        number = remembered("one")
        asked = ("memories.as_of", "moment=2130-01-01", "limit=5")
        assert run("sql", *asked, "project=").out == f"id\n{number}\n"
        assert run("sql", *asked, "project=other").out == ""

    @pytest.mark.parametrize(
        "arguments",
        [
            ["memories.delete", "id=1"],
            ["nonsense"],
            ["memories.by_ids"],
            ["memories.by_ids", "ids=1", "more=2"],
            ["memories.by_ids", "ids"],
        ],
    )
    def test_sql_refuses(self, run: Run, remembered: Remember, arguments: list[str]) -> None:
        """A query that writes, an unknown one, wrong parameters: an error."""
        remembered("one")
        refused = run("sql", *arguments)
        assert refused.code == 1
        assert refused.err.startswith("memkit: ")

    def test_the_global_store(self, run: Run, remembered: Remember) -> None:
        """--global acts on the other file; global statements of a project go there."""
        remembered("everywhere", "--scope", "global")
        run("remember", "here")
        run("remember", "there", "--global")
        found = run("list", "--global", "--json").json["memories"]
        assert [memory["text"] for memory in found] == ["there", "everywhere"]
        everything = [memory["text"] for memory in run("list", "--json").json["memories"]]
        assert everything == ["there", "here", "everywhere"]
        assert run("list", "--global", "--db", "x").code == 2


def test_every_command_has_help(run: Run) -> None:
    """Each command is listed with a sentence, and its help explains every option."""
    overview = run("--help")
    assert overview.code == 0
    assert "Exit codes: 0 done" in " ".join(overview.out.split())
    assert run().out == overview.out
    for command in map(load_command, COMMANDS):
        shown = run(command.name, "--help")
        assert shown.code == 0
        assert command.name in overview.out, f"GROUPS in memkit/cli/commands.py: {command.name}"
        assert command.help
        for parameter in command.parameters:
            assert not parameter.is_option or parameter.name in shown.out
            assert not parameter.is_option or parameter.help
        for shared in ("--db", "--json", "--global"):
            assert shared in shown.out


def test_recall_leaves_the_file_as_it_is(run: Run, remembered: Remember, folder: Path) -> None:
    """Reading commands do not change a byte that git would see."""
    number = remembered("Never retry a POST")
    before = (folder / ".memkit.db").read_bytes()
    for arguments in (["list"], ["show", number], ["stats"], ["check"], ["export"], ["sql"]):
        assert run(*arguments).code == 0
    assert (folder / ".memkit.db").read_bytes() == before
    assert json.loads(run("export").out.split("\n")[0])["memkit"] == "export"


def _break_pages(path: Path, tree: str, count: int) -> None:
    """Overwrite leaves of a tree with zeros, the last ones of it."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    leaves = "select pageno from dbstat where name = ? and pagetype = 'leaf' order by path"
    pages = [page for (page,) in connection.execute(leaves, (tree,))]
    connection.close()
    content = bytearray(path.read_bytes())
    for page in pages[-count:]:
        content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(content)
