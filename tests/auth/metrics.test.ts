/** What an operator can see of mail, connections, keys and limits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { belowFloors, databaseVersionsSql } from '../../common/floors.ts'
import { person, signedIn, team } from '../support/person.ts'
import { missingSeries } from '../support/metric-queries.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { RATE_LIMIT_ENABLED: 'true' } })
})
afterAll(() => stack.close())

/** Every series and its value. */
async function figures(of: Stack): Promise<Map<string, number>> {
  const text = await (await fetch(`${of.url}/metrics`)).text()
  return new Map([...text.matchAll(/^([a-z_]+(?:\{.*\})?) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]))
}
const figure = async (name: string) => (await figures(stack)).get(name)

test('each series that an alert asks of is there before anything has happened, at zero', async () => {
  await using fresh = await startStack()
  const seen = await figures(fresh)
  for (
    const name of [
      'auth_mail_queue_depth',
      'auth_mail_queue_oldest_seconds',
      'auth_mail_sent_total',
      ...['rejected', 'refused', 'unreachable', 'timeout', 'internal'].flatMap((reason) => [
        `auth_mail_failures_total{reason="${reason}"}`,
        `auth_mail_given_up_total{reason="${reason}"}`,
      ]),
      ...['address', 'account', 'hashing_queue'].map((limit) => `auth_limit_hits_total{limit="${limit}"}`),
      ...['auth', 'engine', 'mail'].map((pool) => `auth_db_pool_waiting{pool="${pool}"}`),
      'auth_rate_limited_total{route="/sign-in/email"}',
      'auth_signing_key_pending_seconds',
      'auth_hashing_queue_length',
    ]
  ) expect({ [name]: seen.get(name) }).toEqual({ [name]: 0 })
  expect([...seen.keys()].filter((name) => name.startsWith('auth_db_pool_max'))).toHaveLength(3)
})

test('the versions of the service, of its database and of a connected PostgREST are held against their floors', async () => {
  await using whole = await startStack({ data: true })
  const programs = async () =>
    [...await figures(whole)].flatMap(([name, value]) => {
      const program = /^finance_below_floor\{program="(\w+)"\}$/.exec(name)?.[1]
      return program === undefined ? [] : [[program, value]]
    })
  await expect.poll(async () => new Set((await programs()).map(([program]) => program))).toEqual(new Set(['node', 'postgresql', 'postgrest']))
  const { rows: [versions] } = await whole.sql.query(databaseVersionsSql)
  const below = new Set(belowFloors({ ...versions, node: process.versions.node }).map(({ program }) => program))
  expect(await programs()).toEqual(expect.arrayContaining(['node', 'postgresql', 'postgrest'].map((program) => [program, below.has(program as never) ? 1 : 0])))
})

test('the alerts and the board ask the service for nothing that it does not have', async () => {
  await using fresh = await startStack()
  // one request, which is the least that can have happened
  await fetch(`${fresh.url}/livez`)
  const found = await missingSeries(/^(auth|finance_below|nodejs|process)_/, await (await fetch(`${fresh.url}/metrics`)).text())
  expect(found).toEqual({ seriesCount: expect.any(Number), missing: [] })
  expect(found.seriesCount).toBeGreaterThan(25)
})

describe('mail', () => {
  test.each([['down', 'refused'], ['hang', 'timeout'], ['reject', 'rejected'], ['refuse', 'unreachable']] as const)(
    'that a provider in mode %s does not take is counted as %s, and what waits as depth and age',
    async (mode, reason) => {
      await using alone = await startStack()
      alone.mail.mode = mode
      await person(alone, 'Ann').signUp()
      const name = `auth_mail_failures_total{reason="${reason}"}`
      await expect.poll(async () => (await figures(alone)).get(name), { timeout: 25_000 }).toBeGreaterThan(0)
      const seen = await figures(alone)
      expect([...seen].filter(([key, count]) => key.startsWith('auth_mail_failures_total') && key !== name && count > 0)).toEqual([])
      if (mode === 'reject') expect([seen.get('auth_mail_given_up_total{reason="rejected"}'), seen.get('auth_mail_queue_depth')]).toEqual([1, 0])
      else {
        // for the moment in which the next attempt is stored and the one that failed not yet ended, there are two
        await expect.poll(async () => (await figures(alone)).get('auth_mail_queue_depth')).toBe(1)
        expect(seen.get('auth_mail_queue_oldest_seconds')).toBeGreaterThan(0)
      }
      alone.mail.mode = 'ok'
      if (mode !== 'reject') await expect.poll(async () => (await figures(alone)).get('auth_mail_sent_total'), { timeout: 25_000 }).toBe(1)
    },
  )
})

describe('a limit', () => {
  test('per account and per address is counted as it is hit', async () => {
    const ann = await signedIn(stack, 'Ann')
    const before = await figures(stack)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 60 && !statuses.includes(429); attempt++) statuses.push((await ann.signIn('a wrong password')).status)
    expect(statuses).toContain(429)
    const after = await figures(stack)
    const grown = [...after].filter(([name, value]) => name.startsWith('auth_limit_hits_total') && value > (before.get(name) ?? 0)).map(([name]) => name)
    expect(grown).toHaveLength(1)
    expect(await figure('auth_rate_limited_total{route="/sign-in/email"}')).toBe(1)
  })
})

describe('the connections', () => {
  test('that are all in use, and who waits for one, are seen', async () => {
    await using alone = await startStack()
    const { id, owner } = await team(alone, [])
    const lock = await alone.sql.connect()
    await lock.query('begin; lock table auth.organizations in access exclusive mode')
    const asked = Promise.all(Array.from({ length: 14 }, () => owner.get(`/organization/get?organizationId=${id}`)))
    const engine = async () => {
      const seen = await figures(alone)
      return ['connections{pool="engine",state="in_use"}', 'waiting{pool="engine"}', 'max{pool="engine"}'].map((name) => seen.get(`auth_db_pool_${name}`))
    }
    await expect.poll(engine).toEqual([10, 4, 10])
    await lock.query('rollback')
    lock.release()
    expect(new Set((await asked).map(({ status }) => status))).toEqual(new Set([200]))
    expect(await engine()).toEqual([0, 0, 10])
  })
})

test('a database that does not answer holds up no scrape, and what it was asked for is not made up', async () => {
  await using alone = await startStack()
  await figures(alone)
  const lock = await alone.sql.connect()
  await lock.query('begin; lock table graphile_worker._private_jobs in access exclusive mode')
  const started = performance.now()
  const seen = await figures(alone)
  expect(performance.now() - started).toBeLessThan(2_000)
  // what it said a moment ago
  expect(seen.get('auth_mail_queue_depth')).toBe(0)
  await lock.query('rollback')
  lock.release()
})
