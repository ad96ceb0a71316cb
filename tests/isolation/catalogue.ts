/** The exposed tables and functions, read from the catalogue, so that new ones are included. */
import type pg from 'pg'

export type Column = {
  name: string
  type: string
  required: boolean
  hasDefault: boolean
  values: string[]
}
/** A foreign key of one column to another exposed table. */
type Reference = { name: string, column: string, table: string }
export type Table = {
  name: string
  columns: Column[]
  key: string[]
  references: Reference[]
  /** Columns of a unique constraint within a tenant, other than the key. */
  uniques: string[][]
}
/** A function. `returns` is the exposed table of the rows that it returns, if any. */
type Signature = {
  name: string
  args: { name: string, type: string, isRequired: boolean }[]
  returns: string | null
  isVolatile: boolean
}
export type Catalogue = { tables: Table[], functions: string[], signatures: Signature[] }

/** The values of `check (column in (…))`, as PostgreSQL stores it. */
const valuesOf = (check: string): string[] =>
  [...check.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value)

/** Tables come after the tables that they reference. */
function inOrder(tables: Table[]): Table[] {
  const sorted: Table[] = []
  const visit = (table: Table): void => {
    if (sorted.includes(table)) return
    for (const { table: name } of table.references) {
      const referenced = tables.find((one) => one.name === name)
      if (referenced !== undefined && referenced !== table) visit(referenced)
    }
    sorted.push(table)
  }
  tables.forEach(visit)
  return sorted
}

export async function readCatalogue(owner: pg.Client): Promise<Catalogue> {
  const { rows: columns } = await owner.query<
    {
      table: string
      name: string
      type: string
      required: boolean
      has_default: boolean
      check: string | null
      position: number | null
    }
  >(`
    select c.relname as table, a.attname as name, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as type, a.attnotnull as required, a.atthasdef as has_default,
      (select pg_get_constraintdef(k.oid) from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%' limit 1) as check,
      -- callers name a row without its tenant
      case when a.attname <> 'tenant' then array_position(p.conkey, a.attnum) end as position
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped join pg_type t on t.oid = a.atttypid
    left join pg_constraint p on p.conrelid = c.oid and p.contype = 'p'
    where c.relnamespace = 'api'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    order by c.relname, a.attnum`)
  const { rows: references } = await owner.query<Reference & { from: string }>(`
    select k.conname as name, c.relname as from, a.attname as column, f.relname as table
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
    -- a reference within a tenant begins with it
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[cardinality(k.conkey)]
    where k.contype = 'f' and c.relnamespace = 'api'::regnamespace and f.relnamespace = 'api'::regnamespace
    order by k.conname`)
  const { rows: uniques } = await owner.query<{ table: string, columns: string[] }>(`
    select distinct c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey) and a.attname not in ('user_id', 'organization_id', 'tenant')
    where i.indisunique and not i.indisprimary and c.relnamespace = 'api'::regnamespace
    group by c.relname, i.indexrelid`)
  const { rows: functions } = await owner.query<{ name: string }>(
    `select distinct proname as name from pg_proc where pronamespace = 'api'::regnamespace and prokind in ('f', 'p') order by 1`,
  )
  const { rows: signatures } = await owner.query<Signature>(`
    select p.proname as name, c.relname as returns, p.provolatile = 'v' as "isVolatile", coalesce((
      select json_agg(json_build_object('name', p.proargnames[i], 'type', format_type(p.proargtypes[i - 1], null), 'isRequired', i <= p.pronargs - p.pronargdefaults) order by i)
      from generate_series(1, p.pronargs) i), '[]') as args
    from pg_proc p left join pg_class c on c.reltype = p.prorettype and c.relnamespace = 'api'::regnamespace
    where p.pronamespace = 'api'::regnamespace and p.prokind in ('f', 'p') order by 1`)
  const names = [...new Set(columns.map(({ table }) => table))]
  const tables = names.map((name): Table => {
    const ownColumns = columns.filter(({ table }) => table === name)
    const key = ownColumns.filter(({ position }) => position !== null).toSorted((a, b) =>
      (a.position ?? 0) - (b.position ?? 0)
    ).map((column) => column.name)
    return {
      name,
      columns: ownColumns.map((column) => ({
        name: column.name,
        type: column.type,
        required: column.required,
        hasDefault: column.has_default,
        values: column.check === null ? [] : valuesOf(column.check),
      })),
      key,
      // tests/data/categories.test.ts tests the reference of a category to another: a case here
      // cannot name two rows of one table
      references: references.filter(({ from, table: to }) => from === name && to !== name),
      // foreign keys within a tenant refer to the key and the tenant
      uniques: uniques.filter(({ table, columns: unique }) =>
        table === name && unique.toSorted().join() !== key.toSorted().join()
      ).map((one) => one.columns),
    }
  })
  return { tables: inOrder(tables), functions: functions.map(({ name }) => name), signatures }
}
