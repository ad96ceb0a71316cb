/**
 * The second factor: a code of an authenticator app, or a backup code. We do not use better-auth's
 * plugin. It makes the session first, accepts a code repeatedly, and guards only the sign-in routes
 * that it knows. Here no session is stored before the code is verified.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { AuthContext, GenericEndpointContext } from 'better-auth'
import { expireCookie } from 'better-auth/cookies'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { basePath } from '../../../common/contract.ts'
import type { AuthDatabase, Connections } from '../../../http/database.ts'
import { cookieValues } from '../../engine/cookies.ts'
import { pendingCookie } from '../../engine/credentials.ts'
import { withBetterAuth } from '../../engine/engine.ts'
import { rejection, reject } from '../../../http/errors.ts'
import { currentRequest } from '../../../http/policy.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { beginSession, confirmCaller, signedIn, withAccountLock } from '../caller.ts'
import type { Confirmed } from '../../../http/fields.ts'
import { randomBase32, stepOf, totpUri } from './totp.ts'

const rememberDevice = z.boolean().default(false).meta({
  description: 'Whether this browser signs in without a code for 30 days.',
})

export const input = {
  totp: z.object({
    code: z.string().regex(/^[0-9]{6}$/, 'must be six digits'),
    trustDevice: rememberDevice,
  }),
  backupCode: z.object({ code: z.string().min(1).max(64), trustDevice: rememberDevice }),
}

const backupCodes = z.array(z.string()).meta({
  description: 'Each works once. They are not returned again.',
  examples: [['mz2k-q4tn-x7ab-c5dw']],
})

export const output = {
  status: z.object({ enabled: z.boolean(), backup_codes_left: z.int().nonnegative() }),
  begun: z.object({
    totp_uri: z.string().meta({
      description: 'For a QR code. A user can type the `secret` of its query instead.',
    }),
    backup_codes: backupCodes,
  }),
  backupCodes: z.object({ backup_codes: backupCodes }),
}

/** Lifetime of a pending sign-in and of a remembered device, in seconds. */
const lifetimes = { 'sign-in': 600, device: 30 * 86_400 }
type Purpose = keyof typeof lifetimes

const backupCodeCount = 10

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/**
 * Returns new backup codes. Each has 80 random bits, so a hash without a key is enough, and it
 * works even if BETTER_AUTH_SECRET is lost.
 */
const newBackupCodes = (): string[] =>
  Array.from(
    { length: backupCodeCount },
    () => randomBase32(10).toLowerCase().replace(/(.{4})(?=.)/g, '$1-'),
  )

/** @param code as a user types it */
const hashOfBackupCode = (userId: string, code: string): string =>
  hashOf(`${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`)

/**
 * The cookies have narrow paths: another better-auth cookie on each request would make the reading
 * of sessions slower.
 */
const cookies = {
  'sign-in': (auth: AuthContext) =>
    auth.createAuthCookie(pendingCookie, {
      maxAge: lifetimes['sign-in'],
      path: `${basePath}/two-factor`,
    }),
  // one for each account, because users share browsers
  device: (auth: AuthContext, userId: string) =>
    auth.createAuthCookie(
      `trusted_device_${createHash('sha256').update(userId).digest('hex').slice(0, 8)}`,
      {
        maxAge: lifetimes.device,
        path: `${basePath}/sign-in`,
      },
    ),
}

async function setToken(
  db: AuthDatabase,
  endpoint: GenericEndpointContext,
  userId: string,
  purpose: Purpose,
): Promise<void> {
  const token = randomBytes(24).toString('base64url')
  const expiresAt = new Date(Date.now() + lifetimes[purpose] * 1_000)
  await db.insertInto('auth.two_factor_tokens').values({
    tokenHash: hashOf(token),
    userId,
    purpose,
    expiresAt,
  }).execute()
  const { name, attributes } = cookies[purpose](endpoint.context, userId)
  endpoint.setCookie(name, token, attributes)
}

/** Selects the newest token of the browser's cookies, if it has not expired. */
function tokenOf(
  db: AuthDatabase,
  endpoint: GenericEndpointContext,
  purpose: Purpose,
  userId = '',
) {
  const values = cookieValues(
    endpoint.headers?.get('cookie') ?? undefined,
    cookies[purpose](endpoint.context, userId).name,
  )
  return db.selectFrom('auth.two_factor_tokens').select(['tokenHash', 'userId']).where(
    'purpose',
    '=',
    purpose,
  ).where('expiresAt', '>', new Date())
    .where('tokenHash', 'in', ['', ...values.map(hashOf)]).orderBy('expiresAt', 'desc')
}

/**
 * Refuses a session of an account that has two factors or requires a passkey. better-auth calls it
 * before it stores any session.
 * @throws Rejection SECOND_FACTOR_REQUIRED; if a code will do, also sets the cookie of the pending
 * sign-in
 */
