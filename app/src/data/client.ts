/**
 * The app's only client, and the context that its rows belong to. Only files of this folder and the
 * session call it.
 */
import { createClient, FinanceError, unwrap } from 'finance-client'
import { errors } from '../messages/errors.ts'

export const finance = createClient({ baseUrl: location.origin })

/** `id` is null in the personal context, whose key is `personal`. */
export type Context = { key: string, id: string | null }

export const contextOf = (id: string | null): Context => ({ key: id ?? 'personal', id })

type Filterable = {
  eq: (column: 'organization_id', value: string) => unknown
  is: (column: 'organization_id', value: null) => unknown
}

/**
 * Narrows a query to the rows of a context. Without it, a team member would also see personal rows.
 */
export const within = <Query extends Filterable>({ id }: Context, query: Query): Query =>
  (id === null ? query.is('organization_id', null) : query.eq('organization_id', id)) as Query

/**
 * Narrows a query to the rows of a context. The user's id lets the database use an index for
 * personal rows.
 */
export const withinOf = <
  Query extends Filterable & { eq: (column: 'user_id', value: string) => unknown },
>(
  context: Context,
  userId: string,
  query: Query,
): Query => within(context, context.id === null ? query.eq('user_id', userId) as Query : query)

/** A new row of the shown context, even if another tab has switched the session meanwhile. */
export const rowOf = <Values extends object>(
  { id }: Context,
  values: Values,
): Values & { organization_id: string | null } => ({
  ...values,
  organization_id: id,
})

/** The error of a change whose row another user has deleted. */
export const gone = (): FinanceError =>
  new FinanceError(404, { code: 'GONE', message: errors.gone })

/**
 * Returns the stored row of a change by id. @throws FinanceError 404 if the row was deleted
 * meanwhile
 */
export async function stored<Stored>(
  query: Parameters<typeof unwrap<Stored[]>>[0],
): Promise<Stored> {
  const [row] = await unwrap(query)
  if (row === undefined) throw gone()
  return row
}
