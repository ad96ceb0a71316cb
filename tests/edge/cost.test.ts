/**
 * The cost of requests: memory of the real PostgREST and of the edge, and the time of other
 * callers.
 */
import { readFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { startEdgeProcess } from './process.ts'

const MiB = 1024 * 1024
/** Memory limits of compose.yaml, in MiB. */
const compose = await readFile(new URL('../../compose.yaml', import.meta.url), 'utf8')
const memoryLimitMiB = Number(/POSTGREST_MEMORY:-(\d+)m/.exec(compose)?.[1])
const edgeLimitMiB = Number(/EDGE_MEMORY:-(\d+)m/.exec(compose)?.[1])

let stack: Stack
let readyPort: number
let bearer: { authorization: string }
beforeAll(async () => {
  readyPort = await freePort()
  stack = await startStack({ data: true, dataEnv: { PGRST_ADMIN_SERVER_PORT: String(readyPort) } })
  bearer = { authorization: `Bearer ${await (await signedIn(stack, 'Ann')).token()}` }
})
afterAll(() => stack.close())

/** Returns the peak memory of a process, PostgREST's by default, in MiB. */
const peak = async (pid = stack.dataPid()) =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Reads until it is stopped. @returns the distinct statuses, and the number of reads */
function readers(): () => Promise<{ statuses: Set<number>, count: number }> {
  const seen = { statuses: new Set<number>(), count: 0 }
  const stopped = new AbortController()
  const read = async () => {
    while (!stopped.signal.aborted) {
      const response = await fetch(`${stack.url}/data/transactions?limit=1`, { headers: bearer })
      await response.arrayBuffer()
      seen.statuses.add(response.status)
      seen.count += 1
    }
  }
  const reading = read()
  return async () => {
    stopped.abort()
    await reading
    return seen
  }
}

const post = async (body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${stack.url}/data/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  await response.arrayBuffer()
  return response.status
}

const linux = test.runIf(process.platform === 'linux')

linux(
  'ten bodies of 16 MiB at once and twenty URLs of 1,000 embeddings do not increase PostgREST’s memory',
  async () => {
    const before = await peak()
    const url = `${stack.url}/data/transactions?select=${
      'id,categories(transactions('.repeat(500)
    }id${'))'.repeat(500)}`
    const stop = readers()
    const statuses = await Promise.all([
      ...Array.from({ length: 10 }, () => post('['.repeat(16 * MiB))),
      ...Array.from({ length: 20 }, () => fetch(url).then(({ status }) => status)),
    ])
    expect(statuses).toEqual([...Array<number>(10).fill(413), ...Array<number>(20).fill(414)])
    expect((await stop()).statuses).toEqual(new Set([200]))
    expect(await peak() - before).toBeLessThan(20)
  },
)

linux('a hundred bodies of 64 KiB at once stay far below the memory limit', async () => {
  const statuses = await Promise.all(Array.from({ length: 100 }, () => post('['.repeat(65_536))))
  expect(new Set(statuses)).toEqual(new Set([400]))
  expect(await peak()).toBeLessThan(memoryLimitMiB / 2)
})

describe('twenty of the largest bodies at once, with a token,', () => {
  const size = 2 * MiB
  linux.each<[string, () => string, string?]>([
    ['with deeply nested, invalid brackets', () => '['.repeat(size)],
    [
      'with many keys',
      () =>
        `{${Array.from({ length: 150_000 }, (__, number) => `"k${number}":1`).join()}}`.padEnd(
          size,
        ),
    ],
    [
      'as CSV with one column that has a name of 8 KiB',
      () => `${'a'.repeat(8_192)}\n${'1\n'.repeat(4_095)}`,
      'text/csv',
    ],
  ])('%s, neither crash PostgREST nor fail a read', async (_, make, type = 'application/json') => {
    const body = make()
    const stop = readers()
    const statuses = await Promise.all(
      Array.from({ length: 20 }, () => post(body, { ...bearer, 'content-type': type })),
    )
    const reads = await stop()
    // 503 for requests that waited longer than the limit.
    expect(statuses.filter((status) => ![400, 413, 503].includes(status))).toEqual([])
    expect(reads.statuses).toEqual(new Set([200]))
    expect(reads.count).toBeGreaterThan(5)
    expect(await peak()).toBeLessThan(memoryLimitMiB * 0.9)
  }, 120_000)
})

linux(
  'stays below four fifths of its memory limit with twenty of the largest bodies and 500 slow connections at once',
  async () => {
    await using edge = await startEdgeProcess({
      AUTH_UPSTREAM: stack.url,
      POSTGREST_UPSTREAM: stack.dataUrl,
      POSTGREST_READY_PORT: String(readyPort),
    })
    await expect.poll(async () => (await fetch(`${edge.adminUrl}/metrics`)).text()).toMatch(
      /surface="data",state="ready"\} 1/,
    )
    const before = await peak(edge.pid)
    const head =
      `POST /data/transactions HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bearer.authorization}\r\nContent-Length: 60000\r\n\r\n`
    for (let at = 0; at < 500; at++) {
      const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(edge.url).port) })
        .on('error', () => undefined)
      // Half of them have sent a part of their head, the others a part of their body.
      socket.write(at % 2 === 0 ? head.slice(0, 60) : head + '['.repeat(30_000))
      onTestFinished(() => void socket.destroy())
    }
    const body = '['.repeat(2 * MiB)
    const headers = { ...bearer, 'content-type': 'application/json' }
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          fetch(`${edge.url}/data/transactions`, { method: 'POST', headers, body })
            .then(({ status }) => status),
      ),
    )
    expect(statuses.filter((status) => ![400, 503].includes(status))).toEqual([])
    expect((await fetch(`${edge.url}/data/transactions?limit=1`, { headers: bearer })).status).toBe(
      200,
    )
    const most = await peak(edge.pid)
    process.stdout.write(
      `  the edge: ${Math.round(before)} MiB before, ${Math.round(most)} MiB at most\n`,
    )
    expect(most).toBeLessThan(edgeLimitMiB * 0.8)
  },
  120_000,
)
