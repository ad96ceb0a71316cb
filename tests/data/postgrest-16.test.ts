/**
 * The database behind PostgREST 16, whose cache, time zones and queries differ from 12's. The
 * queries have the form that PostgREST.Query.Statements, QueryBuilder and SqlFragment of v16.2
 * build.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asPostgrest, claimsOf, type Request } from '../support/as-postgrest.ts'
import { dataStack, type Account, type DataStack } from '../support/data.ts'

let stack: DataStack
let ann: Account
let request: Request

beforeAll(async () => {
  stack = await dataStack()
  ann = await stack.person()
  request = { claims: claimsOf(ann) }
  const mine = stack.as(ann)
  const category = await mine.create('categories', { name: 'Food' })
  const transaction = await mine.create('transactions', {
    name: 'Bread',
    amount: -2.5,
    category_id: category.id,
    transaction_date: '2025-01-31T23:30:00Z',
  })
  await mine.create('line_items', { transaction_id: transaction.id, name: 'loaf', amount: -2.5 })
})
afterAll(() => stack.stop())

describe('a token that PostgREST has cached as verified', () => {
  const expired = (seconds: number) =>
    claimsOf(ann, undefined, { exp: Math.floor(Date.now() / 1000) - seconds })

  test('a token that PostgREST has cached as verified is valid until half a minute after its expiry, by the clock of the database', async () => {
    expect(await asPostgrest(stack, { claims: expired(20) })).toEqual({ rows: [] })
    expect(await asPostgrest(stack, { claims: expired(32) })).toEqual({
      refused: {
        status: 401,
        code: 'PGRST301',
        message: 'JWT expired',
        details: null,
        hint: expect.stringContaining('/api/auth/token'),
      },
    })
  })

  test('a token that PostgREST has cached as verified is refused later, and for each format of the number', async () => {
    for (const exp of [0, -1, 1.5, 1e-300, Date.now() / 1000 - 31.5]) {
      expect(await asPostgrest(stack, { claims: claimsOf(ann, undefined, { exp }) }), String(exp))
        .toMatchObject({ refused: { message: 'JWT expired' } })
    }
    expect(await asPostgrest(stack, { claims: claimsOf(ann, undefined, { exp: 1e300 }) })).toEqual({
      rows: [],
    })
  })
})

describe('Prefer: timezone', () => {
  const read = {
    text:
      `select transaction_date::text as moment, current_setting('TimeZone') as zone from "api"."transactions"`,
  }
  const wanting = (timezone: string, prefer = `timezone=${timezone}`) =>
    asPostgrest(stack, { ...request, timezone, headers: { prefer } }, read)
  const unknown = {
    refused: {
      code: '22023',
      message: expect.stringContaining('unknown time zone'),
      hint: expect.stringMatching(/Europe\/Berlin.*\+02:00/),
    },
  }

  test('Prefer: timezone accepts each name that PostgreSQL lists', async () => {
    await stack.owner.query(
      `create function pg_temp.takes(zone text) returns boolean language plpgsql as $$
       begin
         perform set_config('TimeZone', zone, true);
         perform private.set_time_zone(zone);
         return true;
       exception when invalid_parameter_value then return false;
       end $$`,
    )
    const { rows } = await stack.owner.query<{ name: string, taken: boolean }>(
      'select name, pg_temp.takes(name) as taken from pg_timezone_names',
    )
    expect(rows.length).toBeGreaterThan(300)
    expect(rows.filter(({ taken }) => !taken)).toEqual([])
    expect(await wanting('Asia/Tokyo')).toMatchObject({
      rows: [{ moment: '2025-02-01 08:30:00+09' }],
    })
  })

  test.each([
    ['+02:00', '2025-02-01 01:30:00+02'],
    ['-03:30', '2025-01-31 20:00:00-03:30'],
    ['+14:00', '2025-02-01 13:30:00+14'],
    ['-00:00', '2025-01-31 23:30:00+00'],
  ])(
    'Prefer: timezone treats %s as an offset from UTC, positive east of Greenwich, unlike PostgreSQL itself',
    async (offset, moment) => {
      expect(await wanting(offset)).toMatchObject({ rows: [{ moment }] })
    },
  )

  test.each([
    'FOO3BAR',
    '05:00',
    '-4',
    '2',
    '+02',
    '+15:00',
    'UTC+3',
    'Etc/GMT+15',
    'Etc/GMT-1:30',
    '<+02>-02',
    "interval '2'",
    'europe/berlin',
  ])(
    'refuses %s, which PostgreSQL takes',
    async (zone) => {
      expect(await wanting(zone)).toMatchObject(unknown)
      expect(await wanting(zone, `return=minimal, timezone=${zone} ,count=exact`)).toMatchObject(
        unknown,
      )
    },
  )

  test('Prefer: timezone is refused if one of several Prefer fields has a zone that the database does not see', async () => {
    expect(await wanting('FOO3BAR', 'return=minimal')).toMatchObject({
      refused: { message: "unknown time zone 'FOO3BAR'" },
    })
    expect(await wanting('+02:00', 'return=minimal')).toMatchObject(unknown)
    expect(await wanting('Asia/Tokyo', 'timezone=Europe/Berlin')).toMatchObject(unknown)
    // pre_request() sets the offset of the field that it sees.
    expect(await wanting('FOO3BAR', 'timezone=+02:00')).toMatchObject({
      rows: [{ moment: '2025-02-01 01:30:00+02' }],
    })
  })
})

test('an EXPLAIN request is refused, and the same query without it works', async () => {
  const read =
    'WITH pgrst_source AS ( SELECT "api"."transactions"."name" FROM "api"."transactions" ) SELECT pg_catalog.count(*) AS page_total FROM pgrst_source'
  expect(await asPostgrest(stack, request, { text: read })).toMatchObject({
    rows: [{ page_total: expect.any(String) }],
  })
  expect(await asPostgrest(stack, request, { text: `EXPLAIN (FORMAT JSON) ${read}` }))
    .toMatchObject({ refused: { code: 'PGRST122' } })
})
