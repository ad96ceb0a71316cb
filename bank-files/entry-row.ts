/** Converts an entry of any format to its row, with warnings and the reasons against it. */
import { amountIn, centsText, currencyMark, hasMoreDecimals, inUnits } from './amounts.ts'
import { amountText, type Conventions, currencyOf } from './conventions.ts'
import { dayIn } from './dates.ts'
import { clean, currencyIn, type Entry, reference, type Split } from './entries.ts'
import { textColumns } from './layout.ts'
import { plainCents, type Signs } from './signs.ts'
import { textLengths } from './text-columns.ts'
import type { Decimal, Detail, Problem, ReadOptions, StatementRow } from './types.ts'

/** Removes members that are undefined or ''. Banks leave fields empty. */
const withoutEmpty = <T extends object>(values: T) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [K in keyof T]: Exclude<T[K], undefined> }

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
  if (texts.every((text) => text === undefined || text.trim() === ''))
    return 'The amount is missing.'
  const [amount, debit, credit, fee] = [...texts, entry.fee].map((text) =>
    text === undefined || text.trim() === '' ? 0 : amountIn(text, decimal)
  )
  for (const part of [amount, debit, credit, fee]) if (typeof part === 'string') return part
  if (debit !== 0 && credit !== 0) return 'Both the debit and the credit column have an amount.'
  const out = signs.expenses?.get(entry)
  if (out === null)
    return 'The file does not say whether this is income or an expense: the previous balance is missing.'
  const signed = plainCents(out === undefined ? entry : { ...entry, out }, decimal, signs)
  // `|| 0` turns -0 into 0
  return (signs.negate ? -signed : signed) - Math.abs(fee as number) || 0
}

/** A warning, or the reason why an entry has no row. */
type Note = Omit<Problem, 'line' | 'row'>

/**
 * Returns the currency of an entry. `isMissing` is true if only its amount could name it, and does
 * not.
 */
function currencyAt(
  entry: Entry,
  { isMixed, options }: Conventions,
): { currency: string | undefined, isMissing: boolean } {
  if (!isMixed || clean(entry.currency) !== '')
    return { currency: currencyOf(entry, options), isMissing: false }
  const currency = currencyIn(currencyMark(amountText(entry))) ?? currencyIn(options.currency)
  return { currency, isMissing: currency === undefined }
}

/** Returns the problem of an amount with too many decimals: a question, unless it is answered. */
function inexactNote(text: string, { roundAmounts }: ReadOptions): Note {
  const open = roundAmounts === undefined
    ? { option: 'roundAmounts' as const, unclear: [text] }
    : {}
  const choices = roundAmounts === undefined
    ? ' Specify whether to round or skip such amounts: roundAmounts true or false.'
    : ''
  return {
    field: 'amount',
    ...open,
    message: `"${text}" has too many decimals.${choices}`,
  }
}

/** Returns the name, '' for none, and the description, if it says more. */
function textsOf(entry: Entry, isIncome: boolean): { name: string, description?: string } {
  const description = clean(entry.description, textLengths.description)
  const counterparty = clean(
    isIncome && entry.payer !== undefined && entry.payer !== '' ? entry.payer : entry.name,
    5000,
  )
  const name = clean(counterparty || description || entry.fallbackName)
  const longText = counterparty.length > name.length ? counterparty : description
  return { name, ...longText === name ? {} : { description: longText } }
}

/** Returns the data of a row that has no column. */
function metadataOf(
  entry: Entry,
  decimal: Decimal,
  cents: number,
): { metadata: Record<string, Detail> | undefined, notes: Note[] } {
  const notes: Note[] = []
  const split = entry.splits === undefined ? undefined : partsOf(entry.splits, decimal, cents)
  if (split?.addUp === false)
    notes.push({
      field: 'metadata',
      message: 'The parts of this split do not add up to its amount.',
    })
  const metadata = withoutEmpty<Record<string, Detail | undefined>>({
    ...entry.metadata,
    splits: split?.parts,
  })
  const fits = new TextEncoder().encode(JSON.stringify(metadata)).length <= MAX_METADATA
  if (!fits)
    notes.push({
      field: 'metadata',
      message: 'The additional data of this row is too large, so it was skipped.',
    })
  return { metadata: Object.keys(metadata).length === 0 || !fits ? undefined : metadata, notes }
}

