"""Installation into agents: what is others' stays to the byte, memkit's goes without a trace."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.agents import install, settings_files
from memkit.agents.entries import PluginFile
from memkit.agents.install import AGENTS, Level, Surroundings
from memkit.episodes.recording import hooks
from memkit.errors import InvalidInput

JSON_AGENTS = [name for name in AGENTS if name != "opencode"]
HOOK = "memkit hook --agent"


def _at(folder: Path, **others: Any) -> Surroundings:
    home = folder / "home"
    usual: dict[str, Any] = {"variables": {"PATH": os.defpath}, "system": "linux"}
    program = ("/opt/my tools/memkit",)
    return Surroundings(folder / "repo", home, program=program, **{**usual, **others})


@pytest.fixture
def at(tmp_path: Path) -> Surroundings:
    """A project and a user without any settings."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    return _at(tmp_path)


def _install(name: str, at: Surroundings, level: Level = Level.PROJECT) -> None:
    agent = AGENTS[name]
    install.apply(install.installation(agent, level, at), agent, level, at)


def _uninstall(name: str, at: Surroundings, level: Level = Level.PROJECT) -> None:
    agent = AGENTS[name]
    install.apply(install.removal(agent, level, at), agent, level, at)


def _files(name: str, at: Surroundings, level: Level = Level.PROJECT) -> list[Path]:
    entries = install.entries_of(AGENTS[name], level, at)
    return list(dict.fromkeys(each.path for each in entries))


def _tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


# --- Everything of others stays.

_BLANKS = (
    "",
    "",
    " ",
    "\n",
    "\n  ",
    "\n\t",
    "\r\n    ",
    " /* of, others] */ ",
    " // c: {\n",
    "\n// x\n",
)
_SCALARS = st.one_of(
    st.integers(-9, 9), st.booleans(), st.none(), st.sampled_from(["", 'q"\\', "http://a//b", "ü"])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=6,
)
_HANDLERS = st.lists(
    st.fixed_dictionaries(
        {"type": st.just("command"), "command": st.sampled_from(["x", "memkit"])}
    ),
    max_size=2,
)
_GROUPS = st.lists(st.fixed_dictionaries({"hooks": _HANDLERS}), max_size=2)
_EVENTS = ("SessionStart", "Stop", "BeforeTool", "preToolUse", "Other")
_SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(st.sampled_from(_EVENTS), _GROUPS, max_size=3),
        "mcpServers": st.dictionaries(st.sampled_from(["other", "more"]), _VALUES, max_size=2),
        "servers": st.dictionaries(st.sampled_from(["other"]), _VALUES),
        "marker": st.just("by hand"),
        "version": st.just(1),
        "theme": _VALUES,
    },
)


def _written(value: object, chance: random.Random) -> str:
    """Return a value as JSON with comments, each blank and comma at will."""
    if not isinstance(value, dict | list):
        return json.dumps(value)

    def blank() -> str:
        return chance.choice(_BLANKS)

    members = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    parts = [
        (blank() if key is None else f"{blank()}{json.dumps(key)}{blank()}:{blank()}")
        + _written(item, chance)
        + blank()
        for key, item in members
    ]
    brackets = "{}" if isinstance(value, dict) else "[]"
    trailing = "," + blank() if parts and chance.random() < 0.2 else ""
    return f"{brackets[0]}{','.join(parts)}{trailing or blank()}{brackets[1]}"


@st.composite
def _json_texts(draw: st.DrawFn) -> str | None:
    settings = draw(_SETTINGS)
    form = draw(st.sampled_from(["chaos", "chaos", "indented", "tabs", "compact", "blank", "none"]))
    if form == "none":
        return None
    if form == "blank":
        return draw(st.sampled_from(["", "\n", "\ufeff", "{}", "{ }", "{\n}\n", "{ /* c */ }"]))
    if form == "chaos":
        chance = random.Random(draw(st.integers(0, 10_000)))
        return draw(st.sampled_from(["", "\ufeff", "// c\n"])) + _written(settings, chance)
    indent: Any = {"indented": draw(st.sampled_from([2, 4])), "tabs": "\t", "compact": None}[form]
    text = json.dumps(settings, indent=indent) + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


