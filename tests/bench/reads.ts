/**
 * Measures reads: PostgREST's statement under the row rules, against handwritten SQL without them.
 * Both run in turn, directly in the database on one connection each. edge.ts and throughput.ts
 * measure HTTP.
 */
import pg from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  datasetCallers,
  categoryOf,
  tenantOf,
  type DatasetCaller,
} from '../support/large-dataset.ts'
import { medians, type Figure } from './figures.ts'
import type { Ask, BenchStack } from './stack.ts'

type Case = {
  work: string
  who: DatasetCaller
  path: string
  body?: unknown
  headers?: Record<string, string>
  /** Handwritten SQL for the same rows, with its parameters. */
  handwritten: string
  values: unknown[]
  aim: number
}

const day = 86_400_000
const [monthFrom, monthTo] = [180, 150].map((days) =>
  new Date(Date.now() - days * day).toISOString().slice(0, 10)
) as [string, string]
const ofTenant = 'tenant = $1'
const newest = 'order by transaction_date desc limit 50'

function lists(who: DatasetCaller, name: string): Case[] {
  const tenant = tenantOf(who)
  const filter = `tenant=eq.${tenant}`
  const list = (what: string, more: string, sql: string, values: unknown[], aim: number): Case => ({
    work: `${name}: ${what}`,
    who,
    path: `/transactions?${filter}${more}&order=transaction_date.desc&limit=50`,
    handwritten: `select * from api.transactions where ${ofTenant} ${sql} ${newest}`,
    values: [tenant, ...values],
    aim,
  })
  return [
    list('newest 50', '', '', [], 1.3),
    {
      ...list('its twentieth page', '', '', [], 1.3),
      path: `/transactions?${filter}&order=transaction_date.desc&limit=50&offset=950`,
      handwritten: `select * from api.transactions where ${ofTenant} ${newest} offset 950`,
    },
    list(
      'with a month',
      `&transaction_date=gte.${monthFrom}&transaction_date=lt.${monthTo}`,
      'and transaction_date >= $2 and transaction_date < $3',
      [monthFrom, monthTo],
      1.5,
    ),
    list('with name=ilike', '&name=ilike.*coffee*', 'and name ilike $2', ['%coffee%'], 1.5),
    list('with a category', `&category_id=eq.${categoryOf(who)}`, 'and category_id = $2', [
      categoryOf(who),
    ], 1.5),
    list('with a status', '&status=eq.failed', 'and status = $2', ['failed'], 1.5),
  ]
}

const cases: Case[] = [
  ...lists(datasetCallers.team, 'a team of 100,000 rows'),
  ...lists(datasetCallers.many, '50,000 personal rows'),
  ...[['newest 50', '&order=transaction_date.desc', 'order by transaction_date desc'], [
    'unordered 50',
    '',
    '',
  ], ['order=id', '&order=id', 'order by id']].map(
    ([what, order, sql]): Case => ({
      work: `a caller with 49 rows: ${what}`,
      who: datasetCallers.few,
      path: `/transactions?limit=50${order}`,
      handwritten: `select * from api.transactions where ${ofTenant} ${sql} limit 50`,
      values: [tenantOf(datasetCallers.few)],
      aim: 1.3,
    }),
  ),
  {
    work: 'exact count of the team',
    who: datasetCallers.team,
    path: `/transactions?tenant=eq.${tenantOf(datasetCallers.team)}&select=id&limit=1`,
    headers: { prefer: 'count=exact' },
    handwritten: `select count(*) from api.transactions where ${ofTenant}`,
    values: [tenantOf(datasetCallers.team)],
    aim: 2,
  },
  {
    work: 'sum by category of the team',
    who: datasetCallers.team,
    path: '/rpc/get_transaction_distribution_by_category',
    body: { params: {} },
    handwritten: `select g.*, c.name from (
      select category_id, currency, sum(amount), count(*) from api.transactions where ${ofTenant} and status <> 'failed' and transfer_id is null group by 1, 2
    ) g left join api.categories c on c.id = g.category_id`,
    values: [tenantOf(datasetCallers.team)],
    aim: 1.5,
  },
  {
    work: 'stat of the team',
    who: datasetCallers.team,
    path: '/rpc/get_transaction_stat',
    body: {},
    handwritten:
      `select sum(amount) from api.transactions where ${ofTenant} and currency = 'usd' and status <> 'failed' and transfer_id is null`,
    values: [tenantOf(datasetCallers.team)],
    aim: 1.5,
  },
  {
    work: 'cash flow of the team',
    who: datasetCallers.team,
    path: '/rpc/get_cash_flow',
    body: {},
    handwritten:
      `select date_trunc('month', transaction_date), currency, sum(amount) filter (where amount > 0), -sum(amount) filter (where amount < 0)
      from api.transactions where ${ofTenant} and status <> 'failed' and transfer_id is null and transaction_date >= date_trunc('month', now()) - interval '11 months' group by 1, 2`,
    values: [tenantOf(datasetCallers.team)],
    aim: 1.3,
  },
]

/**
 * Returns PostgREST's statement for a request with its parameters. A table lock holds the
 * statement, so that pg_stat_activity shows it.
 */
