/** New versions of the app reach its users, and a removed service worker leaves their browsers. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { policyOfApp } from '../../edge/app-files.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { type AppBrowser, appDirectory, startAppBrowser } from './app-story.ts'

/** The parts of a browser that Node's types lack. */
declare const navigator: {
  serviceWorker: {
    ready: Promise<unknown>
    controller: unknown
    getRegistrations: () => Promise<Array<{ update: () => Promise<unknown> }>>
  }
}
declare const caches: { keys: () => Promise<string[]> }

let directory: string
let stack: Stack
let browser: AppBrowser
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'finance-app-'))
  await cp(appDirectory, directory, { recursive: true })
  stack = await startStack({
    data: true,
    env: { APP_DIR: directory, APP_CSP: await policyOfApp(directory) },
  })
  browser = await startAppBrowser(stack.publicUrl)
})
afterAll(async () => {
  await browser?.close()
  await stack?.close()
  await rm(directory, { recursive: true, force: true })
})

const visit = async (name: string) => {
  const page = await browser.open(await signedIn(stack, name), '/', { serviceWorkers: 'allow' })
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(
    true,
  )
  return page
}

test('the operator upgrades: an open page offers the new version, and a page that is loaded has it at once', async () => {
  const page = await visit('Ann')
  const document = await readFile(join(directory, 'index.html'), 'utf8')
  const worker = await readFile(join(directory, 'sw.js'), 'utf8')
  await rm(join(directory, 'index.html.br'))
  await rm(join(directory, 'sw.js.br'))
  await writeFile(
    join(directory, 'index.html'),
    document.replace('<head>', '<head><meta name="build" content="next">'),
  )
  await writeFile(join(directory, 'sw.js'), worker.replace(/app-/, 'app-next-'))
  await page.evaluate(async () => {
    const [registration] = await navigator.serviceWorker.getRegistrations()
    await registration?.update()
  })
  await page.getByText('A new version of the app is available.').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.locator('meta[name=build]').waitFor({ state: 'attached' })
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await page.getByText('A new version of the app is available.').count()).toBe(0)
  await page.context().close()
})

test('the operator serves a build without a service worker: with the next page load the former one is gone, with its files', async () => {
  const page = await visit('Ben')
  await rm(join(directory, 'sw.js'))
  await page.reload()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await expect.poll(() =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)
  ).toBe(0)
  await expect.poll(() => page.evaluate(() => caches.keys())).toEqual([])
  await page.context().close()
})
