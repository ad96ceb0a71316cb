/**
 * The tables of the interface: the owner and the references of their rows, and a sample row of each
 * writable table. They are written from the sentences of the interface, not from the SQL.
 * tests/schema/lints.test.ts and the proof fail for a table that is missing here.
 */
import type { Caller } from './data.ts'

type Row = Record<string, unknown>
type Sample = {
  /**
   * Returns a new row. A part of a transaction gets a new transaction of `owner` in the same
   * context.
   */
  row: (owner: Caller, context: Row) => Promise<Row>
  /** The values of an update. */
  change: (owner: Caller, context: Row) => Promise<Row>
  /** The query that matches exactly this row. */
  where: (row: Row) => string
}

type Reference = {
  table: string
  whenGone: 'goes too' | 'is cleared'
  /** Only a function sets this column. Callers may send it back unchanged. */
  isKept?: true
  /**
   * A trigger checks the column, which has no foreign key. These values make a row that may have
   * the reference.
   */
  with?: Row
}
export type TableModel = {
  /**
   * The kind of table:
   * - `owned` has its own owner pair.
   * - `stored` also has one, and only functions store its rows.
   * - `part` has the owner pair of its transaction.
   * - `stored part` also has it, and only functions store its rows. Callers rename and delete them.
   * - `own`: users read only their own rows, and no caller writes.
   * - `log`: the same as `own`, but in a team the owner and admins read all rows, and an editor
   *   reads their own changes.
   */
  kind: 'owned' | 'stored' | 'part' | 'stored part' | 'own' | 'log'
  refers: Record<string, Reference>
  /**
   * Columns that identify a row without its id. If others must be unique, a second row is refused.
   */
  recognizedBy?: string
  /** "The service keeps the former budget in past_budgets." */
  keepsFormerIn?: string
  /**
   * Undefined if callers cannot create rows. They can delete what functions have stored: imports
   * and attachments.
   */
  sample?: Sample
}

const category: Reference = { table: 'categories', whenGone: 'is cleared' }
const budgeted: Reference = { table: 'categories', whenGone: 'goes too' }
const ofAccount: Reference = { table: 'accounts', whenGone: 'goes too' }
const account: Reference = { table: 'accounts', whenGone: 'is cleared' }
/** "Deleting a transaction also deletes its line items and tag associations." */
const transaction: Reference = { table: 'transactions', whenGone: 'goes too' }

const layout = {
  widgets: [{ id: 'flow', type: 'cash_flow', position: { x: 0, y: 0 }, size: { w: 6, h: 4 } }],
}
/** A rate is unique by day, so each sample has its own day. */
let days = 0
const nextDay = () => new Date(Date.UTC(2000, 0, days += 1)).toISOString().slice(0, 10)

const create = async (table: string, row: Row, owner: Caller, context: Row) =>
  (await owner.create(table, { ...row, ...context })).id as string
const newTransaction = (owner: Caller, context: Row) =>
  create('transactions', { name: 'Shopping', amount: -20 }, owner, context)
const newCategory = (owner: Caller, context: Row) =>
  create('categories', { name: 'Home' }, owner, context)
const newAccount = (owner: Caller, context: Row) =>
  create('accounts', { name: 'Wallet', type: 'cash' }, owner, context)
const newTag = (owner: Caller, context: Row) => create('tags', { name: 'holiday' }, owner, context)

const byId = ({ id }: Row) => `id=eq.${String(id)}`
/** A sample without references. The row itself names its context. */
const sample = (row: () => Row, change: Row): Sample => ({
  row: (_owner, context) => Promise.resolve({ ...row(), ...context }),
  change: () => Promise.resolve(change),
  where: byId,
})
/** A sample with a category. */
const ofCategory = (row: Row, change: Row): Sample => ({
  row: async (owner, context) => ({
    category_id: await newCategory(owner, context),
    ...row,
    ...context,
  }),
  change: () => Promise.resolve(change),
  where: byId,
})

