/** The client against the real surfaces, as an app uses it. */
import { randomUUID } from 'node:crypto'
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  expectTypeOf,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { type Change, createClient, type FinanceError, unwrap } from '../../client/index.ts'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { clientOf } from './person-client.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const failed = (work: Promise<unknown>): Promise<FinanceError> =>
  work.then(() => {
    throw new Error('It did not fail.')
  }, (error: FinanceError) => error)

test('Ann, from sign-up to sign-out signs up, lists, embeds, calls a function, replays an import and signs out, with one token request', async () => {
  const ann = person(stack, 'Ann')
  const { auth, data, changes, count } = clientOf(stack, ann)
  const { user } = await auth.signUp({ email: ann.email, password, name: 'Ann' })
  expect(user.email).toBe(ann.email)

  const food = await unwrap(data.from('categories').insert({ name: 'Food' }).select().single())
  await unwrap(
    data.from('transactions').insert({ name: 'Coffee', amount: -3.5, category_id: food.id }),
  )
  const [coffee] = await unwrap(
    data.from('transactions').select('name, amount, category:categories(name)'),
  )
  expect(coffee).toEqual({ name: 'Coffee', amount: -3.5, category: { name: 'Food' } })
  expectTypeOf(coffee?.category?.name).toEqualTypeOf<string | undefined>()

  expect(
    await unwrap(
      data.rpc('get_transaction_stat', {
        p_filters: [],
        p_aggregate_fn: 'sum',
        p_transaction_type: 'balance',
      }),
    ),
  ).toBe(-3.5)

  await unwrap(data.from('accounts').insert({ name: 'Bank', type: 'checking', balance: 12.5 }))
  const [account] = await unwrap(data.from('accounts').select('*,current_balance'))
  expect(account).toMatchObject({ name: 'Bank', currency: 'usd', current_balance: 12.5 })
  expectTypeOf(account?.current_balance).toEqualTypeOf<number | null | undefined>()

  const bank = [{ name: 'Tram', amount: -2.9, source: 'bank', external_id: 'b-1' }]
  for (let times = 0; times < 2; times += 1) await unwrap(data.from('transactions').upsert(bank))
  expect(await unwrap(data.from('transactions').select('name').order('amount'))).toEqual([{
    name: 'Coffee',
  }, { name: 'Tram' }])

  const tags = await Promise.all(Array.from({ length: 3 }, () => data.from('tags').select('name')))
  expect(tags.map(({ status }) => status)).toEqual([200, 200, 200])

  await auth.signOut()
  expect(count('/token')).toBe(1)
  expect(changes).toMatchObject([
    {
      event: 'signed-in',
      session: { user_id: user.id, active_organization_id: null },
      previous: null,
    },
    { event: 'signed-out', session: null, previous: { user_id: user.id } },
  ])
})

test('Ann, from sign-up to sign-out signs in with two factors: the client has no session before the code, and one afterwards', async () => {
  const { user: ann, app } = await withTwoFactors(stack, 'Ann')
  const { auth, data, changes } = clientOf(stack, person(stack, 'Ann', ann.email))
  expect(await failed(auth.signIn({ email: ann.email, password }))).toMatchObject({
    code: 'SECOND_FACTOR_REQUIRED',
    status: 403,
  })
  expect(changes.filter(({ session }) => session !== null)).toEqual([])
  expect(await failed(auth.twoFactor.verifyTotp({ code: app.code(9) }))).toMatchObject({
    code: 'INVALID_CODE',
  })
  const { user } = await auth.twoFactor.verifyTotp({ code: app.code(), trustDevice: true })
  expect(changes).toMatchObject([
    { event: 'signed-out', session: null, previous: null },
    { event: 'signed-in', session: { user_id: user.id }, previous: null },
  ])
  expect(await unwrap(data.from('tags').select('name'))).toEqual([])
})

