/** The bank files of this folder, as bytes, because each has its own encoding. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const bytesOf = (file: string): Uint8Array => readFileSync(join(import.meta.dirname, 'files', file))

/** Returns rows without fields that a test does not check. */
export const briefly = (rows: Array<{ transaction_date: string, amount: number, name: string, currency?: string }>): unknown[] =>
  rows.map(({ transaction_date, amount, currency, name }) => [transaction_date, amount, currency, name])
