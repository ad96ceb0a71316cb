/**
 * Reads the model of the data surface from the catalogue of a migrated database: tables, functions,
 * computed fields and the privileges of a signed-in caller. The client's types and the OpenAPI
 * document are generated from it. handwritten-schemas.ts adds what the catalogue lacks.
 */
import type pg from 'pg'

/**
 * The limits of a column's values by its check constraints, as far as JSON Schema has a keyword for
 * them.
 */
type Bounds = {
  values?: string[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
}

export type Column = {
  name: string
  /** The type in PostgreSQL. */
  type: string
  /** Maximum number of digits before the decimal point, of a `numeric`. */
  digits: number | null
  nullable: boolean
  /** Whether an insert may omit it. */
  optional: boolean
  /** Whether its default comes from the token. */
  fromToken: boolean
  /** Whether an update can change it. */
  changeable: boolean
  /** A trigger rewrites its value, so the bounds of stored values do not apply to requests. */
  rewritten: boolean
  description: string
  bounds: Bounds
}

type ForeignKey = {
  name: string
  columns: string[]
  table: string
  referenced: string[]
  isOneToOne: boolean
}

/** A function of one row. A query selects it like a column; `*` does not include it. */
type ComputedField = { name: string, type: string, description: string }

export type Table = {
  name: string
  summary: string
  description: string
  mayInsert: boolean
  mayUpdate: boolean
  mayDelete: boolean
  primaryKey: string[]
  columns: Column[]
  computed: ComputedField[]
  foreignKeys: ForeignKey[]
}

export type Parameter = { name: string, type: string, optional: boolean, nullable: boolean }

/**
 * The result of a function: rows of a table, rows with columns that the function defines, or one
 * value.
 */
export type Reply =
  | { kind: 'table', table: string, isSet: boolean }
  | { kind: 'rows', columns: { name: string, type: string }[], isSet: boolean }
  | { kind: 'value', type: string, isSet: boolean }

export type Routine = {
  name: string
  summary: string
  description: string
  /** Whether it only reads. PostgREST then also accepts GET. */
  readsOnly: boolean
  parameters: Parameter[]
  reply: Reply
}

/** A constraint, a unique index, or a trigger that raises constraint errors, with its columns. */
export type Rule = { name: string, columns: string[], isUnique: boolean }

export type Exposed = { title: string, description: string, tables: Table[], routines: Routine[] }

/** Splits a comment as PostgREST does: its first line is the summary. */
function splitComment(comment: string | null): { summary: string, description: string } {
  const [summary = '', ...rest] = (comment ?? '').split('\n')
  return { summary, description: rest.join('\n').trim() }
}

// Check expressions as PostgreSQL prints them, with every cast and parenthesis. Other forms get no
// keyword; the column's comment describes them.
const text = String.raw`'((?:[^']|'')*)'::text`
const forms: [RegExp, (match: string[]) => Bounds][] = [
  [
    new RegExp(String.raw`^\((?:\w+|"\w+") = ANY \(ARRAY\[(${text}(?:, ${text})*)\]\)\)$`),
    ([, list = '']) => ({
      values: [...list.matchAll(new RegExp(text, 'g'))].map(([, value = '']) =>
        value.replaceAll(`''`, `'`)
      ),
    }),
  ],
  [/^\(char_length\((?:\w+|"\w+")\) <= (\d+)\)$/, ([, most]) => ({ maxLength: Number(most) })],
  [/^\(char_length\((?:\w+|"\w+")\) >= (\d+)\)$/, ([, least]) => ({ minLength: Number(least) })],
  [
    /^\((?:\w+|"\w+") >= \(?(-?\d+)\)?(?:::numeric)?\)$/,
    ([, least]) => ({ minimum: Number(least) }),
  ],
  [/^\((?:\w+|"\w+") <= \(?(-?\d+)\)?(?:::numeric)?\)$/, ([, most]) => ({ maximum: Number(most) })],
  [
    new RegExp(String.raw`^\((?:\w+|"\w+") ~ ${text}\)$`),
    ([, pattern = '']) => ({
      pattern: pattern.replaceAll(`''`, `'`).replaceAll('[^[:space:]]', String.raw`\S`),
    }),
  ],
]

/** Splits a condition at its top-level ANDs. */
function conjuncts(expression: string): string[] {
  const inner = /^\((\(.*\))\)$/.exec(expression)?.[1]
  if (inner === undefined) return [expression]
  const parts = inner.split(/(?<=\)) AND (?=\()/)
  const isBalanced = (part: string) => part.split('(').length === part.split(')').length
  return parts.every(isBalanced) ? parts : [expression]
}

/** Returns the bounds that check expressions on one column define. */
function boundsOf(expressions: string[]): Bounds {
  const found = expressions.flatMap(conjuncts).flatMap((part) =>
    forms.flatMap(([form, bounds]) => {
      const match = form.exec(part)
      return match === null ? [] : [bounds(match)]
    })
  )
  return Object.assign({}, ...found) as Bounds
}

const exposedTables = `
  select c.relname as name, obj_description(c.oid, 'pg_class') as comment,
    has_table_privilege('authenticated', c.oid, 'insert') as "mayInsert",
    has_table_privilege('authenticated', c.oid, 'update') as "mayUpdate",
    has_table_privilege('authenticated', c.oid, 'delete') as "mayDelete",
    array(
      select a.attname::text from pg_index i cross join unnest(i.indkey::smallint[]) with ordinality as k (attnum, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary order by k.place) as "primaryKey"
  from pg_class c
  where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege('authenticated', c.oid, 'select')
  order by c.relname collate "C"`

const exposedColumns = `
  select c.relname as of, a.attname as name, n.type,
    case
      -- an amount: before_row() limits it
      when n.type = 'numeric' and n.typmod = -1 then 12
      when n.type = 'numeric' then ((n.typmod - 4) >> 16) - ((n.typmod - 4) & 65535)
    end as digits,
    not a.attnotnull as nullable,
    a.atthasdef or a.attidentity <> '' or not a.attnotnull as optional,
    a.attname = 'tenant' or coalesce(pg_get_expr(d.adbin, d.adrelid) ~ '^public\\.(uid|org_id)\\(\\)$', false) as "fromToken",
    -- before_row() of the table refuses another identity, sets the times, and rewrites a text
    coalesce(w.source !~ format('old\\.%s (<>|is distinct from) new\\.%1$s|new\\.%1$s := (now\\(\\)|old\\.)', a.attname), true) as changeable,
    coalesce(a.atttypid = 'text'::regtype and w.source ~ format('new\\.%s := ', a.attname), false) as rewritten,
    coalesce(col_description(c.oid, a.attnum), '') as description,
    array(
      select pg_get_expr(k.conbin, k.conrelid) from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] order by k.conname collate "C") as checks
  from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    -- the base type of a domain
    left join pg_type b on b.oid = t.typbasetype
    cross join lateral (select coalesce(b.typname, t.typname) as type, case when b.oid is null then a.atttypmod else t.typtypmod end as typmod) n
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    left join lateral (select prosrc as source from pg_proc where proname = c.relname || '_before_row' and pronamespace = 'private'::regnamespace) w on true
  where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p')
  order by a.attnum`

const foreignKeys = `
  select c.relname as "table", k.conname as name, f.relname as references,
    array(
      select a.attname::text from unnest(k.conkey) with ordinality as i (attnum, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = i.attnum order by i.place) as columns,
    array(
      select a.attname::text from unnest(k.confkey) with ordinality as i (attnum, place)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = i.attnum order by i.place) as referenced,
    exists (
      select from pg_index i
      where i.indrelid = k.conrelid and i.indisunique and i.indpred is null
        and i.indkey::smallint[] operator(pg_catalog.@>) k.conkey and i.indkey::smallint[] operator(pg_catalog.<@) k.conkey) as "isOneToOne"
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  where k.contype = 'f' and c.relnamespace = 'api'::regnamespace and f.relnamespace = 'api'::regnamespace
  order by k.conname collate "C"`

const exposedRoutines = `
  select p.proname as name, obj_description(p.oid, 'pg_proc') as comment, p.provolatile <> 'v' as "readsOnly", p.proretset as "isSet",
    r.typname as type, of.relname as "table",
    -- the table of a computed field
    (select c.relname from pg_class c where c.reltype = p.proargtypes[0] and p.pronargs = 1 and c.relnamespace = 'api'::regnamespace) as "computedOf",
    coalesce((
      select json_agg(json_build_object(
        'name', argument.name, 'type', t.typname, 'mode', argument.mode,
        'optional', argument.mode = 'i' and argument.place > p.pronargs - p.pronargdefaults,
        'nullable', argument.mode = 'i' and argument.place > p.pronargs - p.pronargdefaults
          and pg_get_function_arg_default(p.oid, argument.place::integer) ~ '^NULL') order by argument.place)
      from (
        select name, coalesce(type, oldtype) as type, coalesce(mode, 'i') as mode, place
        from unnest(p.proallargtypes, p.proargmodes, p.proargnames, p.proargtypes::oid[]) with ordinality as a (type, mode, name, oldtype, place)
      ) as argument join pg_type t on t.oid = argument.type), '[]') as arguments
  from pg_proc p
    join pg_type r on r.oid = p.prorettype
    left join pg_class of on of.reltype = p.prorettype and of.relnamespace = 'api'::regnamespace
  where p.pronamespace = 'api'::regnamespace and p.prokind = 'f' and has_function_privilege('authenticated', p.oid, 'execute')
    -- a function with one unnamed JSON parameter only reports wrong argument names: db/core/named_arguments.sql
    and not (p.proargnames is null and p.proargtypes[0] = 'json'::regtype)
  order by p.proname collate "C"`

const namedRules = `
  select name, columns, is_unique as "isUnique" from (
    select k.conname::text as name, false as is_unique, array(
      select a.attname::text from unnest(k.conkey) with ordinality as i (attnum, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = i.attnum order by i.place) as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = 'api'::regnamespace
    union all
    select u.relname::text, true, array(
      select a.attname::text from unnest(i.indkey::smallint[]) with ordinality as k (attnum, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum order by k.place)
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_class u on u.oid = i.indexrelid
    where i.indisunique and c.relnamespace = 'api'::regnamespace
    union all
    select name, false, columns from private.constraints()
  ) rules
  order by name collate "C"`

type TableRow = Pick<Table, 'name' | 'mayInsert' | 'mayUpdate' | 'mayDelete' | 'primaryKey'> & {
  comment: string | null
}
type ColumnRow = Omit<Column, 'bounds'> & { of: string, checks: string[] }
type KeyRow = {
  table: string
  name: string
  references: string
  columns: string[]
  referenced: string[]
  isOneToOne: boolean
}
type RoutineRow = {
  name: string
  comment: string | null
  readsOnly: boolean
  isSet: boolean
  type: string
  table: string | null
  computedOf: string | null
  arguments: (Parameter & { mode: 'i' | 'o' | 't' | 'b' | 'v' })[]
}

function replyOf({ isSet, type, table, arguments: all }: RoutineRow): Reply {
  if (table !== null) return { kind: 'table', table, isSet }
  const columns = all.filter(({ mode }) => mode === 't' || mode === 'o').map((column) => ({
    name: column.name,
    type: column.type,
  }))
  return columns.length > 0 ? { kind: 'rows', columns, isSet } : { kind: 'value', type, isSet }
}

/** Reads the whole model. Leaves the settings of the connection unchanged. */
export async function readExposed(client: pg.ClientBase): Promise<Exposed> {
  const all = async <Row extends pg.QueryResultRow>(query: string) =>
    (await client.query<Row>(query)).rows
  await client.query('begin read only')
  try {
    // PostgreSQL then prints names with their schema
    await client.query(`set local search_path = ''`)
    const [schema] = await all<{ comment: string | null }>(
      `select obj_description('api'::regnamespace, 'pg_namespace') as comment`,
    )
    const columns = await all<ColumnRow>(exposedColumns)
    const keys = await all<KeyRow>(foreignKeys)
    const routines = await all<RoutineRow>(exposedRoutines)
    const { summary, description } = splitComment(schema?.comment ?? null)
    return {
      title: summary,
      description,
      tables: (await all<TableRow>(exposedTables)).map(({ comment, ...table }) => ({
        ...table,
        ...splitComment(comment),
        columns: columns.filter(({ of }) => of === table.name).map((column) => ({
          ...column,
          bounds: boundsOf(column.checks),
        })),
        computed: routines.filter(({ computedOf }) => computedOf === table.name)
          .map(({ name, type, comment: fieldComment }) => ({
            name,
            type,
            description: fieldComment ?? '',
          })),
        foreignKeys: keys.filter((key) => key.table === table.name)
          .map((key) => ({
            name: key.name,
            columns: key.columns,
            table: key.references,
            referenced: key.referenced,
            isOneToOne: key.isOneToOne,
          })),
      })),
      routines: routines.filter(({ computedOf }) => computedOf === null).map((routine) => ({
        name: routine.name,
        ...splitComment(routine.comment),
        readsOnly: routine.readsOnly,
        parameters: routine.arguments.filter(({ mode }) => mode === 'i')
          .map(({ name, type, optional, nullable }) => ({ name, type, optional, nullable })),
        reply: replyOf(routine),
      })),
    }
  } finally {
    await client.query('rollback')
  }
}

/**
 * Reads the rules that refuse a row, for the client's forms. Needs the owner's connection: the auth
 * service cannot call private.constraints().
 */
export const readRules = async (client: pg.ClientBase): Promise<Rule[]> =>
  (await client.query<Rule>(namedRules)).rows
