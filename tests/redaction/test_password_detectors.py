"""Passwords told in sentences are found in other languages than English too."""

from __future__ import annotations

import pytest

from memkit.redaction import redact, redact_json
from tests.tables import each_row

from .fakes import letters

CHOSEN = "Kx7" + "#mQ2vT9"

TOLD = (
    "Das Passwort für die Datenbank lautet {}",
    "Das Kennwort ist „{}“.",
    "密码是 {}",
    "数据库密码是{}，请保密",
    "密碼：{}",
    "パスワードは「{}」です",
    "パスワードは{}です",
    "비밀번호는 {}",
    "Пароль от базы: {}",
    "Пароль — {}.",
    "mot de passe : {}",
    "Le mot de passe de la base est « {} ».",
    "la contraseña es {}",
    "la contrasen\u0303a de la base es {}",
    "hasło: {}",
    "Hasło do bazy jest {}.",
    "senha: {}",
    "a senha do banco é {}, e mais nada",
    "wachtwoord is {}",
    "login as root with {}",
    "Log in as deploy@host using the password {}.",
    "use {} as the password",
    "Use `{}` as the database password for staging.",
    "the password for the staging database is {}.",
    "I changed the root password to {} last night",
    "heslo je {}",
    "hasło do routera: {}",
    "parola este {}",
    "mật khẩu là {}",
    "mot de passe admin : {}",
    "la clave del wifi es {}",
)


@each_row("value", [CHOSEN, "w" + letters(14)])
@each_row("told", TOLD)
def test_password_in_prose_is_masked_in_any_language(told: str, value: str) -> None:
    """Only the value goes, whatever the language of the sentence; twice changes nothing."""
    masked = redact(told.format(value)).text
    assert masked == told.format("[secret:password]")
    assert redact(masked).text == masked


@each_row(
    "text",
    [
        "das Passwort lautet geheim",
        "login flow v2: OAuth2/OIDC",
        "password rules: NIST-800-63B",
        "echo 'Hello World' | sudo tee /etc/motd",
        "{'password' => 'required|confirmed|min:8'}",
        "Passwort: siehe Tresor",
        "密码是必填项",
        "密码是8-16位",
        "パスワードは「必須項目の確認」です",
        "la contraseña es obligatoria",
        "hasło jest wymagane",
        "Пароль от базы: спросить у Анны",
        "login as root with python3",
        "log in as admin with ssh-ed25519 keys",
        "use bcrypt12 as the password hash",
        "use the vault as the password store",
        "the password for the user is required",
        "mot de passe : «»",
        f"{'x1' * 200} as the password",
    ],
)
def test_ordinary_words_behind_a_name_in_prose_are_left_alone(text: str) -> None:
    """A sentence about passwords loses nothing."""
    assert redact(text).text is text


def test_a_name_of_another_language_serves_as_a_key() -> None:
    """What JSON calls passwort is a password."""
    assert redact_json({"passwort": CHOSEN}) == {"passwort": "[secret:password]"}


@pytest.mark.parametrize(
    "sentence",
    [
        "use token {} for now",
        "our API key now is {}.",
        "der API-Key ist {}",
        "el token es {}",
        "le token est `{}`",
        "token是{}",
        "apikey ({})",
        "it wants the api key `{}`, I think",
    ],
)
def test_token_in_prose_is_masked(sentence: str) -> None:
    """What is random beyond doubt behind its name needs no sign of code between them."""
    token = letters(24)
    masked = redact(sentence.format(token)).text.replace("[secret:api_key]", "[secret:token]")
    assert masked == sentence.format("[secret:token]")


@pytest.mark.parametrize(
    "sentence",
    [
        "the token getAccessTokenSilentlyOrThrow is gone",
        f"token {'0123456789abcdef' * 2} of the commit",
        "a public token_9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC",
        "api keys /usr/share/doc/PythonAPI3/Reference/index are listed",
    ],
)
def test_a_name_behind_the_word_token_stays(sentence: str) -> None:
    """Names of code, digests, paths and longer names are no tokens."""
    assert redact(sentence).text is sentence


DRAWN = letters(24, 5)
MEMORABLE = "-".join(("Gravel", "Pitcher", "47"))
SHOWN = (
    ("vault kv get -field=password secret/db\n{}", DRAWN),
    ("$ kubectl get secret db -o jsonpath='{{.data.p}}' | base64 -d\n{}\n$", DRAWN),
    ('echo "{}" > config/master.key', DRAWN),
    ("printf '{}' | sudo tee -a /etc/app/db_password.txt", DRAWN),
    ("UPDATE settings SET value = '{}' WHERE name = 'smtp_password';", DRAWN),
    ('find(By.id("password")).sendKeys("{}");', DRAWN),
    ("nats://app:{}@queue:4222", DRAWN[:8] + "#9"),
    ("voici le jeton d'accès : {}", letters(40, 6, "0123456789abcdef")),
    ("My PIN for the signing card is {}", "4" + "71905"),
    ("password: {}", MEMORABLE),
    ("sshpass -p '{}' ssh app@host 'systemctl restart app'", MEMORABLE),
)


@pytest.mark.parametrize(("text", "secret"), SHOWN)
def test_what_a_command_or_a_note_shows_is_masked(text: str, secret: str) -> None:
    """The line below a command that prints it, a file of keys that it is written to, a row of
    settings, a note in another language."""
    before, _, after = text.format("\0").partition("\0")
    masked = redact(text.format(secret)).text
    assert masked.startswith(f"{before}[secret:")
    assert masked.endswith(f"]{after}")


@pytest.mark.parametrize(
    "text",
    [
        "kubectl get secret db | base64 -d\ndone",
        "echo $TOKEN > .token",
        "echo hello > keyboard.txt",
        "UPDATE settings SET value = 'blue' WHERE name = 'theme_key';",
        "password: user-service-2",
        "http://host:8080#a@b.example",
        "Der Cache-Schlüssel ist " + letters(32, 7, "0123456789abcdef"),
        "la clé primaire est id_client",
    ],
)
def test_a_command_or_a_note_without_a_secret_stays(text: str) -> None:
    """Words, names of things and variables in the same places are none."""
    assert redact(text).text is text
