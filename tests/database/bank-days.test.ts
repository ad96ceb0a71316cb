/** Migration 0015: existing transactions that were stored as a whole day get that day. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseBefore, type FormerDatabase } from '../support/former-database.ts'

let former: FormerDatabase

type Old = { date: string, source?: string, transfer?: string, from?: string, edited?: boolean }
const transfer = randomUUID()
/** A file for each time zone, with midnights of the zone, and two files with times of purchases. */
const files = {
  Berlin: ['2025-01-31T23:00:00Z', '2025-06-30T22:00:00Z'],
  'New York': ['2025-02-01T05:00:00Z', '2025-07-01T04:00:00Z'],
  Kolkata: ['2025-01-31T18:30:00Z', '2025-06-30T18:30:00Z'],
  Kathmandu: ['2025-01-31T18:15:00Z', '2025-06-30T18:15:00Z'],
  Auckland: ['2025-01-31T11:00:00Z', '2025-06-30T12:00:00Z'],
  Honolulu: ['2025-02-01T10:00:00Z', '2025-07-01T10:00:00Z'],
  'the till': ['2025-02-01T10:15:00Z', '2025-02-01T12:30:00Z', '2025-07-01T18:45:00Z'],
  'the card': ['2025-02-01T10:17:31Z'],
}

beforeAll(async () => {
  former = await databaseBefore('0015')
})
afterAll(() => former.close())

test('midnights, transfers, recordings and files of days get their day, moments get none, and no row counts as edited', async () => {
  await former.owner.query(`insert into auth.users (id, name, email) values ('ada', '', 'ada@example.org')`)
  const old: Record<string, Old> = {
    'by hand, a day': { date: '2025-02-01T00:00:00Z' },
    'by hand, a moment': { date: '2025-02-01T18:30:00Z' },
    'a transfer': { date: '2025-01-31T23:00:00Z', transfer },
    'its other half': { date: '2025-01-31T23:00:00Z', transfer },
    'a transfer of now': { date: '2025-02-01T14:12:09.123Z', transfer: randomUUID() },
    'a recording': { date: '2025-02-01T05:00:00Z', source: 'subscription' },
    ...Object.fromEntries(Object.entries(files).flatMap(([from, dates]) => dates.map((date, at) => [`${from} ${at}`, { date, from, edited: at === 1 }]))),
  }
  const imports = Object.fromEntries(Object.keys(files).map((name) => [name, randomUUID()]))
  for (const [name, id] of Object.entries(imports))
    await former.owner.query(`insert into api.imports (id, source, file_name, row_count, user_id) values ($1, 'bank', $2, 2, 'ada')`, [id, name])
  for (const [name, { date, source, transfer: of, from, edited }] of Object.entries(old))
    await former.owner.query(
      `insert into api.transactions (name, amount, user_id, transaction_date, source, transfer_id, import_id, created_at, updated_at)
       values ($1, -1, 'ada', $2, $3, $4, $5, '2025-09-01Z', $6)`,
      [name, date, source ?? 'manual', of ?? null, from === undefined ? null : imports[from], edited === true ? '2025-09-02Z' : '2025-09-01Z'],
    )

  await former.upgrade()

  const { rows } = await former.owner.query('select name, booked_on::text, transaction_date from api.transactions')
  expect(Object.fromEntries(rows.map(({ name, booked_on }) => [name, booked_on]))).toEqual({
    'by hand, a day': '2025-02-01',
    'by hand, a moment': null,
    'a transfer': '2025-02-01',
    'its other half': '2025-02-01',
    'a transfer of now': null,
    'a recording': '2025-02-01',
    ...Object.fromEntries(
      ['Berlin', 'New York', 'Kolkata', 'Kathmandu', 'Auckland', 'Honolulu'].flatMap((from) => [[`${from} 0`, '2025-02-01'], [`${from} 1`, '2025-07-01']]),
    ),
    'the till 0': null,
    'the till 1': null,
    'the till 2': null,
    'the card 0': null,
  })
  expect(Object.fromEntries(rows.map(({ name, transaction_date }) => [name, transaction_date.toISOString()])))
    .toEqual(Object.fromEntries(Object.entries(old).map(([name, { date }]) => [name, new Date(date).toISOString()])))
  const edited = await former.owner.query('select name from api.transactions where updated_at <> created_at order by 1')
  expect(edited.rows).toHaveLength(Object.values(old).filter((each) => each.edited === true).length)
  // Rows that users edited before are not changed by later files.
  const marked = await former.owner.query('select t.name from private.bank_values v join api.transactions t on t.id = v.transaction_id order by 1')
  expect(marked.rows).toEqual(edited.rows)
})
