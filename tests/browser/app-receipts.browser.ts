/**
 * Receipts for transactions in the reference app: adding, showing, changing, and deleting with
 * undo.
 */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { newPdf, receiptsOf } from '../support/receipts.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { otherPrograms, row, soon } from './app-transactions-page.ts'
import { addPhotoFunctions, photo } from './photos.ts'

let story: AppStory
let page: Page

beforeAll(async () => {
  story = await startAppStory()
  await story.stack.sql.query('update private.settings set files_quota = 6000000')
})
afterEach(async () => {
  expect(story.complaints()).toEqual([])
  await page.context().close()
})
afterAll(() => story?.close())

const { store } = otherPrograms(() => story)
const phone = { width: 360, height: 740 }

const dialog = () => page.getByRole('dialog', { name: 'Receipts for Groceries' })
const picker = () => dialog().getByLabel('Choose files', { exact: true })
const mark = (count: string) => page.getByRole('button', { name: `${count} for Groceries` })
const status = () => dialog().getByRole('status').first()

/** Opens the receipts of the only row by the keyboard. */
async function openReceipts(): Promise<void> {
  await page.getByRole('grid').focus()
  await page.keyboard.press('r')
  await dialog().waitFor()
}

/** Pastes or drops a file at an element. */
const dispatchFile = (selector: string, event: 'paste' | 'drop', bytes: Buffer, name: string) =>
  page.evaluate(`(() => {
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${
    bytes.toString('base64')
  }'), (character) => character.charCodeAt(0))
    data.items.add(new File([bytes], '${name}', { type: 'application/pdf' }))
    const options = { bubbles: true, cancelable: true }
    document.querySelector('${selector}').dispatchEvent('${event}' === 'paste'
      ? new ClipboardEvent('paste', { ...options, clipboardData: data })
      : new DragEvent('drop', { ...options, dataTransfer: data }))
  })()`)

/** Limits uploads to this number of bytes per second, so that the test sees a part of one. */
async function limitUploads(uploadThroughput: number, offline = false): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', {
    offline,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput,
  })
}

