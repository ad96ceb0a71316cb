# shellcheck shell=bash
# Sourced by setup and admin, after deployment.sh: says what nothing backs up, monitors or reports.

# runs <service>: whether it runs, also if its profile is not in .env
runs() {
  local project
  project=${COMPOSE_PROJECT_NAME:-$(env_value COMPOSE_PROJECT_NAME)}
  project=${project:-$(sed -n 's/^name: //p' compose.yaml)}
  [ -n "$(docker ps -q --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.service=$1" 2>/dev/null)" ]
}
newest_backup() { { find backups -maxdepth 1 -name 'finance-[0-9]*Z.dump' "$@" 2>/dev/null || true; } | sort | tail -1; }

# unwatched: one sentence for each gap
unwatched() {
  local profiles receiver=""
  profiles=,${COMPOSE_PROFILES:-$(env_value COMPOSE_PROFILES)},
  if [[ $profiles != *,backup,* ]] && ! runs backup && [ -z "$(newest_backup -mtime -2)" ]; then
    echo "Nothing is backed up: write COMPOSE_PROFILES=backup into .env, or let a schedule of your own run infra/docker/backup."
  elif ! grep -qs '^RESTIC_REPOSITORY=.' offsite.env; then
    echo "Backups stay on this machine: write offsite.env, as docs/operations.md shows, or copy backups/ elsewhere."
  fi
  if [[ $profiles != *,monitoring,* ]] && ! runs prometheus; then
    echo "Nothing is monitored: add monitoring to COMPOSE_PROFILES, or let a monitor of your own ask $(env_value PUBLIC_URL)/healthz."
  elif [ -z "$(env_value ALERT_WEBHOOK_URL_FILE)" ] && [ ! -e infra/monitoring/alertmanager.yml ]; then
    echo "Alerts reach nobody: write ALERT_WEBHOOK_URL_FILE=secrets/ALERT_WEBHOOK_URL into .env, and your URL into that file."
  else
    receiver=yes
  fi
  if [ -z "$receiver$(env_value BACKUP_PING_URL_FILE)" ] && ! grep -qs '^BACKUP_PING_URL=.' offsite.env; then
    echo "Nobody hears if backups stop: write BACKUP_PING_URL_FILE=secrets/BACKUP_PING_URL into .env, and the URL of a monitor for them into that file."
  fi
}

# free_space <name> <path> [<command> …]: the free space of a volume, seen by a command
free_space() {
  local name=$1 path=$2
  shift 2
  "$@" df -Pm "$path" 2>/dev/null </dev/null | awk -v name="$name" '
    NR > 1 && $2 > 0 {
      share = int($4 * 100 / $2)
      printf "%-12s %d MiB of %d MiB free, %d %%%s\n", name, $4, $2, share, share < 15 ? ": make room, docs/runbook.md, The disk is full" : ""
    }' || true
}

# show_state: volumes, backups, services and gaps, also while the database is down
show_state() {
  local service running newest
  free_space database /var/lib/postgresql docker compose exec -T db
  free_space certificates /data docker compose exec -T caddy
  free_space docker / docker compose exec -T db
  free_space backups backups env
  newest=$(newest_backup)
  echo "The newest backup is ${newest:-none}."
  running=$(docker compose ps --services --status running) || return 0
  for service in $(docker compose config --services | grep -vx migrate | sort); do
    grep -x "$service" <<<"$running" >/dev/null || echo "The service $service does not run: docker compose logs $service"
  done
  unwatched
}
