/**
 * The clients of a test of a failover: each counts what the product has acknowledged, so that the
 * test can compare it with the database.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { openLive, type Live } from '../support/live.ts'
import { cookieOf, password, person, signedIn, type Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'
import { webhookSink } from '../support/webhook-sink.ts'
import type { Product } from './product.ts'

/** The statuses of one kind of request, and the longest time without a success, in milliseconds. */
type Counted = { statuses: Map<string, number>, longestGapMs: number, successes: number }

export type Outcome = {
  kinds: Record<string, Counted>
  /** The bodies of refused requests, each once. */
  refusals: string[]
  /** Acknowledged writes that the database does not have. */
  lostWrites: string[]
  /** Acknowledged sign-ups without an account. */
  lostSignUps: string[]
  /** Addresses of acknowledged sign-ups with another number of emails than one. */
  wrongMails: string[]
  /** Rows that a stream's client does not show, or shows without being stored. */
  wrongRows: string[]
  /** Rows that no message of the webhook names. Empty if one was a reset. */
  unnamedRows: string[]
}

/** Sends one request to the edges in turn. */
type Ask = (path: string, init?: RequestInit) => Promise<{ status: number, body: any }>

/** Follows the personal transactions as an app does: reads changed rows again, and resumes. */
function followRows(ask: Ask, urls: () => string, reader: Person, isEnough: () => boolean) {
  const visible = new Set<string>()
  let cursor: string | undefined
  let stream: Live | undefined
  const rows = async (filter: string): Promise<string[]> => {
    for (;;) {
      const { status, body } = await ask(`/data/transactions?select=id${filter}`)
      if (status === 200) return (body as { id: string }[]).map(({ id }) => id)
      await sleep(100)
    }
  }
  const take = async ({ event, id, data }: Awaited<ReturnType<Live['next']>>) => {
    if (event === 'reset' || event === 'ready' && cursor === undefined || data.ids === null) {
      const all = await rows('')
      visible.clear()
      for (const one of all) visible.add(one)
    } else if (event === 'change') {
      for (const one of data.ids) visible.delete(one)
      for (const one of await rows(`&id=in.(${data.ids.join(',')})`)) visible.add(one)
    }
    cursor = id ?? cursor
  }
  const takeAll = async (from: Live) => {
    while (!isEnough()) await take(await from.next())
  }
  const follow = async () => {
    while (!isEnough()) {
      const headers = {
        cookie: cookieOf(reader),
        ...(cursor !== undefined && { 'last-event-id': cursor }),
      }
      const current = await openLive(urls(), headers, '?tables=transactions').catch(() => undefined)
      stream = current
      if (current !== undefined) await takeAll(current).catch(() => undefined)
      await current?.close()
      await sleep(50)
    }
  }
  return { visible, done: follow(), close: async () => stream?.close() }
}

