/** What transactions are filed under. */
import { queryOptions } from '@tanstack/react-query'
import { type NewRow, type Row, type RowChange, unwrap } from 'finance-client'
import { finance, stored } from './client.ts'
import { type Context, rowOf, within } from './context.ts'

export type Category = Row<'categories'>

export const categoriesQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'categories'],
    queryFn: ({ signal }) => unwrap(within(context, finance.data.from('categories').select()).order('name').order('id').abortSignal(signal)),
  })

/** Stores a new category, or what has changed of one with an `id`. */
export const saveCategory = (context: Context, { id, ...values }: { id?: string | undefined } & Omit<NewRow<'categories'>, 'id'>) =>
  id === undefined
    ? unwrap(finance.data.from('categories').insert(rowOf(context, values)).select().single())
    : stored(finance.data.from('categories').update(values as RowChange<'categories'>).eq('id', id).select())

/** Moves what is filed under it to another, or leaves that without a category. Its budgets are deleted with it. */
export const deleteCategory = (_: Context, { id, replacementId }: { id: string, replacementId: string | null }) =>
  unwrap(finance.data.rpc('delete_category', { p_category_id: id, p_replacement_id: replacementId }))
