/** Budgets over months in the reference app. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { lastDay, month, nameOf, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const desktop = { viewport: { width: 1024, height: 800 } }
const shortNameOf = (day: string) => nameOf(day).split(' ')[0]
const headsOf = (page: Page) => page.locator('thead th').allTextContents()
/** The cells of a row by their words. */
const rowOf = async (page: Page, name: string) => {
  const cells = await page.getByRole('row', { name }).getByRole('cell').allInnerTexts()
  return cells.map((text) => text.replaceAll(/\s+/g, ' ').trim())
}

/** Removes a stored budget in the form, and closes the form. */
async function removeBudget(page: Page, name: string) {
  const dialog = page.getByRole('dialog', { name: 'Budget for Food', exact: true })
  await dialog.getByRole('button', { name: `Remove ${name}`, exact: true }).click()
  await page.getByText(`Removed: ${name}.`).first().waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('Ann sees three months beside each other: what is left, what is over, and what rolls over, as she has it on paper', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const [food, books] = await store(story, ann, 'categories', [
    { name: 'Food', monthly_budget: null, budget_currency: 'eur' },
    { name: 'Books', monthly_budget: 30, budget_currency: 'eur' },
  ])
  await store(story, ann, 'budgets', [{
    category_id: food.id,
    amount: 100,
    currency: 'eur',
    rollover: true,
    starts_on: month(-2),
  }])
  const spend = (name: string, amount: number, offset: number, category: { id: string }) => ({
    name,
    amount: -amount,
    currency: 'eur',
    transaction_date: month(offset),
    category_id: category.id,
  })
  await store(story, ann, 'transactions', [
    spend('Market', 80, -2, food),
    spend('Bakery', 130.5, -1, food),
    spend('Corner shop', 40, 0, food),
    spend('Novel', 45, 0, books),
  ])
  const page = await story.open(ann, '/budgets', desktop)
  await expect.poll(() => headsOf(page)).toEqual([
    'Category',
    nameOf(month(-1)),
    nameOf(month()),
    nameOf(month(1)),
  ])
  // 100 - 80 = 20 roll over. 120 - 130.50 = -10.50 roll over. 89.50 - 40 = 49.50 are left.
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    `10.50 over 130.50 of 120.00 +20.00 from ${shortNameOf(month(-2))}`,
    `49.50 left 40.00 of 89.50 -10.50 from ${shortNameOf(month(-1))}`,
    `149.50 left 0.00 of 149.50 +49.50 from ${shortNameOf(month())} so far`,
  ])
  expect(await rowOf(page, 'Books')).toEqual([
    '30.00 left 0.00 of 30.00',
    '15.00 over 45.00 of 30.00',
    '30.00 left 0.00 of 30.00',
  ])
  expect(await rowOf(page, 'All budgets')).toEqual([
    `€19.50 left 130.50 of 150.00 +20.00 from ${shortNameOf(month(-2))}`,
    `€34.50 left 85.00 of 119.50 -10.50 from ${shortNameOf(month(-1))}`,
    `€179.50 left 0.00 of 179.50 +49.50 from ${shortNameOf(month())} so far`,
  ])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Previous month' }).click()
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    '20.00 left 80.00 of 100.00',
    `10.50 over 130.50 of 120.00 +20.00 from ${shortNameOf(month(-2))}`,
    `49.50 left 40.00 of 89.50 -10.50 from ${shortNameOf(month(-1))}`,
  ])
  expect(new URL(page.url()).searchParams.get('month')).toBe(month(-1))
  await page.reload()
  await expect.poll(() => headsOf(page)).toEqual([
    'Category',
    nameOf(month(-2)),
    nameOf(month(-1)),
    nameOf(month()),
  ])
  await page.goto(new URL('/budgets?month=1901-01-01', story.stack.publicUrl).href)
  await expect.poll(() => headsOf(page)).toEqual([
    'Category',
    ...['1900-12-01', '1901-01-01', '1901-02-01'].map(nameOf),
  ])
  expect(await page.getByRole('button', { name: 'Previous month' }).isDisabled()).toBe(true)
  await page.context().close()
})

test('Ben opens the transactions behind a cell with the keyboard, and comes back to the same months', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const [food] = await store(story, ben, 'categories', [{
    name: 'Food',
    monthly_budget: 100,
    budget_currency: 'eur',
  }])
  await store(story, ben, 'transactions', [
    {
      name: 'Market',
      amount: -80,
      currency: 'eur',
      transaction_date: month(-1),
      category_id: food.id,
    },
    {
      name: 'Bakery',
      amount: -3,
      currency: 'eur',
      transaction_date: month(),
      category_id: food.id,
    },
  ])
  const page = await story.open(ben, `/budgets?month=${month(-1)}`, desktop)
  const cell = page.getByRole('link', {
    name: `Food, ${nameOf(month(-1))}: €20.00 left, €80.00 of €100.00 spent`,
  })
  await cell.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Market').first().waitFor()
  expect(await page.getByText('Bakery').count()).toBe(0)
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    category: food.id,
    currency: 'eur',
    from: month(-1),
    to: lastDay(-1),
  })
  await page.goBack()
  await cell.waitFor()
  // the whole cell leads there, also beside the words
  const box = await page.getByRole('cell').filter({ has: cell }).boundingBox()
  await page.mouse.click((box?.x ?? 0) + 4, (box?.y ?? 0) + 4)
  await page.getByText('Market').first().waitFor()
  await page.context().close()
})

