/** Imports of bank files in the reference app. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { store as storeRows } from './app-books.ts'
import { type AppStory, barriers, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const bankFile = (name: string) => join(import.meta.dirname, '../bank-files/files', name)
const written = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
})

const choose = (page: Page, file: string | ReturnType<typeof written>) =>
  page.getByLabel('Bank file').setInputFiles(file)
const verdicts = (page: Page) =>
  page.evaluate<string[][]>(
    '[...document.querySelectorAll(".import-verdicts tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent))',
  )
const past = (page: Page) =>
  page.evaluate<string[]>(
    '[...document.querySelectorAll(".import-past tbody th")].map((cell) => cell.firstChild.textContent)',
  )
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

/** Stores rows with the user's own rights, outside the app. */
async function store(who: Person, method: string, path: string, body: unknown) {
  const { url } = story.stack
  const headers = {
    authorization: `Bearer ${await who.token()}`,
    'content-type': 'application/json',
  }
  expect((await fetch(`${url}/data${path}`, { method, headers, body: JSON.stringify(body) })).ok)
    .toBe(true)
}

const storeAccount = (who: Person, name: string) =>
  store(who, 'POST', '/accounts', { name, type: 'checking', currency: 'eur' })

test("Ann imports her bank's CSV, sees its rows recognized the next time, undoes the import, and undoes that", async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await storeAccount(ann, 'Giro')
  const page = await story.open(ann, '/import')
  await sees(page, 'No imports yet.')
  expect(await barriers(page)).toEqual([])
  await choose(page, bankFile('dkb.csv'))
  await sees(page, 'DKB, accounts since 2023, 3 rows')
  await page.getByLabel('Account').selectOption({ label: 'Giro (EUR)' })
  await page.getByRole('button', { name: 'Import 2 new transactions' }).waitFor()
  expect(await verdicts(page)).toEqual([
    ['Feb 3, 2025', 'Stadtwerke Musterstadt', 'New', '€86.50'],
    ['Feb 3, 2025', 'Fitness & Mehr', 'New', '-€1,039.90'],
  ])
  await page.getByLabel('Also import the pending row.').check()
  await page.getByRole('button', { name: 'Import 3 new transactions' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Import 3 new transactions' }).click()
  await sees(page, '3 transactions imported from dkb.csv.')
  await expect.poll(() => past(page)).toEqual(['dkb.csv'])
  await expect.poll(() => focused(page)).toBe('Import')

  await choose(page, bankFile('dkb.csv'))
  await page.getByRole('button', { name: 'Nothing new to import' }).waitFor()
  expect((await verdicts(page)).map(([, , verdict]) => verdict)).toEqual(['Duplicate', 'Duplicate'])
  await page.getByRole('button', { name: 'Choose another file' }).click()

  await page.getByRole('button', { name: 'Undo dkb.csv' }).click()
  await sees(page, 'Import of dkb.csv undone. 3 transactions deleted.')
  await expect.poll(() => past(page)).toEqual([])
  await expect.poll(() => focused(page)).toBe('Import')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => past(page)).toEqual(['dkb.csv'])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Ann imports an OFX file of two accounts into both, without the row that cannot be stored', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await storeAccount(ann, 'Giro')
  const page = await story.open(ann, '/import')
  // Without a rate the dollars are an account of their own.
  const dollars = (await readFile(bankFile('two-accounts.ofx'), 'utf8')).replace(
    '<CURRATE>1.1</CURRATE>',
    '',
  )
  await choose(page, written('two-accounts.ofx', dollars))
  await page.getByLabel('Account for …2051 CHECKING EUR').selectOption({ label: 'Giro (EUR)' })
  await page.getByLabel('Account for …2051 CHECKING USD').selectOption({ label: 'Giro (EUR)' })
  await page.getByRole('button', { name: 'Invalid 1' }).click()
  await expect.poll(async () => (await verdicts(page)).map(([, name]) => name)).toEqual([
    'ShopSkipped: the currency is USD, but the account is in EUR',
  ])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Import 2 new transactions' }).click()
  await expect.poll(() => past(page)).toEqual([
    'two-accounts.ofx (2 of 2)',
    'two-accounts.ofx (1 of 2)',
  ])
  // Ann's own transaction is not deleted with the file.
  await store(ann, 'PATCH', '/transactions?name=eq.Kiosk', { description: 'With Ben' })
  await page.getByRole('button', { name: 'Undo two-accounts.ofx (2 of 2)' }).click()
  await sees(page, '1 transaction from this import has changed since.')
  await sees(page, 'Couldn’t undo the import of two-accounts.ofx (2 of 2):')
  expect(await past(page)).toHaveLength(2)
  await page.context().close()
})

