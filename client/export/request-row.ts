/** Converts a row of an export to the row of a request, in the form of today's tables. */
import type { TableName } from '../database.ts'
import { withSign } from './former-signs.ts'
import { ExportFileError, type Folder, pathOf, tables } from './format.ts'
import { members, objectOf } from './raw-json.ts'

/** Columns that the service sets. */
const serverColumns = [
  'user_id',
  'organization_id',
  'tenant',
  'created_at',
  'updated_at',
  'import_id',
]

/** Columns whose JSON contains ids of other rows. */
const columnsWithIds: Partial<Record<TableName, readonly string[]>> = {
  dashboards: ['layout', 'filters'],
  rules: ['conditions', 'add_tags'],
}

const uuid = /^"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"$/

const recordedDay = /^"([0-9a-f-]{36}):(\d{4}-\d\d-\d\d)"$/

/** The ids of a restore, and the decisions for exports that are older than a column. */
export type Conversion = {
  folder: Folder
  /** Returns the id of a row in the target context, as JSON text. */
  idOf: (id: string) => string
  /**
   * Ids in the file that rows and dashboard widgets can reference. Categories, accounts,
   * subscriptions and tags are few enough for memory.
   */
  referencedIds: Set<string>
  /**
   * Ids of accounts in the context, with the last closed day of each. It is restored after the
   * transactions, which it would refuse.
   */
  closedUntil: Map<string, string>
  /** The categories of income, if the export has no kinds. */
  income: ReadonlySet<string>
  /** The expenses with line items, if the export has line items without signs. */
  expenses: ReadonlySet<string> | undefined
}

/** The columns of a row as JSON texts. */
type Values = Map<string, string>

/** Sets the columns that older exports lack, or have in another form. */
function completeColumns(
  table: TableName,
  values: Values,
  { income, expenses, referencedIds }: Conversion,
): void {
  // older exports have no `starts_on`: use the month of creation
  if (table === 'budgets' && !values.has('starts_on')) {
    const month = (values.get('created_at') ?? 'null').replace(/^("\d{4}-\d\d).*$/, '$1-01"')
    values.set('starts_on', values.get('month') === 'null' ? month : 'null')
  }
  if (table === 'categories' && !values.has('kind'))
    values.set('kind', income.has(values.get('id') ?? '') ? '"income"' : '"expense"')
  if (table === 'line_items' && expenses !== undefined) {
    values.set(
      'amount',
      withSign(values.get('amount') ?? '0', expenses.has(values.get('transaction_id') ?? '')),
    )
  }
  // older exports have an income as a negative cost
  if (table === 'subscriptions' && !values.has('kind')) {
    const amount = values.get('amount') ?? '0'
    values.set('kind', amount.startsWith('-') ? '"income"' : '"expense"').set(
      'amount',
      withSign(amount, false),
    )
  }
  // older exports mark the transaction of a recorded day only in its `external_id`
  if (table === 'transactions' && !values.has('subscription_id')) {
    const [, subscription, day] = recordedDay.exec(values.get('external_id') ?? '') ?? []
    const isRecorded = subscription !== undefined && referencedIds.has(`"${subscription}"`)
    // the rows of a request have the same columns
    values.set('subscription_id', isRecorded ? `"${subscription}"` : 'null').set(
      'due_on',
      isRecorded ? `"${day}"` : 'null',
    )
  }
}

/** Removes the columns that the service sets, and remembers the closed days of an account. */
function removeColumns(table: TableName, values: Values, { idOf, closedUntil }: Conversion): void {
  for (const column of serverColumns) values.delete(column)
  if (table !== 'accounts') return
  const closed = values.get('closed_until') ?? 'null'
  if (closed !== 'null') closedUntil.set(idOf(values.get('id') ?? ''), closed)
  values.delete('closed_until')
}

/**
 * Replaces the ids of the file by those of the target context. A reference to a row that the file
 * lacks becomes null.
 */
function replaceIds(
  table: TableName,
  values: Values,
  { folder, idOf, referencedIds }: Conversion,
): void {
  for (const [column, value] of values) {
    const referenced = tables[table].references?.[column]
    if (
      (column !== 'id' && column !== 'transfer_id' && referenced === undefined) ||
      value === 'null'
    ) continue
    if (!uuid.test(value))
      throw new ExportFileError(
        `${pathOf(folder, table)} has an invalid id: ${value.slice(0, 50)}`,
      )
    const exists = referenced === undefined || referenced === 'transactions' ||
      referenced === 'tags' || referencedIds.has(value)
    values.set(column, exists ? idOf(value) : 'null')
  }
  for (const column of columnsWithIds[table] ?? []) {
    values.set(
      column,
      (values.get(column) ?? 'null').replace(
        /"[0-9a-f-]{36}"/g,
        (id) => (referencedIds.has(id) ? idOf(id) : id),
      ),
    )
  }
}

/** Converts a row of the file to the row of the request. @throws ExportFileError */
export function requestRow(table: TableName, row: string, conversion: Conversion): string {
  const values = members(row)
  completeColumns(table, values, conversion)
  removeColumns(table, values, conversion)
  replaceIds(table, values, conversion)
  return objectOf(values)
}
