/** Edges that run as processes for one test, and fake upstreams for them. */
import type { RequestListener } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { startEdgeProcess, type EdgeProcess } from './process.ts'
import { fakePostgrest } from './support.ts'

export const json = { 'content-type': 'application/json' }
export const statusOf = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, init)).status
/** Starts an edge for one test. By default no upstream responds. */
export async function edgeFor(env: Record<string, string>): Promise<EdgeProcess> {
  const one = await startEdgeProcess({
    AUTH_UPSTREAM: 'http://127.0.0.1:9',
    POSTGREST_UPSTREAM: 'http://127.0.0.1:9',
    ...env,
  })
  onTestFinished(() => one[Symbol.asyncDispose]())
  return one
}
/** A fake PostgREST that reports ready on its own port. */
export async function postgrest(
  listener: RequestListener,
): Promise<{ POSTGREST_UPSTREAM: string, POSTGREST_READY_PORT: string }> {
  const url = await fakePostgrest((
    request,
    response,
  ) => (request.url === '/ready' ? response.end() : listener(request, response)))
  return { POSTGREST_UPSTREAM: url, POSTGREST_READY_PORT: new URL(url).port }
}
export const isReady = (of: EdgeProcess) =>
  expect.poll(async () => (await fetch(`${of.adminUrl}/metrics`)).text()).toMatch(
    /^edge_upstreams\{surface="data",state="ready"\} [1-9]/m,
  )
