/** The current state of every row, and its restoration. */
import pg from 'pg'
import { isPart } from '../support/tables.ts'
import type { World } from './world.ts'

/** Maps `table:key` to the tenant, as `user organization`, and a hash of all columns. */
export type State = Map<string, { pair: string, hash: string }>

/** An owner pair in the format of the state. */
export const pairOf = (
  { user, organization }: { user: string | null, organization: string | null },
): string => `${user ?? '-'} ${organization ?? '-'}`

export type Keeper = {
  /** Every row, in one query. */
  state(): Promise<State>
  /** A hash of all rows of each owner, in one query. */
  fingerprint(): Promise<string>
  /**
   * Restores the tables to their state at the start. @param changed the names of the tables that
   * have changed; by default all
   */
  restore(changed?: string[]): Promise<void>
  close(): Promise<void>
}

/** Returns the names of the tables that differ. */
export function changedTables(before: State, after: State): string[] {
  const rows = [
    ...[...before].filter(([row, { hash }]) => after.get(row)?.hash !== hash),
    ...[...after].filter(([row]) => !before.has(row)),
  ]
  return [...new Set(rows.map(([row]) => row.slice(0, row.indexOf(':'))))]
}

/** Other tables that no data request may change. */
const beside = [
  'auth.users',
  'auth.sessions',
  'auth.api_keys',
  'auth.members',
  'auth.organizations',
  'private.role_permissions',
  'private.products',
]

/**
 * The tables in which imports keep the bank's values. All are empty until a case writes to them.
 */
const remembered = [
  'private.bank_values',
  'private.bank_versions',
  'private.import_updates',
  'private.import_balances',
]

/**
 * Copies every exposed table into a schema that is not exposed. @param ownerUrl opens a second
 * connection of the owner, which restores
 */
export async function keep(
  { owner, catalogue: { tables } }: World,
  ownerUrl: string,
): Promise<Keeper> {
  const name = (table: string): string => pg.escapeIdentifier(table)
  const personal = (alias: string): string => `coalesce(${alias}.user_id, '-')`
  const team = (alias: string): string => `coalesce(${alias}.organization_id, '-')`
  const owned = (table: string): string => {
    if (isPart(table)) {
      // A part belongs to the tenant of its transaction, and in a team it has no user. Its own
      // columns must agree.
      return `(select case when ${personal('r')} || ' ' || ${
        team('r')
      } = p then p else 'not its transaction''s, ' || p end
        from api.transactions t, lateral (select case when t.organization_id is null then ${
        personal('t')
      } else '-' end || ' ' || ${team('t')} as p) p
        where t.id = r.transaction_id)`
    }
    const hasTeam =
      tables.find((one) => one.name === table)?.columns.some((column) =>
        column.name === 'organization_id'
      ) === true
    return `${personal('r')} || ' ' || ${hasTeam ? team('r') : `'-'`}`
  }
  const rows = [
    ...tables.map(({ name: table, key }) =>
      `select '${table}:' || concat_ws('/', ${
        key.map((column) => `r.${name(column)}::text`).join()
      }) as id, ${owned(table)} as pair, md5(r::text) as hash from api.${name(table)} r`
    ),
    ...beside.map((table) =>
      `select '${table}:' || md5(r::text), '${table}', md5(r::text) from ${table} r`
    ),
  ].join(' union all ')
  await owner.query(`
    create schema if not exists isolation_kept;
    ${
    tables.map(({ name: table }) =>
      `create table isolation_kept.${name(table)} as table api.${name(table)};`
    ).join('\n')
  }
    create or replace function isolation_kept.restore(changed text[]) returns void language plpgsql as $restore$
    begin
      ${remembered.map((table) => `delete from ${table};`).join(' ')}
      ${
    tables.map(({ name: table, key }) => {
      const isSame = `(${key.map((c) => `r.${name(c)}`).join()}) = (${
        key.map((c) => `k.${name(c)}`).join()
      })`
      return `
        if '${table}' = any (changed) then
          delete from api.${name(table)} r where not exists (select from isolation_kept.${
        name(table)
      } k where ${isSame} and k is not distinct from r);
          insert into api.${name(table)} select k.* from isolation_kept.${
        name(table)
      } k where not exists (select from api.${name(table)} r where ${isSame});
        end if;`
    }).join('')
  }
    end $restore$`)
  // Runs no triggers and checks no foreign keys, because the copied rows are valid. A change of
  // this setting discards all cached plans of its session.
  const restorer = new pg.Client({
    connectionString: ownerUrl,
    options: '-c session_replication_role=replica',
  })
  await restorer.connect()
  return {
    async state() {
      const { rows: found } = await owner.query<[string, string, string]>({
        name: 'isolation state',
        text: `select id, pair, hash from (${rows}) s`,
        rowMode: 'array',
      })
      return new Map(found.map(([row, pair, hash]) => [row, { pair, hash }]))
    },
    async fingerprint() {
      const { rows: found } = await owner.query<[string]>({
        name: 'isolation fingerprint',
        rowMode: 'array',
        text:
          `select string_agg(pair || ' ' || hash, ',' order by pair) from (select pair, md5(string_agg(hash, ',' order by id)) as hash from (${rows}) s group by pair) t`,
      })
      return found[0]?.[0] ?? ''
    },
    async restore(changed = tables.map(({ name: table }) => table)) {
      await restorer.query({
        name: 'isolation restore',
        text: 'select isolation_kept.restore($1)',
        values: [changed],
      })
    },
    close: () => restorer.end(),
  }
}
