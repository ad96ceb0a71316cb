/** The restore of exports that are older than a column. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportMine, restoreMine } from '../../client/export/index.ts'
import { unwrap } from '../../client/index.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { archiveOf, blobOf, filesOf, rowsIn } from './archives.ts'
import { clientOf, type PersonClient } from './person-client.ts'

let stack: Stack

beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

/** Returns the export as an older version wrote one of its files. */
async function older(
  client: PersonClient,
  table: string,
  change: (rows: string) => string,
): Promise<Blob> {
  const path = `personal/${table}.jsonl`
  const files = await filesOf(await blobOf(await exportMine(client)))
  const text = change(files.get(path)!)
  const manifest = JSON.parse(files.get('manifest.json')!)
  manifest.files.find((one: { path: string }) => one.path === path).sha256 = createHash('sha256')
    .update(text).digest('hex')
  return archiveOf(files.set(path, text).set('manifest.json', `${JSON.stringify(manifest)}\n`))
}

test('the export of version 0.2.0 is restored in full', async () => {
  const bob = clientOf(stack, await signedIn(stack, 'Bob'))
  const file = new Blob([await readFile(join(import.meta.dirname, 'export-of-0.2.0.zip'))])
  const rows = async (archive: Blob) => {
    const files = await filesOf(archive)
    return [
      'accounts',
      'transactions',
      'line_items',
      'budgets',
      'past_budgets',
      'rules',
      'closings',
      'dashboards',
    ].map((table) => [
      table,
      rowsIn(files, `personal/${table}.jsonl`).length,
    ])
  }
  const { problems } = await restoreMine(bob, file)
  expect(problems).toEqual([])
  expect(await rows(await blobOf(await exportMine(bob)))).toEqual(await rows(file))
})

test('an export without attachments is restored', async () => {
  const ann = clientOf(stack, await signedIn(stack, 'Ann'))
  await unwrap(ann.data.from('transactions').insert({ name: 'Coffee', amount: -3 }))
  const files = await filesOf(await blobOf(await exportMine(ann)))
  const manifest = JSON.parse(files.get('manifest.json')!)
  manifest.files = manifest.files.filter(({ path }: { path: string }) =>
    path !== 'personal/attachments.jsonl'
  )
  files.delete('personal/attachments.jsonl')
  const bob = clientOf(stack, await signedIn(stack, 'Bob'))
  const { tables, problems } = await restoreMine(
    bob,
    await archiveOf(files.set('manifest.json', `${JSON.stringify(manifest)}\n`)),
  )
  expect({ transactions: tables.transactions, problems }).toEqual({
    transactions: { stored: 1, present: 0 },
    problems: [],
  })
})

test('categories without a kind get the one that their amounts prove, and the figures stay', async () => {
  const ann = clientOf(stack, await signedIn(stack, 'Ann'))
  const { data } = ann
  const expected = {
    Salary: 'income',
    'Salary with a failed correction': 'income',
    'Interest of a split': 'income',
    Refunded: 'expense',
    Food: 'expense',
    'Only moved': 'expense',
    Unused: 'expense',
    'Taken by its items': 'expense',
  }
  const ids = new Map<string, string>()
  for (const [name, kind] of Object.entries(expected)) {
    const { id } = await unwrap(
      data.from('categories').insert({ name, kind }).select('id').single(),
    )
    ids.set(name, id)
  }
  const pay = async (category: string | null, amount: number, more: object = {}) =>
    (await unwrap(
      data.from('transactions').insert({
        name: 'x',
        amount,
        transaction_date: '2025-01-15',
        category_id: category === null ? null : ids.get(category)!,
        ...more,
      }).select('id').single(),
    )).id
  await pay('Salary', 3000)
  await pay('Salary with a failed correction', 100)
  await pay('Salary with a failed correction', -100, { status: 'failed' })
  const split = await pay('Taken by its items', 20)
  await unwrap(
    data.from('line_items').insert({
      transaction_id: split,
      name: 'Interest',
      amount: 20,
      category_id: ids.get('Interest of a split')!,
    }),
  )
  await pay('Refunded', -10)
  await pay('Refunded', 4)
  await pay('Food', -7.5)
  const alone = crypto.randomUUID()
  await pay('Only moved', 9, { id: alone, transfer_id: alone })
  const figures = async (client: typeof ann) =>
    await unwrap(client.data.rpc('get_cash_flow', { grouping: 'yearly', periods: 10 }))
  const kinds = async (client: typeof ann) =>
    Object.fromEntries(
      (await unwrap(client.data.from('categories').select('name,kind'))).map((
        { name, kind },
      ) => [name, kind]),
    )

  const bob = clientOf(stack, await signedIn(stack, 'Bob'))
  const restored = await restoreMine(
    bob,
    await older(
      ann,
      'categories',
      (rows) => rows.replace(/"(?:kind|parent_id)":(?:null|"\w+"),?/g, '').replace(/,\}/g, '}'),
    ),
  )
  expect(restored.problems).toEqual([])
  expect(await kinds(bob)).toEqual(expected)
  expect(await figures(bob)).toEqual(await figures(ann))
})

