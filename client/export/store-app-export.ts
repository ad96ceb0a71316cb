/** `storeAppExport`: stores the export of another app in the active context, like a restore. */
import type { Row, TableName } from '../database.ts'
import { fetchPages } from './export-mine.ts'
import { type Restored, rowStore, type Unit, uuidOf } from './row-store.ts'
import type { Client } from '../index.ts'
import type { AppExport } from '../../bank-files/app-export.ts'
import type { ExportedTransaction } from '../../bank-files/app-types.ts'
import { StatementError, type StatementRow } from '../../bank-files/types.ts'

/** A row of the active context that the export names. */
type NamedRow = { id: string, name: string }

export type StoreOptions = {
  /** The currency of new accounts for which the export names none. */
  currency?: string
  /** The types of new accounts by their names. Default: `checking` */
  types?: Record<string, Row<'accounts'>['type']>
  /** Called after each request with the number of processed rows and of all rows. */
  onProgress?: (done: number, rows: number) => void
}

/**
 * Accounts, categories and tags of an export, each with the row that already exists under its name.
 */
export type AppExportMatches = Record<
  'accounts' | 'categories' | 'tags',
  ReadonlyMap<string, NamedRow>
>

const plain = (name: string) => name.trim().toLowerCase()

/** Returns the id that a thing of the export always has in a context. */
const idIn = (context: string, app: string) => (kind: string, key: string): string =>
  JSON.parse(uuidOf(`${context} ${app} ${kind} ${key}`)) as string

/**
 * Returns the existing category of each key: the one below the same parent, otherwise one of the
 * same name without a parent.
 */
function matchCategories(
  { categories }: AppExport,
  existing: Array<NamedRow & { parent_id: string | null }>,
): Map<string, NamedRow> {
  const nameOf = new Map(existing.map(({ id, name }) => [id, plain(name)]))
  const placeOf = (parent: string | undefined, name: string) =>
    JSON.stringify([parent, plain(name)])
  const byPlace = new Map<string, NamedRow>()
  for (const { id, name, parent_id } of existing) {
    const place = placeOf(parent_id === null ? undefined : nameOf.get(parent_id), name)
    if (!byPlace.has(place)) byPlace.set(place, { id, name })
  }
  const counts = new Map<string, number>()
  for (const { name } of categories) counts.set(plain(name), (counts.get(plain(name)) ?? 0) + 1)
  return new Map(categories.flatMap(({ key, name, parent }) => {
    const same = byPlace.get(placeOf(parent === undefined ? undefined : plain(parent), name)) ??
      (counts.get(plain(name)) === 1 ? byPlace.get(placeOf(undefined, name)) : undefined)
    return same === undefined ? [] : [[key, same] as const]
  }))
}

/**
 * Returns a key for each transaction: the app's id, or the content and the number among equal ones.
 */
function keysOf(transactions: ExportedTransaction[]): string[] {
  const counts = new Map<string, number>()
  return transactions.map(
    ({ account, row: { external_id, transaction_date, amount, currency, name } }) => {
      const content = JSON.stringify(
        external_id === undefined
          ? [account, transaction_date, amount, currency, name]
          : [account, external_id],
      )
      const count = (counts.get(content) ?? 0) + 1
      counts.set(content, count)
      return `${content} ${count}`
    },
  )
}

async function contextOf(client: Client): Promise<{ context: string, filter: string }> {
  const { user, session: { active_organization_id: active } } = await client.auth.getSession()
  return active === null
    ? { context: `user ${user.id}`, filter: `organization_id=is.null&user_id=eq.${user.id}` }
    : { context: `organization ${active}`, filter: `organization_id=eq.${active}` }
}

async function rowsOf<Stored extends NamedRow>(
  client: Client,
  table: 'accounts' | 'categories' | 'tags',
  filter: string,
): Promise<Stored[]> {
  const rows: Stored[] = []
  for await (const page of fetchPages(client, table, filter))
    rows.push(...page.map((row) => JSON.parse(row) as Stored))
  return rows
}

