/**
 * Requests that probe for rows of others: the database refuses the planner's estimate, and the edge
 * refuses the catalogue. Source:
 * docs/decisions/database.md#no-estimate-and-no-plan-depends-on-strangers-values.
 */
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routineSchemas } from '../../http/openapi/handwritten-schemas.ts'
import { startEdge } from '../edge/support.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

let stack: DataStack
let mine: Caller
let viewer: Caller
/** Ann, through the edge. */
let ann: Caller
let edge: Awaited<ReturnType<typeof startEdge>>

beforeAll(async () => {
  stack = await dataStack()
  edge = await startEdge(stack.url)
  const [owner, vic] = [await stack.person(), await stack.person()]
  mine = stack.as(owner)
  ann = stack.as(owner, undefined, `${edge.url}/data`)
  viewer = stack.as(vic, await stack.organization({ owner, viewer: vic }))
})
afterAll(async () => {
  edge.close()
  await stack.stop()
})

/** Sends a request with exactly these header fields, also several with the same name. */
async function send(
  method: string,
  path: string,
  fields: [string, string][],
  body?: string,
): Promise<{ status: number, text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(stack.url + path, { method, headers: fields.flat() }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      }).on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end(body)
  })
}

/**
 * A table with rows that callers create, one of pairs, and one that they only read.
 * tests/isolation/values.test.ts and tests/attacks/guards.test.ts have all.
 */
const someTables = ['transactions', 'transaction_tags', 'activity']
const functions = ['get_filtered_transactions', 'get_cash_flow', 'delete_category']
const refused = {
  status: 400,
  body: {
    code: 'PGRST122',
    message: expect.stringMatching(/planned/),
    details: null,
    hint: expect.stringContaining('count=exact'),
  },
}

describe("a planner's estimate", () => {
  test.each([
    'count=planned',
    'count=estimated',
    'return=representation, count=planned',
    'handling=strict,count=estimated',
  ])(
    'is refused to everybody, on tables and functions: Prefer: %s',
    async (prefer) => {
      for (const caller of [mine, viewer, stack.anonymous]) {
        for (const table of someTables) {
          expect(await caller.get(`/${table}?limit=1`, { prefer }), table).toMatchObject(refused)
          expect((await caller.head(`/${table}?limit=1`, { prefer })).status).toBe(400)
        }
        for (const name of functions)
          expect(await caller.post(`/rpc/${name}`, {}, { prefer }), name).toMatchObject({
            status: expect.toSatisfy((status: number) => status === 400 || status === 404),
          })
      }
      expect(await mine.post('/rpc/get_cash_flow', {}, { prefer })).toMatchObject(refused)
      expect(await mine.post('/tags', { name: 'x' }, { prefer })).toMatchObject(refused)
      expect((await mine.get('/tags')).body).toEqual([])
    },
  )

  test("a planner's estimate is refused among several Prefer fields, of which the database sees only one", async () => {
    const token = await mine.token()
    for (const table of someTables) {
      for (
        const fields of [['count=planned', 'return=minimal'], ['return=minimal', 'count=planned'], [
          'count=estimated',
          'tx=commit',
        ]]
      ) {
        const { status, text } = await send('GET', `/${table}?limit=1`, [
          ['authorization', `Bearer ${token}`],
          ...fields.map((value): [string, string] => ['prefer', value]),
        ])
        // With few rows the count is exact. Only a count beyond db-max-rows would be the planner's
        // estimate.
        if (status !== 200)
          expect({ status, body: JSON.parse(text) }, `${table} ${fields.join(' | ')}`)
            .toMatchObject(refused)
        else expect(fields[0]).toBe('count=estimated')
      }
    }
  })

  test("a planner's estimate is not available as a query plan either", async () => {
    for (
      const accept of [
        'application/vnd.pgrst.plan',
        'application/vnd.pgrst.plan+json',
        'application/vnd.pgrst.plan+text; options=analyze',
      ]
    ) {
      expect([406, 415]).toContain((await mine.get('/transactions', { accept })).status)
    }
  })

  test("a planner's estimate does not affect an exact count", async () => {
    const { status, headers } = await mine.head('/transactions', { prefer: 'count=exact' })
    expect([status, headers.get('content-range')]).toEqual([200, '*/0'])
  })
})

