/**
 * A signing key for tests, published to PostgREST. The private keys of the auth service are not
 * readable.
 */
import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import type pg from 'pg'

/** The claims of a token that differ between callers. */
type Subject = {
  id: string
  email: string
  sessionId: string
  organization?: { id?: string, role?: string }
}

export type Signer = {
  kid: string
  privateKey: CryptoKey
  publicKey: CryptoKey
  /**
   * Signs a token in the format of the auth service. @param change claims to replace; undefined
   * removes a claim
   */
  sign: (subject: Subject, change?: Record<string, unknown>) => Promise<string>
}

/** The key pair of all test databases of a worker. One pair takes 0.05 s of processor time. */
let keyPair: ReturnType<typeof generateKeyPair> | undefined

/**
 * Publishes the key, under an id of its own. The database notifies a running PostgREST.
 * @param owner a connection of the database owner
 * @param publicUrl audience and issuer of the tokens
 */
export async function tokenSigner(
  owner: Pick<pg.ClientBase, 'query'>,
  publicUrl: string,
): Promise<Signer> {
  keyPair ??= generateKeyPair('RS256', { extractable: true })
  const { publicKey, privateKey } = await keyPair
  const kid = randomUUID()
  await owner.query(
    `insert into auth.jwks (id, public_key, private_key, signs_from, expires_at) values ($1, $2, 'sealed', now(), now() + interval '1 hour')`,
    [
      kid,
      JSON.stringify(await exportJWK(publicKey)),
    ],
  )
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
