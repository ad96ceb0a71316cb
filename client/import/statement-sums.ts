/** Compares the entries of statements with their balances. */
import type { Entry, FileBalance, FileStatement } from './entries.ts'
import type { Problem } from './types.ts'

/** Returns a decimal of a file in thousandths, so that sums are exact in every currency; undefined for no number. */
export function thousandths(text: string | undefined): number | undefined {
  const value = Math.round(Number(text) * 1000)
  return text === undefined || text.trim() === '' || Number.isNaN(value) ? undefined : value
}

/** Returns the change of the account's balance in thousandths. Pending entries change nothing; an amount that is no number is 0. */
export function changeOf({ amount, out, status = 'paid' }: Entry): number {
  const value = status === 'paid' ? thousandths(amount) ?? 0 : 0
  return out === undefined ? value : out ? -Math.abs(value) : Math.abs(value)
}

export const amountOf = (balance: FileBalance | undefined): number | undefined => thousandths(balance?.amount)

/** Returns true if entries do not add up to the closing balance of their statement; undefined if the file does not state both balances. */
export function isOff({ opening, closing }: FileStatement, entries: Entry[]): boolean | undefined {
  const [before, after] = [amountOf(opening), amountOf(closing)]
  return before === undefined || after === undefined ? undefined : entries.reduce((sum, entry) => sum + changeOf(entry), before) !== after
}

/** Returns the entries of each statement. */
export function entriesByStatement(entries: Entry[]): Map<FileStatement, Entry[]> {
  const found = new Map<FileStatement, Entry[]>()
  for (const entry of entries) {
    if (entry.statement === undefined) continue
    const ofStatement = found.get(entry.statement)
    if (ofStatement === undefined) found.set(entry.statement, [entry])
    else ofStatement.push(entry)
  }
  return found
}

/**
 * Returns a problem for each statement whose entries do not add up to its closing balance.
 *
 * @param leftOut entries that repeat others. A statement may have them and add up without them
 */
export function sumProblems(statements: FileStatement[], entries: Map<FileStatement, Entry[]>, leftOut: ReadonlySet<Entry>): Problem[] {
  const isWrong = (statement: FileStatement) => {
    const ofStatement = entries.get(statement) ?? []
    return isOff(statement, ofStatement) === true && isOff(statement, ofStatement.filter((entry) => !leftOut.has(entry))) === true
  }
  return statements.filter(isWrong).map(({ closing, line, file }) => ({
    line: closing?.line ?? line,
    ...file === undefined ? {} : { file },
    message: 'The transactions do not add up to this closing balance. Something may be missing in the file.',
  }))
}
