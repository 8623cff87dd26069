"""Keyword detector: values assigned to secret-like names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

import attrs

from ..text import analyzer
from .entropy import LOOK, Strength, is_filler, looks_chosen, looks_issued, looks_strong
from .rules import Finding, Span
from .token_detector import places

# --- Names of secrets: `db_password`, `API-KEY`, `stripeSecretKey`, `csrf_token`.

# Looked for in the text, lower case; everything else about a name is decided by `strength`.
STEMS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "login", "bundle_", "sumo", "_pw")

_DIGITS = re.compile(r"\d+")
_PASSWORD = re.compile(
    r"passw(?:or)?[dt]|passphrase|passcode|pwd|pswd|passwrd|kennwort|mot_?de_?passe|contrasena|"
    r"wachtwoord|(?:^|_)(?:senha|haslo|heslo|salasana)(?:_|$)"
)
_PASSWORD_PARTS = frozenset(
    "pass pw dbpass userpass sshpass mypass passwd requirepass storepass keypass".split()
)
_SECRET = re.compile(
    r"secret|token|credential|(?:api|access|private|priv|secret|auth|signing|encryption|license|"
    r"account|shared|master|deploy|ssh|service|webhook|storage|subscription|session|admin|app|"
    r"application|server|consumer|host|function)_?key(?!word|board|s$)|session_?id$|phpsessid|sid$|"
    r"authorization$|sumo_?(?:logic)?_access_?id$|access_?code$|_auth(?:_?token)?$|"
    r"(?:^|_)creds?$|^auth$|_pat$"
)
_WEAK = re.compile(r"(?:^|_)[a-z]*key$|(?:^|_)(?:auth|login|cred|pat)$")
_NOT_KEYS = re.compile(r"(?:^|_)(?:mon|hot|tur|don|whis|joc|hoc|ho)key$")
# The value beside such a name is meant to be seen.
_PUBLIC = re.compile(
    r"(?:^|_)(?:public|pub|publishable|hash|hashed|checksum|digest|fingerprint|csrf|xsrf|"
    r"csrfmiddlewaretoken|authenticity|continuation)(?:_|$)|tokeni[sz]|sha(?:1|_1|256|_256)|"
    r"\A(?:next_|prev_|last_|i18n_)?(?:page|next|prev|cursor|sync|max|min|num|total|input|output|"
    r"prompt|completion|cache|primary|foreign|sort|partition|translation|lookup|group|bucket|"
    r"special|eos|bos|pad|unk|sep|mask|cls|start|end)_(?:token|key)\Z"
)
# The last word says that the value is about the secret, not the secret itself.
_ABOUT_WORDS = """
    age alg algorithm arn at audience budget budgets button by callback check class cmd col
    column command config cost costs count date day days desc description dir directory
    disabled doc docs documentation enabled encoding endpoint env error errors example
    expiration expired expires expiry factory field fields file filename files form format
    function generator grant handler has header headers help hint host hostname hours id ids
    in index info is issuer keys kind label len length level limit link location manager
    message method minutes mode model msg name names offset on optional options page param
    parameter params passwords path paths pattern placeholder policies policy port position
    prefix price prompt provider rate re realm ref reference regex regexp region required
    reset route rule rules scope scopes screen seconds selector service settings size space
    spaces state status storage store strategy suffix template test tests time timeout title
    tokens ttl type types uri url urls usage used valid validator var variable version view
"""
_ABOUT = frozenset(_ABOUT_WORDS.split())
_PLURALS = frozenset({"keys", "tokens", "passwords"})
# Services whose plain `..._key`, `..._login` or `..._auth` is a credential.
_PROVIDER_WORDS = """
    abuseipdb adafruit adobe adyen airtable algolia alibaba aliyun amplitude anthropic apify
    artifactory asana assemblyai atlassian auth0 aws azure beamer bitbucket bittrex braintree
    braze brevo bugsnag buildkite chargebee cisco clerk clickup cloudflare cloudinary codecov
    cohere coinbase confluent contentful databricks datadog deepgram deepseek digitalocean
    discord docusign doppler drone dropbox dynatrace elastic etsy facebook fastly figma
    finicity finnhub firebase flickr flutterwave freshbooks gcp gemini github gitlab gitter
    gocardless godaddy google grafana groq harness heroku hetzner honeycomb hubspot
    huggingface instagram intercom ipinfo ipstack iterable jenkins jfrog jira kraken kucoin
    launchdarkly linear linkedin linode lob looker mailchimp mailgun mailjet mapbox mattermost
    maxmind meraki messagebird mistral mixpanel mongodb namecheap netlify new_relic newrelic
    nexmo notion npm nytimes okta openai openweather opsgenie pagerduty paypal paystack
    perplexity pinecone plaid planetscale posthog postman postmark privateai pulumi pypi
    rapidapi razorpay recurly replicate rollbar salesforce segment sendbird sendgrid
    sendinblue sentry shippo shodan shopify slack snowflake snyk sonar sparkpost spotify
    square squarespace stripe sumo supabase tailscale telegram telnyx todoist toggl tomtom
    travis trello twilio twitch twitter typeform unsplash vault vercel virustotal vonage vultr
    wandb yandex youtube zendesk zoom
