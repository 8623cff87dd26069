"""Out of a store and into another: nothing lost, nothing doubled, nothing half done."""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memkit
from memkit.encoder import HashedEncoder
from memkit.errors import InvalidInput, NotFound, SchemaTooNew, StoreBusy, StoreReadOnly
from memkit.interchange import archive
from memkit.store.tables import tables
from tests.conftest import Clock
from tests.interchange.archives import brought, exported
from tests.strategies import statements, tag_names, texts
from tests.tables import each_row

MakeKit = Callable[..., memkit.Memkit]
# Put together here, so that no scanner takes this file for a leak.
SECRET = "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def with_line(text: str, number: int, change: Callable[[dict[str, Any]], Any]) -> str:
    """Return an archive with one of its lines (counted from 1) changed."""
    lines = text.split("\n")
    value = json.loads(lines[number - 1])
    lines[number - 1] = json.dumps(change(value) or value)
    return "\n".join(lines)


def fill(kit: memkit.Memkit, clock: Clock) -> list[int]:
    """Put something into every table that a person can fill."""
    memories = kit.memories
    first = memories.remember(
        "Never retry a POST", kind="negative", tags=["http"], about=["src/a.py::A.b"], snippet="x"
    )
    clock.advance(1)
    folded = memories.remember("never retry the POST.", kind="negative")
    assert folded.outcome == "folded"
    old = memories.remember(key="indent", value="tabs")
    clock.advance(1)
    new = memories.remember(key="indent", value="spaces", supersedes=[old])
    other = memories.remember("Retry a POST once", artifacts=[("commit", "abc123")])
    memories.contradict(first, other, note="which?")
    memories.link(first, new)
    memories.pin(first)
    gone = memories.remember("to be purged")
    memories.purge(gone)
    return [first.id, old.id, new.id, other.id, gone.id]


class TestRoundTrip:
    """Export, import into an empty store, export again."""

    @pytest.mark.parametrize("local", [False, True])
    def test_every_table_survives(self, make_kit: MakeKit, clock: Clock, local: bool) -> None:
        """The second export has the same bytes as the first, and the copy is found and sound."""
        kit, copy = make_kit(), make_kit("copy.db")
        fill(kit, clock)
        kit.memories.forget(kit.memories.remember("forgotten"), reason="wrong")
        text = exported(kit, local=local)
        done = brought(copy, text)
        assert exported(copy, local=local) == text
        assert done.added == len(copy.memories.find(history=True))
        assert [hit.memory.text for hit in copy.recall("retry POST", min_score=0)]
        assert copy.check().is_sound

    def test_the_same_content_gives_the_same_bytes(self, kit: memkit.Memkit, clock: Clock) -> None:
        """Exporting changes nothing; the header counts the rows."""
        fill(kit, clock)
        before = kit.path.read_bytes()
        text = exported(kit)
        assert exported(kit) == text
        assert kit.path.read_bytes() == before
        header, *rows = lines_of(text)
        assert header == {
            "memkit": "export",
            "format": 1,
            "schema": header["schema"],
            "local": False,
            "rows": len(rows),
        }

    def test_archive_keeps_what_sessions_saw_of_the_global_store(
        self, make_kit: MakeKit, tmp_path: Path
    ) -> None:
        """What a session saw of the global store, another file, crosses an archive with the rest
        of this machine's rows."""
        kit = make_kit("one.db", global_store=tmp_path / "global.db")
        kit.memories.remember("Answers are kept brief", scope="global")
        assert kit.recall("how brief are answers?", session="s", min_score=0)
        kit.close()
        text = exported(make_kit("one.db"), local=True)
        assert '"table":"surfaced_global"' in text
        copy = make_kit("copy.db")
        brought(copy, text)
        assert exported(copy, local=True) == text

    def test_importing_twice_changes_nothing(self, make_kit: MakeKit, clock: Clock) -> None:
        """The second import finds everything unchanged, into the own store too."""
        kit, copy = make_kit(), make_kit("copy.db")
        fill(kit, clock)
        text = exported(kit)
        brought(copy, text)
        clock.advance(days=1)
        for store in (kit, copy):
            again = brought(store, text)
            assert (again.added, again.updated, again.forgotten) == (0, 0, 0)
            assert exported(store) == text

    def test_private_memories_stay(self, make_kit: MakeKit) -> None:
        """A private memory, its tags and edges come only with local; the rest stays whole."""
        kit, copy = make_kit(), make_kit("copy.db")
        public = kit.memories.remember("public")
        hidden = kit.memories.remember("hidden", private=True, tags=["hush"], supersedes=[public])
        kit.memories.link(kit.memories.remember("other"), hidden)
        text = exported(kit)
        assert "hidden" not in text
        assert "hush" not in text
        assert str(hidden.id) not in text
        brought(copy, text)
        assert exported(copy) == text
        assert "hidden" in exported(kit, local=True)

    def test_usage_and_audit_are_local(self, make_kit: MakeKit, clock: Clock) -> None:
        """Rows of local tables come only with local, and the file's own bookkeeping never."""
        kit = make_kit()
        fill(kit, clock)
        kinds = {tables()[row["table"]].kind for row in lines_of(exported(kit))[1:]}
        assert kinds == {"shared"}
        names = {row["table"] for row in lines_of(exported(kit, local=True))[1:]}
        assert "audit" in names
        assert not names & {"change_counters", "derived_parts"}


