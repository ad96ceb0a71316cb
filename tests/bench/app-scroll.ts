/**
 * `npm run bench:app`: measures the cost of a frame while the app's list of transactions scrolls.
 * The baseline is a page of plain lines of text. Both pages run in one browser, in turn. CHROMIUM
 * is the path of the browser.
 */
import type { Page } from 'playwright-core'
import { benchApp } from './app.ts'
import { print, type Figure } from './figures.ts'
import { quantile } from './stack.ts'

const rounds = 5
const frames = 240
/** Number of rows in the database, and number of rows loaded before the measurement. */
const [rows, loaded] = [100_000, 10_000]
/** The height of a row, and the distance of a fast scroll per frame, in pixels. */
const [height, step] = [44, 132]

/** Without the frame rate limit, the time between two frames is the cost of one. */
const args = ['--disable-frame-rate-limit', '--disable-gpu-vsync']

type Way = 'steps' | 'jumps'

/**
 * Scrolls before each frame, within the loaded rows. @returns the time of each frame in
 * milliseconds, and the number of tasks above 50 ms
 */
const scroll = (page: Page, way: Way) =>
  page.evaluate<{ times: number[], long: number }>(`(async () => {
    let long = 0
    const observer = new PerformanceObserver((list) => { long += list.getEntries().length })
    observer.observe({ type: 'longtask' })
    const frame = () => new Promise(requestAnimationFrame)
    const times = []
    let before = await frame()
    for (let at = 0; at < ${frames}; at++) {
      scrollTo(0, ${
    way === 'steps'
      ? `10000 + at * ${step}`
      : `(at * 7919 * ${height}) % ${(loaded - 400) * height}`
  })
      const now = await frame()
      times.push(now - before)
      before = now
    }
    long += observer.takeRecords().length
    observer.disconnect()
    return { times, long }
  })()`)

await using app = await benchApp(
  `insert into api.categories (id, user_id, organization_id, name) values ('00000000-0000-4000-8000-000000000001', 'user-1', null, 'Food');
  insert into api.transactions (user_id, organization_id, name, amount, currency, status, category_id, transaction_date)
    select 'user-1', null, 'Row ' || n, -n, 'usd', case when n % 50 = 0 then 'pending' else 'paid' end, '00000000-0000-4000-8000-000000000001',
      timestamptz '2025-06-30' - n * interval '1 hour' from generate_series(1, ${rows}) n`,
  args,
)
const context = await app.openContext()

const bare = await context.newPage()
await bare.setContent(
  `<!doctype html><style>body { margin: 0; font: 16px/${
    height - 1
  }px system-ui } div { height: ${height}px; border-bottom: 1px solid #ddd; box-sizing: border-box }</style>
  ${
    Array.from({ length: loaded }, (_, row) =>
      `<div>Jun 30, 2025 Row ${row} Food -$${row}.00</div>`).join('')
  }`,
)
const list = await context.newPage()
await list.goto(`${app.url}/transactions`)
await list.getByText('Row 4', { exact: true }).waitFor()
await list.evaluate(`new Promise((resolve) => {
  const further = () => {
    if (document.body.scrollHeight > ${loaded * height}) return resolve()
    scrollTo(0, document.body.scrollHeight)
    requestAnimationFrame(further)
  }
  further()
})`)

/**
 * Returns the measurement of one page: per round its frame times and the CPU time of the main
 * thread.
 */
async function measurementOf(page: Page) {
  const session = await context.newCDPSession(page)
  // the clock of the thread stops while other programs run
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const used = async () =>
    ((await session.send('Performance.getMetrics')).metrics.find(({ name }) =>
      name === 'TaskDuration'
    )?.value ?? 0) * 1000
  const found = { medians: [] as number[], slowest: [] as number[], costs: [] as number[], long: 0 }
  const measure = async (way: Way) => {
    await page.bringToFront()
    const before = await used()
    const { times, long } = await scroll(page, way)
    found.costs.push((await used() - before) / frames)
    found.medians.push(quantile(times, 0.5))
    found.slowest.push(quantile(times, 0.95))
    found.long += long
  }
  return { measure, found }
}

const figures: Figure[] = []
for (
  const [way, work] of [['steps', 'scrolled by three rows a frame'], [
    'jumps',
    'a jump at each frame',
  ]] as const
) {
  const [ours, theirs] = [await measurementOf(list), await measurementOf(bare)]
  for (let round = 0; round < rounds; round++)
    for (const one of round % 2 === 0 ? [ours, theirs] : [theirs, ours]) await one.measure(way)
  const figure = (
    measured: string,
    key: 'medians' | 'slowest' | 'costs',
    aim: number,
    note = '',
  ): Figure => ({
    work: `10,000 rows of the app, ${work}: ${measured}`,
    against: 'as many bare lines of text',
    ratio: quantile(ours.found[key].map((ms, round) => ms / (theirs.found[key][round] ?? ms)), 0.5),
    aim,
    unit: 'times',
    note: `${quantile(ours.found[key], 0.5).toFixed(1)} ms against ${
      quantile(theirs.found[key], 0.5).toFixed(1)
    }${note}`,
  })
  figures.push(
    figure('processor time of the main thread', 'costs', 5),
    figure('median frame', 'medians', 3),
    figure(
      '95th of a hundred frames',
      'slowest',
      4,
      `; of ${
        rounds * frames
      } frames ${ours.found.long} took a task of more than 50 ms, against ${theirs.found.long}`,
    ),
  )
}
print(figures)
