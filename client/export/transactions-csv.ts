/** Writes the file `transactions.csv` of an export, for spreadsheets. */
import { textLengths } from '../fields.ts'
import { csvText } from '../../bank-files/formulas.ts'
import { members } from './raw-json.ts'

/** The columns of the file. `category` and `account` contain names. */
const columns = [
  'transaction_date',
  'name',
  'amount',
  'currency',
  'status',
  'category',
  'account',
  ...Object.keys(textLengths),
  'source',
  'external_id',
  'id',
  'category_id',
  'account_id',
  'transfer_id',
  'booked_on',
  'subscription_id',
  'due_on',
] as const

/** Returns the cell of a JSON value. Numbers keep all their digits. */
const cellOf = (
  json = 'null',
) => (json === 'null' ? '' : json.startsWith('"') ? csvText(JSON.parse(json) as string) : json)

// the byte order mark makes spreadsheets read the file as Unicode
export const csvHead = `\uFEFF${columns.join()}\r\n`

/** @param names the names of categories and accounts, by their id as a JSON string */
export function csvLine(row: string, names: ReadonlyMap<string, string>): string {
  const values = members(row)
  const named = {
    category: names.get(values.get('category_id') ?? ''),
    account: names.get(values.get('account_id') ?? ''),
  }
  return `${
    columns.map((column) =>
      cellOf(column in named ? named[column as keyof typeof named] : values.get(column))
    ).join()
  }\r\n`
}
