"""Keyword detector: values assigned to secret-like names, or below one in a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ..text import analyzer
from ..text.patterns import lazy_pattern
from .entropy import LOOK, Strength, looks_chosen, looks_issued
from .literal_search import LowerText, line_end
from .literals import Name, Reader, indented
from .rules import Finding, Span
from .token_detector import pattern

# --- Names of secrets: `db_password`, `API-KEY`, `stripeSecretKey`, `csrf_token`.

# Looked for in the text, lower case; everything else about a name is decided by `strength`.
STEMS = frozenset(
    "pass pw secret token key auth cred login bundle_ sumo _session sessid sessionid phrase "
    "mnemonic signing hmac pepper psk seed otp".split()
)

_DIGITS = lazy_pattern(r"\d+")
_PASSWORD = lazy_pattern(
    r"passw(?:or)?[dt]|passphrase|passcode|pwd|pswd|passwrd|kennwort|mot_?de_?passe|contrasena|"
    r"wachtwoord|(?:^|_)(?!by|com|sur|over|under|tres|encom|low|high|all|band|multi)[a-z]{2,8}pass$|(?:^|_)(?:wi_?fi|wlan|wpa)_?key|(?:^|_)(?:senha|haslo|heslo|salasana)(?:_|$)"
)
_PASSWORD_PARTS = frozenset("pass pw psk passwd masterauth rootpw".split())
_PHRASE = lazy_pattern(r"pass_?phrase|mnemonic|(?:seed|recovery|backup|secret)_?phrase")
_SECRET = lazy_pattern(
    r"secret|token|credential|(?:api|access|private|priv|secret|auth|signing|encryption|license|"
    r"account|shared|master|deploy|ssh|service|webhook|storage|subscription|session|admin|app|"
    r"application|server|consumer|host|function)_?key(?!word|board|s$)|session_?id$|phpsessid|sid$|"
    r"authorization$|sumo_?(?:logic)?_access_?id$|access_?code$|_auth(?:_?token)?$|"
    r"(?:^|_)creds?$|^auth$|_pat$|(?:otp|[mf]fa|fa)_?(?:seed|secret|key)$"
)
_WEAK = lazy_pattern(
    r"(?:^|_)[a-z]*key$|_session(?:_[a-z]+)?$|(?:^|_)(?:auth|login|cred|pat|signing|hmac|pepper)$"
)
_OWNED = lazy_pattern(r"(?:^|_)([a-z]+?)_?(?:key|auth)$")
# What has a key that is no secret: data, caches, the keyboard; what is before it is nobody's name.
_DATA = frozenset("""
    a alt an and answer any arrow asset attr attribute base blob bucket build by cache cell child
    col column commit component composite config content context ctrl data dedup dedupe
    default deployment dict digest dir doc document down each edge element entity entry enter
    escape etag event every field file filter fingerprint first flag folder for form function get
    global gpg graph group has hash header home host i id idempotency image index input instance is
    item job json label language last layer layout left list locale lock log lookup map mapping max
    member memo memory message metadata method min missing model module msg my name natural nav new
    next no node not num obj object of old on one option order other our output owner page parent
    part partition path pgp pick prev primary prop property query queue range rate react record
    redis region registry release request resource response restore result revision right root
    route routing row rsa run s3 scan schema scope search section sequence set setting shard shift
    site slot sort source span special ssh state store style sub tab table tag task temp
    template tenant test text that the theme this time tmp topic trace track translation tree tuple
    type unique up url use user value version view widget window with work xml yaml your
""".split())  # fmt: skip
# What stands behind a name without changing what it names: ACME_KEY_PROD, client-key-data.
_STAGES = frozenset(
    "prod production live dev development staging stage test sandbox v backup main new old "
    "data value b64 base64 raw plain".split()
)
# The value beside such a name is meant to be seen.
_PUBLIC = lazy_pattern(
    r"(?:^|_)(?:public|pub|publishable|hash|hashed|checksum|digest|fingerprint|csrf|xsrf|"
    r"csrfmiddlewaretoken|authenticity|continuation|sha|md)(?:_|$)|tokeni[sz]|sha(?:1|_1|256|_256)|"
    r"(?:^|_)(?:re)?(?:captcha_)?site_?key$|"
    r"\A(?:next_|prev_|last_|i18n_)?(?:page|next|prev|cursor|sync|max|min|num|total|input|output|"
    r"prompt|completion|cache|primary|foreign|sort|partition|translation|lookup|group|bucket|"
    r"special|eos|bos|pad|unk|sep|mask|cls|start|end)_(?:token|key)\Z"
)
# The last word says that the value is about the secret, not the secret itself.
_ABOUT = frozenset("""
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
""".split())  # fmt: skip
_PLURALS = frozenset({"keys", "tokens", "passwords"})
# Services whose plain `..._key`, `..._login` or `..._auth` is a credential.
_PROVIDERS = """
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
_PROVIDER = lazy_pattern("|".join(_PROVIDERS.split()))


