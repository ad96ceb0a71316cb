/**
 * Measures the reports of one user with 200,000 transactions of fifteen years, in three currencies
 * and also converted to one.
 */
import type pg from 'pg'
import type { DatasetCaller } from '../support/large-dataset.ts'
import { medians, type Figure } from './figures.ts'
import type { BenchStack } from './stack.ts'

const user = 'user-7'
const caller: DatasetCaller = { user, session: 'session-7' }

/**
 * Stores the transactions, with 10 accounts, 30 categories, 12,600 line items, and exchange rates
 * of each month.
 */
export async function insertLargePerson(db: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await db.query(`
    insert into api.accounts (id, name, type, balance, currency, user_id, tenant)
      select md5('account ' || n)::uuid, 'account ' || n, 'checking', 0, (array['usd', 'usd', 'eur', 'gbp'])[1 + n % 4], '${user}', 'u:${user}' from generate_series(1, 10) n;
    insert into api.categories (id, name, kind, user_id, tenant)
      select md5('category ' || n)::uuid, 'category ' || n, case when n > 25 then 'income' else 'expense' end, '${user}', 'u:${user}' from generate_series(1, 30) n;
    insert into api.transactions (id, name, amount, currency, status, category_id, account_id, transaction_date, user_id, tenant)
      select md5('transaction ' || n)::uuid, 'transaction ' || n, (sin(n) * 1000)::numeric(14, 2),
        (array['usd', 'usd', 'eur', 'gbp'])[1 + (n % 10 + 1) % 4], (array['paid', 'paid', 'paid', 'paid', 'pending', 'failed'])[1 + n / 10 % 6],
        md5('category ' || 1 + n / 7 % 30)::uuid, md5('account ' || 1 + n % 10)::uuid,
        date_trunc('day', now()) - n % 5475 * interval '1 day' - interval '1 hour', '${user}', 'u:${user}'
      from generate_series(1, 200000) n order by hashint4(n);
    insert into api.line_items (name, amount, category_id, transaction_id, user_id, tenant)
      select 'part ' || k, sign(sin(n * 31)), md5('category ' || 1 + (n / 7 + k) % 30)::uuid, md5('transaction ' || n * 31)::uuid, '${user}', 'u:${user}'
      from generate_series(1, 6300) n, generate_series(1, 2) k;
    insert into api.exchange_rates (on_date, base, quote, rate, user_id, tenant)
      select (date_trunc('month', now()) - n * interval '1 month')::date, 'eur', quote, 1 + n * 0.001, '${user}', 'u:${user}'
      from generate_series(0, 190) n, unnest(array['usd', 'gbp']) quote`)
}

const yearAgo = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10)
const today = new Date().toISOString().slice(0, 10)
const filters = [{ field: 'transaction_date', operation: 'gte', value: yearAgo }]

/**
 * The reports: the path, and the bodies for a year and for fifteen years. Budgets are compared for
 * a year only.
 */
const reports: [name: string, path: string, year: object, all?: object][] = [
  ['sums by month', '/rpc/get_transaction_aggregate', { p_filters: filters }, {}],
  ['sums by category', '/rpc/get_transaction_aggregate', {
    p_filters: filters,
    p_group_by: 'category',
  }, { p_group_by: 'category' }],
  ['distribution', '/rpc/get_transaction_distribution_by_category', {
    params: { filters: { start_date: yearAgo, end_date: today } },
  }, { params: {} }],
  ['cash flow', '/rpc/get_cash_flow', { periods: 12 }, { grouping: 'yearly', periods: 16 }],
  ['budgets', '/rpc/get_budget_comparison', { start_date: yearAgo, end_date: today }],
]

/** @param stack a stack with the data of `insertLargePerson` */
export async function personFigures(stack: BenchStack, rounds = 5): Promise<Figure[]> {
  const ask = await (await stack.postgrest())(caller)
  const figures: Figure[] = []
  for (const [name, path, year, all] of reports) {
    for (
      const [range, body, limit] of [['a year', year, 300], ['fifteen years', all, 1_500]] as const
    ) {
      if (body === undefined) continue
      const timed = (more: object) => async () => {
        const { status, ms } = await ask(path, { ...body, ...more })
        if (status !== 200) throw new Error(`${path} answered ${status}`)
        return ms
      }
      const [plain, converted] = await medians(timed({}), timed({ p_convert_to: 'usd' }), rounds)
      for (const [kind, ms] of [['', plain], [', converted', converted]] as const)
        figures.push({
          work: `200,000 personal rows: ${name} of ${range}${kind}`,
          against: `${limit} ms`,
          ratio: ms / limit,
          aim: 1,
          unit: 'times',
          note: `${ms.toFixed(0)} ms`,
        })
    }
  }
  return figures
}
