/** The reconciliation of an account with a statement of its bank in the reference app. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { inDays, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const dayOf = (days: number) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(inDays(days)),
  )

/**
 * Stores an account with 500 and two balances of its bank: one of thirty days ago, which agrees,
 * and one of five days ago.
 */
async function keepGiro(
  who: Person,
  rows: ReadonlyArray<[name: string, amount: number, days: number, status?: string]>,
  stated: number,
): Promise<string> {
  const [{ id }] = await store(story, who, 'accounts', [{
    name: 'Giro',
    type: 'checking',
    currency: 'eur',
    balance: 500,
  }])
  const stored = rows.map(([name, amount, days, status = 'paid']) => ({
    name,
    amount,
    status,
    booked_on: inDays(days),
    transaction_date: inDays(days),
    account_id: id,
  }))
  if (stored.length > 0) await store(story, who, 'transactions', stored)
  await store(story, who, 'balances', [{ account_id: id, on_date: inDays(-30), balance: 500 }, {
    account_id: id,
    on_date: inDays(-5),
    balance: stated,
  }])
  return id
}

const rowsOf = (page: Page) => page.locator('.statement-row').allTextContents()
const figures = (page: Page) => page.locator('.statement-figures dd').allTextContents()
const agreement = (page: Page) => page.getByRole('region', { name: 'Reconciliation' })
const explanations = (page: Page) => agreement(page).locator('li > span').allTextContents()

test('Ann ticks what her statement has, after a reload too, deletes the copy that is left, and closes the days', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const id = await keepGiro(ann, [['Bread', -20, -20], ['Shoes', -45, -12], ['Shoes', -45, -10], [
    'Later',
    -9,
    -1,
  ]], 435)
  const page = await story.open(ann, `/accounts/${id}`)
  await page.getByRole('link', { name: `Reconcile ${dayOf(-5)}` }).click()
  await agreement(page).getByText('Off by €45.00').waitFor()
  expect(await barriers(page)).toEqual([])
  await expect.poll(() => rowsOf(page)).toEqual([
    `Shoes${dayOf(-10)}-€45.00`,
    `Shoes${dayOf(-12)}-€45.00`,
    `Bread${dayOf(-20)}-€20.00`,
  ])
  expect(await explanations(page)).toEqual([`Shoes on ${dayOf(-10)} may be a duplicate of Shoes.`])
  await page.getByRole('checkbox', { name: /Bread/ }).check()
  await page.getByRole('checkbox', { name: new RegExp(`Shoes.*${dayOf(-12)}`) }).check()
  await expect.poll(() => figures(page)).toEqual(['€435.00', '€390.00', '2 of 3', '€435.00'])
  await page.reload()
  await expect.poll(() => figures(page)).toEqual(['€435.00', '€390.00', '2 of 3', '€435.00'])
  expect(await explanations(page)).toEqual([`Shoes on ${dayOf(-10)} may not be on the statement.`])
  await page.getByRole('button', { name: 'Delete Shoes' }).click()
  await agreement(page).getByText('Reconciled').waitFor()
  await expect.poll(() => figures(page)).toEqual(['€435.00', '€435.00', '2 of 2', '€435.00'])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: `Close through ${dayOf(-5)}` }).click()
  await agreement(page).getByText(`Closed through ${dayOf(-5)}. These figures won’t change.`)
    .waitFor()
  await page.locator('.toast', { hasText: `Closed through ${dayOf(-5)}.` }).getByRole('button', {
    name: 'Undo',
  }).click()
  await page.getByRole('button', { name: `Close through ${dayOf(-5)}` }).waitFor()
  await page.locator('.toast', { hasText: 'Shoes' }).getByRole('button', { name: 'Undo' }).click()
  await agreement(page).getByText('Off by €45.00').waitFor()
  await page.context().close()
})

