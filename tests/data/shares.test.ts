/**
 * Fair share: no user can occupy all connections of the data surface, and no quick request is refused. Source:
 * docs/decisions/data/share-the-connections-by-user.md.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { slotsOf } from '../../db/migrate.ts'
import { dataStack, type Answer, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let slow: Caller
let other: Caller

beforeAll(async () => {
  stack = await dataStack()
  slow = stack.as(await stack.person('slow'))
  other = stack.as(await stack.person('other'))
  // This function exists only in the database of this test. It is a request that takes the given time without using a processor.
  await stack.owner.query(`
    create function api.wait(seconds numeric) returns text language sql volatile return (select pg_sleep(seconds))::text;
    grant execute on function api.wait(numeric) to anon, authenticated;
    notify pgrst, 'reload schema'`)
  await vi.waitFor(async () => expect((await slow.post('/rpc/wait', { seconds: 0 })).status).toBe(200), { timeout: 30_000 })
})
afterAll(() => stack.stop())

const times = <Result>(count: number, work: () => Promise<Result>): Promise<Result[]> => Promise.all(Array.from({ length: count }, work))
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b)

test.each(['a signed-in user', 'all callers without a token together'])(
  '%s with forty slow requests at a time: others read all the while, and the rest is refused at once',
  async (who) => {
    const caller = who === 'a signed-in user' ? slow : stack.anonymous
    const over = new AbortController()
    const flood = times(40, () => caller.post('/rpc/wait', { seconds: 1.5 })).finally(() => over.abort())
    const seen: number[] = []
    while (!over.signal.aborted) seen.push((await other.get('/transactions?limit=1')).status)
    const answers = await flood
    expect(new Set(seen)).toEqual(new Set([200]))
    // More than a user could get through if all connections were blocked for one and a half seconds.
    expect(seen.length).toBeGreaterThan(10)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(20)
    expect(statuses(answers)).toEqual([200, 429])
    for (const { body, headers } of refused) {
      expect(body).toEqual({ code: '53400', message: expect.stringContaining('too many'), details: null, hint: expect.any(String) })
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
  },
)

test("a user's slot is released with the response, also if the request fails", async () => {
  await times(12, () => slow.post('/rpc/wait', { seconds: 'not a number' }))
  expect(statuses(await times(8, () => slow.get('/transactions?limit=1')))).toEqual([200])
})

test('a request that waits too long for a slot gets 429 and not a statement timeout, also without a token', async () => {
  // The owner's locks simulate requests that never end.
  const allSlots = 'generate_series(1, 3) as place'
  await stack.owner.query(`select pg_advisory_lock(hashtext(''), place) from ${allSlots}`)
  try {
    expect(await stack.anonymous.get('/transactions?limit=1')).toMatchObject({ status: 429, body: { code: '53400' } })
    // preferences are read only with a place
    expect(await stack.anonymous.get('/transactions?limit=1', { prefer: 'timezone=Nowhere' })).toMatchObject({ status: 429, body: { code: '53400' } })
  } finally {
    await stack.owner.query(`select pg_advisory_unlock(hashtext(''), place) from ${allSlots}`)
  }
})

test.each(['a signed-in user', 'an anonymous caller'])(
  '%s sends preferences of 500 characters at most, because reading them costs the square of their length',
  async (who) => {
    const caller = who === 'a signed-in user' ? slow : stack.anonymous
    const prefer = (length: number) => ({ prefer: `timezone=Europe/Berlin${' '.repeat(length - 25)}, x` })
    expect((await caller.get('/transactions?limit=1', prefer(500))).status).toBe(200)
    for (const length of [501, 15_500]) {
      expect(await caller.get('/transactions?limit=1', prefer(length))).toMatchObject({
        status: 400,
        body: { code: '22023', message: 'the preferences are longer than 500 characters', hint: expect.stringContaining('Prefer') },
      })
    }
  },
)

test('none of fifty quick requests with one token is refused', async () => {
  const answers = await times(50, async () => {
    const responses: Answer[] = []
    for (let count = 0; count < 10; count++) responses.push(await other.get('/transactions?limit=1'))
    return responses
  })
  expect(statuses(answers.flat())).toEqual([200])
})

test('a page that sends eight requests at once, each a fifth of a second long, gets all responses', async () => {
  expect(statuses(await times(8, () => other.post('/rpc/wait', { seconds: 0.2 })))).toEqual([200])
})

test('the share depends on the pool size', () => {
  expect([1, 3, 6, 12, 24, 60].map(slotsOf)).toEqual([
    { perUser: 1, anonymous: 1 },
    { perUser: 1, anonymous: 1 },
    { perUser: 2, anonymous: 1 },
    { perUser: 4, anonymous: 2 },
    { perUser: 8, anonymous: 4 },
    { perUser: 20, anonymous: 10 },
  ])
})
