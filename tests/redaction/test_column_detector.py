"""Secrets of tables are found by the name of their column."""

from __future__ import annotations

from memkit.redaction import redact
from tests.tables import each_row

CHOSEN = "Kx7" + "#mQ2vT9"

TABLES = (
    "user,password\nbob,{}\n",
    'name;login;"Passwort"\n"Bob";bob;"{}"\n',
    "| host | user | password |\n|---|---|---|\n| db1 | root | {} |\n",
    "host\tsecret\nh1\tnone\nh2\t{}",
    "INSERT INTO users (email, password) VALUES ('a@b.io', '{}');",
    "insert into users(password, n) values ('x', 1), (N'{}', 2)",
)


@each_row("table", TABLES)
def test_value_of_a_secret_column_is_masked(table: str) -> None:
    """Every row below the heading is read; the other cells stay."""
    value = CHOSEN * 3 if "secret" in table else CHOSEN
    masked = redact(table.format(value)).text
    assert masked in {table.format(f"[secret:{kind}]") for kind in ("password", "secret")}


@each_row(
    "table",
    [
        "| Token | Meaning |\n|---|---|\n| IDENT | identifier |\n",
        "user,password_hash\nbob,none\n",
        "name,token\nalpha,NUMBER\n",
        "INSERT INTO users (name, password) VALUES (?, $1)",
        "name,password\n\nbob,x,y\n",
    ],
)
def test_table_about_secrets_stays(table: str) -> None:
    """Kinds of tokens, parameters and rows of another table are no secrets."""
    assert redact(table).text is table
