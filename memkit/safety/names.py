"""What a name says about the value beside it: `db_password`, `API-KEY`, `stripeSecretKey`,
`csrf_token`."""

from __future__ import annotations

import re
from functools import lru_cache

from ..words import identifiers
from .values import Strength

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
PROVIDERS = re.compile("|".join(_PROVIDER_WORDS.split()))


def parts(name: str) -> list[str]:
    """The words of a name in lower case: `stripeSecretKey2` → stripe, secret, key (digits are left
    out).
    """
    return [part.lower() for part in identifiers.parts(_DIGITS.sub("_", name))]


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
    return Strength.SECRET if PROVIDERS.search(joined) else Strength.WEAK


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
