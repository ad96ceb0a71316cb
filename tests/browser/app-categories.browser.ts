/** Categories in the reference app. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { month, nameOf, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const cellsOf = (page: Page) =>
  page.locator('tbody tr').evaluateAll((rows) =>
    rows.map((row) => [...(row as any).cells].map((cell) => cell.textContent).slice(0, 3))
  )

test('Ann creates a category with a monthly budget, and sees its remainder among the budgets', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/categories')
  await page.getByText('No categories yet.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New category' }).click()
  await page.getByLabel('Name').fill('Food')
  await page.getByLabel('Color').fill('#2e7d4f')
  await page.getByLabel('Monthly budget').fill('many')
  await page.getByLabel('Currency').fill('EUR')
  await page.getByText('That isn’t an amount.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByLabel('Monthly budget').fill('300')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([['Food', 'Expenses', '€300.00']])
  await page.getByRole('main').getByRole('link', { name: 'Budgets' }).click()
  await page.getByRole('link', { name: `Food, ${nameOf(month())}: €300.00 left` }).waitFor()
  await page.context().close()
})

test('Dan creates a category of income and a subcategory, which stands below its parent', async () => {
  const dan = await signedIn(story.stack, 'Dan')
  await store(story, dan, 'categories', [{ name: 'Work' }, { name: 'Apples' }])
  const page = await story.open(dan, '/categories')
  await page.getByRole('button', { name: 'Edit Work' }).click()
  await page.getByLabel('Type').selectOption('Income')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'New category' }).click()
  await page.getByLabel('Name').fill('Bonus')
  await page.getByLabel('Parent category').selectOption('Work')
  await page.getByLabel('Currency').fill('EUR')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await cellsOf(page)).map(([name, kind]) => [name, kind])).toEqual([
    ['Apples', 'Expenses'],
    ['Work', 'Income'],
    ['– Bonus', 'Income'],
  ])
  await page.context().close()
})

test('Dora deletes a category, chooses a replacement for its transactions, and undoes it', async () => {
  const dora = await signedIn(story.stack, 'Dora')
  const [food, fun] = await store(story, dora, 'categories', [{ name: 'Food' }, { name: 'Fun' }])
  await store(story, dora, 'transactions', [{
    name: 'Cinema',
    amount: -10,
    transaction_date: month(),
    category_id: fun.id,
  }])
  const filed = async () =>
    (await story.stack.sql.query('select category_id from api.transactions where name = $1', [
      'Cinema',
    ])).rows[0].category_id
  const page = await story.open(dora, '/categories')
  await page.getByRole('button', { name: 'Delete Fun' }).click()
  await page.getByLabel('Its transactions and recurring items').selectOption('move to Food')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Fun deleted, 1 transaction moved.').first().waitFor()
  await expect.poll(() => cellsOf(page)).toHaveLength(1)
  expect(await filed()).toBe(food.id)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => cellsOf(page)).toHaveLength(2)
  expect(await filed()).toBe(fun.id)
  await page.context().close()
})
