/**
 * The edge of compose.yaml, behind Caddy: properties that only containers have, and the memory
 * limit of each service. tests/edge has the rest.
 */
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requestFile, writeApp } from '../edge/app-requests.ts'
import { openLive } from '../support/live.ts'
import { newDeployment, run, tokenOf, type Deployment } from './deployment.ts'

const KiB = 1024
const MiB = 1024 * KiB
let deployment: Deployment
let bearer: { authorization: string }
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  deployment = await newDeployment()
  await writeApp(join(deployment.directory, 'money'))
  await deployment.configure({ RATE_LIMIT_ENABLED: 'false', APP_DIR: 'money/app' })
  await deployment.up()
  bearer = { authorization: `Bearer ${await tokenOf(deployment.person('Ann', 'ann@example.org'))}` }
})
afterAll(async () => {
  await deployment.remove()
})

async function send(path: string, init: RequestInit = {}, url = deployment.url) {
  const response = await fetch(`${url}/data${path}`, init)
  return { status: response.status, text: await response.text() }
}
const post = (body: string, headers: Record<string, string> = {}, url = deployment.url) =>
  send('/transactions', { method: 'POST', headers: { ...json, ...headers }, body }, url)

/**
 * A container: its number of starts, whether it ran out of memory, and the peak memory of its
 * server in MiB.
 */
async function container(service: 'postgrest' | 'edge') {
  const id = (await deployment.compose('ps', '-q', service)).trim()
  const [{ RestartCount: restarts, State: { OOMKilled: outOfMemory } }] = JSON.parse(
    await run('docker', ['inspect', id]),
  )
  const pid = (await run('docker', ['top', id, '-eo', 'pid,comm'])).split('\n').find((line) =>
    /postgrest|node|MainThread/.test(line) && !/init/.test(line)
  )
    ?.trim().split(/\s+/)[0]
  const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(await run('cat', [`/proc/${pid}/status`]))?.[1]) /
    1024
  return { restarts, outOfMemory, peak }
}

test.each([['over TLS', () => deployment.url], ['at the plain port', () => deployment.plainUrl]])(
  'a client that still sends receives the refusal, %s',
  async (_, url) => {
    expect(await post('['.repeat(64 * KiB + 1), {}, url())).toMatchObject({
      status: 413,
      text: expect.stringContaining('PAYLOAD_TOO_LARGE'),
    })
    expect(await post('{}'.padEnd(2 * MiB + 1), bearer, url())).toMatchObject({ status: 413 })
    expect((await post('{}'.padEnd(2 * MiB), bearer, url())).status).toBe(400)
    expect(
      (await send(`/transactions?select=${'a'.repeat(8 * KiB)}`, { headers: bearer }, url()))
        .status,
    ).toBe(414)
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        async () =>
          (await post('{}'.padEnd(200 * KiB), { authorization: 'Bearer x' }, url())).status,
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([401]))
  },
)

test('the app in APP_DIR is served at /, without other files of the folder', async () => {
  expect(await requestFile(deployment.plainUrl, 'GET', '/about', { accept: 'text/html' }))
    .toMatchObject({
      status: 200,
      body: expect.stringContaining('About'),
    })
  expect((await requestFile(deployment.plainUrl, 'GET', '/.env')).status).toBe(404)
})

test.each([['over TLS', () => deployment.url], ['at the plain port', () => deployment.plainUrl]])(
  'a live stream passes Caddy and the edge at once, and its comments keep it open, %s',
  async (_, url) => {
    const stream = await openLive(
      url(),
      { ...bearer, 'accept-encoding': 'gzip, br, zstd' },
      '?tables=tags',
    )
    await stream.next('ready')
    expect(stream.headers.get('content-encoding')).toBeNull()
    const create = (name: string) =>
      fetch(`${url()}/data/tags`, {
        method: 'POST',
        headers: { ...bearer, ...json },
        body: JSON.stringify({ name: `${name} ${url()}` }),
      })
    const first = await create('First')
    expect(await stream.next()).toMatchObject({
      event: 'change',
      data: { change_id: first.headers.get('x-change-id') },
    })
    // each comes after 20 s, and Caddy gives a request 30 s
    await expect.poll(stream.comments, { timeout: 60_000 }).toBeGreaterThanOrEqual(2)
    const second = await create('Second')
    expect(await stream.next()).toMatchObject({
      event: 'change',
      data: { change_id: second.headers.get('x-change-id') },
    })
    await stream.close()
  },
)

