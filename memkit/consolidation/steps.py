"""Steps of a consolidation, in the order in which they are planned and applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..memories.pair_detection import DetectedPair
from ..memories.records import PairVerdict
from . import contradiction_scan, forgetting, levels, link_discovery, merging, tag_inference
from .levels import LevelChange
from .link_discovery import LinkAction, LinkChange
from .plan import ChangeAction, Step

if TYPE_CHECKING:
    from .plan import RunEnvironment
    from .tag_inference import TagChange


def _plan_pairs(environment: RunEnvironment) -> list[DetectedPair]:
    return contradiction_scan.plan_contradictions(environment.store, environment.index)


def _note_pair(environment: RunEnvironment, pair: DetectedPair) -> None:
    contradiction_scan.note_contradiction(environment.store, environment.index, pair)


def _pairs_are_noted(environment: RunEnvironment) -> None:
    contradiction_scan.leave_mark(environment.store)


def _action_of_pair(pair: DetectedPair) -> ChangeAction:
    """What is said of a pair; one that is distinct was taken for a contradiction."""
    if pair.verdict is PairVerdict.DISTINCT:
        return ChangeAction.UNLINK
    is_repeated = pair.verdict is PairVerdict.DUPLICATE
    return ChangeAction.LINK if is_repeated else ChangeAction.CONTRADICT


def _plan_levels(environment: RunEnvironment) -> Iterator[LevelChange]:
    return levels.plan_levels(environment.store)


def _write_levels(environment: RunEnvironment, change: LevelChange) -> None:
    levels.apply_levels(environment.store, [change])


def _action_of_level(change: LevelChange) -> ChangeAction:
    return ChangeAction(change.action)


def _plan_tags(environment: RunEnvironment) -> Sequence[TagChange]:
    if not _has_news(environment, "tag"):
        return ()
    return tag_inference.plan_tags(environment.store, environment.index)


def _give_tag(environment: RunEnvironment, change: TagChange) -> None:
    tag_inference.apply_tag(environment.store, change)


def _plan_links(environment: RunEnvironment) -> Iterator[LinkChange]:
    parted = {
        (a, b)
        for a, b, verdict, _ in environment.store.all("consolidation.verdicts")
        if verdict == PairVerdict.DISTINCT
    }
    for change in link_discovery.plan_links(environment.store):
        pair = (change.memory_id, change.other_id)
        if change.action is not LinkAction.LINK or pair not in parted:
            yield change


def _set_link(environment: RunEnvironment, change: LinkChange) -> None:
    link_discovery.apply_link(environment.store, change)


def _action_of_link(change: LinkChange) -> ChangeAction:
    return ChangeAction.LINK if change.action is LinkAction.LINK else ChangeAction.UNLINK


def _has_news(environment: RunEnvironment, step: str) -> bool:
    """Whether a memory has changed since the last run of a step. Its plan is of the store before
    the run: what that merges or tags would be reason enough for a second one without any news."""
    return bool(environment.store.value("consolidation.has_news", step=step))


# plan.py says what a step is.
STEPS = (
    Step("merge", ChangeAction.MERGE, merging.plan_merges, merging.apply_merge),
    Step("contradictions", _action_of_pair, _plan_pairs, _note_pair, _pairs_are_noted),
    Step("compress", _action_of_level, _plan_levels, _write_levels),
    Step("tag", ChangeAction.TAG, _plan_tags, _give_tag),
    Step("link", _action_of_link, _plan_links, _set_link),
    Step("forget", ChangeAction.FORGET, forgetting.plan_forgetting, forgetting.apply_forgetting),
)
