/** Native apps: they ask for the token of a session instead of the cookie, and web pages cannot. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../auth/rooms.ts'
import { authenticator, withTwoFactors } from '../support/authenticator-app.ts'
import { linkIn } from '../support/mail-sink.ts'
import { passkeyDevice } from '../support/passkey-device.ts'
import {
  password,
  person,
  signedIn,
  subscribed,
  type Answer,
  type Person,
} from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const page = 'https://app.example.org'
const webView = 'capacitor://localhost'
let stack: Stack
beforeAll(async () => {
  stack = await startStack({
    data: true,
    env: { TRUSTED_ORIGINS: `${page},${webView},tauri://localhost,ionic://localhost,app://-` },
  })
})
afterAll(() => stack.close())

const wish = { 'x-session-transport': 'token' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const tokenIn = ({ headers }: Answer) => headers.get('set-auth-token')
const refused = (status: number, error: string) => ({
  status,
  body: { error, message: expect.any(String) },
})
const unauthorized = refused(401, 'UNAUTHORIZED')
const forbidden = refused(403, 'FORBIDDEN')
const signInAt = (user: Pick<Person, 'email'>, headers: Record<string, string> = wish) =>
  person(stack).post('/sign-in/email', { email: user.email, password }, headers)

/** Signs in with an app. @returns the token and the requests of the app, which has no cookies */
async function appOf(user: Person) {
  const answer = await signInAt(user)
  expect(answer.status).toBe(200)
  return withToken(tokenIn(answer) ?? expect.unreachable('The response has no token.'))
}
function withToken(token: string) {
  const app = person(stack)
  return {
    token,
    get: (path: string, headers: Record<string, string> = {}) =>
      app.get(path, { ...bearer(token), ...headers }),
    post: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
      app.post(path, body, { ...bearer(token), ...headers }),
    isSignedIn: async () => (await app.get('/get-session', bearer(token))).status === 200,
  }
}

test('Ann’s app signs up and gets the token in one header, no cookie, and nothing more in the body', async () => {
  const ann = person(stack, 'Ann')
  const answer = await ann.post('/sign-up/email', { email: ann.email, password, name: 'Ann' }, wish)
  expect(answer.status).toBe(200)
  expect(answer.headers.getSetCookie()).toEqual([])
  const token = tokenIn(answer) ?? ''
  expect(token).toMatch(/^[A-Za-z0-9]{32}\.[A-Za-z0-9+/]{43}=$/)
  expect(JSON.stringify(answer.body)).not.toContain(token.split('.')[0])
  expect((await withToken(token).get('/get-session')).body.user.email).toBe(ann.email)
})

test('Ann’s app signs in, reads rows with a token of the data surface, switches to a team and signs out, without one cookie', async () => {
  const ann = await subscribed(stack, 'Ann')
  const app = await appOf(ann)
  const { body: { id } } = await app.post('/organization/create', { name: 'The Team' })
  const answers = [
    await app.post('/organization/set-active', { organizationId: id }),
    await app.get('/get-session'),
    await app.post('/token'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers[1]?.body.session.active_organization_id).toBe(id)
  const rows = () => fetch(`${stack.dataUrl}/tags`, { headers: bearer(answers[2]?.body.token) })
  expect((await rows()).status).toBe(200)

  answers.push(await app.post('/sign-out'))
  expect(await app.isSignedIn()).toBe(false)
  expect((await rows()).status).toBe(401)
  // The token is returned once.
  expect(answers.map(({ headers }) => [headers.getSetCookie(), headers.get('set-auth-token')]))
    .toEqual(answers.map(() => [[], null]))
})

test('Ann’s app keeps its token when the session is renewed', async () => {
  const ann = await signedIn(stack, 'Ann')
  const app = await appOf(ann)
  const { rows: [session] } = await stack.sql.query(
    `update auth.sessions set expires_at = now() + interval '1 day' where token = $1 returning id`,
    [app.token.split('.')[0]],
  )
  const answer = await app.get('/get-session')
  expect([answer.status, answer.headers.getSetCookie(), tokenIn(answer)]).toEqual([200, [], null])
  const renewed = await stack.sql.query(
    `select expires_at > now() + interval '6 days' as is_renewed from auth.sessions where id = $1`,
    [session.id],
  )
  expect(renewed.rows).toEqual([{ is_renewed: true }])
})

test('Ann’s app follows a live stream', async () => {
  const app = await appOf(await signedIn(stack, 'Ann'))
  const stream = await fetch(`${stack.url}/api/auth/changes?tables=tags`, {
    headers: bearer(app.token),
  })
  expect([stream.status, stream.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/event-stream/),
  ])
  await stream.body?.cancel()
})

