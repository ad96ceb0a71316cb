/** What is filtered, as a file. */
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import type { Shown } from '../../data/transaction-filters.ts'
import { dayOf, everyTransaction, type Transaction } from '../../data/transactions.ts'
import { save } from '../../parts/save.ts'
import { useTell } from '../../parts/toast.tsx'
import type { Names } from './row.tsx'

const columns: Record<string, (row: Transaction, names: Names) => string | number | null | undefined> = {
  date: dayOf,
  name: ({ name }) => name,
  amount: ({ amount }) => amount.toFixed(2),
  currency: ({ currency }) => currency,
  status: ({ status }) => status,
  category: ({ category_id }, { categories }) => categories.get(category_id ?? ''),
  account: ({ account_id }, { accounts }) => accounts.get(account_id ?? ''),
  tags: ({ tags }) => tags.map(({ name }) => name).join(', '),
  reference: ({ reference_no }) => reference_no,
  description: ({ description }) => description,
  id: ({ id }) => id,
}

/** A spreadsheet takes a text that begins so for a formula, and runs it; a negative amount is none. */
const isFormula = (text: string) => /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const line = (cells: ReadonlyArray<string | number | null | undefined>) =>
  `${cells.map((cell) => String(cell ?? '')).map((text) => quoted(isFormula(text) ? `'${text}` : text)).join()}\r\n`

/** @returns how many rows are written so far, null while nothing is, and what begins it */
export function useExport(shown: Shown, names: Names): { progress: number | null, begin: () => void } {
  const { context, user } = useHere()
  const [progress, setProgress] = useState<number | null>(null)
  const tell = useTell()
  const write = async () => {
    // spreadsheets take a file for Unicode that begins with this mark
    const parts = ['\uFEFF', line(Object.keys(columns))]
    let count = 0
    for await (const rows of everyTransaction(context, user.id, shown)) {
      parts.push(...rows.map((row) => line(Object.values(columns).map((cell) => cell(row, names)))))
      count += rows.length
      setProgress(count)
    }
    save(new Blob(parts, { type: 'text/csv' }), 'transactions.csv')
  }
  const begin = () => {
    if (progress !== null) return
    setProgress(0)
    write().catch((error: Error) => tell(error)).finally(() => setProgress(null))
  }
  return { progress, begin }
}
