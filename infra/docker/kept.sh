# shellcheck shell=bash
# Sourced by the commands that make, replace and restore a deployment, in its folder. A version is its images and, beside
# compose.yaml, .deployed.<version>.yaml: compose.yaml as it was, which reads postgrest.conf and the Caddyfile as they were,
# .deployed.<version>.conf and .deployed.<checksum>.Caddyfile. The Caddyfile is named by its checksum, because compose replaces Caddy, and
# closes its connections, when the name changes. COMPOSE_FILE in .env names the first, so that `docker compose` starts what last worked
# whatever a `git pull` has brought. It lies beside compose.yaml because compose looks for ./backups and the like where the file is.

# shellcheck disable=SC2034 # the comment in .env, for those who source this
about_versions="What serves, and what served before: upgrade and rollback write it. Files of your own stay behind the first, after a colon."

# Without this check a command would take an unreadable .env for a missing one, and write another.
for path in .env secrets; do
  if [ -e "$path" ] && ! { [ -r "$path" ] && [ -w "$path" ]; }; then
    echo "$path belongs to $(stat -c %U "$path"), and $(id -un) cannot read and change it, so nothing was changed. Run this command as its owner, or give it back: sudo chown -R $(id -un) .env secrets" >&2
    exit 1
  fi
done

# keep_owner <new file> <file>: gives the new file to the owner of the other. Only root writes files of another user.
keep_owner() { [ "$(id -u)" != 0 ] || chown --reference="$2" "$1"; }

# known <variable>: its value in .env, without quotes
known() { sed -nE "s/^$1=(['\"]?)(.*)\\1\$/\\2/p" .env 2>/dev/null || true; }

# Versions before secrets/ read these from .env.
# shellcheck disable=SC2034 # for the commands that source this
required_secrets="POSTGRES_PASSWORD AUTH_SERVICE_PASSWORD AUTHENTICATOR_PASSWORD BETTER_AUTH_SECRET"
optional_secrets="RESEND_API_KEY SMTP_URL OIDC_CLIENT_SECRET OTEL_EXPORTER_OTLP_HEADERS ALERT_WEBHOOK_URL"

# kept_secret <name>: its value in secrets/
kept_secret() {
  local value
  value=$(cat "secrets/$1" 2>/dev/null) || return 0
  if [ "$1" = AUTHENTICATOR_PASSWORD ]; then
    value=${value#*://authenticator:} value=${value%@*}
    value=${value//\\/\\\\}
    printf %b "${value//%/\\x}"
  else
    printf %s "$value"
  fi
}

# differing_secrets: the names of secrets that are in .env and have another value in secrets/
differing_secrets() {
  local name value
  for name in $required_secrets $optional_secrets; do
    value=$(known "$name")
    [ -z "$value" ] || [ ! -e "secrets/$name" ] || [ "$value" = "$(kept_secret "$name")" ] || printf ' %s' "$name"
  done
}

# keep <version>: of what is in this folder; never in place, because the version that serves may read it
keep() {
  local caddyfile
  caddyfile=.deployed.$(sha256sum <infra/docker/Caddyfile | cut -c -12).Caddyfile
  install -m 644 postgrest.conf .deployed.new && mv .deployed.new ".deployed.$1.conf" &&
    install -m 644 infra/docker/Caddyfile .deployed.new && mv .deployed.new "$caddyfile" &&
    sed "s#\./postgrest\.conf:#./.deployed.$1.conf:#; s#\./infra/docker/Caddyfile:#./$caddyfile:#" compose.yaml >.deployed.new && mv .deployed.new ".deployed.$1.yaml" ||
    { rm -f .deployed.new; return 1; }
}

# files <compose.yaml of some version>: as COMPOSE_FILE names it, with the operator's own files behind it
files() {
  local named own=""
  named=$(known COMPOSE_FILE)
  if [[ $named = *:* ]]; then own=:${named#*:}; elif [ -z "$named" ] && [ -e compose.override.yaml ]; then own=:compose.override.yaml; fi
  echo "$1$own"
}

# On a new machine .env names files that were kept on the old one: keep them anew, of this checkout.
keep_again() {
  local kept
  kept=$(known COMPOSE_FILE)
  kept=${kept%%:*}
  if [[ $kept = .deployed.*.yaml ]] && [ ! -e "$kept" ]; then
    kept=${kept#.deployed.}
    keep "${kept%.yaml}"
  fi
}
