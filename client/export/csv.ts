/** Transactions as a spreadsheet reads them. */
import { members } from './json.ts'

/** The columns of the file; `category` and `account` are names. */
const columns = [
  'transaction_date',
  'name',
  'amount',
  'currency',
  'status',
  'category',
  'account',
  'reference_no',
  'description',
  'source',
  'external_id',
  'id',
  'category_id',
  'account_id',
  'transfer_id',
  'booked_on',
] as const

/** A spreadsheet takes a text that begins so for a formula, and runs it. */
const formula = /^[=+\-@\t\r]/

const cell = (text: string) => {
  const guarded = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** A value of JSON: numbers as they are written, texts guarded. */
const cellOf = (json = 'null') => (json === 'null' ? '' : json.startsWith('"') ? cell(JSON.parse(json) as string) : json)

// spreadsheets take a file for Unicode that begins with this mark
export const csvHead = `\uFEFF${columns.join()}\r\n`

/** @param names of categories and accounts, by the id as JSON has it */
export function csvLine(row: string, names: ReadonlyMap<string, string>): string {
  const values = members(row)
  const named = { category: names.get(values.get('category_id') ?? ''), account: names.get(values.get('account_id') ?? '') }
  return `${columns.map((column) => cellOf(column in named ? named[column as keyof typeof named] : values.get(column))).join()}\r\n`
}