test('Ann’s app signs in with two factors: the code goes with a token that opens nothing else', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const first = await signInAt(ann)
  expect(first).toMatchObject(refused(403, 'SECOND_FACTOR_REQUIRED'))
  expect([first.headers.getSetCookie(), tokenIn(first)]).toEqual([[], null])
  const pending = first.headers.get('set-two-factor-token') ?? ''
  expect(await person(stack).get('/get-session', bearer(pending))).toMatchObject(unauthorized)
  const send = (body: object, from = {}) =>
    person(stack).post('/two-factor/verify-totp', body, { ...bearer(pending), ...from })
  expect(await send({ code: app.code(9) })).toMatchObject(refused(400, 'INVALID_CODE'))
  expect(await send({ code: app.code(), trustDevice: true })).toMatchObject(
    refused(400, 'VALIDATION_ERROR'),
  )
  expect(await send({ code: app.code() }, { origin: page })).toMatchObject(forbidden)
  const second = await send({ code: app.code() })
  expect([second.status, second.headers.getSetCookie(), second.headers.get('set-two-factor-token')])
    .toEqual([200, [], null])
  expect(await withToken(tokenIn(second) ?? '').isSignedIn()).toBe(true)
  expect(await send({ code: app.code() })).toMatchObject(unauthorized)
})

test('Ann’s app signs in with a backup code', async () => {
  const { user: ann, backupCodes: [code] } = await withTwoFactors(stack, 'Ann')
  const pending = (await signInAt(ann)).headers.get('set-two-factor-token') ?? ''
  const answer = await person(stack).post(
    '/two-factor/verify-backup-code',
    { code },
    bearer(pending),
  )
  expect(await withToken(tokenIn(answer) ?? '').isSignedIn()).toBe(true)
})

test('Ann’s app turns two factors on', async () => {
  const app = await appOf(await signedIn(stack, 'Ann'))
  const { body: { totp_uri: uri } } = await app.post('/two-factor/enable', { password })
  expect((await app.post('/two-factor/verify-totp', { code: authenticator(uri).code() })).status)
    .toBe(200)
  expect((await app.get('/two-factor/status')).body.enabled).toBe(true)
})

test('Ann’s app adds a passkey and signs in with it; each challenge works once and for its own user', async () => {
  const ann = await signedIn(stack, 'Ann')
  const app = await appOf(ann)
  const device = passkeyDevice(stack.publicUrl)
  const options = await app.post('/passkey/generate-register-options', {})
  const response = device.create(options.body)
  const eve = await appOf(await signedIn(stack, 'Eve'))
  const begun = await app.post('/passkey/generate-register-options', {})
  expect(
    await eve.post('/passkey/verify-registration', {
      response: passkeyDevice(stack.publicUrl).create(begun.body),
    }),
  )
    .toMatchObject(refused(400, 'INVALID_PASSKEY'))
  expect((await app.post('/passkey/verify-registration', { response })).status).toBe(200)

  const start = await person(stack).post('/passkey/generate-authenticate-options', {}, wish)
  expect(start.headers.getSetCookie()).toEqual([])
  const assertion = { response: device.get(start.body) }
  // A browser still needs the cookie of its challenge.
  expect(await person(stack).post('/passkey/verify-authentication', assertion)).toMatchObject(
    refused(400, 'INVALID_PASSKEY'),
  )
  const answer = await person(stack).post('/passkey/verify-authentication', assertion, wish)
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
  expect(await withToken(tokenIn(answer) ?? '').isSignedIn()).toBe(true)
  expect(await person(stack).post('/passkey/verify-authentication', assertion, wish)).toMatchObject(
    refused(400, 'INVALID_PASSKEY'),
  )
})

test('Ann’s app answers an invitation', async () => {
  const owner = await subscribed(stack, 'Owner')
  const bob = await signedIn(stack, 'Bob')
  const { body: { id: organizationId } } = await owner.post('/organization/create', {
    name: 'The Team',
  })
  const { body: { id: invitationId } } = await owner.post('/organization/invite-member', {
    organizationId,
    email: bob.email,
    role: 'viewer',
  })
  const app = await appOf(bob)
  expect(
    (await app.get(`/organization/get-invitation?invitationId=${invitationId}`)).body.is_for_caller,
  ).toBe(true)
  const answer = await app.post('/organization/accept-invitation', { invitationId })
  expect([answer.status, answer.headers.getSetCookie(), tokenIn(answer)]).toEqual([200, [], null])
})

