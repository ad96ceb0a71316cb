/**
 * Live streams: what they tell, to whom, and when they end. Clients that resume:
 * changes-resumed.test.ts.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openLive, type Live } from '../support/live.ts'
import { signedIn, team, type Person } from '../support/person.ts'
import { tokenSigner } from '../support/signer.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { bearer, bookIn, change, cookieOf, requestData } from './change-streams.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const opened: Live[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})
/** Opens a stream and reads `ready`. */
async function live(headers: Record<string, string>, query = '', url = stack.url): Promise<Live> {
  const stream = await openLive(url, headers, query)
  opened.push(stream)
  expect(await stream.next()).toMatchObject({ event: 'ready', data: {} })
  return stream
}
const ofUser = (user: Person, query?: string) => live({ cookie: cookieOf(user) }, query)
const data = (token: string, method: string, path: string, body?: unknown) =>
  requestData(stack, token, method, path, body)
const book = (token: string, name?: string, more?: object) => bookIn(stack, token, name, more)
const actives = async () =>
  Number(/^auth_streams (\d+)/m.exec(await (await fetch(`${stack.url}/metrics`)).text())?.[1])

test('a stream tells table, context, actions, ids and change_id of a personal change, and no value', async () => {
  const ann = await signedIn(stack, 'Ann')
  const stream = await ofUser(ann, '?tables=transactions')
  const { id, changeId } = await book(await ann.token(), 'A secret bread')
  expect(await stream.next()).toEqual({
    event: 'change',
    id: expect.stringMatching(/^[\w-]{70,102}$/),
    data: {
      table: 'transactions',
      organization_id: null,
      actions: ['create'],
      ids: [id],
      change_id: changeId,
    },
  })
  expect(changeId).toMatch(/^[\da-f-]{36}$/)
  expect(stream.text()).not.toContain('secret bread')
})

test('a stream tells a change and a deletion of the active organization to each of its members, and nothing to strangers', async () => {
  const { id: organizationId, owner, viewer } = await team(stack, ['viewer'])
  const stranger = await ofUser(await signedIn(stack, 'Stranger'))
  const stream = await ofUser(viewer, '?tables=transactions')
  const token = await owner.token()
  const { id } = await book(token)
  expect(await stream.next()).toMatchObject(
    change({
      table: 'transactions',
      organization_id: organizationId,
      actions: ['create'],
      ids: [id],
    }),
  )
  await data(token, 'PATCH', `/transactions?id=eq.${id}`, { name: 'Rolls' })
  expect(await stream.next()).toMatchObject(change({ actions: ['update'], ids: [id] }))
  await data(token, 'DELETE', `/transactions?id=eq.${id}`)
  expect(await stream.next()).toMatchObject(change({ actions: ['delete'], ids: [id] }))
  const solo = await signedIn(stack, 'Solo')
  const separate = await ofUser(solo)
  await book(await solo.token())
  await separate.next('change')
  expect(stranger.events).toHaveLength(1)
})

test('a stream tells no id of another member’s personal rows', async () => {
  const { owner, editor } = await team(stack, ['editor'])
  const stream = await ofUser(editor)
  const token = await owner.token()
  const { id } = await book(token, 'Mine', { organization_id: null })
  const { id: shared } = await book(token)
  expect((await stream.next('change')).data).toMatchObject({ ids: [shared] })
  expect(stream.text()).not.toContain(id)
})

test('a stream tells a bulk change of over a hundred rows as one event without ids', async () => {
  const ann = await signedIn(stack)
  const stream = await ofUser(ann, '?tables=transactions')
  await data(
    await ann.token(),
    'POST',
    '/transactions',
    Array.from({ length: 101 }, (_, n) => ({ name: `Row ${n}`, amount: -1 })),
  )
  expect(await stream.next()).toMatchObject(
    change({ table: 'transactions', actions: ['create'], ids: null }),
  )
  await book(await ann.token(), 'Last')
  await stream.next()
  expect(stream.events).toHaveLength(3)
})

