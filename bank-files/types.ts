/** Types of `readStatement`: its options, its rows and its problems. All of them are public. */
import type { TextColumn } from './text-columns.ts'
import type { Column, Columns, DateOrder, Decimal, Direction, Status } from './layout.ts'
import type { PresetName } from './presets.ts'

export type * from './layout.ts'
export type { Direction } from './layout.ts'

export type Format = 'csv' | 'ofx' | 'qif' | 'camt' | 'mt940'

/** A JSON value in a row's `metadata`. */
export type Detail = string | number | boolean | Detail[] | { [key: string]: Detail }

/**
 * A transaction with the fields of `import_transactions`, without those that the file does not
 * contain.
 */
export type StatementRow = {
  name: string
  /** Exact to the cent; negative for an expense. */
  amount: number
  /** `YYYY-MM-DD`: the date that the bank prints. */
  transaction_date: string
  /** ISO 4217 code in lower case. */
  currency?: string
  /** The bank's id of the transaction, if no other row of the file has the same. */
  external_id?: string
  status?: Status
  metadata?: { [key: string]: Detail }
} & { [column in TextColumn]?: string }

/** A warning or a question for the user. */
export type Problem = {
  /** Line of the file, from 1. */
  line: number
  /** The name of the file, if the statement has several. */
  file?: string
  /**
   * Index in `rows`, from 1, like `row_number` of `import_transactions`. Undefined if the line has
   * no row.
   */
  row?: number
  field?: keyof StatementRow
  /** The option of `readStatement` that answers the question. */
  option?:
    | 'dateOrder'
    | 'decimal'
    | 'columns'
    | 'negate'
    | 'directions'
    | 'statuses'
    | 'account'
    | 'encoding'
    | 'roundAmounts'
    | 'fee'
  /** The ambiguous texts of the file; only with `option`. */
  unclear?: string[]
  /**
   * Possible values of `dateOrder`, `encoding` or `account`, each with a sample: the date that it
   * gives, or texts of the file.
   */
  choices?: Array<{ value: string, sample: string }>
  message: string
}

/** A balance that the file states, at the end of the day `on`, which some files leave out. */
export type StatementBalance = { amount: number, on?: string }

/**
 * An account is its number and its currency: banks keep several currencies under one number. In OFX
 * it is also its bank and its type.
 */
export type StatementAccount = {
  /**
   * The IBAN or account number in the bank's spelling. In QIF the name, because QIF has no numbers.
   */
  id: string
  /** The bank's number in OFX. */
  bank?: string
  /** The type in OFX, such as `CHECKING`, `SAVINGS`, `CREDITLINE` or `CREDITCARD`. */
  type?: string
  name?: string
  currency?: string
  /**
   * The closing balance, if the file contains one. In CSV the running balances prove it, for the
   * last day before the newest row's.
   */
  balance?: StatementBalance
  /** The rows of this account, a subset of the statement's `rows`. */
  rows: StatementRow[]
}

export type Statement = {
  format: Format
  /** The preset that matches the CSV file. */
  preset?: PresetName
  /** The encoding of the file; undefined if the input was text. */
  encoding?: string
  /**
   * The header line of a CSV file; empty if it has none. An app can use it to recognize the next
   * file of the same bank.
   */
  header?: string[]
  rows: StatementRow[]
  problems: Problem[]
  /** Empty if the file names no account. */
  accounts: StatementAccount[]
  /** The closing balance of a file that names no account, as in `StatementAccount`. */
  balance?: StatementBalance
}

/** Each option overrides the detection. */
export type ReadOptions = {
  format?: Format
  /**
   * The layout of a CSV file. Default: detected by the header line, by presets first, then by the
   * usual names of columns
   */
  preset?: PresetName
  columns?: Columns
  delimiter?: string
  /** The order of day, month and year in dates like 03/04/2025. */
  dateOrder?: DateOrder
  /** The decimal sign, for amounts like 1,234. */
  decimal?: Decimal
  /** A label of `TextDecoder`. */
  encoding?: string
  /** The currency of rows for which the file names none. */
  currency?: string
  /**
   * True if positive amounts are expenses, as in the files of some cards; false if they are income.
   */
  negate?: boolean
  /** The meaning of the words in a direction column. `sign` keeps the sign of the amount. */
  directions?: Record<string, Direction>
  /** The meaning of the words in a status column. */
  statuses?: Record<string, Status>
  /** The CSV column that names the account of each row; false if all rows are of one account. */
  account?: Column | false
  /**
   * True rounds amounts with more decimals than can be stored, half away from zero; false skips
   * their rows.
   */
  roundAmounts?: boolean
  /** True if the fees must be subtracted from the amounts; false if the amounts include them. */
  fee?: boolean
}

/** The file cannot be read at all. The message is a sentence for the user. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /**
   * The cells of the probable header line and of some lines after it. Only if the option `columns`
   * would help.
   */
  readonly lines: readonly string[][]

  constructor(message: string, lines: readonly string[][] = []) {
    super(message)
    this.lines = lines
  }
}
