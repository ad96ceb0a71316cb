/** Export and import of a user's data in the reference app. */
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn, team } from '../support/person.ts'
import { filesOf, rowsIn } from '../typed-client/archives.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

test('Ann exports everything, deletes a transaction, and imports the file on her phone', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await store(story, ann, 'transactions', [{ name: 'Rent', amount: -900 }, {
    name: 'Tram',
    amount: -2.9,
  }])
  const page = await story.open(ann, '/settings')
  const scripts = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name).join()
  )
  // A browser without a file picker, which only downloads.
  await page.evaluate('globalThis.showSaveFilePicker = undefined')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export everything' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^finance-\d{4}-\d\d-\d\d\.zip$/)
  await page.getByText('Export finished.').waitFor()
  const path = await download.path()
  const files = await filesOf(new Blob([await readFile(path)]))
  expect(rowsIn(files, 'personal/transactions.jsonl').map(({ name }) => name as string).toSorted())
    .toEqual(['Rent', 'Tram'])
  // The script that writes the file is loaded only for the export.
  const later = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name).filter((name) =>
      name.endsWith('.js')
    )
  )
  expect(later.filter((script) => !scripts.includes(script))).not.toEqual([])
  expect(await barriers(page)).toEqual([])

  await story.stack.sql.query(`delete from api.transactions where name = 'Tram'`)
  const phone = await story.open(ann, '/settings', {
    viewport: { width: 360, height: 740 },
    colorScheme: 'dark',
  })
  await phone.getByLabel('Restore an export into your personal data').setInputFiles({
    name: 'mine.zip',
    mimeType: 'application/zip',
    buffer: await readFile(path),
  })
  await phone.getByRole('button', { name: 'Restore', exact: true }).click()
  await phone.getByText('1 item restored; 1 already existed.').waitFor()
  expect(await barriers(phone)).toEqual([])
  await phone.goto(`${story.stack.publicUrl}/transactions`)
  await phone.getByText('Tram').first().waitFor()
  await phone.context().close()
  await page.context().close()
})

test('Ben chooses where to save, gets the file when it is complete, and none after a cancellation or an interruption', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const page = await story.open(ben, '/settings')
  const button = page.getByRole('button', { name: 'Export everything' })
  const place =
    `navigator.storage.getDirectory().then((directory) => directory.getFileHandle('mine.zip', { create: true }))`
  const size = () =>
    page.evaluate<number>(`${place}.then((handle) => handle.getFile()).then(({ size }) => size)`)
  await page.evaluate(
    `globalThis.showSaveFilePicker = () => Promise.reject(new DOMException('', 'AbortError'))`,
  )
  await button.click()
  await expect.poll(() => button.isEnabled()).toBe(true)
  expect(await page.getByRole('alert').count()).toBe(0)

  // A file in the browser's private storage, which behaves like one on disk.
  await page.evaluate(`globalThis.showSaveFilePicker = () => ${place}`)
  await page.route(
    '**/data/accounts?**',
    (route) =>
      route.fulfill({
        status: 403,
        json: { code: '42501', message: 'no', details: null, hint: null },
      }),
  )
  await button.click()
  await page.getByRole('alert').waitFor()
  expect(await size()).toBe(0)
  await page.unroute('**/data/accounts?**')
  await button.click()
  await page.getByText('Export finished.').waitFor()
  expect(await size()).toBeGreaterThan(1_000)
  await page.context().close()
})

test('Vera, a viewer in a team, can export and not import, and an invalid file is refused', async () => {
  const { owner, viewer } = await team(story.stack, ['viewer'])
  const page = await story.open(viewer, '/settings')
  await page.getByText('and the data you can see in The Team').waitFor()
  expect(await page.getByLabel(/^Restore an export/).count()).toBe(0)
  await page.context().close()

  const owners = await story.open(owner, '/settings')
  await owners.getByLabel('Restore an export into The Team').setInputFiles({
    name: 'x.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('Date,Amount'),
  })
  await owners.getByRole('button', { name: 'Restore', exact: true }).click()
  await owners.getByText('This is not a ZIP archive, or it is incomplete or was modified.')
    .waitFor()
  await owners.context().close()
})