_TOML_PARTS = st.sampled_from(
    [
        'model = "x" # of [others]\n',
        "list = [\n  1, # ]\n  [2],\n]\n",
        'text = """\n[mcp_servers.memkit]\n"""\n',
        "raw = '''\n[mcp_servers.memkit]'''\n",
        "\n",
        "# [mcp_servers.memkit]\n",
        '[mcp_servers.other]\ncommand = "memkit mcp"\n',
        '[mcp_servers."memkit.x"]\ncommand = "x"\n',
        "[[hooks.Stop]]\nmarker = 'by hand'\n",
        "  [ features . sub ]\n  a.b = { c = [1] }\n",
    ]
)


@st.composite
def _toml_texts(draw: st.DrawFn) -> str | None:
    parts = draw(st.lists(_TOML_PARTS, max_size=6, unique=True))
    text = "".join(sorted(parts, key=lambda part: part.lstrip().startswith("[")))
    text = text if draw(st.booleans()) else text.removesuffix("\n")
    return draw(st.sampled_from([text, text.replace("\n", "\r\n"), "\ufeff" + text, None]))


_BY_HAND = '"by hand, /* changed */ {", // why\n  "more": [1, {"a": "memkit"}]'


def _changed(text: str | None, path: Path) -> str | None:
    """Return a text as its owner changes it, wherever the marker stands."""
    if text is None or path.suffix == ".toml":
        return text and text.replace("'by hand'", "'changed' # why\nmore = [\n 1]")
    return text.replace('"by hand"', _BY_HAND)


@given(data=st.data(), name=st.sampled_from(JSON_AGENTS), level=st.sampled_from(list(Level)))
def test_others_settings_stay_to_the_byte(data: st.DataObject, name: str, level: Level) -> None:
    """Install, change by hand, install again, uninstall: as if memkit had never been there."""
    with tempfile.TemporaryDirectory() as folder:
        at = _at(Path(folder))
        former: dict[Path, str | None] = {}
        for path in _files(name, at, level):
            texts = _toml_texts() if path.suffix == ".toml" else _json_texts()
            former[path] = text = data.draw(texts)
            if text is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
        _install(name, at, level)
        for change in install.installation(AGENTS[name], level, at):
            assert change.before == change.after, "a second installation changes something"
            assert HOOK.split()[0] in (change.after or "")
        for path in former:
            text = settings_files.read(path)
            path.write_bytes((_changed(text, path) or "").encode())
        _install(name, at, level)
        _uninstall(name, at, level)
        for path, text in former.items():
            assert settings_files.read(path) == _changed(text, path)
        left = {path.name for path in Path(folder).rglob("*") if path.is_file()}
        assert left == {path.name for path, text in former.items() if text is not None}


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", AGENTS)
def test_nothing_is_left_where_nothing_was(name: str, level: Level, at: Surroundings) -> None:
    """Files and folders that were made for memkit go with it; what was put by goes, too."""
    before = _tree(at.root.parent)
    _install(name, at, level)
    files = _files(name, at, level)
    assert all(path.is_file() for path in files)
    copies = [settings_files.backup_folder(path) for path in files]
    assert all((copy / "former").stat().st_mode & 0o777 == 0o600 for copy in copies)
    _uninstall(name, at, level)
    assert _tree(at.root.parent) == before
    assert not any(copy.exists() for copy in copies)


def test_another_clone_uninstalls_as_well(at: Surroundings) -> None:
    """Without what was put by, containers that are empty go, and a file that has nothing else."""
    for name in AGENTS:
        _install(name, at)
        for path in _files(name, at):
            settings_files.clear(path)
        _uninstall(name, at)
        assert not any(path.exists() for path in _files(name, at))
    path = at.root / ".gemini" / "settings.json"
    path.write_text('{"theme": "dark"}')
    _install("gemini", at)
    settings_files.clear(path)
    _uninstall("gemini", at)
    assert path.read_text() == '{"theme": "dark"}'


# --- What is written.


