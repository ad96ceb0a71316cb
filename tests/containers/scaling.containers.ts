/**
 * Several instances: two auth services, two PostgREST processes and two edges, under load. Needs an
 * engine, and root for the crashes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { newDeployment, load, run, tokenOf, type Deployment, type Load } from './deployment.ts'

/** The number of concurrent writes of the load, which bounds the writes in progress. */
const writers = 4

/**
 * Scales as docs/scaling.md says: the migration checks the number of connections, then missing
 * containers start, and none is replaced.
 */
const add = 'docker compose run --rm -T migrate && docker compose up -d --no-recreate --wait'

let deployment: Deployment
let ann: Person
let token: string
const cookie = () => [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const say = (line: string) => process.stdout.write(`  ${line}\n`)
const containers = async (service: string) =>
  (await deployment.compose('ps', '-q', service)).trim().split('\n')

/** The client address that the database sees, which identifies a PostgREST process. */
const whoAsks = async () =>
  (await fetch(`${deployment.url}/data/rpc/who_asks`, {
    headers: { authorization: `Bearer ${token}` },
  })).json() as Promise<string>

beforeAll(async () => {
  deployment = await newDeployment()
  await deployment.configure({
    RATE_LIMIT_ENABLED: 'false',
    AUTH_REPLICAS: '2',
    POSTGREST_REPLICAS: '2',
    EDGE_REPLICAS: '2',
  })
  await deployment.up()
  await deployment.sql('alter system set max_connections = 150')
  await deployment.compose('restart', 'db')
  await deployment.up('--no-build')
  ann = deployment.person('Ann', 'ann@example.org')
  token = await tokenOf(ann)
})
afterAll(() => deployment.remove())

test('a client on a kept connection reaches each PostgREST and each auth service', async () => {
  await deployment.sql(
    `create function api.who_asks() returns text language sql stable return host(inet_client_addr());
    grant execute on function api.who_asks() to authenticated; notify pgrst, 'reload schema'`,
  )
  // A migration would refuse the function.
  onTestFinished(() =>
    deployment.sql(`drop function api.who_asks(); notify pgrst, 'reload schema'`).then(() =>
      undefined
    )
  )
  // Each PostgREST reloads at its own time, and the edge alternates between them.
  await expect.poll(
    async () =>
      (await Promise.all(Array.from({ length: 8 }, whoAsks))).every((address) =>
        /^\d/.test(address)
      ),
    { timeout: 10_000 },
  )
    .toBe(true)
  const counts: Record<string, number> = {}
  for (let request = 0; request < 60; request++) {
    const address = await whoAsks()
    counts[address] = (counts[address] ?? 0) + 1
    expect((await ann.get('/get-session')).status).toBe(200)
  }
  say(`60 requests one after another: ${Object.values(counts).join(' and ')} to each PostgREST`)
  expect(Object.keys(counts)).toHaveLength(2)
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(10)
  const answered = await Promise.all((await containers('auth')).map(async (id) => {
    const text = await run('docker', [
      'exec',
      id,
      'node',
      '-e',
      `fetch('http://127.0.0.1:3000/metrics').then((answer) => answer.text()).then(console.log)`,
    ])
    return Number(
      /^auth_http_request_duration_seconds_count\{[^}]*get-session[^}]*\} (\d+)/m.exec(text)?.[1] ??
        0,
    )
  }))
  expect(answered).toHaveLength(2)
  expect(Math.min(...answered)).toBeGreaterThan(10)
})

describe('under load', () => {
  const during = async (event: () => Promise<unknown>): Promise<Load> => {
    const stop = load(deployment, token, cookie(), writers)
    await sleep(1_000)
    await event()
    await sleep(2_000)
    return stop()
  }
  const lost = async ({ acknowledged }: Load) => {
    const there = new Set(
      await deployment.sql(`select external_id from api.transactions where source = 'load'`),
    )
    return acknowledged.filter((id) => !there.has(id))
  }
  const summaryOf = ({ requests, failed }: Load) =>
    `${requests} requests, failed: ${JSON.stringify(failed)}`

  test.each(['postgrest', 'auth', 'edge'] as const)(
    'one %s of two is killed: only writes in progress fail',
    async (service) => {
      const counted = await during(() => deployment.crash(service))
      say(`kill -9 of one ${service} of two: ${summaryOf(counted)}`)
      expect(counted.failedReads).toEqual({})
      expect(Object.keys(counted.failed).filter((failure) => !failure.startsWith('502'))).toEqual(
        [],
      )
      expect(Object.values(counted.failed).reduce((sum, count) => sum + count, 0))
        .toBeLessThanOrEqual(writers)
      expect(await lost(counted)).toEqual([])
    },
  )

  test('one instance of each is added: no request fails, and the new ones receive requests', async () => {
    await deployment.configure({ AUTH_REPLICAS: '3', POSTGREST_REPLICAS: '3' })
    const before = [...await containers('caddy'), ...await containers('edge')]
    const counted = await during(() => deployment.shell(add))
    say(`one of each added: ${summaryOf(counted)}`)
    expect(counted.failed).toEqual({})
    expect([(await containers('auth')).length, (await containers('postgrest')).length]).toEqual([
      3,
      3,
    ])
    expect([...await containers('caddy'), ...await containers('edge')]).toEqual(before)
    const asking = async () =>
      Number(
        (await deployment.sql(
          `select count(distinct client_addr) from pg_stat_activity where usename = 'authenticator' and query !~* '^listen'`,
        ))[0],
      )
    // The load used all of them. A pool closes a connection after it was idle for half a minute.
    expect(await asking()).toBe(3)
  })

  test('the key is rotated: no request is refused, and every PostgREST accepts tokens of the new key', async () => {
    let rotated = ''
    const counted = await during(async () => {
      rotated = await deployment.command('admin', 'keys', 'rotate')
    })
    say(`${rotated.trim().split('\n')[0]} ${summaryOf(counted)}`)
    expect(rotated).toContain('signs now')
    expect(counted.failed).toEqual({})
    const authorization = `Bearer ${await ann.token()}`
    const statuses = await Promise.all(
      Array.from(
        { length: 30 },
        () =>
          fetch(`${deployment.url}/data/transactions?limit=1`, { headers: { authorization } }).then(
            ({ status }) => status,
          ),
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})

test('more instances than PostgreSQL has connections for are refused with one sentence, and the running ones continue', async () => {
  await deployment.configure({ AUTH_REPLICAS: '5', POSTGREST_REPLICAS: '4' })
  const counted = load(deployment, token, cookie(), writers)
  await expect(deployment.shell(add)).rejects.toThrow(
    'Cannot migrate: 5 auth services and 4 PostgREST hold up to 152 connections, and PostgreSQL has 147 for them (max_connections 150, 3 of them reserved)',
  )
  expect((await counted()).failed).toEqual({})
  expect([(await containers('auth')).length, (await containers('postgrest')).length]).toEqual([
    3,
    3,
  ])
})
