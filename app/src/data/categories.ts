/** Categories and tags. */
import { queryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { common } from '../messages/common.ts'
import { useChange } from './change.ts'
import type { RowInput } from './changed-fields.ts'
import { type Context, finance, rowOf, stored, within } from './client.ts'

export type Category = Row<'categories'>

type Related = { id: string, parent_id?: string | null }

/** Whether the category has subcategories. */
export const isParent = ({ id }: Related, categories: readonly Related[]): boolean =>
  categories.some(({ parent_id: parent }) => parent === id)

/** Puts subcategories behind their parents. */
export function inFamilies<One extends Related>(categories: readonly One[]): One[] {
  const ids = new Set(categories.map(({ id }) => id))
  const isSubcategory = ({ parent_id: parent }: One) => parent != null && ids.has(parent)
  const subcategories = categories.filter(isSubcategory)
  return categories.filter((one) => !isSubcategory(one)).flatMap((
    top,
  ) => [top, ...subcategories.filter(({ parent_id: parent }) => parent === top.id)])
}

export const categoriesQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'categories'],
    queryFn: ({ signal }) =>
      unwrap(
        within(context, finance.data.from('categories').select()).order('name').order('id')
          .abortSignal(signal),
      ),
  })

type CategoryValues =
  & Pick<Category, 'name' | 'parent_id' | 'color' | 'monthly_budget'>
  & Partial<Pick<Category, 'kind' | 'budget_currency'>>

/** Creates a category, or changes the one of the `id`. */
export const saveCategory = (context: Context, { id, values }: RowInput<CategoryValues>) =>
  id === undefined
    ? unwrap(finance.data.from('categories').insert(rowOf(context, values)).select().single())
    : stored(finance.data.from('categories').update(values).eq('id', id).select())

/**
 * Returns a function that creates a category by its name and returns its id, for a field that finds
 * categories by typing.
 */
export function useCategoryCreation(): (name: string, isIncome: boolean) => Promise<string> {
  const { mutateAsync } = useChange(
    (context: Context, values: Pick<Category, 'name' | 'kind'>) =>
      saveCategory(context, {
        values: { ...values, parent_id: null, color: null, monthly_budget: null },
      }),
    // the field or the row already has it, so that only its own page deletes it
    { outcome: ({ name }) => ({ text: common.created(name) }), toastsErrors: true },
  )
  return async (name, isIncome) =>
    (await mutateAsync({ name, kind: isIncome ? 'income' : 'expense' })).id
}

/**
 * Deletes a category with its budgets. Its rows move to the replacement, or lose their category.
 */
export const deleteCategory = (
  _: Context,
  { id, replacementId }: { id: string, replacementId: string | null },
) =>
  unwrap(
    finance.data.rpc('delete_category', { p_category_id: id, p_replacement_id: replacementId }),
  )

export type Tag = Pick<Row<'tags'>, 'id' | 'name'>

export const tagsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'tags'],
    queryFn: ({ signal }): Promise<Tag[]> =>
      unwrap(
        within(context, finance.data.from('tags').select('id,name')).order('name').order('id')
          .abortSignal(signal),
      ),
  })

/** Returns the tags of these names. Creates missing ones. */
export async function tagsNamed(
  context: Context,
  names: readonly string[],
  known: readonly Tag[],
): Promise<Tag[]> {
  const there = known.filter(({ name }) => names.includes(name))
  const missing = names.filter((name) => !there.some((tag) => tag.name === name))
  if (missing.length === 0) return there
  return [
    ...there,
    ...await unwrap(
      finance.data.from('tags').insert(missing.map((name) => rowOf(context, { name }))).select(
        'id,name',
      ),
    ),
  ]
}
