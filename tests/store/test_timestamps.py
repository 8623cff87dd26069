"""Time has one stored form, whatever it came in."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInput
from memkit.store import timestamps
from tests.strategies import moments, texts
from tests.tables import each_row

NOW = datetime(2026, 3, 1, 10, 30, tzinfo=UTC).timestamp()
FORM = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@each_row(
    "given_form",
    [
        "2026-02-03T04:05:06Z",
        "2026-02-03 04:05:06",
        "2026-02-03T04:05:06.000+00:00",
        "2026-02-03T13:05:06+09:00",
        " 20260203T040506 ",
        datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
        datetime(2026, 2, 2, 23, 5, 6, tzinfo=timezone(timedelta(hours=-5))),
        1770091506,
        1770091506.0,
        1770091506000,
        "1770091506",
        "1770091506000",
    ],
)
def test_every_form_of_a_moment_is_the_same_text(given_form: timestamps.When) -> None:
    """Naive text is UTC, offsets are taken off, milliseconds are told from seconds."""
    assert timestamps.normalise(given_form) == "2026-02-03T04:05:06.000Z"


@pytest.mark.parametrize("name", ["Asia/Tokyo", "America/Lima"])
def test_the_zone_of_the_machine_moves_no_row(name: str, zone: Callable[[str], None]) -> None:
    """Text without an offset, and seconds, mean the same on every machine."""
    zone(name)
    for form in ("2026-02-03 04:05:06", 1770091506):
        assert timestamps.normalise(form) == "2026-02-03T04:05:06.000Z"
    assert timestamps.to_epoch("2026-02-03T04:05:06") == 1770091506


def test_a_naive_datetime_is_local(zone: Callable[[str], None]) -> None:
    """What `datetime.now()` gives is the caller's own time, and so are days, however they are
    given."""
    zone("America/Lima")  # five hours behind UTC
    assert timestamps.normalise(datetime(2026, 2, 3, 4, 5, 6)) == "2026-02-03T09:05:06.000Z"
    assert timestamps.parse_when("2026-02-03 04:05:06", now=NOW) == "2026-02-03T09:05:06.000Z"
    for day in (date(2026, 2, 3), "2026-02-03", "3 Feb 2026"):
        assert timestamps.parse_when(day, now=NOW) == "2026-02-03T05:00:00.000Z"
        assert timestamps.parse_until(day, now=NOW) == "2026-02-04T04:59:59.999Z"
    assert timestamps.parse_when("today", now=NOW) == "2026-03-01T05:00:00.000Z"


def test_a_day_of_the_clock_change_has_its_own_length(zone: Callable[[str], None]) -> None:
    """Local days are days of the calendar, not 24 hours."""
    zone("Europe/Berlin")
    assert timestamps.parse_when("2026-03-29", now=NOW) == "2026-03-28T23:00:00.000Z"
    assert timestamps.parse_until("2026-03-29", now=NOW) == "2026-03-29T21:59:59.999Z"


def test_a_day_is_its_midnight() -> None:
    """A date alone, in any form, means the start of that day in UTC."""
    forms = ("2026-02-03", "20260203", date(2026, 2, 3))
    assert {timestamps.normalise(form) for form in forms} == {"2026-02-03T00:00:00.000Z"}


@pytest.mark.parametrize(
    ("form", "begins"),
    [("2030", "2030-01-01"), ("2027-09", "2027-09-01"), (" 2027-12 ", "2027-12-01")],
)
def test_iso_year_and_month_are_their_beginning(form: str, begins: str) -> None:
    """ISO 8601's years and months are their beginning, as its days are."""
    assert timestamps.normalise(form) == f"{begins}T00:00:00.000Z"


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("tomorrow", "2026-03-02T00:00:00.000Z"),
        ("in 3 days", timestamps.from_epoch(NOW + 3 * 86400)),
        ("In an hour", timestamps.from_epoch(NOW + 3600)),
        ("next week", timestamps.from_epoch(NOW + 7 * 86400)),
        ("next two months", timestamps.from_epoch(NOW + 60 * 86400)),
    ],
)
def test_relative_future_times_are_read(phrase: str, expected: str) -> None:
    """What holds until some time from now is said as plainly as what was some time ago."""
    assert timestamps.parse_when(phrase, now=NOW, name="valid_to") == expected


@each_row(
    "wrong",
    ["", "  ", "not a date", "2026-13-01", "2026-13", "0000", "2026-02-30", "12345",
     "99999999999999999999", True,
     None, float("nan"), float("inf"), -1e30, b"2026", "0001-01-01T00:00:00+05:00", [2026]],
)  # fmt: skip
def test_what_is_no_time_is_refused_by_name(wrong: object) -> None:
    """Nothing falls through as None, which a filter would read as "any time"."""
    with pytest.raises(InvalidInput, match="valid_from"):
        timestamps.normalise(wrong, name="valid_from")  # type: ignore[arg-type]


@given(moments)
def test_stored_text_sorts_as_time(moment: datetime) -> None:
    """The stored form is fixed in width, and one millisecond later sorts after it."""
    stored = timestamps.normalise(moment)
    assert FORM.fullmatch(stored)
    assert timestamps.normalise(moment + timedelta(milliseconds=1)) > stored