def parts(name: str) -> list[str]:
    """The words of a name in lower case: `stripeSecretKey2` → stripe, secret, key (digits are left
    out)."""
    return [part.lower() for part in analyzer.parts(_DIGITS.sub("_", name))]


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    """How strongly the name announces a secret; NONE if it only talks about one (`token_url`)."""
    words = parts(name)
    while len(words) > 1 and words[-1] in _STAGES:
        words.pop()
    joined = "_".join(words)
    if not words or _PUBLIC.search(joined):
        return Strength.NONE
    if words[-1] in _PLURALS:
        return Strength.WEAK
    return Strength.NONE if _is_about(words, joined) else _announced(words, joined)


def _announced(words: list[str], joined: str) -> Strength:
    if _PHRASE.search(joined):
        return Strength.PHRASE
    if _PASSWORD.search(joined) or _PASSWORD_PARTS.intersection(words):
        return Strength.PASSWORD
    if _SECRET.search(joined):
        return Strength.SECRET
    if not _WEAK.search(joined):
        return Strength.NONE
    if _PROVIDER.search(joined):
        return Strength.SECRET
    owned = _OWNED.search(joined)
    return Strength.LIKELY if owned and owned[1] not in _DATA else Strength.WEAK


def kind_of(name: str, force: Strength) -> str:
    """The kind of a secret that was found by its name."""
    if force >= Strength.PASSWORD:
        return "password"
    if force is Strength.NONE:
        return "bundler_credentials"
    low = name.lower()
    return "token" if "token" in low else "api_key" if "key" in low else "secret"


def _is_about(words: list[str], joined: str) -> bool:
    if joined.endswith(("session_id", "vault_secret_id")) or (
        joined.endswith("access_id") and "sumo" in joined
    ):
        return False
    return len(words) > 1 and words[-1] in _ABOUT


# --- Detector of named secrets: assignments, JSON, YAML, .env, flags, XML, calls, prose.
#
# A name is looked for first (STEMS), then what ties it to a value, then the value is
# judged. A rule without a name would be wrong half of the time: commit ids, digests and pictures
# look just like tokens.