test('Ann, from sign-up to sign-out works in a team that she selects, with her role, until she is removed', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  const { auth, data, changes, count } = clientOf(stack, editor)
  const names = async () =>
    (await unwrap(data.from('transactions').select('name'))).map(({ name }) => name)
  // Her state is not loaded yet.
  await auth.organization.setActive({ organizationId: id })
  await unwrap(data.from('transactions').insert({ name: 'Rent', amount: -900 }))
  await owner.patch('/organization/update-member-role', {
    organizationId: id,
    userId: await editor.id(),
    role: 'viewer',
  })
  // Her token ended with her role.
  expect(await Promise.all(Array.from({ length: 10 }, names))).toEqual(
    Array.from({ length: 10 }, () => ['Rent']),
  )
  expect(count('/token')).toBe(2)
  await auth.organization.setActive({ organizationId: null })
  expect(await names()).toEqual([])
  await auth.organization.setActive({ organizationId: id })
  expect(await names()).toEqual(['Rent'])
  expect(count('/token')).toBe(4)
  await owner.post('/organization/remove-member', { organizationId: id, userId: await editor.id() })
  expect(await names()).toEqual([])
  expect(changes.map(({ event, session }) => [event, session?.active_organization_id])).toEqual([
    ['signed-in', id],
    ['organization-changed', null],
    ['organization-changed', id],
    ['organization-changed', null],
  ])
})

test.each([['signed in', true], ['signed out', false]])(
  'a listener receives the first state without further requests of Ann, who is %s: once, with one request',
  async (_, isIn) => {
    const ann = isIn ? await signedIn(stack, 'Ann') : person(stack, 'Ann')
    const client = clientOf(stack, ann)
    const second: Change[] = []
    client.onChange((change) => second.push(change))
    await expect.poll(() => client.changes.length).toBe(1)
    const state = isIn
      ? { event: 'signed-in', session: { user_id: await ann.id() } }
      : { event: 'signed-out', session: null }
    expect(client.changes).toMatchObject([{ ...state, previous: null }])
    expect(second).toEqual(client.changes)
    expect(client.requests).toHaveLength(1)
    // This listener is added later.
    const late: Change[] = []
    client.onChange((change) => late.push(change))
    await expect.poll(() => late).toEqual(client.changes)
    expect(client.requests).toHaveLength(1)
  },
)

test('a listener receives the first state without further requests also if the app itself requests the session, which is the only request', async () => {
  const client = clientOf(stack, await signedIn(stack, 'Ann'))
  await Promise.all([client.auth.getSession(), client.auth.getSession()])
  await expect.poll(() => client.changes.length).toBe(1)
  expect(client.requests).toHaveLength(1)
})

test('a listener receives the first state without further requests after a short outage of the service', async () => {
  let isAway = true
  const client = clientOf(
    stack,
    await signedIn(stack, 'Ann'),
    () => (isAway ? new Response(null, { status: 503 }) : undefined),
  )
  await expect.poll(() => client.requests.length).toBe(1)
  expect(client.changes).toEqual([])
  isAway = false
  await expect.poll(() => client.changes).toMatchObject([{ event: 'signed-in' }])
})

test('a token is renewed a minute before its expiry', async () => {
  const ann = await signedIn(stack, 'Ann')
  /** Requests rows with a token that was issued some minutes ago. */
  const readAfter = async (minutes: number) => {
    const app = clientOf(stack, ann)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - minutes * 60_000)
    await unwrap(app.data.from('tags').select())
    clock.mockRestore()
    await Promise.all([app.data.from('tags').select(), app.data.from('tags').select()])
    return app
  }
  expect((await readAfter(58.5)).count('/token')).toBe(1)
  const app = await readAfter(59.1)
  expect(app.count('/token')).toBe(2)
  expect(app.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
})

