/** The direction of line items in an export from before they added up with their signs. */
import { type Folder, pathOf } from './format.ts'
import { members } from './raw-json.ts'

type Lines = (path: string) => AsyncIterable<string>

/**
 * Returns the ids of the expenses with line items, as JSON texts. The amounts of their line items
 * become negative, and those of others positive.
 */
export async function formerExpenses(lines: Lines, folder: Folder): Promise<Set<string>> {
  const itemized = new Set<string>()
  for await (const row of lines(pathOf(folder, 'line_items')))
    itemized.add(members(row).get('transaction_id') ?? '')
  const expenses = new Set<string>()
  for await (const row of lines(pathOf(folder, 'transactions'))) {
    const values = members(row)
    const id = values.get('id') ?? ''
    if (itemized.has(id) && values.get('amount')?.startsWith('-') === true) expenses.add(id)
  }
  return expenses
}

/** Returns the JSON text of an amount with a sign. */
export const withSign = (amount: string, isNegative: boolean): string =>
  `${isNegative ? '-' : ''}${amount.replace(/^-/, '')}`
