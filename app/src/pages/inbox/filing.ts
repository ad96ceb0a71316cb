/** The decisions that accept items of the inbox. */
import type { Filing } from '../../data/inbox.ts'
import { type InboxItem, isAcceptable } from '../../data/inbox-items.ts'
import { inbox as m } from '../../messages/inbox.ts'

/** Returns the decisions of suggestions and confirmations. Items without a suggestion stay. */
export function acceptedOf(
  items: readonly InboxItem[],
  nameOf: (categoryId: string) => string,
): Filing {
  const accepted = items.filter(isAcceptable)
  const [only, ...others] = accepted
  return {
    categories: accepted.flatMap((item) => {
      const { categoryId } = item.kind === 'payee' ? item : { categoryId: null }
      return categoryId === null ? [] : item.rows.map((row) => ({ row, categoryId }))
    }),
    transfers: accepted.flatMap((item) => item.kind === 'transfer' ? [item] : []),
    matches: accepted.flatMap((item) => item.kind === 'match' ? [item] : []),
    text: (count) =>
      only?.kind === 'payee' && only.categoryId !== null && others.length === 0
        ? m.categorized(count, nameOf(only.categoryId))
        : m.accepted(count),
  }
}

/** Returns the decision to file all rows of an item under a category. */
export const filedUnder = (item: InboxItem, categoryId: string, name: string): Filing => ({
  categories: item.rows.map((row) => ({ row, categoryId })),
  transfers: [],
  matches: [],
  text: (count) => m.categorized(count, name),
})

/** The items that "all" accepts: the selection, otherwise those that are certain. */
export const allOf = (items: readonly InboxItem[], selected: ReadonlySet<string>): InboxItem[] =>
  selected.size > 0
    ? items.filter((item) => selected.has(item.key) && isAcceptable(item))
    : items.filter((item) => item.kind === 'payee' && item.isCertain)

/** Returns the key of the item that is active after an item. */
export function neighbourOf(
  items: readonly InboxItem[],
  key: string | null,
  step: 1 | -1,
): string | null {
  const at = items.findIndex((item) => item.key === key)
  return (items[at + step] ?? items[at])?.key ?? items[0]?.key ?? null
}