export const models: Record<string, TableModel> = {
  transactions: {
    kind: 'owned',
    // "DELETE /imports takes it back"
    refers: {
      category_id: category,
      account_id: account,
      import_id: { table: 'imports', whenGone: 'goes too', isKept: true },
      subscription_id: { table: 'subscriptions', whenGone: 'is cleared' },
    },
    recognizedBy: 'external_id,source',
    sample: sample(() => ({ name: 'Coffee', amount: -3.5 }), { name: 'Tea' }),
  },
  subscriptions: {
    kind: 'owned',
    refers: {
      category_id: category,
      account_id: account,
      to_account_id: { ...account, with: { kind: 'transfer' } },
    },
    sample: sample(() => ({ title: 'Newspaper', amount: 12, period: 'monthly' }), {
      title: 'Magazine',
    }),
  },
  accounts: {
    kind: 'owned',
    refers: {},
    sample: sample(() => ({ name: 'Wallet', type: 'cash' }), { name: 'Purse' }),
  },
  dashboards: {
    kind: 'owned',
    refers: {},
    sample: sample(() => ({ name: 'Overview', layout, visibility: 'shared' }), { name: 'Outlook' }),
  },
  categories: {
    kind: 'owned',
    refers: {},
    keepsFormerIn: 'past_budgets',
    sample: sample(() => ({ name: 'Food' }), { name: 'Groceries' }),
  },
  tags: {
    kind: 'owned',
    refers: {},
    sample: sample(() => ({ name: 'trip' }), { name: 'journey' }),
  },
  rules: {
    kind: 'owned',
    refers: { set_category_id: category },
    sample: sample(
      () => ({
        name: 'Groceries',
        conditions: [{ field: 'name', operation: 'ilike', value: '*market*' }],
        set_name: 'Market',
      }),
      {
        name: 'Shops',
      },
    ),
  },
  exchange_rates: {
    kind: 'owned',
    refers: {},
    sample: sample(() => ({ on_date: nextDay(), base: 'eur', quote: 'usd', rate: 1.0353 }), {
      rate: 1.04,
    }),
  },
  budgets: {
    kind: 'owned',
    refers: { category_id: budgeted },
    sample: ofCategory({ month: '2025-01-01', amount: 300 }, { amount: 310 }),
  },
  past_budgets: {
    kind: 'owned',
    refers: { category_id: budgeted },
    sample: ofCategory({ until: '2025-01-01', amount: 300 }, { amount: 310 }),
  },
  // before the days of all other samples
  closings: {
    kind: 'owned',
    refers: {},
    sample: sample(() => ({ closed_until: '1900-01-01' }), { closed_until: '1900-01-02' }),
  },
  balances: {
    kind: 'owned',
    refers: { account_id: ofAccount },
    sample: {
      row: async (owner, context) => ({
        account_id: await newAccount(owner, context),
        on_date: '2025-01-31',
        balance: 99.5,
        ...context,
      }),
      change: () => Promise.resolve({ balance: 100 }),
      where: byId,
    },
  },
  line_items: {
    kind: 'part',
    refers: { transaction_id: transaction, category_id: category },
    sample: {
      row: async (owner, context) => ({
        transaction_id: await newTransaction(owner, context),
        name: 'Bread',
        amount: -2,
      }),
      change: () => Promise.resolve({ name: 'Cake' }),
      where: byId,
    },
  },
  transaction_tags: {
    kind: 'part',
    refers: { transaction_id: transaction, tag_id: { table: 'tags', whenGone: 'goes too' } },
    sample: {
      row: async (owner, context) => ({
        transaction_id: await newTransaction(owner, context),
        tag_id: await newTag(owner, context),
      }),
      change: async (owner, context) => ({ tag_id: await newTag(owner, context) }),
      where: ({ transaction_id }) => `transaction_id=eq.${String(transaction_id)}`,
    },
  },
  attachments: { kind: 'stored part', refers: { transaction_id: transaction } },
  app_subscriptions: { kind: 'own', refers: {} },
  imports: { kind: 'stored', refers: { account_id: account } },
  activity: { kind: 'log', refers: {} },
}

export const samples: Record<string, Sample> = Object.fromEntries(
  Object.entries(models).flatMap(([name, table]) =>
    table.sample === undefined ? [] : [[name, table.sample]]
  ),
)
const namesOf = (holds: (model: TableModel) => boolean) =>
  Object.keys(models).filter((name) => holds(models[name] as TableModel))
/** The tables with rows that callers create. */
export const tables = Object.keys(samples)
/**
 * The tables with rows that callers do not create. They can delete imports, and rename and delete
 * attachments.
 */
export const readTables = namesOf((model) => model.sample === undefined)
/** The tables with rows that functions store. */
export const storedTables = namesOf(({ kind }) => kind === 'stored' || kind === 'stored part')
/** Whether the rows of a table have the owner pair of their transaction. */
export const isPart = (table: string): boolean =>
  ['part', 'stored part'].includes(models[table]?.kind ?? '')
/** The writable tables with rows that have the owner pair of their transaction. */
export const parts = namesOf(({ kind }) => kind === 'part')
/** The writable tables with their own owner pair. */
export const ownedTables = namesOf(({ kind }) => kind === 'owned')
