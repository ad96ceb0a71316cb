/**
 * Converts the entries of every format reader to rows: the only place that decides dates, decimals,
 * signs, names and duplicate ids.
 */
import { textLengths } from './text-columns.ts'
import { accountKeys, accountsOf, completeAccounts } from './accounts.ts'
import {
  amountIn,
  centsText,
  currencyMark,
  decimalOf,
  hasMoreDecimals,
  hasNoDecimals,
  inUnits,
} from './amounts.ts'
import { followCorrections } from './corrections.ts'
import { dateOrderOf, dayIn, looksLikeDay } from './dates.ts'
import {
  balanceProblem,
  clean,
  currencyIn,
  type Entry,
  type ParsedFile,
  placeOf,
  reference,
  type Split,
  typeOf,
} from './entries.ts'
import { textColumns } from './layout.ts'
import { removeAnnounced } from './announced.ts'
import { removeRenamed } from './other-names.ts'
import { decimalQuestion, orderQuestion, signQuestion } from './questions.ts'
import { removeRepeats } from './repeats.ts'
import { removeSharedIds } from './shared-ids.ts'
import { definedSigns, plainCents, type Signs, signsByHints, signsOf } from './signs.ts'
import { entriesByStatement, gapProblems, sumProblems } from './statement-sums.ts'
import { endsWithTotal } from './totals.ts'
import { isOpeningName } from './vocabulary.ts'
import type {
  DateOrder,
  Decimal,
  Detail,
  Problem,
  ReadOptions,
  Statement,
  StatementRow,
} from './types.ts'

/** Removes members that are undefined or ''. Banks leave fields empty. */
const withoutEmpty = <T extends object>(values: T) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [K in keyof T]: Exclude<T[K], undefined> }

const filledTexts = (entries: Entry[], texts: (entry: Entry) => Array<string | undefined>) =>
  entries.flatMap(texts).filter((text) => text !== undefined && text !== '') as string[]

/** All amounts of an entry as text. They can prove the decimal sign. */
const amountTexts = (
  { amount, debit, credit, fee, splits = [] }: Entry,
) => [amount, debit, credit, fee, ...splits.map((split) => split.amount)]

/**
 * In bytes of JSON. The table's limit is 16 KiB in PostgreSQL's notation, which is a little longer.
 */
const MAX_METADATA = 14_000

/**
 * Returns the parts with exact amounts. `addUp` is true if their sum is the amount of the
 * transaction, in cents.
 */
function partsOf(
  splits: Split[],
  decimal: Decimal,
  total: number,
): { parts: Array<{ [key: string]: Detail }>, addUp: boolean } {
  const cents = splits.map(({ amount }) => amountIn(amount ?? '0', decimal))
  const parts = splits.map(({ category, memo }, index) => {
    const exact = cents[index]
    return withoutEmpty<{ [key: string]: Detail | undefined }>({
      category,
      memo,
      amount: typeof exact === 'number' ? exact / 100 : undefined,
    })
  })
  return {
    parts,
    addUp: cents.reduce<number>(
      (sum, part) => sum + (typeof part === 'number' ? part : Number.NaN),
      0,
    ) === total,
  }
}

/** Returns the amount of an entry in cents, or an error message. */
function centsOf(entry: Entry, decimal: Decimal, signs: Signs): number | string {
  const texts = [entry.amount, entry.debit, entry.credit]
  if (texts.every((text) => text === undefined || text.trim() === '')) return 'There is no amount.'
  const [amount, debit, credit, fee] = [...texts, entry.fee].map((text) =>
    text === undefined || text.trim() === '' ? 0 : amountIn(text, decimal)
  )
  for (const part of [amount, debit, credit, fee]) if (typeof part === 'string') return part
  if (debit !== 0 && credit !== 0) return 'There is an amount in both columns, debit and credit.'
  const out = signs.expenses?.get(entry)
  if (out === null)
    return 'Nothing says whether this money came or went: the balance before it is not in the file.'
  const signed = plainCents(out === undefined ? entry : { ...entry, out }, decimal, signs)
  // `|| 0` turns -0 into 0
  return (signs.negate ? -signed : signed) - Math.abs(fee as number) || 0
}

