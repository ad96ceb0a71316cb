/** The keys as the engine sees them: rows of auth.jwks. */
import type { JwtOptions } from 'better-auth/plugins'
import type pg from 'pg'
import { refusal } from '../errors.ts'

/**
 * The engine's view of the keys. It publishes all that verify and signs with the one that signs, whatever is newer; it
 * never makes one on its way to a token.
 */
export function keyAdapter(pool: pg.Pool): NonNullable<JwtOptions['adapter']> {
  return {
    getJwks: async (context) => {
      const which = context.path === '/jwks' ? '(expires_at is null or expires_at > now())' : 'signs_from is not null and expires_at is null'
      const { rows } = await pool.query<{ id: string, public_key: string, private_key: string, created_at: Date }>(
        `select id, public_key, private_key, created_at from auth.jwks where ${which} order by created_at`)
      return rows.map((row) => ({ id: row.id, publicKey: row.public_key, privateKey: row.private_key, createdAt: row.created_at, alg: 'RS256' as const }))
    },
    createJwk: async ({ publicKey, privateKey, createdAt }, context) => {
      // the last key was revoked; the rotation publishes another, which signs when it is known
      if (context.path === '/token') throw refusal('SERVICE_BUSY', undefined, 5)
      const id = crypto.randomUUID()
      await pool.query('insert into auth.jwks (id, public_key, private_key, created_at) values ($1, $2, $3, $4) on conflict do nothing', [id, publicKey, privateKey, createdAt])
      return { id, publicKey, privateKey, createdAt, alg: 'RS256' }
    },
  }
}
