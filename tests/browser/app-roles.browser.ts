/**
 * Roles in the reference app: no button for a forbidden action, and a notice after a change of
 * role.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { team } from '../support/person.ts'
import { keepBooks, month, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const go = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
const context = (page: Page, name: RegExp) =>
  page.getByRole('button', { name: new RegExp(`Workspace:\\s*${name.source}`) }).waitFor()

test('a viewer reads every page of the team on a phone, with a shared dashboard and without buttons for changes', async () => {
  const { owner, viewer } = await team(story.stack, ['viewer'])
  const { giro } = await keepBooks(story, owner)
  await store(story, owner, 'rules', [{
    name: 'Shop',
    conditions: [{ field: 'search', operation: 'contains', value: 'rewe' }],
    set_name: 'REWE',
  }])
  await store(story, owner, 'exchange_rates', [{
    on_date: '2025-01-01',
    base: 'eur',
    quote: 'usd',
    rate: 1.05,
  }])
  await store(story, owner, 'balances', [{ account_id: giro.id, on_date: month(), balance: 1000 }])
  await store(story, owner, 'dashboards', [{
    name: 'Of all',
    visibility: 'shared',
    layout: { widgets: [] },
  }, {
    name: 'Of writers',
    visibility: 'private',
    layout: { widgets: [] },
  }])
  const page = await story.open(viewer, '/', {
    viewport: { width: 320, height: 640 },
    colorScheme: 'dark',
  })
  const pages = [
    ['/', 'Insurance'],
    ['/transactions', 'Groceries'],
    ['/accounts', 'Giro'],
    [`/accounts/${giro.id}`, 'Giro'],
    // the address of the form opens nothing for a user without the right
    ['/exchange-rates?base=gbp&quote=usd&on_date=2025-01-01', 'EUR to USD'],
    ['/recurring', 'Insurance'],
    ['/budgets', 'Food'],
    ['/categories', 'Food'],
    ['/rules', 'Shop'],
    ['/import', 'You’re a viewer in this team.'],
    ['/dashboards', 'Of all'],
    ['/team', 'Members'],
  ] as const
  for (const [path, seen] of pages) {
    await page.goto(`${story.stack.publicUrl}${path}`)
    await page.locator('main').getByText(seen).first().waitFor()
    const offered = await page.locator('main').getByRole('button').allTextContents()
    const changes =
      /new|add|edit|change|delete|remove|record|pause|budget|import|invite|rename|share|arrange|accept|apply|book|close/i
    expect([path, offered.filter((text) => changes.test(text))]).toEqual([path, []])
    expect([
      path,
      await page.getByRole('dialog').count(),
      await page.locator('main').getByRole('checkbox').count(),
    ]).toEqual([path, 0, 0])
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 320])
    expect([path, await barriers(page)]).toEqual([path, []])
  }
  await page.setViewportSize({ width: 1280, height: 720 })
  expect(await page.getByRole('link', { name: 'Activity' }).count()).toBe(0)
  await go(page, 'Dashboards')
  await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['Of all'])
  await page.getByRole('link', { name: 'Of all' }).click()
  await page.getByText('No widgets yet.').waitFor()
  expect(await page.locator('main').getByRole('button', { name: /Arrange|Share|Delete/ }).count())
    .toBe(0)
  await page.goto(`${story.stack.publicUrl}/rules`)
  expect(await page.getByRole('switch', { name: 'Shop is on' }).isDisabled()).toBe(true)
  await page.goto(`${story.stack.publicUrl}/accounts/00000000-0000-4000-8000-000000000000`)
  await page.getByText('This account isn’t in this workspace.').waitFor()
  await page.goto(`${story.stack.publicUrl}/activity`)
  await page.getByText('Viewers can’t see this team’s activity.').waitFor()
  await page.context().close()
})

test('an editor who becomes a viewer during an edit reads it, keeps the input, and then has no buttons for changes', async () => {
  const { id, owner, editor } = await team(story.stack, ['editor'])
  await store(story, owner, 'accounts', [{ name: 'Giro', type: 'checking', currency: 'eur' }])
  const page = await story.open(editor, '/accounts')
  await page.getByRole('button', { name: 'Edit Giro' }).click()
  await page.getByLabel('Name').fill('Giro of the team')
  await owner.patch('/organization/update-member-role', {
    organizationId: id,
    userId: await editor.id(),
    role: 'viewer',
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Your role doesn’t allow this.').waitFor()
  await page.getByText('Your role in The Team is now viewer.').first().waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Giro of the team')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Close' }).first().click()
  await expect.poll(() => page.locator('tbody tr').allTextContents()).toEqual(['GiroChecking€0.00'])
  expect(await page.getByRole('button', { name: 'New account' }).count()).toBe(0)
  await page.context().close()
})

test.each([
  ['at once', true],
  ['at the next action if streams are refused', false],
])(
  'a member who is removed during an edit reads it %s, and no longer sees the team',
  async (_, hasStream) => {
    const { id, owner, editor } = await team(story.stack, ['editor'])
    await store(story, owner, 'transactions', [{ name: 'Secret purchase', amount: -900 }])
    const page = await story.open(editor, '/')
    if (!hasStream)
      await page.context().route(
        '**/api/auth/changes*',
        (route) => route.fulfill({ status: 429, headers: { 'retry-after': '300' } }),
      )
    await page.goto(new URL('/transactions', page.url()).href)
    await page.getByRole('button', { name: 'Secret purchase', exact: true }).click()
    await page.getByRole('group', { name: 'Edit Secret purchase' }).getByLabel('Amount').fill('800')
    await owner.post('/organization/remove-member', {
      organizationId: id,
      userId: await editor.id(),
    })
    if (!hasStream) await page.getByRole('button', { name: 'Save' }).click()
    await context(page, /Personal/)
    await page.getByText('You are no longer a member of The Team.').first().waitFor()
    await page.getByText('No transactions yet.').waitFor()
    expect(await page.getByText('Secret purchase').count()).toBe(0)
    expect(await page.locator('.dialog, .tx-entry').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: /Workspace/ }).click()
    expect(await page.getByRole('menuitemradio').allTextContents()).toEqual(['Personal'])
    await page.context().close()
  },
)
