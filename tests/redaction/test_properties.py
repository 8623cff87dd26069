"""What holds for every text: redacting twice is redacting once, no secret survives, cost is
linear."""

from __future__ import annotations

import string
import sys
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from memkit.redaction import clean_text, keyword_detector, redact, redact_json, scan, token_detector
from memkit.redaction.literal_search import LowerText
from memkit.redaction.rules import FORMATS, Finding, merge
from memkit.redaction.token_detector import long_runs
from tests.tables import each_row

from .fakes import letters, of_format

# Pieces that the rules look for, to be thrown together at random.
PIECES = [
    *("token", "password", "secret=", '"', "'", ": ", "=", "://", "a:b@", "\\", "\n", " ", "key"),
    *("[secret:token]", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"),
    *("kind: Secret\n", "data:\n  ", "{", "}", "ey" + "J", "gh" + "p_", "s" + "k-", "AK" + "IA"),
    *("curl -u ", "Authorization: Bearer ", "é", "固", "x" * 9, "--", "<password>", "$", "%3D"),
    *(".", "\0", "\ud800"),
]
messy = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.text(max_size=12),
        st.integers(0, 99).map(lambda n: letters(n + 3, n)),
    ),
    max_size=14,
).map("".join)
tokens = st.tuples(st.sampled_from(FORMATS), st.integers(0, 10_000)).map(
    lambda pair: pair[0][1].split("|")[0] + of_format(pair[0][2], pair[1])
)


@given(messy)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    """What comes out holds nothing that would be found again, and comes back as the same object."""
    once = redact(text)
    again = redact(once.text)
    assert again.findings == ()
    assert again.text is once.text


@given(messy)
def test_findings_say_exactly_what_changed(text: str) -> None:
    """Putting a marker at each finding's place gives the redacted text; nothing else is touched."""
    result = redact(text)
    pieces, at = [], 0
    for finding in result.findings:
        assert at <= finding.start < finding.end <= len(text)
        pieces += [text[at : finding.start], f"[secret:{finding.kind}]"]
        at = finding.end
    assert "".join(pieces) + text[at:] == result.text
    assert list(result.findings) == scan(text)
    assert result.findings or result.text is text


@given(tokens, messy, messy)
def test_a_planted_token_never_comes_out(token: str, before: str, after: str) -> None:
    """Whatever stands around it, a token between blanks is gone."""
    assert token not in redact(f"{before} {token} {after}").text