test('a stream tells of several statements of one request once for each table', async () => {
  const ann = await signedIn(stack)
  const token = await ann.token()
  const stream = await ofUser(ann, '?tables=transactions,imports')
  const { changeId } = await data(token, 'POST', '/rpc/import_transactions', {
    p_rows: [{ name: 'Bread', amount: -2, transaction_date: '2026-03-01' }, {
      name: 'Milk',
      amount: -1,
      transaction_date: '2026-03-02',
    }],
    p_source: 'bank',
    p_dry_run: false,
  })
  const events = [await stream.next(), await stream.next()]
  expect(new Set(events.map(({ data: { table } }) => table))).toEqual(
    new Set(['imports', 'transactions']),
  )
  expect(events.map(({ data: { change_id: id } }) => id)).toEqual([changeId, changeId])
})

test('a stream tells of requests in quick succession apart, so that a client recognizes its own', async () => {
  const ann = await signedIn(stack)
  const token = await ann.token()
  const stream = await ofUser(ann, '?tables=transactions')
  const booked: { id: string, changeId: string | null }[] = []
  for (let times = 0; times < 5; times += 1) booked.push(await book(token))
  const events: Awaited<ReturnType<Live['next']>>[] = []
  while (events.length < 5) events.push(await stream.next('change'))
  expect(events.map(({ data: { ids, change_id: changeId } }) => [ids, changeId])).toEqual(
    booked.map(({ id, changeId }) => [[id], changeId]),
  )
})

test('a stream tells no change of a request that a dry run has rolled back, or that changed nothing', async () => {
  const ann = await signedIn(stack)
  const token = await ann.token()
  const { id } = await book(token, 'Bread')
  const stream = await ofUser(ann, '?tables=transactions')
  const dryRun = await fetch(`${stack.url}/data/transactions`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json', prefer: 'tx=rollback' },
    body: JSON.stringify({ name: 'Never', amount: 1 }),
  })
  expect(dryRun.status).toBe(201)
  await data(token, 'PATCH', `/transactions?id=eq.${id}`, { name: 'Bread' })
  const { id: next } = await book(token, 'Next')
  expect((await stream.next()).data).toMatchObject({ ids: [next] })
})

test('a stream tells what an operator changes by SQL, without a change_id', async () => {
  const ann = await signedIn(stack)
  const { id } = await book(await ann.token())
  const stream = await ofUser(ann)
  await stack.sql.query(`update api.transactions set name = 'Rolls' where id = $1`, [id])
  expect(await stream.next()).toMatchObject(
    change({ table: 'transactions', actions: ['update'], ids: [id], change_id: null }),
  )
  await ann.subscribe()
  expect(await stream.next()).toMatchObject(
    change({ table: 'app_subscriptions', actions: ['create'], change_id: null }),
  )
})

test('a stream tells of activity without ids, to an editor only of the editor’s activity, and never to a viewer', async () => {
  const { owner, editor, viewer } = await team(stack, ['editor', 'viewer'])
  const [toOwner, toEditor, toViewer] = [
    await ofUser(owner, '?tables=activity'),
    await ofUser(editor, '?tables=activity'),
    await ofUser(viewer),
  ]
  const { changeId: ofOwner } = await book(await owner.token())
  expect(await toOwner.next()).toMatchObject(
    change({ table: 'activity', actions: ['create'], ids: null, change_id: ofOwner }),
  )
  const { changeId: ofEditor } = await book(await editor.token())
  expect(await toEditor.next()).toMatchObject(
    change({ table: 'activity', ids: null, change_id: ofEditor }),
  )
  await toViewer.next('change')
  expect(toViewer.text()).not.toContain('activity')
})