export async function requireSecondFactor(
  { db, outsideTransaction }: Pick<Connections, 'db' | 'outsideTransaction'>,
  userId: string,
  endpoint: GenericEndpointContext | null,
): Promise<void> {
  const request = currentRequest.getStore()
  // The caller has a session already, and this one replaces it, as after a change of the password.
  if (request?.caller?.user.id === userId || request?.policy.secondFactor === 'verified') return
  const { hasApp, passkeyRequired } =
    await db.selectFrom('auth.users').leftJoin('auth.two_factors', 'userId', 'id')
      .select(['passkeyRequired', sql<boolean>`enabled_at is not null`.as('hasApp')]).where(
        'id',
        '=',
        userId,
      ).executeTakeFirst()
      ?? { hasApp: false, passkeyRequired: false }
  if (!hasApp && !passkeyRequired) return
  if (hasApp && endpoint !== null) {
    if (
      await tokenOf(db, endpoint, 'device', userId).where('userId', '=', userId)
        .executeTakeFirst() !== undefined
    ) return
    // stored although this request is refused
    await outsideTransaction(() => setToken(db, endpoint, userId, 'sign-in'))
  }
  reject('SECOND_FACTOR_REQUIRED')
}

/**
 * Counts the guess and returns the user to verify: that of the pending sign-in, otherwise the
 * signed-in user.
 */
async function resolveUser(
  c: RouteContext,
  endpoint: GenericEndpointContext,
  trustDevice: boolean,
) {
  // A remembered device is a cookie. An app needs none, because it keeps its session.
  if (trustDevice && c.var.isApp)
    throw rejection('VALIDATION_ERROR', 'trustDevice is for browsers only.')
  const { db, guesses, identity: { readSession } } = c.var.services
  const pending = await tokenOf(db, endpoint, 'sign-in').executeTakeFirst()
  const current = pending === undefined ? await readSession(c) ?? reject('UNAUTHORIZED') : undefined
  const userId = pending?.userId ?? current?.user.id ?? reject('UNAUTHORIZED')
  await guesses.count('second-factor', userId)
  return { userId, tokenHash: pending?.tokenHash, current }
}

/** Completes the sign-in; keeps the session of a user who is signed in. */
async function complete(
  c: RouteContext,
  endpoint: GenericEndpointContext,
  verified: Awaited<ReturnType<typeof resolveUser>>,
  trustDevice: boolean,
) {
  const { db, guesses } = c.var.services
  const { userId, tokenHash, current } = verified
  await guesses.forget('second-factor', userId)
  if (tokenHash !== undefined) {
    const { numDeletedRows } = await db.deleteFrom('auth.two_factor_tokens').where(
      'tokenHash',
      '=',
      tokenHash,
    ).executeTakeFirst()
    if (numDeletedRows !== 1n) reject('UNAUTHORIZED')
    expireCookie(endpoint, cookies['sign-in'](endpoint.context))
  }
  const user = current?.user ?? await endpoint.context.internalAdapter.findUserById(userId) ??
    reject('UNAUTHORIZED')
  const session = current?.session ?? await beginSession(endpoint, user)
  if (trustDevice) await setToken(db, endpoint, userId, 'device')
  return signedIn(c, { user, session })
}

/** Returns undefined if BETTER_AUTH_SECRET has changed since the secret was stored. */
const decryptSecret = ({ secretConfig, logger }: AuthContext, stored: string) =>
  symmetricDecrypt({ key: secretConfig, data: stored }).catch(() => {
    logger.error(
      'The secret of an authenticator app cannot be read, because BETTER_AUTH_SECRET has changed; backup codes still work',
    )
    return undefined
  })

export async function twoFactorStatus(c: RouteContext): Promise<z.output<typeof output.status>> {
  const factor = await c.var.services.db.selectFrom('auth.two_factors').select('backupCodes').where(
    'userId',
    '=',
    callerOf(c).user.id,
  )
    .where('enabledAt', 'is not', null).executeTakeFirst()
  return { enabled: factor !== undefined, backup_codes_left: factor?.backupCodes.length ?? 0 }
}

