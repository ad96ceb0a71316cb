# Sourced by what backs up and restores. The programs of PostgreSQL run in the database's container when somebody calls
# from the host, and right here in a container of backups, which has them and the database's socket.
# shellcheck shell=bash

if [ -n "${BACKUP_CONTAINER:-}" ]; then
  in_database() { "$@"; }
  # in_version <database> <command>: runs something of this version on a database
  in_version() { DATABASE_URL="postgresql://postgres@localhost/$1?host=/var/run/postgresql" "${@:2}" </dev/null; }
else
  in_database() { docker compose exec -T db "$@"; }
  in_version() { docker compose run --rm --no-deps -T -e DATABASE_URL="postgresql://postgres@localhost/$1?host=/run/postgresql" migrate "${@:2}" </dev/null; }
fi

# people_of <sums>, rows_of <sums>: how many a backup says it has
people_of() { sed -nE 's/^rows\|auth\.users\|"([0-9]+) .*/\1/p' "$1"; }
rows_of() { awk -F'[|" ]+' '$1 == "rows" { rows += $3 } END { print rows + 0 }' "$1"; }

# serve <file for what compose prints>: starts everything, and waits for what serves people. Of the rest it says what does not
# start, because a board or a copy elsewhere that fails is no reason to call what was restored a failure.
serve() {
  docker compose up -d --wait db postgrest auth edge caddy 2>"$1" || { cat "$1" >&2; return 1; }
  local other
  for other in $(docker compose config --services | grep -vxE 'db|migrate|postgrest|auth|edge|caddy'); do
    docker compose up -d --no-deps "$other" 2>"$1" || { cat "$1" >&2; echo "$other does not start; what serves does." >&2; }
  done
}

# seconds_of <name>: of the moment that is written in it, such as finance-20260131T031500Z
seconds_of() {
  local t=${1##*/}
  t=${t#*-}
  date -u -d "${t:0:4}-${t:4:2}-${t:6:2}T${t:9:2}:${t:11:2}:${t:13:2}Z" +%s
}

# name_of <seconds>: the moment as it stands in names
name_of() { date -u -d "@$1" +%Y%m%dT%H%M%SZ; }

# plainly <what a program complained of>: one line, which says first what an operator must know
plainly() {
  local said
  said=$(printf %s "$1" | tr -s '\n\t ' '   ')
  case $said in *"o space left on device"*) said="the disk is full (${said% })" ;; esac
  echo "${said% }"
}

# gauge <name> <what it is> <value>: as Prometheus reads it
gauge() { printf '# HELP %s %s\n# TYPE %s gauge\n%s %s\n' "$1" "$2" "$1" "$1" "$3"; }

# shellcheck disable=SC2034 # for those who source this
database=finance owner=postgres
have_database() { [ -n "${BACKUP_CONTAINER:-}" ] || docker compose up -d --wait db; }
# a backup has no roles, because their passwords belong to the deployment: migrate makes them, in an empty one too
have_roles() { docker compose run --rm -T migrate; }
stop_serving() { docker compose stop caddy edge auth postgrest; }
drop_command() { echo "docker compose exec db dropdb -U postgres $1"; }
