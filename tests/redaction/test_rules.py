"""Every format of the tables is found, alone and in the places where tokens are written."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, unquote

import pytest

from memkit.redaction import redact, scan
from memkit.redaction.rules import ANCHORED, FORMATS, INSIDE
from tests.tables import each_row

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


@each_row("kind, prefix, body", PREFIXED)
def test_a_token_with_a_published_prefix_is_found(kind: str, prefix: str, body: str) -> None:
    """A generated token of each format is masked wherever it is written, and nothing else is."""
    for seed, place in enumerate(PLACES):
        token = prefix + of_format(body, seed)
        masked = redact(place.format(token)).text
        assert token not in masked, (kind, place)
        assert "[secret:" in masked
        assert masked.startswith(place.format("\0").split("\0")[0])


@each_row("kind, prefix, body", PREFIXED)
def test_a_token_keeps_its_kind(kind: str, prefix: str, body: str) -> None:
    """The marker names the format, or a format whose prefix is the same."""
    alike = {k for k, p, _ in PREFIXED if p.startswith(prefix) or prefix.startswith(p)}
    for seed in range(3):
        found = scan(prefix + of_format(body, seed))
        assert found
        assert found[0].kind in alike


# Rows whose value is judged once more, or that need a line of their own: test_keyword_detector.py
# has examples.
BY_EXAMPLE = {
    "jwk_private_key",
    "pgpass_password",
    "signed_url",
    "sasl_password",
    "snmp_community",
    "basic_credentials",
    "encoded_pair",
    "webhook",
    "url_key",
    "call_key",
    "authorization",
    "bearer_token",
    "cookie",
    "curl_user",
    "curl_key",
    "netrc_password",
    "call_password",
}
ALONE = [(k, a, b) for k, a, _, b in (*ANCHORED, *INSIDE) if k not in BY_EXAMPLE]


@each_row("kind, literal, body", ALONE)
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
        "https://a.blob.core.windows.net/c?sv=1&sig=[secret:signed_url]"
    )


def test_the_table_is_plain() -> None:
    """Kinds are snake case, no row is there twice, no prefix is empty."""
    assert len(set(FORMATS)) == len(FORMATS)
    for kind, prefix, _ in PREFIXED:
        assert prefix
        assert kind.replace("_", "").isalnum()
        assert kind == kind.lower()


TOKENS = (
    "gh" + "p_" + letters(36, 8),
    "AK" + "IA" + "QWERTYUI23OPASDF",
    "glp" + "at-" + letters(20),
)
COLOUR, PLAIN = "\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"


@each_row("token", TOKENS)
@each_row("mark", ["*", "**", "***", "_", "__", "~~", "`"])
def test_token_inside_markdown_emphasis_is_masked(token: str, mark: str) -> None:
    """Markdown's signs around a token are neither letters of a name nor a mask."""
    masked = redact(f"the key is {mark}{token}{mark}.").text
    assert token[:12] not in masked
    assert masked.startswith("the key is ")
    assert masked.endswith(".")


@each_row("token", TOKENS)
@each_row(
    "place",
    ["K=\x1b[32m{0}\x1b[0m", COLOUR + "{0}" + PLAIN, COLOUR + "{1}" + PLAIN + "{2}",
     "\\u001b[1m{0}",
     "{1}\u200b{2}", "{1}\u00ad{2}", "\ufeff{0}", "x \x1b(B\x1b[m{0}",
     "{1}\u2060\u200d{2} and é"],
)  # fmt: skip
def test_token_with_invisible_characters_is_masked(token: str, place: str) -> None:
    """Sequences that colour a terminal and characters of no width, before a token or inside it."""
    masked = redact(place.format(token, token[:9], token[9:])).text
    assert token[:9] not in masked
    assert token[9:] not in masked
    assert "[secret:" in masked


@each_row("token", TOKENS)
@each_row("broken", ["\n", "\r\n", "\n    ", "\n> "])
@each_row("at", [6, 9, 15])
def test_token_broken_over_two_lines_is_masked(token: str, broken: str, at: int) -> None:
    """A token over two lines is one; the word on the next line is none of it."""
    if at == 6 and broken in ("\n    ", "\n> ") and len(token) < 26:
        pytest.skip("both parts are shorter than any token")
    text = f"the key is {token[:at]}{broken}{token[at:]}\nnextword, 12 more"
    masked = redact(text).text
    assert masked.startswith("the key is [secret:")
    assert masked.endswith("]\nnextword, 12 more")


