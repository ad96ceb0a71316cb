/** A row as somebody has read it who changes it, so that what others change meanwhile is neither lost nor hidden. */
import type { RowChange } from 'finance-client'
import { useState } from 'react'
import { Overtaken, type Transaction } from '../../data/transactions.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'

type Change = RowChange<'transactions'>
type Named = readonly { id: string, name: string }[]

/** @param names what the ids of a row stand for */
export function useAsRead<Read extends Transaction | null>(row: Read, names: { categories: Named, accounts: Named }) {
  const [read, setRead] = useState(row)
  const nameOf = (all: Named, wanted: string | null) => all.find(({ id }) => id === wanted)?.name ?? 'none'
  const told: Partial<Record<keyof Change, (now: Transaction) => string>> = {
    name: (now) => now.name,
    amount: (now) => formatAmount(now.amount, now.currency),
    category_id: (now) => nameOf(names.categories, now.category_id),
    account_id: (now) => nameOf(names.accounts, now.account_id),
    transaction_date: (now) => formatDay(now.transaction_date),
    status: (now) => now.status,
    currency: (now) => now.currency.toUpperCase(),
    reference_no: (now) => now.reference_no ?? 'none',
    description: (now) => now.description ?? 'none',
  }
  return {
    read,
    /** What of these values is not as it was read. */
    changedOf: (wanted: Change): Change => Object.fromEntries(Object.entries(wanted).filter(([field, value]) => read?.[field as keyof Transaction] !== value)),
    /** Where a change was overtaken, what is there now has been read then: the same change again replaces it. */
    meet: (error: Error, change: Change) => {
      if (!(error instanceof Overtaken)) return
      const now = Object.fromEntries(Object.keys(change).map((field) => [field, error.row[field as keyof Transaction]]))
      setRead((before) => before && { ...before, ...now, updated_at: error.row.updated_at })
    },
    /** An error with what there is now of a change that was overtaken. */
    toldOf: (error: Error | null, change: Change | undefined): Error | null => {
      if (!(error instanceof Overtaken)) return error
      const now = Object.keys(change ?? {}).flatMap((field) => told[field as keyof Change]?.(error.row) ?? [])
      return new Error(`${error.message} It is now: ${now.join(', ')}. Save again to have yours in its place.`)
    },
  }
}
