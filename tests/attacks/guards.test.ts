/**
 * Queries that the edge refuses on every table and every function: casts that look up names, functions and system columns in place of
 * columns, and estimates. Generated from the catalogue, so a new table or function is asked too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routineSchemas } from '../../description/handwritten-schemas.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'
import { startEdge } from '../edge/support.ts'
import { readCatalogue, type Catalogue, type Table } from '../isolation/catalogue.ts'

let stack: DataStack
let edge: Awaited<ReturnType<typeof startEdge>>
let ann: Caller
let catalogue: Catalogue
/** What each function answers: its own columns, or those of a table; a function that answers one value has none. */
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
  // so that a cast of a name that there is would be answered
  await ann.create('accounts', [{ name: 'postgres', type: 'cash' }, { name: 'authenticator', type: 'savings' }])
  await ann.create('tags', { name: 'postgres' })
  await ann.create('transactions', { name: 'postgres', amount: 1 })
})
afterAll(async () => {
  edge.close()
  await stack.stop()
})

const types = ['regclass', 'regrole', 'regproc', 'regprocedure', 'regnamespace', 'regtype', 'regconfig', 'aclitem', 'oid', '_regrole', 'pg_class', 'xml']
const functions = ['count', 'json_agg', 'row_to_json', 'pg_typeof', 'to_jsonb', 'array_agg', 'record_out', 'one_object']
const systemColumns = ['ctid', 'xmin', 'tableoid']
const wishes = ['count=planned', 'count=estimated', 'tx=rollback, count=planned']

type Question = { path: string, headers?: Record<string, string> }
/** @param columns those that there are */
function* questionsOf(columns: string[], table: Table | undefined): Generator<Question> {
  const [column = 'pgrst_scalar'] = columns.filter((name) => /name|title|verdict|month|currency/.test(name))
  for (const type of types) {
    yield { path: `select=${column}::${type}` }
    yield { path: `select=renamed:${column}::${type}`, headers: { prefer: 'tx=rollback' } }
    for (const reference of table?.references ?? []) yield { path: `select=e:${reference.table}!${reference.name}(id::${type})` }
  }
  for (const name of [...functions, ...systemColumns].filter((one) => !columns.includes(one))) {
    yield { path: `select=${name}` }
    yield { path: `select=x:${name}` }
    yield { path: `select=${column}&order=${name}` }
    yield { path: `select=${column}&${name}=eq.1` }
    yield { path: `select=${column}&${name}=not.is.null` }
    for (const reference of table?.references ?? []) yield { path: `select=e:${reference.table}!${reference.name}(${name})` }
  }
  for (const prefer of wishes) yield { path: '', headers: { prefer } }
}

/** Asks all of them, and lists what was answered. */
async function answered(): Promise<string[]> {
  const granted: string[] = []
  const look = async (what: string, ask: () => Promise<{ status: number, text: string }>): Promise<void> => {
    const { status, text } = await ask()
    // 404 is PostgreSQL's answer for an operator that a type does not have, before anything is read
    if (status !== 400 && !(status === 404 && text.includes('42883'))) granted.push(`${what}: ${status} ${text.slice(0, 120)}`)
  }
  for (const table of catalogue.tables) {
    for (const { path, headers } of questionsOf(table.columns.map(({ name }) => name), table)) {
      await look(`GET /${table.name}?${path} ${headers?.['prefer'] ?? ''}`, () => ann.get(`/${table.name}?${path}`, headers))
    }
  }
  for (const [name, columns] of columnsOf) {
    const { returns } = catalogue.signatures.find((one) => one.name === name) ?? {}
    const table = catalogue.tables.find((one) => one.name === returns)
    for (const { path, headers } of questionsOf(columns, table)) {
      await look(`POST /rpc/${name}?${path} ${headers?.['prefer'] ?? ''}`, () => ann.post(`/rpc/${name}?${path}`, routineSchemas[name]?.example ?? {}, headers))
    }
  }
  return granted
}

describe('the catalogue, functions in place of columns, system columns and estimates', () => {
  test('are asked of every table and of every function that can be called', () => {
    expect(catalogue.tables.length).toBeGreaterThan(10)
    expect([...columnsOf.keys()].toSorted()).toEqual(Object.keys(routineSchemas).toSorted())
  })

  test('are refused', { timeout: 300_000 }, async () => {
    expect(await answered()).toEqual([])
  })
})
