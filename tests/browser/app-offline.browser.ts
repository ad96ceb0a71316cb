/**
 * The app without a connection: it opens with what was last seen and says so, and forgets it at the
 * end of the session.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, person, signedIn, team } from '../support/person.ts'
import { inDays, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

/** The parts of a browser that Node's types lack. */
declare const navigator: { serviceWorker: { ready: Promise<unknown>, controller: unknown } }
declare const caches: {
  keys: () => Promise<string[]>
  open: (name: string) => Promise<{ keys: () => Promise<Array<{ url: string }>> }>
}
declare const indexedDB: { open: (name: string, version: number) => any }

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
// Chromium logs failed requests itself
afterEach(() =>
  expect(story.complaints().filter((text) => !/net::|Failed to (?:load|fetch)/.test(text))).toEqual(
    [],
  )
)
afterAll(() => story?.close())

const lost = (page: Page) => page.getByText('No connection to the service.')

/** Opens the app in a browser that keeps its files, and waits until they are kept. */
async function visit(who: Person, path: string): Promise<Page> {
  const page = await story.open(who, path, { serviceWorkers: 'allow' })
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(
    true,
  )
  return page
}

/** The names of the users whose data the browser keeps, and the contexts of the data. */
const kept = (page: Page) =>
  page.evaluate(() =>
    new Promise<string[]>((resolve) => {
      const request = indexedDB.open('last-seen', 1)
      request.addEventListener(
        'upgradeneeded',
        () => request.result.createObjectStore('entries', { keyPath: 'id' }),
      )
      request.addEventListener('success', () => {
        const all = request.result.transaction('entries').objectStore('entries').getAll()
        all.addEventListener('success', () => {
          request.result.close()
          resolve(
            [
              ...new Set(
                (all.result as Array<{ queryKey: string[] }>).map(({ queryKey }) =>
                  queryKey[0] ?? ''
                ),
              ),
            ].toSorted(),
          )
        })
      })
    })
  )

/** Waits until the browser keeps the rows of a context. */
const waitForRows = (page: Page, context = 'personal') =>
  expect.poll(() => kept(page)).toContain(context)

test('Ann opens the app in a tunnel: she sees her accounts as they were, with the time, keeps what she types, and saves it outside', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await store(story, ann, 'accounts', [{
    name: 'Giro',
    type: 'checking',
    currency: 'usd',
    balance: 50,
  }])
  const page = await visit(ann, '/accounts')
  await page.getByRole('link', { name: 'Giro' }).waitFor()
  await waitForRows(page)

  await page.context().setOffline(true)
  await page.reload()
  await page.getByRole('link', { name: 'Giro' }).waitFor()
  await lost(page).waitFor()
  await page.getByText(/Showing data from .*\d:\d\d/).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Name').fill('Savings')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('No response.').waitFor()

  await store(story, ann, 'accounts', [{ name: 'Wallet', type: 'cash', currency: 'usd' }])
  await page.context().setOffline(false)
  await lost(page).waitFor({ state: 'detached' })
  // behind the dialog
  await page.getByText('Wallet').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Savings' }).waitFor()
  await page.context().close()
})

test('Ben’s session is revoked while he is offline: with the first connection his data is gone, also from the device', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  await store(story, ben, 'accounts', [{ name: 'Giro', type: 'checking' }])
  const page = await visit(ben, '/accounts')
  await waitForRows(page)
  await page.context().setOffline(true)
  await page.reload()
  await page.getByRole('link', { name: 'Giro' }).waitFor()
  const phone = person(story.stack, 'Ben', ben.email)
  await phone.signIn()
  await phone.post('/revoke-other-sessions')
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByText('Giro').count()).toBe(0)
  await expect.poll(() => kept(page)).toEqual([])
  await page.context().setOffline(true)
  await page.reload()
  await lost(page).waitFor()
  expect(await page.getByText('Giro').count()).toBe(0)
  await page.context().close()
})

test('Cleo signs out: the device keeps nothing', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  await store(story, cleo, 'accounts', [{ name: 'Giro', type: 'checking' }])
  const page = await visit(cleo, '/accounts')
  await waitForRows(page)
  await page.getByRole('button', { name: 'Cleo' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expect.poll(() => kept(page)).toEqual([])
  expect(await page.evaluate(() => localStorage.getItem('last-session'))).toBe(null)
  await page.context().close()
})

test('Dora is removed from a team: the device forgets the team’s rows, and keeps her own', async () => {
  const { owner, editor, id } = await team(story.stack, ['editor'])
  await store(story, owner, 'accounts', [{ name: 'Team account', type: 'checking' }])
  const page = await visit(editor, '/accounts')
  await waitForRows(page, id)
  await owner.post('/organization/remove-member', { organizationId: id, userId: await editor.id() })
  await page.reload()
  await page.getByRole('button', { name: /Workspace:\s*Personal/ }).waitFor()
  await expect.poll(() => kept(page)).toEqual(['me', 'personal'])
  await page.context().close()
})

test('Emil decides that this device keeps nothing', async () => {
  const emil = await signedIn(story.stack, 'Emil')
  await store(story, emil, 'accounts', [{ name: 'Giro', type: 'checking' }])
  const page = await visit(emil, '/accounts')
  await waitForRows(page)
  await page.goto(new URL('/settings', story.stack.publicUrl).href)
  await page.getByLabel('Keep recently viewed data on this device').uncheck()
  await expect.poll(() => kept(page)).toEqual([])
  await page.goto(new URL('/accounts', story.stack.publicUrl).href)
  await page.getByRole('link', { name: 'Giro' }).waitFor()
  expect(await kept(page)).toEqual([])
  await page.context().close()
})

test('the browser’s caches contain only files of the build, and its storage no token and no session id', async () => {
  const fay = await signedIn(story.stack, 'Fay')
  await store(story, fay, 'subscriptions', [{
    title: 'Rent',
    amount: 900,
    period: 'monthly',
    starts_on: inDays(3),
  }])
  const page = await visit(fay, '/')
  await waitForRows(page)
  const paths = await page.evaluate(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })
  expect(paths.length).toBeGreaterThan(20)
  expect(paths.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([])
  const local = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))
  expect(JSON.parse(JSON.parse(local).find(([key]: [string]) => key === 'last-session')[1]))
    .toEqual({ user_id: await fay.id(), active_organization_id: null })
  await page.context().close()
})

test('the app is installable: the manifest and its icons are served, and neither it nor the worker is cached for long', async () => {
  const get = (path: string) => fetch(new URL(path, story.stack.publicUrl))
  const [manifest, worker] = await Promise.all(['/manifest.webmanifest', '/sw.js'].map(get))
  const headersOf = (
    { headers }: Response,
  ) => [headers.get('content-type')?.split(';')[0], headers.get('cache-control')]
  expect([manifest!, worker!].map(headersOf)).toEqual([['application/manifest+json', 'no-cache'], [
    'text/javascript',
    'no-cache',
  ]])
  const { icons, start_url, display } = await manifest!.json() as {
    icons: Array<{ src: string, type: string }>
    start_url: string
    display: string
  }
  expect({ start_url, display }).toEqual({ start_url: '/', display: 'standalone' })
  for (const { src, type } of icons) expect((await get(src)).headers.get('content-type')).toBe(type)
})
