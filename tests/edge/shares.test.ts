/**
 * Fair share of PostgREST's connections: beyond its share a request waits in the edge, in order and
 * without a connection. Source:
 * docs/decisions/edge.md#requests-beyond-a-share-of-the-connections-wait-in-the-edge.
 */
import { connect, type Socket } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectionShares } from '../../edge/connection-shares.ts'
import { dataSurface } from '../../edge/data-surface.ts'
import { fixedUpstream } from '../../edge/upstreams.ts'
import { holdLock } from '../support/hold-lock.ts'
import { signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { fakePostgrest, sharesWithoutKeys, sharingEdge } from './support.ts'

let stack: Stack
let ann: { authorization: string }
let ben: { authorization: string }
/**
 * Held by a test, so that each call of api.pass_gate() waits for it. The function only reads, so it
 * takes no lock of a tenant.
 */
const gate = 20_261_130

beforeAll(async () => {
  stack = await startStack({
    data: true,
    prepare: async (owner) => {
      await owner.query(`
        create function api.pass_gate() returns text language sql stable set statement_timeout = '60s' set lock_timeout = '60s'
          as 'select pg_advisory_xact_lock_shared(${gate})::text';
        grant execute on function api.pass_gate() to authenticated, anon`)
    },
  })
  const bearerOf = async (person: Person) => ({ authorization: `Bearer ${await person.token()}` })
  ann = await bearerOf(await signedIn(stack, 'Ann'))
  ben = await bearerOf(await signedIn(stack, 'Ben'))
})
afterAll(() => stack.close())

const json = { 'content-type': 'application/json' }
const times = <Result>(count: number, work: (at: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)))
const statusOf = async (path: string, init: RequestInit) => {
  const response = await fetch(`${stack.url}/data${path}`, init)
  await response.arrayBuffer()
  return response.status
}
const read = (headers: Record<string, string>) => statusOf('/transactions?limit=1', { headers })
const passGate = (headers: Record<string, string>, signal?: AbortSignal) =>
  statusOf('/rpc/pass_gate', { method: 'POST', headers, ...(signal && { signal }) })
const waiting = async () =>
  Number(
    /^edge_waiting_requests (\d+)/m.exec(await (await fetch(`${stack.url}/metrics`)).text())?.[1],
  )

/** Closes the gate until the returned function opens it, or the test ends. */
const closeGate = () => holdLock(stack.ownerUrl, 'select pg_advisory_xact_lock($1)', [gate])

test.each([16, 64, 200])(
  'a browser or script of Ann sends %i small requests at once: all succeed',
  async (count) => {
    const send = (at: number) =>
      at % 4 === 0
        ? statusOf('/transactions', {
          method: 'POST',
          headers: { ...ann, ...json },
          body: JSON.stringify({ name: `Row ${at}`, amount: -1 }),
        })
        : read(ann)
    expect(new Set(await times(count, send))).toEqual(new Set([200, 201]))
  },
)

test("Ben's request overtakes 200 of Ann's that wait, and all of hers succeed later", async () => {
  const open = await closeGate()
  const done: number[] = []
  const all = times(200, async () => done.push(await passGate(ann)))
  // four of twelve connections are her share
  await expect.poll(waiting).toBe(196)
  expect(await read(ben)).toBe(200)
  expect(
    await statusOf('/tags', {
      method: 'POST',
      headers: { ...ben, ...json },
      body: '{"name":"Food"}',
    }),
  ).toBe(201)
  expect(done).toEqual([])
  await open()
  await all
  expect(new Set(done)).toEqual(new Set([200]))
  expect(await waiting()).toBe(0)
})

test("the 513th request of Ann's that would wait gets 429 at once, and Ben is served", async () => {
  const open = await closeGate()
  const away = new AbortController()
  const all = Promise.allSettled(Array.from({ length: 516 }, () => passGate(ann, away.signal)))
  await expect.poll(waiting).toBe(512)
  const refused = await fetch(`${stack.url}/data/tags`, {
    headers: { ...ann, origin: 'https://app.example.org' },
  })
  expect([
    refused.status,
    refused.headers.get('retry-after'),
    refused.headers.get('access-control-expose-headers'),
  ]).toEqual([
    429,
    '1',
    expect.stringContaining('Retry-After'),
  ])
  expect(await refused.json()).toEqual({
    code: '53400',
    message: 'too many requests at once',
    details: null,
    hint: 'Wait for the responses to earlier requests, then try again.',
  })
  expect(await read(ben)).toBe(200)
  // 512 requests may take longer than one may wait
  away.abort()
  await all
  await open()
  expect(await read(ann)).toBe(200)
})

