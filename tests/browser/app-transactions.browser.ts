/** Transactions in the reference app: creation, search, change, undo. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { beginEntry, choose, otherPrograms, row, said, soon } from './app-transactions-page.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const { store } = otherPrograms(() => story)

/** The texts of each rendered row. */
const rowsOf = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.tx-rows .tx-row')].map((row) => [...row.children].flatMap((cell) => cell.textContent || []).join(' | '))`,
  )
const sum = (page: Page) => page.getByRole('status', { name: 'Total of the listed transactions' })
const query = (page: Page) => new URL(page.url()).search

describe('Ann, with three thousand rows', () => {
  let ann: Person
  let page: Page
  let food: string

  beforeAll(async () => {
    ann = await signedIn(story.stack, 'Ann')
    food = await store(ann, 'categories', { name: 'Food' })
    await store(ann, 'accounts', { name: 'Giro', type: 'checking', currency: 'usd' })
    await story.stack.sql.query(
      `insert into api.transactions (user_id, organization_id, name, amount, currency, status, category_id, transaction_date)
      select $1, null, 'Row ' || n, -n, 'usd', case when n % 1000 = 0 then 'pending' else 'paid' end, case when n % 3 = 0 then $2::uuid end,
        timestamptz '2025-06-30 00:00Z' - n / 5 * interval '1 day'
      from generate_series(1, 3000) n`,
      [await ann.id(), food],
    )
    page = await story.open(ann, '/transactions')
  })
  afterAll(() => page.context().close())

  test('Ann, with three thousand rows sees the newest rows, of which only the visible ones are rendered, and the sum of all', async () => {
    await said(page, 'Row 4')
    await soon(() => sum(page).textContent()).toBe('Total of 3,000-$4,501,500.00')
    expect((await rowsOf(page)).length).toBeLessThan(60)
    expect(await barriers(page)).toEqual([])
  })

  test('Ann, with three thousand rows scrolls without a new rendering of visible rows, and jumps with one request', async () => {
    await soon(() => sum(page).textContent()).toBe('Total of 3,000-$4,501,500.00')
    const requested: string[] = []
    const onRequest = (request: { url: () => string }) =>
      requested.push(new URL(request.url()).pathname)
    page.on('request', onRequest)
    // Counts changes of rendered rows while the window scrolls one row at a time.
    const changes = await page.evaluate<{ added: number, most: number, others: number }>(
      `(async () => {
      const changes = { added: 0, most: 0, others: 0 }
      const list = document.querySelector('.tx-rows')
      const see = (records) => {
        for (const { type, target, addedNodes } of records) {
          if (type === 'childList' && target === list) changes.added += addedNodes.length
          else if (target !== list) changes.others += 1
        }
        changes.most = Math.max(changes.most, list.childElementCount)
      }
      const observer = new MutationObserver(see)
      observer.observe(list, { childList: true, attributes: true, characterData: true, subtree: true })
      for (let row = 0; row < 80; row++) {
        scrollTo(0, row * 44)
        await new Promise(requestAnimationFrame)
      }
      see(observer.takeRecords())
      observer.disconnect()
      return changes
    })()`,
    )
    expect(changes.others).toBe(0)
    expect(changes.added).toBeLessThanOrEqual(81)
    expect(changes.most).toBeLessThan(60)
    expect(requested).toEqual([])
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await soon(() => requested).toEqual(['/data/transactions'])
    page.off('request', onRequest)
    await page.evaluate('scrollTo(0, 0)')
    await said(page, 'Row 4')
  })

  test('Ann, with three thousand rows scrolls down the list, which loads page by page', async () => {
    await page.getByRole('grid').focus()
    await soon(async () => {
      await page.keyboard.press('End')
      return (await rowsOf(page)).some((text) => text.includes('Row 3000'))
    }).toBe(true)
    expect((await rowsOf(page)).length).toBeLessThan(60)
    await page.keyboard.press('Home')
    await said(page, 'Row 4')
  })

  test('Ann, with three thousand rows filters by words, which are in the URL, are restored from it, and can be removed one by one', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type('row 1')
    await soon(() => query(page)).toBe('?search=row+1')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await choose(page.getByLabel('Category'), 'Food')
    await page.getByLabel('Status').selectOption('pending')
    await page.getByLabel('From').fill('2023-01-01')
    await soon(() => rowsOf(page)).toEqual([])
    await said(page, 'No matching transactions.')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove filter Food' }).click()
    await soon(() => rowsOf(page)).toEqual(['Row 1000pending | -$1,000.00'])
    await soon(() => sum(page).textContent()).toBe('Total of 1-$1,000.00')
    await page.reload()
    await soon(() => rowsOf(page)).toEqual(['Row 1000pending | -$1,000.00'])
    await page.goBack()
    await said(page, 'No matching transactions.')
    await page.getByRole('button', { name: 'Show all' }).click()
    await said(page, 'Row 4')
  })

  test('Ann, with three thousand rows sorts by amount, which is available if the list is not too long', async () => {
    await page.getByRole('columnheader', { name: 'Amount' }).getByRole('button').click()
    await said(page, 'Row 1')
    await page.getByRole('columnheader', { name: 'Amount' }).getByRole('button').click()
    await said(page, 'Row 3000')
    expect(query(page)).toBe('?sort=amount')
    await page.getByRole('columnheader', { name: 'Date' }).getByRole('button').click()
    await said(page, 'Row 4')
  })

  test('Ann, with three thousand rows creates rows with the keyboard alone, one after the other, with the last choices as defaults', async () => {
    await beginEntry(page)
    const entry = page.getByRole('group', { name: 'New transaction' })
    await page.keyboard.type('Bakery')
    await choose(entry.getByLabel('Category'), 'Food')
    await entry.getByLabel('Amount').fill('12+3.5')
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Enter')
    await said(page, 'Bakery added.')
    await soon(() => page.evaluate(`document.activeElement.getAttribute('name')`)).toBe('name')
    await page.keyboard.type('Bakery')
    await soon(() => entry.getByLabel('Category').inputValue()).toBe('Food')
    await entry.getByLabel('Amount').fill('+1,200')
    await entry.getByLabel('Amount').press('Enter')
    await soon(async () =>
      (await rowsOf(page)).slice(0, 2).toSorted((one, other) => one.localeCompare(other))
    )
      .toEqual([
        'Bakery | Food | Giro | -$15.50',
        'Bakery | Food | Giro | $1,200.00',
      ])
    await page.keyboard.press('Escape')
    await entry.waitFor({ state: 'detached' })
    await soon(() => sum(page).textContent()).toBe('Total of 3,002-$4,500,315.50')
  })

  test('Ann, with three thousand rows edits a row in the list, deletes it, and undoes both', async () => {
    await row(page, 'Row 4').locator('.tx-title').click()
    const entry = page.getByRole('group', { name: 'Edit Row 4' })
    await entry.getByLabel('Name').fill('Row four')
    await page.keyboard.press('Enter')
    await said(page, 'Row 4 changed.')
    await page.locator('.toast', { hasText: 'Row 4 changed.' }).getByRole('button', {
      name: 'Undo',
    }).click()
    await row(page, 'Row 4').waitFor()
    await row(page, 'Row 4').getByRole('gridcell').nth(1).click()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Delete')
    await row(page, 'Row 4').waitFor({ state: 'detached' })
    await page.locator('.toast', { hasText: 'Row 4 deleted.' }).getByRole('button', {
      name: 'Undo',
    }).click()
    await row(page, 'Row 4').waitFor()
  })

  test('Ann, with three thousand rows changes many rows at once, and undoes all of it at once', async () => {
    await page.getByRole('checkbox', { name: 'Select Row 1', exact: true }).check()
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await said(page, '2 selected')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Status of selected transactions').selectOption('failed')
    await soon(() =>
      rowsOf(page).then((rows) => rows.filter((text) => text.includes('failed')).length)
    ).toBe(2)
    await page.locator('.toast', { hasText: '2 transactions changed.' }).getByRole('button', {
      name: 'Undo',
    }).click()
    await soon(() =>
      rowsOf(page).then((rows) => rows.filter((text) => text.includes('failed')).length)
    ).toBe(0)
  })
})

