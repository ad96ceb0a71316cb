/** A signing key that PostgREST knows and a test holds, because the private half of the service's own never leaves it. */
import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import type pg from 'pg'

/** Whom a token is for: the claims that differ between callers. */
type Subject = { id: string, email: string, sessionId: string, organization?: { id?: string, role?: string } }

export type Signer = {
  kid: string
  privateKey: CryptoKey
  publicKey: CryptoKey
  /** A token as the auth service would sign it. @param change claims to replace, or where undefined to leave out */
  sign: (subject: Subject, change?: Record<string, unknown>) => Promise<string>
}

/**
 * Makes a key and publishes it; the database tells a PostgREST that runs already.
 * @param owner the owner's connection
 * @param publicUrl what the tokens name as audience and issuer
 */
export async function tokenSigner(owner: Pick<pg.ClientBase, 'query'>, publicUrl: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = randomUUID()
  await owner.query(`insert into auth.jwks (id, public_key, private_key, signs_from, expires_at) values ($1, $2, 'sealed', now(), now() + interval '1 hour')`, [
    kid,
    JSON.stringify(await exportJWK(publicKey)),
  ])
  return {
    kid,
    privateKey,
    publicKey,
    sign: ({ id, email, sessionId, organization = {} }, change = {}) =>
      new SignJWT({
        sub: id,
        user_id: id,
        email,
        aud: publicUrl,
        iss: publicUrl,
        role: 'authenticated',
        sid: sessionId,
        exp: Math.floor(Date.now() / 1000) + 3600,
        claims: {
          ...(organization.id !== undefined && { organization_id: organization.id }),
          ...(organization.role !== undefined && { organization_role: organization.role }),
        },
        ...change,
      }).setProtectedHeader({ alg: 'RS256', kid }).setIssuedAt().sign(privateKey),
  }
}