def test_each_agent_gets_its_own_form(at: Surroundings) -> None:
    """Events, nesting, units of time and names of sections are those of the agent."""
    for name in AGENTS:
        _install(name, at)

    def read(path: str) -> Any:
        return json.loads((at.root / path).read_text())

    handler = {"type": "command", "command": f"{HOOK} claude", "timeout": 10}
    server = {"command": "memkit", "args": ["mcp"]}
    assert read(".claude/settings.json")["hooks"]["SessionEnd"] == [{"hooks": [handler]}]
    assert read(".mcp.json") == {"mcpServers": {"memkit": server}}
    assert "SessionEnd" not in read(".codex/hooks.json")["hooks"]
    codex = tomllib.loads((at.root / ".codex/config.toml").read_text())
    assert codex == {"mcp_servers": {"memkit": server}}
    gemini = read(".gemini/settings.json")
    milliseconds = handler | {"command": f"{HOOK} gemini", "timeout": 5_000}
    assert gemini["hooks"]["BeforeTool"] == [{"hooks": [milliseconds]}]
    assert gemini["mcpServers"] == {"memkit": server}
    cursor = read(".cursor/hooks.json")
    assert cursor["version"] == 1
    assert cursor["hooks"]["preToolUse"] == [{"command": f"{HOOK} cursor", "timeout": 5}]
    vscode = read(".github/hooks/memkit.json")["hooks"]["Stop"]
    assert vscode == [handler | {"command": f"{HOOK} vscode"}]
    assert read(".vscode/mcp.json") == {"servers": {"memkit": {"type": "stdio", **server}}}
    assert read("opencode.json")["mcp"]["memkit"]["command"] == ["memkit", "mcp"]


def test_hooks_know_every_event_that_is_installed() -> None:
    """Nothing is plugged in that `memkit hook` does not answer."""
    for agent in AGENTS.values():
        for entries in install.entries_of(agent, Level.PROJECT, _at(Path())):
            for event in getattr(entries, "events", ()):
                assert hooks.event_of(event, hooks.Agent(agent.name)), f"{agent.name} {event}"


