/**
 * Lists in the form that clients write read only the rows of their page and of earlier pages, for
 * callers with any number of rows. The lists embed other tables and name one context, both or none.
 * PostgREST receives what the edge would send. The tests count all rows that PostgREST's own
 * statements read.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listOf } from '../../edge/lists.ts'
import {
  datasetCallers,
  insertLargeDataset,
  insertTransactionParts,
  memberOfLargestTeam,
} from '../support/large-dataset.ts'
import { dataStack, type Answer, type Caller, type DataStack } from '../support/data.ts'
import { totalRowsReadFrom } from '../support/plans.ts'

const { many, team: { organization: team } } = datasetCallers
const embedded = 'select=*,category:categories(id,name),line_items(*),tags(*)'
const newest = 'order=transaction_date.desc,id'

let stack: DataStack
/** A user with 50,000 rows, alone and with an active team of 100,000. */
let alone: Caller
let inTeam: Caller

beforeAll(async () => {
  stack = await dataStack()
  await insertLargeDataset(stack.owner, 300_000)
  await stack.owner.query('set session_replication_role = replica')
  await insertTransactionParts(stack.owner, many)
  await insertTransactionParts(stack.owner, datasetCallers.team)
  await stack.owner.query('reset session_replication_role')
  await stack.owner.query('vacuum analyze')
  const account = { id: many.user, email: 'x', sessionId: many.session }
  alone = stack.as(account)
  inTeam = stack.as(account, {
    id: team,
    members: new Map([[many.user, memberOfLargestTeam.role ?? 'editor']]),
  })
}, 240_000)
afterAll(() => stack.stop())

/** The ids of the caller's newest rows, by a query of the database owner. */
async function newestOf(where: string, limit: number, offset: number): Promise<string[]> {
  const { rows } = await stack.owner.query<{ id: string }>(
    `select id from api.transactions where ${where} order by transaction_date desc, id limit ${limit} offset ${offset}`,
  )
  return rows.map(({ id }) => id)
}

const personal = `tenant = 'u:${many.user}'`
const ofTeam = `tenant = 'o:${team}'`

/** Sends a request as the edge forwards it. */
async function ask(
  caller: Caller,
  path: string,
  { filters, prefer }: { filters?: unknown[], prefer?: string } = {},
): Promise<Answer> {
  const visible = { personal: `u:${many.user}`, team: caller === inTeam ? `o:${team}` : undefined }
  const list = listOf(filters === undefined ? 'GET' : 'POST', path, prefer, visible)
  const headers = {
    ...(list.page !== undefined && { 'x-page': list.page }),
    ...(prefer !== undefined && { prefer }),
  }
  return filters === undefined
    ? caller.get(list.path, headers)
    : caller.post(list.path, { filters }, headers)
}

const tables = ['transactions', 'line_items', 'transaction_tags', 'tags']

/** Sends the request, and checks its page and the number of rows read of each table. */
async function expectRead(
  send: () => Promise<Answer>,
  page: string[],
  limit: number,
): Promise<void> {
  const before = await totalRowsReadFrom(stack, tables)
  const { status, body } = await send()
  expect(status, JSON.stringify(body).slice(0, 300)).toBe(200)
  expect(body.map(({ id }: { id: string }) => id)).toEqual(page)
  const after = await totalRowsReadFrom(stack, tables)
  const read = after.map((rows, at) => rows - (before[at] ?? 0))
  expect(Math.max(...read), tables.map((table, at) => `${table}: ${read[at]}`).join(', '))
    .toBeLessThanOrEqual(limit)
}

/**
 * A bound of rows: twice the page, the earlier rows, and the rest of the page's oldest day. A user
 * has fifty rows a day here, a team a hundred. The row policy reads the dates of the page from an
 * index. Rows that VACUUM has not marked as visible to all are also read from the table.
 */
const most = (offset: number) => 2 * (offset + 50 + 250)

describe.each(
  [
    ['a person of 50,000 rows, nothing named', () => alone, '', personal],
    ['a person of 50,000 rows, as personal', () => alone, 'organization_id=is.null&', personal],
    [
      'a person of 50,000 rows, the context named',
      () => alone,
      `tenant=eq.u:${many.user}&`,
      personal,
    ],
    [
      'a person of 50,000 rows, with a status',
      () => alone,
      'status=eq.paid&',
      `${personal} and status = 'paid'`,
    ],
    [
      'a person of 50,000 rows, with either of two conditions',
      () => alone,
      'or=(status.eq.paid,amount.gt.0)&',
      `${personal} and (status = 'paid' or amount > 0)`,
    ],
    [
      'the person with a team of 100,000 active, nothing named',
      () => inTeam,
      '',
      `${personal} or ${ofTeam}`,
    ],
    [
      'the person with the team active, as personal',
      () => inTeam,
      'organization_id=is.null&',
      personal,
    ],
    [
      'the person with the team active, its organization named',
      () => inTeam,
      `organization_id=eq.${team}&`,
      ofTeam,
    ],
    [
      'the person with the team active, the team named',
      () => inTeam,
      `tenant=eq.o:${team}&`,
      ofTeam,
    ],
  ] as const,
)('%s', (_, caller, context, where) => {
  test.each([['the first page', 0], ['the twentieth page', 950]])(
    'reads %s',
    async (__, offset) => {
      const page = await newestOf(where, 50, offset)
      const list = `/transactions?${context}${embedded}&${newest}&limit=50&offset=${offset}`
      await expectRead(() => ask(caller(), list), page, most(offset))
    },
  )
})

describe.each(
  [
    ['a person of 50,000 rows', () => alone, personal],
    ['the person with a team of 100,000 active', () => inTeam, `${personal} or ${ofTeam}`],
  ] as const,
)('%s', (_, caller, where) => {
  test.each([['the first page', 0], ['the twentieth page', 950]])(
    'reads %s of get_filtered_transactions, with the order named',
    async (__, offset) => {
      const page = await newestOf(where, 50, offset)
      const list = `/rpc/get_filtered_transactions?${embedded}&${newest}&limit=50&offset=${offset}`
      // Its steps read up to twice as many.
      await expectRead(() => ask(caller(), list, { filters: [] }), page, 2 * most(offset))
    },
  )

  test('reads the first page of a list without embedding only in the order of dates', async () => {
    const { status, body } = await ask(
      caller(),
      '/transactions?select=transaction_date&order=transaction_date.desc&limit=50',
    )
    expect(status).toBe(200)
    const before = await totalRowsReadFrom(stack, tables)
    expect(
      (await ask(
        caller(),
        '/transactions?select=transaction_date&order=transaction_date.desc&limit=50',
      )).body,
    ).toEqual(body)
    const [after = 0] = await totalRowsReadFrom(stack, tables)
    expect(after - (before[0] ?? 0)).toBeLessThanOrEqual(most(0))
  })
})
