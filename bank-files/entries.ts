/**
 * The common result of the format readers, before entry-row.ts interprets dates and amounts, and
 * helpers to clean text.
 */
import type { TextColumn } from './text-columns.ts'
import type { DateOrder, Detail, Problem, StatementAccount, StatementRow } from './types.ts'

/**
 * An account as the file names it. `currency` applies to rows that name no other. Without a name in
 * the file the `id` is empty.
 */
export type FileAccount = Omit<StatementAccount, 'rows' | 'balance'>

/** A balance as text of the file, with its line. */
export type FileBalance = { line: number, amount: string, on: string }

/** A statement of one account in one currency: its balances, which can prove its entries. */
export type FileStatement = {
  line: number
  /** The name of the file in its archive. */
  file?: string
  account: FileAccount
  /** The bank's number of the statement. */
  number?: string
  /**
   * A text that is greater in a later statement of the account: the bank's sequence number, the
   * time of the file or the end of the period.
   */
  sequence?: string
  opening?: FileBalance
  closing?: FileBalance
  /** True if the closing balance ends a page and no day. */
  isPage?: boolean
}

/** A part of a split transaction. All values are text of the file. */
export type Split = { category: string, memo?: string, amount?: string }

/** A transaction before its interpretation. All values are text of the file. */
export type Entry = {
  line: number
  /** The name of the file in its archive. */
  file?: string
  account?: FileAccount
  statement?: FileStatement
  date: string
  amount?: string
  /** `debit` and `credit` replace `amount`. */
  debit?: string
  credit?: string
  fee?: string
  /** True for an expense, false for income. Undefined if only the sign of the amount decides. */
  out?: boolean
  /**
   * The expected direction by a word of the file; true for an expense. Only checks the sign of the
   * amount.
   */
  hint?: boolean
  /** True for a record of the account's opening balance. */
  isOpening?: boolean
  /** Possible running balances, one per column. They can prove the signs of the amounts. */
  balances?: string[]
  notes?: Array<{ field: keyof StatementRow, message: string }>
  name: string
  /** Replaces `name` for income. */
  payer?: string
  /** The name if `name` and `description` are empty. */
  fallbackName?: string
  external_id?: string
  currency?: string
  status?: StatementRow['status']
  metadata?: Record<string, Detail | undefined>
  splits?: Split[]
  /** The id of an earlier transaction that this one replaces, or that its bank deletes. */
  corrects?: { id: string, isDeleted: boolean }
  /** The entry of the bank whose parts are transactions of their own; one object for all parts. */
  batch?: { id: string }
} & { [column in TextColumn]?: string }

/** The result of a format reader. */
export type ParsedFile = {
  /**
   * The source of the signs. `defined`: the format or a preset. `columns`: debit and credit
   * columns, regardless of their own signs. `open`: unknown. `proof`: the hints of the entries must
   * prove them.
   */
  signs: 'defined' | 'open' | 'columns' | 'proof'
  /** True if rows with the name of an opening balance stay, because `readAppExport` reads them. */
  keepsOpenings?: boolean
  /** The orders of dates that the bank writes. Default: any */
  dateOrders?: readonly DateOrder[]
  entries: Entry[]
  problems: Problem[]
  /** The statements of formats that have them. */
  statements: FileStatement[]
}

/** A line of a file. An archive has several files. */
type Place = { line: number, file?: string | undefined }

/** Returns the place of an entry or a statement, for its problems. */
export const placeOf = ({ line, file }: Place): Pick<Problem, 'line' | 'file'> => ({
  line,
  ...file === undefined ? {} : { file },
})

/** Returns the place of an entry or a statement as words of a message. */
export const nameOf = ({ line, file }: Place): string =>
  file === undefined ? `line ${line}` : `line ${line} of ${file}`

/** Joins the files of one archive. Each entry, statement and problem gets the name of its file. */
export function joined(files: Array<{ name: string, parsed: ParsedFile }>): ParsedFile {
  for (const { name, parsed } of files)
    for (const one of [...parsed.entries, ...parsed.problems, ...parsed.statements])
      one.file = name
  const all = files.map(({ parsed }) => parsed)
  return {
    signs: 'defined',
    entries: all.flatMap(({ entries }) => entries),
    problems: all.flatMap(({ problems }) => problems),
    statements: all.flatMap(({ statements }) => statements),
  }
}

/**
 * Returns the text on one line, as PostgreSQL can store it, with at most `maxLength` characters.
 */
export const clean = (text = '', maxLength = 255): string => {
  const line = text.replace(/\s+/g, ' ').replace(/\p{Surrogate}/gu, '\uFFFD').trim()
  return line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join('').trim()
}

/** Returns the type of transaction, as the file names it, or ''. */
export function typeOf({ metadata }: Pick<Entry, 'metadata'>): string {
  const type = metadata?.['type']
  return typeof type === 'string' ? type : ''
}

/** Returns the reference, or '' for a placeholder such as NOTPROVIDED. */
export const reference = (text = ''): string =>
  /^(?:NOT ?PROVIDED|NONREF|NOREF|NONE|N\/A|UNKNOWN|0+)$/i.test(text.trim()) ? '' : text

/** Returns the problem of a line that is no transaction. */
export const balanceProblem = (
  { name, description = '', ...place }: Pick<Entry, 'line' | 'file' | 'name' | 'description'>,
): Problem => ({
  ...placeOf(place),
  message: `"${
    clean(name || description, 60)
  }" is the name of a balance or a total, not of a transaction. This line was skipped.`,
})

/** Returns a currency code in lower case; undefined if the text is no currency. */
export const currencyIn = (text = ''): string | undefined =>
  /^[a-z]{3}$/i.test(text.trim())
    ? text.trim().toLowerCase()
    : text.trim() === '€'
    ? 'eur'
    : undefined
