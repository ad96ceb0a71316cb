/** Imports of rows that the user deleted, and of rows on closed days. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
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
    reason: 'previously imported and deleted by a user: set p_again to import it again',
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
    reason:
      'previously imported from another file and deleted by a user: set p_again to import it again',
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
    { reason: 'the period through 2025-03-03 is closed', transaction_id: null },
    { reason: 'may be "Lunch with Bo", which is in a closed period', transaction_id: null },
    {
      reason: 'possible transfer with "Lunch with Bo", which is in a closed period',
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
    ['new', 'may be "Lunch", which is in a closed period'],
    ['new', 'may be "Rent", which is in a closed period'],
    ['new', 'may be "INN", which is in a closed period'],
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
