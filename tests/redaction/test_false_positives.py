"""What looks like a secret and is none comes back as it went in: the same object."""

from __future__ import annotations

import base64
import hashlib
import uuid

import pytest

from memkit.redaction import redact
from tests.tables import each_row

SHA1 = hashlib.sha1(b"x").hexdigest()
SHA256 = hashlib.sha256(b"x").hexdigest()
SRI = base64.b64encode(hashlib.sha512(b"x").digest()).decode()
ID = str(uuid.UUID(int=0x1F3A5C7E9B2D4F608192A3B4C5D6E7F8))
PICTURE = base64.b64encode(
    b"".join(hashlib.sha512(bytes([n])).digest() for n in range(64))
).decode()

HARMLESS = (
    f"merged as {SHA1[:8]} (was {SHA1}), run {ID}",
    f"sha256:{SHA256}",
    f"{SHA256}  model.bin",
    f'"integrity": "sha512-{SRI}",',
    f"  integrity sha512-{SRI}",
    f'checksum = "{SHA256}"',
    f"golang.org/x/text v0.3.0/go.mod h1:{SRI[:43]}=",
    f"data:image/png;base64,{PICTURE}",
    f"- uses: actions/checkout@{SHA1} # v4",
    f"cache key: {SHA256}",
    f'"key": "{ID}",',
    f"kms_key_id: {ID}",
    f'"credentialsId": "{ID}"',
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "id: 01HV6Z3NDEKTSV4RRFFQ69G5FA",
    "django.contrib.auth.password_validation.MinimumLengthValidator",
    "no API key is needed: apiKey: import.meta.env.VITE_KEY",
    "apiKey: process.env.OPENAI_API_KEY,",
    'token = os.environ["GITHUB_TOKEN"]',
    'secret := os.Getenv("AWS_SECRET_ACCESS_KEY")',
    'password = config["database"]["password"]',
    "password = settings.DB_PASSWORD2",
    "token = secrets.token_urlsafe(32)",
    "self.token = token1",
    "accessToken = await getAccessTokenSilently()",
    "password: z.string().min(8)",
    "password: str | None = None",
    "def login(username: str, password: str) -> Token:",
    "export API_KEY=<your-key>",
    "API_KEY=your_api_key_here",
    "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "API_KEY=changeme",
    "PASSWORD=example",
    "password: ${DB_PASSWORD}",
    "password: {{ .Values.password }}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "PGPASSWORD=$PGPASSWORD psql",
    "Authorization: Bearer ${TOKEN}",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_API_TOKEN_GOES_HERE",
    'headers = {"Authorization": f"Bearer {token}"}',
    "postgres://user:password@localhost/db",
    "postgres://${USER}:${PASS}@localhost/db",
    "https://user:<password>@host",
    "curl -u username:password https://host",
    'curl -u "$USER:$PASS" https://host',
    "ssh://git@github.com/org/repo.git",
    "https://fonts.host/css2?family=Roboto:wght@400",
    "gh" + "p_" + "x" * 36,
    "AK" + "IA" + "X" * 16,
    "AK" + "IA" + "IOSFODNN7EXAMPLE",
    "sk-" + "learn and sk-image are packages",
    "hf_requiredCharacteristicTypesForDisplayMetadata",
    "max_tokens: 4096, tokens: 128000",
    "token_count = 123456789012345678",
    "The password must be at least 8 characters and contain 1 digit.",
    "password reset link; token expiry 15m; key rotation every 90d",
    "All tokens use the `JWT_SECRET` env var for signing.",
    'placeholder="Enter your password"',
    '<input type="password" name="password" id="password1">',
    '"password": "Passwort", "forgot_password": "Passwort vergessen?"',
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased-v2')",
    "primary_key=True, foreign_key='users.id'",
    "keyboard: qwerty2024layout, monkey: abc123def456ghi789",
    "public_key = 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE'",
    "hashed_password == hash_password(password, salt)",
    "password_hash_algorithm: argon2id, secret_backend: vault",
    "test_login_with_expired_session_token_redirects_to_login_page_2",
    "GET /auth/callback?code_challenge_method=S256&scope=openid",
    "пароль нужно сменить, ключ в сейфе",
    "密码已更新，令牌有效期十五分钟",
    "",
    "plain prose without anything in it",
)


@each_row("text", HARMLESS)
def test_harmless_text_is_the_same_object(text: str) -> None:
    """No finding, and not even a copy."""
    result = redact(text)
    assert result.findings == ()
    assert result.text is text


@each_row(
    "algorithm",
    ["rot13", "rot_13", "latin-1", "cp1252", "windows-1252", "iso8859_15", "sha3_256", "blake2b",
     "ripemd160", "chacha20", "cast5", "pkcs7", "json5", "min8chars"],
)  # fmt: skip
def test_argument_next_to_a_password_variable_stays(algorithm: str) -> None:
    """In a call the value of a variable stands nowhere; what follows it is another argument."""
    text = f"codecs.encode(password, '{algorithm}')"
    assert redact(text).text is text


@pytest.mark.parametrize("algorithm", ["rot13", "cp1252", "sha3-256", "blake2b", "ripemd160"])
def test_algorithm_names_are_no_passwords(algorithm: str) -> None:
    """Encodings and digests are no passwords, whatever stands before them."""
    for text in (
        f"encode('password', '{algorithm}')",
        f'password_mode: x, password = "{algorithm}"',
    ):
        assert redact(text).text is text


def test_the_sources_of_the_package_are_harmless() -> None:
    """This package's code is full of the words that secrets stand beside, and holds none."""
    from pathlib import Path

    import memkit.redaction

    for path in Path(memkit.redaction.__file__).parent.glob("*.py"):
        text = path.read_text("utf-8")
        if path.name != "rules.py":  # every word in it is a prefix
            assert redact(text).text is text, path.name
