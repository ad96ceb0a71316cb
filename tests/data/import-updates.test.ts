/**
 * A bank's later version of a row: applied unless a user has edited the row, counted in the dry
 * run, reverted with the import.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import {
  announcedRow,
  imports,
  judge,
  store,
  stored,
  takenId,
  undoLast,
  verdicts,
  type Row,
} from './import-update-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const announced = (row?: Row, status?: string | null) => announcedRow(stack, row, status)

test('a row whose later version differs is not changed if the file names neither account nor currency and the stored currency differs', async () => {
  const { caller, pending, current } = await announced()
  expect(verdicts(await judge(caller, [{ ...pending, amount: '-77.00' }]))).toBe('changed')
  expect(verdicts(await store(caller, [{ ...pending, amount: '-77.00' }]))).toBe('changed')
  expect(await current()).toMatchObject({ amount: -20, currency: 'eur' })
})

test('a row whose later version differs is not changed if a user has changed its currency', async () => {
  const caller = stack.as(await stack.person())
  const row = { name: 'Shop', amount: '-20.00', transaction_date: '2025-03-01', external_id: 'b-1' }
  await store(caller, [row])
  await caller.patch('/transactions?name=eq.Shop', { currency: 'eur' })
  expect(verdicts(await store(caller, [{ ...row, amount: '-12.50' }]))).toBe('changed')
  expect(await stored(caller)).toMatchObject([{ amount: -20, currency: 'eur' }])
})

test('a row whose later version differs is refused in dry run and import if its currency has no decimals', async () => {
  const caller = stack.as(await stack.person())
  const account = await caller.create('accounts', {
    name: 'Tokyo',
    type: 'checking',
    currency: 'jpy',
  })
  const row = { name: 'Shop', amount: '-100', transaction_date: '2025-03-01', external_id: 'b-1' }
  await store(caller, [row], { p_account_id: account.id })
  expect(verdicts(await judge(caller, [{ ...row, amount: '-12.50' }]))).toBe('changed')
  expect(verdicts(await store(caller, [{ ...row, amount: '-12.50' }]))).toBe('changed')
})

test('a row whose later version differs gets each later text of the bank, and no earlier one again', async () => {
  const { caller, more, pending, current } = await announced({}, 'paid')
  for (const text of ['First', 'Second', 'Third']) {
    expect(verdicts(await store(caller, [{ ...pending, description: text }], more))).toBe('updated')
    expect((await current())['description']).toBe(text)
  }
  expect(verdicts(await store(caller, [{ ...pending, description: 'Second' }], more))).toBe(
    'changed',
  )
  expect(
    verdicts(
      await store(caller, [{ ...pending, description: 'Third', reference_no: 'R-1' }], more),
    ),
  ).toBe('updated')
  expect(await current()).toMatchObject({ description: 'Third', reference_no: 'R-1' })
})

test('a row whose later version differs gets its former values back when the import is deleted, also after the row was deleted and restored', async () => {
  const { caller, more, pending, path, current } = await announced()
  await store(caller, [{ ...pending, amount: '-12.00', status: 'paid' }], {
    ...more,
    p_file_name: 'second',
  })
  await caller.delete(path)
  expect(await undoLast(caller)).toMatchObject({ status: 200 })
  expect(await caller.delete('/imports?file_name=eq.second')).toMatchObject({ status: 204 })
  expect(await current()).toMatchObject({ amount: -20, status: 'pending' })
})

test.each<[string, Row, Row]>([
  ['with its id, as in CAMT and OFX', {}, { status: 'paid' }],
  ['by its fields, as in a CSV file', { external_id: null }, { status: 'paid' }],
  ['by a file without a status', {}, { status: null }],
  ['without an id, by a file without a status', { external_id: null }, { status: undefined }],
  ['with another text of the bank', { external_id: null, description: 'Vorgemerkt' }, {
    status: 'paid',
    description: 'Gebucht',
  }],
])('a pending row that the bank books later is booked %s', async (_, announcement, booking) => {
  const { caller, more, pending, balance, current, id } = await announced(announcement)
  expect(await balance()).toBe(100)
  const booked = { ...pending, ...booking }
  const verdict = {
    row_number: 1,
    verdict: 'updated',
    transaction_id: id,
    reason: expect.stringContaining('status'),
  }
  expect(await judge(caller, [booked], more)).toMatchObject([verdict])
  expect([(await current())['status'], await imports(caller)]).toEqual(['pending', [
    expect.objectContaining({ file_name: 'first' }),
  ]])
  expect(await store(caller, [booked], { ...more, p_file_name: 'second' })).toMatchObject([verdict])
  expect(await current()).toMatchObject({
    status: 'paid',
    booked_on: '2025-03-01',
    ...(booking['description'] === undefined ? {} : { description: 'Gebucht' }),
  })
  expect(await balance()).toBe(80)
  expect((await imports(caller)).map(({ file_name, row_count }) => [file_name, row_count])).toEqual(
    [['first', 1], ['second', 1]],
  )
  // A second import changes nothing.
  expect(verdicts(await store(caller, [booked], more))).toBe('duplicate')
  expect(await imports(caller)).toHaveLength(2)
  expect(await stored(caller)).toHaveLength(1)
})

test('a pending row that the bank books later does not become pending again by an older file', async () => {
  const { caller, more, pending, current } = await announced()
  await store(caller, [{ ...pending, status: 'paid', amount: '-18.50' }], more)
  expect(await store(caller, [pending], more)).toMatchObject([{
    verdict: 'changed',
    reason: 'saved with different values: amount, status',
  }])
  expect(await current()).toMatchObject({ status: 'paid', amount: -18.5 })
})

test.each([
  ['a user', (caller: Caller, path: string) => caller.patch(path, { name: 'Lunch with Bo' })],
  ['a rule', async (caller: Caller) => {
    await caller.create('rules', {
      name: 'r',
      conditions: [{ field: 'search', operation: 'contains', value: 'shop' }],
      set_name: 'Lunch with Bo',
    })
    return caller.post('/rpc/apply_rules', { p_dry_run: false })
  }],
])(
  'a pending row that the bank books later is booked with the name that %s gave it',
  async (_, rename) => {
    const { caller, more, pending, path, balance, current } = await announced()
    expect((await rename(caller, path)).status).toBeLessThan(300)
    expect(await judge(caller, [pending], more)).toMatchObject([{
      verdict: 'changed',
      reason: 'saved with different values: name',
    }])
    const booked = {
      ...pending,
      name: 'SHOP 4711',
      status: 'paid',
      amount: '-18.50',
      transaction_date: '2025-03-02',
    }
    expect(await store(caller, [booked], { ...more, p_file_name: 'second' })).toMatchObject([
      { verdict: 'updated', reason: 'the bank changed: amount, transaction_date, status' },
    ])
    expect(await current()).toMatchObject({
      name: 'Lunch with Bo',
      status: 'paid',
      amount: -18.5,
      booked_on: '2025-03-02',
    })
    expect(await balance()).toBe(81.5)
    expect(await judge(caller, [booked], more)).toMatchObject([{
      verdict: 'changed',
      reason: 'saved with different values: name',
    }])
    expect((await caller.delete('/imports?file_name=eq.second')).status).toBe(204)
    expect(await current()).toMatchObject({
      name: 'Lunch with Bo',
      status: 'pending',
      amount: -20,
      booked_on: '2025-03-01',
    })
  },
)

test('a pending row that the bank books later is booked once if two files are imported at the same time', async () => {
  const { caller, more, pending, balance } = await announced()
  const booked = [{ ...pending, status: 'paid' }, {
    name: 'New',
    amount: -1,
    transaction_date: '2025-03-02',
  }]
  const answers = await Promise.all([1, 2, 3, 4].map(() => store(caller, booked, more)))
  expect(answers.map(verdicts).toSorted((a, b) => a < b ? -1 : 1)).toEqual([
    ...Array.from({ length: 3 }, () => 'duplicate duplicate'),
    'updated new',
  ])
  expect([await balance(), (await imports(caller)).length]).toEqual([79, 2])
})

test('a pending row that the bank books later keeps the category, tags and note of the user', async () => {
  const { caller, more, pending, path, current, id } = await announced({ description: 'Card 1234' })
  const category = await caller.create('categories', { name: 'Food' })
  await caller.patch(path, { category_id: category.id, description: 'with Bo' })
  const tag = await caller.create('tags', { name: 'trip' })
  await caller.create('transaction_tags', { transaction_id: id, tag_id: tag.id })
  const booked = {
    ...pending,
    status: 'paid',
    amount: '-18.50',
    transaction_date: '2025-03-03',
    description: 'Card 1234 booked',
    reference_no: '77',
  }
  expect(await store(caller, [booked], more)).toMatchObject([{
    verdict: 'updated',
    reason: 'the bank changed: amount, transaction_date, status, reference_no',
  }])
  const row = {
    status: 'paid',
    amount: -18.5,
    booked_on: '2025-03-03',
    description: 'with Bo',
    reference_no: '77',
    category_id: category.id,
  }
  expect(await current()).toMatchObject(row)
  expect((await caller.get('/transaction_tags')).body).toHaveLength(1)
  // The note is still the user's.
  expect(
    verdicts(
      await store(
        caller,
        [{ ...booked, amount: '-18.40', description: 'Card 1234 corrected' }],
        more,
      ),
    ),
  ).toBe('updated')
  expect(await current()).toMatchObject({ ...row, amount: -18.4 })
})

test.each([
  ['was failed in the first file', {}, 'failed'],
  ['was pending, then failed', { status: 'failed' }, 'pending'],
])(
  'a row that the bank corrects is booked by a row without a status if it %s',
  async (_, then, first) => {
    const { caller, more, pending, current } = await announced({}, first)
    await store(caller, [{ ...pending, ...then }], more)
    expect(await current()).toMatchObject({ status: 'failed' })
    expect(verdicts(await store(caller, [{ ...pending, status: undefined }], more))).toBe('updated')
    expect(await current()).toMatchObject({ status: 'paid' })
  },
)

test('a row that the bank corrects stays failed if the user said so', async () => {
  const { caller, more, pending, current, path } = await announced({}, 'paid')
  await caller.patch(path, { status: 'failed' })
  expect(verdicts(await store(caller, [{ ...pending, status: undefined }], more))).toBe('duplicate')
  expect(await current()).toMatchObject({ status: 'failed' })
})

test.each<[string, Row]>([
  ['the amount', { amount: '-21.00' }],
  ['the day', { transaction_date: '2025-03-04' }],
  ['the name', { name: 'Shop Ltd' }],
  ['the status failed', { status: 'failed' }],
  ['a reference', { reference_no: '4711' }],
])('a row that the bank corrects is corrected: %s', async (_, correction) => {
  const { caller, more, pending, current } = await announced({}, 'paid')
  const corrected = { ...pending, ...correction }
  expect(verdicts(await judge(caller, [corrected], more))).toBe('updated')
  await store(caller, [corrected], more)
  expect(await current()).toMatchObject({
    name: corrected.name,
    amount: Number(corrected.amount),
    booked_on: corrected.transaction_date,
    status: corrected.status,
  })
  expect(verdicts(await store(caller, [corrected], more))).toBe('duplicate')
  // An older file has the bank's previous version.
  if (correction['reference_no'] === undefined)
    expect(verdicts(await judge(caller, [pending], more))).toBe('changed')
})

test('a row that the bank corrects keeps its day and its moment if imported in another time zone', async () => {
  const { caller, more, pending, current } = await announced({}, 'paid')
  const before = (await current())['transaction_date']
  expect(
    verdicts(await store(caller, [{ ...pending, amount: '-21.00' }], more, 'Pacific/Kiritimati')),
  ).toBe('updated')
  expect(await current()).toMatchObject({
    amount: -21,
    booked_on: '2025-03-01',
    transaction_date: before,
  })
  expect(
    verdicts(
      await store(
        caller,
        [{ ...pending, amount: '-21.00', transaction_date: '2025-03-02' }],
        more,
        'Asia/Tokyo',
      ),
    ),
  ).toBe('updated')
  expect(await current()).toMatchObject({
    booked_on: '2025-03-02',
    transaction_date: '2025-03-01T15:00:00+00:00',
  })
})

test('a row that the bank corrects stays unchanged if its line items would no longer fit, and the import says so', async () => {
  const { caller, more, pending, current, id } = await announced({}, 'paid')
  await caller.create('line_items', { transaction_id: id, name: 'Bread', amount: -15 })
  expect(await store(caller, [{ ...pending, amount: '-10.00' }], more)).toMatchObject([
    { verdict: 'changed', reason: 'saved with different values: amount; its splits total -15.00' },
  ])
  expect(await current()).toMatchObject({ amount: -20 })
  expect(verdicts(await store(caller, [{ ...pending, amount: '-16.00' }], more))).toBe('updated')
})

test('a row that the bank corrects of one account is not changed by the file of another account', async () => {
  const { caller, pending } = await announced({}, 'paid')
  const other = await caller.create('accounts', {
    name: 'Other',
    type: 'checking',
    currency: 'eur',
  })
  expect(
    verdicts(await judge(caller, [{ ...pending, amount: '-21.00' }], { p_account_id: other.id })),
  ).toBe('new')
})

test.each<[string, Row, string]>([
  ['the amount', { amount: -22 }, 'amount, status'],
  ['the day', { transaction_date: '2025-03-09' }, 'transaction_date, status'],
])(
  'an edit of a user takes precedence over the import for %s, and the import reports the difference',
  async (_, edit, fields) => {
    const { caller, more, pending, path, current } = await announced()
    await caller.patch(path, edit)
    const before = await current()
    for (const status of ['paid', undefined])
      expect(await store(caller, [{ ...pending, status }], more)).toMatchObject([{
        verdict: 'changed',
        reason: `saved with different values: ${fields}`,
      }])
    expect(await current()).toEqual(before)
  },
)

test('an edit of a user takes precedence over the import for the name of a booked transaction, with all that the bank then corrects', async () => {
  const { caller, more, pending, path, current } = await announced({}, 'paid')
  await caller.patch(path, { name: 'Bakery' })
  const before = await current()
  expect(await store(caller, [{ ...pending, amount: '-21.00' }], more)).toMatchObject([{
    verdict: 'changed',
    reason: 'saved with different values: name, amount',
  }])
  expect(await current()).toEqual(before)
})

test('an edit of a user takes precedence also if the user reset a status to an earlier value of the bank', async () => {
  const { caller, more, pending, path, current } = await announced()
  const booked = { ...pending, status: 'paid' }
  await store(caller, [booked], more)
  await caller.patch(path, { status: 'pending' })
  expect(verdicts(await store(caller, [booked], more))).toBe('changed')
  expect(verdicts(await store(caller, [{ ...booked, status: undefined }], more))).toBe('duplicate')
  expect((await current())['status']).toBe('pending')
})

test('an edit of a user takes precedence until the user changes the value back or undoes the edit', async () => {
  for (const back of ['edit', 'undo']) {
    const { caller, more, pending, path } = await announced()
    await caller.patch(path, { amount: -22 })
    if (back === 'undo') expect((await undoLast(caller)).status).toBe(200)
    else await caller.patch(path, { amount: -20 })
    expect(verdicts(await store(caller, [{ ...pending, status: 'paid' }], more))).toBe('updated')
  }
})

test('an edit of a user takes precedence also in a row that the user deleted and restored', async () => {
  const { caller, more, pending, path, current } = await announced()
  await caller.patch(path, { name: 'Bakery' })
  await caller.delete(path)
  await undoLast(caller)
  expect(verdicts(await store(caller, [{ ...pending, status: 'paid' }], more))).toBe('changed')
  expect((await current())['name']).toBe('Bakery')
})

test('an edit of a user takes precedence and a row that no import created is never updated', async () => {
  const { caller, more } = await announced()
  const row = {
    name: 'Mine',
    amount: -5,
    transaction_date: '2025-03-01',
    source: 'bank',
    external_id: 'x',
    currency: 'eur',
  }
  await caller.create('transactions', { ...row, status: 'pending' })
  const { source: _, ...sent } = row
  expect(verdicts(await judge(caller, [{ ...sent, amount: -6 }], { ...more, p_account_id: null })))
    .toBe('changed')
  expect(verdicts(await judge(caller, [sent], { ...more, p_account_id: null }))).toBe('duplicate')
})

describe('an import that has updated rows', () => {
  const booked = {
    status: 'paid',
    amount: '-18.50',
    transaction_date: '2025-03-03',
    name: 'Shop Ltd',
  }

  test('an import that has updated rows is deleted, which restores the old values, and its file updates them again', async () => {
    const { caller, more, pending, path, current } = await announced()
    const before = await current()
    await store(caller, [{ ...pending, ...booked }, {
      name: 'New',
      amount: -1,
      transaction_date: '2025-03-02',
    }], { ...more, p_file_name: 'second' })
    const category = await caller.create('categories', { name: 'Food' })
    await caller.patch(path, { category_id: category.id })
    expect((await caller.delete('/imports?file_name=eq.second')).status).toBe(204)
    expect(await stored(caller)).toEqual([{
      ...before,
      category_id: category.id,
      updated_at: expect.anything(),
    }])
    expect(verdicts(await judge(caller, [pending], more))).toBe('duplicate')
    expect(verdicts(await store(caller, [{ ...pending, ...booked }], more))).toBe('updated')
  })

  test('an import that has updated rows is deleted before the import that stored the rows, which can then be deleted too', async () => {
    const { caller, more, pending } = await announced()
    await store(caller, [{ ...pending, ...booked }], { ...more, p_file_name: 'second' })
    await store(caller, [{ ...pending, ...booked, amount: '-17.00' }], {
      ...more,
      p_file_name: 'third',
    })
    for (const name of ['first', 'second'])
      expect((await caller.delete(`/imports?file_name=eq.${name}`)).status).toBe(409)
    for (const name of ['third', 'second', 'first'])
      expect((await caller.delete(`/imports?file_name=eq.${name}`)).status, name).toBe(204)
    expect([await stored(caller), await imports(caller)]).toEqual([[], []])
  })

  test('an import that has updated rows can be undone, and the undo too', async () => {
    const { caller, more, pending, current } = await announced()
    const before = await current()
    const file = [{ ...pending, ...booked }]
    await store(caller, file, more)
    const after = await current()
    expect((await undoLast(caller)).body).toMatchObject({ update: 1, delete: 1 })
    expect([{ ...(await current()), updated_at: '' }, (await imports(caller)).length]).toEqual([{
      ...before,
      updated_at: '',
    }, 1])
    expect(verdicts(await judge(caller, [pending], more))).toBe('duplicate')
    expect(verdicts(await judge(caller, file, more))).toBe('updated')
    expect((await undoLast(caller)).status).toBe(200)
    expect([{ ...(await current()), updated_at: '' }, (await imports(caller)).length]).toEqual([{
      ...after,
      updated_at: '',
    }, 2])
    expect(verdicts(await judge(caller, file, more))).toBe('duplicate')
  })

  test.each<[string, Row]>([['amount', { amount: -1 }], ['status', { status: 'failed' }], ['day', {
    booked_on: '2025-03-09',
  }]])(
    'is not deleted once a person has edited the %s: 409, and nothing is changed',
    async (_, edit) => {
      const { caller, more, pending, path } = await announced()
      await store(caller, [{ ...pending, ...booked }, {
        name: 'New',
        amount: -1,
        transaction_date: '2025-03-02',
      }], { ...more, p_file_name: 'second' })
      await caller.patch(path, edit)
      const before = await stored(caller)
      const refused = await caller.delete('/imports?file_name=eq.second')
      expect([refused.status, refused.body.code]).toEqual([409, 'PT409'])
      expect([await stored(caller), (await imports(caller)).length]).toEqual([before, 2])
    },
  )

  test('an import that has updated rows belongs to the team: one member updates what another imported, and a third reverts it', async () => {
    const [ann, bob, eve] = [await stack.person(), await stack.person(), await stack.person()]
    const team = await stack.organization({ owner: ann, editor: bob, admin: eve })
    const row = { name: 'Shop', amount: -20, transaction_date: '2025-03-01', status: 'pending' }
    await store(stack.as(ann, team), [row], { p_file_name: 'first' }, 'Europe/Berlin')
    expect(
      verdicts(
        await store(
          stack.as(bob, team),
          [{ ...row, status: 'paid' }],
          { p_file_name: 'second' },
          'America/New_York',
        ),
      ),
    ).toBe('updated')
    expect(await stored(stack.as(ann, team))).toMatchObject([{ status: 'paid', user_id: ann.id }])
    expect((await stack.as(eve, team).delete('/imports?file_name=eq.second')).status).toBe(204)
    expect(await stored(stack.as(ann, team))).toMatchObject([{ status: 'pending' }])
    const stranger = stack.as(await stack.person())
    expect(verdicts(await judge(stranger, [{ ...row, status: 'paid' }]))).toBe('new')
  })
})

test('after transactions and their activity are deleted, the service keeps no data of their imports', async () => {
  const { caller, more, pending, path } = await announced()
  await store(caller, [{ ...pending, status: 'paid' }], more)
  await caller.patch(path, { amount: -1 })
  await caller.delete(path)
  await stack.owner.query('select private.forget_activity(-1, 1000000)')
  await Promise.all(
    ['bank_values', 'bank_versions', 'import_updates'].map(async (table) =>
      expect(
        (await stack.owner.query(
          `select from private.${table} r where not exists (select from api.transactions t where t.id = r.transaction_id)`,
        )).rowCount,
      ).toBe(0)
    ),
  )
})

describe('the row of a team that has the id of a row which a stranger imported, updated by an import and deleted', () => {
  const taken = (row: Row) => takenId(stack, row)

  test.each([['the same values', {}], ['other values', { amount: -3, name: 'Rent' }]])(
    'keeps its values when the stranger deletes the imports, if it has %s',
    async (_, row) => {
      const { outsider, ofTeam } = await taken(row)
      const before = await ofTeam()
      const [first, second] = await imports(outsider)
      for (const each of [second, first])
        expect((await outsider.delete(`/imports?id=eq.${each?.['id']}`)).status).toBe(204)
      expect(await ofTeam()).toEqual(before)
    },
  )

  test("the row of a team that has the id of a row which a stranger imported, updated by an import and deleted has no bank values from those imports: the team's own import of the same file can update it", async () => {
    const { outsider, member, ofTeam, id } = await taken({})
    await member.delete(`/transactions?id=eq.${id}`)
    const sent = { name: 'Shop', transaction_date: '2025-03-01', external_id: 'b-1' }
    const [own] = await store(member, [{ ...sent, amount: '-5.00' }])
    // as an undo of the team would store it
    await stack.owner.query('update api.transactions set id = $1 where id = $2', [
      id,
      own?.['transaction_id'],
    ])
    expect(verdicts(await store(member, [{ ...sent, amount: '-99999.00' }]))).toBe('updated')
    const before = await ofTeam()
    for (const each of (await imports(outsider)).toReversed())
      await outsider.delete(`/imports?id=eq.${each['id']}`)
    expect(await ofTeam()).toEqual(before)
    expect(
      (await stack.owner.query(
        'select count(*)::int from private.import_updates where transaction_id = $1 and taken_back_at is not null',
        [id],
      )).rows,
    )
      .toEqual([{ count: 0 }])
  })

  test('the row of a team that has the id of a row which a stranger imported, updated by an import and deleted is restored with the values of its first import, after another user who took its id deletes the account', async () => {
    const person = await stack.person()
    const member = stack.as(person, await stack.organization({ owner: person }))
    const sent = { name: 'Shop', transaction_date: '2025-03-01', external_id: 'b-1' }
    const [first] = await store(member, [{ ...sent, amount: '-5.00' }])
    const id = first?.['transaction_id'] as string
    await store(member, [{ ...sent, amount: '-7.00' }])
    await member.delete(`/transactions?id=eq.${id}`)
    const eve = await stack.person('eve')
    await stack.as(eve).create('transactions', { id, name: 'Mine', amount: 1 })
    await stack.owner.query('delete from auth.users where id = $1', [eve.id])
    expect((await undoLast(member)).status).toBe(200)
    const [, second] = await imports(member)
    expect((await member.delete(`/imports?id=eq.${second?.['id']}`)).status).toBe(204)
    expect(await stored(member)).toMatchObject([{ id, amount: -5 }])
  })
})
