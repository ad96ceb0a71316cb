/** Updates that store nothing if another change came first. */
import type { PostgrestClient } from '@supabase/postgrest-js'
import type { Database, Row, RowChange, TableName } from './database.ts'
import { FinanceError, unwrap } from './errors.ts'

/** The tables whose rows have an `updated_at` that a client can compare. */
type VersionedTable = {
  [Name in TableName]: RowChange<Name> extends never ? never : Row<Name> extends Version ? Name
  : never
}[TableName]

/** The part of a row that names its version. */
type Version = { id: string, updated_at: string }

export type UpdateUnchanged = {
  /**
   * Updates a row unless it has changed since it was read: the stored `updated_at` must be that of
   * `read`.
   * @param read the row as it was read, at least its `id` and `updated_at`
   * @returns the row after the update
   * @throws FinanceError 409 `ROW_CHANGED` if the row has changed or was deleted; nothing is stored
   */
  updateUnchanged: <Name extends VersionedTable>(
    table: Name,
    read: Version,
    change: RowChange<Name>,
  ) => Promise<Row<Name>>
}

export const updateUnchangedOf = (data: PostgrestClient<Database>): UpdateUnchanged => ({
  updateUnchanged: async (table, { id, updated_at }, change) => {
    // the types of postgrest-js need the name of one table
    const rows = await unwrap(
      data.from(table as 'transactions').update(change as RowChange<'transactions'>).eq('id', id)
        .eq('updated_at', updated_at).select(),
    )
    const [row] = rows as Row<typeof table>[]
    if (row === undefined)
      throw new FinanceError(409, {
        code: 'ROW_CHANGED',
        message: 'This row has been changed or deleted since you read it. Read it again.',
      })
    return row
  },
})
