"""Context commands: the text to put before a model for a moment; contexts of sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..context.assembled import Activity, Tier
from ..episodes.recording import tolerant_json
from ..errors import InvalidInput, NotAMemkitFile, StoreBusy
from ..text.analyzer import decode
from ..tokens import FAMILIES
from . import hook, output
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
from .hook import WAIT, seconds
from .output import marked, marked_output, one_line, stdin_bytes

if TYPE_CHECKING:
    from ..context.assembled import AssembledContext
    from ..context.sessions import Sessions


# Seconds for which a pipe may stay silent before nothing is taken to come.
_SILENT = 1.0
# Characters that agents take of what a hook says; of more they show a preview.
HOOK_CHARS = 10_000
_EMPTY = "nothing that is known bears on this"
_EMPTY_START = "nothing is known yet; 'memkit init' reads the repository's notes"
# Keys of the JSON that may be given instead of options (seed 004, POST /context/assemble).
_BODY = ("prompt", "budget", "signals", "activity", "session", "model")


@attrs.frozen
class ContextRequest:
    """What a context is asked for: arguments of `assemble`, and where they come from.

    Attributes:
        is_hook: an agent asks, and nobody is there to read notes. folder: where it works.
        starts: a session begins, or its context was emptied. is_void: a hook that asks nothing.
    """

    arguments: Mapping[str, Any]
    is_hook: bool = False
    folder: Path | None = None
    starts: bool = False
    is_void: bool = False


@command(
    argument("prompt", is_required=False),
    option("budget", "At most so many tokens of the model.", type=count),
    option("file", "The file that is open."),
    option("error", "An error that was seen; repeat for several.", many=True),
    option("branch", "The branch that is checked out."),
    option("task", "The task under way."),
    option("activity", "What is being done; else the prompt tells.", choices=tuple(Activity)),
    option("session", "The session that asks; it is not told the same twice."),
    option("model", "Family of the model; else that which counts most.", choices=FAMILIES),
    switch("why", "Why each part is there, and what was left out."),
    option("wait", "Seconds to wait at most for another process.", type=seconds, default=WAIT),
    opening=Opening.NOT,
)
def context(
    invocation: Invocation, *, prompt: str | None, why: bool, wait: float, **options: Any
) -> CommandOutput:
    """Print what to put before a model for PROMPT: rules, decisions, errors, memories, code.

    Without PROMPT it reads standard input: a hook's JSON, a JSON object with prompt, budget and
    signals, or a text; where nothing comes, it is the page that a session starts with. '-' reads a
    PROMPT from there. Standard output stays empty if nothing that is known bears on it; a hook is
    told nothing then. It never takes more tokens than the budget.
    """
    request = _request(prompt, _arguments(options))
    settings = invocation.settings
    if request.is_void:
        return CommandOutput(None)
    try:
        with open_invocation(settings, Opening.CHANGE, folder=request.folder, wait=wait) as ready:
            answer = _answer(ready, request, why=why)
    except (StoreBusy, NotAMemkitFile) as error:
        if settings.json or not request.is_hook:
            raise
        answer = CommandOutput(None, notes=(str(error),))
    return attrs.evolve(answer, notes=()) if request.is_hook and not answer.lines else answer


def _answer(invocation: Invocation, request: ContextRequest, *, why: bool) -> CommandOutput:
    kit, session = invocation.kit, request.arguments.get("session")
    if request.starts and session is not None:
        kit.clear_surfaced(session)
    assembled = kit.context.assemble(**request.arguments)
    lines = [*assembled.text.split("\n")] if assembled else []
    if why:
        lines += output.marked_lines(_why_lines(assembled))
    is_start = not any(request.arguments.get(name) for name in ("prompt", "signals"))
    empty = _EMPTY_START if is_start else _EMPTY
    notes = assembled.notes if assembled else (empty, *assembled.notes)
    document = marked(_document(assembled)) if invocation.settings.json else None
    return CommandOutput(document, tuple(lines), notes)


def _document(assembled: AssembledContext) -> dict[str, Any]:
    """Return the answer of seed 004 with what else is known of it."""
    items = [
        {**output.document(item), "tokens": item.tokens, "score": round(item.score, 3)}
        for item in assembled.items
    ]
    return {
        "context": assembled.text,
        "token_count": assembled.tokens,
        "tiers": {f"tier{n}": assembled.tiers[tier] for n, tier in enumerate(Tier, 1)},
        "activity": assembled.activity,
        "budget": assembled.budget,
        "model": assembled.model,
        "compression_ratio": round(assembled.compression_ratio, 3),
        "items": items,
        "left_out": output.document(assembled.left_out),
        "notes": list(assembled.notes),
    }


def _why_lines(assembled: AssembledContext) -> Iterator[str]:
    for item in assembled.items:
        reasons = "; ".join(item.reasons) or "it holds"
        said = f"{item.tier}, {item.level}, {item.tokens} tokens"
        yield one_line(f"in: {item.reference} ({said}): {reasons}")
    for left_out in assembled.left_out:
        yield one_line(f"out: {left_out.what}: {left_out.reason}")


# --- What is asked for: options, or what stands on standard input.


def _arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as arguments; those that are not given are left out."""
    file = options["file"]
    signals = {
        "current_file": None if file is None else _path(file),
        "recent_errors": options["error"],
        "branch": options["branch"],
        "task": options["task"],
    }
    arguments = {name: options[name] for name in ("budget", "activity", "session", "model")}
    arguments["signals"] = {name: value for name, value in signals.items() if value}
    return {name: value for name, value in arguments.items() if value}


