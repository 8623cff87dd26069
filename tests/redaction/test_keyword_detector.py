"""Secrets are found by the name beside them and by the command or block around them; only the value
goes."""

from __future__ import annotations

import base64
import json

import pytest

from memkit.redaction import redact, redact_json
from tests.tables import each_row

from .fakes import letters

S = letters(32)
HEX = letters(40, alphabet="0123456789abcdef")
UUID = "-".join(letters(n, n, "0123456789abcdef") for n in (8, 4, 4, 4, 12))
CHOSEN = "Tr0ub4dor" + "&3"
BASIC = base64.b64encode(f"me:{CHOSEN}".encode()).decode()

# Text with the secret as {}; what must come out has a marker there and is the same elsewhere.
ISSUED = (
    'token = "{}"',
    "TOKEN={}",
    "export SERVICE_API_KEY='{}'",
    "set apikey={}",
    "$env:API_KEY = '{}'",
    "ENV AUTH_TOKEN {}=1".replace(" {}=1", "={}"),
    "api_key: {}",
    "api-key: '{}' # rotate",
    '{{"apiKey": "{}", "x": 1}}',
    '{{\\"accessToken\\": \\"{}\\"}}',
    'const clientSecret: string = "{}";',
    'secret_key: str = "{}"',
    'var apiSecret string = "{}"',
    'APP_SECRET := "{}"',
    'APP_SECRET ?= "{}"',
    '"api_key" => "{}",',
    ":secret_token => '{}'",
    "<apiKey>{}</apiKey>",
    '<add key="ClearTextPassword" value="{}" />',
    "- name: SERVICE_TOKEN\n  value: {}\n",
    '{{"name": "DB_PASSWORD", "value": "{}"}}',
    'client.setApiKey("{}")',
    'os.environ["API_TOKEN"] = "{}"',
    'setenv("API_TOKEN", "{}")',
    'if (token == "{}") {{',
    'if ("{}" === apiKey) {{',
    "tool --api-key {} --verbose",
    "tool --token={} --verbose",
    "https://host/path?access_token={}&x=1",
    "the access token is {}",
    "API key: {}",
    "secret token: `{}`.",
    "Server=db;Database=a;AccountKey={}==;",
    "x-api-key: {}",
    'curl -H "Private-Token: {}" https://host',
    "Authorization: Bearer {}",
    "Authorization: token {}",
    '{{"Authorization": "Bearer {}"}}',
    "headers['Authorization'] = 'Bearer {}'",
    "-H 'Authorization: ApiKey {}'",
    "//registry.host/:_authToken={}",
    "https://{}@git.host/a/b.git",
    "https://{}:x-oauth-basic@git.host/a/b.git",
    'curl -u "{}:" https://host/v1',
    "client-key-data: {}",
    "Client('account', '{}')",
    "hmac.new(b'{}', body, sha256)",
    "jwt.sign(payload, '{}')",
    "https://hooks.host/in/{}",
    "curl -b 'PHPSESSID={}' https://host",
    "<key>apiToken</key>\n<string>{}</string>",
    "token: &anchor {}",
)
CHOSEN_PLACES = (
    'password = "{}"',
    "DB_PASSWORD={}",
    "<password>{}</password>",
    "db_password: {}",
    "db.pass = {}",
    "spring.datasource.password={}",
    '{{"pwd": "{}"}}',
    "the staging password is {}, keep it",
    "Password: {}",
    "passphrase: '{}'",
    'login("me", password="{}")',
    'config.set("password", "{}")',
    'config.set(DB_PASSWORD, "{}")',
    "user.setPassword('{}')",
    "set_password(user, '{}')",
    "auth.reset_password(db, user.name, '{}')",
    "Server=db;User Id=sa;Password={};Encrypt=no",
    "postgres://me:{}@db.host:5432/app",
    "redis://:{}@cache:6379",
    "mongodb+srv://me:{}@cluster.host/?retryWrites=true",
    "curl -u me:{} https://host",
    "curl -s --user 'me:{}' https://host",
    "sshpass -p {} ssh me@host",
    "mysql -u root -p{} app",
    "docker login -u me -p {} registry.host",
    "machine host login me password {}",
    "machine host\n  login me\n  password {}\n",
    "smtp+tls://me@host.io:{}@mail.host:587",
    "nmcli dev wifi connect Office password {}",
    "net use Z: \\\\nas\\share /user:CORP\\me {}",
    "CREATE LOGIN me WITH PASSWORD = N'{}', CHECK_POLICY=OFF",
    "creds are admin/{}",
    "login with me: {}",
    "echo '{}' | cryptsetup luksOpen /dev/sda2 c -",
    "Sequelize('shop', 'root', '{}')",
    "btoa('me:{}')",
    "etcdctl --user root:{} get /",
    "WIFI:T:WPA;S:Office;P:{};;",
    'expect "password:"; send "{}\\r"',
    'find("password").send_keys("{}")',
    "config.get('password', default='{}')",
    "aws secretsmanager create-secret --name x --secret-string {}",
    "<AdminPassword><Value>{}</Value></AdminPassword>",
)