_NAME_LENGTH = 80
_REST_OF_NAME = lazy_pattern(rf"[\w.\-]{{0,{_NAME_LENGTH}}}")
_QUALIFIER = 30  # letters of the word before a name
# The section of a file in which a name is the first one.
_SECTION = (
    r"""(?m:^)[ \t]*\[?["']?([A-Za-z][\w-]{1,30})["']?(?:\]|[ \t]*:[ \t]*\{?)\s{1,12}["']?\Z"""
)
_CLOSE = r"""(?:\\?["'`]|[\])}*]){0,4}"""
# A type stands before its value; base64 that is filled up with "=" before nothing.
_FILLED_UP = r"""[ \t]*[\w+/]{16,}==?(?:[\s"',;]|$)"""
_TYPE = (
    rf"(?::(?!{_FILLED_UP})[ \t]*(?:&(?:'static[ \t])?)?[A-Za-z_][\w.\[\]<>|? ]{{0,40}}?|"
    r"[ \t](?:string|str|text|varchar))"
)
_OPERATOR = r"(?:[→⇒＝]|:{0,3}={1,3}|!={1,2}|=>|[?+|]{1,2}=|<>|<-|-(?=>))>?"
# What may stand between a name and its value. The order matters: the longer forms first.
_TIES = (
    # name: str = "v" · name string = "v" · name := v · name ::= v · name == "v" · name => v · name
    # ?= v
    rf"{_CLOSE}[ \t]*(?:{_TYPE}[ \t]*)?{_OPERATOR}[ \t]*",
    # variable "name" {, lines, default = "v", as Terraform writes it
    rf"""{_CLOSE}[ \t]*\{{[^{{}}]{{0,400}}?\bdefault[ \t]*=[ \t]*(?=")""",
    # name: | (or >-), v on the next line, as YAML writes a text of lines
    rf"{_CLOSE}[ \t]*:[ \t]*(?P<block>[|>])[-+\d]{{0,2}}[ \t]*\r?\n[ \t]+",
    # name: v, also on the next line when quoted or alone there
    rf"{_CLOSE}(?:[ \t]+#?\d{{1,2}})?[ \t\xa0]*(?::{{1,2}}|：)[ \t\xa0\u3000]*"
    rf"(?:[&!][\w!]{{1,30}}[ \t]+|\r?\n[ \t]*(?=[\"'])|"
    rf"\r?\n[ \t]+(?=\S{{8,400}}[ \t]*(?:\r?\n|\Z)))?",
    # name || "v", name ?? "v", name or "v"
    rf"{_CLOSE}[ \t]*(?:\|\||\?\?|or)[ \t]*(?=[\"'`])",
    # <key>name</key>, newline, <string>v
    r"</key>\s{0,40}<string>(?=[^\s<>])",
    # name="api_key" value="v" · name: API_KEY, newline, value: v · "key": "API_KEY", "value": "v"
    r"""\\?["']?[ \t]*[,:]?\s{0,40}\\?["']?(?:value|default|fallback)\\?["']?[ \t]*[=:][ \t]*""",
    # setPassword("v") · set("password", "v") · put(DB_PASSWORD, "v"); what follows a variable is
    # another argument: encode(password, "rot13")
    r"""(?:\\?["'`]?[ \t]*\(|(?:\\?["'`]|(?<=[A-Z]))[ \t]*,)[ \t]*(?=[rbfuL@]{0,2}\\?["'`])""",
    # the last argument of a setter: set_password(user, "v")
    r"""\((?:[ \t]*[\w.]{1,40}[ \t]*,){1,3}[ \t]*(?=[rbfuL@]{0,2}["'`])""",
    # find("password").send_keys("v") · type("input[type=password]", "v")
    r"""["'`\])]{1,4}\.(?i:send_?keys|type|fill|set_?value|val)\([ \t]*(?=["'`])""",
    r"""\]["'`][ \t]*,[ \t]*(?=["'`])""",
    # <password>v</password> · <string name="password">v</string>
    r"""["']?(?:[ \t][^<>\n]{0,80})?>[ \t]*(?:<[Vv]alue>\s{0,9})?(?=[^\s<>])""",
    # | name | v |
    r"[`*]{0,2}[ \t]+\|[ \t]+(?=[`*]{0,2}[^\s|]{8,400}[ \t]*(?:\||\r?\n|\Z))",
    # the password is v
    r"""[`"']?[ \t]+(?:(?:has[ \t]been[ \t]|was[ \t])?"""
    r"""(?:set|reset|changed|updated|rotated)[ \t]to|"""
    r"""is|was|ist|est|es|[eèé]|är|(?<!pass )to|=)(?:[ \t]+(?:now|set to|still))?:?[ \t]+""",
)
# Of calls whose password is not the first argument, only those that can have no other meaning.
_LATER_ARGUMENT = lazy_pattern(r"\([^(]*,")
_SETTER = lazy_pattern(
    r"(?:set|change|update|reset|check|verify|and|with)_?passw(?:or)?d\Z", re.IGNORECASE
)
_TIE = lazy_pattern("|".join(f"(?:{tie})" for tie in _TIES))
_FLAG_TIE = r"[ \t]+(?!-)"
# set name v · ENV name v · export name v · secret set name --body v · WITH PASSWORD 'v'
_COMMAND = (
    r"(?i)(?:^|[\s;&|(])(?:set|setenv|put|env|arg|export|config|-gx|-x|--set|--secret|with|encrypted|"
    r"fastcgi_param|proxy_set_header|add)(?:[ \t]+(?!set\b)[^\s=:]{1,60}){0,2}[ \t]+[\w./:@-]*\Z"
)
_COMMAND_TIE = (
    r"[ \t]+(?:(?:--?(?:body|value|b|v))[= \t])?[ \t]*"
    r"(?=[\"']?[^\s\"'-][^\s\"']{3,400}[\"']?;?[ \t]*(?:#|\r?\n|\Z|&&|--|[;\\]))"
)
# Nothing but a blank: the value has to be random beyond doubt.
_LOOSE_TIE = (
    r"[\"'`*)]{0,2}[ \t]{1,8}(?:--?\w{1,12}[ =])?"
    r"(?=[\"'`(*]{0,3}[A-Za-z0-9_+/~.-]{20,400}={0,2}(?:[\"'`)*\s,;.]|\Z))"
)
# A word with small letters, capitals and digits: made to be a password.
_MIXED_TIE = (
    r"[\"']?[ \t]+(?:\d[ \t]+|--[a-z-]{2,20}[ \t]+|/t[ \t]+\w{1,12}[ \t]+/d[ \t]+)?(?!-)"
    r"(?=(?P<quote>[\"'])?(?=\S*[A-Za-z])(?=\S*\d)(?(quote)|(?=\S*[a-z])(?=\S*[A-Z]))"
    r"[^\s\"'`()<>{}\[\]|=:/\\,]{7,80}(?(quote)(?P=quote))[.,;)]*(?:\s|\Z))"
)
_DIGEST = r"[0-9A-Fa-f]{20,}\b"
_LINE_OF_TWO = r"[ \t]+(?=\S{6,200}[ \t]*(?:\r?\n|\Z))"
_SIGNING = r"0x[0-9A-Fa-f]{8,40}\b"
_REVERSED = lazy_pattern(r"""(["'`])[ \t]{0,2}(?:===?|!==?|<>)[ \t]{0,2}\Z""")
_ATTRIBUTE = r"""(?<=value=)(["'])([^"'<>\n]{3,200})\1[ \t]{1,3}(?:key|name|id)=["']\Z"""
_ENV_NAME = lazy_pattern(r"[A-Z][A-Z0-9_]*\Z")
_BUNDLER = lazy_pattern(r"BUNDLE_\w+__\w+\Z", re.IGNORECASE)
# Beside one of these, or under this name, any word is a password.
_CONNECTION = (
    r"(?i)(?:^|[;\"'\s])(?:server|data source|uid|user id|user|host|database|initial catalog|"
    r"driver|dsn|encrypt|trusted_connection)[ \t]*="
)
_CLEAR_TEXT = "cleartextpassword"
_LINE = 400  # characters of a line on either side of a name


