"""Entropy of values: random, chosen by a person, or a placeholder."""

from __future__ import annotations

import re
from encodings.aliases import aliases
from enum import IntEnum
from functools import lru_cache
from hashlib import algorithms_guaranteed
from itertools import pairwise

from ..text.patterns import lazy_pattern

# --- Randomness of a string, judged by its pairs of neighbouring characters.
#
# Names and words repeat a few pairs ("th", "er", "_s"); issued tokens use all pairs alike.
# `randomness` is the mean log-likelihood ratio (bits a pair) between "drawn evenly from letters
# and digits" and "written by a person", so it tells `getAccessTokenSilently` from
# `gnyhxcjf0ospy6` where counting characters (entropy) cannot.
#
# The table was counted over the words and identifiers of the Python standard library's sources
# (66,925 distinct ones, each weighted by 1 + log2 of its count). Row = first character, column =
# second one, in the order a-z, digit, anything else; a cell is half a bit per step above "k"
# (more likely random) or below it (more likely written).

_PAIRS = (
    "ukiitpkukungiiujugifmmoonuuk",  # a
    "golnhrquiiugopilujjogurujrqh",  # b
    "htnphqshluhiorfqsjngkquupush",  # c
    "jqokeopsgtukrpiqulknktsuourd",  # d
    "jqjjnmotrusglhqmoghirnojpuue",  # e
    "juonjjrufuukrrhpujmmkutupusc",  # f
    "lrpreslliuuknjmqujimlrsuurud",  # g
    "ftrpfsushuqoopguuknjluuuquue",  # h
    "lljkklkurushjehkukhhumululun",  # i
    "iunqesuununruugmuqjtguuuqute",  # j
    "krpoeomthutksmoproipntlusuud",  # k
    "ipqkffuugutisqhouskklruuluuh",  # l
    "fksnesuuiurmkqhhurjmluuupuuh",  # m
    "hrighlhskunnrmjourigmmturuuf",  # n
    "mliisnmuoumjifkiugjjjmkoutui",  # o
    "ftpnfpsojurirshiugmilrsukuug",  # p
    "qqqpruusuuunuluoomlrbusuuusg",  # q
    "hrlmfpluhuoolmhpukiimoruluuf",  # r
    "mulrerpljuonqrkktqjgkspumuue",  # s
    "hqmnfouigurmoqjnuijklsqtksue",  # t
    "ljlnilnujuuhigniugigruutuunn",  # u
    "eqoucqushuutoplruppsusruuuri",  # v
    "fsomiptkfuumoiiqsgjpttmruuuf",  # w
    "mrhphntpiuunlrohupneqrrnlule",  # x
    "qonoloqrmuulkjoguohirqnursuc",  # y
    "iuqrcounguummojnurpqrusuotqh",  # z
    "klljmmuutuursrtsuussuuuuuuhd",  # digit
    "jlijjjlljsokjkkiqjgjlnlotrug",  # other
)
_ENOUGH = 96  # characters that are looked at; the mean hardly moves beyond
# Bits for a change of case between two letters: names write aB or AAA, seldom Ab-aB-bA in a row
# (same count as above).
_CASE = {"ul": 0.86, "ll": -0.98, "lu": 5.25, "uu": -0.53}


def _column(char: str) -> int:
    low = char.lower()
    if "a" <= low <= "z":
        return ord(low) - 97
    return 26 if char.isdigit() else 27


@lru_cache(maxsize=8192)
def _pair_bits(first: str, second: str) -> float:
    bits = (ord(_PAIRS[_column(first)][_column(second)]) - ord("k")) / 2
    if first.isalpha() and second.isalpha():
        bits += _CASE.get(_case(first) + _case(second), 0.0)
    return bits


def _case(char: str) -> str:
    return "u" if char.isupper() else "l"


def randomness(text: str) -> float:
    """Mean bits per pair of neighbours: above 0 like an issued token, below 0 like words."""
    if len(text) < 2:
        return 0.0
    text = text[:_ENOUGH]
    padded = f"_{text}_"
    total = sum(_pair_bits(a, b) for a, b in pairwise(padded))
    return total / (len(text) + 1)


