/**
 * Changes the address of an account. The new address confirms the change, and the old one can stop
 * it. better-auth would ask the old address first, and its change is final.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { AuthContext } from 'better-auth'
import { z } from 'zod'
import type { AuthDatabase } from '../../../http/database.ts'
import { withBetterAuth } from '../../engine/engine.ts'
import { reject } from '../../../http/errors.ts'
import type { RateLimit } from '../../../http/policy.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { confirmCaller, withAccountLock } from '../caller.ts'
import { deleteWithRows } from '../delete-with-rows.ts'
import type { Confirmed, WithToken } from '../../../http/fields.ts'
import { addressProblem, domainProblem } from './sign-up.ts'
import { deleteEmailChanges, deleteWaysIn, emailChangePrefix } from './ways-in.ts'

const day = 86_400_000
/** Lifetimes of both links. */
const lifetimes = { confirm: day, stop: 7 * day }

/**
 * Time before the request in which an attacker may have added other ways to sign in, in
 * milliseconds.
 */
const suspectBefore = 7 * day

type Kind = keyof typeof lifetimes

const changeOf = z.object({
  userId: z.string(),
  from: z.string(),
  to: z.string(),
  credential: z.string(),
})
type Change = z.output<typeof changeOf>

/** Limit of emails per new address, because the request can send an email to any address. */
const mailLimit: RateLimit = { window: 900, max: 5 }

/**
 * Returns a value that identifies the current password. A change of the password invalidates the
 * request.
 */
const fingerprint = (password: string | null): string =>
  createHash('sha256').update(password ?? '').digest('base64url')

/** better-auth's store of tokens that work once. */
type Verifications = AuthContext['internalAdapter']

const identifierOf = (kind: Kind, token: string): string => `${kind}-email-change-${token}`

async function storeToken(
  verifications: Verifications,
  kind: Kind,
  { userId, ...change }: Change,
): Promise<string> {
  const token = randomBytes(24).toString('base64url')
  await verifications.createVerificationValue({
    identifier: identifierOf(kind, token),
    value: JSON.stringify({ kind, userId, ...change }),
    expiresAt: new Date(Date.now() + lifetimes[kind]),
  })
  return token
}

/**
 * Consumes a token.
 * @param check may refuse the change; the token then stays valid
 * @returns the change and the time of the request
 * @throws Rejection INVALID_TOKEN
 */
async function consumeToken(
  verifications: Verifications,
  kind: Kind,
  token: string,
  check: (change: Change) => Promise<void> = () => Promise.resolve(),
): Promise<Change & { requestedAt: Date }> {
  const waiting = await verifications.findVerificationValue(identifierOf(kind, token))
  if (waiting === null || waiting.expiresAt < new Date()) reject('INVALID_TOKEN')
  const change = changeOf.parse(JSON.parse(waiting.value))
  await check(change)
  const kept = await verifications.consumeVerificationValue(identifierOf(kind, token))
  return kept === null
    ? reject('INVALID_TOKEN')
    : { ...change, requestedAt: new Date(kept.expiresAt.getTime() - lifetimes[kind]) }
}

/**
 * Sets the new address as verified, unless the address or the password has changed since the
 * request.
 */
async function confirmChange(
  db: AuthDatabase,
  { userId, from, to, credential }: Change,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const account = await trx.selectFrom('auth.accounts').select('password').where(
      'userId',
      '=',
      userId,
    ).where('providerId', '=', 'credential').forUpdate()
      .executeTakeFirst()
    if (fingerprint(account?.password ?? null) !== credential) reject('INVALID_TOKEN')
    const changed = await trx.updateTable('auth.users').set({
      email: to,
      emailVerified: true,
      updatedAt: new Date(),
    }).where('id', '=', userId)
      .where('email', '=', from).executeTakeFirst()
    if (changed.numUpdatedRows !== 1n) reject('INVALID_TOKEN')
    // links that were mailed to the previous address
    await trx.deleteFrom('auth.verifications').where('value', '=', userId).execute()
  })
}

/**
 * Restores the old address of the account, even after later changes of the address. The attacker
 * who requested the change knew the password and may be signed in. This deletes every way to sign
 * in that the attacker may have added:
 * - all that deleteWaysIn() names. The owner links a provider again by signing in there.
 * - invitations in the user's name
 * - a second factor or backup codes from the week before the request, or later Older second factors
 *   stay: the user would have noticed a foreign one by then, and access to the mailbox must not be
 *   enough to remove a factor. The link of an older change invalidates the links of later ones,
 *   because the owner had the address first.
 */
