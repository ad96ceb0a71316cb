/** The menu of a transaction in the reference app: each step is one choice away. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { inDays, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { row, soon } from './app-transactions-page.ts'

let story: AppStory
let ann: Person
let page: Page
beforeAll(async () => {
  story = await startAppStory()
})
beforeEach(async () => {
  ann = await signedIn(story.stack, 'Ann')
  const [giro, savings] = await store(story, ann, 'accounts', [
    { name: 'Giro', type: 'checking', currency: 'eur' },
    { name: 'Savings', type: 'savings', currency: 'eur' },
  ])
  const [food] = await store(story, ann, 'categories', [{ name: 'Food' }, { name: 'Home' }])
  await store(
    story,
    ann,
    'transactions',
    [
      {
        name: 'Market',
        amount: -30,
        category_id: food.id,
        account_id: giro.id,
        transaction_date: inDays(-4),
      },
      { name: 'To savings', amount: -100, account_id: giro.id, transaction_date: inDays(-3) },
      { name: 'From giro', amount: 100, account_id: savings.id, transaction_date: inDays(-3) },
    ].map((one) => ({ category_id: null, ...one })),
  )
})
afterEach(async () => {
  expect(story.complaints()).toEqual([])
  await page.context().close()
})
afterAll(() => story?.close())

const stored = () =>
  story.stack.sql.query(
    `select t.name, t.amount::float, c.name as category, a.name as account, t.transfer_id is not null as is_transfer,
      array(select i.name || ' ' || i.amount::float from api.line_items i where i.transaction_id = t.id order by i.name) as parts
    from api.transactions t left join api.categories c on c.id = t.category_id left join api.accounts a on a.id = t.account_id
    where t.user_id = (select id from auth.users where email = $1) order by t.name, t.amount`,
    [ann.email],
  ).then(({ rows }) =>
    rows.map((
      one,
    ) => [one.name, one.amount, one.category, one.account, one.is_transfer, one.parts.join(', ')])
  )
const market = ['Market', -30, 'Food', 'Giro', false, '']
const halves = [['From giro', 100, null, 'Savings', false, ''], [
  'To savings',
  -100,
  null,
  'Giro',
  false,
  '',
]]

/** Makes a row active and opens its menu by the key. */
async function openMenu(name: string): Promise<void> {
  await row(page, name).locator('.tx-amount').click()
  await page.getByRole('grid').focus()
  await page.keyboard.press('m')
  await page.getByRole('menu').waitFor()
}
const items = () => page.getByRole('menuitem').allTextContents()
const step = (name: string) => page.getByRole('menuitem', { name, exact: true }).click()

test('Ann opens the menu of a purchase by its key and by its button, and leaves it again', async () => {
  page = await story.open(ann, '/transactions')
  await openMenu('Market')
  expect(await items()).toEqual([
    'Edit',
    'Split',
    'Refund',
    'Duplicate',
    'Transfer',
    'Receipts',
    'Create rule',
    'Delete',
  ])
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await soon(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid')
  await page.setViewportSize({ width: 320, height: 700 })
  await row(page, 'Market').getByRole('button', { name: 'Actions' }).click()
  expect(await items()).toHaveLength(8)
  await step('Edit')
  await page.getByRole('group', { name: 'Edit Market' }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
})

test('Ann splits a purchase: the first part has the focus and the rest is in sight', async () => {
  page = await story.open(ann, '/transactions')
  await openMenu('Market')
  await step('Split')
  const part = page.getByRole('group', { name: 'Split 1' })
  await soon(() => page.evaluate('document.activeElement.name')).toBe('parts.0.name')
  await page.keyboard.type('Soap')
  await part.getByLabel('Amount').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await soon(stored).toEqual([halves[0], [...market.slice(0, 5), 'Soap -5'], halves[1]])
})

test('Ann enters a refund and a copy, each with the values of the purchase, which she may change', async () => {
  page = await story.open(ann, '/transactions')
  await openMenu('Market')
  await step('Refund')
  const refund = page.getByRole('dialog', { name: 'Refund of Market' })
  await refund.getByLabel('Amount').fill('12')
  expect(await barriers(page)).toEqual([])
  await refund.getByRole('button', { name: 'Add' }).click()
  await refund.waitFor({ state: 'detached' })
  await soon(stored).toEqual([
    halves[0],
    market,
    ['Market', 12, 'Food', 'Giro', false, ''],
    halves[1],
  ])
  await page.getByRole('button', { name: 'Undo' }).click()
  await soon(stored).toEqual([halves[0], market, halves[1]])
  await soon(() => row(page, 'Market').count()).toBe(1)
  await openMenu('Market')
  await step('Duplicate')
  await page.getByRole('dialog', { name: 'Copy of Market' }).getByRole('button', { name: 'Add' })
    .click()
  await soon(stored).toEqual([halves[0], market, market, halves[1]])
})

test('Ann links the halves of a transfer', async () => {
  page = await story.open(ann, '/transactions')
  await openMenu('To savings')
  await step('Transfer')
  await soon(() => page.evaluate('document.activeElement.textContent')).toBe(
    'Link as transfer with…',
  )
  await page.getByRole('button', { name: 'Link From giro' }).click()
  await soon(stored).toEqual([[...halves[0]!.slice(0, 4), true, ''], market, [
    ...halves[1]!.slice(0, 4),
    true,
    '',
  ]])
  await openMenu('To savings')
  expect(await items()).toEqual(['Edit', 'Transfer', 'Receipts', 'Delete'])
})

test('Ann makes a rule of a purchase, opens its receipts, and deletes it with the way back', async () => {
  page = await story.open(ann, '/transactions')
  await openMenu('Market')
  await step('Create rule')
  const rule = page.getByRole('dialog', { name: 'New rule' })
  await soon(() => rule.getByLabel('Name', { exact: true }).inputValue()).toBe('Market')
  await rule.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Rule “Market” saved.').waitFor()
  const rules = await story.stack.sql.query(
    'select r.name, r.conditions, c.name as category from api.rules r join api.categories c on c.id = r.set_category_id where r.user_id = (select id from auth.users where email = $1)',
    [ann.email],
  )
  expect(rules.rows).toEqual([{
    name: 'Market',
    conditions: [{ field: 'search', operation: 'contains', value: 'Market' }],
    category: 'Food',
  }])
  await openMenu('Market')
  await step('Receipts')
  await page.getByRole('dialog', { name: 'Receipts for Market' }).waitFor()
  await page.keyboard.press('Escape')
  await openMenu('Market')
  await step('Delete')
  await soon(stored).toEqual(halves)
  await page.locator('.toast', { hasText: 'Market deleted.' }).getByRole('button', { name: 'Undo' })
    .click()
  await soon(stored).toEqual([halves[0], market, halves[1]])
})

test('a viewer has no menu', async () => {
  const { owner, viewer } = await team(story.stack, ['viewer'])
  await store(story, owner, 'transactions', [{ name: 'Server', amount: -5 }])
  page = await story.open(viewer, '/transactions')
  await page.getByText('Server').waitFor()
  expect(await page.getByRole('button', { name: 'Actions' }).count()).toBe(0)
  await page.getByRole('grid').focus()
  await page.keyboard.press('m')
  expect(await page.getByRole('menu').count()).toBe(0)
})
