"""Steps of a consolidation, in the order in which they are planned and applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from ..memories.records import PairVerdict
from . import contradiction_scan, forgetting, levels, link_discovery, merging, tag_inference
from .link_discovery import LinkAction
from .plan import ChangeAction, Step

if TYPE_CHECKING:
    from ..memories.pair_detection import DetectedPair
    from .link_discovery import LinkChange
    from .plan import RunEnvironment
    from .tag_inference import TagChange


def _action_of_pair(pair: DetectedPair) -> ChangeAction:
    """What is said of a pair; one that is distinct was taken for a contradiction."""
    if pair.verdict is PairVerdict.DISTINCT:
        return ChangeAction.UNLINK
    is_repeated = pair.verdict is PairVerdict.DUPLICATE
    return ChangeAction.LINK if is_repeated else ChangeAction.CONTRADICT


def _plan_tags(environment: RunEnvironment) -> Sequence[TagChange]:
    """Tags, unless no memory has changed since the last run with this step: its plan is of the
    store before the run, and what that merges or tags is no reason for a second one."""
    has_news = environment.store.value("consolidation.has_news", step="tag")
    return tag_inference.plan_tags(environment) if has_news else ()


def _plan_links(environment: RunEnvironment) -> Iterator[LinkChange]:
    """Links, but of memories that were decided to be distinct."""
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


# plan.py says what a step is.
STEPS = (
    Step("merge", ChangeAction.MERGE, merging.plan_merges, merging.apply_merge),
    Step(
        "contradictions",
        _action_of_pair,
        contradiction_scan.plan_contradictions,
        contradiction_scan.note_contradiction,
        contradiction_scan.leave_mark,
    ),
    Step("compress", attrgetter("action"), levels.plan_levels, levels.apply_levels),
    Step("tag", ChangeAction.TAG, _plan_tags, tag_inference.apply_tag),
    Step("link", _action_of_link, _plan_links, _set_link),
    Step("forget", ChangeAction.FORGET, forgetting.plan_forgetting, forgetting.apply_forgetting),
)
