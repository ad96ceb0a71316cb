/**
 * The changes of rows, as db/changes/changes.sql notes them, and the rights that a stream needs to
 * report them.
 */
import type pg from 'pg'
import type { Access } from './stream-access.ts'

/** Maximum number of ids that a change names. */
const maxIds = 100

/** A change of rows of one table in one context. */
export type Change = {
  table: string
  /** null for the personal rows of a user. */
  organizationId: string | null
  actions: ReadonlySet<string>
  /** null if there are more than a hundred. */
  ids: ReadonlySet<string> | null
  /** null if no request caused it, or several did. */
  changeId: string | null
}

/** Returns one change in place of two of the same table and context. */
export function merge(earlier: Change, later: Change): Change {
  const ids = earlier.ids === null || later.ids === null
    ? null
    : new Set([...earlier.ids, ...later.ids])
  return {
    ...later,
    actions: new Set([...earlier.actions, ...later.actions]),
    ids: ids === null || ids.size > maxIds ? null : ids,
    changeId: earlier.changeId === later.changeId ? later.changeId : null,
  }
}

/** A row of private.changes. */
export type ChangeRow = {
  table_name: string
  permission: string | null
  actions: string[]
  ids: string[] | null
  change_id: string | null
  actor_id: string | null
}

export const columns = 'c.table_name, c.permission, c.actions, c.ids, c.change_id, c.actor_id'

/** The rights of roles on the rows of organizations: private.role_permissions. */
export type Rights = {
  /** The tables that streams report. */
  tables: ReadonlySet<string>
  has: (role: string, table: string, action: string) => boolean
}

export async function readRights(pool: pg.Pool): Promise<Rights> {
  const { rows } = await pool.query<{ role: string, resource: string, action: string }>(
    'select role, resource, action from private.role_permissions',
  )
  const all = new Set(rows.map(({ role, resource, action }) => `${role} ${resource} ${action}`))
  // a user's plan belongs to no organization, so no role has rights on it
  const tables = new Set([...rows.map(({ resource }) => resource), 'app_subscriptions'])
  return { tables, has: (role, table, action) => all.has(`${role} ${table} ${action}`) }
}

/** The tables without activity. */
const unrecorded = new Set(['dashboards', 'app_subscriptions'])

/**
 * Returns the changes in a row that a stream may report: that of the table, and that of its
 * activity. The ids of activity are not in the row. The row's context must be one of the stream.
 * @param organizationId null for the personal rows
 */
export function visibleChanges(
  row: ChangeRow,
  organizationId: string | null,
  { userId, role }: Access,
  rights: Rights,
): Change[] {
  const { table_name: table, change_id: changeId } = row
  if (!rights.tables.has(table)) return []
  const may = (resource: string, action: string) =>
    organizationId === null || role !== null && rights.has(role, resource, action)
  const change = { organizationId, changeId }
  return [
    ...(may(table, row.permission ?? 'list')
      ? [{
        ...change,
        table,
        actions: new Set(row.actions),
        ids: row.ids === null ? null : new Set(row.ids),
      }]
      : []),
    ...(changeId !== null && !unrecorded.has(table) &&
        (may('activity', 'list') || may('activity', 'list_own') && row.actor_id === userId)
      ? [{ ...change, table: 'activity', actions: new Set(['create']), ids: null }]
      : []),
  ]
}
