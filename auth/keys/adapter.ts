/** The keys as the engine sees them: rows of auth.jwks. */
import type { JwtOptions } from 'better-auth/plugins'
import { sql } from 'kysely'
import type { AuthDatabase } from '../database.ts'
import { refusal } from '../errors.ts'

/** The condition of the one key that signs. After a revocation no key meets it. */
export const isSigningKey = 'signs_from is not null and expires_at is null'

export const signingKey = (db: AuthDatabase) => db.selectFrom('auth.jwks').where(sql.raw<boolean>(isSigningKey))

/** Every key that still verifies, one that does not sign yet included. */
const verifyingKeys = (db: AuthDatabase) =>
  db.selectFrom('auth.jwks').where((key) => key.or([key('expiresAt', 'is', null), key('expiresAt', '>', sql<Date>`now()`)]))

/**
 * The engine reads the keys through this. For the published key set it gets every key that still verifies. For a signature it
 * gets the one key that signs, even when a newer one is published already. It makes no key while it issues a token.
 */
export function keyAdapter(db: AuthDatabase): NonNullable<JwtOptions['adapter']> {
  return {
    getJwks: async (context) => {
      const rows = await (context.path === '/jwks' ? verifyingKeys(db) : signingKey(db))
        .select(['id', 'publicKey', 'privateKey', 'createdAt']).orderBy('createdAt').execute()
      return rows.map((row) => ({ ...row, alg: 'RS256' as const }))
    },
    createJwk: async ({ publicKey, privateKey, createdAt }, context) => {
      // the last key was revoked; the rotation publishes another, which signs when it is known
      if (context.path === '/token') throw refusal('SERVICE_BUSY', undefined, 5)
      const id = crypto.randomUUID()
      await db.insertInto('auth.jwks').values({ id, publicKey, privateKey, createdAt }).onConflict((conflict) => conflict.doNothing()).execute()
      return { id, publicKey, privateKey, createdAt, alg: 'RS256' }
    },
  }
}