async function stopChange(
  db: AuthDatabase,
  { userId, from, requestedAt }: Change & { requestedAt: Date },
): Promise<void> {
  const suspectFrom = new Date(requestedAt.getTime() - suspectBefore)
  await db.transaction().execute(async (trx) => {
    // Otherwise an attacker could keep the address by signing up with it again. Such an account is
    // unverified; the token proves the owner.
    await trx.deleteFrom('auth.users').where('email', '=', from).where('id', '<>', userId).where(
      'emailVerified',
      '=',
      false,
    ).execute()
    const kept = await trx.updateTable('auth.users').set({
      email: from,
      emailVerified: true,
      updatedAt: new Date(),
    }).where('id', '=', userId)
      .executeTakeFirst()
    if (kept.numUpdatedRows !== 1n) reject('INVALID_TOKEN')
    await deleteWaysIn(trx, userId)
    await trx.deleteFrom('auth.verifications').where((link) =>
      link.fn<boolean>('starts_with', ['value', link.val(emailChangePrefix('stop', userId))])
    )
      .where('expiresAt', '>=', new Date(requestedAt.getTime() + lifetimes.stop)).execute()
    await trx.deleteFrom('auth.two_factors').where('userId', '=', userId)
      .where((factor) =>
        factor.or([factor('enabledAt', 'is', null), factor('enabledAt', '>', suspectFrom)])
      ).execute()
    await trx.updateTable('auth.two_factors').set({ backupCodes: [], backupCodesMadeAt: null })
      .where('userId', '=', userId)
      .where('backupCodesMadeAt', '>', suspectFrom).execute()
    await trx.updateTable('auth.invitations').set({ status: 'canceled' }).where(
      'inviterId',
      '=',
      userId,
    ).where('status', '=', 'pending')
      .where('createdAt', '>', suspectFrom).execute()
  })
}

/** Returns true if the account's address can still be changed back. */
export async function isStoppable(
  db: AuthDatabase,
  { id, email }: { id: string, email: string },
): Promise<boolean> {
  const links = await db.selectFrom('auth.verifications').select('value').where(
    'expiresAt',
    '>',
    new Date(),
  )
    .where((link) =>
      link.fn<boolean>('starts_with', ['value', link.val(emailChangePrefix('stop', id))])
    ).execute()
  return links.some(({ value }) => changeOf.parse(JSON.parse(value)).from !== email)
}

export async function requestEmailChange(
  c: RouteContext,
  { newEmail: to, password }: { newEmail: string } & Confirmed,
): Promise<void> {
  const { config, limits, mailer } = c.var.services
  const { user } = callerOf(c)
  // Otherwise one invitation would make many accounts, and an attacker could move an account that
  // its owner has yet to verify.
  if (!user.emailVerified) reject('EMAIL_NOT_VERIFIED')
  const credential = await confirmCaller(c, password)
  const problem = domainProblem(config, to)
  if (problem !== undefined) reject(problem)
  if (to === user.email) reject('VALIDATION_ERROR')
  const { allowed, retryAfterSeconds } = await limits.consumeForAccount(
    'email-change-mail',
    to,
    mailLimit,
  )
  if (!allowed) reject('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
  const change = { userId: user.id, from: user.email, to, credential: fingerprint(credential) }
  // The older link may be at a mistyped address. The lock makes concurrent requests replace each
  // other too.
  await withAccountLock(c, (trx) => deleteEmailChanges(trx, user.id))
  await withBetterAuth(c, async ({ context: { internalAdapter } }) => {
    await mailer.emailChange(
      { name: user.name, email: to },
      await storeToken(internalAdapter, 'confirm', change),
    )
    await mailer.emailChangeNotice(user, to, await storeToken(internalAdapter, 'stop', change))
  })
}

export async function confirmEmailChange(c: RouteContext, { token }: WithToken): Promise<void> {
  const { config, db } = c.var.services
  const change = await withBetterAuth(
    c,
    ({ context }) =>
      consumeToken(context.internalAdapter, 'confirm', token, async ({ to }) => {
        const problem = await addressProblem(config, db, to)
        if (problem !== undefined) reject(problem)
      }),
  )
  await confirmChange(db, change)
}

export function stopEmailChange(c: RouteContext, { token }: WithToken): Promise<void> {
  const { db, mailer } = c.var.services
  return deleteWithRows(c, `email change ${token}`, async () => {
    const change = await withBetterAuth(
      c,
      ({ context }) => consumeToken(context.internalAdapter, 'stop', token),
    )
    await stopChange(db, change)
    await mailer.requestPasswordReset(change.from, undefined)
  })
}
