/** The rows of another app's export, as JSON texts with their ids in a context. */
import type { AppExport } from '../../bank-files/app-export.ts'
import type { ExportedTransaction } from '../../bank-files/app-types.ts'
import type { StatementRow } from '../../bank-files/types.ts'
import { type Unit, uuidOf } from './row-store.ts'

/** A row of the active context that the export names. */
export type NamedRow = { id: string, name: string }

/**
 * Accounts, categories and tags of an export, each with the row that already exists under its name.
 */
export type AppExportMatches = Record<
  'accounts' | 'categories' | 'tags',
  ReadonlyMap<string, NamedRow>
>

/** Functions that return the ids of rows: the existing row's, otherwise that of a new row. */
export type Ids = {
  /** Returns the id that a new row of the export always has in its context. */
  newId: (kind: string, key: string) => string
  account: (name: string) => string
  category: (key: string | undefined) => string | null
  tag: (tag: string) => string
}

/** Returns the ids of an export's rows in a context. */
export function idsIn(context: string, app: string, matches: AppExportMatches): Ids {
  const newId = (kind: string, key: string) =>
    JSON.parse(uuidOf(`${context} ${app} ${kind} ${key}`)) as string
  return {
    newId,
    account: (name) => matches.accounts.get(name)?.id ?? newId('account', name),
    category: (key) =>
      key === undefined ? null : matches.categories.get(key)?.id ?? newId('category', key),
    tag: (tag) => matches.tags.get(tag)?.id ?? newId('tag', tag),
  }
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

/** The transactions of an export, with the facts that their rows need of each other. */
export type Transactions = {
  exported: AppExport
  ids: Ids
  /** The key of each transaction. */
  keys: string[]
  /** The pair of each half of a transfer. */
  pairOf: ReadonlyMap<number, [from: number, to: number]>
  /** The id of the transfer of each half. */
  transferOf: ReadonlyMap<number, string>
  /** The currencies of new accounts. */
  currencyOf: ReadonlyMap<string, string>
}

/** Returns the transactions with their keys, pairs and currencies. */
export function transactionsOf(
  exported: AppExport,
  ids: Ids,
  newAccounts: Array<{ name: string, currency: string }>,
): Transactions {
  const { transactions, transfers } = exported
  const keys = keysOf(transactions)
  return {
    exported,
    ids,
    keys,
    pairOf: new Map(transfers.flatMap((pair) => pair.map((half) => [half, pair] as const))),
    transferOf: new Map(transfers.flatMap(([from, to]) => {
      const id = ids.newId('transfer', `${keys[from]!} ${keys[to]!}`)
      return [[from, id] as const, [to, id] as const]
    })),
    currencyOf: new Map(newAccounts.map(({ name, currency }) => [name, currency])),
  }
}

const idAt = ({ ids, keys }: Transactions, index: number) => ids.newId('transaction', keys[index]!)

/** Both halves of a transfer have the same name, day, status and description. */
function sharedByHalves(
  { exported: { transactions }, pairOf }: Transactions,
  index: number,
): Partial<StatementRow> {
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

function rowAt(all: Transactions, index: number): string {
  const { exported, ids, transferOf, currencyOf } = all
  const { account, row, category, items } = exported.transactions[index]!
  const { external_id, ...values } = { ...row, ...sharedByHalves(all, index) }
  return JSON.stringify({
    id: idAt(all, index),
    ...values,
    description: values.description ?? null,
    reference_no: values.reference_no ?? null,
    status: values.status ?? 'paid',
    metadata: values.metadata ?? null,
    // null is the currency of an existing account
    currency: values.currency ?? currencyOf.get(account) ?? null,
    source: exported.app,
    external_id: external_id === undefined ? null : external_id,
    account_id: ids.account(account),
    category_id: items.length > 0 || transferOf.has(index) ? null : ids.category(category),
    transfer_id: transferOf.get(index) ?? null,
  })
}

/** Returns the rows of the transactions, both halves of a transfer together. */
export function* transactionUnits(all: Transactions): Generator<Unit> {
  for (const index of all.exported.transactions.keys()) {
    const pair = all.pairOf.get(index)
    if (pair === undefined) yield [rowAt(all, index)]
    else if (index === pair[0]) yield pair.map((half) => rowAt(all, half))
  }
}

/** Returns the line items of the stored transactions. @param failed ids of the others */
export function* itemUnits(all: Transactions, failed: ReadonlySet<string>): Generator<Unit> {
  const { exported, ids, keys } = all
  for (const [index, { items }] of exported.transactions.entries()) {
    if (items.length === 0) continue
    const id = idAt(all, index)
    if (failed.has(id)) continue
    yield items.map(({ name, amount, category }, at) =>
      JSON.stringify({
        id: ids.newId('item', `${keys[index]!} ${at}`),
        transaction_id: id,
        name,
        amount,
        category_id: ids.category(category),
      })
    )
  }
}

/** Returns the tags of the stored transactions. @param failed ids of the others */
export function* tagUnits(all: Transactions, failed: ReadonlySet<string>): Generator<Unit> {
  for (const [index, { tags }] of all.exported.transactions.entries()) {
    const id = idAt(all, index)
    if (failed.has(id)) continue
    for (const tag of tags)
      yield [JSON.stringify({ transaction_id: id, tag_id: all.ids.tag(tag) })]
  }
}
