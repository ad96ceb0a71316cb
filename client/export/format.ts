/**
 * The file format of an export: a ZIP archive with a file of JSON lines per table, in a folder per
 * kind of rows. The files of attachments are in `files`, each under its SHA-256. `manifest.json` is
 * the last file. The client and the operator's command share this format. A new table needs a row
 * in `tables`.
 */
import type { TableName } from '../database.ts'

export const FORMAT = 'finance-export'
export const VERSION = 1
export const MANIFEST = 'manifest.json'

/** The file is no export, or was damaged or changed. The message is one sentence for the user. */
export class ExportFileError extends Error {
  override readonly name = 'ExportFileError'
}

/**
 * `account`: data of the auth surface. `organization`: rows of the organization that was active
 * during the export.
 */
export type Folder = 'account' | 'personal' | 'organization'

export type ExportOwner = {
  user: { id: string, email: string }
  /** The owner of the rows in the folder `organization`; null without that folder. */
  organization: { id: string, name: string, slug: string } | null
}

export type Manifest = ExportOwner & {
  format: typeof FORMAT
  version: typeof VERSION
  exported_at: string
  /** Missing in exports from before line items added up with their signs. */
  signed_line_items?: true
  /**
   * Every other file with its SHA-256 in hex. Files of attachments have a size in bytes, the others
   * a number of rows.
   */
  files: ({ path: string, sha256: string } & ({ rows: number } | { size: number }))[]
}

type Table = {
  /**
   * The columns for keyset pagination. Their values never change, so that no row is missing or
   * duplicated while others are written.
   */
  key: readonly string[]
  /** References, with or without a foreign key: column → table. */
  references?: Readonly<Record<string, TableName>>
  /** The reason why a restore skips this table. */
  notRestored?: string
  /** Its rows belong to a user and never to an organization. */
  personal?: true
}

/**
 * Every table of the data surface, in the order of the export. A table comes before the tables it
 * references: rows that the user adds during the export then leave no reference to a missing row. A
 * restore uses the opposite order.
 */
export const tables: Readonly<Record<TableName, Table>> = {
  // restored last, because it closes the days of other rows
  closings: { key: ['id'] },
  transaction_tags: {
    key: ['transaction_id', 'tag_id'],
    references: { transaction_id: 'transactions', tag_id: 'tags' },
  },
  attachments: { key: ['id'], references: { transaction_id: 'transactions' } },
  // the line items of one transaction stay together, because their sum must fit it
  line_items: {
    key: ['transaction_id', 'id'],
    references: { transaction_id: 'transactions', category_id: 'categories' },
  },
  transactions: {
    key: ['id'],
    references: {
      category_id: 'categories',
      account_id: 'accounts',
      subscription_id: 'subscriptions',
    },
  },
  imports: { key: ['id'], notRestored: 'only an import creates them' },
  subscriptions: {
    key: ['id'],
    references: { category_id: 'categories', account_id: 'accounts', to_account_id: 'accounts' },
  },
  // restored after the budgets, because a new budget changes the past one that it replaces
  past_budgets: { key: ['id'], references: { category_id: 'categories' } },
  budgets: { key: ['id'], references: { category_id: 'categories' } },
  balances: { key: ['id'], references: { account_id: 'accounts' } },
  exchange_rates: { key: ['id'] },
  // in the order of age, which decides between rules of equal priority
  rules: { key: ['created_at', 'id'], references: { set_category_id: 'categories' } },
  dashboards: { key: ['id'] },
  app_subscriptions: { key: ['id'], notRestored: 'the operator grants plans', personal: true },
  activity: { key: ['id'], notRestored: 'a restore does not repeat past events' },
  tags: { key: ['id'] },
  categories: { key: ['id'], references: { parent_id: 'categories' } },
  accounts: { key: ['id'] },
}

export const tableNames = Object.keys(tables) as TableName[]

/** The tables of a restore, each after the tables that it references. */
export const restoredTables = tableNames.reduceRight<TableName[]>(
  (all, table) => (tables[table].notRestored === undefined ? [...all, table] : all),
  [],
)

/** The files of the folder `account`. They contain no passwords, keys or other credentials. */
export const accountFiles = [
  'user',
  'sessions',
  'organizations',
  'invitations',
  'sign_in',
  'providers',
  'passkeys',
  'api_keys',
  'webhooks',
  'calendars',
  'events',
] as const

export type AccountFile = typeof accountFiles[number]

/** The user's sign-in methods: the only row of `sign_in`. */
export type SignIn = {
  has_password: boolean
  passkey_required: boolean
  two_factor: boolean
  backup_codes_left: number
}

export const pathOf = (folder: Folder, name: string): string => `${folder}/${name}.jsonl`

/** The path of a second copy of the transactions, for spreadsheets. */
export const csvPathOf = (folder: Folder): string => `${folder}/transactions.csv`

/** The path of an attachment's file. Equal files of several attachments are in the archive once. */
export const filePathOf = (sha256: string): string => `files/${sha256}`

export const isFilePath = (path: string): boolean => /^files\/[0-9a-f]{64}$/.test(path)

/** All paths that an export of this version can contain, without those of attachments' files. */
export const paths: ReadonlySet<string> = new Set([
  MANIFEST,
  ...accountFiles.map((name) => pathOf('account', name)),
  ...(['personal', 'organization'] as const).flatMap((
    folder,
  ) => [...tableNames.map((name) => pathOf(folder, name)), csvPathOf(folder)]),
])

/** Number of rows per request. */
export const PAGE = 1000
