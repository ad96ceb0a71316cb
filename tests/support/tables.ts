/**
 * The tables of the interface: whose their rows are, what these refer to, and a sample of each that callers write. The facts come from
 * the sentences of the interface, not from the SQL. An exposed table that is not here fails tests/schema/lints.test.ts and the proof.
 */
import type { Caller } from './data.ts'

type Row = Record<string, unknown>
type Sample = {
  /** A new row; for the parts of a transaction, of a transaction that `owner` has created in the same context. */
  row: (owner: Caller, context: Row) => Promise<Row>
  /** The values of an update. */
  change: (owner: Caller, context: Row) => Promise<Row>
  /** The query that matches exactly this row. */
  where: (row: Row) => string
}

type Reference = {
  table: string
  whenGone: 'goes too' | 'is cleared'
  /** Only a function sets it: callers may send it as they have read it. */
  isKept?: true
}
export type TableModel = {
  /**
   * owned: has an owner pair of its own. stored: the same, and functions store its rows. part: has its transaction's. own: each user reads
   * their own, callers write none. log: the same, and of a team owner and admin read all, and an editor their own changes.
   */
  kind: 'owned' | 'stored' | 'part' | 'own' | 'log'
  refers: Record<string, Reference>
  /** By which columns a row is known again when it is sent without its id; where others have to be unique, a second row is refused. */
  recognizedBy?: string
  /** "The service keeps the former budget in past_budgets." */
  keepsFormerIn?: string
  /** Callers write no row of a table without one; of imports they delete what /rpc/import_transactions has made. */
  sample?: Sample
}

const category: Reference = { table: 'categories', whenGone: 'is cleared' }
const budgeted: Reference = { table: 'categories', whenGone: 'goes too' }
const account: Reference = { table: 'accounts', whenGone: 'is cleared' }
/** "Deleting a transaction also deletes its line items and tag associations." */
const transaction: Reference = { table: 'transactions', whenGone: 'goes too' }

const layout = { widgets: [{ id: 'flow', type: 'cash_flow', position: { x: 0, y: 0 }, size: { w: 6, h: 4 } }] }
/** A rate is the only one of its day, so each sample has a day of its own. */
let days = 0
const nextDay = () => new Date(Date.UTC(2000, 0, days += 1)).toISOString().slice(0, 10)

const create = async (table: string, row: Row, owner: Caller, context: Row) => (await owner.create(table, { ...row, ...context })).id as string
const newTransaction = (owner: Caller, context: Row) => create('transactions', { name: 'Shopping', amount: -20 }, owner, context)
const newCategory = (owner: Caller, context: Row) => create('categories', { name: 'Home' }, owner, context)
const newTag = (owner: Caller, context: Row) => create('tags', { name: 'holiday' }, owner, context)

const byId = ({ id }: Row) => `id=eq.${String(id)}`
/** A sample that needs no other row; its context is said in the row. */
const sample = (row: () => Row, change: Row): Sample => ({
  row: (_owner, context) => Promise.resolve({ ...row(), ...context }),
  change: () => Promise.resolve(change),
  where: byId,
})
/** A sample of a category. */
const ofCategory = (row: Row, change: Row): Sample => ({
  row: async (owner, context) => ({ category_id: await newCategory(owner, context), ...row, ...context }),
  change: () => Promise.resolve(change),
  where: byId,
})

export const models: Record<string, TableModel> = {
  transactions: {
    kind: 'owned',
    // "DELETE /imports takes it back"
    refers: { category_id: category, account_id: account, import_id: { table: 'imports', whenGone: 'goes too', isKept: true } },
    recognizedBy: 'external_id,source',
    sample: sample(() => ({ name: 'Coffee', amount: -3.5 }), { name: 'Tea' }),
  },
  subscriptions: {
    kind: 'owned',
    refers: { category_id: category, account_id: account },
    sample: sample(() => ({ title: 'Newspaper', amount: 12, period: 'monthly' }), { title: 'Magazine' }),
  },
  accounts: { kind: 'owned', refers: {}, sample: sample(() => ({ name: 'Wallet', type: 'cash' }), { name: 'Purse' }) },
  dashboards: { kind: 'owned', refers: {}, sample: sample(() => ({ name: 'Overview', layout, visibility: 'shared' }), { name: 'Outlook' }) },
  categories: { kind: 'owned', refers: {}, keepsFormerIn: 'past_budgets', sample: sample(() => ({ name: 'Food' }), { name: 'Groceries' }) },
  tags: { kind: 'owned', refers: {}, sample: sample(() => ({ name: 'trip' }), { name: 'journey' }) },
  exchange_rates: {
    kind: 'owned',
    refers: {},
    sample: sample(() => ({ on_date: nextDay(), base: 'eur', quote: 'usd', rate: 1.0353 }), { rate: 1.04 }),
  },
  budgets: { kind: 'owned', refers: { category_id: budgeted }, sample: ofCategory({ month: '2025-01-01', amount: 300 }, { amount: 310 }) },
  past_budgets: { kind: 'owned', refers: { category_id: budgeted }, sample: ofCategory({ until: '2025-01-01', amount: 300 }, { amount: 310 }) },
  line_items: {
    kind: 'part',
    refers: { transaction_id: transaction, category_id: category },
    sample: {
      row: async (owner, context) => ({ transaction_id: await newTransaction(owner, context), name: 'Bread', amount: -2 }),
      change: () => Promise.resolve({ name: 'Cake' }),
      where: byId,
    },
  },
  transaction_tags: {
    kind: 'part',
    refers: { transaction_id: transaction, tag_id: { table: 'tags', whenGone: 'goes too' } },
    sample: {
      row: async (owner, context) => ({ transaction_id: await newTransaction(owner, context), tag_id: await newTag(owner, context) }),
      change: async (owner, context) => ({ tag_id: await newTag(owner, context) }),
      where: ({ transaction_id }) => `transaction_id=eq.${String(transaction_id)}`,
    },
  },
  app_subscriptions: { kind: 'own', refers: {} },
  imports: { kind: 'stored', refers: { account_id: account } },
  activity: { kind: 'log', refers: {} },
}

export const samples: Record<string, Sample> = Object.fromEntries(
  Object.entries(models).flatMap(([name, table]) => table.sample === undefined ? [] : [[name, table.sample]]),
)
const namesOf = (holds: (model: TableModel) => boolean) => Object.keys(models).filter((name) => holds(models[name] as TableModel))
/** The tables that callers write rows of. */
export const tables = Object.keys(samples)
/** The tables that callers only read, and of imports delete. */
export const readTables = namesOf((model) => model.sample === undefined)
/** The tables whose rows have their transaction's owner. */
export const parts = namesOf(({ kind }) => kind === 'part')
/** The tables whose rows have an owner pair of their own and that callers write. */
export const ownedTables = namesOf(({ kind }) => kind === 'owned')