describe('a token', () => {
  const bySession = routes.filter(({ credentials = ['session'] }) => credentials.length > 0)
  test.each(bySession.map((row) => [row.method, row.path, row] as const))(
    'is taken by %s %s like the cookie, and not if it is forged',
    async (method, path, row) => {
      const ann = await signedIn(stack, 'Ann')
      const token = decodeURIComponent([...ann.cookies.values()][0] ?? '')
      const [id = '', signature = ''] = token.split('.')
      const example = row.example as Record<string, string> | undefined
      const at = `/api/auth${path}${
        method === 'GET' && example !== undefined
          ? `?${new URLSearchParams(example).toString()}`
          : ''
      }`
      const ask = async (authorization: string, headers: Record<string, string> = {}) => {
        const response = await fetch(`${stack.url}${at}`, {
          method,
          headers: { authorization, 'content-type': 'application/json', ...headers },
          ...(method === 'GET' ? {} : { body: JSON.stringify(example ?? {}) }),
        })
        await response.body?.cancel()
        return response.status
      }
      const forgeries = [
        id,
        `${id}.`,
        `${id}.${createHmac('sha256', 'a secret of somebody else').update(id).digest('base64')}`,
        `${id}x.${signature}`,
        `x${token}`,
        `never-was.${createHmac('sha256', stack.secret).update('never-was').digest('base64')}`,
      ]
      for (const forgery of forgeries) expect(await ask(`Bearer ${forgery}`), forgery).toBe(401)
      expect(await ask(`Bearer ${token}`, { origin: page })).toBe(403)
      expect(await ask(`Bearer ${token}`, { 'sec-fetch-site': 'same-origin' })).toBe(403)
      expect(await ask(`bearer ${token}`, { origin: webView, 'sec-fetch-site': 'cross-site' })).not
        .toBe(401)
    },
  )

  test('a token counts alone: cookies of another user are ignored, also if the token is no longer valid', async () => {
    const [ann, bob] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob')]
    const app = await appOf(ann)
    expect((await bob.get('/get-session', bearer(app.token))).body.user.email).toBe(ann.email)
    expect((await bob.post('/sign-out', undefined, bearer(app.token))).status).toBe(200)
    expect(await bob.get('/get-session', bearer(app.token))).toMatchObject(unauthorized)
    expect((await bob.get('/get-session')).body.user.email).toBe(bob.email)
  })

  test('a token changes nothing for API keys and tokens of the data surface, which keep their routes', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { body: { key } } = await ann.post('/api-key/create', {
      name: 'Report',
      expiresInDays: 9,
    })
    for (const other of [key, await ann.token()]) {
      expect(await person(stack).get('/get-session', bearer(other))).toMatchObject(unauthorized)
      expect((await ann.get('/get-session', bearer(other))).status).toBe(200)
    }
    expect((await person(stack).post('/token', undefined, { ...bearer(key), origin: page })).status)
      .toBe(200)
    const signIn = await person(stack).post(
      '/sign-in/email',
      { email: ann.email, password },
      bearer(key),
    )
    expect([signIn.headers.getSetCookie().length, tokenIn(signIn)]).toEqual([1, null])
  })

  test('a token that was stolen dies with the sign-out, the revocation, the password and the account', async () => {
    const ann = await signedIn(stack, 'Ann')
    const [phone, tablet, stolen] = [await appOf(ann), await appOf(ann), await appOf(ann)]
    await phone.post('/sign-out')
    expect(await phone.isSignedIn()).toBe(false)

    const { body: { session } } = await tablet.get('/get-session')
    expect((await ann.post('/revoke-session', { sessionId: session.id })).status).toBe(200)
    expect(await tablet.isSignedIn()).toBe(false)

    // The app that changes the password gets the token of its new session.
    const changing = await appOf(ann)
    const changed = await changing.post('/change-password', {
      currentPassword: password,
      newPassword: 'battery staple',
    })
    expect([changed.status, changed.headers.getSetCookie()]).toEqual([200, []])
    expect([await stolen.isSignedIn(), await changing.isSignedIn()]).toEqual([false, false])
    const next = withToken(tokenIn(changed) ?? '')
    expect(await next.isSignedIn()).toBe(true)

    await ann.post('/forget-password', { email: ann.email })
    const link = new URL(
      linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
    )
    expect(
      (await person(stack).post('/reset-password', {
        token: link.searchParams.get('token'),
        password,
      })).status,
    ).toBe(200)
    expect(await next.isSignedIn()).toBe(false)

    const last = await appOf(ann)
    expect((await last.post('/delete-account', { password })).status).toBe(200)
    const deletion = new URL(
      linkIn(
        await stack.mail.waitFor(ann.email, ({ text }) => text.includes('confirm-delete-account')),
      ),
    )
    const gone = await last.post('/confirm-delete-account', {
      token: deletion.searchParams.get('token'),
    })
    expect([gone.status, gone.headers.getSetCookie(), await last.isSignedIn()]).toEqual([
      200,
      [],
      false,
    ])
  })

  test('a token is in no log line', async () => {
    const { token } = await appOf(await signedIn(stack, 'Ann'))
    await person(stack).get('/get-session', { ...bearer(token), origin: page })
    expect(stack.logged.filter((line) => token.split('.').some((part) => line.includes(part))))
      .toEqual([])
  })
})

