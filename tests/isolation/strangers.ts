/**
 * Thousands of strangers with values that the planner keeps in its statistics. In each column a
 * tenth of the rows has the same most common value, and a tenth is null if allowed. The rest is
 * distinct and fills the histogram. Two crowds of one size take equally many bytes, except for
 * enumerations. The rows bypass triggers and foreign keys, because only the planner looks at them.
 */
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Catalogue, Column, Table } from './catalogue.ts'
import { isPart, models } from '../support/tables.ts'
import { contents, letters, type Payload } from './rows.ts'

/**
 * The values of a crowd, numbered from `start`, so that no two crowds share one. Numbers have four
 * digits, so that values of all crowds have the same length.
 */
export type Crowd = {
  start: number
  size: number
  /** Selects the most common value of an enumeration. */
  choice: number
}

const code = (n: number): string =>
  String.fromCharCode(...[676, 26, 1].map((unit) => 97 + Math.floor(n / unit) % 26))

const monthOf = (n: number): string =>
  new Date(Date.UTC(2100, n % 1_200, 1)).toISOString().slice(0, 10)

/** Returns the value number `n` of a column. It is unique unless the column has fewer values. */
const forms: Record<string, (n: number) => unknown> = {
  currency: (n) => code(n),
  budget_currency: (n) => code(n),
  base: (n) => code(n),
  // Unique within a row.
  quote: (n) => code(n + 8_000),
  'budgets.month': (n) => monthOf(n),
  'budgets.starts_on': (n) => monthOf(n),
  'past_budgets.until': (n) => monthOf(n),
  'past_budgets.starts_on': (n) => monthOf(n),
  ends_on: (n) => date(n, 2150).slice(0, 10),
  add_tags: (n) => [word(n)],
  closed_on: (n) => date(n, 2150).slice(0, 10),
  starts_on: (n) => date(n).slice(0, 10),
  row_count: (n) => Math.floor(n / 2),
  color: (n) => `#00${n}`,
  logo_url: (n) => `https://example.org/${word(n)}`,
  account_number: (n) => String(n),
  interval_in_days: (n) => Math.floor(n / 4),
  period_end: (n) => date(n, 2150),
  'app_subscriptions.status': (n) => `sub_${word(n)}`,
  'attachments.sha256': (n) => createHash('sha256').update(word(n)).digest('hex'),
}
/** The columns that a constraint ties to another column of the row. */
const tied: Record<string, (row: Payload, at: number, crowd: Crowd) => unknown> = {
  'transactions.booked_on': (row, at) =>
    at % 10 === 1 ? null : String(row['transaction_date']).slice(0, 10),
  // A row with a subscription has a due day.
  'transactions.due_on': ({ subscription_id }, at) =>
    subscription_id === null && at % 10 === 1 ? null : date(at).slice(0, 10),
  // Only a transfer has a second account.
  'subscriptions.to_account_id': () => null,
  // A rule that marks transfers sets no category.
  'rules.set_category_id': ({ mark_as_transfer: marks, set_category_id: category }) =>
    marks === true ? null : category,
  // A category is not its own parent.
  'categories.parent_id': ({ id, parent_id: parent }) => parent === id ? null : parent,
  // An account has one balance for a day.
  'balances.on_date': (_row, at, { start }) => date(24 * (start + at)).slice(0, 10),
  // Only a ready attachment has a type.
  'attachments.status': ({ content_type: type }) => type == null ? 'pending' : 'ready',
  // A budget of one month has no start. Every second one of the others has the common start.
  'budgets.starts_on': ({ month }, at, { start }) =>
    month === null ? monthOf(at % 20 < 10 ? start : start + at) : null,
}
const products = ['personal', 'teams', 'business']
export const word = (n: number): string => `held${letters(n)}`
const date = (n: number, year = 2100): string =>
  new Date(Date.UTC(year, 0, 1) + n * 3_600_000).toISOString()
export const uuid = (n: number): string => `ffffffff-ffff-4fff-8fff-${String(n).padStart(12, '0')}`

