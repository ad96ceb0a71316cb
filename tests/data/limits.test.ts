/** Limits of one request: time, locks and rows. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller

beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person())
})
afterAll(() => stack.stop())

test('PostgREST applies the limits of its role to each request', async () => {
  // The function exists only in the database of this test. The notification is the one of
  // db/migrate.ts.
  await stack.owner.query(`
    create function api.settings_of_this_request() returns jsonb language sql stable
      return jsonb_build_object('statement', current_setting('statement_timeout'), 'lock', current_setting('lock_timeout'),
        'idle', current_setting('idle_in_transaction_session_timeout'), 'zone', current_setting('TimeZone'));
    grant execute on function api.settings_of_this_request() to anon, authenticated;
    notify pgrst, 'reload schema'`)
  await expect.poll(async () => (await mine.get('/rpc/settings_of_this_request')).status).toBe(200)
  expect((await mine.get('/rpc/settings_of_this_request')).body).toEqual({
    statement: '8s',
    lock: '5s',
    idle: '15s',
    zone: 'UTC',
  })
  expect((await stack.anonymous.get('/rpc/settings_of_this_request')).body).toEqual({
    statement: '2s',
    lock: '1s',
    idle: '15s',
    zone: 'UTC',
  })
})

test('a statement that takes too long is cancelled, with an error in the usual format', async () => {
  await stack.owner.query(`
    create function api.wait(seconds integer) returns text language sql volatile return (select pg_sleep(seconds))::text;
    grant execute on function api.wait(integer) to anon;
    notify pgrst, 'reload schema'`)
  await expect.poll(async () => (await stack.anonymous.post('/rpc/wait', { seconds: 0 })).status)
    .toBe(200)
  expect(await stack.anonymous.post('/rpc/wait', { seconds: 10 })).toMatchObject({
    status: 500,
    body: {
      code: '57014',
      message: 'canceling statement due to statement timeout',
      details: null,
      hint: null,
    },
  })
})

test('one response has a limited number of rows, and further pages have the rest', async () => {
  await stack.owner.query(
    `insert into api.tags (name, user_id) select 'tag ' || n, (select id from auth.users limit 1) from generate_series(1, 10050) n`,
  )
  const { body, headers } = await mine.get('/tags?select=id', { prefer: 'count=exact' })
  expect([body.length, headers.get('content-range')]).toEqual([10_000, '0-9999/10050'])
  expect((await mine.get('/tags?select=id&limit=20000')).body).toHaveLength(10_000)
  expect((await mine.get('/tags?select=id&offset=10000')).body).toHaveLength(50)
})

test.each(['a user', 'an anonymous caller'])(
  '%s sends preferences of 500 characters at most, because reading them costs the square of their length',
  async (who) => {
    const caller = who === 'a user' ? mine : stack.anonymous
    const prefer = (length: number) => ({
      prefer: `timezone=Europe/Berlin${' '.repeat(length - 25)}, x`,
    })
    expect((await caller.get('/transactions?limit=1', prefer(500))).status).toBe(200)
    for (const length of [501, 15_500]) {
      expect(await caller.get('/transactions?limit=1', prefer(length))).toMatchObject({
        status: 400,
        body: {
          code: '22023',
          message: 'the Prefer header is longer than 500 characters',
          hint: expect.stringContaining('preferences'),
        },
      })
    }
  },
)
