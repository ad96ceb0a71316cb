/** Tags: free labels of transactions. */
import { queryOptions } from '@tanstack/react-query'
import { type Row, unwrap } from 'finance-client'
import { finance } from './client.ts'
import { type Context, rowOf, within } from './context.ts'

export type Tag = Pick<Row<'tags'>, 'id' | 'name'>

export const tagsQuery = (context: Context) =>
  queryOptions({
    queryKey: [context.key, 'tags'],
    queryFn: ({ signal }): Promise<Tag[]> => unwrap(within(context, finance.data.from('tags').select('id,name')).order('name').order('id').abortSignal(signal)),
  })

/** The tags of these names; those that are not there yet are created. */
export async function tagsNamed(context: Context, names: readonly string[], known: readonly Tag[]): Promise<Tag[]> {
  const there = known.filter(({ name }) => names.includes(name))
  const missing = names.filter((name) => !there.some((tag) => tag.name === name))
  if (missing.length === 0) return there
  return [...there, ...await unwrap(finance.data.from('tags').insert(missing.map((name) => rowOf(context, { name }))).select('id,name'))]
}
