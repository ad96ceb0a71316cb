/**
 * What both ceremonies of WebAuthn have in common, adding a passkey and signing in with one: the challenge, and what is believed of
 * an answer.
 */
import { randomBytes } from 'node:crypto'
import type { GenericEndpointContext } from '@better-auth/core'
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers'
import { expireCookie } from 'better-auth/cookies'
import { refuse } from '../../errors.ts'

/** How long a person has to look for a device and to unlock it, in seconds. */
export const challengeSeconds = 300

type Ceremony = 'register' | 'authenticate'

const challengeCookie = ({ context }: GenericEndpointContext) => context.createAuthCookie('passkey_challenge', { maxAge: challengeSeconds })
const challengeName = (ceremony: Ceremony, challenge: string): string => `${ceremony}-passkey-${challenge}`

/** Begins a ceremony: its challenge is for the browser that has the cookie, and works once. @param userId whose it is, where that is known */
export async function challengeFor(context: GenericEndpointContext, ceremony: Ceremony, userId: string): Promise<string> {
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

/** Ends a ceremony, whatever comes of it. @throws APIError INVALID_PASSKEY when this browser has begun none, or another person has */
export async function takeChallenge(context: GenericEndpointContext, ceremony: Ceremony, userId: string): Promise<string> {
  const cookie = challengeCookie(context)
  const challenge = await context.getSignedCookie(cookie.name, context.context.secret)
  if (typeof challenge !== 'string') refuse('INVALID_PASSKEY')
  expireCookie(context, cookie)
  const kept = await context.context.internalAdapter.consumeVerificationValue(challengeName(ceremony, challenge))
  return kept?.value === userId ? challenge : refuse('INVALID_PASSKEY')
}

/** What is verified of an answer, for which the library throws another sentence each time. @throws APIError INVALID_PASSKEY */
export async function verified<Verification extends { verified: boolean }>(
  verify: () => Promise<Verification>,
): Promise<Exclude<Verification, { verified: false }>> {
  const verification = await verify().catch(() => undefined)
  return verification?.verified === true ? verification as Exclude<Verification, { verified: false }> : refuse('INVALID_PASSKEY')
}

/**
 * An attestation object without what its device says of itself. Nobody asked for that, and the library would believe it, for which it
 * fetches lists of revoked certificates from wherever the certificates sent here tell it to.
 */
export function withoutAttestation(attestationObject: string): string {
  const authData = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url'))).get('authData')
  const plain = isoCBOR.encode(new Map<string, string | Uint8Array | Map<string, string>>([['fmt', 'none'], ['attStmt', new Map()], ['authData', authData]]))
  return Buffer.from(plain).toString('base64url')
}