@each_row("place", ISSUED)
@each_row("secret", [S, HEX])
def test_an_issued_secret_is_masked_in_place(place: str, secret: str) -> None:
    """The value alone is replaced, whatever the language or file around it."""
    assert_only_value_is_masked(place, secret)


@each_row("place", CHOSEN_PLACES)
def test_a_chosen_password_is_masked_in_place(place: str) -> None:
    """A password made up by a person is found by its name, its address or its command."""
    assert_only_value_is_masked(place, CHOSEN)


def assert_only_value_is_masked(place: str, secret: str) -> None:
    before, after = place.format("\0").split("\0")
    masked = redact(place.format(secret)).text
    assert secret not in masked
    assert secret[-4:] not in masked
    assert masked.startswith(before + "[secret:")
    assert masked.endswith("]" + after) or masked.endswith("]" + after.lstrip("="))


def test_basic_authorization() -> None:
    """A basic header holds user and password in base64."""
    assert (
        redact(f"Authorization: Basic {BASIC}").text
        == "Authorization: Basic [secret:authorization]"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Set-Cookie: session=", "; Path=/; HttpOnly"),
        ("< set-cookie: connect.sid=s%3A", "\n< date: today"),
        ("Cookie: theme=dark; lang=de-DE; PHPSESSID=", "; seen=1"),
        ('"Cookie": "_app_login=', '"'),
        ("curl -H 'Cookie: jwt=", "' https://host"),
    ],
)
def test_session_cookie_is_masked(before: str, after: str) -> None:
    """Whoever has it is logged in; its name alone ("session") would say too little."""
    token = letters(32)
    masked = redact(f"{before}{token}{after}").text
    assert token not in masked
    assert masked.startswith(before.removesuffix("s%3A"))
    assert masked.endswith(after)


@pytest.mark.parametrize(
    "text",
    [
        "Set-Cookie: theme=dark-with-rounded-corners; Path=/",
        "Set-Cookie: session=<value>; Path=/",
        "the cookie: session_lifetime=fourteen_days_of_use",
        "cookies = {'session': request.session_cookie_name}",
    ],
)
def test_preference_cookie_stays(text: str) -> None:
    """Settings and placeholders are no secrets."""
    assert redact(text).text is text


@pytest.mark.parametrize(
    "name", ["snyk_token", "squarespaceToken", "HEROKU_API_KEY", "client_secret"]
)
def test_a_uuid_is_a_secret_only_by_its_name(name: str) -> None:
    """Some providers issue UUIDs as keys; elsewhere a UUID stays."""
    assert UUID not in redact(f'{name} = "{UUID}"').text
    assert redact(f'{name}_id = "{UUID}"').findings == ()


PEM_KINDS = ("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY")
LINES = [letters(64, seed) for seed in range(12)]