/** Runs all clients while `event` happens, until each has succeeded again. */
export async function underLoad(product: Product, event: () => Promise<void>): Promise<Outcome> {
  const kinds: Outcome['kinds'] = {}
  const refusals = new Set<string>()
  let turn = 0
  const nextUrl = () => product.edges[turn++ % 2 === 0 ? 0 : 1].url
  const stack = { ...product, url: product.edges[0].url } as unknown as Stack
  // the pool replaces connections that a former failover has ended
  await expect.poll(() => product.sql.query('select').then(() => true, () => false)).toBe(true)
  const [ann, reader] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Reader')]
  const started = performance.now()
  const over = new AbortController()

  /** Sends one request of a kind, and counts it. A lost connection is the status 0. */
  const counted = async (
    kind: string,
    request: (url: string) => Promise<{ status: number, body: unknown }>,
    isSuccess = (status: number) => status < 400,
  ) => {
    const of = kinds[kind] ??= { statuses: new Map(), longestGapMs: 0, successes: 0 }
    const before = lastSuccess.get(kind) ?? started
    const { status, body } = await request(nextUrl()).catch(() => ({ status: 0, body: '' }))
    const code = (body as { code?: string } | null)?.code ?? ''
    of.statuses.set(`${status} ${code}`, (of.statuses.get(`${status} ${code}`) ?? 0) + 1)
    if (isSuccess(status)) {
      of.longestGapMs = Math.max(of.longestGapMs, performance.now() - before)
      of.successes += 1
      lastSuccess.set(kind, performance.now())
    } else if (status >= 400) refusals.add(JSON.stringify(body))
    return { status, body: body as any }
  }
  const lastSuccess = new Map<string, number>()
  let token = ''
  const data = (kind: string, path: string, row?: object) =>
    counted(kind, async (url) => {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(row !== undefined && { method: 'POST', body: JSON.stringify(row) }),
        signal: AbortSignal.timeout(60_000),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    })
  const renew = async () => {
    const { status, body } = await counted(
      'token',
      (url) =>
        person({ ...stack, url }, 'Ann', ann.email).call('POST', '/token', undefined, {
          cookie: cookieOf(ann),
        }),
    )
    if (status === 200) token = body.token
  }
  await renew()
  await using sink = await webhookSink()
  const hook = await ann.post('/webhook/create', {
    name: 'Load',
    url: sink.url,
    tables: ['transactions'],
    password,
  })
  expect(hook.status).toBe(200)

  const written = new Set<string>()
  const signedUp = new Set<string>()
  /** Repeats a client's work until the end, with the pause of a user between two requests. */
  const repeat = async (pauseMs: number, work: () => Promise<void>) => {
    while (!over.signal.aborted) {
      await work()
      await sleep(pauseMs)
    }
  }
  let number = 0
  const write = async () => {
    const id = randomUUID()
    const row = { id, name: `row ${number++}`, amount: -1 }
    const { status } = await data('write', '/data/transactions', row)
    if (status === 201) written.add(id)
    if (status === 401) await renew()
  }
  const signUp = async () => {
    const { name, email } = person(stack, 'new')
    const { status } = await counted(
      'sign-up',
      (url) => person({ ...stack, url }, name, email).signUp(),
    )
    if (status === 200) signedUp.add(email)
  }
  const clients = [
    repeat(30, write),
    repeat(30, write),
    repeat(100, async () => void await data('list', '/data/transactions?limit=20')),
    repeat(1_000, renew),
    repeat(
      500,
      async () =>
        void await counted(
          'sign-in',
          (url) => person({ ...stack, url }, 'Reader', reader.email).signIn(),
        ),
    ),
    repeat(1_000, signUp),
  ]
  let isCaughtUp = false
  const ask: Ask = (path) => data('stream', path)
  const streams = [0, 1].map((at) =>
    followRows(ask, () => product.edges[at === 0 ? 0 : 1].url, ann, () => isCaughtUp)
  )

  await sleep(3_000)
  await event()
  const after = performance.now()
  // each kind succeeds again, and goes on for some seconds
  await expect.poll(
    () =>
      Object.entries(kinds).filter(([kind]) => (lastSuccess.get(kind) ?? 0) < after).map(([kind]) =>
        kind
      ),
    { timeout: 120_000 },
  ).toEqual([])
  await sleep(3_000)
  over.abort()
  await Promise.all(clients)

  const { rows } = await product.sql.query<{ id: string }>(
    `select t.id from api.transactions t join auth.users u on u.id = t.user_id where u.email = $1`,
    [ann.email],
  )
  const stored = new Set(rows.map(({ id }) => id))
  const wrongRows = () =>
    streams.flatMap(({ visible }) => [
      ...[...visible].filter((id) => !stored.has(id)),
      ...[...stored].filter((id) => !visible.has(id)),
    ])
  await expect.poll(wrongRows, { timeout: 60_000 }).toEqual([]).catch(() => undefined)
  isCaughtUp = true
  await Promise.all(streams.map(({ close }) => close()))
  const { rows: accounts } = await product.sql.query<{ email: string }>(
    'select email from auth.users where email = any ($1)',
    [[...signedUp]],
  )
  const mailsOf = (email: string) => product.mail.mails().filter(({ to }) => to === email).length
  const wrongMails = () => [...signedUp].filter((email) => mailsOf(email) !== 1)
  await expect.poll(wrongMails, { timeout: 60_000 }).toEqual([]).catch(() => undefined)
  const unnamedRows = () => {
    if (sink.messages.some(({ body }) => body.type === 'rows.reset')) return []
    const named = new Set(sink.changes().flatMap(({ ids }) => ids ?? []))
    return [...stored].filter((id) => !named.has(id))
  }
  await expect.poll(unnamedRows, { timeout: 60_000 }).toEqual([]).catch(() => undefined)
  await ann.post('/webhook/delete', { id: hook.body.id })
  return {
    kinds,
    refusals: [...refusals],
    lostWrites: [...written].filter((id) => !stored.has(id)),
    lostSignUps: [...signedUp].filter((email) => !accounts.some((one) => one.email === email)),
    wrongMails: wrongMails(),
    wrongRows: wrongRows(),
    unnamedRows: unnamedRows(),
  }
}