def test_a_long_token_leaves_nothing_on_the_next_line() -> None:
    """A token that is one already at the line's end goes on where what follows is as random."""
    token = "sk-" + "proj-" + letters(120, 4)
    assert redact(f"key {token[:70]}\n{token[70:]}\nand more").text == (
        "key [secret:openai_key]\nand more"
    )
    whole = "gh" + "p_" + letters(36, 8)
    assert redact(f"{whole}\nnextword").text == "[secret:github_token]\nnextword"


@pytest.mark.parametrize("token", TOKENS, ids=["github", "aws", "gitlab"])
def test_token_in_base64_or_hexadecimal_is_masked(token: str) -> None:
    """Alone, after other text, and over several lines."""
    for plain in (token, f"hello there, {token}", f"TOKEN={token}\n", "words " * 30 + token + " x"):
        for coded in (base64.b64encode(plain.encode()).decode(), plain.encode().hex()):
            assert coded not in redact(f"x {coded} y").text
    lines = base64.encodebytes(("words " * 30 + token + " more words" * 20).encode()).decode()
    shown = base64.b64decode(redact(lines).text.split("[")[0].replace("\n", "") + "==")
    assert token.encode()[:12] not in shown
    assert "[secret:" in redact(lines).text


@pytest.mark.parametrize("token", TOKENS, ids=["github", "aws", "gitlab"])
def test_token_encoded_twice_is_masked(token: str) -> None:
    """Base64 and hexadecimal digits are looked into again and again, through JSON and lines too."""

    def coded(text: str) -> str:
        return base64.b64encode(text.encode()).decode()

    lines = base64.encodebytes(("words " * 30 + token + " x" * 90).encode())
    for text in (
        coded(coded(token)),
        coded(coded(coded(f"in this letter, mit Grüßen, {token}"))),
        coded(json.dumps({"auth": coded(f"x {token}"), "n": 1})),
        coded(token).encode().hex(),
        coded(token.encode().hex()),
        token.encode().hex().encode().hex(),
        base64.encodebytes(lines).decode(),
    ):
        found = redact(f"x {text} y")
        assert found.findings
        assert text not in found.text


def test_password_inside_base64_is_masked() -> None:
    """What is decoded is looked through for named values, addresses and keys, not for tokens
    only."""
    for plain, kind in (
        ("DB_HOST=db\nDB_PASSWORD=Tr0ub4dor&3xyz\n", "password"),
        ("postgres://me:Tr0ub4dor3xyz@db/x", "url_password"),
    ):
        coded = base64.b64encode(plain.encode()).decode()
        assert redact(f"data: {coded}").text == f"data: [secret:{kind}]"


def test_decoding_stops_after_some_layers() -> None:
    """Beyond some layers nothing is taken off any more."""
    text = TOKENS[0].encode()
    for _ in range(12):
        text = base64.b64encode(text)
    assert redact(text.decode()).text == text.decode()


@pytest.mark.parametrize("times", [1, 2, 3])
def test_percent_encoded_secret_is_masked(times: int) -> None:
    """A token behind %3D, digits with %2B in them, and what is quoted again are seen as meant; the
    marker takes the place of all that stands for the secret."""
    token = TOKENS[0]
    coded = base64.b64encode(f">>> the token is {token} ???>>>".encode()).decode()
    for plain, kind in ((f"token={token}&n=1", "github_token"), (f"q={coded}&n=1", "github_token")):
        text = plain
        for _ in range(times):
            text = quote(text, safe="")
        found = redact(f"https://x/?{text}")
        (finding,) = found.findings
        assert finding.kind == kind
        tail = found.text.partition("]")[2]
        for _ in range(times):
            tail = unquote(tail)
        assert tail == "&n=1"
        assert redact(found.text).text == found.text


def test_a_quoted_address_without_a_secret_stays() -> None:
    """Nothing is decoded that is not found to be a secret."""
    text = "https://x/?a=%7B%22n%22%3A1%7D&b=100%25 and printf '%2d %5d'"
    assert redact(text).text is text
