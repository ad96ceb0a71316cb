/**
 * A JSON number can print ten thousand times as long as it was sent. An attacker sends many of them wherever JSON is accepted. Each request is
 * refused before a number is printed, so PostgreSQL uses no more memory than for another request.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { passwords, publicUrl } from '../support/database.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller
beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person())
})
afterAll(() => stack.stop())

const huge = `[${Array(1_500).fill('1e131000').join()}]`
const tiny = `[${Array(1_500).fill('0e-16380').join()}]`
const layout = (more: string) => `{"widgets":[{"id":"a","type":"b","position":{"x":0,"y":0},"size":{"w":1,"h":1},"config":${more}}]}`
const deep = `${'['.repeat(2_000)}${huge}${']'.repeat(2_000)}`

/** The peak memory of PostgREST's sessions, in MB. About 50 of them are shared memory of the server. */
async function mostMemory(): Promise<number> {
  const { rows } = await stack.owner.query<{ status: string }>(
    // null for a session that has ended since
    `select pg_read_file(format('/proc/%s/status', pid), 0, 10000, true) as status
     from pg_stat_activity where usename = 'authenticator' and datname = current_database()`,
  )
  return Math.max(...rows.filter(({ status }) => status !== null).map(({ status }) => Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024))
}

const bodies: [where: string, path: string, body: string, says: RegExp][] = [
  ['amounts', '/transactions', `[${Array(1_500).fill('{"name":"x","amount":1e131000}').join()}]`, /^numeric field overflow$/],
  [
    'amounts of many places',
    '/transactions',
    `[${Array(1_500).fill('{"name":"x","currency":"kwd","amount":0.001e-16000}').join()},{"name":"","currency":"kwd","amount":1}]`,
    /"transactions_name_length"/,
  ],
  ['metadata of a transaction', '/transactions', `{"name":"x","amount":1,"metadata":${huge}}`, /"transactions_metadata_numbers"/],
  ['metadata of a transaction, as zeros of many places', '/transactions', `{"name":"x","amount":1,"metadata":${tiny}}`, /"transactions_metadata_numbers"/],
  ['metadata of an account', '/accounts', `{"name":"x","type":"cash","metadata":${huge}}`, /"accounts_metadata_numbers"/],
  ['the layout of a dashboard', '/dashboards', `{"name":"x","layout":${layout(huge)}}`, /"dashboards_layout_numbers"/],
  ['a layout without a form', '/dashboards', `{"name":"x","layout":${huge}}`, /"dashboards_layout_(form|numbers)"/],
  ['the name of a widget', '/dashboards', `{"name":"x","layout":{"widgets":[{"id":${huge},"type":${huge}}]}}`, /"dashboards_layout_(form|numbers)"/],
  ['the filters of a dashboard', '/dashboards', `{"name":"x","layout":${layout('1')},"filters":${huge}}`, /"dashboards_filters_numbers"/],
  ['the dates of a dashboard', '/dashboards', `{"name":"x","layout":${layout('1')},"date_range":{"preset":${huge}}}`, /"dashboards_date_range_form"/],
  ...['get_transaction_stat', 'get_transaction_aggregate'].flatMap((name): [string, string, string, RegExp][] => [
    [`a value of ${name}`, `/rpc/${name}`, `{"p_filters":[{"field":"amount","operation":"in","value":${huge}}]}`, /^a number in filters/],
    [`a field of ${name}`, `/rpc/${name}`, `{"p_filters":[{"field":${huge},"operation":${huge},"value":1}]}`, /^a number in filters/],
  ]),
  [
    'a value of get_filtered_transactions',
    '/rpc/get_filtered_transactions',
    `{"filters":[{"field":"name","operation":"eq","value":${deep}}]}`,
    /^a number in filters/,
  ],
  [
    'a date of get_transaction_distribution_by_category',
    '/rpc/get_transaction_distribution_by_category',
    `{"params":{"filters":{"start_date":${huge}}}}`,
    /^a number in params/,
  ],
  [
    'somebody of get_transaction_distribution_by_category',
    '/rpc/get_transaction_distribution_by_category',
    `{"params":{"user_id":${huge}}}`,
    /^a number in params/,
  ],
]

test.each(bodies)('an attacker who sends numbers that print very long in %s is refused, and the request uses little memory', async (_, path, body, says) => {
  expect(await mine.post(path, body)).toMatchObject({ status: 400, body: { message: expect.stringMatching(says) } })
  expect(await mostMemory()).toBeLessThan(100)
})

test('an update of a row is checked in the same way', async () => {
  const { id } = await mine.create('transactions', { name: 'Rent', amount: -1, metadata: { rate: 1.25 } })
  expect(await mine.patch(`/transactions?id=eq.${id}`, `{"metadata":${huge}}`)).toMatchObject({ status: 400, body: { code: '23514' } })
  expect(await mostMemory()).toBeLessThan(100)
})

test('a number that an older version stored stays through the migration, and is checked when its row changes', async () => {
  const { id } = await mine.create('transactions', { name: 'Rent', amount: -1 })
  await stack.owner.query('alter table api.transactions drop constraint transactions_metadata_numbers')
  await stack.owner.query(`update api.transactions set metadata = '{"old":1e100}' where id = $1`, [id])
  await stack.owner.query(`update private.migrations set checksum = 'of an older version' where name = 'functions and rules'`)
  await migrate({ databaseUrl: stack.ownerUrl, publicUrl, authServicePassword: passwords.authService, authenticatorPassword: passwords.authenticator })
  expect((await mine.get(`/transactions?id=eq.${id}`)).body[0].metadata).toEqual({ old: 1e100 })
  expect(await mine.patch(`/transactions?id=eq.${id}`, { name: 'Rent of May' })).toMatchObject({ status: 400, body: { code: '23514' } })
  expect((await mine.patch(`/transactions?id=eq.${id}`, { name: 'Rent of May', metadata: null })).status).toBe(204)
})

test('a number is plain if it is below 1e30 and has at most 50 decimal places, at any depth', async () => {
  const digits = fc.integer({ min: -999, max: 999 })
  const exponent = fc.oneof(fc.integer({ min: -60, max: 40 }), fc.constantFrom(-16_000, 131_000))
  /** A number as text, and whether it is plain. */
  const number = fc.tuple(digits, exponent).map(([whole, power]) => ({
    json: `${whole}e${power}`,
    plain: -power <= 50 && (whole === 0 || String(Math.abs(whole)).length + power <= 30),
  }))
  const leaf = fc.oneof(number, fc.constantFrom({ json: '"1e131000"', plain: true }, { json: 'null', plain: true }, { json: 'true', plain: true }))
  const { any } = fc.letrec<{ any: { json: string, plain: boolean } }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('any'), { maxLength: 4 }).map((all) => ({ json: `[${all.map(({ json }) => json).join()}]`, plain: all.every(({ plain }) => plain) })),
      fc.array(tie('any'), { maxLength: 4 }).map((all) => ({
        json: `{${all.map(({ json }, at) => `"${at}":${json}`).join()}}`,
        plain: all.every(({ plain }) => plain),
      })),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 50 }), async (some) => {
      const { rows } = await stack.owner.query<{ plain: boolean }>(
        'select private.plain_numbers(json::jsonb) as plain from unnest($1::text[]) with ordinality as t (json, at) order by at',
        [some.map(({ json }) => json)],
      )
      expect(rows.map(({ plain }) => plain)).toEqual(some.map(({ plain }) => plain))
    }),
    { numRuns: 40 },
  )
})