test('a token that is new and refused by the data surface is not requested repeatedly', async () => {
  const refused = () =>
    Response.json({ code: 'PGRST301', message: 'JWT invalid', details: null, hint: null }, {
      status: 401,
    })
  const app = clientOf(
    stack,
    await signedIn(stack, 'Ann'),
    (path) => (path.startsWith('/data') ? refused() : undefined),
  )
  const round = () => Promise.all(Array.from({ length: 40 }, () => app.data.from('tags').select()))
  const [first] = await round()
  expect([first?.status, first?.error?.code]).toEqual([401, 'PGRST301'])
  expect([app.count('/token'), app.count('/data')]).toEqual([2, 80])
  await round()
  expect([app.count('/token'), app.count('/data')]).toEqual([2, 120])
})

test('a token of an ended session is requested once by forty components, which get the error to sign in', async () => {
  const ann = await signedIn(stack, 'Ann')
  const app = clientOf(stack, ann)
  await app.auth.getSession()
  await stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => app.data.from('transactions').select()),
  )
  expect(new Set(answers.map(({ status, error }) => `${status} ${error?.code}`))).toEqual(
    new Set(['401 UNAUTHORIZED']),
  )
  await app.data.from('transactions').select()
  expect([app.count('/token'), app.count('/data')]).toEqual([1, 0])
  expect(app.changes.map(({ event }) => event)).toEqual(['signed-in', 'session-ended'])
  await app.auth.signIn({ email: ann.email, password })
  expect((await app.data.from('transactions').select()).status).toBe(200)
})

test('a token that is requested during a slow sign-out finds no session, and the app hears only of the sign-out', async () => {
  const responds = Promise.withResolvers<void>()
  const app = clientOf(
    stack,
    await signedIn(stack, 'Ann'),
    undefined,
    (path) => (path.endsWith('/sign-out') ? responds.promise : undefined),
  )
  await app.auth.getSession()
  const signingOut = app.auth.signOut()
  await expect.poll(() => app.count('/sign-out')).toBe(1)
  expect(await failed(app.auth.token())).toMatchObject({ code: 'UNAUTHORIZED' })
  responds.resolve()
  await signingOut
  expect(app.changes.map(({ event }) => event)).toEqual(['signed-in', 'signed-out'])
})

test('a token that was requested before a sign-out is discarded if it arrives after it', async () => {
  const app = clientOf(stack, await signedIn(stack, 'Ann'))
  await app.auth.getSession()
  const [answer] = await Promise.all([app.data.from('tags').select(), app.auth.signOut()])
  expect([200, 401]).toContain(answer.status)
  expect((await app.data.from('tags').select()).error?.code).toBe('UNAUTHORIZED')
  expect(app.changes.map(({ event }) => event)).toEqual(['signed-in', 'signed-out'])
})

test('an error of the auth surface names the form field', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { auth } = clientOf(stack, ann)
  const input = { email: ann.email, password, name: 'Ann' }
  expect(await failed(auth.signUp(input))).toMatchObject({
    status: 409,
    code: 'USER_EXISTS',
    fields: ['email'],
  })
  expect(await failed(auth.signUp({ ...input, password: 'short' }))).toMatchObject({
    status: 400,
    code: 'INVALID_PASSWORD',
    fields: ['password'],
  })
  expect(await failed(auth.signUp({ email: 'nobody', password: 'short' }))).toMatchObject({
    code: 'INVALID_EMAIL',
    fields: ['email', 'password'],
  })
  expect(await failed(auth.updateUser({ image: 'no address' }))).toMatchObject({
    status: 400,
    code: 'VALIDATION_ERROR',
    fields: ['image'],
  })
  expect(await failed(auth.signIn({ email: ann.email, password: 'wrong' }))).toMatchObject({
    code: 'INVALID_CREDENTIALS',
    fields: ['email', 'password'],
  })
  expect(await failed(auth.changePassword({ currentPassword: 'wrong', newPassword: password })))
    .toMatchObject({
      code: 'INVALID_PASSWORD',
      fields: ['currentPassword', 'newPassword'],
    })
  expect(await failed(auth.organization.create({ name: 'Team' }))).toMatchObject({
    status: 403,
    code: 'SUBSCRIPTION_REQUIRED',
    fields: [],
  })
})

