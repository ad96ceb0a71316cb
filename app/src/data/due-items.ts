/** The items of the calendar of recurring income and costs. */
import { sumsByCurrency } from '../locale/figures.ts'
import { dayOf } from './transactions/day.ts'

type Kind = 'expense' | 'income' | 'transfer'

/** A due day of the service. */
type Upcoming = {
  subscription_id: string
  title: string
  due_on: string
  amount: number
  currency: string
  kind: string
  is_recorded: boolean
}

/** The stored transaction of a due day. */
export type DueTransaction = {
  id: string
  name: string
  due_on: string | null
  amount: number
  currency: string
  status: string
  transfer_id: string | null
  booked_on: string | null
  transaction_date: string
}

/** `late` is due before today and not recorded. `announced` is recorded and not paid yet. */
export type DueState = 'paid' | 'announced' | 'failed' | 'due' | 'late'

export type DueItem = {
  key: string
  title: string
  /** The due day. */
  day: string
  /** Negative for an expense. A transfer has no sign. */
  amount: number
  currency: string
  kind: Kind
  state: DueState
  /** The recurring cost of a day that is not recorded. */
  subscriptionId?: string
  /** The day of the transaction of a recorded day. */
  bookedOn?: string
}

const stateOf: Record<string, DueState> = { paid: 'paid', pending: 'announced', failed: 'failed' }

/**
 * Returns the items of days in their order: stored transactions with their own amounts, and due
 * days without one.
 */
export function dueItems(
  upcoming: readonly Upcoming[],
  stored: readonly DueTransaction[],
  today: string,
): DueItem[] {
  const recorded = stored
    .map(({ id, name, due_on, amount, currency, status, transfer_id, ...rest }): DueItem => ({
      key: id,
      title: name,
      day: due_on ?? dayOf(rest),
      amount: transfer_id === null ? amount : Math.abs(amount),
      currency,
      kind: transfer_id !== null ? 'transfer' : amount > 0 ? 'income' : 'expense',
      state: stateOf[status] ?? 'paid',
      bookedOn: dayOf(rest),
    }))
  const open = upcoming.filter(({ is_recorded }) => !is_recorded)
    .map(({ subscription_id, title, due_on, amount, currency, kind }): DueItem => ({
      key: `${subscription_id} ${due_on}`,
      title,
      day: due_on,
      amount: kind === 'expense' ? -amount : amount,
      currency,
      kind: kind as Kind,
      state: due_on < today ? 'late' : 'due',
      subscriptionId: subscription_id,
    }))
  const place = ({ day, title }: DueItem) => `${day} ${title}`
  return [...recorded, ...open].toSorted((one, other) => place(one) < place(other) ? -1 : 1)
}

/** Whether an item moves money in or out. */
const counts = ({ kind, state }: DueItem) => kind !== 'transfer' && state !== 'failed'

/** Returns the sums of items per currency. Transfers and failed payments are in none. */
export const sumOfItems = (items: readonly DueItem[]): Array<{ currency: string, sum: number }> =>
  sumsByCurrency(items.filter(counts))

/** Returns income, expenses and the open rest per currency. */
export function monthOfItems(
  items: readonly DueItem[],
): Array<{ currency: string, income: number, expenses: number, open: number }> {
  return sumOfItems(items).map(({ currency }) => {
    const same = items.filter((item) => item.currency === currency)
    const sum = (some: DueItem[]) => sumOfItems(some)[0]?.sum ?? 0
    return {
      currency,
      income: sum(same.filter(({ amount }) => amount > 0)),
      expenses: sum(same.filter(({ amount }) => amount < 0)),
      open: sum(same.filter(({ state }) => state === 'due' || state === 'late')),
    }
  })
}
