/**
 * What a backup notes of a database tells it from every other. A restored database is refused when it is not what was
 * saved, so each damage here must be seen. The commands that ask are tried in tests/containers.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeDatabase, sumUpRows } from '../../db/describe.ts'
import { ownedDatabase } from '../support/database.ts'
import { damages, type Damage } from './damages.ts'

/** One damage of so many is tried; the proof tries more than a thousand. */
const every = Number(process.env['DAMAGES_EVERY'] ?? '50')

let stop: () => Promise<void>
let db: pg.Client

beforeAll(async () => {
  ;({ db, stop } = await ownedDatabase())
  // all of it at one time, so that no hash depends on the day
  await db.query(`
    insert into auth.users (id, name, email, email_verified, created_at, updated_at)
      values ('ann', 'Ann', 'ann@example.org', true, '2026-01-01Z', '2026-01-01Z'), ('ben', 'Ben', 'ben@example.org', false, '2026-01-01Z', '2026-01-01Z');
    insert into api.transactions (id, name, amount, user_id, transaction_date) values ('6c3f0d6e-1d1b-4c8e-9c5e-000000000001', 'Bread', -3.5, 'ann', '2026-01-01Z'),
      ('6c3f0d6e-1d1b-4c8e-9c5e-000000000002', 'Tea', -2, 'ben', '2026-01-02Z');
    insert into api.tags (name, user_id) values ('trip', 'ann');
    insert into api.accounts (name, type, user_id) values ('Wallet', 'cash', 'ann')`)
})
afterAll(() => stop())

/** What a backup would note now. */
const noted = async (): Promise<string> => [...await describeDatabase(db), ...await sumUpRows(db)].map((object) => JSON.stringify(object)).join('\n')

/** Whether PostgreSQL refuses it, as it would refuse the dump that says so; otherwise whether the notes tell. */
async function outcomeOf({ statement }: Damage, before: string): Promise<'refused' | 'seen' | 'not seen'> {
  await db.query('begin')
  try {
    await db.query(statement)
    return await noted() === before ? 'not seen' : 'seen'
  } catch (error) {
    if (error instanceof pg.DatabaseError) return 'refused'
    throw error
  } finally {
    await db.query('rollback')
  }
}

describe('what a backup notes', () => {
  test('is the same however the session is set, and in whatever order rows lie', async () => {
    const before = await noted()
    await db.query('begin')
    await db.query(`
      set local timezone = 'Asia/Tokyo'; set local datestyle = 'German'; set local bytea_output = 'escape'; set local search_path = auth, api, public;
      set local role postgres; set local extra_float_digits = 0;
      create temporary table lying on commit drop as select * from private.role_permissions;
      delete from private.role_permissions;
      insert into private.role_permissions select * from lying order by random()`)
    expect(await noted()).toBe(before)
    await db.query('rollback')
  })

  test(`tells damages of any object and any row: one in ${every} is tried`, async () => {
    const before = await noted()
    const all = await damages(db)
    // some of every kind
    const tried = Object.values(Object.groupBy(all, ({ kind }) => kind)).flatMap((some = []) => some.filter((_, index) => index % every === 0))
    const outcomes = []
    for (const damage of tried) outcomes.push({ ...damage, outcome: await outcomeOf(damage, before) })
    expect(outcomes.filter((one) => one.outcome === 'not seen')).toEqual([])
    const seen = outcomes.filter((one) => one.outcome === 'seen')
    process.stdout.write(
      `  ${all.length} damages; of ${tried.length} tried, ${seen.length} were seen, ${tried.length - seen.length} refused by PostgreSQL itself\n`,
    )
    expect(new Set(seen.map(({ kind }) => kind))).toEqual(new Set(all.map(({ kind }) => kind)))
    expect(seen.length).toBeGreaterThan(tried.length * 0.8)
    expect(await noted()).toBe(before)
  })
})