test('Ann imports a file that states a balance, and stores the balance again after all its rows are known', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await storeAccount(ann, 'Giro')
  const page = await story.open(ann, '/import')
  const upload = async () => {
    await choose(page, bankFile('mt940-german.sta'))
    await sees(page, 'Saves the statement balance as of')
  }
  const balances = async () => {
    const response = await fetch(`${story.stack.url}/data/balances?select=source`, {
      headers: { authorization: `Bearer ${await ann.token()}` },
    })
    return response.json()
  }
  await upload()
  await page.getByRole('button', { name: /^Import \d+ new/ }).click()
  await expect.poll(balances).toEqual([{ source: 'statement' }])
  await store(ann, 'DELETE', '/balances?source=eq.statement', undefined)
  await upload()
  await page.getByRole('button', { name: 'Save balance' }).click()
  await sees(page, 'Balance from mt940-german.sta saved.')
  expect(await balances()).toEqual([{ source: 'statement' }])
  await page.context().close()
})

test('Ann answers once about the columns of an unknown bank, and its next file is read without a question, until she signs out', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(ann, '/import', {
    viewport: { width: 360, height: 640 },
    colorScheme: 'dark',
  })
  await choose(
    page,
    written('march.csv', 'Zeitpunkt;Wofür;Wieviel\n03/04/2025;Rad;-1,234\n04/04/2025;Brot;-3'),
  )
  await page.getByLabel('Meaning of “Zeitpunkt”').selectOption({ label: 'Date' })
  await page.getByRole('button', { name: 'Read file' }).click()
  await sees(page, 'Choose the amount column')
  await page.getByLabel('Meaning of “Wofür”').selectOption({ label: 'Payee or name' })
  await page.getByLabel('Meaning of “Wieviel”').selectOption({ label: 'Signed amount' })
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Read file' }).click()
  await sees(page, 'Which date is 03/04/2025?')
  await page.getByLabel('Day first: Apr 3, 2025').check()
  await page.getByLabel('Decimal point: 1,234.00').check()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Read file' }).click()
  await page.getByLabel('Currency').fill('GBP')
  await expect.poll(() => verdicts(page)).toEqual([['Apr 3, 2025', 'Rad', 'New', '-£1,234.00'], [
    'Apr 4, 2025',
    'Brot',
    'New',
    '-£3.00',
  ]])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await page.getByRole('button', { name: 'Import 2 new transactions' }).click()
  await expect.poll(() => past(page)).toEqual(['march.csv'])

  await choose(page, written('april.csv', 'Zeitpunkt;Wofür;Wieviel\n05/04/2025;Milch;-2'))
  await expect.poll(() => verdicts(page)).toEqual([['Apr 5, 2025', 'Milch', 'New', '-£2.00']])
  expect(await page.getByLabel('Currency').inputValue()).toBe('GBP')

  const answers = () =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('Zeitpunkt')))
  expect(await answers()).toHaveLength(1)
  await page.getByRole('button', { name: 'Ann' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await answers()).toEqual([])
  await page.context().close()
})

test('Ann answers with a preview about a card without minus signs, and its accounts are separated', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await storeAccount(ann, 'Gold')
  await storeAccount(ann, 'Silver')
  const page = await story.open(ann, '/import')
  const lines = [
    '2025-03-03,Bakery,3.50,Gold card,Posted',
    '2025-03-04,Cinema,8.00,Silver card,Hm',
    '2025-03-05,Payment received - thank you,-20.00,Gold card,Posted',
  ]
  await choose(
    page,
    written('cards.csv', `Date,Description,Amount,Account Name,Status\n${lines.join('\n')}`),
  )
  await sees(page, 'What is -20.00 Payment received - thank you?')
  await page.getByLabel('Status of rows with “Hm”').selectOption({ label: 'Posted' })
  await page.getByLabel('Money I spent').check()
  const preview = page.getByRole('table', { name: 'Preview' })
  await expect.poll(() => preview.getByRole('row').nth(1).textContent()).toBe(
    'Mar 3, 2025BakeryGold card3.50',
  )
  await page.getByLabel('Money I received').check()
  await expect.poll(() => preview.getByRole('row').nth(1).textContent()).toBe(
    'Mar 3, 2025BakeryGold card-3.50',
  )
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Read file' }).click()
  await page.getByLabel('Account for Gold card').selectOption({ label: 'Gold (EUR)' })
  await page.getByLabel('Account for Silver card').selectOption({ label: 'Silver (EUR)' })
  await page.getByRole('button', { name: 'Import 3 new transactions' }).click()
  await expect.poll(() => past(page)).toEqual(['cards.csv (2 of 2)', 'cards.csv (1 of 2)'])
  await page.getByRole('button', { name: 'View' }).click()
  await page.getByRole('button', { name: 'Bakery' }).waitFor()
  await page.context().close()
})

