# shellcheck shell=bash
# Sourced by replace. `hold` makes the edge hold new requests until `release`. The edge releases them by itself after 20 seconds, in case
# the command was killed.

# signal_edge <signal> <command for Caddy>: signals every edge. Versions before the edge have a Caddy that holds requests while a file exists.
# The signal comes from inside the container, where process 1 is the edge or an init that forwards it. After any signal of `docker kill`
# Docker takes a container for one that an operator stopped: it never restarts it after a crash or a reboot.
signal_edge() {
  local edges
  edges=$(docker compose ps -q --status running edge 2>/dev/null)
  if [ -n "$edges" ]; then
    xargs -P 0 -I '{}' docker exec '{}' node -e 'process.kill(1, process.argv[1])' "$1" <<<"$edges" >/dev/null 2>&1
  else
    docker compose exec -T -d caddy sh -c "$2" 2>/dev/null
  fi
}

# hold: returns when running requests have finished, after five seconds at the latest
hold() {
  # shellcheck disable=SC2016 # for the shell in the container
  signal_edge SIGUSR2 'touch "$XDG_CONFIG_HOME/held" && sleep 20; rm -f "$XDG_CONFIG_HOME/held"' || return 0
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
release() { signal_edge SIGUSR1 'rm -f "$XDG_CONFIG_HOME/held"' || true; }

# wait_until_up <seconds>: waits until the edge reaches both surfaces. Returns at once if there is no edge.
wait_until_up() {
  [ -n "$(docker compose ps -q --status running edge 2>/dev/null)" ] || return 0
  docker compose exec -T edge node --input-type=module -e '
    const end = Date.now() + process.argv[1] * 1000
    while (!await fetch("http://127.0.0.1:8080/healthz").then(({ ok }) => ok, () => false)) {
      if (Date.now() > end) process.exit(1)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }' "$1"
}
