/** The overview of the reference app: each user's figures, and the links behind them. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { signedIn, team } from '../support/person.ts'
import { inDays, keepBooks, lastDay, month, nameOf, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const card = (page: Page, name: string) => page.getByRole('region', { name })
/** Returns the cells of a card's table, once it has rows. */
const rowsOf = async (page: Page, name: string): Promise<string[][]> => {
  const rows = card(page, name).locator('tbody tr')
  await rows.first().waitFor()
  return rows.evaluateAll((all) =>
    all.map((row) =>
      [...(row as any).cells].map((cell) => cell.innerText.replaceAll(/\s+/g, ' ').trim())
    )
  )
}

describe('Ann, with books of three months', () => {
  let ids: Awaited<ReturnType<typeof keepBooks>>
  let page: Page
  beforeAll(async () => {
    const ann = await signedIn(story.stack, 'Ann')
    ids = await keepBooks(story, ann)
    page = await story.open(ann)
  })
  afterAll(() => page.context().close())

  test('Ann, with books of three months sees balances, cash flow, spending, budgets and upcoming costs', async () => {
    await expect.poll(() => rowsOf(page, 'Balances')).toEqual([['Giro', '', '€6,950.00']])
    await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Home', '€900.00', '86%', '0%'], [
      'Food',
      '€150.00',
      '14%',
      '+50%',
    ]])
    await expect.poll(() => rowsOf(page, 'Budgets')).toEqual([
      ['Food', '€150.00 of €100.00', '€50.00 over'],
      ['Home', '€900.00 of €1,000.00', '€100.00'],
    ])
    await card(page, 'Due next').getByText('Insurance').waitFor()
    await card(page, 'Cash flow').getByRole('link', {
      name: `${nameOf(month())}: income €3,000.00, expenses €1,050.00, net €1,950.00`,
    }).waitFor()
    expect(await barriers(page)).toEqual([])
  })

  test('Ann, with books of three months reads three answers first: what is there, how the month is, what comes', async () => {
    const [worth, spent, coming] = [
      card(page, 'Net worth'),
      card(page, 'This month'),
      card(page, 'Coming up'),
    ]
    await worth.getByRole('link', { name: '€6,950.00' }).waitFor()
    await worth.getByText(`+€1,950.00 since the end of ${nameOf(month(-1))}`).waitFor()
    await worth.getByText(`+€5,950.00 since the end of ${nameOf(month(-12))}`).waitFor()
    await spent.getByText('€50.00 left of €1,100.00 budgeted').waitFor()
    await spent.getByText(/^€50\.00 more than /).waitFor()
    // the months before had 1,000, 1,000 and nothing
    await spent.getByText('€383.33 more than your three-month average').waitFor()
    const link = new URL(
      await spent.getByRole('link', { name: '€1,050.00' }).getAttribute('href') ?? '',
      story.stack.publicUrl,
    )
    expect(Object.fromEntries(link.searchParams)).toEqual({
      currency: 'eur',
      from: month(),
      to: inDays(0),
      side: 'out',
      sort: 'amount',
    })
    await coming.getByText('lowest balance, today').waitFor()
    await coming.getByText('1 recurring item has no account and is not included').waitFor()
  })

  test('Ann, with books of three months reads each point of a chart with the keys and the pointer, and opens its rows', async () => {
    const course = page.getByRole('slider', { name: 'Net worth over time' })
    const read = () => course.getAttribute('aria-valuetext')
    await course.focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(read).toBe(`${nameOf(month(-1))}: €5,000.00`)
    await page.keyboard.press('Home')
    await expect.poll(read).toBe(`${nameOf(month(-12))}: €1,000.00`)
    await page.keyboard.press('End')
    await expect.poll(read).toBe(`${nameOf(month())}: €6,950.00`)
    const box = await course.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 60)
    await expect.poll(read).toBe(`${nameOf(month(-12))}: €1,000.00`)
    await page.mouse.move(0, 0)
    await expect.poll(read).toBe(`${nameOf(month())}: €6,950.00`)
    expect(await card(page, 'Cash flow').locator('.report-column[tabindex="0"]').count()).toBe(1)
    await card(page, 'Cash flow').locator('.report-column[tabindex="0"]').focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toMatch(nameOf(month(-1)))
    await course.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      currency: 'eur',
      from: month(-12),
      to: lastDay(-12),
    })
    await page.goBack()
    await rowsOf(page, 'Spending')
  })

  test('Ann, with books of three months reads a point by touch without leaving the page, and nothing moves while the page loads', async () => {
    const cookies = await page.context().cookies()
    const phone = await story.open({ cookies: [] } as never, '/sign-in', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await phone.context().addCookies(cookies)
    await phone.goto(story.stack.publicUrl)
    const course = phone.getByRole('slider', { name: 'Net worth over time' })
    await course.waitFor()
    await phone.getByRole('slider', { name: 'Balance forecast' }).waitFor()
    await rowsOf(phone, 'Balances')
    const shift = await phone.evaluate<number>(`new Promise((done) => {
      let sum = 0
      new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value }).observe({ type: 'layout-shift', buffered: true })
      requestAnimationFrame(() => requestAnimationFrame(() => done(sum)))
    })`)
    expect(shift).toBeLessThan(0.02)
    const box = await course.boundingBox()
    await phone.touchscreen.tap((box?.x ?? 0) + 20, (box?.y ?? 0) + 60)
    await expect.poll(() => course.getAttribute('aria-valuetext')).toBe(
      `${nameOf(month(-12))}: €1,000.00`,
    )
    expect(new URL(phone.url()).pathname).toBe('/')
    await phone.context().close()
  })

  test('Ann, with books of three months reads the numbers of the chart as a table', async () => {
    await card(page, 'Cash flow').getByRole('button', { name: 'Show as table' }).click()
    await expect.poll(async () =>
      (await rowsOf(page, 'Cash flow')).slice(0, 6).map((row) => row.slice(0, 4))
    ).toEqual([
      ...[-5, -4, -3].map((offset) => [nameOf(month(offset)), '€0.00', '€0.00', '€0.00']),
      ...[-2, -1].map((offset) => [nameOf(month(offset)), '€3,000.00', '€1,000.00', '€2,000.00']),
      [nameOf(month()), '€3,000.00', '€1,050.00', '€1,950.00'],
    ])
    expect(
      (await rowsOf(page, 'Cash flow')).map((row) => row[4]).filter((planned) =>
        planned === '€120.00'
      ),
    ).toHaveLength(1)
    expect(await barriers(page)).toEqual([])
  })

  test('Ann, with books of three months reads the balances of her accounts at the end of each month', async () => {
    await card(page, 'Balances').getByRole('button', { name: 'Show as table' }).click()
    await expect.poll(() => rowsOf(page, 'Balances')).toEqual([
      ['Giro', '', '€6,950.00'],
      ...[['€5,000.00', -1], ['€3,000.00', -2], ['€1,000.00', -3], ['€1,000.00', -4], [
        '€1,000.00',
        -5,
      ]]
        .map(([balance, offset]) => [`End of ${nameOf(month(offset as number))}`, balance]),
    ])
    expect(await barriers(page)).toEqual([])
    await card(page, 'Balances').getByRole('button', { name: 'Show as table' }).click()
    await card(page, 'Balances').locator('.report-sparkline polyline[points*=","]').waitFor()
  })

  test('Ann, with books of three months gets all cards with parallel requests', async () => {
    const needed = [
      'accounts',
      'categories',
      'exchange_rates',
      'get_budget_comparison',
      'get_cash_flow',
      'get_forecast',
      'get_instance_rates',
      'get_net_worth',
      'get_transaction_aggregate',
      'get_transaction_distribution_by_category',
      'get_upcoming',
    ]
    const requested = new Set<string>()
    const { promise: allAreRequested, resolve } = Promise.withResolvers<void>()
    await page.route('**/data/**', async (route) => {
      requested.add(new URL(route.request().url()).pathname.replace(/^\/data\/(?:rpc\/)?/, ''))
      if (needed.every((name) => requested.has(name))) resolve()
      await allAreRequested
      await route.continue()
    })
    await page.reload()
    await rowsOf(page, 'Spending')
    expect(needed.filter((name) => !requested.has(name))).toEqual([])
    await page.unroute('**/data/**')
  })

  test('Ann, with books of three months opens the transactions behind each figure', async () => {
    const leadsTo = async (name: string, link: string | RegExp) =>
      Object.fromEntries(
        new URL(
          await card(page, name).getByRole('link', { name: link }).getAttribute('href') ?? '',
          story.stack.publicUrl,
        ).searchParams,
      )
    expect(await leadsTo('Spending', 'Food')).toEqual({
      category: ids.food.id,
      currency: 'eur',
      from: month(),
      to: lastDay(),
    })
    expect(await leadsTo('Budgets', 'Home')).toEqual({
      category: ids.home.id,
      currency: 'eur',
      from: month(),
      to: lastDay(),
    })
    expect(await leadsTo('Cash flow', new RegExp(`^${nameOf(month(-1))}`))).toEqual({
      currency: 'eur',
      from: month(-1),
      to: lastDay(-1),
    })
    expect(await leadsTo('Balances', 'Giro')).toEqual({ account: ids.giro.id })
    await card(page, 'Spending').getByRole('link', { name: 'Food' }).click()
    await page.getByRole('heading', { name: 'Transactions' }).waitFor()
    await page.goBack()
  })

  test('Ann, with books of three months goes back a month, and sees it again after a reload', async () => {
    await page.getByRole('button', { name: 'Previous month' }).click()
    await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Home', '€900.00', '90%', '0%'], [
      'Food',
      '€100.00',
      '10%',
      '0%',
    ]])
    await page.reload()
    await expect.poll(() => page.locator('output').innerText()).toBe(nameOf(month(-1)))
    // a month that is over has no forecast: its income less its expenses, which is the sum of its
    // rows
    const remained = card(page, 'Left over').getByRole('link', { name: '€2,000.00' })
    expect(new URL(await remained.getAttribute('href') ?? '', story.stack.publicUrl).search).toBe(
      `?currency=eur&from=${month(-1)}&to=${lastDay(-1)}`,
    )
    await card(page, 'Net worth').getByRole('link', { name: '€5,000.00' }).waitFor()
    expect(await barriers(page)).toEqual([])
  })
})

