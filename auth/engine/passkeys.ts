/**
 * Passkeys: WebAuthn credentials that their device keeps and uses only after it has verified its person, so that one alone signs in
 * and counts as two factors. docs/decisions/auth/build-passkeys-on-simplewebauthn.md says why these are not the engine's plugin.
 */
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { createAuthEndpoint, sessionMiddleware } from 'better-auth/api'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../db/types.ts'
import type { AuthDatabase } from '../database.ts'
import type { Origins } from '../origins.ts'
import { beginSession } from './begin-session.ts'
import { confirmCaller } from './confirm-caller.ts'
import { newId } from './new-id.ts'
import { ofCaller } from './of-caller.ts'
import { challengeFor, challengeSeconds, clientData, credential, takeChallenge, verified, withoutAttestation } from './passkey-ceremonies.ts'
import { refuse } from './refuse.ts'

/** How many a person may have; each is a row that every list of theirs reads. */
const maxPasskeys = 20
/** EdDSA, ES256 and RS256, which together every device has one of (RFC 9053). */
const algorithms = [-8, -7, -257]

export type PasskeyParts = {
  db: AuthDatabase
  /** Whose pages ask for passkeys: they are made for its host, and for no other of its site. */
  appUrl: string
  origins: Origins
}

/** As a device is told it: opaque, and nothing of it is anybody's name. */
const handleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

