/** The files beside, which are written as banks write theirs: bytes, because each has its own encoding. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const bytesOf = (file: string): Uint8Array => readFileSync(join(import.meta.dirname, 'files', file))

/** Rows without what a test does not ask about. */
export const briefly = (rows: Array<{ transaction_date: string, amount: number, name: string, currency?: string }>): unknown[] =>
  rows.map(({ transaction_date, amount, currency, name }) => [transaction_date, amount, currency, name])
