/**
 * The signing keys in auth.jwks: better-auth's adapter for them, the signer of tokens, and the
 * check of the secret that encrypts them.
 */
import type { AuthContext } from 'better-auth'
import { symmetricDecrypt } from 'better-auth/crypto'
import {
  resolveSigningKey,
  signJWT,
  type JwtOptions,
  type ResolvedSigningKey,
} from 'better-auth/plugins'
import { createLocalJWKSet, jwtVerify, type JWK } from 'jose'
import { sql } from 'kysely'
import type pg from 'pg'
import { configError } from '../../common/errors.ts'
import type { AuthDatabase } from '../../http/database.ts'
import { rejection } from '../../http/errors.ts'
import type { TokenClaims } from '../../http/route.ts'

/** The condition of the one key that signs. After a revocation no key meets it. */
export const isSigningKey = 'signs_from is not null and expires_at is null'

export const signingKey = (db: AuthDatabase) =>
  db.selectFrom('auth.jwks').where(sql.raw<boolean>(isSigningKey))

/** All keys that verify, including a key that does not sign yet. */
const verifyingKeys = (db: AuthDatabase) =>
  db.selectFrom('auth.jwks').where((key) =>
    key.or([key('expiresAt', 'is', null), key('expiresAt', '>', sql<Date>`now()`)])
  )

/**
 * Builds better-auth's access to the keys. For `/jwks` it returns all keys that verify. For a
 * signature it returns only the key that signs, even if a newer key is published. It never makes a
 * key while a token is issued.
 */
export function keyAdapter(db: AuthDatabase): NonNullable<JwtOptions['adapter']> {
  return {
    getJwks: async (context) => {
      const rows = await (context.path === '/jwks' ? verifyingKeys(db) : signingKey(db))
        .select(['id', 'publicKey', 'privateKey', 'createdAt']).orderBy('createdAt').execute()
      return rows.map((row) => ({ ...row, alg: 'RS256' as const }))
    },
    createJwk: async ({ publicKey, privateKey, createdAt }, context) => {
      // The last key was revoked. The rotation publishes another, which signs once PostgREST has
      // loaded it.
      if (context.path === '/token') throw rejection('SERVICE_BUSY', undefined, 5)
      const id = crypto.randomUUID()
      await db.insertInto('auth.jwks').values({ id, publicKey, privateKey, createdAt })
        .onConflict((conflict) => conflict.doNothing()).execute()
      return { id, publicKey, privateKey, createdAt, alg: 'RS256' }
    },
  }
}

/**
 * Verifies the signature of a token. private.token_problem() checks its claims.
 * @returns its claims; undefined if no key of ours signed it
 */
export async function verifyToken(
  db: AuthDatabase,
  token: string,
): Promise<TokenClaims | undefined> {
  const rows = await verifyingKeys(db).select(['id', 'publicKey']).execute()
  const keys = rows.map(({ id, publicKey }) => ({
    ...JSON.parse(publicKey) as JWK,
    kid: id,
    alg: 'RS256',
  }))
  return jwtVerify<TokenClaims>(token, createLocalJWKSet({ keys }), {
    algorithms: ['RS256'],
    clockTolerance: 30,
  }).then(
    ({ payload }) => payload,
    () => undefined,
  )
}

/** @param kid the current signing key @returns the token */
export type Signer = (kid: string, payload: Record<string, unknown>) => Promise<string>

/**
 * Builds the signer on better-auth's signJWT(). It decrypts and imports a key only once, because
 * that takes longer than a signature.
 */
export function createSigner(context: AuthContext, options: JwtOptions): Signer {
  const endpoint = { context, path: '/token' } as unknown as Parameters<typeof signJWT>[0]
  let cachedKey: ResolvedSigningKey | undefined
  // concurrent calls wait for the same import
  let importing: Promise<ResolvedSigningKey> | undefined

  const importKey = async (): Promise<ResolvedSigningKey> => {
    const key = await resolveSigningKey(endpoint, options)
    if (key === null) throw new Error('Tokens are signed elsewhere.')
    cachedKey = key
    return key
  }
  const keyOf = (kid: string): Promise<ResolvedSigningKey> | ResolvedSigningKey => {
    if (cachedKey?.kid === kid) return cachedKey
    importing ??= importKey().finally(() => {
      importing = undefined
    })
    return importing
  }
  return async (kid, payload) =>
    signJWT(endpoint, { options, payload, resolvedKey: await keyOf(kid) })
}

/**
 * Refuses a database with signing keys of another secret. A migration sets the passwords of the
 * logins, and would lock out the services of the deployment that the database belongs to. A
 * database without keys passes: it is new, or the operator revoked its keys.
 * @throws ConfigError if the secret does not decrypt the newest key
 */
export async function checkSecret(client: pg.ClientBase, secret: string): Promise<void> {
  const { rows: [table] } = await client.query<{ exists: boolean }>(
    `select to_regclass('auth.jwks') is not null as exists`,
  )
  if (table?.exists !== true) return
  const { rows: [key] } = await client.query<{ private_key: string }>(
    'select private_key from auth.jwks order by created_at desc limit 1',
  )
  if (key === undefined) return
  try {
    await symmetricDecrypt({ key: secret, data: JSON.parse(key.private_key) as string })
  } catch {
    throw configError(
      'BETTER_AUTH_SECRET is not the secret of the signing keys in this database, so nothing was changed. Use the settings of the deployment that the database belongs to, such as its .env and secrets/BETTER_AUTH_SECRET, or connect to another database. docs/operations.md describes how to change the secret on purpose.',
    )
  }
}