@each_row("kind", [*PEM_KINDS, "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
@each_row("join", ["\n", "\\n", "\r\n", "\n    "])
def test_private_key_block_is_masked(kind: str, join: str) -> None:
    """The lines BEGIN and END stay, the whole body between them is one marker."""
    begin, end = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
    text = f"before {begin}{join}{join.join(LINES)}{join}{end} after"
    assert redact(text).text == f"before {begin}{join}[secret:private_key]{join}{end} after"


def test_a_private_key_without_its_end_loses_every_line() -> None:
    """A block that was cut off is masked as far as its lines go; the prose behind it stays."""
    begin = "-----BEGIN RSA PRIVATE KEY-----\n"
    masked = redact(begin + "\n".join(LINES) + "\nand then the log ended.").text
    assert masked == begin + "[secret:private_key]\nand then the log ended."


def test_public_blocks_stay() -> None:
    """Certificates and public keys are no secrets."""
    for kind in ("CERTIFICATE", "PUBLIC KEY", "PGP PUBLIC KEY BLOCK", "CERTIFICATE REQUEST"):
        text = f"-----BEGIN {kind}-----\n" + "\n".join(LINES) + f"\n-----END {kind}-----\n"
        assert redact(text).text is text


def test_a_putty_key_loses_its_private_lines() -> None:
    """PuTTY counts the lines of the private part."""
    text = (
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n" + "\n".join(LINES[:2]) + "\nEnd: 1\n"
    )
    assert redact(text).text.endswith("Private-Lines: 2\n[secret:private_key]\nEnd: 1\n")


def test_all_values_of_a_kubernetes_secret_are_masked() -> None:
    """Under `data` of a Secret any name may stand, and any value is secret."""
    text = (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n"
        "  alpha: c29tZXRoaW5n\n  beta: b3RoZXI0\n---\nkind: ConfigMap\ndata:\n  gamma: ZG9lcw5v\n"
    )
    masked = redact(text).text
    assert masked == text.replace("c29tZXRoaW5n", "[secret:kubernetes_secret]").replace(
        "b3RoZXI0", "[secret:kubernetes_secret]"
    )


def test_a_quoted_password_of_a_command_may_hold_blanks() -> None:
    """It is masked up to the quote that closes it."""
    text = f"curl -u 'me:{CHOSEN} and more' https://host"
    assert redact(text).text == "curl -u 'me:[secret:curl_user]' https://host"


def test_bundler_credentials() -> None:
    """Bundler reads `user:password` of a gem server from a variable named after its host."""
    assert redact("export BUNDLE_GEMS__HOST__COM=ab12cd34:99ffee00;").text == (
        "export BUNDLE_GEMS__HOST__COM=[secret:bundler_credentials];"
    )


def test_several_secrets_in_one_text() -> None:
    """Each secret gets its own marker, in order, with places in the text as it came."""
    text = f'a_token="{S}" b_password="{CHOSEN}"\nx={"gh" + "p_" + letters(36, 5)}'
    found = redact(text).findings
    assert [finding.kind for finding in found] == ["token", "password", "github_token"]
    assert [text[finding.start : finding.end] for finding in found][:2] == [S, CHOSEN]


PASSWORD = "Hunter2" + "Zq9xV"
COMMANDS = (
    *("mysql -p{} db", "mysql -u root -p{} db", "redis-cli -h h -a {}", "redis-cli -a '{}' ping"),
    *("mongosh -u a -p {}", "az login --service-principal -u u -p {}", "docker login -p {}"),
    *("vault login {}", "vault login -method=token {}", "unzip -P {} f", "7z x -p{} f.7z"),
    *("aws configure set aws_secret_access_key {}", "sqlcmd -U sa -P {}", "setx API_KEY {}"),
    *("ldapsearch -x -D cn=a -w {}", "smbclient -U u%{} //h", "htpasswd -b f user {}"),
    *("htpasswd -nbB user {}", "sshpass -p{} ssh h", "keytool -list -storepass {} -keystore k"),
    *("echo {} | docker login --password-stdin", "printf '%s' {} | gh auth login --with-token"),
    *('echo "u:{}" | sudo chpasswd', "echo {} | sudo -S apt update", "sudo -S ls <<< {}"),
    *("kubectl create secret generic s --from-literal=k={}", "redis-server --requirepass {}"),
    *("/usr/bin/redis-cli -a {} ping", "C:\\tools\\redis-cli.exe -a {}", "sudo redis-cli -a {}"),
    *("env A=b redis-cli -a {}", "docker exec -it db mysql -uroot -p{}", "cd x && mysql -p{}"),
    *('"C:\\Program Files\\MySQL\\mysql.exe" -u root -p{}', "redis-cli \\\n -h h \\\n -a {}"),
)


@each_row("place", COMMANDS)
def test_passwords_of_commands_are_masked(place: str) -> None:
    """A program that takes a password as an option or a word, whatever it is called as."""
    assert_only_value_is_masked(place, PASSWORD)


def test_a_word_is_a_password_only_in_a_command() -> None:
    """A sentence about the option has a word in the same place."""
    assert "correct" not in redact("redis-cli -a correcthorse").text
    assert "correct" not in redact("$ sudo mysql -u me -pcorrecthorse db").text
    for text in ("the redis-cli -a option is bad", "vault login with github", "mysql -p db"):
        assert redact(text).text is text


def test_password_in_an_argument_list_is_masked() -> None:
    """Agents report a command as one text or as a list of its words."""
    words = ["docker", "exec", "db", "mysql", "-uroot", f"-p{PASSWORD}", "app"]
    assert redact_json({"command": words}) == {
        "command": [*words[:5], "-p[secret:command_password]", "app"]
    }
    assert redact_json(("redis-cli", "-a", PASSWORD)) == (
        "redis-cli", "-a", "[secret:command_password]"
    )  # fmt: skip
    for harmless in (["-p", PASSWORD], ["redis-cli", "-a"], [], ["-a", 1, "redis-cli"]):
        assert redact_json(harmless) == harmless


@each_row("place", ["password={}", "passwd: {}", "the admin password is {}"])
@each_row("value", ["badger7secretlane", "Marshsecret1987!", "passwordOtter58", "turkey44stew"])
def test_password_that_contains_a_placeholder_word_is_masked(place: str, value: str) -> None:
    """What is left of it beside `secret`, `password` or `key` looks like a password."""
    assert value not in redact(place.format(value)).text


@pytest.mark.parametrize(
    "value",
    [
        "old_password_22",
        "form.secret14",
        "readPassword2",
        "secret456",
        "oauth2token",
        "secretStore",
    ],
)
def test_a_name_of_code_is_no_password(value: str) -> None:
    """Words that are joined, or numbered, say what the value is."""
    text = f"password={value}"
    assert redact(text).text is text


@pytest.mark.parametrize("depth", range(5))
def test_secret_in_nested_json_is_masked(depth: int) -> None:
    """However deep it is quoted, the value goes, and what is left is JSON of the same depth."""
    inner: object = {"token": S, "password": CHOSEN, "said": 'a "word"'}
    for _ in range(depth):
        inner = {"output": json.dumps(inner)}
    found = redact(json.dumps(inner)).text
    assert S not in found
    assert CHOSEN not in found
    left = json.loads(found)
    for _ in range(depth):
        left = json.loads(left["output"])
    assert left["said"] == 'a "word"'
    assert left["token"].startswith("[secret:")


@pytest.mark.parametrize(
    "lead", ["password: |\n  ", "password: >-\r\n\t", '"password": |2-\n      ']
)
def test_password_in_a_yaml_block_is_masked(lead: str) -> None:
    """YAML writes a text of lines below `|` or `>`; prose there is none."""
    assert redact(f"{lead}{CHOSEN}\nport: 1").text == f"{lead}[secret:password]\nport: 1"
    prose = f"{lead}Use the one of the vault.\n"
    assert redact(prose).text == prose


def test_terraform_variable_default_is_masked() -> None:
    """The name stands lines above the value; a default that is no secret, and another block's,
    stay."""
    block = 'variable "db_password" {{\n  type      = string\n  default   = "{}"\n}}\n'
    assert redact(block.format(CHOSEN)).text == block.format("[secret:password]")
    for plain in (
        block.format(""),
        block.format("var.other"),
        'variable "token_ttl" {\n  default = 3600\n}\n',
        'variable "db_password" {\n  type = string\n}\nvariable "host" {\n'
        '  default = "db-Prod7.example.com"\n}\n',
    ):
        assert redact(plain).text == plain


@pytest.mark.parametrize(
    "sentence",
    ["Fixed the flaky test", "Please look at #12, it hangs.", "done, see the log"],
)
def test_sentence_piped_into_a_program_is_no_password(sentence: str) -> None:
    """Unless the program reads a password from there."""
    for command in ('echo "{}" | app comment 12 --stdin', 'app note --body-stdin <<< "{}"'):
        assert redact(command.format(sentence)).findings == ()
    for command in ('echo "{}" | docker login --password-stdin', 'echo "{}" | passwd --stdin joe'):
        (finding,) = redact(command.format(sentence)).findings
        assert finding.kind == "piped_password"


@pytest.mark.parametrize("command", ["echo {} | app --stdin", "app --stdin <<< {}"])
def test_word_piped_into_any_program_is_a_password(command: str) -> None:
    """One word, or words that no sentence has, are still masked."""
    for word in (PASSWORD, f"'x9$ {PASSWORD}'"):
        assert PASSWORD not in redact(command.format(word)).text


@pytest.mark.parametrize(
    "before",
    ["password：", "api_key:\u00a0", "api_key\u00a0: ", "DB_PASSWORD＝", "token：\u3000"],
)
def test_signs_of_wide_writing_tie_a_value_to_its_name(before: str) -> None:
    """As a keyboard for Chinese or Japanese, and a text processor, write them."""
    secret = "Zq8vT2mLp9Kd4RwX7nBs"
    found = redact(before + secret).text
    assert found.startswith(f"{before}[secret:")
    assert secret not in found
