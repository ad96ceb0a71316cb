/**
 * API keys: what a person gives to a program of theirs, which gets tokens with it and nothing else. A key is known by a hash; what
 * it may is decided by the database (db/functions/auth/api_keys.sql).
 */
import { createHash, randomBytes } from 'node:crypto'
import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { AuthDatabase } from '../database.ts'
import { givenRoleNames } from '../roles.ts'
import { confirmCaller } from './confirm-caller.ts'
import { newId } from './new-id.ts'
import { ofCaller } from './of-caller.ts'
import { refuse } from './refuse.ts'

/** How each key begins, for whoever looks for keys in what was published by mistake. */
const prefix = 'fin_'

const day = 86_400_000

/** Finds the key in a field `authorization`. @returns undefined where there is none of ours, such as with a token of the data surface */
export const apiKeyIn = (authorization: string | undefined): string | undefined => /^bearer +(fin_.*)$/i.exec(authorization ?? '')?.[1]

/** What is stored of a key. It is 256 random bits, so a slow hash would protect nothing, and each token would wait for it. */
export const hashOfApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

const shown = ['id', 'name', 'hint', 'organizationId', 'role', 'createdAt', 'expiresAt', 'lastUsedAt'] as const

/** The three endpoints. */
export const apiKeyEndpoints = (db: AuthDatabase) => ({
  createApiKey: createAuthEndpoint('/api-key/create', {
    method: 'POST',
    body: z.object({
      name: z.string(),
      expiresInDays: z.number(),
      organizationId: z.string().nullable(),
      role: z.enum(givenRoleNames),
      password: z.string().optional(),
    }),
    use: [sessionMiddleware],
  }, async (context) => {
    const { session: { user } } = context.context
    const { password, expiresInDays, ...given } = context.body
    // else whoever signed up with somebody else's address would keep a key when its owner takes the account over
    if (!user.emailVerified) refuse('EMAIL_NOT_VERIFIED')
    await confirmCaller(context.context, password)
    const key = `${prefix}${randomBytes(32).toString('base64url')}`
    const stored = {
      ...given,
      id: newId(context.context, 'apiKey'),
      userId: user.id,
      keyHash: hashOfApiKey(key),
      hint: key.slice(0, prefix.length + 4),
      expiresAt: new Date(Date.now() + expiresInDays * day),
    }
    const made = await ofCaller(db, context.context.session, (trx) => trx.insertInto('auth.api_keys').values(stored).returning(shown).executeTakeFirstOrThrow())
    return context.json({ ...made, key })
  }),

  listApiKeys: createAuthEndpoint('/api-key/list', {
    method: 'GET',
    use: [sessionMiddleware],
  }, async (context) =>
    context.json(
      await db.selectFrom('auth.api_keys').select(shown).where('userId', '=', context.context.session.user.id)
        .orderBy('createdAt', 'desc').orderBy('id').execute(),
    )),

  revokeApiKey: createAuthEndpoint('/api-key/revoke', {
    method: 'POST',
    body: z.object({ keyId: z.string() }),
    use: [sessionMiddleware],
  }, async (context) => {
    const revoked = await db.deleteFrom('auth.api_keys').where('id', '=', context.body.keyId)
      .where('userId', '=', context.context.session.user.id).executeTakeFirst()
    if (revoked.numDeletedRows !== 1n) refuse('NOT_FOUND')
    return context.json({ status: true })
  }),
})
