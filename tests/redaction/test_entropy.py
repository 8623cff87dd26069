"""Names and values are judged by themselves: what a name announces, what a value looks like."""

from __future__ import annotations

import string

import pytest

from memkit.redaction import detection, redact
from memkit.redaction.entropy import (
    Strength,
    is_filler,
    looks_chosen,
    looks_issued,
    looks_strong,
    randomness,
)
from memkit.redaction.keyword_detector import parts, strength
from memkit.redaction.rules import Finding
from tests.tables import each_row

from .fakes import letters


@each_row(
    "name, force",
    [
        ("db_password", Strength.PASSWORD),
        ("MYSQL_PWD", Strength.PASSWORD),
        ("sshPass", Strength.PASSWORD),
        ("passphrase", Strength.PHRASE),
        ("quillbank_key", Strength.LIKELY),
        ("apiKey", Strength.SECRET),
        ("API-KEY", Strength.SECRET),
        ("apikey2", Strength.SECRET),
        ("stripeSecretKey", Strength.SECRET),
        ("refresh_token", Strength.SECRET),
        ("creds", Strength.SECRET),
        ("session_id", Strength.SECRET),
        ("datadog_key", Strength.SECRET),
        ("SUMO_ACCESS_ID", Strength.SECRET),
        ("NEXT_AUTH_SECRET", Strength.SECRET),
        ("key", Strength.WEAK),
        ("sequenceKey", Strength.WEAK),
        ("passwords", Strength.WEAK),
        ("token_url", Strength.NONE),
        ("public_key", Strength.NONE),
        ("csrf_token", Strength.NONE),
        ("next_page_token", Strength.NONE),
        ("primary_key", Strength.NONE),
        ("password_hash", Strength.NONE),
        ("secret_name", Strength.NONE),
        ("report_access_id", Strength.NONE),
        ("keyboard", Strength.NONE),
        ("author", Strength.NONE),
        ("compass", Strength.NONE),
        ("tokenizer", Strength.NONE),
        ("123", Strength.NONE),
    ],
)
def test_what_a_name_announces(name: str, force: Strength) -> None:
    """Only names of a secret itself count, in any way of writing them."""
    assert strength(name) is force


def test_the_words_of_a_name() -> None:
    """Camel case, snake case, dashes and dots all part words."""
    assert parts("stripeSecretKey2") == ["stripe", "secret", "key"]
    assert parts("HTTPServer.api-KEY") == ["http", "server", "api", "key"]


@each_row(
    "value",
    ["", "xxxxxxxxxxxx", "<your-key>", "your_api_key", "changeme", "example", "${VAR}", "$VAR",
     "{{ x }}",
     "%(name)s", "[TOKEN]", "sk-...", "****", "AKIDEXAMPLE", "None", "sha256", "[secret:token]",
     "{token!r}", "[A-Z0-9]{20}", "insert-token-here", "password123"],
)  # fmt: skip
def test_fillers_are_no_values(value: str) -> None:
    """Everything that only stands where a value is to come."""
    assert is_filler(value)


def test_a_filler_word_by_chance_inside_random_text_does_not_count() -> None:
    """A long key may happen to hold "fake" or "todo"."""
    assert not is_filler(letters(20, 2) + "fake" + letters(20, 3))


