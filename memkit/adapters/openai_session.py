"""OpenAI Agents session: the items of a conversation, kept in a memkit file.

It implements the protocol `agents.memory.Session` without importing the SDK. Items come back as
they were added but for secrets. The newest `limit` items may begin with the output of a call that
is not among them: the SDK's runner takes such items out itself.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from agents import SessionSettings, TResponseInputItem

    from ..kit import Memkit

COLLECTION = "openai-agents"
"""Collection of `kit.context.transcripts` that the sessions lie in."""


class MemkitSession:
    """Session of an agent by its name: pass it as `session` to `Runner.run`."""

    def __init__(
        self, kit: Memkit, session_id: str, *, session_settings: SessionSettings | None = None
    ) -> None:
        """`kit` is the open store; `session_settings.limit` is how many items are read unless the
        caller says so."""
        self.session_id = session_id
        self.session_settings = session_settings
        self._transcripts = kit.context.transcripts

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in the order in which they came, or the newest `limit` of them."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        if limit == 0:
            return []
        newest = None if limit is None or limit < 0 else limit
        items = await asyncio.to_thread(
            self._transcripts.read, COLLECTION, self.session_id, limit=newest
        )
        return cast("list[TResponseInputItem]", items)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items after those that are there."""
        await asyncio.to_thread(self._transcripts.append, COLLECTION, self.session_id, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item out and return it; None if there is none."""
        item = await asyncio.to_thread(self._transcripts.pop, COLLECTION, self.session_id)
        return cast("TResponseInputItem | None", item)

    async def clear_session(self) -> None:
        """Delete all items."""
        await asyncio.to_thread(self._transcripts.delete, COLLECTION, self.session_id)