test('an error of the data surface names the columns', async () => {
  const { data } = clientOf(stack, await signedIn(stack, 'Ann'))
  const insert = (row: { name: string, amount: number }) =>
    failed(unwrap(data.from('transactions').insert(row)))
  expect(await insert({ name: '', amount: 1 })).toMatchObject({
    status: 400,
    code: '23514',
    fields: ['name'],
  })
  expect(await insert({ name: 'A' } as never)).toMatchObject({
    status: 400,
    code: '23502',
    fields: ['amount'],
  })
  expect(await insert({ name: 'A', amount: 1, nope: 1 } as never)).toMatchObject({
    status: 400,
    code: 'PGRST204',
    fields: ['nope'],
  })
  expect(await insert({ name: 'A', amount: 1, category_id: randomUUID() } as never)).toMatchObject({
    status: 409,
    code: '23503',
    fields: ['category_id'],
  })
})

test('an error of the network has its own code, and so has an aborted request', async () => {
  const away = createClient({ baseUrl: 'http://127.0.0.1:9' })
  expect(await failed(away.auth.getSession())).toMatchObject({ status: 0, code: 'NETWORK_ERROR' })
  expect(await failed(unwrap(away.data.from('tags').select().retry(false)))).toMatchObject({
    status: 0,
    code: 'NETWORK_ERROR',
  })
  const { data } = clientOf(stack, await signedIn(stack, 'Ann'))
  expect(await failed(unwrap(data.from('tags').select().abortSignal(AbortSignal.abort()))))
    .toMatchObject({ status: 0, code: 'ABORTED' })
})

