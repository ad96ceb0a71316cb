/** Calls of tests of two factors, and their responses. */
import { expect } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import type { Answer, Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'

export const refused = (status: number, error: string) => ({
  status,
  body: { error, message: expect.any(String) },
})
export const codeRequired = refused(403, 'SECOND_FACTOR_REQUIRED')
export const wrongCode = refused(400, 'INVALID_CODE')
export const unauthorized = refused(401, 'UNAUTHORIZED')
export const signedInResponse = {
  status: 200,
  body: { user: expect.anything(), session: expect.anything(), subscription: expect.anything() },
}

export const totp = (browser: Person, code: string, trustDevice = false) =>
  browser.post('/two-factor/verify-totp', { code, trustDevice })
export const backup = (browser: Person, code: string | undefined) =>
  browser.post('/two-factor/verify-backup-code', { code })
export const status = async (user: Person) => (await user.get('/two-factor/status')).body
export const cookieNames = ({ headers }: Answer) =>
  headers.getSetCookie().map((cookie) => cookie.split('=')[0])
export const expectOneIn = (answers: Answer[]) => {
  expect(answers.filter(({ status: it }) => it === 200)).toHaveLength(1)
  for (const answer of answers.filter(({ status: it }) => it !== 200))
    expect(answer).toMatchObject(wrongCode)
}
export const isSignedIn = async (user: Person) => (await user.get('/get-session')).status === 200
/** Sets a new password by the link of the mail. */
export async function resetPasswordOf(stack: Stack, user: Person, to: string): Promise<void> {
  await user.post('/forget-password', { email: user.email })
  const link = new URL(
    linkIn(await stack.mail.waitFor(user.email, ({ text }) => text.includes('reset-password'))),
  )
  expect(
    (await user.post('/reset-password', { token: link.searchParams.get('token'), password: to }))
      .status,
  ).toBe(200)
}
