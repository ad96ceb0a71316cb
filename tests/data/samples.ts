/** One valid row of every writable table, for tests that cover all tables. tests/schema/lints.test.ts fails for a table that is missing here. */
import type { Caller } from '../support/data.ts'

type Row = Record<string, unknown>
export type Sample = {
  /** Returns a new row. A part of a transaction gets a new transaction of `owner` in the same context. */
  row: (owner: Caller, context: Row) => Promise<Row>
  /** The changes of an update. */
  change: (owner: Caller, context: Row) => Promise<Row>
  /** The query that selects exactly this row. */
  where: (row: Row) => string
}

const layout = { widgets: [{ id: 'flow', type: 'cash_flow', position: { x: 0, y: 0 }, size: { w: 6, h: 4 } }] }

/** A table with the owner pair: the row itself names the context. */
const owned = (row: Row, change: Row): Sample => ({
  row: (_owner, context) => Promise.resolve({ ...row, ...context }),
  change: () => Promise.resolve(change),
  where: ({ id }) => `id=eq.${String(id)}`,
})

const transaction = async (owner: Caller, context: Row) => (await owner.create('transactions', { name: 'Shopping', amount: -20, ...context })).id as string
const category = async (owner: Caller, context: Row) => (await owner.create('categories', { name: 'Home', ...context })).id as string
/** A rate is unique by day, so each sample has its own day. */
let days = 0
const nextDay = () => new Date(Date.UTC(2000, 0, days += 1)).toISOString().slice(0, 10)
const tag = async (owner: Caller, context: Row) => (await owner.create('tags', { name: 'holiday', ...context })).id as string

export const samples: Record<string, Sample> = {
  transactions: owned({ name: 'Coffee', amount: -3.5 }, { name: 'Tea' }),
  subscriptions: owned({ title: 'Newspaper', amount: 12, period: 'monthly' }, { title: 'Magazine' }),
  accounts: owned({ name: 'Wallet', type: 'cash' }, { name: 'Purse' }),
  dashboards: owned({ name: 'Overview', layout, visibility: 'shared' }, { name: 'Outlook' }),
  categories: owned({ name: 'Food' }, { name: 'Groceries' }),
  tags: owned({ name: 'trip' }, { name: 'journey' }),
  exchange_rates: {
    row: (_owner, context) => Promise.resolve({ on_date: nextDay(), base: 'eur', quote: 'usd', rate: 1.0353, ...context }),
    change: () => Promise.resolve({ rate: 1.04 }),
    where: ({ id }) => `id=eq.${String(id)}`,
  },
  budgets: {
    row: async (owner, context) => ({ category_id: await category(owner, context), month: '2025-01-01', amount: 300, ...context }),
    change: () => Promise.resolve({ amount: 310 }),
    where: ({ id }) => `id=eq.${String(id)}`,
  },
  past_budgets: {
    row: async (owner, context) => ({ category_id: await category(owner, context), until: '2025-01-01', amount: 300, ...context }),
    change: () => Promise.resolve({ amount: 310 }),
    where: ({ id }) => `id=eq.${String(id)}`,
  },
  line_items: {
    row: async (owner, context) => ({ transaction_id: await transaction(owner, context), name: 'Bread', amount: -2 }),
    change: () => Promise.resolve({ name: 'Cake' }),
    where: ({ id }) => `id=eq.${String(id)}`,
  },
  transaction_tags: {
    row: async (owner, context) => ({ transaction_id: await transaction(owner, context), tag_id: await tag(owner, context) }),
    change: async (owner, context) => ({ tag_id: await tag(owner, context) }),
    where: ({ transaction_id }) => `transaction_id=eq.${String(transaction_id)}`,
  },
}
export const tables = Object.keys(samples)
/** The tables whose rows clients cannot create or change. Of imports they can delete those that /rpc/import_transactions created. */
export const readTables = ['activity', 'app_subscriptions', 'imports']
/** The tables with their own user_id and organization_id. Parts of a transaction have those of the transaction. */
export const parts = ['line_items', 'transaction_tags']
export const ownedTables = tables.filter((table) => !parts.includes(table))
