/** Listeners for changes of rows in the tabs of one browser: they share a stream. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RowsNotice } from '../../client/index.ts'
import { password, type Person, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { appPage, type AppPage } from './app-page.ts'
import { closePages, sharedBrowser } from './chromium.ts'

declare global {
  var notices: RowsNotice[]
}

let stack: Stack
let app: AppPage
let browser: Browser
let context: BrowserContext
let ann: Person
/** The tables and the cursors of all requests for a stream. */
let streams: { tables: string | null, resumes: boolean }[]

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
beforeEach(async () => {
  streams = []
  context = await browser.newContext()
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (request.method() !== 'GET' || url.pathname !== '/api/auth/changes') return
    streams.push({
      tables: url.searchParams.get('tables'),
      resumes: request.headers()['last-event-id'] !== undefined,
    })
  })
  ann = await signedIn(stack, 'Ann')
})
afterEach(() => context.close())

/** Opens a tab that listens to tables. The first tab signs Ann in. */
async function openTab(...tables: string[]): Promise<Page> {
  const page = await context.newPage()
  await page.goto(app.origin)
  await page.waitForFunction(() => 'finance' in globalThis)
  await page.evaluate((names) => {
    globalThis.notices = []
    finance.onRows(names as 'transactions'[], (notice) => notices.push(notice))
  }, tables)
  if (context.pages().length === 1)
    await page.evaluate((credentials) => finance.auth.signIn(credentials), {
      email: ann.email,
      password,
    })
  await expect.poll(() => noticesIn(page)).toEqual(['reset'])
  await page.evaluate(() => notices.splice(0))
  return page
}

/** Returns the notices of a tab: `reset`, or the changed table. */
const noticesIn = (page: Page) =>
  page.evaluate(() =>
    notices.map((notice) => notice.event === 'change' ? notice.table : notice.event)
  )

const bookIn = (page: Page) =>
  page.evaluate(async () => finance.data.from('transactions').insert({ name: 'Bread', amount: -5 }))

/** Books a transaction by another program of Ann. */
const book = async () => {
  const headers = {
    authorization: `Bearer ${await ann.token()}`,
    'content-type': 'application/json',
  }
  expect(
    (await fetch(`${stack.url}/data/transactions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Rent', amount: -900 }),
    })).status,
  ).toBe(201)
}

/** Returns the number of open streams, as the service counts them. */
const openStreams = async () =>
  Number(/^auth_streams (\d+)/m.exec(await (await fetch(`${stack.url}/metrics`)).text())?.[1])

test('two tabs share one stream, and each receives what the other has changed, but not its own changes', async () => {
  const one = await openTab('transactions')
  const other = await openTab('transactions')
  expect(streams).toEqual([{ tables: 'transactions', resumes: false }])
  await bookIn(one)
  await expect.poll(() => noticesIn(other)).toEqual(['transactions'])
  await bookIn(other)
  await expect.poll(() => noticesIn(one)).toEqual(['transactions'])
  await book()
  await expect.poll(() => noticesIn(one)).toEqual(['transactions', 'transactions'])
  await expect.poll(() => noticesIn(other)).toEqual(['transactions', 'transactions'])
  expect(await openStreams()).toBe(1)
})

test('a tab with other tables extends the stream', async () => {
  const one = await openTab('transactions')
  const other = await openTab('tags')
  expect(streams).toEqual([{ tables: 'transactions', resumes: false }, {
    tables: 'transactions,tags',
    resumes: true,
  }])
  await one.evaluate(async () => finance.data.from('tags').insert({ name: 'food' }))
  await expect.poll(() => noticesIn(other)).toEqual(['tags'])
  await book()
  await expect.poll(() => noticesIn(one)).toEqual(['transactions'])
  expect(await noticesIn(other)).toEqual(['tags'])
})

test('the tab that has the stream is closed, and another tab resumes it', async () => {
  const one = await openTab('transactions')
  const other = await openTab('transactions')
  await book()
  await expect.poll(() => noticesIn(other)).toEqual(['transactions'])
  await one.close()
  await expect.poll(() => streams).toEqual([{ tables: 'transactions', resumes: false }, {
    tables: 'transactions',
    resumes: true,
  }])
  await book()
  await expect.poll(() => noticesIn(other)).toEqual(['transactions', 'transactions'])
})

test('the tab that has the stream falls asleep, and another tab takes it over', async () => {
  await context.clock.install()
  const one = await openTab('transactions')
  const other = await openTab('transactions')
  // a sleeping tab keeps its lock and sends nothing
  await one.evaluate(() => {
    BroadcastChannel.prototype.postMessage = () => undefined
  })
  await context.clock.fastForward('02:10')
  await expect.poll(() => streams.length).toBeGreaterThan(1)
  await expect.poll(openStreams).toBe(1)
  await book()
  await expect.poll(() => noticesIn(other)).toContain('transactions')
})

test('a sign-out in one tab ends the stream of all', async () => {
  const one = await openTab('transactions')
  const other = await openTab('transactions')
  await expect.poll(openStreams).toBe(1)
  await other.evaluate(() => finance.auth.signOut())
  await expect.poll(openStreams).toBe(0)
  await one.evaluate((credentials) => finance.auth.signIn(credentials), {
    email: ann.email,
    password,
  })
  await expect.poll(openStreams).toBe(1)
  await book()
  for (const page of [one, other])
    await expect.poll(() => noticesIn(page)).toEqual(['transactions'])
})

test('a refused stream is replaced by resets in all tabs, until it opens', async () => {
  await context.clock.install()
  await context.route(
    '**/api/auth/changes?**',
    (route) =>
      route.fulfill({
        status: 429,
        headers: {
          'retry-after': '60',
          'access-control-allow-origin': app.origin,
          'access-control-allow-credentials': 'true',
        },
      }),
  )
  const one = await openTab('transactions')
  const other = await openTab('transactions')
  await context.clock.fastForward('00:31')
  for (const page of [one, other]) await expect.poll(() => noticesIn(page)).toEqual(['reset'])
  await context.unroute('**/api/auth/changes?**')
  await context.clock.fastForward('01:00')
  await expect.poll(openStreams).toBe(1)
  await book()
  for (const page of [one, other])
    await expect.poll(() => noticesIn(page)).toContain('transactions')
})

test('a browser without locks has a stream in each visible tab', async () => {
  await context.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })
  )
  const one = await openTab('transactions')
  const other = await openTab('transactions')
  await expect.poll(openStreams).toBe(2)
  await bookIn(one)
  await expect.poll(() => noticesIn(other)).toEqual(['transactions'])
  expect(await noticesIn(one)).toEqual([])
  const look = (state: 'hidden' | 'visible') =>
    other.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`,
    )
  await look('hidden')
  await expect.poll(openStreams).toBe(1)
  await book()
  await expect.poll(() => noticesIn(one)).toEqual(['transactions'])
  expect(await noticesIn(other)).toEqual(['transactions'])
  await look('visible')
  await expect.poll(() => noticesIn(other)).toEqual(['transactions', 'transactions'])
})
