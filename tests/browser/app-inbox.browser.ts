/**
 * The inbox of the reference app: sorting what came in, by keys and by touch, with the way back.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { soon } from './app-transactions-page.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const titles = (page: Page) => page.locator('.inbox-title').allTextContents()
const says = (page: Page, text: string) => page.getByText(text).first().waitFor()
const categoryNames = (name: string) =>
  story.stack.sql.query(
    `select c.name from api.transactions t left join api.categories c on c.id = t.category_id where t.name like $1 order by t.id`,
    [name],
  )
    .then(({ rows }) => rows.map((row) => row['name'] as string | null))

/** Returns a user with two accounts, and a history of three shops with a category each. */
async function withHistory(name: string): Promise<Person> {
  const who = await signedIn(story.stack, name)
  const [giro] = await store(story, who, 'accounts', [{
    name: 'Giro',
    type: 'checking',
    currency: 'eur',
  }, {
    name: 'Savings',
    type: 'savings',
    currency: 'eur',
  }])
  const [groceries, transport] = await store(story, who, 'categories', [{ name: 'Groceries' }, {
    name: 'Transport',
  }, { name: 'Health' }])
  await store(
    story,
    who,
    'transactions',
    [1, 2, 3].flatMap((day) => [
      {
        name: `${name} Market ${day}`,
        amount: -20,
        transaction_date: `2025-01-0${day}`,
        account_id: giro.id,
        category_id: groceries.id,
      },
      {
        name: `${name} Tram ${day}`,
        amount: -3,
        transaction_date: `2025-01-0${day}`,
        account_id: giro.id,
        category_id: transport.id,
      },
    ]),
  )
  return who
}

