/**
 * Accounts in the reference app. The model for the other stories: users, their actions, and what
 * they see.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { firstViewBudget, firstViewBytes } from '../../app/first-view.ts'
import { typedDay } from '../../app/src/locale/typed-day.ts'
import { password, person, signedIn, team } from '../support/person.ts'
import { inDays, store } from './app-books.ts'
import { appDirectory, type AppStory, barriers, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const dayOf = (day: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))
const rowsOf = (page: Page) => page.locator('tbody tr').allTextContents()

test('the first view loads less script than is acceptable on a phone', async () => {
  expect(await firstViewBytes(appDirectory)).toBeLessThan(firstViewBudget)
})

test('Ann signs up, is in her personal context, signs out, and signs in again at the requested page', async () => {
  const ann = person(story.stack, 'Ann')
  const page = await story.open(null, '/sign-up')
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Your name').fill('Ann')
  await page.getByLabel('Email address').fill(ann.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByRole('button', { name: /Workspace:\s*Personal/ }).waitFor()
  await sees(page, `We sent an email to ${ann.email}`)
  await page.getByRole('button', { name: 'Ann' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(`${story.stack.publicUrl}/accounts`)
  await page.getByLabel('Email address').fill(ann.email)
  await page.getByLabel('Password').fill('not her password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Email address').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.context().close()
})

test('Ann creates, changes and deletes an account, and undoes the deletion', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts')
  await sees(page, 'No accounts yet.')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Name').fill('Giro')
  await page.getByLabel('Opening balance').fill('1,200 + 34.5')
  await page.getByLabel('Currency').fill('EUR')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['GiroChecking€1,234.50EditDelete'])
  await page.getByRole('button', { name: 'Edit Giro' }).click()
  await page.getByLabel('Bank').fill('The bank')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['GiroThe bankChecking€1,234.50EditDelete'])
  await page.getByRole('button', { name: 'Delete Giro' }).click()
  await sees(page, 'Giro deleted.')
  await sees(page, 'No accounts yet.')
  // The focused element no longer exists.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Accounts')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['GiroThe bankChecking€1,234.50EditDelete'])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Ann in Germany gets euros as the default currency, and afterwards the currency of her accounts', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts', {
    locale: 'en-DE',
  })
  const create = async (name: string, offered: string, currency: string) => {
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Name').fill(name)
    expect(await page.getByLabel('Currency').inputValue()).toBe(offered)
    await page.getByLabel('Currency').fill(currency)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: `Edit ${name}` }).waitFor()
  }
  await create('Giro', 'EUR', 'chf')
  await create('Cash', 'CHF', 'CHF')
  await page.goto(`${story.stack.publicUrl}/categories`)
  await page.getByRole('button', { name: 'New category' }).click()
  await expect.poll(() => page.getByLabel('Currency').inputValue()).toBe('CHF')
  await page.getByLabel('Name').fill('Food')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Budgets' }).click()
  await page.getByRole('button', { name: 'Budget for Food' }).click()
  expect(await page.getByLabel('Currency').inputValue()).toBe('CHF')
  await page.context().close()
})

test('Ann reads at the field in plain words why a value is refused', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Name').fill('   ')
  await page.getByRole('button', { name: 'Save' }).click()
  expect(await page.getByLabel('Name').evaluate((field) => (field as any).validity.valid)).toBe(
    false,
  )
  await page.getByLabel('Name').fill('Giro')
  await page.getByLabel('Currency').fill('XYZ')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText(
    'Unknown currency. Use a three-letter code such as EUR.',
    { exact: true },
  ).waitFor()
  expect(await page.getByLabel('Currency').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Currency').fill('EUR')
  await page.getByLabel('Opening balance').fill('9999999999999999999')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('The amount is too large.', { exact: true }).waitFor()
  expect(await page.getByLabel('Opening balance').getAttribute('aria-invalid')).toBe('true')
  await page.context().close()
})

test('Ann enters a loan with the day of its opening balance, and reads at the field that it cannot be closed before', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  expect(await page.getByLabel('Closed on').count()).toBe(0)
  await page.getByLabel('Name').fill('House')
  await page.getByLabel('Type').selectOption('Loan')
  await page.getByLabel('Opening balance').fill('-90000')
  await page.getByLabel('Opened on').fill(inDays(-1))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['HouseLoan-$90,000.00EditDelete'])
  await page.getByRole('button', { name: 'Edit House' }).click()
  expect(await page.getByLabel('Opened on').inputValue()).toBe(typedDay(inDays(-1), 'en-US'))
  await page.getByLabel('Closed on').fill(inDays(-2))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('The end date is before the start date.').waitFor()
  expect(await page.getByLabel('Closed on').getAttribute('aria-invalid')).toBe('true')
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Closed on').fill('')
  await page.getByLabel('Opened on').fill(inDays(1))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['HouseLoan$0.00EditDelete'])
  await page.context().close()
})

test('Ann closes an account, which no form offers any more, except for a row that has it', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const [old] = await store(
    story,
    ann,
    'accounts',
    ['Old', 'Giro', 'Cash'].map((name) => ({ name, type: 'checking', currency: 'usd' })),
  )
  await store(story, ann, 'transactions', [{ name: 'Fee', amount: -1, account_id: old.id }])
  await store(story, ann, 'subscriptions', [{
    title: 'Rent',
    amount: 5,
    period: 'monthly',
    account_id: old.id,
  }])
  const page = await story.open(ann, '/accounts')
  await page.getByRole('button', { name: 'Edit Old' }).click()
  await page.getByLabel('Closed on').fill(inDays(0))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Closed accounts', { exact: true }).click()
  await expect.poll(() => page.locator('details tbody tr').allTextContents()).toEqual([
    `Oldclosed on ${dayOf(inDays(0))}Checking-$1.00EditDelete`,
  ])
  expect(await page.locator('table').first().locator('tbody th').allTextContents()).toEqual([
    'Cash',
    'Giro',
  ])
  expect(await barriers(page)).toEqual([])
  /** Opens the list of a field and reads it. */
  const offers = async (label: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).first().press('ArrowDown')
    return page.getByRole('listbox').getByRole('option').allTextContents()
  }
  const goTo = (name: string) =>
    page.getByRole('navigation').first().getByRole('link', { name }).click()
  await goTo('Recurring')
  await page.getByRole('button', { name: 'New recurring item' }).click()
  await expect.poll(() => offers('Account')).toEqual(['None', 'Cash', 'Giro'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit Rent' }).click()
  await expect.poll(() => offers('Account')).toEqual(['None', 'Cash', 'Giro', 'Old✓'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await goTo('Transactions')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Transfer between accounts' }).click()
  await expect.poll(() => offers('From')).toEqual(['Cash✓', 'Giro'])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  const entry = page.getByRole('group', { name: 'New transaction' })
  await entry.getByLabel('Name').fill('Fee')
  expect(await entry.getByLabel('Account').inputValue()).toBe('')
  await entry.getByLabel('Account').press('ArrowDown')
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual([
    'No account',
    'Cash',
    'Giro',
  ])
  // the first key closes the list, the second the form
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await entry.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Fee', exact: true }).click()
  await expect.poll(() =>
    page.getByRole('group', { name: 'Edit Fee' }).getByLabel('Account').inputValue()
  ).toBe('Old')
  await page.context().close()
})

test('Ann deletes on a phone, where a notice covers no button of the last row or of a dialog', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await store(
    story,
    ann,
    'accounts',
    'ABCDEFGHIJKL'.split('').map((name) => ({ name, type: 'checking', currency: 'eur' })),
  )
  const page = await story.open(ann, '/accounts', { viewport: { width: 320, height: 640 } })
  for (const name of ['A', 'B']) await page.getByRole('button', { name: `Delete ${name}` }).click()
  await sees(page, 'B deleted.')
  expect(await page.locator('.toast:visible').count()).toBe(1)
  await page.locator('.toast:visible').hover()
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.getByRole('button', { name: 'Delete L' }).click({ trial: true })
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByRole('button', { name: 'Save' }).click({ trial: true })
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Ann signs in again after her session ends during an edit, and stores her edit', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(ann, '/accounts')
  await sees(page, 'No accounts yet.')
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Name').fill('Giro')
  await story.stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
  // the page learns of it from its live stream, maybe before she can press "Save"
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('You’ve been signed out').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => rowsOf(page)).toEqual(['GiroChecking$0.00EditDelete'])
  await page.context().close()
})