test('Ann answers with a preview about a column of fees, and they are subtracted from the amounts', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await storeAccount(ann, 'Giro')
  const page = await story.open(ann, '/import')
  await choose(
    page,
    written(
      'fees.csv',
      'Date,Description,Amount,Fee\n2025-01-02,Shop,-100.00,0.00\n2025-01-03,Abroad,-10.00,1.50\n',
    ),
  )
  await sees(page, 'An amount and its fee: -10.00 and 1.50')
  await page.getByLabel('The fee was charged on top of the amount').check()
  const preview = page.getByRole('table', { name: 'Preview' })
  await expect.poll(() => preview.getByRole('row').nth(2).textContent()).toBe(
    'Jan 3, 2025Abroad-11.50',
  )
  await page.getByLabel('The amount includes the fee').check()
  await expect.poll(() => preview.getByRole('row').nth(2).textContent()).toBe(
    'Jan 3, 2025Abroad-10.00',
  )
  await page.getByLabel('The fee was charged on top of the amount').check()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Read file' }).click()
  await expect.poll(() => verdicts(page)).toEqual([['Jan 2, 2025', 'Shop', 'New', '-€100.00'], [
    'Jan 3, 2025',
    'Abroad',
    'New',
    '-€11.50',
  ]])
  await page.context().close()
})

test('Ben sees the unreadable lines, has his only account selected, and follows a link to the imported rows', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  await storeAccount(ben, 'Giro')
  const page = await story.open(ben, '/import')
  await choose(
    page,
    written(
      'ben.csv',
      'Date;Description;Amount\n2025-03-01;Bakery;-3.50\n2025-02-31;Nobody;-1.00\n2025-03-02;Nothing;abc',
    ),
  )
  await sees(page, '2 invalid lines skipped')
  expect(
    await page.getByText(/^Line [34]:/).evaluateAll((lines) =>
      lines.every((line) => (line as any).checkVisibility())
    ),
  ).toBe(true)
  expect(
    await page.getByLabel('Account').evaluate((choice) => (choice as any).selectedOptions[0].text),
  ).toBe('Giro (EUR)')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Import 1 new transaction' }).click()
  await page.getByRole('button', { name: 'View' }).click()
  await page.getByRole('button', { name: 'Bakery' }).waitFor()
  expect(await page.getByRole('button', { name: /^Remove filter/ }).allTextContents()).toEqual([
    'Giro ×',
    'from Mar 1, 2025 ×',
    'to Mar 1, 2025 ×',
  ])
  await page.context().close()
})

