/** An import can be replayed: its rows are recognized by context, source and external_id. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Account, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller
let ours: Caller
let bobs: Caller
let bobsOwn: Caller
let bob: Account

beforeAll(async () => {
  stack = await dataStack()
  const ada = await stack.person('ada')
  bob = await stack.person('bob')
  const team = await stack.organization({ owner: ada, editor: bob })
  mine = stack.as(ada)
  ours = stack.as(ada, team)
  bobs = stack.as(bob, team)
  bobsOwn = stack.as(bob)
})
afterAll(() => stack.stop())

let batches = 0
/** Three rows with a source of their own. */
const statement = () => {
  const source = `bank ${++batches}`
  return {
    source,
    rows: [1, 2, 3].map((n) => ({ name: `row ${n}`, amount: n, source, external_id: String(n) })),
  }
}
const upsert = (resolution: string) => ({
  prefer: `return=representation,resolution=${resolution}-duplicates`,
})
const stored = async (caller: Caller, source: string) =>
  (await caller.get(`/transactions?source=eq.${source}&order=external_id`)).body

describe.each(['/transactions', '/transactions?on_conflict=id'])('POST %s', (path) => {
  test.each(['personal', 'team'])(
    'leaves one row each after a replay, in the %s context',
    async (context) => {
      const caller = context === 'team' ? ours : mine
      const { source, rows } = statement()
      expect((await caller.post(path, rows, upsert('ignore'))).status).toBe(201)
      const first = await stored(caller, source)
      expect(first).toHaveLength(3)
      expect(
        await caller.post(path, rows.map((row) => ({ ...row, name: 'ignored' })), upsert('ignore')),
      ).toMatchObject({ status: 201, body: [] })
      expect(await stored(caller, source)).toEqual(first)
      const merged = await caller.post(
        path,
        rows.map((row) => ({ ...row, name: 'merged' })),
        upsert('merge'),
      )
      expect(merged).toMatchObject({
        status: 200,
        body: [{ name: 'merged' }, { name: 'merged' }, { name: 'merged' }],
      })
      const second = await stored(caller, source)
      expect(second.map((row: { id: string }) => row.id)).toEqual(
        first.map((row: { id: string }) => row.id),
      )
      // One new row among old ones.
      await caller.post(
        path,
        [...rows, { name: 'row 4', amount: 4, source, external_id: '4' }],
        upsert('ignore'),
      )
      expect(await stored(caller, source)).toHaveLength(4)
    },
  )

  test('by another member of the team replays without second rows, and the first importer stays the user', async () => {
    const { source, rows } = statement()
    await ours.post(path, rows, upsert('merge'))
    const first = await stored(ours, source)
    for (const resolution of ['ignore', 'merge'])
      expect((await bobs.post(path, rows, upsert(resolution))).status).toBeLessThan(300)
    expect(
      (await bobs.post(path, rows.map((row) => ({ ...row, user_id: bob.id })), upsert('merge')))
        .status,
    ).toBe(200)
    expect(
      (await stored(ours, source)).map((
        row: { id: string, user_id: string },
      ) => [row.id, row.user_id]),
    )
      .toEqual(first.map((row: { id: string, user_id: string }) => [row.id, row.user_id]))
  })

  test('in two contexts never conflicts', async () => {
    const { source, rows } = statement()
    for (const caller of [mine, ours, bobsOwn])
      expect((await caller.post(path, rows, upsert('merge'))).status).toBe(201)
    expect(await stored(mine, source)).toHaveLength(3)
    expect(await stored(ours, source)).toHaveLength(6)
    expect(await stored(bobsOwn, source)).toHaveLength(3)
  })
})

test('a replay of CSV leaves one row each', async () => {
  const csv = 'name,amount,source,external_id\na,1,csv,1\nb,2,csv,2'
  for (let time = 0; time < 2; time++) {
    expect(
      (await mine.post('/transactions', csv, {
        'content-type': 'text/csv',
        prefer: 'resolution=merge-duplicates',
      })).status,
    ).toBe(time === 0 ? 201 : 200)
  }
  expect(await stored(mine, 'csv')).toHaveLength(2)
})

test('the same rows, imported twice at the same time, are stored once', async () => {
  const { source, rows } = statement()
  const many = Array.from({ length: 200 }, (_, n) => ({ ...rows[0], external_id: String(n) }))
  const answers = await Promise.all(
    [ours, bobs, ours, bobs].map((caller, n) =>
      caller.post('/transactions', many, upsert(n % 2 === 0 ? 'merge' : 'ignore'))
    ),
  )
  for (const answer of answers) expect(answer.status).toBeLessThan(300)
  expect(await stored(ours, source)).toHaveLength(200)
})

test('an import without a resolution is 409 for an existing row, and stores no row', async () => {
  const { source, rows } = statement()
  await mine.post('/transactions', rows.slice(0, 1))
  expect(await mine.post('/transactions', rows)).toMatchObject({
    status: 409,
    body: { code: '23505' },
  })
  expect(await stored(mine, source)).toHaveLength(1)
})

test('an import with the same row twice is 400 for a merge, and stores one row for an ignore', async () => {
  const { source, rows } = statement()
  expect(await mine.post('/transactions', [rows[0], rows[0]], upsert('merge'))).toMatchObject({
    status: 400,
    body: { code: '21000' },
  })
  expect((await mine.post('/transactions', [rows[0], rows[0]], upsert('ignore'))).status).toBe(201)
  expect(await stored(mine, source)).toHaveLength(1)
})

test('rows without an external_id never conflict', async () => {
  const { source, rows } = statement()
  const anonymous = rows.map(({ name, amount }) => ({ name, amount, source }))
  for (let time = 0; time < 2; time++)
    expect((await mine.post('/transactions', anonymous, upsert('merge'))).status).toBe(201)
  expect(await stored(mine, source)).toHaveLength(6)
})

test("a PUT or update to another row's external_id is 409", async () => {
  const { source, rows } = statement()
  await mine.post('/transactions', rows)
  const [one, two] = await stored(mine, source)
  expect(await mine.patch(`/transactions?id=eq.${one.id}`, { external_id: two.external_id }))
    .toMatchObject({ status: 409, body: { code: '23505' } })
  const id = crypto.randomUUID()
  expect(await mine.put(`/transactions?id=eq.${id}`, { ...one, id })).toMatchObject({
    status: 409,
    body: { code: '23505' },
  })
  expect(await stored(mine, source)).toEqual([one, two, expect.anything()])
})
