/** Listeners for changes of rows against the real services. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type Client,
  createClient,
  type RowsNotice,
  type TableName,
  unwrap,
} from '../../client/index.ts'
import { createRowChanges } from '../../client/rows.ts'
import type { SessionStore } from '../../client/session.ts'
import { realClock } from '../../client/stream.ts'
import { password, type Person, signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { clientOf } from './person-client.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Adds a listener. @returns its notices, after the first one */
async function listening(
  { onRows }: Pick<Client, 'onRows'>,
  ...tables: TableName[]
): Promise<RowsNotice[]> {
  const notices: RowsNotice[] = []
  stops.push(onRows(tables, (notice) => notices.push(notice)))
  await expect.poll(() => notices).toEqual([{ event: 'reset' }])
  notices.length = 0
  return notices
}

/** Stores a transaction by another program of the user. @returns its id */
async function book(who: Person, name = 'Bread'): Promise<string> {
  const response = await fetch(`${stack.url}/data/transactions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await who.token()}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify({ name, amount: -5 }),
  })
  const [row] = await response.json() as { id: string }[]
  return row?.id ?? ''
}

/** The session store's `onChange` of a user who stays signed in. */
const followed = (userId: string): SessionStore['onChange'] => (listener) => {
  queueMicrotask(() =>
    listener({
      event: 'signed-in',
      session: { id: 's', user_id: userId, active_organization_id: null },
      previous: null,
    })
  )
  return () => undefined
}

const change = (fields: object) => ({ event: 'change', table: 'transactions', ...fields })

test('Ann receives what another program of hers books, with the request of her activity, and not what this client books', async () => {
  const ann = await signedIn(stack, 'Ann')
  const client = clientOf(stack, ann)
  const notices = await listening(client, 'transactions')
  for (let times = 0; times < 5; times += 1)
    await unwrap(client.data.from('transactions').insert({ name: 'Own', amount: -1 }))
  const id = await book(ann)
  await expect.poll(() => notices).toEqual([
    change({ organizationId: null, actions: ['create'], ids: [id], changeId: expect.any(String) }),
  ])
  const { changeId } = notices[0] as Extract<RowsNotice, { event: 'change' }>
  expect(
    await unwrap(client.data.from('activity').select('row_id').eq('change_id', changeId ?? '')),
  ).toEqual([{ row_id: id }])
})

test('Ann receives a file that another client of hers attaches, and not what this client attaches', async () => {
  const ann = await signedIn(stack, 'Ann')
  const [client, other] = [clientOf(stack, ann), clientOf(stack, ann)]
  const transaction = await book(ann)
  const notices = await listening(client, 'attachments')
  await client.attach(transaction, new Blob(['Own']))
  const { id } = await other.attach(transaction, new Blob(['Other']))
  // one notice or two, because the service joins changes that are close together
  const seen = (part: 'actions' | 'ids') =>
    new Set(notices.flatMap((notice) => (notice.event === 'change' ? notice[part] ?? [] : [])))
  await expect.poll(() => seen('actions')).toEqual(new Set(['create', 'update']))
  expect(seen('ids')).toEqual(new Set([id]))
})

test('Ann can listen to every table of the data surface', async () => {
  const ann = await signedIn(stack, 'Ann')
  const client = clientOf(stack, ann)
  const { rows } = await stack.sql.query<{ name: TableName }>(
    `select relname as name from pg_class where relnamespace = 'api'::regnamespace and relkind = 'r'`,
  )
  const notices = await listening(client, ...rows.map(({ name }) => name))
  await book(ann)
  await expect.poll(() =>
    notices.flatMap((notice) => notice.event === 'change' ? notice.table : notice.event).toSorted()
  ).toEqual([
    'activity',
    'transactions',
  ])
  expect(
    client.requests.filter(({ path }) => path.startsWith('/api/auth/changes')).map(({ status }) =>
      status
    ),
  ).toEqual([200])
})

test('Ann receives what was booked while the services restarted', async () => {
  const ann = await signedIn(stack, 'Ann')
  const userId = await ann.id()
  const notices = await listening(clientOf(stack, ann), 'transactions')
  await book(ann)
  await expect.poll(() => notices).toHaveLength(1)
  const start = await stack.stop()
  const { rows: [row] } = await stack.sql.query<{ id: string }>(
    `insert into api.transactions (user_id, name, amount, currency) values ($1, 'At night', -1, 'usd') returning id`,
    [userId],
  )
  await start()
  await expect.poll(() => notices).toContainEqual(
    change({ organizationId: null, actions: ['create'], ids: [row?.id], changeId: null }),
  )
})

test('Ann learns at once that her session has ended elsewhere, and her stream ends', async () => {
  const ann = await signedIn(stack, 'Ann')
  const client = clientOf(stack, ann)
  const notices = await listening(client, 'transactions')
  await stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
  await expect.poll(() => client.changes.map(({ event }) => event)).toEqual([
    'signed-in',
    'session-ended',
  ])
  expect(client.requests.at(-1)).toMatchObject({ path: '/api/auth/get-session', status: 401 })
  expect(notices).toEqual([])
})

test('a listener that reads what has changed has all rows after three hundred changes and ten lost connections', async () => {
  const ann = await signedIn(stack, 'Ann')
  const token = await ann.token()
  const userId = await ann.id()
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  let connection = new AbortController()
  const { onRows } = createRowChanges(
    'test',
    {
      current: () => ({ id: 's', user_id: userId, active_organization_id: null }),
      onChange: followed(userId),
    },
    (tables, cursor, signal) => {
      connection = new AbortController()
      signal.addEventListener('abort', () => connection.abort())
      const headers = { cookie, ...(cursor !== undefined && { 'last-event-id': cursor }) }
      return fetch(`${stack.url}/api/auth/changes?tables=${tables.join()}`, {
        headers,
        signal: connection.signal,
      })
    },
    () => Promise.reject(new Error('The session has not ended.')),
    // a connection soon counts as steady, and the pause after its loss is a tenth
    {
      ...realClock,
      now: () => realClock.now() * 100,
      later: (work, delay) => realClock.later(work, delay < 10_000 ? delay / 10 : delay),
    },
  )

  const send = async (method: string, query: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    }
    const response = await fetch(`${stack.url}/data/transactions${query}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return await response.json() as { id: string, name: string }[]
  }
  const seen = new Map<string, string>()
  let resets = 0
  let reading = Promise.resolve()
  const read = async (notice: RowsNotice) => {
    if (notice.event === 'reset') resets += 1
    const ids = notice.event === 'reset' ? null : notice.ids
    const rows = await send('GET', `?select=id,name${ids === null ? '' : `&id=in.(${ids.join()})`}`)
    for (const id of ids ?? [...seen.keys()]) seen.delete(id)
    for (const { id, name } of rows) seen.set(id, name)
  }
  stops.push(onRows(['transactions'], (notice) => {
    reading = reading.then(() => read(notice))
  }))
  await expect.poll(() => resets).toBe(1)

  const ids: string[] = []
  for (let turn = 0; turn < 300; turn += 1) {
    const kind = turn * 7 % 10
    const id = ids[turn * 31 % ids.length]
    if (turn % 30 === 29) connection.abort()
    if (id === undefined || kind < 5)
      ids.push(
        ...(await send('POST', '', { name: `Row ${turn}`, amount: -1 })).map((row) => row.id),
      )
    else if (kind < 8) await send('PATCH', `?id=eq.${id}`, { name: `Changed ${turn}` })
    else await send('DELETE', `?id=eq.${ids.splice(ids.indexOf(id), 1)[0]}`)
  }
  const fresh = (await send('GET', '?select=id,name')).map(({ id, name }) => [id, name] as const)
  await expect.poll(async () => {
    await reading
    return new Map(seen)
  }).toEqual(new Map(fresh))
  // without the cursor a reset would have read everything
  expect(resets).toBe(1)
})

