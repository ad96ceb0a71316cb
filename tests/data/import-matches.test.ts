/** Imports of rows that are there under another id: entered by hand, recorded, announced. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import {
  judge,
  lunch,
  send,
  store,
  stored,
  undoLast,
  userOf,
  verdicts,
  type Row,
} from './import-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const user = () => userOf(stack)
const one = async (caller: Caller, id: string): Promise<Row> =>
  (await caller.get(`/transactions?id=eq.${id}&select=*,tags(name)`)).body[0]
const withoutTimes = (row: Row): Row => ({ ...row, updated_at: '' })

test('a row that the user entered first takes the id and the day of the bank, and keeps name, category, tags and notes', async () => {
  const { caller, more, entered } = await user()
  const category = await caller.create('categories', { name: 'Food' })
  const tag = await caller.create('tags', { name: 'work' })
  const mine = await entered({
    category_id: category.id,
    description: 'Bo owes me half',
    status: 'pending',
  })
  await caller.create('transaction_tags', { transaction_id: mine['id'], tag_id: tag.id })
  const [row] = await store(caller, [lunch], more)
  expect(row).toMatchObject({
    row_number: 1,
    verdict: 'matched',
    reason: 'entered as "Lunch with Bo" on 2025-03-01',
    transaction_id: mine['id'],
  })
  expect(await one(caller, mine['id'])).toMatchObject({
    name: 'Lunch with Bo',
    category_id: category.id,
    description: 'Bo owes me half',
    tags: [{ name: 'work' }],
    source: 'bank',
    external_id: 'b-1',
    booked_on: '2025-03-03',
    status: 'paid',
    reference_no: 'R-9',
    import_id: null,
  })
  expect(await stored(caller)).toHaveLength(1)
  expect((await caller.get('/imports')).body).toMatchObject([{ row_count: 1 }])
  expect(await store(caller, [lunch], more)).toMatchObject([{
    verdict: 'duplicate',
    reason: null,
    transaction_id: mine['id'],
  }])
})

test('a row that the user entered first stays pending if the bank says so, and is paid by the next file', async () => {
  const { caller, more, entered } = await user()
  const mine = await entered()
  expect(verdicts(await store(caller, [{ ...lunch, status: 'pending' }], more))).toBe('matched')
  expect(await one(caller, mine['id'])).toMatchObject({ status: 'pending' })
  expect(verdicts(await store(caller, [{ ...lunch, transaction_date: '2025-03-04' }], more))).toBe(
    'updated',
  )
  expect(await one(caller, mine['id'])).toMatchObject({
    status: 'paid',
    booked_on: '2025-03-04',
    name: 'Lunch with Bo',
  })
  expect(verdicts(await store(caller, [{ ...lunch, transaction_date: '2025-03-04' }], more))).toBe(
    'duplicate',
  )
  expect(verdicts(await store(caller, [{ ...lunch, status: 'pending' }], more))).toBe('changed')
  await caller.patch(`/transactions?id=eq.${mine['id']}`, { amount: -13 })
  expect(verdicts(await store(caller, [{ ...lunch, transaction_date: '2025-03-05' }], more))).toBe(
    'changed',
  )
})

test.each<[string, Row, Row]>([
  ['six days away', { transaction_date: '2025-02-25' }, {}],
  ['of another amount', { amount: -12.51 }, {}],
  ['of the opposite amount', { amount: 12.5 }, {}],
  ['that failed', { status: 'failed' }, {}],
  ['if matching is off', {}, { p_match: false }],
])('a row that the user entered first is not matched: a row %s', async (_, row, more) => {
  const { caller, giro, entered } = await user()
  await entered(row)
  expect(await store(caller, [lunch], { p_account_id: giro, ...more })).toMatchObject([{
    verdict: 'new',
    reason: null,
  }])
  expect(await stored(caller)).toHaveLength(2)
})

test('a row that the user entered first is not matched in another account, in another context, or after it got an id of the same source', async () => {
  const { caller, giro, savings, more, entered } = await user()
  await entered({ account_id: savings })
  await entered({ account_id: null })
  await caller.create('transactions', {
    name: 'Known',
    amount: -12.5,
    transaction_date: '2025-03-03',
    account_id: giro,
    source: 'bank',
    external_id: 'b-0',
  })
  const other = await user()
  await other.entered()
  expect(verdicts(await store(caller, [lunch], more))).toBe('new')
})

test('a row that the user entered first without an account is matched by a file without an account', async () => {
  const { caller, entered } = await user()
  const mine = await entered({ account_id: null })
  expect(verdicts(await judge(caller, [{ ...lunch, currency: 'usd' }]))).toBe('matched')
  expect(await judge(caller, [{ ...lunch, currency: 'eur' }])).toMatchObject([{ verdict: 'new' }])
  expect((await store(caller, [{ ...lunch, currency: 'usd' }]))[0]).toMatchObject({
    transaction_id: mine['id'],
  })
})

test('a row that the user entered first is used once: the nearest day first, then the more similar name', async () => {
  const { caller, more, entered } = await user()
  const far = await entered({ name: 'Restaurant', transaction_date: '2025-02-27' })
  const other = await entered({ name: 'Other', transaction_date: '2025-03-02' })
  const similar = await entered({ name: 'The Restaurant', transaction_date: '2025-03-04' })
  const file = ['b-1', 'b-2', 'b-3', 'b-4'].map((external_id) => ({ ...lunch, external_id }))
  const rows = await store(caller, file, more)
  expect(rows.map(({ transaction_id }) => transaction_id).slice(0, 3)).toEqual([
    similar['id'],
    other['id'],
    far['id'],
  ])
  expect(verdicts(rows)).toBe('matched matched matched new')
  expect(verdicts(await store(caller, file.toReversed(), more))).toBe(
    'duplicate duplicate duplicate duplicate',
  )
})

describe('among equal purchases of several days has the row of its own day', () => {
  const coffee = (day: number, row: Row = {}) => ({
    name: 'COFFEE 12',
    amount: -3,
    transaction_date: `2025-03-0${day}`,
    external_id: `d-${day}`,
    ...row,
  })
  const books = async (caller: Caller) =>
    (await stored(caller)).map((
      { booked_on, name, category_id },
    ) => [booked_on, name, category_id !== null])

  test.each([['with ids', {}], ['without ids', { external_id: undefined }]])(
    'a row that the user entered first among equal purchases of several days has the row of its own day in every order of the files, %s',
    async (_, row) => {
      const [monday, tuesday] = [coffee(3, row), coffee(4, row)]
      for (
        const files of [[[tuesday], [monday]], [[monday], [tuesday]], [[monday, tuesday]], [[
          tuesday,
          monday,
        ]], [[tuesday], [monday, tuesday]]]
      ) {
        const { caller, more, entered } = await user()
        const { id: category_id } = await caller.create('categories', { name: 'Coffee' })
        const mine = await entered({
          name: 'Coffee',
          amount: -3,
          transaction_date: '2025-03-03',
          category_id,
          description: 'mine',
        })
        for (const file of files) await store(caller, file, more)
        expect(await books(caller)).toEqual([['2025-03-03', 'Coffee', true], [
          '2025-03-04',
          'COFFEE 12',
          false,
        ]])
        expect(await one(caller, mine['id'])).toMatchObject({
          booked_on: '2025-03-03',
          description: 'mine',
        })
        for (const file of [...files, [monday], [tuesday], [monday, tuesday]])
          expect(verdicts(await store(caller, file, more))).toBe(
            file.map(() => 'duplicate').join(' '),
          )
      }
    },
  )

  test('a row that the user entered first among equal purchases of several days has the row of its own day and a row that loses it takes another one that was entered', async () => {
    for (const files of [[4, 3, 5], [3, 4, 5], [5, 4, 3], [4, 5, 3]]) {
      const { caller, more, entered } = await user()
      await entered({ name: 'First', amount: -3, transaction_date: '2025-03-03' })
      await entered({ name: 'Second', amount: -3, transaction_date: '2025-03-06' })
      for (const day of files) await store(caller, [coffee(day)], more)
      expect((await books(caller)).map(([day, name]) => [day, name]), String(files))
        .toEqual([['2025-03-03', 'First'], ['2025-03-04', 'COFFEE 12'], ['2025-03-05', 'Second']])
    }
  })

  test('a row that the user entered first among equal purchases of several days has the row of its own day and the deletion or the undo of the import gives the former row back', async () => {
    const { caller, more, entered } = await user()
    await entered({ name: 'Coffee', amount: -3, transaction_date: '2025-03-03' })
    await store(caller, [coffee(4, { reference_no: 'R-4' })], more)
    const before = (await stored(caller)).map(withoutTimes)
    expect(await judge(caller, [coffee(3)], more)).toMatchObject([{
      verdict: 'matched',
      reason:
        'entered as "Coffee" on 2025-03-03; the row from 2025-03-04 that was matched to this transaction will be matched again',
    }])
    for (
      const revert of [() => caller.delete('/imports?file_name=eq.monday'), () => undoLast(caller)]
    ) {
      expect(
        verdicts(
          await store(caller, [coffee(3, { reference_no: 'R-3' })], {
            ...more,
            p_file_name: 'monday',
          }),
        ),
      ).toBe('matched')
      const after = (await stored(caller)).map(withoutTimes)
      expect(after).toMatchObject([{ name: 'Coffee', external_id: 'd-3', reference_no: 'R-3' }, {
        name: 'COFFEE 12',
        reference_no: 'R-4',
      }])
      expect((await revert()).status).toBeLessThan(300)
      expect((await stored(caller)).map(withoutTimes)).toEqual(before)
      expect((await undoLast(caller)).status).toBe(200)
      expect((await stored(caller)).map(withoutTimes)).toEqual(after)
      expect((await undoLast(caller)).status).toBe(200)
    }
    expect(verdicts(await judge(caller, [coffee(4, { reference_no: 'R-4' })], more))).toBe(
      'duplicate',
    )
  })

  test('a row that the user entered first among equal purchases of several days has the row of its own day unless the user has edited it since', async () => {
    const { caller, more, entered } = await user()
    await entered({ name: 'Coffee', amount: -3, transaction_date: '2025-03-03' })
    await store(caller, [coffee(4)], more)
    await caller.patch('/transactions', { name: 'With Bo' })
    expect(verdicts(await store(caller, [coffee(3)], more))).toBe('new')
  })
})

test('a row that the user entered first is as it was after the import is deleted or undone, and 409 if it was edited since', async () => {
  const { caller, more, entered } = await user()
  const mine = await entered({ status: 'pending', transaction_date: '2025-03-01T12:30:00Z' })
  const before = withoutTimes(await one(caller, mine['id']))
  for (const revert of [() => caller.delete('/imports'), () => undoLast(caller)]) {
    await store(
      caller,
      [lunch, { name: 'Tram', amount: -2.9, transaction_date: '2025-03-03' }],
      more,
    )
    expect((await revert()).status).toBeLessThan(300)
    expect([withoutTimes(await one(caller, mine['id'])), (await stored(caller)).length]).toEqual([
      before,
      1,
    ])
  }
  expect((await undoLast(caller)).status).toBe(200)
  expect(verdicts(await store(caller, [lunch], more))).toBe('duplicate')
  await caller.patch(`/transactions?id=eq.${mine['id']}`, { transaction_date: '2025-03-02' })
  expect(await caller.delete('/imports')).toMatchObject({ status: 409, body: { code: 'PT409' } })
  expect(await one(caller, mine['id'])).toMatchObject({
    external_id: 'b-1',
    booked_on: '2025-03-02',
  })
})

test('a row that the user entered first of a team is matched by another member, and a viewer can import nothing', async () => {
  const [ann, bob, vic] = [await stack.person(), await stack.person(), await stack.person()]
  const team = await stack.organization({ owner: ann, editor: bob, viewer: vic })
  const mine = await stack.as(ann, team).create('transactions', {
    name: 'Lunch',
    amount: -12.5,
    transaction_date: '2025-03-01',
  })
  expect((await send(stack.as(vic, team), [lunch])).status).toBe(403)
  expect(await store(stack.as(bob, team), [lunch])).toMatchObject([{
    verdict: 'matched',
    transaction_id: mine.id,
  }])
  expect(await stored(stack.as(ann, team))).toMatchObject([{ user_id: ann.id, external_id: 'b-1' }])
  expect(verdicts(await judge(stack.as(ann), [lunch]))).toBe('new')
})

test('a recorded occurrence of a subscription and the row of the bank become one transaction, and the day stays recorded', async () => {
  const { caller, giro, more } = await user()
  const rent = await caller.create('subscriptions', {
    title: 'Rent',
    amount: 900,
    currency: 'eur',
    period: 'monthly',
    starts_on: '2025-03-01',
    account_id: giro,
  })
  const recorded = (await caller.post('/rpc/record_subscription', {
    p_subscription_id: rent.id,
    due_on: '2025-03-01',
  })).body
  const file = [{
    name: 'LANDLORD LTD',
    amount: -900,
    transaction_date: '2025-03-03',
    external_id: 'b-1',
  }]
  expect(await store(caller, file, more)).toMatchObject([{
    verdict: 'matched',
    transaction_id: recorded.id,
  }])
  expect(await stored(caller)).toMatchObject([{
    name: 'Rent',
    external_id: 'b-1',
    source: 'bank',
    booked_on: '2025-03-03',
  }])
  const upcoming = async () =>
    (await caller.get('/rpc/get_upcoming?start_date=2025-03-01&end_date=2025-03-31')).body
  expect(await upcoming()).toMatchObject([{ due_on: '2025-03-01', is_recorded: true }])
  expect(
    (await caller.post('/rpc/record_subscription', {
      p_subscription_id: rent.id,
      due_on: '2025-03-01',
    })).body,
  ).toMatchObject({ id: recorded.id })
  expect(verdicts(await judge(caller, file, more))).toBe('duplicate')
  expect((await caller.delete('/imports')).status).toBe(204)
  expect(await stored(caller)).toMatchObject([{
    name: 'Rent',
    source: 'subscription',
    booked_on: '2025-03-01',
  }])
})

test('a recorded occurrence of a subscription takes the row with a word of its title before a nearer one without, in every order of the files', async () => {
  const gym = {
    name: 'FITNESS GYM 12',
    amount: -30,
    transaction_date: '2025-03-05',
    external_id: 'b-1',
  }
  const shop = {
    name: 'SHOE SHOP',
    amount: -30,
    transaction_date: '2025-03-01',
    external_id: 'b-2',
  }
  for (const files of [[[gym, shop]], [[shop, gym]], [[shop], [gym]], [[gym], [shop]]]) {
    const { caller, giro, more } = await user()
    const subscription = await caller.create('subscriptions', {
      title: 'Gym',
      amount: 30,
      currency: 'eur',
      period: 'monthly',
      starts_on: '2025-03-01',
      account_id: giro,
    })
    await caller.post('/rpc/record_subscription', {
      p_subscription_id: subscription.id,
      due_on: '2025-03-01',
    })
    for (const file of files) await store(caller, file, more)
    expect(
      (await stored(caller)).map((
        { name, booked_on, subscription_id },
      ) => [name, booked_on, subscription_id !== null]),
    )
      .toEqual([['SHOE SHOP', '2025-03-01', false], ['Gym', '2025-03-05', true]])
    for (const file of files)
      expect(new Set((await judge(caller, file, more)).map(({ verdict }) => verdict))).toEqual(
        new Set(['duplicate']),
      )
  }
})

test('a recorded occurrence of a subscription takes the nearest row if several have a word of its title, or none', async () => {
  for (const name of ['FITNESS GYM 12', 'SPORTS CLUB']) {
    const { caller, giro, more } = await user()
    const subscription = await caller.create('subscriptions', {
      title: 'Gym',
      amount: 30,
      currency: 'eur',
      period: 'monthly',
      starts_on: '2025-03-03',
      account_id: giro,
    })
    await caller.post('/rpc/record_subscription', {
      p_subscription_id: subscription.id,
      due_on: '2025-03-03',
    })
    const row = (day: number) => ({
      name,
      amount: -30,
      transaction_date: `2025-03-0${day}`,
      external_id: `b-${day}`,
    })
    for (const day of [1, 4]) await store(caller, [row(day)], more)
    expect(
      (await stored(caller)).map((
        { booked_on, subscription_id },
      ) => [booked_on, subscription_id !== null]),
    ).toEqual([['2025-03-01', false], [
      '2025-03-04',
      true,
    ]])
  }
})

test('a row that the bank announced as pending is booked under another id and on another day, and the older file changes nothing', async () => {
  const { caller, more } = await user()
  const announced = {
    ...lunch,
    external_id: 'p-1',
    status: 'pending',
    transaction_date: '2025-03-01',
  }
  const [first] = await store(caller, [announced], { ...more, p_file_name: 'first' })
  const [row] = await store(caller, [lunch], { ...more, p_file_name: 'second' })
  expect(row).toMatchObject({ verdict: 'matched', transaction_id: first?.['transaction_id'] })
  expect(await stored(caller)).toMatchObject([{
    external_id: 'b-1',
    status: 'paid',
    booked_on: '2025-03-03',
  }])
  expect(await store(caller, [announced], more)).toMatchObject([{
    verdict: 'duplicate',
    transaction_id: first?.['transaction_id'],
  }])
  expect((await caller.delete('/imports?file_name=eq.second')).status).toBe(204)
  expect(verdicts(await judge(caller, [announced], more))).toBe('duplicate')
  expect((await caller.delete('/imports')).status).toBe(204)
  expect(await stored(caller)).toEqual([])
})

test('a row that the bank announced as pending is not matched to another purchase of the same amount', async () => {
  const { caller, more } = await user()
  const parking = {
    name: 'PARKHAUS CITY',
    amount: -5,
    transaction_date: '2025-03-05',
    external_id: 'p-9',
  }
  await store(caller, [{ ...parking, status: 'pending' }], more)
  expect(
    verdicts(
      await store(caller, [{
        name: 'BAECKEREI MUELLER',
        amount: -5,
        transaction_date: '2025-03-06',
        external_id: 'b-7',
      }], more),
    ),
  ).toBe('new')
  expect(verdicts(await store(caller, [{ ...parking, transaction_date: '2025-03-07' }], more)))
    .toBe('updated')
  expect((await stored(caller)).map(({ name, status }) => `${name} ${status}`)).toEqual([
    'BAECKEREI MUELLER paid',
    'PARKHAUS CITY paid',
  ])
})

test('a row that an older file announces is a duplicate of the booked one, under any id and without one', async () => {
  const { caller, more, entered } = await user()
  const mine = await entered({ transaction_date: '2025-03-04' })
  await store(caller, [{ ...lunch, transaction_date: '2025-03-06' }], more)
  const announced = { ...lunch, transaction_date: '2025-03-05', status: 'pending' }
  for (const external_id of ['p-1', undefined]) {
    expect(await store(caller, [{ ...announced, external_id }], more)).toMatchObject([{
      verdict: 'duplicate',
      transaction_id: mine['id'],
    }])
  }
  // one that is announced for a later day is another one
  expect(
    verdicts(
      await judge(
        caller,
        [{ ...announced, external_id: 'p-2', transaction_date: '2025-03-07' }],
        more,
      ),
    ),
  ).toBe('new')
})

test('a row that the bank announced as pending is not matched while the file has it under its own id', async () => {
  const { caller, more } = await user()
  const announced = { ...lunch, external_id: 'p-1', status: 'pending' }
  await store(caller, [announced], more)
  expect(verdicts(await store(caller, [announced, lunch], more))).toBe('duplicate new')
})
