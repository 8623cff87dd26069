"""Predictions of what comes next: signals, forecasts, what they ask of code and memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from ... import validation
from ...errors import InvalidInput
from ...frozen import frozen
from ...text.analyzer import nfc
from ..paths import disk_forms
from ..records import PredictedKind, SignalKind

# --- What can happen that foretells something, and what is foretold (seed 004, Predictive Context
# Engine).


def _kind(value: str) -> SignalKind:
    return validation.member(SignalKind, value, name="signal")


def _subject(signal: Signal, field: attrs.Attribute[str], value: str) -> None:
    if not value.strip() and signal.kind is not SignalKind.TIME:
        raise InvalidInput(f"signal {signal.kind}: its subject is empty; say which {signal.kind}")


@frozen
class Signal:
    """Something that happened just now.

    Attributes:
        kind: file (opened or changed), branch (checked out), error (seen), time (of day),
            collaborator (joined).
        subject: path, branch, error message or output, time (UTC text; "" is now), name.
        session: the session in which it happened. With one, a file foretells where the session
            goes next; without, which files go with it.
        task: the task in which it happened.
    """

    kind: SignalKind = attrs.field(converter=_kind)
    subject: str = attrs.field(default="", validator=_subject)
    session: str | None = None
    task: str | None = None


@frozen
class Prediction:
    """One thing that will probably be needed.

    Attributes:
        name: path, qualified name, or id. confidence: chance that it is used, 0 to 1.
        reasons: why, the weightiest first. text: what to show for it, if not its name.
    """

    kind: PredictedKind
    name: str
    confidence: float
    reasons: tuple[str, ...] = ()
    text: str = ""


@frozen
class PredictionResult:
    """What a signal foretells, each kind best first."""

    signal: Signal
    predictions: tuple[Prediction, ...] = ()

    def of(self, kind: PredictedKind | str) -> tuple[Prediction, ...]:
        """Return the predictions of one kind: file, symbol, memory, pattern or workflow."""
        return tuple(p for p in self.predictions if p.kind == kind)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths that are foretold, best first."""
        return tuple(p.name for p in self.of(PredictedKind.FILE))


@frozen
class Standing:
    """What holds for every task: what was pinned, what is not to be done, what is preferred."""

    pinned: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()


@frozen
class Surroundings:
    """What others know: asked, never stored here.

    Attributes:
        links: files that a file is linked with by the code, both ways, with the number of
            references.
        symbols: (path, qualified name) of what is most used in some files, best first.
        memories: (id, text, score from 0 to 1) of what is known about a question and some files.
        standing: what holds for every task, so many statements of each sort at most.
    """

    links: Callable[[str], Mapping[str, float]] = lambda path: {}
    symbols: Callable[[Sequence[str]], Iterable[tuple[str, str]]] = lambda paths: ()
    memories: Callable[[str, Sequence[str]], Iterable[tuple[int, str, float]]] = (
        lambda question, paths: ()
    )
    standing: Callable[[int], Standing] = lambda limit: Standing()


def spelt(around: Surroundings) -> Surroundings:
    """Return surroundings that are asked for a path in every spelling, and answer in the one in
    which episodes store it."""

    def links(path: str) -> Mapping[str, float]:
        weights: dict[str, float] = {}
        for form in disk_forms(path):
            weights |= {nfc(name): number for name, number in around.links(form).items()}
        return weights

    def symbols(paths: Sequence[str]) -> Iterable[tuple[str, str]]:
        forms = [form for path in paths for form in disk_forms(path)]
        return ((nfc(path), name) for path, name in around.symbols(forms))

    return attrs.evolve(around, links=links, symbols=symbols)
