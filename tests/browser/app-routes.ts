/**
 * Every page of the app with rows on it. The list comes from the routes, so that no new page is
 * forgotten.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { password, type Person, subscribed } from '../support/person.ts'
import { inDays, month, store } from './app-books.ts'
import type { AppStory } from './app-story.ts'

const source = readFileSync(join(import.meta.dirname, '../../app/src/shell/router.tsx'), 'utf8')

/** The paths of all routes. */
const routes = [...source.matchAll(/(?:\bpath: |\bpage\()'([^']+)'/g)].map(([, path = '']) => path)
  .toSorted()

/** The pages without a session. */
const outsideAddresses: Record<string, string> = {
  '/sign-in': '/sign-in',
  '/sign-up': '/sign-up',
  '/forgot-password': '/forgot-password',
  '/reset-password': '/reset-password?token=none',
  '/verify-email': '/verify-email?error=invalid_token',
  '/accept-invitation': '/accept-invitation?invitationId=none&token=none',
}

export type Address = { route: string, path: string, isOutside: boolean }

/** Returns the address of each page. @param ids the values of the parameters in paths */
export function addressesOf(ids: Readonly<Record<string, string>>): Address[] {
  const addresses = routes.map((route) => {
    const outside = outsideAddresses[route]
    return {
      route,
      path: outside ?? route.replaceAll(/\$(\w+)/g, (_, name: string) => ids[name] ?? ''),
      isOutside: outside !== undefined,
    }
  })
  expect(addresses.filter(({ path }) => path.includes('$') || path.endsWith('/') && path !== '/'))
    .toEqual([])
  return addresses
}

/** The requests of each tab that have no response yet. */
const pending = new WeakMap<Page, Set<Request>>()

/** Follows the requests of a tab. The stream of changes never ends. */
function follow(page: Page): Set<Request> {
  const open = new Set<Request>()
  page.on(
    'request',
    (request) => new URL(request.url()).pathname.endsWith('/changes') || open.add(request),
  )
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return open
}

/** Opens another page of the same tab. */
export async function visit(page: Page, path: string): Promise<void> {
  if (!pending.has(page)) pending.set(page, follow(page))
  await page.goto(new URL(path, page.url()).href)
  await settled(page)
}

/** Waits until the page has loaded its rows, and all requests have their responses. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await expect.poll(async () =>
    await page.locator('.skeleton, .report-chart:empty').count() + (pending.get(page)?.size ?? 0)
  ).toBe(0)
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
  )
}

/**
 * A user with a year of books and a row of every kind, in the language of a browser. @param isTeam
 * stores them in a team of the user
 */
export async function fullBooks(
  story: AppStory,
  locale: string,
  isTeam = false,
): Promise<{ who: Person, ids: Record<string, string> }> {
  const who = await subscribed(story.stack, 'Mia')
  const { body: team } = await who.post('/organization/create', { name: 'Atelier' })
  await who.post('/organization/invite-member', {
    organizationId: team.id,
    email: 'tom@example.org',
    role: 'editor',
  })
  await who.post('/organization/set-active', { organizationId: isTeam ? team.id : null })
  const page = await story.open(who, '/', { locale })
  // the last request of the example books
  const stored = page.waitForResponse((response) =>
    response.url().includes('/transaction_tags') && response.request().method() === 'POST'
  )
  await page.locator('.notice-offer button').click()
  await stored
  await page.context().close()
  const scope = isTeam ? 'organization_id = $1' : 'user_id = $1 and organization_id is null'
  const idsIn = async (table: string) =>
    (await story.stack.sql.query(
      `select id from api.${table} where ${scope} order by created_at, id`,
      [isTeam ? team.id : await who.id()],
    )).rows
      .map(({ id }) => id as string)
  const [[account_id = ''], [category_id = '']] = [
    await idsIn('accounts'),
    await idsIn('categories'),
  ]
  await store(story, who, 'rules', [{
    name: 'Bahn',
    conditions: [{ field: 'search', operation: 'contains', value: 'bahn' }],
    set_category_id: category_id,
  }])
  await store(story, who, 'exchange_rates', [{
    base: 'usd',
    quote: 'eur',
    rate: 0.9,
    on_date: month(-1),
  }])
  await store(story, who, 'balances', [{ account_id, on_date: month(), balance: 12 }])
  await store(story, who, 'budgets', [{ category_id, month: month(), amount: 50, currency: 'eur' }])
  await store(story, who, 'subscriptions', [{
    title: 'Zeitung',
    amount: 9,
    currency: 'eur',
    period: 'monthly',
    starts_on: inDays(2),
    category_id,
  }])
  await store(story, who, 'rpc/import_transactions', {
    p_source: 'Bank',
    p_file_name: 'bank.csv',
    p_account_id: account_id,
    p_rows: [{ name: 'Kiosk', amount: -3, transaction_date: month() }],
  })
  const widget = (type: string, y: number) => ({
    id: type,
    type,
    position: { x: 0, y },
    size: { w: 6, h: 4 },
    config: {},
  })
  const kinds = [
    'stat',
    'cash_flow',
    'distribution',
    'budgets',
    'balances',
    'upcoming',
    'transactions',
  ]
  const [dashboard] = await store(story, who, 'dashboards', [{
    name: 'Alles',
    layout: { widgets: kinds.map((kind, at) => widget(kind, at * 4)) },
  }])
  for (
    const [path, body] of [['api-key', { expiresInDays: 9 }], ['webhook', {
      url: 'http://127.0.0.1:9/',
    }], ['calendar', {}]] as const
  )
    expect((await who.post(`/${path}/create`, { name: 'Tabelle', password, ...body })).status).toBe(
      200,
    )
  return { who, ids: { accountId: account_id, dashboardId: dashboard.id, day: month() } }
}