describe('in a team', () => {
  test("the editor sees only the team's accounts, and undoes a deletion with its effect on transactions", async () => {
    const { owner, editor } = await team(story.stack, ['editor'])
    const [{ id }] = await store(story, owner, 'accounts', [{
      name: 'Shared',
      type: 'checking',
      currency: 'usd',
    }])
    await store(story, owner, 'transactions', [{ name: 'Stamps', amount: -30, account_id: id }])
    const page = await story.open(editor, '/accounts')
    await page.getByRole('button', { name: /Workspace:\s*The Team\s*editor/ }).waitFor()
    await expect.poll(() => rowsOf(page)).toEqual(['SharedChecking-$30.00EditDelete'])
    await page.getByRole('button', { name: 'Workspace' }).click()
    await page.getByRole('menuitemradio', { name: 'Personal' }).click()
    await sees(page, 'No accounts yet.')
    await page.getByRole('button', { name: 'Workspace' }).click()
    await page.getByRole('menuitemradio', { name: 'The Team' }).click()
    await page.getByRole('button', { name: 'Delete Shared' }).click()
    await sees(page, 'No accounts yet.')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rowsOf(page)).toEqual(['SharedChecking-$30.00EditDelete'])
    await page.context().close()
  })

  test('the owner changes and deletes on a phone, even an account with a long bank name', async () => {
    const { owner } = await team(story.stack, ['viewer'])
    const page = await story.open(owner, '/accounts')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Name').fill('Donaudampfschifffahrtsgesellschaftskonto')
    await page.getByLabel('Bank').fill(
      'Raiffeisenlandesbank Niederösterreich-Wien Aktiengesellschaftszweigniederlassung',
    )
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 640 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      const box = await page.getByRole('button', { name: /^Delete Donau/ }).boundingBox()
      expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
      await page.getByRole('button', { name: /^Edit Donau/ }).click()
      const dialog = await page.getByRole('dialog').boundingBox()
      expect(dialog?.x).toBeGreaterThanOrEqual(0)
      expect((dialog?.x ?? 0) + (dialog?.width ?? width)).toBeLessThanOrEqual(width)
      expect(
        await page.getByRole('dialog').evaluate((shown) =>
          (shown as any).scrollWidth - (shown as any).clientWidth
        ),
      ).toBe(0)
      await page.getByRole('button', { name: 'Close' }).first().click()
    }
    await page.context().close()
  })
})
