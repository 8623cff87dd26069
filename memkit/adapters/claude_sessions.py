"""Claude Agent SDK session store: transcripts of sessions, mirrored into a memkit file.

It implements the protocol `claude_agent_sdk.SessionStore` without importing the SDK, which brings
384 MB. Entries come back as they were appended but for secrets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, cast

if TYPE_CHECKING:
    from ..kit import Memkit

_SUMMARY = ".summary"  # part of a session that holds the SDK's summary of it
_Entry = dict[str, Any]
Fold = Callable[[Any, Any, Any], Mapping[str, Any]]
"""Type of the SDK's `fold_session_summary`: a summary (or None), a key and entries to a summary."""


class SessionKey(TypedDict):
    """Key of a transcript: project, session, and the subpath of a subagent's."""

    project_key: str
    session_id: str
    subpath: NotRequired[str]


class ClaudeSessionStore:
    """Session store of the Claude Agent SDK: pass it as `session_store` of its options."""

    def __init__(self, kit: Memkit) -> None:
        """`kit` is the open store."""
        self._transcripts = kit.context.transcripts

    async def append(self, key: SessionKey, entries: Sequence[Mapping[str, Any]]) -> None:
        """Add entries to a transcript; one with a `uuid` that is there already is left out."""
        await asyncio.to_thread(self._append, key, entries)

    async def load(self, key: SessionKey) -> list[_Entry] | None:
        """Return the entries of a transcript in the order in which they came; None if it has
        none."""
        entries = await asyncio.to_thread(
            self._transcripts.read, *_session(key), part=key.get("subpath", "")
        )
        return cast("list[_Entry]", entries) or None

    async def list_sessions(self, project_key: str) -> list[_Entry]:
        """Return session ids of a project, each with its `mtime` in milliseconds since 1970."""
        collection = _collection(project_key)
        saved = await asyncio.to_thread(self._transcripts.sessions, collection)
        return [{"session_id": each.session, "mtime": _millis(each.saved_at)} for each in saved]

    async def delete(self, key: SessionKey) -> None:
        """Delete a session with its subagents, or the one subagent that `subpath` names."""
        part = key.get("subpath") or None
        await asyncio.to_thread(self._transcripts.delete, *_session(key), part=part)

    async def list_subkeys(self, key: SessionKey) -> list[str]:
        """Return the subpaths of a session that have a transcript, sorted."""
        parts = await asyncio.to_thread(self._transcripts.parts, *_session(key))
        return [part for part in parts if part != _SUMMARY]

    def _append(self, key: SessionKey, entries: Sequence[Mapping[str, Any]]) -> None:
        names = [entry.get("uuid") for entry in entries]
        keys = [name if isinstance(name, str) else None for name in names]
        part = key.get("subpath", "")
        self._transcripts.append(*_session(key), entries, part=part, keys=keys)


class SummarisingSessionStore(ClaudeSessionStore):
    """Session store that keeps a summary of each session, so that listing them reads no entry."""

    def __init__(self, kit: Memkit, fold: Fold) -> None:
        """`fold` is `claude_agent_sdk.fold_session_summary`."""
        super().__init__(kit)
        self._fold = fold

    async def list_session_summaries(self, project_key: str) -> list[_Entry]:
        """Return the summaries of a project's sessions, each with the `mtime` of its session."""
        return await asyncio.to_thread(self._summaries, project_key)

    def _append(self, key: SessionKey, entries: Sequence[Mapping[str, Any]]) -> None:
        super()._append(key, entries)
        if entries and not key.get("subpath"):

            def folded(summaries: list[object]) -> list[object]:
                return [dict(self._fold(summaries[0] if summaries else None, key, entries))]

            self._transcripts.rewrite(*_session(key), folded, part=_SUMMARY)

    def _summaries(self, project_key: str) -> list[_Entry]:
        collection, summaries = _collection(project_key), []
        for saved in self._transcripts.sessions(collection, part=_SUMMARY):
            stored = self._transcripts.read(collection, saved.session, part=_SUMMARY)
            summary = cast("_Entry", stored[0])
            summaries.append({**summary, "mtime": _millis(saved.saved_at)})
        return summaries


def _session(key: SessionKey) -> tuple[str, str]:
    return _collection(key["project_key"]), key["session_id"]


def _collection(project_key: str) -> str:
    return f"claude/{project_key}"


def _millis(saved_at: str) -> int:
    return round(datetime.fromisoformat(saved_at).timestamp() * 1000)
