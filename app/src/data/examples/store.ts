/** Stores example books in a context, and deletes them. Both are loaded on demand. */
import { unwrap } from 'finance-client'
import { localCurrency } from '../../locale/currencies.ts'
import { today } from '../../locale/days.ts'
import { exampleNames } from '../../messages/example-names.ts'
import { makeUndoOf } from '../change.ts'
import { type Context, finance, rowOf, within } from '../client.ts'
import { exampleBooks } from './books.ts'
import { isMarked, keptMetadata, markedId, markedIds } from './mark.ts'

const { data } = finance

/** Stores example books, with one request per table. Deletes them again if one of them fails. */
export async function addExamples(context: Context, userId: string): Promise<void> {
  const { accounts, categories, tags, subscriptions, transactions, line_items, transaction_tags } =
    exampleBooks({
      today: today(),
      currency: localCurrency(),
      names: exampleNames,
      newId: markedId,
    })
  const inContext = <Values extends object>(rows: Values[]) =>
    rows.map((row) => rowOf(context, row))
  try {
    await Promise.all([
      unwrap(data.from('accounts').insert(inContext(accounts))),
      unwrap(data.from('categories').insert(inContext(categories))),
      unwrap(data.from('tags').insert(inContext(tags))),
    ])
    await unwrap(data.from('subscriptions').insert(inContext(subscriptions)))
    await unwrap(data.from('transactions').insert(inContext(transactions)))
    await Promise.all([
      unwrap(data.from('line_items').insert(inContext(line_items))),
      unwrap(data.from('transaction_tags').insert(inContext(transaction_tags))),
    ])
  } catch (error) {
    // the user sees the first error
    await removeExamples(context, userId).catch(() => undefined)
    throw error
  }
}

/** The result of a removal: the rows that it kept because own rows use them, and its undo. */
export type Removal = { kept: string[], undo: () => Promise<void> }

/**
 * Deletes the example books, from whichever device they were added. Own rows stay, with the
 * accounts and categories that they use.
 */
export async function removeExamples(context: Context, userId: string): Promise<Removal> {
  const { first, last } = markedIds
  /** The undo of each request, the latest first. */
  const undos: Array<() => Promise<void>> = []
  const note: Note = (rows) => {
    if (rows[0] !== undefined) undos.unshift(makeUndoOf(rows[0].id, userId))
  }

  // the deletion of one half of a transfer would also delete an own half
  const linked = await unwrap(
    within(context, data.from('transactions').select('transfer_id')).gte('id', first).lte(
      'id',
      last,
    )
      .or(`transfer_id.lt.${first},transfer_id.gt.${last}`),
  )
  for (const id of new Set(linked.map(({ transfer_id }) => transfer_id)))
    if (id !== null) await unwrap(data.rpc('unlink_transfer', { p_transfer_id: id }))

  // an occurrence that the user has recorded belongs to the example
  const recorded = within(context, data.from('transactions').delete()).eq('source', 'subscription')
    .gte('subscription_id', first).lte('subscription_id', last)
  note(await unwrap(recorded.select('id,source,subscription_id')))
  note(
    await unwrap(
      within(context, data.from('transactions').delete()).gte('id', first).lte('id', last).select(
        'id',
      ),
    ),
  )
  note(
    await unwrap(
      within(context, data.from('subscriptions').delete()).gte('id', first).lte('id', last).select(
        'id',
      ),
    ),
  )

  const kept = await deleteUnused(context, note)
  return {
    kept,
    undo: async () => {
      for (const undo of undos) await undo()
    },
  }
}

type Note = (rows: Array<{ id: string }>) => void

/** Reads the rows that own rows may use, with the rows that use them. */
function readUses(context: Context) {
  const { first, last } = markedIds
  const one = (referencedTable: string) => ({ referencedTable })
  return Promise.all([
    unwrap(
      within(context, data.from('accounts').select('id,name,metadata,transactions(id)')).gte(
        'id',
        first,
      ).lte('id', last).order('name').limit(
        1,
        one('transactions'),
      ),
    ),
    unwrap(within(context, data.from('subscriptions').select('account_id,to_account_id'))),
    unwrap(
      within(
        context,
        data.from('categories').select(
          'id,name,parent_id,transactions(id),line_items(id),subscriptions(id),rules(id)',
        ),
      ).order('name')
        .limit(1, one('transactions')).limit(1, one('line_items')).limit(1, one('subscriptions'))
        .limit(1, one('rules')),
    ),
    unwrap(
      within(context, data.from('tags').select('id,name,transaction_tags(tag_id)')).gte('id', first)
        .lte('id', last).order('name').limit(
          1,
          one('transaction_tags'),
        ),
    ),
  ])
}

/** Returns the example rows that own rows use. */
function usedOf([accounts, costs, categories, tags]: Awaited<ReturnType<typeof readUses>>) {
  const ofCosts = new Set(
    costs.flatMap(({ account_id, to_account_id }) => [account_id, to_account_id]),
  )
  // a parent of a kept or an own category also stays
  const isUsed = (
    { id, transactions, line_items, subscriptions, rules }: (typeof categories)[number],
  ) =>
    !isMarked(id) ||
    [transactions, line_items, subscriptions, rules].some(({ length }) => length > 0)
  const parents = new Set(categories.filter(isUsed).map(({ parent_id: parent }) => parent))
  return {
    accounts: accounts.filter(({ id, transactions }) => transactions.length > 0 || ofCosts.has(id)),
    categories: categories.filter((category) =>
      isMarked(category.id) && (isUsed(category) || parents.has(category.id))
    ),
    tags: tags.filter(({ transaction_tags }) => transaction_tags.length > 0),
  }
}

/**
 * Deletes the example accounts, categories and tags without own rows. @returns the names of the
 * others
 */
async function deleteUnused(context: Context, note: Note): Promise<string[]> {
  const uses = await readUses(context)
  const [accounts, , categories, tags] = uses
  const used = usedOf(uses)
  const kept = [...used.accounts, ...used.categories, ...used.tags]
  const keptIds = new Set(kept.map(({ id }) => id))
  const unused = (rows: Array<{ id: string }>) =>
    rows.map(({ id }) => id).filter((id) => isMarked(id) && !keptIds.has(id))

  // the opening balance of a kept account is money of the example
  const keptIn = data.from('accounts').update({ metadata: keptMetadata, balance: 0 }).in(
    'id',
    used.accounts.map(({ id }) => id),
  )
  if (used.accounts.length > 0) note(await unwrap(keptIn.select('id')))
  note(await unwrap(data.from('tags').delete().in('id', unused(tags)).select('id')))
  note(await unwrap(data.from('categories').delete().in('id', unused(categories)).select('id')))
  note(await unwrap(data.from('accounts').delete().in('id', unused(accounts)).select('id')))
  return kept.map(({ name }) => name)
}
