import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
// The test's own address is a trusted proxy, so that each test can use client addresses of its own.
beforeAll(async () => {
  stack = await startStack({
    env: { RATE_LIMIT_ENABLED: 'true', TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' },
  })
})
afterAll(() => stack.close())

/**
 * The limits that docs/decisions/users.md#address-limits-stop-floods-account-limits-stop-guesses
 * promises.
 */
const guesses = { max: 10, window: 60 }
const resetMails = { max: 5, window: 900 }
const resets = { max: 20, window: 60 }

let subnet = 0
/** Returns a new client address. */
const freshAddress = () => `203.0.${113 + Math.floor(++subnet / 250)}.${subnet % 250 + 1}`
const from = (address: string) => ({ 'x-forwarded-for': address })

const signIn = (who: Person, address: string, email = who.email) =>
  who.post('/sign-in/email', { email, password: 'wrong password' }, from(address))

const expectLimited = (
  { status, body, headers }: Awaited<ReturnType<Person['post']>>,
  window: number,
) => {
  expect(status).toBe(429)
  expect(body).toEqual({ error: 'RATE_LIMIT_EXCEEDED', message: expect.any(String) })
  const seconds = Number(headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(window)
}

describe('per account', () => {
  test('a password can be guessed ten times a minute, whatever the number of client addresses', async () => {
    const ann = person(stack, 'Ann')
    for (let i = 0; i < guesses.max; i++)
      expect((await signIn(ann, freshAddress())).status).toBe(401)
    expectLimited(await signIn(ann, freshAddress()), guesses.window)
    expectLimited(await signIn(ann, freshAddress(), ann.email.toUpperCase()), guesses.window)
    expect((await signIn(person(stack), freshAddress())).status).toBe(401)
  })

  test('ten guesses count across all routes, and then the right password is refused too', async () => {
    const ann = await signedIn(stack, 'Ann')
    const routes: [string, object][] = [
      ['/sign-in/email', { email: ann.email.toUpperCase(), password: 'wrong' }],
      ['/change-password', { currentPassword: 'wrong', newPassword: 'something else' }],
      ['/request-email-change', { newEmail: 'ann@example.net', password: 'wrong' }],
      ['/delete-account', { password: 'wrong' }],
      ['/two-factor/enable', { password: 'wrong' }],
      ['/two-factor/disable', { password: 'wrong' }],
      ['/two-factor/generate-backup-codes', { password: 'wrong' }],
      ['/passkey/generate-register-options', { password: 'wrong' }],
      ['/passkey/require', { required: false, password: 'wrong' }],
      ['/remove-password', { password: 'wrong' }],
      ['/api-key/create', { name: 'Report', expiresInDays: 1, password: 'wrong' }],
      ['/passkey/delete', { passkeyId: 'any', password: 'wrong' }],
    ]
    const answers = []
    for (const [path, body] of routes)
      answers.push((await ann.post(path, body, from(freshAddress()))).status)
    expect(answers).toEqual([401, ...Array.from({ length: 9 }, () => 400), 429, 429])
    expectLimited(
      await ann.post('/change-password', {
        currentPassword: password,
        newPassword: 'something else',
      }, from(freshAddress())),
      guesses.window,
    )
    // Requests without a password still succeed.
    expect((await ann.post('/two-factor/enable', {}, from(freshAddress()))).status).toBe(200)
  })

  test('per account right passwords are not guesses: twenty in a minute over several routes succeed', async () => {
    const ann = await signedIn(stack, 'Ann')
    for (let i = 0; i < 5; i++) {
      for (const path of ['/two-factor/enable', '/passkey/generate-register-options']) {
        expect((await ann.post(path, { password }, from(freshAddress()))).status).toBe(200)
      }
      expect(
        (await ann.post('/sign-in/email', { email: ann.email, password }, from(freshAddress())))
          .status,
      ).toBe(200)
      expect(
        (await ann.post(
          '/api-key/create',
          { name: 'Report', expiresInDays: 1, password },
          from(freshAddress()),
        )).status,
      ).toBe(200)
    }
    for (let i = 0; i < guesses.max - 5; i++)
      expect((await signIn(ann, freshAddress())).status).toBe(401)
  })

  test('fifty guesses at once at two processes do not exceed the limit', async () => {
    const ann = person(stack, 'Ann')
    const elsewhere = person({ ...stack, url: await stack.startAnotherAuth() }, 'Ann', ann.email)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => signIn(i % 2 ? ann : elsewhere, freshAddress())),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(guesses.max)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(50 - guesses.max)
  })

  test('one address receives five reset mails, and an unknown address gets the same responses', async () => {
    const ann = person(stack, 'Ann')
    await ann.post('/sign-up/email', { email: ann.email, password }, from(freshAddress()))
    for (const email of [ann.email, 'nobody@example.org']) {
      for (let i = 0; i < resetMails.max; i++)
        expect(
          (await person(stack).post('/forget-password', { email }, from(freshAddress()))).status,
        ).toBe(200)
      expectLimited(
        await person(stack).post('/forget-password', { email }, from(freshAddress())),
        resetMails.window,
      )
    }
    await expect.poll(() =>
      stack.mail.mails().filter(({ to, text }) =>
        to === ann.email && text.includes('reset-password')
      ).length
    ).toBe(
      5,
    )
  })

  test('an address that many accounts request as their new one receives five mails', async () => {
    const newEmail = 'wanted-by-many@example.org'
    const ask = async (user: Person) =>
      user.post('/request-email-change', { newEmail, password }, from(freshAddress()))
    for (const asks of [4, 1]) {
      const user = await signedIn(stack, 'Eve')
      for (let i = 0; i < asks; i++) expect((await ask(user)).status).toBe(200)
    }
    expectLimited(await ask(await signedIn(stack, 'Eve')), resetMails.window)
  })

  test('an unverified user who signs in repeatedly receives five verification mails, and is still signed in', async () => {
    const ann = person(stack, 'Ann')
    await ann.post('/sign-up/email', { email: ann.email, password }, from(freshAddress()))
    for (let i = 0; i < 8; i++)
      expect(
        (await ann.post('/sign-in/email', { email: ann.email, password }, from(freshAddress())))
          .status,
      ).toBe(200)
    await expect.poll(() => stack.mail.mails().filter(({ to }) => to === ann.email).length).toBe(5)
  })

  test('the counters contain no address', async () => {
    await signIn(person(stack, 'Hidden'), freshAddress())
    const { rows } = await stack.sql.query(
      `select key from auth.rate_limits where key like '%@%' or key ilike '%hidden%'`,
    )
    expect(rows).toEqual([])
  })
})

describe('per client address', () => {
  const exhaust = async (address: () => string) => {
    const { max } = resets
    const answers = await Promise.all(
      Array.from(
        { length: max + 5 },
        () =>
          person(stack).post(
            '/reset-password',
            { token: 'x'.repeat(24), password },
            from(address()),
          ),
      ),
    )
    return answers.filter(({ status }) => status === 429).length
  }

  test('the limit is exact if all requests arrive at once', async () => {
    const address = freshAddress()
    expect(await exhaust(() => address)).toBe(5)
    expectLimited(
      await person(stack).post(
        '/reset-password',
        { token: 'x'.repeat(24), password },
        from(address),
      ),
      resets.window,
    )
  })

  test('a client cannot change its address by adding addresses to X-Forwarded-For', async () => {
    const address = freshAddress()
    expect(await exhaust(() => `${freshAddress()}, ${address}`)).toBe(5)
  })

  test('a client cannot change its address by headers of untrusted proxies', async () => {
    const address = freshAddress()
    let n = 0
    const { max } = resets
    const answers = await Promise.all(
      Array.from(
        { length: max + 5 },
        () =>
          person(stack).post('/reset-password', { token: 'x'.repeat(24), password }, {
            ...from(address),
            'x-real-ip': `10.0.0.${++n}`,
            'cf-connecting-ip': `10.0.0.${n}`,
            forwarded: `for=10.0.0.${n}`,
            'x-finance-client-address': `10.0.0.${n}`,
          }),
      ),
    )
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
  })

  test('an IPv6 client is counted by its /64', async () => {
    let n = 0
    expect(await exhaust(() => `2001:db8:0:77::${(++n).toString(16)}`)).toBe(5)
    expect(await exhaust(() => `2001:db8:1:${(++n).toString(16)}::1`)).toBe(0)
  })

  test('an IPv4 client is the same when its address is written as IPv6', async () => {
    const address = freshAddress()
    let n = 0
    expect(await exhaust(() => (++n % 2 ? address : `::ffff:${address}`))).toBe(5)
  })

  test('an ordinary client stays far below the limits', async () => {
    const ann = person(stack, 'Ann')
    await ann.post('/sign-up/email', { email: ann.email, password }, from(freshAddress()))
    const address = freshAddress()
    for (const path of ['/get-session', '/organization/list', '/jwks']) {
      const answers = await Promise.all(
        Array.from({ length: 150 }, () => ann.get(path, from(address))),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    }
  })

  test('another spelling of a path does not start a new counter', async () => {
    const ann = person(stack, 'Ann')
    for (let i = 0; i < guesses.max; i++) await signIn(ann, freshAddress())
    for (
      const path of [
        '//sign-in/email',
        '/sign-in//email',
        '/sign-in/email/',
        '/sign-in/%65mail',
        '/./sign-in/email',
        '/SIGN-IN/EMAIL',
        '/sign-in/email?x=1',
        '/sign-in/email;x',
      ]
    ) {
      const { status } = await ann.post(
        path,
        { email: ann.email, password: 'wrong password' },
        from(freshAddress()),
      )
      expect([404, 429]).toContain(status)
    }
  })

  test('the invitations of one account to an address are limited, and leave those of others to it alone', async () => {
    const invite = (owner: Person, organizationId: string, email: string) =>
      owner.post('/organization/invite-member', { organizationId, email, role: 'viewer' })
    const [mine, other] = [await team(stack, []), await team(stack, [])]
    const statuses = []
    for (let at = 0; at < 21; at++)
      statuses.push((await invite(mine.owner, mine.id, 'wanted@example.org')).status)
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409), 429])
    expect((await invite(other.owner, other.id, 'wanted@example.org')).status).toBe(200)
    // the same account may invite others, up to a hundred in an hour
    const others = await Promise.all(
      Array.from({ length: 80 }, (_, at) => invite(mine.owner, mine.id, `guest-${at}@example.org`)),
    )
    expect(others.filter(({ status }) => status === 429)).toHaveLength(1)
  })
})

