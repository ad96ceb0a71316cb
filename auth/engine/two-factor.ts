/**
 * A second factor: the code of an authenticator app, or a backup code. The engine's own plugin makes the session first and deletes
 * it again, takes a code as often as it is given while it lasts, and looks at the ways to sign in that it knows; here no session
 * begins before the code, whichever way of the engine's would begin it.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { GenericEndpointContext } from 'better-auth'
import { createAuthEndpoint, getSessionFromCtx, sessionMiddleware } from 'better-auth/api'
import { expireCookie } from 'better-auth/cookies'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { basePath } from '../config.ts'
import type { AuthDatabase } from '../database.ts'
import type { Policy } from '../policy.ts'
import { requestContexts } from '../request-context.ts'
import { beginSession } from './begin-session.ts'
import { confirmCaller } from './confirm-caller.ts'
import { ofCaller } from './of-caller.ts'
import type { Guesses } from './guesses.ts'
import { refuse } from './refuse.ts'
import { randomBase32, stepOf, totpUri } from './totp.ts'

/** How long a browser that has shown the password has for the code, and how long it is remembered, in seconds. */
const lifetimes = { 'sign-in': 600, device: 30 * 86_400 }
type Purpose = keyof typeof lifetimes

const backupCodes = 10

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** 80 random bits, which no copy of the database gives away, so that a hash without a key will do: they work also after BETTER_AUTH_SECRET was lost. */
const newBackupCodes = (): string[] => Array.from({ length: backupCodes }, () => randomBase32(10).toLowerCase().replace(/(.{4})(?=.)/g, '$1-'))

/** @param code as a person types it */
const hashOfBackupCode = (userId: string, code: string): string => hashOf(`${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`)

/** Cookies that are sent where they are looked at alone: what comes with every request would keep get-session from its shortcut. */
const cookies = {
  'sign-in': ({ context }: GenericEndpointContext) => context.createAuthCookie('two_factor', { maxAge: lifetimes['sign-in'], path: `${basePath}/two-factor` }),
  // one for each account, because people share a browser
  device: ({ context }: GenericEndpointContext, userId: string) =>
    context.createAuthCookie(`trusted_device_${createHash('sha256').update(userId).digest('hex').slice(0, 8)}`, {
      maxAge: lifetimes.device,
      path: `${basePath}/sign-in`,
    }),
}

export type TwoFactorParts = {
  db: AuthDatabase
  guesses: Pick<Guesses, 'forget'>
  policies: Policy[]
  /** How an authenticator app calls this service. */
  issuer: string
}