test('an editor of a team receives what the owner books, and a reset after a new role and after the end of the membership', async () => {
  const { id: organizationId, owner, editor } = await team(stack, ['editor'])
  const client = clientOf(stack, editor)
  const notices = await listening(client, 'transactions')
  const id = await book(owner, 'Rent')
  await expect.poll(() => notices).toMatchObject([change({ organizationId, ids: [id] })])
  const userId = await editor.id()
  await owner.patch('/organization/update-member-role', { organizationId, userId, role: 'viewer' })
  await expect.poll(() => notices.slice(1)).toEqual([{ event: 'reset' }])
  await book(owner, 'Heating')
  await expect.poll(() => notices.slice(2)).toMatchObject([change({ organizationId })])
  await owner.post('/organization/remove-member', { organizationId, userId })
  await expect.poll(() =>
    client.changes.map(({ event, session }) => [event, session?.active_organization_id])
  ).toEqual([
    ['signed-in', organizationId],
    ['organization-changed', null],
  ])
  await expect.poll(() => notices.slice(3)).toEqual([{ event: 'reset' }])
})

test('a script with a key of a team receives what a member books, until the key is revoked', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const { id: keyId, key } = (await owner.post('/api-key/create', {
    name: 'script',
    expiresInDays: 9,
    password,
    role: 'viewer',
    organizationId,
  })).body
  const caching: (string | undefined)[] = []
  const client = createClient({
    baseUrl: stack.url,
    apiKey: key,
    fetch: async (url, init) => {
      if (url.includes('/data/'))
        caching.push((init.headers as Record<string, string>)['cache-control'])
      return fetch(url, init)
    },
  })
  await unwrap(client.data.from('transactions').select())
  const events: string[] = []
  client.onChange(({ event }) => events.push(event))
  const notices = await listening(client, 'transactions')
  const id = await book(owner)
  await expect.poll(() => notices).toMatchObject([change({ organizationId, ids: [id] })])
  expect(await unwrap(client.data.from('transactions').select('id'))).toEqual([{ id }])
  // a standby may not have the row yet
  expect(caching).toEqual([undefined, 'no-cache'])
  await owner.post('/api-key/revoke', { keyId })
  await expect.poll(() => events).toEqual(['signed-in', 'session-ended'])
})
