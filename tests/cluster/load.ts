/**
 * The clients of a test of a cluster: each counts what the product has acknowledged, so that the
 * test can compare it with the database.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { publicUrl, secret } from '../support/database.ts'
import { followRows } from '../support/followed-list.ts'
import { cookieOf, password, person, signedIn } from '../support/person.ts'
import { webhookSink } from '../support/webhook-sink.ts'
import type { Product } from './product.ts'

/** The requests of one kind. Times are in milliseconds. */
type Counted = {
  /** The number of responses with each status and code. A lost connection has the status 0. */
  statuses: Map<string, number>
  successes: number
  lastSuccess: number
  /** The longest time without a success. */
  longestGapMs: number
}

/** A write, with the times at which it was sent and acknowledged, in milliseconds since 1970. */
export type Write = { sent: number, acknowledged?: number }

export type Outcome = {
  kinds: Record<string, Counted>
  /** The bodies of refused requests, each once. */
  refusals: string[]
  /** All writes, by the id of their row. */
  writes: ReadonlyMap<string, Write>
  lost: {
    /** Acknowledged writes that the database does not have. */
    writes: string[]
    /** Acknowledged sign-ups without an account. */
    signUps: string[]
    /** Addresses of acknowledged sign-ups with another number of emails than one. */
    mails: string[]
    /** Rows that a stream's client does not show, or shows without being stored. */
    streamed: string[]
    /**
     * Rows that no message of the webhook names. A reset excuses the rows that were sent before it
     * arrived.
     */
    unnamed: string[]
  }
}

/** Runs all clients while `event` happens, until each has succeeded again. */
export async function underLoad(product: Product, event: () => Promise<void>): Promise<Outcome> {
  const kinds: Outcome['kinds'] = {}
  const refusals = new Set<string>()
  let turn = 0
  const nextUrl = () => product.edges[turn++ % 2 === 0 ? 0 : 1].url
  const stack = { ...product, publicUrl, secret, url: product.edges[0].url }
  // the pool replaces connections that a former failover has ended
  await expect.poll(() => product.sql.query('select').then(() => true, () => false)).toBe(true)
  const [ann, reader] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Reader')]
  const over = new AbortController()

  /** Sends one request of a kind to the edges in turn, and counts it. */
  const counted = async (
    kind: string,
    request: (url: string) => Promise<{ status: number, body: unknown }>,
  ) => {
    const count = kinds[kind] ??= {
      statuses: new Map(),
      successes: 0,
      lastSuccess: performance.now(),
      longestGapMs: 0,
    }
    const { status, body } = await request(nextUrl()).catch(() => ({ status: 0, body: '' }))
    const code = (body as { code?: string } | null)?.code ?? ''
    count.statuses.set(`${status} ${code}`, (count.statuses.get(`${status} ${code}`) ?? 0) + 1)
    if (status >= 400) refusals.add(JSON.stringify(body))
    else if (status > 0) {
      const now = performance.now()
      count.longestGapMs = Math.max(count.longestGapMs, now - count.lastSuccess)
      count.lastSuccess = now
      count.successes += 1
    }
    return { status, body: body as any }
  }
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
  let lastReset = 0
  sink.answer = ({ body }) => {
    if (body.type === 'rows.reset') lastReset = Date.now()
    return { status: 204 }
  }
  const hook = await ann.post('/webhook/create', {
    name: 'Load',
    url: sink.url,
    tables: ['transactions'],
    password,
  })
  expect(hook.status).toBe(200)

  const writes = new Map<string, Write>()
  const signedUp = new Set<string>()
  /** Repeats a client's work until the end, with the pause of a user between two requests. */
  const repeat = async (pauseMs: number, work: () => Promise<unknown>) => {
    while (!over.signal.aborted) {
      await work()
      await sleep(pauseMs)
    }
  }
  const write = async () => {
    const id = randomUUID()
    const name = `row ${writes.size}`
    const one: Write = { sent: Date.now() }
    writes.set(id, one)
    const { status } = await data('write', '/data/transactions', { id, name, amount: -1 })
    if (status === 201) one.acknowledged = Date.now()
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
  const signIn = () =>
    counted('sign-in', (url) => person({ ...stack, url }, 'Reader', reader.email).signIn())
  const clients = [
    repeat(30, write),
    repeat(30, write),
    repeat(100, () => data('list', '/data/transactions?limit=20')),
    repeat(1_000, renew),
    repeat(500, signIn),
    repeat(1_000, signUp),
  ]
  let isCaughtUp = false
  const streams = product.edges.map(({ url }, at) =>
    followRows(url, ann, 'transactions', async (ids) => {
      const filter = ids === null ? '' : `&id=in.(${ids.join(',')})`
      const path = `/data/transactions?select=id,name${filter}`
      const { status, body } = await data(`stream-${at}`, path)
      if (status !== 200) throw new Error(`The list has the status ${status}.`)
      return new Map((body as { id: string, name: string }[]).map(({ id, name }) => [id, name]))
    }, () => isCaughtUp)
  )

  await sleep(3_000)
  await event()
  const after = performance.now()
  // each kind succeeds again, and goes on for some seconds
  const silent = () =>
    Object.entries(kinds).filter(([, { lastSuccess }]) => lastSuccess < after).map(([kind]) => kind)
  await expect.poll(silent, { timeout: 120_000 }).toEqual([])
  await sleep(3_000)
  over.abort()
  await Promise.all(clients)

  const { rows } = await product.sql.query<{ id: string }>(
    `select t.id from api.transactions t join auth.users u on u.id = t.user_id where u.email = $1`,
    [ann.email],
  )
  const stored = new Set(rows.map(({ id }) => id))
  const streamed = () =>
    streams.flatMap(({ visible }) => [
      ...[...visible.keys()].filter((id) => !stored.has(id)),
      ...[...stored].filter((id) => !visible.has(id)),
    ])
  await expect.poll(streamed, { timeout: 60_000 }).toEqual([]).catch(() => undefined)
  isCaughtUp = true
  await Promise.all(streams.map(({ cut, complete }) => Promise.all([cut(), complete])))
  const { rows: accounts } = await product.sql.query<{ email: string }>(
    'select email from auth.users where email = any ($1)',
    [[...signedUp]],
  )
  const mailsOf = (email: string) => product.mail.mails().filter(({ to }) => to === email).length
  const mails = () => [...signedUp].filter((email) => mailsOf(email) !== 1)
  await expect.poll(mails, { timeout: 60_000 }).toEqual([]).catch(() => undefined)
  const unnamed = () => {
    const named = new Set(sink.changes().flatMap(({ ids }) => ids ?? []))
    return [...stored].filter((id) => !named.has(id) && (writes.get(id)?.sent ?? 0) >= lastReset)
  }
  await expect.poll(unnamed, { timeout: 60_000 }).toEqual([]).catch(() => undefined)
  await ann.post('/webhook/delete', { id: hook.body.id })
  return {
    kinds,
    refusals: [...refusals],
    writes,
    lost: {
      writes: [...writes].filter(([id, { acknowledged }]) =>
        acknowledged !== undefined && !stored.has(id)
      ).map(([id]) => id),
      signUps: [...signedUp].filter((email) => !accounts.some((one) => one.email === email)),
      mails: mails(),
      streamed: streamed(),
      unnamed: unnamed(),
    },
  }
}
