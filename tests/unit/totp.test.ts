/** The codes of RFC 6238, appendix B, shortened to their last six digits. */
import { expect, test } from 'vitest'
import { stepOf, totpUri } from '../../auth/features/two-factor/totp.ts'

// “12345678901234567890” in base32.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at second %i the code is %s', (second, code) => {
  const step = Math.floor(second / 30)
  expect(stepOf(secret, code, second * 1_000)).toBe(step)
  for (const offset of [-30, 30]) expect(stepOf(secret, code, (second + offset) * 1_000)).toBe(step)
  for (const late of [60, 3_600])
    expect(stepOf(secret, code, (second + late) * 1_000)).toBeUndefined()
})

test.each(['', '28708', '2870820', '28708²', 'abcdef'])('%j is no valid code', (code) => {
  expect(stepOf(secret, code, 59_000)).toBeUndefined()
})

test('an authenticator app reads the secret, the service and the account from the URI', () => {
  const uri = new URL(totpUri(secret, 'money.example.org', 'ann+books@example.org'))
  expect(`${uri.protocol}//${uri.host}${uri.pathname}`).toBe(
    'otpauth://totp/money.example.org:ann%2Bbooks%40example.org',
  )
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret,
    issuer: 'money.example.org',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