const countOf = async (trx: Transaction<Tables>, userId: string): Promise<number> => {
  const { count } = await trx.selectFrom('auth.passkeys').select((of) => of.fn.countAll<string>().as('count')).where('userId', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The endpoints. */
export function passkeyEndpoints({ db, appUrl, origins }: PasskeyParts) {
  const host = new URL(appUrl).hostname
  const passkeysOf = (userId: string) => db.selectFrom('auth.passkeys').selectAll().where('userId', '=', userId).orderBy('createdAt').orderBy('id').execute()

  /** What both verifications hold an answer against. The library compares origins; here it is told the one that was signed, where it is trusted. */
  const expected = (clientDataJSON: string, challenge: string) => {
    let origin: string | undefined
    try {
      origin = clientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).origin
    } catch {}
    if (origin === undefined || !origins.trusts(origin)) refuse('INVALID_PASSKEY')
    return { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: host, requireUserVerification: true }
  }

  return {
    passkeyRegisterOptions: createAuthEndpoint('/passkey/generate-register-options', {
      method: 'POST',
      body: z.object({ password: z.string().optional() }),
      use: [sessionMiddleware],
    }, async (context) => {
      const { user } = context.context.session
      await confirmCaller(context.context, context.body.password)
      // or a stranger who signed up with somebody's address would keep a way in once its owner has verified it
      if (!user.emailVerified) refuse('EMAIL_NOT_VERIFIED')
      const passkeys = await passkeysOf(user.id)
      if (passkeys.length >= maxPasskeys) refuse('PASSKEY_LIMIT_REACHED')
      return context.json({
        rp: { id: host, name: host },
        user: { id: handleOf(user.id), name: user.email, displayName: user.name || user.email },
        challenge: await challengeFor(context, 'register', user.id),
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: challengeSeconds * 1_000,
        excludeCredentials: passkeys.map(({ credentialId }) => ({ type: 'public-key', id: credentialId })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      })
    }),

    passkeyVerifyRegistration: createAuthEndpoint('/passkey/verify-registration', {
      method: 'POST',
      body: z.object({ response: credential({ attestationObject: z.string() }), name: z.string() }),
      use: [sessionMiddleware],
    }, async (context) => {
      const { session: { user } } = context.context
      const { response, name } = context.body
      const challenge = await takeChallenge(context, 'register', user.id)
      const expectation = expected(response.response.clientDataJSON, challenge)
      const { registrationInfo: { credential: made, credentialBackedUp } } = await verified(async () =>
        verifyRegistrationResponse({
          response: {
            ...response,
            clientExtensionResults: {},
            response: { ...response.response, attestationObject: withoutAttestation(response.response.attestationObject) },
          },
          ...expectation,
          supportedAlgorithmIDs: algorithms,
        })
      )
      return context.json(
        await ofCaller(db, context.context.session, async (trx) => {
          if (await countOf(trx, user.id) >= maxPasskeys) refuse('PASSKEY_LIMIT_REACHED')
          return trx.insertInto('auth.passkeys').values({
            id: newId(context.context, 'passkey'),
            userId: user.id,
            name,
            credentialId: made.id,
            publicKey: Buffer.from(made.publicKey).toString('base64url'),
            counter: String(made.counter),
            backedUp: credentialBackedUp,
          }).returningAll().executeTakeFirstOrThrow()
        }),
      )
    }),

    // names no credentials, so that nobody learns who has one; the browser offers those that it has for this host
    passkeyAuthenticateOptions: createAuthEndpoint('/passkey/generate-authenticate-options', { method: 'POST' }, async (context) =>
      context.json({
        challenge: await challengeFor(context, 'authenticate', ''),
        rpId: host,
        timeout: challengeSeconds * 1_000,
        userVerification: 'required',
      })),

    passkeyVerifyAuthentication: createAuthEndpoint('/passkey/verify-authentication', {
      method: 'POST',
      body: z.object({ response: credential({ authenticatorData: z.string(), signature: z.string(), userHandle: z.string() }) }),
    }, async (context) => {
      const { response } = context.body
      const challenge = await takeChallenge(context, 'authenticate', '')
      const passkey = await db.selectFrom('auth.passkeys').selectAll().where('credentialId', '=', response.id).executeTakeFirst()
      if (passkey === undefined || response.response.userHandle !== handleOf(passkey.userId)) refuse('INVALID_PASSKEY')
      const expectation = expected(response.response.clientDataJSON, challenge)
      const { authenticationInfo } = await verified(async () =>
        verifyAuthenticationResponse({
          response: { ...response, clientExtensionResults: {} },
          ...expectation,
          credential: {
            id: passkey.credentialId,
            publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
            counter: Number(passkey.counter),
          },
        })
      )
      // of two answers with one count, at the same moment, the second is a copy's; and one that was deleted meanwhile signs nobody in
      const counted = await db.updateTable('auth.passkeys')
        .set({ counter: String(authenticationInfo.newCounter), backedUp: authenticationInfo.credentialBackedUp, lastUsedAt: new Date() })
        .where('id', '=', passkey.id).where('counter', '=', passkey.counter).executeTakeFirst()
      if (counted.numUpdatedRows !== 1n) refuse('INVALID_PASSKEY')
      const user = await context.context.internalAdapter.findUserById(passkey.userId) ?? refuse('INVALID_PASSKEY')
      return context.json({ user, session: await beginSession(context, user) })
    }),

    listPasskeys: createAuthEndpoint('/passkey/list', { method: 'GET', use: [sessionMiddleware] }, async (context) => {
      const userId = context.context.session.user.id
      const person = await db.selectFrom('auth.users').select('passkeyRequired').where('id', '=', userId).executeTakeFirst()
      const account = await context.context.internalAdapter.findCredentialAccount(userId)
      return context.json({
        passkeys: await passkeysOf(userId),
        required: person?.passkeyRequired ?? false,
        hasPassword: (account?.password ?? null) !== null,
      })
    }),

    renamePasskey: createAuthEndpoint('/passkey/update', {
      method: 'POST',
      body: z.object({ passkeyId: z.string(), name: z.string() }),
      use: [sessionMiddleware],
    }, async (context) => {
      const { passkeyId, name } = context.body
      const renamed = await db.updateTable('auth.passkeys').set({ name }).where('id', '=', passkeyId).where('userId', '=', context.context.session.user.id)
        .returningAll().executeTakeFirst()
      return context.json(renamed ?? refuse('NOT_FOUND'))
    }),

    deletePasskey: createAuthEndpoint('/passkey/delete', {
      method: 'POST',
      body: z.object({ passkeyId: z.string(), password: z.string().optional() }),
      use: [sessionMiddleware],
    }, async (context) => {
      const { user } = context.context.session
      await confirmCaller(context.context, context.body.password)
      // the last one ends that one is asked for: db/functions/auth/passkeys.sql
      const deleted = await db.deleteFrom('auth.passkeys').where('id', '=', context.body.passkeyId).where('userId', '=', user.id).executeTakeFirst()
      if (deleted.numDeletedRows !== 1n) refuse('NOT_FOUND')
      return context.json({ status: true })
    }),

    requirePasskey: createAuthEndpoint('/passkey/require', {
      method: 'POST',
      body: z.object({ required: z.boolean(), password: z.string().optional() }),
      use: [sessionMiddleware],
    }, async (context) => {
      const { user, session } = context.context.session
      const { required, password } = context.body
      await confirmCaller(context.context, password)
      await ofCaller(db, context.context.session, async (trx) => {
        if (required && await countOf(trx, user.id) === 0) refuse('PASSKEY_MISSING')
        await trx.updateTable('auth.users').set({ passkeyRequired: required }).where('id', '=', user.id).execute()
        // they may have begun with less than is asked from now on
        if (required) await trx.deleteFrom('auth.sessions').where('userId', '=', user.id).where('id', '<>', session.id).execute()
      })
      return context.json({ status: true })
    }),

    removePassword: createAuthEndpoint('/remove-password', {
      method: 'POST',
      body: z.object({ password: z.string().optional() }),
      use: [sessionMiddleware],
    }, async (context) => {
      const { user } = context.context.session
      await confirmCaller(context.context, context.body.password)
      await ofCaller(db, context.context.session, async (trx) => {
        if (await countOf(trx, user.id) === 0) refuse('PASSKEY_MISSING')
        await trx.updateTable('auth.accounts').set({ password: null, updatedAt: new Date() }).where('userId', '=', user.id)
          .where('providerId', '=', 'credential').execute()
      })
      return context.json({ status: true })
    }),
  }
}
