/**
 * `npm run bench:interactions`: measures how long the app takes to show the effect of a key or a
 * click, with 10,000 transactions. The browser measures it by its Event Timing API, from the input
 * to the next frame. CHROMIUM is the path of the browser. An interaction below 16 ms has no entry,
 * and counts as 16.
 */
import type { Page } from 'playwright-core'
import { benchApp } from './app.ts'
import { quantile } from './stack.ts'

const rows = 10_000
/** The browser reports no shorter interaction. */
const shortest = 16

/**
 * Reports the longest duration per interaction since the last call. Entries arrive after the next
 * frame.
 */
const observe = `(() => {
  const found = new Map()
  const see = (entries) => {
    for (const { interactionId, duration } of entries) {
      if (interactionId > 0) found.set(interactionId, Math.max(duration, found.get(interactionId) ?? 0))
    }
  }
  const observer = new PerformanceObserver((list) => see(list.getEntries()))
  observer.observe({ type: 'event', durationThreshold: ${shortest} })
  globalThis.takeInteractions = async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))
    see(observer.takeRecords())
    const durations = [...found.values()]
    found.clear()
    return durations
  }
})()`

await using app = await benchApp(`
  insert into api.accounts (user_id, organization_id, name, type, currency) values ('user-1', null, 'Giro', 'checking', 'usd');
  insert into api.categories (user_id, organization_id, name, monthly_budget, budget_currency)
    select 'user-1', null, 'Category ' || n, 500, 'usd' from generate_series(1, 30) n;
  insert into api.transactions (user_id, organization_id, name, amount, currency, status, category_id, account_id, transaction_date)
    select 'user-1', null, 'Payee ' || n % 400, -n % 300 - 1, 'usd', case when n % 50 = 0 then 'pending' else 'paid' end,
      (select id from api.categories where name = 'Category ' || n % 30 + 1), (select id from api.accounts), now() - n * interval '2 hours'
    from generate_series(1, ${rows}) n;
  insert into api.subscriptions (user_id, organization_id, title, amount, currency, period, starts_on)
    select 'user-1', null, 'Cost ' || n, n, 'usd', 'monthly', current_date from generate_series(1, 20) n`)

type Act = {
  work: string
  path?: string
  ready?: (page: Page) => Promise<unknown>
  act: (page: Page) => Promise<unknown>
}

/**
 * Waits until responses are drawn. The network is never idle, because the stream of changes is
 * open.
 */
const settle = (page: Page) => page.waitForTimeout(700)

const keys = async (page: Page, key: string, times: number) => {
  for (let time = 0; time < times; time++) await page.keyboard.press(key, { delay: 20 })
}
const list = '/transactions'
const hasRows = (page: Page) => page.locator('.tx-rows .tx-row').nth(5).waitFor()
const opens = async (page: Page, link: string, heading: string) => {
  await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).first().click()
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
}
const entry = (page: Page) => page.getByRole('group', { name: 'New transaction' })

const acts: Act[] = [
  {
    work: 'typing into the search',
    act: async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('payee 12', { delay: 60 })
      await hasRows(page)
      await settle(page)
    },
  },
  {
    work: 'arrow keys in the list',
    act: async (page) => {
      await page.getByRole('grid').focus()
      await keys(page, 'ArrowDown', 40)
    },
  },
  {
    work: 'scrolling by Page Down and End',
    act: async (page) => {
      await page.getByRole('grid').focus()
      await keys(page, 'PageDown', 20)
      await keys(page, 'End', 3)
      await settle(page)
      await keys(page, 'Home', 1)
    },
  },
  {
    work: 'opening the form by `n`',
    act: async (page) => {
      await page.keyboard.press('n')
      await entry(page).waitFor()
    },
  },
  {
    work: 'typing into the form',
    act: async (page) => {
      await page.keyboard.press('n')
      await entry(page).waitFor()
      await page.keyboard.type('payee 3', { delay: 60 })
    },
  },
  {
    work: 'choosing a category by `c`',
    act: async (page) => {
      await page.getByRole('grid').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('c')
      await page.getByRole('combobox', { name: 'Category' }).waitFor()
      await page.keyboard.type('category 7', { delay: 60 })
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('Enter')
      await settle(page)
    },
  },
  {
    work: 'a filter on and off',
    act: async (page) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await page.getByLabel('Status').waitFor()
      await page.getByLabel('Status').focus()
      await page.keyboard.press('p')
      await page.getByRole('button', { name: 'Remove filter pending' }).or(
        page.getByRole('button', { name: 'Remove filter paid' }),
      ).click()
      await settle(page)
    },
  },
  {
    work: 'selecting rows',
    act: async (page) => {
      await page.getByRole('grid').focus()
      for (let row = 0; row < 10; row++) {
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Space')
      }
      await page.keyboard.press('Control+a')
    },
  },
  {
    work: 'opening a row',
    act: async (page) => {
      await page.locator('.tx-rows .tx-row .tx-title').nth(3).click()
      await page.getByRole('group', { name: /^Edit / }).waitFor()
      await settle(page)
    },
  },
  { work: 'opening the overview', act: (page) => opens(page, 'Overview', 'Overview') },
  {
    work: 'opening the list',
    path: '/settings',
    ready: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
    act: async (page) => {
      await opens(page, 'Transactions', 'Transactions')
      await hasRows(page)
    },
  },
  { work: 'opening the budgets', act: (page) => opens(page, 'Budgets', 'Budgets') },
  { work: 'opening the recurring costs', act: (page) => opens(page, 'Recurring', 'Recurring') },
]

/** Measures one act in a new page, a few times. @param slowdown of the processor */
async function measure(
  { work, path = list, ready = hasRows, act }: Act,
  slowdown: number,
): Promise<number[]> {
  const durations: number[] = []
  for (let round = 0; round < 3; round++) {
    const context = await app.openContext()
    const page = await context.newPage()
    try {
      await page.goto(`${app.url}${path}`)
      await ready(page)
      await settle(page)
      await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', {
        rate: slowdown,
      })
      await page.evaluate(observe)
      await act(page)
      const found = await page.evaluate<number[]>('takeInteractions()')
      durations.push(...found.length === 0 ? [shortest] : found)
    } catch (error) {
      throw new Error(work, { cause: error })
    } finally {
      await context.close()
    }
  }
  return durations
}

console.log('| interaction | worst | median | worst, 4 times slower |')
console.log('| --- | --- | --- | --- |')
const all: number[] = []
for (const act of acts) {
  const [usual, slow] = [await measure(act, 1), await measure(act, 4)]
  all.push(...usual)
  console.log(
    `| ${act.work} | ${Math.max(...usual)} ms | ${quantile(usual, 0.5)} ms | ${
      Math.max(...slow)
    } ms |`,
  )
}
console.log(
  `\nOf all interactions of at least ${shortest} ms, the 98th of a hundred took ${
    quantile(all, 0.98)
  } ms, and the worst ${Math.max(...all)} ms.`,
)
