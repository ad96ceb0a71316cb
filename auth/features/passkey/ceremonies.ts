/**
 * The common parts of both WebAuthn ceremonies, registration and authentication: the challenge and
 * the attestation.
 */
import { randomBytes } from 'node:crypto'
import type { GenericEndpointContext } from '@better-auth/core'
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers'
import { expireCookie } from 'better-auth/cookies'
import { signedTexts } from '../../engine/cookies.ts'
import { reject } from '../../../http/errors.ts'
import type { RouteContext } from '../../../http/route.ts'

/** Lifetime of a challenge, in seconds. The user needs it to find and unlock a device. */
export const challengeSeconds = 300

export type Ceremony = 'register' | 'authenticate'

const challengeCookie = ({ context }: GenericEndpointContext) =>
  context.createAuthCookie('passkey_challenge', { maxAge: challengeSeconds })
const challengeName = (ceremony: Ceremony, challenge: string): string =>
  `${ceremony}-passkey-${challenge}`

/**
 * Begins a ceremony. The challenge works once, in the browser that has the cookie. @param userId
 * empty if it is not known yet
 */
export async function challengeFor(
  context: GenericEndpointContext,
  ceremony: Ceremony,
  userId: string,
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  const { name, attributes } = challengeCookie(context)
  await context.setSignedCookie(name, challenge, context.context.secret, attributes)
  await context.context.internalAdapter.createVerificationValue({
    identifier: challengeName(ceremony, challenge),
    value: userId,
    expiresAt: new Date(Date.now() + challengeSeconds * 1_000),
  })
  return challenge
}

/**
 * Ends the ceremonies that this browser has begun. A wrong answer ends them too.
 * @param challengeOfApp the signed challenge of a native app, which has no cookie
 * @returns their challenges
 */
export async function takeChallenges(
  c: RouteContext,
  context: GenericEndpointContext,
  ceremony: Ceremony,
  userId: string,
  challengeOfApp?: string,
) {
  const cookie = challengeCookie(context)
  const begun = challengeOfApp === undefined
    ? signedTexts(c.var.cookie, cookie.name, context.context.secret)
    : [challengeOfApp]
  expireCookie(context, cookie)
  const kept = await Promise.all(
    begun.map((challenge) =>
      context.context.internalAdapter.consumeVerificationValue(challengeName(ceremony, challenge))
    ),
  )
  return begun.filter((_, at) => kept[at]?.value === userId)
}

/**
 * Runs a verification of the library. @throws Rejection INVALID_PASSKEY in place of the library's
 * many errors
 */
export async function verified<Verification extends { verified: boolean }>(
  verify: () => Promise<Verification>,
): Promise<Exclude<Verification, { verified: false }>> {
  const verification = await verify().catch(() => undefined)
  return verification?.verified === true
    ? verification as Exclude<Verification, { verified: false }>
    : reject('INVALID_PASSKEY')
}

/**
 * Removes the attestation from an object. Nothing requires it, and the library would fetch
 * revocation lists from URLs in certificates that the client sent.
 */
export function withoutAttestation(attestationObject: string): string {
  const authData = decodeAttestationObject(
    new Uint8Array(Buffer.from(attestationObject, 'base64url')),
  ).get('authData')
  const plain = isoCBOR.encode(
    new Map<string, string | Uint8Array | Map<string, string>>([['fmt', 'none'], [
      'attStmt',
      new Map(),
    ], ['authData', authData]]),
  )
  return Buffer.from(plain).toString('base64url')
}
