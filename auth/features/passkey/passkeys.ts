/**
 * Passkeys: WebAuthn credentials with user verification, so one counts as two factors. They are not
 * better-auth's plugin:
 * docs/decisions/second-factors-and-passkeys.md#passkeys-are-our-own-endpoints-and-count-as-two-factors.
 */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { generateId, type GenericEndpointContext } from 'better-auth'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../../db/types.ts'
import { withBetterAuth } from '../../engine/engine.ts'
import { reject } from '../../../http/errors.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { beginSession, confirmCaller, signedIn, withAccountLock } from '../caller.ts'
import { serialize, type Confirmed } from '../../../http/fields.ts'
import {
  challengeFor,
  challengeSeconds,
  takeChallenges,
  verified,
  withoutAttestation,
  type Ceremony,
} from './ceremonies.ts'
import { output, type input } from './schemas.ts'

/** Maximum passkeys per user, because a list reads all of them. */
const maxPasskeys = 20
/** EdDSA, ES256 (RFC 9053) and RS256 (RFC 8812). Every device supports one of them. */
const algorithms = [-8, -7, -257]

/** The user handle of a credential: opaque, and without a name. */
const handleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

/** The relying party id of passkeys: the host of APP_URL, not its whole domain. */
const hostOf = (c: RouteContext): string => new URL(c.var.services.config.appUrl).hostname

const passkeysOf = (c: RouteContext, userId: string) =>
  c.var.services.db.selectFrom('auth.passkeys').selectAll().where('userId', '=', userId).orderBy(
    'createdAt',
  ).orderBy('id').execute()

const countOf = async (trx: Transaction<Tables>, userId: string): Promise<number> => {
  const { count } = await trx.selectFrom('auth.passkeys').select((of) =>
    of.fn.countAll<string>().as('count')
  ).where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const clientData = z.object({
  origin: z.string(),
  challenge: z.string(),
  crossOrigin: z.literal(false).optional(),
})

/** Parses what the device has signed. @throws Rejection INVALID_PASSKEY */
function parseClientData(clientDataJSON: string): z.output<typeof clientData> {
  try {
    return clientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()))
  } catch {
    return reject('INVALID_PASSKEY')
  }
}

/**
 * Returns the signed challenge of a native app, which has no cookie with it. No other page can
 * replace the challenge of an app.
 */
const challengeOfApp = (c: RouteContext, clientDataJSON: string): string | undefined =>
  c.var.isApp ? parseClientData(clientDataJSON).challenge : undefined

/**
 * Ends the ceremony, and returns the expected values for its verification. The signed origin must
 * be a trusted one.
 */
async function expected(
  c: RouteContext,
  endpoint: GenericEndpointContext,
  ceremony: Ceremony,
  userId: string,
  clientDataJSON: string,
) {
  const challenges = await takeChallenges(
    c,
    endpoint,
    ceremony,
    userId,
    challengeOfApp(c, clientDataJSON),
  )
  const { origin, challenge } = parseClientData(clientDataJSON)
  if (!challenges.includes(challenge) || !c.var.services.config.origins.trusts(origin))
    reject('INVALID_PASSKEY')
  return {
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: hostOf(c),
    requireUserVerification: true,
  }
}

