/** The words of an item. */
import type { Account } from '../../data/accounts.ts'
import type { Category } from '../../data/categories.ts'
import type { InboxItem } from '../../data/inbox-items.ts'
import { textOfReason } from '../../data/reasons.ts'
import { formatDay } from '../../locale/days.ts'
import { inbox as m } from '../../messages/inbox.ts'

export type Names = { account: (id: string | null) => string, category: (id: string) => string }

export const namesOf = (accounts: readonly Account[], categories: readonly Category[]): Names => ({
  account: (id) => accounts.find((account) => account.id === id)?.name ?? m.noAccount,
  category: (id) => categories.find((category) => category.id === id)?.name ?? '…',
})

/** The title of an item, the answer that accepting gives, and the reason. */
export function textOf(
  item: InboxItem,
  names: Names,
): { title: string, answer: string | null, reason: string | null } {
  const [first] = item.rows
  const name = first?.name ?? ''
  if (item.kind === 'transfer') {
    const [from, to] = item.rows
    return {
      title: m.transferBetween(names.account(from.account_id), names.account(to.account_id)),
      answer: m.transferQuestion,
      reason: m.transferHint,
    }
  }
  if (item.kind === 'match')
    return {
      title: name,
      answer: m.dueQuestion(item.due.title, formatDay(item.due.due_on)),
      reason: m.matchHint,
    }
  return {
    title: item.rows.length === 1 ? name : m.times(item.rows.length, name),
    answer: item.categoryId === null ? null : names.category(item.categoryId),
    reason: item.reason === null ? null : textOfReason(item.reason),
  }
}

/** The name of the button that accepts an item. */
export const acceptNameOf = ({ kind }: InboxItem): string =>
  kind === 'transfer' ? m.confirmTransfer : kind === 'match' ? m.confirmMatch : m.accept
