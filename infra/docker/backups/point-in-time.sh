# Point-in-time recovery: sourced by infra/docker/restore for --at. Uses its variables and its functions.
# shellcheck shell=bash disable=SC2154

bases=()
# after a fetch, look only at the fetched folders: an empty database that was created here since then would be the newest
for line in "${lines[@]:-*}"; do
  for found in backups/pitr/$line/base-*Z; do [ ! -d "$found" ] || bases+=("$found"); done
done
# sort by time, which is the last part of the name
mapfile -t bases < <(printf '%s\n' "${bases[@]}" | awk -F/base- 'NF == 2 { print $2 " " $0 }' | sort | cut -d' ' -f2)
[ "${#bases[@]}" -gt 0 ] || { echo "backups/pitr has no copy of a database. Start the profile pitr, which makes them; docs/operations.md." >&2; exit 1; }
readable() { date -u -d "@$1" '+%Y-%m-%d %H:%M:%SZ'; }
possible="You can restore any time from $(readable "$(seconds_of "${bases[0]##*/}")") until now"

target=latest base=${bases[-1]}
if [ "$at" != latest ]; then
  if ! [[ $at =~ (Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)$ ]] || ! target=$(date -u -d "$at" '+%Y-%m-%d %H:%M:%S.%6N+00' 2>/dev/null); then
    echo "Give the time with its zone, such as '2026-01-31 12:00:00+01:00' or 2026-01-31T11:00:00Z. $possible." >&2
    exit 1
  fi
  [[ $target < $(date -u '+%Y-%m-%d %H:%M:%S.%6N+00') ]] || { echo "$at is in the future. $possible." >&2; exit 1; }
  wanted=$(timestamp_name "$(date -u -d "$at" +%s)") base=""
  for found in "${bases[@]}"; do if ! [[ ${found##*/base-} > $wanted ]]; then base=$found; fi; done
  [ -n "$base" ] || { echo "$at is before the first copy of the database. $possible." >&2; exit 1; }
fi

# Wait until the WAL up to now has been received. A recovery reaches its target only if the WAL has a later transaction, so make one.
if [ -n "$(docker compose ps -q --status running pitr 2>/dev/null)" ]; then
  reached() { docker compose exec -T db psql -XqAt -U postgres -d postgres "$@" </dev/null; }
  end=$(reached -c "select pg_current_xact_id() is null" -c "select pg_current_wal_insert_lsn()" | tail -1)
  for _ in $(seq 100); do
    [ "$(reached -c "select count(*) from pg_stat_replication where application_name = 'pg_receivewal' and write_lsn >= '$end'")" = 0 ] || break
    sleep 0.1
  done
fi

db=$(docker compose ps -aq db)
old_volume=""
[ -z "$db" ] || old_volume=$(docker inspect -f '{{range .Mounts}}{{if eq .Destination "/var/lib/postgresql"}}{{.Name}}{{end}}{{end}}' "$db")
DATABASE_VOLUME=$(docker compose config | sed -n 's/^name: //p')_database_$(date -u +%Y%m%d%H%M%S)
export DATABASE_VOLUME
discard() { finish; docker volume rm -f "$DATABASE_VOLUME" >/dev/null; }
trap discard EXIT
[ -n "$drill" ] || read_access
check=(sh -c '${1:+psql -XqU postgres -d finance -c "$1"} && node infra/docker/migrate.ts' sh "$revoke"); [ -z "$drill" ] || check=(node start/check.ts)
docker compose run --rm --no-deps -T recovery infra/docker/backups/recover "$base" "$target" "${check[@]}" < <([ -n "$drill" ] || ending "$access") 2>"$work/recovery" || {
  # drop the messages of compose itself. grep would drop the rest too if a message has a byte that is no text.
  grep -avE '^ *(Container|Network|Volume) |level=warning' "$work/recovery" >"$work/reason" || true
  explain "$work/reason"
  echo "Nothing is changed. $possible, as far as the log was received." >&2
  exit 1
}
[ -z "$drill" ] || { echo "The drill of $at passed."; exit 0; }

# printf, because .env may lack its last newline
printf '%s\n' "$(sed '/^DATABASE_VOLUME=/d' .env)" "DATABASE_VOLUME=$DATABASE_VOLUME" >.env.new && keep_owner .env.new .env || { rm -f .env.new; echo "Nothing is changed: .env could not be written." >&2; exit 1; }
trap finish EXIT
{ stop_serving && docker compose stop backup pitr db; } 2>"$work/stop" || { cat "$work/stop" >&2; exit 1; }
mv .env.new .env
status=0
serve "$work/up" || status=1
[ "$status" = 1 ] || echo "Restored as it was at $at."
say_unknown
if [ -n "$old_volume" ]; then
  echo "The former database is in the volume $old_volume. To go back to it: write DATABASE_VOLUME=$old_volume into .env, infra/docker/up"
  echo "When you are sure, remove it: docker volume rm $old_volume"
fi
exit "$status"
