"""Pattern, Learning, confidence by Wilson bound, storage."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from .. import validation
from ..errors import NotFound
from ..frozen import frozen
from ..redaction import redact_json
from .predictions.co_change import faded, gone_files
from .records import LearningType, PatternType
from .results import listed, mapping
from .workflows import Workflow

if TYPE_CHECKING:
    from ..store.store import Store


# --- What is learnt as records: patterns, learnings, ways of working, and what was seen of them.


@frozen
class Pattern:
    """One pattern. Times are UTC text.

    Attributes:
        data: by type; `files` are the paths it is about, `error` a signature, `steps` a sequence.
        confidence: 0 to 1, faded by the time since it was last seen.
        observed: times it was seen. successes, failures: times it held and did not.
        evidence: names of tasks, ids of calls, hashes of commits; the newest few.
    """

    id: int
    type: PatternType = attrs.field(converter=PatternType)
    data: Mapping[str, Any]
    confidence: float
    observed: int
    successes: int
    failures: int
    first_seen: str
    last_seen: str
    evidence: tuple[str, ...]
    active: bool = attrs.field(converter=bool)
    inactive_reason: str | None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths it is about."""
        return _texts(self.data, "files")

    @property
    def text(self) -> str:
        """It in a line."""
        files = ", ".join(self.files)
        match self.type:
            case PatternType.CO_EDIT:
                return f"changed together: {files}"
            case PatternType.ERROR_FIX:
                ran = "; ".join(_texts(self.data, "commands")) or "trying again"
                return f"{self.data.get('error')}: fixed by {f'changing {files}' if files else ran}"
            case PatternType.REFACTOR:
                return f"after a rename in {self.data.get('folder') or '.'}: {files} follow"
            case _:
                return " → ".join(_texts(self.data, "steps"))


@frozen
class Learning:
    """One learning; `key` is the path, error signature or workflow it is about."""

    id: int
    session: str
    type: LearningType = attrs.field(converter=LearningType)
    key: str
    data: Mapping[str, Any]
    confidence: float
    observed: int
    first_seen: str
    last_seen: str
    evidence: tuple[str, ...]
    active: bool = attrs.field(converter=bool)
    inactive_reason: str | None

    @property
    def text(self) -> str:
        """It in a line."""
        if self.type is LearningType.FILE_PURPOSE:
            return f"{self.key}: {', '.join(_texts(self.data, 'words'))}"
        message = self.data.get("message", self.key)
        return self.key if message == self.key else f"{self.key}: {message}"


@frozen
class Sighting:
    """A pattern that was seen, or was not where it could have been.

    Attributes:
        same: what makes two patterns the same. at: when, UTC text.
        held, failed: times it held and did not. absolute: these are all times, not further ones.
    """

    type: PatternType
    same: Sequence[Any]
    data: Mapping[str, Any]
    at: str
    evidence: tuple[str, ...] = ()
    held: int = 1
    failed: int = 0
    absolute: bool = False
    first: str | None = None


@frozen
class LearnReport:
    """What was learnt: tasks looked at, patterns seen, learnings noted, workflows found."""

    tasks: int = 0
    patterns: int = 0
    learnings: int = 0
    workflows: tuple[Workflow, ...] = ()


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    # What came with an archive is JSON, but of any shape.
    values = data.get(name)
    return tuple(map(str, values)) if isinstance(values, list | tuple) else ()


# --- Patterns and learnings: what tends to go together, how sure that is, and by what evidence.
#
# Confidence is the lower bound of Wilson's interval for the share of times a pattern held (Wilson
# 1927, J. Am. Stat. Assoc. 22:209): few observations count little, counter evidence lowers it,
# and it needs no prior. On reading it fades with the time since the pattern was last seen. What
# was turned off stays off, however often it is seen again.

# One-sided 90 %: three out of three give .65, one of one .38.
_Z = 1.2816
# Newest pieces of evidence that are kept with a pattern.
_EVIDENCE = 8


def wilson(held: int, failed: int) -> float:
    """Return the lower bound of the share of times that something holds."""
    n = held + failed
    if not held:
        return 0.0
    share, square = held / n, _Z * _Z
    middle = share + square / (2 * n)
    spread = _Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, (middle - spread) / (1 + square / n))


