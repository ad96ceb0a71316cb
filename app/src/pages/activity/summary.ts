/**
 * Summaries of activity: a request in a sentence, and the changed fields of a row. Pure functions.
 */
import type { Activity } from '../../data/activity.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { listOf } from '../../locale/lists.ts'
import { activity as m } from '../../messages/activity.ts'
import { common } from '../../messages/common.ts'
import { fields as fieldTexts } from '../../messages/fields.ts'

type Cells = NonNullable<Activity['after']>
type Names = ReadonlyMap<string, string>

const tables: Record<string, string[]> = m.tables

/** Returns the rows of a table, such as `a budget`. */
export const tableOf = ({ table_name: table }: Pick<Activity, 'table_name'>): string =>
  (tables[table] ?? m.otherTable)[0] ?? ''

/** Dependent rows come after the row that the user changed. */
const order: Record<string, number> = {
  attachments: 2,
  transactions: 1,
  budgets: 2,
  past_budgets: 3,
  line_items: 2,
  transaction_tags: 2,
}
const rank = ([first]: Activity[]) => order[first?.table_name ?? ''] ?? 0

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)

/** Returns the name of a row; null if it has none, or if activity does not keep its columns. */
export function nameOf(
  { table_name: table, before, after }: Activity,
  names: Names = new Map(),
): string | null {
  const row = after ?? before
  if (row === null) return null
  if (table === 'exchange_rates')
    return m.rate(textOf(row['base']).toUpperCase(), textOf(row['quote']).toUpperCase())
  const rowName = row['name'] ?? row['title'] ?? row['file_name'] ?? row['source'] ??
    names.get(textOf(row['tag_id'] ?? row['category_id']))
  return rowName === undefined ? null : textOf(rowName)
}

/**
 * Returns a sentence without its subject: `deleted the transaction “Groceries” and 2 parts of a
 * split`.
 */
export function summaryOf(changes: Activity[], isCut: boolean, names: Names): string {
  const kinds = new Map<string, Activity[]>()
  for (const change of changes) {
    const kind = `${change.action} ${change.table_name}`
    kinds.set(kind, [...kinds.get(kind) ?? [], change])
  }
  const sentences: Array<{ action: Activity['action'], rows: string[] }> = []
  for (const sameKind of [...kinds.values()].toSorted((a, b) => rank(a) - rank(b))) {
    const [first] = sameKind
    if (first === undefined) continue
    const [unnamed = '', named = '', several = ''] = tables[first.table_name] ?? m.otherTable
    const name = nameOf(first, names)
    const rows = sameKind.length > 1
      ? m.several(sameKind.length, isCut, several)
      : name === null
      ? unnamed
      : m.named(named, name)
    const last = sentences.at(-1)
    if (last?.action === first.action) last.rows.push(rows)
    else sentences.push({ action: first.action, rows: [rows] })
  }
  return listOf(sentences.map(({ action, rows }) => m.actions[action](listOf(rows))))
}

/** Hidden columns: ids, owners, and columns that change by themselves. */
export const hidden = new Set([
  'id',
  'user_id',
  'organization_id',
  'tenant',
  'created_at',
  'updated_at',
  'transaction_id',
  'import_id',
  'transfer_id',
  // shown as the day
  'booked_on',
  'metadata',
  'external_id',
  'sha256',
  'color',
  'icon',
])

const fieldNames: Record<string, string> = fieldTexts

const amounts = new Set(['amount', 'balance', 'monthly_budget'])
const days = new Set([
  'transaction_date',
  'starts_on',
  'ends_on',
  'month',
  'on_date',
  'until',
  'opened_on',
  'closed_on',
  'closed_until',
  'due_on',
])
const codes = new Set(['currency', 'budget_currency', 'base', 'quote'])

/** The names of values, by column. */
const valueNames: Record<string, Record<string, string> | undefined> = {
  ...m.values,
  status: common.statuses,
}

/** Returns the values of a rule's conditions, such as the text that a name has to contain. */
const conditionsOf = (value: unknown, names: Names): string =>
  listOf(
    Array.isArray(value)
      ? value.map((condition: { value?: unknown }) =>
        names.get(textOf(condition.value)) ?? textOf(condition.value)
      )
      : [],
  )

function valueOf(field: string, row: Cells | null, names: Names): string {
  const value = row?.[field]
  if (row === null || value == null || value === '' || (Array.isArray(value) && value.length === 0))
    return m.nothing
  if (amounts.has(field))
    return formatAmount(
      Number(value),
      textOf(row[field === 'monthly_budget' ? 'budget_currency' : 'currency'] ?? 'usd'),
    )
  if (days.has(field)) return formatDay(textOf(value))
  if (typeof value === 'boolean') return value ? m.yes : m.no
  if (field.endsWith('_id')) return names.get(textOf(value)) ?? m.deletedReference
  if (field === 'conditions') return conditionsOf(value, names)
  if (Array.isArray(value)) return listOf(value.map(textOf))
  return codes.has(field)
    ? textOf(value).toUpperCase()
    : valueNames[field]?.[textOf(value)] ?? textOf(value)
}

/** Replaces the time stamp by the bank's booking day. */
const withDay = (row: Cells | null): Cells | null =>
  row?.['booked_on'] == null ? row : { ...row, transaction_date: row['booked_on'] }

type Difference = { field: string, before: string, after: string }

/** Returns the changed fields of a row, formatted. */
export function differencesOf(change: Activity, names: Names): Difference[] {
  const [before, after] = [withDay(change.before), withDay(change.after)]
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...fields].filter((field) =>
    !hidden.has(field) &&
    JSON.stringify(before?.[field] ?? null) !== JSON.stringify(after?.[field] ?? null)
  )
    .map((field) => ({
      field: fieldNames[field] ?? field.replaceAll('_', ' '),
      before: valueOf(field, before, names),
      after: valueOf(field, after, names),
    }))
}
