/**
 * Converts the rows of a journal: each names two accounts, and each account of the user becomes an
 * entry.
 */
import { clean, type Entry } from './entries.ts'
import type { Journal } from './layout.ts'
import type { Problem } from './types.ts'
import { plainName } from './usual-columns.ts'

/**
 * Returns an entry for each of the user's accounts in a row. Money moves from the source to the
 * destination, regardless of the amount's sign.
 *
 * @param entry the row, read like a row of any other CSV file
 * @param cellOf returns the text in a column of the row
 */
export function sidesOf(
  entry: Entry,
  journal: Journal,
  cellOf: (column: string) => string,
): Entry[] | Problem {
  const isOwn = (type: string) =>
    journal.own.some((own) => plainName(own) === plainName(cellOf(type)))
  const [source, destination] = [clean(cellOf(journal.source)), clean(cellOf(journal.destination))]
  const leaves = isOwn(journal.sourceType) && source !== ''
  const arrives = isOwn(journal.destinationType) && destination !== ''
  if (!leaves && !arrives) {
    return {
      line: entry.line,
      message: `Neither "${clean(source, 40)}" nor "${
        clean(destination, 40)
      }" is one of your accounts, so this line was skipped.`,
    }
  }
  const foreign = cellOf(journal.foreignAmount)
  const arrived = leaves && foreign !== ''
    ? { amount: foreign, currency: cellOf(journal.foreignCurrency) }
    : {}
  return [
    ...leaves ? [{ ...entry, account: { id: source }, name: destination, out: true }] : [],
    ...arrives
      ? [{
        ...entry,
        ...arrived,
        account: { id: destination },
        name: source,
        out: false,
        external_id: `${entry.external_id}${leaves ? ' in' : ''}`,
      }]
      : [],
  ]
}
