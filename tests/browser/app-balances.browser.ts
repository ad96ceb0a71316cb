/**
 * Balances in the reference app: pending and future amounts, net worth, and agreement with the
 * bank.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { typedDay } from '../../app/src/locale/typed-day.ts'
import { type Person, signedIn, team } from '../support/person.ts'
import { inDays, month, nameOf, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const rowsOf = (page: Page, of: string) => page.locator(`${of} tbody tr`).allTextContents()
const cellsOf = (page: Page) =>
  page.locator('main tbody tr').evaluateAll((all) =>
    all.map((row) => [...(row as any).cells].map((cell) => cell.textContent))
  )
const card = (page: Page, name: string) => page.getByRole('region', { name })

test('Ann reads the balance of today, and apart from it the amount that is pending or dated ahead', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const [giro] = await store(story, ann, 'accounts', [
    { name: 'Giro', type: 'checking', currency: 'eur', balance: 500 },
    { name: 'Savings', type: 'savings', currency: 'eur', balance: 10 },
  ])
  await store(
    story,
    ann,
    'transactions',
    [
      { name: 'Groceries', amount: -20, status: 'paid', transaction_date: inDays(-3) },
      { name: 'Hotel', amount: -80, status: 'pending', transaction_date: inDays(-2) },
      { name: 'Salary', amount: 2000, status: 'paid', transaction_date: inDays(40) },
      { name: 'Refused', amount: -7, status: 'failed', transaction_date: inDays(3) },
    ].map((row) => ({ ...row, account_id: giro.id })),
  )
  const page = await story.open(ann, '/accounts')
  await expect.poll(() => rowsOf(page, 'main')).toEqual([
    'GiroChecking€480.00Upcoming: €1,920.00EditDelete',
    'SavingsSavings€10.00EditDelete',
  ])
  await page.getByText('Balances are as of today.').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  await page.context().close()
})

test('Ben sees his net worth over a year and over five, in one currency or converted, and which balances have no rate', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  await store(
    story,
    ben,
    'accounts',
    [
      { name: 'Giro', type: 'checking', currency: 'eur', balance: 500 },
      { name: 'House', type: 'loan', currency: 'eur', balance: -200, opened_on: month(-2) },
      { name: 'Visa', type: 'credit_card', currency: 'usd', balance: -50, opened_on: month(-3) },
    ].map((row) => ({ opened_on: null, ...row })),
  )
  const page = await story.open(ben, '/accounts')
  const worth = card(page, 'Net worth')
  await worth.getByRole('img', {
    name: `${nameOf(month())}: assets €500.00, liabilities €200.00, net €300.00`,
  }).waitFor()
  await worth.getByRole('img', {
    name: `${nameOf(month(-11))}: assets €500.00, liabilities €0.00, net €500.00`,
  }).waitFor()
  expect(await worth.getByLabel('Currency').locator('option').allTextContents()).toEqual([
    'Only EUR',
    'Only USD',
  ])
  expect(await barriers(page)).toEqual([])
  await worth.getByRole('button', { name: 'Show as table' }).click()
  const tableOf = () =>
    worth.locator('tbody tr').evaluateAll((all) =>
      all.map((row) => [...(row as any).cells].map((cell) => cell.textContent))
    )
  await expect.poll(async () => (await tableOf()).slice(-3)).toEqual([
    [nameOf(month(-2)), '€500.00', '€200.00', '€300.00'],
    [nameOf(month(-1)), '€500.00', '€200.00', '€300.00'],
    [nameOf(month()), '€500.00', '€200.00', '€300.00'],
  ])
  expect(await tableOf()).toHaveLength(12)
  await worth.getByLabel('Currency').selectOption('Only USD')
  await expect.poll(async () => (await tableOf()).at(-1)).toEqual([
    nameOf(month()),
    '$0.00',
    '$50.00',
    '-$50.00',
  ])
  expect(await barriers(page)).toEqual([])
  await store(story, ben, 'exchange_rates', [{
    on_date: month(-1),
    base: 'usd',
    quote: 'eur',
    rate: 0.5,
  }])
  await page.reload()
  await worth.getByLabel('Currency').selectOption('All in EUR')
  await worth.getByRole('img', {
    name: `${nameOf(month())}: assets €500.00, liabilities €225.00, net €275.00`,
  }).waitFor()
  await worth.getByText(
    `No exchange rate for USD from ${nameOf(month(-3))} to ${
      nameOf(month(-2))
    }, so these balances are not included.`,
  ).waitFor()
  expect(await barriers(page)).toEqual([])
  await worth.getByRole('status').getByRole('link', { name: 'Exchange rates' }).click()
  expect(await page.getByRole('dialog').getByLabel('Valid from').inputValue()).toBe(
    typedDay(month(-3), 'en-US'),
  )
  await page.getByLabel('Rate', { exact: true }).fill('0.4')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '0.4', exact: true }).waitFor()
  await page.goBack()
  await page.goto(`${story.stack.publicUrl}/accounts`)
  await worth.getByLabel('Currency').selectOption('All in EUR')
  await worth.getByRole('img', {
    name: `${nameOf(month(-2))}: assets €500.00, liabilities €220.00, net €280.00`,
  }).waitFor()
  expect(await worth.getByRole('status').count()).toBe(0)
  await worth.getByLabel('Time range').selectOption('5 years')
  const course = worth.getByRole('slider', { name: 'Net worth' })
  await expect.poll(() => course.getAttribute('aria-valuetext')).toBe(
    `${nameOf(month())}: assets €500.00, liabilities €225.00, net €275.00`,
  )
  await course.press('Home')
  expect(await course.getAttribute('aria-valuetext')).toBe(
    `${nameOf(month(-59))}: assets €500.00, liabilities €0.00, net €500.00`,
  )
  expect(await barriers(page)).toEqual([])
  await worth.getByRole('button', { name: 'Show as table' }).click()
  await expect.poll(tableOf).toHaveLength(60)
  await page.setViewportSize({ width: 320, height: 640 })
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  await page.context().close()
})

const dayOf = (day: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))

/** An account with 500 and three payments. */
async function keepGiro(who: Person): Promise<string> {
  const [{ id }] = await store(story, who, 'accounts', [{
    name: 'Giro',
    type: 'checking',
    currency: 'eur',
    balance: 500,
  }])
  await store(
    story,
    who,
    'transactions',
    [['Bread', -20, -30], ['Milk', -10, -20], ['Cheese', -5, -10]].map(([name, amount, days]) => ({
      name,
      amount,
      transaction_date: inDays(days as number),
      account_id: id,
    })),
  )
  return id
}

