/** Runs every example of docs/data.md in order, as one story, against the real PostgREST. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page, sections, startDataPage, type DataPage } from '../support/data-page.ts'
import { dataStack, type DataStack } from '../support/data.ts'
import { asInDocs } from '../support/postgrest-versions.ts'

let stack: DataStack
let dataPage: DataPage

beforeAll(async () => {
  stack = await dataStack()
  dataPage = await startDataPage(stack)
})
afterAll(async () => {
  await dataPage.close()
  await stack.stop()
})

test.each(sections)(
  'the examples of “$title” work as the page says, and return what it shows',
  ({ examples }) => dataPage.run(examples),
)

test('the page mentions every table and every function', async () => {
  const { body } = await stack.anonymous.get('/', { accept: 'application/openapi+json' })
  const names = Object.keys(body.paths).map((path) => path.split('/').at(-1) ?? '').filter((name) =>
    name !== ''
  )
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !page.includes(name))).toEqual([])
})

test('the TypeScript of the page compiles in strict mode', async () => {
  const options =
    '--noEmit --strict --skipLibCheck --target es2024 --lib es2024,dom --module nodenext --moduleResolution nodenext page.mts'
  const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(compiler, options.split(' '), {
    cwd: dataPage.directory,
  }).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

test('every error of the table occurs as the table says', async () => {
  const mine = stack.as(await stack.person('error'))
  const row = { name: 'x', amount: 1 }
  const merge = { prefer: 'resolution=merge-duplicates' }
  const imported = { ...row, source: 'bank', external_id: '1' }
  const { id: transaction_id } = await mine.create('transactions', imported)
  const answers = [
    await mine.get('/transactions?id=eq.1'),
    await mine.post('/transactions', 'name,amount,transaction_date\nx,1,', {
      'content-type': 'text/csv',
    }),
    await mine.get('/transactions?transaction_date=gte.2025-02-30'),
    await mine.post('/transactions', { ...row, name: '\u0000' }),
    await mine.post('/transactions', { ...row, amount: 1e12 }),
    await mine.post('/transactions', { ...row, status: 'done' }),
    await mine.post('/transactions', { name: 'x' }),
    await mine.post('/rpc/get_transaction_stat', { p_aggregate_fn: 'max' }),
    await mine.get('/transactions?colour=eq.red'),
    await mine.post('/transactions', { ...row, colour: 'red' }),
    await mine.get('/transactions?select=*,dashboards(*)'),
    await mine.get('/transactions?amount=about.5'),
    await mine.post('/transactions', [row, { ...row, currency: 'eur' }]),
    await mine.post('/transactions?on_conflict=source,external_id', imported, merge),
    await mine.post('/transactions', [imported, imported], merge),
    await mine.get('/transactions', { authorization: 'Bearer nonsense' }),
    await stack.anonymous.post('/transactions', row),
    await mine.post('/transactions', { ...row, user_id: 'somebody' }),
    await mine.get('/wallets'),
    await mine.post('/rpc/get_cash_flow', { colour: 'red' }),
    await mine.post('/rpc/delete_category', { p_category_id: crypto.randomUUID() }),
    await mine.put('/rpc/undo', {}),
    await mine.put('/transactions', row),
    await mine.get(
      `/rpc/delete_category?p_category_id=${(await mine.create('categories', { name: 'x' })).id}`,
    ),
    await mine.get('/tags', { accept: 'application/vnd.pgrst.object+json' }),
    await mine.post('/transactions', imported),
    await mine.post('/transactions', { ...row, category_id: crypto.randomUUID() }),
    await mine.post(
      '/transactions',
      `{"name":"x","amount":1,"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ),
    await mine.get('/transactions?offset=9', { prefer: 'count=exact' }),
    await mine.post('/rpc/begin_upload', {
      transaction_id,
      name: 'film.pdf',
      size: 1e8,
      sha256: 'a'.repeat(64),
    }),
    await mine.get('/transactions?select=amount::money_of_mine'),
    await mine.get('/transactions?category.name=eq.Food'),
    await mine.get('/transactions?select=*,line_items(name)&order=line_items(name)'),
    await mine.get('/transactions?select=*,...line_items(name)'),
    await mine.get('/transactions?select=amount::uuid'),
    await mine.get('/transactions?amount=is.true'),
    await mine.get('/transactions?name=match.('),
    await mine.get('/transactions?name=fts.a%20b'),
    await mine.get('/transactions', { prefer: 'count=planned' }),
    await mine.get('/transactions?select=amount.sum()'),
    await mine.get('/transactions?amount=like.5*'),
    await mine.get('/transactions', { 'accept-profile': 'public' }),
    await mine.post('/tags', { name: 'x' }, { 'idempotency-key': 'k' }),
  ].map(asInDocs)
  const table = [...page.matchAll(/^\| (\d{3}) \| (.*?) \|/gm)].flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`)
  )
  // The errors of limits, connection shares and write locks are in their own tests and in
  // tests/containers/edge.containers.ts. The limit of rows that one request may change is in
  // activity-of-many.test.ts.
  const elsewhere = [
    '500 57014',
    '409 PT409',
    '413 PT413',
    '429 53400',
    '503 53200',
    '503 TENANT_MOVED',
    '503 PGRST001',
    '504 PGRST003',
  ]
  expect(answers.toSorted()).toEqual(table.filter((error) => !elsewhere.includes(error)).toSorted())
})
