/**
 * Finds rows that several statements of an account repeat, as overlapping downloads do. The
 * balances of the statements prove it.
 */
import { type Entry, type FileStatement, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import { amountOf, changeOf } from './statement-sums.ts'
import type { Problem, StatementRow } from './types.ts'

/**
 * Statements that continue each other: each opens with the closing balance of the one before, so no
 * row of one is a row of another.
 */
type Run = {
  /** The number of booked rows by their text. */
  counts: Map<string, number>
  /**
   * Every balance from the opening to the closing one, in thousandths. Empty if the file states no
   * balance.
   */
  balances: Set<number>
  /** The balances before and after each row, with the day of the row. */
  before: Set<string>
  after: Set<string>
  opening?: number
  closing?: number
  /**
   * The opening balance with the day of the first row, and the closing balance with that of the
   * last one.
   */
  start: string
  end: string
  firstDay: string
  lastDay: string
}

/** The rows of one statement. `run` is the statement by itself. */
type Part = { statement: FileStatement, indexes: number[], texts: string[], run: Run }

/** The statements of one account that were read so far. */
type Account = {
  /** The rows that are no repeats, by their text. */
  kept: Map<string, Array<{ index: number, run: Run }>>
  /** The runs by their opening and by their closing balance. */
  starts: Map<number, Run>
  ends: Map<number, Run>
  byBalance: Map<number, Run>
  byNumber: Map<string, Part>
}

/** The rows of a file, the indexes of those that are left out, and the problems. */
export type Context = {
  rows: StatementRow[]
  entries: Entry[]
  duplicates: Set<number>
  problems: Problem[]
}

/**
 * Returns the opening and the closing balance. One of them and the sum of the entries give the
 * other.
 */
function balancesOf(
  statement: FileStatement,
  sum: number,
): { opening: number, closing: number } | undefined {
  const [opening, closing] = [amountOf(statement.opening), amountOf(statement.closing)]
  if (opening !== undefined) return { opening, closing: closing ?? opening + sum }
  return closing === undefined ? undefined : { opening: closing - sum, closing }
}

/** Returns a row as text, without the id that the bank gave to several transactions. */
export const textOf = (row: StatementRow): string =>
  JSON.stringify({ ...row, metadata: { ...row.metadata, shared_id: undefined } })

function partOf(statement: FileStatement, indexes: number[], { rows, entries }: Context): Part {
  const days = indexes.map((index) => rows[index]!.transaction_date)
  const changes = indexes.map((index) => changeOf(entries[index]!))
  const { currency = rows[indexes[0]!]!.currency } = statement.account
  const isOther = rows[indexes[0]!]!.currency !== currency
  const stated = isOther
    ? undefined
    : balancesOf(statement, changes.reduce((sum, change) => sum + change, 0))
  const first = (one: string, other: string) => one < other ? one : other
  const last = (one: string, other: string) => one > other ? one : other
  const [firstDay, lastDay] = [days.reduce(first), days.reduce(last)]
  const run: Run = {
    counts: new Map(),
    balances: new Set(),
    before: new Set(),
    after: new Set(),
    start: '',
    end: '',
    firstDay,
    lastDay,
    ...stated,
  }
  if (stated !== undefined) {
    let balance = stated.opening
    run.balances.add(balance).add(stated.closing)
    // some banks write the newest row first
    const steps = changes.map((change, at) => ({ change, day: days[at]! }))
    if (days[0]! > days.at(-1)!) steps.reverse()
    for (const { change, day } of steps) {
      run.before.add(`${day} ${balance}`)
      balance += change
      run.balances.add(balance)
      run.after.add(`${day} ${balance}`)
    }
    run.start = `${steps[0]!.day} ${stated.opening}`
    run.end = `${steps.at(-1)!.day} ${stated.closing}`
  }
  return { statement, indexes, texts: indexes.map((index) => textOf(rows[index]!)), run }
}

/**
 * Returns the statements with the rows of one account, in the order of their first days. One
 * statement by itself repeats nothing.
 */
function partsOf(indexes: number[], context: Context): Part[] {
  const found = grouped(indexes, (index) => context.entries[index]!.statement)
  const parts = [...found].flatMap(([statement, ofStatement]) =>
    statement === undefined ? [] : [partOf(statement, ofStatement, context)]
  )
  if (parts.length < 2) return []
  parts.sort((one, other) =>
    one.run.firstDay < other.run.firstDay ? -1 : one.run.firstDay > other.run.firstDay ? 1 : 0
  )
  return parts
}

/**
 * Returns true if the balances prove which rows two runs share: one begins inside of the other, and
 * the rest of the other is what they share.
 *
 * @param sum the sum of the rows that both have
 * @param isAll true if these are all rows of `run`
 */
function isOverlap(run: Run, other: Run, sum: number, isAll: boolean): boolean {
  if (
    run.opening === undefined || run.closing === undefined || other.opening === undefined ||
    other.closing === undefined
  ) return false
  const begins = other.before.has(run.start) &&
    (other.closing - run.opening === sum || (isAll && other.after.has(run.end)))
  return begins || (run.before.has(other.start)
    && (run.closing - other.opening === sum ||
      (run.after.has(other.end) && other.closing - other.opening === sum)))
}

/** Returns the rows of a statement that a run also has. */
function sharedRows({ indexes, texts }: Part, { counts }: Run): number[] {
  const byText = new Map<string, number>()
  return indexes.filter((_, at) => {
    const count = (byText.get(texts[at]!) ?? 0) + 1
    byText.set(texts[at]!, count)
    return count <= (counts.get(texts[at]!) ?? 0)
  })
}

/** Returns the earlier statement with the same number, balances and rows. */
function originalOf(part: Part, { byNumber }: Account): Part | undefined {
  const { statement: { number, opening, closing }, texts } = part
  if (number === undefined) return undefined
  const key = JSON.stringify([
    number,
    opening?.on,
    opening?.amount,
    closing?.on,
    closing?.amount,
    texts.length,
  ])
  const existing = byNumber.get(key)
  if (existing === undefined) byNumber.set(key, part)
  return existing?.texts.every((text, at) => text === texts[at]) === true ? existing : undefined
}

/**
 * Returns the run that a statement continues or precedes; null if its rows can also be rows of that
 * run, because their sum changes no balance; undefined if there is none.
 */
function runBeside(
  part: Part,
  { starts, ends }: Account,
  sumOf: (indexes: number[]) => number,
): Run | null | undefined {
  const { opening, closing } = part.run
  if (opening === undefined || closing === undefined) return undefined
  const beside = ends.get(opening) ?? starts.get(closing)
  if (beside === undefined) return undefined
  const shared = sharedRows(part, beside)
  return shared.length > 0 &&
      isOverlap(part.run, beside, sumOf(shared), shared.length === part.indexes.length)
    ? null
    : beside
}

/** Adds the balances of a statement to its run. */
function extend(
  run: Run,
  { run: { balances, before, after, start, end, opening, closing, firstDay, lastDay } }: Part,
  { starts, ends, byBalance }: Account,
): void {
  if (opening === undefined || closing === undefined) return
  for (const balance of balances) {
    run.balances.add(balance)
    byBalance.set(balance, run)
  }
  for (const one of before) run.before.add(one)
  for (const one of after) run.after.add(one)
  // the old ends of the run are inside of it now
  if (run.closing === opening) {
    ends.delete(opening)
    run.closing = closing
    run.end = end
  } else if (run.opening === closing) {
    starts.delete(closing)
    run.opening = opening
    run.start = start
  }
  if (firstDay < run.firstDay) run.firstDay = firstDay
  if (lastDay > run.lastDay) run.lastDay = lastDay
  starts.set(run.opening!, run)
  ends.set(run.closing!, run)
}

/** Removes all rows of a statement that the file or the archive has twice. */
function removeCopy(
  { statement, indexes }: Part,
  original: Part,
  { duplicates, problems }: Context,
): void {
  if (indexes.every((index) => duplicates.has(index))) return
  for (const index of indexes) duplicates.add(index)
  problems.push({
    ...placeOf(statement),
    message: `This repeats the statement of ${nameOf(original.statement)}, so it was skipped.`,
  })
}

/** The rows of a statement that repeat kept ones. */
type Repeats = {
  repeats: Array<{ index: number, original: number }>
  /** These rows, and those that were duplicates before. */
  shared: number[]
  /** The runs of the originals. */
  others: Set<Run>
}

/** Keeps the rows of a statement as those of a run, and returns the repeats among them. */
function keepRows(
  { indexes, texts }: Part,
  run: Run,
  { kept }: Account,
  { rows, duplicates }: Context,
): Repeats {
  const shared = indexes.filter((index) => duplicates.has(index))
  const repeats: Repeats['repeats'] = []
  const others = new Set<Run>()
  const pending = new Map<string, number>()
  for (const [at, index] of indexes.entries()) {
    if (duplicates.has(index)) continue
    const text = texts[at]!
    // a pending row stays in the statements until it is booked
    const counts = rows[index]!.status === 'pending' ? pending : run.counts
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    const same = kept.get(text) ?? []
    const first = same[count - 1]
    if (first === undefined) {
      same.push({ index, run })
      kept.set(text, same)
    } else {
      repeats.push({ index, original: first.index })
      others.add(first.run)
      shared.push(index)
    }
  }
  return { repeats, shared, others }
}

/** Decides the rows of a statement, after those of all earlier statements of its account. */
function removeFrom(part: Part, account: Account, context: Context): void {
  const { entries, duplicates, problems } = context
  const { statement, indexes, run } = part
  const original = originalOf(part, account)
  if (original !== undefined) return removeCopy(part, original, context)
  const sumOf = (some: number[]) => some.reduce((sum, index) => sum + changeOf(entries[index]!), 0)
  const beside = runBeside(part, account, sumOf)
  const target = beside ?? run
  const { repeats, shared, others } = keepRows(part, target, account, context)
  const fits = (other: Run) =>
    other !== target && isOverlap(run, other, sumOf(shared), shared.length === indexes.length)
  const isProven = beside !== null && [...others].some(fits)
  for (const { index, original: of } of repeats) {
    duplicates.add(index)
    problems.push({
      ...placeOf(entries[index]!),
      message: isProven
        ? `According to the balances, this repeats ${nameOf(entries[of]!)}, so it was skipped.`
        : `This may repeat ${
          nameOf(entries[of]!)
        }. Nothing confirms that it's a separate transaction, so it was skipped. If it is one, add it manually.`,
    })
  }
  const around = run.opening === undefined ? undefined : account.byBalance.get(run.opening)
  if (
    repeats.length === 0 && beside == null && around !== undefined && around.closing !== run.opening
    && around.firstDay <= run.lastDay && run.firstDay <= around.lastDay && !fits(around)
  ) {
    const message =
      'This statement starts at a balance within another statement but has different transactions. The file may contain some of them twice.'
    problems.push({ ...placeOf(statement), message })
  }
  extend(target, part, account)
}

/**
 * Adds the rows that several statements of one account repeat to `duplicates`.
 *
 * A statement that opens where another one closes has other transactions, and so has the other one.
 * Otherwise the larger number of equal rows of a day counts, as between two calls of
 * `import_transactions`.
 *
 * @param keys the account of each row
 * @param problems receives one problem for each of these rows, or for the statement
 */
export function removeRepeats(keys: string[], context: Context): void {
  for (const indexes of grouped(keys.keys(), (index) => keys[index]!).values()) {
    const account: Account = {
      kept: new Map(),
      starts: new Map(),
      ends: new Map(),
      byBalance: new Map(),
      byNumber: new Map(),
    }
    for (const part of partsOf(indexes, context)) removeFrom(part, account, context)
  }
}