describe('Bea, with two accounts', () => {
  let bea: Person
  let page: Page

  beforeAll(async () => {
    bea = await signedIn(story.stack, 'Bea')
    await store(bea, 'categories', { name: 'Garden' })
    for (const [name, currency] of [['Giro', 'usd'], ['Holiday', 'eur']])
      await store(bea, 'accounts', { name, currency, type: 'checking' })
    await store(bea, 'transactions', {
      name: 'Market, "old" town',
      amount: -40,
      transaction_date: '2025-03-01',
    })
    page = await story.open(bea, '/transactions')
  })
  afterAll(() => page.context().close())

  test('Bea, with two accounts splits a purchase, sees the remainder, and tags it', async () => {
    await page.getByRole('button', { name: 'Market' }).click()
    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByLabel('Tags').fill('weekly, shared')
    await page.getByRole('button', { name: 'Add split' }).click()
    const part = page.getByRole('group', { name: 'Split 1' })
    await choose(part.getByLabel('Category'), 'Garden')
    expect(await part.getByLabel('Item').inputValue()).toBe('Garden')
    await part.getByLabel('Item').fill('Seeds')
    await part.getByLabel('Amount').fill('50')
    await said(page, 'Over by $10.00')
    // the next part makes up for it, as a coupon does
    await page.getByRole('button', { name: 'Add split' }).click()
    const coupon = page.getByRole('group', { name: 'Split 2' })
    await soon(() => coupon.getByLabel('Amount').inputValue()).toBe('-10')
    await said(page, 'Left: $0.00')
    await coupon.getByRole('button', { name: 'Remove split 2' }).click()
    await part.getByLabel('Amount').fill('12.50')
    await page.getByRole('dialog').getByLabel('Currency').fill('EUR')
    await said(page, 'Left: €27.50')
    await page.getByRole('dialog').getByLabel('Currency').fill('USD')
    await said(page, 'Left: $27.50')
    expect(await barriers(page)).toEqual([])
    // The notice is a dialog too.
    const details = page.getByRole('dialog', { name: 'Market, "old" town', exact: true })
    await details.getByRole('button', { name: 'Save' }).click()
    await details.waitFor({ state: 'detached' })
    // The row is still open, with the input in it.
    await page.keyboard.press('Escape')
    await soon(() => rowsOf(page)).toEqual(['Market, "old" town1 split#shared#weekly | -$40.00'])
    await page.goto(`${story.stack.publicUrl}/transactions?tag=weekly`)
    await soon(() => rowsOf(page)).toEqual(['Market, "old" town1 split#shared#weekly | -$40.00'])
    await page.goto(`${story.stack.publicUrl}/transactions?tag=yearly`)
    await said(page, 'No matching transactions.')
    await page.getByRole('button', { name: 'Show all' }).click()
  })

  test('Bea, with two accounts moves a row to an account of another currency, and reads the effect', async () => {
    await page.getByRole('button', { name: 'Market' }).click()
    const entry = page.getByRole('group', { name: 'Edit Market' })
    await choose(entry.getByLabel('Account'), 'Holiday')
    await said(page, 'Result: €40.00')
    await entry.getByRole('button', { name: 'Save' }).click()
    await soon(() => rowsOf(page)).toEqual([
      'Market, "old" town1 split#shared#weekly | Holiday | -€40.00',
    ])
    await page.locator('.toast', { hasText: ' changed.' }).getByRole('button', { name: 'Undo' })
      .click()
    await soon(() => rowsOf(page)).toEqual(['Market, "old" town1 split#shared#weekly | -$40.00'])
  })

  test('Bea, with two accounts reads at the field that a transfer needs two accounts', async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Transfer between accounts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Transfer' })
    await choose(dialog.getByLabel('To'), 'Giro')
    await said(page, 'Choose a different account from the one the money comes from.')
    expect(await dialog.getByLabel('To').getAttribute('aria-invalid')).toBe('true')
    await page.keyboard.press('Escape')
  })

  test('Bea, with two accounts sees the list in spite of a mistyped URL', async () => {
    for (const wrong of ['from=31.02.2026', 'from=2026-02-31', 'to=soon']) {
      await page.goto(`${story.stack.publicUrl}/transactions?${wrong}`)
      await row(page, 'Market, "old" town').waitFor()
    }
    await page.goto(`${story.stack.publicUrl}/?month=2026-13`)
    await page.getByRole('heading', { name: 'Cash flow' }).waitFor()
    await page.goto(`${story.stack.publicUrl}/categories?month=2026-09`)
    await page.getByRole('link', { name: 'Garden' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.goto(`${story.stack.publicUrl}/transactions`)
    await row(page, 'Market, "old" town').waitFor()
  })

  test('Bea, with two accounts transfers money between two currencies, which counts in no sum, and deletes both halves as one', async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Transfer between accounts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Transfer' })
    await dialog.getByLabel('Amount in USD').fill('100')
    await dialog.getByLabel('Amount received in EUR').fill('92.5')
    await dialog.getByLabel('Date').fill('2025-03-02')
    expect(await barriers(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Transfer' }).click()
    await soon(async () =>
      (await rowsOf(page)).slice(0, 2).toSorted((one, other) => one.localeCompare(other))
    ).toEqual([
      'Transfer | ⇄ Transfer from Giro | Holiday | €92.50',
      'Transfer | ⇄ Transfer to Holiday | Giro | -$100.00',
    ])
    await soon(() => sum(page).textContent()).toBe('Total of 1, excluding transfers-$40.00')
    await page.getByRole('checkbox', { name: 'Select Transfer' }).first().check()
    await page.getByRole('group', { name: 'Selected transactions' }).getByRole('button', {
      name: 'Delete',
    }).click()
    await soon(async () => (await rowsOf(page)).length).toBe(1)
    await page.locator('.toast', { hasText: 'Transfer deleted.' }).getByRole('button', {
      name: 'Undo',
    }).click()
    await soon(async () => (await rowsOf(page)).length).toBe(3)
  })

  test('Bea, with two accounts exports the filtered rows as a file', async () => {
    await page.goto(`${story.stack.publicUrl}/transactions?to=2025-03-01`)
    await said(page, 'Market, "old" town')
    await page.getByRole('button', { name: 'More' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
    ])
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
    expect(lines.map((line) => line.replace(/[\da-f-]{36}(?="$)/, 'id'))).toEqual([
      '\uFEFF"date","name","amount","currency","status","category","account","tags","reference","description","id"',
      '"2025-03-01","Market, ""old"" town",-40,"usd","paid",,,"shared, weekly",,,"id"',
      '',
    ])
  })

  test('Bea, with two accounts in two tabs loses no edit of either', async () => {
    const path = `${story.stack.publicUrl}/transactions?to=2025-03-01`
    const other = await page.context().newPage()
    await Promise.all([page.goto(path), other.goto(path)])
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Market' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Market')
    await page.getByRole('button', { name: 'Save' }).click()
    await row(page, 'Market').waitFor()
    await other.getByLabel('Amount').fill('44')
    await other.getByRole('button', { name: 'Save' }).click()
    // The other tab did not change the name.
    await soon(() => rowsOf(other)).toEqual(['Market1 split#shared#weekly | -$44.00'])
    await page.locator('.toast', { hasText: ' changed.' }).getByRole('button', { name: 'Undo' })
      .click()
    await page.getByText('the data has changed since this request').waitFor()
    await other.close()
  })
})

describe('in a team', () => {
  test('the editor changes and deletes, and undoes both', async () => {
    const { editor } = await team(story.stack, ['editor'])
    const page = await story.open(editor, '/transactions')
    await said(page, 'No transactions yet. Press n or “New transaction” to add your first one.')
    expect(await barriers(page)).toEqual([])
    await beginEntry(page)
    await page.keyboard.type('Chairs')
    await page.getByLabel('Amount').fill('240')
    await page.getByLabel('Date').fill('2025-04-01')
    await page.getByRole('button', { name: 'Add' }).click()
    await soon(() => rowsOf(page)).toEqual(['Chairs | -$240.00'])
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: 'Select Chairs' }).check()
    await page.getByLabel('Status of selected transactions').selectOption('pending')
    await soon(() => rowsOf(page)).toEqual(['Chairspending | -$240.00'])
    await page.getByRole('group', { name: 'Selected transactions' }).getByRole('button', {
      name: 'Delete',
    }).click()
    await soon(() => rowsOf(page)).toEqual([])
    await page.locator('.toast', { hasText: 'Chairs deleted.' }).getByRole('button', {
      name: 'Undo',
    }).click()
    await soon(() => rowsOf(page)).toEqual(['Chairspending | -$240.00'])
    await page.locator('.toast', { hasText: 'Chairs changed.' }).getByRole('button', {
      name: 'Undo',
    }).click()
    await soon(() => rowsOf(page)).toEqual(['Chairs | -$240.00'])
    await page.context().close()
  })

  test('the viewer reads on a phone, without a form for new rows', async () => {
    const { owner, viewer } = await team(story.stack, ['viewer'])
    await store(owner, 'transactions', {
      name: 'Printer',
      amount: -150,
      transaction_date: '2025-04-02',
      status: 'failed',
    })
    const page = await story.open(viewer, '/transactions', {
      viewport: { width: 320, height: 640 },
      colorScheme: 'dark',
    })
    await soon(() => rowsOf(page)).toEqual(['Printerfailed | -$150.00'])
    expect(await page.getByRole('button', { name: /New transaction|Printer/ }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.getByRole('grid').focus()
    for (const key of ['n', 'e', 'Enter', 'Delete']) await page.keyboard.press(key)
    expect(await page.getByRole('group', { name: /transaction|Edit/ }).count()).toBe(0)
    await page.getByRole('main').getByRole('button', { name: 'More' }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Export as CSV'])
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await barriers(page)).toEqual([])
    await page.context().close()
  })
})
