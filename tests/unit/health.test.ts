import { expect, test } from 'vitest'
import { keptForASecond, type Checks } from '../../auth/http/health.ts'

const well: Checks = { database: true, migrations: true, row_security: true, signing_key: true }

/** A clock that stands until it is told, and a database that is asked. */
function ground() {
  const it = { ms: 5_000, asked: 0, checks: well }
  const ready = keptForASecond(() => {
    it.asked += 1
    return Promise.resolve(it.checks)
  }, () => it.ms)
  return { it, ready }
}

test('a flood of questions whether it is ready asks the database once a second', async () => {
  const { it, ready } = ground()
  await Promise.all(Array.from({ length: 100 }, ready))
  it.ms += 999
  await Promise.all(Array.from({ length: 100 }, ready))
  expect(it.asked).toBe(1)
  it.ms += 1
  await ready()
  expect(it.asked).toBe(2)
})

test('a database that is lost, and one that is back, is told after a second', async () => {
  const { it, ready } = ground()
  expect(await ready()).toEqual(well)
  it.checks = { ...well, database: false }
  it.ms += 1_000
  expect(await ready()).toMatchObject({ database: false })
  it.checks = well
  it.ms += 1_000
  expect(await ready()).toEqual(well)
})

test('while an answer takes longer than a second, nobody asks for another', async () => {
  const { promise, resolve } = Promise.withResolvers<Checks>()
  let asked = 0
  let ms = 0
  const ready = keptForASecond(() => {
    asked += 1
    return promise
  }, () => ms)
  const first = ready()
  ms = 3_000
  const second = ready()
  resolve(well)
  expect([await first, await second, asked]).toEqual([well, well, 1])
})
