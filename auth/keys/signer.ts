/** Signs tokens. The key is decrypted and imported once, which takes longer than a signature. */
import type { AuthContext } from 'better-auth'
import { resolveSigningKey, signJWT, type JwtOptions, type ResolvedSigningKey } from 'better-auth/plugins'

/** @param kid the current signing key @returns the token */
export type Signer = (kid: string, payload: Record<string, unknown>) => Promise<string>

/** Builds the signer with better-auth's own signature. */
export function createSigner(context: AuthContext, options: JwtOptions): Signer {
  const endpoint = { context, path: '/token' } as unknown as Parameters<typeof signJWT>[0]
  let held: ResolvedSigningKey | undefined
  // concurrent calls wait for the same import
  let importing: Promise<ResolvedSigningKey> | undefined

  const importKey = async (): Promise<ResolvedSigningKey> => {
    const key = await resolveSigningKey(endpoint, options)
    if (key === null) throw new Error('Tokens are signed elsewhere.')
    held = key
    return key
  }
  const keyOf = (kid: string): Promise<ResolvedSigningKey> | ResolvedSigningKey => {
    if (held?.kid === kid) return held
    importing ??= importKey().finally(() => {
      importing = undefined
    })
    return importing
  }
  return async (kid, payload) => signJWT(endpoint, { options, payload, resolvedKey: await keyOf(kid) })
}
