import type { Passwords } from '../../auth/engine/passwords.ts'

/**
 * Hashes each password once, and checks each stored hash once with each password. A hash takes 0.1
 * s of processor time, and many tests sign in with the same password. Tests of hashes and of their
 * duration use the real functions.
 */
export const rememberHashes = ({ hash, verify, stop }: Passwords): Passwords => ({
  hash: (password) => once(hashes, password, () => hash(password)),
  verify: (given) =>
    once(checks, JSON.stringify([given.hash, given.password]), () => verify(given)),
  stop,
})

// A worker keeps these for the stacks of all its test files.
const hashes = new Map<string, Promise<string>>()
const checks = new Map<string, Promise<boolean>>()

function once<Result>(
  results: Map<string, Promise<Result>>,
  key: string,
  compute: () => Promise<Result>,
): Promise<Result> {
  const result = results.get(key) ?? compute().catch((error: unknown) => {
    results.delete(key)
    throw error
  })
  results.set(key, result)
  return result
}
