# Sourced by infra/docker/backup and restore for infra/systemd/backup and restore: where the database is on a machine without
# Docker, and what serves it. It is PostgreSQL of this machine, entered by its socket as its superuser.
# shellcheck shell=bash

name=${STACK:-finance}
owners_url=$(sed -n 's/^DATABASE_URL=//p' "/etc/$name/migrate.env")
[[ $owners_url =~ ^postgresql://([a-z][a-z0-9_]*)@localhost:([0-9]+)/([a-z][a-z0-9_]*)\?host=/run/postgresql$ ]] || {
  echo "The database is not of this machine: DATABASE_URL in /etc/$name/migrate.env names another. Back it up where it is." >&2
  exit 1
}
# shellcheck disable=SC2034 # for those who source this
owner=${BASH_REMATCH[1]} database=${BASH_REMATCH[3]}
export PGPORT=${BASH_REMATCH[2]}

# in a folder that the user may enter, or older programs of PostgreSQL complain
in_database() { (cd / && exec runuser -u postgres -- "$@"); }

in_version() {
  local url=${owners_url/"/$database?"/"/$1?"}
  shift
  [ $# -gt 0 ] || set -- node infra/docker/migrate.ts
  systemd-run --quiet --pipe --wait --collect -p User="$owner" -p EnvironmentFile="/etc/$name/migrate.env" -p WorkingDirectory="/opt/$name/current" \
    -E ADMIN_COMMAND=infra/systemd/admin -E "MIGRATE_COMMAND=systemctl restart $name-migrate@current" env DATABASE_URL="$url" "$@" </dev/null
}

have_database() { in_database psql -XqAt -U postgres -d postgres -c "select" </dev/null; }
have_roles() { systemctl restart "$name-migrate@current"; }
stop_serving() { systemctl stop "$name"-{caddy,auth,postgrest}; }
# serve <file for complaints>
serve() {
  local port
  port=$(sed -n 's/^PLAIN_LISTEN=//p' "/etc/$name/caddy.env")
  systemctl start "$name"-{auth,postgrest,caddy} 2>"$1" &&
    curl -fsS -o /dev/null --retry 60 --retry-delay 1 --retry-max-time 60 --retry-all-errors "http://127.0.0.1:$port/healthz" 2>"$1" || { cat "$1" >&2; return 1; }
}
drop_command() { echo "runuser -u postgres -- dropdb -p $PGPORT $1"; }