def named(text: str, lower: LowerText) -> Iterator[Finding]:
    """Values whose name says that they are secret and that look like it."""
    reader = Reader(text)
    spots = lower.spots(STEMS)
    sealed: list[Span] | None = None
    done = 0
    for at in spots:
        if at < done:
            continue
        rest = _REST_OF_NAME.match(text, at)
        done = rest.end() if rest is not None else at
        tie = _TIE.match(text, done)
        if (
            tie is None
            and not text.startswith((" ", "\t", '" ', "' "), done)
            and not _may_be_before(text, at)
        ):
            continue
        finding = _finding_at(reader, _start_of_name(text, at), done, tie)
        if finding is not None:
            sealed = _sealed(text, lower) if sealed is None else sealed
            done = max(done, finding.end)
            if not any(start <= at < end for start, end in sealed):
                yield finding


_SEALED = r"""encryptedData\\?["']?[ \t]*:[ \t]*(?:\{[^{}]*\}|\r?\n)"""


def _sealed(text: str, lower: LowerText) -> list[Span]:
    """The values of SealedSecrets: encrypted for the cluster, so that they may be published."""
    spans = []
    for at in lower.places("encrypteddata"):
        match = pattern(_SEALED).match(text, at)
        if match is None:
            continue
        end = match.end()
        if text[end - 1] == "\n":
            indent = at - 1 - text.rfind("\n", 0, at)
            lines = indented(min(indent + 1, 80)).match(text, end)
            end = lines.end() if lines is not None else end
        spans.append((at, end))
    return spans


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
    if tie is not None and _LATER_ARGUMENT.match(tie[0]) and not _SETTER.search(word):
        return None
    force = _force(text, word, start)
    is_bundler = _BUNDLER.match(word) is not None
    if force is Strength.NONE and not is_bundler:
        return None
    is_loose, judged_as = False, force
    if tie is None:
        tie, is_loose = _blank_tie(text, word, force, start, end)
        if tie is not None and "quote" in tie.groupdict():
            judged_as = Strength.PASSWORD
    is_plain = tie is not None and _is_plain(text, word, force, start, tie)
    name = Name(word, judged_as, is_plain, is_bundler=is_bundler, is_loose=is_loose)
    if tie is None:
        span = _reversed(reader, name, start)
    else:
        span = reader.value(name, tie.end(), is_block=bool(tie.groupdict().get("block")))
    return Finding(kind_of(word, force), *span) if span is not None else None


