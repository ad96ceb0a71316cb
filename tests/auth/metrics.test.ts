/** Metrics of mail, connections, keys and limits. */
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

/** Parses all series and their values. */
async function readMetrics(of: Stack): Promise<Map<string, number>> {
  const text = await (await fetch(`${of.url}/metrics`)).text()
  return new Map(
    [...text.matchAll(/^([a-z_]+(?:\{.*\})?) (\S+)$/gm)].map((
      [, name = '', value],
    ) => [name, Number(value)]),
  )
}
const metricValue = async (name: string) => (await readMetrics(stack)).get(name)

test('each series that an alert uses exists with value zero before the first event', async () => {
  await using fresh = await startStack()
  const values = await readMetrics(fresh)
  for (
    const name of [
      'auth_mail_queue_depth',
      'auth_mail_queue_oldest_seconds',
      'auth_mail_sent_total',
      ...['rejected', 'refused', 'unreachable', 'timeout', 'internal'].flatMap((reason) => [
        `auth_mail_failures_total{reason="${reason}"}`,
        `auth_mail_given_up_total{reason="${reason}"}`,
      ]),
      ...['address', 'account', 'hashing_queue'].map((limit) =>
        `auth_limit_hits_total{limit="${limit}"}`
      ),
      'auth_rate_limited_total{route="/sign-in/email"}',
      'auth_signing_key_pending_seconds',
      'auth_hashing_queue_length',
      'auth_exchange_rates_failures',
    ]
  ) expect({ [name]: values.get(name) }).toEqual({ [name]: 0 })
  // the service still reads its tables while it starts
  const waiting = (of: Map<string, number>) =>
    ['auth', 'engine'].map((pool) => of.get(`auth_db_pool_waiting{pool="${pool}"}`))
  await expect.poll(async () => waiting(await readMetrics(fresh))).toEqual([0, 0])
  expect([...values.keys()].filter((name) => name.startsWith('auth_db_pool_max'))).toHaveLength(2)
})

test('the versions of the service, the database and a connected PostgREST are compared with their supported minimum', async () => {
  await using whole = await startStack({ data: true })
  const programs = async () =>
    [...await readMetrics(whole)].flatMap(([name, value]) => {
      const program = /^finance_below_floor\{program="(\w+)"\}$/.exec(name)?.[1]
      return program === undefined ? [] : [[program, value]]
    })
  await expect.poll(async () => new Set((await programs()).map(([program]) => program))).toEqual(
    new Set(['node', 'postgresql', 'postgrest']),
  )
  const { rows: [versions] } = await whole.sql.query(databaseVersionsSql)
  const below = new Set(
    belowFloors({ ...versions, node: process.versions.node }).map(({ program }) => program),
  )
  expect(await programs()).toEqual(
    expect.arrayContaining(
      ['node', 'postgresql', 'postgrest'].map((
        program,
      ) => [program, below.has(program as never) ? 1 : 0]),
    ),
  )
})

test('a statement that waits for a lock is counted, with its time', async () => {
  await using own = await startStack()
  const holder = await own.sql.connect()
  try {
    await holder.query('begin; lock table auth.users')
    const waiting = own.sql.query('select count(*) from auth.users')
    await expect.poll(async () => (await readMetrics(own)).get('finance_database_locks_waiting'))
      .toBe(1)
    expect((await readMetrics(own)).get('finance_database_lock_wait_seconds')).toBeGreaterThan(0)
    await holder.query('commit')
    await waiting
  } finally {
    holder.release()
  }
})

