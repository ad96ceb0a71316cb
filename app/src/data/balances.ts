/** Agreement with the bank: balances that a bank or a user has stated, and closed days. */
import { queryOptions } from '@tanstack/react-query'
import { type Reply, type Row, unwrap } from 'finance-client'
import { type Account } from './accounts.ts'
import { type Context, finance, rowOf, stored, within } from './client.ts'

export type StatedBalance = Row<'balances'>

/** A stated balance, compared with the transactions. */
export type Reconciliation = Reply<'get_reconciliation'>[number] & {
  row: StatedBalance | undefined
  /** The day of the stated balance before. */
  after: string | undefined
}

/** The stated balances of an account, newest first. */
export const reconciliationQuery = (context: Context, accountId: string) =>
  queryOptions({
    queryKey: [context.key, 'balances', accountId],
    queryFn: async ({ signal }): Promise<Reconciliation[]> => {
      const [compared, rows] = await Promise.all([
        unwrap(
          finance.data.rpc('get_reconciliation', { p_account_id: accountId }, { get: true })
            .abortSignal(signal),
        ),
        unwrap(
          within(context, finance.data.from('balances').select().eq('account_id', accountId))
            .abortSignal(signal),
        ),
      ])
      const byDay = new Map(rows.map((row) => [row.on_date, row]))
      return compared.map((one, index) => ({
        ...one,
        row: byDay.get(one.on_date),
        after: compared[index - 1]?.on_date,
      })).toReversed()
    },
  })

type Statement = Pick<StatedBalance, 'account_id' | 'on_date' | 'balance'>

/** Stores the balance of a day. Replaces another one of that day. It moves no money. */
export const stateBalance = (context: Context, values: Statement) =>
  unwrap(
    finance.data.from('balances').upsert(rowOf(context, { ...values, source: 'manual' as const }), {
      onConflict: 'account_id,on_date',
    }).select().single(),
  )

export const deleteStatedBalance = async (_: Context, { id }: StatedBalance): Promise<void> => {
  await unwrap(finance.data.from('balances').delete().eq('id', id))
}

/**
 * Books the difference to a stated balance as a transaction of this name. Returns it, or null if
 * there is no difference.
 */
export const correctBalance = (
  _: Context,
  { account_id, on_date, balance, name }: Statement & { name: string },
) =>
  unwrap(
    finance.data.rpc('set_balance', {
      p_account_id: account_id,
      p_balance: balance,
      p_on_date: on_date,
      p_name: name,
    }),
  )

/** Closes the days of an account up to a day, or opens them all again. */
export const closeAccountDays = (
  _: Context,
  { id, closed_until }: Pick<Account, 'id' | 'closed_until'>,
) => stored(finance.data.from('accounts').update({ closed_until }).eq('id', id).select())

/** The closings of all accounts, latest first. The latest counts. */
export const closingsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'closings'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('closings').select()).order('closed_until', {
          ascending: false,
        }).order('id').abortSignal(signal),
      ),
  })

type Closing = Row<'closings'>

/**
 * Closes the days of all accounts up to a day, or opens them all again. Returns the changed rows.
 */
export const closeDays = (
  context: Context,
  { closed_until }: { closed_until: string | null },
): Promise<Closing[]> =>
  unwrap(
    closed_until === null
      ? within(context, finance.data.from('closings').delete()).select()
      : finance.data.from('closings').insert(rowOf(context, { closed_until })).select(),
  )
