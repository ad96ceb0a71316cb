/** Targets of mailed links: the app if APP_URL is set, otherwise pages of the service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { person, signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const app = 'https://app.example.org/money'
let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { APP_URL: app } })
})
afterAll(() => stack.close())

/** Opens a mailed link. */
const open = (link: string, accept: string) =>
  fetch(link.replace(stack.publicUrl, stack.url), { headers: { accept }, redirect: 'manual' })

describe('with an app at APP_URL', () => {
  test('the verification link verifies, then redirects a browser to the app with the result', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    const mail = await stack.mail.waitFor(ann.email)
    expect(linkIn(mail)).toMatch(new RegExp(`^${stack.publicUrl}/api/auth/verify-email\\?token=`))
    expect(mail.text).toContain('your app.example.org account')
    const answer = await open(linkIn(mail), 'text/html')
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${app}/verify-email?success=true`,
    ])
    expect(answer.headers.get('vary')).toBe('accept, Origin')
    expect((await ann.get('/get-session')).body.user.email_verified).toBe(true)
  })

  test('the verification link also verifies for curl, which gets the response of the interface', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    const answer = await open(linkIn(await stack.mail.waitFor(ann.email)), '*/*')
    expect([answer.status, await answer.json()]).toEqual([200, {
      success: true,
      message: expect.any(String),
    }])
    expect((await ann.get('/get-session')).body.user.email_verified).toBe(true)
  })

  test('HEAD, as programs that check links send it, does not use the verification link up', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    const link = linkIn(await stack.mail.waitFor(ann.email)).replace(stack.publicUrl, stack.url)
    for (const accept of ['text/html', '*/*']) {
      const answer = await fetch(link, { method: 'HEAD', headers: { accept }, redirect: 'manual' })
      expect([answer.status, await answer.text(), answer.headers.getSetCookie()]).toEqual([
        200,
        '',
        [],
      ])
    }
    expect((await ann.get('/get-session')).body.user.email_verified).toBe(false)
    expect((await open(link, '*/*')).status).toBe(200)
    expect((await ann.get('/get-session')).body.user.email_verified).toBe(true)
  })

  test('an expired link redirects to the app with an error', async () => {
    const answer = await open(`${stack.publicUrl}/api/auth/verify-email?token=ended`, 'text/html')
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${app}/verify-email?error=INVALID_TOKEN`,
    ])
  })

  test('a reset link leads to the app or to its page in redirectTo, and redirects to other sites are refused', async () => {
    const ann = await signedIn(stack, 'Ann')
    const linkAfter = async (redirectTo: string | undefined, part: string) => {
      expect(
        (await person(stack).post('/forget-password', { email: ann.email, redirectTo })).status,
      ).toBe(200)
      return linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes(part)))
    }
    expect(await linkAfter(undefined, '/reset-password?')).toMatch(
      /^https:\/\/app\.example\.org\/money\/reset-password\?token=\w+$/,
    )
    expect(await linkAfter('/money/new?lang=en', '/new?')).toMatch(
      /^https:\/\/app\.example\.org\/money\/new\?lang=en&token=\w+$/,
    )
    const elsewhere = [
      '//evil.example/x',
      'https://app.example.org.evil.example/x',
      '/\\evil.example',
    ]
    const besideTheApp = [
      '/',
      '/somebody-else',
      '/money-of-others',
      '/money/../x',
      '/money/%2e%2e/x',
      'https://app.example.org/',
    ]
    for (const redirectTo of [...elsewhere, ...besideTheApp])
      expect(
        (await person(stack).post('/forget-password', { email: ann.email, redirectTo })).status,
        redirectTo,
      ).toBe(403)
  })

  test('an invitation link leads to the app', async () => {
    const { id, owner } = await team(stack, [])
    const { body } = await owner.post('/organization/invite-member', {
      organizationId: id,
      email: 'bob@example.org',
      role: 'editor',
    })
    const link = new URL(linkIn(await stack.mail.waitFor('bob@example.org')))
    expect(`${link.origin}${link.pathname}`).toBe(`${app}/accept-invitation`)
    expect([...link.searchParams.keys(), link.searchParams.get('invitationId')]).toEqual([
      'invitationId',
      'token',
      body.id,
    ])
  })

  test('the root path redirects to the app', async () => {
    expect(await (await open(`${stack.publicUrl}/`, '*/*')).json()).toMatchObject({
      app,
      auth: `${stack.publicUrl}/api/auth`,
    })
    expect(await (await open(`${stack.publicUrl}/`, 'text/html')).text()).toContain(
      `<a href="${app}">`,
    )
  })
})