test('an error of the auth surface is the response to a request for rows without a token', async () => {
  const busy = () =>
    Response.json({ error: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.' }, { status: 429 })
  const { data, changes } = clientOf(
    stack,
    await signedIn(stack, 'Ann'),
    (path) => (path === '/api/auth/token' ? busy() : undefined),
  )
  expect(await failed(unwrap(data.from('tags').select()))).toMatchObject({
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
  })
  expect(changes).toEqual([])
})

test('an error of neither surface has its status', async () => {
  const { auth } = clientOf(
    stack,
    person(stack),
    () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
  )
  expect(await failed(auth.getSession())).toMatchObject({ status: 502, code: 'HTTP_502' })
})

test('a user who signs in as another user receives no earlier responses, and concurrent requests are still shared', async () => {
  const [ann, ben] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Ben')]
  const late: (() => void)[] = []
  const keptBack = () => new Promise<void>((resolve) => late.push(resolve))
  const { auth, count } = clientOf(
    stack,
    ann,
    undefined,
    (path) => (path.endsWith('/get-session') ? keptBack() : undefined),
  )
  const currentEmail = async () => (await auth.getSession()).user.email
  const before = currentEmail()
  const signingIn = auth.signIn({ email: ben.email, password })
  const meanwhile = currentEmail()
  await signingIn
  const after = currentEmail()
  late[0]?.()
  expect(await before).toBe(ann.email)
  const shared = currentEmail()
  for (const arrive of late) arrive()
  expect(await Promise.all([meanwhile, after, shared])).toEqual([ann.email, ben.email, ben.email])
  expect(count('/get-session')).toBe(3)
})

test('of two editors of one row the second gets an error, and nothing is stored over the change of the first', async () => {
  const { data, updateUnchanged } = clientOf(stack, await signedIn(stack, 'Ann'))
  const read = await unwrap(
    data.from('transactions').insert({ name: 'Rent', amount: -900 }).select().single(),
  )
  const first = await updateUnchanged('transactions', read, { amount: -950 })
  expect(first).toMatchObject({ id: read.id, name: 'Rent', amount: -950 })
  const conflict = { status: 409, code: 'ROW_CHANGED' }
  expect(await failed(updateUnchanged('transactions', read, { amount: -1 }))).toMatchObject(
    conflict,
  )
  expect(await updateUnchanged('transactions', first, { name: 'Rent of May' })).toMatchObject({
    name: 'Rent of May',
    amount: -950,
  })
  await unwrap(data.from('transactions').delete().eq('id', read.id))
  expect(await failed(updateUnchanged('transactions', first, { amount: -1 }))).toMatchObject(
    conflict,
  )
})

test('two users in one Node process share no state', async () => {
  const [ann, ben] = [
    clientOf(stack, await signedIn(stack, 'Ann')),
    clientOf(stack, await signedIn(stack, 'Ben')),
  ]
  await unwrap(ann.data.from('tags').insert({ name: 'Ann only' }))
  expect(await unwrap(ben.data.from('tags').select())).toEqual([])
  await ann.auth.signOut()
  expect((await ben.data.from('tags').select()).status).toBe(200)
  expect(ben.changes.map(({ event }) => event)).toEqual(['signed-in'])
})

describe('a script with a key', () => {
  const keyOf = async (someone: Person, wish = {}) =>
    (await someone.post('/api-key/create', { name: 'script', expiresInDays: 9, password, ...wish }))
      .body as { id: string, key: string }
  const script = (apiKey: string, paths: string[] = []) =>
    createClient({
      baseUrl: stack.url,
      apiKey,
      fetch: async (url, init) => {
        paths.push(url.slice(stack.url.length))
        return fetch(url, init)
      },
    })

  test("a script with a key requests one token, and gets the rows of the key's context, and two keys in one program are two callers", async () => {
    const { id: organizationId, owner } = await team(stack, [])
    const paths: string[] = []
    const personal = script((await keyOf(owner, { role: 'editor' })).key, paths)
    const ofTeam = script((await keyOf(owner, { role: 'editor', organizationId })).key)
    await Promise.all([
      unwrap(personal.data.from('transactions').insert({ name: 'Mine', amount: 1 })),
      unwrap(ofTeam.data.from('transactions').insert({ name: 'Ours', amount: 1 })),
    ])
    expect(await unwrap(personal.data.from('transactions').select('name'))).toEqual([{
      name: 'Mine',
    }])
    expect(await unwrap(ofTeam.data.from('transactions').select('name'))).toEqual([{
      name: 'Ours',
    }])
    expect(paths.filter((path) => path.endsWith('/token'))).toHaveLength(1)
  })

  test('a script with a key gets the error that its key was revoked, and sends no more requests', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { id, key } = await keyOf(ann)
    const paths: string[] = []
    const { data } = script(key, paths)
    expect(await unwrap(data.from('transactions').select())).toEqual([])
    await ann.post('/api-key/revoke', { keyId: id })
    for (let times = 0; times < 2; times += 1)
      expect(await failed(unwrap(data.from('transactions').select()))).toMatchObject({
        status: 401,
        code: 'UNAUTHORIZED',
      })
    expect(paths.filter((path) => path.endsWith('/token'))).toHaveLength(2)
  })
})

describe('a native app with its keychain', () => {
  /**
   * An app after a start: a client with the keychain of its device, and a `fetch` without cookies.
   */
  function appWith(keychain: { token: string | null }) {
    const requests: { isAuth: boolean, cookies: string[], credentials: string | undefined }[] = []
    const client = createClient({
      baseUrl: stack.url,
      session: { load: () => keychain.token, save: (token) => keychain.token = token },
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        requests.push({
          isAuth: url.includes('/api/auth/'),
          cookies: response.headers.getSetCookie(),
          credentials: init.credentials,
        })
        return response
      },
    })
    return { ...client, requests }
  }

  test('a native app with its keychain signs up, keeps one token over restarts, uses it for rows, and deletes it at the sign-out', async () => {
    const keychain = { token: null }
    const ann = person(stack, 'Ann')
    const first = appWith(keychain)
    await first.auth.signUp({ email: ann.email, password, name: 'Ann' })
    await unwrap(first.data.from('tags').insert({ name: 'Holiday' }))
    const stored = keychain.token
    expect(stored).toEqual(expect.stringMatching(/^\w+\./))

    const second = appWith(keychain)
    const started = new Promise<Change>((resolve) => second.onChange(resolve))
    expect(await started).toMatchObject({ event: 'signed-in' })
    expect(await unwrap(second.data.from('tags').select('name'))).toEqual([{ name: 'Holiday' }])
    await second.auth.changePassword({ currentPassword: password, newPassword: 'battery staple' })
    expect(keychain.token).not.toBe(stored)
    expect((await second.auth.getSession()).user.email).toBe(ann.email)

    await second.auth.signOut()
    expect(keychain.token).toBeNull()
    expect(await failed(appWith(keychain).auth.getSession())).toMatchObject({
      code: 'UNAUTHORIZED',
    })
    const all = [...first.requests, ...second.requests]
    expect(all.flatMap(({ cookies }) => cookies)).toEqual([])
    expect(all.filter(({ isAuth, credentials }) => isAuth && credentials !== 'omit')).toEqual([])
  })

  test('a native app with its keychain signs in with two factors, and stores nothing before the code', async () => {
    const { user: ann, app } = await withTwoFactors(stack, 'Ann')
    const keychain = { token: null }
    const { auth } = appWith(keychain)
    expect(await failed(auth.signIn({ email: ann.email, password }))).toMatchObject({
      code: 'SECOND_FACTOR_REQUIRED',
    })
    expect(keychain.token).toBeNull()
    await auth.twoFactor.verifyTotp({ code: app.code() })
    expect((await auth.getSession()).user.email).toBe(ann.email)
    expect(keychain.token).not.toBeNull()
  })

  test('a native app with its keychain asks its keychain again if it could not be read', async () => {
    const ann = await signedIn(stack, 'Ann')
    const token = decodeURIComponent([...ann.cookies.values()][0] ?? '')
    const answers = [() => Promise.reject(new Error('locked')), () => Promise.resolve(token)]
    const { auth } = createClient({
      baseUrl: stack.url,
      session: { load: () => answers.shift()!(), save: () => undefined },
    })
    expect(await failed(auth.getSession())).toMatchObject({ code: 'NETWORK_ERROR' })
    expect((await auth.getSession()).user.email).toBe(ann.email)
  })

  test('a native app with its keychain is one user for each keychain, also if a WebView has two of them', async () => {
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
    onTestFinished(() => void vi.unstubAllGlobals())
    const [first, second] = [appWith({ token: null }), appWith({ token: null })]
    const changes: Change[] = []
    first.onChange((change) => changes.push(change))
    const [ann, bob] = [person(stack, 'Ann'), person(stack, 'Bob')]
    await first.auth.signUp({ email: ann.email, password, name: 'Ann' })
    await unwrap(first.data.from('tags').insert({ name: 'Holiday' }))
    await second.auth.signUp({ email: bob.email, password, name: 'Bob' })
    expect(await unwrap(second.data.from('tags').select('name'))).toEqual([])
    expect(await unwrap(first.data.from('tags').select('name'))).toEqual([{ name: 'Holiday' }])
    await second.auth.signOut()
    expect((await first.auth.getSession()).user.email).toBe(ann.email)
    expect(changes.map(({ event }) => event).filter((event) => event !== 'signed-out')).toEqual([
      'signed-in',
    ])
  })

  test('a native app with its keychain has a session or an API key, not both', () => {
    expect(() =>
      createClient({
        baseUrl: stack.url,
        apiKey: 'fin_x',
        session: { load: () => null, save: () => undefined },
      })
    ).toThrow(TypeError)
  })
})
