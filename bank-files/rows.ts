/**
 * Converts the entries of every format reader to the rows of a statement. Repeated entries and
 * those that are no transactions have none.
 */
import { accountKeys, accountsOf, completeAccounts } from './accounts.ts'
import { removeAnnounced } from './announced.ts'
import { type Conventions, decide, isOpening } from './conventions.ts'
import { followCorrections } from './corrections.ts'
import { balanceProblem, type Entry, type ParsedFile, placeOf } from './entries.ts'
import { rowOf } from './entry-row.ts'
import { removeRenamed } from './other-names.ts'
import { type Context, removeRepeats } from './repeats.ts'
import { removeSharedIds } from './shared-ids.ts'
import { entriesByStatement, gapProblems, sumProblems } from './statement-sums.ts'
import { endsWithTotal } from './totals.ts'
import type { Decimal, Problem, ReadOptions, Statement, StatementRow } from './types.ts'

/**
 * Returns the entries that are transactions: those that no correction replaces, and no opening
 * balances.
 */
function transactionsOf(parsed: ParsedFile, problems: Problem[]): Entry[] {
  const current = followCorrections(parsed.entries, problems)
  const openings = new Set(current.filter((entry) => isOpening(entry, parsed)))
  problems.push(...[...openings].map(balanceProblem))
  return current.filter((entry) => !openings.has(entry))
}

/** The rows of a file with their entries. A `row` of the problems still counts the duplicates. */
type Rows = { rows: StatementRow[], entries: Entry[], rowProblems: Problem[] }

/** Returns the rows of entries, and adds the problems of those without one. */
function rowsOf(
  entries: Entry[],
  conventions: Conventions,
  problems: Problem[],
): Rows {
  const found: Rows = { rows: [], entries: [], rowProblems: [] }
  for (const entry of entries) {
    const { row, notes } = rowOf(entry, conventions)
    const place = placeOf(entry)
    if (row === undefined) {
      for (const note of notes) problems.push({ ...place, ...note })
      continue
    }
    for (const note of notes)
      found.rowProblems.push({ ...place, row: found.rows.length, ...note })
    found.rows.push(row)
    found.entries.push(entry)
  }
  return found
}

/**
 * Returns the indexes of rows that repeat others. Adds the problems of statements with a gap, or
 * with another sum.
 *
 * @param keys the account of each row
 */
function duplicatesIn(
  { rows, entries, rowProblems }: Rows,
  keys: string[],
  parsed: ParsedFile,
  decimal: Decimal,
  problems: Problem[],
): Set<number> {
  const statements = entriesByStatement(parsed.entries)
  const duplicates = removeSharedIds({ rows, entries, keys, statements, decimal }, rowProblems)
  const leftOut = new Set([...duplicates].map((index) => entries[index]!))
  problems.push(...sumProblems(parsed.statements, statements, leftOut))
  problems.push(...gapProblems(parsed.statements, statements))
  const context: Context = { rows, entries, duplicates, problems: rowProblems }
  removeRepeats(keys, context)
  removeRenamed(keys, context, statements)
  removeAnnounced(keys, context)
  return duplicates
}

/** Returns the problems with the numbers of their rows, without those of duplicates. */
function numbered({ rows, rowProblems }: Rows, duplicates: ReadonlySet<number>): Problem[] {
  const rowNumbers = new Map<number, number>()
  for (const index of rows.keys())
    if (!duplicates.has(index)) rowNumbers.set(index, rowNumbers.size + 1)
  return rowProblems.flatMap(({ row: index, ...problem }) => {
    // a duplicate has one problem, without `row`; the others of its row are dropped
    if (index === undefined) return [problem]
    const row = rowNumbers.get(index)
    return row === undefined ? [] : [{ ...problem, row }]
  })
}

const fileOf = ({ file = '' }: Problem) => file

const byPlace = (one: Problem, other: Problem) =>
  fileOf(one) === fileOf(other) ? one.line - other.line : fileOf(one) < fileOf(other) ? -1 : 1

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
  const problems = [...parsed.problems]
  const transactions = transactionsOf(parsed, problems)
  const decided = decide(parsed, options)
  if (Array.isArray(decided))
    return { rows: [], problems: [...problems, ...decided], accounts: [] }
  // the reader has a question for the user
  if (problems.some(({ option }) => option !== undefined))
    return { rows: [], problems, accounts: [] }
  const found = rowsOf(transactions, decided, problems)
  const { rows, entries } = found
  if (parsed.statements.length === 0 && endsWithTotal(rows)) {
    rows.pop()
    problems.push(balanceProblem(entries.pop()!))
  }
  const keys = accountKeys(rows, entries, parsed.statements, options)
  const duplicates = duplicatesIn(found, keys, parsed, decided.decimal, problems)
  problems.push(...numbered(found, duplicates))
  const { accounts, balance } = accountsOf(
    rows,
    entries,
    keys,
    duplicates,
    parsed.statements,
    decided,
    problems,
  )
  problems.sort(byPlace)
  return {
    rows: rows.filter((_, index) => !duplicates.has(index)),
    problems,
    accounts,
    ...balance === undefined ? {} : { balance },
  }
}
