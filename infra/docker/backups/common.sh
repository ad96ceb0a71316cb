# Sourced by the scripts that back up and restore. In a backup container the programs of PostgreSQL run directly, because it has them
# and the database's socket. On the host they run in the container of the database.
# shellcheck shell=bash

if [ -n "${BACKUP_CONTAINER:-}" ]; then
  in_database() { "$@"; }
  # in_version <database> <command>: runs a command of this version of the product on a database
  in_version() { DATABASE_URL="postgresql://postgres@localhost/$1?host=/var/run/postgresql" "${@:2}" </dev/null; }
else
  in_database() { docker compose exec -T db "$@"; }
  in_version() { docker compose run --rm --no-deps -T -e DATABASE_URL="postgresql://postgres@localhost/$1?host=/run/postgresql" migrate "${@:2}" </dev/null; }
fi

# people_of <sums>, rows_of <sums>: the number of users and of rows in a backup
people_of() { sed -nE 's/^rows\|auth\.users\|"([0-9]+) .*/\1/p' "$1"; }
rows_of() { awk -F'[|" ]+' '$1 == "rows" { rows += $3 } END { print rows + 0 }' "$1"; }

# access_of <sums>: what a backup holds besides data
access_of() {
  awk -F'[|" ]+' '
    BEGIN { split("members invitations accounts two_factors passkeys api_keys webhooks calendars", tables); split("members, invitations, ways to sign in, second factors, passkeys, API keys, webhooks, calendars", names, ", ") }
    $1 == "rows" { rows[$2] = $3 }
    END { for (i = 1; i <= 8; i++) printf "%s%d %s", (i > 1 ? ", " : ""), rows["auth." tables[i]], names[i] }' "$1"
}

# The access in a database before a restore, in base64; empty if it has no users.
# shellcheck disable=SC2034 # for the scripts that source this
access_now="select encode(convert_to(private.access_now()::text, 'UTF8'), 'base64') from (select from auth.users limit 1) as any_user"

# ending <access before the restore>: the statement that ends sessions in the restored database, and what was revoked since the backup
ending() { echo "select ended || ' ' || what from private.end_restored_access(nullif(convert_from(decode('$1', 'base64'), 'UTF8'), '')::jsonb) where ended > 0;"; }

# say_ended <file with the result>
say_ended() { [ ! -s "$1" ] || echo "Ended, because a restore ends all sessions, and whatever was revoked or changed since: $(paste -sd, "$1" | sed 's/,/, /g')."; }

# serving: the services that clients need, without the database. Compose files of older versions have no realtime.
serving() { docker compose config --services | grep -xE 'postgrest|auth|realtime|edge|caddy'; }

# serve <file for the output of compose>: starts all services and waits for those that clients need. For the other ones it only prints an
# error, because a restore has not failed if, for example, Grafana does not start.
serve() {
  # shellcheck disable=SC2046 # a list of names
  { drop_realtime && docker compose up -d --wait db $(serving); } 2>"$1" || { cat "$1" >&2; return 1; }
  local other
  for other in $(docker compose config --services | grep -vxE 'db|migrate|postgrest|auth|realtime|edge|caddy'); do
    docker compose up -d --no-deps "$other" 2>"$1" || { cat "$1" >&2; echo "$other does not start; the services for clients run." >&2; }
  done
}

# seconds_of <name>: the Unix time in a name such as finance-20260131T031500Z
seconds_of() {
  local t=${1##*/}
  t=${t#*-}
  date -u -d "${t:0:4}-${t:4:2}-${t:6:2}T${t:9:2}:${t:11:2}:${t:13:2}Z" +%s
}

# timestamp_name <seconds>: a Unix time in the format of names
timestamp_name() { date -u -d "@$1" +%Y%m%dT%H%M%SZ; }

# newest_backup: the newest backup. A time in the future does not count, because it comes from a wrong clock
newest_backup() {
  local now dump found=""
  now=backups/finance-$(timestamp_name "$(date +%s)").dump
  for dump in backups/finance-[0-9]*Z.dump; do
    if [ -e "$dump" ] && ! [[ $dump > $now ]]; then found=$dump; fi
  done
  echo "$found"
}

# one_line <output of a program>: one line, which begins with the cause if the disk is full
one_line() {
  local text
  text=$(printf %s "$1" | tr -s '\n\t ' '   ')
  case $text in *"o space left on device"*) text="the disk is full (${text% })" ;; esac
  echo "${text% }"
}

# gauge <name> <help> <value>: a metric in Prometheus' text format
gauge() { printf '# HELP %s %s\n# TYPE %s gauge\n%s %s\n' "$1" "$2" "$1" "$1" "$3"; }

# put_failed <file>: replaces a metric of a failure by standard input. On a full disk it writes over the old text, which has the same
# length. Otherwise it replaces the file, because a crash would leave half a text.
put_failed() {
  local text
  text=$(cat)
  { printf '%s\n' "$text" >"$1.partial" && mv "$1.partial" "$1"; } 2>/dev/null || { rm -f "$1.partial"; printf '%s\n' "$text" 1<>"$1" || true; }
}

# shellcheck disable=SC2034 # for the scripts that source this
database=finance owner=postgres
start_database() { [ -n "${BACKUP_CONTAINER:-}" ] || docker compose up -d --wait db; }
# a backup contains no roles, because their passwords belong to the deployment; migrate creates them
create_roles() { docker compose run --rm -T migrate; }
# shellcheck disable=SC2046 # a list of names
stop_serving() { docker compose stop $(serving); }
drop_command() { echo "docker compose exec db dropdb -U postgres $1"; }
