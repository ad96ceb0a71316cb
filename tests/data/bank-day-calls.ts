/** Requests in a time zone, and the days of the transactions that they store. */
import type { Caller } from '../support/data.ts'

export type Row = Record<string, any>
export const from = (zone: string, more = '') => ({ prefer: `timezone=${zone}${more}` })
export const datesOf = async (caller: Caller, id: string): Promise<Row> =>
  (await caller.get(`/transactions?id=eq.${id}&select=transaction_date,booked_on`)).body[0]
export const rent = { name: 'Rent', amount: -900, transaction_date: '2025-03-01' }