describe('Ann', () => {
  let ann: Person
  let transaction: string

  beforeEach(async () => {
    ann = await signedIn(story.stack, 'Ann')
    transaction = await store(ann, 'transactions', { name: 'Groceries', amount: -20 })
  })

  const open = async (viewport = { width: 1280, height: 800 }) => {
    page = await story.open(ann, '/transactions', { viewport })
    await row(page, 'Groceries').waitFor()
  }

  test('Ann takes a photo with her phone, sees it as a picture, and the stored image has no position', async () => {
    await open(phone)
    await addPhotoFunctions(page)
    const taken = await photo(page, 1200, 600)
    await openReceipts()
    await dialog().getByRole('button', { name: 'Take a photo' }).waitFor()
    const camera = dialog().getByLabel('Choose photo')
    expect(await camera.getAttribute('capture')).toBe('environment')
    await camera.setInputFiles({ name: 'IMG_1.jpg', mimeType: 'image/jpeg', buffer: taken })
    await dialog().getByRole('img', { name: 'IMG_1.webp' }).waitFor()
    await soon(() =>
      page.evaluate('document.querySelector(".tx-receipt-small")?.naturalWidth ?? 0')
    ).toBe(600)
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await dialog().getByRole('button', { name: 'Show IMG_1.webp' }).click()
    await soon(() =>
      page.evaluate('document.querySelector(".tx-receipt-large")?.naturalHeight ?? 0')
    ).toBe(1200)
    expect(await barriers(page)).toEqual([])
    const stored = receiptsOf(story.stack, ann)
    const [file] = await stored.list()
    const bytes = await stored.read(String(file!['id']))
    expect([taken.includes('Exif'), bytes.includes('Exif')]).toEqual([true, false])
  })

  test('Ann adds files by the picker, by paste, and by drop on the dialog and on the row', async () => {
    await open()
    const dropped = newPdf()
    await dispatchFile('.tx-rows .tx-title', 'drop', dropped, 'row.pdf')
    await dialog().getByText('row.pdf').waitFor()
    await picker().setInputFiles([
      { name: 'one.pdf', mimeType: 'application/pdf', buffer: newPdf() },
      { name: 'two.pdf', mimeType: 'application/pdf', buffer: newPdf() },
    ])
    await dispatchFile('[role=dialog]', 'paste', newPdf(), 'pasted.pdf')
    await dispatchFile('[role=dialog]', 'drop', newPdf(), 'dropped.pdf')
    await soon(() => status().textContent()).toBe('5 receipts')
    const downloading = page.waitForEvent('download')
    await dialog().getByRole('button', { name: 'Download row.pdf' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('row.pdf')
    expect((await readFile(await download.path())).equals(dropped)).toBe(true)
    await page.keyboard.press('Escape')
    await mark('5 receipts').waitFor()
  })

  test('Ann sees the progress of an upload, and cancels it', async () => {
    await open()
    await openReceipts()
    await limitUploads(500_000)
    await picker().setInputFiles({
      name: 'large.pdf',
      mimeType: 'application/pdf',
      buffer: newPdf(4_000_000),
    })
    const progress = dialog().getByRole('progressbar', { name: 'Uploading large.pdf' })
    await soon(() => page.evaluate('(document.querySelector("progress")?.value ?? 0) > 0')).toBe(
      true,
    )
    expect(await status().textContent()).toBe('Uploading 1 file…')
    await dialog().getByRole('button', { name: 'Cancel large.pdf' }).click()
    await progress.waitFor({ state: 'detached' })
    await soon(() => receiptsOf(story.stack, ann).list()).toEqual([])
    await limitUploads(-1)
  })

  test('Ann learns in plain words why a file is refused, and tries again when the connection is back', async () => {
    await open()
    await openReceipts()
    await dialog().getByText('5.7 MB left, up to 10 MB per file.').waitFor()
    await picker().setInputFiles({
      name: 'large.pdf',
      mimeType: 'application/pdf',
      buffer: newPdf(7_000_000),
    })
    await dialog().getByText('Not enough space: 5.7 MB left. Delete other files first.').waitFor()
    await dialog().getByRole('button', { name: 'Remove large.pdf' }).click()
    await picker().setInputFiles({
      name: 'page.html',
      mimeType: 'text/html',
      buffer: Buffer.from('<html><script>1</script></html>'),
    })
    await dialog().getByText('This file type isn’t supported.').waitFor()
    await dialog().getByRole('button', { name: 'Remove page.html' }).click()
    await page.route('**/rpc/begin_upload', (route) => route.abort('internetdisconnected'))
    await picker().setInputFiles({
      name: 'receipt.pdf',
      mimeType: 'application/pdf',
      buffer: newPdf(),
    })
    await dialog().getByText('No response.').waitFor()
    await page.unroute('**/rpc/begin_upload')
    await dialog().getByRole('button', { name: 'Try again receipt.pdf' }).click()
    await soon(() => status().textContent()).toBe('1 receipt')
    expect(story.complaints().filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED')))
      .toEqual([])
  })

  test('Ann renames a receipt, gives it a note, deletes it, and takes the deletion back', async () => {
    await receiptsOf(story.stack, ann).attach(transaction, newPdf())
    await open()
    await mark('1 receipt').click()
    await dialog().getByRole('button', { name: 'Edit receipt.pdf' }).click()
    await dialog().getByLabel('File name').fill('Market.pdf')
    await dialog().getByLabel('Note').fill('for the taxes')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await dialog().getByText('for the taxes').waitFor()
    await dialog().getByRole('button', { name: 'Delete Market.pdf' }).click()
    await soon(() => status().textContent()).toBe('No receipts yet.')
    await soon(() => page.evaluate('document.activeElement.textContent')).toBe('No receipts yet.')
    await page.getByRole('button', { name: 'Undo' }).click()
    await soon(() => status().textContent()).toBe('1 receipt')
    await page.goto(new URL('/activity', story.stack.publicUrl).href)
    await page.getByText('You deleted the receipt “Market.pdf”').waitFor()
  })

  test('Ann sees the space for her receipts in the settings', async () => {
    await receiptsOf(story.stack, ann).attach(transaction, newPdf(1_048_576))
    page = await story.open(ann, '/settings')
    await page.getByText('1 MB used, 4.7 MB left').waitFor()
  })
})

test('a viewer sees at once the receipt that the owner of the team adds, and cannot add or delete one', async () => {
  const { owner, viewer } = await team(story.stack, ['viewer'])
  const transaction = await store(owner, 'transactions', { name: 'Groceries', amount: -20 })
  page = await story.open(viewer, 'about:blank')
  const stream = page.waitForResponse((response) => response.url().includes('/api/auth/changes'))
  await page.goto(new URL('/transactions', story.stack.publicUrl).href)
  await stream
  await page.getByText('Groceries').waitFor()
  await receiptsOf(story.stack, owner).attach(transaction, newPdf())
  await mark('1 receipt').click()
  await dialog().getByRole('button', { name: 'Download receipt.pdf' }).waitFor()
  expect(await dialog().getByRole('button').allTextContents()).toEqual(['Download', '×'])
  expect(await barriers(page)).toEqual([])
})