def _is_plain(text: str, word: str, force: Strength, start: int, tie: re.Match[str]) -> bool:
    """Whether any word in the place of the value is a password: in a .env file, a connection
    string, the configuration of NuGet."""
    if tie[0] == "=" and _ENV_NAME.match(word):
        return True
    if force < Strength.PASSWORD:
        return False
    is_short = "=" in tie[0] and len(tie[0]) <= 3
    return word.lower() == _CLEAR_TEXT or (is_short and _connects(text, start, tie.end()))


def _connects(text: str, start: int, end: int) -> bool:
    """Whether a name stands in a connection string: `pwd=…; Server=…`."""
    first = max(text.rfind("\n", max(0, start - _LINE), start) + 1, start - _LINE, 0)
    line = text[first : end + _LINE]
    line = line[: start - first] + line[start - first :].split("\n")[0]
    return ";" in line and pattern(_CONNECTION).search(line) is not None


def _blank_tie(
    text: str, word: str, force: Strength, start: int, end: int
) -> tuple[re.Match[str] | None, bool]:
    """What ties a value to a name that has but a blank behind it, and whether it says so little
    that the value has to be random beyond doubt."""
    if text.startswith("--", start if text.startswith("-", start) else start - 2):
        return pattern(_FLAG_TIE).match(text, end), False
    tie = pattern(_COMMAND_TIE).match(text, end)
    if tie is not None and force >= Strength.SECRET:
        before = text[max(text.rfind("\n", 0, start) + 1, start - _NAME_LENGTH) : start]
        if pattern(_COMMAND).search(before) and not pattern(_SIGNING).match(text, tie.end()):
            return tie, False
        if not before.strip() and force >= Strength.PASSWORD:
            return pattern(_LINE_OF_TWO).match(text, end), False
    mixed = pattern(_MIXED_TIE).match(text, end) if force >= Strength.SECRET else None
    if mixed is not None:
        return mixed, True
    tie = pattern(_LOOSE_TIE).match(text, end) if force >= Strength.LIKELY else None
    if tie is not None and word.lower() == "token" and pattern(_DIGEST).match(text, tie.end()):
        owner = _word_before(text, start)
        return (tie, True) if owner and owner.lower() not in _DATA else (None, False)
    return tie, tie is not None


def _force(text: str, name: str, start: int) -> Strength:
    force = strength(name)
    if force <= Strength.WEAK or name.lower() in ("id", "key", "phrase"):
        before = _word_before(text, start)
        if not before and name.lower() == "key":
            section = pattern(_SECTION).search(text, max(0, start - 60), start)
            before = section[1] if section is not None else ""
        if before:
            force = max(force, strength(f"{before}_{name}"))
    return force


def _word_before(text: str, start: int) -> str:
    """The word before a name and a blank: `access` of "access key"."""
    if start < 3 or text[start - 1] not in " -":
        return ""
    at = start - 1
    while at > 0 and start - at <= _QUALIFIER and text[at - 1].isalnum():
        at -= 1
    is_word = at < start - 2 and text[at].isalpha() and (at == 0 or text[at - 1] not in "_.-")
    return text[at : start - 1] if is_word else ""


def _reversed(reader: Reader, name: Name, start: int) -> Span | None:
    """`"value" == password`, and XML that has the value before the name."""
    text = reader.text
    is_quoted = start > 0 and text[start - 1] in "\"'"
    attribute = is_quoted and pattern(_ATTRIBUTE).search(text, max(0, start - LOOK), start)
    if attribute:
        return reader.judged(name, *attribute.span(2), strict=False)
    operator = _REVERSED.search(text, max(0, start - 8), start)
    if operator is None:
        return None
    close = operator.start(1)
    opening = text.rfind(operator[1], max(0, close - LOOK), close)
    if opening < 0 or "\n" in text[opening:close]:
        return None
    return reader.judged(name, opening + 1, close, strict=False)


