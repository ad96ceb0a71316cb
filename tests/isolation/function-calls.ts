/**
 * Calls of functions, and the results that the matrix expects of them: sums and groups of the rows
 * that the caller sees.
 */
import { expectedOf, nothing, type Expected } from './cases.ts'
import { type Actor, type StoredRow, type World } from './world.ts'

export type Call = {
  operation: string
  target?: string
  args: Record<string, unknown>
  expected: Expected
  method?: 'GET'
  /** The path, if it differs: a query of a computed field with its row, or of some columns. */
  path?: string
}
export type Seen = {
  world: World
  actor: Actor
  user: string
  active: string | null
  otherTeam: string
  /** The rows of a table that the caller sees. */
  visible: (table: string) => StoredRow[]
  /**
   * Those of the active context: "the organization's while one is active, else your personal ones".
   */
  inContext: (table: string, organization?: string | null) => StoredRow[]
}

export const ok = (wrong: Expected['wrong']): Expected => ({
  answers: [{ status: 200 }],
  ...nothing,
  ...(wrong === undefined ? {} : { wrong }),
})
/** "Naming another user or organization is 403." */
export const denied = expectedOf({ refused: ['denied'] }, [], false)
export const missing: Expected = { answers: [{ status: 404 }], ...nothing }

export const numberOf = (row: StoredRow, column: string): number => Number(row.payload[column] ?? 0)
export const cents = (value: unknown): number => Math.round(Number(value) * 100)
export const total = (rows: StoredRow[]): number =>
  rows.reduce((sum, row) => sum + numberOf(row, 'amount'), 0)
export const counted = (rows: StoredRow[]): StoredRow[] =>
  rows.filter(({ payload }) => payload['status'] !== 'failed')
export const is = (expected: number) => (body: unknown) =>
  cents(body) === cents(expected) ? undefined : `answered ${String(body)}, not ${expected}`
/** Checks that a column of the result adds up to what the caller may see. */
export const addsUp = (column: string, expected: number) => (body: unknown) => {
  const sum = (body as Record<string, unknown>[]).reduce(
    (before, row) => before + Number(row[column]),
    0,
  )
  return cents(sum) === cents(expected) ? undefined : `${column} adds up to ${sum}, not ${expected}`
}
export const groups = (
  rows: StoredRow[],
) => [...new Set(rows.map(({ refers }) => refers['category_id'] ?? null))]
/** Checks that the result has exactly these groups. */
export const hasGroups = (column: string, expected: (string | null)[]) => (body: unknown) => {
  const found = (body as Record<string, string | null>[]).map((row) => row[column] ?? '').toSorted()
  return found.join() === expected.map((key) => key ?? '').toSorted().join()
    ? undefined
    : `groups ${found.join()}, not ${expected.join()}`
}