describe('a web page gets no token', () => {
  const pages: [what: string, headers: Record<string, string>][] = [
    ['of a foreign origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of a trusted origin', { origin: page, 'sec-fetch-site': 'cross-site' }],
    ['of our own origin', { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }],
    ['that sends no Origin', { 'sec-fetch-site': 'same-origin' }],
    ['that the user opened', { 'sec-fetch-site': 'none' }],
    ['of an old browser', { referer: `${page}/money` }],
    ['in a sandboxed frame', { origin: 'null' }],
    ['that claims the scheme of an app in its host', { origin: 'https://capacitor.localhost' }],
    ['of an app that is not trusted', { origin: 'capacitor://evil' }],
    ['of an app whose name begins like a trusted one', { origin: `${webView}.evil` }],
  ]
  const begins = routes.filter(({ startsSession }) => startsSession !== undefined)
  test.each(pages)('%s, by no route that begins a session', async (_, headers) => {
    for (const { path, example } of begins) {
      const answer = await person(stack).post(path, example, { ...wish, ...headers })
      expect([path, answer]).toMatchObject([path, forbidden])
      expect([tokenIn(answer), answer.headers.getSetCookie()]).toEqual([null, []])
    }
  })

  test('a web page gets no token and no browser lets it ask: a preflight allows the header only to apps', async () => {
    const preflight = async (origin: string) => {
      const { headers } = await fetch(`${stack.url}/api/auth/sign-in/email`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-session-transport',
        },
      })
      return [
        headers.get('access-control-allow-origin'),
        headers.get('access-control-allow-headers')?.split(',').includes('x-session-transport'),
      ]
    }
    expect(await preflight(page)).toEqual([page, false])
    expect((await preflight('capacitor://evil'))[0]).toBeNull()
    for (const origin of [webView, 'tauri://localhost', 'ionic://localhost', 'app://-'])
      expect(await preflight(origin)).toEqual([origin, true])
  })
})

test.each([webView, 'tauri://localhost', 'ionic://localhost', 'app://-'])(
  'the WebView of an app at %s signs in and may read the token',
  async (origin) => {
    const ann = await signedIn(stack, 'Ann')
    const answer = await signInAt(ann, { ...wish, origin, 'sec-fetch-site': 'cross-site' })
    expect([
      answer.status,
      answer.headers.getSetCookie(),
      answer.headers.get('access-control-allow-origin'),
    ]).toEqual([200, [], origin])
    expect(answer.headers.get('access-control-expose-headers')?.split(',')).toEqual(
      expect.arrayContaining(['set-auth-token', 'set-two-factor-token']),
    )
    const app = withToken(tokenIn(answer) ?? '')
    expect(
      (await app.post('/organization/set-active', { organizationId: null }, {
        origin,
        'sec-fetch-site': 'cross-site',
      })).status,
    ).toBe(200)
    // Mailed links and sign-ins never lead to an app's scheme.
    expect(
      await person(stack).post('/forget-password', {
        email: ann.email,
        redirectTo: `${origin}/reset`,
      }),
    ).toMatchObject(forbidden)
  },
)

test('another transport than a token is refused, and a sign-in without the header sets the cookie only', async () => {
  const ann = await signedIn(stack, 'Ann')
  for (const value of ['cookie', 'Token', 'token, token', ''])
    expect(await signInAt(ann, { 'x-session-transport': value })).toMatchObject(
      refused(400, 'VALIDATION_ERROR'),
    )
  const answer = await signInAt(ann, {})
  expect([answer.headers.getSetCookie().length, tokenIn(answer)]).toEqual([1, null])
})

test('an app has the limits of everybody else', async () => {
  await using limited = await startStack({ env: { RATE_LIMIT_ENABLED: 'true' } })
  const ann = person(limited, 'Ann')
  const guess = async () =>
    (await ann.post('/sign-in/email', { email: ann.email, password: 'wrong' }, wish)).status
  const statuses: number[] = []
  for (let times = 0; times < 11; times += 1) statuses.push(await guess())
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
})
