/**
 * Generates rows from the catalogue. Every text and number is a canary, a value that no other row
 * has. So a canary in a response identifies its row.
 */
import { createHash } from 'node:crypto'
import type { Table } from './catalogue.ts'

export type Payload = Record<string, unknown>

/**
 * Letters only, because some columns accept nothing else. Rows of the world begin with r, rows that
 * cases send with n.
 */
export const letters = (n: number): string =>
  String(n).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
export const canary = (n: number): string => `zqyr${letters(n)}yqz`
export const sentCanary = (n: number): string => `zqyn${letters(n)}yqz`
/** 80 0012 000.37 for row 12, of a line item 20 0012 000.37. */
const amount = (n: number): number => 800_000_000 + n * 1_000 + 0.37

const day = (time: number): string => new Date(time).toISOString().slice(0, 10)

const numberOf = (word: string): number =>
  Number(word.replaceAll(/[a-j]/g, (letter) => String('abcdefghij'.indexOf(letter))))
/** The numbers of the rows with a canary in the text. */
export function canariesIn(text: string): number[] {
  return [
    ...[...text.matchAll(/zqyr([a-j]+)yqz/g)].map(([, word = '']) => numberOf(word)),
    ...[...text.matchAll(/\b[28]0(\d{4})000\.37/g)].map(([, digits]) => Number(digits)),
  ]
}

/**
 * Columns with a format that the type does not determine. `n` is the row number, `word` its canary.
 */
const forms: Record<string, (n: number, word: string) => unknown> = {
  currency: () => 'usd',
  budget_currency: () => 'usd',
  // Line items cannot add up to more than their transaction.
  'transactions.amount': (n, word) => word === canary(n) ? amount(n) : 900_000_012.5,
  'line_items.amount': (n, word) => word === canary(n) ? amount(n) - 600_000_000 : 12.5,
  // Unique by month or day within a tenant.
  'budgets.month': (n) => day(Date.UTC(1901, n % 2_400, 1)),
  'budgets.currency': (n, word) => word === canary(n) ? 'usd' : 'eur',
  'budgets.starts_on': () => null,
  'past_budgets.until': (n) => day(Date.UTC(1901, n % 2_400, 1)),
  'past_budgets.currency': (n, word) => word === canary(n) ? 'usd' : 'eur',
  'past_budgets.starts_on': () => '1900-01-01',
  'exchange_rates.on_date': (n) => day(Date.UTC(1901, 0, 1 + n)),
  'exchange_rates.base': (n, word) => word === canary(n) ? 'eur' : 'chf',
  'exchange_rates.quote': (n, word) => word === canary(n) ? 'usd' : 'sek',
  'balances.on_date': (n) => day(Date.UTC(1901, 0, 1 + n)),
  // every transaction has another name
  'rules.conditions': (_n, word) => [{ field: 'name', operation: 'neq', value: word }],
  // The opening balances of the world are of later days.
  'accounts.opened_on': () => '1902-01-01',
  'closings.closed_until': () => '1901-01-01',
  row_count: () => 3,
  // Due on that day and every thirtieth day after it.
  starts_on: () => '2025-01-31',
  is_active: () => true,
  // A transfer needs a second account, and only an expense has a monthly cost.
  'subscriptions.kind': () => 'expense',
  // A day before the first due day of every subscription.
  due_on: () => '2024-12-31',
  // A deleted tag, which can be restored.
  'activity.action': () => 'delete',
  'activity.table_name': () => 'tags',
  'activity.after': () => null,
  // The world has members there, and no canaries.
  actor_id: (_n, word) => word,
  happened_at: () => '2025-01-31T12:00:00Z',
  change_id: (n) => `01900000-0000-7000-8000-${String(n).padStart(4, '0')}00000000`,
  row_id: (n) => `01900000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  color: () => '#a1b2c3',
  logo_url: (_n, word) => `https://example.org/${word}`,
  account_number: () => '1234',
  interval_in_days: () => 30,
  period_end: () => '2199-01-01',
  layout: (_n, word) => ({
    widgets: [{ id: word, type: word, position: { x: 0, y: 0 }, size: { w: 1, h: 1 } }],
  }),
  date_range: () => ({ preset: 'this_month' }),
  product_id: () => 'teams',
  'attachments.size': (n) => 1_000 + n,
  'attachments.sha256': (_n, word) => createHash('sha256').update(word).digest('hex'),
  'attachments.content_type': () => 'application/pdf',
  'attachments.status': () => 'ready',
  'app_subscriptions.status': (_n, word) => `sub_${word}`,
}

/**
 * Columns that are filled elsewhere: the key and the owner by the case, the times by the service.
 */
const filled = (table: Table): Set<string> =>
  new Set([
    ...(table.columns.some(({ name }) => name === 'id') ? ['id'] : []),
    'user_id',
    'organization_id',
    'tenant',
    'created_at',
    'updated_at',
    ...table.references.map(({ column }) => column),
  ])

/** The first text column, which updates change. A table may have none. */
export const labelOf = (table: Table): string | undefined =>
  table.columns.find(({ name, type, values }) =>
    type === 'text' && values.length === 0 && !filled(table).has(name) &&
    forms[name] === undefined && forms[`${table.name}.${name}`] === undefined
  )?.name

/** The date columns that contents() omits: a row may have no date, or the current time. */
export const daysOf = (table: Table): string[] =>
  table.columns.filter(({ name, type }) =>
    /^(?:date|timestamp)/.test(type) && !filled(table).has(name) &&
    !(name in contents(table, 0, ''))
  )
    .map(({ name }) => name)

/**
 * All values of a row, without its key, owner pair and references. @throws if the format of a
 * column is unknown: a new type needs a line in `forms`.
 */
export function contents(table: Table, n: number, word: string): Payload {
  const row: Payload = {}
  const skipped = filled(table)
  for (const { name, type, hasDefault, required, values } of table.columns) {
    const form = forms[`${table.name}.${name}`] ?? forms[name]
    if (skipped.has(name)) continue
    if (form !== undefined) row[name] = form(n, word)
    else if (values.length > 0) row[name] = values[n % values.length]
    else if (type === 'text') row[name] = word
    else if (type === 'numeric') row[name] = word === canary(n) ? amount(n) : 12.5
    else if (type === 'jsonb') row[name] = { canary: word }
    else if (type === 'boolean') row[name] = false
    else if (!hasDefault && required)
      throw new Error(
        `tests/isolation cannot make a row of api.${table.name}: add a form for ${name} (${type}) to rows.ts`,
      )
  }
  return row
}