@each_row("offset", [0, 1, 4095, 4096, 65_535, 1_000_003])
@each_row("filler", ["a ", "word_", "/9j", "=", "\n", "固", "\\n"])
def test_a_token_is_found_at_any_offset_of_a_long_text(offset: int, filler: str) -> None:
    """Far into a text of a megabyte or more, in prose, one long line, a picture or empty lines."""
    token = "gh" + "p_" + letters(36)
    text = (filler * (offset // len(filler) + 1))[:offset] + f" {token} " + filler * 50
    assert token not in redact(text).text


def test_a_secret_longer_than_any_window_is_masked_to_its_end() -> None:
    """A key block of 200 kB and a quoted value of 50 kB leave nothing behind."""
    body = "\n".join(letters(64, seed) for seed in range(3000))
    value = letters(50_000)
    text = f'-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\ntoken = "{value}"\n'
    masked = redact(text).text
    assert len(masked) < 200
    assert value[-20:] not in masked


# Texts made of what the rules look for; each doubles the work when the text doubles.
HARD = [
    *("token=", 'token="', "secret:'\"", "curl -u ", "://a:", "-----BEGIN PRIVATE KEY-----\n"),
    *("ey" + "J", ":A1", "key", "password is ", "kind: Secret\n", "Authorization: Bearer "),
    *("s" + "k-", "a1Q~", "\\", '\\"token\\":'),
    # Long words, lines of them, and what is looked at twice.
    *(
        "a",
        "a1B2",
        "*",
        "Z2hw",
        "abcdefgh1\n",
        "a1" * 30 + "\n",
        "gh" + "p_a1\n",
        "41",
        "_",
        "=",
        "\n",
    ),
    *(
        "redis-cli -a ",
        " -p",
        "echo a|",
        "\x1b[1m",
        "a\x1b[1m",
        "a\u200b",
        "\\033[",
        "密",
        "password",
    ),
]


@each_row("unit", HARD)
def test_scanning_twice_the_text_costs_twice_the_steps(unit: str) -> None:
    """Calls and characters read ahead grow with the length, not faster."""
    small, large = (_steps(unit * (size // len(unit))) for size in (4_000, 16_000))
    assert large <= 4.6 * small + 400


def _steps(text: str) -> int:
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    ahead = _ReadAhead()
    with patch.object(keyword_detector, "Reader", ahead.reader):
        sys.setprofile(count)
        try:
            redact(text)
        finally:
            sys.setprofile(None)
    return calls + ahead.characters


Reader = keyword_detector.Reader


class _ReadAhead:
    """Counts the characters that a reader goes through in search of an end."""

    def __init__(self) -> None:
        self.characters = 0

    def reader(self, text: str) -> keyword_detector.Reader:
        counting = self

        class Counting(Reader):
            def next(self, mark: str, at: int) -> int:
                known = self._ends.get(mark, -1)
                end = Reader.next(self, mark, at)
                counting.characters += end - at if known < at else 1
                return end

        return Counting(text)


@given(st.text())
@example("a\0\0b\ud800")
def test_clean_text_can_always_be_stored(text: str) -> None:
    """No NUL, no lone surrogate; without them the same object; twice is once."""
    clean = clean_text(text)
    clean.encode("utf-8")
    assert "\0" not in clean
    assert clean_text(clean) is clean
    if "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text):
        assert clean is text


def test_clean_text_shows_what_was_taken_out() -> None:
    """A run of NUL is one visible sign and both sides stay."""
    text = "before-marker " + "\0" * 10_291 + " after-marker"
    assert clean_text(text) == "before-marker ␀ after-marker"
    assert clean_text("a\udce9b") == "a\N{REPLACEMENT CHARACTER}b"
    assert clean_text("👩‍👩‍👧‍👦 e\u0301 固") == "👩‍👩‍👧‍👦 e\u0301 固"


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), messy),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(messy, inner, max_size=3)),
    max_leaves=8,
)


@given(json_values)
def test_redacting_json_twice_is_redacting_it_once(value: object) -> None:
    """Nested values keep their form, and a second pass finds nothing."""
    once = redact_json(value)
    assert redact_json(once) == once
    assert type(once) is type(value)


def test_a_key_names_the_value_beside_it() -> None:
    """A password that gives itself away only by its key is masked; numbers and None stay."""
    chosen, issued = "hunter" + "2", letters(24)
    value = {
        "user": "me",
        "password": chosen,
        "port": 5432,
        "nested": [{"apiKey": issued, "note": None}],
        "token": "gh" + "p_" + letters(36),
        "token_url": "https://host/token",
        f"tokens/{'gh' + 'p_' + letters(36)}": 1,
    }
    assert redact_json(value) == {
        "user": "me",
        "password": "[secret:password]",
        "port": 5432,
        "nested": [{"apiKey": "[secret:api_key]", "note": None}],
        "token": "[secret:github_token]",
        "token_url": "https://host/token",
        "tokens/[secret:github_token]": 1,
    }
    assert redact_json(("a", chosen)) == ("a", chosen)


def test_overlapping_findings_become_one() -> None:
    """The span is the union, the kind is that of the finding that came first in the list."""
    found = [Finding("a", 5, 9), Finding("b", 2, 6), Finding("c", 9, 12)]
    assert merge(found) == [Finding("a", 2, 9), Finding("c", 9, 12)]


def test_a_finding_never_carries_the_secret() -> None:
    """Its text form shows kind and place only."""
    token = "gh" + "p_" + letters(36)
    assert token not in repr(redact(f"x {token}").findings)


def test_tokens_inside_a_picture_are_left() -> None:
    """A chance prefix inside base64 data is not a token."""
    picture = (
        letters(60) + "/AK" + "IA" + letters(16, 3, string.ascii_uppercase) + "+" + letters(60)
    )
    assert scan(f"data:image/png;base64,{picture}") == []


def test_every_scanner_is_lazy_about_absent_literals() -> None:
    """Plain text is never handed to an expression of the tables."""
    text = "plain words, nothing else. " * 50
    shadow = text.encode("latin-1")
    with (
        patch.object(token_detector, "_at", side_effect=AssertionError),
        patch.object(token_detector, "_token", side_effect=AssertionError),
    ):
        runs = long_runs(shadow)
        assert [
            *token_detector.anchored(text, LowerText(shadow)),
            *token_detector.prefixed(text, shadow, runs),
        ] == []
