/**
 * A deleted row frees its id, and another tenant stores a row with it. Whatever the first tenant
 * then undoes, changes or deletes, the second tenant's rows stay as they are, and the other way
 * round. This is tested for every table and for five pairs of tenants.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { sha256Of, storeFile } from '../support/receipts.ts'
import { ownedTables, storedTables, tables } from '../support/tables.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

type Row = Record<string, any>
/** A caller in one tenant, who may not import there if `imports` is false. */
type Tenant = { caller: Caller, userId: string, organizationId: string | null, imports?: false }

/** Both tenants: `first` frees ids, `second` takes them. */
const relations: Record<string, () => Promise<{ first: Tenant, second: Tenant }>> = {
  'from a former member to the team': async () => {
    const [person, owner] = [await stack.person(), await stack.person()]
    return { first: personal(person), second: await teamOf(owner) }
  },
  "from a team to a former member's personal rows": async () => {
    const [person, owner] = [await stack.person(), await stack.person()]
    return { first: await teamOf(owner), second: personal(person) }
  },
  'from the personal rows of a viewer, whose team is active, to that team': async () => {
    const [viewer, owner] = [await stack.person(), await stack.person()]
    const team = await stack.organization({ owner, viewer })
    return {
      first: { ...personal(viewer), caller: stack.as(viewer, team), imports: false },
      second: { caller: stack.as(owner, team), userId: owner.id, organizationId: team.id },
    }
  },
  'from one person to another': async () => ({
    first: personal(await stack.person()),
    second: personal(await stack.person()),
  }),
  'from one team to another': async () => ({
    first: await teamOf(await stack.person()),
    second: await teamOf(await stack.person()),
  }),
}
const personal = (account: Awaited<ReturnType<DataStack['person']>>): Tenant => ({
  caller: stack.as(account),
  userId: account.id,
  organizationId: null,
})
async function teamOf(account: Awaited<ReturnType<DataStack['person']>>): Promise<Tenant> {
  const team = await stack.organization({ owner: account })
  return { caller: stack.as(account, team), userId: account.id, organizationId: team.id }
}

/**
 * Returns all stored rows of a tenant, each with the transaction that wrote it. So a row that was
 * changed and changed back differs too. The owner's connection bypasses the row rules.
 */
async function stored({ userId, organizationId }: Tenant): Promise<Row[]> {
  const [pair, value] = organizationId === null
    ? ['organization_id is null and user_id = $1', userId]
    : ['organization_id = $1', organizationId]
  const from = (kind: string, table: string, where = pair) =>
    `select '${kind}' as kind, t.xmin::text as written_by, to_jsonb(t) as row from ${table} t where ${where}`
  const all = [
    ...[...tables, ...storedTables, 'activity'].map((table) => from(table, `api.${table}`)),
    from(
      'bank_values',
      'private.bank_values',
      `transaction_id in (select id from api.transactions where ${pair})`,
    ),
    from('files', 'private.files'),
  ]
  return (await stack.owner.query(
    `select * from (${all.join(' union all ')}) r order by kind, row::text`,
    [value],
  )).rows
}

const create = ({ caller, organizationId }: Tenant, table: string, row: Row): Promise<Row> =>
  caller.create(table, { organization_id: organizationId, ...row })
const bank = { name: 'Bank', type: 'checking' }

/**
 * Fills all tables of a tenant with rows that refer to each other. Some rows are moved, get another
 * category, or are updated by a later import.
 */
