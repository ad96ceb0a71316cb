/**
 * Measures lists with embedded tables through PostgREST, with and without a filter on the context.
 * The baseline is the same list without embedding and with the filter.
 */
import {
  datasetCallers,
  memberOfLargestTeam,
  type DatasetCaller,
} from '../support/large-dataset.ts'
import { medians, type Figure } from './figures.ts'
import type { BenchStack } from './stack.ts'

const embedded = 'select=*,category:categories(id,name),line_items(*),tags(*)'
const newest = 'order=transaction_date.desc,id&limit=50'

/** The callers, each with the filter on its context. */
const callers: [name: string, who: DatasetCaller, context: string][] = [
  [
    '50,000 personal rows',
    datasetCallers.many,
    `organization_id=is.null&user_id=eq.${datasetCallers.many.user}`,
  ],
  [
    'the same with a team of 100,000 active',
    memberOfLargestTeam,
    `organization_id=eq.${memberOfLargestTeam.organization}`,
  ],
]

/**
 * @param stack a stack with the data of `insertLargeDataset` and `insertTransactionParts` for these
 * callers
 */
export async function listFigures(stack: BenchStack, rounds = 60): Promise<Figure[]> {
  const as = await stack.postgrest()
  const figures: Figure[] = []
  for (const [name, caller, context] of callers) {
    const ask = await as(caller)
    const timed = (path: string) => async () => {
      const { status, ms } = await ask(path)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
      return ms
    }
    for (const [page, offset] of [['newest 50', 0], ['its twentieth page', 950]] as const) {
      const plain = timed(`/transactions?${context}&${newest}&offset=${offset}`)
      for (
        const [named, query] of [['nothing named', ''], [
          'the context named',
          `${context}&`,
        ]] as const
      ) {
        const [one, other] = await medians(
          timed(`/transactions?${query}${embedded}&${newest}&offset=${offset}`),
          plain,
          rounds,
        )
        figures.push({
          work: `${name}: ${page} with categories, line items and tags, ${named}`,
          against: 'the same without these, its context named',
          ratio: one / other,
          aim: 3,
          unit: 'times',
          note: `${one.toFixed(2)} ms`,
        })
      }
    }
  }
  return figures
}
