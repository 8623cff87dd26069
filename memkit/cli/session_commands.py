"""Session commands: contexts of sessions, listed, shown, compacted, exported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..text.analyzer import decode
from . import output
from .commands import (
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    count,
    open_invocation,
    option,
    switch,
)
from .output import marked_output

if TYPE_CHECKING:
    from ..context.sessions import Sessions

_ACTIONS = ("list", "show", "export", "import", "compact", "restore", "delete")
_READING = ("list", "show", "export")
_ENTRIES = 10  # of a history that `show` prints, the newest


@command(
    argument("action", choices=_ACTIONS),
    argument("name", is_required=False),
    option("focus", "compact: what is to be kept first; repeat for several.", many=True),
    option("keep", "compact: entries that stay.", type=count),
    option("keep-tail-tokens", "compact: stay within so many tokens of the newest.", type=count),
    option("version", "restore: the version to go back to.", type=count),
    switch("yes", "delete: do not ask."),
    opening=Opening.NOT,
)
def session(
    invocation: Invocation,
    *,
    action: str,
    name: str | None,
    focus: tuple[str, ...],
    keep: int | None,
    keep_tail_tokens: int | None,
    version: int | None,
    yes: bool,
) -> CommandOutput:
    """List, show, export, import, compact, restore or delete the saved context of session NAME.

    `compact` summarises all but the newest 30 entries at once (`--keep`, `--keep-tail-tokens`);
    what it takes out stays readable. `import` takes the file that `export` wrote ('-': standard
    input).
    """
    if name is None and action != "list":
        raise Usage(f"session {action}: needs NAME; 'memkit session list' names those there are")
    opening = Opening.READ if action in _READING else Opening.CHANGE
    with open_invocation(invocation.settings, opening) as ready:
        sessions = ready.kit.context.sessions
        if action == "list" or name is None:
            return _listed(ready, sessions)
        if action == "show":
            return _shown(ready, sessions, name)
        if action == "compact":
            return _compacted(sessions, name, focus, keep, keep_tail_tokens)
        if action == "restore":
            if version is None:
                raise Usage("session restore: needs --version; 'memkit session show' lists them")
            restored = sessions.restore(name, version)
            text = f"{name} is as it was in version {version}; that is version {restored.version}"
            return CommandOutput({"session": name, "version": restored.version}, (text,))
        if action == "delete":
            ready.confirm(f"Delete all versions of session {name} for good?", agreed=yes)
            sessions.delete(name)
            return CommandOutput({"deleted": name}, (f"deleted {name}",))
        return _exchanged(sessions, name, imports=action == "import")


def _exchanged(sessions: Sessions, name: str, *, imports: bool) -> CommandOutput:
    from ..context.session_context import as_document

    if not imports:
        text = sessions.export(name)
        return CommandOutput(as_document(sessions.load(name)), (text,))
    text = output.read_stdin() if name == "-" else decode(Path(name).read_bytes())
    context = sessions.import_(text)
    return CommandOutput(
        {"session": context.session_id, "version": context.version},
        (f"{context.session_id} is saved as version {context.version}",),
    )


def _listed(invocation: Invocation, sessions: Sessions) -> CommandOutput:
    saved = sessions.list()
    if not saved:
        return CommandOutput([], notes=("no session is saved",))
    rows = [(s.session, str(s.version), s.saved_at, str(s.tokens)) for s in saved]
    names = ("session", "version", "saved", "tokens")
    return CommandOutput(output.document(saved), output.table(rows, invocation, names=names))


def _shown(invocation: Invocation, sessions: Sessions, name: str) -> CommandOutput:
    from ..context.session_context import as_document

    sessions.export(name)  # which says so if there is none
    context, versions = sessions.load(name), sessions.versions(name)

    def lines() -> Iterator[str]:
        saved = ", ".join(f"{v.version} ({v.saved_at})" for v in versions) or "none"
        yield f"{name}: {output.number(context.tokens, 'token')}; versions: {saved}"
        yield from context.long_term_summary.splitlines()
        yield from (f"fact: {fact}" for fact in context.facts)
        yield from (f"task ({task.status}): {task.description}" for task in context.active_tasks)
        newest = context.recent_history[-_ENTRIES:]
        if len(newest) < len(context.recent_history):
            yield f"the newest {len(newest)} of {len(context.recent_history)} entries:"
        yield from (output.fit(f"{entry.role}: {entry.content}", 500) for entry in newest)

    document = {**as_document(context), "versions": output.document(versions)}
    return marked_output(invocation, document, lines())


def _compacted(
    sessions: Sessions,
    name: str,
    focus: tuple[str, ...],
    keep: int | None,
    keep_tail_tokens: int | None,
) -> CommandOutput:
    from ..context.compaction import KEEP, MAX_HISTORY

    sessions.export(name)  # which says so if there is none
    result = sessions.compact(
        name,
        force=True,
        focus=focus,
        keep=keep or KEEP,
        max_history=max(keep or KEEP, MAX_HISTORY),
        keep_tail_tokens=keep_tail_tokens,
    )
    document = {
        "session": name,
        "compacted": result.compacted,
        "removed": result.removed,
        "handle": result.handle,
        "tokens_before": result.tokens_before,
        "tokens_after": result.tokens_after,
    }
    if not result.compacted:
        return CommandOutput(document, notes=("there is nothing to compact", *result.notes))
    if not result.removed:
        return CommandOutput(document, ("facts and tasks were tidied",), result.notes)
    text = (
        f"{output.number(result.removed, 'entry', 'entries')} became a summary: "
        f"{result.tokens_before} tokens are {result.tokens_after}"
    )
    return CommandOutput(document, (text,), result.notes)
