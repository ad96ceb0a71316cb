/**
 * Parent categories, suggested categories and linked transfers of transactions in the reference
 * app.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { beginEntry, choose, otherPrograms, row, said, soon } from './app-transactions-page.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const { send } = otherPrograms(() => story)

/** The names and categories of the visible rows except for the edited one, sorted by name. */
const filed = async (page: Page) =>
  (await page.locator('.tx-rows .tx-row:not(.tx-edited)').evaluateAll((rows) =>
    rows.map((one: any) =>
      [one.querySelector('.tx-title').textContent, one.querySelector('.tx-category').textContent]
        .filter(Boolean).join(': ')
    )
  )).toSorted()
const sum = (page: Page) => page.getByRole('status', { name: 'Total of the listed transactions' })

test('Ann filters by a parent category with its subcategories, by the parent only, and by a subcategory', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const [car, food] = await store(story, ann, 'categories', [{ name: 'Car' }, { name: 'Food' }])
  const [fuel] = await store(story, ann, 'categories', [{ name: 'A fuel', parent_id: car.id }])
  await store(story, ann, 'transactions', [
    { name: 'Wash', amount: -1, category_id: car.id },
    { name: 'Diesel', amount: -2, category_id: fuel.id },
    { name: 'Bread', amount: -4, category_id: food.id },
  ])
  const page = await story.open(ann, '/transactions')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('Category').press('ArrowDown')
  await soon(() => page.getByRole('listbox').getByRole('option').allTextContents()).toEqual([
    'Any',
    'None',
    'Car',
    'Only Car',
    'A fuel',
    'Food',
  ])
  await choose(page.getByLabel('Category'), 'Car')
  await soon(() => filed(page)).toEqual(['Diesel: A fuel', 'Wash: Car'])
  await soon(() => sum(page).textContent()).toBe('Total of 2-$3.00')
  expect(await barriers(page)).toEqual([])
  await page.reload()
  await soon(() => filed(page)).toEqual(['Diesel: A fuel', 'Wash: Car'])
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await choose(page.getByLabel('Category'), 'Only Car')
  await soon(() => filed(page)).toEqual(['Wash: Car'])
  await soon(() => sum(page).textContent()).toBe('Total of 1-$1.00')
  await choose(page.getByLabel('Category'), 'A fuel')
  await soon(() => filed(page)).toEqual(['Diesel: A fuel'])
  await page.getByRole('button', { name: 'Remove filter A fuel' }).click()
  await soon(() => filed(page)).toEqual(['Bread: Food', 'Diesel: A fuel', 'Wash: Car'])

  // Subcategories are below their parents in every choice.
  await beginEntry(page)
  await page.getByRole('group', { name: 'New transaction' }).getByLabel('Category').press(
    'ArrowDown',
  )
  await soon(() => page.getByRole('listbox').getByRole('option').allTextContents()).toEqual([
    'No category',
    'Car',
    'A fuel',
    'Food',
  ])
  await page.goto(new URL('/categories', page.url()).href)
  await page.getByRole('link', { name: 'Car' }).click()
  await soon(() => filed(page)).toEqual(['Diesel: A fuel', 'Wash: Car'])
  await page.getByRole('button', { name: 'Remove filter Car' }).waitFor()

  // The budget of a parent includes the expenses of subcategories, unless all of them have a
  // budget.
  await send(ann, 'PATCH', `/categories?id=eq.${car.id}`, { monthly_budget: 10 })
  const openBudget = async (expected: string[]) => {
    await page.goto(new URL('/', page.url()).href)
    await page.getByRole('region', { name: 'Budgets' }).getByRole('link', { name: 'Car' }).click()
    await soon(() => filed(page)).toEqual(expected)
  }
  await openBudget(['Diesel: A fuel', 'Wash: Car'])
  await send(ann, 'PATCH', `/categories?id=eq.${fuel.id}`, { monthly_budget: 5 })
  await openBudget(['Wash: Car'])
  await page.context().close()
})

