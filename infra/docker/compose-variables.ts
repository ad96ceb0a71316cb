/**
 * The variables of `.env` that only compose.yaml and the commands of infra/docker read. The other
 * lines of `.env` are settings of the programs: common/settings. docs/settings.md lists both.
 */

/**
 * A variable. `form` is a pattern of its values with the end of the sentence about others. `unset`
 * describes the default if `${NAME:-default}` in compose.yaml and the commands does not.
 */
export type ComposeVariable = { description: string, form?: [RegExp, string], unset?: string }

export const composeVariables: Record<string, ComposeVariable> = {
  COMPOSE_PROFILES: {
    description: 'the optional parts, by comma: `backup`, `pitr`, `monitoring`',
    form: [
      /^((backup|pitr|monitoring|files)(,|$))*$/,
      'must name the profiles backup, pitr or monitoring, by comma',
    ],
  },
  COMPOSE_PROJECT_NAME: {
    description: 'the start of the names of containers and volumes',
    unset: '`finance`',
  },
  SITE_HOST: {
    description: 'the host of `PUBLIC_URL`, which Caddy serves',
    unset: 'written by `setup`',
  },
  TLS: {
    description:
      '`auto` requests a certificate from Let’s Encrypt; `internal` uses Caddy’s own authority',
    form: [/^(auto|internal)$/, 'must be auto or internal'],
  },
  HTTP_PORT: { description: 'the port of this machine that redirects to https' },
  HTTPS_PORT: { description: 'the port of this machine for https' },
  PLAIN_PORT: { description: 'the port of this machine without TLS, on loopback only' },
  EDGE_SUBNET: {
    description: 'the network between Caddy and the edge, whose proxy header the edge trusts',
  },
  VERSION: {
    description: 'the version of the images',
    unset: 'that of a release; the commit after an upgrade of a checkout',
  },
  AUTH_IMAGE: {
    description: 'the name of the image of auth, realtime and edge',
    unset: 'built here',
  },
  BACKUP_IMAGE: { description: 'the name of the image of backups', unset: 'built here' },
  POSTGRES_TAG: { description: 'the tag of the image `postgres`' },
  CADDY_TAG: { description: 'the tag of the image `caddy`' },
  PROMETHEUS_TAG: { description: 'the tag of the image `prom/prometheus`' },
  ALERTMANAGER_TAG: { description: 'the tag of the image `prom/alertmanager`' },
  GRAFANA_TAG: { description: 'the tag of the image `grafana/grafana`' },
  GRAFANA_PORT: { description: 'the port of this machine for Grafana, on loopback only' },
  DATABASE_VOLUME: {
    description: 'the volume of the database; a restore of a moment sets it',
    unset: '`finance_database`, after the project',
  },
  DB_MEMORY: { description: 'the memory limit of PostgreSQL' },
  DB_BACKEND_MEMORY: {
    description:
      'the memory in MiB that the query of one connection may take; larger ones are refused',
    form: [/^(9[6-9]|[1-9]\d{2,5})$/, 'must be a number of MiB, at least 96'],
  },
  DB_RESERVE: {
    description:
      'a file of this many MiB beside the database, which is given up when the disk is full; 0 for none',
    form: [
      /^(0|3[2-9]|[4-9]\d|[1-9]\d{2,4})$/,
      'must be a number of MiB, at least 32, or 0 for none',
    ],
  },
  POSTGREST_MEMORY: { description: 'the memory limit of PostgREST' },
  AUTH_MEMORY: { description: 'the memory limit of the auth service' },
  AUTH_HEAP: {
    description: 'the heap of the auth service in MiB',
    form: [/^[1-9]\d{1,5}$/, 'must be a number of MiB such as 192'],
  },
  REALTIME_MEMORY: { description: 'the memory limit of each process of realtime' },
  REALTIME_HEAP: {
    description: 'the heap of each process of realtime in MiB',
    form: [/^[1-9]\d{1,5}$/, 'must be a number of MiB such as 192'],
  },
  EDGE_MEMORY: { description: 'the memory limit of the edge' },
  EDGE_HEAP: {
    description: 'the heap of the edge in MiB',
    form: [/^[1-9]\d{1,5}$/, 'must be a number of MiB such as 128'],
  },
  PGRST_LOG_LEVEL: {
    description: 'the log level of PostgREST',
    form: [/^(crit|error|warn|info|debug)$/, 'must be crit, error, warn, info or debug'],
  },
  PGRST_JWT_CACHE_MAX_ENTRIES: {
    description:
      'PostgREST 16: the maximum number of verified tokens in its cache, about 7 KiB each; 0 turns it off. A cached token still ends with its session, role or key',
    form: [/^\d{1,7}$/, 'must be a number such as 1000'],
  },
  BACKUP_TIME: {
    description: 'the time of the daily backup, in UTC',
    form: [/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in UTC such as 03:15'],
  },
  BACKUP_KEEP_DAYS: {
    description: 'the days that a backup is kept',
    form: [/^[1-9]\d{0,4}$/, 'must be a number of days such as 14'],
  },
  BACKUP_DRILL_DAYS: {
    description: 'the days between test restores; 0 for none',
    form: [/^\d{1,5}$/, 'must be a number of days, or 0'],
  },
  BACKUP_USER: {
    description: 'the owner of `backups/`, as numbers',
    unset: 'written by `setup`',
    form: [/^\d+:\d+$/, 'must be the numbers of a user and a group such as 1000:1000'],
  },
  BACKUP_PING_URL_FILE: {
    description: 'the file with the URL of a monitor that expects each backup',
  },
  PITR_KEEP_DAYS: {
    description: 'the days whose every moment can be restored',
    form: [/^[1-9]\d{0,4}$/, 'must be a number of days such as 7'],
  },
  PITR_WAL_LIMIT: {
    description: 'the log that PostgreSQL keeps for a stopped `pitr`',
    form: [/^[1-9]\d*(MB|GB|TB)$/, 'must be a size such as 2GB'],
  },
  ALERT_WEBHOOK_URL_FILE: { description: 'the file with the URL that receives every alert' },
  WATCHDOG_URL_FILE: { description: 'the file with the URL that receives the alert `Watchdog`' },
}
