/** Edits in the reference app survive the end of a session and a restart of the service. */
import type { Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { password, person, signedIn, team } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { launchBrowser, wholeBrowser } from './chromium.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const lost = 'No connection to the service.'
const rowsOf = (page: Page) => page.locator('.tx-rows .tx-title').allTextContents()

/** Returns the text that a person at the screen can read. */
const readableText = (page: Page) => page.locator('body').innerText()

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
  // the live stream may renew the token before the button does
  const renewal = page.waitForRequest('**/api/auth/token')
  await page.clock.fastForward('01:01:00')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await (await renewal).response())?.status()).toBe(200)
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
  const dialog = page.getByRole('dialog', { name: 'You’ve been signed out' })
  await dialog.waitFor()
  expect(await readableText(page)).not.toContain('900')
  expect(await barriers(page)).toEqual([])
  // the way back into the team is slow
  const heldBack = Promise.withResolvers<Route>()
  await page.route('**/organization/set-active', heldBack.resolve, { times: 1 })
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  const route = await heldBack.promise
  expect(await readableText(page)).not.toContain('900')
  await route.continue()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Rent of the office')
  await page.getByRole('button', { name: /Workspace:\s*The Team/ }).waitFor()
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
  await page.getByText('No response.').waitFor()
  expect(await page.getByText(lost).count()).toBe(1)
  await page.getByLabel('Opening balance').fill('50')
  await start()
  await page.getByText(lost).waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').inputValue()).toBe('Giro')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.locator('tbody tr').allTextContents()).toEqual([
    'GiroChecking$50.00EditDelete',
  ])
  // Chromium logs failed requests itself, also those that the edge answers before the services are
  // ready
  expect(story.complaints().filter((text) => !text.startsWith('Failed to load resource: ')))
    .toEqual([])
  await page.context().close()
})

test('Dora signs out in one of two tabs while the connection is slow: no figure is left, and both tabs show the sign-in page', async () => {
  const dora = await signedIn(story.stack, 'Dora')
  await store(story, dora, 'transactions', [{ name: 'Rent', amount: -900 }])
  const page = await story.open(dora, '/transactions')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect.poll(() => rowsOf(other)).toEqual(['Rent'])
  const isEnded = Promise.withResolvers<void>()
  await page.route('**/api/auth/sign-out', async (route) => {
    const response = await route.fetch()
    // the other requests find out first
    await isEnded.promise
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Dora' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  for (const one of [page, other]) await expect.poll(() => readableText(one)).not.toContain('900')
  isEnded.resolve()
  for (const one of [page, other])
    await one.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  for (const one of [page, other]) expect(await one.getByRole('dialog').count()).toBe(0)
  await page.context().close()
})

test('Emil leaves for another site, signs out in a second tab, and goes back: the browser shows the sign-in page and no figure', async () => {
  const emil = await signedIn(story.stack, 'Emil')
  await store(story, emil, 'transactions', [{ name: 'Rent', amount: -900 }])
  // Playwright turns off the cache of the Back button
  const browser = await launchBrowser([], wholeBrowser, ['--disable-back-forward-cache'])
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC' })
  await context.addCookies(
    [...emil.cookies].map(([name, value]) => ({ name, value, url: story.stack.publicUrl })),
  )
  const page = await context.newPage()
  await page.goto(`${story.stack.publicUrl}/transactions`)
  await expect.poll(() => rowsOf(page)).toEqual(['Rent'])
  await page.goto(`${story.stack.publicUrl.replace('localhost', '127.0.0.1')}/livez`)
  await emil.post('/sign-out')
  await page.goBack()
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  expect(await readableText(page)).not.toContain('900')
  await browser.close()
})

test('Finn goes back to a page that the browser has kept: it is hidden until it is loaded again', async () => {
  const page = await story.open(await signedIn(story.stack, 'Finn'), '/accounts')
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))`)
  expect(await readableText(page)).toBe('')
  await Promise.all([
    page.waitForEvent('load'),
    page.evaluate(`void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`),
  ])
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.context().close()
})
