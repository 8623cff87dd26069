"""Programs that take a password as an option or as a word of their command line.

One line each. A program is found whatever path, ending or other program (`sudo`, `env`) stands
before it; options are told apart by their case, as the programs do.
"""

from __future__ import annotations

from enum import StrEnum

# ruff: noqa: E501 - one line a program
# fmt: off


class Where(StrEnum):
    """Where the password stands."""

    NEXT = "next"  # -a X
    ATTACHED = "attached"  # -pX; a word behind a blank is something else
    EITHER = "either"
    AFTER_USER = "after user"  # -U user%X


_LOGIN = r"(?:docker|podman|nerdctl|buildah|skopeo|az|cf|oc|ibmcloud|bx|oras|crane|helm|doctl|rosa)(?:\.exe|\.cmd)?(?:[ \t]+[a-z-]+)?[ \t]+login"
# The programs, their options, and where the password stands.
OPTIONS: tuple[tuple[str, tuple[str, ...], Where], ...] = (
    (r"mysql(?:dump|admin|import|check|show|slap|sh|pump|binlog)?|mariadb(?:-\w+)?|mycli", ("-p",), Where.ATTACHED),
    (r"mongo(?:sh|dump|restore|export|import|stat|top|files)?|cqlsh|cypher-shell|clickhouse-client|nxc|crackmapexec|evil-winrm", ("-p", "-password"), Where.NEXT),
    (r"sshpass", ("-p",), Where.EITHER),
    (r"redis-cli|valkey-cli|keydb-cli", ("-a",), Where.NEXT),
    (_LOGIN, ("-p",), Where.EITHER),
    (r"sqlcmd|bcp|osql|isql|go-sqlcmd|tsql|ipmitool|zip|unzip|zipcloak|mosquitto_(?:pub|sub)|bsqldb|freebcp", ("-P",), Where.EITHER),
    (r"ldap(?:search|add|modify|delete|whoami|compare|modrdn|exop|passwd)", ("-w",), Where.EITHER),
    (r"ldappasswd", ("-s",), Where.NEXT),
    (r"smbclient|rpcclient|smbmap|winexe|smbget|net|wmic|pth-\w+", ("-U", "--user"), Where.AFTER_USER),
    (r"7z[azr]?|7zz|rar|unrar", ("-p", "-hp"), Where.ATTACHED),
    (r"keytool|jarsigner|apksigner", ("-storepass", "-keypass", "-srcstorepass", "-deststorepass", "-srckeypass", "-destkeypass"), Where.NEXT),
    (r"security[ \t]+(?:add-\w+-password|unlock-keychain|create-keychain|set-\w+-password)", ("-w", "-p"), Where.NEXT),
    (r"snmp(?:get|walk|set|bulkwalk|bulkget|trap)", ("-A", "-X"), Where.NEXT),
    (r"ssh-keygen", ("-N", "-P"), Where.NEXT),
    (r"openssl", ("-k", "-K"), Where.NEXT),
    (r"influx|db2|isqlplus|hdiutil|xcrun", ("-password", "-passphrase"), Where.NEXT),
    (r"psftp|pscp|plink|putty|klink", ("-pw",), Where.NEXT),
)

# A word of a command, quoted or not; the password is the group that took part.
WORD = r"""(?:\\?"([^"\n\\]{3,200})\\?"|'([^'\n]{3,200})'|([^\s"'|;&<>`\\-](?:[^\s"'|;&<>`\\]|&(?=\w)){2,200}))"""
_SAID = rf"(?:echo|printf|print|Write-Output)[ \t]+(?:-\w+[ \t]+|['\"]?%s(?:\\n)?['\"]?[ \t]+){{0,3}}{WORD}[ \t]*\|[ \t]*"
# Two plain words in a row: what is said to a program that asks for no password is a sentence.
_NO_SENTENCE = r"(?![^\n|]{0,200}?(?<![^\s\"'])[A-Za-z]+[,.:;!?]?[ \t]+[A-Za-z]+[,.:;!?]?(?=[\s\"']))"
_SAID_WORD = _SAID.replace(WORD, _NO_SENTENCE + WORD)
# An option by which a password is read, or a program that reads no other thing.
_READS_PASSWORD = r"(?:--?(?:password|passwd|pass|passphrase|pwd|pin|secret|token|key)[-_]?(?:from-)?stdin\b|(?<![\w-])(?:passwd|login|unlock)\b[^\n|<]{0,80}?--?stdin\b)"
_SAID_USER = _SAID.replace(r"([^", r"[^\s:\"']{1,80}:([^")
_FLAGS = r"(?:[ \t]+--?[\w-]+(?:=\S+)?)"
# Kind, literal to look for, how far the match may begin before it, expression: as in `anchored.py`.
PLACED: tuple[tuple[str, str, int, str], ...] = (
    ("vault_token", "vault", 0, rf"vault(?:\.exe)?[ \t]+login{_FLAGS}{{0,6}}[ \t]+(?![a-z]+=){WORD}"),
    ("aws_secret_key", "configure set", 0, rf"(?i:configure[ \t]set[ \t]+[\w.-]*(?:secret|token|password)[\w.-]*[ \t]+){WORD}"),
    ("password", "setx", 0, rf"(?i:setx(?:\.exe)?(?:[ \t]+/\w)*[ \t]+['\"]?\w*(?:key|token|secret|passw|pwd|cred)\w*['\"]?[ \t]+){WORD}"),
    ("htpasswd_password", "passwd", 2, rf"htpasswd(?:\.exe)?[ \t]+(?:-\w+[ \t]+){{0,3}}-(?:[a-mo-zA-Z0-9]*b[a-mo-zA-Z0-9]*)(?:[ \t]+-\w+){{0,3}}[ \t]+\S+[ \t]+\S+[ \t]+{WORD}"),
    ("htpasswd_password", "passwd", 2, rf"htpasswd(?:\.exe)?[ \t]+(?:-\w+[ \t]+){{0,3}}-\w*(?:n\w*b|b\w*n)\w*(?:[ \t]+-\w+){{0,3}}[ \t]+\S+[ \t]+{WORD}"),
    ("piped_password", "stdin", 300, rf"{_SAID}[^\n|]{{0,120}}?{_READS_PASSWORD}"),
    ("piped_password", "-stdin", 300, rf"{_SAID_WORD}[^\n|]{{0,120}}?-stdin\b"),
    ("piped_password", "sudo -s", 300, rf"{_SAID}(?:[^\s|]*[/\\])?sudo[ \t]+-\w*S\b"),
    ("piped_password", "passwd", 300, rf"{_SAID_USER}(?:sudo[ \t]+)?(?:[^\s|]*[/\\])?chpasswd\b"),
    ("piped_password", "with-token", 300, rf"{_SAID}[^\n|]{{0,120}}?--with-token\b"),
    ("piped_password", "stdin", 60, rf"{_READS_PASSWORD}[^\n|<]{{0,80}}<<<[ \t]*{WORD}"),
    ("piped_password", "-stdin", 0, rf"-stdin\b[^\n|<]{{0,80}}<<<[ \t]*{_NO_SENTENCE}{WORD}"),
    ("piped_password", "sudo -s", 0, rf"sudo -\w*S\b[^\n|<]{{0,80}}<<<[ \t]*{WORD}"),
    ("kubernetes_secret", "from-literal", 0, rf"from-literal[= \t]['\"]?[\w.-]{{1,80}}={WORD}"),
)
# fmt: on
