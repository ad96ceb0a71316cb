/**
 * Measures the throughput of a list of 20 rows with sixteen concurrent callers: two PostgREST
 * processes on one database, in turn.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './figures.ts'
import { person, quantile, type Ask, type BenchStack } from './stack.ts'

const callers = 16
const rounds = 10
const roundMs = 1_000

/** Returns the number of responses to all callers within a second. */
async function responsesPerRound(asks: Ask[]): Promise<number> {
  let count = 0
  const until = performance.now() + roundMs
  await Promise.all(asks.map(async (ask) => {
    while (performance.now() < until) {
      const { status } = await ask('/transactions?limit=20')
      if (status !== 200) throw new Error(`unexpected ${status}`)
      count++
    }
  }))
  return count
}

/** Returns the ratio of the throughputs of two PostgREST processes. */
async function compared(
  stack: BenchStack,
  one: Record<string, string>,
  other: Record<string, string>,
): Promise<number> {
  const asksOf = async (env: Record<string, string>) => {
    const askAs = await stack.postgrest(env)
    return Promise.all(Array.from({ length: callers }, (_, i) => askAs(person(100 + i))))
  }
  const [mine, theirs] = [await asksOf(one), await asksOf(other)]
  await responsesPerRound(mine)
  await responsesPerRound(theirs)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    // the order alternates, so that neither side profits from its position
    const order = round % 2 === 0 ? [mine, theirs] : [theirs, mine]
    const counts = new Map<Ask[], number>()
    for (const asks of order) {
      counts.set(asks, await responsesPerRound(asks))
      await sleep(50)
    }
    ratios.push((counts.get(mine) ?? 0) / (counts.get(theirs) ?? 1))
  }
  return quantile(ratios, 0.5)
}

/** @param stack a stack with the data of `insertLargeDataset` */
export async function throughputFigures(stack: BenchStack): Promise<Figure[]> {
  return [
    {
      work: 'list of 20, 16 callers, with private.pre_request()',
      against: 'itself with a function that does nothing',
      // uid() does nothing that matters here
      ratio: await compared(stack, {}, { PGRST_DB_PRE_REQUEST: 'public.uid' }),
      aim: 0.93,
      unit: 'throughputs',
    },
    {
      work: "list of 20, 16 callers, with PostgREST's JWT cache",
      against: 'itself without',
      ratio: await compared(stack, { PGRST_JWT_CACHE_MAX_LIFETIME: '3600' }, {}),
      aim: 1,
      unit: 'throughputs',
      note: 'off by default: PostgREST 12 does not limit its size',
    },
  ]
}
