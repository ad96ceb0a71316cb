/** The overview of the reference app: what each person sees of their money at a glance, and where a click leads. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { signedIn, team } from '../support/person.ts'
import { keepBooks, lastDay, month, nameOf, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const card = (page: Page, name: string) => page.getByRole('region', { name })
/** What the rows of a card's table say, cell by cell, once there are any. */
const rowsOf = async (page: Page, name: string): Promise<string[][]> => {
  const rows = card(page, name).locator('tbody tr')
  await rows.first().waitFor()
  return rows.evaluateAll((all) => all.map((row) => [...(row as any).cells].map((cell) => cell.innerText.replaceAll(/\s+/g, ' ').trim())))
}

describe('Ann, who has kept books for three months', () => {
  let ids: Awaited<ReturnType<typeof keepBooks>>
  let page: Page
  beforeAll(async () => {
    const ann = await signedIn(story.stack, 'Ann')
    ids = await keepBooks(story, ann)
    page = await story.open(ann)
  })
  afterAll(() => page.context().close())

  test('sees balances, cash flow, spending, budgets and what is due', async () => {
    await expect.poll(() => rowsOf(page, 'Balances')).toEqual([['Giro', '€6,950.00']])
    await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Home', '€900.00', '86%', '0%'], ['Food', '€150.00', '14%', '+50%']])
    await expect.poll(() => rowsOf(page, 'Budgets')).toEqual([
      ['Food', '€150.00 of €100.00', '€50.00 over'],
      ['Home', '€900.00 of €1,000.00', '€100.00'],
    ])
    await card(page, 'Due next').getByText('Insurance').waitFor()
    await card(page, 'Cash flow').getByRole('link', { name: `${nameOf(month())}: income €3,000.00, expenses €1,050.00, net €1,950.00` }).waitFor()
    expect(await barriers(page)).toEqual([])
  })

  test('reads the numbers of the chart as a table', async () => {
    await card(page, 'Cash flow').getByRole('button', { name: 'Show as a table' }).click()
    await expect.poll(async () => (await rowsOf(page, 'Cash flow')).slice(0, 6).map((row) => row.slice(0, 4))).toEqual([
      ...[-5, -4, -3].map((offset) => [nameOf(month(offset)), '€0.00', '€0.00', '€0.00']),
      ...[-2, -1].map((offset) => [nameOf(month(offset)), '€3,000.00', '€1,000.00', '€2,000.00']),
      [nameOf(month()), '€3,000.00', '€1,050.00', '€1,950.00'],
    ])
    expect((await rowsOf(page, 'Cash flow')).map((row) => row[4]).filter((planned) => planned === '€120.00')).toHaveLength(1)
    expect(await barriers(page)).toEqual([])
  })

  test('waits for no answer before the next is asked for', async () => {
    const asked: string[] = []
    const { promise: allAreAsked, resolve } = Promise.withResolvers<void>()
    await page.route('**/data/**', async (route) => {
      asked.push(new URL(route.request().url()).pathname.replace(/^\/data\/(?:rpc\/)?/, ''))
      if (asked.length === 9) resolve()
      await allAreAsked
      await route.continue()
    })
    await page.reload()
    await rowsOf(page, 'Spending')
    expect(asked.toSorted()).toEqual([
      'accounts',
      'categories',
      'exchange_rates',
      'get_budget_comparison',
      'get_cash_flow',
      'get_transaction_aggregate',
      'get_transaction_distribution_by_category',
      'get_transaction_distribution_by_category',
      'get_upcoming',
    ])
    await page.unroute('**/data/**')
  })

  test('gets from each figure to the transactions behind it', async () => {
    const leadsTo = async (name: string, link: string | RegExp) =>
      Object.fromEntries(
        new URL(await card(page, name).getByRole('link', { name: link }).getAttribute('href') ?? '', story.stack.publicUrl).searchParams,
      )
    expect(await leadsTo('Spending', 'Food')).toEqual({ category: ids.food.id, currency: 'eur', from: month(), to: lastDay() })
    expect(await leadsTo('Budgets', 'Home')).toEqual({ category: ids.home.id, currency: 'eur', from: month(), to: lastDay() })
    expect(await leadsTo('Cash flow', new RegExp(`^${nameOf(month(-1))}`))).toEqual({ currency: 'eur', from: month(-1), to: lastDay(-1) })
    expect(await leadsTo('Balances', 'Giro')).toEqual({ account: ids.giro.id })
    await card(page, 'Spending').getByRole('link', { name: 'Food' }).click()
    await page.getByRole('heading', { name: 'Transactions' }).waitFor()
    await page.goBack()
  })

  test('goes back a month, and finds it again after a reload', async () => {
    await page.getByRole('button', { name: 'Month before' }).click()
    await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Home', '€900.00', '90%', '0%'], ['Food', '€100.00', '10%', '0%']])
    await page.reload()
    await expect.poll(() => page.locator('output').innerText()).toBe(nameOf(month(-1)))
  })
})

test('Bob, with two currencies, sees one at a time, and all in one once there is a rate', async () => {
  const bob = await signedIn(story.stack, 'Bob')
  const [fun] = await store(story, bob, 'categories', [{ name: 'Fun' }])
  await store(story, bob, 'transactions', [
    { name: 'Cinema', amount: -10, currency: 'eur', transaction_date: month(), category_id: fun.id },
    { name: 'Concert', amount: -30, currency: 'eur', transaction_date: month(), category_id: fun.id },
    { name: 'Museum', amount: -20, currency: 'usd', transaction_date: month(), category_id: fun.id },
  ])
  const page = await story.open(bob)
  await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Fun', '€40.00', '100%', 'new']])
  await page.getByLabel('Currency').selectOption('Only USD')
  await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Fun', '$20.00', '100%', 'new']])
  expect(await page.getByLabel('Currency').locator('option').allTextContents()).toEqual(['Only EUR', 'Only USD'])
  await store(story, bob, 'exchange_rates', [{ on_date: month(-1), base: 'eur', quote: 'usd', rate: 1.5 }])
  await page.reload()
  await page.getByLabel('Currency').selectOption('All in USD')
  await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Fun', '$80.00', '100%', 'new']])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Carl, who is new, is told how to begin', async () => {
  const page = await story.open(await signedIn(story.stack, 'Carl'))
  await page.getByText('Your money will be here at a glance.').waitFor()
  expect(await card(page, 'Cash flow').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Add an account' }).click()
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.context().close()
})

describe('in a team', () => {
  test('the owner records what is due, and takes it back; the viewer reads the same on a phone and is offered no change', async () => {
    const { owner, viewer } = await team(story.stack, ['viewer'])
    await keepBooks(story, owner)
    const page = await story.open(owner)
    await card(page, 'Due next').getByRole('button', { name: /^Record Insurance/ }).click()
    await card(page, 'Due next').getByText('Nothing is due in the next month.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await card(page, 'Due next').getByText('Insurance').waitFor()
    await page.context().close()
    const phone = await story.open(viewer, '/', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
    await card(phone, 'Due next').getByText('Insurance').waitFor()
    await expect.poll(() => rowsOf(phone, 'Balances')).toEqual([['Giro', '€6,950.00']])
    await card(phone, 'Cash flow').getByRole('link').first().waitFor()
    expect(await phone.getByRole('button', { name: /Record/ }).count()).toBe(0)
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await barriers(phone)).toEqual([])
    await phone.context().close()
  })
})
