/**
 * The main stories of the reference app in Firefox, with the real services. The other stories run
 * only in Chromium.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { emptyDirectory, remove } from '../start/support.ts'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team } from '../support/person.ts'
import { newPdf } from '../support/receipts.ts'
import { keepBooks, month, nameOf } from './app-books.ts'
import { type AppStory, startAppStory } from './app-story.ts'
import { otherPrograms } from './app-transactions-page.ts'
import { handOn, sites } from './sites.ts'
import { field, type Firefox, part, press, sees, startFirefox, write } from './firefox.ts'

let story: AppStory
let firefox: Firefox
beforeAll(async () => {
  story = await startAppStory()
  firefox = await startFirefox(story.stack.publicUrl)
})
afterEach(() => expect(firefox.complaints()).toEqual([]))
afterAll(async () => {
  await firefox?.close()
  await story?.close()
})

const { send, store } = otherPrograms(() => story)
const soon = <Seen>(look: () => Promise<Seen> | Seen) => expect.poll(look)
/** The texts that a selector finds in the page. */
const texts = (page: Page, selector: string) =>
  page.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((found) => found.textContent)`,
  ) as Promise<string[]>
const rowsOf = (page: Page) =>
  page.evaluate(
    `[...document.querySelectorAll('.tx-rows .tx-row')].map((row) => [...row.children].flatMap((cell) => cell.textContent || []).join(' | '))`,
  ) as Promise<string[]>
const titles = (page: Page) => texts(page, '.tx-rows .tx-title')
const verdicts = (page: Page) => texts(page, '.import-verdicts tbody tr')
const focused = (page: Page) => page.evaluate(`document.activeElement.getAttribute('name')`)
const query = (page: Page) => new URL(page.url()).search
const leave = (page: Page) => page.browserContext().close()

/** The contexts of the data that the browser keeps. */
const keptContexts = `new Promise((resolve) => {
  const request = indexedDB.open('last-seen', 1)
  request.onupgradeneeded = () => request.result.createObjectStore('entries', { keyPath: 'id' })
  request.onsuccess = () => {
    const all = request.result.transaction('entries').objectStore('entries').getAll()
    all.onsuccess = () => {
      request.result.close()
      resolve(all.result.map(({ queryKey }) => queryKey[0]))
    }
  }
})`

/** The value of the option with this text. */
const optionOf = (page: Page, text: string) =>
  page.evaluate(
    `[...document.querySelectorAll('option')].find(({ textContent }) => textContent === '${text}').value`,
  ) as Promise<string>

/** Opens the form of a new transaction by its key, and waits until it takes the keys. */
async function beginEntry(page: Page): Promise<void> {
  await page.keyboard.press('n')
  await soon(() => focused(page)).toBe('name')
}

test('Ann signs up, confirms her address by the mail, and writes her first transaction by keyboard', async () => {
  const ann = person(story.stack, 'Ann')
  const page = await firefox.open(null, '/sign-up')
  await write(page, 'Your name', 'Ann')
  await write(page, 'Email address', ann.email)
  await write(page, 'Password', password)
  await press(page, 'button', 'Sign up')
  await sees(page, `We sent an email to ${ann.email}`)
  await page.goto(
    linkIn(await story.stack.mail.waitFor(ann.email, ({ text }) => text.includes('/verify-email'))),
  )
  await sees(page, 'Your email address is verified')
  await page.goto(`${story.stack.publicUrl}/transactions`)
  await sees(page, 'No transactions yet.')
  await beginEntry(page)
  await page.keyboard.type('Bakery')
  await write(page, 'Amount', '12+3.5')
  await page.keyboard.press('Enter')
  await soon(() => rowsOf(page)).toEqual(['Bakery | -$15.50'])
  await leave(page)
})

test('Ben signs in, at the page that he asked for', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const page = await firefox.open(null, '/accounts')
  await write(page, 'Email address', ben.email)
  await write(page, 'Password', password)
  await press(page, 'button', 'Sign in')
  await sees(page, 'No accounts yet.')
  await leave(page)
})

test('Ida leaves a page while its script loads, and reaches the other page', async () => {
  const ida = await signedIn(story.stack, 'Ida')
  let isHeld = false
  const network = await sites({
    localhost: (incoming, response) => {
      const { url = '/' } = incoming
      if (!isHeld && /^\/assets\/page-.*\.js/.test(url)) isHeld = true
      // slow enough for the page that is left to react
      else setTimeout(
          () => handOn(story.stack.publicUrl, incoming, response),
          url === '/accounts' ? 700 : 0,
        )
    },
  }, false)
  await using ends = new AsyncDisposableStack()
  ends.defer(network.close)
  const page = await firefox.open(ida, `http://localhost:${network.port}/rules`)
  await soon(() => isHeld).toBe(true)
  await page.goto(`http://localhost:${network.port}/accounts`)
  await sees(page, 'No accounts yet.')
  await leave(page)
})

