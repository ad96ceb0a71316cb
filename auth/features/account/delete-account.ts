/**
 * Deletes accounts by a mailed link. better-auth's endpoint accepts any session in place of the
 * password, and consumes the token of another account.
 */
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { deleteSessionCookie } from 'better-auth/cookies'
import type { AuthDatabase } from '../../../http/database.ts'
import { withBetterAuth } from '../../engine/engine.ts'
import { reject } from '../../../http/errors.ts'
import type { Succession } from '../../mail/messages.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { confirmCaller } from '../caller.ts'
import { deleteWithRows } from '../delete-with-rows.ts'
import type { Confirmed, WithToken } from '../../../http/fields.ts'
import { isStoppable } from './change-email.ts'

/** Lifetime of the link, in milliseconds. */
const lifetimeMs = 3_600_000

/** The name includes the account, so a session of another user finds no token to consume. */
const identifierOf = (userId: string, token: string): string => `delete-account-${userId}-${token}`

/**
 * The organizations that a user owns, in the order of their creation, with the next owner:
 * auth.successor_of.
 */
async function successions(db: AuthDatabase, userId: string): Promise<Succession[]> {
  const rows = await db.selectFrom('auth.members')
    .innerJoin('auth.organizations', 'auth.organizations.id', 'auth.members.organizationId')
    .leftJoin(
      'auth.users',
      (join) =>
        join.on(
          'auth.users.id',
          '=',
          (on) => on.fn('auth.successor_of', ['auth.organizations.id']),
        ),
    )
    .select([
      'auth.organizations.id',
      'auth.organizations.name',
      'auth.users.id as successorId',
      'auth.users.name as successorName',
    ])
    .where('auth.members.userId', '=', userId).where('auth.members.role', '=', 'owner')
    .orderBy('auth.organizations.createdAt').orderBy('auth.organizations.id').execute()
  return rows.map(({ id, name, successorId, successorName }) => ({
    id,
    name,
    successor: successorId === null ? null : { id: successorId, name: successorName ?? '' },
  }))
}

/** Mails the link. @returns the organizations that the user owns */
export async function requestAccountDeletion(
  c: RouteContext,
  { password }: Confirmed,
): Promise<Succession[]> {
  const { db, mailer } = c.var.services
  const { user } = callerOf(c)
  await confirmCaller(c, password)
  // Otherwise an attacker who took the account over could delete it while its owner can still take
  // it back.
  if (await isStoppable(db, user)) reject('EMAIL_CHANGED_RECENTLY')
  const token = randomBytes(24).toString('base64url')
  const verification = {
    identifier: identifierOf(user.id, token),
    value: user.id,
    expiresAt: new Date(Date.now() + lifetimeMs),
  }
  await withBetterAuth(
    c,
    ({ context }) => context.internalAdapter.createVerificationValue(verification),
  )
  const organizations = await successions(db, user.id)
  await mailer.accountDeletion(user, token, organizations)
  return organizations
}

export function confirmAccountDeletion(c: RouteContext, { token }: WithToken): Promise<void> {
  const { user } = callerOf(c)
  return deleteWithRows(c, `account ${user.id}`, () =>
    withBetterAuth(c, async (endpoint) => {
      if (
        await endpoint.context.internalAdapter.consumeVerificationValue(
          identifierOf(user.id, token),
        ) === null
      ) reject('INVALID_TOKEN')
      await sql`select private.lock_organizations_of_user(${user.id})`.execute(c.var.services.db)
      await c.var.services.db.deleteFrom('auth.users').where('id', '=', user.id).execute()
      deleteSessionCookie(endpoint)
    }))
}