def test_issued_values() -> None:
    """Random letters, hex, UUIDs and long numbers; no words, dates, paths or alphabets."""
    for value in (letters(12), "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "4" * 3 + "17029384756102938"):
        assert looks_issued(value), value
    for value in (
        "getAccessToken", "2024-01-31T10:00:00Z", "abcdefghijklmnop", "a/b/c/d.txt", "12345678",
        "1.2.3-rc4", "0123456789abcdefgh", "short1", "aaaaaaaabbbb", "me@host.org",
        "user_profile_settings_v2", "12:30:45.000",
    ):  # fmt: skip
        assert not looks_issued(value), value


def test_strong_values() -> None:
    """Behind a weak name only long mixed random text counts, no digest and no id."""
    assert looks_strong(letters(32))
    for value in (
        "0f1e2d3c4b5a69788796a5b4c3d2e1f0aabbccdd",
        letters(12),
        "users.profile.settings.v2.key",
    ):
        assert not looks_strong(value)


def test_chosen_values() -> None:
    """Passwords with digits or signs; no names of variables, no calls, no plain words."""
    for value in (
        "hunter" + "2",
        "p@ss" + "w0rd!",
        "Tr0ub4dor" + "&3",
        "48151" + "62342",
        "qx" + "zvkjwpq",
    ):
        assert looks_chosen(value), value
    for value in (
        "abc",
        "user_password",
        "ahotproject",
        "12345678",
        "two words",
        "...!?",
        "getPassword",
    ):
        assert not looks_chosen(value), value
    for value in ("opts.get2(", "12:30", "a1", "important!"):
        assert not looks_chosen(value, strict=True), value


def test_randomness_tells_tokens_from_names() -> None:
    """Camel case and snake case are written by people; tokens use all pairs alike."""
    assert randomness("getAccessTokenSilently") < -0.5 < 0.5 < randomness("gnyhxcjf0ospy6")
    assert randomness("x") == 0.0


@each_row(
    "text, masked",
    [
        ("DB_PASSWORD=correcthorse\n", "DB_PASSWORD=[secret:password]\n"),
        ('token = "' + 'ab\\"' + letters(20) + '"', 'token = "[secret:token]"'),
        ("token = ab12cd34ef56...", None),
        ('token = f"{prefix}-{name}"', None),
        ('password = "Tr0ub4dor' + "&3", 'password = "[secret:password]'),
        ('x = "ab\ncd" == password', None),
        ('" == password', None),
        ("kind: Secret\ndata:\nother: c29tZXRoaW5n\n", None),
        ("password=(x1y2z3)", None),
        ("{password: x1y2z3}", "{password: [secret:password]}"),
        ("(password: x1y2z3)", "(password: [secret:password])"),
        ("access key: " + letters(24), "access key: [secret:api_key]"),
        ("https://h/in?password=x1" + "y2z3&go=1", "https://h/in?password=[secret:password]&go=1"),
        ("token_urls", None),
    ],
)
def test_values_at_the_edges(text: str, masked: str | None) -> None:
    """Escaped and missing quotes, brackets, shortened and computed values."""
    result = redact(text)
    assert result.text == (masked if masked is not None else text)


@pytest.mark.parametrize("name", ["token", "DB_PASSWORD", "password"])
def test_a_bare_value_longer_than_what_is_looked_at_is_masked_to_its_end(name: str) -> None:
    """Judged by its beginning, masked as a whole."""
    assert redact(f"{name}={letters(9000)} end").text.endswith("] end")
    assert redact(f"Authorization: Bearer {letters(9000)}\n").text.endswith("]\n")


def test_what_a_marker_uncovers_is_found_and_placed_in_the_text_as_it_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Findings of a later round move to the original text, joined where they touch a marker."""
    rounds = iter(
        [
            [Finding("a", 4, 8), Finding("b", 12, 16)],
            # "0123[secret:a]89ab[secret:b]ghij": behind both markers, before them, over a marker
            [Finding("c", 30, 32), Finding("d", 0, 2), Finding("e", 12, 16), Finding("f", 20, 24)],
            [],
        ]
    )
    monkeypatch.setattr(detection, "scan_once", lambda text: next(rounds))
    result = redact("0123456789abcdefghij")
    assert [(f.kind, f.start, f.end) for f in result.findings] == [
        ("d", 0, 2),
        ("a", 4, 10),
        ("b", 12, 16),
        ("c", 18, 20),
    ]
    assert result.text == "[secret:d]23[secret:a]ab[secret:b]gh[secret:c]"


def test_rounds_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even rules that would find something every time are asked a few times only."""
    monkeypatch.setattr(detection, "scan_once", lambda text: [Finding("a", 0, 1)])
    assert redact("xyz").text == "[secret:a]yz"


@pytest.mark.parametrize(
    "place",
    ["secret_key = {}", 'api_key: "{}"', "API_TOKEN={}", "Authorization: Bearer {}", "token is {}"],
)
def test_base64_token_that_begins_with_a_slash_is_masked(place: str) -> None:
    """Base64 has the slash among its signs: one token in 64 begins with it."""
    signs = f"{string.ascii_letters}{string.digits}/+"
    drawn = [f"/{letters(39, seed, signs)}" for seed in range(300)]
    assert not [token for token in drawn if token in redact(place.format(token)).text]


@pytest.mark.parametrize("path", ["/var/run/secrets/Kubernetes-1.29/ServiceAccount2/token", "~/x"])
def test_a_path_is_no_token(path: str) -> None:
    """Names of files are written, not drawn, also those with capitals and digits."""
    text = f"token = {path}"
    assert redact(text).text is text


@pytest.mark.parametrize("name", ["secret", "password", "x-api-key"])
def test_padded_base64_is_masked(name: str) -> None:
    """`name: type == value` is a comparison only if there is a value."""
    token = f"{letters(22)}=="
    assert token not in redact(f"{name}: {token}\nnext: line").text
