/**
 * The deletion of a table's expired rows, in batches that keep the locks short.
 * auth/housekeeping.ts runs it.
 */

export type Sweep = {
  /** The table, which names its job. */
  table: string
  /** Deletes a batch. @returns whether rows may be left */
  deleteBatch: () => Promise<boolean>
}

/** Rows per statement. A statement of this size takes milliseconds. */
export const batchRows = 1_000

/** Retention of rows without an expiry, in days. */
export type Kept = { activityDays: number, eventsDays: number }
