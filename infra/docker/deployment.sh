# shellcheck shell=bash
# Sourced by the commands that create, replace and restore a deployment, in its folder. The files of a deployed version are copies:
# - .deployed.<version>.yaml of compose.yaml. It names the two other copies. COMPOSE_FILE in .env names it, so that `docker compose` starts
#   the version that last worked, even after a `git pull`. It lies next to compose.yaml, because compose resolves paths such as ./backups
#   relative to its file.
# - .deployed.<version>.conf of postgrest.conf
# - .deployed.<checksum>.Caddyfile of the Caddyfile. Its name changes only with its content, because compose replaces Caddy and closes its
#   connections if the name changes.

# shellcheck disable=SC2034 # the comment in .env, for the scripts that source this
about_versions="What serves, and what served before: upgrade and rollback write it. Files of your own stay behind the first, after a colon."

# Without this check a command would mistake an unreadable .env for a missing one, and write a new one.
for path in .env secrets; do
  if [ -e "$path" ] && ! { [ -r "$path" ] && [ -w "$path" ]; }; then
    echo "$path belongs to $(stat -c %U "$path"), and $(id -un) cannot read and change it, so nothing was changed. Run this command as its owner, or give it back: sudo chown -R $(id -un) .env secrets" >&2
    exit 1
  fi
done

# windows_text: prints a sentence if a Windows editor wrote .env. Compose reads such a file, but these commands do not.
windows_text() {
  ! LC_ALL=C grep -qs $'\r$\|^\xef\xbb\xbf' .env ||
    echo "A Windows editor has written .env, with line ends or a first mark that these commands cannot read. Correct the file: sed -i 's/^\xEF\xBB\xBF//; s/\r\$//' .env"
}

# no_arguments <command> [<argument>...]: exits if there is an argument, so that --help starts nothing
no_arguments() {
  [ $# = 1 ] || { echo "infra/docker/$1 takes no arguments. docs/operations.md describes it." >&2; exit 1; }
}

# keep_owner <new file> <file>: gives the new file to the owner of the other. Only root writes files of another user.
keep_owner() { [ "$(id -u)" != 0 ] || chown --reference="$2" "$1"; }

# open_secrets: lets the containers' users read secrets/. The mode of the folder keeps out other users of this machine. The target of a
# link, such as another program's secret, keeps its mode.
open_secrets() { find secrets -maxdepth 1 -type f -exec chmod 644 {} +; }

# env_value <variable>: the value in .env, without quotes
env_value() { sed -nE "s/^$1=(['\"]?)(.*)\\1\$/\\2/p" .env 2>/dev/null || true; }

# realtime_replicas: the number of processes of realtime, which .env switches on
realtime_replicas() {
  local value=${REALTIME_REPLICAS:-$(env_value REALTIME_REPLICAS)}
  echo "${value:-0}"
}

# drop_realtime: removes the containers of realtime if .env has switched it off. `docker compose up --wait` fails when it removes the last one.
drop_realtime() {
  [ "$(realtime_replicas)" != 0 ] || [ -z "$(docker compose ps -aq realtime 2>/dev/null)" ] || docker compose rm -sf realtime
}

# without_values: removes values of .env from the warnings and errors of Docker Compose
without_values() { sed -E -e '/level=warning/d' -e 's/(variable name|quoted value|template:) ".*/\1 …/'; }

# release_value <variable>: the value in release.env, which only the file of a release has (infra/release/bundle.ts)
release_value() { sed -n "s/^$1=//p" release.env 2>/dev/null || true; }

# Versions before secrets/ existed read these from .env.
# shellcheck disable=SC2034 # for the commands that source this
required_secrets="POSTGRES_PASSWORD AUTH_SERVICE_PASSWORD AUTHENTICATOR_PASSWORD BETTER_AUTH_SECRET"
optional_secrets="RESEND_API_KEY SMTP_URL OIDC_CLIENT_SECRET AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN OTEL_EXPORTER_OTLP_HEADERS ALERT_WEBHOOK_URL WATCHDOG_URL BACKUP_PING_URL"

# stored_secret <name>: the value in secrets/
stored_secret() {
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
    value=$(env_value "$name")
    [ -z "$value" ] || [ ! -e "secrets/$name" ] || [ "$value" = "$(stored_secret "$name")" ] || printf ' %s' "$name"
  done
}

# save_version_files <version>: copies the files of this checkout. It replaces each file by renaming, because the running version may read it.
save_version_files() {
  local caddyfile
  caddyfile=.deployed.$(sha256sum <infra/docker/Caddyfile | cut -c -12).Caddyfile
  install -m 644 postgrest.conf .deployed.new && mv .deployed.new ".deployed.$1.conf" &&
    install -m 644 infra/docker/Caddyfile .deployed.new && mv .deployed.new "$caddyfile" &&
    sed "s#\./postgrest\.conf:#./.deployed.$1.conf:#; s#\./infra/docker/Caddyfile:#./$caddyfile:#" compose.yaml >.deployed.new && mv .deployed.new ".deployed.$1.yaml" ||
    { rm -f .deployed.new; return 1; }
}

# compose_files <compose.yaml of a version>: the value of COMPOSE_FILE, with the operator's additional files
compose_files() {
  local current additional=""
  current=$(env_value COMPOSE_FILE)
  if [[ $current = *:* ]]; then additional=:${current#*:}; elif [ -z "$current" ] && [ -e compose.override.yaml ]; then additional=:compose.override.yaml; fi
  echo "$1$additional"
}

# recreate_version_files: on a new machine the files that .env names are missing, so copies them from this checkout
recreate_version_files() {
  local file version released
  file=$(env_value COMPOSE_FILE)
  file=${file%%:*}
  if [[ $file = .deployed.*.yaml ]] && [ ! -e "$file" ]; then
    version=${file#.deployed.} version=${version%.yaml} released=$(release_value VERSION)
    # compose.yaml of a release names the digests of its own images
    [ -z "$released" ] || [ "$released" = "$version" ] || { echo "The files in this folder are of $released. Unpack $version here first: docs/images.md" >&2; return 1; }
    save_version_files "$version"
  fi
}