/** @returns undefined for a column without statistics that a filter could reveal */
export function valueOf(
  table: Table,
  { name, type, values }: Column,
  n: number,
  { start, choice }: Crowd,
): unknown {
  const closed = name === 'product_id' ? products : values
  if (closed.length > 0) return closed[n === start ? choice % closed.length : 0]
  const form = forms[`${table.name}.${name}`] ?? forms[name]
  if (form !== undefined) return form(n)
  if (type === 'text') return word(n)
  if (type === 'uuid') return uuid(n)
  if (type === 'numeric') return n + 0.25
  if (type.startsWith('timestamp')) return date(n)
  if (type === 'date') return date(n).slice(0, 10)
  if (type === 'boolean') return n === start && choice === 1
  return type === 'integer' || type === 'bigint' ? n : undefined
}

/** @param tenant the owner of all rows. By default each row has its own owner */
function payloadOf(
  table: Table,
  at: number,
  crowd: Crowd,
  tenant: { user: string, organization: string | null } | undefined,
): Payload {
  const payload = contents(table, crowd.start + at, word(crowd.start + at))
  table.columns.forEach((column, place) => {
    const isCommon = !(table.key.join() === column.name) && (at + place) % 10 === 0
    const value = valueOf(table, column, isCommon ? crowd.start : crowd.start + at, crowd)
    const mayBeNull = !column.required &&
      !['user_id', 'organization_id', 'tenant'].includes(column.name)
    if (value !== undefined)
      payload[column.name] = mayBeNull && (at + place) % 10 === 1
        ? null
        : value
  })
  for (const { name } of table.columns) {
    const settle = tied[`${table.name}.${name}`]
    if (settle !== undefined) payload[name] = settle(payload, at, crowd)
  }
  const kind = models[table.name]?.kind
  if (tenant !== undefined) payload['user_id'] = tenant.user
  // Every second row belongs to a team.
  if (kind !== 'own')
    payload['organization_id'] = tenant !== undefined
      ? tenant.organization
      : at % 2 === 0
      ? null
      : payload['organization_id']
  // In a team a part has no user, and neither has its activity.
  if ((isPart(table.name) || kind === 'log') && payload['organization_id'] !== null)
    payload['user_id'] = null
  const { user_id: user, organization_id: organization } = payload as {
    user_id: string | null
    organization_id?: string | null
  }
  if (kind !== 'own') payload['tenant'] = organization == null ? `u:${user}` : `o:${organization}`
  return payload
}

/** Inserts a crowd into every exposed table, with its users and organizations. */
export async function admit(
  owner: pg.Client,
  { tables }: Catalogue,
  crowd: Crowd,
  tenant?: { user: string, organization: string | null },
): Promise<void> {
  await owner.query('set session_replication_role = replica')
  for (const table of tables) {
    const rows = Array.from({ length: crowd.size }, (_, at) => payloadOf(table, at, crowd, tenant))
    const columns = Object.keys(rows[0] ?? {}).map((column) => pg.escapeIdentifier(column)).join()
    const name = pg.escapeIdentifier(table.name)
    await owner.query(
      `insert into api.${name} (${columns}) select ${columns} from jsonb_populate_recordset(null::api.${name}, $1)`,
      [JSON.stringify(rows)],
    )
      .catch((error: unknown) => {
        throw new Error(
          `tests/isolation cannot make strangers' rows of api.${table.name}: ${
            String(error)
          }; give the column a form in strangers.ts`,
          {
            cause: error,
          },
        )
      })
  }
  if (tenant === undefined) {
    const names = Array.from({ length: crowd.size }, (_, at) => word(crowd.start + at))
    await owner.query(
      `insert into auth.users (id, name, email, email_verified) select w, w, w || '@example.org', true from unnest($1::text[]) w`,
      [names],
    )
    await owner.query(
      'insert into auth.organizations (id, name, slug) select w, w, w from unnest($1::text[]) w',
      [names],
    )
  }
  await owner.query('reset session_replication_role')
}