# --- Judgement of values by their own characters, once the name has said that it could be a secret.
#
# Every function looks at the first `LOOK` characters at most, so that a value of megabytes costs
# no more than a short one.

LOOK = 256


class Strength(IntEnum):
    """Strength of what the name of a value says."""

    NONE = 0
    WEAK = 1  # `key`, `auth`: usually something harmless
    LIKELY = 2  # `acme_key`: the key of somebody nobody listed
    SECRET = 3  # `token`, `api_key`, `credentials`: issued by a machine
    PASSWORD = 4  # `password`, `pwd`: made up by a person, so it may look like a word
    PHRASE = 5  # `passphrase`, `mnemonic`: made of several words


_MARKER = lazy_pattern(r"\[secret:[a-z0-9_]+\]")
_FILLER = frozenset("xX0*.#•?_")
# Words that stand where a secret is to be filled in; looked for anywhere in the value.
_FILLER_WORDS = lazy_pattern(
    r"example|placeholder|chang(?:e[_-]?(?:me|it|this)|eit)|your[_-]?|redacted|dummy|fake|insert|replace[_-]?|"
    r"todo|fixme|sample|<[^<>]*>|\bmy[_-](?:secret|token|password|key)|here$|enter[_-]",
    re.IGNORECASE,
)
# Whole values that are words of the trade, types, or defaults everybody knows.
_COMMON = lazy_pattern(
    r"(?:no(?:ne|t?_?set)?|null|nil|true|false|undefined|empty|default|string|str|bytes?|int|bool|boolean|object|any|"
    r"optional|required|required-?in-?v?\d*|secret|secrets|token|password|passwd|passphrase|pass|pwd|pw|key|apikey|api[_-]key|"
    r"user|username|root|admin|guest|test|tests|testing|postgres|mysql|redis|mongo|rabbitmq|localhost|foo|bar|baz|foobar|"
    r"access[_-]?token|auth[_-]?token|client[_-]?secret|secret[_-]?key|hidden|masked|password123|pass(?:word)?1?|"
    r"sha-?\d+|md5|argon2\w*|bcrypt|scrypt|pbkdf2\w*|[rhe]s\d{3}|oauth2?(?:[._-]\w+)?|utf-?\d+\w*|base64\w*|[xX]?[eE]?[dD]?\d{5}|"
    r"rsa-?\d*|aes-?\d*[\w-]*|http2|jwt|bearer|basic|v\d+(?:\.\d+)*|"
    r"ripemd-?\d+|chacha20(?:-?poly1305)?|pkcs#?\d+|cast\d+|sha-?\d+crypt|md5crypt|utf8mb\d)",
    re.IGNORECASE,
)
# Names of encodings (rot13, latin-1, cp1252) and of digests (sha3-256, blake2b).
_ALGORITHMS = frozenset({*aliases, *aliases.values(), *algorithms_guaranteed})
# `${NAME}`, `$(command)`, `$NAME`, `{{ name }}`, `{name}`, `%NAME%`, `%(name)s`, `%s`, `@name@`,
# `[NAME]`, `(...)`, `#{x}`; and regular expressions: `[A-Z0-9]{20}`, `(?:...)`, `\w+`.
_TEMPLATE = lazy_pattern(
    r"[$#]\{[\w.:=\- \[\]()'\"?/|!,$]*\}|\$\(|\$\[|^\$[A-Za-z_{]\w*$|^\$\d$|^\$\{|"
    r"\{\{[^{}]*\}\}|"
    r"\{\{-?\s|^[fF]?\{[\w.\[\]()!:'\" -]*\}$|\{[A-Za-z_][\w.]{2,}(?:![rsa])?(?::[^{}]*)?\}|"
    r"\[[^\]\s]*(?:A-Z|a-z|0-9)[^\]\s]*\]|\(\?[:=!<]|\\[wdsb][+*{\]]|"
    r"%\w+%|%\(\w+\)s|%[sdvq]\b|^@\w+@$|^\[[\w\s./-]*\]?$|^[<`(]|__\w+__|<%"
)
# Words of labels, errors and advice about a password, which no phrase made up as one has.
_MESSAGE_WORDS = frozenset(
    """
    account again ask at attempt attempts be between bitte blank can can't cannot change
    character characters chars check choose confirm confirmation contain contains current
    default digit digits don't eingeben email empty enter example expired failed field forgot
    from generated hidden incorrect invalid isn't least length letter letters login long
    manager match maximum may min minimum mismatch missing must need needs never new no not
    number numbers only optional pass passphrase password passwords passwort placeholder
    please policy protected provide required requires reset rotate same secret see set short
    should sign special store stored string symbol through too type uppercase use user
    username valid vault via wrong you your zeichen
    """.split()
)
_GRAMMAR_WORDS = frozenset(
    """
    a about after all an and are as before by das der die for had has have if in into is it its
    my of on or our that the their then there this to und was we were when which who will with
    """.split()
)
_SEED_LENGTHS = frozenset({12, 15, 18, 21, 24})  # words of a wallet's seed (BIP 39)
_UUID = lazy_pattern(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_NUMERIC = lazy_pattern(r"[\d.,:/_\-+T ]+(?:Z|ms|s|m|h|d|kb|mb|gb|px|%)?", re.IGNORECASE)
# Things with a form of their own that is no secret: addresses, files, calls, digests with a label.
_HARMLESS = lazy_pattern(
    r"[a-z][a-z0-9+.-]*://|[\w.+-]+@[\w-]+\.[\w.-]+$|"
    r"ENC[\[(]|\{cipher\}|\$ANSIBLE_VAULT;|!vault|"  # encrypted, to be published
    r"[a-z_]+(?:\|[a-z_]+(?::[\w,.]+)?)+$|"  # rules of a form: required|min:8
    r"sha(?:1|256|384|512)[-:=]|h1:|arn:|urn:|vault:|secretsmanager:|ssm:|op://|projects/|data:[a-z]+/|"
    r".*\.(?:pem|crt|cer|key|json|ya?ml|toml|txt|py|js|ts|tsx|go|rs|java|rb|sh|md|html?|keytab|jks|p12|env|cfg|ini|xml|png|gif)$|"
    r"(?:process|import\.meta|os|ENV|env|config|settings|secrets|self|this|args|opts|options|request|req|ctx|props|app|vars?)"
    r"(?:\.|\[|->|::|\?\.)|ssh-(?:rsa|ed25519|dss) ",
)
_PATH = lazy_pattern(r"(?:\.{0,2}|~|[A-Za-z]:)[/\\][\w.-]*(?:[/\\]|$)")
# Words with capitals and a number, as password managers join them; names of things are small.
_MEMORABLE = lazy_pattern(
    r"(?=.*\d)(?=(?:.*[A-Z]){2})(?:[A-Z][a-z]{2,}|\d{1,4})(?:[-_.](?:[A-Z][a-z]{2,}|\d{1,4})){2,}[!?]?"
)
_RUN = "0123456789abcdefghijklmnopqrstuvwxyz"
_CALL = lazy_pattern(r"[&*]?(?:\[\])?[A-Za-z_][\w.:>-]*[({\[]")


def is_filler(value: str) -> bool:
    """Whether the value is only there to be replaced: `<your-key>`, `xxxx`, `${VAR}`, `changeme`, a
    marker."""
    value = value[:LOOK]
    if (
        not value
        or value.endswith(("...", "…"))
        or _MARKER.search(value)
        or _TEMPLATE.search(value)
    ):
        return True
    if _FILLER_WORDS.search(value) and not _has_random_rest(value):
        return True
    if value.lower().replace("-", "_") in _ALGORITHMS or _COMMON.fullmatch(value):
        return True
    return is_blank(value)


def _has_random_rest(value: str) -> bool:
    """Whether the word is there by chance: long random text on both sides of it."""
    rest = _FILLER_WORDS.sub("", value)
    return len(rest) >= 24 and len(set(rest)) >= 12 and randomness(rest) > 0.5


def is_blank(value: str) -> bool:
    """Whether most of the value is one filling character, as in `ghp_xxxxxxxx`."""
    value = value[:LOOK]
    filling = max(value.count(char) for char in _FILLER)
    return 2 * filling > len(value) or "xxxxxxx" in value.lower() or "****" in value


def looks_issued(value: str) -> bool:
    """Whether the value looks drawn by a machine: a token, an API key, a session."""
    value = value[:LOOK]
    if len(value) < 8 or _is_monotonous(value) or is_filler(value):
        return False
    if _UUID.fullmatch(value) or _is_hex(value):
        return True
    if _is_harmless(value):
        return False
    if value.isdigit():
        return len(value) >= 15
    if _NUMERIC.fullmatch(value) or _is_sequence(value):
        return False
    return _is_random(value)


def fits(value: str, force: Strength, *, strict: bool = False) -> bool:
    """Whether the value is a secret, given how strongly its name says so."""
    if force >= Strength.PASSWORD:
        is_phrase = looks_like_phrase(value, is_named=force is Strength.PHRASE, strict=strict)
        return is_phrase or looks_chosen(value, strict=strict) or looks_issued(value)
    if force is Strength.SECRET:
        return looks_issued(value) or _looks_typed(value) or _looks_invented(value)
    if force is Strength.LIKELY:
        is_uuid = _UUID.fullmatch(value) is not None and len(set(value)) >= 8
        return looks_drawn(value) or _looks_typed(value) or is_uuid
    return force is Strength.WEAK and looks_strong(value)


def looks_drawn(value: str) -> bool:
    """Whether the value is random beyond doubt, or a row of hexadecimal digits as keys have."""
    value = value[:LOOK]
    is_hex = 24 <= len(value) <= 128 and _is_hex(value) and not is_blank(value)
    return (is_hex and len(set(value)) >= 8) or looks_strong(value)


def _looks_invented(value: str) -> bool:
    """Whether somebody made up a secret as one does a password, with all that policies ask for."""
    is_long = 10 <= len(value) <= 40 and not _is_sequence(value)
    return is_long and is_mixed(value) and looks_chosen(value, strict=True)


def _looks_typed(value: str) -> bool:
    """Whether somebody typed a token of digits and letters in the order of the alphabet or of the
    keyboard: long, mixed, without words. What is named as a secret may be one all the same."""
    return (
        24 <= len(value) <= LOOK
        and value.isascii()
        and value.rstrip("=").replace("_", "").replace("-", "").isalnum()
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and len(set(value)) >= 10
        and (_is_sequence(value) or randomness(value) > -0.2)
        and not is_filler(value)
    )


def looks_like_phrase(value: str, *, is_named: bool, strict: bool) -> bool:
    """Whether the value is several words that make a password: no sentence, no label of a form.

    `is_named`: its name says that it has words; `strict` where it may be code or prose.
    """
    words = value[:LOOK].split()
    if not 2 <= len(words) <= 24 or len(value) > LOOK or not _is_wordy(value):
        return False
    if is_named and len(words) in _SEED_LENGTHS and all(map(_is_seed_word, words)):
        return True
    low = {word.lower().strip("'\"!?.,;") for word in words}
    if low & _MESSAGE_WORDS or (strict and low & _GRAMMAR_WORDS):
        return False
    if is_named:
        return len(words) >= 3 and not low & _GRAMMAR_WORDS
    is_mixed = any(char.isdigit() for char in value) or "''" in value or '""' in value
    if strict:
        return is_mixed and len(words) >= 4 - _has_sign(value)
    is_plain = len(words) >= 4 and all(word.isalpha() and word.islower() for word in words)
    return is_mixed or _has_sign(value) or (is_plain and not low & _GRAMMAR_WORDS)


def _is_seed_word(word: str) -> bool:
    return 3 <= len(word) <= 8 and word.isalpha() and word.islower()


def _is_wordy(value: str) -> bool:
    """Whether it can be words and no code, list or template."""
    return not (
        value.endswith((".", ":", "?", "…", ",", ";"))
        or any(sign in value for sign in "(){}[]<>|=;")
        or _TEMPLATE.search(value)
        or _MARKER.search(value)
        or ", " in value
        or ": " in value
    )


def _has_sign(value: str) -> bool:
    return any(char in "@#$%^&*~!" for char in value)


def looks_strong(value: str) -> bool:
    """Whether the value is random beyond doubt, for names that say little: no digest, no id, 20
    characters or more."""
    value = value[:LOOK]
    if len(value) < 20 or len(set(value)) < 10 or _UUID.fullmatch(value) or _is_hex(value):
        return False
    return looks_issued(value) and _has_mixture(value) and randomness(value) > 0.5


def looks_chosen(value: str, *, strict: bool = False) -> bool:
    """Whether it looks like a password somebody made up; `strict` where it may be code or prose."""
    value = value[:LOOK]
    if not len(value) >= 4 or is_filler(value) or len(set(value)) < 3:
        return False
    if _is_harmless(value) and not _MEMORABLE.fullmatch(value):
        return False
    if not any(char.isalpha() for char in value):
        return value.isdigit() and len(value) >= 6 and not strict and not _is_sequence(value)
    if _is_name(value):
        return len(value) >= 8 and randomness(value) > 0.3
    if strict:
        value = value.rstrip("!?.,:;)'\"")
        return (
            len(value) >= 6
            and _has_mixture(value)
            and not _CALL.match(value)
            and not _NUMERIC.fullmatch(value)
        )
    return True


def _is_monotonous(value: str) -> bool:
    """Whether so few characters take turns that it is no token; long tokens use 8 or more."""
    return len(set(value)) < (5 if len(value) < 48 else 8)


def _is_random(value: str) -> bool:
    if _has_rich_signs(value):
        return True
    bits = randomness(value)
    return bits > -0.35 if _has_mixture(value) else len(value) >= 12 and bits > 0.3


def _has_mixture(value: str) -> bool:
    letters = sum(char.isalpha() for char in value)
    return 0 < letters < len(value) and any(
        char.isdigit() or not (char.isalnum() or char in "-_.:") for char in value
    )


def _has_rich_signs(value: str) -> bool:
    signs = {char for char in value if not (char.isalnum() or char in "-_./:+=,;()[]'\"\\ ")}
    return len(value) >= 10 and len(signs) >= 3 and any(char.isalpha() for char in value)


def _is_hex(value: str) -> bool:
    return (
        len(value) >= 16
        and all(char in "0123456789abcdefABCDEF" for char in value)
        and not value.isalpha()
    )


def _is_name(value: str) -> bool:
    """Letters with joints only: `ahotproject`, `user_password`, `auth.password`."""
    return all(char.isalpha() or char in "-_.:/ " for char in value)


def _is_harmless(value: str) -> bool:
    if any(char.isspace() for char in value) or _HARMLESS.match(value):
        return True
    if _is_drawn(value):
        return False
    if _PATH.match(value):
        return True
    parts = re.split(r"[/\\.:,_-]+", value)
    # Words joined by dashes make a name; with all that policies ask of a password they are one.
    if len(parts) < 3 or ("!" in value and is_mixed(value)):
        return False
    return all(len(part) < 16 and (not part or not _stands_out(part)) for part in parts)


def _is_drawn(value: str) -> bool:
    """Whether it is a long draw from base64, which has "/" and "-" among its signs: of 300,000
    paths none mixes small letters, capitals and digits like that."""
    is_mixed = not (value.islower() or value.isupper()) and any(char.isdigit() for char in value)
    return len(value) >= 20 and is_mixed and randomness(value) > 0.5


_CLASSES = tuple(map(re.compile, ("[a-z]", "[A-Z]", r"\d", r"[^\w.:/-]")))


def is_mixed(value: str, classes: int = 4) -> bool:
    """Whether it has small letters, capitals, digits and signs, or so many of the four."""
    return sum(1 for form in _CLASSES if form.search(value)) >= classes


def _stands_out(part: str) -> bool:
    return len(part) > 3 and randomness(part) > 0.3 and _has_mixture(part)


def _is_sequence(value: str) -> bool:
    """Whether the value holds eight characters of the alphabet or of the digits in a row."""
    low = value.lower()
    return any(_RUN[at : at + 8] in low for at in range(len(_RUN) - 7)) or "1234567890" in low
