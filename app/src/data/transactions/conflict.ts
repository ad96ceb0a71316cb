/**
 * Optimistic locking: a change of a transaction never overwrites a change of another user unseen.
 */
import { FinanceError, type RowChange } from 'finance-client'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { fields as names } from '../../messages/fields.ts'
import { transactions } from '../../messages/transactions.ts'
import { gone } from '../client.ts'
import { textColumns } from './filters.ts'
import {
  halvesOf,
  readBy,
  reread,
  setLineItems,
  setTags,
  type Transaction,
  updateUnchanged,
} from './api.ts'
import { dayOf } from './day.ts'

const isDate = (field: string) => field === 'transaction_date' || field === 'booked_on'

/** Returns a field's value for a message; null if the message only names the field. */
function textOf(row: Transaction, field: string): string | null {
  if (field === 'amount') return formatAmount(row.amount, row.currency)
  if (field === 'currency') return row.currency.toUpperCase()
  if (isDate(field)) return formatDay(dayOf(row))
  if (field === 'status') return common.statuses[row.status]
  const value = field.endsWith('_id') ? null : row[field as keyof Transaction]
  return typeof value === 'string' ? value : null
}

const { conflict } = transactions

/** Describes the new values of fields. */
const describe = (row: Transaction, fields: readonly string[]): string[] =>
  fields.map((field) =>
    conflict.field(
      isDate(field) ? conflict.date : names[field as keyof typeof names] ?? field,
      textOf(row, field),
    )
  )

/** Another user has changed the same fields. `row` is the stored row. */
export class ChangedMeanwhile extends FinanceError {
  readonly row: Transaction

  constructor(row: Transaction, fields: readonly string[]) {
    super(409, {
      code: 'CHANGED_MEANWHILE',
      message: conflict.message(describe(row, fields)),
      hint: conflict.hint,
    })
    this.row = row
  }
}

/** The fields that users edit. A new day changes the time stamp too. */
const editable = [
  'name',
  'amount',
  'currency',
  'booked_on',
  'status',
  'category_id',
  'account_id',
  ...textColumns,
] as const

/**
 * Returns the notice about a row that has changed while a form edits it; null if it has not. @param
 * seen the row as the user last saw it
 */
export function noticeOf(seen: Transaction, now: Transaction): string | null {
  if (now.updated_at <= seen.updated_at) return null
  const fields = editable.filter((field) => now[field] !== seen[field])
  return fields.length === 0 ? null : conflict.notice(describe(now, fields))
}

/**
 * Changes a row, except for fields that another user has changed since.
 * @param seen the row as the user last saw it
 * @returns the stored row, with the other half of a transfer
 * @throws ChangedMeanwhile if a field of the change differs from `seen`; FinanceError 404 if the
 * row was deleted
 */
async function changeSeen(
  seen: Transaction,
  change: RowChange<'transactions'>,
): Promise<Transaction[]> {
  let last = seen
  while (true) {
    const now = await updateUnchanged(last, change)
    if (now.length > 0) return [...now, ...await halvesOf(now)]
    const [current] = await readBy('id', [seen.id])
    // a user who lost the right to change the row also updates none
    if (current === undefined || current.updated_at === last.updated_at) throw gone()
    const fields = Object.entries(change).flatMap(([field, wanted]) => {
      const value = current[field as keyof Transaction]
      return value === seen[field as keyof Transaction] || value === wanted ? [] : [field]
    })
    if (fields.length > 0) throw new ChangedMeanwhile(current, fields)
    last = current
  }
}

/** The user's changes of a row, its tags and its line items. */
export type TransactionChange = {
  values: RowChange<'transactions'>
  tags?: string[]
  items?: Parameters<typeof setLineItems>[1]
}

/** Stores all changes of a row. The values go first, because a conflict refuses them. */
export async function saveTransaction(
  seen: Transaction,
  { values, tags, items }: TransactionChange,
): Promise<Transaction[]> {
  const now = Object.keys(values).length > 0 ? await changeSeen(seen, values) : []
  if (tags === undefined && items === undefined) return now
  if (tags !== undefined) await setTags(seen, tags)
  if (items !== undefined) await setLineItems(seen, items)
  return reread([seen])
}
