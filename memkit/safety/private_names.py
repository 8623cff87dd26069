"""Files known to hold secrets, by name: lower-case shell patterns.

A pattern with "/" is matched against the end of the path, any other against the file's name.
"""

ENV_SAMPLES = (".example", ".sample", ".template", ".dist", ".defaults")

# Environment files, also of direnv and R.
_ENV = """
    .env .env.* .env-* .env_* *.env .envrc .renviron
"""
# Private keys and stores of them.
_KEYS = """
    id_rsa* id_dsa* id_ecdsa* id_ed25519* *.pem *.key *.p12 *.pfx *.pkcs12 *.jks *.keystore
    *.bks *.kdbx *.kdb *.ppk *.ovpn *.keychain *.keychain-db *.agekey *.gpg-key *.p8 *.keytab
    .ssh/* .gnupg/*
"""
# Credentials of command-line tools.
_TOOLS = """
    .netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf
    .htpasswd .git-credentials .dockercfg .docker/config.json .dockerconfigjson .s3cfg .boto
    .terraformrc terraform.rc credentials.tfrc.json .vault-token kubeconfig *.kubeconfig
    .kube/config .aws/* .azure/* .config/gcloud/* .config/gh/hosts.yml .cargo/credentials
    .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml
    .composer/auth.json auth.json sftp-config.json .ftpconfig .esmtprc .msmtprc .fetchmailrc
    .mutt/*pass* .config/rclone/rclone.conf rclone.conf .remote-sync.json
"""
# Credentials of applications.
_APPS = """
    credentials credentials.* credential.* *-credentials.json client_secret*.json
    service-account*.json service_account*.json *serviceaccount*.json
    *-firebase-adminsdk-*.json secrets.* secret.* .secrets .secrets.* *.secrets *.secret
    master.key local.settings.json wp-config.php *.tfstate *.tfstate.backup *.tfvars
    *.tfvars.json vault-password* .vault_pass* passwords.* passwd.* htpasswd keys.json
"""
# What was typed.
_TYPED = """
    .bash_history .zsh_history .sh_history .psql_history .mysql_history .python_history
    .rediscli_history .node_repl_history .irb_history
"""
PRIVATE_NAMES: tuple[str, ...] = tuple(f"{_ENV}{_KEYS}{_TOOLS}{_APPS}{_TYPED}".split())

# Matched by a pattern above but public: the other half of a key pair, code and documents.
_PUBLIC = """
    *.pub secrets.py secrets.pyi secrets.ts secrets.js secrets.go secrets.rs secrets.md
    secrets.rst secret.py secret.ts secret.js secret.go secret.rs secret.md credentials.py
    credentials.ts credentials.js credentials.go credentials.rs credentials.md credential.py
    credential.ts credential.go credential.rs passwords.py passwords.ts passwords.go
    passwords.md *.java *.kt *.cs *.rb *.tsx *.c *.h *.cpp *.html *.css *.svg
"""
PUBLIC_NAMES: tuple[str, ...] = tuple(_PUBLIC.split())