async function fill(tenant: Tenant): Promise<void> {
  const { caller } = tenant
  const one = (table: string, row: Row) => create(tenant, table, row)
  const [account, other] = [await one('accounts', bank), await one('accounts', bank)]
  const [category, filed] = [
    await one('categories', { name: 'Food' }),
    await one('categories', { name: 'Home' }),
  ]
  const tag = await one('tags', { name: 'trip' })
  const references = { account_id: account['id'], category_id: category['id'] }
  const [shopping, rent] = [
    await one('transactions', { name: 'Shopping', amount: -20, ...references }),
    await one('transactions', { name: 'Rent', amount: -90 }),
  ]
  const item = (name: string) =>
    caller.create('line_items', {
      transaction_id: shopping['id'],
      name,
      amount: -2,
      category_id: category['id'],
    })
  await item('Bread')
  const file = Buffer.from('receipt')
  const upload = {
    transaction_id: shopping['id'],
    name: 'receipt.txt',
    size: file.length,
    sha256: sha256Of(file),
  }
  const { body: { ticket } } = await caller.post('/rpc/begin_upload', upload)
  expect(await storeFile(stack.owner, ticket, file)).toBe(true)
  const moved = await item('Cake')
  await caller.patch(`/line_items?id=eq.${moved.id}`, { transaction_id: rent['id'] })
  await caller.patch(`/line_items?id=eq.${moved.id}`, { category_id: filed['id'] })
  const associations = `/transaction_tags?transaction_id=eq.${shopping['id']}`
  await caller.create('transaction_tags', { transaction_id: shopping['id'], tag_id: tag['id'] })
  await caller.patch(associations, { transaction_id: rent['id'] })
  await caller.create('transaction_tags', { transaction_id: shopping['id'], tag_id: tag['id'] })
  await caller.patch(`/transactions?id=eq.${shopping['id']}`, { category_id: filed['id'] })
  await caller.patch(`/transactions?id=eq.${shopping['id']}`, { account_id: other['id'] })
  const newspaper = await one('subscriptions', {
    title: 'Newspaper',
    amount: 12,
    period: 'monthly',
    ...references,
  })
  await caller.patch(`/subscriptions?id=eq.${newspaper['id']}`, {
    category_id: filed['id'],
    account_id: other['id'],
  })
  await one('budgets', { category_id: category['id'], month: '2025-01-01', amount: 300 })
  await one('past_budgets', { category_id: filed['id'], until: '2025-01-01', amount: 300 })
  await one('balances', { account_id: account['id'], on_date: '2025-01-31', balance: 99.5 })
  await one('closings', { closed_until: '1900-01-01' })
  const conditions = [{ field: 'name', operation: 'eq', value: 'Shopping' }]
  await one('rules', {
    name: 'Shopping',
    conditions,
    set_name: 'Groceries',
    set_category_id: category['id'],
  })
  await one('exchange_rates', { on_date: '2025-01-01', base: 'eur', quote: 'usd', rate: 1.0353 })
  const layout = {
    widgets: [{ id: 'flow', type: 'cash_flow', position: { x: 0, y: 0 }, size: { w: 6, h: 4 } }],
  }
  await one('dashboards', { name: 'Overview', layout, visibility: 'private' })
  const transfer = {
    from_account_id: account['id'],
    to_account_id: other['id'],
    amount: 5,
    name: 'Put by',
  }
  expect((await caller.post('/rpc/create_transfer', transfer)).status).toBe(200)
  for (const amount of ['-99999.00', '-2.00']) {
    const p_rows = [{ name: 'Card', amount, transaction_date: '2025-03-01', external_id: 'b-1' }]
    const { status } = await caller.post('/rpc/import_transactions', {
      p_rows,
      p_source: 'bank',
      p_dry_run: false,
    })
    // an import is for the active context, where a viewer may not write
    expect(status).toBe(tenant.imports === false ? 403 : 200)
  }
}

const ownFilter = ({ organizationId }: Tenant) =>
  `organization_id=${organizationId === null ? 'is.null' : `eq.${organizationId}`}`
const rowsOf = async (tenant: Tenant, table: string): Promise<Row[]> =>
  (await tenant.caller.get(`/${table}?${ownFilter(tenant)}`)).body
const filterOf = (table: string, row: Row) =>
  table === 'transaction_tags'
    ? `transaction_id=eq.${row['transaction_id']}&tag_id=eq.${row['tag_id']}`
    : `id=eq.${row['id']}`

/**
 * Deletes each row by a separate request, parts first. Imports stay, because their stored values
 * must not reach the second tenant.
 */
async function empty(tenant: Tenant): Promise<void> {
  const partsFirst = [
    'line_items',
    'transaction_tags',
    ...ownedTables.filter((table) => !['categories', 'accounts', 'tags'].includes(table)),
    'categories',
    'accounts',
    'tags',
  ]
  expect(partsFirst.toSorted()).toEqual(tables.toSorted())
  for (const table of ['attachments', ...partsFirst]) {
    for (const row of await rowsOf(tenant, table))
      expect((await tenant.caller.delete(`/${table}?${filterOf(table, row)}`)).status).toBe(204)
    expect(await rowsOf(tenant, table)).toEqual([])
  }
}

/**
 * Stores rows of the second tenant with the ids of the first tenant's rows in one table, or with
 * the transfer_id of its transfer.
 */