@given(moments)
def test_stored_text_is_stored_unchanged(moment: datetime) -> None:
    """Normalising twice is normalising once, and nothing is lost but microseconds."""
    stored = timestamps.normalise(moment)
    assert timestamps.normalise(stored) == stored
    assert 0 <= moment.timestamp() - timestamps.to_epoch(stored) < 0.001 + 1e-5
    assert timestamps.from_epoch(timestamps.to_epoch(stored)) == stored


def test_a_row_written_by_hand_without_an_offset_is_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own time zone has no say in what a stored time means."""
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    assert timestamps.to_epoch("2026-02-03 04:05:06") == 1770091506


def test_a_day_that_never_was_is_long_ago() -> None:
    """What stands in the file for a time and is none stops no answer."""
    assert timestamps.to_epoch("2026-02-30T10:00:00.000Z") == 0
    assert timestamps.to_epoch("soon") == 0
    assert not timestamps.is_stored("2026-02-30T10:00:00.000Z")
    assert timestamps.is_stored("2026-02-28T10:00:00.000Z")


@each_row(
    "phrase, expected",
    [
        ("now", "2026-03-01T10:30:00.000Z"),
        ("today", "2026-03-01T00:00:00.000Z"),
        ("Yesterday", "2026-02-28T00:00:00.000Z"),
        ("last week", "2026-02-16T00:00:00.000Z"),
        ("the last week", "2026-02-16T00:00:00.000Z"),
        ("monday", "2026-02-23T00:00:00.000Z"),
        ("since monday", "2026-02-23T00:00:00.000Z"),
        ("9 days ago", "2026-02-20T00:00:00.000Z"),
        ("three weeks ago", "2026-02-08T00:00:00.000Z"),
        ("last fortnight", "2026-02-09T00:00:00.000Z"),
        ("in May", "2025-05-01T00:00:00.000Z"),
        ("in January", "2026-01-01T00:00:00.000Z"),
        ("2025-11", "2025-11-01T00:00:00.000Z"),
        ("letzten Montag", "2026-02-23T00:00:00.000Z"),
        ("past 7 days", "2026-02-22T10:30:00.000Z"),
        ("last seven days", "2026-02-22T10:30:00.000Z"),
        ("previous  month", "2026-02-01T00:00:00.000Z"),
        ("an hour ago", "2026-03-01T09:30:00.000Z"),
        ("3 hours ago", "2026-03-01T07:30:00.000Z"),
        ("last hour", "2026-03-01T09:30:00.000Z"),
        ("14 days", "2026-02-15T10:30:00.000Z"),
        ("week ago", "2026-02-22T00:00:00.000Z"),
        ("36h", "2026-02-27T22:30:00.000Z"),
        ("1.5d", "2026-02-27T22:30:00.000Z"),
        ("2w", "2026-02-15T10:30:00.000Z"),
        ("2026-02-28", "2026-02-28T00:00:00.000Z"),
    ],
)
def test_phrases_are_reckoned_back_from_now(phrase: str, expected: str) -> None:
    """What people say for a time span becomes the moment where it begins."""
    assert timestamps.parse_when(phrase, now=NOW) == expected


@each_row(
    "phrase",
    ["blursday", "last", "week", "last sprint", "ninety days ago", "3 parsecs ago", "-3h",
     "the release of May", "between May and", "monday or tuesday",
     "h", "in", "next", "in many days", "in 99999999999 weeks", "99999999999 weeks ago",
     "9" * 400 + "h", "9" * 5000 + " days ago", "²h"],
)  # fmt: skip
def test_an_unknown_phrase_is_no_filter_at_all(phrase: str) -> None:
    """A phrase that is not understood, or that leads before the year 1, is an error."""
    with pytest.raises(InvalidInput, match=r"since.*no time"):
        timestamps.parse_when(phrase, now=NOW)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("last week", "2026-02-22T23:59:59.999Z"),
        ("yesterday", "2026-02-28T23:59:59.999Z"),
        ("2025-11", "2025-11-30T23:59:59.999Z"),
        ("2025", "2025-12-31T23:59:59.999Z"),
        ("2026-02-28", "2026-02-28T23:59:59.999Z"),
        ("in January", "2026-01-31T23:59:59.999Z"),
        ("before May 2025", "2025-04-30T23:59:59.999Z"),
        ("3 hours ago", "2026-03-01T07:30:00.000Z"),
        ("36h", "2026-02-27T22:30:00.000Z"),
        ("2026-02-28T10:00:00Z", "2026-02-28T10:00:00.000Z"),
    ],
)
def test_until_takes_in_the_last_moment(phrase: str, expected: str) -> None:
    """Until a day, a week or a month is until it ends; a moment is itself."""
    assert timestamps.parse_until(phrase, now=NOW) == expected


@given(texts | st.text("0123456789.-+:TZ hdwago", max_size=25))
def test_any_text_is_a_time_or_an_error(text: str) -> None:
    """No text makes the parser fail in any other way than InvalidInput."""
    try:
        found = timestamps.parse_when(text, now=NOW)
    except InvalidInput:
        return
    assert FORM.fullmatch(found)