export function enableTwoFactor(
  c: RouteContext,
  { password }: Confirmed,
): Promise<z.output<typeof output.begun>> {
  return withBetterAuth(c, async (endpoint) => {
    const { user } = callerOf(c)
    await confirmCaller(c, password)
    // Otherwise an attacker who signed up with a victim's address would lock the victim out, even
    // after a reset of the password.
    if (!user.emailVerified) reject('EMAIL_NOT_VERIFIED')
    const [secret, codes] = [randomBase32(20), newBackupCodes()]
    const values = {
      secret: await symmetricEncrypt({ key: endpoint.context.secretConfig, data: secret }),
      backupCodes: codes.map((code) => hashOfBackupCode(user.id, code)),
      backupCodesMadeAt: new Date(),
    }
    const { numInsertedOrUpdatedRows: stored } = await withAccountLock(
      c,
      (trx) =>
        trx.insertInto('auth.two_factors').values({ userId: user.id, ...values })
          .onConflict((before) =>
            before.column('userId').doUpdateSet(values).where(
              'auth.two_factors.enabledAt',
              'is',
              null,
            )
          ).executeTakeFirst(),
    )
    if (stored !== 1n) reject('TWO_FACTOR_ENABLED')
    // Otherwise a pending sign-in of this browser would take the first code.
    expireCookie(endpoint, cookies['sign-in'](endpoint.context))
    return {
      totp_uri: totpUri(secret, new URL(c.var.services.config.publicUrl).hostname, user.email),
      backup_codes: codes,
    }
  })
}

export function verifyTotp(c: RouteContext, { code, trustDevice }: z.output<typeof input.totp>) {
  return withBetterAuth(c, async (endpoint) => {
    const { db } = c.var.services
    const verified = await resolveUser(c, endpoint, trustDevice)
    const { userId, current } = verified
    const factor = await db.selectFrom('auth.two_factors').select(['secret', 'enabledAt']).where(
      'userId',
      '=',
      userId,
    ).executeTakeFirst()
    if (factor === undefined) reject('TWO_FACTOR_NOT_ENABLED')
    if (current !== undefined && factor.enabledAt !== null) reject('TWO_FACTOR_ENABLED')
    const secret = await decryptSecret(endpoint.context, factor.secret)
    const step = secret === undefined ? undefined : stepOf(secret, code, Date.now())
    if (step === undefined) reject('INVALID_CODE')
    // one statement, so that of two requests with the same code one is refused
    const { numUpdatedRows } = await db.updateTable('auth.two_factors').set({
      lastStep: String(step),
      enabledAt: factor.enabledAt ?? new Date(),
    })
      .where('userId', '=', userId).where('secret', '=', factor.secret).where(
        'lastStep',
        '<',
        String(step),
      ).executeTakeFirst()
    if (numUpdatedRows !== 1n) reject('INVALID_CODE')
    // The other sessions began without a second factor.
    if (current !== undefined)
      await db.deleteFrom('auth.sessions').where('userId', '=', userId).where(
        'id',
        '<>',
        current.session.id,
      ).execute()
    return complete(c, endpoint, verified, trustDevice)
  })
}

export function verifyBackupCode(
  c: RouteContext,
  { code, trustDevice }: z.output<typeof input.backupCode>,
) {
  return withBetterAuth(c, async (endpoint) => {
    const verified = await resolveUser(c, endpoint, trustDevice)
    // a backup code completes a sign-in only
    if (verified.tokenHash === undefined) reject('FORBIDDEN')
    const hash = hashOfBackupCode(verified.userId, code)
    const { numUpdatedRows } = await c.var.services.db.updateTable('auth.two_factors').set({
      backupCodes: sql`array_remove(backup_codes, ${hash})`,
    })
      .where('userId', '=', verified.userId).where(sql`${hash}`, '=', sql`any(backup_codes)`)
      .executeTakeFirst()
    if (numUpdatedRows !== 1n) reject('INVALID_CODE')
    return complete(c, endpoint, verified, trustDevice)
  })
}

export async function generateBackupCodes(
  c: RouteContext,
  { password }: Confirmed,
): Promise<z.output<typeof output.backupCodes>> {
  const { user } = callerOf(c)
  await confirmCaller(c, password)
  const codes = newBackupCodes()
  const values = {
    backupCodes: codes.map((code) => hashOfBackupCode(user.id, code)),
    backupCodesMadeAt: new Date(),
  }
  const { numUpdatedRows } = await withAccountLock(
    c,
    (trx) =>
      trx.updateTable('auth.two_factors').set(values).where('userId', '=', user.id).where(
        'enabledAt',
        'is not',
        null,
      ).executeTakeFirst(),
  )
  if (numUpdatedRows !== 1n) reject('TWO_FACTOR_NOT_ENABLED')
  return { backup_codes: codes }
}

export function disableTwoFactor(c: RouteContext, { password }: Confirmed): Promise<void> {
  return withBetterAuth(c, async (endpoint) => {
    const { user } = callerOf(c)
    await confirmCaller(c, password)
    const { numDeletedRows } = await withAccountLock(
      c,
      (trx) => trx.deleteFrom('auth.two_factors').where('userId', '=', user.id).executeTakeFirst(),
    )
    if (numDeletedRows !== 1n) reject('TWO_FACTOR_NOT_ENABLED')
    expireCookie(endpoint, cookies.device(endpoint.context, user.id))
  })
}
