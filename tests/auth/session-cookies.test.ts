/**
 * Several cookies of one name. A browser keeps the old ones when an operator changes COOKIE_DOMAIN, COOKIE_SAME_SITE or the scheme. The
 * service must accept the valid one wherever it stands, and a sign-out must end all of them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { browserAt } from '../support/browser-jar.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import { password, person, signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const sessionCookie = 'better-auth.session_token'
const ann = { email: 'ann@example.org', password }

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

const valueOf = (who: Person) => who.cookies.get(sessionCookie) ?? ''
/** The cookie of a session that has ended. */
async function endedCookie(of: Person): Promise<string> {
  const elsewhere = person(stack, of.name, of.email)
  await elsewhere.signIn()
  const value = valueOf(elsewhere)
  await elsewhere.post('/sign-out')
  return value
}
/** Returns a browser that sends these values of the session cookie, in this order. */
const browserWith = (...values: string[]) => {
  const browser = person(stack)
  const [last = '', ...earlier] = values.toReversed()
  browser.cookies.set(sessionCookie, [...earlier.toReversed().map((value) => `${value}; ${sessionCookie}=`), last].join(''))
  return browser
}

test.each(['the ended one first', 'the valid one first'])(
  'a browser with an ended and a valid session cookie is signed in on every kind of route: %s',
  async (order) => {
    const user = await signedIn(stack, 'Ann')
    const values = [await endedCookie(user), valueOf(user)]
    const browser = browserWith(...order.startsWith('the ended') ? values : values.toReversed())
    expect((await browser.get('/get-session')).body.user.email).toBe(user.email)
    expect(await browser.token()).toMatch(/^ey/)
    expect((await browser.get('/list-sessions')).body).toHaveLength(1)
    expect((await browser.post('/update-user', { name: 'Anne' })).status).toBe(200)
    const changes = await fetch(`${stack.url}/api/auth/changes`, { headers: { cookie: `${sessionCookie}=${valueOf(browser)}` } })
    expect(changes.status).toBe(200)
    await changes.body?.cancel()
  },
)

test.each(['broken', '%%%', '', '"', 'a.b', `${'x'.repeat(32)}.${'A'.repeat(43)}%3D`])(
  'a browser with an ended and a valid session cookie ignores a value without our signature: %j',
  async (value) => {
    const user = await signedIn(stack, 'Ann')
    expect((await browserWith(value, valueOf(user)).get('/get-session')).status).toBe(200)
    expect((await browserWith(valueOf(user), value).get('/get-session')).status).toBe(200)
    expect((await browserWith(value, value).get('/get-session')).status).toBe(401)
  },
)

test('a browser with an ended and a valid session cookie keeps the valid one when its session is renewed', async () => {
  const user = await signedIn(stack, 'Ann')
  const browser = browserWith(await endedCookie(user), valueOf(user))
  await stack.sql.query(`update auth.sessions set expires_at = now() + interval '2 days' where user_id = $1`, [await user.id()])
  const { headers, status } = await browser.get('/get-session')
  expect([status, headers.getSetCookie().at(-1)?.split(';')[0]]).toEqual([200, `${sessionCookie}=${valueOf(user)}`])
})

test('a sign-out ends each session whose cookie the browser sends, and no other', async () => {
  const [first, second, elsewhere] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob'), await signedIn(stack, 'Cay')]
  expect((await browserWith(valueOf(first), valueOf(second)).post('/sign-out')).status).toBe(200)
  expect((await first.get('/get-session')).status).toBe(401)
  expect((await second.get('/get-session')).status).toBe(401)
  expect((await elsewhere.get('/get-session')).status).toBe(200)
  // a value that the service has not signed ends nothing
  const [token = ''] = decodeURIComponent(valueOf(elsewhere)).split('.')
  const attacker = await signedIn(stack, 'Eve')
  await browserWith(valueOf(attacker), encodeURIComponent(`${token}.${'A'.repeat(43)}=`)).post('/sign-out')
  expect((await elsewhere.get('/get-session')).status).toBe(200)
})

