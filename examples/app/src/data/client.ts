/** The one client of the page. Only the files of this folder, and the session, call it. */
import { createClient, FinanceError, unwrap } from 'finance-client'

export const finance = createClient({ baseUrl: location.origin })

/** Where a row that was to be changed is no longer there. */
export const gone = (): FinanceError => new FinanceError(404, { code: 'GONE', message: 'somebody has deleted this meanwhile, so nothing was stored' })

/** The one row that was stored. A change by an id finds none where somebody has deleted it. @throws FinanceError 404 then */
export async function stored<Stored>(query: Parameters<typeof unwrap<Stored[]>>[0]): Promise<Stored> {
  const [row] = await unwrap(query)
  if (row === undefined) throw gone()
  return row
}
