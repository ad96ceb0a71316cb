/**
 * A user searches without typing accents or capital letters, and sorts names by their letters, in a
 * database of any locale.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { folded } from '../../app/src/locale/matching.ts'
import { migrate } from '../../db/migrate.ts'
import { connection, execute, passwords, publicUrl } from '../support/database.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller
beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person())
  await mine.create('transactions', [
    { name: 'ÜBERWEISUNG', amount: -1, description: null, reference_no: 'Rückzahlung' },
    {
      name: 'Café Zürich',
      amount: -2,
      description: 'Grüße aus der Königstraße',
      reference_no: null,
    },
    { name: 'Łódź smørrebrød', amount: -3, description: '50%_off', reference_no: null },
    { name: 'ΟΔΟΣ Кофе', amount: -4, description: null, reference_no: null },
    // a letter and a combining accent, and full-width letters
    { name: 'Cafe\u0301 ＢＡＲ', amount: -5, description: null, reference_no: null },
  ])
})
afterAll(() => stack.stop())

const searches: [search: string, amounts: number[]][] = [
  ['über', [-1]],
  ['UBER', [-1]],
  ['ruckzahlung', [-1]],
  ['cafe', [-5, -2]],
  ['CAFÉ', [-5, -2]],
  ['zurich', [-2]],
  ['grusse', [-2]],
  ['Königstrasse', [-2]],
  ['KÖNIGSTRASSE', [-2]],
  ['lodz', [-3]],
  ['Smorrebrod', [-3]],
  ['0%_O', [-3]],
  ['5__', []],
  ['οδός', [-4]],
  ['КОФЕ', [-4]],
  ['bar', [-5]],
  ['café zürich\ngrüße', [-2]],
  ['nothing', []],
]

test.each(searches)(
  'a search for %j finds its transactions, in a list and in a report',
  async (search, amounts) => {
    const filters = [{ field: 'search', operation: 'contains', value: search }]
    const amountsOf = ({ status, body }: Awaited<ReturnType<Caller['get']>>) => {
      expect(status, JSON.stringify(body)).toBe(200)
      return body.map(({ amount }: { amount: number }) => amount)
    }
    expect(
      amountsOf(
        await mine.post('/rpc/get_filtered_transactions?select=amount&order=amount', { filters }),
      ),
    ).toEqual(amounts)
    const { body } = await mine.post('/rpc/get_transaction_stat', {
      p_filters: filters,
      p_aggregate_fn: 'count',
      p_transaction_type: 'balance',
    })
    expect(body).toBe(amounts.length)
    // as the app writes the filter
    const pattern = `*${folded(search).replaceAll(/[\\%_]/g, String.raw`\$&`)}*`
    expect(
      amountsOf(
        await mine.get(
          `/transactions?select=amount&order=amount&search_text=like.${
            encodeURIComponent(pattern)
          }`,
        ),
      ),
    ).toEqual(amounts)
  },
)

test('a filter that names the accents finds them as they are written', async () => {
  expect((await mine.get('/transactions?select=amount&search_text=ilike.*Café*')).body).toEqual([{
    amount: -2,
  }])
})

test('a name in two normal forms is two rows, each as it was sent', async () => {
  const both = ['Caf\u00e9', 'Cafe\u0301']
  await mine.create('categories', both.map((name) => ({ name })))
  for (const name of both)
    expect((await mine.get(`/categories?select=name&name=eq.${encodeURIComponent(name)}`)).body)
      .toEqual([{ name }])
})

test('names sort by their letters', async () => {
  const sorter = stack.as(await stack.person())
  await sorter.create(
    'transactions',
    ['Zebra', 'apfel', 'Äpfel', 'Bär', 'bar'].map((name) => ({ name, amount: 1 })),
  )
  const { body } = await sorter.get('/transactions?select=name,sort_name&order=sort_name,name')
  expect(body.map(({ name }: { name: string }) => name)).toEqual([
    'apfel',
    'Äpfel',
    'Bär',
    'bar',
    'Zebra',
  ])
  expect(body.at(-1).sort_name).toBe('zebra')
})

/** Expects that a database folds Latin letters as the app does. */
async function expectFolded(db: pg.Client): Promise<void> {
  const letters = Array.from({ length: 0x24f }, (__, at) => String.fromCodePoint(at + 1))
  const latin = [
    ...letters,
    ...Array.from({ length: 0x100 }, (__, at) => String.fromCodePoint(0x1e00 + at)),
  ].filter((one) => /\p{Script=Latin}/u.test(one))
  const { rows } = await db.query<{ letter: string, fold: string }>(
    'select letter, private.folded(letter) as fold from unnest($1::text[]) as letter',
    [latin],
  )
  const differ = rows.filter(({ letter, fold }) =>
    /^[a-z]+$/.test(folded(letter)) && fold !== folded(letter)
  )
  expect(differ).toEqual([])
  expect(rows.filter(({ letter }) => 'ÄÉßŒŁ'.includes(letter)).map(({ fold }) => fold)).toEqual([
    'a',
    'e',
    'ss',
    'l',
    'oe',
  ])
}

test('a database with the locale of this product reads Latin letters as the app does', () =>
  expectFolded(stack.owner))

test('a database with the locale C reads Latin letters as the app does', async () => {
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = connection(inject('serverUrl'), { database: name })
  await execute(
    inject('serverUrl'),
    `create database ${name} template template0 locale_provider libc locale 'C'`,
  )
  onTestFinished(() => execute(inject('serverUrl'), `drop database ${name} with (force)`))
  await migrate({
    databaseUrl: url,
    publicUrl,
    authServicePassword: passwords.authService,
    authenticatorPassword: passwords.authenticator,
  })
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  onTestFinished(() => db.end())
  await expectFolded(db)
})
