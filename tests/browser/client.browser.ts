/** The client in two tabs of one browser, with the number of its requests. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { password, type Person, signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { closePages, sharedBrowser } from './chromium.ts'
import { appPage, type AppPage } from './app-page.ts'

// Two tabs with forty components each take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let stack: Stack
let app: AppPage
let browser: Browser
let context: BrowserContext
let one: Page
let other: Page
/** The paths that both tabs have requested. */
let requested: string[] = []

beforeAll(async () => {
  app = await appPage(() => stack.publicUrl)
  stack = await startStack({ data: true, env: { TRUSTED_ORIGINS: app.origin } })
  browser = await sharedBrowser()
})
afterAll(async () => {
  await closePages()
  await stack?.close()
  await app?.[Symbol.asyncDispose]()
})
afterEach(() => context.close())
beforeEach(async () => {
  context = await browser.newContext()
  context.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'OPTIONS' && /^\/(api|data)/.test(pathname))
      requested.push(pathname.replace('/api/auth', ''))
  })
})

/** Returns the number of requests by path since the last call. */
const counted = () => {
  const counts = Object.fromEntries(
    [...Map.groupBy(requested, (path) => path)].map(([path, all]) => [path, all.length]),
  )
  requested = []
  return counts
}

const openTab = async (): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(app.origin)
  await page.waitForFunction(() => 'finance' in globalThis)
  return page
}

/** Opens two tabs, and signs a user in in the first. */
async function twoTabsOf({ email }: Person): Promise<void> {
  one = await openTab()
  other = await openTab()
  await expect.poll(() => inBoth(changesIn)).toEqual([['signed-out'], ['signed-out']])
  await one.evaluate((credentials) => finance.auth.signIn(credentials), { email, password })
  await expect.poll(() => inBoth(changesIn)).toEqual([['signed-out', 'signed-in'], [
    'signed-out',
    'signed-in',
  ]])
  // The tests begin after the sign-in.
  await inBoth((page) => page.evaluate(() => changes.shift()))
  counted()
}

const changesIn = (page: Page) => page.evaluate(() => changes)

/** Requests rows from forty components of a tab. @returns the distinct statuses */
const fortyComponents = (page: Page) =>
  page.evaluate(async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => finance.data.from('transactions').select()),
    )
    return [...new Set(answers.map(({ status }) => status))]
  })

const inBoth = <Result>(work: (page: Page) => Promise<Result>) =>
  Promise.all([work(one), work(other)])

const namesIn = (page: Page) =>
  page.evaluate(async () =>
    (await finance.data.from('transactions').select('name')).data?.map(({ name }) => name)
  )

