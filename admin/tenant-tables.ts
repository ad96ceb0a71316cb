/**
 * The tables of a tenant, as the catalogue has them: those that move with it, and those of the
 * users and the organization that it refers to. A table that is neither, and is not named here,
 * stops a move.
 */
import type pg from 'pg'
import { operatorError } from './terminal.ts'

/** A table, with its columns in the order of their names. */
type Table = { name: string, columns: { name: string, isBytes: boolean }[] }

export type TenantTables = {
  /** The tables with a column `tenant`, whose rows PostgreSQL replicates. */
  moved: Table[]
  /** The tables with a row for an organization: its members, invitations and so on. */
  ofOrganization: string[]
  /** The tables with a row for a user: credentials, sessions and so on. */
  ofUser: string[]
}

/** Tables with a column `tenant` that the command copies by itself: admin/tenant-copy.ts. */
const copied = ['private.changes', 'private.tenants']

/** Tables that belong to a deployment and not to a tenant, and rows that last minutes. */
const ofDeployment = [
  'auth.jwks',
  'auth.rate_limits',
  'auth.verifications',
  'private.backfills',
  'private.deleted_objects',
  'private.file_tickets',
  'private.instance_rates',
  'private.jobs',
  'private.line_item_checks',
  'private.migrations',
  'private.products',
  'private.role_permissions',
  'private.settings',
]

const tablesSql = `
  select c.oid::regclass::text as name, array_agg(a.attname::text order by a.attname) as columns,
    coalesce(array_agg(a.attname::text) filter (where a.atttypid = 'bytea'::regtype), '{}') as bytes
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p') and c.relnamespace::regnamespace::text in ('api', 'auth', 'private')
  group by c.oid order by 1`

/** Reads the catalogue. @throws an operator error about a table that no rule covers */
export async function readTables(client: pg.Client): Promise<TenantTables> {
  await client.query(`set search_path = ''`)
  const { rows } = await client.query<{ name: string, columns: string[], bytes: string[] }>(
    tablesSql,
  )
  const has = (...columns: string[]) =>
    rows.filter((table) => columns.every((column) => table.columns.includes(column)))
  const moved = has('tenant').filter(({ name }) => !copied.includes(name))
  const others = rows.filter(({ columns }) => !columns.includes('tenant'))
  const ofOrganization = others.filter(({ columns }) => columns.includes('organization_id'))
  const ofUser = others.filter(({ columns }) =>
    columns.includes('user_id') && !columns.includes('organization_id')
  )
  const covered = [
    ...copied,
    ...ofDeployment,
    'auth.users',
    'auth.organizations',
    ...[...moved, ...ofOrganization, ...ofUser].map(({ name }) => name),
  ]
  const unknown = rows.filter(({ name }) => !covered.includes(name))
  if (unknown.length > 0)
    throw operatorError(
      `The command does not know whose rows these tables have: ${
        unknown.map(({ name }) => name).join(', ')
      }. Give each a column tenant, or name it in admin/tenant-tables.ts.`,
    )
  return {
    moved: moved.map(({ name, columns, bytes }) => ({
      name,
      columns: columns.map((column) => ({ name: column, isBytes: bytes.includes(column) })),
    })),
    ofOrganization: ofOrganization.map(({ name }) => name),
    ofUser: ofUser.map(({ name }) => name),
  }
}

/** The number of rows of a table, and the sum of their hashes. */
type Sum = { table: string, rows: string, hash: string }

/**
 * Returns the expression of a row for its hash. The bytes of a file count by their length: a read
 * of all bytes would take longer than writes may wait, and `files check` reads them.
 */
const hashOf = ({ columns }: Table): string =>
  `hashtextextended(row(${
    columns.map(({ name, isBytes }) => isBytes ? `octet_length(t.${name})` : `t.${name}`).join(', ')
  })::text, 0)`

/** Settings on which the text of a row depends. */
export const textSettings = `
  set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'`

/** Returns the sums of all rows of a tenant, in one statement and so in one snapshot. */
export async function sumsOf(
  client: pg.Client,
  { moved }: TenantTables,
  tenant: string,
): Promise<Sum[]> {
  const { rows } = await client.query<Sum>(
    moved.map((table) =>
      `select '${table.name}' as table, count(*)::text as rows,
        coalesce(sum(${hashOf(table)}::numeric), 0)::text as hash
      from ${table.name} t where tenant = ${client.escapeLiteral(tenant)}`
    ).join(' union all '),
  )
  return rows
}

/**
 * Deletes all rows of a tenant, without triggers and cascades. Only for a database that does not
 * serve the tenant.
 */
export async function deleteRows(
  client: pg.Client,
  { moved }: TenantTables,
  tenant: string,
): Promise<void> {
  await client.query('begin')
  await client.query('set local session_replication_role = replica')
  await client.query(
    `delete from private.file_tickets where attachment_id in (
      select id from api.attachments where tenant = $1)`,
    [tenant],
  )
  for (const { name } of moved)
    await client.query(`delete from ${name} where tenant = $1`, [tenant])
  await client.query('delete from private.changes where tenant = $1', [tenant])
  await client.query('commit')
}
