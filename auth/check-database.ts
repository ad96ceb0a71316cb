/** The check of a start that the database is the one of this deployment. */
import pg from 'pg'
import { configError } from '../common/errors.ts'
import { withClient, type Connections } from '../http/database.ts'
import type { IdentityConfig } from './config.ts'

/**
 * The service needs a session for each connection: it prepares statements, listens, and sets
 * timeouts and the context of its audit. Behind a transaction pooler these reach other sessions.
 */
const pooler = () =>
  configError(
    'AUTH_DATABASE_URL leads to a transaction pooler, such as PgBouncer. Connect to PostgreSQL itself: docs/cluster.md',
  )

/**
 * Returns true if statements of one connection run in several sessions. A pooler gives the session
 * that is free to the connection that asks next.
 */
async function isPooled(pool: pg.Pool): Promise<boolean> {
  const sessionOf = async (client: pg.PoolClient) =>
    (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
  return withClient(pool, async (one) => {
    const session = await sessionOf(one)
    return withClient(pool, async (other) => {
      // keeps the session of this connection until its end
      await other.query('begin')
      const isSame = await sessionOf(one) === session
      await other.query('rollback')
      return !isSame
    })
  })
}

/**
 * Checks that this deployment migrated the database, and that each connection is a session of it.
 * @throws ConfigError with the remedy
 */
export async function checkDatabase(
  { db, pool }: Connections,
  config: IdentityConfig,
): Promise<void> {
  let settings: { publicUrl: string } | undefined
  try {
    settings = await db.selectFrom('private.settings').select('publicUrl').executeTakeFirst()
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined
    if (code === '42P01' || code === '3F000')
      throw configError(`The database is not migrated: run \`${config.commands.migrate}\` first.`)
    if (code === '28P01')
      throw configError(
        `AUTH_DATABASE_URL has a wrong password for auth_service: run \`${config.commands.migrate}\`, which sets it.`,
      )
    // PgBouncer refuses the timeouts of a session
    if (code === '08P01') throw pooler()
    if (code === '3D000')
      throw configError('AUTH_DATABASE_URL names a database that does not exist.')
    throw configError(
      `AUTH_DATABASE_URL: the database cannot be reached (${
        error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
      }).`,
    )
  }
  if (await isPooled(pool)) throw pooler()
  if (config.defaultProduct !== undefined) {
    const products =
      (await db.selectFrom('private.products').select('id').orderBy('rank').execute())
        .map(({ id }) => id)
    if (!products.includes(config.defaultProduct))
      throw configError(`DEFAULT_PRODUCT must be one of ${products.join(', ')}.`)
  }
  if (settings?.publicUrl !== config.publicUrl) {
    throw configError(
      `PUBLIC_URL is not the one the database was migrated with, and tokens name it: run \`${config.commands.migrate}\` with this PUBLIC_URL.`,
    )
  }
}
