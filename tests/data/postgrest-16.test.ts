/**
 * The database behind PostgREST 16, whose cache, time zones and queries differ from 12's. The queries have the form that
 * PostgREST.Query.Statements, QueryBuilder and SqlFragment of v16.2 build.
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
  const transaction = await mine.create('transactions', { name: 'Bread', amount: -2.5, category_id: category.id, transaction_date: '2025-01-31T23:30:00Z' })
  await mine.create('line_items', { transaction_id: transaction.id, name: 'loaf', amount: 2.5 })
})
afterAll(() => stack.stop())

describe('a token that PostgREST keeps as checked', () => {
  const expired = (seconds: number) => claimsOf(ann, undefined, { exp: Math.floor(Date.now() / 1000) - seconds })

  test('is good until half a minute after its expiry, by the clock of the database', async () => {
    expect(await asPostgrest(stack, { claims: expired(20) })).toEqual({ rows: [] })
    expect(await asPostgrest(stack, { claims: expired(32) })).toEqual({
      refused: { status: 401, code: 'PGRST301', message: 'JWT expired', details: null, hint: expect.stringContaining('/api/auth/token') },
    })
  })

  test('is refused whenever it expired, and however the number is written', async () => {
    for (const exp of [0, -1, 1.5, 1e-300, Date.now() / 1000 - 31.5]) {
      expect(await asPostgrest(stack, { claims: claimsOf(ann, undefined, { exp }) }), String(exp)).toMatchObject({ refused: { message: 'JWT expired' } })
    }
    expect(await asPostgrest(stack, { claims: claimsOf(ann, undefined, { exp: 1e300 }) })).toEqual({ rows: [] })
  })
})

describe('Prefer: timezone', () => {
  const read = { text: `select transaction_date::text as moment, current_setting('TimeZone') as zone from "api"."transactions"` }
  const wanting = (timezone: string, prefer = `timezone=${timezone}`) => asPostgrest(stack, { ...request, timezone, headers: { prefer } }, read)
  const unknown = { refused: { code: '22023', message: expect.stringContaining('unknown time zone'), hint: expect.stringMatching(/Europe\/Berlin.*\+02:00/) } }

  test('sets each name that PostgreSQL lists', async () => {
    await stack.owner.query(
      `create function pg_temp.takes(zone text) returns boolean language plpgsql as $$
       begin
         perform set_config('TimeZone', zone, true);
         perform private.set_time_zone(zone);
         return true;
       exception when invalid_parameter_value then return false;
       end $$`,
    )
    const { rows } = await stack.owner.query<{ name: string, taken: boolean }>('select name, pg_temp.takes(name) as taken from pg_timezone_names')
    expect(rows.length).toBeGreaterThan(300)
    expect(rows.filter(({ taken }) => !taken)).toEqual([])
    expect(await wanting('Asia/Tokyo')).toMatchObject({ rows: [{ moment: '2025-02-01 08:30:00+09' }] })
  })

  test.each([
    ['+02:00', '2025-02-01 01:30:00+02'],
    ['-03:30', '2025-01-31 20:00:00-03:30'],
    ['+14:00', '2025-02-01 13:30:00+14'],
    ['-00:00', '2025-01-31 23:30:00+00'],
  ])('reads %s as an offset from UTC, east of Greenwich if positive, where PostgreSQL alone would read the opposite', async (offset, moment) => {
    expect(await wanting(offset)).toMatchObject({ rows: [{ moment }] })
  })

  test.each(['FOO3BAR', '05:00', '-4', '2', '+02', '+15:00', 'UTC+3', 'Etc/GMT+15', 'Etc/GMT-1:30', '<+02>-02', "interval '2'", 'europe/berlin'])(
    'refuses %s, which PostgreSQL takes',
    async (zone) => {
      expect(await wanting(zone)).toMatchObject(unknown)
      expect(await wanting(zone, `return=minimal, timezone=${zone} ,count=exact`)).toMatchObject(unknown)
    },
  )

  test('refuses a zone of one Prefer field where the database is shown another', async () => {
    expect(await wanting('FOO3BAR', 'return=minimal')).toMatchObject({ refused: { message: "unknown time zone 'FOO3BAR'" } })
    expect(await wanting('+02:00', 'return=minimal')).toMatchObject(unknown)
    expect(await wanting('Asia/Tokyo', 'timezone=Europe/Berlin')).toMatchObject(unknown)
    // pre_request() sets the offset of the field that it sees
    expect(await wanting('FOO3BAR', 'timezone=+02:00')).toMatchObject({ rows: [{ moment: '2025-02-01 01:30:00+02' }] })
  })
})

describe('the guard of queries', () => {
  const last = `coalesce(json_agg(_postgrest_t), '[]') AS body, nullif(current_setting('response.headers', true), '') AS response_headers, `
    + `nullif(current_setting('response.status', true), '') AS response_status, '' AS response_inserted `
  /** PostgREST.Query.Statements.mainRead */
  const read = (select: string, count?: string) => ({
    text: `WITH pgrst_source AS ( ${select} ) ${count === undefined ? '' : `, pgrst_source_count AS (${count})`} SELECT `
      + `${count === undefined ? 'null::bigint' : '(SELECT pg_catalog.count(*) FROM pgrst_source_count)'} AS total_result_set, `
      + `pg_catalog.count(_postgrest_t) AS page_total, ${last}FROM ( SELECT * FROM pgrst_source ) _postgrest_t`,
  })
  /** PostgREST.Query.Statements.mainCall */
  const call = (source: string, select: string) => ({
    text: `WITH pgrst_source AS (${source}) SELECT null::bigint AS total_result_set, pg_catalog.count(_postgrest_t) AS page_total, `
      + `${last}FROM (${select}) _postgrest_t`,
  })
  const plainRead = `SELECT "api"."transactions"."name" FROM "api"."transactions"  ORDER BY "api"."transactions"."amount" DESC  `
  const column = (snippet: string) => read(`SELECT ${snippet} FROM "api"."transactions"   `)
  const embedded = (snippet: string) =>
    read(
      `SELECT "api"."transactions"."name", row_to_json("transactions_category_1".*)::jsonb AS "category" FROM "api"."transactions" `
        + `LEFT JOIN LATERAL ( SELECT ${snippet} FROM "api"."categories" AS "categories_1" WHERE "categories_1"."id" = "api"."transactions"."category_id"   `
        + `) AS "transactions_category_1" ON TRUE   `,
    )
  /** QueryBuilder.getJoin and SqlFragment.pgFmtSpreadJoinSelectItem: rows of many in one list, which 12.0 does not do */
  const spread = (name: string) =>
    read(
      `SELECT "api"."transactions"."name", "transactions_line_items_1"."${name}" FROM "api"."transactions" LEFT JOIN LATERAL ( `
        + `SELECT json_agg("transactions_line_items_1")::jsonb AS "transactions_line_items_1", COALESCE(json_agg("transactions_line_items_1"."${name}" ),'[]')::jsonb AS "${name}" `
        + `FROM (SELECT "line_items_1"."${name}" FROM "api"."line_items" AS "line_items_1" WHERE "line_items_1"."transaction_id" = "api"."transactions"."id"   `
        + `) AS "transactions_line_items_1" ) AS "transactions_line_items_1" ON TRUE   `,
    )
  const report = (snippet: string) =>
    call(
      `SELECT * FROM (SELECT '{"p_group_by":"status"}'::json AS json_data) pgrst_payload, LATERAL (SELECT "p_group_by" FROM json_to_record(pgrst_payload.json_data) AS _("p_group_by" text) LIMIT 1) pgrst_body , `
        + `LATERAL "api"."get_transaction_aggregate"("p_group_by" := pgrst_body."p_group_by") pgrst_call`,
      `SELECT ${snippet} FROM "pgrst_source"   `,
    )
  const page = (snippet: string) =>
    call(
      `SELECT "pgrst_call".* FROM "api"."get_upcoming"("start_date" := '2025-01-01'::text, "end_date" := '2025-02-01'::text) pgrst_call`,
      `SELECT ${snippet} FROM "pgrst_source"   `,
    )

  test.each([
    ['a list with a filter, an order and an exact count', read(plainRead, 'SELECT 1 FROM "api"."transactions"')],
    ['a cast to a plain type', column(`CAST( "api"."transactions"."amount" AS text )`)],
    ['a cast of an aliased column', column(`CAST( "api"."transactions"."transaction_date" AS date ) AS "day"`)],
    ['an embedded row', embedded('"categories_1"."name"')],
    ['rows of many, spread', spread('name')],
    ['CSV', {
      text: read(plainRead).text.replace(
        `coalesce(json_agg(_postgrest_t), '[]')`,
        `(SELECT coalesce(string_agg(a.k, ','), '')  FROM (    SELECT json_object_keys(r)::text as k    FROM (       SELECT row_to_json(hh) as r from pgrst_source as hh limit 1    ) s  ) a) || '\n' || coalesce(string_agg(substring(_postgrest_t::text, 2, length(_postgrest_t::text) - 2), '\n'), '')`,
      ),
    }],
    ["the interface's media type", {
      text: read(`${plainRead}LIMIT 1 OFFSET 0`).text.replace(`coalesce(json_agg(_postgrest_t), '[]')`, '"api"."one_object"(_postgrest_t)'),
    }],
    ['a report', report('"pgrst_source"."key", CAST( "pgrst_source"."value" AS text )')],
    ['a function of a query string', page('"pgrst_source"."title"')],
  ])('lets through %s', async (_, query) => {
    expect(await asPostgrest(stack, request, query)).toMatchObject({ rows: [{ page_total: expect.any(String) }] })
  })

  const cast = { refused: { status: 400, code: 'PGRST100', message: 'a column cannot be cast to this type' } }
  const noColumn = { refused: { status: 400, code: '42703' } }
  test.each([
    ['a cast to a type that asks the catalogue', column(`CAST( "api"."transactions"."name" AS regrole )`), cast],
    ['the same of what is embedded', embedded(`CAST( "categories_1"."name" AS regclass )`), cast],
    ['the same of what a function answers', report(`CAST( "pgrst_source"."key" AS regrole )`), cast],
    ['a system column', column('"api"."transactions"."xmin"'), noColumn],
    ['a system column of what is embedded', embedded('"categories_1"."ctid"'), noColumn],
    ['a system column of what is spread', spread('xmin'), noColumn],
    ['a function in place of a column', column('"api"."transactions"."pg_typeof"'), noColumn],
    ['a function in place of a column of what is spread', spread('json_agg'), noColumn],
    ["a function in place of a column of a function's answer", page('"pgrst_source"."row_to_json"'), noColumn],
    ['the same column in an order', read(plainRead.replace('"amount"', '"ctid"')), noColumn],
    ['a plan', { text: `EXPLAIN (FORMAT JSON) ${plainRead}` }, { refused: { code: 'PGRST122' } }],
  ])('refuses %s', async (_, query, refusal) => {
    expect(await asPostgrest(stack, { ...request, path: '/rpc/get_upcoming' }, query)).toMatchObject(refusal)
  })
})
