/** Random queries through the edge to the real PostgREST. Every response contains only values of the selected row. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { startEdge } from './support.ts'

let stack: DataStack
let edge: Awaited<ReturnType<typeof startEdge>>
let ann: Caller
beforeAll(async () => {
  stack = await dataStack()
  edge = await startEdge(stack.url)
  ann = stack.as(await stack.person(), undefined, `${edge.url}/data`)
  const { id } = await ann.create('categories', { name: 'Groceries of Ann' })
  await ann.create('transactions', { name: 'Bread of Ann', amount: -12.34, category_id: id, metadata: { count: 'in JSON', xmin: 'in JSON' } })
})
afterAll(async () => {
  edge.close()
  await stack.stop()
})

/** The values of the columns that the queries below select. */
const values = new Set(['Bread of Ann', 'Groceries of Ann', -12.34, '-12.34', 'usd', 'in JSON', '"in JSON"', null])

const columns = ['name', 'amount', 'currency', '"name"', 'metadata->>count', 'metadata->xmin', 'metadata->"a,count,b"', 'name->"a']
const others = [
  'count',
  'pg_typeof',
  'xmin',
  'ctid',
  'tableoid',
  'json_agg',
  'row_to_json',
  'to_jsonb',
  '"count"',
  '"json_agg"',
  'record_out',
  'array_agg',
  'id"',
]
const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...columns) }, fc.constantFrom(...others))
const alias = fc.constantFrom('', '', 'a:', 'count:', '"b,c":', '"(d":', '"e\\"f":', ' ', ':')
const cast = fc.constantFrom('', '', '', '::text', '::TEXT', '::regrole', '::oid', ':: text', '::xml', '.sum()', '->count')
const column = fc.tuple(alias, name, cast).map((parts) => parts.join(''))
const list = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','))
// Without a table before it, `...` selects all columns.
const embedding = fc.tuple(fc.oneof(alias, fc.constant('...')), fc.constantFrom('categories', 'categories!inner', '"categories"'), list(column))
  .map(([before, table, inner]) => `${before}${table}(${inner.replaceAll(/amount|currency|metadata/g, 'name')})`)
const select = list(fc.oneof({ weight: 4, arbitrary: column }, embedding))
const more = fc.oneof(
  fc.constant(''),
  column.map((item) => `&order=${item}.desc`),
  fc.tuple(name, fc.constantFrom('not.is.null', 'neq.1', 'not.in.(1)')).map(([filtered, value]) => `&${filtered}=${value}`),
  fc.tuple(name, fc.constantFrom('a"', '"a', 'a')).map(([filtered, value]) => `&or=(name.in.(${value}),${filtered}.not.is.null,name.eq.${value})`),
)
/** Percent-encodes some characters. */
const query = fc.tuple(select, more, fc.integer({ min: 2, max: 12 })).map(([selected, rest, every]) =>
  `select=${selected}${rest}`.replaceAll(/[^&=%]/g, (character, at: number) => (at % every === 0 ? encodeURIComponent(character) : character))
)

const leaves = (body: unknown): unknown[] => typeof body === 'object' && body !== null ? Object.values(body).flatMap(leaves) : [body]

test('no query reads a function, a system column or the catalogue', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(query, async (sent) => {
      const { status, body, text } = await ann.get(`/transactions?${sent}`)
      expect(status, text).toBeLessThan(500)
      // PostgREST treats a select that it cannot parse as all columns of the table.
      if (status !== 200 || body.some((row: object) => 'created_at' in row)) return
      answered += 1
      expect(leaves(body).filter((value) => !values.has(value as string))).toEqual([])
    }),
    { numRuns: 600 },
  )
  expect(answered).toBeGreaterThan(20)
})