describe('a program on the machine of the service', () => {
  const ask = (who: Person, headers = {}) =>
    who.post('/disown-account', { token: 'x'.repeat(24) }, headers)
  const refusedOf = async (count: number, headers?: Record<string, string>) =>
    (await Promise.all(Array.from({ length: count }, () => ask(person(local), headers))))
      .filter(({ status }) => status === 429).length

  let local: Stack
  beforeAll(async () => {
    local = { ...stack, url: await stack.startAnotherAuth({ TRUSTED_PROXIES: '' }) }
  })

  test('a program on the machine of the service has ten times the limit per address, but a proxy on the machine does not for its clients', async () => {
    expect(await refusedOf(195)).toBe(0)
    expect(await refusedOf(10)).toBe(5)
    await local.sql.query('delete from auth.rate_limits')
    expect(await refusedOf(25, from('203.0.113.7'))).toBe(5)
  })

  test('a program on the machine of the service may not guess more passwords of an account', async () => {
    const ann = person(local, 'Ann')
    const guess = () => ann.post('/sign-in/email', { email: ann.email, password: 'wrong password' })
    for (let i = 0; i < guesses.max; i++) expect((await guess()).status).toBe(401)
    expectLimited(await guess(), guesses.window)
  })
})

describe('a window', () => {
  const consume = async (key: string, window: number, max: number) =>
    (await stack.sql.query(
      'select allowed, retry_after_seconds from auth.consume_rate_limit($1, $2, $3)',
      [key, window, max],
    )).rows[0]

  test('a window has a fixed end, which refused requests do not extend', async () => {
    const started = Date.now()
    expect(await consume('fixed', 1, 1)).toMatchObject({ allowed: true })
    const refused: unknown[] = []
    // Each query counts as a request, so if refused requests extended the window, it would never
    // end.
    await expect.poll(async () => {
      const answer = await consume('fixed', 1, 1)
      if (!answer.allowed) refused.push(answer.retry_after_seconds)
      return answer.allowed
    }, { interval: 10, timeout: 10_000 }).toBe(true)
    expect(Date.now() - started).toBeGreaterThanOrEqual(1_000)
    expect(new Set(refused)).toEqual(new Set([1]))
  })

  test('a window keeps its count when the service restarts', async () => {
    const ann = person(stack, 'Ann')
    for (let i = 0; i < guesses.max; i++) await signIn(ann, freshAddress())
    const restarted = person({ ...stack, url: await stack.startAnotherAuth() }, 'Ann', ann.email)
    expect((await signIn(restarted, freshAddress())).status).toBe(429)
  })
})
