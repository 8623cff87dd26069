"""Install commands: install, uninstall; what plugs memkit into coding agents."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ..agents import install as installer
from ..agents.install import AGENTS, Agent, FileChange, Level, PlugState, Surroundings
from ..errors import MemkitError
from . import output
from .commands import (
    DONE,
    FAILED,
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    open_invocation,
    switch,
)

_AGENTS = argument("agents", choices=tuple(AGENTS), is_required=False, many=True)
_USER = switch("user", "In your own settings, for every project, instead of this project's.")
_DRY_RUN = switch("dry-run", "Only show what would change, as a diff.")


@command(
    _AGENTS,
    _USER,
    _DRY_RUN,
    switch("absolute", "Name this machine's memkit by its path in the project's settings, too."),
    switch("check", "Only say what is plugged in, whether it works, and when it last fired."),
    opening=Opening.NOT,
)
def install(
    invocation: Invocation,
    *,
    agents: tuple[str, ...],
    user: bool,
    dry_run: bool,
    absolute: bool,
    check: bool,
) -> CommandOutput:
    """Plug memkit into coding agents: hooks and the MCP server. Without AGENTS: what there is.

    Settings of the project start memkit from the PATH, since they are shared; those of the user
    name it by its path. What else is in the files stays as it is. Run it again after an upgrade:
    older entries are brought up to date.
    """
    at = installer.surroundings(Path.cwd())
    if check:
        return _checked(invocation, _chosen(agents) or list(AGENTS.values()), at)
    if not agents:
        return _overview(invocation, at)
    _refuse_store(invocation, "install")
    level = Level.USER if user else Level.PROJECT
    notes = tuple(_notes(invocation, at, is_shared=not (user or absolute)))
    make = partial(installer.installation, level=level, at=at, absolute=absolute)
    return _changed(_chosen(agents), make, level, at, notes, dry_run=dry_run)


@command(_AGENTS, _USER, _DRY_RUN, opening=Opening.NOT)
def uninstall(
    invocation: Invocation, *, agents: tuple[str, ...], user: bool, dry_run: bool
) -> CommandOutput:
    """Take memkit's entries out of the settings of coding agents, and nothing else."""
    if not agents:
        raise Usage(f"uninstall: no agent; give some of {', '.join(AGENTS)}")
    _refuse_store(invocation, "uninstall")
    at = installer.surroundings(Path.cwd())
    level = Level.USER if user else Level.PROJECT
    make = partial(installer.removal, level=level, at=at)
    return _changed(_chosen(agents), make, level, at, (), dry_run=dry_run)


def plug_states(invocation: Invocation, at: Surroundings) -> list[PlugState]:
    """Return how each agent is plugged in here, at both levels."""
    fired = _fired(invocation)
    return [
        installer.plug_state(agent, level, at, fired)
        for agent in AGENTS.values()
        for level in Level
    ]


def state_line(state: PlugState) -> str:
    """Return how an agent is plugged in, on one line."""
    parts = [state.state]
    if state.missing:
        parts.append(f"not there: {', '.join(state.missing)}")
    if state.is_plugged:
        last = state.last_fired
        parts.append(f"last fired {last[1]} ({last[0]})" if last else "has not fired here yet")
    return f"{state.agent} ({state.level}): {'; '.join(parts)}"


def next_step(state: PlugState) -> str:
    """Return what mends an agent that is plugged in and does not work, "" if nothing is to be."""
    again = f"memkit install {state.agent}{' --user' * (state.level is Level.USER)}"
    if state.state == "outdated":
        return again
    if state.missing and state.level is Level.PROJECT:
        return "put memkit on the PATH: uv tool install memkit, or pipx install memkit"
    return again if state.missing else ""


# -- helpers


def _refuse_store(invocation: Invocation, name: str) -> None:
    if invocation.settings.db is not None or invocation.settings.use_global:
        raise Usage(
            f"{name}: hooks use the store of the folder that the agent works in; leave out "
            "--db and --global, or set MEMKIT_DB where the agent is started"
        )


def _chosen(names: Sequence[str]) -> list[Agent]:
    return [AGENTS[name] for name in dict.fromkeys(names)]


def _changed(
    chosen: Sequence[Agent],
    make: Callable[[Agent], Sequence[FileChange]],
    level: Level,
    at: Surroundings,
    notes: tuple[str, ...],
    *,
    dry_run: bool,
) -> CommandOutput:
    """Change the files of some agents, all of them or, where one cannot be read, none; return what
    became of each."""
    made = [(agent, make(agent)) for agent in chosen]
    if not dry_run:
        for agent, changes in made:
            installer.apply(changes, agent, level, at)
    files = [(agent, change) for agent, changes in made for change in changes]
    document = {
        "level": str(level),
        "dry_run": dry_run,
        "files": [
            {
                "agent": agent.name,
                "path": str(change.path),
                "change": change.verb,
                "diff": change.diff,
            }
            for agent, change in files
        ],
    }
    if dry_run:
        lines = [line for _, change in files for line in change.diff.splitlines()]
        return CommandOutput(document, lines or ["nothing would change"], notes)
    return CommandOutput(document, [f"{c.path}: {c.verb}" for _, c in files], notes)


def _notes(invocation: Invocation, at: Surroundings, *, is_shared: bool) -> Iterator[str]:
    """Yield what else has to be done before the agent remembers anything."""
    if is_shared and shutil.which("memkit") is None:
        yield (
            "memkit is not on the PATH, from where these settings start it: uv tool install memkit "
            "or pipx install memkit, or install with --absolute or --user"
        )
    if not at.has_server:
        yield "the MCP server is left out: pip install 'memkit[mcp]', then install again"
    if not invocation.path.exists():
        yield f"{invocation.path} is not there yet: memkit init"


def _overview(invocation: Invocation, at: Surroundings) -> CommandOutput:
    """Return which agents there are, which seem to be used here, and where memkit is plugged in."""
    states = plug_states(invocation, at)
    documents, lines = [], []
    for agent in AGENTS.values():
        levels = [str(s.level) for s in states if s.agent == agent.name and s.is_plugged]
        is_here = installer.is_detected(agent, at)
        documents.append(
            {"agent": agent.name, "title": agent.title, "detected": is_here, "plugged_in": levels}
        )
        said = f"plugged in ({', '.join(levels)})" if levels else "seen here" if is_here else "-"
        lines.append(f"{agent.name}\t{agent.title}\t{said}")
    return CommandOutput(documents, [*lines, "next: memkit install AGENT… (--dry-run shows what)"])


def _checked(invocation: Invocation, chosen: Sequence[Agent], at: Surroundings) -> CommandOutput:
    names = {agent.name for agent in chosen}
    states = [state for state in plug_states(invocation, at) if state.agent in names]
    lines = []
    for state in states:
        step = next_step(state)
        lines.append(state_line(state) + (f"; next: {step}" if step else ""))
    code = DONE if all(state.is_fine for state in states) else FAILED
    return CommandOutput(output.document(states), lines, exit_code=code)


def _fired(invocation: Invocation) -> Mapping[str, Mapping[str, str]]:
    """Return when the hooks last fired; nothing where there is no store that can be read."""
    from ..agents.hooks import last_fired

    if not invocation.path.exists():
        return {}
    try:
        with open_invocation(invocation.settings, Opening.READ) as ready:
            return last_fired(ready.store)
    except MemkitError:
        return {}