test('Cleo sets the budget of a month from the grid, and undoes it', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  await store(story, cleo, 'categories', [{
    name: 'Food',
    monthly_budget: 300,
    budget_currency: 'eur',
  }])
  const page = await story.open(cleo, '/budgets', desktop)
  await page.getByRole('button', {
    name: `Change the budget for Food in ${nameOf(month())}: €300.00`,
  }).click()
  expect(await page.getByLabel('Amount').inputValue()).toBe('300')
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Amount').fill('250')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    '300.00 left 0.00 of 300.00',
    '250.00 left 0.00 of 250.00',
    '300.00 left 0.00 of 300.00',
  ])
  await page.getByText('Budget for Food saved.').locator('..').getByRole('button', { name: 'Undo' })
    .click()
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    '300.00 left 0.00 of 300.00',
    '300.00 left 0.00 of 300.00',
    '300.00 left 0.00 of 300.00',
  ])
  await page.context().close()
})

test('Bob gives a month its own budget, carries its remainder over to the next month, and removes that budget', async () => {
  const bob = await signedIn(story.stack, 'Bob')
  const [food] = await store(story, bob, 'categories', [{
    name: 'Food',
    monthly_budget: 300,
    budget_currency: 'eur',
  }])
  await store(story, bob, 'transactions', [{
    name: 'Groceries',
    amount: -120,
    currency: 'eur',
    transaction_date: month(-1),
    category_id: food.id,
  }])
  const page = await story.open(bob, '/budgets', desktop)
  const set = async (at: string, amount: string, carriesOver: boolean) => {
    await page.getByRole('button', { name: `Change the budget for Food in ${nameOf(at)}` }).click()
    await page.getByLabel('Amount').fill(amount)
    await page.getByLabel('Roll over what’s left').setChecked(carriesOver)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'Budget for Food', exact: true }).waitFor({
      state: 'detached',
    })
  }
  await set(month(-1), '200', false)
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    '80.00 left 120.00 of 200.00',
    '300.00 left 0.00 of 300.00',
    '300.00 left 0.00 of 300.00',
  ])
  await set(month(), '250', true)
  const carried = `330.00 left 0.00 of 330.00 +80.00 from ${shortNameOf(month(-1))}`
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    '80.00 left 120.00 of 200.00',
    carried,
    '300.00 left 0.00 of 300.00',
  ])
  await page.getByRole('button', {
    name: `Change the budget for Food in ${nameOf(month())}: €330.00`,
  }).click()
  expect(await barriers(page)).toEqual([])
  const name = `€250.00 in ${nameOf(month())}`
  await removeBudget(page, name)
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    '80.00 left 120.00 of 200.00',
    '300.00 left 0.00 of 300.00',
    '300.00 left 0.00 of 300.00',
  ])
  await page.getByText(`Removed: ${name}.`).locator('..').getByRole('button', { name: 'Undo' })
    .click()
  await expect.poll(() => rowOf(page, 'Food')).toEqual([
    '80.00 left 120.00 of 200.00',
    carried,
    '300.00 left 0.00 of 300.00',
  ])
  await page.context().close()
})

test('Dana changes each budget of a category with two currencies, which have a sum of their own', async () => {
  const dana = await signedIn(story.stack, 'Dana')
  const [food] = await store(story, dana, 'categories', [{
    name: 'Food',
    monthly_budget: 300,
    budget_currency: 'eur',
  }])
  await store(story, dana, 'budgets', [{ category_id: food.id, amount: 90, currency: 'usd' }])
  const page = await story.open(dana, '/budgets', desktop)
  await expect.poll(() => page.getByRole('rowheader').allInnerTexts()).toEqual([
    'All budgets\nEUR',
    'All budgets\nUSD',
    'Food\nEUR',
    'Food\nUSD',
  ])
  await page.getByRole('button', {
    name: `Change the budget for Food in ${nameOf(month())}: $90.00`,
  }).click()
  expect([
    await page.getByLabel('Currency').inputValue(),
    await page.getByLabel('Amount').inputValue(),
  ]).toEqual(['USD', '90'])
  await removeBudget(page, '$90.00 every month')
  // the month before keeps its budget
  await expect.poll(() => rowOf(page, 'Food USD')).toEqual([
    '90.00 left 0.00 of 90.00',
    'Set a budget',
    'Set a budget',
  ])
  await page.context().close()
})

test('Ella, who has no budget yet, sets the first one of a category on her phone, and goes from month to month', async () => {
  const ella = await signedIn(story.stack, 'Ella')
  await store(story, ella, 'categories', [{ name: 'Food', kind: 'expense' }, {
    name: 'Salary',
    kind: 'income',
  }])
  const page = await story.open(ella, '/budgets', {
    viewport: { width: 320, height: 640 },
    hasTouch: true,
    isMobile: true,
    colorScheme: 'dark',
  })
  await page.getByText('No budgets for these months yet.').waitFor()
  expect(await page.getByRole('list').last().getByRole('button').allInnerTexts()).toEqual([
    '+ Food',
  ])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Budget for Food' }).click()
  await page.getByLabel('Amount').fill('310')
  await page.getByLabel('Currency').fill('EUR')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => headsOf(page)).toEqual(['Category', nameOf(month())])
  await expect.poll(() => rowOf(page, 'Food')).toEqual(['310.00 left 0.00 of 310.00'])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Next month' }).click()
  await page.getByText('No budgets for these months yet.').waitFor()
  await page.getByRole('button', { name: 'This month' }).click()
  await expect.poll(() => headsOf(page)).toEqual(['Category', nameOf(month())])
  await page.context().close()
})
