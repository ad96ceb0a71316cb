/**
 * Mixed work with sign-ins for some minutes, in the containers of compose.yaml at their memory limits. The default is two minutes. For thirty
 * minutes: SOAK_MINUTES=30 npm run test:soak
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { deployment, run, services, type Deployment, type Service } from './deployment.ts'

const minutes = Number(process.env['SOAK_MINUTES'] ?? 2)
const people = 8
/** The least time of a turn, with which a busy machine keeps up. A quiet one would otherwise spend its processors here, and other tests would wait. */
const turnMs = 800

let it: Deployment
beforeAll(async () => {
  it = await deployment()
  // All of them have the same address.
  await it.configure({ RATE_LIMIT_ENABLED: 'false' })
  await it.up()
})
afterAll(async () => {
  await it.remove()
})

type Container = { id: string, restarts: number, outOfMemory: boolean, limit: number }
const MiB = 1024 * 1024

async function container(service: Service): Promise<Container> {
  const id = (await it.compose('ps', '-q', service)).trim()
  const [{ RestartCount: restarts, State: { OOMKilled: outOfMemory }, HostConfig: { Memory } }] = JSON.parse(await run('docker', ['inspect', id]))
  return { id, restarts, outOfMemory, limit: Memory / MiB }
}

/** The memory of each container's processes in MiB, without the kernel's file cache. */
async function memory(containers: Container[]): Promise<number[]> {
  const lines = await run('docker', ['stats', '--no-stream', '--format', '{{.MemUsage}}', ...containers.map(({ id }) => id)])
  return lines.trim().split('\n').map((line) => {
    const [, number, unit = ''] = /^([\d.]+)([KMG]?i?B)/.exec(line) ?? []
    return Number(number) * ({ B: 1 / MiB, KiB: 1 / 1024, MiB: 1, GiB: 1024 }[unit] ?? Number.NaN)
  })
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

test(`${people} users work for ${minutes} minutes: no request fails, no container restarts, no memory grows`, { timeout: (minutes + 3) * 60_000 }, async () => {
  const unexpected: Record<string, number> = {}
  let requests = 0
  let signIns = 0
  const until = Date.now() + minutes * 60_000

  const work = async (someone: Person) => {
    const expectStatus = async (what: string, wanted: number, response: Promise<{ status: number }>) => {
      requests++
      const outcome = await response.then(({ status }) => status, (error: Error) => error.name)
      if (outcome !== wanted) unexpected[`${what} ${outcome}`] = (unexpected[`${what} ${outcome}`] ?? 0) + 1
    }
    const token = await someone.token()
    const data = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await fetch(`${it.url}/data${path}`, { headers, signal: AbortSignal.timeout(30_000), ...init })
      await response.arrayBuffer()
      return response
    }
    for (let turn = 0; Date.now() < until; turn++) {
      const next = Date.now() + turnMs
      const external_id = `soak-${turn}`
      const row = { name: `Entry ${turn}`, amount: -(turn % 90) - 0.5, source: 'soak', external_id, transaction_date: `2026-0${turn % 9 + 1}-15` }
      await expectStatus('insert', 201, data('/transactions', { method: 'POST', body: JSON.stringify(row) }))
      await expectStatus('list', 200, data('/transactions?select=*&order=transaction_date.desc&limit=20'))
      await expectStatus('list of a month', 200, data('/transactions?transaction_date=gte.2026-03-01&transaction_date=lt.2026-04-01&limit=20'))
      await expectStatus('change', 204, data(`/transactions?external_id=eq.${external_id}`, { method: 'PATCH', body: '{"status":"pending"}' }))
      await expectStatus('cash flow', 200, data('/rpc/get_cash_flow?grouping=monthly&periods=6'))
      await expectStatus('session', 200, someone.get('/get-session'))
      await expectStatus('token', 200, someone.post('/token'))
      if (turn % 20 === 0) {
        // In another browser, whose session ends.
        const elsewhere = it.person(someone.name, someone.email)
        signIns++
        await expectStatus('sign-in', 200, elsewhere.signIn())
        await expectStatus('sign-out', 200, elsewhere.post('/sign-out'))
      }
      await sleep(Math.max(0, next - Date.now()))
    }
  }

  const everybody = Array.from({ length: people }, (_, number) => it.person(`Person ${number}`, `person-${number}@example.org`))
  for (const someone of everybody) expect((await someone.signUp()).status).toBe(200)
  await it.sql('update auth.users set email_verified = true')
  for (const someone of everybody) expect((await someone.signIn()).status).toBe(200)

  const containers = await Promise.all(services.map(container))
  const samples: number[][] = []
  const working = Promise.all(everybody.map(work))
  while (Date.now() < until) {
    samples.push(await memory(containers))
    await sleep(1000)
  }
  await working

  const third = Math.floor(samples.length / 3)
  const report = services.map((service, index) => {
    const of = (part: number[][]) => middle(part.map((sample) => sample[index] ?? Number.NaN))
    const most = Math.max(...samples.map((sample) => sample[index] ?? 0))
    return { service, limit: containers[index]?.limit ?? 0, before: of(samples.slice(third, 2 * third)), after: of(samples.slice(2 * third)), most }
  })
  for (const { service, limit, before, after, most } of report) {
    process.stdout.write(`  ${service}: ${before.toFixed(0)} MiB, then ${after.toFixed(0)}; at most ${most.toFixed(0)} of ${limit}\n`)
  }
  process.stdout.write(`  ${requests} requests, ${signIns} sign-ins\n`)

  expect(unexpected).toEqual({})
  expect((await Promise.all(services.map(container))).map(({ restarts, outOfMemory }) => ({ restarts, outOfMemory })))
    .toEqual(containers.map(({ restarts }) => ({ restarts, outOfMemory: false })))
  for (const { service, limit, before, after, most } of report) {
    expect(most, `${service} is near its limit`).toBeLessThan(0.9 * limit)
    // The stored rows are in PostgreSQL's cache, which grows to its configured size.
    if (service !== 'db') expect(after, `${service} grows`).toBeLessThan(1.15 * before + 8)
  }
})
