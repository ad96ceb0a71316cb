/**
 * The daily work by keyboard alone: forty transactions are entered, and forty are categorised,
 * within a number of key presses.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { typedAmount } from '../../app/src/locale/amounts.ts'
import { type Person, signedIn } from '../support/person.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { beginEntry, otherPrograms, row, said, soon } from './app-transactions-page.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const { store } = otherPrograms(() => story)

/** A keyboard that counts its presses. A human makes about five a second. */
function keyboardOf(page: Page) {
  let presses = 0
  return {
    presses: () => presses,
    type: async (text: string) => {
      presses += text.length
      await page.keyboard.type(text)
    },
    press: async (...keys: string[]) => {
      for (const key of keys) {
        presses += 1
        await page.keyboard.press(key)
      }
    },
  }
}

const focused = (page: Page) =>
  page.evaluate<string | null>(`document.activeElement.getAttribute('name')`)

/**
 * The payees of a month, with what Ann types of their names, their usual category and account, and
 * their amounts.
 */
const payees = [
  { name: 'Rewe market', typed: 'rew', category: 'Groceries', account: 'Giro', amount: 23.45 },
  { name: 'Café Größenwahn', typed: 'gross', category: 'Eating out', account: 'Cash', amount: 8.9 },
  { name: 'City transport', typed: 'city', category: 'Travel', account: 'Giro', amount: 3.5 },
  { name: 'Corner bakery', typed: 'bak', category: 'Groceries', account: 'Cash', amount: 5.2 },
] as const

describe('Ann, with payees of former months', () => {
  let ann: Person
  let page: Page
  const categories: Record<string, string> = {}
  const accounts: Record<string, string> = {}

  const stored = async (where: string) =>
    (await story.stack.sql.query(
      `select t.name, t.amount::float8, c.name as category, a.name as account from api.transactions t
      left join api.categories c on c.id = t.category_id left join api.accounts a on a.id = t.account_id
      where t.user_id = $1 and ${where} order by t.created_at, t.name`,
      [await ann.id()],
    )).rows

  beforeAll(async () => {
    ann = await signedIn(story.stack, 'Ann')
    for (const name of ['Groceries', 'Eating out', 'Travel', 'Health', 'Hobby'])
      categories[name] = await store(ann, 'categories', { name })
    for (const name of ['Giro', 'Cash'])
      accounts[name] = await store(ann, 'accounts', { name, type: 'checking', currency: 'eur' })
    for (const { name, category, account, amount } of payees) {
      await store(ann, 'transactions', {
        name,
        amount: -amount,
        currency: 'eur',
        category_id: categories[category],
        account_id: accounts[account],
        transaction_date: '2025-05-01',
      })
    }
    page = await story.open(ann, '/transactions')
    await said(page, 'Rewe market')
  })
  afterAll(() => page.context().close())

  test('Ann, with payees of former months enters forty transactions in five minutes', async () => {
    const keys = keyboardOf(page)
    await page.getByRole('grid').waitFor()
    await keys.press('n')
    const entry = page.getByRole('group', { name: 'New transaction' })
    const last = new Map<string, number>(payees.map(({ name, amount }) => [name, amount]))
    const wanted: Array<{ name: string, amount: number, category: string, account: string }> = []
    for (let at = 0; at < 40; at++) {
      const payee = payees[at % payees.length] ?? payees[0]
      const usual = last.get(payee.name) ?? 0
      const amount = at % 5 === 0 ? usual : at + 0.5
      await soon(() => focused(page)).toBe('name')
      await keys.type(payee.typed)
      await page.getByRole('option', { name: payee.name }).waitFor()
      await keys.press('Tab')
      await soon(() => entry.getByLabel('Amount').inputValue()).toBe(typedAmount(usual, 'en-US'))
      if (amount !== usual) await keys.type(String(amount))
      const isOther = at % 8 === 7
      if (isOther) {
        await keys.press('Tab')
        await keys.type('hob')
        await page.getByRole('option', { name: 'Hobby' }).waitFor()
        await keys.press('Tab')
      }
      await keys.press('Enter')
      last.set(payee.name, amount)
      wanted.push({
        name: payee.name,
        amount: -amount,
        category: isOther ? 'Hobby' : payee.category,
        account: payee.account,
      })
      await soon(async () => (await stored(`t.transaction_date > '2025-06-01'`)).length).toBe(
        at + 1,
      )
    }
    expect(await barriers(page)).toEqual([])
    await keys.press('Escape')
    await entry.waitFor({ state: 'detached' })
    expect(await stored(`t.transaction_date > '2025-06-01'`)).toEqual(wanted)
    expect(keys.presses()).toBeLessThanOrEqual(1_500)
  })

  test('Ann, with payees of former months categorises forty transactions in one minute', async () => {
    await story.stack.sql.query(
      `insert into api.transactions (user_id, organization_id, name, amount, currency, status, transaction_date)
      select $1, null, 'Open ' || to_char(n, 'FM00'), -n, 'eur', 'paid', timestamptz '2025-04-30 12:00Z' - n * interval '1 hour' from generate_series(1, 40) n`,
      [await ann.id()],
    )
    await page.goto(`${story.stack.publicUrl}/transactions?category=none`)
    await row(page, 'Open 01').waitFor()
    await page.getByRole('grid').focus()
    const keys = keyboardOf(page)
    const wanted = [['gr', 'Groceries'], ['ea', 'Eating out'], ['tr', 'Travel'], [
      'he',
      'Health',
    ]] as const
    for (let at = 0; at < 40; at++) {
      const [typed, name] = wanted[at % wanted.length] ?? wanted[0]
      await soon(() => page.evaluate(`document.activeElement.getAttribute('role')`)).toBe('grid')
      await keys.press('c')
      await page.getByRole('combobox', { name: 'Category' }).waitFor()
      await keys.type(typed)
      await page.getByRole('option', { name }).waitFor()
      if (at === 0) expect(await barriers(page)).toEqual([])
      await keys.press('Enter')
    }
    await soon(async () => (await stored(`t.name like 'Open %' and t.category_id is null`)).length)
      .toBe(0)
    expect((await stored(`t.name like 'Open %'`)).map(({ category }) => category)).toEqual(
      Array.from({ length: 40 }, (_, at) => wanted[at % 4]?.[1]),
    )
    expect(keys.presses()).toBeLessThanOrEqual(300)
  })
})