/** Returns the first row of each name. */
const matchNames = (names: string[], rows: NamedRow[]): Map<string, NamedRow> =>
  new Map(names.flatMap((name) => {
    const same = rows.find((row) => plain(row.name) === plain(name))
    return same === undefined ? [] : [[name, { id: same.id, name: same.name }] as const]
  }))

/**
 * Returns the existing accounts, categories and tags that the export names, by the names and keys
 * of the export. `storeAppExport` creates the others.
 *
 * @throws FinanceError without a session
 */
export async function matchAppExport(
  client: Client,
  exported: AppExport,
): Promise<AppExportMatches> {
  const { filter } = await contextOf(client)
  const [accounts, categories, tags] = await Promise.all([
    rowsOf(client, 'accounts', filter),
    rowsOf<NamedRow & { parent_id: string | null }>(client, 'categories', filter),
    rowsOf(client, 'tags', filter),
  ])
  return {
    accounts: matchNames(exported.accounts.map(({ name }) => name), accounts),
    categories: matchCategories(exported, categories),
    tags: matchNames(exported.tags, tags),
  }
}

/**
 * Stores an export in the active context: missing accounts, categories and tags, then transactions
 * with their splits, tags and transfers.
 *
 * Accounts, categories and tags of the same name are used. Each transaction always gets the same
 * id, so a second run stores nothing, an interrupted run can be repeated, and a later export adds
 * its new transactions. Existing rows stay unchanged.
 *
 * @throws StatementError if an account has no currency
 * @throws FinanceError without a session, or if the user's role cannot create rows
 */