test('Ann sees which rows are matched, linked and left deleted, and decides about each kind', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const accounts = ['Giro', 'Savings'].map((name) => ({ name, type: 'checking', currency: 'eur' }))
  const [giro, savings] = await storeRows(story, ann, 'accounts', accounts)
  await storeRows(story, ann, 'transactions', [
    { name: 'Cinema with Bo', amount: -11, transaction_date: '2025-03-08', account_id: giro.id },
    { name: 'From giro', amount: 50, transaction_date: '2025-03-05', account_id: savings.id },
  ])
  const page = await story.open(ann, '/import')
  const kiosk = '2025-03-01;Kiosk;-2.90'
  await choose(page, written('1.csv', `Date;Description;Amount\n${kiosk}`))
  await page.getByLabel('Account').selectOption({ label: 'Giro (EUR)' })
  await sees(page, '1 row is new.')
  expect(await page.getByLabel('Match rows with existing transactions').count()).toBe(0)
  await page.getByRole('button', { name: 'Import 1 new transaction' }).click()
  await sees(page, '1 transaction imported from 1.csv.')
  await store(ann, 'DELETE', '/transactions?name=eq.Kiosk', {})

  await choose(
    page,
    written(
      '2.csv',
      `Date;Description;Amount\n${kiosk}\n2025-03-06;To savings;-50\n2025-03-10;CINEMA 12;-11`,
    ),
  )
  await sees(
    page,
    '1 row matches a transaction you already entered. 1 row is part of a transfer between your accounts. 1 row was deleted earlier and won’t be imported again.',
  )
  expect((await verdicts(page)).map(([, name, verdict]) => [name, verdict])).toEqual([
    ['KioskImported earlier, then deleted.', 'Deleted'],
    [
      'To savingsBecomes a transfer with “From giro” on Mar 5, 2025 in account “Savings”.',
      'Transfer',
    ],
    [
      'CINEMA 12Uses the bank’s date but keeps your name and category: entered as “Cinema with Bo” on Mar 8, 2025.',
      'Matched',
    ],
  ])
  await page.getByRole('button', { name: 'Import 1 new transaction and 1 update' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Match rows with existing transactions').focus()
  await page.keyboard.press('Space')
  await sees(page, 'Import 2 new transactions')
  expect(await page.evaluate('document.activeElement.parentElement.textContent')).toBe(
    'Match rows with existing transactions',
  )
  await page.getByLabel('Link transfers between my accounts').uncheck()
  await page.getByLabel('Import deleted rows again').check()
  await sees(page, '3 rows are new.')
  await page.getByLabel('Match rows with existing transactions').check()
  await page.getByLabel('Link transfers between my accounts').check()
  await page.getByRole('button', { name: 'Import 2 new transactions and 1 update' }).click()
  await sees(page, '3 transactions imported from 2.csv.')
  await page.goto(new URL('/transactions', page.url()).href)
  await page.getByRole('row', { name: /From giro.*⇄/ }).waitFor()
  await page.getByRole('row', { name: /Cinema with Bo/ }).waitFor()
  await page.getByRole('row', { name: /Kiosk/ }).waitFor()
  await page.context().close()
})

test('Ben sees the rule of a row and the suggested categories with their reasons, and accepts some of them', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const [bakery] = await storeRows(story, ben, 'categories', [{ name: 'Bakery' }])
  await storeRows(
    story,
    ben,
    'transactions',
    ['Bread & Co 12', 'BREAD & CO 07.06.', 'Bread & Co'].map((name) => ({
      name,
      amount: -4,
      category_id: bakery.id,
    })),
  )
  const conditions = [{ field: 'search', operation: 'contains', value: 'rewe' }]
  await storeRows(story, ben, 'rules', [{
    name: 'Groceries',
    conditions,
    set_name: 'REWE',
    add_tags: ['food'],
  }])
  const page = await story.open(ben, '/import', { viewport: { width: 360, height: 640 } })
  await choose(
    page,
    written(
      'ben.csv',
      'Date;Description;Amount\n2025-03-01;REWE 4711;-7\n2025-03-02;BREAD+CO 99;-3.20\n2025-03-03;Bread Co;-5',
    ),
  )
  await sees(page, '2 rows have a suggested category.')
  const reason = 'All 3 transactions with “bread co” are in Bakery.'
  // the names of the categories may come later than the suggestions
  await expect.poll(async () => (await verdicts(page)).map(([, name]) => name)).toEqual([
    'REWE 4711The rule “Groceries” applies.',
    `BREAD+CO 99${reason}Category Bakery for BREAD+CO 99`,
    `Bread Co${reason}Category Bakery for Bread Co`,
  ])
  expect(await barriers(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await page.getByRole('button', { name: 'Accept all 2' }).click()
  await page.getByRole('button', { name: 'Accept none' }).waitFor()
  await page.getByLabel('Category Bakery for Bread Co').uncheck()
  await page.getByRole('button', { name: 'Import 3 new transactions' }).click()
  await page.getByRole('button', { name: 'View' }).click()
  await page.getByRole('row', { name: /BREAD\+CO 99 Bakery/ }).waitFor()
  await page.getByRole('row', { name: /REWE #food/ }).waitFor()
  expect(await page.getByRole('row', { name: /Bread Co Bakery/ }).count()).toBe(0)
  await page.context().close()
})

test('Ann imports her export of YNAB with its accounts and categories, and once more without a new row', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await storeAccount(ann, 'Savings')
  const page = await story.open(ann, '/import')
  const exported = join(import.meta.dirname, '../bank-files/apps/ynab.csv')
  await choose(page, exported)
  await sees(page, '5 transactions from another app, including 1 transfer.')
  await sees(page, 'Accounts you already have: Savings.')
  await sees(page, 'New categories: Inflow, Fun, Needs, Ready to Assign, Travel, and Food.')
  await page.getByLabel('New account Checking').selectOption({ label: 'Checking' })
  expect(await page.getByLabel('Currency').inputValue()).toBe('EUR')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Import 5 transactions' }).click()
  await sees(page, '5 transactions imported from ynab.csv.')
  await choose(page, exported)
  await sees(page, 'Accounts you already have: Savings and Checking.')
  await page.getByRole('button', { name: 'Import 5 transactions' }).click()
  await sees(page, '0 transactions imported from ynab.csv.')
  await page.context().close()
})

test('a picture is refused as a statement, and a viewer reads who may import', async () => {
  const { owner, viewer } = await team(story.stack, ['viewer'])
  const page = await story.open(owner, '/import')
  await choose(page, written('holiday.csv', '%PDF-1.7'))
  await sees(page, 'This is a PDF.')
  await page.context().close()
  const theirs = await story.open(viewer, '/import')
  await sees(theirs, 'Only the owner, admins and editors can import files.')
  expect(await theirs.getByLabel('Bank file').count()).toBe(0)
  expect(await barriers(theirs)).toEqual([])
  await theirs.context().close()
})