/**
 * The decisions that apply to all entries of a file. `isMixed`: only the amounts name the currency,
 * and the file has several.
 */
type Conventions = {
  order: DateOrder
  decimal: Decimal
  signs: Signs
  isMixed: boolean
  options: ReadOptions
}

/** Returns the text of the amount, in whichever column it is. */
const amountText = ({ amount = '', debit = '', credit = '' }: Entry) =>
  [amount, debit, credit].find((text) => text.trim() !== '') ?? ''

/** Returns the signs of all amounts, or the entries that make them unclear. */
function decideSigns(
  { entries, signs }: ParsedFile,
  decimal: Decimal,
  { negate }: ReadOptions,
): Signs | { unclear: Entry[] } {
  if (signs === 'open') return signsOf(entries, decimal, negate)
  if (signs === 'proof' && entries.length > 0) {
    const proved = negate ?? signsByHints(entries, decimal)
    return proved === undefined
      ? { unclear: entries.slice(0, 1) }
      : definedSigns(entries, decimal, proved)
  }
  return definedSigns(entries, decimal, negate ?? false, signs === 'columns')
}

/** Returns true for the record of an account's opening balance. */
const isOpening = (entry: Entry, { keepsOpenings = false }: ParsedFile) =>
  entry.isOpening === true ||
  (!keepsOpenings && [entry.name || (entry.description ?? ''), typeOf(entry)].some(isOpeningName))

/** Returns the currency of an entry; undefined if the file and the options name none. */
const currencyOf = ({ account, statement, currency }: Entry, options: ReadOptions) =>
  currencyIn(clean(currency) || ((account ?? statement?.account)?.currency ?? options.currency))

/**
 * Decides the date order, the decimal sign and the signs by the options or by the file. Returns
 * questions if neither decides them.
 */
function decide(parsed: ParsedFile, options: ReadOptions): Conventions | Problem[] {
  const { entries, dateOrders } = parsed
  const booked = new Set(
    entries.flatMap(({ date, status }) => status === undefined || status === 'paid' ? [date] : []),
  )
  const days = filledTexts(entries, ({ date }) => [date])
  const order = options.dateOrder ??
    dateOrderOf(days, new Set(days.filter((day) => !booked.has(day))), dateOrders)
  const whole = entries.filter((entry) => hasNoDecimals(currencyOf(entry, options)))
  const decimal = options.decimal ??
    decimalOf(filledTexts(entries, amountTexts), new Set(filledTexts(whole, amountTexts)))
  const questions: Problem[] = []
  if (typeof order === 'object') {
    const { unclear, orders } = order
    const at = entries.find(({ date }) => date === unclear[0])
    const sample = (value: DateOrder) =>
      unclear.map((text) => dayIn(text, value, true)).find((text) => text !== undefined) ?? ''
    questions.push(orderQuestion(at?.line ?? 1, unclear, orders, sample))
  }
  if (typeof decimal === 'object') {
    const at = entries.find((entry) => amountTexts(entry).includes(decimal.unclear[0]))
    return [...questions, decimalQuestion(at?.line ?? 1, decimal.unclear)]
  }
  // a line without a day is no transaction, such as a total, and of an opening balance only the
  // balance counts
  const forSigns = entries.flatMap((entry) =>
    isOpening(entry, parsed)
      ? [{ ...entry, name: '', description: '', amount: '', debit: '', credit: '' }]
      : looksLikeDay(entry.date)
      ? [entry]
      : []
  )
  const signs = decideSigns({ ...parsed, entries: forSigns }, decimal, options)
  if ('unclear' in signs) return [...questions, signQuestion(signs.unclear, decimal)]
  const marks = new Set(
    entries.flatMap((entry) =>
      entry.currency === undefined || entry.currency === ''
        ? currencyMark(amountText(entry)) ?? []
        : []
    ),
  )
  return typeof order === 'object'
    ? questions
    : { order, decimal, signs, isMixed: marks.size > 1, options }
}