test('Dan types a category that does not exist yet, and creates it from the field of a new row and of a stored one', async () => {
  const dan = await signedIn(story.stack, 'Dan')
  await store(dan, 'transactions', { name: 'Salary', amount: 2000 })
  const page = await story.open(dan, '/transactions')
  await row(page, 'Salary').waitFor()
  await beginEntry(page)
  const entry = page.getByRole('group', { name: 'New transaction' })
  await entry.getByLabel('Name').fill('Bread')
  await entry.getByLabel('Amount').fill('4')
  await entry.getByLabel('Category').fill('Bakery')
  await page.getByRole('option', { name: 'Create “Bakery”' }).waitFor()
  await entry.getByLabel('Category').press('Enter')
  await said(page, 'Bakery created.')
  await soon(() => entry.getByLabel('Category').inputValue()).toBe('Bakery')
  await entry.getByRole('button', { name: 'Add' }).click()
  await soon(() => row(page, 'Bread').locator('.tx-category').textContent()).toBe('Bakery')
  await entry.getByRole('button', { name: 'Close' }).click()
  await row(page, 'Salary').locator('.tx-amount').click()
  await page.getByRole('grid').focus()
  await page.keyboard.press('c')
  await page.getByRole('combobox', { name: 'Category' }).fill('Pay')
  await page.getByRole('option', { name: 'Create “Pay”' }).waitFor()
  await page.keyboard.press('Enter')
  await soon(() => row(page, 'Salary').locator('.tx-category').textContent()).toBe('Pay')
  await soon(() =>
    story.stack.sql.query(
      `select name, kind from api.categories where name in ('Bakery', 'Pay') order by name`,
    ).then(({ rows }) => rows)
  )
    .toEqual([{ name: 'Bakery', kind: 'expense' }, { name: 'Pay', kind: 'income' }])
  await page.context().close()
})
