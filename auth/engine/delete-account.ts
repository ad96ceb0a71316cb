/**
 * The mail that deletes an account, and the deletion. The engine's own endpoints accept any session instead of the password, and
 * consume the token before they compare its account with the caller's.
 */
import { randomBytes } from 'node:crypto'
import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { deleteSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import type { AuthDatabase } from '../database.ts'
import type { Mailer } from '../mail/mailer.ts'
import { successions } from '../succession.ts'
import { isStoppable } from './change-email.ts'
import { confirmCaller } from './confirm-caller.ts'
import { refuse } from './refuse.ts'

/** How long the link of the mail is good, in milliseconds. */
const lifetimeMs = 3_600_000

/** The account is part of the name, so that another user's session finds no token to consume. */
const identifierOf = (userId: string, token: string): string => `delete-account-${userId}-${token}`

export type DeleteAccountParts = { db: AuthDatabase, mailer: Mailer }

/** The two endpoints. */
export const deleteAccountEndpoints = ({ db, mailer }: DeleteAccountParts) => ({
  requestDeleteAccount: createAuthEndpoint('/request-delete-account', {
    method: 'POST',
    body: z.object({ password: z.string().optional() }),
    use: [sessionMiddleware],
  }, async (context) => {
    const { internalAdapter, session: { user } } = context.context
    await confirmCaller(context.context, context.body.password)
    // or whoever has taken an account over would delete what its person can still bring back
    if (await isStoppable(db, user)) refuse('EMAIL_CHANGED_RECENTLY')
    const token = randomBytes(24).toString('base64url')
    await internalAdapter.createVerificationValue({
      identifier: identifierOf(user.id, token),
      value: user.id,
      expiresAt: new Date(Date.now() + lifetimeMs),
    })
    await mailer.accountDeletion(user, token, await successions(db, user.id))
    return context.json({ status: true })
  }),

  confirmDeleteAccount: createAuthEndpoint('/confirm-delete-account', {
    method: 'POST',
    body: z.object({ token: z.string() }),
    use: [sessionMiddleware],
  }, async (context) => {
    const { internalAdapter, session: { user } } = context.context
    if (await internalAdapter.consumeVerificationValue(identifierOf(user.id, context.body.token)) === null) refuse('INVALID_TOKEN')
    await internalAdapter.deleteUser(user.id)
    deleteSessionCookie(context)
    return context.json({ status: true })
  }),
})
