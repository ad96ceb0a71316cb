/** Keeps the edited row in the list, so that the user's input stays. */
import { useState } from 'react'
import type { Transaction } from '../../data/transactions/api.ts'

/**
 * Returns the rows of the list with the edited one, even if another user has deleted it or it no
 * longer matches the filters.
 * @param edited the id of the edited row, if there is one
 */
export function useEditedRow(
  loaded: readonly Transaction[],
  edited: string | null,
): { rows: readonly Transaction[], editedRow: Transaction | undefined, isGone: boolean } {
  const [kept, setKept] = useState<{ row: Transaction, index: number } | null>(null)
  const index = loaded.findIndex(({ id }) => id === edited)
  const row = loaded[index]
  if (row !== undefined && (kept?.row !== row || kept.index !== index)) setKept({ row, index })
  const isGone = row === undefined && kept?.row.id === edited
  return {
    rows: isGone ? loaded.toSpliced(kept.index, 0, kept.row) : loaded,
    editedRow: isGone ? kept.row : row,
    isGone,
  }
}
