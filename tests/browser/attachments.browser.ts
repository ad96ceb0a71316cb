/**
 * Files of transactions in a real browser: progress, a cancellation, and photos that become smaller
 * and lose their position.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { password, signedIn } from '../support/person.ts'
import { newPdf, sha256Of } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { appPage, type AppPage } from './app-page.ts'
import { closePages, sharedBrowser } from './chromium.ts'
import { addPhotoFunctions, photo, redAndBlue, shrink } from './photos.ts'

let stack: Stack
let app: AppPage
let browser: Browser
let context: BrowserContext
let page: Page

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
  context = await browser.newContext()
  page = await context.newPage()
  await page.goto(app.origin)
  await page.waitForFunction(() => 'finance' in globalThis)
  await addPhotoFunctions(page)
})
afterEach(() => context.close())

/** Signs Ann in. @returns the id of a new transaction */
async function shopping(): Promise<string> {
  const { email } = await signedIn(stack, 'Ann')
  return page.evaluate(async (credentials) => {
    await finance.auth.signIn(credentials)
    return (await finance.data.from('transactions').insert({ name: 'Shopping', amount: -20 })
      .select('id').single()).data!.id
  }, { email, password })
}

test('shrinkImage makes a large photo smaller, upright and without its position', async () => {
  const large = await photo(page, 3000, 1200)
  expect(large.includes('Exif')).toBe(true)
  expect(await shrink(page, large, 'IMG_1.photo.jpeg')).toEqual({
    isSame: false,
    name: 'IMG_1.photo.webp',
    type: 'image/webp',
    hasExif: false,
    width: 800,
    height: 2000,
    colors: ['red', 'blue'],
  })
})

test('shrinkImage encodes a photo with a position again even if it does not become smaller', async () => {
  expect(await shrink(page, await photo(page, 16, 8), 'small.jpg')).toMatchObject({
    isSame: false,
    width: 8,
    height: 16,
    hasExif: false,
  })
})

test('shrinkImage keeps an image without metadata that would not become smaller', async () => {
  expect(await shrink(page, await redAndBlue(page, 200, 100, 'image/webp'), 'drawing.webp'))
    .toMatchObject({ isSame: true, width: 200, height: 100 })
})

test.each([
  ['a PDF', () => newPdf()],
  ['a text', () => Buffer.from('A note.')],
  [
    'a photo that cannot be decoded',
    () => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1]), Buffer.alloc(400, 7)]),
  ],
  ['an empty file', () => Buffer.alloc(0)],
])('shrinkImage keeps %s', async (_, bytes) => {
  expect(await shrink(page, bytes(), 'file')).toMatchObject({ isSame: true, name: 'file' })
})

test('shrinkImage makes a JPEG in a browser without a WebP encoder and OffscreenCanvas', async () => {
  const large = await photo(page, 3000, 1200)
  await page.evaluate(`
      globalThis.OffscreenCanvas = undefined
      const encode = HTMLCanvasElement.prototype.toBlob
      HTMLCanvasElement.prototype.toBlob = function(use, type, quality) {
        encode.call(this, use, type === 'image/webp' ? 'image/png' : type, quality)
      }
    `)
  expect(await shrink(page, large, 'photo.jpeg')).toEqual({
    isSame: false,
    name: 'photo.jpg',
    type: 'image/jpeg',
    hasExif: false,
    width: 800,
    height: 2000,
    colors: ['red', 'blue'],
  })
})

test('shrinkImage keeps a photo in a browser that returns noise instead of the pixels of a canvas', async () => {
  const large = await photo(page, 3000, 1200)
  await page.evaluate(
    'OffscreenCanvasRenderingContext2D.prototype.getImageData = (x, y, width, height) => new ImageData(width, height)',
  )
  expect(await shrink(page, large, 'photo.jpeg')).toMatchObject({ isSame: true, hasExif: true })
})

/** Attaches a file in the page. @returns the row */
const attach = (transaction: string, bytes: Buffer, shrinks?: boolean) =>
  page.evaluate(
    ({ id, base64, options }) =>
      finance.attach(
        id,
        new File(
          [Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))],
          'receipt.jpg',
        ),
        options,
      ),
    {
      id: transaction,
      base64: bytes.toString('base64'),
      options: shrinks === undefined ? {} : { shrink: shrinks },
    },
  )

describe('Ann, with an app of another origin', () => {
  test('Ann, with an app of another origin attaches a photo, and the service stores it smaller and without its position', async () => {
    const row = await attach(await shopping(), await photo(page, 3000, 1200))
    expect(row).toMatchObject({ name: 'receipt.webp', content_type: 'image/webp', status: 'ready' })
    const stored = await page.evaluate(async (id) => {
      const file = await finance.readFile(id)
      return { type: file.type, hasExif: (await file.text()).includes('Exif') }
    }, row.id)
    expect(stored).toEqual({ type: 'image/webp', hasExif: false })
    // an <img> sends no token
    const { url } = await page.evaluate((id) => finance.fileUrl(id), row.id)
    expect(
      await page.evaluate(`(async () => {
      const image = Object.assign(new Image(), { src: '${url}' })
      await image.decode()
      return [image.naturalWidth, image.naturalHeight]
    })()`),
    ).toEqual([800, 2000])
  })

  test('Ann, with an app of another origin attaches a photo as it is if the app says so', async () => {
    const large = await photo(page, 3000, 1200)
    expect(await attach(await shopping(), large, false)).toMatchObject({
      name: 'receipt.jpg',
      content_type: 'image/jpeg',
      sha256: sha256Of(large),
    })
  })

  /** Limits the upload to 2 MB per second, so that a test sees a part of it. */
  const slowDown = async () => {
    const session = await context.newCDPSession(page)
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 2_000_000,
    })
  }

  test('Ann, with an app of another origin sees the progress of an upload in bytes', async () => {
    const transaction = await shopping()
    await slowDown()
    const progress = await page.evaluate(async ({ id, bytes }) => {
      const calls: [number, number][] = []
      await finance.attach(
        id,
        new Blob([Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0))]),
        { onProgress: (...now) => calls.push(now) },
      )
      return calls
    }, { id: transaction, bytes: newPdf(2_000_000).toString('base64') })
    expect(new Set(progress.map(([, size]) => size))).toEqual(new Set([2_000_000]))
    const sent = progress.map(([bytes]) => bytes)
    expect(sent).toEqual(sent.toSorted((a, b) => a - b))
    expect(sent.some((bytes) => bytes > 0 && bytes < 2_000_000)).toBe(true)
    expect(sent.at(-1)).toBe(2_000_000)
  })

  test('Ann, with an app of another origin cancels an upload in the middle, and its attachment is deleted', async () => {
    const transaction = await shopping()
    await slowDown()
    const { code, left } = await page.evaluate(async ({ id, bytes }) => {
      const cancel = new AbortController()
      const onProgress = (sent: number) => {
        if (sent > 0) cancel.abort()
      }
      const error = await finance.attach(
        id,
        new Blob([Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0))]),
        {
          signal: cancel.signal,
          onProgress,
        },
      ).then(
        () => ({ code: 'none' }),
        (reason: { code: string }) => reason,
      )
      return { code: error.code, left: (await finance.data.from('attachments').select()).data }
    }, { id: transaction, bytes: newPdf(4_000_000).toString('base64') })
    expect({ code, left }).toEqual({ code: 'ABORTED', left: [] })
  })
})