def test_the_user_s_settings_name_the_program(at: Surroundings) -> None:
    """Absolute and quoted, in the folders that variables name."""
    _install("claude", at, Level.USER)
    settings = json.loads((at.home / ".claude" / "settings.json").read_text())
    command = settings["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert command == "'/opt/my tools/memkit' hook --agent claude"
    servers = json.loads((at.home / ".claude.json").read_text())["mcpServers"]
    assert servers["memkit"]["command"] == "/opt/my tools/memkit"
    moved = attrs.evolve(at, variables={"CLAUDE_CONFIG_DIR": str(at.home / "c")})
    assert _files("claude", moved, Level.USER) == [
        at.home / "c" / "settings.json",
        at.home / "c" / ".claude.json",
    ]


def test_windows_commands_mean_the_same_to_three_shells(tmp_path: Path) -> None:
    """Slashes and double quotes; PowerShell, which Gemini CLI runs, calls a quoted program by &."""
    at = attrs.evolve(_at(tmp_path, system="win32"), program=(r"C:\My Tools\memkit.exe",))
    hooks, server = install.entries_of(AGENTS["claude"], Level.USER, at)
    text = hooks.added("")
    assert hooks.commands(text)[0] == '"C:/My Tools/memkit.exe" hook --agent claude'
    assert server.commands(server.added(""))[0] == r"C:\My Tools\memkit.exe mcp"
    hooks, _ = install.entries_of(AGENTS["gemini"], Level.USER, at)
    line = hooks.commands(hooks.added(""))[0]
    assert line == '& "C:/My Tools/memkit.exe" hook --agent gemini'


def test_older_entries_are_brought_up_to_date(at: Surroundings) -> None:
    """By their command, wherever they stand; those too many go, fields of the user's own stay."""
    path = at.root / ".claude" / "settings.json"
    path.parent.mkdir()
    old = '"/old venv/bin/memkit" hook --agent claude'
    mine = {"type": "command", "command": "notify-send memkit"}
    groups = [
        {"matcher": "Bash", "hooks": [mine, {"type": "command", "command": old, "async": True}]},
        {"hooks": [{"type": "command", "command": "python3 -m memkit hook", "timeout": 99}]},
    ]
    gone = [{"hooks": [{"type": "command", "command": "memkit hook"}]}]
    path.write_text(json.dumps({"hooks": {"PostToolUse": groups, "Notification": gone}}, indent=4))
    _install("claude", at)
    hooks = json.loads(path.read_text())["hooks"]
    current = {"type": "command", "command": f"{HOOK} claude", "async": True, "timeout": 5}
    assert hooks["PostToolUse"] == [{"matcher": "Bash", "hooks": [mine, current]}]
    assert "Notification" not in hooks
    _uninstall("claude", at)
    assert json.loads(path.read_text()) == {
        "hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [mine]}]}
    }


def test_an_older_server_keeps_what_its_user_added(at: Surroundings) -> None:
    """Program and arguments are memkit's; other fields of the entry are not touched."""
    path = at.root / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(
        '[mcp_servers.memkit]\ncommand = "/old/memkit" # old\nargs = [\n  "mcp",\n]\n'
        'startup_timeout_sec = 30\n\n[mcp_servers.memkit.env]\nA = "b"\n\n[other]\nx = 1\n'
    )
    _install("codex", at)
    assert path.read_text() == (
        '[mcp_servers.memkit]\ncommand = "memkit" # old\nargs = [\n  "mcp",\n]\n'
        'startup_timeout_sec = 30\n\n[mcp_servers.memkit.env]\nA = "b"\n\n[other]\nx = 1\n'
    )
    _uninstall("codex", at)
    assert path.read_text() == "\n[other]\nx = 1\n"


def test_without_the_extra_there_is_no_server(at: Surroundings) -> None:
    """What cannot start is not plugged in; what is there already is let be."""
    lacking = attrs.evolve(at, has_server=False)
    _install("claude", lacking)
    assert not (at.root / ".mcp.json").exists()
    _install("claude", at)
    _install("claude", lacking)
    assert (at.root / ".mcp.json").exists()


# --- What is refused; then nothing is changed anywhere.

_BROKEN = [
    ("claude", ".mcp.json", '{\n  "mcpServers": {\n    "a": 1\n    "b": 2}}', "line 4: found '\"b"),
    ("claude", ".claude/settings.json", '{"hooks": [', "line 1: found the end"),
    ("claude", ".claude/settings.json", '{"hooks": null}', "expected an object as hooks"),
    ("claude", ".claude/settings.json", '{\n\n"hooks": {"Stop": {}}}', "3: .* a list as hooks.S"),
    ("claude", ".claude/settings.json", "[" * 5000, "nested less deeply"),
    ("claude", ".mcp.json", '{"mcpServers": {"memkit": {"command": "other"}}}', "not another"),
    ("codex", ".codex/config.toml", "a = 1\nb = \n", "line 2: .* TOML"),
    ("codex", ".codex/config.toml", "mcp_servers = {}\n", "expected"),
    ("codex", ".codex/config.toml", '[mcp_servers]\nmemkit.command = "memkit mcp"\n', "header"),
    ("gemini", ".gemini/settings.json", "\n{'a': 1}", "line 2: .* double quotes"),
    ("opencode", ".opencode/plugins/memkit.js", "export const x = 1\n", "another's"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "text", "message"), _BROKEN)
def test_a_file_that_cannot_be_read_is_refused(
    name: str, file: str, text: str, message: str, at: Surroundings
) -> None:
    """With its line and the next step; no file is written, not even the others."""
    path = at.root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    before = _tree(at.root)
    with pytest.raises(InvalidInput, match=message) as caught:
        _install(name, at)
    assert f"run 'memkit install {name}' again" in str(caught.value)
    assert str(path) in str(caught.value)
    assert _tree(at.root) == before


def test_bytes_that_are_no_text_are_refused(at: Surroundings) -> None:
    """They would not come out as they went in."""
    (at.root / ".mcp.json").write_bytes(b'{\n"a": "\xff"}')
    with pytest.raises(InvalidInput, match="line 2: found bytes that are no UTF-8"):
        _install("claude", at)


def test_a_read_only_file_is_refused(at: Surroundings) -> None:
    """Before anything else is written."""
    path = at.root / ".mcp.json"
    path.write_text("{}")
    path.chmod(0o444)
    before = _tree(at.root)
    with pytest.raises(InvalidInput, match=r"read-only; chmod u\+w"):
        _install("claude", at)
    assert _tree(at.root) == before


def test_a_file_that_changes_meanwhile_is_not_overwritten(at: Surroundings) -> None:
    """What was read is no longer what is there: it is left as it is."""
    agent = AGENTS["claude"]
    path = at.root / ".mcp.json"
    path.write_text("{}")
    changes = install.installation(agent, Level.PROJECT, at)
    path.write_text('{"mcpServers": {"new": {}}}')
    with pytest.raises(InvalidInput, match="was changed meanwhile"):
        install.apply(changes, agent, Level.PROJECT, at)
    assert path.read_text() == '{"mcpServers": {"new": {}}}'


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_link_stays_a_link_and_a_file_keeps_its_mode(at: Surroundings) -> None:
    """The file that is linked to is written; a link to nothing is one again at the end."""
    settings, servers = at.root / ".claude" / "settings.json", at.root / ".mcp.json"
    dotfiles = at.home / "dotfiles"
    settings.parent.mkdir()
    dotfiles.mkdir()
    (dotfiles / "settings.json").write_text('{"theme": "dark"}\n')
    (dotfiles / "settings.json").chmod(0o640)
    settings.symlink_to(dotfiles / "settings.json")
    servers.symlink_to(dotfiles / "servers.json")
    _install("claude", at)
    assert settings.is_symlink()
    assert servers.is_symlink()
    assert HOOK in (dotfiles / "settings.json").read_text()
    assert (dotfiles / "settings.json").stat().st_mode & 0o777 == 0o640
    _uninstall("claude", at)
    assert (dotfiles / "settings.json").read_text() == '{"theme": "dark"}\n'
    assert servers.is_symlink()
    assert not servers.exists()
    assert [path.name for path in dotfiles.iterdir()] == ["settings.json"]


# --- The plugin of OpenCode.


@pytest.fixture
def plugin(at: Surroundings) -> Path:
    """The plugin with a hook that answers by what it is asked, and notes it."""
    script = at.root / "hook.py"
    script.write_text(
        "import json, sys\nevent = json.load(sys.stdin)\n"
        f"open({str(at.root / 'log')!r}, 'a').write(json.dumps(event) + '\\n')\n"
        "name, args = event['hook_event_name'], event.get('args', {})\n"
        "deny = {'permissionDecision': 'deny', 'permissionDecisionReason': 'never'}\n"
        "if name == 'tool.execute.before' and args['command'] == 'rm': print(json.dumps(deny))\n"
        "elif name != 'session.idle': print(json.dumps({'additionalContext': 'of ' + name}))\n"
    )
    path = at.root / "plugin.mjs"
    path.write_text(PluginFile(path, (sys.executable, str(script))).added(""))
    return path


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_plugin_passes_events_on_and_answers_back(plugin: Path) -> None:
    """A prompt's context reaches the system's text, a denied call fails, a warning follows it."""
    driver = plugin.parent / "driver.mjs"
    driver.write_text("""
import { Memkit } from "./plugin.mjs"
const hooks = await Memkit({ directory: "." })
const id = { sessionID: "s", callID: "c", tool: "bash" }
await hooks["chat.message"](id, { parts: [{ type: "text", text: "größer" }] })
const system = []
await hooks["experimental.chat.system.transform"](id, { system })
let error = ""
const bad = { args: { command: "rm" } }
await hooks["tool.execute.before"](id, bad).catch((e) => { error = e.message })
await hooks["tool.execute.before"](id, { args: { command: "ls" } })
const result = { output: "a.py" }
await hooks["tool.execute.after"]({ ...id, args: { command: "ls" } }, result)
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } })
console.log(JSON.stringify({ system, error, output: result.output }))
""")
    done = subprocess.run(["node", str(driver)], cwd=plugin.parent, capture_output=True, check=True)
    assert json.loads(done.stdout) == {
        "system": ["of session.created", "of chat.message"],
        "error": "never",
        "output": "a.py\n\nof tool.execute.before",
    }
    log = (plugin.parent / "log").read_text().splitlines()
    events = [json.loads(line) for line in log]
    assert [event["hook_event_name"] for event in events] == [
        *("session.created", "chat.message", "tool.execute.before", "tool.execute.before"),
        *("tool.execute.after", "session.idle", "session.created"),
    ]
    assert events[1]["prompt"] == "größer"
    assert events[4]["output"] == "a.py"
    assert events[6]["source"] == "compact"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_plugin_survives_a_missing_program(at: Surroundings) -> None:
    """A clone without memkit works as if there were no plugin."""
    entries, _ = install.entries_of(AGENTS["opencode"], Level.PROJECT, at)
    (at.root / "plugin.mjs").write_text(entries.added("").replace('"memkit"', '"/no/memkit"'))
    (at.root / "driver.mjs").write_text(
        'import { Memkit } from "./plugin.mjs"\nconst hooks = await Memkit({ directory: "." })\n'
        'await hooks["tool.execute.before"]({ callID: "c" }, { args: {} })\nconsole.log("on")\n'
    )
    done = subprocess.run(["node", "driver.mjs"], cwd=at.root, capture_output=True, check=True)
    assert done.stdout == b"on\n"