test('Ben has categories suggested for his list and for a selection, accepts some of them, and undoes that', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const [bakery, fares] = await store(story, ben, 'categories', [{ name: 'Bakery' }, {
    name: 'Fares',
  }])
  await store(
    story,
    ben,
    'transactions',
    [1, 2, 3].flatMap((number) => [
      {
        name: `Bread & Co ${number}`,
        amount: -4,
        category_id: bakery.id,
        transaction_date: '2025-03-01',
      },
      { name: `Tram ${number}`, amount: -3, category_id: fares.id, transaction_date: '2025-03-01' },
    ]),
  )
  await store(
    story,
    ben,
    'transactions',
    ['BREAD+CO 99', 'Tram 44', 'Tram 45', 'Unknown'].map((name) => ({
      name,
      amount: -5,
      transaction_date: '2025-03-09',
    })),
  )
  const page = await story.open(ben, '/transactions?from=2025-03-09', {
    viewport: { width: 390, height: 800 },
  })
  const open = ['BREAD+CO 99', 'Tram 44', 'Tram 45', 'Unknown']
  await soon(() => filed(page)).toEqual(open)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Suggest categories' }).click()
  const suggestions = page.getByRole('dialog')
  await suggestions.getByText('All 3 suggestions').waitFor()
  expect((await suggestions.getByRole('listitem').allTextContents()).toSorted()).toEqual([
    'BREAD+CO 99: BakeryMar 9, 2025All 3 transactions with “bread co” are in Bakery.-$5.00',
    'Tram 44: FaresMar 9, 2025All 3 transactions with “tram” are in Fares.-$5.00',
    'Tram 45: FaresMar 9, 2025All 3 transactions with “tram” are in Fares.-$5.00',
  ])
  expect(await barriers(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await suggestions.getByLabel('Tram 45').focus()
  await page.keyboard.press('Space')
  await suggestions.getByRole('button', { name: 'Accept 2 categories' }).click()
  await soon(() => filed(page)).toEqual([
    'BREAD+CO 99: Bakery',
    'Tram 44: Fares',
    'Tram 45',
    'Unknown',
  ])
  await page.locator('.toast', { hasText: '2 transactions changed.' }).getByRole('button', {
    name: 'Undo',
  }).click()
  await soon(() => filed(page)).toEqual(open)

  await page.getByRole('checkbox', { name: 'Select Tram 44' }).check()
  await page.getByRole('checkbox', { name: 'Select Unknown' }).check()
  await page.getByRole('group', { name: 'Selected transactions' }).getByRole('button', {
    name: 'Suggest categories',
  }).click()
  await suggestions.getByText('The suggestion', { exact: true }).waitFor()
  // Another program files the row first.
  await send(ben, 'PATCH', '/transactions?name=eq.Tram%2044', { category_id: bakery.id })
  await suggestions.getByRole('button', { name: 'Accept 1 category' }).click()
  await said(page, 'All of them already have a category.')
  await soon(() => filed(page)).toEqual(['BREAD+CO 99', 'Tram 44: Bakery', 'Tram 45', 'Unknown'])
  await page.getByRole('checkbox', { name: 'Select Tram 44' }).uncheck()
  await page.getByRole('group', { name: 'Selected transactions' }).getByRole('button', {
    name: 'Suggest categories',
  }).click()
  await suggestions.getByText('No suggestions.').waitFor()
  await page.context().close()
})

test('Cleo links two transactions as a transfer, undoes that, links them again and unlinks them', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  const [giro, savings, cash] = await store(
    story,
    cleo,
    'accounts',
    ['Giro', 'Savings', 'Cash'].map((name) => ({ name, type: 'checking', currency: 'eur' })),
  )
  const on = (day: string, name: string, amount: number, account: { id: string }) => ({
    name,
    amount,
    account_id: account.id,
    transaction_date: day,
  })
  await store(story, cleo, 'transactions', [
    on('2025-03-05', 'To savings', -50, giro),
    on('2025-03-08', 'From giro', 50, savings),
    on('2025-03-06', 'Found', 50, cash),
    on('2025-03-11', 'Too late', 50, savings),
    on('2025-03-05', 'Same account', 50, giro),
    on('2025-03-05', 'Another amount', 51, savings),
  ])
  const page = await story.open(cleo, '/transactions', { viewport: { width: 390, height: 800 } })
  const details = async (name: string) => {
    await row(page, name).getByRole('button', { name, exact: true }).click()
    await page.getByRole('button', { name: 'Details' }).click()
  }
  const stopEditing = () =>
    page.getByRole('group', { name: /^Edit/ }).getByRole('button', { name: 'Close' }).click()
  const transfers = async () => (await filed(page)).filter((text) => text.includes('⇄'))
  await details('To savings')
  const link = page.getByRole('region', { name: 'Link as transfer with…' })
  await soon(() => link.getByRole('listitem').allTextContents()).toEqual([
    'FoundMar 6, 2025, Cash€50.00Link',
    'From giroMar 8, 2025, Savings€50.00Link',
  ])
  expect(await barriers(page)).toEqual([])
  // Unsaved input would be lost.
  await page.getByLabel('Description', { exact: true }).fill('For the bike')
  await link.getByText('Save your changes first.').waitFor()
  expect(await link.getByRole('button', { name: 'Link From giro' }).isDisabled()).toBe(true)
  await page.getByLabel('Description', { exact: true }).fill('')
  await link.getByRole('button', { name: 'Link From giro' }).click()
  await said(page, 'Linked as a transfer.')
  await soon(transfers).toEqual(['From giro: ⇄ Transfer from Giro'])
  await stopEditing()
  await soon(transfers).toEqual([
    'From giro: ⇄ Transfer from Giro',
    'To savings: ⇄ Transfer to Savings',
  ])
  await page.locator('.toast', { hasText: 'Linked as a transfer.' }).getByRole('button', {
    name: 'Undo',
  }).click()
  await soon(transfers).toEqual([])

  await details('From giro')
  await page.getByRole('button', { name: 'Link To savings' }).click()
  await page.getByRole('button', { name: 'Details' }).click()
  const transfer = page.getByRole('region', { name: 'Transfer with' })
  await soon(() => transfer.getByRole('listitem').allTextContents()).toEqual([
    'To savingsMar 5, 2025, Giro-€50.00',
  ])
  expect(await barriers(page)).toEqual([])
  await transfer.getByRole('button', { name: 'Unlink' }).click()
  await said(page, 'Transfer unlinked.')
  await stopEditing()
  await soon(transfers).toEqual([])
  await details('Another amount')
  await said(page, 'No transaction in another account has the opposite amount within 5 days.')
  await page.context().close()
})
