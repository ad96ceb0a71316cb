/**
 * What private.pre_request() costs a data request: two PostgREST on one database, one without it, asked in turn in one
 * run. Prints medians, their difference and its share.
 */
import { benchStack, quantile, type Ask } from './stack.ts'

const rounds = 2_000

await using stack = await benchStack(10_000)
await stack.owner.query(
  `insert into api.transactions (user_id, organization_id, name, amount) select 'user-1', null, 'row ' || i, i from generate_series(1, 100) i; analyze`,
)
const checked = await (await stack.postgrest())(1)
// uid() is as good a function as any that does nothing
const unchecked = await (await stack.postgrest({ PGRST_DB_PRE_REQUEST: 'public.uid' }))(1)
const ask = async (side: Ask): Promise<number> => {
  const { status, ms } = await side('/transactions?limit=20')
  if (status !== 200) throw new Error(`unexpected ${status}`)
  return ms
}
for (let i = 0; i < 200; i++) await Promise.all([ask(checked), ask(unchecked)])
const times = { checked: [] as number[], unchecked: [] as number[] }
for (let i = 0; i < rounds; i++) {
  // each pair in the other order, so that neither side profits from coming second
  if (i % 2 === 0) times.checked.push(await ask(checked))
  times.unchecked.push(await ask(unchecked))
  if (i % 2 === 1) times.checked.push(await ask(checked))
}
const [withIt, without] = [quantile(times.checked, 0.5), quantile(times.unchecked, 0.5)]
console.log(`${rounds} pairs: ${withIt.toFixed(2)} ms with private.pre_request(), ${without.toFixed(2)} ms with a function that does nothing`)
console.log(`difference ${((withIt - without) * 1000).toFixed(0)} µs, ${((withIt - without) / withIt * 100).toFixed(1)} % of the request`)
