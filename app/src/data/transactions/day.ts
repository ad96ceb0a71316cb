import type { Transaction } from './api.ts'

/** The day of a row: the bank's booking day, otherwise the day of its time stamp. */
export const dayOf = (
  { booked_on, transaction_date }: Pick<Transaction, 'booked_on' | 'transaction_date'>,
): string => booked_on ?? transaction_date.slice(0, 10)
