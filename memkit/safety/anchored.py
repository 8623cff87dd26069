"""Published formats recognised by a literal that does not start the secret, or that is not followed
by one word.

One line each: kind, the literal to look for (lower case, any case is found), how far the match may
begin before it, and the regular expression; the group is what is masked. Every repetition is bounded,
so one place costs a bounded time.
"""

# ruff: noqa: E501 - one line a format
# fmt: off

from .formats import HEX

# The rest of a shell command, over lines joined by a backslash, as short as possible.
_REST_OF_COMMAND = r"(?:[^\n]|\\\n){0,400}?"
# user:password as one shell word; the password is the group that took part, whichever way it is quoted.
_USER = r"[^\s\"':$<(\[{]{0,80}"
_USER_AND_PASSWORD = (
    rf"""(?:"{_USER}:([^"$<{{(\[\n][^"\n]{{2,200}})"|'{_USER}:([^'$<{{(\[\n][^'\n]{{2,200}})'|"""
    rf"""["']?{_USER}["']?:["']?([^\s"'$<{{(\[][^\s"']{{2,200}}))"""
)
_CRYPT = (
    r"(\$(?:2[abxy]\$\d{2}\$[\w./]{53}|argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{3,60}\$[\w+/]{8,120}\$[\w+/]{16,200}|"
    r"6\$(?:rounds=\d{1,9}\$)?[\w./]{1,16}\$[\w./]{86}|5\$(?:rounds=\d{1,9}\$)?[\w./]{1,16}\$[\w./]{43}|"
    r"y\$[\w./]{1,8}\$[\w./]{1,86}\$[\w./]{43}|apr1\$[\w./]{1,8}\$[\w./]{22}|1\$[\w./]{1,8}\$[\w./]{22}))"
)
ANCHORED: tuple[tuple[str, str, int, str], ...] = (
    # -- webhooks: whoever has the address may post
    ("slack_webhook", "hook", 0, r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,120})"),
    ("discord_webhook", "hook", 8, r"/api/webhooks/\d{15,22}/([\w-]{40,90})"),
    ("teams_webhook", "hook", 4, r"\.webhook\.office\.com/webhookb2/([\w@/-]{60,300})"),
    ("google_chat_webhook", "chat.googleapis.com/", 0, r"chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?(key=[\w%&=.-]{40,200})"),
    ("zapier_webhook", "hook", 0, r"hooks\.zapier\.com/hooks/(?:catch|standard)/(\d{4,12}/[\w-]{5,40})"),
    ("ifttt_webhook", "maker.ifttt.com/", 0, r"maker\.ifttt\.com/trigger/[^\s/]{1,80}/(?:json/)?with/key/([\w-]{20,60})"),
    # -- tokens with the literal inside
    ("telegram_token", ":a", 12, r"(?<![A-Za-z0-9])((?:bot)?\d{8,12}:A[\w-]{34})(?![\w-])"),
    ("terraform_token", ".atlasv1.", 14, r"(?<![A-Za-z0-9])([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,72})"),
    ("authress_key", ".acc", 48, r"(?<![A-Za-z0-9])((?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120})"),
    # Microsoft Entra: three characters, one digit, "Q~"; 37 or 40 characters together.
    ("azure_client_secret", "q~", 4, r"(?<![\w~.\\/-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])"),
    ("azure_sas", "sig=", 1, r"[?&;](?:amp;)?sig=([A-Za-z0-9%+/]{40,100}={0,2})"),
    ("aws_presigned", "x-amz-s", 0, rf"(?i:x-amz-signature)=({HEX}{{64}})"),
    ("aws_presigned", "x-amz-s", 0, r"(?i:x-amz-security-token)=([\w%+/=.-]{60,2000})"),
    ("gcp_signed_url", "x-goog-signature=", 0, rf"(?i:x-goog-signature)=({HEX}{{64,1024}})"),
    # -- headers and command lines
    ("authorization", "authorization", 0, r"""(?i:authorization)\\?["'\]]{0,2}\s{0,3}[:=,]\s{0,3}\\?["'f(]{0,2}(?i:basic|token|apikey|negotiate|digest|bot|key|genie ?key|splunk|sso-key|bearer|flyv1|aws4-hmac-sha256|sharedkey)[\s:=]{1,3}([\w+/=.~:,|%!$@#*-]{6,4096})"""),
    ("authorization", "authorization", 0, r"""(?i:authorization)\\?["'\]]{0,2}\s{0,3}[:=,]\s{0,3}\\?["']?([\w+/=.~:|-]{16,4096})(?![\w( ])"""),
    ("bearer_token", "bearer", 0, r"(?i:bearer)[ \t]{1,3}([\w+/=.~|-]{16,4096})"),
    # The first cookie of a header that tells who somebody is; others before it stay.
    ("cookie", "cookie", 0, r"""(?i:cookie)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:[\w.-]{1,80}=[^;\s]{0,400};\s{0,3}){0,20}?(?i:[\w.-]{0,40}(?:sess|sid|auth|token|jwt|login)[\w.-]{0,40})=([\w+/=.%~-]{16,4096})"""),
    ("curl_user", "curl", 0, rf"curl\b{_REST_OF_COMMAND}[ \t](?:-[a-zA-Z]*u|--(?:proxy-)?user)[ \t=]{{0,3}}{_USER_AND_PASSWORD}"),
    # An API key in the place of the user, without a password.
    ("curl_key", "curl", 0, rf"curl\b{_REST_OF_COMMAND}[ \t](?:-[a-zA-Z]*u|--(?:proxy-)?user)[ \t=]{{0,3}}[\"']?([^\s\"':$<{{(\[]{{8,200}}):(?=[\s\"'])"),
    ("netrc_password", "machine", 0, r"(?:^|(?<=\s))machine\s{1,4}\S{1,120}\s{1,8}login\s{1,4}\S{1,120}\s{1,8}password\s{1,4}(\S{3,200})"),
    ("pgpass_password", "5432:", 120, r"(?m:^)[\w.*-]{1,80}:(?:5432|\*):[\w*-]{1,40}:[\w*-]{1,40}:(\S{3,120})$"),
    # crypt(3) strings: salt and digest of a password, the form of /etc/shadow and htpasswd.
    ("password_hash", "$", 0, _CRYPT),
    # JSON Web Key: "d" is the private member.
    ("jwk_private_key", '"kty"', 800, r'"d"\s{0,3}:\s{0,3}"([\w-]{32,1024})"'),
)