test('a stream tells a viewer no private dashboard of the team, and tells one that becomes private', async () => {
  const { owner, viewer, editor } = await team(stack, ['viewer', 'editor'])
  const token = await owner.token()
  const [toViewer, toEditor] = [
    await ofUser(viewer, '?tables=dashboards'),
    await ofUser(editor, '?tables=dashboards'),
  ]
  const layout = { widgets: [] }
  const { rows: [hidden] } = await data(token, 'POST', '/dashboards', {
    name: 'Hidden',
    layout,
    visibility: 'private',
  })
  expect(await toEditor.next()).toMatchObject(
    change({ table: 'dashboards', actions: ['create'], ids: [hidden.id] }),
  )
  await data(token, 'PATCH', `/dashboards?id=eq.${hidden.id}`, { name: 'Still hidden' })
  const { rows: [shared], changeId } = await data(token, 'POST', '/dashboards', {
    name: 'Shared',
    layout,
    visibility: 'shared',
  })
  expect(await toViewer.next()).toMatchObject(
    change({ actions: ['create'], ids: [shared.id], change_id: changeId }),
  )
  await data(token, 'PATCH', `/dashboards?id=eq.${shared.id}`, { visibility: 'private' })
  expect(await toViewer.next()).toMatchObject(change({ actions: ['update'], ids: [shared.id] }))
  await data(token, 'DELETE', `/dashboards?id=eq.${shared.id}`)
  await data(token, 'DELETE', `/dashboards?id=eq.${hidden.id}`)
  const { rows: [last] } = await data(token, 'POST', '/dashboards', {
    name: 'Last',
    layout,
    visibility: 'public',
  })
  expect(await toViewer.next()).toMatchObject(change({ actions: ['create'], ids: [last.id] }))
  expect(toViewer.text()).not.toContain(hidden.id)
})

test('a client reads with the session’s cookie, with a token of the data surface, and with an API key', async () => {
  const ann = await signedIn(stack)
  const token = await ann.token()
  const { body: { key } } = await ann.post('/api-key/create', { name: 'Program', expiresInDays: 1 })
  const streams = [await ofUser(ann), await live(bearer(token)), await live(bearer(key))]
  const { id } = await book(token)
  for (const stream of streams)
    expect((await stream.next('change')).data).toMatchObject({ ids: [id] })
})

test('a client with a key of a team gets no personal change', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const { body: { key } } = await owner.post('/api-key/create', {
    name: 'Program',
    expiresInDays: 1,
    organizationId,
  })
  const stream = await live(bearer(key), '?tables=transactions')
  const token = await owner.token()
  await book(token, 'Mine', { organization_id: null })
  const { id } = await book(token)
  expect((await stream.next()).data).toMatchObject({ organization_id: organizationId, ids: [id] })
})

test('a client without a valid credential is refused', async () => {
  const refused = (headers: Record<string, string>, query = '') =>
    openLive(stack.url, headers, query).then(
      ({ close }) => close(),
      async (response: Response) => ({
        status: response.status,
        ...await response.json() as object,
      }),
    )
  expect(await refused({})).toMatchObject({ status: 401, error: 'UNAUTHORIZED' })
  expect(await refused(bearer('fin_wrong'))).toMatchObject({ status: 401, error: 'UNAUTHORIZED' })
  expect(await refused(bearer('a.b.c'))).toMatchObject({ status: 401, error: 'UNAUTHORIZED' })
  const ann = await signedIn(stack)
  const token = await ann.token()
  expect(await refused(bearer(`${token.slice(0, -4)}AAAA`))).toMatchObject({ status: 401 })
  for (const query of ['?tables=transactions,secrets', '?tables=transactions&tables=accounts'])
    expect(await refused({ cookie: cookieOf(ann) }, query)).toMatchObject({
      status: 400,
      error: 'VALIDATION_ERROR',
    })
  expect(await refused({ cookie: cookieOf(ann), origin: 'https://evil.example' })).toMatchObject({
    status: 403,
    error: 'FORBIDDEN',
  })
  await ann.post('/sign-out')
  expect(await refused(bearer(token))).toMatchObject({ status: 401 })
})