test('Ann imports a month of her bank and sorts its forty rows by keys, within a minute of presses', async () => {
  const ann = await withHistory('Ann')
  const lines = Array.from({ length: 40 }, (_, at) => {
    const day = `2025-02-${String(at % 28 + 1).padStart(2, '0')}`
    const shop = ['Ann Market', 'Ann Tram', 'Pharmacy Rose'][at % 3] ?? ''
    return `${day},${shop} ${at + 10},-${at + 1}.50`
  })
  const page = await story.open(ann, '/import')
  await page.getByLabel('Bank file').setInputFiles({
    name: 'February.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['Date,Description,Amount', ...lines].join('\n')),
  })
  const account = page.getByRole('combobox', { name: 'Account' })
  await account.waitFor()
  await account.selectOption({ index: 1 })
  await page.getByRole('button', { name: /^Import 40 / }).click()
  await page.getByRole('link', { name: 'Review now' }).click()
  await says(page, '0 of 40 reviewed')
  expect(await barriers(page)).toEqual([])
  await soon(() => titles(page)).toEqual(
    ['14 × Ann Market 10', '13 × Ann Tram 11', '13 × Pharmacy Rose 12'].map((title) =>
      expect.stringMatching(title.slice(0, 12))
    ),
  )

  let presses = 0
  const press = (key: string) => {
    presses++
    return page.keyboard.press(key)
  }
  await press('Shift+A')
  await says(page, '27 of 40 reviewed')
  // the correction takes until after the next key
  const isPressed = Promise.withResolvers<void>()
  await page.route('**/data/transactions?*', async (route) => {
    if (route.request().method() === 'PATCH') await isPressed.promise
    await route.continue()
  })
  await press('c')
  for (const key of 'Health') await press(key)
  await press('Enter')
  await says(page, 'All caught up')
  await says(page, 'Always categorize “Pharmacy Rose” as Health?')
  const sent: string[] = []
  page.on(
    'request',
    (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`),
  )
  await press('y')
  await page.getByText('Always categorize “Pharmacy Rose”').first().waitFor({ state: 'hidden' })
  expect(sent).not.toContain('POST /data/rules')
  isPressed.resolve()
  await says(page, 'Rule “Pharmacy Rose” saved.')
  expect(presses).toBeLessThanOrEqual(300)
  expect(await categoryNames('Pharmacy%')).toEqual(Array.from({ length: 13 }, () => 'Health'))

  // the rule, the correction, and all at once are taken back by one key each
  await page.keyboard.press('u')
  await soon(() =>
    story.stack.sql.query(`select from api.rules where name = 'Pharmacy Rose'`).then(({ rows }) =>
      rows.length
    )
  ).toBe(0)
  await page.keyboard.press('u')
  await says(page, '27 of 40 reviewed')
  await page.keyboard.press('u')
  await says(page, '40')
  await soon(() => titles(page).then((all) => all.length)).toBe(3)
  await soon(() => categoryNames('Pharmacy%')).toEqual(Array.from({ length: 13 }, () => null))
  await page.context().close()
})

test('Ben confirms a transfer and an expected payment on his phone, sees what differs from his bank, and takes both back', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const [giro, savings] = await store(story, ben, 'accounts', [
    { name: 'Giro', type: 'checking', currency: 'eur' },
    { name: 'Savings', type: 'savings', currency: 'eur' },
  ])
  const [home] = await store(story, ben, 'categories', [{ name: 'Home' }])
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await store(story, ben, 'subscriptions', [{
    title: 'Rent',
    amount: 900,
    currency: 'eur',
    period: 'monthly',
    starts_on: day,
    category_id: home.id,
  }])
  await store(story, ben, 'transactions', [
    { name: 'To savings', amount: -200, transaction_date: day, account_id: giro.id },
    { name: 'From giro', amount: 200, transaction_date: day, account_id: savings.id },
    { name: 'RENT Flat 4', amount: -900, transaction_date: day, account_id: giro.id },
  ])
  await store(story, ben, 'balances', [{ account_id: giro.id, on_date: day, balance: -1000 }])
  const page = await story.open(ben, '/inbox', { viewport: { width: 390, height: 844 } })
  await says(page, 'Giro has been off by €100.00')
  await soon(() => titles(page)).toEqual(['Transfer between Giro and Savings?', 'RENT Flat 4'])
  expect(await barriers(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.getByRole('button', { name: 'Confirm transfer: Transfer between Giro and Savings?' })
    .click()
  await says(page, '2 of 3 reviewed')
  await page.getByRole('button', { name: 'Confirm payment: RENT Flat 4' }).click()
  await says(page, 'All caught up')
  const stored = () =>
    story.stack.sql.query(
      `select t.name, t.transfer_id is not null as is_transfer, t.due_on is not null as is_due from api.transactions t
      where t.account_id = any($1) order by t.name`,
      [[giro.id, savings.id]],
    ).then(({ rows }) => rows)
  // the page shows a decision before it is stored
  await soon(stored).toEqual([
    { name: 'From giro', is_transfer: true, is_due: false },
    { name: 'RENT Flat 4', is_transfer: false, is_due: true },
    { name: 'To savings', is_transfer: true, is_due: false },
  ])
  const back = page.getByRole('main').getByRole('button', { name: 'Undo' })
  await back.click()
  await says(page, '2 of 3 reviewed')
  await back.click()
  await soon(() => titles(page)).toEqual(['Transfer between Giro and Savings?', 'RENT Flat 4'])
  await page.context().close()
})

test('Vera, a viewer, has no inbox, and the owner sees at once what another member sorts', async () => {
  const { owner, editor, viewer } = await team(story.stack, ['editor', 'viewer'])
  const [food] = await store(story, owner, 'categories', [{ name: 'Food' }])
  const [bread] = await store(story, owner, 'transactions', [{ name: 'Bread', amount: -4 }, {
    name: 'Milk',
    amount: -2,
  }])
  const viewing = await story.open(viewer, '/inbox')
  await says(viewing, 'You’re a viewer here.')
  expect(await viewing.getByRole('link', { name: /Inbox/ }).count()).toBe(0)
  await viewing.context().close()

  const page = await story.open(owner, 'about:blank')
  const stream = page.waitForResponse((response) => response.url().includes('/api/auth/changes'))
  await page.goto(new URL('/inbox', story.stack.publicUrl).href)
  await stream
  await soon(() => titles(page).then((all) => all.toSorted())).toEqual(['Bread', 'Milk'])
  const changed = await fetch(`${story.stack.url}/data/transactions?id=eq.${bread.id}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${await editor.token()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ category_id: food.id }),
  })
  expect(changed.ok).toBe(true)
  await soon(() => titles(page)).toEqual(['Milk'])
  await page.context().close()
})

test('Gus enters the flat of his next holiday, a year ahead, and sorts it in the inbox', async () => {
  const gus = await signedIn(story.stack, 'Gus')
  await store(story, gus, 'categories', [{ name: 'Travel' }])
  const day = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10)
  await store(story, gus, 'transactions', [{
    name: 'Holiday flat',
    amount: -300,
    transaction_date: day,
  }])
  const page = await story.open(gus, '/inbox')
  await soon(() => titles(page)).toEqual(['Holiday flat'])
  await page.keyboard.press('c')
  for (const key of 'Travel') await page.keyboard.press(key)
  await page.keyboard.press('Enter')
  await says(page, 'All caught up')
  await soon(() => categoryNames('Holiday flat')).toEqual(['Travel'])
  await page.context().close()
})