class TestMerge:
    """Importing into a store that has rows already."""

    def test_the_newer_of_two_wins(self, make_kit: MakeKit, clock: Clock) -> None:
        """An older row loses, a newer one replaces, whoever imports whom."""
        kit, other = make_kit(), make_kit("other.db")
        number = kit.memories.remember("first text").id
        brought(other, exported(kit))
        clock.advance(1)
        old = exported(kit)
        kit.memories.update(number, "newer text")
        assert brought(kit, old).updated == 0
        assert kit.memories.get(number).text == "newer text"
        assert brought(other, exported(kit)).updated == 1
        assert exported(other) == exported(kit)
        assert other.recall("newer", min_score=0)[0].id == number

    def test_purged_here_stays_away(self, make_kit: MakeKit, clock: Clock) -> None:
        """What was purged does not come back, with what hangs on it, unless asked."""
        kit, other = make_kit(), make_kit("other.db")
        numbers = fill(kit, clock)
        text = exported(kit)
        brought(other, text)
        clock.advance(1)
        other.memories.purge(numbers[0])
        done = brought(other, text)
        assert done.added == 0
        assert any("purged here" in reason for _, reason in done.left_out)
        with pytest.raises(NotFound):
            other.memories.get(numbers[0])
        assert brought(other, text, revive=True).added == 1
        assert exported(other) == text

    def test_a_purge_elsewhere_reaches_here(self, make_kit: MakeKit, clock: Clock) -> None:
        """A tombstone removes the row, whatever was changed in it since."""
        kit, other = make_kit(), make_kit("other.db")
        one, two = kit.memories.remember("one").id, kit.memories.remember("two").id
        brought(other, exported(kit))
        clock.advance(1)
        kit.memories.purge([one, two])
        clock.advance(1)
        other.memories.update(two, "two, still needed")
        done = brought(other, exported(kit))
        assert done.forgotten == 2
        assert not other.memories.find(history=True)

    def test_imported_purge_keeps_its_date(self, make_kit: MakeKit, clock: Clock) -> None:
        """Two stores that know of one purge say the same of when it was."""
        kit, other = make_kit(), make_kit("other.db")
        number = kit.memories.remember("one").id
        kit.episodes.record({"event": "tool", "session": "s1", "tool": "Bash"})
        kit.episodes.flush()
        brought(other, exported(kit))
        clock.advance(1)
        kit.memories.purge(number)
        kit.episodes.purge(session="s1")
        clock.advance(1)
        brought(other, exported(kit))
        assert exported(other) == exported(kit)

    def test_the_same_statement_is_not_doubled(self, make_kit: MakeKit, clock: Clock) -> None:
        """Two machines that learned the same keep one memory, with both wordings."""
        kit, other = make_kit(), make_kit("other.db")
        mine = kit.memories.remember("Use uv in CI").id
        clock.advance(10)
        other.memories.remember("use uv in the CI!", tags=["ci"])
        text = exported(other)
        for _ in range(2):
            brought(kit, text)
            (only,) = kit.memories.find()
            assert only.id == mine
            assert only.tags == ("ci",)
            assert only.text == "use uv in the CI!"
            assert kit.memories.details(mine).paraphrases == ("Use uv in CI",)

    def test_the_same_source_is_not_doubled(self, make_kit: MakeKit, clock: Clock) -> None:
        """Two machines that read the same document keep one memory of each heading."""
        kit, other = make_kit(), make_kit("other.db")
        mine = kit.memories.remember("old", source="README.md#a").id
        clock.advance(10)
        other.memories.remember("new", source="README.md#a")
        assert brought(kit, exported(other)).updated == 1
        (only,) = kit.memories.find()
        assert (only.id, only.text) == (mine, "new")

    def test_empty_source_is_no_source(self, make_kit: MakeKit) -> None:
        """Other programs write an empty text where there is no source."""
        kit, other = make_kit(), make_kit("other.db")
        kit.memories.remember("ours")
        other.memories.remember("theirs")
        brought(kit, exported(other).replace('"source":null', '"source":""'))
        assert {(memory.text, memory.source) for memory in kit.memories.find()} == {
            ("ours", None),
            ("theirs", None),
        }

    def test_ids_that_collide_are_told_apart(self, make_kit: MakeKit, clock: Clock) -> None:
        """Another memory that bears an id of ours gets a new one, with all that hangs on it."""
        kit, other = make_kit(), make_kit("other.db")
        number = kit.memories.remember("ours").id
        clock.advance(10)
        theirs = other.memories.remember("theirs", tags=["x"]).id
        text = exported(other).replace(str(theirs), str(number))
        for _ in range(2):
            brought(kit, text)
            found = {memory.text: memory for memory in kit.memories.find()}
            assert found.keys() == {"ours", "theirs"}
            assert found["ours"].id == number
            assert found["theirs"].tags == ("x",)
            assert found["ours"].tags == ()

    def test_counters_and_edges_keep_the_greater(self, make_kit: MakeKit) -> None:
        """An edge keeps the greater weight, in whichever order the two meet."""
        kit, other = make_kit(), make_kit("other.db")
        one, two = kit.memories.remember("one").id, kit.memories.remember("two").id
        brought(other, exported(kit))
        kit.memories.link(one, two, weight=0.9)
        other.memories.link(one, two, weight=0.2)
        brought(other, exported(kit))
        brought(kit, exported(other))
        assert [edge.weight for edge in kit.memories.edges(one)] == [0.9]
        assert exported(kit) == exported(other)


