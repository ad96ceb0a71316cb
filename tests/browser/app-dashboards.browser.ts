/**
 * Dashboards in the reference app: an owner creates, arranges and shares one, and a viewer looks at
 * it.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { type AppStory, barriers, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const widgets = (page: Page) => page.locator('.dashboard-widget h2').allTextContents()
const widget = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Returns true if a widget comes before another. */
const overlaps = async (page: Page): Promise<boolean> => {
  const boxes = await Promise.all(
    (await page.locator('.dashboard-widget').all()).map((one) => one.boundingBox()),
  )
  const all = boxes.filter((box) => box !== null)
  return all.some((a, index) =>
    all.slice(index + 1).some((b) =>
      a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    )
  )
}

/** Stores rows with the user's own rights, outside the app. */
async function store(who: Person, table: string, rows: unknown) {
  const headers = {
    authorization: `Bearer ${await who.token()}`,
    'content-type': 'application/json',
    prefer: 'return=representation',
  }
  const answer = await fetch(`${story.stack.url}/data/${table}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(rows),
  })
  expect(answer.ok).toBe(true)
  return await answer.json() as Array<{ id: string }>
}

test("the owner creates a team's dashboard, arranges it with buttons and keys, and shares it, and the viewer reads it without buttons for changes", async () => {
  const { owner, viewer } = await team(story.stack, ['viewer'])
  const [food] = await store(owner, 'categories', { name: 'Food', monthly_budget: 100 })
  await store(owner, 'transactions', [
    { name: 'Salary', amount: 3000, category_id: null },
    { name: 'Groceries', amount: -120, category_id: food?.id },
  ])
  const page = await story.open(owner, '/dashboards')
  await sees(page, 'No dashboards yet.')
  await page.getByRole('button', { name: 'New dashboard' }).click()
  await page.getByLabel('Name').fill('Month')
  await page.getByLabel('Visible to').selectOption('private')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Month' }).waitFor()
  expect(await widgets(page)).toEqual([
    'Income',
    'Expenses',
    'Income minus expenses',
    'Cash flow',
    'Expenses by category',
    'Budgets',
    'Recent transactions',
  ])
  await expect.poll(() => overlaps(page)).toBe(false)
  await widget(page, 'Income').getByText('$3,000.00').waitFor()
  await widget(page, 'Income minus expenses').getByText('$2,880.00').waitFor()
  await widget(page, 'Expenses by category').getByText('Food').waitFor()
  await widget(page, 'Budgets').getByText('$20.00 over').waitFor()
  await widget(page, 'Cash flow').getByRole('link', {
    name: /income \$3,000.00, expenses \$120.00, net \$2,880.00$/,
  }).waitFor()
  await widget(page, 'Cash flow').getByRole('button', { name: 'Show as table' }).click()
  await widget(page, 'Cash flow').getByRole('cell', { name: '$2,880.00' }).waitFor()
  await widget(page, 'Recent transactions').getByText('Groceries').waitFor()
  expect(await barriers(page)).toEqual([])

  const theirs = await story.open(viewer, '/dashboards', {
    viewport: { width: 360, height: 640 },
    colorScheme: 'dark',
  })
  await sees(theirs, 'No dashboards are shared with viewers yet.')
  expect(await theirs.getByRole('button', { name: 'New dashboard' }).count()).toBe(0)
  expect(await barriers(theirs)).toEqual([])

  await page.getByRole('button', { name: 'Arrange', exact: true }).click()
  await page.getByRole('button', { name: 'Move Budgets up' }).click()
  await page.getByRole('status').getByText('Budgets: 5 of 7, half width').waitFor({
    state: 'attached',
  })
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+ArrowRight')
  await page.getByRole('status').getByText('Budgets: 4 of 7, two-thirds width').waitFor({
    state: 'attached',
  })
  await page.getByRole('button', { name: 'Move Income down' }).focus()
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
    'Move Income down',
  )
  await page.getByRole('button', { name: 'Remove Recent transactions' }).click()
  await page.getByRole('button', { name: 'Add widget' }).click()
  await page.getByLabel('Type').selectOption('transactions')
  await page.getByLabel('Items shown').selectOption('20')
  await page.getByLabel('Title').fill('What was bought')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Add widget' }).click()
  await page.getByLabel('Type').selectOption('balances')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await widget(page, 'Balances').getByText('No accounts yet').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const arranged = [
    'Expenses',
    'Income',
    'Income minus expenses',
    'Budgets',
    'Cash flow',
    'Expenses by category',
    'What was bought',
    'Balances',
  ]
  await page.getByRole('button', { name: 'Share with viewers' }).click()
  await sees(page, 'Everyone in The Team can see it now.')
  expect(await widgets(page)).toEqual(arranged)
  await expect.poll(() => overlaps(page)).toBe(false)
  await page.context().close()

  await theirs.reload()
  await theirs.getByRole('link', { name: 'Month' }).click()
  await widget(theirs, 'What was bought').getByText('Groceries').waitFor()
  expect(await widgets(theirs)).toEqual(arranged)
  for (const name of ['Arrange', 'Stop sharing', 'Delete'])
    expect(await theirs.getByRole('button', { name, exact: true }).count()).toBe(0)
  await theirs.getByLabel('Date range').selectOption({ label: 'Last year' })
  await widget(theirs, 'What was bought').getByText('No transactions in this period.').waitFor()
  await widget(theirs, 'Budgets').getByText('Food').waitFor()
  expect(await theirs.evaluate('document.documentElement.scrollWidth')).toBe(360)
  expect(await barriers(theirs)).toEqual([])
  await theirs.context().close()
})

test('Ann keeps unknown parts of a dashboard from another app, and deletes a dashboard by its name', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const layout = {
    widgets: [
      { id: 'b', type: 'weather', position: { x: 30, y: 4 }, size: { w: 40, h: 2 } },
      {
        id: 'a',
        type: 'cash_flow',
        position: { x: 0, y: 0 },
        size: { w: 6, h: 4 },
        config: { grouping: 'yearly', periods: 3 },
      },
    ],
  }
  const [stored] = await store(ann, 'dashboards', {
    name: 'Mine',
    layout,
    date_range: { start_date: '2025-01-01', end_date: '2025-12-31' },
  })
  const page = await story.open(ann, `/dashboards/${stored?.id}`)
  await sees(page, 'This app doesn’t support the “weather” widget.')
  expect(await widgets(page)).toEqual(['Cash flow', 'weather'])
  expect(await page.getByLabel('Date range').locator('option:checked').textContent()).toBe(
    'Jan 1, 2025 to Dec 31, 2025',
  )
  await page.getByRole('button', { name: 'Arrange', exact: true }).click()
  await page.getByRole('button', { name: 'Move weather up' }).click()
  // Another tab saves first.
  await story.stack.sql.query(
    "update api.dashboards set description = 'By another tab' where id = $1",
    [stored?.id],
  )
  await page.getByRole('button', { name: 'Save' }).click()
  await sees(page, 'Another user has changed or deleted this dashboard.')
  await page.reload()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Mine?' })
  await dialog.waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await sees(page, 'Mine deleted.')
  await sees(page, 'No dashboards yet.')
  await page.context().close()
})

test('Dora must confirm before she loses her arrangement, and the keyboard focus returns to the heading', async () => {
  const page = await story.open(await signedIn(story.stack, 'Dora'), '/dashboards')
  const focused = () => page.evaluate<string>('document.activeElement.textContent')
  await page.getByRole('button', { name: 'New dashboard' }).click()
  await page.getByLabel('Name').fill('Month')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Arrange', exact: true }).click()
  await page.getByRole('button', { name: 'Remove Budgets' }).click()
  await expect.poll(focused).toBe('Arrange Month')
  await page.getByRole('link', { name: 'Accounts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Month', exact: true }).waitFor()
  await expect.poll(focused).toBe('Month')
  expect(await widgets(page)).not.toContain('Budgets')
  await page.getByRole('button', { name: 'Arrange', exact: true }).click()
  await page.getByRole('button', { name: 'Remove Cash flow' }).click()
  await page.getByText('Cash flow removed.').first().waitFor()
  await page.getByRole('link', { name: 'Accounts' }).click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.getByText('Cash flow removed.').waitFor({ state: 'detached' })
  await page.context().close()
})
