/** Categories that the service suggests. */
import { queryOptions } from '@tanstack/react-query'
import { unwrap } from 'finance-client'
import { type Context, finance } from './client.ts'
import { reasonText } from './reasons.ts'
import { type Listed, type Transaction, withoutCategory } from './transactions/api.ts'

/** A suggested category of a row, and its reason. */
export type Suggestion = { row: Transaction, categoryId: string, because: string }

/** Whether a category can be suggested for the row. */
export const isOpen = ({ category_id: category, transfer_id: transfer }: Transaction): boolean =>
  category === null && transfer === null

/** The service's limit of a request. */
const maximum = 5_000

/** Reads the learned categories of up to 5,000 rows, in their order. */
export const readSuggestions = (rows: readonly Transaction[], signal: AbortSignal) =>
  unwrap(
    finance.data.rpc('suggest_categories', { p_transaction_ids: rows.map(({ id }) => id) })
      .abortSignal(signal),
  )

/** The suggested categories of selected rows, or of a list. Omits rows without a suggestion. */
export const suggestionsFor = (context: Context, source: readonly Transaction[] | Listed) =>
  queryOptions({
    queryKey: [context.key, 'suggestions', 'view' in source ? source : source.map(({ id }) => id)],
    queryFn: async ({ signal }): Promise<Suggestion[]> => {
      const rows = 'view' in source ? await withoutCategory(context, source, signal) : source
      const open = rows.filter(isOpen).slice(0, maximum)
      if (open.length === 0) return []
      const suggested = await readSuggestions(open, signal)
      return suggested.flatMap(({ row_number: number, category_id: categoryId, because }) => {
        const row = open[number - 1]
        return row === undefined || categoryId === null
          ? []
          : [{ row, categoryId, because: reasonText(because) }]
      })
    },
    // a former result may be wrong by now
    gcTime: 0,
  })