"""


@cache
def _providers() -> re.Pattern[str]:
    return re.compile("|".join(_PROVIDER_WORDS.split()))


def parts(name: str) -> list[str]:
    """The words of a name in lower case: `stripeSecretKey2` → stripe, secret, key (digits are left
    out).
    """
    return [part.lower() for part in analyzer.parts(_DIGITS.sub("_", name))]


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    """How strongly the name announces a secret; NONE if it only talks about one (`token_url`)."""
    words = parts(name)
    if not words:
        return Strength.NONE
    joined = "_".join(words)
    if words[-1] in _PLURALS:
        return Strength.NONE if _PUBLIC.search(joined) else Strength.WEAK
    if _is_about(words, joined) or _PUBLIC.search(joined):
        return Strength.NONE
    if _PASSWORD.search(joined) or _PASSWORD_PARTS.intersection(words):
        return Strength.PASSWORD
    if _SECRET.search(joined):
        return Strength.SECRET
    if not _WEAK.search(joined) or _NOT_KEYS.search(joined):
        return Strength.NONE
    return Strength.SECRET if _providers().search(joined) else Strength.WEAK


def kind_of(name: str, force: Strength) -> str:
    """The kind of a secret that was found by its name."""
    if force is Strength.PASSWORD:
        return "password"
    if force is Strength.NONE:
        return "bundler_credentials"
    low = name.lower()
    return "token" if "token" in low else "api_key" if "key" in low else "secret"


def _is_about(words: list[str], joined: str) -> bool:
    if joined.endswith("session_id") or (joined.endswith("access_id") and "sumo" in joined):
        return False
    return len(words) > 1 and words[-1] in _ABOUT


# --- Values adjacent to a name: where they begin and end, quoted or bare.
#
# A value is judged by its first characters (`values.LOOK`) but masked to its very end, however
# long it is.

_OPEN = re.compile(r"""[rRbBfFuUL@$]{0,2}(\\?(?:\"\"\"|'''|["'`]))""")
_SCHEME = re.compile(r"(?:bearer|basic|token|apikey|bot|flyv1)[ \t]+", re.IGNORECASE)
_BARE = re.compile(r"""[^\s"'`,;<>(){}\[\]|&\\]*""")
# Passwords may hold nearly every sign; in a .env file even commas.
_BARE_PASSWORD = re.compile(r"""(?:[^\s"'`,;\\]|\\(?![nrt"']))*""")
_ENV_PASSWORD = re.compile(r"""(?:[^\s"'`;\\]|\\(?![nrt"']))*""")
_WORD = re.compile(r"\S*")
_XML = re.compile(r"[^<\s]*")
_QUERY = re.compile(r"[?&][\w.\-]*=\Z")
_USER_PASSWORD = re.compile(r"[\w.-]{2,80}:[\w.-]{2,80}\Z")
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_OWN_WORDS = re.compile(r"pass(?:word|wd)?|pwd|secret|token|key|cred", re.IGNORECASE)
# What code makes names of: `user_password`, `auth.secret`, `password2`.
_JOINT = re.compile(r"[\w)\]][-_./:]+\w")
_NUMBERED = re.compile(r"[A-Za-z]+\d")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_AHEAD = 4 * LOOK


@attrs.frozen
class Name:
    """A name that may announce a secret: how strongly, and how it was written."""

    text: str
    force: Strength
    is_env: bool = False  # NAME=value, as in a .env file or a shell
    is_bundler: bool = False  # BUNDLE_HOST__COM, whose value is user:password


class Reader:
    """Reader of a text from its beginning to its end.

    It remembers where a quote or a line ends, so that nothing is read over and over.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[str, int] = {}

    def value(self, name: Name, at: int) -> Span | None:
        """The secret that begins at `at`, if the value there is one."""
        opened = _OPEN.match(self.text, at)
        if opened is None:
            return self._bare(name, at)
        start = opened.end()
        end = self._closing(opened[1], start)
        if end < 0:  # cut off, or no quote at all
            return self._bare(name, start)
        if "f" in opened[0].lower() and _is_computed(self.text[start : min(end, start + LOOK)]):
            return None
        return self.judged(name, start, end, strict=False)

    def bare(self, name: Name, at: int, form: re.Pattern[str]) -> Span | None:
        """The value at `at` without quotes, of this form, if it looks like a secret in prose."""
        end = _end(form, self.text, at)
        span = self.judged(name, at, self._trimmed(at, end, ".,)]}>:!?"), strict=True)
        return span and (at, self._to_the_end(form, span[1], end))

    def next(self, mark: str, at: int) -> int:
        """The place of the next `mark` at or behind `at`; the end of the text if there is none."""
        known = self._ends.get(mark, -1)
        if known < at:
            position = self.text.find(mark, at)
            known = self._ends[mark] = len(self.text) if position < 0 else position
        return known

    def _closing(self, quote: str, at: int) -> int:
        """Where the text opened by `quote` before `at` closes, or -1."""
        end = self.next(quote, at)
        while len(quote) == 1 and end < len(self.text) and _is_escaped(self.text, end):
            end = self.next(quote, end + 1)
        line_ends = len(quote) < 3 and self.next("\n", at) < end
        return -1 if line_ends or end >= len(self.text) else end

    def _bare(self, name: Name, at: int) -> Span | None:
        scheme = _SCHEME.match(self.text, at)
        at = scheme.end() if scheme is not None else at
        if name.force is Strength.PASSWORD:
            return self._bare_password(name, at)
        end = _end(_BARE, self.text, at)
        whole = self._whole_word(name, at, end)
        if whole is not None:
            return whole
        if self.text.startswith(("(", "[", "{"), end) or self.text.endswith("...", at, end):
            return None  # a call, an index; a shortened value
        span = self.judged(name, at, self._trimmed(at, end, ".:!?"), strict=not name.is_env)
        return span and (at, self._to_the_end(_BARE, span[1], end))

    def _bare_password(self, name: Name, at: int) -> Span | None:
        """Without quotes a password ends at a blank; in the query of an address at "&"."""
        form = _ENV_PASSWORD if name.is_env else _BARE_PASSWORD
        if self.text.startswith(">", at - 1):
            form = _XML
        if _QUERY.search(self.text, max(0, at - 80), at):
            form = _BARE
        end = _end(form, self.text, at)
        last = end if name.is_env else self._trimmed(at, end, ".,)]}>")
        span = self.judged(name, at, last, strict=not name.is_env)
        return span and (at, self._to_the_end(form, span[1], end))

    def _to_the_end(self, form: re.Pattern[str], last: int, end: int) -> int:
        """The end of a value that is longer than what was looked at."""
        match = form.match(self.text, end) if last == end else None
        return match.end() if match is not None else last

    def _trimmed(self, at: int, end: int, signs: str) -> int:
        """The end without the signs of a sentence, or a bracket that was opened before."""
        text = self.text
        while end > at and text[end - 1] in signs:
            opening = _PAIRS.get(text[end - 1])
            if opening and text.count(opening, at, end) >= text.count(text[end - 1], at, end):
                break
            end -= 1
        return end

    def _whole_word(self, name: Name, at: int, end: int) -> Span | None:
        """A value with many signs in a line that holds nothing else."""
        last = _end(_WORD, self.text, at)
        if last == end or self.text[last : last + 8].split("\n")[0].strip():
            return None
        plain = "-_./:+=,;()[]'\"\\<>&|"
        word = self.text[at : min(last, at + LOOK)]
        signs = {char for char in word if not (char.isalnum() or char in plain)}
        return self.judged(name, at, last, strict=True) if len(signs) >= 3 else None

    def judged(self, name: Name, start: int, end: int, *, strict: bool) -> Span | None:
        """The span if its text is a secret; `strict` where it may as well be code or prose."""
        scheme = _SCHEME.match(self.text, start, end)
        start = scheme.end() if scheme is not None else start
        value = self.text[start : min(end, start + LOOK)]
        if value.lower() == name.text.lower():
            return None
        return (start, end) if _is_secret(name, value, strict=strict) else None


def _is_secret(name: Name, value: str, *, strict: bool) -> bool:
    if name.is_bundler:
        return _USER_PASSWORD.match(value) is not None and not is_filler(value)
    if name.force is Strength.PASSWORD:
        chosen = looks_chosen(value, strict=strict) and not (strict and _says_what_it_is(value))
        # In a .env file a word is a password too: there it is neither code nor prose.
        word = name.is_env and value.isalpha() and len(value) >= 6
        word = word and not is_filler(value) and not _OWN_WORDS.search(value)
        return chosen or word or looks_issued(value)
    return looks_issued(value) if name.force is Strength.SECRET else looks_strong(value)


def _says_what_it_is(value: str) -> bool:
    """Whether a value holds a word such as "password" and is code or a placeholder for it; what is
    left of a password beside that word looks like one, and is joined to it by nothing."""
    rest = _OWN_WORDS.sub("", value)
    if rest == value:
        return False
    return bool(_NUMBERED.fullmatch(value) or _JOINT.search(value)) or not looks_chosen(
        rest, strict=True
    )


def _end(form: re.Pattern[str], text: str, at: int) -> int:
    match = form.match(text, at, at + _AHEAD)
    return match.end() if match is not None else at


def _is_computed(value: str) -> bool:
    """Whether an f-string holds nothing that looks issued beside its expressions."""
    return "{" in value and not looks_issued(_EXPRESSION.sub("", value))


def _is_escaped(text: str, at: int) -> bool:
    slashes = 0
    while slashes < 8 and at - slashes > 0 and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


# --- Detector of named secrets: assignments, JSON, YAML, .env, flags, XML, calls, prose.
#
# A name is looked for first (`names.STEMS`), then what ties it to a value, then the value is
# judged. A rule without a name would be wrong half of the time: commit ids, digests and pictures
# look just like tokens.

_NAME_LENGTH = 80
_REST_OF_NAME = re.compile(rf"[\w.\-]{{0,{_NAME_LENGTH}}}")
_QUALIFIER = re.compile(
    r"(api|access|secret|private|auth|client|signing|encryption|license|account|bot)[ -]\Z",
    re.IGNORECASE,
)
_CLOSE = r"""(?:\\?["'`]|[\])}*]){0,4}"""
# A type stands before its value; base64 that is filled up with "=" before nothing.
_FILLED_UP = r"""[ \t]*[\w+/]{16,}==?(?:[\s"',;]|$)"""
_TYPE = (
    rf"(?::(?!{_FILLED_UP})[ \t]*[A-Za-z_][\w.\[\]<>|? ]{{0,40}}?|[ \t](?:string|str|text|varchar))"
)
_OPERATOR = r"(?::{0,3}={1,3}|!={1,2}|=>|[?+|]{1,2}=|<>|<-)>?"
# What may stand between a name and its value. The order matters: the longer forms first.
_TIES = (
    # name: str = "v" · name string = "v" · name := v · name ::= v · name == "v" · name => v · name
    # ?= v
    rf"{_CLOSE}[ \t]*(?:{_TYPE}[ \t]*)?{_OPERATOR}[ \t]*",
    # variable "name" {, lines, default = "v", as Terraform writes it
    rf"""{_CLOSE}[ \t]*\{{[^{{}}]{{0,400}}?\bdefault[ \t]*=[ \t]*(?=")""",
    # name: | (or >-), v on the next line, as YAML writes a text of lines
    rf"{_CLOSE}[ \t]*:[ \t]*[|>][-+\d]{{0,2}}[ \t]*\r?\n[ \t]+",
    # name: v, also on the next line when quoted
    rf"{_CLOSE}[ \t]*:[ \t]*(?:\r?\n[ \t]*(?=[\"']))?",
    # name="api_key" value="v" · name: API_KEY, newline, value: v · "key": "API_KEY", "value": "v"
    r"""\\?["']?[ \t]*,?\s{0,40}\\?["']?value\\?["']?[ \t]*[=:][ \t]*""",
    # setPassword("v") · set("password", "v") · put(DB_PASSWORD, "v"); what follows a variable is
    # another argument: encode(password, "rot13")
    r"""(?:\\?["'`]?[ \t]*\(|(?:\\?["'`]|(?<=[A-Z]))[ \t]*,)[ \t]*(?=[rbfuL@]{0,2}\\?["'`])""",
    # the last argument of a setter: set_password(user, "v")
    r"""\((?:[ \t]*[\w.]{1,40}[ \t]*,){1,3}[ \t]*(?=[rbfuL@]{0,2}["'`])""",
    # <password>v</password>
    r"(?:[ \t][^<>\n]{0,80})?>[ \t]*(?=[^\s<>])",
    # the password is v
    r"""[`"']?[ \t]+(?:is|was|=)(?:[ \t]+(?:now|set to|still))?:?[ \t]+""",
)
# Of calls whose password is not the first argument, only those that can have no other meaning.
_LATER_ARGUMENT = re.compile(r"\([^(]*,")
_SETTER = re.compile(r"(?:set|change|update|reset|check|verify)_?passw(?:or)?d\Z", re.IGNORECASE)


@cache
def _tie() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{tie})" for tie in _TIES))


_FLAG_TIE = re.compile(r"[ \t]+(?!-)")
_REVERSED = re.compile(r"""(["'`])[ \t]{0,2}(?:===?|!==?|<>)[ \t]{0,2}\Z""")
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_BUNDLER = re.compile(r"BUNDLE_\w+__\w+\Z", re.IGNORECASE)


def named(text: str, lower: bytes) -> Iterator[Finding]:
    """Values whose name says that they are secret and that look like it."""
    reader = Reader(text)
    spots = sorted({at for stem in STEMS for at in places(lower, stem)})
    done = 0
    for at in spots:
        if at < done:
            continue
        rest = _REST_OF_NAME.match(text, at)
        done = rest.end() if rest is not None else at
        tie = _tie().match(text, done)
        if tie is None and not text.startswith((" ", "\t"), done) and not _may_be_before(text, at):
            continue
        finding = _finding_at(reader, _start_of_name(text, at), done, tie)
        if finding is not None:
            yield finding
            done = max(done, finding.end)


def _start_of_name(text: str, at: int) -> int:
    start = max(0, at - _NAME_LENGTH)
    while at > start and (text[at - 1].isalnum() or text[at - 1] in "_.-"):
        at -= 1
    return at


def _may_be_before(text: str, at: int) -> bool:
    """Whether a comparison before the name may have the value on its left."""
    before = text[max(0, at - _NAME_LENGTH) : at]
    return "=" in before or "<>" in before


def _finding_at(reader: Reader, start: int, end: int, tie: re.Match[str] | None) -> Finding | None:
    text = reader.text
    word = text[start:end].strip(".-")
    if tie is None and text.startswith("--", start if text.startswith("-", start) else start - 2):
        tie = _FLAG_TIE.match(text, end)
    if tie is not None and _LATER_ARGUMENT.match(tie[0]) and not _SETTER.search(word):
        return None
    name = Name(
        word,
        _force(text, word, start),
        is_env=tie is not None and tie[0] == "=" and _ENV_NAME.match(word) is not None,
        is_bundler=_BUNDLER.match(word) is not None,
    )
    if name.force is Strength.NONE and not name.is_bundler:
        return None
    span = _reversed(reader, name, start) if tie is None else reader.value(name, tie.end())
    return Finding(kind_of(word, name.force), *span) if span is not None else None


def _force(text: str, name: str, start: int) -> Strength:
    force = strength(name)
    if force is Strength.WEAK or name.lower() in ("id", "key"):
        before = _QUALIFIER.search(text, max(0, start - 12), start)
        if before is not None:
            force = max(force, strength(f"{before[1]}_{name}"))
    return force


def _reversed(reader: Reader, name: Name, start: int) -> Span | None:
    """`"value" == password`."""
    text = reader.text
    operator = _REVERSED.search(text, max(0, start - 8), start)
    if operator is None:
        return None
    close = operator.start(1)
    opening = text.rfind(operator[1], max(0, close - LOOK), close)
    if opening < 0 or "\n" in text[opening:close]:
        return None
    return reader.judged(name, opening + 1, close, strict=False)
