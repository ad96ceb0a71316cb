/** What the programs' own queries know of the database, read from its catalogue: db/types.ts is written by this and by nobody. */
import type pg from 'pg'

/** PostgreSQL's types as `pg` hands them out. Another type in one of these tables is `unknown` until it is named here. */
const types: Record<string, string> = {
  bool: 'boolean',
  int4: 'number',
  float8: 'number',
  int8: 'string',
  numeric: 'string',
  text: 'string',
  _text: 'string[]',
  uuid: 'string',
  timestamptz: 'Date',
  date: 'string',
}

/** A column of a table, or of the rows of a function. */
type Column = { owner: string, name: string, type: string, nullable: boolean, generated: boolean }

const tableColumns = `
  select c.oid::regclass::text as owner, a.attname as name, t.typname as type, not a.attnotnull as nullable, a.atthasdef or a.attidentity <> '' as generated
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped join pg_type t on t.oid = a.atttypid
  where c.relkind in ('r', 'p') and (c.relnamespace::regnamespace::text in ('auth', 'private') or c.oid = 'api.app_subscriptions'::regclass)
  order by c.oid::regclass::text collate "C", a.attnum`

/** The functions that the auth service may call; one that answers a single value has a column of its own name, as a query of it has. */
const functionColumns = `
  select format('%s.%s', p.pronamespace::regnamespace, p.proname) as owner, coalesce(argument.name, p.proname) as name, t.typname as type, false as nullable, false as generated
  from pg_proc p
    left join lateral unnest(p.proallargtypes, p.proargmodes, p.proargnames) with ordinality as argument(type, mode, name, place) on argument.mode in ('t', 'o')
    join pg_type t on t.oid = coalesce(argument.type, p.prorettype)
  where p.pronamespace::regnamespace::text in ('auth', 'private') and p.prorettype <> 'trigger'::regtype and has_function_privilege('auth_service', p.oid, 'execute')
  order by format('%s.%s', p.pronamespace::regnamespace, p.proname) collate "C", argument.place`

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function memberOf({ name, type, nullable, generated }: Column): string {
  const known = types[type]
  const value = known === undefined ? 'unknown' : `${known}${nullable ? ' | null' : ''}`
  return `${camelCase(name)}: ${generated ? `Generated<${value}>` : value}`
}

function rowTypes(columns: Column[]): string {
  const rows = Map.groupBy(columns, ({ owner }) => owner)
  return [...rows].map(([owner, members]) => `  '${owner}': { ${members.map(memberOf).join(', ')} }\n`).join('')
}

/** The text of db/types.ts, for a database that is at the present. */
export async function typesPage(client: pg.ClientBase): Promise<string> {
  await client.query('begin')
  try {
    await client.query(`set local search_path = ''`)
    const tables = (await client.query<Column>(tableColumns)).rows
    const functions = (await client.query<Column>(functionColumns)).rows
    return `/**
 * The database as the programs' own queries know it, with columns in camelCase, as Kysely hands them out. Written by
 * \`npm run schema\` from the catalogue; change it in db/migrations and db/functions.
 */
import type { Generated } from 'kysely'

/** The tables that the auth service and the operator's command read and write. */
export type Tables = {
${rowTypes(tables)}}

/** The rows of the functions that the auth service may call. */
export type FunctionRows = {
${rowTypes(functions)}}
`
  } finally {
    await client.query('rollback')
  }
}