test('Cleo enters what the bank says, looks at the transactions between, and books the difference after reading what that is', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  await keepGiro(cleo)
  const page = await story.open(cleo, '/accounts')
  await page.getByRole('link', { name: 'Giro' }).click()
  await page.getByText('Enter the balance from a bank statement.').waitFor()
  expect(await barriers(page)).toEqual([])
  const say = async (balance: string, day: string) => {
    await page.getByLabel('Statement balance').fill(balance)
    await page.getByLabel('Statement date').fill(day)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText(`on ${dayOf(day)} saved.`).first().waitFor()
  }
  await say('480', inDays(-25))
  await say('460', inDays(-5))
  const agreed = [
    `${dayOf(inDays(-25))}entered manually`,
    '€480.00',
    '€480.00',
    'reconciled',
    '1',
    'ReconcileDelete',
  ]
  const differs = [
    `${dayOf(inDays(-5))}entered manually`,
    '€460.00',
    '€465.00',
    '-€5.00',
    '2',
    'ReconcileDelete',
  ]
  await expect.poll(() => cellsOf(page)).toEqual([differs, agreed])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: '2', exact: true }).click()
  await page.getByRole('button', { name: 'Cheese' }).waitFor()
  await page.getByRole('button', { name: 'Milk' }).waitFor()
  expect(await page.getByRole('button', { name: 'Bread' }).count()).toBe(0)
  await page.goBack()
  await page.getByRole('link', { name: `Reconcile ${dayOf(inDays(-5))}` }).click()
  await page.getByRole('button', { name: 'Adjust balance' }).click()
  await page.getByText(
    `This adds a “Balance adjustment” transaction of -€5.00 on ${
      dayOf(inDays(-5))
    }. Reports count it as an expense`,
  ).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Add adjustment' }).click()
  const booked = page.locator('.toast', {
    hasText: `Adjustment of -€5.00 on ${dayOf(inDays(-5))} added.`,
  })
  await page.getByText('Reconciled').waitFor()
  await page.getByRole('link', { name: 'Back to account' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([[
    differs[0],
    '€460.00',
    '€460.00',
    'reconciled',
    '3',
    'ReconcileDelete',
  ], agreed])
  await page.getByText('€460.00').first().waitFor()
  await booked.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([differs, agreed])
  await page.getByRole('button', { name: `Delete Balance on ${dayOf(inDays(-5))}` }).click()
  await expect.poll(() => cellsOf(page)).toEqual([agreed])
  await page.context().close()
})