test('Caddy cuts off a client that sends slowly, after 15 s of header or 30 s of request', async () => {
  const slow = (beginning: string) =>
    new Promise<number>((resolve) => {
      const begun = performance.now()
      const socket = createConnection({
        host: '127.0.0.1',
        port: Number(new URL(deployment.plainUrl).port),
      })
      const drip = setInterval(() => socket.write('a'), 1_000)
      socket.resume().on('error', () => undefined).once('close', () => {
        clearInterval(drip)
        resolve((performance.now() - begun) / 1_000)
      })
      socket.write(beginning)
    })
  const [header, body] = await Promise.all([
    slow('GET /data/transactions HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
    slow(
      `POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Length: 1000000\r\n\r\n`,
    ),
  ])
  expect(header).toBeLessThan(18)
  expect(body).toBeLessThan(33)
})

test('the edge survives 500 slow connections and twenty of the largest bodies', async () => {
  const { hostname, port } = new URL(deployment.plainUrl)
  const slow = Array.from({ length: 500 }, () => {
    const socket = createConnection({ host: hostname, port: Number(port) }).on(
      'error',
      () => undefined,
    )
    socket.write(
      `POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Length: 1000000\r\n\r\n{`,
    )
    return socket
  })
  const statuses = await Promise.all(
    Array.from(
      { length: 20 },
      () => post('{}'.padEnd(2 * MiB), bearer).then(({ status }) => status),
    ),
  )
  expect((await send('/transactions?limit=1', { headers: bearer })).status).toBe(200)
  for (const socket of slow) socket.destroy()
  // Their slots are free as soon as their ends have passed Caddy, long before the time limit of a
  // request.
  await expect.poll(async () => (await post('{}'.padEnd(2 * MiB), bearer)).status, {
    timeout: 10_000,
  }).toBe(400)
  const { peak, ...state } = await container('edge')
  process.stdout.write(`  edge: ${Math.round(peak)} MiB; ${statuses.join(' ')}\n`)
  expect(state).toEqual({ restarts: 0, outOfMemory: false })
})

describe('the database survives', () => {
  /**
   * Returns its container and its crashes in the log: PostgreSQL restarts all processes if one is
   * killed.
   */
  const database = async () => {
    const [{ RestartCount: restarts, State: { OOMKilled: outOfMemory } }] = JSON.parse(
      await run('docker', ['inspect', (await deployment.compose('ps', '-q', 'db')).trim()]),
    )
    const crashes = (await deployment.logs('db')).filter((line) =>
      /terminating any other active server processes|terminated by signal/.test(line)
    )
    return { restarts, outOfMemory, crashes }
  }
  const unharmed = { restarts: 0, outOfMemory: false, crashes: [] }
  const aliases = (number: number) =>
    Array.from({ length: number }, (__, alias) => `c${alias}:description`).join()
  const refusal =
    /^\{"code":"53200","details":"[^"\\]*(\\"\w+\\")?\.","hint":null,"message":"out of memory"\}$/
  let mallory: { authorization: string }
  beforeAll(async () => {
    mallory = {
      authorization: `Bearer ${await tokenOf(deployment.person('Mallory', 'mallory@example.org'))}`,
    }
    const rows = JSON.stringify(
      Array.from(
        { length: 400 },
        () => ({ name: 'Long', amount: -1, description: 'x'.repeat(5000) }),
      ),
    )
    for (let time = 0; time < 8; time++) expect((await post(rows, mallory)).status).toBe(201)
  })
  afterAll(async () => {
    await deployment.sql('truncate api.transactions cascade')
  })

  test.each<[string, () => Promise<{ status: number, text: string }>]>([
    [
      '30 times the same column of 16 MB of rows',
      () => send(`/transactions?select=${aliases(30)}`, { headers: mallory }),
    ],
    [
      'twice that column, which is just too much',
      () => send(`/transactions?select=${aliases(2)}`, { headers: mallory }),
    ],
    [
      'a million numbers in JSON',
      () => post(`{"name":"a","amount":1,"metadata":[${'1,'.repeat(MiB - 40)}1]}`, mallory),
    ],
  ])(
    'the database survives twelve concurrent requests of one user for %s: each gets a refusal, and no read of others fails',
    async (_, ask) => {
      const stopped = new AbortController()
      const reads = new Set<number>()
      const reading = (async () => {
        while (!stopped.signal.aborted)
          reads.add((await send('/transactions?limit=1', { headers: bearer })).status)
      })()
      const answers = await Promise.all(Array.from({ length: 12 }, ask)).finally(() =>
        stopped.abort()
      )
      await reading
      for (const { status, text } of answers) {
        // Requests that waited for too long, or too slow ones.
        if (status === 503 && !text.includes('SERVICE_BUSY')) expect(text).toMatch(refusal)
        else expect(text).toMatch(/"code":"(53400|57014|SERVICE_BUSY)"/)
      }
      process.stdout.write(`  ${_}: ${answers.map(({ status }) => status).join(' ')}\n`)
      expect(answers.filter(({ text }) => refusal.test(text))).not.toEqual([])
      expect([...reads]).toEqual([200])
      expect(await database()).toEqual(unharmed)
    },
  )

  test('the database survives concurrent requests for the largest responses, and so does PostgREST', async () => {
    const before = await container('postgrest')
    const answers = await Promise.all(
      Array.from(
        { length: 6 },
        () => send(`/transactions?select=${aliases(2)}&limit=2400`, { headers: mallory }),
      ),
    )
    const after = await container('postgrest')
    process.stdout.write(
      `  answers of 24 MB: ${answers.map(({ status }) => status).join(' ')}; PostgREST ${
        Math.round(after.peak)
      } MiB\n`,
    )
    expect(answers.filter(({ status }) => status === 200)).not.toEqual([])
    expect(after).toMatchObject({ restarts: before.restarts, outOfMemory: false })
    expect(await database()).toEqual(unharmed)
  })

  test('an insert of 5,000 rows, an export of 10,000, and their indexing', async () => {
    const rows = JSON.stringify(
      Array.from({ length: 5000 }, (__, number) => ({
        name: `Row number ${number}`,
        amount: -12.5,
        description: 'Paid by card at the shop around the corner',
        metadata: { imported_from: 'a bank', line: number },
      })),
    )
    for (let time = 0; time < 2; time++) {
      const stored = await post(rows, { ...bearer, prefer: 'return=representation' })
      expect([stored.status, (JSON.parse(stored.text) as unknown[]).length]).toEqual([201, 5000])
    }
    const exported = await send('/transactions?select=*,categories(*)', { headers: bearer })
    expect([exported.status, (JSON.parse(exported.text) as unknown[]).length]).toEqual([
      200,
      10_000,
    ])
    await deployment.sql('reindex table api.transactions')
    await deployment.sql('vacuum (analyze) api.transactions')
    expect((await deployment.sums()).size).toBeGreaterThan(0)
    expect(await database()).toEqual(unharmed)
  })
})

describe('PostgREST survives', () => {
  // This runs first, because memory that later tests leave allocated would count here.
  test('ten concurrent bodies of 16 MiB and twenty URLs with 1,000 embeddings, without a token', async () => {
    const before = await container('postgrest')
    const path = `/transactions?select=${'id,categories(transactions('.repeat(500)}id${
      '))'.repeat(500)
    }`
    const statuses = await Promise.all([
      // The response may arrive while the client still sends, and the connection may close. In both
      // cases nothing is read.
      ...Array.from(
        { length: 10 },
        () => post('['.repeat(16 * MiB)).then(({ status }) => status, () => 413),
      ),
      ...Array.from({ length: 20 }, () => send(path).then(({ status }) => status)),
    ])
    expect(statuses).toEqual([...Array<number>(10).fill(413), ...Array<number>(20).fill(414)])
    const after = await container('postgrest')
    expect(after.restarts).toBe(before.restarts)
    expect(after.peak - before.peak).toBeLessThan(20)
  })

  const bodies: [string, () => string][] = [
    ['brackets without an end', () => '['.repeat(2 * MiB)],
    [
      'a value 1,000,000 levels deep',
      () => `{"name":"a","amount":1,"metadata":${'['.repeat(MiB - 20)}${']'.repeat(MiB - 20)}}`,
    ],
    ['an array of numbers', () => `[${'1,'.repeat(MiB - 2)}1]`],
    [
      'rows for a bulk insert',
      () =>
        JSON.stringify(
          Array.from(
            { length: 30_000 },
            (__, number) => ({ name: `Row number ${number}`, amount: -12.5 }),
          ),
        ),
    ],
  ]
  test.each(bodies)(
    'twenty concurrent bodies of 2 MiB: %s, and reads continue',
    async (_, make) => {
      const before = await container('postgrest')
      const body = make()
      const stopped = new AbortController()
      const reads = new Set<number>()
      const reading = (async () => {
        while (!stopped.signal.aborted)
          reads.add(
            (await send('/transactions?limit=1', { headers: bearer })).status,
          )
      })()
      const statuses = await Promise.all(
        Array.from({ length: 20 }, () => post(body, bearer).then(({ status }) => status)),
      ).finally(() => stopped.abort())
      await reading
      const after = await container('postgrest')
      const counted = [...new Set(statuses)].map((status) =>
        `${statuses.filter((one) => one === status).length} × ${status}`
      ).join(', ')
      process.stdout.write(`  ${_}: ${counted}; PostgREST ${Math.round(after.peak)} MiB\n`)
      expect(after).toMatchObject({ restarts: before.restarts, outOfMemory: false })
      expect(statuses.filter((status) => status === 502)).toEqual([])
      expect([...reads]).toEqual([200])
      // The rows must not affect the next test.
      await deployment.sql('truncate api.transactions cascade')
    },
  )

  test('forty clients that close the connection right after sending bodies of 2 MiB', async () => {
    const before = await container('postgrest')
    const { hostname, port } = new URL(deployment.plainUrl)
    const head =
      `POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${
        2 * MiB
      }\r\n\r\n`
    const leave = () =>
      new Promise<void>((resolve) => {
        const socket = createConnection({ host: hostname, port: Number(port) })
        socket.on('error', () => resolve()).write(head + '['.repeat(2 * MiB), () => {
          socket.destroy()
          resolve()
        })
      })
    for (let round = 0; round < 10; round++) await Promise.all([leave(), leave(), leave(), leave()])
    await expect.poll(
      async () => (await send('/transactions?limit=1', { headers: bearer })).status,
      { timeout: 30_000 },
    ).toBe(200)
    const after = await container('postgrest')
    process.stdout.write(`  clients that go away: PostgREST ${Math.round(after.peak)} MiB\n`)
    expect(after).toMatchObject({ restarts: before.restarts, outOfMemory: false })
  })
})
