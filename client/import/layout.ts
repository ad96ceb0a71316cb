/** What has to be known of a CSV file to read it. */

export type DateOrder = 'dmy' | 'mdy' | 'ymd'
export type Decimal = '.' | ','
export type Status = 'paid' | 'pending' | 'failed'

/** A column by its name in the header line, or by its place from 0. */
export type Column = string | number

/** Which column of a CSV file is what. Of several, the first that is there and not empty counts; of a description all. */
export type Columns = {
  date: Column | Column[]
  /** With its sign, unless `direction` says it. */
  amount?: Column | Column[]
  /** Two columns in place of `amount`. */
  debit?: Column
  credit?: Column
  /** Says in or out of a magnitude: `debit`, `Soll`, `S`, `Af`, `DBIT`, `OUT` and their opposites. */
  direction?: Column
  /** What the bank took beside the amount. */
  fee?: Column
  name?: Column | Column[]
  /** Who paid, where there is a column of its own for money that came in. */
  payer?: Column
  description?: Column | Column[]
  reference_no?: Column | Column[]
  external_id?: Column
  currency?: Column
  status?: Column
  /** The account that the row is of, in a file of several. */
  account?: Column
  metadata?: Record<string, Column | Column[]>
}

/** How one bank writes its files. */
export type Preset = {
  bank: string
  /** Names of the header line that together are this bank's alone; empty where the bank writes no header line. */
  header: string[]
  columns: Columns
  dateOrder: DateOrder
  decimal: Decimal
  currency?: string
  /** What the bank says of a row that is not simply booked. */
  statuses?: Record<string, Status>
  /** Rows whose name begins so are sums, and no transactions. */
  sums?: string[]
}
