/** `npm start` after a clone: without any setting, the reference app is at `/`. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { policyOfApp } from '../../edge/app-files.ts'
import { emptyDirectory, remove, start } from '../start/support.ts'
import { closePages, sharedBrowser } from './chromium.ts'
import { appDirectory } from './app-story.ts'

test('Ann signs up at the printed address', async () => {
  const directory = await emptyDirectory()
  await using ends = new AsyncDisposableStack()
  ends.defer(() => remove(directory))
  const run = ends.use(await start({ env: { DATA_DIR: join(directory, 'data'), APP_DIR: '' } }))
  await run.ready
  const [, address = ''] = /^app {3}(http\S+)$/m.exec(run.output()) ?? []
  const browser = await sharedBrowser()
  ends.defer(closePages)
  const page = await browser.newPage()
  const document = await page.goto(address)
  expect(document?.headers()['content-security-policy']).toBe(await policyOfApp(appDirectory))
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('Your name').fill('Ann')
  await page.getByLabel('Email address').fill('ann@example.com')
  await page.getByLabel('Password').fill('correct horse')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  // The link of her mail also leads to the app.
  expect((await fetch(`${run.url}/mail`)).status).toBe(200)
})
