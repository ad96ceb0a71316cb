/** Undo of transaction changes. */
import { type RowChange, unwrap } from 'finance-client'
import { newestEntryOf } from '../change.ts'
import { finance, gone } from '../client.ts'
import { inBatches, readBy, type Transaction } from './api.ts'
import { ChangedMeanwhile, saveTransaction, type TransactionChange } from './conflict.ts'

/**
 * Finds the activity entries of a change, which may have taken several requests.
 * @param requested the rows of the requests
 * @param changed the rows of them that still existed
 * @returns ids for `undo`, the last request first
 */
async function findUndoEntries(
  requested: readonly Transaction[],
  changed: readonly Transaction[],
  userId: string,
): Promise<string[]> {
  const ids = new Set(changed.map(({ id }) => id))
  const firsts = inBatches(requested.map(({ id }) => id)).flatMap((batch) =>
    batch.find((id) => ids.has(id)) ?? []
  )
  return (await Promise.all(firsts.map((id) => newestEntryOf(id, userId)))).toReversed()
}

/**
 * Returns a function that undoes a change through `/rpc/undo`. Looks its activity up now, because a
 * later change of the same rows is another request. The function throws FinanceError 409 if a row
 * has changed since.
 */
export function makeUndo(
  requested: readonly Transaction[],
  changed: readonly Transaction[],
  userId: string,
): () => Promise<void> {
  const entries = findUndoEntries(requested, changed, userId)
  entries.catch(() => undefined)
  return async () => {
    for (const p_activity_id of await entries)
      await unwrap(finance.data.rpc('undo', { p_activity_id }))
  }
}

/**
 * Returns a function that undoes several changes, the last one first. Changes of no row are left
 * out.
 */
export function makeUndoOfAll(
  changes: ReadonlyArray<{ requested: readonly Transaction[], now: readonly Transaction[] }>,
  userId: string,
): () => Promise<void> {
  const undos = changes.filter(({ now }) => now.length > 0).map(({ requested, now }) =>
    makeUndo(requested, now, userId)
  ).toReversed()
  return async () => {
    for (const undo of undos) await undo()
  }
}

/** Returns the former values of a change. */
const former = (row: Transaction, change: RowChange<'transactions'>): RowChange<'transactions'> =>
  Object.fromEntries(
    [...Object.keys(change), ...('transaction_date' in change ? ['booked_on'] : [])]
      .map((field) => [field, row[field as keyof Transaction]]),
  )

/** Returns comparable tags and line items. */
const partsOf = ({ tags, line_items }: Transaction) => ({
  tags: tags.map(({ id }) => id).toSorted().join(),
  items: line_items.map((item) => JSON.stringify(item)).toSorted().join(),
})

/**
 * Undoes a change of several requests by writing the former row.
 * @param left the row as the change left it
 * @throws ChangedMeanwhile if another user has changed the same fields since; FinanceError 404 if
 * the row was deleted
 */
export async function writeBack(
  before: Transaction,
  left: Transaction,
  { values, tags, items }: TransactionChange,
): Promise<void> {
  if (tags !== undefined || items !== undefined) {
    const [now] = await readBy('id', [left.id])
    if (now === undefined) throw gone()
    const [stored, expected] = [partsOf(now), partsOf(left)]
    if (tags !== undefined && stored.tags !== expected.tags)
      throw new ChangedMeanwhile(now, ['tags'])
    if (items !== undefined && stored.items !== expected.items)
      throw new ChangedMeanwhile(now, ['parts'])
  }
  await saveTransaction(left, {
    values: former(before, values),
    ...(tags !== undefined && { tags: before.tags.map(({ id }) => id) }),
    ...(items !== undefined && { items: before.line_items }),
  })
}
