/** The kinds of categories in an export that is older than the column `kind`. */
import { type Folder, pathOf } from './format.ts'
import { members } from './raw-json.ts'

type Lines = (path: string) => AsyncIterable<string>

const centsOf = (amount = '0') => Math.round(Number(amount) * 100)

/**
 * Returns the ids of the categories of income, as JSON texts: every amount that counted there is
 * above zero, and there is at least one. The service set the kinds of stored categories by the same
 * rule, so the figures stay as they were. Returns no id if the categories of the file have a kind.
 */
export async function formerIncome(lines: Lines, folder: Folder): Promise<Set<string>> {
  for await (const row of lines(pathOf(folder, 'categories'))) {
    if (members(row).has('kind')) return new Set()
    break
  }
  /** The cents of line items with a category, by transaction and category. */
  const items = new Map<string, Map<string, number>>()
  for await (const row of lines(pathOf(folder, 'line_items'))) {
    const values = members(row)
    const [transaction = '', category = 'null', cents] = [
      values.get('transaction_id'),
      values.get('category_id'),
      Math.abs(centsOf(values.get('amount'))),
    ]
    if (category === 'null' || cents === 0) continue
    const parts = items.get(transaction) ?? new Map<string, number>()
    items.set(transaction, parts.set(category, (parts.get(category) ?? 0) + cents))
  }
  /** Whether all amounts of a category are above zero. */
  const isIncome = new Map<string, boolean>()
  for await (const row of lines(pathOf(folder, 'transactions'))) {
    const values = members(row)
    if (values.get('status') === '"failed"' || (values.get('transfer_id') ?? 'null') !== 'null')
      continue
    const [own = 'null', cents] = [values.get('category_id'), centsOf(values.get('amount'))]
    const moved = [...items.get(values.get('id') ?? '') ?? []].filter(([category]) =>
      category !== own
    )
    const rest = Math.abs(cents) - moved.reduce((sum, [, part]) => sum + part, 0)
    const counted = [
      ...own !== 'null' && rest > 0 ? [own] : [],
      ...moved.map(([category]) => category),
    ]
    for (const category of counted)
      isIncome.set(category, cents > 0 && isIncome.get(category) !== false)
  }
  return new Set([...isIncome].flatMap(([category, is]) => is ? [category] : []))
}