/** The endpoints, and what stands in front of every session. */
export function twoFactor({ db, guesses, policies, issuer }: TwoFactorParts) {
  const shown = new Set(policies.filter(({ secondFactor }) => secondFactor === 'shown').map(({ engine }) => engine.path))

  async function give(context: GenericEndpointContext, userId: string, purpose: Purpose): Promise<void> {
    const token = randomBytes(24).toString('base64url')
    const expiresAt = new Date(Date.now() + lifetimes[purpose] * 1_000)
    await db.insertInto('auth.two_factor_tokens').values({ tokenHash: hashOf(token), userId, purpose, expiresAt }).execute()
    const { name, attributes } = cookies[purpose](context, userId)
    context.setCookie(name, token, attributes)
  }

  /** The token of a cookie, where it is there and has not ended. */
  const tokens = (context: GenericEndpointContext, purpose: Purpose, userId = '') =>
    db.selectFrom('auth.two_factor_tokens').select(['tokenHash', 'userId']).where('purpose', '=', purpose).where('expiresAt', '>', new Date())
      .where('tokenHash', '=', hashOf(context.getCookie(cookies[purpose](context, userId).name) ?? ''))

  /**
   * Stands in front of every session that begins: of an account with two factors, or that asks for a passkey, none does before.
   * @throws APIError SECOND_FACTOR_REQUIRED; where a code will do, with a cookie that stands for the factor that was shown
   */
  async function checkSession({ userId }: { userId: string }, context: GenericEndpointContext | null): Promise<void> {
    // a new session in place of the caller's, as when the password changes
    if (requestContexts.getStore()?.caller?.userId === userId || (context !== null && shown.has(context.path))) return
    // somebody who is just signing up is not seen before the engine's transaction has ended
    const { hasApp, passkeyRequired } = await db.selectFrom('auth.users').leftJoin('auth.two_factors', 'userId', 'id')
      .select(['passkeyRequired', sql<boolean>`enabled_at is not null`.as('hasApp')]).where('id', '=', userId).executeTakeFirst()
      ?? { hasApp: false, passkeyRequired: false }
    if (!hasApp && !passkeyRequired) return
    if (hasApp && context !== null) {
      if (await tokens(context, 'device', userId).where('userId', '=', userId).executeTakeFirst() !== undefined) return
      await give(context, userId, 'sign-in')
    }
    refuse('SECOND_FACTOR_REQUIRED')
  }

  /** Whose code a request is to have: of who signs in, or else of who is signed in. */
  async function whose(context: GenericEndpointContext) {
    const signIn = await tokens(context, 'sign-in').executeTakeFirst()
    if (signIn !== undefined) return { userId: signIn.userId, tokenHash: signIn.tokenHash }
    const current = await getSessionFromCtx(context)
    return current === null ? refuse('UNAUTHORIZED') : { userId: current.user.id, current }
  }

  /** What a right code does: the sign-in is done, or the session that is there stays. */
  async function shownBy(context: GenericEndpointContext, asked: Awaited<ReturnType<typeof whose>>, trustDevice: boolean) {
    const { userId, tokenHash, current } = asked
    await guesses.forget('second-factor', userId)
    if (tokenHash !== undefined) {
      const { numDeletedRows } = await db.deleteFrom('auth.two_factor_tokens').where('tokenHash', '=', tokenHash).executeTakeFirst()
      if (numDeletedRows !== 1n) refuse('UNAUTHORIZED')
      expireCookie(context, cookies['sign-in'](context))
    }
    const user = current?.user ?? await context.context.internalAdapter.findUserById(userId) ?? refuse('UNAUTHORIZED')
    const session = current?.session ?? await beginSession(context, user)
    if (trustDevice) await give(context, userId, 'device')
    return context.json({ user, session })
  }

  /** @returns undefined where BETTER_AUTH_SECRET is another than when it was stored */
  const secretOf = ({ context }: GenericEndpointContext, stored: string) =>
    symmetricDecrypt({ key: context.secretConfig, data: stored }).catch(() => {
      context.logger.error('The secret of an authenticator app cannot be read, because BETTER_AUTH_SECRET has changed; backup codes still work')
      return undefined
    })

  const confirmed = z.object({ password: z.string().optional() })

  const endpoints = {
    twoFactorStatus: createAuthEndpoint('/two-factor/status', { method: 'GET', use: [sessionMiddleware] }, async (context) => {
      const factor = await db.selectFrom('auth.two_factors').select('backupCodes').where('userId', '=', context.context.session.user.id)
        .where('enabledAt', 'is not', null).executeTakeFirst()
      return context.json({ enabled: factor !== undefined, backupCodesLeft: factor?.backupCodes.length ?? 0 })
    }),

    enableTwoFactor: createAuthEndpoint('/two-factor/enable', { method: 'POST', body: confirmed, use: [sessionMiddleware] }, async (context) => {
      const { user } = context.context.session
      await confirmCaller(context.context, context.body.password)
      // or a stranger who signed up with somebody's address would keep its owner out, also after a new password by mail
      if (!user.emailVerified) refuse('EMAIL_NOT_VERIFIED')
      const [secret, codes] = [randomBase32(20), newBackupCodes()]
      const values = {
        secret: await symmetricEncrypt({ key: context.context.secretConfig, data: secret }),
        backupCodes: codes.map((code) => hashOfBackupCode(user.id, code)),
        backupCodesMadeAt: new Date(),
      }
      const { numInsertedOrUpdatedRows: stored } = await ofCaller(
        db,
        context.context.session,
        (trx) =>
          trx.insertInto('auth.two_factors').values({ userId: user.id, ...values })
            .onConflict((before) => before.column('userId').doUpdateSet(values).where('auth.two_factors.enabledAt', 'is', null)).executeTakeFirst(),
      )
      if (stored !== 1n) refuse('TWO_FACTOR_ENABLED')
      // or a sign-in that was left half done in this browser would take the code that is to come for its own
      expireCookie(context, cookies['sign-in'](context))
      return context.json({ totpUri: totpUri(secret, issuer, user.email), backupCodes: codes })
    }),

    verifyTotp: createAuthEndpoint('/two-factor/verify-totp', {
      method: 'POST',
      body: z.object({ code: z.string(), trustDevice: z.boolean() }),
    }, async (context) => {
      const { code, trustDevice } = context.body
      const asked = await whose(context)
      const { userId, current } = asked
      const factor = await db.selectFrom('auth.two_factors').select(['secret', 'enabledAt']).where('userId', '=', userId).executeTakeFirst()
      if (factor === undefined) refuse('TWO_FACTOR_NOT_ENABLED')
      if (current !== undefined && factor.enabledAt !== null) refuse('TWO_FACTOR_ENABLED')
      const secret = await secretOf(context, factor.secret)
      const step = secret === undefined ? undefined : stepOf(secret, code, Date.now())
      if (step === undefined) refuse('INVALID_CODE')
      // one statement, so that of two requests with one code one is refused
      const { numUpdatedRows } = await db.updateTable('auth.two_factors').set({ lastStep: String(step), enabledAt: factor.enabledAt ?? new Date() })
        .where('userId', '=', userId).where('secret', '=', factor.secret).where('lastStep', '<', String(step)).executeTakeFirst()
      if (numUpdatedRows !== 1n) refuse('INVALID_CODE')
      // they began with less than is asked from now on
      if (current !== undefined) await db.deleteFrom('auth.sessions').where('userId', '=', userId).where('id', '<>', current.session.id).execute()
      return shownBy(context, asked, trustDevice)
    }),

    verifyBackupCode: createAuthEndpoint('/two-factor/verify-backup-code', {
      method: 'POST',
      body: z.object({ code: z.string(), trustDevice: z.boolean() }),
    }, async (context) => {
      const { code, trustDevice } = context.body
      const asked = await whose(context)
      // it is for whom the app is lost to, and would be lost here
      if (asked.tokenHash === undefined) refuse('FORBIDDEN')
      const hash = hashOfBackupCode(asked.userId, code)
      const { numUpdatedRows } = await db.updateTable('auth.two_factors').set({ backupCodes: sql`array_remove(backup_codes, ${hash})` })
        .where('userId', '=', asked.userId).where(sql`${hash}`, '=', sql`any(backup_codes)`).executeTakeFirst()
      if (numUpdatedRows !== 1n) refuse('INVALID_CODE')
      return shownBy(context, asked, trustDevice)
    }),

    generateBackupCodes: createAuthEndpoint('/two-factor/generate-backup-codes', {
      method: 'POST',
      body: confirmed,
      use: [sessionMiddleware],
    }, async (context) => {
      const { user } = context.context.session
      await confirmCaller(context.context, context.body.password)
      const codes = newBackupCodes()
      const values = { backupCodes: codes.map((code) => hashOfBackupCode(user.id, code)), backupCodesMadeAt: new Date() }
      const { numUpdatedRows } = await ofCaller(
        db,
        context.context.session,
        (trx) => trx.updateTable('auth.two_factors').set(values).where('userId', '=', user.id).where('enabledAt', 'is not', null).executeTakeFirst(),
      )
      if (numUpdatedRows !== 1n) refuse('TWO_FACTOR_NOT_ENABLED')
      return context.json({ backupCodes: codes })
    }),

    disableTwoFactor: createAuthEndpoint('/two-factor/disable', { method: 'POST', body: confirmed, use: [sessionMiddleware] }, async (context) => {
      const { user } = context.context.session
      await confirmCaller(context.context, context.body.password)
      const { numDeletedRows } = await db.deleteFrom('auth.two_factors').where('userId', '=', user.id).executeTakeFirst()
      if (numDeletedRows !== 1n) refuse('TWO_FACTOR_NOT_ENABLED')
      expireCookie(context, cookies.device(context, user.id))
      return context.json({ status: true })
    }),
  }

  return { endpoints, checkSession, accountOf: async (context: GenericEndpointContext) => (await whose(context)).userId }
}
