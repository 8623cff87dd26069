"""What a scan reports: where, and of which kind; never the secret itself."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

# Begin and end in a text, the end exclusive.
Span = tuple[int, int]


@attrs.frozen
class Finding:
    """One secret in a text: its kind and its place in code points, end exclusive."""

    kind: str
    start: int
    end: int

    @property
    def marker(self) -> str:
        """What is written instead of the secret: `[secret:KIND]`."""
        return f"[secret:{self.kind}]"


def merge(found: Iterable[Finding]) -> list[Finding]:
    """In order of place; overlapping ones become one, of the kind found first in `found`."""
    ranked = sorted(enumerate(found), key=lambda pair: (pair[1].start, pair[0]))
    merged: list[tuple[int, Finding]] = []
    for rank, finding in ranked:
        if merged and finding.start < merged[-1][1].end:
            best, last = merged[-1]
            kind = last.kind if best <= rank else finding.kind
            merged[-1] = (min(best, rank), Finding(kind, last.start, max(last.end, finding.end)))
        else:
            merged.append((rank, finding))
    return [finding for _, finding in merged]
