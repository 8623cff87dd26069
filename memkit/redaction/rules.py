"""Rule tables: published token formats, programs with password options; `Finding`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

# --- Findings of a scan: place and kind, never the secret itself.

SHORTEST = 16  # characters of a token; the shortest of the table is `LTAI` + 12
# Begin and end in a text, the end exclusive.
Span = tuple[int, int]


class Finding(NamedTuple):
    """One secret in a text: its kind and its place in code points, end exclusive."""

    kind: str
    start: int
    end: int

    @property
    def marker(self) -> str:
        """What is written instead of the secret: `[secret:KIND]`."""
        return f"[secret:{self.kind}]"


def merge(findings: Iterable[Finding]) -> list[Finding]:
    """In order of place; overlapping ones become one, of the kind found first in `found`."""
    ranked = sorted(enumerate(findings), key=lambda pair: (pair[1].start, pair[0]))
    merged: list[tuple[int, Finding]] = []
    for rank, finding in ranked:
        if merged and finding.start < merged[-1][1].end:
            best, last = merged[-1]
            kind = last.kind if best <= rank else finding.kind
            merged[-1] = (min(best, rank), Finding(kind, last.start, max(last.end, finding.end)))
        else:
            merged.append((rank, finding))
    return [finding for _, finding in merged]


# --- Published token formats, one line each: kind, literal prefixes, the rest as a regular
# expression.
#
# A prefix is literal text that starts the token ("|" between several); the rest is matched right
# behind it. Prefixes need a non-alphanumeric neighbour on the left, the whole token one on the
# right. Written from the issuers' own documentation of their token formats; a comment says so
# where a format is unusual. Formats without a prefix of their own stand in `ANCHORED` (a
# literal in the middle) and `keyword_detector.py` (only the name beside them gives them away).

# ruff: noqa: E501 - one line a format
# fmt: off

HEX = "[0-9A-Fa-f]"
UUID = rf"{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}"
FORMATS: tuple[tuple[str, str, str], ...] = (
    # -- code hosts and registries
    ("github_token", "ghp_|gho_|ghu_|ghs_|ghr_", r"[A-Za-z0-9]{36,255}"),
    ("github_fine_grained_token", "github_pat_", r"[A-Za-z0-9_]{36,255}"),
    # The prefixes are listed under "Token prefixes" in GitLab's security documentation.
    ("gitlab_token", "glpat-|gldt-|glcbt-|glft-|glrt-|glsoat-|glwt-", r"[\w-]{20,300}(?:\.[\w-]{2,})*"),
    ("gitlab_token", "glptt-|glagent-|gloas-|glimt-|glffct-|glrtr-", r"[\w-]{20,300}(?:\.[\w-]{2,})*"),
    ("gitlab_runner_token", "GR1348941", r"[\w-]{20,}"),
    ("gitlab_session", "_gitlab_session=", r"[0-9A-Za-z]{32}"),
    ("bitbucket_token", "ATBB", r"[A-Za-z0-9_-]{24,}=?[A-Za-z0-9]*"),
    ("bitbucket_token", "BBDC-", r"[A-Za-z0-9+/]{40,48}={0,2}"),
    ("atlassian_token", "ATATT3|ATCTT3", r"[A-Za-z0-9_=-]{40,}"),
    ("gitea_token", "gta_", r"[0-9A-Za-z]{40}"),
    ("sourcegraph_token", "sgp_|slk_|sgd_|sgs_", rf"(?:(?:local|{HEX}{{16}})_)?[0-9A-Za-z]{{40,64}}"),
    ("npm_token", "npm_", r"[A-Za-z0-9]{36}"),
    # A macaroon whose first caveat is the site: base64 of "pypi.org" / "test.pypi.org".
    ("pypi_token", "pypi-AgEIcHlwaS5vcmc|pypi-AgENdGVzdC5weXBpLm9yZ", r"[\w-]{40,}"),
    ("rubygems_token", "rubygems_", rf"{HEX}{{48}}"),
    ("crates_token", "cio", r"[A-Za-z0-9]{32}"),
    ("nuget_key", "oy2", r"[a-z0-9]{43}"),
    ("clojars_token", "CLOJARS_", r"[A-Za-z0-9]{60}"),
    ("docker_token", "dckr_pat_|dckr_oat_", r"[\w-]{27,}"),
    ("packagist_token", "packagist_ort_|packagist_out_|packagist_uut_", rf"{HEX}{{60,80}}"),
    ("artifactory_token", "AKC", r"[A-Za-z0-9]{60,80}"),
    ("artifactory_password", "AP5|AP6", r"[A-Za-z0-9]{20,80}"),
    # base64 of "reftkn:01:", the head of Artifactory's reference tokens.
    ("artifactory_token", "cmVmdGtuOjAxOj|cmVmdGtuOjAyOj", r"[A-Za-z0-9]{30,}"),
    ("anaconda_token", "pypi.anaconda.org/t/", r"[\w-]{20,}"),
    ("postman_key", "PMAK-", rf"{HEX}{{24}}-{HEX}{{34}}"),
    ("postman_collection_key", "PMAT-", r"[0-9A-Z]{26}"),
    # -- clouds and hosting
    ("aws_access_key", "AKIA|ASIA|ABIA|ACCA", r"[A-Z0-9]{16}"),
    ("aws_access_key", "A3T", r"[A-Z0-9]{17}"),
    ("aws_bedrock_key", "ABSK", r"[A-Za-z0-9+/]{105,265}={0,2}"),
    ("aws_bedrock_key", "bedrock-api-key-", r"YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=%_-]{16,}"),
    ("aws_mws_key", "amzn.mws.", UUID),
    ("amazon_oauth_secret", "amzn1.oa2-cs.v1.", rf"{HEX}{{64}}"),
    ("amazon_oauth_token", "Atza|Atzr", r"\|[\w-]{40,}"),
    ("gcp_api_key", "AIza", r"[\w-]{35}"),
    ("gcp_api_key", "AQ.Ab8R", r"[\w-]{30,}"),
    ("google_oauth_token", "ya29.", r"[\w.-]{20,}"),
    ("google_oauth_secret", "GOCSPX-", r"[\w-]{28}"),
    ("google_refresh_token", "1//0", r"[\w-]{40,}"),
    ("gcp_fcm_key", "AAAA", r"[\w-]{7}:[\w-]{140}"),
    ("alibaba_access_key", "LTAI", r"[A-Za-z0-9]{12,26}"),
    ("tencent_secret_id", "AKID", r"[A-Za-z0-9]{32}"),
    ("yandex_key", "AQVN|YC", r"[\w-]{35,38}"),
    ("yandex_token", "t1.", r"[A-Za-z0-9._-]{20,}[.=][\w-]{20,}={0,2}"),
    ("yandex_oauth_token", "y0_|y1_|y2_|y3_", r"[\w-]{30,}"),
    ("digitalocean_token", "dop_v1_|doo_v1_|dor_v1_", rf"{HEX}{{64}}"),
    ("digitalocean_spaces_key", "DO00", r"[A-Z0-9]{16}"),
    ("scaleway_access_key", "SCW", r"[A-Z0-9]{17}"),
    ("ibm_cloud_key", "ApiKey-", UUID),
    ("heroku_key", "HRKU-", r"[A-Za-z0-9_-]{36,64}"),
    ("flyio_token", "fo1_", r"[\w-]{43}"),
    ("flyio_token", "fm1_|fm1r_|fm1a_|fm2_", r"[A-Za-z0-9+/_-]{40,}={0,3}(?:,fm[12][ra]?_[A-Za-z0-9+/_-]{40,}={0,3})*"),
    ("render_key", "rnd_", r"[A-Za-z0-9]{20,40}"),
    ("netlify_token", "nfp_|nfc_|nfo_|nfu_", r"[A-Za-z0-9]{36}"),
    ("vercel_token", "vcp_|vci_|vca_|vcr_|vck_", r"[A-Za-z0-9]{24,60}"),
    ("vercel_blob_token", "vercel_blob_rw_", r"[A-Za-z0-9_]{30,}"),
    ("cloudflare_origin_key", "v1.0-", rf"{HEX}{{24}}-{HEX}{{146}}"),
    ("cloudflare_token", "cfut_|cfat_|cfk_", r"[A-Za-z0-9_-]{40,60}"),
    ("deno_token", "ddp_|ddo_|ddw_", r"[A-Za-z0-9]{36}"),
    ("scalingo_token", "tk-us-", r"[\w-]{48}"),
    ("exoscale_key", "EXO", rf"{HEX}{{24,32}}"),
    ("openshift_token", "sha256~", r"[\w-]{43}"),
    ("databricks_token", "dapi|dkea|dose|doset", rf"{HEX}{{32}}(?:-\d)?"),
    ("planetscale_token", "pscale_tkn_|pscale_oauth_|pscale_pw_", r"[\w=.-]{32,64}"),
    ("neon_key", "napi_", r"[a-z0-9]{40,80}"),
    ("aiven_token", "aivenv1_|aivenv2_|AVNS_", r"[A-Za-z0-9_-]{16,}"),
    ("supabase_key", "sbp_|sb_secret_", r"[A-Za-z0-9_-]{30,}"),
    ("cockroach_key", "CCDB1_", r"[A-Za-z0-9_]{40,}"),
    ("mongodb_atlas_secret", "mdb_sa_sk_", r"[\w-]{30,}"),
    ("clickhouse_key", "4b1d", r"[A-Za-z0-9]{38}"),
    ("confluent_secret", "cflt", r"[A-Za-z0-9+/]{60}"),
    ("pinecone_key", "pcsk_", r"[A-Za-z0-9_]{40,}"),
    # -- secrets managers, infrastructure
    ("vault_token", "hvs.|hvb.|hvr.", r"[\w-]{24,}"),
    ("doppler_token", "dp.pt.|dp.ct.|dp.sa.|dp.said.|dp.scim.|dp.audit.", r"[A-Za-z0-9]{40,44}"),
    ("doppler_token", "dp.st.", r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    ("onepassword_token", "ops_eyJ", r"[A-Za-z0-9+/]{60,}={0,3}"),
    ("onepassword_secret_key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("infisical_token", "st.", rf"{HEX}{{24}}\.{HEX}{{32}}\.{HEX}{{32}}"),
    ("pulumi_token", "pul-", rf"{HEX}{{40}}"),
    ("infracost_key", "ico-", r"[A-Za-z0-9]{32}"),
    ("tailscale_key", "tskey-auth-|tskey-api-|tskey-client-|tskey-scim-|tskey-webhook-", r"[\w-]{16,}"),
    ("cloudflare_tunnel_token", "eyJhIjoi", r"[A-Za-z0-9+/]{100,}={0,2}"),
    ("age_secret_key", "AGE-SECRET-KEY-1|AGE-SECRET-KEY-PQ-1", r"[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,}"),
    ("defined_networking_token", "dnkey-", r"[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    ("octopus_key", "API-", r"[A-Z0-9]{26}"),
    ("harness_token", "pat.|sat.", r"[\w-]{22}\.[0-9A-Fa-f]{24}\.[A-Za-z0-9]{20}"),
    ("circleci_token", "CCIPAT_|CCIPRJ_", r"[A-Za-z0-9]{16,}_[0-9A-Fa-f]{40}"),
    ("buildkite_token", "bkua_|bkct_|bkat_", r"[A-Za-z0-9]{40,}"),
    ("prefect_key", "pnu_|pnb_", r"[A-Za-z0-9]{36}"),
    ("dbt_token", "dbtu_|dbtc_|dbts_", r"[\w+/-]{30,}={0,2}"),
    ("kong_token", "kpat_|spat_", r"[A-Za-z0-9]{40,}"),
    # -- models and machine learning
    ("openai_key", "sk-proj-|sk-svcacct-|sk-admin-|sk-None-", r"[\w-]{20,}"),
    ("openai_key", "sk-", r"[A-Za-z0-9]{20,}"),
    ("openai_session", "sess-", r"[A-Za-z0-9]{40}"),
    ("anthropic_key", "sk-ant-", r"[\w-]{24,}"),
    ("openrouter_key", "sk-or-v1-|sk-or-", rf"{HEX}{{64}}"),
    ("langfuse_key", "sk-lf-", UUID),
    ("letta_key", "sk-let-", r"[A-Za-z0-9+/]{40,}={0,2}"),
    ("huggingface_token", "hf_|api_org_", r"[A-Za-z0-9]{34,40}"),
    ("replicate_token", "r8_", r"[A-Za-z0-9]{37}"),
    ("groq_key", "gsk_", r"[A-Za-z0-9]{48,56}"),
    ("xai_key", "xai-", r"[A-Za-z0-9]{70,90}"),
    ("perplexity_key", "pplx-", r"[A-Za-z0-9]{48,56}"),
    ("cerebras_key", "csk-", r"[a-z0-9]{40,56}"),
    ("nvidia_key", "nvapi-", r"[\w-]{60,70}"),
    ("fireworks_key", "fw_", r"[A-Za-z0-9]{22,32}"),
    ("together_key", "tgp_v1_", r"[\w-]{40,}"),
    ("voyage_key", "pa-", r"[A-Za-z0-9_-]{43}"),
    ("jina_key", "jina_", r"[A-Za-z0-9_-]{50,70}"),
    ("elevenlabs_key", "sk_", rf"{HEX}{{48}}"),
    ("langsmith_key", "lsv2_pt_|lsv2_sk_|ls__", rf"{HEX}{{32}}(?:_{HEX}{{10}})?"),
    ("wandb_key", "wandb_v1_", r"[\w-]{60,}"),
    ("tavily_key", "tvly-", r"[A-Za-z0-9_-]{24,}"),
    ("firecrawl_key", "fc-", rf"{HEX}{{32}}"),
    ("e2b_key", "e2b_", rf"{HEX}{{40}}"),
    ("runpod_key", "rpa_", r"[A-Z0-9a-z]{40,50}"),
    ("modal_token", "ak-|as-", r"[A-Za-z0-9]{22}"),
    ("apify_token", "apify_api_", r"[A-Za-z0-9]{36}"),
    ("mem0_key", "m0-", r"[A-Za-z0-9]{40}"),
    ("friendli_token", "flp_", r"[A-Za-z0-9]{46}"),
    ("browserbase_key", "bb_live_", r"[\w-]{20,}"),
    ("composio_key", "comp_", r"[A-Za-z0-9]{30,}"),
    ("cursor_key", "crsr_", rf"{HEX}{{64}}"),
    ("kagi_key", "kagi_", r"[\w-]{40,}"),
    # -- mail, chat, phone
    ("sendgrid_key", "SG.", r"[\w-]{16,32}\.[\w-]{32,64}"),
    ("mailgun_key", "key-|pubkey-", rf"{HEX}{{32}}"),
    ("brevo_key", "xkeysib-|xsmtpsib-", rf"{HEX}{{64}}-[A-Za-z0-9]{{16}}"),
    ("mandrill_key", "md-", r"[\w-]{22}"),
    ("resend_key", "re_", r"[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,28}"),
    ("slack_token", "xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxo-|xoxc-|xoxd-", r"(?:\d-)?[A-Za-z0-9%+/=-]{20,}"),
    ("slack_token", "xoxe.xoxp-|xoxe.xoxb-|xoxe-", r"\d-[A-Za-z0-9]{80,}"),
    ("slack_app_token", "xapp-|xwfp-", r"\d-[A-Za-z0-9-]{20,}"),
    # Three base64 parts: user id (its first byte makes the first letter M, N or O), time,
    # signature.
    ("discord_token", "M|N|O", r"[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}"),
    ("discord_token", "mfa.", r"[\w-]{80,95}"),
    ("twilio_key", "SK", rf"{HEX}{{32}}"),
    ("telnyx_key", "KEY0", r"[0-9A-F]{29,}_[A-Za-z0-9]{20,}"),
    ("intercom_token", "dG9rO", r"[A-Za-z0-9+/]{40,}={0,2}"),  # base64 of "tok:"
    ("loops_webhook_secret", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    # -- payment and shops
    ("stripe_key", "sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_", r"[A-Za-z0-9]{10,255}"),
    ("stripe_key", "sk_org_live_|sk_org_test_", r"[A-Za-z0-9]{20,}"),
    ("square_token", "sq0atp-", r"[\w-]{22}"),
    ("square_secret", "sq0csp-", r"[\w-]{43}"),
    ("square_token", "EAAA", r"[\w+=-]{60}"),
    ("shopify_token", "shpat_|shpca_|shppa_|shpss_|shpua_|shpit_", rf"{HEX}{{32}}"),
    ("shippo_token", "shippo_live_|shippo_test_", rf"{HEX}{{40}}"),
    ("easypost_key", "EZAK|EZTK", r"[A-Za-z0-9]{54}"),
    ("lob_key", "live_|test_", rf"{HEX}{{35}}|pub_{HEX}{{31}}"),
    ("gocardless_token", "live_", r"[\w-]{40}"),
    ("mollie_key", "live_|test_", r"[A-Za-z0-9]{30}"),
    ("duffel_token", "duffel_live_|duffel_test_", r"[\w=-]{43}"),
    ("plaid_token", "access-sandbox-|access-development-|access-production-", UUID),
    ("flutterwave_key", "FLWSECK_TEST-|FLWPUBK_TEST-|FLWSECK-|FLWPUBK-", rf"{HEX}{{12,32}}(?:-X)?"),
    ("razorpay_key", "rzp_live_|rzp_test_", r"[A-Za-z0-9]{14}"),
    ("braintree_token", "access_token$production$|access_token$sandbox$", rf"[a-z0-9]{{16}}\${HEX}{{32}}"),
    ("paddle_key", "pdl_live_apikey_|pdl_sdbx_apikey_", r"[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}"),
    ("polar_token", "polar_oat_|polar_pat_", r"[\w-]{32,}"),
    ("adyen_key", "AQE", r"[A-Za-z0-9+/=*-]{60,}"),
    ("intra42_secret", "s-s4t2ud-|s-s4t2af-", rf"{HEX}{{64}}"),
    # -- work tools, analytics, monitoring
    ("nightfall_key", "NF-", r"[A-Za-z0-9]{32}"),
    ("dependency_track_key", "odt_", r"[A-Za-z0-9]{32,40}"),
    ("teamwork_token", "tkn.v1_", r"[A-Za-z0-9]{60,90}={0,2}"),
    ("asana_token", "1/|2/", rf"\d{{12,20}}(?:/\d{{12,20}})?:{HEX}{{32}}"),
    ("linear_key", "lin_api_|lin_oauth_", r"[A-Za-z0-9]{40,64}"),
    ("notion_token", "ntn_", r"\d{11}[A-Za-z0-9]{35}"),
    ("notion_token", "secret_", r"[A-Za-z0-9]{43}"),
    ("airtable_token", "pat", r"[A-Za-z0-9]{14}\.[0-9A-Fa-f]{64}"),
    ("trello_token", "ATTA", r"[A-Za-z0-9]{64,72}"),
    ("clickup_token", "pk_", r"\d{5,9}_[A-Z0-9]{32}"),
    ("klaviyo_key", "pk_", rf"(?:[A-Za-z0-9]{{6}}_)?{HEX}{{34}}"),
    ("figma_token", "figd_|figoh_|figo_|figu_", r"[\w-]{38,}"),
    ("typeform_token", "tfp_", r"[\w.=-]{40,64}"),
    ("contentful_token", "CFPAT-", r"[\w-]{43}"),
    ("readme_key", "rdme_", r"[a-z0-9]{70}"),
    ("frameio_token", "fio-u-", r"[\w=-]{64}"),
    ("hubspot_token", "pat-na1-|pat-na2-|pat-eu1-|pat-ap1-", UUID),
    ("salesforce_token", "00D", r"[A-Za-z0-9]{12,15}![\w.]{60,140}"),
    ("okta_token", "00", r"[\w-]{40}"),
    ("launchdarkly_key", "sdk-|mob-|api-", UUID),
    ("statsig_secret", "secret-", r"[A-Za-z0-9]{40,48}"),
    ("posthog_key", "phx_", r"[A-Za-z0-9]{40,48}"),
    ("sentry_token", "sntrys_eyJ", r"[A-Za-z0-9+/=_-]{40,}"),
    ("sentry_token", "sntryu_|sntrya_", rf"{HEX}{{64}}"),
    ("newrelic_key", "NRAK-|NRJS-|NRIQ-|NRII-|NRSP-|NRRA-|NRBR-|NRAA-", r"[A-Za-z0-9_-]{19,42}"),
    ("grafana_token", "glsa_", rf"[A-Za-z0-9]{{32}}_{HEX}{{8}}"),
    ("grafana_token", "glc_eyJ", r"[A-Za-z0-9+/=]{32,400}"),
    ("grafana_key", "eyJrIjoi", r"[A-Za-z0-9+/]{40,400}={0,3}"),  # base64 of '{"k":"'
    ("dynatrace_token", "dt0c01.|dt0s01.|dt0s02.|dt0s16.|dt0s08.", r"[A-Z0-9]{8,24}(?:-[A-Z0-9]+)?\.[A-Z0-9]{64}"),
    ("honeycomb_key", "hcaik_|hcaic_|hcbik_|hcxik_|hcxlk_|hcxmk_|hcalk_", r"[a-z0-9]{58}"),
    ("sonar_token", "sqp_|squ_|sqa_|sqb_", r"[A-Za-z0-9]{40}"),
    ("snyk_token", "snyk_uat.|snyk_sat.", r"[\w.-]{40,}"),
    ("stackhawk_key", "hawk.", r"[\w-]{20}\.[\w-]{20}"),
    ("endor_key", "endr+", r"[A-Za-z0-9-]{16}"),
    ("coralogix_key", "cxtp_|cxup_", r"[A-Za-z0-9]{24,40}"),
    ("ubidots_token", "BBFF-|BBUS-", r"[A-Za-z0-9]{30,40}"),
    ("adafruit_key", "aio_", r"[A-Za-z]{4}\d{2}[A-Za-z0-9]{22}"),
    ("wakatime_key", "waka_", UUID),
    ("mapbox_token", "pk.|sk.|tk.", r"[A-Za-z0-9_-]{60,}\.[A-Za-z0-9_-]{22}"),
    ("settlemint_token", "sm_aat_|sm_pat_|sm_sat_", r"[A-Za-z0-9]{16}"),
    ("retool_token", "retool_", r"[A-Za-z0-9]{26,}"),
    ("n8n_key", "n8n_api_", r"[A-Za-z0-9]{40,}"),
    ("adobe_secret", "p8e-|p8-", rf"{HEX}{{32}}"),
    # -- social, media
    ("facebook_token", "EAA", r"[A-Za-z0-9]{80,}"),
    ("instagram_token", "IGQV|IGAA", r"[\w-]{80,}"),
    ("twitter_bearer_token", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{60,}"),
    ("pinterest_token", "pina_", r"[A-Z0-9]{60,}"),
    ("dropbox_token", "sl.", r"(?:u\.)?[\w=-]{100,}"),
    # -- JSON Web Tokens start with base64 of '{"'; a JWT that was encoded once more starts with
    # base64 of "ey".
    ("jwt", "eyJ", r"[\w-]{13,}\.(?:eyJ|[\w-])[\w-]{6,}(?:\.[\w-]{10,}){0,3}={0,2}"),
    ("jwt", "ZXlK", r"[A-Za-z0-9+/_-]{60,}={0,2}"),
    # -- private keys in base64 once more (kubeconfig, CI variables): "-----BEGIN " + PRIVATE, RSA,
    # EC, DSA, OPENSSH, ENCRYPTED
    ("private_key", "LS0tLS1CRUdJTiBQUklW|LS0tLS1CRUdJTiBSU0Eg|LS0tLS1CRUdJTiBFQy", r"[A-Za-z0-9+/]{40,}={0,2}"),
    ("private_key", "LS0tLS1CRUdJTiBEU0Eg|LS0tLS1CRUdJTiBPUEVO|LS0tLS1CRUdJTiBFTkNS", r"[A-Za-z0-9+/]{40,}={0,2}"),
    ("private_key", "b3BlbnNzaC1rZXktdjE", r"[A-Za-z0-9+/]{60,}={0,2}"),  # "openssh-key-v1"
    # -- keys of wallets and identities
    ("bitcoin_extended_key", "xprv|yprv|zprv|tprv", r"[1-9A-HJ-NP-Za-km-z]{100,112}"),
    ("nostr_secret_key", "nsec1", r"[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}"),
)
# fmt: on
# fmt: off


# --- Published formats recognised by a literal that does not start the secret, or that is not
# followed by one word.
#
# One line each: kind, the literal to look for (lower case, any case is found), how far the match
# may begin before it, and the regular expression; the group is what is masked. Every repetition
# is bounded, so one place costs a bounded time.

# ruff: noqa: E501 - one line a format


# The rest of a shell command, over lines joined by a backslash, as short as possible.
_REST_OF_COMMAND = r"(?:[^\n]|\\\n){0,400}?"
# user:password as one shell word; the password is the group that took part, whichever way it is quoted.
_USER = r"[^\s\"':$<(\[{]{0,80}"
_USER_AND_PASSWORD = (
    rf"""(?:"{_USER}:([^"$<{{(\[\n][^"\n]{{2,200}})"|'{_USER}:([^'$<{{(\[\n][^'\n]{{2,200}})'|"""
    rf"""["']?{_USER}["']?:["']?([^\s"'$<{{(\[][^\s"']{{2,200}}))"""
)
# Two strings of a call, of which the second is a password if it looks like one; and what may stand before them.
_PAIR = r"""[rbu]?(?:"[^"\n]{1,80}"|'[^'\n]{1,80}')\s{0,2},\s{0,20}[rbu]?(?:"(?=[^"]*[\d!#%&$*])([^"\n]{6,200})"|'(?=[^']*[\d!#%&$*])([^'\n]{6,200})')\s{0,2}[,)\]]"""
_ARGUMENTS = r"""(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[$\w.]{1,60}|\w{1,20}=[\w.]{1,40}|&[\w.]{1,40})\s{0,2},\s{0,20}){0,3}?"""
_KEY = r"""(?:\[\]byte\()?[rbu]?["']([\w+/=-]{16,200})["']"""
_CRYPT = (
    r"(\$(?:2[abxy]\$\d{2}\$[\w./]{53}|argon2(?:id|i|d)\$v=\d{1,3}\$[\w=,]{3,60}\$[\w+/]{8,120}\$[\w+/]{16,200}|"
    r"6\$(?:rounds=\d{1,9}\$)?[\w./]{1,16}\$[\w./]{86}|5\$(?:rounds=\d{1,9}\$)?[\w./]{1,16}\$[\w./]{43}|"
    r"y\$[\w./]{1,8}\$[\w./]{1,86}\$[\w./]{43}|apr1\$[\w./]{1,8}\$[\w./]{22}|1\$[\w./]{1,8}\$[\w./]{22}))"
)
ANCHORED: tuple[tuple[str, str, int, str], ...] = (
    # -- webhooks: whoever has the address may post
    ("slack_webhook", "hook", 0, r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,120})"),
    ("discord_webhook", "hook", 8, r"/api/webhooks/\d{15,22}/([\w-]{40,90})"),
    ("slack_webhook", "hook", 0, r"(?i:hooks?)[\w.-]{0,80}/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/([A-Za-z0-9]{16,40})"),
    ("teams_webhook", "office.com/", 12, r"(?:\.webhook|outlook)\.office\.com/webhook(?:b2)?/([\w@/-]{60,300})"),
    ("google_chat_webhook", "chat.googleapis.com/", 0, r"chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?(key=[\w%&=.-]{40,200})"),
    ("zapier_webhook", "hook", 0, r"hooks\.zapier\.com/hooks/(?:catch|standard)/(\d{4,12}/[\w-]{5,40})"),
    ("ifttt_webhook", "maker.ifttt.com/", 0, r"maker\.ifttt\.com/trigger/[^\s/]{1,80}/(?:json/)?with/key/([\w-]{20,60})"),
    # A random part of the path of a webhook, or right behind the version of an API.
    ("webhook", "hook", 80, r"https?://(?=[^\s\"'<>?#]{0,80}hook)[\w./-]{4,120}/([A-Za-z0-9_-]{20,120})(?![\w.-])"),
    ("url_key", "://", 0, r"://[\w.-]{4,80}/v\d/([A-Za-z0-9_-]{32,40})(?![\w.-])"),
    ("api_key", "appid=", 1, rf"[?&]appid=({HEX}{{32}})"),
    # -- tokens with the literal inside
    ("telegram_token", ":a", 12, r"(?<![A-Za-z0-9])((?:bot)?\d{8,12}:A[\w-]{34})(?![\w-])"),
    ("terraform_token", ".atlasv1.", 14, r"(?<![A-Za-z0-9])([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,72})"),
    ("authress_key", ".acc", 48, r"(?<![A-Za-z0-9])((?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120})"),
    # Microsoft Entra: three characters, one digit, "Q~"; 37 or 40 characters together.
    ("azure_client_secret", "q~", 4, r"(?<![\w~.\\/-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])"),
    ("signed_url", "sig=", 1, r"[?&;](?:amp;)?sig=([\w%+/~-]{40,100}={0,2})"),
    ("signed_url", "signature=", 1, r"[?&;](?:amp;)?(?i:signature)=([\w%+/~-]{40,1024}={0,2})"),
    ("aws_presigned", "x-amz-s", 0, rf"(?i:x-amz-signature)=({HEX}{{64}})"),
    ("aws_presigned", "x-amz-s", 0, r"(?i:x-amz-security-token)=([\w%+/=.-]{60,2000})"),
    ("gcp_signed_url", "x-goog-signature=", 0, rf"(?i:x-goog-signature)=({HEX}{{64,1024}})"),
    # -- headers and command lines
    ("authorization", "authorization", 0, r"""(?i:authorization)\\?["'\]]{0,2}(?:\s{0,3}[:=,]\s{0,3}|[ \t]{1,3}(?=["']))\\?["'f(]{0,2}(?i:basic|token|apikey|negotiate|digest|bot|key|genie ?key|splunk|sso-key|bearer|flyv1|aws4-hmac-sha256|sharedkey)[\s:=]{1,3}([\w+/=.~:,|%!$@#*-]{6,4096})"""),
    ("authorization", "authorization", 0, r"""(?i:authorization)\\?["'\]]{0,2}\s{0,3}[:=,]\s{0,3}\\?["']?([\w+/=.~:|-]{16,4096})(?![\w( ])"""),
    ("basic_credentials", "basic ", 0, r"(?i:basic)[ \t]{1,3}([A-Za-z0-9+/]{8,400}={0,2})(?![\w+/=]|\.\.\.)"),
    ("bearer_token", "bearer", 0, r"(?i:bearer)[ \t]{1,3}([\w+/=.~|-]{16,4096})"),
    # The first cookie of a header that tells who somebody is; others before it stay.
    ("cookie", "cookie", 0, r"""(?i:cookie)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:[\w.-]{1,80}=[^;\s]{0,400};\s{0,3}){0,20}?(?i:[\w.-]{0,40}(?:sess|sid|auth|token|jwt|login)[\w.-]{0,40})=([\w+/=.%~-]{16,4096})"""),
    ("cookie", "curl", 0, rf"""curl\b{_REST_OF_COMMAND}[ \t](?:-b|--cookie)[ =]?["']?(?:[\w.-]{{1,80}}=[^;\s"']{{0,400}};\s{{0,3}}){{0,20}}?(?i:[\w.-]{{0,40}}(?:sess|sid|auth|token|jwt|login)[\w.-]{{0,40}})=([\w+/=.%~-]{{16,4096}})"""),
    ("curl_user", "curl", 0, rf"curl\b{_REST_OF_COMMAND}[ \t](?:-[a-zA-Z]*u|--(?:proxy-)?user)[ \t=]{{0,3}}{_USER_AND_PASSWORD}"),
    # user/password@, as Oracle's programs and drivers take it, and user:password@ of a driver without a scheme.
    ("url_password", "thin:", 0, r"(?i:thin:)[\w$#.-]{1,64}/([^\s\"'@/$<{(]{3,128})@"),
    ("url_password", "@tcp(", 200, r"(?<![\w:/@.-])[\w.-]{1,64}:([^\s\"'`@/$<{(]{3,128})@tcp\("),
    ("url_password", "@unix(", 200, r"(?<![\w:/@.-])[\w.-]{1,64}:([^\s\"'`@/$<{(]{3,128})@unix\("),
    # auth=("user", "password"), BasicAuth("user", "password"), new PDO(…, "user", "password"), connect(…, "user", "password").
    ("call_password", "auth", 0, rf"""(?i:auth)[\w.]{{0,20}}["']?\s{{0,2}}(?:[=:]>?\s{{0,2}}[\w.]{{0,40}})?[(\[]\s{{0,20}}{_PAIR}"""),
    ("call_password", "login(", 0, rf"""(?i:login)\(\s{{0,20}}{_ARGUMENTS}{_PAIR}"""),
    ("call_password", "credential", 0, rf"""(?i:credentials?)\w{{0,12}}\(\s{{0,20}}{_ARGUMENTS}{_PAIR}"""),
    # Client("account", "token"); hmac.new(b"key", …), jwt.sign(payload, "key").
    ("call_key", "client", 0, rf"""(?i:client)\w{{0,12}}\(\s{{0,20}}{_ARGUMENTS}{_KEY}"""),
    ("call_key", "hmac", 0, rf"""(?i:hmac)\w{{0,12}}(?:\.new|\.digest)?\(\s{{0,20}}{_ARGUMENTS}{_KEY}"""),
    ("call_key", "jwt", 0, rf"""(?i:jwt)\w{{0,12}}\.(?:sign|verify|encode|decode)\w{{0,8}}\(\s{{0,20}}{_ARGUMENTS}{_KEY}"""),
    ("call_password", "begin(", 0, rf"""begin\(\s{{0,20}}{_PAIR}"""),
    ("call_password", "pw_set(", 0, rf"""pw_set\(\s{{0,20}}{_PAIR}"""),
    ("call_password", "sp_addlogin", 0, r"""sp_addlogin[ \t]+(?:N?'[^'\n]{1,80}'),\s{0,20}N?'([^'\n]{6,200})'"""),
    # "user:password" on its way to base64
    *(
        ("encoded_pair", call, 0, rf"(?i:{call}\()[rbu]?[\"'`][\w.@+-]{{1,80}}:([^\s\"'`${{}}]{{6,200}})[\"'`]")
        for call in ("btoa", "b64encode", "from")
    ),
    ("call_password", "pdo(", 0, rf"""(?i:pdo)\(\s{{0,20}}{_ARGUMENTS}{_PAIR}"""),
    ("call_password", "connect", 0, rf"""(?i:connect(?:ion)?)\w{{0,12}}\(\s{{0,20}}{_ARGUMENTS}{_PAIR}"""),
    # An API key in the place of the user, without a password.
    ("curl_key", "curl", 0, rf"curl\b{_REST_OF_COMMAND}[ \t](?:-[a-zA-Z]*u|--(?:proxy-)?user)[ \t=]{{0,3}}[\"']?([^\s\"':$<{{(\[]{{8,200}}):(?=[\s\"'])"),
    ("netrc_password", "machine", 0, r"(?:^|(?<=\s))machine\s{1,4}\S{1,120}\s{1,8}login\s{1,4}\S{1,120}\s{1,8}password\s{1,4}(\S{3,200})"),
    ("pgpass_password", "5432:", 120, r"(?m:^)[\w.*-]{1,80}:(?:5432|\*):[\w*-]{1,40}:[\w*-]{1,40}:(\S{3,120})$"),
    # A line of Postfix's sasl_passwd; passwords and communities of a router's configuration.
    ("sasl_password", "]:", 120, r"(?m:^)\[[\w.-]{1,80}\]:\d{2,5}[ \t]{1,20}[\w.@+-]{1,80}:(\S{4,120})$"),
    ("router_password", " 7 ", 12, r"(?:password|key|secret) 7 ([0-9A-F]{6,80})\b"),
    ("snmp_community", "community", 0, r"(?<=snmp-server )community[ \t]+(?!public\b|private\b|string\b)([^\s<\"'$-][^\s<\"'$]{3,60})(?=[ \t]+(?i:ro|rw)\b)"),
    ("pin", "pin", 0, r"(?<![A-Za-z])PIN(?: code)?(?:,? (?:for|of|to|für|zur?|zum|de|del|du)(?: [\w'-]{1,20}){1,4}?)?(?::| is| ist| est| es| lautet)[ \t]+(\d{4,8})(?![\w.-])"),
    # crypt(3) strings: salt and digest of a password, the form of /etc/shadow and htpasswd.
    ("password_hash", "$", 0, _CRYPT),
    # JSON Web Key: "d" is the private member.
    ("jwk_private_key", '"kty"', 800, r'"[dk]"\s{0,3}:\s{0,3}"([\w-]{32,1024})"'),
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
# fmt: off


# --- Programs that take a password as an option or as a word of their command line.
#
# One line each. A program is found whatever path, ending or other program (`sudo`, `env`) stands
# before it; options are told apart by their case, as the programs do.

# ruff: noqa: E501 - one line a program


class PasswordPosition(StrEnum):
    """Position of the password after its option."""

    NEXT = "next"  # -a X
    ATTACHED = "attached"  # -pX; a word behind a blank is something else
    EITHER = "either"
    AFTER_USER = "after user"  # -U user%X


_LOGIN = r"(?:docker|podman|nerdctl|buildah|skopeo|az|cf|oc|ibmcloud|bx|oras|crane|helm|doctl|rosa)(?:\.exe|\.cmd)?(?:[ \t]+[a-z-]+)?[ \t]+login"
# The programs, their options, and where the password stands.
OPTIONS: tuple[tuple[str, tuple[str, ...], PasswordPosition], ...] = (
    (r"mysql(?:dump|admin|import|check|show|slap|sh|pump|binlog)?|mariadb(?:-\w+)?|mycli", ("-p",), PasswordPosition.ATTACHED),
    (r"mongo(?:sh|dump|restore|export|import|stat|top|files)?|cqlsh|cypher-shell|clickhouse-client|nxc|crackmapexec|evil-winrm", ("-p", "-password"), PasswordPosition.NEXT),
    (r"sshpass", ("-p",), PasswordPosition.EITHER),
    (r"redis-cli|valkey-cli|keydb-cli", ("-a",), PasswordPosition.NEXT),
    (_LOGIN, ("-p",), PasswordPosition.EITHER),
    (r"sqlcmd|bcp|osql|isql|go-sqlcmd|tsql|ipmitool|zip|unzip|zipcloak|mosquitto_(?:pub|sub)|bsqldb|freebcp", ("-P",), PasswordPosition.EITHER),
    (r"ldap(?:search|add|modify|delete|whoami|compare|modrdn|exop|passwd)", ("-w",), PasswordPosition.EITHER),
    (r"ldappasswd", ("-s",), PasswordPosition.NEXT),
    (r"smbclient|rpcclient|smbmap|winexe|smbget|net|wmic|pth-\w+", ("-U", "--user"), PasswordPosition.AFTER_USER),
    (r"7z[azr]?|7zz|rar|unrar", ("-p", "-hp"), PasswordPosition.ATTACHED),
    (r"keytool|jarsigner|apksigner", ("-storepass", "-keypass", "-srcstorepass", "-deststorepass", "-srckeypass", "-destkeypass"), PasswordPosition.NEXT),
    (r"security[ \t]+(?:add-\w+-password|unlock-keychain|create-keychain|set-\w+-password)", ("-w", "-p"), PasswordPosition.NEXT),
    (r"snmp(?:get|walk|set|bulkwalk|bulkget|trap)", ("-A", "-X"), PasswordPosition.NEXT),
    (r"ssh-keygen", ("-N", "-P"), PasswordPosition.NEXT),
    (r"openssl", ("-k", "-K"), PasswordPosition.NEXT),
    (r"influx|db2|isqlplus|hdiutil|xcrun", ("-password", "-passphrase"), PasswordPosition.NEXT),
    (r"psexec(?:64)?", ("-p",), PasswordPosition.NEXT),
    (r"psftp|pscp|plink|putty|klink", ("-pw",), PasswordPosition.NEXT),
)

# A word of a command, quoted or not; the password is the group that took part.
WORD = r"""(?:\\?"([^"\n\\]{3,200})\\?"|'([^'\n]{3,200})'|([^\s"'|;&<>`\\-](?:[^\s"'|;&<>`\\]|&(?=\w)){2,200}))"""
_SAID = rf"(?:echo|printf|print|Write-Output)[ \t]+(?:-\w+[ \t]+|['\"]?%s(?:\\n)?['\"]?[ \t]+){{0,3}}{WORD}[ \t]*\|[ \t]*"
# Two plain words in a row: what is said to a program that asks for no password is a sentence.
_NO_SENTENCE = r"(?![^\n|]{0,200}?(?<![^\s\"'])[A-Za-z]+[,.:;!?]?[ \t]+[A-Za-z]+[,.:;!?]?(?=[\s\"']))"
_SAID_TO_FILE = _SAID.removesuffix(r"\|[ \t]*") + r"(?:>{1,2}|\|[ \t]*(?:sudo[ \t]+)?tee(?:[ \t]+-a)?[ \t])[ \t]*"
_SAID_WORD = _SAID.replace(WORD, _NO_SENTENCE + WORD)
# An option by which a password is read, or a program that reads no other thing.
_READS_PASSWORD = r"(?:--?(?:password|passwd|pass|passphrase|pwd|pin|secret|token|key)[-_]?(?:from-)?stdin\b|(?<![\w-])(?:passwd|login|unlock)\b[^\n|<]{0,80}?--?stdin\b)"
_ONE_CODE = r"""(?:[A-Za-z0-9]{3,6}-){1,3}[A-Za-z0-9]{3,6}|(?=[a-z]*\d)[a-z0-9]{8,12}|\d{6,10}"""
_CODES = rf"""["'`]?((?:{_ONE_CODE})(?:["'`]?[\s,;]{{1,20}}["'`]?(?:{_ONE_CODE})(?![\w-])){{0,20}})(?![\w-])"""
_SAID_USER = _SAID.replace(r"([^", r"[^\s:\"']{1,80}:([^")
_FLAGS = r"(?:[ \t]+--?[\w-]+(?:=\S+)?)"
# Kind, literal to look for, how far the match may begin before it, expression: as above.
PLACED: tuple[tuple[str, str, int, str], ...] = (
    ("vault_token", "vault", 0, rf"vault(?:\.exe)?[ \t]+login{_FLAGS}{{0,6}}[ \t]+(?![a-z]+=){WORD}"),
    ("aws_secret_key", "configure set", 0, rf"(?i:configure[ \t]set[ \t]+[\w.-]*(?:secret|token|password)[\w.-]*[ \t]+){WORD}"),
    ("password", "setx", 0, rf"(?i:setx(?:\.exe)?(?:[ \t]+/\w)*[ \t]+['\"]?\w*(?:key|token|secret|passw|pwd|cred)\w*['\"]?[ \t]+){WORD}"),
    ("password", "identified", 0, rf"(?i:identified(?:[ \t]+with[ \t]+\S{{1,60}})?[ \t]+by[ \t]+(?:password[ \t]+)?)(?=[\"']){WORD}"),
    ("htpasswd_password", "passwd", 2, rf"htpasswd(?:\.exe)?[ \t]+(?:-\w+[ \t]+){{0,3}}-(?:[a-mo-zA-Z0-9]*b[a-mo-zA-Z0-9]*)(?:[ \t]+-\w+){{0,3}}[ \t]+\S+[ \t]+\S+[ \t]+{WORD}"),
    ("htpasswd_password", "passwd", 2, rf"htpasswd(?:\.exe)?[ \t]+(?:-\w+[ \t]+){{0,3}}-\w*(?:n\w*b|b\w*n)\w*(?:[ \t]+-\w+){{0,3}}[ \t]+\S+[ \t]+{WORD}"),
    ("piped_password", "stdin", 300, rf"{_SAID}[^\n|]{{0,120}}?{_READS_PASSWORD}"),
    ("piped_secret", "stdin", 300, rf"{_SAID_WORD}[^\n|]{{0,120}}?-stdin\b"),
    ("piped_password", "sudo -s", 300, rf"{_SAID}(?:[^\s|]*[/\\])?sudo[ \t]+-\w*S\b"),
    ("piped_password", "passwd", 300, rf"{_SAID_USER}(?:sudo[ \t]+)?(?:[^\s|]*[/\\])?chpasswd\b"),
    ("piped_secret", "secret", 300, rf"{_SAID_WORD}[^\n|]{{0,60}}?\bsecrets?[ \t]+(?:create|set|put|add|versions[ \t]+add)\b"),
    ("stored_secret", "secret", 0, rf"secrets?[ \t]+(?:set|create|put|add)\b{_REST_OF_COMMAND}[ \t]--(?:value|body|secret-string)[ =]{WORD}"),
    ("stored_secret", "--secret-string", 0, rf"--secret-string[ =]{WORD}"),
    ("stored_secret", "securestring", 300, rf"put-parameter\b{_REST_OF_COMMAND}[ \t]--value[ =]{WORD}"),
    ("password", "securestring", 120, r"""["']([^"'\n]{3,200})["'][ \t]*\|[ \t]*(?i:convertto-securestring)"""),
    ("sent_password", "expect", 0, r"""(?i:expect)[ \t(]{1,4}[^\n]{0,80}?(?i:passw|passphrase)[^\n]{0,40}?[\"'][\s);{]{0,40}(?i:send(?:line)?)[ \t(]{1,4}(?:--[ \t])?[\"']([^\"'\n$]{4,80}?)\\[rn]"""),
    ("piped_password", "with-token", 300, rf"{_SAID}[^\n|]{{0,120}}?--with-token\b"),
    ("piped_password", "stdin", 60, rf"{_READS_PASSWORD}[^\n|<]{{0,80}}<<<[ \t]*{WORD}"),
    ("piped_secret", "stdin", 1, rf"-stdin\b[^\n|<]{{0,80}}<<<[ \t]*{_NO_SENTENCE}{WORD}"),
    ("piped_password", "sudo -s", 0, rf"sudo -\w*S\b[^\n|<]{{0,80}}<<<[ \t]*{WORD}"),
    ("password", "securestring", 0, rf"(?i:securestring[ \t]+(?:-string[ \t]+)?){WORD}[^\n]{{0,80}}-(?i:asplaintext)"),
    # httpie, by both its names
    *(
        ("curl_user", option, 300, rf"(?<![\w.:/-])https?(?:ie)?[ \t]{_REST_OF_COMMAND}(?<=[ \t]){option}[ \t=]{{1,3}}{_USER_AND_PASSWORD}")
        for option in ("-a", "--auth")
    ),
    # user/password@, as Oracle's programs take it
    # -- user and password side by side
    *(
        ("account_password", account, 1, rf"""["']{account}["'],\s{{0,20}}["']([^"'\n]{{6,80}})["']""")
        for account in ("root", "admin", "sa", "postgres")
    ),
    *(
        ("account_password", f"-{option}", 1, rf"(?<=[ \t])--?{option}[ \t=][\"']?[\w.@+-]{{1,80}}:([^\s\"'$<{{]{{6,200}})")
        for option in ("user", "auth", "creds", "credentials")
    ),
    ("account_password", " -p", 100, rf"[ \t]-u[ \t=]?[^\s-]\S{{0,80}}[ \t]{{1,4}}-p[ \t=]?{WORD}"),
    ("account_password", "/p:", 0, r"(?<=[ \t])/p:([^\s=\"';]{6,80})(?![^\s])"),
    ("account_password", "chpasswd", 0, r"chpasswd:[^\n]{0,40}(?:\n[ \t]+[\w-]+:[^\n]{0,20}){0,3}?\n[ \t]+(?:- )?[\w.-]{1,40}:(?! )(\S{6,80})(?=\s|\Z)"),
    # a row of settings: what is written, where the name says that it is secret
    ("stored_secret", "where", 220, r"""=[ \t]*'([^'\n]{6,200})'\s{1,9}(?i:where)\s[^;\n]{0,80}?=[ \t]*'[^'\n]{0,60}(?i:key|token|secret|passw)[^'\n]{0,20}'"""),
    # said into a file whose name says what it holds
    *(
        ("stored_secret", program, 0, rf"{_SAID_TO_FILE}[\"']?[^\s\"'|;&]{{0,120}}(?i:key|token|secret|passw|pgpass|vault_pass|credential)[\w-]{{0,20}}(?:\.\w{{1,8}})?(?=[\"'\s;&]|\Z)")
        for program in ("echo", "printf")
    ),
    # the line below a command that prints a secret
    *(
        ("printed_secret", command, 0, rf"{command}[^\n]{{0,200}}\n[ \t]{{0,8}}([^\s\"'`<>$(){{}}|]{{8,200}})[ \t]*(?=\r?\n|\Z)")
        for command in ("base64 -d", "base64 --decode", "kv get", "get-secret-value", "keyvault secret show", "op read", "pass show", "config:get", "openssl rand")
    ),
    # one word with all that policies ask for, said to a program
    ("said_password", "echo", 0, rf"{_SAID}[\w./~-]"),
    ("said_password", "printf", 0, rf"{_SAID}[\w./~-]"),
    ("said_password", "<<<", 0, rf"<<<[ \t]*{WORD}"),
    # -- forms of their own
    ("app_password", "pass", 0, r"(?i:pass\w{0,12}|passwd)[\"']?[ \t]{0,3}[:= ][ \t]{0,3}[\"']?([a-z]{4}(?: [a-z]{4}){3})(?![a-z ])"),
    ("recovery_key", "recovery key", 0, r"(?i:recovery key)[^\n\d]{0,40}\s{0,3}((?:\d{6}-){7}\d{6})(?!\d)"),
    ("wifi_password", "wifi:", 0, r"(?i:wifi:)(?:[A-Z]:[^;\n]{0,80};){0,4}?P:([^;\n]{4,80});"),
    ("totp_seed", "otp(", 0, r"(?i:otp\()[\"']([A-Z2-7]{16,64})=*[\"']"),
    ("totp_seed", "oathtool", 0, r"oathtool[^\n]{0,60}?[ \t](?:-b|--base32)[ \t]+([A-Z2-7]{16,64})\b"),
    ("gossip_key", "encrypt", 0, r"(?<![\w-])encrypt[\"']?\s{0,3}[:=]\s{0,3}[\"']([A-Za-z0-9+/]{22,43}={1,2})[\"']"),
    ("key_bytes", "key", 0, r"(?i:key)\w{0,12}[\"']?\s{0,3}[:=]\s{0,3}(?:new Uint8Array\(|bytes\(|byte\[\]\{)?\[\s{0,3}(\d{1,3}(?:,\s{0,3}\d{1,3}){15,127})\s{0,3}\]"),
    ("jenkins_secret", "{aqaaa", 0, r"\{(AQAAAB[A-Za-z0-9+/]{16,400}={0,2})\}"),
    ("url_token", "/t/", 0, r"/t/([\w-]{20,60})/"),
    *(
        ("command_password", program, 0, rf"{program}(?:[ \t]+-\w+)*[ \t]+(?:userid=)?[\"']?[\w$#.-]{{1,64}}/([^\s\"'@/$<{{(]{{3,128}})@")
        for program in ("sqlplus", "sqlldr", "expdp", "impdp")
    ),
    ("command_password", "net use", 0, rf"net use[ \t][^\n]{{0,200}}?/user:\S{{1,80}}[ \t]+(?![/\\]){WORD}"),
    ("command_password", "net use", 0, rf"net use[ \t]+(?:\w:[ \t]+)?\\\\\S{{1,120}}[ \t]+(?![/*]){WORD}[ \t]+/user:"),
    ("recovery_code", "codes", 10, rf"""(?i:recovery|backup|scratch|emergency)[ _-]codes?[\w \t]{{0,40}}?["']?\s{{0,3}}[:=]\s{{0,20}}\[?{_CODES}"""),
    ("kubernetes_secret", "from-literal", 0, rf"from-literal[= \t]['\"]?[\w.-]{{1,80}}={WORD}"),
)
# fmt: on
