/** Edits in the reference app survive the end of a session and a restart of the service. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { password, person, signedIn, team } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const lost = 'There is no connection to the service.'
const rowsOf = (page: Page) => page.locator('.tx-rows .tx-title').allTextContents()

/** Begins to edit a row in the list. */
async function writeIn(page: Page, name: string, text: string) {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('group', { name: `Edit ${name}` }).getByLabel('Name').fill(text)
}

test('Ann edits for more than an hour: her expired token is renewed without a notice', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await store(story, ann, 'transactions', [{ name: 'Rent', amount: -900 }])
  // the clock also reaches the next look for a new version, by the service worker
  const page = await story.open(ann, '/settings', { serviceWorkers: 'allow' })
  await page.clock.install()
  await page.goto(`${story.stack.publicUrl}/transactions`)
  await writeIn(page, 'Rent', 'Rent of the flat')
  await page.clock.fastForward('01:01:00')
  const [renewal] = await Promise.all([page.waitForRequest('**/api/auth/token'), page.getByRole('button', { name: 'Save' }).click()])
  expect((await renewal.response())?.status()).toBe(200)
  await expect.poll(() => rowsOf(page)).toEqual(['Rent of the flat'])
  expect(await page.locator('.dialog').count()).toBe(0)
  await page.context().close()
})

test('Ben, whose session is revoked from his phone, sees one notice, enters his password, and saves his edit in his team', async () => {
  const { owner: ben } = await team(story.stack, [])
  await store(story, ben, 'transactions', [{ name: 'Rent', amount: -900 }])
  const page = await story.open(ben, '/transactions')
  await writeIn(page, 'Rent', 'Rent of the office')
  const phone = person(story.stack, 'Ben', ben.email)
  await phone.signIn()
  await phone.post('/revoke-other-sessions')
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  expect(await barriers(page)).toEqual([])
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Rent of the office')
  await page.getByRole('button', { name: /Context:\s*The Team/ }).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['Rent of the office'])
  await page.context().close()
})

test('Cleo edits during a restart of the service: a bar is shown until it is back, and she saves her edit', async () => {
  const page = await story.open(await signedIn(story.stack, 'Cleo'), '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Name').fill('Giro')
  const start = await story.stack.stop()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('There was no response.').waitFor()
  expect(await page.getByText(lost).count()).toBe(1)
  await page.getByLabel('Opening balance').fill('50')
  await start()
  await page.getByText(lost).waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').inputValue()).toBe('Giro')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.locator('tbody tr').allTextContents()).toEqual(['GiroChecking$50.00EditDelete'])
  // Chromium logs failed requests itself.
  expect(story.complaints().filter((text) => !text.startsWith('Failed to load resource: net::'))).toEqual([])
  await page.context().close()
})
