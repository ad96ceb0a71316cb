/** Types that describe the layout of a CSV file: its columns, and presets of banks. */

import { type TextColumn, textLengths } from './text-columns.ts'

export type DateOrder = 'dmy' | 'mdy' | 'ymd'
export type Decimal = '.' | ','
export type Status = 'paid' | 'pending' | 'failed'
export type Direction = 'in' | 'out' | 'sign'

/** A column by its name in the header line, or by its index from 0. */
export type Column = string | number

/** The columns that become a text of the transaction as they are. */
export const textColumns = Object.keys(textLengths) as TextColumn[]

/**
 * The meaning of the columns. In a list the first column with a value counts; a description joins
 * all of them.
 */
export type Columns = {
  date: Column | Column[]
  /** Signed, unless `direction` gives the sign. */
  amount?: Column | Column[]
  /** `debit` and `credit` replace `amount`. */
  debit?: Column
  credit?: Column
  /**
   * Contains the direction of the amount: `debit`, `Soll`, `S`, `Af`, `DBIT`, `OUT` or their
   * opposites.
   */
  direction?: Column
  /** The bank's fee, not included in the amount. */
  fee?: Column
  name?: Column | Column[]
  /** The payer of income, if the file has a separate column for it. */
  payer?: Column
  external_id?: Column
  currency?: Column
  status?: Column
  /** The account of the row, in a file of several accounts. */
  account?: Column
  metadata?: Record<string, Column | Column[]>
} & { [column in TextColumn]?: Column | Column[] }

/** The columns of a journal: each row names a source account and a destination account. */
export type Journal = {
  source: string
  sourceType: string
  destination: string
  destinationType: string
  /** The values of a type column that mark the user's own accounts. */
  own: string[]
  /** The amount that arrives, in a transfer between two currencies. */
  foreignAmount: string
  foreignCurrency: string
}

/** The layout of one bank's CSV files. */
export type Preset = {
  bank: string
  /** Column names that together identify this bank; empty if the bank writes no header line. */
  header: string[]
  /** Patterns of the first cells of each line, for a bank that writes no header line. */
  shape?: RegExp[]
  columns: Columns
  /**
   * A list if the bank writes several orders. Then the file must prove its order, or the user
   * answers a question. Default: any order
   */
  dateOrder?: DateOrder | readonly DateOrder[]
  decimal?: Decimal
  currency?: string
  /** Positive amounts are expenses. Default: positive amounts are income */
  negate?: boolean
  /**
   * A column of words such as expense and income. They must prove the signs, because users of the
   * app choose the sign of expenses.
   */
  proof?: string
  /** Debit and credit columns give the direction; the signs of their amounts have no meaning. */
  magnitudes?: boolean
  /** The bank's words in the status column. */
  statuses?: Record<string, Status>
  /** Texts have the apostrophes of `csvText`, which are removed. */
  isGuarded?: boolean
  /** A column that names the account of each row only if it has several values. */
  perhapsAccount?: Column
  /**
   * Rows with the name of an opening balance are no transactions, but `readAppExport` reads them.
   */
  keepsOpenings?: boolean
  /** Name prefixes of rows that are balances and no transactions. */
  sums?: string[]
  /** Replaces `columns.account` and `columns.direction`: each row names two accounts. */
  journal?: Journal
}
