/** Decides the date order, the decimal sign and the signs, by the options or by all entries. */
import { currencyMark, decimalOf, hasNoDecimals } from './amounts.ts'
import { dateOrderOf, dayIn, looksLikeDay } from './dates.ts'
import { clean, currencyIn, type Entry, type ParsedFile, typeOf } from './entries.ts'
import { decimalQuestion, orderQuestion, signQuestion } from './questions.ts'
import { definedSigns, type Signs, signsByHints, signsOf } from './signs.ts'
import type { DateOrder, Decimal, Problem, ReadOptions } from './types.ts'
import { isOpeningName } from './vocabulary.ts'

const filledTexts = (entries: Entry[], texts: (entry: Entry) => Array<string | undefined>) =>
  entries.flatMap(texts).filter((text) => text !== undefined && text !== '') as string[]

/** All amounts of an entry as text. They can prove the decimal sign. */
const amountTexts = (
  { amount, debit, credit, fee, splits = [] }: Entry,
) => [amount, debit, credit, fee, ...splits.map((split) => split.amount)]

/**
 * The decisions that apply to all entries of a file. `isMixed`: only the amounts name the currency,
 * and the file has several.
 */
export type Conventions = {
  order: DateOrder
  decimal: Decimal
  signs: Signs
  isMixed: boolean
  options: ReadOptions
}

/** Returns the text of the amount, in whichever column it is. */
export const amountText = ({ amount = '', debit = '', credit = '' }: Entry): string =>
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
export const isOpening = (entry: Entry, { keepsOpenings = false }: ParsedFile): boolean =>
  entry.isOpening === true ||
  (!keepsOpenings && [entry.name || (entry.description ?? ''), typeOf(entry)].some(isOpeningName))

/** Returns the currency of an entry; undefined if the file and the options name none. */
export const currencyOf = (
  { account, statement, currency }: Entry,
  options: ReadOptions,
): string | undefined =>
  currencyIn(clean(currency) || ((account ?? statement?.account)?.currency ?? options.currency))

/**
 * Decides the date order, the decimal sign and the signs by the options or by the file. Returns
 * questions if neither decides them.
 */
export function decide(parsed: ParsedFile, options: ReadOptions): Conventions | Problem[] {
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
