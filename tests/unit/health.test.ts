import { expect, test } from 'vitest'
import { cacheForASecond, type Checks } from '../../auth/health.ts'

const well: Checks = { database: true, migrations: true, row_security: true, signing_key: true }

/** A clock that the test sets, and a database that counts its queries. */
function fakeDatabase() {
  const it = { ms: 5_000, queries: 0, checks: well }
  const ready = cacheForASecond(() => {
    it.queries += 1
    return Promise.resolve(it.checks)
  }, () => it.ms)
  return { it, ready }
}

test('many readiness requests query the database once per second', async () => {
  const { it, ready } = fakeDatabase()
  await Promise.all(Array.from({ length: 100 }, ready))
  it.ms += 999
  await Promise.all(Array.from({ length: 100 }, ready))
  expect(it.queries).toBe(1)
  it.ms += 1
  await ready()
  expect(it.queries).toBe(2)
})

test('a lost and a recovered database are noticed after one second', async () => {
  const { it, ready } = fakeDatabase()
  expect(await ready()).toEqual(well)
  it.checks = { ...well, database: false }
  it.ms += 1_000
  expect(await ready()).toMatchObject({ database: false })
  it.checks = well
  it.ms += 1_000
  expect(await ready()).toEqual(well)
})

test('a query that takes longer than a second is not repeated meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<Checks>()
  let queries = 0
  let ms = 0
  const ready = cacheForASecond(() => {
    queries += 1
    return promise
  }, () => ms)
  const first = ready()
  ms = 3_000
  const second = ready()
  resolve(well)
  expect([await first, await second, queries]).toEqual([well, well, 1])
})
