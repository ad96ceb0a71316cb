/**
 * Lists that the edge tells the database to read only in part, and what clients see of it: nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listOf, withoutTenant } from '../../edge/lists.ts'
import { team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const ann = { personal: 'u:ann', team: undefined }
const annInTeam = { personal: 'u:ann', team: 'o:team' }
const teamKey = { personal: undefined, team: 'o:team' }
const newest = 'order=transaction_date.desc,id&limit=50'

describe('a caller with one visible tenant', () => {
  test.each([
    ['/tags', '/tags?tenant=eq.u%3Aann'],
    ['/transactions?status=eq.paid', '/transactions?status=eq.paid&tenant=eq.u%3Aann'],
    [
      '/transactions?or=(amount.gt.0,status.eq.paid)',
      '/transactions?or=(amount.gt.0,status.eq.paid)&tenant=eq.u%3Aann',
    ],
    [
      '/transactions?select=*,tags!inner(*)',
      '/transactions?select=*,tags!inner(*)&tenant=eq.u%3Aann',
    ],
  ])('sends %s, and the edge names the tenant', (path, named) => {
    for (const method of ['GET', 'HEAD'])
      expect(listOf(method, path, 'count=exact', ann)).toEqual({ path: named, page: undefined })
    expect(listOf('GET', path, undefined, teamKey).path).toBe(named.replace('u%3Aann', 'o%3Ateam'))
  })

  test.each([
    '/tags?tenant=eq.u:ben',
    '/tags?organization_id=eq.another',
    '/app_subscriptions',
    '/',
    '/rpc/get_balances',
    '/tags?a=%zz&tenant=x',
  ])(
    'sends %s, and the edge adds nothing',
    (path) => expect(listOf('GET', path, undefined, ann)).toEqual({ path, page: undefined }),
  )

  test('writes, and the edge adds nothing', () => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])
      expect(listOf(method, '/tags?name=eq.x', undefined, ann).path).toBe('/tags?name=eq.x')
  })
})

describe('a caller with an active team', () => {
  test.each([
    ['/tags?organization_id=is.null', 'u%3Aann'],
    ['/tags?organization_id=eq.team', 'o%3Ateam'],
  ])(
    'names the organization in %s, and the edge names the tenant',
    (path, tenant) =>
      expect(listOf('GET', path, undefined, annInTeam).path).toBe(`${path}&tenant=eq.${tenant}`),
  )

  test.each([
    [`/transactions?${newest}`, 50],
    [`/transactions?select=*,category:categories(name),tags(*)&${newest}&offset=950`, 1_000],
    ['/transactions?order=transaction_date.desc&limit=1', 1],
  ])(
    'sends %s, and the edge names the last row of the page',
    (path, last) =>
      expect(listOf('GET', path, undefined, annInTeam)).toEqual({
        path,
        page: `transactions ${last}`,
      }),
  )

  test.each([
    ['a filter', `/transactions?${newest}&status=eq.paid`],
    ['another order', '/transactions?order=transaction_date.asc&limit=50'],
    [
      'an order by another column first',
      '/transactions?order=amount,transaction_date.desc&limit=50',
    ],
    ['no order', '/transactions?limit=50'],
    ['no limit', '/transactions?order=transaction_date.desc'],
    ['an inner embedding', `/transactions?select=*,tags!inner(*)&${newest}`],
    [
      'the table in an embedding',
      `/transactions?select=*,category:categories(transactions(*))&${newest}`,
    ],
    ['a filter of an embedded table', `/transactions?select=*,tags(*)&tags.name=eq.x&${newest}`],
    ['two limits', `/transactions?${newest}&limit=10`],
    ['another table', `/tags?${newest}`],
  ])(
    'sends a list with %s, which the edge forwards as it is',
    (_, path) =>
      expect(listOf('GET', path, undefined, annInTeam)).toEqual({ path, page: undefined }),
  )

  test('asks for a count, and the edge names no page', () =>
    expect(
      listOf('GET', `/transactions?${newest}`, 'return=representation, count=exact', annInTeam)
        .page,
    ).toBeUndefined())
})

test('a page of get_filtered_transactions has its last row, unless its order is another', () => {
  const page = (path: string) =>
    listOf('POST', `/rpc/get_filtered_transactions${path}`, undefined, ann).page
  expect(
    ['?limit=20', `?${newest}`, '?limit=20&order=amount', '?limit=20&status=eq.paid', ''].map(page),
  ).toEqual([
    'get_filtered_transactions 20',
    'get_filtered_transactions 50',
    undefined,
    undefined,
    undefined,
  ])
})

test('the Content-Location of a response has no tenant that the client did not send', () =>
  expect(
    [
      '/tags?tenant=eq.u%3Aann',
      '/tags?name=eq.x&tenant=eq.u%3Aann',
      '/tags?tenant=eq.u%3Aann&type=eq.x',
    ].map(withoutTenant),
  ).toEqual([
    '/tags',
    '/tags?name=eq.x',
    '/tags?type=eq.x',
  ]))

describe('through the edge', () => {
  let stack: Stack
  let authorization: string
  const send = (
    path: string,
    { headers, ...init }: { method?: string, body?: string, headers?: Record<string, string> } = {},
  ) =>
    fetch(`${stack.url}/data${path}`, {
      ...init,
      headers: { authorization, 'content-type': 'application/json', ...headers },
    })
  beforeAll(async () => {
    stack = await startStack({ data: true })
    authorization = `Bearer ${await (await team(stack, [])).owner.token()}`
    for (const n of [0, 1, 2, 3]) {
      const row = {
        name: `row ${n}`,
        amount: n,
        transaction_date: `2025-01-0${n + 1}`,
        ...(n % 2 === 0 && { organization_id: null }),
      }
      expect((await send('/transactions', { method: 'POST', body: JSON.stringify(row) })).status)
        .toBe(201)
    }
  })
  afterAll(() => stack.close())

  const names = async (path: string, headers: Record<string, string> = {}) =>
    (await (await send(path, { headers })).json() as { name: string }[]).map(({ name }) => name)

  test('an owner sees the newest rows of both tenants, page by page', async () => {
    const page = (offset: number) =>
      names(`/transactions?select=name&order=transaction_date.desc&limit=2&offset=${offset}`)
    expect([await page(0), await page(2), await page(4)]).toEqual([['row 3', 'row 2'], [
      'row 1',
      'row 0',
    ], []])
  })

  test('an owner who forges the header of the edge sees all rows', async () => {
    const headers = { 'x-page': 'transactions 1' }
    expect(await names('/transactions?select=name&order=name', headers)).toEqual([
      'row 0',
      'row 1',
      'row 2',
      'row 3',
    ])
    expect(await names('/transactions?select=name&order=transaction_date.desc&limit=3', headers))
      .toEqual(['row 3', 'row 2', 'row 1'])
  })

  test('an owner who names a context sees its rows, and the address that they sent', async () => {
    const response = await send('/transactions?select=name&organization_id=is.null&order=name')
    expect((await response.json() as { name: string }[]).map(({ name }) => name)).toEqual([
      'row 0',
      'row 2',
    ])
    expect(response.headers.get('content-location')).toBe(
      '/data/transactions?order=name&organization_id=is.null&select=name',
    )
  })
})
