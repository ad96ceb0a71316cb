# shellcheck shell=bash
# Sourced by replace. `hold` makes the edge hold new requests until `release`: see (hold) in surfaces.caddy.
# The hold ends by itself after 20 seconds, for example if the command was killed.

# Returns when running requests have finished, after five seconds at the latest.
hold() {
  # shellcheck disable=SC2016 # for the shell in the container
  docker compose exec -T -d caddy sh -c 'held=$XDG_CONFIG_HOME/held; echo $$ >"$held"; sleep 20; [ "$(cat "$held")" != $$ ] || rm "$held"' 2>/dev/null || return 0
  docker compose exec -T db psql -XqU postgres -d finance >/dev/null 2>&1 <<'SQL' || true
do $$
declare
  idle_checks integer := 0;
begin
  for check_number in 1..50 loop
    perform pg_sleep(0.1), pg_stat_clear_snapshot();
    idle_checks := case when exists (
        select from pg_stat_activity where usename in ('authenticator', 'auth_service') and state <> 'idle'
      ) then 0 else idle_checks + 1 end;
    exit when idle_checks = 6;
  end loop;
end
$$;
SQL
}

# shellcheck disable=SC2016 # for the shell in the container
release() { docker compose exec -T caddy sh -c 'rm -f "$XDG_CONFIG_HOME/held"' 2>/dev/null || true; }

# wait_from_caddy <seconds> <url>…: waits until Caddy's container gets a successful response from each URL
wait_from_caddy() {
  # shellcheck disable=SC2016 # for the shell in the container
  docker compose exec -T caddy sh -c 'end=$(($(date +%s) + $1)); shift
    for url; do
      until wget -q -T 2 -O /dev/null "$url"; do [ "$(date +%s)" -lt "$end" ] || exit 1; sleep 0.2; done
    done' sh "$@" 2>/dev/null
}