test('Eve sees past balances with transfers, without unpaid and future transactions, and a loan only since its first day', async () => {
  const eve = await signedIn(story.stack, 'Eve')
  const [giro, savings] = await store(
    story,
    eve,
    'accounts',
    [
      { name: 'Giro', type: 'checking', currency: 'eur', balance: 100 },
      { name: 'Savings', type: 'savings', currency: 'eur', balance: 0 },
      { name: 'Zloan', type: 'loan', currency: 'eur', balance: -900, opened_on: month(-1) },
      { name: 'Zold', type: 'cash', currency: 'eur', balance: 0, closed_on: month(-1) },
    ].map((row) => ({ opened_on: null, closed_on: null, ...row })),
  )
  await store(story, eve, 'transactions', [
    {
      name: 'Salary',
      amount: 50,
      transaction_date: month(-1),
      account_id: giro.id,
      status: 'paid',
    },
    {
      name: 'Refund',
      amount: 7,
      transaction_date: month(-1),
      account_id: giro.id,
      status: 'pending',
    },
    { name: 'Rent', amount: -40, transaction_date: month(2), account_id: giro.id, status: 'paid' },
  ])
  const moved = await fetch(`${story.stack.dataUrl}/rpc/create_transfer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await eve.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from_account_id: giro.id,
      to_account_id: savings.id,
      amount: 30,
      transfer_date: month(),
    }),
  })
  expect(moved.status).toBe(200)
  const page = await story.open(eve)
  await card(page, 'Balances').getByRole('button', { name: 'Show as table' }).click()
  await expect.poll(async () => (await rowsOf(page, 'Balances')).map((row) => row.at(-1))).toEqual([
    '€120.00',
    '€150.00',
    ...Array<string>(4).fill('€100.00'),
    '€30.00',
    ...Array<string>(5).fill('€0.00'),
    ...Array<string>(2).fill('-€900.00'),
    ...Array<string>(4).fill('€0.00'),
  ])
  await page.context().close()
})

test('Bob sees one of two currencies at a time, and both converted after he adds rates', async () => {
  const bob = await signedIn(story.stack, 'Bob')
  const [fun] = await store(story, bob, 'categories', [{ name: 'Fun' }])
  await store(story, bob, 'transactions', [
    {
      name: 'Cinema',
      amount: -10,
      currency: 'eur',
      transaction_date: month(),
      category_id: fun.id,
    },
    {
      name: 'Concert',
      amount: -30,
      currency: 'eur',
      transaction_date: month(),
      category_id: fun.id,
    },
    {
      name: 'Museum',
      amount: -20,
      currency: 'usd',
      transaction_date: month(),
      category_id: fun.id,
    },
  ])
  const page = await story.open(bob)
  await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Fun', '€40.00', '100%', 'new']])
  await page.getByLabel('Currency').selectOption('Only USD')
  await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Fun', '$20.00', '100%', 'new']])
  expect(await page.getByLabel('Currency').locator('option').allTextContents()).toEqual([
    'Only EUR',
    'Only USD',
  ])
  await page.getByRole('link', { name: 'Exchange rates' }).click()
  await page.getByRole('button', { name: 'New exchange rate' }).click()
  await page.getByLabel('From currency').fill('EUR')
  await page.getByLabel('Rate', { exact: true }).fill('2')
  await page.getByLabel('To currency').fill('USD')
  await page.getByLabel('Valid from').fill(month(1))
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '2', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  // This rate is later than the transactions, and the note leads to the missing one.
  await page.getByLabel('Currency').selectOption('All in USD')
  await card(page, 'Spending').getByText('2 amounts have no exchange rate and are not included.')
    .waitFor()
  expect(await barriers(page)).toEqual([])
  await card(page, 'Spending').getByRole('link', { name: 'Exchange rates' }).click()
  await page.getByLabel('Rate', { exact: true }).fill('1.5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '1.5', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByLabel('Currency').selectOption('All in USD')
  await expect.poll(() => rowsOf(page, 'Spending')).toEqual([['Fun', '$80.00', '100%', 'new']])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Fay reads the lowest day to come, which account falls below zero, and which money has no rate', async () => {
  const fay = await signedIn(story.stack, 'Fay')
  const [giro] = await store(
    story,
    fay,
    'accounts',
    [['Giro', 'checking', 'eur', 100], ['Wallet', 'cash', 'eur', 20], [
      'House',
      'loan',
      'eur',
      -900,
    ], ['Dollars', 'savings', 'usd', 300]]
      .map(([name, type, currency, balance]) => ({ name, type, currency, balance })),
  )
  await store(
    story,
    fay,
    'subscriptions',
    [['Rent', 'expense', 150, 3], ['Salary', 'income', 500, 5]]
      .map(([title, kind, amount, days]) => ({
        title,
        kind,
        amount,
        currency: 'eur',
        period: 'yearly',
        starts_on: inDays(days as number),
        account_id: giro.id,
      })),
  )
  const page = await story.open(fay)
  const short = new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(inDays(3)))
  const coming = card(page, 'Coming up')
  // 100 and 20 less the rent; neither the loan nor the dollars are in it
  await coming.getByRole('link', { name: '-€30.00' }).waitFor()
  await coming.getByText(`lowest balance, on ${short}`).waitFor()
  await coming.getByText('€120.00 today, €470.00 in 45 days').waitFor()
  await coming.getByRole('link', { name: `Giro falls below zero on ${short}: -€50.00` }).waitFor()
  await expect.poll(() => coming.getByRole('slider').getAttribute('aria-valuetext')).toBe(
    `${short}: -€30.00, Rent: -€150.00`,
  )
  await card(page, 'Net worth').getByRole('link', { name: '-€780.00' }).waitFor()
  await card(page, 'Net worth').getByText('plus $300.00 in 1 account without an exchange rate')
    .waitFor()
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Carl, a new user, sees how to begin', async () => {
  const page = await story.open(await signedIn(story.stack, 'Carl'))
  await page.getByText('Your finances at a glance.').waitFor()
  expect(await card(page, 'Cash flow').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Add an account' }).click()
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  await page.context().close()
})

test('the owner of a team records an upcoming cost and undoes it', async () => {
  const { owner } = await team(story.stack, [])
  await keepBooks(story, owner)
  const page = await story.open(owner)
  await card(page, 'Due next').getByRole('button', { name: /^Record Insurance/ }).click()
  await card(page, 'Due next').getByText('Nothing is due in the next month.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await card(page, 'Due next').getByText('Insurance').waitFor()
  await page.context().close()
})
