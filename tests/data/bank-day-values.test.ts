/**
 * The days and moments that a client may send for a transaction, the changes of its booking day, and
 * their undo.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import { datesOf, from, rent, type Row } from './bank-day-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const newCaller = async () => stack.as(await stack.person())

describe('a client that changes a transaction of the 1st of March', () => {
  const march = { transaction_date: '2025-02-28T23:00:00+00:00', booked_on: '2025-03-01' }
  const kept = { ...march }
  test.each<[string, Row, Row, string?]>([
    ['sends the moment back as it was read', {
      transaction_date: march.transaction_date,
      name: 'x',
    }, kept],
    ['sends both back as they were read', { ...march, name: 'x' }, kept],
    ['sends another moment', { transaction_date: '2025-03-01T09:30:00Z' }, {
      transaction_date: '2025-03-01T09:30:00+00:00',
      booked_on: null,
    }],
    ['sends another day', { transaction_date: '2025-03-05' }, {
      transaction_date: '2025-03-05T00:00:00+00:00',
      booked_on: '2025-03-05',
    }],
    [
      'sends another day in Tokyo',
      { transaction_date: '2025-03-05' },
      { transaction_date: '2025-03-04T15:00:00+00:00', booked_on: '2025-03-05' },
      'Asia/Tokyo',
    ],
    ['sets the day alone', { booked_on: '2025-03-05' }, {
      transaction_date: '2025-03-05T00:00:00+00:00',
      booked_on: '2025-03-05',
    }],
    ['sets the day and sends the moment as it was read', { ...march, booked_on: '2025-03-05' }, {
      transaction_date: '2025-03-05T00:00:00+00:00',
      booked_on: '2025-03-05',
    }],
    ['takes the day away', { booked_on: null }, { ...march, booked_on: null }],
    [
      'says when on that day',
      { transaction_date: '2025-03-01T18:30:00Z', booked_on: '2025-03-01' },
      {
        transaction_date: '2025-03-01T18:30:00+00:00',
        booked_on: '2025-03-01',
      },
    ],
    ['sets day and moment of another', {
      transaction_date: '2025-03-05T18:30:00Z',
      booked_on: '2025-03-05',
    }, {
      transaction_date: '2025-03-05T18:30:00+00:00',
      booked_on: '2025-03-05',
    }],
    ['sends the same day twice', { transaction_date: '2025-03-05', booked_on: '2025-03-05' }, {
      transaction_date: '2025-03-05T00:00:00+00:00',
      booked_on: '2025-03-05',
    }],
    ['changes something else', { name: 'x' }, kept],
  ])('%s', async (_, change, expected, zone = 'UTC') => {
    const caller = await newCaller()
    const { id } =
      (await caller.post('/transactions', rent, from('Europe/Berlin', ',return=representation')))
        .body[0]
    expect((await caller.patch(`/transactions?id=eq.${id}`, change, from(zone))).status).toBe(204)
    expect(await datesOf(caller, id)).toEqual(expected)
    // The upsert of the same columns is the same change. It may also insert a row, so its two dates
    // must agree.
    if (
      change['booked_on'] === '2025-03-05' && change['transaction_date'] === march.transaction_date
    ) return
    const again =
      (await caller.post('/transactions', rent, from('Europe/Berlin', ',return=representation')))
        .body[0]
    const merged = await caller.post('/transactions', {
      id: again.id,
      amount: -900,
      name: 'Rent',
      ...change,
    }, from(zone, ',resolution=merge-duplicates'))
    expect(merged.status, merged.text).toBe(200)
    expect(await datesOf(caller, again.id)).toEqual(expected)
  })

  test.each<[Row]>([
    [{ transaction_date: '2025-03-05', booked_on: '2025-03-06' }],
    [{ transaction_date: '2025-03-05', booked_on: '2025-03-01' }],
    [{ transaction_date: '2025-03-05T12:00:00Z', booked_on: '2025-03-07' }],
    [{ transaction_date: '2025-03-05T12:00:00Z', booked_on: '2025-03-03' }],
    [{ booked_on: '1899-12-31' }],
    [{ booked_on: '2200-01-02' }],
    [{ booked_on: 'soon' }],
  ])(
    'a client that changes a transaction of the 1st of March that sends %j is refused with a hint, and so is a creation',
    async (change) => {
      const caller = await newCaller()
      const made = await caller.create('transactions', rent)
      for (
        const answer of [
          await caller.patch(`/transactions?id=eq.${made.id}`, change),
          await caller.post('/transactions', { ...rent, transaction_date: undefined, ...change }),
          await caller.post('/transactions', {
            ...rent,
            ...change,
            id: made.id,
            transaction_date: change['transaction_date'],
          }, {
            prefer: 'resolution=merge-duplicates',
          }),
        ]
      ) {
        expect(answer.status, answer.text).toBe(400)
        expect(answer.body.hint).toMatch(/booked_on|transaction_date|YYYY-MM-DD/)
      }
      expect((await caller.get('/transactions?select=booked_on,name')).body).toEqual([{
        booked_on: '2025-03-01',
        name: 'Rent',
      }])
    },
  )
})

test('a client that sends only the day stores the first moment of that day', async () => {
  const caller = await newCaller()
  const row = (await caller.post(
    '/transactions',
    { name: 'Day', amount: 1, booked_on: '2025-03-01' },
    from('Asia/Tokyo', ',return=representation'),
  )).body[0]
  expect(await datesOf(caller, row.id)).toEqual({
    transaction_date: '2025-02-28T15:00:00+00:00',
    booked_on: '2025-03-01',
  })
})

test.each([
  'today',
  'now',
  'Jan 1 2025',
  '2025-01-01Z',
  '2025.001',
  '2025-01-01 Europe/Berlin',
  '1 Jan 2025 10:00',
  '01.02.2025',
  '01/02/2025',
  '2025-W01-1',
  '20250301T100000Z',
])(
  'neither a day nor a moment is "%s": 400, and nothing is stored',
  async (transaction_date) => {
    const caller = await newCaller()
    const { status, body } = await caller.post('/transactions', { ...rent, transaction_date })
    expect([status, body.hint]).toEqual([
      400,
      expect.stringContaining('Use YYYY-MM-DD, such as 2025-01-31'),
    ])
    expect((await caller.get('/transactions')).body).toEqual([])
  },
)

test.each([
  '2025-03-01T10:00Z',
  '2025-03-01T10:00:00.123456Z',
  '2025-03-01 10:00:00+00',
  '2025-03-01T12:00:00+02:00',
  '2025-03-01t10:00:00z',
])(
  'a moment is %s',
  async (transaction_date) => {
    const caller = await newCaller()
    const { id } = await caller.create('transactions', { ...rent, transaction_date })
    const dates = await datesOf(caller, id)
    expect(dates).toEqual({
      transaction_date: expect.stringMatching(/^2025-03-01T10:00:00(\.123456)?\+00:00$/),
      booked_on: null,
    })
  },
)

test('a displacement of a zone that does not exist is 400 22008', async () => {
  const caller = await newCaller()
  expect(
    await caller.post('/transactions', { ...rent, transaction_date: '2025-01-01T00:00:00+99:00' }),
  ).toMatchObject({ status: 400, body: { code: '22008' } })
})

test.each(['today', '2025.001', 'Jan 1 2025'])(
  'a day is not "%s" in the other tables',
  async (starts_on) => {
    const caller = await newCaller()
    const { status, body } = await caller.post('/subscriptions', {
      title: 'Gym',
      amount: 20,
      period: 'monthly',
      starts_on,
    })
    expect([status, body.hint]).toEqual([400, 'Use YYYY-MM-DD, such as 2025-01-31.'])
  },
)

test.each([
  '9999-01-01',
  '10114-05-01',
  '12000-01-01T00:00:00Z',
  '10000-06-15T00:00:00+00:00',
  'infinity',
  '1850-01-01',
])(
  'a client that sends the year of %s has no day by it, but 400',
  async (transaction_date) => {
    const caller = await newCaller()
    const { id } = await caller.create('transactions', rent)
    for (
      const answer of [
        await caller.post('/transactions', { ...rent, transaction_date }),
        await caller.patch(`/transactions?id=eq.${id}`, { transaction_date }),
      ]
    )
      expect(answer.body).toMatchObject({
        code: '23514',
        message: expect.stringContaining('transactions_date_in_range'),
      })
  },
)

test('a user who undoes a change of the day, or a deletion, restores the day', async () => {
  const caller = await newCaller()
  const { id } =
    (await caller.post('/transactions', rent, from('Europe/Berlin', ',return=representation')))
      .body[0]
  const before = await datesOf(caller, id)
  const undo = async () => {
    const [last] = (await caller.get('/activity?order=id.desc&limit=1')).body
    expect((await caller.post('/rpc/undo', { p_activity_id: last.id })).status).toBe(200)
  }
  for (
    const change of [{ transaction_date: '2025-03-01' }, {
      transaction_date: '2025-07-01T12:00:00Z',
    }, { booked_on: null }]
  ) {
    await caller.patch(`/transactions?id=eq.${id}`, change, from('America/New_York'))
    await undo()
    expect(await datesOf(caller, id)).toEqual(before)
  }
  await caller.delete(`/transactions?id=eq.${id}`)
  await undo()
  expect(await datesOf(caller, id)).toEqual(before)
})