test.each([
  {
    why: 'a payment that the bank has booked meanwhile',
    row: ['Hotel', -80, -8, 'pending'] as const,
    stated: 420,
    text: 'Hotel: pending here, but posted by the bank.',
    action: 'Mark as posted Hotel',
  },
  {
    why: 'a refund that was entered as an expense',
    row: ['Refund', -30, -8] as const,
    stated: 530,
    text: `Refund on ${dayOf(-8)} may have the wrong sign. The correct amount would be €30.00.`,
    action: 'Change Refund',
  },
  {
    why: 'two digits that were swapped',
    row: ['Fuel', -54, -8] as const,
    stated: 455,
    text: `Fuel on ${dayOf(-8)} may have two digits swapped. The correct amount would be -€45.00.`,
    action: 'Change Fuel',
  },
])(
  'Ben, on his phone, is shown $why, mends it in one step, and takes it back',
  async ({ row, stated, text, action }) => {
    const ben = await signedIn(story.stack, 'Ben')
    const id = await keepGiro(ben, [[...row]], stated)
    const page = await story.open(ben, `/accounts/${id}/statements/${inDays(-5)}`, {
      viewport: { width: 320, height: 740 },
      colorScheme: 'dark',
    })
    await expect.poll(() => explanations(page)).toEqual([text])
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await page.getByRole('button', { name: action }).click()
    await agreement(page).getByText('Reconciled').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => explanations(page)).toEqual([text])
    await page.context().close()
  },
)

test('Cara, in German, sees the account agree when her bank program stores the missing payment, and a day without a statement leads back', async () => {
  const cara = await signedIn(story.stack, 'Cara')
  const id = await keepGiro(cara, [], 480)
  const page = await story.open(cara, `/accounts/${id}/statements/${inDays(-5)}`, {
    locale: 'de-DE',
  })
  await page.getByText('-20,00 € Unterschied').waitFor()
  await page.getByText('Keine einzelne Buchung erklärt den Unterschied.').waitFor()
  await store(story, cara, 'transactions', [{
    name: 'Brot',
    amount: -20,
    booked_on: inDays(-7),
    transaction_date: inDays(-7),
    account_id: id,
  }])
  await page.getByText('Stimmt', { exact: true }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.goto(`${story.stack.publicUrl}/accounts/${id}/statements/${inDays(-6)}`)
  await page.getByText('Für diesen Tag ist kein Kontostand eingetragen.').waitFor()
  await page.getByRole('link', { name: 'Zum Konto' }).click()
  await page.getByRole('heading', { name: 'Giro' }).waitFor()
  await page.context().close()
})

test('a viewer of a team ticks for herself, and is offered no change', async () => {
  const { owner, viewer } = await team(story.stack, ['viewer'])
  const id = await keepGiro(owner, [['Bread', -20, -20], ['Bread', -20, -19]], 480)
  const page = await story.open(viewer, `/accounts/${id}/statements/${inDays(-5)}`)
  await page.getByRole('button', { name: 'Check all' }).click()
  await expect.poll(() => figures(page)).toEqual(['€480.00', '€460.00', '2 of 2', '€460.00'])
  expect(await agreement(page).getByRole('button').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('the undo of the editor, who has closed the days, keeps the later new name by the owner', async () => {
  const { owner, editor } = await team(story.stack, ['editor'])
  const id = await keepGiro(owner, [['Bread', -20, -20]], 480)
  const page = await story.open(editor, `/accounts/${id}/statements/${inDays(-5)}`)
  await page.getByRole('button', { name: `Close through ${dayOf(-5)}` }).click()
  const toast = page.locator('.toast', { hasText: `Closed through ${dayOf(-5)}.` })
  await toast.waitFor()
  const account = () =>
    story.stack.sql.query(
      'select name, closed_until is null as is_open from api.accounts where id = $1',
      [id],
    ).then(({ rows }) => rows)
  await fetch(`${story.stack.url}/data/accounts?id=eq.${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${await owner.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Our giro' }),
  })
  expect(await account()).toEqual([{ name: 'Our giro', is_open: false }])
  await toast.getByRole('button', { name: 'Undo' }).click()
  const answer = page.locator('.toast', { hasText: /taken back|changed/ })
  await answer.waitFor()
  expect((await account())[0].name).toBe('Our giro')
  await page.context().close()
})