describe('Ann, with two tabs', () => {
  let ann: Person
  beforeEach(async () => {
    ann = await signedIn(stack, 'Ann')
  })

  test('Ann, with two tabs has one token in both and in a third, and one session request for forty components', async () => {
    await twoTabsOf(ann)
    await inBoth((page) =>
      page.evaluate(() => Promise.all(Array.from({ length: 40 }, () => finance.auth.getSession())))
    )
    expect(await inBoth(fortyComponents)).toEqual([[200], [200]])
    expect(counted()).toEqual({ '/get-session': 2, '/token': 1, '/data/transactions': 80 })
    const third = await openTab()
    await expect.poll(() => changesIn(third)).toEqual(['signed-in'])
    expect(counted()).toEqual({ '/session-status': 1 })
    await third.evaluate(() => finance.auth.getSession())
    expect(await fortyComponents(third)).toEqual([200])
    expect(counted()).toEqual({ '/get-session': 1, '/data/transactions': 40 })
  })

  test('whose session ends elsewhere gets one notice in each tab, and one token request in spite of many components', async () => {
    await twoTabsOf(ann)
    await inBoth(fortyComponents)
    await inBoth((page) =>
      page.evaluate(() => {
        finance.onChange(() => {
          for (let component = 0; component < 40; component += 1)
            void (async () => finance.data.from('transactions').select())()
        })
      })
    )
    await stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
    counted()
    expect(await inBoth(fortyComponents)).toEqual([[401], [401]])
    expect(await inBoth(fortyComponents)).toEqual([[401], [401]])
    // Each of the first eighty requests had a token that was just valid.
    expect(counted()).toEqual({ '/token': 1, '/data/transactions': 80 })
    expect(await inBoth(changesIn)).toEqual([['signed-in', 'session-ended'], [
      'signed-in',
      'session-ended',
    ]])
  })

  test('who returns after the end of her session causes one session request in each tab and none for rows', async () => {
    await twoTabsOf(ann)
    await stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
    counted()
    await inBoth((page) => page.reload({ waitUntil: 'load' }))
    await inBoth((page) => page.waitForFunction(() => 'finance' in globalThis))
    expect(await inBoth(fortyComponents)).toEqual([[401], [401]])
    await expect.poll(() => inBoth(changesIn)).toEqual([['signed-out'], ['signed-out']])
    const { '/token': tokens = 0, '/session-status': sessions = 0, ...others } = counted()
    expect(others).toEqual({})
    expect(tokens + sessions).toBeLessThanOrEqual(2)
    await one.evaluate((credentials) => finance.auth.signIn(credentials), {
      email: ann.email,
      password,
    })
    await expect.poll(() => changesIn(other)).toEqual(['signed-out', 'signed-in'])
    expect(await inBoth(fortyComponents)).toEqual([[200], [200]])
  })

  test('Ann, with two tabs signs out in one tab, and the other one is notified and sends no more requests', async () => {
    await twoTabsOf(ann)
    await inBoth(fortyComponents)
    await one.evaluate(() => finance.auth.signOut())
    await expect.poll(() => changesIn(other)).toEqual(['signed-in', 'signed-out'])
    counted()
    expect(await inBoth(fortyComponents)).toEqual([[401], [401]])
    expect(counted()).toEqual({})
  })

  test('Ann, with two tabs gets one new token for both tabs before the old one expires', async () => {
    await context.clock.install()
    await twoTabsOf(ann)
    await inBoth(fortyComponents)
    await context.clock.fastForward('58:00')
    counted()
    await inBoth(fortyComponents)
    expect(counted()).toEqual({ '/data/transactions': 80 })
    await context.clock.fastForward('01:30')
    expect(await inBoth(fortyComponents)).toEqual([[200], [200]])
    expect(counted()).toEqual({ '/token': 1, '/data/transactions': 80 })
  })
})

test('a member who switches the organization in one tab reads its rows in the other, without a reload', async () => {
  const { id, owner, editor } = await team(stack, ['editor'])
  await editor.post('/organization/set-active', { organizationId: id })
  await owner.post('/organization/set-active', { organizationId: id })
  await twoTabsOf(editor)
  await one.evaluate(
    (organizationId) => finance.auth.organization.setActive({ organizationId }),
    id,
  )
  await one.evaluate(async () =>
    finance.data.from('transactions').insert({ name: 'Rent', amount: -900 })
  )
  expect(await namesIn(other)).toEqual(['Rent'])
  expect(await changesIn(other)).toEqual(['signed-in', 'organization-changed'])
  await one.evaluate(() => finance.auth.organization.setActive({ organizationId: null }))
  await expect.poll(() => changesIn(other)).toEqual([
    'signed-in',
    'organization-changed',
    'organization-changed',
  ])
  expect(await namesIn(other)).toEqual([])
})

test.each([
  ['locks', () => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })],
  ['channels', () => Object.defineProperty(globalThis, 'BroadcastChannel', { value: undefined })],
])('a browser without %s has a separate token in each tab', async (_, take) => {
  await context.addInitScript(take)
  const { email } = await signedIn(stack, 'Ann')
  one = await openTab()
  await one.evaluate((credentials) => finance.auth.signIn(credentials), { email, password })
  other = await openTab()
  counted()
  expect(await inBoth(fortyComponents)).toEqual([[200], [200]])
  expect(counted()['/token']).toBeLessThanOrEqual(2)
})
