/** `storeAppExport`: stores the export of another app in the active context, like a restore. */
import type { Row, TableName } from '../database.ts'
import type { AppExport } from '../../bank-files/app-export.ts'
import { StatementError } from '../../bank-files/types.ts'
import type { Client } from '../index.ts'
import {
  type AppExportMatches,
  type Ids,
  idsIn,
  itemUnits,
  type NamedRow,
  tagUnits,
  transactionsOf,
  transactionUnits,
} from './app-export-rows.ts'
import { fetchPages } from './export-mine.ts'
import { type Restored, rowStore, type Unit } from './row-store.ts'

export type StoreOptions = {
  /** The currency of new accounts for which the export names none. */
  currency?: string
  /** The types of new accounts by their names. Default: `checking` */
  types?: Record<string, Row<'accounts'>['type']>
  /** Called after each request with the number of processed rows and of all rows. */
  onProgress?: (done: number, rows: number) => void
}

const plain = (name: string) => name.trim().toLowerCase()

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

/** Returns the questions of an export. An export with a question has no rows. */
const questionsOf = ({ problems }: AppExport): Restored['problems'] =>
  problems.flatMap(({ option, message }) =>
    option === undefined ? [] : [{ table: 'transactions', id: '', option, message }]
  )

/** Returns the rows of missing accounts. @throws StatementError for one without a currency */
function newAccountsOf(
  { accounts }: AppExport,
  matches: AppExportMatches,
  ids: Ids,
  { currency, types }: StoreOptions,
) {
  return accounts.filter(({ name }) => !matches.accounts.has(name)).map(
    ({ name, currency: own = currency, opening = 0 }) => {
      if (own === undefined)
        throw new StatementError(
          `The export doesn't specify a currency for the account "${name}". Choose one.`,
        )
      return {
        id: ids.account(name),
        name: name.slice(0, 255),
        type: types?.[name] ?? 'checking',
        currency: own,
        balance: opening,
      }
    },
  )
}

/** Returns a problem for each starting balance of an account that existed before. */
const openingProblems = (
  { accounts }: AppExport,
  matches: AppExportMatches,
  ids: Ids,
): Restored['problems'] =>
  accounts.flatMap(({ name, opening }) => {
    const match = matches.accounts.get(name)
    if (opening === undefined || match === undefined || match.id === ids.newId('account', name))
      return []
    const message = `The account "${name}" already exists, so its starting balance of ${
      opening.toFixed(2)
    } was not saved.`
    return [{ table: 'accounts', id: match.id, message }]
  })

/** Returns the rows of missing categories. */
const newCategoriesOf = ({ categories }: AppExport, matches: AppExportMatches, ids: Ids) =>
  categories.filter(({ key }) => !matches.categories.has(key))
    .map(({ key, name, parent, kind }) => ({
      id: ids.category(key),
      name: name.slice(0, 255),
      // a category takes the kind of its parent
      kind: parent === undefined ? kind : null,
      parent_id: parent === undefined ? null : ids.category(parent),
    }))

function* single(rows: object[]): Generator<Unit> {
  for (const row of rows) yield [JSON.stringify(row)]
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
  options: StoreOptions = {},
): Promise<Restored> {
  const { app, tags, transactions } = exported
  const { context } = await contextOf(client)
  const matches = await matchAppExport(client, exported)
  const ids = idsIn(context, app, matches)
  const newAccounts = newAccountsOf(exported, matches, ids, options)
  const newCategories = newCategoriesOf(exported, matches, ids)
  const newTags = tags.filter((tag) => !matches.tags.has(tag)).map((name) => ({
    id: ids.tag(name),
    name,
  }))
  const restored: Restored = {
    tables: {},
    problems: [...questionsOf(exported), ...openingProblems(exported, matches, ids)],
  }
  const count = transactions.reduce(
    (sum, { items, tags: own }) => sum + 1 + items.length + own.length,
    newAccounts.length + newCategories.length + newTags.length,
  )
  let done = 0
  const store = rowStore(
    client,
    restored,
    (_, row) => row,
    (rows) => options.onProgress?.(done += rows, count),
  )
  const all = transactionsOf(exported, ids, newAccounts)
  const failed = new Set<string>()
  const steps: Array<[TableName, () => Iterable<Unit>]> = [
    ['accounts', () => single(newAccounts)],
    ['categories', () => single(newCategories)],
    ['tags', () => single(newTags)],
    ['transactions', () => transactionUnits(all)],
    ['line_items', () => itemUnits(all, failed)],
    ['transaction_tags', () => tagUnits(all, failed)],
  ]
  for (const [table, rows] of steps) {
    await store(table, rows())
    for (const problem of restored.problems) failed.add(problem.id)
  }
  return restored
}
