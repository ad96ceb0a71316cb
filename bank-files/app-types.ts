/** The parts of another app's export. */
import type { StatementRow } from './types.ts'

export type ExportedCategory = {
  /** The key of the category in this export. */
  key: string
  name: string
  /** The key of the group or parent category. */
  parent?: string
  kind: 'expense' | 'income'
}

export type ExportedAccount = {
  name: string
  /** The currency, if all rows of the account have the same. */
  currency?: string
  /** The starting balance that the app has as a transaction. */
  opening?: number
}

type ExportedItem = { name: string, amount: number, category?: string }

export type ExportedTransaction = {
  /** The name of its account. */
  account: string
  /** The row for `import_transactions`. */
  row: StatementRow
  /** The key of its category. */
  category?: string
  tags: string[]
  /** The parts of a split. Their sum is the amount. */
  items: ExportedItem[]
}

/** A row of the export with the texts that only apps have. */
export type AppRow = { account: string, row: StatementRow, texts: Record<string, string> }
