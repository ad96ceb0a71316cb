/** Exports the filtered rows as CSV. */
import { csvText } from 'finance-client/export'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { textColumns } from '../../data/transactions/filters.ts'
import { fields } from '../../messages/fields.ts'
import { everyTransaction, type Listed, type Transaction } from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { save } from '../../parts/save.ts'
import { useToast } from '../../parts/toast.tsx'
import type { Names } from './row.tsx'

type Cell = string | number | null | undefined

const columns: Record<string, (row: Transaction, names: Names) => Cell> = {
  date: dayOf,
  name: ({ name }) => name,
  amount: ({ amount }) => amount,
  currency: ({ currency }) => currency,
  status: ({ status }) => status,
  category: ({ category_id }, { categories }) => categories.get(category_id ?? ''),
  account: ({ account_id }, { accounts }) => accounts.get(account_id ?? ''),
  tags: ({ tags }) => tags.map(({ name }) => name).join(', '),
  ...Object.fromEntries(
    textColumns.map((column) => [fields[column], (row: Transaction) => row[column]]),
  ),
  id: ({ id }) => id,
}

const line = (cells: readonly Cell[]) =>
  `${cells.map((cell) => typeof cell === 'string' ? csvText(cell) : String(cell ?? '')).join()}\r\n`

/**
 * @returns the number of written rows, null while no export runs, and a function that starts one
 */
export function useExport(
  list: Listed,
  names: Names,
): { progress: number | null, begin: () => void } {
  const { context } = useSessionContext()
  const [progress, setProgress] = useState<number | null>(null)
  const toast = useToast()
  const write = async () => {
    // spreadsheets recognize UTF-8 by this byte order mark
    const parts = ['\uFEFF', line(Object.keys(columns))]
    let count = 0
    for await (const rows of everyTransaction(context, list)) {
      parts.push(...rows.map((row) => line(Object.values(columns).map((cell) => cell(row, names)))))
      count += rows.length
      setProgress(count)
    }
    save(new Blob(parts, { type: 'text/csv' }), 'transactions.csv')
  }
  const begin = () => {
    if (progress !== null) return
    setProgress(0)
    write().catch((error: Error) => toast(error)).finally(() => setProgress(null))
  }
  return { progress, begin }
}
