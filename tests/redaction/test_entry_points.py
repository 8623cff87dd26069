"""No way into the file lets a secret through: every column of every permanent table, by every
public path that writes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

import memkit
from memkit.cli.main import main
from memkit.consolidation.link_discovery import discover_links
from memkit.memories.records import Draft, Procedure
from memkit.memories.writer import infer_tag
from memkit.store.schema import reference
from memkit.store.tables import tables

from .fakes import letters

KEY = "gh" + "p_" + letters(36, 21)
SECRETS = {"plain": KEY, "bold": f"**{KEY}**", "coloured": f"x\x1b[32m{KEY}\x1b[0m"}
# Written by memkit alone, and never brought in.
OWN = {"derived_parts", "change_counters", "consolidation_runs", "consolidation_changes"}
VERSION = reference().version
NOW = "2025-06-01T00:00:00.000Z"
# Rows of tables that are hard to fill through the front door.
ROWS: dict[str, dict[str, Any]] = {
    "settings": {"name": "a.b", "value": "1", "updated_at": NOW},
    "surfaced_global": {"session_id": "s", "memory_id": 1 << 40, "shown_at": NOW},
    "memory_aliases": {"former_id": 1 << 40, "memory_id": 1 << 41, "created_at": NOW},
    "mentions": {"session_id": "s0", "path": "a.py", "call": 1, "position": 0, "mention_count": 1},
    "predictions": {
        "id": 5, "timestamp": NOW, "session_id": "s0", "task_id": "t", "signal": "file",
        "subject": "a.py", "kind": "file", "predicted": "b.py", "source": "co-edit", "weight": 0.5,
        "used_at": None,
    },
    "surfaced_items": {"session_id": "s", "item": "error:1", "shown_at": NOW},
    "prediction_weights": {
        "signal": "file", "source": "co-edit", "weight": 0.5, "predicted_count": 1,
        "used_count": 0, "updated_at": NOW,
    },
}  # fmt: skip


def pieces(folder: Path) -> list[str]:
    """The pieces of the key, as long as a password, that stand anywhere in the files of a store."""
    found = []
    for path in folder.glob("*.db*"):
        data = path.read_bytes().lower()
        found += [
            KEY[n : n + 10] for n in range(0, 31, 5) if KEY[n : n + 10].lower().encode() in data
        ]
    return found


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Rows of every permanent table, by its name."""
    folder = tmp_path_factory.mktemp("source")
    with memkit.open(folder / "a.db", global_store=False) as kit:
        one = kit.memories.remember(
            "The parser is fast.", tags=("x",), artifacts=(("file", "a.py"),), about=("a.py",),
            snippet="s", session="s", reason="r",
        )  # fmt: skip
        two = kit.memories.remember("Lexers are slow.", derived_from=(one,), key="k", value="v")
        kit.memories.contradict(one, two)
        kit.memories.remember("The  parser is fast")
        kit.memories.purge(kit.memories.remember("Gone soon."))
        for number in range(4):
            session = kit.session(f"s{number}", agent="a")
            task = session.task("Fix it.")
            task.tool("bash", {"command": "ls"}, success=False, error="E: x", output="a.py")
            task.file("a.py", "edit")
            task.file("b.py", "edit")
            task.snapshot(items=[{"id": "a", "type": "b", "tokens": 3}])
            task.finish("ok")
            session.close("bye")
        kit.memories.update(one, "The parser is slow.")
        (folder / "n.md").write_text("# Tools\n\nUse uv for all environments.\n")
        kit.import_(folder / "n.md")
        kit.recall("zzz nothing", session="s")
        kit.recall("parser", session="s")
        _fill_context(kit)
    with memkit.open(folder / "a.db", global_store=False) as kit:
        kit.export(folder / "a.jsonl", local=True)
    rows: dict[str, list[dict[str, Any]]] = {name: [row] for name, row in ROWS.items()}
    for line in (folder / "a.jsonl").read_text("utf-8").splitlines()[1:]:
        found = json.loads(line)
        rows.setdefault(found["table"], []).append(found["row"])
    return rows