def _path(written: str) -> str:
    """Return a path as it is told from anywhere; one that is not there stays as it is."""
    here = Path.cwd() / written
    return str(here) if here.exists() else written


def _request(prompt: str | None, named: dict[str, Any]) -> ContextRequest:
    text = prompt
    if prompt in (None, "-"):
        text = _stdin_text(is_asked_for=prompt == "-")
    if text is None:
        return ContextRequest(named)
    if prompt is not None and prompt != "-":
        return ContextRequest({**named, "prompt": prompt})
    if (payload := hook.payload_of(text)) is not None:
        return _hook_request(payload, named)
    body = tolerant_json.parsed(text)
    if not isinstance(body, dict):
        return ContextRequest({**named, "prompt": text.strip()})
    if unknown := sorted(body.keys() - set(_BODY)):
        raise InvalidInput(
            f"standard input: {unknown[0]!r} is no part of it; give some of {', '.join(_BODY)}"
        )
    return ContextRequest({**body, **named})


def _stdin_text(*, is_asked_for: bool) -> str | None:
    """Return what stands on standard input, None if it is a terminal or nothing comes."""
    if not is_asked_for and (sys.stdin is None or sys.stdin.closed or sys.stdin.isatty()):
        return None
    patience = hook.PATIENCE if is_asked_for else _SILENT
    text = decode(hook.read_input(stdin_bytes(), patience=patience)).rstrip("\r\n")
    return text if text.strip() else None


def _hook_request(payload: Mapping[str, Any], named: Mapping[str, Any]) -> ContextRequest:
    """Return what a hook asks for: the page at a session's start; else what bears on the prompt,
    the command or the error, or on the file that is opened."""
    from ..episodes.recording.hooks import HookKind, event_of, name_of  # read for a hook alone

    event = event_of(name_of(payload) or "")
    starts = event is not None and event.kind is HookKind.SESSION_START
    query = hook.question_of(payload)
    signals: dict[str, Any] = dict(named.get("signals", {}))
    file = hook.path_of(payload)
    error = tolerant_json.text_at(payload, "error")
    if file:
        signals.setdefault("current_file", file)
    if error:
        signals.setdefault("recent_errors", (error,))
    session = tolerant_json.text_at(payload, "session")
    arguments = {"session": session, **named, "max_chars": HOOK_CHARS}
    if not starts:
        arguments |= {"prompt": "" if query == file else query, "signals": signals}
    is_void = not (starts or query or file or error)
    return ContextRequest(
        arguments,
        is_hook=True,
        folder=hook.folder_of(payload),
        starts=starts,
        is_void=is_void,
    )


# --- Sessions: their contexts listed, shown, compacted, exported.

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
            return _one_context(ready, sessions, name)
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


def _one_context(invocation: Invocation, sessions: Sessions, name: str) -> CommandOutput:
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
