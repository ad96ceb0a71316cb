import { expect, test } from 'vitest'
import { issuedAt } from '../../auth/features/session/tokens.ts'
import { secondsUntilIssued } from '../../common/revocation.ts'

const revoked = 1_800_000_000
/** What the database notes of that revocation. */
const issuedAfter = revoked + 33

test('a token is dated now when no key was revoked lately', () => {
  expect(issuedAt(0, revoked)).toBe(revoked)
  expect(issuedAt(issuedAfter, revoked + 34)).toBe(revoked + 34)
})

test('in the seconds after a revocation nobody gets a token, and hears when', () => {
  expect(() => issuedAt(issuedAfter, revoked + 2)).toThrow(expect.objectContaining({ code: 'SERVICE_BUSY', retryAfterSeconds: 3 }))
  expect(secondsUntilIssued(issuedAfter, revoked + 2)).toBe(3)
})

test('for half a minute after a revocation a token is dated past what a thief may have dated, and never more than PostgREST takes', () => {
  for (let now = revoked + 5; now < revoked + 34; now++) {
    const iat = issuedAt(issuedAfter, now)
    expect(iat).toBeGreaterThan(issuedAfter)
    expect(iat - now).toBeLessThan(30)
  }
})