/** Returns the warnings about the name, the currency and the rounded amount of a row. */
function warningsOf(
  entry: Entry,
  { name, currency, inexact, cents }: {
    name: string
    currency: string | undefined
    inexact: string | undefined
    cents: number
  },
): Note[] {
  const notes: Note[] = []
  if (inexact !== undefined)
    notes.push({
      field: 'amount',
      message: `"${inexact}" has too many decimals, so the amount was rounded to ${
        centsText(cents, currency)
      }.`,
    })
  if (name === '')
    notes.push({
      field: 'name',
      message: 'This row has neither a name nor a description, so it was named "Unnamed".',
    })
  const currencyText = clean(entry.currency)
  if (currencyText !== '' && currency === undefined)
    notes.push({
      field: 'currency',
      message: `"${clean(currencyText, 40)}" is not a currency code.`,
    })
  return notes
}

/**
 * Returns the date, the currency and the amount of an entry, or the reasons why one of them is
 * missing.
 */
function factsOf(
  entry: Entry,
  conventions: Conventions,
): { date: string, currency: string | undefined, cents: number } | Note[] {
  const { order, decimal, signs, options } = conventions
  const notes: Note[] = []
  const date = dayIn(entry.date, order, options.dateOrder !== undefined)
  const { currency, isMissing } = currencyAt(entry, conventions)
  const exact = centsOf(entry, decimal, signs)
  const cents = typeof exact === 'string' ? exact : inUnits(exact, currency)
  if (date === undefined) {
    notes.push({
      field: 'transaction_date',
      message: entry.date.trim() === ''
        ? 'The date is missing.'
        : `"${clean(entry.date, 40)}" is not a date.`,
    })
  }
  if (typeof cents === 'string') notes.push({ field: 'amount', message: cents })
  if (isMissing) {
    notes.push({
      field: 'currency',
      message: `The file has amounts in several currencies, and "${
        amountText(entry).trim()
      }" does not have one.`,
    })
  }
  return date === undefined || typeof cents === 'string' || isMissing
    ? notes
    : { date, currency, cents }
}

/** Returns the row of an entry with its warnings; no row without a valid date and amount. */
export function rowOf(
  entry: Entry,
  conventions: Conventions,
): { row?: StatementRow, notes: Note[] } {
  const { decimal, options } = conventions
  const entryNotes = entry.notes ?? []
  const facts = factsOf(entry, conventions)
  if (Array.isArray(facts)) return { notes: [...entryNotes, ...facts] }
  const { date, currency, cents } = facts
  const inexact = [entry.amount, entry.debit, entry.credit, entry.fee].find((text) =>
    text !== undefined && hasMoreDecimals(text, decimal, currency)
  )
  if (inexact !== undefined && options.roundAmounts !== true)
    return { notes: [inexactNote(inexact, options)] }
  if (cents === 0)
    return { notes: [{ field: 'amount', message: 'This line moves no money, so it was skipped.' }] }
  const { name, description } = textsOf(entry, cents > 0)
  const { metadata, notes } = metadataOf(entry, decimal, cents)
  const id = clean(reference(entry.external_id), 5000)
  const row = withoutEmpty({
    name: name || 'Unnamed',
    amount: cents / 100,
    transaction_date: date,
    currency,
    external_id: id.length <= 255 ? id : undefined,
    ...Object.fromEntries(
      textColumns.map((column) => [column, clean(entry[column], textLengths[column])]),
    ),
    description,
    status: entry.status,
    metadata,
  }) as StatementRow
  const warnings = warningsOf(entry, { name, currency, inexact, cents })
  return { row, notes: [...entryNotes, ...warnings, ...notes] }
}