# The same for literals in the middle of one long word; here the case counts, and only words of
# `LONG` characters are searched.
LONG = 28
INSIDE: tuple[tuple[str, str, int, str], ...] = (
    # Microsoft's identifiable keys: a signature near the end of the base64 text.
    ("gcp_fcm_key", "APA91b", 25, r"([\w-]{11,24}:APA91b[\w-]{130,160})"),
    ("azure_storage_key", "+ASt", 80, r"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{5,6}==)"),
    ("azure_cosmos_key", "ACDb", 80, r"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{76}ACDb[A-Za-z0-9+/]{5,6}==)"),
    ("azure_devops_token", "AZDO", 84, r"(?<![A-Za-z0-9])([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})(?![A-Za-z0-9])"),
    ("azure_function_key", "AzFu", 44, r"(?<![A-Za-z0-9+/_-])([\w+/-]{44}AzFu[\w+/-]{5}[AQgw]==)"),
    ("azure_search_key", "AzSe", 42, r"(?<![A-Za-z0-9])([A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5})(?![A-Za-z0-9])"),
    ("azure_apim_key", "+ASb", 33, r"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{33}\+ASb[A-Za-z0-9+/]{5,7}=?)"),
    ("azure_openai_key", "JQQJ99", 52, r"(?<![A-Za-z0-9])([A-Za-z0-9]{40,56}JQQJ99[A-Za-z0-9]{10,40})(?![A-Za-z0-9])"),
    ("mailchimp_key", "-us", 32, rf"(?<![A-Za-z0-9])({HEX}{{32}}-us\d{{1,2}})(?![A-Za-z0-9])"),
    ("newrelic_license_key", "NRAL", 36, rf"(?<![A-Za-z0-9])({HEX}{{36}}NRAL)(?![A-Za-z0-9])"),
    ("maxmind_key", "_mmk", 36, r"(?<![A-Za-z0-9])([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?![A-Za-z0-9])"),
)
# fmt: on
