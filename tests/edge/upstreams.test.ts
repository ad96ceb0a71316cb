/** Upstreams of the edge while their host names change in DNS. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../common/log.ts'
import { edge } from '../../edge/edge.ts'
import { remoteAuth } from '../../edge/auth-surface.ts'
import { discoveredUpstreams, fixedUpstream } from '../../edge/upstreams.ts'
import type { Listener } from '../../common/http-server.ts'
import { sharesWithoutKeys } from './support.ts'

/** Returns an edge with a fake DNS, and a fake PostgREST that responds on demand. */
async function slowSurface() {
  const [seen, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const serve = async (listener: Listener) => {
    const server = createServer((incoming, outgoing) => void listener(incoming, outgoing)).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return server.address() as AddressInfo
  }
  const { port } = await serve(async (incoming, outgoing) => {
    await incoming.toArray()
    seen.resolve()
    await answer.promise
    outgoing.end('stored')
  })
  const dns = { lookups: 0, addresses: (): Promise<string[]> => Promise.resolve(['127.0.0.1']) }
  const unknown: string[] = []
  const postgrest = discoveredUpstreams(
    [`http://postgrest:${port}`],
    undefined,
    (name) => unknown.push(name),
    () => {
      dns.lookups += 1
      return dns.addresses()
    },
  )
  onTestFinished(() => postgrest.close())
  const at = await serve(edge({
    auth: {
      serve: remoteAuth(fixedUpstream('http://127.0.0.1:9'), 1, undefined, 100),
      isReady: () => Promise.resolve(true),
    },
    data: { postgrest, ...sharesWithoutKeys(), bodyLimit: 1_000, timeoutMs: 100 },
    trustedProxies: [],
    traceProxies: [],
    log: createLog('silent'),
    registry: new Registry(),
    tracing: undefined,
  }))
  const write = async () => {
    const response = await fetch(`http://127.0.0.1:${at.port}/data/transactions`, {
      method: 'POST',
      body: '{}',
    })
    return `${response.status} ${await response.text()}`
  }
  /**
   * Resolves when the edge has looked the name up twice more, so that it has used the first result.
   */
  const lookedUp = async () => {
    const before = dns.lookups
    await expect.poll(() => dns.lookups).toBeGreaterThan(before + 1)
  }
  const url = `http://127.0.0.1:${at.port}`
  return {
    url,
    dns,
    unknown,
    seen: seen.promise,
    answer: answer.resolve,
    write,
    lookedUp,
    postgrest,
  }
}

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))

test.each([
  ['the address disappears', () => Promise.resolve([])],
  ['the name disappears', failing('ENOTFOUND')],
])(
  'a write in progress completes when %s, and the next request finds no upstream',
  async (_, addresses) => {
    const surface = await slowSurface()
    const written = surface.write()
    await surface.seen
    surface.dns.addresses = addresses
    await surface.lookedUp()
    expect(surface.postgrest.list()).toEqual([])
    expect(surface.unknown).toEqual(['postgrest'])
    surface.answer()
    expect(await written).toBe('200 stored')
    expect(await surface.write()).toMatch(/^503 /)
  },
)

test('while DNS does not respond, the edge uses the last addresses', async () => {
  const surface = await slowSurface()
  surface.answer()
  expect(await surface.write()).toBe('200 stored')
  surface.dns.addresses = failing('EAI_AGAIN')
  await surface.lookedUp()
  expect(await surface.write()).toBe('200 stored')
  expect(surface.unknown).toEqual([])
})

test.each(['GET', 'POST'])(
  'an auth service that refuses connections causes 503, and a %s may be sent again',
  async (method) => {
    const { url } = await slowSurface()
    const response = await fetch(`${url}/api/auth/sign-out`, { method })
    expect([
      response.status,
      response.headers.get('retry-after'),
      (await response.json() as { error: string }).error,
    ]).toEqual([503, '5', 'SERVICE_BUSY'])
  },
)