test('a forgotten transaction of an operator is measured, with the rights of the service', async () => {
  await using own = await startStack()
  const holder = await own.sql.connect()
  try {
    await holder.query('begin; select pg_current_xact_id()')
    const { rows: [{ age }] } = await holder.query(
      'select extract(epoch from clock_timestamp() - now())::float8 as age',
    )
    await expect.poll(async () =>
      (await readMetrics(own)).get('finance_database_oldest_transaction_seconds')
    ).toBeGreaterThan(age)
    expect((await readMetrics(own)).get('finance_database_notification_queue_ratio')).toBeLessThan(
      1,
    )
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

test('the database tells its size, connections, locks, start and replication slots with the rights of the service', async () => {
  await using own = await startStack()
  const values = await readMetrics(own)
  const value = (name: string) => values.get(name) ?? Number.NaN
  expect(value('finance_database_size_bytes')).toBeGreaterThan(1_000_000)
  expect(value('finance_database_connections')).toBeGreaterThan(0)
  expect(value('finance_database_connections_max')).toBeGreaterThan(
    value('finance_database_connections'),
  )
  expect([value('finance_database_locks_waiting'), value('finance_database_lock_wait_seconds')])
    .toEqual([0, 0])
  const { rows: [{ started }] } = await own.sql.query(
    'select extract(epoch from pg_postmaster_start_time())::float8 as started',
  )
  expect(value('finance_database_start_timestamp_seconds')).toBeCloseTo(started)
  const slot = `watched_${process.pid}`
  await own.sql.query('select pg_create_physical_replication_slot($1, true)', [slot])
  try {
    await expect.poll(async () =>
      (await readMetrics(own)).get(`finance_replication_slot_active{slot="${slot}"}`)
    ).toBe(0)
    expect((await readMetrics(own)).get(`finance_replication_slot_kept_bytes{slot="${slot}"}`))
      .toBeGreaterThanOrEqual(0)
  } finally {
    await own.sql.query('select pg_drop_replication_slot($1)', [slot])
  }
})

test('the service exports all series that the alerts and the dashboard query', async () => {
  await using fresh = await startStack()
  // Sends one request, so that request series exist.
  await fetch(`${fresh.url}/livez`)
  const found = await missingSeries(
    /^(auth|finance_below|finance_database|nodejs|process)_/,
    await (await fetch(`${fresh.url}/metrics`)).text(),
  )
  expect(found).toEqual({ seriesCount: expect.any(Number), missing: [] })
  expect(found.seriesCount).toBeGreaterThan(25)
})

describe('mail', () => {
  test.each(
    [['down', 'refused'], ['hang', 'timeout'], ['reject', 'rejected'], [
      'refuse',
      'unreachable',
    ]] as const,
  )(
    'that a provider in mode %s does not accept is counted as %s, and pending mail as queue length and age',
    async (mode, reason) => {
      await using ownStack = await startStack()
      ownStack.mail.mode = mode
      await person(ownStack, 'Ann').signUp()
      const name = `auth_mail_failures_total{reason="${reason}"}`
      await expect.poll(async () => (await readMetrics(ownStack)).get(name), { timeout: 25_000 })
        .toBeGreaterThan(0)
      const values = await readMetrics(ownStack)
      expect(
        [...values].filter(([key, count]) =>
          key.startsWith('auth_mail_failures_total') && key !== name && count > 0
        ),
      ).toEqual([])
      if (mode === 'reject')
        expect([
          values.get('auth_mail_given_up_total{reason="rejected"}'),
          values.get('auth_mail_queue_depth'),
        ]).toEqual([1, 0])
      else {
        // Between storing the next attempt and ending the failed one there are two rows for a
        // moment.
        await expect.poll(async () => (await readMetrics(ownStack)).get('auth_mail_queue_depth'))
          .toBe(1)
        expect(values.get('auth_mail_queue_oldest_seconds')).toBeGreaterThan(0)
      }
      ownStack.mail.mode = 'ok'
      if (mode !== 'reject')
        await expect.poll(async () => (await readMetrics(ownStack)).get('auth_mail_sent_total'), {
          timeout: 25_000,
        }).toBe(1)
    },
  )
})

test('a limit per account and per address is counted when it is reached', async () => {
  const ann = await signedIn(stack, 'Ann')
  const before = await readMetrics(stack)
  const statuses: number[] = []
  for (let attempt = 0; attempt < 60 && !statuses.includes(429); attempt++)
    statuses.push((await ann.signIn('a wrong password')).status)
  expect(statuses).toContain(429)
  const after = await readMetrics(stack)
  const grown = [...after].filter(([name, value]) =>
    name.startsWith('auth_limit_hits_total') && value > (before.get(name) ?? 0)
  ).map(([name]) => name)
  expect(grown).toHaveLength(1)
  expect(await metricValue('auth_rate_limited_total{route="/sign-in/email"}')).toBe(1)
})

test('the connections in use, and the number of waiting requests, are exported', async () => {
  await using ownStack = await startStack()
  const { id, owner } = await team(ownStack, [])
  const lock = await ownStack.sql.connect()
  await lock.query('begin; lock table auth.organizations in access exclusive mode')
  const responses = Promise.all(
    Array.from({ length: 14 }, () => owner.get(`/organization/get?organizationId=${id}`)),
  )
  const engine = async () => {
    const values = await readMetrics(ownStack)
    return [
      'connections{pool="engine",state="in_use"}',
      'waiting{pool="engine"}',
      'max{pool="engine"}',
    ].map((name) => values.get(`auth_db_pool_${name}`))
  }
  await expect.poll(engine).toEqual([10, 4, 10])
  await lock.query('rollback')
  lock.release()
  expect(new Set((await responses).map(({ status }) => status))).toEqual(new Set([200]))
  expect(await engine()).toEqual([0, 0, 10])
})

test('an unresponsive database does not delay a scrape, and its series are absent instead of outdated', async () => {
  await using ownStack = await startStack()
  await readMetrics(ownStack)
  const lock = await ownStack.sql.connect()
  await lock.query('begin; lock table private.jobs in access exclusive mode')
  const started = performance.now()
  const values = await readMetrics(ownStack)
  expect(performance.now() - started).toBeLessThan(2_000)
  // The previous values must not be repeated.
  expect(values.get('auth_mail_queue_depth')).toBe(0)
  await lock.query('rollback')
  lock.release()
})
