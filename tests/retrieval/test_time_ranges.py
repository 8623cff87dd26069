"""Times in words: what a text names, what a question finds by it, and what is no time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.retrieval.query_times import EventReference, event_reference, event_time, range_of
from memkit.store.time_ranges import MAX_RANGES, TimeRelation, time_ranges
from tests.strategies import texts
from tests.tables import each_row

# A Wednesday.
NOW = datetime(2026, 7, 15, 14, 30, tzinfo=UTC).timestamp()


def named(text: str) -> str:
    """Return the ranges of a text in short: first moment to the end, open ends left out."""
    return "; ".join(
        f"{_short(one.start)}..{_short(one.end)}" for one in time_ranges(text, now=NOW)
    )


def _short(moment: float) -> str:
    if abs(moment) == float("inf"):
        return ""
    said = datetime.fromtimestamp(moment, UTC)
    return f"{said:%Y-%m-%d}" if not moment % 86400 else f"{said:%Y-%m-%dT%H:%M}"


@pytest.mark.usefixtures("zone")
@each_row(
    "text, expected",
    [
        ("what did the crawler do yesterday?", "2026-07-14..2026-07-15"),
        ("anything new today", "2026-07-15..2026-07-16"),
        ("this morning's deploy", "2026-07-15..2026-07-16"),
        ("the day before yesterday", "2026-07-13..2026-07-14"),
        ("six days ago", "2026-07-09..2026-07-10"),
        ("2 weeks ago", "2026-07-01..2026-07-02"),
        ("a fortnight ago", "2026-07-01..2026-07-02"),
        ("a couple of days ago", "2026-07-13..2026-07-14"),
        ("four months ago", "2026-03-15..2026-03-16"),
        ("last week", "2026-07-06..2026-07-13"),
        ("this month", "2026-07-01..2026-08-01"),
        ("the past quarter", "2026-04-01..2026-07-01"),
        ("last year", "2025-01-01..2026-01-01"),
        ("over the last 3 days", "2026-07-12T14:30..2026-07-15T14:30"),
        ("what broke on Friday?", "2026-07-10..2026-07-11"),
        ("last Wednesday", "2026-07-08..2026-07-09"),
        ("Thursday of last week", "2026-07-09..2026-07-10"),
        ("since Monday", "2026-07-13.."),
        ("in May", "2026-05-01..2026-06-01"),
        ("in May 2024", "2024-05-01..2024-06-01"),
        ("the October freeze", "2025-10-01..2025-11-01"),
        ("mid-April", "2026-04-11..2026-04-21"),
        ("early in June", "2026-06-01..2026-06-11"),
        ("the first half of June", "2026-06-01..2026-06-16"),
        ("in the second week of March", "2026-03-08..2026-03-15"),
        ("4 Feb", "2026-02-04..2026-02-05"),
        ("on February 4th, 2025", "2025-02-04..2025-02-05"),
        ("the twenty-first of March", "2026-03-21..2026-03-22"),
        ("04.02.2026", "2026-02-04..2026-02-05"),
        ("am 4.2. war", "2026-02-04..2026-02-05"),
        ("2026-02-04", "2026-02-04..2026-02-05"),
        ("2026-02", "2026-02-01..2026-03-01"),
        ("on 25/02", "2026-02-25..2026-02-26"),
        ("the week of 4 February", "2026-02-02..2026-02-09"),
        ("in the week of 3 August", "2026-08-03..2026-08-10"),
        ("in Q1", "2026-01-01..2026-04-01"),
        ("the third quarter of 2025", "2025-07-01..2025-10-01"),
        ("last winter", "2025-12-01..2026-03-01"),
        ("in 2025", "2025-01-01..2026-01-01"),
        ("before April", "..2026-04-01"),
        ("after 3 April", "2026-04-04.."),
        ("until April", "..2026-05-01"),
        ("between February and April", "2026-02-01..2026-05-01"),
        ("from 3 February to 5 April", "2026-02-03..2026-04-06"),
        ("first in April, then in June", "2026-04-01..2026-05-01; 2026-06-01..2026-07-01"),
        ("gestern", "2026-07-14..2026-07-15"),
        ("letzte Woche", "2026-07-06..2026-07-13"),
        ("vor drei Tagen", "2026-07-12..2026-07-13"),
        ("im März", "2026-03-01..2026-04-01"),
        ("ayer", "2026-07-14..2026-07-15"),
        ("la semana pasada", "2026-07-06..2026-07-13"),
        ("el 4 de febrero", "2026-02-04..2026-02-05"),
        ("2月4日", "2026-02-04..2026-02-05"),
    ],
)  # fmt: skip
def test_a_time_in_words_is_a_range(text: str, expected: str) -> None:
    """What people say for a time is the range of local days that it means."""
    assert named(text) == expected


@pytest.mark.usefixtures("zone")
@each_row(
    "text",
    ["may I retry?", "two may fail", "march through the list", "the second try", "fall back to it",
     "how many per second may we send?", "how late may it be?", "this may fail", "a fix of 3.1. Go",
     "upgrade to 3.12.", "a 24/7 service", "spring boot", "on 05/06", "port 2026", "sun and moon",
     "does it run on Friday?", "on 31 February", "the 2019.3 build", "v2026-02x",
     "a week has 7 days", "999999 days ago", "9999 years ago",
     "2026-02-04T10:11:12Z ERROR no route", "2026-02-04 10:11:12,301 WARN retrying"],
)  # fmt: skip
def test_everyday_words_are_no_time(text: str) -> None:
    """Words that may name a month, a number or a version name no time by themselves."""
    assert named(text) == ""


@pytest.mark.usefixtures("zone")
def test_what_is_told_of_the_past_is_not_ahead() -> None:
    """A month that is about to begin is the coming one, unless the text tells of the past."""
    assert named("what is due in August?") == "2026-08-01..2026-09-01"
    assert named("what went wrong in August?") == "2025-08-01..2025-09-01"


@pytest.mark.usefixtures("zone")
def test_last_week_may_be_the_past_seven_days() -> None:
    """Calendar and habit differ: the range is the week, its slack reaches up to now."""
    (week,) = time_ranges("last week", now=NOW)
    assert week.end + week.slack[1] == NOW
    assert week.words == ("last", "week")


def test_days_are_local(zone: Callable[[str], None]) -> None:
    """Yesterday ends at the midnight of the user, not of Greenwich."""
    zone("Asia/Tokyo")
    assert named("yesterday") == "2026-07-13T15:00..2026-07-14T15:00"


@given(texts | st.text("0123456789./- mayqthursdnvoe,", max_size=60))
def test_any_text_is_read(text: str) -> None:
    """No text is an error, and a range begins before it ends."""
    ranges = time_ranges(text, now=NOW)
    assert len(ranges) <= MAX_RANGES
    assert all(one.start < one.end for one in ranges)


@pytest.mark.parametrize("piece", ["9", "1 ", "may ", "1/1/", "2026-02-04 ", "before the ", "q"])
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    """100 kB of one piece over and over: linear, so a second is far more than it takes."""
    text = piece * (100_000 // len(piece))
    begun = time.process_time()
    time_ranges(text, now=NOW)
    assert time.process_time() - begun < 5


@each_row(
    "text, expected",
    [
        ("Which cache did we use before the release of 2.4?",
         EventReference(TimeRelation.BEFORE, "the release of 2.4")),
        ("what changed right after the audit?",
         EventReference(TimeRelation.AFTER, "the audit", close=True)),
        ("What did we promise the day we moved to Kafka?",
         EventReference(TimeRelation.IN, "we moved to Kafka")),
        ("who was on call when 2.4 came out", EventReference(TimeRelation.IN, "2.4 came out")),
        ("Before we had Kafka, how did events travel?",
         EventReference(TimeRelation.BEFORE, "we had Kafka")),
        ("what must I run before the release?", None),
        ("when I push, which tests run?", None),
        ("did it fail before pushing?", None),
        ("when was the mirror moved?", None),
        ("After how many days were logs rotated?", None),
        ("What happens when the last attempt has failed?", None),
        ("Did it break whenever nobody listened?", None),
        ("It failed. What must be done before that?", None),
    ],
)  # fmt: skip
def test_an_event_stands_for_a_time(text: str, expected: EventReference | None) -> None:
    """What happened is named for when it was; an occasion that recurs is no event."""
    assert event_reference(text) == expected


def test_the_range_of_an_event_lies_where_the_question_says() -> None:
    """Before it, after it, or around the day of it."""
    assert range_of(EventReference(TimeRelation.BEFORE, "x"), NOW).end == NOW
    assert range_of(EventReference(TimeRelation.AFTER, "x"), NOW).start == NOW
    around = range_of(EventReference(TimeRelation.IN, "x"), NOW)
    assert around.start < NOW < around.end


class TestRecall:
    """Questions that name a time, in a store of a year."""

    @pytest.fixture
    def kit(self, tmp_path: Path) -> Iterator[memkit.Memkit]:
        """A store asked on the 15th of July."""
        with memkit.open(tmp_path / "m.db", global_store=False, clock=lambda: NOW) as kit:
            said = [
                ("2026-02-03", "The crawler runs with four workers."),
                ("2026-03-09", "Crawler 2.0 went out today, with robots.txt support."),
                ("2026-05-12", "The mirror in Oslo is read-only."),
                ("2026-07-08", "Heron's disk was swapped, the old one had bad blocks."),
            ]
            for day, text in said:
                kit.memories.remember(text, at=f"{day}T10:00:00Z")
            (old,) = (m for m in kit.memories.find({}) if "four workers" in m.text)
            kit.memories.remember(
                "The crawler runs with nine workers.", at="2026-04-01T10:00:00Z", supersedes=old.id
            )
            yield kit

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("what happened last week?", "Heron"),
            ("what did we do in May?", "Oslo"),
            ("what happened nine weeks ago?", "Oslo"),
        ],
    )
    def test_a_time_alone_finds_what_was_said_then(
        self, kit: memkit.Memkit, question: str, answer: str
    ) -> None:
        """Where no word is left to look for, the time is enough, with the default floor."""
        hits = kit.recall(question)
        assert answer in hits[0].memory.text
        assert len(hits) <= 2

    def test_nothing_is_made_up_for_a_time_without_memories(self, kit: memkit.Memkit) -> None:
        """A week in which nothing was said has no answer."""
        assert not kit.recall("what happened three weeks ago?")

    @pytest.mark.parametrize(
        ("question", "answer"),
        [
            ("How many workers did the crawler have in March?", "four"),
            ("How many workers did the crawler have before 2.0 went out?", "four"),
            ("How many workers does the crawler have?", "nine"),
            ("How many workers did the crawler have in June?", "nine"),
        ],
    )
    def test_what_held_then_answers_a_question_of_the_past(
        self, kit: memkit.Memkit, question: str, answer: str
    ) -> None:
        """What was replaced since is the answer for a time before, and for no other."""
        assert answer in kit.recall(question, min_score=0)[0].memory.text

    @pytest.mark.parametrize(
        ("words", "day"),
        [
            ("2.0 went out", "2026-03-09"),
            ("the disk of heron was swapped", "2026-07-08"),
            ("12.0 went out", None),
            ("we moved to Bergen", None),
        ],
    )
    def test_an_event_is_dated_by_the_memory_that_tells_of_it(
        self, kit: memkit.Memkit, words: str, day: str | None
    ) -> None:
        """Not by one that speaks of it before or after, nor by another version's."""
        kit.memories.remember("When 2.0 goes out, tell the mirrors.", at="2026-02-10T10:00:00Z")
        kit.memories.remember("Since 2.0.1 robots.txt is cached.", at="2026-04-02T10:00:00Z")
        at = event_time(kit._store, words, is_visible=lambda _: True)
        assert (None if at is None else _short(at)[:10]) == day

    def test_since_and_until_take_times_in_words(self, kit: memkit.Memkit) -> None:
        """Arguments are read as questions are; until a month is until it ends."""
        recalled = kit.recall("crawler disk mirror", min_score=0, since="in May", until="last week")
        assert {hit.memory.text[:5] for hit in recalled} == {"The m", "Heron"}

    def test_a_naive_datetime_in_an_argument_is_local(
        self, tmp_path: Path, zone: Callable[[str], None]
    ) -> None:
        """What holds for another hour holds now, west of Greenwich too."""
        zone("America/Lima")
        with memkit.open(tmp_path / "n.db", global_store=False, clock=lambda: NOW) as kit:
            local = datetime.fromtimestamp(NOW)
            kit.memories.remember("The gate is open.", valid_to=local + timedelta(hours=1))
            assert kit.recall("is the gate open?", min_score=0)
            assert not kit.recall(
                "is the gate open?", min_score=0, since=local + timedelta(hours=1)
            )


def test_what_was_said_the_day_after_is_not_called_of_that_time(
    kit: memkit.Memkit,
) -> None:
    """It comes, for things are written down late; the reason says so."""
    kit.memories.remember("We decided to dredge the north quay.")
    (hit,) = kit.recall("what did we decide today?", limit=1)
    assert "of the time that is named" in hit.reasons
    (hit,) = kit.recall("what did we decide yesterday?", limit=1)
    assert "of about the time that is named" in hit.reasons
