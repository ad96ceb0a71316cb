/** What every format's reader hands over, and how it cleans what it reads. */
import type { Detail, Problem, StatementAccount, StatementRow } from './types.ts'

/** A part of a transaction, in the file's own words. */
export type Split = { category: string, memo?: string, amount?: string }

/** A transaction in the file's own words. */
export type Entry = {
  line: number
  /** The `id` of one of the accounts. */
  account?: string
  date: string
  amount?: string
  /** In place of `amount`. */
  debit?: string
  credit?: string
  fee?: string
  /** Whether money went out, where the file says it beside the amount; undefined leaves the amount's own sign. */
  out?: boolean
  /** Whether money should have gone out by the kind of transaction. It only checks the amount's own sign. */
  hint?: boolean
  /** The running balances of the record by column; a column of balances proves the signs of amounts. */
  balances?: string[]
  notes?: Array<{ field: keyof StatementRow, message: string }>
  name: string
  /** Takes the place of `name` where money came in. */
  payer?: string
  /** What the row is called when there is neither. */
  otherwise?: string
  description?: string
  reference_no?: string
  external_id?: string
  currency?: string
  status?: StatementRow['status']
  metadata?: Record<string, Detail | undefined>
  splits?: Split[]
}

/** What a reader found in a file. */
export type Found = {
  /** `defined`: the format or a preset defines the signs. `open`: nothing does. `columns`: debit and credit columns do, whatever sign stands in them. */
  signs: 'defined' | 'open' | 'columns'
  entries: Entry[]
  problems: Problem[]
  accounts: Array<Omit<StatementAccount, 'rows' | 'balance'> & { balance?: { amount: string, on: string } }>
}

/** One line, as PostgreSQL can store it, with at most so many characters. */
export const clean = (text = '', longest = 255): string => {
  const line = text.replace(/\s+/g, ' ').replace(/\p{Surrogate}/gu, '\uFFFD').trim()
  return line.length <= longest ? line : Array.from(line).slice(0, longest).join('').trim()
}

/** What banks write where they have no reference is none. */
export const reference = (text = ''): string => /^(?:NOT ?PROVIDED|NONREF|NOREF|NONE|N\/A|UNKNOWN|0+)$/i.test(text.trim()) ? '' : text

/** A currency's code in small letters, or undefined for what is none. */
export const currencyIn = (text = ''): string | undefined =>
  /^[a-z]{3}$/i.test(text.trim()) ? text.trim().toLowerCase() : text.trim() === '€' ? 'eur' : undefined
