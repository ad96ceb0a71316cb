/** Compares the entries of statements with their balances. */
import { type Entry, type FileBalance, type FileStatement, nameOf, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import type { Problem } from './types.ts'

/**
 * Returns a decimal of a file in thousandths, so that sums are exact in every currency; undefined
 * for no number.
 */
export function thousandths(text: string | undefined): number | undefined {
  const value = Math.round(Number(text) * 1000)
  return text === undefined || text.trim() === '' || Number.isNaN(value) ? undefined : value
}

/**
 * Returns the change of the account's balance in thousandths. Pending entries change nothing; an
 * amount that is no number is 0.
 */
export function changeOf({ amount, out, status = 'paid' }: Entry): number {
  const value = status === 'paid' ? thousandths(amount) ?? 0 : 0
  return out === undefined ? value : out ? -Math.abs(value) : Math.abs(value)
}

export const amountOf = (balance: FileBalance | undefined): number | undefined =>
  thousandths(balance?.amount)

/**
 * Returns true if entries do not add up to the closing balance of their statement; undefined if the
 * file does not state both balances.
 */
export function isOff({ opening, closing }: FileStatement, entries: Entry[]): boolean | undefined {
  const [before, after] = [amountOf(opening), amountOf(closing)]
  return before === undefined || after === undefined
    ? undefined
    : entries.reduce((sum, entry) => sum + changeOf(entry), before) !== after
}

const hasStatement = (entry: Entry): entry is Entry & { statement: FileStatement } =>
  entry.statement !== undefined

/** Returns the entries of each statement. */
export function entriesByStatement(entries: Entry[]): Map<FileStatement, Entry[]> {
  return grouped(entries.filter(hasStatement), ({ statement }) => statement)
}

/**
 * Returns a problem for each statement whose entries do not add up to its closing balance.
 *
 * @param leftOut entries that repeat others. A statement may have them and add up without them
 */
export function sumProblems(
  statements: FileStatement[],
  entries: Map<FileStatement, Entry[]>,
  leftOut: ReadonlySet<Entry>,
): Problem[] {
  const isWrong = (statement: FileStatement) => {
    const ofStatement = entries.get(statement) ?? []
    return isOff(statement, ofStatement) === true &&
      isOff(statement, ofStatement.filter((entry) => !leftOut.has(entry))) === true
  }
  return statements.filter(isWrong).map(({ closing, line, file }) => ({
    ...placeOf({ line: closing?.line ?? line, file }),
    message: 'The transactions do not add up to this closing balance. The file may be incomplete.',
  }))
}

/** A statement with both of its balances. */
type Balanced = FileStatement & { opening: FileBalance, closing: FileBalance }

const isBalanced = (statement: FileStatement): statement is Balanced =>
  amountOf(statement.opening) !== undefined && amountOf(statement.closing) !== undefined

/**
 * Returns the balances between the entries of a statement. Some banks write the newest entry first,
 * so its sums count back from the closing balance.
 */
function balancesWithin({ opening, closing }: Balanced, entries: Entry[]): Set<number> {
  let [before, after] = [amountOf(opening)!, amountOf(closing)!]
  return new Set(entries.flatMap((entry) => [before += changeOf(entry), after -= changeOf(entry)]))
}

const orderOf = ({ opening: { on }, sequence = '' }: Balanced) => `${on} ${sequence}`

/**
 * Returns a problem for each statement that does not open with the closing balance of another one
 * of its account, unless it is the first, or overlaps an earlier one.
 */
export function gapProblems(
  statements: FileStatement[],
  entries: Map<FileStatement, Entry[]>,
): Problem[] {
  const accounts = grouped(
    statements.filter(isBalanced),
    ({ account: { id, currency } }) => JSON.stringify([id, currency]),
  )
  return [...accounts.values()].flatMap((ofAccount) => {
    const closings = grouped(ofAccount, ({ closing }) => amountOf(closing)!)
    const isFirst = (statement: Balanced) =>
      closings.get(amountOf(statement.opening)!)?.every((other) => other === statement) !== false
    const within = new Map<Balanced, Set<number>>()
    const isInside = (balance: number, statement: Balanced): boolean => {
      const existing = within.get(statement) ??
        balancesWithin(statement, entries.get(statement) ?? [])
      within.set(statement, existing)
      return existing.has(balance)
    }
    const problems: Problem[] = []
    ofAccount.sort((one, other) =>
      orderOf(one) < orderOf(other) ? -1 : orderOf(one) > orderOf(other) ? 1 : 0
    )
    let latest: Balanced | undefined
    let hasFirst = false
    for (const statement of ofAccount) {
      const { opening, file } = statement
      const before = latest
      if (latest === undefined || statement.closing.on >= latest.closing.on) latest = statement
      if (!isFirst(statement)) continue
      // statements of one day have any order
      const isStart = !hasFirst && opening.on === ofAccount[0]!.opening.on
      hasFirst = true
      if (
        isStart || before === undefined || opening.on < before.closing.on ||
        amountOf(opening) === amountOf(before.opening)
      ) continue
      if (opening.on === before.closing.on && isInside(amountOf(opening)!, before)) continue
      problems.push({
        ...placeOf({ line: opening.line, file }),
        message: `This statement opens with ${opening.amount}, but the statement of ${
          nameOf(before)
        } closes with ${before.closing.amount}. A statement between them may be missing from the file.`,
      })
    }
    return problems
  })
}
