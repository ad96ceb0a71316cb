/**
 * Reads the export of another app: its accounts, categories, tags, splits and transfers besides the
 * transactions.
 */
import type { NamedFile } from './archive.ts'
import { type AppName, APP_RULES, type AppRules } from './app-rules.ts'
import { linkTransfers } from './app-transfers.ts'
import type { AppRow, ExportedAccount, ExportedCategory, ExportedTransaction } from './app-types.ts'
import { grouped } from './grouped.ts'
import { readWithOpenings } from './read-statement.ts'
import {
  type Detail,
  type Problem,
  type ReadOptions,
  type StatementRow,
  StatementError,
} from './types.ts'

export type AppExport = {
  app: AppName
  accounts: ExportedAccount[]
  categories: ExportedCategory[]
  tags: string[]
  transactions: ExportedTransaction[]
  /** Pairs of indexes in `transactions`: the outgoing and the incoming half. */
  transfers: Array<[from: number, to: number]>
  /**
   * Skipped lines and questions, as `readStatement` returns them. With a question, nothing else is
   * in the result.
   */
  problems: Problem[]
}

const texts = ({ metadata = {} }: StatementRow): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]: [string, Detail]) =>
      typeof value === 'string' ? [[key, value]] : []
    ),
  )

/** Returns the words after `#`. Actual has its tags in the notes. */
const hashtagsIn = (text: string) =>
  [...text.matchAll(/(?<![^\s])#([^\s#]{1,100})/g)].map(([, tag = '']) => tag)

const cents = (amount: number) => Math.round(amount * 100)

/** Returns the category of a row: its key, name and group. */
function categoryOf(
  { texts: { category = '', group = '' } }: AppRow,
  separator: string | undefined,
): Omit<ExportedCategory, 'kind'> | undefined {
  const at = group === '' && separator !== undefined ? category.indexOf(separator) : -1
  const [parent, name] = at === -1
    ? [group, category]
    : [category.slice(0, at), category.slice(at + (separator?.length ?? 0))]
  if (name.trim() === '') return undefined
  return parent.trim() === '' || parent === name
    ? { key: name.trim(), name: name.trim() }
    : { key: `${parent.trim()}: ${name.trim()}`, name: name.trim(), parent: parent.trim() }
}

/** Joins rows with the same key to one transaction, at the place of the first. */
function groupedBy(rows: AppRow[], keyOf: (row: AppRow) => string | undefined): AppRow[][] {
  const groups = grouped(rows, (one): unknown => {
    const key = keyOf(one)
    const { account, row: { transaction_date, currency } } = one
    return key === undefined ? one : JSON.stringify([key, account, transaction_date, currency])
  })
  return [...groups.values()]
}

/**
 * Joins the rows of a split to one transaction. Rows that are no split are returned as they are,
 * and so is a part that is half of a transfer.
 */
function withSplits(rows: AppRow[], app: AppName): AppRow[][] {
  const rules: AppRules = APP_RULES[app]
  if (rules.splitKey !== undefined) return groupedBy(rows, rules.splitKey)
  const accounts = new Set(rows.map(({ account }) => account))
  const isHalf = (row: AppRow) =>
    rules.isTransfer(row) && accounts.has(rules.otherAccount?.(row) ?? '')
  const splitOf = (row: AppRow) => isHalf(row) ? undefined : rules.splitOf?.(row)
  const groups: AppRow[][] = []
  for (const row of rows) {
    const part = splitOf(row)
    const last = groups.at(-1)
    const before = last === undefined ? undefined : splitOf(last.at(-1)!)
    const isNext = part !== undefined && before !== undefined && part.count === before.count &&
      part.number === before.number + 1
    const isSameKind = isNext && last![0]!.account === row.account &&
      last![0]!.row.transaction_date === row.row.transaction_date
      && last![0]!.row.currency === row.row.currency
    if (isSameKind) last!.push(row)
    else groups.push([row])
  }
  // an incomplete split stays several transactions
  return groups.flatMap((group) =>
    group.length > 1 && splitOf(group[0]!)?.count === group.length
      ? [group]
      : group.map((row) => [row])
  )
}

/** Removes texts that become rows of their own. */
function plainRow({ row }: AppRow, app: AppName): StatementRow {
  const { description, metadata, ...plain } = row
  const rest = Object.entries(metadata ?? {}).filter(([key]) =>
    !['category', 'group', 'tags', 'split', 'title', 'type', 'transfer'].includes(key)
  )
  const note = (APP_RULES[app] as AppRules).note ?? ((one: string) => one)
  const text = note(description ?? '')
  return {
    ...plain,
    name: note(row.name) || row.name,
    ...text === '' || text === row.name ? {} : { description: text },
    ...rest.length === 0 ? {} : { metadata: Object.fromEntries(rest) },
  }
}

/** Returns true if a statement is the export of an app, which `readAppExport` reads in full. */
export const isAppExport = ({ preset }: { preset?: string | undefined }): boolean =>
  preset !== undefined && Object.hasOwn(APP_RULES, preset)

/** Returns the app of a preset. @throws StatementError if the file is of no app */
function appOf(preset: string | undefined, hasQuestion: boolean): AppName {
  if (isAppExport({ preset })) return preset as AppName
  throw new StatementError(
    hasQuestion
      ? 'This is not an export of a supported app.'
      : `This is not an export of ${Object.values(APP_RULES).map(({ name }) => name).join(', ')}.`,
  )
}

/** Separates the starting balances from the transactions, and adds them up per account. */
function withoutOpenings(
  rows: AppRow[],
  rules: AppRules,
): { booked: AppRow[], openings: Map<string, number> } {
  const openings = new Map<string, number>()
  const booked = rows.filter((row) => {
    if (!rules.isOpening(row)) return true
    openings.set(row.account, (openings.get(row.account) ?? 0) + cents(row.row.amount))
    return false
  })
  return { booked, openings }
}

/** The income and the expenses of a category or a group, in cents. */
type Sum = { income: number, expenses: number }

/** The categories of an export by their keys, each with the sums of its rows. */
type Categories = Map<string, Sum & { category: Omit<ExportedCategory, 'kind'> }>

/** Adds a row to its category, and returns the key. A transfer has no category. */
function categorize(row: AppRow, rules: AppRules, categories: Categories): string | undefined {
  const category = rules.isTransfer(row) ? undefined : categoryOf(row, rules.separator)
  if (category === undefined) return undefined
  const sum = categories.get(category.key) ?? { category, income: 0, expenses: 0 }
  categories.set(category.key, sum)
  if (row.row.amount > 0) sum.income += cents(row.row.amount)
  else sum.expenses -= cents(row.row.amount)
  return category.key
}

/** Returns the tags of a transaction, each once. */
function tagsOf(part: AppRow[], rules: AppRules): string[] {
  const tags = part.flatMap(({ texts: { tags: list = '' } }) => rules.tags(list))
  const hashtags = rules.hashtags === true
    ? part.flatMap(({ row: { description = '' } }) => hashtagsIn(description))
    : []
  return [...new Set([...tags, ...hashtags])]
}

/** Returns the transaction of its rows. Several rows are the parts of a split. */
function transactionOf(
  part: AppRow[],
  app: AppName,
  categories: Categories,
): ExportedTransaction {
  const rules: AppRules = APP_RULES[app]
  const [first] = part as [AppRow]
  const { account } = first
  const tags = tagsOf(part, rules)
  const row = plainRow(first, app)
  if (part.length === 1) {
    const category = categorize(first, rules, categories)
    return { account, row, ...category === undefined ? {} : { category }, tags, items: [] }
  }
  const { description: _, ...whole } = row
  const title = first.texts['title']
  return {
    account,
    row: {
      ...whole,
      ...title === undefined ? {} : { description: title },
      amount: part.reduce((sum, one) => sum + cents(one.row.amount), 0) / 100,
    },
    tags,
    items: part.map((one) => {
      const category = categorize(one, rules, categories)
      const { name, description } = plainRow(one, app)
      return {
        name: (description ?? name).slice(0, 255),
        amount: one.row.amount,
        ...category === undefined ? {} : { category },
      }
    }),
  }
}

/** Returns the accounts of the rows, each with its currency and its starting balance. */
function accountsOf(rows: AppRow[], openings: ReadonlyMap<string, number>): ExportedAccount[] {
  return [...new Set(rows.map(({ account }) => account))].map((name) => {
    const currencies = new Set(
      rows.filter(({ account }) => account === name).map(({ row: { currency } }) => currency),
    )
    const [currency] = currencies
    const opening = openings.get(name)
    return {
      name,
      ...currencies.size === 1 && currency !== undefined ? { currency } : {},
      ...opening === undefined ? {} : { opening: opening / 100 },
    }
  })
}

/** Returns the groups and the categories. Their sums decide between income and expenses. */
function withKinds(categories: Categories): ExportedCategory[] {
  const groups = new Map<string, Sum>()
  for (const { category: { parent }, income, expenses } of categories.values()) {
    if (parent === undefined) continue
    const sum = groups.get(parent) ?? { income: 0, expenses: 0 }
    groups.set(parent, { income: sum.income + income, expenses: sum.expenses + expenses })
  }
  const kindOf = ({ income, expenses }: Sum) =>
    income > expenses ? 'income' as const : 'expense' as const
  return [
    ...[...groups].map(([name, sum]) => ({ key: name, name, kind: kindOf(sum) })),
    ...[...categories.values()].filter(({ category: { key, parent } }) =>
      parent !== undefined || !groups.has(key)
    )
      .map((sum) => ({ ...sum.category, kind: kindOf(sum) })),
  ]
}

/**
 * Reads the export of Actual, Firefly III, Lunch Money, Mint, Monarch or YNAB.
 *
 * A starting balance becomes the `opening` of its account. Transfers are pairs of transactions.
 * With an open question of `readStatement` it returns only the problems.
 *
 * @param file the CSV file of the app, or the files that `unpack` returns
 * @throws StatementError if the file is of another app
 */
export function readAppExport(
  file: Uint8Array | ArrayBuffer | string | NamedFile[],
  options: ReadOptions = {},
): AppExport {
  const { preset, accounts, rows, problems } = readWithOpenings(file, options)
  const hasQuestion = problems.some(({ option }) => option !== undefined)
  const app = appOf(preset, hasQuestion)
  if (hasQuestion)
    return {
      app,
      accounts: [],
      categories: [],
      tags: [],
      transactions: [],
      transfers: [],
      problems,
    }
  const rules: AppRules = APP_RULES[app]
  const accountOf = new Map(
    accounts.flatMap(({ id, rows: own }) => own.map((row) => [row, id] as const)),
  )
  const all = rows.map((row): AppRow => ({
    account: accountOf.get(row) ?? rules.name,
    row,
    texts: texts(row),
  }))
  const { booked, openings } = withoutOpenings(all, rules)
  const parts = withSplits(booked, app).filter((part) =>
    part.some(({ row: { amount } }) => cents(amount) !== 0)
  )
  const categories: Categories = new Map()
  const transactions = parts.map((part) => transactionOf(part, app, categories))
  return {
    app,
    accounts: accountsOf(all, openings),
    categories: withKinds(categories),
    tags: [...new Set(transactions.flatMap(({ tags }) => tags))],
    transactions,
    transfers: linkTransfers(transactions, parts.map(([first]) => first!), app),
    problems: problems.filter(({ message }) =>
      !(app === 'actual' && message.startsWith('This line moves no money'))
    ),
  }
}