describe('an operator changes', () => {
  /** Signs in, reads the session and signs out at a service with other settings. A browser that keeps its cookies is never locked out. */
  async function comeAndGo(browser: ReturnType<typeof browserAt>, url: string, name: string): Promise<void> {
    expect((await browser.send(url, 'POST', '/sign-in/email', ann)).status).toBe(200)
    expect((await browser.send(url, 'GET', '/get-session')).status).toBe(200)
    expect(browser.cookiesOf(name)).toHaveLength(1)
    const before = browser.cookie()
    expect((await browser.send(url, 'POST', '/sign-out')).status).toBe(200)
    expect(browser.cookiesOf(name)).toEqual([])
    const replay = await fetch(`${url}/api/auth/get-session`, { headers: { cookie: before } })
    expect(replay.status).toBe(401)
    expect((await browser.send(url, 'POST', '/sign-in/email', ann)).status).toBe(200)
  }

  test('COOKIE_DOMAIN from unset to a domain to another and back, and no user is locked out or stays signed in', async () => {
    await using own = await startStack({ env: { PUBLIC_URL: 'http://eu.money.example.test' } })
    const browser = browserAt('eu.money.example.test')
    expect((await browser.send(own.url, 'POST', '/sign-up/email', ann)).status).toBe(200)
    for (const domain of ['example.test', '.Money.example.test', '']) {
      const url = await own.startAnotherAuth({ COOKIE_DOMAIN: domain })
      expect((await browser.send(url, 'GET', '/get-session')).status).toBe(200)
      await comeAndGo(browser, url, sessionCookie)
    }
  })

  test('COOKIE_SAME_SITE, with and without COOKIE_DOMAIN', async () => {
    const name = `__Secure-${sessionCookie}`
    await using own = await startStack({ env: { PUBLIC_URL: 'https://money.example.test' } })
    const browser = browserAt('money.example.test')
    expect((await browser.send(own.url, 'POST', '/sign-up/email', ann)).status).toBe(200)
    const settings = [['none', ''], ['none', 'example.test'], ['lax', 'example.test'], ['lax', '']] as const
    for (const [sameSite, domain] of settings) {
      const url = await own.startAnotherAuth({ COOKIE_SAME_SITE: sameSite, COOKIE_DOMAIN: domain })
      expect((await browser.send(url, 'GET', '/get-session')).status).toBe(200)
      await comeAndGo(browser, url, name)
    }
  })

  test('the scheme to https: the cookie from before does not sign in, and a sign-out ends its session too', async () => {
    await using own = await startStack({ env: { PUBLIC_URL: 'http://money.example.test' } })
    const browser = browserAt('money.example.test')
    await browser.send(own.url, 'POST', '/sign-up/email', ann)
    const url = await own.startAnotherAuth({ PUBLIC_URL: 'https://money.example.test' })
    expect((await browser.send(url, 'GET', '/get-session')).status).toBe(401)
    const [before, old] = [person(own), browser.cookie()]
    await before.call('POST', '/sign-in/email', ann)
    const both = { cookie: `${old}; __Secure-${sessionCookie}=${valueOf(before)}` }
    expect((await fetch(`${url}/api/auth/sign-out`, { method: 'POST', headers: both })).status).toBe(200)
    expect((await own.sql.query('select 1 from auth.sessions')).rowCount).toBe(0)
    await comeAndGo(browser, url, `__Secure-${sessionCookie}`)
    expect(browser.cookiesOf(sessionCookie)).toEqual([])
  })
})

test('a service at a subdomain keeps the cookie of another deployment at the domain above, which has a name in common with ours', async () => {
  await using below = await startStack({ env: { PUBLIC_URL: 'http://eu.money.example.test' } })
  const browser = browserAt('eu.money.example.test')
  const other = `${'x'.repeat(32)}.${encodeURIComponent(`${'A'.repeat(43)}=`)}`
  browser.store(`${sessionCookie}=${other}; Domain=money.example.test; Path=/`)
  for (const path of ['/sign-up/email', '/sign-in/email']) {
    expect((await browser.send(below.url, 'POST', path, ann)).status).toBe(200)
    expect((await browser.send(below.url, 'GET', '/get-session')).status).toBe(200)
    expect(browser.cookiesOf(sessionCookie)).toEqual([other, expect.any(String)])
    const before = browser.cookie()
    expect((await browser.send(below.url, 'POST', '/sign-out')).status).toBe(200)
    expect((await fetch(`${below.url}/api/auth/get-session`, { headers: { cookie: before } })).status).toBe(401)
    expect(browser.cookiesOf(sessionCookie)).toEqual([other])
  }
})

describe('the other cookies', () => {
  test('an old cookie of a pending sign-in or of a remembered device hides no valid one', async () => {
    const { user, app } = await withTwoFactors(stack, 'Ann')
    const browser = person(stack, user.name, user.email)
    await browser.signIn()
    const pending = 'better-auth.two_factor'
    browser.cookies.set(pending, `${'x'.repeat(32)}; ${pending}=${browser.cookies.get(pending)}`)
    expect((await browser.post('/two-factor/verify-totp', { code: app.code(), trustDevice: true })).status).toBe(200)
    await browser.post('/sign-out')
    const [device = ''] = [...browser.cookies.keys()].filter((name) => name.includes('trusted_device'))
    browser.cookies.set(device, `${'x'.repeat(32)}; ${device}=${browser.cookies.get(device)}`)
    expect((await browser.signIn()).status).toBe(200)
  })

  test('a passkey signs in although the browser also sends the cookie of an older challenge', async () => {
    const user = await signedIn(stack, 'Ann')
    const phone = passkeyDevice(stack.publicUrl)
    await user.post('/passkey/verify-registration', { response: phone.create((await user.post('/passkey/generate-register-options', {})).body) })
    const browser = person(stack)
    const challenge = 'better-auth.passkey_challenge'
    await browser.post('/passkey/generate-authenticate-options')
    const older = browser.cookies.get(challenge)
    const { body: options } = await browser.post('/passkey/generate-authenticate-options')
    browser.cookies.set(challenge, `${older}; ${challenge}=${browser.cookies.get(challenge)}`)
    expect((await browser.post('/passkey/verify-authentication', { response: phone.get(options) })).status).toBe(200)
  })
})
