import { expect, test } from 'vitest'
import { issuedAt } from '../../auth/features/session/issue-token.ts'
import { secondsUntilIssued } from '../../common/revocation.ts'

const revoked = 1_800_000_000
/** The time that the database stores for that revocation. */
const issuedAfter = revoked + 33

test('a token is dated now if no key was revoked recently', () => {
  expect(issuedAt(0, revoked)).toBe(revoked)
  expect(issuedAt(issuedAfter, revoked + 34)).toBe(revoked + 34)
})

test('in the seconds after a revocation no token is issued, and the error says when to retry', () => {
  expect(() => issuedAt(issuedAfter, revoked + 2)).toThrow(
    expect.objectContaining({ code: 'SERVICE_BUSY', retryAfterSeconds: 3 }),
  )
  expect(secondsUntilIssued(issuedAfter, revoked + 2)).toBe(3)
})

test('for half a minute after a revocation, tokens are dated later than an attacker can have dated one, within the limit of PostgREST', () => {
  for (let now = revoked + 5; now < revoked + 34; now++) {
    const iat = issuedAt(issuedAfter, now)
    expect(iat).toBeGreaterThan(issuedAfter)
    expect(iat - now).toBeLessThan(30)
  }
})