export async function storeAppExport(
  client: Client,
  exported: AppExport,
  { currency, types, onProgress }: StoreOptions = {},
): Promise<Restored> {
  const { app, accounts, categories, tags, transactions, transfers } = exported
  const { context } = await contextOf(client)
  const idOf = idIn(context, app)
  const matches = await matchAppExport(client, exported)
  const restored: Restored = { tables: {}, problems: [] }
  // an export with a question has no rows
  for (const { option, message } of exported.problems)
    if (option !== undefined)
      restored.problems.push({
        table: 'transactions',
        id: '',
        option,
        message,
      })
  const accountId = (name: string) => matches.accounts.get(name)?.id ?? idOf('account', name)
  const categoryId = (key: string | undefined) =>
    key === undefined ? null : matches.categories.get(key)?.id ?? idOf('category', key)
  const tagId = (tag: string) => matches.tags.get(tag)?.id ?? idOf('tag', tag)

  const newAccounts = accounts.filter(({ name }) => !matches.accounts.has(name)).map(
    ({ name, currency: own = currency, opening = 0 }) => {
      if (own === undefined)
        throw new StatementError(
          `The export names no currency for the account "${name}". Set the option \`currency\`.`,
        )
      return {
        id: accountId(name),
        name: name.slice(0, 255),
        type: types?.[name] ?? 'checking',
        currency: own,
        balance: opening,
      }
    },
  )
  for (const { name, opening } of accounts) {
    const match = matches.accounts.get(name)
    if (opening === undefined || match === undefined || match.id === idOf('account', name)) continue
    const message = `The account "${name}" exists already, so its starting balance of ${
      opening.toFixed(2)
    } was not stored.`
    restored.problems.push({ table: 'accounts', id: match.id, message })
  }
  const newCategories = categories.filter(({ key }) => !matches.categories.has(key))
    .map(({ key, name, parent, kind }) => ({
      id: categoryId(key),
      name: name.slice(0, 255),
      // a category takes the kind of its parent
      kind: parent === undefined ? kind : null,
      parent_id: parent === undefined ? null : categoryId(parent),
    }))

  const keys = keysOf(transactions)
  const idAt = (index: number) => idOf('transaction', keys[index]!)
  const pairOf = new Map(transfers.flatMap((pair) => pair.map((half) => [half, pair] as const)))
  const transferOf = new Map(transfers.flatMap(([from, to]) => {
    const id = idOf('transfer', `${keys[from]!} ${keys[to]!}`)
    return [[from, id] as const, [to, id] as const]
  }))
  const rowAt = (index: number): string => {
    const { account, row, category, items } = transactions[index]!
    const { external_id, ...values } = { ...row, ...sharedByHalves(index) }
    return JSON.stringify({
      id: idAt(index),
      ...values,
      description: values.description ?? null,
      reference_no: values.reference_no ?? null,
      status: values.status ?? 'paid',
      metadata: values.metadata ?? null,
      // null is the currency of an existing account
      currency: values.currency ?? accountCurrency.get(account) ?? null,
      source: app,
      external_id: external_id === undefined ? null : external_id,
      account_id: accountId(account),
      category_id: items.length > 0 || transferOf.has(index) ? null : categoryId(category),
      transfer_id: transferOf.get(index) ?? null,
    })
  }
  /** Both halves of a transfer have the same name, day, status and description. */
  const sharedByHalves = (index: number): Partial<StatementRow> => {
    const pair = pairOf.get(index)
    if (pair === undefined) return {}
    const [from, to] = pair.map((half) => transactions[half]!) as [
      ExportedTransaction,
      ExportedTransaction,
    ]
    const { metadata, transaction_date } = transactions[index]!.row
    const description = from.row.description ?? to.row.description
    return {
      name: `${from.account} to ${to.account}`.slice(0, 255),
      transaction_date: from.row.transaction_date,
      status: from.row.status ?? 'paid',
      ...description === undefined ? {} : { description },
      ...transaction_date === from.row.transaction_date
        ? {}
        : { metadata: { ...metadata, value_date: transaction_date } },
    }
  }
  const accountCurrency = new Map(newAccounts.map(({ name, currency: own }) => [name, own]))
  const units = function*(): Generator<Unit> {
    for (const index of transactions.keys()) {
      const pair = pairOf.get(index)
      if (pair === undefined) yield [rowAt(index)]
      else if (index === pair[0]) yield pair.map(rowAt)
    }
  }
  const stored = (index: number) => !failed.has(idAt(index))
  const failed = new Set<string>()
  const items = function*(): Generator<Unit> {
    for (const [index, { items: parts }] of transactions.entries()) {
      if (parts.length > 0 && stored(index)) {
        yield parts.map(({ name, amount, category }, at) =>
          JSON.stringify({
            id: idOf('item', `${keys[index]!} ${at}`),
            transaction_id: idAt(index),
            name,
            amount,
            category_id: categoryId(category),
          })
        )
      }
    }
  }
  const links = function*(): Generator<Unit> {
    for (const [index, { tags: own }] of transactions.entries()) {
      if (stored(index)) {
        for (const tag of own)
          yield [JSON.stringify({ transaction_id: idAt(index), tag_id: tagId(tag) })]
      }
    }
  }
  const single = function*(rows: object[]): Generator<Unit> {
    for (const row of rows) yield [JSON.stringify(row)]
  }
  const newTags = tags.filter((tag) => !matches.tags.has(tag)).map((name) => ({
    id: tagId(name),
    name,
  }))
  const count = transactions.reduce(
    (sum, { items: parts, tags: own }) => sum + 1 + parts.length + own.length,
    newAccounts.length + newCategories.length + newTags.length,
  )
  let done = 0
  const store = rowStore(
    client,
    restored,
    (_, row) => row,
    (rows) => onProgress?.(done += rows, count),
  )
  const steps: Array<[TableName, () => Iterable<Unit>]> = [
    ['accounts', () => single(newAccounts)],
    ['categories', () => single(newCategories)],
    ['tags', () => single(newTags)],
    ['transactions', units],
    ['line_items', items],
    ['transaction_tags', links],
  ]
  for (const [table, rows] of steps) {
    await store(table, rows())
    for (const problem of restored.problems) failed.add(problem.id)
  }
  return restored
}
