/**
 * The format of an export, for everything that writes or reads one: a ZIP with a folder for each kind of rows, a file of JSON lines
 * for each table, and `manifest.json` as its last file.
 */
import type { TableName } from '../database.ts'

export const FORMAT = 'finance-export'
export const VERSION = 1
export const MANIFEST = 'manifest.json'

/** A file that is no export, or no longer as it was written: told as one sentence. */
export class ExportFileError extends Error {
  override readonly name = 'ExportFileError'
}

/** `account` is what the auth surface knows of a person, `organization` the rows of the one that was active. */
export type Folder = 'account' | 'personal' | 'organization'

export type About = {
  user: { id: string, email: string }
  /** The one whose rows are in the folder `organization`; null without. */
  organization: { id: string, name: string, slug: string } | null
}

export type Manifest = About & {
  format: typeof FORMAT
  version: typeof VERSION
  exported_at: string
  /** Every other file, with its rows and what `sha256sum` says of it. */
  files: { path: string, rows: number, sha256: string }[]
}

type Table = {
  /** What its rows are paged by. None of it ever changes, so that no row is missed or there twice while others are written. */
  key: readonly string[]
  /** Columns that name a row of another table. */
  references?: Readonly<Record<string, TableName>>
  /** Why its rows are not stored again, where they are not. */
  kept?: string
  /** Belongs to a person and to no organization. */
  personal?: true
}

/**
 * Every table of the data surface, in the order in which they are read: what refers comes before what is referred to, so that
 * somebody who adds rows meanwhile leaves no reference to a row that the file has not. They are stored in the opposite order.
 */
export const tables: Readonly<Record<TableName, Table>> = {
  transaction_tags: { key: ['transaction_id', 'tag_id'], references: { transaction_id: 'transactions', tag_id: 'tags' } },
  // those of one transaction stand together, because together they have to fit it
  line_items: { key: ['transaction_id', 'id'], references: { transaction_id: 'transactions', category_id: 'categories' } },
  transactions: { key: ['id'], references: { category_id: 'categories', account_id: 'accounts' } },
  imports: { key: ['id'], kept: 'only an import makes them' },
  subscriptions: { key: ['id'], references: { category_id: 'categories', account_id: 'accounts' } },
  // stored after the budgets: a budget that takes the place of a past one would change it
  past_budgets: { key: ['id'], references: { category_id: 'categories' } },
  budgets: { key: ['id'], references: { category_id: 'categories' } },
  exchange_rates: { key: ['id'] },
  dashboards: { key: ['id'] },
  app_subscriptions: { key: ['id'], kept: 'a plan is given by the operator', personal: true },
  activity: { key: ['id'], kept: 'what happened does not happen again' },
  tags: { key: ['id'] },
  categories: { key: ['id'] },
  accounts: { key: ['id'] },
}

export const tableNames = Object.keys(tables) as TableName[]

/** Those that are stored again, each after what it refers to. */
export const restoredTables = tableNames.reduceRight<TableName[]>((all, table) => (tables[table].kept === undefined ? [...all, table] : all), [])

/** What the auth surface knows of a person: never what proves who they are. */
export const accountFiles = [
  'user',
  'sessions',
  'organizations',
  'invitations',
  'sign_in',
  'providers',
  'passkeys',
  'api_keys',
  'events',
] as const

export type AccountFile = typeof accountFiles[number]

/** How somebody signs in, as the one row of `sign_in`. */
export type SignIn = { has_password: boolean, passkey_required: boolean, two_factor: boolean, backup_codes_left: number }

export const pathOf = (folder: Folder, name: string): string => `${folder}/${name}.jsonl`

/** The same transactions once more, for a spreadsheet. */
export const csvPathOf = (folder: Folder): string => `${folder}/transactions.csv`

/** Every path that a file of this version may have. */
export const paths: ReadonlySet<string> = new Set([
  MANIFEST,
  ...accountFiles.map((name) => pathOf('account', name)),
  ...(['personal', 'organization'] as const).flatMap((folder) => [...tableNames.map((name) => pathOf(folder, name)), csvPathOf(folder)]),
])

/** How many rows are read or written at once. */
export const PAGE = 1000
