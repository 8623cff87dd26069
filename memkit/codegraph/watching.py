"""Whether files that something rests on are still as they were when they were indexed.

Looking at the few files that an answer speaks of costs microseconds; looking at the whole tree is
left for when one of them has changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import MemkitError
from .extent import base_of, foreign
from .scanning import UNSURE, Content, Look, look, read

if TYPE_CHECKING:
    from ..store.store import Row, Store

Follow = Callable[[], object]


class Watch:
    """The files of one store's tree, as they lie on the disk."""

    def __init__(self, store: Store, follow: Follow = lambda: None) -> None:
        """`follow` brings the graph up to date, if that is quick."""
        self._store = store
        self._follow = follow
        self._base: tuple[object, Path | None] | None = None
        self._tried: dict[str, tuple[int, int]] = {}
        self._behind: frozenset[str] = frozenset()

    def content(self, path: str) -> str | None:
        """Return the hash of a file's bytes as the graph spells it, indexed or not; "" of one that
        is not read, None if there is none."""
        place = self._place(path)
        if place is None or ((seen := look(place)).left_out and not seen.size):
            return None
        found = None if seen.left_out else read(place)
        return found.hash.hex() if isinstance(found, Content) else ""

    def read(self, path: str) -> bytes | None:
        """Return the text of a file as UTF-8; None if it cannot be read."""
        place = self._place(path)
        found = read(place) if place is not None else None
        return found.data if isinstance(found, Content) else None

    def up_to_date(self, paths: Iterable[str]) -> bool:
        """Look at files; if one has changed, is gone or has come, let the graph follow.

        Return whether none had, or all that could be done about it was done before.
        """
        wanted = list(dict.fromkeys(paths))
        untried = self._untried(wanted)
        if not untried and self._behind.isdisjoint(wanted):
            return True
        followed = self.follow()
        behind = self._behind.difference(wanted).union(self._differing({*wanted}))
        known, self._behind = self._behind, behind
        return known == behind and not (untried and followed)

    def follow(self) -> bool:
        """Let the graph follow; that it cannot (another process writes) keeps no answer back."""
        try:
            self._follow()
        except MemkitError:
            return False
        return True

    def behind(self, paths: Iterable[str]) -> dict[str, str | None]:
        """Return those files that the graph could not follow when they were last looked at and has
        not followed since, each with the hash of what it holds, as `content` gives it."""
        return self._differing(self._behind.intersection(paths)) if self._behind else {}

    # -- inside

    def _untried(self, wanted: Iterable[str]) -> list[str]:
        """Return the files that are not as they were indexed, of which nothing was tried before."""
        indexed = {path: (size, stamp) for path, _, _, size, stamp, _ in self._rows(wanted)}
        placed = ((path, place) for path in wanted if (place := self._place(path)) is not None)
        looked = ((path, look(place)) for path, place in placed)
        return [path for path, found in looked if self._differs(path, found, indexed.get(path))]

    def _differing(self, wanted: Collection[str]) -> dict[str, str | None]:
        """Return the files that hold something else than what was indexed, with its hash; of some
        nothing was."""
        indexed = {path: content for path, _, content, *_ in self._rows(wanted)} if wanted else {}
        asked = (p for p in wanted if indexed.get(p) != "" and self._place(p) is not None)
        found = {path: self.content(path) for path in asked}
        return {path: held for path, held in found.items() if held != indexed.get(path)}

    def _rows(self, wanted: Iterable[str]) -> list[Row]:
        return self._store.all("codegraph_anchors.files_at", paths=json.dumps(list(wanted)))

    def _differs(self, path: str, found: Look, indexed: tuple[int, int] | None) -> bool:
        """Whether a file is not as it was indexed, and nothing was tried about it before."""
        if indexed is None and found.left_out is not None:
            return False
        if found.stamp == UNSURE and found.left_out is None:
            return True
        state = (found.size, found.stamp)
        if state == indexed or self._tried.get(path) == state:
            return False
        self._tried[path] = state
        return True

    def _place(self, path: str) -> str | None:
        """Return where a path of the graph lies; None outside of the folder that may be read."""
        state = self._store.state()
        if self._base is None or self._base[0] != state:
            self._base = (state, self._folder())
        folder = self._base[1]
        if folder is None or ".." in path.split("/"):
            return None
        place = os.path.join(folder, path)  # noqa: PTH118 - a tenth of joining Paths
        return None if place == path else place

    def _folder(self) -> Path | None:
        """Return the folder from which the graph's paths count, None if it is a foreign one."""
        base = base_of(self._store)
        return None if foreign(self._store, base) else base
