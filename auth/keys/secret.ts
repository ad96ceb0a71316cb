/** Check that a database belongs to this deployment: BETTER_AUTH_SECRET decrypts its signing keys. */
import { symmetricDecrypt } from 'better-auth/crypto'
import type pg from 'pg'
import { configError } from '../../common/errors.ts'

/**
 * Refuses a database with signing keys of another secret. A migration sets the passwords of the logins, and would lock out the
 * services of the deployment that the database belongs to. A database without keys passes: it is new, or the operator revoked its keys.
 * @throws ConfigError if the secret does not decrypt the newest key
 */
export async function checkSecret(client: pg.ClientBase, secret: string): Promise<void> {
  const { rows: [table] } = await client.query<{ exists: boolean }>(`select to_regclass('auth.jwks') is not null as exists`)
  if (table?.exists !== true) return
  const { rows: [key] } = await client.query<{ private_key: string }>('select private_key from auth.jwks order by created_at desc limit 1')
  if (key === undefined) return
  try {
    await symmetricDecrypt({ key: secret, data: JSON.parse(key.private_key) as string })
  } catch {
    throw configError(
      'BETTER_AUTH_SECRET is not the secret of the signing keys in this database, so nothing was changed. Use the settings of the deployment that the database belongs to, such as its .env and secrets/BETTER_AUTH_SECRET, or connect to another database. docs/operations.md describes how to change the secret on purpose.',
    )
  }
}
