/** Rules in the reference app. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { choose } from './app-transactions-page.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name)
const rowsOf = (page: Page) => page.locator('main > table tbody tr').allTextContents()

test('Ann makes a rule, sees what it changes, applies it, undoes that, and changes and deletes the rule', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await store(story, ann, 'transactions', [{
    name: 'REWE 4711',
    amount: -5,
    transaction_date: '2025-03-01',
  }, {
    name: 'Tram',
    amount: -3,
    transaction_date: '2025-03-01',
  }])
  const page = await story.open(ann, '/categories')
  await page.getByRole('link', { name: 'Rules' }).click()
  await page.getByText('No rules yet.').waitFor()
  await page.getByRole('button', { name: 'New rule' }).click()
  await field(page, 'Name').first().fill('Groceries')
  await field(page, 'Text').fill('rewe')
  await field(page, 'Maximum amount').fill('0')
  await field(page, 'New name').fill('REWE')
  await field(page, 'Tags to add').fill('shop, food')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['Groceries0REWE, shop, foodApplyEditDelete'])
  expect(await barriers(page)).toEqual([])

  await page.getByRole('button', { name: 'Apply Groceries' }).click()
  await page.getByText('1 transaction will change.').waitFor()
  expect(await page.getByRole('dialog').locator('tbody tr').allTextContents()).toEqual([
    'REWE 4711Mar 1, 2025, -$5.00REWE 4711REWE, food, shop',
  ])
  await page.getByRole('button', { name: 'Apply to all' }).click()
  await page.getByText('1 transaction changed.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Change undone.').waitFor()
  await page.getByRole('button', { name: 'Apply Groceries' }).click()
  await page.getByText('1 transaction will change.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Edit Groceries' }).click()
  expect(await field(page, 'Maximum amount').inputValue()).toBe('0')
  await field(page, 'Text').fill('nothing like this')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Apply Groceries' }).click()
  await page.getByText('This rule doesn’t change any existing transactions.').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Delete Groceries' }).click()
  await page.getByText('No rules yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['Groceries0REWE, shop, foodApplyEditDelete'])
  await page.context().close()
})

test('Ben orders his rules by their priority, switches one off and on again, and sees which one counts', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const conditions = [{ field: 'search', operation: 'contains', value: 'rewe' }]
  await store(story, ben, 'transactions', [{
    name: 'REWE 4711',
    amount: -5,
    transaction_date: '2025-03-01',
  }])
  await store(story, ben, 'rules', [
    { name: 'Shops', conditions, set_name: 'Shop', priority: 1 },
    { name: 'Groceries', conditions, set_name: 'Food', priority: 2 },
  ])
  const page = await story.open(ben, '/rules', { viewport: { width: 390, height: 800 } })
  await expect.poll(() => rowsOf(page)).toEqual([
    'Shops1ShopApplyEditDelete',
    'Groceries2FoodApplyEditDelete',
  ])
  await page.getByRole('button', { name: 'Edit Groceries' }).click()
  expect(await field(page, 'The rule is on').isChecked()).toBe(true)
  await field(page, 'Priority').fill('0')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual([
    'Groceries0FoodApplyEditDelete',
    'Shops1ShopApplyEditDelete',
  ])

  const all = page.getByRole('button', { name: 'Apply all rules' })
  await all.click()
  await page.getByText('1 transaction will change.').waitFor()
  const changes = () => page.getByRole('dialog').locator('tbody tr').allTextContents()
  expect(await changes()).toEqual(['REWE 4711Mar 1, 2025, -$5.00GroceriesREWE 4711Food'])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Close' }).click()

  const isOn = page.getByRole('switch', { name: 'Groceries is on' })
  await isOn.focus()
  await page.keyboard.press('Space')
  await page.getByText('Groceries turned off.').waitFor()
  expect(await page.getByRole('button', { name: 'Apply Groceries' }).isDisabled()).toBe(true)
  await all.click()
  await expect.poll(changes).toEqual(['REWE 4711Mar 1, 2025, -$5.00ShopsREWE 4711Shop'])
  await page.getByRole('button', { name: 'Close' }).first().click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => isOn.isChecked()).toBe(true)
  await all.click()
  await page.getByRole('button', { name: 'Apply to all' }).click()
  await page.getByText('1 transaction changed.').waitFor()
  await page.goto(new URL('/transactions', page.url()).href)
  await page.getByRole('button', { name: 'Food', exact: true }).waitFor()
  await page.context().close()
})

test('Cleo previews a rule for 60 transactions: the page transfers the first 50, applies all and undoes all', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  await store(
    story,
    cleo,
    'transactions',
    Array.from({ length: 60 }, (_, index) => ({ name: `Tram ${index}`, amount: -3 })),
  )
  await store(story, cleo, 'rules', [{
    name: 'Trams',
    conditions: [{ field: 'search', operation: 'contains', value: 'tram' }],
    set_name: 'Tram',
  }])
  const page = await story.open(cleo, '/rules')
  const lengths: number[] = []
  // Counts the rows of each response.
  page.on('response', (response) => {
    if (response.url().includes('/rpc/apply_rules'))
      void response.json().then((rows: unknown[]) => lengths.push(rows.length))
  })
  await page.getByRole('button', { name: 'Apply Trams' }).click()
  await page.getByText('60 transactions will change.').waitFor()
  await page.getByText('Showing the first 50.').waitFor()
  expect(await page.getByRole('dialog').locator('tbody tr').count()).toBe(50)
  await page.getByRole('button', { name: 'Apply to all' }).click()
  await page.getByText('60 transactions changed.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Change undone.').waitFor()
  await page.getByRole('button', { name: 'Apply Trams' }).click()
  await page.getByText('60 transactions will change.').waitFor()
  expect(lengths).toEqual([50, 1, 50])
  await page.context().close()
})

test('Dora marks transactions as transfers by a rule, and makes one of them an ordinary transaction again', async () => {
  const dora = await signedIn(story.stack, 'Dora')
  await store(story, dora, 'transactions', [{
    name: 'ETF savings plan',
    amount: -100,
    transaction_date: '2025-03-01',
  }])
  await store(story, dora, 'categories', [{ name: 'Food' }])
  const page = await story.open(dora, '/rules')
  await page.getByRole('button', { name: 'New rule' }).click()
  await field(page, 'Name').first().fill('Broker')
  await field(page, 'Text').fill('etf')
  await choose(field(page, 'New category'), 'Food')
  await field(page, 'Mark as transfer').check()
  // a transfer has no category
  expect(await field(page, 'New category').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['Broker0transferApplyEditDelete'])
  await page.getByRole('button', { name: 'Apply Broker' }).click()
  await page.getByText('1 transaction will change.').waitFor()
  expect(await page.getByRole('dialog').locator('tbody tr').allTextContents()).toEqual([
    'ETF savings planMar 1, 2025, -$100.00not a transfertransfer',
  ])
  await page.getByRole('button', { name: 'Apply to all' }).click()
  await page.getByText('1 transaction changed.').waitFor()
  await page.getByRole('button', { name: 'Edit Broker' }).click()
  expect(await field(page, 'Mark as transfer').isChecked()).toBe(true)
  await page.getByRole('dialog', { name: 'Edit Broker' }).getByRole('button', { name: 'Close' })
    .click()

  await page.goto(new URL('/transactions', page.url()).href)
  await page.getByRole('row', { name: /ETF savings plan.*Transfer/ }).waitFor()
  await page.getByRole('button', { name: 'ETF savings plan' }).click()
  await page.getByRole('button', { name: 'Details' }).click()
  await page.getByText('The other side isn’t in any of your accounts.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('ETF savings plan is no longer a transfer.').waitFor()
  await page.context().close()
})
