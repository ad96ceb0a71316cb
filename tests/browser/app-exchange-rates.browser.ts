/** Exchange rates in the reference app. app-overview.browser.ts covers their use. */
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

const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name)
const rowsOf = (page: Page) => page.locator('tbody tr').allTextContents()
const rates = [{ base: 'eur', quote: 'usd', on_date: '2025-01-01', rate: 1.05 }]

test('Ann opens them from her accounts, adds one, reads that a day already has one, and changes, deletes and restores', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts')
  await page.getByRole('link', { name: 'Exchange rates' }).click()
  await page.getByText('No exchange rates yet.').waitFor()
  expect(await barriers(page)).toEqual([])
  const add = async (rate: string) => {
    await page.getByRole('button', { name: 'New exchange rate' }).click()
    await field(page, 'From currency').fill('EUR')
    await field(page, 'Rate').fill(rate)
    await field(page, 'To currency').fill('USD')
    await field(page, 'Valid from').fill('2025-01-01')
    await page.getByRole('button', { name: 'Save' }).click()
  }
  await add('1.05')
  await expect.poll(() => rowsOf(page)).toEqual(['EUR to USDJan 1, 20251.05EditDelete'])
  await add('1.06')
  await page.getByRole('alert').waitFor()
  expect(await field(page, 'Valid from').getAttribute('aria-invalid')).toBe('true')
  await field(page, 'To currency').fill('EUR')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => field(page, 'To currency').getAttribute('aria-invalid')).toBe('true')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Edit EUR to USD' }).click()
  await field(page, 'Rate').fill('1.0725')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['EUR to USDJan 1, 20251.0725EditDelete'])
  await page.getByRole('button', { name: 'Delete EUR to USD' }).click()
  await page.getByText('No exchange rates yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['EUR to USDJan 1, 20251.0725EditDelete'])
  await page.context().close()
})

test('the editor of a team deletes a rate and undoes it', async () => {
  const { owner, editor } = await team(story.stack, ['editor'])
  await store(story, owner, 'exchange_rates', rates)
  const page = await story.open(editor, '/exchange-rates')
  await page.getByRole('button', { name: 'Delete EUR to USD' }).click()
  await page.getByText('No exchange rates yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['EUR to USDJan 1, 20251.05EditDelete'])
  await page.context().close()
})

test('a user reads that the instance has rates of the European Central Bank, and from when the latest are', async () => {
  const now = new Date()
  const before = new Date(now.getTime() - 86_400_000)
  await story.stack.sql.query(
    `insert into private.instance_rates (on_date, currency, rate) values ($1, 'usd', 1.05), ($2, 'gbp', 0.85)`,
    [
      now.toISOString().slice(0, 10),
      before.toISOString().slice(0, 10),
    ],
  )
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/exchange-rates')
  const today = now.toLocaleDateString('en-US', {
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  })
  await page.getByText(
    `2 rates from the European Central Bank are updated every business day, most recently on ${today}.`,
  ).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})
