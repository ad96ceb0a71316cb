/** What every format's reader hands over becomes rows here: one way to decide dates, decimals, names and shared ids. */
import { amountIn, decimalOf, hasMoreDecimals } from './amounts.ts'
import { dateOrderOf, dayIn } from './dates.ts'
import { clean, currencyIn, type Entry, type Found, reference, type Split } from './entries.ts'
import { takeSharedIdsAway } from './shared-ids.ts'
import { contradictions, plainCents, type Signs, signsOf } from './signs.ts'
import type { DateOrder, Decimal, Detail, Problem, ReadOptions, Statement, StatementAccount, StatementRow } from './types.ts'

/** Without what is not there: a bank's empty field says nothing. */
const filled = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== '')) as { [K in keyof T]: Exclude<T[K], undefined> }

const wanted = (entries: Entry[], texts: (entry: Entry) => Array<string | undefined>) =>
  entries.flatMap(texts).filter((text) => text !== undefined && text !== '') as string[]

/** Everything of an entry that is an amount, and so tells which sign the decimals have. */
const textsOf = ({ amount, debit, credit, fee, splits = [] }: Entry) => [amount, debit, credit, fee, ...splits.map((split) => split.amount)]

/** In bytes of JSON; the table takes 16 KiB as PostgreSQL prints it, which is a little more. */
const MOST_METADATA = 14_000

/** Parts with exact amounts, and whether they add up to the whole. */
function partsOf(splits: Split[], decimal: Decimal, whole: number): { parts: Array<{ [key: string]: Detail }>, addUp: boolean } {
  const cents = splits.map(({ amount }) => amountIn(amount ?? '0', decimal))
  const parts = splits.map(({ category, memo }, index) => {
    const exact = cents[index]
    return filled<{ [key: string]: Detail | undefined }>({ category, memo, amount: typeof exact === 'number' ? exact / 100 : undefined })
  })
  return { parts, addUp: cents.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : Number.NaN), 0) === whole }
}

/** Returns the cents of an entry, or a sentence of what is wrong. */
function centsOf(entry: Entry, decimal: Decimal, signs: Signs): number | string {
  const texts = [entry.amount, entry.debit, entry.credit]
  if (texts.every((text) => text === undefined || text.trim() === '')) return 'There is no amount.'
  const [amount, debit, credit, fee] = [...texts, entry.fee].map((text) => text === undefined || text.trim() === '' ? 0 : amountIn(text, decimal))
  for (const part of [amount, debit, credit, fee]) if (typeof part === 'string') return part
  if (debit !== 0 && credit !== 0) return 'There is an amount in both columns, debit and credit.'
  const out = signs.byBalance?.get(entry)
  if (out === null) return 'Nothing says whether this money came or went: the balance before it is not in the file.'
  const signed = plainCents(out === undefined ? entry : { ...entry, out }, decimal, signs)
  // -0 would be another number than 0 for who compares
  return (signs.negate ? -signed : signed) - Math.abs(fee as number) || 0
}

/** A question that only a person can answer, in place of rows that may be wrong. */
const question = (option: 'dateOrder' | 'decimal', { unclear }: { unclear: string[] }, choices: string): Problem => ({
  line: 1,
  field: option === 'decimal' ? 'amount' : 'transaction_date',
  option,
  unclear,
  message: unclear.length > 1
    ? `"${unclear.join('" and "')}" are written in different ways. Say which the file has: ${choices}.`
    : `"${unclear[0]}" can be read in two ways and nothing in the file decides it. Say which: ${choices}.`,
})

/** The question whether amounts are what was spent. */
function signQuestion([first, other]: Entry[], decimal: Decimal): Problem {
  const textOf = (entry: Entry) => [entry.amount, entry.debit, entry.credit].find((text) => text !== undefined && text.trim() !== '')?.trim() ?? ''
  const said = [first!, ...other === undefined ? [] : [other]].map((entry) => `${textOf(entry)} ${clean(entry.name || entry.otherwise, 60)}`.trim())
  const isBelow = typeof amountIn(textOf(first!), decimal) === 'number' && Number(amountIn(textOf(first!), decimal)) < 0
  return {
    line: first!.line,
    field: 'amount',
    option: 'negate',
    unclear: said,
    message: `"${said.join('" and "')}": nothing in the file proves whether ${isBelow ? 'a minus' : 'an amount without a minus'} is money that ${
      isBelow ? 'went' : 'came'
    }. Say which: negate true (amounts without a minus are what was spent) or false (they are money that came in).`,
  }
}

