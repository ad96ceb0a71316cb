/**
 * Imports of rows that are there under another id: entered by hand, recorded, announced, deleted.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { judge, send, store, stored, undoLast, userOf, verdicts, type Row } from './import-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const user = () => userOf(stack)
const one = async (caller: Caller, id: string): Promise<Row> =>
  (await caller.get(`/transactions?id=eq.${id}&select=*,tags(name)`)).body[0]
const withoutTimes = (row: Row): Row => ({ ...row, updated_at: '' })

const lunch = {
  name: 'RESTAURANT 4711',
  amount: '-12.50',
  transaction_date: '2025-03-03',
  external_id: 'b-1',
  description: 'Card 12',
  reference_no: 'R-9',
}

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
        'entered as "Coffee" on 2025-03-03; the row of 2025-03-04, which had it, is matched anew',
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

test('a row that the user deleted stays deleted, unless they ask for it', async () => {
  const { caller, more } = await user()
  const [first] = await store(caller, [lunch, { ...lunch, external_id: 'b-2' }], more)
  await caller.delete(`/transactions?id=eq.${first?.['transaction_id']}`)
  const file = [lunch, { ...lunch, external_id: 'b-2' }, {
    ...lunch,
    external_id: 'b-3',
    amount: -1,
  }]
  const [row] = await store(caller, file, more)
  expect(row).toMatchObject({
    row_number: 1,
    verdict: 'deleted',
    reason: 'imported before and deleted by a user: p_again imports it again',
    transaction_id: null,
  })
  expect(await stored(caller)).toHaveLength(2)
  const again = await store(caller, file, { ...more, p_again: true })
  expect(verdicts(again)).toBe('new duplicate duplicate')
  expect(verdicts(await store(caller, file, more))).toBe('duplicate duplicate duplicate')
  await caller.delete(`/transactions?id=eq.${again[0]?.['transaction_id']}`)
  expect(verdicts(await judge(caller, file, more))).toBe('deleted duplicate duplicate')
})

test('a row that the user deleted stays deleted in another format of the same account: by day, amount and text, one to one', async () => {
  const { caller, savings, more } = await user()
  const csv = [lunch, { ...lunch, external_id: 'b-2' }, { ...lunch, external_id: 'b-3' }]
  const ofx = ['f-1', 'f-2', 'f-3', 'f-4'].map((external_id) => ({
    ...lunch,
    name: 'Restaurant 4711 Berlin',
    external_id,
  }))
  const imported = await store(caller, csv, more)
  for (const row of imported.slice(1))
    await caller.delete(`/transactions?id=eq.${row['transaction_id']}`)
  const other = { ...more, p_source: 'ofx' }
  expect(verdicts(await judge(caller, ofx, other))).toBe('duplicate deleted deleted new')
  expect((await judge(caller, ofx, other))[1]).toMatchObject({
    reason: 'imported from another file and deleted by a user: p_again imports it again',
  })
  const others: [Row, Row][] = [
    [{ amount: -12.51 }, other],
    [{ name: 'Bakery' }, other],
    [{ transaction_date: '2025-03-04' }, other],
    [{}, { ...other, p_account_id: savings }],
  ]
  for (const [row, elsewhere] of others)
    expect(
      verdicts(
        await judge(caller, [{ ...lunch, external_id: 'f-9', ...row }], {
          ...elsewhere,
          p_link_transfers: false,
        }),
      ),
    ).not.toBe('deleted')
  await undoLast(caller)
  expect(verdicts(await judge(caller, ofx, other))).toBe('duplicate duplicate deleted new')
  expect(verdicts(await store(caller, ofx, { ...other, p_again: true }))).toBe(
    'duplicate duplicate new new',
  )
  expect(verdicts(await store(caller, ofx, other))).toBe('duplicate duplicate duplicate duplicate')
})

test('a row that the user deleted stays deleted in a file of the same source that has the ids, or has none, one to one', async () => {
  const withoutId = { ...lunch, external_id: undefined }
  for (const [first, second] of [[withoutId, lunch], [lunch, withoutId]] as const) {
    const { caller, more } = await user()
    await store(caller, [first], more)
    await caller.delete('/transactions')
    expect(verdicts(await judge(caller, [second], more))).toBe('deleted')
    expect(verdicts(await judge(caller, [{ ...second, name: 'Bakery' }], more))).toBe('new')
    expect(verdicts(await store(caller, [second], { ...more, p_again: true }))).toBe('new')
    expect(verdicts(await judge(caller, [second], more))).toBe('duplicate')
  }
  // an equal row of the day is another purchase
  const { caller, more } = await user()
  await store(caller, [withoutId], more)
  await caller.delete('/transactions')
  expect(verdicts(await store(caller, [withoutId, withoutId], more))).toBe('deleted new')
})

test('a row that the user deleted stays deleted in each format with the values that the bank said before, one to one', async () => {
  const { caller, more } = await user()
  const ofx = { ...more, p_source: 'ofx' }
  await store(caller, [lunch], more)
  await store(caller, [{ ...lunch, amount: '-13.50' }], more)
  await caller.patch('/transactions', {
    name: 'With Bo',
    amount: -7,
    transaction_date: '2025-04-01',
  })
  await caller.delete('/transactions')
  expect(verdicts(await judge(caller, [lunch], more))).toBe('deleted')
  // the bank corrects it after the deletion
  expect(verdicts(await store(caller, [{ ...lunch, amount: '-14.50' }], more))).toBe('deleted')
  for (const amount of ['-12.50', '-13.50', '-14.50'])
    expect(verdicts(await judge(caller, [{ ...lunch, amount, external_id: 'f-1' }], ofx))).toBe(
      'deleted',
    )
  const both = [{ ...lunch, external_id: 'f-1' }, {
    ...lunch,
    amount: '-13.50',
    external_id: 'f-2',
  }]
  expect(verdicts(await judge(caller, both, ofx))).toBe('deleted new')
})

test('a row that the user deleted is known again after an undo, and deleted after the undo of the undo', async () => {
  const { caller, more } = await user()
  await store(caller, [lunch], more)
  await caller.delete('/transactions')
  for (const verdict of ['duplicate', 'deleted', 'duplicate']) {
    expect((await undoLast(caller)).status).toBe(200)
    expect(verdicts(await judge(caller, [lunch], more))).toBe(verdict)
  }
})

test('a row that the user deleted is new again after its import was deleted or undone', async () => {
  const { caller, more } = await user()
  for (const revert of [() => caller.delete('/imports'), () => undoLast(caller)]) {
    expect(verdicts(await store(caller, [lunch], more))).toBe('new')
    expect((await revert()).status).toBeLessThan(300)
  }
  expect(verdicts(await judge(caller, [lunch], more))).toBe('new')
})

test('a row that the user deleted and had entered before the import stays deleted too, under each id of the bank', async () => {
  const { caller, more, entered } = await user()
  await entered({ name: 'Lunch' })
  await store(caller, [{ ...lunch, external_id: 'p-1', status: 'pending' }], more)
  expect(verdicts(await store(caller, [lunch], more))).toBe('matched')
  await caller.delete('/transactions')
  expect(verdicts(await judge(caller, [lunch, { ...lunch, external_id: 'p-1' }], more))).toBe(
    'deleted deleted',
  )
})

test('a row that the user deleted is forgotten with the user, the team, and the activity of its import', async () => {
  const { caller, more } = await user()
  const ann = await stack.person()
  const bob = await stack.person()
  const team = await stack.organization({ owner: bob, editor: ann })
  for (const mine of [stack.as(ann), stack.as(ann, team)]) {
    await store(mine, [lunch])
    await mine.delete('/transactions')
    expect(verdicts(await judge(mine, [lunch]))).toBe('deleted')
  }
  const kept = async (where: string, value: string) =>
    (await stack.owner.query(`select from private.deleted_bank_rows where ${where} = $1`, [value]))
      .rowCount
  expect([await kept('user_id', ann.id), await kept('organization_id', team.id)]).toEqual([1, 1])
  await stack.owner.query('delete from auth.users where id = $1', [ann.id])
  expect([await kept('user_id', ann.id), await kept('organization_id', team.id)]).toEqual([0, 1])
  expect(verdicts(await judge(stack.as(bob, team), [lunch]))).toBe('deleted')
  await stack.owner.query('delete from auth.organizations where id = $1', [team.id])
  expect(await kept('organization_id', team.id)).toBe(0)

  await store(caller, [lunch], more)
  await caller.delete('/transactions')
  const [{ id }] = (await caller.get('/imports')).body
  await caller.delete('/imports')
  expect(await kept('import_id', id)).toBe(1)
  await stack.owner.query('select private.forget_activity(-1, 1000000)')
  expect(await kept('import_id', id)).toBe(0)
})

test('a row of a closed day is invalid in the dry run and 409 in the import, unless it is there already; no closed row is matched or linked', async () => {
  const { caller, giro, savings, more, entered } = await user()
  await store(caller, [lunch], more)
  await entered({ amount: -7, transaction_date: '2025-03-01' })
  await entered({ amount: 9, transaction_date: '2025-03-01', account_id: savings })
  for (const id of [giro, savings])
    expect((await caller.patch(`/accounts?id=eq.${id}`, { closed_until: '2025-03-03' })).status)
      .toBe(204)
  const closed = { ...lunch, external_id: 'b-2', amount: '-1.00' }
  const next = { ...lunch, transaction_date: '2025-03-04' }
  const file = [lunch, closed, { ...next, external_id: 'b-3', amount: -7 }, {
    ...next,
    external_id: 'b-4',
    amount: -9,
  }]
  const dry = await judge(caller, file, more)
  expect(verdicts(dry)).toBe('duplicate invalid new new')
  expect(dry.slice(1)).toMatchObject([
    { reason: 'the days until 2025-03-03 are closed', transaction_id: null },
    { reason: 'perhaps "Lunch with Bo" of a closed day', transaction_id: null },
    {
      reason: 'perhaps half of a transfer with "Lunch with Bo" of a closed day',
      transaction_id: null,
    },
  ])
  expect(verdicts(await judge(caller, [next], more))).toBe('invalid')
  const before = await stored(caller)
  expect(await send(caller, file, { ...more, p_dry_run: false })).toMatchObject({
    status: 409,
    body: { code: 'PT409' },
  })
  expect(await send(caller, [...file, { name: '', amount: 1 }], { ...more, p_dry_run: false }))
    .toMatchObject({ status: 400 })
  expect(await stored(caller)).toEqual(before)
  expect(verdicts(await store(caller, [file[0]!, file[2]!, file[3]!], more))).toBe(
    'duplicate new new',
  )
})

test('a row that was entered, announced or recorded on a closed day is new, and the reason names it; a duplicate in another format stays one', async () => {
  const { caller, giro, more, entered } = await user()
  const rent = await caller.create('subscriptions', {
    title: 'Rent',
    amount: 900,
    currency: 'eur',
    period: 'monthly',
    starts_on: '2025-03-01',
    account_id: giro,
  })
  await caller.post('/rpc/record_subscription', {
    p_subscription_id: rent.id,
    due_on: '2025-03-01',
  })
  await entered({ name: 'Lunch', transaction_date: '2025-02-28' })
  await entered({ name: 'Open lunch', transaction_date: '2025-03-07' })
  await store(caller, [{
    name: 'INN',
    amount: -20,
    transaction_date: '2025-03-01',
    external_id: 'p-1',
    status: 'pending',
  }, {
    ...lunch,
    amount: -4,
    external_id: 'b-4',
  }], more)
  await caller.create('closings', { closed_until: '2025-03-03' })
  const file = [
    { ...lunch, transaction_date: '2025-03-04' },
    { ...lunch, transaction_date: '2025-03-04', external_id: 'b-2' },
    { name: 'LANDLORD', amount: -900, transaction_date: '2025-03-04', external_id: 'b-3' },
    { name: 'INN', amount: -20, transaction_date: '2025-03-05', external_id: 'b-5' },
    { name: 'OTHER', amount: -12.5, transaction_date: '2025-03-12', external_id: 'b-6' },
  ]
  const expected = [
    ['matched', 'entered as "Open lunch" on 2025-03-07'],
    ['new', 'perhaps "Lunch" of a closed day'],
    ['new', 'perhaps "Rent" of a closed day'],
    ['new', 'perhaps "INN" of a closed day'],
    ['new', null],
  ]
  expect((await judge(caller, file, more)).map(({ verdict, reason }) => [verdict, reason])).toEqual(
    expected,
  )
  expect((await judge(caller, file, { ...more, p_match: false })).map(({ reason }) => reason))
    .toEqual([null, null, null, null, null])
  expect(
    verdicts(
      await judge(caller, [{ ...lunch, name: 'Restaurant 4711', amount: -4, external_id: 'f-1' }], {
        ...more,
        p_source: 'ofx',
      }),
    ),
  ).toBe('duplicate')
  await store(caller, file, more)
  expect(verdicts(await store(caller, file, more))).toBe(
    'duplicate duplicate duplicate duplicate duplicate',
  )
})