test('only the transaction of a recorded day gets its subscription, beside others of the same request', async () => {
  const ann = clientOf(stack, await signedIn(stack, 'Ann'))
  const { data } = ann
  const { id } = await unwrap(
    data.from('subscriptions').insert({
      title: 'Rent',
      amount: 900,
      period: 'monthly',
      starts_on: '2025-01-31',
    }).select('id').single(),
  )
  await unwrap(
    data.from('transactions').insert([
      { name: 'recorded', amount: -900, source: 'subscription', external_id: `${id}:2025-02-28` },
      {
        name: 'of another one',
        amount: -1,
        source: 'subscription',
        external_id: `${crypto.randomUUID()}:2025-02-28`,
      },
      { name: 'other', amount: -2, source: 'manual', external_id: null },
    ]),
  )
  const bob = clientOf(stack, await signedIn(stack, 'Bob'))
  const restored = await restoreMine(
    bob,
    await older(
      ann,
      'transactions',
      (rows) => rows.replace(/"(?:subscription_id|due_on)":null,?/g, '').replace(/,\}/g, '}'),
    ),
  )
  expect(restored.problems).toEqual([])
  expect(
    await unwrap(
      bob.data.from('transactions').select('name,due_on,subscription:subscriptions(title)').order(
        'name',
      ),
    ),
  ).toEqual([
    { name: 'of another one', due_on: null, subscription: null },
    { name: 'other', due_on: null, subscription: null },
    { name: 'recorded', due_on: '2025-02-28', subscription: { title: 'Rent' } },
  ])
})

test('subscriptions without a kind become incomes if their amount was negative, and expenses otherwise', async () => {
  const ann = clientOf(stack, await signedIn(stack, 'Ann'))
  await unwrap(
    ann.data.from('subscriptions').insert([{ title: 'Rent', amount: 900, period: 'monthly' }, {
      title: 'Salary',
      amount: 3000,
      period: 'monthly',
    }]),
  )
  const bob = clientOf(stack, await signedIn(stack, 'Bob'))
  const archive = await older(
    ann,
    'subscriptions',
    (rows) =>
      rows.replace(/"(?:kind|to_account_id)":(?:null|"\w+"),?/g, '').replace(/,\}/g, '}').replace(
        '3000.00',
        '-3000.00',
      ),
  )
  expect((await restoreMine(bob, archive)).problems).toEqual([])
  expect(await unwrap(bob.data.from('subscriptions').select('title,kind,amount').order('title')))
    .toEqual([
      { title: 'Rent', kind: 'expense', amount: 900 },
      { title: 'Salary', kind: 'income', amount: 3000 },
    ])
})

test('line items get the direction of their transaction if the export is from before they had signs', async () => {
  const ann = clientOf(stack, await signedIn(stack, 'Ann'))
  const id = crypto.randomUUID()
  await unwrap(ann.data.from('transactions').insert({ id, name: 'Store', amount: -85 }))
  await unwrap(
    ann.data.from('line_items').insert(
      [['Bread', -60], ['Cable', -25]].map(([name, amount]) =>
        ({ transaction_id: id, name, amount }) as never
      ),
    ),
  )
  const files = await filesOf(
    await older(ann, 'line_items', (rows) => rows.replace('-25.00', '25.00')),
  )
  const manifest = JSON.parse(files.get('manifest.json')!)
  expect(manifest.signed_line_items).toBe(true)
  delete manifest.signed_line_items
  const bob = clientOf(stack, await signedIn(stack, 'Bob'))
  const { problems } = await restoreMine(
    bob,
    await archiveOf(files.set('manifest.json', `${JSON.stringify(manifest)}\n`)),
  )
  expect(problems).toEqual([])
  expect(await unwrap(bob.data.from('line_items').select('name,amount').order('name'))).toEqual([
    { name: 'Bread', amount: -60 },
    { name: 'Cable', amount: -25 },
  ])
})
