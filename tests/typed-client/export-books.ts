/** The books that tests export, and the rows of an export in a form that can be compared. */
import { expect } from 'vitest'
import { tables } from '../../client/export/format.ts'
import { unwrap } from '../../client/index.ts'
import { rowsIn } from './archives.ts'
import type { PersonClient } from './person-client.ts'

/** A row of every table, with numbers that exceed JavaScript's precision. */
export async function keepBooks({ data, attach }: PersonClient) {
  const one = async (table: 'accounts' | 'categories' | 'tags' | 'transactions', row: object) =>
    (await unwrap(data.from(table).insert(row as never).select('id').single())).id
  const [giro, savings, dollars] = [
    await one('accounts', {
      name: 'Giro',
      type: 'checking',
      currency: 'eur',
      balance: 1,
      opened_on: '2025-01-01',
    }),
    await one('accounts', { name: 'Savings', type: 'savings', currency: 'eur' }),
    await one('accounts', { name: 'Dollars', type: 'cash' }),
  ]
  const food = await one('categories', { name: 'Food', color: '#fff' })
  const trip = await one('tags', { name: 'trip' })
  const shopping = await one('transactions', {
    name: '=HYPERLINK("https://example.org")',
    amount: -20,
    account_id: giro,
    category_id: food,
    transaction_date: '2025-01-31T10:11:12.123456Z',
    description: 'two\nlines, "quoted"',
  })
  await unwrap(
    data.from('line_items').insert([{
      transaction_id: shopping,
      name: 'Bread',
      amount: -15,
      category_id: food,
    }, {
      transaction_id: shopping,
      name: 'Tip',
      amount: -5,
    }]),
  )
  await unwrap(data.from('transaction_tags').insert({ transaction_id: shopping, tag_id: trip }))
  // a text, because archives.ts reads and writes texts
  await attach(shopping, new File(['A receipt of 20.00'], 'receipt.txt'), { note: 'tax' })
  await unwrap(
    data.from('budgets').insert({
      category_id: food,
      month: '2025-01-01',
      amount: 300,
      currency: 'eur',
    }),
  )
  // 100 from January 2025 until this month, and 90 from then on.
  await unwrap(
    data.from('budgets').insert({
      category_id: food,
      amount: 100,
      rollover: true,
      starts_on: '2025-01-01',
    }),
  )
  await unwrap(data.from('budgets').update({ amount: 90 }).is('month', null))
  await unwrap(
    data.from('subscriptions').insert({
      title: 'Rent',
      amount: 900,
      period: 'monthly',
      account_id: giro,
      category_id: food,
      currency: 'eur',
    }),
  )
  // sent in the order of age, which decides between equal priorities
  for (const name of ['first', 'second'])
    await unwrap(
      data.from('rules').insert({
        name,
        conditions: [{ field: 'category_id', operation: 'eq', value: food }],
        set_category_id: food,
        add_tags: [trip],
      }),
    )
  await unwrap(
    data.from('rules').insert({
      name: 'third',
      conditions: [{ field: 'amount', operation: 'eq', value: -30 }],
      mark_as_transfer: true,
    }),
  )
  await unwrap(
    data.from('dashboards').insert({
      name: 'Mine',
      layout: {
        widgets: [{
          id: 'w',
          type: 'x',
          position: { x: 0, y: 0 },
          size: { w: 1, h: 1 },
          config: { account_id: giro, of: ['nobody'] },
        }],
      },
    }),
  )
  const long = data.fetch!(`${data.url}/exchange_rates`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"base":"eur","quote":"usd","on_date":"2025-01-01","rate":123456789012.123456789012}',
  })
  expect((await long).status).toBe(201)
  const detailed = data.fetch!(`${data.url}/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body:
      '{"name":"Detailed","amount":-1,"source":"bank","external_id":"b-1","metadata":{"exact":0.12345678901234567890123456789}}',
  })
  expect((await detailed).status).toBe(201)
  const [half] = await unwrap(
    data.rpc('create_transfer', {
      from_account_id: giro,
      to_account_id: savings,
      amount: 50,
      transfer_date: '2025-02-01',
    }),
  )
  await unwrap(
    data.from('transactions').update({ status: 'pending', description: 'put by' }).eq(
      'id',
      half!.id,
    ),
  )
  await unwrap(
    data.from('transactions').update({ category_id: food, reference_no: 'r-1' }).eq('id', half!.id),
  )
  await unwrap(
    data.rpc('create_transfer', {
      from_account_id: savings,
      to_account_id: dollars,
      amount: 10,
      to_amount: 11,
      transfer_date: '2025-02-02',
    }),
  )
  const alone = crypto.randomUUID()
  await one('transactions', {
    id: alone,
    transfer_id: alone,
    name: 'To a pension',
    amount: -30,
    transaction_date: '2025-02-03',
  })
  await unwrap(
    data.rpc('import_transactions', {
      p_rows: [{ name: 'Tram', amount: '-2.90', transaction_date: '2025-01-02' }],
      p_source: 'csv',
      p_dry_run: false,
    }),
  )
  await unwrap(
    data.from('balances').insert({
      account_id: giro,
      on_date: '2025-01-31',
      balance: -19,
      source: 'statement',
    }),
  )
  // A restore stores these rows before it closes their days.
  const former = await one('accounts', {
    name: 'Former',
    type: 'checking',
    balance: 7,
    opened_on: '2024-01-01',
  })
  await one('transactions', {
    name: 'Closed',
    amount: -7,
    account_id: former,
    transaction_date: '2024-06-30',
  })
  await unwrap(
    data.from('accounts').update({ closed_on: '2024-07-01', closed_until: '2024-07-01' }).eq(
      'id',
      former,
    ),
  )
  await unwrap(data.from('closings').insert({ closed_until: '2024-06-30' }))
  return { giro, food, shopping }
}

/**
 * Normalizes rows for a comparison after they were stored again: without ids, owners and times, and
 * with each reference as a name.
 */
export function sameWherever(files: Map<string, string>, folder = 'personal') {
  const stored = Object.keys(tables).filter((table) =>
    tables[table as keyof typeof tables].notRestored === undefined
  )
  const all = stored.flatMap((table) => rowsIn(files, `${folder}/${table}.jsonl`))
  const names = new Map(
    all.filter(({ id }) => id !== undefined).map((row) => [
      row.id as string,
      `the ${row.name ?? row.title ?? row.base ?? row.currency} ${row.amount ?? ''}`,
    ]),
  )
  for (const { transfer_id: transfer, transaction_date: date } of all)
    if (transfer) names.set(transfer, `the transfer of ${date}`)
  return Object.fromEntries(stored.map((table) => [
    table,
    (files.get(`${folder}/${table}.jsonl`) ?? '').trim().split('\n')
      .map((line) =>
        line.replace(
          /"(?:user_id|organization_id|tenant|created_at|updated_at|import_id|id)":(?:null|"[^"]*"),?/g,
          (found) => (found.includes('"id":"w"') ? found : ''),
        )
          .replace(
            /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
            (id) => names.get(id) ?? 'unknown',
          )
      ).toSorted(),
  ]))
}
