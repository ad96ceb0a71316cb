/**
 * Checks that max_connections of PostgreSQL suffices for all services together. Without this check
 * the first symptom would be a 503 under load.
 */
import { configError } from '../common/errors.ts'
import type { Replicas, Settings } from '../common/settings.ts'
import { connect } from '../db/connect.ts'

/** Maximum connections of an auth service: ten for its own queries and jobs, ten for the engine. */
export const connectionsPerAuth = 20
/** Maximum connections of a process of realtime/, which opens the same two pools. */
export const connectionsPerRealtime = 20
/** The connection that each PostgREST opens in addition to its pool, for LISTEN. */
const listenerConnections = 1

type Services = {
  auth: Replicas
  postgrest: Replicas
  /** Undefined if the auth services serve live streams. */
  realtime: Replicas | undefined
  pool: number
}

/** Processes of realtime/ that do not exist. */
const none: Replicas = { fewest: 0, most: 0 }

/**
 * Reads the numbers of processes. Without AUTH_REPLICAS and POSTGREST_REPLICAS there is nothing to
 * compare.
 */
const servicesOf = (settings: Settings): Services | undefined => {
  const {
    AUTH_REPLICAS: auth,
    POSTGREST_REPLICAS: postgrest,
    REALTIME_REPLICAS: realtime,
    PGRST_DB_POOL: pool,
  } = settings
  return auth === undefined || postgrest === undefined
    ? undefined
    : { auth, postgrest, realtime, pool }
}

/**
 * Returns a message if the connections do not suffice. It is fatal if even the minimum number of
 * processes needs too many.
 */
export function connectionProblem(
  { auth, postgrest, realtime = none, pool }: Services,
  { max, reserved }: { max: number, reserved: number },
):
  | { isFatal: boolean, text: string }
  | undefined {
  const sum = (count: keyof Replicas) =>
    auth[count] * connectionsPerAuth + realtime[count] * connectionsPerRealtime +
    postgrest[count] * (pool + listenerConnections)
  const free = max - reserved
  if (sum('most') <= free) return undefined
  const isFatal = sum('fewest') > free
  const count = isFatal ? 'fewest' : 'most'
  const processes = [
    `${auth[count]} auth ${auth[count] === 1 ? 'service' : 'services'}`,
    ...(realtime[count] > 0 ? [`${realtime[count]} realtime`] : []),
  ]
  const settings = [
    'AUTH_REPLICAS',
    'POSTGREST_REPLICAS',
    ...(realtime[count] > 0 ? ['REALTIME_REPLICAS'] : []),
  ]
  return {
    isFatal,
    text: `${processes.join(', ')} and ${postgrest[count]} PostgREST hold up to ${
      sum(count)
    } connections, and PostgreSQL has ${free} for them (max_connections ${max}, ${reserved} of them reserved): raise max_connections, or lower ${
      isFatal ? settings.join(', ') : `the most of ${settings.join(', ')}`
    } or PGRST_DB_POOL.`,
  }
}

/**
 * Returns the problem of the numbers of processes, if there is one.
 * @param limits of the database
 */
export function settingsProblem(
  settings: Settings,
  limits: { max: number, reserved: number },
): ReturnType<typeof connectionProblem> {
  const services = servicesOf(settings)
  return services && connectionProblem(services, limits)
}

/**
 * Compares the connections of all services with the limits of the database.
 * @param log receives a warning if only the maximum number of processes needs too many connections
 * @throws ConfigError if even the minimum number of processes does
 */
export async function checkConnections(
  databaseUrl: string,
  settings: Settings,
  log: (line: string) => void,
): Promise<void> {
  if (servicesOf(settings) === undefined) return
  const client = await connect(databaseUrl)
  try {
    // reserved_connections exists from PostgreSQL 16 on
    const { rows: [limits] } = await client.query<{ max: number, reserved: number }>(`
      select current_setting('max_connections')::int as max,
        current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int as reserved`)
    const problem = limits && settingsProblem(settings, limits)
    if (problem === undefined) return
    if (problem.isFatal) throw configError(problem.text)
    log(problem.text)
  } finally {
    await client.end()
  }
}
