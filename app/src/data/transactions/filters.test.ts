/**
 * Filters of transactions in the reference app: from the page's address to a query of the data
 * surface.
 */
import { PostgrestClient } from '@supabase/postgrest-js'
import { expect, test } from 'vitest'
import {
  comparing,
  cursorOf,
  inOrder,
  isBefore,
  isFiltered,
  narrowed,
  reportFilters,
  viewOf,
} from './filters.ts'

const food = '11111111-1111-4111-8111-111111111111'

/** Returns the parameters of the request that the client sends for a query. */
async function requestParameters(
  build: (query: ReturnType<typeof all>) => PromiseLike<unknown>,
): Promise<string[]> {
  let address = ''
  const client = new PostgrestClient('http://data', {
    fetch: (url) => {
      if (typeof url === 'string') address = url
      return Promise.resolve(Response.json([]))
    },
  })
  await build(client.from('transactions').select('*'))
  return [...new URL(address).searchParams].slice(1).map(([name, value]) => `${name}=${value}`)
}
const all = () => new PostgrestClient('http://data').from('transactions').select('*')

test('a made-up address keeps only its valid filters', () => {
  const search = {
    search: ' rent ',
    category: 'none',
    account: 'Giro',
    side: 'left',
    status: 'lost',
    currency: 'EUR',
    from: '2025-13-01',
    to: '2025-01-31',
    sort: 'id',
    more: 1,
  }
  expect(viewOf(search)).toEqual({ search: 'rent', category: 'none', to: '2025-01-31' })
  // the router turns digits into a number
  expect(viewOf({ search: 2025 })).toEqual({ search: '2025' })
  expect(isFiltered(viewOf({ sort: 'amount' }))).toBe(false)
  expect(isFiltered(viewOf({ tag: 'weekly' }))).toBe(true)
})

test('a query of rows and a report get the same filters', async () => {
  const view = viewOf({
    search: '50%, "Çà"',
    category: food,
    account: 'none',
    tag: 'weekly',
    side: 'out',
    status: 'paid',
    currency: 'eur',
    from: '2025-01-01',
    to: '2025-02-28',
  })
  expect(await requestParameters((query) => narrowed(query, view, []))).toEqual([
    'search_text=like.*50\\%, "ca"*',
    `category_id=eq.${food}`,
    'account_id=is.null',
    'tagged.name=eq.weekly',
    'amount=lt.0',
    'status=eq.paid',
    'currency=eq.eur',
    // the range includes its last day
    'or=(and(booked_on.gte.2025-01-01,booked_on.lte.2025-02-28),and(booked_on.is.null,transaction_date.gte.2025-01-01,transaction_date.lt.2025-03-01))',
    'transaction_date=gte.2024-12-31T10:00:00.000Z',
    'transaction_date=lt.2025-03-01T12:00:00.000Z',
  ])
  expect(reportFilters(view, [])).toEqual([
    { field: 'search', operation: 'contains', value: '50%, "Çà"' },
    { field: 'category_id', operation: 'eq', value: food },
    { field: 'account_id', operation: 'is_null', value: true },
    { field: 'tag', operation: 'eq', value: 'weekly' },
    { field: 'amount', operation: 'lt', value: 0 },
    { field: 'status', operation: 'eq', value: 'paid' },
    { field: 'currency', operation: 'eq', value: 'eur' },
    { field: 'transaction_date', operation: 'from', value: '2025-01-01' },
    { field: 'transaction_date', operation: 'to', value: '2025-02-28' },
  ])
})

test('a parent category includes its subcategories', async () => {
  const fuel = '22222222-2222-4222-8222-222222222222'
  expect(viewOf({ parent: 'none' })).toEqual({})
  const view = viewOf({ parent: food })
  expect(await requestParameters((query) => narrowed(query, view, [fuel]))).toEqual([
    `category_id=in.(${food},${fuel})`,
  ])
  expect(reportFilters(view, [fuel])).toEqual([{
    field: 'category_id',
    operation: 'in',
    value: [food, fuel],
  }])
})

test('the next page begins behind the last row, also among rows of one value', async () => {
  const row = {
    id: food,
    sort_name: 'rent',
    amount: -900,
    transaction_date: '2025-01-31T00:00:00+00:00',
    created_at: '2025-02-01T08:00:00.5+00:00',
  }
  expect(
    await requestParameters((query) =>
      inOrder(query, '-transaction_date', cursorOf(row, '-transaction_date'))
    ),
  ).toEqual([
    [
      'or=(transaction_date.lt."2025-01-31T00:00:00+00:00"',
      'and(transaction_date.eq."2025-01-31T00:00:00+00:00",created_at.lt."2025-02-01T08:00:00.5+00:00")',
      `and(transaction_date.eq."2025-01-31T00:00:00+00:00",created_at.eq."2025-02-01T08:00:00.5+00:00",id.lt.${food}))`,
    ].join(),
    'transaction_date=lte.2025-01-31T00:00:00+00:00',
    'order=transaction_date.desc,created_at.desc,id.desc',
  ])
  expect(await requestParameters((query) => inOrder(query, 'amount', cursorOf(row, 'amount'))))
    .toEqual([
      [
        'or=(amount.gt."-900"',
        'and(amount.eq."-900",created_at.gt."2025-02-01T08:00:00.5+00:00")',
        `and(amount.eq."-900",created_at.eq."2025-02-01T08:00:00.5+00:00",id.gt.${food}))`,
      ].join(),
      'order=amount.asc,created_at.asc,id.asc',
    ])
  expect(await requestParameters((query) => inOrder(query, 'name', cursorOf(row, 'name')))).toEqual(
    [
      [
        'or=(sort_name.gt."rent"',
        'and(sort_name.eq."rent",created_at.gt."2025-02-01T08:00:00.5+00:00")',
        `and(sort_name.eq."rent",created_at.eq."2025-02-01T08:00:00.5+00:00",id.gt.${food}))`,
      ].join(),
      'order=sort_name.asc,created_at.asc,id.asc',
    ],
  )
  const later = { ...row, id: '22222222-2222-4222-8222-222222222222' }
  expect([row, later].toSorted(comparing('-transaction_date'))).toEqual([later, row])
  // the row that was created last is the first one of its day
  const newest = { ...row, created_at: '2025-02-01T08:00:00.51+00:00' }
  expect([row, later, newest].toSorted(comparing('-transaction_date'))).toEqual([
    newest,
    later,
    row,
  ])
  // the row of the cursor still belongs to the page before it
  expect(isBefore(row, cursorOf(row, '-transaction_date'), '-transaction_date')).toBe(true)
  expect(isBefore(row, cursorOf(later, '-transaction_date'), '-transaction_date')).toBe(false)
})