test('Cleo filters two hundred rows, changes one in the list, and takes it back', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  await store(cleo, 'categories', { name: 'Food' })
  await story.stack.sql.query(
    `insert into api.transactions (user_id, organization_id, name, amount, currency, status, transaction_date)
    select $1, null, 'Row ' || n, -n, 'usd', case when n % 50 = 0 then 'pending' else 'paid' end, timestamptz '2025-06-30' - n * interval '1 day'
    from generate_series(1, 200) n`,
    [await cleo.id()],
  )
  const page = await firefox.open(cleo, '/transactions')
  await sees(page, 'Row 4')
  await page.keyboard.press('/')
  await page.keyboard.type('row 1')
  await soon(() => query(page)).toBe('?search=row+1')
  await press(page, 'button', 'Filter')
  await part(page, 'combobox', 'Status').fill('pending')
  await soon(() => titles(page)).toEqual(['Row 100', 'Row 150'])
  await (await field(page, 'From')).focus()
  await page.keyboard.type('03012025')
  await soon(() => titles(page)).toEqual(['Row 100'])
  await page.reload()
  await soon(() => titles(page)).toEqual(['Row 100'])
  await press(page, 'button', 'Row 100')
  await write(page, 'Name', 'Row one hundred')
  await page.keyboard.press('Enter')
  await soon(() => titles(page)).toEqual(['Row one hundred'])
  await press(page, 'button', 'Undo')
  await soon(() => titles(page)).toEqual(['Row 100'])
  await leave(page)
})

test("Dora imports her bank's file, and takes the import back", async () => {
  const dora = await signedIn(story.stack, 'Dora')
  await store(dora, 'accounts', { name: 'Giro', type: 'checking', currency: 'eur' })
  const page = await firefox.open(dora, '/import')
  await (await field(page, 'Bank file')).uploadFile(
    join(import.meta.dirname, '../bank-files/files/dkb.csv'),
  )
  await sees(page, 'DKB, accounts since 2023, 3 rows')
  await part(page, 'combobox', 'Account').fill(await optionOf(page, 'Giro (EUR)'))
  await part(page, 'button', 'Import 2 new transactions').wait()
  expect(await verdicts(page)).toEqual([
    'Feb 3, 2025Stadtwerke MusterstadtNew€86.50',
    'Feb 3, 2025Fitness & MehrNew-€1,039.90',
  ])
  await press(page, 'button', 'Import 2 new transactions')
  await sees(page, '2 transactions imported from dkb.csv.')
  await press(page, 'button', 'Undo dkb.csv')
  await sees(page, 'Import of dkb.csv undone. 2 transactions deleted.')
  await sees(page, 'No imports yet.')
  await leave(page)
})

test('an editor sees at once what the owner of the team books, and keeps the unfinished row', async () => {
  const { owner, editor } = await team(story.stack, ['editor'])
  await store(owner, 'transactions', { name: 'Rent', amount: -10, transaction_date: '2025-03-01' })
  const page = await firefox.open(editor, '/transactions')
  await soon(() => titles(page)).toEqual(['Rent'])
  await beginEntry(page)
  await page.keyboard.type('Half a sente')
  const printer = await store(owner, 'transactions', {
    name: 'Printer',
    amount: -10,
    transaction_date: '2025-03-02',
  })
  await soon(() => titles(page)).toEqual(['Printer', 'Rent'])
  await page.keyboard.type('nce')
  await send(owner, 'DELETE', `/transactions?id=eq.${printer}`)
  await soon(() => titles(page)).toEqual(['Rent'])
  expect(await page.evaluate('document.activeElement.value')).toBe('Half a sentence')
  await leave(page)
})