class TestRefusals:
    """What cannot be imported is refused before anything is written, and says where."""

    @pytest.fixture
    def text(self, make_kit: MakeKit, clock: Clock) -> str:
        """An archive of a filled store."""
        kit = make_kit("origin.db")
        fill(kit, clock)
        return exported(kit)

    def test_a_damaged_last_line_is_named(self, kit: memkit.Memkit, text: str) -> None:
        """A file cut in the middle of a line, or at the end of one, is refused."""
        lines = text.rstrip("\n").split("\n")
        with pytest.raises(InvalidInput, match=f"line {len(lines)}: is damaged or cut off"):
            brought(kit, text.rstrip("\n")[:-5])
        with pytest.raises(InvalidInput, match=f"ends after {len(lines) - 2} of"):
            brought(kit, "\n".join(lines[:-1]))
        assert not kit.memories.find(history=True)

    @each_row(
        "change, message",
        [
            (lambda v: v["row"].update(colour="red"), "no column 'colour'"),
            (lambda v: v.update(table="secrets"), "table 'secrets' is unknown"),
            (lambda v: v.update(table="documents"), "table 'documents' is unknown"),
            (lambda v: [1], "expected a JSON object"),
            (lambda v: v.update(row=[1]), r"row: found '\[1\]', expected a JSON object"),
            (lambda v: v["row"].update(text=["x"]), "expected a number or a text"),
            (lambda v: v["row"].update(id="x"), "id: found 'x', expected a whole number"),
            (lambda v: v["row"].update(id=-5), "is no id"),
            (lambda v: v["row"].update(kind="rumour"), "constraint"),
            (lambda v: v["row"].update(created_at="not a date"), "is no time"),
            (lambda v: v["row"].update(created_at="2026-02-30T10:00:00.000Z"), "is no time"),
            (lambda v: v["row"].update(file_paths="{"), "is no JSON"),
            (lambda v: v["row"].update(text=None), "text"),
            (
                lambda v: v["row"].update(strength="many"),
                "strength: found 'many', expected a whole",
            ),
            (lambda v: v["row"].update(strength=1 << 70), "strength: found 118059162"),
            (lambda v: v["row"].update(confidence="much"), "confidence: found 'much', .* a number"),
            (lambda v: v["row"].update(text=5), "text: found 5, expected a text"),
            (lambda v: v["row"].update(kind=None), "kind: is missing"),
            (lambda v: v["row"].update(key=1.5), "key: found 1.5, expected a text"),
            (lambda v: v["row"].update(text={"$base64": "?"}), "base64 holds no bytes"),
            (
                lambda v: v["row"].update(trigger_patterns="5"),
                "trigger_patterns: .* JSON list of te",
            ),
            (
                lambda v: v["row"].update(file_paths='{"a": 1}'),
                "file_paths: .* a JSON list of texts",
            ),
            (lambda v: v["row"].update(procedure="[]"), "procedure: .* a JSON object with steps"),
            (lambda v: v["row"].update(procedure='{"steps": 5}'), "procedure steps: found 5"),
            (lambda v: v["row"].update(procedure='{"stairs": []}'), "procedure: .*stairs"),
        ],
    )
    def test_an_odd_row_is_named(
        self, kit: memkit.Memkit, text: str, change: Callable[[dict[str, Any]], Any], message: str
    ) -> None:
        """Unknown tables and columns and impossible values name the line; nothing is stored."""
        with pytest.raises(InvalidInput, match=rf"stdin line 3: .*{message}"):
            brought(kit, with_line(text, 3, change))
        assert not kit.memories.find(history=True)

    @each_row(
        "table, changes, message",
        [
            ("edges", {"src": "x"}, "src: found 'x', expected a whole number"),
            ("edges", {"dst": 1 << 70}, "dst: found 118059162"),
            ("edges", {"weight": "heavy"}, "weight: found 'heavy', expected a number"),
            ("contradictions", {"memory_a": "x"}, "memory_a: found 'x'"),
            ("contradictions", {"memory_b": {"$base64": "AAAA"}}, "memory_b: found b'"),
            ("tags", {"name": 5}, "name: found 5, expected a text"),
            ("tags", {"name": "#"}, "tag: '#' has 0 letters"),
            ("anchors", {"path": 7}, "path: found 7"),
            ("tombstones", {"id": "x"}, "id: found 'x'"),
        ],
    )
    def test_value_of_a_wrong_type_names_line_and_column(
        self, kit: memkit.Memkit, text: str, table: str, changes: dict[str, Any], message: str
    ) -> None:
        """A value of another sort than its column names the line and the column."""
        number = next(n for n, line in enumerate(lines_of(text), 1) if line.get("table") == table)
        with pytest.raises(InvalidInput, match=rf"stdin line {number}: {message}"):
            brought(kit, with_line(text, number, lambda v: v["row"].update(changes)))
        assert not kit.memories.find(history=True)

    @pytest.mark.parametrize("part", ["format", "schema", "rows"])
    def test_header_with_a_text_for_a_number_is_no_header(
        self, kit: memkit.Memkit, text: str, part: str
    ) -> None:
        """It is no header of an export."""
        with pytest.raises(InvalidInput, match="line 1: is no header"):
            brought(kit, with_line(text, 1, lambda v: v.update({part: "x"})))

    def test_a_newer_schema_is_refused(self, kit: memkit.Memkit, text: str) -> None:
        """An archive of a later memkit says so."""
        for change in ({"schema": 999}, {"format": 999}):
            with pytest.raises(SchemaTooNew, match="upgrade memkit"):
                brought(kit, with_line(text, 1, lambda v, c=change: v.update(c)))

    def test_what_is_no_archive_is_refused(self, kit: memkit.Memkit) -> None:
        """An empty file, a wrong header, a missing file and a wrong format are told apart."""
        with pytest.raises(InvalidInput, match="is empty"):
            brought(kit, "\n", format="memkit")
        with pytest.raises(InvalidInput, match="no header"):
            brought(kit, '{"memkit":"import"}\n')
        with pytest.raises(NotFound, match="no such file"):
            kit.import_("missing.jsonl")
        with pytest.raises(InvalidInput, match="format: 'odd' is unknown"):
            brought(kit, "x", format="odd")
        with pytest.raises(InvalidInput, match="is a folder"):
            kit.import_(kit.path.parent, format="memkit")

    def test_columns_of_an_older_schema_get_their_defaults(
        self, kit: memkit.Memkit, text: str
    ) -> None:
        """A row without a column that has a default is complete."""

        def older(value: dict[str, Any]) -> None:
            for name in ("season", "private", "form", "trigger_patterns"):
                del value["row"][name]

        brought(kit, with_line(text, 3, older))
        assert len(kit.memories.find(history=True)) == text.count('"table":"memories"')

    def test_rows_of_missing_memories_are_left_out(self, kit: memkit.Memkit, text: str) -> None:
        """Without its memory nothing that hangs on it is stored."""
        kept = [line for line in text.split("\n") if '"table":"memories"' not in line]
        kept[0] = json.dumps({**json.loads(kept[0]), "rows": 1})
        done = brought(kit, "\n".join(kept))
        assert any(reason.startswith("edges:") for _, reason in done.left_out)

    def test_secrets_do_not_come_in(self, kit: memkit.Memkit, text: str, tmp_path: Path) -> None:
        """No text of any row passes unfiltered, whatever the table."""
        for number, line in enumerate(lines_of(text)[1:], 2):
            for name, value in line["row"].items():
                if isinstance(value, str) and name in ("text", "snippet", "note", "value", "name"):
                    secret = value + " " + SECRET
                    text = with_line(
                        text, number, lambda v, n=name, s=secret: v["row"].update({n: s})
                    )
        done = brought(kit, text)
        assert sum(done.redacted.values()) > 3
        kit.close()
        assert SECRET.encode() not in (tmp_path / ".memkit.db").read_bytes()

    def test_a_secret_value_beside_its_key_is_a_secret(self, make_kit: MakeKit) -> None:
        """A keyed fact is filtered by what its key says, when remembered and when imported."""
        kit, copy = make_kit("keyed.db"), make_kit("copy.db")
        kit.memories.remember(key="indent", value="hunter2!Xyz99")
        done = brought(copy, exported(kit).replace("indent", "password"))
        assert done.redacted["secret"] == 1
        (imported,) = copy.memories.find()
        told = kit.memories.remember(key="password", value="hunter2!Xyz99")
        assert told.redacted == ("secret",)
        for memory in (imported, told.memory):
            assert memory.value == "[secret:password]"
            assert "hunter2" not in memory.text

    def test_times_of_every_form_come_in_alike(self, kit: memkit.Memkit, text: str) -> None:
        """Times with an offset, without one and in milliseconds get the stored form."""
        for number, form in enumerate(
            ("2026-03-01 10:00:00", "2026-03-01T19:00:00+09:00", 1772359200, 1772359200000), 3
        ):
            text = with_line(text, number, lambda v, f=form: v["row"].update(valid_from=f))
        brought(kit, text)
        found = [m.valid_from for m in kit.memories.find(history=True, order_by="-id")]
        assert found[:4] == ["2026-03-01T10:00:00.000Z"] * 4


