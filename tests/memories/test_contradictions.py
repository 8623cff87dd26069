"""Which plain statements deny each other, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit

OPPOSITES = [
    ("Always run the linter before pushing.", "Never run the linter before pushing."),
    ("mypy is run in strict mode.", "mypy is not run in strict mode."),
    ("mypy runs in strict mode.", "mypy doesn’t run in strict mode"),
    ("The rate limit is 60 requests a minute.", "The rate limit is 120 requests a minute."),
    ("Session timeout: 15 minutes", "The session timeout is set to 30 minutes."),
    ("The cache expires after 30s.", "The cache expires after 5s."),
    ("Retries are enabled for uploads.", "Retries are disabled for uploads."),
    ("Prefer composition over inheritance.", "Avoid composition over inheritance."),
    ("There is a staging environment.", "There is no staging environment."),
    ("Ship the wheel with tests.", "Ship the wheel without tests."),
    ("The build uses the shared cache.", "The build no longer uses the shared cache."),
    ("Secrets can be stored there on disk.", "Secrets cannot be stored on disk."),
    ("Thumbnails live for 5 minutes.", "Thumbnails live for 10 minutes."),
    ("The image is built on Debian 11.", "The image is built on Debian 12."),
    ("Invites are valid for 30 minutes.", "Invites are valid for 30 days."),
    ("Warm the cache before the switch.", "Warm the cache after the switch."),
    ("Passwords need at least 8 characters.", "Passwords need at least 12 characters."),
]
BOTH_TRUE = [
    ("Step 1 of the release is scripted.", "Step 2 of the release is scripted."),
    ("Python 3.11 is supported.", "Python 3.12 is supported."),
    ("The timeout is 1,000 ms.", "The timeout is 1000 ms."),
    ("The limit in staging is 60.", "The limit in production is 120."),
    ("Bench 1 measures the fuse.", "Bench 2 measures the fuse."),
    ("The pool has 4 workers of 2 cores.", "The pool has 8 workers of 1 core."),
    ("It is 60.", "It is 120."),
    ("Run the linter before pushing.", "Run the linter before pushing!"),
]


@pytest.mark.parametrize(("one", "other"), BOTH_TRUE)
def test_what_may_both_be_true_is_not_doubted(
    packaged: memkit.Memkit, one: str, other: str
) -> None:
    """A number that names what is spoken of tells two things apart."""
    packaged.memories.remember(one)
    assert packaged.memories.remember(other).contradicts == ()


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_statements_that_deny_each_other_are_an_open_contradiction(
    packaged: memkit.Memkit, one: str, other: str
) -> None:
    """Both are kept, neither replaces the other, and the pair is open until it is resolved."""
    first, second = packaged.memories.remember(one), packaged.memories.remember(other)
    assert second.replaced == ()
    assert len(packaged.memories.find()) == 2
    (found,) = packaged.memories.contradictions()
    assert {found.memory_a, found.memory_b} == {first.id, second.id}
    packaged.memories.resolve(first, second, "b_wins")
    assert [memory.id for memory in packaged.memories.find()] == [second.id]
    assert not packaged.memories.contradictions()


def test_statements_of_one_batch_and_an_updated_text_are_held_against_others(
    kit: memkit.Memkit,
) -> None:
    """remember_many sees what it writes itself; an update is a statement too."""
    one, _, third = kit.memories.remember_many(
        ["The pool size is 10.", "The pool size is 20.", "The pool size is small."]
    )
    assert len(kit.memories.contradictions()) == 1
    kit.memories.update(third, "The pool size is 10 .")
    assert len(kit.memories.contradictions()) == 2
    kit.memories.forget(one)
    assert len(kit.memories.contradictions()) == 1


def test_settled_contradiction_is_not_reopened(kit: memkit.Memkit) -> None:
    """Two statements that hold side by side, as somebody said, stay so."""
    one, other = kit.memories.remember_many(["Use the new API.", "Do not use the new API."])
    kit.memories.resolve(one, other, "both_valid")
    kit.memories.remember("Do not use the new API.")
    kit.memories.update(other, "Never use the new API.")
    assert not kit.memories.contradictions()


@pytest.mark.parametrize("is_read", [True, False])
def test_update_that_denies_nothing_settles_a_contradiction(
    kit: memkit.Memkit, *, is_read: bool
) -> None:
    """An update, also from the same source, that denies nothing any more settles the doubt."""
    kit.memories.remember("The rate limit is 60 requests a minute.")
    wrong = kit.memories.remember("The rate limit is 120 requests a minute.", source="notes.md")
    assert len(kit.memories.contradictions()) == 1
    right = "The rate limit is 60 requests a minute, as agreed."
    if is_read:
        kit.memories.remember(right, source="notes.md")
    else:
        kit.memories.update(wrong, right)
    assert not kit.memories.contradictions()
    assert kit.memories.edges(wrong) == []
    assert len(kit.memories.find()) == 2


def test_what_replaces_a_statement_does_not_contradict_it(kit: memkit.Memkit) -> None:
    """Where it is said which holds there is nothing to doubt."""
    old = kit.memories.remember("The rate limit is 60 requests a minute.")
    kit.memories.remember("The rate limit is 120 requests a minute.", supersedes=old)
    assert not kit.memories.contradictions(history=True)


@pytest.mark.parametrize(
    "how",
    [{"project": "other"}, {"form": "episode"}, {"valid_to": "2020-01-01"}, {"season": "release"}],
)
def test_what_does_not_hold_in_the_same_place_and_time_is_not_held_against_it(
    kit: memkit.Memkit, how: dict[str, str]
) -> None:
    """Another project, an episode, what is over: no opposite of what holds here and now."""
    kit.memories.remember("Deploy on Fridays.", season="freeze")
    kit.memories.remember(text="Do not deploy on Fridays.", **how)
    assert not kit.memories.contradictions()


def test_series_of_measurements_is_no_contradiction(kit: memkit.Memkit) -> None:
    """Of what was said many times with another number each time none is in doubt."""
    kit.memories.remember_many(f"The coverage is {n} %." for n in range(70, 80))
    assert not kit.memories.contradictions()


def test_series_told_step_by_step_leaves_nothing_in_doubt(packaged: memkit.Memkit) -> None:
    """What was in doubt of the first is none as soon as they are a series."""
    for n in range(1, 11):
        packaged.memories.remember(f"Never do the thing number {n} with the module m{n}")
    assert not packaged.memories.contradictions()


def test_two_values_of_a_key_are_no_business_of_the_words(
    make_kit: Callable[..., memkit.Memkit],
) -> None:
    """A keyed fact is replaced by its key; a statement without one is held against its words."""
    kit = make_kit()
    staging = kit.memories.remember(key="rate limit", value="60", qualifier="staging")
    kit.memories.remember(key="rate limit", value="120", qualifier="production")
    assert not kit.memories.contradictions()
    said = kit.memories.remember("rate limit (staging): 90")
    assert said.contradicts == (staging.id,)
