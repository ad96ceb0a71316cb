/** Recurring costs in the reference app. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn, team } from '../support/person.ts'
import { inDays, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const dayOf = (day: string) => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))
const cellsOf = (page: Page) =>
  page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...(row as any).cells].map((cell) => cell.textContent).slice(0, 5)))

test('Ann creates a weekly cost, records, pauses, changes and deletes it, and undoes the deletion', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/recurring')
  await page.getByText('No recurring cost yet').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New recurring cost' }).click()
  await page.getByLabel('Name').fill('Choir')
  await page.getByLabel('Amount').fill('10 + 2')
  await page.getByLabel('Currency').fill('EUR')
  await page.getByLabel('How often').selectOption('Every week')
  await page.getByLabel('First due on').fill(inDays(1))
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([['Choir', 'Every week', dayOf(inDays(1)), '€12.00', '€52.14']])
  await page.getByRole('button', { name: `Record Choir of ${dayOf(inDays(1))}` }).click()
  await page.getByText(`Choir of ${dayOf(inDays(1))} is recorded.`).first().waitFor()
  await expect.poll(() => cellsOf(page)).toEqual([['Choir', 'Every week', dayOf(inDays(8)), '€12.00', '€52.14']])
  await page.getByRole('button', { name: 'Pause Choir' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([['Choir', 'Every week', 'paused', '€12.00', '€52.14']])
  await page.getByRole('button', { name: 'Resume Choir' }).click()
  await page.getByRole('button', { name: 'Edit Choir' }).click()
  await page.getByLabel('Amount').fill('15')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([['Choir', 'Every week', dayOf(inDays(8)), '€15.00', '€65.18']])
  await page.getByRole('button', { name: 'Delete Choir' }).click()
  await page.getByText('No recurring cost yet').waitFor()
  await page.getByText('Choir is deleted.').locator('..').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([['Choir', 'Every week', dayOf(inDays(8)), '€15.00', '€65.18']])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Carl, in Germany, reads what will be recorded: a minus is an expense, and a salary is an income', async () => {
  const page = await story.open(await signedIn(story.stack, 'Carl'), '/recurring', { locale: 'de-DE' })
  const due = new Intl.DateTimeFormat('de-DE', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(inDays(3)))
  const enter = async (name: string, amount: string, says: string) => {
    await page.getByRole('button', { name: 'New recurring cost' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('First due on').fill(inDays(3))
    await page.getByLabel('Amount').fill(amount)
    await page.getByText(`Is booked as ${says} on ${due}`).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'New recurring cost' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: new RegExp(`^Record ${name}`) }).click()
    await page.getByText(`${name} of ${due} is recorded.`).first().waitFor()
  }
  await enter('Miete', '-980,50', '-980,50\u00a0€')
  await enter('Gehalt', '+2000', '2.000,00\u00a0€')
  await expect.poll(async () => (await cellsOf(page)).map(([name, , , amount]) => [name, amount])).toEqual([
    ['Gehalt', '+2.000,00\u00a0€'],
    ['Miete', '980,50\u00a0€'],
  ])
  await page.goto(`${story.stack.publicUrl}/transactions`)
  await expect.poll(() => page.locator('.tx-amount .amount').allTextContents().then((all) => all.toSorted((one, other) => one.localeCompare(other)))).toEqual([
    '-980,50\u00a0€',
    '2.000,00\u00a0€',
  ])
  await page.context().close()
})

test('a user sees an invalid end date at its field, and keeps the input', async () => {
  const page = await story.open(await signedIn(story.stack, 'Bob'), '/recurring')
  await page.getByRole('button', { name: 'New recurring cost' }).click()
  await page.getByLabel('Name').fill('Gym')
  await page.getByLabel('Amount').fill('30')
  await page.getByLabel('First due on').fill(inDays(5))
  await page.getByLabel('Until').fill(inDays(1))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Until').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('Name').inputValue()).toBe('Gym')
  await page.context().close()
})

test('an editor of a team restores a deleted cost, and a viewer reads on a phone, without buttons for changes', async () => {
  const { owner, editor, viewer } = await team(story.stack, ['editor', 'viewer'])
  await store(story, owner, 'subscriptions', [{ title: 'Server', amount: 20, currency: 'eur', period: 'monthly', starts_on: inDays(2) }])
  const page = await story.open(editor, '/recurring')
  await page.getByRole('button', { name: 'Delete Server' }).click()
  await page.getByText('No recurring cost yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  const server = ['Server', 'Every month', dayOf(inDays(2)), '€20.00', '€20.00']
  await expect.poll(() => cellsOf(page)).toEqual([server])
  await page.context().close()
  const phone = await story.open(viewer, '/recurring', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
  await expect.poll(() => cellsOf(phone)).toEqual([server])
  expect(await phone.getByRole('button', { name: /New|Record|Edit|Pause|Delete/ }).count()).toBe(0)
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(320)
  expect(await barriers(phone)).toEqual([])
  await phone.context().close()
})