class TestFiles:
    """Export to files and import from them."""

    def test_a_file_is_replaced_only_if_it_is_an_export(
        self, kit: memkit.Memkit, tmp_path: Path
    ) -> None:
        """Other files, the store itself, folders and links are refused; nothing is left beside."""
        kit.memories.remember("x")
        target = tmp_path / "out.jsonl"
        assert kit.export(target) == kit.export(target) > 0
        assert target.read_bytes() == exported(kit).encode()
        other = tmp_path / "notes.md"
        other.write_text("mine")
        for path in (other, kit.path, tmp_path, tmp_path / "missing" / "x"):
            with pytest.raises(InvalidInput):
                kit.export(path)
        assert other.read_text() == "mine"
        assert not list(tmp_path.glob("*.tmp"))

    def test_failed_export_leaves_a_foreign_partial_file_alone(
        self, kit: memkit.Memkit, tmp_path: Path
    ) -> None:
        """The file beside the target is left alone if this export did not make it."""
        beside = tmp_path / f"x.jsonl.{os.getpid()}.tmp"
        beside.write_text("half of another thread's")
        with pytest.raises(StoreReadOnly):
            kit.export(tmp_path / "x.jsonl")
        assert beside.read_text() == "half of another thread's"

    def test_a_folder_that_cannot_be_written_says_so(
        self, kit: memkit.Memkit, tmp_path: Path
    ) -> None:
        """The error names the file."""
        taken = tmp_path / "x.jsonl"
        beside = tmp_path / f"x.jsonl.{os.getpid()}.tmp"
        beside.mkdir()
        with pytest.raises(StoreReadOnly, match=r"x\.jsonl"):
            kit.export(taken)
        beside.rmdir()

    def test_binary_and_text_streams_get_the_same(self, kit: memkit.Memkit) -> None:
        """A binary stream gets UTF-8."""
        kit.memories.remember("größe 🧠")
        stream = io.BytesIO()
        rows = kit.export(stream)
        assert stream.getvalue().decode() == exported(kit)
        assert rows == exported(kit).count("\n") - 1
        assert brought(kit, "\ufeff" + exported(kit)).unchanged == 1

    def test_notes_and_graphs_are_seen_for_what_they_are(
        self, kit: memkit.Memkit, tmp_path: Path
    ) -> None:
        """A Markdown file, a folder, a stream and an MCP memory file; twice changes nothing."""
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "a.md").write_text("# A\nalpha\n")
        (tmp_path / "docs" / "b.rst").write_text("Part\n====\n\nbeta\n")
        (tmp_path / "docs" / "c.json").write_text("{}")
        graph = tmp_path / "memory.json"
        graph.write_text(
            '{"type":"entity","name":"E","entityType":"t","observations":["gamma"]}\n'
            '{"type":"relation","from":"E","to":"E","relationType":"knows"}\n'
        )
        for added in (1, 0):
            assert kit.import_(tmp_path / "docs" / "a.md").added == added
            assert kit.import_(tmp_path / "docs").added == added
            assert kit.import_(graph).added == 2 * added
            assert brought(kit, "# X\ndelta\n").added == added
            plain = kit.import_(tmp_path / "docs" / "b.rst", format="plain")
            assert plain.added == added
        relation = kit.memories.find(text="E knows E")[0]
        assert [edge.kind for edge in kit.memories.edges(relation)] == ["relates_to"]
        assert brought(kit, '{"type":"entity","name":"Q"}', format="mcp").added == 1

    def test_file_has_one_source_however_it_is_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file has one source: named by itself, by its folder, as '.', or from elsewhere."""
        for path in ("repo/n.md", "repo/docs/a.md", "other/docs/b.md"):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(f"# T\nsays {path}\n")
        (tmp_path / "other" / ".git").mkdir()
        monkeypatch.chdir(tmp_path / "repo")
        with memkit.open("store.db", encoder=HashedEncoder(), global_store=False) as kit:
            assert [kit.import_(name).added for name in ("n.md", "docs/a.md")] == [1, 1]
            for name in (".", "../repo", tmp_path / "repo" / "docs", "./docs/../n.md"):
                assert kit.import_(name).added == 0
            assert kit.import_("../other/docs/b.md").added == 1
            assert kit.import_("../other").added == 0
            found = {memory.source for memory in kit.memories.find()}
        assert found == {"n.md#t", "docs/a.md#t", "../other/docs/b.md#t"}

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ('{"a":1', "line 1"),
            ('{"a":1}', "line 1"),
            ("{}", "line 1"),
            ("[1,\n2]", "line 1"),
            ('{"type":"entity","name":"E"}\n{"type":', "line 2"),
            ("# Notes\n", "line 1"),
        ],
    )
    @pytest.mark.parametrize("name", ["bad.jsonl", "bad.json"])
    def test_broken_json_file_is_an_error_with_its_line(
        self, kit: memkit.Memkit, tmp_path: Path, name: str, text: str, place: str
    ) -> None:
        """A file that is data by its name is an export or a graph, or an error with the line."""
        (tmp_path / name).write_text(text)
        with pytest.raises(InvalidInput, match=f"{name} {place}:"):
            kit.import_(tmp_path / name)
        assert not kit.memories.find()

    def test_import_of_a_store_merges_it(
        self, kit: memkit.Memkit, tmp_path: Path, clock: Clock
    ) -> None:
        """A store is merged as its export would be, only read, and not into itself."""
        other = tmp_path / "branch.memkit.db"
        with memkit.open(other, encoder=HashedEncoder(), clock=clock, global_store=False) as branch:
            fill(branch, clock)
            branch.memories.remember("mine alone", private=True)
            wanted = exported(branch)
        before = other.read_bytes()
        assert kit.import_(other).added == wanted.count('"table":"memories"')
        assert exported(kit) == wanted
        assert kit.import_(other, format="memkit").added == 0
        assert other.read_bytes() == before
        with pytest.raises(InvalidInput, match="is the store itself"):
            kit.import_(kit.path)
        with pytest.raises(InvalidInput, match="by its name"):
            kit.import_(io.BytesIO(before))

    def test_a_private_file_is_not_imported(self, kit: memkit.Memkit, tmp_path: Path) -> None:
        """A file that holds secrets by its name is refused, a folder leaves it out."""
        (tmp_path / "n").mkdir()
        (tmp_path / "n" / "secrets.txt").write_text("hush")
        with pytest.raises(InvalidInput, match="private"):
            kit.import_(tmp_path / "n" / "secrets.txt")
        assert kit.import_(tmp_path / "n").left_out[0][0] == "n/secrets.txt"

    def test_notes_from_elsewhere_are_named_by_the_way_that_leads_there(
        self, kit: memkit.Memkit, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        """No absolute path is stored."""
        elsewhere = tmp_path_factory.mktemp("elsewhere") / "a.md"
        elsewhere.write_text("# A\nalpha\n")
        kit.import_(elsewhere)
        way = os.path.relpath(elsewhere, tmp_path).replace(os.sep, "/")
        assert kit.memories.find()[0].source == f"{way}#a"
        assert way.startswith("../")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
    def test_a_pipe_is_read_as_a_stream_is(self, kit: memkit.Memkit, tmp_path: Path) -> None:
        """It is read once, whatever it holds; its name says nothing."""
        os.mkfifo(pipe := tmp_path / "notes.md")

        def fill_pipe(data: bytes) -> None:
            pipe.write_bytes(data)

        for data, name in ((b"# Quay\nIt is wet.\n", "stdin#quay"), (b"\0", "")):
            writer = threading.Thread(target=fill_pipe, args=(data,))
            writer.start()
            with suppress(InvalidInput):
                assert kit.import_(pipe).added == bool(name)
            writer.join()
        assert [memory.source for memory in kit.memories.find()] == ["stdin#quay"]


_drafts = st.lists(
    st.builds(
        dict,
        text=statements | texts.filter(lambda t: any(c.isalnum() for c in t)),
        kind=st.sampled_from(["fact", "negative"]),
        tags=st.lists(tag_names, max_size=2),
        private=st.booleans(),
        key=st.none() | st.sampled_from(["a", "b"]),
        snippet=st.none() | texts,
    ),
    max_size=8,
)


@settings(max_examples=25)
@given(_drafts, st.booleans(), st.randoms(use_true_random=False))
def test_export_import_export_is_identity(drafts: list[Any], local: bool, random: Any) -> None:
    """Whatever was remembered, linked, forgotten: a copy by way of an archive exports the same."""
    clock = Clock()
    options: Any = {"clock": clock, "encoder": HashedEncoder(8), "global_store": False}
    with tempfile.TemporaryDirectory() as folder:
        with memkit.open(Path(folder) / "a.db", **options) as kit:
            for fields in drafts:
                value = fields["text"][:20] if fields["key"] else None
                kit.memories.remember(**{**fields, "value": value})
                clock.advance(random.randint(0, 2))
            known = [memory.id for memory in kit.memories.find(history=True)]
            for number in known[1:]:
                other = random.choice([n for n in known if n != number])
                random.choice([kit.memories.link, kit.memories.contradict])(number, other)
            if known:
                kit.memories.forget(random.choice(known))
                kit.memories.purge(random.choice(known))
            text = exported(kit, local=local)
        with memkit.open(Path(folder) / "b.db", **options) as copy:
            brought(copy, text)
            assert exported(copy, local=local) == text
            assert copy.check().is_sound


def test_bytes_cross_an_archive() -> None:
    """A blob is carried as base64, whatever is in it."""
    assert archive._inward(archive._outward(b"\0\xff"), "x") == b"\0\xff"


@pytest.mark.parametrize("text", ['{"bad": ', '[{"bad": 1},', ' \ufeff{ "bad" 1}'])
def test_broken_json_from_a_stream_is_an_error(kit: memkit.Memkit, text: str) -> None:
    """What begins as data is data, also where no name says so; broken, it is an error."""
    with pytest.raises(InvalidInput, match="stdin line 1: is no JSON"):
        kit.import_(io.StringIO(text))
    assert not kit.memories.find()


def test_importing_again_leaves_the_file_unmodified(
    kit: memkit.Memkit, make_kit: Callable[..., memkit.Memkit]
) -> None:
    """A file that git has is not modified by what it holds already."""
    kit.memories.remember("Uploads go through the queue.", tags=["http"])
    text = io.StringIO()
    kit.export(text)
    other = make_kit("other.db")
    other.import_(io.StringIO(text.getvalue()))
    before = other.path.read_bytes()
    other.import_(io.StringIO(text.getvalue()))
    assert other.path.read_bytes() == before


class _Silent:
    """A stream whose `write` returns nothing; it takes bytes, or it takes text."""

    def __init__(self, sort: type) -> None:
        self.sort = sort
        self.written: list[Any] = []

    def write(self, given: Any) -> None:
        """Keep what is written."""
        if not isinstance(given, self.sort):
            raise TypeError(f"found {type(given).__name__}")
        self.written.append(given)


class _Sip(io.RawIOBase):
    """A raw stream that takes seven bytes at a time."""

    def __init__(self) -> None:
        self.written = b""

    def writable(self) -> bool:
        """Return that it is."""
        return True

    def write(self, given: Any) -> int:
        """Keep the first bytes; return how many."""
        self.written += bytes(given[:7])
        return len(given[:7])


def test_export_writes_to_text_and_byte_streams(kit: memkit.Memkit) -> None:
    """Text or bytes, wrapped or raw, whatever `write` returns: all rows arrive and are counted."""
    kit.memories.remember("größer als der Rest", tags=["b"])
    whole = io.BytesIO()
    rows = kit.export(whole)
    text = whole.getvalue().decode()
    assert rows == text.count("\n") - 1 > 0
    with tempfile.NamedTemporaryFile("w+", encoding="utf-8", newline="") as named:
        assert kit.export(named) == rows
        named.seek(0)
        assert named.read() == text
    for sort in (str, bytes):
        silent = _Silent(sort)
        assert kit.export(silent) == rows
        assert b"".join(p if sort is bytes else p.encode() for p in silent.written).decode() == text
    packed = io.BytesIO()
    with gzip.open(packed, "wb") as target:
        assert kit.export(target) == rows
    assert gzip.decompress(packed.getvalue()).decode() == text
    sip = _Sip()
    assert kit.export(sip) == rows
    assert sip.written.decode() == text
    assert not sip.closed


def test_busy_source_store_is_waited_for_as_long_as_set(
    make_kit: Callable[..., memkit.Memkit], tmp_path: Path
) -> None:
    """A store that is merged is waited for as the one it is merged into."""
    make_kit("other.db").close()
    holder = apsw.Connection(str(tmp_path / "other.db"))
    holder.execute("begin exclusive")
    kit = make_kit("own.db", busy_timeout=0.11)
    with pytest.raises(StoreBusy, match=r"time-out of 0\.11 s"):
        kit.import_(tmp_path / "other.db")
    holder.close()