def _fill_context(kit: memkit.Memkit) -> None:
    """Write a row of each table of contexts, reviews, documents and transcripts."""
    kit.context.project().add_decision("Uploads go through the queue.", tags=["uploads"])
    kit.context.task("t").add_reasoning("The bucket answers 503.", stage="diagnose")
    sessions = kit.context.sessions
    context = sessions.load("c")
    for step in range(60):
        context = context.with_message("user", f"Check step {step}.", timestamp=step)
    sessions.save(context)
    sessions.compact("c")
    kit.extract("Remember that deploys need two reviews.", session="x", remember=True)
    harbour = [
        "The harbour map is drawn with Leaflet.",
        "We switched the harbour map from Leaflet to MapLibre last month.",
    ]
    crews = [f"Crew {n} paints buoys." for n in range(20)]
    kit.memories.remember_many([*harbour, *crews])
    kit.consolidation.scan_contradictions(judge=lambda older, newer: "update")
    kit.context.documents.put(("notes",), "tea", {"text": "Tea is green."})
    kit.context.transcripts.append("claude/a", "s", [{"type": "user", "uuid": "u1"}])
    tagged = kit.memories.remember("Hens lay in spring.")
    kit._store.write(partial(infer_tag, kit._store, tagged.id, "farm"))
    kit.memories.untag(tagged, "farm")
    _fill_consolidation(kit)


def _fill_consolidation(kit: memkit.Memkit) -> None:
    """Write a row of each table of what use, time and outcomes do."""
    deploy = kit.memories.remember("We deploy.", procedure=memkit.Procedure(("build", "push")))
    other = kit.memories.remember("The registry is called heron.")
    kit.consolidation.used([deploy.id, other.id])
    discover_links(kit._store)
    kit.consolidation.note_outcome(deploy, "failed", step=2, note="quota", session="s")
    kit.recall("where do quokkas nest?", session="s")
    kit.consolidation.close_gap(kit.gaps()[0].ids[0])
    for text in (
        "Tests run with pytest -n 4.",
        "We run pytest -n 4 for tests.",
    ):
        kit.memories.remember(text)
    kit.consolidate()
    kit.consolidation.undo("last")


def test_every_permanent_table_is_tried(exported: dict[str, Any]) -> None:
    """A table added to the schema needs a row here."""
    assert exported.keys() == tables().keys() - OWN


