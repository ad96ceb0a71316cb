/**
 * Asking for the mail that deletes an account. The engine's own way takes any session for good enough, and no password for the right
 * one; its confirming, which consumes the token of this, is used as it is.
 */
import { randomBytes } from 'node:crypto'
import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import { z } from 'zod'
import type { AuthDatabase } from '../database.ts'
import type { Mailer } from '../mail/mailer.ts'
import { successions } from '../succession.ts'
import { isStoppable } from './change-email.ts'
import { confirmCaller } from './confirm-caller.ts'
import { refuse } from './refuse.ts'

/** How long the link of the mail is good, in milliseconds. */
const lifetimeMs = 3_600_000

export type DeleteAccountParts = { db: AuthDatabase, mailer: Mailer }

/** The endpoint. */
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
      identifier: `delete-account-${token}`,
      value: user.id,
      expiresAt: new Date(Date.now() + lifetimeMs),
    })
    await mailer.accountDeletion(user, token, await successions(db, user.id))
    return context.json({ status: true })
  }),
})