class Patterns:
    """Reads and writes the patterns and learnings of one project."""

    def __init__(self, store: Store, *, project: str = "") -> None:
        self._store = store
        self._project = project
        self._ids = store.ids("episodes_patterns.last_id")

    def find(
        self,
        kind: PatternType | str | None = None,
        path: str | None = None,
        *,
        error: str | None = None,
        active: bool | None = True,
        limit: int = 50,
    ) -> list[Pattern]:
        """Return patterns, the surest first: of a kind, about a file, of an error's signature.
        `active` False gives those turned off, None both. Those of files that are gone come where
        they are asked for by a file, or with those turned off. Raises InvalidInput."""
        limit = validation.integer(limit, name="limit")
        rows = self._store.all(
            "episodes_patterns.find",
            project=self._project,
            kind=None if kind is None else validation.member(PatternType, kind, name="kind"),
            path=path,
            error=error,
            active=validation.optional(validation.boolean, active, name="active"),
        )
        now = self._store.clock()
        patterns = [_pattern(row, now) for row in rows]
        # How sure they are fades with time: only now is known which the surest are.
        patterns.sort(key=lambda pattern: (-pattern.confidence, pattern.id))
        if active and path is None:
            paths = {path for pattern in patterns for path in pattern.files}
            gone = gone_files(self._store, paths, project=self._project)
            patterns = [pattern for pattern in patterns if gone.isdisjoint(pattern.files)]
        return patterns[:limit]

    def get(self, number: int) -> Pattern:
        """Return one pattern; raises NotFound."""
        row = self._store.first("episodes_patterns.by_id", id=number)
        if row is None:
            raise NotFound(f"no pattern {number}; 'memkit patterns' lists those there are")
        return _pattern(row, self._store.clock())

    def set_active(
        self, item: Pattern | Learning, *, active: bool, reason: str | None = None
    ) -> None:
        """Turn a pattern or a learning off (it stays off when it is seen again) or on; raises
        NotFound for one that is gone."""
        if isinstance(item, Pattern):
            query = "episodes_patterns.set_active"
            missing = f"no pattern {item.id}; 'memkit patterns' lists those there are"
        else:
            query = "episodes_patterns.set_learning_active"
            missing = f"no learning {item.id}; 'memkit patterns --learnings' lists them"
        columns = {"active": int(active), "reason": None if active else reason or "turned off"}
        store = self._store
        if not store.write(lambda: store.run(query, id=item.id, at=store.now(), **columns)):
            raise NotFound(missing)

    def learnings(
        self,
        kind: LearningType | str | None = None,
        key: str | None = None,
        *,
        active: bool | None = True,
        limit: int = 50,
    ) -> list[Learning]:
        """Return learnings, the surest first: of a kind, about a path, error or workflow."""
        rows = self._store.all(
            "episodes_patterns.learnings",
            project=self._project,
            kind=None if kind is None else validation.member(LearningType, kind, name="kind"),
            key=validation.optional(validation.text, key, name="key"),
            active=validation.optional(validation.boolean, active, name="active"),
        )
        learnings = [_learning(row, self._store.clock()) for row in rows]
        learnings.sort(key=lambda learning: (-learning.confidence, learning.id))
        return learnings[: validation.integer(limit, name="limit")]

    # -- written by learning

    def see(self, sighting: Sighting) -> None:
        """Count a sighting; inside `write`."""
        same = _signature(sighting.type, self._project, sighting.same)
        known = self._store.first("episodes_patterns.counts", signature=same)
        number, observed, held, failed, first, last, evidence, before = known or (
            None, 0, 0, 0, sighting.first or sighting.at, sighting.at, "[]", "",
        )  # fmt: skip
        if sighting.absolute:
            observed, held, failed = 0, 0, 0
        held, failed = held + sighting.held, failed + sighting.failed
        if number is None and not held:
            return  # counter evidence against what nobody has seen
        newest = [name for name in listed(evidence) if name not in sighting.evidence]
        self._store.run(
            "episodes_patterns.put",
            id=self._ids.new() if number is None else number,
            type=sighting.type,
            signature=same,
            project=self._project,
            data=_json(sighting.data, before),
            confidence=wilson(held, failed),
            observed=observed + sighting.held,
            successes=held,
            failures=failed,
            first=first,
            last=max(last, sighting.at) if sighting.held else last,
            evidence=json.dumps([*newest, *sighting.evidence][-_EVIDENCE:]),
            at=self._store.now(),
        )

    def learn(
        self,
        kind: LearningType,
        key: str,
        data: Mapping[str, Any],
        *,
        session: str,
        held: int,
        at: str,
        evidence: Sequence[str] = (),
    ) -> None:
        """Note a learning, or know it better; inside `write`."""
        same = _signature(kind, self._project, [key])
        known = self._store.first("episodes_patterns.learning_of", signature=same)
        number, first = known or (None, at)
        self._store.run(
            "episodes_patterns.put_learning",
            id=self._ids.new() if number is None else number,
            session=session,
            type=kind,
            signature=same,
            project=self._project,
            key=key,
            data=_json(data),
            confidence=wilson(held, 0),
            observed=held,
            first=first,
            last=at,
            evidence=json.dumps(list(evidence)[-_EVIDENCE:]),
            at=self._store.now(),
        )


def _signature(kind: str, project: str, same: Sequence[Any]) -> str:
    text = json.dumps([kind, project, same], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _json(data: Mapping[str, Any], stored: str = "") -> str:
    # What is stored already is without secrets; most patterns are seen again as they were.
    text = json.dumps(data, ensure_ascii=False)
    return text if text == stored else json.dumps(redact_json(dict(data)), ensure_ascii=False)


def _pattern(row: Sequence[Any], now: float) -> Pattern:
    number, kind, data, confidence, observed, held, failed, first, last, evidence, *rest = row
    sure = confidence * faded(last, now)
    proofs, content = tuple(map(str, listed(evidence))), mapping(data)
    return Pattern(number, kind, content, sure, observed, held, failed, first, last, proofs, *rest)


def _learning(row: Sequence[Any], now: float) -> Learning:
    number, session, kind, key, data, confidence, observed, first, last, evidence, *rest = row
    sure = confidence * faded(last, now)
    proofs, content = tuple(map(str, listed(evidence))), mapping(data)
    return Learning(number, session, kind, key, content, sure, observed, first, last, proofs, *rest)
