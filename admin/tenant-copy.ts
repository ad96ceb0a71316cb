/**
 * The rows that a move copies by itself, in the transaction that opens the tenant at the target:
 * its position, its recent changes, its organization, and the users that it refers to. They are few.
 */
import type pg from 'pg'
import type { TenantTables } from './tenant-tables.ts'
import { operatorError } from './terminal.ts'

/**
 * Maximum number of changes that are copied. A stream that is further behind gets a reset anyway:
 * realtime/live/change-reader.ts.
 */
const maxChanges = 5_000

/** Rows of tables as JSON. */
type Rows = Record<string, unknown[]>

export type Copy = { tenants: unknown[], changes: unknown[], ofOrganization: Rows, ofUser: Rows }

/** A column that refers to a user or an organization, with the condition of a tenant's rows. */
type Reference = { table: string, column: string, referred: string, condition: string }

/** Returns the references of the tables. `$1` of a condition is the tenant. */
async function referencesOf(
  client: pg.Client,
  { moved, ofOrganization }: TenantTables,
): Promise<Reference[]> {
  const names = moved.map(({ name }) => name)
  const { rows } = await client.query<Omit<Reference, 'condition'>>(
    `select k.conrelid::regclass::text as "table", a.attname as column,
      k.confrelid::regclass::text as referred
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and cardinality(k.conkey) = 1
      and k.confrelid in ('auth.users'::regclass, 'auth.organizations'::regclass)
      and k.conrelid = any ($1::regclass[])`,
    [[...names, ...ofOrganization]],
  )
  return rows.map((row) => ({
    ...row,
    condition: names.includes(row.table) ? 'tenant = $1' : `organization_id = substr($1, 3)`,
  }))
}

/** Returns the ids of users to which the rows of a tenant refer: also of former members. */
export async function usersOf(
  source: pg.Client,
  tables: TenantTables,
  tenant: string,
): Promise<string[]> {
  const references = await referencesOf(source, tables)
  const { rows } = await source.query<{ id: string }>(
    references.filter(({ referred }) => referred === 'auth.users').map((
      { table, column, condition },
    ) => `select ${column} as id from ${table} where ${condition} and ${column} is not null`).join(
      ' union ',
    ),
    [tenant],
  )
  return rows.map(({ id }) => id)
}

async function readRows<Row>(
  source: pg.Client,
  table: string,
  condition: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await source.query<{ row: Row }>(
    `select to_jsonb(t) as row from ${table} t where ${condition}`,
    values,
  )
  return rows.map(({ row }) => row)
}

/**
 * Reads the rows at the source. @param formerUsers the users that were referred to before the
 * tenant was closed
 */
export async function readCopy(
  source: pg.Client,
  tables: TenantTables,
  tenant: string,
  formerUsers: string[],
): Promise<Copy> {
  const organization = tenant.slice(2)
  const ofThese = { ...tables, moved: [] }
  const ids = [...new Set([...formerUsers, ...await usersOf(source, ofThese, tenant)])]
  const changes = await readRows<{ position: number }>(
    source,
    `(select * from private.changes where tenant = $1 order by position desc limit ${maxChanges})`,
    'true',
    [tenant],
  )
  const copy: Copy = {
    tenants: await readRows(
      source,
      'private.tenants',
      `tenant = $1 or tenant in (select 'u:' || id from unnest($2::text[]) as id)`,
      [tenant, ids],
    ),
    changes: withoutPart(changes),
    ofOrganization: {
      'auth.organizations': await readRows(source, 'auth.organizations', 'id = $1', [organization]),
    },
    ofUser: { 'auth.users': await readRows(source, 'auth.users', 'id = any ($1)', [ids]) },
  }
  for (const table of tables.ofOrganization)
    copy.ofOrganization[table] = await readRows(source, table, 'organization_id = $1', [
      organization,
    ])
  // the credentials and sessions of members only
  for (const table of tables.ofUser)
    copy.ofUser[table] = await readRows(
      source,
      table,
      'user_id in (select user_id from auth.members where organization_id = $1)',
      [organization],
    )
  return copy
}

/** Returns the changes without those of the oldest position, of which the limit may leave out some. */
function withoutPart(changes: { position: number }[]): { position: number }[] {
  if (changes.length < maxChanges) return changes
  const oldest = changes.at(-1)?.position
  return changes.filter(({ position }) => position !== oldest)
}

async function insertRows(
  target: pg.Client,
  table: string,
  rows: unknown[],
  onConflict = '',
): Promise<void> {
  await target.query(
    `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1) ${onConflict}`,
    [JSON.stringify(rows)],
  )
}

/**
 * Stores the rows at the target, in its transaction and without triggers. A user who already exists
 * there keeps the rows there, and gets the missing ones. @param sourceName the database that keeps
 * the users' personal rows
 */
export async function storeCopy(
  target: pg.Client,
  copy: Copy,
  tenant: string,
  sourceName: string,
): Promise<void> {
  await target.query('set local session_replication_role = replica')
  const users = (copy.ofUser['auth.users'] as { id: string }[]).map(({ id }) => id)
  for (const [table, rows] of Object.entries(copy.ofUser))
    await insertRows(target, table, rows, 'on conflict do nothing')
  const organization = tenant.slice(2)
  for (const [table, rows] of Object.entries(copy.ofOrganization)) {
    const key = table === 'auth.organizations' ? 'id' : 'organization_id'
    await target.query(`delete from ${table} where ${key} = $1`, [organization])
    await insertRows(target, table, rows)
  }
  await target.query(
    `update auth.sessions s set active_organization_id = null
    where s.user_id = any ($1) and s.active_organization_id is not null and not exists (
      select from auth.members m
      where m.organization_id = s.active_organization_id and m.user_id = s.user_id)`,
    [users],
  )
  await target.query('delete from private.changes where tenant = $1', [tenant])
  await insertRows(target, 'private.changes', copy.changes)
  await target.query(
    `insert into private.tenants (tenant) select 'a:' || id from unnest($1::text[]) as id
    on conflict do nothing`,
    [users],
  )
  // the personal rows of the users stay at the source
  await target.query(
    `insert into private.tenants as t (tenant, position, change, after, cell)
      select n.tenant, n.position, n.change, n.after, coalesce(n.cell, $2)
      from jsonb_populate_recordset(null::private.tenants, $1) n
    on conflict (tenant) do update
      set position = excluded.position, change = excluded.change, after = excluded.after
      where t.cell is not null`,
    [JSON.stringify(copy.tenants), sourceName],
  )
}

/**
 * Checks the references to users and organizations, because workers do not check foreign keys.
 * @throws an operator error
 */
export async function checkReferences(
  target: pg.Client,
  tables: TenantTables,
  tenant: string,
): Promise<void> {
  const references = await referencesOf(target, tables)
  const { rows: broken } = await target.query<{ what: string }>(
    references.map(({ table, column, referred, condition }) =>
      `select '${table}.${column}' as what where exists (
        select from (select distinct ${column} as id from ${table} where ${condition}) t
        where id is not null and not exists (select from ${referred} r where r.id = t.id))`
    ).join(' union all '),
    [tenant],
  )
  if (broken.length > 0)
    throw operatorError(
      `Rows refer to users that the target does not have: ${
        broken.map(({ what }) => what).join(', ')
      }.`,
    )
}
