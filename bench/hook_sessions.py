"""Sessions of agents through their real settings: every event by the command that stands there.

The script, what it must leave, and how each agent writes its hooks are those of the tests.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

import memkit

from . import texts
from .latency import bytecode_in
from .results import Options, Row

if TYPE_CHECKING:
    from tests.agent_dialects import Dialect

Step = tuple[str, dict[str, Any], str]
_NO_HOOKS = frozenset({"copilot"})  # nothing installs into it


def replayed(options: Options) -> Iterator[Row]:
    """Replay the session for each agent."""
    from tests.agent_dialects import DIALECTS

    for dialect in DIALECTS:
        if dialect.agent == "opencode" and shutil.which("node") is None:
            options.say("skipped opencode: there is no node")
        elif dialect.agent not in _NO_HOOKS:
            yield from _replayed(dialect, options)


def _replayed(dialect: Dialect, options: Options) -> Iterator[Row]:
    from tests.agent_sessions import fill, recorded, script

    by_plugin = dialect.agent == "opencode"
    if by_plugin:  # it has no hook of its own after a compaction: the page comes anew
        names = {moment: name for moment, name in dialect.names.items() if moment != "compacted"}
        dialect = attrs.evolve(dialect, names=names)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repo"
        (root / ".git").mkdir(parents=True)
        fill(root)
        environment = _environment(Path(folder))
        before = _tree(root)
        _run(f"memkit install {dialect.agent}", b"", root, environment)
        steps = [step for step in script(root) if step[0] in dialect.names]
        answer = _by_plugin if by_plugin else _by_settings
        right = 0
        for (moment, _, due), said in zip(
            steps, answer(dialect, root, steps, environment), strict=True
        ):
            is_right = due in said if due else not said
            right += is_right
            if not is_right:
                options.say(f"{dialect.agent}: {moment}: expected {due!r}, found {said[:200]!r}")
        errors = list(_errors(recorded, root, dialect))
        _run(f"memkit uninstall {dialect.agent}", b"", root, environment)
        if _tree(root) != before:
            errors.append("what was installed is not gone")
    for error in errors:
        options.say(f"{dialect.agent}: {error}")
    yield Row(dialect.agent, "events", len(steps))
    yield Row(dialect.agent, "share", right / len(steps))
    yield Row(dialect.agent, "errors", len(errors))


def _errors(
    recorded: Callable[[memkit.Memkit, Dialect], None], root: Path, dialect: Dialect
) -> Iterator[str]:
    with memkit.open(root / ".memkit.db", global_store=False) as kit:
        try:
            recorded(kit, dialect)
        except AssertionError as error:
            yield f"recorded otherwise: {error}"


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which `memkit` is on the PATH."""
    program = folder / "bin" / "memkit"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memkit "$@"\n')
    program.chmod(0o755)
    return {
        **os.environ,
        **bytecode_in(folder / "bytecode"),
        "HOME": str(folder),
        "MEMKIT_GLOBAL": str(folder / "global.db"),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(texts.ROOT),
    }


def _tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file() and ".memkit.db" not in path.name)
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def _run(command: str, data: bytes, folder: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, input=data, capture_output=True,
        check=False,
    )  # fmt: skip
    if done.returncode or done.stderr:
        raise RuntimeError(f"{command}: exit code {done.returncode}: {done.stderr!r}")
    return done.stdout.decode()


def _by_settings(
    dialect: Dialect, root: Path, steps: Sequence[Step], environment: Mapping[str, str]
) -> Iterator[str]:
    """Yield the text that each event puts before the model, or what else was printed."""
    from tests.agent_sessions import commands_of, text_of

    commands = commands_of(dialect.agent, root)
    for moment, told, _ in steps:
        payload = json.dumps(dialect.payload(moment, str(root), **told)).encode()
        out = _run(commands[dialect.names[moment]], payload, root, environment)
        yield text_of(json.loads(out)) or out if out else ""


# What OpenCode does with its plugin at each event of a session. A warning is read with what the
# call brought; there is nothing before.
_DRIVER = """
import { Memkit } from "./memkit.mjs"
const [directory, steps] = JSON.parse(process.argv[2])
const hooks = await Memkit({ directory })
const sessionID = "s-1"
const event = (type) => hooks.event({ event: { type, properties: { sessionID } } })
const system = async () => {
  const texts = []
  await hooks["experimental.chat.system.transform"]({ sessionID }, { system: texts })
  return texts
}
const does = {
  start: async ({ source }) => {
    if (source === "compact") await event("session.compacted")
    else await hooks["chat.message"]({ sessionID }, { parts: [] })
    return (await system())[0] ?? ""
  },
  prompt: async ({ prompt }) => {
    await hooks["chat.message"]({ sessionID }, { parts: [{ type: "text", text: prompt }] })
    return (await system())[1] ?? ""
  },
  before: async ({ tool, input, call }) => {
    await hooks["tool.execute.before"]({ sessionID, tool, callID: call }, { args: input })
    return ""
  },
  after: async ({ tool, input, call, output }) => {
    const result = { output }
    const about = { sessionID, tool, callID: call, args: input }
    await hooks["tool.execute.after"](about, result)
    return result.output.slice(output.length)
  },
  compact: async () => (await hooks["experimental.session.compacting"]({ sessionID })) ?? "",
  stop: async () => (await event("session.idle")) ?? "",
  end: async () => (await event("session.deleted")) ?? "",
}
const said = []
for (const [moment, told] of steps) said.push(await does[moment](told))
console.log(JSON.stringify(said))
"""


def _by_plugin(
    dialect: Dialect, root: Path, steps: Sequence[Step], environment: Mapping[str, str]
) -> Iterator[str]:
    """Yield the same of OpenCode, whose plugin node runs."""
    folder = root.parent / "driver"
    folder.mkdir()
    (plugin,) = root.glob(".opencode/plugins/*.js")
    shutil.copy(plugin, folder / "memkit.mjs")
    (folder / "driver.mjs").write_text(_DRIVER)
    told = json.dumps([str(root), [[moment, told] for moment, told, _ in steps]])
    command = shlex.join(["node", str(folder / "driver.mjs"), told])
    said = json.loads(_run(command, b"", root, environment))
    for number, (moment, call, due) in enumerate(steps):
        if moment == "before" and due:  # it comes with the answer of the call
            after = next(
                n for n, (name, told, _) in enumerate(steps)
                if name == "after" and told["call"] == call["call"]
            )  # fmt: skip
            said[number], said[after] = said[after], said[number]
    yield from said
