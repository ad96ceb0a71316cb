/** The keys as the engine sees them: rows of auth.jwks. */
import type { JwtOptions } from 'better-auth/plugins'
import { sql } from 'kysely'
import type { AuthDatabase } from '../database.ts'
import { refusal } from '../errors.ts'

/**
 * The engine's view of the keys. It publishes all that verify and signs with the one that signs, whatever is newer; it
 * never makes one on its way to a token.
 */
export function keyAdapter(db: AuthDatabase): NonNullable<JwtOptions['adapter']> {
  return {
    getJwks: async (context) => {
      const rows = await db.selectFrom('auth.jwks').select(['id', 'publicKey', 'privateKey', 'createdAt'])
        .where((key) => (context.path === '/jwks'
          ? key.or([key('expiresAt', 'is', null), key('expiresAt', '>', sql<Date>`now()`)])
          : key.and([key('signsFrom', 'is not', null), key('expiresAt', 'is', null)])))
        .orderBy('createdAt').execute()
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
