/** Recurring costs in the reference app. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn, team } from '../support/person.ts'
import { inDays, month, nameOf, store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { choose } from './app-transactions-page.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const dayOf = (day: string) =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day))
const cellsOf = (page: Page) =>
  page.getByRole('region', { name: 'Income and expenses' }).locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...(row as any).cells].map((cell) => cell.textContent).slice(0, 5))
    )

test('Ann creates a weekly cost, records, pauses, changes and deletes it, and undoes the deletion', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/recurring')
  await page.getByText('No recurring items yet').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'New recurring item' }).click()
  await page.getByLabel('Name').fill('Choir')
  await page.getByLabel('Amount').fill('10 + 2')
  await page.getByLabel('Currency').fill('EUR')
  await page.getByLabel('Frequency').selectOption('Every week')
  await page.getByLabel('First due on').fill(inDays(1))
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([[
    'Choir',
    'Every week',
    dayOf(inDays(1)),
    '€12.00',
    '€52.14',
  ]])
  await page.getByRole('button', { name: `Record Choir on ${dayOf(inDays(1))}` }).click()
  await page.getByText(`Choir recorded for ${dayOf(inDays(1))}.`).first().waitFor()
  await expect.poll(() => cellsOf(page)).toEqual([[
    'Choir',
    'Every week',
    dayOf(inDays(8)),
    '€12.00',
    '€52.14',
  ]])
  await page.getByRole('button', { name: 'Pause Choir' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([[
    'Choir',
    'Every week',
    'paused',
    '€12.00',
    '€52.14',
  ]])
  await page.getByRole('button', { name: 'Resume Choir' }).click()
  await page.getByRole('button', { name: 'Edit Choir' }).click()
  await page.getByLabel('Amount').fill('15')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([[
    'Choir',
    'Every week',
    dayOf(inDays(8)),
    '€15.00',
    '€65.18',
  ]])
  await page.getByRole('button', { name: 'Delete Choir' }).click()
  await page.getByText('No recurring items yet').waitFor()
  await page.getByText('Choir deleted.').locator('..').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => cellsOf(page)).toEqual([[
    'Choir',
    'Every week',
    dayOf(inDays(8)),
    '€15.00',
    '€65.18',
  ]])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Carl, in Germany, reads what will be recorded: a minus is an expense, and a salary is an income', async () => {
  const page = await story.open(await signedIn(story.stack, 'Carl'), '/recurring', {
    locale: 'en-DE',
  })
  const due = new Intl.DateTimeFormat('en-DE', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(inDays(3)),
  )
  const enter = async (name: string, amount: string, says: string) => {
    await page.getByRole('button', { name: 'New recurring item' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('First due on').fill(inDays(3))
    await page.getByLabel('Amount').fill(amount)
    await page.getByText(`Will be added as ${says} on ${due}`).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'New recurring item' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: new RegExp(`^Record ${name}`) }).click()
    await page.getByText(`${name} recorded for ${due}.`).first().waitFor()
  }
  await enter('Miete', '-980,50', '-€980.50')
  await enter('Gehalt', '+2000', '€2,000.00')
  await expect.poll(async () => (await cellsOf(page)).map(([name, , , amount]) => [name, amount]))
    .toEqual([
      ['Gehalt', '+€2,000.00'],
      ['Miete', '€980.50'],
    ])
  await page.goto(`${story.stack.publicUrl}/transactions`)
  await expect.poll(() =>
    page.locator('.tx-amount .amount').allTextContents().then((all) =>
      all.toSorted((one, other) => one.localeCompare(other))
    )
  ).toEqual([
    '-€980.50',
    '€2,000.00',
  ])
  await page.context().close()
})

test('Dora plans a standing order between two accounts, records it, and reads the lowest balance of the next days', async () => {
  const dora = await signedIn(story.stack, 'Dora')
  const accounts = [['Giro', 'checking', 500], ['Savings', 'savings', 0]]
    .map(([name, type, balance]) => ({ name, type, currency: 'eur', balance }))
  const [{ id: giro }] = await store(story, dora, 'accounts', accounts)
  await store(
    story,
    dora,
    'subscriptions',
    [
      {
        title: 'Rent',
        amount: 450,
        currency: 'eur',
        period: 'monthly',
        interval_in_days: 60,
        starts_on: inDays(10),
        account_id: giro,
      },
      {
        title: 'Salary',
        kind: 'income',
        amount: 2000,
        currency: 'eur',
        period: 'monthly',
        interval_in_days: 60,
        starts_on: inDays(20),
        account_id: giro,
      },
    ].map((row) => ({ kind: 'expense', ...row })),
  )
  const page = await story.open(dora, '/recurring')
  await page.getByRole('button', { name: 'New recurring item' }).click()
  await page.getByLabel('Name').fill('Saving')
  await page.getByLabel('Amount').fill('100')
  await page.getByLabel('Direction').selectOption('Transfer')
  await choose(page.getByLabel('Account', { exact: true }), 'Giro')
  await choose(page.getByLabel('To account'), 'Savings')
  await page.getByLabel('First due on').fill(inDays(5))
  await page.getByLabel('Custom interval in days').fill('60')
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () =>
    (await cellsOf(page)).map(([name, , , amount, inAMonth]) => [name, amount, inAMonth])
  ).toEqual([
    ['SavingTransfer', '€100.00', '–'],
    ['Rent', '€450.00', '€228.13'],
    ['Salary', '+€2,000.00', '–'],
  ])
  await page.getByRole('button', { name: `Record Saving on ${dayOf(inDays(5))}` }).click()
  await page.getByText(`Saving recorded for ${dayOf(inDays(5))}.`).first().waitFor()
  await page.goto(`${story.stack.publicUrl}/accounts`)
  await expect.poll(() =>
    page.getByRole('region', { name: 'Next 30 days' }).locator('li').allTextContents()
  ).toEqual([
    `Giro: lowest on ${dayOf(inDays(10))} at -€50.00; €1,950.00 on ${dayOf(inDays(30))}.`,
    `Savings: lowest on ${dayOf(inDays(0))} at €0.00; €100.00 on ${dayOf(inDays(30))}.`,
  ])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test('Eli reads the lowest day of each account, tries a purchase that is stored nowhere, and sees all accounts in one currency', async () => {
  const eli = await signedIn(story.stack, 'Eli')
  const accounts = [['Giro', 'eur', 500], ['Travel', 'usd', 80]]
    .map(([name, currency, balance]) => ({ name, type: 'checking', currency, balance }))
  const [{ id: giro }] = await store(story, eli, 'accounts', accounts)
  await store(story, eli, 'subscriptions', [
    {
      title: 'Rent',
      kind: 'expense',
      amount: 450,
      currency: 'eur',
      period: 'monthly',
      interval_in_days: 100,
      starts_on: inDays(10),
      account_id: giro,
    },
    {
      title: 'Salary',
      kind: 'income',
      amount: 2000,
      currency: 'eur',
      period: 'monthly',
      interval_in_days: 100,
      starts_on: inDays(20),
      account_id: giro,
    },
  ])
  await store(story, eli, 'transactions', [{
    name: 'Hotel',
    amount: -60,
    status: 'pending',
    account_id: giro,
    transaction_date: inDays(0),
  }])
  const page = await story.open(eli, '/recurring')
  const ahead = page.getByRole('region', { name: 'Forecast' })
  const courses = () => ahead.locator('li').allTextContents()
  const travel = `Travellowest on ${dayOf(inDays(0))} at $80.00; $80.00 on ${dayOf(inDays(30))}`
  await expect.poll(courses).toEqual([
    `Girolowest on ${dayOf(inDays(10))} at -€10.00; €1,990.00 on ${dayOf(inDays(30))}`,
    travel,
  ])
  expect(await barriers(page)).toEqual([])
  await ahead.getByText('What if…').click()
  await ahead.getByLabel('Name').fill('Flight')
  await ahead.getByLabel('Amount').fill('300')
  await ahead.getByLabel('Account').selectOption('Giro')
  await ahead.getByLabel('Date').fill(inDays(2))
  expect(await barriers(page)).toEqual([])
  await ahead.getByRole('button', { name: 'Try it' }).click()
  const tried = `Flight-€300.00 on ${dayOf(inDays(2))}, GiroRemove`
  await expect.poll(courses).toEqual([
    `Girolowest on ${dayOf(inDays(10))} at -€310.00; €1,690.00 on ${dayOf(inDays(30))}`,
    travel,
    tried,
  ])
  expect(await ahead.getByLabel('Name').inputValue()).toBe('')
  const chart = ahead.getByRole('slider', { name: 'Giro over time' })
  const shortDay = (days: number) =>
    new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
      new Date(inDays(days)),
    )
  await expect.poll(() => chart.getAttribute('aria-valuetext')).toBe(
    `${shortDay(10)}: -€310.00, -€10.00 without this change, Rent: -€450.00`,
  )
  await chart.press('Home')
  expect(await chart.getAttribute('aria-valuetext')).toBe(`${shortDay(0)}: €440.00, Hotel: -€60.00`)
  await chart.press('ArrowRight')
  await chart.press('ArrowRight')
  expect(await chart.getAttribute('aria-valuetext')).toBe(
    `${shortDay(2)}: €140.00, €440.00 without this change, Flight: -€300.00`,
  )
  await ahead.getByRole('button', { name: 'Travel' }).click()
  await ahead.getByRole('slider', { name: 'Travel over time' }).waitFor()
  await ahead.getByRole('button', { name: 'Giro' }).click()
  await ahead.getByRole('button', { name: 'Show as table' }).click()
  await expect.poll(() => ahead.locator('tbody').first().locator('tr').allTextContents()).toEqual([
    `${dayOf(inDays(0))}Hotel: -€60.00-€60.00€440.00`,
    `${dayOf(inDays(2))}Flight: -€300.00-€300.00€140.00`,
    `${dayOf(inDays(10))}lowestRent: -€450.00-€450.00-€310.00`,
    `${dayOf(inDays(20))}Salary: €2,000.00€2,000.00€1,690.00`,
  ])
  expect(await barriers(page)).toEqual([])
  await ahead.getByRole('button', { name: 'Show as table' }).click()
  await ahead.getByRole('button', { name: 'Remove Flight' }).click()
  await ahead.getByLabel('Range').selectOption('Next 3 months')
  await expect.poll(courses).toEqual([
    `Girolowest on ${dayOf(inDays(10))} at -€10.00; €1,990.00 on ${dayOf(inDays(92))}`,
    travel.replace(dayOf(inDays(30)), dayOf(inDays(92))),
  ])
  await ahead.getByLabel('View as').selectOption('All in EUR')
  await expect.poll(courses).toEqual([
    `All accountslowest on ${dayOf(inDays(10))} at -€10.00; €1,990.00 on ${dayOf(inDays(92))}`,
  ])
  await ahead.getByText('Some amounts have no exchange rate and are not included.').waitFor()
  await store(story, eli, 'exchange_rates', [{
    on_date: inDays(-5),
    base: 'usd',
    quote: 'eur',
    rate: 0.5,
  }])
  await page.reload()
  await ahead.getByLabel('View as').selectOption('All in EUR')
  await expect.poll(courses).toEqual([
    `All accountslowest on ${dayOf(inDays(10))} at €30.00; €2,030.00 on ${dayOf(inDays(30))}`,
  ])
  expect(await ahead.getByText('Some amounts').count()).toBe(0)
  await page.goto(`${story.stack.publicUrl}/transactions`)
  await page.getByText('Hotel').waitFor()
  expect(await page.getByText('Flight').count()).toBe(0)
  await page.context().close()
})

test('a user sees an invalid end date at its field, and keeps the input', async () => {
  const page = await story.open(await signedIn(story.stack, 'Bob'), '/recurring')
  await page.getByRole('button', { name: 'New recurring item' }).click()
  await page.getByLabel('Name').fill('Gym')
  await page.getByLabel('Amount').fill('30')
  await page.getByLabel('First due on').fill(inDays(5))
  await page.getByLabel('Until').fill(inDays(1))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Until').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('Name').inputValue()).toBe('Gym')
  await page.context().close()
})

test('an editor of a team restores a deleted cost, and a viewer reads on a phone, without buttons for changes', async () => {
  const { owner, editor, viewer } = await team(story.stack, ['editor', 'viewer'])
  await store(story, owner, 'accounts', [{ name: 'Giro', type: 'checking', currency: 'eur' }])
  await store(story, owner, 'subscriptions', [{
    title: 'Server',
    amount: 20,
    currency: 'eur',
    period: 'monthly',
    starts_on: inDays(2),
  }])
  const page = await story.open(editor, '/recurring')
  await page.getByRole('button', { name: 'Delete Server' }).click()
  await page.getByText('No recurring items yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  const server = ['Server', 'Every month', dayOf(inDays(2)), '€20.00', '€20.00']
  await expect.poll(() => cellsOf(page)).toEqual([server])
  await page.context().close()
  const phone = await story.open(viewer, '/recurring', {
    viewport: { width: 320, height: 640 },
    colorScheme: 'dark',
  })
  await expect.poll(() => cellsOf(phone)).toEqual([server])
  await phone.getByText('What if…').click()
  await phone.getByLabel('Name').fill('A server of our own')
  await phone.getByLabel('Amount').fill('900')
  await phone.getByRole('button', { name: 'Try it' }).click()
  await phone.getByText(`lowest on ${dayOf(inDays(1))} at -€900.00`).waitFor()
  await phone.getByRole('button', { name: 'Remove A server of our own' }).click()
  expect(await phone.getByRole('button', { name: /New|Record|Edit|Pause|Delete/ }).count()).toBe(0)
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(320)
  expect(await barriers(phone)).toEqual([])
  await phone.context().close()
})

test('Fay sees her month as a calendar: paid, pending, due and not booked days with their sums, and opens each of them', async () => {
  const fay = await signedIn(story.stack, 'Fay')
  const accounts = await store(story, fay, 'accounts', [
    { name: 'Giro', type: 'checking', currency: 'eur', balance: 500 },
    { name: 'Savings', type: 'savings', currency: 'eur', balance: 0 },
  ])
  const at = (day: number) => `${month(-1).slice(0, 8)}${String(day).padStart(2, '0')}`
  const cost = (title: string, kind: string, amount: number, day: number) => ({
    title,
    kind,
    amount,
    currency: 'eur',
    period: 'monthly',
    starts_on: at(day),
    account_id: accounts[0].id,
    to_account_id: kind === 'transfer' ? accounts[1].id : null,
  })
  const [rent, , gym] = await store(story, fay, 'subscriptions', [
    cost('Rent', 'expense', 900, 3),
    cost('Salary', 'income', 2000.5, 3),
    cost('Gym', 'expense', 30, 12),
    cost('Phone', 'expense', 20, 5),
    cost('Saving', 'transfer', 100, 20),
  ])
  await store(story, fay, 'transactions', [
    {
      name: 'Rent, warm',
      amount: -910,
      currency: 'eur',
      transaction_date: at(4),
      status: 'paid',
      subscription_id: rent.id,
      due_on: at(3),
      account_id: accounts[0].id,
    },
    {
      name: 'Gym',
      amount: -30,
      currency: 'eur',
      transaction_date: at(12),
      status: 'pending',
      subscription_id: gym.id,
      due_on: at(12),
      account_id: accounts[0].id,
    },
  ])
  const page = await story.open(fay, '/recurring', {
    now: `${at(10)}T12:00:00Z`,
    viewport: { width: 1440, height: 900 },
  })
  const calendar = page.getByRole('table', { name: `Due in ${nameOf(month(-1))}` })
  const day = async (number: number) => {
    const text = await calendar.getByRole('cell').filter({
      has: page.locator(`time[datetime="${at(number)}"]`),
    }).innerText()
    return text.replaceAll(/\s+/g, ' ').trim()
  }
  await expect.poll(() => day(3)).toBe(
    '3 Rent, warm -910.00 paid Salary +2,000.50 overdue Total +1,090.50',
  )
  expect(await day(5)).toBe('5 Phone -20.00 overdue')
  expect(await day(12)).toBe('12 Gym -30.00 pending')
  expect(await day(20)).toBe('20 Saving 100.00 due, transfer')
  expect(await calendar.locator('td[aria-current=date]').innerText()).toBe('10')
  expect(await calendar.getByRole('columnheader').allInnerTexts()).toEqual([
    'Sun',
    'Mon',
    'Tue',
    'Wed',
    'Thu',
    'Fri',
    'Sat',
  ])
  const sums = page.getByRole('region', { name: 'Calendar' }).locator('dl > div')
  expect(await sums.allInnerTexts()).toEqual([
    'Income\n+€2,000.50',
    'Expenses\n-€960.00',
    'Still due\n+€1,980.50',
  ])
  // the calendar is beside the list
  const [left, right] = await Promise.all(
    [calendar, page.getByRole('region', { name: 'Income and expenses' })].map((part) =>
      part.boundingBox()
    ),
  )
  expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThan(right?.x ?? 0)
  expect(await barriers(page)).toEqual([])

  await calendar.getByRole('button', { name: 'Saving' }).press('Enter')
  await page.getByRole('dialog', { name: 'Edit Saving' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Next month' }).click()
  const next = page.getByRole('table', { name: `Due in ${nameOf(month())}` })
  await next.getByRole('button', { name: 'Rent -900.00 due' }).waitFor()
  expect(new URL(page.url()).searchParams.get('month')).toBe(month())
  await page.getByRole('button', { name: 'Previous month' }).click()
  await calendar.getByRole('link', { name: 'Rent, warm' }).click()
  await page.getByRole('grid').getByText('Rent, warm').waitFor()
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    search: 'Rent, warm',
    from: at(4),
    to: at(4),
  })
  await page.context().close()
})

test('Gus, in Germany, reads his month on a phone as a list of days, and a week begins on Monday on his desktop', async () => {
  const gus = await signedIn(story.stack, 'Gus')
  const at = (day: number) => `${month(-1).slice(0, 8)}${String(day).padStart(2, '0')}`
  await store(story, gus, 'subscriptions', [
    {
      title: 'Insurance of the household and of the bicycle',
      amount: 1164.5,
      currency: 'eur',
      period: 'monthly',
      starts_on: at(12),
    },
    { title: 'Choir', amount: 12, currency: 'eur', period: 'monthly', starts_on: at(12) },
  ])
  const options = { now: `${at(10)}T12:00:00Z`, locale: 'en-DE' }
  const phone = await story.open(gus, '/recurring', {
    ...options,
    viewport: { width: 320, height: 640 },
    hasTouch: true,
    isMobile: true,
    colorScheme: 'dark',
  })
  const days = phone.getByRole('list', { name: `Due in ${nameOf(month(-1))}` })
  const texts = async () =>
    (await days.locator(':scope > li').allInnerTexts()).map((text) =>
      text.replaceAll(/\s+/g, ' ').trim()
    )
  const inWords = new Intl.DateTimeFormat('en-DE', {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(new Date(at(12)))
  await expect.poll(texts).toEqual([
    'Today Total Nothing is due today.',
    `${inWords} Total -€1,176.50 Choir -€12.00 due Insurance of the household and of the bicycle -€1,164.50 due`,
  ])
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(320)
  expect(await barriers(phone)).toEqual([])
  await days.getByRole('button', { name: 'Choir' }).tap()
  await phone.getByRole('dialog', { name: 'Edit Choir' }).waitFor()
  await phone.context().close()
  const desktop = await story.open(gus, '/recurring', {
    ...options,
    viewport: { width: 1024, height: 800 },
  })
  await expect.poll(() =>
    desktop.getByRole('columnheader').allInnerTexts().then((all) => all.slice(0, 7))
  ).toEqual(
    ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  )
  await desktop.context().close()
})
