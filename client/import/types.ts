/** What a bank file is read into, and what somebody may say about it. */
import type { Column, Columns, DateOrder, Decimal, Direction, Status } from './layout.ts'
import type { PresetName } from './presets.ts'

export type * from './layout.ts'
export type { Direction } from './layout.ts'

export type Format = 'csv' | 'ofx' | 'qif' | 'camt'

/** JSON that a row carries along. */
export type Detail = string | number | boolean | Detail[] | { [key: string]: Detail }

/** One transaction, with the fields of `import_transactions`; what the file does not say is left out. */
export type StatementRow = {
  name: string
  /** Exact to the cent, negative where money went out. */
  amount: number
  /** `YYYY-MM-DD`, the day as the bank writes it. */
  transaction_date: string
  /** ISO 4217, in small letters. */
  currency?: string
  /** The bank's own id, where it has one that no other row of the file shares. */
  external_id?: string
  reference_no?: string
  description?: string
  status?: Status
  metadata?: { [key: string]: Detail }
}

/** Something that a person should know or decide. */
export type Problem = {
  /** Of the file, from 1. */
  line: number
  /** Of `rows`, from 1, as `row_number` of `import_transactions`. Without it what the line says is not among the rows. */
  row?: number
  field?: keyof StatementRow
  /** The option of `readStatement` that decides it. */
  option?: 'dateOrder' | 'decimal' | 'columns' | 'negate' | 'directions' | 'statuses' | 'account' | 'encoding' | 'roundAmounts' | 'fee'
  /** What is unclear, as the file writes it; with `option`. */
  unclear?: string[]
  /** Possible values of `encoding` or `account`, each with a sample of what the file says then. */
  choices?: Array<{ value: string, sample: string }>
  message: string
}

export type StatementAccount = {
  /** IBAN or number as the bank writes it; in QIF, which has none, the name. */
  id: string
  name?: string
  currency?: string
  /** The closing balance, where the file has one. */
  balance?: { amount: number, on?: string }
  /** Those of `rows` that are of this account. */
  rows: StatementRow[]
}

export type Statement = {
  format: Format
  /** The bank whose layout a CSV file has. */
  preset?: PresetName
  /** How the bytes were read; absent for a text. */
  encoding?: string
  /** The line that names the columns of a CSV file, by which its bank is known again; empty where no line does. */
  header?: string[]
  rows: StatementRow[]
  problems: Problem[]
  /** Empty where the file names none. */
  accounts: StatementAccount[]
}

/** Each wins over what the file seems to say. */
export type ReadOptions = {
  format?: Format
  /** The bank that a CSV file is of; otherwise its header line says so, or the usual names of columns do. */
  preset?: PresetName
  columns?: Columns
  delimiter?: string
  /** What 03/04/2025 is. */
  dateOrder?: DateOrder
  /** What the comma of 1,234 is. */
  decimal?: Decimal
  /** A label of `TextDecoder`. */
  encoding?: string
  /** Of rows for which the file says none. */
  currency?: string
  /** True if positive amounts are what was spent, as in some cards' files; false if they are money that came in. */
  negate?: boolean
  /** The meaning of the words in a direction column. `sign` leaves the sign of the amount. */
  directions?: Record<string, Direction>
  /** The meaning of the words in a status column. */
  statuses?: Record<string, Status>
  /** The CSV column that names the account of each row; false if all rows are of one account. */
  account?: Column | false
  /** Round amounts of more than two decimals, half away from zero; false leaves them out. */
  roundAmounts?: boolean
  /** Whether a column of fees is taken off the amounts; false if they have the fees in them. */
  fee?: boolean
}

/** The file as a whole cannot be read; the message is for whoever chose it. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /** Where `columns` would help: the first of the widest lines, which mostly has the names, and those after it, as cells. */
  readonly lines: readonly string[][]

  constructor(message: string, lines: readonly string[][] = []) {
    super(message)
    this.lines = lines
  }
}