test('Emil adds a receipt, and deletes it with undo', async () => {
  const emil = await signedIn(story.stack, 'Emil')
  await store(emil, 'transactions', { name: 'Groceries', amount: -20 })
  const directory = await emptyDirectory()
  await using ends = new AsyncDisposableStack()
  ends.defer(() => remove(directory))
  const receipt = join(directory, 'receipt.pdf')
  await writeFile(receipt, newPdf())
  const page = await firefox.open(emil, '/transactions')
  await sees(page, 'Groceries')
  await page.focus('[role=grid]')
  await page.keyboard.press('r')
  await (await field(page, 'Choose files')).uploadFile(receipt)
  await press(page, 'button', 'Delete receipt.pdf')
  await press(page, 'button', 'Undo')
  await part(page, 'button', 'Delete receipt.pdf').wait()
  await page.keyboard.press('Escape')
  await part(page, 'button', '1 receipt for Groceries').wait()
  await leave(page)
})

test('Fay reads the course of her net worth with the keys, and opens the rows of a month', async () => {
  const fay = await signedIn(story.stack, 'Fay')
  await keepBooks(story, fay)
  const page = await firefox.open(fay)
  await part(page, 'slider', 'Net worth over time').wait()
  const read = () => page.evaluate(`document.activeElement.getAttribute('aria-valuetext')`)
  await page.focus('[role=slider][aria-label="Net worth over time"]')
  await page.keyboard.press('ArrowLeft')
  await soon(read).toBe(`${nameOf(month(-1))}: €5,000.00`)
  await page.keyboard.press('Home')
  await soon(read).toBe(`${nameOf(month(-12))}: €1,000.00`)
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await soon(() => new URL(page.url()).searchParams.get('from')).toBe(month())
  await soon(async () => (await titles(page)).toSorted()).toEqual(['Groceries', 'Rent', 'Salary'])
  await leave(page)
})

test("Gerd's browser is German and dark, and so is the app", async () => {
  const gerd = await signedIn(story.stack, 'Gerd')
  await store(gerd, 'transactions', {
    name: 'Bäckerei',
    amount: -1234.5,
    currency: 'eur',
    transaction_date: '2025-03-01',
  })
  const german = await startFirefox(story.stack.publicUrl, { language: 'de', theme: 'dark' })
  await using ends = new AsyncDisposableStack()
  ends.defer(german.close)
  const page = await german.open(gerd, '/transactions')
  await part(page, 'heading', 'Buchungen').wait()
  await soon(() => rowsOf(page)).toEqual(['Bäckerei | -1.234,50\u00a0€'])
  const ground = await page.evaluate(
    `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)`,
  ) as number[]
  expect(Math.max(...ground.slice(0, 3))).toBeLessThan(50)
  expect(german.complaints()).toEqual([])
})

test('Hana opens the app without a connection, sees her accounts as they were, and goes on when it is back', async () => {
  const hana = await signedIn(story.stack, 'Hana')
  await store(hana, 'accounts', { name: 'Giro', type: 'checking', currency: 'usd' })
  const phone = await startFirefox(story.stack.publicUrl, { serviceWorkers: true })
  await using ends = new AsyncDisposableStack()
  ends.defer(phone.close)
  const page = await phone.open(hana, '/accounts')
  await part(page, 'link', 'Giro').wait()
  await soon(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
  await soon(() => page.evaluate(keptContexts)).toContain('personal')
  await page.setOfflineMode(true)
  await page.reload()
  await part(page, 'link', 'Giro').wait()
  await sees(page, 'No connection to the service.')
  await store(hana, 'accounts', { name: 'Wallet', type: 'cash', currency: 'usd' })
  await page.setOfflineMode(false)
  await part(page, 'link', 'Wallet').wait()
  expect(phone.complaints()).toEqual([])
})