test('a client that sends HEAD opens no stream', async () => {
  const ann = await signedIn(stack)
  const before = await actives()
  const response = await fetch(`${stack.url}/api/auth/changes`, {
    method: 'HEAD',
    headers: { cookie: cookieOf(ann) },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  expect(await actives()).toBe(before)
})

test('a client gets headers that no cache, proxy or other page can misuse', async () => {
  const stream = await ofUser(await signedIn(stack))
  expect(Object.fromEntries(stream.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'cross-origin-resource-policy': 'same-origin',
  })
  expect(stream.headers.has('content-encoding')).toBe(false)
  expect(stream.text()).toMatch(/^retry: 1000\n\n/)
})

describe('a stream ends at once, and tells nothing later, when', () => {
  type Ending = {
    name: string
    open: 'cookie' | 'token' | 'key'
    end: (
      of: { user: Person, owner: Person, organizationId: string, keyId: string },
    ) => Promise<unknown>
    reason?: string
  }
  const sessionOf = async (user: Person) =>
    (await user.get('/get-session')).body.session.id as string
  const endings: Ending[] = [
    { name: 'its user signs out', open: 'cookie', end: ({ user }) => user.post('/sign-out') },
    {
      name: 'its user signs out, for a token',
      open: 'token',
      end: ({ user }) => user.post('/sign-out'),
    },
    {
      name: 'its session is revoked',
      open: 'token',
      end: async ({ user }) => user.post('/revoke-session', { sessionId: await sessionOf(user) }),
    },
    {
      name: 'the membership ends',
      open: 'cookie',
      end: async ({ owner, user, organizationId }) =>
        owner.post('/organization/remove-member', { organizationId, userId: await user.id() }),
    },
    {
      name: 'the role changes',
      open: 'token',
      end: ({ user }) =>
        stack.sql.query(
          `update auth.members set role = 'viewer' from auth.users u where u.id = user_id and u.email = $1`,
          [user.email],
        ),
    },
    {
      name: 'another organization becomes active',
      open: 'cookie',
      end: ({ user }) => user.post('/organization/set-active', { organizationId: null }),
    },
    {
      name: 'the API key is revoked',
      open: 'key',
      end: ({ user, keyId }) => user.post('/api-key/revoke', { keyId }),
    },
    {
      name: 'the organization is deleted',
      open: 'cookie',
      end: ({ organizationId }) =>
        stack.sql.query('delete from auth.organizations where id = $1', [organizationId]),
    },
    {
      name: 'the account is deleted',
      open: 'cookie',
      end: ({ user }) => stack.sql.query('delete from auth.users where email = $1', [user.email]),
    },
  ]
  for (const { name, open, end } of endings) {
    test(name, async () => {
      const { id: organizationId, owner, editor: user } = await team(stack, ['editor'])
      const { body: { id: keyId, key } } = await user.post('/api-key/create', {
        name: 'Program',
        expiresInDays: 1,
        organizationId,
        role: 'editor',
      })
      const stream = await live(
        open === 'cookie'
          ? { cookie: cookieOf(user) }
          : bearer(open === 'token' ? await user.token() : key),
      )
      const token = await owner.token()
      await end({ user, owner, organizationId, keyId })
      const endedAt = performance.now()
      const later = await fetch(`${stack.url}/data/transactions`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': 'application/json' },
        body: '{"name":"Later","amount":1}',
      })
      await later.text()
      expect(await stream.next('end')).toEqual({
        event: 'end',
        id: undefined,
        data: { reason: 'ended' },
      })
      await stream.closed
      expect(performance.now() - endedAt).toBeLessThan(1_000)
      const names = stream.events.map(({ event, data: { table } }) => table ?? event)
      expect(names.slice(names.indexOf('end') + 1)).toEqual([])
      expect(names).not.toContain('transactions')
    })
  }

  test('a stream ends at once, and tells nothing later, when its token expires', async () => {
    const signer = await tokenSigner(stack.sql, stack.publicUrl)
    const ann = await signedIn(stack)
    const { body: { user: { id, email }, session: { id: sessionId } } } = await ann.get(
      '/get-session',
    )
    const exp = Math.floor(Date.now() / 1_000) + 2
    const stream = await live(bearer(await signer.sign({ id, email, sessionId }, { exp })))
    expect(await stream.next('end')).toMatchObject({ data: { reason: 'expired' } })
    await stream.closed
    expect(Date.now() - exp * 1_000).toBeLessThan(1_000)
  })

  test('a signing key is revoked, for a token', async () => {
    await using separate = await startStack()
    const signer = await tokenSigner(separate.sql, separate.publicUrl)
    const ann = await signedIn(separate)
    const [ofCookie, ofToken] = [
      await live({ cookie: cookieOf(ann) }, '', separate.url),
      await live(bearer(await ann.token()), '', separate.url),
    ]
    await separate.sql.query('delete from auth.jwks where id = $1', [signer.kid])
    expect(await ofToken.next('end')).toMatchObject({ data: { reason: 'ended' } })
    expect(ofCookie.events).toHaveLength(1)
    await ofCookie.close()
  })
})

test('a stream tells nothing of another session of its user', async () => {
  const ann = await signedIn(stack)
  const stream = await ofUser(ann)
  await stack.sql.query(
    `insert into auth.sessions (id, user_id, token, expires_at) select 'another ' || id, id, 'another ' || id, now() + interval '1 day' from auth.users where email = $1`,
    [ann.email],
  )
  await stack.sql.query(
    `delete from auth.sessions s using auth.users u where u.id = s.user_id and u.email = $1 and s.id like 'another %'`,
    [ann.email],
  )
  const { id } = await book(await ann.token())
  expect((await stream.next()).data).toMatchObject({ table: 'transactions', ids: [id] })
  expect(stream.text()).not.toContain('"auth"')
})

test('a path that is written in another way is no stream, because the edge would not recognize it', async () => {
  const ann = await signedIn(stack)
  expect(
    (await fetch(`${stack.url}/api/auth/change%73`, { headers: { cookie: cookieOf(ann) } })).status,
  ).toBe(404)
})

describe('streams are limited', () => {
  const refusedWith = (headers: Record<string, string>, url = stack.url) =>
    openLive(url, headers).then(
      ({ close }) => close(),
      async (response: Response) => ({
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        ...await response.json() as object,
      }),
    )
  const tooMany = { status: 429, error: 'RATE_LIMIT_EXCEEDED', retryAfter: '30' }

  test('streams are limited to six of a person, of all sessions and tokens, and two of a key', async () => {
    const ann = await signedIn(stack)
    const { body: { key } } = await ann.post('/api-key/create', {
      name: 'Program',
      expiresInDays: 1,
    })
    const token = await ann.token()
    const streams = []
    for (
      const headers of [
        { cookie: cookieOf(ann) },
        bearer(token),
        { cookie: cookieOf(ann) },
        bearer(token),
        bearer(token),
        bearer(token),
      ]
    )
      streams.push(await live(headers))
    expect(await refusedWith(bearer(token))).toMatchObject(tooMany)
    await live(bearer(key))
    await live(bearer(key))
    expect(await refusedWith(bearer(key))).toMatchObject(tooMany)
    await streams[0]!.close()
    await expect.poll(async () => (await refusedWith(bearer(token)))?.status).toBeUndefined()
  })

  test('streams are limited to CHANGES_STREAMS of a process', async () => {
    await using small = await startStack({ env: { CHANGES_STREAMS: '1' } })
    const ann = await signedIn(small)
    const only = await live({ cookie: cookieOf(ann) }, '', small.url)
    expect(await refusedWith({ cookie: cookieOf(await signedIn(small)) }, small.url)).toMatchObject(
      tooMany,
    )
    await only.close()
  })

  test('streams are limited and a stopping process closes them, so that their clients resume elsewhere', async () => {
    await using stopping = await startStack()
    const stream = await live({ cookie: cookieOf(await signedIn(stopping)) }, '', stopping.url)
    await stopping.stop()
    await stream.closed
    expect(stream.events.map(({ event }) => event)).toEqual(['ready'])
  })
})

test('the metrics count streams, their events and their ends', async () => {
  await using separate = await startStack({ data: true })
  const metrics = async () => (await fetch(`${separate.url}/metrics`)).text()
  const ann = await signedIn(separate)
  const stream = await live({ cookie: cookieOf(ann) }, '?tables=transactions', separate.url)
  await separate.sql.query(
    'insert into api.transactions (name, amount, user_id) values ($$Bread$$, 1, $1)',
    [await ann.id()],
  )
  await stream.next('change')
  expect(await metrics()).toMatch(/^auth_streams 1$[^]*^auth_streams_lag_seconds 0\.\d+$/m)
  await ann.post('/sign-out')
  await stream.closed
  const after = await metrics()
  expect(after).toMatch(/^auth_streams 0$/m)
  expect(after).toMatch(/^auth_stream_events_total 1$/m)
  expect(after).toMatch(/^auth_streams_closed_total\{reason="ended"\} 1$/m)
})
