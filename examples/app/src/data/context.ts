/** The context that rows belong to: one's own, or a team. */

/** `id` is null in the personal context, whose key is `personal`. */
export type Context = { key: string, id: string | null }

export const contextOf = (id: string | null): Context => ({ key: id ?? 'personal', id })

type Filterable = {
  eq: (column: 'organization_id', value: string) => unknown
  is: (column: 'organization_id', value: null) => unknown
}

/** Narrows a query to the rows of a context: in a team one would see one's personal rows too. */
export const within = <Query extends Filterable>({ id }: Context, query: Query): Query =>
  (id === null ? query.is('organization_id', null) : query.eq('organization_id', id)) as Query

/** A new row of the context that the person sees, whatever another tab has chosen meanwhile. */
export const rowOf = <Values extends object>({ id }: Context, values: Values): Values & { organization_id: string | null } => ({
  ...values,
  organization_id: id,
})
