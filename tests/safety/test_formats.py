"""Every format of the tables is found, alone and in the places where tokens are written."""

from __future__ import annotations

import pytest

from memkit.safety import redact, scan
from memkit.safety.anchored import ANCHORED, INSIDE
from memkit.safety.formats import FORMATS

from .fakes import letters, of_format

PREFIXED = [
    (kind, prefix, body) for kind, prefixes, body in FORMATS for prefix in prefixes.split("|")
]
PLACES = (
    "{}",
    "use {} for now",
    'token = "{}"',
    '{{"x": "{}"}}',
    "export X={}\n",
    "https://host/{}?a=b",
    "`{}`,",
    "({})",
    "line\\n{}\\nline",
)


@pytest.mark.parametrize(("kind", "prefix", "body"), PREFIXED)
def test_a_token_with_a_published_prefix_is_found(kind: str, prefix: str, body: str) -> None:
    """A generated token of each format is masked wherever it is written, and nothing else is."""
    for seed, place in enumerate(PLACES):
        token = prefix + of_format(body, seed)
        masked = redact(place.format(token)).text
        assert token not in masked, (kind, place)
        assert "[secret:" in masked
        assert masked.startswith(place.format("\0").split("\0")[0])


@pytest.mark.parametrize(("kind", "prefix", "body"), PREFIXED)
def test_a_token_keeps_its_kind(kind: str, prefix: str, body: str) -> None:
    """The marker names the format, or a format whose prefix is the same."""
    alike = {k for k, p, _ in PREFIXED if p.startswith(prefix) or prefix.startswith(p)}
    for seed in range(3):
        found = scan(prefix + of_format(body, seed))
        assert found
        assert found[0].kind in alike


# Rows whose value is judged once more, or that need a line of their own: examples in test_places.
BY_EXAMPLE = {
    "jwk_private_key",
    "pgpass_password",
    "azure_sas",
    "authorization",
    "bearer_token",
    "curl_user",
    "curl_key",
    "sshpass_password",
    "mysql_password",
    "docker_login_password",
    "netrc_password",
}
ALONE = [(k, a, b) for k, a, _, b in (*ANCHORED, *INSIDE) if k not in BY_EXAMPLE]


@pytest.mark.parametrize(("kind", "literal", "body"), ALONE)
def test_a_format_with_a_literal_inside_is_found(kind: str, literal: str, body: str) -> None:
    """A generated example of each anchored format is found in the middle of a sentence."""
    for seed in range(6):
        text = "see " + of_format(body, seed) + " there"
        assert scan(text), (kind, literal, text)


def test_anchored_formats_with_a_context() -> None:
    """A JSON Web Key, a line of .pgpass and a signed Azure address lose their secret part only."""
    secret = letters(43)
    assert redact(f'{{"kty": "EC", "crv": "P-256", "d": "{secret}"}}').text == (
        '{"kty": "EC", "crv": "P-256", "d": "[secret:jwk_private_key]"}'
    )
    assert redact(f"db.host:5432:app:me:{secret}\n").text == (
        "db.host:5432:app:me:[secret:pgpass_password]\n"
    )
    assert redact(f"https://a.blob.core.windows.net/c?sv=1&sig={secret}%3D").text == (
        "https://a.blob.core.windows.net/c?sv=1&sig=[secret:azure_sas]"
    )


def test_the_table_is_plain() -> None:
    """Kinds are snake case, no row is there twice, no prefix is empty."""
    assert len(set(FORMATS)) == len(FORMATS)
    for kind, prefix, _ in PREFIXED:
        assert prefix
        assert kind.replace("_", "").isalnum()
        assert kind == kind.lower()
