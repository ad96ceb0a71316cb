/**
 * Measures lists of transactions through the edge, with and without the name of their tenant. The
 * edge names the tenant if only one is visible, and the last row of the page if two are.
 */
import {
  datasetCallers,
  memberOfLargestTeam,
  tenantOf,
  type DatasetCaller,
} from '../support/large-dataset.ts'
import { medians, type Figure } from './figures.ts'
import type { BenchStack } from './stack.ts'

const embedded = 'select=*,category:categories(id,name),line_items(*),tags(*)'
const newest = 'order=transaction_date.desc,id&limit=50'
const counted = { prefer: 'count=exact' }

/** A form of the list: its query, and its headers. */
type Form = [name: string, query: string, headers?: Record<string, string>]

const pages: Form[] = [
  ['newest 50', `${embedded}&${newest}`],
  ['its twentieth page', `${embedded}&${newest}&offset=950`],
]
const forms: Form[] = [
  ['with a count', `${embedded}&${newest}`, counted],
  ['with a status', `${embedded}&${newest}&status=eq.paid`],
  ['with an or', `${embedded}&${newest}&or=(status.eq.paid,amount.gt.0)`],
  ['with an inner embed', `select=*,tags!inner(*)&${newest}`],
]

/** The callers, and the forms that each of them asks for. */
const callers: [name: string, who: DatasetCaller, forms: Form[]][] = [
  ['50,000 personal rows', datasetCallers.many, [...pages, ...forms]],
  ['the same with a team of 100,000 active', memberOfLargestTeam, pages],
]

/**
 * @param stack a stack with the data of `insertLargeDataset` and `insertTransactionParts` for these
 * callers
 */
export async function listFigures(stack: BenchStack, rounds = 30): Promise<Figure[]> {
  const { port, readyPort } = await stack.dataSurface()
  const as = stack.askAt(await stack.edge({ port, readyPort }), '/data')
  const figures: Figure[] = []
  for (const [name, caller, asked] of callers) {
    const ask = await as(caller)
    const named = `tenant=eq.${tenantOf(caller)}`
    for (const [form, query, headers] of asked) {
      const timed = (more: string) => async () => {
        const path = `/transactions?${query}${more}`
        const { status, ms } = await ask(path, undefined, headers)
        if (status !== 200 && status !== 206) throw new Error(`${path} answered ${status}`)
        return ms
      }
      const [one, other] = await medians(timed(''), timed(`&${named}`), rounds)
      figures.push({
        work: `${name}: ${form}, with categories, line items and tags, nothing named`,
        against: 'itself with its tenant named',
        ratio: one / other,
        aim: 3,
        unit: 'times',
        note: `${one.toFixed(2)} ms`,
      })
    }
  }
  return figures
}