@pytest.mark.parametrize("table", sorted(tables().keys() - OWN))
def test_an_import_brings_no_secret_in(
    table: str, exported: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    """The key in every column, one after the other: it is replaced, or the row is refused."""
    with memkit.open(tmp_path / "b.db", global_store=False) as kit:
        for column in tables()[table].columns:
            row = dict(exported[table][0])
            if not isinstance(row[column], str | None):
                continue
            is_json = column in tables()[table].json_columns
            row[column] = json.dumps({KEY: [KEY, {"a": f"x {KEY}"}]}) if is_json else KEY
            head = {"memkit": "export", "format": 1, "schema": VERSION, "local": True, "rows": 2}
            before = [("memories", found) for found in exported["memories"]]
            lines = [head, *({"table": n, "row": r} for n, r in [*before, (table, row)])]
            source = tmp_path / "in.jsonl"
            source.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
            _quietly(lambda source=source: kit.import_(source))
    assert pieces(tmp_path) == []


DRAFTS = [field.name for field in attrs.fields(Draft)]
MANY = ("tags", "about", "file_paths", "trigger_patterns")


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_what_is_remembered_keeps_no_secret(secret: str, tmp_path: Path) -> None:
    """Every text of a draft, new and updated; no message repeats it."""
    steps = Procedure((secret,), secret, secret, (secret,), (secret,))
    given = dict.fromkeys(DRAFTS, secret) | {name: (secret,) for name in MANY}
    given |= {"procedure": steps, "artifacts": (("file", secret),)}
    numbers = ("messages", "pinned", "private", "supersedes", "derived_from")
    with memkit.open(tmp_path / "a.db", global_store=False, project=secret) as kit:
        old = kit.memories.remember("An old statement.")
        for name in DRAFTS:
            if name in numbers:
                continue
            fields = {"key": "colour"} if name == "value" else {"text": "A statement."}
            for write in (
                kit.memories.remember,
                lambda **changes: kit.memories.update(old, **changes),
            ):
                _quietly(
                    lambda write=write, fields=fields, name=name: write(
                        **fields | {name: given[name]}
                    )
                )
        kit.memories.tag(old, secret)
        kit.memories.contradict(old, kit.memories.remember("Another."), note=secret)
        kit.memories.forget(old, reason=secret)
        kit.recall(f"zzz {secret}", session=secret)
        kit.recall(f"statement {secret}", session=secret)
        _quietly(lambda: kit.recall("x", since=secret))
        _quietly(lambda: kit.recall("x", kind=secret))
        _quietly(lambda: kit.query(secret))
    assert pieces(tmp_path) == [], "memkit/memories/ingest.py lets a text of Draft through"


def _quietly(run: Callable[[], object]) -> None:
    try:
        run()
    except memkit.MemkitError as error:
        assert KEY not in str(error)
        assert KEY not in repr(error)


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_what_is_recorded_keeps_no_secret(secret: str, tmp_path: Path) -> None:
    """Names, parameters, results, outputs, paths, items of a context; cut anywhere."""
    with memkit.open(tmp_path / "a.db", global_store=False) as kit:
        for cut in (0, 20, 30, 45, 75, 170, 195, 385, 590):
            text = "x" * cut + f" {secret}"
            session = kit.session(f"{cut} {secret}" if cut else None, agent=text)
            task = session.task("d" * (3_600 - cut) + text, name=f"{text} t")
            given = {
                text: text,
                "y": {text: [text]},
                "old_string": text,
                "argv": ["redis-cli", text],
            }
            task.tool(text, given, success=False, error=text, output=f"{text}\n" * 30, result=given)
            task.tool("sh", {"command": f"echo {secret}"}, success=True, output=text, call_id=text)
            task.file(f"p/{'q' * cut}/{KEY}.py", "edit", context=text, changes=text)
            task.file("a.py", "rename", previous_path=f"{KEY}/b.py", content_hash=KEY)
            task.snapshot(items=[{"id": text, "type": text}], pruned=[{"id": text}])
            task.fail(text)
            session.close(text)
    assert pieces(tmp_path) == []


HOOKS: tuple[dict[str, Any], ...] = (
    {"hook_event_name": "UserPromptSubmit", "session_id": KEY, "prompt": f"Deploy with {KEY}.",
     "cwd": f"/x/{KEY}"},
    {"hook_event_name": "PostToolUse", "session_id": KEY, "tool_name": KEY, "tool_use_id": KEY,
     "tool_input": {"command": f"echo {KEY}", "file_path": f"src/{KEY}.py", KEY: KEY},
     "tool_response": {"stdout": KEY, "stderr": f"E: {KEY}", KEY: KEY}},
    {"event": "task", "session": KEY, "task": KEY, "description": KEY, "agent": KEY},
    {"event": KEY, "session": KEY},
    {"session": "s", "tool": KEY, "parameters": KEY, "success": KEY},
)  # fmt: skip


def test_what_hooks_report_keeps_no_secret(tmp_path: Path) -> None:
    """Events as agents' hooks report them, and events that are none."""
    with memkit.open(tmp_path / "a.db", global_store=False) as kit:
        for given in HOOKS:
            _quietly(lambda given=given: kit.episodes.record(given))
    assert pieces(tmp_path) == []


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the key in headings, file names and a transcript."""
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "README.md").write_text(f"# Ops {KEY}\n\nThe key is **{KEY}**, rotate it.\n", "utf-8")
    (folder / "AGENTS.md").write_text(f"# Rules\n\n- Never print {KEY} in a log.\n", "utf-8")
    (folder / "docs" / f"{KEY}.md").write_text("# Doc\n\nIt says something useful.\n", "utf-8")
    (folder / f"{KEY}.py").write_text("x = 1\n", "utf-8")
    code = f'package {KEY}\nimport "x/{KEY}"\nfunc {KEY}() {{ {KEY}.Foo() }}\n'
    (folder / "b.go").write_text(code, "utf-8")
    (folder / "a.py").write_text(f'def f():\n    """Uses {KEY}."""\n    return "{KEY}"\n', "utf-8")
    lines = [
        {"type": "user", "sessionId": KEY, "uuid": "1", "timestamp": NOW, "cwd": f"/x/{KEY}",
         "message": {"role": "user", "content": f"Fix {KEY}."}},
        {"type": "assistant", "sessionId": KEY, "uuid": "2", "timestamp": NOW,
         "message": {"role": "assistant", "content": [
             {"type": "tool_use", "id": KEY, "name": "Bash", "input": {"command": f"ls {KEY}"}}]}},
        {"type": "user", "sessionId": KEY, "uuid": "3", "timestamp": NOW,
         "message": {"role": "user", "content": [
             {"type": "tool_result", "tool_use_id": KEY, "content": f"E: {KEY}"}]}},
    ]  # fmt: skip
    talk = tmp_path / f"{KEY}.jsonl"
    talk.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    monkeypatch.chdir(folder)
    return folder


def test_a_repository_and_a_transcript_bring_no_secret_in(repository: Path) -> None:
    """Notes, code and what agents wrote down: headings, names of files, texts, calls."""
    with memkit.open(".memkit.db", global_store=False) as kit:
        kit.import_notes()
        kit.codegraph.index()
        kit.import_(next(repository.parent.glob("*.jsonl")), format="transcript")
        assert KEY not in repr(kit.codegraph.status())
    assert pieces(repository) == []


COMMANDS = (
    ("remember", f"Use {KEY}.", "--tag", KEY, "--author", KEY, "--session", KEY, "--source", KEY),
    ("remember", "--key", "deploy_token", "--value", KEY), ("remember", "x", "--scope", KEY),
    ("remember", "x", "--about", f"src/{KEY}.py", "--trigger", KEY, "--valid-from", KEY),
    ("recall", f"zzz {KEY}", "--session", KEY), ("recall", "x", "--since", KEY),
    ("recall", "x", "--kind", KEY), ("recall", "x", f"--{KEY}"), (KEY,), ("show", KEY),
    ("--json", "list", "--limit", KEY), ("query", KEY), ("import", f"{KEY}.jsonl"),
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=range(len(COMMANDS)))
def test_the_command_line_keeps_no_secret(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is typed as text, name, time or format."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMKIT_GLOBAL", str(tmp_path / "g.db"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    main(["init"])
    main(list(command))
    assert pieces(tmp_path) == []


def test_a_message_quoted_half_a_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong is quoted without its secrets, also where only its beginning is shown."""
    long = "gh" + "p_" + letters(36, 21) + "." + letters(36, 22)
    said = [
        f"token {long}", json.dumps(f"token {long}"),
        *(
            json.dumps({"event": "tool", "tool": "t", **one})
            for one in ({"success": long}, {"exit_code": long}, {"at": long}, {"event": long})
        ),
        json.dumps({long: "tool"}),
    ]  # fmt: skip
    with memkit.open(tmp_path / "s.db", global_store=False) as kit:
        with pytest.raises(memkit.InvalidInput) as caught:
            kit.memories.remember("a statement", value=long)
        messages = [str(caught.value)]
        (tmp_path / "not.jsonl").write_text('{"memkit":"export","format":1}\n' + long + "\n")
        with pytest.raises(memkit.MemkitError) as broken:
            kit.import_(tmp_path / "not.jsonl", format="memkit")
        messages.append(str(broken.value))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(said).encode())))
    assert main(["--db", str(tmp_path / "s.db"), "record"]) == 1
    messages.append(capsys.readouterr().err)
    for one in said:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(one.encode())))
        main(["--db", str(tmp_path / "s.db"), "record"])
        messages.append(capsys.readouterr().err)
    found = [KEY[n : n + 10] for n in range(0, 31, 5)]
    assert [one for one in messages if any(piece in one for piece in found)] == []
