/** The adapter for better-auth's signing keys: rows of auth.jwks. */
import type { JwtOptions } from 'better-auth/plugins'
import { sql } from 'kysely'
import type { AuthDatabase } from '../database.ts'
import { refusal } from '../errors.ts'

/** The condition of the one key that signs. After a revocation no key meets it. */
export const isSigningKey = 'signs_from is not null and expires_at is null'

export const signingKey = (db: AuthDatabase) => db.selectFrom('auth.jwks').where(sql.raw<boolean>(isSigningKey))

/** All keys that verify, including a key that does not sign yet. */
const verifyingKeys = (db: AuthDatabase) =>
  db.selectFrom('auth.jwks').where((key) => key.or([key('expiresAt', 'is', null), key('expiresAt', '>', sql<Date>`now()`)]))

/**
 * Returns the keys that verify for the published key set, and the one key that signs for a signature, even if a newer key is
 * published. It makes no key for a token.
 */
export function keyAdapter(db: AuthDatabase): NonNullable<JwtOptions['adapter']> {
  return {
    getJwks: async (context) => {
      const rows = await (context.path === '/jwks' ? verifyingKeys(db) : signingKey(db))
        .select(['id', 'publicKey', 'privateKey', 'createdAt']).orderBy('createdAt').execute()
      return rows.map((row) => ({ ...row, alg: 'RS256' as const }))
    },
    createJwk: async ({ publicKey, privateKey, createdAt }, context) => {
      // The last key was revoked. The rotation publishes another, which signs once PostgREST knows it.
      if (context.path === '/token') throw refusal('SERVICE_BUSY', undefined, 5)
      const id = crypto.randomUUID()
      await db.insertInto('auth.jwks').values({ id, publicKey, privateKey, createdAt }).onConflict((conflict) => conflict.doNothing()).execute()
      return { id, publicKey, privateKey, createdAt, alg: 'RS256' }
    },
  }
}
