"""Numbers by which memories went before: what two stores learnt apart is one memory once they are
joined, and whoever knows it by its other number is told where it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..store.connection import Store

_FORMER = re.compile(r"joined; it was memory (\d{1,18})\b")


def joined_with(number: int) -> str:
    """Return what the chain of provenance says of a memory that was also known by `number`."""
    return f"joined; it was memory {number}"


def former_numbers(links: Iterable[Mapping[str, object]]) -> dict[int, int]:
    """Return the memory that each former number leads to, as chains of provenance tell."""
    return {
        int(number): int(str(link["memory_id"]))
        for link in links
        for number in _FORMER.findall(str(link["reason"] or ""))
    }


def former_here(store: Store) -> dict[int, int]:
    """Return the same of the memories of a store."""
    return former_numbers(store.records("memories.joined"))


def whereabouts(store: Store, number: int) -> str:
    """Return what became of a memory that is not there, or which one may be meant."""
    if (now := former_here(store).get(number)) is not None:
        return f"it was joined with memory {now}: name that"
    purged: dict[int, str] = dict(store.all("store.tombstones"))
    if number in purged:
        return f"it was purged at {purged[number]}"
    alike = [str(one) for (one,) in store.all("memories.alike", number=str(number))]
    return f"did you mean {' or '.join(alike)}?" if alike else "see 'memkit list'"
