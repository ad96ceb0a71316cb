/**
 * Queries that the edge refuses on every table and every function: casts that look up names,
 * functions and system columns used as columns, and estimated counts. Generated from the catalogue,
 * so they cover new tables and functions.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routineSchemas } from '../../http/openapi/handwritten-schemas.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { startEdge } from '../edge/support.ts'
import { readCatalogue, type Catalogue, type Table } from '../isolation/catalogue.ts'

let stack: DataStack
let edge: Awaited<ReturnType<typeof startEdge>>
let ann: Caller
let catalogue: Catalogue
/** The columns that each function returns. Empty for a function that returns one value. */
let columnsOf: Map<string, string[]>

beforeAll(async () => {
  stack = await dataStack()
  edge = await startEdge(stack.url)
  ann = stack.as(await stack.person(), undefined, `${edge.url}/data`)
  catalogue = await readCatalogue(stack.owner)
  const { rows } = await stack.owner.query<{ name: string, columns: string[] | null }>(`
    select p.proname as name, coalesce(
      (select array_agg(a.name::text) from unnest(p.proargnames, p.proargmodes) as a (name, mode) where a.mode = 't'),
      (select array_agg(a.attname::text) from pg_attribute a join pg_class c on c.oid = a.attrelid where c.reltype = p.prorettype and a.attnum > 0 and not a.attisdropped)
    ) as columns
    from pg_proc p where p.pronamespace = 'api'::regnamespace and p.prokind = 'f' and p.proargnames is not null`)
  columnsOf = new Map(rows.map(({ name, columns }) => [name, columns ?? []]))
  // Stores existing role names, so that an accepted cast would find a row.
  await ann.create('accounts', [{ name: 'postgres', type: 'cash' }, {
    name: 'authenticator',
    type: 'savings',
  }])
  await ann.create('tags', { name: 'postgres' })
  await ann.create('transactions', { name: 'postgres', amount: 1 })
})
afterAll(async () => {
  edge.close()
  await stack.stop()
})

const types = [
  'regclass',
  'regrole',
  'regproc',
  'regprocedure',
  'regnamespace',
  'regtype',
  'regconfig',
  'aclitem',
  'oid',
  '_regrole',
  'pg_class',
  'xml',
]
const functions = [
  'count',
  'json_agg',
  'row_to_json',
  'pg_typeof',
  'to_jsonb',
  'array_agg',
  'record_out',
  'one_object',
]
const systemColumns = ['ctid', 'xmin', 'tableoid']
const estimates = ['count=planned', 'count=estimated', 'tx=rollback, count=planned']

type Query = { path: string, headers?: Record<string, string> }
/** @param columns the existing columns */
function* queriesOf(columns: string[], table: Table | undefined): Generator<Query> {
  const [column = 'pgrst_scalar'] = columns.filter((name) =>
    /name|title|verdict|month|currency/.test(name)
  )
  for (const type of types) {
    yield { path: `select=${column}::${type}` }
    yield { path: `select=renamed:${column}::${type}`, headers: { prefer: 'tx=rollback' } }
    for (const reference of table?.references ?? [])
      yield { path: `select=e:${reference.table}!${reference.name}(id::${type})` }
  }
  for (const name of [...functions, ...systemColumns].filter((one) => !columns.includes(one))) {
    yield { path: `select=${name}` }
    yield { path: `select=x:${name}` }
    yield { path: `select=${column}&order=${name}` }
    yield { path: `select=${column}&${name}=eq.1` }
    yield { path: `select=${column}&${name}=not.is.null` }
    for (const reference of table?.references ?? [])
      yield { path: `select=e:${reference.table}!${reference.name}(${name})` }
  }
  for (const prefer of estimates) yield { path: '', headers: { prefer } }
}

/** Sends all queries. @returns the accepted ones */
async function acceptedQueries(): Promise<string[]> {
  const granted: string[] = []
  const sendQuery = async (
    what: string,
    ask: () => Promise<{ status: number, text: string }>,
  ): Promise<void> => {
    const { status, text } = await ask()
    // PostgreSQL returns 404 for an operator that a type lacks, before it reads anything.
    if (status !== 400 && !(status === 404 && text.includes('42883')))
      granted.push(`${what}: ${status} ${text.slice(0, 120)}`)
  }
  for (const table of catalogue.tables) {
    for (const { path, headers } of queriesOf(table.columns.map(({ name }) => name), table)) {
      await sendQuery(
        `GET /${table.name}?${path} ${headers?.['prefer'] ?? ''}`,
        () => ann.get(`/${table.name}?${path}`, headers),
      )
    }
  }
  for (const [name, columns] of columnsOf) {
    const { returns } = catalogue.signatures.find((one) => one.name === name) ?? {}
    const table = catalogue.tables.find((one) => one.name === returns)
    for (const { path, headers } of queriesOf(columns, table)) {
      await sendQuery(
        `POST /rpc/${name}?${path} ${headers?.['prefer'] ?? ''}`,
        () => ann.post(`/rpc/${name}?${path}`, routineSchemas[name]?.example ?? {}, headers),
      )
    }
  }
  return granted
}

test('casts to catalogue types, functions as columns, system columns and estimates are generated for every table and for every callable function', () => {
  expect(catalogue.tables.length).toBeGreaterThan(10)
  expect([...columnsOf.keys()].toSorted()).toEqual(Object.keys(routineSchemas).toSorted())
})

test('casts to catalogue types, functions as columns, system columns and estimates are refused', {
  timeout: 300_000,
}, async () => {
  expect(await acceptedQueries()).toEqual([])
})
