/** What requests cost the real PostgREST: its memory, and the time of everybody else. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const MiB = 1024 * 1024
/** What compose.yaml gives to PostgREST. */
const memoryLimitMiB = Number(/POSTGREST_MEMORY:-(\d+)m/.exec(await readFile(new URL('../../compose.yaml', import.meta.url), 'utf8'))?.[1])

let stack: Stack
let bearer: { authorization: string }
beforeAll(async () => {
  stack = await startStack({ data: true })
  bearer = { authorization: `Bearer ${await (await signedIn(stack, 'Ann')).token()}` }
})
afterAll(() => stack.close())

/** The most memory PostgREST has ever had, in MiB. */
const peak = async () => Number(/^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${stack.dataPid()}/status`, 'utf8'))?.[1]) / 1024

/** Reads until told to stop. @returns the statuses, each once, and how often it read */
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
  const response = await fetch(`${stack.url}/data/transactions`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  await response.arrayBuffer()
  return response.status
}

const linux = test.runIf(process.platform === 'linux')

describe('without a token', () => {
  linux('ten bodies of 16 MiB at once and twenty URLs of 1,000 embeddings cost PostgREST nothing', async () => {
    const before = await peak()
    const url = `${stack.url}/data/transactions?select=${'id,categories(transactions('.repeat(500)}id${'))'.repeat(500)}`
    const stop = readers()
    const statuses = await Promise.all([
      ...Array.from({ length: 10 }, () => post('['.repeat(16 * MiB))),
      ...Array.from({ length: 20 }, () => fetch(url).then(({ status }) => status)),
    ])
    expect(statuses).toEqual([...Array<number>(10).fill(413), ...Array<number>(20).fill(414)])
    expect((await stop()).statuses).toEqual(new Set([200]))
    expect(await peak() - before).toBeLessThan(20)
  })

  linux('a hundred bodies of 64 KiB at once stay far below the limit', async () => {
    const statuses = await Promise.all(Array.from({ length: 100 }, () => post('['.repeat(65_536))))
    expect(new Set(statuses)).toEqual(new Set([400]))
    expect(await peak()).toBeLessThan(memoryLimitMiB / 2)
  })
})

describe('twenty of the largest bodies at once, with a token,', () => {
  const size = 2 * MiB
  linux.each<[string, () => string, string?]>([
    ['of brackets, deeply nested and invalid', () => '['.repeat(size)],
    ['of many keys', () => `{${Array.from({ length: 150_000 }, (__, number) => `"k${number}":1`).join()}}`.padEnd(size)],
    ['of CSV whose one column has a name of 8 KiB', () => `${'a'.repeat(8_192)}\n${'1\n'.repeat(4_095)}`, 'text/csv'],
  ])('%s, neither end PostgREST nor fail a read', async (_, make, type = 'application/json') => {
    const body = make()
    const stop = readers()
    const statuses = await Promise.all(Array.from({ length: 20 }, () => post(body, { ...bearer, 'content-type': type })))
    const reads = await stop()
    // 503 where the others took longer than one waits
    expect(statuses.filter((status) => ![400, 413, 503].includes(status))).toEqual([])
    expect(reads.statuses).toEqual(new Set([200]))
    expect(reads.count).toBeGreaterThan(5)
    expect(await peak()).toBeLessThan(memoryLimitMiB * 0.9)
  }, 120_000)
})
