/** Transactions in the reference app: changes by several users, and changes of many rows. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { beginEntry, otherPrograms, row, said, soon } from './app-transactions-page.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const { send, store } = otherPrograms(() => story)

const titles = (page: Page) => page.locator('.tx-rows .tx-title').allTextContents()
const amountOf = (page: Page, name: string) => row(page, name).locator('.tx-amount').textContent()
const undo = (page: Page, text: string) =>
  page.locator('.toast', { hasText: text }).getByRole('button', { name: 'Undo' }).click()

describe('an editor and the owner of a team', () => {
  let owner: Person
  let page: Page
  let rent: string

  beforeAll(async () => {
    const people = await team(story.stack, ['editor'])
    owner = people.owner
    rent = await store(owner, 'transactions', {
      name: 'Rent',
      amount: -800,
      transaction_date: '2025-11-01',
    })
    page = await story.open(people.editor, '/transactions')
  })
  afterAll(() => page.context().close())

  const edit = async (amount: string) => {
    await row(page, 'Rent').locator('.tx-title').click()
    await page.getByLabel('Amount').fill(amount)
    await page.getByRole('button', { name: 'Save' }).click()
  }

  test("the editor's undo keeps a later change of the owner", async () => {
    await edit('810')
    await said(page, 'Rent changed.')
    await send(owner, 'PATCH', `/transactions?id=eq.${rent}`, { amount: -999 })
    await undo(page, 'Rent changed.')
    await page.getByText('the data has changed since this request').waitFor()
    await soon(() => amountOf(page, 'Rent')).toBe('-$999.00')
  })

  test("the editor's undo of many rows changes none of them and says so, if the owner has changed one since", async () => {
    const other = await store(owner, 'transactions', {
      name: 'Heating',
      amount: -60,
      transaction_date: '2025-11-02',
    })
    await page.reload()
    for (const name of ['Rent', 'Heating'])
      await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByLabel('Status of selected transactions').selectOption('pending')
    await said(page, '2 transactions changed.')
    await send(owner, 'PATCH', `/transactions?id=eq.${other}`, { status: 'failed' })
    await undo(page, '2 transactions changed.')
    await page.getByText('the data has changed since this request').waitFor()
    await soon(() => row(page, 'Heating').locator('.tx-name').textContent()).toBe('Heatingfailed')
    await soon(() => row(page, 'Rent').locator('.tx-name').textContent()).toBe('Rentpending')
    await send(owner, 'PATCH', `/transactions?id=eq.${rent}`, { status: 'paid' })
  })

  test('the second of two users who edit the same row sees the first change, and then saves their own', async () => {
    await page.reload()
    await row(page, 'Rent').locator('.tx-title').click()
    await send(owner, 'PATCH', `/transactions?id=eq.${rent}`, {
      amount: -950,
      name: 'Rent, November',
    })
    await page.getByLabel('Amount').fill('800')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Another user has changed the amount to -$950.00.')
      .waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    // The owner had changed only the name.
    await soon(() => amountOf(page, 'Rent, November')).toBe('-$800.00')
    await send(owner, 'PATCH', `/transactions?id=eq.${rent}`, { name: 'Rent' })
  })

  test('the details view shows the conflict too, and the row below shows nothing', async () => {
    await page.reload()
    await row(page, 'Rent').locator('.tx-title').click()
    await page.getByRole('button', { name: 'Details' }).click()
    const details = page.getByRole('dialog', { name: 'Rent', exact: true })
    await send(owner, 'PATCH', `/transactions?id=eq.${rent}`, { description: 'Cold' })
    await details.getByLabel('Description').fill('Warm')
    await details.getByRole('button', { name: 'Save' }).click()
    await details.getByText('Another user has changed the description to Cold.').waitFor()
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    await page.getByRole('group', { name: 'Edit Rent' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('an edit of a deleted row is reported as such, and stays readable until the row is closed', async () => {
    await page.reload()
    await row(page, 'Heating').locator('.tx-title').click()
    await send(owner, 'DELETE', '/transactions?name=eq.Heating')
    await page.getByLabel('Amount').fill('777')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Another user has deleted this, so nothing was saved.')
      .waitFor()
    expect(await page.getByLabel('Amount').inputValue()).toBe('777')
    await page.getByRole('button', { name: 'Close', exact: true }).first().click()
    await soon(() => titles(page)).toEqual(['Rent'])
    expect(await page.getByText(' changed.').count()).toBe(0)
  })

  test('the deletion of an already deleted row offers no undo', async () => {
    await store(owner, 'transactions', {
      name: 'Water',
      amount: -20,
      transaction_date: '2025-11-02',
    })
    await page.reload()
    await page.getByRole('checkbox', { name: 'Select Water' }).check()
    await send(owner, 'DELETE', '/transactions?name=eq.Water')
    await page.getByRole('group', { name: 'Selected transactions' }).getByRole('button', {
      name: 'Delete',
    }).click()
    await said(page, 'Water was already deleted by another user.')
    await soon(() => titles(page)).toEqual(['Rent'])
  })
})

describe('Cleo, with many rows', () => {
  let cleo: Person
  let page: Page

  beforeAll(async () => {
    cleo = await signedIn(story.stack, 'Cleo')
    await story.stack.sql.query(
      `insert into api.transactions (user_id, organization_id, name, amount, currency, transaction_date)
      select $1, null, case when n % 2 = 0 then 'Coffee ' else 'Tea ' end || n, -n, 'usd', timestamptz '2025-06-30 00:00Z' - n * interval '1 day'
      from generate_series(1, 1000) n`,
      [await cleo.id()],
    )
    page = await story.open(cleo, '/transactions?search=Coffee')
  })
  afterAll(() => page.context().close())

  test('Cleo, with many rows deletes all loaded rows, sees the next ones, and restores all of them by undo', async () => {
    await said(page, 'Coffee 2')
    await page.getByRole('checkbox', { name: 'Select the 200 loaded transactions' }).check()
    await said(page, 'All 200 transactions loaded so far are selected')
    await page.getByRole('group', { name: 'Selected transactions' }).getByRole('button', {
      name: 'Delete',
    }).click()
    await said(page, 'Coffee 402')
    await undo(page, '200 transactions deleted.')
    await said(page, 'Coffee 2')
    await soon(async () => (await titles(page)).slice(0, 2)).toEqual(['Coffee 2', 'Coffee 4'])
  })
})

describe('Dan, with a few rows', () => {
  let dan: Person
  let page: Page

  beforeAll(async () => {
    dan = await signedIn(story.stack, 'Dan')
    for (const name of ['First', 'Second', 'Third'])
      await store(dan, 'transactions', { name, amount: -10, transaction_date: '2025-03-01' })
    page = await story.open(dan, '/transactions')
  })
  afterAll(() => page.context().close())

  test('Dan, with a few rows sees the newest of a day first, and a new row above it', async () => {
    await soon(() => titles(page)).toEqual(['Third', 'Second', 'First'])
    await beginEntry(page)
    await page.keyboard.type('Fourth')
    await page.getByLabel('Amount').fill('4')
    await page.getByLabel('Date').fill('2025-03-01')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await soon(() => titles(page)).toEqual(['Fourth', 'Third', 'Second', 'First'])
    await page.reload()
    await soon(() => titles(page)).toEqual(['Fourth', 'Third', 'Second', 'First'])
  })

  test('Dan, with a few rows reads at the field that an amount is invalid, or has too many decimals for its currency', async () => {
    await beginEntry(page)
    await page.keyboard.type('Nothing')
    for (
      const [amount, problem] of [['0', 'The amount can’t be zero.'], [
        '1.005',
        'USD allows up to 2 decimals.',
      ], ['one', 'That isn’t an amount.']] as const
    ) {
      await page.getByLabel('Amount').fill(amount)
      await page.getByLabel('Amount').press('Enter')
      await said(page, problem)
    }
    expect(await barriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await titles(page)).toEqual(['Fourth', 'Third', 'Second', 'First'])
  })

  test('Dan, with a few rows turns the phone while a row is edited, and the rows below stay below it', async () => {
    const size = page.viewportSize() ?? { width: 1280, height: 720 }
    await row(page, 'Third').locator('.tx-title').click()
    const gap = async () => {
      const [editor, next] = await Promise.all([
        page.locator('.tx-edited').boundingBox(),
        row(page, 'Second').boundingBox(),
      ])
      return Math.round((next?.y ?? 0) - (editor?.y ?? 0) - (editor?.height ?? 0))
    }
    for (const width of [390, 1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await soon(gap).toBe(0)
    }
    await page.setViewportSize(size)
    await page.keyboard.press('Escape')
    await row(page, 'Third').waitFor()
  })

  test('Dan, with a few rows undoes all saved changes of the details view at once', async () => {
    await row(page, 'First').locator('.tx-title').click()
    await page.getByRole('button', { name: 'Details' }).click()
    // The notice is a dialog too.
    const details = page.getByRole('dialog', { name: 'First', exact: true })
    await details.getByLabel('Tags').fill('a-rather-long-tag, another-long-tag, third')
    await details.getByLabel('Description').fill('For the garden')
    await page.getByRole('button', { name: 'Add split' }).click()
    await details.getByLabel('Item').fill('Seeds')
    await details.getByRole('button', { name: 'Save' }).click()
    await details.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await soon(() => row(page, 'First').locator('.tx-name').textContent()).toBe(
      'First1 split#a-rather-long-tag#another-long-tag#third',
    )
    await undo(page, 'First changed.')
    await soon(() => row(page, 'First').locator('.tx-name').textContent()).toBe('First')
    const [{ description, tags, line_items }] = await send(
      dan,
      'GET',
      '/transactions?name=eq.First&select=description,tags(id),line_items(id)',
    )
    expect({ description, tags, line_items }).toEqual({
      description: null,
      tags: [],
      line_items: [],
    })
  })

  test('Dan, with a few rows opens a row by its name on a phone, even with many tags', async () => {
    const [{ id }] = await send(dan, 'GET', '/transactions?name=eq.First')
    const tags = await send(dan, 'GET', '/tags?select=id')
    for (const tag of tags)
      await store(dan, 'transaction_tags', { transaction_id: id, tag_id: tag.id })
    for (const name of ['One', 'Two'])
      await store(dan, 'line_items', { transaction_id: id, name, amount: -1 })
    await page.setViewportSize({ width: 320, height: 640 })
    await page.reload()
    await soon(() => row(page, 'First').locator('.tx-name').textContent()).toBe(
      'First2 splits#a-rather-long-tag#another-long-tag#third',
    )
    // The name is not cut off.
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.tx-title')].filter((title) => title.clientWidth === 0 || title.scrollWidth > title.clientWidth).length`,
      ),
    )
      .toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await barriers(page)).toEqual([])
    await row(page, 'First').locator('.tx-title').click()
    await page.getByRole('group', { name: 'Edit First' }).waitFor()
  })

  test('Dan, with a few rows reads that the sum excludes transfers', async () => {
    const [from, to] = await Promise.all(
      ['Giro', 'Cash'].map((name) =>
        store(dan, 'accounts', { name, type: 'checking', currency: 'usd' })
      ),
    )
    await send(dan, 'POST', '/rpc/create_transfer', {
      from_account_id: from,
      to_account_id: to,
      amount: 5,
    })
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.reload()
    await soon(() =>
      page.getByRole('status', { name: 'Total of the listed transactions' }).textContent()
    ).toBe('Total of 4, excluding transfers-$34.00')
  })
})
