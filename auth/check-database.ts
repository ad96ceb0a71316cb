/** The check of a start that the database is the one of this deployment. */
import pg from 'pg'
import { configError } from '../common/errors.ts'
import type { AuthDatabase } from '../http/database.ts'
import type { IdentityConfig } from './config.ts'

/**
 * Checks that this deployment migrated the database.
 * @throws ConfigError with the remedy
 */
export async function checkDatabase(db: AuthDatabase, config: IdentityConfig): Promise<void> {
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
    if (code === '3D000')
      throw configError('AUTH_DATABASE_URL names a database that does not exist.')
    throw configError(
      `AUTH_DATABASE_URL: the database cannot be reached (${
        error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
      }).`,
    )
  }
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
