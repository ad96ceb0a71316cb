/** Guests of the reference app: their first visit, and links that an attacker may have written. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { password, type Person, person, signedIn } from '../support/person.ts'
import { type AppStory, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterAll(() => story?.close())

test.each(['/', '/sign-in', '/sign-up', '/forgot-password', '/verify-email', '/budgets', '/docs'])(
  'a guest opens %s, and the console of the browser stays empty',
  async (path) => {
    const page = await story.open(null, '/livez', { serviceWorkers: 'allow' })
    const messages: string[] = []
    page.on('console', (message) => messages.push(message.text()))
    page.on('pageerror', (error) => messages.push(error.message))
    await page.goto(`${story.stack.publicUrl}${path}`, { waitUntil: 'networkidle' })
    await page.locator('h1, h2').first().waitFor()
    expect(messages).toEqual([])
    await page.context().close()
  },
)

/**
 * Links to another site, as an attacker writes them into `to`. The unit test of `ownPath` has more.
 */
const foreign = (site: string) => [site, `%0a${site}`, `/.${site.replace('http:', '')}`]

/** Returns the addresses that a page opens. */
function openedBy(page: Page): string[] {
  const opened: string[] = []
  page.on('framenavigated', (frame) => opened.push(frame.url()))
  return opened
}

async function enter(page: Page, ann: Person) {
  await page.getByLabel('Email address').fill(ann.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test("Ann follows an attacker's links to the sign-in page, signs in, and stays in the app", async () => {
  const server = createServer((_, response) => response.end('another site')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/e1`
  const ann = await signedIn(story.stack, 'Ann')
  for (const to of foreign(site)) {
    const page = await story.open(null, `/sign-in?to=${to}`)
    const opened = openedBy(page)
    await enter(page, ann)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(opened.filter((address) => !address.startsWith(`${story.stack.publicUrl}/`)), to)
      .toEqual([])
    await page.context().close()
  }
  // she is signed in already
  for (const path of foreign(site).flatMap((to) => [`/sign-in?to=${to}`, `/sign-up?to=${to}`])) {
    const page = await story.open(ann, path)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url(), path).toBe(`${story.stack.publicUrl}/`)
    await page.context().close()
  }
  server.close()
})

test('Ben opens a page of the app without a session, signs in, and is led to that page with its parameters', async () => {
  const ben = person(story.stack, 'Ben')
  await ben.signUp()
  const page = await story.open(null, '/budgets?month=2026-01-01')
  await enter(page, ben)
  await page.getByRole('heading', { name: 'Budgets' }).waitFor()
  expect(page.url()).toBe(`${story.stack.publicUrl}/budgets?month=2026-01-01`)
  await page.context().close()
})