test('a request that waits too long gets 429', async () => {
  const running: (() => void)[] = []
  const postgrest = await fakePostgrest((_, response) =>
    void running.push(() => response.end('[]'))
  )
  const serve = dataSurface({
    postgrest: fixedUpstream(postgrest),
    ...sharesWithoutKeys(),
    shares: connectionShares(1, 10),
    bodyLimit: 1_000,
  })
  const url = await fakePostgrest((incoming, outgoing) =>
    void serve({ id: 'waits', client: '127.0.0.1', incoming, outgoing, prefix: '', path: '/tags' })
  )
  const first = fetch(url)
  await expect.poll(() => running.length).toBe(1)
  const second = await fetch(url)
  expect([second.status, second.headers.get('retry-after'), await second.json()]).toMatchObject([
    429,
    '1',
    { code: '53400' },
  ])
  running[0]?.()
  expect((await first).status).toBe(200)
})

test("Ann's browser closes tabs whose requests wait: they leave the queue. Those that run keep their connections, because PostgREST works on", async () => {
  const open = await closeGate()
  const away = new AbortController()
  const left = Promise.allSettled(Array.from({ length: 50 }, () => passGate(ann, away.signal)))
  await expect.poll(waiting).toBe(46)
  away.abort()
  await left
  await expect.poll(waiting).toBe(0)
  const next = read(ann)
  await expect.poll(waiting).toBe(1)
  await open()
  expect(await next).toBe(200)
})

test(
  'a person on a slow line sends bodies: none of them holds a connection, whatever its size',
  async () => {
    const { hostname, port } = new URL(stack.url)
    const slow = (length: number, headers: Record<string, string>): Socket => {
      const socket = connect(Number(port), hostname)
      onTestFinished(() => void socket.destroy())
      const lines = Object.entries({
        host: 'localhost',
        ...json,
        ...headers,
        'content-length': String(length),
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`POST /data/transactions HTTP/1.1\r\n${lines.join('')}\r\n[`)
      return socket
    }
    for (let at = 0; at < 10; at++) slow(1_000, {})
    for (let at = 0; at < 10; at++) slow(1_000, ann)
    // two of them are at PostgREST, and the others wait for a place among the large bodies
    const large = Array.from({ length: 4 }, () => slow(100_000, ann))
    expect(await times(4, () => read(ann))).toEqual([200, 200, 200, 200])
    expect(await times(4, () => read({}))).toEqual([200, 200, 200, 200])
    expect(await waiting()).toBe(0)
    // the end of a large body waits for its share
    const open = await closeGate()
    const running = times(4, () => passGate(ann))
    await expect.poll(async () =>
      (await stack.sql.query(
        "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()",
      )).rowCount
    )
      .toBe(4)
    const rest = `${JSON.stringify({ name: 'Slow', amount: -1 })}]`
    const answered = large.map((socket) =>
      new Promise<string>((resolve) =>
        socket.once('data', (data: Buffer) => resolve(data.toString('latin1')))
      )
    )
    for (const socket of large) socket.write(rest.padEnd(99_999))
    await expect.poll(waiting).toBe(2)
    await open()
    expect(await running).toEqual([200, 200, 200, 200])
    for (const answer of await Promise.all(answered)) expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  },
  60_000,
)

test('forged and expired tokens use the share of their network, and the person whom they name is served', async () => {
  const [ours, theirs] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const publicKeys = async () => ({
    keys: [{ ...await exportJWK(ours.publicKey), kid: 'a', alg: 'RS256' }],
  })
  const now = Math.floor(Date.now() / 1_000)
  const sign = (key: Parameters<SignJWT['sign']>[0], exp: number) =>
    new SignJWT({ user_id: 'ann' }).setProtectedHeader({ alg: 'RS256', kid: 'a' })
      .setExpirationTime(exp).sign(key)
  const valid = await sign(ours.privateKey, now + 3_600)
  const invalid = [
    await sign(theirs.privateKey, now + 3_600),
    await sign(ours.privateKey, now - 60),
    `${valid.slice(0, -8)}AAAAAAAA`,
    'no.token',
  ]
  const opened = Promise.withResolvers<void>()
  let running = 0
  const postgrest = await fakePostgrest((_, response) => {
    running += 1
    void opened.promise.then(() => response.end('[]'))
  })
  const { url, metrics } = await sharingEdge(postgrest, { publicKeys })
  const send = (token: string) =>
    fetch(`${url}/data/tags`, { headers: { authorization: `Bearer ${token}` } })
  const all = times(20, (at) => send(invalid[at % invalid.length] ?? ''))
  await expect.poll(metrics).toContain('edge_waiting_requests 18')
  const valids = times(4, () => send(valid))
  await expect.poll(() => running).toBe(6)
  opened.resolve()
  expect(new Set([...await all, ...await valids].map(({ status }) => status))).toEqual(
    new Set([200]),
  )
})