export async function registrationOptions(
  c: RouteContext,
  { password }: Confirmed,
): Promise<z.output<typeof output.creationOptions>> {
  const { user } = callerOf(c)
  await confirmCaller(c, password)
  // Otherwise an attacker who signed up with a victim's address would keep a way in after the
  // victim has verified it.
  if (!user.emailVerified) reject('EMAIL_NOT_VERIFIED')
  const passkeys = await passkeysOf(c, user.id)
  if (passkeys.length >= maxPasskeys) reject('PASSKEY_LIMIT_REACHED')
  const host = hostOf(c)
  return {
    rp: { id: host, name: host },
    user: { id: handleOf(user.id), name: user.email, displayName: user.name || user.email },
    challenge: await withBetterAuth(c, (endpoint) => challengeFor(endpoint, 'register', user.id)),
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeSeconds * 1_000,
    excludeCredentials: passkeys.map(({ credentialId }) => ({
      type: 'public-key',
      id: credentialId,
    })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  }
}

export async function verifyRegistration(
  c: RouteContext,
  { response, name }: z.output<typeof input.registration>,
): Promise<z.output<typeof output.passkey>> {
  const { user } = callerOf(c)
  const expectation = await withBetterAuth(
    c,
    (endpoint) => expected(c, endpoint, 'register', user.id, response.response.clientDataJSON),
  )
  const { registrationInfo: { credential: made, credentialBackedUp } } = await verified(async () =>
    verifyRegistrationResponse({
      response: {
        ...response,
        clientExtensionResults: {},
        response: {
          ...response.response,
          attestationObject: withoutAttestation(response.response.attestationObject),
        },
      },
      ...expectation,
      supportedAlgorithmIDs: algorithms,
    })
  )
  const row = await withAccountLock(c, async (trx) => {
    if (await countOf(trx, user.id) >= maxPasskeys) reject('PASSKEY_LIMIT_REACHED')
    return trx.insertInto('auth.passkeys').values({
      id: generateId(),
      userId: user.id,
      name,
      credentialId: made.id,
      publicKey: Buffer.from(made.publicKey).toString('base64url'),
      counter: String(made.counter),
      backedUp: credentialBackedUp,
    }).returningAll().executeTakeFirstOrThrow()
  })
  return serialize(output.passkey, row)
}

/**
 * Returns options without credentials, so that the response shows nothing about accounts. The
 * browser offers its credentials for this host.
 */
export const authenticationOptions = async (
  c: RouteContext,
): Promise<z.output<typeof output.requestOptions>> => ({
  challenge: await withBetterAuth(c, (endpoint) => challengeFor(endpoint, 'authenticate', '')),
  rpId: hostOf(c),
  timeout: challengeSeconds * 1_000,
  userVerification: 'required',
})

export function verifyAuthentication(
  c: RouteContext,
  { response }: z.output<typeof input.authentication>,
) {
  const { db, inTransaction } = c.var.services
  return withBetterAuth(c, async (endpoint) => {
    const expectation = await expected(
      c,
      endpoint,
      'authenticate',
      '',
      response.response.clientDataJSON,
    )
    const passkey = await db.selectFrom('auth.passkeys').selectAll().where(
      'credentialId',
      '=',
      response.id,
    ).executeTakeFirst()
    if (passkey === undefined || response.response.userHandle !== handleOf(passkey.userId))
      reject('INVALID_PASSKEY')
    const { authenticationInfo } = await verified(async () =>
      verifyAuthenticationResponse({
        response: { ...response, clientExtensionResults: {} },
        ...expectation,
        credential: {
          id: passkey.credentialId,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
          // Devices that share a backed-up passkey count apart, so their counter may be older. A
          // trigger records it.
          counter: passkey.backedUp ? 0 : Number(passkey.counter),
        },
      })
    )
    return inTransaction(async () => {
      // Of a passkey on one device, two concurrent responses with one count come from copies, so
      // the second is refused. A deleted passkey is refused too.
      const counted = await db.updateTable('auth.passkeys')
        .set({
          counter: String(authenticationInfo.newCounter),
          backedUp: authenticationInfo.credentialBackedUp,
          lastUsedAt: new Date(),
        })
        .where('id', '=', passkey.id).$if(
          !passkey.backedUp,
          (its) => its.where('counter', '=', passkey.counter),
        ).executeTakeFirst()
      if (counted.numUpdatedRows !== 1n) reject('INVALID_PASSKEY')
      const user = await endpoint.context.internalAdapter.findUserById(passkey.userId) ??
        reject('INVALID_PASSKEY')
      return signedIn(c, { user, session: await beginSession(endpoint, user) })
    })
  })
}

export async function listPasskeys(c: RouteContext): Promise<z.output<typeof output.list>> {
  const { user: { id: userId } } = callerOf(c)
  const user = await c.var.services.db.selectFrom('auth.users')
    .leftJoin(
      'auth.accounts',
      (join) =>
        join.onRef('auth.accounts.userId', '=', 'auth.users.id').on(
          'providerId',
          '=',
          'credential',
        ),
    )
    .select(['passkeyRequired', 'password']).where('auth.users.id', '=', userId).executeTakeFirst()
  return {
    passkeys: (await passkeysOf(c, userId)).map((row) => serialize(output.passkey, row)),
    required: user?.passkeyRequired ?? false,
    has_password: (user?.password ?? null) !== null,
  }
}

export async function renamePasskey(
  c: RouteContext,
  { passkeyId, name }: z.output<typeof input.rename>,
): Promise<z.output<typeof output.passkey>> {
  const renamed = await c.var.services.db.updateTable('auth.passkeys').set({ name }).where(
    'id',
    '=',
    passkeyId,
  ).where('userId', '=', callerOf(c).user.id)
    .returningAll().executeTakeFirst()
  return serialize(output.passkey, renamed ?? reject('NOT_FOUND'))
}

/**
 * Deletes a passkey. With the last one a trigger ends the requirement of passkeys:
 * db/identity/credentials.sql.
 */
export async function deletePasskey(
  c: RouteContext,
  { passkeyId, password }: z.output<typeof input.delete>,
): Promise<void> {
  await confirmCaller(c, password)
  const deleted = await withAccountLock(
    c,
    (trx) =>
      trx.deleteFrom('auth.passkeys').where('id', '=', passkeyId)
        .where('userId', '=', callerOf(c).user.id).executeTakeFirst(),
  )
  if (deleted.numDeletedRows !== 1n) reject('NOT_FOUND')
}

export async function requirePasskey(
  c: RouteContext,
  { required, password }: z.output<typeof input.require>,
): Promise<void> {
  const { user, session } = callerOf(c)
  await confirmCaller(c, password)
  await withAccountLock(c, async (trx) => {
    if (required && await countOf(trx, user.id) === 0) reject('PASSKEY_MISSING')
    await trx.updateTable('auth.users').set({ passkeyRequired: required }).where('id', '=', user.id)
      .execute()
    // The other sessions may have begun without a passkey.
    if (required)
      await trx.deleteFrom('auth.sessions').where('userId', '=', user.id).where(
        'id',
        '<>',
        session.id,
      ).execute()
  })
}

export async function removePassword(c: RouteContext, { password }: Confirmed): Promise<void> {
  const { user } = callerOf(c)
  await confirmCaller(c, password)
  await withAccountLock(c, async (trx) => {
    if (await countOf(trx, user.id) === 0) reject('PASSKEY_MISSING')
    await trx.updateTable('auth.accounts').set({ password: null, updatedAt: new Date() }).where(
      'userId',
      '=',
      user.id,
    )
      .where('providerId', '=', 'credential').execute()
  })
}