async function statementFor(
  { path, body, headers }: Case,
  ask: Ask,
  { owner, url }: BenchStack,
): Promise<{ text: string, values: unknown[] }> {
  const lock = new pg.Client({ connectionString: url })
  await lock.connect()
  await lock.query('begin; lock table api.transactions in access exclusive mode')
  const response = ask(path, body, headers)
  try {
    for (;;) {
      const { rows: [waiting] } = await owner.query<{ query: string }>(
        `select query from pg_stat_activity where usename = 'authenticator' and wait_event_type = 'Lock' and query like 'WITH pgrst_source%'`,
      )
      // PostgREST sets the type of this parameter in the protocol
      if (waiting !== undefined)
        return {
          text: waiting.query.replace('$1 AS json_data', '$1::json AS json_data'),
          values: valuesOf(waiting.query, path, body),
        }
      await sleep(5)
    }
  } finally {
    await lock.end()
    await response
  }
}

/**
 * Returns PostgREST's parameters: the body, the filters in their order, limit and offset, and for a
 * count the filters again.
 */
function valuesOf(statement: string, path: string, body: unknown): unknown[] {
  const query = new URLSearchParams(path.split('?')[1])
  const filters = [...query].filter(([name, value]) =>
    !['order', 'limit', 'offset', 'select'].includes(name) && value !== 'is.null'
  )
    .map(([, value]) => value.replace(/^\w+[.]/, '').replaceAll('*', '%'))
  // the default limit is db-max-rows
  const page = [query.get('limit') ?? '10000', query.get('offset') ?? '0']
  const needed = Math.max(
    ...[...statement.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)),
    0,
  )
  return [
    ...(statement.includes('json_data') ? [JSON.stringify(body)] : []),
    ...filters,
    ...page,
    ...filters,
  ].slice(0, needed)
}

/**
 * Runs a statement in a transaction with PostgREST's settings. Returns the time of the statement
 * without the settings, in milliseconds.
 */
async function timed(
  client: pg.Client,
  settings: string[],
  name: string,
  text: string,
  values: unknown[],
): Promise<number> {
  await client.query('begin')
  for (const setting of settings) await client.query(setting)
  const started = performance.now()
  await client.query({ name, text, values })
  const ms = performance.now() - started
  await client.query('commit')
  return ms
}

const settingsOf = (roles: { setting: string }[], { user, organization }: DatasetCaller) => [
  ...roles.map(({ setting }) =>
    `select set_config('${setting.split('=')[0]}', '${
      setting.split('=').slice(1).join('=')
    }', true)`
  ),
  'set local role authenticated',
  `select set_config('request.jwt.claims', '${
    JSON.stringify({
      user_id: user,
      claims: organization === undefined
        ? {}
        : { organization_id: organization, organization_role: 'owner' },
    })
  }', true)`,
]

/** A case on one database. Each call measures it once, in milliseconds. */
type Runner = { ours: () => Promise<number>, handwritten: () => Promise<number> }

/** Opens connections for the cases; `resources` closes them. */
async function runnersOn(
  stack: BenchStack,
  resources: AsyncDisposableStack,
): Promise<(each: Case) => Promise<Runner>> {
  const connected = async (url: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    resources.defer(() => client.end())
    return client
  }
  const as = new URL(stack.url)
  as.username = 'authenticator'
  as.password = 'authenticator'
  const [caller, hand] = [await connected(as.href), await connected(stack.url)]
  const { rows: settings } = await stack.owner.query<{ setting: string }>(
    `select unnest(rolconfig) as setting from pg_roles where rolname = 'authenticated'`,
  )
  const askAs = await stack.postgrest()
  return async (each) => {
    const { text, values } = await statementFor(each, await askAs(each.who), stack)
    const callerSettings = settingsOf(settings, each.who)
    return {
      ours: () => timed(caller, callerSettings, each.work, text, values),
      handwritten: () =>
        timed(
          hand,
          [],
          each.work,
          `select coalesce(json_agg(t), '[]') from (${each.handwritten}) t`,
          each.values,
        ),
    }
  }
}

/** @param stack a stack with the data of `insertLargeDataset` */
export async function readFigures(stack: BenchStack, rounds = 60): Promise<Figure[]> {
  await using resources = new AsyncDisposableStack()
  const runner = await runnersOn(stack, resources)
  const figures: Figure[] = []
  for (const each of cases) {
    const { ours, handwritten } = await runner(each)
    const [one, other] = await medians(ours, handwritten, rounds)
    figures.push({
      work: each.work,
      against: 'handwritten SQL',
      ratio: one / other,
      aim: each.aim,
      unit: 'times',
      note: `${one.toFixed(2)} ms`,
    })
  }
  return figures
}

/**
 * Measures each list on two databases in turn: the larger one has ten times as many rows of other
 * users.
 */
export async function growthFigures(
  small: BenchStack,
  large: BenchStack,
  rounds = 60,
): Promise<Figure[]> {
  await using resources = new AsyncDisposableStack()
  const [onSmall, onLarge] = [await runnersOn(small, resources), await runnersOn(large, resources)]
  const figures: Figure[] = []
  for (
    const each of cases.filter(({ body, headers }) => body === undefined && headers === undefined)
  ) {
    const [one, other] = await medians(
      (await onLarge(each)).ours,
      (await onSmall(each)).ours,
      rounds,
    )
    figures.push({
      work: each.work,
      against: 'itself with a tenth of the rows',
      ratio: one / other,
      aim: 1.2,
      unit: 'times',
      note: `${one.toFixed(2)} ms`,
    })
  }
  return figures
}