/** Returns the row of an entry with its warnings; no row without a valid date and amount. */
function rowOf(
  entry: Entry,
  { order, decimal, signs, isMixed, options }: Conventions,
): { row?: StatementRow, notes: Array<Omit<Problem, 'line' | 'row'>> } {
  const notes: Array<Omit<Problem, 'line' | 'row'>> = [...entry.notes ?? []]
  const date = dayIn(entry.date, order, options.dateOrder !== undefined)
  const isMarked = isMixed && clean(entry.currency) === ''
  const currency = isMarked
    ? currencyIn(currencyMark(amountText(entry))) ?? currencyIn(options.currency)
    : currencyOf(entry, options)
  const exact = centsOf(entry, decimal, signs)
  const cents = typeof exact === 'string' ? exact : inUnits(exact, currency)
  if (date === undefined) {
    notes.push({
      field: 'transaction_date',
      message: entry.date.trim() === ''
        ? 'There is no date.'
        : `"${clean(entry.date, 40)}" is no date.`,
    })
  }
  if (typeof cents === 'string') notes.push({ field: 'amount', message: cents })
  if (isMarked && currency === undefined) {
    notes.push({
      field: 'currency',
      message: `The file has amounts in several currencies, and "${
        amountText(entry).trim()
      }" does not say which one.`,
    })
  }
  if (date === undefined || typeof cents === 'string' || (isMarked && currency === undefined))
    return { notes }
  const inexact = [entry.amount, entry.debit, entry.credit, entry.fee].find((text) =>
    text !== undefined && hasMoreDecimals(text, decimal, currency)
  )
  if (inexact !== undefined && options.roundAmounts !== true) {
    const open = options.roundAmounts === undefined
      ? { option: 'roundAmounts' as const, unclear: [inexact] }
      : {}
    const choices = options.roundAmounts === undefined
      ? ' Say whether such amounts are rounded or left out: roundAmounts true or false.'
      : ''
    return {
      notes: [{
        field: 'amount',
        ...open,
        message: `"${inexact}" has more decimals than can be stored.${choices}`,
      }],
    }
  }
  if (cents === 0)
    return { notes: [{ field: 'amount', message: 'This moves no money, so it was left out.' }] }
  const amount = cents / 100
  if (inexact !== undefined)
    notes.push({
      field: 'amount',
      message: `"${inexact}" has more decimals than can be stored, so the amount was rounded to ${
        centsText(cents, currency)
      }.`,
    })
  const description = clean(entry.description, textLengths.description)
  const counterparty = clean(
    amount > 0 && entry.payer !== undefined && entry.payer !== '' ? entry.payer : entry.name,
    5000,
  )
  const name = clean(counterparty || description || entry.fallbackName)
  if (name === '')
    notes.push({
      field: 'name',
      message: 'This row has neither a name nor a description, so its name is "Unnamed".',
    })
  const longText = counterparty.length > name.length ? counterparty : description

  const currencyText = clean(entry.currency)
  if (currencyText !== '' && currency === undefined)
    notes.push({
      field: 'currency',
      message: `"${clean(currencyText, 40)}" is no currency's code.`,
    })

  const split = entry.splits === undefined ? undefined : partsOf(entry.splits, decimal, cents)
  if (split?.addUp === false)
    notes.push({ field: 'metadata', message: 'The parts of this split do not add up to it.' })
  const metadata = withoutEmpty<Record<string, Detail | undefined>>({
    ...entry.metadata,
    splits: split?.parts,
  })
  const fits = new TextEncoder().encode(JSON.stringify(metadata)).length <= MAX_METADATA
  if (!fits)
    notes.push({
      field: 'metadata',
      message: 'The other data of this row is too large to store, so it was left out.',
    })

  const id = clean(reference(entry.external_id), 5000)
  const row = withoutEmpty({
    name: name || 'Unnamed',
    amount,
    transaction_date: date,
    currency,
    external_id: id.length <= 255 ? id : undefined,
    ...Object.fromEntries(
      textColumns.map((column) => [column, clean(entry[column], textLengths[column])]),
    ),
    description: longText === name ? undefined : longText,
    status: entry.status,
    metadata: Object.keys(metadata).length === 0 || !fits ? undefined : metadata,
  }) as StatementRow
  return { row, notes }
}