async function take(tenant: Tenant, taken: string, rows: Row[]): Promise<void> {
  const { caller, organizationId: organization_id } = tenant
  if (taken === 'transfer_id') {
    const halves = rows.filter(({ transfer_id }) => transfer_id !== null)
    expect(halves).toHaveLength(2)
    const anew = halves.map(({ name, amount, transfer_id, transaction_date }) => ({
      name,
      amount,
      transfer_id,
      transaction_date,
      organization_id,
    }))
    await caller.create('transactions', anew)
    return
  }
  const needed: Row = {
    transaction_id: async () =>
      (await create(tenant, 'transactions', { name: 'Own', amount: -90 }))['id'],
    category_id: async () => (await create(tenant, 'categories', { name: 'Own' }))['id'],
    account_id: async () => (await create(tenant, 'accounts', bank))['id'],
  }
  const { rows: required } = await stack.owner.query(
    `select attname from pg_attribute where attrelid = 'api.${taken}'::regclass and attnotnull and attname in ('transaction_id', 'category_id', 'account_id')`,
  )
  for (
    const {
      user_id: _user,
      current_balance: _balance,
      monthly_cost: _cost,
      next_due_on: _due,
      ...row
    } of rows
  ) {
    for (
      const column of ['account_id', 'category_id', 'set_category_id', 'transfer_id', 'import_id']
    ) if (column in row) row[column] = null
    for (const { attname } of required) row[attname] = await needed[attname]()
    if (taken === 'line_items') delete row['organization_id']
    await caller.create(taken, taken === 'line_items' ? row : { ...row, organization_id })
  }
}

/** Returns an activity row of each request of a tenant, the newest first. */
async function requestsOf(tenant: Tenant): Promise<string[]> {
  const { body } = await tenant.caller.get(
    `/activity?${ownFilter(tenant)}&select=id,change_id&order=id.desc`,
  )
  return [
    ...new Map((body as Row[]).map(({ id, change_id }) => [change_id as string, id as string]))
      .values(),
  ]
}

// a transaction's tags have no id of their own
const takable = [...tables.filter((table) => table !== 'transaction_tags'), 'transfer_id']

describe.each(Object.entries(relations))('%s', (_relation, relate) => {
  test.each(takable)(
    'an action of the first tenant does not reach a row with a freed id: %s',
    async (taken) => {
      const { first, second } = await relate()
      await fill(first)
      const table = taken === 'transfer_id' ? 'transactions' : taken
      const freed = await rowsOf(first, table)
      expect(freed).not.toEqual([])
      await empty(first)
      await take(second, taken, freed)
      const kept = await stored(second)
      const importsOfFirst = async () =>
        (await rowsOf(first, 'imports')).toSorted((
          a,
          b,
        ) => (a['created_at'] < b['created_at'] ? 1 : -1))
      for (const { id } of await importsOfFirst()) {
        // no transaction of the import is left
        expect((await first.caller.delete(`/imports?id=eq.${id}`)).status).toBe(204)
      }
      const undone: number[] = []
      const requests = await requestsOf(first)
      for (const p_activity_id of [...requests, ...requests.toReversed()]) {
        const { status } = await first.caller.post('/rpc/undo', { p_activity_id })
        expect([200, 409]).toContain(status)
        undone.push(status)
      }
      expect(undone).toContain(200)
      expect(await stored(second)).toEqual(kept)

      // the undone deletions have restored rows, which the first tenant now changes
      for (const one of tables) {
        const change = {
          transactions: { name: 'Changed' },
          line_items: { name: 'Changed' },
          categories: { name: 'Changed' },
        }[one]
        if (change !== undefined) await first.caller.patch(`/${one}?${ownFilter(first)}`, change)
      }
      expect(await stored(second)).toEqual(kept)
      const ofFirst = await stored(first)
      for (const one of ['transactions', 'line_items', 'categories'])
        await second.caller.patch(`/${one}?${ownFilter(second)}`, { name: 'Of the second' })
      expect(await stored(first)).toEqual(ofFirst)

      const written = await stored(second)
      for (const { id } of await importsOfFirst())
        expect([204, 409]).toContain((await first.caller.delete(`/imports?id=eq.${id}`)).status)
      for (const one of ['accounts', 'categories', 'tags', 'transactions'])
        await first.caller.delete(`/${one}?${ownFilter(first)}`)
      expect(await stored(second)).toEqual(written)
      if (first.organizationId === null)
        await stack.owner.query('delete from auth.users where id = $1', [first.userId])
      else await stack.owner.query('delete from auth.organizations where id = $1', [
          first.organizationId,
        ])
      expect(await stored(second)).toEqual(written)
    },
  )
})