/** What is the same for all entries of a file. */
type Known = { order: DateOrder, decimal: Decimal, signs: Signs, currencies: Map<string, string | undefined>, options: ReadOptions }

/** The signs of all amounts, or the entries that make them unclear. */
function decideSigns({ entries, signs }: Found, decimal: Decimal, { negate }: ReadOptions): Signs | { unclear: Entry[] } {
  if (signs === 'open') return signsOf(entries, decimal, negate)
  const unclear = negate === undefined ? contradictions(entries, decimal) : []
  return unclear.length > 0 ? { unclear } : signsOf(entries, decimal, negate ?? false, signs === 'columns')
}

/** Decides order of days, decimal sign and signs as a person said or as the file proves; returns questions for the others. */
function decide(found: Found, options: ReadOptions): Pick<Known, 'order' | 'decimal' | 'signs'> | Problem[] {
  const { entries } = found
  const order = options.dateOrder ?? dateOrderOf(wanted(entries, ({ date }) => [date]))
  const decimal = options.decimal ?? decimalOf(wanted(entries, textsOf))
  const questions: Problem[] = []
  if (typeof order === 'object') {
    const at = entries.find(({ date }) => date === order.unclear[0])
    questions.push({ ...question('dateOrder', order, 'dateOrder "dmy" (day first) or "mdy" (month first)'), line: at?.line ?? 1 })
  }
  if (typeof decimal === 'object') {
    const at = entries.find((entry) => textsOf(entry).includes(decimal.unclear[0]))
    return [...questions, { ...question('decimal', decimal, 'decimal "." or ","'), line: at?.line ?? 1 }]
  }
  const signs = decideSigns(found, decimal, options)
  if ('unclear' in signs) return [...questions, signQuestion(signs.unclear, decimal)]
  return typeof order === 'object' ? questions : { order, decimal, signs }
}

/** The row of an entry, if it has a day and an amount; and what is to be said of it. */
function rowOf(
  entry: Entry,
  { order, decimal, signs, currencies, options }: Known,
): { row?: StatementRow, notes: Array<Omit<Problem, 'line' | 'row'>> } {
  const notes: Array<Omit<Problem, 'line' | 'row'>> = [...entry.notes ?? []]
  const date = dayIn(entry.date, order, options.dateOrder !== undefined)
  const cents = centsOf(entry, decimal, signs)
  if (date === undefined) {
    notes.push({ field: 'transaction_date', message: entry.date.trim() === '' ? 'There is no date.' : `"${clean(entry.date, 40)}" is no date.` })
  }
  if (typeof cents === 'string') notes.push({ field: 'amount', message: cents })
  if (date === undefined || typeof cents === 'string') return { notes }
  const inexact = [entry.amount, entry.debit, entry.credit, entry.fee].find((text) => text !== undefined && hasMoreDecimals(text, decimal))
  if (inexact !== undefined && options.roundAmounts !== true) {
    const open = options.roundAmounts === undefined ? { option: 'roundAmounts' as const, unclear: [inexact] } : {}
    const choices = options.roundAmounts === undefined ? ' Say whether such amounts are rounded or left out: roundAmounts true or false.' : ''
    return { notes: [{ field: 'amount', ...open, message: `"${inexact}" has more than two decimals.${choices}` }] }
  }
  if (cents === 0) return { notes: [{ field: 'amount', message: 'This moves no money, so it was left out.' }] }
  const amount = cents / 100
  if (inexact !== undefined) notes.push({ field: 'amount', message: `"${inexact}" was rounded to ${Math.abs(amount).toFixed(2)}.` })
  const description = clean(entry.description, 5000)
  const who = clean(amount > 0 && entry.payer !== undefined && entry.payer !== '' ? entry.payer : entry.name, 5000)
  const called = clean(who || description || entry.otherwise)
  if (called === '') notes.push({ field: 'name', message: 'This says neither who nor what, so it is called "Unnamed".' })
  const more = who.length > called.length ? who : description

  const says = clean(entry.currency)
  const currency = says === '' ? currencies.get(entry.account ?? '') ?? currencyIn(options.currency) : currencyIn(says)
  if (says !== '' && currency === undefined) notes.push({ field: 'currency', message: `"${clean(says, 40)}" is no currency's code.` })

  const split = entry.splits === undefined ? undefined : partsOf(entry.splits, decimal, cents)
  if (split?.addUp === false) notes.push({ field: 'metadata', message: 'The parts of this split do not add up to it.' })
  const metadata = filled<Record<string, Detail | undefined>>({ ...entry.metadata, splits: split?.parts })
  const fits = new TextEncoder().encode(JSON.stringify(metadata)).length <= MOST_METADATA
  if (!fits) notes.push({ field: 'metadata', message: 'What else the file says of this is too much to keep with it.' })

  const id = clean(reference(entry.external_id), 5000)
  const row = filled({
    name: called || 'Unnamed',
    amount,
    transaction_date: date,
    currency,
    external_id: id.length <= 255 ? id : undefined,
    reference_no: clean(entry.reference_no),
    description: more === called ? undefined : more,
    status: entry.status,
    metadata: Object.keys(metadata).length === 0 || !fits ? undefined : metadata,
  }) as StatementRow
  return { row, notes }
}

