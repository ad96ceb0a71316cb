/** What has to be known of a CSV file to read it. */

export type DateOrder = 'dmy' | 'mdy' | 'ymd'
export type Decimal = '.' | ','
export type Status = 'paid' | 'pending' | 'failed'
export type Direction = 'in' | 'out' | 'sign'

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

/** The columns of a file whose rows name the account that money left and the account where it arrived. */
export type Journal = {
  source: string
  sourceType: string
  destination: string
  destinationType: string
  /** The types of a person's own accounts. */
  own: string[]
  /** What arrived, in a transfer between two currencies. */
  foreignAmount: string
  foreignCurrency: string
}

/** How one bank writes its files. */
export type Preset = {
  bank: string
  /** Names of the header line that together are this bank's alone; empty where the bank writes no header line. */
  header: string[]
  columns: Columns
  /** Undefined if the bank writes several; then the file proves them or the person is asked. */
  dateOrder?: DateOrder
  decimal?: Decimal
  currency?: string
  /** The amounts are what was spent. Without it they are signed as the account moves. */
  negate?: boolean
  /** Debit and credit columns say the direction, and their signs do not. */
  magnitudes?: boolean
  /** What the bank says of a row that is not simply booked. */
  statuses?: Record<string, Status>
  /** Rows whose name begins so are balances, and no transactions. */
  sums?: string[]
  /** Each row names two accounts, in place of `columns.account` and a direction. */
  journal?: Journal
}
