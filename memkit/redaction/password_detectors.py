"""Password detectors: command-line options and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..text.patterns import lazy_pattern
from .entropy import (
    LOOK,
    Strength,
    is_filler,
    is_mixed,
    looks_chosen,
    looks_drawn,
    looks_issued,
    looks_strong,
    randomness,
)
from .literal_search import LowerText
from .literals import Name, Reader
from .rules import OPTIONS, WORD, Finding, PasswordPosition, Span

# --- Passwords among the options of a command line, by the table of programs in `rules.py`.

_BEFORE = 300  # characters of a command before the option
_ENDS = lazy_pattern(r"[\n;`]|&&|[ \t]\|{1,2}|\$\(")  # what parts one command from the next
_PROGRAM = r"(?<![\w.-])(?:{})(?:\.exe|\.cmd|\.bat)?[\"']?(?=[ \t\"']|\Z)"
# What may stand before a program in a line that is a command and no sentence.
_HEAD = lazy_pattern(
    r"\s*(?:[$#>%+]\s+|RUN\s+|-\s+)?(?:(?:sudo|env|time|nohup|exec|command|doas)\s+(?:-\S+\s+)*|\w+=\S*\s+)*"
    r"[\"']?(?:[^\s\"']*[/\\])?\Z"
)
_MORE = 6  # letters right behind an option that can be a password
_AT_HOST = lazy_pattern(r"\s[\w.-]+@[\w.-]+")  # of a command that another one runs
_SENTENCE = lazy_pattern(r"\s[a-z]{2,}(?=[\s.,])")
_GAP = r"(?:[ \t]|\\\n)"


class _Rule(NamedTuple):
    """An option of some programs, and the form in which the password follows it."""

    option: str
    programs: re.Pattern[str]
    form: re.Pattern[str]


_LETTERS = frozenset(ord(option[1].lower()) for _, options, _ in OPTIONS for option in options)


@cache
def _rules() -> list[_Rule]:
    """The rules, longer options first; made when a text has such an option."""
    forms = {
        PasswordPosition.NEXT: rf"(?:{_GAP}{{1,8}}|=){WORD}",
        PasswordPosition.ATTACHED: WORD,
        PasswordPosition.EITHER: rf"(?:{_GAP}{{0,8}}|=){WORD}",
        PasswordPosition.AFTER_USER: rf"(?:{_GAP}{{0,8}}|=)[\"']?[^\s%\"']{{0,80}}%"
        r"([^\s\"'|;&<>`\\]{3,200})",
    }
    return [
        _Rule(
            option, re.compile(_PROGRAM.format(programs), re.IGNORECASE), re.compile(forms[where])
        )
        for programs, options, where in OPTIONS
        for option in sorted(options, key=len, reverse=True)
    ]


def commands(text: str, lower: LowerText) -> Iterator[Finding]:
    """Passwords behind an option of a program that takes one there."""
    done = 0
    for at in lower.places(" -"):
        if at < done or at + 2 >= len(lower) or lower[at + 2] not in _LETTERS:
            continue
        span = _password(text, at)
        if span is not None:
            done = span[1]
            yield Finding("command_password", *span)


def _password(text: str, at: int) -> Span | None:
    command = ""
    for rule in _rules():
        if not text.startswith(rule.option, at + 1):
            continue
        behind = at + 1 + len(rule.option)
        match = rule.form.match(text, behind)
        if match is None:
            continue
        command = command or _command(text, at)
        program = rule.programs.search(command)
        if program is not None:
            start, end = match.span(match.lastindex or 0)
            is_command = _HEAD.match(command, 0, program.start()) is not None
            # Right behind an option may stand the rest of another one: `-port`.
            is_command = is_command and not (start == behind and end - start < _MORE)
            is_quoted = text[start - 1] in "\"'"
            is_command = is_command and (is_quoted or not _is_sentence(text[end : end + LOOK]))
            return (start, end) if _is_password(text[start:end], is_command=is_command) else None
    return None


def _command(text: str, at: int) -> str:
    """What stands before the option in the same command."""
    before = text[max(0, at - _BEFORE) : at].replace("\\\n", "  ")
    ends = [end.end() for end in _ENDS.finditer(before)]
    return before[ends[-1] :] if ends else before


def _is_sentence(rest: str) -> bool:
    line = rest.split("\n")[0]
    return len(_SENTENCE.findall(line)) > 2 and _AT_HOST.search(line) is None


def _is_password(value: str, *, is_command: bool) -> bool:
    """Whether it is one; in a sentence about the option a word is not."""
    if value.startswith(("$", "<", "{", "[", "(", "%", "-")) or is_filler(value):
        return False
    return is_command or looks_chosen(value)


# --- Passwords in sentences, in the languages people write notes in: "das Passwort für
# die Datenbank lautet …", "密码是…", "log in as root with …", "use … as the password".
#
# The value is judged as behind any bare name; what only looks like a word or a number is left
# alone. Tokens and keys are what is random beyond doubt behind their name: "use token …", "el
# token es …".

_LATIN = frozenset(
    "pass kennwort mdp contrase senha wachtwoord senord adgangskode salasana jelsz parola lozink "
    "geslo parool slapta pwd clave".split()
) | {"kata sandi"}
# Looked for two letters further on; in the shadow a letter beyond Latin-1 is "?".
_ENDINGS = ("slo", "s?o", "fre", "t kh?u")
_FOREIGN = re.compile(rb"\?{2,}")
_OTHER = lazy_pattern(
    "[пП]ароль|ПАРОЛЬ|密码|密碼|口令|パスワード|비밀번호|암호|[κΚ]ωδικός|סיסמ|كلمة|รหัสผ่าน|पासवर्ड"
)
_NAME = lazy_pattern(
    r"passwor[dt]|passphrase|passwd|passcode|pwd|clave|kennwort|de passe|mdp|"
    r"contrase(?:ñ|n\u0303?)a|senha|has[lł]o|"
    r"wachtwoord(?:en)?|senord(?:et)?|adgangskoden?|heslo|salasana|jelsz[oó]|пароль|şifre(?:si)?|"
    r"parol[aă]|lozink[aeu]|geslo|parool|slaptažodis|kata sandi|mật khẩu|"
    r"密码|密碼|口令|パスワード|비밀번호|암호|κωδικός|סיסמ[הא]|كلمة (?:المرور|السر)|รหัสผ่าน|पासवर्ड",
    re.IGNORECASE,
)
_BLANK = r"[^\S\n]"
_OF = (
    r"for|of|on|für|zum|zur|zu|vom|von|der|des|pour|du|de|del|della|dla|do|para|da|voor|van|"
    r"till|för|til|от|для|к|в|på|na|k|til|za|untuk|you|we|they|that|which|i|to|ของ|של"
)
_IS = r"is|was|ist|war|lautet|heißt|est|es|è|é|era|jest|brzmi|är|er|luidt|zní|je|este|adalah|là|to|"
_IS += r"это|هي|है|—|–"
_TIE = lazy_pattern(
    rf"[\"'`*)]{{0,3}}(?P<of>{_BLANK}+(?:{_OF})(?:{_BLANK}+[\w.@/'-]{{1,40}}){{1,5}}?|"
    rf"(?P<bare>(?:{_BLANK}+[\w.@/'-]{{1,20}}){{1,2}}?))?"
    rf"(?:{_BLANK}*[:：=]{_BLANK}*|{_BLANK}+(?:{_IS}):?{_BLANK}+)"
    r"|[^\S\n]{0,2}(?:设置|设定|設定|改)?(?:是|为|為|は|が|는|은)[:：]?[^\S\n]{0,2}"
    rf"|(?P<none>(?:{_BLANK}+(?:{_OF}){_BLANK}+[\w.@/'-]{{1,40}})?{_BLANK}+\(?)(?=(?=\S*[a-z])(?=\S*\d)(?:\S*[^\w\s.:/()-]|\S*[A-Z])\S{{6}})"
    r"|(?<=[\u2e80-\uffff])[^\S\n]?(?=[!-~]{8})",
    re.IGNORECASE,
)
_QUOTES = {"「": "」", "『": "』", "„": "“”", "“": "”“", "«": "»", "‹": "›", "‘": "’", "‚": "‘’"}
_QUOTES |= {quote: quote for quote in "\"'`"}
_BARE = lazy_pattern(r"[^\s\"'`,;，。、；：「」『』“”„«»‹›（）<]+")
_QUERY = lazy_pattern(r"[^\s\"'`,;<&]+")  # of an address
# Without blanks between words the value ends where the writing changes.
_ASCII_ONLY = lazy_pattern(r"[!#-&(-+\--:=-_a-~]+")
_BEFORE_PROSE = lazy_pattern(
    r"(?P<value>[^\s\"'`]+)[\"'`]?\s+(?:as\s+|is\s+|\()(?:(?:the|a|an|its|your|our|my)\s+)?(?:[a-z]+\s+){0,2}\Z",
    re.IGNORECASE,
)
_SENTENCE_ENDS = lazy_pattern(
    r"[\"'`]?(?:\s*(?:[.,;:!?)]|\Z|\n)|\s+(?:for|of|to|on|when|and|in)\b)"
)
_JOINS = (" as ", " is ", " (")
_ENGLISH = ("password", "passphrase", "passwd", "passcode", "pwd")
# "creds are admin/…", "login with bob: …": user and password behind one word for both.
_TOLD_PAIR = lazy_pattern(
    r"(?:creds?|credentials?|log-?ins?|log in|sign in|zugangsdaten|identifiants?|credencia(?:le)?s|"
    r"credenziali|id/pw|inloggegevens|zugang|acc[eè]so?s?|логин)[ \t]?[:=]?"
    r"(?:[ \t]+[\w.-]{2,30})?(?:[ \t]*(?:are|is|with|as|using|:|=))?"
    r"[ \t]+[\"'`]?[\w.@+-]{2,64}[ \t]?[/:][ \t]?(?P<value>[^\s\"'`/,;<][^\s\"'`,;</]{5,80})"
    r"(?=[\s\"'`,;]|\Z)",
    re.IGNORECASE,
)
_PAIRED = frozenset(
    ("log in", "sign in", *"cred login zugangsdaten identifiant id/pw zugang acceso".split())
)
# Of a token or key in other languages; digits of hexadecimal beside them are no commit.
_FOREIGN_KEYS = ("jeton", "schlüssel", "clé", "chiave", "chave")
_LOGIN = ("in as ", "connect as ", "authenticate as ")
_DRAWN = ("token", "api", "secret", "seed", *_FOREIGN_KEYS)
LITERALS = (" -", *_LATIN, *_ENDINGS, *_PAIRED, *_LOGIN, *_DRAWN)
_LOGIN_WITH = lazy_pattern(
    r"[\w@.+\\-]{1,64}[\"'`]?,?[ \t]+(?:with|using|and)(?:[ \t]+the)?"
    r"(?:[ \t]+(?:password|pw))?:?[ \t]+",
    re.IGNORECASE,
)
# "API-Schlüssel: …", "clé API : …": what is drawn behind the word in any language.
_API = lazy_pattern(
    rf"(?<![\w.-])api(?:[ -]?[^\W\d_]{{1,10}})?{_BLANK}?[:：]{_BLANK}*[\"'`]?"
    r"(?P<value>[A-Za-z0-9_+/~-]{20,400}={0,2})(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_SEED = lazy_pattern(r"(?=[A-Z]*[2-7][A-Z]*[2-7])[A-Z2-7]{16,64}")
# What stands behind ":" or "=" is told by `named`, which knows code too.
_TOKEN = lazy_pattern(
    rf"(?<![\w.-])(?:tokens?|api(?:[ -]?[^\W\d_]{{2,10}})?|secrets?|seed|"
    rf"{'|'.join(_FOREIGN_KEYS)})[\"'`*)]{{0,2}}"
    rf"(?:{_BLANK}\([^()\n]{{1,40}}\))?"
    rf"(?:(?:{_BLANK}+[\w'/-]{{1,20}}){{1,6}}?(?:{_BLANK}?:|{_BLANK}+(?:{_IS}):?){_BLANK}+|{_BLANK}{{0,2}}(?:[→(]|是|为|は){_BLANK}{{0,2}}|"
    rf"{_BLANK}+(?:(?:now{_BLANK}+)?(?:{_IS}|to){_BLANK}+|(?:[a-z]{{2,12}}|\d{{1,2}})[:=]{_BLANK}*)?)"
    rf"[\"'`(]{{0,2}}"
    r"(?P<value>[A-Za-z0-9_+/~-]{16,400}={0,2})(?![A-Za-z0-9_])",
    re.IGNORECASE,
)


def prose(text: str, lower: LowerText) -> Iterator[Finding]:
    """Passwords and tokens that a sentence gives away."""
    reader = Reader(text)
    done = 0
    for at in _spots(text, lower):
        match = _NAME.match(text, at) if at >= done else None
        if match is None:
            continue
        name = Name(match[0], Strength.PASSWORD)
        span = _behind(reader, name, match.end()) or _before(reader, name, at, match.end())
        if span is not None:
            done = span[1]
            yield Finding("password", *span)
    yield from _tokens(text, lower)
    yield from _logins(reader, lower)


def _logins(reader: Reader, lower: LowerText) -> Iterator[Finding]:
    text = reader.text
    login = Name("login", Strength.PASSWORD)
    for at in lower.spots(_PAIRED):
        pair = _TOLD_PAIR.match(text, at)
        if pair is not None and is_mixed(pair["value"], 3):
            span = reader.judged(login, *pair.span("value"), strict=True)
            if span is not None:
                yield Finding("password", *span)
    for stem in _LOGIN:
        for at in lower.places(stem):
            tie = _LOGIN_WITH.match(text, at + len(stem))
            span = tie and _value(reader, login, tie.end())
            if span and _stands_out(text[span[0] : min(span[1], span[0] + LOOK)]):
                yield Finding("password", *span)


def _tokens(text: str, lower: LowerText) -> Iterator[Finding]:
    for stem in _DRAWN:
        for at in lower.places(stem):
            match = _TOKEN.match(text, at) or (_API.match(text, at) if stem == "api" else None)
            if match is not None and (
                _is_drawn(match["value"]) or (stem in _FOREIGN_KEYS and looks_drawn(match["value"]))
            ):
                yield Finding("token", *match.span("value"))


def _is_drawn(value: str) -> bool:
    """Whether it is random beyond doubt, or the seed of one-time passwords: base32."""
    is_seed = _SEED.fullmatch(value) is not None and randomness(value) > 1
    return looks_strong(value) or (is_seed and looks_issued(value))


def _spots(text: str, lower: LowerText) -> list[int]:
    # "mot de passe" is found by its last word.
    spots = {
        at - 3 if lower.startswith(b"de passe", max(0, at - 3)) else at
        for at in lower.spots(_LATIN)
    }
    spots.update(at - 2 for stem in _ENDINGS for at in lower.places(stem) if at >= 2)
    spots.update(_foreign(text, lower))
    return sorted(spots)


def _foreign(text: str, lower: LowerText) -> Iterator[int]:
    """Places of names in other scripts."""
    at = -1 if text.isascii() else lower.find(b"??")
    while at >= 0:
        run = _FOREIGN.match(lower, at)
        end = run.end() if run is not None else at + 1
        yield from (match.start() for match in _OTHER.finditer(text, at, end))
        at = lower.find(b"??", end)


def _behind(reader: Reader, name: Name, end: int) -> Span | None:
    """The value behind a name and what ties it to it."""
    tie = _TIE.match(reader.text, end)
    # What stands right behind the English name is told by `named`, which knows code too.
    if tie is None or (name.text.lower() in _ENGLISH and tie["of"] is None):
        return None
    span = _value(reader, name, tie.end())
    is_plain = tie["bare"] is None and tie["none"] is None
    return span if is_plain or (span and is_mixed(reader.text[slice(*span)][:LOOK], 3)) else None


def _before(reader: Reader, name: Name, at: int, end: int) -> Span | None:
    """The value of "use … as the password"."""
    text = reader.text
    first = max(0, at - LOOK)
    before = text[max(0, at - 40) : at]
    if not any(map(before.__contains__, _JOINS)) or not _SENTENCE_ENDS.match(text, end):
        return None
    match = _BEFORE_PROSE.search(text[first:at])
    if match is None or (match.start() == 0 and first > 0):
        return None
    start = first + match.start("value")
    return reader.judged(name, start, first + match.end("value"), strict=True)


def _value(reader: Reader, name: Name, at: int) -> Span | None:
    text = reader.text
    closing = _QUOTES.get(text[at : at + 1])
    if closing is not None:
        line = text[at + 1 : at + 1 + LOOK].split("\n")[0]
        ends = [end for end in map(line.find, closing) if end > 0]
        if not ends or not any(c.isascii() and c.isalnum() for c in line[: min(ends)]):
            return None
        inside = line[: min(ends)]
        start = at + 1 + len(inside) - len(inside.lstrip())
        return reader.judged(name, start, start + len(inside.strip()), strict=False)
    form = _ASCII_ONLY if text[at - 1] > "\u2e80" else _QUERY if text[at - 1] == "=" else _BARE
    return reader.bare(name, at, form)


def _stands_out(value: str) -> bool:
    """Whether it looks like a password where nothing names one: `python3` does not."""
    return looks_issued(value) or (len(value) >= 6 and is_mixed(value, 3))
