/**
 * Example books: added with one tap to empty books, and removed with one, also after own rows were
 * added.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn, team } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const banner = (page: Page) => page.getByRole('complementary', { name: 'Sample data' })
const add = (page: Page) => page.getByRole('button', { name: 'Explore with sample data' })
const remove = (page: Page) => banner(page).getByRole('button', { name: 'Remove sample data' })

const tables = [
  'accounts',
  'categories',
  'transactions',
  'line_items',
  'tags',
  'transaction_tags',
  'subscriptions',
  'budgets',
] as const

/** Counts all rows of a user or of a team. */
async function countsOf(column: 'user_id' | 'organization_id', id: string): Promise<number[]> {
  const only = column === 'user_id' ? 'and organization_id is null' : ''
  return Promise.all(tables.map(async (table) => {
    const { rows } = await story.stack.sql.query(
      `select count(*)::int as count from api.${table} where ${column} = $1 ${only}`,
      [id],
    )
    return rows[0].count
  }))
}

test('Ann looks around with example books in seconds, and removes them from her phone', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(ann)
  await add(page).click()
  await page.getByText('Sample data added').waitFor()
  await page.getByRole('link', { name: 'Everyday account' }).waitFor()
  expect(await barriers(page)).toEqual([])
  const [accounts, categories, transactions] = await countsOf('user_id', await ann.id())
  expect([accounts, categories]).toEqual([5, 13])
  expect(transactions).toBeGreaterThan(250)

  const phone = await story.open(ann, '/transactions', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await banner(phone).waitFor()
  expect(await barriers(phone)).toEqual([])
  await remove(phone).tap()
  await phone.getByText('Sample data removed.').waitFor()
  await banner(phone).waitFor({ state: 'detached' })
  expect(await countsOf('user_id', await ann.id())).toEqual(tables.map(() => 0))
  // the other device follows
  await add(page).waitFor()
  await Promise.all([page, phone].map((one) => one.context().close()))
})

test('Ben has added rows of his own: they stay, with the account and category that they use, and an undo brings the examples back', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const userId = await ben.id()
  const page = await story.open(ben)
  await add(page).click()
  await banner(page).waitFor()
  const id = async (table: string, name: string) =>
    (await story.stack.sql.query(`select id from api.${table} where user_id = $1 and name = $2`, [
      userId,
      name,
    ])).rows[0].id
  const account_id = await id('accounts', 'Wallet')
  await store(story, ben, 'transactions', [{
    name: 'Ice cream',
    amount: -4,
    currency: 'usd',
    account_id,
    category_id: await id('categories', 'Holidays'),
  }])
  const [own] = await store(story, ben, 'accounts', [{
    name: 'Own account',
    type: 'checking',
    currency: 'usd',
  }])
  // one half is Ben's own, the other one an example
  const half = await store(story, ben, 'transactions', [{
    name: 'Moved',
    amount: 37.45,
    currency: 'usd',
    account_id: own.id,
  }])
  await store(story, ben, 'rpc/link_transfer', {
    p_from_transaction_id: await id('transactions', 'CARD 4417 GREEN BASKET 0231'),
    p_to_transaction_id: half[0].id,
  })
  const before = await countsOf('user_id', userId)

  await remove(page).click()
  await page.getByText(
    'Your own transactions use Wallet, Holidays, Leisure, so we kept these but removed their sample balances.',
  ).waitFor()
  await banner(page).waitFor({ state: 'detached' })
  const names = async (table: string) =>
    (await story.stack.sql.query(`select name from api.${table} where user_id = $1 order by name`, [
      userId,
    ])).rows.map(({ name }) => name)
  expect(await names('transactions')).toEqual(['Ice cream', 'Moved'])
  expect(await names('accounts')).toEqual(['Own account', 'Wallet'])
  expect(await names('categories')).toEqual(['Holidays', 'Leisure'])

  await page.getByRole('button', { name: 'Undo' }).click()
  await banner(page).waitFor()
  await expect.poll(() => countsOf('user_id', userId)).toEqual(before)
  await page.context().close()
})

test('Cleo records an example payment while she looks around: it goes away with the examples', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  const page = await story.open(cleo)
  await add(page).click()
  await banner(page).waitFor()
  const { rows: [rent] } = await story.stack.sql.query(
    'select id, starts_on::text from api.subscriptions where user_id = $1 and title = $2',
    [
      await cleo.id(),
      'Rent',
    ],
  )
  await store(story, cleo, 'rpc/record_subscription', {
    p_subscription_id: rent.id,
    due_on: rent.starts_on,
  })
  await remove(page).click()
  await banner(page).waitFor({ state: 'detached' })
  expect(await countsOf('user_id', await cleo.id())).toEqual(tables.map(() => 0))
  await page.context().close()
})

test('a team has example books of its own: its editor adds and removes them, its viewer only sees them', async () => {
  const { owner, editor, viewer, id } = await team(story.stack, ['editor', 'viewer'])
  await store(story, owner, 'accounts', [{ name: 'Private', type: 'cash', organization_id: null }])
  const page = await story.open(editor, '/settings')
  await add(page).click()
  await banner(page).waitFor()
  const seen = await story.open(viewer)
  await banner(seen).waitFor()
  expect(await remove(seen).count()).toBe(0)
  await remove(page).click()
  await banner(page).waitFor({ state: 'detached' })
  expect(await countsOf('organization_id', id)).toEqual(tables.map(() => 0))
  expect(await add(seen).count()).toBe(0)
  await Promise.all([page, seen].map((one) => one.context().close()))
})

test('Dora has rows of her own: nothing offers her example books, and her settings say why', async () => {
  const dora = await signedIn(story.stack, 'Dora')
  await store(story, dora, 'accounts', [{ name: 'Giro', type: 'checking' }])
  const page = await story.open(dora, '/settings')
  await page.getByText('only add sample data to an empty workspace').waitFor()
  expect(await add(page).count()).toBe(0)
  await page.context().close()
})
