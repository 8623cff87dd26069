"""What a draft may hold: every field of its sort and within its bounds, whatever the way in."""

from __future__ import annotations

from .. import arguments
from ..errors import InvalidInput
from ..safety import quoted
from .identity import is_blank
from .kinds import Kind, Scope
from .records import Draft, Procedure
from .safe import check_length


def check_sorts(draft: Draft) -> None:
    """Raise InvalidInput for a field of another sort than it is; texts are looked at where they
    are cleaned."""
    arguments.text(draft.text, name="text")
    for name in ("pinned", "private"):
        arguments.boolean(getattr(draft, name), name=name)
    arguments.fraction(draft.confidence, name="confidence")
    arguments.fraction(draft.importance, name="importance")
    arguments.optional(arguments.fraction, draft.trust, name="trust")
    _check_lists(draft)
    if draft.messages is not None and not _is_range(draft.messages):
        raise InvalidInput(
            f"messages: found {arguments.shown(draft.messages)}, expected (first, last), "
            "counted from 0"
        )
    if draft.procedure is not None:
        check_procedure(draft.procedure)


def check_said(draft: Draft) -> None:
    """Raise InvalidInput for what says nothing, or stands nowhere."""
    if is_blank(draft.text):
        raise InvalidInput("text: is blank; give the statement to remember, or key and value")
    check_length(draft.text)  # one made of key and value
    for scope, needed in ((Scope.SESSION, "session"), (Scope.TASK, "task")):
        if draft.scope == scope and not getattr(draft, needed):
            raise InvalidInput(f"scope {scope}: no {needed} is named; give the {needed}")
    if draft.value is not None and not draft.key:
        raise InvalidInput(f"value: {quoted(draft.value)} has no key; give the key too")


def kind_with_triggers(kind: str) -> Kind:
    """Return the kind of a statement that has trigger patterns: only a negative one comes back at
    them, so a fact (the kind of what says none) is negative; raises InvalidInput for others."""
    if kind in (Kind.FACT, Kind.NEGATIVE):
        return Kind.NEGATIVE
    raise InvalidInput(
        f"trigger_patterns: a memory of kind {kind} never comes back at them; give kind negative, "
        "or leave them out"
    )


def check_procedure(procedure: object) -> None:
    """Raise InvalidInput for what is no procedure, or one with parts of another sort."""
    if not isinstance(procedure, Procedure):
        raise InvalidInput(f"procedure: found {arguments.shown(procedure)}, expected a Procedure")
    for name in ("name", "trigger"):
        arguments.text(getattr(procedure, name), name=f"procedure {name}")
    for name in ("steps", "prerequisites", "warnings"):
        arguments.texts(getattr(procedure, name), name=f"procedure {name}")


def _check_lists(draft: Draft) -> None:
    for name in ("tags", "about", "file_paths", "trigger_patterns"):
        if (values := getattr(draft, name)) != ():  # as most are in most drafts
            arguments.texts(values, name=name)
    for name in ("supersedes", "derived_from"):
        if not isinstance(references := getattr(draft, name), tuple):
            raise InvalidInput(
                f"{name}: found {arguments.shown(references)}, expected memories or their numbers"
            )
    for pair in arguments.iterable(draft.artifacts, name="artifacts"):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidInput(
                f"artifacts: found {arguments.shown(pair)}, expected (kind, reference)"
            )


def _is_range(messages: object) -> bool:
    if not isinstance(messages, tuple | list) or len(messages) != 2:
        return False
    first, last = messages
    are_whole = all(isinstance(n, int) and not isinstance(n, bool) for n in messages)
    return are_whole and 0 <= first <= last < 1 << 63


def refuse_to_move(scope: str, *, is_global: bool) -> None:
    """Raise InvalidInput for a scope that lies in another file than the memory does."""
    if (scope == Scope.GLOBAL) != is_global:
        there = "in the global store" if is_global else "in the project's file"
        raise InvalidInput(
            f"scope: the memory lies {there}, one of scope {scope} elsewhere; remember it anew "
            "with that scope and forget this one"
        )


def refuse_to_join(name: str, number: int) -> None:
    """Raise InvalidInput for a field that names a memory of another file than this statement's."""
    raise InvalidInput(
        f"{name}: {number} is global; remember what is to hang on it with scope global"
    )
