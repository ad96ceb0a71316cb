/** Nobody takes the data surface from the others, and nobody quick is refused. Source: docs/decisions/data/share-the-connections-by-user.md. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { placesOf } from '../../db/migrate.ts'
import { dataStack, type Answer, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let slow: Caller
let other: Caller

beforeAll(async () => {
  stack = await dataStack()
  slow = stack.as(await stack.person('slow'))
  other = stack.as(await stack.person('other'))
  // a function of this test's database alone: a request that takes as long as it is told, and no processor
  await stack.owner.query(`
    create function api.wait(seconds numeric) returns text language sql volatile return (select pg_sleep(seconds))::text;
    grant execute on function api.wait(numeric) to anon, authenticated;
    notify pgrst, 'reload schema'`)
  await vi.waitFor(async () => expect((await slow.post('/rpc/wait', { seconds: 0 })).status).toBe(200), { timeout: 5_000 })
})
afterAll(() => stack.stop())

const times = <Result>(count: number, work: () => Promise<Result>): Promise<Result[]> => Promise.all(Array.from({ length: count }, work))
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b)

test.each(['a signed-in person', 'everybody without a token together'])(
  '%s with forty slow requests at a time: others read all the while, and the rest is refused at once',
  async (who) => {
    const caller = who === 'a signed-in person' ? slow : stack.anonymous
    const over = new AbortController()
    const flood = times(40, () => caller.post('/rpc/wait', { seconds: 1.5 })).finally(() => over.abort())
    const seen: number[] = []
    while (!over.signal.aborted) seen.push((await other.get('/transactions?limit=1')).status)
    const answers = await flood
    expect(new Set(seen)).toEqual(new Set([200]))
    // more than a hold on every connection for one and a half seconds would have let through
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

test('a place is given back with the answer, also when the request fails', async () => {
  await times(12, () => slow.post('/rpc/wait', { seconds: 'not a number' }))
  expect(statuses(await times(8, () => slow.get('/transactions?limit=1')))).toEqual([200])
})

test('who waits in vain for a place is told so, also without a token: 429, and not that the statement took too long', async () => {
  // the owner's locks stand for requests that never end
  const places = 'generate_series(1, 3) as place'
  await stack.owner.query(`select pg_advisory_lock(hashtext(''), place) from ${places}`)
  try {
    expect(await stack.anonymous.get('/transactions?limit=1')).toMatchObject({ status: 429, body: { code: '53400' } })
    // preferences are read only with a place
    expect(await stack.anonymous.get('/transactions?limit=1', { prefer: 'timezone=Nowhere' })).toMatchObject({ status: 429, body: { code: '53400' } })
  } finally {
    await stack.owner.query(`select pg_advisory_unlock(hashtext(''), place) from ${places}`)
  }
})

test.each(['a signed-in person', 'an anonymous caller'])(
  '%s sends preferences of 500 characters at most, because reading them costs the square of their length',
  async (who) => {
    const caller = who === 'a signed-in person' ? slow : stack.anonymous
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

test('fifty quick callers with one token are not refused once', async () => {
  const answers = await times(50, async () => {
    const own: Answer[] = []
    for (let asked = 0; asked < 10; asked++) own.push(await other.get('/transactions?limit=1'))
    return own
  })
  expect(statuses(answers.flat())).toEqual([200])
})

test('a page that asks for eight things at once, each a fifth of a second long, gets them all', async () => {
  expect(statuses(await times(8, () => other.post('/rpc/wait', { seconds: 0.2 })))).toEqual([200])
})

test('the share follows the pool', () => {
  expect([1, 3, 6, 12, 24, 60].map(placesOf)).toEqual([
    { perPerson: 1, ofAnonymous: 1 },
    { perPerson: 1, ofAnonymous: 1 },
    { perPerson: 2, ofAnonymous: 1 },
    { perPerson: 4, ofAnonymous: 2 },
    { perPerson: 8, ofAnonymous: 4 },
    { perPerson: 20, ofAnonymous: 10 },
  ])
})
