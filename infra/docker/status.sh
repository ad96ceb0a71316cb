# shellcheck shell=bash
# Sourced by setup and admin, after deployment.sh: says what nothing backs up, monitors or reports.
# shellcheck source=infra/docker/backups/common.sh
. infra/docker/backups/common.sh

# runs <service>: whether it runs, also if its profile is not in .env
runs() {
  local project
  project=${COMPOSE_PROJECT_NAME:-$(env_value COMPOSE_PROJECT_NAME)}
  project=${project:-$(sed -n 's/^name: //p' compose.yaml)}
  [ -n "$(docker ps -q --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.service=$1" 2>/dev/null)" ]
}
young_backup() { find backups -maxdepth 1 -name 'finance-[0-9]*Z.dump' -mtime -2 2>/dev/null | head -n 1; }

# unwatched: one sentence for each gap
unwatched() {
  local profiles receiver=""
  profiles=,${COMPOSE_PROFILES:-$(env_value COMPOSE_PROFILES)},
  if [[ $profiles != *,backup,* ]] && ! runs backup && [ -z "$(young_backup)" ]; then
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
  local name=$1 path=$2 line
  shift 2
  line=$("$@" df -Pm "$path" 2>/dev/null </dev/null | awk '
    NR > 1 && $2 > 0 {
      share = int($4 * 100 / $2)
      printf "%d MiB of %d MiB free, %d %%%s\n", $4, $2, share, share < 15 ? ": make room, docs/runbook.md, The disk is full" : ""
    }') || true
  printf '%-12s %s\n' "$name" "${line:-not measured: its service does not run, or the folder is missing}"
}

# show_newest: the newest backup and its age, with the limit of the alert BackupOld
show_newest() {
  local newest hours
  newest=$(newest_backup)
  [ -n "$newest" ] || { echo "There is no backup."; return; }
  hours=$((($(date +%s) - $(seconds_of "$newest")) / 3600))
  echo "The newest backup is $newest, $hours hours old$([ "$hours" -lt 36 ] || echo ": docs/runbook.md, The backup is old")."
}

# show_state: volumes, backups, services and gaps, also while the database is down
show_state() {
  local service running unhealthy
  free_space database /var/lib/postgresql docker compose exec -T db
  free_space certificates /data docker compose exec -T caddy
  ! runs prometheus || free_space figures /prometheus docker compose exec -T prometheus
  ! runs offsite || free_space offsite /state docker compose exec -T offsite
  free_space docker / docker compose exec -T db
  free_space backups backups env
  show_newest
  running=$(docker compose ps --services --status running) || return 0
  unhealthy=$(docker compose ps --format '{{.Service}} {{.Health}}' | sed -n 's/ unhealthy$//p')
  for service in $(docker compose config --services | grep -vx migrate | sort); do
    [ "$service" != realtime ] || [ "$(realtime_replicas)" != 0 ] || continue
    if ! grep -x "$service" <<<"$running" >/dev/null; then echo "The service $service does not run: docker compose logs $service"
    elif grep -x "$service" <<<"$unhealthy" >/dev/null; then echo "The service $service is unhealthy: docker compose logs $service"; fi
  done
  unwatched
}