describe('the catalogue', () => {
  const probes = [
    'auth.users',
    'api.nothing',
    '{auth.users}',
    '{authenticator=r/authenticator}',
    'nobody=r/nobody',
    'uid',
    'authenticator',
  ]
  const types = [
    'regclass',
    'regproc',
    'regprocedure',
    'regrole',
    'regnamespace',
    'regtype',
    'regoper',
    'regconfig',
    'regdictionary',
    'regcollation',
    '_regclass',
    '_regrole',
    'aclitem',
    '_aclitem',
    'pg_namespace',
    'pg_class',
    'oid',
    'xml',
  ]

  beforeAll(async () => {
    await mine.create('tags', probes.map((name) => ({ name })))
    await mine.create('categories', probes.map((name) => ({ name, monthly_budget: 1 })))
  })

  test('the catalogue cannot be read by a cast: the response is the same for every row', async () => {
    for (const type of types) {
      const answers = await Promise.all(
        [
          ...probes.map((name) => `/tags?select=name::${type}&name=eq.${encodeURIComponent(name)}`),
          `/tags?select=name::${type}`,
        ].map((path) => ann.get(path)),
      )
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)), type).toHaveLength(1)
      expect(answers[0]).toMatchObject({
        status: 400,
        body: { hint: expect.stringContaining('text'), details: null },
      })
    }
    expect((await ann.get('/tags?select=name::text,id::uuid&limit=1')).status).toBe(200)
    expect(
      (await ann.get(
        '/transactions?select=amount::text,transaction_date::date,metadata::jsonb,amount::double%20precision',
      )).status,
    ).toBe(200)
  })

  test('the catalogue cannot be read by a cast of embedded, written or returned rows', async () => {
    expect((await ann.get('/tags?select=id,transactions(name::regclass)')).status).toBe(400)
    expect(
      (await ann.post('/tags?select=name::regclass', { name: 'auth.users' }, {
        prefer: 'return=representation',
      })).status,
    ).toBe(400)
    expect((await ann.post('/rpc/get_budget_comparison?select=name::regclass', {})).status).toBe(
      400,
    )
    expect(
      (await ann.post('/rpc/get_filtered_transactions?select=name::regclass', { filters: [] }))
        .status,
    ).toBe(400)
    expect(
      (await ann.post('/rpc/get_filtered_transactions?select=name::text', { filters: [] })).status,
    ).toBe(200)
    expect((await ann.post('/rpc/get_budget_comparison?select=name::regrole', {})).status).toBe(400)
  })
})

describe('the columns and functions that PostgreSQL adds to a table', () => {
  test.each(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid'])(
    'do not include the system column %s, which would reveal writes of others',
    async (column) => {
      const refusal = { status: 400, body: { code: '42703', details: null } }
      expect(await ann.get(`/tags?select=${column}`)).toMatchObject(refusal)
      expect(await ann.get(`/transactions?select=id,categories(${column})`)).toMatchObject(refusal)
      expect(
        await ann.post(`/tags?select=${column}`, { name: 'x' }, {
          prefer: 'return=representation,tx=rollback',
        }),
      ).toMatchObject(refusal)
      expect(
        await ann.patch(`/tags?select=${column}&name=eq.x`, { name: 'y' }, {
          prefer: 'return=representation',
        }),
      ).toMatchObject(refusal)
      // Some types have no order and accept no text, and PostgreSQL reports this first.
      for (
        const path of [
          `/tags?select=id&order=${column}`,
          `/tags?select=id&${column}=eq.1`,
          `/tags?select=id&${column}=not.is.null`,
        ]
      )
        expect([400, 404], path).toContain((await ann.get(path)).status)
    },
  )

  test.each([
    'count',
    'json_agg',
    'array_agg',
    'pg_typeof',
    'row_to_json',
    'record_send',
    'to_jsonb',
    'one_object',
    'pg_column_size',
  ])(
    'the function %s is no column',
    async (name) => {
      // the edge knows the name of an aggregate
      const code = name === 'count' ? 'PGRST123' : '42703'
      expect(await ann.get(`/tags?select=${name}`)).toMatchObject({ status: 400, body: { code } })
      for (
        const path of [
          `/tags?select=id&order=${name}`,
          `/transactions?select=id,categories(${name})`,
        ]
      )
        expect([400, 404], path).toContain(
          (await ann.get(path)).status,
        )
    },
  )

  test("the columns and functions that PostgreSQL adds to a table allow any alias for a column, and the columns of a function's result", async () => {
    expect(
      (await ann.get(
        '/transactions?select=count:amount,xmin:name,category:categories(json_agg:name),...categories(label:name)&limit=1',
      )).status,
    ).toBe(
      200,
    )
    expect(
      (await ann.post('/rpc/get_transaction_distribution_by_category?select=count,share', {
        params: { filters: { preset: 'this_month' } },
      })).status,
    )
      .toBe(200)
  })
})

test('a call with arguments that the function does not accept is refused at once, even if their names are very long', async () => {
  const started = performance.now()
  for (const caller of [mine, stack.anonymous]) {
    for (const name of Object.keys(routineSchemas))
      expect([400, 401, 404], name).toContain(
        (await caller.post(`/rpc/${name}`, { ['k'.repeat(20_000)]: 1 })).status,
      )
  }
  // PostgREST would take a minute for each comparison of such a long name with others.
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(await mine.post('/rpc/get_cash_flow', { period: 1 })).toMatchObject({
    status: 404,
    body: { code: 'PGRST202', hint: expect.stringContaining('periods integer') },
  })
})

test.each([
  'tx = rollback',
  'Tx=rollback',
  'TX=ROLLBACK',
  'tx="rollback"',
  'tx=rollback;x=1',
  'return=minimal;tx=rollback',
  'tx=commit, tx=rollback',
  'tx=rolback',
])('a dry run with another spelling is not ignored: Prefer: %s', async (prefer) => {
  expect(await mine.post('/tags', { name: 'pretended' }, { prefer })).toMatchObject({
    status: 400,
    body: { hint: expect.stringContaining('tx=rollback') },
  })
  expect((await mine.get('/tags?name=eq.pretended')).body).toEqual([])
})
