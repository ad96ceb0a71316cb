/**
 * Whether PostgreSQL has the connections that the services may open together. Found out when they are busiest, it would be
 * a 503 of either surface.
 */
import pg from 'pg'
import { configError } from '../../common/errors.ts'
import type { Replicas, Settings } from '../../common/settings.ts'

/** The most an auth service opens: ten for its own queries, ten for the engine, ten for mail. */
export const ofAuth = 30
/** What each PostgREST opens beside its pool: one that listens. */
const listening = 1

type Services = { auth: Replicas, postgrest: Replicas, pool: number }

/** @returns what is to be said when so many are not there, and whether it is too few even for the fewest processes; undefined when they are */
export function connectionProblem({ auth, postgrest, pool }: Services, { max, reserved }: { max: number, reserved: number }):
  | { isFatal: boolean, text: string }
  | undefined {
  const sum = (count: keyof Replicas) => auth[count] * ofAuth + postgrest[count] * (pool + listening)
  const free = max - reserved
  if (sum('most') <= free) return undefined
  const isFatal = sum('fewest') > free
  const count = isFatal ? 'fewest' : 'most'
  return {
    isFatal,
    text: `${auth[count]} auth ${auth[count] === 1 ? 'service' : 'services'} and ${postgrest[count]} PostgREST hold up to ${
      sum(count)
    } connections, and PostgreSQL has ${free} for them (max_connections ${max}, ${reserved} of them reserved): raise max_connections, or lower ${
      isFatal ? 'AUTH_REPLICAS, POSTGREST_REPLICAS' : 'the most of either'
    } or PGRST_DB_POOL.`,
  }
}

/**
 * Asks the database, where the environment says how many processes there are.
 * @param log told when the most processes are too many; fewer of them start all the same
 * @throws ConfigError when even the fewest are
 */
export async function checkConnections(databaseUrl: string, settings: Settings, log: (line: string) => void): Promise<void> {
  const { AUTH_REPLICAS: auth, POSTGREST_REPLICAS: postgrest, PGRST_DB_POOL: pool } = settings
  if (auth === undefined || postgrest === undefined) return
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'migrate', connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    // the second is PostgreSQL's from 16 on
    const { rows: [limits] } = await client.query<{ max: number, reserved: number }>(`
      select current_setting('max_connections')::int as max,
        current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int as reserved`)
    const problem = limits === undefined ? undefined : connectionProblem({ auth, postgrest, pool }, limits)
    if (problem === undefined) return
    if (problem.isFatal) throw configError(problem.text)
    log(problem.text)
  } finally {
    await client.end()
  }
}