/** Each account with its rows and its balance. */
function accountsOf(accounts: Found['accounts'], entries: Entry[], rows: StatementRow[], gone: Set<number>, { order, decimal }: Known): StatementAccount[] {
  const own = new Map(accounts.map(({ id }) => [id, [] as StatementRow[]]))
  entries.forEach(({ account }, place) => {
    if (account !== undefined && !gone.has(place)) own.get(account)?.push(rows[place]!)
  })
  return accounts.map(({ balance, ...account }) => {
    const cents = balance === undefined ? undefined : amountIn(balance.amount, decimal)
    const on = balance === undefined ? undefined : dayIn(balance.on, order)
    const known = typeof cents === 'number' ? { balance: { amount: cents / 100, ...on === undefined ? {} : { on } } } : {}
    return { ...account, ...known, rows: own.get(account.id) ?? [] }
  })
}

/**
 * Rows of entries.
 *
 * Nothing is guessed that the file does not prove: without a proof there are no rows, and a problem that names the option.
 */
export function finish(all: Found, options: ReadOptions): Pick<Statement, 'rows' | 'problems' | 'accounts'> {
  const { entries, problems: found, accounts } = all
  const decided = decide(all, options)
  if (Array.isArray(decided)) return { rows: [], problems: [...found, ...decided], accounts: [] }
  // a reader has asked already
  if (found.some(({ option }) => option !== undefined)) return { rows: [], problems: found, accounts: [] }
  const known: Known = {
    ...decided,
    currencies: new Map(accounts.map(({ id, currency }) => [id, currency])),
    options,
  }
  const problems = [...found]
  const rows: StatementRow[] = []
  const kept: Entry[] = []
  /** Those whose row is its place among all, until it is known which of them go. */
  const placed: Problem[] = []
  for (const entry of entries) {
    const { row, notes } = rowOf(entry, known)
    if (row === undefined) {
      for (const note of notes) problems.push({ line: entry.line, ...note })
      continue
    }
    for (const note of notes) placed.push({ line: entry.line, row: rows.length, ...note })
    rows.push(row)
    kept.push(entry)
  }
  const gone = takeSharedIdsAway(rows, kept, placed)
  const numbers = new Map<number, number>()
  for (const place of rows.keys()) if (!gone.has(place)) numbers.set(place, numbers.size + 1)
  for (const { row: place, ...problem } of placed) {
    const row = place === undefined ? undefined : numbers.get(place)
    if (row !== undefined) problems.push({ ...problem, row })
    // of a row that goes, only that it does is worth saying
    else if (place === undefined) problems.push(problem)
  }
  problems.sort((a, b) => a.line - b.line)
  return { rows: rows.filter((_, place) => !gone.has(place)), problems, accounts: accountsOf(accounts, kept, rows, gone, known) }
}