test('Dora closes the days of an account, reads why a change of them is refused, and opens them again', async () => {
  const dora = await signedIn(story.stack, 'Dora')
  const id = await keepGiro(dora)
  await store(story, dora, 'balances', [{
    account_id: id,
    on_date: inDays(-5),
    balance: 460,
    source: 'statement',
  }])
  const page = await story.open(dora, `/accounts/${id}`)
  await page.getByText('Close a period to keep').waitFor()
  await page.getByLabel('Close through').fill(inDays(-4))
  await page.getByRole('button', { name: 'Close period' }).click()
  await page.getByText(`Closed through ${dayOf(inDays(-4))}. Transactions in this period`).waitFor()
  expect(await barriers(page)).toEqual([])
  const why = `The period through ${
    dayOf(inDays(-4))
  } is closed, so nothing was saved. Use a later date, or reopen the period on the Accounts page.`
  const refused = page.getByRole('alert').getByText(why)
  await page.getByRole('link', { name: /^Reconcile/ }).click()
  await page.getByRole('button', { name: 'Adjust balance' }).click()
  await page.getByRole('button', { name: 'Add adjustment' }).click()
  await refused.waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Back to account' }).click()
  await page.getByRole('link', { name: 'View transactions' }).click()
  await page.getByRole('button', { name: 'Milk' }).click()
  await page.getByRole('group', { name: 'Edit Milk' }).getByLabel('Amount').fill('11')
  await page.keyboard.press('Enter')
  await refused.waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${story.stack.publicUrl}/accounts`)
  await page.getByRole('button', { name: 'Delete Giro' }).click()
  await page.locator('.toast', { hasText: why }).waitFor()
  await page.getByRole('link', { name: 'Giro' }).click()
  await page.getByRole('button', { name: 'Reopen period' }).click()
  await page.getByText('Close a period to keep').waitFor()
  await page.getByRole('link', { name: /^Reconcile/ }).click()
  await page.getByRole('button', { name: 'Adjust balance' }).click()
  await page.getByRole('button', { name: 'Add adjustment' }).click()
  await page.getByText('Reconciled').waitFor()
  await page.context().close()
})

test('Emil closes the days of all accounts, undoes it, and closes and opens them', async () => {
  const emil = await signedIn(story.stack, 'Emil')
  const id = await keepGiro(emil)
  const page = await story.open(emil, '/accounts')
  const closed = card(page, 'Closed periods')
  const close = async () => {
    await closed.getByLabel('Close through').fill(inDays(-15))
    await closed.getByRole('button', { name: 'Close period' }).click()
    await closed.getByText(`Closed through ${dayOf(inDays(-15))}.`).waitFor()
  }
  await close()
  await page.locator('.toast', { hasText: 'Closed through' }).getByRole('button', { name: 'Undo' })
    .click()
  await closed.getByText('Close a period to keep').waitFor()
  await close()
  await page.getByRole('link', { name: 'Giro' }).click()
  await page.getByText(`All accounts are closed through ${dayOf(inDays(-15))}.`).waitFor()
  await page.goBack()
  await closed.getByRole('button', { name: 'Reopen period' }).click()
  await closed.getByText('Close a period to keep').waitFor()
  await page.goto(`${story.stack.publicUrl}/accounts/${id}`)
  await page.getByText('Close a period to keep').waitFor()
  expect(await page.getByText('All accounts are closed').count()).toBe(0)
  await page.context().close()
})

test('an editor of a team corrects a balance', async () => {
  const { owner, editor } = await team(story.stack, ['editor'])
  const id = await keepGiro(owner)
  const page = await story.open(editor, `/accounts/${id}`)
  await page.getByLabel('Statement balance').fill('470')
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('link', { name: /^Reconcile/ }).click()
  await page.getByRole('button', { name: 'Adjust balance' }).click()
  await page.getByRole('button', { name: 'Add adjustment' }).click()
  await page.getByText('Reconciled').waitFor()
  await page.context().close()
})
