/**
 * Live changes: reads again what the page shows when another user, program or tab has changed it.
 */
import type { Query } from '@tanstack/react-query'
import type { RowsNotice, TableName } from 'finance-client'
import { contextOf, finance } from './client.ts'
import { queries } from './queries.ts'
import { cachedList, isLongList } from './transactions/pages.ts'

const parts: readonly TableName[] = ['transactions', 'line_items', 'transaction_tags', 'tags']
const figures: readonly TableName[] = [...parts, 'accounts', 'categories']

/**
 * The tables that queries read, by their names in the keys. Other queries are questions of one
 * dialog, such as a dry run, and stay the same while the user answers.
 */
const tablesOf: Readonly<Record<string, readonly TableName[]>> = {
  'transactions pages': [...parts, 'attachments'],
  attachments: ['attachments'],
  inbox: [...figures, 'balances', 'subscriptions'],
  'file space': ['attachments'],
  'transactions totals': figures,
  'transactions halves': parts,
  'transactions statement': parts,
  accounts: ['accounts', 'transactions'],
  balances: ['balances', 'transactions', 'accounts'],
  closings: ['closings'],
  categories: ['categories'],
  tags: ['tags'],
  budgets: ['budgets'],
  past_budgets: ['past_budgets'],
  recurring: ['subscriptions', 'transactions'],
  reports: [...figures, 'budgets', 'past_budgets', 'subscriptions', 'exchange_rates'],
  'exchange rates': ['exchange_rates'],
  rules: ['rules'],
  'rules changes': [],
  imports: ['imports', 'accounts'],
  dashboards: ['dashboards'],
  activity: ['activity'],
  examples: ['transactions', 'accounts', 'categories'],
}

const tablesIn = ({ queryKey: [, kind, part] }: Query): readonly TableName[] =>
  tablesOf[`${String(kind)} ${String(part)}`] ?? tablesOf[String(kind)] ?? []

/** Whether the query reads rows of tables. */
export const hasRows = (query: Query): boolean => tablesIn(query).length > 0

/** The changes of a context that the page has not read. */
type Unread = {
  tables: Set<TableName>
  /**
   * The ids of changed transactions; null if they are unknown or too many to be read one by one.
   */
  transactions: Set<string> | null
}

const maximumRows = 150
/** Changes that arrive within this time are read together, in milliseconds. */
const gatherMs = 100

/**
 * A long list takes many requests. A reset reads it again only after this time, in milliseconds.
 */
const longListMs = 300_000

const unread = new Map<string | null, Unread>()
/**
 * The queries that a reset concerns. The first one arrives while the page loads. Later ones also
 * follow a change of the user's rights.
 */
let unreadReset: 'rows' | 'all' | null = null
let isStarted = false
let timer: ReturnType<typeof setTimeout> | undefined
let isReading = false

function note(
  organizationId: string | null,
  table: TableName,
  ids: readonly string[] | null,
): void {
  const { tables, transactions } = unread.get(organizationId) ??
    { tables: new Set(), transactions: new Set() }
  tables.add(table)
  for (const id of ids ?? []) transactions?.add(id)
  const areKnown = ids !== null && transactions !== null && transactions.size <= maximumRows
  unread.set(organizationId, { tables, transactions: areKnown ? transactions : null })
  gather()
}

function gather(): void {
  timer ??= setTimeout(() => {
    timer = undefined
    void readUnread()
  }, gatherMs)
}

/**
 * Reads what has changed. Waits until the page is visible, and until the user's own changes are
 * stored, because the page shows them before.
 * @param isReturning whether the page has just become visible. TanStack Query then reads all
 * queries except for long lists.
 */
async function readUnread(isReturning = false): Promise<void> {
  if (
    isReading || (unread.size === 0 && unreadReset === null) ||
    document.visibilityState === 'hidden'
  ) return
  if (queries.isMutating() > 0) return gather()
  isReading = true
  if (unreadReset === null) {
    const changes = [...unread]
    unread.clear()
    await Promise.all(
      changes.map(([organizationId, change]) => readChange(organizationId, change, isReturning)),
    )
  } else {
    const reset = unreadReset
    unreadReset = null
    await readAll(reset, isReturning)
  }
  isReading = false
  if (unread.size > 0 || unreadReset !== null) gather()
}

const readAll = (reset: 'rows' | 'all', isReturning: boolean): Promise<void> =>
  queries.invalidateQueries({
    predicate: (query) =>
      (reset === 'all' || tablesIn(query).length > 0) &&
      !(isLongList(query.state.data) && Date.now() - query.state.dataUpdatedAt < longListMs),
  }, { cancelRefetch: !isReturning })

async function readChange(
  organizationId: string | null,
  { tables, transactions }: Unread,
  isReturning: boolean,
): Promise<void> {
  const context = contextOf(organizationId)
  const affected = queries.getQueryCache().findAll({
    queryKey: [context.key],
    predicate: (query) => tablesIn(query).some((table) => tables.has(table)),
  })
  const isInPlace = (query: Query) =>
    transactions !== null && query.queryKey[2] === 'pages' && query.isActive() &&
    query.state.data !== undefined &&
    tablesIn(query).every((table) => table === 'transactions' || !tables.has(table)) &&
    (!isReturning || isLongList(query.state.data))
  const inPlace = new Set(affected.filter(isInPlace))
  const whole = new Set(affected.filter((query) => !inPlace.has(query)))
  const list = cachedList(queries, context)
  await Promise.all([
    queries.invalidateQueries({ queryKey: [context.key], predicate: (query) => whole.has(query) }, {
      cancelRefetch: !isReturning,
    }),
    ...[...inPlace].map(async ({ queryKey }) => {
      const isRead = await list.reread(queryKey, [...transactions ?? []]).catch(() => false)
      if (!isRead) note(organizationId, 'transactions', null)
    }),
  ])
}

/** Follows the changes of all tables that the app shows, for as long as the page is open. */
export function followRows(): void {
  const follow = (notice: RowsNotice) => {
    if (notice.event === 'reset') {
      unreadReset = isStarted ? 'all' : 'rows'
      isStarted = true
      void readUnread()
    } else if (notice.table === 'app_subscriptions')
      void queries.invalidateQueries({ queryKey: ['me'] })
    else note(
        notice.organizationId,
        notice.table,
        notice.table === 'transactions' ? notice.ids : [],
      )
  }
  finance.onRows(['app_subscriptions', ...new Set(Object.values(tablesOf).flat())], follow)
  document.addEventListener('visibilitychange', () => void readUnread(true))
}