# --- Column detector: values below the name of their column: CSV, Markdown tables, SQL inserts.

# --- A name far from its value: only its place in the row ties them together.

_COLUMN_STEMS = frozenset({"passw", "kennwort", "pwd", "secret", "token", "api"})
LITERALS = STEMS | _COLUMN_STEMS | {"insert"}
_HEADING = r"""["']?[A-Za-z_][\w .-]{0,40}["']?"""
_HEADER = lazy_pattern(rf"[ \t|]*{_HEADING}(?:[ \t]*[,;|\t][ \t]*{_HEADING}){{1,40}}[ \t|]*\Z")
_CELL = lazy_pattern(
    r"""[ \t]*(?:"((?:[^"\n]|"")*)"|'([^'\n]*)'|([^,;|\t\n]*))[ \t]*(?:[,;|\t]|\Z)"""
)
_INSERT = lazy_pattern(
    r"insert\s{1,9}into\s{1,9}[\w.\"`\[\]]{1,120}\s{0,9}\(([^()]{3,2000})\)\s{0,9}"
    r"(?:output[^()]{0,200})?values\s{0,9}",
    re.IGNORECASE,
)
_TUPLE = lazy_pattern(r"\(([^()\n]{1,4000})\)\s{0,9},?\s{0,9}")
_VALUE = lazy_pattern(r"""\s{0,9}(?:[NE]?'((?:[^']|'')*)'|"([^"]*)"|([^,]*))\s{0,9}(?:,|\Z)""")
_QUOTES = " \t\r\n\"'`[]"
_WIDEST = 600  # characters of a line of headings
_ROWS = 2_000  # of one table


def columns(text: str, lower: LowerText) -> Iterator[Finding]:
    """Secrets of tables whose column says that they are."""
    for at in lower.places("insert"):
        head = _INSERT.match(text, at)
        if head is not None:
            yield from _tuples(text, head)
    done = 0
    for at in lower.spots(_COLUMN_STEMS):
        if at >= done:
            start = max(text.rfind("\n", max(0, at - _WIDEST), at) + 1, at - _WIDEST, 0)
            done = line_end(text, at)
            if done - start <= _WIDEST and _HEADER.match(text[start:done]):
                yield from _lines(text, start, done)


def _tuples(text: str, head: re.Match[str]) -> Iterator[Finding]:
    names = [name.strip(_QUOTES) for name in head[1].split(",")]
    row = _TUPLE.match(text, head.end())
    while row is not None:
        yield from _judged(text, names, _cells(_VALUE, text, *row.span(1)))
        row = _TUPLE.match(text, row.end())


def _lines(text: str, start: int, end: int) -> Iterator[Finding]:
    names = [text[slice(*span)].strip(_QUOTES) for span in _cells(_CELL, text, start, end)]
    if not any(strength(name) >= Strength.SECRET for name in names):
        return
    for _ in range(_ROWS):
        start, end = end + 1, line_end(text, end + 1)
        cells = _cells(_CELL, text, start, end) if start < len(text) else []
        if len(cells) != len(names):
            return
        yield from _judged(text, names, cells)


def _cells(form: re.Pattern[str], text: str, at: int, end: int) -> list[Span]:
    """The cells of a row, without their quotes and the blanks around them."""
    spans: list[Span] = []
    while at < end and (cell := form.match(text, at, end)) is not None and cell.end() > at:
        start, stop = cell.span(cell.lastindex or 0)
        stop = start + len(text[start:stop].rstrip())
        spans.append((start, stop))
        at = cell.end()
    return spans


def _judged(text: str, names: list[str], cells: list[Span]) -> Iterator[Finding]:
    for name, (start, end) in zip(names, cells, strict=False):
        force = strength(name)
        value = text[start:end]
        if force >= Strength.SECRET and (
            looks_issued(value) or (force >= Strength.PASSWORD and looks_chosen(value, strict=True))
        ):
            yield Finding(kind_of(name, force), start, end)