/**
 * Returns the rows of a file. If the file does not decide a convention, it returns no rows and a
 * question for the user. A majority of amounts can decide the signs (`signs.ts`), everything else
 * needs a proof.
 */
export function toRows(
  parsed: ParsedFile,
  options: ReadOptions,
): Pick<Statement, 'rows' | 'problems' | 'accounts' | 'balance'> {
  completeAccounts(parsed.statements)
  const readerProblems = [...parsed.problems]
  const current = followCorrections(parsed.entries, readerProblems)
  const openings = new Set(current.filter((entry) => isOpening(entry, parsed)))
  const entries = current.filter((entry) => !openings.has(entry))
  readerProblems.push(...[...openings].map(balanceProblem))
  const decided = decide(parsed, options)
  if (Array.isArray(decided))
    return { rows: [], problems: [...readerProblems, ...decided], accounts: [] }
  // the reader has a question for the user
  if (readerProblems.some(({ option }) => option !== undefined))
    return { rows: [], problems: readerProblems, accounts: [] }
  const problems = [...readerProblems]
  const rows: StatementRow[] = []
  const rowEntries: Entry[] = []
  /** Problems with a `row` that still counts the duplicates. */
  const rowProblems: Problem[] = []
  for (const entry of entries) {
    const { row, notes } = rowOf(entry, decided)
    const place = placeOf(entry)
    if (row === undefined) {
      for (const note of notes) problems.push({ ...place, ...note })
      continue
    }
    for (const note of notes) rowProblems.push({ ...place, row: rows.length, ...note })
    rows.push(row)
    rowEntries.push(entry)
  }
  if (parsed.statements.length === 0 && endsWithTotal(rows)) {
    rows.pop()
    problems.push(balanceProblem(rowEntries.pop()!))
  }
  const keys = accountKeys(rows, rowEntries, parsed.statements, options)
  const byStatement = entriesByStatement(parsed.entries)
  const duplicates = removeSharedIds({
    rows,
    entries: rowEntries,
    keys,
    statements: byStatement,
    decimal: decided.decimal,
  }, rowProblems)
  problems.push(
    ...sumProblems(
      parsed.statements,
      byStatement,
      new Set([...duplicates].map((index) => rowEntries[index]!)),
    ),
  )
  problems.push(...gapProblems(parsed.statements, byStatement))
  removeRepeats(keys, { rows, entries: rowEntries, duplicates, problems: rowProblems })
  removeRenamed(keys, { rows, entries: rowEntries, duplicates, problems: rowProblems }, byStatement)
  removeAnnounced(keys, { rows, entries: rowEntries, duplicates, problems: rowProblems })
  const rowNumbers = new Map<number, number>()
  for (const index of rows.keys())
    if (!duplicates.has(index)) rowNumbers.set(index, rowNumbers.size + 1)
  for (const { row: index, ...problem } of rowProblems) {
    const row = index === undefined ? undefined : rowNumbers.get(index)
    if (row !== undefined) problems.push({ ...problem, row })
    // a duplicate has one problem, without `row`; the others of its row are dropped
    else if (index === undefined) problems.push(problem)
  }
  const { accounts, balance } = accountsOf(
    rows,
    rowEntries,
    keys,
    duplicates,
    parsed.statements,
    decided,
    problems,
  )
  const fileOf = ({ file = '' }: Problem) => file
  problems.sort((a, b) =>
    fileOf(a) === fileOf(b) ? a.line - b.line : fileOf(a) < fileOf(b) ? -1 : 1
  )
  return {
    rows: rows.filter((_, index) => !duplicates.has(index)),
    problems,
    accounts,
    ...balance === undefined ? {} : { balance },
  }
}
